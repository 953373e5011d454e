"""``littlestone fit`` of each kind of model and target, from fit to score."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.learners.release import Release

# -- ``littlestone fit T --y LABEL --epsilon E``: nothing else is needed ---------------------------

FIT = "fit data.csv --y adult --epsilon 8 --out m.json"


def test_a_table_a_label_and_an_epsilon_are_enough(run, folder):
    done = run(FIT)
    assert done.code == 0, done.err
    names = [line.split()[0] for line in done.out.splitlines() if line[:1].strip()]
    assert (
        names.index("Columns") < names.index("Model") < names.index("Delta") < names.index("Rule")
    )
    assert "epsilon 1.6 (part of the total)" in done.out
    model = run(FIT + " --json").json
    assert model["guarantee"]["epsilon"] == 8
    assert "proposal" in str(model["class"])
    assert run("predict m.json data.csv").code == 0
    assert "by a factor of at most 2981" in done.out, "columns and model together"
    assert run("report m.json --out p.html").code == 0
    assert "<dt>Privacy loss ε</dt><dd>8</dd>" in (folder / "p.html").read_text()


@pytest.mark.first(3)
@pytest.mark.parametrize("model", ["rule", "tree", "scorecard", "boosted"])
def test_each_model_is_learned_over_a_schema_for_all_of_epsilon(run, model):
    done = run(f"{FIT} --schema schema.toml --model {model} --json")
    assert done.code == 0, done.err
    assert done.json["guarantee"]["epsilon"] == 8
    held_out = model in ("scorecard", "boosted")  # what the first count leaves, or a tenth
    assert done.json["evaluation"]["epsilon"] == ("39/5" if held_out else "4/5")
    assert done.json["evaluation"]["held_out"] == held_out


@pytest.mark.more
def test_below_500_over_epsilon_nothing_is_evaluated_unasked(run, folder):
    line = FIT.replace("--epsilon 8", "--epsilon 0.5")
    done = run(f"{line} --schema schema.toml --report p.html")
    said = "1,000 records would be enough"
    assert done.out.count(said) == 2, "before the fit, and after it"
    assert said in (folder / "p.html").read_text()
    assert said not in run(f"{line} --schema schema.toml --evaluate 0.1").out
    assert "Certified" in run(f"{line} --schema schema.toml --holdout 0.3").out
    with_users = run(f"{line} --schema schema.toml --user person")
    assert "not evaluated: 1,000 users would be enough" in with_users.out


@pytest.mark.more
def test_a_ledger_pays_columns_and_fit(run):
    run("ledger create b.db --epsilon 8 --delta 1e-6")
    assert run(f"{FIT} --delta 1e-6 --ledger b.db").code == 0
    kept = run("ledger show b.db --json").json
    assert kept["spent"]["epsilon"] == 8
    assert len(kept["events"]) == 2, "the first count; the two parts of the records"
    assert run(f"{FIT} --ledger b.db").code == 4


def test_columns_of_x_are_learned_alone(run):
    done = run(f"{FIT} --x age --json")
    assert done.json["columns"]["x"] == ["age"]


def test_held_out_records_certify_the_error(run):
    done = run(f"{FIT} --schema schema.toml --holdout 0.3")
    assert "Certified" in done.out


def test_users_need_a_schema(run):
    assert "littlestone schema new" in run(f"{FIT} --user person").err
    for more in ("", " --samples-per-user 2 --model rule"):
        done = run(f"{FIT} --user person{more} --schema schema.toml --json")
        assert done.json["guarantee"]["neighbours"] == "user-replace"
        assert done.json["evaluation"]["epsilon"] == ("4/5" if more else "8")
    held_out = run(f"{FIT} --user person --schema schema.toml --holdout 0.3")
    assert "held-out records, one of each user" in held_out.out
    refused = run(f"{FIT} --user person --samples-per-user 2 --schema schema.toml")
    assert "--model rule" in refused.err


# -- Scorecards and boosted trees on the command line: fit, evaluate, predict, export, refusals ----

SUMS_FIT = "fit data.parquet --y adult --schema schema.toml --seed 1 --out m.json --class"


def test_fit_evaluate_predict_export(run, folder, evaluated):
    done = run(
        f"{SUMS_FIT} scorecard --epsilon 4 --evaluate 2 --holdout 0.25 --report p.html --json"
    )
    assert done.code == 0
    assert done.json["guarantee"]["epsilon"] == 4
    assert done.json["evaluation"]["n"] == 200
    assert done.json["evaluation"]["held_out"]
    assert "certificate" not in done.json
    assert "evaluation" in done.json["spent"]
    assert "The scorecard" in (folder / "p.html").read_text()
    assert run("predict m.json data.parquet --proba --out out.csv").code == 0
    lines = (folder / "out.csv").read_text().splitlines()
    assert lines[0] == "prediction,probability"
    chances = np.array([float(line.split(",")[1]) for line in lines[1:]])
    expected = Release.read(folder / "m.json").predict_proba(str(folder / "data.parquet"))[:, 1]
    assert chances == pytest.approx(expected, rel=1e-5)
    assert run("export m.json --to sql --out m.sql").code == 0
    sql = (folder / "m.sql").read_text()
    scored = np.array(evaluated(sql, f"'{folder / 'data.parquet'}'"))
    assert (np.asarray(scored) == expected).all()
    whole = run("export m.json --table t").out
    seeded, plain = sql.strip().split(" */ ")
    assert seeded == "/* NOT PRIVATE (seeded)"
    assert whole == f"{seeded} */ SELECT *, {plain} AS probability\nFROM t\n"
    module = {}
    exec(run("export m.json --to python").out, module)
    assert module["probability"]({"age": 60, "city": "Bonn"}) == expected[7 - 1]
    document = run("export m.json --to json").json
    assert set(document) == {"schema", "hypothesis", "guarantee"}


def test_the_summary_says_what_was_measured_and_spent(run):
    shown = run(f"{SUMS_FIT} boosted_trees(depth=2,rounds=5) --epsilon 4 --evaluate 1").out
    for word in ("AUROC", "Error", "5 trees", "Evaluation: epsilon 1", "dp.sum"):
        assert word in shown
    assert "Needed" not in shown


def test_an_evaluation_of_another_learner(run):
    done = run(f"{SUMS_FIT} decision_trees(depth=1) --epsilon 4 --evaluate 1 --json")
    assert done.json["guarantee"]["epsilon_exact"] == "4"
    assert done.json["evaluation"]["scores"] == [0, 1]
    assert done.json["certificate"]["holds"] in (True, False)


def test_labels_only(run):
    assert run(f"{SUMS_FIT} rules(max_literals=1) --epsilon 4 --no-evaluate").code == 0
    assert "labels, not probabilities" in run("predict m.json data.parquet --proba").err
    assert "one of sql, python, r, json" in run("export m.json --to xml").err


def test_shares_of_answers(run, folder):
    done = run(f"{SUMS_FIT} decision_trees(depth=1) --epsilon 4 --evaluate 2 --json")
    assert done.json["hypothesis"]["type"] == "tree"
    assert done.json["evaluation"]["scores"] == [0, 1]
    assert run("predict m.json data.parquet --proba --out out.csv").code == 0
    expected = Release.read(folder / "m.json").predict_proba(str(folder / "data.parquet"))[:, 1]
    lines = (folder / "out.csv").read_text().splitlines()[1:]
    assert [float(line.split(",")[1]) for line in lines] == pytest.approx(expected, rel=1e-5)
    assert run("report m.json --out page.html").code == 0


# -- Several labels on the command line, from fit to score -----------------------------------------

CLASS = ["--class", "decision_trees(depth=1)", "--schema", "s.toml", "--labels", "a, b,c"]
LISTED_FIT = ["fit", "t.csv", "--y", "kind", "--epsilon", "4", *CLASS]


@pytest.fixture
def listed_folder(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    age = rng.integers(10, 60, 1500)
    kind = np.where(age < 30, "a", "c")
    kind[::97] = "?"
    lines = [f"{x},{y}" for x, y in zip(age, kind, strict=True)]
    (tmp_path / "t.csv").write_text("\n".join(["age,kind", *lines, ""]))
    (tmp_path / "s.toml").write_text("[age]\nbins = [20, 30, 40]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(capsys, *arguments):
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("labels", [CLASS, [*CLASS[:-2], "--positive", "c"]])
def test_tables_without_rows_are_predicted(listed_folder, capsys, labels):
    import pyarrow.parquet as pq

    told(capsys, *LISTED_FIT[:6], *labels, "--out", "m.json")
    (listed_folder / "none.csv").write_text("age,kind\n")
    (head,) = told(capsys, "predict", "m.json", "none.csv", "--proba").splitlines()
    told(capsys, "predict", "m.json", "none.csv", "--proba", "--out", "none.parquet")
    table = pq.read_table(listed_folder / "none.parquet")
    assert table.column_names == head.split(",")
    assert table.num_rows == 0


def test_fit_predict_and_score(listed_folder, capsys):
    said = told(capsys, *LISTED_FIT, "--out", "m.json", "--report", "r.html")
    assert "age" in said
    assert "unlisted label" in said
    assert "Majority class" in said
    assert "labels: a, b, c" in (listed_folder / "r.html").read_text()
    lines = told(capsys, "predict", "m.json", "t.csv", "--proba").splitlines()
    assert lines[0] == "prediction,probability of a,probability of b,probability of c"
    assert len(lines) == 1501
    truth = [line.split(",")[1] for line in (listed_folder / "t.csv").read_text().splitlines()[1:]]
    right = [line.split(",")[0] == y for line, y in zip(lines[1:], truth, strict=True)]
    assert np.mean(right) > 0.95
    told(capsys, *LISTED_FIT, "--costs", "a=1,b=1,c=2", "--holdout", "0.2")
    found = json.loads(told(capsys, "score", "m.json", "t.csv", "--epsilon", "2", "--json"))
    assert found["n"] == 1500
    assert len(found["evaluation"]["counts"]) == 4
    assert abs(found["quality"]["error"]["value"] - 1 + np.mean(right)) < 0.02
    assert "'c'" in told(capsys, "export", "m.json", "--to", "sql")


def test_a_label_with_a_comma_is_one_cell(capsys):
    from littlestone.cli.predict import _cell

    assert [_cell(text) for text in ("a", "a,b", 'a"b')] == ["a", '"a,b"', '"a""b"']


def test_plan_counts_the_labels(listed_folder, capsys):
    ask = ["plan", *CLASS, "--epsilon", "1", "--alpha", "0.1", "--beta", "0.05", "--json"]
    three = json.loads(told(capsys, *ask))
    two = json.loads(told(capsys, *[*ask[:5], *ask[7:]]))
    needs = [
        next(p["n"] for p in plan["plans"] if p["learner"] == "agnostic") for plan in (three, two)
    ]
    assert needs[0] > needs[1]
    assert three["lower_bounds"] == []


@pytest.mark.first(1)
def test_privacy_is_verified_with_labels(listed_folder, capsys):
    of = "decision_trees(depth=1)"
    (listed_folder / "one.toml").write_text('[city]\ncategories = ["Bonn"]\n')
    named = ["--class", of, "--schema", "one.toml", "--labels", "a,b,c", "--learner", "agnostic"]
    found = told(
        capsys, "audit", "exact", *named, "--epsilon", "1", "--points", "Bonn;Ulm", "--n", "1"
    )
    assert "8 data sets" in found  # two points, three labels and one for cells outside the list
    assert found.startswith("HOLDS")
    assert "HOLDS" in told(capsys, "audit", "all-n", *named, "--epsilon", "1")


@pytest.mark.first(1)
@pytest.mark.parametrize("concepts", ["boosted_trees(depth=2)", "scorecard"])
def test_boosted_trees_from_fit_to_export(listed_folder, capsys, concepts):
    ask = [*LISTED_FIT[:6], "--class", concepts, *CLASS[2:], "--delta", "1e-6"]
    told(capsys, *ask, "--out", "b.json", "--report", "b.html")
    said = told(capsys, *ask, "--holdout", "0.3", "--record", "r.json")
    assert "counts by column and label" in said
    told(capsys, "check-record", "r.json")
    assert "on new records" in said
    lines = told(capsys, "predict", "b.json", "t.csv", "--proba").splitlines()
    assert lines[0] == "prediction,probability of a,probability of b,probability of c"
    shares = np.array([[float(cell) for cell in line.split(",")[1:]] for line in lines[1:]])
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-5)
    truth = [line.split(",")[1] for line in (listed_folder / "t.csv").read_text().splitlines()[1:]]
    right = [line.split(",")[0] == y for line, y in zip(lines[1:], truth, strict=True)]
    assert np.mean(right) > 0.95
    found = json.loads(told(capsys, "score", "b.json", "t.csv", "--epsilon", "2", "--json"))
    assert abs(found["quality"]["error"]["value"] - 1 + np.mean(right)) < 0.02
    assert "'c'" in told(capsys, "export", "b.json", "--to", "sql")
    module = {}
    exec(told(capsys, "export", "b.json", "--to", "python"), module)
    cells = [
        line.split(",")[0] for line in (listed_folder / "t.csv").read_text().splitlines()[1:50]
    ]
    answers = [module["label"]({"age": cell}) for cell in cells]
    assert answers == [line.split(",")[0] for line in lines[1:50]]
    assert json.loads(told(capsys, "export", "b.json", "--to", "json"))["hypothesis"]["trees"]


# -- A label of texts: which one is meant is asked, or it is said that perhaps nobody has it -------

TABLE = pd.DataFrame(
    {"age": [20, 40, 60] * 400, "adult": ["no", "yes", "maybe"] * 400, "ill": [0, 0, 1] * 400}
)
LINE = "--x age --class thresholds(1,99) --epsilon 1"


@pytest.fixture
def tables(run, folder):
    TABLE.to_parquet("t.parquet")
    TABLE.to_csv("t.csv", index=False)
    with duckdb.connect("t.duckdb") as base:
        base.register("frame", TABLE)
        base.execute("create table t as select * from frame")
    return run


@pytest.mark.more
@pytest.mark.parametrize("table", ["t.parquet", "duckdb:///t.duckdb?table=t"])
def test_texts_that_are_declared_need_a_label_before_anything_is_spent(table, tables):
    assert tables("ledger create b.db --epsilon 2").code == 0
    done = tables(f"fit {table} --y adult {LINE} --ledger b.db --out m.json")
    assert done.code == 2
    assert "'adult' as texts" in done.err
    assert "--positive" in done.err
    assert "--labels" in done.err
    assert not any(word in done.err for word in ("maybe", "1,200"))
    assert '"epsilon": 0' in tables("ledger show b.db --json").out.replace(".0", "")
    given = tables(f"fit {table} --y adult {LINE} --positive yes --ledger b.db --out m.json")
    assert given.code == 0
    assert tables(f"fit {table} --y ill {LINE} --ledger b.db").code == 0  # numbers need none


def test_where_nobody_has_the_label_that_is_said_first(tables):
    done = tables(f"fit t.csv --y adult {LINE} --out m.json --positive never --seed 1")
    first = done.out.split()
    assert first[:7] == ["Caution", "because", "of", "the", "noise,", "it", "is"]
    assert "'never'" in done.out.partition("Rule")[0]
    assert Release.read("m.json").columns["positive"] == "never"
    scored = tables("score m.json t.csv --epsilon 1 --seed 1").out
    assert scored.split()[:7] == first[:7]
    other = tables("score m.json t.csv --epsilon 1 --seed 1 --positive nobody").out
    assert "label 'nobody'" in other


def test_two_listed_labels_mean_what_they_mean_in_python(tables):
    """Of two the second is positive, and every other cell is the first."""
    Path("s.toml").write_text("[age]\nbins = [30, 50]\n")
    asked = "--schema s.toml --labels no,yes --epsilon 8 --seed 1 --model tree --out m.json"
    assert tables(f"fit t.csv --y adult {asked}").code == 0
    made = ls.fit(
        "t.csv", y="adult", labels=["no", "yes"], epsilon=8, model="tree", random_state=1,
        schema=ls.Schema.from_toml("s.toml"),
    )  # fmt: skip
    assert Release.read("m.json").to_dict() == made.release_.to_dict()
    strict = tables(f"fit t.csv --y adult --strict {asked}")
    assert strict.code == 2
    assert "adult" in strict.err
    same = tables(f"fit t.csv --y ill {LINE} --strict --positive 0")
    assert "'--negative' option of fit" in same.err or "give --negative" in same.err


def test_where_some_have_it_nothing_is_said(tables):
    done = tables(f"fit t.csv --y adult {LINE} --positive yes --out m.json --seed 1")
    assert done.out.split()[0] == "Rule"
    assert tables("score m.json t.csv --epsilon 1 --seed 1").out.split()[0] == "Rule"


def test_listed_labels_that_nobody_has_are_named(tables):
    Path("s.toml").write_text("[age]\nbins = [20]\n")
    line = "fit t.csv --y adult --schema s.toml --labels never,yes,no"
    done = tables(f"{line} --model tree --epsilon 8 --seed 1")
    said = done.out.partition("Rule")[0].partition("labels occur: ")[2]
    assert said.startswith("'never'.")
    assert "outside the list" in " ".join(said.split())


# -- `littlestone fit` of quantities, counts and times, and of users by boosted trees --------------

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
    assert "probability at least 90%" in capsys.readouterr().out
    assert "probability at least 90%" in (files / "p.html").read_text()
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
    assert main(["score", model, table, "--epsilon", "1", "--ledger", budget]) == 2
    assert "evaluates labels" in capsys.readouterr().err
    assert main(["ledger", "show", budget, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["spent"]["epsilon"] == 0
