"""`littlestone.fit`: what is decided, what it costs, what is refused before that is paid."""

import logging
import sys
from dataclasses import replace
from fractions import Fraction
from fractions import Fraction as F
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import littlestone as ls
from littlestone import errors
from littlestone.cli.main import main
from littlestone.data import Sample, counting, proposal, tables
from littlestone.errors import BudgetError, ParameterError, StoppedError, UnsupportedError
from littlestone.learners import fit as models
from littlestone.learners.base import Kind
from littlestone.learners.fit import Fit
from littlestone.learners.running import Shares, first_count, score_all
from littlestone.learners.task import Labels
from littlestone.privacy import Guarantee
from littlestone.report.evaluated import evaluation_facts
from littlestone.source import SecureSource, SeededSource

# -- One fit: a table is opened once, a number is parsed once, a wrong column costs a count --------

TABLE = {"age": [25, 70, 45, 65] * 500, "ill": [0, 1, 0, 1] * 500}
SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}})


def counted(monkeypatch, owner, name, times, of):
    """Count the calls of a function under every name that a module has for it."""
    original = getattr(owner, name)

    def call(*given, **options):
        if of(*given, **options):
            times.append(name)
        return original(*given, **options)

    if isinstance(owner, type):
        monkeypatch.setattr(owner, name, call)
        return
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("littlestone"):
            for known, value in list(vars(module).items()):
                if value is original:
                    monkeypatch.setattr(module, known, call)


def inexact(*given, **_):
    return isinstance(given[2], str | float)


@pytest.mark.first(1)
@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning")
@pytest.mark.parametrize("columns", [True, False])
def test_two_typed_numbers_are_parsed_in_at_most_six_checks(columns, monkeypatch):
    schema, times = None if columns else SCHEMA, []
    ls.fit(TABLE, y="ill", epsilon="1", delta="1e-6", schema=schema)  # imports come late
    for name in ("check_fraction", "check_probability", "check_integer"):
        counted(monkeypatch, errors, name, times, inexact)
    counted(monkeypatch, Kind, "check", times, lambda *given: inexact(*given[1:]))
    ls.fit(TABLE, y="ill", epsilon="1", delta="1e-6", schema=schema)
    assert 2 <= len(times) <= 6, times


@pytest.mark.first(1)
@pytest.mark.filterwarnings("ignore::littlestone.errors.NotPrivateWarning")
@pytest.mark.parametrize("columns", [True, False])
def test_a_table_is_opened_once(columns, monkeypatch, tmp_path):
    path, times = tmp_path / "t.parquet", []
    pq.write_table(pa.table(TABLE), path)
    schema = None if columns else SCHEMA

    def opens(table, **_):
        return not isinstance(table, tables.Table)

    ls.fit(path, y="ill", epsilon=1, schema=schema)
    counted(monkeypatch, tables, "read_table", times, opens)
    ls.fit(path, y="ill", epsilon=1, schema=schema)
    assert len(times) == 1
    ls.fit(TABLE, y="ill", epsilon=1, schema=schema)
    assert len(times) == 2


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"holdout": 0.2}, "needs evaluate"),
        ({"evaluate": 1}, "smaller than epsilon"),
        ({"evaluate": 2, "holdout": 0.2}, "at most epsilon"),
        ({"evaluate": 1, "interval": 0.9}, "intervals need a part"),
        ({"evaluate": F(4, 5), "columns": True}, "at most 0.792"),
        ({"evaluate": 2, "holdout": 0.2, "columns": True}, "at most epsilon"),
        ({"evaluate": 1, "holdout": 0.2, "labels": True}, "at most 0.975"),
        ({"interval": 2}, "interval"),
    ],
)
def test_one_place_says_how_epsilon_is_shared(asked, words):
    with pytest.raises(ParameterError, match=words):
        Shares.parse("fit", 1, **asked)


@pytest.mark.parametrize("columns", [True, False])
@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("holdout", [None, F(1, 5)])
@pytest.mark.parametrize("interval", [None, F(9, 10)])
def test_shares_sum_to_epsilon_for_each_record(columns, labels, holdout, interval):
    how = {"columns": columns, "labels": labels, "holdout": holdout, "interval": interval}
    shares = Shares.parse("fit", 3, evaluate="auto", **how)
    learns = shares.left if shares.holdout is not None else shares.left - shares.evaluation
    before = shares.columns + shares.labels
    looked_at = shares.evaluation + (shares.interval or 0)
    if shares.holdout is None:
        assert before + learns + looked_at == 3
    else:  # columns are learned from the others
        assert before + learns == shares.labels + looked_at == 3
    assert shares.labels == (learns + shares.labels) / 40 * labels


def test_python_has_a_holdout_and_csv_formats(tmp_path):
    (tmp_path / "t.csv").write_text("age;ill\n" + "25,5;0\n70,5;1\n" * 900)
    made = ls.fit(
        tmp_path / "t.csv", y="ill", epsilon=4, holdout=0.25, random_state=0,
        bounds={"age": (0, 100)}, csv="sep=;, decimal=comma, header=public",
    )  # fmt: skip
    assert made.release_.evaluation.held_out
    assert made.release_.evaluation.n == 450
    assert made.predict({"age": [20, 80]}).tolist() == [0, 1]


def stopped(cells, epsilon, seeds):
    """Return how often the first count ends the fit; the cells are counted once."""
    fit = Fit(y="y", epsilon=epsilon, labels=Labels(), schema=SCHEMA)
    opened = tables.read_table({"age": [1] * len(cells), "y": cells})
    counts, stops = counting.count_labels(opened, "y", [0, 1], caller="test"), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "count_labels", lambda *_, **__: counts)
        for seed in range(seeds):
            try:
                first_count(opened, fit.task.y, SeededSource(seed), None, fit.shares, caller="fit")
            except StoppedError:
                stops += 1
    return stops


@pytest.mark.more
@pytest.mark.parametrize(("n", "epsilon"), [(500, 1), (1000, "1/2"), (100, 5)])
def test_right_labels_are_stopped_in_at_most_one_of_a_thousand(n, epsilon):
    """At n epsilon of 500: the noise alone would have to hide more than n/2 records."""
    assert stopped([0] * (n - 5) + [1] * 5, epsilon, 2000) <= 2


@pytest.mark.more
def test_a_wrong_column_is_noticed_in_99_of_100():
    assert stopped(["a", "b"] * 500, 1, 1000) >= 990


def test_missing_cells_are_no_labels_and_stop_nothing():
    assert not stopped([0] * 200 + [None] * 1800, 1, 1)
    assert stopped(np.repeat([3, 4], 5000).tolist(), 1, 1)
    assert not stopped(["yes", "no"] * 5000, 1, 1), "texts that mean 1 and 0"


def test_a_fitted_model_prints_what_was_released():
    made = ls.fit(TABLE, y="ill", epsilon=4, schema=SCHEMA, random_state=0)
    assert str(made) == made.summary()
    assert "Guarantee" in made.summary()
    assert "NOT PRIVATE (seeded)" in made.summary()
    frame = made.evaluation_.to_frame().set_index("figure")
    accuracy = made.evaluation_.figures["accuracy"]
    assert tuple(frame.loc["accuracy"]) == (accuracy.value, accuracy.low, accuracy.high)
    assert "0x" not in str(ls.Scorecard(SCHEMA, epsilon=1))
    costs = ls.fit(
        TABLE | {"cost": [1, 9, 3, 9] * 500}, y="cost", target="quantity", high=10, epsilon=4,
        schema=SCHEMA, random_state=0,
    )  # fmt: skip
    assert len(costs.evaluation_.to_frame()) > 1


@pytest.mark.first(1)
@pytest.mark.parametrize("model", ["boosted", "scorecard"])
def test_times_have_every_model_by_both_interfaces(model, tmp_path, capsys):
    """A scorecard asks one column at a time, also where `fit` returns the estimator."""
    table = TABLE | {"time": [30, 5, 15, 5] * 500, "died": [0, 1, 1, 1] * 500}
    del table["ill"]
    how = {"time": "time", "event": "died", "periods": [12, 24], "epsilon": 4, "schema": SCHEMA}
    made = ls.fit(table, model=model, random_state=0, **how)
    assert made.predict_survival_function(table, return_array=True).shape == (2000, 2)
    made.save(tmp_path / "m.json")
    pq.write_table(pa.table(table), tmp_path / "t.parquet")
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml())
    asked = ["fit", str(tmp_path / "t.parquet"), "--time", "time", "--event", "died"]
    asked += ["--periods", "12,24", "--epsilon", "4", "--schema", str(tmp_path / "s.toml")]
    asked += ["--model", model, "--seed", "0", "--out", str(tmp_path / "c.json")]
    assert main(asked) == 0
    assert (tmp_path / "c.json").read_text() == (tmp_path / "m.json").read_text()
    depth = {"boosted": "depth 2", "scorecard": "depth 1"}[model]
    assert depth in made.hypothesis_.describe()
    assert depth in capsys.readouterr().out
    assert made.depth == int(depth[-1])


def test_what_stays_spent_is_said_where_another_program_spends_meanwhile(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=1)
    fit = Fit(y="ill", epsilon=1, schema=SCHEMA, evaluate=None)
    planned = fit.plan(TABLE, SecureSource(), ledger=ledger)
    ledger.charge(Guarantee("1/2"))
    with pytest.raises(BudgetError, match="first count or the columns had already been paid"):
        planned.run(SecureSource(), ledger=ledger)
    assert ledger.spent().epsilon == F(1, 2) + F(1, 40)


@pytest.mark.parametrize(
    ("table", "public", "words"),
    [
        ({"age": [], "ill": []}, None, "has no rows"),
        ({"age": [1, 2, 3], "ill": [0, 1]}, None, "columns of the table have different numbers"),
        ({"age": [1, 2], "ill": [0, 1]}, 3, r"The public rows \(public=\) cannot be read"),
    ],
)
def test_a_table_that_is_none_is_refused_by_its_cause(table, public, words):
    schema = ls.Schema.from_dict({"age": {"bins": [30]}}) if public is None else None
    with pytest.raises(errors.LittlestoneError, match=words):
        ls.fit(table, y="ill", epsilon=1, schema=schema, public=public, random_state=0)


@pytest.mark.first(1)
@pytest.mark.parametrize("target", [{"target": "quantity", "high": 9}, {}])
def test_a_model_that_is_read_has_the_intervals_of_the_fitted(target, tmp_path):
    made = ls.fit(
        TABLE, y="ill", epsilon=8, schema=SCHEMA, model="scorecard", interval=0.9, random_state=0,
        **target,
    )  # fmt: skip
    made.save(tmp_path / "m.json")
    name = "predict_interval" if target else "predict_set"
    answer = getattr(ls.load(tmp_path / "m.json"), name)(TABLE)
    assert answer.tolist() == getattr(made, name)(TABLE).tolist()
    bare = replace(made.release_, hypothesis=replace(made.hypothesis_, width=None))
    with pytest.raises(errors.UnsupportedError, match=r"no (intervals|sets of labels)"):
        getattr(bare, name)(TABLE)


def test_a_fitted_model_shows_numbers_as_they_are_typed():
    for epsilon, shown in ((1, "0.975"), ("1/7", "Fraction(")):  # less the first count
        made = ls.fit(TABLE, y="ill", epsilon=epsilon, schema=SCHEMA, random_state=0)
        assert f"epsilon={shown}" in repr(made)
        learns = {part.what: part.guarantee.epsilon for part in made.release_.parts}["learning"]
        assert clone(made).to_learner().epsilon == learns


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("epsilon", "1e31", "at most 1e+12"),
        ("epsilon", "1e-301", "at least 1e-300"),
        ("epsilon", "0", "a number in (0, inf)"),
        ("delta", "1e-301", "at least 1e-300"),
        ("delta", "1", "a number in (0, 1)"),
    ],
)
def test_limits_are_said_by_both_interfaces(name, value, words, tmp_path, capsys):
    (tmp_path / "t.csv").write_text("age,ill\n" + "25,0\n70,1\n" * 9)
    given = {"epsilon": "1"} | {name: value}
    with pytest.raises(ParameterError) as problem:
        ls.fit(tmp_path / "t.csv", y="ill", **given)
    line = [f"--{key}={number}" for key, number in given.items()]
    assert main(["fit", str(tmp_path / "t.csv"), "--y", "ill", *line]) == 2
    for said in (str(problem.value), capsys.readouterr().err):
        assert words in said


# -- `littlestone.fit`: what is decided, what it costs, what is refused before that is paid --------

RNG = np.random.default_rng(5)
AGE = RNG.integers(18, 90, 4000)
PEOPLE = {
    "age": AGE,
    "city": RNG.choice(["Bonn", "Rome"], 4000),
    "user": np.arange(4000) % 900,
    "ill": (AGE + RNG.normal(0, 9, 4000) > 55).astype(int),
}
BINNED = ls.Schema.from_dict(
    {"age": {"bins": [30, 45, 55, 70]}, "city": {"categories": ["Bonn", "Rome"]}}
)


def fit(**more):
    return ls.fit(
        PEOPLE, **({"y": "ill", "epsilon": 2, "schema": BINNED, "random_state": 0} | more)
    )


@pytest.mark.parametrize("model", ["auto", *models.MODELS])
def test_every_family_learns_and_predicts_tables(model):
    made = fit(model=model, delta=1e-6)
    assert np.mean(made.predict(PEOPLE) == PEOPLE["ill"]) > 0.75
    assert made.release_.guarantee.epsilon == 2
    assert made.predict_proba(PEOPLE).shape == (4000, 2)
    sums = {"auto": "boosting", "scorecard": "boosting", "boosted": "boosting", "linear": "linear"}
    name = sums.get(model)
    assert made.release_.learner == (name or "agnostic")
    assert (made.certificate_ is None) == (name is not None)


@pytest.mark.parametrize("part", ["0.8", "0.7999999"])
def test_an_evaluation_that_leaves_nothing_is_refused_before_columns_are_paid(tmp_path, part):
    ledger = ls.Ledger(tmp_path / "ledger.db", epsilon=1)
    with pytest.raises(ParameterError, match=r"at most 0\.792"):
        fit(schema=None, epsilon=1, evaluate=part, ledger=ledger)
    assert ledger.spent().epsilon == 0


@pytest.mark.more
def test_learned_columns_and_the_fit_cost_epsilon_and_delta_together(tmp_path):
    for model, delta in (("boosted", "1e-6"), ("tree", "1e-6"), ("auto", None)):
        ledger = ls.Ledger(tmp_path / f"{model}.db", epsilon=2, delta="1e-6")
        made = fit(schema=None, model=model, delta=delta, ledger=ledger, random_state=None)
        spent, told = ledger.spent(), made.release_
        assert (spent.epsilon, spent.delta) == (2, Fraction(delta or 0))
        assert (told.guarantee.epsilon, told.guarantee.delta) == (2, Fraction(delta or 0))
        # with a delta sums of trees compose with their columns in rho
        joined = model == "boosted"
        assert (told.proposal.guarantee.epsilon == Fraction(2, 5)) != joined
        assert any(part.what == "columns and learning" for part in told.parts) == joined
        # a tree is measured on the records of the fit; else what the first count leaves is spent
        learns = Fraction(2) * (1 if joined else Fraction(4, 5))
        assert told.evaluation.epsilon == (learns / 10 if model == "tree" else 2 - learns / 40)
        assert ledger.remaining().epsilon == 0


def test_a_ledger_that_pays_the_columns_only_is_refused_before_them(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=1)
    with pytest.raises(ls.errors.BudgetError):
        fit(schema=None, epsilon="1.1", ledger=ledger, random_state=None)
    assert ledger.spent().epsilon == 0


def test_what_is_decided_is_logged_in_its_order(caplog):
    with caplog.at_level(logging.INFO, logger="littlestone"):
        fit(schema=None)
    names = [record.getMessage().partition(":")[0] for record in caplog.records]
    assert names == ["Columns", "Left out", "Model", "Evaluation", "Delta"]
    assert "epsilon 0.4" in caplog.records[0].getMessage()
    assert "1e-6" in caplog.records[-1].getMessage()


def test_without_an_evaluation_all_is_learned_from():
    made = fit(evaluate=None)
    assert made.release_.evaluation is None
    assert fit(evaluate="0.5").release_.evaluation.epsilon == Fraction(1, 2)


def test_two_labels_are_negative_and_positive_and_more_are_listed():
    words = PEOPLE | {"ill": np.where(PEOPLE["ill"] == 1, "yes", "no")}
    made = ls.fit(words, y="ill", epsilon=2, schema=BINNED, labels=["no", "yes"], random_state=0)
    assert made.classes_.tolist() == ["no", "yes"]
    assert np.mean(made.predict(words) == words["ill"]) > 0.75
    three = PEOPLE | {"ill": np.where(AGE < 40, "low", np.where(AGE < 60, "mid", "high"))}
    for model in ("auto", "tree"):
        made = ls.fit(
            three, y="ill", epsilon=4, schema=BINNED, model=model, labels=["low", "mid", "high"],
            random_state=0,
        )  # fmt: skip
        assert set(made.predict(three)) == {"low", "mid", "high"}


def test_labels_that_no_record_has_are_warned_of():
    """Where the positive one is named; else a first count stops the fit."""
    own = {"schema": ls.Schema(BINNED.columns[:1]), "random_state": 0}
    with pytest.warns(UserWarning, match=r"not clear that any record has the label 'x'.*labels="):
        ls.fit(PEOPLE, y="city", epsilon=2, labels=("else", "x"), **own)


def test_a_column_that_holds_no_labels_stops_the_fit_and_costs_its_count(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=9)
    for schema in (ls.Schema(BINNED.columns[:1]), None):
        before = ledger.spent().epsilon
        with pytest.raises(ls.errors.StoppedError, match=r"neither 0 nor 1.*is spent") as told:
            ls.fit(PEOPLE, y="city", epsilon=2, schema=schema, ledger=ledger)
        share = 2 * Fraction(4, 5 if schema is None else 4) / 40
        assert ledger.spent().epsilon - before == share
        assert f"epsilon {share}" in str(told.value)
    assert [event.what[:18] for event in ledger.history()] == ["count of the cells"] * 2


@pytest.mark.more
def test_users_are_protected_by_sums_of_all_records_or_by_some_of_each():
    for model, each in (("auto", None), ("tree", 2)):
        made = fit(model=model, user="user", samples_per_user=each, delta=1e-6)
        assert made.guarantee_.neighbours.unit == "user"
        assert made.release_.evaluation.n == (270 if each is None else 900)
        assert np.mean(made.predict(PEOPLE) == PEOPLE["ill"]) > 0.75
    assert isinstance(fit(model="scorecard", user="user"), ls.Scorecard)


def test_a_class_that_is_too_large_is_the_next_smaller_one():
    many = ls.Schema.from_dict({f"x{i}": {"bins": list(range(99))} for i in range(60)})
    task = models.Task("y", models.Labels())
    sizes = [
        task.concepts(partial(make, many, None)).spec[-2]
        for name, make in models.MODELS.items()
        if name not in ("scorecard", "linear")
    ]
    assert sizes == ["1"] * 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"y": "agee"}, "no column 'agee'"),
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": "one"}, "epsilon"),
        ({"epsilon": "1e-9"}, "at least 1e-05"),
        ({"epsilon": "1e-400"}, "1 is a common choice"),
        ({"delta": 2}, "delta"),
        ({"model": "forest"}, "auto or one of rule, tree, scorecard, linear, boosted"),
        ({"labels": ["yes"]}, "labels"),
        ({"labels": ["a", "b", "c"], "model": "rule"}, "tree, scorecard or boosted"),
        ({"user": "user", "model": "tree"}, "samples_per_user"),
        ({"samples_per_user": 3}, "user="),
        ({"user": "user", "schema": None}, "littlestone schema new"),
        ({"user": "user", "samples_per_user": 2}, "rule and tree"),
        ({"evaluate": 2}, "evaluate"),
        ({"evaluate": "0.9", "epsilon": 1, "schema": None}, "A tenth"),
        ({"ledger": "b.db"}, "Ledger"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_wrong_calls_are_refused_before_anything_is_learned(change, words, monkeypatch):
    """Also where the columns would be paid for first."""
    for given in (change, change | {"schema": None}):
        if "user" in change and given is not change:  # that needs a schema
            continue
        with monkeypatch.context() as patch:
            patch.setattr(proposal, "describe", lambda *_: pytest.fail("paid"))
            with pytest.raises(ls.errors.LittlestoneError) as refused:
                fit(**given)
        assert words in str(refused.value)


def test_of_few_records_numbers_get_standard_bins(tmp_path, caplog):
    """They depend on no record: all of epsilon learns, and a certificate holds."""
    few = {name: cells[:300] for name, cells in PEOPLE.items()}
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=1)
    with caplog.at_level(logging.INFO, logger="littlestone"):
        made = ls.fit(few, y="ill", epsilon=1, model="tree", ledger=ledger)
    (said,) = [text for text in caplog.messages if text.startswith("Columns")]
    assert "standard bins" in said
    assert made.release_.proposal is None
    assert made.release_.guarantee.epsilon == 1
    assert ledger.spent().epsilon == 1
    schema = made.concept_class.domain.schema
    assert schema.names == ("age", "city", "user")
    again = proposal.standard({name: cells[::-1] for name, cells in few.items()}, y="ill")
    assert again == schema
    bounded = proposal.standard(few, y="ill", columns=["age"], bounds={"age": (0, 80)})
    assert bounded["age"].edges == (10, 20, 30, 40, 50, 60, 70)


def test_declared_texts_need_a_delta_before_anything_is_spent(tmp_path):
    """Of any number of records; truth values beside them have their categories, free."""
    path, ledger = tmp_path / "t.parquet", ls.Ledger(tmp_path / "b.db", epsilon=1)
    texts = pa.table({"city": ["Bonn"] * 4000, "ill": [0, 1] * 2000})
    pq.write_table(texts, path)
    with pytest.raises(ParameterError, match=r"delta, for example 1e-6.*littlestone schema new"):
        ls.fit(path, y="ill", epsilon=1, ledger=ledger)
    pq.write_table(texts.slice(0, 100), path)
    with pytest.raises(ls.errors.InfeasibleError, match="littlestone schema new"):
        ls.fit(path, y="ill", epsilon=1, delta=1e-6)
    assert ledger.spent().epsilon == 0
    pq.write_table(texts.append_column("flag", pa.array([True, False] * 2000)), path)
    made = ls.fit(path, y="ill", epsilon=1, ledger=ledger, evaluate=None)
    assert made.schema["flag"].categories == ("false", "true")
    assert (made.schema.names, made.release_.proposal) == (("flag",), None)


@pytest.mark.more
def test_of_very_many_columns_each_has_fewer_bins(monkeypatch):
    """A class that is too large would be refused after its columns are paid for."""
    table = {name: AGE for name in "abcd"} | {"ill": PEOPLE["ill"]}

    def edges(epsilon):
        decided = models.Fit(y="ill", epsilon=epsilon, evaluate=None).plan(table, SeededSource(0))
        kept = [len(column.edges) for column in decided.schema]
        return max(kept), decided.schema.proposal is not None

    monkeypatch.setattr(proposal, "MOST_EDGES", 4 * 6)
    assert edges("1e-3") == (5, False)
    most, learned = edges(40)
    assert learned
    assert 0 < most <= 4
    monkeypatch.setattr(proposal, "MOST_EDGES", 4 * 4)
    with pytest.raises(ParameterError, match="at most 4 can be predictors"):
        edges(40)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("schema.toml", "Schema.from_toml"),
        (ls.Schema.every_column([0]), "named columns"),
        (ls.Schema.from_dict({"ill": {"bins": [1]}}), "out of the schema"),
    ],
)
def test_schemas_that_do_not_fit_are_refused(schema, words):
    with pytest.raises(ls.errors.ParameterError, match=words):
        fit(schema=schema)


# --- targets that are no labels -------------------------------------------------------------------

QUANTITY = {"y": "cost", "target": "quantity", "high": 300}
COUNT = {"y": "visits", "target": "count", "high": 20}
TIME = {"y": None, "time": "months", "event": "died", "periods": [20, 40, 60]}
SOME = AGE[:600]
MORE = {
    "age": SOME, "city": PEOPLE["city"][:600], "user": np.arange(600) % 150, "cost": SOME * 2.0,
    "visits": SOME // 20, "months": 100 - SOME, "died": (SOME > 30).astype(int),
}  # fmt: skip


def fit_target(**more):
    return ls.fit(MORE, **({"epsilon": 8, "schema": BINNED, "random_state": 0} | more))


@pytest.mark.more
@pytest.mark.parametrize("what", [QUANTITY, COUNT, TIME], ids=["quantity", "count", "time"])
def test_targets_are_learned_as_by_their_estimators(what):
    made = fit_target(**what)
    sign = -1 if what is TIME else 1
    truth = MORE[what["y"] or "months"]
    assert np.corrcoef(made.predict(MORE), truth)[0, 1] * sign > 0.85
    assert made.release_.guarantee.epsilon == 8
    assert made.release_.evaluation is not None
    kind = {"cost": "BoostedTreesRegressor", "visits": "BoostedTreesRegressor"}
    assert type(made).__name__ == kind.get(what["y"], "BoostedTreesSurvival")
    users = fit_target(**what, user="user", model="scorecard" if what is QUANTITY else "auto")
    assert (users.release_.n, users.guarantee_.neighbours.unit) == (150, "user")


@pytest.mark.more
@pytest.mark.parametrize("what", [QUANTITY, TIME], ids=["quantity", "time"])
def test_columns_of_a_target_are_learned_without_its_own(what, tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=8)
    made = fit_target(
        **what, schema=None, bounds={"age": (0, 120)}, ledger=ledger, random_state=None
    )
    assert (ledger.spent().epsilon, made.release_.guarantee.epsilon) == (8, 8)
    names = set(made.schema.names)
    assert "age" in names
    assert not names & ({"months", "died"} if what is TIME else {"cost"})


def test_quantiles_and_numbers_of_periods():
    few = {"epsilon": Fraction(1, 20), "evaluate": None}
    high = fit_target(**QUANTITY, quantile=0.9, **few)
    assert (high.loss, high.release_.concept_class.target.kind) == ("quantile", "quantity")
    made = fit_target(**TIME | {"periods": 3, "high": 60}, **few)
    assert made.unique_times_.tolist() == [20, 40, 60]


def test_intervals_of_one_record_blame_what_was_asked():
    one = {name: cells[:1] for name, cells in MORE.items()}
    for given in ({"schema": BINNED}, {}):
        with pytest.raises(
            ParameterError, match=r"'interval' parameter .* of 1 record, which is none"
        ):
            ls.fit(one, epsilon=1, interval=0.9, **QUANTITY, **given)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"y": "cost", "target": "quantity"}, "needs high"),
        ({"y": "cost", "high": 3}, 'target="quantity"'),
        ({"y": "cost", "target": "number", "high": 3}, "quantity or count"),
        (QUANTITY | {"low": 300}, "below high"),
        (QUANTITY | {"event": "died"}, "'event' parameter"),
        (QUANTITY | {"loss": "quantile"}, "'quantile' parameter"),
        (QUANTITY | {"loss": "poisson"}, "huber"),
        (QUANTITY | {"quantile": 2}, "(0, 1)"),
        (QUANTITY | {"interval": "0.99999"}, "'interval' parameter of fit must be at most 0.999"),
        (QUANTITY | {"labels": ["a", "b"]}, "'labels' parameter"),
        (QUANTITY | {"user": "user", "samples_per_user": 2}, "'samples_per_user' parameter"),
        (QUANTITY | {"model": "tree"}, "boosted and scorecard"),
        (COUNT | {"low": 0}, "a count"),
        (TIME | {"y": "cost"}, "exactly one of y"),
        (TIME | {"periods": None}, "periods"),
        (TIME | {"periods": [3, 2]}, "increasing"),
        (TIME | {"periods": "many", "high": 3}, "equal periods"),
        (TIME | {"evaluate": 8}, "99% of the epsilon"),
        (TIME | {"event": "lived"}, "no column 'lived'"),
        ({}, "name of a column"),
    ],
)  # fmt: skip
def test_wrong_targets_are_refused_before_anything_is_learned(call, words, monkeypatch):
    monkeypatch.setattr(proposal, "describe", lambda *_: pytest.fail("paid"))
    with pytest.raises(ls.errors.LittlestoneError) as refused:
        fit_target(schema=None, **call)
    assert words in str(refused.value)


def test_a_column_named_as_the_period_is_refused():
    table = MORE | {"time": SOME}
    with pytest.raises(ParameterError, match="use this name for the period"):
        ls.fit(table, epsilon=1, **TIME)


@pytest.mark.more
def test_learned_columns_leave_no_bound_for_new_records():
    """Held-out records were among those that the columns were learned from."""
    table = {"age": AGE, "cost": AGE * 2, "ill": PEOPLE["ill"]}
    given = {"high": 300, "epsilon": 4, "random_state": 0}
    learned = ls.data.propose(
        {"age": AGE}, columns=["age"], epsilon=1, random_state=0, header_is_public=True
    )
    public = replace(learned, proposal=None)
    for schema, known in ((public, True), (learned, False)):
        card = ls.Scorecard(schema, epsilon=4, evaluate=1, holdout=0.2, random_state=0)
        card.fit(table, y="ill")
        costs = ls.ScorecardRegressor(schema, evaluate=1, interval=0.9, **given)
        costs.fit(table, y="cost")
        for made in (card, costs):
            facts = str(evaluation_facts(made.release_))
            assert ("no bound for new records" in facts) != known
            assert ("with 95% confidence" in facts) == known
        interval = costs.release_.to_dict()["interval"]["certificate"]
        assert interval["holds"] == known
        if known:
            assert card.evaluation_.error_certificate(card.release_.answers, 0.05) < 1
            continue
        with pytest.raises(UnsupportedError, match="not learned"):
            card.evaluation_.error_certificate(card.release_.answers, 0.05)
        sets = ls.Scorecard(schema, epsilon=4, interval=0.9, random_state=0).fit(table, y="ill")
        other = Sample.of(np.full((50, 1), 2), [1] * 50)
        (scored,) = score_all([(sets.release_, other)], SeededSource(0), epsilon=1)
        assert ("no bound for new records" in str(evaluation_facts(scored))) != known
        assert scored.to_dict()["interval"]["certificate"]["holds"] == known


@pytest.mark.more
def test_free_columns_leave_all_of_epsilon_to_intervals():
    """Of too few records columns are standard ones: then fewer held-out records are enough."""
    rng = np.random.default_rng(0)
    table = {f"x{i}": rng.integers(0, 100, 800) for i in range(10)}
    table["cost"] = table["x0"] + rng.integers(0, 9, 800)
    made = ls.fit(
        table, y="cost", target="quantity", low=0, high=120, epsilon=1, interval=0.9,
        evaluate=None, random_state=0,
    )  # fmt: skip
    assert made.release_.interval.epsilon == 1
    assert made.release_.interval.m == 160
