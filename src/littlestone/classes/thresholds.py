"""Thresholds on the integers low .. high, of any size: f_u(x) = 1 if and only if x > u."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from littlestone.classes.base import ConceptClass, weights_inside
from littlestone.classes.fields import Fields, json_integer
from littlestone.classes.hypotheses import ThresholdHypothesis
from littlestone.classes.integers import number
from littlestone.data import IntegerDomain, Sample
from littlestone.errors import check_integer, parameter_error
from littlestone.source import Choice, LeveledChoice
from littlestone.types import Hypothesis, Json

__all__ = ["Thresholds", "integer_bounds"]

_GRID = (
    "On real numbers, thresholds and intervals have infinite Littlestone dimension, so nobody can "
    "learn them privately (Alon et al. 2022, Theorem 1). Use a public grid: count in cents, "
    "seconds or 2**64 steps."
)


def integer_bounds(owner: str, low: Any, high: Any) -> tuple[int, int]:
    """Check the bounds of an integer domain."""
    low = check_integer(owner, "low", low, hint=_GRID if isinstance(low, float) else "")
    high = check_integer(owner, "high", high, hint=_GRID if isinstance(high, float) else "")
    if low > high:
        raise parameter_error(owner, "high", "at least 'low'", high, "Swap the two bounds.")
    return low, high


class Thresholds(ConceptClass):
    """Thresholds: "1 if x > u", for u from low - 1 (always) to high (never).

    There is one more concept than points. The domain may be huge: a draw costs as much as the
    number of *distinct points of the sample*, whatever the domain.

    Parameters
    ----------
    low, high : int of any size, low <= high
        The public domain. Never take it from the data.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law.

    Notes
    -----
    VC dimension 1. Cost of a draw: O(k) for k distinct points (k = 10,000 points of a domain of
    2**1024: about 0.05 s). Source: folklore; used in all five papers.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> ages = Thresholds(1, 99)
    >>> ages.size, ages.vc_dim
    (100, 1)
    >>> data = Sample.of([12, 17, 18, 40], [0, 0, 1, 1])
    >>> ages.candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 if x > 17, otherwise 0 (x from 1 to 99)'
    """

    name = "thresholds"

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = integer_bounds("Thresholds", low, high)

    @property
    def spec(self) -> str:
        """The text of the class."""
        return f"thresholds({number(self.low)}, {number(self.high)})"

    @property
    def domain(self) -> IntegerDomain:
        """The integers from low to high."""
        return IntegerDomain(self.low, self.high)

    @property
    def size(self) -> int:
        """Number of concepts: one more than points."""
        return self.high - self.low + 2

    @property
    def vc_dim(self) -> int:
        """1."""
        return 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all thresholds, scored by minus their errors; see `ConceptClass.candidates`."""
        points, weights, constant = weights_inside(sample, self.low, self.high)
        # Run i holds the u with exactly i distinct points <= u: they label those 0, the rest 1.
        starts = [self.low - 1, *points]
        ends = [*points, self.high + 1]
        lengths = [end - start for start, end in zip(starts, ends, strict=True)]
        everything = constant + sum(weights)  # errors of the constant 1
        scores = [passed - everything for passed in accumulate(weights, initial=0)]

        def make(run: int, offset: int) -> ThresholdHypothesis:
            return ThresholdHypothesis(starts[run] + offset, self.low, self.high)

        return LeveledChoice(scores, lengths, make)

    def _concepts(self) -> Iterator[Hypothesis]:
        for above in range(self.low - 1, self.high + 1):
            yield ThresholdHypothesis(above, self.low, self.high)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        low, high = json_integer(self.low), json_integer(self.high)
        return {"type": self.name, "low": low, "high": high}

    @classmethod
    def from_dict(cls, data: Any) -> Thresholds:
        """Read it back."""
        fields = Fields(data, ("low", "high"))
        return cls(fields.integer("low"), fields.integer("high"))
