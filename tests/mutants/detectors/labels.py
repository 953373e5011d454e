"""Checks of several labels: releases with their evaluations, costs as exact numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from typing import Any

import numpy as np

from littlestone.audit.verify import RecordCases, record_kinds
from littlestone.classes import ConceptClass, FiniteClass
from littlestone.data import Sample, Schema
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.source import ExactSource, HiddenStateError, Source

from ..mutant import patched
from .base import Detector

__all__ = ["OF_LABELS", "joint_losses"]

F = Fraction
_ABC = ("a", "b", "c")
_THREE = FiniteClass([[0, 0], [0, 1], [2, 1]], labels=_ABC)
_CITY = Schema.from_dict({"city": {"categories": ["Bonn"]}})
_PAIRS = {(0, 1): 1, (0, 2): 2, (1, 0): 3, (1, 2): 1, (2, 0): 1, (2, 1): "1/2"}

#: For each hypothesis the logarithm of its probability, and the true counts of its cells.
_Told = dict[Hashable, tuple[float, np.ndarray]]


def joint_losses(learner: Any, points: list[Any], n: int, part: Fraction, **more: Any) -> list[str]:
    """Return what is wrong with releases of a hypothesis with its evaluation, on all data sets.

    Every data set of n records over the points, with every label and one outside of the list, and
    all neighbours. The noise of a cell is left out and its rate noted, so that the true counts are
    seen: a release loses the log-ratio of the hypothesis, and the rate for each count that moves.
    (That a cell of rate r loses r for each count: tests/evaluation/test_evaluation.py.)
    """
    classes = learner.concept_class
    kinds = record_kinds(points, outside=True, codes=len(classes.labels) + classes.lists_labels)
    listed = len(classes.labels) if classes.lists_labels else None
    cases = RecordCases(list(kinds), classes.domain, ordered=False, labels=listed)
    rates: set[Fraction] = set()
    noisy = 0

    def told(rate: Fraction, reach: int, source: Source) -> int:
        nonlocal noisy
        noisy += 1
        rates.add(rate)
        return 0

    def released(data: Any, source: Source) -> Hashable:
        nonlocal noisy
        noisy = 0
        try:
            made = run(learner, cases.sample(data), source, evaluate=part, **more)
        except HiddenStateError:
            raise
        except Exception as refusal:  # a refusal that depends on the data tells of them
            problems.append(f"refuses some data sets: {type(refusal).__name__}")
            return "", F(0), (1, 1), np.zeros((1, 1), dtype=np.int64).tobytes()
        assert made.evaluation is not None
        counts = np.array(made.evaluation.counts)
        if noisy != counts.size:
            problems.append("a cell has no noise")
        if counts.sum() != n or made.n != n:
            problems.append("a record is not counted once")
        return made.hypothesis.key, made.guarantee.epsilon, counts.shape, counts.tobytes()

    problems: list[str] = []
    known: dict[Any, _Told] = {}
    claims: set[Fraction] = set()
    with patched("evaluation.histogram:truncated", lambda original, *given: told(*given)):
        for data in combinations_with_replacement(kinds, n):
            law = ExactSource().law(lambda source, data=data: released(data, source))
            known[data] = {}
            for (key, claim, shape, counts), p in law.outcomes.items():
                claims.add(claim)
                cells = np.frombuffer(counts, dtype=np.int64).reshape(shape)
                known[data][key] = float(p.log().mid()), cells
    if len(rates) != 1 or len(claims) != 1:
        return [*problems, "the noise or the claim depends on the data"]
    worst = _worst(known, float(rates.pop()))
    if worst > float(claims.pop()) + 1e-9:
        problems.append(f"a release and its evaluation lose {worst:.3g}")
    if worst < 0.4:
        problems.append("nothing depends on the data any more")
    return problems


def _worst(known: dict[Any, _Told], rate: float) -> float:
    """Return the largest loss of two neighbouring data sets, infinite if outcomes differ."""
    worst = 0.0
    for (one, told), (other, seen) in permutations(known.items(), 2):
        if not _neighbours(one, other):
            continue
        if told.keys() != seen.keys():
            return math.inf
        for key, (p, cells) in told.items():
            q, others = seen[key]
            worst = max(worst, p - q + rate * float(abs(cells - others).sum()))
    return worst


def _neighbours(one: Any, other: Any) -> bool:
    left = list(one)
    for record in other:
        if record in left:
            left.remove(record)
    return len(left) == 1


def _evaluated(concepts: ConceptClass, points: list[Any], n: int, **options: Any) -> str | None:
    learner = registry.make("agnostic", concepts, epsilon=1, **options)
    return next(iter(joint_losses(learner, points, n, F(1, 2))), None)


def labels_evaluated() -> str | None:
    """Try all pairs of records of three labels and one outside the list, with costs."""
    return _evaluated(_THREE, [0, 1], 2) or _evaluated(_THREE, [0, 1], 2, costs=_PAIRS)


def costs_exact() -> str | None:
    """Compare the law of a draw with e**(-epsilon/(2 C) * cost), for costs that no double is."""
    costs = {0: "0.29", 1: 1, 2: "0.57"}
    learner = registry.make("agnostic", _THREE, epsilon=4, costs=costs)
    for point in (0, 1):
        for code in range(4):
            sample = Sample.of([point], [code], labels=3)
            law = ExactSource().law(lambda source, sample=sample: learner.draw(sample, source).key)
            answers = {h.key: int(h.predict(np.array([point]))[0]) for h in _THREE.concepts()}
            price = [F(str(costs[code])) if code < 3 else F(1)] * 3
            if code < 3:
                price[code] = F(0)
            weights = {key: math.exp(-2 * price[k]) for key, k in answers.items()}
            for key, p in law.outcomes.items():
                if abs(float(p.mid()) - weights[key] / sum(weights.values())) > 1e-12:
                    return "a hypothesis is drawn by another cost than its own"
    return None


OF_LABELS: dict[str, Detector] = {
    "three labels and their evaluation": labels_evaluated,
    "costs of three labels": costs_exact,
}
