"""OpenDP issue 2945: ``max_length`` is used as the largest change of a group; it is twice that."""

import json

import opendp.prelude as dp
import polars as pl

from littlestone.audit import lower_bound

dp.enable_features("contrib")

SCHEMA = {"A": pl.String, "B": pl.Int32}
DATA = pl.LazyFrame({"A": ["a"] * 3, "B": [10] * 3}, schema=SCHEMA)
NEIGHBOUR = pl.LazyFrame({"A": ["a"] * 3, "B": [-10] * 3}, schema=SCHEMA)
DISTANCE = 6  # three rows leave, three come

query = pl.LazyFrame(schema=SCHEMA).group_by("A").agg(pl.col("B").dp.sum((-10, 10), scale=30.0))
domain = dp.with_margin(
    dp.lazyframe_domain(
        [dp.series_domain("A", dp.atom_domain(T=str)), dp.series_domain("B", dp.atom_domain(T=int))]
    ),
    dp.polars.Margin(by=["A"], max_length=3, max_groups=1, invariant="keys"),
)
grouped_sum = dp.m.make_private_lazyframe(
    domain, dp.symmetric_distance(), dp.max_divergence(), query
)

bound = lower_bound(
    lambda data: grouped_sum(data).collect()["B"].item(),
    DATA,
    NEIGHBOUR,
    delta=0,
    trials=4000,
)
print(
    json.dumps(
        {
            "bug": "OpenDP 0.16.0, issue 2945",
            "claimed": grouped_sum.map(DISTANCE),
            "proved": float(bound),
            "trials": bound.trials,
        }
    )
)
