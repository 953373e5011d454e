"""Paths to the leaves of a tree only: which leaf is it? The classes with improper nodes.

A concept is a leaf together with everything above it; the path to an inner node is no concept. Over
a taxonomy: all the categories of one product. Over addresses: all networks of one address. Over
single points: exactly one point, never none. Such classes tell proper learners from improper ones:
the improper hypothesis "the path to this inner node" may be near every leaf below it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

import numpy as np

from littlestone.classes.base import ConceptClass, IdentityRepresentation, Mapped, Representation
from littlestone.classes.dichotomies import Labelling, best_dichotomies
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis
from littlestone.classes.oracles import VersionSpace, version_space
from littlestone.classes.points import Points, PointSpace
from littlestone.classes.prefixes.concept_class import Prefixes
from littlestone.classes.prefixes.hypotheses import PrefixHypothesis
from littlestone.classes.spec import class_from_dict, parse_class, written
from littlestone.classes.swept import in_order, span_runs
from littlestone.classes.tree_paths import PathHypothesis, TreePaths, span_dichotomies
from littlestone.classes.trees.forest import ROOT, ListedForest, Node, centre
from littlestone.classes.trees.leaves import (
    BranchingForest,
    LeafTree,
    Merged,
    infinite_star,
    merged,
)
from littlestone.classes.trees.tree import no_concept
from littlestone.data import Domain, Sample
from littlestone.data.points import canonical_order
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.source import Choice, SweptRuns
from littlestone.types import Hypothesis, Json, Point
from littlestone.types import Points as Batch


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
    Definition 17): ``VC1Learner(proper=True)`` goes down from them to a leaf.

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
        runs = SweptRuns(
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
        found: Merged
        match self.paths:
            case TreePaths():
                found = merged(self.paths.forest)
            case Points() if self.size <= 2:
                points = [self._leaf(rank) for rank in range(int(self.size))]
                found = merged(ListedForest(points, np.full(len(points), -1, dtype=np.int64)))
            case Points():
                star: Any = infinite_star() if self.size == math.inf else self.paths.tree().forest
                return star, lambda point: point if point in star else None, ROOT
            case _ if self.size == 2:  # 1 is the empty prefix
                found = merged(ListedForest([1, 2, 3], np.array([-1, 0, 0])))
            case _:
                branching = BranchingForest(self.paths.forest)
                out, (*_, other) = branching.out, self.paths.forest.children(1)

                def node(point: Any) -> Node | None:
                    point = other if point == out else point
                    return point if point in branching else None

                return branching, node, branching.root
        return found.forest, found.node.get, found.root

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
        held = {x for x, keep in zip([*given, *seen], [*kept, *counted], strict=True) if keep}
        place = {x: i for i, x in enumerate(sorted(held, key=canonical_order))}
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
