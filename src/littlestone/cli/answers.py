"""Where ``littlestone stream`` writes its answers, and what it says meanwhile."""

from __future__ import annotations

import os
import stat
import sys
from typing import IO, TYPE_CHECKING

from littlestone.errors import ParameterError, parameter_error

if TYPE_CHECKING:
    from littlestone.learners.online.journal import DurableStream


_HEADER = "t,prediction\n"
_LONGEST = 64  # bytes of a line of answers


class Answers:
    """The rows ``t,prediction``, in a file that is continued or on the standard output.

    Parameters
    ----------
    path : str or None
        A file: what it ends with says which answers have been written. None: standard output,
        where nobody can know that.
    power : bool
        Make what was written survive a power cut before the next state is saved.
    """

    def __init__(self, path: str | None, *, power: bool) -> None:
        self._path, self._power = path, power
        self._file: IO[str] = sys.stdout
        self.end: int | None = None  # the t that comes next in the file
        if path is None:
            self._headed = _appended(sys.stdout)
            return
        try:
            with open(path, "a+b") as file:
                self.end, size = _end_of(file, path)
                if size is not None:
                    file.truncate(size)  # a line that a kill has torn
            self._file = open(path, "a", encoding="ascii", newline="")  # noqa: SIM115 - kept open
        except OSError as problem:
            raise _unwritten(path, problem) from None
        self._headed = self.end is not None

    def repeat(self, stream: DurableStream) -> None:
        """Write the answers that were saved when their process was killed, as far as needed."""
        first, text = stream.journal.answers
        time, end = stream.state.time, self.end
        if not text:
            first = time
        if end is not None and not first <= end <= time:
            hint = (
                "Its end does not fit to the state: it lacks answers that were written, or has "
                "answers that the state does not know (after a power cut, or when the state is an "
                "old copy: then do not go on). Choose another file for new answers."
            )
            raise parameter_error("stream", "out", "the file of this stream", self._path, hint)
        self.write(max(first, end or 0), text[max((end or 0) - first, 0) :])

    def write(self, first: int, labels: str) -> None:
        """Write answers from a time on; they are handed to the system when this returns."""
        lines = "".join([f"{t},{label}\n" for t, label in enumerate(labels, first)])
        text, self._headed = lines if self._headed else _HEADER + lines, True
        try:
            self._file.write(text)
            self._file.flush()
            if self._power:
                _sync(self._file)
        except BrokenPipeError:
            raise
        except OSError as problem:
            raise _unwritten(self._path or "of answers", problem) from None

    def close(self) -> None:
        """Close the file, if it is ours."""
        if self._path is not None:
            try:
                self._file.close()
            except OSError as problem:
                raise _unwritten(self._path, problem) from None


class Progress:
    """What is said on standard error: rows, the hypothesis, the budget; never mistakes.

    A line whenever a hypothesis is published, and one at the end: functions of what is public. On
    a terminal the number of rows is kept up to date too.
    """

    def __init__(self, stream: DurableStream, *, quiet: bool) -> None:
        self._stream, self._quiet = stream, quiet
        self._version = stream.state.version
        self._live = sys.stderr.isatty()

    def show(self) -> None:
        """Say what has changed."""
        version = self._stream.state.version
        if version != self._version:
            self._version = version
            self._say("\n")
        elif self._live:
            self._say("\r")

    def end(self) -> None:
        """Say where the stream stands."""
        self._say("\n")

    def _say(self, end: str) -> None:
        if self._quiet:
            return
        state, plan = self._stream.state, self._stream.algorithm.plan
        spent = f"{state.batches} of {plan.batches} updates"
        spent += " (spent: the last rule stays)" if state.stopped else ""
        text = f"rows {state.time:,} | hypothesis {state.version} | budget: {spent}"
        print(f"\r{text}" if self._live else text, end=end, file=sys.stderr, flush=True)


def check_answers(path: str | None) -> None:
    """Refuse a file that is there and holds something else; nothing is written."""
    if path is None or not os.path.isfile(path):
        return
    try:
        with open(path, "rb") as file:
            _end_of(file, path)
    except OSError as problem:
        raise _unwritten(path, problem) from None


def _end_of(file: IO[bytes], path: str) -> tuple[int | None, int | None]:
    """Return the next t of a file of answers (None: no line of names yet), and its whole size."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    head = file.read(len(_HEADER))
    if head != _HEADER.encode()[: len(head)]:
        hint = "It exists, and it is something else."
        raise parameter_error("stream", "out", "a file of answers, or a new one", path, hint)
    if len(head) < len(_HEADER):
        return None, 0
    file.seek(max(len(_HEADER) - 1, size - _LONGEST))
    tail = file.read()
    whole = tail[: tail.rfind(b"\n") + 1]
    lines = whole.split(b"\n")
    size -= len(tail) - len(whole)
    if size == len(_HEADER):
        return None, 0  # the names only: they are written again
    try:
        return int(lines[-2].split(b",")[0]) + 1, size
    except (IndexError, ValueError):
        hint = "Its last line is none of this program's."
        raise parameter_error("stream", "out", "a file of answers", path, hint) from None


def _appended(file: IO[str]) -> bool:
    """Return whether a stream is appended to a file that holds something already."""
    try:
        status = os.fstat(file.fileno())
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size > 0


def _sync(file: IO[str]) -> None:
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        os.fsync(file.fileno())


def _unwritten(path: str, problem: OSError) -> ParameterError:
    return ParameterError(
        f"The file {path} could not be written ({problem.strerror or 'input/output error'}). "
        "Nothing is lost: repair that, and take the stream up again with --resume."
    )
