"""One fit: a table is opened once, a number is parsed once, a wrong column costs a count."""

import sys
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import littlestone as ls
from littlestone import errors
from littlestone.cli.main import main
from littlestone.data import counting, tables
from littlestone.errors import BudgetError, ParameterError, StoppedError
from littlestone.learners.base import Kind
from littlestone.learners.fit import Fit
from littlestone.learners.running import Shares, first_count
from littlestone.learners.task import Labels
from littlestone.privacy import Guarantee
from littlestone.source import SecureSource, SeededSource

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
        ({"evaluate": F(4, 5), "columns": True}, "at most 99/125"),
        ({"evaluate": 2, "holdout": 0.2, "columns": True}, "at most epsilon"),
        ({"evaluate": 1, "holdout": 0.2, "labels": True}, "at most 39/40"),
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
    frame = made.to_frame().set_index("figure")
    error = made.release_.quality.error
    assert tuple(frame.loc["error"]) == (error.value, error.low, error.high)
    assert "0x" not in str(ls.Scorecard(SCHEMA, epsilon=1))
    costs = ls.fit(
        TABLE | {"cost": [1, 9, 3, 9] * 500}, y="cost", target="quantity", high=10, epsilon=4,
        schema=SCHEMA, random_state=0,
    )  # fmt: skip
    assert len(costs.to_frame()) > 1


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
    with pytest.raises(BudgetError, match="first count or of the columns stays spent"):
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
    schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
    table = {"age": [25, 70] * 500, "ill": [0, 1] * 500}
    made = ls.fit(
        table, y="ill", epsilon=8, schema=schema, model="scorecard", interval=0.9, random_state=0,
        **target,
    )  # fmt: skip
    made.save(tmp_path / "m.json")
    name = "predict_interval" if target else "predict_set"
    answer = getattr(ls.load(tmp_path / "m.json"), name)(table)
    assert answer.tolist() == getattr(made, name)(table).tolist()
    bare = replace(made.release_, hypothesis=replace(made.hypothesis_, width=None))
    with pytest.raises(errors.UnsupportedError, match=r"no (intervals|sets of labels)"):
        getattr(bare, name)(table)


def test_a_fitted_model_shows_numbers_as_they_are_typed():
    schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
    table = {"age": [25, 70] * 300, "ill": [0, 1] * 300}
    for epsilon, shown in ((1, "0.975"), ("1/7", "Fraction(")):  # less the first count
        made = ls.fit(table, y="ill", epsilon=epsilon, schema=schema, random_state=0)
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
        ("delta", "1", "a float in (0, 1)"),
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
