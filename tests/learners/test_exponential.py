"""The exponential learner and public points: exact privacy, broken controls, theorems."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from scipy.stats import beta as beta_law
from scipy.stats import binom

import littlestone as ls
from littlestone.bounds.tails import clopper_pearson
from littlestone.classes import at_public_points
from littlestone.data import Sample
from littlestone.data.sample import OrderedSample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.source import ExactSource, SeededSource

# -- The exponential learner: exact privacy on all small data, theorems at n -----------------------

#: ln 3 rounded down to a fraction, so that the claim is not larger than ln 3.
LN3 = Fraction(1098612288, 10**9)
EPSILONS = [Fraction(1, 2), pytest.param(Fraction(1), marks=pytest.mark.full), LN3]
MATRICES = {
    "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "all on two": [[0, 0], [0, 1], [1, 0], [1, 1]],
    "one concept": [[1, 0]],
    "constants": [[0, 0], [1, 1]],
    "one column": [[0], [1]],
}


def make(cls, epsilon=Fraction(1), *, agnostic=False, alpha=0.1, beta=0.05):
    made = Agnostic if agnostic else Generic
    return made(cls, epsilon=epsilon, alpha=alpha, beta=beta)


@pytest.mark.first(1)
@pytest.mark.parametrize("agnostic", [False, True])
@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_finite_classes_are_private(name, agnostic, epsilon):
    cls = ls.theory.FiniteClass(MATRICES[name])
    points = range(len(MATRICES[name][0]))
    for n in (1, 2, 3):
        result = ls.audit.verify(
            make(cls, epsilon, agnostic=agnostic), points=points, n_samples=n, outside=n < 3
        )
        assert result.holds, result
        assert result.slack == 0
        assert result.refusals == 0


@pytest.mark.more
@pytest.mark.parametrize("agnostic", [False, True])
def test_thresholds_are_private_at_four_records(agnostic):
    learner = make(ls.Thresholds(1, 3), LN3, agnostic=agnostic)
    result = ls.audit.verify(learner, points=[1, 2, 3], n_samples=4)
    assert result.holds
    assert (result.datasets, result.pairs) == (6**4, 6**4 * 4 * 5)
    assert ls.audit.verify(learner, points=[1, 3], n_samples=2, outside=True).holds


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("agnostic", [False, True])
@pytest.mark.parametrize(
    ("n", "seeds"),
    [
        *(pytest.param(*how, marks=pytest.mark.more) for how in ((1, (0, 1, 2)), (2, (0, 1)))),
        *(pytest.param(*how, marks=pytest.mark.full) for how in ((3, (0, 1)), (4, (0,)))),
    ],
)
def test_hashed_points_are_private_for_every_public_seed(agnostic, epsilon, n, seeds):
    learner = make(ls.Points(), epsilon, agnostic=agnostic, alpha=0.9, beta=0.8)
    result = ls.audit.verify(
        learner, points=["a", "b", "c"], n_samples=n, public_seeds=seeds, outside=n < 3
    )
    assert result.holds, result
    assert result.refusals == 0


@pytest.mark.parametrize("cls", [ls.Intervals(1, 3), ls.Intervals(1, 1)], ids=str)
def test_intervals_are_private(cls):
    assert ls.audit.verify(make(cls), points=[1, 2, 3][: cls.high], n_samples=2).holds


# --- the law, against brute force ------------------------------------------------------------


def test_output_distribution_is_the_softmax_of_the_errors():
    matrix = np.array(MATRICES["points"])
    X, y = [0, 1, 1, 2], [1, 1, 0, 0]
    learner = ls.GenericLearner(ls.theory.FiniteClass(matrix), epsilon=0.7)
    law = ls.audit.output_distribution(learner, X, y)
    weights = np.exp(-0.35 * (matrix[:, X] != np.array(y)).sum(axis=1))
    truth = weights / weights.sum()
    assert len(law) == 4
    for hypothesis, (low, high) in law.items():
        row = tuple(int(v) for v in hypothesis.predict(np.arange(3)))
        i = matrix.tolist().index(list(row))
        assert low - 1e-12 <= truth[i] <= high + 1e-12
        assert high - low < 1e-12


# --- the theorem, at n = required_samples() --------------------------------------------------


def exact_failure(learner, size, n, alpha):
    """Failure probability in the worst realizable case: one good concept, the others all bad.

    The bad concepts all err on one atom whose mass is just above alpha, so that the number of
    records there is Bin(n, alpha). Computed here, apart from the library.
    """
    k = np.arange(n + 1)
    log_bad = np.log(float(size - 1)) - float(learner.epsilon) / 2 * k
    return float(np.sum(binom.pmf(k, n, alpha) / (1 + np.exp(-log_bad))))


def test_worst_realizable_case_fails_at_most_beta():
    alpha = 0.1
    for bits in (2, 10, 20, 64):
        learner = make(ls.Thresholds(1, 2**bits))
        n = learner.required_samples()
        size = learner.concept_class.size
        assert exact_failure(learner, size, n, alpha) <= 0.05
        # the certificate is tight: fifteen percent fewer records would not do
        if bits >= 10:
            assert exact_failure(learner, size, int(0.85 * n), alpha) > 0.05


def test_ten_thousand_records_over_a_vast_domain():
    rng = np.random.default_rng(8)
    high = 2**1024
    points = [int.from_bytes(rng.bytes(128), "big") + 1 for _ in range(10_000)]
    learner = ls.GenericLearner(ls.Thresholds(1, high), epsilon=1.0, random_state=1)
    labels = [int(p > high // 3) for p in points]
    learner.fit(points, labels)
    assert np.mean(learner.predict(points) == labels) > 0.8
    assert "NOT PRIVATE (seeded)" in str(learner.guarantee_)
    assert "NOT PRIVATE (seeded)" in repr(learner)


def test_large_domains_of_points_are_hashed_where_that_needs_fewer_records():
    large = Generic(ls.Points(1, 2**32), epsilon=1)
    assert large.required_samples() == 276
    assert large.required_samples() == Generic(ls.Points(), epsilon=1).required_samples()
    assert large.certificate(276).holds
    assert not large.certificate(275).holds
    points = np.random.default_rng(0).integers(1, 2**32, 276)
    points[:120] = 77
    released = large.draw(Sample.of(points, points == 77), SeededSource(3))
    others = np.random.default_rng(1).integers(1, 2**32, 500)
    assert np.mean(released.predict(others)) < 0.05
    assert released.predict(np.array([77]))[0] == 1
    # a class that can be listed keeps its own concepts
    small = Generic(ls.Points(1, 2**16 - 1), epsilon=1)
    assert small.draw(Sample.of([7] * 900, [1] * 900), SeededSource(0)).to_dict()["type"] == "point"


# -- what the exponential learners state in zCDP, against exact Rényi divergences ------------------


@pytest.mark.parametrize("epsilon", [F(1, 2), F(3)])
def test_the_stated_rho_holds_at_every_order_and_is_nearly_attained(epsilon):
    learner = registry.make("agnostic", ls.Thresholds(1, 1), epsilon=epsilon)
    rho, worst, laws = float(learner.zcdp.rho), 0.0, {}
    for labels in product((0, 1), repeat=3):
        sample = OrderedSample.listed([1, 1, 1], list(labels))
        law = ExactSource().law(lambda s, x=sample: learner.draw(x, s).key).outcomes
        laws[labels] = {key: float(p) for key, p in law.items()}
    for one, other in product(laws, repeat=2):
        if sum(a != b for a, b in zip(one, other, strict=True)) == 1:
            p, q = laws[one], laws[other]
            for order in (1.01, 1.5, 2, 8, 50):
                moment = sum(p[key] ** order * q[key] ** (1 - order) for key in p)
                worst = max(worst, math.log(moment) / (order - 1) / order)
    assert 0.8 * rho < worst <= rho * (1 + 1e-9)


# -- Public points: laws, privacy for fixed points, and what is certified, measured ----------------

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


def upper_bound(failures, trials, confidence=0.99):
    """Clopper-Pearson."""
    return float(beta_law.ppf(confidence, failures + 1, trials - failures))


@pytest.mark.more
def test_agnostic_excess_error_in_practice():
    """Noisy thresholds: excess error at most alpha, except with probability beta."""
    domain, alpha = 2**12, 0.1
    learner = make(ls.Thresholds(1, domain), agnostic=True)
    n, trials, failures = learner.required_samples(), 1000, 0
    rng = np.random.default_rng(6)
    atoms = np.array([1, domain // 2, domain])
    mass = np.array([0.11, 0.42, 0.47])
    one = np.array([0.96, 0.3, 0.8])  # Pr[y = 1 | x]
    truth = [  # error of each dichotomy that a threshold can make on three atoms
        float(np.sum(mass * np.where(labels, 1 - one, one)))
        for labels in np.array([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]])
    ]
    for trial in range(trials):
        cell = rng.multinomial(n, np.concatenate([mass * (1 - one), mass * one]))
        hypothesis = learner.draw(Sample.binary(atoms, cell[:3], cell[3:]), SeededSource(trial))
        zeros = 3 - int(hypothesis.predict(atoms).sum())
        failures += truth[zeros] > min(truth) + alpha
    assert upper_bound(failures, trials) <= 0.05, failures


@pytest.mark.more
@pytest.mark.parametrize("where", ["spread thin", "a heavy point", "the empty concept"])
def test_points_on_an_infinite_domain(where):
    """Hashing, no list of candidates: about 315 records at alpha 0.1, beta 0.05, epsilon 1."""
    learner = make(ls.Points())
    # a failure rate of 0.05 passes with a chance of 0.7 percent (300 trials), 1 percent (1000)
    trials = 300 if where == "spread thin" else 1000
    n, failures = learner.required_samples(), 0
    assert n <= 320
    rng = np.random.default_rng(7)
    for trial in range(trials):
        if where == "a heavy point":  # target: the point "x", of mass just above alpha
            rare = int(rng.binomial(n, 0.1 + 1e-9))
            names = ["x", "other"]
            ones, zeros = np.array([rare, 0]), np.array([0, n - rare])
        elif where == "the empty concept":
            names, ones, zeros = ["x"], np.array([0]), np.array([n])
        else:
            rare = int(rng.binomial(n, 0.3))
            names = ["x", *(f"point {i}" for i in range(n - rare))]
            ones = np.array([rare] + [0] * (n - rare))
            zeros = np.array([0] + [1] * (n - rare))
        counted = Sample.of(names, [0] * len(names))
        order = [names.index(p) for p in counted.points]
        sample = Sample.binary(counted.points, zeros[order], ones[order])
        hypothesis = learner.draw(sample, SeededSource(trial))
        says = dict(zip(names, hypothesis.predict(np.array(names, dtype=object)), strict=True))
        if where == "a heavy point":
            error = 0.1 * (1 - says["x"]) + 0.9 * says["other"]
        elif where == "the empty concept":
            error = float(says["x"])
        else:
            others = np.mean([v for k, v in says.items() if k != "x"])
            error = 0.3 * (1 - says["x"]) + 0.7 * others
        failures += error >= 0.1
    assert upper_bound(failures, trials) <= 0.05, failures


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


@pytest.mark.more
def test_a_release_is_read_back_with_its_public_points(tmp_path):
    made = ls.AgnosticLearner(
        ls.Intervals(1, 10**30), epsilon=1, public=range(10**29, 10**29 + 99), random_state=0
    ).fit([10**29 + 7] * 9, [1] * 9)
    made.save(tmp_path / "m.json")
    again = ls.load(tmp_path / "m.json")
    assert again.concept_class == made.release_.concept_class
    assert again.hypothesis == made.hypothesis_
