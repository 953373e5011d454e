"""Histograms of numbers: cells that share out all numbers, runs by brute force, and bins."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from littlestone.data import histogram
from littlestone.data.histogram import Cell, bins_of, cells_of, grid, smoothed

NUMBERS = (0.0, 1e-9, -1e-9, 7.0, -7.0, 0.07, -1999.5, 1955.0, 123456.0, np.nextafter(1e12, 0))


@pytest.mark.parametrize("whole", [True, False])
def test_cells_share_out_all_numbers_and_parts_a_cell(whole):
    cells = grid(whole=whole)
    assert all(one.end == other.start for one, other in pairwise(cells))
    for x in NUMBERS:
        (own,) = (cell for cell in cells if cell.start <= x < cell.end)
        parts = own.parts(whole=whole)
        assert len(parts) <= 10
        if parts:
            assert (parts[0].start, parts[-1].end) == (own.start, own.end)
            assert sum(part.start <= x < part.end for part in parts) == 1
            assert not whole or all(part.start == int(part.start) for part in parts)
    assert Cell(-20, -15, 2).parts(whole=False)[0].start == -2000
    for few in range(11):  # each whole number alone
        assert sum(few <= cell.start < few + 1 for cell in grid(whole=True)) == 1


def best_by_brute_force(counts, deviation):
    """Return the largest gain of all sets of disjoint runs, and the means of that set."""
    size, penalty = len(counts), 2 * np.log(len(counts)) * deviation**2
    runs = [(a, b) for a, b in combinations(range(size + 1), 2) if sum(counts[a:b]) > 0]
    gain = {(a, b): sum(counts[a:b]) ** 2 / (b - a) - penalty for a, b in runs}
    best = (0.0, ())
    for many in range(1, size + 1):
        for chosen in combinations(runs, many):
            if all(one[1] <= other[0] for one, other in pairwise(chosen)):
                best = max(best, (sum(gain[run] for run in chosen), chosen))
    found = [0.0] * size
    for a, b in best[1]:
        found[a:b] = [sum(counts[a:b]) / (b - a)] * (b - a)
    return max(gain.values(), default=0) + penalty, penalty, found


def test_runs_are_those_of_brute_force():
    random, seen = np.random.default_rng(0), 0
    for _ in range(60):
        truth = random.choice([0, 0, 5, 40], 5)
        counts = [int(c) for c in truth + np.rint(random.normal(0, 6, 5))]
        largest, penalty, found = best_by_brute_force(counts, 6.0)
        seen += largest >= 2 * penalty
        assert smoothed(counts, 6.0) == pytest.approx(found if largest >= 2 * penalty else [0] * 5)
    assert 20 < seen < 60


def test_bins_have_equal_masses_begin_at_cells_and_are_not_many():
    random = np.random.default_rng(0)
    for bins in (2, 4, 8):
        for whole in (True, False):
            cells = grid(whole=whole)
            places = random.choice(len(cells), 30, replace=False)
            masses = {cells[i]: float(m) for i, m in zip(places, random.pareto(1, 30), strict=True)}
            edges = bins_of(masses, bins, whole=whole)
            starts = {c.start for cell in cells for c in [cell, *cell.parts(whole=whole)]}
            assert set(edges) <= starts
            assert len(edges) <= 2 * bins
    equal = {cell: 10.0 for cell in cells_of([*map(histogram.Decimal, range(41))])[1:]}
    assert bins_of(equal, 4, whole=True) == [11, 21, 31]


def test_few_values_are_kept():
    """Each has a bin; so have 0 and what follows it, however rare."""
    for values in ((0, 1), (0, 1, 2), (1, 2, 3, 4, 5), (2, 7)):
        masses = {c: 100.0 * (c.start in values) for c in grid(whole=True)}
        assert bins_of(masses, 8, whole=True) == list(values[1:])
    far = {c: {0: 600.0, 1: 400.0, 1e9: 30.0}.get(c.start, 0.0) for c in grid(whole=True)}
    assert bins_of(far, 4, whole=True) == [1], "noise, a thousand times as large as most"
    apart = {c: {0: 600.0, 50: 400.0}.get(c.start, 0.0) for c in grid(whole=True)}
    assert bins_of(apart, 1, whole=True) == [1], "of what lies between nothing is known"
    rare = {c: {0: 980.0, 1: 20.0}.get(c.start, 0.0) for c in grid(whole=True)}
    assert bins_of(rare, 4, whole=True) == [1]
    assert bins_of({Cell(0, 1, 0): 980.0}, 4, whole=True) == [1]
    assert bins_of({Cell(7, 8, 0): 980.0}, 4, whole=True) == [], "one value says nothing"
