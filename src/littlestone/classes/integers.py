"""What classes over integers share: their bounds, the integers from low to high, lazy lists."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, overload

from littlestone.classes.base import ConceptClass, IdentityRepresentation, Representation
from littlestone.classes.hashing import Hashed
from littlestone.data import AnyDomain, IntegerDomain
from littlestone.errors import UnsupportedError, check_integer, check_probability, parameter_error
from littlestone.types import Hypothesis

_GRID = (
    "On real numbers, thresholds and intervals have infinite Littlestone dimension, so nobody can "
    "learn them privately (Alon et al. 2022, Theorem 1). Use a public grid: count in cents, "
    "seconds or 2**64 steps."
)


def integer_bounds(caller: str, low: Any, high: Any) -> tuple[int, int]:
    """Check the bounds of an integer domain."""
    low = check_integer(caller, "low", low, hint=_GRID if isinstance(low, float) else "")
    high = check_integer(caller, "high", high, hint=_GRID if isinstance(high, float) else "")
    if low > high:
        raise parameter_error(caller, "high", "at least 'low'", high, "Swap the two bounds.")
    return low, high


class IntegerClass(ConceptClass):
    """A class over the integers from low to high."""

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = integer_bounds(type(self).__name__, low, high)

    @property
    def domain(self) -> IntegerDomain:
        """The integers from low to high."""
        return IntegerDomain(self.low, self.high)


class SetsOfPoints(ConceptClass):
    """A class of sets of points: of any hashable ones, or of the integers from low to high."""

    bounds: tuple[int, int] | None = None
    low: int | None = None
    high: int | None = None
    #: What represents the class by hashing.
    _by_hashing: ClassVar[type[Hashed]]

    def __init__(self, low: int | None = None, high: int | None = None) -> None:
        caller = type(self).__name__
        if (low is None) != (high is None):
            raise parameter_error(
                caller, "high" if high is None else "low", "given together with the other bound",
                None, f"Leave both out for any hashable points: {self.spec}.",
            )  # fmt: skip
        if low is not None:
            self.bounds = self.low, self.high = integer_bounds(caller, low, high)

    @property
    def domain(self) -> AnyDomain | IntegerDomain:
        """Everything hashable, or the integers from low to high."""
        return AnyDomain() if self.bounds is None else IntegerDomain(*self.bounds)

    def representation(self, alpha: Any = None, beta: Any = None) -> Representation:
        """Return a finite representation: by hashing, or the class itself where that is smaller."""
        if self.bounds is not None and alpha is None and beta is None:
            return IdentityRepresentation(self)
        hint = "An infinite class needs both; try alpha=0.05, beta=0.025."
        caller = f"{type(self).__name__}.representation"
        hashed = self._by_hashing.smallest(
            self,
            check_probability(caller, "alpha", alpha, hint=hint),
            check_probability(caller, "beta", beta, hint=hint),
        )
        return hashed if self.size > hashed.size else IdentityRepresentation(self)

    def hashed(self, copies: int, buckets: int) -> Representation:
        """Return the representation with this many hash functions and buckets of each."""
        collision = self.hashing.collision(buckets)
        alpha = min(Fraction(1, 2), 2 * collision)
        return self._by_hashing(self, alpha, (collision / alpha) ** copies, copies, buckets)

    def _finite(self) -> tuple[int, int]:
        """Return the bounds, or refuse an infinite domain."""
        if self.bounds is None:
            raise UnsupportedError(
                f"{self.spec} is infinite, so its concepts cannot be scored one by one. Use "
                "representation(alpha, beta), or bound the domain by low and high."
            )
        return self.bounds


@dataclass(frozen=True)
class NumberedConcepts(Sequence[Hypothesis]):
    """All concepts of a version space, in the order of their numbers; nothing is listed."""

    space: Any

    @abstractmethod
    def concept(self, index: int) -> Hypothesis:
        """Return one concept by its number, counted from 0."""

    @property
    def size(self) -> int:
        """Number of concepts."""
        return int(self.space.size)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Hypothesis]:
        return map(self.concept, range(self.size))

    def __contains__(self, item: object) -> bool:
        return self.space.index(item) is not None

    @overload
    def __getitem__(self, index: int) -> Hypothesis: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Hypothesis]: ...

    def __getitem__(self, index: int | slice) -> Hypothesis | Sequence[Hypothesis]:
        if isinstance(index, slice):
            return [self.concept(i) for i in range(*index.indices(self.size))]
        return self.concept(index + self.size if index < 0 else index)
