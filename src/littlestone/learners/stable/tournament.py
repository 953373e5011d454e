"""One copy of algorithm G (004, 5.2.3): tournaments, and the SOA on any sequence of examples.

*Tournaments* are the Monte-Carlo distributions D_k. A sample of D_k is made of k rounds. In each,
two independent samples of D_(k-1), each followed by fresh records, predict by the SOA; where the
predictions differ, a fair coin labels a point of difference, and the sample that was wrong there
survives, with that example. So each round forces one mistake on the SOA; if all coins agree with
the target, d rounds identify it.

A copy that draws more than its batches of records, or whose oracles give up, *fails*: it submits
nothing. That is a fixed answer, decided by this copy's records alone.

*The SOA on any sequence of examples*, realizable or not (004, Definition 11): as long as some
concept agrees with all examples, the prediction is the SOA of the version space. From the first
example on with which no concept agrees, the prediction is kept, and only corrected at the points of
the examples: so it always agrees with the last example of each point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from littlestone.classes.finite import batch
from littlestone.classes.hypotheses import PatchedHypothesis, patched
from littlestone.data.domains import OUTSIDE, canonical_order
from littlestone.errors import SearchLimitError, UnsupportedError

if TYPE_CHECKING:
    from littlestone.classes import VersionSpace
    from littlestone.types import Hypothesis, Point, Points


#: A point (or `OUTSIDE`) and its label.
Example = tuple["Point", int]


#: Points of a domain that are searched for a difference, and how many at a time.
_MOST_SEARCHED, _AT_ONCE = 1 << 16, 1 << 12


class Undecided(Exception):  # noqa: N818 - a signal, not an error
    """Two corrected hypotheses may differ, but no oracle says where."""


@dataclass(frozen=True)
class Run:
    """A run of the extended SOA: an immutable value.

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

    #: What agrees with the examples up to the last realizable one; never empty at the start.
    space: VersionSpace
    #: Its SOA, once the examples are not realizable; None as long as they are.
    base: Hypothesis | None = None
    labels: Mapping[Point, int] = field(default_factory=dict)  # labels of the examples from then on

    @property
    def realizable(self) -> bool:
        """Whether some concept agrees with all examples."""
        return self.base is None

    def then(self, examples: Iterable[Example]) -> Run:
        """Return the run after further examples."""
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


def distinguishing(run: Run, other: Run) -> Point | None:
    """Return a point at which two predictions differ; None if they are one function."""
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
        return _first_difference(run, h, g)
    return point


def _first_difference(run: Run, h: Hypothesis, g: Hypothesis) -> Point | None:
    """Search the points of the domain in their public order."""
    every = run.space.concept_class.domain_points()
    if every is None:
        raise Undecided
    left = iter(every)
    for _ in range(_MOST_SEARCHED // _AT_ONCE):
        points = list(islice(left, _AT_ONCE))
        if not points:
            return None
        array = run.store(points)
        differs = np.flatnonzero(h.predict(array) != g.predict(array))
        if differs.size:
            return points[int(differs[0])]
    if next(left, None) is None:
        return None
    raise Undecided


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


#: The records of one copy, a batch at a time.
Batches = Iterator[list[Example]]


class _Fail(Exception):  # noqa: N818 - the paper's word
    """More batches were asked for than there are."""


def stable_copy(
    space: VersionSpace, rounds: int, batches: Batches, last: list[Example], coin: Callable[[], int]
) -> Hypothesis | None:
    """Return the hypothesis of one copy of algorithm G; None is the paper's "Fail".

    Notes
    -----
    *Source.* Paper 004, Algorithm G with k = ``rounds``, and the distributions of Section 5.2.3.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> seen = [("a", 1), ("b", 0)]
    >>> stable_copy(Points().version_space(), 0, iter([]), seen, coin=lambda: 0).describe()
    "1 if x = 'a', otherwise 0"
    >>> stable_copy(Points().version_space(), 1, iter([seen]), seen, coin=lambda: 0) is None
    True
    """
    try:
        # Algorithm G, step 3, for one k (its step 2 draws k; here each k has copies of its own)
        sample = tournament(Run(space), rounds, batches, coin)
        return sample.then(last).prediction
    except (_Fail, Undecided, SearchLimitError, UnsupportedError):
        return None


def tournament(start: Run, rounds: int, batches: Batches, coin: Callable[[], int]) -> Run:
    """Return the SOA's run on a sample of D_k, k = ``rounds``."""
    if not rounds:
        return start  # D_0: no examples
    while True:
        # 5.2.3, steps (i) and (ii): two samples of D_(k-1), a fresh batch after each; ``one`` is
        # the run on S_0 T_0, ``other`` that on S_1 T_1, their predictions are f_0 and f_1
        one, other = (_followed(start, rounds - 1, batches, coin) for _ in range(2))
        point = distinguishing(one, other)
        if point is None:
            continue  # step (iii): draw both again
        label = coin()  # step (iv), as is ``point``: x and y
        # step (v): the sample that was wrong survives
        wrong = int(one.prediction.predict(one.store([point]))[0]) != label
        return (one if wrong else other).then([(point, label)])


def _followed(start: Run, rounds: int, batches: Batches, coin: Callable[[], int]) -> Run:
    """Return the run on S followed by T: a sample of D_k, and a fresh batch."""
    sample = tournament(start, rounds, batches, coin)
    for fresh in batches:
        return sample.then(fresh)
    raise _Fail  # step (*)
