"""How an object is shown: named lines of text, and the same as HTML for notebooks.

The HTML is a fragment without scripts, style sheets, links or images, so that the sandbox of
JupyterLab shows all of it; every text is escaped. Both are functions of the same lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

_LONGEST = 600  # characters of one line
_CELL = 'style="text-align:left;vertical-align:top;padding:2px 12px 2px 0"'
_WARNING = "NOT PRIVATE"  # as `littlestone.privacy.guarantee.NOT_PRIVATE` begins


@dataclass(frozen=True)
class Table:
    """A table below the lines, folded away until it is opened if it has a ``summary``."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    summary: str = ""

    def html(self) -> str:
        """Return it as HTML."""
        head = "".join(f"<th {_CELL}>{_shown(name)}</th>" for name in self.columns)
        rows = [
            "".join(f"<td {_CELL}>{_shown(cell)}</td>" for cell in map(clipped, row))
            for row in self.rows
        ]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        if not self.summary:
            return table
        return f"<details><summary>{_shown(self.summary)}</summary>{table}</details>"


class Card:
    """What is shown of an object: a title, and lines with names.

    A line without a name continues with the one before; ``table`` is for HTML only.

    Examples
    --------
    >>> card = Card("agnostic on thresholds(1, 99)", [("Rule", "x > 46"), ("Error", "about 5%")])
    >>> print(card.text())
    agnostic on thresholds(1, 99)
      Rule   x > 46
      Error  about 5%
    >>> "<b>x</b>" in Card("<b>x</b>", []).html()
    False
    """

    def __init__(
        self, title: str, lines: Iterable[tuple[str, str]], table: Table | None = None
    ) -> None:
        self.title, self.table = title, table
        self.lines = [(name, clipped(text)) for name, text in lines]

    def text(self) -> str:
        """Return it as plain text; a text of several lines is indented."""
        width = max((len(name) for name, _ in self.lines), default=0)
        rows = [
            f"  {name:<{width}}  " + text.replace("\n", "\n" + " " * (width + 4))
            for name, text in self.lines
        ]
        return "\n".join([self.title, *map(str.rstrip, rows)])

    def html(self) -> str:
        """Return it as an HTML fragment."""
        rows = "".join(
            f'<tr><th scope="row" {_CELL}>{_shown(name)}</th><td {_CELL}>{_shown(text)}</td></tr>'
            for name, text in self.lines
        )
        table = "" if self.table is None else self.table.html()
        lines = f"<table><tbody>{rows}</tbody></table>" if rows else ""
        return f"<div><p><strong>{_shown(self.title)}</strong></p>{lines}{table}</div>"


def clipped(text: str) -> str:
    """Return a text of bounded length."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _shown(text: str) -> str:
    """Escape a text; line breaks stay, and what is not private is marked."""
    marked = f'<strong style="color:#d1242f">{_WARNING}</strong>'
    return escape(text).replace("\n", "<br>").replace(_WARNING, marked)


def rows_of(rows: Iterable[Sequence[object]]) -> tuple[tuple[str, ...], ...]:
    """Return rows of a table as texts."""
    return tuple(tuple(map(str, row)) for row in rows)
