"""Where one learner is made of another (004): Sections 2.4, 3, 4, Corollary 4, Appendix A."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import AffineSubspaces
from littlestone.classes.geometry import affine_span
from littlestone.combinatorics import MistakeTree
from littlestone.data import Sample
from littlestone.learners.agnostic import TwoSample
from littlestone.learners.exponential import Generic
from littlestone.papers import alon, lyu
from littlestone.papers import alon_reductions as page
from littlestone.papers import alon_reductions as reductions
from littlestone.source import public_generator

from . import reference_alon as reference
from .agree import assert_equal, exact_law, finite, small_class, table
from .reference_lyu import ldim
from .test_lyu import ordered, records


def generic_law(rows, epsilon):
    return lambda data: reference.generic(rows, data, epsilon)


@pytest.mark.first(4, 15)
@pytest.mark.parametrize("seed", range(100))
def test_lemma_15(seed):
    rows, rng = small_class(f"lemma 15 {seed}", ldim=ldim, concepts=(3, 4))
    n, data = len(rows[0]), None
    data = records(rng, n, 9)
    inner = alon.GenericLearner(finite(rows), Fraction(rng.randint(1, 6), 2))
    algorithm = page.Lemma15(finite(rows), inner)
    law, slack = exact_law(lambda source: table(algorithm.draw(ordered(data), source), n))
    there = reference.with_replacement(data, 1, generic_law(rows, float(inner.epsilon)))
    assert_equal(law, there, slack)


@pytest.mark.first(10, 15)
@pytest.mark.parametrize("seed", range(100))
def test_corollary_4(seed):
    """T is all of S_1 where epsilon pays for the relabelling."""
    rows, rng = small_class(f"corollary 4 {seed}", ldim=ldim)
    n, epsilon = len(rows[0]), Fraction(rng.randint(5, 9), 2)
    inner = alon.GenericLearner(finite(rows), epsilon - Fraction(7, 5))
    algorithm = page.Corollary4(finite(rows), epsilon, Fraction(0), inner, first=2)
    assert algorithm.rate == 1
    data = records(rng, n, 4)
    law, slack = exact_law(lambda source: table(algorithm.draw(ordered(data), source), n))
    there = reference.corollary4(
        rows, data[:2], data[2:], float(epsilon), generic_law(rows, float(inner.epsilon))
    )
    assert_equal(law, there, slack)


@pytest.mark.first(10, 15)
@pytest.mark.parametrize("seed", range(200))
def test_flats_are_all_dichotomies_of_affine_subspaces(seed):
    """Each with the least cost of *all* subspaces that make it, listed by brute force."""
    rng = random.Random(f"flats {seed}")
    q, n, dim = rng.choice([(2, 2, 1), (2, 3, 1), (2, 3, 2), (3, 2, 1), (3, 1, 0), (5, 2, 1)])
    concept_class, every = AffineSubspaces(q, n, dim), list(product(range(q), repeat=n))
    first = sorted(rng.sample(every, min(rng.randint(1, 4), len(every))))
    second = [(rng.choice(every), rng.randint(0, 1)) for _ in range(rng.randint(1, 6))]
    S_2 = Sample.of(np.array([x for x, _ in second]), [y for _, y in second])
    best = {}
    for h in concept_class.concepts():
        cut = tuple(h.predict(np.array(first)).tolist())
        cost = concept_class.errors(h, S_2)
        best[cut] = min(cost, best.get(cut, cost))
    found = page.cuts_by_subspaces(concept_class, np.array(first), S_2)
    assert found.size == len(best)
    law, slack = exact_law(lambda source: tuple(found.draw(Fraction(1), source).tolist()))
    weights = {cut: np.exp(-float(cost)) for cut, cost in best.items()}
    assert_equal(law, {cut: w / sum(weights.values()) for cut, w in weights.items()}, slack)


@pytest.mark.more
def test_corollary_4_in_dimension_20():
    rng = np.random.default_rng(0)
    base, step = rng.integers(0, 7, 20), rng.integers(0, 7, 20)
    line = [tuple((base + t * step) % 7) for t in range(7)]
    others = [tuple(rng.integers(0, 7, 20)) for _ in range(30)]
    X = [line[i % 7] if i % 2 else others[i % 30] for i in range(9000)]
    y = [int(i % 2 if i % 20 else 1 - i % 2) for i in range(9000)]  # one label in twenty is wrong
    learner = ls.papers.Corollary4(
        AffineSubspaces(7, 20, 1), epsilon=2, delta=1e-6, most_subspaces=10**9, random_state=1
    )
    learner.fit([tuple(map(int, x)) for x in X], y)
    said = learner.predict([tuple(map(int, x)) for x in X])
    assert np.mean(said == y) > 0.9


@pytest.mark.more
def test_corollary_4_on_conics():
    """The circle x**2 + y**2 = 1 over GF(3) is a subspace of the monomials."""
    conics = page.Monomials(3, 2, 2)
    plane = list(product(range(3), repeat=2))
    circle = [(x * x + y * y) % 3 == 1 for x, y in plane]
    inside = conics.map([p for p, on in zip(plane, circle, strict=True) if on])
    concept_class = conics.concept_class(3)
    span = affine_span(3, [tuple(map(int, row)) for row in inside])
    assert span.dim <= 3
    assert span.predict(conics.map(plane)).tolist() == circle
    rows = [tuple(map(int, row)) for row in conics.map(plane * 2000)]
    learner = ls.papers.Corollary4(
        concept_class, epsilon=4, delta=1e-6, most_subspaces=10**15, random_state=0
    )
    learner.fit(rows, [int(on) for on in circle] * 2000)
    assert learner.predict(rows[:9]).tolist() == circle


@pytest.mark.parametrize("error", [Fraction(1, 4), Fraction(2, 5)])
@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_section_2_4_keeps_records_by_the_chance_that_they_decide(rounds, error):
    """Of all outcomes of later rounds: those in which this round decides the majority."""
    boosting = page.Boosting(None, rounds, 1, error)

    def decides(t, right):
        later = product((0, 1), repeat=rounds - t - 1)
        return sum(
            math.prod((1 - error) if r else error for r in rest)
            for rest in later
            if right + sum(rest) == (rounds - 1) // 2
        )

    for t in range(rounds):
        most = max(decides(t, right) for right in range(-rounds, rounds + 1))
        for right in range(t + 1):
            assert boosting.kept(t, right) == Fraction(decides(t, right)) / most


# -- Appendix A -----------------------------------------------------------------------------------


def has(colours, depth, wanted, height, node=0):
    """Whether a subtree of a height in one colour exists, by the definition."""
    if height == 0:
        return True
    if depth == 0:
        return False
    left, right = 2 * node + 1, 2 * node + 2
    below = [has(colours, depth - 1, wanted, height, child) for child in (left, right)]
    if any(below):
        return True
    return colours[node] == wanted and all(
        has(colours, depth - 1, wanted, height - 1, child) for child in (left, right)
    )


@pytest.mark.first(1)
@pytest.mark.parametrize("start", range(0, 1000, 200))
def test_lemma_31(start):
    for seed in range(start, start + 200):
        check_lemma_31(random.Random(f"lemma 31 {seed}"))


def check_lemma_31(rng):
    p, q = rng.randint(1, 3), rng.randint(1, 2)
    depth = p + q - 1
    inner = 2**depth - 1
    tree = MistakeTree(depth, tuple(range(inner)), tuple(range(inner + 1)))
    red = [rng.random() < 0.5 for _ in range(inner)]
    is_red, found = page.Lemma31(tree, red, p, q)
    assert found.depth == (p if is_red else q)
    assert all(red[node] == is_red for node in found.points)
    assert has(red, depth, is_red, found.depth)
    under = set(range(inner + 1))
    assert set(found.leaves) <= under
    assert len(set(found.leaves)) == 2**found.depth


@pytest.mark.first(10, 15)
@pytest.mark.parametrize("seed", range(100))
def test_theorem_10(seed):
    """Ten classes each: both constructions hold by the definitions."""
    for case in range(10):
        rows, _ = small_class(f"theorem 10 {seed} {case}", ldim=ldim)
        d = ldim(frozenset(rows))
        thresholds, tree = page.Theorem10([list(row) for row in rows])
        h, x = thresholds.hypotheses, thresholds.points
        assert len(h) >= (d + 1).bit_length()  # 2**(t+1) - 1 <= d gives t + 2
        for i, concept in enumerate(h):
            assert [rows[concept][point] for point in x] == [int(i <= j) for j in range(len(x))]
        assert tree.depth == len(h).bit_length() - 1
        for leaf, concept in enumerate(tree.leaves):
            node = 0
            for level in range(tree.depth):
                y = leaf >> (tree.depth - 1 - level) & 1
                assert rows[concept][tree.points[node]] == y
                node = 2 * node + 1 + y


# -- Section 4 ------------------------------------------------------------------------------------


def test_attack_finds_the_record_of_a_learner_that_shows_it():
    def median(S):
        zeros, ones = ([x for x, y in S if y == label] for label in (0, 1))
        middle = (max(zeros) + min(ones)) / 2
        return lambda x: float(x > middle)

    def first_one(S):
        return lambda x: float(x >= min(a for a, y in S if y))

    assert page.Attack.homogeneous(median, range(1, 9), m=2) is None  # depends on where points are
    for m in (2, 4):
        attack = page.Attack.homogeneous(first_one, range(1, 11), m)
        assert attack.p[attack.jump] - attack.p[attack.jump - 1] >= 1 / (4 * m)
        for x, S in zip(attack.places, attack.family(), strict=True):
            assert sum(a != b for a, b in zip(S, attack.family()[0], strict=True)) <= 1
            assert attack.locate(first_one(S)) == x


# -- the pages have the laws of the routes that they can replace (one-way street: these may go) ----


@pytest.mark.first(0, 6)
@pytest.mark.parametrize("seed", range(40))
def test_agnostic_from_realizable(seed):
    rows, rng = small_class(f"agnostic {seed}", ldim=ldim)
    n = len(rows[0])
    today = TwoSample(Generic(finite(rows), epsilon=1), epsilon=3, pool=2)
    inner = today.plan.learner
    here = reductions.Corollary4(finite(rows), Fraction(3), Fraction(0), inner, first=2)
    data = records(rng, n, 4)
    assert here.sizes(4) == today.parts(4)
    law, slack = exact_law(lambda source: table(here.draw(ordered(data), source), n))
    there, _ = exact_law(lambda source: table(today.draw(ordered(data), source), n))
    assert_equal(law, there, slack)


def test_public_coins_are_those_of_the_time_step():
    algorithm = lyu.DPOL(finite([(0, 1), (1, 0)]), *[Fraction(1)] * 5, 3, 1, 1, 1, 1)
    state = type("S", (), {"salt": 7})
    expected = [int(public_generator(7, t).integers(3)) for t in range(20)]
    assert [algorithm.teacher(state, t) for t in range(20)] == expected
