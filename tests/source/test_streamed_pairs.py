"""Pairs of ends, streamed: each draw is that of exact inversion among all pairs."""

from __future__ import annotations

from decimal import localcontext
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.source import PairPart, PairWeights, SeededSource
from littlestone.source.leveled import _Doubles, _sums

FEW = settings(max_examples=settings.default.max_examples // 8)
RATES = [F(1, 3), F(2), F(300), F(1, 10**6), F(1, 10**30)]

points = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(-9, 9)), min_size=1, max_size=8
)
cuts = st.integers(1, 4)


def parts_of(rows, cuts):
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    indices = [c for c in np.array_split(np.arange(len(rows)), cuts) if len(c)]
    return lambda: iter([PairPart(*(column[i] for column in columns)) for i in indices])


def cumulative(truth, pointless, rows, rate):
    """Sums over pairs, one after the other: W_i - W_j for every i < j."""
    before, after, weights = zip(*rows, strict=True)
    reached = np.concatenate([[0], np.cumsum(weights)]).tolist()
    out = [truth.exp(F(0), pointless)]
    for j in range(1, len(rows) + 1):
        pairs = [
            truth.exp(rate * (reached[i] - reached[j]), before[i] * after[j - 1]) for i in range(j)
        ]
        with localcontext(truth.context):
            out.append(sum(pairs))
    return truth.cumulative(out)


@FEW
@given(points, cuts, st.sampled_from(RATES), st.integers(1, 50))
def test_beside_every_boundary_the_outcome_is_that_of_exact_inversion(
    truth, prescribed, rows, cuts, rate, pointless
):
    sums = cumulative(truth, pointless, rows, rate)
    places = [F(0), F(2**900 - 1, 2**900)]
    for bits in (64, 70, 200):
        # no sum of weights is exactly there: that would be decided by no number of bits
        places += [u + F(1, 2**900) for c in sums[:-1] for u in truth.cells(c, bits)]
    for u in (u for u in places if u < 1):
        weights = PairWeights(parts_of(rows, cuts), pointless, len(rows), rate)
        assert prescribed(u).choose(weights) == truth.inverse(u, sums)


@FEW
@given(points, cuts, st.sampled_from(RATES), st.integers(1, 50), st.integers(0, 2**64 - 1))
def test_doubles_and_balls_decide_alike(truth, rows, cuts, rate, pointless, u):
    """Each alone says the outcome of both ends of the cell, or nothing."""
    sums = cumulative(truth, pointless, rows, rate)
    weights = PairWeights(parts_of(rows, cuts), pointless, len(rows), rate)
    ends = {truth.inverse(F(u, 2**64), sums), truth.inverse(F(2**70 * (u + 1) - 1, 2**134), sums)}
    for found in (weights._doubles.decide(u), weights._by_balls(u)):
        assert found is None or {found} == ends


def walk(kind, n=3000):
    rng = np.random.default_rng(5)
    weights = {
        "realizable": np.where(np.arange(n) // 1000 == 1, -1, 1),
        "opposite": np.where(np.arange(n) // 1000 == 1, 1, -1),
        "zeros only": np.ones(n, int),
        "random": rng.choice([-1, 1], n),
        "heavy": rng.integers(-(10**6), 10**6, n),
    }[kind]
    return list(zip(rng.integers(1, 2**30, n), rng.integers(1, 2**30, n), weights, strict=True))


@pytest.mark.first(3)
@pytest.mark.parametrize("kind", ["realizable", "opposite", "zeros only", "random", "heavy"])
def test_equal_seeds_draw_equal_ends(kind, monkeypatch):
    """Among many points, from several parts: what all balls in memory would say."""
    rows = walk(kind)
    for rate in (F(1, 2), F(1, 1000), F(5)):
        streamed = PairWeights(parts_of(rows, 7), 10**12, len(rows), rate)
        plain = PairWeights(parts_of(rows, 1), 10**12, len(rows), rate)
        monkeypatch.setattr(plain, "decide", lambda _: None)  # as refined
        expected = [SeededSource(seed).choose(plain) for seed in range(5)]
        monkeypatch.setattr(streamed, "enclose", None)  # nothing is held
        assert [SeededSource(seed).choose(streamed) for seed in range(5)] == expected


@pytest.mark.parametrize("kind", ["realizable", "zeros only", "random", "heavy"])
def test_the_error_bound_holds(kind):
    """Sums of doubles against sums of balls, at the ends of parts."""
    rows, rate = walk(kind, 2000), F(1, 3)
    doubles = _Doubles.of(parts_of(rows, 5), 10**9, rate)
    plain = PairWeights(parts_of(rows, 1), 10**9, len(rows), rate)
    exact = plain.enclose(200)
    total = sum(exact[1:], exact[0])
    size, reached = 0, exact[0]
    assert doubles.error < 2**-35
    for part, end in zip(parts_of(rows, 5)(), doubles.ends[1:], strict=True):
        reached = sum(exact[size + 1 : size + len(part.weights) + 1], reached)
        size += len(part.weights)
        assert abs(end / doubles.ends[-1] - float((reached / total).mid())) <= 2 * doubles.error


def test_block_sums_are_those_of_numpy():
    values = np.random.default_rng(1).random(5000)
    assert _sums(values) == pytest.approx(np.cumsum(values), rel=1e-14)
    assert _sums(values[:1]).tolist() == values[:1].tolist()
