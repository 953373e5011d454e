"""Classes of VC dimension 1 as trees, written out and by depth arithmetic."""

import itertools
import math
import re
from functools import cache
from itertools import combinations, product

import numpy as np
import pytest

from littlestone.classes import (
    FiniteClass,
    Intervals,
    Points,
    Prefixes,
    TableHypothesis,
    ThresholdHypothesis,
    Thresholds,
)
from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis
from littlestone.classes.prefixes import IPV6
from littlestone.classes.tree_paths import PathHypothesis, TreePaths
from littlestone.classes.trees import ROOT, Forest, MatrixTree, make_tree
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError

# -- Paper 001, section 4: every class of VC dimension at most 1 on at most 4 points, every f ------
# Everything on the right-hand side is the definition, spelled out.


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
            common = [z for z in above if literal.below(y, z)]
            assert tree.meet(x, y) == len(common)
        assert tree.precedes(x, ROOT)
        assert not tree.precedes(ROOT, x)
    assert set(tree.children(ROOT)) == literal.children(ROOT)
    assert tree.depth(ROOT) == 0


def check_concepts(tree, literal, rows):
    ends = set()
    of_labels = {tree.hypothesis(node).labels: node for node in [ROOT, *literal.nodes]}
    for row, relabelled in zip(rows, literal.rows, strict=True):
        end = of_labels["".join(map(str, row))]
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
    assert tree.concept(4) == TableHypothesis("1000100")
    assert [x + 1 for x in tree.path(4)] == [1, 5]
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


# -- Trees by depth arithmetic are the trees of the written-out matrix, for every f; at any size ---

FOREST = {"a": None, "b": "a", "c": "a", "d": "b", "e": "b", "f": "d", "u": None, "v": "u"}
SMALL = [
    *[Thresholds(3, 3 + n) for n in range(6)],
    *[Points(-1, -1 + n) for n in range(5)],
    TreePaths(FOREST),
    TreePaths([None]),
    TreePaths([-1, 0, 1, 2, 3]),
    Prefixes("01", 1),
    Prefixes("01", 2),
    Prefixes("abc", 2),
]


def domain_of(concept_class):
    """All points of a small class, in the class's own form."""
    if isinstance(concept_class, Thresholds):
        return list(range(concept_class.low, concept_class.high + 1))
    if isinstance(concept_class, Points):
        return list(range(concept_class.bounds[0], concept_class.bounds[1] + 1))
    forest = concept_class.forest
    found, waiting = [], list(forest.children(ROOT))
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting += forest.children(node)
    assert len(found) == forest.size
    return found


@pytest.mark.parametrize("concept_class", SMALL, ids=lambda c: c.spec)
def test_every_f_of_small_classes(concept_class):
    points = domain_of(concept_class)
    batch = np.empty(len(points), dtype=object)
    batch[:] = points
    concepts = list(concept_class.concepts())
    matrix = np.array([c.predict(batch) for c in concepts])
    assert len(np.unique(matrix, axis=0)) == concept_class.size
    heights = []
    for row, f in enumerate(concepts):
        tree, explicit = make_tree(concept_class, f), MatrixTree(matrix, f=row)
        check_same(tree, explicit, points, batch)
        check_order(tree, points)
        check_order(explicit, range(len(points)))
        heights.append(tree.height)
    assert make_tree(concept_class).height == min(heights) == MatrixTree(matrix).height


def check_same(tree, explicit, points, batch):
    """Two trees are one, up to the names of the nodes: points here, columns there."""
    assert (tree.height, tree.size) == (explicit.height, explicit.size)

    def column(node):
        return ROOT if node is ROOT else points.index(node)

    for node in [ROOT, *points]:
        at = column(node)
        assert tree.depth(node) == explicit.depth(at)
        assert {column(c) for c in tree.children(node)} == set(explicit.children(at))
        assert tree.child_count(node) == explicit.child_count(at)
        assert [column(above) for above in tree.path(node)] == list(explicit.path(at))
        assert tree.is_proper(node)
        assert explicit.is_proper(at)
        assert tree.eccentricity(node) == explicit.eccentricity(at)
        labels = "".join(map(str, tree.concept(node).predict(batch)))
        assert labels == explicit.concept(at).labels
    for x, node in enumerate(points):
        assert tree.f(node) == explicit.f(x)
        assert tree.quotient(node) == node
        assert explicit.quotient(x) == x
        assert column(tree.parent(node)) == explicit.parent(x)
        for y, other in enumerate(points):
            assert tree.precedes(node, other) == explicit.precedes(x, y)
            assert tree.meet(node, other) == explicit.meet(x, y)
            assert tree.meet(node, other) == Forest.meet(tree, node, other)


def check_order(tree, nodes):
    """The order is depth first: a node, and then, without a gap, all that lies below it."""
    ranked = sorted([ROOT, *nodes], key=tree.order)
    assert ranked[0] is ROOT
    for i, node in enumerate(ranked):
        below = [j for j, other in enumerate(ranked) if tree.precedes(other, node)]
        assert below == list(range(i, i + len(below)))


@pytest.mark.parametrize("concept_class", SMALL, ids=lambda c: c.spec)
def test_what_is_no_point_is_constant(concept_class):
    tree = make_tree(concept_class)
    for point in ("no such point", -(10**30), 10**30, ROOT):
        assert tree.quotient(point) is None
        assert tree.f(point) == 0


def test_random_forests():
    rng = np.random.default_rng(11)
    for _ in range(25):
        parents = [int(rng.integers(-1, i)) for i in range(rng.integers(1, 12))]
        kinds = TreePaths(parents)
        points = domain_of(kinds)
        batch = np.array(points, dtype=object)
        concepts = list(kinds.concepts())
        matrix = np.array([c.predict(batch) for c in concepts])
        row = int(rng.integers(len(concepts)))
        check_same(make_tree(kinds, concepts[row]), MatrixTree(matrix, f=row), points, batch)
        assert make_tree(kinds).height == MatrixTree(matrix).height


def test_huge_thresholds():
    tree = make_tree(Thresholds(1, 2**1024))
    assert tree.height == 2**1023
    f = tree.concept(ROOT)
    assert f == ThresholdHypothesis(2**1023, 1, 2**1024)
    right, left = 2**1023 + 10**9, 2**1023 - 10**9
    assert (tree.depth(right), tree.depth(left)) == (10**9, 10**9 + 1)
    assert tree.ancestor(right, 7) == 2**1023 + 7
    assert tree.ancestor(left, 7) == 2**1023 - 6
    assert not tree.precedes(left, right)
    assert not tree.precedes(right, left)
    assert tree.precedes(right, 2**1023 + 5)
    assert tree.concept(tree.ancestor(left, 7)) == ThresholdHypothesis(2**1023 - 7, 1, 2**1024)
    assert set(tree.children(ROOT)) == {2**1023, 2**1023 + 1}
    # labels as thresholds give them: 1 above 2**1023 + 3
    data = Sample.of([2**1023 - 8, 2**1023 + 2, 2**1023 + 3, 2**1023 + 90], [0, 0, 0, 1])
    assert tree.deterministic(data) == 2**1023 + 3


def test_points_of_any_type():
    tree = make_tree(Points())
    assert (tree.height, tree.size, tree.child_count(ROOT)) == (1, math.inf, math.inf)
    assert tree.concept(ROOT) == AlwaysZero()
    assert tree.concept(("a", 1)) == PointHypothesis(("a", 1))
    assert tree.depth("x") == 1
    assert tree.ancestor("x", 1) == "x"
    assert tree.quotient(np.int64(3)) == 3
    assert tree.precedes("x", ROOT)
    assert not tree.precedes("x", "y")
    assert list(tree.children("x")) == []
    with pytest.raises(UnsupportedError, match="no public order"):
        tree.children(ROOT)
    assert tree.deterministic(Sample.of(["x", "y", "z"], [1, 0, 0])) == "x"
    assert tree.deterministic(Sample.of(["x", "y"], [1, 1])) is ROOT
    # any f: the star's own root moves to the middle of one edge
    other = make_tree(Points(), f=PointHypothesis("p"))
    assert (other.height, other.depth("p"), other.depth("q")) == (2, 1, 2)
    assert (other.f("p"), other.f("q")) == (1, 0)


def test_ipv6_is_never_enumerated():
    """Depth arithmetic on 2**129 nodes: whatever enumerated them would never end."""
    networks = Prefixes("ipv6")
    tree = make_tree(networks)
    assert (tree.size, tree.height) == (2**129 - 1, 128)
    rng = np.random.default_rng(2)
    addresses = [
        1 << 128 | int.from_bytes(rng.bytes(8)) << 64 | int.from_bytes(rng.bytes(8))
        for _ in range(500)
    ]
    for address in addresses:
        node = tree.quotient(address)
        assert tree.depth(node) == 128
        assert tree.precedes(node, tree.ancestor(node, 48))
    site = IPV6.parse("2001:db8:17::/48")
    assert tree.depth(site) == 48
    assert IPV6.write(tree.ancestor(site, 32)) == "2001:db8::/32"
    assert tree.child_count(site) == 2
    # the root of the forest is reversed: f is 1 on ::/0 alone
    assert (tree.f(1), tree.f(site), tree.depth(1)) == (1, 0, 1)
    data = Sample.of(
        networks.domain.array(["::/0", "2001:db8::/32", "2001:db8:17::/48", "2001:db8:18::/48"]),
        [1, 1, 1, 0],
    )
    assert tree.deterministic(data) == site


def test_every_f_is_checked():
    for concept_class, wrong in [
        (Thresholds(1, 9), ThresholdHypothesis(3, 1, 8)),
        (Thresholds(1, 9), AlwaysZero()),
        (Points(1, 9), PointHypothesis(10)),
        (TreePaths(FOREST), PathHypothesis(("b", "d"))),
        (TreePaths(FOREST), PathHypothesis(("z",))),
        (TreePaths(FOREST), ThresholdHypothesis(3, 1, 8)),
        (Prefixes("01", 2), ThresholdHypothesis(3, 1, 8)),
    ]:
        with pytest.raises(ParameterError, match="'f' parameter of make_tree must be a concept"):
            make_tree(concept_class, f=wrong)
    with pytest.raises(UnsupportedError, match="not one of VC dimension 1 with a known tree"):
        make_tree(Intervals(1, 9))


def test_nodes_are_canonical_candidates():
    """Mechanisms sort candidates by canonical keys; the root has one too, and equals no point."""
    from littlestone.mechanisms.select import canonical_key

    nodes = [ROOT, "root", (), 1, ("a", 2)]
    keys = [canonical_key(node) for node in nodes]
    assert len(set(keys)) == len(nodes)
    assert all(a != b for a, b in itertools.combinations(nodes, 2))
    assert repr(ROOT) == "ROOT"


def test_large_matrices():
    """10**3 x 10**3 in the test; docs/vc1-trees.md has 10**4 x 10**4."""
    n = 1000
    matrix = np.tri(n, n - 1, -1, dtype=np.uint8)  # thresholds
    tree = MatrixTree(matrix)
    assert tree.height == n // 2
    points = np.vstack([np.eye(n, dtype=np.uint8), np.zeros(n, dtype=np.uint8)])
    assert MatrixTree(points).height == 1
    assert MatrixTree(points, f=0).height == 2
