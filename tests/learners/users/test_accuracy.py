"""Certificates of the user-level learners: sizes, what they rest on, and simulations."""

from fractions import Fraction as F
from itertools import product
from math import log

import numpy as np
import pytest
from scipy.stats import beta as beta_law

import littlestone as ls
from littlestone.bounds import agnostic, recheck
from littlestone.data import UserSample
from littlestone.errors import UnsupportedError
from littlestone.learners.users import UserAgnostic, UserThreshold
from littlestone.learners.users.interval_median import IntervalMedian
from littlestone.learners.users.threshold_plan import _median_decay
from littlestone.source import SeededSource

from .small import Typed, users_of

NUMBERS = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}
TEN = ls.Thresholds(1, 22025)  # ln |H| = 10, as in the paper's tables


def agnostic_learner(cls=TEN, m=16, method="auto", **more):
    return UserAgnostic.of(cls, samples_per_user=m, method=method, **(NUMBERS | more))


def threshold_learner(cls, m, **more):
    return UserThreshold.of(cls, samples_per_user=m, **(NUMBERS | more))


def upper_bound(failures, trials):
    """Clopper-Pearson, 99%."""
    return float(beta_law.ppf(0.99, failures + 1, trials - failures))


# --- sizes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "group", "ours", "paper"),
    [(1, 2587, 2587, 2.0e7), (4, 647, 1776, 1.0e7), (16, 308, 604, 5.0e6), (64, 271, 364, 2.5e6),
     (256, 263, 190, 1.25e6), (1024, 261, 103, 6.3e5)],
)  # fmt: skip
def test_the_table_of_users(m, group, ours, paper):
    """For ln |H| = 10; the paper's is 32 ln(7 |H|/beta)/(epsilon K/700), its noise term only."""
    assert agnostic_learner(m=m, method="group-privacy").required_users() == group
    assert agnostic_learner(m=m, method="user-level").required_users() == pytest.approx(ours, abs=2)
    best = agnostic_learner(m=m).required_users()
    assert best == pytest.approx(min(group, ours), abs=2)
    noise = 32 * (10 + log(7 / 0.05)) / (min(m**0.5 * 0.1 / 6, 1) / 700)
    assert noise == pytest.approx(paper, rel=0.02)
    assert best < noise / 6000


def test_group_privacy_is_the_item_level_mechanism():
    """Same certificate: n users with m records and epsilon, n m records with epsilon/m."""
    for m in (1, 3, 16):
        items = agnostic(TEN.size, epsilon=F(1, m), alpha=0.1, beta=0.05).n
        assert agnostic_learner(m=m, method="group-privacy").required_users() == -(-items // m)


@pytest.mark.parametrize("method", ["auto", "group-privacy", "user-level", "binary-search"])
@pytest.mark.parametrize(
    "cls", [ls.Points(), ls.FiniteClass([[0, 0], [0, 1], [1, 1]]), ls.Thresholds(1, 2**64)], ids=str
)
def test_certificates_hold_from_the_required_number_on(cls, method):
    learner = agnostic_learner(cls, 8, method)
    n = learner.required_users()
    assert not learner.certificate(n - 1).holds
    certificate = learner.certificate(n)
    assert certificate.holds
    assert certificate.unit == "users"
    assert recheck(certificate.to_dict()) == ()
    assert learner.certificate(2 * n).holds
    assert not learner.certificate(1).holds
    assert any("samples_per_user" in a for a in certificate.assumptions)


@pytest.mark.parametrize("m", [1, 16, 100])
def test_certificates_of_thresholds(m):
    learner = threshold_learner(ls.Thresholds(1, 2**20), m)
    n = learner.required_users()
    certificate = learner.certificate(n)
    assert certificate.holds
    assert not learner.certificate(n - 1).holds
    assert not learner.certificate(1).holds
    assert recheck(certificate.to_dict()) == ()
    assert n > learner_beside(m)  # honest: the constants of Algorithm 1 are large


def learner_beside(m):
    return agnostic_learner(ls.Thresholds(1, 2**20), m).required_users()


def test_thresholds_grow_as_the_theorem_says():
    """For huge domains ln|X|/(m alpha) users: four times the records, about four times fewer."""
    users = [threshold_learner(ls.Thresholds(1, 2**4096), m).required_users() for m in (1, 4, 16)]
    assert 2.5 < users[0] / users[1] < 4.5
    assert 1.8 < users[1] / users[2] < 4.5


def test_large_and_small_parameters():
    for epsilon, alpha, beta in ((1e-9, 0.1, 0.05), (1e6, 0.1, 0.05), (1, 0.999, "1e-300"),
                                 (1, 1e-6, 0.999)):  # fmt: skip
        budget = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
        for method in ("group-privacy", "user-level", "binary-search"):
            learner = agnostic_learner(ls.Thresholds(1, 9), 4, method, **budget)
            n = learner.required_users()
            assert learner.certificate(n).holds
            users = users_of([((2, 0), (7, 1))] * 9 + [()])
            learner.learn(users, SeededSource(0))
        walk = threshold_learner(ls.Thresholds(1, 9), 4, **budget)
        assert walk.certificate(walk.required_users()).holds
        walk.learn(users, SeededSource(0))


def test_one_hypothesis_and_one_record():
    only = agnostic_learner(ls.FiniteClass([[0, 1]]), 1)
    assert only.required_users() == 1
    assert agnostic_learner(ls.FiniteClass([[0, 1]]), 4, "user-level").certificate(10**6).holds


def test_classes_that_are_too_large_for_user_level_errors():
    vast = ls.Intervals(1, 2**64)
    assert agnostic_learner(vast).plan.name == "group-privacy"
    with pytest.raises(UnsupportedError, match="group-privacy"):
        agnostic_learner(vast, method="user-level").required_users()
    with pytest.raises(UnsupportedError, match="thresholds only"):
        threshold_learner(ls.Points(), 4)


# --- simulations at the required number of users: bad cases, counts of user types ----------------


def opposed(m, error, excess, n, bad, rng):
    """Return mistakes on n users: the best hypothesis errs where none of the bad ones does."""
    right = rng.binomial(m, error, size=n)
    if bad == 1:  # wrong exactly where the best one is right, as far as the errors allow
        wrong = error + excess
        apart = min(1.0, wrong / max(1 - error, 1e-12))
        both = max(0.0, wrong - (1 - error)) / max(error, 1e-12)
        return np.stack([right, rng.binomial(m - right, apart) + rng.binomial(right, both)])
    others = rng.binomial(m, error + excess, size=(bad, n))
    return np.concatenate([right[None], others])


@pytest.mark.parametrize("method", ["user-level", "binary-search"])
@pytest.mark.parametrize("error", [0.0, 0.45, 0.7])
@pytest.mark.parametrize(("m", "bad"), [(16, 1), (64, 40)])
def test_failures_at_the_required_number(method, error, m, bad):
    cls = ls.FiniteClass(np.tri(bad + 1, bad, k=-1, dtype=int))
    way = agnostic_learner(cls, m, method).plan
    n, rng, failures, trials = way.required, np.random.default_rng(bad), 0, 110
    source = SeededSource(1)
    for _ in range(trials):
        errors = Typed(opposed(m, error, 0.1001, n, bad, rng), np.ones(n, dtype=np.int64))
        found = way.search.locate(errors, n, source)
        failures += errors.draw(way.t(*found), way.epsilon / 2, source) != 0
    assert upper_bound(failures, trials) <= 0.05


def test_a_million_users_cost_nothing_as_types():
    """epsilon so small that 10**6 users are needed: multinomial counts of a few user types."""
    m = 4
    cls = ls.FiniteClass([[0], [1]])
    learner = agnostic_learner(cls, m, "user-level", epsilon=0.0004, alpha=0.3)
    way = learner.plan
    n = way.required
    assert n > 10**5
    types = [(a, b) for a, b in product(range(m + 1), repeat=2) if a + b == m]
    from scipy.stats import binom

    law = np.array([binom.pmf(a, m, 0.35) for a, _ in types])
    rng, source, failures, trials = np.random.default_rng(0), SeededSource(2), 0, 110
    for _ in range(trials):
        errors = Typed(np.array(types).T, rng.multinomial(n, law / law.sum()))
        found = way.search.locate(errors, n, source)
        failures += errors.draw(way.t(*found), way.epsilon / 2, source) != 0
    assert upper_bound(failures, trials) <= 0.05


def records(n, m, u, noise, size, rng):
    points = rng.integers(1, size + 1, size=n * m)
    labels = (points > u) ^ (rng.random(n * m) < noise)
    return UserSample.of(np.repeat(np.arange(n), m).tolist(), points, labels.astype(int))


@pytest.mark.parametrize(("method", "m"), [("group-privacy", 4), ("user-level", 64)])
def test_learning_from_records_at_the_required_number(method, m):
    cls = ls.Thresholds(1, 1000)
    learner = agnostic_learner(cls, m, method)
    n, rng = learner.required_users(), np.random.default_rng(3)
    for seed in range(6):
        users = records(n, m, 400, 0.2, 1000, rng)
        above = learner.learn(users, SeededSource(seed)).above
        assert 0.6 * abs(above - 400) / 1000 <= 0.1


def test_algorithm_1_from_records():
    cls = ls.Thresholds(1, 1000)
    learner = threshold_learner(cls, 16, epsilon=4, alpha=0.2)
    n, rng = learner.required_users(), np.random.default_rng(3)
    assert n < 10_000
    for seed in range(4):
        users = records(n, 16, 400, 0.1, 1000, rng)
        above = learner.learn(users, SeededSource(seed)).above
        assert 0.8 * abs(above - 400) / 1000 <= 0.2


# --- Lemma 5.1 -----------------------------------------------------------------------------------


def test_the_median_against_brute_force():
    rng = np.random.default_rng(5)
    for trial in range(60):
        n, m, s = int(rng.integers(1, 7)), 4, int(rng.integers(0, 3))
        held = [
            tuple((int(x), int(y)) for x, y in zip(rng.integers(1, 9, k), rng.integers(0, 2, k),
                                                   strict=True))
            for k in rng.integers(0, m + 1, n)
        ]  # fmt: skip
        low, high = sorted(int(x) for x in rng.integers(0, 9, 2))

        class Given(IntervalMedian):
            s = 0

        Given.s = s
        runs = Given(m, F(1), F(1)).scores(users_of(held), low, high)
        for u in range(low, high + 1):
            left = sum(sum(low <= x < u for x, _ in user) > s for user in held)
            right = sum(sum(u < x <= high for x, _ in user) > s for user in held)
            assert runs.at(u) == max(left, right), trial
        assert runs.size == high - low + 1


def test_the_median_on_a_domain_beyond_64_bits():
    users = UserSample.of(["a", "a", "b"], [2**70, 2**80, 2**75], [0, 1, 0])
    runs = IntervalMedian(2, F(1, 2), F(1)).scores(users, 0, 2**90)
    assert runs.at(2**75) == 1
    assert runs.at(2**80) == 2
    assert runs.size == 2**90 + 1


@pytest.mark.parametrize("m", [1, 3, 16])
@pytest.mark.parametrize("mass", [F(1), F(4, 9), F(16, 243)])
def test_the_rate_of_the_median_is_the_worst_coupling(m, mass):
    """sup of E e**(-l (bad - good)) over couplings of two events of given probabilities."""
    from scipy.stats import binom

    median = IntervalMedian(m, mass, F(1))
    p, q = (float(binom.sf(median.s, m, float(x))) for x in median.halves)
    rate = float(_median_decay(m, mass, F(1)))
    tilts = np.linspace(0, 0.5, 5001)
    worst = np.zeros_like(tilts)
    for both in np.linspace(max(0, p + q - 1), min(p, q), 50):  # probability of both events
        moment = 1 + (q - both) * np.expm1(-tilts) + (p - both) * np.expm1(tilts)
        worst = np.maximum(worst, moment)
    assert rate == pytest.approx(-np.log(worst.min()), rel=1e-5)


# --- the surrogate score of Theorem 4.6 -----------------------------------------------------------


def user_scores(labels, data, t):
    return sum(sum(labels[x] != y for x, y in user) > t for user in data)


def surrogate(classes, h, data, t, s):
    return min(
        user_scores(c, data, t) + sum(sum(c[x] != h[x] for x, _ in user) > s for user in data)
        for c in classes
    )


@pytest.mark.parametrize(("s", "equal"), [(0, True), (1, False)])
def test_with_s_0_the_surrogate_is_the_user_level_error_on_the_class(s, equal):
    """So for a class that represents itself the learner uses the error, of sensitivity 1."""
    rng = np.random.default_rng(0)
    every = list(product((0, 1), repeat=3))
    differ = 0
    for _ in range(300):
        size = int(rng.integers(2, 6))
        classes = [every[i] for i in rng.choice(8, size=size, replace=False)]
        data = [[(int(rng.integers(3)), int(rng.integers(2))) for _ in range(3)] for _ in range(2)]
        for t in (0, 1):
            differ += any(
                surrogate(classes, h, data, t, s) != user_scores(h, data, t) for h in classes
            )
    assert (differ == 0) == equal
