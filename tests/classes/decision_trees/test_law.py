"""A drawn tree has exactly the exponential mechanism's law over all representations."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.classes import DecisionTrees
from littlestone.classes.decision_trees.concept_class import Candidates, Splits
from littlestone.data import Schema

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


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("schema", "depth", "examples"),
    [(WIDE, 1, 12), (EDGE, 2, 5), (TWO, 2, 10), (MIXED, 2, 6), (ONE, 3, 10)],
    ids=["wide-1", "edge-2", "two-2", "mixed-2", "one-3"],
)
def test_law_against_enumeration(oracle, brute, schema, depth, examples):
    @settings(max_examples=examples)
    @given(samples(schema), st.sampled_from(RATES), st.sampled_from([(0, 0), (1, 3)]))
    def check(records, rate, outside):
        sample = brute.rows_sample(schema, records, outside)
        assert_law(oracle, brute, schema, depth, sample, rate)

    check()


def test_size_counts_representations(brute):
    for schema, depth in [(ONE, 3), (EDGE, 2), (MIXED, 2), (WIDE, 1), (WIDE, 2), (TWO, 3)]:
        assert DecisionTrees(schema, depth).size == brute.trees(schema, depth).total()


def test_no_records_at_all(oracle, brute):
    empty = brute.rows_sample(MIXED, [], (2, 1))
    assert_law(oracle, brute, MIXED, 1, empty, Fraction(1))
    tree = DecisionTrees(WIDE, 3).candidates(brute.rows_sample(WIDE, []))
    assert tree.size == 256 * 6**7
