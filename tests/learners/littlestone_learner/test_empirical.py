"""Errors on the given records: bounds against all shuffles; fixed data sets, also hostile ones."""

import math
from collections import Counter
from fractions import Fraction as F
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.bounds.tails import clopper_pearson
from littlestone.data import Sample
from littlestone.learners import littlestone_plans as module
from littlestone.learners.littlestone import Littlestone
from littlestone.source import SecureSource, SeededSource

BUDGET = {"epsilon": 1, "delta": F(1, 10**6)}
LOOSE = BUDGET | {"epsilon": 2, "alpha": F(1, 5), "beta": F(1, 10)}
CLASSES = {
    "points": ls.Points(),
    "sparse sets": ls.SparseSets(2),
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_certificate(name):
    made = Littlestone(CLASSES[name], **BUDGET)
    n = made.required_samples(empirical=True)
    certificate = made.certificate(n, empirical=True)
    assert certificate.holds
    assert recheck(certificate.to_dict()) == ()
    assert certificate.claims == ("littlestone.empirical",)
    assert not any("independent" in text for text in certificate.assumptions)
    assert not made.certificate(n - 1, empirical=True).holds
    assert all(made.certificate(n + k, empirical=True).holds for k in (1, 5, n, 10**7))
    assert made.required_samples() <= n <= 1.6 * made.required_samples()
    estimator = ls.theory.LittlestoneLearner(CLASSES[name], **BUDGET)
    assert estimator.certificate(n, empirical=True) == certificate
    assert estimator.certificate(n) == made.certificate(n) != certificate


def test_planned_sizes_alone_are_certified():
    own = Littlestone(ls.Points(), **BUDGET, chunk=10**6)
    assert not own.certificate(10**9, empirical=True).holds


@pytest.mark.first(1)
@pytest.mark.parametrize(("n", "m"), [(20, 6), (13, 12), (60, 1)])
def test_one_teachers_chances_are_bounded(n, m):
    """Exact hypergeometric tails, by SciPy."""
    for hits in range(n + 1):
        for c in range(m):
            exact = stats.hypergeom(n, hits, m)
            above = stats.binom(m, min(hits / (n - m + 1), 1)).sf(c)
            below = stats.binom(m, max((hits - c) / n, 0)).cdf(c)
            assert exact.sf(c) <= above * (1 + 1e-9) + 1e-12
            assert exact.cdf(c) <= below * (1 + 1e-9) + 1e-12


def shuffles(n, m):
    """All ways to shuffle n records to teachers of m, as tuples of tuples."""
    if n < m:
        yield ()
        return
    seen = set()
    for order in permutations(range(n)):
        teachers = tuple(tuple(sorted(order[i : i + m])) for i in range(0, n - m + 1, m))
        if teachers not in seen:
            seen.add(teachers)
            yield teachers


@pytest.mark.parametrize(
    ("inside", "near", "far", "c", "m"),
    [(3, 2, 2, 0, 2), (3, 3, 1, 0, 2), (2, 3, 2, 1, 3), (4, 1, 2, 0, 3), (2, 1, 4, 0, 2)],
)
def test_teachers_together_are_bounded(inside, near, far, c, m):
    """Rank 1: F is spanned by a record inside; `near` are the records of T outside F.

    A bad set errs on `far` and `inside` records. All shuffles of the records are enumerated, and
    both terms of Theorem 4 are compared with what they bound, for many tilts.
    """
    n = inside + near + far
    kinds = ["inside"] * inside + ["near"] * near + ["far"] * far
    bad_errors = {"inside", "far"}
    outcomes = Counter()
    for teachers in shuffles(n, m):
        us = vs = bs = 0
        for mine in teachers:
            held = Counter(kinds[k] for k in mine)
            us += held["inside"] == 0
            vs += held["near"] > c
            bs += sum(held[kind] for kind in bad_errors) <= c
        outcomes[us, vs, bs] += 1
    total, t = sum(outcomes.values()), n // m
    u = stats.hypergeom(n, inside, m).pmf(0)
    v = stats.hypergeom(n, near, m).sf(c)
    w = stats.hypergeom(n, inside + far, m).cdf(c)
    q = min(u, w)

    def mean(f):
        return sum(count * f(*key) for key, count in outcomes.items()) / total

    for tilt in (0.1, 0.5, 1.0, 2.0):
        for theta in (0.25, 0.5, 0.75):
            a, b = math.exp(tilt / theta), math.exp(tilt / (1 - theta))
            errs = (1 + v * (b - 1)) ** ((1 - theta) * t)
            miss = (1 + u * (a - 1)) ** (theta * t) * errs
            assert mean(lambda us, vs, _: math.exp(tilt * (us + vs))) <= miss * (1 + 1e-9)  # noqa: B023
            both = (q * a * a + (w + u - 2 * q) * a + 1 - w - u + q) ** (theta * t) * errs
            assert mean(lambda us, vs, bs: math.exp(tilt * (us + vs + bs))) <= both * (1 + 1e-9)  # noqa: B023


def test_without_hoelder_the_bound_is_broken():
    """As if "not spanned" and "too many errors" were independent: one teacher of three records."""
    u = stats.hypergeom(5, 1, 3).pmf(0)
    v = stats.hypergeom(5, 4, 3).sf(2)  # the same event
    both = [2 * (0 not in teachers[0]) for teachers in shuffles(5, 3)]
    e = math.exp(1)
    assert np.mean([e**x for x in both]) > (1 + u * (e - 1)) * (1 + v * (e - 1)) * 1.1
    halves = math.sqrt((1 + u * (e**2 - 1)) * (1 + v * (e**2 - 1)))
    assert np.mean([e**x for x in both]) <= halves * (1 + 1e-9)


# --- fixed data sets ------------------------------------------------------------------------------


def fixed(name, n, alpha, rng):
    """Return n records that a concept explains; mostly a wrong one errs just above alpha n."""
    least = math.floor(alpha * n) + 1
    hostile = rng.random() < 0.7
    if name == "thresholds":
        target = int(rng.integers(10, 2**20 - 10))
        counts = [n - least, least] if hostile else rng.multinomial(n, rng.dirichlet([0.3] * 2))
        side = target - int(rng.integers(9)), target + 1 + int(rng.integers(9))
        points = side if rng.random() < 0.5 else side[::-1]
        x = np.repeat(points, counts)
        return x, x > target
    if name == "rows":
        counts = rng.multinomial(n - 2 * least, rng.dirichlet(np.full(8, 0.3)))
        counts[3] += least
        counts[4] += least
        x = np.repeat(np.arange(8), counts)
        return x, x > 3
    k = 1 if name == "points" else 2
    levels = (0.03, 0.05, 0.07, float(alpha) * (1 + 1 / n))  # near the levels of the proof
    shares = [rng.choice(levels) if hostile else rng.random() / (2 * k) for _ in range(k)]
    if hostile:
        shares[0] = least / n
    counts = [math.ceil(share * n) for share in shares]
    others = rng.multinomial(n - sum(counts), rng.dirichlet(np.full(4, 0.5)))
    x = np.repeat([f"p{i}" for i in range(k + 4)], [*counts, *others]).astype(object)
    return x, np.isin(x, [f"p{i}" for i in range(k)])


def failures(name, trials, source, *, seed):
    made = Littlestone(CLASSES[name], **LOOSE)
    n = made.required_samples(empirical=True)
    rng, failed = np.random.default_rng(seed), 0
    for _ in range(trials):
        x, y = fixed(name, n, float(made.alpha), rng)
        assert len(x) == n
        found = made.draw(Sample.of(x.tolist(), y.astype(int).tolist()), source)
        failed += int((found.predict(x) != y).sum()) > made.alpha * n
    return failed


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("name", "trials"), [(name, trials) for trials in (25, 250) for name in CLASSES]
)
def test_failures_on_fixed_records_are_as_rare_as_certified(name, trials):
    failed = failures(name, trials, SecureSource(), seed=trials)
    assert clopper_pearson(failed, trials, 0.9999)[0] <= 0.1


def test_records_that_are_shuffled_in_order_are_caught():
    """Without the permutation there are records on which the learner nearly always fails."""

    class InOrder(SeededSource):
        def permutation(self, n):
            return np.arange(n)

    assert clopper_pearson(failures("points", 25, InOrder(0), seed=1), 25, 0.9999)[0] > 0.1


def test_closed_forms_of_the_terms():
    """The terms of the certificate, computed again from its own steps by hand."""
    made = Littlestone(ls.SparseSets(2), **BUDGET)
    n = made.required_samples(empirical=True)
    found = made.certificate(n, empirical=True)
    settings = made.plan.settings
    m, c, levels = settings.chunk, settings.tolerances[0], [0.0, *map(float, settings.levels)]
    assert found["wrong"] == pytest.approx(stats.binom(m, 0.1 - c / n).cdf(c))
    for s in range(3):
        if s < 2:
            gap = stats.binom(m, levels[s + 1] - levels[s]).cdf(2 - s - 1)
            assert found[f"unspanned_{s}"] == pytest.approx(gap)
        if s:
            above = stats.binom(m, levels[s] * n / (n - m + 1)).sf(c)
            assert found[f"exceeds_{s}"] == pytest.approx(above)
    assert found["too_few"] == max(found[f"too_few_{s}"] for s in range(3))
    assert found["too_few"] + found["bottom"] + found["wrongly"] >= 0.04  # n is the least
    assert module.empirical_certificate(settings, n) == found
