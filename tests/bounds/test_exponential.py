"""Certificates of the exponential mechanism: golden sizes, and the theorems behind them exactly."""

import itertools
import math
import subprocess
import sys
from fractions import Fraction
from fractions import Fraction as F
from math import comb

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from littlestone import bounds
from littlestone.bounds import (
    HashedRepresentation,
    agnostic,
    agnostic_from,
    agnostic_vc,
    losses,
    realizable,
    realizable_from,
    realizable_vc,
)
from littlestone.bounds.certificate import HOPELESS, least_real
from littlestone.bounds.exponential import Line
from littlestone.bounds.tails import (
    at_most_all,
    bias_for,
    clopper_pearson,
    lower_limit,
    upper_limit,
)
from littlestone.bounds.tails import at_most_floats as at_most
from littlestone.errors import ParameterError

from .laws import compositions, failure
from .laws import mistakes as noisy

# -- The tight certificates: golden sizes, another computation of them, and monotonicity -----------

PAR = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}


def test_golden_papers():
    """Sizes worked out by hand from the proofs."""
    lemma = bounds.alon22_lemma29(2**20, **PAR)
    assert lemma.n == math.ceil(720 * math.log(4 * 2**20 / 0.05))
    assert lemma["release"] == pytest.approx(120 * math.log(2 * 2**20 / 0.05))
    assert bounds.consistent_vc(1, alpha=0.1, beta=0.05).n == 291
    assert bounds.consistent_vc(5, alpha=0.1, beta=0.05).n == 1_076
    assert bounds.lwy24_theorem34(2**20, 1, **PAR)["release"] is True


sizes = st.one_of(st.integers(1, 50), st.integers(0, 3000).map(lambda k: 2**k + 1))
rates = st.fractions(Fraction(1, 1000), 20, max_denominator=1000)
shares = st.fractions(Fraction(1, 1000), Fraction(99, 100), max_denominator=1000)


@settings(deadline=None)
@given(sizes, rates, shares, shares)
def test_another_computation(size, epsilon, alpha, beta):
    """mpmath, 50 digits, straight from the printed formulas."""
    with mpmath.workdps(50):

        def real(q):
            return mpmath.mpf(q.numerator) / q.denominator

        e, a, b = real(epsilon), real(alpha), real(beta)
        logarithm = mpmath.log(mpmath.mpf(size - 1) / b) if size > 1 else mpmath.mpf(0)
        plain = logarithm / -mpmath.log(1 - a * (1 - mpmath.exp(-e / 2)))
        tilt = min(e / 2, mpmath.atanh(a))
        noisy = logarithm / -mpmath.log(mpmath.cosh(tilt) - a * mpmath.sinh(tilt))
        expected = (int(mpmath.ceil(plain)), int(mpmath.ceil(noisy)))
    found = (
        realizable(size, epsilon=epsilon, alpha=alpha, beta=beta).n,
        losses(size, epsilon=epsilon, alpha=alpha, beta=beta).n,
    )
    assert found == expected
    assert found[0] <= found[1]


@settings(max_examples=settings.default.max_examples // 3)
@given(sizes, rates, shares, shares)
def test_a_perfect_representation_is_the_class(size, epsilon, alpha, beta):
    given_ = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    assert realizable_from(size, **given_, alpha1=0, beta1=0).n == realizable(size, **given_).n
    near = {"epsilon": 1, "alpha": alpha, "beta": beta}
    assert agnostic_from(7, **near, alpha1=0, beta1=0).n == agnostic(7, **near).n


FAR = {"alpha1": 0.01, "beta1": 0.01}


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        *itertools.product(
            (realizable, agnostic),
            (
                {"size": 0}, {"size": 1.5}, {"size": True}, {"epsilon": 0}, {"epsilon": math.inf},
                {"alpha": 0}, {"alpha": 1}, {"beta": 0}, {"beta": 1}, {"n": -1}, {"n": 1.5},
            ),
        ),
        *itertools.product(
            (realizable_from, agnostic_from),
            (FAR | {"alpha1": 0.1}, FAR | {"beta1": 0.05}, FAR | {"alpha1": -1}),
        ),
    ],
)  # fmt: skip
def test_refusals(make, arguments):
    with pytest.raises(ParameterError):
        make(**{"size": 10, **PAR, **arguments})


@pytest.mark.parametrize("is_agnostic", [False, True])
@pytest.mark.parametrize("exponent", [3, 64, 2**16])
def test_the_better_of_both(is_agnostic, exponent):
    size = 2**exponent + 1
    tight, uniform = (
        (agnostic, bounds.agnostic_vc) if is_agnostic else (realizable, bounds.realizable_vc)
    )
    found = bounds.best_finite(size, vc_dim=1, **PAR, agnostic=is_agnostic)
    assert found.n == min(tight(size, **PAR).n, uniform(size, 1, **PAR).n)
    for n, holds in ((found.n, True), (found.n - 1, False)):
        again = bounds.best_finite(size, vc_dim=1, **PAR, agnostic=is_agnostic, n=n)
        assert again.holds is holds
        assert again.claims == found.claims
    assert bounds.best_finite(size, **PAR, agnostic=is_agnostic) == tight(size, **PAR)
    assert bounds.best_finite(1, vc_dim=0, **PAR, agnostic=is_agnostic).n == 0


def test_hopeless_parameters_are_refused():
    with pytest.raises(ParameterError, match="Raise epsilon or alpha"):
        bounds.agnostic_vc(100, 1, epsilon=1e-40, alpha=0.1, beta=0.05)
    assert realizable(100, epsilon=1e-40, alpha=0.1, beta=0.05).n > 10**40  # exact all the same


# -- The theorems themselves: exact failure probabilities of the exponential mechanism -------------
# Nothing of the library computes the truth here: all count vectors of n records are enumerated,
# the released law is written out, and the probability of a bad release is compared with what the
# certificates promise, for every target and many distributions.


def laws(kinds, steps):
    """A grid on the simplex."""
    return compositions(steps, kinds) / steps


THRESHOLDS = np.array([[x > u for x in range(4)] for u in range(-1, 4)])  # 5 concepts, 4 points
LABELINGS = np.array(list(itertools.product((0, 1), repeat=2)))  # 4 concepts, 2 points


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("epsilon", "alpha", "beta"), [(2, 0.25, 0.3), (0.7, 0.3, 0.4), (8, 0.2, 0.2)]
)
def test_realizable(epsilon, alpha, beta):
    certificate = realizable(len(THRESHOLDS), epsilon=epsilon, alpha=alpha, beta=beta)
    counts, early = compositions(certificate.n, 4), compositions(certificate.n // 3, 4)
    worst, worst_early = 0.0, 0.0
    for target in THRESHOLDS:
        mistakes = (target != THRESHOLDS).astype(int)
        for law in laws(4, 8):
            bad = mistakes @ law > alpha + 1e-9
            worst = max(worst, failure(counts, law, mistakes, epsilon, bad))
            worst_early = max(worst_early, failure(early, law, mistakes, epsilon, bad))
    assert worst <= beta
    assert worst_early > beta  # a third of the records is really not enough


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("epsilon", "alpha", "beta"), [(2, 0.4, 0.3), (0.5, 0.5, 0.3), (9, 0.45, 0.2)]
)
def test_agnostic(epsilon, alpha, beta):
    certificate = agnostic(len(LABELINGS), epsilon=epsilon, alpha=alpha, beta=beta)
    mistakes = noisy(LABELINGS)
    counts, early = compositions(certificate.n, 4), compositions(1, 4)
    worst, worst_early = 0.0, 0.0
    for law in laws(4, 10):
        errors = mistakes @ law
        bad = errors > errors.min() + alpha + 1e-9
        worst = max(worst, failure(counts, law, mistakes, epsilon, bad))
        worst_early = max(worst_early, failure(early, law, mistakes, epsilon, bad))
    assert worst <= beta
    assert worst_early > beta


def test_realizable_bound_is_nearly_reached():
    """One bad candidate: the certified failure is the truth up to a small factor."""
    epsilon, alpha, beta = 1, 0.3, 0.1
    n = realizable(2, epsilon=epsilon, alpha=alpha, beta=beta).n
    counts = compositions(n, 2)
    truth = failure(
        counts, np.array([alpha, 1 - alpha]), np.array([[0, 0], [1, 0]]), epsilon, np.array([0, 1])
    )
    assert beta / 2 < truth <= beta


@pytest.mark.parametrize("alpha1", [0.05, 0.1])
def test_representation_without_the_target(alpha1):
    """Candidates: all but the target; the nearest one is wrong on a region of mass alpha1."""
    epsilon, alpha, beta = 2, 0.4, 0.3
    points = np.array(list(itertools.product((0, 1), repeat=3)))
    for target in ([0, 0, 0], [1, 0, 1]):
        candidates = np.array([c for c in points if list(c) != target])
        mistakes = (candidates != np.array(target)).astype(int)
        n = realizable_from(
            len(candidates), epsilon=epsilon, alpha=alpha, beta=beta, alpha1=alpha1, beta1=0
        ).n
        counts = compositions(n, 3)
        for law in laws(3, 20):
            errors = mistakes @ law
            if errors.min() <= alpha1 + 1e-9:
                bad = errors > alpha + 1e-9
                assert failure(counts, law, mistakes, epsilon, bad) <= beta


def test_agnostic_representation():
    epsilon, alpha, beta, alpha1 = 2, 0.5, 0.3, 0.1
    concepts = LABELINGS
    for left_out in range(4):
        candidates = np.delete(concepts, left_out, axis=0)
        n = agnostic_from(3, epsilon=epsilon, alpha=alpha, beta=beta, alpha1=alpha1, beta1=0).n
        counts = compositions(n, 4)
        everyone, mistakes = noisy(concepts), noisy(candidates)
        for law in laws(4, 10):
            best, errors = (everyone @ law).min(), mistakes @ law
            if errors.min() <= best + alpha1 + 1e-9:
                bad = errors > best + alpha + 1e-9
                assert failure(counts, law, mistakes, epsilon, bad) <= beta


@pytest.mark.parametrize("copies", [1, pytest.param(2, marks=pytest.mark.more)])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_points_by_hashing(copies, noise):
    """Two points, R buckets, all hash functions: the layered bound covers the exact failure."""
    epsilon, alpha, buckets = 3, 0.6, 64
    found = HashedRepresentation(
        Fraction(epsilon), Fraction("0.6"), Fraction("0.3"), noise > 0, buckets, copies,
        copies * buckets + 1, Fraction(1, buckets),
        (Fraction("0.03"), Fraction("0.1"), Fraction("0.2")),
    )  # fmt: skip
    # What a candidate does on the two points: 00, 01, 10, 11; how many of each a copy adds.
    apart, together = np.array([buckets - 2, 1, 1, 0]), np.array([buckets - 1, 0, 0, 1])
    concepts, mistakes = LABELINGS[:3], noisy(LABELINGS)
    for n in (5, 40):
        claimed = found.certificate(n)["failure"]
        assert claimed < 1 or n == 5
        counts, worst = compositions(n, 4 if noise else 2), 0.0
        for share, target in itertools.product((0.1, 0.2, 0.35, 0.5), concepts):
            if noise:
                law = np.array([
                    mass * (noise if y != target[x] else 1 - noise)
                    for x, mass in enumerate((1 - share, share)) for y in (0, 1)
                ])  # fmt: skip
            else:
                law, mistakes = np.array([1 - share, share]), (target != LABELINGS).astype(int)
            errors, total = mistakes @ law, 0.0
            bad = errors > errors[:3].min() + alpha + 1e-9
            for collide in itertools.product((False, True), repeat=copies):
                chance = math.prod(1 / buckets if c else 1 - 1 / buckets for c in collide)
                drawn = np.sum([together if c else apart for c in collide], axis=0)
                drawn[0] += 1  # the empty set, shared by all copies
                total += chance * failure(counts, law, mistakes, epsilon, bad, drawn)
            worst = max(worst, total)
        assert 0 < worst <= claimed


# -- Certificates by uniform convergence: the sums again, and the events behind them exactly -------


def inputs(certificate):
    found = {}
    for step in certificate.steps:
        found |= {k: x for k, x in step.inputs.items() if not hasattr(x, "step")}
    return found


def log_growth(d, n):
    return math.log(sum(math.comb(n, i) for i in range(d + 1)))


def again(certificate, d):
    """The excess, from the proof in docs/certificates.md."""
    x, n = inputs(certificate), certificate.n
    beta = float(certificate.beta)
    log_size = math.log(int(x["size"]) - 1)

    def failing(event):
        return beta * float(x[f"share_{event}"])

    r = (log_size - math.log(failing("release"))) / (float(x["epsilon"]) / 2 * n)
    spread = (math.log(4) + log_growth(d, 2 * n) - math.log(failing("spread"))) / n
    return r + 2 * math.sqrt(r * spread) + 4 * spread


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("exponent", [10, 4000])
def test_sums_again(d, exponent):
    certificate = realizable_vc(2**exponent, d, **PAR)
    excess = again(certificate, d)
    assert excess == pytest.approx(certificate["excess"], rel=1e-9)
    assert 0.099 < excess <= 0.1
    shares = [x for name, x in inputs(certificate).items() if name.startswith("share_")]
    assert 0.99 < sum(shares) <= 1


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("exponent", [10, 4000])
def test_growth_again(d, exponent):
    """The failure of `agnostic_vc`, from the proof in docs/certificates.md, and its least n."""
    certificate = agnostic_vc(2**exponent, d, **PAR)
    x, n = inputs(certificate), certificate.n
    share, r = float(x["share"]), int(x["ghosts"])
    gap, tilt = 0.1 - (1 + 1 / n) / (r + 1), share / 2
    patterns = (math.log(2) + log_growth(d, (r + 1) * n)) / 2
    decay = -math.log(math.cosh(tilt) - gap * math.sinh(tilt))
    log_size = math.log(2**exponent - 1)
    failure = math.exp(share * log_size + patterns - n * decay)
    assert failure == pytest.approx(certificate["failure"], rel=1e-6)
    assert 0.045 < failure <= 0.05
    assert not agnostic_vc(2**exponent, d, **PAR, n=n - 1).holds
    # No share and no number of ghosts that is tried here does much better.
    for other in (share / 2, 0.8 * share, min(1.25 * share, 1)):
        for ghosts in (r // 3, 3 * r):
            a, t = 0.1 - (1 + 1 / n) / (ghosts + 1), other / 2
            fall = n * -math.log(math.cosh(t) - a * math.sinh(t))
            cost = other * log_size + (math.log(2) + log_growth(d, (ghosts + 1) * n)) / 2
            assert cost - fall > math.log(0.05) - 0.3


@pytest.mark.first(1)
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_growth_bound_exactly(noise):
    """E sup over bad thresholds of e**(-l (errors - errors of the best)), over all samples."""
    points, n = 3, 9
    concepts = np.array([[x > u for x in range(points)] for u in range(-1, points)])
    law = np.array([0.5, 0.2, 0.3])
    for target in concepts:
        right = np.where(target, 1 - noise, noise)
        cells = np.concatenate([law * right, law * (1 - right)])  # of (point, label 1), (., 0)
        wrong = np.concatenate([~concepts, concepts], axis=1).astype(int)
        errors = wrong @ cells
        best = int(errors.argmin())
        for alpha in (0.1, 0.19):
            bad = errors > errors[best] + alpha
            for tilt in (0.3, 1.0):
                expected = 0.0
                for counts in compositions(n, len(cells)).tolist():
                    chance = math.factorial(n) * math.prod(
                        p**c / math.factorial(c) for p, c in zip(cells, counts, strict=True)
                    )
                    if chance:
                        mistakes = wrong @ np.array(counts)
                        least = (mistakes - mistakes[best])[bad].min()
                        expected += chance * math.exp(-tilt * least)
                for r in (20, 1000):
                    a = alpha - (1 + 1 / n) / (r + 1)
                    bound = math.sqrt(2 * math.exp(log_growth(1, (r + 1) * n)))
                    assert expected <= bound * (math.cosh(tilt) - a * math.sinh(tilt)) ** n


def test_searches_that_find_nothing_say_so():
    assert least_real(lambda n: False) == HOPELESS
    assert least_real(lambda n: n >= 1000) == pytest.approx(1000, rel=1e-3)


# -- Clopper-Pearson limits: those of scipy, of closed forms, of the definition --------------------


def test_published_intervals():
    """Newcombe, Statistics in Medicine 1998, Table I: the exact method, four places."""
    published = {
        (81, 263): (0.2527, 0.3676),
        (15, 148): (0.0578, 0.1617),
        (0, 20): (0.0000, 0.1684),
        (1, 29): (0.0009, 0.1776),
    }
    for (hits, trials), interval in published.items():
        assert tuple(round(end, 4) for end in clopper_pearson(hits, trials)) == interval


@pytest.mark.parametrize("risk", [0.5, 0.05, 1e-6, 1e-30])
def test_ends_have_closed_forms(risk):
    """No hits: (1 - p)**n = risk. Only hits: p**n = risk. For small risks too."""
    n = 12
    assert upper_limit(0, n, risk) == pytest.approx(-math.expm1(math.log(risk) / n), rel=1e-12)
    assert lower_limit(n, n, risk) == pytest.approx(risk ** (1 / n), rel=1e-12)
    assert lower_limit(0, n, risk) == 0
    assert upper_limit(n, n, risk) == 1


def test_counts_of_any_size():
    """With many trials the interval is that of the normal law; 3 misses stay 3 misses."""
    n = 2**80
    low, high = clopper_pearson(n // 2, n)
    half = stats.norm.ppf(0.975) / 2**41
    assert low - 0.5 == pytest.approx(-half, rel=1e-3)
    assert high - 0.5 == pytest.approx(half, rel=1e-3)
    missed = upper_limit(3, n, 0.05) * n
    assert missed == pytest.approx(stats.chi2.isf(0.05, 8) / 2, rel=1e-9)  # Poisson limit


def test_importing_it_loads_no_scipy():
    code = "import sys, littlestone.bounds.tails; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# -- floats that searches rely on, against exact sums, the certificates' own lines, and SciPy ------


@given(st.integers(1, 300), st.fractions(F(1, 100), F(99, 100), max_denominator=100), st.data())
def test_binomial_tails(n, p, data):
    k = data.draw(st.integers(0, n - 1))
    exact = sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))
    assert at_most(k, n, float(p)) == pytest.approx(float(exact), rel=1e-11)
    first, chances = at_most_all(n, float(p), 1e-300)
    assert chances[k - first] == pytest.approx(float(exact), rel=1e-10)
    if k < 6 and 1e-9 < exact < 1 - F(1, 10**6):
        assert bias_for(k, n, float(exact)) == pytest.approx(float(p), rel=1e-8)


@pytest.mark.parametrize(
    ("size", "n"),
    [
        (2**20, 420),
        (2**20 + 1, 420),  # thresholds on 2**20 points
        (2**64, 1180),
        (2**64 + 1, 1180),
        (2, 75),
        (1, 0),
    ],
)
def test_golden_realizable(size, n):
    assert realizable(size, **PAR).n == n


@settings(max_examples=settings.default.max_examples // 3)
@given(sizes, rates, shares, shares)
def test_tilt_is_optimal(size, epsilon, alpha, beta):
    """No l in [0, epsilon/2] decays faster than the closed form."""
    certificate = losses(size, epsilon=epsilon, alpha=alpha, beta=beta)
    for i in range(1, 21):
        tilt = float(epsilon) / 2 * i / 20
        decay = -math.log(max(math.cosh(tilt) - float(alpha) * math.sinh(tilt), 1e-300))
        assert decay <= certificate["decay"] * (1 + 1e-9) + 1e-15


def test_tight_is_several_times_better_than_the_papers():
    for size in (2**20, 2**64):
        ours = realizable_from(size, **PAR, alpha1=0.05, beta1=0)  # as Lemma 29: best error alpha/2
        assert bounds.alon22_lemma29(size, **PAR).n > 4 * ours.n
        assert bounds.lwy24_theorem34(size, 1, **PAR).n > 100 * agnostic(size, **PAR).n


@pytest.mark.more
def test_uniform_convergence_wins_on_huge_chains():
    size = 2 ** (2**16) + 1
    assert bounds.agnostic_vc(size, 1, **PAR).n < agnostic(size, **PAR).n / 5
    assert agnostic(size, **PAR, structure=Line()).n < bounds.agnostic_vc(size, 1, **PAR).n
    assert bounds.realizable_vc(size, 1, **PAR).n < realizable(size, **PAR).n
    assert bounds.agnostic_vc(1001, 1, **PAR).n > agnostic(1001, **PAR).n
