"""All rule lists of one length over the bins and categories of a public schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone.classes.decision_trees.concept_class import (
    Counts,
    Forest,
    Powers,
    Rows,
    SchemaTrees,
    Splits,
    WeightedRoots,
    different_splits,
    first_code,
    leaves,
    rows_of,
    stumps,
)
from littlestone.classes.decision_trees.hypothesis import (
    Known,
    Node,
    Tree,
    TreeHypothesis,
    sides,
)
from littlestone.classes.hypotheses import Fields, readable
from littlestone.classes.spec import written
from littlestone.data import Sample, Schema
from littlestone.data.cells import BINARY
from littlestone.errors import parameter_error
from littlestone.source import Choice, Explicit, Source
from littlestone.types import Hypothesis

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.types import Label


# -- the exponential mechanism over all rule lists of one length, with any public labels ----------
#
# A *representation* of length m is a list of m splits. Each but the last has a side that ends
# there,
# with a label; the last has a label for each side. With s splits and k labels their number is
# L(1) = s k**2, L(m) = 2 s k L(m - 1).
#
# *Draw.* The cost of a list is the sum of the costs of its ends. On the rows R that come as far as
# a
# split, let E(R) be the sum over the answers of ``e**(-rate * cost)``, and
#
#     Z(R, 1) = sum over splits t of  E(R where t) E(R where not t)
#     Z(R, m) = sum over splits t of  E(R where t) Z(R where not t, m - 1)
#                                   + Z(R where t, m - 1) E(R where not t)
#
# Choose the split and the side that ends with the probability of its term, the label of the end by
# the weights of its answers, and the rest in the same way. By induction each representation has
# the
# probability ``e**(-rate * cost) / Z(all, m)``: the factors Z of the sides cancel.
#
# Splits that part the rows alike, up to swapping the sides, form one pattern: its two terms are
# weighed once, and one of its members is chosen uniformly. Each member has one side that is the
# drawn one, so the law is unchanged.
#
# *Error of the doubles.* As in `decision_trees.weighted`: with L labels an end has L + 6 factors
# of
# rounding, lists of length 1 have a_1 = 2 L + 14, and a sum over p patterns of both terms
# a + 8 + 2 p. So a_(m + 1) = (a_m + 8 + 2 p) + (L + 6) + 2, which is less than for trees of that
# depth with 2 p patterns: their bound is used. There are also fewer lists than such trees, so what
# is dropped beyond the table of powers is bounded as there.


# -- released rule lists: decision trees in which one side of every split is a leaf ---------------


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


def count(splits: int, length: int, labels: int = 2) -> int:
    """Return the number of representations.

    Examples
    --------
    >>> [count(3, length) for length in (1, 2)] == [3 * 4, 2 * 3 * 2 * 12]
    True
    """
    total = splits * labels**2
    for _ in range(1, length):
        total *= 2 * splits * labels
    return total


class ListRoots(WeightedRoots):
    """The terms of Z: each pattern that ends on its yes side, and then each on its no side.

    Lists of length 1 have one term for each pattern. The length (1 to 3) is the depth.
    """

    def __init__(self, rows: Rows, length: int, rate: Fraction, *, fast: bool = True) -> None:
        super().__init__(rows, length, rate, fast=fast)
        if length > 1:
            self._order = [*self._order, *(len(self._order) + place for place in self._order)]

    def drawn(self, source: Source) -> tuple[int, bool]:
        """Draw a split and whether its yes side ends there (for length 1: yes)."""
        chosen = self._order[source.choose(self)]
        side, pattern = divmod(chosen, len(self._patterns.members))
        members = self._patterns.members[pattern]
        split = members[source.below(len(members))]
        # the pattern's yes side is the one without the first code that occurs
        column, accepts = self._rows.splits.answers(split, yes=True)
        return split, (side == 0) != bool(accepts[first_code(self._tables, column)[1]])

    def _forest(self, powers: Powers) -> Forest:
        if self._depth == 1:
            return super()._forest(powers)
        costs = self._tables.differences()
        times, totals = powers.numbers(self._patterns.times), costs.totals[:, None]
        pairs = self._patterns.pairs(costs)
        if self._depth == 2:
            return _twice(pairs, totals, times, powers)
        k, x = np.zeros((2, len(times)), dtype=np.int64), np.stack([times, times])
        for root, inside in self._patterns.within(self._rows, costs):
            own = inside[:, root, root][:, None]
            for side, rows, sums in ((0, inside, own), (1, pairs - inside, totals - own)):
                below = _twice(rows, sums, times, powers).total(powers)
                k[side, root], x[side, root] = int(below.k), below.x
        rests = [Forest(*both) for both in zip(k, x, strict=True)]
        return _terms(_diagonal(pairs), totals, rests, times, powers)


def _diagonal(pairs: Counts) -> Counts:
    return np.diagonal(pairs, axis1=1, axis2=2)


def _twice(pairs: Counts, totals: Counts, times: Any, powers: Powers) -> Forest:
    """Return the terms of length 2 of rows with these counts by pairs of patterns."""
    within = _diagonal(pairs)
    rests = [
        stumps(inside, sums[:, :, None], times, powers).total(powers)
        for inside, sums in ((pairs, within), (within[:, None, :] - pairs, totals - within))
    ]
    return _terms(within, totals, rests, times, powers)


def _terms(
    within: Counts, totals: Counts, rests: Sequence[Forest], times: Any, powers: Powers
) -> Forest:
    """Return both terms of each pattern: an end on one side, all lists on the other."""
    ends = leaves(within, powers), leaves(totals - within, powers)
    k = [end.k + rest.k for end, rest in zip(ends, reversed(rests), strict=True)]
    x = [times * end.x * rest.x for end, rest in zip(ends, reversed(rests), strict=True)]
    return Forest(np.concatenate(k), np.concatenate(x))


class ListCandidates:
    """All representations of rule lists of one length, weighted by their cost on a sample.

    Examples
    --------
    >>> from littlestone.data import Sample, Schema
    >>> from littlestone.source import SeededSource
    >>> splits = Splits(Schema.from_dict({"age": {"bins": [30, 60]}}))
    >>> sample = Sample.of(np.array([[2], [3], [4]] * 50), [0, 2, 1] * 50, labels=3)
    >>> lists = ListCandidates(splits, 2, sample, ("a", "b", "c"))
    >>> lists.size, lists.draw(Fraction(1), SeededSource(0)).describe()
    (864, 'if age >= 60, missing or other, then b; otherwise, if age >= 30, then c; otherwise a')
    """

    def __init__(
        self,
        splits: Splits,
        length: int,
        sample: Sample,
        labels: tuple[Label, ...] = BINARY,
        *,
        fast: bool = True,
    ) -> None:
        self._length, self._labels, self._fast = length, labels, fast
        self._rows = rows_of(splits, sample, length)

    @property
    def size(self) -> int:
        """Number of representations."""
        return count(len(self._rows.splits), self._length, len(self._labels))

    def draw(self, rate: Fraction, source: Source) -> ListHypothesis:
        """Return a list; each representation weighs e**(-rate * cost)."""
        return ListHypothesis.of(
            self._grow(self._rows, self._length, Fraction(rate), source), self._labels
        )

    def _grow(self, rows: Rows, length: int, rate: Fraction, source: Source) -> Tree:
        if length == 0:
            return Explicit([-cost for cost in rows.totals.tolist()]).draw(rate, source)
        split, ends = ListRoots(rows, length, rate, fast=self._fast).drawn(source)
        here, there = (rows.side(split, yes=answer) for answer in (ends, not ends))
        label = self._grow(here, 0, rate, source)
        rest = self._grow(there, length - 1, rate, source)
        yes, no = (label, rest) if ends else (rest, label)
        return Node(rows.splits.literals[split], yes, no)


#: How many splits a schema may have, by length: more would take minutes, or gigabytes.
_MAX_SPLITS = {1: 30_000, 2: 3_000, 3: 2_000}


@written("rule_lists(length=2)")
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

    @property
    def comparisons(self) -> int:
        """One for each split."""
        return self.length

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

        As for trees: m points can be distinguished by few splits only, and the lists of these
        splits give them at least 2**m labellings if they are shattered.
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
