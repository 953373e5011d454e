"""CSV files, read totally: one line is one record, whatever it holds.

Every CSV parser has rows that stop it, or (worse) an unclosed quote that swallows the records
after it: then one person's cell changes what is read of others. Here a *line* is a record, always:

* A line ends at a line feed (a carriage return before it is not part of it). The first line names
  the columns. An empty line is a record whose cells are all missing; only the end of the file is
  not one.
* Cells are separated by the separator. In a line with an even number of quotes (``"``), a
  separator inside quotes is not one; a cell that begins and ends with a quote (blanks around it do
  not count) is what is between them, with ``""`` read as one quote. In a line with an odd number
  of quotes, quotes are ordinary characters.
* A line with too few cells is filled up with missing cells; cells beyond the named columns do not
  count. Bytes that are not UTF-8 become the replacement character.

Separator, quote, decimal sign and encoding are declared (`CsvFormat`). Text in another encoding is
written as UTF-8 before anything else; a line feed is one unit in each of them, so lines stay apart.
A quoted cell cannot hold a line break, unless the file is declared well formed: then a record goes
on until its quotes are closed.

The parser works on blocks of bytes with NumPy and feeds DuckDB through Arrow; only the asked
columns are built.
"""

from __future__ import annotations

import codecs
import gzip
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from littlestone.data.cells import WHITE, CsvFormat
from littlestone.errors import DataError

_BLOCK = 1 << 23  # bytes that are parsed at a time; a longer line makes its block longer
_NEWLINE, _RETURN = 10, 13
_BLANKS = np.frombuffer(WHITE.encode(), dtype=np.uint8)
_MARKS = (codecs.BOM_UTF16_BE, codecs.BOM_UTF16_LE)
_SPACE = r"[ \t\n\r\v\f]*"
_TAIL = rf"([eE][+-]?[0-9]+)?{_SPACE}"
#: A number with a decimal sign: digits before it, or after it only. It may be a limit, with a unit.
_LIMIT, _UNIT = rf"{_SPACE}(?:[<>]=?|[≤≥])?{_SPACE}[+-]?", rf"{_TAIL}([^0-9.,][^.,]*)?"
_SIGNED = rf"\A({_LIMIT}[0-9]+)%([0-9]*{_UNIT})\z|\A({_LIMIT})%([0-9]+{_UNIT})\z"
_COMMA, _POINT = _SIGNED.replace("%", ","), _SIGNED.replace("%", r"\.")

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


class CsvColumns:
    """Some columns of CSV files."""

    def __init__(
        self,
        paths: Sequence[Path],
        form: CsvFormat,
        width: int,
        columns: Sequence[int],
        numbers: Collection[int] = (),
    ) -> None:
        self._paths, self._form, self._width = paths, form, width
        self._columns, self._numbers = columns, numbers
        self.schema = pa.schema([(f"c{j}", pa.large_string()) for j in range(len(columns))])
        self.ragged = False

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the lines after the first of each part, in order."""
        for path in self._paths:
            first = True
            for block in _blocks(path, self._form):
                lines = _split(block, self._form, self._width)
                if first:
                    lines, first = _without_first(lines), False
                self.ragged |= lines.ragged
                arrays = _asked(lines, self._form, self._columns, self._numbers)
                yield pa.record_batch(arrays, schema=self.schema)


_OTHERS = (
    (b"\x1f\x8b", "compressed by gzip", "Give it a name that ends in .csv.gz."),
    (b"PK\x03\x04", "a zip archive or a workbook", "Unpack it, or save the sheet as CSV."),
    (b"PAR1", "a Parquet file", "Give it a name that ends in .parquet."),
)


def header(path: Path, form: CsvFormat) -> list[str]:
    """Return the names of the columns, from the first line."""
    what = f"The CSV file {str(path)!r}"
    with path.open("rb") as file:
        start = file.read(4)
    for magic, kind, hint in _OTHERS:
        if start.startswith(magic) and path.suffix != ".gz":
            raise DataError(f"{what} is {kind}, in spite of its name. {hint}")
    if not form.quoted_line_breaks and form.encoding == "utf-8":
        with _open(path) as file:
            return names_in(file.readline(), form, what)
    block = next(_blocks(path, form), None)
    if block is None:
        return names_in(b"", form, what)
    lines = _split(block, form, None)
    return names_in(block[: lines.ends[0]].tobytes(), form, what)


def names_in(line: bytes, form: CsvFormat, what: str) -> list[str]:
    """Return the names of the columns, from a first line.

    Examples
    --------
    >>> names_in(b'age,"ill, or not",age', CsvFormat(), "The file")
    ['age', 'ill, or not', 'age']
    """
    line = line.removeprefix(b"\xef\xbb\xbf")  # a byte order mark is no name
    if not line.strip():
        raise DataError(f"{what} has no first line with column names.")
    if re.search(rb"\r(?!\n)", line.rstrip(b"\r\n")):
        raise DataError(
            f"{what} has lines that end with carriage returns only, as on old Macs, or a carriage "
            "return in its first line. Write line feeds: tr '\\r' '\\n' < OLD.csv > NEW.csv"
        )
    if re.match(rb'"?sep=.?"?\s*\Z', line):
        raise DataError(
            f"{what} begins with a line sep= for Excel, where the names of the columns should be. "
            'Delete that line, and declare the separator instead: csv="sep=;" (--csv).'
        )
    block = np.frombuffer(line.rstrip(b"\r\n") + b"\n", dtype=np.uint8)
    lines = _split(block, form, None)
    width = int(lines.n_cells[0])
    return [_cells(lines, j, form)[0].as_py().strip(WHITE) for j in range(width)]


def numbered(names: Sequence[str]) -> list[str]:
    """Return names of which one that occurs again has a number, as in pandas and R.

    Examples
    --------
    >>> numbered(["age", "ill", "age"])
    ['age', 'ill', 'age.1']
    """
    made, known, times = list(names), set(names), Counter[str]()
    for j, name in enumerate(names):
        times[name] += 1
        if times[name] > 1:
            last = times[name] - 1
            made[j] = next(f"{name}.{k}" for k in count(last) if f"{name}.{k}" not in known)
            known.add(made[j])
    return made


def columns_in(
    block: bytes,
    form: CsvFormat,
    width: int,
    columns: Sequence[int],
    numbers: Collection[int] = (),
) -> tuple[list[pa.Array], bool]:
    r"""Return some columns of whole lines, and whether some line is ragged.

    Examples
    --------
    >>> cells, ragged = columns_in(b"7,1\n8\n", CsvFormat(), 2, [1])
    >>> cells[0].to_pylist(), ragged
    (['1', ''], True)
    """
    lines = _split(np.frombuffer(block, dtype=np.uint8), form, width)
    return _asked(lines, form, columns, numbers), lines.ragged


def to_utf8(encoding: str) -> Callable[[bytes, bool], bytes]:
    r"""Return what writes the next bytes of a file as UTF-8, given which are the last ones.

    Examples
    --------
    >>> write = to_utf8("utf-16")
    >>> write("é1".encode("utf-16")[:3], False) + write("é1".encode("utf-16")[3:], True)
    b'\xc3\xa91'
    """
    if encoding == "utf-8":
        return lambda block, last: block
    decode: list[codecs.IncrementalDecoder] = []
    start = b""

    def write(block: bytes, last: bool) -> bytes:
        nonlocal start
        if not decode:
            name = encoding
            start += block
            if encoding == "utf-16":  # without a mark as Windows writes it, whatever reads it
                if len(start) < 2 and not last:
                    return b""
                name = "utf-16-be" if start.startswith(codecs.BOM_UTF16_BE) else "utf-16-le"
                start = start[2:] if start.startswith(_MARKS) else start
            decode.append(codecs.getincrementaldecoder(name)("replace"))
            block = start
        return decode[0].decode(block, last).encode()

    return write


class _Lines(NamedTuple):
    """Where the lines of a block lie, and the separators in them."""

    data: Bytes
    starts: Ints
    ends: Ints
    separators: Ints
    first: Ints  # position among the separators of each line's first one
    n_cells: Ints
    quoted: npt.NDArray[np.bool_] | None  # lines whose quotes mean something; None: no quotes
    ragged: bool


def _split(data: Bytes, form: CsvFormat, width: int | None) -> _Lines:
    """Find the lines and the separators of a block that ends with a newline."""
    newlines = np.flatnonzero(data == _NEWLINE)
    quotes = _quotes(data, form)
    if form.quoted_line_breaks and len(quotes):
        closed = np.searchsorted(quotes, newlines) % 2 == 0
        closed[-1] = True  # where the file ends
        newlines = newlines[closed]
    starts = np.concatenate([np.zeros(1, np.int64), newlines[:-1] + 1])
    ends = newlines - ((data[newlines - 1] == _RETURN) & (newlines > starts))
    separators = np.flatnonzero(data == ord(form.separator or ","))
    quoted, odd = None, False
    if len(quotes):
        before_line = np.searchsorted(quotes, starts)
        quoted = np.diff(np.append(before_line, len(quotes))) % 2 == 0
        odd = not bool(quoted.all())
        line = np.searchsorted(newlines, separators)
        inside = (np.searchsorted(quotes, separators) - before_line[line]) % 2 == 1
        separators = separators[~(inside & quoted[line])]
    if width is not None and _regular(separators, starts, ends, width):
        first = np.arange(len(starts), dtype=np.int64) * (width - 1)
        n_cells = np.full(len(starts), width, dtype=np.int64)
    else:
        first = np.searchsorted(separators, starts).astype(np.int64)
        n_cells = np.diff(np.append(first, len(separators))) + 1
    ragged = odd or (width is not None and not bool((n_cells == width).all()))
    return _Lines(data, starts, ends, separators, first, n_cells, quoted, ragged)


def _quotes(data: Bytes, form: CsvFormat) -> Ints:
    if form.quote is None:
        return np.zeros(0, np.int64)
    return np.flatnonzero(data == ord(form.quote)).astype(np.int64, copy=False)


def _regular(separators: Ints, starts: Ints, ends: Ints, width: int) -> bool:
    """Return whether every line has exactly its width - 1 separators (nearly always so)."""
    if len(separators) != len(starts) * (width - 1):
        return False
    if width == 1:
        return True
    table = separators.reshape(len(starts), width - 1)
    return bool((table[:, 0] >= starts).all() and (table[:, -1] <= ends).all())


def _without_first(lines: _Lines) -> _Lines:
    """Leave out the line with the names."""
    return lines._replace(
        starts=lines.starts[1:],
        ends=lines.ends[1:],
        first=lines.first[1:],
        n_cells=lines.n_cells[1:],
        quoted=None if lines.quoted is None else lines.quoted[1:],
    )


def _asked(
    lines: _Lines, form: CsvFormat, columns: Sequence[int], numbers: Collection[int]
) -> list[pa.Array]:
    """Return the asked cells of every line; numbers with a decimal point."""
    arrays = [_cells(lines, j, form) for j in columns]
    if form.decimal == "comma":
        for place, j in enumerate(columns):
            if j in numbers:
                arrays[place] = _with_points(arrays[place])
    return arrays


def _with_points(cells: pa.Array) -> pa.Array:
    """Return numbers with a decimal comma as numbers, and those with a point as none."""
    no_number = pc.match_substring_regex(cells, _POINT)
    cells = pc.replace_substring_regex(cells, _COMMA, r"\1\5.\2\6")
    if not pc.any(no_number).as_py():
        return cells
    return pc.if_else(no_number, pc.replace_substring(cells, ".", ","), cells)


def _cells(lines: _Lines, j: int, form: CsvFormat) -> pa.Array:
    """Return the j-th cell of every line."""
    left, right = lines.starts, lines.ends
    if len(lines.separators):
        last = len(lines.separators) - 1
        if j > 0:
            at = lines.separators[np.minimum(lines.first + (j - 1), last)] + 1
            left = np.where(j < lines.n_cells, at, right)
        at = lines.separators[np.minimum(lines.first + j, last)]
        right = np.where(j < lines.n_cells - 1, at, right)
    elif j > 0:
        left = right
    if lines.quoted is None or form.quote is None:
        return _texts(lines.data, left, right)
    # A cell inside quotes loses them, and its doubled quotes.
    begin, end = _trimmed(lines.data, left, right)
    wide = lines.quoted & (end - begin >= 2)
    opens = lines.data[np.minimum(begin, len(lines.data) - 1)] == ord(form.quote)
    inner = wide & opens & (lines.data[end - 1] == ord(form.quote))
    left, right = np.where(inner, begin + 1, left), np.where(inner, end - 1, right)
    cells = _texts(lines.data, left, right)
    if not inner.any():
        return cells
    single = pc.replace_substring(cells, 2 * form.quote, form.quote)
    return pc.if_else(pa.array(inner), single, cells)


def _trimmed(data: Bytes, left: Ints, right: Ints) -> tuple[Ints, Ints]:
    """Leave out the blanks around cells, if there are any."""
    edges = data[np.minimum(left, len(data) - 1)], data[np.maximum(right - 1, 0)]
    if not any(np.isin(edge, _BLANKS).any() for edge in edges):
        return left, right
    full = np.append(np.flatnonzero(~np.isin(data, _BLANKS)), len(data))
    left = np.minimum(full[np.searchsorted(full, left)], right)
    last = np.searchsorted(full, right) - 1
    return left, np.maximum(np.where(last < 0, 0, full[last] + 1), left)


def _texts(data: Bytes, left: Ints, right: Ints) -> pa.Array:
    """Return the texts data[left:right] as one Arrow array."""
    sizes = right - left
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    where = np.repeat(left - offsets[:-1], sizes) + np.arange(offsets[-1], dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data[where])]
    cells = pa.Array.from_buffers(pa.large_string(), len(sizes), buffers)
    try:
        cells.validate(full=True)
    except pa.ArrowInvalid:
        raw = cells.view(pa.large_binary()).to_pylist()
        return pa.array([cell.decode("utf-8", "replace") for cell in raw], pa.large_string())
    return cells


def _blocks(path: Path, form: CsvFormat) -> Iterator[Bytes]:
    """Yield the file as UTF-8, in blocks that end with a record."""
    write = to_utf8(form.encoding)
    with _open(path) as file:
        kept: list[bytes] = []
        inside = False  # quotes, where they may hold line breaks
        last = False
        while not last:
            read = file.read(_BLOCK)
            last = not read
            block = write(read, last)
            if form.quoted_line_breaks:
                cut, inside = _last_record(block, form, inside=inside)
            else:
                cut = block.rfind(b"\n") + 1
            if cut:
                yield np.frombuffer(b"".join([*kept, block[:cut]]), dtype=np.uint8)
                kept = []
            kept.append(block[cut:])
        tail = b"".join(kept)
        if tail:
            yield np.frombuffer(tail + b"\n", dtype=np.uint8)


def _last_record(block: bytes, form: CsvFormat, *, inside: bool) -> tuple[int, bool]:
    """Return where the last record of a block ends, and whether the block ends inside quotes."""
    data = np.frombuffer(block, dtype=np.uint8)
    quotes, newlines = _quotes(data, form), np.flatnonzero(data == _NEWLINE)
    ends = newlines[(np.searchsorted(quotes, newlines) + inside) % 2 == 0]
    return int(ends[-1]) + 1 if len(ends) else 0, bool((len(quotes) + inside) % 2)


def _open(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb"))
