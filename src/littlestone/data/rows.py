"""Rows that arrive one after the other: CSV from a pipe or a growing file, in groups.

The rules are those of whole files (`littlestone.data.lines`, `littlestone.data.cells`): one line is
one record, each cell is converted alone. Where a group ends depends on when rows arrive and on a
public maximum, never on what they hold.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.data.cells import Match, text, user_name
from littlestone.data.convert import distinct_cells, points_of
from littlestone.data.domains import Domain, IntegerDomain, RowDomain, refusal
from littlestone.data.formats import CsvFormat
from littlestone.data.lines import columns_in, names_in, to_utf8
from littlestone.errors import DataError, ParameterError
from littlestone.types import Points

_CHUNK = 1 << 20  # bytes that are asked for at a time


class Group(NamedTuple):
    """Some rows: points (anything where they lie outside the domain), labels, whose they are."""

    points: Points
    inside: npt.NDArray[np.bool_]
    labels: npt.NDArray[np.int8]
    users: list[str] | None = None


class Begun(NamedTuple):
    """A stream whose line of names has been read, and nothing else."""

    width: int
    columns: list[int]
    lines: Iterator[bytes]


def line_groups(
    read: Callable[[int], bytes], most: int, more: Callable[[], bool], encoding: str = "utf-8"
) -> Iterator[bytes]:
    r"""Yield whole lines as they arrive.

    Examples
    --------
    >>> import io
    >>> list(line_groups(io.BytesIO(b"a\nb\nc\nd").read, 2, lambda: False))
    [b'a\nb\n', b'c\n', b'd\n']
    """
    kept: list[bytes] = []
    write = to_utf8(encoding)
    while True:
        got = read(_CHUNK)
        if not got and more():
            continue
        chunk = write(got, not got)
        if not got:
            if chunk:
                kept.append(chunk)
            if any(kept):
                yield b"".join(kept) + b"\n"
            return
        cut = chunk.rfind(b"\n") + 1
        if cut:
            block = b"".join([*kept, chunk[:cut]])
            kept = []
            yield from _pieces(block, most)
        kept.append(chunk[cut:])


def _pieces(block: bytes, most: int) -> Iterator[bytes]:
    ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")) + 1
    cuts = [0, *ends[most - 1 :: most].tolist()]
    if cuts[-1] < len(block):
        cuts.append(len(block))
    for start, end in pairwise(cuts):
        yield block[start:end]


@dataclass(frozen=True)
class RowReader:
    """The public rules by which rows of CSV become records."""

    domain: Domain
    x: str | None
    y: str
    positive: str = "1"
    negative: str | None = None
    strict: bool = False
    user: str | None = None
    caller: str = "stream"
    what: str = "The standard input"
    form: CsvFormat = field(default_factory=CsvFormat)

    def __post_init__(self) -> None:
        if self.form.quoted_line_breaks:
            raise ParameterError(
                f"Rows that arrive at {self.caller} are lines: quoted-line-breaks is for whole "
                "files, because one unclosed quote would swallow all rows after it."
            )

    def begin(self, lines: Iterator[bytes]) -> Begun:
        """Read the line of names, which is public: what is wrong there is wrong before any row."""
        first = next(lines, b"")
        cut = first.find(b"\n") + 1
        names = names_in(first[:cut], self.form, self.what)
        return Begun(len(names), self._columns(names), _chain(first[cut:], lines))

    def groups(self, begun: Begun, skip: int = 0) -> Iterator[Group]:
        """Yield the rows that come after ``skip`` rows."""
        positive, negative = Match(self.positive), self.negative and Match(self.negative)
        for block in self._after(begun.lines, skip):
            cells, ragged = columns_in(
                block, self.form, begun.width, begun.columns, self._numbers(begun.columns)
            )
            if self.strict and ragged:
                raise DataError(
                    f"Every line given to {self.caller} must have as many cells as the first line "
                    "has names, and an even number of quotes. Some line has not, and strict "
                    "reading refuses it."
                )
            users = None if self.user is None else self._users(cells.pop())
            points, inside = self._points(cells[:-1])
            raw, where = distinct_cells(pa.chunked_array([cells[-1]]))
            if self.strict and not all(_allowed(cell, positive, negative) for cell in raw):
                rule = "the positive or the negative label" if negative else "not missing"
                raise refusal(self.caller, self.y, rule)
            ones = np.fromiter((positive(cell) for cell in raw), np.int8, len(raw))
            yield Group(points, inside, ones[where], users)

    def _after(self, lines: Iterator[bytes], skip: int) -> Iterator[bytes]:
        for block in lines:
            n = block.count(b"\n") if skip else 0
            if skip and n <= skip:
                skip -= n
            elif skip:
                ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")) + 1
                cut, skip = int(ends[skip - 1]), 0
                yield block[cut:]
            else:
                yield block
        if skip:
            raise DataError(
                f"{self.what} has fewer rows than the stream has learned, so it is not the same "
                "stream from its start. Nothing was learned from it."
            )

    def _columns(self, names: Sequence[str]) -> list[int]:
        points = self.domain.schema.names if isinstance(self.domain, RowDomain) else [self.x]
        asked = [*points, self.y, *([] if self.user is None else [self.user])]
        for name in asked:
            if name not in names:
                shown = f" It is: {', '.join(map(repr, names))}."
                raise ParameterError(
                    f"{self.what} given to {self.caller} has no column {name!r}. Its first line "
                    f"must hold the names.{shown if self.form.header_is_public else ''}"
                )
        return [names.index(str(name)) for name in asked]

    def _numbers(self, columns: Sequence[int]) -> set[int]:
        """Return which of the columns are read as numbers."""
        if isinstance(self.domain, RowDomain):
            numeric = [column.of_numbers for column in self.domain.schema]
        else:
            numeric = [isinstance(self.domain, IntegerDomain)]
        numeric.append(Match(self.positive).numeric)
        return {place for place, known in zip(columns, numeric, strict=False) if known}

    def _users(self, cells: pa.Array) -> list[str]:
        """Return names, as JSON: a number, a text, or null where there is none."""
        raw, where = distinct_cells(pa.chunked_array([cells]))
        known = [user_name(cell) for cell in raw]
        if self.strict and None in known:
            raise refusal(self.caller, str(self.user), "not missing")
        names = [json.dumps(name) for name in known]
        return [names[i] for i in where.tolist()]

    def _points(self, cells: Sequence[pa.Array]) -> tuple[Points, npt.NDArray[np.bool_]]:
        if isinstance(self.domain, RowDomain):
            schema = self.domain.schema
            codes = np.empty((len(cells[0]), len(schema)), dtype=np.int16)
            for j, column in enumerate(schema):
                raw, where = distinct_cells(pa.chunked_array([cells[j]]))
                code = np.fromiter((column.code(cell) for cell in raw), np.int16, len(raw))
                if self.strict and (code == column.OTHER).any():
                    raise refusal(self.caller, column.name, column.rule)
                codes[:, j] = code[where]
            return codes, np.ones(len(codes), dtype=np.bool_)
        points, index = points_of(pa.chunked_array([cells[0]]), self.domain)
        inside = index >= 0
        if self.strict and not inside.all():
            raise refusal(self.caller, str(self.x), self.domain.rule)
        if not len(points):
            return np.zeros(len(index), dtype=np.int64), inside
        return points[np.maximum(index, 0)], inside


def _chain(rest: bytes, lines: Iterator[bytes]) -> Iterator[bytes]:
    if rest:
        yield rest
    yield from lines


def _allowed(cell: object, positive: Match, negative: Match | str | None) -> bool:
    if isinstance(negative, Match):
        return positive(cell) or negative(cell)
    return text(cell) is not None
