"""Files that a command writes: checked before anything is drawn, replaced in one step."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import IO

from littlestone.errors import ParameterError, parameter_error

__all__ = ["check_inputs_kept", "check_outputs", "replacing", "write"]

_LONGEST_NAME = 240  # bytes: while a file is written, its name is a little longer
_DATABASE = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal")  # what a database keeps beside its file


def check_outputs(owner: str, **outputs: str | None) -> None:
    """Refuse output files that could not be written, before anything is drawn or read.

    Parameters
    ----------
    owner : str
        The command, for the message.
    **outputs : str or None
        Option name and path.

    Raises
    ------
    ParameterError
        A folder that does not exist or cannot be written, a path that is a folder or a database
        (a ledger, a state), or two options with the same path.
    """
    seen: dict[Path, str] = {}
    for name, path in outputs.items():
        if path is None:
            continue
        where = Path(path)
        problem = _problem(where)
        if problem:
            raise parameter_error(owner, name, "a file that can be written", path, problem)
        other = seen.setdefault(_target(where), name)
        if other != name:
            raise parameter_error(
                owner, name, f"another file than the one of {other!r}", path, "Write to two files."
            )


def check_inputs_kept(owner: str, inputs: list[str | None], **outputs: str | None) -> None:
    """Refuse to write over a file that is being read."""
    given = [path for path in inputs if path is not None]
    parts = [part for path in given if not os.path.isfile(path) for part in glob(path)]
    kept = {_target(Path(path)) for path in (*given, *parts)}
    for name, path in outputs.items():
        if path is not None and _target(Path(path)) in kept:
            raise parameter_error(
                owner, name, "a file that is not read", path, "It would be overwritten."
            )


def write(path: str, text: str) -> None:
    """Write a text file, so that a reader sees the old content or the new one, never a part."""
    with replacing(path) as file:
        file.write(text)


@contextmanager
def replacing(path: str) -> Iterator[IO[str]]:
    """Open a temporary file beside ``path``, and put it in its place when the block succeeds.

    Raises
    ------
    ParameterError
        If the file could not be written (the disk is full, the folder has gone).
    """
    where = _target(Path(path))
    try:
        if not _replaceable(Path(path)):
            with Path(path).open("w", encoding="utf-8", newline="") as file:
                yield file
            return
        with tempfile.NamedTemporaryFile(
            "w",
            encoding="utf-8",
            newline="",
            dir=where.parent,
            prefix=f".{where.name}.",
            delete=False,
        ) as file:
            try:
                yield file
                file.flush()
                os.fsync(file.fileno())
                os.chmod(file.name, _mode(where))
                os.replace(file.name, where)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as problem:
        raise ParameterError(
            f"The file {path} could not be written ({problem.strerror or 'input/output error'})."
        ) from None


def _replaceable(path: Path) -> bool:
    """Return whether a path names an ordinary file, or nothing yet.

    Pipes and devices are written to. So is everything in /dev and /proc: there /dev/stdout is a
    link that leads to an ordinary file when the output is redirected, and replacing either would
    take the file away from whoever has it open.
    """
    absolute = Path(os.path.abspath(path))  # not resolved: the name itself counts
    special = any(absolute.is_relative_to(place) for place in ("/dev", "/proc"))
    return not special and (os.path.isfile(path) or not os.path.exists(path))


def _target(path: Path) -> Path:
    """Follow links, so that a target is replaced and never the link to it; never raises."""
    return Path(os.path.realpath(path))


def _problem(path: Path) -> str:
    """Say why a path cannot be written, or nothing."""
    where = _target(path) if _replaceable(path) else path
    if os.path.islink(where):
        return "It is a link that leads to itself."
    # Unlike the methods of Path, these functions do not raise for names that are too long.
    if os.path.isdir(where) or not os.path.isdir(where.parent):
        folder = os.path.isdir(where)
        return "It is a folder." if folder else "Its folder does not exist: make it first."
    if len(os.fsencode(where.name)) > _LONGEST_NAME:
        return "Its name is too long."
    if _of_database(where):
        return (
            "It belongs to a database, such as a ledger: to replace it would forget what is spent."
        )
    if os.path.exists(where):
        return "" if os.access(where, os.W_OK) else "It is write-protected."
    return "" if os.access(where.parent, os.W_OK) else "Its folder is write-protected."


def _of_database(where: Path) -> bool:
    """Return whether a file is a database, or what one keeps beside it."""
    name = str(where)
    for tail in ("", *_BESIDE):
        main = name.removesuffix(tail)
        if not name.endswith(tail) or not os.path.isfile(main):
            continue
        try:
            with open(main, "rb") as file:
                if file.read(len(_DATABASE)) == _DATABASE:
                    return True
        except OSError:
            continue
    return False


def _mode(where: Path) -> int:
    """Return the permissions of the file that is replaced, or those of any new file."""
    if os.path.exists(where):
        return where.stat().st_mode & 0o7777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
