"""A sum of trees that vote for labels, for other programs: SQL, and Python without dependencies."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from littlestone.classes.boosted_trees.export import double, trees_in_python
from littlestone.classes.decision_trees import sql
from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.data import Schema
from littlestone.errors import parameter_error
from littlestone.types import Label

if TYPE_CHECKING:
    from littlestone.classes.boosted_trees.labelled import LabelEnsemble

__all__ = ["as_python", "as_sql"]

_WHAT = ("label", "probability", "votes")
_LARGEST = 700  # of a power of e: no engine overflows


def as_sql(
    ensemble: LabelEnsemble,
    schema: Schema,
    *,
    dialect: str = "standard",
    what: str = "label",
    of: Label | None = None,
) -> str:
    """Return a sum of trees with several labels as one SQL expression.

    The expression is a scalar subquery: it evaluates each tree once, and then counts votes.

    Parameters
    ----------
    ensemble : LabelEnsemble
    schema : Schema
        The schema that it was learned with.
    dialect : {"standard", "duckdb"}, default "standard"
        As for `TreeHypothesis.to_sql`.
    what : {"label", "probability", "votes"}, default "label"
        The value: the label that is answered, or the probability or the votes of one label; never
        NULL.
    of : int or str, optional
        Which label, for its probability or its votes.

    Raises
    ------
    ParameterError
        If the schema does not have the columns, or a choice is unknown.
    """
    names = ensemble.label_names
    if what not in _WHAT:
        raise parameter_error("to_sql", "what", f"one of {', '.join(_WHAT)}", what)
    if what == "label" and of is not None:
        raise parameter_error("to_sql", "of", "left out for the label", of)
    if what != "label" and of not in names:
        raise parameter_error("to_sql", "of", f"one of {list(names)}, for {what}", of)
    counted = Counter(ensemble.trees)
    drawn = [
        f"{_codes(tree.tree, schema, dialect, len(names))} AS {_tree(i)}"
        for i, tree in enumerate(counted)
    ]
    votes = [str(start) for start in ensemble.start]
    for i, (tree, times) in enumerate(counted.items()):
        for code in sorted(_answers(tree.tree)):
            votes[code] += f" + {times} * CASE {_tree(i)} WHEN {code} THEN 1 ELSE 0 END"
    summed = ",\n".join(f"{own} AS {_votes(code)}" for code, own in enumerate(votes))
    if drawn:
        trees = ",\n".join(drawn)
        summed += f"\nFROM (SELECT {trees}) AS littlestone_trees"
    if what == "label":
        value = _most(names, dialect)
    else:
        own = names.index(of)
        value = _votes(own) if what == "votes" else _share(own, len(names), float(ensemble.step))
    return f"(SELECT {value}\nFROM (SELECT {summed}) AS littlestone_votes)"


def _tree(i: int) -> str:
    return f"littlestone_tree_{i}"


def _votes(code: int) -> str:
    return f"littlestone_votes_{code}"


def _codes(tree: Tree, schema: Schema, dialect: str, labels: int) -> str:
    return f"({sql.as_sql(tree, schema, dialect, range(labels))})"


def _answers(tree: Tree) -> set[int]:
    return _answers(tree.yes) | _answers(tree.no) if isinstance(tree, Node) else {tree}


def _most(names: tuple[Label, ...], dialect: str) -> str:
    """Return the label with the most votes; of equals, the first."""
    codes = range(len(names))
    lines = [
        f"WHEN {' AND '.join(f'{_votes(k)} >= {_votes(j)}' for j in codes if j != k)} "
        f"THEN {_literal(names[k], dialect)}"
        for k in codes[:-1]
    ]
    return "\n".join(["CASE", *lines, f"ELSE {_literal(names[-1], dialect)}", "END"])


def _share(own: int, labels: int, step: float) -> str:
    """Return the probability of a label: 1 / (1 + the sum of the odds of the others)."""
    odds = " + ".join(
        f"EXP(LEAST({_LARGEST}, {double(step)} * ({_votes(k)} - {_votes(own)})))"
        for k in range(labels)
        if k != own
    )
    return f"1e0 / (1 + {odds})"


def _literal(label: Label, dialect: str) -> str:
    return sql.quoted(label, dialect) if isinstance(label, str) else str(label)


_PYTHON = '''"""A private model as plain Python: no dependencies. Generated.

votes(record), probability(record), label(record): a record is a mapping from column to cell
(a number, a text, a boolean or None), read by the rules of the public schema.
"""

import math
import re

LABELS = {labels}
START = {start}  # votes of each label to begin with
STEP = {step!r}  # log-odds of one vote
# (times, tree); a tree is the number of a label or (column, test, value, yes, no)
TREES = {trees}
MISSING = {missing}  # texts that mean "not known", by column

{reading}

def _votes(record):
    found = list(START)
    for times, tree in TREES:
        while isinstance(tree, tuple):
            column, test, value, yes, no = tree
            tree = yes if _yes(record, column, test, value) else no
        found[tree] += times
    return found


def votes(record):
    """Return the votes of each label."""
    return dict(zip(LABELS, _votes(record)))


def probability(record):
    """Return the probability of each label."""
    found = _votes(record)
    odds = [math.exp(STEP * (own - max(found))) for own in found]
    return {{label: own / sum(odds) for label, own in zip(LABELS, odds)}}


def label(record):
    """Return the label with the most votes; of equals, the first."""
    found = _votes(record)
    return LABELS[found.index(max(found))]
'''


def as_python(ensemble: LabelEnsemble, schema: Schema) -> str:
    """Return a Python module with ``votes``, ``probability`` and ``label`` of a record.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import TreeHypothesis
    >>> from littlestone.classes.boosted_trees import LabelEnsemble
    >>> schema = Schema.from_dict({"age": {"bins": [30]}})
    >>> names = ("a", "b", "c")
    >>> tree = TreeHypothesis.of(Node(schema.literals()[0], 2, 1), names)
    >>> module = {}
    >>> exec(as_python(LabelEnsemble((tree,), Fraction(1, 2), (0, 0, 0), names), schema), module)
    >>> [module["label"]({"age": cell}) for cell in (31, "29.5", "?", None)]
    ['c', 'b', 'b', 'b']
    """
    return _PYTHON.format(
        labels=repr(ensemble.label_names),
        start=repr(ensemble.start),
        step=float(ensemble.step),
        **trees_in_python(ensemble.trees, schema),
    )
