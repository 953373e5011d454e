"""A first schema of a table, from public things only; and a schema beside a table.

`draft` reads the names of the columns and the types that a Parquet file or a database declares
(those of frames in memory may have been inferred from records), never a cell. `compare` says which
columns of a schema a table lacks. The first line of a CSV file holds names only if somebody says
so: in a file without names it is a record. `from_public` reads a table that is public.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa

from littlestone.data.cells import CSV, PARQUET, CsvFormat, format_of, number, text
from littlestone.data.codebook import read_codebook
from littlestone.data.domains import require_columns
from littlestone.data.schema import (
    RESERVED,
    Column,
    PublicBins,
    Schema,
    column_toml,
    csv_toml,
    suggest,
    toml_key,
)
from littlestone.data.tables import Table, files_of, read_table, spooled
from littlestone.errors import ParameterError, check_integer, parameter_error

#: The file of the package with the words of `identifying`.
IDENTIFIERS = "identifiers.txt"
_CAPITALS = re.compile(r"(?<=[a-zß-ÿ0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBERS = """\
# bins = [20, 40, 60]          # below 20, 20 to below 40, 40 to below 60, 60 and above
# integers = [1, 16]           # or a bin for each whole number
"""
_TEXTS = """\
# categories = ["a", "b"]      # exactly these texts; every other text is "other"
"""
_DATES = """\
type = "date"
# bins = ["2020-01-01"]        # cut dates
# by = "month"                 # or a bin for each month; likewise quarter, weekday, hour
"""
_MISSING = """\
# missing = ["?", "unknown"]   # texts that mean "not known", besides empty cells
"""
#: What a person completes, by the kind of a variable of a codebook.
_FILL_IN = {
    **dict.fromkeys(("number", "integer"), _NUMBERS),
    "category": _TEXTS,
    "date": _DATES.partition("\n")[2],
}
_HEAD = """\
# The public columns of a table, for littlestone fit --schema. Write bins and categories from what
# everybody knows (a codebook, the form that was filled in), never from the records themselves.
# Delete the columns that are not needed. When done: littlestone schema check FILE
"""


def draft(
    table: Any = None,
    *,
    label: str | None = None,
    codebook: str | Path | None = None,
    header_is_public: bool = False,
    csv: Any = None,
    caller: str = "schema new",
) -> str:
    r"""Return a commented schema of a table, of its codebook, or of both, as TOML.

    Examples
    --------
    >>> import pyarrow as pa
    >>> private = pa.table({"age": [44], "ill": [0]})  # its types may have been inferred
    >>> print(draft(private, label="ill").partition("\n\n")[2], end="")
    # [ill] is the label.
    <BLANKLINE>
    [age]
    # bins = [20, 40, 60]          # below 20, 20 to below 40, 40 to below 60, 60 and above
    # integers = [1, 16]           # or a bin for each whole number
    # categories = ["a", "b"]      # exactly these texts; every other text is "other"
    # missing = ["?", "unknown"]   # texts that mean "not known", besides empty cells
    """
    form = None if csv is None else CsvFormat.parse(csv, caller)
    known = {} if codebook is None else {v.name: v for v in read_codebook(codebook)}
    kinds: dict[str, Any] = dict.fromkeys(name for name in known if name != label)
    if table is not None:
        require_names(table, header_is_public, form, caller)
        read = read_table(table, csv=form, caller=caller)
        features = _features(read, label)
        kinds = dict(zip(features, declared_kinds(read, features, caller), strict=True))
    blocks = [_HEAD]
    if label is not None:
        blocks.append(f"# [{toml_key(label)}] is the label.\n")
    if form is not None and form.to_dict():
        blocks.append(csv_toml(form))
    if known:
        absent = [name for name in known if name not in kinds and name != label]
        unsaid = [name for name in kinds if name not in known]
        if len(unsaid) == len(kinds):
            raise ParameterError(
                f"The codebook {str(codebook)!r} has no line of any column of the table: it "
                f"describes {', '.join(list(known)[:12])}. Is it of this table? Names are compared "
                "exactly."
            )
        blocks += _listing("The table has no column of these lines of the codebook", absent)
        blocks += _listing("The codebook has no line of these columns", unsaid)
    for name, kind in kinds.items():
        variable = known.get(name)
        own = None if variable is None or identifying(name) else variable
        blocks.append(
            _block(name, kind) if own is None else own.to_toml(_FILL_IN.get(own.kind, ""))
        )
    return "\n".join(blocks)


def _listing(words: str, names: Sequence[str]) -> list[str]:
    """Return a comment of names, or nothing."""
    return [f"# {words}:\n" + "".join(f"#   {toml_key(n)}\n" for n in names)] if names else []


@cache
def _identifying() -> frozenset[str]:
    """Return the words of names of columns that are left out: a public list."""
    written = (files("littlestone.data") / IDENTIFIERS).read_text(encoding="utf-8")
    lines = [line for line in written.splitlines() if not line.startswith("#")]
    return frozenset(" ".join(lines).split())


def identifying(name: str) -> bool:
    """Return whether a column is an identifier or free text, by the last word of its name.

    Words end at blanks, ``_``, ``-``, ``.`` and capitals; a number after the last one is none.

    Examples
    --------
    >>> names = ["PassengerId", "Patient No.", "first_name", "NAME2", "paid", "education-num"]
    >>> [name for name in names if identifying(name)]
    ['PassengerId', 'Patient No.', 'first_name', 'NAME2']
    """
    words = _CAPITALS.sub(" ", re.sub(r"[\s_.\-]+", " ", name)).rstrip("0123456789 ").split()
    return bool(words) and words[-1].lower() in _identifying()


def _block(name: str, kind: Any) -> str:
    """Return the part of a schema that is about one column, as TOML."""
    key = toml_key(name)
    if not name:
        return "# A column without a name: left out, since a schema cannot name it.\n"
    why = ""
    if name in RESERVED:
        why = "is a name that schemas reserve: left out; rename it"
    elif kind is not None and pa.types.is_nested(kind):
        why = "holds lists or structures, not cells: left out"
    if why:
        return f"# [{key}] {why}.\n"
    if identifying(name):
        return (
            f"# [{key}] is left out: by its name it is an identifier, or free text (the list of\n"
            f"# such words is the file {IDENTIFIERS} of the package).\n"
        )
    return _to_fill_in(name, kind)


def _features(table: Table, label: str | None) -> list[str]:
    """Return the columns besides the label, whose names are public."""
    if any("\ufffd" in name for name in table.names):
        raise ParameterError(
            "The names of the columns are not UTF-8. Say how the file is written, for example "
            'csv="encoding=latin-1".'
        )
    if label is not None and label not in table.names:
        raise ParameterError(f"The table has no column {label!r}.{suggest(label, table.names)}")
    features = [name for name in table.names if name != label]
    if not features:
        raise ParameterError("The table has no column besides the label.")
    return features


def compare(
    schema: Schema, table: Any, *, csv: Any = None, caller: str = "schema check"
) -> list[str]:
    """Return what keeps a schema from being used with a table; names columns of the schema only.

    Examples
    --------
    >>> compare(Schema.from_dict({"age": {"bins": [30]}}), {"ages": [44]})
    ["The table has no column 'age'."]
    """
    read = read_table(table, csv=csv, declared=schema.csv, caller=caller)
    found = [name for name in schema.names if name in read.names]
    lacking = [name for name in schema.names if name not in read.names]
    kinds = dict(zip(found, declared_kinds(read, found, caller), strict=True)) if found else {}
    return [f"The table has no column {name!r}." for name in lacking] + [
        f"The column {name!r} of the table holds lists or structures, not cells. Unnest it first."
        for name, kind in kinds.items()
        if kind is not None and pa.types.is_nested(kind)
    ]


def require_names(table: Any, header_is_public: bool, form: CsvFormat | None, caller: str) -> None:
    """Refuse a CSV file whose first line was not declared to hold names."""
    header_is_public |= form is not None and form.header_is_public
    if header_is_public or not isinstance(table, str | Path) or "://" in str(table):
        return
    kinds = {format_of(part) for part in files_of(spooled(str(table), caller), caller)}
    if not kinds.isdisjoint(CSV) or (form is not None and not kinds <= {*PARQUET}):
        raise ParameterError(
            f"The first line of {str(table)!r} is not read: in a CSV file without column names it "
            "is a record. If it holds column names, declare that with --header-is-public; or "
            "write the table as Parquet, which declares its columns."
        )


def declared_kinds(table: Table, columns: list[str], caller: str) -> list[Any]:
    """Return the declared types; None where nothing declares one (CSV, tables in memory).

    Lists and structures have a type always: they are refused by it.
    """
    stream = table.batches(columns, caller)
    if stream is None:
        return [None] * len(columns)
    return [kind if table.declared or pa.types.is_nested(kind) else None for kind in stream.kinds]


def cells_of(table: Table, name: str, caller: str, numbers: Sequence[str] = ()) -> list[object]:
    """Return the cells of a column."""
    frame = table.frame([name], caller, numbers=numbers).collect()
    return frame.get_column(frame.columns[0]).to_list()


def _to_fill_in(name: str, kind: Any) -> str:
    head = f"[{toml_key(name)}]\n"
    if kind is None:
        return f"{head}{_NUMBERS}{_TEXTS}{_MISSING}"
    if pa.types.is_boolean(kind):
        return f"# bool\n{column_toml(Column.of(name, ['false', 'true']))}"
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if numeric:
        return f"# {kind}\n{head}{_NUMBERS}{_MISSING}"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return f"# {kind}\n{head}{_DATES}{_MISSING}"
    about = "texts" if pa.types.is_large_string(kind) else f"{kind}, read as texts"
    return f"# {about}\n{head}{_TEXTS}{_MISSING}"


# -- Bins and categories of a schema from a public table, so that their cost is certified.
#
# With m rows and rank r every r-th sorted value of a column is an edge. So fewer than r rows lie
# between a number and the next edge above it, and a text that is no category occurs in fewer than
# r rows: that is all that claim ``public.slabs`` asks for. A missing cell lies in no bin.


_OWNER = "Schema.from_public"


def from_public(table: Any, *, bins: int, columns: Sequence[str] | None) -> Schema:
    """Return the schema; see `Schema.from_public`."""
    check_integer(_OWNER, "bins", bins, low=2)
    read = read_table(table, caller=_OWNER)
    names = list(read.names if columns is None else columns)
    require_columns(names, read.names, _OWNER)
    cells = {name: cells_of(read, name, _OWNER, [name]) for name in names}
    points = max(map(len, cells.values()), default=0)
    if not points:
        raise parameter_error(_OWNER, "table", "at least one row and one column", "none")
    rank = points // bins + 1  # the least with points // rank < bins
    found = [_column(name, each, rank) for name, each in cells.items()]
    kept = tuple(column for column in found if column is not None)
    if not kept:
        raise parameter_error(
            _OWNER, "table", f"a column with {rank} equal or numeric cells", "none",
            "Take more rows, or more bins.",
        )  # fmt: skip
    return Schema(kept, public=PublicBins(points, rank))


def beside(  # noqa: PLR0917
    table: Any, public: Any, leave: Sequence[str | None], columns: Sequence[str] | None,
    bins: int, csv: Any, caller: str,
) -> Schema:  # fmt: skip
    """Return the schema of a public table for another one, of the columns that both have."""
    refuse_same(table, public, caller)
    other = read_table(table, csv=csv, caller=caller)
    try:
        read = read_table(public, csv=csv, caller=caller)
    except ParameterError as problem:
        raise ParameterError(f"The public rows (public=) cannot be read. {problem}") from None
    both = [
        name
        for name in read.names
        if name in other.names and name not in leave and not identifying(name)
    ]
    if not both:
        raise ParameterError(
            f"The 'public' parameter of {caller} must be a table that shares columns with the "
            f"records. It has: {', '.join(read.names)}."
        )
    found = from_public(read, bins=bins, columns=both if columns is None else columns)
    return replace(found, csv=None if csv is None else CsvFormat.parse(csv, caller))


def refuse_same(table: Any, public: Any, caller: str) -> None:
    """Refuse to take the records themselves for public ones."""
    paths = [Path(each) for each in (table, public) if isinstance(each, str | Path)]
    same = len(paths) == 2 and all(path.exists() for path in paths) and paths[0].samefile(paths[1])
    if same or table is public:
        raise ParameterError(
            f"The 'public' parameter of {caller} must not be the table of the records, which is "
            "not public."
        )


def _column(name: str, cells: Sequence[object], rank: int) -> Column | None:
    """Return a column with its edges or categories; None if it has none."""
    written = [cell for cell in map(text, cells) if cell is not None and cell.lower() != "nan"]
    numbers = sorted(value for value in map(number, written) if value is not None)
    if len(numbers) == len(written):
        edges = sorted({_finite(value) for value in numbers[rank - 1 :: rank]})
        return Column.bins(name, edges) if edges else None
    often = [value for value, times in Counter(written).items() if times >= rank]
    return Column.of(name, sorted(often, key=str.encode)) if often else None


def _finite(value: float) -> float:
    """Return the double in the place of a number; the largest one is that of an infinity."""
    return float(max(-sys.float_info.max, min(value, sys.float_info.max)))
