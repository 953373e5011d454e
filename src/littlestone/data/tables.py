"""Any table as one thing: columns by name, and a stream of the cells of those that are asked for.

Four kinds of table, all read by `read_table`: CSV files (parsed by `littlestone.data.lines`) and
Parquet files (`littlestone.data.containers`); frames in memory (pandas, polars, pyarrow, NumPy
structured arrays, dictionaries of columns); lazy tables (DuckDB relations, polars lazy frames,
Spark data frames, classic and Connect, tables of Ibis), whose engine hands out rows, or groups
equal ones; URLs name tables of databases (`littlestone.data.containers`). Whatever it is,
`Table.stream` renames the asked columns ``c0, c1, ...`` by position, so names with dots, spaces or
capitals mean nothing to any engine.
"""

from __future__ import annotations

import difflib
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from narwhals.exceptions import DuplicateError

from littlestone.data.cells import CSV, PARQUET, CsvFormat, conversion, durations, format_of, text
from littlestone.data.containers import (
    SPARK,
    Frame,
    Progress,
    Stream,
    bytewise,
    check_engine,
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
#: Types that Arrow, or the grouping of some engine, does not carry safely: read as texts.
_AS_TEXT = (
    *(nw.Unknown, nw.Enum, nw.Categorical, nw.Object),
    *(nw.Int128, nw.UInt128),
)
_ROWS = 1 << 17  # of a batch
#: How far a file is read ahead: little, so that memory is that of a few batches.
_AHEAD: dict[str, Any] = {"batch_size": 1 << 16, "batch_readahead": 1, "fragment_readahead": 1}


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

    def stream(
        self,
        columns: Sequence[str],
        caller: str,
        *,
        numbers: Collection[str] = (),
        ordered: bool = False,
    ) -> Stream:
        """Return the cells of these columns; no record is read before its batches are asked for.

        Parameters
        ----------
        columns : sequence of str
        caller : str
            Who asks, for messages.
        numbers : collection of str
            Columns whose cells are read as numbers: with the decimal sign that a CSV file declares.
        ordered : bool
            Whether all rows are needed, in their order; else an engine may group equal ones.

        Raises
        ------
        ParameterError
            A column that the table does not have.
        DataError
            A column of lists or structures, which has no cells, or of durations.
        """
        own, numeric = self._called(columns, caller), self._called(numbers, caller)
        stream = run_engine(lambda: self._stream(own, numeric, ordered=ordered), _UNREADABLE)
        for name, kind in zip(columns, stream.schema.types, strict=False):
            if pa.types.is_nested(kind):
                raise DataError(
                    f"The column {name!r} given to {caller} holds lists or structures, not cells. "
                    "Unnest it first."
                )
            if pa.types.is_duration(kind):
                raise DataError(durations(name, caller))
        return stream

    def kinds(self, columns: Sequence[str], caller: str) -> list[pa.DataType | None]:
        """Return the declared types; None where nothing declares one (CSV, tables in memory).

        Lists and structures have a type always: they are refused by it.
        """
        own = self._called(columns, caller)
        types = run_engine(lambda: self._stream(own, (), ordered=True), _UNREADABLE).schema.types
        return [kind if self.declared or pa.types.is_nested(kind) else None for kind in types]

    def rows(self) -> int | None:
        """Return the number of rows (public), or None where only a reading tells."""
        return None

    def groups(self, reading: Any) -> Any:
        """Return the groups of a `Reading` where they are known: of rows drawn from a table."""
        return None

    def pieces(
        self, columns: Sequence[str], caller: str, *, numbers: Collection[str] = ()
    ) -> Iterator[pa.Table]:
        """Yield the rows in their order, a piece after the other; columns are named as in `stream`.

        Raises
        ------
        ParameterError, DataError
            As for `stream`, before the first piece.
        """
        stream = self.stream(columns, caller, numbers=numbers, ordered=True)
        self._in_order(caller)
        tables = stream.tables()
        while (piece := run_engine(lambda: next(tables, None), _UNREADABLE)) is not None:
            yield piece

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
    def _stream(self, columns: list[str], numbers: Collection[str], *, ordered: bool) -> Stream: ...

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
    if not (standard or (os.path.exists(path) and path.is_fifo())):  # a name may be too long
        return path
    if standard and sys.stdin is not None and sys.stdin.isatty():
        hint = "Redirect a file to the command: littlestone ... - < people.csv"
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
        self._read: CsvColumns | None = None
        message = f"The file {str(path)!r} cannot be read as CSV: no line with column names."
        names = run_engine(lambda: [header(part, self._form) for part in parts], message)
        if any(other != names[0] for other in names):
            raise DataError(
                f"The parts {str(path)!r} must have equal first lines, with the names of the "
                "columns. Rewrite the parts that differ."
            )
        super().__init__(numbered(names[0]))
        self.twice = frozenset(name for name in names[0] if names[0].count(name) > 1)

    def _stream(self, columns: list[str], numbers: Collection[str], *, ordered: bool) -> Stream:
        positions = [self.names.index(name) for name in columns]
        known = {self.names.index(name) for name in columns if name in numbers}
        self._read = CsvColumns(self._parts, self._form, len(self.names), positions, known)
        return Stream(self._read.schema, self._read.batches)

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
            f"{guess} The first line of a CSV file must hold the column names, with the "
            'declared separator (csv="sep=;" if it is not a comma). That line is not shown: '
            'without column names it would be a record; csv="header=public" shows it.'
        )

    def check(self) -> None:
        if self._read is not None and self._read.ragged:
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
        self._paths = [str(part) for part in parts]

        def footers() -> list[tuple[int, list[tuple[str, pa.DataType]]]]:
            found = map(pq.read_metadata, self._paths)
            kinds = ((footer.num_rows, footer.schema.to_arrow_schema()) for footer in found)
            return [(rows, [(field.name, field.type) for field in kind]) for rows, kind in kinds]

        rows, fields = zip(*run_engine(footers, message), strict=True)
        self._rows, self._fields = sum(rows), fields[0]
        if any(other != self._fields for other in fields):
            raise DataError(
                f"The parts {str(path)!r} must have equal columns: the same names and types in the "
                "same order. Rewrite the parts that differ."
            )
        names = [name for name, _ in self._fields]
        if len(set(names)) < len(names):
            raise ParameterError(TWICE)
        super().__init__(names)

    def _stream(self, columns: list[str], numbers: Collection[str], *, ordered: bool) -> Stream:
        kinds = [portable_type(dict(self._fields)[name]) for name in columns]
        schema = pa.schema([(f"c{j}", kind) for j, kind in enumerate(kinds)])

        def batches() -> Iterator[pa.RecordBatch]:
            import pyarrow.dataset as ds  # noqa: PLC0415 - imports pandas, which takes a while

            files = ds.dataset(self._paths, schema=pa.schema(self._fields), format="parquet")
            cells = {f"c{j}": ds.field(name) for j, name in enumerate(columns)}
            progress = Progress(self._rows)
            options = ds.ParquetFragmentScanOptions(pre_buffer=False, use_buffered_stream=True)
            for batch in files.to_batches(columns=cells, fragment_scan_options=options, **_AHEAD):
                progress(len(batch))
                yield pa.record_batch([portable(column) for column in batch], schema=schema)

        return Stream(schema, batches)

    def rows(self) -> int:
        return self._rows


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

    def _stream(self, columns: list[str], numbers: Collection[str], *, ordered: bool) -> Stream:
        arrays = [_arrow(self._columns[name]) for name in columns]
        table = pa.table(arrays, names=[f"c{j}" for j in range(len(arrays))])
        return Stream(table.schema, lambda: iter(table.to_batches(max_chunksize=_ROWS)))

    def rows(self) -> int:
        return len(next(iter(self._columns.values()), ()))


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

    def _stream(self, columns: list[str], numbers: Collection[str], *, ordered: bool) -> Stream:
        whole = self._whole._stream(columns, numbers, ordered=True)

        def batches() -> Iterator[pa.RecordBatch]:
            start = 0
            for batch in whole.batches():
                yield batch.filter(pa.array(self._inside[start : start + len(batch)]))
                start += len(batch)
            check_same([len(self._inside), start])

        return Stream(whole.schema, batches)


class _Lazy(Table):
    """A table that stays in its own engine."""

    def __init__(self, frame: Frame, caller: str, *, declared: bool = False) -> None:
        run_engine(lambda: check_engine(frame), _UNREADABLE)
        self._lazy, self._caller = frame, caller
        self.declared = declared and self._engine is nw.Implementation.DUCKDB
        super().__init__(run_engine(lambda: frame.collect_schema().names(), _UNREADABLE))

    def _stream(self, columns: list[str], numbers: Collection[str], *, ordered: bool) -> Stream:
        frame = self._cells(columns)
        groups = not ordered and self._engine in (nw.Implementation.IBIS, *SPARK)
        if groups:
            frame = bytewise(frame).group_by(*frame.columns).agg(count=nw.len())
        names = frame.collect_schema().names()

        def batches() -> Iterator[pa.RecordBatch]:
            read: Any = frame.to_native()
            if self._engine is not nw.Implementation.DUCKDB:
                read = cast(Any, frame.collect("pyarrow")).to_native()
            for batch in pa.RecordBatchReader.from_stream(read):
                yield pa.record_batch(list(map(portable, batch.columns)), names=names)

        declared: pa.Schema
        if self._engine is nw.Implementation.DUCKDB:
            declared = cast(Any, frame.to_native()).limit(0).to_arrow_table().schema
        else:
            declared = frame.collect_schema().to_arrow()
        kinds = map(portable_type, declared.types)
        return Stream(pa.schema(list(zip(names, kinds, strict=True))), batches)

    def _cells(self, columns: list[str]) -> Frame:
        """Return these columns, renamed c0, c1, ...; of types that every engine carries safely."""
        native = self._lazy.to_native()
        if hasattr(native, "toDF"):
            # Spark resolves names with dots as fields of structures: rename by position first.
            renamed = nw.from_native(native.toDF(*(f"p{j}" for j in range(len(self.names)))))
            frame = _select(renamed, [f"p{self.names.index(name)}" for name in columns])
        else:
            frame = _select(self._lazy, columns)
        if self._engine is nw.Implementation.IBIS:
            only_plain(frame, columns, self._caller)
        for name, dtype in frame.collect_schema().items():
            if isinstance(dtype, nw.Float32):  # the double of its shortest text
                frame = frame.with_columns(nw.col(name).cast(nw.String).cast(nw.Float64))
            elif isinstance(dtype, _AS_TEXT):
                frame = frame.with_columns(nw.col(name).cast(nw.String))
        return frame

    def split(
        self, first: npt.NDArray[np.bool_], columns: Sequence[str], caller: str
    ) -> tuple[Table, Table]:
        stream = self.stream(columns, caller, ordered=True)
        read = run_engine(lambda: pa.concat_tables(stream.tables()), _UNREADABLE)
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

        def run() -> int:
            counted: Any = self._lazy.select(nw.len()).collect("pyarrow").to_native()
            return int(counted.column(0)[0].as_py())

        return run_engine(run, _UNREADABLE)


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
        if isinstance(native, pa.ChunkedArray):
            return portable(native)
        if str(native.dtype) == "object" or isinstance(values.dtype, _AS_TEXT):
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
