"""Trees by depth arithmetic are the trees of the written-out matrix, for every f; at any size."""

import itertools
import math

import numpy as np
import pytest

from littlestone.classes import Intervals, Points, Prefixes, ThresholdHypothesis, Thresholds
from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis
from littlestone.classes.prefixes import IPV6
from littlestone.classes.tree_paths import PathHypothesis, TreePaths
from littlestone.classes.trees import ROOT, Forest, MatrixTree, make_tree
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError

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
            assert column_or_none(tree.deepest([node, other]), column) == explicit.deepest([x, y])


def check_order(tree, nodes):
    """The order is depth first: a node, and then, without a gap, all that lies below it."""
    ranked = sorted([ROOT, *nodes], key=tree.order)
    assert ranked[0] is ROOT
    for i, node in enumerate(ranked):
        below = [j for j, other in enumerate(ranked) if tree.precedes(other, node)]
        assert below == list(range(i, i + len(below)))


def column_or_none(node, column):
    return None if node is None else column(node)


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
    assert tree.deepest([left, right]) is None
    assert tree.deepest([2**1023 + 5, right, 2**1023 + 1]) == right
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
    with pytest.raises(UnsupportedError, match="has no tree of a class of VC dimension 1"):
        make_tree(Intervals(1, 9))


def test_nodes_are_canonical_candidates():
    """Mechanisms sort candidates by canonical keys; the root has one too, and equals no point."""
    from littlestone.mechanisms.select import canonical_key

    nodes = [ROOT, "root", (), 1, ("a", 2)]
    keys = [canonical_key(node) for node in nodes]
    assert len(set(keys)) == len(nodes)
    assert all(a != b for a, b in itertools.combinations(nodes, 2))
    assert repr(ROOT) == "ROOT"


def test_trees_serve_the_one_shot_draw():
    """The draw over paths has the same exact law on a tree and on its written-out matrix."""
    from fractions import Fraction

    from littlestone.mechanisms.median import one_shot_path
    from littlestone.source import ExactSource

    kinds = TreePaths(FOREST)
    points = domain_of(kinds)
    batch = np.array(points, dtype=object)
    concepts = list(kinds.concepts())
    matrix = np.array([c.predict(batch) for c in concepts])
    tree, explicit = make_tree(kinds, concepts[4]), MatrixTree(matrix, f=4)
    ends = ["c", "c", "a", ROOT, "v"]
    columns = [end if end is ROOT else points.index(end) for end in ends]

    def law(this, ends):
        def run(source):
            node = one_shot_path(
                ends, this, max_depth=this.height, epsilon=1, delta=Fraction(1, 10), source=source
            )
            return None if node is None else labels(this.concept(node))

        return ExactSource().law(run).outcomes

    def labels(concept):
        listed = getattr(concept, "labels", None)
        return listed or "".join(map(str, concept.predict(batch)))

    laws = [law(tree, ends), law(explicit, columns)]
    assert set(laws[0]) == set(laws[1])
    assert all(float(abs(laws[0][k] - laws[1][k]).upper()) < 1e-30 for k in laws[0])


def test_large_matrices():
    """10**3 x 10**3 in the test; docs/vc1-trees.md has 10**4 x 10**4."""
    n = 1000
    matrix = np.tri(n, n - 1, -1, dtype=np.uint8)  # thresholds
    tree = MatrixTree(matrix)
    assert tree.height == n // 2
    points = np.vstack([np.eye(n, dtype=np.uint8), np.zeros(n, dtype=np.uint8)])
    assert MatrixTree(points).height == 1
    assert MatrixTree(points, f=0).height == 2
