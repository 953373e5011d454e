"""Coded rows in a private file that has no name, in parts, as they come or in canonical order.

A byte for each code (two where a column has more than 256 codes), one for the label, and one or
more for the count. Equal coded rows are added up as far as memory allows (`Gathered`); in order
(`in_order`: sorted runs, merged block by block) all equal ones are.
"""

from __future__ import annotations

import math
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.data.code_tables import Entries
from littlestone.data.points import SMALL
from littlestone.errors import DataError

__all__ = ["Gathered", "HeldRows", "in_order"]

Ints = npt.NDArray[np.int64]

_MOST = 1 << 21  # entries that are merged in memory
_PART = 1 << 18  # entries of a part of the file


class HeldRows:
    """Coded rows with labels and counts, in parts, in a private file.

    Parameters
    ----------
    n_codes : sequence of int
        How many codes each column has (public).
    labels : int, default 2
        How many labels there are (public), from 0 on.

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

    def __init__(self, n_codes: Sequence[int], labels: int = 2) -> None:
        # without a buffer: what a full disk does not take is an error at once
        self._file = tempfile.TemporaryFile(prefix="littlestone-", buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self.n_codes = tuple(n_codes)
        self._kind = np.dtype(np.uint8 if max(self.n_codes) <= 256 else np.uint16)
        self._parts: list[tuple[int, int, np.dtype[Any]]] = []  # where, how many, counts
        self.by_label = [0] * labels

    def add(self, entries: Entries) -> None:
        """Append entries."""
        for start in range(0, len(entries.labels), _PART):
            piece = slice(start, start + _PART)
            weights = entries.weights[piece]
            kind = np.min_scalar_type(int(weights.max()))
            start_of = self._file.seek(0, 2)
            self._parts.append((start_of, len(weights), kind))
            codes, labels = entries.codes[:, piece], entries.labels[piece]
            short = codes.astype(self._kind), labels.astype(np.uint8), weights.astype(kind)
            for values in short:
                left = memoryview(values.tobytes())
                while left:
                    left = left[self._file.write(left) :]
        for label in range(len(self.by_label)):
            self.by_label[label] += int(entries.weights[entries.labels == label].sum())

    @property
    def lengths(self) -> list[int]:
        """Number of entries of each part."""
        return [length for _, length, _ in self._parts]

    def parts(self) -> Iterator[Entries]:
        """Yield the entries, part after part."""
        return map(self.part, range(len(self._parts)))

    def part(self, number: int) -> Entries:
        """Return the entries of a part."""
        start, length, kind = self._parts[number]
        width, read = len(self.n_codes), []
        self._file.seek(start)
        for wanted, size in ((self._kind, width * length), (np.uint8, length), (kind, length)):
            raw = self._file.read(size * np.dtype(wanted).itemsize)
            if len(raw) < size * np.dtype(wanted).itemsize:
                raise DataError("The private copy of the records is damaged. Read them again.")
            read.append(np.frombuffer(raw, dtype=wanted))
        codes, labels, weights = read
        # not unsigned ones of 64 bits: their products with integers are floats
        return Entries(codes.reshape(width, length), labels, weights.astype(np.int64))


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
        self._layout = _Layout(held.n_codes, len(held.by_label))
        self._kept: list[Ints] = []  # words, and in the last row the counts
        self._size = 0

    def add(
        self,
        codes: Sequence[npt.NDArray[Any]] | npt.NDArray[Any],
        labels: npt.NDArray[Any],
        counts: Ints | None = None,
    ) -> None:
        """Add rows: their codes column by column, and how often each is there (once)."""
        self._kept.append(self._layout.packed(codes, labels, 1 if counts is None else counts))
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
        self._held.add(self._layout.entries(merged))

    def _merge(self) -> None:
        """Add up equal rows."""
        import pyarrow as pa  # noqa: PLC0415 - loaded when something is read

        rows = np.concatenate(self._kept, axis=1)
        keys = [f"w{i}" for i in range(len(rows) - 1)]
        table = pa.table(dict(zip([*keys, "n"], rows, strict=True)))
        merged = table.group_by(keys, use_threads=False).aggregate([("n", "sum")])
        columns = [merged[name].to_numpy() for name in [*keys, "n_sum"]]
        self._kept, self._size = [np.stack(columns)], merged.num_rows


class _Layout:
    """Rows as words of 64 bits that are ordered as the codes, and then the labels, are.

    Parameters
    ----------
    n_codes : sequence of int
    labels : int

    Examples
    --------
    >>> layout = _Layout([4, 3], 2)
    >>> layout.packed(np.array([[2, 3], [1, 2]]), np.array([0, 1]), 5).tolist()
    [[14, 23], [5, 5]]
    """

    def __init__(self, n_codes: Sequence[int], labels: int) -> None:
        self._spans: list[tuple[int, ...]] = [()]  # of the columns and the label, for each word
        for span in (*n_codes, labels):
            if math.prod(self._spans[-1]) * span >= SMALL:
                self._spans.append(())
            self._spans[-1] += (span,)

    def packed(
        self,
        codes: Sequence[npt.NDArray[Any]] | npt.NDArray[Any],
        labels: npt.NDArray[Any],
        counts: Ints | int,
    ) -> Ints:
        """Return the words of rows, and in the last row their counts."""
        columns = iter([*codes, labels])
        out = np.zeros((len(self._spans) + 1, len(labels)), dtype=np.int64)
        for word, spans in enumerate(self._spans):
            for span in spans:
                out[word] *= span
                out[word] += next(columns)
        out[-1] = counts
        return out

    def entries(self, rows: Ints) -> Entries:
        """Return what was packed."""
        columns: list[Ints] = []
        for word, spans in zip(rows, self._spans, strict=False):
            own: list[Ints] = []
            for span in reversed(spans):
                word, code = np.divmod(word, span)  # noqa: PLW2901 - the word that is left
                own.insert(0, code)
            columns += own
        return Entries(np.array(columns[:-1]), columns[-1], rows[-1])


def in_order(held: HeldRows, most: int = _MOST, block: int = _PART) -> HeldRows:
    """Return the rows in the order of their codes, then of their labels, each there once.

    Parameters
    ----------
    held : HeldRows
        It stays as it is.
    most : int
        Entries that are sorted in memory.
    block : int
        Entries of each sorted run that are in memory while runs are merged, if they are few.

    Returns
    -------
    HeldRows
        In a private file of its own.

    Notes
    -----
    Cost: each entry is written twice, and sorted twice. Memory for about three times ``most``.

    Examples
    --------
    >>> held = HeldRows([4])
    >>> for codes in ([3, 2], [2, 3]):
    ...     held.add(Entries(np.array([codes]), np.array([0, 1]), np.array([1, 5])))
    >>> [(p.codes.tolist(), p.labels.tolist(), p.weights.tolist()) for p in in_order(held).parts()]
    [([[2, 2, 3, 3]], [0, 1, 0, 1], [1, 5, 1, 5])]
    """
    layout = _Layout(held.n_codes, len(held.by_label))
    sorted_runs, runs = HeldRows(held.n_codes, len(held.by_label)), []
    waiting: list[Ints] = []

    def write() -> None:
        first = len(sorted_runs.lengths)
        rows = _summed(np.concatenate(waiting, axis=1))
        share = max(1, min(block, most // (2 + sum(held.lengths) // most)))
        for start in range(0, rows.shape[1], share):
            sorted_runs.add(layout.entries(rows[:, start : start + share]))
        runs.append(range(first, len(sorted_runs.lengths)))
        waiting.clear()

    for part in held.parts():
        waiting.append(layout.packed(part.codes, part.labels, part.weights))
        if sum(rows.shape[1] for rows in waiting) >= most:
            write()
    if waiting:
        write()
    found = HeldRows(held.n_codes, len(held.by_label))
    blocks = [(layout.packed(*part) for part in map(sorted_runs.part, numbers)) for numbers in runs]
    size = 0
    for rows in _merged(blocks):
        waiting.append(rows)
        size += rows.shape[1]
        if size >= _PART:
            found.add(layout.entries(np.concatenate(waiting, axis=1)))
            waiting.clear()
            size = 0
    if waiting:
        found.add(layout.entries(np.concatenate(waiting, axis=1)))
    return found


def _merged(runs: Sequence[Iterator[Ints]]) -> Iterator[Ints]:
    """Yield the rows of sorted runs in order; in a run every row is there once."""
    heads = [next(run, None) for run in runs]
    while True:
        there = [i for i, head in enumerate(heads) if head is not None]
        if not there:
            return
        # what a run has not shown yet is larger than the last row that it has shown
        bound = min(tuple(heads[i][:-1, -1].tolist()) for i in there)  # type: ignore[index]
        taken = []
        for i in there:
            head: Any = heads[i]
            end = _upto(head, bound)
            taken.append(head[:, :end])
            heads[i] = head[:, end:] if end < head.shape[1] else next(runs[i], None)
        yield _summed(np.concatenate(taken, axis=1))


def _upto(rows: Ints, bound: tuple[int, ...]) -> int:
    """Return how many sorted rows are at most as large as a bound."""
    start, end = 0, rows.shape[1]
    for word, value in zip(rows, bound, strict=False):
        piece = word[start:end]
        end = start + int(np.searchsorted(piece, value, side="right"))
        start += int(np.searchsorted(piece, value, side="left"))
    return int(end)


def _summed(rows: Ints) -> Ints:
    """Sort rows, and add up equal ones."""
    keys = rows[:-1]
    order = np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])
    rows = rows[:, order]
    new = np.ones(rows.shape[1], dtype=bool)
    new[1:] = (rows[:-1, 1:] != rows[:-1, :-1]).any(axis=0)
    at = np.flatnonzero(new)
    out = rows[:, at]
    out[-1] = np.add.reduceat(rows[-1], at)
    return out
