"""Empirical learners: what drawing with replacement costs, exactly; errors on the given records."""

from dataclasses import replace
from fractions import Fraction as F
from math import comb, exp, expm1, log

import numpy as np
import pytest

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.bounds.tails import clopper_pearson
from littlestone.data import Sample
from littlestone.data.sample import written_out
from littlestone.errors import ParameterError
from littlestone.learners import registry
from littlestone.learners.agnostic import Empirical
from littlestone.learners.agnostic.subsample import ordered_part
from littlestone.source import SecureSource

from .test_exact import Loud, Telling, worst


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("name", "concepts", "options", "rate", "n"),
    [
        ("generic", ls.Thresholds(1, 2), {}, F(3, 4), 3),
        ("generic", ls.theory.FiniteClass([[0, 1], [1, 0]]), {}, F(3, 4), 4),
        ("vc1", ls.Thresholds(1, 2), {"delta": F(1, 20)}, F(3, 4), 3),
    ],
    ids=str,
)
def test_private_on_all_data(name, concepts, options, rate, n):
    points = [0, 1] if isinstance(concepts, ls.theory.FiniteClass) else [1, 2]
    inner = registry.make(name, concepts, epsilon=F(1, 2), **options)
    result = ls.audit.verify(Empirical(inner, rate=rate), points=points, n_samples=n)
    assert result.holds, result
    assert (result.ordered, result.refusals) == (False, 0)
    assert result.tightest_epsilon > 0


def factor(epsilon, m, n):
    """E[e**(k epsilon)] over the number k of copies of one record: a sum over all k."""
    chance = (comb(m, k) * (1 / n) ** k * (1 - 1 / n) ** (m - k) for k in range(m + 1))
    return sum(c * exp(k * epsilon) for k, c in enumerate(chance))


@pytest.mark.parametrize(("m", "n"), [(1, 2), (2, 3)])
def test_the_cost_is_that_of_the_copies(m, n):
    """For records that are each told by randomized response the bound is attained."""
    loud = Loud(2, F(1, 2))
    algorithm = Empirical(loud, F(m, n))
    exact = log(factor(0.5, m, n))
    assert exact <= algorithm.epsilon <= exact * 1.2
    assert worst(algorithm.draw, [0], n, algorithm.epsilon) <= F(1, 2**60)
    assert worst(algorithm.draw, [0], n, F(exact) + F(1, 10**9)) <= F(1, 2**60)
    assert worst(algorithm.draw, [0], n, F(exact) - F(1, 100)) > F(1, 2000)


@pytest.mark.parametrize("make", [Loud, Telling])
def test_the_delta_is_that_of_the_copies(make):
    inner = make(2, F(1, 2), F(1, 10))
    algorithm = Empirical(inner, F(2, 3))
    promise = algorithm.guarantee()
    assert float(promise.delta) == pytest.approx(
        0.1 * expm1(float(promise.epsilon)) / expm1(0.5), rel=1e-12
    )
    found = worst(algorithm.draw, [0], 3, promise.epsilon)
    assert 0 < found <= promise.delta


def test_broken_variants_are_caught():
    """Drawn in public; charged as without replacement; two thirds drawn, one third charged."""
    loud = Loud(2, F(1, 2))
    algorithm = Empirical(loud, F(2, 3))

    def public(sample, source):
        drawn = np.array([source.below(3) for _ in range(2)])
        found = loud.draw(ordered_part(sample, written_out(sample)[drawn]), source)
        return found, tuple(drawn.tolist())

    without = F(log(1 + 2 / 3 * expm1(0.5)))
    third = replace(algorithm, rate=F(1, 3))
    for broken, epsilon in (
        (public, algorithm.epsilon),
        (algorithm.draw, without),
        (algorithm.draw, third.epsilon),
    ):
        assert worst(broken, [0], 3, epsilon) > F(1, 1000)


def test_lemma_15():
    """At 9m the cost is at most the learner's, for every epsilon below 1, with room to spare."""
    for epsilon in (F(1, 100), F(1, 2), F(99, 100)):
        inner = registry.make("vc1", ls.Thresholds(1, 99), epsilon=epsilon, delta=F(1, 10**6))
        made = Empirical(inner)
        promise = made.guarantee()
        assert promise.epsilon <= epsilon
        assert promise.delta <= F(1, 10**6)
        assert made.required_samples() == 9 * inner.required_samples()
        certificate = made.certificate(made.required_samples())
        assert certificate.holds
        assert recheck(certificate.to_dict()) == ()
        assert not made.certificate(made.required_samples() - 1).holds
        assert not any("independent" in text for text in certificate.assumptions)
        assert any("realizable" in text or "target" in text for text in certificate.assumptions)


#: Fixed data sets: records at two points only; a gap that hides a tenth and a bit; all one label.
FIXED = {
    "two points": ([40, 41], [0, 1], [0.5, 0.5]),
    "just above alpha": ([10, 50, 51], [0, 0, 1], [0.45, 0.11, 0.44]),
    "one label": ([7], [1], [1.0]),
}


@pytest.mark.first(2)
@pytest.mark.parametrize("name", FIXED)
def test_the_error_is_small_on_fixed_records(name):
    points, labels, shares = FIXED[name]
    made = Empirical(registry.make("generic", ls.Thresholds(1, 99), epsilon=1), rate="0.58")
    n = made.required_samples()
    counts = [round(share * n) for share in shares]
    counts[0] += n - sum(counts)
    X = np.repeat(points, counts)
    y = np.repeat(labels, counts)
    sample, source = Sample.of(X.tolist(), y.tolist()), SecureSource()
    failures = sum(
        int(np.mean(made.draw(sample, source).predict(X) != y) > 0.1) for _ in range(150)
    )
    assert clopper_pearson(failures, 150, 0.9999)[0] <= 0.05


def test_mistakes_are_taught():
    inner = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=4)
    with pytest.raises(ParameterError, match="'rate' parameter of EmpiricalFromPAC"):
        ls.theory.EmpiricalFromPAC(inner).required_samples()
    with pytest.raises(ParameterError, match="'learner' parameter of EmpiricalFromPAC"):
        ls.theory.EmpiricalFromPAC(3).required_samples()
    learner = ls.theory.EmpiricalFromPAC(
        ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1), random_state=0
    )
    x = np.tile(np.arange(1, 100), 20)
    assert np.mean(learner.fit(x, x > 40).predict(x) == (x > 40)) > 0.9
    assert learner.release_.learner == "empirical:generic"
