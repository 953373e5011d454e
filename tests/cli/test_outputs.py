"""Outputs that cannot be written: nothing is spent for nothing, and nothing drawn is lost."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import littlestone as ls
from littlestone.cli.main import main
from littlestone.learners.release import Release

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


@pytest.mark.first(2)
@pytest.mark.parametrize("name", ["b.db", "link.db", "b.db-wal", "b.db-shm", "b.db-journal"])
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
        ["audit", "exact", *FIT[6:], "--learner", "generic", "--points", "1", "--report", name],
        [*STREAM.split(), "--x", "age", "--y", "adult", "--out", name],
    ):
        done = run("", *line)
        assert done.code == 2, line
        assert "would lose the record of what is spent" in done.err
    assert Path("b.db").read_bytes() == before
    assert not os.path.exists("s")


@pytest.mark.first(4)
@pytest.mark.parametrize(
    "wrong",
    [
        "--y nothing",
        "--x nothing",
        "--out nowhere/p.csv",
        "--out schema.toml",
        "--out data.csv",
        "--group 0",
        "--strict --positive 2",
        "--negative 0",
        "--positive nan",
        "--seed 3",
    ],
)
def test_a_stream_that_is_refused_makes_no_state_and_charges_nothing(run, budget, wrong):
    options = {"--x": "age", "--y": "adult", "--ledger": "b.db"}
    words = wrong.split()
    given = [w for pair in options.items() if pair[0] not in words for w in pair]
    done = run(STREAM, *given, *words)
    assert done.code == 2, done
    assert not os.path.exists("s")
    assert budget.spent().epsilon == 0
    assert run(STREAM.replace("data.csv", "nofile.csv"), *given).code == 2
    assert not os.path.exists("s")


def test_the_state_of_a_stream_is_no_place_for_pages(run, folder):
    assert run(STREAM, "--x", "age", "--y", "adult").code == 0
    for option in ("--export", "--report"):
        for name in ("s/private.db", "s/public.db"):
            assert run("stream --state s", option, name).code == 2
    assert run("stream --state s --status --json").json["rows"] == 800


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


@pytest.mark.parametrize("option", ["--status", "--export p.json", "--report p.html"])
def test_names_that_are_too_long(run, folder, option):
    done = run(f"stream --state {'x' * 5000} {option}")
    assert done.code == 2
    assert done.err.startswith("littlestone: ")
    assert run(f"ledger show {'y' * 5000}/b.db").code == 2
    assert run(f"ledger create {'y' * 300}/{'z' * 300} --epsilon 1").code == 2


def test_a_part_of_the_input_is_not_replaced(run, folder):
    os.rename("data.parquet", "part-1.parquet")
    line = ["fit", "part-*.parquet", *FIT[2:]]
    before = Path("part-1.parquet").read_bytes()
    for option in ("--out", "--report"):
        done = run("", *line, option, "part-1.parquet")
        assert (done.code, Path("part-1.parquet").read_bytes()) == (2, before)
        assert "a file that is not read" in done.err
    assert run("", *line, "--out", "m.json").code == 0
