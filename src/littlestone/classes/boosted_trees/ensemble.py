"""Released sums of trees: votes for each row, a label, probabilities."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field, replace
from dataclasses import fields as fields_of
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees import export
from littlestone.classes.boosted_trees.coefficients import (
    FURTHEST,
    CodePoints,
    Coefficients,
    hazard_odds,
)
from littlestone.classes.boosted_trees.export import PARTS, REACH
from littlestone.classes.decision_trees.hypothesis import Node, Tree, TreeHypothesis
from littlestone.classes.hypotheses import Fields, names_of, names_to_dict, readable
from littlestone.data import Column
from littlestone.data.cells import BINARY
from littlestone.data.targets import Quantity, Target, target_from_dict
from littlestone.errors import UnsupportedError, counted, exact_value
from littlestone.safe_io import read_exact
from littlestone.source import SeededSource
from littlestone.types import Hypothesis, Json, Label, Labels, Points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.data import Literal, Schema


# -- From log-odds to probabilities: the minimiser of the capped loss, which boosting fits.
#
# Let q be the softmax of the votes times the step. Answering k costs a record of label y the
# share ``min(1, q_k + 1 - q_y)`` of the most that it can cost, and nothing if k = y. Where a share
# p_y of the records of a row has label y, another tree would leave the votes there as they are if
# all answers cost alike. So p, not q, is what votes q say about these records.
#
# The cost is 1 where ``q_k >= q_y``, else ``1 - (q_y - q_k)``. So answering k costs ``1 - p_k - sum
# of p_y (q_y - q_k) over q_y > q_k``, and all are equal where p is proportional to u with ``u_k = 1
# - sum over y of u_y max(q_y - q_k, 0)``. By falling q each u_k follows from those before it: so
# putting the last u into the right side, from u = 1 on, is exact after as many steps as there are
# labels less one.
#
# The link keeps the order of labels and, of two labels, of rows.


Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def linked(shares: Doubles) -> Doubles:
    """Return the probabilities of labels (columns) whose votes have these shares.

    Examples
    --------
    >>> linked(np.array([[0.25, 0.75], [0.5, 0.5]])).round(3).tolist()
    [[0.333, 0.667], [0.5, 0.5]]
    >>> linked(np.array([[0.5, 0.3, 0.2]])).round(3).tolist()
    [[0.413, 0.331, 0.256]]
    """
    chances = np.ones_like(shares)
    for _ in range(shares.shape[1] - 1):
        sums = [
            (chances * np.maximum(shares - share[:, None], 0)).sum(axis=1) for share in shares.T
        ]
        chances = 1 - np.stack(sums, axis=1)
    probabilities: Doubles = chances / chances.sum(axis=1, keepdims=True)
    return probabilities


#: Parts of a survival of one.
SURE = 1 << 12
#: More trees than this are neither learned nor read.
MAX_ROUNDS = 1_000
_WIDEST = 2**40


class Sum(Hypothesis):
    """What sums of trees share."""

    TYPE: ClassVar[str]
    trees: tuple[TreeHypothesis, ...]
    of_sums = True

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        rest = (getattr(self, each.name) for each in fields_of(cast(Any, self))[1:])
        return (self.TYPE, tuple(tree.key for tree in self.trees), *rest)

    @property
    @abstractmethod
    def counted(self) -> dict[TreeHypothesis, int]:
        """The different trees, with what each adds."""

    def exported(self, schema: Schema) -> Self:
        """Return itself."""
        return self

    @property
    def depth(self) -> int:
        """Number of splits on the longest path of any tree."""
        return max((tree.depth for tree in self.trees), default=0)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The literals at the inner nodes of its trees."""
        return tuple(split for tree in self.counted for split in tree.literals)

    @property
    def columns(self) -> set[int]:
        """The numbers of the columns that its trees ask."""
        return {split.column for split in self.literals}

    def to_sql(
        self, schema: Schema, *, dialect: str = "standard", what: str | None = None, of: Any = None
    ) -> str:
        """Return one SQL expression; see `littlestone.classes.boosted_trees.export.as_sql`."""
        return export.as_sql(cast(Any, self), schema, dialect=dialect, what=what, of=of)

    def mean_of(self, column: int, schema: Schema, worth: Callable[[int], Any]) -> Any:
        """Return, for each code of a column, the mean sum of what the trees that ask it are worth.

        The codes of the other columns are uniform over bins and categories, and independent.
        """
        means = []
        for code in range(schema.n_codes[column]):
            parts = (
                n * _mean(tree.tree, schema, {column: {code}}, worth)
                for tree, n in self.counted.items()
                if column in tree.columns
            )
            means.append(sum(parts, start=0 * worth(0)))
        return np.array(means)


@readable
@dataclass(frozen=True)
class TreeEnsemble(Sum):
    """A sum of trees that each vote for one label.

    The *votes* of a label at a row are its ``start``, plus those of its ``points``, if there are
    any, plus the number of trees that answer it there.
    The label with the most votes is answered; of equals, the first. The *share* of a label is
    ``exp(step * votes)``, divided by the sum of these numbers over all labels; if it is ``linked``
    its probability is what such shares mean after boosting (`linked`), else the share.

    For the labels 0 and 1 the *margin* of a row is the votes of 1 less those of 0; the log-odds of
    label 1 are ``step * margin``.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> at30, _, at60, _, bonn, _ = schema.literals()
    >>> trees = [TreeHypothesis.of(Node(split, 1, 0)) for split in (at30, at30, bonn)]
    >>> ensemble = TreeEnsemble(tuple(trees), Fraction(1, 2))
    >>> rows = np.array([[3, 2], [3, 1], [2, 2]])
    >>> ensemble.margin(rows).tolist(), ensemble.predict(rows).tolist()
    ([3, 1, -1], [1, 1, 0])
    >>> ensemble.probability(rows).round(3).tolist()
    [0.818, 0.622, 0.378]
    >>> ensemble.describe()
    '1 if the points of 2 columns sum to at least 2, otherwise 0'

    >>> names = ("a", "b", "c")
    >>> trees = tuple(TreeHypothesis.of(Node(split, 2, 0), names) for split in (at30, at60, at60))
    >>> ensemble = TreeEnsemble(trees, Fraction(1, 2), (0, 0, 0), names)
    >>> ensemble.votes(rows[1:]).tolist(), ensemble.predict(rows[1:]).tolist()
    ([[2, 0, 1], [3, 0, 0]], [0, 0])
    >>> ensemble.describe()
    'the label (a, b or c) with the most points from 1 column'
    """

    trees: tuple[TreeHypothesis, ...]  # with these label names
    step: Fraction  # log-odds of one vote
    start: tuple[int, ...] = (0, 0)  # votes of each label to begin with
    label_names: tuple[Label, ...] = BINARY  # public, by code
    linked: bool = False  # whether probabilities are what boosting fits
    code_points: CodePoints | None = None  # votes by the codes of a row, before any tree
    #: Of the labels 0 and 1: the probability of 1 at each of `margins`, where it was estimated.
    curve: tuple[float, ...] | None = None
    width: int | None = None  # of sets: how many votes fewer than the most their labels may have
    coefficients: Coefficients | None = None  # of a regression beside it, which an analyst named

    TYPE = "tree_ensemble"

    @property
    def ranks(self) -> bool:
        """Whether margins rank rows by the probability of label 1."""
        return self.binary

    @property
    def binary(self) -> bool:
        """Whether the labels are 0 and 1."""
        return self.label_names == BINARY

    @cached_property
    def counted(self) -> dict[TreeHypothesis, int]:
        """How often each tree occurs."""
        return dict(Counter(self.trees))

    @property
    def constant(self) -> int | None:
        """The code that is always answered, if all trees are constants or too few to outvote it."""
        columns = self.code_points.columns if self.code_points else ()
        above, most = self.start[0] - self.start[-1], len(self.trees)
        if self.binary and not columns and not -most <= above < most:
            return int(above < 0)
        if columns or any(tree.constant is None for tree in self.counted):
            return None
        return int(self.predict(np.zeros((1, 1), dtype=np.int64))[0])

    def votes(self, points: Points) -> Ints:
        """Return the votes of each label (columns) at each row of codes."""
        total = np.tile(np.array(self.start, dtype=np.int64), (len(points), 1))
        if self.code_points is not None:
            total += self.code_points.votes(points).T
        each = np.arange(len(points))
        for tree, times in self.counted.items():
            total[each, tree.predict(points)] += times
        return total

    @property
    def margins(self) -> range:
        """All margins that a row can have."""
        first, rounds = self.start[1] - self.start[0], len(self.trees)
        low, high = 0, 0
        if self.code_points is not None:
            low, high = self.code_points.least[1], self.code_points.most[1]
        return range(first + low - rounds, first + high + rounds + 1, 2)

    @property
    def start_share(self) -> float:
        """The share of label 1 that the sum begins with: of columns with points at their mean."""
        begin, codes = float(self.start[1] - self.start[0]), self.code_points
        if codes is not None:
            means = [np.mean(rows, axis=0) for _, rows in codes.columns]
            zero, one = np.sum([codes.base, *means], axis=0) / codes.unit
            begin += float(one - zero)
        return 1 / (1 + math.exp(-min(max(float(self.step) * begin, -700.0), 700.0)))

    def margin(self, points: Points) -> Ints:
        """Return the margin of each row of codes."""
        least = self.start[1] - self.start[0] - len(self.trees)
        total = np.full(len(points), least, dtype=np.int64)
        if self.code_points is not None:
            total += self.code_points.votes(points)[1]
        for tree, times in self.counted.items():
            total += 2 * times * tree.predict(points).astype(np.int64)
        return total

    def log_odds(self, points: Points) -> Doubles:
        """Return ``step`` times the margin of each row, or times the votes of each label."""
        votes = self.margin(points) if self.binary else self.votes(points)
        return votes * np.float64(self.step)

    def probability(self, points: Points) -> Doubles:
        """Return the probability of label 1 at each row, or of each label (columns)."""
        if self.binary:
            return self.probabilities[(self.margin(points) - self.margins[0]) // 2]
        return self._chances(self.log_odds(points))

    chances = probability

    @cached_property
    def probabilities(self) -> Doubles:
        """The probability of label 1 at each of ``margins``."""
        if self.curve is not None:
            return np.array(self.curve)
        odds = np.array(self.margins) * np.float64(self.step)
        return self._chances(np.stack([np.zeros_like(odds), odds], axis=1))[:, 1]

    def _chances(self, odds: Doubles) -> Doubles:
        """Return the probabilities of labels (columns), of their log-odds up to a constant."""
        powers = np.exp(odds - odds.max(axis=1, keepdims=True))
        shares: Doubles = powers / powers.sum(axis=1, keepdims=True)
        return linked(shares) if self.linked else shares

    def predict(self, points: Points) -> Labels:
        """Label each row of codes: the code with the most votes, of equals the least."""
        if self.binary:
            return (self.margin(points) > 0).astype(np.int8)
        most: Labels = self.votes(points).argmax(axis=1).astype(np.int8)
        return most

    def sets(self, points: Points) -> npt.NDArray[np.bool_]:
        """Return which labels (columns) are in the set of each row; the predicted one always is.

        Examples
        --------
        >>> TreeEnsemble((), Fraction(1), (0, 3, 2), ("a", "b", "c"), width=1).sets(np.array([[2]]))
        array([[False,  True,  True]])
        """
        if self.width is None:
            raise UnsupportedError(
                "This model has no sets of labels: fit with interval=0.9 (--interval 90%)."
            )
        votes = self.votes(points)
        sets: npt.NDArray[np.bool_] = votes >= votes.max(axis=1, keepdims=True) - self.width
        return sets

    def with_curve(self, curve: Sequence[float]) -> Self:
        """Return the same sum with these probabilities, one for each of ``margins``."""
        return replace(self, curve=tuple(float(p) for p in curve))

    @property
    def additive(self) -> bool:
        """Whether it is a scorecard: its votes are points of single codes, added up."""
        return self.depth <= 1 and (self.code_points is None or self.code_points.additive)

    def points(self, schema: Schema) -> tuple[Any, dict[str, dict[str, Any]]]:
        """Return the scorecard: a base, and points for each cell, that add up to the votes.

        Points are at least 0, and 0 for some cell of each column that the sum asks for. For the
        labels 0 and 1 they add up to the margin; else the base and the points of a cell are a dict
        of label to int.
        """
        base, by_column = self.summed(schema)
        return self._named(base), _by_cell(schema, by_column, self._named)

    def summed(self, schema: Schema | None = None) -> tuple[Ints, dict[int, Ints]]:
        """Return the scorecard by codes: the base, and for each column the points of each code.

        Columns whose votes cancel each other are left out. Without a schema the codes end with the
        last one that is asked for.
        """
        if not self.additive:
            raise ValueError("Only sums of trees of depth 1 are scorecards.")
        base, by_column = self._seen(np.array(self.start, dtype=np.int64)), {}
        n_codes = self._n_codes if schema is None else schema.n_codes
        for column in sorted(self.columns):
            by_column[column] = np.zeros((n_codes[column], len(base)), dtype=np.int64)
        if self.code_points is not None:  # of one vote each
            base = base + self._seen(np.array(self.code_points.base, dtype=np.int64))
            for at, (column, _) in enumerate(self.code_points.columns):
                by_column[column] += self._seen(self.code_points.by_code(at).T).T
        for tree, times in self.counted.items():
            node = tree.tree
            if not isinstance(node, Node):
                base = base + times * self._vote(node)
                continue
            assert isinstance(node.yes, int)  # depth 1
            assert isinstance(node.no, int)
            accepts = node.split.accepts(n_codes[node.split.column])[:, None]
            votes = np.where(accepts, self._vote(node.yes), self._vote(node.no))
            by_column[node.split.column] += times * votes
        base = base + sum((votes.min(axis=0) for votes in by_column.values()), 0 * base)
        least = {column: votes - votes.min(axis=0) for column, votes in by_column.items()}
        return base, {column: votes for column, votes in least.items() if votes.any()}

    def as_points(self, schema: Schema) -> Self:
        """Return the same scorecard without trees: all votes are points of codes."""
        base, by_column = self.summed(schema)
        zero = (0,) * self.binary
        columns = tuple(
            (column, tuple((*zero, *row) for row in points[Column.OTHER :].tolist()))
            for column, points in by_column.items()  # missing and other are one answer
        )
        start = (*zero, *base.tolist())
        points = CodePoints((0,) * len(start), columns, 1, None, 1 + self.binary)
        card = replace(self, trees=(), start=start, code_points=points)
        if self.curve is None:
            return card
        first = (card.margins[0] - self.margins[0]) // 2
        return card.with_curve(self.curve[first : first + len(card.margins)])

    def unit(self, base: Ints, own: Mapping[int, Ints]) -> int:
        """Return the greatest common divisor of all points (and of the starts of several labels).

        ``base`` and ``own`` are what `summed` returns.
        """
        starts = [] if self.binary else [int(votes - min(base)) for votes in base]
        return math.gcd(*starts, *(int(p) for points in own.values() for p in points.flat)) or 1

    def needed(self, base: Ints, unit: int) -> int:
        """Return how many points, in this unit, label 1 needs; of the labels 0 and 1."""
        return -int(base[0]) // unit + 1

    def effects(self, schema: Schema) -> dict[Label, dict[str, dict[str, float]]]:
        """Return what each column does to the log-odds of labels: the mean change for each cell.

        The mean is over the public bins and categories of the other columns, all equally likely
        and independent; what is shown is its difference from the mean over the column's own.
        (No record is looked at, so this costs no privacy; where columns depend on each other, it
        is a description of the sum, not of people.) For the labels 0 and 1 of label 1 only.
        """
        named = self.label_names[1:] if self.binary else self.label_names
        effects: dict[int, Doubles] = {}
        started: dict[int, Doubles] = {}
        if self.code_points is not None:  # their limit, and rounding, are left out
            for at, (column, _) in enumerate(self.code_points.columns):
                started[column] = (
                    self._seen(self.code_points.by_code(at).T).T / self.code_points.unit
                )
        for column in sorted(self.columns):
            by_code = self.mean_of(column, schema, self._vote) + started.get(column, 0)
            effects[column] = float(self.step) * (by_code - by_code[Column.FIRST :].mean(axis=0))
        return {
            name: _by_cell(schema, {column: by[:, at] for column, by in effects.items()}, float)
            for at, name in enumerate(named)
        }

    @property
    def columns(self) -> set[int]:
        """The numbers of the columns that it asks, or has points for."""
        pointed = self.code_points.columns if self.code_points is not None else ()
        return super().columns | {column for column, _ in pointed}

    @property
    def _n_codes(self) -> dict[int, int]:
        """Up to which code each column is asked for."""
        n_codes: dict[int, int] = {}
        for split in self.literals:
            n_codes[split.column] = max(n_codes.get(split.column, 0), split.code + 1)
        if self.code_points is not None:
            for at, (column, _) in enumerate(self.code_points.columns):
                n_codes[column] = len(self.code_points.by_code(at))
        return n_codes

    def _seen(self, votes: Ints) -> Ints:
        """Return votes as they are shown: for the labels 0 and 1 as a margin."""
        return votes[1:] - votes[:1] if self.binary else votes

    def _vote(self, label: int) -> Ints:
        return self._seen(np.eye(len(self.label_names), dtype=np.int64)[label])

    def _named(self, values: Ints) -> Any:
        if self.binary:
            return int(values[0])
        return dict(zip(self.label_names, values.tolist(), strict=True))

    def describe(self) -> str:
        """Say the sum in words."""
        if self.constant is not None:
            return f"always {self.label_names[self.constant]}"
        *first, last = map(str, self.label_names)
        names = f"the label ({', '.join(first)} or {last})"
        if self.additive:
            base, by_column = self.summed()
            columns = counted(len(by_column), "columns")
            if not self.binary:
                return f"{names} with the most points from {columns}"
            unit = self.unit(base, by_column)
            needed = self.needed(base, unit)
            most = sum(int(points.max()) for points in by_column.values())
            if not 0 < needed <= most // unit:
                return f"always {int(needed <= 0)}"
            return f"1 if the points of {columns} sum to at least {needed}, otherwise 0"
        trees = f"{counted(len(self.trees), 'trees')} of depth {self.depth}"
        points = self.code_points.columns if self.code_points else ()
        of = f"the points of {counted(len(points), 'columns')}"
        if self.binary:
            above = self.start[0] - self.start[1]
            score = f"the sum of {trees} (each +1 or -1)" + f", plus {of}" * bool(points)
            return f"1 if the score is above {above}, otherwise 0; the score is {score}"
        words = f"{names} with the most votes from {trees}"
        if points:
            words = f"{names} with the highest score, the sum of {of} and the votes of {trees}"
        more = [votes - min(self.start) for votes in self.start]
        begin = zip(more, self.label_names, strict=True)
        start = ", ".join(f"{votes} for {name}" for votes, name in begin if votes)
        return f"{words}; initial votes: {start}" if start else words

    def to_dict(self) -> Json:
        """Return plain JSON."""
        described: Json = {
            "type": self.TYPE,
            "trees": [tree.to_dict()["tree"] for tree in self.trees],
            "step": str(self.step),
            "start": list(self.start),
        } | names_to_dict(self.label_names)
        described |= {"linked": True} if self.linked else {}
        described |= {} if self.width is None else {"width": self.width}
        if self.coefficients is not None:
            described["coefficients"] = self.coefficients.to_dict()
        described |= {} if self.code_points is None else {"points": self.code_points.to_dict()}
        return described if self.curve is None else described | {"curve": list(self.curve)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        fields = Fields(
            data,
            ("trees", "step", "start"),
            ("label_names", "linked", "points", "curve", "width", "coefficients"),
        )
        names = names_of(fields)
        trees, start = read_trees(fields, names), fields.items("start", len(names))
        whole = all(type(votes) is int and abs(votes) <= FURTHEST for votes in start)
        if not whole or len(start) != len(names):
            raise fields.refuse("start", "an integer for each label")
        linked = "linked" in fields and fields.flag("linked")
        points = CodePoints.read(fields.any("points"), len(names)) if "points" in fields else None
        ensemble = cls(
            trees, _read_fraction(fields, "step"), tuple(start), names, linked, points,
            width=read_width(fields),
        )  # fmt: skip
        if "coefficients" in fields:
            ensemble = replace(ensemble, coefficients=Coefficients.read(fields.any("coefficients")))
        if "curve" not in fields:
            return ensemble
        curve = fields.items("curve", FURTHEST)
        proper = all(
            isinstance(p, int | float) and not isinstance(p, bool) and 0 <= p <= 1 for p in curve
        )
        if not proper or len(curve) != len(ensemble.margins) or not ensemble.binary:
            raise fields.refuse("curve", "a probability for each margin, for the labels 0 and 1")
        return ensemble.with_curve(curve)


def read_trees(fields: Fields, names: tuple[Label, ...]) -> tuple[TreeHypothesis, ...]:
    """Return the entry ``trees``: a column that is asked about numbers is not asked about texts."""
    shared: Json = {"type": TreeHypothesis.TYPE} | names_to_dict(names)
    trees = tuple(
        TreeHypothesis.from_dict(shared | {"tree": tree})
        for tree in fields.items("trees", MAX_ROUNDS)
    )
    kinds: dict[int, bool] = {}
    for split in (split for tree in trees for split in tree.literals):
        if kinds.setdefault(split.column, split.op == "is") != (split.op == "is"):
            raise fields.refuse("trees", "of one kind (numbers or texts) for each column")
    return trees


def read_width(fields: Fields) -> int | None:
    """Return the entry ``width``, if there is one."""
    width = fields.any("width") if "width" in fields else None
    if width is not None and not (type(width) is int and 0 <= width <= _WIDEST):
        raise fields.refuse("width", "an integer, at least 0")
    return width


def _read_fraction(fields: Fields, name: str) -> Fraction:
    """Return an entry that is a positive fraction."""
    try:
        fraction = read_exact(fields.text(name, 100))
    except ValueError:
        fraction = Fraction(0)
    if fraction <= 0:
        raise fields.refuse(name, "a positive fraction")
    return fraction


# -- Released sums of trees that raise and lower one number: a quantity, a log rate, log-odds.


_FURTHEST = 2**40


@readable
@dataclass(frozen=True)
class TreeSum(Sum):
    """A sum of trees of one number, the *score*: an answer of 1 adds the tree's step, 0 takes it.

    Of a quantity the score counts parts of a cell, from its low end, and what lies beyond the
    public range is the nearest end; with ``log`` it is the logarithm of the number of cells, in
    parts of one. Of a count it is the logarithm of the expected count, and of
    a time until an event what the log-odds of the event in a period follow from, in parts of one;
    the last column that its trees ask is then the period.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> from littlestone.data.targets import Count
    >>> at30, _ = Schema.from_dict({"age": {"bins": [30]}}).literals()
    >>> tree = TreeHypothesis.of(Node(at30, 1, 0))
    >>> rows = np.array([[2], [3]])
    >>> price = TreeSum((tree, tree), (600 * PARTS, 300 * PARTS), (5000 * PARTS,), Quantity(0, 200))
    >>> price.predict(rows).tolist(), price.describe()
    ([82.0, 118.0], 'a quantity from 0 to 200: 100 plus the sum of 2 trees of depth 1')
    >>> TreeSum((tree,), (PARTS,), (0,), Count(9)).predict(rows).round(3).tolist()
    [0.368, 2.718]
    """

    trees: tuple[TreeHypothesis, ...]  # with the answers 0 and 1
    steps: tuple[int, ...]
    start: tuple[int, ...]  # one; of a time one for each period
    target: Target = field()
    quantile: Fraction | None = None  # which one of a quantity is predicted; None: its mean
    width: int | None = None  # half of an interval, in parts of a cell, of a count in parts of one
    log: bool = False  # of a quantity
    hidden: int | None = None  # of a count: noise hides how many events there are, at most these

    TYPE = "tree_sum"

    @property
    def kind(self) -> str:
        """What is predicted: a quantity (also a median), another quantile, a count, or a time."""
        middle = self.quantile in (None, Fraction(1, 2))
        return self.target.kind if middle else "quantile"

    @cached_property
    def counted(self) -> dict[TreeHypothesis, int]:
        """The different trees, with the sum of their steps."""
        steps: dict[TreeHypothesis, int] = {}
        for tree, step in zip(self.trees, self.steps, strict=True):
            steps[tree] = steps.get(tree, 0) + step
        return steps

    @property
    def linear(self) -> bool:
        """Whether the score is of a quantity itself, and not of a logarithm."""
        return self.target.continuous and not self.log

    @property
    def constant(self) -> None:
        """Not a label."""
        return None

    def scores(self, points: Points) -> Ints:
        """Return the score of each row; of a time one for each period (columns)."""
        if not self.target.ends:
            return self._added(np.full(len(points), self.start[0], dtype=np.int64), points)
        scores = np.tile(np.array(self.start, dtype=np.int64), (len(points), 1))
        for period, of_period in enumerate(scores.T):
            column = np.full((len(points), 1), Column.FIRST + period, dtype=np.int64)
            of_period[:] = self._added(of_period, np.hstack([points, column]))
        return scores

    def _added(self, scores: Ints, points: Points) -> Ints:
        for tree, step in self.counted.items():
            scores = scores + step * (2 * tree.predict(points).astype(np.int64) - 1)
        return scores

    def predict(self, points: Points) -> npt.NDArray[Any]:
        """Return the quantity, or the expected count, of each row; of a time a risk.

        The risk is the cumulative hazard of all periods: minus the logarithm of the probability
        that nothing happens in them.
        """
        if self.target.ends:
            return self._risks(points)[:, -1]
        return self.worth(self.scores(points))

    def worth(self, scores: Ints) -> Doubles:
        """Return what scores are worth: quantities, expected counts, probabilities of an event."""
        low, high = self.limits
        clipped = np.clip(scores, low, high).astype(np.float64)
        if self.target.ends:
            odds = hazard_odds(clipped / PARTS)
            return odds / (1 + odds)
        cells = clipped if self.linear else np.exp(clipped / PARTS) * PARTS
        return float(self.target.low) + cells * float(self.target.width / PARTS)

    def in_parts(self, points: Points) -> Ints:
        """Return quantities or expected counts as integers: parts of a cell, or of one."""
        clipped = np.clip(self.scores(points), *self.limits)
        if self.linear:
            return clipped
        rounded: Ints = np.rint(PARTS * np.exp(clipped / PARTS)).astype(np.int64)
        return rounded

    @property
    def limits(self) -> tuple[int, int]:
        """The range of scores: beyond it they are as at its ends."""
        if self.linear:
            return 0, (self.target.size - 1) * PARTS
        if self.target.ends:
            return -REACH * PARTS, REACH * PARTS
        return -REACH * PARTS, int(np.floor(np.log(self.target.size - 1) * PARTS))

    def interval(self, points: Points) -> Doubles:
        """Return the two ends of the interval of each row (columns), within the public range."""
        if self.width is None:
            raise UnsupportedError(
                "This model has no intervals: fit with interval=0.9 (--interval 90%)."
            )
        first, unit, most = self.parts
        middle = self.in_parts(points)
        ends = np.stack([middle - self.width, middle + self.width], axis=1).clip(0, most)
        interval: Doubles = first + ends.astype(np.float64) * unit
        return interval

    @property
    def parts(self) -> tuple[float, float, int]:
        """The lowest quantity or count, what a part of a cell, or of one, is worth, and how many.

        Examples
        --------
        >>> TreeSum((), (), (0,), Quantity(5, 25, 10)).parts
        (5.0, 0.001953125, 10240)
        """
        low, part = self.target.low, self.target.width / PARTS
        return float(low), float(part), (self.target.size - 1) * PARTS

    def survival(self, points: Points) -> Doubles:
        """Return the probability that nothing has happened at the end of each period (columns)."""
        if not self.target.ends:
            raise TypeError("Only times until events have survival functions.")
        survival: Doubles = np.exp(-self._risks(points))
        return survival

    chances = survival

    def _risks(self, points: Points) -> Doubles:
        """Return the cumulative hazards: the logarithms of one plus the odds, added up."""
        scores = np.clip(self.scores(points), *self.limits) / PARTS
        risks: Doubles = np.cumsum(np.log1p(hazard_odds(scores)), axis=1)
        return risks

    def risk_in_parts(self, points: Points) -> Ints:
        """Return the cumulative hazard of each row as an integer: of a row alone, wherever it is.

        Functions of the machine may round a number by its place in an array.
        """
        low, high = self.limits
        risks: Ints = _cumulative()[np.clip(self.scores(points), low, high) - low].sum(axis=1)
        return risks

    def falls(self, points: Points) -> Ints:
        """Return by how much survival falls in each period (columns), in parts of `SURE`.

        Of a row alone, like `risk_in_parts`; the parts of a row are at least 0, together at most
        all.
        """
        low, high = self.limits
        risks = np.cumsum(_cumulative()[np.clip(self.scores(points), low, high) - low], axis=1)
        table = _surviving()
        still = table[np.minimum(risks >> 8, len(table) - 1)]
        first = np.full((len(still), 1), SURE, dtype=np.int64)
        falls: Ints = -np.diff(still, axis=1, prepend=first)
        return falls

    def effects(self, schema: Schema) -> dict[str, dict[str, float]]:
        """Return what each column does: the mean change of the score for each cell.

        Of a quantity in its own unit, without the limits of its range; otherwise of logarithms and
        log-odds. The mean is over the public bins and categories of the other columns, all equally
        likely and independent, and so costs no privacy. ``schema``: that of the trees.
        """
        unit = float(self.target.width) if self.linear else 1.0
        effects: dict[int, Doubles] = {}
        for column in sorted(self.columns):
            by_code = 2 * unit / PARTS * self.mean_of(column, schema, float)
            effects[column] = by_code - by_code[Column.FIRST :].mean()
        return _by_cell(schema, effects, float)

    def of_period(self, schema: Schema, period: int) -> Self:
        """Return the sum of one period, as one that asks nothing about the time."""
        column = len(schema)
        code = Column.FIRST + period

        def given(tree: Tree) -> Tree:
            if not isinstance(tree, Node):
                return tree
            if tree.split.column == column:
                accepts = tree.split.accepts(code + 1)[code]
                return given(tree.yes if accepts else tree.no)
            return Node(tree.split, given(tree.yes), given(tree.no))

        trees = tuple(TreeHypothesis.of(given(tree.tree)) for tree in self.trees)
        return type(self)(trees, self.steps, (self.start[period],), self.target)

    def describe(self) -> str:
        """Say the sum in words."""
        trees = f"{counted(len(self.trees), 'trees')} of depth {self.depth}"
        if self.target.continuous:
            low, high = self.target.low, cast(Quantity, self.target).high
            first = self.worth(np.array(self.start))[0]
            what = f"a quantity from {_short(low)} to {_short(high)}"
            if self.quantile is not None:
                what = f"{quantile_words(self.quantile)} of {what}"
            if not self.trees:
                return (
                    f"{what}: {first:,.6g}, a constant, because there are too few records for "
                    "such a wide range"
                )
            how = "times a factor from each of" if self.log else "plus the sum of"
            return f"{what}: {first:,.6g} {how} {trees}{self._around}"
        if not self.target.ends:
            first = np.exp(self.start[0] / PARTS)
            how = f"{first:,.4g} times a factor from each of {trees}"
            return f"an expected count: {how}{self._around}{self._hidden}"
        periods = counted(len(self.target.ends), "periods")
        return f"hazards in {periods}, from a constant for each period plus the sum of {trees}"

    @property
    def _hidden(self) -> str:
        if self.hidden is None:
            return ""
        return f"; the number of events is hidden by noise (at most {self.hidden:,})"

    @property
    def _around(self) -> str:
        around = "" if self.width is None else f"{self.width * self.parts[1]:,.4g}"
        return f"; prediction intervals extend {around} to either side" if around else ""

    def to_dict(self) -> Json:
        """Return plain JSON."""
        which: Json = {} if self.quantile is None else {"quantile": str(self.quantile)}
        which |= {} if self.width is None else {"width": self.width}
        which |= {"link": "log"} if self.log else {}
        which |= {} if self.hidden is None else {"hidden": self.hidden}
        return which | {
            "type": self.TYPE,
            "trees": [tree.to_dict()["tree"] for tree in self.trees],
            "steps": list(self.steps),
            "start": list(self.start),
            "target": self.target.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        more = ("quantile", "width", "link", "hidden")
        fields = Fields(data, ("trees", "steps", "start", "target"), more)
        target = target_from_dict(fields.any("target"))
        periods = len(target.ends) or 1
        trees = read_trees(fields, BINARY)
        for name, length in (("steps", len(trees)), ("start", periods)):
            numbers = fields.items(name, max(MAX_ROUNDS, periods))
            whole = all(type(value) is int and abs(value) <= _FURTHEST for value in numbers)
            if not whole or len(numbers) != length:
                raise fields.refuse(name, f"{length} integers")
        quantile = None
        if "quantile" in fields:
            quantile = exact_value(fields.any("quantile"))
            if not target.continuous or quantile is None or not 0 < quantile < 1:
                raise fields.refuse("quantile", "of a quantity, between 0 and 1")
        width, log, hidden = read_width(fields), "link" in fields, None
        if log and (fields.any("link") != "log" or not target.continuous or quantile):
            raise fields.refuse("link", '"log", of a mean of a quantity')
        if "hidden" in fields:
            hidden = fields.integer("hidden", low=0, high=2**53)
        steps, start = tuple(data["steps"]), tuple(data["start"])
        return cls(trees, steps, start, target, quantile, width, log, hidden)


def quantile_words(quantile: Fraction) -> str:
    """Return a quantile in words.

    Examples
    --------
    >>> quantile_words(Fraction(9, 10)), quantile_words(Fraction(1, 2))
    ('the 0.9 quantile', 'the median')
    """
    return "the median" if quantile == Fraction(1, 2) else f"the {float(quantile):g} quantile"


@lru_cache(maxsize=1)
def _cumulative() -> Ints:
    """Return what each score of a period adds to a cumulative hazard, in parts of 2**20."""
    scores = range(-REACH * PARTS, REACH * PARTS + 1)
    odds = (hazard_odds(np.array(score / PARTS)) for score in scores)
    return np.array([round(math.log1p(odd) * 2**20) for odd in odds])


@lru_cache(maxsize=1)
def _surviving() -> Ints:
    """Return the survival at a cumulative hazard in parts of 2**12, in parts of `SURE`."""
    return np.array([math.floor(SURE * math.exp(-hazard / 2**12)) for hazard in range(10 * 2**12)])


def public_rows(schema: Schema, size: int) -> Points:
    """Return rows in which the cells of each column are equally frequent, in a mixed order.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "pulse": {"bins": [80]}})
    >>> rows = public_rows(schema, 6)
    >>> sorted(rows[:, 0].tolist()), sorted(rows[:, 1].tolist())
    ([2, 2, 3, 3, 4, 4], [2, 2, 2, 3, 3, 3])
    """
    source = SeededSource(0)
    cells = [
        Column.FIRST + source.permutation(size) * (column.n_codes - Column.FIRST) // size
        for column in schema.columns
    ]
    return np.column_stack(cells).astype(np.int16)


def _by_cell(
    schema: Schema, found: Mapping[int, Any], show: Callable[[Any], Any]
) -> dict[str, Any]:
    """Say values by cells of columns: bins or categories, then missing and other."""
    out = {}
    for column, values in found.items():
        codes = [*range(Column.FIRST, len(values)), Column.MISSING, Column.OTHER]
        described = schema.columns[column]
        out[described.name] = {described.describe(code): show(values[code]) for code in codes}
    return out


def _mean(
    tree: Tree, schema: Schema, possible: Mapping[int, set[int]], worth: Callable[[int], Any]
) -> Any:
    """Return the mean worth where each column's code is uniform over what is still possible."""
    if not isinstance(tree, Node):
        return worth(tree)
    column, n_codes, total = tree.split.column, schema.n_codes, 0
    codes = possible.get(column, set(range(Column.FIRST, n_codes[column])))
    accepts = tree.split.accepts(n_codes[column])
    for answer, side in ((True, tree.yes), (False, tree.no)):
        here = {code for code in codes if accepts[code] == answer}
        if here:
            below = _mean(side, schema, {**possible, column: here}, worth)
            total = total + len(here) / len(codes) * below
    return total


def _short(value: Fraction) -> str:
    return f"{float(value):,.10g}"
