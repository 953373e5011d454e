"""Released sums of trees with several labels: votes for each row, a label, probabilities."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.classes.boosted_trees import export_labels
from littlestone.classes.boosted_trees.ensemble import (
    FURTHEST,
    SumOfTrees,
    in_order,
    mean_vote,
    read_step,
    read_trees,
)
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.nodes import Node
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import names_of, names_to_dict, readable
from littlestone.types import Json, Label, Labels, Points

if TYPE_CHECKING:
    from littlestone.data import Schema

__all__ = ["LabelEnsemble"]


@readable
@dataclass(frozen=True)
class LabelEnsemble(SumOfTrees):
    """A sum of trees that each vote for one label of a public list.

    The *votes* of a label at a row are its ``start`` plus the number of trees that answer it there.
    The label with the most votes is answered; of equals, the first of the list. Its probability is
    ``exp(step * votes)``, divided by the sum of these numbers over all labels.

    Parameters
    ----------
    trees : tuple of TreeHypothesis
        With ``label_names``.
    step : Fraction > 0
    start : tuple of int
        One for each label.
    label_names : tuple of int or str
        The public labels, by code.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> at30, _, at60, _ = Schema.from_dict({"age": {"bins": [30, 60]}}).literals()
    >>> names = ("a", "b", "c")
    >>> trees = tuple(TreeHypothesis.of(Node(split, 2, 0), names) for split in (at30, at60, at60))
    >>> ensemble = LabelEnsemble(trees, Fraction(1, 2), (0, 0, 0), names)
    >>> rows = np.array([[2], [3], [4]])
    >>> ensemble.votes(rows).tolist(), ensemble.predict(rows).tolist()
    ([[3, 0, 0], [2, 0, 1], [0, 0, 3]], [0, 0, 2])
    >>> ensemble.probability(rows[1:2]).round(3).tolist()
    [[0.506, 0.186, 0.307]]
    >>> ensemble.describe()
    'of a, b, c the label with the most votes of 3 trees of depth 1'
    """

    trees: tuple[TreeHypothesis, ...]
    step: Fraction
    start: tuple[int, ...]
    label_names: tuple[Label, ...]

    TYPE = "label_ensemble"

    @property
    def key(self) -> Hashable:
        """Canonical identity: the trees in their order, the step, the start and the labels."""
        trees = tuple(tree.key for tree in self.trees)
        return (self.TYPE, trees, self.step, self.start, self.label_names)

    @property
    def constant(self) -> int | None:
        """The code that is always answered, if all trees are constants."""
        if any(tree.constant is None for tree in self.counted):
            return None
        return int(self.predict(np.zeros((1, 1), dtype=np.int64))[0])

    def votes(self, points: Points) -> npt.NDArray[np.int64]:
        """Return the votes of each label (columns) at each row of codes."""
        total = np.tile(np.array(self.start, dtype=np.int64), (len(points), 1))
        each = np.arange(len(points))
        for tree, times in self.counted.items():
            total[each, tree.predict(points)] += times
        return total

    def log_odds(self, points: Points) -> npt.NDArray[np.float64]:
        """Return ``step * votes`` of each label (columns) at each row."""
        return self.votes(points) * np.float64(self.step)

    def probability(self, points: Points) -> npt.NDArray[np.float64]:
        """Return the probability of each label (columns) at each row."""
        odds = self.log_odds(points)
        odds = np.exp(odds - odds.max(axis=1, keepdims=True))
        shares: npt.NDArray[np.float64] = odds / odds.sum(axis=1, keepdims=True)
        return shares

    def predict(self, points: Points) -> Labels:
        """Label each row of codes: the code with the most votes, of equals the least."""
        most: Labels = self.votes(points).argmax(axis=1).astype(np.int8)
        return most

    def points(
        self, schema: Schema
    ) -> tuple[dict[Label, int], dict[str, dict[str, dict[Label, int]]]]:
        """Return the scorecard: a base, and points for each cell, that add up to the votes.

        Parameters
        ----------
        schema : Schema
            The one that the trees were learned with.

        Returns
        -------
        base : dict of label to int
        points : dict of column to dict of cell (in words) to dict of label to points
            At least 0, and 0 for some cell of each column; only columns that the sum asks for.

        Raises
        ------
        ValueError
            If some tree asks more than one question.
        """
        if self.depth > 1:
            raise ValueError("Only sums of trees of depth 1 are scorecards.")
        base = np.array(self.start, dtype=np.int64)
        votes: dict[int, npt.NDArray[np.int64]] = {}
        for tree, times in self.counted.items():
            node = tree.tree
            if not isinstance(node, Node):
                base[node] += times
                continue
            assert isinstance(node.yes, int)  # depth 1
            assert isinstance(node.no, int)
            accepts = node.split.accepts(schema.n_codes[node.split.column])
            shape = (len(base), len(accepts))
            own = votes.setdefault(node.split.column, np.zeros(shape, dtype=np.int64))
            own[node.yes] += times * accepts
            own[node.no] += times * ~accepts
        points = {}
        for column, own in sorted(votes.items()):
            least = own.min(axis=1)
            base += least
            described = schema.columns[column]
            points[described.name] = {
                described.describe(code): self._by_label(own[:, code] - least)
                for code in in_order(own.T)
            }
        return self._by_label(base), points

    def effects(self, schema: Schema) -> dict[Label, dict[str, dict[str, float]]]:
        """Return, for each label, what each column does to its log-odds, as in `TreeEnsemble`."""
        found: dict[Label, dict[str, dict[str, float]]] = {name: {} for name in self.label_names}
        for column in sorted({split.column for split in self.literals}):
            described, size = schema.columns[column], schema.n_codes[column]
            asking = {
                tree: times
                for tree, times in self.counted.items()
                if column in {split.column for split in tree.literals}
            }
            for label, name in enumerate(self.label_names):
                own = np.zeros(size)
                for tree, times in asking.items():
                    for code in range(size):
                        mean = mean_vote(
                            tree.tree,
                            schema.n_codes,
                            {column: {code}},
                            lambda leaf, label=label: int(leaf == label),  # type: ignore[misc]
                        )
                        own[code] += times * mean
                own = float(self.step) * (own - own[2:].mean())
                found[name][described.name] = {
                    described.describe(code): float(own[code]) for code in in_order(own)
                }
        return found

    def _by_label(self, values: npt.NDArray[np.int64]) -> dict[Label, int]:
        return dict(zip(self.label_names, values.tolist(), strict=True))

    def describe(self) -> str:
        """Say the sum in words."""
        if self.constant is not None:
            return f"always {self.label_names[self.constant]}"
        names = ", ".join(map(str, self.label_names))
        trees = "1 tree" if len(self.trees) == 1 else f"{len(self.trees)} trees"
        said = f"of {names} the label with the most votes of {trees} of depth {self.depth}"
        if not any(self.start):
            return said
        least = min(self.start)
        start = ", ".join(
            f"{votes - least} for {name}"
            for name, votes in zip(self.label_names, self.start, strict=True)
            if votes > least
        )
        return f"{said}; votes to begin with: {start}" if start else said

    def to_sql(
        self,
        schema: Schema,
        *,
        dialect: str = "standard",
        what: str = "label",
        of: Label | None = None,
    ) -> str:
        """Return one SQL expression; see `littlestone.classes.boosted_trees.export_labels`."""
        return export_labels.as_sql(self, schema, dialect=dialect, what=what, of=of)

    def to_python(self, schema: Schema) -> str:
        """Return a Python module without dependencies; see `export_labels.as_python`."""
        return export_labels.as_python(self, schema)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": self.TYPE,
            "trees": [tree.to_dict()["tree"] for tree in self.trees],
            "step": str(self.step),
            "start": list(self.start),
        } | names_to_dict(self.label_names)

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        fields = Fields(data, ("trees", "step", "start", "label_names"))
        names = names_of(fields)
        start = fields.items("start", len(names))
        whole = all(type(votes) is int and abs(votes) <= FURTHEST for votes in start)
        if not whole or len(start) != len(names):
            raise fields.refuse("start", "an integer for each label")
        return cls(read_trees(fields, names), read_step(fields), tuple(start), names)
