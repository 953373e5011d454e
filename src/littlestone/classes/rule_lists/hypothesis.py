"""Released rule lists: decision trees in which one side of every split is a leaf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

from littlestone.classes.decision_trees.hypothesis import TreeHypothesis, sides
from littlestone.classes.decision_trees.leaves import LeafTree
from littlestone.classes.decision_trees.nodes import Known, Node, Tree
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import readable


@readable
@dataclass(frozen=True)
class ListHypothesis(TreeHypothesis):
    """A rule list over the columns of a public schema. Make one by `ListHypothesis.of`.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> at30, below30, at60, below60, bonn, _ = schema.literals()
    >>> listed = ListHypothesis.of(Node(at30, Node(bonn, 2, 1), 0), ("a", "b", "c"))
    >>> listed.describe()
    'if age < 30, missing or other, then a; otherwise, if city is Bonn, then c; otherwise b'
    """

    TYPE = "rule_list"

    @property
    def rules(self) -> tuple[tuple[str, int], ...]:
        """When each rule is taken, in words, and its label's code; last, "" and the rest's."""
        return tuple(_rules(self.tree, {}))

    def describe(self) -> str:
        """Say the list in words."""
        *rules, (_, last) = self.rules
        if not rules:
            return f"always {self.label_names[last]}"
        said = [f"if {when}, then {self.label_names[label]}" for when, label in rules]
        return f"{'; otherwise, '.join(said)}; otherwise {self.label_names[last]}"

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; only a list in normal form is accepted."""
        made = super().from_dict(data)
        _check(made.tree, Fields(data, ("tree",), ("label_names",)))
        return made


@readable
@dataclass(frozen=True)
class LeafList(LeafTree):
    """A rule list whose ends have numbers, as the leaves of a `LeafTree` have.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> at30, below30, at60, below60 = Schema.from_dict({"age": {"bins": [30, 60]}}).literals()
    >>> listed = LeafList.of(Node(below30, 0, Node(below60, 0, 1)))
    >>> listed.labels, listed.describe()
    ((0, 0, 1), 'if age < 30, then 0; otherwise, if age < 60, then 0; otherwise 1')
    """

    TYPE = "leaf_list"

    @cached_property
    def merged(self) -> ListHypothesis:
        """The same function as a list in normal form."""
        return ListHypothesis.of(self.plain, self.label_names)

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; only what `of` returns is accepted."""
        made = super().from_dict(data)
        _check(made.tree, Fields(data, ("tree",), ("label_names",)))
        return made


def _rules(tree: Tree, known: Mapping[int, Known]) -> Iterator[tuple[str, int]]:
    while isinstance(tree, Node):
        (when, end, _), (unless, rest, then) = sides(tree, known)
        if isinstance(end, Node):  # the no side ends
            (when, end), (rest, then) = (unless, rest), (end, next(sides(tree, known))[2])
        assert isinstance(end, int)
        yield when, end
        tree, known = rest, then
    yield "", tree


def _check(tree: Tree, fields: Fields) -> None:
    while isinstance(tree, Node):
        if isinstance(tree.yes, Node) and isinstance(tree.no, Node):
            raise fields.refuse("tree", "a list: one side of every split is a label")
        tree = tree.yes if isinstance(tree.yes, Node) else tree.no
