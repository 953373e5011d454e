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
    """A folder with the made table of the quickstart, and the schema that stands there."""
    folder = tmp_path_factory.mktemp("patients")
    page = (DOCS / "guide/quickstart.md").read_text()
    table, schema = (
        re.search(rf"^```{language}\n(.*?)^```$", page, re.M | re.S)[1]
        for language in ("python", "toml")
    )
    (folder / "schema.toml").write_text(schema)
    with contextlib.chdir(folder):
        exec(table, {})
    assert len((folder / "patients.csv").read_text().splitlines()) == 5001
    return folder


@pytest.mark.parametrize("page", ["quickstart", "recipes", "choosing"])
def test_every_command_line_of_the_guide_runs(page, patients, monkeypatch, capsys):
    monkeypatch.chdir(patients)
    lines = lines_of(f"guide/{page}.md")
    assert len(lines) >= 2
    for line in lines:
        assert main(shlex.split(line)) == 0, line
        assert capsys.readouterr().err == ""


def test_the_quickstart_shows_what_is_printed(patients, monkeypatch, capsys):
    monkeypatch.chdir(patients)
    assert main(shlex.split(next(x for x in lines_of("guide/quickstart.md") if "fit" in x))) == 0
    printed = capsys.readouterr().out
    for block in re.findall(
        r"^```text\n(.*?)^```$", (DOCS / "guide/quickstart.md").read_text(), re.M | re.S
    ):
        for line in block.splitlines() if "Guarantee" in block else ():
            drawn = line.startswith(("Rule", "Error", "Always"))
            assert drawn or " ".join(line.split()) in " ".join(printed.split())


def test_five_commands_lead_from_a_table_to_a_decision(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (DOCS / "guide/five-commands.md").read_text()
    table, decision = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    exec(table, {})
    lines = lines_of("guide/five-commands.md")
    assert len(lines) == 5
    for line in lines:
        assert main(shlex.split(line)) == 0, line
        assert capsys.readouterr().err == ""
    names: dict = {}
    exec(decision, names)
    assert len(names["risks"]) == 500
    assert 50 < len(names["look"]) < 350
    assert "amount" in Path("risk.sql").read_text()


def test_silent_mistakes_are_told(run, folder):
    """The page's commands in their order: refused, a constant, reported twice, and right."""
    page = (DOCS / "guide/silent-mistakes.md").read_text()
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)
    for language, body in blocks:
        if language == "python":
            exec(body, {})
        elif language == "toml":
            (folder / body.split()[1]).write_text(body)
    shown = [body.splitlines() for language, body in blocks if language == "text"]
    commands = [shlex.split(line, comments=True) for line in lines_of("guide/silent-mistakes.md")]
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
