"""Rows in a store: the counts, the weights and the draws of the plain reading."""

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scenarios import keep_stored

import littlestone as ls
from littlestone.classes import parse_class
from littlestone.classes.decision_trees.concept_class import (
    Splits,
    WeightedRoots,
    WeightedRows,
    rows_of,
)
from littlestone.costs import Costs
from littlestone.data import Sample, Schema
from littlestone.data.read import LARGE, read
from littlestone.data.sample import Batch, CodeTables, Entries, fit_memory, table_bytes
from littlestone.data.stored import Encoded, Stored
from littlestone.learners import registry
from littlestone.learners.running import read_sample, run
from littlestone.source import ExactSource, SeededSource

from .counted import multiset, released

SCHEMA = Schema.from_dict(
    {
        "age": {"bins": [18, 30.5, 60]},
        "city": {"categories": ["Bonn", "Köln"], "missing": ["?"]},
        "code": {"bins": [1, 2], "missing": ["99"]},
        "on": {"categories": ["true", "1"]},
        "day": {"type": "date", "bins": ["2020-01-01"]},
    }
)
AGES = ["17", " 44 ", "30.5", "x", "", None, "NaN", "1e2", "9" * 400, "-0", "44\u2028"]
CITIES = ["Bonn", "bonn", " Köln", "?", "", None, "Ko\u0308ln", "é"]


def table(n, seed=0):
    """Odd cells of every type that is coded batch by batch."""
    rng = np.random.default_rng(seed)

    def some(values, kind=None):
        return pa.array([values[i] for i in rng.integers(0, len(values), n)], kind)

    return pa.table(
        {
            "age": some(AGES, pa.string()),
            "city": some([c if c is None else c.encode() for c in CITIES] + [b"\xff"], pa.binary()),
            "code": some([0.5, 1.0, 2.0, -0.0, 99.0, float("nan"), float("inf"), None]),
            "on": some([True, False, None]),
            "day": some(["2019-12-31", "2020-01-01 10:00", "2020-02-30", None, "x"]),
            "y": some([0, 1, 1, None, 7], pa.int8()),
        }
    )


def coded(plain, schema):
    """A stored sample."""
    return keep_stored(plain, Encoded(schema.n_codes))


@pytest.mark.more
def test_learners_of_rows_ask_for_it():
    """2**20 rows, and one row less; where counts of sets of columns are not enough, none."""
    schema = Schema.from_dict({"age": {"bins": [30]}})
    data = {"age": np.arange(LARGE) % 60, "y": (np.arange(LARGE) % 60 > 29).astype(np.int8)}
    short = {name: column[1:] for name, column in data.items()}
    for name, cls in (
        ("agnostic", ls.Rules(schema)),
        ("generic", ls.DecisionTrees(schema, depth=3)),
        ("boosting", parse_class("boosted_trees(depth=2, rounds=2)", schema)),
        ("boosting", parse_class("scorecard(rounds=2)", schema)),
    ):
        learner = registry.make(name, cls, epsilon=1)
        assert isinstance(read_sample(learner, data, y="y"), Stored)
        assert not isinstance(read_sample(learner, short, y="y"), Stored)
    deep = registry.make("agnostic", ls.DecisionTrees(schema, depth=4), epsilon=1)
    assert not isinstance(read_sample(deep, data, y="y"), Stored)
    for name, cls in (
        ("agnostic", ls.DecisionTrees(schema, depth=1, labels=[0, 1, 2])),
        ("boosting", parse_class("scorecard(rounds=2)", schema, labels=[0, 1, 2])),
    ):
        learner = registry.make(name, cls, epsilon=1)
        assert isinstance(read_sample(learner, data, y="y"), Stored)
        assert not isinstance(read_sample(learner, short, y="y"), Stored)
    wide = Schema.from_dict({f"c{j}": {"integers": [0, 900]} for j in range(3)})
    assert not fit_memory(wide, 3)
    assert fit_memory(wide, 2)
    assert table_bytes(wide.n_codes, 2) == 8 * 2 * 3 * 903**2
    model = ls.AgnosticLearner(ls.DecisionTrees(schema, depth=1), epsilon=1, random_state=3)
    assert model.fit(data, y="y").predict({"age": [20, 40]}).tolist() == [0, 1]


def random_samples(schema, n=300):
    """Labels that follow two columns, and labels by chance; some codes never occur."""
    rng = np.random.default_rng(5)
    rows = np.stack([rng.integers(0, k - (k > 4), n) for k in schema.n_codes], axis=1)
    for labels in ((rows[:, 0] > 2) ^ (rows[:, 1] == 2), rng.random(n) < 0.4):
        plain = Sample.of(rows.astype(np.int16), labels.astype(np.int64))
        yield plain, coded(plain, schema)


LEARNERS = {
    "rules of one": ("agnostic", lambda: ls.Rules(SCHEMA, max_literals=1)),
    "rules of two": ("generic", lambda: ls.Rules(SCHEMA, max_literals=2)),
    "rules of three": ("agnostic", lambda: ls.Rules(SCHEMA, max_literals=3)),
    "stumps": ("agnostic", lambda: ls.DecisionTrees(SCHEMA, depth=1)),
    "trees": ("agnostic", lambda: ls.DecisionTrees(SCHEMA, depth=2)),
    "scorecard": ("boosting", lambda: parse_class("scorecard(rounds=5)", SCHEMA)),
    "boosted": ("boosting", lambda: parse_class("boosted_trees(depth=2, rounds=4)", SCHEMA)),
    "deep trees": ("agnostic", lambda: ls.DecisionTrees(SCHEMA, depth=3)),
    "boosted deep": ("boosting", lambda: parse_class("boosted_trees(depth=3, rounds=3)", SCHEMA)),
}


@pytest.mark.first(1)
@pytest.mark.parametrize("name", LEARNERS)
def test_equal_seeds_learn_equal_hypotheses(name, monkeypatch):
    """Whole releases, and the rows are never brought together."""
    learner_name, cls = LEARNERS[name]
    learner = registry.make(learner_name, cls(), epsilon=2)
    for plain, passed in random_samples(SCHEMA):
        for seed in range(4):
            released(learner, (passed, plain), seed)
        released(learner, (passed, plain), 5, evaluate="1/10")
        released(learner, (passed, plain), 5, evaluate="1/10", holdout="1/4")
        assert "counted" not in vars(passed)
        if learner_name != "boosting":
            costly = registry.make(learner_name, cls(), epsilon=2, costs={0: 1, 1: 7})
            released(costly, (passed, plain), 5)


def listed_samples(schema, k, n=300):
    """Labels that follow two columns, some of them outside the list; and by chance."""
    rng = np.random.default_rng(6)
    rows = np.stack([rng.integers(0, size - (size > 4), n) for size in schema.n_codes], axis=1)
    follow = (rows[:, 0] + rows[:, 1]) % k
    for labels in (np.where(rng.random(n) < 0.1, k, follow), rng.integers(0, k + 1, n)):
        plain = Sample.of(rows.astype(np.int16), labels, labels=k)
        yield plain, coded(plain, schema)


LISTED = {
    "stumps": ("agnostic", lambda k: ls.DecisionTrees(SCHEMA, depth=1, labels=k)),
    "trees": ("generic", lambda k: ls.DecisionTrees(SCHEMA, depth=2, labels=k)),
    "deep trees": ("agnostic", lambda k: ls.DecisionTrees(SCHEMA, depth=3, labels=k)),
    "scorecard": ("boosting", lambda k: parse_class("scorecard(rounds=4)", SCHEMA, labels=k)),
    "boosted": (
        "boosting",
        lambda k: parse_class("boosted_trees(depth=2, rounds=3)", SCHEMA, labels=k),
    ),
}


@pytest.mark.first(1)
@pytest.mark.parametrize("name", LISTED)
@pytest.mark.parametrize("labels", [["a", "b"], [0, 1, 2, 3]], ids=len)
def test_lists_of_labels_learn_the_same(name, labels):
    """Whole releases, with an evaluation, held-out records and costs: never brought together."""
    learner_name, cls = LISTED[name]
    learner = registry.make(learner_name, cls(labels), epsilon=2)
    for plain, passed in listed_samples(SCHEMA, len(labels)):
        for seed, extra in enumerate(
            ({}, {}, {"evaluate": "1/10"}, {"evaluate": "1", "holdout": "1/4"})
        ):
            released(learner, (passed, plain), seed, **extra)
        if learner_name != "boosting":
            codes = range(len(labels))
            pairs = [(y, k) for y in codes for k in codes if y != k]
            costs = {pair: 1 + 2 * i for i, pair in enumerate(pairs)}
            costly = registry.make(learner_name, cls(labels), epsilon=2, costs=costs)
            released(costly, (passed, plain), 5)
        assert "counted" not in vars(passed)


@pytest.mark.more
def test_more_than_255_votes():
    concepts = parse_class("scorecard(rounds=300)", TINY, labels=[0, 1, 2])
    learner = registry.make("boosting", concepts, epsilon=2)
    for plain, passed in listed_samples(TINY, 3, 60):
        released(learner, (passed, plain), 1)


@pytest.mark.parametrize("size", [3, 20, 10**6])
@pytest.mark.parametrize("width", [2, 9])
def test_stored_rows_are_the_sorted_table(size, width, monkeypatch):
    """In batches of any length; rows of one word, and of two; no row is in two batches."""
    monkeypatch.setattr("littlestone.data.stored._COUNTS", size)
    rng = np.random.default_rng(width)
    spans = [4] * 2 if width == 2 else [404] * 9
    codes = rng.integers(0, 2, (200, width)) * (1 if width == 2 else 403)
    labels, n = rng.integers(0, 3, 200), rng.integers(1, 300, 200)
    layout = Encoded(spans)
    columns = [*layout.words(codes), labels, n]
    given = pa.record_batch(columns, names=[*layout.names, "label", "n"])
    costs, outside = Costs.equal(2), np.zeros(3, dtype=np.int64)
    records = Stored.keep(layout, given.schema, [given[:90], given[90:]], costs, outside)
    expected = {}
    for row, label, count in zip(codes.tolist(), labels.tolist(), n.tolist(), strict=True):
        expected.setdefault(tuple(row), [0, 0, 0])[label] += count
    batches = list(records.batches())
    assert (len(batches) > 1) == (size < 200)
    rows = [tuple(row) for batch in batches for row in batch.points.tolist()]
    assert rows == sorted(expected)
    assert [c for batch in batches for c in batch.counts.T.tolist()] == list(
        map(expected.get, rows)
    )
    assert records.by_label.tolist() == [int(n[labels == y].sum()) for y in range(3)]


def test_scores_are_counted_in_passes(tmp_path, monkeypatch, capsys):
    """`littlestone score`: the same released histogram, with and without the file."""
    from littlestone.cli.main import main

    data = table(300)
    pq.write_table(data, tmp_path / "t.parquet")
    for labels in (None, [0, 1, 7]):
        trees = ls.DecisionTrees(SCHEMA, depth=2, labels=labels)
        model = ls.AgnosticLearner(trees, epsilon=1, random_state=0).fit(data, y="y")
        model.release_.save(tmp_path / "m.json")
        told = []
        for large in (1, 10**9):
            monkeypatch.setitem(read.__kwdefaults__, "large", large)
            words = ["score", tmp_path / "m.json", tmp_path / "t.parquet"]
            words += ["--epsilon", "1", "--seed", "1", "--json"]
            assert main(list(map(str, words))) == 0
            told.append(capsys.readouterr().out)
        assert told[0] == told[1]
        assert "evaluation" in told[0]


def test_a_node_has_the_weights_of_its_rows():
    """All nodes of depth 2: equal patterns, totals, and enclosures that meet."""
    splits = Splits(SCHEMA)
    for plain, passed in random_samples(SCHEMA, 40):
        first = [rows_of(splits, sample, 3) for sample in (plain, passed)]
        pairs = [(3, *first)]
        for at in range(0, len(splits), 3):
            sides = [rows.side(at, yes=True) for rows in first]
            pairs.append((2, *sides))
            pairs.append((1, *(side.side(1, yes=False) for side in sides)))
            if at == 3:  # deeper than its tables: one more pass
                pairs.append((3, *sides))
        for depth, *both in pairs:
            assert both[0].totals.tolist() == both[1].totals.tolist()
            here, there = (WeightedRoots(rows, depth, Fraction(1, 7)) for rows in both)
            assert here.members == there.members
            for bits in (96, 200):
                one, other = here.enclose(bits), there.enclose(bits)
                total = [sum(weights) for weights in (one, other)]
                assert all(
                    (a / total[0]).overlaps(b / total[1]) for a, b in zip(one, other, strict=True)
                )


TINY = Schema.from_dict({"a": {"bins": [1]}, "b": {"categories": ["x"]}})


@pytest.mark.more
@pytest.mark.parametrize("depth", [1, 2])
def test_the_law_on_all_data_sets_is_the_one_by_hand(depth):
    """Brute force: every representation weighs exp(-rate * its errors)."""
    from littlestone.classes.decision_trees import Node, TreeHypothesis

    cls, rate = ls.DecisionTrees(TINY, depth=depth), Fraction(1, 2)
    trees = list(cls._trees(depth))
    kinds = list(product([(2, 2), (3, 2), (3, 1)], (0, 1)))

    def answer(tree, row):
        while isinstance(tree, Node):
            yes = tree.split.accepts(TINY.n_codes[tree.split.column])[row[tree.split.column]]
            tree = tree.yes if yes else tree.no
        return tree

    for records in list(combinations_with_replacement(kinds, 2))[:: 1 if depth == 1 else 20]:
        rows = np.array([row for row, _ in records], dtype=np.int16)
        sample = coded(Sample.of(rows, [y for _, y in records]), TINY)
        law = ExactSource().law(lambda s, t=sample: cls.candidates(t).draw(rate, s).key)
        weights = {}
        for tree in trees:
            wrong = sum(answer(tree, row) != y for row, y in records)
            key = TreeHypothesis.of(tree).key
            weights[key] = weights.get(key, 0.0) + np.exp(-float(rate) * wrong)
        total = sum(weights.values())
        found = {key: float(p) for key, p in law.outcomes.items()}
        assert found == pytest.approx({k: w / total for k, w in weights.items()}, rel=1e-9)


def test_tables_are_sums_over_the_rows():
    """By hand: each cell of each table, of all rows and of one side, weighted."""
    rng = np.random.default_rng(3)
    n_codes = (3, 4, 2)
    codes = np.stack([rng.integers(0, k, 50) for k in n_codes])
    labels, weights = rng.integers(0, 2, 50), rng.integers(0, 2**40, 50)
    counts = np.where(np.arange(2)[:, None] == labels, weights, 0)
    parts = [Batch(codes.T[p], counts[:, p]) for p in (slice(0, 9), slice(9, 50))]
    splits = Splits(
        Schema.from_dict({"a": {"bins": [1]}, "b": {"bins": [1, 2]}, "c": {"categories": ["x"]}})
    )
    assert splits.n_codes == (4, 5, 3)
    rows = WeightedRows(splits, Entries(codes, labels, weights))
    tables = CodeTables.of(map(Entries.of, parts), splits.n_codes, 3)
    for size in range(4):
        for chosen in combinations(range(3), size):
            by_hand = np.zeros((2, *(splits.n_codes[j] for j in chosen)))
            np.add.at(by_hand, (labels, *codes[list(chosen)]), weights)
            assert (tables.sums[chosen] == by_hand).all()
    assert len(tables.sums) == 8
    signed = tables.differences().sums[0, 2]
    assert (signed == (tables.sums[0, 2][:1] - tables.sums[0, 2][1:])).all()
    for number in range(len(splits)):
        column, accepts = splits.answers(number, yes=True)
        both = tables.sides(column, np.array([accepts, ~accepts]))
        for yes, at in ((True, slice(0, 2)), (False, slice(2, 4))):
            side = tables.sides(column, (accepts == yes)[None])
            below = rows.side(number, yes=yes)
            counted = CodeTables.of([below.entries], splits.n_codes, 2)
            assert side.sums.keys() == both.sums.keys() == counted.sums.keys()
            for chosen, table in side.sums.items():
                assert (table == counted.sums[chosen]).all()
                assert (table == both.sums[chosen][at]).all()
            assert side.totals.tolist() == below.totals.tolist()


def test_many_codes_take_two_words(monkeypatch):
    monkeypatch.setattr("littlestone.data.stored._COUNTS", 40)
    schema = Schema.from_dict({f"c{j}": {"integers": [0, 400]} for j in range(9)})
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 404, (60, 9)).astype(np.int16)
    plain = Sample.of(np.concatenate([rows, rows]), rng.integers(0, 2, 120))
    passed = coded(plain, schema)
    assert len(passed.layout.names) == 2
    assert len(list(passed.batches())) > 1
    assert multiset(passed) == multiset(plain)
    assert passed.points.tolist() == plain.points.tolist()


def test_counts_beyond_32_bits_stay_whole_numbers():
    """A count that needs 64 bits: unsigned, its products with costs would be floats."""
    most = 2**32 + 1
    rows = np.array([[2, 1], [3, 1]], dtype=np.int16)
    plain = Sample.binary(rows, np.array([most + 1, 0]), np.array([2, 4]))
    sample = coded(plain, TINY)
    costs = Costs.of({0: 2**10 + 1, 1: 1})
    for found, times in ((sample, 1), (sample.cost_weighted(costs), 2**10 + 1)):
        for batch in found.batches():
            assert batch.counts.dtype == np.int64
        assert found.zeros.dtype == found.ones.dtype == np.int64
        assert found.zeros.tolist() == [(most + 1) * times, 0]
        thrice = found.tables(TINY.n_codes, 1, lambda _, b, own=found: own.weighed(b) * np.int64(3))
        assert thrice.totals.tolist() == [3 * found.positives, 3 * (most + 1) * times]
    # and with an evaluation, which would have stopped after the ledger was charged
    learner = ls.AgnosticLearner(ls.DecisionTrees(TINY, depth=1), epsilon=1).to_learner()
    release = run(learner, sample, SeededSource(0), evaluate="0.1")
    assert sum(map(sum, release.evaluation.counts)) > most


@pytest.mark.parametrize("many", [1, 1 << 16])
@pytest.mark.parametrize("order", [1, 2, 3])
def test_tables_of_many_and_of_few_entries_are_sums(monkeypatch, many, order):
    """Against sums row by row: wide sets and kept places, parts with one label for all rows."""
    monkeypatch.setattr("littlestone.data.sample._MANY", many)
    rng = np.random.default_rng(order)
    n_codes, n = (4, 3, 6, 2, 5), 200
    codes = np.stack([rng.integers(0, most, n) for most in n_codes])
    labels, weights, places = rng.integers(0, 2, n), rng.integers(0, 2**40, n), {}
    for weighed in (weights, weights[::-1]):  # places are made, and used again
        parts = [Entries(codes, labels, weighed, places), Entries(codes[:, :9], 1, weighed[:9])]
        found = CodeTables.of(parts, n_codes, order).sums
        joined = Entries.joined(parts)
        assert len(found) == sum(math.comb(5, size) for size in range(order + 1))
        for chosen, table in found.items():
            expected = np.zeros((2, *(n_codes[j] for j in chosen)))
            np.add.at(expected, (joined.labels, *joined.codes[list(chosen)]), joined.weights)
            assert (table == expected).all()
    assert bool(places) == (many == 1)


#: 40 users whose names a float cannot tell apart, and one who is not named.
