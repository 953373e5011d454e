"""Broken variants of the learner: the verifier must catch each one."""

from dataclasses import dataclass, replace
from itertools import product

import pytest

import littlestone as ls
from littlestone.classes import PointHypothesis
from littlestone.data import Sample
from littlestone.data.sample import OrderedSample
from littlestone.learners.littlestone import Littlestone, Votes, draw, parts
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource

from .small import check, learner

#: Every concept is 0 outside of the domain: a record (3, 0) lists all of them.
SINGLES = ls.Points(0, 2)
NODES = 2


@dataclass(frozen=True)
class Plain(Littlestone):
    """All concepts of low error, as a subclass submits, cuts and counts them."""

    def lists(self, sample, source):
        return [
            ([c for c in self.concept_class.concepts() if not self.concept_class.errors(c, s)], w)
            for s, weight in parts(sample, source, self.plan.chunk)
            for w in [weight]
        ]

    def cap(self, lists):
        return self.concept_class.size

    def count(self, lists):
        return Votes(lists)

    def draw(self, sample, source):
        lists = self.lists(sample, source)
        return draw(
            self.count(lists), cap=self.cap(lists), epsilon=self.epsilon, delta=self.delta,
            source=source, default=self.default,
        )  # fmt: skip


class RankedAlone(Plain):
    """Each teacher keeps one hypothesis, by a public order."""

    def cap(self, lists):
        return 1

    def count(self, lists):
        return Votes([(sorted(own, key=str)[:1], weight) for own, weight in lists])


class RankedByAll(RankedAlone):
    """Each teacher keeps one hypothesis: of its own, the one that all teachers like best."""

    def count(self, lists):
        liked = Votes(lists).counts
        kept = [
            (sorted(own, key=lambda h: (-liked[h], str(h)))[:1], weight) for own, weight in lists
        ]
        return Votes(kept)


class CountedTwice(Plain):
    """A list is not a set."""

    def count(self, lists):
        votes = Votes(lists)
        for hypothesis in votes.counts:
            votes.counts[hypothesis] *= 2
        return votes


class CapOfTheData(Plain):
    """Bottom weighs as much as the longest list that was submitted asks for."""

    def cap(self, lists):
        return max((len(own) for own, _ in lists), default=1) or 1


class CapTooSmall(Plain):
    """Lists are longer than bottom allows for."""

    def cap(self, lists):
        return 1


class OneBudgetForAll(Plain):
    """The node budget is shared: how much the first teachers use decides about the others."""

    def lists(self, sample, source):
        found, left = [], 4
        for own, weight in super().lists(sample, source):
            left -= len(own)
            found.append((own if left >= 0 else [], weight))
        return found


class SharedLists(Plain):
    """Teachers share what they know: all submit the union."""

    def count(self, lists):
        union = {h for own, _ in lists for h in own}
        return Votes([(union, weight) for _, weight in lists])


class AThirdOfTheNoise(Littlestone):
    """On this domain closed lists lose at most half of epsilon: half the noise would still hold."""

    def draw(self, sample, source):
        thrice = replace(self, epsilon=3 * self.epsilon, delta=self.delta)
        return thrice._plainly(sample, source)

    def _plainly(self, sample, source):
        return super().draw(sample, source)


class OverBudgetIsAnError(Littlestone):
    """A teacher's refusal escapes."""

    def draw(self, sample, source):
        space = self.concept_class.version_space(max_nodes=NODES)
        for records, _ in parts(sample, source, self.plan.chunk):
            space.fresh().within_error(records, 1).essential(2, 2)
        return super().draw(sample, source)


ALL = {"chunk": 1, "tolerances": (0,)}
BUDGET = {"epsilon": 1, "delta": "1/50"}
LARGE = {"epsilon": 8, "delta": "1/100"}
SHARP = {"epsilon": 4, "delta": "1/1000000"}


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("kind", "n", "budget"),
    [
        (RankedByAll, 2, BUDGET),
        (CountedTwice, 2, BUDGET),
        (CapTooSmall, 2, BUDGET),
        (OneBudgetForAll, 3, BUDGET),
        (SharedLists, 2, BUDGET),
        (AThirdOfTheNoise, 2, SHARP),
    ],
)
def test_broken_lists_are_caught(kind, n, budget):
    assert not check(learner(SINGLES, kind, **ALL, **budget), [0, 1, 3], n).holds


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", [Plain, RankedAlone])
@pytest.mark.parametrize("budget", [BUDGET, LARGE])
def test_the_same_code_with_correct_lists_passes(kind, budget):
    assert check(learner(SINGLES, kind, **ALL, **budget), [0, 1, 3], 2).holds


def test_bottom_must_not_depend_on_the_data():
    """Many teachers like one concept; whether another submits one or three moves bottom."""
    many = [([0], 110)]
    laws = {}
    for kind in (CapOfTheData, Plain):
        made = learner(SINGLES, kind, **ALL, epsilon="1/10", delta="1/100")
        for other in ([], [0, 1, 2]):
            lists = [([PointHypothesis(i) for i in own], w) for own, w in [*many, (other, 1)]]
            votes = Votes(lists)
            cap = made.cap(lists)
            laws[len(other)] = ExactSource().law(
                lambda s, m=made, v=votes, c=cap: draw(
                    v, cap=c, epsilon=m.epsilon, delta=m.delta, source=s, default=None
                )
            )
        found = upper(hockey_stick(laws[0].outcomes, laws[3].outcomes, made.epsilon))
        assert (found > made.delta) == (kind is CapOfTheData)


@pytest.mark.more
def test_a_refusal_that_escapes_is_caught():
    """With two nodes, some data sets are refused: the learner itself submits an empty list."""
    options = {"method": "closures", "chunk": 3, "tolerances": (1,)}
    broken = check(learner(ls.SparseSets(2), OverBudgetIsAnError, **options), ["a", "b"], 3)
    assert not broken.holds
    assert 0 < broken.refusals < broken.datasets
    options |= {"max_nodes": NODES}
    fixed = check(learner(ls.SparseSets(2), **options), ["a", "b"], 3)
    assert fixed.holds
    assert fixed.refusals == 0


@pytest.mark.more
@pytest.mark.parametrize("by_points", [True, False])
def test_one_record_reaches_one_list_unless_points_are_dealt_in_order(by_points):
    made = learner(SINGLES, Plain, chunk=2, tolerances=(0,))
    most, records = 0, list(product([0, 1, 3], (0, 1)))

    def lists(data):
        sample = OrderedSample.listed([x for x, _ in data], [y for _, y in data])
        if by_points:
            sample = Sample.binary(sample.points, sample.zeros, sample.ones, sample.outside)
        found = []
        ExactSource().law(lambda s: found.append(made.lists(sample, s)) or 0)
        return found[0]

    known = {data: lists(data) for data in product(records, repeat=4)}
    for data, mine in known.items():
        for i, new in product(range(4), records):
            theirs = known[(*data[:i], new, *data[i + 1 :])]
            most = max(most, sum(a != b for a, b in zip(mine, theirs, strict=True)))
    assert most == 1 + by_points
