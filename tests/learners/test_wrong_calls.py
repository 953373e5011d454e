"""Wrong calls from Python: each is refused in our words, and says what to do instead."""

import itertools
import re

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import littlestone as ls
from littlestone.errors import NotPrivateWarning
from littlestone.learners import sklearn_base
from littlestone.report.evaluated import evaluation_facts

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
    "the label as user": (lambda: trees().fit(TABLE, "ill", user="ill"), "in two roles"),
    "columns beside a schema": (lambda: trees().fit(TABLE, "ill", x="age"), "left out with a"),
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
    "one column, twice": (lambda: times().fit(TABLE, time="age", event="age"), "in two roles"),
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
    "columns by number": (lambda: ls.data.propose(TABLE, epsilon=1, columns=[5]), "It has: age"),
    "points for rows": (lambda: ls.audit.verify(trees(), points=[1]), "A row has the code"),
    "a stream of nothing": (lambda: stream().predict(None), "Expected a list"),
    "a page of a number": (lambda: ls.page(3), "It shows:"),
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


def test_they_are_sixty():
    assert len(CALLS) >= 60


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


def test_arrow_tables_and_polars_frames_are_arrays_with_names():
    for frame in (pl.from_pandas(X), pl.from_pandas(X).to_arrow()):
        assert trees().fit(frame, ILL).predict(frame).tolist() == fitted().predict(X).tolist()
