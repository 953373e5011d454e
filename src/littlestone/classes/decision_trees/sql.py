"""Trees as SQL: each cell is read once, by the schema's rules; ``CASE WHEN`` nested like a tree.

One expression for each model: a scalar subquery over the cells of its row. What is missing or other
is NULL, with which a comparison is neither true nor false, so ``CASE WHEN`` goes to ``ELSE``:
exactly what a split does.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence

from littlestone.classes.decision_trees.nodes import Node, Tree, walk
from littlestone.data import Column, Literal, Schema
from littlestone.data.cells import number, text
from littlestone.data.labels import BINARY
from littlestone.errors import parameter_error
from littlestone.types import Label

_DIALECTS = ("standard", "duckdb", "sqlite")

_WHITE = r"E' \t\n\r\x0b\f'"  # `littlestone.data.cells.WHITE`
#: Of the texts that match, DuckDB casts those that `littlestone.data.cells.number` reads.
_NUMBER = r"(?i)[-+]?([.\d][-+.\de]*|inf(inity)?)|true|false"
_TEXTS = "VARCHAR|BOOLEAN|ENUM.*"


def as_sql(
    tree: Tree, schema: Schema, dialect: str = "standard", labels: Sequence[Label] = BINARY
) -> str:
    """Return a tree as an SQL expression; see `TreeHypothesis.to_sql`."""
    value = "\n".join(_lines(tree, schema, dialect, labels))
    used = {split.column for split, _ in walk(tree)}
    return f"({select(value, used, schema, dialect)})" if used else value


def select(value: str, used: Iterable[int], schema: Schema, dialect: str) -> str:
    """Return a query of one row: an expression of the cells of these columns, each read once."""
    if dialect not in _DIALECTS:
        raise parameter_error("to_sql", "dialect", f"one of {', '.join(_DIALECTS)}", dialect)
    columns = {position: schema.columns[position] for position in sorted(used)}
    return f"SELECT {value}" + (f"\nFROM {_cells(columns, dialect)}" if columns else "")


def case(tree: Tree, schema: Schema, dialect: str, labels: Sequence[Label] = BINARY) -> str:
    """Return a tree as an expression of `cell`, in one line."""
    return " ".join(line.strip() for line in _lines(tree, schema, dialect, labels))


def cell(position: int) -> str:
    """Return the name of a column's cell as it was read."""
    return f"c{position}"


def check(split: Literal, schema: Schema) -> None:
    """Refuse a schema that has not the split."""
    columns = schema.columns
    if split.column >= len(columns) or split not in columns[split.column].literals(split.column):
        raise parameter_error(
            "to_sql", "schema", "the schema of the tree", schema,
            f"It has no test {split.text!r} in column {split.column}.",
        )  # fmt: skip


def _lines(tree: Tree, schema: Schema, dialect: str, labels: Sequence[Label]) -> list[str]:
    if not isinstance(tree, Node):
        label = labels[tree]
        return [quoted(label, dialect) if isinstance(label, str) else str(label)]
    test = as_test(tree.split, schema, dialect)
    yes, no = (
        [f"  {line}" for line in _lines(side, schema, dialect, labels)]
        for side in (tree.yes, tree.no)
    )
    return [f"CASE WHEN {test} THEN", *yes, "ELSE", *no, "END"]


def as_test(split: Literal, schema: Schema, dialect: str) -> str:
    """Return what an inner node asks of `cell`; not true of a cell that is missing or other."""
    check(split, schema)
    column, position = schema.columns[split.column], split.code - Column.FIRST
    if split.op == "is":
        category = quoted((column.categories or ())[position], dialect)
        return f"{cell(split.column)} = {category}"
    return f"{cell(split.column)} {split.op} {(column.edges or ())[position - 1]!r}"


def _cells(columns: Mapping[int, Column], dialect: str) -> str:
    """Return the table of cells; only its innermost query names columns of the user's table."""
    cells = [cell(at) for at in columns]
    if dialect == "duckdb":
        raw: dict[str, str] = {}
        read = [(_number if c.numeric else _category)(c, at, raw) for at, c in columns.items()]
        source = "\nFROM " + _named("raw", list(raw), list(raw.values()), dialect)
        return _named("cells", cells, read, dialect, source)
    return _named("cells", cells, [_standard(column) for column in columns.values()], dialect)


def _named(
    table: str, names: Sequence[str], values: Sequence[str], dialect: str, source: str = ""
) -> str:
    """Return a subquery with named columns, whose expressions do not see these names."""
    if dialect == "sqlite":  # there they never do
        columns = (f"{value} AS {name}" for value, name in zip(values, names, strict=True))
        return f"(SELECT {', '.join(columns)}{source}) AS {table}"
    return "(SELECT " + ",\n".join(values) + f"{source}) AS {table}({', '.join(names)})"


def _standard(column: Column) -> str:
    """Return a cell of a column of its proper type: numbers, but for NaN, or texts."""
    name = named(column.name)
    if not column.numeric:
        return name
    known = [f"LOWER(CAST({name} AS VARCHAR)) <> 'nan'"]  # to PostgreSQL NaN is a large number
    missing = set(map(number, column.missing))
    known += [f"{name} <= {sys.float_info.max!r}"] if math.inf in missing else []
    known += [f"{name} >= {-sys.float_info.max!r}"] if -math.inf in missing else []
    nulls = [repr(value) for value in map(number, column.missing) if _is_double(value)]
    known += [f"{name} NOT IN ({', '.join(nulls)})"] if nulls else []
    return f"CASE WHEN {' AND '.join(known)} THEN {name} END"


def _is_double(value: int | float | None) -> bool:
    return value is not None and abs(value) <= sys.float_info.max


def _number(column: Column, at: int, raw: dict[str, str]) -> str:
    """Return the number in a cell as `Column.code` reads it, whatever the type of the column."""
    text_, value = _raw(column, at, "t", raw), _raw(column, at, "d", raw)
    worth = {null: number(null) for null in column.missing if number(null) is not None}
    missing = ""
    if worth:
        texts = ", ".join(quoted(null, "duckdb") for null in worth)
        known = [null for null, of in worth.items() if text(of) == null]  # not of NaN: a NULL
        doubles = ", ".join(map(_double, known))
        typed = f"{value} IN ({doubles})" if known else "FALSE"
        holds = _raw(column, at, "k", raw)
        missing = f"WHEN CASE WHEN {holds} THEN {text_} IN ({texts}) ELSE {typed} END THEN NULL "
    return (
        f"CASE {missing}WHEN regexp_full_match({text_}, '{_NUMBER}') "
        f"THEN coalesce({value}, TRY_CAST({text_} AS BOOL)::INT) END"
    )


def _category(column: Column, at: int, raw: dict[str, str]) -> str:
    """Return the text of a cell; a number is its digits, however the engine would write it."""
    text_ = _raw(column, at, "t", raw)
    worth = [(name, number(name)) for name in column.categories or ()]
    numbers = [
        name for name, value in worth if value is not None and name.lower() not in ("true", "false")
    ]
    if not numbers:
        return text_
    plain = " ".join(
        f"WHEN {_double(name)} THEN {quoted(name, 'duckdb')}"
        for name in numbers
        if text(number(name)) == name  # "3.0", "nan": no number is written so
    )
    value = f"CASE {_raw(column, at, 'd', raw)} {plain} END" if plain else "NULL"
    return f"CASE WHEN {_raw(column, at, 'k', raw)} THEN {text_} ELSE {value} END"


def _double(name: str) -> str:
    return f"CAST({quoted(name, 'duckdb')} AS DOUBLE)"


def _raw(column: Column, at: int, what: str, raw: dict[str, str]) -> str:
    """Return the name of a cell as a text (t), a double (d), or of whether it is a text (k)."""
    name = named(column.name)
    raw[f"{what}{at}"] = {
        "t": f"trim(CAST({name} AS VARCHAR), {_WHITE})",
        "d": f"TRY_CAST({name} AS DOUBLE)",
        "k": f"regexp_full_match(typeof({name}), '{_TEXTS}')",
    }[what]
    return f"{what}{at}"


def named(name: str) -> str:
    """Return the name of a column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def quoted(value: str, dialect: str) -> str:
    """Return a text as SQL writes it."""
    if dialect != "duckdb" and "\\" in value:
        raise parameter_error(
            "to_sql", "dialect", "'duckdb' for a category or label with a backslash", dialect,
            "Some engines take it for the beginning of an escape, and what follows for SQL.",
        )  # fmt: skip
    return "'" + value.replace("'", "''") + "'"
