"""The tight certificates: golden sizes, another computation of them, and monotonicity."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone import bounds
from littlestone.bounds import agnostic, agnostic_from, losses, realizable, realizable_from
from littlestone.bounds.exponential import Line
from littlestone.errors import ParameterError

PAR = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}


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


def test_golden_agnostic():
    assert losses(40_000, **PAR).n == 2705
    assert losses(1, **PAR).n == agnostic(1, **PAR).n == 0
    for epsilon in (2 * math.atanh(0.1) + 1e-9, 0.5, 10):
        assert losses(40_000, epsilon=epsilon, alpha=0.1, beta=0.05).n == 2705
    assert losses(40_000, epsilon=0.1, alpha=0.1, beta=0.05).n > 2705
    for epsilon in (0.1, 0.5, 1, 10):
        goal = {"epsilon": epsilon, "alpha": 0.1, "beta": 0.05}
        assert agnostic(40_000, **goal).n < losses(40_000, **goal).n


def test_golden_papers():
    """Sizes worked out by hand from the proofs."""
    lemma = bounds.alon22_lemma29(2**20, **PAR)
    assert lemma.n == math.ceil(720 * math.log(4 * 2**20 / 0.05))
    assert lemma["release"] == pytest.approx(120 * math.log(2 * 2**20 / 0.05))
    assert bounds.consistent_vc(1, alpha=0.1, beta=0.05).n == 291
    assert bounds.consistent_vc(5, alpha=0.1, beta=0.05).n == 1_076
    assert bounds.lwy24_theorem34(2**20, 1, **PAR)["release"] is True


def test_relative_deviations_of_pairs():
    """4,755 and 21,232 pairs at d=1, 5: the condition on the spread, solved again here."""
    for d, golden in ((1, 4_755), (5, 21_232)):

        def spread(n, d=d):
            growth = sum(math.comb(2 * n, i) for i in range(d + 1))
            return (2 * math.log(growth) + math.log(80)) / n

        n = next(n for n in range(golden - 50, golden + 50)
                 if 2 * math.sqrt(0.05 * spread(n)) + 4 * spread(n) <= 0.05)  # fmt: skip
        assert abs(n - golden) <= 1


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


@settings(deadline=None)
@given(sizes, rates, shares, shares)
def test_tilt_is_optimal(size, epsilon, alpha, beta):
    """No l in [0, epsilon/2] decays faster than the closed form."""
    certificate = losses(size, epsilon=epsilon, alpha=alpha, beta=beta)
    for i in range(1, 21):
        tilt = float(epsilon) / 2 * i / 20
        decay = -math.log(max(math.cosh(tilt) - float(alpha) * math.sinh(tilt), 1e-300))
        assert decay <= certificate["decay"] * (1 + 1e-9) + 1e-15


makers = {
    "realizable": realizable,
    "losses": losses,
    "realizable_from": lambda size, *, alpha, beta, **k: realizable_from(
        size, alpha=alpha, beta=beta, alpha1="1/2000", beta1="1/2000", **k),
    "lemma29": bounds.alon22_lemma29,
}  # fmt: skip


@settings(max_examples=settings.default.max_examples // 3)
@given(st.sampled_from(sorted(makers)), sizes, rates, shares, shares, st.fractions(1, 3))
def test_monotone(name, size, epsilon, alpha, beta, factor):
    make, given_ = makers[name], {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    n = make(size, **given_).n
    assert make(size * 2, **given_).n >= n
    for key, value in given_.items():
        larger = value * factor
        if key == "epsilon" or larger < 1:
            assert make(size, **given_ | {key: larger}).n <= n


@settings(max_examples=settings.default.max_examples // 3)
@given(sizes, rates, shares, shares)
def test_a_perfect_representation_is_the_class(size, epsilon, alpha, beta):
    given_ = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    assert realizable_from(size, **given_, alpha1=0, beta1=0).n == realizable(size, **given_).n
    near = {"epsilon": 1, "alpha": alpha, "beta": beta}
    assert agnostic_from(7, **near, alpha1=0, beta1=0).n == agnostic(7, **near).n


def test_tight_is_several_times_better_than_the_papers():
    for size in (2**20, 2**64):
        ours = realizable_from(size, **PAR, alpha1=0.05, beta1=0)  # as Lemma 29: best error alpha/2
        assert bounds.alon22_lemma29(size, **PAR).n > 4 * ours.n
        assert bounds.lwy24_theorem34(size, 1, **PAR).n > 100 * agnostic(size, **PAR).n


def test_uniform_convergence_wins_on_huge_chains():
    size = 2 ** (2**16) + 1
    assert bounds.agnostic_vc(size, 1, **PAR).n < agnostic(size, **PAR).n / 5
    assert agnostic(size, **PAR, structure=Line()).n < bounds.agnostic_vc(size, 1, **PAR).n
    assert bounds.realizable_vc(size, 1, **PAR).n < realizable(size, **PAR).n
    assert bounds.agnostic_vc(1001, 1, **PAR).n > agnostic(1001, **PAR).n


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": 0}, {"size": 1.5}, {"size": True}, {"epsilon": 0}, {"epsilon": math.inf},
        {"alpha": 0}, {"alpha": 1}, {"beta": 0}, {"beta": 1}, {"n": -1}, {"n": 1.5},
    ],
)  # fmt: skip
@pytest.mark.parametrize("make", [realizable, agnostic])
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


@pytest.mark.parametrize("arguments", [{"alpha1": 0.1}, {"beta1": 0.05}, {"alpha1": -1}])
@pytest.mark.parametrize("make", [realizable_from, agnostic_from])
def test_refusals_of_representations(make, arguments):
    with pytest.raises(ParameterError):
        make(10, **PAR, **{"alpha1": 0.01, "beta1": 0.01, **arguments})
