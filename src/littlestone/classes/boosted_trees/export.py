"""Sums of trees for other programs as SQL; `programs` has R and Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from littlestone.classes.decision_trees import hypothesis as sql
from littlestone.classes.decision_trees.hypothesis import Node, Tree, TreeHypothesis
from littlestone.data import Column, Schema
from littlestone.data.cells import Texts
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.types import Label

if TYPE_CHECKING:
    from littlestone.classes.boosted_trees.coefficients import CodePoints
    from littlestone.classes.boosted_trees.ensemble import TreeEnsemble, TreeSum
    from littlestone.data import Literal
    from littlestone.types import Json


# -- A sum of trees of depth 1 as points: for each column, groups of cells with equal points.


Ints = npt.NDArray[np.int64]


class Group(NamedTuple):
    """Codes of one column with equal points: neighbouring bins, or any categories."""

    codes: tuple[int, ...]
    points: tuple[int, ...]  # by label; of the labels 0 and 1 one number

    @property
    def odd(self) -> bool:
        """Whether it has the cells that are missing or other."""
        return Column.MISSING in self.codes


def groups(column: Column, points: Ints) -> list[Group]:
    """Return the groups of a column, of points by code; what is missing or other comes last.

    Examples
    --------
    >>> points = np.array([[0], [0], [2], [2], [1]])
    >>> groups(Column.bins("age", [30, 60]), points)
    [Group(codes=(2, 3), points=(2,)), Group(codes=(4,), points=(1,)),
     Group(codes=(0, 1), points=(0,))]
    >>> groups(Column.of("city", ["Bonn", "Rome", "Ulm"]), np.array([[0], [0], [2], [0], [2]]))
    [Group(codes=(2, 4), points=(2,)), Group(codes=(0, 1, 3), points=(0,))]
    """
    rows: list[tuple[int, ...]] = [tuple(row) for row in points.tolist()]
    odd = rows[Column.MISSING]  # no split tells missing from other
    codes: Sequence[int] = range(Column.FIRST, len(rows))
    if column.numeric:
        runs = [Group(tuple(run), own) for own, run in groupby(codes, rows.__getitem__)]
        return [*runs, Group((Column.MISSING, Column.OTHER), odd)]
    same: dict[tuple[int, ...], list[int]] = {}
    for code in codes:
        same.setdefault(rows[code], []).append(code)
    last = (Column.MISSING, Column.OTHER, *same.pop(odd, ()))
    return [*(Group(tuple(own), value) for value, own in same.items()), Group(last, odd)]


# -- The units of scores, which are integers.


#: Parts of a cell of a quantity, and of one of a log rate and of log-odds.
PARTS = 1024
#: Log rates and log-odds are at least minus this, and log-odds at most this.
REACH = 10


_WHAT = {True: ("probability", "margin", "label"), False: ("label", "probability", "votes")}
_LARGEST = 700  # of a power of e: no engine overflows


def as_sql(
    model: TreeEnsemble | TreeSum, schema: Schema, *, dialect: str, what: str | None, of: Any
) -> str:
    """Return a sum of trees as one SQL expression; never NULL.

    Of a quantity or a count it is that; ``what`` may be "low" or "high", an end of its interval. Of
    a time until an event ``what`` is "risk" (the default), or "survival", at the end of the period
    ``of``, from 1.

    For the labels 0 and 1 ``what`` is "probability" (the default), "margin" or "label". Otherwise
    it is "label" (the default), or the "probability" or the "votes" of the label ``of``. Of a model
    with sets "set" is 1 where the set holds the label ``of``, and 0 elsewhere. Each cell is read
    once, each tree evaluated once.
    """
    if model.target is not None:
        return _of_number(cast("TreeSum", model), schema, dialect, what, of)
    ensemble: TreeEnsemble = model
    names = ensemble.label_names
    choices = [*_WHAT[ensemble.binary], *([] if ensemble.width is None else ["set"])]
    what = choices[0] if what is None else what
    if what not in choices:
        raise parameter_error("to_sql", "what", f"one of {', '.join(choices)}", what)
    if what != "set" and (ensemble.binary or what == "label"):
        if of is not None:
            asked = "labels 0 and 1" if ensemble.binary else "label"
            raise parameter_error("to_sql", "of", f"left out for the {asked}", of)
    elif of not in names:
        raise parameter_error("to_sql", "of", f"one of {list(names)}, for {what}", of)
    ensemble = _carded(ensemble, schema)
    if ensemble.binary:
        return _of_margin(ensemble, schema, dialect, what, of)
    summed = _summed(ensemble, schema, dialect)
    if what == "probability":
        return _probability(summed, names.index(of), len(names), ensemble, dialect)
    if what == "label":
        value = _most(names, dialect)
    elif what == "set":
        value = _in_set(names.index(of), len(names), ensemble)
    else:
        value = _votes(names.index(of))
    return f"(SELECT {value}\nFROM (SELECT {summed}) AS votes)"


def _carded(ensemble: TreeEnsemble, schema: Schema) -> TreeEnsemble:
    """Return a scorecard as points of codes; refuse a schema that is not the model's."""
    for split in ensemble.literals:
        sql.check(split, schema)
    if ensemble.code_points is not None:
        ensemble.code_points.check(schema)
    return ensemble.as_points(schema) if ensemble.additive else ensemble


def _summed(ensemble: TreeEnsemble, schema: Schema, dialect: str) -> str:
    """Return the votes of each label, as a list for SELECT and what it is from.

    Each tree is evaluated once.
    """
    labels = range(len(ensemble.label_names))
    votes, columns = [str(start) for start in ensemble.start], {}
    if ensemble.code_points is not None:
        for label in labels:
            columns[f"b{label}"] = _begin(ensemble.code_points, schema, label, dialect)
            votes[label] += f" + b{label}"
    for i, (tree, times) in enumerate(ensemble.counted.items()):
        columns[f"r{i}"] = sql.case(tree.tree, schema, dialect, labels)
        for code in sorted(_answers(tree.tree)):
            votes[code] += f" + {times} * CASE r{i} WHEN {code} THEN 1 ELSE 0 END"
    summed = ",\n".join(f"{own} AS {_votes(code)}" for code, own in enumerate(votes))
    if columns:
        parts = ",\n".join(f"({own}) AS {name}" for name, own in columns.items())
        read = sql.select(parts, ensemble.columns, schema, dialect)
        summed += f"\nFROM ({read}) AS parts"
    return summed


def _of_margin(
    ensemble: TreeEnsemble, schema: Schema, dialect: str, what: str, of: Label | None
) -> str:
    """Return the margin of the labels 0 and 1, or what follows from it.

    It is ``first + 2 * sum``; the sum, from 0 on, counts trees and halves of points.
    """
    terms = [
        (f"{times} * " if times > 1 else "") + f"({sql.case(tree.tree, schema, dialect)})"
        for tree, times in ensemble.counted.items()
    ]
    if (points := ensemble.code_points) is not None:
        terms.append(_begin(points, schema, 1, dialect, over=2))
        terms += [str(-points.least[1] // 2)] * bool(points.least[1])
    summed, used = "\n+ ".join(terms) or "0", ensemble.columns
    first = ensemble.margins[0]
    if what == "margin":
        return f"({sql.select(f'{first} + 2 * ({summed})', used, schema, dialect)})"
    if what == "set":
        sign = "-" if of == 1 else ""
        compared = ">=" if of == 1 else "<="
        near = f"{first} + 2 * ({summed}) {compared} {sign}{ensemble.width}"
        return f"({sql.select(f'CASE WHEN {near} THEN 1 ELSE 0 END', used, schema, dialect)})"
    if what == "label":
        label = f"CASE WHEN {summed} > {-first // 2} THEN 1 ELSE 0 END"
        return f"({sql.select(label, used, schema, dialect)})"
    chances = [double(chance) for chance in ensemble.probabilities]
    if dialect == "duckdb":
        value = f"[{','.join(chances)}][1 + {summed}]"
        return f"({sql.select(value, used, schema, dialect)})"
    at, cases = 0, []
    for chance, same in groupby(chances):
        at += len(list(same))
        cases.append(f"WHEN s < {at} THEN {chance}")
    table = sql.select(f"{summed} AS s", used, schema, dialect)
    found = "\n".join([*cases[:-1], f"ELSE {chances[-1]}"])
    value = f"CASE {found} END" if cases[1:] else chances[-1]
    return f"(SELECT {value}\nFROM ({table}) AS sums)"


def _points_of(position: int, column: Column, points: Any, dialect: str) -> str:
    """Return the points of one column as an expression of its cell."""
    *listed, odd = groups(column, points)
    if listed and listed[0].points == odd.points:  # below all edges as where there is no number
        del listed[0]
    cases = []
    for group in reversed(listed):
        if column.edges is None:
            texts = [(column.categories or ())[code - Column.FIRST] for code in group.codes]
            named = ", ".join(sql.quoted(text, dialect) for text in texts)
            test = f"IN ({named})" if texts[1:] else f"= {named}"
        elif group.codes[0] == Column.FIRST:  # below all edges
            test = "IS NOT NULL"
        else:
            test = f">= {column.edges[group.codes[0] - Column.FIRST - 1]!r}"
        cases.append(f"WHEN {sql.cell(position)} {test} THEN {group.points[0]}")
    return f"CASE {' '.join(cases)} ELSE {odd.points[0]} END"


def _begin(points: CodePoints, schema: Schema, label: int, dialect: str, *, over: int = 1) -> str:
    """Return the votes of a label to begin with, rounded as `CodePoints.votes` does; or a part."""
    additive, base = points.additive, points.base[label]
    terms = []
    for at, (column, _) in enumerate(points.columns):
        own = points.by_code(at)[:, [label]] // (over if additive else 1)
        if own.any():
            terms.append(_points_of(column, schema.columns[column], own, dialect))
    if additive:
        return "\n+ ".join([str(base // over)] * bool(base or not terms) + terms)
    total = "\n+ ".join(terms) or "0"
    if points.limit is not None:
        total = bounded(-points.limit, points.limit, total, dialect)
    each = points.grain * points.unit
    rounded = f"FLOOR((2 * ({base} + {total}) + {each}) / {double(2 * each)})"
    return f"{points.grain // over} * CAST({rounded} AS INTEGER)"


def _ends(dialect: str) -> tuple[str, str]:
    """Return the names of the functions for the least and the largest of several numbers."""
    return ("MIN", "MAX") if dialect == "sqlite" else ("LEAST", "GREATEST")


def bounded(low: int, high: int, value: str, dialect: str) -> str:
    """Return a value, moved into [low, high]."""
    least, most = _ends(dialect)
    return f"{least}({high}, {most}({low}, {value}))"


def double(value: float) -> str:
    """Write a number so that SQL takes it for a double, not for a decimal."""
    written = repr(float(value))
    return written if "e" in written else f"{written}e0"


def _votes(code: int) -> str:
    return f"v{code}"


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


def _in_set(label: int, labels: int, ensemble: TreeEnsemble) -> str:
    """Return 1 where a label has not too many votes fewer than any other, and 0 elsewhere."""
    near = [
        f"{_votes(label)} + {ensemble.width} >= {_votes(k)}" for k in range(labels) if k != label
    ]
    return f"CASE WHEN {' AND '.join(near)} THEN 1 ELSE 0 END"


def _probability(summed: str, code: int, labels: int, ensemble: TreeEnsemble, dialect: str) -> str:
    """Return the probability of a label: its share of the votes, or what the link makes of all."""
    step, codes, (least, _) = float(ensemble.step), range(labels), _ends(dialect)

    def share(label: int) -> str:
        """Return 1 / (1 + the sum of the odds of the others)."""
        odds = " + ".join(
            f"EXP({least}({_LARGEST}, {double(step)} * ({_votes(k)} - {_votes(label)})))"
            for k in codes
            if k != label
        )
        return f"1e0 / (1 + {odds})"

    if not ensemble.linked:
        return f"(SELECT {share(code)}\nFROM (SELECT {summed}) AS votes)"
    shares = [f"q{k}" for k in codes]
    columns = [f"{share(k)} AS {shares[k]}" for k in codes]
    columns += [f"1e0 AS u{k}" for k in codes]
    table = f"(SELECT {', '.join(columns)}\nFROM (SELECT {summed}) AS votes)"
    for turn in range(labels - 1):
        parts = [f"1e0 - ({_link_sum(shares, k, dialect)}) AS u{k}" for k in codes]
        table = f"(SELECT {', '.join([*shares, *parts])}\nFROM {table} AS turn{turn})"
    total = " + ".join(f"u{k}" for k in codes)
    return f"(SELECT u{code} / ({total})\nFROM {table} AS parts)"


def _link_sum(shares: list[str], label: int, dialect: str) -> str:
    """Return the sum over labels y of u_y max(q_y - q_k, 0) (`link`)."""
    return " + ".join(
        f"u{y} * {_ends(dialect)[1]}({shares[y]} - {shares[label]}, 0e0)"
        for y in range(len(shares))
        if y != label
    )


def _literal(label: Label, dialect: str) -> str:
    return sql.quoted(label, dialect) if isinstance(label, str) else str(label)


# --- one number -----------------------------------------------------------------------------------


def _of_number(
    model: TreeSum, schema: Schema, dialect: str, what: str | None, of: int | None
) -> str:
    if not model.target.ends:
        ends = () if model.width is None else ("low", "high")
        if what not in (None, *ends) or of is not None:
            allowed = "left out, or low or high of a model with intervals"
            raise parameter_error("to_sql", "what", allowed, what)
        score = _score(model, schema, dialect)
        value = _worth(model, score, dialect) if what is None else _end(model, score, dialect, what)
        return _of_sums(value, [model], schema, dialect)
    periods = len(model.target.ends)
    last = periods
    if what == "survival":
        if type(of) is not int or not 1 <= of <= periods:
            raise parameter_error("to_sql", "of", f"a period in [1, {periods}]", of)
        last = of
    elif what not in (None, "risk") or of is not None:
        raise parameter_error("to_sql", "what", "risk, or survival of a period", what)
    least, most = _ends(dialect)
    terms, sums = [], [model.of_period(schema, period) for period in range(last)]
    for of_period in sums:
        score = _score(of_period, schema, dialect)
        power = f"EXP({_limited(model, score, dialect)} / {double(PARTS)})"
        odds = f"{least}(1, 2 / (1 + 1 / {power})) * {most}(1, (1 + {power}) / 2)"
        terms.append(f"LN(1 + {odds})")
    risk = "\n+ ".join(terms)
    value = f"EXP(-({risk}))" if what == "survival" else f"({risk})"
    return _of_sums(value, sums, schema, dialect)


def _of_sums(value: str, sums: Sequence[TreeSum], schema: Schema, dialect: str) -> str:
    used = {column for model in sums for column in model.columns}
    return f"({sql.select(value, used, schema, dialect)})"


def _score(model: TreeSum, schema: Schema, dialect: str) -> str:
    trees = [
        f"({sql.case(tree.tree, schema, dialect, (-step, step))})"
        for tree, step in model.counted.items()
    ]
    return "(" + "\n+ ".join([str(model.start[0]), *trees]) + ")"


def _limited(model: TreeSum, score: str, dialect: str) -> str:
    low, high = model.limits
    return bounded(low, high, score, dialect)


def _worth(model: TreeSum, score: str, dialect: str) -> str:
    limited = _limited(model, score, dialect)
    parts = limited if model.linear else f"EXP({limited} / {double(PARTS)})"
    if not model.target.continuous:
        return parts
    width = model.target.width / (PARTS if model.linear else 1)
    return f"({double(float(model.target.low))} + {parts} * {double(float(width))})"


def _end(model: TreeSum, score: str, dialect: str, what: str) -> str:
    """Return an end of the interval: in parts, within the public range, and then in the unit."""
    middle = _limited(model, score, dialect)
    if not model.linear:
        middle = f"ROUND(EXP({middle} / {double(PARTS)}) * {PARTS})"
    far = f"{middle} {'-' if what == 'low' else '+'} {model.width}"
    first, unit, most = model.parts
    return f"({double(first)} + {bounded(0, most, far, dialect)} * {double(unit)})"


# -- Sums of trees, trees and rules as programs: one description of the model, and what scores it.
#
# `score.R` is base R, a function of a data frame; `score.py` is Python without dependencies,
# functions of a record.


_HEAD = """# A private model as base R: no packages. Generated by littlestone.
#
# score(data) returns a data frame with a row for each row of `data`: {what}.
# `data` has the columns of the model by their names (read files with check.names = FALSE).

MODEL <- {model}

"""


def as_r(
    model: TreeEnsemble | TreeSum, schema: Schema, labels: Sequence[Label], *, chances: bool = True
) -> str:
    """Return an R program with a function ``score`` of a data frame.

    Parameters
    ----------
    model : TreeEnsemble or TreeSum
        What is exported; of a single tree, a sum with one vote and without ``chances``.
    schema : Schema
        That of the model: it says how cells are read.
    labels : sequence of int or str
        What the codes of labels are called.
    chances : bool
        Whether probabilities are returned, too.

    Returns
    -------
    str
        R 3.5 or later, in ASCII. Numbers are written in hexadecimal, so that R reads the same.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import TreeEnsemble, TreeHypothesis
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30]}})
    >>> tree = TreeHypothesis.of(Node(schema.literals()[0], 1, 0))
    >>> text = as_r(TreeEnsemble((tree,), Fraction(1, 2)), schema, ["no", "yes"])
    >>> 'list(1, list("age", ">=", 30, 1, 0))' in text
    True
    """
    what = "the label, and probabilities"
    if model.target is not None:
        what = "the prediction, and the ends of its interval"
    if model.target is not None and model.target.ends:
        what = "the cumulative hazard, and the probability to be event-free at each end"
    described = _described(model, schema, labels, chances=chances)
    return _HEAD.format(what=what, model=_r(described)) + _program("score.R")


def as_python(model: TreeEnsemble | TreeSum, schema: Schema, *, votes: bool = True) -> str:
    """Return a Python module whose functions score a record: those of `score.py` that it needs.

    Of labels ``label``, ``probability`` and ``margin`` (or ``votes``), with sets ``label_set``; of
    a quantity or a count ``value``, with intervals ``interval``; of times ``survival``, ``risk``.
    Without ``votes`` it has ``label`` only: a single tree has no probabilities.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.classes import TreeHypothesis
    >>> from littlestone.classes.boosted_trees import TreeEnsemble
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30]}})
    >>> tree = TreeHypothesis.of(Node(schema.literals()[0], 1, 0))
    >>> module = {}
    >>> exec(as_python(TreeEnsemble((tree,), Fraction(1, 2)), schema), module)
    >>> [module["margin"]({"age": cell}) for cell in (31, "29.5", "?", None)]
    [1, -1, -1, -1]
    """
    described = _described(model, schema, getattr(model, "label_names", ()), chances=votes)
    if model.target is None:
        names = ["margin" if model.binary else "votes", "probability"] * votes + ["label"]
        names += ["label_set"] * (model.width is not None)
    elif model.target.ends:
        names = ["survival", "risk"]
    else:
        names = ["value"] + ["interval"] * (model.width is not None)
    head, *functions = _program("score.py").split("\n\n\ndef ")
    shared = "_score" if model.target is not None else "_votes"
    needed = {*names, shared, "_text", "_number", "_one_of", "_pointed", "_cleaned", "_yes"}
    needed.add("_answer")
    kept = [text for text in functions if text.partition("(")[0] in needed]
    head = head.partition("# mypy: ignore-errors\n\n")[2]
    head = re.sub("MODEL = .*", lambda _: f"MODEL = {_python(described)}", head)
    shown = ", ".join(f"{name}(record)" for name in names)
    return _PYTHON.format(functions=shown) + "\n\n\ndef ".join([head, *kept])


_PYTHON = '''"""A private model as plain Python: no dependencies. Generated.

{functions}: a record is a mapping from column to cell
(a number, a text, a boolean or None), read by the rules of the public schema.
"""

'''


def _python(described: Json) -> str:
    """Return a description as Python reads it: lists with an entry on each line."""
    text = "{\n"
    for name, value in described.items():
        written = repr(value)
        if isinstance(value, list):
            written = "[\n" + "".join(f"        {entry!r},\n" for entry in value) + "    ]"
        text += f"    {name!r}: {written},\n"
    return text + "}"


def _program(name: str) -> str:
    return (files("littlestone.classes.boosted_trees") / name).read_text(encoding="utf-8")


def _described(
    model: TreeEnsemble | TreeSum, schema: Schema, labels: Sequence[Label], *, chances: bool
) -> Json:
    """Return what a program knows of a model: how cells are read, and integers."""
    tests = [split for split in model.literals if split.column < len(schema)]  # not the period
    if model.target is not None:
        described = _of_numbers(cast("TreeSum", model), schema)
    else:
        described = _of_labels(model, schema, labels, chances=chances)
        tests += model.code_points.asked(schema) if model.code_points else []
    width = {} if model.width is None else {"width": model.width}
    return {"columns": _columns(tests, schema)} | described | width


def _columns(tests: Sequence[Literal], schema: Schema) -> Json:
    """Return how the cells of columns are read."""
    columns: Json = {}
    for at in sorted({split.column for split in tests}):
        column = schema.columns[at]
        categories = column.categories
        columns[column.name] = {"missing": list(column.missing)} | (
            {}
            if categories is None
            else {"categories": list(categories), "by_value": Texts(categories).numeric}
        )
        if column.of_numbers and schema.csv is not None and schema.csv.decimal == "comma":
            columns[column.name]["comma"] = True  # texts are as in the files of the schema
        if (cleaning := column.cleaning) is not None:
            merged = {written: name for name, texts in cleaning.merge for written in texts}
            columns[column.name]["cleaning"] = [merged, cleaning.strip, cleaning.below]
    return columns


def _of_labels(
    model: TreeEnsemble, schema: Schema, labels: Sequence[Label], *, chances: bool
) -> Json:
    trees = [_List([times, _tree(tree, schema)]) for tree, times in model.counted.items()]
    described: Json = {
        "kind": "labels",
        "labels": list(labels),
        "start": list(model.start),
        "trees": _List(trees),
    }
    if (points := model.code_points) is not None:
        points.check(schema)
        columns = []
        for column, answers in points.columns:
            tests = points.tests(column, schema)
            rows = [
                answers[0],
                *answers[:0:-1],
            ]  # of no test, then of each as the first
            test_list = _List([_test(test, schema) for test in tests])
            columns.append({"tests": test_list, "points": _Matrix(rows)})
        described["points"] = {
            "columns": _List(columns),
            "limit": 2**53 if points.limit is None else points.limit,
            "base": list(points.base),
            "each": points.grain * points.unit,
            "grain": points.grain,
        }
    if chances and model.binary:
        described["first"] = model.margins[0]
        described["probabilities"] = model.probabilities.tolist()
    elif chances:
        described |= {"step": float(model.step), "linked": model.linked}
    return described


def _of_numbers(model: TreeSum, schema: Schema) -> Json:
    target, sums, kind = model.target, [model], "linear" if model.linear else "log"
    described: Json = {}
    if target.ends:
        sums = [model.of_period(schema, period) for period in range(len(target.ends))]
        kind, described["ends"] = "time", [float(end) for end in target.ends]
    if model.width is not None:
        described["scale"] = list(model.parts)
    trees = [
        _List([_List([step, _tree(tree, schema)]) for tree, step in of_period.counted.items()])
        for of_period in sums
    ]
    return described | {
        "kind": kind,
        "start": list(model.start),
        "trees": _List(trees),
        "limits": list(model.limits),
        "parts": PARTS,
        "low": float(target.low),
        "unit": float(target.width / (PARTS if model.linear else 1)),
    }


class _List(list[Any]):
    """A list in R; another Python list is a vector."""


class _Matrix(list[Any]):
    """Rows of a matrix in R."""


def _tree(tree: TreeHypothesis, schema: Schema) -> Any:
    tree.to_sql(schema)  # refuses a schema that is not the model's

    def node(tree: Tree) -> Any:
        if not isinstance(tree, Node):
            return tree
        return _List([*_test(tree.split, schema), node(tree.yes), node(tree.no)])

    return node(tree.tree)


def _test(split: Literal, schema: Schema) -> _List:
    column = schema.columns[split.column]
    place = split.code - column.FIRST
    if split.op == "is":
        return _List([column.name, split.op, (column.categories or ())[place]])
    return _List([column.name, split.op, (column.edges or ())[place - 1]])


def _r(value: Any) -> str:
    """Return a value as R reads it."""
    match value:
        case bool():
            text = "TRUE" if value else "FALSE"
        case int():
            text = str(value)
        case float():
            whole = value.is_integer() and abs(value) < 2**53
            text = str(int(value)) if whole else value.hex().replace("inf", "Inf")
        case str():
            text = _quoted(value)
        case dict():
            entries = (f"{_quoted(name)} = {_r(own)}" for name, own in value.items())
            text = f"list({', '.join(entries)})"
        case _Matrix():
            numbers = ", ".join(_r(number) for row in value for number in row)
            text = f"matrix(c({numbers}), {len(value)}, byrow = TRUE)"
        case _:
            text = f"{'list' if isinstance(value, _List) else 'c'}({', '.join(map(_r, value))})"
    return text


def _quoted(text: str) -> str:
    """Return a text in ASCII."""
    if "\0" in text:
        raise UnsupportedError(
            "R has no texts with a NUL character, and a name or category has one."
        )
    kept = (c if " " <= c <= "~" and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{"".join(kept)}"'


def refuse_columns(columns: Sequence[Column], to: str) -> None:
    """Refuse to export a model over columns whose cells another program would read otherwise."""
    dated = [column.name for column in columns if column.calendar is not None]
    if to != "json" and dated:
        raise UnsupportedError(
            f"A model over dates ({', '.join(dated)}) cannot be exported to {to}: export it to "
            "json, or leave these columns out of the schema."
        )
    cleaned = [column.name for column in columns if column.cleaning is not None]
    if to in ("sql", "r") and cleaned:
        raise UnsupportedError(
            f"A model over columns with merge, strip or below ({', '.join(cleaned)}) cannot be "
            f"exported to {to}: export it to python or json, or clean the cells first and give "
            "the schema without these keys."
        )
    inexact = [column.name for column in columns if column.beyond_doubles]
    if to in ("sql", "r") and inexact:
        raise UnsupportedError(
            f"A model with tests on whole numbers beyond 2**53 ({', '.join(inexact)}) cannot be "
            f"exported to {to}, which rounds them: export it to python or json."
        )
