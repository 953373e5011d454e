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
_NUMBER = "[-+]?([.0-9][-+.0-9e]*|inf(inity)?)"
_TEXTS = "VARCHAR|BOOLEAN|ENUM.*"


def as_sql(
    tree: Tree, schema: Schema, dialect: str = "standard", labels: Sequence[Label] = BINARY
) -> str:
    """Return a tree as an SQL expression; see `TreeHypothesis.to_sql`."""
    value, used = case(tree, schema, dialect, labels), {split.column for split, _ in walk(tree)}
    return f"({select(value, used, schema, dialect)})" if used else value


def select(value: str, used: Iterable[int], schema: Schema, dialect: str) -> str:
    """Return a query of one row: an expression of the cells of these columns, each read once."""
    if dialect not in _DIALECTS:
        raise parameter_error("to_sql", "dialect", f"one of {', '.join(_DIALECTS)}", dialect)
    columns = {position: schema.columns[position] for position in sorted(used)}
    return f"SELECT {value}" + (f"\nFROM {_cells(columns, dialect)}" if columns else "")


def case(tree: Tree, schema: Schema, dialect: str, labels: Sequence[Label] = BINARY) -> str:
    """Return a tree as an expression of `cell`."""
    return "\n".join(_lines(tree, schema, dialect, labels))


def cell(position: int) -> str:
    """Return the name of a column's cell as it was read."""
    return f"littlestone_{position}"


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
    if dialect != "duckdb":
        read = [f"{_standard(column)} AS {cell(at)}" for at, column in columns.items()]
        return f"(SELECT {', '.join(read)}) AS littlestone_cells"
    texts = [
        f"trim(CAST({_name(column.name)} AS VARCHAR), {_WHITE}) AS {_text(at)}"
        for at, column in columns.items()
    ]
    read = [
        f"{(_number if column.numeric else _category)(column, _text(at))} AS {cell(at)}"
        for at, column in columns.items()
    ]
    inner = ",\n".join(texts)
    return (
        "(SELECT " + ",\n".join(read) + f"\nFROM (SELECT {inner}) AS littlestone_texts) "
        "AS littlestone_cells"
    )


def _text(position: int) -> str:
    return f"littlestone_text_{position}"


def _standard(column: Column) -> str:
    """Return a cell of a column of its proper type: numbers, but for NaN, or texts."""
    name = _name(column.name)
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


def _number(column: Column, written: str) -> str:
    """Return the number in a cell as `Column.code` reads it, whatever the type of the column."""
    typed = f"TRY_CAST({_name(column.name)} AS DOUBLE)"
    worth = {null: number(null) for null in column.missing}
    for null, value in {"nan": math.nan, **worth}.items():
        if null == "nan" or (value is not None and text(value) == null):  # as a number is written
            typed = f"NULLIF({typed}, CAST({quoted(null, 'duckdb')} AS DOUBLE))"
    nulls = [quoted(null, "duckdb") for null, value in worth.items() if value is not None]
    missing = f" WHEN {written} IN ({', '.join(nulls)}) THEN NULL" if nulls else ""
    return (
        f"CASE WHEN NOT {_holds_texts(column)} THEN {typed}{missing} "
        f"WHEN regexp_full_match({written}, '{_NUMBER}', 'i') THEN TRY_CAST({written} AS DOUBLE) "
        f"WHEN lower({written}) = 'true' THEN 1 WHEN lower({written}) = 'false' THEN 0 END"
    )


def _category(column: Column, written: str) -> str:
    """Return the text of a cell; a number is its digits, however the engine would write it."""
    worth = [(name, number(name)) for name in column.categories or ()]
    numbers = [
        name for name, value in worth if value is not None and name.lower() not in ("true", "false")
    ]
    if not numbers:
        return written
    plain = " ".join(
        f"WHEN CAST({quoted(name, 'duckdb')} AS DOUBLE) THEN {quoted(name, 'duckdb')}"
        for name in numbers
        if text(number(name)) == name  # "3.0", "nan": no number is written so
    )
    value = f"CASE TRY_CAST({_name(column.name)} AS DOUBLE) {plain} END" if plain else "NULL"
    return f"CASE WHEN {_holds_texts(column)} THEN {written} ELSE {value} END"


def _holds_texts(column: Column) -> str:
    return f"regexp_full_match(typeof({_name(column.name)}), '{_TEXTS}')"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def quoted(value: str, dialect: str) -> str:
    """Return a text as SQL writes it."""
    if dialect != "duckdb" and "\\" in value:
        raise parameter_error(
            "to_sql", "dialect", "'duckdb' for a category or label with a backslash", dialect,
            "Some engines take it for the beginning of an escape, and what follows for SQL.",
        )  # fmt: skip
    return "'" + value.replace("'", "''") + "'"
