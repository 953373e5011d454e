"""The tree of a class that is written out as a 0/1 matrix, and the test that it has one.

After relabelling by a concept f, the all-0 row is in the class. Then no two columns are shattered
if and only if any two of them, as sets of concepts, are nested or disjoint: a laminar family, and
its inclusions are the forest. (Population genetics knows the test as that of four gametes, and
the tree as a perfect phylogeny.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.hypotheses import TableHypothesis
from littlestone.classes.trees.forest import ListedForest, Node, centre
from littlestone.classes.trees.tree import VC1Tree
from littlestone.errors import UnsupportedError, parameter_error

Index = npt.NDArray[np.int64]

Bits = npt.NDArray[np.uint8]

Words = npt.NDArray[np.uint64]


class MatrixTree(ListedForest, VC1Tree):
    """The tree of an explicit class: a row for each concept, a column for each point.

    Notes
    -----
    A node is the smallest index of the columns it stands for. Cost: O(m n) byte operations and
    two copies of the matrix; 10**4 x 10**4 takes one second for a given f, two for the best f.

    Source: paper 001, Algorithm 1 (MakeTree) and Assumptions 1-2.

    Examples
    --------
    >>> tree = MatrixTree([[0, 0, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]], f=0)
    >>> tree.height, [tree.quotient(x) for x in range(4)]
    (2, [0, 0, 2, None])
    >>> MatrixTree([[0, 0, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]]).height
    1
    """

    def __init__(self, matrix: npt.ArrayLike, f: int | None = None) -> None:
        table = _table(matrix)
        if f is not None and not 0 <= f < len(table):
            raise parameter_error("MatrixTree", "f", f"a row in [0, {len(table)})", f)
        by_point = np.ascontiguousarray(table.T)
        nodes, parents, columns, ends = _laminar(by_point, f or 0)
        if f is None:
            f = int(np.argmax(ends == centre(ListedForest(nodes, parents), ends)))
            nodes, parents, columns, ends = _laminar(by_point, f)
        super().__init__(nodes, parents)
        #: The row of f.
        self.row = f
        self._f, self._columns = table[f].copy(), columns
        #: For each row the index of its node in the list, -1 for `ROOT`.
        self._ends = ends
        self._proper = frozenset(ends.tolist())

    def quotient(self, point: Any) -> Node | None:
        """Return the first of the columns that no concept distinguishes from this one, given f."""
        if not self._is_column(point):
            return None
        at = int(self._columns[point])
        return None if at < 0 else self.nodes[at]

    def f(self, point: Any) -> int:
        """Return the label that f gives to a column; 0 for what is no column."""
        return int(self._f[point]) if self._is_column(point) else 0

    def _is_column(self, point: object) -> bool:
        return isinstance(point, int | np.integer) and bool(0 <= point < len(self._f))

    def is_proper(self, node: Node) -> bool:
        """Return whether some row is the path of this node."""
        return self.index(node) in self._proper

    def node_of(self, row: int) -> Node:
        """Return the node of a concept: the concept is f, flipped on the node's path.

        Examples
        --------
        >>> MatrixTree([[0, 0], [1, 0], [1, 1]], f=0).node_of(2)
        1
        """
        return self.node(int(self._ends[row]))

    def hypothesis(self, node: Node) -> TableHypothesis:
        """Return f, flipped on the path of a node, as a row of labels."""
        flip = np.zeros(self.size + 1, dtype=bool)  # the last entry: constant points
        flip[[self.index(above) for above in self.path(node)]] = True
        flip[-1] = False
        labels = self._f ^ flip[self._columns]
        return TableHypothesis((labels + ord("0")).tobytes().decode("ascii"))


def _shattered(*pair: int) -> UnsupportedError:
    return UnsupportedError(
        f"Only a class of VC dimension at most 1 has a tree. Here the points {min(pair)} and "
        f"{max(pair)} are shattered: concepts give them all four pairs of labels. Use a learner "
        "for finite classes, or remove concepts."
    )


def _table(matrix: npt.ArrayLike) -> Bits:
    table = np.asarray(matrix)
    if table.ndim != 2 or not table.size or not np.all((table == 0) | (table == 1)):
        rule = "a nonempty two-dimensional array of 0 and 1"
        raise parameter_error("MatrixTree", "matrix", rule, f"shape {table.shape}")
    return table.astype(np.uint8)


def _laminar(table: Bits, f: int) -> tuple[list[int], Index, Index, Index]:
    """Return the forest, for each point its place in the list, and for each concept its node's.

    The table has a row for each *point* here. A place is -1 for a constant point, and for f.
    """
    relabelled = table ^ table[:, f : f + 1]  # Algorithm 1, step 1: C_f
    words = _pack(relabelled)
    counts = np.bitwise_count(words).sum(axis=1, dtype=np.int64)

    # Assumptions 1 and 2: one point of each kind, and none that is 0 everywhere.
    first: dict[bytes, int] = {}
    pairs = enumerate(zip(words, counts.tolist(), strict=True))
    kind = [first.setdefault(word.tobytes(), x) if count else -1 for x, (word, count) in pairs]
    kept = np.array(sorted(first.values()), dtype=np.int64)
    order = kept[np.argsort(-counts[kept], kind="stable")]  # a larger set before its subsets
    place = np.full(len(kind) + 1, -1, dtype=np.int64)
    place[order] = np.arange(len(order))

    # Algorithm 1, steps 2 and 3: each node below the least set that holds its own
    inside, words = relabelled[order].astype(bool), words[order]
    parents = _guess_parents(inside)
    _check(words, counts[order], parents, order)

    ends = np.full(table.shape[1], -1, dtype=np.int64)
    for at, concepts in enumerate(inside):
        ends[concepts] = at  # on a path, deeper nodes come later
    return order.tolist(), parents, place[np.array(kind)], ends


def _pack(table: Bits) -> Words:
    """Return each row as a set: bits in 64-bit words."""
    packed = np.packbits(table, axis=1)
    packed = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))
    return np.ascontiguousarray(packed).view(np.uint64)


def _guess_parents(inside: npt.NDArray[np.bool_]) -> Index:
    """Return the parent of each set of concepts, if the family is laminar.

    The sets that hold one concept of a laminar family are a chain; so, among those that hold any
    concept of a set, its parent is the one just before.
    """
    parents = np.full(len(inside), -1, dtype=np.int64)
    if not len(parents):
        return parents
    witness = np.argmax(inside, axis=1)  # the first concept of each set
    by_witness = np.argsort(witness, kind="stable")
    concepts, starts = np.unique(witness[by_witness], return_index=True)
    for concept, these in zip(concepts, np.split(by_witness, starts[1:]), strict=True):
        chain = np.append(-1, np.flatnonzero(inside[:, concept]))
        parents[these] = chain[np.searchsorted(chain, these) - 1]
    return parents


def _check(words: Words, counts: Index, parents: Index, order: Index) -> None:
    """Raise unless children are subsets of their parents, and siblings are disjoint.

    These two make the family laminar. If one fails, the two columns overlap, and neither holds
    the other (the parent is not smaller; had one sibling contained the other, it would be its
    parent), so they are shattered, together with the all-0 row of f.
    """
    inner = np.flatnonzero(parents >= 0)
    outside = (words[inner] & ~words[parents[inner]]).any(axis=1)
    if outside.any():
        child = int(inner[np.argmax(outside)])
        raise _shattered(int(order[child]), int(order[parents[child]]))
    by_parent = np.argsort(parents, kind="stable")
    if not len(by_parent):
        return
    starts = np.unique(parents[by_parent], return_index=True)[1]
    union = np.bitwise_or.reduceat(words[by_parent], starts, axis=0)
    covered = np.bitwise_count(union).sum(axis=1, dtype=np.int64)
    overlap = covered != np.add.reduceat(counts[by_parent], starts)
    if overlap.any():
        siblings = np.split(by_parent, starts[1:])[int(np.argmax(overlap))]
        so_far = np.bitwise_or.accumulate(words[siblings], axis=0)
        i = int(np.argmax((so_far[:-1] & words[siblings[1:]]).any(axis=1))) + 1
        other = siblings[int(np.argmax((words[siblings[:i]] & words[siblings[i]]).any(axis=1)))]
        raise _shattered(int(order[siblings[i]]), int(order[other]))
