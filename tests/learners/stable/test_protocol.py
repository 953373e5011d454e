"""Algorithms of the reader's own: how stable they are, and the private versions of stable ones."""

from __future__ import annotations

import dataclasses
import warnings
from fractions import Fraction as F
from itertools import product
from math import prod

import numpy as np
import pytest

import littlestone as ls
import littlestone.learners.stable.protocol as module
from littlestone import audit
from littlestone.bounds import recheck
from littlestone.bounds.tails import clopper_pearson
from littlestone.classes import PointHypothesis, TableHypothesis
from littlestone.data import Sample
from littlestone.errors import ParameterError
from littlestone.learners.stable import StableProtocol

SIZE = 3
STEPS = ls.theory.FiniteClass([[int(x > u) for x in range(SIZE)] for u in range(-1, SIZE)])
LAW = Sample.of([0, 0, 1, 2, 2], [0, 0, 0, 1, 1])


def records(sample):
    pairs = ((0, sample.zeros), (1, sample.ones))
    return [
        (int(x), label)
        for label, counts in pairs
        for x, count in zip(sample.points, counts, strict=True)
        for _ in range(count)
    ]


def table(rule):
    return TableHypothesis("".join(str(int(rule(x))) for x in range(SIZE)))


def majority(sample):
    return table(lambda _: sample.ones.sum() > sample.zeros.sum())


def stump(sample):
    above = max((x for x, label in records(sample) if not label), default=-1)
    return table(lambda x: x > above)


def nearest(sample, k=3):
    def votes(x):
        near = sorted(sorted(records(sample)), key=lambda record: abs(record[0] - x))[:k]
        return 2 * sum(label for _, label in near) > len(near)

    return table(votes)


ALGORITHMS = (majority, stump, nearest)


def frequencies(algorithm, n):
    """How often each hypothesis is the output on n records of LAW: all lists of records."""
    law = {}
    kinds = [(0, 0), (1, 0), (2, 1)]
    shares = dict(zip(kinds, (F(2, 5), F(1, 5), F(2, 5)), strict=True))
    for data in product(kinds, repeat=n):
        found = algorithm(Sample.of([x for x, _ in data], [y for _, y in data])).labels
        law[found] = law.get(found, 0) + prod(shares[kind] for kind in data)
    assert sum(law.values()) == 1
    return law


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_interval_holds_the_true_stability(algorithm):
    law = frequencies(algorithm, 5)
    best = max(law, key=law.get)
    found = ls.theory.estimate_stability(algorithm, LAW, n=5, runs=400, confidence=0.999)
    assert found.hypothesis.labels == best
    assert found.low <= law[best] <= found.high < found.low + 0.2
    assert found.runs == 400


def test_the_interval_fails_as_rarely_as_it_says():
    """Two hypotheses, equally frequent: a count of the larger one would be too high."""
    coin = Sample.of([0, 0], [0, 1])
    inside, trials = 0, 100
    for seed in range(trials):
        found = ls.theory.estimate_stability(
            majority, coin, n=1, runs=20, confidence=0.9, seed=seed
        )
        inside += found.low <= 0.5 <= found.high
    assert clopper_pearson(inside, trials, 0.9999)[1] >= 0.9


def test_records_may_be_drawn_by_a_function():
    def draw(rng):
        x = rng.integers(SIZE, size=20)
        return Sample.of(x.tolist(), (x > 0).astype(int).tolist())

    found = ls.theory.estimate_stability(stump, draw, n=20, runs=100)
    assert found.hypothesis.labels == "011"
    assert found.low > 0.9


def test_an_algorithm_that_answers_nothing_is_not_stable():
    found = ls.theory.estimate_stability(lambda _: None, LAW, n=2, runs=50)
    assert (found.hypothesis, found.found, found.low) == (None, 0, 0)
    assert found.high == clopper_pearson(0, 50, 0.95)[1]
    with pytest.raises(ParameterError, match="'records' parameter"):
        ls.theory.estimate_stability(majority, [1, 2], n=2)
    with pytest.raises(ParameterError, match="'algorithm' parameter"):
        ls.theory.estimate_stability(None, LAW, n=2)


SMALL = {"n": 1, "eta": "0.9", "error": "0.05", "epsilon": 1, "delta": F(1, 5), "copies": 2}


def fragile(sample):
    """Fails, warns, or names points that the class does not have."""
    x, label = records(sample)[0]
    if x == 0 and label:
        raise KeyError(x)
    if x:
        warnings.warn(f"seen {x}", stacklevel=1)
    return PointHypothesis("a text" if label else x)


@pytest.mark.first(1)
@pytest.mark.parametrize("algorithm", [stump, majority, nearest, fragile])
def test_private_on_all_lists(algorithm):
    made = StableProtocol(STEPS, algorithm=algorithm, **SMALL)
    result = audit.verify(made, points=[0, 1], n_samples=3)
    assert result.holds, result
    assert (result.ordered, result.refusals) == (True, 0)
    assert result.worst_delta > 0


def test_copies_of_two_records_are_private():
    made = StableProtocol(STEPS, algorithm=stump, **(SMALL | {"n": 2, "copies": 1}))
    assert audit.verify(made, points=[1], n_samples=4).holds


# --- broken variants ------------------------------------------------------------------------------


class Raises(StableProtocol):
    """What goes wrong in a copy is told."""

    def submitted(self, records):
        return module._text(self.algorithm(records))


class Overlaps(StableProtocol):
    """Each copy sees the records of those before it: one record moves several items."""

    def submitted(self, records):
        self.__dict__.setdefault("seen", []).extend(data := globals()["records"](records))
        both = [x for x, _ in self.seen], [y for _, y in self.seen]
        return super().submitted(Sample.of(*both)) if data else None

    def draw(self, sample, source):
        self.__dict__["seen"] = []
        return super().draw(sample, source)


@pytest.mark.first(1)
@pytest.mark.parametrize(("make", "algorithm"), [(Overlaps, stump), (Raises, fragile)])
def test_broken_variants_are_caught(make, algorithm):
    settings = SMALL | {"copies": 3, "epsilon": 1, "delta": F(1, 20)}
    settings |= {"delta": F(1, 5)} if make is Raises else {}
    assert not audit.verify(
        make(STEPS, algorithm=algorithm, **settings), points=[0, 1], n_samples=3 + (make is Raises)
    ).holds


def test_a_hypothesis_that_cannot_label_a_point_errs_there_only():
    odd = PointHypothesis("a text")

    class Picky(PointHypothesis):
        def predict(self, points):
            if (np.asarray(points) == 2).any():
                raise ValueError("2")
            return super().predict(points)

    sample = Sample.of([0, 1, 1, 2, 2, 2], [0, 1, 0, 1, 0, 0])
    assert module._errors(Picky(1), sample) == 1 + 3
    assert module._errors(odd, sample) <= sample.n


# --- accuracy -------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [stump, nearest])
def test_the_stable_ones_are_learned_at_the_certified_number(algorithm):
    eta = ls.theory.estimate_stability(algorithm, LAW, n=20, runs=300).low
    learner = ls.theory.GloballyStable(
        STEPS,
        algorithm=algorithm,
        n=20,
        eta=eta,
        error=F(1, 50),
        epsilon=1,
        delta=1e-6,
        random_state=3,
    )
    n = learner.required_samples()
    certificate = learner.certificate(n)
    assert certificate.holds
    assert certificate.status == "conditional"
    assert recheck(certificate.to_dict()) == ()
    assert not learner.certificate(n - 1).holds
    rng = np.random.default_rng(0)
    failures = 0
    for seed in range(40):
        x = rng.choice(SIZE, size=n, p=[0.4, 0.2, 0.4])
        found = learner.set_params(random_state=seed).fit(x, (x == 2).astype(int))
        failures += found.hypothesis_.labels != "001"
    assert clopper_pearson(failures, 40, 0.9999)[0] <= 0.05


def test_consistency_proves_the_error():
    """(1 - alpha1)**n <= eta, by the certificate's own step and by hand."""
    learner = ls.theory.GloballyStable(
        STEPS, algorithm=stump, n=60, eta=F(1, 10), epsilon=1, delta=1e-6
    )
    alpha1 = learner.plan.alpha1
    assert (1 - alpha1) ** 60 <= F(1, 10) < (1 - alpha1 * F(999, 1000)) ** 60
    certificate = learner.certificate(learner.required_samples())
    assert certificate.holds
    assert any("consistent" in text for text in certificate.assumptions)
    with pytest.raises(ParameterError, match="'n' parameter of GloballyStable"):
        dataclasses.replace(learner.to_learner(), n=20).plan  # noqa: B018
    with pytest.raises(ParameterError, match="'error' parameter of GloballyStable"):
        dataclasses.replace(learner.to_learner(), error=F(1, 5)).plan  # noqa: B018


def test_a_record_that_a_hypothesis_cannot_label_counts_for_itself_alone():
    """One odd point makes the whole prediction raise; the other records count as before."""
    plain = TableHypothesis("011")
    zeros = [0] * 5 + [2] * 100
    for labels in ([0] * 106, [1] * 106):
        good = module._errors(plain, Sample.of(np.array([*zeros, 1], dtype=object), labels))
        odd = module._errors(plain, Sample.of(np.array([*zeros, "x"], dtype=object), labels))
        assert abs(good - odd) <= 1


def test_hypotheses_with_labels_of_their_own_are_not_submitted():
    several = TableHypothesis("012", ("a", "b", "c"))
    learner = StableProtocol(
        STEPS, algorithm=lambda sample: several, n=1, eta=F(1, 2), error=F(1, 10), epsilon=1,
        delta=F(1, 100),
    )  # fmt: skip
    assert learner.submitted(LAW) is None
