"""Agnostic streams: private Hedge in batches, for any class whose concepts can be scored.

Before each batch of b records one concept is drawn with weight e**(-rate * errors), its errors
those on all earlier batches, and published for the batch. Every record counts, not only mistakes,
and no label has to be explained by a concept.

Source: exponential weights (Littlestone and Warmuth; Freund and Schapire), with draws of the
exponential mechanism in the place of the mixture. The plan is `plan.plan_hedge`, what is proved
`bound.regret_bound`; the constants are our own: docs/learners/online.md.

*Regret.* Let N be the number of concepts, l_j(h) the mistakes of h in batch j, b_j <= b its
length, and W_j = sum_h e^(-eta L_{j-1}(h)). By Hoeffding's lemma ln(W_{j+1}/W_j) = ln E e^(-eta
l_j(h_j)) <= -eta E l_j(h_j) + eta^2 b_j^2/8, the expectation over the draw. Summed,
ln(W_{B+1}/N) >= -eta min L - ln N, so

sum_j E l_j(h_j) <= min_h L(h) + ln N/eta + eta b T/8

on every stream, *if the records of a batch are fixed before the concept published for it is
seen* (an adversary who sees it first can make every record a mistake); they may depend on all
that was published before. The mistakes minus their expectations are martingale differences in
ranges of length b_j, so by Azuma and Hoeffding the mistakes exceed the bound by sqrt(T b
ln(1/beta)/2) or more with probability at most beta (`regret_bound().mistakes`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.data import OUTSIDE, Sample
from littlestone.data.domains import distinct
from littlestone.data.sample import Counted
from littlestone.learners.online.algorithm import OnlineAlgorithm, item
from littlestone.learners.online.state import Record, sample_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.classes import ConceptClass
    from littlestone.learners.online.algorithm import Sources
    from littlestone.learners.online.budget import OnlinePlan
    from littlestone.learners.online.state import OnlineState
    from littlestone.types import Points


class Hedge(OnlineAlgorithm):
    """Private Hedge in batches: each draw is of all earlier batches.

    Guarantee
    ---------
    The whole transcript is (epsilon, delta)-DP when one record is replaced, for every stream, also
    if records are chosen by a reader of what is published: a record is counted in the draws after
    its batch only, each of them is ``2 * rate``-bounded range, and their number is planned.
    """

    def step(self, state: OnlineState, x: Any, y: int, sources: Sources) -> bool:
        """Learn one record; draw if it ends a batch."""
        version = state.version
        self._learn(state, [(state.time, x, y)], sources)
        return state.version != version

    def step_many(
        self,
        state: OnlineState,
        points: Points,
        inside: npt.NDArray[np.bool_],
        labels: npt.NDArray[np.int8],
        sources: Sources,
        *,
        until_published: bool = False,
    ) -> int:
        """Learn many records, batch by batch."""
        n, done = len(labels), 0
        while done < n and not state.stopped:
            end = min(n, done + self._batch - len(state.buffer))
            start, version = state.time - done, state.version
            records: list[Record] = [
                (start + i, item(points, i) if inside[i] else OUTSIDE, int(labels[i]))
                for i in range(done, end)
            ]
            self._learn(state, records, sources)
            done = end
            if until_published and state.version != version:
                return done
        state.time += n - done
        return n

    @property
    def _batch(self) -> int:
        return self.plan.phases[0].limit

    def _learn(self, state: OnlineState, records: list[Record], sources: Sources) -> None:
        """Take records of one batch, and draw the next concept if it is full."""
        state.time += len(records)
        if state.stopped:
            return
        state.buffer.extend(records)
        if len(state.buffer) == self._batch:
            self._train(state, sources)

    def _begin_test(self, state: OnlineState, time: int, sources: Sources) -> None:
        """There is no test: batches end at public times."""

    def _train(self, state: OnlineState, sources: Sources) -> bool:
        """Draw a concept by its errors on all batches, and publish it for the next one."""
        if state.tally is None:
            past = [record for epoch in state.epochs for record in epoch]
            state.tally = sample_of(past, self.concept_class)
        state.tally = _joined(state.tally, sample_of(state.buffer, self.concept_class))
        state.epochs.append(state.buffer)
        state.buffer = []
        state.batches += 1
        state.draws += 1
        choice = self.concept_class.candidates(state.tally)
        drawn = choice.draw(self.plan.phases[0].rate, sources(state.draws))
        state.published.append((state.time, drawn))
        state.stopped = state.batches == self.plan.batches
        if state.stopped:
            state.epochs.clear()  # nothing will ever be drawn from them
            state.contributions.clear()
            state.tally = None
        return True


def _joined(one: Sample, other: Sample) -> Sample:
    """Return the records of two samples together."""
    if not len(one.points) or not len(other.points):
        points, counts = (s := one if len(one.points) else other).points, s.counts
    else:
        points, where = distinct(np.concatenate([one.points, other.points]))
        counts = np.zeros((2, len(points)), dtype=np.int64)
        np.add.at(counts.T, where, np.concatenate([one.counts, other.counts], axis=1).T)
    outside = tuple(a + b for a, b in zip(one.outside, other.outside, strict=True))
    return Counted(points, counts, outside)


def algorithm_of(concept_class: ConceptClass, plan: OnlinePlan) -> OnlineAlgorithm:
    """Return the algorithm of a plan."""
    kind = Hedge if plan.method == "batches" else OnlineAlgorithm
    return kind(concept_class, plan)
