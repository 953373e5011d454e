"""Noisy counts: exact laws on all lists of small pools; what the threshold of items is for."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F

import pytest
from flint import arb
from scipy import stats

from littlestone.audit import replace_one, verify_mechanism
from littlestone.mechanisms import estimate as made
from littlestone.mechanisms.estimate import Noise, noisy_counts, noisy_items
from littlestone.privacy import Approximate, Concentrated, compose
from littlestone.source import ball

from ..exact_noise import table_gaussian, table_geometric

V, LEAK = F(1), F(1, 6)
REACH = 5


def release(items, source):
    """Return what is seen: 0 is a public cell, texts are not listed; None is in no cell."""
    known, noise = Counter(items), Noise(variance=V)
    cells = noisy_counts([known[0]], noise, source)
    texts = {item: known[item] for item in known if isinstance(item, str)}
    kept = noisy_items(texts, noise, noise.kept_from(LEAK), source)
    clamped = tuple(min(max(count, -3), 4) for count in cells)
    return clamped, tuple((item, min(count, 4)) for item, count in kept.items())


def verification(pairs, leak=LEAK):
    delta = leak + F(1, 10**4)
    epsilon = compose({Concentrated(1 / V): 1, Approximate(F(0), leak): 1}, delta=delta)[0]
    return verify_mechanism(release, pairs, epsilon=epsilon, delta=delta)


@pytest.fixture(autouse=True)
def one_draw(monkeypatch):
    monkeypatch.setattr(made, "discrete_gaussian", table_gaussian(REACH))


ITEMS, CELLS = [(("x", "x"), ("x", "y"))], [((None, None), (None, 0))]
ALL = list(replace_one((None, 0, "x"), 2))


@pytest.mark.first(2)
@pytest.mark.parametrize(("pairs", "leak"), [(ITEMS, LEAK), (CELLS, F(0)), (ALL, LEAK)])
def test_a_replaced_record_costs_rho_and_the_leak(pairs, leak):
    assert verification(pairs, leak).holds


def half_the_deviation(patch):
    patch.setattr(made, "discrete_gaussian", table_gaussian(REACH, flat=F(1, 4)))


def threshold_of_a_count(patch):
    """A threshold for what is seen, not for what may not be listed."""
    patch.setattr(made.Noise, "kept_from", lambda noise, chance: noise.least + 1)


def noisy_zeros_are_kept(patch):
    """Items with fewer records than the threshold is made for."""
    patch.setattr(made.Noise, "kept_from", lambda noise, chance: noise.beyond(chance))


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("mutant", "pairs", "leak"),
    [
        (half_the_deviation, CELLS, F(0)),
        (threshold_of_a_count, ITEMS, LEAK),
        (noisy_zeros_are_kept, ITEMS, LEAK),
    ],
)
def test_broken_variants_are_noticed(mutant, pairs, leak, monkeypatch):
    mutant(monkeypatch)
    assert not verification(pairs, leak).holds


@pytest.mark.parametrize("variance", [F(1, 3), F(40), F(10**5, 7)])
@pytest.mark.parametrize("chance", [F(1, 4), F(1, 10**7)])
def test_the_tail_is_at_most_what_is_said(variance, chance):
    t = Noise(variance=variance).beyond(chance)
    sizes = range(-1500, 1501) if variance > 1000 else range(-99, 100)
    density = {z: (ball(F(-(z**2)) / (2 * variance))).exp() for z in sizes}
    whole = sum(density.values(), arb(0))
    tail = sum((density[z] for z in sizes if z >= t), arb(0)) / whole
    assert tail <= ball(chance)
    assert stats.norm.sf(t - 2, scale=float(variance) ** 0.5) > chance  # about the least
    rate = 1 / F(variance.numerator)
    p, t = float((-ball(rate)).exp()), Noise(rate=rate).beyond(chance)
    for place, within in ((t, True), (t - 1, False)):
        assert (p**place / (1 + p) <= chance) == within


@pytest.mark.more
def test_geometric_noise_is_that_of_its_rate(monkeypatch):
    monkeypatch.setattr(made, "two_sided", table_geometric(5))
    noise = Noise(rate=F(1))

    def run(items, source):
        found = noisy_counts([items.count(0), items.count(1)], noise, source)
        return tuple(min(max(count, -1), 3) for count in found)

    pair = [((0, 0), (0, 1))]
    assert verify_mechanism(run, pair, epsilon=2 + F(1, 10**9)).holds
    assert not verify_mechanism(run, pair, epsilon=F(199, 100)).holds
    assert noise.loss.reach == 2
