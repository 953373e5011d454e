"""Sixty wrong calls from Python: each is refused in our words, and says what to do instead."""

import re

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import littlestone as ls
from littlestone.report.pages import evaluation_facts

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


def fitted():
    return trees().fit(X, ILL)


#: What is called, and what the refusal says.
CALLS = {
    # what other libraries take
    "weights": (lambda: trees().fit(X, ILL, sample_weight=AGE), r"costs=\{label: cost\}"),
    "class weights": (lambda: trees().fit(X, ILL, class_weight="balanced"), "AgnosticLearner"),
    "eval_set": (lambda: trees().fit(X, ILL, eval_set=[(X, ILL)]), "constructor"),
    "groups": (lambda: rule().fit(AGE, ILL, groups=AGE), "left out: it protects records"),
    "user": (lambda: rule().fit(TABLE, "ill", x="age", user="city"), "left out: it"),
    "weights to ls.fit": (lambda: start(sample_weight=AGE), r"costs=\{label: cost\}"),
    "class weights to ls.fit": (lambda: start(class_weight="balanced"), "AgnosticLearner"),
    "a relation": (lambda: trees().fit(duckdb.from_arrow(pa.table(dict(X))), ILL), "collect a"),
    "lazy": (lambda: trees().fit(pl.from_pandas(X).lazy(), ILL), "collect a lazy frame"),
    "a path": (lambda: trees().fit("t.csv", ILL), r'fit\(table, y="label"\)'),
    "a dictionary": (lambda: trees().fit({"age": AGE}, ILL), r'fit\(table, y="label"\)'),
    "nothing": (lambda: trees().fit(None, ILL), r'fit\(table, y="label"\)'),
    "no labels": (lambda: trees().fit(X), "name of its label column"),
    # shapes
    "one column": (lambda: trees().fit(X[["age"]], ILL), "no column 'city'"),
    "a narrow array": (lambda: trees().fit(X.to_numpy()[:, :1], ILL), "schema: age, city"),
    "one dimension": (lambda: trees().fit(AGE, ILL), "rows are records"),
    "few labels": (lambda: trees().fit(X, ILL[:5]), "one label for each record"),
    "two label columns": (lambda: trees().fit(X, TABLE[["age", "ill"]]), "one column of labels"),
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
    "no column": (lambda: rule().fit(TABLE, "ill"), "Say x="),
    "points outside": (lambda: rule().fit(AGE + 1000, ILL), r"integer in \[1, 99\]"),
    # after the fit
    "not fitted": (lambda: trees().predict(X), "Call 'fit'"),
    "save before": (lambda: trees().save("m.json"), "Call 'fit'"),
    "no evaluation": (lambda: fitted().evaluation_, "evaluate=E"),
    "no probabilities": (lambda: rule().fit(AGE, ILL).predict_proba([3]), "Scorecard"),
    "no certificate": (lambda: trees().certificate(9), "holdout"),
    "no plan": (lambda: ls.plan(trees().concept_class, epsilon=1), "holdout"),
    "no model": (lambda: ls.load("nowhere.json"), "could not be read"),
    "a page of a number": (lambda: ls.page(3), "it does of"),
    "export": (lambda: fitted().release_.export("excel"), "sql, python, json"),
    "check": (lambda: ls.check(TABLE, "s.toml", y="ill", epsilon=1), "littlestone schema new"),
    "an empty column": (lambda: ls.Schema.from_dict({"age": {}}), "bins or integers"),
    "unsorted bins": (lambda: ls.Schema.from_dict({"a": {"bins": [3, 2]}}), "Sort the edges"),
    # the short way
    "an array of labels": (lambda: start(y=ILL), "table.assign"),
    "an array": (lambda: start(X.to_numpy()), "a dictionary of columns"),
    "a missing file": (lambda: start("nowhere.csv"), "a file that exists"),
    "a spreadsheet": (lambda: start("t.xlsx"), "file that exists|Convert"),
    "an unknown model": (lambda: start(model="forest"), "scorecard, boosted"),
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


def test_probabilities_of_a_release_are_those_of_its_estimator():
    for made in (fitted(), rule(evaluate="0.5").fit(AGE, ILL)):
        points = X[:7] if isinstance(made, ls.BoostedTrees) else AGE[:7]
        found = made.predict_proba(points)
        assert found.shape == (7, 2)
    table = trees(evaluate=1).fit(TABLE, "ill")
    assert np.array_equal(table.predict_proba(TABLE), table.release_.predict_proba(TABLE))
    assert not hasattr(rule().fit(AGE, ILL), "predict_proba")
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
        assert said.count("wrong") == 1


def test_arrow_tables_and_polars_frames_are_arrays_with_names():
    for frame in (pl.from_pandas(X), pl.from_pandas(X).to_arrow()):
        assert trees().fit(frame, ILL).predict(frame).tolist() == fitted().predict(X).tolist()
