"""What all learners share: parameters are checked wherever they come from; promises are kept."""

import dataclasses

import numpy as np
import pytest
from sklearn.base import clone

import littlestone as ls
from littlestone.data import Sample
from littlestone.errors import LittlestoneError, ParameterError
from littlestone.learners import registry, select
from littlestone.learners.base import Runnable, runnable
from littlestone.learners.running import run
from littlestone.source import SeededSource

LINE = ls.Thresholds(1, 9)
PURE = {"epsilon": 1}
SMALL = {"epsilon": 1, "delta": 1e-6}
ESTIMATORS = {
    "GenericLearner": ls.GenericLearner(LINE, **PURE),
    "AgnosticLearner": ls.AgnosticLearner(LINE, **PURE),
    "VC1Learner": ls.VC1Learner(LINE, **SMALL),
    "LittlestoneLearner": ls.theory.LittlestoneLearner(LINE, **SMALL),
    "StableLearner": ls.theory.StableLearner(LINE, **SMALL),
    "GloballyStable": ls.theory.GloballyStable(LINE, algorithm=len, n=50, eta=0.5, **SMALL),
    "AgnosticFromRealizable": ls.theory.AgnosticFromRealizable(
        ls.VC1Learner(LINE, **SMALL), **PURE
    ),
    "EmpiricalFromPAC": ls.theory.EmpiricalFromPAC(ls.GenericLearner(LINE, **PURE)),
    "BoostedPrivate": ls.theory.BoostedPrivate(
        ls.GenericLearner(LINE, **PURE, alpha=0.25), rounds=5
    ),
    "Subsampled": ls.theory.Subsampled(ls.GenericLearner(LINE, **PURE), rate=0.5),
}
#: What no parameter of any learner may be.
NONSENSE = (object(), -3, "nonsense")
SHELL = {"classes", "random_state", "evaluate"}
CASES = [
    (name, parameter)
    for name, made in ESTIMATORS.items()
    for parameter in made.get_params(deep=False)
    if parameter not in SHELL
]


class Unread:
    """Data that must not be looked at."""

    def __getattr__(self, name):
        raise AssertionError(f"the records were asked for {name}")

    __len__ = __iter__ = __array__ = lambda self: self.records


@pytest.mark.parametrize("name", ESTIMATORS)
def test_parameters_of_the_estimator_are_those_of_the_learner(name):
    made = ESTIMATORS[name]
    learner = made.to_learner()
    fields = {each.name for each in dataclasses.fields(learner)}
    shown = set(made.get_params(deep=False)) - SHELL
    assert shown <= fields
    assert vars(made) == made.get_params(deep=False)  # __init__ only stores
    for parameter in shown - {"concept_class", "learner"}:
        value = made.get_params()[parameter]
        assert clone(made).set_params(**{parameter: value}).to_learner() == learner


@pytest.mark.parametrize(("name", "parameter"), CASES)
def test_every_parameter_is_refused_everywhere_in_the_same_words(name, parameter):
    made = ESTIMATORS[name]
    learner = made.to_learner()
    for value in NONSENSE:
        changed = clone(made).set_params(**{parameter: value})  # stores, and checks nothing
        with pytest.raises(ParameterError) as refused:
            dataclasses.replace(learner, **{parameter: value})
        words = str(refused.value)
        assert f"'{parameter}' parameter" in words
        assert learner.estimator in words
        for call in (
            lambda: changed.fit(Unread(), Unread()),  # noqa: B023
            lambda: changed.plan,  # noqa: B023
            lambda: changed.certificate(9),  # noqa: B023
            changed.required_samples,
        ):
            with pytest.raises(ParameterError) as again:
                call()
            assert str(again.value) == words
        assert not hasattr(changed, "hypothesis_")


# --- promises ------------------------------------------------------------------------------------

CLASSES = {
    "thresholds": (ls.Thresholds(1, 2**64), [1, 5, 2**60]),
    "intervals": (ls.Intervals(1, 9), [1, 5, 9]),
    "flats": (ls.theory.AffineSubspaces(3, 30, 1), np.eye(30, dtype=int)[:3].tolist()),
    "conjunctions": (ls.theory.Conjunctions(40), np.eye(40, dtype=int)[:3].tolist()),
    "prefixes": (ls.Prefixes("ab", 40), ["a" * 40, "ab" * 20, "b" * 40]),
}
RECORDS = [name for name, entry in registry.LEARNERS.items() if entry.unit == "records"]
GOAL = {"epsilon": 1, "alpha": "0.2", "beta": "0.1"}


def made(name, concepts):
    entry = registry.LEARNERS[name]
    goal = GOAL if entry.pure else {**GOAL, "delta": "1e-6"}
    return registry.make(name, concepts, **goal)


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("name", RECORDS)
def test_what_has_a_plan_is_released_and_what_has_none_is_refused_first(name, kind):
    concepts, points = CLASSES[kind]
    X = concepts.domain.array(points, owner="test")
    sample = Sample.from_arrays(points, [0, 1, 1], domain=concepts.domain)

    class Untouched:
        seeded = False

        def __getattr__(self, name):
            raise AssertionError("drew, or charged")

    try:
        learner = made(name, concepts)
        found = runnable(learner)
    except LittlestoneError:
        return  # refused even earlier
    if found.ok:
        assert learner.required_samples() >= 1
        release = run(learner, sample, SeededSource(1))
        assert release.hypothesis.predict(X).shape == (3,)
        return
    assert found.why.endswith(".")
    for call in (
        lambda: learner.plan,
        learner.required_samples,
        lambda: learner.certificate(9),
        lambda: run(learner, sample, Untouched(), ledger=Untouched()),
    ):
        with pytest.raises(LittlestoneError) as refused:
            call()
        assert f"{found.why} {found.next_step}".strip() == str(refused.value)


def test_large_conjunctions_are_not_promised():
    """`plan` chose the agnostic learner, and `fit` refused it."""
    with pytest.raises(ls.errors.UnsupportedError, match="No learner can promise this"):
        ls.plan(ls.theory.Conjunctions(40), **GOAL, delta=1e-6)
    with pytest.raises(ls.errors.UnsupportedError, match="n may be at most 14"):
        select.auto(ls.theory.Conjunctions(40), **GOAL)


def test_a_table_without_records_is_refused():
    learner = made("generic", LINE)
    assert runnable(learner, 1) == Runnable(ok=True)
    assert runnable(learner, 0).why == "There are no records."
