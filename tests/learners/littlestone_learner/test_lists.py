"""What teachers submit, against the definitions: closures, low error, essential hypotheses."""

from itertools import chain, combinations, product

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import AlwaysZero, affine_span, closures, on_points
from littlestone.classes.conjunctions import subcube
from littlestone.data import OUTSIDE, Sample
from littlestone.data.sample import OrderedSample
from littlestone.learners.littlestone import ClosedLists, closed_within, parts
from littlestone.mechanisms.select import canonical_key
from littlestone.source import ExactSource, SeededSource


def subsets(points):
    return chain.from_iterable(combinations(points, r) for r in range(len(points) + 1))


def sets_closure(k):
    return lambda chosen: on_points(chosen) if len(set(chosen)) <= k else None


def flat_closure(q, dim):
    def closure(chosen):
        flat = affine_span(q, chosen) if chosen else AlwaysZero()
        return flat if not chosen or flat.dim <= dim else None

    return closure


def cube_closure(n):
    def closure(chosen):
        literals = (1 << 2 * n) - 1
        for point in chosen:
            literals &= sum(1 << (i if bit else n + i) for i, bit in enumerate(point))
        return subcube(n, literals) if chosen else AlwaysZero()

    return closure


CASES = {
    "points": (ls.Points(), list("abc"), sets_closure(1)),
    "sets": (ls.SparseSets(2), list("abcd"), sets_closure(2)),
    "bounded": (ls.SparseSets(2, 1, 4), [1, 2, 3, 4], sets_closure(2)),
    "flats": (
        ls.theory.AffineSubspaces(3, 2, 1),
        list(product(range(3), repeat=2)),
        flat_closure(3, 1),
    ),
    "cubes": (ls.theory.Conjunctions(3), list(product(range(2), repeat=3)), cube_closure(3)),
}


def random_sample(rng, points, n):
    where = rng.integers(0, len(points) + 1, n)
    named = [points[i] if i < len(points) else OUTSIDE for i in where]
    return OrderedSample.listed(named, rng.integers(0, 2, n).tolist())


def low_error_closures(sample, cls, closure, tolerance):
    positives = [x for x, one in zip(sample.points.tolist(), sample.ones, strict=True) if one]
    positives = [tuple(x) if isinstance(x, list) else x for x in positives]
    every = {closure(chosen) for chosen in subsets(positives)} - {None}
    return {h for h in every if cls.errors(h, sample) <= tolerance}


@pytest.mark.parametrize("name", CASES)
def test_closed_sets_of_low_error_are_all_found(name):
    cls, points, closure = CASES[name]
    rng = np.random.default_rng(len(name))
    system, seen = closures(cls), 0
    for _ in range(120):
        sample = random_sample(rng, points, int(rng.integers(0, 9)))
        for tolerance in range(4):
            found = closed_within(system, sample, tolerance, 10**6)
            expected = low_error_closures(sample, cls, closure, tolerance)
            assert len(found) == len(set(found)), "a list is a set"
            assert set(found) == expected
            seen += len(found)
    assert seen > 200


@pytest.mark.parametrize("name", CASES)
def test_rank_and_number_of_closed_sets(name):
    """A concept's closed subsets are counted, and its longest chain is the rank."""
    cls, points, closure = CASES[name]
    every = {closure(c) for c in subsets(points) if name != "cubes" or len(c) <= 4} - {None}
    inside = {h: frozenset(x for x in points if h.predict(batch(cls, [x]))[0]) for h in every}

    def below(h):
        return [g for g in every if inside[g] < inside[h]]

    def chain_length(h):
        return max((1 + chain_length(g) for g in below(h)), default=0)

    system = closures(cls)
    assert max(1 + len(below(h)) for h in every) <= system.closed
    assert max(chain_length(h) for h in every) == system.rank
    if name != "points":
        assert max(1 + len(below(h)) for h in every) == system.closed


def batch(cls, points):
    return np.array(points) if isinstance(points[0], tuple) else cls.domain.store(points)


def test_too_many_closed_sets_are_no_list():
    system = closures(ls.SparseSets(9))
    data = Sample.of(list(range(9)), [1] * 9)
    assert len(closed_within(system, data, 9, 2**9)) == 2**9
    assert closed_within(system, data, 9, 2**9 - 1) == []


def test_a_list_that_is_too_long_is_cut_in_the_public_order():
    data = Sample.of(list("dcba"), [1, 1, 1, 1])
    every = ClosedLists(closures(ls.SparseSets(2)), 4, 100, 1000).submit(data)
    short = ClosedLists(closures(ls.SparseSets(2)), 4, 3, 1000).submit(data)
    assert len(every) == 11
    assert short == sorted(every, key=canonical_key)[:3]


def test_records_are_shuffled_or_counted():
    data = OrderedSample.listed([1, 2, 2, OUTSIDE, 1], [0, 1, 1, 1, 0])

    def sizes(source):
        return tuple((s.n, w) for s, w in parts(data, source, 2))

    assert sizes(SeededSource(1)) == ((2, 1), (2, 1))  # one record is left over
    counted = parts(data, SeededSource(1), 1)
    assert sorted((s.n, w) for s, w in counted) == [(1, 1), (1, 2), (1, 2)]
    assert [s.n for s, _ in parts(data, SeededSource(1), 9)] == [5]
    by_position = []
    ExactSource().law(lambda source: by_position.append(parts(data, source, 2)) or 0)
    first, second = (s for s, _ in by_position[0])
    assert first.points.tolist() == [1, 2]
    assert (second.points.tolist(), second.outside) == ([2], (0, 1))
