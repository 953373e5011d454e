"""Paths of a tree: a concept is a node together with everything above it, or nothing.

The points are the *nodes*: categories of a taxonomy, networks of addresses, codes of a hierarchy,
each at its own level of detail. The concept of a node v answers "is this category broad enough to
contain v?", "does this network contain the address v?". The class has VC dimension 1: of two
comparable nodes the lower one cannot be 1 alone, and two incomparable ones cannot both be 1.

(The other natural class, "lies below v", has VC dimension 2 as soon as three leaves allow it: see
docs/vc1-trees.md.)
"""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from collections.abc import Hashable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.classes.base import ConceptClass
from littlestone.classes.fields import Fields
from littlestone.classes.hashed_trees import HashedTree
from littlestone.classes.hypotheses import AlwaysZero
from littlestone.classes.representations import IdentityRepresentation, Representation
from littlestone.classes.trees.domains import NodeDomain, PrefixDomain
from littlestone.classes.trees.forest import ROOT, Forest, Node
from littlestone.classes.trees.hypotheses import PathHypothesis, PrefixHypothesis
from littlestone.classes.trees.listed import ListedForest, centre
from littlestone.classes.trees.make import no_concept
from littlestone.classes.trees.prefixes import PrefixForest, notation, spans
from littlestone.classes.trees.runs import path_runs
from littlestone.classes.trees.taxonomy import as_names, preorder, read_taxonomy
from littlestone.classes.trees.tree import PathsTree
from littlestone.data import Sample
from littlestone.errors import check_probability, parameter_error
from littlestone.source import Choice, LeveledChoice
from littlestone.types import Hypothesis, Json, Points

__all__ = ["Prefixes", "TreePaths"]

_MAX_NODES = 20_000_000


class _Paths(ConceptClass):
    """What both kinds share: candidates as runs of a preorder, and the tree."""

    @property
    @abstractmethod
    def forest(self) -> Forest:
        """The forest of the points."""

    @property
    def size(self) -> int:
        """Number of concepts: one for each node, and the empty one."""
        return int(self.forest.size) + 1

    @property
    def vc_dim(self) -> int:
        """1."""
        return 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all paths, scored by minus their errors; see `ConceptClass.candidates`."""
        ranks, ends, inside = self.spans(sample.points)
        gains = (sample.ones.astype(np.int64) - sample.zeros)[inside].tolist()
        nodes = self.size - 1
        starts, lengths, scores = path_runs(ranks, ends, gains, nodes, -sample.positives)

        def make(run: int, offset: int) -> Hypothesis:
            rank = starts[run] + offset
            return self.concept(ROOT if rank == nodes else self.at_rank(rank))

        return LeveledChoice(scores, lengths, make)

    def tree(self, f: Hypothesis | None = None) -> PathsTree:
        """Return the tree of the class (`littlestone.classes.trees.make_tree`).

        Parameters
        ----------
        f : Hypothesis, optional
            A concept. Default: one for which the tree has the least height.
        """
        if f is None:
            at = self._centre()
        elif isinstance(f, AlwaysZero):
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


class TreePaths(_Paths):
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

    @staticmethod
    def ipv4() -> Prefixes:
        """Return the paths of IPv4 networks: ``Prefixes("ipv4")``."""
        return Prefixes("ipv4")

    @staticmethod
    def ipv6() -> Prefixes:
        """Return the paths of IPv6 networks: ``Prefixes("ipv6")``."""
        return Prefixes("ipv6")

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

    def representation(self, alpha: Any = None, beta: Any = None) -> Representation:
        """Return a representation: by hashing, or the class itself where that is smaller.

        See `ConceptClass.representation`; alpha and beta may be left out.
        """
        if alpha is None and beta is None:
            return IdentityRepresentation(self)
        owner = "TreePaths.representation"
        hashed = HashedTree.smallest(
            self, check_probability(owner, "alpha", alpha), check_probability(owner, "beta", beta)
        )
        return hashed if hashed.size < self.size else IdentityRepresentation(self)

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


class Prefixes(_Paths):
    """Paths of all prefixes of addresses or codes; nothing is listed.

    A point is a prefix: a network (``10.0.0.0/8``; an address is the smallest network), or the
    first characters of a code. The concept of v is 1 on the prefixes of v: the networks that
    contain v.

    Parameters
    ----------
    alphabet : str
        ``"ipv4"``, ``"ipv6"``, or the characters of the codes, such as ``"0123456789"``.
    length : int, optional
        Length of the longest code; not for addresses.

    Raises
    ------
    ParameterError

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law.

    Notes
    -----
    VC dimension 1. Cost of a draw: O(k log k) for k distinct points of the sample (10,000 IPv6
    networks: about 0.1 s, among 2**129 concepts). In Python, a point is the integer of
    `littlestone.classes.trees.Notation`; tables and ``domain.array`` take texts.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> networks = Prefixes("ipv4")
    >>> networks.size == 2**33, networks.tree().height
    (True, 32)
    >>> seen = networks.domain.array(["10.0.0.0/8", "10.1.0.0/16", "10.1.2.0/24", "11.0.0.0/8"])
    >>> data = Sample.of(seen, [1, 1, 0, 0])
    >>> found = networks.candidates(data).draw(Fraction(50), SeededSource(0))
    >>> found.predict(seen).tolist()
    [1, 1, 0, 0]
    """

    name = "prefixes"

    def __init__(self, alphabet: str, length: int | None = None) -> None:
        self.notation = notation("Prefixes", alphabet, length)
        self._forest = PrefixForest(self.notation)

    @classmethod
    def from_spec(cls, inside: str) -> Prefixes:
        """Read the arguments of a spec: ``ipv4``, or ``0123456789, 5``.

        Examples
        --------
        >>> Prefixes.from_spec("0123456789, 5")
        Prefixes(0123456789, 5)
        """
        alphabet, comma, length = (part.strip() for part in inside.partition(","))
        if comma and not (length.isascii() and length.isdigit() and len(length) < 10):
            raise parameter_error("prefixes", "length", "an integer >= 1", length[:20])
        return cls(alphabet.strip("'\""), int(length) if comma else None)

    @property
    def forest(self) -> PrefixForest:
        """All prefixes."""
        return self._forest

    @property
    def spec(self) -> str:
        """The text of the class."""
        return f"prefixes({self.notation.spec})"

    @property
    def domain(self) -> PrefixDomain:
        """All prefixes, written as texts."""
        return PrefixDomain(self.notation)

    def spans(self, points: Points) -> tuple[list[int], list[int], Any]:
        """Return [rank, end) of the points that are nodes, and which ones are."""
        inside = np.array([point in self._forest for point in points.tolist()], dtype=bool)
        return *spans(self._forest, points[inside]), inside

    def at_rank(self, rank: int) -> Node:
        """Return the node of a rank."""
        return self._forest.at_rank(rank)

    def concept(self, node: Any) -> Hypothesis:
        """Return the concept of the path to a node."""
        return AlwaysZero() if node is ROOT else PrefixHypothesis(node, self.notation)

    def _centre(self) -> Node:
        return 1  # the empty prefix: all strings are equally far

    def _end(self, concept: Hypothesis) -> Node:
        if not isinstance(concept, PrefixHypothesis) or concept.notation != self.notation:
            raise no_concept(self.spec)
        return concept.prefix

    def to_dict(self) -> Json:
        """Return plain JSON."""
        alphabet, length = self.notation.alphabet, self.notation.length
        return {"type": self.name, "alphabet": alphabet, "length": length}

    @classmethod
    def from_dict(cls, data: Any) -> Prefixes:
        """Read it back."""
        fields = Fields(data, ("alphabet", "length"))
        return cls(fields.text("alphabet", 100_000), fields.integer("length", low=1))
