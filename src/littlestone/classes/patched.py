"""A hypothesis with corrections at finitely many points (004, Definition 11)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from littlestone.classes.fields import Fields
from littlestone.classes.hypotheses import PointHypothesis, load, readable
from littlestone.classes.values import from_json, to_json
from littlestone.data.points import as_points, canonical_order
from littlestone.types import Hypothesis, Json, Labels, Point, Points

__all__ = ["PatchedHypothesis", "patched"]

_MOST = 1_000_000


@readable
@dataclass(frozen=True)
class PatchedHypothesis:
    """A hypothesis, but with the other label on some points; make it with `patched`.

    Parameters
    ----------
    base : Hypothesis
    flipped : tuple of (point, label)
        In canonical order; each label is not the base's.

    Examples
    --------
    >>> from littlestone.classes import AlwaysZero
    >>> import numpy as np
    >>> h = patched(AlwaysZero(), {3: 1, 4: 0})
    >>> h.describe(), h.predict(np.array([3, 4])).tolist()
    ('always 0; but 1 on 3', [1, 0])
    """

    base: Hypothesis
    flipped: tuple[tuple[Point, int], ...]

    TYPE = "patched"

    @property
    def key(self) -> Hashable:
        """Canonical identity: of the base, and of the points."""
        return (self.TYPE, self.base.key, self.flipped)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        labels = self.base.predict(points).copy()
        for point, label in self.flipped:
            labels[PointHypothesis(point).predict(points) == 1] = label
        return labels

    def describe(self) -> str:
        """Say the hypothesis in words."""
        parts = [self.base.describe()]
        for label in (0, 1):
            listed = [repr(point) for point, y in self.flipped if y == label]
            if listed:
                more = f" and {len(listed) - 20} more" if len(listed) > 20 else ""
                parts.append(f"but {label} on {', '.join(listed[:20])}{more}")
        return "; ".join(parts)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        flipped = [[to_json(point), label] for point, label in self.flipped]
        return {"type": self.TYPE, "base": self.base.to_dict(), "flipped": flipped}

    @classmethod
    def from_dict(cls, data: Any) -> PatchedHypothesis:
        """Read it back."""
        fields = Fields(data, ("base", "flipped"))
        base, listed = fields.any("base"), fields.items("flipped", _MOST)
        if isinstance(base, dict) and base.get("type") == cls.TYPE:
            raise fields.refuse("base", "a hypothesis that is not patched itself")
        pairs = [(p[0], p[1]) for p in listed if isinstance(p, list) and len(p) == 2]
        if not pairs or len(pairs) < len(listed) or any(y not in (0, 1) for _, y in pairs):
            raise fields.refuse("flipped", "a list of [point, label], at least one")
        return cls(load(base), tuple((from_json(x), int(y)) for x, y in pairs))


def patched(
    base: Hypothesis,
    labels: Mapping[Point, int],
    store: Callable[[list[Point]], Points] = as_points,
) -> Hypothesis:
    """Return the base with these labels on these points; the base itself if it has them.

    Parameters
    ----------
    base : Hypothesis
    labels : mapping from (canonical) point to {0, 1}
    store : callable
        Makes points the array that hypotheses of the class read.

    Examples
    --------
    >>> from littlestone.classes import AlwaysZero
    >>> patched(AlwaysZero(), {3: 0})
    AlwaysZero()
    """
    points = sorted(labels, key=canonical_order)
    if not points:
        return base
    given = zip(points, base.predict(store(points)).tolist(), strict=True)
    flipped = tuple((x, labels[x]) for x, label in given if labels[x] != label)
    return PatchedHypothesis(base, flipped) if flipped else base
