"""The page of 003 against `reference_lyu`, and its guarantees by exact verification."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from littlestone.data.sample import OrderedSample
from littlestone.papers import lyu
from littlestone.source import public_generator

from . import reference_lyu as reference
from .agree import assert_equal, exact_law, finite, member, small_class, table


def records(rng, n_points, n):
    return [(rng.randrange(n_points), rng.randint(0, 1)) for _ in range(n)]


def ordered(pairs):
    return OrderedSample.listed([x for x, _ in pairs], [y for _, y in pairs])


@pytest.mark.first(10)
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


@pytest.mark.first(10)
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


@pytest.mark.first(10)
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


@pytest.mark.first(10)
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


@pytest.mark.first(4)
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
