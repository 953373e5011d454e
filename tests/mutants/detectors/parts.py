"""Checks of parts: who sees a record is secret, or does not depend on the other records.

And a part is only as large as the guarantee that is amplified by its size says.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from littlestone.audit.verify import verify
from littlestone.classes import FiniteClass, SparseSets, Thresholds
from littlestone.learners import registry
from littlestone.learners.agnostic import TwoSample
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.vc1 import VC1
from littlestone.source import exp

from .base import Detector, Records, learned

__all__ = ["OF_PARTS"]

F = Fraction
_BUDGET: dict[str, Any] = {"epsilon": 1, "alpha": F(1, 3), "beta": F(1, 3)}


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


def paths_that_force_nothing() -> str | None:
    """Try many records, all of which force a path, or all but one: how many there are is n, public.

    Two nodes of one branch have about equal scores: the upper one has as many votes as may go
    beyond it, the lower one as many paths as reach it; so a record changes both scores.
    """
    chain = FiniteClass([[int(x >= u) for x in range(8)] for u in range(9)])
    learner = VC1(chain, epsilon=1, delta=F(1, 10**6), alpha=F(1, 5), beta=F(1, 5))
    chooser: Any = learner.plan.chooser
    pairs: list[tuple[Records, Records]] = []
    for more in range(-4, 5):
        beyond = [(7, 0)] * (chooser.votes + more)
        rest = [(5, 0)] * 24 + beyond + [(0, 1)] * 20
        pairs.append(([*rest, (7, 0)], [*rest, (7, 1)]))  # (7, 1) forces nothing
    return learned(learner, pairs)


def shuffled_by_value() -> str | None:
    """Try chunks of two records: a smaller record must not shift all others."""
    singles = FiniteClass([[0, 0], [1, 0], [0, 1]])
    result = verify(
        VC1(singles, **_BUDGET, delta=F(1, 10**6), chunks=2), points=[0, 1], n_samples=4
    )
    return None if result.holds else f"worst delta {result.worst_delta:.3g}"


def longest_list() -> str | None:
    """Try many teachers of one mind, and another who lists three sets, or four."""
    settings: dict[str, Any] = {"epsilon": F(1, 10), "delta": F(1, 100), "chunk": 4}
    settings |= {"alpha": F(1, 3), "beta": F(1, 3), "tolerance": 2}
    most = [(9, 1)] * 440
    pair = (
        [*most, (1, 1), (1, 1), (2, 1), (2, 1)],
        [*most, (1, 1), (1, 1), (2, 1), (3, 1)],
    )
    return learned(Littlestone(SparseSets(2), **settings), [pair])


OF_PARTS: dict[str, Detector] = {
    "share of the pool": share_of_the_pool,
    "paths that force nothing": paths_that_force_nothing,
    "chunks shuffled by value": shuffled_by_value,
    "the longest list": longest_list,
}
