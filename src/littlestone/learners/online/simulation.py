"""Runs on public streams, and against adversaries: there, and only there, mistakes are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from littlestone.learners.online.algorithm import OnlineAlgorithm, numbered
from littlestone.learners.online.bound import MistakeBound, mistake_bound

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.types import Points


@dataclass(frozen=True)
class Simulation:
    """What happened on a public stream."""

    n: int
    mistakes: npt.NDArray[np.int64]  # times of all mistakes, increasing
    #: From which time on each hypothesis was published, the first one from 0.
    published: tuple[int, ...]
    stopped: bool
    bound: MistakeBound
    description: str


def simulate(
    algorithm: OnlineAlgorithm,
    points: Points,
    labels: npt.NDArray[np.int8],
    *,
    seed: int,
    description: str = "a public stream",
) -> Simulation:
    """Run an online learner on a public stream, and count its mistakes.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners.online.plan import plan_online
    >>> ages = Thresholds(1, 99)
    >>> learner = OnlineAlgorithm(ages, plan_online(ages, epsilon=1, delta=1e-6, horizon=9_000))
    >>> x = np.arange(9_000) * 31 % 99 + 1
    >>> run = simulate(learner, x, (x > 40).astype(np.int8), seed=1)
    >>> 100 < len(run.mistakes) < 2_000, len(run.published) > 2
    (True, True)
    """
    sources = numbered(seed)
    state = algorithm.start(sources)
    inside = np.ones(len(labels), dtype=bool)
    done, wrong = 0, []
    while done < len(labels):
        hypothesis = state.hypothesis
        n = algorithm.step_many(
            state, points[done:], inside[done:], labels[done:], sources, until_published=True
        )
        part = slice(done, done + n)
        wrong.append(np.flatnonzero(hypothesis.predict(points[part]) != labels[part]) + done)
        done += n
    return Simulation(
        n=len(labels),
        mistakes=np.concatenate(wrong) if wrong else np.zeros(0, dtype=np.int64),
        published=tuple(time for time, _ in state.published),
        stopped=state.stopped,
        bound=mistake_bound(algorithm.plan, algorithm.concept_class),
        description=description,
    )


def contradict(algorithm: OnlineAlgorithm, points: Points, *, seed: int) -> Simulation:
    """Run an online learner against an adversary who reads what it publishes; count its mistakes.

    Whenever a hypothesis is published, the adversary chooses the record that contradicts it and
    leaves the most concepts that explain the whole stream, and repeats it until the next one is
    published. The target is what is left in the end: the stream is realizable at every time.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners.online.plan import plan_online
    >>> ages = Thresholds(1, 99)
    >>> learner = OnlineAlgorithm(ages, plan_online(ages, epsilon=1, delta=1e-6, horizon=9_000))
    >>> run = contradict(learner, np.arange(1, 100), seed=1)
    >>> 500 < len(run.mistakes) < run.bound.mistakes, run.bound.adaptive
    (True, True)
    """
    concepts = algorithm.concept_class.concepts()
    left = np.array([concept.predict(points) for concept in concepts])
    sources, n = numbered(seed), algorithm.plan.goal.horizon
    state = algorithm.start(sources)
    wrong = []
    while state.time < n:
        wanted = 1 - state.hypothesis.predict(points)
        explain = (left == wanted).sum(axis=0)
        best = int(explain.argmax())
        if not explain[best]:  # the published hypothesis is right wherever a concept is left
            algorithm.step_many(
                state, points[:1].repeat(n - state.time, axis=0), np.ones(n - state.time, bool),
                state.hypothesis.predict(points[:1]).repeat(n - state.time), sources,
            )  # fmt: skip
            break
        left = left[left[:, best] == wanted[best]]
        begun, version = state.time, state.version
        while state.version == version and state.time < n:
            size = min(n - state.time, 1 << 12)
            algorithm.step_many(
                state, points[best : best + 1].repeat(size, axis=0), np.ones(size, bool),
                np.full(size, wanted[best]), sources, until_published=True,
            )  # fmt: skip
        wrong.append(np.arange(begun, state.time))
    return Simulation(
        n=n,
        mistakes=np.concatenate(wrong) if wrong else np.zeros(0, dtype=np.int64),
        published=tuple(time for time, _ in state.published),
        stopped=state.stopped,
        bound=mistake_bound(algorithm.plan, algorithm.concept_class),
        description="the adversary who keeps the most concepts",
    )
