"""The theorems themselves: exact failure probabilities of the exponential mechanism.

Nothing of the library computes the truth here: all count vectors of n records are enumerated, the
released law is written out, and the probability of a bad release is compared with what the
certificates promise, for every target and many distributions.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from littlestone.bounds import (
    HashedRepresentation,
    agnostic,
    agnostic_from,
    realizable,
    realizable_from,
)


def compositions(n, parts):
    """All vectors of `parts` counts with sum n."""
    if parts == 1:
        return np.array([[n]])
    return np.vstack([
        np.hstack([np.full((len(rest), 1), first), rest])
        for first in range(n + 1)
        for rest in [compositions(n - first, parts - 1)]
    ])  # fmt: skip


def multinomial(counts, law):
    """Probability of each count vector."""
    n = counts[0].sum()
    log_factorial = np.cumsum(np.log(np.maximum(np.arange(n + 1), 1)))
    with np.errstate(divide="ignore"):
        logs = np.where(law > 0, np.log(law), -1e9)
    return np.exp(log_factorial[n] - log_factorial[counts].sum(axis=1) + counts @ logs)


def failure(counts, law, mistakes, epsilon, bad, copies=1):
    """Exact probability of releasing a bad candidate.

    mistakes[h, z]: whether candidate h errs on a record of kind z; copies[h]: how often h occurs.
    """
    errors = counts @ mistakes.T
    weights = copies * np.exp(-epsilon / 2 * (errors - errors.min(axis=1, keepdims=True)))
    released_bad = (weights * bad).sum(axis=1) / weights.sum(axis=1)
    return float(multinomial(counts, law) @ released_bad)


def laws(kinds, steps):
    """A grid on the simplex."""
    return compositions(steps, kinds) / steps


THRESHOLDS = np.array([[x > u for x in range(4)] for u in range(-1, 4)])  # 5 concepts, 4 points
LABELINGS = np.array(list(itertools.product((0, 1), repeat=2)))  # 4 concepts, 2 points


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("epsilon", "alpha", "beta"), [(2, 0.25, 0.3), (0.7, 0.3, 0.4), (8, 0.2, 0.2)]
)
def test_realizable(epsilon, alpha, beta):
    certificate = realizable(len(THRESHOLDS), epsilon=epsilon, alpha=alpha, beta=beta)
    counts, early = compositions(certificate.n, 4), compositions(certificate.n // 3, 4)
    worst, worst_early = 0.0, 0.0
    for target in THRESHOLDS:
        mistakes = (target != THRESHOLDS).astype(int)
        for law in laws(4, 8):
            bad = mistakes @ law > alpha + 1e-9
            worst = max(worst, failure(counts, law, mistakes, epsilon, bad))
            worst_early = max(worst_early, failure(early, law, mistakes, epsilon, bad))
    assert worst <= beta
    assert worst_early > beta  # a third of the records is really not enough


def noisy(concepts, points):
    """Mistakes on the kinds (point, label)."""
    kinds = list(itertools.product(range(points), (0, 1)))
    return np.array([[c[x] != y for x, y in kinds] for c in concepts]).astype(int)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("epsilon", "alpha", "beta"), [(2, 0.4, 0.3), (0.5, 0.5, 0.3), (9, 0.45, 0.2)]
)
def test_agnostic(epsilon, alpha, beta):
    certificate = agnostic(len(LABELINGS), epsilon=epsilon, alpha=alpha, beta=beta)
    mistakes = noisy(LABELINGS, 2)
    counts, early = compositions(certificate.n, 4), compositions(1, 4)
    worst, worst_early = 0.0, 0.0
    for law in laws(4, 10):
        errors = mistakes @ law
        bad = errors > errors.min() + alpha + 1e-9
        worst = max(worst, failure(counts, law, mistakes, epsilon, bad))
        worst_early = max(worst_early, failure(early, law, mistakes, epsilon, bad))
    assert worst <= beta
    assert worst_early > beta


def test_realizable_bound_is_nearly_reached():
    """One bad candidate: the certified failure is the truth up to a small factor."""
    epsilon, alpha, beta = 1, 0.3, 0.1
    n = realizable(2, epsilon=epsilon, alpha=alpha, beta=beta).n
    counts = compositions(n, 2)
    truth = failure(
        counts, np.array([alpha, 1 - alpha]), np.array([[0, 0], [1, 0]]), epsilon, np.array([0, 1])
    )
    assert beta / 2 < truth <= beta


@pytest.mark.parametrize("alpha1", [0.05, 0.1])
def test_representation_without_the_target(alpha1):
    """Candidates: all but the target; the nearest one is wrong on a region of mass alpha1."""
    epsilon, alpha, beta = 2, 0.4, 0.3
    points = np.array(list(itertools.product((0, 1), repeat=3)))
    for target in ([0, 0, 0], [1, 0, 1]):
        candidates = np.array([c for c in points if list(c) != target])
        mistakes = (candidates != np.array(target)).astype(int)
        n = realizable_from(
            len(candidates), epsilon=epsilon, alpha=alpha, beta=beta, alpha1=alpha1, beta1=0
        ).n
        counts = compositions(n, 3)
        for law in laws(3, 20):
            errors = mistakes @ law
            if errors.min() <= alpha1 + 1e-9:
                bad = errors > alpha + 1e-9
                assert failure(counts, law, mistakes, epsilon, bad) <= beta


def test_disjoint_regions_are_the_worst_case():
    """E exp(-l D) over all overlaps of the two error regions, at fixed masses."""
    alpha, alpha1 = 0.3, 0.1
    for tilt in (0.1, 0.5, 1.0):
        values = [
            (alpha - c) * math.exp(-tilt)
            + (alpha1 - c) * math.exp(tilt)
            + 1
            - alpha
            - alpha1
            + 2 * c
            for c in (0, 0.02, 0.05, 0.1)
        ]
        assert values == sorted(values, reverse=True)
        claimed = 1 - alpha * (1 - math.exp(-tilt)) + alpha1 * (math.exp(tilt) - 1)
        assert values[0] == pytest.approx(claimed)


def test_agnostic_representation():
    epsilon, alpha, beta, alpha1 = 2, 0.5, 0.3, 0.1
    concepts = LABELINGS
    for left_out in range(4):
        candidates = np.delete(concepts, left_out, axis=0)
        n = agnostic_from(3, epsilon=epsilon, alpha=alpha, beta=beta, alpha1=alpha1, beta1=0).n
        counts = compositions(n, 4)
        everyone, mistakes = noisy(concepts, 2), noisy(candidates, 2)
        for law in laws(4, 10):
            best, errors = (everyone @ law).min(), mistakes @ law
            if errors.min() <= best + alpha1 + 1e-9:
                bad = errors > best + alpha + 1e-9
                assert failure(counts, law, mistakes, epsilon, bad) <= beta


@pytest.mark.parametrize("copies", [1, pytest.param(2, marks=pytest.mark.more)])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_points_by_hashing(copies, noise):
    """Two points, R buckets, all hash functions: the layered bound covers the exact failure."""
    epsilon, alpha, buckets = 3, 0.6, 64
    found = HashedRepresentation(
        Fraction(epsilon), Fraction("0.6"), Fraction("0.3"), noise > 0, buckets, copies,
        copies * buckets + 1, Fraction(1, buckets),
        (Fraction("0.03"), Fraction("0.1"), Fraction("0.2")),
    )  # fmt: skip
    # What a candidate does on the two points: 00, 01, 10, 11; how many of each a copy adds.
    apart, together = np.array([buckets - 2, 1, 1, 0]), np.array([buckets - 1, 0, 0, 1])
    concepts, mistakes = LABELINGS[:3], noisy(LABELINGS, 2)
    for n in (5, 40):
        claimed = found.certificate(n)["failure"]
        assert claimed < 1 or n == 5
        counts, worst = compositions(n, 4 if noise else 2), 0.0
        for share, target in itertools.product((0.1, 0.2, 0.35, 0.5), concepts):
            if noise:
                law = np.array([
                    mass * (noise if y != target[x] else 1 - noise)
                    for x, mass in enumerate((1 - share, share)) for y in (0, 1)
                ])  # fmt: skip
            else:
                law, mistakes = np.array([1 - share, share]), (target != LABELINGS).astype(int)
            errors, total = mistakes @ law, 0.0
            bad = errors > errors[:3].min() + alpha + 1e-9
            for collide in itertools.product((False, True), repeat=copies):
                chance = math.prod(1 / buckets if c else 1 - 1 / buckets for c in collide)
                drawn = np.sum([together if c else apart for c in collide], axis=0)
                drawn[0] += 1  # the empty set, shared by all copies
                total += chance * failure(counts, law, mistakes, epsilon, bad, drawn)
            worst = max(worst, total)
        assert 0 < worst <= claimed
