"""Black boxes in another interpreter: started once, they answer many runs."""

from __future__ import annotations

import json
import os
import select
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import answer

from littlestone.audit.statistical import Raised
from littlestone.errors import StateError


class Worker:
    """The functions of a script, run by another interpreter (of a virtual environment, say).

    Arguments and outputs are plain values: None, numbers, texts, bytes, lists, dicts, arrays. Lists
    and arrays come back as tuples, other objects as their repr, exceptions as what they are called
    and say. That interpreter need not have littlestone.

    Parameters
    ----------
    python : path
        The interpreter.
    script : path
        A file of Python that defines the functions; it is loaded once.
    arguments : texts
        ``sys.argv[1:]`` of the script.
    seconds : float > 0, default 600
        A run (or the load) that takes longer ends the process; StateError is raised.

    Attributes
    ----------
    versions : dict
        Of everything that is installed there.
    """

    def __init__(
        self, python: str | Path, script: str | Path, *arguments: str, seconds: float = 600
    ) -> None:
        self._seconds, self._unread = seconds, b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the worker
        self._process = subprocess.Popen(
            [str(python), answer.__file__, str(script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self.versions: dict[str, str] = self._line()

    def mechanism(self, name: str) -> Mechanism:
        """Return one function of the script, as a mechanism of one argument."""
        return Mechanism(self, name)

    def call(self, name: str, *arguments: Any, times: int = 1) -> Iterator[Any]:
        """Yield the outputs of a function that is called again and again."""
        pipe = self._process.stdin
        if pipe is None or self._process.poll() is not None:
            raise self._ended("has ended")
        request = [name, [answer.encoded(each) for each in arguments], times]
        pipe.write(json.dumps(request).encode() + b"\n")
        pipe.flush()
        for _ in range(times):
            yield answer.decoded(self._line(), Raised)

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _line(self) -> Any:
        """Return the next line that the other side wrote."""
        assert self._process.stdout is not None
        pipe, limit = self._process.stdout.fileno(), monotonic() + self._seconds
        while b"\n" not in self._unread:
            if not select.select([pipe], [], [], max(limit - monotonic(), 0))[0]:
                raise self._ended(f"did not answer in {self._seconds:g} seconds")
            read = os.read(pipe, 1 << 20)
            if not read:
                raise self._ended("ended")
            self._unread += read
        line, _, self._unread = self._unread.partition(b"\n")
        return json.loads(line)

    def _ended(self, what: str) -> StateError:
        if self._errors.closed:
            return StateError("The worker was closed. Start another one.")
        self._errors.seek(0)
        last = self._errors.read().decode(errors="replace").strip()[-2000:]
        self.close()
        return StateError(f"The worker {what}. The last that it wrote: {last or 'nothing'}")


class Mechanism:
    """One function of a `Worker`."""

    def __init__(self, worker: Worker, name: str) -> None:
        self.worker, self.name = worker, name

    def __call__(self, data: Any) -> Any:
        """Return one output."""
        return next(self.many(data, 1))

    def many(self, data: Any, times: int) -> Iterator[Any]:
        """Yield outputs of one request."""
        return self.worker.call(self.name, data, times=times)
