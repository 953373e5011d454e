"""Files that a command writes: checked before anything is drawn."""

from __future__ import annotations

import os
from glob import glob
from pathlib import Path
from urllib.parse import unquote, urlsplit

from littlestone.errors import parameter_error
from littlestone.safe_io import replaceable, target

_LONGEST_NAME = 240  # bytes: while a file is written, its name is a little longer
#: How a database begins, and what the first line of a ledger holds.
_KEPT = (b"SQLite format 3\0", b" littlestone ledger ")
_BESIDE = ("-wal", "-shm", "-journal")  # what a database keeps beside its file


def check_outputs(owner: str, *inputs: str | None, **outputs: str | None) -> None:
    """Refuse output files that could not be written, before anything is drawn or read.

    Parameters
    ----------
    owner : str
        The command, for the message.
    *inputs : str or None
        Paths of files that are read, and so must not be written over.
    **outputs : str or None
        Option name and path.

    Raises
    ------
    ParameterError
        A folder that does not exist or cannot be written, a path that is a folder or a database
        (a ledger, a state), two options with the same path, or a file that is being read.
    """
    seen: dict[Path, str] = {}
    for name, path in outputs.items():
        if path is None:
            continue
        where = Path(path)
        problem = _problem(where)
        if problem:
            raise parameter_error(owner, name, "a file that can be written", path, problem)
        other = seen.setdefault(target(where), name)
        if other != name:
            raise parameter_error(
                owner, name, f"another file than the one of {other!r}", path, "Write to two files."
            )
    check_inputs_kept(owner, *inputs, **outputs)


def check_inputs_kept(owner: str, *inputs: str | None, **outputs: str | None) -> None:
    """Refuse to write over a file that is being read."""
    given = [_file_of(path) for path in inputs if path is not None]
    folders = [os.path.join(path, "*") if os.path.isdir(path) else path for path in given]
    parts = [part for path in folders if not os.path.isfile(path) for part in glob(path)]
    kept = {target(Path(path)) for path in (*given, *parts)}
    for name, path in outputs.items():
        if path is not None and target(Path(path)) in kept:
            raise parameter_error(
                owner, name, "a file that is not read", path, "It would be overwritten."
            )


def _file_of(named: str) -> str:
    """Return the path of a file, also of one that a URL names (``duckdb:///db.duckdb?table=t``)."""
    parts = urlsplit(named)
    return unquote(parts.path)[1:] if parts.scheme == "duckdb" else named


def _problem(path: Path) -> str:
    """Say why a path cannot be written, or nothing."""
    where = target(path) if replaceable(path) else path
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
                start = file.read(64)
                if start.startswith(_KEPT[0]) or _KEPT[1] in start:
                    return True
        except OSError:
            continue
    return False
