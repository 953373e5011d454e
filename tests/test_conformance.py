"""Every learner, class and mechanism passes the conformance suites; broken ones do not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import pytest
from audit.table import count, histogram, items, lists, moves, select

import littlestone as ls
from littlestone.audit import replace_one
from littlestone.classes import (
    CLASSES,
    BoostedTreeClass,
    LinearClass,
    ScorecardClass,
    ThresholdHypothesis,
    at_public_points,
)
from littlestone.learners.exponential import Generic
from littlestone.learners.linear import Linear
from littlestone.learners.registry import LEARNERS
from littlestone.learners.sklearn_base import PrivateClassifier
from littlestone.source import ExplicitWeights, SeededSource
from littlestone.testing import (
    check_class,
    check_learner,
    check_mechanism,
    class_checks,
    learner_checks,
    mechanism_checks,
)

LINE = ls.Thresholds(1, 3)
PAIR = ls.Points(2**62, 2**62 + 1)
SMALL = {"epsilon": 1, "delta": 1e-6}
CITY = ls.Schema.from_dict({"city": {"categories": ["Bonn"]}})
AGES = ls.Schema.from_dict({"age": {"bins": [30]}, "city": {"categories": ["Bonn"]}})
#: Estimators by the names of their learners: every learner of the registry, and those around them.
ESTIMATORS = {
    "generic": ls.GenericLearner(LINE, epsilon=1),
    "agnostic": ls.AgnosticLearner(LINE, epsilon=1),
    "agnostic, three labels": ls.AgnosticLearner(
        ls.theory.FiniteClass([[0, 1], [2, 1], [0, 2]], labels=("a", "b", "c")), epsilon=1
    ),
    "agnostic, public points": ls.AgnosticLearner(
        ls.Intervals(1, 4), epsilon=1, public=[2, 3] * 40
    ),
    "vc1": ls.VC1Learner(LINE, **SMALL),
    "users": ls.UserAgnosticLearner(LINE, epsilon=1, samples_per_user=2),
    "littlestone": ls.theory.LittlestoneLearner(PAIR, **SMALL),
    "boosting": ls.BoostedTrees(CITY, epsilon=1, depth=1, rounds=2),
    "scorecard": ls.Scorecard(CITY, epsilon=1, rounds=2),
    "values": ls.BoostedTreesRegressor(
        CITY, epsilon=1, high=1, cells=1, depth=1, rounds=1, loss="absolute"
    ),
    "linear": Linear(LinearClass(CITY), epsilon=20, delta=0.05, rounds=1, resolution=1),
    "agnostic:vc1": ls.theory.AgnosticFromRealizable(ls.VC1Learner(LINE, **SMALL), epsilon=1),
    "agnostic:littlestone": ls.theory.AgnosticFromRealizable(
        ls.theory.LittlestoneLearner(PAIR, **SMALL), epsilon=1
    ),
}


def test_every_learner_is_checked():
    assert set(LEARNERS) <= set(ESTIMATORS)


#: Where the exact laws are compared, and on how many records; elsewhere two records at 1 and 3.
WHERE = {
    "agnostic, three labels": {"points": [0, 1]},
    "users": {"points": [1], "records_per_user": 2},
    "users, thresholds": {"points": [1, 2], "records_per_user": 1},
    "littlestone": {"points": [2**62, 2**62 + 1]},
    "agnostic:littlestone": {"points": [2**62, 2**62 + 1]},
    "boosting": {"points": [(1,), (2,)], "n_samples": 1},
    "scorecard": {"points": [(1,), (2,)], "n_samples": 1},
    "values": {"points": [(1,), (2,)], "n_samples": 1},
    "linear": {"points": [(1,), (2,)], "n_samples": 1},
}
#: Exact laws of many paths; those of the learners' own tests run by default. That of linear models
#: is the one that `test_a_coarse_round_on_every_data_set` enumerates, here with all observers.
SLOW = {
    f"{name}-private_on_all_small_data"
    for name in ESTIMATORS
    if name not in ("generic", "agnostic", "vc1")
} | {f"{spec}-draws_have_the_exact_law" for spec in ("prefixes(01, 2)", "intervals(-1, 2)")}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(
            check,
            id=f"{name}-{check}",
            marks=[pytest.mark.full if name == "linear" else pytest.mark.more]
            * (f"{name}-{check}" in SLOW),
        )
        for name, made in ESTIMATORS.items()
        for check in learner_checks(made, **({"points": [1, 3]} | WHERE.get(name, {})))
    ],
)
def test_learners(check):
    check()


@pytest.mark.parametrize(
    "check",
    [
        check
        for check in learner_checks(
            ls.LinearClassifier(CITY, **SMALL, rounds=2), points=[(1,), (2,)], n_samples=1
        )
        if str(check) != "private_on_all_small_data"
    ],
    ids=str,
)
def test_the_estimator_of_linear_models(check):
    """Its noise has too many outcomes for exact laws; those are of the learner above."""
    check()


FINITE = ls.theory.FiniteClass([[0, 1, 0], [1, 1, 0], [0, 0, 1]])
TREE = ls.theory.TreePaths({"a": None, "b": "a", "c": "a", "d": None})
SMALL_CLASSES = [
    (LINE, {}),
    (ls.Thresholds(-(2**63) - 1, -(2**63) + 1), {}),
    (ls.Thresholds(2**64 - 1, 2**64 + 1), {}),
    (ls.Intervals(-1, 2), {}),
    (at_public_points(ls.Thresholds(1, 5), [2, 4, 4]), {"text": False}),
    (at_public_points(ls.Intervals(2**63 - 2, 2**63 + 1), [2**63 - 1, 2**63]), {"text": False}),
    (ls.Points(2**62 - 1, 2**62 + 1), {}),
    (ls.Points(), {}),
    (ls.SparseSets(2, 1, 3), {}),
    (ls.SparseSets(2), {}),
    (TREE, {"text": False}),
    (ls.Prefixes("01", 2), {}),
    (ls.theory.Conjunctions(2), {}),
    (ls.theory.Conjunctions(2, monotone=True), {}),
    (ls.theory.AffineSubspaces(2, 2, 1), {}),
    (FINITE, {"text": False}),
    (ls.theory.FiniteClass([[0, 1], [2, 1]], labels=("a", "b", "c")), {}),
    (ls.Rules(AGES, 2), {"schema": AGES, "n_samples": 1}),
    (ls.DecisionTrees(CITY, 1), {"schema": CITY}),
    (ls.DecisionTrees(CITY, 1, labels=("a", "b", "c")), {"schema": CITY, "n_samples": 1}),
    (BoostedTreeClass(CITY, 1, 2), {"schema": CITY}),
    (ScorecardClass(CITY, 2), {"schema": CITY}),
    (LinearClass(CITY), {"schema": CITY}),
]


SHIPPED = set(CLASSES)  # before other tests add theirs


def test_every_class_is_checked():
    assert {concepts.name for concepts, _ in SMALL_CLASSES} >= SHIPPED


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(
            check,
            id=f"{concepts.spec}-{check}",
            marks=[pytest.mark.more] * (f"{concepts.spec}-{check}" in SLOW),
        )
        for concepts, options in SMALL_CLASSES
        for check in class_checks(concepts, **options)
    ],
)
def test_classes(check):
    check()


# -- mechanisms: those with plain parameters; all are in the table of tests/audit ------------------


QUARTER = Fraction(1, 4)
MECHANISMS = [
    (count, replace_one((0, 1), 3), {"epsilon": 1}),
    (select, list(moves(2, range(3), (-1, 0, 1))), {"epsilon": 1}),
    (items, replace_one((None, "a", "b"), 3), {"epsilon": 1, "delta": QUARTER}),
    (histogram, replace_one((None, "a"), 3), {"epsilon": 1, "delta": QUARTER}),
    (lists, replace_one(((), ("a",), ("a", "b")), 2), {"epsilon": 1, "delta": QUARTER}),
]


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{mechanism.__name__}-{check}")
        for mechanism, pairs, claim in MECHANISMS
        for check in mechanism_checks(mechanism, pairs, **claim)
    ],
)
def test_mechanisms(check):
    check()


# -- broken ones, as a reader may write them: which checks notice ----------------------------------


def noticed(checks):
    """The names of the checks that fail."""
    found = set()
    for check in checks:
        try:
            check()
        except AssertionError:
            found.add(str(check))
    return found


@dataclass(frozen=True, kw_only=True)
class TwiceAsFast(Generic):
    """Draws with twice the epsilon."""

    def draw(self, sample, source):
        return replace(Generic(self.concept_class, epsilon=2 * self.epsilon)).draw(sample, source)


@dataclass(frozen=True, kw_only=True)
class TooFew(Generic):
    """Requires half of the records."""

    def required_samples(self):
        return super().required_samples() // 2


class Impatient(PrivateClassifier, learner=Generic):
    """Looks at the records before it checks its parameters."""

    def fit(self, X, y=None, **options):
        if not hasattr(X, "n"):
            len(X)
        self.looked = True
        return super().fit(X, y, **options)


class Changing(PrivateClassifier, learner=Generic):
    """Changes a parameter while it fits."""

    def fit(self, X, y=None, **options):
        self.alpha = 0.25
        return super().fit(X, y, **options)


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("learner", "names"),
    [
        (TwiceAsFast(LINE, epsilon=1), {"private_on_all_small_data"}),
        (TooFew(LINE, epsilon=1), {"required_samples_are_accepted"}),
        (Impatient(LINE, epsilon=1), {"nonsense_is_refused_first"}),
        (Changing(LINE, epsilon=1), {"fits_as_scikit_learn_does"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_broken_learners_are_noticed(learner, names):
    assert names <= noticed(learner_checks(learner, points=[1, 3]))
    with pytest.raises(AssertionError):
        check_learner(learner, points=[1, 3])


class WrongLaw(ls.Thresholds):
    """Scores no record."""

    def candidates(self, sample):
        return super().candidates(ls.data.Sample.of([], []))


class Forgetful(ls.Thresholds):
    """Reads back another class."""

    def to_dict(self):
        return super().to_dict() | {"high": self.high + 1}


class Boastful(ls.Thresholds):
    """Says a Littlestone dimension that it does not have."""

    def littlestone_bounds(self):
        return 5, 5


class Doubled(ls.Thresholds):
    """Lists a concept twice."""

    def _concepts(self):
        yield from super()._concepts()
        yield ThresholdHypothesis(self.low, self.low, self.high)


class Alien:
    """What looks like a hypothesis and has none of the defaults that a release asks for."""

    def __init__(self, concept):
        self.concept = concept

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.concept, name)


class OfAliens(ls.Thresholds):
    """Lists what derives from nothing."""

    def _concepts(self):
        yield from map(Alien, super()._concepts())


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (OfAliens, "hypotheses_are_read_back"),
        (WrongLaw, "draws_have_the_exact_law"),
        (Forgetful, "text_and_json_are_read_back"),
        (Boastful, "dimensions_are_bounded"),
        (Doubled, "concepts_are_listed_once"),
    ],
)
def test_broken_classes_are_noticed(kind, name):
    assert name in noticed(class_checks(kind(1, 3)))
    with pytest.raises(AssertionError):
        check_class(kind(1, 3))


def flips_too_rarely(bits, *, epsilon, source):
    return source.choose(ExplicitWeights(1, 1 + 9 * bits[0]))


def draws_elsewhere(bits, *, epsilon, source, own=SeededSource(0)):  # noqa: B008
    return own.below(2**30)


@pytest.mark.parametrize(
    ("mechanism", "names"),
    [
        (flips_too_rarely, {"private_on_all_pairs", "bad_parameters_are_refused_first"}),
        (draws_elsewhere, {"all_randomness_comes_from_the_source"}),
    ],
)
def test_broken_mechanisms_are_noticed(mechanism, names):
    pairs = list(replace_one((0, 1), 1))
    checks = [
        c
        for c in mechanism_checks(mechanism, pairs, epsilon=1)
        if mechanism is flips_too_rarely or str(c) in names
    ]
    assert noticed(checks) == names
    with pytest.raises(AssertionError):
        check_mechanism(flips_too_rarely, pairs, epsilon=1)
