"""Samples as multisets, and the reading by hand that they are compared with: record by record."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from littlestone.data import OUTSIDE, IntegerDomain, RowDomain, Schema
from littlestone.data.cells import Match, user_name
from littlestone.learners.running import run
from littlestone.source import SeededSource

#: What a cell may be.
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.decimals(),
    st.fractions(),
    st.text(),
    st.from_regex(r"\A ?[+-]?[0-9]{0,25}\.?[0-9]{0,25}\Z"),
    st.binary(),
    st.dates(),
    st.datetimes(),
    st.floats(width=32).map(np.float32),
    st.integers(-(2**63), 2**63 - 1).map(np.int64),
    st.lists(st.integers()),
    st.dictionaries(st.text(), st.integers()),
    st.builds(object),
)


def multiset(sample):
    """Return the records of a sample: points, or OUTSIDE, with the codes of their labels."""
    points = [tuple(p) if isinstance(p, list) else p for p in sample.points.tolist()]
    found = Counter()
    for label, (row, beyond) in enumerate(zip(sample.counts.tolist(), sample.outside, strict=True)):
        for point, n in zip([*points, OUTSIDE], [*row, int(beyond)], strict=True):
            found[point, label] += n
    return +found


def of_user(sample, user):
    return multiset(sample.groups_at(sample.user == user).pooled())


def users_of(sample):
    return [of_user(sample, i) for i in range(sample.n_users)]


def by_hand(table, domain, x="x", y="y", positive=1, labels=None):
    """Convert record by record; of listed labels the first that matches, or the number of all."""
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    cells = rows if isinstance(domain, RowDomain) else [row[x] for row in rows]
    points = map(domain.cell, cells)
    if labels is None:
        match = Match(positive)
        return [(point, int(match(row[y]))) for point, row in zip(points, rows, strict=True)]
    matches = [*map(Match, labels), lambda cell: True]
    codes = [next(i for i, match in enumerate(matches) if match(row[y])) for row in rows]
    return list(zip(points, codes, strict=True))


def users_by_hand(names, records):
    """Return the records of each user as a multiset: integers first, then texts, then nobody."""
    own = {}
    for name, record in zip(map(user_name, names), records, strict=True):
        own.setdefault(name, Counter())[record] += 1
    return [own[name] for name in sorted(own, key=lambda n: (n is None, isinstance(n, str), n))]


def released(learner, samples, seed, **asked):
    """Return the release of equal seeds, which is the same for samples of the same records."""
    first, *others = (run(learner, s, SeededSource(seed), **asked).to_json() for s in samples)
    assert all(other == first for other in others)
    return first


# -- A table for engines of other programs: odd cells, NaN, -0.0, NULL, white space, users.

DOMAIN = IntegerDomain(1, 99)
SCHEMA = Schema.from_dict({"x.cell": {"bins": [5, 10.5, 40]}, "num": {"bins": [-1, 0.1, 7]}})
ODD = ["text", "2.5", None, "", "9" * 400, '5"', "1e2", " 7 ", "7\n", "7\u2028", "007", "NaN", "é"]


def base_table(odd=()):
    rng = random.Random(1)
    x = [*odd, *(str(rng.randrange(1, 50)) for _ in range(40 - len(odd)))]
    return pa.table(
        {
            "x.cell": pa.array(x, pa.string()),
            "num": pa.array([None, float("nan"), 0.1, -1.0, -0.0, 7.5, float("inf"), 3] * 5),
            "label": pa.array([rng.choice(["0", "1", "true", None]) for _ in range(40)]),
            "The User": pa.array([7, None, 8, 7] * 10),
        }
    )
