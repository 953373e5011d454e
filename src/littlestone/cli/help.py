"""What ``--help`` prints: options in groups, the common ones first, all of them by ``--help-all``.

The groups are one table here, not a mark at each option: commands share options, and learners
declare some.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

ALL = "--help-all"

#: The groups, in their order, and the options of each; commands share names and their meaning.
GROUPS = {
    "Data": """
        y schema x user labels positive negative strict target low high time event event-is periods
        samples-per-user records-per-user bounds public bins shift public-points csv
        header-is-public subsample columns kinds digits like records horizon resume follow key data
        points n unit outside pairs places copies weights codebook
    """,
    "Model": """
        model class learner set proper method monotonic monotonic-cst inference loss quantile costs
        agnostic alpha beta require-certificate constants adversary solve what-if papers best share
        single third aim chance runs jobs
    """,
    "Privacy": "epsilon delta accounting neighbours ledger purpose fingerprint seed",
    "Evaluation": "evaluate no-evaluate holdout interval by trials confidence subsets",
    "Output": """
        out report record release protocol json proba to dialect table state status export group
        durability quiet witness progress simulate simulation max-nodes max-seconds workers
    """,
}
#: Of commands with more than ten options, what ``--help`` shows.
COMMON = {
    "fit": "y schema epsilon delta model user holdout ledger out report",
    "plan": "class schema epsilon delta alpha beta samples-per-user solve n report",
    "rehearse": "y schema records epsilon delta aim chance runs report out",
    "check": "y schema epsilon delta labels csv header-is-public records ledger json",
    "score": "y epsilon by positive user csv ledger purpose record json",
    "stream": "y x class epsilon delta horizon user state resume out",
    "schema propose": "y epsilon delta columns kinds bounds bins csv ledger out",
    "audit exact": "class learner epsilon delta schema labels points n unit report",
    "audit all-n": "class learner epsilon delta alpha beta schema labels points json",
    "audit replay": "y x class learner epsilon delta schema positive pairs json",
    "audit statistical": "class learner epsilon delta schema points n trials confidence json",
}
#: What holds where an option is left out, if it does not say so itself, and its cost in epsilon;
#: "fit schema" is the --schema of fit, "schema" that of all other commands.
TABLE = Path(__file__).with_name("help.csv")
#: Commands that spend nothing, whatever their options.
_FREE = ("plan", "rehearse")


@cache
def table() -> dict[str, tuple[str, str]]:
    """Return the default and the cost of options, by command and name."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["option"]: (row["default"], row["epsilon"]) for row in csv.DictReader(file)}


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
        from rich.text import Text

        text = getattr(entry.description, "primary_renderable", None)
        if not isinstance(text, Text):
            return
        words = [" ".join(text.plain.split())]
        name = _name(entry)
        if default := self.default_of(entry, words[0]):
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
        free = self.command in _FREE and name != "epsilon"
        return "" if free else self._row(name)[1]

    def _row(self, name: str) -> tuple[str, str]:
        rows = table()
        return rows.get(f"{self.command} {name}", rows.get(name, ("", "")))

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        """Print a panel."""
        from cyclopts.help import DefaultFormatter

        for each in self.shown(panel):
            DefaultFormatter()(console, options, each)

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        """Print the first line."""
        from cyclopts.help import DefaultFormatter

        DefaultFormatter().render_usage(console, options, usage)
