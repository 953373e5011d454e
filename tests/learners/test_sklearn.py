"""The estimators keep scikit-learn's protocol: its own battery, with every exception justified."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

import littlestone as ls

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


@pytest.mark.parametrize("learner", [ls.GenericLearner, ls.AgnosticLearner])
def test_scikit_learns_battery(learner):
    rules = ls.Rules(ls.Schema.every_column(EDGES), max_literals=1)
    estimator = learner(rules, epsilon=1.0, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, expected_failed_checks=EXPECTED, on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert failed == {}
    passed = [r for r in results if r["status"] == "passed"]
    assert len(passed) >= 45
    others = {r["check_name"] for r in results} - {r["check_name"] for r in passed}
    assert others == set(EXPECTED) | set(LEFT_OUT)
    assert estimator.__sklearn_tags__().input_tags.two_d_array


def test_clone_and_parameters():
    learner = ls.GenericLearner(ls.Thresholds(1, 9), epsilon=0.5, alpha=0.2)
    copy = clone(learner)
    assert copy.get_params() == learner.get_params()
    assert copy.set_params(epsilon=2).epsilon == 2


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

    monkeypatch.setattr("littlestone.source.door.BitSource.choose", nothing_is_drawn)
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


def test_a_refused_call_changes_nothing():
    learner = ls.AgnosticLearner(ls.Rules(ls.Schema.every_column(EDGES)), epsilon=5)
    learner.fit(np.zeros((9, 2)), [0, 1] * 4 + [0])
    before = dict(vars(learner))
    with pytest.raises(ValueError):
        learner.fit(np.zeros((9, 3)), [0, 1] * 4 + [7])
    assert vars(learner) == before
    assert learner.predict(np.zeros((1, 2))).shape == (1,)
