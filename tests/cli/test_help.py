"""What ``--help`` says of every option of every command: a sentence, its default, its cost."""

import io
import re
from functools import cache

from rich.console import Console

from littlestone.cli.main import app
from littlestone.cli.terminal import COMMON, Help

#: Commands that draw from records, beside those that compute, check or run public rows.
SPEND = ("fit", "check", "score", "compare", "stream", "schema propose")


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


def options(command):
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
    return [(command, *each) for command, _ in commands() for each in options(command)]


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
