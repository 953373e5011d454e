"""Files that are written another way: declared once, read alike by every command."""

import itertools
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import littlestone as ls
from littlestone.data import containers as arrow
from littlestone.data import lines

from .conftest import ROWS

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
    monkeypatch.setitem(arrow._AHEAD, "batch_size", 70)
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
    Path("none.csv").write_text("city,age\n")
    assert run("predict m.json none.csv").out == "prediction\n"
    assert run("predict m.json none.csv --out none.parquet").code == 0
    assert pq.read_table("none.parquet").to_pydict() == {"prediction": []}
