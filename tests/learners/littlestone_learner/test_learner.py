"""The Littlestone learner: parts, certificates, from PAC to any sample."""

import math
from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest
from scipy import stats

import littlestone as ls
from littlestone.bounds import CertificateBuilder, recheck
from littlestone.classes import affine_span, closures
from littlestone.data import Sample
from littlestone.learners.base import Goal
from littlestone.learners.littlestone import Littlestone, closed_within
from littlestone.learners.littlestone_plans import VOTES, ClosedPlan, VoteMargin
from littlestone.source import SeededSource

from .small import learner

# -- The estimator: classes that the issue names, worst cases, errors, the theorem by simulation ---

BUDGET = {"epsilon": 1, "delta": "1e-6", "alpha": "0.1", "beta": "0.05"}
WORDS = np.array(["ant", "bee", "cow", "dog", "eel", "fox", "gnu"], dtype=object)


def words(rng, n, ones):
    X = rng.choice(WORDS, n)
    return X, np.isin(X, WORDS[:ones]).astype(int)


def planes(rng, n):
    base, a, b = rng.integers(0, 7, (3, 20))
    X = (base + rng.integers(0, 7, (n, 1)) * a + rng.integers(0, 7, (n, 1)) * b) % 7
    y = rng.integers(0, 2, n)
    X[y == 0] = rng.integers(0, 7, (int((y == 0).sum()), 20))
    return X, y


def cubes(rng, n):
    X = rng.integers(0, 2, (n, 8))
    return X, X[:, 1] & (1 - X[:, 5])


NAMED = {
    "sparse sets": (ls.SparseSets(3), lambda rng, n: words(rng, n, 3)),
    "points": (ls.Points(), lambda rng, n: words(rng, n, 1)),
    "planes": (ls.theory.AffineSubspaces(7, 20, 2), planes),
    "conjunctions": (ls.theory.Conjunctions(8), cubes),
}


@pytest.mark.first(1)
@pytest.mark.parametrize("name", NAMED)
def test_learned_with_the_certified_number_of_records(name):
    cls, draw = NAMED[name]
    rng = np.random.default_rng(4)
    estimator = ls.theory.LittlestoneLearner(cls, epsilon=1.0, delta=1e-6, random_state=1)
    X, y = draw(rng, estimator.required_samples())
    estimator.fit(X, y)
    assert estimator.certificate_.holds
    assert estimator.guarantee_.epsilon == 1
    fresh, truth = draw(rng, 0) if name == "planes" else draw(rng, 5000)
    assert np.mean(estimator.predict(X) != y) <= 0.1
    if len(fresh):
        assert np.mean(estimator.predict(fresh) != truth) <= 0.1


# --- the theorem: worst cases, Clopper-Pearson ------------------------------------------------


@pytest.mark.more
@pytest.mark.parametrize("scale", [0.7, 2.0])
def test_points_of_middling_weight(scale):
    made = learner(ls.Points(), **BUDGET)
    n, rng = made.required_samples(), np.random.default_rng(int(10 * scale))
    weight = scale * 0.1
    failures = 0
    for seed in range(150):
        ones = rng.binomial(n, weight)
        sample = Sample.of(["x"] * ones + ["y"] * (n - ones), [1] * ones + [0] * (n - ones))
        released = made.draw(sample, SeededSource(seed))
        error = 0.0 if released.predict(np.array(["x"], dtype=object))[0] else weight
        failures += error > 0.1
    assert stats.beta.ppf(0.95, failures + 1, 150 - failures) <= 0.05


def test_a_plane_that_may_look_like_a_line():
    """Few records leave the line of most: whatever is learned errs on few points."""
    rng = np.random.default_rng(3)
    made = learner(ls.theory.AffineSubspaces(7, 20, 2), **BUDGET)
    n = made.required_samples()
    base, a, b = (tuple(row) for row in rng.integers(0, 7, (3, 20)).tolist())
    target = affine_span(
        7, [base, *(tuple((p + q) % 7 for p, q in zip(base, v, strict=True)) for v in (a, b))]
    )
    assert target.dim == 2
    for seed, off in enumerate((0.02, 0.05, 0.3)):
        i = rng.integers(0, 7, n)
        j = np.where(rng.random(n) < off, rng.integers(1, 7, n), 0)
        X = (np.array(base) + i[:, None] * np.array(a) + j[:, None] * np.array(b)) % 7
        sample = Sample.from_arrays(
            X, np.ones(n, dtype=int), domain=ls.theory.AffineSubspaces(7, 20, 2).domain
        )
        released = made.draw(sample, SeededSource(seed))
        assert np.mean(released.predict(X) == 0) <= 0.1
        if off == 0.3:
            assert released == target


def test_noisy_labels_and_nonsense_are_learned_without_an_error():
    """Privacy holds for every input, so nothing may be refused because of the records."""
    rng = np.random.default_rng(0)
    made = learner(ls.SparseSets(2), chunk=40, tolerance=9)
    for n in (0, 1, 39, 500):
        names = [f"w{i}" for i in rng.integers(0, 30, n)]
        sample = Sample.of(names, rng.integers(0, 2, n).tolist())
        assert made.draw(sample, SeededSource(n)).predict(WORDS).shape == (7,)


# --- errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"delta": 0}, "'delta' parameter of LittlestoneLearner must be a number in (0, 1). Got 0"),
        ({"tolerance": -1}, "an integer >= 0"),
    ],
)
def test_public_parameters_are_checked(change, message):
    options = {"epsilon": 1, "delta": 1e-6, **change}
    with pytest.raises(ls.errors.ParameterError) as caught:
        ls.theory.LittlestoneLearner(ls.SparseSets(2), **options).required_samples()
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("cls", "message"),
    [
        (ls.Thresholds(1, 9), "The 'littlestone' learner cannot learn the class"),
        (ls.SparseSets(20), "more than 2\\*\\*14 closed sets"),
        (ls.DecisionTrees(ls.Schema.every_column([0.0]).bind(9), depth=3), "'generic'"),
    ],
)
def test_a_class_that_lacks_an_oracle_is_refused(cls, message):
    with pytest.raises(ls.errors.UnsupportedError, match=message):
        learner(cls).required_samples()


# -- What the certificates say, against exact probabilities; golden numbers; extreme parameters ----

#: Records asked for at epsilon 1, delta 1e-6, alpha 0.1, beta 0.05.
GOLDEN = [
    (ls.Points(), 1606),
    (ls.SparseSets(3), 7614),
    (ls.theory.AffineSubspaces(7, 20, 2), 8880),
]


@pytest.mark.parametrize(("cls", "needed"), GOLDEN, ids=str)
def test_records_that_are_needed(cls, needed):
    found = Littlestone(cls, **BUDGET).plan
    assert found.required == needed
    certificate = found.certificate(needed)
    assert certificate.holds
    assert certificate.status == "explicit"
    assert recheck(certificate.to_dict()) == ()
    assert not found.certificate(needed - 1).holds
    assert not found.certificate(1).holds
    assert all(found.certificate(needed + k).holds for k in (1, 77, needed, 10**9))


# --- the vote margin ---


def exact_failure(teachers, rate, hidden, joint):
    """E[(bottom + bad) / (bottom + bad + good)] for one good and one bad hypothesis."""
    total = 0.0
    for outcome in product(joint, repeat=teachers):
        chance = math.prod(joint[o] for o in outcome)
        bad, good = (sum(o[i] for o in outcome) for i in (0, 1))
        weights = [math.exp(hidden), *(math.exp(rate * v) * (v > 0) for v in (bad, good))]
        total += chance * (1 - weights[2] / sum(weights))
    return total


@pytest.mark.parametrize("miss", [F(0), F(1, 10), F(1, 3)])
@pytest.mark.parametrize("wrong", [F(1, 20), F(1, 4)])
def test_the_gate_bounds_the_exact_failure_for_every_coupling(miss, wrong):
    budget = Goal(F(6), F(1, 10), F(1, 10), F(1, 2))
    rate, cap = 3.0, 1
    seen = 0
    for teachers, votes, power in product((3, 5), (1, 2, 3), (F(1), F(1, 2))):
        cert = CertificateBuilder()
        steps = {
            name: cert.step(name, "v", VOTES, v=value)
            for name, value in (("miss", miss), ("wrong", wrong), ("records", F(teachers)))
        }
        bound = VoteMargin(teachers, votes, power).failure(
            cert, budget, chunk=1, cap=cap, bad=1, **steps
        ).value  # fmt: skip
        hidden = rate + math.log(cap / float(budget.delta))
        most = min(miss, wrong)
        least = max(F(0), miss + wrong - 1)
        for apart in (least, (least + most) / 2, most):
            joint = {
                (1, 0): float(apart),
                (1, 1): float(wrong - apart),
                (0, 0): float(miss - apart),
                (0, 1): float(1 - wrong - miss + apart),
            }
            exact = exact_failure(teachers, rate, hidden, joint)
            assert exact <= bound + 1e-12
            seen = max(seen, exact / bound)
    assert seen > 0.2  # not vacuous


# --- closures -----------------------------------------------------------------------------------


def listing_probabilities(system, weights, chunk, tolerance):
    """For each closed set the exact chance that a teacher lists it; all labels are 1."""
    points = [p for p in weights if p != "elsewhere"]
    names = [*points, "elsewhere"]
    chances: dict[object, float] = {}
    for counts in product(range(chunk + 1), repeat=len(names)):
        if sum(counts) == chunk:
            chance = math.factorial(chunk)
            for name, count in zip(names, counts, strict=True):
                chance *= weights[name] ** count / math.factorial(count)
            positives = [p for p, c in zip(points, counts[:-1], strict=True) for _ in range(c)]
            data = Sample.of(
                [*positives, *["z"] * counts[-1]], [1] * len(positives) + [0] * counts[-1]
            )
            for closed in closed_within(system, data, tolerance, 10**6):
                chances[closed] = chances.get(closed, 0.0) + chance
    return chances


@pytest.mark.more
def test_some_good_set_is_listed_as_often_as_promised():
    """All distributions of a grid over two points and the rest, for sets of two points."""
    system, chunk = closures(ls.SparseSets(2)), 9
    made = ClosedPlan.of(Goal(F(4), F(1, 10), F(1, 2), F(1, 5)), system, chunk, None)
    cert = CertificateBuilder(m=chunk, c=made.tolerance)
    promised = 1 - float(made._miss(cert).value)
    assert 0.35 < promised < 1
    worst = 1.0
    for a, b in product(np.linspace(0, 1, 13), repeat=2):
        if a + b <= 1:
            weights = {"a": a, "b": b, "elsewhere": 1 - a - b}
            chances = listing_probabilities(system, weights, chunk, made.tolerance)
            error = {
                h: sum(weights[p] for p in "ab" if not h.predict(np.array([p], dtype=object))[0])
                for h in chances
            }
            good = [c for h, c in chances.items() if error[h] <= float(made.levels[-1])]
            worst = min(worst, max(good, default=0.0))
    assert worst >= promised - 1e-9
    assert worst < promised + 0.35  # nearly reached


# --- interleaving -------------------------------------------------------------------------------


@pytest.mark.first(1)
@pytest.mark.parametrize(
    "cls", [ls.SparseSets(1), ls.theory.AffineSubspaces(5, 9, 1), ls.theory.Conjunctions(2)]
)
def test_extreme_public_parameters(cls):
    for options in (
        {"epsilon": 1e6},
        {"delta": "1e-400"},
        {"delta": 0.999},
        {"alpha": 0.99, "beta": 0.99},
        {"beta": "1e-30"},
    ):
        made = learner(cls, **{"epsilon": 1, "delta": "1e-6", "alpha": "0.2", **options})
        needed = made.required_samples()
        assert made.certificate(needed).holds
        assert not made.certificate(1).holds or needed == 1
    with pytest.raises(ls.errors.UnsupportedError, match="Raise epsilon"):
        learner(cls, epsilon=1e-9).required_samples()


@pytest.mark.parametrize("cls", [ls.SparseSets(2), ls.theory.Conjunctions(2)], ids=str)
def test_what_cannot_be_certified_is_refused_or_does_not_hold(cls):
    with pytest.raises(ls.errors.UnsupportedError, match="Raise epsilon"):
        learner(cls, alpha="1e-7").required_samples()
    for options in ({"chunk": 10**9}, {"chunk": 4, "tolerance": 10**9}):
        made = learner(cls, **options)
        assert not any(made.certificate(n).holds for n in (1, 10**9, 10**40))


def test_one_concept_needs_no_records():
    made = learner(ls.SparseSets(0))
    assert made.required_samples() == 1
    assert made.certificate(1).holds
    assert made.draw(Sample.of(["a"], [1]), None).describe() == "always 0"


def test_own_settings_change_no_promise_that_does_not_hold():
    made = learner(ls.SparseSets(2), chunk=3, tolerance=2)
    assert not made.certificate(10**6).holds
    assert made.required_samples() == learner(ls.SparseSets(2)).required_samples()


@pytest.mark.full
@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0])
def test_sets_of_middling_weights(scale):
    made = learner(ls.SparseSets(3), **BUDGET)
    n, rng = made.required_samples(), np.random.default_rng(int(10 * scale))
    weights = np.array([1.0, 1.2, 0.9]) * scale * 0.1
    failures, runs = 0, 120
    for seed in range(runs):
        counts = rng.multinomial(n, [*weights, 1 - weights.sum()])
        names = [p for p, c in zip("abcd", counts, strict=True) for _ in range(c)]
        sample = Sample.of(names, [int(p != "d") for p in names])
        found = made.draw(sample, SeededSource(seed)).predict(np.array(list("abc"), dtype=object))
        failures += float(weights[found == 0].sum()) > 0.1
    assert stats.beta.ppf(0.95, failures + 1, runs - failures) <= 0.05
