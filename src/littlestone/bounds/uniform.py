"""Certificates by uniform convergence: for candidate sets far larger than the class is complex.

The certificates of `exponential` pay ln|H|/alpha**2 (agnostic) or ln|H|/alpha (realizable) for the
records *and* for privacy. When ln|H| is huge and the VC dimension small, it is cheaper to pay ln|H|
for privacy only, and the VC dimension for the records. The failure probability is shared among
several events; the shares are found numerically, and are public inputs of the certificate.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.bounds.bound import Bound
from littlestone.bounds.certificate import Certificate, CertificateBuilder
from littlestone.bounds.excess import Structure
from littlestone.bounds.exponential import agnostic as tight_agnostic
from littlestone.bounds.exponential import realizable as tight_realizable
from littlestone.bounds.formulas import names_in
from littlestone.bounds.search import HOPELESS, least_n, least_point, least_real, log_of, softmax
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error

#: The released cost exceeds the least one by more than ``release * n`` with small probability.
_RELEASE = (
    "release", "log(max(size - 1, 1)/(beta*share_release))/(rate*n)", "exp-mech.empirical"
)  # fmt: skip
REALIZABLE = Bound((
    ("rate", "epsilon/2", "exp-mech.privacy"),
    _RELEASE,
    ("spread", "log(4*growth(vc_dim, 2*n)/(beta*share_spread))/n", "vc.relative"),
    ("excess", "release + 2*sqrt(release*spread) + 4*spread", "vc.relative"),
    ("shares", "share_release + share_spread <= 1", "vc.relative"),
    ("enough", "excess <= alpha", "vc.relative"),
))  # fmt: skip
_SCORE = "lwy24.thm3.4"
#: Theorem 3.4 with its budgets shared anew; the score is min over c of errors(c) + distance(c, h).
SURROGATE = Bound((
    ("rate", "epsilon/4", "exp-mech.privacy"),  # replacing one record moves the score by up to 2
    ("deviation", "sqrt(2*log(growth(vc_dim, n))/n) + sqrt(log(1/(beta*share_deviation))/(2*n))",
     "vc.uniform"),
    ("best", "sqrt(log(1/(beta*share_best))/(2*n))", "hoeffding"),
    _RELEASE,
    ("slack", "log(1/(beta*share_near))/n", "bernstein"),
    ("near", "alpha1 + slack/3 + sqrt((slack/3)**2 + 2*alpha1*slack)", "bernstein"),
    ("spread", "(log(growth(vc_dim, 2*n)) + log(size) + log(4/(beta*share_spread)))/n",
     "vc.relative"),
    ("gap", "deviation + best + near + release", _SCORE),
    ("excess", "gap + 2*sqrt(gap*spread) + 4*spread", _SCORE),
    ("shares", "share_deviation + share_best + share_release + share_near + share_spread"
     " + share_hashing <= 1", _SCORE),
    ("enough", "excess <= alpha", _SCORE),
))  # fmt: skip
_OWN = "vc.growth"
#: A share of ln(size) is paid for privacy, half of the growth function's logarithm for the records.
GROWTH = Bound((
    ("tilt", "share*epsilon/2", _OWN),
    ("gap", "alpha - (1 + 1/n)/(ghosts + 1)", _OWN),
    ("patterns", "log(2*growth(vc_dim, (ghosts + 1)*n))/2", _OWN),
    ("decay", "-log(cosh(tilt) - gap*sinh(tilt))", _OWN),
    ("failure", "exp(share*log(max(size - 1, 1)) + patterns - n*decay)", _OWN),
    ("shared", "share <= 1", _OWN),
    ("enough", "failure <= beta", _OWN),
))  # fmt: skip


# *Proof of `vc.growth`* (docs/certificates.md). Let D(h) = errors(h) - errors(h*). A bad h is
# released with probability at most e^{-epsilon D(h)/2}; all bad ones together with at most min(1,
# (|H|-1) max e^{-epsilon D/2}) <= (|H|-1)^s max e^{-lD}. By Cauchy-Schwarz, E max e^{-lD} <= (E
# max e^{-2l errors(h)})^{1/2} (E e^{2l errors(h*)})^{1/2}, the maximum over bad h. *First
# factor.* Let eta = error(h*), q = eta + alpha. Draw rn further records, the ghosts. Given the
# sample, the maximum is attained at some bad h, which is wrong on at least floor(rnq) ghosts with
# probability at least 1/2 (a median of a binomial is at least its mean rounded down). So E max <=
# 2 E max over the h with that many errors on the ghosts. Exchange sample and ghosts at random:
# there are at most Pi((r+1)n) vectors of errors on all of them, and one with K >= floor(rnq)
# errors has in the sample a hypergeometric number of them, for which (Hoeffding 1963, Theorem 4)
# the expectation is at most that of a binomial of bias K/((r+1)n) >= q - (q + 1/n)/(r+1) >= eta +
# a. So the factor is at most 2 Pi (1 - (eta+a)u)^n, u = 1 - e^{-2l}. *Second factor:* (1 +
# eta v)^n, v = e^{2l} - 1. Over all eta, (1 - (eta+a)u)(1 + eta v) is largest at eta = (1-a)/2,
# where it is (cosh l - a sinh l)^2.


def agnostic_vc(
    size: int, vc_dim: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= best + alpha for candidates of a small VC dimension; n None: the least.

    Weights e**(-epsilon/2 * errors), as for `exponential.agnostic`: the same release, another
    proof, smaller when ln(size) is much larger than the VC dimension. Claim ``vc.growth``.

    Examples
    --------
    >>> agnostic_vc(2**65536 + 1, 1, epsilon=1, alpha=0.1, beta=0.05).n < 970_000
    True
    """
    goal = _goal("agnostic_vc", size, vc_dim, epsilon=epsilon, alpha=alpha, beta=beta)
    return _certified(n, goal, *_least_growth(goal))


def realizable_vc(
    size: int, vc_dim: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= alpha for candidates of small VC dimension, one of which has error 0.

    Examples
    --------
    >>> realizable_vc(2**65536 + 1, 1, epsilon=1, alpha=0.1, beta=0.05).n < 940_000
    True
    """
    goal = _goal("realizable_vc", size, vc_dim, epsilon=epsilon, alpha=alpha, beta=beta)
    return _certified(n, goal, *_least_shares(goal))


def best_finite(
    size: int,
    *,
    vc_dim: int | None = None,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    agnostic: bool = False,
    structure: Structure = None,
    n: int | None = None,
) -> Certificate:
    """Return the better certificate of one release: tight, or by uniform convergence.

    Both speak about the exponential mechanism with weights e**(-epsilon/2 * errors) over ``size``
    public candidates. Which one is chosen follows from public parameters alone; without the
    candidates' ``vc_dim`` it is the tight one, which an agnostic ``structure`` makes tighter.

    Examples
    --------
    >>> best_finite(2**20 + 1, vc_dim=1, epsilon=1, alpha=0.1, beta=0.05).n
    420
    >>> best_finite(2**64 + 1, epsilon=1, alpha=0.1, beta=0.05, agnostic=True).n
    8807
    >>> best_finite(2**64 + 1, vc_dim=1, epsilon=1, alpha=0.1, beta=0.05, agnostic=True).n < 6700
    True
    """
    given = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    tight: Any = partial(tight_agnostic, structure=structure) if agnostic else tight_realizable
    least: Certificate = tight(size, **given)
    if vc_dim is not None and size > 1:
        other = agnostic_vc if agnostic else realizable_vc
        uniform = other(size, vc_dim, **given)
        if uniform.n < least.n:
            return uniform if n is None else other(size, vc_dim, **given, n=n)
    if n is None:
        return least
    found: Certificate = tight(size, **given, n=n)
    return found


# *Proof of `surrogate`* (docs/certificates.md). In fractions of n, let c' be a best concept, h'
# in H within alpha1 of it, and c0 the concept that attains q(h0). Except with probability beta:
#
#
# 1. errors(c') <= best + b (Hoeffding); distance(c', h') <= k on the records (Bernstein at bias
# alpha1); q(h0) <= q(h') + r <= best + b + k + r, now with r = (4/(epsilon n))
# ln((|H|-1)/beta_r).
#
# 2. Let s = q(h0) - errors(c0), the distance of c0 and h0 on the records. error(c0) <= errors(c0)
# + u. Since errors(c0) >= error(c0) - u >= best - u, s <= w := u + b + k + r.
#
# 3. Relative deviations for pairs (c, h), Pi(2n) |H| of them: the true distance of c0 and h0 is
# at most s + 2sqrt(sL) + 4L.
#
# 4. error(h0) <= error(c0) + s + 2sqrt(sL) + 4L <= (q(h0) - s + u) + s + 2sqrt(sL) + 4L <= best +
# w + 2sqrt(wL) + 4L.


def surrogate(
    size: Callable[[Fraction, Fraction], int],
    vc_dim: int,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    n: int | None = None,
) -> Certificate:
    """Certify error <= best + alpha for a representation, by the surrogate score of Theorem 3.4.

    The score of h is min over concepts c of errors(c) + distance(c, h), with rate epsilon/4. Only
    the VC dimension of the *class* is paid at alpha**-2. ``size(alpha1, beta1)`` is the number of
    candidates of an (alpha1, beta1)-representation.

    Examples
    --------
    >>> surrogate(lambda a, b: 2**1024 + 1, 1, epsilon=1, alpha=0.1, beta=0.05).holds
    True
    """
    goal = _goal("surrogate", 1, vc_dim, epsilon=epsilon, alpha=alpha, beta=beta)
    return _certified(n, goal, *_least_surrogate(size, goal))


@dataclass(frozen=True)
class _Goal:
    """What a certificate is asked for."""

    size: int
    vc_dim: int
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction


def _goal(caller: str, size: int, vc_dim: int, **numbers: Any) -> _Goal:
    return _Goal(
        check_integer(caller, "size", size, low=1),
        check_integer(caller, "vc_dim", vc_dim, low=0),
        check_fraction(caller, "epsilon", numbers["epsilon"]),
        check_probability(caller, "alpha", numbers["alpha"]),
        check_probability(caller, "beta", numbers["beta"]),
    )


#: A proof with the public choices that need the fewest records, and that number.
_Found = tuple[Bound, dict[str, Any], int]


def _certified(
    n: int | None, goal: _Goal, bound: Bound, choices: dict[str, Any], least: int
) -> Certificate:
    records = least if n is None else check_integer("certificate", "n", n, low=1)
    cert = CertificateBuilder(**vars(goal) | choices, n=records)
    bound.write(cert)
    return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=records)


def _near(enough: Callable[[float], bool], epsilon: Fraction) -> float:
    """Return about the least n, or refuse."""
    about = least_real(enough, 64)
    if about >= HOPELESS:
        wanted = "large enough for fewer than 10**30 records"
        hint = "Raise epsilon or alpha."
        raise parameter_error("certificate", "epsilon", wanted, float(epsilon), hint)
    return about


@functools.lru_cache(maxsize=256)
def _least_growth(goal: _Goal) -> _Found:
    wanted, price = log_of(goal.beta), 2 * log_of(max(goal.size - 1, 1)) / float(goal.epsilon)
    known = {**vars(goal), "epsilon": float(goal.epsilon)}
    gap_of = GROWTH.function("gap", "n", "ghosts", alpha=goal.alpha)
    failure_of = GROWTH.function("failure", "n", "ghosts", "share", **known)

    def share(n: float, ghosts: int) -> float | None:
        """Return the best share; none if no share is good."""
        gap: float = gap_of(n, ghosts)
        if gap <= 0 or price >= n * gap:
            return None
        # the decay's derivative is tanh(artanh(gap) - tilt); it is worth ``price`` / n
        tilt = math.atanh(gap) - math.atanh(price / n)
        return min(2 * tilt / float(goal.epsilon), 1.0)

    def failure(n: float, ghosts: int) -> float:
        part = share(n, ghosts)
        return math.inf if part is None else failure_of(n, ghosts, part).log

    ghosts = first = 8 * math.ceil(1 / goal.alpha)
    for _ in range(2):
        about = _near(lambda n, r=ghosts: failure(n, r) <= wanted, goal.epsilon)  # type: ignore[misc]
        ghosts = min((first * 2**k // 4 for k in range(14)), key=lambda r: failure(about, r))
    about = _near(lambda n: failure(n, ghosts) <= wanted, goal.epsilon)
    part = Fraction(share(about, ghosts) or 0).limit_denominator(10**9)
    choices = {"share": min(part, Fraction(1)), "ghosts": ghosts}
    return GROWTH, choices, GROWTH.least(math.ceil(about), **vars(goal), **choices)


@functools.lru_cache(maxsize=256)
def _least_shares(goal: _Goal) -> _Found:
    def point(x: Sequence[float]) -> dict[str, Any]:
        shares = [_short(share) for share in softmax([*x, 0.0])]
        return {"size": goal.size, "share_release": shares[0], "share_spread": shares[1]}

    return _searched(REALIZABLE, goal, point, [0.0])


@functools.lru_cache(maxsize=64)
def _least_surrogate(size: Callable[[Fraction, Fraction], int], goal: _Goal) -> _Found:
    names = [name for name in names_in(SURROGATE.lines[-2][1]) if name != "share_hashing"]

    def point(x: Sequence[float]) -> dict[str, Any]:
        near = min(float(goal.alpha) * 2.0 ** -abs(x[0]), 0.9 * float(goal.alpha))
        first, *shares = (_short(share) for share in softmax([*x[1:], 0.0]))
        alpha1 = Fraction(f"{near:.3g}")
        found = {"size": size(alpha1, goal.beta * first), "alpha1": alpha1, "share_hashing": first}
        return found | dict(zip(names, shares, strict=True))

    return _searched(SURROGATE, goal, point, [5.0] + [0.0] * len(names))


def _searched(
    bound: Bound,
    goal: _Goal,
    point: Callable[[Sequence[float]], dict[str, Any]],
    start: list[float],
) -> _Found:
    """Find good public choices in floats, then the least n with them."""
    target = float(goal.alpha)
    known = {"vc_dim": goal.vc_dim, "epsilon": float(goal.epsilon), "beta": goal.beta}

    def excess(choices: dict[str, Any]) -> Callable[[float], float]:
        at = bound.function("excess", "n", **known, **choices)
        return lambda n: float(at(float(max(round(n), 1))))

    def needed(x: Sequence[float]) -> float:
        at = excess(point(x))
        return _near(lambda n: at(n) <= target, goal.epsilon)

    def excess_at(n: float) -> Callable[[Sequence[float]], float]:
        return lambda x: excess(point(x))(n)

    best = start
    for _ in range(2):  # the best choices depend on n only through logarithms
        best = least_point(excess_at(needed(best)), best)
    choices = point(best)
    at = excess(choices)
    guess = least_n(lambda n: at(n) <= target, math.ceil(needed(best)))
    return bound, choices, bound.least(guess, **vars(goal) | choices)


def _short(share: float) -> Fraction:
    """Round a share of beta down to a few digits: the rest is simply not used."""
    return Fraction(max(int(share * 10_000), 1), 10_010)
