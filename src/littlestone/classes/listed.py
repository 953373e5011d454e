"""Version spaces of small classes: rows of a matrix, answered by `littlestone.combinatorics`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import singledispatch
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.base import ConceptClass
from littlestone.classes.oracles import (
    VersionSpace,
    as_point,
    check_label,
    records,
    searching,
    version_space,
)
from littlestone.combinatorics import BitMatrix, Kernel
from littlestone.combinatorics.limits import timed
from littlestone.data import Sample
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.types import Hypothesis, Point, Points

#: Most entries of the matrix of a class that is listed (64 MB).
MOST_LABELS = 1 << 26


Namer = Callable[[tuple[Point, ...]], Hypothesis]


class Listing:
    """A class, or a part of it, as a matrix whose columns are all points of the domain."""

    def __init__(
        self,
        concept_class: ConceptClass,
        points: Sequence[Point],
        matrix: npt.ArrayLike | BitMatrix,
        name: Namer,
        max_nodes: int | None,
    ) -> None:
        self.concept_class, self.points, self.name = concept_class, tuple(points), name
        self.kernel = Kernel(matrix, max_nodes=max_nodes)
        self.index = {point: i for i, point in enumerate(self.points)}

    def fresh(self) -> Listing:
        """Return a listing whose kernel remembers nothing."""
        other = Listing.__new__(Listing)
        other.__dict__.update(self.__dict__)
        other.kernel = self.kernel.fresh()
        return other

    def hypothesis(self, labelling: int) -> Hypothesis:
        """Return a labelling of all points as a hypothesis."""
        return self.name(tuple(p for i, p in enumerate(self.points) if labelling >> i & 1))


class ListedSpace(VersionSpace):
    """A set of rows of a listing.

    Examples
    --------
    >>> from littlestone.classes import Intervals
    >>> ages = Intervals(1, 9).version_space()
    >>> ages.littlestone_dim(), ages.restrict(4, 1).restrict(6, 0).littlestone_dim()
    (5, 3)
    """

    def __init__(self, listed: Listing, rows: int) -> None:
        self.concept_class = listed.concept_class
        self.listed, self.rows = listed, rows

    @classmethod
    def of(cls, listed: Listing) -> ListedSpace:
        """Return the space of all rows."""
        return cls(listed, listed.kernel.full)

    def fresh(self) -> ListedSpace:
        """Return the same space with a kernel that remembers nothing."""
        return ListedSpace(self.listed.fresh(), self.rows)

    def restrict(self, point: Any, label: int) -> ListedSpace:
        """Return the rows with this label in the point's column."""
        column = self.listed.index.get(as_point(point))
        if column is None:
            return ListedSpace(self.listed, 0 if check_label(label) else self.rows)
        rows = self.listed.kernel.restrict(self.rows, column, check_label(label))
        return ListedSpace(self.listed, rows)

    @property
    def is_empty(self) -> bool:
        """Whether no row is left."""
        return not self.rows

    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension, by exact search."""
        return self.listed.kernel.ldim(self.rows)

    def soa(self) -> Hypothesis:
        """Return the SOA's prediction, by exact search."""
        return self.listed.hypothesis(self.listed.kernel.soa(self.rows))

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> Point | None:
        """Return the first point in the public order on which two hypotheses differ."""
        points = self.concept_class.domain.store(self.listed.points)
        differs = np.flatnonzero(h.predict(points) != g.predict(points))
        return self.listed.points[int(differs[0])] if differs.size else None

    def within_error(self, sample: Sample, tolerance: int) -> ListedSpace:
        """Return the rows with at most ``tolerance`` errors: one matrix product."""
        counts = records(sample, tolerance)
        shape = (2, len(self.listed.points))
        seen = np.zeros(shape, dtype=np.int64)
        always = counts.outside
        for point, zeros, ones in counts:
            column = self.listed.index.get(point)
            if column is None:  # not in the domain: everybody says 0
                always += ones
            else:
                seen[:, column] += (zeros, ones)
        if always > tolerance:
            return ListedSpace(self.listed, 0)
        good = self.listed.kernel.within_error(seen[0], seen[1], tolerance - always)
        return ListedSpace(self.listed, self.rows & good)

    def reducibility(self, cap: int | None = None) -> float:
        """Return the reducibility, by exact search."""
        return self.listed.kernel.reducibility(self.rows, cap)

    def decomposition_dim(self, p: int, d: int) -> int:
        """Return the decomposition dimension, by exact search."""
        return self.listed.kernel.ddim(self.rows, p, d)

    def essential(self, p: int, d: int) -> tuple[Hypothesis, ...]:
        """Return all essential hypotheses, by exact search."""
        return tuple(map(self.listed.hypothesis, self.listed.kernel.essential(self.rows, p, d)))

    def splitting_point(self) -> Point | None:
        """Return the root of a shattered tree."""
        if self.littlestone_dim() <= 0:
            return None
        return self.listed.points[self.listed.kernel.mistake_tree(self.rows).points[0]]

    def member(self) -> Hypothesis:
        """Return the first row."""
        if not self.rows:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        row = (self.rows & -self.rows).bit_length() - 1
        return self.listed.hypothesis(self.listed.kernel.matrix.rows[row])

    def _identity(self) -> tuple[object, ...]:
        matrix = self.listed.kernel.matrix
        members = self.listed.kernel.members(self.rows).tolist()
        return (self.concept_class, frozenset(matrix.rows[row] for row in members))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ListedSpace):
            return NotImplemented
        if self.listed is other.listed:
            return self.rows == other.rows
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((self.concept_class, self.rows.bit_count()))

    def __repr__(self) -> str:
        return f"ListedSpace({self.concept_class!r}, {self.rows.bit_count()} concepts)"


@singledispatch
def listing(concept_class: ConceptClass, max_nodes: int | None) -> Listing:
    """List a class, if it is small."""
    points = _listable_points(concept_class)
    with searching(None, "The number of different concepts", lambda: (1, concept_class.size)):
        concepts = list(timed(concept_class.concepts()))
        rows = labels(concept_class, timed(concepts), points)
    packed = [row.tobytes() for row in rows]
    by_row: dict[bytes, Hypothesis] = {}
    for key, concept in zip(packed, concepts, strict=True):
        by_row.setdefault(key, concept)  # rules of different form may be one function
    first = {key: i for i, key in reversed(list(enumerate(packed)))}
    index = {point: i for i, point in enumerate(points)}

    def name(ones: tuple[Point, ...]) -> Hypothesis:
        row = np.zeros(len(points), dtype=np.int8)
        row[[index[point] for point in ones]] = 1
        return by_row.get(row.tobytes()) or concept_class.improper(ones)

    return Listing(concept_class, points, rows[sorted(first.values())], name, max_nodes)


def check_listable(concept_class: ConceptClass) -> int:
    """Return the number of points of a class that can be listed, without listing it.

    Examples
    --------
    >>> from littlestone.classes import Intervals
    >>> check_listable(Intervals(1, 99))
    99
    """
    return len(_listable_points(concept_class))


def labels(
    concept_class: ConceptClass, concepts: Iterable[Hypothesis], points: Sequence[Point]
) -> npt.NDArray[np.int8]:
    """Return the labels of concepts on points as a matrix."""
    array = concept_class.domain.store(points)
    return np.array([concept.predict(array) for concept in concepts], dtype=np.int8)


def batch(concept_class: ConceptClass, points: Sequence[Point]) -> Points:
    """Return points as the array that hypotheses of the class read."""
    return concept_class.domain.store(points)


def _listable_points(concept_class: ConceptClass) -> list[Point]:
    """Return all points of the domain, or refuse a class that is too large to be listed."""
    concept_class.check_binary("A list of all concepts")
    size = concept_class.size
    most = int(MOST_LABELS // size) if size <= MOST_LABELS else 0
    points = concept_class.domain_points() or ()
    found = list(points if concept_class.is_listed else islice(points, most + 1))
    if not found or (len(found) > most and not concept_class.is_listed):
        raise UnsupportedError(
            f"The class {concept_class.spec} is too large to be listed (more than 2**26 labels, or "
            "2**12 decision trees), and no closed form for its version spaces is known. Use a "
            "smaller domain."
        )
    return found


@version_space.register
def _(concept_class: ConceptClass, max_nodes: int | None) -> VersionSpace:
    return ListedSpace.of(listing(concept_class, max_nodes))
