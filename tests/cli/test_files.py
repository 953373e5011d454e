"""Files read and written: formats, schemas, outputs that cannot be written."""

import io
import itertools
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.data import lines, tables
from littlestone.learners.release import Release

from .conftest import ROWS

# -- Files that are written another way: declared once, read alike by every command ----------------

CSV = "sep=;,decimal=comma,encoding=latin-1"
SCHEMA = '[csv]\nsep = ";"\ndecimal = "comma"\nencoding = "latin-1"\n\n'
TREE = "--class decision_trees(depth=1) --epsilon 8 --seed 1"


@pytest.fixture
def german(folder):
    """The table with another separator, decimal commas, and an umlaut in a name and a cell."""
    rows = zip(*(ROWS[name] for name in ("age", "city", "adult")), strict=True)
    lines = [f"{age},0;{city.replace('Rome', 'Köln')};{adult}" for age, city, adult in rows]
    (folder / "german.csv").write_bytes("\n".join(["größe;city;adult", *lines]).encode("latin-1"))
    columns = '["größe"]\nbins = [10, 18, 30]\n\n[city]\ncategories = ["Bonn", "Köln"]\n'
    (folder / "plain.toml").write_text(columns)
    (folder / "german.toml").write_text(SCHEMA + columns)


def test_declared_on_the_command_line_or_in_the_schema(run, german):
    fit = f"fit german.csv --y adult --json {TREE}"
    typed = run(f"{fit} --schema plain.toml --csv {CSV} --out model.json").json
    kept = run(f"{fit} --schema german.toml").json
    assert typed == kept
    assert typed["columns"]["csv"] == CSV.replace(",", ", ").replace("latin-1", "iso8859-1")
    assert "größe" in typed["hypothesis"]["description"]
    assert typed["quality"]["error"]["value"] < 0.1
    labels = run("predict model.json german.csv").out.split()[1:]
    assert labels == [str(adult) for adult in ROWS["adult"]]
    assert run("score model.json german.csv --epsilon 4 --seed 1 --json").json["n"] == 800
    for line in ("--schema german.toml", f"--schema plain.toml --csv {CSV}"):
        report = run(f"check german.csv {line} --y adult --epsilon 8 --seed 1 --json").json
        assert all(column["other"]["value"] < 0.05 for column in report["columns"])
    assert run("schema check german.toml german.csv").code == 0
    assert run("schema check plain.toml german.csv").code == 2
    drafted = run(f"schema new german.csv --y adult --header-is-public --csv {CSV}").out
    assert 'sep = ";"' in drafted
    assert '["größe"]' in drafted


def test_a_stream_is_continued_in_its_format(run, german, folder):
    more = "--class decision_trees(depth=1) --schema plain.toml --y adult --epsilon 8 --delta 1e-6"
    whole = run(f"stream german.csv --state w {more} --horizon 1000 --seed 1 --csv {CSV}")
    assert (whole.code, len(whole.out.splitlines())) == (0, 801)
    lines = (folder / "german.csv").read_bytes().splitlines(keepends=True)
    (folder / "first.csv").write_bytes(b"".join(lines[:301]))
    first = run(
        f"stream first.csv --state s {more} --horizon 1000 --seed 1 --csv {CSV} --out a.csv"
    )
    rest = run("stream german.csv --state s --seed 1 --resume from-start --out b.csv")
    assert (first.code, rest.code) == (0, 0)
    _, *later = (folder / "b.csv").read_text().splitlines(keepends=True)
    assert (folder / "a.csv").read_text() + "".join(later) == whole.out
    refused = run(f"stream german.csv --state t {more} --horizon 9 --csv quoted-line-breaks=yes")
    assert refused.code == 2
    assert "unclosed quote would swallow" in refused.err


def test_the_first_line_is_shown_only_if_it_is_public(run, german):
    fit = f"fit german.csv --y grown --schema german.toml {TREE}"
    assert "größe" not in run(fit).err
    shown = run(f"{fit} --header-is-public").err
    assert "Its first line: 'größe', 'city', 'adult'" in shown
    assert (
        run(f"fit data.parquet --y adult --schema schema.toml {TREE} --header-is-public").code == 0
    )


def test_a_model_with_another_format_is_refused(run, german, folder):
    run(f"fit german.csv --y adult --schema german.toml {TREE} --out model.json")
    model = json.loads((folder / "model.json").read_text())
    model["columns"]["csv"] = "sep=;;"
    (folder / "model.json").write_text(json.dumps(model))
    assert run("predict model.json german.csv").code == 2


def test_dates_are_learned_and_shown_as_dates(run, folder):
    """Days since July 2021 are 1."""
    days = itertools.product((20, 21, 22), range(1, 13), (1, 15, 28))
    rows = [(f"{d}.{m}.20{y}", int((y, m) > (21, 6))) for y, m, d in days]
    Path("dates.csv").write_text("day,y\n" + "".join(f"{d},{y}\n" for d, y in rows * 4))
    Path("dates.toml").write_text(
        '[day]\ntype = "date"\nformat = "%d.%m.%Y"\n'
        'bins = ["2020-07-01", "2021-07-01", "2022-07-01"]\n'
    )
    fit = "fit dates.csv --schema dates.toml --y y --out m.json --report p.html"
    made = run(f"{fit} {TREE}")
    assert "day >= 2021-07-01" in made.out or "day < 2021-07-01" in made.out
    assert "2021-07-01" in Path("p.html").read_text()
    found = run("predict m.json dates.csv").out.split()[1:]
    assert found == [str(y) for _, y in rows * 4]
    refused = run("export m.json --to sql")
    assert refused.code == 2
    assert "export it to json" in refused.err
    assert run("schema check dates.toml --json").json["columns"][0]["kind"] == "dates"


def test_predictions_in_pieces_and_as_parquet(run, folder, monkeypatch):
    """However the table is cut, and whatever is written, the predictions are those of the rows."""
    run(f"fit data.parquet --schema schema.toml --y adult --out m.json {TREE}")
    release = ls.load("m.json")
    labels = release.predict(ROWS).tolist()
    chances = release.predict_proba(ROWS)[:, 1]
    monkeypatch.setattr(lines, "_BLOCK", 1000)
    monkeypatch.setitem(tables._AHEAD, "batch_size", 70)
    for data in ("data.csv", "data.parquet"):
        assert run(f"predict m.json {data}").out.split()[1:] == [str(label) for label in labels]
        assert run(f"predict m.json {data} --proba --out p.parquet").code == 0
        written = pq.read_table("p.parquet")
        assert pq.ParquetFile("p.parquet").num_row_groups > 5
        assert written.schema.names == ["prediction", "probability"]
        assert written["prediction"].to_pylist() == labels
        assert written["probability"].to_pylist() == chances.tolist()
        shown = run(f"predict m.json {data} --proba").out.split()
        assert shown == [
            "prediction,probability",
            *(f"{a},{b:.6g}" for a, b in zip(labels, chances, strict=True)),
        ]


# -- ``littlestone schema``: first schemas, and all mistakes at once -------------------------------

WRONG = """
[age]
bin = [1, 2]

[city]
categories = ["Bonn", "Bonn"]
missing = "?"

[level]
integers = [3, 1]

[stay]
bins = [3]
categories = ["a"]
missing = [""]
"""


def test_all_mistakes_of_a_schema_at_once(run, folder):
    (folder / "wrong.toml").write_text(WRONG)
    done = run("schema check wrong.toml")
    assert (done.code, done.out) == (2, "")
    for part in (
        "6 mistakes",
        "unknown key 'bin'. Did you mean 'bins'?",
        "'categories' parameter of column 'city' must be a list of different texts",
        "'missing' parameter of column 'city'",
        "'integers' parameter of column 'level'",
        "Got bins and categories. Numbers have bins",
        "'missing' parameter of column 'stay'",
    ):
        assert part in done.err
    assert done.err.count("\n- ") == 6
    assert run("schema check wrong.toml data.csv").err == done.err


def test_a_schema_is_shown(run):
    done = run("schema check schema.toml data.csv")
    assert done.code == 0
    rows = [[cell.strip() for cell in line.split("│")] for line in done.out.splitlines()]
    assert ["city", "categories", "4"] in rows
    assert ["age", "bins", "6"] in rows
    shown = run("schema check schema.toml --json").json
    assert shown["columns"][0] == {"name": "city", "kind": "categories", "codes": 4}


def test_a_schema_beside_a_table(run, folder):
    (folder / "other.toml").write_text("[agee]\nbins = [1]\n[town]\ncategories = ['a']\n")
    for table in ("data.csv", "data.parquet"):
        done = run(f"schema check other.toml {table}")
        assert done.code == 2
        assert "2 columns of the schema" in done.err
        assert "'agee'" in done.err
        assert "person" not in done.err  # a name that stands only in the table
    (folder / "every.toml").write_text('["*"]\nbins = [0]\n')
    assert run("schema check every.toml data.csv").code == 0


def test_a_first_schema_is_written(run, folder):
    assert run("schema new data.parquet --y adult --out first.toml").out == ""
    text = (folder / "first.toml").read_text()
    assert set(tomllib.loads(text)) == {"age", "city", "person"}
    assert run("schema new data.parquet --y adult").out == text
    incomplete = run("schema check first.toml")
    assert incomplete.code == 2
    assert "3 mistakes" in incomplete.err
    refused = run("schema new data.csv")
    assert refused.code == 2
    assert "--header-is-public" in refused.err
    assert run("schema new data.parquet --out data.parquet").code == 2


def test_a_schema_of_a_codebook(run, folder):
    (folder / "book.csv").write_text("name,low,high,unit\nage,18,90,\nweight,40,160,kg\n")
    done = run("schema new --codebook book.csv --y adult --out book.toml")
    assert (done.code, done.out) == (0, "")
    assert run("schema check book.toml").code == 0
    beside = run("schema new data.parquet --codebook book.csv --y adult").out
    assert set(tomllib.loads(beside)) == {"age", "city", "person"}
    assert "# In the codebook, but not in the table:\n#   weight\n" in beside
    assert run("schema new --y adult").code == 2
    refused = run("schema new --codebook book.csv --out book.csv")
    assert refused.code == 2
    assert run("schema new --codebook none.csv").code == 2


def test_a_column_without_a_name_is_left_out(run, folder):
    (folder / "unnamed.csv").write_text("age,,adult\n30,1,1\n")
    done = run("schema new unnamed.csv --y adult --header-is-public --out s.toml")
    assert done.code == 0
    assert "without a name is left out" in (folder / "s.toml").read_text()


def test_a_schema_is_proposed(run, folder):
    rows = "".join(f"{20 + i % 60},{'Rome' if i % 3 else 'Bonn'},{i % 2}\n" for i in range(6000))
    (folder / "people.csv").write_text(f"age,city,ill\n{rows}")
    command = (
        "schema propose people.csv --y ill --epsilon 2 --delta 1e-6 --seed 0 --out learned.toml"
    )
    done = run(command)
    assert done.code == 2
    assert "--header-is-public" in done.err
    done = run(f"{command} --header-is-public --ledger nothing.db")
    assert done.code == 2
    assert not (folder / "learned.toml").exists()
    done = run(f"{command} --header-is-public")
    assert done.code == 0
    rows = [[cell.strip() for cell in line.split("│")] for line in done.out.splitlines()]
    assert ["age", "bins", "6"] in rows
    assert ["city", "categories", "2"] in rows
    assert "NOT PRIVATE (seeded)" in done.out
    assert "has no certificate of accuracy" in done.out
    written = tomllib.loads((folder / "learned.toml").read_text())
    assert written["city"]["categories"] == ["Bonn", "Rome"]
    assert written["*proposal"]["guarantee"]["epsilon_exact"] == "2"
    assert run(f"{command} --header-is-public --json").json == written
    done = run("schema check learned.toml people.csv")
    assert done.code == 0
    fit = "fit people.csv --schema learned.toml --y ill --epsilon 1 --class rules(max_literals=1)"
    done = run(f"{fit} --seed 0")
    assert "does not hold: the columns were learned from records" in done.out
    assert "(3, 1e-06)" in done.out
    done = run("plan --schema learned.toml --class rules(max_literals=1) --epsilon 1 --alpha 0.1 "
               "--beta 0.05")  # fmt: skip
    assert "does not hold" in done.out
    assert "explicit" not in done.out
    assert "it attains" not in done.out
    assert "learned from 6,000 records: (2, 1e-06)" in done.out
    assert "No certificate holds" in done.out
    line = "plan --schema learned.toml --epsilon 1 --beta 0.05"
    line = f"{line} --class rules(max_literals=1) --solve alpha --n 999"
    assert "No certificate holds" in run(line).out
    assert run(f"{line} --json").json["proposal"]["certificates_hold"] is False
    done = run(
        f"{fit} --user age --samples-per-user 2 --seed 0".replace("--epsilon 1", "--epsilon 5")
    )
    assert "protect single records" in done.err
    assert "does not hold" in run(f"{fit} --x age --seed 0").out
    stream = (
        "stream people.csv --state st --schema learned.toml --class rules(max_literals=1) "
        "--epsilon 1 --delta 0 --horizon 99 --y ill --out p.csv"
    )
    done = run(stream)
    assert done.code == 0
    assert "learned from records" in done.err
    status = run("stream --state st --status").out
    assert "NOT PRIVATE" in status  # the proposal had a seed
    assert "columns were learned from 6,000" in status
    assert "(3, 1e-06)" in status
    assert "proved for rows from which the columns were not learned" in status
    done = run(f"{fit} --require-certificate")
    assert done.code == 2
    assert "cannot be met" in done.err


@pytest.mark.parametrize("name", ["parts", "p*.csv", "table.txt"])
def test_the_first_line_of_a_table_is_not_shown(run, folder, name):
    (folder / "parts").mkdir()
    for path in ("parts/one.csv", "p1.csv", "table.txt"):
        (folder / path).write_text("Jane Roe,44\nJohn Doe,45\n")
    form = " --csv sep=," if name == "table.txt" else ""
    for command in (f"schema new {name}", f"schema propose {name} --epsilon 1 --out s.toml"):
        done = run(command + form)
        assert done.code == 2
        assert "Jane" not in done.out + done.err
        assert "--header-is-public" in done.err


# -- Outputs that cannot be written: nothing is spent for nothing, and nothing drawn is lost -------

FIT = ["fit", "data.csv", "--x", "age", "--y", "adult", "--class", "thresholds(1, 99)"]
FIT += ["--epsilon", "1"]
STREAM = "stream data.csv --class thresholds(1,99) --epsilon 1 --delta 1e-6 --horizon 100 --state s"


@pytest.fixture
def budget(folder):
    return ls.Ledger("b.db", epsilon=9, delta="1e-3")


def test_a_model_that_cannot_be_written_is_printed(run, budget):
    done = run("", *FIT, "--ledger", "b.db", "--out", "/dev/full")
    assert done.code == 2
    assert "is printed on the standard output" in done.err
    assert json.loads(done.out)["guarantee"]["epsilon"] == 1
    assert budget.spent().epsilon == 1
    done = run("", *FIT, "--ledger", "b.db", "--out", "m.json", "--report", "/dev/full", "--json")
    release, error = done.out.splitlines()
    assert json.loads(release) == json.loads(Path("m.json").read_text())
    assert json.loads(error)["error"]["exit_code"] == done.code == 2


def test_a_page_with_a_defect_does_not_swallow_the_model(run, budget, monkeypatch):
    def defect(_):
        raise ZeroDivisionError("zqcanary")

    monkeypatch.setattr("littlestone.report.page", defect)
    done = run("", *FIT, "--ledger", "b.db", "--report", "p.html")
    assert done.code == 1
    assert json.loads(done.out)["n"] == 800
    assert "zqcanary" not in done.err


def test_a_busy_ledger_does_not_hide_what_was_drawn(run, budget, monkeypatch):
    def busy(_):
        raise ls.errors.StoreError("busy", reason="locked")

    monkeypatch.setattr(ls.Ledger, "remaining", busy)
    done = run("", *FIT, "--ledger", "b.db")
    assert done.code == 0
    assert "Rule" in done.out
    assert "Budget" not in done.out


@pytest.mark.parametrize("line", [FIT, [*FIT, "--json"], ["fit", "nothing.csv", "--json"]])
def test_a_full_standard_output_is_said_in_one_line(folder, capfd, monkeypatch, line):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(line) == 2
        monkeypatch.undo()
    err = capfd.readouterr().err
    assert err.startswith("littlestone: ")
    assert err.count("\n") == 1
    assert ("standard output could not be written (No space" in err) == (line[1] == "data.csv")
    assert ("The result is lost" in err) == (line[1] == "data.csv")


def test_a_command_that_draws_nothing_loses_nothing(folder, capfd, monkeypatch):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["papers"]) == 2
        monkeypatch.undo()
    said = "littlestone: The standard output could not be written (No space left on device).\n"
    assert capfd.readouterr().err == said


@pytest.mark.more
def test_closed_streams_are_nowhere(folder):
    line = " ".join(f"'{token}'" for token in [sys.executable, "-m", "littlestone", *FIT])
    line += " --json --out m.json <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", line], check=False).returncode == 0
    assert Release.read("m.json").n == 800  # and nothing else was written into it


def test_a_terminal_without_the_characters_stops_nothing(folder, monkeypatch):
    found = []
    for more in (["--positive", "\u00e4"], ["--json", "--positive", "\u00e4\U0001f600"]):
        plain = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", plain)
            assert main([*FIT, *more]) == 0
        found.append(plain.buffer.getvalue().decode("ascii"))
    assert "\\u00e4" in found[0]
    assert json.loads(found[1])["columns"]["positive"] == "\u00e4\U0001f600"


def test_an_interruption_between_charge_and_draw_releases_nothing(run, budget, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("littlestone.source.sources.BitSource.choose", interrupt)
    done = run("", *FIT, "--ledger", "b.db", "--out", "m.json", "--json")
    assert done.code == 130
    assert done.err.startswith("littlestone: Interrupted: nothing was released.")
    assert done.json["error"]["kind"] == "Interrupted"
    assert not os.path.exists("m.json")
    assert budget.spent().epsilon == 1  # no refunds
    assert sorted(os.listdir()) == ["b.db", "data.csv", "data.parquet", "schema.toml"]


@pytest.mark.parametrize("name", ["b.db", "link.db"])
def test_no_output_replaces_a_ledger(run, budget, name):
    os.symlink("b.db", "link.db")
    assert run("", *FIT, "--out", "m.json").code == 0
    before = Path("b.db").read_bytes()
    for line in (
        [*FIT, "--out", name],
        [*FIT, "--report", name],
        ["report", "m.json", "--out", name],
        ["predict", "m.json", "data.csv", "--out", name],
        ["plan", *FIT[6:], "--alpha", "0.1", "--beta", "0.05", "--report", name],
        ["dims", "--class", "thresholds(1, 9)", "--report", name],
        [*STREAM.split(), "--x", "age", "--y", "adult", "--out", name],
    ):
        done = run("", *line)
        assert done.code == 2, line
        assert "would lose the record of what is spent" in done.err
    assert Path("b.db").read_bytes() == before
    assert not os.path.exists("s")


def test_the_state_of_a_stream_is_no_place_for_pages(run, folder):
    assert run(STREAM, "--x", "age", "--y", "adult").code == 0
    for option in ("--export", "--report"):
        for name in ("s/private.db", "s/public.db"):
            assert run("stream --state s", option, name).code == 2
    assert run("stream --state s --status --json").json["rows"] == 800
    wrong = STREAM.removesuffix("s") + "data.csv"
    assert "must be a folder" in run(wrong, "--x", "age", "--y", "adult").err


@pytest.mark.parametrize("target", ["loop", "nowhere/m.json", ".", "b.db"])
def test_links_are_followed_before_anything_is_drawn(run, budget, target):
    os.symlink(target, "loop")
    for option in ("--out", "--report"):
        done = run("", *FIT, "--ledger", "b.db", option, "loop")
        assert done.code == 2
        assert budget.spent().epsilon == 0
    assert os.readlink("loop") == target


def test_a_link_to_a_file_that_is_not_there_yet(run, folder):
    os.symlink("real.json", "link.json")
    assert run("", *FIT, "--out", "link.json").code == 0
    assert Release.read("real.json").n == 800
    assert os.readlink("link.json") == "real.json"


def test_a_part_of_the_input_is_not_replaced(run, folder):
    os.rename("data.parquet", "part-1.parquet")
    line = ["fit", "part-*.parquet", *FIT[2:]]
    before = Path("part-1.parquet").read_bytes()
    for option in ("--out", "--report"):
        done = run("", *line, option, "part-1.parquet")
        assert (done.code, Path("part-1.parquet").read_bytes()) == (2, before)
        assert "a file that is not read" in done.err
    assert run("", *line, "--out", "m.json").code == 0
