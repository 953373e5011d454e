"""All decision trees of one depth over the bins and categories of a public schema."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.bounds.public import PublicPoints
from littlestone.classes.base import SchemaClass
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.classes.decision_trees.rows import Splits
from littlestone.classes.decision_trees.weighted import Candidates, count
from littlestone.classes.spec import written
from littlestone.data import Sample, Schema
from littlestone.data.code_tables import fit_memory
from littlestone.data.labels import check_labels
from littlestone.errors import check_integer, parameter_error
from littlestone.source import Choice
from littlestone.types import Hypothesis, Point

if TYPE_CHECKING:
    from littlestone.classes.rule_lists import ListHypothesis

#: A class of more trees is not listed.
MOST_TREES = 1 << 12

#: How many splits a schema may have, by depth: more would take minutes, or gigabytes.
MAX_SPLITS = {1: 30_000, 2: 3_000, 3: 2_000, 4: 200}


class SchemaTrees(SchemaClass):
    """What decision trees and rule lists share: trees over the splits of a public schema.

    A class says by which number its trees are measured, how many splits a schema may have for each
    number, how a tree becomes a hypothesis, and which trees there are.
    """

    vc_exact = False

    measure: ClassVar[str]
    most_splits: ClassVar[Mapping[int, int]]
    hypothesis: ClassVar[type[TreeHypothesis | ListHypothesis]]

    def __init__(self, schema: Schema, number: int, labels: Any) -> None:
        caller, measure = self.caller, self.measure
        if labels is not None:
            self.labels = check_labels(caller, labels)
        super().__init__(schema)
        self.number = check_integer(caller, measure, number, low=1)
        self.check_number()
        # tables for each label, of the square of the number of splits
        most = math.isqrt(2 * self.most_splits[self.number] ** 2 // len(self.labels))
        if schema.bound and len(self._splits) > most:
            raise parameter_error(
                caller, "schema", f"of at most {most} splits for {measure} {self.number}",
                len(self._splits), f"Use fewer bins or categories, or a smaller {measure}.",
            )  # fmt: skip

    @abstractmethod
    def check_number(self) -> None:
        """Refuse trees that are too large."""

    @abstractmethod
    def representations(self, number: int) -> Iterator[Tree]:
        """Yield the trees of a size."""

    @cached_property
    def _splits(self) -> Splits:
        return Splits(self.bound)

    @property
    @abstractmethod
    def comparisons(self) -> int:
        """How many tests of a cell one tree makes at most, over all rows."""

    @property
    def public(self) -> PublicPoints | None:
        """How near its trees are to those with splits at any numbers, if the bins are public."""
        bins = self.schema.public
        return None if bins is None else bins.of(self.comparisons)

    def _concepts(self) -> Iterator[Hypothesis]:
        seen: set[Hashable] = set()
        for tree in self.representations(self.number):
            hypothesis = self.hypothesis.of(tree, self.labels)
            if hypothesis.key not in seen:
                seen.add(hypothesis.key)
                yield hypothesis

    def domain_points(self) -> Iterable[Point] | None:
        """Return all rows; None beyond 2**12 trees: the normal form of each takes 0.1 ms."""
        return super().domain_points() if self.size <= MOST_TREES else None


@written("decision_trees(depth=2)")
class DecisionTrees(SchemaTrees):
    """Decision trees such as "if married, then (if education >= 13, ...), otherwise ...".

    A *representation* is a full binary tree of the given depth: at each inner node one split, at
    each leaf a label. The splits are the literals of the schema (``>=`` and ``<`` for each edge,
    ``is`` for each category), without ``is not``, which is ``is`` with the sides swapped. A cell
    that is missing or other answers no to every split. Different representations may be the same
    function: each one counts, in ``size``, in the certificates and in the weights; a released
    tree is in normal form.

    So the class contains all `Rules` of at most ``depth`` literals, and all shallower trees.

    Parameters
    ----------
    schema : Schema
        Public columns, bins and categories. With `Schema.every_column`, `bind` the number of
        columns before use (the estimators do).
    depth : int in 1 .. 4, default 2
    labels : sequence of int or str, optional
        Public labels at the leaves, in the order of their codes; by default 0 and 1. A cell outside
        the list counts as a mistake of every tree.

    Raises
    ------
    ParameterError
        If the schema has too many splits for this depth: 30,000, 3,000, 2,000, 200.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law over the
    representations, whose number is ``size``: with s splits 4 s, 16 s**3, 256 s**7, 65536 s**15;
    with k labels k**2 s, k**4 s**3, k**8 s**7, k**16 s**15.

    Notes
    -----
    The trees are never listed: their weight factorises over the two sides of a root
    (docs/decision-trees.md). Cost with p different splits: counts of all sets of at most three
    columns, then 4 p**2, 8 p**3, 16 p**4 leaves: on the census table 0.02, 0.2 and 25 seconds of
    one core.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> from fractions import Fraction
    >>> import numpy as np
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> trees = DecisionTrees(schema, depth=2)
    >>> trees.size, trees.vc_dim
    (2000, 10)
    >>> rows = np.array([[2, 2], [3, 2], [2, 1], [3, 1]])  # codes: age < 30 in Bonn, ...
    >>> data = Sample.of(rows, [0, 1, 1, 0])  # exclusive or, which no rule is
    >>> trees.candidates(data).draw(Fraction(50), SeededSource(1)).predict(rows).tolist()
    [0, 1, 1, 0]
    """

    name = "decision_trees"
    measure = "depth"
    most_splits = MAX_SPLITS
    hypothesis = TreeHypothesis

    def __init__(self, schema: Schema, depth: int = 2, labels: Any = None) -> None:
        super().__init__(schema, depth, labels)

    @property
    def depth(self) -> int:
        """Number of splits from the root to each leaf."""
        return self.number

    @property
    def comparisons(self) -> int:
        """One for each inner node."""
        return int(2**self.depth) - 1

    def check_number(self) -> None:
        """Refuse depths whose weights are not computed."""
        if self.depth not in MAX_SPLITS:
            raise parameter_error("DecisionTrees", "depth", "1, 2, 3 or 4", self.depth)

    @property
    def uses_marginals(self) -> bool:
        """Whether the counts of sets of columns are enough, and not too many."""
        return fit_memory(self.schema, self.depth, len(self.labels) + self.lists_labels)

    @property
    def size(self) -> int:
        """Number of representations, exactly."""
        return count(len(self._splits), self.depth, len(self.labels))

    @cached_property
    def vc_dim(self) -> int:
        """An upper bound of the VC dimension, for the labels 0 and 1; see `shatter_bound`."""
        self.check_binary("The VC dimension")
        return self.shatter_bound(1)

    def shatter_bound(self, trees: int) -> int:
        """Return an upper bound on the number of points that functions of some trees shatter.

        T trees label m points in at most N(s(m))**T ways, where s(m) counts the `different_splits`
        and N the representations; if the points are shattered, this is at least 2**m.
        """
        # (2**k)**T > N**T if 2**k > N: then m = k * T points are not shattered
        m = trees * self.size.bit_length() - 1
        while (
            m > 1 and m >= trees * count(different_splits(self.schema, m), self.depth).bit_length()
        ):
            m = trees * count(different_splits(self.schema, m), self.depth).bit_length() - 1
        return m

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all representations, scored by minus their errors; see the base class."""
        if not sample.unlisted:
            self.check_binary("A sample with the labels 0 and 1")
        return Candidates(self._splits, self.depth, sample, self.labels)

    def representations(self, number: int) -> Iterator[Tree]:
        """Yield the full trees of a depth."""
        if number == 0:
            yield from range(len(self.labels))
            return
        below = list(self.representations(number - 1))
        for split, yes, no in product(self._splits.literals, below, below):
            yield Node(split, yes, no)


def different_splits(schema: Schema, points: int) -> int:
    """Return at most how many splits of a schema are different functions of some points.

    Of m points, a column of numbers splits in at most 2 (m - 1) ways by ``>=`` and ``<``, a
    column of texts m by ``is``; all other splits are constant on them.
    """
    kinds = ((len(column.literals(0)), column.numeric) for column in schema)
    return 1 + sum(
        min(n, 2 * (points - 1)) if numeric else min(n // 2, points) for n, numeric in kinds
    )
