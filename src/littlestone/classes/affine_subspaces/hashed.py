"""Flats of a huge space by flats of a small one: images under public random linear maps.

Let A be a random matrix of m rows over F_q, and F a flat of dimension at most d. Take the
hypothesis "A x lies in A F". It is 1 on F. For another point x, with o a point of F and V its
directions, it is 1 only if A (x - o - v) = 0 for some v in V; each of these at most q**d vectors is
not 0, so A takes it to 0 with probability q**-m. So the expected disagreement is at most
``q**d / q**m``, for every distribution, and the image A F is one of the flats of F_q^m: few, and
scored one by one (`littlestone.classes.affine_subspaces.levels`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.bounds import HashFamily
from littlestone.classes.affine_subspaces.hypotheses import (
    MAX_LENGTH,
    FlatHypothesis,
    flat_count,
)
from littlestone.classes.affine_subspaces.levels import MOST_FLATS, FlatChoice, FlatTable, cells
from littlestone.classes.affine_subspaces.linear_algebra import Basis
from littlestone.classes.base import HypothesisSet, Representation
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import readable
from littlestone.classes.vectors import Vector, vector_rows
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Source
from littlestone.types import Hypothesis, Json, Labels, Points

if TYPE_CHECKING:
    from littlestone.classes.affine_subspaces.concept_class import AffineSubspaces
    from littlestone.data import Sample

__all__ = ["HashedFlats", "ImageHypothesis", "hashed_flats"]

_MOST_COPIES = 16


@lru_cache(maxsize=64)
def hashed_flats(q: int, n: int, dim: int) -> HashFamily | None:
    """Return how flats are hashed: the buckets are the vectors of F_q^m; None if no m will do.

    Examples
    --------
    >>> family = hashed_flats(7, 20, 2)
    >>> family.buckets == (7**3, 7**4, 7**5), family.collision(7**5)
    (True, Fraction(1, 343))
    """
    lengths = {q**m: m for m in range(dim + 1, n) if flat_count(q, m, dim) <= MOST_FLATS}
    if not lengths:
        return None
    return HashFamily(
        lambda buckets: flat_count(q, lengths[buckets], dim),
        lambda buckets: Fraction(q**dim, buckets),
        shared=0,
        buckets=tuple(lengths),
    )


@readable
@dataclass(frozen=True)
class ImageHypothesis:
    """1 where a public linear map leads into a flat.

    Parameters
    ----------
    n : int
        Length of the points.
    rows : tuple of tuples
        The matrix over F_q.
    flat : FlatHypothesis
        Of vectors with one entry for each row.

    Examples
    --------
    >>> zero = FlatHypothesis(2, 1, (), (0,))
    >>> rule = ImageHypothesis(3, ((1, 1, 0),), zero)
    >>> rule.predict(np.array([[1, 1, 0], [1, 0, 1]])).tolist()
    [1, 0]
    """

    n: int
    rows: tuple[Vector, ...]
    flat: FlatHypothesis

    TYPE = "flat_image"

    @property
    def key(self) -> Hashable:
        """Canonical identity (different maps may give equal functions)."""
        return (self.TYPE, self.n, self.rows, self.flat.key)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        rows, inside = vector_rows(points, self.flat.q, self.n)
        image = rows @ np.array(self.rows, dtype=np.int64).T % self.flat.q
        out: Labels = (inside & (self.flat.predict(image) == 1)).astype(np.int8)
        return out

    def describe(self) -> str:
        """Say the hypothesis in words."""
        return (
            f"with the image y of x under a public linear map to {len(self.rows)} entries: "
            f"{self.flat.describe().replace('1 on', '1 for y on', 1)}"
        )

    def to_dict(self) -> Json:
        """Return plain JSON; the map is in it, so everyone can compute the hypothesis."""
        rows = [list(row) for row in self.rows]
        return {"type": self.TYPE, "n": self.n, "rows": rows, "flat": self.flat.to_dict()}

    @classmethod
    def from_dict(cls, data: Any) -> ImageHypothesis:
        """Read it back."""
        fields = Fields(data, ("n", "rows", "flat"))
        n = fields.integer("n", low=1, high=MAX_LENGTH)
        flat = FlatHypothesis.from_dict(fields.any("flat"))
        rows = fields.items("rows", MAX_LENGTH)
        if len(rows) != flat.n or not all(_is_row(row, n, flat.q) for row in rows):
            raise fields.refuse(
                "rows", "one row of entries of the field for each entry of the flat"
            )
        return cls(n, tuple(map(tuple, rows)), flat)


def _is_row(row: Any, n: int, q: int) -> bool:
    entries = isinstance(row, list) and len(row) == n
    return entries and all(type(v) is int and 0 <= v < q for v in row)


class HashedFlats(Representation):
    """Flats of a huge space: those of F_q^m under ``copies`` random linear maps.

    Parameters
    ----------
    concept_class : AffineSubspaces
    alpha, beta : Fraction in (0, 1)
    copies, buckets : int
        ``buckets = q**m``. They must reach beta: ``(q**dim / buckets / alpha)**copies <= beta``.

    Attributes
    ----------
    size : int
        copies * (number of flats of F_q^m).

    Raises
    ------
    UnsupportedError
        If copies and buckets do not reach beta.

    Notes
    -----
    Source: Li, Wang, Ye 2024, Definition 2.3; construction and proof: module docstring.

    Examples
    --------
    >>> from littlestone.classes import AffineSubspaces
    >>> hashed = AffineSubspaces(7, 20, 2).representation(alpha=0.1, beta=0.05)
    >>> hashed.copies, hashed.rows, hashed.size
    (2, 4, 558502)
    """

    proper = False

    def __init__(
        self,
        concept_class: AffineSubspaces,
        alpha: Fraction,
        beta: Fraction,
        copies: int,
        buckets: int,
    ) -> None:
        self.concept_class: AffineSubspaces = concept_class
        self.alpha, self.beta = alpha, beta
        self.copies = check_integer("HashedFlats", "copies", copies, low=1)
        family = concept_class.hashing
        if buckets not in family.buckets:
            rule = f"one of {', '.join(map(str, family.buckets))}"
            raise parameter_error("HashedFlats", "buckets", rule, buckets)
        self.buckets = buckets
        #: m: the number of rows of each map.
        self.rows = family.buckets.index(buckets) + concept_class.dim + 1
        self.size = copies * family.candidates(buckets)
        if (family.collision(buckets) / alpha) ** copies > beta:
            raise too_small(concept_class)

    @classmethod
    def smallest(
        cls, concept_class: AffineSubspaces, alpha: Fraction, beta: Fraction
    ) -> HashedFlats:
        """Return the representation of the smallest size that reaches alpha and beta."""
        family = concept_class.hashing
        options = [
            (copies * family.candidates(buckets), copies, buckets)
            for buckets in family.buckets
            for copies in range(1, _MOST_COPIES + 1)
            if (family.collision(buckets) / alpha) ** copies <= beta
        ]
        if not options:
            raise too_small(concept_class)
        return cls(concept_class, alpha, beta, *min(options)[1:])

    def drawn(self, source: Source) -> HashedFlatSet:
        """Draw the matrices with public coins."""
        rng, q = source.public_rng(), self.concept_class.q
        shape = (self.copies, self.rows, self.concept_class.n)
        maps = rng.integers(q, size=shape, dtype=np.int64).tolist()
        matrices = tuple(tuple(map(tuple, rows)) for rows in maps)
        return HashedFlatSet(self.concept_class, matrices, self.size)


@dataclass(frozen=True)
class HashedFlatSet(HypothesisSet):
    """What `HashedFlats` draws: for each matrix, the flats of its images.

    Parameters
    ----------
    concept_class : AffineSubspaces
    matrices : tuple of matrices
    size : int
    """

    concept_class: AffineSubspaces
    matrices: tuple[tuple[Vector, ...], ...]
    size: int

    proper = False

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Score by minus the errors: the gain of a flat is that of the images in it."""
        own = self.concept_class
        rows, inside = vector_rows(sample.points, own.q, own.n)
        gains = (sample.ones.astype(np.int64) - sample.zeros)[inside]
        tables = []
        for matrix in self.matrices:
            images = rows[inside] @ np.array(matrix, dtype=np.int64).T % own.q
            m = len(matrix)
            tables.append(FlatTable(own.q, m, own.dim, cells(images, gains, own.q, m)))
        return FlatChoice(tables, sample.positives, self.size, self._hypothesis)

    def _hypothesis(self, copy: int, basis: Basis, offset: Vector) -> ImageHypothesis:
        q, matrix = self.concept_class.q, self.matrices[copy]
        return ImageHypothesis(
            self.concept_class.n, matrix, FlatHypothesis(q, len(matrix), basis, offset)
        )

    def surrogate_candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Refuse: `candidates` scores by the direct error.

        Raises
        ------
        UnsupportedError
        """
        raise UnsupportedError(
            "Images of flats are scored by their direct error (sensitivity 1), which needs fewer "
            "records than the surrogate: use candidates(sample)."
        )

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the flats of each matrix."""
        own = type(self.concept_class)
        for copy, matrix in enumerate(self.matrices):
            for flat in own(self.concept_class.q, len(matrix), self.concept_class.dim).concepts():
                assert isinstance(flat, FlatHypothesis)
                yield self._hypothesis(copy, flat.basis, flat.offset)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        maps = [[list(row) for row in matrix] for matrix in self.matrices]
        return {"type": "hashed flats", "maps": maps, "size": self.size}


def too_small(concept_class: AffineSubspaces) -> UnsupportedError:
    """Return the refusal of an alpha and beta that images of flats do not reach."""
    return UnsupportedError(
        f"The exponential mechanism lists flats, or their images under random linear maps; for "
        f"{concept_class.spec} no image of at most 2**26 flats is near enough for this alpha and "
        "beta. Raise them, or use a learner for Littlestone classes (with a delta)."
    )
