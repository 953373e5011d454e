"""What a command says on the terminal: text on standard output, progress on standard error."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

#: Every control character but the line break, and those that turn the direction of writing.
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def facts(rows: Sequence[tuple[str, str, str]]) -> None:
    """Print named lines; each row is (name, text, style)."""
    console = _console()
    width = max(len(_visible(name)) for name, _, _ in rows)
    for name, text, style in rows:
        shown = (f"{_visible(name):<{width}}  ", "bold"), (_visible(text), style)
        line = Text.assemble(*shown)
        console.print(_hanging(console, line, width + 2) if console.is_terminal else line)


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
    lines = (line.rstrip() for line in printed.get().splitlines())
    console.out("\n".join([title, *lines]), highlight=False)


def note(text: str) -> None:
    """Print a line of plain text."""
    _console().print(Text(_visible(text)))


def caution(lines: Sequence[str]) -> None:
    """Print lines on standard error: what a caller is warned of before anything is drawn."""
    for line in lines:
        print(f"littlestone: {_visible(line)}", file=sys.stderr)


@contextmanager
def progress_of(what: str) -> Iterator[None]:
    """Show on standard error, if it is a terminal, that work continues: no totals, no times."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(Text(what)):
        yield


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Show that a table is read, and the share of its rows where their number is public."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    from littlestone.data.arrow import watched

    status = console.status(Text(what))
    with status, watched(lambda share: status.update(Text(f"{what}: {share:.0%}"))):
        yield


@contextmanager
def telling(what: str, always: bool) -> Iterator[Callable[[str], None]]:
    """Show what is known so far on standard error: on a terminal, or as lines if ``always``."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        yield lambda text: console.out(text, highlight=False) if always else None
        return
    with console.status(Text(what)) as status:
        yield lambda text: status.update(Text(text))


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on standard error, if it is a terminal; for work on public things only."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda done, total: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what)
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


def _hanging(console: Console, line: Text, indent: int) -> Text:
    lines = line.wrap(console, max(console.width - indent, 20))
    return Text(f"\n{' ' * indent}").join(lines)
