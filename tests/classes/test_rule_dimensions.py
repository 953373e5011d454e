"""Dimensions of rules without a matrix: bounds against exact search, witnesses by definition."""

import random

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import load
from littlestone.classes.dimensions import Bounds
from littlestone.classes.finite import listing
from littlestone.classes.rules import (
    mistakes_at_most,
    shattered_rows,
    threshold_rows,
    thresholds_at_most,
    vc_at_most,
)

WORDS = "abcdefghijklmnop"


def schema(columns):
    def column(kind, m):
        return {"bins": list(range(m))} if kind == "n" else {"categories": list(WORDS[:m])}

    return ls.Schema.from_dict({f"c{i}": column(*each) for i, each in enumerate(columns)})


def accepted(literals, row):
    """The definition of a literal, of one cell: codes 0 and 1 are missing and other."""
    for lit in literals:
        code = row[lit.column]
        if not {">=": code >= lit.code, "<": 2 <= code < lit.code, "is": code == lit.code,
                "is not": code != lit.code}[lit.op]:  # fmt: skip
            return False
    return True


def check_witnesses(columns, k):
    """Every subset is accepted by just its rule of at most k literals; thresholds likewise."""
    own = schema(columns)
    size = ls.Rules(own, k).size
    found = shattered_rows(own, k, vc_at_most(own, k, size))
    assert len(found.rules) == 2 ** len(found.rows)
    for subset, rule in enumerate(found.rules):
        assert rule is None or len(rule) <= k
        labels = [rule is not None and accepted(rule, row) for row in found.rows]
        assert labels == [bool(subset >> i & 1) for i in range(len(found.rows))]
    steps = threshold_rows(own, k)
    assert len(steps.rules) == len(steps.rows)
    for i, rule in enumerate(steps.rules):
        assert len(rule) <= k
        assert [accepted(rule, row) for row in steps.rows] == [
            i <= j for j in range(len(steps.rows))
        ]
    return len(found.rows), len(steps.rows)


SMALL = [
    ([("n", 1)], 1), ([("n", 3)], 1), ([("n", 3)], 2), ([("c", 1)], 2), ([("c", 2)], 1),
    ([("c", 3)], 2), ([("c", 4)], 2), ([("n", 1), ("n", 1)], 1), ([("n", 2), ("c", 2)], 1),
    ([("n", 1), ("c", 1)], 2), ([("c", 2), ("c", 2)], 1), ([("c", 5)], 3),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "k"), SMALL)
def test_bounds_hold_the_exact_dimensions(columns, k):
    own = schema(columns)
    rules = ls.Rules(own, k)
    kernel = listing(rules, None).kernel
    low_vc, low_steps = check_witnesses(columns, k)
    assert low_vc <= kernel.vc_dim() <= vc_at_most(own, k, rules.size)
    assert low_steps <= kernel.threshold_dim() <= thresholds_at_most(own, k)
    assert kernel.ldim() <= mistakes_at_most(own, k, rules.size)
    for name, bounds in rules.witnessed().items():
        exact = {"vc": kernel.vc_dim, "littlestone": kernel.ldim, "threshold": kernel.threshold_dim}
        assert bounds.lower <= exact[name]() <= bounds.upper


ADULT = ls.Schema.from_toml("examples/adult/schema.toml")
LARGE = [
    schema([("n", 3)] * 5), schema([("c", 3)] * 5), schema([("n", 1)] * 5),
    schema([("n", 8), ("c", 8), ("n", 2), ("c", 2), ("c", 4)]), schema([("c", 16)] * 2),
    schema([("n", 500), ("c", 16)]), schema([("c", 16)]), schema([("c", 1)] * 12), ADULT,
]  # fmt: skip


def near(value):
    return isinstance(value, int) or value.lower <= value.upper <= 2 * value.lower


@pytest.mark.more
@pytest.mark.parametrize("own", LARGE[::-1], ids=lambda s: f"{len(list(s))} columns")
def test_an_answer_or_bounds_within_a_factor_of_two(own):
    found = ls.theory.dimensions(ls.Rules(own, 2))
    for value in vars(found).values():
        assert near(value), found
        if isinstance(value, Bounds):
            assert value.reason
            assert value.witness()


@pytest.mark.more
def test_written_witnesses_are_read_back():
    found = ls.theory.dimensions(ls.Rules(ADULT, 2))
    said = found.vc.witness()
    rows, rules = np.array(said["points"]), [load(each) for each in said["concepts"]]
    patterns = {tuple(rule.predict(rows).tolist()) for rule in rules}
    assert len(patterns) == len(rules) == 2 ** len(rows) == 2**found.vc.lower
    steps = found.threshold.witness()
    rows, rules = np.array(steps["points"]), [load(each) for each in steps["concepts"]]
    table = np.array([rule.predict(rows) for rule in rules])
    assert (table == np.triu(np.ones_like(table))).all()
    assert len(rows) == found.threshold.lower
    assert found.littlestone.witness()["depth"] == 8


@pytest.mark.first(0, 20)
@pytest.mark.parametrize("case", range(60))
def test_random_schemas(case):
    rng = random.Random(case)
    columns = [(rng.choice("nc"), rng.choice([1, 2, 3, 6, 12])) for _ in range(rng.randint(1, 8))]
    k = rng.choice([1, 2, 2, 3])
    check_witnesses(columns, k)
    known = ls.Rules(schema(columns), k).witnessed()
    if k == 2:
        assert all(bounds.upper <= 2 * bounds.lower for bounds in known.values()), (columns, known)
