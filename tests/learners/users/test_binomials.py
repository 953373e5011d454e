"""Exact separations beside brute force over all t, and beside the paper's bound."""

import numpy as np
import pytest
from scipy.stats import binom

from littlestone.learners.users.scores import (
    crossing,
    gap,
    log_moment,
    separate,
    separate_within,
    tail,
)


@pytest.mark.first(3)
@pytest.mark.parametrize("m", [1, 2, 7, 16, 64, 257])
def test_the_crossing_is_the_best_of_all_events(m):
    rng = np.random.default_rng(m)
    for low, more in rng.random((400 // m + 5, 2)):
        high = low + (1 - low) * more
        gaps = [binom.sf(t, m, high) - binom.sf(t, m, low) for t in range(m)]
        found = crossing(m, low, high)
        assert gap(m, low, high, found) == pytest.approx(max(gaps), abs=1e-9)
        # it is the total variation distance: no other event does better
        k = np.arange(m + 1)
        apart = np.maximum(binom.pmf(k, m, high) - binom.pmf(k, m, low), 0).sum()
        assert max(gaps) == pytest.approx(apart, abs=1e-9)


def test_edges():
    assert crossing(5, 0.0, 0.1) == 0
    assert crossing(5, 0.9, 1.0) == 4
    assert tail(5, 0.0, 0) == 0
    assert tail(5, 1.0, 4) == 1
    assert separate(1, 0.25, 0.75) == (0, 0.5)


@pytest.mark.first(2)
@pytest.mark.parametrize("m", [1, 3, 16, 40])
def test_within_an_interval_against_all_t_and_a_fine_grid(m):
    rng = np.random.default_rng(m)
    for low, width, excess in rng.random((40, 3)) * [1, 0.3, 0.3] + [0, 0, 0.01]:
        high = min(1.0, low + width)
        t, least = separate_within(m, [low], [high], excess)
        if low >= 1 - excess:
            assert least[0] == 1
            continue
        inside = np.linspace(low, min(high, 1 - excess), 41)
        worst = [(gap(m, inside, inside + excess, s)).min() for s in range(m)]
        assert least[0] == pytest.approx(max(worst), abs=1e-9)  # the worst point is an end
        assert worst[int(t[0])] == pytest.approx(max(worst), abs=1e-9)


@pytest.mark.parametrize(
    ("alpha", "m", "exact"),
    [(0.05, 1, 0.0250), (0.05, 16, 0.0784), (0.05, 256, 0.311),
     (0.1, 1, 0.0500), (0.1, 4, 0.0749), (0.1, 16, 0.156), (0.1, 64, 0.310), (0.1, 256, 0.576)],
)  # fmt: skip
def test_about_five_hundred_times_the_papers_separation(alpha, m, exact):
    """The worst midpoint, for the gap alpha/2 of Lemma C.1; the paper has min(.., 1)/1400."""
    p = np.linspace(0, 1 - alpha / 2, 801)
    worst = gap(m, p, p + alpha / 2, crossing(m, p, p + alpha / 2)).min()
    assert worst == pytest.approx(exact, rel=0.01)
    assert worst / (min(m**0.5 * alpha, 1) / 1400) > 500


@pytest.mark.parametrize(("m", "t", "width"), [(1, 0, 1), (9, 2, 3), (40, 0, 40), (100, 60, 8)])
def test_moments_of_clipped_mistakes(m, t, width):
    """E e**(tilt * min(max(B - t, 0), width)), summed over the values of B."""
    k = np.arange(m + 1)
    clipped = np.clip(k - t, 0, width)
    for error in (0.0, 0.1, 0.5, 0.93, 1.0):
        tails = tail(m, np.full(width, error), t + np.arange(width))
        for tilt in (-3.0, -0.1, 0.2, 2.0):
            exact = np.log((binom.pmf(k, m, error) * np.exp(tilt * clipped)).sum())
            # below 2**-53 it is rounded up
            floor = -53 * np.log(2)
            found = log_moment(tails, [tilt])[0]
            assert found == pytest.approx(max(exact, floor), abs=1e-9 if exact > -15 else 0.1)
