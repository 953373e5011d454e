"""A sum of trees for other programs: SQL, and Python without dependencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.data import Column, Literal, Schema
from littlestone.errors import parameter_error

if TYPE_CHECKING:
    from littlestone.classes.boosted_trees.ensemble import TreeEnsemble
    from littlestone.classes.decision_trees.hypothesis import TreeHypothesis

__all__ = ["as_python", "as_sql", "double", "trees_in_python"]

_WHAT = ("margin", "probability", "label")


def as_sql(
    ensemble: TreeEnsemble, schema: Schema, *, dialect: str = "standard", what: str = "probability"
) -> str:
    """Return a sum of trees as one SQL expression.

    Parameters
    ----------
    ensemble : TreeEnsemble
    schema : Schema
        The schema that it was learned with.
    dialect : {"standard", "duckdb"}, default "standard"
        As for `TreeHypothesis.to_sql`.
    what : {"probability", "margin", "label"}, default "probability"
        The value of the expression: a number in [0, 1], an integer, or 0 or 1; never NULL.

    Raises
    ------
    ParameterError
        If the schema does not have the columns, or a choice is unknown.
    """
    if what not in _WHAT:
        raise parameter_error("to_sql", "what", f"one of {', '.join(_WHAT)}", what)
    trees = [
        (f"{times} * " if times > 1 else "") + f"({tree.to_sql(schema, dialect=dialect)})"
        for tree, times in Counter(ensemble.trees).items()
    ]
    least, votes = ensemble.margins[0], "\n+ ".join(trees)
    margin = f"{least} + 2 * (\n{votes}\n)" if trees else str(least)
    if what == "margin":
        return f"({margin})"
    if what == "label":
        return f"CASE WHEN ({margin}) > 0 THEN 1 ELSE 0 END"
    cases = [
        f"WHEN {m} THEN {double(p)}"
        for m, p in zip(ensemble.margins, ensemble.probabilities, strict=True)
    ]
    return "\n".join([f"CASE ({margin})", *cases, "END"])


def double(value: float) -> str:
    """Write a number so that SQL takes it for a double, not for a decimal."""
    written = repr(float(value))
    return written if "e" in written else f"{written}e0"


_READING = '''_WHITE = " \\t\\n\\r\\v\\f"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WORDS = {"true": 1, "false": 0, "inf": math.inf, "+inf": math.inf, "-inf": -math.inf,
          "infinity": math.inf, "+infinity": math.inf, "-infinity": -math.inf}


def _text(cell):
    """Return how a cell is written, or None where it is missing."""
    if isinstance(cell, str):
        return cell.strip(_WHITE) or None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if cell is None or cell != cell:
        return None
    if isinstance(cell, float) and not math.isinf(cell) and cell == int(cell):
        return str(int(cell))
    return repr(cell)


def _number(written):
    """Return what a text is worth, or None."""
    return float(written) if _NUMBER.fullmatch(written) else _WORDS.get(written.lower())


def _yes(record, column, test, value):
    written = _text(record.get(column))
    if written is None or written in MISSING.get(column, ()):
        return False
    if test == "is":
        return written == value
    number = _number(written)
    if number is None:
        return False
    return number >= value if test == ">=" else number < value
'''

_PYTHON = '''"""A private model as plain Python: no dependencies. Generated.

margin(record), probability(record), label(record): a record is a mapping from column to cell
(a number, a text, a boolean or None), read by the rules of the public schema.
"""

import math
import re

START = {start}  # margin of a record for which every tree votes -1
# (times, tree); a tree is 0, 1 or (column, test, value, yes, no)
TREES = {trees}
MISSING = {missing}  # texts that mean "not known", by column
PROBABILITIES = {probabilities}  # by margin

{reading}

def margin(record):
    """Return the sum of the votes."""
    total = START
    for times, tree in TREES:
        while isinstance(tree, tuple):
            column, test, value, yes, no = tree
            tree = yes if _yes(record, column, test, value) else no
        total += 2 * times * tree
    return total


def probability(record):
    """Return the probability of label 1."""
    return PROBABILITIES[margin(record)]


def label(record):
    """Return 1 where the margin is positive, else 0."""
    return int(margin(record) > 0)
'''


def as_python(ensemble: TreeEnsemble, schema: Schema) -> str:
    """Return a Python module with ``margin``, ``probability`` and ``label`` of a record.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import TreeHypothesis
    >>> from littlestone.classes.boosted_trees import TreeEnsemble
    >>> schema = Schema.from_dict({"age": {"bins": [30]}})
    >>> tree = TreeHypothesis.of(Node(schema.literals()[0], 1, 0))
    >>> module = {}
    >>> exec(as_python(TreeEnsemble((tree,), Fraction(1, 2)), schema), module)
    >>> [module["margin"]({"age": cell}) for cell in (31, "29.5", "?", None)]
    [1, -1, -1, -1]
    """
    probabilities = dict(zip(ensemble.margins, ensemble.probabilities.tolist(), strict=True))
    return _PYTHON.format(
        start=ensemble.margins[0],
        probabilities=repr(probabilities),
        **trees_in_python(ensemble.trees, schema),
    )


def trees_in_python(trees: Sequence[TreeHypothesis], schema: Schema) -> dict[str, str]:
    """Return what both modules say of trees, and how they read cells."""
    for tree in trees:
        tree.to_sql(schema)  # refuses a schema that is not the model's
    listed = [(times, _plain(tree.tree, schema)) for tree, times in Counter(trees).items()]
    used = {split.column for tree in trees for split in tree.literals}
    missing = {
        column.name: column.missing
        for j, column in enumerate(schema)
        if j in used and column.missing
    }
    lines = "".join(f"    {item!r},\n" for item in listed)
    return {"trees": f"[\n{lines}]", "missing": repr(missing), "reading": _READING}


def _plain(tree: Tree, schema: Schema) -> Any:
    if not isinstance(tree, Node):
        return tree
    column = schema.columns[tree.split.column]
    value = _value(tree.split, column)
    sides = (_plain(side, schema) for side in (tree.yes, tree.no))
    return (column.name, tree.split.op, value, *sides)


def _value(split: Literal, column: Column) -> Any:
    if split.op == "is":
        return (column.categories or ())[split.code - Column.FIRST]
    return (column.edges or ())[split.code - Column.FIRST - 1]
