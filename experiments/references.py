"""Streams with and without privacy: mistakes against the horizon T, one figure for each class.

Run (a few minutes; up to T = 10**7)::

    python experiments/references.py

For each class the private learner with default constants, measured and certified (and certified
with ``constants="theory"``); without privacy the standard optimal algorithm, halving and expert
advice, measured and as proved; and what no learner can do better. Streams are public and have a
target. Those of thresholds show points ever nearer to it, each for one block: no block teaches the
next one. The others show points of a small pool at random. Expert advice follows up to T**d
version spaces: it is run on short streams only.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from chart import Axis
from experts import ExpertsPredictor, HalvingPredictor
from flats import Flats
from series import CERTIFIED, MEASURED, Figure, Fit, Row, run

import littlestone as ls
from littlestone.classes.finite import batch
from littlestone.errors import UnsupportedError
from littlestone.learners.online.algorithm import OnlineAlgorithm, mistake_bound, numbered
from littlestone.learners.online.plan import plan_online

BUDGET: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}
BLOCK = 10**6
HALVES = 2**14  # concepts that halving lists
PRIVATE, THEORY = "private learner", "private learner, constants of the theorem"
SOA, EXPERTS = "Littlestone 1988", "Ben-David, Pal, Shalev-Shwartz 2009"


@dataclass(frozen=True)
class Stream:
    """Points of a pool with their labels, in an order that is drawn.

    Attributes
    ----------
    name : str
        Of the figure.
    concept_class : ConceptClass
    values : sequence
        The pool.
    labels : array of {0, 1}
    blocks : bool
        Each point of the pool for one block of the stream; otherwise at random.
    """

    name: str
    concept_class: Any
    values: Sequence[Any]
    labels: Any
    blocks: bool = False

    @cached_property
    def pool(self) -> Any:
        """The points in the layout of the domain."""
        return batch(self.concept_class, list(self.values))

    def parts(self, n: int, seed: int) -> Iterator[Any]:
        """Yield places in the pool, for n records."""
        rng, k = np.random.default_rng(seed), len(self.values)
        for begin in range(0, n, BLOCK):
            size = min(BLOCK, n - begin)
            yield (np.arange(begin, begin + size) * k // n if self.blocks
                   else rng.integers(0, k, size))  # fmt: skip


def streams() -> list[Stream]:
    """Return one stream for each class."""
    rng = np.random.default_rng(5)

    def nearer(top: int) -> tuple[list[int], Any]:
        low, high, target, path = 0, top, int(rng.integers(1, top)), []
        while high > low:
            middle = (low + high + 1) // 2
            path.append(middle)
            low, high = (middle, high) if middle <= target else (low, middle - 1)
        return path, np.array([x > target for x in path], np.int8)

    def among(values: Sequence[Any], target: Any) -> tuple[Sequence[Any], Any]:
        return values, np.array([target(x) for x in values], np.int8)

    texts = [f"place {i}" for i in range(100)]
    basis = rng.integers(0, 7, (2, 20))
    inside = (rng.integers(0, 7, (200, 2)) @ basis + 3) % 7
    vectors = [tuple(v.tolist()) for v in np.concatenate([inside, rng.integers(0, 7, (200, 20))])]
    flat = set(vectors[:200])
    cube = [tuple(i >> j & 1 for j in range(6)) for i in range(64)]
    return [
        Stream("thresholds-small", ls.Thresholds(1, 1023), *nearer(1023), blocks=True),
        Stream("thresholds-large", ls.Thresholds(1, 2**32), *nearer(2**32), blocks=True),
        Stream("intervals", ls.Intervals(1, 100), *among(range(1, 101), lambda x: 30 <= x <= 70)),
        Stream("points", ls.Points(), *among(texts, lambda x: x == texts[7])),
        Stream("sparse-sets", ls.SparseSets(2), *among(texts, lambda x: x in texts[7:9])),
        Stream("flats", Flats(7, 20, 2), *among(vectors, lambda x: x in flat)),
        Stream(
            "conjunctions", ls.theory.Conjunctions(6), *among(cube, lambda x: x[0] and not x[3])
        ),
    ]


def private(stream: Stream, plan: Any, n: int, seed: int) -> int:
    """Return the mistakes of the private learner."""
    algorithm, sources = OnlineAlgorithm(stream.concept_class, plan), numbered(seed)
    state, wrong = algorithm.start(sources), 0
    for where in stream.parts(n, seed):
        done, points, labels = 0, stream.pool[where], stream.labels[where]
        everywhere = np.ones(len(where), dtype=bool)
        while done < len(where):
            errs = state.hypothesis.predict(stream.pool) != stream.labels
            learned = algorithm.step_many(
                state, points[done:], everywhere[done:], labels[done:], sources,
                until_published=True,
            )  # fmt: skip
            wrong += int(errs[where[done : done + learned]].sum())
            done += learned
    return wrong


def public(stream: Stream, predictor: Any, n: int, seed: int) -> int:
    """Return the mistakes of a predictor that learns from its mistakes only."""
    mistakes, errs = 0, predictor.hypothesis_.predict(stream.pool) != stream.labels
    for where in stream.parts(n, seed):
        at = 0
        while (bad := np.flatnonzero(errs[where[at:]])).size:
            place = int(where[at + int(bad[0])])
            predictor.learn_one(stream.values[place], int(stream.labels[place]))
            errs = predictor.hypothesis_.predict(stream.pool) != stream.labels
            mistakes, at = mistakes + 1, at + int(bad[0]) + 1
    return mistakes


def advised(stream: Stream, n: int, seed: int) -> float | None:
    """Return the expected mistakes with expert advice; None if there are too many experts."""
    experts, total = ExpertsPredictor(stream.concept_class, horizon=n), 0.0
    (where,) = stream.parts(n, seed)
    try:
        for place in where.tolist():
            x, y = stream.values[place], int(stream.labels[place])
            total += abs(y - experts.predict_proba_one(x)[True])
            experts.learn_one(x, y)
    except UnsupportedError:
        return None
    return total


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield all rows."""
    for stream in streams()[3:4] if options.quick else streams():
        tops = (10**3,) if options.quick else (10**3, 10**4, 10**5, 10**6, 10**7)
        between = () if options.quick else (3 * 10**3, 3 * 10**4, 3 * 10**5, 3 * 10**6)
        yield from with_privacy(stream, sorted((*tops, *between)), tops)
        yield from without_privacy(stream, (100, 300, *tops))


def with_privacy(stream: Stream, horizons: Sequence[int], run_at: Sequence[int]) -> Iterator[Row]:
    """Yield what is proved and measured about the private learner."""
    figure, cls = f"references-{stream.name}", stream.concept_class
    for n in horizons:
        plan = plan_online(cls, **BUDGET, horizon=n)
        theory = plan_online(cls, **BUDGET, horizon=n, constants="theory")
        for name, bound in (
            (PRIVATE, mistake_bound(plan, cls)), (THEORY, mistake_bound(theory, cls)),
        ):  # fmt: skip
            if bound.holds and (name == PRIVATE or theory != plan):
                claim = " ".join(bound.certificate.claims)
                yield Row(figure, name, CERTIFIED, n, bound.mistakes, claim=claim)
        if n in run_at:
            made = [private(stream, plan, n, seed) for seed in range(3 if n < 10**6 else 2)]
            yield Row(figure, PRIVATE, MEASURED, n, float(np.mean(made)), min(made), max(made))


def without_privacy(stream: Stream, horizons: Sequence[int]) -> Iterator[Row]:
    """Yield the references, and what no learner can do better."""
    figure, cls = f"references-{stream.name}", stream.concept_class
    d = cls.version_space().littlestone_dim()
    halves = cls.size <= HALVES
    for n in horizons:
        yield Row(figure, "SOA", MEASURED, n, public(stream, ls.theory.SOAPredictor(cls), n, 0))
        yield Row(figure, "SOA, proved: d", "bound", n, d, claim=SOA)
        if halves:
            halving = HalvingPredictor(cls)
            yield Row(figure, "halving", MEASURED, n, public(stream, halving, n, 0))
            most = math.log2(cls.size)
            yield Row(figure, "halving, proved: log₂ |C|", "bound", n, most, claim=SOA)
        if n <= (300 if d <= 2 else 100):
            mistakes = advised(stream, n, 0)
            if mistakes is not None:
                yield Row(figure, "experts", MEASURED, n, mistakes)
        regret = ExpertsPredictor(cls, horizon=n).regret_bound()
        yield Row(figure, "experts, proved: √(T ln N / 2)", "bound", n, regret, claim=EXPERTS)
        yield Row(figure, "no learner, expected: d/2", "bound", n, d / 2, claim=SOA)


WORDS = {
    "thresholds-small": "thresholds over 1,023 points",
    "thresholds-large": "thresholds over 2³² points",
    "intervals": "intervals over 100 points",
    "points": "single points of an infinite domain",
    "sparse-sets": "sets of at most 2 points of an infinite domain",
    "flats": "affine subspaces of dimension 2 in F₇²⁰",
    "conjunctions": "conjunctions of 6 attributes",
}
FIGURES = [
    Figure(
        f"references-{name}", f"Streams, {words} (ε = 1, δ = 10⁻⁶)",
        Axis("records of the stream, T"), Axis("mistakes"),
        f"Mistakes against the length of the stream, both on logarithmic axes, for {words}: the "
        "private learner and what is proved of it, far above predictors without privacy.",
        grouped=True,
    )
    for name, words in WORDS.items()
]  # fmt: skip
FITS = [
    Fit(f"references-{name}", PRIVATE, CERTIFIED, "log-log", 1e5, 1e8, 0.1, "at most", 0,
        "ln T: over this range T^0.1 at most")
    for name in WORDS
]  # fmt: skip

if __name__ == "__main__":
    run("references", __doc__, measure, FIGURES, FITS)
