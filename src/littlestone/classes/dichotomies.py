"""Dichotomies of a few points, each with the errors of its best concept on other records.

A *dichotomy* of points is a labelling of them by some concept. There are at most Sauer-Shelah many
of them, however large the class; each one here costs what its best concept costs on a second
sample. The reduction from agnostic to realizable learning draws one by the exponential mechanism,
so an answer is a `Choice`, drawn by level or by factors, never listed when there are many.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import singledispatch
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.classes.base import ConceptClass
from littlestone.data import Sample
from littlestone.errors import UnsupportedError
from littlestone.source import Choice, Explicit, Source, ball
from littlestone.types import Points as Batch

#: A label for each point, in their order.
Labelling = npt.NDArray[np.uint8]

#: A class without a closed form is listed up to this size.
_LISTED = 1 << 16


def check_dichotomies(concept_class: ConceptClass) -> None:
    """Refuse a class whose dichotomies cannot be drawn."""
    by_list = best_dichotomies.dispatch(object)
    closed = best_dichotomies.dispatch(type(concept_class)) is not by_list
    if not closed and concept_class.size > _LISTED:
        raise UnsupportedError(
            f"The dichotomies of {concept_class.spec} are not known in closed form, and there are "
            "more than 2**16 concepts to list. Affine subspaces have papers.Corollary4; for "
            "smaller classes the 'agnostic' learner needs no dichotomies."
        )


def dichotomies(concept_class: ConceptClass, points: Batch, sample: Sample) -> Choice[Labelling]:
    """Return the dichotomies of points, scored by minus the errors of their best concepts.

    Notes
    -----
    Cost, for k points and r points of the sample: O((k + r) log(k + r)) for thresholds, points,
    paths; O(k + r) balls for each item of a sparse set and for intervals; a row of k + r labels
    for each concept of other classes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.source import SeededSource
    >>> second = Sample.of([2, 6, 6], [0, 1, 1])
    >>> found = dichotomies(Thresholds(1, 9), np.array([3, 7]), second)
    >>> found.size, found.draw(Fraction(50), SeededSource(0))
    (3, array([0, 1], dtype=uint8))
    """
    check_dichotomies(concept_class)
    return best_dichotomies(concept_class, points, sample)


@singledispatch
def best_dichotomies(concept_class: Any, points: Batch, sample: Sample) -> Choice[Labelling]:
    """Return the dichotomies; see `dichotomies`. The folder of a class registers its own way.

    Here: list the class, one row of labels for each concept.
    """
    blocks: dict[bytes, int] = {}
    for concept in concept_class.concepts():
        seen = _predict(concept, points).tobytes()
        cost = concept_class.errors(concept, sample)
        blocks[seen] = min(cost, blocks.get(seen, cost))
    rows = sorted(blocks)
    return ListedDichotomies(
        [blocks[row] for row in rows], lambda i: np.frombuffer(rows[i], dtype=np.uint8)
    )


class ListedDichotomies:
    """Dichotomies with explicit costs."""

    def __init__(self, costs: Sequence[int], labels: Callable[[int], Labelling]) -> None:
        self._scores, self._labels = -np.asarray(costs, dtype=np.int64), labels

    @property
    def size(self) -> int:
        """Number of dichotomies."""
        return int(self._scores.size)

    def draw(self, rate: Fraction, source: Source) -> Labelling:
        """Return one, with weight ``e**(rate * score)``."""
        return self._labels(Explicit(self._scores).draw(rate, source))


class SetDichotomies:
    """All sets of r <= most items, of score (sum of their gains) + ``rest[most - r]``."""

    def __init__(
        self, gains: Sequence[int], rest: Sequence[int], where: Sequence[int], width: int
    ) -> None:
        self._gains, self._rest = list(gains), list(rest)
        self._where, self._width = list(where), width

    @property
    def size(self) -> int:
        """Number of dichotomies."""
        top = min(len(self._rest) - 1, len(self._gains))
        terms = accumulate(
            range(top), lambda c, r: c * (len(self._gains) - r) // (r + 1), initial=1
        )
        return sum(terms)

    def draw(self, rate: Fraction, source: Source) -> Labelling:
        """Return one, with weight ``e**(rate * score)``."""
        most, law = len(self._rest) - 1, SubsetLaw(self._gains, len(self._rest) - 1, rate)

        def sizes() -> list[arb]:
            sums = enumerate(law.sums())
            return [total * ball(rate * self._rest[most - r]).exp() for r, total in sums]

        chosen = law.draw(source.choose(Computed(law.top + 1, sizes)), source)
        return scattered(self._width, [self._where[i] for i in chosen], 1)


class RunDichotomies:
    """All runs i < j of sorted points, of score ``most[i] - least[j]``, and the empty one."""

    def __init__(
        self,
        most: Sequence[int],
        least: Sequence[int],
        empty: int,
        order: Sequence[int],
        width: int,
    ) -> None:
        self._most, self._least, self._empty = most, least, empty
        self._order, self._width = order, width

    @property
    def size(self) -> int:
        """Number of dichotomies."""
        return len(self._order) * (len(self._order) + 1) // 2 + 1

    def draw(self, rate: Fraction, source: Source) -> Labelling:
        """Return one, with weight ``e**(rate * score)``."""

        def ends() -> list[arb]:
            lefts = accumulate(ball(rate * gain).exp() for gain in self._most)
            return [ball(-rate * self._empty).exp()] + [
                left * ball(-rate * cost).exp()
                for left, cost in zip(lefts, self._least[1:])  # noqa: B905
            ]

        j = source.choose(Computed(len(self._order) + 1, ends))
        i = Explicit(self._most[:j]).draw(rate, source) if j else 0
        return scattered(self._width, self._order[i:j], 1)


class Computed:
    """Weights that are computed at the precision that is set."""

    def __init__(
        self, length: int, weights: Callable[[], list[arb]], items: int | None = None
    ) -> None:
        self._length, self._weights = length, weights
        self._more = 4 * max(length, items or 0).bit_length() + 16  # bits that rounding may take

    def __len__(self) -> int:
        return self._length

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures."""
        with ctx.workprec(bits + self._more):
            return self._weights()


class SubsetLaw:
    """All sets of at most ``most`` items with a gain each: weight ``e**(rate * sum of gains)``.

    The weights of all r-subsets add up to an elementary symmetric polynomial, which a sum of
    positive numbers gives row by row: O(items * most) enclosures for each precision.
    """

    def __init__(self, gains: Sequence[int], most: int, rate: Fraction) -> None:
        self.gains, self._rate = list(gains), Fraction(rate)
        #: The size of the largest sets.
        self.top = min(most, len(self.gains))
        self._known: tuple[int, list[list[arb]], list[arb]] = (0, [], [])

    def sums(self) -> list[arb]:
        """Return the weight of all sets of each size."""
        return self._table()[0][-1]

    def draw(self, r: int, source: Source) -> list[int]:
        """Draw a set of this size: the last item, then the one before it, ..."""
        chosen, end = list[int](), len(self.gains)
        for left in range(r, 0, -1):

            def last(end: int = end, left: int = left) -> list[arb]:
                sums, factors = self._table()
                return [sums[i][left - 1] * factors[i] for i in range(end)]

            end = source.choose(Computed(end, last, len(self.gains)))
            chosen.append(end)
        return chosen[::-1]

    def _table(self) -> tuple[list[list[arb]], list[arb]]:
        """Return S[i][r], the total weight of the r-subsets of the first i items; and factors."""
        if self._known[0] != ctx.prec:  # the last precision is asked for again
            powers = {gain: ball(self._rate * gain).exp() for gain in set(self.gains)}
            factors = [powers[gain] for gain in self.gains]
            sums = [[arb(1)] + [arb(0)] * self.top]
            for factor in factors:
                shifted = zip(sums[-1][1:], sums[-1], strict=False)
                sums.append([arb(1)] + [same + less * factor for same, less in shifted])
            self._known = (ctx.prec, sums, factors)
        return self._known[1:]


def scattered(width: int, where: Sequence[int], labels: Any) -> Labelling:
    """Return zeros, with some labels at some places."""
    out = np.zeros(width, dtype=np.uint8)
    out[list(where)] = labels
    return out


def _predict(concept: Any, points: Batch) -> Labelling:
    return np.asarray(concept.predict(points) if len(points) else [], dtype=np.uint8)


def points_inside(points: Batch, low: int, high: int) -> tuple[list[int], list[int]]:
    """Return the indices of the points in the domain, increasing by value, and the runs' edges."""
    listed = points.tolist()
    order = sorted((i for i, x in enumerate(listed) if low <= x <= high), key=listed.__getitem__)
    return order, [low - 1, *(listed[i] for i in order), high + 1]


def extremes(
    edges: Sequence[int], second: Sequence[int], weights: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return, for each run [edge, next edge), the most and the least sum of weights up to it.

    G(t) is the sum of the weights of all points <= t of the second sample.
    """
    passed = list(accumulate(weights, initial=0))
    most, least = [], []
    for start, end in pairwise(edges):
        part = passed[bisect_right(second, start) : bisect_right(second, end - 1) + 1]
        most.append(max(part))
        least.append(min(part))
    return most, least


def best_gap(edges: Sequence[int], second: Sequence[int], weights: Sequence[int]) -> int:
    """Return the least (at most 0) sum of consecutive weights strictly between two edges."""
    best = 0
    for start, end in pairwise(edges):
        running = 0
        for i in range(bisect_right(second, start), bisect_right(second, end - 1)):
            running = min(running, 0) + weights[i]
            best = min(best, running)
    return best
