"""Choosing by level, in memory and streamed: the law of the softmax over all candidates."""

from __future__ import annotations

import dataclasses
import random
from bisect import bisect_right
from decimal import Context, Decimal, localcontext
from fractions import Fraction as F
from itertools import accumulate, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.source import (
    ExactSource,
    Exp,
    Explicit,
    LeveledChoice,
    LevelWeights,
    PairPart,
    PairWeights,
    ReplaySource,
    ScoreRuns,
    SeededSource,
    StreamedRuns,
    exp,
    probabilities,
)
from littlestone.source.leveled import _Doubles, decays

# -- Choosing by level has exactly the law of the softmax over all candidates ----------------------


def softmax(truth, scores, rate):
    with localcontext(truth.context):
        weights = [truth.exp(rate * int(s)) for s in scores]
        total = sum(weights)
        return [w / total for w in weights]


def assert_softmax(truth, law, outcomes, scores, rate):
    chances = softmax(truth, scores, rate)
    assert set(law.outcomes) <= set(outcomes)
    for outcome, chance in zip(outcomes, chances, strict=True):
        assert truth.contains(law.outcomes[outcome], chance)
    assert law.slack.is_zero()


small_rates = st.sampled_from([F(1, 3), F(1), F(-1, 2), F(0), F(1, 10**6)])


@settings(max_examples=settings.default.max_examples // 2)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9), small_rates)
def test_explicit(truth, scores, rate):
    law = ExactSource(cut=F(1, 2**150)).law(lambda s: Explicit(scores).draw(rate, s))
    assert_softmax(truth, law, range(len(scores)), scores, rate)


def place(group, at):
    return (group, at)


groups = st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 4)), max_size=6)
bottoms = st.sampled_from([None, exp(0), exp(3, times=F(1, 7)), exp(-900), exp(900), Exp({})])


@given(groups, small_rates, bottoms, st.sampled_from([1, 10**7, 2**70]))
def test_leveled_choice(truth, listed, rate, bottom, spread):
    """Brute force: one weight for each candidate; scores side by side, far apart, beyond int64."""
    scores, counts = [spread * s for s, _ in listed], [c for _, c in listed]
    outcomes = [(i, j) for i, count in enumerate(counts) for j in range(count)]
    if bottom is None and not outcomes:
        with pytest.raises(ValueError, match="must be a candidate"):
            LeveledChoice(scores, counts, place).draw(rate, SeededSource(0))
        return
    choice = LeveledChoice(scores, counts, place, bottom)
    assert choice.size == len(outcomes)
    law = ExactSource(cut=F(1, 2**150), follow=64).law(lambda s: choice.draw(rate / spread, s))
    with localcontext(truth.context):
        weights = {(i, j): truth.exp(rate / spread * scores[i]) for i, j in outcomes}
        if bottom is not None and not (outcomes and bottom == 0):
            weights[None] = sum(truth.exp(q, c) for q, c in bottom.terms) if bottom != 0 else 1
        total = sum(weights.values())
    assert set(law.outcomes) == set(weights)
    for outcome, weight in weights.items():
        with localcontext(truth.context):
            assert truth.contains(law.outcomes[outcome], weight / total)
    assert law.slack.is_zero()


@settings(max_examples=settings.default.max_examples // 4)
@given(
    st.lists(
        st.tuples(st.integers(-9999, 9999), st.sampled_from([0, 1, 2**53 + 1, 2**64, 3**700])),
        min_size=1,
        max_size=8,
    ).filter(lambda listed: any(c for _, c in listed)),
    st.sampled_from([F(1, 3), F(-1, 10**5), F(0)]),
    bottoms,
)
def test_counts_of_any_size(truth, listed, rate, bottom):
    """What is presented is, for each level, the sum of its candidates' weights; below does rest."""
    scores, counts = zip(*listed, strict=True)
    choice = LeveledChoice(scores, counts, place, bottom)
    assert choice.size == sum(counts)
    levels = sorted({s for s, c in listed if c})
    totals = [sum(c for s, c in listed if s == level) for level in levels]
    with localcontext(truth.context):
        weights = [truth.exp(rate * s, c) for s, c in zip(levels, totals, strict=True)]
        if bottom is not None:
            weights.insert(0, sum((truth.exp(q, c) for q, c in bottom.terms), truth.decimal(0)))
        total = sum(weights)
        expected = [w / total for w in weights]
    found = probabilities(choice.weights(rate))
    for ball, chance in zip(found, expected, strict=True):
        assert truth.contains(ball, chance, size=1)
    for level, (score, many) in enumerate(zip(levels, totals, strict=True)):
        members = [(i, c) for i, (s, c) in enumerate(listed) if s == score and c]
        rank = 0
        for group, count in members:
            for at in {0, count // 2, count - 1}:
                source = ReplaySource([level + (bottom is not None), rank + at])
                assert choice.draw(rate, source) == (group, at)
                assert source.presented[1] == ("below", many)
            rank += count


@pytest.mark.parametrize(
    ("scores", "counts", "bottom"),
    [
        ([1], [-1], None),
        ([1, 2], [1], None),
        ([1], [0], None),
        ([], [], None),
        ([1], [1], exp(0) - 2),
    ],
)
def test_impossible_groups_are_refused(scores, counts, bottom):
    with pytest.raises(ValueError, match=r"must be|needs one"):
        LeveledChoice(scores, counts, place, bottom).draw(F(1), SeededSource(0))


@settings(max_examples=settings.default.max_examples // 2)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9)), min_size=1, max_size=6).filter(
        lambda runs: any(length for length, _ in runs)
    ),
    small_rates,
    st.sampled_from([np.int64, object]),
)
def test_score_runs(truth, runs, rate, dtype):
    lengths, scores = zip(*runs, strict=True)
    starts = np.cumsum([5, *lengths[:-1]]).astype(dtype)
    found = ScoreRuns(starts, 5 + sum(lengths), np.array(scores))
    by_value = [score for length, score in runs for _ in range(length)]
    values = range(5, 5 + len(by_value))
    assert found.size == len(by_value)
    assert [found.at(v) for v in values] == by_value
    for first in values:
        for last in range(first - 1, 5 + len(by_value)):
            assert found.least(first, last) == min(by_value[first - 5 : last - 4], default=None)
    law = ExactSource().law(lambda s: found.draw(rate, s))
    assert_softmax(truth, law, values, by_value, rate)


# -------------------------------------------------------------- many levels, in doubles


def many(kind, n=700):
    """Return (counts, scores, rate, bottom) with so many levels that doubles decide."""
    rng = np.random.default_rng(5)
    levels = np.arange(n)
    return {
        "flat": ([1] * n, levels, F(1, n), None),
        "steep": (rng.integers(0, 9, n), levels, F(1), None),
        "falling": (rng.integers(0, 9, n), levels, F(-1, 50), exp(2)),
        "gaps": (
            rng.integers(1, 2**40, n),
            np.sort(rng.integers(-(2**62), 2**62, n)),
            F(1, 2**61),
            None,
        ),
        "tiny rate": ([1] * n, levels * 10**9, F(1, 10**12), exp(-1)),
        "huge counts": ([3**700 + i for i in range(n)], levels, F(1, 100), exp(700)),
        "counts of all sizes": ([2 ** (i * 3) for i in range(n)], -levels, F(2), None),
        "zero rate": (rng.integers(0, 2, n), levels, F(0), exp(0)),
        "bottom only": (rng.integers(0, 2, n), levels, F(1, 7), exp(10**6)),
        "light bottom": (rng.integers(0, 2, n), levels, F(1, 7), exp(-(10**6))),
    }[kind]


MANY = [
    "flat", "steep", "falling", "gaps", "tiny rate", "huge counts", "counts of all sizes",
    "zero rate", "bottom only", "light bottom",
]  # fmt: skip


@pytest.mark.first(3)
@pytest.mark.parametrize("kind", MANY)
def test_doubles_decide_like_exact_sums(kind):
    """At every boundary and beside it: the outcome is that of exact inversion, or undecided."""
    counts, scores, rate, bottom = many(kind)
    weights = LevelWeights(counts, scores, rate, bottom)
    with localcontext(Context(prec=120, Emin=-(10**9), Emax=10**9)):
        exact = [
            (Decimal(rate.numerator) * int(s) / rate.denominator).exp() * int(c)
            for s, c in zip(scores, counts, strict=True)
        ]
        if bottom is not None:
            exact.insert(0, sum(Decimal(int(q)).exp() * int(c) for q, c in bottom.terms))
        sums = list(accumulate(exact))
        cells = [s / sums[-1] * 2**64 for s in sums]
        decided = 0
        probes = {0, 1, 2**64 - 1, *(random.Random(3).getrandbits(64) for _ in range(100))}
        for cell in cells:
            near = int(cell)
            for step in (0, 1, -1, 2**10, -(2**10), 2**20, -(2**20), 2**30, -(2**30)):
                probes.add(min(max(near + step, 0), 2**64 - 1))
        for u in sorted(probes):
            i = bisect_right(cells, Decimal(u))
            found = weights.decide(u)
            assert found is None or (found == i and u + 1 <= cells[i]), (u, i)
            decided += found is not None
        # far from all boundaries nothing is left to the balls
        for i, (low, high) in enumerate(zip([Decimal(0), *cells], cells, strict=False)):
            if high - low > 2**40 and kind != "counts of all sizes":
                assert weights.decide(int((low + high) / 2)) == i
    assert decided or kind == "counts of all sizes"


@pytest.mark.first(5)
@pytest.mark.parametrize("kind", MANY)
def test_draws_of_many_levels_equal_the_plain_path(kind):
    """The same bits give the same outcome, whether doubles decide or balls do."""

    class Undecided(LevelWeights):
        def decide(self, u):
            return None

    weights, plain = LevelWeights(*many(kind)), Undecided(*many(kind))
    one, other = SeededSource(9), SeededSource(9)
    assert [one.choose(weights) for _ in range(20)] == [other.choose(plain) for _ in range(20)]


@pytest.mark.parametrize("rate", [F(1, 3), F(1, 10**12), F(17, 10**4), F(40)])
def test_products_of_table_entries_are_exponentials(rate):
    """The premise of the error bound: each entry within 2**-52, by other arithmetic."""
    far = min(10**6, int(140 / rate))
    with localcontext(Context(prec=60, Emin=-(10**9), Emax=10**9)):
        for place, table in decays(rate, far):
            for j in {0, 1, 2, len(table) // 3, len(table) - 1}:
                if j << place <= far:
                    exact = (-Decimal(rate.numerator) * (j << place) / rate.denominator).exp()
                    assert abs(Decimal(float(table[j])) - exact) <= exact / 2**52


@pytest.mark.parametrize(
    "scores",
    [
        np.array([100, -100, 99], dtype=np.int8),
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([-30_000, 30_000], dtype=np.int16),
        np.array([2**63 + 5, 2**63 + 7, 2**63], dtype=np.uint64),
        np.array([-(2**63), 2**63 - 1, -(2**63)]),
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([250, 255, 0], dtype=np.uint8),
    ],
    ids=str,
)
def test_explicit_at_the_ends_of_integer_types(truth, scores):
    rate = F(1, 2**62) if max(map(int, scores)) > 2**40 else F(1, 1000)
    law = ExactSource(cut=F(1, 2**150)).law(lambda s: Explicit(scores).draw(rate, s))
    assert_softmax(truth, law, range(len(scores)), scores, rate)


@pytest.mark.parametrize("scores", [[[1, 2]], [0.5, 1.0], ["a"], [True]])
def test_explicit_refuses(scores):
    with pytest.raises(ValueError, match="one-dimensional arrays of integers"):
        Explicit(scores)


# -- Streamed runs: the law of a softmax over all candidates, whatever of the tail is known --------

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


# -- Pairs of ends, streamed: each draw is that of exact inversion among all pairs -----------------

PAIRS_RATES = [F(1, 3), F(2), F(300), F(1, 10**6), F(1, 10**30)]

points = st.lists(
    st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(-9, 9)), min_size=1, max_size=8
)
pairs_cuts = st.integers(1, 4)


def parts_of(rows, cuts):
    columns = [np.array(column, dtype=np.int64) for column in zip(*rows, strict=True)]
    indices = [c for c in np.array_split(np.arange(len(rows)), cuts) if len(c)]
    return lambda: iter([PairPart(*(column[i] for column in columns)) for i in indices])


def cumulative(truth, pointless, rows, rate):
    """Sums over pairs, one after the other: W_i - W_j for every i < j."""
    before, after, weights = zip(*rows, strict=True)
    reached = np.concatenate([[0], np.cumsum(weights)]).tolist()
    out = [truth.exp(F(0), pointless)]
    for j in range(1, len(rows) + 1):
        pairs = [
            truth.exp(rate * (reached[i] - reached[j]), before[i] * after[j - 1]) for i in range(j)
        ]
        with localcontext(truth.context):
            out.append(sum(pairs))
    return truth.cumulative(out)


@FEW
@given(points, pairs_cuts, st.sampled_from(PAIRS_RATES), st.integers(1, 50))
def test_pairs_beside_every_boundary_the_outcome_is_that_of_exact_inversion(
    truth, prescribed, rows, cuts, rate, pointless
):
    sums = cumulative(truth, pointless, rows, rate)
    places = [F(0), F(2**900 - 1, 2**900)]
    for bits in (64, 70, 200):
        # no sum of weights is exactly there: that would be decided by no number of bits
        places += [u + F(1, 2**900) for c in sums[:-1] for u in truth.cells(c, bits)]
    for u in (u for u in places if u < 1):
        weights = PairWeights(parts_of(rows, cuts), pointless, len(rows), rate)
        found = truth.inverse(u, sums)
        assert prescribed(u).choose(weights) == found
        alone = weights._doubles.decide(int(u * 2**64)), weights._by_balls(int(u * 2**64))
        assert set(alone) <= {found, None}


def pairs_walk(kind, n=3000):
    rng = np.random.default_rng(5)
    weights = {
        "realizable": np.where(np.arange(n) // 1000 == 1, -1, 1),
        "opposite": np.where(np.arange(n) // 1000 == 1, 1, -1),
        "zeros only": np.ones(n, int),
        "random": rng.choice([-1, 1], n),
        "heavy": rng.integers(-(10**6), 10**6, n),
    }[kind]
    return list(zip(rng.integers(1, 2**30, n), rng.integers(1, 2**30, n), weights, strict=True))


@pytest.mark.first(3)
@pytest.mark.parametrize("kind", ["realizable", "opposite", "zeros only", "random", "heavy"])
def test_equal_seeds_draw_equal_ends(kind, monkeypatch):
    """Among many points, from several parts: what all balls in memory would say."""
    rows = pairs_walk(kind)
    for rate in (F(1, 2), F(1, 1000), F(5)):
        streamed = PairWeights(parts_of(rows, 7), 10**12, len(rows), rate)
        plain = PairWeights(parts_of(rows, 1), 10**12, len(rows), rate)
        monkeypatch.setattr(plain, "decide", lambda _: None)  # as refined
        expected = [SeededSource(seed).choose(plain) for seed in range(5)]
        monkeypatch.setattr(streamed, "enclose", None)  # nothing is held
        assert [SeededSource(seed).choose(streamed) for seed in range(5)] == expected


@pytest.mark.parametrize("kind", ["realizable", "zeros only", "random", "heavy"])
def test_the_error_bound_holds(kind):
    """Sums of doubles against sums of balls, at the ends of parts."""
    rows, rate = pairs_walk(kind, 2000), F(1, 3)
    doubles = _Doubles.of(parts_of(rows, 5), 10**9, rate)
    plain = PairWeights(parts_of(rows, 1), 10**9, len(rows), rate)
    exact = plain.enclose(200)
    total = sum(exact[1:], exact[0])
    size, reached = 0, exact[0]
    assert doubles.error < 2**-35
    for part, end in zip(parts_of(rows, 5)(), doubles.ends[1:], strict=True):
        reached = sum(exact[size + 1 : size + len(part.weights) + 1], reached)
        size += len(part.weights)
        assert abs(end / doubles.ends[-1] - float((reached / total).mid())) <= 2 * doubles.error


def test_an_empty_run_has_no_score():
    runs = ScoreRuns(np.array([5, 6, 6]), 7, np.array([0, -1, 0]))
    assert (runs.least(5, 6), runs.least(6, 6)) == (0, 0)


@pytest.mark.more
def test_a_bound_on_the_error_that_is_too_small_is_noticed():
    """With no allowance for rounding, doubles decide some cells wrongly: the test above sees it."""
    counts, scores, rate, _ = many("flat", 5000)
    weights = LevelWeights(counts, scores, rate)
    assert weights.decide(2**63) is not None  # builds the sums
    sums = weights._sums
    blind = dataclasses.replace(sums, error=0.0, slack=0.0)
    with localcontext(Context(prec=60)):
        exact = [(Decimal(int(s)) / len(scores)).exp() for s in scores]
        cumulative = list(accumulate(exact))
        cells = [s / cumulative[-1] * 2**64 for s in cumulative[:-1]]
    wrong = [
        u
        for cell in cells
        for u in (int(cell), int(cell) + 1)
        if blind.decide(u) not in (None, bisect_right(cells, Decimal(u)))
    ]
    assert wrong
    assert all(weights.decide(u) is None for u in wrong)


def test_explicit_is_independent_of_layout():
    """Bincount and sort, any integer type: identical weights presented."""
    views = []
    for scores in (
        [5, 7, 5, 9],
        np.array([5, 7, 5, 9], np.uint8),
        np.array([5, 7, 5, 9], np.int16),
    ):
        source = ReplaySource([0, 1])
        assert Explicit(scores).draw(F(1, 2), source) == 2
        views.append(source.presented)
    assert views[0] == views[1] == views[2]
    wide = ReplaySource([0, 1])  # a spread that is sorted, not binned
    assert Explicit([0, 10**7, 0]).draw(F(1, 10**7), wide) == 2
    assert wide.presented[1] == ("below", 2)


def test_a_domain_of_a_thousand_bits():
    group, at = LeveledChoice([0, 0], [2**1024, 5], place).draw(F(1), SeededSource(3))
    assert group == 0
    assert 2**1000 < at < 2**1024
    # 700 points of score beat 2**1000 candidates: e**700 > 2**1009
    assert LeveledChoice([0, 720], [2**1000, 1], place).draw(F(1), SeededSource(3)) == (1, 0)


def test_draws_at_tiny_rates_answer_in_time():
    """Rates down to 1e-12, scores that far apart, 10**5 levels: no loop over scores."""
    scores = np.arange(10**5) * 10**9
    for rate in (F(1, 10**12), F(1, 10**15), F(-1, 10**12)):
        assert 0 <= Explicit(scores).draw(rate, SeededSource(1)) < 10**5


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
