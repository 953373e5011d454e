"""Exact verification of boosting: every data set of tiny schemas, every pair of neighbours.

And broken variants, each of which the verification must refuse.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from littlestone.audit import verify
from littlestone.classes import BoostedTreeClass, ScorecardClass
from littlestone.classes.decision_trees.weighted import WeightedRows
from littlestone.data import Sample, Schema
from littlestone.errors import UnsupportedError
from littlestone.evaluation import histogram
from littlestone.learners import running
from littlestone.learners.boosting import Boosting, Settings, learner
from littlestone.source import ExactSource

ONE = Schema.from_dict({"city": {"categories": ["Bonn"]}})  # 1 split
EDGE = Schema.from_dict({"age": {"bins": [30]}})  # 2 splits
BONN, OTHER = (2,), (1,)
LOW, HIGH, MISSING = (2,), (3,), (0,)
EPSILON = Fraction(3, 2)


def boosting(schema=ONE, depth=1, rounds=2, **parameters):
    """Return a learner with a loud step, so that weights differ after one round."""
    parameters = {"epsilon": EPSILON, "step": 2, **parameters}
    return Boosting(BoostedTreeClass(schema, depth, rounds), **parameters)


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("schema", "points", "depth", "rounds", "n"),
    [
        (ONE, [BONN, OTHER], 1, 2, 2),
        (ONE, [BONN, OTHER], 1, 3, 1),
        (ONE, [BONN, OTHER], 2, 1, 2),
        (EDGE, [LOW, HIGH], 1, 2, 1),
    ],
    ids=["rounds-2", "rounds-3", "depth-2", "two-splits"],
)
def test_every_data_set(schema, points, depth, rounds, n):
    result = verify(boosting(schema, depth, rounds), points=points, n_samples=n)
    assert result.holds
    assert result.slack == 0
    assert 0.3 < result.tightest_epsilon <= EPSILON


@pytest.mark.full
@pytest.mark.parametrize(
    ("schema", "depth", "rounds", "n"),
    [(ONE, 1, 2, 4), (ONE, 1, 3, 3), (ONE, 2, 2, 2), (ONE, 2, 3, 1), (EDGE, 1, 3, 2)],
)
def test_every_data_set_of_larger_sizes(schema, depth, rounds, n):
    result = verify(boosting(schema, depth, rounds), points=[(1,), (2,)], n_samples=n)
    assert result.holds
    assert result.slack == 0


def test_with_a_delta():
    """The claim of composition, (epsilon, delta), against the exact law."""
    result = verify(boosting(delta=Fraction(1, 100)), points=[BONN, OTHER], n_samples=2)
    assert result.holds
    assert boosting(delta=Fraction(1, 100)).plan.settings(2).round_epsilon > EPSILON / 2


def test_with_records_outside_and_a_cap_of_one():
    boosted = boosting(cap=1)
    assert verify(boosted, points=[BONN], n_samples=2, outside=True).holds


def test_with_the_count_of_label_1(monkeypatch):
    """The start costs its own part of epsilon."""
    monkeypatch.setattr(learner, "_COUNT_FROM", 0)
    learner._settings.cache_clear()
    monkeypatch.setattr(learner, "_COUNT_SHARE", Fraction(1, 3))
    boosted = boosting(rounds=1, step=Fraction(1, 10))
    assert boosted.plan.settings(2).count_epsilon == EPSILON / 3
    assert verify(boosted, points=[BONN, OTHER], n_samples=2).holds
    monkeypatch.setattr(learner, "private_count", lambda count, n, **_: _Exactly(count))
    assert not verify(boosted, points=[BONN, OTHER], n_samples=2).holds
    learner._settings.cache_clear()


class _Exactly:
    def __init__(self, value):
        self.value = value


def of_trees_and_histogram(worst_loss, n, evaluate, rounds=2):
    """Return the largest loss of (trees, histogram), as an observer of both sees it."""
    own = running.leaving(boosting(rounds=rounds), evaluate)
    kinds = [(point, label) for point in (BONN, OTHER) for label in (0, 1)]
    return worst_loss(own, n, evaluate, kinds, lambda trees, points: trees.margin(points))


@pytest.mark.parametrize(("n", "evaluate"), [(1, Fraction(1, 2)), (2, Fraction(1))])
def test_trees_and_histogram_together(worst_loss, n, evaluate):
    """All data sets, two rounds and the evaluation: the loss is at most epsilon, and not far."""
    assert 0.6 * EPSILON < of_trees_and_histogram(worst_loss, n, evaluate) <= EPSILON


def test_an_evaluation_with_half_the_noise_is_noticed(worst_loss, monkeypatch):
    true = histogram.histogram_rate
    monkeypatch.setattr(histogram, "histogram_rate", lambda *a, **k: 2 * true(*a, **k))
    assert of_trees_and_histogram(worst_loss, 1, Fraction(1)) > EPSILON


def test_an_evaluation_on_top_is_noticed(worst_loss, monkeypatch):
    """The learner spends all of epsilon, and the evaluation comes on top."""
    monkeypatch.setattr(running, "leaving", lambda learner, evaluate: learner)
    assert of_trees_and_histogram(worst_loss, 1, Fraction(1)) > EPSILON


@pytest.mark.full
@pytest.mark.parametrize("holdout", [None, Fraction(1, 2)])
def test_the_whole_release_with_an_evaluation(holdout):
    """As an observer sees it: one tree and the histogram, on the same records or held-out ones."""
    n = 1 if holdout is None else 2
    boosted = boosting(rounds=1)
    result = verify(boosted, points=[BONN], n_samples=n, evaluate=Fraction(1, 2), holdout=holdout)
    assert result.holds
    assert result.epsilon == EPSILON
    assert result.tightest_epsilon > 0.4


# -- broken variants --


def uncapped(monkeypatch):
    """The exponential weights of AdaBoost, at the rate of the cap."""

    def table(self, start):
        reach = abs(start) + self.rounds
        weights = [
            round(self.resolution * math.exp(-self.step * z)) for z in range(-reach, reach + 1)
        ]
        return np.array(weights, dtype=np.int64)

    monkeypatch.setattr(Settings, "table", table)


def cap_from_the_data(monkeypatch):
    """W_t is the largest weight of a record instead of that of any row."""
    of, true, seen = WeightedRows.of, learner.draw_tree, []

    def remembered(splits, sample, zeros, ones):
        counted = [(zeros, sample.zeros), (ones, sample.ones)]
        seen.append(max(int((sums // np.maximum(n, 1)).max(initial=1)) for sums, n in counted))
        return of(splits, sample, zeros, ones)

    def draw(rows, depth, rate, source):
        return true(rows, depth, rate * Fraction(1024, seen[-1]), source)

    monkeypatch.setattr(WeightedRows, "of", staticmethod(remembered))
    monkeypatch.setattr(learner, "draw_tree", draw)


def composition_forgotten(monkeypatch):
    """Each round spends all of epsilon."""
    monkeypatch.setattr(learner, "largest_round", lambda epsilon, *rest: epsilon)


def twice_the_rate(monkeypatch):
    """The rate of scores that move one way only."""
    true = learner.draw_tree
    monkeypatch.setattr(
        learner, "draw_tree",
        lambda rows, depth, rate, source: true(rows, depth, 2 * rate, source),
    )  # fmt: skip


def step_from_the_data(monkeypatch):
    """The released step is the one that suits the labels."""
    true = Boosting.draw

    def draw(self, sample, source):
        ensemble = true(self, sample, source)
        return replace(ensemble, step=Fraction(1 + sample.positives))

    monkeypatch.setattr(Boosting, "draw", draw)


def normalised(monkeypatch):
    """Weights that are divided by their sum."""
    true = WeightedRows.of

    def of(splits, sample, zeros, ones):
        total = max(int(zeros.sum() + ones.sum()), 1)
        return true(splits, sample, zeros * 4096 // total, ones * 4096 // total)

    monkeypatch.setattr(WeightedRows, "of", staticmethod(of))


def first_round_free(monkeypatch):
    """The first tree is a best one: a strong start."""
    true = learner.draw_tree

    def draw(rows, depth, rate, source):
        first = (rows.weights % 1024 == 0).all()
        return true(rows, depth, 50 * rate if first else rate, source)

    monkeypatch.setattr(learner, "draw_tree", draw)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "variant",
    [
        uncapped, composition_forgotten, twice_the_rate, step_from_the_data, normalised,
        first_round_free,
    ],
    ids=lambda variant: variant.__name__,
)  # fmt: skip
def test_broken_variants_are_noticed(monkeypatch, variant):
    learner._settings.cache_clear()
    variant(monkeypatch)
    boosted = Boosting(ScorecardClass(ONE, 2), epsilon=EPSILON, step=4)
    assert not verify(boosted, points=[BONN, OTHER], n_samples=2).holds
    learner._settings.cache_clear()


def loss_of_one_pair(n):
    """Return the exact loss where one of n equal records is replaced by one of the other label."""
    boosted = Boosting(ScorecardClass(ONE, 2), epsilon=EPSILON, step=4)
    laws = []
    for odd in (1, 0):
        sample = Sample.of(np.array([BONN] * n), [1] * (n - 1) + [odd])
        law = ExactSource().law(lambda source, sample=sample: boosted.draw(sample, source))
        laws.append({h: float(p.mid()) for h, p in law.outcomes.items()})
    return max(abs(math.log(laws[0][h] / laws[1][h])) for h in laws[0])


def test_a_cap_from_the_data_is_noticed(monkeypatch):
    """It loses more the more records there are, so a pair of larger data sets shows it."""
    assert loss_of_one_pair(12) <= EPSILON
    cap_from_the_data(monkeypatch)
    assert loss_of_one_pair(12) > 1.5 * EPSILON


@pytest.mark.first(3)
@pytest.mark.parametrize("delta", [None, "1e-6"])
@pytest.mark.parametrize("evaluate", ["0.5", "0.975", "0.98", "0.999"])
def test_an_evaluation_of_nearly_all_leaves_something_for_the_rounds(evaluate, delta):
    """What the count and the rounds cost is a share of what the evaluation leaves."""
    learner = boosting(epsilon=1, delta=delta, evaluation=Fraction(evaluate), rounds=3)
    settings = learner.plan.settings(5_000)
    assert settings.round_epsilon > 0
    left = 1 - Fraction(evaluate)
    assert settings.count_epsilon <= left / 40
    if delta is None:
        assert 3 * settings.round_epsilon + settings.count_epsilon == left


def test_sizes_that_no_draw_could_do_are_refused_before_anything():
    with pytest.raises(UnsupportedError, match="resolution"):
        boosting(resolution=1024).plan.settings(2**43)
    with pytest.raises(UnsupportedError, match="too small"):
        boosting(epsilon="1e-9").plan.settings(1_000)
