"""Options are declared once: those of learners in their fields, shared ones in one class each."""

import contextlib
import io
import re
from dataclasses import dataclass

import pytest

from littlestone.cli import options
from littlestone.cli.main import app, main
from littlestone.cli.terminal import GROUPS
from littlestone.learners import base as declare
from littlestone.learners.registry import registry


def helped(*command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        assert main([*command, "--help-all"]) == 0
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text.getvalue()).split())


def test_a_declared_option_needs_no_other_line(monkeypatch):
    @dataclass(frozen=True, kw_only=True)
    class Trial(registry["generic"]):
        name = "trial"
        tries: str = declare.declared(
            declare.one_of("few", "many"), "Text.", default="few", option="How often"
        )

    monkeypatch.setitem(registry, "trial", Trial)
    made = options.learner_options()
    assert made() == made(proper=False, tries=None)
    made_app = type(app)(help_format="plaintext")
    given = []
    made_app.default(lambda *, own=None: given.append(own))
    made_app.default_command.__annotations__["own"] = made
    made_app(["--tries", "many"], exit_on_error=False, result_action="return_value")
    assert given[0].tries == "many"
    words = made.__annotations__["tries"].__metadata__[0].help
    assert words == "How often (--learner trial)."


def test_options_of_learners_are_those_of_fit(monkeypatch):
    text = helped("fit", monkeypatch=monkeypatch)
    assert "--proper Release a concept of the class, not only" in text
    assert "(--learner vc1 or littlestone)." in text


@pytest.mark.parametrize(
    "command",
    ["fit", "check", "score", "compare", "stream", "schema propose"],
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
    for words in ("rules and trees of depth 2 and 3 need", "[choices: ep"):
        assert words in text
