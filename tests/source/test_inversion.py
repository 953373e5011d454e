"""The draw is exact: prescribed bits against inversion computed with other arithmetic."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.source import ExplicitWeights, LevelWeights, exp

RATIONAL = [
    (1, 1),
    (1, 2),
    (3, 0, 5, 0, 0, 7),
    (0, 1, 0),
    (F(1, 3), F(2, 7), F(1, 10**30), F(5, 11)),
    (10**40, 1, 10**40),
    tuple(range(10)),
    pytest.param(tuple(range(30)), marks=pytest.mark.more),
]


def rational_inverse(u: F, weights: tuple[F | int, ...]) -> int:
    total = sum(map(F, weights))
    return next(i for i, c in enumerate(accumulate(map(F, weights))) if u < c / total)


def boundary_points(weights):
    """Grid points around every boundary: 64 bits cannot decide the nearest ones."""
    total = sum(map(F, weights))
    boundaries = {c / total for c in accumulate(map(F, weights))}
    for c in sorted(boundaries):
        for bits in (1, 63, 64, 65, 96, 128, 129, 300):
            for step in (-1, 0, 1, 2):
                u = F(int(c * 2**bits) + step, 2**bits)
                if 0 < u < 1 and u not in boundaries:  # U meets a boundary with probability zero
                    yield u


def far_from_boundaries(u: F, weights) -> bool:
    total = sum(map(F, weights))
    return all(abs(u - c / total) > F(1, 2**60) for c in (0, *accumulate(map(F, weights))))


@pytest.mark.parametrize("weights", RATIONAL)
@pytest.mark.parametrize("kind", ["few", "levels"])
def test_rational_weights_at_boundaries(weights, kind, prescribed):
    if kind == "levels":
        scale = 11 * 21 * 10**30
        weights = tuple(int(F(w) * scale) for w in weights)
        shown = LevelWeights(weights, [0] * len(weights), F(1))
    else:
        shown = ExplicitWeights(*weights)
    for u in boundary_points(weights):
        source = prescribed(u)
        assert source.choose(shown) == rational_inverse(u, weights)
        assert source.drawn == 64 or not far_from_boundaries(u, weights)


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=12).filter(any),
    st.integers(1, 2**200 - 1),
)
def test_any_rational_weights_any_point(prescribed, weights, numerator):
    u = F(2 * numerator + 1, 2**201 + 1) % 1
    if any(u == F(c, sum(weights)) for c in accumulate(weights)):
        return
    for shown in (ExplicitWeights(*weights), LevelWeights(weights, [7] * len(weights), F(1, 3))):
        assert prescribed(u).choose(shown) == rational_inverse(u, tuple(weights))


@pytest.mark.parametrize("bits", [64, 65, 80, 128, 129, 200, 700])
def test_exponential_weights_at_every_boundary(bits, prescribed, truth):
    coefficients = {F(0): F(1), F(1, 3): F(2), F(-5): F(1, 7), F(2): F(0), F(-40): F(3), F(1): F(1)}
    terms = list(coefficients.items())
    few = ExplicitWeights(*(exp(q, times=c) for q, c in terms))
    cumulative = truth.cumulative([truth.exp(q, c) for q, c in terms])
    for i, c in enumerate(cumulative[:-1]):
        for u in truth.cells(c, bits):
            source = prescribed(u)
            assert source.choose(few) == truth.inverse(u, cumulative), i
            # just below or above at the grid of 64 bits: the threshold alone cannot tell
            assert bits > 64 or u > F(c) or source.drawn > 64


def test_hopeless_outcomes_are_still_reached(prescribed, truth):
    scores = [-1000, 0, -300, -2000, 3, -1000]
    levels = LevelWeights([1, 2, 3, 1, 1, 5], scores, F(1, 2))
    weights = [truth.exp(F(s, 2), m) for s, m in zip(scores, [1, 2, 3, 1, 1, 5], strict=True)]
    cumulative = truth.cumulative(weights)
    met = set()
    for c in cumulative[:-1]:
        for bits in (64, 400, 1000, 1600, 2200):
            for u in truth.cells(c, bits):
                if 0 < u < 1:
                    chosen = prescribed(u).choose(levels)
                    assert chosen == truth.inverse(u, cumulative)
                    met.add(chosen)
    assert met == set(range(6)), "every outcome, also those of probability 2**-1400"


def test_impossible_outcomes_are_never_chosen(prescribed):
    weights = (0, exp(1), 0, 0, exp(-3), 0)
    multiplicity, scores = (0, 2, 0, 0, 5, 0), (9, 1, 9, -9, -3, 9)
    for i in range(1, 130):
        for u in (F(1, 2**i), 1 - F(1, 2**i), F(i, 131)):
            assert prescribed(u).choose(ExplicitWeights(*weights)) in (1, 4)
            assert prescribed(u).choose(LevelWeights(multiplicity, scores, F(1))) in (1, 4)


def test_below_is_rejection_from_the_fewest_bits(prescribed):
    # 3 bits at a time: 111 and 110 and 101 are refused, then 100 is accepted
    source = prescribed(F(0b111110101100, 2**12))
    assert (source.below(5), source.drawn) == (4, 12)
    assert prescribed(F(1, 3)).below(1) == 0
    assert prescribed(F(1, 3)).below(2**300) == int(F(1, 3) * 2**300)
    with pytest.raises(ValueError, match="m >= 1"):
        prescribed(F(1, 3)).below(0)
