"""Hashed representations: Definition 2.3 checked, exact collision probabilities and scores."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone.classes import (
    AlwaysZero,
    FiniteClass,
    Hashed,
    HashFunction,
    HashSetHypothesis,
    IdentityRepresentation,
    MajorityHypothesis,
    PointHypothesis,
    Points,
    SparseSets,
    Thresholds,
    load,
)
from littlestone.classes.finite import Boosted, MajoritySet
from littlestone.classes.hashing import HashedSets, Multiplier, collision
from littlestone.classes.hypotheses import words
from littlestone.data import Sample
from littlestone.data.cells import MAX_LENGTH
from littlestone.data.domains import canonical, object_points
from littlestone.errors import DataError, ParameterError, UnsupportedError
from littlestone.source import ExactSource, SeededSource

# -- Hashing with an exact collision probability, and exact scores ---------------------------------

COIN = st.integers(0, 2**64 - 1)
ATOMS = st.one_of(
    st.integers(), st.text(max_size=20), st.binary(max_size=20), st.none(), st.booleans(),
    st.floats(allow_nan=False),
)  # fmt: skip
POINTS = st.recursive(ATOMS, lambda p: st.lists(p, max_size=3).map(tuple), max_leaves=5)


def polynomial(bits: int) -> flint.nmod_poly:
    return flint.nmod_poly([bits >> i & 1 for i in range(bits.bit_length())], 2)


@pytest.mark.parametrize("width", [8, 64])
def test_the_field_is_a_field(width):
    modulus = polynomial((1 << width) | 0b11011)
    factors = modulus.factor()[1]
    assert len(factors) == 1
    assert factors[0][1] == 1


@given(a=COIN, b=COIN)
def test_multiplication_is_that_of_polynomials_modulo_two(a, b):
    product_ = polynomial(a) * polynomial(b) % polynomial((1 << 64) | 0b11011)
    expected = sum(int(c) << i for i, c in enumerate(product_.coeffs()))
    assert Multiplier(a)(np.array([b], dtype=np.uint64)).tolist() == [expected]


@pytest.mark.parametrize("buckets", [1, 2, 3, 7, 10])
def test_collisions_by_counting_all_coins_of_a_small_field(buckets):
    x, y = 17, 200
    colliding = 0
    for a in range(256):
        values = Multiplier(a, width=8)(np.array([x, y], dtype=np.uint64)).astype(np.int64)
        shifted = values[:, None] ^ np.arange(256)
        first, second = shifted * buckets // 256
        colliding += int((first == second).sum())
    assert Fraction(colliding, 2**16) == collision(buckets, width=8)
    assert 0 <= collision(buckets, width=8) - Fraction(1, buckets) < Fraction(buckets, 2**16)


@given(
    s=COIN,
    a=COIN,
    b=COIN,
    buckets=st.integers(1, 2**32 - 1),
    point=st.integers(-(2**63), 2**63 - 1),
)
def test_a_bucket_by_plain_integers(s, a, b, buckets, point):
    def times(u: int, v: int) -> int:
        out = polynomial(u) * polynomial(v) % polynomial((1 << 64) | 0b11011)
        return sum(int(c) << i for i, c in enumerate(out.coeffs()))

    tag, value = words(point)
    element = times(a, times(s, tag) ^ value) ^ b
    h = HashFunction(s, a, b, buckets)
    assert h(np.array([point])).tolist() == [element * buckets >> 64]
    assert h(object_points([point])).tolist() == [element * buckets >> 64]


def test_the_hash_never_changes():
    """A released hypothesis keeps its meaning in every later version, process and machine."""
    h = HashFunction(key=2**63 + 3, multiplier=0xDEADBEEF, addend=12345, buckets=1000)
    points = object_points([1, -1, 2**64, "", "a", "aa", b"a", 0.5, None, (), ("a", (1, 2))])
    assert h(points).tolist() == [500, 500, 250, 500, 250, 750, 500, 455, 0, 500, 726]


@given(p=POINTS, q=POINTS)
def test_different_points_have_different_words_and_none_is_a_prefix(p, q):
    p, q = canonical(p), canonical(q)
    u, v = words(p), words(q)
    assert (u == v) == (p == q)
    assert u == v or u != v[: len(u)]
    assert u[0] > 0
    assert all(0 <= w < 2**64 for w in u)


@pytest.mark.parametrize("size", [500, 520, 600, 4_096, 5_000])
def test_long_points_have_the_polynomial_of_their_words(size):
    """Few long points take another way to the same element: Horner's rule, word by word."""
    rng = np.random.default_rng(size)
    points = object_points(["x" * size, "ab", "y" * size, rng.bytes(size)])
    s, a, b = (int(c) for c in rng.integers(0, 2**64, size=3, dtype=np.uint64))
    step, times, expected = Multiplier(s), Multiplier(a), []
    for point in points:
        element = 0
        for word in words(point):
            element = int(step(element)) ^ word
        expected.append((int(times(element)) ^ b) * 1000 >> 64)
    assert HashFunction(s, a, b, 1000)(points).tolist() == expected


def test_layouts_agree():
    h = HashFunction(3, 5, 7, 1000)
    rows = np.array([[1, 2], [3, 4], [-1, 0]])
    assert h(rows).tolist() == h(object_points([(1, 2), (3, 4), (-1, 0)])).tolist()
    assert h(np.array([4, -4])).tolist() == h(object_points([4.0, -4])).tolist()


@pytest.mark.parametrize(
    ("alpha", "beta"), [(0.1, 0.05), (0.25, 0.25), (0.5, 0.01), (0.01, 1e-6), (1e-6, 0.05)]
)
def test_the_parameters_reach_alpha_and_beta_and_are_the_cheapest(alpha, beta):
    r = Points().representation(alpha, beta)
    a, b = Fraction(str(alpha)), Fraction(str(beta))
    assert isinstance(r, Hashed)
    assert (r.alpha, r.beta, r.proper) == (a, b, False)
    assert (r.collision / a) ** r.copies <= b
    sizes = []
    for copies in range(1, 40):  # the least number of buckets, by bisection in exact arithmetic
        low, high = 0, 2**32
        while high - low > 1:
            middle = (low + high) // 2
            share = collision(middle) + Fraction(1, 2**32)
            low, high = (low, middle) if (share / a) ** copies <= b else (middle, high)
        sizes.append(copies * high + 1)
    assert r.size == min(sizes)


def test_a_representation_represents():
    """Definition 2.3 by simulation: P[no hypothesis within alpha] <= beta."""
    alpha, beta = 0.25, 0.25
    r = Points().representation(alpha, beta)
    source = SeededSource(5)
    x, rest = 0, np.arange(1, 7)  # six other points share all the mass
    failures = 0
    for _ in range(800):
        functions = r.drawn(source).functions
        best = min(float(np.mean(f(rest) == f(np.array([x]))[0])) for f in functions)
        failures += best > alpha
    assert failures / 800 <= beta


RECORDS = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, "a", "bb", 2**70, ("a", 1)]), st.integers(0, 1)),
    max_size=8,
)


@given(records=RECORDS, seed=st.integers(0, 100), outside=st.sampled_from([(0, 0), (2, 1)]))
@settings(max_examples=settings.default.max_examples // 3)
def test_exact_scores_of_hashed_points(oracle, records, seed, outside):
    sample = Sample.of([x for x, _ in records], [y for _, y in records])
    sample = Sample.binary(sample.points, sample.zeros, sample.ones, outside)
    drawn = Points().representation(0.5, 0.4).drawn(SeededSource(seed))
    buckets = drawn.functions[0].buckets
    hypotheses = [AlwaysZero()] + [
        HashSetHypothesis(f, (r,)) for f, r in product(drawn.functions, range(buckets))
    ]
    direct = []
    for h in hypotheses:
        wrong = sample.outside[1] + int(
            np.where(h.predict(sample.points) == 1, sample.zeros, sample.ones).sum()
        )
        direct.append((h.key, wrong))
    assert drawn.size == len(hypotheses)
    oracle.assert_same_law(drawn.candidates(sample), direct, Fraction(1, 2))


def test_the_surrogate_of_a_class_is_its_error():
    """min over c of err(c) + dis(c, h) = err(h) for h in the class, by brute force."""
    rows = [(0, 0, 1), (0, 1, 0), (1, 1, 1)]
    whole = FiniteClass(rows).representation()
    assert isinstance(whole, IdentityRepresentation)
    assert (whole.alpha, whole.beta, whole.proper) == (0, 0, True)
    for labels in product((0, 1), repeat=3):
        for h in rows:

            def distance(u, v):
                return sum(a != b for a, b in zip(u, v, strict=True))

            assert min(distance(c, labels) + distance(c, h) for c in rows) == distance(h, labels)
    assert whole.drawn(SeededSource(0)) is whole
    sample = Sample.of([0, 1, 2], [0, 1, 0])
    assert whole.candidates(sample).size == 3


def test_bounded_points_take_the_smaller_of_hashing_and_enumeration():
    assert isinstance(Points(1, 50).representation(0.1, 0.05), IdentityRepresentation)
    assert isinstance(Points(1, 50).representation(), IdentityRepresentation)
    hashed = Points(1, 2**64).representation(0.1, 0.05)
    assert hashed.size == Points().representation(0.1, 0.05).size
    drawn = hashed.drawn(SeededSource(0))
    inside = Sample.of([5], [1])
    beyond = Sample.of([0, 5], [1, 1])  # 0 is outside 1 .. 2**64: labelled 0 by all
    scores = [
        c.draw(Fraction(1000), SeededSource(1)).key
        for c in (drawn.candidates(inside), drawn.candidates(beyond))
    ]
    assert scores[0] == scores[1]
    hypothesis = drawn.candidates(inside).draw(Fraction(1000), SeededSource(1))
    assert hypothesis.predict(np.array([5])).tolist() == [1]
    assert not hypothesis.predict(np.arange(-3000, 1)).any()
    assert json.loads(json.dumps(drawn.to_dict()))["size"] == hashed.size


def test_public_coins_are_drawn_only_when_needed():
    law = ExactSource().law(
        lambda source: Points().representation(0.5, 0.5).drawn(source).functions[0].key
    )
    assert len(law.outcomes) == 1
    other = ExactSource(public_seed=1).law(
        lambda source: Points().representation(0.5, 0.5).drawn(source).functions[0].key
    )
    assert set(law.outcomes) != set(other.outcomes)


def test_sets_without_points_represent_themselves():
    assert isinstance(SparseSets(0).representation(0.1, 0.05), IdentityRepresentation)


def test_refusals():
    with pytest.raises(UnsupportedError, match="representation"):
        Points().candidates(Sample.of([1], [1]))
    with pytest.raises(UnsupportedError, match="infinite"):
        IdentityRepresentation(Points())
    with pytest.raises(ParameterError, match="'alpha' parameter of Points"):
        Points().representation(beta=0.1)
    with pytest.raises(ParameterError, match="buckets would be needed"):
        Points().representation(1e-9, 0.1)
    with pytest.raises(ParameterError, match="buckets would be needed"):
        Points().representation("1e-320", "1e-400")
    with pytest.raises(DataError, match="A point must be"):
        HashFunction(1, 2, 3, 4)(object_points([{1}]))
    with pytest.raises(ParameterError, match="'buckets' parameter of Hashed"):
        Hashed(Points(), Fraction(1, 10), Fraction(1, 20), copies=3, buckets=27)
    assert Thresholds(1, 3).representation(0.1, 0.1).size == 4


# -- Definition 2.3, checked: exactly for all hash functions of a small family, and by simulation --


@dataclass(frozen=True)
class Table:
    """A hash function that is written out."""

    values: dict
    buckets: int

    def __call__(self, points):
        return np.array([self.values[point] for point in points.tolist()])


def distributions(k):
    """Uniform distributions over all subsets of k points: alpha is crossed at different sizes."""
    for chosen in product((0, 1), repeat=k):
        if any(chosen):
            yield [Fraction(c, sum(chosen)) for c in chosen]


@pytest.mark.parametrize(("alpha", "copies"), [(Fraction(1, 2), 1), (Fraction(2, 3), 2)])
def test_the_definition_exactly(alpha, copies):
    """P[no hypothesis within alpha] <= (1/(R alpha))**copies for every concept, many D's."""
    points, buckets = np.array(list("abcd"), dtype=object), 3
    concepts = [c.predict(points) for c in (AlwaysZero(), *map(PointHypothesis, "abcd"))]
    single = []  # for each hash function the labels of its hypotheses
    for values in product(range(buckets), repeat=4):
        table = Table(dict(zip("abcd", values, strict=True)), buckets)
        drawn = HashedSets((table,), 1, None, buckets + 1)
        single.append(np.array([h.predict(points) for h in drawn.hypotheses()]))
    bound = Fraction(1, buckets) / alpha
    for weights in distributions(4):
        exact = np.array([int(12 * w) for w in weights])
        for concept in concepts:
            missed = sum(((labels != concept) @ exact).min() > 12 * alpha for labels in single)
            assert Fraction(int(missed), len(single)) ** copies <= bound**copies


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("concept_class", "alpha", "beta"),
    [(Points(), 0.2, 0.3), (SparseSets(2), 0.4, 0.3)],
    ids=["points", "sparse sets"],
)
def test_the_definition_by_simulation(concept_class, alpha, beta):
    """The drawn functions, a hard distribution: all mass beside the concept."""
    source = SeededSource(3)
    r = concept_class.representation(alpha, beta)
    points = np.array([0, 1, *range(10, 30)])
    size = 1 if isinstance(concept_class, Points) else 2
    concept = points < size
    mass = points >= 10
    trials, failures = 150, 0
    for _ in range(trials):
        drawn = r.drawn(source)
        labels = np.array([h.predict(points) for h in near(drawn, points[concept])])
        far = (labels != concept)[:, mass].mean(axis=1)
        failures += far.min() > alpha
    assert failures / trials <= beta


def near(drawn, positive):
    """Return the hypotheses of the proof: the target's own buckets in each copy."""
    for function in drawn.functions:
        yield HashSetHypothesis(function, tuple(sorted(set(function(positive).tolist()))))


def test_majorities():
    """The union bound over rounds needs a majority: an AND would miss the target's own point."""
    found = MajorityHypothesis((AlwaysZero(), PointHypothesis(3), PointHypothesis(3)))
    assert found.predict(np.array([3, 4])).tolist() == [1, 0]
    assert load(found.to_dict()) == found
    assert found == MajorityHypothesis((PointHypothesis(3), AlwaysZero(), PointHypothesis(3)))
    assert "majority of" in found.describe()
    with pytest.raises(ParameterError, match="odd number"):
        MajorityHypothesis.from_dict({"type": "majority", "parts": [AlwaysZero().to_dict()] * 2})


def test_boosting_parameters_and_sizes(oracle):
    base = Points().representation("1/4", "1/4")
    for alpha, beta in [("0.65", "0.25"), ("0.1", "0.05"), ("0.01", "1e-6")]:
        boosted = Boosted(base, alpha, beta)
        assert Fraction(3, 4) ** boosted.rounds <= boosted.alpha**2
        assert boosted.rounds % 2 == 1
        assert boosted.rounds == 1 or Fraction(3, 4) ** (boosted.rounds - 2) > boosted.alpha**2
        assert Fraction(1, 4**boosted.copies) <= boosted.beta / boosted.rounds
        assert boosted.size == (boosted.copies * base.size) ** boosted.rounds
    with pytest.raises(ParameterError, match="at most 1/4"):
        Boosted(Points().representation("1/2", "1/4"), "0.1", "0.1")
    with pytest.raises(UnsupportedError, match="majorities"):
        boosted.drawn(SeededSource(0)).candidates(Sample.of([1], [1]))
    # a small one, exactly
    coarse = Points().hashed(1, 3)
    drawn = MajoritySet(tuple((coarse.drawn(SeededSource(i)),) for i in range(3)))
    sample = Sample.of([1, 1, 2, 5], [1, 1, 0, 1])
    listed = [
        (h.key, int(np.where(h.predict(sample.points) == 1, sample.zeros, sample.ones).sum()))
        for h in drawn.hypotheses()
    ]
    assert len(listed) == drawn.size == 64
    oracle.assert_same_law(drawn.candidates(sample), listed, Fraction(1, 2))


def test_a_long_point_does_not_hold_up_a_release():
    points = object_points(["x" * MAX_LENGTH, *(f"y{i}" for i in range(200))])
    sample = Sample.of(points, [1] * 100 + [0] * 101)
    source = SeededSource(0)
    drawn = Points().representation(0.1, 0.05).drawn(source)
    drawn.candidates(sample).draw(Fraction(1, 10), source)
