"""Samples of rows of a schema that are not brought together: codes in a private file, in parts.

A table is read once. Equal coded rows are added up as far as memory allows, and what is left goes
into a private file that has no name (`HeldRows`): a byte for each code (two where a column has more
than 256 codes). Every later pass is over that file, and adds up counts (`CodeTables`).
"""

from __future__ import annotations

import math
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.data.code_tables import CodeTables, Entries
from littlestone.data.points import SMALL, distinct, totals
from littlestone.data.sample import LazySample, Sample
from littlestone.errors import DataError

if TYPE_CHECKING:
    from littlestone.costs import Costs

__all__ = ["CodedSample", "Gathered", "HeldRows", "Weigh"]

Ints = npt.NDArray[np.int64]
#: What the entries of a part weigh: of the number of the part, and the part.
Weigh: TypeAlias = Callable[[int, Entries], npt.NDArray[Any]]

_MOST = 1 << 21  # entries that are merged in memory
_PART = 1 << 18  # entries of a part of the file


class HeldRows:
    """Coded rows with labels and counts, in parts, in a private file.

    Parameters
    ----------
    n_codes : sequence of int
        How many codes each column has (public).

    Attributes
    ----------
    by_label : list of int
        Records with each label (private).

    Examples
    --------
    >>> held = HeldRows([4])
    >>> held.add(Entries(np.array([[2, 3]]), np.array([0, 1]), np.array([1, 300])))
    >>> [part.weights.tolist() for part in held.parts()], held.by_label
    ([[1, 300]], [1, 300])
    """

    def __init__(self, n_codes: Sequence[int]) -> None:
        # without a buffer: what a full disk does not take is an error at once
        self._file = tempfile.TemporaryFile(prefix="littlestone-", buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self.n_codes = tuple(n_codes)
        self._kind = np.dtype(np.uint8 if max(self.n_codes) <= 256 else np.uint16)
        self._parts: list[tuple[int, np.dtype[Any]]] = []
        self.by_label = [0, 0]

    def add(self, entries: Entries) -> None:
        """Append entries."""
        for start in range(0, len(entries.labels), _PART):
            piece = slice(start, start + _PART)
            weights = entries.weights[piece]
            kind = np.min_scalar_type(int(weights.max()))
            self._parts.append((len(weights), kind))
            codes, labels = entries.codes[:, piece], entries.labels[piece]
            short = codes.astype(self._kind), labels.astype(np.uint8), weights.astype(kind)
            for values in short:
                left = memoryview(values.tobytes())
                while left:
                    left = left[self._file.write(left) :]
        for label in (0, 1):
            self.by_label[label] += int(entries.weights[entries.labels == label].sum())

    @property
    def lengths(self) -> list[int]:
        """Number of entries of each part."""
        return [length for length, _ in self._parts]

    def parts(self) -> Iterator[Entries]:
        """Yield the entries, part after part."""
        start, width = 0, len(self.n_codes)
        for length, kind in self._parts:
            read = []
            for wanted, size in ((self._kind, width * length), (np.uint8, length), (kind, length)):
                self._file.seek(start)
                raw = self._file.read(size * np.dtype(wanted).itemsize)
                if len(raw) < size * np.dtype(wanted).itemsize:
                    raise DataError("The private copy of the records is damaged. Read them again.")
                start += len(raw)
                read.append(np.frombuffer(raw, dtype=wanted))
            codes, labels, weights = read
            # not unsigned ones of 64 bits: their products with integers are floats
            yield Entries(codes.reshape(width, length), labels, weights.astype(np.int64))


class Gathered:
    """Rows on their way into the file: equal ones are added up while that saves memory.

    Parameters
    ----------
    held : HeldRows
    most : int
        Entries in memory, about.

    Examples
    --------
    >>> held = HeldRows([4, 3])
    >>> gathered = Gathered(held)
    >>> for labels in ([0, 1, 1], [0, 0, 1]):
    ...     gathered.add(np.array([[2, 3, 3], [1, 2, 2]]), np.array(labels))
    >>> gathered.close()
    >>> [sorted(part.weights.tolist()) for part in held.parts()]
    [[1, 2, 3]]
    """

    def __init__(self, held: HeldRows, most: int = _MOST) -> None:
        self._held, self._most = held, most
        self._spans: list[tuple[int, ...]] = [()]  # of the label and the columns, for each word
        for span in (2, *held.n_codes):
            if math.prod(self._spans[-1]) * span >= SMALL:
                self._spans.append(())
            self._spans[-1] += (span,)
        self._kept: list[Ints] = []  # words, and in the last row the counts
        self._size = 0

    def add(
        self,
        codes: Sequence[npt.NDArray[Any]] | npt.NDArray[Any],
        labels: npt.NDArray[Any],
        counts: Ints | None = None,
    ) -> None:
        """Add rows: their codes column by column, and how often each is there (once)."""
        columns = iter([labels, *codes])
        out = np.zeros((len(self._spans) + 1, len(labels)), dtype=np.int64)
        for word, spans in enumerate(self._spans):
            for span in spans:
                out[word] *= span
                out[word] += next(columns)
        out[-1] = 1 if counts is None else counts
        self._kept.append(out)
        self._size += len(labels)
        if self._size > self._most:
            self._merge()
            if self._size > self._most // 2:
                self.close()

    def close(self) -> None:
        """Write what is left."""
        if not self._size:
            return
        self._merge()
        (merged,), self._kept, self._size = self._kept, [], 0
        columns: list[Ints] = []
        for word, spans in zip(merged, self._spans, strict=False):
            own: list[Ints] = []
            for span in reversed(spans):
                word, code = np.divmod(word, span)  # noqa: PLW2901 - the word that is left
                own.insert(0, code)
            columns += own
        self._held.add(Entries(np.array(columns[1:]), columns[0], merged[-1]))

    def _merge(self) -> None:
        """Add up equal rows."""
        import pyarrow as pa  # noqa: PLC0415 - loaded when something is read

        rows = np.concatenate(self._kept, axis=1)
        keys = [f"w{i}" for i in range(len(self._spans))]
        table = pa.table(dict(zip([*keys, "n"], rows, strict=True)))
        merged = table.group_by(keys, use_threads=False).aggregate([("n", "sum")])
        columns = [merged[name].to_numpy() for name in [*keys, "n_sum"]]
        self._kept, self._size = [np.stack(columns)], merged.num_rows


class CodedSample(LazySample):
    """A sample of rows of a schema that is counted in passes; it is held in memory only if needed.

    Parameters
    ----------
    held : HeldRows
    weights : (int, int)
        How many each record counts, by its label.

    Examples
    --------
    >>> held = HeldRows([4])
    >>> held.add(Entries(np.array([[2, 3, 2]]), np.array([0, 1, 1]), np.array([1, 2, 4])))
    >>> sample = CodedSample(held)
    >>> from littlestone.costs import Costs
    >>> sample.n, sample.priced(Costs.of({0: 1, 1: 10})).positives, sample.points.tolist()
    (7, 60, [[2], [3]])
    """

    _held: HeldRows
    _weights: tuple[int, int]

    outside = (0, 0)  # every row has codes

    def __init__(self, held: HeldRows, weights: tuple[int, int] = (1, 1)) -> None:
        super().__init__(_held=held, _weights=weights)

    @property
    def n_codes(self) -> tuple[int, ...]:
        """How many codes each column has (public)."""
        return self._held.n_codes

    @property
    def lengths(self) -> list[int]:
        """Number of entries of each part."""
        return self._held.lengths

    def entries(self) -> Iterator[Entries]:
        """Yield the rows in parts, with how much they count."""
        weights = np.array(self._weights, dtype=np.int64)
        for part in self._held.parts():
            yield part._replace(weights=part.weights * weights[part.labels])

    def tables(self, order: int, weigh: Weigh | None = None) -> CodeTables:
        """Return the sums over the rows by the codes of sets of columns: one pass.

        Parameters
        ----------
        order : int
            The size of the sets.
        weigh : callable, optional
            By default the entries weigh what they count.
        """
        parts = self.entries()
        if weigh is not None:
            parts = (e._replace(weights=weigh(i, e)) for i, e in enumerate(parts))
        return CodeTables.of(parts, self.n_codes, order)

    def pieces(self) -> Iterator[Sample]:
        """Yield samples of some rows each, which together are this one."""
        for part in self.entries():
            one = part.labels == 1
            zeros, ones = np.where(one, 0, part.weights), np.where(one, part.weights, 0)
            yield Sample(part.codes.T.astype(np.int16), zeros, ones)

    def count(self) -> Sample:
        """Return the sample with all its points, in memory."""
        pieces = list(self.pieces()) or [_nothing(len(self.n_codes))]
        points, where = distinct(np.concatenate([piece.points for piece in pieces]))
        zeros, ones = (
            totals(where, np.concatenate([getattr(p, name) for p in pieces]), len(points))
            for name in ("zeros", "ones")
        )
        return Sample(points, zeros, ones)

    def priced(self, costs: Costs) -> Sample:
        """Return the sample in which each record counts as many as a mistake on it costs."""
        (_, zero), (one, _) = costs.matrix
        return CodedSample(self._held, (self._weights[0] * zero, self._weights[1] * one))

    @property
    def positives(self) -> int:
        """How much label 1 counts (private)."""
        return self._held.by_label[1] * self._weights[1]

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return self._held.by_label[0] * self._weights[0] + self.positives


def _nothing(width: int) -> Sample:
    none = np.zeros(0, dtype=np.int64)
    return Sample(np.zeros((0, width), dtype=np.int16), none, none)
