"""The standard optimal algorithm on any sequence of examples, realizable or not (004, Def. 11).

As long as some concept agrees with all examples, the prediction is the SOA of the version space.
From the first example on with which no concept agrees, the prediction is kept, and only corrected
at the points of the examples: so it always agrees with the last example of each point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from littlestone.classes.patched import PatchedHypothesis, patched
from littlestone.classes.version_spaces.listed import batch
from littlestone.data.domains import OUTSIDE
from littlestone.data.points import canonical_order

if TYPE_CHECKING:
    from littlestone.classes import VersionSpace
    from littlestone.types import Hypothesis, Point, Points

__all__ = ["Example", "Run", "Undecided", "extended_soa", "tell_apart"]

#: A point (or `OUTSIDE`) and its label.
Example = tuple["Point", int]


class Undecided(Exception):  # noqa: N818 - a signal, not an error
    """Two corrected hypotheses may differ, but no oracle says where."""


@dataclass(frozen=True)
class Run:
    """A run of the extended SOA: an immutable value.

    Attributes
    ----------
    space : VersionSpace
        What agrees with the examples up to the last realizable one; never empty at the start.
    base : Hypothesis or None
        Its SOA, once the examples are not realizable; None as long as they are.
    labels : mapping from point to {0, 1}
        Labels of the examples from then on.

    Notes
    -----
    The order of realizable examples does not matter: the SOA is asked once, in the end.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> run = Run(Points().version_space()).then([("a", 1), ("b", 0)])
    >>> run.prediction.describe(), run.then([("b", 1)]).prediction.describe()
    ("1 if x = 'a', otherwise 0", "1 if x = 'a', otherwise 0; but 1 on 'b'")
    """

    space: VersionSpace
    base: Hypothesis | None = None
    labels: Mapping[Point, int] = field(default_factory=dict)

    @property
    def realizable(self) -> bool:
        """Whether some concept agrees with all examples."""
        return self.base is None

    def then(self, examples: Iterable[Example]) -> Run:
        """Return the run after further examples.

        Raises
        ------
        SearchLimitError, UnsupportedError
            Where the class cannot answer; code that sees private records fixes what then happens.
        """
        space, base, labels = self.space, self.base, dict(self.labels)
        known: set[Example] = set()
        for point, label in examples:
            if base is None:
                if (point, label) in known:
                    continue
                known.add((point, label))
                rest = _restricted(space, point, label)
                if rest is not None:
                    space = rest
                    continue
                base = space.soa()
            if point is not OUTSIDE:  # no hypothesis labels it: there is nothing to correct
                labels[point] = label
        return Run(space, base, labels)

    @cached_property
    def prediction(self) -> Hypothesis:
        """The hypothesis after these examples."""
        if self.base is None:
            return self.space.soa()
        return patched(self.base, self.labels, self.store)

    def store(self, points: list[Point]) -> Points:
        """Return points as the array that hypotheses of the class read."""
        return batch(self.space.concept_class, points)


def extended_soa(space: VersionSpace, examples: Iterable[Example]) -> Hypothesis:
    """Return what the SOA predicts after any examples, of which none need agree with a concept.

    Parameters
    ----------
    space : VersionSpace
        Nonempty.
    examples : iterable of (point, label)
        Points in canonical form, or `OUTSIDE`.

    Returns
    -------
    Hypothesis
        It agrees with the last example of each point of the domain.

    Notes
    -----
    *Source.* Paper 004, Definition 11.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> space = Thresholds(1, 15).version_space()
    >>> extended_soa(space, [(4, 1), (3, 0), (9, 0)]).describe()
    '1 if x > 3, otherwise 0 (x from 1 to 15); but 0 on 9'
    """
    return Run(space).then(examples).prediction


def tell_apart(run: Run, other: Run) -> Point | None:
    """Return a point at which two predictions differ; None if they are one function.

    Parameters
    ----------
    run, other : Run
        Of one class.

    Raises
    ------
    Undecided
        If both are corrected so that the oracle's one point does not help. For runs of realizable
        examples that cannot happen.
    """
    h, g = run.prediction, other.prediction
    if h == g:
        return None
    (base, flipped), (base2, flipped2) = _parts(h), _parts(g)
    points = sorted({*flipped, *flipped2}, key=canonical_order)
    if points:
        array = run.store(points)
        pairs = zip(points, h.predict(array), g.predict(array), strict=True)
        for point, mine, theirs in pairs:
            if mine != theirs:
                return point
    point = run.space.distinguish(base, base2)
    if point is not None and point in points:
        raise Undecided
    return point


def _parts(h: Hypothesis) -> tuple[Hypothesis, list[Point]]:
    if isinstance(h, PatchedHypothesis):
        return h.base, [point for point, _ in h.flipped]
    return h, []


def _restricted(space: VersionSpace, point: Point, label: int) -> VersionSpace | None:
    """Return the concepts that agree with an example too; None if there are none."""
    if point is OUTSIDE:
        return None if label else space
    rest = space.restrict(point, label)
    return None if rest.is_empty else rest
