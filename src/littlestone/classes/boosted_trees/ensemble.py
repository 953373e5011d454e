"""Released sums of trees: a margin for each row, a log-odds, a probability."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees import export
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import names_to_dict, readable
from littlestone.data import Column
from littlestone.data.multiclass import BINARY
from littlestone.safe_io import read_exact
from littlestone.types import Json, Label, Labels, Points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.data import Literal, Schema

__all__ = [
    "FURTHEST",
    "MAX_ROUNDS",
    "SumOfTrees",
    "TreeEnsemble",
    "in_order",
    "mean_vote",
    "read_step",
    "read_trees",
]

#: More trees than this are neither learned nor read.
MAX_ROUNDS = 1_000
#: Largest start of a margin.
FURTHEST = 10_000


class SumOfTrees:
    """What sums of trees share, whatever their trees vote for."""

    trees: tuple[TreeHypothesis, ...]

    @property
    def depth(self) -> int:
        """Number of splits on the longest path of any tree."""
        return max((tree.depth for tree in self.trees), default=0)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals at the inner nodes of its trees."""
        return tuple(split for tree in self.counted for split in tree.literals)

    @cached_property
    def counted(self) -> dict[TreeHypothesis, int]:
        """How often each tree occurs."""
        return dict(Counter(self.trees))


@readable
@dataclass(frozen=True)
class TreeEnsemble(SumOfTrees):
    """A sum of trees that each vote +1 or -1.

    The *margin* of a row is ``start`` plus the votes, an integer; the log-odds of label 1 are
    ``step * margin``. The label is 1 where the margin is positive.

    Parameters
    ----------
    trees : tuple of TreeHypothesis
        Label 1 is the vote +1, label 0 the vote -1.
    step : Fraction > 0
    start : int, default 0
    curve : tuple of float, optional
        The probability of label 1 at each margin (``margins``), where it was estimated; by default
        it is ``1 / (1 + exp(-step * margin))``.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> at30, _, bonn, _ = Schema.from_dict(
    ...     {"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}}).literals()
    >>> trees = [TreeHypothesis.of(Node(split, 1, 0)) for split in (at30, at30, bonn)]
    >>> ensemble = TreeEnsemble(tuple(trees), Fraction(1, 2))
    >>> rows = np.array([[3, 2], [3, 1], [2, 2]])
    >>> ensemble.margin(rows).tolist(), ensemble.predict(rows).tolist()
    ([3, 1, -1], [1, 1, 0])
    >>> ensemble.probability(rows).round(3).tolist()
    [0.818, 0.622, 0.378]
    >>> ensemble.describe()
    '1 if 3 trees of depth 1 vote so by majority, otherwise 0'
    """

    trees: tuple[TreeHypothesis, ...]
    step: Fraction
    start: int = 0
    curve: tuple[float, ...] | None = None

    TYPE = "tree_ensemble"

    @property
    def key(self) -> Hashable:
        """Canonical identity: the trees in their order, the step, the start and the curve."""
        trees = tuple(tree.key for tree in self.trees)
        return (self.TYPE, trees, self.step, self.start, self.curve)

    @property
    def margins(self) -> range:
        """All margins that a row can have."""
        rounds = len(self.trees)
        return range(self.start - rounds, self.start + rounds + 1, 2)

    def margin(self, points: Points) -> npt.NDArray[np.int64]:
        """Return the margin of each row of codes."""
        total = np.full(len(points), self.start - len(self.trees), dtype=np.int64)
        for tree, times in self.counted.items():
            total += 2 * times * tree.predict(points).astype(np.int64)
        return total

    def log_odds(self, points: Points) -> npt.NDArray[np.float64]:
        """Return ``step * margin`` of each row."""
        return self.margin(points) * np.float64(self.step)

    def probability(self, points: Points) -> npt.NDArray[np.float64]:
        """Return the probability of label 1 at each row."""
        return self.probabilities[(self.margin(points) - self.margins[0]) // 2]

    @cached_property
    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of label 1 at each of ``margins``."""
        if self.curve is not None:
            return np.array(self.curve)
        step = float(self.step)
        return np.array([1 / (1 + math.exp(-step * margin)) for margin in self.margins])

    def predict(self, points: Points) -> Labels:
        """Label each row of codes: 1 where the margin is positive."""
        return (self.margin(points) > 0).astype(np.int8)

    def with_curve(self, curve: Sequence[float]) -> Self:
        """Return the same sum with these probabilities, one for each of ``margins``."""
        return replace(self, curve=tuple(float(p) for p in curve))

    def points(self, schema: Schema) -> tuple[int, dict[str, dict[str, int]]]:
        """Return the scorecard: a base, and points for each cell that add up to the margin.

        Parameters
        ----------
        schema : Schema
            The one that the trees were learned with.

        Returns
        -------
        base : int
        points : dict of column to dict of cell (in words) to points
            At least 0, and 0 for some cell of each column; only columns that the sum asks for.

        Raises
        ------
        ValueError
            If some tree asks more than one question.
        """
        if self.depth > 1:
            raise ValueError("Only sums of trees of depth 1 are scorecards.")
        base = self.start
        votes: dict[int, npt.NDArray[np.int64]] = {}
        for tree in self.trees:
            node = tree.tree
            if not isinstance(node, Node):
                base += _vote(node)
                continue
            assert isinstance(node.yes, int)  # depth 1
            assert isinstance(node.no, int)
            column, (yes, no) = node.split.column, (_vote(node.yes), _vote(node.no))
            accepts = node.split.accepts(schema.n_codes[column])
            own = votes.setdefault(column, np.zeros(len(accepts), dtype=np.int64))
            own += np.where(accepts, yes, no)
        points = {}
        for column, own in sorted(votes.items()):
            base += int(own.min())
            described = schema.columns[column]
            points[described.name] = {
                described.describe(code): int(own[code] - own.min()) for code in in_order(own)
            }
        return base, points

    def effects(self, schema: Schema) -> dict[str, dict[str, float]]:
        """Return what each column does to the log-odds: the mean change for each of its cells.

        The mean is over the public bins and categories of the other columns, all equally likely
        and independent; what is shown is its difference from the mean over the column's own.
        (No record is looked at, so this costs no privacy; where columns depend on each other, it
        is a description of the sum, not of people.)
        """
        found: dict[int, npt.NDArray[np.float64]] = {}
        for tree, times in self.counted.items():
            for column in {split.column for split in tree.literals}:
                own = found.setdefault(column, np.zeros(schema.n_codes[column]))
                for code in range(len(own)):
                    mean = mean_vote(tree.tree, schema.n_codes, {column: {code}}, _vote)
                    own[code] += times * mean
        step = float(self.step)
        return {
            schema.columns[column].name: {
                schema.columns[column].describe(code): step * float(own[code] - own[2:].mean())
                for code in in_order(own)
            }
            for column, own in sorted(found.items())
        }

    def describe(self) -> str:
        """Say the sum in words."""
        if not self.trees:
            return f"always {int(self.start > 0)}"
        start = f"{self.start:+d} and " if self.start else ""
        trees = "1 tree" if len(self.trees) == 1 else f"{len(self.trees)} trees"
        return f"1 if {start}{trees} of depth {self.depth} vote so by majority, otherwise 0"

    def to_sql(
        self, schema: Schema, *, dialect: str = "standard", what: str = "probability"
    ) -> str:
        """Return one SQL expression; see `littlestone.classes.boosted_trees.export.as_sql`."""
        return export.as_sql(self, schema, dialect=dialect, what=what)

    def to_python(self, schema: Schema) -> str:
        """Return a Python module without dependencies; see `export.as_python`."""
        return export.as_python(self, schema)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        described: Json = {
            "type": self.TYPE,
            "trees": [tree.to_dict()["tree"] for tree in self.trees],
            "step": str(self.step),
            "start": self.start,
        }
        return described if self.curve is None else described | {"curve": list(self.curve)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        fields = Fields(data, ("trees", "step", "start"), ("curve",))
        trees, step = read_trees(fields), read_step(fields)
        start = fields.integer("start", low=-FURTHEST, high=FURTHEST)
        if "curve" not in fields:
            return cls(trees, step, start)
        curve = fields.items("curve", MAX_ROUNDS + 1)
        proper = all(
            isinstance(p, int | float) and not isinstance(p, bool) and 0 <= p <= 1 for p in curve
        )
        if not proper or len(curve) != len(trees) + 1:
            raise fields.refuse("curve", "a probability for each margin")
        return cls(trees, step, start, tuple(float(p) for p in curve))


def _vote(label: int) -> int:
    return 2 * label - 1


def in_order(codes: npt.NDArray[Any]) -> list[int]:
    """Return the codes of a column: its bins or categories, then missing and other."""
    return [*range(Column.FIRST, len(codes)), Column.MISSING, Column.OTHER]


def mean_vote(
    tree: Tree,
    n_codes: tuple[int, ...],
    possible: Mapping[int, set[int]],
    vote: Callable[[int], int],
) -> float:
    """Return the mean vote where each column's code is uniform over what is still possible.

    ``vote`` says what a leaf votes, by its label.
    """
    if not isinstance(tree, Node):
        return vote(tree)
    column = tree.split.column
    codes = possible.get(column, set(range(Column.FIRST, n_codes[column])))
    accepts = tree.split.accepts(n_codes[column])
    total = 0.0
    for answer, side in ((True, tree.yes), (False, tree.no)):
        here = {code for code in codes if accepts[code] == answer}
        if here:
            mean = mean_vote(side, n_codes, {**possible, column: here}, vote)
            total += len(here) / len(codes) * mean
    return total


def read_trees(fields: Fields, names: tuple[Label, ...] = BINARY) -> tuple[TreeHypothesis, ...]:
    """Return the entry ``trees``: a column that is asked about numbers is not asked about texts."""
    own: Json = {"type": TreeHypothesis.TYPE} | names_to_dict(names)
    trees = tuple(
        TreeHypothesis.from_dict(own | {"tree": tree}) for tree in fields.items("trees", MAX_ROUNDS)
    )
    kinds: dict[int, bool] = {}
    for split in (split for tree in trees for split in tree.literals):
        if kinds.setdefault(split.column, split.op == "is") != (split.op == "is"):
            raise fields.refuse("trees", "of one kind (numbers or texts) for each column")
    return trees


def read_step(fields: Fields) -> Fraction:
    """Return the entry ``step``: a positive fraction."""
    try:
        step = read_exact(fields.text("step", 100))
    except ValueError:
        step = Fraction(0)
    if step <= 0:
        raise fields.refuse("step", "a positive fraction")
    return step
