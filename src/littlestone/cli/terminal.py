"""What a command says on the terminal: text on standard output, progress on standard error."""

from __future__ import annotations

import csv
import json as jsonlib
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress
from rich.table import Table
from rich.text import Text

#: Every control character but the line break, and those that turn the direction of writing.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def facts(rows: Sequence[tuple[str, ...]]) -> None:
    """Print named lines; each row is (name, text) or (name, text, style)."""
    console = _console()
    width = max((len(_visible(row[0])) for row in rows), default=0)
    for name, text, *style in rows:
        shown = (f"{_visible(name):<{width}}  ", "bold"), (_visible(text), "".join(style))
        line = Text.assemble(*shown)
        if console.is_terminal:  # lines hang below their text
            wrapped = line.wrap(console, max(console.width - width - 2, 20))
            line = Text(f"\n{' ' * (width + 2)}").join(wrapped)
        console.print(line)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table below its title; cells are plain text, never markup."""
    console = _console()
    grid = Table(show_edge=False, pad_edge=False)
    for name in columns:
        grid.add_column(Text(_visible(name)), overflow="fold")
    for row in rows:
        grid.add_row(*(Text(_visible(cell)) for cell in row))
    if console.is_terminal:
        console.print(Text(title, style="table.title"))
        console.print(grid)
        return
    with console.capture() as printed:
        console.print(grid)
    # Cells are filled up to the width of their column: nothing for a file.
    console.out(title, *map(str.rstrip, printed.get().splitlines()), sep="\n", highlight=False)


def printed(document: Any, *, json: bool) -> bool:
    """Print one JSON object, if that is asked for."""
    if json:
        shown = document if isinstance(document, dict) else document.to_dict()
        print(jsonlib.dumps(shown, sort_keys=True))
    return json


def note(text: str) -> None:
    """Print a line of plain text."""
    _console().print(Text(_visible(text)))


def caution(lines: Sequence[str]) -> None:
    """Print lines on standard error: what a caller is warned of before anything is drawn."""
    for line in lines:
        print(f"littlestone: {_visible(line)}", file=sys.stderr)


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Show that a table is read, and the share of its rows where their number is public."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    from littlestone.data.containers import watched

    status = console.status(Text(what))
    with status, watched(lambda share: status.update(Text(f"{what}: {share:.0%}"))):
        yield


@contextmanager
def progress_of(what: str) -> Iterator[None]:
    """Show on standard error, if it is a terminal, that work continues: no totals, no times."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    with console.status(Text(what)) if console.is_terminal else nullcontext():
        yield


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on standard error, or elsewhere a line every 30 s; for public things only."""
    console = Console(stderr=True)
    if not console.is_terminal:
        said = [monotonic()]

        def each(done: int, total: int) -> None:
            if monotonic() - said[0] >= 30:
                said[0] = monotonic()
                caution([f"{what}: {done:,} runs are done."])

        yield each
        return
    with Progress(what, BarColumn(), MofNCompleteColumn(), console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _visible(text: str) -> str:
    """Write control characters, which a label or a name may hold, as escapes."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def _console() -> Console:
    # Made anew for each use: standard output may have been redirected since.
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console = Console(highlight=False, markup=False, emoji=False, width=10_000, no_color=True)
    return console


# -- What ``--help`` prints: options in groups, the common ones first, all of them by ``--help-
# all``.
#
# The groups are one table here, not a mark at each option: commands share options, and learners
# declare some.


ALL = "--help-all"

#: The groups, in their order, and the options of each; commands share names and their meaning.
GROUPS = {
    "Data": """
        y schema x user labels positive negative strict target low high time event event-is periods
        samples-per-user records-per-user bounds public bins shift public-points csv
        header-is-public columns kinds digits like records horizon resume follow key data
        points n outside pairs places copies weights codebook
    """,
    "Model": """
        model class learner set method monotonic monotonic-cst inference loss quantile costs
        agnostic alpha beta require-certificate constants adversary solve best share
        single third aim chance runs jobs
    """,
    "Privacy": "epsilon delta accounting neighbours ledger purpose fingerprint seed",
    "Evaluation": "evaluate no-evaluate holdout interval by trials confidence subsets",
    "Output": """
        out report record release protocol json proba to dialect table state status export group
        durability quiet witness simulate simulation max-nodes max-datasets workers
    """,
}
#: Of commands with more than ten options, what ``--help`` shows.
COMMON = {
    "fit": "y schema epsilon delta model user holdout ledger out report",
    "plan": "class schema epsilon delta alpha beta samples-per-user solve n report",
    "rehearse": "y schema records epsilon delta aim chance runs report out",
    "check": "y schema epsilon delta labels positive csv header-is-public ledger json",
    "score": "y epsilon by positive user csv ledger purpose record json",
    "stream": "y x class epsilon delta horizon user state resume out",
    "schema propose": "y epsilon delta columns kinds bounds bins csv ledger out",
    "audit exact": "class learner epsilon delta schema labels points n max-datasets json",
    "audit all-n": "class learner epsilon delta alpha beta schema labels points json",
    "audit replay": "data y x class learner epsilon delta schema positive pairs",
}
#: What holds where an option is left out, if it does not say so itself, and its cost in epsilon;
#: "fit schema" is the --schema of fit, "schema" that of all other commands.
TABLE = Path(__file__).with_name("help.csv")
#: Commands that spend nothing, whatever their options.
_FREE = ("plan", "rehearse")


@cache
def options_table() -> dict[str, tuple[str, str]]:
    """Return the default and the cost of options, by command and name."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["option"]: (row["default"], row["epsilon"]) for row in csv.DictReader(file)}


_NO_DEFAULT = ("help", "help-all", "version")


def _name(entry: Any) -> str:
    return entry.names[0].removeprefix("--") if entry.names else ""


class Help:
    """Print ``--help`` of a command: lines of docstrings break at the terminal's end."""

    def __init__(self) -> None:
        self.command, self.everything = "", False

    def read(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens with ``--help`` in the place of ``--help-all``, and remember both."""
        words = 2 if tokens and tokens[0] in ("audit", "ledger", "schema") else 1
        self.command, self.everything = " ".join(tokens[:words]), ALL in tokens
        return ["--help" if token == ALL else token for token in tokens]

    def groups(self, panel: Any) -> list[Any]:
        """Return a panel for each group of options; any other panel as it is."""
        for entry in panel.entries:
            self._complete(entry)
        if panel.format != "parameter" or not all(map(_name, panel.entries)):
            return [panel]
        left, found = list(panel.entries), []
        for title, names in GROUPS.items():
            order = names.split()
            here = [entry for entry in left if _name(entry) in order]
            left = [entry for entry in left if entry not in here]
            found.append((title, sorted(here, key=lambda entry: order.index(_name(entry)))))
        found.append(("Other", left))
        return [panel.copy(title=title, entries=here) for title, here in found if here]

    def shown(self, panel: Any) -> list[Any]:
        """Return the panels that are printed: of a long command without ``--help-all`` one."""
        panels, common = self.groups(panel), COMMON.get(self.command, "").split()
        if self.everything or not common or panels == [panel]:
            return panels
        entries = [entry for each in panels for entry in each.entries]
        first = sorted(
            (entry for entry in entries if _name(entry) in common),
            key=lambda entry: common.index(_name(entry)),
        )
        more = len(entries) - len(first)
        words = f"Common options ({more} more: littlestone {self.command} {ALL})"
        return [panel.copy(title=words, entries=first)]

    def _complete(self, entry: Any) -> None:
        """Put a description on one line; add its default, if it says none, and its cost."""
        text = getattr(entry.description, "primary_renderable", None)
        if not isinstance(text, Text):
            return
        words = [" ".join(text.plain.split())]
        name = _name(entry)
        if not entry.names or not entry.names[0].startswith("--") or name in _NO_DEFAULT:
            entry.description.primary_renderable = Text(words[0])  # a command, or an action
            return
        if (default := self.default_of(entry, words[0])) == "required":
            entry.required = True  # it says so, and has a star
        elif default:
            words.append(f"[{default}]" if "required" in default else f"[default: {default}]")
        if cost := self.cost_of(name):
            words.append(f"[epsilon: {cost}]")
        entry.description.primary_renderable = Text(" ".join(words))

    def default_of(self, entry: Any, words: str) -> str:
        """Return what holds where an option is left out; nothing if that is said already."""
        said = re.search(r"\b[Dd]efault\b|Required", words)
        if not _name(entry) or entry.required or entry.default not in (None, "None", "") or said:
            return ""
        flag = entry.metavar is None and not entry.choices
        return "off" if flag else self._row(_name(entry))[0]

    def cost_of(self, name: str) -> str:
        """Return what an option of this command costs."""
        return "" if self.command in _FREE and name != "epsilon" else self._row(name)[1]

    def _row(self, name: str) -> tuple[str, str]:
        rows = options_table()
        return rows.get(f"{self.command} {name}", rows.get(name, ("", "")))

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        """Print a panel."""
        from cyclopts.help import DefaultFormatter

        for each in self.shown(panel):
            DefaultFormatter()(console, options, each)

    def render_description(self, console: Any, options: Any, description: Any) -> None:
        """Print what a command does, paragraph by paragraph."""
        from cyclopts.help import DefaultFormatter

        text = getattr(description, "primary_renderable", None)
        if isinstance(text, Text):
            paragraphs = (" ".join(part.split()) for part in text.plain.split("\n\n"))
            description = Text("\n\n".join(filter(None, paragraphs)) + "\n")
        DefaultFormatter().render_description(console, options, description)

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        """Print the first line, with what is required by the table of options, too."""
        from cyclopts.help import DefaultFormatter

        for name in COMMON.get(self.command, "").split():
            option = f"--{name} STR "
            if self._row(name)[0] == "required" and option not in usage.plain:
                usage = Text(usage.plain.replace("[OPTIONS]", f"{option}[OPTIONS]", 1))
        DefaultFormatter().render_usage(console, options, usage)
