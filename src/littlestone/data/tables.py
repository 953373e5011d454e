"""Any table as one thing: columns by name, and a lazy narwhals frame of those that are asked for.

Four kinds of table, all read by `read_table`: CSV files (parsed by `littlestone.data.lines`) and
Parquet files (`littlestone.data.containers`) are streams into a private DuckDB (which reads Parquet
columns of whole numbers itself); frames in memory
(pandas, polars, pyarrow, NumPy structured arrays, dictionaries of columns) become Arrow columns
that it scans in place; lazy tables (DuckDB relations, polars lazy frames, Spark data frames,
classic and Connect, tables of Ibis) stay in their own engine
(`littlestone.data.containers`); URLs name tables of databases (`littlestone.data.containers`).
Whatever it is, `Table.frame` renames the asked columns ``c0, c1, ...`` by position, so names with
dots, spaces or capitals mean nothing to any engine.
"""

from __future__ import annotations

import difflib
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from narwhals.exceptions import DuplicateError

from littlestone.data.cells import (
    CSV,
    PARQUET,
    CsvFormat,
    conversion,
    durations,
    format_of,
    text,
)
from littlestone.data.containers import (
    Frame,
    ParquetColumns,
    ParquetParts,
    Rows,
    bytewise,
    check_engine,
    connect,
    only_plain,
    portable,
    portable_type,
    run_engine,
    spool,
)
from littlestone.data.domains import TWICE, called, check_same, require_columns
from littlestone.data.lines import CsvColumns, header, numbered
from littlestone.errors import DataError, ParameterError, parameter_error, suggest

_UNREADABLE = (
    "The table cannot be read. Its engine's own message is not shown, because such messages quote "
    "rows; run the engine on the table directly to see it."
)
_FORMS = (
    "a path (.csv, .tsv, .csv.gz, .tsv.gz, .parquet, or a folder of such files), a "
    "pandas, polars or pyarrow table, a NumPy structured array, a dictionary of columns, a DuckDB "
    "relation, a Spark data frame, a table of Ibis, or the URL of a table in DuckDB or "
    "PostgreSQL"
)
_NESTED = (nw.List, nw.Array, nw.Struct)
#: Types that Arrow, or the grouping of some engine, does not carry safely: read as texts.
_AS_TEXT = (
    *(nw.Unknown, nw.Time, nw.Duration),
    *(nw.Enum, nw.Categorical, nw.Object),
    *(nw.Int128, nw.UInt128),
)
_TIMED = (nw.Time, nw.Duration)
#: Types of Parquet columns without odd values, and what DuckDB calls them.
PLAIN_TYPES = {
    pa.bool_(): "BOOLEAN",
    pa.int8(): "TINYINT",
    pa.int16(): "SMALLINT",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.uint8(): "UTINYINT",
    pa.uint16(): "USMALLINT",
    pa.uint32(): "UINTEGER",
    pa.uint64(): "UBIGINT",
}
_ROWS = 1 << 17  # of a batch


@dataclass(frozen=True)
class Stream:
    """Columns of a table in batches, of public types."""

    kinds: Sequence[pa.DataType]
    batches: Callable[[], Iterator[pa.RecordBatch]]


class Table(ABC):
    """A table that has not been read yet.

    Attributes
    ----------
    names : tuple of str
        Names of its columns (public).
    declared : bool
        Whether the types of its columns were declared, in a file or a database, so that they count
        as public. A type in memory may have been inferred from the records: one odd cell, or a
        missing one, and pandas, polars, Arrow or DuckDB infer another.
    """

    names: tuple[str, ...]
    declared = False
    #: Names that the first line of a CSV file has more than once.
    twice: frozenset[str] = frozenset()

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def frame(self, columns: Sequence[str], caller: str, *, numbers: Collection[str] = ()) -> Frame:
        """Return these columns, renamed c0, c1, ...; nothing is read before ``collect``.

        Parameters
        ----------
        columns : sequence of str
        caller : str
            Who asks, for messages.
        numbers : collection of str
            Columns whose cells are read as numbers: with the decimal sign that a CSV file declares.

        Raises
        ------
        ParameterError
            A column that the table does not have.
        DataError
            A column of lists or structures: it has no cells.
        """
        own, numeric = self._called(columns, caller), self._called(numbers, caller)
        frame = run_engine(lambda: self._frame(own, numeric), _UNREADABLE)
        schema = run_engine(frame.collect_schema, _UNREADABLE)
        for name, (renamed, dtype) in zip(columns, schema.items(), strict=True):
            if isinstance(dtype, _NESTED):
                raise DataError(
                    f"The column {name!r} given to {caller} holds lists or structures, not cells. "
                    "Unnest it first."
                )
            if isinstance(dtype, nw.Duration):
                raise DataError(durations(name, caller))
            if isinstance(dtype, nw.Float32):  # the double of its shortest text
                shortest = nw.col(renamed).cast(nw.String).cast(nw.Float64)
                frame = frame.with_columns(shortest)
            elif isinstance(dtype, _AS_TEXT):
                frame = frame.with_columns(nw.col(renamed).cast(nw.String))
        return frame

    def batches(
        self, columns: Sequence[str], caller: str, *, numbers: Collection[str] = ()
    ) -> Stream | None:
        """Return these columns in batches of rows in their order; None where an engine has none.

        Raises
        ------
        ParameterError
            A column that the table does not have.
        """
        own, numeric = self._called(columns, caller), self._called(numbers, caller)
        return run_engine(lambda: self._batches(own, numeric), _UNREADABLE)

    def rows(self) -> int | None:
        """Return the number of rows (public), or None where only a reading tells."""
        return None

    def groups(self, reading: Any) -> Any:
        """Return the groups of a `Reading` where they are known: of rows drawn from a table."""
        return None

    def pieces(
        self, columns: Sequence[str], caller: str, *, numbers: Collection[str] = ()
    ) -> Iterator[pa.Table]:
        """Yield the rows in their order, a piece after the other; columns are named as in `frame`.

        Tables that stay in an engine which hands out no pieces (polars, Spark) are one.

        Raises
        ------
        ParameterError, DataError
            As for `frame`, before the first piece.
        """
        frame = self.frame(columns, caller, numbers=numbers)
        stream = self.batches(columns, caller, numbers=numbers)
        if stream is None:
            self._in_order(caller)
            whole: Any = run_engine(lambda: frame.collect("pyarrow").to_native(), _UNREADABLE)
            yield whole
            return
        names = [f"c{j}" for j in range(len(columns))]
        batches = run_engine(stream.batches, _UNREADABLE)
        while (batch := run_engine(lambda: next(batches, None), _UNREADABLE)) is not None:
            yield pa.Table.from_arrays(batch.columns, names)

    def _called(self, columns: Iterable[str], caller: str) -> list[str]:
        """Return what this table calls columns; refuse those that it does not have."""
        asked = list(columns)
        require_columns(asked, self.names, caller, self._hint)
        return [called(name, self.names) for name in asked]

    def once(self, name: str, caller: str) -> None:
        """Refuse a label or target that two columns are called: one would predict the other."""
        if name in self.twice:
            raise ParameterError(
                f"The first line of the table given to {caller} names the column {name!r} twice, "
                "so the target would also be a predictor. Rename or delete one of the two."
            )

    def _hint(self, lacking: Sequence[str], asked: Sequence[str]) -> str:
        """Say which columns there are: their names are public."""
        return suggest(lacking[0], self.names)

    def _batches(self, columns: list[str], numbers: Collection[str]) -> Stream | None:
        return None

    def split(
        self, first: npt.NDArray[np.bool_], columns: Sequence[str], caller: str
    ) -> tuple[Table, Table]:
        """Return the rows where ``first`` is true, and the others; of these columns.

        Rows are numbered in their order; what an engine may order in another way when it is read
        again is read into memory, once.
        """
        return _Part(self, first), _Part(self, ~first)

    def _in_order(self, caller: str) -> None:  # noqa: B027 - only databases have no order
        """Refuse a table whose rows have no order."""

    @abstractmethod
    def _frame(self, columns: list[str], numbers: Collection[str]) -> Frame: ...

    def _scan(self, source: Any) -> Frame:
        """Let the private DuckDB scan something that speaks Arrow."""
        self._connection = connect()  # kept: it owns the reference to the source
        self._connection.register("source", source)
        frame: Frame = nw.from_native(self._connection.table("source"))
        return frame

    def check(self) -> None:  # noqa: B027 - only CSV files have something to check
        """After a strict reading: refuse what the reading itself found (ragged lines)."""


def read_table(
    table: Any,
    *,
    csv: CsvFormat | str | Mapping[str, Any] | None = None,
    declared: CsvFormat | None = None,
    caller: str = "read_table",
) -> Table:
    """Return any table as a `Table`, for `Sample.read` and the command line.

    Parameters
    ----------
    table : path, data frame, relation, or Table
        See `Sample.read`. A path may have wildcards (``part-*.parquet``), or be a folder: then all
        its files are parts of one table.
    csv : CsvFormat, str or mapping, optional
        How a CSV file is written: ``"sep=;, decimal=comma, encoding=latin-1"``. A file with any
        other ending is then read as CSV, too.
    declared : CsvFormat, optional
        The same, as a schema says it: for CSV files only, and only without ``csv``.
    caller : str
        Who asks, for messages.

    Raises
    ------
    ParameterError
        If there is no such file, it is nothing of these, or ``csv`` is no format.

    Examples
    --------
    >>> import pyarrow as pa
    >>> read_table(pa.table({"age": [44], "ill": [0]})).names
    ('age', 'ill')
    """
    form = None if csv is None else CsvFormat.parse(csv, caller)
    if isinstance(table, str | Path):
        return _named(table, form, declared or CsvFormat(), caller)
    if isinstance(table, Table):  # opened already, with its format
        return table
    if form is not None:
        hint = "It is the format of a CSV file: leave it out."
        raise parameter_error(caller, "csv", "given with a path", type(table).__name__, hint)
    if isinstance(table, np.ndarray) and table.dtype.names:
        return _Columns({name: table[name] for name in table.dtype.names})
    if isinstance(table, Mapping):
        return _Columns(dict(table))
    try:
        frame = nw.from_native(table)
    except TypeError:
        raise parameter_error(caller, "table", _FORMS, type(table).__name__) from None
    except DuplicateError:
        raise ParameterError(TWICE) from None
    if isinstance(frame, nw.LazyFrame):
        return _Lazy(frame, caller)
    return _Columns({name: frame.get_column(name) for name in frame.columns})


def _named(name: str | Path, csv: CsvFormat | None, declared: CsvFormat, caller: str) -> Table:
    if isinstance(name, str) and "://" in name:
        from littlestone.data.containers import open_url  # noqa: PLC0415 - they are rare

        if csv is not None:
            hint = "It is the format of a CSV file: leave it out."  # a URL may hold a password
            raise parameter_error(caller, "csv", "given with a CSV file", "a database", hint)
        return _Lazy(open_url(name, caller), caller, declared=True)
    return _file(spooled(str(name), caller), csv, declared, caller)


def spooled(name: str, caller: str) -> Path:
    """Return a path, or the file that holds what came through a pipe: tables are read again."""
    path = Path("/dev/stdin" if name == "-" else name)
    standard = path == Path("/dev/stdin")
    if not (standard or path.is_fifo()):
        return path
    if standard and sys.stdin is not None and sys.stdin.isatty():
        hint = "Nothing is typed here: littlestone ... - < people.csv"
        raise parameter_error(caller, "table", "a file, or a pipe", name, hint)
    if path not in _pipes:
        _pipes[path] = run_engine(lambda: spool(path), f"The pipe {name!r} cannot be read.")
    return _pipes[path]


#: What came through pipes in this process: they give their content once.
_pipes: dict[Path, Path] = {}


def _file(path: Path, csv: CsvFormat | None, declared: CsvFormat, caller: str) -> Table:
    parts = files_of(path, caller)
    kinds = {format_of(part) for part in parts}
    if len(kinds) > 1 and not (csv is not None and kinds.isdisjoint(PARQUET)):
        constraint = "a folder of files with the same ending"
        raise parameter_error(caller, "table", constraint, str(path), "Select them with wildcards.")
    kind = next(iter(kinds))
    if kind in PARQUET:
        if csv is None:
            return _Parquet(path, parts)
        hint = "It is the format of a CSV file: leave it out."
        raise parameter_error(caller, "csv", "given with a CSV file", str(path), hint)
    command = conversion(path)
    if command is not None:
        raise parameter_error(caller, "table", _FORMS, str(path), f"Convert it first: {command}")
    if kind in CSV or csv is not None:
        return _Csv(path, parts, csv or declared, "\t" if kind == ".tsv" else ",")
    hint = 'If it is a CSV file with another ending, declare its format: csv="sep=;".'
    raise parameter_error(caller, "table", _FORMS, str(path), hint)


def files_of(path: Path, caller: str) -> list[Path]:
    """Return the files of a path, in the order of their names."""
    if os.path.isfile(path):
        return [path]
    if os.path.isdir(path):
        found = sorted(
            Path(entry.path)
            for entry in os.scandir(path)
            if entry.is_file() and not entry.name.startswith((".", "_"))
        )
        if found:
            return found
        raise parameter_error(caller, "table", "a folder that holds files", str(path))
    wild = any(letter in str(path) for letter in "*?[")
    matching = sorted(glob(str(path), recursive=True)) if wild else []
    if not matching:
        hint = "The URL of a database begins as in postgresql://." if ":/" in str(path) else ""
        raise parameter_error(caller, "table", "a file that exists", str(path), hint)
    return [Path(part) for part in matching]


class _Csv(Table):
    """CSV files with equal first lines; one reading at a time."""

    def __init__(self, path: Path, parts: list[Path], form: CsvFormat, separator: str) -> None:
        self._parts = parts
        self._form = replace(form, separator=form.separator or separator)
        self._stream: CsvColumns | None = None
        message = f"The file {str(path)!r} cannot be read as CSV: no line with column names."
        names = run_engine(lambda: [header(part, self._form) for part in parts], message)
        if any(other != names[0] for other in names):
            raise DataError(
                f"The parts {str(path)!r} must have equal first lines, with the names of the "
                "columns. Rewrite the parts that differ."
            )
        super().__init__(numbered(names[0]))
        self.twice = frozenset(name for name in names[0] if names[0].count(name) > 1)

    def _frame(self, columns: list[str], numbers: Collection[str]) -> Frame:
        return self._scan(self._read(columns, numbers))

    def _batches(self, columns: list[str], numbers: Collection[str]) -> Stream:
        read = self._read(columns, numbers)
        return Stream(read.schema.types, read.batches)

    def _read(self, columns: list[str], numbers: Collection[str]) -> CsvColumns:
        positions = [self.names.index(name) for name in columns]
        known = {self.names.index(name) for name in columns if name in numbers}
        self._stream = CsvColumns(self._parts, self._form, len(self.names), positions, known)
        return self._stream

    def _hint(self, lacking: Sequence[str], asked: Sequence[str]) -> str:
        """Repeat nothing of the file: a first line that holds no names is a record."""
        if self._form.header_is_public:
            near = {name: difflib.get_close_matches(name, self.names, n=1) for name in lacking}
            guesses = "".join(f" Did you mean {n[0]!r} for {k!r}?" for k, n in near.items() if n)
            return f"{guesses} Its first line: {', '.join(map(repr, self.names))}."
        found = [name for name in asked if name in self.names]
        close = difflib.get_close_matches(lacking[0], found, n=1)
        guess = f" Did you mean {close[0]!r}?" if close else ""
        return (
            f"{guess} The first line of a CSV file must hold the names, with the declared "
            'separator (csv="sep=;" if it is not a comma). It is not shown, because without '
            'names it would be a record; csv="header=public" shows it.'
        )

    def check(self) -> None:
        if self._stream is not None and self._stream.ragged:
            raise DataError(
                "Every line of the CSV file must have as many cells as the first line has names, "
                "and an even number of quotes. Some line does not, and strict=True refuses it."
            )


class _Parquet(Table):
    """One Parquet file, or parts with equal columns."""

    declared = True

    def __init__(self, path: Path, parts: list[Path]) -> None:
        message = (
            f"The file {str(path)!r} cannot be read as Parquet: it is damaged, or not Parquet (the "
            "name of a CSV file ends in .csv)."
        )
        self._parts = run_engine(lambda: ParquetParts(parts), message)
        if not self._parts.alike:
            raise DataError(
                f"The parts {str(path)!r} must have equal columns: the same names and types in the "
                "same order. Rewrite the parts that differ."
            )
        names = [name for name, _ in self._parts.fields]
        if len(set(names)) < len(names):
            raise ParameterError(TWICE)
        super().__init__(names)

    def _frame(self, columns: list[str], numbers: Collection[str]) -> Frame:
        native = self._native(columns)
        return self._scan(self._read(columns)) if native is None else native

    def _native(self, columns: list[str]) -> Frame | None:
        """Let DuckDB read the files itself, where their columns are plain numbers without odd ones.

        Its names ignore case, and it takes wildcards in paths for such: then Arrow reads.
        """
        kinds = dict(self._parts.fields)
        if any(kinds[name] not in PLAIN_TYPES for name in columns):
            return None
        paths = [os.path.abspath(path) for path in self._parts.paths]
        if any(letter in path for path in paths for letter in "*?[]{}"):
            return None
        if len({name.casefold() for name in self.names}) < len(self.names):
            return None
        connection = connect()
        try:
            found = connection.read_parquet(paths, hive_partitioning=False)
            quoted = ['"' + name.replace('"', '""') + '"' for name in columns]
            chosen = found.project(", ".join(f"{name} AS c{j}" for j, name in enumerate(quoted)))
        except duckdb.Error:
            return None
        if [str(kind) for kind in chosen.types] != [PLAIN_TYPES[kinds[name]] for name in columns]:
            return None
        self._connection = connection
        frame: Frame = nw.from_native(chosen)
        return frame

    def _batches(self, columns: list[str], numbers: Collection[str]) -> Stream:
        read = self._read(columns)
        return Stream(read.schema.types, read.batches)

    def rows(self) -> int:
        return int(self._parts.rows)

    def _read(self, columns: list[str]) -> ParquetColumns:
        return ParquetColumns(self._parts, [self.names.index(name) for name in columns])


class _Columns(Table):
    """Columns in memory; only the asked ones become Arrow."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns = {str(name): values for name, values in columns.items()}
        for name, values in self._columns.items():
            if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
                raise ParameterError(
                    f"The column {name!r} of the table is not a list of cells. A dictionary has a "
                    'list for each column, such as {"age": [44, 70]}.'
                )
        if len({len(values) for values in self._columns.values()}) > 1:
            raise DataError(
                "The columns of the table have different numbers of cells. Each record has one "
                "cell in each column: write None for a missing value."
            )
        super().__init__(list(self._columns))

    def _frame(self, columns: list[str], numbers: Collection[str]) -> Frame:
        return self._scan(self._table(columns))

    def _batches(self, columns: list[str], numbers: Collection[str]) -> Stream:
        table = self._table(columns)
        return Stream(table.schema.types, lambda: iter(table.to_batches(max_chunksize=_ROWS)))

    def rows(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def _table(self, columns: list[str]) -> pa.Table:
        arrays = [_arrow(self._columns[name]) for name in columns]
        return pa.table(arrays, names=[f"c{j}" for j in range(len(arrays))])


class _Part(Table):
    """Some rows of a table whose rows have an order."""

    def __init__(self, whole: Table, inside: npt.NDArray[np.bool_]) -> None:
        super().__init__(whole.names)
        self._whole, self._inside = whole, inside
        self.declared, self.twice = whole.declared, whole.twice

    def rows(self) -> int:
        return int(np.count_nonzero(self._inside))

    def check(self) -> None:
        self._whole.check()

    def _hint(self, lacking: Sequence[str], asked: Sequence[str]) -> str:
        return self._whole._hint(lacking, asked)

    def _frame(self, columns: list[str], numbers: Collection[str]) -> Frame:
        return self._scan(self._read(columns, numbers))

    def _batches(self, columns: list[str], numbers: Collection[str]) -> Stream:
        read = self._read(columns, numbers)
        return Stream(read.schema.types, read.batches)

    def _read(self, columns: list[str], numbers: Collection[str]) -> _Inside:
        stream = self._whole._batches(columns, numbers)
        assert stream is not None
        return _Inside(stream, self._inside)


class _Inside(Rows):
    """Some rows of a stream."""

    def __init__(self, stream: Stream, inside: npt.NDArray[np.bool_]) -> None:
        self._stream, self._inside = stream, inside
        self.schema = pa.schema([(f"c{j}", kind) for j, kind in enumerate(stream.kinds)])

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield them in their order."""
        start = 0
        for batch in self._stream.batches():
            here = pa.record_batch(batch.columns, schema=self.schema)
            yield here.filter(pa.array(self._inside[start : start + len(batch)]))
            start += len(batch)
        check_same([len(self._inside), start])


class _Lazy(Table):
    """A table that stays in its own engine."""

    def __init__(self, frame: Frame, caller: str, *, declared: bool = False) -> None:
        run_engine(lambda: check_engine(frame), _UNREADABLE)
        self._lazy, self._caller, self.declared = frame, caller, declared
        super().__init__(run_engine(lambda: frame.collect_schema().names(), _UNREADABLE))

    def _frame(self, columns: list[str], numbers: Collection[str]) -> Frame:
        native = self._lazy.to_native()
        if self._engine is nw.Implementation.IBIS:
            frame = _select(self._lazy, columns)
            only_plain(frame, columns, self._caller)
            return bytewise(frame)
        if not hasattr(native, "toDF"):
            return _select(self._lazy, columns)
        # Spark resolves names with dots as fields of structures: rename by position first.
        renamed = native.toDF(*(f"p{j}" for j in range(len(self.names))))
        positions = [f"p{self.names.index(name)}" for name in columns]
        return _select(nw.from_native(renamed), positions)

    def split(
        self, first: npt.NDArray[np.bool_], columns: Sequence[str], caller: str
    ) -> tuple[Table, Table]:
        frame = self.frame(columns, caller)
        read: pa.Table = run_engine(lambda: frame.collect("pyarrow").to_native(), _UNREADABLE)
        kept = _Columns(dict(zip(columns, read.columns, strict=True)))
        kept.declared = self.declared
        return kept.split(first, columns, caller)

    @property
    def _engine(self) -> Any:
        return self._lazy.implementation

    def _in_order(self, caller: str) -> None:
        if self._engine is nw.Implementation.IBIS:
            raise ParameterError(
                f"The rows of the table given to {caller} have no order in their database. Collect "
                "them first, in the order that the predictions should have."
            )

    def rows(self) -> int:
        """Return the number of rows, as the engine counts them (public)."""
        counted: Any = self._lazy.select(nw.len()).collect("pyarrow").to_native()
        return int(counted.column(0)[0].as_py())

    def _batches(self, columns: list[str], numbers: Collection[str]) -> Stream | None:
        if self._engine is not nw.Implementation.DUCKDB:
            return None
        native: Any = _select(self._lazy, columns).to_native()
        kinds = [portable_type(kind) for kind in native.limit(0).to_arrow_table().schema.types]

        def batches() -> Iterator[pa.RecordBatch]:
            for batch in pa.RecordBatchReader.from_stream(native):
                cells = [portable(column) for column in batch.columns]
                yield pa.record_batch(cells, names=batch.schema.names)

        return Stream(kinds, batches)


def _select(frame: Frame, columns: Sequence[str]) -> Frame:
    return frame.select(*(nw.col(name).alias(f"c{j}") for j, name in enumerate(columns)))


def _arrow(values: Any) -> pa.Array:
    """Return one column in memory as Arrow.

    A column of Python objects has no type of its own. Guessing one would look at many cells at once
    (narwhals looks at the first hundred), and a hash table would let 1 and True and 1.0 become
    whichever comes first: so each cell is written as its text, alone.
    """
    if isinstance(values, nw.Series):
        native = values.to_native()
        of_texts = not isinstance(values.dtype, _TIMED) and isinstance(values.dtype, _AS_TEXT)
        if isinstance(native, pa.ChunkedArray):
            return portable(native)
        if str(native.dtype) == "object" or of_texts:
            return _texts(values.to_list())
        return portable(values.to_arrow())
    if isinstance(values, np.ndarray) and values.dtype.kind in "biufm":
        refused = values.dtype.kind == "m"  # by its type
        values = pa.nulls(len(values), pa.duration("s")) if refused else pa.array(values)
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return portable(values)
    return _texts(values)


def _texts(cells: Sequence[object]) -> pa.Array:
    return pa.array([text(cell) for cell in cells], pa.large_string())
