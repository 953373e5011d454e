"""The sources of bits: secure ones are never reused, seeded ones are reproducible, all fair."""

from __future__ import annotations

import copy
import os
import pickle
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from littlestone.errors import ParameterError
from littlestone.source import (
    Explicit,
    ExplicitWeights,
    LeveledChoice,
    LevelWeights,
    SecureSource,
    SeededSource,
    Source,
    exp,
    probabilities,
)


def test_a_secure_source_cannot_be_copied():
    source = SecureSource()
    for attempt in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            attempt(source)
    assert not source.seeded


def test_a_forked_child_draws_its_own_bits():
    source = SecureSource()
    source.below(2**64)  # the buffer is full of bits that parent and child now share
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the test runner has threads
        child = os.fork()
    if child == 0:
        os.write(write, source.below(2**256).to_bytes(32, "little"))
        os._exit(0)
    os.close(write)
    theirs = os.read(read, 32)
    os.close(read)
    os.waitpid(child, 0)
    assert len(theirs) == 32
    assert source.below(2**256).to_bytes(32, "little") != theirs


def test_threads_never_share_bits():
    source, interval = SecureSource(), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            draws = [
                pool.submit(lambda: [source.below(2**64) for _ in range(4000)]) for _ in range(8)
            ]
            values = [v for draw in draws for v in draw.result()]
    finally:
        sys.setswitchinterval(interval)
    assert len(set(values)) == len(values), "equal 64-bit draws happen by chance once in 10**10"


def test_large_secure_requests():
    assert SecureSource().below(2**100_000).bit_length() > 99_000
    order = SecureSource().permutation(5000)
    assert sorted(order.tolist()) == list(range(5000))
    a, b = (SecureSource().public_rng().integers(2**62) for _ in range(2))
    assert a != b


GOLDEN_COINS = [0, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1]
GOLDEN_LEVELS = [0, 1, 1, 0, 2, 2, 2, 2, 2, 2, 2, 1]
GOLDEN_BELOW = [71342064856833306048, 66937167839120144587, 94524501865758195738]
GOLDEN_PERMUTATION = [0, 4, 1, 2, 5, 6, 3, 7]
GOLDEN_PUBLIC = [677507, 276172]


def test_seeded_golden_values():
    """Pinned: a change of these changes every seeded experiment (say so in the changelog)."""
    source = SeededSource(2024)
    coin = ExplicitWeights(1, exp(1), F(1, 2))
    assert [source.choose(coin) for _ in range(12)] == GOLDEN_COINS
    assert [
        source.choose(LevelWeights([1, 10, 100], [9, 5, 1], F(1, 2))) for _ in range(12)
    ] == GOLDEN_LEVELS
    assert [source.below(10**20) for _ in range(3)] == GOLDEN_BELOW
    assert source.permutation(8).tolist() == GOLDEN_PERMUTATION
    assert [int(source.public_rng().integers(10**6)) for _ in range(2)] == GOLDEN_PUBLIC
    assert source.seeded


@pytest.mark.parametrize("k", [0, 1, 3, 4, 15, 16, 17, 100])
def test_seeded_bytes_do_not_depend_on_the_pieces(k, monkeypatch):
    whole = [SeededSource(5)._bytes(k), SeededSource(5)._bytes(2**6 * k)]
    monkeypatch.setattr("littlestone.source.sources._PIECE", 16)
    assert whole == [SeededSource(5)._bytes(k), SeededSource(5)._bytes(2**6 * k)]


@pytest.mark.more
def test_there_are_keys_for_permutations_of_many_places():
    """2**25 places need keys of 2**31 bits: more than Python's generator makes at once."""
    assert len(SeededSource(0)._bytes(8 * 2**25)) == 2**28


@pytest.mark.full
def test_a_whole_permutation_of_many_places():
    n = 2**25
    order = SeededSource(0).permutation(n)
    assert np.array_equal(np.sort(order), np.arange(n))


def test_seeds():
    assert SeededSource(1).below(2**200) == SeededSource(1).below(2**200)
    assert SeededSource(1).below(2**200) != SeededSource(2).below(2**200)
    for seed in (-1, 1.5, True):
        with pytest.raises(ParameterError, match="seed"):
            SeededSource(seed)


def test_all_are_sources():
    assert isinstance(SecureSource(), Source)
    assert isinstance(SeededSource(0), Source)


@pytest.mark.first(1)
@pytest.mark.parametrize("n", [3, 4])
def test_permutations_are_uniform(n):
    source, draws = SeededSource(n), 20_000
    frequency = dict.fromkeys(permutations(range(n)), 0)
    for _ in range(draws):
        frequency[tuple(source.permutation(n).tolist())] += 1
    for times in frequency.values():  # Clopper-Pearson, jointly at 10**-3
        interval = stats.binomtest(times, draws).proportion_ci(1 - 1e-3 / len(frequency))
        assert interval.low <= 1 / len(frequency) <= interval.high


@pytest.mark.more
@pytest.mark.parametrize(("n", "first"), [(13, 2), (9, 2), (40, 1)])
def test_first_entries_of_a_permutation_are_uniform(n, first):
    source, draws = SeededSource(n), 20_000
    frequency = dict.fromkeys(permutations(range(n), first), 0)
    for _ in range(draws):
        frequency[tuple(source.permutation(n, first).tolist())] += 1
    for times in frequency.values():  # Clopper-Pearson, jointly at 10**-3
        interval = stats.binomtest(times, draws).proportion_ci(1 - 1e-3 / len(frequency))
        assert interval.low <= 1 / len(frequency) <= interval.high


def test_few_entries_of_long_permutations():
    source = SecureSource()
    for n, first in ((10**7, 1000), (10**7, 0), (2**40, 5000), (5, 5), (1, 0), (0, 0), (100, 24)):
        places = source.permutation(n, first)
        assert places.dtype == np.int64
        assert len(set(places.tolist())) == len(places) == first
        assert all(0 <= place < n for place in places.tolist())
    full = SeededSource(5).permutation(100)
    assert SeededSource(5).permutation(100, 60).tolist() == full[:60].tolist()
    for bad in (-1, 101):
        with pytest.raises(ValueError, match="first"):
            source.permutation(100, bad)


def test_tied_keys_are_drawn_anew(prescribed):
    keys = [7, 3, 7, 9, 1, 5]  # the first three tie; the next three do not
    bits = 0
    for i in range(0, 6, 3):
        bits = (bits << 192) | int.from_bytes(np.array(keys[i : i + 3], "<u8").tobytes(), "little")
    source = prescribed(F(bits, 2**384))
    assert source.permutation(3).tolist() == [1, 2, 0]
    assert source.drawn == 384
    assert prescribed(F(0)).permutation(0).tolist() == []
    assert prescribed(F(0)).permutation(1).tolist() == [0]


ALPHA = 1e-10  # below: fewer than ten comparisons each, so each test fails once in 10**9 runs


def assert_frequencies(counts, chances, draws) -> None:
    assert len(counts) <= 8
    for times, chance in zip(counts, chances, strict=True):
        assert stats.binomtest(int(times), draws, float(chance)).pvalue > ALPHA


@pytest.mark.parametrize(
    ("weights", "draws"),
    [
        (ExplicitWeights(exp(F(1, 3)), 1, exp(-2), 0, 3), 200_000),
        (LevelWeights([1, 50, 2**20], [20, 9, 0], F(3, 4)), 20_000),
    ],
    ids=["few", "levels"],
)
def test_frequencies_of_releases(weights, draws):
    source = SecureSource()
    counts = np.bincount([source.choose(weights) for _ in range(draws)], minlength=len(weights))
    assert_frequencies(counts, probabilities(weights), draws)


@pytest.mark.more
def test_frequencies_of_whole_choices():
    source, draws = SecureSource(), 10_000
    scores = [0, 3, 1, 3, 0, 2]
    exact = np.exp(np.array(scores) / 2.0)
    chosen = [Explicit(scores).draw(F(1, 2), source) for _ in range(draws)]
    assert_frequencies(np.bincount(chosen, minlength=6), exact / exact.sum(), draws)
    runs = LeveledChoice([2, 0], [1, 3], lambda run, place: run + place)
    flat = [runs.draw(F(1, 2), source) for _ in range(draws)]
    assert_frequencies(
        np.bincount(flat, minlength=4), np.array([np.e, 1, 1, 1]) / (np.e + 3), draws
    )


def test_bits_of_a_secure_source_are_fair():
    source, draws = SecureSource(), 200_000
    ones = sum(source.below(2**64).bit_count() for _ in range(draws))
    assert stats.binomtest(ones, 64 * draws).pvalue > ALPHA
