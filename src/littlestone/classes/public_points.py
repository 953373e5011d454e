"""Classes at public points: one concept for each way in which a class labels them.

The candidates follow from the public points alone, by a public rule; no record has a part in it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable
from functools import singledispatch
from typing import Any

from littlestone.bounds.public import PublicPoints
from littlestone.classes.base import ConceptClass
from littlestone.classes.encoding import from_json, to_json
from littlestone.data import Domain, RowDomain
from littlestone.data.points import distinct
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.types import Json


@singledispatch
def at_public_points(concept_class: Any, points: Any) -> ClassAtPoints:
    """Return the concepts that represent a class at public points; see the learners' ``public``.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> found = at_public_points(Thresholds(1, 99), [20, 60, 20])
    >>> found.size, [concept.describe()[:12] for concept in found.concepts()]
    (3, ['1 if x > 19,', '1 if x > 59,', 'always 0 (x '])
    """
    if isinstance(concept_class.domain, RowDomain):
        raise UnsupportedError(
            f"{concept_class.spec} takes public points by its columns: give it a schema of public "
            "rows, Schema.from_public(table), and no public points besides."
        )
    raise UnsupportedError(
        f"The candidates of {concept_class.spec} at public points are not known. Those of "
        "thresholds, intervals and half-planes are."
    )


class ClassAtPoints(ConceptClass):
    """What these classes share; ``public`` says how near they are to the class itself.

    ``points``: the different public points, in order, at least one.
    """

    def __init__(self, concept_class: Any, points: Any) -> None:
        caller = f"{type(concept_class).__name__} at public points"
        domain = concept_class.domain
        given = domain.array(points, caller)
        self.concept_class, self.number = concept_class, len(given)
        self.points, self._which = distinct(given)
        if not len(self.points):
            raise parameter_error(caller, "public", "at least one point", "none")

    @staticmethod
    @abstractmethod
    def some(concept_class: Any, number: int) -> tuple[Any, list[Any]]:
        """Return points in general position, of the class or of one over a larger domain."""

    @property
    @abstractmethod
    def public(self) -> PublicPoints:
        """How far a concept may be from the one that represents it."""

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the class."""
        return str(self.concept_class.name)

    @property
    def spec(self) -> str:
        """The class, and how many public points there are."""
        return f"{self.concept_class.spec} at {self.number:,} public points"

    @property
    def domain(self) -> Domain:
        """That of the class."""
        domain: Domain = self.concept_class.domain
        return domain

    def to_dict(self) -> Json:
        """Return plain JSON, with all public points."""
        points = [to_json(_hashable(point)) for point in self.points[self._which].tolist()]
        return {**self.concept_class.to_dict(), "public": points}

    def _identity(self) -> Hashable:
        return (self.concept_class, self.number, *map(_hashable, self.points.tolist()))

    def __repr__(self) -> str:
        return f"<{self.spec}>"


def at_so_many(concept_class: Any, number: int) -> ClassAtPoints:
    """Return a class at so many points that are not known yet, as different as they can be.

    Examples
    --------
    >>> from littlestone.classes import HalfPlanes, Thresholds
    >>> at_so_many(Thresholds(1, 9), 200).size, at_so_many(HalfPlanes((0, 0), (9, 9)), 20).size
    (10, 422)
    """
    kind: Any = at_public_points.dispatch(type(concept_class))
    if kind is at_public_points.dispatch(object):
        return at_public_points(concept_class, [])  # which is refused
    domain, points = kind.some(concept_class, number)
    found: ClassAtPoints = kind(domain, [points[i % len(points)] for i in range(number)])
    found.concept_class = concept_class
    return found


def _hashable(point: Any) -> Hashable:
    return tuple(point) if isinstance(point, list) else point


def read_public(points: Any) -> list[Any]:
    """Return the public points of a file."""
    if not isinstance(points, list):
        raise parameter_error("class", "public", "a list of points", type(points).__name__)
    return [from_json(point) for point in points]


@at_public_points.register
def _(concept_class: ClassAtPoints, points: Any) -> ClassAtPoints:
    return at_public_points(concept_class.concept_class, points)
