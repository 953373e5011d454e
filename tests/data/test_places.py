"""The first places of a permutation: those of the permutation itself, for the same bits."""

import numpy as np
import pytest

from littlestone.data import stored as places
from littlestone.data.stored import Places, first_places
from littlestone.source import ExactSource, ReplaySource, SeededSource


def listed(found, n):
    return np.flatnonzero(np.diff(found.before(np.arange(n + 1)))).tolist()


@pytest.mark.first(3)
@pytest.mark.parametrize("n", [1, 2, 64, 65, 130])
@pytest.mark.parametrize("room", [1, 40, 1 << 25])
def test_equal_seeds_find_equal_places(n, room, monkeypatch):
    """Also where keys are sorted a few at a time, and drawn in several pieces."""
    monkeypatch.setattr(places, "_PIECE", 128)
    for first in sorted({1, n // 3 or 1, n}):
        one, other = SeededSource(n), SeededSource(n)
        found = Places(places._smallest(one.random_bytes, n, first, room))
        assert listed(found, n) == sorted(other.permutation(n)[:first].tolist())
        assert one.below(2**60) == other.below(2**60)


@pytest.mark.parametrize("room", [1, 1 << 25])
def test_equal_keys_are_drawn_anew(room):
    """Anywhere: also behind the places that are asked for."""
    rounds = iter([[5, 2**63, 2**63, 1], [3, 3, 2**40, 9], [7, 2**50, 1, 2**60]])

    def draw(k):
        return np.array(next(rounds), dtype=np.uint64).tobytes()

    assert places._smallest(draw, 4, 2, room) is None
    assert places._smallest(draw, 4, 2, room) is None
    assert listed(Places(places._smallest(draw, 4, 2, room)), 4) == [0, 2]


def test_other_sources_say_the_permutation():
    source = ReplaySource([])
    assert listed(first_places(source, 70, 66), 70) == list(range(66))
    assert source.presented == [("permutation", 70)]
    law = ExactSource().law(lambda s: tuple(listed(first_places(s, 3, 2), 3)))
    assert list(law.outcomes) == [(0, 1)]


def test_every_set_is_equally_likely():
    """Six pairs of four places, 6,000 times: chi-squared with 5 degrees, far in the tail."""
    source, counts = SeededSource(5), {}
    for _ in range(6000):
        pair = tuple(listed(first_places(source, 4, 2), 4))
        counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) == 6
    assert sum((c - 1000) ** 2 / 1000 for c in counts.values()) < 25


def test_what_stands_before_is_counted():
    chosen = np.array([0, 63, 64, 127, 128, 191])
    found = Places.of(chosen, 192)
    ends = np.arange(193)
    assert found.before(ends).tolist() == [int((chosen < end).sum()) for end in ends]
