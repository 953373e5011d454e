"""A tree as an SQL expression: ``CASE WHEN`` nested like the tree.

A comparison with NULL is neither true nor false, so ``CASE WHEN`` goes to ``ELSE``: exactly what
a split does with a cell that is missing or other.
"""

from __future__ import annotations

from collections.abc import Sequence

from littlestone.classes.decision_trees.nodes import Node, Tree, walk
from littlestone.data import Column, Literal, Schema
from littlestone.data.cells import WHITE, number, text
from littlestone.data.multiclass import BINARY
from littlestone.errors import parameter_error
from littlestone.types import Label

__all__ = ["as_sql", "quoted"]

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
        return [quoted(label) if isinstance(label, str) else str(label)]
    column = schema.columns[tree.split.column]
    test = (_standard if dialect == "standard" else _duckdb)(tree.split, column)
    yes, no = (
        [f"  {line}" for line in _lines(side, schema, dialect, labels)]
        for side in (tree.yes, tree.no)
    )
    return [f"CASE WHEN {test} THEN", *yes, "ELSE", *no, "END"]


def _standard(split: Literal, column: Column) -> str:
    cell = _name(column.name)
    if split.op == "is":
        return f"{cell} = {quoted(_category(split, column))}"
    test = f"{cell} {split.op} {_edge(split, column)}"
    nulls = [value for value in map(number, column.missing) if value is not None]
    if not nulls:
        return test
    return f"({test} AND {cell} NOT IN ({', '.join(map(repr, nulls))}))"


def _duckdb(split: Literal, column: Column) -> str:
    """Read a cell as `Column.code` does, whatever its type (number, boolean or text)."""
    cell = _name(column.name)
    white = "||".join(f"chr({ord(c)})" for c in WHITE)
    written = f"trim(CAST({cell} AS VARCHAR), {white})"
    is_text = f"typeof({cell}) = 'VARCHAR'"
    if split.op == "is":
        category = _category(split, column)
        same = f"{written} = {quoted(category)}"
        worth = number(category)
        if worth is None or category.lower() in ("true", "false"):
            return same
        if text(worth) != category:  # "3.0", "nan": no number is written so
            return f"{is_text} AND {same}"
        # A number in a numeric column is its digits, however the engine would write it.
        value = f"CAST({quoted(category)} AS DOUBLE)"
        plain = f"typeof({cell}) <> 'BOOLEAN' AND TRY_CAST({cell} AS DOUBLE) = {value}"
        return f"CASE WHEN {is_text} THEN {same} ELSE {plain} END"
    value = (
        f"CASE WHEN NOT {is_text} THEN TRY_CAST({cell} AS DOUBLE) "
        f"WHEN regexp_full_match({written}, '{_NUMBER}') THEN TRY_CAST({written} AS DOUBLE) "
        f"WHEN lower({written}) = 'true' THEN 1 WHEN lower({written}) = 'false' THEN 0 END"
    )
    tests = [f"({value}) {split.op} {_edge(split, column)}", f"NOT isnan({value})"]
    if column.missing:
        tests.append(f"{written} NOT IN ({', '.join(map(quoted, column.missing))})")
        nulls = [n for n in column.missing if text(number(n)) == n]
        if nulls:
            tests.append(f"({is_text} OR TRY_CAST({cell} AS DOUBLE) NOT IN ({', '.join(nulls)}))")
    return " AND ".join(tests)


def _edge(split: Literal, column: Column) -> str:
    return repr((column.edges or ())[split.code - Column.FIRST - 1])


def _category(split: Literal, column: Column) -> str:
    return (column.categories or ())[split.code - Column.FIRST]


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def quoted(value: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"
