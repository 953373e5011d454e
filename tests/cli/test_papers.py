"""The algorithms of the papers on the command line."""

from __future__ import annotations

import json

import pytest

import littlestone as ls
from littlestone import papers
from littlestone.cli.main import main
from littlestone.errors import ParameterError

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
    certified = ["k=187", "chunk=140", "tolerances=11,0", "agreeing=0.7", "share=0.45"]
    assert main([*asked, *(w for s in certified for w in ("--set", s)), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["required"] == 26180


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        (["--learner", "lyu.theorem3", "--set", "epsilon=9"], "Privacy is computed"),
        (["--learner", "lyu.theorem3", "--set", "speed=9"], "It has: k, chunk"),
        (["--learner", "lyu.theorem3", "--set", "k"], "like chunk=40"),
        (["--learner", "lyu.theorem3", "--set", "k=two"], "cannot read 'two'"),
        (["--learner", "lyu.theorem3", "--set", "k=2", "--set", "k=3"], "once for each name"),
        (["--learner", "lyu.theorem4"], "The names are: yan.algorithm1"),
        (["--learner", "alon.soa"], "use it from Python"),
        (["--learner", "lyu.algorithm3"], "littlestone stream"),
        (["--learner", "generic", "--set", "k=2"], "algorithms of the papers"),
    ],
)
def test_refusals(rows, typed, words, capsys):
    assert main(["fit", rows, "--x", "x", "--y", "y", *GOAL, *typed]) == 2
    assert words in capsys.readouterr().err.replace("\n", " ")


def test_stream(rows, tmp_path, capsys):
    arguments = [
        "stream",
        rows,
        *GOAL[:2],
        "--epsilon",
        "8",
        "--delta",
        "1e-6",
        "--horizon",
        "2000",
    ]
    paper = ["--learner", "lyu.algorithm3", "--set", "k=50", "--set", "U=200"]
    out, export = tmp_path / "answers.csv", tmp_path / "published.json"
    assert (
        main([*arguments, *paper, "--out", str(out), "--export", str(export), "--seed", "1"]) == 0
    )
    assert out.read_text().count("\n") == 2001
    published = json.loads(export.read_text())
    assert published["guarantee"]["seeded"] is True
    assert published["guarantee"]["epsilon"] <= 8
    assert published["time"] == 2000
    assert main([*arguments, *paper, "--state", str(tmp_path / "state")]) == 2
    assert "keeps no state" in capsys.readouterr().err
    assert main([*arguments, "--set", "U=2"]) == 2
    assert main(arguments) == 2
    assert "--state" in capsys.readouterr().err


@pytest.mark.more
def test_a_stream_over_learned_columns_states_them_and_their_seed(tmp_path, capsys):
    rows, schema, export = (str(tmp_path / name) for name in ("t.csv", "s.toml", "p.json"))
    (tmp_path / "t.csv").write_text("age,ill\n" + "25,0\n70,1\n" * 50)
    table = {"age": [25, 70] * 50, "ill": [0, 1] * 50}
    learned = ls.data.propose(table, y="ill", epsilon=2, random_state=7)
    (tmp_path / "s.toml").write_text(learned.to_toml())
    stream = ["stream", rows, "--learner", "lyu.algorithm3", "--class", "rules(max_literals=1)"]
    stream += ["--schema", schema, "--epsilon", "8", "--delta", "1e-6", "--horizon", "100"]
    stream += ["--x", "age", "--y", "ill", "--set", "k=50", "--set", "U=200", "--export", export]
    assert main(stream) == 0
    shown = capsys.readouterr()
    assert "columns were learned from records" in shown.err.replace("\n", " ")
    assert "NOT PRIVATE" in shown.err
    published = json.loads((tmp_path / "p.json").read_text())
    columns, own = published["parts"]
    assert (columns["what"], columns["guarantee"]["epsilon"]) == ("columns", 2)
    assert published["guarantee"]["epsilon"] == pytest.approx(2 + own["guarantee"]["epsilon"])
    assert published["guarantee"]["seeded"] is True


@pytest.mark.parametrize("theta", ["-1", "0", "1", "2"])
def test_a_decaying_factor_is_between_0_and_1(theta):
    learner = papers.make("lwy.algorithm1", ls.Thresholds(1, 9), epsilon=1, samples_per_user=2,
                          settings=[f"theta={theta}"])  # fmt: skip
    with pytest.raises(ParameterError, match=r"'theta' parameter of PrivateThreshold.*between"):
        _ = learner.plan
