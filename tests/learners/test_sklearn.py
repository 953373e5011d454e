"""The estimators keep scikit-learn's protocol; wrong calls are refused in our words."""

import inspect
import itertools
import re
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.validation import validate_data

import littlestone as ls
from littlestone.errors import NotPrivateWarning
from littlestone.learners import sklearn_base
from littlestone.learners.registry import LEARNERS
from littlestone.report.evaluated import evaluation_facts

# -- The estimators keep scikit-learn's protocol: its own battery, with every exception justified --

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
}


def test_the_battery_has_every_learner():
    assert set(BATTERY) == set(LEARNERS)


@pytest.mark.first(1)
@pytest.mark.parametrize("name", BATTERY)
def test_scikit_learns_battery(name):
    estimator, expected = BATTERY[name], {} if name == "values" else dict(EXPECTED)
    if isinstance(estimator, FirstColumn):
        expected |= ONE_COLUMN
    if "vc1" in name:
        expected["check_classifiers_one_label"] = "ten records are fewer than the median needs"
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
    ls.theory.AgnosticFromRealizable(inner, epsilon=1.0).fit(np.zeros((9, 2)), [0, 1] * 4 + [0])
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


# -- Wrong calls from Python: each is refused in our words, and says what to do instead ------------

AGE = np.arange(600) % 72 + 18
ILL = (AGE > 55).astype(int)
TABLE = pd.DataFrame({"age": AGE, "city": ["Bonn", "Rome"] * 300, "ill": ILL})
X = TABLE[["age", "city"]]
SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn", "Rome"]}})


def trees(**more):
    return ls.BoostedTrees(SCHEMA, **({"epsilon": 4, "rounds": 6, "random_state": 0} | more))


def rule(**more):
    return ls.AgnosticLearner(ls.Thresholds(1, 99), **({"epsilon": 1, "random_state": 0} | more))


def start(table=TABLE, **more):
    return ls.fit(table, **({"y": "ill", "epsilon": 1, "schema": SCHEMA} | more))


def cost(**more):
    given = {"epsilon": 4, "rounds": 6, "high": 9, "cells": 9}
    return ls.BoostedTreesRegressor(SCHEMA, **(given | more))


def times():
    return ls.BoostedTreesSurvival(SCHEMA, range(1, 4), epsilon=4)


def months(**more):
    return ls.fit(TABLE, **({"time": "age", "event": "ill", "epsilon": 1, "periods": [9]} | more))


def stream():
    return ls.OnlineLearner(ls.Thresholds(1, 9), epsilon=1, delta=1e-6, horizon=9, random_state=0)


def fitted():
    return trees().fit(X, ILL)


#: What is called, and what the refusal says.
CALLS = {
    # what other libraries take
    "weights": (lambda: trees().fit(X, ILL, sample_weight=AGE), r"costs=\{label: cost\}"),
    "class weights": (lambda: trees().fit(X, ILL, class_weight="balanced"), "AgnosticLearner"),
    "eval_set": (lambda: trees().fit(X, ILL, eval_set=[(X, ILL)]), "constructor"),
    "groups": (lambda: rule().fit(AGE, ILL, groups=AGE), "left out: this learner protects records"),
    "user": (lambda: rule().fit(TABLE, "ill", x="age", user="city"), "left out: this learner"),
    "weights to ls.fit": (lambda: start(sample_weight=AGE), r"costs=\{label: cost\}"),
    "class weights to ls.fit": (lambda: start(class_weight="balanced"), "AgnosticLearner"),
    "a relation": (lambda: trees().fit(duckdb.from_arrow(pa.table(dict(X))), ILL), "collect a"),
    "lazy": (lambda: trees().fit(pl.from_pandas(X).lazy(), ILL), "collect a lazy frame"),
    "a path": (lambda: trees().fit("t.csv", ILL), r'fit\(table, y="label"\)'),
    "a dictionary": (lambda: trees().fit({"age": AGE}, ILL), r'fit\(table, y="label"\)'),
    "nothing": (lambda: trees().fit(None, ILL), r'fit\(table, y="label"\)'),
    "no labels": (lambda: trees().fit(X), "name of its label column"),
    "a sparse matrix": (lambda: trees().fit(csr_matrix(np.eye(2)), [0, 1]), r"X\.toarray\(\)"),
    "a sparse column": (lambda: rule().fit(csr_matrix(np.eye(1)), [0]), r"X\.toarray\(\)"),
    "a relation of points": (lambda: rule().fit(duckdb.sql("SELECT 1"), [0]), "Collect a lazy"),
    "lazy labels": (lambda: trees().fit(X, pl.from_pandas(X).lazy()), "collect a lazy frame"),
    "labels of a relation": (lambda: trees().fit(X, duckdb.sql("SELECT 1")), "collect a lazy"),
    "a number for labels": (lambda: trees().fit(X, 5), "one label for each record"),
    "labels that run out": (lambda: trees().fit(X, iter(ILL)), "one label for each record"),
    "users, not named": (lambda: trees().fit(TABLE, "ill", user=TABLE["city"]), "their names"),
    "the label as user": (lambda: trees().fit(TABLE, "ill", user="ill"), "two roles"),
    "columns beside a schema": (lambda: trees().fit(TABLE, "ill", x="age"), "left out with a"),
    "columns without names": (
        lambda: ls.GenericLearner(RULES, epsilon=1).fit(TABLE, "ill"), "columns have names"
    ),
    "a misspelt label of points": (lambda: rule().fit(TABLE, "il", x="age"), "Did you mean 'ill'"),
    "user of arrays": (lambda: rule().fit(AGE, ILL, user="city"), "left out: this learner"),
    "points of a number": (lambda: rule().fit(TABLE, "ill", x=5), "Give x="),
    # quantities, counts and times
    "complex targets": (lambda: cost().fit(X, ILL + 1j), "real numbers"),
    "two targets": (lambda: cost().fit(X, TABLE[["age", "ill"]]), "one column"),
    "dates for targets": (lambda: cost().fit(X, pd.date_range("2020", periods=600)), "a date"),
    "no records": (lambda: cost().fit(X.to_numpy()[:0], []), "minimum of 1"),
    "a range beyond doubles": (lambda: cost(high="1e308").fit(X, ILL), "at most 1e300"),
    "low of counts": (lambda: cost(loss="poisson", low=1).fit(X, ILL), "counts begin at 0"),
    "weights of times": (lambda: times().fit(X, ILL, sample_weight=ILL), "Every record"),
    "a time without event": (lambda: times().fit(TABLE, "age"), 'time="months", event="died"'),
    "one column, twice": (lambda: times().fit(TABLE, time="age", event="age"), "two roles"),
    "time and event": (lambda: months(event="age"), "two columns"),
    "a number of periods": (lambda: months(periods=5), "high=36"),
    # shapes
    "one column": (lambda: trees().fit(X[["age"]], ILL), "no column 'city'"),
    "a narrow array": (lambda: trees().fit(X.to_numpy()[:, :1], ILL), "schema: age, city"),
    "one dimension": (lambda: trees().fit(AGE, ILL), "rows are records"),
    "few labels": (lambda: trees().fit(X, ILL[:5]), "one label for each record"),
    "two label columns": (lambda: trees().fit(X, TABLE[["age", "ill"]]), "Give one column"),
    "narrow prediction": (lambda: fitted().predict(X.to_numpy()[:, :1]), "input: age, city"),
    "lacking column": (lambda: fitted().predict(X[["age"]]), "no column 'city'"),
    "lacking in a table": (lambda: fitted().release_.predict({"age": AGE}), "no column 'city'"),
    "prediction of a path": (lambda: fitted().predict("t.csv"), "takes arrays"),
    # labels
    "three labels": (lambda: trees().fit(X, AGE % 3), r"labels=\[\.\.\.\]"),
    "numbers": (lambda: trees().fit(X, AGE / 7), "discrete classes"),
    "texts": (lambda: trees().fit(X, TABLE.city), r"classes=\(negative, positive\)"),
    "missing labels": (lambda: trees().fit(X, ILL / ILL), "NaN|public classes"),
    "a misspelt label": (lambda: trees().fit(TABLE, "il"), "Did you mean 'ill'"),
    "one listed label": (lambda: trees(labels=["a"]).fit(X, ILL), "2 to 100"),
    "three classes": (lambda: trees(classes=[0, 1, 2]).fit(X, ILL), "negative, positive"),
    # parameters
    "no schema": (lambda: ls.BoostedTrees(None, epsilon=1).fit(X, ILL), "Schema.from_toml"),
    "a schema's path": (lambda: ls.BoostedTrees("s.toml", epsilon=1).fit(X, ILL), "from_toml"),
    "no epsilon": (lambda: trees(epsilon=None).fit(X, ILL), "1 is a common choice"),
    "epsilon 0": (lambda: trees(epsilon=0).fit(X, ILL), "1 is a common choice"),
    "epsilon inf": (lambda: trees(epsilon=float("inf")).fit(X, ILL), "1 is a common choice"),
    "delta 1": (lambda: trees(delta=1).fit(X, ILL), "1e-6 is a common choice"),
    "no rounds": (lambda: trees(rounds=0).fit(X, ILL), "integer >= 1"),
    "depth 9": (lambda: trees(depth=9).fit(X, ILL), "1, 2 or 3"),
    "evaluate 9": (lambda: trees(evaluate=9).fit(X, ILL), "A tenth of epsilon"),
    "holdout alone": (lambda: trees(holdout="0.2").fit(X, ILL), "evaluate=E"),
    "a generator": (lambda: trees(random_state=np.random).fit(X, ILL), "NOT private"),
    "a ledger's path": (lambda: trees().fit(X, ILL, ledger="b.db"), r"littlestone.Ledger\(path\)"),
    "a class's text": (
        lambda: ls.AgnosticLearner("thresholds(1, 9)", epsilon=1).fit(AGE, ILL),
        r"For example Thresholds\(1, 99\)",
    ),
    "swapped bounds": (lambda: ls.Thresholds(9, 3), "Swap the two bounds"),
    "no column": (lambda: rule().fit(TABLE, "ill"), "Give x="),
    "points outside": (lambda: rule().fit(AGE + 1000, ILL), r"integer in \[1, 99\]"),
    # after the fit
    "not fitted": (lambda: trees().predict(X), "Call 'fit'"),
    "save before": (lambda: trees().save("m.json"), "Call 'fit'"),
    "an empty prediction": (lambda: fitted().predict(X[:0]), "minimum of 1"),
    "the name of labels": (lambda: fitted().score(X, "ill"), r"table\['ill'\]"),
    "a score of a table": (lambda: fitted().score(X, pl.from_pandas(X).lazy()), "collect a lazy"),
    "no evaluation": (lambda: fitted().evaluation_, "evaluate=E"),
    "no probabilities": (lambda: rule().fit(AGE, ILL).predict_proba([3]), "Scorecard"),
    "no certificate": (lambda: trees().certificate(9), "holdout"),
    "no plan": (lambda: ls.plan(trees().concept_class, epsilon=1), "holdout"),
    "no model": (lambda: ls.load("nowhere.json"), "could not be read"),
    "no path": (lambda: ls.load(None), "named by its path"),
    "a model for a path": (lambda: ls.page(fitted(), 5), "named by its path"),
    "a number for a ledger": (lambda: ls.Ledger(5), "named by its path"),
    "a number of columns": (lambda: ls.Schema(5), "Schema.from_dict"),
    "columns by number": (lambda: ls.data.propose(TABLE, epsilon=1, columns=[5]), "names are: age"),
    "points for rows": (lambda: ls.audit.verify(trees(), points=[1]), "A row has the code"),
    "a stream of nothing": (lambda: stream().predict(None), "Expected a list"),
    "a page of a number": (lambda: ls.page(3), "It shows"),
    "export": (lambda: fitted().release_.export("excel"), "sql, python, r, json"),
    "check": (lambda: ls.check(TABLE, "s.toml", y="ill", epsilon=1), "littlestone schema new"),
    "an empty column": (lambda: ls.Schema.from_dict({"age": {}}), "bins or integers"),
    "unsorted bins": (lambda: ls.Schema.from_dict({"a": {"bins": [3, 2]}}), "Sort the edges"),
    # the short way
    "an array of labels": (lambda: start(y=ILL), "table.assign"),
    "cells without a list": (lambda: start({"age": 5, "ill": 1}), "is not a list of cells"),
    "an array": (lambda: start(X.to_numpy()), "a dictionary of columns"),
    "a missing file": (lambda: start("nowhere.csv"), "a file that exists"),
    "a spreadsheet": (lambda: start("t.xlsx"), "file that exists|Convert"),
    "an unknown model": (lambda: start(model="forest"), "scorecard, linear, boosted"),
    "a dictionary of bins": (lambda: start(schema={"age": [3]}), "Schema.from_toml"),
    "an unknown label": (lambda: start(y="il"), "Did you mean 'ill'"),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore:invalid value encountered in divide")
def test_the_refusal_teaches(name):
    call, words = CALLS[name]
    with pytest.raises((ls.errors.LittlestoneError, NotFittedError, AttributeError)) as refused:
        call()
    said = refused.value.__cause__ or refused.value  # scikit-learn hides methods in its own words
    assert isinstance(said, ls.errors.LittlestoneError | NotFittedError)
    assert re.search(words, str(said)), said


def test_what_the_trees_ask_makes_importances():
    made = trees(rounds=12).fit(X, ILL)
    age, city = made.feature_importances_
    assert age > city >= 0
    assert age + city == pytest.approx(1)
    assert trees(labels=["a", "b", "c"]).fit(
        X, np.array(["a", "b", "c"])[AGE // 31]
    ).feature_importances_.sum() == pytest.approx(1)


def test_importances_of_quantities_and_times_leave_the_period_out():
    for made in (cost().fit(X, AGE), times().fit(TABLE, time="age", event="ill")):
        found = made.feature_importances_
        assert found.shape == (2,)
        assert found.sum() == pytest.approx(1) or not found.any()


def test_the_score_of_times_is_their_concordance():
    made = times().fit(TABLE, time="age", event="ill")
    rng = np.random.default_rng(0)
    event, time = rng.random(60) < 0.5, rng.integers(1, 9, 60) / 2
    risk, right, pairs = made.predict(X[:60]), 0, 0
    for i, j in itertools.product(range(60), repeat=2):
        if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
            right, pairs = right + (risk[i] > risk[j]) + (risk[i] == risk[j]) / 2, pairs + 1
    y = np.rec.fromarrays([event, time], names=["event", "time"])
    sklearn_base._warn_once.cache_clear()
    with pytest.warns(NotPrivateWarning):
        assert made.score(X[:60], y) == pytest.approx(right / pairs)
    y.event[:] = False
    with pytest.raises(ls.errors.LittlestoneError, match="a record with an event"):
        made.score(X[:60], y)


def test_probabilities_of_a_release_are_those_of_its_estimator():
    for made in (fitted(), rule(evaluate="0.5").fit(AGE, ILL)):
        points = X[:7] if isinstance(made, ls.BoostedTrees) else AGE[:7]
        found = made.predict_proba(points)
        assert found.shape == (7, 2)
    table = trees(evaluate=1).fit(TABLE, "ill")
    assert np.array_equal(table.predict_proba(TABLE), table.release_.predict_proba(TABLE))
    assert not hasattr(rule().fit(AGE, ILL), "predict_proba")
    time = times().fit(TABLE, time="age", event="ill")
    for given in (TABLE, X.to_numpy()):
        found = time.release_.predict_proba(given)
        assert np.array_equal(found, time.predict_survival_function(TABLE, return_array=True))
    assert hasattr(rule(evaluate="0.1"), "predict_proba")


def test_a_pipeline_that_hands_over_frames_keeps_the_names():
    steps = ColumnTransformer([("kept", "passthrough", ["city", "age"])])
    steps.set_params(verbose_feature_names_out=False)
    made = make_pipeline(steps, trees()).set_output(transform="pandas").fit(TABLE, ILL)
    assert np.array_equal(made.predict_proba(TABLE), fitted().predict_proba(X))


def test_a_constant_rule_prints_one_error():
    learner = ls.AgnosticLearner(ls.Rules(SCHEMA, 1), epsilon=8, evaluate=4, random_state=0)
    made = learner.fit(X, 0 * ILL).release_
    assert made.hypothesis.describe() == "always 0"
    for said in (repr(made), "".join(map(str, evaluation_facts(made)))):
        assert said.count("Error rate") == 1


def test_epsilon_and_delta_have_no_default():
    with pytest.raises(TypeError, match="epsilon"):
        ls.GenericLearner(ls.Thresholds(1, 9))
    with pytest.raises(TypeError, match="delta"):
        ls.GenericLearner(ls.Thresholds(1, 9), epsilon=1, delta=1e-6)


def test_arrow_tables_and_polars_frames_are_arrays_with_names():
    for frame in (pl.from_pandas(X), pl.from_pandas(X).to_arrow()):
        assert trees().fit(frame, ILL).predict(frame).tolist() == fitted().predict(X).tolist()
