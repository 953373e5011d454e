"""Put one bug into one module of this library, in a process of its own, and see who notices.

A control is a *text* change: the line that is there, and the line that somebody might have written.
The module is compiled from the changed text when it is first imported, everything else is the
library as it is. The catcher then does what it always does.

This file runs as a script (`python injection.py WORKERS SECONDS`). It imports what the library
stands on, but nothing of the library; then it forks for each line of its input, a JSON list
``[module, old, new, catcher, ...]``. The child imports the library with the bug in it. For each
line there is an answer, a JSON list ``[number of the line, verdict, who, why]``.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import IO, Literal

__all__ = ["Answer", "Verdict", "try_change", "try_changes"]

Verdict = Literal["holds", "caught", "broken"]
#: Verdict, the catcher that noticed, what it saw.
Answer = tuple[Verdict, str, str]

#: What the library stands on: imported once, before the forks.
_GROUND = (
    "numpy",
    "flint",
    "scipy.special",
    "sklearn.base",
    "sklearn.utils.multiclass",
    "sklearn.utils.validation",
    "pandas",
    "pyarrow.compute",
    "pyarrow.csv",
    "duckdb",
    "narwhals.stable.v2",
    "rich.table",
)


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


def try_change(module: str, old: str, new: str, *catchers: str, seconds: int = 600) -> Answer:
    """Run catchers in a fresh process in which ``old`` is ``new``.

    Parameters
    ----------
    module : str
        Full name of the module to change.
    old, new : str
        ``old`` occurs exactly once. Equal texts change nothing: then the catchers must hold.
    *catchers : str
        Names in `littlestone.audit.controls.catchers`, tried in this order; ``"any"`` is all.
    seconds : int, default 600
        Catchers that need longer count as broken.

    Returns
    -------
    verdict : {"holds", "caught", "broken"}
    who : str
        The catcher that noticed.
    why : str
        What it saw.
    """
    ((_, answer),) = try_changes([(module, old, new, *catchers)], seconds=seconds)
    return answer


def try_changes(
    jobs: Iterable[tuple[str, ...]], *, workers: int = 1, seconds: int = 600
) -> Iterator[tuple[int, Answer]]:
    """Try many changes, each in a process of its own; yield (number of the job, answer).

    Parameters
    ----------
    jobs : iterable of (module, old, new, catcher, ...)
        As for `try_change`.
    workers : int, default 1
        Processes at a time.
    seconds : int, default 600
        For each of them.
    """
    jobs = list(jobs)
    waiting = set(range(len(jobs)))
    command = [sys.executable, "-P", __file__, str(workers), str(seconds)]
    with subprocess.Popen(  # noqa: S603 - this file, with our own catalogue as input
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=_environment()
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(json.dumps(job) + "\n" for job in jobs))
        server.stdin.close()
        for line in server.stdout:
            number, verdict, who, why = json.loads(line)
            waiting.discard(number)
            yield number, (verdict, who, why)
    for number in sorted(waiting):
        yield number, ("broken", "", "no answer")


def _environment() -> dict[str, str]:
    # one thread each: threads do not survive a fork, and the processes share the cores
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def _answer(module: str, old: str, new: str, *names: str) -> Answer:
    """Import the library with the change, and run the catchers."""
    if old != new:
        sys.meta_path.insert(0, _Finder(module, old, new))
    try:
        importlib.import_module(module)
        catchers = importlib.import_module("littlestone.audit.controls.catchers")
    except Exception as problem:
        return "broken", "", f"{type(problem).__name__}: {problem}"
    failed: Answer = ("holds", "", "")
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


def _serve(workers: int, seconds: int, jobs: list[list[str]], out: IO[str]) -> None:
    """Fork for each job, so many at a time; write the answers as they come."""
    for name in _GROUND:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    running: dict[int, tuple[int, int]] = {}

    def collect() -> None:
        child, status = os.wait()
        number, pipe = running.pop(child)
        with os.fdopen(pipe, encoding="utf-8") as written:
            text = written.read()
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        answer = json.loads(text) if text else ["broken", "", "too late" if late else "died"]
        out.write(json.dumps([number, *answer]) + "\n")
        out.flush()

    for number, job in enumerate(jobs):
        while len(running) >= workers:
            collect()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            signal.alarm(seconds)  # its default is to end the process
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):  # what a bug prints is no answer
                os.dup2(nowhere, stream)
            verdict, who, why = _answer(*job)
            os.write(writing, json.dumps([verdict, who, why[:2000]]).encode())
            os._exit(0)
        os.close(writing)
        running[child] = number, reading
    while running:
        collect()


if __name__ == "__main__":
    _serve(int(sys.argv[1]), int(sys.argv[2]), [json.loads(line) for line in sys.stdin], sys.stdout)
