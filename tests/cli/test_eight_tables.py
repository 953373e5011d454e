"""The walkthroughs of docs/guide/eight-tables.md run as they stand there."""

import contextlib
import re
import shlex
from pathlib import Path

import pytest

from littlestone.cli.main import main

PAGE = (Path(__file__).parents[2] / "docs/guide/eight-tables.md").read_text(encoding="utf-8")
SECTIONS = {
    title.split(":")[0].strip(): body
    for title, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)
}
SMALL = ["Latin-1", "Missing cells", "Three labels", "Dates", "Semicolons", "Decimal commas"]
WIDE, BIG = "A hundred columns, with missing cells", "Two gigabytes"
DRAWN = ("schema propose", "check", "fit", "score")  # with a seed, so that what is shown is printed


def walk(section, folder, capfd, smaller=()):
    """Run the blocks of a section in their order, and return what was printed."""
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", SECTIONS[section], re.M | re.S)
    printed, shown = [], []
    with contextlib.chdir(folder):
        for language, body in blocks:
            if language == "python":
                code = body
                for old, new in smaller:
                    assert old in code
                    code = code.replace(old, new)
                exec(compile(code, "block", "exec"), {})
            elif language == "toml":
                Path(re.match(r"# (\S+\.toml)\n", body)[1]).write_text(body, encoding="utf-8")
            elif language == "sh":
                for line in body.splitlines():
                    command = shlex.split(line)[1:]
                    free = "--records" in command or command[:2] == ["schema", "check"]
                    drawn = not free and line.removeprefix("littlestone ").startswith(DRAWN)
                    assert main([*command, *(["--seed", "1"] if drawn else [])]) == 0, line
                    out, err = capfd.readouterr()
                    assert err == "", line
                    printed.append(out)
            else:
                shown.append(body)
    return " ".join("\n".join(printed).split()), shown


def assert_shown(printed, shown):
    assert shown
    for body in shown:
        for line in filter(str.strip, body.splitlines()):
            assert " ".join(line.split()) in printed, line


@pytest.mark.first(1)  # the others are of tables in other packages
@pytest.mark.parametrize("section", SMALL)
def test_a_table_from_nothing_to_a_report(section, tmp_path, capfd):
    printed, shown = walk(section, tmp_path, capfd)
    assert_shown(printed, shown)
    (page,) = tmp_path.glob("*.html")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(tmp_path.glob("*-labels.csv"))


def test_the_page_has_eight_tables():
    assert sorted(SECTIONS) == sorted([*SMALL, WIDE, BIG])


@pytest.mark.more
def test_ten_of_the_hundred_columns(tmp_path, capfd):
    printed, _ = walk(WIDE, tmp_path, capfd, [("columns = 100", "columns = 12")])
    assert "decision_trees(depth=3)" in printed
    assert len((tmp_path / "measures-labels.csv").read_text().split()) == 20_001


@pytest.mark.more
def test_twenty_megabytes(tmp_path, capfd):
    printed, _ = walk(BIG, tmp_path, capfd, [("2_000_000_000", "20_000_000")])
    assert "age >= 65" in printed
    assert re.search("smoker is (yes|not no)", printed)


@pytest.mark.full
@pytest.mark.parametrize("section", [WIDE, BIG])
def test_the_large_tables(section, tmp_path, capfd):
    assert_shown(*walk(section, tmp_path, capfd))
