"""Checks of parts: who sees a record is secret, or does not depend on the other records.

A learner that shuffles its records is verified on lists, shuffled in their order; here the shuffle
itself is enumerated, on counted samples as releases have them. And a part is only as large as the
guarantee that is amplified by its size says, and only the part that may be used is used.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes import FiniteClass, Points, Thresholds
from littlestone.data import Sample
from littlestone.learners import registry
from littlestone.learners.agnostic import TwoSample
from littlestone.learners.vc1 import VC1
from littlestone.source import Source, exp

from .base import Detector, Records, learned, verified

__all__ = ["OF_PARTS"]

F = Fraction
Counted = tuple[tuple[int, int], ...]
_BUDGET: dict[str, Any] = {"epsilon": 1, "alpha": F(1, 3), "beta": F(1, 3)}
_OF_A_TREE: dict[str, Any] = _BUDGET | {
    "delta": F(1, 10**6),
    "alpha": F(1, 5),
    "beta": F(1, 5),
}
_SINGLES = FiniteClass([[0, 0], [1, 0], [0, 1]])
_FORK = FiniteClass([[0, 0, 0], [1, 1, 0], [1, 0, 1]])
_CHAIN = FiniteClass([[int(x >= u) for x in range(8)] for u in range(9)])
_THIRDS = FiniteClass([[1, 0, 0], [0, 1, 0], [0, 0, 1]])


# --- the shuffle
# ------------------------------------------------------------------------------------


@dataclass
class _Dealing:
    """A source of verification that draws permutations too, entry by entry."""

    inner: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        left = list(range(n))
        few = n if first is None else first
        drawn = [left.pop(self.inner.below(len(left))) for _ in range(few)]
        return np.array(drawn, dtype=np.int64)


def _counted(points: tuple[int, ...], n: int) -> Iterator[tuple[Counted, Counted]]:
    """Yield all pairs of neighbouring multisets of n records."""
    kinds = list(product(points, (0, 1)))
    for data in combinations_with_replacement(kinds, n):
        others = {tuple(sorted((*data[:i], kind, *data[i + 1 :])))
                  for i in range(n) for kind in kinds}  # fmt: skip
        yield from ((data, other) for other in sorted(others) if other > data)


def shuffled_from_counts() -> str | None:
    """Verify learners on counted records, over all secret permutations.

    Two chunks: if the shuffle were known, or were that of the sorted records, one
    smaller record would shift all others, and change both chunks.
    """
    small = _BUDGET | {"delta": F(1, 10**6)}
    for concepts, points in ((Thresholds(1, 2), (1, 2)), (_SINGLES, (0, 1))):
        learner = VC1(concepts, **small, chunks=2)

        def run(data: Counted, source: Source, learner: VC1 = learner) -> Hashable:
            sample = Sample.of([x for x, _ in data], [y for _, y in data])
            key: Hashable = learner.draw(sample, _Dealing(source)).key
            return key

        found = verified(run, _counted(points, 3), epsilon=1, delta=F(1, 10**6))
        if found:
            return f"{concepts.spec}: {found}"
    return None


# --- the two parts of the agnostic form ----------------------------------------------------------


def _two_samples(concepts: Any, pool: int) -> TwoSample:
    return TwoSample(registry.make("generic", concepts, **_BUDGET), epsilon=6, pool=pool)


def choice_of_labels() -> str | None:
    """Try second parts that speak for a label and against it, and six records that repeat it.

    Where the choice is open, one record turns it as far as epsilon allows.
    """
    learner = _two_samples(Points(1, 2), 6)
    first = [(1, 1)] * 6
    pairs = [
        ([*first, *rest, (1, 1)], [*first, *rest, (1, 0)])
        for size in (1, 2, 3)
        for rest in combinations_with_replacement([(1, 0), (1, 1)], size)
    ]
    return learned(learner, pairs)


def labels_of_the_first_part() -> str | None:
    """Try records of the first part: their labels play no part, only that they are there.

    What they add to the choice comes on top of what the inner learner tells of them; so a pair of
    data sets on which it adds is told apart by more than epsilon.
    """
    learner = _two_samples(_THIRDS, 6)
    first = [(0, 1), (0, 1), (0, 0), (0, 1), (0, 0)]
    second = [(0, 1), (0, 0), (2, 0), (1, 1), (0, 1), (2, 0)]
    ends = [(1, 0), (0, 0), (1, 1), (0, 1), (2, 0), (2, 1)]
    return learned(
        learner,
        [([one, *first, *second], [other, *first, *second]) for one, other in pairwise(ends)],
    )


def share_of_the_pool() -> str | None:
    """Check the sizes of first parts: with share g of the pool, g (4 e**inner - 1) <= e**outer - 1.

    That is what amplification needs for a record of the pool, if the learner on relabelled records
    is (inner + ln 4)-DP (docs/learners/agnostic.md); and g times its delta is at most delta.
    """
    ways: list[tuple[str, dict[str, Any]]] = [("generic", {}), ("vc1", {"delta": F(1, 1000)})]
    for (name, delta), epsilon, inner in product(ways, (F(1, 2), F(1), F(3)), (None, F(1))):
        made = registry.make(name, Thresholds(1, 9), **_BUDGET, **delta)
        way = TwoSample(made, epsilon=epsilon, learner_epsilon=inner)
        promised, used = way.guarantee(), way.plan.learner.guarantee()
        for n in (1, 7, 50, way.required_samples(), 10**6):
            for pool, first in (way.parts(n), replace(way, pool=n // 2).parts(n)):
                share = F(first, max(pool, 1))
                spare = exp(epsilon) - 1 - (4 * exp(used.epsilon) - 1) * share
                if spare.sign() < 0 or share * used.delta > promised.delta:
                    return f"too many records of a pool are drawn at epsilon {float(epsilon)}"
    return None


# --- the choice of a node ---


def paths_that_force_nothing() -> str | None:
    """Try many records, all of which force a path, or all but one: how many there are is n, public.

    Two nodes of one branch have about equal scores: the upper one has as many votes as may go
    beyond it, the lower one as many paths as reach it; so a record changes both scores.
    """
    learner = VC1(_CHAIN, **_OF_A_TREE)
    chooser: Any = learner.plan.chooser
    pairs: list[tuple[Records, Records]] = []
    for more in range(-4, 5):
        beyond = [(7, 0)] * (chooser.votes + more)
        rest = [(5, 0)] * 24 + beyond + [(0, 1)] * 20
        pairs.append(([*rest, (7, 0)], [*rest, (7, 1)]))  # (7, 1) forces nothing
    return learned(learner, pairs)


OF_PARTS: dict[str, Detector] = {
    "shuffled from counts": shuffled_from_counts,
    "choice of labels": choice_of_labels,
    "labels of the first part": labels_of_the_first_part,
    "share of the pool": share_of_the_pool,
    "paths that force nothing": paths_that_force_nothing,
}
