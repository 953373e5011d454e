"""Classes over streamed samples: the law, the weights and the bits of samples in memory."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from littlestone.classes import Intervals, Points, Prefixes, Thresholds
from littlestone.classes.base import span_runs
from littlestone.classes.prefixes import Notation, PrefixForest
from littlestone.data import Sample
from littlestone.data.sample import Batch
from littlestone.data.stored import OnLine, Stored
from littlestone.source import ExactSource, ReplaySource, SeededSource

CLASSES = [Thresholds(1, 40), Points(1, 40), Intervals(1, 40), Prefixes("abc", 3), Prefixes("ipv4")]


def streamed(sample, cuts, cls):
    """The same sample, stored, in so many batches in the order of its class."""
    stored = Cut.kept(sample, OnLine(cls.domain.line))
    stored.cuts = cuts
    return stored


class Cut(Stored):
    def batches(self, line=None):
        for points, counts in super().batches(line):
            for chosen in np.array_split(np.arange(len(points)), self.cuts):
                if len(chosen):
                    yield Batch(points[chosen], counts[:, chosen])


def some(cls, rng, n, high=200):
    """Points near the beginning of the line, so that many are there again and again."""
    line = cls.domain.line
    first = getattr(cls.domain, "low", 0)
    return line.points(first + rng.integers(0, min(line.size, high), n))


@pytest.mark.first(1)
@pytest.mark.parametrize("cls", CLASSES, ids=str)
def test_what_is_presented_is_that_of_the_plain_path(cls):
    rng = np.random.default_rng(4)
    for trial in range(12):
        x = some(cls, rng, n := int(rng.integers(1, 40)), 2**40 if trial % 3 == 2 else 60)
        inside = sorted(set(x.tolist()))
        y = np.isin(x, inside[: len(inside) // 2]) if trial % 2 else rng.integers(0, 2, n)
        plain = Sample.of(x, y.astype(int))
        plain = Sample.binary(plain.points, plain.zeros, plain.ones, (trial, 2))
        pieces = streamed(plain, 1 + trial % 4, cls)
        for rate, answers in product(
            (Fraction(1, 2), Fraction(1, 90)), ([0, 0, 0, 0], [1, 0, 0, 0])
        ):
            sources = [ReplaySource(answers) for _ in range(2)]
            found = [
                cls.candidates(sample).draw(rate, source)
                for sample, source in zip((plain, pieces), sources, strict=True)
            ]
            assert found[0] == found[1]
            assert sources[0].presented == sources[1].presented


@pytest.mark.first(2)
@pytest.mark.parametrize("cls", CLASSES, ids=str)
def test_equal_seeds_draw_equal_concepts(cls):
    """And read as many bits."""
    rng = np.random.default_rng(5)
    for labels in ("realizable", "random"):
        x = some(cls, rng, 400, 2**40)
        y = x > np.median(x) if labels == "realizable" else rng.random(400) < 0.3
        plain = Sample.of(x, y.astype(int))
        pieces = streamed(plain, 3, cls)
        assert pieces.points.tolist() == plain.points.tolist()
        assert pieces.ones.tolist() == plain.ones.tolist()
        for seed in range(6):
            one, other = SeededSource(seed), SeededSource(seed)
            rate = Fraction(1, 1 + 2 * seed)
            found = cls.candidates(pieces).draw(rate, one)
            assert found == cls.candidates(plain).draw(rate, other)
            assert one.below(2**40) == other.below(2**40)


@pytest.mark.more
@pytest.mark.parametrize("cls", [Points(1, 3), Intervals(1, 3), Prefixes("ab", 1)], ids=str)
def test_the_law_on_all_data_sets_is_the_one_by_hand(cls):
    """Brute force: a weight for each concept, from its errors on the records."""
    rate, line = Fraction(1, 2), cls.domain.line
    concepts = list(cls.concepts())
    low = getattr(cls.domain, "low", 0)
    points = line.points(np.arange(low, low + line.size)).tolist()
    for records in combinations_with_replacement(list(product(points, (0, 1))), 2):
        sample = streamed(Sample.of(*zip(*records, strict=True)), 2, cls) if records else None
        law = ExactSource().law(lambda s, t=sample: cls.candidates(t).draw(rate, s).key)
        errors = [sum(int(c.predict(np.array([x]))[0]) != y for x, y in records) for c in concepts]
        weights = np.exp(-float(rate) * np.array(errors))
        found = [float(law.outcomes[c.key]) for c in concepts]
        assert found == pytest.approx(weights / weights.sum(), rel=1e-12)


def test_a_sample_without_points_in_the_domain():
    for cls in CLASSES:
        nothing = np.zeros(0, dtype=np.int64)
        plain = Sample.binary(nothing, nothing, nothing, (3, 2))
        empty = streamed(plain, 1, cls)
        for seed in range(5):
            found = cls.candidates(empty).draw(Fraction(1), SeededSource(seed))
            assert found == cls.candidates(plain).draw(Fraction(1), SeededSource(seed))


@pytest.mark.more
def test_an_interval_is_found_among_all_without_points():
    """The empty one, and each inside a gap: by its number, across pieces."""
    cls = Intervals(1, 12)
    plain = Sample.of([3, 7, 8], [1, 1, 1])
    gaps = sum(g * (g + 1) // 2 for g in (2, 3, 0, 4)) + 1
    for cuts, member in product((1, 2, 3), range(gaps)):
        pair = [
            cls.candidates(sample).draw(Fraction(1), ReplaySource([0, member]))
            for sample in (plain, streamed(plain, cuts, cls))
        ]
        assert pair[0] == pair[1]


def test_long_gaps_are_counted_exactly():
    cls = Intervals(-(2**61), 2**61)
    plain = Sample.of([-(2**61), -5, 2**40, 2**61 - 9], [1, 0, 1, 1])
    sources = [ReplaySource([0, 2**119 + 17]) for _ in range(2)]
    pair = [
        cls.candidates(sample).draw(Fraction(1), source)
        for sample, source in zip((plain, streamed(plain, 2, cls)), sources, strict=True)
    ]
    assert pair[0] == pair[1]
    assert sources[0].presented == sources[1].presented


@pytest.mark.parametrize("written", [("ab", 3), ("abc", 3), ("abcde", 2), ("0123456789", 2)])
def test_ranks_of_many_prefixes_are_those_of_each(written):
    forest = PrefixForest(Notation(*written))
    nodes = np.array([forest.at_rank(rank) for rank in range(forest.size)])
    ranks = forest.keys(nodes)
    assert ranks.tolist() == list(range(forest.size))
    assert forest.points(ranks).tolist() == nodes.tolist()
    assert forest.ends(ranks).tolist() == [forest.span(node)[1] for node in nodes.tolist()]
    assert not PrefixForest(Notation("abcde", 25)).small  # 75 bits, though few enough ranks


def test_open_spans_are_those_of_one_path():
    """What waits for the next piece does not grow with the number of points."""
    forest = PrefixForest(Notation("ab", 12))
    line = np.arange(forest.size)
    pieces = ((part, forest.ends(part), np.ones_like(part)) for part in np.array_split(line, 200))
    runs = list(span_runs(pieces, 0, forest.size, 0))
    assert max(len(piece.starts) for piece in runs) <= 2 * (len(line) // 200 + 2) + forest.height
    depth = [forest.depth(forest.at_rank(rank)) for rank in range(forest.size)]
    scores = np.concatenate([np.repeat(piece.scores, piece.lengths) for piece in runs])
    assert scores.tolist() == depth
