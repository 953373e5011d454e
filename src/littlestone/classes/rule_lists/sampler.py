"""The exponential mechanism over all rule lists of one length, with any public labels.

A *representation* of length m is a list of m splits. Each but the last has a side that ends there,
with a label; the last has a label for each side. With s splits and k labels their number is
L(1) = s k**2, L(m) = 2 s k L(m - 1).

*Draw.* The cost of a list is the sum of the costs of its ends. On the rows R that come as far as a
split, let E(R) be the sum over the answers of ``e**(-rate * cost)``, and

    Z(R, 1) = sum over splits t of  E(R where t) E(R where not t)
    Z(R, m) = sum over splits t of  E(R where t) Z(R where not t, m - 1)
                                  + Z(R where t, m - 1) E(R where not t)

Choose the split and the side that ends with the probability of its term, the label of the end by
the weights of its answers, and the rest in the same way. By induction each representation has the
probability ``e**(-rate * cost) / Z(all, m)``: the factors Z of the sides cancel.

Splits that part the rows alike, up to swapping the sides, form one pattern: its two terms are
weighed once, and one of its members is chosen uniformly. Each member has one side that is the
drawn one, so the law is unchanged.

*Error of the doubles.* As in `decision_trees.weighted`: with L labels an end has L + 6 factors of
rounding, lists of length 1 have a_1 = 2 L + 14, and a sum over p patterns of both terms
a + 8 + 2 p. So a_(m + 1) = (a_m + 8 + 2 p) + (L + 6) + 2, which is less than for trees of that
depth with 2 p patterns: their bound is used. There are also fewer lists than such trees, so what
is dropped beyond the table of powers is bounded as there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.classes.decision_trees.nodes import Node, Tree
from littlestone.classes.decision_trees.rows import Counts, Rows, Splits, first_code, rows_of
from littlestone.classes.decision_trees.weighted import (
    Forest,
    Powers,
    WeightedRoots,
    leaves,
    stumps,
)
from littlestone.classes.rule_lists.hypothesis import LeafList, ListHypothesis
from littlestone.data.labels import BINARY
from littlestone.source import Explicit, Source

if TYPE_CHECKING:
    from littlestone.data import Sample
    from littlestone.types import Label


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
        return ListHypothesis.of(self._drawn(Fraction(rate), source), self._labels)

    def draw_apart(self, rate: Fraction, source: Source) -> LeafList:
        """Return the same draw with all ends of the representation."""
        return LeafList.of(self._drawn(Fraction(rate), source), self._labels)

    def _drawn(self, rate: Fraction, source: Source) -> Tree:
        return self._grow(self._rows, self._length, rate, source)

    def _grow(self, rows: Rows, length: int, rate: Fraction, source: Source) -> Tree:
        if length == 0:
            return Explicit([-cost for cost in rows.totals.tolist()]).draw(rate, source)
        split, ends = ListRoots(rows, length, rate, fast=self._fast).drawn(source)
        here, there = (rows.side(split, yes=answer) for answer in (ends, not ends))
        label = self._grow(here, 0, rate, source)
        rest = self._grow(there, length - 1, rate, source)
        yes, no = (label, rest) if ends else (rest, label)
        return Node(rows.splits.literals[split], yes, no)
