"""The methods of this library: rules of two literals, trees of depth 2 and 3, and the majority.

The law is that of `littlestone.AgnosticLearner`: a candidate h with probability proportional to
exp(-epsilon * errors(h) / 2). Without an epsilon (recorded as not private) a best candidate on the
training rows is taken, which shows what the class could do. The weights of one table and one
epsilon are computed once and drawn from ten times; this changes the time, not the law. The draws
are seeded, so that the table can be made again: a release would use the operating system's
randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt
from definitions import Table
from results import Cache, score

from littlestone.classes import ConceptClass, DecisionTrees, Rules
from littlestone.data import Sample, Schema
from littlestone.learners import registry
from littlestone.learners.base import Learner
from littlestone.learners.select import largest_certifiable
from littlestone.mechanisms import selection_rate
from littlestone.source import Explicit, SeededSource

__all__ = ["CLASSES", "MAJORITY", "chosen", "run"]

CLASSES: dict[str, Callable[[Schema], ConceptClass]] = {
    "rules": lambda schema: Rules(schema, 2),
    "tree depth 2": lambda schema: DecisionTrees(schema, 2),
    "tree depth 3": lambda schema: DecisionTrees(schema, 3),
}
MAJORITY = "majority"
#: At this rate the draw is a best candidate: one more error costs a factor of e**100.
GREEDY = Fraction(100)
SPECS = {
    "rules": "rules(max_literals=2)",
    "tree depth 2": "decision_trees(depth=2)",
    "tree depth 3": "decision_trees(depth=3)",
}


def chosen(table: Table, n: int, epsilon: float) -> tuple[str, bool]:
    """Return what ``littlestone fit --class auto`` takes for n records, and if it is certified.

    It depends on public numbers only: the richest class whose error is certified to be at most
    alpha = 0.1 above the best of the class, with probability 0.95; if there is none, the smallest.
    """

    def make(concept_class: ConceptClass) -> Learner:
        return registry.make("agnostic", concept_class, epsilon=str(epsilon))

    learner = largest_certifiable(Schema.from_toml(table.schema), n, make)
    (name,) = (name for name, spec in SPECS.items() if spec == learner.concept_class.spec)
    return name, learner.certificate(n).holds


def run(table: Table, data: Path, cache: Cache, epsilons: Sequence[float], seeds: range) -> None:
    """Run what is missing of one table."""
    with np.load(data) as arrays:
        codes, labels, test = arrays["codes"], arrays["labels"], arrays["test"]
    sample = Sample.of(codes[~test], labels[~test])
    schema = Schema.from_toml(table.schema)
    rows, inverse = np.unique(codes[test], axis=0, return_inverse=True)
    truth = labels[test].tolist()
    _majority(table.name, sample, truth, cache, epsilons, seeds)
    for name, make in CLASSES.items():
        concepts = make(schema)
        for epsilon in (*epsilons, None):
            left = cache.missing(table.name, name, "bins", epsilon, seeds if epsilon else [0])
            if not left:
                continue
            candidates = concepts.candidates(sample)
            rate = selection_rate(Fraction(str(epsilon))) if epsilon else GREEDY
            for seed in left:

                def fit(rate: Fraction = rate, seed: int = seed) -> npt.NDArray[np.int8]:
                    hypothesis = candidates.draw(rate, SeededSource(seed))  # noqa: B023
                    return np.asarray(hypothesis.predict(rows))[inverse.reshape(-1)]

                cache.add(score(table.name, name, "bins", epsilon, seed, fit, truth))


def _majority(
    name: str,
    sample: Sample,
    truth: list[int],
    cache: Cache,
    epsilons: Iterable[float],
    seeds: range,
) -> None:
    """Run the constant answers: the more frequent one, and the exponential mechanism over both."""
    positives = sample.positives
    errors = (positives, sample.n - positives)  # of never, of always
    choice = Explicit((-errors[0], -errors[1]))
    if cache.missing(name, MAJORITY, "bins", None, [0]):
        answer = int(errors[1] < errors[0])
        cache.add(score(name, MAJORITY, "bins", None, 0, lambda: [answer] * len(truth), truth))
    for epsilon in epsilons:
        rate = selection_rate(Fraction(str(epsilon)))
        for seed in cache.missing(name, MAJORITY, "bins", epsilon, seeds):

            def fit(rate: Fraction = rate, seed: int = seed) -> list[int]:
                return [choice.draw(rate, SeededSource(seed))] * len(truth)

            cache.add(score(name, MAJORITY, "bins", epsilon, seed, fit, truth))
