"""Released sums of trees that raise and lower one number: a quantity, a log rate, log-odds."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees import export
from littlestone.classes.boosted_trees.ensemble import MAX_ROUNDS, read_trees, read_width
from littlestone.classes.boosted_trees.parts import PARTS, REACH
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import readable
from littlestone.data import Column
from littlestone.data.labels import BINARY
from littlestone.data.targets import Count, Periods, Quantity, Target, target_from_dict
from littlestone.errors import UnsupportedError, exact_value
from littlestone.source import SeededSource
from littlestone.types import Json, Points

if TYPE_CHECKING:
    from littlestone.data import Literal, Schema

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_FURTHEST = 2**40


@readable
@dataclass(frozen=True)
class TreeSum:
    """A sum of trees of one number, the *score*: an answer of 1 adds the tree's step, 0 takes it.

    Of a quantity the score counts parts of a cell, from its low end, and what lies beyond the
    public range is the nearest end. Of a count it is the logarithm of the expected count, and of
    a time until an event what the log-odds of the event in a period follow from, in parts of one;
    the last column that its trees ask is then the period.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> at30, _ = Schema.from_dict({"age": {"bins": [30]}}).literals()
    >>> tree = TreeHypothesis.of(Node(at30, 1, 0))
    >>> rows = np.array([[2], [3]])
    >>> price = TreeSum((tree, tree), (600 * PARTS, 300 * PARTS), (5000 * PARTS,), Quantity(0, 200))
    >>> price.predict(rows).tolist(), price.describe()
    ([82.0, 118.0], 'a quantity from 0 to 200: 100 and 2 trees of depth 1')
    >>> TreeSum((tree,), (PARTS,), (0,), Count(9)).predict(rows).round(3).tolist()
    [0.368, 2.718]
    """

    trees: tuple[TreeHypothesis, ...]  # with the answers 0 and 1
    steps: tuple[int, ...]
    start: tuple[int, ...]  # one; of a time one for each period
    target: Target
    quantile: Fraction | None = None  # which one of a quantity is predicted; None: its mean
    width: int | None = None  # half of an interval, in parts of a cell, of a count in parts of one

    TYPE = "tree_sum"

    @property
    def kind(self) -> str:
        """What is predicted: a quantity (also a median), another quantile, a count, or a time."""
        middle = self.quantile in (None, Fraction(1, 2))
        return self.target.kind if middle else "quantile"

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
        """The different trees, with the sum of their steps."""
        found: dict[TreeHypothesis, int] = {}
        for tree, step in zip(self.trees, self.steps, strict=True):
            found[tree] = found.get(tree, 0) + step
        return found

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        trees = tuple(tree.key for tree in self.trees)
        return (self.TYPE, trees, self.steps, self.start, self.target, self.quantile, self.width)

    @property
    def constant(self) -> None:
        """Not a label."""
        return None

    def scores(self, points: Points) -> Ints:
        """Return the score of each row; of a time one for each period (columns)."""
        if not isinstance(self.target, Periods):
            return self._added(np.full(len(points), self.start[0], dtype=np.int64), points)
        found = np.tile(np.array(self.start, dtype=np.int64), (len(points), 1))
        for period, own in enumerate(found.T):
            column = np.full((len(points), 1), Column.FIRST + period, dtype=np.int64)
            own[:] = self._added(own, np.hstack([points, column]))
        return found

    def _added(self, scores: Ints, points: Points) -> Ints:
        for tree, step in self.counted.items():
            scores = scores + step * (2 * tree.predict(points).astype(np.int64) - 1)
        return scores

    def predict(self, points: Points) -> npt.NDArray[Any]:
        """Return the quantity, or the expected count, of each row; of a time a risk.

        The risk is the cumulative hazard of all periods: minus the logarithm of the probability
        that nothing happens in them.
        """
        if isinstance(self.target, Periods):
            return self._risks(points)[:, -1]
        return self.worth(self.scores(points))

    def worth(self, scores: Ints) -> Doubles:
        """Return what scores are worth: quantities, expected counts, probabilities of an event."""
        low, high = self.limits
        clipped = np.clip(scores, low, high).astype(np.float64)
        if isinstance(self.target, Quantity):
            return float(self.target.low) + clipped * float(self.target.width / PARTS)
        if isinstance(self.target, Count):
            return np.exp(clipped / PARTS)
        odds = _hazard_odds(clipped / PARTS)
        return odds / (1 + odds)

    def in_parts(self, points: Points) -> Ints:
        """Return quantities or expected counts as integers: parts of a cell, or of one."""
        clipped = np.clip(self.scores(points), *self.limits)
        if isinstance(self.target, Quantity):
            return clipped
        return np.rint(PARTS * self.worth(clipped)).astype(np.int64)

    @property
    def limits(self) -> tuple[int, int]:
        """The range of scores: beyond it they are as at its ends."""
        if isinstance(self.target, Quantity):
            return 0, self.target.cells * PARTS
        if isinstance(self.target, Count):
            return -REACH * PARTS, int(np.floor(np.log(self.target.high) * PARTS))
        return -REACH * PARTS, REACH * PARTS

    def interval(self, points: Points) -> Doubles:
        """Return the two ends of the interval of each row (columns), within the public range."""
        if self.width is None:
            raise UnsupportedError(
                "This model has no intervals: fit with interval=0.9 (--interval 90%)."
            )
        first, unit, most = self.parts
        middle = self.in_parts(points)
        ends = np.stack([middle - self.width, middle + self.width], axis=1).clip(0, most)
        found: Doubles = first + ends.astype(np.float64) * unit
        return found

    @property
    def parts(self) -> tuple[float, float, int]:
        """The lowest quantity or count, what a part of a cell, or of one, is worth, and how many.

        Examples
        --------
        >>> TreeSum((), (), (0,), Quantity(5, 25, 10)).parts
        (5.0, 0.001953125, 10240)
        """
        low, cell = Fraction(0), Fraction(1)
        if isinstance(self.target, Quantity):
            low, cell = self.target.low, self.target.width
        return float(low), float(cell / PARTS), (self.target.size - 1) * PARTS

    def survival(self, points: Points) -> Doubles:
        """Return the probability that nothing has happened at the end of each period (columns)."""
        if not isinstance(self.target, Periods):
            raise TypeError("Only times until events have survival functions.")
        survival: Doubles = np.exp(-self._risks(points))
        return survival

    def _risks(self, points: Points) -> Doubles:
        """Return the cumulative hazards: the logarithms of one plus the odds, added up."""
        scores = np.clip(self.scores(points), *self.limits) / PARTS
        risks: Doubles = np.cumsum(np.log1p(_hazard_odds(scores)), axis=1)
        return risks

    def risk_in_parts(self, points: Points) -> Ints:
        """Return the cumulative hazard of each row as an integer: of a row alone, wherever it is.

        Functions of the machine may round a number by its place in an array.
        """
        low, high = self.limits
        risks: Ints = _cumulative()[np.clip(self.scores(points), low, high) - low].sum(axis=1)
        return risks

    def effects(self, schema: Schema) -> dict[str, dict[str, float]]:
        """Return what each column does: the mean change of the score for each cell.

        Of a quantity in its own unit, without the limits of its range; otherwise of log rates and
        log-odds. The mean is over the public bins and categories of the other columns, all equally
        likely and independent, and so costs no privacy. ``schema``: that of the trees.
        """
        unit = float(self.target.width) if isinstance(self.target, Quantity) else 1.0
        found: dict[str, dict[str, float]] = {}
        for column in sorted({split.column for split in self.literals}):
            own = np.zeros(schema.n_codes[column])
            for tree, step in self.counted.items():
                if any(split.column == column for split in tree.literals):
                    means = [_mean(tree.tree, schema, {column: {c}}) for c in range(len(own))]
                    own += 2 * step * np.array(means)
            own = unit / PARTS * (own - own[Column.FIRST :].mean())
            codes = [*range(Column.FIRST, len(own)), Column.MISSING, Column.OTHER]
            described = schema.columns[column]
            found[described.name] = {described.describe(c): float(own[c]) for c in codes}
        return found

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
        trees = f"{len(self.trees)} tree{'s' if len(self.trees) != 1 else ''} of depth {self.depth}"
        if isinstance(self.target, Quantity):
            low, high = self.target.low, self.target.high
            first = float(low + self.target.width * Fraction(self.start[0], PARTS))
            what = f"a quantity from {_short(low)} to {_short(high)}"
            if self.quantile is not None:
                what = f"{quantile_words(self.quantile)} of {what}"
            return f"{what}: {first:.6g} and {trees}{self._around}"
        if isinstance(self.target, Count):
            first = np.exp(self.start[0] / PARTS)
            return f"a count: {first:.4g} times factors of {trees}{self._around}"
        assert isinstance(self.target, Periods)
        return f"hazards in {len(self.target.ends)} periods: log-odds of {trees}"

    @property
    def _around(self) -> str:
        return "" if self.width is None else f", each ± {self.width * self.parts[1]:.4g}"

    def to_sql(
        self, schema: Schema, *, dialect: str = "standard", what: str | None = None, of: Any = None
    ) -> str:
        """Return one SQL expression; see `littlestone.classes.boosted_trees.export.sum_as_sql`."""
        return export.sum_as_sql(self, schema, dialect=dialect, what=what, of=of)

    def to_python(self, schema: Schema) -> str:
        """Return a Python module without dependencies; see `export.sum_as_python`."""
        return export.sum_as_python(self, schema)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        which: Json = {} if self.quantile is None else {"quantile": str(self.quantile)}
        which |= {} if self.width is None else {"width": self.width}
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
        fields = Fields(data, ("trees", "steps", "start", "target"), ("quantile", "width"))
        target = target_from_dict(fields.any("target"))
        periods = len(target.ends) if isinstance(target, Periods) else 1
        trees = read_trees(fields, BINARY)
        for name, wanted in (("steps", len(trees)), ("start", periods)):
            numbers = fields.items(name, max(MAX_ROUNDS, periods))
            whole = all(type(value) is int and abs(value) <= _FURTHEST for value in numbers)
            if not whole or len(numbers) != wanted:
                raise fields.refuse(name, f"{wanted} integers")
        quantile = None
        if "quantile" in fields:
            quantile = exact_value(fields.any("quantile"))
            if not isinstance(target, Quantity) or quantile is None or not 0 < quantile < 1:
                raise fields.refuse("quantile", "of a quantity, between 0 and 1")
        width = read_width(fields)
        return cls(trees, tuple(data["steps"]), tuple(data["start"]), target, quantile, width)


def quantile_words(quantile: Fraction) -> str:
    """Return a quantile in words.

    Examples
    --------
    >>> quantile_words(Fraction(9, 10)), quantile_words(Fraction(1, 2))
    ('the 0.9 quantile', 'the median')
    """
    return "the median" if quantile == Fraction(1, 2) else f"the {float(quantile):g} quantile"


def _hazard_odds(scores: Doubles) -> Doubles:
    """Return the odds of the event: what the capped loss fits (`link`, for a cap of 1/2).

    They are ``2 sigma(s)`` for a score s below 0, and else ``1 / (2 sigma(-s))``.
    """
    odds: Doubles = np.minimum(1, 2 / (1 + np.exp(-scores))) * np.maximum(
        1, (1 + np.exp(scores)) / 2
    )
    return odds


@lru_cache(maxsize=1)
def _cumulative() -> Ints:
    """Return what each score of a period adds to a cumulative hazard, in parts of 2**20."""
    scores = range(-REACH * PARTS, REACH * PARTS + 1)
    odds = (_hazard_odds(np.array(score / PARTS)) for score in scores)
    return np.array([round(math.log1p(own) * 2**20) for own in odds])


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


def hazard_score(odds: float) -> float:
    """Return the score at which the odds of the event are these.

    Examples
    --------
    >>> [round(float(_hazard_odds(np.array(hazard_score(odds)))), 6) for odds in (0.01, 1, 5)]
    [0.01, 1.0, 5.0]
    """
    return math.log(odds / (2 - odds)) if odds <= 1 else math.log(2 * odds - 1)


def _mean(tree: Tree, schema: Schema, possible: dict[int, set[int]]) -> float:
    """Return the mean answer where each column's code is uniform over what is still possible."""
    if not isinstance(tree, Node):
        return float(tree)
    column, n_codes = tree.split.column, schema.n_codes
    codes = possible.get(column, set(range(Column.FIRST, n_codes[column])))
    accepts = tree.split.accepts(n_codes[column])
    return sum(
        len(here) / len(codes) * _mean(side, schema, {**possible, column: here})
        for here, side in _sides(tree, codes, accepts)
    )


def _sides(
    tree: Node, codes: set[int], accepts: npt.NDArray[np.bool_]
) -> Iterator[tuple[set[int], Tree]]:
    """Yield the codes that answer yes and no, with the sides, where there are any."""
    for answer, side in ((True, tree.yes), (False, tree.no)):
        here = {code for code in codes if accepts[code] == answer}
        if here:
            yield here, side


def _short(value: Fraction) -> str:
    return f"{float(value):.10g}"
