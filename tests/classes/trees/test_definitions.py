"""Paper 001, section 4: every class of VC dimension at most 1 on at most 4 points, every f.

Everything on the right-hand side is the definition, spelled out.
"""

import re
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from littlestone.classes import FiniteClass, TableHypothesis
from littlestone.classes.trees import ROOT, MatrixTree, make_tree
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError


def is_shattered(rows, x, y):
    return len({(row[x], row[y]) for row in rows}) == 4


@cache
def classes(points, vc_at_most_1=True):
    """All nonempty classes on some points, as tuples of rows."""
    everything = list(product((0, 1), repeat=points))
    out = []
    # a class of VC dimension 1 has at most 1 + points concepts (Sauer)
    for size in range(1, (points + 1 if vc_at_most_1 else 2**points) + 1):
        for rows in combinations(everything, size):
            shattered = any(is_shattered(rows, x, y) for x, y in combinations(range(points), 2))
            if shattered != vc_at_most_1:
                out.append(rows)
    return out


class Literal:
    """The definitions, on one class and one f."""

    def __init__(self, rows, f):
        self.rows = [tuple(a ^ b for a, b in zip(row, rows[f], strict=True)) for row in rows]
        points = range(len(rows[0]))
        column = {x: tuple(row[x] for row in self.rows) for x in points}
        self.constant = {x for x in points if not any(column[x])}  # Assumption 2
        alive = [x for x in points if x not in self.constant]
        self.node = {x: min(y for y in alive if column[y] == column[x]) for x in alive}  # Ass. 1
        self.nodes = sorted(set(self.node.values()))
        self.depth = {x: self.distance(x) for x in self.nodes}

    @cache  # noqa: B019
    def below(self, x, y):
        """Definition 13: x precedes y."""
        return all(row[y] == 1 for row in self.rows if row[x] == 1)

    def distance(self, x):
        """Definition 16: the longest chain from x up."""
        above = [y for y in self.nodes if y != x and self.below(x, y)]
        return 1 + max((self.distance(y) for y in above), default=0)

    def children(self, x):
        """Algorithm 1: the nodes just below; x = ROOT stands for the empty set."""
        under = [y for y in self.nodes if y != x and (x is ROOT or self.below(y, x))]
        between = {y: [z for z in under if z != y and self.below(y, z)] for y in under}
        return {y for y in under if not between[y]}

    def positive(self, row):
        """I(c_f), up to the quotient."""
        return {self.node[x] for x in self.node if row[x] == 1}

    def threshold_dim(self):
        """Largest k with x_1..x_k and c_1..c_k such that c_i(x_j) = 1 iff i <= j."""

        @cache
        def best(points, rows):
            # c_1 is 1 on all chosen points, and every later c is 0 on x_1
            values = [0]
            for x in points:
                for row in rows:
                    if row[x]:
                        rest = frozenset(y for y in points if row[y] and y != x)
                        values.append(1 + best(rest, frozenset(r for r in rows if not r[x])))
            return max(values)

        return best(frozenset(range(len(self.rows[0]))), frozenset(self.rows))


@pytest.mark.first(3)
@pytest.mark.parametrize("points", [1, 2, 3, 4])
def test_every_class_and_every_f(points):
    for rows in classes(points):
        heights = []
        for f in range(len(rows)):
            tree, literal = MatrixTree(rows, f=f), Literal(rows, f)
            check_quotient_and_order(tree, literal, rows[f])
            check_concepts(tree, literal, rows)
            heights.append(tree.height)
        best = MatrixTree(rows)
        assert best.height == min(heights)
        assert best.row == heights.index(min(heights))
    assert len(classes(points)) == [3, 14, 124, 1944][points - 1]


def check_quotient_and_order(tree, literal, f):
    for x in range(len(f)):
        assert (tree.quotient(x) is None) == (x in literal.constant)
        assert tree.quotient(x) == literal.node.get(x)
        assert tree.f(x) == f[x]
    nodes = literal.nodes
    assert tree.size == len(nodes)
    assert tree.height == max(literal.depth.values(), default=0)
    for x in nodes:
        assert tree.depth(x) == literal.depth[x]
        assert set(tree.children(x)) == literal.children(x)
        assert tree.child_count(x) == len(literal.children(x))
        above = [y for y in nodes if literal.below(x, y)]
        # a forest order: everything above x is one chain, with one node at each depth
        assert all(literal.below(y, z) or literal.below(z, y) for y in above for z in above)
        assert sorted(tree.depth(y) for y in above) == list(range(1, tree.depth(x) + 1))
        assert {tree.ancestor(x, tree.depth(y)) for y in above} == set(above)
        assert tree.ancestor(x, 0) is ROOT
        assert list(tree.path(x)) == sorted(above, key=tree.depth)
        for y in nodes:
            assert tree.precedes(x, y) == literal.below(x, y)
            comparable = literal.below(x, y) or literal.below(y, x)
            lower = max(x, y, key=lambda z: literal.depth[z])
            assert tree.deepest([x, y]) == (lower if comparable else None)
            common = [z for z in above if literal.below(y, z)]
            assert tree.meet(x, y) == len(common)
        assert tree.precedes(x, ROOT)
        assert not tree.precedes(ROOT, x)
    assert set(tree.children(ROOT)) == literal.children(ROOT)
    assert tree.deepest([]) is ROOT
    assert tree.depth(ROOT) == 0


def check_concepts(tree, literal, rows):
    ends = set()
    for i, (row, relabelled) in enumerate(zip(rows, literal.rows, strict=True)):
        end = tree.node_of(i)
        ends.add(end)
        # Lemma 5: the concept is one path up to the root
        assert set(tree.path(end)) == literal.positive(relabelled)
        assert tree.concept(end) == TableHypothesis("".join(map(str, row)))
    assert len(ends) == len(rows)  # as many proper nodes (with the root) as concepts
    for node in [ROOT, *literal.nodes]:
        assert tree.is_proper(node) == (node in ends)  # Definition 17
        labels = tree.hypothesis(node).labels
        path = {x for x, at in literal.node.items() if at in set(tree.path(node))}
        assert labels == "".join(str(tree.f(x) ^ (x in path)) for x in range(len(rows[0])))
        if node not in ends:
            assert tree.child_count(node) >= 2  # Claim 3
            with pytest.raises(UnsupportedError, match="not proper"):
                tree.concept(node)
    assert tree.height <= literal.threshold_dim()  # Lemma 4


def shattered_pair(rows, f=None):
    """The two points that the refusal names; None if there is a tree."""
    try:
        MatrixTree(rows, f=f)
    except UnsupportedError as refused:
        return map(int, re.search(r"points (\d) and (\d) are shattered", str(refused)).groups())
    return None


@pytest.mark.parametrize("points", [2, 3])
def test_classes_of_vc_dimension_2_are_refused_with_a_shattered_pair(points):
    for rows in classes(points, vc_at_most_1=False):
        for f in range(len(rows)):
            assert is_shattered(rows, *shattered_pair(rows, f))
    assert len(classes(points)) + len(classes(points, False)) == 2 ** (2**points) - 1


def test_random_larger_classes_agree_about_shattering():
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(300):
        rows = np.unique(rng.integers(0, 2, size=(rng.integers(2, 7), 6)), axis=0)
        truth = any(is_shattered(rows, x, y) for x, y in combinations(range(6), 2))
        pair = shattered_pair(rows)
        assert (pair is not None) == truth
        assert pair is None or is_shattered(rows, *pair)
        found += truth
    assert 20 < found < 280


@pytest.mark.parametrize("points", [2, pytest.param(3, marks=pytest.mark.more)])
def test_deterministic_points(points):
    """Definition 15, and the correction: on every sample, the forced nodes are one path."""
    records = list(product(range(points), (0, 1)))
    samples = [list(s) for k in range(4) for s in combinations(records, k)]
    for rows in classes(points):
        for f in range(len(rows)):
            tree, literal = MatrixTree(rows, f=f), Literal(rows, f)
            everything_proper = len(rows) == len(literal.nodes) + 1
            for records in samples:
                sample = Sample.of(*zip(*records, strict=True)) if records else Sample.of([], [])
                forced = set(tree.path(tree.deterministic(sample)))
                relabelled = [(x, y ^ rows[f][x]) for x, y in records]
                assert forced == corrected(literal, relabelled)
                fits = [c for c in literal.rows if all(c[x] == y for x, y in relabelled)]
                if fits:
                    literally = {v for v in literal.nodes if all(c[v] for c in fits)}
                    assert forced <= literally
                    assert forced == literally or not everything_proper


def corrected(literal, records):
    """Return what the correction forces: everything above the deepest positive, or nothing."""
    positive = [x for x, y in records if y == 1]
    if not positive or any(x in literal.constant for x in positive):
        return set()
    if not all(literal.below(x, z) or literal.below(z, x) for x in positive for z in positive):
        return set()
    deepest = max(positive, key=lambda x: literal.depth[literal.node[x]])
    above = {y for y in literal.nodes if literal.below(deepest, y)}
    negative = {literal.node.get(x) for x, y in records if y == 0}
    return set() if above & negative else above


def test_a_positive_outside_the_domain_forces_nothing():
    tree = MatrixTree([[0, 0], [1, 0], [1, 1]], f=0)
    sample = Sample.of([1], [1])
    assert tree.deterministic(sample) == 1
    outside = Sample.binary(sample.points, sample.zeros, sample.ones, outside=(0, 1))
    assert tree.deterministic(outside) is ROOT
    harmless = Sample.binary(sample.points, sample.zeros, sample.ones, outside=(3, 0))
    assert tree.deterministic(harmless) == 1


def test_the_example_of_the_paper():
    """Paper 001, section 1.3.2: seven points, eight concepts, four layers."""
    ones = ["1", "2", "3", "14", "15", "156", "157", ""]
    matrix = [[int(str(x) in i) for x in range(1, 8)] for i in ones]
    finite = FiniteClass(matrix)
    assert finite.vc_dim == 1
    tree = make_tree(finite, f=TableHypothesis("0000000"))
    layers = {depth: set() for depth in range(1, 4)}
    for x in range(7):
        layers[tree.depth(tree.quotient(x))].add(x + 1)
    assert layers == {1: {1, 2, 3}, 2: {4, 5}, 3: {6, 7}}
    h5 = tree.node_of(4)
    assert [x + 1 for x in tree.path(h5)] == [1, 5]
    assert all(tree.is_proper(node) for node in [ROOT, *range(7)])
    # with the concept h_7, the points forced by {x_1} and by {x_1, x_5, x_7}
    forced = [tree.deterministic(Sample.of(points, [1] * len(points))) for points in ([0], [0, 6])]
    assert [tree.depth(node) for node in forced] == [1, 3]
    assert tree.ancestor(forced[1], 2) == 4  # the good point of the middle layer is x_5
    # rooted at h_1 instead, all concepts are within two flips
    assert make_tree(finite).height == 2
    assert make_tree(finite).concept(ROOT) == TableHypothesis("1000000")


def test_refusals():
    with pytest.raises(ParameterError, match="'f' parameter of MatrixTree"):
        MatrixTree([[0, 1], [1, 1]], f=2)
    with pytest.raises(ParameterError, match="nonempty two-dimensional array of 0 and 1"):
        MatrixTree([[0, 2]])
    with pytest.raises(ParameterError, match="a concept of finite"):
        make_tree(FiniteClass([[0, 1], [1, 1]]), f=TableHypothesis("00"))
    with pytest.raises(ParameterError, match="a concept of finite"):
        make_tree(FiniteClass([[0, 1], [1, 1]]), f=TableHypothesis("0"))


def test_one_concept_is_a_root_alone():
    tree = MatrixTree([[0, 1]])
    assert (tree.height, tree.size, list(tree.children(ROOT))) == (0, 0, [])
    assert tree.hypothesis(ROOT) == TableHypothesis("01")
    assert tree.deterministic(Sample.of([0], [1])) is ROOT
