"""Probabilistic representations: a random finite hypothesis set that is good for each concept.

A representation (Li, Wang, Ye 2024, Definition 2.3) is a *distribution* over finite hypothesis
sets, with a public size; its coins are public and independent of the data. ``drawn(source)``
gives one set H, whose hypotheses can be scored in two ways:

``candidates(sample)``
    by the direct error count; replacing one record changes it by at most 1.
``surrogate_candidates(sample)``
    by ``q(h) = min over concepts c of errors(c) + disagreements(c, h)`` (Theorem 3.4, step 2), as
    an exact integer; replacing one record changes it by at most 2 in general, and by at most 1
    when H is part of the class: then q(h) = errors(h) (c = h gives <=, the triangle inequality >=).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.bounds import HashFamily
from littlestone.classes.base import Mapped
from littlestone.classes.fields import json_integer
from littlestone.classes.hashing import HashFunction, point_collision
from littlestone.classes.hashing import HashHypothesis as _Bucket
from littlestone.classes.hypotheses import AlwaysZero
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Explicit, Source
from littlestone.types import Hypothesis, Json

if TYPE_CHECKING:
    from littlestone.classes.base import ConceptClass
    from littlestone.classes.points import Points
    from littlestone.data import Sample

__all__ = [
    "HASHED_POINTS",
    "HashedPointSet",
    "HashedPoints",
    "HypothesisSet",
    "IdentityRepresentation",
    "Representation",
]

#: Scores of hashed points are stored one by one: 8 bytes each.
_MAX_SIZE = 50_000_000
_MAX_COPIES = 64


class HypothesisSet(ABC):
    """A finite public set H of hypotheses: what the exponential mechanism chooses from.

    Attributes
    ----------
    size : int
        Number of representations shown to the mechanism (an upper bound of the number of
        different functions).
    proper : bool
        Whether every hypothesis is a concept of the class.
    surrogate_sensitivity : int
        By how much the surrogate score can change when one record is replaced: 1 or 2.
    """

    size: int
    proper: bool

    @property
    def surrogate_sensitivity(self) -> int:
        """1 if H is part of the class, else 2."""
        return 1 if self.proper else 2

    @abstractmethod
    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return the hypotheses, scored by minus their errors (sensitivity 1)."""

    @abstractmethod
    def surrogate_candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return the hypotheses, scored by minus q (sensitivity ``surrogate_sensitivity``)."""

    @abstractmethod
    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the hypotheses (each once or more) in a fixed public order."""

    @abstractmethod
    def to_dict(self) -> Json:
        """Return the public parameters, coins included, as plain JSON."""


class Representation(ABC):
    """A distribution over hypothesis sets, all of one public size.

    Attributes
    ----------
    concept_class : ConceptClass
    alpha, beta : Fraction
        For each concept and each distribution of points, with probability at least 1 - beta over
        the coins, some hypothesis disagrees with the concept with probability at most alpha.
    size : int
        Size of each drawn set.
    proper : bool
    """

    concept_class: ConceptClass
    alpha: Fraction
    beta: Fraction
    size: int
    proper: bool

    @abstractmethod
    def drawn(self, source: Source) -> HypothesisSet:
        """Draw a hypothesis set with public coins (``source.public_rng()``), never with data."""


@dataclass(frozen=True)
class IdentityRepresentation(Representation, HypothesisSet):
    """A finite class represents itself: no coins, alpha = beta = 0, proper.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> IdentityRepresentation(Thresholds(1, 9)).size
    10
    """

    concept_class: ConceptClass

    alpha = Fraction(0)
    beta = Fraction(0)
    proper = True

    def __post_init__(self) -> None:
        if not isinstance(self.concept_class.size, int):
            raise UnsupportedError(
                f"The class {self.concept_class.spec} is infinite, so it cannot represent itself. "
                "Use its representation(alpha, beta)."
            )

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of candidates of the class."""
        return int(self.concept_class.size)

    def drawn(self, source: Source) -> IdentityRepresentation:
        """Return itself; nothing is drawn."""
        return self

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return the concepts, scored by minus their errors."""
        return self.concept_class.candidates(sample)

    def surrogate_candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return the same: on the class itself, the surrogate is the error."""
        return self.concept_class.candidates(sample)

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the concepts."""
        return self.concept_class.concepts()

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": "whole", "class": self.concept_class.to_dict(), "size": self.size}


class HashedPoints(Representation):
    r"""Points over any domain: all points that share a bucket of a random public hash.

    H is the constant 0 and, for each of ``copies`` independent hash functions, one hypothesis for
    each bucket. For the concept of a point x, the hypothesis of x's bucket errs on the other
    points of that bucket: an expected disagreement of at most ``collision``, so each copy misses
    alpha with probability at most collision/alpha (Markov), and all of them with probability at
    most (collision/alpha)**copies <= beta.

    Parameters
    ----------
    concept_class : Points
    alpha, beta : Fraction in (0, 1)
    copies, buckets : int >= 1
        They must reach beta; `smallest` finds those with the smallest size.

    Attributes
    ----------
    size : int
        copies * buckets + 1: the constant 0 is counted once.
    collision : Fraction
        Bound on Pr[h(x) = h(y)] for different points x, y shorter than 2**32 words.

    Raises
    ------
    ParameterError
        If copies and buckets do not reach beta, or make more than 5 * 10**7 hypotheses.

    Notes
    -----
    Source: Li, Wang, Ye 2024, Definition 2.3; the construction is the point functions' (Beimel,
    Nissim, Stemmer 2013) with exact constants. The size does not depend on the domain.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> hashed = Points().representation(alpha=0.1, beta=0.05)
    >>> hashed.copies, hashed.buckets, hashed.size
    (3, 28, 85)
    """

    proper = False

    def __init__(
        self,
        concept_class: Points,
        alpha: Fraction,
        beta: Fraction,
        copies: int,
        buckets: int,
    ) -> None:
        self.concept_class: Points = concept_class
        self.alpha, self.beta = alpha, beta
        self.copies = check_integer("HashedPoints", "copies", copies, low=1)
        self.buckets = check_integer("HashedPoints", "buckets", buckets, low=1)
        self.size = self.copies * self.buckets + 1
        if self.size > _MAX_SIZE:
            raise parameter_error(
                "HashedPoints",
                "alpha",
                "larger for this beta",
                float(alpha),
                f"More than {_MAX_SIZE} hypotheses would be needed.",
            )
        if (self.collision / alpha) ** self.copies > beta:
            raise parameter_error(
                "HashedPoints",
                "buckets",
                "large enough to reach beta",
                self.buckets,
                "HashedPoints.smallest(concept_class, alpha, beta) finds copies and buckets.",
            )

    @classmethod
    def smallest(cls, concept_class: Points, alpha: Fraction, beta: Fraction) -> HashedPoints:
        """Return the representation of the smallest size that reaches alpha and beta."""
        options = ((t, _buckets(alpha, beta, t)) for t in range(1, _MAX_COPIES + 1))
        copies, buckets = min(options, key=lambda option: option[0] * option[1])
        return cls(concept_class, alpha, beta, copies, buckets)

    @property
    def collision(self) -> Fraction:
        """Bound on the probability that two different points share a bucket."""
        return point_collision(self.buckets)

    def drawn(self, source: Source) -> HypothesisSet:
        """Draw the hash functions with public coins."""
        rng = source.public_rng()
        functions = tuple(HashFunction.drawn(rng, self.buckets) for _ in range(self.copies))
        return HashedPointSet(functions, self.concept_class.bounds)


#: Buckets are the candidates of one copy; all copies share the constant 0.
HASHED_POINTS = HashFamily(candidates=lambda buckets: buckets, collision=point_collision)


def _buckets(alpha: Fraction, beta: Fraction, copies: int) -> int:
    """Return the least number of buckets with (collision / alpha)**copies <= beta."""
    share: float = float(alpha) * float(beta) ** (1 / copies)
    if share * _MAX_SIZE < 1:
        return _MAX_SIZE
    guess = ceil(1 / share)
    buckets = max(guess - 2, 1)
    # collision(buckets) decreases to 2**-32: stop where no number of buckets can do
    while (point_collision(buckets) / alpha) ** copies > beta:
        buckets += 1
        if buckets > guess + 2:
            return _MAX_SIZE
    return buckets


@dataclass(frozen=True)
class HashedPointSet(HypothesisSet):
    """What `HashedPoints` draws: the constant 0, then the buckets of each hash function."""

    functions: tuple[HashFunction, ...]
    bounds: tuple[int, int] | None

    proper = False

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of hypotheses."""
        return len(self.functions) * self.functions[0].buckets + 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Errors of a bucket B: all positives, less those in B, plus the negatives in B."""
        points, zeros, ones, positives = self._inside(sample)
        weights = zeros - ones
        scores = [np.zeros(1, dtype=np.int64)]
        for function in self.functions:
            total = np.zeros(function.buckets, dtype=np.int64)
            if len(points):
                np.add.at(total, function(points), weights)
            scores.append(-total)
        return self._choice(np.concatenate(scores) - positives)

    def surrogate_candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Score by q, in closed form.

        For a bucket B with n_B records: the concept 0 gives positives + n_B; the concept of a
        point y in B gives positives - ones_y + zeros_y (errors) + n_B - n_y (disagreements) =
        positives + n_B - 2 ones_y; that of a point y not in B gives positives + n_B + 2 zeros_y.
        So q(B) = positives + n_B - 2 max over y in B of ones_y, and q(0) = positives.
        """
        points, zeros, ones, positives = self._inside(sample)
        scores = [np.zeros(1, dtype=np.int64)]
        for function in self.functions:
            records = np.zeros(function.buckets, dtype=np.int64)
            best = np.zeros(function.buckets, dtype=np.int64)
            if len(points):
                bucket = function(points)
                np.add.at(records, bucket, zeros + ones)
                np.maximum.at(best, bucket, ones)
            scores.append(2 * best - records)
        return self._choice(np.concatenate(scores) - positives)

    def _choice(self, scores: npt.NDArray[np.int64]) -> Choice[Hypothesis]:
        return Mapped(Explicit(scores), self.hypothesis)

    def hypothesis(self, index: int) -> Hypothesis:
        """Return hypothesis number 0, ..., size - 1."""
        if index == 0:
            return AlwaysZero()
        copy, bucket = divmod(index - 1, self.functions[0].buckets)
        return _Bucket(self.functions[copy], bucket, self.bounds)

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield them by number."""
        return map(self.hypothesis, range(self.size))

    def _inside(
        self, sample: Sample
    ) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
        """Return the points in the domain with their counts, and the number of positives."""
        points, zeros, ones = sample.points, sample.zeros, sample.ones
        if self.bounds is not None and len(points):
            low, high = self.bounds
            keep = np.asarray((points >= low) & (points <= high), dtype=bool)
            points, zeros, ones = points[keep], zeros[keep], ones[keep]
        return points, zeros.astype(np.int64), ones.astype(np.int64), sample.positives

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": "hashed points", "hashes": [f.to_dict() for f in self.functions]}
        if self.bounds is not None:
            out |= dict(zip(("low", "high"), map(json_integer, self.bounds), strict=True))
        return out | {"size": self.size}
