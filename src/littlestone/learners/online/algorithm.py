"""Private online learning as a state machine: one record in, perhaps a new hypothesis out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.data import OUTSIDE
from littlestone.learners.online.alarm import draw_patience, draw_silence
from littlestone.learners.online.claims import PRIVACY
from littlestone.learners.online.records import label_of
from littlestone.learners.online.state import OnlineState
from littlestone.learners.online.votes import majority
from littlestone.privacy import Guarantee
from littlestone.source import SeededSource

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.classes import ConceptClass
    from littlestone.learners.online.council import HypothesisSampler
    from littlestone.learners.online.plan import OnlinePlan
    from littlestone.source import Source
    from littlestone.types import Points

__all__ = ["OnlineAlgorithm", "Sources", "always", "numbered"]

#: From the number of a draw to the source that makes it: so a stream that is taken up again makes
#: the draws that it would have made.
Sources = Callable[[int], "Source"]


def always(source: Source) -> Sources:
    """Return one source for all draws: the one of releases, or of exact verification."""
    return lambda number: source


def numbered(seed: int) -> Sources:
    """Return a reproducible source for each draw (NOT PRIVATE).

    Examples
    --------
    >>> numbered(7)(3).below(1000) == numbered(7)(3).below(1000)
    True
    """
    return lambda number: SeededSource((seed << 64) | number)


@dataclass(frozen=True)
class OnlineAlgorithm:
    """Few mistakes on a stream, and privacy for all of it.

    Parameters
    ----------
    concept_class : ConceptClass
    plan : OnlinePlan
        All numbers; see `plan_online`.

    Guarantee
    ---------
    The whole transcript (every published hypothesis and when it was published, however long the
    stream is) is (epsilon, delta)-DP when one record is replaced, for every stream: also for labels
    that no concept explains, and records chosen by somebody who reads what is published.

    Notes
    -----
    *How.* Publish a hypothesis. Collect its mistakes until the alarm rings (`alarm`); then hand
    them to the council (`council`), publish the majority vote of a few draws, and start anew. If
    too many draws are bottom, the council passes to its next stage and draws again. After the
    planned number of batches nothing is collected any more, and the last hypothesis stays.

    *Cost.* A record whose label was predicted changes nothing but the time.

    *Source.* Lyu 2025 (003), Algorithm 3 (DP-OL), changed where docs/learners/online.md says. Its
    line 6 is `start`; lines 8-14 are `step`; line 15, the test, is the alarm; lines 16-23 are what
    follows it. JointTrain, Algorithm 4, is `littlestone.learners.online.council`.
    """

    concept_class: ConceptClass
    plan: OnlinePlan

    name = "online"

    @property
    def council(self) -> HypothesisSampler:
        """Who turns mistakes into hypotheses."""
        return self.plan.council(self.concept_class)

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return what is promised about privacy, for the whole stream."""
        goal = self.plan.goal
        return Guarantee(goal.epsilon, goal.delta, claim=PRIVACY, seeded=seeded)

    def start(self, sources: Sources) -> OnlineState:
        """Return the state before the first record; its hypothesis depends on no record."""
        deal = int(sources(0).public_rng().integers(2**62))
        drawn = self.council.prior(self.plan.draws, SeededSource(deal))
        state = OnlineState(time=0, published=[(0, majority(drawn))], deal=deal)
        state.stopped = self.plan.batches == 0
        if not state.stopped:
            self._wind(state, 0, sources)
        return state

    def step(self, state: OnlineState, x: Any, y: int, sources: Sources) -> bool:
        """Learn one record, in place; the published hypothesis was there before its label.

        Parameters
        ----------
        state : OnlineState
        x : Point or OUTSIDE
        y : {0, 1}
        sources : callable
            From the number of a draw to the source it is made at (see `Sources`).

        Returns
        -------
        bool
            Whether a new hypothesis was published.
        """
        now, state.time = state.time, state.time + 1
        if state.stopped:
            return False  # the budget is spent: nothing is collected any more
        if label_of(state.hypothesis, x, self.concept_class) != y:
            state.buffer.append((now, x, y))
            self._listen(state, now, sources)
        while state.alarm == now:
            if state.rings:
                return self._train(state, sources)
            self._listen(state, now, sources)
        return False

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
        """Learn many records, in place: the same draws at the door as one by one.

        Parameters
        ----------
        state : OnlineState
        points : Points, shape (n,) or (n, columns)
        inside : array of bool, shape (n,)
            Where the point lies in the domain; elsewhere ``points`` is ignored.
        labels : array of {0, 1}, shape (n,)
        sources : callable
        until_published : bool, default False
            Stop after the record with which a new hypothesis was published.

        Returns
        -------
        int
            How many records were learned.
        """
        n, done = len(labels), 0
        while done < n and not state.stopped:
            size = min(n - done, _BLOCK)
            block = slice(done, done + size)
            wrong = (state.hypothesis.predict(points[block]) & inside[block]) != labels[block]
            start, version = state.time - done, state.version
            for i in self._events(state, np.flatnonzero(wrong) + done, start, done + size):
                state.time = start + i
                x = _item(points, i) if inside[i] else OUTSIDE
                self.step(state, x, int(labels[i]), sources)
                if state.version != version or state.stopped:
                    break
            else:
                state.time = start + done + size
            done = state.time - start
            if until_published and state.version != version:
                return done
        state.time += n - done
        return n

    def _events(self, state: OnlineState, wrong: Any, start: int, end: int) -> Any:
        """Yield the indices of mistakes and, in between, those at which the alarm acts."""
        at, i = 0, -1
        while True:
            mistake = int(wrong[at]) if at < len(wrong) else end
            i = min(mistake, max(state.alarm - start, i + 1))
            if i >= end:
                return
            at += i == mistake
            yield i

    def _wind(self, state: OnlineState, time: int, sources: Sources) -> None:
        """Set the alarm anew: a fresh patience, and how long it stays silent from a time on."""
        state.draws += 1
        patience = draw_patience(self.plan.alarm_epsilon, sources(state.draws))
        state.limit = self.plan.limit + patience
        self._listen(state, time, sources)

    def _listen(self, state: OnlineState, time: int, sources: Sources) -> None:
        """Draw when the alarm acts next, if nothing else happens from a time on."""
        state.draws += 1
        silent, state.rings = draw_silence(
            self.plan.alarm_epsilon,
            state.limit - len(state.buffer),
            self.plan.digits,
            sources(state.draws),
        )
        state.alarm = time + silent

    def _train(self, state: OnlineState, sources: Sources) -> bool:
        """Hand the mistakes to the council; publish, pass to the next stage, or stop."""
        state.epochs.append(state.buffer)
        state.buffer = []
        council, plan = self.council, self.plan
        before = state.version
        while state.version == before and state.batches < plan.batches:
            state.batches += 1
            state.draws += 1
            drawn = council.draw(
                state.epochs, state.stage, plan.draws, state.deal, sources(state.draws)
            )
            heard = [h for h in drawn if h is not None]
            if plan.draws - len(heard) <= plan.bottoms:
                state.published.append((state.time, majority(heard)))
            elif state.stage + 1 < council.stages:
                state.stage += 1
            else:
                break  # nobody agrees yet: publish nothing new, collect more mistakes
        state.stopped = state.batches == plan.batches
        if state.stopped:
            state.epochs.clear()  # nothing will ever be drawn from them
        else:
            self._wind(state, state.time, sources)
        return state.version != before


_BLOCK = 1 << 16


def _item(points: Points, i: int) -> Any:
    row = points[i]
    if points.ndim == 2:
        return tuple(row.tolist())
    return row.item() if isinstance(row, np.generic) else row
