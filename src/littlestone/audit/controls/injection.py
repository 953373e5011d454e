"""Put one bug into one module of this library, in a process of its own, and see who notices.

A control is a *text* change: the line that is there, and the line that somebody might have written.
The module is compiled from the changed text when it is first imported, everything else is the
library as it is. The catcher then does what it always does.

This file runs as a script (it may import nothing of the library before the bug is in)::

    python injection.py MODULE OLD NEW CATCHER...

and prints one word: ``holds``, ``caught``, or ``broken`` (the change itself does not work); after
``caught`` the catcher's name and what it saw, separated by tabs.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Literal

__all__ = ["Verdict", "try_change"]

Verdict = Literal["holds", "caught", "broken"]


class _Changed(importlib.machinery.SourceFileLoader):
    """Loads a module from its text with ``old`` replaced by ``new``."""

    def __init__(self, name: str, path: str, old: str, new: str) -> None:
        super().__init__(name, path)
        self.old, self.new = old, new

    def get_code(self, fullname: str) -> CodeType:
        """Compile the changed text; never the cached bytecode."""
        text = Path(self.path).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise LookupError(f"{fullname} holds the line to change {text.count(self.old)} times")
        return compile(text.replace(self.old, self.new), self.path, "exec")


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the one module that is changed."""

    def __init__(self, module: str, old: str, new: str) -> None:
        self.module, self.old, self.new = module, old, new

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for the changed module only."""
        if fullname != self.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin is not None:
            spec.loader = _Changed(fullname, spec.origin, self.old, self.new)
        return spec


def try_change(
    module: str, old: str, new: str, *catchers: str, timeout: float = 600
) -> tuple[Verdict, str, str]:
    """Run a catcher in a fresh process in which ``old`` is ``new``.

    Parameters
    ----------
    module : str
        Full name of the module to change.
    old, new : str
        ``old`` occurs exactly once. Equal texts change nothing: then the catcher must hold.
    *catchers : str
        Names in `littlestone.audit.controls.catchers`, tried in this order; ``"any"`` is all.
    timeout : float, default 600
        Seconds; catchers that need longer count as broken.

    Returns
    -------
    verdict : {"holds", "caught", "broken"}
    who : str
        The catcher that noticed.
    why : str
        What it saw.
    """
    command = [sys.executable, "-P", __file__, module, old, new, *catchers]
    try:
        done = subprocess.run(  # noqa: S603 - this file, with our own catalogue as arguments
            command, capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return "broken", "", "no answer in time"
    lines = done.stdout.splitlines()
    word, who, why = (*(lines[-1] if lines else "").split("\t", 2), "", "")[:3]
    for verdict in ("holds", "caught", "broken"):
        if word == verdict:
            return verdict, who, why
    return "broken", "", (done.stderr.strip().splitlines() or ["no answer"])[-1]


def _main(module: str, old: str, new: str, *names: str) -> tuple[str, str, str]:
    if old != new:
        sys.meta_path.insert(0, _Finder(module, old, new))
    try:
        importlib.import_module(module)
        catchers = importlib.import_module("littlestone.audit.controls.catchers")
    except Exception as problem:
        return "broken", "", f"{type(problem).__name__}: {problem}"
    failed: tuple[str, str, str] = ("holds", "", "")
    for name in catchers.BATTERY if names == ("any",) else names:
        try:
            seen = catchers.CATCHERS[name]()
        except catchers.NOTICED as noticed:
            seen = f"{type(noticed).__name__}: {noticed}"
        except Exception as other:
            failed = "broken", name, f"{type(other).__name__}: {other}"
            continue
        if seen is not None:
            return "caught", name, seen
    return failed


if __name__ == "__main__":
    answer = "\t".join(part.replace("\n", " ") for part in _main(*sys.argv[1:]))
    sys.__stdout__.write(answer + "\n")  # type: ignore[union-attr]
