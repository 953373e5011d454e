"""Certificates of the user-level learner, its binomials and estimators."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from fractions import Fraction as F
from itertools import product
from math import comb, exp, log

import numpy as np
import pytest
from scipy.stats import beta as beta_law
from scipy.stats import binom
from sklearn.base import clone

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import Representation
from littlestone.errors import DataError, ParameterError, UnsupportedError
from littlestone.learners import registry, select
from littlestone.learners.base import feasible
from littlestone.learners.exponential import Agnostic
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.learners.users import UserAgnostic
from littlestone.learners.users.scores import (
    crossing,
    gap,
    log_moment,
    separate_within,
    tail,
)
from littlestone.report import page
from littlestone.source import ReplaySource, SeededSource

from .small import Typed, users_of

# -- Certificates of the user-level learner: sizes, what they rest on, and simulations -------------

NUMBERS = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}
TEN = ls.Thresholds(1, 22025)  # ln |H| = 10, as in the paper's tables


def made(cls=TEN, m=16, method="auto", **more):
    return UserAgnostic(cls, samples_per_user=m, method=method, **(NUMBERS | more))


def upper_bound(failures, trials):
    """Clopper-Pearson, 99%."""
    return float(beta_law.ppf(0.99, failures + 1, trials - failures))


# --- sizes -------------------------------------------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize(
    ("m", "group", "before", "paper"),
    [(4, 412, 1776, 1.0e7), (16, 308, 604, 5.0e6), (64, 271, 364, 2.5e6), (256, 263, 189, 1.25e6),
     (1024, 261, 103, 6.3e5)],
)  # fmt: skip
def test_the_table_of_users(m, group, before, paper):
    """For ln |H| = 10; the paper's is 32 ln(7 |H|/beta)/(epsilon K/700), its noise term only.

    ``before`` is what the user-level certificate of version 0.1.0 asked for.
    """
    assert made(m=m, method="group-privacy").required_samples() == group
    ours = made(m=m, method="user-level").required_samples()
    assert ours <= before
    assert ours <= group or m == 4  # where group privacy needs fewer
    noise = 32 * (10 + log(7 / 0.05)) / (min(m**0.5 * 0.1 / 6, 1) / 700)
    assert noise == pytest.approx(paper, rel=0.02)
    assert made(m=m).required_samples() < noise / 6000


EXPONENTS, EPSILONS = (10, 64, 256, 1024, 4096), (F(1, 4), 1, 4, 20)
ALPHAS, RECORDS = (F(1, 50), F(1, 20), F(1, 10)), (1, 4, 16, 64, 256)
GRID = list(product(EXPONENTS, EPSILONS, ALPHAS, RECORDS))


@pytest.mark.more
@pytest.mark.parametrize(
    ("exponent", "epsilon", "alpha", "m"),
    [
        pytest.param(
            *at, marks=[pytest.mark.full] * ((i + i // 10) % 20 != 2), id="-".join(map(str, at))
        )
        for i, at in enumerate(GRID)
    ],
)
def test_never_above_what_items_would_need(exponent, epsilon, alpha, m):
    """One record of each user, and group privacy, by the certificates of records."""
    asked = {"alpha": alpha, "beta": F(1, 20)}
    concepts = ls.Thresholds(1, 2**exponent)
    plan = made(concepts, m, epsilon=epsilon, **asked).plan
    one = Agnostic(concepts, epsilon=epsilon, **asked).required_samples()
    items = Agnostic(concepts, epsilon=F(epsilon) / m, **asked).required_samples()
    assert plan.required <= min(one, -(-items // m))
    certificate = plan.certificate(plan.required)
    assert certificate.holds
    assert certificate.unit == "users"
    if m > 1:
        assert {"one-record", "group-privacy", "user-level"} == set(plan.routes)
        least = min(n for n in plan.routes.values() if isinstance(n, int))
        assert plan.required == least == plan.routes[plan.method]
        assert plan.routes[plan.runner_up] >= least


@pytest.mark.more
def test_the_plan_names_the_runner_up():
    plan = made(ls.Thresholds(1, 2**20), 16).plan
    assert (plan.method, plan.runner_up) == ("user-level", "group-privacy")
    assert made(ls.Thresholds(1, 2**20), 8).plan.method == "group-privacy"
    assert made(m=1).plan.runner_up is None


@pytest.mark.more
def test_users_with_laws_of_their_own():
    """Only what treats a user as one draw is certified."""
    with pytest.raises(UnsupportedError, match="iid-records"):
        made(method="user-level", users="iid-users").required_samples()
    plan = made(ls.Thresholds(1, 2**64), users="iid-users").plan
    assert plan.method == "one-record"
    assert plan.required == Agnostic(ls.Thresholds(1, 2**64), epsilon=1).required_samples()
    assert "law of bundles" in " ".join(plan.certificate(plan.required).assumptions)
    group = made(users="iid-users", method="group-privacy")
    n = group.required_samples()
    tilt, decay = 1 / 2, 0.0
    tilt = min(tilt, np.arctanh(0.1))  # of a whole user: at most m times epsilon/(2m)
    decay = -log(np.cosh(tilt) - 0.1 * np.sinh(tilt))
    assert n == -(-log((TEN.size - 1) / 0.05) // decay)
    assert group.certificate(n).holds
    assert not group.certificate(n - 1).holds
    assert recheck(group.certificate(n).to_dict()) == ()
    with pytest.raises(UnsupportedError, match="can be listed"):
        made(ls.Points(), users="iid-users", method="group-privacy").required_samples()


@pytest.mark.first(1)
@pytest.mark.parametrize(("method", "least"), [("user-level", 150), ("group-privacy", 20)])
def test_other_routes_fail_for_users_with_laws_of_their_own(method, least):
    """Two concepts, each wrong where the other one is right; records of a user depend."""
    cls, m, trials = ls.theory.FiniteClass([[0], [1]]), 16, 200
    plan = made(cls, m, method).plan.chosen
    n, rng, failures = plan.required, np.random.default_rng(11), 0
    # The best one errs by a bare majority (or all) of the records of some users, and not on others;
    # its rival errs where the best one does not.
    majority, share = (9, 0.75) if method == "user-level" else (16, 0.45)
    best = majority / m * share
    for trial in range(trials):
        wrong = np.where(rng.random(n) < share, majority, 0)
        errors = Typed(np.stack([wrong, m - wrong]), np.ones(n, dtype=np.int64))
        source = SeededSource(trial)
        if method == "user-level":
            t = plan.locate(errors, n, source)
            drawn = errors.draw(t, plan.epsilon_choice / (2 * plan.width), source, width=plan.width)
        else:
            drawn = errors.draw(0, F(1, 2 * m), source, width=m)
        failures += drawn != 0
    assert best + 0.1 <= 1 - best  # the other one is bad
    assert failures >= least


@pytest.mark.more
@pytest.mark.parametrize("method", ["auto", "group-privacy", "user-level", "one-record"])
@pytest.mark.parametrize(
    "cls",
    [ls.Points(), ls.theory.FiniteClass([[0, 0], [0, 1], [1, 1]]), ls.Thresholds(1, 2**64)],
    ids=str,
)
def test_certificates_hold_from_the_required_number_on(cls, method):
    learner = made(cls, 8, method)
    n = learner.required_samples()
    assert not learner.certificate(n - 1).holds
    certificate = learner.certificate(n)
    assert certificate.holds
    assert certificate.unit == "users"
    assert recheck(certificate.to_dict()) == ()
    assert learner.certificate(2 * n).holds
    assert not learner.certificate(1).holds
    if method == "user-level":
        assert any("samples_per_user" in a for a in certificate.assumptions)


@pytest.mark.more
def test_large_and_small_parameters():
    for epsilon, alpha, beta in ((1e-9, 0.1, 0.05), (1e6, 0.1, 0.05), (1, 0.999, "1e-300"),
                                 (1, 1e-6, 0.999)):  # fmt: skip
        budget = {"epsilon": epsilon, "alpha": alpha, "beta": beta}
        for method in ("one-record", "group-privacy", "user-level"):
            learner = made(ls.Thresholds(1, 9), 4, method, **budget)
            if (method, alpha) == ("user-level", 1e-6):
                with pytest.raises(UnsupportedError, match="larger alpha"):
                    learner.required_samples()
                continue
            n = learner.required_samples()
            assert learner.certificate(n).holds
            users = users_of([((2, 0), (7, 1))] * 9 + [()])
            learner.draw(users, SeededSource(0))


def test_one_hypothesis_and_one_record():
    only = made(ls.theory.FiniteClass([[0, 1]]), 1)
    assert only.required_samples() == 1
    assert made(ls.theory.FiniteClass([[0, 1]]), 4, "user-level").certificate(10**6).holds


@pytest.mark.more
def test_classes_without_a_short_list():
    vast = ls.Intervals(1, 2**64)
    assert made(vast).plan.method == "group-privacy"
    with pytest.raises(UnsupportedError, match="group-privacy"):
        made(vast, method="user-level").required_samples()
    assert made(ls.SparseSets(2), 16).plan.method == "user-level"
    # hashed: at most 2**20 hypotheses
    sparse = made(ls.SparseSets(1), 4, "user-level", alpha=0.3, epsilon=4)
    users = users_of([((2, 1), (7, 0), (9, 0))] * 200)
    hypothesis = sparse.draw(users, SeededSource(0))
    assert hypothesis.predict(np.array([2, 7, 9])).tolist() == [1, 0, 0]


# --- the bounds of clipped errors, exactly ------------------------------------------------------


def test_patterns_of_users_exactly():
    """E sup over bad h of e**(-l sum of clipped errors), over all samples, against its bound.

    Two points with noisy labels, all thresholds; the bound is 2 growth((r+1)nm) e**((m-1)/(2r))
    (E e**(-l clipped Bin(m, p)))**n with p = floor(r n m q)/((r+1) n m).
    """
    n, m = 3, 2
    law = np.array([0.35, 0.15, 0.1, 0.4])  # (point 1, label 0), (1, 1), (2, 0), (2, 1)
    wrong = np.array([[1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1]])  # u = 0, 1, 2
    errors = wrong @ law
    samples = np.array(list(product(range(4), repeat=n * m)))
    chance = law[samples].prod(axis=1)
    for q in (0.3, 0.5):
        bad = errors >= q
        assert bad.any()
        mistakes = wrong[bad][:, samples].reshape(bad.sum(), -1, n, m).sum(axis=-1)
        for t, width, tilt in ((0, 1, 1.0), (1, 1, 0.5), (0, 2, 1.0)):
            score = np.clip(mistakes - t, 0, width).sum(axis=-1)
            expected = (chance * np.exp(-tilt * score.min(axis=0))).sum()
            for r in (5, 200):
                p = int(r * n * m * q) / ((r + 1) * n * m)
                k = np.arange(m + 1)
                moment = (binom.pmf(k, m, p) * np.exp(-tilt * np.clip(k - t, 0, width))).sum()
                many = 2 * ((r + 1) * n * m + 1) * exp((m - 1) / (2 * r))
                assert expected <= many * moment**n


def test_a_block_without_replacement_is_hardly_likelier():
    """Hypergeometric chances are at most e**(m(m-1)/(2(M-m))) times the binomial ones."""
    for whole, m in ((40, 4), (400, 16)):
        for ones in range(0, whole + 1, whole // 8):
            for k in range(m + 1):
                if k > ones or m - k > whole - ones:
                    continue
                exact = comb(ones, k) * comb(whole - ones, m - k) / comb(whole, m)
                ratio = exact / binom.pmf(k, m, ones / whole)
                assert ratio <= exp(m * (m - 1) / (2 * (whole - m))) * (1 + 1e-9)


def exact_failure(plan, n, error, excess, m):
    """Return the exact failure for one bad hypothesis that errs where the best one does not.

    All draws are exponential mechanisms, so given the users' scores the probability is explicit;
    users are simulated by their exact law: the two scores of each start are sums over users.
    """
    rng, trials = np.random.default_rng(3), 2000
    best = rng.binomial(m, error, size=(trials, n))
    wrong = error + excess
    apart = min(1.0, wrong / (1 - error))
    both = max(0.0, wrong - (1 - error)) / error
    bad = rng.binomial(m - best, apart) + rng.binomial(best, both)
    failures = np.zeros(trials)
    scores = [
        np.stack([np.clip(k - t, 0, plan.width).sum(axis=1) for k in (best, bad)])
        for t in plan.starts
    ]
    least = [score.min(axis=0) for score in scores]
    aim, width = float(plan.level) * n * plan.width, plan.width
    before = [*[np.full(trials, n * width)] * plan.lag, *least[: -plan.lag]]
    margins = np.array([np.minimum(aim - a, b - aim) for a, b in zip(least, before, strict=True)])
    margins[-1] = before[-1] - aim
    weights = float(plan.epsilon_search) / (2 * width) * margins
    weights = np.exp(weights - weights.max(axis=0))
    weights /= weights.sum(axis=0)
    for chance, (good, other) in zip(weights, scores, strict=True):
        gain = float(plan.epsilon_choice) / (2 * width) * (other - good)
        failures += chance / (1 + np.exp(gain))
    return failures.mean()


@pytest.mark.first(1)
@pytest.mark.parametrize("m", [4, 16, 64])
@pytest.mark.parametrize("error", [0.02, 0.2, 0.45, 0.7])
def test_certified_failures_are_above_the_true_ones(m, error):
    """With one bad hypothesis among two: at a half, the whole, and twice what is certified."""
    cls = ls.theory.FiniteClass([[0], [1]])
    plan = made(cls, m, "user-level").plan.chosen
    far = tuple(range(0, m, max(m // 7, 1)))
    late = replace(plan, width=1, starts=far, lag=2, sure=F(1, 10))
    patterns = replace(late, representation=Large(cls.representation()), vc_dim=1)
    for one in (plan, late, patterns):
        for n in (plan.required // 2, plan.required, 2 * plan.required):
            true = exact_failure(one, n, error, 0.1, m)
            assert true <= one.certificate(n)["failure"] + 0.002


@dataclass(frozen=True)
class Large:
    """Two hypotheses that are counted as very many: then a union over patterns is cheaper."""

    inner: Representation
    size = 2**200
    alpha = beta = F(0)


@pytest.mark.more
@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("exponent", "m", "epsilon", "lag"), [(200, 64, F(1, 4), 1), (15, 1024, 1, 2)]
)
def test_bounds_of_starts_that_are_wrong_are_in_the_certificate(exponent, m, epsilon, lag):
    """A start that is too early costs patterns, not ln|H|; a margin that is surely there counts."""
    learner = made(ls.Thresholds(1, 2**exponent), m, "user-level", epsilon=epsilon)
    plan = learner.plan.chosen
    certificate = plan.certificate(plan.required)
    assert recheck(certificate.to_dict()) == ()
    names = {step.name for step in certificate.steps}
    assert plan.lag == lag
    assert any(name.endswith("_every") for name in names)
    assert ("right" in names) == (lag == 2)


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


def drawn(way, errors, n, source):
    """Return the hypothesis that a plan chooses from these errors."""
    rate = way.epsilon_choice / (2 * way.width)
    return errors.draw(way.locate(errors, n, source), rate, source, width=way.width)


@pytest.mark.first(1)
@pytest.mark.parametrize("error", [0.0, 0.45, 0.7])
@pytest.mark.parametrize(("m", "bad"), [(16, 1), (64, 40)])
def test_failures_at_the_required_number(error, m, bad):
    cls = ls.theory.FiniteClass(np.tri(bad + 1, bad, k=-1, dtype=int))
    way = made(cls, m, "user-level").plan.chosen
    n, rng, failures, trials = way.required, np.random.default_rng(bad), 0, 400
    source = SeededSource(1)
    for _ in range(trials):
        errors = Typed(opposed(m, error, 0.1001, n, bad, rng), np.ones(n, dtype=np.int64))
        failures += drawn(way, errors, n, source) != 0
    assert upper_bound(failures, trials) <= 0.05


@pytest.mark.first(1)
@pytest.mark.parametrize("held", ["nothing", "mistakes"])
def test_some_users_may_have_fewer_records(held):
    """k short users: beta e**(-k epsilon) in the certificate gives beta (users.md)."""
    m, k, trials, failures = 16, 2, 400, 0
    cls, rng, source = ls.theory.FiniteClass([[0], [1]]), np.random.default_rng(5), SeededSource(3)
    way = made(cls, m, "user-level", beta=0.05 * exp(-k)).plan.chosen
    n = way.required
    assert n > made(cls, m, "user-level").required_samples()
    for _ in range(trials):
        mistakes = opposed(m, 0.45, 0.1001, n, 1, rng)
        # without records nobody errs; at worst a short user's few are all against the best one
        mistakes[:, :k] = 0 if held == "nothing" else [[m - 1] * k, [0] * k]
        errors = Typed(mistakes, np.ones(n, dtype=np.int64))
        failures += drawn(way, errors, n, source) != 0
    assert upper_bound(failures, trials) <= 0.05


def test_a_million_users_cost_nothing_as_types():
    """epsilon so small that 10**6 users are needed: multinomial counts of a few user types."""
    m = 4
    cls = ls.theory.FiniteClass([[0], [1]])
    way = made(cls, m, "user-level", epsilon=0.0001, alpha=0.3).plan.chosen
    n = way.required
    assert n > 10**5
    types = [(a, b) for a, b in product(range(m + 1), repeat=2) if a + b == m]
    law = np.array([binom.pmf(a, m, 0.35) for a, _ in types])
    rng, source, failures, trials = np.random.default_rng(0), SeededSource(2), 0, 400
    for _ in range(trials):
        errors = Typed(np.array(types).T, rng.multinomial(n, law / law.sum()))
        failures += drawn(way, errors, n, source) != 0
    # with so little privacy to spend the bound is attained: exactly 1/21 instead of 1/20
    assert (
        beta_law.ppf(0.01, failures, trials - failures + 1)
        <= 1 / 21
        <= upper_bound(failures, trials)
    )


# -- what the parts of a user-level learner cost adds up to its epsilon, whatever the plan is ------


BUDGETS = [(F(1), "0.3", "0.2"), (F(1, 10), "0.1", "0.05"), (F(7), "0.9", "0.5")]


@pytest.mark.first(4)
@pytest.mark.parametrize(("epsilon", "alpha", "beta"), BUDGETS)
@pytest.mark.parametrize("m", [2, 4, 64])
def test_a_window_and_a_choice(m, epsilon, alpha, beta):
    learner = UserAgnostic(
        ls.Thresholds(1, 99), epsilon=epsilon, alpha=alpha, beta=beta, samples_per_user=m,
        method="user-level",
    )  # fmt: skip
    clipped = learner.plan.chosen
    assert clipped.epsilon_search + clipped.epsilon_choice == epsilon
    assert (clipped.epsilon_search == 0) == (len(clipped.starts) == 1)
    # a window and a hypothesis (unless there is one only): a level and a place each
    source = ReplaySource([0] * 100)
    users = users_of([((1, 0), (2, 1)), ((2, 0),)])
    clipped.choose(users, source)
    assert len(source.presented) <= 4


@pytest.mark.first(1)
@pytest.mark.parametrize("m", [1, 4])
def test_group_privacy_over_a_hashed_class_is_certified_at_epsilon_over_m(m):
    """Claim `users.group-privacy.records`: n users with m records are n m single records."""
    asked = {"epsilon": F(1), "alpha": "0.2", "beta": "0.1"}
    learner = UserAgnostic(ls.Points(), method="group-privacy", samples_per_user=m, **asked)
    records = registry.make("agnostic", ls.Points(), **(asked | {"epsilon": F(1, m)}))
    assert learner.required_samples() == -(-records.required_samples() // m)
    assert learner.certificate(learner.required_samples()).holds
    assert not learner.certificate(learner.required_samples() - 1).holds


def test_a_tiny_epsilon_leaves_the_methods_that_can_be_planned():
    learner = ls.UserAgnosticLearner(ls.Thresholds(1, 99), epsilon="1e-300", samples_per_user=3)
    assert feasible(learner).ok
    learner.set_params(method="user-level")
    assert not feasible(learner).ok


# -- Exact separations beside brute force over all t, and beside the paper's bound -----------------


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
    assert gap(1, 0.25, 0.75, 0) == 0.5


@pytest.mark.first(2)
@pytest.mark.parametrize("m", [1, 3, 16, 40])
def test_within_an_interval_against_all_t_and_a_fine_grid(m):
    rng = np.random.default_rng(m)
    for low, width, excess in rng.random((40, 3)) * [1, 0.3, 0.3] + [0, 0, 0.01]:
        high = min(1.0, low + width)
        if low >= 1 - excess:
            continue
        t, least = separate_within(m, low, high, excess)
        inside = np.linspace(low, min(high, 1 - excess), 41)
        worst = [(gap(m, inside, inside + excess, s)).min() for s in range(m)]
        assert least == pytest.approx(max(worst), abs=1e-9)  # the worst point is an end
        assert worst[t] == pytest.approx(max(worst), abs=1e-9)


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


# -- The scikit-learn shells: records come with users; errors say what to do -----------------------

THRESHOLDS = ls.Thresholds(1, 99)
X = [10, 70, 20, 90] * 100
Y = [0, 1, 0, 1] * 100
USERS = [i // 4 for i in range(400)]
BOTH = ["auto", "user-level"]


def shell_made(method="auto", **more):
    given = {"epsilon": 8.0, "samples_per_user": 4, "random_state": 0, "method": method}
    return ls.UserAgnosticLearner(THRESHOLDS, **(given | more))


@pytest.mark.parametrize("method", BOTH)
def test_fit_and_predict(method):
    fitted = shell_made(method).fit(X, Y, groups=USERS)
    assert set(fitted.predict([1, 50, 99]).tolist()) <= {0, 1}
    assert fitted.guarantee_.neighbours.unit == "user"
    assert fitted.certificate_.unit == "users"
    assert fitted.certificate_.n == 100
    assert fitted.certificate(fitted.required_samples()).holds
    assert clone(fitted).get_params() == fitted.get_params()
    names = np.array([f"u{i}" for i in USERS])
    again = shell_made(method).fit(np.array(X)[:, None], np.array(Y), groups=names)
    assert again.hypothesis_ is not None


def test_learns_what_it_can():
    agnostic = shell_made().fit(X, Y, groups=USERS)
    assert agnostic.predict([10, 20, 70, 90]).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("method", BOTH)
def test_nothing_private_stays_behind(method):
    fitted = shell_made(method).fit(X, Y, groups=[f"secret{u}" for u in USERS])
    carried = {name for name in vars(fitted) if name.endswith("_") or name.startswith("_")}
    assert carried == {
        "release_",
        "hypothesis_",
        "guarantee_",
        "certificate_",
        "classes_",
        "n_features_in_",
    }
    assert b"secret" not in pickle.dumps(fitted)


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (None, "groups=users"),
        ([float(u) for u in USERS], "floats"),
        (np.array(USERS) / 2, "floats"),
        ([None, *USERS[1:]], "named"),
        (["", *USERS[1:]], "named"),
        ([[u, u] for u in USERS], "one user for each record"),
        (USERS[1:], "groups"),
    ],
    ids=["none", "floats", "array of floats", "missing", "empty", "two columns", "too few"],
)
def test_bad_users(method, groups, message):
    estimator = shell_made(method)
    with pytest.raises((DataError, ParameterError), match=message):
        estimator.fit(X, Y, groups=groups)
    assert not hasattr(estimator, "hypothesis_")
    assert "_groups" not in vars(estimator)


def test_a_list_of_users_is_read_name_by_name():
    """NumPy makes doubles of integers with one beyond 2**63: they are still integers."""
    many = [*USERS[1:], 2**63]
    names = shell_made("one-record").fit(X, Y, groups=many).release_.n
    assert names == shell_made("one-record").fit(X, Y, groups=[*USERS[1:], "u"]).release_.n


def test_too_few_users_and_unknown_methods():
    few = shell_made(epsilon=1.0).fit(X[:4], Y[:4], groups=[1, 1, 2, 2])
    assert not few.certificate_.holds
    assert few.required_samples() > 2
    with pytest.raises(ParameterError, match="'method' parameter"):
        shell_made(method="magic").required_samples()
    with pytest.raises(ParameterError, match="'n' parameter"):
        shell_made().certificate(0)
    with pytest.raises(DataError, match="public classes"):
        shell_made().fit(X, ["no"] * 400, groups=USERS)


def test_registry():
    with pytest.raises(ParameterError, match="samples_per_user"):
        registry.make("users", THRESHOLDS, epsilon=1)
    with pytest.raises(ParameterError, match="samples_per_user"):
        registry.make("agnostic", THRESHOLDS, epsilon=1, samples_per_user=4)
    with pytest.raises(ParameterError, match="delta"):
        registry.make("users", THRESHOLDS, epsilon=1, delta=1e-6, samples_per_user=4)
    assert select.make("auto", THRESHOLDS, epsilon=1).unit == "records"
    users = select.make("auto", THRESHOLDS, epsilon=1, samples_per_user=4)
    assert (users.unit, users.name) == ("users", "users")


def test_a_release_speaks_of_users():
    users = ls.data.UserSample.of(USERS, X, Y)
    learner = registry.make("users", THRESHOLDS, epsilon=8, samples_per_user=4)
    release = run(learner, users, SeededSource(0), evaluate=4)
    assert release.n == 100
    assert release.guarantee.epsilon == 8
    assert release.guarantee.neighbours.unit == "user"
    assert release.evaluation.n == 100
    assert release.quality.error.low <= 0.05
    again = Release.from_dict(release.to_dict())
    assert again.to_json() == release.to_json()
    assert "100 users" in page(release)
    assert "One record is protected" not in page(release)


@pytest.mark.more
def test_never_above_what_version_0_1_0_asked_for():
    """Its searches on a grid were best with many records of each user and little epsilon."""
    assert made(m=1024, method="user-level", epsilon=F(1, 10)).required_samples() <= 888


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("exponent", "epsilon", "alpha", "m", "most"),
    [(20, 1, F(1, 10), 16, 290), (20, 1, F(1, 10), 64, 150), (20, 1, F(1, 10), 256, 120),
     (256, 4, F(1, 20), 4, 5_400), (4096, 20, F(1, 20), 16, 3_750)],
)  # fmt: skip
def test_sizes_that_were_promised(exponent, epsilon, alpha, m, most):
    learner = made(ls.Thresholds(1, 2**exponent), m, epsilon=epsilon, alpha=alpha)
    assert learner.required_samples() <= most
    assert learner.certificate(most).holds


@pytest.mark.more
@pytest.mark.parametrize(("method", "m"), [("group-privacy", 4), ("user-level", 64)])
def test_learning_from_records_at_the_required_number(method, m):
    cls = ls.Thresholds(1, 1000)
    learner = made(cls, m, method)
    n, rng = learner.required_samples(), np.random.default_rng(3)
    for seed in range(6):
        points = rng.integers(1, 1001, n * m)
        labels = (points > 400) ^ (rng.random(n * m) < 0.2)
        who = np.repeat(np.arange(n), m).tolist()
        users = ls.data.UserSample.of(who, points, labels.astype(int))
        above = learner.draw(users, SeededSource(seed)).above
        assert 0.6 * abs(above - 400) / 1000 <= 0.1
