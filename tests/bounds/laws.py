"""Exact failures over all data sets of a few records: the truth that `excess` is compared with.

Nothing of the library is used. A concept is a row of labels of the points; records are of kinds
(point, label); the law is a vector over the kinds.
"""

import itertools
from functools import lru_cache

import numpy as np


@lru_cache(maxsize=32)
def compositions(n, parts):
    """All vectors of `parts` counts with sum n."""
    bars = np.array(list(itertools.combinations(range(n + parts - 1), parts - 1))).reshape(
        -1, parts - 1
    )
    ends = np.hstack([np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + parts - 1)])
    return np.diff(ends, axis=1) - 1


def chances(n, law):
    """Probability of each count vector."""
    counts = compositions(n, len(law))
    logs = np.cumsum(np.log(np.maximum(np.arange(n + 1), 1)))
    with np.errstate(divide="ignore"):
        weights = np.where(law > 0, np.log(np.maximum(law, 1e-300)), -1e9)
    return np.exp(logs[n] - logs[counts].sum(axis=1) + counts @ weights)


def mistakes(concepts):
    """Whether each concept errs on a record of each kind."""
    kinds = list(itertools.product(range(concepts.shape[1]), (0, 1)))
    return np.array([[c[x] != y for x, y in kinds] for c in concepts]).astype(int)


def looks_good(n, law, wrong, alpha, best=None):
    """Pr[some bad concept has D <= k] for k = -n .. n; None if no concept is bad."""
    errors = wrong @ law
    best = int(np.argmin(errors)) if best is None else best
    bad = errors - errors[best] > alpha + 1e-9
    if not bad.any():
        return None
    found = compositions(n, len(law)) @ wrong.T
    least = (found[:, bad] - found[:, [best]]).min(axis=1)
    mass = np.bincount(least + n, weights=chances(n, law), minlength=2 * n + 1)
    return np.cumsum(mass)


def failure(counts, law, wrong, epsilon, bad, copies=1):
    """Pr[a bad candidate is released]; copies[h]: how often h is among the candidates."""
    errors = counts @ wrong.T
    weights = copies * np.exp(-epsilon / 2 * (errors - errors.min(axis=1, keepdims=True)))
    return float(
        chances(counts[0].sum(), law) @ ((weights * bad).sum(axis=1) / weights.sum(axis=1))
    )


def cuts(points, both=False):
    """Thresholds, in one orientation or in both."""
    right = np.array([[x > u for x in range(points)] for u in range(-1, points)]).astype(int)
    return np.unique(np.vstack([right, 1 - right]), axis=0) if both else right


def small_sets(points, most):
    """Sets of at most so many points."""
    every = np.array(list(itertools.product((0, 1), repeat=points)))
    return every[every.sum(axis=1) <= most]


def intervals(points):
    """Intervals, and the empty one."""
    found = [[a <= x <= b for x in range(points)] for a in range(points) for b in range(a, points)]
    return np.array([[0] * points, *found]).astype(int)


def random_law(rng, points):
    """A law with spread-out or concentrated points, and labels that are clean, noisy or coins."""
    mass = rng.dirichlet(np.full(points, rng.choice([0.2, 1.0, 5.0])))
    ones = rng.choice([0.0, 0.05, 0.3, 0.45, 0.5, 0.55, 0.7, 0.95, 1.0], size=points)
    if rng.random() < 0.5:
        ones = rng.random(points)
    return np.ravel(np.column_stack([mass * (1 - ones), mass * ones]))
