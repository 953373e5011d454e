"""``fit --release DIR``: one folder to be filed, whole or not at all; ``--like``, ``--weights``."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace

import pytest

import littlestone as ls
from littlestone.data import Schema
from littlestone.errors import ParameterError
from littlestone.learners.check_record import check_record
from littlestone.learners.release import Release
from littlestone.report import page, write_folder

FIT = "fit data.parquet --y adult --epsilon 2 --schema schema.toml --model rule"


def test_the_folder_has_all_that_is_filed_with_true_hashes(run, folder):
    (folder / "filed").mkdir()  # empty: allowed
    done = run(f"{FIT} --release filed --out model.json")
    assert done.code == 0, done.err
    assert "filed" in done.out
    files = {path.name: path.read_bytes() for path in (folder / "filed").iterdir()}
    assert set(files) == {"model.json", "page.html", "record.json", "schema.toml", "README.md"}
    said = dict(
        reversed(line.split("  "))
        for line in files["README.md"].decode().splitlines()
        if re.match("[0-9a-f]{64}  ", line)
    )
    true = {name: hashlib.sha256(text).hexdigest() for name, text in files.items()}
    assert said == {name: digest for name, digest in true.items() if name != "README.md"}
    release = Release.read(folder / "filed" / "model.json")
    assert files["model.json"] == (folder / "model.json").read_bytes()
    assert files["page.html"].decode() == page(release)
    assert check_record(json.loads(files["record.json"])) == []
    assert Schema.from_toml(folder / "filed" / "schema.toml").names == ("city", "age")
    assert str(release.guarantee) in files["README.md"].decode()


def test_a_folder_that_could_not_be_written_is_refused_before_anything_is_read(run, folder):
    (folder / "full").mkdir()
    (folder / "full" / "x").touch()
    (folder / "file").touch()
    (folder / "link").symlink_to(folder / "elsewhere")
    assert run("ledger create budget --epsilon 5").code == 0
    before = run("ledger show budget").out
    for name, why in (("full", "not empty"), ("file", "a file"), ("link", "a link"),
                      ("missing/new", "does not exist")):  # fmt: skip
        done = run(f"{FIT} --ledger budget --release {name}")
        assert done.code == 2
        assert why in done.err
    seeded = run(f"{FIT} --seed 1 --release new")
    assert seeded.code == 2
    assert "seeded release is not private" in seeded.err
    assert run("ledger show budget").out == before
    assert {path.name for path in (folder / "full").iterdir()} == {"x"}
    assert not (folder / "new").exists()


def test_nothing_is_left_of_a_folder_that_breaks_off(run, folder, monkeypatch):
    """And what was drawn is not lost: it is on the standard output."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("littlestone.report.pages._readme", full)
    before = set(folder.iterdir())
    done = run(f"{FIT} --release filed")
    assert done.code == 2
    assert "No space left on device" in done.err
    assert Release.from_dict(json.loads(done.out.splitlines()[-1])).n == 800
    assert set(folder.iterdir()) == before


def test_a_protocol_is_filed_with_it_and_seeded_releases_are_not(run, folder):
    assert run(f"{FIT} --out model.json").code == 0
    release = Release.read(folder / "model.json")
    write_folder(release, folder / "a", protocol='{"planned": 800}\n')
    assert (folder / "a" / "protocol.json").read_text() == '{"planned": 800}\n'
    assert "`protocol.json`" in (folder / "a" / "README.md").read_text()
    with pytest.raises(ParameterError, match="not empty"):
        write_folder(release, folder / "a")
    part = release.parts[0]
    seeded = replace(
        release, parts=(replace(part, guarantee=replace(part.guarantee, seeded=True)),)
    )
    with pytest.raises(ParameterError, match="seeded"):
        write_folder(seeded, folder / "b")
    assert not (folder / "b").exists()


def test_names_cannot_write_lines_of_the_readme(run, folder):
    assert run(f"{FIT} --out model.json").code == 0
    release = Release.read(folder / "model.json")
    name = "y\n" + "0" * 64 + "  model.json\n<script>"
    write_folder(replace(release, columns=release.columns | {"y": name}), folder / "a")
    text = (folder / "a" / "README.md").read_text()
    assert "\n0000" not in text
    assert "<script>" not in text


def test_the_columns_of_last_year_s_model(run, folder):
    assert run(f"{FIT} --out model.json").code == 0
    done = run("fit data.csv --y adult --epsilon 2 --model rule --like model.json --json")
    assert done.code == 0, done.err
    old = json.loads((folder / "model.json").read_text())
    assert done.json["class"]["schema"] == old["class"]["schema"]
    for more in ("--schema schema.toml", "--class thresholds(1,99)"):
        refused = run(f"fit data.csv --y adult --epsilon 2 --like model.json {more}")
        assert refused.code == 2
        assert "--like, --schema or --class, not two" in refused.err
    assert run("fit data.csv --x age --y adult --epsilon 1 --out t.json --class",
               "thresholds(1, 99)").code == 0  # fmt: skip
    refused = run("fit data.csv --y adult --epsilon 2 --like t.json")
    assert "a model of the columns of a table" in refused.err


def test_weights_are_refused_with_a_sentence(run):
    done = run("fit missing.csv --y adult --epsilon 1 --weights person")
    assert done.code == 2
    assert "a record would count w times" in done.err
    with pytest.raises(ParameterError, match="a record would count w times"):
        ls.fit({"age": [1]}, y="age", epsilon=1, weights="age")
