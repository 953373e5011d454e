"""The algorithms of the papers, public points, and the command lines of the pages."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone import papers
from littlestone.cli.main import main
from littlestone.errors import ParameterError
from littlestone.learners import fit as models
from littlestone.source import SeededSource

# -- The algorithms of the papers on the command line ----------------------------------------------

THEOREM_3 = ["--learner", "lyu.theorem3", "--set", "k=120", "--set", "chunk=16",
             "--set", "tolerances=1,0"]  # fmt: skip
GOAL = ["--class", "points()", "--epsilon", "1", "--delta", "1e-6"]


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "".join(f"{'abcd'[i % 4]},{int(i % 4 == 2)}\n" for i in range(2000)))
    return str(path)


def test_list(capsys):
    assert main(["papers", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["algorithms"]
    assert [row["name"] for row in found] == papers.names()
    assert all(row["what"] and row["number"] for row in found)
    (theorem,) = [row for row in found if row["name"] == "lyu.theorem3"]
    assert {"k", "chunk", "tolerances"} <= set(theorem["settings"])
    assert not any("epsilon" in name for row in found for name in row["settings"])
    assert [each["certified"] for each in theorem["needed"]] == [26180, 246050]
    assert all(each["simulated"] for row in found for each in row["needed"])
    assert main(["papers"]) == 0
    said = capsys.readouterr().out
    assert "lyu.theorem3" in said
    assert "26,180" in said


def test_fit_plan_and_record(rows, tmp_path, capsys):
    out, record = str(tmp_path / "model.json"), str(tmp_path / "record.json")
    arguments = ["fit", rows, "--x", "x", "--y", "y", *GOAL, *THEOREM_3, "--no-evaluate"]
    assert main([*arguments, "--out", out, "--record", record]) == 0
    model = json.loads((tmp_path / "model.json").read_text())
    assert model["guarantee"]["epsilon_exact"] == "1"
    assert "lyu.theorem3 with k = 120, chunk = 16, tolerances = 1,0" in json.dumps(model)
    assert main(["check-record", record]) == 0
    capsys.readouterr()
    asked = ["plan", *GOAL, "--alpha", "0.1", "--beta", "0.1", "--learner", "lyu.theorem3"]
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["required"] is None
    certified = [
        "k=187",
        "chunk=140",
        "tolerances=11,0",
        "agreeing=0.7",
        "share=0.45",
        "lost=0.136",
    ]
    assert main([*asked, *(w for s in certified for w in ("--set", s)), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["required"] == 26180


@pytest.mark.parametrize("theta", ["-1", "0", "1", "2"])
def test_a_decaying_factor_is_between_0_and_1(theta):
    learner = papers.make("lwy.algorithm1", ls.Thresholds(1, 9), epsilon=1, samples_per_user=2,
                          settings=[f"theta={theta}"])  # fmt: skip
    with pytest.raises(ParameterError, match=r"'theta' parameter of PrivateThreshold.*between"):
        _ = learner.plan


# -- `fit --public` and `plan --public-points` -----------------------------------------------------


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("public"), np.random.default_rng(0)
    for name, n in (("mine", 3000), ("open", 200)):
        dose, age = rng.integers(1, 1000, n), rng.normal(size=n)
        pq.write_table(
            pa.table({"dose": dose, "age": age, "ill": (dose > 300).astype(int)}),
            folder / f"{name}.parquet",
        )
    return str(folder / "mine.parquet"), str(folder / "open.parquet")


def fitted(capsys, *arguments):
    code = main(["fit", *arguments, "--y", "ill", "--epsilon", "1", "--seed", "1", "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_thresholds(tables, capsys):
    mine, public = tables
    line = ["--class", "thresholds(1, 10**6)", "--x", "dose"]
    code, release = fitted(capsys, mine, "--public", public, *line, "--no-evaluate")
    assert code == 0
    assert release["certificate"]["holds"]
    assert "public.slabs" in release["certificate"]["claims"]
    seen = set(pq.read_table(public)["dose"].to_pylist())
    assert release["hypothesis"]["above"] + 1 in seen
    assert len(release["class"]["public"]) == 200


@pytest.mark.more
def test_thresholds_of_other_populations(tables, capsys):
    mine, public = tables
    line = ["--class", "thresholds(1, 10**6)", "--x", "dose"]
    _, listed = fitted(capsys, mine, "--public", public, *line, "--shift", "none")
    assert "public.slabs" not in listed["certificate"]["claims"]
    _, other = fitted(capsys, mine, "--public", public, *line, "--shift", "2,0.01")
    assert other["certificate"]["status"] == "conditional"


def test_rules_over_columns_of_the_public_table(tables, capsys):
    mine, public = tables
    rules = ["--class", "rules(max_literals=1)", "--bins", "40"]
    code, release = fitted(capsys, mine, "--public", public, *rules)
    assert code == 0
    described = [column["name"] for column in release["class"]["schema"]]
    assert described == ["dose", "age", "*public"]


@pytest.mark.more
def test_rules_over_one_column_of_the_public_table(tables, capsys):
    mine, public = tables
    rules = ["--class", "rules(max_literals=1)", "--bins", "40", "--x", "dose"]
    _, release = fitted(capsys, mine, "--public", public, *rules)
    assert release["columns"]["x"] == ["dose"]


def test_models_over_columns_of_the_public_table(tables, capsys):
    """The same as in Python; all of epsilon learns, and a rule's certificate is about the bins."""
    mine, public = tables
    line = ["--public", public, "--bins", "5", "--model", "rule", "--no-evaluate"]
    code, release = fitted(capsys, mine, *line)
    assert code == 0
    schema = ls.Schema.from_public(public, bins=5, columns=["dose", "age"])
    same = ls.fit(
        mine, y="ill", epsilon=1, model="rule", schema=replace(schema, public=None), evaluate=None,
        random_state=1,
    )  # fmt: skip
    assert release["class"] == same.release_.to_dict()["class"]
    assert release["guarantee"]["epsilon"] == 1
    twenty = ls.fit(mine, y="ill", epsilon=1, model="rule", public=public, random_state=1)
    assert len(twenty.concept_class.domain.schema["dose"].edges) == 18


def test_columns_of_public_rows_are_those_that_are_learned_from(tables):
    """Neither the label, nor the users; a table without any of the others is refused."""
    mine, public = tables
    made = models.Fit(y="ill", epsilon=1, user="age", public=public).plan(mine, SeededSource(0))
    assert made.schema.names == ("dose",)
    with pytest.raises(ParameterError, match="The records have the columns ill, city"):
        ls.fit(mine, y="ill", epsilon=1, public={"ill": [0, 1], "city": ["a", "b"]})


def test_a_schema_and_public_rows_are_not_taken_together(tables):
    mine, public = tables
    schema = ls.Schema.from_dict({"dose": {"bins": [5]}})
    with pytest.raises(ParameterError, match="'public' parameter of fit must be left out"):
        ls.fit(mine, y="ill", epsilon=1, public=public, schema=schema)


@pytest.mark.more
def test_plans(capsys):
    goal = ["--epsilon", "1", "--alpha", "0.1", "--beta", "0.05", "--json"]
    assert main(["plan", "--class", "thresholds(1, 2**64)", "--public-points", "200", *goal]) == 0
    found = {line["learner"]: line for line in json.loads(capsys.readouterr().out)["plans"]}
    assert found["agnostic"]["n"] == pytest.approx(717, rel=0.02)
    assert main(["plan", "--class", "points", "--public-points", "200", *goal]) == 2


@pytest.mark.more
def test_a_plan_with_public_points_says_of_which_population(capsys):
    goal = ["--public-points", "200", "--epsilon", "1", "--alpha", "0.1", "--beta", "0.05"]
    assert main(["plan", "--class", "thresholds(1, 99)", *goal]) == 0
    assert "(fit --shift 1,0)" in capsys.readouterr().out


# -- The command lines of the pages run as they stand there ----------------------------------------

DOCS = Path(__file__).parents[2] / "docs"


def lines_of(page):
    return re.findall(r"^littlestone (.*)$", (DOCS / page).read_text(), re.MULTILINE)


@pytest.mark.more
def test_every_command_line_of_the_page_runs(folder, capsys):
    people = (folder / "data.csv").rename("people.csv").read_text().splitlines(keepends=True)
    (folder / "later.csv").write_text("".join(people[:401]))
    lines = lines_of("cli.md")
    assert len(lines) >= 7
    for line in lines:
        assert main(shlex.split(line)) == 0, line
        assert capsys.readouterr().err == ""
    assert {"model.json", "page.html", "predictions.csv"} <= {p.name for p in folder.iterdir()}


@pytest.fixture(scope="module")
def patients(tmp_path_factory):
    """A folder with the made table of the tutorial, and the schema that stands there."""
    folder = tmp_path_factory.mktemp("patients")
    page = (DOCS / "start/analyse.md").read_text()
    table, schema = (
        re.search(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)[1]
        for language in ("python", "toml")
    )
    (folder / "schema.toml").write_text(schema)
    with contextlib.chdir(folder):
        exec(table, {})
    assert len((folder / "patients.csv").read_text().splitlines()) == 5001
    return folder


def test_the_tutorial_leads_from_a_table_to_a_decision(patients, monkeypatch, capsys):
    """Its command lines in their order, what it shows of their output, and its decision."""
    monkeypatch.chdir(patients)
    page = (DOCS / "start/analyse.md").read_text()
    printed = []
    for line in lines_of("start/analyse.md"):
        assert main(shlex.split(line)) == 0, line
        out = capsys.readouterr()
        assert out.err == ""
        printed.append(" ".join(out.out.split()))
    (shown,) = (b for b in re.findall(r"^```text\n(.*?)^```$", page, re.M | re.S))
    (rule,) = (out for out in printed if "Needed 1,380 records; there are" in out)
    for line in shown.splitlines():
        drawn = line.startswith(("Rule", "Error rate"))
        assert drawn or " ".join(line.split()) in rule
    names: dict = {}
    exec(re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)[1], names)
    assert len(names["risks"]) == 5000
    assert 500 < len(names["visit"]) < 4900
    assert "stay" in Path("risk.sql").read_text()


@pytest.mark.more
def test_every_command_line_about_choosing_runs(patients, monkeypatch, capsys):
    monkeypatch.chdir(patients)
    lines = lines_of("guide/choosing.md")
    assert lines
    for line in lines:
        assert main(shlex.split(line)) == 0, line
        assert capsys.readouterr().err == ""


def test_silent_mistakes_are_told(run, folder):
    """The page's commands in their order: refused, a constant, reported twice, and right."""
    page = (DOCS / "guide/pitfalls.md").read_text()
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)
    for language, body in blocks:
        if language == "python" and ">>>" not in body:
            exec(body, {})
        elif language == "toml":
            (folder / body.split()[1]).write_text(body)
    shown = [body.splitlines() for language, body in blocks if language == "text"]
    commands = [shlex.split(line, comments=True) for line in lines_of("guide/pitfalls.md")]
    refused, constant, wrong, right, learned = (run("", *c, "--seed", "1") for c in commands)
    assert refused.code == 2
    assert "no columns 'dose', 'city', 'admitted', 'outcome'" in refused.err
    assert {done.code for done in (constant, wrong, right, learned)} == {0}
    for lines, done in zip(shown, (constant, learned), strict=True):
        for line in lines:
            assert " ".join(line.split()) in " ".join(done.out.split())
    other = [run("", *c, "--json", "--seed", "1").json for c in commands[2:4]]
    mistaken, meant = ({c["name"]: c["other"]["value"] for c in o["columns"]} for o in other)
    assert min(mistaken["dose"], mistaken["admitted"]) > 0.95
    assert mistaken["city"] > 0.6
    assert max(meant.values()) < 0.05
    assert other[0]["balance"]["Yes"]["value"] < 0.05
    assert 0.1 < other[1]["label"]["other"]["value"] < 0.2
