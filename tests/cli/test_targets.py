"""`littlestone fit` of quantities, counts and times, and of users by boosted trees."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from littlestone.cli.main import main

SCHEMA = '[age]\nbins = [20, 40, 60]\n\n[city]\ncategories = ["Bonn", "Rome"]\n'


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.integers(10, 90, 1200), "city": ["Bonn", "Rome"] * 600})
    table["cost"], table["visits"] = table.age * 2 + rng.normal(0, 3, 1200), table.age // 20
    table["months"], table["died"] = 60 - table.age / 2, (table.age > 30).astype(int)
    table["ill"], table["who"] = (table.age >= 40).astype(int), np.arange(1200) // 4
    table.to_csv(tmp_path / "t.csv", index=False)
    (tmp_path / "s.toml").write_text(SCHEMA)
    return tmp_path


def fit(files, *arguments, epsilon="4"):
    """Return the exit code of a fit with the schema, an epsilon and a model file."""
    return main([
        "fit", str(files / "t.csv"), "--schema", str(files / "s.toml"), "--epsilon", epsilon,
        "--out", str(files / "m.json"), *arguments,
    ])  # fmt: skip


QUANTITY = ["--y", "cost", "--target", "quantity", "--high", "300"]
COUNT = ["--y", "visits", "--target", "count", "--high", "20"]
TIME = ["--time", "months", "--event", "died", "--periods", "20,40,60"]


@pytest.mark.first(1)
@pytest.mark.parametrize("what", [QUANTITY, COUNT, TIME], ids=["quantity", "count", "time"])
@pytest.mark.parametrize("user", [[], ["--user", "who"]], ids=["records", "users"])
def test_a_model_is_written_and_predicts(files, what, user, capsys):
    # 300 users are few: at 4 a constant is published now and then
    assert fit(files, *what, *user, epsilon="16" if user else "4") == 0
    shown = capsys.readouterr().out
    assert ("user-replace" in shown) == bool(user)
    assert ("Concordance" in shown) == (what is TIME)
    assert "label" not in shown
    document = json.loads((files / "m.json").read_text())
    assert document["n"] == (300 if user else 1200)
    out = str(files / "p.parquet")
    assert main(["predict", str(files / "m.json"), str(files / "t.csv"), "--out", out]) == 0
    found = pd.read_parquet(out)["prediction"]
    table = pd.read_csv(files / "t.csv")
    sign = -1 if what is TIME else 1
    truth = table[{"quantity": "cost", "count": "visits"}.get(what[3], "months")]
    assert np.corrcoef(found, truth)[0, 1] * sign > 0.7


@pytest.mark.more
@pytest.mark.parametrize("what", [QUANTITY, TIME], ids=["quantity", "time"])
def test_columns_are_learned_without_a_schema(files, what, capsys):
    bounds = ["--bounds", "age=0:100,visits=0:5,ill=0:1,who=0:300"]
    done = main(["fit", str(files / "t.csv"), *what, *bounds, "--epsilon", "8", "--json"])
    assert done == 0
    made = json.loads(capsys.readouterr().out)
    assert "age" in made["columns"]["x"]
    assert not {"months", "died"} & {*made["columns"]["x"]} or what is QUANTITY
    assert made["columns"]["y"] not in made["columns"]["x"]


def test_survival_of_each_period(files, capsys):
    assert fit(files, *TIME) == 0
    capsys.readouterr()
    assert main(["predict", str(files / "m.json"), str(files / "t.csv"), "--proba"]) == 0
    head = capsys.readouterr().out.splitlines()[0]
    assert head == "prediction,survival at 20,survival at 40,survival at 60"


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("what", "head"),
    [
        (["--y", "ill"], "prediction,probability,set has 0,set has 1"),
        (["--y", "city", "--labels", "Bonn,Rome", "--class", "scorecard", "--user", "who"],
         "prediction,probability of Bonn,probability of Rome,set has Bonn,set has Rome"),
    ],
    ids=["records", "users"],
)  # fmt: skip
def test_sets_of_labels(files, what, head, capsys):
    (files / "s.toml").write_text(SCHEMA.partition("[city]")[0])
    assert fit(files, *what, "--interval", "90%", "--report", str(files / "p.html")) == 0
    assert "probability 0.9 or more" in capsys.readouterr().out
    assert "probability 0.9 or more" in (files / "p.html").read_text()
    assert main(["predict", str(files / "m.json"), str(files / "t.csv"), "--proba"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == head
    for line in lines[1:]:
        label, *numbers = line.split(",")
        names = head.split(",")
        assert numbers[names.index(f"set has {label}") - 1] == "1"


@pytest.mark.parametrize("spec", ["boosted_trees(depth=1)", "scorecard"])
def test_labels_of_users(files, spec, capsys):
    assert fit(files, "--y", "ill", "--class", spec, "--user", "who") == 0
    assert "user-replace" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--y", "cost", "--target", "quantity"], "--high"),
        (["--y", "cost", "--high", "3"], "--target"),
        ([*QUANTITY, "--labels", "a,b"], "--labels"),
        ([*QUANTITY, "--periods", "3"], "--periods"),
        ([*COUNT, "--loss", "huber"], "--loss"),
        ([*QUANTITY, "--class", "rules(1)"], "scorecard"),
        (["--time", "months", "--periods", "3"], "--event"),
        ([*TIME, "--y", "cost"], "--time"),
        ([*QUANTITY, "--positive", "1"], "--positive"),
        (["--y", "age", "--target", "quantity", "--high", "3"], "age"),
        ([], "--y"),
        (["--y", "ill", "--class", "scorecard", "--user", "who", "--samples-per-user", "3"], "all"),
        (["--y", "ill", "--model", "tree", "--interval", "90%"], "scorecards"),
        ([*TIME, "--interval", "90%"], "--interval"),
        (["--y", "ill", "--interval", "90"], "in (0, 1)"),
    ],
)
def test_what_is_refused_before_the_table_is_read(files, arguments, words, capsys):
    assert fit(files, *arguments) != 0
    assert words in capsys.readouterr().err
    assert not (files / "m.json").exists()


@pytest.mark.parametrize("asked", [["--y", "ill", "--samples-per-user", "2"], QUANTITY])
def test_a_holdout_of_users_says_nothing_of_how_many_records_they_have(files, asked, capsys):
    """A thousandth of 1,200 records is one of them, of 900 it is none; there are 300 users."""
    whole, shown = pd.read_csv(files / "t.csv"), []
    for each in (4, 3):
        whole[whole.index % 4 < each].to_csv(files / "t.csv", index=False)
        assert fit(files, *asked, "--user", "who", "--holdout", "0.001") == 2
        shown.append(capsys.readouterr().err)
    assert shown[0] == shown[1]


@pytest.mark.first(1)
@pytest.mark.parametrize("what", [QUANTITY, TIME])
def test_errors_of_what_predicts_no_labels_are_not_counted(files, what, capsys):
    assert fit(files, *what, "--model", "scorecard") == 0
    table, model, budget = (str(files / name) for name in ("t.csv", "m.json", "b.db"))
    assert main(["ledger", "create", budget, "--epsilon", "1"]) == 0
    for asked in (["score", model, table], ["compare", table, model, model]):
        assert main([*asked, "--epsilon", "1", "--ledger", budget]) == 2
        assert "evaluates labels" in capsys.readouterr().err
    assert main(["ledger", "show", budget, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["spent"]["epsilon"] == 0
