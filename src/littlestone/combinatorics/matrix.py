"""Bit matrices: a finite concept class as hypotheses (rows) by points (columns).

A set of hypotheses, in particular a *version space*, is a Python integer: bit ``h`` is set when
hypothesis ``h`` belongs to it. A labelling of all points is a Python integer too: bit ``x`` is
the label of point ``x``. Integers of any size make intersections one machine loop, are hashable
with full equality, and need no library.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from littlestone.errors import ParameterError, parameter_error

Bits = npt.NDArray[np.uint8]


class _Said(str):
    """Words shown without quotes in an error, in place of a value that must not be shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, eq=False)
class BitMatrix:
    """A finite class of distinct hypotheses on finitely many points.

    Build one with `BitMatrix.from_array`. Equal columns (points that no hypothesis distinguishes)
    and constant columns are welcome: every search drops them for itself, and answers still speak
    about all columns.

    Examples
    --------
    >>> matrix = BitMatrix.from_array([[0, 0], [0, 1], [1, 1]])
    >>> matrix.n_hypotheses, matrix.n_points, [bin(c) for c in matrix.columns]
    (3, 2, ['0b100', '0b110'])
    """

    array: Bits
    columns: tuple[int, ...]

    @classmethod
    def from_array(cls, matrix: object, *, caller: str = "BitMatrix.from_array") -> BitMatrix:
        """Read a matrix of zeros and ones, one hypothesis for each row.

        Notes
        -----
        Cost: linear in the number of entries (rows are compared through a hash table of full
        rows, never through fingerprints).

        Examples
        --------
        >>> BitMatrix.from_array([[0, 1], [0, 1]])
        Traceback (most recent call last):
        ...
        littlestone.errors.ParameterError: The 'matrix' parameter of BitMatrix.from_array must be
        a matrix of distinct rows. Got row 1 equal to row 0. Keep each hypothesis once.
        """
        if isinstance(matrix, BitMatrix):
            return matrix
        array = _binary(matrix, caller)
        seen: dict[bytes, int] = {}
        for index, row in enumerate(map(bytes, np.packbits(array, axis=1))):
            first = seen.setdefault(row, index)
            if first != index:
                raise parameter_error(
                    caller,
                    "matrix",
                    "a matrix of distinct rows",
                    _Said(f"row {index} equal to row {first}"),
                    "Keep each hypothesis once.",
                )
        array.flags.writeable = False
        packed = np.packbits(array.T, axis=1, bitorder="little")
        return cls(array, tuple(int.from_bytes(column.tobytes(), "little") for column in packed))

    @property
    def n_hypotheses(self) -> int:
        """Number of rows."""
        return int(self.array.shape[0])

    @property
    def n_points(self) -> int:
        """Number of columns."""
        return int(self.array.shape[1])

    @cached_property
    def full(self) -> int:
        """The set of all hypotheses."""
        return (1 << self.n_hypotheses) - 1

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """For each hypothesis the set of points that it labels 1."""
        packed = np.packbits(self.array, axis=1, bitorder="little")
        return tuple(int.from_bytes(row.tobytes(), "little") for row in packed)

    @cached_property
    def live(self) -> dict[int, int]:
        """Columns that matter, up to complement, each with its first point.

        A constant column never splits a version space; equal and complementary columns split it
        in the same way. The side without hypothesis 0 represents a column.
        """
        live: dict[int, int] = {}
        for point, column in enumerate(self.columns):
            side = column ^ self.full if column & 1 else column
            if side:
                live.setdefault(side, point)
        return live

    def check_set(self, hypotheses: int, caller: str) -> int:
        """Return a set of hypotheses; refuse what is not one (the set itself is never shown)."""
        if isinstance(hypotheses, bool) or not isinstance(hypotheses, int):
            raise _bad_set(caller, f"a {type(hypotheses).__name__}")
        if not 0 <= hypotheses <= self.full:
            raise _bad_set(caller, "bits of other hypotheses")
        return hypotheses

    def check_point(self, point: int, caller: str) -> int:
        """Return the index of a point; refuse what is not one."""
        if isinstance(point, bool | np.bool_) or not isinstance(point, int | np.integer):
            raise parameter_error(caller, "point", "the index of a column", point)
        if not 0 <= point < self.n_points:
            raise parameter_error(caller, "point", f"in 0..{self.n_points - 1}", int(point))
        return int(point)


def members_of(bits: int) -> npt.NDArray[np.int64]:
    """Return the elements of a set, ascending.

    Examples
    --------
    >>> members_of(0b10110)
    array([1, 2, 4])
    """
    raw = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little"))


def set_of(elements: Iterable[int]) -> int:
    """Return a set as an integer: the inverse of `members_of`.

    Examples
    --------
    >>> bin(set_of([4, 1, 2]))
    '0b10110'
    """
    indices = np.fromiter(elements, dtype=np.int64)
    if not indices.size:
        return 0
    flags = np.zeros(int(indices.max()) + 1, dtype=np.uint8)
    flags[indices] = 1
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _binary(matrix: object, caller: str) -> Bits:
    """Return a private uint8 copy of a non-empty binary matrix."""

    def refuse(got: str, hint: str) -> ParameterError:
        return parameter_error(caller, "matrix", "a matrix of zeros and ones", _Said(got), hint)

    try:
        array = np.asarray(matrix)
    except ValueError:  # numpy refuses ragged nested lists
        raise refuse("rows of different lengths", "Give every hypothesis all points.") from None
    if array.ndim != 2:
        raise refuse(f"{array.ndim} dimension(s)", "Give one row for each hypothesis.")
    if not array.shape[0]:
        raise refuse("no rows", "A class needs at least one hypothesis.")
    if not array.shape[1]:
        raise refuse("no columns", "A class needs at least one point.")
    if array.dtype.kind not in "biuf":
        raise refuse(f"entries of type {array.dtype}", "Give numbers or booleans.")
    good = (array == 0) | (array == 1)
    if not good.all():
        row, column = (int(i) for i in np.argwhere(~good)[0])
        raise refuse(f"something else in row {row}, column {column}", "Encode labels as 0 and 1.")
    return np.array(array, dtype=np.uint8, order="C")


def _bad_set(caller: str, got: str) -> ParameterError:
    return parameter_error(
        caller, "hypotheses", "a set of hypotheses as an integer, within `full`", _Said(got)
    )


# -- Limits of exact searches: a number of nodes.
#
# Running time depends on the machine; a node count depends on the question alone. Code that must
# behave equally for equal inputs (a private learner above all) can therefore rely on it.

#: Enough for random classes of a few hundred thousand hypotheses; minutes, not days, when reached.
DEFAULT_MAX_NODES = 1_000_000


class OutOfNodes(Exception):  # noqa: N818 - a signal inside the package, never seen outside
    """The budget is used up; `Kernel` turns it into `littlestone.errors.SearchLimitError`."""


class NodeLimit:
    """Count nodes up to a limit.

    Examples
    --------
    >>> budget = NodeLimit(1)
    >>> budget.spend()
    >>> budget.spend()
    Traceback (most recent call last):
    ...
    littlestone.combinatorics.matrix.OutOfNodes
    """

    __slots__ = ("limit", "used")

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.used = 0

    def spend(self) -> None:
        """Count one node; raise `OutOfNodes` when it is one too many."""
        if self.limit is not None and self.used >= self.limit:
            raise OutOfNodes
        self.used += 1


# -- Witnesses: objects that prove a dimension, each with a checker that uses the definition only.
#
# A checker reads the raw matrix entry by entry and shares no code with the searches, so a witness
# that holds is a proof of the lower bound whatever produced it.


@dataclass(frozen=True)
class MistakeTree:
    """A complete binary tree whose inner nodes are points and whose leaves are hypotheses.

    It is *shattered*, and proves ``LDim >= depth``, when each leaf's hypothesis labels the points
    on its path with the labels of the path (`holds`).

    Examples
    --------
    >>> tree = MistakeTree(1, (0,), (1, 0))
    >>> tree.holds([[1, 0], [0, 0]])
    True
    >>> list(tree.path(1))
    [(0, 1)]

    References
    ----------
    Alon et al. 2022, section 3.2; Lyu 2025, section 4.
    """

    depth: int
    points: tuple[int, ...]
    leaves: tuple[int, ...]

    def path(self, leaf: int) -> Iterator[tuple[int, int]]:
        """Yield the (point, label) pairs from the root to leaf number ``leaf``."""
        node = 0
        for level in reversed(range(self.depth)):
            label = leaf >> level & 1
            yield self.points[node], label
            node = 2 * node + 1 + label

    def holds(self, matrix: npt.ArrayLike) -> bool:
        """Say whether the matrix shatters this tree."""
        labels = np.asarray(matrix)
        return (
            self.depth >= 0
            and len(self.points) == 2**self.depth - 1
            and len(self.leaves) == 2**self.depth
            and _within(self.leaves, labels.shape[0])
            and _within(self.points, labels.shape[1])
            and all(
                labels[hypothesis, point] == label
                for leaf, hypothesis in enumerate(self.leaves)
                for point, label in self.path(leaf)
            )
        )


@dataclass(frozen=True)
class ShatteredSet:
    """Points on which the class realises every labelling: proves ``VC >= len(points)``.

    Examples
    --------
    >>> ShatteredSet((0, 1), (0, 1, 2, 3)).holds([[0, 0], [1, 0], [0, 1], [1, 1]])
    True
    """

    points: tuple[int, ...]
    hypotheses: tuple[int, ...]

    def holds(self, matrix: npt.ArrayLike) -> bool:
        """Say whether the matrix shatters these points."""
        labels = np.asarray(matrix)
        return (
            len(set(self.points)) == len(self.points)
            and len(self.hypotheses) == 2 ** len(self.points)
            and _within(self.hypotheses, labels.shape[0])
            and _within(self.points, labels.shape[1])
            and all(
                labels[hypothesis, point] == pattern >> j & 1
                for pattern, hypothesis in enumerate(self.hypotheses)
                for j, point in enumerate(self.points)
            )
        )


@dataclass(frozen=True)
class ThresholdSequence:
    """Hypotheses and points in order with ``h_i(x_j) = 1`` exactly when ``i <= j``.

    The paper uses two conventions for "k thresholds". Its definition (section 3.2) has k
    hypotheses and k points, the last point labelled 1 by all; its Theorem 10 is proved
    (appendix A) for k hypotheses distinguished by k - 1 points. Both are accepted: there
    are as many points as hypotheses, or one fewer. The threshold dimension counts *points and
    hypotheses* in the sense of the definition.

    Examples
    --------
    >>> ThresholdSequence((0, 1), (0, 1)).holds([[1, 1], [0, 1]])
    True

    References
    ----------
    Alon et al. 2022, section 3.2 and appendix A.
    """

    hypotheses: tuple[int, ...]
    points: tuple[int, ...]

    def holds(self, matrix: npt.ArrayLike) -> bool:
        """Say whether the matrix contains these thresholds."""
        labels = np.asarray(matrix)
        return (
            len(self.hypotheses) > 0
            and len(self.hypotheses) - len(self.points) in (0, 1)
            and _within(self.hypotheses, labels.shape[0])
            and _within(self.points, labels.shape[1])
            and all(
                labels[hypothesis, point] == (i <= j)
                for i, hypothesis in enumerate(self.hypotheses)
                for j, point in enumerate(self.points)
            )
        )


def _within(indices: tuple[int, ...], n: int) -> bool:
    return all(0 <= index < n for index in indices)
