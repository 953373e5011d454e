"""Flats of large spaces: exact counts of every score, and images under random linear maps."""

import json
from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import littlestone as ls
from littlestone.audit import replace_one, verify_mechanism
from littlestone.classes import AffineSubspaces, flat_through, load
from littlestone.classes.affine_subspaces import levels
from littlestone.classes.affine_subspaces.hashed import HashedFlats, HashedFlatSet, ImageHypothesis
from littlestone.classes.affine_subspaces.levels import FlatTable
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.planning.scenarios import scenarios
from littlestone.source import SecureSource, SeededSource, public_generator

RATE = Fraction(1, 3)


def flats_of(q, n, dim):
    """Return all flats as sets of points, by closing small sets under affine combinations."""
    points = list(product(range(q), repeat=n))
    found = {frozenset([x]) for x in points}
    for _ in range(dim):
        found |= {closed(q, flat | {x}) for flat in found for x in points}
    return found


def closed(q, points):
    """Return the smallest set that holds x + t (y - z) for all x, y, z of it."""
    points = set(points)
    while True:
        new = {
            tuple((a + t * (b - c)) % q for a, b, c in zip(x, y, z, strict=True))
            for x, y, z in product(points, repeat=3)
            for t in range(q)
        }
        if new <= points:
            return frozenset(points)
        points |= new


@pytest.mark.first(6)
@pytest.mark.parametrize(
    ("q", "n", "dim"), [(2, 1, 1), (2, 2, 1), (2, 3, 2), (3, 2, 1), (3, 2, 2), (3, 1, 0), (5, 2, 1)]
)
def test_every_flat_has_its_gain(q, n, dim, monkeypatch):
    monkeypatch.setattr(levels, "_CHUNK", 7)  # many blocks, and many of them waiting
    gains = public_generator(q, n).integers(-4, 5, size=q**n)
    place = {x: i for i, x in enumerate(product(range(q), repeat=n))}
    table = FlatTable(q, n, dim, gains)
    by_gain = {}
    for flat in flats_of(q, n, dim):
        by_gain.setdefault(int(sum(gains[place[x]] for x in flat)), set()).add(flat)
    assert table.levels() == Counter({gain: len(flats) for gain, flats in by_gain.items()})
    for gain, flats in by_gain.items():
        drawn = (table.flat(gain, i) for i in range(len(flats)))
        seen = {frozenset(ls.classes.FlatHypothesis(q, n, *each).points()) for each in drawn}
        assert seen == flats
    with pytest.raises(IndexError):
        table.flat(max(by_gain), len(by_gain[max(by_gain)]))


def test_gains_of_any_size():
    table = levels.cells(np.array([[0, 1], [1, 0]]), np.array([2**40, -(2**40)]), 2, 2)
    assert FlatTable(2, 2, 1, table).levels() == Counter({0: 4, 2**40: 3, -(2**40): 3})


def image(matrix, x, q):
    return tuple(sum(a * b for a, b in zip(row, x, strict=True)) % q for row in matrix)


@pytest.mark.parametrize(("q", "n", "dim", "m"), [(2, 3, 1, 2), (3, 2, 0, 1), (2, 3, 0, 1)])
def test_images_are_near_over_all_maps(q, n, dim, m):
    """No false negative, and each point outside is hit by at most q**dim / q**m of all maps."""
    points = list(product(range(q), repeat=n))
    matrices = [
        tuple(entries[i * n : i * n + n] for i in range(m))
        for entries in product(range(q), repeat=m * n)
    ]
    collision = AffineSubspaces(q, n, dim).hashing.collision(q**m)
    assert collision == Fraction(q**dim, q**m)
    array = np.array(points)
    for flat in flats_of(q, n, dim):
        wrong = np.zeros(len(points), dtype=int)
        for matrix in matrices:
            under = flat_through(q, [image(matrix, x, q) for x in flat])
            ones = ImageHypothesis(n, matrix, under).predict(array) == 1
            assert ones[[x in flat for x in points]].all()
            wrong += ones & np.array([x not in flat for x in points])
        assert Fraction(int(wrong.max()), len(matrices)) <= collision


MATRICES = (((1, 0, 1), (0, 1, 1)), ((1, 1, 0), (0, 0, 1)))
DRAWN = HashedFlatSet(AffineSubspaces(2, 3, 1), MATRICES, 20)


def test_law_of_images(oracle):
    rng = np.random.default_rng(5)
    bits = np.array(list(product((0, 1), repeat=3)))
    data = Sample.of(bits[rng.integers(0, 8, 12)], rng.integers(0, 2, 12))
    errors = []
    for matrix in MATRICES:
        for flat in flats_of(2, 2, 1):

            def accepts(x, matrix=matrix, flat=flat):
                return image(matrix, x, 2) in flat

            key = ImageHypothesis(3, matrix, flat_through(2, flat)).key
            errors.append((key, oracle.count_errors(accepts, data)))
    assert len(errors) == DRAWN.size == len(list(DRAWN.hypotheses()))
    oracle.assert_same_law(DRAWN.candidates(data), errors, RATE)


def private(drawn=DRAWN, rate=Fraction(1, 2)):
    """Whether a draw is 1-DP, on all data sets of two records at three points."""

    def release(records, source):
        points = np.array([x for x, _ in records])
        sample = Sample.of(points, np.array([y for _, y in records]))
        return drawn.candidates(sample).draw(rate, source).key

    records = [((0, 0, 0), 1), ((0, 0, 0), 0), ((1, 1, 0), 1), ((0, 1, 1), 1)]
    return verify_mechanism(release, replace_one(records, 2), epsilon=1, delta=0).holds


def test_draws_are_private_and_the_check_can_fail(monkeypatch):
    assert private()
    assert not private(rate=Fraction(3, 2))  # the rate is not halved

    def doubled(rows, gains, q, n, cells=levels.cells):
        return 3 * cells(rows, gains, q, n)  # a record counts for each copy

    monkeypatch.setattr("littlestone.classes.affine_subspaces.hashed.cells", doubled)
    assert not private()


def test_representation_and_hypotheses():
    flats = AffineSubspaces(3, 30, 1)
    found = flats.representation(alpha=0.1, beta=0.05)
    assert isinstance(found, HashedFlats)
    collision = flats.hashing.collision(found.buckets)
    assert (collision / Fraction(1, 10)) ** found.copies <= Fraction(1, 20)
    drawn = found.drawn(SeededSource(0))
    assert drawn.to_dict()["size"] == found.size
    hypothesis = drawn.candidates(Sample.of(np.eye(30, dtype=int), [1] * 30)).draw(
        RATE, SeededSource(1)
    )
    assert load(json.loads(json.dumps(hypothesis.to_dict()))) == hypothesis
    assert "public linear map" in hypothesis.describe()
    for wrong in ({"rows": [[0, 1]]}, {"rows": [[3] * 30] * found.rows}, {"n": 29}):
        with pytest.raises(ParameterError):
            load(hypothesis.to_dict() | wrong)
    with pytest.raises(UnsupportedError, match="surrogate"):
        drawn.surrogate_candidates(Sample.of(np.eye(30, dtype=int), [1] * 30))
    with pytest.raises(ParameterError, match="one of"):
        HashedFlats(flats, Fraction(1, 2), Fraction(1, 2), 1, 10)
    with pytest.raises(UnsupportedError, match="near enough"):
        HashedFlats(flats, Fraction(1, 10**9), Fraction(1, 2), 1, found.buckets)
    with pytest.raises(UnsupportedError, match="near enough"):
        AffineSubspaces(2, 400, 7).representation(alpha=1e-9, beta=1e-9)
    with pytest.raises(UnsupportedError, match="no images"):
        _ = AffineSubspaces(2**19 - 1, 9, 3).hashing
    assert AffineSubspaces(2, 3, 1).representation(0.1, 0.1).proper  # smaller than its images
    with pytest.raises(UnsupportedError, match="2\\*\\*26"):
        flats.candidates(Sample.of(np.eye(30, dtype=int), [1] * 30))


@pytest.mark.parametrize(
    "flats",
    [
        ls.AffineSubspaces(3, 30, 1),
        pytest.param(ls.AffineSubspaces(7, 20, 2), marks=pytest.mark.more),
    ],
    ids=str,
)
def test_the_chosen_learner_of_large_flats_fits(flats):
    """`plan` chose a learner that `fit` refused; now it fits, and its error is small."""
    chosen = ls.plan(flats, epsilon=1, delta=1e-6).chosen
    assert chosen.learner == "agnostic"
    for scenario in scenarios(flats, Fraction(1, 10), noise=0.1):
        sample = scenario.draw(chosen.n, public_generator(0))
        release = run(chosen.algorithm, sample, SecureSource())
        assert release.certificate.holds
        assert scenario.excess(release.hypothesis) <= 0.1


def test_what_cannot_be_reached_is_refused_before_there_are_data():
    learner = registry.make(
        "agnostic", ls.AffineSubspaces(7, 20, 2), epsilon=1, alpha="0.0001", beta="0.000001"
    )
    assert not ls.runnable(learner).ok
    assert "Raise them" in ls.runnable(learner).next_step


def test_brute_force_agrees_with_spans():
    """The two descriptions of flats in this file and in the class are of the same sets."""
    spanned = {
        frozenset(flat_through(3, chosen).points())
        for r in (1, 2)
        for chosen in combinations(product(range(3), repeat=2), r)
    }
    assert spanned == flats_of(3, 2, 1)
