"""A drawn tree has exactly the exponential mechanism's law over all representations."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.classes import DecisionTrees
from littlestone.classes.decision_trees.rows import Splits, rows_of
from littlestone.classes.decision_trees.weighted import Candidates, WeightedRoots
from littlestone.data import Schema
from littlestone.source import ball

ONE = Schema.from_dict({"city": {"categories": ["Bonn"]}})  # 1 split
EDGE = Schema.from_dict({"age": {"bins": [30]}})  # 2 splits
TWO = Schema.from_dict({"a": {"categories": ["x"]}, "b": {"categories": ["y"]}})  # 2 splits
MIXED = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})  # 3 splits
WIDE = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
RATES = (Fraction(1, 20), Fraction(1, 2), Fraction(2))


class ByFunction:
    """Candidates whose outcomes are compared as functions on all rows."""

    def __init__(self, brute, schema, candidates):
        self.brute, self.schema, self.candidates = brute, schema, candidates
        self.size, self.known = candidates.size, {}

    def draw(self, rate, source):
        tree = self.candidates.draw(rate, source)
        if tree.key not in self.known:
            self.known[tree.key] = self.brute.function(tree, self.schema)
        return SimpleNamespace(key=self.known[tree.key])


def samples(schema, most=6):
    row = st.tuples(*[st.integers(0, n - 1) for n in schema.n_codes])
    return st.lists(st.tuples(row, st.integers(0, 1)), max_size=most)


def assert_law(oracle, brute, schema, depth, sample, rate, **options):
    candidates = Candidates(Splits(schema), depth, sample, **options)
    listed = [
        (mask, brute.errors(mask, sample, schema))
        for mask, times in brute.trees(schema, depth).items()
        for _ in range(times)
    ]
    oracle.assert_same_law(ByFunction(brute, schema, candidates), listed, rate)


@pytest.mark.first(2)
@pytest.mark.parametrize(
    ("schema", "depth", "examples"),
    [(WIDE, 1, 25), (EDGE, 2, 10), (TWO, 2, 10), (MIXED, 2, 6), (ONE, 3, 10)],
    ids=["wide-1", "edge-2", "two-2", "mixed-2", "one-3"],
)
def test_law_against_enumeration(oracle, brute, schema, depth, examples):
    @settings(max_examples=examples)
    @given(samples(schema), st.sampled_from(RATES), st.sampled_from([(0, 0), (1, 3)]))
    def check(records, rate, outside):
        sample = brute.rows_sample(schema, records, outside)
        assert_law(oracle, brute, schema, depth, sample, rate)

    check()


def test_law_of_depth_2_by_balls_alone(oracle, brute):
    """Doubles only change the first enclosures, so the law stays what it is."""
    sample = brute.rows_sample(EDGE, [((0,), 1), ((2,), 0), ((2,), 1), ((3,), 1), ((3,), 1)])
    assert_law(oracle, brute, EDGE, 2, sample, Fraction(1, 2), fast=False)


@pytest.mark.full
@pytest.mark.parametrize(("schema", "rate"), [(EDGE, RATES[0]), (TWO, RATES[1]), (EDGE, RATES[2])])
def test_law_of_depth_3_against_enumeration(oracle, brute, schema, rate):
    records = [((0,) * len(schema), 1), ((2,) * len(schema), 0), ((2,) * len(schema), 1)]
    records += [((2,) + (1,) * (len(schema) - 1), 1)] * 2
    sample = brute.rows_sample(schema, records)
    assert_law(oracle, brute, schema, 3, sample, rate)


def enumerated_root_weights(brute, schema, depth, sample, rate):
    """Sum e**(-rate * errors) over all trees with each root, by the definition of an error."""
    base = sample.outside[1]
    known = {}
    for found in brute.roots(schema, depth):
        total = arb(0)
        for mask, times in found.items():
            if mask not in known:
                wrong = brute.errors(mask, sample, schema) - base
                known[mask] = ball(-rate * wrong).exp()
            total += times * known[mask]
        yield total


def assert_root_weights(roots, expected):
    """Compare with the sums over all trees, up to a common factor."""
    total = sum(expected, arb(0))
    assert sorted(m for members in roots.members for m in members) == list(range(len(expected)))
    for bits, accurate in ((96, 40), (192, 180)):
        shown = roots.enclose(bits)
        for members, found in zip(roots.members, shown, strict=True):
            together = sum((expected[m] for m in members), arb(0)) / total
            assert (found / sum(shown, arb(0))).overlaps(together)
            assert found.rel_accuracy_bits() > accurate


@pytest.mark.parametrize(("schema", "depth"), [(WIDE, 1), (WIDE, 2), (MIXED, 3), (TWO, 3)])
@given(data=st.data())
@settings(max_examples=settings.default.max_examples // 10)
def test_each_root_weighs_what_its_trees_weigh_together(brute, schema, depth, data):
    """By doubles first, and by balls."""
    records = data.draw(samples(schema, 12))
    rate = data.draw(st.sampled_from(RATES))
    sample = brute.rows_sample(schema, records)
    with ctx.workprec(240):
        expected = list(enumerated_root_weights(brute, schema, depth, sample, rate))
        assert_root_weights(
            WeightedRoots(rows_of(Splits(schema), sample, depth), depth, rate), expected
        )


def test_depth_4_follows_the_same_recursion(brute):
    sample = brute.rows_sample(TWO, [((2, 0), 1), ((2, 2), 0), ((0, 2), 1), ((1, 1), 0)])
    rate = Fraction(3, 4)
    with ctx.workprec(240):
        expected = list(enumerated_root_weights(brute, TWO, 4, sample, rate))
        roots = WeightedRoots(rows_of(Splits(TWO), sample, 4), 4, rate)
        assert len(roots) == 2
        assert_root_weights(roots, expected)


def test_size_counts_representations(brute):
    for schema, depth in [(ONE, 3), (EDGE, 2), (MIXED, 2), (WIDE, 1), (WIDE, 2), (TWO, 3)]:
        assert DecisionTrees(schema, depth).size == brute.trees(schema, depth).total()


def test_no_records_at_all(oracle, brute):
    empty = brute.rows_sample(MIXED, [], (2, 1))
    assert_law(oracle, brute, MIXED, 1, empty, Fraction(1))
    tree = DecisionTrees(WIDE, 3).candidates(brute.rows_sample(WIDE, []))
    assert tree.size == 256 * 6**7
