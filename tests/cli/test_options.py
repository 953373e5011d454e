"""Options are declared once, explained, and refused with what to do instead."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from littlestone.cli.main import app, main
from littlestone.cli.terminal import COMMON, GROUPS, Help

# -- Options are declared once: shared ones in one class each --------------------------------------


def helped(*command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert main([*command, "--help-all"]) == 0
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text.getvalue()).split())


@pytest.mark.parametrize(
    "command",
    ["fit", "check", "score", "stream", "schema propose"],
)
def test_who_pays_is_said_alike(command, monkeypatch):
    text = helped(*command.split(), monkeypatch=monkeypatch)
    assert (
        "--ledger STR File with the privacy budget of these records, made by `littlestone" in text
    )
    assert "--purpose STR With --ledger: purpose of the release, in one line of at most 200" in text
    assert "--seed INT Seed that makes the result reproducible but NOT PRIVATE." in text


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("check t.csv", "schema epsilon y"),
        ("audit exact", "class learner epsilon points"),
        ("audit all-n", "class learner epsilon"),
        ("audit replay", "data y class learner epsilon"),
        ("plan", "class beta"),
        ("dims", "class"),
        ("schema propose t.csv --out s.toml", "epsilon out"),
    ],
)
def test_what_is_refused_without_is_marked_as_required(command, needed, run, monkeypatch):
    name = command.partition(" t.csv")[0]
    text = helped(*name.split(), monkeypatch=monkeypatch)
    usage = text.partition(" [OPTIONS]")[0]
    assert re.findall(r"--(\S+) STR", usage) == needed.split()
    assert sorted(re.findall(r"\* --(\S+)", text)) == sorted(needed.split())
    assert text.count("[required]") == len(needed.split()) + text.count("* DATA")
    assert re.search(rf"{name} needs --({needed.replace(' ', '|')}),", run(command).err)


# -- What ``--help`` says of every option of every command: a sentence, its default, its cost ------

#: Commands that draw from records, beside those that compute, check or run public rows.
SPEND = ("fit", "check", "score", "stream", "schema propose")


def commands(apps=app, chain=()):
    for name in apps:
        if name.startswith("-"):
            continue
        command = apps[name]
        if command.default_command is None:
            yield from commands(command, (*chain, name))
        else:
            yield " ".join((*chain, name)), command


class Panels(Help):
    def __init__(self, command):
        super().__init__()
        self.command, self.panels = command, []

    def __call__(self, console, options, panel):
        self.panels += self.groups(panel)

    def render_usage(self, console, options, usage):
        pass


def help_options(command):
    """Return the texts of a command's options, with its title and its names."""
    panels = Panels(command)
    shown, app.help_formatter = app.help_formatter, panels
    try:
        app.help_print(command.split(), console=Console(file=io.StringIO()))
    finally:
        app.help_formatter = shown
    for panel in panels.panels:
        for entry in panel.entries:
            text = getattr(entry.description, "primary_renderable", entry.description)
            yield panel.title, entry, str(text or "")


@cache
def everything():
    """Return (command, panel, option, text) of all helps, which take a second."""
    return [(command, *each) for command, _ in commands() for each in help_options(command)]


def test_every_option_is_a_sentence_with_its_default():
    assert len({command for command, *_ in everything()}) >= 20
    for _, panel, entry, text in everything():
        assert panel in ("Arguments", *GROUPS), "of no group: add it to `cli.terminal`"
        name = (entry.names or (entry.positional_label,))[0]
        if name == "--help":
            continue
        sentence = re.sub(r"( \[[^\]]*\])+$", "", text)
        assert re.match(r"[A-Z“\"`-]|NAME|practical|kill|sql", sentence), (name, text)
        assert sentence.endswith("."), (name, text)
        if entry.names:
            known = entry.required or entry.default not in (None, "None", "")
            assert known or re.search(r"\b[Dd]efault\b|\b[Rr]equired\b", text), (name, text)


def test_what_costs_epsilon_says_so():
    for command in SPEND:
        said = {e.names[0]: text for of, _, e, text in everything() if of == command and e.names}
        for name in ("--epsilon", "--ledger"):
            assert "[epsilon: " in said[name], command
        for name in ("--evaluate", "--inference", "--holdout", "--interval"):
            assert name not in said or "[epsilon: " in said[name], (command, name)


def test_what_costs_nothing_is_not_priced():
    """Plans, rehearsals and audits draw nothing from records: their epsilon is a number."""
    for command, _, entry, text in everything():
        if command not in (*SPEND, "ledger create") and "[epsilon: " in text:
            assert entry.names[0] == "--epsilon"
            assert "[epsilon: none;" in text, (command, text)


def test_long_helps_show_ten_options_first():
    for command, _ in commands():
        number = sum(of == command and bool(e.names) for of, _, e, _ in everything())
        assert (command in COMMON) == (number > 10), (command, number)
        names = COMMON.get(command, "").split()
        assert len(names) in (0, 10)
        listed = {e.names[0] for of, _, e, _ in everything() if of == command and e.names}
        assert {f"--{name}" for name in names} <= listed


# -- What is said to a person at a terminal: options, files, numbers, interruptions ----------------

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

    monkeypatch.setattr("littlestone.data.counting.points_of", engine)
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


def test_no_command_is_a_question(run):
    done = run("")
    assert done.code == 0
    assert "--help" in done.out
