"""The median: failures at the certified n, and the public function."""

import json
from bisect import bisect_left, bisect_right
from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb, ctx
from scipy import stats

from littlestone.bounds import Certificate, claim, recheck
from littlestone.errors import ParameterError
from littlestone.mechanisms.median import (
    Groups,
    MedianRelease,
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    choose,
    plan_median,
    private_median,
)
from littlestone.papers.yan import PrivateMedian
from littlestone.privacy import Guarantee
from littlestone.source import ReplaySource, SecureSource, SeededSource

# -- Failure of the rank window at the certified n: exactly where possible, on worst-case inputs ---

BETA = F(1, 20)
WINDOWS = [RankWindow.of(r) for r in [(0, 1), (F(1, 3), F(2, 3)), (F(17, 20), F(19, 20))]]


def families(n, size, window):
    """Inputs that are hard for A, for B, or for both."""
    left, right = window.needs(n)
    low, high = min(left - 1, n), min(right - 1, n)
    mid = size // 2
    rest = n - low - high
    top = size - 1
    rng = np.random.default_rng(n)
    inputs = {
        "all equal": [mid] * n,
        "all at the low end": [0] * n,
        "two adjacent points": [mid - 1] * (n // 2) + [mid] * (n - n // 2),
        # only the two points in the middle are in the window; all others miss it by one record
        "far ends, two points": [0] * low + [mid] * (rest // 2) + [mid + 1] * (rest - rest // 2)
        + [top] * high,
        "clusters at both ends": [i % 5 for i in range(n // 2)]
        + [top - i % 5 for i in range(n - n // 2)],
        # each node on one path splits off few records
        "powers of two": [min(2 ** (i % max(1, top.bit_length())), top) for i in range(n)],
        "a chain toward the middle": [
            min(top, max(0, mid + (-1) ** i * 2 ** (i % max(1, top.bit_length() - 1))))
            for i in range(n)
        ],
        "uniform": [int.from_bytes(rng.bytes(200), "little") % size for _ in range(n)],
    }  # fmt: skip
    return {name: sorted(min(x, top) for x in data) for name, data in inputs.items()}


def in_window(data, z, window):
    """Whether enough of the (sorted) data lie on both sides of z."""
    left, right = window.needs(len(data))
    return bisect_right(data, z) >= left and len(data) - bisect_left(data, z) >= right


def mass(scores, rate, picks):
    """Return the total weight of some (run, how many of it)."""
    return sum(((rate * int(scores[i])).exp() * k for i, k in picks), arb(0))


def exact_failure_of_a(mechanism, data, size):
    """Enclose Pr[released point is outside the window], by the definition of rank."""
    values = Ordered.of(data, size)
    runs = mechanism.runs(values)
    with ctx.workprec(256):
        rate = arb(1) * mechanism.rate.numerator / mechanism.rate.denominator
        bad, total, at = [], [], 0
        for i, length in enumerate(runs.lengths):
            if length:
                total.append((i, int(length)))
                if not in_window(data, at, mechanism.window):  # all of a run have equal ranks
                    bad.append((i, int(length)))
            at += int(length)
        assert at == size
        return mass(runs.scores, rate, bad) / mass(runs.scores, rate, total)


def exact_failure_of_b(mechanism, data, size):
    values = Ordered.of(data, size)
    groups = Groups.of(values, mechanism.height)
    scores = mechanism.scores(groups, values.n)
    with ctx.workprec(256):
        rate = arb(1) * mechanism.rate.numerator / mechanism.rate.denominator
        good, total, known = [], [], {}
        for group, count in enumerate(groups.sizes.tolist()):
            hits = 0
            for place in range(count):
                z = min(groups.release(group, place), size - 1)
                if z not in known:
                    known[z] = in_window(data, z, mechanism.window)
                hits += known[z]
            good.append((group, hits))
            total.append((group, count))
        bottom = mechanism.bottom.enclose(256)
        return 1 - mass(scores, rate, good) / (mass(scores, rate, total) + bottom)


@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("size", [2, 1000, 2**10, 2**64])
def test_exponential_fails_at_most_beta_exactly(window, size):
    mechanism = RankExponential(size, window, F(1))
    n = mechanism.least_n(BETA)
    bound = mechanism.certificate(n, BETA)["failure"]
    for name, data in families(n, size, window).items():
        failure = exact_failure_of_a(mechanism, data, size)
        assert failure <= min(float(BETA), bound * (1 + 1e-12)), name
        if name == "far ends, two points" and size > 2:
            assert failure > 0.3 * bound, "the certificate is nearly tight"


@pytest.mark.first(7)
@pytest.mark.parametrize("window", WINDOWS, ids=str)
@pytest.mark.parametrize("size", [2, 1000, 2**32])
def test_tree_fails_at_most_beta_exactly(window, size):
    mechanism = TreeEM((size - 1).bit_length(), window, F(1), F(1, 10**4))
    n = mechanism.least_n(BETA)
    bound = mechanism.certificate(n, BETA)["failure"]
    for name, data in families(n, size, window).items():
        failure = exact_failure_of_b(mechanism, data, size)
        assert failure <= min(float(BETA), bound * (1 + 1e-12)), name


def test_a_window_that_is_not_paid_for_is_missed():
    """The check has power: at a quarter of the certified n the worst case fails often."""
    window = WINDOWS[0]
    a, b = RankExponential(2**64, window, F(1)), TreeEM(32, window, F(1), F(1, 10**4))
    n = a.least_n(BETA) // 4
    data = families(n, 2**64, window)["far ends, two points"]
    assert exact_failure_of_a(a, data, 2**64) > 0.5
    n = b.least_n(BETA) // 4
    assert exact_failure_of_b(b, families(n, 2**32, window)["all equal"], 2**32) > 0.5


def upper_bound(failures, runs):
    """Clopper-Pearson, 99%."""
    return float(stats.beta.ppf(0.99, failures + 1, runs - failures))


@pytest.mark.more
@pytest.mark.parametrize("name", ["all equal", "far ends, two points", "powers of two"])
def test_private_median_fails_at_most_beta(name):
    size, window, runs = 2**32, WINDOWS[0], 150
    mechanism = PrivateMedian(size, F(1), F(1, 10**4), BETA, window.alpha)
    n = mechanism.required_samples()
    data = families(n, size, window)[name]
    values = Ordered.of(data, size)
    failures = 0
    for seed in range(runs):
        z = mechanism.draw(values, SeededSource(seed))
        failures += z is None or not in_window(data, z, window)
    assert upper_bound(failures, runs) <= BETA


@pytest.mark.full
@pytest.mark.parametrize("window", WINDOWS[:2], ids=str)
@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("bits", [10, 64, 1024])
def test_private_median_fails_at_most_beta_on_larger_domains(window, levels, bits):
    size, runs = 2**bits, 300
    mechanism = PrivateMedian(size, F(1), F(1, 10**6), BETA, window.alpha, levels)
    n = mechanism.required_samples()
    for name, data in families(n, size, window).items():
        values = Ordered.of(data, size)
        failures = 0
        for seed in range(runs):
            z = mechanism.draw(values, SeededSource(seed))
            failures += z is None or not in_window(data, z, window)
        assert upper_bound(failures, runs) <= BETA, name


# ------------------------------------------------------------------------------ certificates


def mechanisms(window):
    yield RankExponential(2**40, window, F(1))
    yield RankExponential(3, window, F(1, 10))
    yield TreeEM(40, window, F(1), F(1, 10**6))
    yield TreeEM(2, window, F(3), F(1, 2))
    yield TreeEM(0, window, F(1), F(1, 10))
    yield RankExponential(1, window, F(1))


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_the_least_n_is_where_the_certificate_holds_for_good(window):
    for mechanism in mechanisms(window):
        n = mechanism.least_n(BETA)
        assert n == 1 or not mechanism.certificate(n - 1, BETA).holds
        for more in [*range(12), 100, 101, 997]:
            assert mechanism.certificate(n + more, BETA).holds, (mechanism, n + more)
        assert not mechanism.certificate(0, BETA).holds


def test_certificates_can_be_computed_again():
    for window in WINDOWS:
        for mechanism in mechanisms(window):
            for n in (1, 40, mechanism.least_n(BETA)):
                certificate = mechanism.certificate(n, BETA)
                assert recheck(certificate.to_dict()) == ()
                assert certificate.alpha == window.alpha


# ------------------------------------------------------------------------------ windows


def test_a_float_stands_for_its_simple_fraction():
    assert RankWindow.of((1 / 3, 2 / 3)) == RankWindow.of(("1/3", "2/3"))
    assert RankWindow.of((0.1, 1)).needs(30) == (3, 1)
    assert RankWindow.of((0.0, 1.0)) == RankWindow.of((0, 1))
    assert RankWindow.of((2**-40, 1)).low == F(repr(2.0**-40))


@pytest.mark.parametrize(
    "rank", [(0.5, 0.5), (0.6, 0.4), (-0.1, 1), (0, 1.1), 3, (1,), "ab", (0, None)]
)
def test_windows_are_checked(rank):
    with pytest.raises(ParameterError, match="The 'rank' parameter of private_median must be"):
        RankWindow.of(rank)


def test_the_least_n_of_a_slack_is_least_and_lasting():
    for window in [*WINDOWS, RankWindow.of((F(2, 7), F(3, 10)))]:
        for slack in (-1, 0, 1, 5, 17):
            n = window.least_n(slack)
            assert n == 1 or window.slack(n - 1) < slack
            assert all(window.slack(m) >= slack for m in range(n, n + 400))


# -- The public function: what it returns, refuses and promises ------------------------------------


def test_a_release_holds_public_things_only():
    release = private_median(range(1000), 0, 999, epsilon=0.5, random_state=3)
    assert isinstance(release, MedianRelease)
    assert 333 <= release.value <= 666
    document = json.loads(json.dumps(release.to_dict()))
    assert set(document) == {"value", "guarantee", "certificate", "mechanism"}
    assert Guarantee.from_dict(document["guarantee"]) == release.guarantee
    assert Certificate.from_dict(document["certificate"]) == release.certificate
    assert recheck(release.certificate) == ()
    assert "NOT PRIVATE (seeded)" in str(release)
    assert str(private_median([1] * 50, 0, 9, epsilon=1, random_state=SecureSource())).startswith(
        ("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
    )


def test_the_certificate_does_not_see_the_values():
    one = private_median([5] * 300, 0, 2**64, epsilon=1, delta=1e-6, random_state=0)
    two = private_median(range(300), 0, 2**64, epsilon=1, delta=1e-6, random_state=0)
    assert (one.certificate, one.guarantee) == (two.certificate, two.guarantee)


@pytest.mark.parametrize(
    ("mechanism", "delta", "claimed"),
    [("auto", 0, 0), ("exponential", 1e-6, 0), ("tree", 1e-6, F(1, 10**6))],
)  # fmt: skip
def test_the_guarantee_is_that_of_the_mechanism(mechanism, delta, claimed):
    release = private_median(
        [3] * 700, -4, 4, epsilon=F(1, 3), delta=delta, mechanism=mechanism, random_state=1
    )
    assert (release.guarantee.epsilon, release.guarantee.delta) == (F(1, 3), claimed)
    assert claim(release.guarantee.claim).paper
    assert release.value is None or -4 <= release.value <= 4


def test_without_a_seed_the_release_is_private():
    release = private_median([1, 2, 3] * 30, 0, 9, epsilon=1)
    assert not release.guarantee.seeded
    assert 0 <= release.value <= 9


def test_bottom_is_none():
    release = private_median([7] * 2, 0, 2**70, epsilon=1, delta=1e-6, mechanism="tree",
                             random_state=ReplaySource([0]))  # fmt: skip
    assert release.value is None
    assert not release.certificate.holds


@pytest.mark.parametrize("values", [[], [5], [2**3000, -(2**3000)]])
@pytest.mark.parametrize("mechanism", ["exponential", "tree"])
@pytest.mark.parametrize(("low", "high"), [(7, 7), (-1, 0), (-(2**1030), 2**1030)])
def test_any_records_on_any_domain(values, mechanism, low, high):
    release = private_median(
        values, low, high, epsilon=1, delta=1e-6, mechanism=mechanism, random_state=0
    )
    assert release.value is None or low <= release.value <= high
    assert release.certificate.holds is (low == high and bool(values))


@pytest.mark.parametrize(
    "change",
    [
        {"epsilon": 0}, {"epsilon": "x"}, {"delta": 1}, {"delta": -1e-9}, {"high": -1},
        {"low": 0.5}, {"rank": (1, 0)}, {"beta": 0}, {"mechanism": "laplace"},
        {"mechanism": "tree", "delta": 0}, {"random_state": "x"}, {"random_state": -1},
    ],
    ids=str,
)  # fmt: skip
def test_public_arguments_are_checked_before_anything_is_drawn(change):
    source = ReplaySource([])
    arguments = {"low": 0, "high": 9, "epsilon": 1, "delta": 1e-6, "random_state": source, **change}
    with pytest.raises(ParameterError, match="parameter of private_median must be"):
        private_median([1, 2], **arguments)
    assert source.presented == []


def test_the_plan_names_the_cheaper_mechanism():
    narrow, deep = (plan_median(0, 2**k - 1, epsilon=1, delta=1e-6, rank=(0, 1)) for k in (40, 42))
    assert (narrow.best, deep.best) == ("exponential", "tree")
    assert (narrow.n, deep.n) == (narrow.exponential, deep.tree)
    assert plan_median(0, 9, epsilon=1).best == "exponential"


def test_the_choice_for_a_given_n_has_the_smaller_certified_failure():
    window = RankWindow.of((F(1, 3), F(2, 3)))
    for bits in (8, 30, 44, 60, 300):
        for n in (5, 100, 300, 5000):
            chosen = choose(2**bits, n, window, F(1), F(1, 10**6))
            other = {"tree": "exponential", "exponential": "tree"}[chosen.name]
            rival = choose(2**bits, n, window, F(1), F(1, 10**6), name=other)
            mine, theirs = (m.odds(n) for m in (chosen, rival))
            assert (theirs - mine).sign() >= 0


def test_huge_releases_can_be_written_and_read():
    high = 2 ** (2**16)
    release = private_median([high] * 300, 0, high, epsilon=1, delta=1e-6, random_state=0)
    assert release.value == high
    document = json.loads(json.dumps(release.to_dict()))
    assert document["value"] == "2**65536"
    assert recheck(Certificate.from_dict(document["certificate"])) == ()
    assert str(release).startswith("2**65536 (")
    with pytest.raises(ParameterError, match="must be at least low"):
        private_median([1], high, high - 10**9 * 2**60, epsilon=1)


def test_the_published_table():
    """Design notes of this library: certified n at epsilon 1, delta 1e-6, beta 0.05."""
    wide = RankWindow.of((F(1, 6), F(5, 6)))
    a = {10: (39, 57), 32: (101, 149), 64: (189, 281), 1024: (2851, 4275), 2**16: (181717, 272573)}
    b = {10: (118, 176), 32: (124, 184), 64: (127, 189), 1024: (145, 215), 2**16: (169, 251)}
    for bits in a:
        for window, i in ((WINDOWS[0], 0), (wide, 1)):
            assert RankExponential(2**bits, window, F(1)).least_n(BETA) == a[bits][i]
            assert TreeEM(bits, window, F(1), F(1, 10**6)).least_n(BETA) == b[bits][i]


def test_a_quantile_of_huge_integers():
    values = [2**900 * i for i in range(2000)]
    release = private_median(
        values, 0, 2**1024, epsilon=2, delta=1e-6, rank=(0.85, 0.95), random_state=0
    )
    assert release.mechanism == "tree"
    assert 1700 * 2**900 <= release.value <= 1900 * 2**900
