"""The command lines of the pages run as they stand there."""

import contextlib
import re
import shlex
from pathlib import Path

import pytest

from littlestone.cli.main import main

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
    assert 500 < len(names["visit"]) < 4000
    assert "stay" in Path("risk.sql").read_text()


@pytest.mark.more
def test_every_command_line_about_choosing_runs(patients, monkeypatch, capsys):
    monkeypatch.chdir(patients)
    lines = lines_of("guide/choosing.md")
    assert len(lines) >= 2
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
