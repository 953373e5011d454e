"""What learners for Littlestone classes ask of a class: its version spaces.

A *version space* is a set of concepts of one class: those that agree with labelled examples, or
that err on few records. It is an immutable value; `VersionSpace.restrict` returns a new one. Every
class answers in the way that suits it (docs/oracles.md): structured classes in closed form, at any
size; small ones by exact search on their matrix. What is hard is searched with a budget of *nodes*,
never of time, so an answer, or its refusal, depends on the question only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.combinatorics.decomposition import depth_limit
from littlestone.combinatorics.limits import NodeLimit, OutOfNodes, asked
from littlestone.data.points import canonical
from littlestone.errors import (
    DataError,
    SearchLimitError,
    UnsupportedError,
    check_integer,
    parameter_error,
)
from littlestone.types import Hypothesis, Point

if TYPE_CHECKING:
    from littlestone.classes.base import ConceptClass
    from littlestone.data import Sample


class VersionSpace(ABC):
    """A set of concepts of one class.

    Notes
    -----
    Questions that may be hard (all but `restrict` and `is_empty`) raise `SearchLimitError` with
    bounds when the node budget of ``concept_class.version_space(max_nodes=...)`` is used up, and
    `UnsupportedError` where no exact method is known at that size; never a part of an answer.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> rest = Thresholds(1, 2**1024).version_space().restrict(2**600, 1).restrict(2**500, 0)
    >>> rest.littlestone_dim(), rest.soa().above == 2**599
    (599, True)
    """

    concept_class: ConceptClass

    # -- what every class answers -------------------------------------------------------------

    @abstractmethod
    def restrict(self, point: Any, label: int) -> VersionSpace:
        """Return the concepts that give a point a label."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no concept is left."""

    @abstractmethod
    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension; -1 if empty."""

    @abstractmethod
    def soa(self) -> Hypothesis:
        """Return the prediction of the standard optimal algorithm, at every point.

        The label is 0 where restricting to label 0 keeps the Littlestone dimension, else 1: when
        both labels lower it, it is 1. The hypothesis is canonical: equal predictions are equal
        hypotheses. It need not be a concept. The empty space predicts 0 everywhere.
        """

    @abstractmethod
    def distinguish(self, h: Hypothesis, g: Hypothesis) -> Point | None:
        """Return a point of the domain that two hypotheses label differently; None if none is."""

    def within_error(self, sample: Sample, tolerance: int) -> VersionSpace:
        """Return the concepts with at most ``tolerance`` errors on a sample."""
        found = records(sample, tolerance).restricted(self, tolerance)
        listed = "the concepts of low error"
        return self._listed(listed).within_error(sample, tolerance) if found is None else found

    @abstractmethod
    def reducibility(self, cap: int | None = None) -> float:
        """Return the least number of SOA answers that lower the Littlestone dimension."""

    @abstractmethod
    def splitting_point(self) -> Point | None:
        """Return a point where both labels keep the Littlestone dimension minus 1 at least.

        None if the dimension is 0 or less. Such points make a shattered tree.
        """

    @abstractmethod
    def member(self) -> Hypothesis:
        """Return some concept of a nonempty space, the same one each time."""

    def fresh(self) -> VersionSpace:
        """Return the same space without what its searches remember.

        Memory never changes an answer, but whether a search exceeds its budget depends on what
        was asked before. Code in which even a refusal may depend on one part of the data only
        asks a fresh space for each part.
        """
        return self

    # -- decompositions -----------------------------------------------------------------------

    def decomposition_dim(self, p: int, d: int) -> int:
        """Return the (p, d)-decomposition dimension (Lyu 2025, Definition 4.2); -1 if empty."""
        dimension = self._checked_dim("decomposition_dim", p, d)
        if dimension <= 0 or self._stays(dimension, p, d):
            return dimension
        return self._listed("decompositions").decomposition_dim(p, d)

    def essential(self, p: int, d: int) -> Sequence[Hypothesis]:
        """Return all of the (p, d)-essential hypotheses (Lyu 2025, Definition 4.3)."""
        dimension = self._checked_dim("essential", p, d)
        if dimension < 0:
            return ()
        if dimension == 0 or self._stays(dimension, p, d):
            return (self.soa(),)
        return self._listed("essential hypotheses").essential(p, d)

    def _checked_dim(self, caller: str, p: int, d: int) -> int:
        """Check the parameters of a decomposition; return the Littlestone dimension."""
        caller = f"VersionSpace.{caller}"
        check_integer(caller, "p", p, low=1)
        check_integer(caller, "d", d, low=0)
        dimension = self.littlestone_dim()
        if dimension > d:
            raise parameter_error(caller, "d", "at least the Littlestone dimension", d)
        return dimension

    def _stays(self, dimension: int, p: int, d: int) -> bool:
        """Say whether every tree keeps the dimension on the path of the SOA.

        Every tree follows that path for at most D(L - 1) + 1 steps. If those, and one more, do not
        lower the dimension, the path ends in a leaf of dimension L with this SOA, and no other leaf
        has that dimension: so DDim = L, and the SOA is the one essential hypothesis.
        """
        cap = depth_limit(p, d, dimension - 1) + 1
        return self.reducibility(cap=cap) == float("inf")

    def _listed(self, what: str) -> VersionSpace:
        """Return the same space as rows of a matrix, if it is small."""
        raise self._unknown(
            what, "the class is too large to be listed. Use a smaller domain, or a larger p."
        )

    def _unknown(self, what: str, why: str) -> UnsupportedError:
        """Return the refusal of a question that is neither solved nor small; ``why`` ends it."""
        return UnsupportedError(
            f"No closed form is known of {what} of this version space of {self.concept_class.spec}"
            f", and {why}"
        )


@singledispatch
def version_space(concept_class: ConceptClass, max_nodes: int | None) -> VersionSpace:
    """Return the version space of all concepts of a class; see `ConceptClass.version_space`.

    The folder of a class registers how it answers; `littlestone.classes.listed` registers the
    matrix of a small class, for every other one.
    """
    raise AssertionError("littlestone.classes.listed registers the default")


@dataclass(frozen=True)
class Closures:
    """The closed sets of an intersection-closed class.

    Of the concepts that are 1 on given points there is a smallest one, their *closure*: the union
    of sparse sets, the span of affine subspaces, the common literals of conjunctions.
    """

    bottom: Hypothesis
    join: Callable[[Any, Point], Hypothesis | None]
    rank: int
    closed: int


@singledispatch
def closures(concept_class: ConceptClass) -> Closures:
    """Return the closed sets of a class; its folder registers them.

    Examples
    --------
    >>> from littlestone.classes import AffineSubspaces, SparseSets
    >>> closures(SparseSets(3)).rank, closures(AffineSubspaces(7, 20, 2)).closed
    (3, 107)
    """
    known = sorted(kind.__name__ for kind in closures.registry if kind is not object)
    raise UnsupportedError(
        f"The class {concept_class.spec} has no closures with short chains, as "
        f"{', '.join(known[:-1])} and {known[-1]} have: use the 'generic' learner."
    )


def as_point(point: Any) -> Point:
    """Return a point in its canonical form; an array or list of entries is a tuple.

    Examples
    --------
    >>> as_point([1, 0]), as_point(3.0)
    ((1, 0), 3)
    """
    if isinstance(point, np.ndarray):
        point = point.tolist()
    try:
        return canonical(tuple(point) if isinstance(point, list) else point)
    except DataError:
        raise parameter_error(
            "VersionSpace.restrict", "point", "a point (integer, text, tuple, ...)",
            type(point).__name__,
        ) from None  # fmt: skip


def check_label(label: Any) -> int:
    """Return a label, or refuse what is none."""
    if isinstance(label, bool | int | np.integer | np.bool_) and label in (0, 1):
        return int(label)
    raise parameter_error("VersionSpace.restrict", "label", "0 or 1", label)


class Records:
    """A sample as a learner of sets sees it: its distinct points with their counts."""

    def __init__(self, counts: Iterable[tuple[Point, int, int]], outside: int) -> None:
        self.counts = list(counts)
        self.outside = outside

    def __iter__(self) -> Iterator[tuple[Point, int, int]]:
        return iter(self.counts)

    def decided(self, tolerance: int) -> list[tuple[Point, int]] | None:
        """Return the labels that at most ``tolerance`` errors force at every point, or None.

        A label is forced where the other one alone would err too often. None if some point is
        free: then the concepts of low error are no set of consistent ones.
        """
        forced = []
        for point, zeros, ones in self.counts:
            labels = [y for y, wrong in ((0, ones), (1, zeros)) if wrong <= tolerance]
            if len(labels) == 2:
                return None
            forced += [(point, y) for y in labels]
        errors = self.outside + sum(min(zeros, ones) for _, zeros, ones in self.counts)
        # () is no point of a domain of vectors, so nothing labels it 1
        return [((), 1)] if errors > tolerance else forced

    def restricted(self, space: VersionSpace, tolerance: int) -> VersionSpace | None:
        """Return the concepts of a space with the forced labels; None if some point is free."""
        forced = self.decided(tolerance)
        if forced is None:
            return None
        for point, label in forced:
            space = space.restrict(point, label)
        return space


def records(sample: Sample, tolerance: int) -> Records:
    """Return the distinct points of a sample with their counts; check the tolerance."""
    check_integer("VersionSpace.within_error", "tolerance", tolerance, low=0)
    rows = sample.points.tolist()
    points = map(tuple, rows) if sample.points.ndim == 2 else rows
    counts = zip(map(canonical, points), sample.zeros.tolist(), sample.ones.tolist(), strict=True)
    return Records(counts, sample.outside_cost)


@contextmanager
def searching(
    max_nodes: int | None, what: str, bounds: Callable[[], tuple[float, float]]
) -> Iterator[NodeLimit]:
    """Give one question a budget of its own.

    Examples
    --------
    >>> with searching(0, "The answer", lambda: (1, 3)) as budget:
    ...     budget.spend()
    Traceback (most recent call last):
    ...
    littlestone.errors.SearchLimitError: The answer lies between 1 and 3; the search stopped after 0
    nodes. Raise max_nodes to decide it.
    """
    budget = NodeLimit(max_nodes)
    asked(bounds)
    try:
        yield budget
    except OutOfNodes as end:
        lower, upper = bounds()
        raise SearchLimitError(lower, upper, budget.used, what, end.parameter) from None
