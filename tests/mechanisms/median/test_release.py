"""The public function: what it returns, refuses and promises."""

import json
from fractions import Fraction as F

import numpy as np
import pytest

from littlestone.bounds import Certificate, claim, recheck
from littlestone.errors import DataError, ParameterError
from littlestone.mechanisms.median import (
    MedianRelease,
    RankWindow,
    choose,
    plan_median,
    private_median,
)
from littlestone.privacy import Guarantee
from littlestone.source import ReplaySource, SecureSource


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


def test_a_quantile_of_huge_integers():
    values = [2**900 * i for i in range(2000)]
    release = private_median(
        values, 0, 2**1024, epsilon=2, delta=1e-6, rank=(0.85, 0.95), random_state=0
    )
    assert release.mechanism == "tree"
    assert 1700 * 2**900 <= release.value <= 1900 * 2**900


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


def test_a_refused_value_is_not_shown():
    with pytest.raises(DataError) as caught:
        private_median([1, 77.25], 0, 99, epsilon=1)
    assert "77" not in str(caught.value)


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
            assert theirs is None or (theirs - mine).sign() >= 0


@pytest.mark.more
def test_a_million_values():
    values = np.random.default_rng(0).integers(-(2**50), 2**50, 10**6)
    for mechanism in ("exponential", "tree"):
        release = private_median(
            values, -(2**60), 2**60, epsilon=0.1, delta=1e-9, mechanism=mechanism, random_state=0
        )
        assert abs(release.value) < 2**50 / 3


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


def test_rows_of_different_lengths_are_refused():
    with pytest.raises(DataError, match="whole number"):
        private_median([[1], [2, 3]], 0, 9, epsilon=1)
