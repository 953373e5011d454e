"""Certificates for public points and hashed representations."""

import math
from dataclasses import replace
from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest

from littlestone.bounds import (
    POINTS,
    HashFamily,
    best_hashing,
    realizable_from,
    recheck,
    sparse_sets,
)
from littlestone.bounds.representations import PublicBound, PublicPoints
from littlestone.bounds.tails import lower_limit
from littlestone.errors import ParameterError, UnsupportedError

# -- Public points: the published table, the tail against simulation, certificates that recheck ----

SAME = (Fraction(1), Fraction(0))


def bound(size, m, s, epsilon=1, *, agnostic=True, shift=SAME):
    points = PublicPoints(m, s)
    return PublicBound(
        size, points, shift, Fraction(epsilon), Fraction(1, 10), Fraction(1, 20), agnostic
    )


def spaces(m, d):
    """Dichotomies of m points in general position by half-spaces of R^d."""
    return 2 * sum(comb(m - 1, i) for i in range(d + 1))


#: Candidates, m, s; agnostic at epsilon 1 and .1, realizable likewise: alpha .1, beta .05.
TABLE = {
    "thresholds, 100": (101, 100, 1, 2398, 2718, 295, 1896),
    "thresholds, 200": (201, 200, 1, 1957, 2447, 240, 1826),
    "intervals": (comb(201, 2) + 1, 200, 2, 3838, 4434, 463, 3155),
    "boxes": (comb(401, 2) ** 2, 400, 4, 7310, 8601, 879, 6194),
    "trees of 3 of 10 features": (16 * 4000**3, 400, 3, 8119, 9786, 980, 7155),
    "trees of 7": (256 * 8000**7, 800, 7, 19139, 23128, 2309, 16917),
    "dichotomies of the plane, 100": (100**2 + 102, 100, 2, 7242, 7300, 1019, 4206),
    "dichotomies of the plane, 200": (200**2 + 202, 200, 2, 4068, 4692, 491, 3335),
    "half-spaces of R^3": (spaces(200, 3), 200, 3, 6736, 7320, 829, 4927),
    "half-spaces of R^5": (spaces(400, 5), 400, 5, 9058, 10385, 1090, 7339),
}


@pytest.mark.first(3)
@pytest.mark.parametrize("name", TABLE)
def test_the_table_within_two_percent(name):
    size, m, s, *needed = TABLE[name]
    for (agnostic, epsilon), published in zip(
        ((True, 1), (True, "1/10"), (False, 1), (False, "1/10")), needed, strict=True
    ):
        found = bound(size, m, s, epsilon, agnostic=agnostic)
        assert found.required_samples() == pytest.approx(published, rel=0.02)


@pytest.mark.parametrize("agnostic", [False, True])
@pytest.mark.parametrize("shift", [SAME, (Fraction(2), Fraction(1, 100))])
def test_certificates_say_the_bound_and_recheck(agnostic, shift):
    found = bound(201, 200, 2, shift=shift, agnostic=agnostic)
    n = found.required_samples()
    assert not found.certificate(n - 1).holds
    certificate = found.certificate(n)
    assert certificate.holds
    assert recheck(certificate.to_dict()) == ()
    assert certificate["failure"] == pytest.approx(float(by_hand(found, n)), rel=1e-9)
    assert certificate.status == ("explicit" if shift == SAME else "conditional")
    said = " ".join(certificate.assumptions)
    assert ("rho" in said) == (shift != SAME)
    assert "alpha1" not in said  # that is proved


def by_hand(found, n):
    """The layers in 30 digits, as an integral of the worst cut over steps."""
    with mpmath.workdps(30):
        alpha, rho, tau = (mpmath.mpf(x.numerator) / x.denominator
                           for x in (found.alpha, *found.shift))  # fmt: skip
        m, s = found.public.points, found.public.basis
        before, total = mpmath.mpf(1), mpmath.mpf(0)
        for cut in found.cuts:
            a = mpmath.mpf(cut.numerator) / cut.denominator
            p = max((a - tau) / rho, mpmath.mpf(0))
            off = sum(mpmath.binomial(m, i) * p**i * (1 - p) ** (m - i) for i in range(s))
            if found.agnostic:
                tilt = min(mpmath.mpf(found.epsilon.numerator) / 2, mpmath.atanh(alpha - a))
                kept = mpmath.cosh(tilt) - (alpha - a) * mpmath.sinh(tilt)
            else:
                tilt = min(mpmath.mpf(found.epsilon.numerator) / 2, mpmath.log(alpha / a) / 2)
                kept = 1 - alpha * (1 - mpmath.exp(-tilt)) + a * (mpmath.exp(tilt) - 1)
            total += (before - off) * min(1, (found.size - 1) * kept**n)
            before = off
        return total + before


LAWS = {
    "independent": lambda rng, n: rng.random((n, 2)),
    "dependent": lambda rng, n: rng.random((n, 1)) + np.array([0, 0.03]),
    "atoms": lambda rng, n: np.floor(20 * rng.random((n, 2))) / 20,
}


@pytest.mark.first(2)
@pytest.mark.parametrize("rank", [1, 3])
@pytest.mark.parametrize("law", LAWS)
def test_snapped_rules_are_off_as_rarely_as_stated(law, rank):
    """The concept is x_0 >= t and not x_1 >= u, its mass computed on many points of the law."""
    rng, m, mass, trials = np.random.default_rng(1), 60, 0.06 * rank, 1500
    fresh = LAWS[law](rng, 4000)
    cuts, far = np.array([0.3, 0.7]), 0
    for _ in range(trials):
        seen = np.sort(LAWS[law](rng, m), axis=0)[rank - 1 :: rank]
        snapped = [
            min([*column[column >= t], np.inf]) for column, t in zip(seen.T, cuts, strict=True)
        ]
        one, other = ((fresh[:, 0] >= t) & (fresh[:, 1] < u) for t, u in (cuts, snapped))
        far += (one != other).mean() > mass + 0.005
    assert lower_limit(far, trials, 1e-3) <= PublicPoints(m, 2 * rank).off(mass)


def test_the_tail_is_attained_by_two_slabs():
    """Comparisons whose slabs are disjoint and open: the bound is no larger than it must be."""
    rng, m, mass, trials = np.random.default_rng(2), 60, 0.06, 4000
    points = rng.random((trials, m))
    first = np.where(points >= 0.0, points, 2).min(axis=1)  # up from 0
    second = np.where(points >= 0.5, points, 1).min(axis=1) - 0.5
    far = (first + second > mass).sum()
    assert far / trials > 0.8 * PublicPoints(m, 2).off(mass)
    assert lower_limit(far, trials, 1e-3) <= PublicPoints(m, 2).off(mass)


def test_too_few_points_are_refused_with_a_number():
    assert [PublicPoints(1, s).least(0.1, 0.05) for s in (1, 2, 3, 7)] == [29, 46, 61, 116]
    with pytest.raises(UnsupportedError, match="20 public points cannot certify"):
        bound(21, 20, 1).required_samples()
    with pytest.raises(UnsupportedError, match="tau must be smaller"):
        bound(201, 200, 1, shift=(Fraction(1), Fraction(1, 10))).required_samples()


@pytest.mark.parametrize("alpha", [Fraction(10061, 10**5), Fraction(1001, 10**4), Fraction(1, 3)])
@pytest.mark.parametrize("agnostic", [False, True])
def test_every_cut_is_below_alpha(alpha, agnostic):
    """Beyond alpha the layers would say what is not proved; rounded up, the last would be there."""
    points = PublicPoints(90, 1)
    found = PublicBound(91, points, SAME, Fraction(1), alpha, Fraction(1, 20), agnostic)
    assert 0 < found.cuts[0] <= found.cuts[-1] < alpha
    assert list(found.cuts) == sorted(found.cuts)


# -- Hashed representations: the search is good, the certificates are right whatever it finds ------

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


@pytest.mark.parametrize(
    ("epsilon", "alpha", "beta"),
    [(0.01, 0.1, 0.05), (10, 0.01, 1e-6), (0.1, 0.001, 1e-9), (1, 0.9, 0.9), (100, 0.5, 0.5)],
)
def test_extreme_parameters(epsilon, alpha, beta):
    found = best_hashing(POINTS, epsilon=epsilon, alpha=alpha, beta=beta)
    n = found.required_samples()
    assert found.certificate(n).holds
    assert not found.certificate(n - 1).holds


def test_hopeless_families_are_refused():
    stuck = HashFamily(candidates=lambda buckets: buckets, collision=lambda buckets: Fraction(1))
    with pytest.raises(ParameterError, match="best_hashing"):
        best_hashing(stuck, **PAR)
    with pytest.raises(ParameterError, match="alpha"):
        best_hashing(POINTS, epsilon=1, alpha=2, beta=0.1)


def test_more_points_of_another_population():
    """rho = 2 with twice the points is off as rarely: spec's figures at m = 60, a = 0.1."""
    off = bound(61, 60, 1, shift=(Fraction(2), Fraction(0))).off
    assert off(0.1) == pytest.approx(0.0461, abs=1e-4)
    assert bound(61, 60, 1).off(0.1) == pytest.approx(0.0018, abs=1e-4)
    assert bound(121, 120, 1, shift=(Fraction(2), Fraction(0))).off(0.1) == pytest.approx(
        bound(61, 60, 1).off(0.1), rel=0.3
    )


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
