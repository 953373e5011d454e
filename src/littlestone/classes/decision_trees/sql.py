"""A tree as an SQL expression: ``CASE WHEN`` nested like the tree.

A comparison with NULL is neither true nor false, so ``CASE WHEN`` goes to ``ELSE``: exactly what
a split does with a cell that is missing or other.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from littlestone.classes.decision_trees.nodes import Node, Tree, walk
from littlestone.data import Column, Literal, Schema
from littlestone.data.cells import WHITE, number, text
from littlestone.data.labels import BINARY
from littlestone.errors import parameter_error
from littlestone.types import Label

_DIALECTS = ("standard", "duckdb")

#: The numbers that a text may be written as (`littlestone.data.cells.number`).
_NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i)[+-]?inf(inity)?"


def as_sql(
    tree: Tree, schema: Schema, dialect: str = "standard", labels: Sequence[Label] = BINARY
) -> str:
    """Return a tree as an SQL expression; see `TreeHypothesis.to_sql`."""
    if dialect not in _DIALECTS:
        raise parameter_error("to_sql", "dialect", f"one of {', '.join(_DIALECTS)}", dialect)
    for split, _ in walk(tree):
        _check(split, schema)
    return "\n".join(_lines(tree, schema, dialect, labels))


def _check(split: Literal, schema: Schema) -> None:
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
    """Return what an inner node asks; it is not true of a cell that is missing or other."""
    column = schema.columns[split.column]
    return (_standard if dialect == "standard" else _duckdb)(split, column)


def _standard(split: Literal, column: Column) -> str:
    cell = _name(column.name)
    if split.op == "is":
        return f"{cell} = {quoted(_category(split, column), 'standard')}"
    test = f"{cell} {split.op} {_edge(split, column)}"
    nulls = _numbers(column.missing)
    return f"({test} AND {cell} NOT IN ({', '.join(nulls)}))" if nulls else test


def _duckdb(split: Literal, column: Column) -> str:
    """Read a cell as `Column.code` does, whatever its type (number, boolean or text)."""
    cell = _name(column.name)
    white = "||".join(f"chr({ord(c)})" for c in WHITE)
    written = f"trim(CAST({cell} AS VARCHAR), {white})"
    is_text = f"typeof({cell}) = 'VARCHAR'"
    if split.op == "is":
        category = _category(split, column)
        same = f"{written} = {quoted(category, 'duckdb')}"
        worth = number(category)
        if worth is None or category.lower() in ("true", "false"):
            return same
        if text(worth) != category:  # "3.0", "nan": no number is written so
            return f"{is_text} AND {same}"
        # A number in a numeric column is its digits, however the engine would write it.
        value = f"CAST({quoted(category, 'duckdb')} AS DOUBLE)"
        plain = f"typeof({cell}) <> 'BOOLEAN' AND TRY_CAST({cell} AS DOUBLE) = {value}"
        return f"CASE WHEN {is_text} THEN {same} ELSE {plain} END"
    value = (
        f"CASE WHEN NOT {is_text} THEN TRY_CAST({cell} AS DOUBLE) "
        f"WHEN regexp_full_match({written}, '{_NUMBER}') THEN TRY_CAST({written} AS DOUBLE) "
        f"WHEN lower({written}) = 'true' THEN 1 WHEN lower({written}) = 'false' THEN 0 END"
    )
    tests = [f"({value}) {split.op} {_edge(split, column)}", f"NOT isnan({value})"]
    if column.missing:
        tests.append(f"{written} NOT IN ({', '.join(quoted(n, 'duckdb') for n in column.missing)})")
        nulls = _numbers([n for n in column.missing if text(number(n)) == n])
        if nulls:
            tests.append(f"({is_text} OR TRY_CAST({cell} AS DOUBLE) NOT IN ({', '.join(nulls)}))")
    return " AND ".join(tests)


def _numbers(texts: Sequence[str]) -> list[str]:
    """Return the numbers among texts, as SQL writes them; no cell is one beyond doubles."""
    found: list[str] = []
    for value in map(number, texts):
        if value in (math.inf, -math.inf):  # a bare inf would be the name of a column
            sign = "-" if value == -math.inf else ""
            found.append(f"CAST('{sign}Infinity' AS DOUBLE PRECISION)")
        elif value is not None and abs(value) <= sys.float_info.max:  # neither is nan
            found.append(repr(value))
    return found


def _edge(split: Literal, column: Column) -> str:
    return repr((column.edges or ())[split.code - Column.FIRST - 1])


def _category(split: Literal, column: Column) -> str:
    return (column.categories or ())[split.code - Column.FIRST]


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def quoted(value: str, dialect: str) -> str:
    """Return a text as SQL writes it."""
    if dialect == "standard" and "\\" in value:
        raise parameter_error(
            "to_sql", "dialect", "'duckdb' for a category or label with a backslash", dialect,
            "Some engines take it for the beginning of an escape, and what follows for SQL.",
        )  # fmt: skip
    return "'" + value.replace("'", "''") + "'"
