"""How many records the exponential mechanism needs, tightly; and, to compare, others.

Candidates H are public, the weight of h is e**(-epsilon/2 * errors of h), which is epsilon-DP under
replace-one. The proofs are in ``docs/certificates.md``; most rest on one line: a bad h is released
with probability at most e**(-l * (errors of h - errors of the best)) for every 0 <= l <= epsilon/2,
and the expectation of that over the records is a product. Agnostic certificates of errors are
sharper (`littlestone.bounds.excess`); those of other losses in [0, 1] rest on that line.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from littlestone.bounds.bound import (
    CERTIFICATES,
    HOPELESS,
    Bound,
    enough,
    least_n,
    least_point,
    least_real,
    log_of,
    softmax,
)
from littlestone.bounds.certificate import Certificate, CertificateBuilder
from littlestone.bounds.excess import Goal, Structure, at, best, least_erm
from littlestone.bounds.excess import erm as excess_erm
from littlestone.bounds.formulas import names_in
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error
from littlestone.privacy.guarantee import check_nonnegative


def realizable(
    size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= alpha when some of ``size`` candidates has error 0; n None: the least.

    At most size-1 candidates are bad, hence the -1.

    Examples
    --------
    >>> realizable(2**20 + 1, epsilon=1, alpha=0.1, beta=0.05).n
    420
    >>> realizable(2**1024 + 1, epsilon=1, alpha=0.1, beta=0.05).n
    17757
    """
    return enough(
        CERTIFICATES["realizable"],
        n,
        **_checked("realizable", size=size, epsilon=epsilon, alpha=alpha, beta=beta),
    )


def agnostic(
    size: int,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    structure: Structure = None,
    n: int | None = None,
) -> Certificate:
    """Certify error <= (error of the best candidate) + alpha, for any distribution.

    n None: the least.

    Where one of the sharp certificates needs the fewest records it is that one, evaluated at n. The
    ``structure`` of the class, if it has one, replaces the union over its candidates.

    Examples
    --------
    >>> from littlestone.bounds import Line
    >>> goal = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}
    >>> agnostic(2**20 + 1, **goal).n, agnostic(2**20 + 1, **goal, structure=Line()).n
    (2846, 852)
    """
    known = _checked("agnostic", size=size, epsilon=epsilon, alpha=alpha, beta=beta)
    return _sharpest(structure, n, CERTIFICATES["losses"], known)


def losses(size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify (mean loss) <= (that of the best candidate) + alpha, for losses in [0, 1].

    From epsilon = 2 artanh alpha on, privacy costs nothing.

    Examples
    --------
    >>> losses(40_000, epsilon=1, alpha=0.1, beta=0.05).n
    2705
    """
    return enough(
        CERTIFICATES["losses"],
        n,
        **_checked("losses", size=size, epsilon=epsilon, alpha=alpha, beta=beta),
    )


def _sharpest(
    structure: Structure, n: int | None, chernoff: Bound, known: dict[str, Fraction]
) -> Certificate:
    plain = enough(chernoff, None, **known)
    goal = Goal(**known | {"size": int(known["size"])})  # type: ignore[arg-type]
    sharpest = best(structure, goal, plain.n)
    if sharpest is not None:
        needed, form = sharpest
        sharp = at(
            structure,
            goal,
            form,
            needed if n is None else check_integer("certificate", "n", n, low=0),
        )
        if sharp is not None:
            return sharp
    return plain if n is None else enough(chernoff, n, **known)


def realizable_from(
    size: int,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    alpha1: Any,
    beta1: Any,
    n: int | None = None,
) -> Certificate:
    """Certify error <= alpha from a representation that need not contain the target.

    With probability 1 - beta1, beta1 < beta, over the at most ``size`` (public, data-independent)
    candidates, one of them is within alpha1 < alpha of the target.

    Examples
    --------
    >>> goal = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}
    >>> realizable_from(2501, **goal, alpha1="1/200", beta1="1/60").n
    306
    """
    caller = "realizable_from"
    goal = {"size": size, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    known = _near(caller, alpha1, beta1, **_checked(caller, **goal))
    bound = CERTIFICATES["realizable-from"]
    if not known["alpha1"]:
        (tilt, _, claim), *others = bound.lines
        bound = Bound(((tilt, "epsilon/2", claim), *others))
    return enough(bound, n, **known)


def agnostic_from(
    size: int,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    alpha1: Any,
    beta1: Any,
    n: int | None = None,
) -> Certificate:
    """Certify error <= (best concept) + alpha from a representation, as in `realizable_from`.

    Examples
    --------
    >>> goal = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}
    >>> agnostic_from(2501, **goal, alpha1="1/200", beta1="1/60").n
    1959
    """
    caller = "agnostic_from"
    goal = {"size": size, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    known = _near(caller, alpha1, beta1, **_checked(caller, **goal))
    return _sharpest(None, n, CERTIFICATES["losses-from"], known)


# -- for comparison: without privacy, and the papers' sizes ---------------------------------------

# Lemma 29 of Alon et al. and Theorem 3.4 of Li, Wang and Ye state orders only; the constants here
# are those that their proofs need. The certificates above and those below prove the same
# releases with fewer records.

_YAN = "yan25.thm11"


def consistent(size: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= alpha of any consistent one of ``size`` candidates; n None: the least.

    The limit of `realizable` for large epsilon.

    Examples
    --------
    >>> consistent(2**20, alpha=0.1, beta=0.05).n
    161
    """
    known = _checked("finite.consistent", size=size, alpha=alpha, beta=beta)
    return enough(CERTIFICATES["consistent"], n, **known)


def erm(
    size: int, *, alpha: Any, beta: Any, structure: Structure = None, n: int | None = None
) -> Certificate:
    """Certify error <= best + alpha of the candidate with the least empirical error.

    The limit of `agnostic` for large epsilon.

    Examples
    --------
    >>> erm(40_000, alpha=0.1, beta=0.05).n
    2225
    >>> from littlestone.bounds import Line
    >>> erm(2**20 + 1, alpha=0.1, beta=0.05, structure=Line()).n
    401
    """
    known = _checked("finite.erm", size=size, alpha=alpha, beta=beta)
    plain = enough(CERTIFICATES["erm"], n, **known)
    goal = Goal(size, Fraction(1), known["alpha"], known["beta"])  # its epsilon is not looked at
    sharpest = least_erm(structure, goal, int(plain["needed"]))
    records = sharpest[0] if sharpest is not None and n is None else plain.n
    if sharpest is None or records > sharpest[1].most:
        return plain
    return excess_erm(sharpest[1], goal, records)


def consistent_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= alpha of any consistent concept of a class of this VC dimension.

    Examples
    --------
    >>> consistent_vc(1, alpha=0.1, beta=0.05).n, consistent_vc(5, alpha=0.1, beta=0.05).n
    (291, 1076)
    """
    return _least("consistent-vc", n, "vc.consistent", vc_dim=vc_dim, alpha=alpha, beta=beta)


def uniform_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify that *all* errors are estimated within alpha.

    Examples
    --------
    >>> uniform_vc(1, alpha=0.1, beta=0.05).n, uniform_vc(5, alpha=0.1, beta=0.05).n
    (2903, 10879)
    """
    return _least("uniform-vc", n, "vc.uniform", vc_dim=vc_dim, alpha=alpha, beta=beta)


def erm_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= best + alpha of the least empirical error in a class.

    Examples
    --------
    >>> erm_vc(1, alpha=0.1, beta=0.05).n
    4661
    """
    return _least("erm-vc", n, "vc.uniform", vc_dim=vc_dim, alpha=alpha, beta=beta)


def alon22_lemma29(
    size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= alpha when some candidate has error <= alpha/2 (GenericLearner).

    Examples
    --------
    >>> alon22_lemma29(2**20, epsilon=1, alpha=0.1, beta=0.05).n
    13137
    """
    known = {"size": size, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    return enough(CERTIFICATES["alon22.lemma29"], n, **_checked("alon22_lemma29", **known))


def lwy24_theorem34(
    size: int, vc_dim: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= best + alpha by Theorem 3.4 with the budgets of its proof.

    ``size`` is that of an (alpha/18, beta/5)-representation of a class of this VC dimension.

    Examples
    --------
    >>> lwy24_theorem34(2**20, 1, epsilon=1, alpha=0.1, beta=0.05).n
    1582500
    """
    known = {"size": size, "vc_dim": vc_dim, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    return _least("lwy24.theorem34", n, "lwy24_theorem34", **known)


def yan25_theorem11(*, epsilon: Any, delta: Any, alpha: Any, beta: Any) -> Certificate:
    """Return a lower bound of Theorem 11's number of records, with all constants that are stated.

    The median's constant is hidden in an O, so the number of chunks counts Algorithm 2's choosing
    mechanism alone: t/6 >= 16/epsilon' ln(4 t/(beta' epsilon' delta')), with epsilon' = epsilon/2,
    delta' = delta/2, beta' = beta/(t+2). So the true size is larger, and depends on the class. The
    certificate's status is "order-only", and it never holds.

    Examples
    --------
    >>> certificate = yan25_theorem11(epsilon=1, delta=1e-6, alpha=0.1, beta=0.05)
    >>> certificate.n, certificate.holds
    (293296494, False)
    """
    known = _checked("yan25_theorem11", epsilon=epsilon, delta=delta, beta=beta, alpha=alpha)
    chunks = 1
    while True:  # the right-hand side grows with ln t only: this ends at the least fixed point
        cert = CertificateBuilder(**known, t=chunks)
        formula = "ceil(6*32/epsilon*log(4*t*(t + 2)/(beta*(epsilon/2)*(delta/2))))"
        needed = int(cert.step("chunks", formula, _YAN).value)
        if needed <= chunks:
            break
        chunks = needed
    cert.step("chunk", "48/alpha*(10*log(48*exp(1)/alpha) + log(5*(t + 2)/beta))", _YAN)
    total = cert.step("needed", "ceil(t*chunk)", _YAN)
    return cert.certificate(alpha=known["alpha"], beta=known["beta"], n=int(total.value))


def _checked(caller: str, **given: Any) -> dict[str, Fraction]:
    low, out = {"size": 1, "vc_dim": 0}, {}
    for name, x in given.items():
        if name in low:
            out[name] = Fraction(check_integer(caller, name, x, low=low[name]))
        else:
            check = check_fraction if name == "epsilon" else check_probability
            out[name] = check(caller, name, x)
    return out


def _near(caller: str, alpha1: Any, beta1: Any, **known: Fraction) -> dict[str, Fraction]:
    near = {
        "alpha1": check_nonnegative(caller, "alpha1", alpha1),
        "beta1": check_nonnegative(caller, "beta1", beta1),
    }
    if near["alpha1"] >= known["alpha"]:
        raise parameter_error(caller, "alpha1", "in [0, alpha)", alpha1, "Use a finer one.")
    if near["beta1"] >= known["beta"]:
        raise parameter_error(caller, "beta1", "in [0, beta)", beta1, "Use a surer one.")
    return known | near


def _least(name: str, n: int | None, caller: str, **given: Any) -> Certificate:
    bound, known = CERTIFICATES[name], _checked(caller, **given)
    if n is None:
        n = bound.least(1, **known)
    cert = CertificateBuilder(**known, n=check_integer(caller, "n", n, low=1))
    bound.write(cert)
    return cert.certificate(alpha=known["alpha"], beta=known["beta"], n=n)


# -- by uniform convergence: for candidate sets far larger than the class is complex ---------------
#
# The certificates above pay ln|H|/alpha**2 (agnostic) or ln|H|/alpha (realizable) for the records
# *and* for privacy. When ln|H| is huge and the VC dimension small, it is cheaper to pay ln|H| for
# privacy only, and the VC dimension for the records. The failure probability is shared among
# several events; the shares are found numerically, and are public inputs of the certificate.


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

    Weights e**(-epsilon/2 * errors), as for `agnostic`: the same release, another
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


_TIGHT = realizable, agnostic


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
    tight: Any = partial(_TIGHT[1], structure=structure) if agnostic else _TIGHT[0]
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


def _about(enough: Callable[[float], bool], epsilon: Fraction) -> float:
    """Return about the least n, or refuse."""
    about = least_real(enough, 64)
    if about >= HOPELESS:
        wanted = "large enough for fewer than 10**30 records"
        hint = "Raise epsilon or alpha."
        raise parameter_error("certificate", "epsilon", wanted, float(epsilon), hint)
    return about


@functools.lru_cache(maxsize=256)
def _least_growth(goal: _Goal) -> _Found:
    bound = CERTIFICATES["growth"]
    wanted, price = log_of(goal.beta), 2 * log_of(max(goal.size - 1, 1)) / float(goal.epsilon)
    known = {**vars(goal), "epsilon": float(goal.epsilon)}
    gap_of = bound.function("gap", "n", "ghosts", alpha=goal.alpha)
    failure_of = bound.function("failure", "n", "ghosts", "share", **known)

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
        about = _about(lambda n, r=ghosts: failure(n, r) <= wanted, goal.epsilon)  # type: ignore[misc]
        ghosts = min((first * 2**k // 4 for k in range(14)), key=lambda r: failure(about, r))
    about = _about(lambda n: failure(n, ghosts) <= wanted, goal.epsilon)
    part = Fraction(share(about, ghosts) or 0).limit_denominator(10**9)
    choices = {"share": min(part, Fraction(1)), "ghosts": ghosts}
    return bound, choices, bound.least(math.ceil(about), **vars(goal), **choices)


@functools.lru_cache(maxsize=256)
def _least_shares(goal: _Goal) -> _Found:
    def point(x: Sequence[float]) -> dict[str, Any]:
        shares = [_short(share) for share in softmax([*x, 0.0])]
        return {"size": goal.size, "share_release": shares[0], "share_spread": shares[1]}

    return _searched(CERTIFICATES["realizable-vc"], goal, point, [0.0])


@functools.lru_cache(maxsize=64)
def _least_surrogate(size: Callable[[Fraction, Fraction], int], goal: _Goal) -> _Found:
    bound = CERTIFICATES["surrogate"]
    names = [name for name in names_in(bound.lines[-2][1]) if name != "share_hashing"]

    def point(x: Sequence[float]) -> dict[str, Any]:
        near = min(float(goal.alpha) * 2.0 ** -abs(x[0]), 0.9 * float(goal.alpha))
        first, *shares = (_short(share) for share in softmax([*x[1:], 0.0]))
        alpha1 = Fraction(f"{near:.3g}")
        found = {"size": size(alpha1, goal.beta * first), "alpha1": alpha1, "share_hashing": first}
        return found | dict(zip(names, shares, strict=True))

    return _searched(bound, goal, point, [5.0] + [0.0] * len(names))


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
        return _about(lambda n: at(n) <= target, goal.epsilon)

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
