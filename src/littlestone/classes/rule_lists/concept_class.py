"""All rule lists of one length over the bins and categories of a public schema."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Any

from littlestone.classes.decision_trees.concept_class import SchemaTrees, different_splits
from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.classes.rule_lists.hypothesis import ListHypothesis
from littlestone.classes.rule_lists.sampler import ListCandidates, count
from littlestone.classes.spec import written
from littlestone.data import Sample, Schema
from littlestone.errors import parameter_error
from littlestone.source import Choice
from littlestone.types import Hypothesis

#: How many splits a schema may have, by length: more would take minutes, or gigabytes.
_MAX_SPLITS = {1: 30_000, 2: 3_000, 3: 2_000}


@written("rule_lists(length=2)", "length", schema=True, labels=True)
class RuleLists(SchemaTrees):
    """Rule lists such as "if age < 30, then a; otherwise, if city is Bonn, then b; otherwise c".

    A *representation* is a list of ``length`` splits: each but the last has a side, yes or no, that
    ends there with a label; the last has a label for each side. The splits are those of
    `DecisionTrees` (``>=`` and ``<`` for each edge, ``is`` for each category), and a cell that is
    missing or other answers no to every split. So a list is a tree of depth ``length`` in which one
    side of every split is a leaf. Different representations may be the same function: each one
    counts, in ``size``, in the certificates and in the weights; a released list is in normal form.

    The class contains all `Rules` of at most ``length`` literals, and all shorter lists. It is much
    smaller than the trees of that depth, so fewer records certify it; and a list is read from the
    top, one line for each rule.

    Parameters
    ----------
    schema : Schema
        Public columns, bins and categories. With `Schema.every_column`, `bind` the number of
        columns before use (the estimators do).
    length : int in 1 .. 3, default 2
    labels : sequence of int or str, optional
        Public labels, in the order of their codes; by default 0 and 1. A cell outside the list
        counts as a mistake of every rule list.

    Raises
    ------
    ParameterError
        If the schema has too many splits for this length: 30,000, 3,000, 2,000 with two labels.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law over the
    representations, whose number is ``size``: with s splits and k labels s k**2 (2 s k)**(m - 1).

    Notes
    -----
    The lists are never listed: their weights are sums of products (`sampler`). Time and memory are
    those of trees of that depth with two labels or more.

    References
    ----------
    .. [1] Rivest 1987, Learning decision lists: these are lists of single literals.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> from fractions import Fraction
    >>> import numpy as np
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> lists = RuleLists(schema, length=2, labels=["a", "b", "c"])
    >>> lists.size
    1350
    >>> rows = np.array([[2, 2], [3, 2], [3, 1]])  # codes: age < 30 in Bonn, 30 to 59 in Bonn, ...
    >>> data = Sample.of(rows, [0, 2, 1], labels=3)
    >>> lists.candidates(data).draw(Fraction(50), SeededSource(1)).predict(rows).tolist()
    [0, 2, 1]
    """

    name = "rule_lists"
    measure = "length"
    most_splits = _MAX_SPLITS
    hypothesis = ListHypothesis

    def __init__(self, schema: Schema, length: int = 2, labels: Any = None) -> None:
        super().__init__(schema, length, labels)

    @property
    def length(self) -> int:
        """Number of splits."""
        return self.number

    def check_number(self) -> None:
        """Refuse lengths whose weights are not computed."""
        if self.length not in _MAX_SPLITS:
            raise parameter_error(
                "RuleLists", "length", "1, 2 or 3", self.length,
                "Longer lists take minutes to draw. A list of 3 rules is a tree of depth 3.",
            )  # fmt: skip

    @property
    def size(self) -> int:
        """Number of representations, exactly."""
        return count(len(self._splits), self.length, len(self.labels))

    @cached_property
    def vc_dim(self) -> int:
        """An upper bound of the VC dimension, for the labels 0 and 1.

        As for trees: m points can be told apart by few splits only, and the lists of these splits
        give them at least 2**m labellings if they are shattered.
        """
        self.check_binary("The VC dimension")
        m = self.size.bit_length() - 1
        while m > 1 and m >= (few := self._listed_on(m).bit_length()):
            m = few - 1
        return m

    def _listed_on(self, points: int) -> int:
        return count(different_splits(self.schema, points), self.length)

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all representations, scored by minus their errors; see the base class."""
        if not sample.unlisted:
            self.check_binary("A sample with the labels 0 and 1")
        return ListCandidates(self._splits, self.length, sample, self.labels)

    def representations(self, number: int) -> Iterator[Tree]:
        """Yield the lists of a length."""
        codes = range(len(self.labels))
        if number == 1:
            for split, yes, no in product(self._splits.literals, codes, codes):
                yield Node(split, yes, no)
            return
        below = list(self.representations(number - 1))
        for split, end, rest in product(self._splits.literals, codes, below):
            yield Node(split, end, rest)
            yield Node(split, rest, end)
