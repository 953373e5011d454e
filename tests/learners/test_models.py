"""`littlestone.fit`: what is decided, what it costs, what is refused before that is paid."""

import logging
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.data import Sample, proposal
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners import fit as models
from littlestone.learners.running import score_all
from littlestone.report.evaluated import evaluation_facts
from littlestone.source import SeededSource

RNG = np.random.default_rng(5)
AGE = RNG.integers(18, 90, 4000)
TABLE = {
    "age": AGE,
    "city": RNG.choice(["Bonn", "Rome"], 4000),
    "user": np.arange(4000) % 900,
    "ill": (AGE + RNG.normal(0, 9, 4000) > 55).astype(int),
}
SCHEMA = ls.Schema.from_dict(
    {"age": {"bins": [30, 45, 55, 70]}, "city": {"categories": ["Bonn", "Rome"]}}
)


def fit(**more):
    return ls.fit(TABLE, **({"y": "ill", "epsilon": 2, "schema": SCHEMA, "random_state": 0} | more))


@pytest.mark.parametrize("model", ["auto", *models.MODELS])
def test_every_family_learns_and_predicts_tables(model):
    made = fit(model=model, delta=1e-6)
    assert np.mean(made.predict(TABLE) == TABLE["ill"]) > 0.75
    assert made.release_.guarantee.epsilon == 2
    assert made.predict_proba(TABLE).shape == (4000, 2)
    sums = {"auto": "boosting", "scorecard": "boosting", "boosted": "boosting", "linear": "linear"}
    name = sums.get(model)
    assert made.release_.learner == (name or "agnostic")
    assert (made.certificate_ is None) == (name is not None)


@pytest.mark.parametrize("part", ["0.8", "0.7999999"])
def test_an_evaluation_that_leaves_nothing_is_refused_before_columns_are_paid(tmp_path, part):
    ledger = ls.Ledger(tmp_path / "ledger.db", epsilon=1)
    with pytest.raises(ParameterError, match="at most 99/125"):
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
    assert "epsilon 2/5" in caplog.records[0].getMessage()
    assert "1e-6" in caplog.records[-1].getMessage()


def test_without_an_evaluation_all_is_learned_from():
    made = fit(evaluate=None)
    assert made.release_.evaluation is None
    assert fit(evaluate="0.5").release_.evaluation.epsilon == Fraction(1, 2)


def test_two_labels_are_negative_and_positive_and_more_are_listed():
    words = TABLE | {"ill": np.where(TABLE["ill"] == 1, "yes", "no")}
    made = ls.fit(words, y="ill", epsilon=2, schema=SCHEMA, labels=["no", "yes"], random_state=0)
    assert made.classes_.tolist() == ["no", "yes"]
    assert np.mean(made.predict(words) == words["ill"]) > 0.75
    three = TABLE | {"ill": np.where(AGE < 40, "low", np.where(AGE < 60, "mid", "high"))}
    for model in ("auto", "tree"):
        made = ls.fit(
            three, y="ill", epsilon=4, schema=SCHEMA, model=model, labels=["low", "mid", "high"],
            random_state=0,
        )  # fmt: skip
        assert set(made.predict(three)) == {"low", "mid", "high"}


def test_labels_that_no_record_has_are_warned_of():
    """Where the positive one is named; else a first count stops the fit."""
    own = {"schema": ls.Schema(SCHEMA.columns[:1]), "random_state": 0}
    with pytest.warns(UserWarning, match=r"hides whether any record has the label 'x'.*labels="):
        ls.fit(TABLE, y="city", epsilon=2, labels=("else", "x"), **own)


def test_a_column_that_holds_no_labels_stops_the_fit_and_costs_its_count(tmp_path):
    ledger = ls.Ledger(tmp_path / "b.db", epsilon=9)
    for schema in (ls.Schema(SCHEMA.columns[:1]), None):
        before = ledger.spent().epsilon
        with pytest.raises(ls.errors.StoppedError, match=r"neither 0 nor 1.*stays spent") as told:
            ls.fit(TABLE, y="city", epsilon=2, schema=schema, ledger=ledger)
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
        assert np.mean(made.predict(TABLE) == TABLE["ill"]) > 0.75
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
        ({"user": "user", "samples_per_user": 2}, "rule, tree"),
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
    few = {name: cells[:300] for name, cells in TABLE.items()}
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
    table = {name: AGE for name in "abcd"} | {"ill": TABLE["ill"]}

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
    "age": SOME, "city": TABLE["city"][:600], "user": np.arange(600) % 150, "cost": SOME * 2.0,
    "visits": SOME // 20, "months": 100 - SOME, "died": (SOME > 30).astype(int),
}  # fmt: skip


def fit_target(**more):
    return ls.fit(MORE, **({"epsilon": 8, "schema": SCHEMA, "random_state": 0} | more))


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
    for given in ({"schema": SCHEMA}, {}):
        with pytest.raises(ParameterError, match=r"'interval' parameter .* none of 1 record"):
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
    table = {"age": AGE, "cost": AGE * 2, "ill": TABLE["ill"]}
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
            assert ("except with probability" in facts) == known
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
