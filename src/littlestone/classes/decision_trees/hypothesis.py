"""Released trees: splits at inner nodes, labels at leaves, in a normal form; in words, as text."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from littlestone.classes.hypotheses import Fields, names_of, names_to_dict, readable
from littlestone.data import Column, Literal, Schema
from littlestone.data.cells import BINARY, Texts, number
from littlestone.errors import parameter_error
from littlestone.types import Hypothesis, Json, Label, Labels, Points

# -- A binary tree of splits, and its normal form.
#
# A cell is known only as far as the splits above a node say: a range of bins (perhaps also
# *missing* and *other*, which answer no to every split), or a category, or not some categories. In
# the normal form of a tree, top-down,
#
# 1. a split whose answer is known there is replaced by that side;
# 2. a split is written in one way among all that part what is possible there in the same way, with
#    the sides swapped where needed: ``>=`` rather than ``<`` where the cell is known to be a
#    number, and the nearest edge where a split only says whether the cell is a number;
# 3. a node with two equal sides is replaced by the side.
#
# Every rule keeps the function, so trees with equal normal forms are equal functions. (The
# converse does not hold: "a, then b" may be the same function as "b, then a".)


@dataclass(frozen=True)
class Node:
    """An inner node: what is asked, and what follows each answer."""

    split: Literal
    yes: Tree
    no: Tree


#: A node, or the label of a leaf.
Tree: TypeAlias = Node | int

_END = 1 << 20  # above every code


@dataclass(frozen=True)
class Known:
    """What is known of the code of one cell."""

    low: int = Column.FIRST  # a number lies in the bins low .. high - 1
    high: int = _END
    odd: bool = True  # whether it may be missing or other
    category: int | None = None
    excluded: frozenset[int] = frozenset()  # categories that it is not

    @property
    def possible(self) -> bool:
        """Whether any cell is like this (of texts, some always is)."""
        return self.odd or self.low < self.high


def after(known: Known, split: Literal) -> tuple[Known | None, Known | None]:
    """Return what is known after the answers yes and no; None where no cell answers so.

    Examples
    --------
    >>> yes, no = after(Known(), Literal(0, ">=", 3, "age >= 30"))
    >>> yes.low, yes.odd, no.high, no.odd
    (3, False, 3, True)
    """
    code = split.code
    if split.op == "is":
        if known.category is not None:
            return (known, None) if known.category == code else (None, known)
        if code in known.excluded:
            return None, known
        # As a number range, an excluded or chosen category says nothing; texts do not use it.
        is_code = replace(known, category=code, odd=False)
        return is_code, replace(known, excluded=known.excluded | {code})
    below = replace(known, high=max(known.low, min(known.high, code)))
    above = replace(known, low=min(known.high, max(known.low, code)))
    yes, no = (above, below) if split.op == ">=" else (below, above)
    yes = replace(yes, odd=False)
    return (yes if yes.possible else None), (no if no.possible else None)


def normal(tree: Tree) -> Tree:
    """Return the normal form.

    Examples
    --------
    >>> at30, below30 = (Literal(0, op, 3, f"age {op} 30") for op in (">=", "<"))
    >>> normal(Node(at30, Node(below30, 0, 1), 0)) == Node(at30, 1, 0)
    True
    >>> normal(Node(at30, 1, 1))
    1
    """
    while True:
        # Again only after rule 3 has removed a node: what was below it is then less well known.
        edges = {(s.column, s.code): s for s, _ in walk(tree)}
        shorter = _normal(tree, {}, edges)
        if shorter == tree:
            return tree
        tree = shorter


def _normal(
    tree: Tree, known: Mapping[int, Known], edges: Mapping[tuple[int, int], Literal]
) -> Tree:
    if not isinstance(tree, Node):
        return tree
    split, (first, second) = tree.split, (tree.yes, tree.no)
    cell = known.get(split.column, Known())
    yes, no = after(cell, split)
    if yes is None or no is None:
        return _normal(second if yes is None else first, known, edges)
    if split.op != "is" and not cell.odd:
        if split.op == "<":
            split, first, second, yes, no = _written(split, ">="), second, first, no, yes
    elif split.op != "is" and no.low >= no.high:
        # All numbers answer yes. Some edge bounds the range, or no split could do this.
        nearest = (cell.low, ">=") if cell.low > Column.FIRST else (cell.high, "<")
        split = _written(edges[split.column, nearest[0]], nearest[1])
    first = _normal(first, {**known, split.column: yes}, edges)
    second = _normal(second, {**known, split.column: no}, edges)
    return first if first == second else Node(split, first, second)


def _written(split: Literal, op: str) -> Literal:
    """Return the split at the same edge with this operator; an edge is a number, without spaces."""
    if split.op == op:
        return split
    name, edge = split.text.rsplit(f" {split.op} ", 1)
    return replace(split, op=op, text=f"{name} {op} {edge}")


def walk(tree: Tree, depth: int = 0) -> Iterator[tuple[Literal, int]]:
    """Yield each split with its depth, the node before its sides."""
    if isinstance(tree, Node):
        yield tree.split, depth
        yield from walk(tree.yes, depth + 1)
        yield from walk(tree.no, depth + 1)


def key(tree: Tree) -> Hashable:
    """Return the identity: columns, tests, codes and labels (not the wording)."""
    if not isinstance(tree, Node):
        return tree
    split = tree.split
    return (split.column, split.op, split.code, key(tree.yes), key(tree.no))


# -- Trees as SQL: each cell is read once, by the schema's rules; ``CASE WHEN`` nested like a
# tree.
#
# One expression for each model: a scalar subquery over the cells of its row. What is missing or
# other is NULL, with which a comparison is neither true nor false, so ``CASE WHEN`` goes to
# ``ELSE``: exactly what a split does.


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
    largest = sys.float_info.max
    values = [value for value in map(number, column.missing) if value is not None]
    nulls = [repr(value) for value in values if abs(value) <= largest]
    known += [f"{name} NOT IN ({', '.join(nulls)})"] if nulls else []
    return f"CASE WHEN {' AND '.join(known)} THEN {name} END"


def _number(column: Column, at: int, raw: dict[str, str]) -> str:
    """Return the number in a cell as `Column.code` reads it, whatever the type of the column."""
    value = _value(column, at, raw)
    worth = {number(null): null for null in column.missing if number(null) is not None}
    doubles = ", ".join(_double(null) for value, null in worth.items() if value == value)  # noqa: PLR0124 - not of NaN
    return f"CASE WHEN {value} IN ({doubles}) THEN NULL ELSE {value} END" if doubles else value


def _value(column: Column, at: int, raw: dict[str, str]) -> str:
    """Return the number that a cell is, whatever its type; true is 1."""
    text_, value = _raw(column, at, "t", raw), _raw(column, at, "d", raw)
    return (
        f"CASE WHEN regexp_full_match({text_}, '{_NUMBER}') "
        f"THEN coalesce({value}, TRY_CAST({text_} AS BOOL)::INT) END"
    )


def _category(column: Column, at: int, raw: dict[str, str]) -> str:
    """Return the category that a cell is, by its text or by its value, or its text."""
    text_ = _raw(column, at, "t", raw)
    categories = column.categories or ()
    numbers = Texts(categories).numbers
    if not numbers:
        return text_
    listed = ", ".join(quoted(name, "duckdb") for name in categories)
    truths = [name for name in categories if name in ("true", "false")]
    lower = ", ".join(quoted(name, "duckdb") for name in truths)
    plain = " ".join(
        f"WHEN {_double(name)} THEN {quoted(categories[place], 'duckdb')}"
        for name, place in numbers
    )
    return (
        f"CASE WHEN {_raw(column, at, 'k', raw)} AND {text_} IN ({listed}) THEN {text_} "
        + (f"WHEN lower({text_}) IN ({lower}) THEN lower({text_}) " if truths else "")
        + f"ELSE CASE {_value(column, at, raw)} {plain} END END"
    )


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


_DEEPEST = 12
_MAX_COLUMN = 1_000_000
_MAX_CODE = 2**15 - 1
_OPS = (">=", "<", "is")
_INDENT = "|   "
_OPPOSITE = {">=": "<", "<": ">=", "is": "is not"}


@readable
@dataclass(frozen=True)
class TreeHypothesis(Hypothesis):
    """A decision tree over the columns of a public schema. Make one by `TreeHypothesis.of`.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> at30, below30, at60, below60, bonn, _ = schema.literals()
    >>> tree = TreeHypothesis.of(Node(at30, Node(bonn, 1, 0), Node(at60, 1, 0)))
    >>> tree.describe()
    'if age >= 30, then (if city is Bonn, then 1, otherwise 0), otherwise 0'
    >>> tree.predict(np.array([[3, 2], [3, 1], [0, 2]])).tolist()  # 0 is missing, 1 is other
    [1, 0, 0]
    >>> print(tree.export_text())
    |--- age >= 30
    |   |--- city is Bonn
    |   |   |--- class: 1
    |   |--- city is not Bonn
    |   |   |--- class: 0
    |--- age < 30, missing or other
    |   |--- class: 0
    """

    tree: Tree  # in normal form (`normal`); an int is the code of a constant label
    label_names: tuple[Label, ...] = BINARY

    TYPE: ClassVar[str] = "tree"

    def exported(self, schema: Schema) -> Self:
        """Return itself."""
        return self

    @classmethod
    def of(cls, tree: Tree, label_names: tuple[Label, ...] = BINARY) -> Self:
        """Return the hypothesis of any tree, in normal form."""
        return cls(normal(tree), label_names)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """Literals at its inner nodes."""
        return tuple(split for split, _ in walk(self.tree))

    @property
    def columns(self) -> set[int]:
        """The numbers of the columns that it asks."""
        return {split.column for split in self.literals}

    @property
    def key(self) -> Hashable:
        """Canonical identity: splits (not their wording) and labels."""
        return (self.TYPE, key(self.tree), self.label_names)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": self.TYPE, "tree": write_tree(self.tree)}
        return out | names_to_dict(self.label_names)

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; only what `of` returns is accepted."""
        fields = Fields(data, ("tree",), ("label_names",))
        names = names_of(fields)
        tree = read_tree(fields, most=len(names))
        if cls.of(tree, names).tree != tree:
            raise fields.refuse("tree", "in normal form, without needless splits")
        return cls(tree, names)

    @property
    def constant(self) -> int | None:
        """The code that is always answered, if it is one."""
        return None if isinstance(self.tree, Node) else self.tree

    @property
    def depth(self) -> int:
        """Number of splits on the longest path; 0 for a constant."""
        return max((depth + 1 for _, depth in walk(self.tree)), default=0)

    def predict(self, points: Points) -> Labels:
        """Label each row of codes."""
        out = np.empty(len(points), dtype=np.int8)
        out[:] = label(self.tree, points)
        return out

    def describe(self) -> str:
        """Say the tree in words."""
        return in_words(self.tree, self.label_names)

    def export_text(self) -> str:
        """Return the tree as indented text, in the style of scikit-learn's ``export_text``."""
        return as_text(self.tree, self.label_names)

    def to_sql(self, schema: Schema, *, dialect: str = "standard") -> str:
        """Return the tree as one SQL expression, never NULL; it reads each cell once.

        Examples
        --------
        >>> from littlestone.data import Schema
        >>> schema = Schema.from_dict({"city": {"categories": ["Bonn"]}})
        >>> print(TreeHypothesis.of(Node(schema.literals()[0], 1, 0)).to_sql(schema))
        (SELECT CASE WHEN c0 = 'Bonn' THEN
          1
        ELSE
          0
        END
        FROM (SELECT "city") AS cells(c0))
        """
        return as_sql(self.tree, schema, dialect, self.label_names)


def read_tree(fields: Fields, *, most: int = 2) -> Tree:
    """Return the tree in the entry ``tree`` of untrusted JSON, with leaves below ``most``."""
    tree = _from_dict(fields.any("tree"), 0, most)
    kinds: dict[int, bool] = {}
    for split, _ in walk(tree):
        if kinds.setdefault(split.column, split.op == "is") != (split.op == "is"):
            raise fields.refuse("tree", "of one kind (numbers or texts) for each column")
        if f" {split.op} " not in split.text:  # as all splits of a schema are
            raise fields.refuse("tree", "with splits that read: name op value")
    return tree


def label(tree: Tree, points: Points) -> Labels | np.int8:
    """Return the leaf of each row of codes; of a leaf itself one number."""
    if not isinstance(tree, Node):
        return np.int8(tree)
    split, codes = tree.split, points[:, tree.split.column]
    match split.op:
        case ">=":
            yes = codes >= split.code
        case "<":
            yes = (codes >= Column.FIRST) & (codes < split.code)
        case _:
            yes = codes == split.code
    return np.where(yes, label(tree.yes, points), label(tree.no, points))


def write_tree(tree: Tree) -> Json | int:
    """Return plain JSON of a tree."""
    if not isinstance(tree, Node):
        return tree
    split = tree.split
    test = {"column": split.column, "op": split.op, "code": split.code, "text": split.text}
    return {"type": "node", **test, "yes": write_tree(tree.yes), "no": write_tree(tree.no)}


def _from_dict(data: Any, depth: int, most: int) -> Tree:
    if isinstance(data, int) and not isinstance(data, bool) and 0 <= data < most:
        return data
    fields = Fields(data, ("column", "op", "code", "text", "yes", "no"))
    op = fields.text("op", 10)
    if fields.type != "node" or op not in _OPS:
        raise fields.refuse("op", f"one of {', '.join(_OPS)}, of a 'node'")
    if depth >= _DEEPEST:
        raise fields.refuse("yes", f"a tree of depth at most {_DEEPEST}")
    # The first bin has no edge below it, so no edge has its code.
    first = Column.FIRST + (op != "is")
    split = Literal(
        fields.integer("column", low=0, high=_MAX_COLUMN),
        op,
        fields.integer("code", low=first, high=_MAX_CODE),
        fields.text("text"),
    )
    yes, no = (_from_dict(fields.any(side), depth + 1, most) for side in ("yes", "no"))
    return Node(split, yes, no)


def in_words(tree: Tree, labels: Sequence[Label] = BINARY) -> str:
    """Say a tree in one sentence.

    Examples
    --------
    >>> in_words(Node(Literal(0, "is", 2, "city is Bonn"), 1, 0)), in_words(1)
    ('if city is Bonn, then 1, otherwise 0', 'always 1')
    """
    said = _sentence(tree, labels)
    return said if isinstance(tree, Node) else f"always {said}"


def _sentence(tree: Tree, labels: Sequence[Label]) -> str:
    if not isinstance(tree, Node):
        return str(labels[tree])
    sides = ((side, _sentence(side, labels)) for side in (tree.yes, tree.no))
    yes, no = (f"({said})" if isinstance(side, Node) else said for side, said in sides)
    return f"if {tree.split.text}, then {yes}, otherwise {no}"


def as_text(tree: Tree, labels: Sequence[Label] = BINARY) -> str:
    """Return a tree as indented lines.

    Examples
    --------
    >>> print(as_text(Node(Literal(0, "<", 3, "age < 30"), 1, 0)))
    |--- age < 30
    |   |--- class: 1
    |--- age >= 30, missing or other
    |   |--- class: 0
    """
    return "\n".join(_text_lines(tree, {}, 0, labels))


def _text_lines(
    tree: Tree, known: Mapping[int, Known], depth: int, labels: Sequence[Label]
) -> Iterator[str]:
    start = _INDENT * depth + "|--- "
    if not isinstance(tree, Node):
        yield f"{start}class: {labels[tree]}"
        return
    for words, side, then in sides(tree, known):
        yield start + words
        yield from _text_lines(side, then, depth + 1, labels)


def sides(
    node: Node, known: Mapping[int, Known]
) -> Iterator[tuple[str, Tree, Mapping[int, Known]]]:
    """Yield, for yes and then no: when this side is taken, the side, and what is known there."""
    split = node.split
    cell = known.get(split.column, Known())
    yes, no = after(cell, split)
    # In normal form both sides are possible.
    yield split.text, node.yes, {**known, split.column: yes or cell}
    yield _otherwise(split, cell, no or cell), node.no, {**known, split.column: no or cell}


def _otherwise(split: Literal, cell: Known, no: Known) -> str:
    """Say when a split is answered no."""
    if split.op == "is":
        parts = split.text.split(" is ")
        # A name or a category may hold " is " itself.
        return " is not ".join(parts) if len(parts) == 2 else f"not: {split.text}"
    name, value = split.text.rsplit(f" {split.op} ", 1)
    if no.low >= no.high:  # all numbers answer yes
        return f"{name} is missing or other"
    numbers = f"{name} {_OPPOSITE[split.op]} {value}"
    return f"{numbers}, missing or other" if cell.odd else numbers
