"""A small builder of SVG: elements, escaping, and estimated widths of text.

No dependency and no layout engine: a drawing is a tree of `Element`. All text and all attribute
values are escaped here, and characters that XML forbids are replaced, so a column name or a
category may hold anything.
"""

from __future__ import annotations

import unicodedata
import zlib
from collections.abc import Iterator

Value = str | int | float

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})

# Colours by role; a reader's light or dark setting chooses. Printing is always light.
_LIGHT = "--ls-ink:#1c2733;--ls-dim:#566473;--ls-line:#8b98a6;--ls-zero:#e7ebf0;--ls-one:#0b6e99;"
_LIGHT += "--ls-one-ink:#ffffff;--ls-chip:#e6f1f6;--ls-edge:#9dc3d6;"
_DARK = "--ls-ink:#e8edf2;--ls-dim:#a3b1bf;--ls-line:#6d7b89;--ls-zero:#2a343f;--ls-one:#5bb8dc;"
_DARK += "--ls-one-ink:#0c1a22;--ls-chip:#17323f;--ls-edge:#3d7088;"

STYLE = (
    f".ls-svg{{{_LIGHT}font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,"
    "sans-serif;font-size:14px;max-width:100%;height:auto}"
    f"@media (prefers-color-scheme:dark){{.ls-svg{{{_DARK}}}}}"
    f"@media print{{.ls-svg{{{_LIGHT}}}}}"
    ".ls-svg text{fill:var(--ls-ink)}"
    ".ls-svg .ls-dim{fill:var(--ls-dim)}"
    ".ls-svg .ls-strong{font-weight:600}"
    ".ls-svg .ls-small{font-size:12px}"
    ".ls-svg .ls-axis{stroke:var(--ls-line);stroke-width:1.5;fill:none}"
    ".ls-svg .ls-curve{stroke:var(--ls-one);stroke-width:2;fill:none}"
    ".ls-svg .ls-grid{stroke:var(--ls-zero);stroke-width:1;fill:none}"
    ".ls-svg .ls-zero{fill:var(--ls-zero)}"
    ".ls-svg .ls-one{fill:var(--ls-one)}"
    ".ls-svg .ls-on-one{fill:var(--ls-one-ink)}"
    ".ls-svg .ls-chip{fill:var(--ls-chip);stroke:var(--ls-edge);stroke-width:1}"
)


class Element:
    """One SVG element: a tag, attributes, and children (elements or text).

    Attribute names are written as Python names: ``stroke_width`` becomes ``stroke-width`` and
    ``class_`` becomes ``class``. Numbers are written with at most two decimals.

    Examples
    --------
    >>> g = Element("g")
    >>> _ = g.add("text", "a < b", x=1.5, class_="note")
    >>> print(g)
    <g><text x="1.5" class="note">a &lt; b</text></g>
    """

    def __init__(self, tag: str, *children: Element | str, **attributes: Value) -> None:
        self.tag = tag
        self.children: list[Element | str] = list(children)
        self.attributes = attributes

    def add(self, tag: str, *children: Element | str, **attributes: Value) -> Element:
        """Append a child element and return it."""
        child = Element(tag, *children, **attributes)
        self.children.append(child)
        return child

    def __str__(self) -> str:
        return "".join(self._parts())

    def _parts(self) -> Iterator[str]:
        yield f"<{self.tag}"
        for name, value in self.attributes.items():
            yield f' {name.rstrip("_").replace("_", "-")}="{escape(_number(value))}"'
        if not self.children:
            yield "/>"
            return
        yield ">"
        for child in self.children:
            if isinstance(child, Element):
                yield from child._parts()
            else:
                yield escape(child)
        yield f"</{self.tag}>"


def escape(text: str) -> str:
    """Return text that is safe as XML content and as an attribute value.

    Examples
    --------
    >>> escape("</text>") == "&lt;/text&gt;"
    True
    """
    return "".join(c if _allowed(c) else "\N{REPLACEMENT CHARACTER}" for c in text).translate(
        _ESCAPES
    )


def picture(body: Element, *, width: float, height: float, title: str, desc: str) -> str:
    """Return a self-contained SVG with alternative text, light and dark."""
    drawn = str(body)
    # Identifiers must differ between the pictures of one page, and be functions of them.
    key = f"{zlib.crc32((title + desc + drawn).encode('utf-8', 'replace')):08x}"
    svg = Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        class_="ls-svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        role="img",
        **{"aria-labelledby": f"t{key} d{key}"},
    )
    svg.add("title", title, id=f"t{key}")
    svg.add("desc", desc, id=f"d{key}")
    head, tail = str(svg).rsplit("</svg>", 1)
    return f"{head}<style>{STYLE}</style>{drawn}</svg>{tail}"  # STYLE is ours: never escaped


def text_width(text: str, size: float = 14, *, bold: bool = False) -> float:
    """Return an estimate, on the high side, of the width of text in a sans-serif font."""
    return size * (1.12 if bold else 1.0) * sum(_width(c) for c in text)


def wrap(text: str, width: float, size: float = 14) -> list[str]:
    """Break text into lines that fit; a word that is too long is broken where it must be."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if text_width(longer, size) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        line = ""
        for c in word:
            if line and text_width(line + c, size) > width:
                lines.append(line)
                line = ""
            line += c
    return [*lines, line] if line or not lines else lines


def _number(value: Value) -> str:
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)


def _allowed(c: str) -> bool:
    return c in "\t\n\r" or (
        c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\x7f\ufffe\uffff"
    )


def _width(c: str) -> float:
    """Return the width of a character in a wide sans-serif font, as a share of its size."""
    if unicodedata.east_asian_width(c) in "WF":
        return 1.05
    if c in "iljtfrI.,:;|!'()[] ":
        return 0.42
    if c in "mwMW@%—…≈":
        return 1.0
    return 0.8 if c.isupper() or c in "+-=<>≤≥~_" else 0.65
