"""Paths to the leaves of a tree only: which leaf is it? The classes with improper nodes.

A concept is a leaf together with everything above it; the path to an inner node is no concept. Over
a taxonomy: all the categories of one product. Over addresses: all networks of one address. Over
single points: exactly one point, never none. Such classes tell proper learners from improper ones:
the improper hypothesis "the path to this inner node" may be near every leaf below it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from littlestone.classes.base import (
    ConceptClass,
    IdentityRepresentation,
    Mapped,
    Representation,
    VersionSpace,
    in_order,
    span_runs,
    version_space,
)
from littlestone.classes.finite import Labelling, best_dichotomies
from littlestone.classes.hypotheses import AlwaysZero, Fields, PointHypothesis
from littlestone.classes.points import Points, PointSpace
from littlestone.classes.prefixes import Prefixes, PrefixHypothesis
from littlestone.classes.spec import class_from_dict, parse_class, written
from littlestone.classes.tree_paths import PathHypothesis, TreePaths, span_dichotomies
from littlestone.classes.trees import (
    ROOT,
    Forest,
    ListedForest,
    Node,
    PathsTree,
    Star,
    centre,
    no_concept,
    plain,
)
from littlestone.data import Domain, Sample
from littlestone.data.domains import canonical_order
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.source import Choice, StreamedRuns
from littlestone.types import Hypothesis, Json, Point
from littlestone.types import Points as Batch

# -- the tree of the class that holds the paths to the *leaves* of a forest only ------------------
#
# Concepts are vertices of an unrooted tree whose edges are the points
# (`littlestone.classes.trees`).
# Here only its leaves are concepts: every inner vertex is improper. Points that all concepts label
# alike are merged: a vertex of degree two joins the two points beside it, which are equal, or (at
# the top) complementary; a single top node is constant. What is left has inner vertices of degree
# three or more, so it is a tree of paths again, seen from a leaf, of which the improper nodes are
# the
# inner ones.


class LeafTree(PathsTree):
    """The tree of the paths to the leaves; improper at every inner vertex."""

    def __init__(
        self,
        forest: Forest,
        at: Node,
        make: Callable[[Node], Hypothesis],
        *,
        node: Callable[[Point], Node | None],
        f: Callable[[Point], int],
        leaves: int | float,
    ) -> None:
        super().__init__(forest, at, make)
        self._node, self._label, self._leaves = node, f, leaves

    def quotient(self, point: Point) -> Node | None:
        """Return the node of the points that are merged with this one."""
        return self._node(plain(point))

    def f(self, point: Point) -> int:
        """Return the label of f."""
        return self._label(plain(point))

    def is_proper(self, node: Node) -> bool:
        """Return whether the vertex is a leaf."""
        vertex = self.vertex(node)
        return vertex == self.at or self.forest.child_count(vertex) == (vertex is ROOT)

    @property
    def n_below(self) -> int | float:
        """The largest number of leaves below an inner vertex: all but f's; 0 without one."""
        return self._leaves - 1 if self._leaves > 2 else 0


class Merged:
    """A listed forest without vertices of degree two, and the node of each point."""

    def __init__(self, forest: ListedForest, node: dict[Node, Node | None], root: Node) -> None:
        self.forest, self.node, self.root = forest, node, root


def merged(forest: ListedForest) -> Merged:
    """Merge the nodes that no path to a leaf distinguishes.

    Examples
    --------
    A chain to one of two leaves: both leaves say the same, with opposite labels.

    >>> found = merged(ListedForest("abcd", np.array([-1, 0, 1, 1])))
    >>> found.node, found.root, found.forest.nodes
    ({'a': None, 'b': None, 'c': 'd', 'd': 'd'}, 'c', ['d'])
    """
    above = forest.parents.tolist()
    children = [0] * forest.size
    for parent in above:
        if parent >= 0:
            children[parent] += 1
    last = list(range(forest.size))  # the lowest node with the same leaves
    for i in reversed(range(forest.size)):
        if above[i] >= 0 and children[above[i]] == 1:
            last[above[i]] = last[i]
    up = [-1] * forest.size  # the next one above with other leaves
    for i, parent in enumerate(above):
        if parent >= 0:
            up[i] = parent if last[parent] == parent else up[parent]
    kept = [i for i in range(forest.size) if last[i] == i]
    to: dict[int, int | None] = {i: last[i] for i in range(forest.size)}
    root, gone = -1, set[int]()
    tops = [i for i in kept if up[i] < 0]
    if len(tops) == 1:  # on every path
        root = tops[0]
        gone.add(root)
        tops = [i for i in kept if up[i] == root]
    if len(tops) == 2:  # on every path one of them; the one with children is left out
        out, stays = sorted(tops, key=lambda i: (children[i] == 0, i))
        if root >= 0:
            to[root] = None
        root = out
        gone.add(out)
        to |= {i: stays for i in range(forest.size) if last[i] == out}
    elif root >= 0:
        to[root] = None
    to = {i: None if at is None else to[at] for i, at in to.items()}
    left = [i for i in kept if i not in gone]
    place = {i: k for k, i in enumerate(left)}
    parents = np.array([place.get(up[i], -1) for i in left], dtype=np.int64)
    names = forest.nodes
    return Merged(
        ListedForest([names[i] for i in left], parents),
        {names[i]: None if at is None else names[at] for i, at in to.items()},
        ROOT if root < 0 else names[root],
    )


class BranchingForest(Forest):
    """A forest with one top node, and equally many children of every inner node, merged likewise.

    The top node is constant. If there are two nodes below it, the first one is merged with the
    second, and what was below it hangs from the root.
    """

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        (self._top,) = forest.children(ROOT)
        below = list(forest.children(self._top))
        #: The node that is left out, if there is one.
        self.out: Node | None = below[0] if len(below) == 2 else None
        #: The vertex above all.
        self.root: Node = self._top if self.out is None else self.out
        self._tops = below if self.out is None else [*forest.children(self.out), below[1]]
        self.size = forest.size - 1 - (self.out is not None)
        self.height = forest.height - 1

    def _shift(self, node: Node) -> int:
        return 1 + (self.out is not None and self._forest.precedes(node, self.out))

    def __contains__(self, node: object) -> bool:
        return node in self._forest and node not in (self._top, self.out)

    def depth(self, node: Node) -> int:
        """Return the number of nodes on the path."""
        return 0 if node is ROOT else self._forest.depth(node) - self._shift(node)

    def ancestor(self, node: Node, depth: int) -> Node:
        """Return the node at a depth on the path."""
        return self._forest.ancestor(node, depth + self._shift(node)) if depth else ROOT

    def children(self, node: Node) -> Iterator[Node]:
        """Yield the children."""
        return iter(self._tops) if node is ROOT else self._forest.children(node)

    def child_count(self, node: Node) -> int | float:
        """Return the number of children."""
        return len(self._tops) if node is ROOT else self._forest.child_count(node)

    def order(self, node: Node) -> Any:
        """Return the rank in preorder."""
        return -1 if node is ROOT else self._forest.order(node)

    def eccentricity(self, node: Node) -> int:
        """Return the distance of the farthest leaf: it lies on another side of the root."""
        depth = self.depth(node)
        if self.out is None or not depth or self._shift(node) == 2:
            return depth + self.height
        return max(depth + self.height - 1, self.height - depth)


def infinite_star() -> Star:
    """Return the star of all hashable points; the integers 0, 1, ... come first in public order."""
    return Star(math.inf, member=lambda point: True, members=lambda: count(0))


@written("leaf_paths(points(1, 300))")
class LeafPaths(ConceptClass):
    """Paths to the leaves of a tree, and no other path: exactly one leaf is the right one.

    Parameters
    ----------
    paths : TreePaths, Prefixes or Points
        The tree. The leaves of a taxonomy are what has nothing below it, those of prefixes the
        whole addresses or codes, those of points all points.

    Raises
    ------
    ParameterError

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law.

    Notes
    -----
    VC dimension 1 (0 for a single leaf). The inner nodes of its tree are improper (paper 001,
    Definition 17).

    Examples
    --------
    >>> from littlestone.classes import TreePaths, make_tree
    >>> kinds = TreePaths({"animal": None, "dog": "animal", "cat": "animal", "owl": "animal"})
    >>> leaves = LeafPaths(kinds)
    >>> leaves.size, [c.describe()[:10] for c in leaves.concepts()]
    (3, ["1 on 'cat'", "1 on 'dog'", "1 on 'owl'"])
    >>> tree = make_tree(leaves)
    >>> [(x, tree.is_proper(x)) for x in tree.path("dog")], tree.quotient("animal") is None
    ([('cat', False), ('dog', True)], True)
    >>> LeafPaths(Points()).size, make_tree(LeafPaths(Points(1, 2**64))).height
    (inf, 2)
    """

    name = "leaf_paths"

    def __init__(self, paths: ConceptClass) -> None:
        if not isinstance(paths, TreePaths | Prefixes | Points):
            raise parameter_error(
                "LeafPaths", "paths", "tree_paths, prefixes or points", type(paths).__name__
            )
        self.paths: TreePaths | Prefixes | Points = paths

    @classmethod
    def from_spec(cls, inside: str) -> LeafPaths:
        """Read the class between the parentheses."""
        return cls(parse_class(inside))

    @property
    def spec(self) -> str:
        """The text of the class."""
        return f"leaf_paths({self.paths.spec})"

    @property
    def domain(self) -> Domain:
        """The domain of the tree's nodes."""
        return self.paths.domain

    @cached_property
    def size(self) -> int | float:
        """Number of leaves."""
        match self.paths:
            case Points():
                return self.paths.size - 1
            case Prefixes():
                return int(self.paths.notation.base**self.paths.notation.length)
            case _:
                return int(self._leaf_ranks[-1])

    @property
    def vc_dim(self) -> int:
        """1; 0 for a single leaf."""
        return int(self.size > 1)

    # -- leaves by rank -----------------------------------------------------------------------

    @cached_property
    def _leaf_ranks(self) -> Any:
        """For each node of a taxonomy the number of leaves before it, in preorder; then all."""
        assert isinstance(self.paths, TreePaths)
        forest = self.paths.forest
        inner = np.zeros(forest.size + 1, dtype=bool)
        inner[forest.parents] = True  # the last one: parents of the top nodes
        return np.concatenate([[0], np.cumsum(~inner[:-1])])

    def _spans(self, points: Batch) -> tuple[list[int], list[int], Any]:
        """Return the ranks [start, end) of the leaves below each point, and which have some."""
        if isinstance(self.paths, Points):
            assert self.paths.bounds is not None
            low, high = self.paths.bounds
            inside = np.asarray((points >= low) & (points <= high), dtype=bool)
            starts = [x - low for x in points[inside].tolist()]
            return starts, [x + 1 for x in starts], inside
        if isinstance(self.paths, TreePaths):
            ranks, ends, inside = self.paths.spans(points)
            return self._leaf_ranks[ranks].tolist(), self._leaf_ranks[ends].tolist(), inside
        forest, notation = self.paths.forest, self.paths.notation
        inside = np.array([point in forest for point in points.tolist()], dtype=bool)
        starts, ends = [], []
        for node in points[inside].tolist():
            below = notation.base ** (forest.height - forest.depth(node))
            digits = forest.depth(node) - 1
            mask = (1 << notation.bits) - 1
            value = 0
            for k in reversed(range(digits)):
                value = value * notation.base + (node >> k * notation.bits & mask)
            starts.append(value * below)
            ends.append((value + 1) * below)
        return starts, ends, inside

    def _leaf(self, rank: int) -> Node:
        """Return the node of a leaf by its rank."""
        match self.paths:
            case Points():
                return rank + (0 if self.paths.bounds is None else self.paths.bounds[0])
            case TreePaths():
                return self.paths.at_rank(int(np.searchsorted(self._leaf_ranks, rank, "right")) - 1)
            case _:
                notation, digits = self.paths.notation, list[int]()
                for _ in range(notation.length):
                    rank, digit = divmod(rank, notation.base)
                    digits.append(digit)
                node = 1
                for digit in reversed(digits):
                    node = node << notation.bits | digit
                return node

    def _concept(self, node: Any) -> Hypothesis:
        """Return the path to a node: a concept if it is a leaf."""
        if isinstance(self.paths, Points):
            return AlwaysZero() if node is ROOT else PointHypothesis(node)
        return self.paths.concept(node)

    def _concepts(self) -> Iterator[Hypothesis]:
        return (self._concept(self._leaf(rank)) for rank in range(int(self.size)))

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all paths to leaves, scored by minus their errors."""
        if self.size == math.inf:
            raise UnsupportedError(
                f"{self.spec} is infinite, so its concepts cannot be scored one by one. Use "
                "representation(alpha, beta), or bound the domain: leaf_paths(points(low, high))."
            )
        first, last, inside = self._spans(sample.points)
        spans = in_order(first, last, (sample.ones - sample.zeros)[inside], int(self.size))
        runs = StreamedRuns(
            lambda: span_runs(spans, 0, int(self.size), -sample.positives), int(self.size)
        )
        return Mapped(runs, lambda at: self._concept(self._leaf(at)))

    def representation(self, alpha: Any = None, beta: Any = None) -> Representation:
        """Return the class itself; by hashing, as all points, where there are infinitely many."""
        if self.size == math.inf:
            return self.paths.representation(alpha, beta)
        return IdentityRepresentation(self)

    @property
    def hashing(self) -> Any:
        """That of points; see `Points.hashing`."""
        return self.paths.hashing if isinstance(self.paths, Points) else super().hashing

    def hashed(self, copies: int, buckets: int) -> Representation:
        """Return the representation of points by so many hash functions and buckets."""
        return self.paths.hashed(copies, buckets)

    # -- the tree -------------------------------------------------------------------------------

    def tree(self, f: Hypothesis | None = None) -> LeafTree:
        """Return the tree of the class (`littlestone.classes.make_tree`).

        Parameters
        ----------
        f : Hypothesis, optional
            A concept. Default: one for which the tree has the least height.
        """
        forest, nodes, root = self._merged
        if f is not None:
            leaf = self._end(f)
        elif isinstance(forest, ListedForest):
            inner = {forest.nodes[i] for i in forest.parents.tolist() if i >= 0}
            ends = [i for i, node in enumerate(forest.nodes) if node not in inner]
            at = centre(forest, [*([-1] if len(ends) == forest.size < 2 else []), *ends])
            leaf = root if at < 0 else forest.node(at)
        else:
            leaf = self._leaf(0)
        top = isinstance(self.paths, Points)

        def label(point: Point) -> int:
            if top:
                return int(point == leaf)
            whole: Any = self.paths
            return int(point in whole.forest and whole.forest.precedes(leaf, point))

        return LeafTree(
            forest,
            ROOT if leaf == root else leaf,
            lambda vertex: self._concept(root if vertex is ROOT else vertex),
            node=nodes,
            f=label,
            leaves=self.size,
        )

    @cached_property
    def _merged(self) -> tuple[Any, Any, Node]:
        """The merged forest, the node of each point, and the vertex above all."""
        tree: Merged
        match self.paths:
            case TreePaths():
                tree = merged(self.paths.forest)
            case Points() if self.size <= 2:
                points = [self._leaf(rank) for rank in range(int(self.size))]
                tree = merged(ListedForest(points, np.full(len(points), -1, dtype=np.int64)))
            case Points():
                star: Any = infinite_star() if self.size == math.inf else self.paths.tree().forest
                return star, lambda point: point if point in star else None, ROOT
            case _ if self.size == 2:  # 1 is the empty prefix
                tree = merged(ListedForest([1, 2, 3], np.array([-1, 0, 0])))
            case _:
                branching = BranchingForest(self.paths.forest)
                out, (*_, other) = branching.out, self.paths.forest.children(1)

                def node(point: Any) -> Node | None:
                    point = other if point == out else point
                    return point if point in branching else None

                return branching, node, branching.root
        return tree.forest, tree.node.get, tree.root

    def _end(self, concept: Hypothesis) -> Node:
        """Return the leaf of a concept, or refuse it."""
        found: Any = None
        match concept:
            case PointHypothesis():
                found = concept.point
            case PathHypothesis():
                found = concept.path[-1]
            case PrefixHypothesis():
                found = concept.prefix
        whole = self._whole
        leaf = found is not None and found in whole and not whole.child_count(found)
        if leaf and self._concept(found) == concept:
            node: Node = found
            return node
        raise no_concept(self.spec)

    @cached_property
    def _whole(self) -> Any:
        paths: Any = self.paths
        return paths.tree().forest if isinstance(paths, Points) else paths.forest

    # -- dimensions -----------------------------------------------------------------------------

    def littlestone_bounds(self) -> tuple[int, int]:
        """Bound the Littlestone dimension: exact for points and prefixes.

        One question about a leaf tells it from all others; each digit of a prefix is one question,
        and all paths have no more. In a taxonomy: as for all of its paths, and log2 of the leaves.
        """
        if isinstance(self.paths, Points):
            return self.vc_dim, self.vc_dim
        _, upper = self.paths.littlestone_bounds()
        if isinstance(self.paths, Prefixes):
            return upper, upper
        forest = self.paths.forest
        lower = [-1] * (forest.size + 1)  # two children with k each: ask for one of them
        for i in reversed(range(forest.size)):
            lower[i] = max(lower[i], 0)
            above = int(forest.parents[i])
            lower[above] = max(lower[above], lower[i]) + (lower[above] == lower[i])
        return lower[-1], min(int(upper), int(self.size).bit_length() - 1)

    def threshold_bounds(self) -> tuple[int, int]:
        """Return how many different sets of leaves lie above a leaf, at most; twice."""
        if isinstance(self.paths, Points):
            return 1, 1
        if isinstance(self.paths, Prefixes):
            return self.paths.forest.height, self.paths.forest.height
        forest, most = self.paths.forest, 0
        above = np.bincount(forest.parents + 1, minlength=forest.size + 1)[1:]
        depth = [0] * (forest.size + 1)
        for i, parent in enumerate(forest.parents.tolist()):
            depth[i] = depth[parent] + int(above[i] != 1)
            most = max(most, depth[i])
        return most, most

    def domain_points(self) -> Iterable[Point] | None:
        """Return all nodes, where there is a list."""
        return self.paths.domain_points()

    def improper(self, ones: tuple[Point, ...]) -> Hypothesis:
        """Return the hypothesis that is 1 on these nodes only."""
        return self.paths.improper(ones)

    def _identity(self) -> Any:
        return self.paths

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.name, "paths": self.paths.to_dict()}

    @classmethod
    def from_dict(cls, data: Any) -> LeafPaths:
        """Read it back."""
        return cls(class_from_dict(Fields(data, ("paths",)).any("paths")))


@version_space.register
def _(concept_class: LeafPaths, max_nodes: int | None) -> VersionSpace:
    if isinstance(concept_class.paths, Points):  # all points, and not the constant 0
        return PointSpace(concept_class.paths, False, frozenset(), True)
    return version_space.dispatch(ConceptClass)(concept_class, max_nodes)


@best_dichotomies.register
def _(concept_class: LeafPaths, points: Batch, sample: Sample) -> Choice[Labelling]:
    """One dichotomy for each set of points that some leaf has above it."""
    if isinstance(concept_class.paths, Points):  # by name: the domain may be infinite
        whole = concept_class.paths.tree().forest
        given, seen = points.tolist(), sample.points.tolist()
        kept = [x in whole for x in given]
        counted = [x in whole for x in seen]
        remaining = {x for x, keep in zip([*given, *seen], [*kept, *counted], strict=True) if keep}
        place = {x: i for i, x in enumerate(sorted(remaining, key=canonical_order))}
        first = [place[x] for x, keep in zip(given, kept, strict=True) if keep]
        last = [place[x] for x, keep in zip(seen, counted, strict=True) if keep]
        until, till = [i + 1 for i in first], [i + 1 for i in last]
        ranks = int(min(concept_class.size, len(place) + 1))
    else:
        first, until, kept = concept_class._spans(points)
        last, till, counted = concept_class._spans(sample.points)
        ranks = int(concept_class.size)
    gains = (sample.ones - sample.zeros)[np.array(counted, dtype=bool)].tolist()
    return span_dichotomies(
        (first, until, np.flatnonzero(kept).tolist()),
        (last, till, gains),
        ranks,
        len(points),
        sample.positives,
        empty=False,
    )
