"""Scorecards and boosted trees on the command line: fit, evaluate, predict, export, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from littlestone.learners.release import Release

FIT = "fit data.parquet --y adult --schema schema.toml --seed 1 --out m.json --class"


def test_fit_evaluate_predict_export(run, folder, evaluated):
    done = run(f"{FIT} scorecard --epsilon 4 --evaluate 2 --holdout 0.25 --report p.html --json")
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
    shown = run(f"{FIT} boosted_trees(depth=2,rounds=5) --epsilon 4 --evaluate 1").out
    for word in ("AUROC", "Error", "5 trees", "evaluation: epsilon 1", "dp.sum"):
        assert word in shown
    assert "Needed" not in shown


def test_an_evaluation_of_another_learner(run):
    done = run(f"{FIT} decision_trees(depth=1) --epsilon 4 --evaluate 1 --json")
    assert done.json["guarantee"]["epsilon_exact"] == "4"
    assert done.json["evaluation"]["scores"] == [0, 1]
    assert done.json["certificate"]["holds"] in (True, False)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"{FIT} scorecard --epsilon 1 --evaluate 1", "smaller than epsilon"),
        (f"{FIT} scorecard --epsilon 1 --evaluate 2 --holdout 0.2", "at most epsilon"),
        (f"{FIT} scorecard --epsilon 1 --holdout 0.2 --no-evaluate", "needs evaluate"),
        (f"{FIT} scorecard --epsilon 1 --evaluate 0.1 --holdout 2", "holdout"),
        (f"{FIT} scorecard --epsilon 1 --require-certificate", "no certificate before data"),
        (f"{FIT} thresholds(1,9) --x age --learner boosting --epsilon 1", "boosted_trees"),
        (f"{FIT} scorecard --learner agnostic --epsilon 1", "learner 'boosting'"),
        (f"{FIT} scorecard --user id --samples-per-user 3 --epsilon 1", "all records of a user"),
        (f"{FIT} scorecard(rounds=2000) --epsilon 1", "parameter of Scorecard must be at most"),
    ],
)
def test_refusals_teach_and_write_nothing(run, folder, line, words):
    if "thresholds" in line:
        line = line.replace(" --schema schema.toml", "")
    done = run(line)
    assert done.code == 2
    assert words in " ".join(done.err.split())
    assert not (folder / "m.json").exists()


def test_labels_only(run):
    assert run(f"{FIT} rules(max_literals=1) --epsilon 4 --no-evaluate").code == 0
    assert "labels, not probabilities" in run("predict m.json data.parquet --proba").err
    assert "one of sql, python, r, json" in run("export m.json --to xml").err


def test_shares_of_answers(run, folder):
    done = run(f"{FIT} decision_trees(depth=1) --epsilon 4 --evaluate 2 --json")
    assert done.json["hypothesis"]["type"] == "tree"
    assert done.json["evaluation"]["scores"] == [0, 1]
    assert run("predict m.json data.parquet --proba --out out.csv").code == 0
    expected = Release.read(folder / "m.json").predict_proba(str(folder / "data.parquet"))[:, 1]
    lines = (folder / "out.csv").read_text().splitlines()[1:]
    assert [float(line.split(",")[1]) for line in lines] == pytest.approx(expected, rel=1e-5)
    assert run("report m.json --out page.html").code == 0


def test_a_table_that_cannot_be_parted(run, folder):
    fit = "--schema schema.toml --y adult --class scorecard --epsilon 1 --holdout 0.2"
    first, *rows = (folder / "data.csv").read_text().splitlines()
    (folder / "one.csv").write_text(f"{first}\n{rows[0]}\n")
    refused = run(f"fit one.csv {fit}").err
    assert "at least one of 1 record, and not all. Got 1/5. Without it" in refused
