"""Definition 2.3, checked: exactly for all hash functions of a small family, and by simulation."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from littlestone.classes import (
    AlwaysZero,
    MajorityHypothesis,
    PointHypothesis,
    Points,
    SparseSets,
    load,
)
from littlestone.classes.finite import Boosted, MajoritySet, nearest
from littlestone.classes.hashing import HashedPointSet
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.source import SeededSource, public_generator


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
        drawn = HashedPointSet((table,), None)
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
    for copy, function in enumerate(drawn.functions):
        yield from _of_buckets(drawn, copy, function, sorted(set(function(positive).tolist())))


def _of_buckets(drawn, copy, function, buckets):
    from littlestone.classes import HashHypothesis, HashSetHypothesis

    if hasattr(drawn, "hypothesis"):
        yield drawn.hypothesis(1 + copy * function.buckets + buckets[0])
        assert isinstance(drawn.hypothesis(1), HashHypothesis)
    else:
        yield HashSetHypothesis(function, tuple(buckets))


@pytest.mark.more
def test_boosting_finds_a_near_majority():
    """The program of the proof: if every round is within 1/4, the error is at most sqrt(3)/2**T."""
    base = Points().representation("1/4", "1/4")
    boosted = Boosted(base, "0.1", "0.2")
    source = SeededSource(2)
    rng = public_generator(1)
    points = np.arange(25)
    failures, trials = 0, 20
    for _ in range(trials):
        rounds = boosted.drawn(source).listed()
        weights = rng.integers(1, 20, 25)
        found, errors = nearest(rounds, PointHypothesis(7), points, weights.tolist())
        off = Fraction(
            int(weights[found.predict(points) != (points == 7)].sum()), int(weights.sum())
        )
        if max(errors) <= Fraction(1, 4):
            assert off**2 <= Fraction(3, 4) ** boosted.rounds <= boosted.alpha**2
        failures += off > boosted.alpha
    assert failures / trials <= boosted.beta


def test_majority_and_not_and():
    """The union bound over rounds needs a majority: an AND would miss the target's own point."""
    rounds = [[AlwaysZero()], [PointHypothesis(3)], [PointHypothesis(3)]]
    found, _ = nearest(rounds, PointHypothesis(3), np.array([3, 4]), [1, 9])
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
