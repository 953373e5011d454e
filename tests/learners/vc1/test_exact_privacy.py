"""vc1 is private on every small data set; broken variants; shuffled lists."""

from collections import Counter
from fractions import Fraction as F
from functools import partial
from itertools import permutations, product

import numpy as np
import pyarrow as pa
import pytest

import littlestone as ls
from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes.trees import ROOT, MatrixTree
from littlestone.data import OUTSIDE, Sample
from littlestone.data.read import read
from littlestone.data.sample import OrderedSample, part, shuffle, sizes, written_out
from littlestone.data.stored import Unread
from littlestone.learners import vc1 as chunks_module
from littlestone.learners.running import read_sample
from littlestone.learners.vc1 import (
    VC1,
    OneShot,
    TreeGoal,
    chunk_ends,
    public_tree,
    shuffled_ends,
)
from littlestone.mechanisms import sparse_select
from littlestone.mechanisms.median import Ordered
from littlestone.papers.yan import OPTPrivateLearner
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, ReplaySource, SeededSource

from .small import FORK, classes, kinds_of_classes

# -- The learner is private on *every* small data set: exact laws, all neighbours, shuffled lists --

KINDS = [kind for points in (1, 2, 3) for kind in kinds_of_classes(points)]
#: A large delta lets the parts that it pays for be seen; a small one lets the others.
DELTAS = [F(1, 20), F(1, 10**6)]


def learner(matrix, epsilon=F(1), delta=F(1, 20), **options):
    return VC1(
        ls.theory.FiniteClass(np.array(matrix)),
        epsilon=epsilon,
        delta=delta,
        alpha=0.1,
        beta=0.05,
        **options,
    )


def check(algorithm, points, n, **options):
    result = ls.audit.verify(algorithm, points=range(points), n_samples=n, **options)
    assert result.holds, result
    assert result.refusals == 0
    assert result.slack == 0
    return result


@pytest.mark.first(3)
@pytest.mark.parametrize("matrix", KINDS, ids=str)
def test_every_kind_of_class_with_two_records(matrix):
    for chunks in (1, None):
        result = check(learner(matrix, chunks=chunks), len(matrix[0]), 2)
    assert result.datasets == (2 * len(matrix[0])) ** 2


def check_three_records(matrix, *options):
    points = len(matrix[0])
    for option in options:
        result = check(learner(matrix, **option), points, 3)
        assert result.datasets == (2 * points) ** 3


@pytest.mark.first(1)
@pytest.mark.parametrize("matrix", KINDS, ids=str)
def test_every_kind_of_class_with_three_records(matrix):
    check_three_records(matrix, {})
    if len(matrix[0]) < 3:
        check_three_records(matrix, {"chunks": 2})


@pytest.mark.more
def test_lists_are_shuffled_by_position():
    result = check(learner(KINDS[-1], chunks=2), 3, 3)
    assert (result.laws, result.pairs, result.ordered) == (216, 3240, True)
    assert result.worst_delta > 0.9 * 0.05  # the check is sharp
    result = check(learner(KINDS[-1]), 3, 3)
    assert (result.datasets, result.pairs, result.ordered) == (216, 3240, False)


@pytest.mark.more
@pytest.mark.parametrize("cls", [ls.Thresholds(1, 3), ls.Prefixes("ab", 1)], ids=str)
def test_implicit_classes_and_records_outside(cls):
    algorithm = VC1(cls, epsilon=1, delta=0.05, alpha=0.1, beta=0.05)
    result = ls.audit.verify(algorithm, points=[1, 3], n_samples=2, outside=True)
    assert result.holds, result


# --- the choice alone: every class, every f, every number of chunks ---------------------------


def choosers(tree, epsilon, delta):
    budget = TreeGoal(epsilon, delta, F(1, 10), F(1, 20), depth=tree.height)
    yield OneShot.plan(budget)
    yield OneShot(budget, 2, 0, 3)  # constants for so few chunks that every score counts
    yield OneShot(budget, 1, 0, 1)


def law_of(chooser, tree, ends):
    return ExactSource().law(lambda source: chooser.choose(ends, tree, source)).outcomes


def worst(matrix, f, n, chunks, epsilon=F(1), delta=F(1, 20)):
    """The largest divergence over delta, of all lists of n records, neighbours, and choosers."""
    tree = MatrixTree(matrix, f=f)
    if not tree.height:
        return F(0), 0
    points = len(matrix[0])
    records = list(product(range(points), (0, 1)))
    ends = {}
    for data in product(records, repeat=n):
        sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
        ends[data] = tuple(chunk_ends(tree, sample, sample.kinds, chunks))
    pairs = set()
    for data, mine in ends.items():
        for i, new in product(range(n), records):
            theirs = ends[(*data[:i], new, *data[i + 1 :])]
            assert sum(a != b for a, b in zip(mine, theirs, strict=True)) <= 1
            pairs.add((mine, theirs))
    largest = F(0)
    for chooser in choosers(tree, epsilon, delta):
        law = partial(law_of, chooser, tree)
        laws = {mine: law(mine) for mine in set(ends.values())}
        for mine, theirs in pairs:
            if mine != theirs:
                largest = max(largest, upper(hockey_stick(laws[mine], laws[theirs], epsilon)))
    return largest / delta, len(pairs)


@pytest.mark.first(1)
@pytest.mark.parametrize("points", [1, 2])
def test_every_class_and_every_f(points):
    found = [
        worst(matrix, f, n, chunks)[0]
        for matrix in classes(points)
        for f in range(len(matrix))
        for n, chunks in [(2, 2), (3, 1)]
    ]
    assert 0.9 < max(found) <= 1


@pytest.mark.more
def test_every_kind_on_three_points_and_every_f():
    found = [
        worst(matrix, f, 2, 2)[0] for matrix in kinds_of_classes(3) for f in range(len(matrix))
    ]
    assert 0.9 < max(found) <= 1


# --- the sizes that do not fit into CI --------------------------------------------------------


@pytest.mark.full
@pytest.mark.parametrize("epsilon", [F(1, 2), F(1), F(3)], ids=str)
@pytest.mark.parametrize("matrix", kinds_of_classes(3), ids=str)
def test_choices_on_all_classes_of_three_points(matrix, epsilon):
    for f in range(len(matrix)):
        for n, chunks in [(3, 1), (3, 2), (3, 3), (4, 2)]:
            for delta in (F(1, 20), F(1, 2)):
                assert worst(matrix, f, n, chunks, epsilon, delta)[0] <= 1


@pytest.mark.full
@pytest.mark.parametrize("matrix", KINDS, ids=str)
def test_every_kind_and_three_records(matrix):
    for chunks in (1, 2, None):
        for delta in DELTAS:
            check(learner(matrix, delta=delta, chunks=chunks), len(matrix[0]), 3)


@pytest.mark.full
@pytest.mark.parametrize("matrix", [KINDS[-2], KINDS[-1], FORK], ids=str)
def test_four_records_of_three_points(matrix):
    check(learner(matrix, chunks=2), 3, 4)
    check(learner(matrix), 3, 4)


# -- Broken variants of the learner: the verifier must catch each one ------------------------------

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


# -- Shuffling only the records that can be extreme: the law of a full permutation, exactly --------

NUMBERS = {"epsilon": 1, "delta": 1e-6, "alpha": 0.1, "beta": 0.05}


class Drawn:
    """A source whose permutations are drawn entry by entry, so that all of them are enumerated."""

    def __init__(self, inner):
        self.inner = inner

    def public_rng(self):
        return np.random.default_rng(0)

    def permutation(self, n, first=None):
        left = list(range(n))
        few = n if first is None else first
        return np.array([left.pop(self.inner.below(len(left))) for _ in range(few)], dtype=np.int64)


LISTS = [
    ([2, 5, 8, 3], [0, 0, 1, 1]),
    ([2, 5, 5, 3], [0, 1, 0, 1]),
    ([1, 1, 7, OUTSIDE], [0, 0, 1, 1]),
    ([OUTSIDE, OUTSIDE, 4, 9], [1, 0, 1, 0]),
    ([9, 8, 7, 6], [0, 0, 0, 0]),
    ([3], [1]),
]


@pytest.mark.parametrize("look", [1, 2, 100])  # 1: several looks are needed
@pytest.mark.parametrize("chunks", [1, 2, 3, 5])
@pytest.mark.parametrize("data", LISTS, ids=str)
def test_the_law_is_that_of_a_full_permutation(data, chunks, look, monkeypatch):
    monkeypatch.setattr(chunks_module, "first_look", lambda _: look)
    points, labels = data
    tree = public_tree(ls.Thresholds(1, 9))
    ordered = OrderedSample.listed(points, labels)
    plain = Sample.binary(ordered.points, ordered.zeros, ordered.ones, ordered.outside)
    law = ExactSource().law(lambda source: tuple(shuffled_ends(plain, chunks, Drawn(source))))
    orders = list(permutations(range(len(points))))
    expected = Counter(
        tuple(chunk_ends(tree, ordered, ordered.kinds[list(order)], chunks)) for order in orders
    )
    assert set(law.outcomes) == set(expected)
    for outcome, times in expected.items():
        share = F(times, len(orders))
        assert abs(float(law.outcomes[outcome]) - float(share)) < 1e-15


def test_looks_at_few_records_of_many():
    """The places that are drawn belong to one permutation: its chunks have the ends found."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 10**4, 200_000)
    sample = Sample.of(x, (x > 4000) ^ (rng.random(len(x)) < 0.001))
    tree, chunks, drawn = public_tree(ls.Thresholds(0, 10**4)), 300, []

    class Kept(SeededSource):
        def permutation(self, n, first=None):
            places = super().permutation(n, first)
            drawn.append(places)
            return places

    found = shuffled_ends(sample, chunks, Kept(1))
    (places,) = drawn
    assert len(places) < 0.1 * sample.n
    # write the permutation out: the places that were drawn, and any others for the other records
    kinds = written_out(sample)
    zeros, ones = kinds[kinds % 2 == 0][::-1], kinds[kinds % 2 == 1]
    look = len(places) // 2
    order = np.full(sample.n, -1)
    order[places] = np.concatenate([zeros[:look], ones[:look]])
    order[order < 0] = rng.permutation(np.concatenate([zeros[look:], ones[look:]]))
    assert found == chunk_ends(tree, sample, order, chunks)


@pytest.mark.first(1)
def test_equal_weights_at_the_door():
    """A table that is only read for its extremes shows the weights of a table that is counted."""
    rng = np.random.default_rng(3)
    n = 30_000
    x = rng.integers(0, 2**63, n).astype(np.uint64) * 2
    table = pa.table({"x": x, "y": (x > 2**63).astype(np.int8)})
    cls = ls.Thresholds(0, 2**64 - 1)
    algorithm = VC1(cls, **NUMBERS)
    fast = read(table, x="x", y="y", domain=cls.domain, need="extremes", most=algorithm.extremes)
    plain = Sample.read(table, x="x", y="y", domain=cls.domain)
    assert isinstance(fast, Unread)
    answers = [0] * 9
    seen = []
    for sample in (fast, plain):
        source = ReplaySource(answers)
        hypothesis = algorithm.draw(sample, source)
        seen.append((hypothesis, source.presented))
    assert seen[0] == seen[1]
    # and the weights of records that are written out one by one, in the order that was shuffled
    kinds = shuffle(plain, ReplaySource([]))
    zeros, ones = kinds[kinds % 2 == 0][::-1], kinds[kinds % 2 == 1]
    listed = np.concatenate([zeros, ones])  # the identity gives the first places to the zeros
    ordered = OrderedSample(plain.points, plain.counts, plain.outside, plain.costs, listed)
    source = ReplaySource(answers)
    assert algorithm.draw(ordered, source) == seen[0][0]
    assert source.presented[1:] == seen[0][1][1:]
    assert (source.presented[0], seen[0][1][0][:2]) == (("permutation", n), ("permutation", n))


def test_only_thresholds_ask_for_tails():
    thresholds = VC1(ls.Thresholds(0, 2**64 - 1), **NUMBERS)
    assert thresholds.extremes > 8192
    assert VC1(ls.Points(), **NUMBERS).extremes is None
    table = pa.table({"x": [1, 2, 3], "y": [0, 1, 1]})
    assert isinstance(read_sample(thresholds, table, x="x", y="y"), Unread)
    other = VC1(ls.Points(1, 9), **NUMBERS)
    assert not isinstance(read_sample(other, table, x="x", y="y"), Unread)


def test_there_are_so_many_kinds():
    assert [len(classes(p)) for p in (1, 2, 3)] == [3, 14, 124]
    assert [len(kinds_of_classes(p)) for p in (1, 2, 3)] == [2, 4, 9]


@pytest.mark.full
@pytest.mark.parametrize("matrix", kinds_of_classes(3), ids=str)
def test_shuffled_with_three_records_of_three_points(matrix):
    check_three_records(matrix, {"chunks": 2})
