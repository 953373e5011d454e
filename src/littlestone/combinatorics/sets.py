"""Sets of hypotheses of one class: restricting, counting errors, naming members."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from littlestone.combinatorics.matrix import BitMatrix, members_of
from littlestone.errors import ParameterError, check_integer, parameter_error

Counts = npt.NDArray[np.int64]

_BLOCK = 8192


class VersionSpaces:
    """The version spaces of one matrix, as integers; nothing here searches.

    Examples
    --------
    >>> spaces = VersionSpaces(BitMatrix.from_array([[0, 0], [0, 1], [1, 1]]))
    >>> bin(spaces.within_error(zeros=[2, 0], ones=[0, 3], tolerance=2))
    '0b110'
    """

    def __init__(self, matrix: BitMatrix) -> None:
        self.matrix = matrix

    @property
    def full(self) -> int:
        """The set of all hypotheses."""
        return self.matrix.full

    def is_empty(self, hypotheses: int) -> bool:
        """Say whether a set has no hypothesis."""
        return not self.matrix.check_set(hypotheses, "Kernel.is_empty")

    def size(self, hypotheses: int) -> int:
        """Return how many hypotheses a set has."""
        return self.matrix.check_set(hypotheses, "Kernel.size").bit_count()

    def members(self, hypotheses: int) -> npt.NDArray[np.int64]:
        """Return the rows of a set, ascending."""
        return members_of(self.matrix.check_set(hypotheses, "Kernel.members"))

    def restrict(self, hypotheses: int, point: int, label: int) -> int:
        """Return the hypotheses of a set that give a point a label."""
        v = self.matrix.check_set(hypotheses, "Kernel.restrict")
        column = self.matrix.columns[self.matrix.check_point(point, "Kernel.restrict")]
        if label not in (0, 1):
            raise parameter_error("Kernel.restrict", "label", "0 or 1", label)
        return v & column if label else v & ~column

    def errors(self, zeros: npt.ArrayLike, ones: npt.ArrayLike) -> Counts:
        """Count the errors of every hypothesis on labelled records."""
        negative, positive = self._counts("zeros", zeros), self._counts("ones", ones)
        difference = negative - positive  # a 1 errs on the zeros instead of on the ones
        touched = np.flatnonzero(difference)
        difference = difference[touched]
        wrong = np.empty(self.matrix.n_hypotheses, dtype=np.int64)
        for start in range(0, len(wrong), _BLOCK):  # in pieces: int64 takes eight times the room
            rows = self.matrix.array[start : start + _BLOCK]
            wrong[start : start + _BLOCK] = rows[:, touched].astype(np.int64) @ difference
        return np.add(wrong, int(positive.sum()), dtype=np.int64)

    def within_error(self, zeros: npt.ArrayLike, ones: npt.ArrayLike, tolerance: int) -> int:
        """Return the hypotheses with at most ``tolerance`` errors on labelled records."""
        most = check_integer("Kernel.within_error", "tolerance", tolerance)
        good = self.errors(zeros, ones) <= most
        return int.from_bytes(np.packbits(good, bitorder="little").tobytes(), "little")

    def distinguishing_column(self, first: int, second: int) -> int | None:
        """Return the first point that two hypotheses label differently; None if they are one."""
        for name, row in (("first", first), ("second", second)):
            if (
                not 0
                <= check_integer("Kernel.distinguishing_column", name, row)
                < len(self.matrix.array)
            ):
                raise parameter_error(
                    "Kernel.distinguishing_column",
                    name,
                    f"in 0..{self.matrix.n_hypotheses - 1}",
                    row,
                )
        differs = np.flatnonzero(self.matrix.array[first] != self.matrix.array[second])
        return int(differs[0]) if differs.size else None

    def labels(self, labelling: int) -> npt.NDArray[np.int8]:
        """Return a labelling of all points as an array."""
        out = np.zeros(self.matrix.n_points, dtype=np.int8)
        out[members_of(labelling)] = 1
        return out

    def _set(self, hypotheses: int | None, owner: str) -> int:
        return self.full if hypotheses is None else self.matrix.check_set(hypotheses, owner)

    def _nonempty(self, hypotheses: int | None, owner: str) -> int:
        v = self._set(hypotheses, owner)
        if not v:
            raise parameter_error(owner, "hypotheses", "a non-empty set of hypotheses", 0)
        return v

    def _counts(self, name: str, counts: npt.ArrayLike) -> Counts:
        array = np.asarray(counts)
        shape = (self.matrix.n_points,)
        if array.shape != shape or array.dtype.kind not in "iu":
            raise ParameterError(
                f"The {name!r} parameter of Kernel.within_error must be one integer count for "
                f"each of the {self.matrix.n_points} points."
            )
        return array.astype(np.int64)
