"""Paths of a tree: a concept is a node together with everything above it, or nothing.

The points are the *nodes*: categories of a taxonomy, networks of addresses, codes of a hierarchy,
each at its own level of detail. The concept of a node v answers "is this category broad enough to
contain v?", "does this network contain the address v?". The class has VC dimension 1: of two
comparable nodes the lower one cannot be 1 alone, and two incomparable ones cannot both be 1.

(The other natural class, "lies below v", has VC dimension 2 as soon as three leaves allow it: see
docs/vc1-trees.md.)
"""

from __future__ import annotations

import csv
import hashlib
import io
from abc import abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.classes.base import (
    ConceptClass,
    Mapped,
    in_order,
    span_runs,
)
from littlestone.classes.finite import Labelling, ListedDichotomies, best_dichotomies, scattered
from littlestone.classes.hypotheses import AlwaysZero, Fields, Frozen, readable
from littlestone.classes.spec import written
from littlestone.classes.trees import (
    ROOT,
    Forest,
    ListedForest,
    Node,
    PathsTree,
    centre,
    no_concept,
)
from littlestone.data import OUTSIDE, Outside, Sample
from littlestone.data.cells import text
from littlestone.data.domains import OneColumn
from littlestone.errors import ParameterError, parameter_error
from littlestone.safe_io import read_text
from littlestone.source import Choice, ScoreRuns, StreamedRuns
from littlestone.types import Hypothesis, Json, Labels, Point, Points
from littlestone.types import Points as Batch


class NodeDomain(OneColumn):
    """The names of the nodes of a tree; every other text is outside.

    Examples
    --------
    >>> from littlestone.classes import TreePaths
    >>> domain = TreePaths({"a": None, "b": "a"}).domain
    >>> domain.cell(" b "), domain.cell("c")
    ('b', OUTSIDE)
    """

    def __init__(self, forest: ListedForest) -> None:
        self._forest = forest
        self.rule = f"one of the {forest.size} names of the tree"

    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell; total and deterministic."""
        written = text(raw)
        return written if written is not None and written in self._forest else OUTSIDE

    def _identity(self) -> Hashable:
        return tuple(self._forest.nodes)

    def __repr__(self) -> str:
        return f"NodeDomain({self._forest.size} names)"


_MAX_PATH = 1_000_000


@readable
@dataclass(frozen=True)
class PathHypothesis(Frozen):
    """1 on a node of a tree and on everything above it; the empty path is `AlwaysZero`.

    Examples
    --------
    >>> hypothesis = PathHypothesis(("animal", "mammal", "dog"))
    >>> hypothesis.predict(np.array(["mammal", "bird"], dtype=object)).tolist()
    [1, 0]
    >>> hypothesis.describe()
    "1 on 'dog' and what is above it ('animal' > 'mammal'), otherwise 0"
    """

    path: tuple[str, ...]

    TYPE = "path"

    def __post_init__(self) -> None:
        if not self.path or len(set(self.path)) < len(self.path):
            raise parameter_error("PathHypothesis", "path", "distinct names", self.path[:20])

    @cached_property
    def _names(self) -> frozenset[object]:
        return frozenset(self.path)

    def predict(self, points: Points) -> Labels:
        """Label each point; a point is a name."""
        return np.array([point in self._names for point in points.tolist()], dtype=np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        *above, node = (repr(name) for name in self.path)
        if not above:
            return f"1 on {node}, otherwise 0"
        if len(above) > 8:
            above = [*above[:4], "...", *above[-4:]]
        return f"1 on {node} and what is above it ({' > '.join(above)}), otherwise 0"

    @classmethod
    def from_dict(cls, data: Any) -> PathHypothesis:
        """Read it back."""
        fields = Fields(data, ("path",))
        path = fields.items("path", _MAX_PATH)
        if not all(isinstance(name, str) for name in path) or not path:
            raise fields.refuse("path", "a nonempty list of texts")
        if len(set(path)) < len(path):
            raise fields.refuse("path", "a list of different texts")
        return cls(tuple(path))


#: For each name its parent's; None at the top.
Taxonomy = dict[str, str | None]

_WIDEST = 1000  # columns of a file


def read_taxonomy(path: str | Path) -> Taxonomy:
    """Read a CSV file with the columns ``node`` and ``parent``; see `TreePaths.from_csv`."""
    what = f"The taxonomy file {str(path)!r}"
    written = read_text(path, "taxonomy file", bom=True)
    try:
        reader = csv.DictReader(io.StringIO(written, newline=""))
        rows = list(reader) if len(reader.fieldnames or ()) <= _WIDEST else []
    except csv.Error:
        raise ParameterError(f"{what} is not a CSV file in UTF-8.") from None
    if not rows or not {"node", "parent"} <= set(rows[0]):
        raise ParameterError(f"{what} needs a header with node and parent, and at least one row.")
    parents: Taxonomy = {}
    for row in rows:
        node = text(row["node"])
        if node is None or node in parents:
            raise ParameterError(f"{what} must name every node, and each once. See {node!r}.")
        parents[node] = text(row["parent"])
    return parents


def as_names(parents: Any) -> Taxonomy:
    """Return a mapping from names to names; None at the top."""
    if not isinstance(parents, Mapping):
        pairs: Any = list(enumerate(parents))
        parents = {i: None if up is None or up == -1 else up for i, up in pairs}
    out: Taxonomy = {}
    for node, above in parents.items():
        name = text(node)
        if name is None or name in out:
            raise parameter_error("TreePaths", "parents", "of distinct, nonempty names", node)
        out[name] = None if above is None else text(above)
    if not out:
        raise parameter_error("TreePaths", "parents", "of at least one node", {})
    return out


def preorder(parents: Taxonomy) -> tuple[list[str], Any, list[int]]:
    """Sort a taxonomy: names in preorder, siblings by name."""
    children: dict[str | None, list[str]] = {}
    for name in sorted(parents, reverse=True):
        above = parents[name]
        if above is not None and above not in parents:
            hint = "List every parent as a node; a top node has no parent."
            raise parameter_error("TreePaths", "parents", "nodes themselves", above, hint)
        children.setdefault(above, []).append(name)
    names: list[str] = []
    above_rank: list[int] = []
    waiting = [(name, -1) for name in children.get(None, ())]
    while waiting:
        name, rank = waiting.pop()
        waiting += [(child, len(names)) for child in children.get(name, ())]
        above_rank.append(rank)
        names.append(name)
    if len(names) < len(parents):
        looping = min(set(parents) - set(names))
        raise parameter_error("TreePaths", "parents", "free of cycles", looping)
    ends = list(range(1, len(names) + 1))
    for rank in range(len(names) - 1, -1, -1):
        if above_rank[rank] >= 0:
            ends[above_rank[rank]] = max(ends[above_rank[rank]], ends[rank])
    return names, np.array(above_rank, dtype=np.int64), ends


_MAX_NODES = 20_000_000


class Paths(ConceptClass):
    """What both kinds share: candidates as runs of a preorder, and the tree."""

    @property
    @abstractmethod
    def forest(self) -> Forest:
        """The forest of the points."""

    @property
    def size(self) -> int:
        """Number of concepts: one for each node, and the empty one."""
        return int(self.forest.size) + 1

    vc_dim = 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all paths, scored by minus their errors; see `ConceptClass.candidates`."""
        nodes = self.size - 1
        runs = StreamedRuns(lambda: self._streamed(sample), self.size)
        return Mapped(runs, lambda at: self.concept(ROOT if at == nodes else self.at_rank(at)))

    def _streamed(self, sample: Sample) -> Iterator[ScoreRuns]:
        """Yield the runs of the preorder, and last the empty path."""
        ranks, ends, inside = self.spans(sample.points)
        spans = in_order(ranks, ends, (sample.ones - sample.zeros)[inside], self.size)
        return span_runs(spans, 0, self.size, -sample.positives)

    def threshold_bounds(self) -> tuple[int, int]:
        """Return the height of the forest, twice."""
        return self.forest.height, self.forest.height

    def tree(self, f: Hypothesis | None = None) -> PathsTree:
        """Return the tree of the class (`littlestone.classes.make_tree`)."""
        if f is None:
            at = self._centre()
        elif f == AlwaysZero():
            at = ROOT
        else:
            at = self._end(f)
        return PathsTree(self.forest, at, self.concept)

    def _concepts(self) -> Iterator[Hypothesis]:
        yield AlwaysZero()
        for rank in range(self.size - 1):
            yield self.concept(self.at_rank(rank))

    @abstractmethod
    def spans(self, points: Points) -> tuple[list[int], list[int], Any]:
        """Return [rank, end) of the points that are nodes, and which ones are."""

    @abstractmethod
    def at_rank(self, rank: int) -> Node:
        """Return the node of a rank in 0, ..., size - 2: in preorder."""

    @abstractmethod
    def concept(self, node: Node) -> Hypothesis:
        """Return the concept that accepts the path to a node; `ROOT`: nothing."""

    @abstractmethod
    def _centre(self) -> Node: ...

    @abstractmethod
    def _end(self, concept: Hypothesis) -> Node:
        """Return the node of a concept, or refuse it."""


@written("tree_paths(taxonomy.csv)")
class TreePaths(Paths):
    """Paths of a listed tree (or of several): a taxonomy.

    Parameters
    ----------
    parents : mapping or sequence
        For each node its parent, or None at the top. A sequence means the nodes 0, 1, ...; there
        -1 is a top, too. Names are texts (3 becomes ``"3"``), as in tables.
    name : str, optional
        What ``spec`` shows, for example the file.

    Raises
    ------
    ParameterError
        If there is no node, a parent is no node, names repeat, or parents form a cycle.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law.

    Notes
    -----
    VC dimension 1. Cost: building O(n log n) for n nodes; a draw O(k log k) for k distinct points
    of the sample, and the length of the path that is drawn.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> kinds = TreePaths({"animal": None, "mammal": "animal", "dog": "mammal", "bird": "animal"})
    >>> kinds.size, kinds.vc_dim, kinds.tree().height
    (5, 1, 2)
    >>> data = Sample.of(["mammal", "bird", "dog"], [1, 0, 0])
    >>> kinds.candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    "1 on 'mammal' and what is above it ('animal'), otherwise 0"
    """

    name = "tree_paths"

    def __init__(self, parents: Any, name: str | None = None) -> None:
        names, above, self._ends = preorder(as_names(parents))
        self._forest = ListedForest(names, above)
        self.source_name = name

    @classmethod
    def from_csv(cls, path: str | Path) -> TreePaths:
        """Read a taxonomy from a CSV file with the columns ``node`` and ``parent``.

        A node at the top has an empty parent. The file is public.

        Raises
        ------
        ParameterError
            If the file cannot be read, or is no taxonomy.
        """
        return cls(read_taxonomy(path), name=str(path))

    @property
    def forest(self) -> ListedForest:
        """The nodes, siblings sorted by name, in preorder."""
        return self._forest

    @property
    def spec(self) -> str:
        """The text of the class."""
        return f"tree_paths({self.source_name or f'{self._forest.size} nodes'})"

    @property
    def domain(self) -> NodeDomain:
        """The names of the nodes."""
        return NodeDomain(self._forest)

    def spans(self, points: Points) -> tuple[list[int], list[int], Any]:
        """Return [rank, end) of the points that are nodes, and which ones are."""
        listed = points.tolist()
        inside = np.array([point in self._forest for point in listed], dtype=bool)
        ranks = [self._forest.index(point) for point, keep in zip(listed, inside) if keep]  # noqa: B905
        return ranks, [self._ends[rank] for rank in ranks], inside

    def at_rank(self, rank: int) -> Node:
        """Return the node of a rank."""
        return self._forest.node(rank)

    def concept(self, node: Node) -> Hypothesis:
        """Return the concept of the path to a node."""
        names: Any = tuple(self._forest.path(node))
        return PathHypothesis(names) if names else AlwaysZero()

    def _centre(self) -> Node:
        return self._forest.node(centre(self._forest))

    def _end(self, concept: Hypothesis) -> Node:
        node = concept.path[-1] if isinstance(concept, PathHypothesis) else None
        if node not in self._forest or self.concept(node) != concept:
            raise no_concept(self.spec)
        return node

    @cached_property
    def _digest(self) -> str:
        content = repr((self._forest.nodes, self._forest.parents.tolist()))
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()

    def _identity(self) -> Hashable:
        return self._digest

    def domain_points(self) -> Sequence[Point]:
        """Return the names of the nodes, in preorder."""
        names: list[Point] = list(self._forest.nodes)
        return names

    def to_dict(self) -> Json:
        """Return plain JSON: names, and for each the index of its parent (-1 at the top)."""
        out: Json = {"type": self.name, "nodes": self._forest.nodes}
        out |= {"parents": self._forest.parents.tolist()}
        return out if self.source_name is None else out | {"name": self.source_name}

    @classmethod
    def from_dict(cls, data: Any) -> TreePaths:
        """Read it back."""
        fields = Fields(data, ("nodes", "parents"), ("name",))
        nodes, above = (fields.items(key, _MAX_NODES) for key in ("nodes", "parents"))
        if not all(isinstance(node, str) for node in nodes):
            raise fields.refuse("nodes", "a list of texts")
        if len(nodes) != len(above) or not all(
            isinstance(i, int) and -1 <= i < len(nodes) for i in above
        ):
            raise fields.refuse("parents", "a list of indices of nodes, or -1")
        if len(set(nodes)) < len(nodes):
            raise fields.refuse("nodes", "a list of different texts")
        pairs = zip(nodes, above, strict=True)
        parents = {node: None if i < 0 else nodes[i] for node, i in pairs}
        return cls(parents, name=fields.text("name") if "name" in fields else None)


@best_dichotomies.register
def _(concept_class: Paths, points: Batch, sample: Sample) -> Choice[Labelling]:
    """One dichotomy for each node among the points (its path), and one for none of them."""
    starts, ends, kept = concept_class.spans(points)
    where = np.flatnonzero(kept).tolist()
    first, last, counted = concept_class.spans(sample.points)
    changes = Counter[int]()  # of the gain of a concept, along the ranks
    gains = (sample.ones - sample.zeros)[counted].tolist()
    for rank, end, gain in zip(first, last, gains, strict=True):
        changes[rank] += gain
        changes[end] -= gain
    coming = sorted(range(len(where)), key=lambda i: (starts[i], -ends[i]), reverse=True)
    best, above, gain = {-1: 0}, dict[int, int](), 0  # -1: under none of the points
    inside = [-1]  # the points above the concepts of these ranks, from the top down
    for rank in sorted({0, *starts, *ends, *changes} - {concept_class.size - 1}):
        while len(inside) > 1 and ends[inside[-1]] <= rank:
            inside.pop()
        while coming and starts[coming[-1]] == rank:
            above[coming[-1]] = inside[-1]
            inside.append(coming.pop())
        gain += changes[rank]
        best[inside[-1]] = max(gain, best.get(inside[-1], gain))
    reached = sorted(best)

    def labels(k: int) -> Labelling:
        path, at = [], reached[k]
        while at >= 0:
            path.append(where[at])
            at = above[at]
        return scattered(len(points), path, 1)

    return ListedDichotomies([sample.positives - best[i] for i in reached], labels)
