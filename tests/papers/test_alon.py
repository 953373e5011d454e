"""The page of 004 against `reference_alon`."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import littlestone as ls
from littlestone.papers import alon
from littlestone.source import public_salt

from . import reference_alon as reference
from .agree import assert_equal, exact_law, finite, member, small_class, table
from .reference_lyu import ldim
from .reference_lyu import soa as soa_of_003
from .test_lyu import ordered, records


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
        assert table(found, n) == reference.extended(H, examples)
        assert alon.ExtendedSOA(soa_of(rows)).then(examples).prediction == found
        assert names.setdefault(table(found, n), found) == found
        realizable = frozenset(h for h in rows if all(h[x] == y for x, y in examples))
        if realizable:
            assert table(found, n) in reference.possible_soas(realizable)


def test_argmax_is_not_the_rule_of_003():
    rows = [(1, 0, 0, 0), (0, 1, 1, 1), (0, 0, 0, 0), (1, 0, 1, 1)]
    space = finite(rows).version_space()
    assert (alon.SOA(space).label(1), table(space.soa(), 4)[1]) == (0, 1)


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
        there = reference.G(H, examples, k, size, iter(coins).__next__)
        assert (None if found is None else table(found, n)) == there


@pytest.mark.first(5, 15)
@pytest.mark.parametrize("seed", range(100))
def test_histogram(seed):
    rng = random.Random(f"hist {seed}")
    items = [rng.choice([None, "a", "b", "c"]) for _ in range(rng.randint(0, 5))]
    hist = alon.Hist(Fraction(rng.randint(2, 8), 2), Fraction(1, rng.choice([3, 20])),
                     rng.choice([0, 3]))  # fmt: skip
    there = reference.hist(items, float(hist.epsilon), float(hist.delta), hist.at_least)
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
    there = reference.learner_m(
        H, data, copies, n=1, batches=algorithm.batches, epsilon=float(algorithm.epsilon),
        delta=0.25, at_least=-(-3 * algorithm.eta * len(copies) // 4),
        default=member(algorithm.concept_class, n),
        coins=lambda j, i: alon.Coins((salt, j, i)),
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
    assert_equal(law, reference.generic(rows, data, float(algorithm.epsilon)), slack)


@pytest.mark.more
def test_both_rules_of_the_soa():
    """`theory.soa` has 003's rule, and 004's by name: 1,000 random classes."""
    differ = 0
    for seed in range(1000):
        rows, _ = small_class(f"rules {seed}")
        here = ls.theory.soa([list(row) for row in rows], rule="argmax")
        there = ls.theory.soa([list(row) for row in rows])
        n = len(rows[0])
        assert table(here, n) == reference.soa(frozenset(rows))
        assert table(there, n) == soa_of_003(frozenset(rows))
        differ += here != there
    assert differ > 20
