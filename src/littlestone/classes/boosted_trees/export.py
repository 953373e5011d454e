"""Sums of trees for other programs: SQL, and Python without dependencies."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.classes.decision_trees import hypothesis as sql
from littlestone.classes.decision_trees.hypothesis import Node, Tree
from littlestone.data import Column, Literal, Schema
from littlestone.data.cells import Texts
from littlestone.data.targets import Count, Periods, Quantity
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


_READING = '''_WHITE = " \\t\\n\\r\\v\\f"
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WORDS = {"true": 1, "false": 0, "inf": math.inf, "+inf": math.inf, "-inf": -math.inf,
          "infinity": math.inf, "+infinity": math.inf, "-infinity": -math.inf}


def _text(cell):
    """Return how a cell is written, or None where it is missing."""
    if hasattr(cell, "item"):  # a number of NumPy
        cell = cell.item()
    if isinstance(cell, str):
        return cell.strip(_WHITE) or None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if cell is None or cell != cell:
        return None
    if hasattr(cell, "as_integer_ratio") and not isinstance(cell, int):
        cell = float(cell)  # a decimal, too
    if isinstance(cell, float) and not math.isinf(cell) and cell == int(cell):
        return str(int(cell))
    return repr(cell)


def _number(written):
    """Return what a text is worth, or None."""
    if not _NUMBER.fullmatch(written):
        return _WORDS.get(written.lower())
    number = float(written)
    exponent = written.lower().partition("e")[2].lstrip("+-0")
    if abs(number) < 2**53 or len(written) > 4000 or len(exponent) > 6:
        return number
    exact = Fraction(written)  # a double is not exact, or infinite; a whole number is exact
    whole = exact.denominator == 1 and abs(exact) < 10**400_000
    return exact.numerator if whole else number


def _one_of(texts, written):
    """Return which of some texts a cell is, by its text or by its value, or None."""
    lower = written.lower()
    if written in texts or (lower in ("true", "false") and lower in texts):
        return written if written in texts else lower
    number = _number(written)
    equal = [] if number is None else [each for each in texts if _number(each) == number]
    return next((each for each in equal if each == _text(number)), equal[0] if equal else None)


_LIMIT = re.compile("([<>]=?|[≤≥])[ \\t\\n\\r\\v\\f]*(" + _NUMBER.pattern + ")")


def _cleaned(column, written):
    """Return the text that a cell of a column is read as, or None where it is missing."""
    if written is None or column not in CLEANING:
        return written
    if _one_of(MISSING.get(column, ()), written) is not None:
        return None
    merged, unit, below = CLEANING[column]
    group = _one_of(list(merged), written)
    if group is not None:
        return merged[group]
    if _number(written) is not None or written.lower() == "nan":
        return written
    if unit and written.endswith(unit):
        written = written[:-len(unit)].rstrip(_WHITE)
    limit = _LIMIT.fullmatch(written) if below else None
    if limit is None:
        return written
    if below == "missing":
        return None
    number = _number(limit[2])
    if below == "limit" or limit[1][0] in ">≥" or number <= 0 or number == math.inf:
        return limit[2]
    half = Fraction(number) / 2
    if half.denominator == 1:
        return str(half.numerator)
    return _text(float(half) if half < 2**1023 else math.inf)


def _yes(record, column, test, value):
    written = _cleaned(column, _text(record.get(column)))
    if written is None or _one_of(MISSING.get(column, ()), written) is not None:
        return False
    if test == "is":
        return value == (_one_of(NUMBERS[column], written) if column in NUMBERS else written)
    number = _number(written)
    if number is None:
        return False
    return number >= value if test == ">=" else number < value
'''

_PYTHON = '''"""A private model as plain Python: no dependencies. Generated.

{functions}: a record is a mapping from column to cell
(a number, a text, a boolean or None), read by the rules of the public schema.
"""

import math
import re
from fractions import Fraction

LABELS = {labels}
START = {start}  # votes of each label to begin with
# (times, tree); a tree is the number of a label or (column, test, value, yes, no)
TREES = {trees}
MISSING = {missing}  # texts that mean "not known", by column
CLEANING = {cleaning}  # by column: merged texts, the unit, what a limit such as <0.3 is
NUMBERS = {numbers}  # categories of columns where one is a number: they are compared by value

{reading}

{points}
def _votes(record):
    found = {start_of}
    for times, tree in TREES:
        while isinstance(tree, tuple):
            column, test, value, yes, no = tree
            tree = yes if _yes(record, column, test, value) else no
        found[tree] += times
    return found


{answers}

def label(record):
    """Return the label with the most votes; of equals, the first."""
    found = _votes(record)
    return LABELS[found.index(max(found))]
'''

_SET = '''

def label_set(record):
    """Return the labels of its set: not too many votes fewer than the most."""
    found = _votes(record)
    return [name for name, votes in zip(LABELS, found) if votes >= max(found) - {width}]
'''

_POINTS = '''# (column, tests, points by label: where no test holds, then where each is the first)
POINTS = [
{lines}]


def _start(record):
    """Return the votes of each label before any tree."""
    total = [0] * len(LABELS)
    for column, tests, rows in POINTS:
        true = (i for i, (test, value) in enumerate(tests) if _yes(record, column, test, value))
        total = [a + b for a, b in zip(total, rows[next(true, -1) + 1])]
    total = [min({limit}, max(-{limit}, own)) for own in total]
    base = {base}
    return [
        start + {grain} * ((2 * (own + more) + {each}) // {twice})
        for start, own, more in zip(START, base, total)
    ]

'''

_MARGIN = '''PROBABILITIES = {probabilities}  # by margin


def margin(record):
    """Return the votes of 1 less those of 0."""
    zero, one = _votes(record)
    return one - zero


def probability(record):
    """Return the probability of label 1."""
    return PROBABILITIES[margin(record)]
'''

_BY_LABEL = '''STEP = {step!r}  # log-odds of one vote


def votes(record):
    """Return the votes of each label."""
    return dict(zip(LABELS, _votes(record)))


def probability(record):
    """Return the probability of each label."""
    found = _votes(record)
    odds = [math.exp(STEP * (own - max(found))) for own in found]
    shares = [own / sum(odds) for own in odds]
{link}    return dict(zip(LABELS, shares))
'''

_LINK = """    parts = [1.0] * len(shares)
    for _ in LABELS[1:]:  # what such shares mean after boosting with capped gradients
        parts = [
            1 - sum(part * max(share - own, 0) for part, share in zip(parts, shares))
            for own in shares
        ]
    shares = [part / sum(parts) for part in parts]
"""


def as_python(ensemble: TreeEnsemble, schema: Schema, *, votes: bool = True) -> str:
    """Return a Python module: ``probability`` and ``label`` of a record, ``margin`` or ``votes``.

    Of a model with sets also ``label_set``.
    Without ``votes`` it has ``label`` only: a single tree has no probabilities.

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
    link = "" if ensemble.cap is None else _LINK
    answers = _BY_LABEL.format(step=float(ensemble.step), link=link)
    functions = "votes(record), probability(record), label(record)"
    if not votes:
        answers, functions = "", "label(record)"
    elif ensemble.binary:
        chances = dict(zip(ensemble.margins, ensemble.probabilities.tolist(), strict=True))
        answers = _MARGIN.format(probabilities=repr(chances))
        functions = "margin(record), probability(record), label(record)"
    for tree in ensemble.counted:
        tree.to_sql(schema)  # refuses a schema that is not the model's
    begin = ensemble.code_points
    points = _plain_points(begin, schema) if begin else ""
    lines = "".join(
        f"    {(times, _plain(tree.tree, schema))!r},\n" for tree, times in ensemble.counted.items()
    )
    asked = [*ensemble.literals, *(begin.asked(schema) if begin else [])]
    sets = "" if ensemble.width is None else _SET.format(width=ensemble.width)
    functions += ", label_set(record)" if sets else ""
    written = _PYTHON.format(
        functions=functions,
        labels=repr(ensemble.label_names),
        start=repr(ensemble.start),
        trees=f"[\n{lines}]",
        missing=repr(_missing(asked, schema)),
        cleaning=repr(_cleaning(asked, schema)),
        numbers=repr(_numbers(asked, schema)),
        reading=_READING,
        points=points,
        start_of="_start(record)" if points else "list(START)",
        answers=answers,
    )
    return written + sets


def _plain_points(points: CodePoints, schema: Schema) -> str:
    points.check(schema)
    lines = []
    for column, own in points.columns:
        tests, described = points.tests(column, schema), schema.columns[column]
        asked = [(test.op, _value(test, described)) for test in tests]
        lines.append(f"    {(described.name, asked, [own[0], *own[:0:-1]])!r},\n")
    each = points.grain * points.unit
    limit = "math.inf" if points.limit is None else points.limit
    return _POINTS.format(
        lines="".join(lines), limit=limit, base=points.base, grain=points.grain, each=each,
        twice=2 * each,
    )  # fmt: skip


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


_SUM = '''"""A private model as plain Python: no dependencies. Generated.

{functions}: a record is a mapping from column to cell
(a number, a text, a boolean or None), read by the rules of the public schema.
"""

import math
import re
from fractions import Fraction

START = {start}
# (step, tree) for each period, or of all; a tree is 0 or 1 or (column, test, value, yes, no)
TREES = {trees}
MISSING = {missing}  # texts that mean "not known", by column
CLEANING = {cleaning}  # by column: merged texts, the unit, what a limit such as <0.3 is
NUMBERS = {numbers}  # categories of columns where one is a number: they are compared by value

{reading}

def _score(record, period=0):
    found = START[period]
    for step, tree in TREES[period]:
        while isinstance(tree, tuple):
            column, test, value, yes, no = tree
            tree = yes if _yes(record, column, test, value) else no
        found += step if tree else -step
    return min({high}, max({low}, found))


{answers}'''

_QUANTITY = '''def value(record):
    """Return the quantity."""
    return {first!r} + _score(record) * {unit!r}
'''

_LOG = '''def value(record):
    """Return the {what}."""
    return {first!r} + math.exp(_score(record) / {parts}) * {unit!r}
'''

_INTERVAL = '''

def interval(record):
    """Return the two ends of the interval."""
    middle = {middle}
    low, high = (min({most}, max(0, middle + far)) for far in (-{width}, {width}))
    return {first!r} + low * {unit!r}, {first!r} + high * {unit!r}
'''

_TIME = '''ENDS = {ends}  # of the periods


def survival(record):
    """Return the probability that nothing has happened at the end of each period."""
    found, risk = [], 0.0
    for period in range(len(ENDS)):
        power = math.exp(_score(record, period) / {parts})
        risk += math.log1p(min(1, 2 / (1 + 1 / power)) * max(1, (1 + power) / 2))
        found.append(math.exp(-risk))
    return found


def risk(record):
    """Return the cumulative hazard of all periods."""
    return -math.log(survival(record)[-1])
'''


def sum_as_python(found: TreeSum, schema: Schema) -> str:
    """Return a Python module: ``value`` (and ``interval``), or ``survival`` and ``risk``.

    Examples
    --------
    >>> from littlestone.classes import TreeHypothesis
    >>> from littlestone.classes.boosted_trees.ensemble import TreeSum
    >>> from littlestone.data.targets import Quantity
    >>> schema = Schema.from_dict({"age": {"bins": [30]}})
    >>> tree = TreeHypothesis.of(Node(schema.literals()[0], 1, 0))
    >>> module = {}
    >>> exec(sum_as_python(TreeSum((tree,), (1024,), (2048,), Quantity(0, 10, 10)), schema), module)
    >>> [module["value"]({"age": cell}) for cell in (31, "29.5", "?", None)]
    [3.0, 1.0, 1.0, 1.0]
    """
    target, parts = found.target, PARTS
    sums, functions = [found], "value(record)"
    if isinstance(target, Quantity) and found.linear:
        unit = float(target.width / parts)
        answers = _QUANTITY.format(first=float(target.low), unit=unit)
    elif isinstance(target, Periods):
        ends = [float(end) for end in target.ends]
        answers, functions = _TIME.format(ends=ends, parts=parts), "survival(record), risk(record)"
        sums = [found.of_period(schema, period) for period in range(len(ends))]
    else:
        first, unit = 0.0, 1.0
        if isinstance(target, Quantity):
            first, unit = float(target.low), float(target.width)
        what = "expected count" if isinstance(target, Count) else "quantity"
        answers = _LOG.format(what=what, first=first, unit=unit, parts=parts)
    if found.width is not None:
        first, unit, most = found.parts
        power = f"round({parts} * math.exp(_score(record) / {parts}))"
        middle = "_score(record)" if found.linear else power
        functions += ", interval(record)"
        answers += _INTERVAL.format(
            middle=middle, width=found.width, first=first, unit=unit, most=most
        )
    for own in sums:
        for tree in own.counted:
            tree.to_sql(schema)  # refuses a schema that is not the model's
    low, high = found.limits
    written = [
        [(step, _plain(tree.tree, schema)) for tree, step in own.counted.items()] for own in sums
    ]
    lines = "".join(f"    {trees!r},\n" for trees in written)
    asked = tuple(split for own in sums for split in own.literals)
    return _SUM.format(
        functions=functions,
        start=repr(found.start),
        trees=f"[\n{lines}]",
        missing=repr(_missing(asked, schema)),
        cleaning=repr(_cleaning(asked, schema)),
        numbers=repr(_numbers(asked, schema)),
        reading=_READING,
        answers=answers,
        low=low,
        high=high,
    )


def _numbers(asked: Sequence[Literal], schema: Schema) -> dict[str, tuple[str, ...]]:
    """Return the categories of columns that are asked, where some of them is a number."""
    used = {split.column for split in asked if split.op == "is"}
    found = {schema.columns[j].name: schema.columns[j].categories or () for j in sorted(used)}
    return {name: categories for name, categories in found.items() if Texts(categories).numeric}


def _missing(asked: Sequence[Literal], schema: Schema) -> dict[str, tuple[str, ...]]:
    """Return the texts that mean "not known" in the columns that are asked for."""
    used = {split.column for split in asked}
    return {c.name: c.missing for j, c in enumerate(schema) if j in used and c.missing}


def _cleaning(asked: Sequence[Literal], schema: Schema) -> dict[str, tuple[Any, str, str]]:
    """Return how cells of columns that are asked for are cleaned."""
    used = {split.column for split in asked}
    return {
        c.name: (
            {written: name for name, texts in c.cleaning.merge for written in texts},
            c.cleaning.strip,
            c.cleaning.below,
        )
        for j, c in enumerate(schema)
        if j in used and c.cleaning is not None
    }
