"""Tolerances at which the low-error classes of good teachers interleave (003, section 5, repaired).

Counts 0 = c_(d+1) < b_d < c_d < ... < b_1 < c_1 < floor(m alpha). A teacher is good if, for every
concept h and j = 1, ..., d,

    at most c_(j+1) errors on its m records  =>  error at most b_j/m  =>  at most c_j errors there,

and every SOA it may list with at most c_1 errors has error at most alpha. Then a concept that one
good teacher allows at stage j + 1 is allowed by every good teacher at stage j. By a ghost sample
each arrow fails with probability at most 2 growth(vc, 2m) e**(-D(x, y)), with

    D(x, y) = x ln(2x/(x+y)) + y ln(2y/(x+y)):

of x + y errors on two samples, at most x fall on one of them (Hoeffding 1963). The paper takes the
tolerances (1 - 1/(2d))**j alpha; these ones need a smaller m.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from littlestone.bounds.least import least
from littlestone.learners.littlestone.claims import ESSENTIAL

if TYPE_CHECKING:
    from fractions import Fraction

    from littlestone.bounds import CertificateBuilder, Step

__all__ = ["Levels", "distance"]

_TERMS = 50  # of one sum


@dataclass(frozen=True)
class Levels:
    """Records of a teacher and its tolerances.

    Attributes
    ----------
    d, vc : int
        Littlestone dimension and VC dimension of the class.
    chunk : int
        m.
    counts : tuple of int
        0 = c_(d+1), b_d, c_d, ..., b_1, c_1.
    """

    d: int
    vc: int
    chunk: int
    counts: tuple[int, ...]

    @property
    def tolerances(self) -> tuple[int, ...]:
        """c_1 > ... > c_(d+1) = 0: one for each stage."""
        return self.counts[::2][::-1]

    @classmethod
    def least(cls, d: int, vc: int, alpha: Fraction, bad: float) -> Levels:
        """Return the smallest chunk with which a teacher is bad with probability at most ``bad``.

        Examples
        --------
        >>> from fractions import Fraction
        >>> Levels.least(1, 1, Fraction(1, 10), 0.1)
        Levels(d=1, vc=1, chunk=1250, counts=(0, 18, 59))
        """

        def fits(chunk: int) -> bool:
            top = math.floor(chunk * alpha)
            counts, allowed = cls._chain(d, vc, chunk, bad, top)
            log_growth = _log_growth(d, 2 * chunk) - _log_growth(vc, 2 * chunk)
            return counts[-1] < top and distance(counts[-1], top) >= allowed + log_growth

        chunk = least(fits, low=2 * d + 1)
        return cls(d, vc, chunk, cls._chain(d, vc, chunk, bad, chunk)[0])

    @staticmethod
    def _chain(d: int, vc: int, chunk: int, bad: float, most: int) -> tuple[tuple[int, ...], float]:
        """Return the least counts, as far as they stay below ``most``, and the distance between."""
        allowed = math.log(2 * (2 * d + 1) / bad) + _log_growth(vc, 2 * chunk) + 1e-9
        counts = [0]
        while len(counts) <= 2 * d and counts[-1] < most:
            far = _least_far(counts[-1], allowed)
            counts.append(far if len(counts) % 2 else far - 1)
        return tuple(counts), allowed

    def bad(self, cert: CertificateBuilder, alpha: Fraction) -> Step:
        """Write down the probability that a teacher is bad."""
        arrows: dict[str, Step] = {}
        pairs = list(zip(self.counts[:-1], self.counts[1:], strict=True))
        for i, (low, high) in enumerate(pairs):
            # even: c => b; odd: b => c, which fails at c + 1 errors
            arrows[f"x{i}"] = self._arrow(cert, f"arrow_{i}", self.vc, low, high + i % 2)
        top = cert.step("top", "floor(m*alpha)", ESSENTIAL, m=self.chunk, alpha=alpha)
        cert.step("low_error", "top >= last + 1", ESSENTIAL, top=top, last=self.counts[-1])
        arrows["last"] = self._arrow(
            cert, "arrow_last", self.d, self.counts[-1], math.floor(self.chunk * alpha)
        )
        names, groups = list(arrows), arrows
        if len(names) > _TERMS:  # a sum of very many terms would be nested too deeply
            groups = {}
            for i in range(0, len(names), _TERMS):
                some = {name: arrows[name] for name in names[i : i + _TERMS]}
                sum_of = " + ".join(some)
                groups[f"s{i}"] = cert.step(f"arrows_from_{i}", sum_of, ESSENTIAL, **some)
        return cert.step("bad_teacher", f"min(1, {' + '.join(groups)})", ESSENTIAL, **groups)

    def _arrow(self, cert: CertificateBuilder, name: str, vc: int, low: int, high: int) -> Step:
        known: dict[str, Any] = {"vc": vc, "m": self.chunk, "y": max(high, 1)}
        if low == 0:
            decay = "exp(-y*log(2))"
        else:
            decay = "exp(-x*log(2*x/(x + y)) - y*log(2*y/(x + y)))"
            known["x"] = low
        return cert.step(name, f"2*growth(vc, 2*m)*{decay}", ESSENTIAL, **known)


def distance(x: int, y: float) -> float:
    """Return D(x, y): minus ln of the chance that x + y errors fall so unevenly, or worse.

    Examples
    --------
    >>> round(distance(0, 10), 3), distance(4, 4)
    (6.931, 0.0)
    """
    total = x + y
    return sum(part * math.log(2 * part / total) for part in (x, y) if part)


def _least_far(x: int, allowed: float) -> int:
    """Return the least y > x with distance(x, y) >= allowed.

    Newton's method comes near: the distance is convex in y, with derivative ln(2y/(x+y)).
    """
    y = x + 2 * math.sqrt(allowed * x) + 2 * allowed  # beyond, or nearly
    for _ in range(50):
        step = (distance(x, y) - allowed) / math.log(2 * y / (x + y))
        y -= step
        if abs(step) < 0.25:
            break
    near = max(math.ceil(y), x + 1)
    while distance(x, near) < allowed:
        near += 1
    while near > x + 1 and distance(x, near - 1) >= allowed:
        near -= 1
    return near


def _log_growth(d: int, n: int) -> float:
    terms, term = [0.0], 0.0
    for i in range(min(d, n)):
        term += math.log((n - i) / (i + 1))
        terms.append(term)
    top = max(terms)
    return top + math.log(sum(math.exp(t - top) for t in terms))
