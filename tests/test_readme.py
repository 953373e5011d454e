"""The README's main job, as a newcomer runs it, and what it promises about real data."""

import csv
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.classes import load
from littlestone.cli.main import main
from littlestone.data import RowDomain, Sample

ROOT = Path(__file__).parents[1]
ADULT = ROOT / "examples" / "adult"


def commands():
    """Return the arguments of ``littlestone`` in the README's two commands."""
    text = (ROOT / "README.md").read_text()
    shells = re.findall(r"```sh\n(?:pip install \. && )?littlestone (.*?)```", text, re.DOTALL)
    return [shlex.split(shell.replace("\\\n", " ")) for shell in shells]


def run(arguments, folder):
    program = Path(sys.executable).parent / "littlestone"
    paths = [str(ROOT / a) if a.startswith("examples/") else a for a in arguments]
    return subprocess.run(
        [str(program), *paths], cwd=folder, capture_output=True, text=True, check=False
    )


def form(text):
    """Return a text without its numbers, which are drawn, and with single blanks."""
    return " ".join(re.sub(r"\d[\d.,]*", "#", text).split())


def test_the_main_job(tmp_path):
    done = run(commands()[0], tmp_path)
    assert done.returncode == 0, done.stderr
    text = (ROOT / "README.md").read_text()
    for line in re.search(r"```text\n(.*?)```", text, re.DOTALL)[1].splitlines():
        assert form(line).removesuffix("[...]").strip() in form(done.stdout), line
    page = (tmp_path / "page.html").read_text()
    assert "<figure" in page
    assert "://" not in re.sub(r'xmlns="[^"]*"', "", page)  # self-contained: nothing is loaded


def test_it_is_read_in_three_minutes():
    """And its figures on accuracy are those of the comparison."""
    text = " ".join((ROOT / "README.md").read_text().split())
    assert len(text.split()) <= 750
    folder = ROOT / "docs" / "comparison"
    level, auroc = (
        list(csv.DictReader((folder / name).read_text().splitlines()))
        for name in ("level.csv", "auroc.csv")
    )
    at = {row["neighbours"]: row for row in level if row["epsilon"] == "1"}
    ours, tables, own = at["replace-one"]["AUROC"], at["replace-one"]["tables"], at["own"]["AUROC"]
    assert f"On {ours} of {tables} public tables" in text
    assert f"own definition of neighbours, the number is {own}." in text
    s_bdt, mst = (sum(bool(row[name]) for row in auroc) for name in ("S-BDT", "MST"))
    assert (f"S-BDT was run on {s_bdt} tables, MST on four" in text, mst) == (True, 4)


@pytest.mark.more
def test_how_many_people_are_needed(tmp_path):
    _, plan = commands()
    assert plan[0] == "plan"
    done = run(plan, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1,661 records" in done.stdout
    assert "The answer is 1,661 people" in (ROOT / "README.md").read_text()


@pytest.fixture(scope="module")
def adult():
    schema = ls.Schema.from_toml(ADULT / "schema.toml")
    sample = Sample.read(ADULT / "adult.parquet", y="over_50k", domain=RowDomain(schema))
    return schema, sample


@pytest.mark.more
def test_the_private_rule_is_nearly_the_best(adult):
    """Best of at most two literals: about 0.819; within 0.005 at epsilon 1, 0.02 at 0.1."""
    schema, sample = adult
    assert sample.n == 48_842
    rules = ls.Rules(schema, max_literals=2)
    best = best_accuracy(schema)
    assert best == pytest.approx(0.82, abs=0.002)
    for epsilon, distance in ((1, 0.005), (0.1, 0.02)):
        for seed in range(2):
            learner = ls.AgnosticLearner(rules, epsilon=epsilon, random_state=seed)
            hypothesis = learner.to_learner().draw(sample, learner._source())
            accuracy = 1 - rules.errors(hypothesis, sample) / sample.n
            assert accuracy >= best - distance


def best_accuracy(schema):
    """Best conjunction of at most two literals, from the raw cells and the words of the literals.

    Brute force over all pairs, apart from the library's codes and scores.
    """
    table = pq.read_table(ADULT / "adult.parquet")
    label = table["over_50k"].to_numpy()
    holds = np.array([_holds(table, literal.text) for literal in schema.literals()], dtype=float)
    gain = np.where(label == 1, 1.0, -1.0)
    return ((label == 0).sum() + ((holds * gain) @ holds.T).max()) / len(label)


def _holds(table, words):
    name, op, wanted = re.fullmatch(r"(\S+) (>=|<|is not|is) (.*)", words).groups()
    cells = table[name].to_numpy()
    if op in ("is", "is not"):
        return (cells == wanted) == (op == "is")
    return cells >= float(wanted) if op == ">=" else cells < float(wanted)


def test_model_file_predicts_what_it_says(tmp_path, adult, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = str(ADULT / "adult.parquet")
    fit = ["fit", data, "--schema", str(ADULT / "schema.toml"), "--y", "over_50k"]
    fit += ["--class", "rules(max_literals=2)", "--epsilon", "1", "--out", "m.json", "--json"]
    assert main([*fit, "--seed", "3"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert set(out) >= {"learner", "class", "hypothesis", "guarantee", "certificate", "n"}
    assert out["guarantee"]["epsilon"] == 1
    assert out["guarantee"]["seeded"] is True
    assert main(["predict", "m.json", data, "--out", "labels.csv"]) == 0
    labels = np.loadtxt(tmp_path / "labels.csv", skiprows=1, dtype=int)
    truth = pq.read_table(data)["over_50k"].to_numpy()
    wrong = int((labels != truth).sum())
    _, sample = adult
    description = out["hypothesis"].pop("description")
    assert description
    hypothesis = load(out["hypothesis"])
    assert wrong == ls.Rules(adult[0]).errors(hypothesis, sample)
    error = out["quality"]["error"]
    assert error["low"] <= wrong / len(labels) <= error["high"]
