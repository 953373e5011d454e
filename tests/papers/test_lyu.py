"""The page of 003 against `reference_lyu`, and its guarantees by exact verification."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from fractions import Fraction

import pytest

from littlestone.audit.mechanism import replace_one, verify_mechanism
from littlestone.classes import Points, Thresholds
from littlestone.data.sample import OrderedSample
from littlestone.errors import SearchLimitError
from littlestone.papers import lyu
from littlestone.source import ExactSource, public_generator

from . import reference_lyu as reference
from .agree import assert_equal, exact_law, finite, member, small_class, table


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
