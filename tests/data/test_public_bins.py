"""Bins of public rows: edges by rank, what is left out, what they cost, and how they are kept."""

import json

import numpy as np
import pytest

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.bounds.tails import lower_limit
from littlestone.data.schema import PublicBins
from littlestone.errors import ParameterError, UnsupportedError

RNG = np.random.default_rng(0)
TABLE = {
    "x": np.append(RNG.normal(size=97), [np.nan, np.inf, -np.inf]),
    "kind": ["a"] * 40 + ["b"] * 57 + ["c"] * 3,
    "name": [f"n{i}" for i in range(100)],
    "empty": [None] * 100,
}


def test_fewer_than_rank_rows_lie_between_a_number_and_its_edge():
    schema = ls.Schema.from_public(TABLE, bins=8)
    assert schema.public == PublicBins(100, 13)
    assert schema.names == ("x", "kind")
    assert schema["kind"].categories == ("a", "b")
    seen = np.sort(TABLE["x"][:97])
    for t in (*seen, -9, 9, -np.inf, np.inf):
        edge = min((e for e in schema["x"].edges if e >= t), default=np.inf)
        inside = ((TABLE["x"] >= t) & (TABLE["x"] < edge)).sum() + (edge == np.inf) * 0
        assert inside < 13
    assert len(schema["x"].edges) < 8


@pytest.mark.parametrize("bins", [2, 5, 99, 100, 500])
def test_at_most_so_many_bins(bins):
    schema = ls.Schema.from_public({"x": range(100)}, bins=bins)
    assert len(schema["x"].edges) == min(bins - 1, 100 // (100 // bins + 1))


def test_all_values_are_edges_where_there_are_bins_enough():
    schema = ls.Schema.from_public({"x": [3, 1, 1, 2]}, bins=9)
    assert (schema["x"].edges, schema.public) == ((1, 2, 3), PublicBins(4, 1))


def test_it_is_kept_in_files_and_in_columns():
    schema = ls.Schema.from_public(TABLE, bins=8)
    assert ls.Schema.from_list(json.loads(json.dumps(schema.to_list()))) == schema


def test_toml(tmp_path):
    schema = ls.Schema.from_public(TABLE, bins=8)
    (tmp_path / "s.toml").write_text(schema.to_toml())
    assert ls.Schema.from_toml(tmp_path / "s.toml") == schema
    broken = schema.to_toml().replace("rank = 13", "rank = 0")
    (tmp_path / "s.toml").write_text(broken)
    with pytest.raises(ParameterError, match="rank"):
        ls.Schema.from_toml(tmp_path / "s.toml")


def test_the_cost_of_bins_is_certified():
    schema = ls.Schema.from_public({"x": range(400)}, bins=20)
    costs = [schema.binning_error(s).alpha for s in (1, 2, 3)]
    assert costs == sorted(costs)
    assert costs[0] < 0.08
    finer = ls.Schema.from_public({"x": range(400)}, bins=400)
    found = finer.binning_error(1, shift=(2, "0.01"))
    assert recheck(found.to_dict()) == ()
    assert found.status == "conditional"
    assert finer.binning_error(1).alpha < found.alpha < costs[0]
    with pytest.raises(UnsupportedError, match="more bins"):
        schema.binning_error(40)
    with pytest.raises(UnsupportedError, match="from_public"):
        ls.Schema.from_dict({"x": {"bins": [1]}}).binning_error(1)


@pytest.mark.more
def test_bins_cost_no_more_than_is_certified():
    """The rule x >= t and z < u, over binned columns that depend on each other."""
    rng, far, trials = np.random.default_rng(5), 0, 100
    fresh = rng.normal(size=(4000, 2)) @ [[1, 0.7], [0, 0.7]]
    rule = (fresh[:, 0] >= 0.2) & (fresh[:, 1] < 0.5)
    for _ in range(trials):
        rows = rng.normal(size=(120, 2)) @ [[1, 0.7], [0, 0.7]]
        schema = ls.Schema.from_public({"x": rows[:, 0], "z": rows[:, 1]}, bins=30)
        low = min([e for e in schema["x"].edges if e >= 0.2], default=np.inf)
        high = min([e for e in schema["z"].edges if e >= 0.5], default=np.inf)
        certified = float(schema.binning_error(2).alpha)
        binned = (fresh[:, 0] >= low) & (fresh[:, 1] < high)
        far += (rule != binned).mean() > certified + 0.005
    assert lower_limit(far, trials, 1e-3) <= 0.05


def test_classes_count_their_comparisons():
    schema = ls.Schema.from_public({"x": range(400)}, bins=200)
    kinds = (ls.Rules(schema, 2), ls.DecisionTrees(schema, 2))
    assert [kind.public.basis // schema.public.rank for kind in kinds] == [2, 3]
    assert ls.DecisionTrees(ls.Schema.from_dict({"x": {"bins": [1]}}), 2).public is None
    made = ls.AgnosticLearner(ls.Rules(schema, 2), epsilon=1)
    here, listed = made.required_samples(), made.set_params(shift=None).required_samples()
    assert listed < here < 2 * listed


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ({"x": []}, {}, "at least one row"),
        ({"x": [1]}, {"bins": 1}, "bins"),
        ({"x": [1]}, {"columns": ["y"]}, "no column"),
        ({"name": ["a", "b", "c"] * 9 + ["d"]}, {"bins": 2}, "equal"),
    ],
)
def test_refusals(table, options, words):
    with pytest.raises(ParameterError, match=words):
        ls.Schema.from_public(table, **options)
