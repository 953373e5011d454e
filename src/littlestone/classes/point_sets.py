"""The hypothesis that is 1 on a few listed points: of sparse sets, and of improper predictions."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from littlestone.classes.fields import Fields
from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis, readable
from littlestone.classes.integers import number
from littlestone.classes.values import from_json, to_json
from littlestone.data.points import canonical, canonical_order
from littlestone.errors import parameter_error
from littlestone.types import Json, Labels, Point, Points

__all__ = ["SetHypothesis", "in_bounds", "on_points"]

_MAX_POINTS = 10_000_000
_SHARED = 64  # points with one hash


@readable
@dataclass(frozen=True)
class SetHypothesis:
    """1 exactly on some points, at least two. Make one by `on_points`.

    Parameters
    ----------
    points : tuple of points
        Canonical points, distinct, in canonical order.

    Examples
    --------
    >>> on_points(["rome", "oslo"]).predict(np.array(["oslo", "bonn"], dtype=object)).tolist()
    [1, 0]
    """

    points: tuple[Point, ...]

    TYPE = "set"

    def __post_init__(self) -> None:
        if len(self.points) < 2 or not _rises(self.points):
            raise parameter_error(
                "SetHypothesis", "points", "at least two distinct points in canonical order",
                f"{len(self.points)} points", "Use on_points(points).",
            )  # fmt: skip

    @cached_property
    def _members(self) -> frozenset[Point]:
        return frozenset(self.points)

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.points)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        listed = points.tolist()
        if points.ndim == 2:  # rows: a point is a tuple
            listed = [tuple(row) for row in listed]
        return np.array([point in self._members for point in listed], dtype=np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        shown = [number(p) if isinstance(p, int) else repr(p) for p in self.points[:20]]
        more = f" and {len(self.points) - 20} more" if len(self.points) > 20 else ""
        return f"1 on the points {', '.join(shown)}{more}, otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "points": [to_json(point) for point in self.points]}

    @classmethod
    def from_dict(cls, data: Any) -> SetHypothesis:
        """Read it back; only the canonical form is accepted."""
        fields = Fields(data, ("points",))
        points = tuple(from_json(point) for point in fields.items("points", _MAX_POINTS))
        if len(points) < 2 or not _rises(points):
            raise fields.refuse("points", "at least two distinct points in canonical order")
        if np.unique([hash(point) for point in points], return_counts=True)[1].max() > _SHARED:
            # Hashes of integers are known to everybody: such a set would take for ever to search.
            raise fields.refuse("points", "points with different hashes")
        return cls(points)


def in_bounds(point: Point, bounds: tuple[int, int] | None) -> bool:
    """Say whether a point is in the domain: any point, or the integers between two bounds.

    Examples
    --------
    >>> in_bounds("oslo", None), in_bounds(9, (1, 9)), in_bounds("oslo", (1, 9))
    (True, True, False)
    """
    return bounds is None or (isinstance(point, int) and bounds[0] <= point <= bounds[1])


def on_points(points: Iterable[Any]) -> SetHypothesis | PointHypothesis | AlwaysZero:
    """Return the canonical hypothesis that is 1 exactly on these points.

    Examples
    --------
    >>> on_points([3, 1, 3]).describe(), on_points([7]), on_points([])
    ('1 on the points 1, 3, otherwise 0', PointHypothesis(point=7), AlwaysZero())
    """
    ordered = _ordered(canonical(point) for point in points)
    if len(ordered) > 1:
        return SetHypothesis(ordered)
    return PointHypothesis(ordered[0]) if ordered else AlwaysZero()


def _rises(points: tuple[Point, ...]) -> bool:
    """Return whether points are distinct and in canonical order (without hashing any)."""
    if all(type(point) is int for point in points):
        return all(a < b for a, b in pairwise(points))  # type: ignore[operator]
    keys = [canonical_order(point) for point in points]
    return all(a < b for a, b in pairwise(keys))


def _ordered(points: Iterable[Point]) -> tuple[Point, ...]:
    return tuple(sorted(set(points), key=canonical_order))
