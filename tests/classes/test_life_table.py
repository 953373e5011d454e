"""Life tables from noisy counts: hazards of each period, and how far scores of trees move."""

from fractions import Fraction

import numpy as np
import pytest

from littlestone.classes.boosted_trees.coefficients import LifeTable, hazard_odds, hazard_score
from littlestone.classes.boosted_trees.export import PARTS

#: Persons by the periods at risk, without and with the event in the last: few reach the end.
CELLS = np.array(
    [[0, 0], [350, 230], [300, 240], [220, 130], [160, 90], [95, 40], [150, 30], [45, 20]]
)
N = int(CELLS.sum())
ENDS = tuple(map(Fraction, range(1, len(CELLS))))


def exact(cells):
    left = cells.sum(axis=1)
    return cells[1:, 1] / (N - np.cumsum(left)[:-1])


def of(cells, deviation, ends=ENDS):
    return LifeTable.of([Fraction(int(own)) for own in cells.ravel()], N, deviation, ends)


def test_without_noise_hazards_are_those_of_the_counts():
    life = of(CELLS, 1e-3)
    hazards, variances = life.hazards
    assert hazards == pytest.approx(exact(CELLS), rel=1e-4)
    assert (variances < 1e-8).all()
    odds = hazard_odds(np.array(life.start) / PARTS)
    assert odds / (1 + odds) == pytest.approx(exact(CELLS), rel=1e-2)


def test_noise_is_smoothed_over_periods():
    """In 40 tables the survival is nearer to the true one than by the noisy counts alone."""
    rng, truth = np.random.default_rng(0), np.cumprod(1 - exact(CELLS))
    smooth, plain = [], []
    for _ in range(40):
        life = of(np.maximum(np.rint(CELLS + rng.normal(0, 12, CELLS.shape)), 0), 12)
        raw = np.minimum(np.array(life.events) / np.maximum(life.risks, 1), 1)
        plain.append(np.abs(np.cumprod(1 - raw) - truth).max())
        smooth.append(np.abs(np.cumprod(1 - life.hazards[0]) - truth).max())
    assert np.mean(smooth) < 0.95 * np.mean(plain)


def gaps(ends, told):
    """Gaps of survival in 12 noisy tables at one hazard per unit of time, for told ends."""
    rng, hazards = np.random.default_rng(0), 0.04 * np.diff(ends, prepend=0)
    still = 2000 * np.cumprod(np.concatenate([[1], 1 - hazards]))
    cells = np.zeros((len(ends) + 1, 2))
    cells[1:, 1], cells[-1, 0] = still[:-1] * hazards, still[-1]
    found = []
    for _ in range(12):
        noisy = np.maximum(np.rint(cells + rng.normal(0, 30, cells.shape)), 0)
        counts = [Fraction(int(own)) for own in noisy.ravel()]
        life = LifeTable.of(counts, 2000, 30.0, tuple(map(Fraction, told)))
        found.append(np.abs(np.cumprod(1 - life.hazards[0]) - np.cumprod(1 - hazards)).max())
    return np.mean(found)


@pytest.mark.parametrize(
    "ends", [("1e-200", "1e200"), ("1e-308", "1e308"), ("1", "1e400"), ("1e-400", "1e-399")]
)
def test_periods_of_any_public_widths_give_hazards(ends):
    cells = np.array([[0, 0], [300, 200], [400, 100]])
    life = LifeTable.of(
        [Fraction(int(own)) for own in cells.ravel()], 1000, 3.0, tuple(map(Fraction, ends))
    )
    assert life.hazards[0] == pytest.approx([0.2, 0.2], abs=0.05)
    assert len(life.start) == 2


def test_neighbours_have_like_hazards_per_unit_of_time():
    ends = [1, 2, 6, 7, 8, 13]
    assert gaps(ends, ends) < 0.9 * gaps(ends, range(1, 7))


@pytest.mark.parametrize("deviation", [2.0, 8.0])
def test_a_jump_is_kept_where_it_is_beyond_the_noise(deviation):
    """No expected number of events is further from the noisy one than a deviation of both."""
    cells = CELLS.copy()
    cells[4] = [0, 250]
    life = of(cells, deviation)
    events, risks = np.array(life.events), np.array(life.risks)
    periods = len(events)
    place = np.arange(periods)
    of_risks = 2 * (periods - place) * (place + 1) / (periods + 1)  # variances, of a count's
    hazards = life.hazards[0]
    reach = deviation * np.sqrt(1 + (events / risks) ** 2 * of_risks)
    assert (np.abs(hazards * risks - events) <= 1.05 * reach).all()


@pytest.mark.parametrize(
    "cells", [0 * CELLS, CELLS[::-1], N * (CELLS == 45)], ids=["0", "back", "one"]
)
def test_what_noise_makes_impossible_gives_hazards(cells):
    hazards, variances = of(cells, 30.0).hazards
    assert ((hazards > 0) & (hazards <= 0.98) & (variances > 0)).all()
    assert len(of(cells, 30.0).moves([0.0] * len(hazards), 40.0)) == len(hazards)


def moved(learned, moves):
    scores = [
        hazard_score(own / (1 - own)) + move / PARTS
        for own, move in zip(learned, moves, strict=True)
    ]
    odds = hazard_odds(np.array(scores))
    return odds / (1 + odds)


def test_moves_lead_mean_hazards_to_those_of_the_counts():
    learned = exact(CELLS) * np.linspace(1.3, 0.7, len(CELLS) - 1)
    falls = N * learned * np.concatenate([[1], np.cumprod(1 - learned)[:-1]])
    moves = of(CELLS, 1e-3).moves(falls.tolist(), 1e-3)
    assert moved(learned, moves) == pytest.approx(exact(CELLS), rel=1e-2)


def test_where_counts_are_noisy_trees_are_believed():
    learned = exact(CELLS) * 0.9
    falls = N * learned * np.concatenate([[1], np.cumprod(1 - learned)[:-1]])
    for noise, weight in ((1.0, 0.95), (100.0, 0.5)):  # of the counts, at most or at least
        life = of(CELLS, noise)
        counted = life.hazards[0][-1]
        after = moved(learned, life.moves(falls.tolist(), 1e-3))[-1]
        share = np.log(after / learned[-1]) / np.log(counted / learned[-1])
        assert share > weight if noise == 1 else share < weight
