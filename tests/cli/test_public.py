"""`fit --public` and `plan --public-points`."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.errors import ParameterError
from littlestone.learners import fit as models
from littlestone.source import SeededSource


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


def test_half_planes(tmp_path, capsys):
    rng = np.random.default_rng(1)
    for name, n in (("mine", 500), ("open", 60)):
        xy = rng.integers(0, 100, (n, 2))
        place = [f"{x} {y}" for x, y in xy]
        table = pa.table({"place": place, "ill": (xy[:, 1] > xy[:, 0]).astype(int)})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    mine, public = (str(tmp_path / f"{name}.parquet") for name in ("mine", "open"))
    line = ["--class", "half_planes(0, 0, 99, 99)", "--x", "place", "--out", str(tmp_path / "m")]
    code, release = fitted(capsys, mine, "--public", public, *line)
    assert code == 0
    assert release["hypothesis"]["type"] == "half-plane"
    assert main(["predict", str(tmp_path / "m"), mine, "--out", str(tmp_path / "p")]) == 0
    labels = pq.read_table(mine)["ill"].to_numpy()
    said = np.array((tmp_path / "p").read_text().split()[-500:]).astype(int)
    assert (said != labels).mean() < 0.2


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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bins", "9"], "'--bins' option of fit is for --public"),
        (["--shift", "1,0", "--public", "OPEN"], "is for a --class"),
        (["--public", "OPEN", "--bounds", "age=0:9"], "left out with a schema"),
        (["--public", "MINE"], "must not be the table of the records"),
        (["--public", "OPEN", "--x", "nothing"], "nothing"),
        (["--public", "OPEN", "--require-certificate"], "--model rule, list or tree"),
    ],
)
def test_what_a_model_refuses(tables, capsys, arguments, words):
    mine, public = tables
    places = {"OPEN": public, "MINE": mine}
    code, answer = fitted(capsys, mine, *(places.get(word, word) for word in arguments))
    assert code == 2
    assert words in answer["error"]["message"]


def test_columns_of_public_rows_are_those_that_are_learned_from(tables):
    """Neither the label, nor the users; a table without any of the others is refused."""
    mine, public = tables
    made = models.Fit(y="ill", epsilon=1, user="age", public=public).plan(mine, SeededSource(0))
    assert made.schema.names == ("dose",)
    with pytest.raises(ParameterError, match="It has: ill, city"):
        ls.fit(mine, y="ill", epsilon=1, public={"ill": [0, 1], "city": ["a", "b"]})


def test_a_schema_and_public_rows_are_not_taken_together(tables):
    mine, public = tables
    schema = ls.Schema.from_dict({"dose": {"bins": [5]}})
    with pytest.raises(ParameterError, match="'public' parameter of fit must be left out"):
        ls.fit(mine, y="ill", epsilon=1, public=public, schema=schema)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--bins", "9"], "for --public"),
        (["--shift", "1,0"], "for --public"),
        (["--public", "OPEN", "--schema", "s.toml"], "not both"),
        (["--public", "MINE"], "must not be the table of the records"),
        (["--public", "OPEN", "--shift", "0,0"], "rho"),
        (["--public", "OPEN", "--bins", "9"], "for rules"),
        (["--public", "OPEN", "--x", "nothing"], "no column"),
    ],
)
def test_refusals(tables, capsys, arguments, words):
    mine, public = tables
    places = {"OPEN": public, "MINE": mine}
    line = [*(places.get(word, word) for word in arguments), "--class", "thresholds(1, 10**6)"]
    line += [] if "--x" in line else ["--x", "dose"]
    code, answer = fitted(capsys, mine, *line)
    assert code == 2
    assert words in answer["error"]["message"]


@pytest.mark.more
def test_plans(capsys):
    goal = ["--epsilon", "1", "--alpha", "0.1", "--beta", "0.05", "--json"]
    assert main(["plan", "--class", "thresholds(1, 2**64)", "--public-points", "200", *goal]) == 0
    found = {line["learner"]: line for line in json.loads(capsys.readouterr().out)["plans"]}
    assert found["agnostic"]["n"] == pytest.approx(717, rel=0.02)
    plane = ["--class", "half_planes(0, 0, 1023, 1023)", "--public-points", "200"]
    assert main(["plan", *plane, *goal]) == 0
    found = {line["learner"]: line for line in json.loads(capsys.readouterr().out)["plans"]}
    assert found["agnostic"]["n"] == pytest.approx(4068, rel=0.02)
    assert main(["plan", "--class", "points", "--public-points", "200", *goal]) == 2


@pytest.mark.more
def test_a_plan_with_public_points_says_of_which_population(capsys):
    goal = ["--public-points", "200", "--epsilon", "1", "--alpha", "0.1", "--beta", "0.05"]
    assert main(["plan", "--class", "thresholds(1, 99)", *goal]) == 0
    assert "(fit --shift 1,0)" in capsys.readouterr().out
