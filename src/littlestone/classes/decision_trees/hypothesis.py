"""Released trees: splits at inner nodes, labels at leaves, in a normal form; in words, as text."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from littlestone.classes.decision_trees.nodes import Known, Node, Tree, after, key, normal, walk
from littlestone.classes.decision_trees.sql import as_sql
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import names_of, names_to_dict, readable
from littlestone.data import Column, Literal
from littlestone.data.labels import BINARY
from littlestone.types import Json, Label, Labels, Points

if TYPE_CHECKING:
    from littlestone.data import Schema


_DEEPEST = 12
_MAX_COLUMN = 1_000_000
_MAX_CODE = 2**15 - 1
_OPS = (">=", "<", "is")
_INDENT = "|   "
_OPPOSITE = {">=": "<", "<": ">=", "is": "is not"}


@dataclass(frozen=True)
class _Whole:
    """A tree with labels, or numbered leaves, in the one form that `of` returns."""

    tree: Tree
    label_names: tuple[Label, ...] = BINARY

    TYPE: ClassVar[str]
    #: How many leaves one label may have as different ones.
    LEAVES: ClassVar[int] = 1

    @classmethod
    def of(cls, tree: Tree, label_names: tuple[Label, ...] = BINARY) -> Self:
        """Return the hypothesis of any tree, in normal form."""
        return cls(normal(tree), label_names)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals at its inner nodes."""
        return tuple(split for split, _ in walk(self.tree))

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
        tree = read_tree(fields, most=len(names) * cls.LEAVES)
        if cls.of(tree, names).tree != tree:
            raise fields.refuse("tree", "in normal form, without needless splits")
        return cls(tree, names)


@readable
@dataclass(frozen=True)
class TreeHypothesis(_Whole):
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

    TYPE = "tree"  # in normal form (`nodes.normal`); an int is the code of a constant label

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
        label(self.tree, points, np.arange(len(points)), out)
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


def label(tree: Tree, points: Points, rows: npt.NDArray[np.intp], out: npt.NDArray[Any]) -> None:
    """Write the leaf of each of these rows of codes into ``out``."""
    if not isinstance(tree, Node):
        out[rows] = tree
        return
    split, codes = tree.split, points[rows, tree.split.column]
    match split.op:
        case ">=":
            yes = codes >= split.code
        case "<":
            yes = (codes >= Column.FIRST) & (codes < split.code)
        case _:
            yes = codes == split.code
    label(tree.yes, points, rows[yes], out)
    label(tree.no, points, rows[~yes], out)


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
    return "\n".join(_lines(tree, {}, 0, labels))


def _lines(
    tree: Tree, known: Mapping[int, Known], depth: int, labels: Sequence[Label]
) -> Iterator[str]:
    start = _INDENT * depth + "|--- "
    if not isinstance(tree, Node):
        yield f"{start}class: {labels[tree]}"
        return
    for text, side, then in sides(tree, known):
        yield start + text
        yield from _lines(side, then, depth + 1, labels)


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


# -- trees whose leaves are kept apart: for shares of labels in the leaves ------------------------
#
# The normal form of a `TreeHypothesis` merges leaves with equal labels, and with them what they
# say
# about probabilities. A `LeafTree` merges nothing; only leaves that no row reaches are left out.


_MOST = 2**12


@readable
@dataclass(frozen=True)
class LeafTree(_Whole):
    """A decision tree whose leaves have numbers; make one by `LeafTree.of`.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> at30, below30 = Schema.from_dict({"age": {"bins": [30]}}).literals()[:2]
    >>> tree = LeafTree.of(Node(at30, 0, 0))
    >>> tree.labels, tree.describe(), tree.cells(np.array([[3], [2]])).tolist()
    ((0, 0), 'always 0', [0, 1])
    """

    #: Its leaves are k * number + code, numbered from 0 in the order of the answers yes, no.
    TYPE = "leaf_tree"
    LEAVES = _MOST

    @classmethod
    def of(cls, tree: Tree, label_names: tuple[Label, ...] = BINARY) -> Self:
        """Return the tree with all its leaves, of any tree with labels at the leaves."""
        k = len(label_names)
        apart = normal(_numbered(tree, iter(range(_MOST)), k))  # no two leaves are alike
        return cls(_numbered(apart, iter(range(_MOST)), k), label_names)

    @property
    def constant(self) -> int | None:
        """The code that is always answered, if it is one."""
        return self.merged.constant

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The (code of the) label of each leaf."""
        return tuple(leaf % len(self.label_names) for leaf in _leaves(self.tree))

    @cached_property
    def merged(self) -> TreeHypothesis:
        """The same function as a tree in normal form."""
        return TreeHypothesis.of(self.plain, self.label_names)

    @property
    def plain(self) -> Tree:
        """The tree with labels at its leaves, and no numbers."""
        return _labelled(self.tree, len(self.label_names))

    def cells(self, points: Points) -> npt.NDArray[np.int64]:
        """Return the number of the leaf of each row of codes."""
        out = np.empty(len(points), dtype=np.int64)
        label(self.tree, points, np.arange(len(points)), out)
        return out // len(self.label_names)

    def predict(self, points: Points) -> Labels:
        """Label each row of codes."""
        return self.merged.predict(points)

    def describe(self) -> str:
        """Say the tree in words."""
        return self.merged.describe()


def _leaves(tree: Tree) -> Iterator[int]:
    if isinstance(tree, Node):
        yield from _leaves(tree.yes)
        yield from _leaves(tree.no)
    else:
        yield tree


def _numbered(tree: Tree, numbers: Iterator[int], k: int) -> Tree:
    """Return the tree with its leaves numbered anew; their labels are kept."""
    if not isinstance(tree, Node):
        return k * next(numbers) + tree % k
    yes = _numbered(tree.yes, numbers, k)
    return Node(tree.split, yes, _numbered(tree.no, numbers, k))


def _labelled(tree: Tree, k: int) -> Tree:
    """Return the tree with labels only."""
    if not isinstance(tree, Node):
        return tree % k
    return Node(tree.split, _labelled(tree.yes, k), _labelled(tree.no, k))
