"""Streamed runs: the law of a softmax over all candidates, whatever of the tail is known."""

from __future__ import annotations

from decimal import localcontext
from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.source import (
    ExactSource,
    LeveledChoice,
    ReplaySource,
    ScoreRuns,
    SeededSource,
    StreamedRuns,
)

FEW = settings(max_examples=settings.default.max_examples // 8)
RATES = [F(1, 3), F(2), F(1, 10**6), F(0), F(-1, 2)]
GAPS = [None, 0, 1, 4, 30]


class Pieces:
    """Runs in pieces, and how often they have been streamed."""

    def __init__(self, scores, lengths, cuts=()):
        self.scores, self.lengths, self.passes = list(scores), list(lengths), 0
        ends = np.cumsum(self.lengths)
        edges = [0, *sorted(set(cuts) & set(range(1, len(self.scores)))), len(self.scores)]
        self.pieces = []
        for a, b in pairwise(edges):
            starts = [int(ends[i]) - self.lengths[i] for i in range(a, b)]
            chosen = np.array(self.scores[a:b], dtype=np.int64)
            self.pieces.append(ScoreRuns(np.array(starts), int(ends[b - 1]), chosen))

    def __call__(self):
        self.passes += 1
        return iter(self.pieces)

    @property
    def size(self):
        return sum(self.lengths)

    def listed(self):
        """The score of each integer."""
        return np.repeat(self.scores, self.lengths).tolist()


lines = st.lists(st.tuples(st.integers(-12, 12), st.integers(0, 3)), min_size=1, max_size=9).filter(
    lambda runs: sum(length for _, length in runs)
)
cuts = st.lists(st.integers(1, 8), max_size=3)


@FEW
@given(lines, cuts, st.sampled_from(RATES), st.sampled_from(GAPS))
def test_the_law_is_that_of_all_candidates(truth, line, cuts, rate, gap):
    pieces = Pieces(*zip(*line, strict=True), cuts)
    streamed = StreamedRuns(pieces, pieces.size, gap)
    law = ExactSource(cut=F(1, 2**150)).law(lambda s: streamed.draw(rate, s))
    with localcontext(truth.context):
        weights = [truth.exp(rate * score) for score in pieces.listed()]
        total = sum(weights)
    assert set(law.outcomes) == set(range(len(weights)))
    for outcome, weight in enumerate(weights):
        with localcontext(truth.context):
            assert truth.contains(law.outcomes[outcome], weight / total)


@FEW
@given(lines, cuts, st.sampled_from(RATES), st.sampled_from(GAPS))
def test_what_is_presented_is_that_of_the_plain_path(line, cuts, rate, gap):
    """And so is what each answer draws."""
    pieces = Pieces(*zip(*line, strict=True), cuts)
    streamed = StreamedRuns(pieces, pieces.size, gap)
    ends = np.cumsum(pieces.lengths)
    starts = [int(end) - length for end, length in zip(ends, pieces.lengths, strict=True)]
    plain = LeveledChoice(pieces.scores, pieces.lengths, lambda run, at: starts[run] + at)
    for level, total in enumerate(plain.weights(rate).counts.tolist()):
        for place in range(total):
            sources = [ReplaySource([level, place]) for _ in range(2)]
            assert streamed.draw(rate, sources[0]) == plain.draw(rate, sources[1])
            assert sources[0].presented == sources[1].presented


@FEW
@given(lines, st.sampled_from(RATES[:2]), st.sampled_from(GAPS[1:]))
def test_beside_every_boundary_the_outcome_is_that_of_exact_inversion(
    truth, prescribed, line, rate, gap
):
    """Also in the tail, which then is fetched: at U = 0, and next to each cumulative sum."""
    pieces = Pieces(*zip(*line, strict=True))
    levels = sorted({s for s, length in line if length})
    totals = {level: sum(c for s, c in line if s == level) for level in levels}
    sums = truth.cumulative([truth.exp(rate * level, totals[level]) for level in levels])
    places = [F(0), F(2**900 - 1, 2**900)]
    for bits in (64, 70, 200):
        places += [u for c in sums[:-1] for u in truth.cells(c, bits)]
    for u in places:
        weights = StreamedRuns(pieces, pieces.size, gap).weights(rate)
        outcome = prescribed(u).choose(weights)
        level = levels[truth.inverse(u, sums)]
        assert weights.level(outcome) == (level, totals[level])


def walk(levels, up):
    """A walk that climbs to 0 and falls again, with a score for each run."""
    scores = [*range(-levels, 1), *range(-1, -levels - 1, -1)] if up else [0, -1] * levels
    return Pieces(scores, [3] * len(scores), range(0, len(scores), 100))


@pytest.mark.first(2)
@pytest.mark.parametrize("gap", [None, 0, 5])
@pytest.mark.parametrize("up", [True, False])
def test_equal_seeds_draw_equal_candidates(gap, up):
    """The same bits are read as on the plain path: 64 for the level, then the place."""
    pieces = walk(700, up)
    starts = np.arange(len(pieces.scores)) * 3
    plain = ScoreRuns(starts, pieces.size, np.array(pieces.scores))
    for rate in (F(1, 2), F(1, 100)):
        for seed in range(25):
            one, other = SeededSource(seed), SeededSource(seed)
            assert StreamedRuns(pieces, pieces.size, gap).draw(rate, one) == plain.draw(rate, other)
            assert one.below(2**40) == other.below(2**40)


def test_the_tail_is_fetched_when_a_draw_reaches_it(prescribed):
    pieces = walk(3000, up=True)
    StreamedRuns(pieces, pieces.size).draw(F(1, 2), SeededSource(1))
    assert pieces.passes == 2  # the best levels, then the candidate
    weights = StreamedRuns(pieces, pieces.size).weights(F(1, 2))
    assert len(weights.near) < 500
    assert weights.rest == pieces.size - int(weights.near.counts.sum())
    assert prescribed(F(1, 3)).choose(weights) < 0
    assert "all" not in vars(weights)
    assert prescribed(F(0)).choose(weights) == 0
    assert len(weights.all) == 3001
    assert prescribed(F(1, 3)).choose(weights) > 0  # from now on, all are known


def test_levels_of_many_pieces_are_merged(monkeypatch):
    monkeypatch.setattr("littlestone.source.leveled._PENDING", 10)
    pieces = walk(500, up=True)
    scores, counts = StreamedRuns(pieces, pieces.size).levels()
    assert scores.tolist() == list(range(-500, 1))
    assert counts.tolist() == [6] * 500 + [3]
    scores, counts = StreamedRuns(pieces, pieces.size).levels(2)
    assert (scores.tolist(), counts.tolist()) == ([-2, -1, 0], [6, 6, 3])


def test_pieces_that_change_are_noticed():
    pieces = walk(5, up=True)
    streamed = StreamedRuns(pieces, pieces.size)
    weights = streamed.weights(F(1))
    pieces.pieces = pieces.pieces[:0]
    with pytest.raises(AssertionError, match="changed"):
        streamed._member(*weights.level(-1))
