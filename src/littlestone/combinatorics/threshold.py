"""The threshold dimension of a version space, exactly, with the thresholds themselves.

k thresholds are hypotheses ``h_1..h_k`` and points ``x_1..x_k`` with ``h_i(x_j) = 1`` exactly when
``i <= j``. Take the first pair away: the other hypotheses label ``x_1`` with 0, and ``h_1`` labels
the other points with 1. So with T(V, U) for hypotheses V and points U,

    T(V, U) = max over x in U, h in V with h(x) = 1
              of 1 + T({g in V : g(x) = 0}, {y in U : h(y) = 1}).
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from littlestone.combinatorics.limits import NodeLimit
from littlestone.combinatorics.matrix import BitMatrix
from littlestone.combinatorics.witness import ThresholdSequence

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
            self._budget.look()  # with many points, one node takes seconds
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
