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
from littlestone.data import Sample, Schema
from littlestone.errors import UnsupportedError
from littlestone.evaluation import histogram
from littlestone.learners import running
from littlestone.learners.boosting import Boosting, learner
from littlestone.learners.boosting import rounds as rounds_of
from littlestone.learners.boosting.losses import Logistic, Votes
from littlestone.privacy import compose
from littlestone.source import ExactSource, SeededSource

ONE = Schema.from_dict({"city": {"categories": ["Bonn"]}})  # 1 split
EDGE = Schema.from_dict({"age": {"bins": [30]}})  # 2 splits
BONN, OTHER = (2,), (1,)
LOW, HIGH = (2,), (3,)
EPSILON = Fraction(3, 2)


def boosting(schema=ONE, depth=1, rounds=2, **parameters):
    """Return a learner with a loud step, so that weights differ after one round."""
    parameters = {"epsilon": EPSILON, "step": 2, **parameters}
    return Boosting(BoostedTreeClass(schema, depth, rounds), **parameters)


@pytest.mark.first(1, 4)
@pytest.mark.parametrize(
    ("schema", "points", "depth", "rounds", "n"),
    [
        (ONE, [BONN, OTHER], 1, 2, 2),
        (ONE, [BONN, OTHER], 2, 1, 2),
        (ONE, [BONN, OTHER], 1, 3, 1),
        (EDGE, [LOW, HIGH], 1, 2, 1),
        *((ONE, [OTHER, BONN], *own) for own in ((1, 2, 4), (1, 3, 3), (2, 2, 2), (2, 3, 1))),
        (EDGE, [OTHER, LOW], 1, 3, 2),
    ],
    ids=str,
)
def test_every_data_set(schema, points, depth, rounds, n):
    result = verify(boosting(schema, depth, rounds), points=points, n_samples=n)
    assert result.holds
    assert result.slack == 0
    assert 0.3 < result.tightest_epsilon <= EPSILON


@pytest.mark.more
def test_with_a_delta():
    """The claim of composition, (epsilon, delta), against the exact law."""
    result = verify(boosting(delta=Fraction(1, 100)), points=[BONN], n_samples=2)
    assert result.holds
    assert boosting(delta=Fraction(1, 100)).plan.settings(2).round_epsilon > EPSILON / 2


@pytest.mark.more
def test_with_records_outside():
    assert verify(boosting(), points=[BONN], n_samples=2, outside=True).holds


def test_with_the_count_of_label_1(monkeypatch):
    """The start costs its own part of epsilon."""
    monkeypatch.setattr(learner, "_COUNT_FROM", 0)
    learner._settings.cache_clear()
    monkeypatch.setattr(learner, "_COUNT_SHARE", Fraction(1, 6))
    boosted = boosting(rounds=1, step=Fraction(1, 10))
    assert boosted.plan.settings(2).count_epsilon == EPSILON / 3
    assert verify(boosted, points=[BONN], n_samples=2).holds
    monkeypatch.setattr(learner, "private_count", lambda count, n, **_: _Exactly(count))
    assert not verify(boosted, points=[BONN], n_samples=2).holds
    learner._settings.cache_clear()


class _Exactly:
    def __init__(self, value):
        self.value = value


def of_trees_and_histogram(worst_loss, n, evaluate, rounds=2):
    """Return the largest loss of (trees, histogram), as an observer of both sees it."""
    own = running.shares_of(boosting(), evaluate=evaluate).learner(boosting(rounds=rounds))
    kinds = [(point, label) for point in (BONN, OTHER) for label in (0, 1)]
    return worst_loss(own, n, evaluate, kinds, lambda trees, points: trees.margin(points))


@pytest.mark.parametrize(
    ("n", "evaluate"), [(1, Fraction(1, 2)), pytest.param(2, Fraction(1), marks=pytest.mark.more)]
)
def test_trees_and_histogram_together(worst_loss, n, evaluate):
    """All data sets, two rounds and the evaluation: the loss is at most epsilon, and not far."""
    assert 0.6 * EPSILON < of_trees_and_histogram(worst_loss, n, evaluate) <= EPSILON


def test_an_evaluation_with_half_the_noise_is_noticed(worst_loss, monkeypatch):
    true = histogram.histogram_rate
    monkeypatch.setattr(histogram, "histogram_rate", lambda *a, **k: 2 * true(*a, **k))
    assert of_trees_and_histogram(worst_loss, 1, Fraction(1)) > EPSILON


def test_an_evaluation_on_top_is_noticed(worst_loss, monkeypatch):
    """The learner spends all of epsilon, and the evaluation comes on top."""
    monkeypatch.setattr(running.Shares, "learner", lambda shares, learner: learner)
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

    def costs(self, votes, y):
        out = np.rint(self.resolution * np.exp(float(self.step) * (votes - votes[y])))
        return np.where(np.arange(2)[:, None] == y, 0, out).astype(np.int64)

    monkeypatch.setattr(Logistic, "of_label", costs)


def cap_from_the_data(monkeypatch):
    """W is the largest weight of a record instead of that of any row."""
    true = Boosting.round

    def round_(self, votes, place):
        rows, _ = true(self, votes, place)
        counts = np.array([votes.sample.ones[0], votes.sample.zeros[0]])  # an answer is wrong for
        seen = max(rows.entries.weights // counts[rows.entries.labels])
        return rows, self.plan.settings(votes.sample.n).round_epsilon / (2 * int(seen))

    monkeypatch.setattr(Boosting, "round", round_)


def composition_forgotten(monkeypatch):
    """Each round spends all of epsilon."""
    monkeypatch.setattr(learner, "largest_round", lambda epsilon, *rest, **how: epsilon)


def twice_the_rate(monkeypatch):
    """The rate of scores that move one way only."""
    true = rounds_of.draw_tree
    monkeypatch.setattr(
        rounds_of, "draw_tree",
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
    true = Votes._of_label

    def of_label(self, y):
        total = sum(int(true(self, label).weights.sum()) for label in (0, 1))
        part = true(self, y)
        return part._replace(weights=part.weights * 4096 // max(total, 1))

    monkeypatch.setattr(Votes, "_of_label", of_label)


def first_round_free(monkeypatch):
    """The first tree is a best one: a strong start."""
    true = rounds_of.draw_tree

    def draw(rows, depth, rate, source):
        first = (rows.entries.weights % 1024 == 0).all()
        return true(rows, depth, 50 * rate if first else rate, source)

    monkeypatch.setattr(rounds_of, "draw_tree", draw)


@pytest.mark.more
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


@pytest.mark.more
def test_a_cap_from_the_data_is_noticed(monkeypatch):
    """It loses more the more records there are, so a pair of larger data sets shows it."""
    assert loss_of_one_pair(12) <= EPSILON
    cap_from_the_data(monkeypatch)
    assert loss_of_one_pair(12) > 1.5 * EPSILON


def test_weights_of_two_labels_are_those_of_the_logistic_loss():
    """By the formula of the page: sigma(-step z), capped."""
    for step in (Fraction(1, 3), Fraction(2)):
        loss = Logistic(step, 1024)
        z = np.arange(-60, 61)
        gradient = 1 / (1 + np.exp(float(step) * z))
        expected = np.round(1024 * np.minimum(1, 2 * gradient))
        for y in (0, 1):
            votes = np.stack([0 * z, z if y else -z])
            found = loss.of_label(votes, y)
            assert (found[1 - y] == expected).all()
            assert not found[y].any()


@pytest.mark.parametrize(
    ("n", "delta", "share"),
    [
        (399, None, 0),
        (400, None, Fraction(1, 20)),
        (1499, None, Fraction(1, 20)),
        (1500, None, Fraction(1, 40)),
        (400, "1e-6", Fraction(1, 20)),
        (599, "1e-6", Fraction(1, 20)),
        (600, "1e-6", 0),  # then there is a start from all columns
    ],
)
def test_when_label_1_is_counted(n, delta, share):
    boosted = Boosting(BoostedTreeClass(EDGE, 2), epsilon=1, delta=delta)
    settings = boosted.plan.settings(n)
    assert settings.count_epsilon == share
    spent, _ = compose(settings.losses, delta=Fraction(delta or 0))
    assert 0.97 <= spent <= 1
    assert ("count of label 1" in boosted.spending(n)) == bool(share)


def test_what_is_spent_adds_up_to_the_trees_that_are_released():
    boosted = boosting(rounds=2)
    assert list(boosted.spending(4)) == ["2 trees"]
    sample = Sample.of(np.array([BONN, OTHER] * 2), [1, 0] * 2)
    assert len(boosted.draw(sample, SeededSource(0)).trees) == 2


@pytest.mark.more
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
