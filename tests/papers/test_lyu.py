"""The pages of 003 and 004 against second writings of their texts."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes import AffineSubspaces, Points, Thresholds
from littlestone.classes.affine_subspaces import affine_span
from littlestone.combinatorics import MistakeTree
from littlestone.data import Sample
from littlestone.data.sample import OrderedSample
from littlestone.errors import SearchLimitError
from littlestone.papers import alon, lyu
from littlestone.papers import alon_reductions as page
from littlestone.source import ExactSource, public_generator, public_salt

from . import reference_alon as alon_reference
from . import reference_lyu as reference
from .agree import assert_equal, exact_law, finite, member, small_class, table
from .reference_lyu import ldim

# -- The page of 003 against `reference_lyu`, and its guarantees by exact verification -------------


def records(rng, n_points, n):
    return [(rng.randrange(n_points), rng.randint(0, 1)) for _ in range(n)]


def ordered(pairs):
    return OrderedSample.listed([x for x, _ in pairs], [y for _, y in pairs])


@pytest.mark.first(10, 15)
@pytest.mark.parametrize("seed", range(100))
def test_section_4(seed):
    """Irreducibility, decomposition dimension, essential hypotheses of ten classes each."""
    rng = random.Random(f"section 4 {seed}")
    for case in range(10):
        rows, _ = small_class(f"{seed} {case}", ldim=reference.ldim)
        H, space, n = frozenset(rows), finite(rows).version_space(), len(rows[0])
        d, p = reference.ldim(H) + rng.randint(0, 1), rng.randint(1, 4)
        assert table(space.soa(), n) == reference.soa(H)
        for k in range(1, n + 1):
            assert lyu.irreducible(space, k) == (not reference.reducible(H, k))
        assert lyu.decomposition_dimension(space, p, d) == reference.degree(H, 0, p, d)
        found = {table(f, n) for f in lyu.essential(space, p, d)}
        assert found == reference.essential(H, p, d)
        assert len(found) <= lyu.longest(p, d)


@pytest.mark.first(10, 15)
@pytest.mark.parametrize("seed", range(100))
def test_algorithms_1_and_2(seed):
    rng = random.Random(f"sparse {seed}")
    lists = [rng.sample("abcde", rng.randint(0, 3)) for _ in range(rng.randint(0, 5))]
    sampling = lyu.PrivateSparseSample(3, Fraction(rng.randint(1, 8), 4), Fraction(1, 50))
    law, slack = exact_law(lambda source: sampling.draw(lists, source))
    there = reference.sparse_sample(lists, 3, float(sampling.epsilon), 0.02)
    there = {None if u == reference.BOTTOM else u: p for u, p in there.items()}
    assert_equal(law, there, slack)

    values = [rng.randint(-2, 6) for _ in range(4)]
    charged = rng.choice(["above", "below"])
    test = lyu.AboveThreshold(2, Fraction(rng.randint(1, 6), 4), charged)

    def answers(source):
        run, found = test.start(3, source), []
        for value in values:
            if run.halted:
                break
            found.append(run.ask(value))
        return tuple(found), run.counter, run.t

    law, slack = exact_law(answers)
    there = {}

    def follow(i, said, chance):
        counter = sum(said) if charged == "above" else len(said) - sum(said)
        if i == len(values) or counter >= 2:
            there[said, counter, i] = chance
            return
        passes = reference.above(values[i], 3, float(test.epsilon))
        follow(i + 1, (*said, True), chance * passes)
        follow(i + 1, (*said, False), chance * (1 - passes))

    follow(0, (), 1.0)
    assert_equal(law, there, slack)


class Remembered(lyu.Theorem3):
    """Each list is searched once: thousands of paths of draws ask for the same ones."""

    def listed(self, S_i, j, m):
        key = (S_i.points.tobytes(), S_i.by_label.tobytes(), j)
        known = self.__dict__.setdefault("_lists", {})
        if key not in known:
            known[key] = super().listed(S_i, j, m)
        return known[key]


def theorem3(rows, rng, d):
    m = rng.randint(1, 2)
    tolerances = tuple(sorted((rng.randint(0, m) for _ in range(d + 1)), reverse=True))
    return Remembered(
        finite(rows), Fraction(rng.randint(10, 16)), Fraction(1, 20), k=rng.randint(1, 4), chunk=m,
        tolerances=tolerances, share=Fraction(rng.randint(5, 8), 10),
        agreeing=Fraction(rng.randint(3, 9), 10),
    )  # fmt: skip


@pytest.mark.first(1, 15)
@pytest.mark.parametrize("seed", range(100))
def test_theorem_3(seed):
    rows, rng = small_class(f"theorem 3 {seed}", ldim=reference.ldim)
    H, n = frozenset(rows), len(rows[0])
    d = reference.ldim(H)
    algorithm = theorem3(rows, rng, d)
    data = records(rng, n, rng.randint(2, 4))
    law, slack = exact_law(lambda source: table(algorithm.draw(ordered(data), source), n), 2**-40)
    test, m = algorithm.test(), algorithm.chunk
    sampling = algorithm.sampling(m)
    there = reference.theorem3(
        H, data, m=m, c=algorithm.tolerances, k=algorithm.k, agreeing=algorithm.agreeing,
        offset=float(test.offset_rate), rate=float(test.rate), draw_rate=float(sampling.epsilon),
        L=sampling.L, delta=0.05, default=member(algorithm.concept_class, n),
    )  # fmt: skip
    assert_equal(law, there, slack, within=1e-10)


def train_of(rows, rng, d):
    k = rng.randint(1, 3)
    return lyu.JointTrain(
        finite(rows), d, k, cap=rng.randint(1, 3), draws=rng.choice([1, 1, 2]),
        epsilon=Fraction(rng.randint(2, 6), 2), delta=Fraction(1, 10),
    )  # fmt: skip


def numbers_of(train, agreed):
    return {
        "d": train.d, "k": train.k, "cap": train.cap, "draws": train.draws,
        "L": train.sampling.L, "rate": float(train.epsilon), "delta": float(train.delta),
        "noise": float(agreed.epsilon),
    }  # fmt: skip


@pytest.mark.first(6, 15)
@pytest.mark.parametrize("seed", range(100))
def test_algorithm_4(seed):
    rows, rng = small_class(f"algorithm 4 {seed}", ldim=reference.ldim)
    H, n = frozenset(rows), len(rows[0])
    d = reference.ldim(H)
    train = train_of(rows, rng, d)
    agreed = lyu.AboveThreshold(d + 1, Fraction(rng.randint(2, 6), 4), "below")
    S = [[records(rng, n, rng.randint(0, 3)) for _ in range(2)] for _ in range(train.k)]
    published = finite(rows).version_space().soa()

    def trained(source):
        state = lyu.State(
            published, lyu.AboveThreshold(1, Fraction(1)).start(9, source),
            agreed.start(math.ceil(4 * train.k / 5), source), 0,
            [[[(0, x, y) for x, y in part] for part in collection] for collection in S],
        )  # fmt: skip
        h = train(state, source)
        return table(h, n), state.j_star, state.agreed.counter

    law, slack = exact_law(trained)
    there = reference.joint_train(H, S, 1, 0, table(published, n), **numbers_of(train, agreed))
    assert_equal(law, there, slack, within=1e-10)


@pytest.mark.first(3, 6)
@pytest.mark.parametrize("seed", range(40))
def test_algorithm_3_whole_transcripts(seed):
    rng = random.Random(f"algorithm 3 {seed}")
    rows = rng.choice(
        [[(0, 0), (0, 1), (1, 0)], [(0, 1), (1, 0)], [(0, 0), (0, 1), (1, 0), (1, 1)]]
    )
    H = frozenset(rows)
    algorithm = lyu.DPOL(
        finite(rows), Fraction(rng.randint(2, 5), 2), Fraction(rng.randint(2, 5), 2), Fraction(2),
        Fraction(1, 2), Fraction(1, 10), k=2, U=1, K_budget=rng.randint(1, 3), draws=1, cap=2,
    )  # fmt: skip
    stream = records(rng, 2, 3)
    salts = set()

    def transcript(source):
        state = algorithm.start(source)
        salts.add(state.salt)
        found = [table(state.published, 2)]
        for x, y in stream:
            assert table(algorithm.step(state, x, y, source), 2) == found[-1]
            found.append(table(state.published, 2))
        return tuple(found)

    law, slack = exact_law(transcript, cut=2**-30)
    (salt,) = salts
    there = reference.dpol(
        H, stream, U=1, K_budget=algorithm.K_budget, update=float(algorithm.epsilon_update),
        teacher=lambda t: int(public_generator(salt, t).integers(2)),
        **numbers_of(algorithm.train, algorithm.agreed),
    )  # fmt: skip
    assert_equal(law, there, slack, within=1e-10)


# -- what the teachers hand in ---------------------------------------------------------------------


@pytest.mark.parametrize("runs", [False, True])
def test_a_list_counts_up_to_its_public_length_only(runs):
    """Each teacher may list one hypothesis; what it submits has none, one or three."""
    lists = [(), ("a", "b", "c"), ("b",)]
    if runs:  # thresholds as runs, which are not walked through
        space = Thresholds(1, 2).version_space()
        lists = [(), space.essential(2, 2), space.restrict(2, 1).restrict(1, 1).essential(2, 2)]
        assert [len(each) for each in lists] == [0, 3, 1]
    sampling = lyu.PrivateSparseSample(1, Fraction(1, 2), Fraction(1, 20))

    def run(chosen, source):
        return sampling.draw([lists[i] for i in chosen], source)

    result = verify_mechanism(run, replace_one(range(3), 2), epsilon=1, delta=Fraction(1, 20))
    assert result.holds
    assert result.worst_delta > 0.04


@pytest.mark.parametrize("agreed", [5, 8, 11])
def test_bottom_is_as_light_as_the_longest_list_allows(agreed):
    """Some teachers agree on one item, and one lists it alone, or sixteen others.

    They are as many as make bottom about as likely as what they agree on.
    """
    sampling = lyu.PrivateSparseSample(16, Fraction(1, 2), Fraction(1, 4))
    alone, others = ("a",), tuple("bcdefghijklmnopq")

    def run(last, source):
        return sampling.draw([alone] * agreed + [last], source)

    result = verify_mechanism(
        run, [(alone, others), (others, alone)], epsilon=1, delta=Fraction(1, 4)
    )
    assert result.holds
    assert result.worst_delta > 0.01


class Tired:
    """A version space that gives up its search at a record of one point."""

    def __init__(self, space):
        self.space = space

    def __getattr__(self, name):
        return getattr(self.space, name)

    def fresh(self):
        return self

    def within_error(self, sample, most):
        if "b" in sample.points.tolist():
            raise SearchLimitError(0, 1, 0, "The answer")
        return self.space.within_error(sample, most)


class Hard(Points):
    def version_space(self, *options, **named):
        return Tired(super().version_space(*options, **named))


def test_a_search_that_is_given_up_is_a_record_of_one_teacher():
    train = lyu.JointTrain(Points(), 1, 2, 4, 1, Fraction(1, 2), Fraction(1, 4))
    hard = replace(train, concept_class=Hard())

    def lists(records, train):
        return [tuple(train.listed([[(0, *record)]], 2)) for record in records]

    def run(records, source):
        return train.sampling.draw(lists(records, hard), source)

    kinds = [("a", 1), ("b", 1)]
    try:
        result = verify_mechanism(run, replace_one(kinds, 2), epsilon=1, delta=train.delta)
    except SearchLimitError as stopped:
        pytest.fail(f"the stream stops: {stopped}")
    assert result.holds
    (one,) = train.listed([[(0, "a", 1)]], 2)
    assert lists(kinds, train) == [(one,), tuple(train.listed([[(0, "b", 1)]], 2))]
    assert lists(kinds, hard) == [(one,), ()]


def test_claim_6_4_stalls_as_printed_and_the_dimension_advances():
    """Points over an infinite domain, positives at one point: what the proof counts stays.

    As printed, every teacher lists {0}, then {1_x}: the test passes at the same stage, and bottom
    is exactly as likely as before, although no hypothesis is left that was there (Claim 6.4 says
    that bottom gains a tenth). By decomposition dimension the first stage fails.
    """
    k, x = 60, [[(t, "x", 1) for t in range(20)]]
    train = lyu.JointTrain(Points(), 1, k, 64, 1, Fraction(1, 2), Fraction(1, 10**6))
    sampling = lyu.PrivateSparseSample(8, train.epsilon, Fraction(1, 10**12))

    def printed(S):
        return lyu.essential(train.define_class(S, 1), train.p(1), 1)

    def bottom(H):
        scores = lyu.Scores([H] * k, sampling.L)
        law = ExactSource().law(lambda source: sampling.drawn(scores, source) is None)
        return float(law.outcomes[True])

    before, after = printed([]), printed(x)
    assert len(before) == len(after) == 1
    assert set(before).isdisjoint(after)
    assert 0.1 < bottom(before) == bottom(after) < 0.9  # p(u + 1) = p(u)
    assert list(train.listed([], 1)) == list(before)
    assert list(train.listed(x, 1)) == []
    assert list(train.listed(x, 2)) == list(after)


# -- The page of 004 against `reference_alon` ------------------------------------------------------


def soa_of(rows):
    return alon.SOA(finite(rows).version_space())


@pytest.mark.first(5, 15)
@pytest.mark.parametrize("seed", range(100))
def test_extended_soa(seed):
    """60 runs each: as Definition 11 says, and one name for each function."""
    rows, rng = small_class(f"soa {seed}", ldim=ldim)
    H, n = frozenset(rows), len(rows[0])
    names = {}
    for _ in range(60):
        examples = records(rng, n, rng.randint(0, 5))
        run = alon.ExtendedSOA(soa_of(rows))
        for example in examples:  # one after the other, or all at once
            run = run.then([example])
        found = run.prediction
        assert table(found, n) == alon_reference.extended(H, examples)
        assert alon.ExtendedSOA(soa_of(rows)).then(examples).prediction == found
        assert names.setdefault(table(found, n), found) == found
        realizable = frozenset(h for h in rows if all(h[x] == y for x, y in examples))
        if realizable:
            assert table(found, n) in alon_reference.possible_soas(realizable)


@pytest.mark.first(5, 15)
@pytest.mark.parametrize("seed", range(100))
def test_tournaments_and_g(seed):
    """60 copies each: D_k and G, with every coin given."""
    rows, rng = small_class(f"G {seed}", ldim=ldim)
    H, n = frozenset(rows), len(rows[0])
    for _ in range(60):
        size, k = rng.randint(1, 2), rng.randint(0, 3)
        examples = records(rng, n, size * rng.randint(1, 13))
        coins = [rng.randint(0, 1) for _ in range(40)]
        copy = alon.G(soa_of(rows), 3, size, len(examples))
        found = copy.run(examples, k, iter(coins).__next__)
        there = alon_reference.G(H, examples, k, size, iter(coins).__next__)
        assert (None if found is None else table(found, n)) == there


@pytest.mark.first(5, 15)
@pytest.mark.parametrize("seed", range(100))
def test_histogram(seed):
    rng = random.Random(f"hist {seed}")
    items = [rng.choice([None, "a", "b", "c"]) for _ in range(rng.randint(0, 5))]
    hist = alon.Hist(Fraction(rng.randint(2, 8), 2), Fraction(1, rng.choice([3, 20])),
                     rng.choice([0, 3]))  # fmt: skip
    there = alon_reference.hist(items, float(hist.epsilon), float(hist.delta), hist.at_least)
    for listed in (hist.items, hist.draw):
        law, slack = exact_law(lambda source, listed=listed: tuple(listed(items, source)), 2**-35)
        assert_equal(law, there, slack)


def learner_m(rows, rng, **other):
    d = ldim(frozenset(rows))
    numbers = {
        "k": 0, "auxiliary": 1, "batches": (0, *(rng.randint(2, 3) for _ in range(d))),
        "n_prime": 1, "eta": Fraction(rng.choice([0, 1]), 2),
        "assigned": (rng.randint(0, 2), 1, *(0 for _ in range(d - 1))),
    } | other  # fmt: skip
    return alon.M(finite(rows), Fraction(rng.randint(2, 6)), Fraction(1, 4), **numbers)


@pytest.mark.first(5, 15)
@pytest.mark.parametrize("seed", range(100))
def test_theorem_30(seed):
    rows, rng = small_class(f"M {seed}", ldim=ldim)
    H, n = frozenset(rows), len(rows[0])
    algorithm = learner_m(rows, rng)
    data = records(rng, n, rng.randint(4, 8))
    salts = set()

    def drawn(source):
        return table(algorithm.draw(ordered(data), source), n)

    exact_law(lambda source: salts.add(public_salt(source)) or 0)
    (salt,) = salts
    law, slack = exact_law(drawn)
    copies = algorithm.copies(len(data), salt)
    there = alon_reference.learner_m(
        H, data, copies, n=1, batches=algorithm.batches, epsilon=float(algorithm.epsilon),
        delta=0.25, at_least=-(-3 * algorithm.eta * len(copies) // 4),
        default=member(algorithm.concept_class, n),
        coins=lambda j, i: alon.coins(salt, j, i),
    )  # fmt: skip
    assert_equal(law, there, slack)


@pytest.mark.first(10, 15)
@pytest.mark.parametrize("seed", range(100))
def test_generic(seed):
    rows, rng = small_class(f"generic {seed}", ldim=ldim)
    data = records(rng, len(rows[0]), rng.randint(2, 4))
    algorithm = alon.GenericLearner(finite(rows), Fraction(rng.randint(1, 6), 2))
    law, slack = exact_law(
        lambda source: table(algorithm.draw(ordered(data), source), len(rows[0]))
    )
    assert_equal(law, alon_reference.generic(rows, data, float(algorithm.epsilon)), slack)


@pytest.mark.more
def test_both_rules_of_the_soa():
    """`theory.soa` has 003's rule, and 004's by name: 1,000 random classes."""
    differ = 0
    for seed in range(1000):
        rows, _ = small_class(f"rules {seed}")
        here = ls.theory.soa([list(row) for row in rows], rule="argmax")
        there = ls.theory.soa([list(row) for row in rows])
        n = len(rows[0])
        assert table(here, n) == alon_reference.soa(frozenset(rows))
        assert table(there, n) == reference.soa(frozenset(rows))
        differ += here != there
    assert differ > 20


# -- Where one learner is made of another (004): Sections 2.4, 3, 4, Corollary 4, Appendix A -------


def generic_law(rows, epsilon):
    return lambda data: alon_reference.generic(rows, data, epsilon)


@pytest.mark.first(4, 15)
@pytest.mark.parametrize("seed", range(100))
def test_lemma_15(seed):
    rows, rng = small_class(f"lemma 15 {seed}", ldim=ldim, concepts=(3, 4))
    n, data = len(rows[0]), None
    data = records(rng, n, 9)
    inner = alon.GenericLearner(finite(rows), Fraction(rng.randint(1, 6), 2))
    algorithm = page.Lemma15(finite(rows), inner)
    law, slack = exact_law(lambda source: table(algorithm.draw(ordered(data), source), n))
    there = alon_reference.with_replacement(data, 1, generic_law(rows, float(inner.epsilon)))
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
    there = alon_reference.corollary4(
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


def test_public_coins_are_those_of_the_time_step():
    algorithm = lyu.DPOL(finite([(0, 1), (1, 0)]), *[Fraction(1)] * 5, 3, 1, 1, 1, 1)
    state = type("S", (), {"salt": 7})
    expected = [int(public_generator(7, t).integers(3)) for t in range(20)]
    assert [algorithm.teacher(state, t) for t in range(20)] == expected
