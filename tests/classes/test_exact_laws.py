"""Every draw has exactly the exponential mechanism's law over the representations."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.classes import FiniteClass, Intervals, Points, Rules, Thresholds
from littlestone.data import Sample, Schema

RATES = (Fraction(1, 2), Fraction(3, 10), Fraction(2))
EMPTY = Sample.of([], [])


def samples(low: int, high: int):
    """Samples over low .. high and a little beyond, with outside records, possibly empty."""
    record = st.tuples(st.integers(low - 1, high + 1), st.integers(0, 1))
    counts = st.tuples(st.integers(0, 2), st.integers(0, 2))

    def build(records, outside):
        sample = Sample.of([x for x, _ in records], [y for _, y in records])
        return Sample.binary(sample.points, sample.zeros, sample.ones, outside)

    return st.builds(build, st.lists(record, max_size=6), counts)


def by_definition(low: int, high: int, name: str):
    """All concepts of an integer class, as (key, set of points labelled 1)."""
    domain = range(low, high + 1)
    if name == "thresholds":
        for u in range(low - 1, high + 1):
            yield ("threshold", u, low, high), {x for x in domain if x > u}
    if name in ("intervals", "points"):
        yield ("never",), set()
    if name == "intervals":
        for a in domain:
            for b in range(a, high + 1):
                yield ("interval", a, b), set(range(a, b + 1))
    if name == "points":
        for x in domain:
            yield ("point", x), {x}


CLASSES = {"thresholds": Thresholds, "intervals": Intervals, "points": Points}


@pytest.mark.first(1)
@pytest.mark.parametrize("name", CLASSES)
@given(low=st.integers(-3, 3), width=st.integers(0, 5), data=st.data(), rate=st.sampled_from(RATES))
def test_integer_classes(oracle, name, low, width, data, rate):
    high = low + width
    sample = data.draw(samples(low, high))
    concepts = list(by_definition(low, high, name))
    concept_class = CLASSES[name](low, high)
    errors = [(key, oracle.count_errors(lambda x, s=s: x in s, sample)) for key, s in concepts]
    oracle.assert_same_law(concept_class.candidates(sample), errors, rate)
    assert concept_class.size == len(concepts)
    listed = {h.key: concept_class.errors(h, sample) for h in concept_class.concepts()}
    assert listed == dict(errors)


@given(data=st.data(), rate=st.sampled_from(RATES), n_columns=st.integers(1, 4))
def test_finite_classes(oracle, data, rate, n_columns):
    row = st.tuples(*[st.integers(0, 1)] * n_columns)
    rows = data.draw(st.lists(row, min_size=1, max_size=6, unique=True))
    sample = data.draw(samples(0, n_columns - 1))
    errors = [
        (
            ("table", "".join(map(str, row))),
            oracle.count_errors(lambda x, row=row: 0 <= x < n_columns and row[x] == 1, sample),
        )
        for row in rows
    ]
    oracle.assert_same_law(FiniteClass(rows).candidates(sample), errors, rate)


SCHEMA = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
WIDE = Schema.from_dict({"a": {"bins": [0]}, "b": {"categories": ["x"]}, "c": {"bins": [0]}})


def rule_errors(oracle, schema: Schema, k: int, sample: Sample):
    """List (key of the function, errors) for never, always and all sets of at most k literals.

    Written from the words of each literal, not from its codes.
    """
    names = schema.names
    columns = [[column.describe(code) for code in range(column.n_codes)] for column in schema]

    def satisfies(text: str, row: tuple[int, ...]) -> bool:
        name = next(n for n in names if text.startswith(n + " "))
        cell = columns[names.index(name)][row[names.index(name)]]
        test = text[len(name) + 1 :]
        if test.startswith("is not "):
            return cell != f"{name} is {test[7:]}"
        if test.startswith("is "):
            return cell == f"{name} is {test[3:]}"
        if cell.endswith((" is missing", " is other")):
            return False
        value = _some_value(cell, name)
        edge = float(test.split()[1])
        return value >= edge if test.startswith(">=") else value < edge

    literals = [lit.text for lit in schema.literals()]
    everything = list(np.ndindex(*schema.n_codes))
    yield frozenset(), oracle.count_errors(lambda _: False, sample)
    for size in range(k + 1):
        for chosen in combinations(literals, size):

            def accepts(row, chosen=chosen):
                return all(satisfies(text, row) for text in chosen)

            yield frozenset(filter(accepts, everything)), oracle.count_errors(accepts, sample)


def _some_value(cell: str, name: str) -> float:
    """Return a number of a bin that is described in words."""
    parts = cell.split(" ")
    if len(parts) == 5:  # low <= name < high
        return float(parts[0])
    return float(parts[2]) if parts[1] == ">=" else float(parts[2]) - 1


def rows_sample(schema: Schema, records, outside=(0, 0)) -> Sample:
    rows = np.array([row for row, _ in records], dtype=np.int16).reshape(-1, len(schema))
    sample = Sample.of(rows, [y for _, y in records])
    return Sample.binary(sample.points, sample.zeros, sample.ones, outside)


def test_the_oracle_of_literals_reads_all_kinds_of_cells():
    assert _some_value("30 <= age < 60", "age") == 30
    assert _some_value("age >= 60", "age") == 60
    assert _some_value("age < 30", "age") == 29


@pytest.mark.parametrize(("schema", "k"), [(SCHEMA, 1), (SCHEMA, 2), (SCHEMA, 3), (WIDE, 3)])
@given(data=st.data(), rate=st.sampled_from(RATES))
@settings(max_examples=settings.default.max_examples // 10)
def test_rules(oracle, schema, k, data, rate):
    row = st.tuples(*[st.integers(0, n - 1) for n in schema.n_codes])
    records = data.draw(st.lists(st.tuples(row, st.integers(0, 1)), min_size=1, max_size=8))
    sample = rows_sample(schema, records, data.draw(st.sampled_from([(0, 0), (1, 2)])))
    rules = Rules(schema, max_literals=k)
    # Keys are compared as functions: the set of all accepted rows.
    domain = np.array(list(np.ndindex(*schema.n_codes)))
    function = {
        h.key: frozenset(map(tuple, domain[h.predict(domain) == 1].tolist()))
        for h in rules.concepts()
    }
    errors = [(s, wrong) for s, wrong in rule_errors(oracle, schema, k, sample)]
    assert set(function.values()) == {s for s, _ in errors}
    assert len(set(function.values())) == len(function)
    keys = {accepted: key for key, accepted in function.items()}
    oracle.assert_same_law(
        rules.candidates(sample), [(keys[s], wrong) for s, wrong in errors], rate
    )


def test_rules_on_no_rows_and_on_outside_records_only(oracle):
    rules = Rules(SCHEMA, max_literals=1)
    for sample in (EMPTY, Sample.binary(EMPTY.points, EMPTY.zeros, EMPTY.ones, (1, 3))):
        errors = [(h.key, sample.outside[1]) for h in rules.concepts()]
        oracle.assert_same_law(rules.candidates(sample), errors, Fraction(1))


def test_a_repeated_function_counts_once_for_each_of_its_representations(oracle):
    edges = Schema.from_dict({"x": {"bins": [0]}})
    rules = Rules(edges, max_literals=2)  # never, always, x >= 0, x < 0, and both: never again
    assert rules.size == 5
    sample = rows_sample(edges, [((0,), 0)])  # a missing cell: only "always" errs
    law = [(("never",), 0), (("rule",), 1), (("rule", (0, ">=", 3)), 0), (("rule", (0, "<", 3)), 0)]
    oracle.assert_same_law(rules.candidates(sample), [*law, (("never",), 0)], Fraction(1))
