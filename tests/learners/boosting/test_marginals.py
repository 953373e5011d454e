"""The start of boosting from all columns: sensitivities, laws, budgets."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from littlestone.audit import all_n, verify
from littlestone.classes import BoostedTreeClass, ScorecardClass
from littlestone.classes.boosted_trees.coefficients import CodePoints
from littlestone.classes.decision_trees.concept_class import Splits, WeightedRows
from littlestone.classes.decision_trees.hypothesis import Node, TreeHypothesis
from littlestone.data import Sample, Schema
from littlestone.errors import ParameterError
from littlestone.learners.boosting import Boosting, learner
from littlestone.learners.boosting import rounds as start
from littlestone.learners.boosting.losses import Logistic, Votes
from littlestone.learners.boosting.rounds import count_noise, counts_of, largest_rho
from littlestone.privacy import Concentrated, Pure, compose
from littlestone.source import SeededSource

ONE = Schema.from_dict({"city": {"categories": ["Bonn"]}})
TWO = Schema.from_dict({"city": {"categories": ["Bonn"]}, "age": {"bins": [30]}})
EPSILON, DELTA = Fraction(3, 2), Fraction(1, 100)


@pytest.fixture
def tiny(monkeypatch):
    """Let the smallest samples have such a start."""
    monkeypatch.setattr(start, "_FROM", 0)
    monkeypatch.setattr(start, "_FROM_EACH", 0)
    monkeypatch.setattr(start, "_CERTAIN", 0)
    learner._settings.cache_clear()
    yield
    learner._settings.cache_clear()


def boosting(schema=ONE, rounds=1, **parameters):
    given = {"epsilon": EPSILON, "delta": DELTA, "step": 2, **parameters}
    return Boosting(BoostedTreeClass(schema, 1, rounds), **given)


def records(schema):
    """Return a sample of each single record."""
    for row in product(*map(range, schema.n_codes)):
        for y in (0, 1):
            yield row, y, Sample.of(np.array([row]), [y])


def test_a_record_moves_two_counts_of_each_column():
    moved = [
        np.concatenate([own.ravel() for own in counts_of(sample, TWO, 2)])
        for _, _, sample in records(TWO)
    ]
    assert all(own.sum() == 2 for own in moved)
    assert max(int(((a - b) ** 2).sum()) for a in moved for b in moved) == 2 * 2
    assert count_noise(Fraction(1, 7), 2) == 2 / Fraction(1, 7)


@pytest.mark.first(2)
@pytest.mark.parametrize("evaluation", [None, Fraction(1, 8)])
@pytest.mark.parametrize("n", [700, 5_000, 200_000])
def test_all_budgets_together_are_epsilon(n, evaluation):
    made = Boosting(BoostedTreeClass(TWO), epsilon=1, delta="1e-6", evaluation=evaluation)
    settings = made.plan.settings(n)
    own = settings.marginals
    assert not settings.count_epsilon
    losses = Counter(settings.losses) + Counter([Pure(evaluation)] if evaluation else [])
    assert losses[Concentrated(own)] == 1
    rho = largest_rho(Fraction(1), Fraction(1, 10**6)) - float(evaluation or 0) ** 2 / 2
    assert float(own) == pytest.approx(rho / 10, rel=1e-4)
    assert 0.85 < compose(losses, delta=Fraction(1, 10**6))[0] <= 1


def coarse(exact, variance, source):
    """Release only on which side of a limit each noisy number is; a noise of normal law."""
    deviation = math.sqrt(float(variance))
    limit, shown = (0.5, (0.0, 1.0)) if deviation < 10**4 else (0.0, (-deviation, deviation))
    found = []
    for value in np.ravel(exact).tolist():
        below = Fraction((1 + math.erf((limit - value) / deviation / 2**0.5)) / 2)
        found.append(shown[source.choose([below, 1 - below])])
    return np.array(found).reshape(np.shape(exact))


@pytest.mark.more
@pytest.mark.parametrize("rounds", [1, 2])
def test_counts_and_rounds_on_every_data_set(tiny, monkeypatch, rounds):
    monkeypatch.setattr(start, "_noisy", coarse)
    result = verify(boosting(rounds=rounds), points=[(2,), (1,)], n_samples=1)
    assert result.holds
    assert result.tightest_epsilon > 0.3


@pytest.mark.more
def test_counts_rounds_and_evaluation_in_one_law(tiny, monkeypatch, largest_leak):
    """All that is released, on all data sets and pairs of neighbours; at epsilon 200 much is."""
    monkeypatch.setattr(start, "_noisy", coarse)
    made = boosting(epsilon=200, step=Fraction(1, 16), evaluation=Fraction(8))
    assert made.plan.settings(1).marginals
    kinds = [((2,), 0), ((2,), 1)]
    assert largest_leak(made, 1, kinds, lambda trees, rows: trees.margin(rows)) <= DELTA


def test_votes_to_begin_with_are_within_their_ends():
    """Over all rows of the schema, at starts of any points."""
    rng = np.random.default_rng(0)
    rows = np.array(list(product(*map(range, TWO.n_codes))))
    for binary in (True, False):
        columns = [rng.normal(size=codes - 1) for codes in TWO.n_codes]
        scores = [
            [scale * own for own in columns] for scale in ((0, 1) if binary else (1, -2, 0.5))
        ]
        base = np.array([0.0, -1.0]) if binary else np.log([0.5, 0.2, 0.3])
        points = start._points(base, scores, Fraction(1, 10), grain=1 + binary, additive=not binary)
        votes = points.votes(rows)
        assert (votes.min(axis=1) >= points.least).all()
        assert (votes.max(axis=1) <= points.most).all()


def test_so_many_votes_to_begin_with_as_a_schema_and_a_step_allow():
    """Costs are those of the definition, and the points can be read back."""
    points = CodePoints((0, 0), ((0, ((0, 90_000), (0, -60_000))),), 1, None, 2)
    rows, loss = np.array([[1], [2]]), Logistic(Fraction(1, 1000), 1000)
    sample = Sample.of(rows, [0, 1])
    votes = Votes(sample, (0, 0), loss, points)
    (batch,) = sample.batches()
    found = votes.costs(0, batch)
    assert found.tolist() == [[0, 1000], [1000, 0]]
    assert CodePoints.read(points.to_dict(), 2) == points


def test_a_step_that_makes_too_many_votes_is_refused_or_has_no_such_start():
    with pytest.raises(ParameterError, match=r"in \[0\.001, 10\]"):
        Boosting(BoostedTreeClass(TWO), epsilon=2, delta="1e-6", step="1/20000")
    wide = Schema.from_dict({f"c{j}": {"bins": [1]} for j in range(41)})
    for step, has in ((Fraction(1, 1000), False), (Fraction(1, 500), True)):
        made = Boosting(ScorecardClass(wide), epsilon=2, delta="1e-6", step=step)
        assert (made.plan.settings(4_000).marginals is not None) == has


def test_log_odds_of_a_rare_label_are_limited():
    """An answer that only the rare label has: the first step of Newton would say 1,000."""
    counts = np.array([[0.0, 999_000.0, 0.0], [0.0, 0.0, 1_000.0]])
    found = start._scores(counts, 1, 0.001, 10**6, 1.0, ONE.columns[0])
    assert np.abs(found).max() < 10


@pytest.mark.more
def test_audit_of_all_n(tiny):
    report = all_n(boosting(TWO), points=[(1, 2), (2, 3)], sizes=(2,))
    assert "counts of columns" in {step.name for step in report.steps}
    assert report.holds


# -- usefulness --


def test_rows_that_one_column_tells_apart_begin_so():
    rng = np.random.default_rng(0)
    rows = np.stack([rng.integers(1, codes, 4_000) for codes in TWO.n_codes], axis=1)
    y = (rng.random(4_000) < np.where(rows[:, 1] == 3, 0.8, 0.2)).astype(int)
    for concepts in (BoostedTreeClass(TWO, 2, 3), ScorecardClass(TWO, 3)):
        made = Boosting(concepts, epsilon=1, delta="1e-6")
        found = made.draw(Sample.of(rows, y), SeededSource(0))
        begun = found.code_points.votes(np.array([[1, 2], [1, 3]]))[1] * float(found.step)
        assert begun[1] > begun[0] + 0.5
        assert found.additive == isinstance(concepts, ScorecardClass)
        assert set(found.margin(rows).tolist()) <= set(found.margins)


def test_several_labels_begin_at_their_columns():
    rng = np.random.default_rng(0)
    rows = np.stack([rng.integers(1, codes, 6_000) for codes in TWO.n_codes], axis=1)
    y = np.where(rng.random(6_000) < 0.7, rows[:, 1] - 1, 0)
    concepts = BoostedTreeClass(TWO, 1, 3, labels=["a", "b", "c"])
    made = Boosting(concepts, epsilon=2, delta="1e-6")
    assert made.plan.settings(6_000).marginals
    found = made.draw(Sample.of(rows, y, labels=3), SeededSource(0))
    assert found.predict(np.array([[1, 2], [1, 3]])).tolist() == [1, 2]


def test_where_there_is_no_such_start():
    for changed, n in (({"delta": None}, 10_000), ({}, 500), ({"epsilon": "1e-6"}, 10**7)):
        made = Boosting(BoostedTreeClass(TWO, 2), **{"epsilon": 1, "delta": "1e-6", **changed})
        assert made.plan.settings(n).marginals is None


def test_more_columns_need_more_records():
    wide = Schema.from_dict({f"c{j}": {"bins": [1]} for j in range(20)})
    made = Boosting(BoostedTreeClass(wide, 1), epsilon=1, delta="1e-6")
    assert made.plan.settings(1_499).marginals is None
    assert made.plan.settings(1_500).marginals is not None


def test_what_answers_cost_records_of_two_labels_is_counted_label_by_label():
    """As the costs of all rows at once say, of rows with both labels, too."""
    rng = np.random.default_rng(0)
    rows, labels = rng.integers(1, 3, (300, 2)), rng.integers(0, 2, 300)
    sample, loss = Sample.of(rows, labels), Logistic(Fraction(1, 3), 1000)
    assert (sample.counts > 0).all(axis=0).any()
    tree = TreeHypothesis.of(Node(TWO.literals()[0], 1, 0))
    votes, whole = Votes(sample, (0, 2), loss), Votes(sample, (0, 2), loss)
    (batch,) = sample.batches()
    whole._labelled = []  # as of a sample that is not in memory
    for place in range(3):
        splits = Splits(TWO)
        found = votes.rows(splits, 2, place)
        costs = whole.costs(0, batch)
        expected = WeightedRows.of(splits, sample.points, costs)
        for order in (1, 2):
            sums, others = found.tables(order).sums, expected.tables(order).sums
            assert all((sums[chosen] == others[chosen]).all() for chosen in others)
        side, other = found.side(0, yes=True), expected.side(0, yes=True)
        assert side.totals.tolist() == other.totals.tolist()
        votes.add(tree, place)
        whole.add(tree, place)
