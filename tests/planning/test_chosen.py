"""What is planned is what is fitted: the same learner, and its error is as small as promised."""

from fractions import Fraction as F

import pytest
from scipy.stats import binomtest

import littlestone as ls
from littlestone.learners import registry
from littlestone.planning import plan
from littlestone.planning.scenarios import scenarios
from littlestone.source import SeededSource, public_generator

ASKED = {"epsilon": 1, "delta": "1e-6", "alpha": "0.2", "beta": "0.1"}
AUTO = [
    ls.Thresholds(1, 2**20),
    ls.Thresholds(1, 2**4096),
    ls.FiniteClass([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]]),
    ls.Points(),
    ls.Conjunctions(5),
]


@pytest.mark.parametrize("concepts", AUTO, ids=str)
@pytest.mark.parametrize("delta", [None, "1e-6"])
def test_auto_takes_exactly_what_is_chosen(concepts, delta):
    asked = {**ASKED, "delta": delta}
    chosen = plan(concepts, **asked).chosen
    taken = registry.make("auto", concepts, **asked)
    assert taken == chosen.algorithm
    assert taken.required_samples() == chosen.n
    assert taken.guarantee() == chosen.guarantee


def test_auto_takes_exactly_what_is_chosen_for_users():
    for m in (1, 4, 16):
        chosen = plan(ls.Thresholds(1, 999), **ASKED, samples_per_user=m).chosen
        taken = registry.make("auto", ls.Thresholds(1, 999), **ASKED, samples_per_user=m)
        assert taken == chosen.algorithm
        assert taken.required_samples() == chosen.n


def failures(learner, concepts, runs):
    """Count the runs, on every distribution, whose error exceeds alpha at the planned size."""
    candidate = next(c for c in plan(concepts, **ASKED) if c.learner == learner)
    noise = 0.1 if candidate.agnostic else 0.0
    for place, scenario in enumerate(scenarios(concepts, F(1, 5), noise=noise)):
        failed = 0
        for run in range(runs):
            sample = scenario.draw(candidate.n, public_generator(place, run))
            hypothesis = candidate.algorithm.learn(sample, SeededSource(run))
            failed += scenario.excess(hypothesis) > 0.2
        yield failed


def refuted(failed, runs):
    """Whether a failure probability of at most beta = 0.1 can be excluded, at 99.9 %."""
    return binomtest(failed, runs, 0.1, "greater").proportion_ci(0.999, "exact").low > 0.1


MEASURED = [
    ("generic", ls.FiniteClass([[0, 0, 1, 1], [0, 1, 0, 1], [1, 1, 1, 0]])),
    ("agnostic", ls.Points()),
    ("vc1", ls.Points()),
    ("vc1", ls.TreePaths({"a": None, "b": "a", "c": "a", "d": "b"})),
    ("littlestone", ls.SparseSets(2)),
    ("littlestone", ls.Thresholds(1, 2**20)),
]


@pytest.mark.parametrize(("learner", "concepts"), MEASURED, ids=str)
def test_fits_at_the_planned_size_meet_alpha(learner, concepts):
    for failed in failures(learner, concepts, 15):
        assert not refuted(failed, 15)


@pytest.mark.full
@pytest.mark.parametrize(
    ("learner", "concepts"),
    [*MEASURED, ("generic", ls.Intervals(1, 99)), ("agnostic", ls.Conjunctions(4)),
     ("littlestone", ls.Points())],
    ids=str,
)  # fmt: skip
def test_fits_at_the_planned_size_meet_alpha_often(learner, concepts):
    for failed in failures(learner, concepts, 300):
        assert not refuted(failed, 300)
