"""Options are declared once, explained, and refused with what to do instead."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import littlestone as ls
from littlestone.cli.main import app, main
from littlestone.cli.terminal import COMMON, GROUPS, Help

from .conftest import ROWS

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
    assert "--ledger STR The privacy budget of these records, a file made by `littlestone" in text
    assert "--purpose STR Purpose of the release, in one line, which is recorded" in text
    assert "--seed INT Seed that makes the result reproducible, and NOT PRIVATE." in text


def test_every_option_of_every_command_is_explained(monkeypatch):
    def commands(of, *chain):
        for name in of:
            if not name.startswith("-"):
                here = (*chain, name)
                yield from [here] if of[name].default_command else commands(of[name], *here)

    found = list(commands(app))
    assert len(found) >= 20
    for command in found:
        shown = helped(*command, monkeypatch=monkeypatch)
        _, text = re.split(rf" (?:{'|'.join(GROUPS)}) (?=\*? ?--)", shown, maxsplit=1)
        bare = re.findall(r"(--[a-z-]+)(?: [A-Z]+)?(?= (?:\[|\*|--|Classes:|Exit codes:))", text)
        assert bare == []
        assert "--" in text
        assert not re.search(r" Other (?=\*? ?--)", shown)  # of no group: add it to `cli.help`


def test_helps_break_lines_at_the_end_of_the_terminal(monkeypatch):
    text = helped("plan", monkeypatch=monkeypatch)
    assert "Usage: littlestone plan [OPTIONS]" in text
    for words in ("a class over its", "[choices: ep"):
        assert words in text


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
    for _, _, entry, text in everything():
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


# -- Wrong command lines: each ends with one line that says what to do, exit code 2 or 3 -----------

FIT = "fit data.csv --y adult --epsilon 1"
LINE = "fit data.csv --y adult --x age --class points(1,9) --epsilon 1"
WRONG_STREAM = (
    "stream data.csv --state s --y adult --class thresholds(1,99) --epsilon 8 --delta 1e-6"
)
WRONG_STREAM += " --horizon 9"
PLAN = "--schema schema.toml --alpha 0.1 --beta 0.05"
#: Words of Python that no message has.
PYTHON = ("Traceback", "TypeError", "samples_per_user", "records_per_user", "strict=True")
PYTHON += ("Learner ", "DecisionTrees", "['")
#: Wrong lines, and what is said.
CALLS = {
    "fitt data.csv": "fit",
    "fit": "fit",
    "fit data.csv --epsilon 1": "--y adult",
    "fit data.csv --y adult": "--epsilon 1",
    "fit nowhere.csv --y adult --epsilon 1": "a file that exists",
    "fit data.xlsx --y adult --epsilon 1": "data.xlsx",
    "fit data.csv --y adul --epsilon 1": "adul",
    "fit data.csv --y adult --epsilon many": "1 is a common choice",
    "fit data.csv --y adult --epsilon -1": "--epsilon",
    f"{FIT} --delta 2": "--delta",
    f"{FIT} --model forest": "scorecard",
    f"{FIT} --models rule": "--model",
    f"{FIT} --model rule --class points()": "--class or --model",
    f"{FIT} --class points": "Name it with --x",
    f"{FIT} --class rules(max_literals=2)": "--schema",
    f"{FIT} --class auto": "decision_trees",
    f"{FIT} --class desicion_trees(depth=2) --schema schema.toml": "decision_trees",
    f"{FIT} --schema nowhere.toml": "could not be read",
    f"{FIT} --schema data.csv": "schema",
    f"{FIT} --schema schema.toml --x agee": "agee",
    f"{FIT} --schema schema.toml --out nowhere/m.json": "create it first",
    f"{FIT} --schema schema.toml --out data.csv": "a file that is not read",
    f"{FIT} --schema schema.toml --ledger nowhere.db": "Create the budget ledger first",
    f"{FIT} --schema schema.toml --evaluate 2": "--evaluate",
    f"{FIT} --schema schema.toml --evaluate 0.1 --no-evaluate": "not both",
    f"{FIT} --schema schema.toml --holdout 2": "--holdout",
    f"{FIT} --schema schema.toml --labels a": "2 to 100 labels",
    f"{FIT} --schema schema.toml --labels a,b --positive a": "not both",
    f"{FIT} --schema schema.toml --negative no": "--strict",
    f"{FIT} --schema schema.toml --model rule --user person": "for example 16",
    f"{FIT} --schema schema.toml --model boosted --user person --samples-per-user 2": "rule",
    f"{FIT} --schema schema.toml --seed -1": "--seed",
    f"{FIT} --csv sep=;,sepp=2": "sep",
    f"{FIT} --bounds age=0:9,age=0:8": "once for each column",
    f"{FIT} --seed many": "littlestone fit --help",
    f"{FIT} --schema unsorted.toml": "'bins' parameter of column 'age'",
    f"{FIT} --schema schema.toml --holdout 20%": "5% is 0.05",
    f"{FIT} --target quantity --high -5": "'--low' option of fit must be below",
    f"{FIT} --schema schema.toml --class scorecard --user adult": "two roles",
    "fit data.csv --time age --event age --epsilon 1 --periods 9": "two columns",
    "fit dates.parquet --y day --target quantity --high 9 --epsilon 1": "a column of numbers",
    "score model.json empty.csv --epsilon 1": "has no rows",
    "predict": "model.json",
    "predict nowhere.json data.csv": "could not be read",
    "predict data.csv data.csv": "model",
    "predict model.json data.csv --out p.xlsx": "a CSV or Parquet file",
    "report nowhere.json --out p.html": "could not be read",
    "export nowhere.json --to json --table t": "left out, or --to sql",
    "export nowhere.json --to json --dialect sqlite": "left out, or --to sql",
    "export changed.json": "write it again with",
    "export nowhere.json": "could not be read",
    "score nowhere.json data.csv --epsilon 1": "could not be read",
    "plan --class scorecard --schema schema.toml --epsilon 1 --alpha 0.1 --beta 0.05": "holdout",
    "ledger create b.db": "--epsilon",
    "ledger show data.csv": "If it is a budget ledger",
    "schema new nowhere.csv": "nowhere.csv",
    "schema propose data.csv --epsilon 1 --kinds age --out s.toml": "of the form age=whole",
    "schema propose data.csv --epsilon 1 --out s.toml": "--header-is-public",
    f"{LINE} --samples-per-user 0 --user person": "'--samples-per-user' option",
    f"{LINE} --strict": "without --strict",
    f"{WRONG_STREAM} --x height": "The file 'data.csv' given to stream has no column 'height'",
    f"{WRONG_STREAM} --x age --user person --records-per-user 0": "'--records-per-user' option",
    "check data.csv --schema schema.toml --y adult --epsilon 1 --labels yes,yes": "different "
    "labels, separated by commas",
    f"plan --class boosted_trees(depth=2) --epsilon 1 {PLAN}": "10,000 or 100,000 records, "
    "the error rate is certified to be at most about",
    f"plan --class scorecard --solve epsilon --n 9 {PLAN}": "have no error bound before data",
    f"{TREES} boosted_trees(depth=2) --costs 0=1,1=5": "'--costs' option",
    f"{TREES} decision_trees(depth=5)": "parameter of decision_trees must be 1, 2, 3 or 4",
    f"{TREES} rules --labels 1": "'--labels' option of fit must be 2 to 100 labels",
    f"{TREES} rules --labels 1,1.0": "that differ as cells",
    f"{TREES} rules --learner vc1": "'--delta' option of fit",
    "schema new latin.csv --header-is-public": '--csv "encoding=latin-1"',
    "schema new nothing.csv": "a file that exists",
    "fit table.txt --y adult --x age --class points(1,9) --epsilon 1": '--csv "sep=;"',
}


@pytest.fixture
def odd(folder):
    """Files that a careless user may name."""
    schema = ls.Schema.from_dict({"age": {"bins": [18]}})
    card = ls.Scorecard(schema, epsilon=1, rounds=1, random_state=0)
    model = card.fit(ROWS, "adult").release_.to_dict()
    (folder / "unsorted.toml").write_text("[age]\nbins = [3, 1]\n")
    (folder / "empty.csv").write_text("age,city,adult\n")
    pq.write_table(pa.table({"day": pa.array([1], pa.date32())}), "dates.parquet")
    (folder / "model.json").write_text(json.dumps(model))
    (folder / "changed.json").write_text(json.dumps(model | {"hypothesis": None}))
    (folder / "latin.csv").write_bytes("größe,y\n1,1\n".encode("latin-1"))
    (folder / "table.txt").write_text("age;adult\n1;1\n")


@pytest.mark.usefixtures("odd")
def test_the_refusal_teaches(run, folder):
    before = sorted(folder.iterdir())
    for line, words in CALLS.items():
        done = run(line)
        assert done.code in (2, 3), (line, done)
        assert words in done.err, (line, done.err)
        assert not any(word in done.out + done.err for word in PYTHON), (line, done.err)
        assert sorted(folder.iterdir()) == before, line


def test_no_command_is_a_question(run):
    done = run("")
    assert done.code == 0
    assert "--help" in done.out
