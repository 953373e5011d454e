"""Several labels on the command line, from fit to score."""

import json

import numpy as np
import pytest

from littlestone.cli.main import main

CLASS = ["--class", "decision_trees(depth=1)", "--schema", "s.toml", "--labels", "a, b,c"]
FIT = ["fit", "t.csv", "--y", "kind", "--epsilon", "4", *CLASS]


@pytest.fixture
def folder(tmp_path, monkeypatch):
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
def test_tables_without_rows_are_predicted(folder, capsys, labels):
    import pyarrow.parquet as pq

    told(capsys, *FIT[:6], *labels, "--out", "m.json")
    (folder / "none.csv").write_text("age,kind\n")
    (head,) = told(capsys, "predict", "m.json", "none.csv", "--proba").splitlines()
    told(capsys, "predict", "m.json", "none.csv", "--proba", "--out", "none.parquet")
    table = pq.read_table(folder / "none.parquet")
    assert table.column_names == head.split(",")
    assert table.num_rows == 0


def test_fit_predict_score_and_compare(folder, capsys):
    said = told(capsys, *FIT, "--out", "m.json", "--report", "r.html")
    assert "age" in said
    assert "unlisted label" in said
    assert "Majority class" in said
    assert "labels: a, b, c" in (folder / "r.html").read_text()
    lines = told(capsys, "predict", "m.json", "t.csv", "--proba").splitlines()
    assert lines[0] == "prediction,probability of a,probability of b,probability of c"
    assert len(lines) == 1501
    truth = [line.split(",")[1] for line in (folder / "t.csv").read_text().splitlines()[1:]]
    right = [line.split(",")[0] == y for line, y in zip(lines[1:], truth, strict=True)]
    assert np.mean(right) > 0.95
    told(capsys, *FIT, "--costs", "a=1,b=1,c=2", "--holdout", "0.2", "--out", "w.json")
    found = json.loads(told(capsys, "score", "m.json", "t.csv", "--epsilon", "2", "--json"))
    assert found["n"] == 1500
    assert len(found["evaluation"]["counts"]) == 4
    assert abs(found["quality"]["error"]["value"] - 1 + np.mean(right)) < 0.02
    assert "w.json" in told(capsys, "compare", "t.csv", "m.json", "w.json", "--epsilon", "2")
    assert "'c'" in told(capsys, "export", "m.json", "--to", "sql")


def test_a_label_with_a_comma_is_one_cell(capsys):
    from littlestone.cli.predict import _cell

    assert [_cell(text) for text in ("a", "a,b", 'a"b')] == ["a", '"a,b"', '"a""b"']


def test_plan_counts_the_labels(folder, capsys):
    ask = ["plan", *CLASS, "--epsilon", "1", "--alpha", "0.1", "--beta", "0.05", "--json"]
    three = json.loads(told(capsys, *ask))
    two = json.loads(told(capsys, *[*ask[:5], *ask[7:]]))
    needs = [
        next(p["n"] for p in plan["plans"] if p["learner"] == "agnostic") for plan in (three, two)
    ]
    assert needs[0] > needs[1]
    assert three["lower_bounds"] == []


@pytest.mark.first(1)
def test_privacy_is_verified_with_labels(folder, capsys):
    of = "decision_trees(depth=1)"
    (folder / "one.toml").write_text('[city]\ncategories = ["Bonn"]\n')
    named = ["--class", of, "--schema", "one.toml", "--labels", "a,b,c", "--learner", "agnostic"]
    found = told(
        capsys, "audit", "exact", *named, "--epsilon", "1", "--points", "Bonn;Ulm", "--n", "1"
    )
    assert "8 data sets" in found  # two points, three labels and one for cells outside the list
    assert found.startswith("HOLDS")
    assert "HOLDS" in told(capsys, "audit", "all-n", *named, "--epsilon", "1")


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (["--positive", "c"], "not both"),
        (["--negative", "c"], "not both"),
        (["--learner", "vc1", "--delta", "1e-6"], "--learner agnostic"),
        (["--costs", "a=1,c=2"], "each label of --labels"),
        (["--class", "rules(max_literals=1)"], "and scorecard take any list of labels"),
        (["--user", "age"], "--user"),
        (["--labels", "a"], "2 to 100 labels"),
        (["--labels", "a,a"], "different labels, separated by commas"),
        (["--labels", "1,yes"], "that differ as cells"),
        (["--labels", "a,No,0"], "that differ as cells"),
        (["--strict"], "one of the public labels"),
    ],
)  # fmt: skip
def test_refusals_say_why(folder, capsys, more, why):
    asked = list(FIT)
    if more[0] in asked:
        at = asked.index(more[0])
        del asked[at : at + 2]
    assert main([*asked, *more]) == 2
    assert why in capsys.readouterr().err


@pytest.mark.first(1)
@pytest.mark.parametrize("concepts", ["boosted_trees(depth=2)", "scorecard"])
def test_boosted_trees_from_fit_to_export(folder, capsys, concepts):
    ask = [*FIT[:6], "--class", concepts, *CLASS[2:], "--delta", "1e-6"]
    told(capsys, *ask, "--out", "b.json", "--report", "b.html")
    said = told(capsys, *ask, "--holdout", "0.3", "--record", "r.json")
    assert "counts of columns" in said
    told(capsys, "check-record", "r.json")
    assert "on new records" in said
    lines = told(capsys, "predict", "b.json", "t.csv", "--proba").splitlines()
    assert lines[0] == "prediction,probability of a,probability of b,probability of c"
    shares = np.array([[float(cell) for cell in line.split(",")[1:]] for line in lines[1:]])
    assert np.allclose(shares.sum(axis=1), 1, atol=1e-5)
    truth = [line.split(",")[1] for line in (folder / "t.csv").read_text().splitlines()[1:]]
    right = [line.split(",")[0] == y for line, y in zip(lines[1:], truth, strict=True)]
    assert np.mean(right) > 0.95
    found = json.loads(told(capsys, "score", "b.json", "t.csv", "--epsilon", "2", "--json"))
    assert abs(found["quality"]["error"]["value"] - 1 + np.mean(right)) < 0.02
    assert "'c'" in told(capsys, "export", "b.json", "--to", "sql")
    module = {}
    exec(told(capsys, "export", "b.json", "--to", "python"), module)
    cells = [line.split(",")[0] for line in (folder / "t.csv").read_text().splitlines()[1:50]]
    answers = [module["label"]({"age": cell}) for cell in cells]
    assert answers == [line.split(",")[0] for line in lines[1:50]]
    assert json.loads(told(capsys, "export", "b.json", "--to", "json"))["hypothesis"]["trees"]
