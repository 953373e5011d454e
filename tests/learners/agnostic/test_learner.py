"""Agnostic learners: certificates, placed answers, refusals."""

import json
import math
from fractions import Fraction as F

import numpy as np
import pytest
from scipy.stats import beta as beta_law
from sklearn.base import clone

import littlestone as ls
from littlestone.bounds import recheck
from littlestone.classes import PointHypothesis, ThresholdHypothesis
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners import registry
from littlestone.learners.agnostic import TwoSample, rate_for
from littlestone.source import SeededSource, public_generator

# -- Certificates, sizes, theorem, estimators: what the wrappers promise beyond privacy ------------

FAR = ls.Thresholds(0, 2**65536)


def vc1(concepts, epsilon=1, delta="1e-6"):
    return registry.make("vc1", concepts, epsilon=epsilon, delta=delta)


@pytest.mark.parametrize(
    ("learner", "budget"),
    [
        (vc1(FAR), {"epsilon": 1}),
        (vc1(ls.Points()), {"epsilon": "0.1", "delta": "1e-9"}),
        (vc1(ls.Prefixes("ipv6")), {"epsilon": 4, "alpha": "0.3", "beta": "0.2"}),
        (registry.make("generic", ls.Thresholds(1, 99), epsilon=2), {"epsilon": 1}),
        (registry.make("generic", ls.Points(1, 99), epsilon=2), {"epsilon": "1e-9"}),
        (
            registry.make("generic", ls.theory.FiniteClass([[0, 1], [1, 0]]), epsilon=2),
            {"epsilon": 1},
        ),
    ],
    ids=lambda x: getattr(x, "name", str(x)),
)
def test_certificates(learner, budget):
    algorithm = TwoSample(learner, **budget)
    n = algorithm.required_samples()
    for size in (1, n // 2, n - 1):
        assert not algorithm.certificate(size).holds
    for size in (n, n + 1, 10 * n):
        certificate = algorithm.certificate(size)
        assert certificate.holds
        assert certificate.status == "explicit"
        assert recheck(json.loads(json.dumps(certificate.to_dict()))) == ()
    promise = algorithm.guarantee()
    assert promise.epsilon == F(budget["epsilon"])
    assert promise.delta <= F(budget.get("delta", learner.guarantee().delta))
    way = algorithm.plan
    # the amplified loss of the first part, in floats
    loss = np.log1p(float(way.rate) * (4 * np.exp(float(way.learner.epsilon)) - 1))
    assert loss <= float(promise.epsilon) * (1 + 1e-9)
    assert way.first <= way.rate * way.pool


def test_a_forged_inner_step_is_noticed():
    algorithm = TwoSample(vc1(FAR), epsilon=1)
    document = algorithm.certificate(algorithm.required_samples()).to_dict()
    names = [step["name"] for step in document["steps"]]
    assert sum(name.startswith("learner.") for name in names) >= 2
    assert sum(name.startswith("dichotomy.") for name in names) >= 2
    for i, name in enumerate(names):
        forged = json.loads(json.dumps(document))
        value = forged["steps"][i]["value"]
        forged["steps"][i]["value"] = not value if isinstance(value, bool) else 7
        assert any(name in line for line in recheck(forged)), name


def test_enormous_domains_cost_hardly_more():
    needs = [TwoSample(vc1(c), epsilon=1).required_samples() for c in (
        ls.Thresholds(0, 2**256), FAR)]  # fmt: skip
    assert needs[0] < needs[1] < 75_000
    assert registry.make("agnostic", FAR, epsilon=1).required_samples() > 900_000


def noisy(name, n, generator):
    """Records whose labels are flipped in 3 of 20 cases, and the best concept."""
    if name == "thresholds":
        best = ThresholdHypothesis(2**19 << 60_000, FAR.low, FAR.high)
        points = np.array([int(x) << 60_000 for x in generator.integers(0, 2**20, n)], dtype=object)
    else:
        best = PointHypothesis(7)
        points = np.where(generator.random(n) < 0.4, 7, generator.integers(8, 10**6, n))
    flips = generator.random(n) < 0.15
    return Sample.of(points, best.predict(points) ^ flips), best


def excess(name, hypothesis):
    """The error above the best concept's, 0.15: exactly, from the distribution."""
    if name == "thresholds":
        at = (hypothesis.above >> 60_000) / 2**20
        return 0.7 * abs(at - 0.5)
    wrong_on_seven = hypothesis.predict(np.array([7]))[0] == 0
    return 0.7 * 0.4 * wrong_on_seven


@pytest.mark.more
@pytest.mark.parametrize("name", ["thresholds", "points"])
def test_theorem_on_noisy_labels(name):
    """Excess error above alpha at most as often as beta (Clopper-Pearson, 99.9 %)."""
    concepts = FAR if name == "thresholds" else ls.Points()
    algorithm = TwoSample(vc1(concepts), epsilon=4, alpha="0.25", beta="0.3")
    n, generator = algorithm.required_samples(), public_generator(11)
    runs, failures = 20, 0
    for seed in range(runs):
        sample, _ = noisy(name, n, generator)
        hypothesis = algorithm.draw(sample, SeededSource(seed))
        failures += excess(name, hypothesis) > 0.25
    assert beta_law.ppf(0.001, failures, runs - failures + 1) <= 0.3 if failures else True


def test_labels_of_the_first_part_do_not_matter():
    """With all labels of the pool flipped, the result is the same, draw by draw."""
    from littlestone.data.sample import OrderedSample
    from littlestone.source import ReplaySource

    algorithm = TwoSample(vc1(ls.Points()), epsilon=4, pool=3)
    points, labels = [1, 2, 3, 1, 2, 1], [1, 0, 1, 1, 0, 1]
    shown = []
    for flip in (0, 1):
        source = ReplaySource([0] * 20)
        given = [y ^ flip for y in labels[:3]] + labels[3:]
        algorithm.draw(OrderedSample.listed(points, given), source)
        shown.append(source.presented)
    assert shown[0] == shown[1]


def test_rates_and_losses_are_inverse():
    for epsilon, inner, factor in [(F(1), F(2), 1), (F(1, 10**9), F(1), 4), (F(9), F(10), 4)]:
        rate = rate_for(epsilon, inner, factor)
        assert 0 < rate < 1
        loss = math.log1p(float(rate) * (factor * math.exp(inner) - 1))
        assert loss == pytest.approx(float(epsilon), rel=1e-7)
    assert rate_for(F(10**6), F(10**6) + 1) < F(37, 100)
    assert rate_for(F(3), F(1), 4) == 1


def test_extreme_public_parameters():
    for epsilon in ("1e-9", 10**6):
        algorithm = TwoSample(vc1(ls.Points()), epsilon=epsilon)
        assert algorithm.certificate(algorithm.required_samples()).holds
        assert not algorithm.certificate(1).holds
    for delta in (F(1, 10**400), "0.999"):
        algorithm = TwoSample(vc1(ls.Points()), epsilon=1, delta=delta)
        assert 0 < algorithm.guarantee().delta <= F(delta)


# --- estimators -------------------------------------------------------------------------------


def test_mistakes_are_taught():
    realizable = ls.VC1Learner(ls.Thresholds(1, 99), epsilon=1, delta=1e-6)
    pure = ls.GenericLearner(ls.Thresholds(1, 99), epsilon=1)
    for wrapper, message in [
        (lambda: ls.theory.AgnosticFromRealizable(3, epsilon=1), "'learner' parameter"),
        (lambda: ls.theory.AgnosticFromRealizable(realizable, epsilon=0), "'epsilon' parameter"),
        (
            lambda: ls.theory.AgnosticFromRealizable(realizable, epsilon=1, delta=2),
            "'delta' parameter",
        ),
        (lambda: ls.theory.AgnosticFromRealizable(pure, epsilon=1, delta=1e-6), "leave delta out"),
    ]:
        with pytest.raises(ParameterError, match=message):
            wrapper().required_samples()
    trees = ls.BoostedTrees(ls.Schema.every_column([0.0]), epsilon=1, delta="1e-6")
    with pytest.raises(UnsupportedError, match="no certificate before data"):
        ls.theory.AgnosticFromRealizable(trees, epsilon=1).fit([[3], [40]], [0, 1])
    rules = ls.theory.AffineSubspaces(7, 20, 2)
    with pytest.raises(UnsupportedError, match="dichotomies"):
        ls.theory.AgnosticFromRealizable(
            ls.GenericLearner(rules, epsilon=1), epsilon=1
        ).certificate(9)


def test_tiny_failure_probabilities():
    algorithm = TwoSample(vc1(ls.Points()), epsilon=1, beta=F(1, 10**30))
    assert algorithm.certificate(algorithm.required_samples()).holds


def test_assumptions_are_those_of_the_whole():
    """The learner's records are labelled by a concept: that is no assumption about the data."""
    from littlestone.report.evaluated import accuracy_asked

    for learner in (vc1(FAR), registry.make("generic", ls.Points(), epsilon=1)):
        algorithm = TwoSample(learner, epsilon=1)
        certificate = algorithm.certificate(algorithm.required_samples())
        assert not any("realizable" in text for text in certificate.assumptions)
        assert any("independent" in text for text in certificate.assumptions)
        assert "above that of the best" in accuracy_asked(certificate)
    assert "above" not in accuracy_asked(vc1(FAR).certificate(5000))


def test_estimators_are_scikit_learns():
    realizable = ls.VC1Learner(ls.Thresholds(1, 99), epsilon=1, delta=1e-6)
    learner = clone(ls.theory.AgnosticFromRealizable(realizable, epsilon=30, random_state=0))
    assert learner.get_params()["learner__epsilon"] == 1
    assert "NOT PRIVATE" in repr(learner)
    X = np.tile(np.arange(1, 100), 60)
    y = np.where(X > 40, "yes", "no")
    y[::9] = "no"
    learner.set_params(classes=("no", "yes"))
    assert np.mean(learner.fit(X, y).predict(X) == y) > 0.8
    assert learner.guarantee_.seeded
