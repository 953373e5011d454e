"""The Littlestone dimension of a version space, exactly, with a shattered tree as witness; its SOA.

``LDim(V) >= k`` is decided by the recursion "some column leaves ``LDim >= k - 1`` on both sides",
with four exact short cuts: ``|V| < 2**k`` says no; ``k <= 1`` is a count, because hypotheses are
distinct; ``k = 2`` asks for two hypotheses on each side; bounds found for V are kept, keyed by
the whole of V (not by a fingerprint). Columns with at least 2**(k-1) on each side are tried, most
balanced first. *Children inherit the columns with two hypotheses on each side.* A node of height
h >= 2 below V needs 2**(h-1) >= 2 hypotheses on each side within a subset of V, hence within V; a
node of height 1 needs no list. (Inheriting only columns with 2**(k-2) on each side is wrong: it
gives 3 instead of 4 on 16 thresholds.) Columns that are equal or complementary on V are so on every
subset, and count once.

The standard optimal algorithm gives one label for every point, from one tie rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from littlestone.combinatorics.matrix import (
    BitMatrix,
    MistakeTree,
    NodeLimit,
    ShatteredSet,
    ThresholdSequence,
)
from littlestone.errors import parameter_error

Columns = dict[int, int]

#: Memory for cached bounds, about; when it is full the search continues without new ones.
MEMO_BYTES = 2**30


class LittlestoneSearch:
    """Decide Littlestone dimensions of version spaces of one matrix; remembers bounds.

    Columns are a table from one side, a set of hypotheses, to its point.
    """

    def __init__(self, matrix: BitMatrix, budget: NodeLimit) -> None:
        self._matrix = matrix
        self._budget = budget
        self._memo: dict[int, tuple[int, int]] = {}
        self._capacity = MEMO_BYTES // (matrix.n_hypotheses // 8 + 200)

    def bounds(self, v: int) -> tuple[int, int]:
        """Return what is known about LDim(v) without any search: (lower, upper)."""
        return self._memo.get(v, _bounds(v.bit_count()))

    def ldim(self, v: int) -> int:
        """Return LDim(v); -1 for the empty set."""
        lower, upper = self.bounds(v)
        while lower < upper and self.at_least(v, lower + 1):
            lower += 1
        self._remember(v, lower, lower)
        return lower

    def at_least(self, v: int, k: int) -> bool:
        """Decide LDim(v) >= k."""
        n = v.bit_count()
        lower, upper = _bounds(n)
        if k <= lower or k > upper:
            return k <= lower
        return self._at_least(v, n, k, self._matrix.live)

    def _at_least(self, v: int, n: int, k: int, columns: Columns) -> bool:
        """Decide LDim(v) >= k for n = |v| >= 2**k (fewer hypotheses shatter no tree of depth k)."""
        if k <= 1:
            return True
        if k == 2:
            return _any_balanced(v, n, columns)
        lower, upper = self._memo.get(v) or (1, n.bit_length() - 1)
        if k <= lower or k > upper:
            return k <= lower
        self._budget.spend()
        # Only a column with 2**(k-1) on each side can be the root, but its descendants may use any
        # column with 2 on each side. Handing down fewer is a bug that shows on thresholds (2**j - 1
        # points, 2**j hypotheses) and almost nowhere else.
        below, splits = self.splits(v, n, columns, 1 << (k - 1))
        holds = any(
            self._at_least(small, size, k - 1, below)
            and self._at_least(large, n - size, k - 1, below)
            for size, small, large, _ in splits
        )
        if holds:
            self._remember(v, k, upper)
        else:
            self._remember(v, lower, k - 1)
        return holds

    def splits(
        self, v: int, n: int, columns: Columns, half: int
    ) -> tuple[Columns, Iterable[tuple[int, int, int, int]]]:
        """Return the columns that still matter below v, and the splits worth trying.

        A column matters below when each side has at least two hypotheses; equal columns (up to
        complement) count once. A split is (size of the smaller side, smaller side, larger side,
        point) with at least ``half`` >= 2 on the smaller side; most balanced first, then in
        column order.
        """
        lowest = v & -v
        below: Columns = {}
        eligible: list[tuple[int, int, int]] = []
        for column, point in columns.items():
            side = v & column
            size = side.bit_count()
            if 2 * size > n:
                side, size = v ^ side, n - size
            elif 2 * size == n and side & lowest:
                side = v ^ side  # a tie: the side without the lowest hypothesis is "smaller"
            if size >= 2 and side not in below:
                below[side] = point
                if size >= half:
                    eligible.append((size, side, point))
        eligible.sort(key=itemgetter(0), reverse=True)  # stable: ties stay in column order
        return below, ((size, side, v ^ side, point) for size, side, point in eligible)

    def _remember(self, v: int, lower: int, upper: int) -> None:
        if len(self._memo) < self._capacity or v in self._memo:
            self._memo[v] = (lower, upper)

    def tree(self, v: int, k: int) -> MistakeTree:
        """Return a shattered tree of depth k; that ``LDim(v) >= k >= 0`` is the caller's promise.

        The same splits are walked again; bounds are cached, so this is cheap after `ldim`.
        """
        points = np.empty(2**k - 1, dtype=np.int64)
        leaves = np.empty(2**k, dtype=np.int64)
        array = self._matrix.array
        todo = [(0, v, v.bit_count(), k, self._matrix.live)]
        while todo:
            node, part, n, depth, columns = todo.pop()
            first = _lowest(part)
            if depth == 0:
                leaves[node - (2**k - 1)] = first
            elif depth == 1:  # any two hypotheses differ somewhere
                second = _lowest(part & (part - 1))
                point = int(np.argmax(array[first] != array[second]))
                zero, one = (first, second) if array[second, point] else (second, first)
                points[node] = point
                leaves[2 * node + 1 - (2**k - 1)] = zero
                leaves[2 * node + 2 - (2**k - 1)] = one
            else:
                below, splits = self.splits(part, n, columns, 1 << (depth - 1))
                size, small, large, point = next(
                    split
                    for split in splits
                    if self._at_least(split[1], split[0], depth - 1, below)
                    and self._at_least(split[2], n - split[0], depth - 1, below)
                )
                points[node] = point
                label = int(array[_lowest(small), point])
                todo.append((2 * node + 1 + label, small, size, depth - 1, below))
                todo.append((2 * node + 2 - label, large, n - size, depth - 1, below))
        return MistakeTree(k, tuple(points.tolist()), tuple(leaves.tolist()))


def _lowest(v: int) -> int:
    return (v & -v).bit_length() - 1


def _any_balanced(v: int, n: int, columns: Columns) -> bool:
    """Say whether some column has at least two hypotheses on each side (LDim >= 2)."""
    most = n - 2
    for column in columns:  # noqa: SIM110 - the innermost loop; any() would double its time
        if 2 <= (v & column).bit_count() <= most:
            return True
    return False


def _bounds(n: int) -> tuple[int, int]:
    """Bound the Littlestone dimension by the number of (distinct) hypotheses alone."""
    return min(n, 2) - 1, n.bit_length() - 1


def soa(matrix: BitMatrix, search: LittlestoneSearch, v: int) -> int:
    """Return the labelling of the standard optimal algorithm on a version space.

    The label of x is 0 when restricting to ``h(x) = 0`` keeps the Littlestone dimension, and 1
    otherwise. So when *both* answers lower the dimension the label is 1: the one tie rule of this
    library, and of Lyu's definition. (Alon et al. leave ties open.)

    References
    ----------
    Lyu 2025, section 4, "Notation"; Alon et al. 2022, section 3.2.
    """
    dimension = search.ldim(v)
    known: dict[int, bool] = {}  # equal columns ask once
    labels = 0
    for point, column in enumerate(matrix.columns):
        zeros = v & ~column
        label = known.get(zeros)
        if label is None:
            label = known[zeros] = zeros != v and not search.at_least(zeros, dimension)
        if label:
            labels |= 1 << point
    return labels


# -- The Vapnik-Chervonenkis dimension of a version space, exactly, with a shattered set.


Cells = list[tuple[int, int]]  # (hypotheses with one labelling of the chosen points, how many)


class VCSearch:
    """Decide VC dimensions of version spaces of one matrix; remembers the largest sets found.

    Notes
    -----
    Depth first over sets of points in column order. When ``need`` points are still to be chosen,
    every later choice must leave ``2**(need - 1)`` hypotheses on both sides of *every* present
    cell, because all labellings of the other points must still appear there. In contrast to
    Littlestone trees the order of points is irrelevant, so this filter may be handed down.
    Worst-case cost ``n_points ** log2(n_hypotheses)``; nothing much better is known.
    """

    def __init__(self, matrix: BitMatrix, budget: NodeLimit) -> None:
        self._matrix = matrix
        self._budget = budget
        self._found: dict[int, tuple[int, ...]] = {}
        self._decided: set[int] = set()

    def bounds(self, v: int) -> tuple[int, int]:
        """Return what is known about VC(v) without any search: (lower, upper)."""
        lower = len(self._found.get(v, ())) if v else -1
        return lower, lower if v in self._decided else v.bit_count().bit_length() - 1

    def dimension(self, v: int) -> int:
        """Return VC(v); -1 for the empty set."""
        lower, upper = self.bounds(v)
        while lower < upper:
            points = self._shattered(v, lower + 1)
            if points is None:
                break
            self._found[v] = points
            lower += 1
        self._decided.add(v)
        return lower

    def witness(self, v: int) -> ShatteredSet:
        """Return a largest shattered set of a non-empty version space."""
        self.dimension(v)
        return self.best_known(v)

    def best_known(self, v: int) -> ShatteredSet:
        """Return the largest shattered set found so far."""
        points = self._found.get(v, ())
        cells = [v]
        for point in points:  # bit j of a cell's index is the label of the j-th point
            column = self._matrix.columns[point]
            cells = [cell & ~column for cell in cells] + [cell & column for cell in cells]
        return ShatteredSet(points, tuple((cell & -cell).bit_length() - 1 for cell in cells))

    def _shattered(self, v: int, size: int) -> tuple[int, ...] | None:
        """Return ``size`` shattered points, or None."""
        return self._extend([(v, v.bit_count())], list(self._matrix.live.items()), size)

    def _extend(
        self, cells: Cells, columns: list[tuple[int, int]], need: int
    ) -> tuple[int, ...] | None:
        """Return ``need`` of the columns that split all cells in all ways, or None."""
        self._budget.spend()
        half = 1 << (need - 1)
        fit: list[tuple[int, int]] = []
        for column, point in columns:
            for cell, n in cells:
                ones = (cell & column).bit_count()
                if ones < half or n - ones < half:
                    break
            else:
                if need == 1:
                    return (point,)
                fit.append((column, point))
        for i in range(len(fit) - need + 1):
            column, point = fit[i]
            finer: Cells = []
            for cell, n in cells:
                side = cell & column
                ones = side.bit_count()
                finer += [(side, ones), (cell ^ side, n - ones)]
            finer.sort(key=_count)  # small cells refuse most columns: look at them first
            rest = self._extend(finer, fit[i + 1 :], need - 1)
            if rest is not None:
                return (point, *rest)
        return None


def _count(cell: tuple[int, int]) -> int:
    return cell[1]


# -- The threshold dimension of a version space, exactly, with the thresholds themselves.
#
# k thresholds are hypotheses ``h_1..h_k`` and points ``x_1..x_k`` with ``h_i(x_j) = 1`` exactly
# when ``i <= j``. Take the first pair away: the other hypotheses label ``x_1`` with 0, and
# ``h_1`` labels the other points with 1. So with T(V, U) for hypotheses V and points U,
#
#     T(V, U) = max over x in U, h in V with h(x) = 1
#               of 1 + T({g in V : g(x) = 0}, {y in U : h(y) = 1}).


Pair = tuple[int, int]  # (hypothesis, point)
State = tuple[int, int]  # (V, U)


class ThresholdSearch:
    """Find longest threshold sequences in version spaces of one matrix.

    Notes
    -----
    States keep one of equal columns and rows (equal ones never occur together), and of the
    hypotheses that contain a point only those whose points are inclusion-maximal (T is monotone
    in U). States refuted for some k are cached by their full key. The depth-first search
    keeps its own stack: sequences can be longer than Python's recursion limit.
    """

    def __init__(self, matrix: BitMatrix, budget: NodeLimit) -> None:
        self._columns = matrix.columns
        self._rows = matrix.rows
        self._all_points = (1 << matrix.n_points) - 1
        self._budget = budget
        self._refuted: dict[State, int] = {}
        self._best: dict[int, list[Pair]] = {}
        self._decided: set[int] = set()

    def bounds(self, v: int) -> tuple[int, int]:
        """Return what is known about the threshold dimension without search: (lower, upper)."""
        best = self._best.get(v)
        if best is None:
            best = self._best[v] = self._greedy(self._reduce((v, self._all_points)))
        if v in self._decided:
            return len(best), len(best)
        hypotheses, points = self._reduce((v, self._all_points))
        return len(best), min(hypotheses.bit_count(), points.bit_count())

    def dimension(self, v: int, upper: int) -> int:
        """Return the threshold dimension of v, which the caller knows to be at most ``upper``."""
        lower, most = self.bounds(v)
        start = self._reduce((v, self._all_points))
        while lower < min(most, upper):
            path = self._find(start, lower + 1)
            if path is None:
                break
            self._best[v] = path
            lower += 1
        self._decided.add(v)
        return lower

    def witness(self, v: int, upper: int) -> ThresholdSequence:
        """Return a longest threshold sequence of a non-empty version space."""
        self.dimension(v, upper)
        return self.best_known(v)

    def best_known(self, v: int) -> ThresholdSequence:
        """Return the longest threshold sequence found so far."""
        self.bounds(v)
        path = self._best[v]
        if not path:  # the constant 0 alone: one hypothesis, distinguished by no point
            return ThresholdSequence(((v & -v).bit_length() - 1,), ())
        return ThresholdSequence(tuple(h for h, _ in path), tuple(x for _, x in path))

    def _reduce(self, state: State) -> State:
        """Drop empty and repeated columns and rows until nothing changes."""
        v, u = state
        while True:
            columns = {self._columns[x] & v: x for x in reversed(_elements(u))}
            columns.pop(0, None)
            points = sum(1 << x for x in columns.values())
            rows = {self._rows[h] & points: h for h in reversed(_elements(v))}
            rows.pop(0, None)
            hypotheses = sum(1 << h for h in rows.values())
            if (hypotheses, points) == (v, u):
                return v, u
            v, u = hypotheses, points

    def _greedy(self, state: State) -> list[Pair]:
        """Return a maximal sequence: always the widest hypothesis and its rarest point."""
        v, u = state
        path: list[Pair] = []
        while v and u:
            h = max(_elements(v), key=lambda g: (self._rows[g] & u).bit_count())
            inside = _elements(self._rows[h] & u)
            if not inside:
                break
            x = min(inside, key=lambda y: (self._columns[y] & v).bit_count())
            path.append((h, x))
            u &= self._rows[h]
            v &= ~self._columns[x]
        return path

    def _moves(self, state: State, k: int) -> Iterator[tuple[Pair, State]]:
        """Yield the first pairs worth trying for k thresholds, the roomiest rest first."""
        v, u = state
        rows = [(h, self._rows[h] & u) for h in _elements(v)]
        moves: list[tuple[int, Pair, State]] = []
        for x in _elements(u):
            column = self._columns[x]
            rest = v & ~column
            if rest.bit_count() < k - 1:
                continue
            inside = [(y.bit_count(), h, y) for h, y in rows if column >> h & 1]
            inside.sort(key=itemgetter(0), reverse=True)
            maximal: list[int] = []
            for size, h, y in inside:
                if size < k:
                    break
                if all(y & ~other for other in maximal):
                    maximal.append(y)
                    most = min(rest.bit_count(), size - 1)
                    moves.append((most, (h, x), (rest, y & ~(1 << x))))
        moves.sort(key=itemgetter(0), reverse=True)
        return ((pair, after) for _, pair, after in moves)

    def _find(self, start: State, k: int) -> list[Pair] | None:
        """Return k thresholds, or None."""
        path: list[Pair] = []
        stack: list[tuple[State, Iterator[tuple[Pair, State]]]] = []

        def enter(state: State) -> bool:
            """Put a state on the stack unless it is known to hold too few thresholds."""
            need = k - len(path)
            if min(state[0].bit_count(), state[1].bit_count()) < need:
                return False
            if self._refuted.get(state, k + 1) <= need:
                return False
            self._budget.spend()
            stack.append((state, self._moves(state, need)))
            return True

        enter(start)
        while stack:
            state, moves = stack[-1]
            for pair, after in moves:
                path.append(pair)
                if len(path) == k:
                    return path
                if enter(self._reduce(after)):
                    break
                path.pop()
            else:
                self._refuted[state] = k - len(path)
                stack.pop()
                if path:
                    path.pop()
        return None


def _elements(bits: int) -> list[int]:
    """Return the elements of a small set, ascending (for short sets faster than an array)."""
    out: list[int] = []
    while bits:
        lowest = bits & -bits
        out.append(lowest.bit_length() - 1)
        bits ^= lowest
    return out


# -- Littlestone dimension and thresholds: both directions of Theorem 10, as constructions.
#
# From thresholds to a tree: binary search. From a tree to thresholds: colour the inner nodes by a
# hypothesis, find a large single-colour subtree (Lemma 31), keep the hypothesis and the root,
# continue in one half. A tree of depth ``2**(t + 1) - 1`` gives t + 2 hypotheses distinguished by
# t + 1 points.
#
# The paper's main text states "k thresholds" with k points (section 3.2) and proves them with k -
# 1 (appendix A): a class of both constants on one point has depth 1 = 2**1 - 1, and two
# hypotheses distinguished by one point, but no second point. `ThresholdSequence` accepts both.


def monochromatic_subtree(tree: MistakeTree, red: npt.ArrayLike) -> tuple[bool, MistakeTree]:
    """Return a highest single-colour subtree.

    A subtree takes a node as its root and, below each of its nodes, one subtree on either side;
    paths may skip nodes, so a shattered tree's subtrees are shattered.

    Notes
    -----
    Cost: linear in the size of the tree.

    References
    ----------
    Alon et al. 2022, Lemma 31.

    Examples
    --------
    >>> tree = MistakeTree(2, (0, 1, 2), (0, 1, 2, 3))
    >>> monochromatic_subtree(tree, [True, False, True])[1].points
    (0,)
    """
    colours = np.asarray(red, dtype=bool)
    if colours.shape != (len(tree.points),):
        raise parameter_error(
            "monochromatic_subtree", "red", f"of length {len(tree.points)}", colours.shape
        )
    heights = {colour: _heights(tree, colours == colour) for colour in (True, False)}
    is_red = bool(heights[True][0] >= heights[False][0])
    height = heights[is_red]
    in_colour = colours == is_red
    depth = int(height[0])
    points: list[int] = []
    level = [0]  # where to look for the next nodes, from left to right
    for need in reversed(range(1, depth + 1)):
        roots = [_root(height, in_colour, node, need) for node in level]
        points += [tree.points[node] for node in roots]
        level = [child for node in roots for child in (2 * node + 1, 2 * node + 2)]
    leaves = [_first_leaf(tree, node) for node in level]
    return is_red, MistakeTree(depth, tuple(points), tuple(leaves))


def thresholds_from_tree(tree: MistakeTree, matrix: npt.ArrayLike) -> ThresholdSequence:
    """Extract thresholds from a shattered tree.

    References
    ----------
    Alon et al. 2022, Theorem 10(1) and appendix A.

    Examples
    --------
    >>> matrix = [[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]]
    >>> thresholds_from_tree(MistakeTree(2, (1, 2, 0), (3, 2, 1, 0)), matrix)
    ThresholdSequence(hypotheses=(0, 1, 3), points=(0, 1))
    """
    labels = np.asarray(matrix)
    if not tree.holds(labels):
        raise parameter_error(
            "thresholds_from_tree", "tree", "a tree that the matrix shatters", tree.depth
        )
    front: list[tuple[int, int]] = []  # (h_0, x_0), (h_1, x_1), ...
    back: list[tuple[int, int]] = []  # (h_last, x_last), the one before, ...
    while tree.depth:
        # Any hypothesis of the present class may give the colours; a leaf's path lies within it.
        h = tree.leaves[0]
        is_red, subtree = monochromatic_subtree(tree, labels[h, list(tree.points)] == 1)
        (front if is_red else back).append((h, subtree.points[0]))
        # Red points have h = 1: h comes first, the rest must label the root 0. Blue: dually.
        tree = _half(subtree, label=0 if is_red else 1)
    back.reverse()
    hypotheses = (*(h for h, _ in front), tree.leaves[0], *(h for h, _ in back))
    return ThresholdSequence(hypotheses, tuple(x for _, x in front + back))


def tree_from_thresholds(thresholds: ThresholdSequence) -> MistakeTree:
    """Turn k thresholds into a shattered tree of depth ``floor(log2(k))``: binary search.

    References
    ----------
    Alon et al. 2022, Theorem 10(2) and appendix A.

    Examples
    --------
    >>> tree_from_thresholds(ThresholdSequence((0, 1, 2, 3), (0, 1, 2)))
    MistakeTree(depth=2, points=(1, 2, 0), leaves=(3, 2, 1, 0))
    """
    depth = len(thresholds.hypotheses).bit_length() - 1
    if depth < 0 or len(thresholds.points) < len(thresholds.hypotheses) - 1:
        raise parameter_error(
            "tree_from_thresholds", "thresholds", "a threshold sequence", thresholds
        )
    points: list[int] = []
    level = [(0, 1 << depth)]  # runs of hypotheses, those reached by more zeros first
    while level[0][1] - level[0][0] > 1:
        # h_i(x_j) = 1 iff i <= j: asking x_(middle-1), label 1 keeps i < middle.
        points += [thresholds.points[(low + high) // 2 - 1] for low, high in level]
        level = [
            run
            for low, high in level
            for run in (((low + high) // 2, high), (low, (low + high) // 2))
        ]
    return MistakeTree(depth, tuple(points), tuple(thresholds.hypotheses[low] for low, _ in level))


def _heights(tree: MistakeTree, coloured: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return for each node (leaves too) the height of the highest coloured subtree below it."""
    n = len(tree.points)
    height = np.zeros(2 * n + 1, dtype=np.int64)
    for level in reversed(range(tree.depth)):
        nodes = np.arange(2**level - 1, 2 ** (level + 1) - 1)
        left, right = height[2 * nodes + 1], height[2 * nodes + 2]
        rooted = np.where(coloured[nodes], np.minimum(left, right) + 1, 0)
        height[nodes] = np.maximum(rooted, np.maximum(left, right))
    return height


def _root(
    height: npt.NDArray[np.int64], coloured: npt.NDArray[np.bool_], node: int, need: int
) -> int:
    """Return the root, at or below a node, of a coloured subtree of height ``need``."""
    while not (coloured[node] and min(height[2 * node + 1], height[2 * node + 2]) >= need - 1):
        node = 2 * node + 1 if height[2 * node + 1] >= need else 2 * node + 2
    return node


def _first_leaf(tree: MistakeTree, node: int) -> int:
    """Return the hypothesis of the leftmost leaf below a node."""
    while node < len(tree.points):
        node = 2 * node + 1
    return tree.leaves[node - len(tree.points)]


def _half(tree: MistakeTree, label: int) -> MistakeTree:
    """Return the subtree of the root's child for a label."""
    points: list[int] = []
    for level in range(1, tree.depth):
        start, width = 2**level - 1, 2 ** (level - 1)
        points += tree.points[start + label * width : start + (label + 1) * width]
    width = 2 ** (tree.depth - 1)
    leaves = tree.leaves[label * width : (label + 1) * width]
    return MistakeTree(tree.depth - 1, tuple(points), leaves)
