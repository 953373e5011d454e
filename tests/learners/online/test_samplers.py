"""One draw of a sampler: what the budget of a stream is made of, exactly, and nearly attained."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import combinations, product
from math import comb, prod

import numpy as np
import pytest

from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes import (
    AffineSubspaces,
    AlwaysZero,
    Conjunctions,
    FiniteClass,
    Intervals,
    PointHypothesis,
    Points,
    Prefixes,
    SparseSets,
    Thresholds,
    TreePaths,
)
from littlestone.learners.online.state import ClosureSampler, closure_steps, majority, vote_events

from .test_transcripts import SHORT, plan

#: A record that was no mistake is in nobody's hands: None. So records are added and removed too.
MISTAKES = [None, *SHORT]


NOTHING = AlwaysZero()


def verified(sampler, epsilon, delta=0, kinds=MISTAKES, now=NOTHING):
    def run(records, source):
        epoch = [(time, *record) for time, record in enumerate(records) if record is not None]
        drawn = sampler.draw([epoch[:2], epoch[2:]], 1, source, now=now)[0]
        return None if drawn is None else drawn.key

    return verify_mechanism(run, replace_one(kinds, 4), epsilon=epsilon, delta=delta)


@pytest.mark.more
@pytest.mark.parametrize("epsilon", [F(1), F(6)])
def test_a_draw_from_scored_candidates(epsilon):
    kinds = [None, (1, 0), (1, 1), (2, 0)]
    result = verified(plan(draw_epsilon=epsilon).sampler(Thresholds(1, 2)), epsilon, kinds=kinds)
    assert result.holds
    assert (result.datasets, result.pairs) == (4**4, 4**4 * 4 * 3)
    assert result.tightest_epsilon > 0.6 * epsilon


# -- closures -----------------------------------------------------------------------------------


FLATS = AffineSubspaces(2, 2, 1)
A, B, C = (0, 0), (0, 1), (1, 0)


@pytest.mark.more
@pytest.mark.parametrize(
    ("concept_class", "now", "kinds"),
    [
        (Points(), AlwaysZero(), [(1, 0), (1, 1), (2, 1)]),
        (SparseSets(2), AlwaysZero(), [(1, 1), (2, 1), (2, 0)]),
        (SparseSets(2), PointHypothesis(1), [(1, 1), (2, 1), (3, 1)]),
        (FLATS, AlwaysZero(), [(A, 1), (B, 1), (C, 0)]),
        (FLATS, closure_steps(FLATS).join(AlwaysZero(), A), [(A, 1), (B, 1), (C, 1)]),
    ],
    ids=str,
)
@pytest.mark.parametrize(("epsilon", "leak"), [(F(1), F(1, 20)), (F(6), F(1, 100))])
def test_a_draw_of_closures(concept_class, now, kinds, epsilon, leak):
    """All lists of four mistakes, replaced, added and removed."""
    sampler = ClosureSampler(concept_class, epsilon / 2, leak)
    result = verified(sampler, epsilon, leak, kinds=[None, *kinds], now=now)
    assert result.holds
    assert result.worst_delta > leak / 4
    assert epsilon == 1 or result.tightest_epsilon > 0.4 * epsilon


@dataclass(frozen=True)
class Pairs(ClosureSampler):
    """Wrong: mistakes vote two by two, so that one record votes more than once."""

    def votes(self, epochs, now):
        xs = [x for epoch in epochs for _, x, y in epoch if y == 1]
        grown = closure_steps(self.concept_class)
        return Counter(grown.join(grown.join(now, a), b) for a, b in combinations(xs, 2) if a != b)


@dataclass(frozen=True)
class Loud(ClosureSampler):
    """Wrong: bottom is as light as a candidate without votes."""

    def draw(self, epochs, draws, source, *, now):
        return ClosureSampler(self.concept_class, self.rate, F(999, 1000)).draw(
            epochs, draws, source, now=now
        )


@pytest.mark.more
@pytest.mark.parametrize("kind", [Pairs, Loud])
def test_broken_closures_are_caught(kind):
    sampler = kind(SparseSets(2), F(1, 2), F(1, 100))
    assert not verified(sampler, F(1), F(1, 100), kinds=[None, (1, 1), (2, 1), (3, 1)]).holds


@pytest.mark.parametrize(
    "concept_class",
    [
        Points(1, 4), SparseSets(2, 1, 5), SparseSets(3, 1, 4), AffineSubspaces(2, 3, 1),
        AffineSubspaces(2, 3, 2), AffineSubspaces(3, 2, 1), AffineSubspaces(3, 2, 2),
    ],
    ids=str,
)  # fmt: skip
def test_growth_is_the_least_concept_by_brute_force(concept_class):
    """The least concept that holds some points; and never more next steps than `widths` says."""
    concepts = list(concept_class.concepts())
    domain = sorted(points_of(concept_class))
    sets = {h.key: frozenset(x for x in domain if label(h, x)) for h in concepts}
    by_set = {ones: h for h in concepts for ones in [sets[h.key]]}
    grown = closure_steps(concept_class)
    level = {AlwaysZero()}
    for step, width in enumerate(grown.widths):
        following = set()
        for h in level:
            inside = frozenset(x for x in domain if label(h, x))
            nexts = {}
            for x in set(domain) - inside:
                larger = [ones for ones in sets.values() if inside | {x} <= ones]
                found = grown.join(h, x)
                if not larger:
                    assert found is None
                    continue
                least = frozenset.intersection(*larger)
                assert found == by_set[least]
                nexts[least] = found
            for target in sets.values():
                if inside <= target:
                    assert sum(ones <= target for ones in nexts) <= width, (step, h)
            following |= set(nexts.values())
        level = following
    assert all(grown.join(h, x) is None for h in level for x in domain if not label(h, x))


def points_of(concept_class):
    if isinstance(concept_class, AffineSubspaces):
        return list(product(range(concept_class.q), repeat=concept_class.n))
    low, high = concept_class.bounds
    return list(range(low, high + 1))


def label(hypothesis, x):
    points = np.array([x]) if isinstance(x, tuple) else np.array([x], dtype=object)
    return int(hypothesis.predict(points)[0])


# -- votes -----------------------------------------------------------------------------------------


TREE = TreePaths({"a": None, "b": "a", "c": "a", "d": "b", "e": "b"})


@pytest.mark.first(12)
@pytest.mark.parametrize(
    ("concept_class", "points"),
    [
        (Thresholds(1, 3), range(0, 5)),
        (Points(1, 3), range(1, 4)),
        (SparseSets(2, 1, 3), range(1, 4)),
        (AffineSubspaces(2, 2, 1), [A, B, C, (1, 1)]),
        (TREE, "abcde"),
        (Intervals(1, 3), range(1, 4)),
        (FiniteClass([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), range(3)),
        (Conjunctions(1), [(0,), (1,)]),
    ],
    ids=str,
)
@pytest.mark.parametrize(("draws", "share"), [(1, F(1, 4)), (3, F(1, 3)), (5, F(9, 20))])
def test_votes_are_wrong_as_rarely_as_counted(concept_class, points, draws, share):
    """Exactly, by all outcomes of R draws, for many laws of concepts; also the worst ones."""
    concepts, points = list(concept_class.concepts()), list(points)
    labels = np.array([[label(h, x) for x in points] for h in concepts])
    wrong = sum(
        comb(draws, i) * share**i * (1 - share) ** (draws - i)
        for i in range(draws // 2 + 1, draws + 1)
    )
    allowed = vote_events(concept_class, share) * wrong
    votes = []
    for chosen in product(range(len(concepts)), repeat=draws):
        if list(chosen) == sorted(chosen):
            counts = Counter(chosen)
            ways = prod(range(1, draws + 1))
            for n in counts.values():
                ways //= prod(range(1, n + 1))
            ones = 2 * labels[list(chosen)].sum(axis=0) > draws
            vote = majority([concepts[i] for i in chosen])
            assert [label(vote, x) for x in points] == ones.astype(int).tolist()
            votes.append((ways, counts, ones))
    rng = np.random.default_rng(draws)
    laws = [rng.dirichlet(np.full(len(concepts), 0.3)) for _ in range(20)]
    for a, b in combinations(range(len(concepts)), 2):  # just the share on one concept
        law = np.zeros(len(concepts))
        law[a], law[b] = float(share) * (1 - 1e-12), 1 - float(share) * (1 - 1e-12)
        laws.append(law)
    worst = 0.0
    for law in laws:
        ones = law @ labels
        right = np.where(ones <= float(share), 0, np.where(1 - ones <= float(share), 1, -1))
        failing = sum(
            ways * prod(law[i] ** n for i, n in counts.items())
            for ways, counts, vote in votes
            if ((right >= 0) & (vote != right)).any()
        )
        worst = max(worst, failing)
    assert worst <= float(allowed) * (1 + 1e-9)
    assert worst > 0.3 * float(wrong)  # some law comes near


def test_the_number_of_events_does_not_grow_with_the_domain():
    share = F(1, 3)
    assert vote_events(Prefixes("ipv6"), share) == 4
    assert vote_events(SparseSets(3, 1, 10**30), share) == 9 + 4
    assert vote_events(Conjunctions(5), share) == 32
