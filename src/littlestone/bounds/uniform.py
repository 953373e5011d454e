"""Certificates by uniform convergence: for candidate sets far larger than the class is complex.

The certificates of `exponential` pay ln|H|/alpha**2 (agnostic) or ln|H|/alpha (realizable) for the
records *and* for privacy. When ln|H| is huge and the VC dimension small, it is cheaper to pay ln|H|
for privacy only, and the VC dimension for the records. The failure probability is shared among
several events; the shares are found numerically, and are public inputs of the certificate.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from littlestone.bounds.certificate import Certificate, CertificateBuilder
from littlestone.bounds.exponential import agnostic as tight_agnostic
from littlestone.bounds.exponential import realizable as tight_realizable
from littlestone.bounds.search import (
    HOPELESS,
    least_integer,
    least_n,
    least_point,
    least_real,
    log_growth,
    log_of,
    softmax,
)
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error

__all__ = ["agnostic_vc", "best_finite", "realizable_vc", "surrogate"]

#: (name, formula, claim); the last line is the excess error, which must be at most alpha.
Line = tuple[str, str, str]

_DEVIATION = (
    "deviation",
    "sqrt(2*log(growth(vc_dim, n))/n) + sqrt(log(1/(beta*share_deviation))/(2*n))",
    "vc.uniform",
)
_HOEFFDING = ("best", "sqrt(log(1/(beta*share_best))/(2*n))", "hoeffding")
#: The released cost exceeds the least one by more than ``release * n`` with small probability.
_RELEASE = (
    "release",
    "log(max(size - 1, 1)/(beta*share_release))/(rate*n)",
    "exp-mech.empirical",
)

REALIZABLE: tuple[Line, ...] = (
    ("rate", "epsilon/2", "exp-mech.privacy"),
    _RELEASE,
    ("spread", "log(4*growth(vc_dim, 2*n)/(beta*share_spread))/n", "vc.relative"),
    ("excess", "release + 2*sqrt(release*spread) + 4*spread", "vc.relative"),
)
#: Theorem 3.4 with its budgets shared anew; the score is min over c of errors(c) + distance(c, h).
SURROGATE: tuple[Line, ...] = (
    ("rate", "epsilon/4", "exp-mech.privacy"),  # replacing one record moves the score by up to 2
    _DEVIATION,
    _HOEFFDING,
    _RELEASE,
    ("slack", "log(1/(beta*share_near))/n", "bernstein"),
    ("near", "alpha1 + slack/3 + sqrt((slack/3)**2 + 2*alpha1*slack)", "bernstein"),
    (
        "spread",
        "(log(growth(vc_dim, 2*n)) + log(size) + log(4/(beta*share_spread)))/n",
        "vc.relative",
    ),
    ("gap", "deviation + best + near + release", "lwy24.thm3.4"),
    ("excess", "gap + 2*sqrt(gap*spread) + 4*spread", "lwy24.thm3.4"),
)


def agnostic_vc(
    size: int, vc_dim: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= best + alpha for candidates that lie in a class of small VC dimension.

    Weights e**(-epsilon/2 * errors), as for `exponential.agnostic`: the same release, another
    proof, smaller when ln(size) is much larger than the VC dimension. A share s of ln(size) is
    paid for privacy, at tilt l = s epsilon/2, and the square root of the growth function for the
    records.

    Parameters
    ----------
    size : int >= 1
        Number of candidates.
    vc_dim : int >= 0
        Of the candidates.
    epsilon, alpha, beta, n
        As for `exponential.agnostic`.

    Guarantee
    ---------
    Claim ``vc.growth``: Pr[error > best + alpha] <= (size-1)**s sqrt(2 growth(vc_dim, (r+1) n))
    (cosh l - a sinh l)**n with a = alpha - (1 + 1/n)/(r+1), for every 0 <= s <= 1 and integer r.

    Examples
    --------
    >>> agnostic_vc(2**65536 + 1, 1, epsilon=1, alpha=0.1, beta=0.05).n < 970_000
    True
    """
    case = _Growth(
        check_integer("agnostic_vc", "size", size, low=1),
        check_integer("agnostic_vc", "vc_dim", vc_dim, low=0),
        check_fraction("agnostic_vc", "epsilon", epsilon),
        check_probability("agnostic_vc", "alpha", alpha),
        check_probability("agnostic_vc", "beta", beta),
    )
    least, share, ghosts = _least_growth(case)
    if n is None:
        return case.certificate(least, share, ghosts)
    return case.certificate(check_integer("certificate", "n", n, low=1), share, ghosts)


def realizable_vc(
    size: int, vc_dim: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= alpha for candidates of small VC dimension, one of which has error 0.

    Parameters
    ----------
    size, vc_dim, epsilon, alpha, beta, n
        As for `agnostic_vc`.

    Examples
    --------
    >>> realizable_vc(2**65536 + 1, 1, epsilon=1, alpha=0.1, beta=0.05).n < 940_000
    True
    """
    return _certify("realizable_vc", REALIZABLE, size, vc_dim, epsilon, alpha, beta, n)


def best_finite(
    size: int,
    *,
    vc_dim: int | None = None,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    agnostic: bool = False,
    n: int | None = None,
) -> Certificate:
    """Return the better of the two certificates of one release: tight, or by uniform convergence.

    Both speak about the exponential mechanism with weights e**(-epsilon/2 * errors) over ``size``
    public candidates. The one that needs fewer records is chosen from public parameters alone.

    Parameters
    ----------
    size : int >= 1
    vc_dim : int >= 0, optional
        Of the candidates; by default unknown, and only the tight certificate is considered.
    epsilon, alpha, beta
        As for `exponential.realizable`; alpha is excess error if ``agnostic``.
    agnostic : bool, default=False
    n : int, optional
        By default the least that suffices.

    Examples
    --------
    >>> best_finite(2**20 + 1, vc_dim=1, epsilon=1, alpha=0.1, beta=0.05).n
    420
    >>> best_finite(2**64 + 1, epsilon=1, alpha=0.1, beta=0.05, agnostic=True).n
    9424
    >>> best_finite(2**64 + 1, vc_dim=1, epsilon=1, alpha=0.1, beta=0.05, agnostic=True).n < 6700
    True
    """
    given = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
    tight = tight_agnostic if agnostic else tight_realizable
    least = tight(size, **given)
    if vc_dim is not None and size > 1:
        other = agnostic_vc if agnostic else realizable_vc
        uniform = other(size, vc_dim, **given)
        if uniform.n < least.n:
            return uniform if n is None else other(size, vc_dim, **given, n=n)
    return least if n is None else tight(size, **given, n=n)


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
    the VC dimension of the *class* is paid at alpha**-2. The proof, with the budgets shared anew:
    ``docs/certificates.md``.

    Parameters
    ----------
    size : callable, (alpha1, beta1) -> int
        Number of candidates of an (alpha1, beta1)-representation of the class.
    vc_dim : int >= 0
        Of the class.
    epsilon, alpha, beta, n
        As for `exponential.agnostic`.

    Examples
    --------
    >>> surrogate(lambda a, b: 2**1024 + 1, 1, epsilon=1, alpha=0.1, beta=0.05).holds
    True
    """
    sums = _sums("surrogate", SURROGATE, vc_dim, epsilon, alpha, beta)
    return _at(n, *_least_surrogate(size, sums))


@dataclass(frozen=True)
class _Growth:
    """The certificate of `agnostic_vc`: in floats for the search, and as steps."""

    size: int
    vc_dim: int
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction

    def rough(self, n: float, ghosts: int) -> tuple[float, float]:
        """Return the logarithm of the failure in floats at the best tilt, and the share for it."""
        gap = float(self.alpha) - (1 + 1 / n) / (ghosts + 1)
        if gap <= 0:
            return math.inf, 0.0
        released = log_of(max(self.size - 1, 1))
        price, steep = 2 * released / float(self.epsilon), math.atanh(gap)
        if price >= n * gap:
            return math.inf, 0.0
        # the decay's derivative is tanh(steep - tilt); it is worth ``price`` / n
        tilt = min(steep - math.atanh(price / n), float(self.epsilon) / 2)
        decay = -math.log1p(2 * math.sinh(tilt / 2) ** 2 - gap * math.sinh(tilt))
        patterns = (math.log(2) + log_growth(self.vc_dim, (ghosts + 1) * n)) / 2
        return price * tilt + patterns - n * decay, 2 * tilt / float(self.epsilon)

    def certificate(self, n: int, share: Fraction, ghosts: int) -> Certificate:
        """Return the certificate for n records, with these public choices."""
        source = "vc.growth"
        cert = CertificateBuilder(
            n=n, size=self.size, vc_dim=self.vc_dim, epsilon=self.epsilon, alpha=self.alpha,
            beta=self.beta, share=share, ghosts=ghosts,
        )  # fmt: skip
        cert.step("tilt", "share*epsilon/2", source)
        cert.step("gap", "alpha - (1 + 1/n)/(ghosts + 1)", source)
        cert.step("patterns", "log(2*growth(vc_dim, (ghosts + 1)*n))/2", source)
        cert.step("decay", "-log(cosh(tilt) - gap*sinh(tilt))", source)
        cert.step("failure", "exp(share*log(max(size - 1, 1)) + patterns - n*decay)", source)
        cert.step("shared", "share <= 1", source)
        cert.step("enough", "failure <= beta", source)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)


@functools.lru_cache(maxsize=256)
def _least_growth(case: _Growth) -> tuple[int, Fraction, int]:
    """Return the least n that is certified, with its share of ln(size) and its ghost samples."""
    wanted = log_of(case.beta)
    first = 8 * math.ceil(1 / case.alpha)
    ghosts = first
    for _ in range(2):

        def enough(n: float, ghosts: int = ghosts) -> bool:
            return case.rough(n, ghosts)[0] <= wanted

        about = least_real(enough, 64)
        if about >= HOPELESS:
            raise parameter_error(
                "certificate",
                "epsilon",
                "large enough for fewer than 10**30 records",
                float(case.epsilon),
                "Raise epsilon or alpha.",
            )
        ghosts = min((first * 2**k // 4 for k in range(14)), key=lambda r: case.rough(about, r)[0])
    about = least_real(lambda n: case.rough(n, ghosts)[0] <= wanted, 64)
    share = min(Fraction(case.rough(about, ghosts)[1]).limit_denominator(10**9), Fraction(1))
    return (
        least_n(lambda n: case.certificate(n, share, ghosts), guess=math.ceil(about)),
        share,
        ghosts,
    )


@functools.lru_cache(maxsize=64)
def _least_surrogate(size: Callable[[Fraction, Fraction], int], sums: _Sums) -> _Found:
    names = _share_names(SURROGATE)

    def point(x: Sequence[float]) -> _Point:
        near = min(float(sums.alpha) * 2.0 ** -abs(x[0]), 0.9 * float(sums.alpha))
        first, *shares = (_short(share) for share in softmax([*x[1:], 0.0]))
        alpha1 = Fraction(f"{near:.3g}")
        return _Point(
            size(alpha1, sums.beta * first),
            dict(zip(names, shares, strict=True)),
            {"alpha1": alpha1, "share_hashing": first},
        )

    return _finish(sums, point, [5.0] + [0.0] * len(names))


def _certify(  # noqa: PLR0917 - the parameters of the public functions, unchanged
    owner: str,
    lines: tuple[Line, ...],
    size: int,
    vc_dim: int,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    n: int | None,
) -> Certificate:
    sums = _sums(owner, lines, vc_dim, epsilon, alpha, beta)
    return _at(n, *_least_shares(check_integer(owner, "size", size, low=1), sums))


@functools.lru_cache(maxsize=256)
def _least_shares(size: int, sums: _Sums) -> _Found:
    names = _share_names(sums.lines)

    def point(x: Sequence[float]) -> _Point:
        shares = [_short(share) for share in softmax([*x, 0.0])]
        return _Point(size, dict(zip(names, shares, strict=True)), {})

    return _finish(sums, point, [0.0] * (len(names) - 1))


@dataclass(frozen=True)
class _Point:
    """Public choices: shares of beta, and what else a proof leaves open."""

    size: int
    shares: Mapping[str, Fraction]
    others: Mapping[str, Fraction]

    @property
    def inputs(self) -> dict[str, Fraction]:
        return {**self.shares, **self.others, "size": Fraction(self.size)}


@dataclass(frozen=True)
class _Sums:
    """The lines of one proof with its fixed parameters: evaluated in floats, or certified."""

    lines: tuple[Line, ...]
    vc_dim: int
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction

    def rough(self, point: _Point) -> Callable[[float], float]:
        """Return the excess as a function of n, in floats: what the lines say, for searches."""
        chance = {name: -log_of(self.beta * share) for name, share in point.shares.items()}
        released = log_of(max(point.size - 1, 1)) + chance["share_release"]
        rate = float(self.epsilon) / (4 if self.lines is SURROGATE else 2)

        def uniform(n: float) -> float:
            deviation = math.sqrt(2 * log_growth(self.vc_dim, n) / n)
            deviation += math.sqrt(chance["share_deviation"] / (2 * n))
            best = math.sqrt(chance["share_best"] / (2 * n))
            return deviation + best + released / (rate * n)

        def relative(n: float) -> float:
            spread = (math.log(4) + log_growth(self.vc_dim, 2 * n) + chance["share_spread"]) / n
            release = released / (rate * n)
            return release + 2 * math.sqrt(release * spread) + 4 * spread

        def surrogate(n: float) -> float:
            near = float(point.others["alpha1"])
            slack = chance["share_near"] / n
            near += slack / 3 + math.sqrt((slack / 3) ** 2 + 2 * near * slack)
            spread = log_growth(self.vc_dim, 2 * n) + log_of(point.size) + math.log(4)
            spread = (spread + chance["share_spread"]) / n
            gap = uniform(n) + near
            return gap + 2 * math.sqrt(gap * spread) + 4 * spread

        ways = {REALIZABLE: relative, SURROGATE: surrogate}
        way = ways[self.lines]
        return lambda n: way(float(max(round(n), 1)))

    def certificate(self, n: int, point: _Point) -> Certificate:
        cert = CertificateBuilder(**self._fixed(), **point.inputs, n=n)
        for name, formula, source in self.lines:
            cert.step(name, formula, source)
        shares = [name for name in point.inputs if name.startswith("share_")]
        source = self.lines[-1][2]
        cert.step("shares", f"{' + '.join(shares)} <= 1", source)
        cert.step("enough", "excess <= alpha", source)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)

    def _fixed(self) -> dict[str, Fraction]:
        return {
            "vc_dim": Fraction(self.vc_dim),
            "epsilon": self.epsilon,
            "alpha": self.alpha,
            "beta": self.beta,
        }


#: A proof with its budget, the choices that need the fewest records, and the certificate at these.
_Found: TypeAlias = tuple[_Sums, _Point, Certificate]


def _finish(sums: _Sums, point: Callable[[Sequence[float]], _Point], start: list[float]) -> _Found:
    """Find good public choices, then certify with them."""
    target = float(sums.alpha)

    def needed(x: Sequence[float]) -> float:
        excess = sums.rough(point(x))
        return least_real(lambda m: excess(m) <= target, 64)

    def excess_at(m: float) -> Callable[[Sequence[float]], float]:
        return lambda x: sums.rough(point(x))(m)

    best = start
    for _ in range(2):  # the best choices depend on n only through logarithms
        about = needed(best)
        if about >= HOPELESS:
            raise parameter_error(
                "certificate",
                "epsilon",
                "large enough for fewer than 10**30 records",
                float(sums.epsilon),
                "Raise epsilon or alpha.",
            )
        best = least_point(excess_at(about), best)
    choice = point(best)
    excess, about = sums.rough(choice), needed(best)
    guess = least_integer(lambda m: excess(m) <= target, math.ceil(about))
    n = least_n(lambda m: sums.certificate(m, choice), guess=guess)
    return sums, choice, sums.certificate(n, choice)


def _at(n: int | None, sums: _Sums, choice: _Point, least: Certificate) -> Certificate:
    if n is None or n == least.n:
        return least
    return sums.certificate(check_integer("certificate", "n", n, low=1), choice)


def _sums(  # noqa: PLR0917 - the parameters of the public functions, unchanged
    owner: str, lines: tuple[Line, ...], vc_dim: int, epsilon: Any, alpha: Any, beta: Any
) -> _Sums:
    return _Sums(
        lines,
        check_integer(owner, "vc_dim", vc_dim, low=0),
        check_fraction(owner, "epsilon", epsilon),
        check_probability(owner, "alpha", alpha),
        check_probability(owner, "beta", beta),
    )


def _short(share: float) -> Fraction:
    """Round a share of beta down to a few digits: the rest is simply not used."""
    return Fraction(max(int(share * 10_000), 1), 10_010)


@functools.cache
def _names(formula: str) -> frozenset[str]:
    words = "".join(c if c.isalnum() or c == "_" else " " for c in formula).split()
    return frozenset(word for word in words if not word[0].isdigit())


def _share_names(lines: tuple[Line, ...]) -> list[str]:
    used = [name for _, formula, _ in lines for name in sorted(_names(formula))]
    return list(dict.fromkeys(name for name in used if name.startswith("share_")))
