"""What ``--help`` prints: options in groups, the common ones first, all of them by ``--help-all``.

The groups are one table here, not a mark at each option: commands share options, and learners
declare some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

ALL = "--help-all"

#: The groups, in their order, and the options of each; commands share names and their meaning.
GROUPS = {
    "Data": """
        y schema x user labels positive negative strict target low high time event event-is periods
        samples-per-user records-per-user bounds public bins shift public-points csv
        header-is-public subsample columns kinds digits like records horizon resume follow key data
        points n unit outside pairs places copies weights
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
#: Of commands with many options, what ``--help`` shows.
COMMON = {
    "fit": "y schema epsilon delta model user holdout ledger out report",
    "plan": "class schema epsilon delta alpha beta samples-per-user solve n report",
    "stream": "y x class epsilon delta horizon user state resume out",
    "rehearse": "y schema records epsilon delta aim chance runs report out",
}
#: What holds where an option of ``fit`` is left out, if its own text does not say so.
DEFAULTS = {
    "y": "required, but for --time",
    "schema": "columns are learned",
    "user": "neighbours differ in one record",
    "labels": "0 and 1",
    "target": "a label",
    "quantile": "the mean",
    "subsample": "all records",
    "costs": "1 each",
    "delta": "0: pure privacy",
    "ledger": "no budget is kept",
    "seed": "entropy of the system",
    "holdout": "a public rule",
    "interval": "none",
    "out": "no file",
    "report": "no page",
    "record": "no file",
}
#: What an option of ``fit`` costs; others cost no epsilon.
COSTS = {
    "schema": "none; without it or --public, columns are learned for a part",
    "epsilon": "the total, from which all else is paid",
    "ledger": "what the release spends is charged",
    "inference": "half of the privacy of the fit",
    "evaluate": "its amount, taken from --epsilon",
    "holdout": "none: held-out records pay for the evaluation only",
    "interval": "what --evaluate leaves, paid by held-out records",
    "by": "none beside the evaluation",
}


def _name(entry: Any) -> str:
    return entry.names[0].removeprefix("--") if entry.names else ""


class Help:
    """Print ``--help`` of a command: lines of docstrings break at the terminal's end."""

    def __init__(self) -> None:
        self.command, self.everything = "", False

    def read(self, tokens: Sequence[str]) -> list[str]:
        """Return the tokens with ``--help`` in the place of ``--help-all``, and remember both."""
        self.command, self.everything = tokens[0] if tokens else "", ALL in tokens
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
        """Put a description on one line, and add what is not typed in the code."""
        from rich.text import Text

        text = getattr(entry.description, "primary_renderable", None)
        if not isinstance(text, Text):
            return
        words = [" ".join(text.plain.split())]
        if self.command == "fit":
            for title, table in (("default", DEFAULTS), ("epsilon", COSTS)):
                if said := table.get(_name(entry)):
                    words.append(f"[{title}: {said}]")
        entry.description.primary_renderable = Text(" ".join(words))

    def __call__(self, console: Any, options: Any, panel: Any) -> None:
        """Print a panel."""
        from cyclopts.help import DefaultFormatter

        for each in self.shown(panel):
            DefaultFormatter()(console, options, each)

    def render_usage(self, console: Any, options: Any, usage: Any) -> None:
        """Print the first line."""
        from cyclopts.help import DefaultFormatter

        DefaultFormatter().render_usage(console, options, usage)
