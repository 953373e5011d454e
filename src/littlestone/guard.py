"""Files that come from elsewhere: private ones are ours alone, none is trusted.

Checks that follow no link and open nothing, so that they can be made before a file is used.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from littlestone.errors import StoreError

__all__ = ["check_folder", "check_private_file", "private_folder", "words"]


def private_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder that only its owner can enter, or check one that exists.

    Raises
    ------
    StoreError
        If it cannot be made, is not a folder, or is open to others.

    Examples
    --------
    >>> import tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = private_folder(os.path.join(folder, "state"))
    ...     print(oct(made.stat().st_mode & 0o777))
    0o700
    """
    where = Path(path)
    try:
        where.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except (OSError, ValueError) as problem:
        raise StoreError(
            f"The folder {where} could not be made ({words(problem)}).", reason="folder"
        ) from None
    status = where.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise StoreError(f"{where} must be a folder, and no link to one.", reason="not a folder")
    if _open_to_others(status):
        raise StoreError(
            f"The folder {where} must belong to you alone. Run: chmod 700 {where}",
            reason="permissions",
        )
    return where


def check_folder(where: Path, what: str) -> None:
    """Refuse a file whose folder does not exist or cannot be written."""
    folder = where.parent
    if not folder.is_dir():
        raise StoreError(f"The folder of {where} does not exist: make it first.", reason="folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(
            f"The folder of {where} is write-protected. A {what} keeps a log beside its file: "
            "use a folder that you can write.",
            reason="readonly",
        )


def check_private_file(where: Path, companion: str, what: str, largest: int) -> None:
    """Refuse what is not an ordinary file of ours, of a size that we are willing to open.

    Parameters
    ----------
    where : Path
        The file, which must exist.
    companion : str
        A suffix, for a second file beside it that need not exist; or nothing.
    what : str
        For messages: "budget ledger".
    largest : int
        In bytes.

    Raises
    ------
    StoreError
        With reason ``"missing"``, ``"folder"``, ``"not a file"``, ``"permissions"``,
        ``"readonly"`` or ``"large"``.
    """
    name = f"{where}{companion}"
    try:
        status = os.lstat(name)
    except (FileNotFoundError, NotADirectoryError):
        if companion:
            return
        raise StoreError(
            f"The file {where} does not exist. Create the {what} first.", reason="missing"
        ) from None
    except (OSError, ValueError):
        raise StoreError(f"The file {where} cannot be reached.", reason="folder") from None
    if not stat.S_ISREG(status.st_mode):
        found = "a folder" if stat.S_ISDIR(status.st_mode) else "a link or a device"
        raise StoreError(f"{name} is {found}; a {what} is an ordinary file.", reason="not a file")
    if _open_to_others(status):
        raise StoreError(
            f"The file {name} must belong to you alone. Run: chmod 600 {name}",
            reason="permissions",
        )
    # A companion may vanish at any time (another process ends); the file itself stays.
    if not companion and not os.access(name, os.R_OK | os.W_OK):
        raise StoreError(
            f"The file {name} is write-protected; a {what} is written when it is used.",
            reason="readonly",
        )
    if status.st_size > largest:
        raise StoreError(f"The file {name} is too large for a {what}.", reason="large")


def words(problem: Exception) -> str:
    """Say why the system refused a file, without its own text (which quotes names)."""
    return getattr(problem, "strerror", None) or "not a name of a file"


def _open_to_others(status: os.stat_result) -> bool:
    """Return whether somebody but us (or the administrator) may read or write."""
    if os.name != "posix":
        return False
    return bool(status.st_mode & 0o077) or (os.geteuid() not in (0, status.st_uid))
