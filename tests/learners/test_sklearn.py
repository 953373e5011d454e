"""The estimators keep scikit-learn's protocol: its own battery, with every exception justified."""

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import validate_data

import littlestone as ls
from littlestone.learners.registry import LEARNERS

EDGES = [-1.0, 0.0, 1.0]
#: Checks that give labels other than the public classes (0, 1): the set of labels is never learned
#: from the data, because that would publish it (docs/threat-model.md).
PUBLIC_LABELS = "classes are a public parameter, not learned from the labels"
EXPECTED = {
    "check_classifiers_classes": PUBLIC_LABELS,  # texts
    "check_classifier_data_not_an_array": PUBLIC_LABELS,  # 1 and 2
    "check_estimators_dtypes": PUBLIC_LABELS,  # two integers taken from X
}
#: Checks that scikit-learn itself leaves out; what they are about is tested below or not claimed.
LEFT_OUT = {
    "check_array_api_input": "array API dispatch is not claimed",
    "check_pipeline_consistency": "for estimators that draw; see test_in_a_pipeline",
}


ONE_COLUMN = {"check_fit2d_1feature": PUBLIC_LABELS}  # 1 and 2
RULES = ls.Rules(ls.Schema.every_column(EDGES), max_literals=1)
LINE = ls.Thresholds(-20, 20)
POINTS = ls.Points(-20, 20)
B = {"epsilon": 9.0, "delta": 1e-3}
USERS = {"epsilon": 9.0, "samples_per_user": 2, "random_state": 0}


class FirstColumn:
    """Before a learner of integers: scikit-learn's rows of floats become their first cell."""

    def _points(self, X, y):
        super()._points([0], y)  # refuses a y that is missing
        X, _ = validate_data(self, X, y)
        return np.clip(np.floor(X[:, 0] * 4), -20, 20).astype(int)

    def predict(self, X):
        if hasattr(self, "hypothesis_"):
            X = np.clip(np.floor(validate_data(self, X, reset=False)[:, 0] * 4), -20, 20)
        return super().predict(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.categorical = False
        tags.input_tags.allow_nan = False
        return tags


class EachAlone:
    """Before a learner of users: each record is of another user."""

    def fit(self, X, y, groups=None, *, ledger=None):
        n = X.shape[0] if hasattr(X, "shape") else len(np.asarray(X))
        return super().fit(X, y, groups=list(range(n)), ledger=ledger)


class VC1(FirstColumn, ls.VC1Learner): ...


class Littlestone(FirstColumn, ls.theory.LittlestoneLearner): ...


class FromRealizable(FirstColumn, ls.theory.AgnosticFromRealizable): ...


class Users(EachAlone, ls.UserAgnosticLearner): ...


BATTERY = {
    "generic": ls.GenericLearner(RULES, epsilon=1.0, random_state=0),
    "agnostic": ls.AgnosticLearner(RULES, epsilon=1.0, random_state=0),
    "vc1": VC1(LINE, **B, random_state=0),
    "littlestone": Littlestone(POINTS, **B, random_state=0),
    "users": Users(RULES, **USERS),
    "agnostic:vc1": FromRealizable(ls.VC1Learner(LINE, **B), epsilon=99.0, random_state=0),
    "agnostic:littlestone": FromRealizable(
        ls.theory.LittlestoneLearner(POINTS, **B), epsilon=9.0, random_state=0
    ),
    "boosting": ls.BoostedTrees(
        ls.Schema.every_column(EDGES), epsilon=9.0, depth=1, rounds=9, random_state=0
    ),
    "linear": ls.LinearClassifier(
        ls.Schema.every_column(EDGES), epsilon=99.0, delta=1e-6, random_state=0
    ),
    "values": ls.BoostedTreesRegressor(
        ls.Schema.every_column(EDGES),
        epsilon=9.0,
        low=-200,
        high=200,
        depth=1,
        rounds=9,
        random_state=0,
    ),
    "subsampled": ls.theory.Subsampled(
        ls.GenericLearner(RULES, epsilon=99.0), rate=0.9, random_state=0
    ),
}


def test_the_battery_has_every_learner():
    assert set(BATTERY) == set(LEARNERS) | {"subsampled"}


@pytest.mark.first(1)
@pytest.mark.parametrize("name", BATTERY)
def test_scikit_learns_battery(name):
    estimator, expected = BATTERY[name], {} if name == "values" else dict(EXPECTED)
    if isinstance(estimator, FirstColumn):
        expected |= ONE_COLUMN
    if name == "agnostic:vc1":
        expected["check_classifiers_one_label"] = "of ten records the learner sees a part"
    if "littlestone" in name:
        expected["check_classifiers_one_label"] = "no concept of points is always 1"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, expected_failed_checks=expected, on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert failed == {}
    passed = [r for r in results if r["status"] == "passed"]
    assert len(passed) >= 45
    others = {r["check_name"] for r in results} - {r["check_name"] for r in passed}
    assert others == set(expected) | set(LEFT_OUT)
    assert estimator.__sklearn_tags__().input_tags.two_d_array


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "learner",
    [
        ls.GenericLearner(RULES, epsilon=99.0),
        ls.AgnosticLearner(RULES, epsilon=99.0),
        Users(RULES, epsilon=99.0, samples_per_user=1),
        ls.theory.AgnosticFromRealizable(ls.GenericLearner(RULES, epsilon=99.0), epsilon=99.0),
        ls.theory.Subsampled(ls.GenericLearner(RULES, epsilon=99.0), rate=0.9),
        ls.theory.Subsampled(
            ls.theory.AgnosticFromRealizable(ls.GenericLearner(RULES, epsilon=99.0), epsilon=9),
            rate=0.9,
        ),
    ],
    ids=repr,
)
def test_fit_says_how_many_columns_there_are(learner):
    X = np.random.default_rng(0).normal(size=(4000, 2))
    y = (X[:, 1] > 0).astype(int)
    before = repr(learner)
    assert np.mean(learner.fit(X, y).predict(X) == y) > 0.8
    assert learner.certificate(100).n == 100
    assert learner.fit(X[:, 1:], y).predict(X[:, 1:]).shape == (4000,)  # another table, its width
    assert repr(learner) == before
    with pytest.raises(ValueError, match="1 features"):
        learner.predict(X)


def test_a_wrapped_learner_is_not_changed():
    inner = ls.GenericLearner(RULES, epsilon=1.0)
    ls.theory.Subsampled(inner, rate=0.5).fit(np.zeros((9, 2)), [0, 1] * 4 + [0])
    assert not hasattr(inner, "n_features_in_")
    assert not hasattr(inner, "hypothesis_")


def test_public_classes():
    learner = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=5, classes=("no", "yes"))
    learner.fit([1, 2, 8, 9] * 25, ["no", "no", "yes", "yes"] * 25)
    assert learner.classes_.tolist() == ["no", "yes"]
    assert learner.predict([1, 9]).tolist() == ["no", "yes"]
    with pytest.raises(ls.errors.DataError, match="public classes") as caught:
        learner.fit([1, 2], ["no", "a secret label"])
    assert "secret" not in str(caught.value)


def test_in_a_pipeline_and_cross_validation():
    rules = ls.Rules(ls.Schema.every_column(EDGES).bind(2), max_literals=2)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(int)
    learner = ls.AgnosticLearner(rules, epsilon=5.0, random_state=0)
    pipeline = make_pipeline(FunctionTransformer(), learner)
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.9
    alone = clone(learner).fit(X, y).predict(X)  # what scikit-learn leaves out: the same seed
    assert (clone(pipeline).fit(X, y).predict(X) == alone).all()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epsilon", 0, "epsilon"),
        ("epsilon", float("nan"), "epsilon"),
        ("epsilon", "much", "epsilon"),
        ("alpha", 1, "alpha"),
        ("beta", 0, "beta"),
        ("random_state", -1, "random_state"),
        ("random_state", 1.5, "random_state"),
        ("classes", (0, 0), "classes"),
        ("concept_class", "thresholds", "concept_class"),
    ],
)
def test_bad_parameters_are_refused_before_anything_is_drawn(name, value, message, monkeypatch):
    def nothing_is_drawn(*_):
        raise AssertionError("drew from the source")

    monkeypatch.setattr("littlestone.source.sources.BitSource.choose", nothing_is_drawn)
    learner = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1.0).set_params(**{name: value})
    with pytest.raises(ls.errors.ParameterError, match=f"The '{message}' parameter"):
        learner.fit([1, 2], [0, 1])
    assert not hasattr(learner, "hypothesis_")


@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([1, 77], [0, 1]),  # outside the domain
        ([1, 2.5], [0, 1]),
        ([1, "x"], [0, 1]),
        ([1, None], [0, 1]),
        ([1, 2], [0, 2]),
        ([1, 2], [0]),
        ([], []),
        ([[1, 2], [3, 4]], [0, 1]),
    ],
    ids=str,
)
def test_strict_arrays_refuse_and_name_no_value(X, y):
    learner = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1.0)
    with pytest.raises(ValueError) as caught:
        learner.fit(X, y)
    assert "77" not in str(caught.value)
    assert "2.5" not in str(caught.value)
    assert not hasattr(learner, "hypothesis_")


def test_epsilon_and_delta_have_no_default():
    with pytest.raises(TypeError, match="epsilon"):
        ls.GenericLearner(ls.Thresholds(1, 9))
    with pytest.raises(TypeError, match="delta"):
        ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1, delta=1e-6)


@pytest.mark.parametrize(
    "X", [[61, 34, 1], np.array([61, 34, 1]), np.array([[61 + 0j], [34], [1]])], ids=str
)
def test_messages_of_scikit_learn_do_not_quote_records(X):
    learner = ls.AgnosticLearner(ls.Rules(ls.Schema.every_column(EDGES)), epsilon=1)
    for call in (lambda: learner.fit(X, [0, 1, 1]), lambda: learner.fit(X, [0, 1, 61 + 0j])):
        with pytest.raises(ValueError) as caught:
            call()
        assert "61" not in str(caught.value)
        assert "34" not in str(caught.value)


class Touchy:
    """A label that quotes itself whatever is done to it."""

    def __eq__(self, other):
        raise RuntimeError("zqlabel")

    __hash__ = None
    __repr__ = __eq__


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, pd.NA],
        [0, 1, None],
        [0, 1, float("nan")],
        [0, 1, float("inf")],
        [0, 1, "zqlabel"],
        [0, 1, Touchy()],
        [0, 1, 77 + 0j],
        [0, 1, 77.5],
        [0, 1, b"zqlabel"],
        [0, 1, 10**30],
        pd.Series([0, 1, None], dtype="Int64"),
        pd.Series([False, True, None], dtype="boolean"),
        pd.Series(["zqlabel", "zqother", None]),
        pd.Categorical(["zqlabel", "zqother", "zqthird"]),
    ],
    ids=range(14),
)
def test_odd_labels_are_refused_and_never_quoted(y):
    line, rows = ls.Thresholds(1, 9), ls.Rules(ls.Schema.every_column(EDGES))
    users = ls.UserAgnosticLearner(line, epsilon=1, samples_per_user=1)
    for call in (
        lambda: ls.GenericLearner(line, epsilon=1).fit([1, 2, 3], y),
        lambda: ls.GenericLearner(rows, epsilon=1).fit(np.zeros((3, 2)), y),
        lambda: users.fit([1, 2, 3], y, groups=[1, 2, 3]),
        lambda: ls.OnlineLearner(line, epsilon=1, delta=0, horizon=9).learn_many([1, 2, 3], y),
        lambda: ls.data.Sample.from_arrays([1, 2, 3], y, domain=line.domain),
        lambda: ls.data.UserSample.from_arrays([1, 2, 3], y, [1, 2, 3], line.domain),
    ):
        with pytest.raises(ls.errors.DataError) as caught:  # warnings are errors here
            call()
        assert "zq" not in str(caught.value)
        assert "77" not in str(caught.value)
        assert caught.value.__cause__ is None


def test_a_refused_call_changes_nothing():
    learner = ls.AgnosticLearner(ls.Rules(ls.Schema.every_column(EDGES)), epsilon=5)
    learner.fit(np.zeros((9, 2)), [0, 1] * 4 + [0])
    before = dict(vars(learner))
    with pytest.raises(ValueError):
        learner.fit(np.zeros((9, 3)), [0, 1] * 4 + [7])
    assert vars(learner) == before
    assert learner.predict(np.zeros((1, 2))).shape == (1,)


def test_an_evaluation_that_was_not_paid_for_is_no_attribute():
    learner = ls.AgnosticLearner(LINE, epsilon=5).fit([1, 2, 3], [0, 1, 1])
    assert not hasattr(learner, "evaluation_")
    assert "release_" in dir(learner)
    with pytest.raises(ls.errors.UnsupportedError, match="fit it with evaluate=E"):
        learner.evaluation_  # noqa: B018


def test_a_fitted_estimator_can_be_inspected():
    schema = ls.Schema.from_dict({"age": {"bins": [3]}})
    given = {"epsilon": 5, "delta": 1e-6, "random_state": 0}
    for make in (ls.LinearClassifier, ls.Scorecard, ls.BoostedTrees):
        learner = make(schema, **given).fit([[1], [5]] * 50, [0, 1] * 50)
        names = {name for name, _ in inspect.getmembers(learner)}
        assert {"points_", "trees_"} & names
        assert not hasattr(learner, "coef_")
    with pytest.raises(ls.errors.UnsupportedError, match="inference="):
        ls.LinearClassifier(schema, **given).fit([[1], [5]] * 50, [0, 1] * 50).intercept_  # noqa: B018
