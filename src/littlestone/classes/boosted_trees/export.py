"""Sums of trees for other programs as SQL; `programs` has R and Python."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.classes.decision_trees import hypothesis as sql
from littlestone.classes.decision_trees.hypothesis import Node, Tree
from littlestone.data import Column, Schema
from littlestone.data.targets import Periods, Quantity
from littlestone.errors import parameter_error
from littlestone.types import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.classes.boosted_trees.ensemble import CodePoints, TreeEnsemble, TreeSum


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
    ensemble: TreeEnsemble,
    schema: Schema,
    *,
    dialect: str = "standard",
    what: str | None = None,
    of: Label | None = None,
) -> str:
    """Return a sum of trees as one SQL expression; never NULL.

    For the labels 0 and 1 ``what`` is "probability" (the default), "margin" or "label". Otherwise
    it is "label" (the default), or the "probability" or the "votes" of the label ``of``. Of a model
    with sets "set" is 1 where the set holds the label ``of``, and 0 elsewhere. Each cell is read
    once, each tree evaluated once.
    """
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
    if ensemble.binary:
        return _of_margin(ensemble, schema, dialect, what, of)
    summed = (_card_of_labels if ensemble.additive else _votes_of_trees)(ensemble, schema, dialect)
    if what == "probability":
        return _probability(summed, names.index(of), len(names), ensemble, dialect)
    if what == "label":
        value = _most(names, dialect)
    elif what == "set":
        value = _in_set(names.index(of), len(names), ensemble)
    else:
        value = _votes(names.index(of))
    return f"(SELECT {value}\nFROM (SELECT {summed}) AS votes)"


def _card_of_labels(ensemble: TreeEnsemble, schema: Schema, dialect: str) -> str:
    """Return the votes of each label of a scorecard, as a list for SELECT and what it is from."""
    base, own = _summed(ensemble, schema)
    votes = []
    for label, start in enumerate(base.tolist()):
        terms = [
            _points_of(at, schema.columns[at], points[:, [label]], dialect)
            for at, points in own.items()
            if points[:, label].any()
        ]
        votes.append(f"{' + '.join([str(start), *terms])} AS {_votes(label)}")
    return sql.select(",\n".join(votes), own, schema, dialect).removeprefix("SELECT ")


def _votes_of_trees(ensemble: TreeEnsemble, schema: Schema, dialect: str) -> str:
    """Return the votes of each label of any sum, likewise; each tree is evaluated once."""
    labels = len(ensemble.label_names)
    codes = [sql.case(tree.tree, schema, dialect, range(labels)) for tree in ensemble.counted]
    answers = _answers_of_columns(ensemble.code_points, schema, dialect)
    votes = [str(start) for start in ensemble.start]
    columns = {f"a{at}": answer for at, answer in enumerate(answers)}
    if ensemble.code_points is not None:
        points = [
            _points(ensemble.code_points, list(columns), code, dialect) for code in range(labels)
        ]
        votes = [f"{own} + {more}" for own, more in zip(votes, points, strict=True)]
    for i, (tree, times) in enumerate(ensemble.counted.items()):
        for code in sorted(_answers(tree.tree)):
            votes[code] += f" + {times} * CASE r{i} WHEN {code} THEN 1 ELSE 0 END"
    summed = ",\n".join(f"{own} AS {_votes(code)}" for code, own in enumerate(votes))
    columns |= {f"r{i}": tree for i, tree in enumerate(codes)}
    if columns:
        trees = ",\n".join(f"({own}) AS {name}" for name, own in columns.items())
        read = sql.select(trees, _used(ensemble), schema, dialect)
        summed += f"\nFROM ({read}) AS trees"
    return summed


def _of_margin(
    ensemble: TreeEnsemble, schema: Schema, dialect: str, what: str, of: Label | None
) -> str:
    """Return the margin of the labels 0 and 1, or what follows from it.

    It is ``first + unit * sum``; the sum, from 0 on, counts points of a scorecard or trees.
    """
    first, unit, most, summed, used = (_card if ensemble.additive else _trees)(
        ensemble, schema, dialect
    )
    if what == "margin":
        return f"({sql.select(f'{first} + {unit} * ({summed})', used, schema, dialect)})"
    if what == "set":
        sign = "-" if of == 1 else ""
        compared = ">=" if of == 1 else "<="
        near = f"{first} + {unit} * ({summed}) {compared} {sign}{ensemble.width}"
        return f"({sql.select(f'CASE WHEN {near} THEN 1 ELSE 0 END', used, schema, dialect)})"
    if what == "label":
        label = f"CASE WHEN {summed} > {-first // unit} THEN 1 ELSE 0 END"
        return f"({sql.select(label, used, schema, dialect)})"
    least = ensemble.margins[0]
    margins = range(first, first + unit * most + 1, unit)
    chances = [double(ensemble.probabilities[(margin - least) // 2]) for margin in margins]
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


def _trees(
    ensemble: TreeEnsemble, schema: Schema, dialect: str
) -> tuple[int, int, int, str, set[int]]:
    """Return of any sum: first, unit, most, the sum, and the columns that it reads."""
    terms = [
        (f"{times} * " if times > 1 else "") + f"({sql.case(tree.tree, schema, dialect)})"
        for tree, times in ensemble.counted.items()
    ]
    margins = ensemble.margins
    if ensemble.code_points is not None:
        answers = _answers_of_columns(ensemble.code_points, schema, dialect)
        begin = _points(ensemble.code_points, answers, 1, dialect, over=2)
        terms.append(f"{begin} - {ensemble.code_points.least[1] // 2}".replace("- -", "+ "))
    return margins[0], 2, len(margins) - 1, "\n+ ".join(terms) or "0", _used(ensemble)


def _card(
    ensemble: TreeEnsemble, schema: Schema, dialect: str
) -> tuple[int, int, int, str, set[int]]:
    """Return of a scorecard: first, unit, most, the sum of points, and the columns it reads."""
    base, own = _summed(ensemble, schema)
    unit, most = ensemble.unit(base, own), sum(int(points.max()) for points in own.values())
    terms = [_points_of(at, schema.columns[at], own[at] // unit, dialect) for at in own]
    return int(base[0]), unit, most // unit, "\n+ ".join(terms) or "0", set(own)


def _summed(ensemble: TreeEnsemble, schema: Schema) -> tuple[Any, dict[int, Any]]:
    """Return the scorecard by codes; refuse a schema that is not the model's."""
    for split in ensemble.literals:
        sql.check(split, schema)
    if ensemble.code_points is not None:
        ensemble.code_points.check(schema)
    return ensemble.summed(schema)


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


def _used(ensemble: TreeEnsemble) -> set[int]:
    points = ensemble.code_points.columns if ensemble.code_points else ()
    return {split.column for split in ensemble.literals} | {column for column, _ in points}


def _answers_of_columns(points: CodePoints | None, schema: Schema, dialect: str) -> list[str]:
    """Return for each column with points which of them a cell has."""
    if points is None:
        return []
    points.check(schema)
    found = []
    for column, _ in points.columns:
        tests = points.tests(column, schema)
        cases = [
            f"WHEN {sql.as_test(test, schema, dialect)} THEN {len(tests) - i}"
            for i, test in enumerate(tests)
        ]
        found.append("\n".join(["CASE", *cases, "ELSE 0 END"]))
    return found


def _points(
    points: CodePoints, answers: list[str], label: int, dialect: str, *, over: int = 1
) -> str:
    """Return the votes of a label to begin with, rounded as `CodePoints.votes` does; or a part."""
    columns = []
    for answer, (_, own) in zip(answers, points.columns, strict=True):
        cases = [f"WHEN {place} THEN {votes[label]}" for place, votes in enumerate(own)]
        columns.append(f"CASE {answer} {' '.join(cases)} END")
    total = "\n+ ".join(columns) or "0"
    if points.limit is not None:
        total = bounded(-points.limit, points.limit, total, dialect)
    each = points.grain * points.unit
    rounded = f"FLOOR((2 * ({points.base[label]} + {total}) + {each}) / {double(2 * each)})"
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


def _in_set(own: int, labels: int, ensemble: TreeEnsemble) -> str:
    """Return 1 where a label has not too many votes fewer than any other, and 0 elsewhere."""
    near = [f"{_votes(own)} + {ensemble.width} >= {_votes(k)}" for k in range(labels) if k != own]
    return f"CASE WHEN {' AND '.join(near)} THEN 1 ELSE 0 END"


def _probability(summed: str, own: int, labels: int, ensemble: TreeEnsemble, dialect: str) -> str:
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

    if ensemble.cap is None:
        return f"(SELECT {share(own)}\nFROM (SELECT {summed}) AS votes)"
    shares = [f"q{k}" for k in codes]
    columns = [f"{share(k)} AS {shares[k]}" for k in codes]
    columns += [f"1e0 AS u{k}" for k in codes]
    table = f"(SELECT {', '.join(columns)}\nFROM (SELECT {summed}) AS votes)"
    for turn in range(labels - 1):
        parts = [f"1e0 - ({_link_sum(shares, k, dialect)}) AS u{k}" for k in codes]
        table = f"(SELECT {', '.join([*shares, *parts])}\nFROM {table} AS turn{turn})"
    total = " + ".join(f"u{k}" for k in codes)
    return f"(SELECT u{own} / ({total})\nFROM {table} AS parts)"


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


def sum_as_sql(
    found: TreeSum,
    schema: Schema,
    *,
    dialect: str = "standard",
    what: str | None = None,
    of: int | None = None,
) -> str:
    """Return a sum of one number as one SQL expression; never NULL.

    It is the quantity, or the expected count; ``what`` may be "low" or "high", an end of its
    interval. Of a time until an event ``what`` is "risk" (the default), or "survival", at the end
    of the period ``of``, from 1.
    """
    if not isinstance(found.target, Periods):
        ends = () if found.width is None else ("low", "high")
        if what not in (None, *ends) or of is not None:
            wanted = "left out, or low or high of a model with intervals"
            raise parameter_error("to_sql", "what", wanted, what)
        score = _score(found, schema, dialect)
        value = _worth(found, score, dialect) if what is None else _end(found, score, dialect, what)
        return _of_sums(value, [found], schema, dialect)
    periods = len(found.target.ends)
    last = periods
    if what == "survival":
        if type(of) is not int or not 1 <= of <= periods:
            raise parameter_error("to_sql", "of", f"a period in [1, {periods}]", of)
        last = of
    elif what not in (None, "risk") or of is not None:
        raise parameter_error("to_sql", "what", "risk, or survival of a period", what)
    least, most = _ends(dialect)
    terms, sums = [], [found.of_period(schema, period) for period in range(last)]
    for own in sums:
        score = _score(own, schema, dialect)
        power = f"EXP({_limited(found, score, dialect)} / {double(PARTS)})"
        odds = f"{least}(1, 2 / (1 + 1 / {power})) * {most}(1, (1 + {power}) / 2)"
        terms.append(f"LN(1 + {odds})")
    risk = "\n+ ".join(terms)
    value = f"EXP(-({risk}))" if what == "survival" else f"({risk})"
    return _of_sums(value, sums, schema, dialect)


def _of_sums(value: str, sums: Sequence[TreeSum], schema: Schema, dialect: str) -> str:
    used = {split.column for found in sums for split in found.literals}
    return f"({sql.select(value, used, schema, dialect)})"


def _score(found: TreeSum, schema: Schema, dialect: str) -> str:
    trees = [
        f"({sql.case(tree.tree, schema, dialect, (-step, step))})"
        for tree, step in found.counted.items()
    ]
    return "(" + "\n+ ".join([str(found.start[0]), *trees]) + ")"


def _limited(found: TreeSum, score: str, dialect: str) -> str:
    low, high = found.limits
    return bounded(low, high, score, dialect)


def _worth(found: TreeSum, score: str, dialect: str) -> str:
    limited = _limited(found, score, dialect)
    parts = limited if found.linear else f"EXP({limited} / {double(PARTS)})"
    if not isinstance(found.target, Quantity):
        return parts
    width = found.target.width / (PARTS if found.linear else 1)
    return f"({double(float(found.target.low))} + {parts} * {double(float(width))})"


def _end(found: TreeSum, score: str, dialect: str, what: str) -> str:
    """Return an end of the interval: in parts, within the public range, and then in the unit."""
    middle = _limited(found, score, dialect)
    if not found.linear:
        middle = f"ROUND(EXP({middle} / {double(PARTS)}) * {PARTS})"
    far = f"{middle} {'-' if what == 'low' else '+'} {found.width}"
    first, unit, most = found.parts
    return f"({double(first)} + {bounded(0, most, far, dialect)} * {double(unit)})"
