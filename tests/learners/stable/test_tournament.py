"""Tournaments and algorithm G: observations, lemmas and the theorem's frequency."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from itertools import product
from math import log

import numpy as np
import pytest
from scipy import stats

from littlestone.classes import FiniteClass, Points, SparseSets
from littlestone.errors import SearchLimitError
from littlestone.learners.stable.plan import expected, stability
from littlestone.learners.stable.tournament import (
    Run,
    Undecided,
    extended_soa,
    stable_copy,
    tournament,
)
from littlestone.source import public_generator

from . import brute

POINTS = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]  # dimension 1
PAIRS = [*POINTS, [1, 1, 0], [1, 0, 1], [0, 1, 1]]  # dimension 2


def table(h, points=3):
    return tuple(h.predict(np.arange(points)).tolist())


def law_of_batches(masses, target, n):
    """Yield every batch of n records with its probability."""
    for xs in product(range(len(masses)), repeat=n):
        chance = F(1)
        for x in xs:
            chance *= masses[x]
        if chance:
            yield [(x, target[x]) for x in xs], chance


def exact_frequencies(rows, masses, target, n, rounds):
    """Return the exact law of SOA(S o T), S ~ D_k, T ~ D^n, for k = 0 or 1: by hand."""
    concepts, points = frozenset(map(tuple, rows)), len(masses)
    batches = list(law_of_batches(masses, target, n))

    def after(examples):
        return brute.extended_soa(concepts, points, examples)

    starts = [([], F(1))]
    if rounds:
        starts, kept = [], F(0)
        for (t0, p0), (t1, p1) in product(batches, repeat=2):
            f0, f1 = after(t0), after(t1)
            if f0 == f1:
                continue
            kept += p0 * p1
            x = next(i for i in range(points) if f0[i] != f1[i])
            for y in (0, 1):
                winner = t0 if f0[x] != y else t1
                starts.append(([*winner, (x, y)], p0 * p1 / 2))
        if not kept:
            return None
        starts = [(s, p / kept) for s, p in starts]
    law: Counter = Counter()
    for (s, p), (t, q) in product(starts, batches):
        law[after([*s, *t])] += p * q
    return law


def the_library_s(rows, masses, target, n, rounds):
    """The same law, from `stable_copy`: every batch and coin, in turn."""
    space = FiniteClass(rows).version_space()
    batches = list(law_of_batches(masses, target, n))
    law: Counter = Counter()
    draws = product(batches, repeat=2) if rounds else [()]
    for pieces in draws:
        for (last, q), y in product(batches, (0, 1)):
            chance = q / 2
            for _, p in pieces:
                chance *= p
            h = stable_copy(space, rounds, iter([t for t, _ in pieces]), last, coin=lambda y=y: y)
            law[None if h is None else table(h, len(masses))] += chance
    drawn_again = law.pop(None, F(0))  # equal predictions: the batches end
    return {f: p / (1 - drawn_again) for f, p in law.items()}


@pytest.mark.parametrize(("rows", "target"), [(POINTS, (0, 1, 0)), (PAIRS, (1, 1, 0))])
@pytest.mark.parametrize("rounds", [0, 1])
def test_the_law_of_one_copy_is_the_paper_s(rows, target, rounds):
    for masses in ([F(1, 2), F(1, 4), F(1, 4)], [F(0), F(1, 5), F(4, 5)]):
        expected_law = exact_frequencies(rows, masses, target, 2, rounds)
        assert the_library_s(rows, masses, target, 2, rounds) == dict(expected_law)


@pytest.mark.first(1)
@pytest.mark.parametrize(("rows", "target"), [(POINTS, (0, 1, 0)), (PAIRS, (1, 1, 0))])
def test_proposition_7_and_lemma_26(rows, target):
    """A frequent hypothesis has a small error: Pr[f] <= (1 - loss)**n, exactly."""
    for masses, n, rounds in product(
        ([F(1, 2), F(1, 4), F(1, 4)], [F(1, 10), F(1, 5), F(7, 10)]), (1, 2, 3), (0, 1)
    ):
        law = exact_frequencies(rows, masses, target, n, rounds)
        for f, chance in law.items():
            loss = sum(p for p, y, z in zip(masses, f, target, strict=True) if y != z)
            assert chance <= (1 - loss) ** n
            assert loss <= log(1 / chance) / n + 1e-12, "Proposition 7"


@pytest.mark.parametrize(("rows", "target", "d"), [(POINTS, (0, 1, 0), 1), (PAIRS, (1, 1, 0), 2)])
def test_lemma_25_exactly(rows, target, d):
    """For some k <= d one output has frequency at least theta (for d = 2, k = 2 is not needed)."""
    for masses in ([F(1, 2), F(1, 4), F(1, 4)], [F(1, 6), F(1, 2), F(1, 3)], [F(1, 3)] * 3):
        laws = [exact_frequencies(rows, masses, target, 1, k) for k in (0, 1)]
        assert max(max(law.values()) for law in laws if law) >= stability(d)


def test_each_round_forces_a_mistake():
    """Observation 24 (i), and at most d mistakes if the coins agree with the target."""
    target = {1: 1, 2: 1}
    rng = public_generator(3)
    space = SparseSets(2).version_space()

    def batches():
        while True:
            yield [(int(x), target.get(int(x), 0)) for x in rng.integers(1, 6, size=2)]

    seen = 0
    for rounds in (1, 2):
        for _ in range(40):
            try:
                run = tournament(Run(space), rounds, batches(), coin=lambda: int(rng.integers(2)))
            except Undecided:
                continue  # a copy that fails
            seen += run.realizable
            if run.realizable:
                assert run.space.littlestone_dim() <= 2 - rounds
    assert seen > 10


def test_batches_that_end_make_the_copy_fail():
    space, batch = Points().version_space(), [("a", 1)]
    assert stable_copy(space, 1, iter([batch, batch]), batch, coin=lambda: 0) is None
    assert stable_copy(space, 1, iter([batch, [("b", 0)]]), batch, coin=lambda: 1) is not None
    assert stable_copy(space, 2, iter([batch] * 50), batch, coin=lambda: 0) is None


def test_a_search_that_is_given_up_makes_the_copy_fail():
    class Hard:
        concept_class, is_empty = Points(), False

        def restrict(self, point, label):
            return self

        def soa(self):
            raise SearchLimitError(0, 3, 10)

    assert stable_copy(Hard(), 0, iter([]), [("a", 1)], coin=lambda: 0) is None


def frequency_test(space, draw, d, n, runs, seed):
    """Run copies of each number of rounds; compare the best frequency with theta - E/(B + 1)."""
    rng = public_generator(seed)
    theta = float(stability(d))
    best = []
    for rounds, drawn in enumerate(expected(d)):
        batches = int(np.ceil(drawn / (theta / 2)))

        def pieces(batches=batches):
            return (draw(rng, n) for _ in range(batches))

        found = Counter(
            stable_copy(space, rounds, pieces(), draw(rng, n), lambda: int(rng.integers(2)))
            for _ in range(runs)
        )
        found.pop(None, None)
        most = max(found.values(), default=0)
        bound = theta - drawn / (batches + 1)
        below = stats.binomtest(most, runs, bound, alternative="less").pvalue
        best.append((most / runs, bound, below))
    return best


def test_frequency_for_dimension_1():
    """The target's point is seen by about half of the batches: the hardest mass for k = 0."""
    n = 7

    def draw(rng, size, mass=1 - 0.5 ** (1 / n)):
        return [("*", 1) if rng.random() < mass else (int(rng.integers(9)), 0) for _ in range(size)]

    best = frequency_test(Points().version_space(), draw, 1, n, 600, 5)
    assert any(below > 1e-3 for _, _, below in best)
    total = sum(share for share, _, _ in best) / 2  # k drawn uniformly, as in the paper
    assert total > 1 / (2 * 2**4)  # the bound of Theorem 23 as stated


def test_frequency_for_dimension_2():
    n = 8

    def draw(rng, size, mass=1 - 0.6 ** (1 / n)):
        out = []
        for _ in range(size):
            u = rng.random()
            point = "*" if u < mass else "+" if u < 2 * mass else int(rng.integers(9))
            out.append((point, int(isinstance(point, str))))
        return out

    best = frequency_test(SparseSets(2).version_space(), draw, 2, n, 250, 6)
    assert any(below > 1e-3 for _, _, below in best)
    assert sum(share for share, _, _ in best) / 3 > 1 / (3 * 2**8)


def test_the_soa_alone_need_not_be_stable():
    """k = 0 on many points of small mass: rounds are needed, and they help."""
    n, k = 4, 6
    rng = public_generator(8)

    def draw(size):
        points = rng.integers(0, 2 * k, size=size)
        return [(int(x), int(x < k)) for x in points]

    space = SparseSets(k).version_space()
    found = Counter(extended_soa(space, draw(n)) for _ in range(400))
    assert max(found.values()) / 400 < 0.25
