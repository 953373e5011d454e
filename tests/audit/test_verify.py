"""The verifier itself: right about mechanisms whose loss is known, and hard to deceive."""

import logging
import math
import warnings
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.bounds import realizable
from littlestone.classes import PointHypothesis, ThresholdHypothesis
from littlestone.data import OUTSIDE
from littlestone.learners.base import Learner, Plan
from littlestone.source import ExplicitWeights, HiddenStateError, exp


@dataclass(frozen=True)
class ToyPlan(Plan):
    """The certificate of a finite class."""

    epsilon: Fraction
    alpha: Fraction
    beta: Fraction

    def certificate(self, n):
        return realizable(4, epsilon=self.epsilon, alpha=self.alpha, beta=self.beta, n=n)

    @property
    def required(self):
        return self.certificate(None).n


@dataclass(frozen=True)
class Toy(Learner):
    """A learner made of one function; its claim is a parameter."""

    run: object
    epsilon: Fraction = Fraction(1)
    delta: Fraction = Fraction(0)

    name = estimator = "toy"
    claim = "toy"
    pure, agnostic = False, False
    concept_class = ls.Thresholds(0, 1)
    alpha, beta = Fraction(1, 10), Fraction(1, 20)

    def make_plan(self):
        return ToyPlan(self.epsilon, self.alpha, self.beta)

    def draw(self, sample, source):
        return self.run(sample, source)


def said(bit):
    return ThresholdHypothesis(bit, 0, 1)


def response(epsilon):
    """Randomized response to "is some label 1?"."""

    def run(sample, source):
        truth = int(sample.positives > 0)
        return said(truth ^ source.choose(ExplicitWeights(exp(epsilon), 1)))

    return run


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(1), Fraction(3)])
def test_randomized_response_has_exactly_its_epsilon(epsilon):
    result = ls.audit.verify(Toy(response(epsilon), epsilon), points=[0, 1], n_samples=2)
    assert result.holds
    assert math.isclose(result.tightest_epsilon, epsilon, rel_tol=1e-12)
    less = Fraction(99, 100) * epsilon
    caught = ls.audit.verify(Toy(response(epsilon), less), points=[0, 1], n_samples=2)
    assert not caught.holds
    # the hockey-stick divergence of randomized response, by hand
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    assert math.isclose(caught.worst_delta, p - math.exp(less) * (1 - p), rel_tol=1e-9)


def test_delta_is_found_exactly():
    """Names the truth with probability 1/1000, else says nothing: (0, 1/1000), nothing less."""

    def leak(sample, source):
        if source.choose(ExplicitWeights(1, 999)) == 0:
            return said(int(sample.positives > 0))
        return said(-1)

    claim = Fraction(1, 1000)
    assert ls.audit.verify(Toy(leak, Fraction(1), claim), points=[0], n_samples=2).holds
    caught = ls.audit.verify(Toy(leak, Fraction(1), claim * 99 / 100), points=[0], n_samples=2)
    assert not caught.holds
    assert math.isclose(caught.worst_delta, 1e-3, rel_tol=1e-12)


def test_sizes_against_brute_force():
    kinds = list(product([0, 1], [0, 1]))
    lists = list(product(kinds, repeat=3))
    pairs = sum(
        sum(a != b for a, b in zip(left, right, strict=True)) == 1
        for left in lists
        for right in lists
    )
    result = ls.audit.verify(Toy(response(1)), points=[0, 1, 1], n_samples=3)
    assert (result.datasets, result.pairs) == (len(lists), pairs)
    wider = ls.audit.verify(Toy(response(1)), points=[0, 1], n_samples=2, outside=True)
    assert wider.datasets == 36


@pytest.mark.more
def test_loops_without_a_bound_leave_slack():
    def forever(sample, source):
        while source.choose(ExplicitWeights(1, 1)):
            pass
        return said(0)

    result = ls.audit.verify(Toy(forever), points=[0], n_samples=1)
    assert result.holds
    assert 0 < result.slack <= 2**-79


def test_a_view_that_leaks_is_caught():
    """An observer, a message and an attribute are outputs like the hypothesis."""

    def constant(sample, source):
        return said(0)

    assert ls.audit.verify(Toy(constant), points=[0, 1], n_samples=2).holds
    seen = []

    def remembers(sample, source):
        seen.append(sample.positives)
        return said(0)

    caught = ls.audit.verify(
        Toy(remembers), points=[0], n_samples=2, observers=[lambda release: f"page {seen[-1]}"]
    )
    assert not caught.holds

    def speaks(sample, source):
        raise ls.errors.DataError(f"There are {sample.positives} positives.")

    caught = ls.audit.verify(Toy(speaks), points=[0], n_samples=2)
    assert not caught.holds
    assert caught.refusals == 3
    assert "3 data sets may be refused" in str(caught)

    def crashes(sample, source):
        return said(1 // sample.positives)

    assert not ls.audit.verify(Toy(crashes), points=[0], n_samples=2).holds

    def carries(sample, source):  # equal keys, but the words differ
        hypothesis = PointHypothesis(0)
        object.__setattr__(hypothesis, "describe", lambda: f"{sample.positives}")
        return hypothesis

    assert not ls.audit.verify(Toy(carries), points=[0], n_samples=1).holds


def test_public_coins_must_not_depend_on_the_data():
    def public(sample, source):
        return said(int(source.public_rng().integers(2)))

    result = ls.audit.verify(Toy(public), points=[0], n_samples=1, public_seeds=range(4))
    assert result.holds

    def chosen_by_data(sample, source):
        rng = source.public_rng()
        draws = rng.integers(2, size=8)
        return said(int(draws[sample.positives]))

    caught = ls.audit.verify(Toy(chosen_by_data), points=[0], n_samples=2, public_seeds=range(4))
    assert not caught.holds


@pytest.mark.parametrize("kind", ["weights", "outputs"])
def test_hidden_state_is_refused(kind):
    calls = []

    def stateful(sample, source):
        calls.append(0)
        if kind == "weights":
            return said(source.choose(ExplicitWeights(1, len(calls))))
        source.choose(ExplicitWeights(1, 1))
        return said(len(calls))

    with pytest.raises(HiddenStateError):
        ls.audit.verify(Toy(stateful), points=[0], n_samples=1)


def test_output_distribution_is_a_law():
    learner = ls.AgnosticLearner(ls.Intervals(1, 3), epsilon=2.0)
    law = ls.audit.output_distribution(learner, [1, 2, 3], [0, 1, 0])
    assert len(law) == 7
    assert sum(low for low, _ in law.values()) <= 1 <= sum(high for _, high in law.values())
    points = np.array([1, 2, 3])
    best = max(law, key=lambda h: law[h])
    assert best.predict(points).tolist() == [0, 1, 0]


def test_bad_arguments():
    good = ls.GenericLearner(ls.Thresholds(0, 1), epsilon=1)
    with pytest.raises(ls.errors.ParameterError, match="'points'"):
        ls.audit.verify(good, points=[])
    with pytest.raises(ls.errors.ParameterError, match="'n_samples'"):
        ls.audit.verify(good, points=[0], n_samples=0)
    with pytest.raises(ls.errors.ParameterError, match="'learner'"):
        ls.audit.verify("learner", points=[0])
    assert OUTSIDE is not None


def remembering():
    class Remembers(Toy):
        """Answers every data set as it answered the first one."""

        def draw(self, sample, source):
            if "first" not in vars(self):
                object.__setattr__(self, "first", sample.positives)
            return said(min(self.first, 1))

    return Remembers(None)


def printing(sample, source):
    print(f"{sample.positives} positives")
    return said(0)


def warning(sample, source):
    warnings.warn(f"{sample.positives} positives", stacklevel=1)
    return said(0)


def logging_it(sample, source):
    logging.getLogger("toy").warning("%s positives", sample.positives)
    return said(0)


def chained(sample, source):
    try:
        raise KeyError(sample.positives)
    except KeyError:
        raise ValueError("refused")  # noqa: B904


def noted(sample, source):
    refusal = ValueError("refused")
    refusal.add_note(f"{sample.positives} positives")
    raise refusal


def attached(sample, source):
    refusal = ValueError("refused")
    refusal.data = sample
    raise refusal


def smuggled(sample, source):
    hypothesis = PointHypothesis(0)
    object.__setattr__(hypothesis, "sample", sample)
    return hypothesis


@pytest.mark.parametrize(
    "leak",
    [printing, warning, logging_it, chained, noted, attached, smuggled, remembering],
    ids=lambda leak: leak.__name__,
)
def test_leaks_beside_the_hypothesis_are_caught(leak, capsys):
    toy = leak() if leak is remembering else Toy(leak)
    assert not ls.audit.verify(toy, points=[0], n_samples=2).holds
    assert capsys.readouterr().out == ""


@pytest.mark.first(1)
@pytest.mark.parametrize("epsilon", [20, 40, 200])
def test_large_epsilons_are_not_cut(epsilon):
    learner = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=epsilon)
    assert ls.audit.verify(learner, points=[1, 2], n_samples=3).holds


@pytest.mark.full  # a minute; boosted trees are verified with their evaluation in group more
def test_an_evaluation_is_verified_with_the_hypothesis():
    learner = ls.GenericLearner(ls.Thresholds(1, 2), epsilon=1)
    result = ls.audit.verify(learner, points=[1], n_samples=1, evaluate="1/2")
    assert result.holds
    assert result.epsilon == 1
    assert result.tightest_epsilon > 0.7


def test_a_learner_that_refuses_everything_is_not_verified():
    def refuses(sample, source):
        raise ls.errors.DataError("No.")

    with pytest.raises(ls.errors.UnsupportedError, match="nothing to verify"):
        ls.audit.verify(Toy(refuses), points=[0], n_samples=2)


def test_an_enormous_epsilon_is_refused_before_anything_is_computed():
    learner = ls.AgnosticLearner(ls.Thresholds(1, 3), epsilon="1e30")
    with pytest.raises(ls.errors.ParameterError, match="at most 100,000"):
        ls.audit.verify(learner, points=[1], n_samples=1)
