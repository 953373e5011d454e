"""Public points: laws, privacy for fixed points, and what is certified, measured."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import littlestone as ls
from littlestone.bounds.tails import clopper_pearson
from littlestone.classes import at_public_points
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.exponential import Agnostic
from littlestone.source import ExactSource, SeededSource

LINE = ls.Thresholds(1, 4)


def dichotomies(concept_class, public):
    """What the class does at public points, by brute force: each labelling once."""
    points = np.array(public)
    return Counter(tuple(h.predict(points)) for h in concept_class.concepts())


def law_of(found, sample, rate):
    """The exact law of a draw, as floats."""
    law = ExactSource().law(lambda source: found.candidates(sample).draw(rate, source).key)
    return {key: float(p.mid()) for key, p in law.outcomes.items()}


@pytest.mark.parametrize(
    ("kind", "public"),
    [
        (ls.Thresholds, [2, 5, 5, 7]), (ls.Thresholds, [1]), (ls.Thresholds, [9]),
        (ls.Intervals, [2, 5, 7, 8]), (ls.Intervals, [1, 9, 9]), (ls.Intervals, [3]),
    ],
)  # fmt: skip
def test_one_concept_for_each_dichotomy_by_the_public_rule(kind, public):
    whole = kind(1, 9)
    found = list(at_public_points(whole, public).concepts())
    labels = [tuple(h.predict(np.array(public))) for h in found]
    assert set(labels) == set(dichotomies(whole, public))
    assert len(set(labels)) == len(labels) == at_public_points(whole, public).size
    domain = np.arange(1, 10)
    for concept in whole.concepts():  # x >= t becomes x >= the least public point that is >= t
        ones = np.flatnonzero(concept.predict(domain)) + 1
        ends = [int(ones[0]), int(ones[-1]) + 1] if len(ones) else [10, 10]
        first, last = (min([q for q in public if q >= end], default=10) for end in ends)
        snapped = ((domain >= first) & (domain < last)).astype(int)
        assert tuple(snapped) in {tuple(h.predict(domain)) for h in found}


def test_draws_have_the_law_of_the_exponential_mechanism():
    sample = Sample.of([1, 2, 3, 3, 8, 12], [1, 0, 1, 0, 1, 1])
    for kind in (ls.Thresholds, ls.Intervals):
        found = at_public_points(kind(1, 9), [2, 5, 8])
        law = law_of(found, sample, Fraction(1, 2))
        expected = {}
        for h in found.concepts():
            wrong = int((h.predict(np.array([1, 2, 3, 3, 8])) != [1, 0, 1, 0, 1]).sum()) + 1
            expected[h.key] = np.exp(-wrong / 2)
        total = sum(expected.values())
        assert law == pytest.approx({key: weight / total for key, weight in expected.items()})


@pytest.mark.parametrize(
    "public", [[2, 4], *(pytest.param(x, marks=pytest.mark.more) for x in ([1, 2, 3, 4], [3]))]
)
@pytest.mark.parametrize("n", [2, pytest.param(3, marks=pytest.mark.more)])
def test_all_private_data_sets_for_fixed_public_points(public, n):
    result = ls.audit.verify(
        Agnostic(LINE, epsilon=1, public=public, shift=None), points=[1, 2, 3, 4], n_samples=n
    )
    assert result.holds, result
    assert 0.5 < result.tightest_epsilon <= 1


@pytest.mark.parametrize("low", [s * 2**k - 3 for k in (31, 53, 62, 63, 64) for s in (1, -1)])
def test_edges_of_machine_integers(low):
    """The law is that of small integers, moved."""
    near = at_public_points(ls.Intervals(1, 7), [2, 4, 7])
    far = at_public_points(ls.Intervals(low + 1, low + 7), [low + 2, low + 4, low + 7])
    laws = []
    for found, start in ((near, 0), (far, low)):
        sample = Sample.of([start + x for x in (1, 2, 6, 7)], [1, 0, 1, 1])
        law = law_of(found, sample, Fraction(1))
        laws.append({(kind, *(x - start for x in ends)): p for (kind, *ends), p in law.items()})
    assert laws[0] == pytest.approx(laws[1])


@pytest.mark.more
def test_what_is_certified_for_whom():
    points = range(1, 201)
    sizes = {
        shift: ls.AgnosticLearner(
            ls.Thresholds(1, 2**64), epsilon=1, public=points, shift=shift
        ).required_samples()
        for shift in ((1, 0), (2, "0.01"), None)
    }
    assert sizes[None] == 584 < sizes[1, 0] < 1.02 * 717 < sizes[2, "0.01"]
    alone = ls.AgnosticLearner(ls.Thresholds(1, 2**65536), epsilon=1).required_samples()
    assert alone > 900_000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"public": []}, "at least one point"),
        ({"public": [0]}, "an integer in"),
        ({"public": [2], "shift": (0.5, 0)}, "rho >= 1"),
        ({"public": [2], "shift": (1, 1)}, "tau < 1"),
        ({"public": [2], "shift": 2}, "a pair"),
    ],
)
def test_refusals(arguments, words):
    with pytest.raises(ParameterError, match=words):
        ls.AgnosticLearner(LINE, epsilon=1, **arguments).fit([1], [1])


def test_other_classes_say_what_to_do():
    schema = ls.Schema.from_dict({"a": {"bins": [1]}})
    with pytest.raises(ParameterError, match="by its columns"):
        ls.AgnosticLearner(ls.Rules(schema), epsilon=1, public=[1]).fit([[1]], [1])
    with pytest.raises(ParameterError, match="are not known"):
        ls.GenericLearner(ls.Points(1, 9), epsilon=1, public=[1]).required_samples()
    with pytest.raises(UnsupportedError, match="about 29 are needed"):
        ls.AgnosticLearner(LINE, epsilon=1, public=[1, 2]).fit([1], [1])


def test_a_release_is_read_back_with_its_public_points(tmp_path):
    made = ls.AgnosticLearner(
        ls.Intervals(1, 10**30), epsilon=1, public=range(10**29, 10**29 + 99), random_state=0
    ).fit([10**29 + 7] * 9, [1] * 9)
    made.save(tmp_path / "m.json")
    again = ls.load(tmp_path / "m.json")
    assert again.concept_class == made.release_.concept_class
    assert again.hypothesis == made.hypothesis_


def test_costs_are_certified_against_the_whole_class():
    made = ls.AgnosticLearner(
        LINE, epsilon=1, public=[1, 2, 3, 4] * 20, costs={0: 1, 1: 9}, alpha=0.2
    )
    certificate = made.certificate(made.required_samples())
    assert certificate.holds
    assert {"exp-mech.cost", "public.slabs"} <= set(certificate.claims)


# -- measured: coins, but for two blocks of mass 0.1005 beside the end -----------------------------

HIGH = 10_000


def labelled(rng, n):
    x = rng.integers(1, HIGH + 1, n)
    y = np.where(x > HIGH // 2, 1, 0)
    beside = abs(x - HIGH / 2 - 0.5) < 0.1005 * HIGH
    return x, np.where(beside, y, rng.integers(0, 2, n))


def fails(n, epsilon, trials, m=100):
    """How often the error exceeds the best one by more than 0.1."""
    rng, bad = np.random.default_rng(3), 0
    for trial in range(trials):
        learner = Agnostic(
            ls.Thresholds(1, HIGH), epsilon=epsilon, public=labelled(rng, m)[0].tolist()
        )
        h = learner.draw(Sample.of(*labelled(rng, n)), SeededSource(trial))
        bad += abs(h.above - HIGH // 2) > 0.1 * HIGH
    return bad


@pytest.mark.more
def test_failures_at_the_certified_number_and_at_an_eighth():
    few = fails(2758 // 8, "1/10", 20)
    assert clopper_pearson(few, 20)[0] > 0.3
    enough = fails(2758, "1/10", 80)
    assert clopper_pearson(enough, 80)[1] < 0.05
