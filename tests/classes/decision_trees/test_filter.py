"""The filter in double precision: its error bound against high precision, and the slow path."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from littlestone.classes.decision_trees import counts
from littlestone.classes.decision_trees import filter as filters
from littlestone.classes.decision_trees.counts import crossings, within_crossings, within_sides
from littlestone.classes.decision_trees.filter import (
    Table,
    enclose_roots,
    error_bound,
    powers_needed,
)
from littlestone.classes.decision_trees.partition import Powers, root_weights
from littlestone.classes.decision_trees.sampler import Roots
from littlestone.classes.decision_trees.splits import Splits
from littlestone.data import Sample, Schema
from littlestone.source import ball
from littlestone.source.sampler import BitSource

SCHEMA = Schema.from_dict(
    {
        "a": {"bins": [1, 2, 3, 4]},
        "b": {"categories": ["x", "y", "z"]},
        "c": {"bins": [0]},
    }
)
RATES = (Fraction(1, 2000), Fraction(1, 20), Fraction(1, 2), Fraction(7))


def region(n=20_000, seed=0):
    """Return counted rows with a label that depends on them, and noise."""
    rng = np.random.default_rng(seed)
    rows = np.column_stack([rng.integers(0, n_codes, n) for n_codes in SCHEMA.n_codes])
    labels = ((rows[:, 0] > 3) ^ (rows[:, 1] == 2) ^ (rng.random(n) < 0.2)).astype(int)
    return Splits(SCHEMA).region(Sample.of(rows, labels))


@pytest.mark.first(8)
@pytest.mark.parametrize(
    ("depth", "rate"), [*((d, rate) for d in (2, 3) for rate in RATES), (4, RATES[1])]
)
def test_error_bound_against_high_precision(depth, rate):
    """Each double, against its ball of 200 bits: within the bound, with room."""
    where = region()
    found = enclose_roots(where, depth, rate)
    assert found.bound == error_bound(depth, len(where.patterns)) < 2**-43
    with ctx.workprec(200):
        truth = root_weights(where, depth, Powers(rate))
        worst = 0.0
        for k, x, exact in zip(found.errors.tolist(), found.doubles, truth, strict=True):
            relative = abs(arb(float(x)) * ball(-rate * k).exp() / exact - 1)
            assert relative <= arb(found.bound)
            worst = max(worst, float(relative.upper()))
    assert worst < found.bound / 4  # there is room, as a bound of the worst case must have
    with ctx.workprec(96):
        shown = found.balls()
        least = int(found.errors.min())
        for enclosure, exact in zip(shown, truth, strict=True):
            assert enclosure.overlaps(exact * ball(rate * least).exp())
            assert 40 < enclosure.rel_accuracy_bits() < 52


@pytest.mark.parametrize("rate", RATES[2:])
def test_roots_far_from_the_best_are_enclosed_without_their_weight(rate):
    """An exclusive or of three questions: any other root leaves half of the records wrong."""
    rng = np.random.default_rng(1)
    rows = np.column_stack([rng.integers(0, n_codes, 4000) for n_codes in SCHEMA.n_codes])
    labels = (rows[:, 0] > 3) ^ (rows[:, 1] == 2) ^ (rows[:, 2] == 3)
    where = Splits(SCHEMA).region(Sample.of(rows, labels.astype(int)))
    found = enclose_roots(where, 3, rate)
    assert 2 <= np.count_nonzero(found.doubles == 0) < len(found.doubles)
    with ctx.workprec(200):
        truth = root_weights(where, 3, Powers(rate))
        least = int(found.errors.min())
        for k, x, shown, exact in zip(
            found.errors.tolist(), found.doubles, found.balls(), truth, strict=True
        ):
            scaled = exact * ball(rate * least).exp()
            assert shown.contains(scaled)
            if x == 0:  # too small to be drawn before the balls are asked
                assert ball(-rate * (k - least)).exp() * found.most < arb(2) ** -100
                assert shown.upper() < arb(2) ** -100
            else:
                assert abs(arb(float(x)) * ball(-rate * k).exp() / exact - 1) <= arb(found.bound)
        broken = replace(found, most=1).balls()  # as if one tree had such a root
        scaled = [exact * ball(rate * least).exp() for exact in truth]
        assert not all(b.contains(exact) for b, exact in zip(broken, scaled, strict=True))


def test_the_bound_is_larger_than_what_a_table_of_single_precision_would_do(monkeypatch):
    """A broken control: a table that is too coarse leaves the bound, and is caught when made."""

    class Coarse(Table):
        def __call__(self, k):
            return super().__call__(k).astype(np.float32).astype(np.float64)

    where, rate = region(), Fraction(1, 20)
    monkeypatch.setattr(filters, "Table", Coarse)
    found = enclose_roots(where, 3, rate)
    with ctx.workprec(200):
        truth = root_weights(where, 3, Powers(rate))
        relative = [
            abs(arb(float(x)) * ball(-rate * k).exp() / exact - 1)
            for k, x, exact in zip(found.errors.tolist(), found.doubles, truth, strict=True)
        ]
    assert not all(r <= arb(found.bound) for r in relative)


def test_a_table_that_is_not_nearest_is_refused(monkeypatch):
    class Wrong(float):
        def __new__(cls, value):
            return super().__new__(cls, float(arb(value) * (1 + arb(2) ** -40)))

    monkeypatch.setattr(filters, "float", Wrong, raising=False)
    with pytest.raises(ArithmeticError, match="nearest double"):
        Table(Fraction(1, 3), 10, 100)


@pytest.mark.parametrize("rate", [709, 1000, 10**6])
def test_no_rate_underflows(rate):
    """At a huge epsilon nothing but e**0 is kept: whether the filter runs must not matter."""
    assert Table(Fraction(rate), 10**9, bits=256)(np.array([0, 1])).tolist() == [1.0, 0.0]


def test_what_lies_beyond_the_table_is_zero_and_small_enough():
    rate = Fraction(1, 4)
    table = Table(rate, 10**9, bits=100)
    last = len(table._powers) - 2
    with ctx.workprec(64):
        assert ball(-rate * (last + 1)).exp() <= arb(2) ** -100  # the first one that is dropped
    assert table(np.array([last + 1, 10**9])).tolist() == [0.0, 0.0]
    assert table(np.array([0, 4])).tolist() == [1.0, pytest.approx(np.exp(-1))]
    short = Table(rate, 3, bits=100)
    assert short(np.array([3])).tolist() == [pytest.approx(np.exp(-0.75))]


class Scripted(BitSource):
    """The bits of one real number in [0, 1), and nothing random."""

    seeded = True

    def __init__(self, bits: str) -> None:
        self.rest = bits

    def _bits(self, k):
        assert len(self.rest) >= k
        head, self.rest = self.rest[:k], self.rest[k:]
        return int(head, 2)

    def _bytes(self, k):
        raise AssertionError("only bits are drawn here")

    def public_rng(self):
        raise AssertionError("only bits are drawn here")


@pytest.mark.parametrize("above", [False, True])
def test_forced_fall_into_the_slow_path(above):
    """U agrees with a boundary between two roots in 80 bits: doubles cannot tell, balls can."""
    where, rate, depth = region(400), Fraction(1, 20), 3
    plain = Roots(where, depth, rate, fast=False)
    with ctx.workprec(300):
        weights = plain.enclose(280)
        total = sum(weights, arb(0))
        for outcome in range(1, len(weights) - 1):
            boundary = sum(weights[: outcome + 1], arb(0)) / total
            cell = int((boundary * 2**80).floor().unique_fmpz())
            next_bits = int((boundary * 2**128).floor().unique_fmpz()) + (1 if above else -1)
            bits = f"{next_bits:0128b}"
            assert abs((next_bits >> 48) - cell) <= 1
            fast = Roots(where, depth, rate, fast=True)
            assert Scripted(bits + "0" * 200).choose(fast) == outcome + above
            assert sorted(fast._known)[0] == 96  # the filter was asked first,
            assert len(fast._known) >= 2  # and could not decide
            assert Scripted(bits + "0" * 200).choose(plain) == outcome + above


def test_both_paths_draw_the_same(brute):
    """For 300 uniform numbers, the filter and the balls choose the same root."""
    where, rate = region(2000), Fraction(1, 50)
    fast, plain = (Roots(where, 3, rate, fast=f) for f in (True, False))
    rng = np.random.default_rng(5)
    for _ in range(300):
        bits = "".join(map(str, rng.integers(0, 2, 400)))
        assert Scripted(bits).choose(fast) == Scripted(bits).choose(plain)


@pytest.mark.parametrize("block", [64, 2])
def test_counts_are_exact(monkeypatch, block):
    """Counts by pairs, triples, quadruples, against sums over the rows; both precisions."""
    monkeypatch.setattr(counts, "_BLOCK", block)  # whole columns, and parts of them
    small = region(500)
    scale = 2**25  # beyond single precision
    large = type(small)(small.answers, small.columns, small.zeros * scale, small.ones * scale)
    yes = small.patterns.yes.astype(np.int64)
    for where, factor, kind in ((small, 1, np.float32), (large, scale, np.float64)):
        pairs = crossings(where)
        assert pairs.zeros.dtype == pairs.ones.dtype == kind
        sides = list(within_sides(where))
        assert len(sides) == len(yes)
        for table, weights in (("zeros", small.zeros), ("ones", small.ones)):
            cross = np.einsum("tr,vr,r->tv", yes, yes, weights) * factor
            assert (getattr(pairs, table) == cross).all()
            triple = np.einsum("sr,tr,vr,r->stv", yes, yes, yes, weights) * factor
            for root, (inside, outside) in enumerate(sides):
                assert (getattr(inside, table) == triple[root]).all()
                assert (getattr(outside, table) == cross - triple[root]).all()
        assert_four(where, yes, factor)
        leaves = list(pairs.leaves())
        for zeros, ones in leaves:
            assert zeros.min() >= 0
            assert ones.min() >= 0
        assert (sum(zeros for zeros, _ in leaves) == where.totals[0]).all()
        assert (sum(ones for _, ones in leaves) == where.totals[1]).all()


def assert_four(where, yes, factor):
    """Check the counts inside all pairs of sides."""
    p, seen = len(yes), set()
    for s, t, regions in within_crossings(where):
        seen.add((s, t))
        sides = [(yes[s] == a) & (yes[t] == b) for a in (1, 0) for b in (1, 0)]
        for inside, pairs in zip(sides, regions, strict=True):
            for i, (table, weights) in enumerate((("zeros", where.zeros), ("ones", where.ones))):
                weighted = yes * (weights * inside)
                assert (getattr(pairs, table) == weighted @ yes.T).all()
                assert pairs.totals[i] == int((weights * inside).sum())
    assert seen == {(s, t) for s in range(p) for t in range(s, p)}


def test_small_rates_are_not_tabulated(monkeypatch):
    """With large costs a table of powers would fill the memory: balls take its place."""
    where, rate = region(400), Fraction(1, 10**7)
    heavy = replace(where, zeros=where.zeros * 10**7, ones=where.ones * 10**7)
    assert powers_needed(heavy, 2, rate) > 10**8
    assert powers_needed(where, 2, rate) == 401

    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(filters, "Table", refuse)
    shown = Roots(heavy, 2, rate, fast=True).enclose(64)
    with ctx.workprec(128):
        truth = root_weights(heavy, 2, Powers(rate))
    assert all(enclosure.overlaps(exact) for enclosure, exact in zip(shown, truth, strict=True))
    with pytest.raises(AssertionError):
        Roots(where, 2, rate, fast=True).enclose(64)
