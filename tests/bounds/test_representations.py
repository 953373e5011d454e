"""Hashed representations: the search is good, the certificates are right whatever it finds."""

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

from littlestone.bounds import (
    POINTS,
    HashFamily,
    best_hashing,
    best_representation,
    realizable_from,
    recheck,
    sparse_sets,
)
from littlestone.errors import ParameterError

PAR = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}


def layered(found, n):
    """The bound again, in 40 digits, from its definition."""
    with mpmath.workdps(40):
        epsilon, alpha = mpmath.mpf(str(float(found.epsilon))), mpmath.mpf(str(float(found.alpha)))
        earlier_fail, total = mpmath.mpf(0), mpmath.mpf(0)
        beyond = mpmath.mpf(1)  # probability that the best candidate is farther than the last cut
        for cut in found.cuts:
            c = mpmath.mpf(cut.numerator) / cut.denominator
            if found.agnostic:
                tilt = min(epsilon / 2, mpmath.atanh(alpha - c))
                factor = mpmath.cosh(tilt) - (alpha - c) * mpmath.sinh(tilt)
            else:
                tilt = min(epsilon / 2, mpmath.log(alpha / c) / 2)
                factor = 1 - alpha * (1 - mpmath.exp(-tilt)) + c * (mpmath.exp(tilt) - 1)
            fail = min(1, (found.size - 1) * factor**n)
            total += (fail - earlier_fail) * beyond
            rate = mpmath.mpf(found.collision.numerator) / found.collision.denominator
            beyond = min(1, rate / c) ** found.copies
            earlier_fail = fail
        return total + (1 - earlier_fail) * beyond


@pytest.mark.parametrize("agnostic", [False, True])
@pytest.mark.parametrize("family", [POINTS, sparse_sets(3)])
def test_certificates_again(family, agnostic):
    found = best_hashing(family, **PAR, agnostic=agnostic)
    n = found.required_samples()
    assert layered(found, n) <= 0.05 < layered(found, n - 1)
    assert found.certificate(n)["failure"] == pytest.approx(float(layered(found, n)), rel=1e-12)
    assert recheck(found.certificate(n)) == ()
    assert found.size == family.candidates(found.buckets) * found.copies + 1


def test_points_need_fewer_than_the_target():
    """One Markov cut with rough parameters needs 315; the best cut 301; layers 276."""
    found = best_hashing(POINTS, **PAR)
    assert found.required_samples() <= 280
    assert best_hashing(POINTS, **PAR, agnostic=True).required_samples() <= 2_300
    assert best_hashing(POINTS, **PAR, powers_of_two=True).required_samples() <= 282
    buckets = best_hashing(POINTS, **PAR, powers_of_two=True).buckets
    assert buckets & (buckets - 1) == 0


def test_one_cut_is_markov():
    found = best_hashing(POINTS, **PAR)
    cut = Fraction(1, 120)
    single = replace(found, cuts=(cut,))
    n = single.required_samples()
    beta1 = float(found.collision / cut) ** found.copies
    bound = realizable_from(found.size, **PAR, alpha1=cut, beta1=Fraction(beta1)).n
    assert found.required_samples() < n <= bound
    agnostic = replace(best_hashing(POINTS, **PAR, agnostic=True), cuts=(cut,))
    beta1 = float(agnostic.collision / cut) ** agnostic.copies
    # the union bound over one representation, with Chernoff's inequality
    alpha, beta = 0.1 - float(cut), 0.05 - beta1
    rate = min(1 / 2, math.atanh(alpha))
    decay = -math.log(math.cosh(rate) - alpha * math.sinh(rate))
    assert agnostic.required_samples() <= math.ceil(math.log(agnostic.size / beta) / decay)


def test_no_neighbouring_choice_is_much_better():
    found = best_hashing(POINTS, **PAR)
    n = found.required_samples()
    for copies in (2, 3, 4, 5):
        for factor in (0.5, 0.7, 1, 1.5, 2):
            buckets = round(found.buckets * factor)
            other = replace(
                found, buckets=buckets, copies=copies, size=buckets * copies + 1,
                collision=Fraction(1, buckets),
            )  # fmt: skip
            assert not other.certificate(n - 2).holds


def test_monotone():
    def size(**change):
        return best_hashing(POINTS, **PAR | change).required_samples()

    base = size()
    assert size(epsilon=2) < base < size(epsilon=0.5)
    assert size(alpha=0.2) < base < size(alpha=0.05)
    assert size(beta=0.1) < base < size(beta=0.01)
    assert base < best_hashing(POINTS, **PAR, agnostic=True).required_samples()
    sizes = [best_hashing(sparse_sets(k), **PAR).required_samples() for k in (1, 2, 5)]
    assert sizes == sorted(sizes)
    assert abs(sizes[0] - base) <= 1


@pytest.mark.parametrize(
    ("epsilon", "alpha", "beta"),
    [(0.01, 0.1, 0.05), (10, 0.01, 1e-6), (0.1, 0.001, 1e-9), (1, 0.9, 0.9), (100, 0.5, 0.5)],
)
def test_extreme_parameters(epsilon, alpha, beta):
    found = best_hashing(POINTS, epsilon=epsilon, alpha=alpha, beta=beta)
    n = found.required_samples()
    assert found.certificate(n).holds
    assert not found.certificate(n - 1).holds


def copies_of_points(alpha1, beta1):
    return math.ceil(math.log2(1 / beta1)) * math.ceil(2 / alpha1) + 1


@pytest.mark.more
def test_size_as_a_function():
    plain = best_representation(copies_of_points, **PAR)
    noisy = best_representation(copies_of_points, **PAR, agnostic=True)
    assert plain.n <= 315
    assert plain.n < noisy.n <= 2_600
    assert recheck(plain) == () == recheck(noisy)


def test_hopeless_families_are_refused():
    stuck = HashFamily(candidates=lambda buckets: buckets, collision=lambda buckets: Fraction(1))
    with pytest.raises(ParameterError, match="best_hashing"):
        best_hashing(stuck, **PAR)
    with pytest.raises(ParameterError, match="alpha"):
        best_hashing(POINTS, epsilon=1, alpha=2, beta=0.1)
