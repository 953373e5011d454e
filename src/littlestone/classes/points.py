"""Points: at most one point of the domain is 1. The domain may be infinite."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from littlestone.classes.base import ConceptClass, weights_inside
from littlestone.classes.fields import Fields, json_integer
from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis
from littlestone.classes.integers import number
from littlestone.classes.representations import (
    HASHED_POINTS,
    HashedPoints,
    IdentityRepresentation,
    Representation,
)
from littlestone.classes.thresholds import integer_bounds
from littlestone.data import AnyDomain, IntegerDomain, Sample
from littlestone.errors import UnsupportedError, check_probability, parameter_error
from littlestone.source import Choice, LeveledChoice
from littlestone.types import Hypothesis, Json

if TYPE_CHECKING:
    from littlestone.bounds import HashFamily

__all__ = ["Points"]


class Points(ConceptClass):
    """One point is 1, or none is.

    Parameters
    ----------
    low, high : int of any size, or both None
        None: every integer, text, tuple, ... may be a point; the class is infinite, and is learned
        through a `representation` (hashing). Otherwise the domain is low .. high.

    Notes
    -----
    VC dimension 1 and Littlestone dimension 1. Cost of a draw: O(k) for k distinct points.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> Points().size, Points(1, 9).size
    (inf, 10)
    >>> data = Sample.of([7, 7, 3], [1, 1, 0])
    >>> Points(1, 9).candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 if x = 7, otherwise 0'
    """

    name = "points"

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        self.bounds: tuple[int, int] | None = None
        if (low is None) != (high is None):
            raise parameter_error(
                "Points", "high" if high is None else "low", "given together with the other bound",
                None, "Write Points() for any hashable point, or Points(low, high).",
            )  # fmt: skip
        if low is not None:
            self.bounds = integer_bounds("Points", low, high)

    @property
    def spec(self) -> str:
        """The text of the class."""
        return f"points({', '.join(map(number, self.bounds or ()))})"

    @property
    def domain(self) -> AnyDomain | IntegerDomain:
        """Everything hashable, or the integers from low to high."""
        return AnyDomain() if self.bounds is None else IntegerDomain(*self.bounds)

    @property
    def size(self) -> int | float:
        """Number of concepts: one more than points."""
        return math.inf if self.bounds is None else self.bounds[1] - self.bounds[0] + 2

    @property
    def vc_dim(self) -> int:
        """1."""
        return 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all concepts, scored by minus their errors; see `ConceptClass.candidates`."""
        low, high = self._finite()
        points, weights, constant = weights_inside(sample, low, high)
        # The constant 0 first, then the domain in order: a run of absent points before each point.
        starts, lengths, scores = [low - 1], [1], [-constant]
        for before, after in pairwise([low - 1, *points, high + 1]):
            starts += [before + 1, after]
            lengths += [after - before - 1, 1]
            scores += [-constant, 0]
        scores[2::2] = [-constant - weight for weight in weights] + [0]
        lengths[-1] = 0  # high + 1 is not a point

        def make(run: int, offset: int) -> Hypothesis:
            return PointHypothesis(starts[run] + offset) if run else AlwaysZero()

        return LeveledChoice(scores, lengths, make)

    def representation(self, alpha: Any = None, beta: Any = None) -> Representation:
        """Return a finite representation: by hashing, or the class itself where that is smaller.

        Parameters
        ----------
        alpha, beta : float in (0, 1)
            See `ConceptClass.representation`; they may be left out if the domain is finite.

        Returns
        -------
        Representation
        """
        if self.bounds is not None and alpha is None and beta is None:
            return IdentityRepresentation(self)
        hint = "An infinite class needs both; try alpha=0.05, beta=0.025."
        hashed = HashedPoints.smallest(
            self,
            check_probability("Points.representation", "alpha", alpha, hint=hint),
            check_probability("Points.representation", "beta", beta, hint=hint),
        )
        return hashed if self.size > hashed.size else IdentityRepresentation(self)

    @property
    def hashing(self) -> HashFamily:
        """How hashing represents the class: what `littlestone.bounds.best_hashing` searches."""
        return HASHED_POINTS

    def hashed(self, copies: int, buckets: int) -> Representation:
        """Return the representation with this many hash functions and buckets of each."""
        alpha = min(Fraction(1, 2), 2 * HASHED_POINTS.collision(buckets))
        beta = (HASHED_POINTS.collision(buckets) / alpha) ** copies
        return HashedPoints(self, alpha, beta, copies, buckets)

    def _finite(self) -> tuple[int, int]:
        if self.bounds is None:
            raise UnsupportedError(
                "points() is infinite, so its concepts cannot be scored one by one. Use "
                "representation(alpha, beta), or bound the domain: points(low, high)."
            )
        return self.bounds

    def _concepts(self) -> Iterator[Hypothesis]:
        low, high = self._finite()
        yield AlwaysZero()
        for point in range(low, high + 1):
            yield PointHypothesis(point)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": self.name}
        if self.bounds is not None:
            out |= dict(zip(("low", "high"), map(json_integer, self.bounds), strict=True))
        return out

    @classmethod
    def from_dict(cls, data: Any) -> Points:
        """Read it back."""
        fields = Fields(data, (), ("low", "high"))
        if "low" not in fields and "high" not in fields:
            return cls()
        fields = Fields(data, ("low", "high"))
        return cls(fields.integer("low"), fields.integer("high"))
