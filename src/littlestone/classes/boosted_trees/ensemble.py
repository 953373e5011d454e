"""Released sums of trees: votes for each row, a label, probabilities."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees import export
from littlestone.classes.boosted_trees.link import has_link, linked
from littlestone.classes.boosted_trees.points import FURTHEST, CodePoints
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import names_of, names_to_dict, readable
from littlestone.data import Column
from littlestone.data.labels import BINARY
from littlestone.errors import UnsupportedError, counted
from littlestone.safe_io import read_exact
from littlestone.types import Json, Label, Labels, Points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.data import Literal, Schema

Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: More trees than this are neither learned nor read.
MAX_ROUNDS = 1_000
_WIDEST = 2**40


@readable
@dataclass(frozen=True)
class TreeEnsemble:
    """A sum of trees that each vote for one label.

    The *votes* of a label at a row are its ``start``, plus those of its ``points``, if there are
    any, plus the number of trees that answer it there.
    The label with the most votes is answered; of equals, the first. The *share* of a label is
    ``exp(step * votes)``, divided by the sum of these numbers over all labels; with a ``cap`` its
    probability is what such shares mean after boosting with that cap (`link`), else the share.

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
    'of a, b, c the label with the most points, of 1 column'
    """

    trees: tuple[TreeHypothesis, ...]  # with these label names
    step: Fraction  # log-odds of one vote
    start: tuple[int, ...] = (0, 0)  # votes of each label to begin with
    label_names: tuple[Label, ...] = BINARY  # public, by code
    cap: Fraction | None = None  # of the gradients, if probabilities follow from it
    code_points: CodePoints | None = None  # votes by the codes of a row, before any tree
    #: Of the labels 0 and 1: the probability of 1 at each of `margins`, where it was estimated.
    curve: tuple[float, ...] | None = None
    width: int | None = None  # of sets: how many votes fewer than the most their labels may have

    TYPE = "tree_ensemble"

    @property
    def binary(self) -> bool:
        """Whether the labels are 0 and 1."""
        return self.label_names == BINARY

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

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        trees = tuple(tree.key for tree in self.trees)
        return (
            self.TYPE,
            trees,
            self.step,
            self.start,
            self.label_names,
            self.cap,
            self.code_points,
            self.curve,
            self.width,
        )

    @property
    def constant(self) -> int | None:
        """The code that is always answered, if all trees are constants."""
        columns = self.code_points.columns if self.code_points else ()
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
        found = self.margin(points) if self.binary else self.votes(points)
        return found * np.float64(self.step)

    def probability(self, points: Points) -> Doubles:
        """Return the probability of label 1 at each row, or of each label (columns)."""
        if self.binary:
            return self.probabilities[(self.margin(points) - self.margins[0]) // 2]
        return self._chances(self.log_odds(points))

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
        return shares if self.cap is None else linked(shares, self.cap)

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
        found: npt.NDArray[np.bool_] = votes >= votes.max(axis=1, keepdims=True) - self.width
        return found

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
        base, own = self.summed(schema)
        return self._named(base), self._by_cell(schema, own, self._named)

    def summed(self, schema: Schema | None = None) -> tuple[Ints, dict[int, Ints]]:
        """Return the scorecard by codes: the base, and for each column the points of each code.

        Columns whose votes cancel each other are left out. Without a schema the codes end with the
        last one that is asked for.
        """
        if not self.additive:
            raise ValueError("Only sums of trees of depth 1 are scorecards.")
        base, own = self._seen(np.array(self.start, dtype=np.int64)), {}
        n_codes = self._n_codes if schema is None else schema.n_codes
        for column in self._columns():
            own[column] = np.zeros((n_codes[column], len(base)), dtype=np.int64)
        if self.code_points is not None:  # of one vote each
            base = base + self._seen(np.array(self.code_points.base, dtype=np.int64))
            for at, (column, _) in enumerate(self.code_points.columns):
                own[column] += self._seen(self.code_points.by_code(at).T).T
        for tree, times in self.counted.items():
            node = tree.tree
            if not isinstance(node, Node):
                base = base + times * self._vote(node)
                continue
            assert isinstance(node.yes, int)  # depth 1
            assert isinstance(node.no, int)
            accepts = node.split.accepts(n_codes[node.split.column])[:, None]
            votes = np.where(accepts, self._vote(node.yes), self._vote(node.no))
            own[node.split.column] += times * votes
        base = base + sum((votes.min(axis=0) for votes in own.values()), 0 * base)
        least = {column: votes - votes.min(axis=0) for column, votes in own.items()}
        return base, {column: votes for column, votes in least.items() if votes.any()}

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
        found: dict[int, Doubles] = {}
        started: dict[int, Doubles] = {}
        if self.code_points is not None:  # their limit, and rounding, are left out
            for at, (column, _) in enumerate(self.code_points.columns):
                started[column] = (
                    self._seen(self.code_points.by_code(at).T).T / self.code_points.unit
                )
        for column in self._columns():
            own = np.zeros((schema.n_codes[column], len(named)))
            for tree, times in self.counted.items():
                if any(split.column == column for split in tree.literals):
                    for code in range(len(own)):
                        own[code] += times * self._mean(tree.tree, schema, {column: {code}})
            own += started.get(column, 0)
            found[column] = float(self.step) * (own - own[Column.FIRST :].mean(axis=0))
        return {
            name: self._by_cell(schema, found, lambda values, at=at: float(values[at]))
            for at, name in enumerate(named)
        }

    def _columns(self) -> list[int]:
        pointed = self.code_points.columns if self.code_points is not None else ()
        return sorted({split.column for split in self.literals} | {column for column, _ in pointed})

    @property
    def _n_codes(self) -> dict[int, int]:
        """Up to which code each column is asked for."""
        found: dict[int, int] = {}
        for split in self.literals:
            found[split.column] = max(found.get(split.column, 0), split.code + 1)
        if self.code_points is not None:
            for at, (column, _) in enumerate(self.code_points.columns):
                found[column] = len(self.code_points.by_code(at))
        return found

    def _seen(self, votes: Ints) -> Ints:
        """Return votes as they are shown: for the labels 0 and 1 as a margin."""
        return votes[1:] - votes[:1] if self.binary else votes

    def _vote(self, label: int) -> Ints:
        return self._seen(np.eye(len(self.label_names), dtype=np.int64)[label])

    def _named(self, values: Ints) -> Any:
        if self.binary:
            return int(values[0])
        return dict(zip(self.label_names, values.tolist(), strict=True))

    def _by_cell(self, schema: Schema, found: Mapping[int, Any], show: Any) -> dict[str, Any]:
        """Say values by cells of columns: bins or categories, then missing and other."""
        out = {}
        for column, values in found.items():
            codes = [*range(Column.FIRST, len(values)), Column.MISSING, Column.OTHER]
            described = schema.columns[column]
            out[described.name] = {described.describe(code): show(values[code]) for code in codes}
        return out

    def _mean(self, tree: Tree, schema: Schema, possible: Mapping[int, set[int]]) -> Any:
        """Return the mean vote where each column's code is uniform over what is still possible."""
        if not isinstance(tree, Node):
            return self._vote(tree)
        column, n_codes = tree.split.column, schema.n_codes
        codes = possible.get(column, set(range(Column.FIRST, n_codes[column])))
        accepts, total = tree.split.accepts(n_codes[column]), 0
        for answer, side in ((True, tree.yes), (False, tree.no)):
            here = {code for code in codes if accepts[code] == answer}
            if here:
                mean = self._mean(side, schema, {**possible, column: here})
                total = total + len(here) / len(codes) * mean
        return total

    def describe(self) -> str:
        """Say the sum in words."""
        if self.constant is not None:
            return f"always {self.label_names[self.constant]}"
        names = ", ".join(map(str, self.label_names))
        if self.additive:
            base, own = self.summed()
            columns = counted(len(own), "columns")
            if not self.binary:
                return f"of {names} the label with the most points, of {columns}"
            unit = self.unit(base, own)
            needed, most = (
                self.needed(base, unit),
                sum(int(points.max()) for points in own.values()),
            )
            if not 0 < needed <= most // unit:
                return f"always {int(needed <= 0)}"
            return f"1 if the points of {columns} sum to at least {needed}, otherwise 0"
        trees = f"{counted(len(self.trees), 'trees')} of depth {self.depth}"
        asked = counted(len(self.code_points.columns), "columns") if self.code_points else ""
        if self.binary:
            points = f" and the points of {asked}" if asked else ""
            above = self.start[0] - self.start[1]
            return f"1 if {trees}, each +1 or -1,{points} sum to more than {above}, otherwise 0"
        points = f"points of {asked} and " if asked else ""
        said = f"of {names} the label with the most votes of {points}{trees}"
        more = [votes - min(self.start) for votes in self.start]
        begin = zip(more, self.label_names, strict=True)
        start = ", ".join(f"{votes} for {name}" for votes, name in begin if votes)
        return f"{said}; votes to begin with: {start}" if start else said

    def to_sql(
        self,
        schema: Schema,
        *,
        dialect: str = "standard",
        what: str | None = None,
        of: Label | None = None,
    ) -> str:
        """Return one SQL expression; see `littlestone.classes.boosted_trees.export.as_sql`."""
        return export.as_sql(self, schema, dialect=dialect, what=what, of=of)

    def to_python(self, schema: Schema, *, votes: bool = True) -> str:
        """Return a Python module without dependencies; see `export.as_python`."""
        return export.as_python(self, schema, votes=votes)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        described: Json = {
            "type": self.TYPE,
            "trees": [tree.to_dict()["tree"] for tree in self.trees],
            "step": str(self.step),
            "start": list(self.start),
        } | names_to_dict(self.label_names)
        described |= {} if self.cap is None else {"cap": str(self.cap)}
        described |= {} if self.width is None else {"width": self.width}
        described |= {} if self.code_points is None else {"points": self.code_points.to_dict()}
        return described if self.curve is None else described | {"curve": list(self.curve)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        fields = Fields(
            data, ("trees", "step", "start"), ("label_names", "cap", "points", "curve", "width")
        )
        names = names_of(fields)
        trees, start = read_trees(fields, names), fields.items("start", len(names))
        whole = all(type(votes) is int and abs(votes) <= FURTHEST for votes in start)
        if not whole or len(start) != len(names):
            raise fields.refuse("start", "an integer for each label")
        cap = _read_fraction(fields, "cap") if "cap" in fields else None
        if cap is not None and not has_link(cap, binary=names == BINARY):
            raise fields.refuse("cap", "1/2, or for the labels 0 and 1 in [1/2, 1]")
        points = CodePoints.read(fields.any("points"), len(names)) if "points" in fields else None
        found = cls(
            trees, _read_fraction(fields, "step"), tuple(start), names, cap, points,
            width=read_width(fields),
        )  # fmt: skip
        if "curve" not in fields:
            return found
        curve = fields.items("curve", FURTHEST)
        proper = all(
            isinstance(p, int | float) and not isinstance(p, bool) and 0 <= p <= 1 for p in curve
        )
        if not proper or len(curve) != len(found.margins) or not found.binary:
            raise fields.refuse("curve", "a probability for each margin, for the labels 0 and 1")
        return found.with_curve(curve)


def read_trees(fields: Fields, names: tuple[Label, ...]) -> tuple[TreeHypothesis, ...]:
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


def read_width(fields: Fields) -> int | None:
    """Return the entry ``width``, if there is one."""
    width = fields.any("width") if "width" in fields else None
    if width is not None and not (type(width) is int and 0 <= width <= _WIDEST):
        raise fields.refuse("width", "an integer, at least 0")
    return width


def _read_fraction(fields: Fields, name: str) -> Fraction:
    """Return an entry that is a positive fraction."""
    try:
        found = read_exact(fields.text(name, 100))
    except ValueError:
        found = Fraction(0)
    if found <= 0:
        raise fields.refuse(name, "a positive fraction")
    return found
