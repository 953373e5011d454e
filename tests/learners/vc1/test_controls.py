"""Broken variants of the learner: the verifier must catch each one."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes.trees import ROOT
from littlestone.data import Sample
from littlestone.data.sample import OrderedSample, part, shuffle, sizes
from littlestone.learners.vc1 import VC1
from littlestone.mechanisms import sparse_select
from littlestone.mechanisms.median import Ordered
from littlestone.papers.yan import OPTPrivateLearner
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource

from .small import FORK

POINTS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


class Literal(OPTPrivateLearner):
    """Definition 15 as it is printed: every point is deterministic if no concept fits the chunk."""

    def forced(self, tree, sample):
        matrix = self.concept_class.matrix
        f = matrix[tree.row]
        rows = range(len(matrix))
        for x, zeros, ones in zip(sample.points, sample.zeros, sample.ones, strict=True):
            rows = [
                r for r in rows if not (zeros and matrix[r][x]) and not (ones and not matrix[r][x])
            ]
        kept = {tree.quotient(x) for x in range(len(f)) if tree.quotient(x) is not None}
        return {x for x in kept if all(matrix[r][x] != f[x] for r in rows)}

    def candidates(self, tree, node):
        return [node]

    def node(self, sample, source, order=None):
        tree, start, forced = self.tree, 0, []
        shuffled = shuffle(sample, source)
        for size in sizes(len(shuffled), self.t):
            forced.append(self.forced(tree, part(sample, shuffled[start : start + size])))
            start += size
        depths = [max(map(tree.depth, b), default=0) for b in forced]
        depth = self.private_median.draw(Ordered.of(depths, tree.height + 1), source)
        if not depth:
            return ROOT
        votes = Counter(
            candidate
            for b in forced
            for node in b
            if tree.depth(node) == depth
            for candidate in self.candidates(tree, node)
        )
        drawn = sparse_select(
            votes, k=1, epsilon=self.epsilon, delta=self.delta, source=source, default=(ROOT, 0)
        )
        return drawn[0] if isinstance(drawn, tuple) else drawn


class EmptyIfInconsistent(Literal):
    """The same code with the correction: nothing is forced if no concept fits."""

    def forced(self, tree, sample):
        end = tree.deterministic(sample)
        return set(tree.path(end)) if end is not ROOT else set()


class Unquotiented(EmptyIfInconsistent):
    """Keeps points apart that no concept tells apart: two candidates of one depth for each vote."""

    def candidates(self, tree, node):
        points = range(self.concept_class.matrix.shape[1])
        return [(node, x) for x in points if tree.quotient(x) == node]


class HalfTheNoise(VC1):
    @property
    def plan(self):
        way = super().plan
        budget = replace(way.chooser.budget, epsilon=2 * way.chooser.budget.epsilon)
        return replace(way, chooser=replace(way.chooser, budget=budget))


class DealtInOrderOfPoints(VC1):
    """Deals counts by a public order of the points: one record moves all others."""

    def draw(self, sample, source):
        return super().draw(
            Sample.binary(sample.points, sample.zeros, sample.ones, sample.outside), source
        )


class OnePartForBoth(VC1):
    """Weights of all records (Definition 18 as printed), not of the second part."""

    def draw(self, sample, source):
        way = self.plan

        class Both:
            def go_down(self, node, tree, second, source):
                return way.down.go_down(node, tree, sample, source)

            required = way.down.required

        object.__setattr__(self, "_way", replace(way, down=Both()))
        try:
            return super().draw(sample, source)
        finally:
            object.__delattr__(self, "_way")

    @property
    def plan(self):
        return getattr(self, "_way", None) or super().plan


def verified(kind, matrix, n, **options):
    values = {"epsilon": 1, "delta": F(1, 1000), "alpha": 0.1, "beta": 0.05} | options
    algorithm = kind(ls.theory.FiniteClass(np.array(matrix)), **values)
    points = range(len(matrix[0]))
    return ls.audit.verify(algorithm, points=points, n_samples=n)


def leak(kind, matrix, chunks):
    """The largest divergence of Algorithm 2 on two records at epsilon 1, over its delta."""
    half, delta = F(1, 2), F(1, 1000)  # the exponential mechanism's median needs no delta
    concepts = ls.theory.FiniteClass(np.array(matrix))
    algorithm = kind(concepts, half, delta, F(1, 10), F(1, 20), chunks, "exponential")

    def run(records, source):
        points, labels = zip(*records, strict=True)
        return algorithm.draw(OrderedSample.listed(list(points), list(labels)), source).labels

    pairs = replace_one(list(product(range(len(matrix[0])), (0, 1))), 2)
    return verify_mechanism(run, pairs, epsilon=1, delta=delta).worst_delta / float(delta)


@pytest.mark.more
def test_the_printed_algorithm_is_caught():
    """Two records that contradict each other make every point deterministic."""
    assert leak(Literal, POINTS, 1) > 1.6
    for corrected in (EmptyIfInconsistent, OPTPrivateLearner):
        assert 0.5 < leak(corrected, POINTS, 1) <= 1


@pytest.mark.more
def test_more_siblings_more_leaks():
    """The leak grows with the number of points, without a bound."""
    six = np.vstack([np.zeros((1, 6), dtype=int), np.eye(6, dtype=int)]).tolist()
    assert leak(Literal, six, 1) > 1.9 * leak(Literal, POINTS, 1)
    assert leak(OPTPrivateLearner, six, 1) <= 1


@pytest.mark.first(1)
@pytest.mark.parametrize("chunks", [1, 2])
def test_an_unquotiented_class_is_caught(chunks):
    equal = [[0, 0, 0], [1, 1, 1]]
    assert leak(Unquotiented, equal, chunks) > 1.4
    assert leak(EmptyIfInconsistent, equal, chunks) <= 1


def divergence(kind, concepts, left, right, **options):
    """The hockey-stick divergence of two neighbouring lists, over delta."""
    values = {"epsilon": 1, "delta": F(1, 10**9), "alpha": 0.1, "beta": 0.05} | options
    algorithm = kind(concepts, **values)
    assert sum(a != b for a, b in zip(left, right, strict=True)) == 1
    laws = []
    for data in (left, right):
        sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
        laws.append(ExactSource().law(lambda source, s=sample: algorithm.draw(s, source)).outcomes)
    return max(
        upper(hockey_stick(p, q, algorithm.epsilon)) / algorithm.delta
        for p, q in (laws, laws[::-1])
    )


@pytest.mark.parametrize(
    ("concepts", "method", "left", "new"),
    [
        # one vote goes over from the winner to another point: both scores move, and the total
        (ls.theory.FiniteClass(POINTS), "one-shot", [(0, 1)] * 60 + [(1, 1)] * 48, (1, 1)),
        # one end comes to the deepest node, where about as many as the window asks for are
        (ls.Thresholds(1, 2), "median-exponential", [(1, 0)] * 34 + [(1, 1)] * 6, (1, 1)),
        (ls.Thresholds(1, 2), "median-tree", [(1, 0)] * 22 + [(1, 1)] * 18, (1, 1)),
    ],
    ids=["one-shot", "median-exponential", "median-tree"],
)
def test_half_the_noise_is_caught(concepts, method, left, new):
    right = [new, *left[1:]]
    assert divergence(HalfTheNoise, concepts, left, right, method=method) > 100
    assert divergence(VC1, concepts, left, right, method=method) <= 1


@pytest.mark.more
def test_shuffling_by_value_is_caught():
    """Chunks of two: a record that is replaced by a smaller one shifts all the others."""
    matrix = [[0, 0], [1, 0], [0, 1]]
    options = {"method": "one-shot", "chunks": 2, "delta": F(1, 10**6)}
    assert not verified(DealtInOrderOfPoints, matrix, 4, **options).holds
    assert verified(VC1, matrix, 4, **options).holds


def test_one_part_for_both_is_caught():
    """A record of the first part that also weighs on the way down is paid for once, used twice."""
    first = [(1, 1)] * 5 + [(2, 1)] * 10 + [(0, 1)] * 12 + [(0, 0)] * 40
    left = first + [(0, 1)] * (len(first) // 4)
    right = [(1, 0), *left[1:]]
    fork, options = ls.theory.FiniteClass(FORK), {"proper": True}
    assert divergence(VC1, fork, left, right, **options) <= 1
    assert divergence(OnePartForBoth, fork, left, right, **options) > 100
