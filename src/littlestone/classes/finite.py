"""Finite classes, given as a matrix: rows are concepts, columns are the points 0 .. m - 1."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.base import ConceptClass, Mapped
from littlestone.classes.dichotomies import (
    Labelling,
    ListedDichotomies,
    best_dichotomies,
    scattered,
)
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import TableHypothesis
from littlestone.classes.listed import Listing, listing
from littlestone.classes.spec import written
from littlestone.classes.trees.matrix import MatrixTree
from littlestone.classes.trees.tree import no_concept
from littlestone.combinatorics import Kernel
from littlestone.data import IntegerDomain, Sample
from littlestone.data.labels import check_labels
from littlestone.errors import ParameterError, parameter_error
from littlestone.safe_io import read_text
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Json, Point
from littlestone.types import Points as Batch

Bits = npt.NDArray[np.uint8]

_LARGEST = 2**28  # bytes of a file

_MOST_LABELS = 10  # one digit for each code

_MAX_ROWS = 20_000_000

#: Nodes of a search for the VC dimension, times rows.
_WORK = 150_000_000

_BLOCK = 1 << 22  # entries of the matrix that are scored at once (32 MB as int64)


@written("finite(matrix.csv)")
class FiniteClass(ConceptClass):
    """Any finite set of concepts on the points 0, 1, ..., m - 1.

    Parameters
    ----------
    matrix : array-like of 0 and 1, shape (concepts, points)
        Public. Row i is a concept, ``matrix[i, x]`` its label of the point x. No two rows may be
        equal: a class is a set, and a repeated concept would silently be twice as likely.
    name : str, optional
        What ``spec`` shows, for example the file that the matrix came from.
    labels : sequence of up to 10 texts or integers, optional
        Public: then the matrix holds their codes 0, 1, 2, ..., in this order.

    Raises
    ------
    ParameterError
        If the matrix is empty, not of 0 and 1 (not of codes), or has two equal rows.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law.

    Notes
    -----
    Cost of a draw: one product of the matrix (columns of the sample's points) with a vector of
    counts, in exact 64-bit integers. A point that is not a column is outside, and labelled 0.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> parity = FiniteClass([[0, 0], [0, 1], [1, 0]])
    >>> parity.size, parity.vc_dim
    (3, 1)
    >>> data = Sample.of([0, 1], [1, 0])
    >>> parity.candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 on the points 0, otherwise 0 (points 0 to 1)'
    """

    name = "finite"
    is_listed = True

    def __init__(self, matrix: npt.ArrayLike, name: str | None = None, labels: Any = None) -> None:
        if labels is not None:
            self.labels = check_labels("FiniteClass", labels)
        if len(self.labels) > _MOST_LABELS:
            raise parameter_error(
                "FiniteClass", "labels", f"at most {_MOST_LABELS} labels", len(self.labels)
            )
        self.matrix = _checked(matrix, len(self.labels))
        self.source_name = name

    @classmethod
    def from_csv(cls, path: str | Path, labels: Any = None) -> FiniteClass:
        """Read a matrix from a CSV file of 0 and 1 (codes) without a header; rows are concepts.

        Raises
        ------
        ParameterError
            If the file cannot be read, or does not hold a matrix of 0 and 1.
        """
        text = read_text(path, "matrix file", largest=_LARGEST, bom=True)
        rows = [line.replace(" ", "") for line in text.splitlines() if line.strip()]
        matrix = _parse(rows, ",", f"The matrix file {str(path)!r}")
        return cls(matrix, name=str(path), labels=labels)

    @property
    def spec(self) -> str:
        """The text of the class."""
        rows, columns = self.matrix.shape
        return f"finite({self.source_name or f'{rows} concepts on {columns} points'})"

    @property
    def domain(self) -> IntegerDomain:
        """The column numbers."""
        return IntegerDomain(0, self.matrix.shape[1] - 1)

    @property
    def size(self) -> int:
        """Number of concepts."""
        return int(self.matrix.shape[0])

    @cached_property
    def vc_dim(self) -> int:
        """The VC dimension, by exact search (once).

        Raises
        ------
        SearchLimitError
            If the search is too long; it carries the bounds that were reached.
        UnsupportedError
            If the class lists labels of its own.
        """
        self.check_binary("The VC dimension")
        return Kernel(self.matrix, max_nodes=_WORK // self.size).vc_dim()

    def littlestone_bounds(self) -> tuple[int, float]:
        """Return what the number of concepts allows: here the VC dimension is a search, too."""
        self.check_binary("The Littlestone dimension of a class")
        return 0, self.size.bit_length() - 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all rows, scored by minus their errors; see `ConceptClass.candidates`."""
        if not sample.unlisted:
            self.check_binary("A sample with the labels 0 and 1")
        return Mapped(Explicit(-self._costs(sample)), self.hypothesis)

    def _costs(self, sample: Sample) -> npt.NDArray[np.int64]:
        """Return what each row costs; outside the columns it answers the first label."""
        points, columns = sample.points, self.matrix.shape[1]
        inside = np.asarray((points >= 0) & (points < columns), dtype=bool)
        used, prices = points[inside].astype(np.int64), sample.answer_costs
        more = (prices[1:] - prices[0])[:, inside]  # than the first label
        if 2 * len(used) >= columns:  # most columns: no need to pick them out
            dense = np.zeros((len(more), columns), dtype=np.int64)
            dense[:, used] = more
            used, more = np.arange(columns), dense
        out = np.full(self.size, sample.outside_cost + int(prices[0].sum()))
        step = max(1, _BLOCK // max(1, len(used)))
        for start in range(0, self.size, step):
            block = self.matrix[start : start + step]
            part = block if len(used) == columns else block[:, used]
            for code, costs in enumerate(more, 1):
                out[start : start + step] += (part == code).astype(np.int64) @ costs
        return out

    def hypothesis(self, row: int) -> TableHypothesis:
        """Return the concept of a row."""
        table = (self.matrix[row] + ord("0")).tobytes().decode("ascii")
        return TableHypothesis(table, self.labels)

    def _concepts(self) -> Iterator[Hypothesis]:
        return map(self.hypothesis, range(self.size))

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(_packed(self.matrix, len(self.labels)).tobytes()).hexdigest()

    def _identity(self) -> Hashable:
        return (self.matrix.shape, self._digest, self.labels)

    def tree(self, f: Hypothesis | None = None) -> MatrixTree:
        """Return the tree of the class, if it has VC dimension at most 1; see `MatrixTree`."""
        self.check_binary("The tree of a class of VC dimension 1")
        if f is None:
            return MatrixTree(self.matrix)
        labels = f.labels.encode("ascii") if isinstance(f, TableHypothesis) else b""
        row = np.frombuffer(labels, dtype=np.uint8) - np.uint8(ord("0"))
        if len(row) == self.matrix.shape[1]:
            rows = np.flatnonzero((self.matrix == row).all(axis=1))
            if len(rows):
                return MatrixTree(self.matrix, f=int(rows[0]))
        raise no_concept(self.spec)

    def domain_points(self) -> range:
        """Return the columns."""
        return range(self.matrix.shape[1])

    def improper(self, ones: tuple[Point, ...]) -> TableHypothesis:
        """Return the table that is 1 on some columns."""
        labels = np.zeros(self.matrix.shape[1], dtype=np.uint8)
        labels[np.array(ones, dtype=np.intp)] = 1
        return TableHypothesis((labels + ord("0")).tobytes().decode("ascii"))

    def to_dict(self) -> Json:
        """Return plain JSON: the rows as texts of 0 and 1 (of codes)."""
        rows = [self.hypothesis(i).labels for i in range(self.size)]
        out: Json = {"type": self.name, "rows": rows}
        if self.lists_labels:
            out["labels"] = list(self.labels)
        return out if self.source_name is None else out | {"name": self.source_name}

    @classmethod
    def from_dict(cls, data: Any) -> FiniteClass:
        """Read it back."""
        fields = Fields(data, ("rows",), ("name", "labels"))
        rows = fields.items("rows", _MAX_ROWS)
        if not all(isinstance(row, str) for row in rows):
            raise fields.refuse("rows", "a list of texts of 0 and 1")
        matrix = _parse(rows, "", "The 'rows' entry of a JSON 'finite'")
        labels = fields.any("labels") if "labels" in fields else None
        return cls(matrix, name=fields.text("name") if "name" in fields else None, labels=labels)


def _parse(rows: list[str], separator: str, what: str) -> Bits:
    """Return rows of text as a matrix."""
    width = len(rows[0]) if rows else 0
    joined = "".join(rows)
    if not rows or any(len(row) != width for row in rows) or not joined.isascii():
        raise ParameterError(f"{what} must have at least one row, and all rows the same length.")
    table = np.frombuffer(joined.encode("ascii"), dtype=np.uint8).reshape(len(rows), width)
    if separator:
        if np.any(table[:, 1::2] != ord(separator)):
            raise ParameterError(f"{what} must have one digit, 0 or 1, between commas.")
        table = table[:, ::2]
    return table - np.uint8(ord("0"))  # anything else than 0 and 1 is refused with the matrix


def _packed(matrix: Bits, labels: int) -> Bits:
    """Return the rows as bytes: eight labels in one, if there are two."""
    return np.packbits(matrix, axis=1) if labels == 2 else matrix


def _checked(matrix: npt.ArrayLike, labels: int) -> Bits:
    """Return a matrix of 0 and 1, or of codes, with different rows, or refuse it."""
    hint = "Rows are concepts, columns are points, for example [[0, 0], [0, 1]]."
    try:
        table = np.asarray(matrix)
    except ValueError:
        raise parameter_error(
            "FiniteClass", "matrix", "a matrix with rows of equal length", type(matrix).__name__,
            hint,
        ) from None  # fmt: skip
    if table.ndim != 2 or 0 in table.shape:
        raise parameter_error(
            "FiniteClass", "matrix", "two-dimensional, with at least one row and one column",
            table.shape, hint,
        )  # fmt: skip
    if table.dtype.kind not in "biuf" or not bool(np.isin(table, np.arange(labels)).all()):
        only = "of 0 and 1 only" if labels == 2 else f"of codes from 0 to {labels - 1} only"
        raise parameter_error("FiniteClass", "matrix", only, "other entries", hint)
    bits: Bits = np.ascontiguousarray(table, dtype=np.uint8)
    if bits is matrix:
        bits = bits.copy()  # ours alone: it must not change under its digest
    packed = _packed(bits, labels)
    rows = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
    _, first, where = np.unique(rows, return_index=True, return_inverse=True)
    if len(first) < len(bits):
        repeated = int(np.flatnonzero(first[where.reshape(-1)] != np.arange(len(bits)))[0])
        original = int(first[where.reshape(-1)[repeated]])
        raise parameter_error(
            "FiniteClass", "matrix", "without equal rows", f"row {repeated} equal to {original}",
            "A class is a set of concepts: numpy.unique(matrix, axis=0) removes repetitions.",
        )  # fmt: skip
    bits.setflags(write=False)
    return bits


@listing.register
def _(concept_class: FiniteClass, max_nodes: int | None) -> Listing:
    concept_class.check_binary("A list of all concepts")
    points, matrix = concept_class.domain_points(), concept_class.matrix
    return Listing(concept_class, points, matrix, concept_class.improper, max_nodes)


@best_dichotomies.register
def _(concept_class: FiniteClass, points: Batch, sample: Sample) -> Choice[Labelling]:
    matrix, width = concept_class.matrix, concept_class.matrix.shape[1]
    inside = [i for i, x in enumerate(points.tolist()) if 0 <= x < width]
    cost = concept_class._costs(sample)
    columns = points[inside].astype(np.int64)
    seen, where = np.unique(matrix[:, columns], axis=0, return_inverse=True)
    least = np.full(len(seen), np.iinfo(np.int64).max)
    np.minimum.at(least, where.ravel(), cost)
    return ListedDichotomies(least.tolist(), lambda i: scattered(len(points), inside, seen[i]))
