"""What is said to a person at a terminal: options, files, numbers, interruptions."""

import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from littlestone.cli.main import main

TREES = "fit data.csv --schema schema.toml --y adult --epsilon 1 --class"
NEW = "--y adult --class thresholds(1,99) --epsilon 8 --delta 1e-6 --horizon 9"
STREAM = f"stream data.csv --state s {NEW}"


def test_a_label_cannot_steer_the_terminal(run):
    done = run(f"{TREES} decision_trees(depth=1) --labels", "no\x1b[31m,yes\u202e")
    assert done.code == 0
    assert "\\x1b[31m" in done.out
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out


@pytest.mark.first(1)
@pytest.mark.parametrize("url", ["postgresql:/u:PW@h/db?table=t", "postgres//u:PW@h", "h/d?pwd=PW"])
def test_what_could_be_a_url_with_a_password_is_not_repeated(run, url):
    """Mistyped, it is taken for the name of a file; messages repeat names, but not this one."""
    for line in (
        f"fit {url} --y adult --x age --class points(1,9) --epsilon 1",
        f"fit data.csv --y adult --schema {url} --epsilon 1",
        f"fit data.csv --y adult --x age --class points(1,9) --epsilon 1 --ledger {url}",
        f"fit data.csv --y adult --x age --class points(1,9) --epsilon 1 --out {url}/x",
        f"fit data.csv --y adult --x age --class {url} --epsilon 1",
        f"check {url} --schema schema.toml --y adult --epsilon 1",
        f"score m.json {url} --epsilon 1",
        f"predict {url} data.csv",
        f"schema new {url}",
        f"schema check {url}",
        f"stream {url} --state s {NEW}",
        f"ledger show {url}",
        f"{url}",
    ):
        done = run(f"{line} --json")
        assert done.code == 2
        assert "PW" not in done.out + done.err, line


@pytest.mark.parametrize("option", ["--horizon 9", "--report p.html"])
def test_what_a_plan_would_ignore_is_refused(run, option):
    asked = "--class rules(max_literals=1) --solve alpha --n 9"
    done = run(f"plan --schema schema.toml --epsilon 1 --beta 0.05 {asked} {option}")
    assert done.code == 2
    assert f"'{option.split()[0]}' option of plan compares all learners" in done.err


@pytest.mark.more
def test_a_plan_for_users_names_what_fit_takes(run):
    """Of users; and where the others do, how: without --user, on which table."""
    line = (
        "plan --schema schema.toml --class decision_trees(depth=1) --epsilon 1 --alpha 0.1 "
        "--beta 0.05"
    )
    done = run(f"{line} --samples-per-user 4")
    assert done.code == 0
    assert "fit --user takes only the learner users" in done.out
    assert "on a table in which nobody has more than 4 records, with epsilon/4." in done.out
    assert "--learner generic, without --user (below)" in done.out
    several = run(f"{line} --samples-per-user 4 --labels a,b,c")
    assert "fit --user selects none of them." in several.out
    assert "name one with --learner" not in several.out
    fit = "fit data.csv --schema schema.toml --y adult --class decision_trees(depth=1) --epsilon 1"
    for learner in ("generic", "agnostic"):
        refused = run(f"{fit} --user person --samples-per-user 4 --learner {learner}")
        assert refused.code == 2
        assert run(f"{fit} --learner {learner}").code == 0


def test_one_is_one_record(run):
    done = run("plan --class points(1,1) --epsilon 8 --alpha 0.9 --beta 0.9")
    assert done.code == 0
    assert "1 record" in done.out
    assert "1 records" not in done.out


def test_an_engine_that_is_interrupted_is_an_interruption(run, folder, monkeypatch):
    """Engines raise errors of their own when Ctrl-C is pressed inside them."""

    def engine(*_, **__):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise RuntimeError("Query interrupted") from None

    monkeypatch.setattr("littlestone.data.counting._collected", engine)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # not ignored, as in the back
    done = run("fit data.csv --y adult --x age --class thresholds(1,99) --epsilon 1")
    signal.signal(signal.SIGINT, before)
    assert done.code == 130
    assert "Interrupted" in done.err
    monkeypatch.undo()
    assert main(["--version"]) == 0


LOADING = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Pressed:
    def find_spec(name, *_):
        if name == "littlestone.cli.main":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Pressed)
from littlestone.__main__ import run
run()
"""


def test_an_interruption_while_the_program_is_loaded_is_one_line():
    line = [sys.executable, "-c", LOADING, "--version"]
    done = subprocess.run(line, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (130, b"")
    assert done.stderr == b"littlestone: Interrupted: nothing was done.\n"
    pyproject = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert pyproject["project"]["scripts"]["littlestone"] == "littlestone.__main__:run"


@pytest.mark.more
def test_following_ends_with_an_interruption(folder):
    line = [*STREAM.split(), "--x", "age", "--follow", "--out", "o.csv"]
    # programs in the background are begun with interruptions ignored
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{begin}; from littlestone.cli.main import run; run()"
    child = subprocess.Popen([sys.executable, "-c", program, *line], stderr=subprocess.PIPE)
    while not os.path.exists("o.csv"):
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    assert child.returncode == 130
