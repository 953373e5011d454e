"""Learning trees and drawing them by weighted records: exact laws, privacy, the theorem."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import duckdb
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta as beta_law

import littlestone as ls
from littlestone.audit import verify
from littlestone.classes import DecisionTrees
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.classes.decision_trees import concept_class as rows_of_trees
from littlestone.classes.decision_trees import concept_class as weighted
from littlestone.classes.decision_trees.concept_class import (
    Candidates,
    DoublePowers,
    Patterns,
    Splits,
    WeightedRoots,
    WeightedRows,
    draw_tree,
    error_bound,
)
from littlestone.data import RowDomain, Sample, Schema
from littlestone.learners import registry
from littlestone.report import page
from littlestone.source import ReplaySource, SecureSource, SeededSource, ball

from ...prescribed import PrescribedBits

# -- The learner over trees: exact verification, a broken control, the theorem, and the census -----

ADULT = Path(__file__).parents[3] / "examples" / "adult"
EDGE = Schema.from_dict({"age": {"bins": [30]}})
TWO = Schema.from_dict({"a": {"categories": ["x"]}, "b": {"categories": ["y"]}})
#: Census-like columns for the theorem: 9 splits.
THREE = Schema.from_dict(
    {"age": {"bins": [30, 60]}, "sex": {"categories": ["f", "m"]}, "job": {"categories": ["a"]}}
)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("schema", "depth", "points", "n", "epsilon"),
    [
        (EDGE, 1, [(0,), (2,)], 2, "0.3"),
        (TWO, 1, [(2, 2), (2, 0), (0, 2), (0, 0)], 2, "0.3"),
        (EDGE, 1, [(0,), (2,), (3,)], 3, 1),
        (EDGE, 2, [(0,), (2,), (3,)], 1, 1),
        (TWO, 2, [(2, 2), (2, 1)], 2, 3),
    ],
    ids=["small", "two-1", "edge-1", "edge-2", "two-2"],
)
def test_exact_verification(schema, depth, points, n, epsilon):
    """All data sets over the points, all neighbours, everything observable (the page too)."""
    learner = ls.AgnosticLearner(DecisionTrees(schema, depth), epsilon=epsilon)
    observers = (page,) if depth == 1 else ()
    result = verify(learner, points=points, n_samples=n, observers=observers)
    assert result.holds, str(result)
    assert result.slack == result.refusals == 0
    assert result.datasets == (2 * len(points)) ** n
    assert result.tightest_epsilon <= float(learner.to_learner().epsilon) * (1 + 1e-9)


class Greedy(DecisionTrees):
    """A broken control: the root is the best one, without a draw; only the sides are private."""

    def candidates(self, sample):
        class Best(Candidates):
            def draw(self, rate, source):
                roots = []

                class Always:
                    seeded = True

                    def choose(self, weights):
                        if roots or not hasattr(weights, "members"):
                            return source.choose(weights)
                        roots.append(weights)
                        return max(
                            range(len(weights)),
                            key=lambda i: float(weights.enclose(64)[i].mid()),
                        )

                    def below(self, m):
                        return source.below(m)

                return super().draw(rate, Always())

        return Best(self._splits, self.depth, sample)


class Twice(DecisionTrees):
    """A broken control: leaves are drawn at twice the rate, as if they cost nothing."""

    def candidates(self, sample):
        class Doubled(Candidates):
            def draw(self, rate, source):
                return super().draw(2 * rate, source)

        return Doubled(self._splits, self.depth, sample)


@pytest.mark.first(1)
@pytest.mark.parametrize("broken", [Greedy, Twice])
def test_broken_learners_are_caught(broken):
    points = [(2, 2), (2, 0), (0, 2)]
    result = verify(ls.AgnosticLearner(broken(TWO, 1), epsilon=1), points=points, n_samples=2)
    assert result.refusals == 0
    assert not result.holds
    assert result.tightest_epsilon > 1.05


@pytest.mark.more
@pytest.mark.parametrize("depth", [2, 3])
def test_the_certificate_is_met_at_the_planned_n(depth):
    """Failures among repeated fits at the planned n: at most beta, at 99% confidence.

    A hard distribution: an exclusive or under noise, so that the best tree of depth 2 is right on
    80% and every tree that misses a part of it fails.
    """
    alpha, beta, repeats = 0.2, 0.05, 200
    trees = DecisionTrees(THREE, depth)
    algorithm = registry.make("agnostic", trees, epsilon=1, alpha=alpha, beta=beta)
    n = algorithm.required_samples()
    rng = np.random.default_rng(11)
    cells = np.array(list(np.ndindex(3, 2, 3))) + np.array([2, 2, 0])
    truth = (cells[:, 0] >= 3) ^ (cells[:, 1] == 2)
    wrong = np.array([[0.8 if t else 0.2, 0.2 if t else 0.8] for t in truth])  # by answer 0, 1
    failures = 0
    for seed in range(repeats):
        where = rng.integers(0, len(cells), n)
        labels = truth[where] ^ (rng.random(n) < 0.2)
        tree = algorithm.draw(Sample.of(cells[where], labels.astype(int)), SeededSource(seed))
        error = wrong[np.arange(len(cells)), tree.predict(cells)].mean()
        failures += error > 0.2 + alpha
    upper = beta_law.ppf(0.99, failures + 1, repeats - failures)
    assert upper <= beta, (failures, n)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("depth", "epsilon", "least"),
    [
        (2, "0.1", 0.833),
        (2, 1, 0.834),
        pytest.param(3, "0.1", 0.838, marks=pytest.mark.full),
        (3, 1, 0.843),
        pytest.param(4, 1, 0.847, marks=pytest.mark.full),
    ],
)
def test_adult_accuracy(depth, epsilon, least):
    """Trained on adult.data, tested on adult.test; the mean of ten private draws."""
    schema = Schema.from_toml(ADULT / "schema.toml")
    file = str(ADULT / "adult.parquet")
    with duckdb.connect() as connection:
        train, test = (
            Sample.read(
                connection.sql(f"SELECT * FROM '{file}' WHERE split = '{split}'"),
                y="over_50k", domain=RowDomain(schema),
            )
            for split in ("train", "test")
        )  # fmt: skip
    assert (train.n, test.n) == (32_561, 16_281)
    candidates = DecisionTrees(schema, depth).candidates(train)
    rate, source = Fraction(epsilon) / 2, SecureSource()
    errors = [ls.DecisionTrees(schema, depth).errors(candidates.draw(rate, source), test)
              for _ in range(10)]  # fmt: skip
    assert 1 - np.mean(errors) / test.n >= least


# -- A tree drawn by weighted records: its law by enumeration, its doubles by high precision -------

ONE = Schema.from_dict({"city": {"categories": ["Bonn"]}})  # 1 split
MIXED = Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})  # 3 splits
WIDE = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})
LARGE = Schema.from_dict(
    {"a": {"bins": [1, 2, 3, 4]}, "b": {"categories": ["x", "y", "z"]}, "c": {"bins": [0]}}
)
MORE = pytest.mark.more
RATES = (Fraction(1, 5000), Fraction(1, 40), Fraction(2, 7))


def records(schema, most=6):
    row = st.tuples(*[st.integers(0, n - 1) for n in schema.n_codes])
    return st.lists(st.tuples(row, st.integers(0, 1), st.integers(0, 60)), max_size=most)


def rows_of(brute, schema, weighed):
    """Return the rows of records (row, label, weight), and a sample with weights for counts."""
    sample = brute.rows_sample(schema, [(row, label) for row, label, _ in weighed])
    place = {tuple(row): i for i, row in enumerate(sample.points.tolist())}
    sums = np.zeros((2, len(place)), dtype=np.int64)
    for row, label, weight in weighed:
        sums[label, place[row]] += weight
    counted = Sample.binary(sample.points, sums[0], sums[1])
    return WeightedRows.of(Splits(schema), sample.points, sums[::-1]), counted


class ByFunction:
    """Draws of weighted trees, compared as functions on all rows."""

    def __init__(self, brute, schema, rows, depth, fast):
        self.brute, self.schema, self.rows, self.depth, self.fast = brute, schema, rows, depth, fast
        self.size, self.known = brute.trees(schema, depth).total(), {}

    def draw(self, rate, source):
        drawn = draw_tree(self.rows, self.depth, rate, source, fast=self.fast)
        tree = TreeHypothesis.of(drawn)
        if tree.key not in self.known:
            self.known[tree.key] = self.brute.function(tree, self.schema)
        return SimpleNamespace(key=self.known[tree.key])


def assert_law(oracle, brute, schema, depth, weighed, rate, *, fast=True):
    rows, counted = rows_of(brute, schema, weighed)
    listed = [
        (mask, brute.errors(mask, counted, schema))
        for mask, times in brute.trees(schema, depth).items()
        for _ in range(times)
    ]
    oracle.assert_same_law(ByFunction(brute, schema, rows, depth, fast), listed, rate)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("schema", "depth", "examples"),
    [(WIDE, 1, 12), (EDGE, 2, 5), (TWO, 2, 5), (MIXED, 2, 2), (ONE, 3, 3)],
    ids=["wide-1", "edge-2", "two-2", "mixed-2", "one-3"],
)
def test_law_against_enumeration(oracle, brute, schema, depth, examples):
    @settings(max_examples=examples)
    @given(records(schema), st.sampled_from(RATES), st.booleans())
    def check(weighed, rate, fast):
        assert_law(oracle, brute, schema, depth, weighed, rate, fast=fast)

    check()


@pytest.mark.full
@pytest.mark.parametrize("schema", [EDGE, TWO])
def test_law_of_depth_3_against_enumeration(oracle, brute, schema):
    weighed = [((0,) * len(schema), 1, 3), ((2,) * len(schema), 0, 5), ((2,) * len(schema), 1, 7)]
    weighed += [((2,) + (1,) * (len(schema) - 1), 1, 2)]
    assert_law(oracle, brute, schema, 3, weighed, Fraction(1, 4))


def enumerated_root_weights(brute, schema, depth, counted, rate):
    """Sum e**(-rate * cost) over all trees with each root, by the definition of the cost."""
    known = {}
    for found in brute.roots(schema, depth):
        total = arb(0)
        for mask, times in found.items():
            if mask not in known:
                known[mask] = ball(-rate * brute.errors(mask, counted, schema)).exp()
            total += times * known[mask]
        yield total


@pytest.mark.parametrize(
    ("schema", "depth"), [(WIDE, 1), (WIDE, 2), (MIXED, 3), (TWO, 3), (TWO, 4)]
)
@given(data=st.data())
@settings(max_examples=settings.default.max_examples // 20)
def test_each_root_weighs_what_its_trees_weigh_together(brute, schema, depth, data):
    weighed = data.draw(records(schema, 12))
    rate = data.draw(st.sampled_from(RATES))
    rows, counted = rows_of(brute, schema, weighed)
    with ctx.workprec(160):
        expected = list(enumerated_root_weights(brute, schema, depth, counted, rate))
        total = sum(expected, arb(0))
        for fast in (True, False):
            roots = WeightedRoots(rows, depth, rate, fast=fast)
            assert sorted(m for members in roots.members for m in members) == list(
                range(len(expected))
            )
            shown = roots.enclose(96)
            for members, found in zip(roots.members, shown, strict=True):
                together = sum((expected[m] for m in members), arb(0)) / total
                assert (found / sum(shown, arb(0))).overlaps(together)
                assert found.rel_accuracy_bits() > (40 if fast else 90)


def large(n=20_000, seed=0, most=1024):
    """Return many weighted rows with a label that depends on them, and noise."""
    rng = np.random.default_rng(seed)
    points = np.column_stack([rng.integers(0, n_codes, n) for n_codes in LARGE.n_codes])
    labels = ((points[:, 0] > 3) ^ (points[:, 1] == 2) ^ (rng.random(n) < 0.2)).astype(int)
    sample = Sample.of(points, labels)
    factors = [rng.integers(0, most + 1, len(sample.points)) for _ in range(2)]
    costs = np.stack([sample.ones * factors[1], sample.zeros * factors[0]])
    return WeightedRows.of(Splits(LARGE), sample.points, costs)


def of_labels(n, labels):
    """Return many rows with several labels."""
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.integers(0, n_codes, n) for n_codes in LARGE.n_codes])
    codes = (points[:, 0] + (points[:, 1] == 2) + (rng.random(n) < 0.2)) % (labels + 1)
    sample = Sample.of(points, codes, labels=labels)
    return WeightedRows.of(Splits(LARGE), sample.points, sample.answer_costs)


def worst_relative_error(depth, rate, n=20_000, labels=2):
    """Return the largest error of a double, relative to its ball of 200 bits."""
    rows = large(n) if labels == 2 else of_labels(n, labels)
    with ctx.workprec(200):
        fast, truth = (
            WeightedRoots(rows, depth, rate, fast=True)._enclose(96),
            WeightedRoots(rows, depth, rate, fast=False)._enclose(192),
        )
        return max(
            float(abs(arb(f.mid()) / t - 1).upper()) for f, t in zip(fast, truth, strict=True)
        ), len(truth)


@pytest.mark.parametrize(
    ("depth", "rate", "labels"),
    [
        *((depth, rate, 2) for depth in (1, 2, 3) for rate in RATES),
        *((depth, rate, 5) for depth in (1, 2) for rate in RATES[::2]),
        pytest.param(3, RATES[2], 5, marks=MORE),
        pytest.param(4, RATES[1], 2, marks=MORE),
    ],
)
def test_error_bound_against_high_precision(depth, rate, labels):
    worst, patterns = worst_relative_error(depth, rate, 20_000 if depth < 4 else 300, labels)
    bound = error_bound(depth, patterns, labels)
    assert worst < bound / 2  # with space left, as a worst case must have
    assert bound < 2**-43
    assert bound >= error_bound(depth, patterns)


def test_a_table_of_single_precision_leaves_the_bound(monkeypatch):
    """A broken control."""
    exact = DoublePowers.__call__
    monkeypatch.setattr(
        DoublePowers, "__call__",
        lambda self, k: exact(self, k).astype(np.float32).astype(np.float64),
    )  # fmt: skip
    worst, patterns = worst_relative_error(2, RATES[0])
    assert worst > error_bound(2, patterns)


def test_a_table_that_is_not_nearest_is_refused(monkeypatch):
    class Wrong(float):
        def __new__(cls, value):
            return super().__new__(cls, float(arb(value) * (1 + arb(2) ** -40)))

    monkeypatch.setattr(weighted, "float", Wrong, raising=False)
    with pytest.raises(ArithmeticError, match="nearest double"):
        DoublePowers(Fraction(1, 3), 100)


@pytest.mark.parametrize("rate", [Fraction(1, 4), Fraction(1, 100_000), Fraction(709), 10**6])
def test_powers_against_balls_and_zero_beyond_the_table(rate):
    powers = DoublePowers(Fraction(rate), 100)
    rng = np.random.default_rng(0)
    last = int(100 * 694 / (1001 * rate))
    k = np.array([0, *rng.integers(0, last + 1, 200)])
    with ctx.workprec(128):
        for exponent, found in zip(k.tolist(), powers(k).tolist(), strict=True):
            truth = ball(-Fraction(rate) * exponent).exp()
            assert abs(arb(found) - truth) <= truth * arb(14) * arb(2) ** -53  # 2 * 7 u
    assert powers(np.array([4 * last + 10**6, 2**52])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("above", [False, True])
def test_where_doubles_cannot_decide_balls_do(above):
    """U agrees with a boundary between two roots in 80 bits."""
    rows, rate, depth = large(400), Fraction(1, 2000), 2
    plain = WeightedRoots(rows, depth, rate, fast=False)
    with ctx.workprec(300):
        weights = plain.enclose(280)
        total = sum(weights, arb(0))
        for outcome in range(1, len(weights) - 1, 3):
            boundary = sum(weights[: outcome + 1], arb(0)) / total
            cell = int((boundary * 2**128).floor().unique_fmpz()) + (1 if above else -1)
            fast, bits = WeightedRoots(rows, depth, rate), PrescribedBits(Fraction(cell, 2**128))
            assert bits.choose(fast) == outcome + above
            assert sorted(fast._known)[0] == 96  # the doubles were asked first,
            assert len(fast._known) >= 2  # and could not decide
            assert PrescribedBits(bits.u).choose(plain) == outcome + above


@pytest.mark.parametrize("memory", [0, 1 << 27])
@pytest.mark.parametrize("most", [3, 2**40])
def test_sums_by_patterns_are_exact(most, memory, monkeypatch):
    """By hand: of each pattern, of pairs, of triples; column by column where there is no memory."""
    monkeypatch.setattr(rows_of_trees, "_CACHE_BYTES", memory)
    monkeypatch.setattr(rows_of_trees, "_MOST", 4000)  # a few patterns at a time
    rows = large(500, most=most)
    tables = rows.tables(3)
    assert tables.order == (3 if memory else 2)
    patterns, costs = Patterns.of(rows.splits, tables), tables.differences()
    codes, answers, weights, _ = rows.entries
    signed = np.where(answers == 0, weights, -weights)
    yes = []
    for members in patterns.members:
        column, accepts = rows.splits.answers(members[0], yes=True)
        first = np.flatnonzero(np.bincount(codes[column]))[0]
        yes.append(accepts[codes[column]] ^ accepts[first])
    yes = np.array(yes, dtype=np.int64)
    assert patterns.kind == (np.int32 if most == 3 else np.int64)
    assert (patterns.singles(costs) == yes @ signed).all()
    pairs = patterns.pairs(costs)
    assert (pairs == np.einsum("r,sr,tr->st", signed, yes, yes)).all()
    within = list(patterns.within(rows, costs))
    assert [root for root, _ in within] == list(range(len(yes)))
    for root, inside in within:
        assert (inside == np.einsum("r,sr,tr->st", signed * yes[root], yes, yes)).all()
    assert rows.totals.tolist() == [weights[answers == 0].sum(), weights[answers == 1].sum()]


def test_weights_that_doubles_cannot_sum_are_refused():
    with pytest.raises(ValueError, match="2\\*\\*53"):
        WeightedRows.of(Splits(EDGE), np.array([[2], [3]]), np.array([[2**52, 0], [0, 2**52]]))


def test_no_record_at_all_draws_uniformly(oracle, brute):
    assert_law(oracle, brute, MIXED, 1, [], Fraction(1, 3))
    assert_law(oracle, brute, MIXED, 1, [((2, 1), 0, 0)], Fraction(1, 3))


def test_the_law_test_notices_a_weight_too_many(oracle, brute, monkeypatch):
    """A broken variant: records that weigh one more than they should."""
    of = WeightedRows.of

    def heavier(splits, points, costs):
        return of(splits, points, costs + np.array([[0], [1]]) * (costs > 0))

    weighed = [((2,), 0, 3), ((3,), 1, 4)]
    assert_law(oracle, brute, EDGE, 1, weighed, Fraction(1, 3))
    monkeypatch.setattr(WeightedRows, "of", staticmethod(heavier))
    with pytest.raises(AssertionError):
        assert_law(oracle, brute, EDGE, 1, weighed, Fraction(1, 3))


def balls_shown(source):
    """Return what a source was shown: enclosures as (low, high) relative to their sum."""
    out = []
    for view in source.presented:
        if view[0] == "below":
            out.append([view[1]])
            continue
        middles = [mantissa * 2.0**power for mantissa, power, _, _ in view]
        out.append([m / sum(middles) for m in middles])
    return out


class Replayed(ReplaySource):
    """Answers modulo the number of outcomes: the two labels of a leaf may be of one score."""

    def _next(self, m):
        return next(self._choices) % m


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_fast_and_plain_present_the_same_weights(depth):
    """All draws of a tree, with the same answers: enclosures of the same numbers."""
    rows, rate = large(1000), Fraction(1, 3000)
    for seed in range(4):
        answers = np.random.default_rng(seed).integers(0, 2, 40).tolist()
        sources = [Replayed([*answers]) for _ in range(2)]
        trees = []
        for source, fast in zip(sources, (True, False), strict=True):
            source.below = lambda m, source=source: source.presented.append(("below", m)) or 0
            trees.append(draw_tree(rows, depth, rate, source, fast=fast))
        assert trees[0] == trees[1]
        for one, other in zip(*map(balls_shown, sources), strict=True):
            assert one == pytest.approx(other, rel=1e-12)


def test_sides_are_counted_or_summed_alike():
    """What is known of all rows gives the tables of a side without counting again."""
    counted, summed = large(500), large(500)
    summed.tables(3)
    for split in range(len(counted.splits)):
        for yes in (True, False):
            one, other = counted.side(split, yes=yes), summed.side(split, yes=yes)
            assert one.totals.tolist() == other.totals.tolist()
            tables = [side.tables(2).sums for side in (one, other)]
            assert all((tables[0][chosen] == tables[1][chosen]).all() for chosen in tables[1])


@pytest.mark.parametrize("both", [False, True])
def test_points_that_are_at_hand_by_column_give_the_same_tables(both):
    rng = np.random.default_rng(0)
    points = np.stack([rng.integers(0, codes, 300) for codes in LARGE.n_codes], axis=1)
    costs = rng.integers(0, 1000, (2, 300)) * (rng.integers(0, 2, 300) == [[0], [1]])
    costs[:, 0] = [5, 7 * both]  # a point at which both answers cost something
    copied = WeightedRows.of(Splits(LARGE), points, costs)
    at_hand = WeightedRows.of(Splits(LARGE), points, costs, np.ascontiguousarray(points.T))
    for rows, other in ((copied, at_hand), (copied.side(0, yes=True), at_hand.side(0, yes=True))):
        assert (rows.totals == other.totals).all()
        for order in (1, 2, 3):
            one, two = rows.tables(order).sums, other.tables(order).sums
            assert one.keys() == two.keys()
            assert all((one[chosen] == two[chosen]).all() for chosen in one)
