"""The target of a private quantile: which values count as a success, for n records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.bounds import CertificateBuilder, Step
from littlestone.errors import check_fraction, parameter_error

__all__ = ["RankWindow"]


@dataclass(frozen=True)
class RankWindow:
    """The values with a rank in [low * n, high * n].

    A value z is in the window when at least ``low * n`` records are <= z and at least
    ``(1 - high) * n`` records are >= z, and at least one in both cases. So (0, 1) asks for an
    *interior point*, (1/4, 3/4) for a value between the quartiles, (0.89, 0.91) for a 90%
    quantile.

    Parameters
    ----------
    low, high : number in [0, 1], low < high
        A float is taken as the simple fraction that it stands for: 1/3 means one third.

    Examples
    --------
    >>> window = RankWindow.of((1/3, 2/3))
    >>> window.needs(10)
    (4, 4)
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, rank: Any, owner: str = "private_median") -> RankWindow:
        """Return the window after checking it.

        Raises
        ------
        ParameterError
            If ``rank`` is not a pair of numbers in [0, 1], the first one smaller.
        """
        if isinstance(rank, RankWindow):
            return rank
        hint = "Use (1/3, 2/3) for a value in the middle third, (0, 1) for an interior point."
        try:
            low, high = (_simple(owner, part) for part in rank)
        except (TypeError, ValueError):
            raise parameter_error(owner, "rank", "a pair of numbers", rank, hint) from None
        if not 0 <= low < high <= 1:
            raise parameter_error(
                owner, "rank", "(low, high) with 0 <= low < high <= 1", rank, hint
            )
        return cls(low, high)

    def needs(self, n: int) -> tuple[int, int]:
        """Return (left, right): how many records must be <= z, and how many >= z."""
        return max(1, math.ceil(self.low * n)), max(1, math.ceil((1 - self.high) * n))

    def slack(self, n: int) -> int:
        """Return ``n - left - right``; one value in the middle exceeds both needs by about half."""
        left, right = self.needs(n)
        return n - left - right

    def least_n(self, slack: int) -> int:
        """Return the least n >= 1 from which on the slack is always at least that.

        The slack has a sawtooth: with one record more it may fall by 1. It is larger than
        ``n * (high - low) - 2``.
        """
        n = max(1, math.ceil((slack + 2) / (self.high - self.low)))
        while n > 1 and self.slack(n - 1) >= slack:
            n -= 1
        return n

    @property
    def alpha(self) -> Fraction:
        """Half of the window's width: how far the rank may be from its centre."""
        return (self.high - self.low) / 2

    def steps(self, cert: CertificateBuilder, n: int, source: str) -> dict[str, Step]:
        """Write the needs into a certificate's worksheet."""
        low, high = self.low, self.high
        return {
            "left": cert.step("left", "max(1, ceil(low*n))", source, low=low, n=n),
            "right": cert.step("right", "max(1, ceil((1 - high)*n))", source, high=high, n=n),
        }

    @property
    def key(self) -> tuple[str, str]:
        """The window as exact texts, for JSON."""
        return str(self.low), str(self.high)

    def __str__(self) -> str:
        return f"({self.low}, {self.high})"


def _simple(owner: str, value: Any) -> Fraction:
    """Return an end of the window; a float stands for the simplest fraction that prints like it."""
    if not isinstance(value, str) and not isinstance(value, bool) and value == 0:
        return Fraction(0)
    exact: Fraction = check_fraction(owner, "rank", value)
    if isinstance(value, float):
        simple = exact.limit_denominator(10**6)
        return simple if float(simple) == float(value) else exact
    return exact
