"""Append-only files: each line is durable in the file itself before `AppendLog.append` returns.

A log is one file, for its owner, without any file beside it. Its
lines are numbered by a chain of checksums. Whatever happens to a program (``kill -9`` at any
instant) or to the machine (a power cut, as far as the disk keeps what it acknowledged), the file
begins with all lines whose `append` has returned, under whatever name it is found later: renamed,
or copied alone, also while programs write to it.

- *One writer*: a lock on the file, not on its name, is kept from reading it to appending a line.
- *Torn lines*: what follows the last line feed and is no whole line was never acknowledged. It is
  ignored, and cut off before the next one is written. All else that does not fit is refused.
- *One name*: a file with two hard links is refused, because a copy of one of them may replace it.
- *Forgetting*: `AppendLog.rewrite` puts a shorter file in the place of this one, in one step.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from littlestone.errors import StoreError
from littlestone.safe_io import (
    check_one_name,
    check_private_file,
    check_private_status,
    new_private_file,
    sync_folder,
    words,
)

if sys.platform != "win32":
    import fcntl


_DIGEST = 16  # hexadecimal digits of a checksum
#: Behind the name of a file: what is about to replace it; a kill may leave it.
NEW = ".new"


@dataclass(frozen=True)
class LogKind:
    """What a log holds, so that no other file is taken for it.

    ``name`` is for messages, and so is ``repair``, what to do about a damaged one; ``magic`` begins
    the first line and holds the version of the format; ``largest`` is in bytes. ``create``
    says what to do if there is none.
    """

    name: str
    magic: str
    largest: int = 2**28
    repair: str = "Restore a copy; if there is none, assume that its whole budget is spent."
    create: str = "Create it first."


class AppendLog:
    """A log that is open and locked. Make one by `create`, and use it by `opened`.

    ``header`` is what was given when the log was made; ``lines`` are those that were acknowledged
    before it was opened, and perhaps one more that was being written when its program was killed.

    Examples
    --------
    >>> import tempfile
    >>> kind = LogKind("diary", "diary 1")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "diary.log"
    ...     AppendLog.create(path, kind, "of 2026")
    ...     with AppendLog.opened(path, kind, write=True) as log:
    ...         log.append("rain")
    ...     with AppendLog.opened(path, kind) as log:
    ...         print(log.header, log.lines)
    of 2026 ['rain']
    """

    def __init__(
        self, handle: int, path: Path, kind: LogKind, content: bytes, *, synced: bool = True
    ) -> None:
        self.path, self.kind, self._handle, self._synced = path, kind, handle, synced
        first, *rest, torn = content.split(b"\n")
        self._end = len(content) - len(torn)
        self._digest, self.lines = "", list[str]()
        for raw in (first, *rest):
            if not self._take(raw):
                raise self.damaged()
        self.header = self.lines.pop(0).removeprefix(kind.magic + " ")
        # Complete but for its line feed: it may have been acknowledged, and damaged since.
        self._unended = self._take(torn) or self._take(torn[:-1])
        if self._unended:
            self._end += len(f"{self._digest} {self.lines[-1]}".encode())

    @property
    def size(self) -> int:
        """How many bytes the file has."""
        return self._end

    @property
    def identity(self) -> tuple[int, int]:
        """Device and number of the file, whatever it is called."""
        status = os.fstat(self._handle)
        return status.st_dev, status.st_ino

    def _take(self, raw: bytes) -> bool:
        """Take over one line, if its checksum fits."""
        line = _text(raw[_DIGEST + 1 :])
        if line is None:
            return False
        digest = _chained(self._digest, line)
        if raw != f"{digest} {line}".encode():
            return False
        self._digest = digest
        self.lines.append(line)
        return True

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        kind: LogKind,
        header: str,
    ) -> None:
        """Make a new log without lines; a file that exists is never touched."""
        where = Path(path)
        content, _ = _written(kind, header)
        with new_private_file(where, kind.name) as name:
            handle = os.open(name, os.O_RDWR)
            try:
                _write(handle, content, 0)
                _sync(handle)
            except OSError as problem:
                raise _failed(problem, where, kind) from None
            finally:
                os.close(handle)

    @classmethod
    @contextlib.contextmanager
    def opened(
        cls,
        path: str | os.PathLike[str],
        kind: LogKind,
        *,
        write: bool | None = False,
        timeout: float = 30.0,
        synced: bool = True,
    ) -> Iterator[AppendLog]:
        """Open a log that `create` made, after checking all of it; the lock ends with the block.

        ``write``: None reads without a lock what a writer has acknowledged so far; ``synced``:
        whether lines survive a power cut, too.
        """
        where = Path(path)
        check_private_file(where, kind.name, kind.largest, kind.create)
        flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        try:
            handle = os.open(where, flags)
        except OSError as problem:
            raise _failed(problem, where, kind) from None
        try:
            # the open file itself: another one may have got its name since the check above
            status = os.fstat(handle)
            check_private_status(status, str(where), kind.name, kind.largest)
            if write is not None:
                _lock(handle, where, kind, exclusive=write, timeout=timeout)
            log = cls(handle, where, kind, _content(handle, where, kind), synced=synced)
        except BaseException:
            os.close(handle)
            raise
        try:
            yield log
        finally:
            os.close(log._handle)  # ends the lock

    def append(self, line: str) -> None:
        """Add one line; when this returns, the line is durable."""
        digest = _chained(self._digest, line)
        try:
            os.ftruncate(self._handle, self._end)  # what is torn was never acknowledged
            content = f"{digest} {line}\n".encode()
            if self._unended:
                content = b"\n" + content
            try:
                _write(self._handle, content, self._end)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._handle, self._end)
                raise
            if self._synced:
                _sync(self._handle)
        except OSError as problem:
            raise _failed(problem, self.path, self.kind) from None
        self._digest, self._end, self._unended = digest, self._end + len(content), False

    def rewrite(self, line: str, *, erase: bool = False) -> None:
        """Replace all lines by one, in one step; ``erase`` overwrites the old file."""
        content, digest = _written(self.kind, self.header, line)
        name = f"{self.path}{NEW}"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)  # of a program that was killed
        try:
            handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                os.chmod(name, 0o600)  # whatever the umask
                _lock(handle, self.path, self.kind, exclusive=True, timeout=0)
                _write(handle, content, 0)
                if erase or self._synced:
                    _sync(handle)
                os.rename(name, self.path)
            except BaseException:
                os.close(handle)
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise
        except OSError as problem:
            raise _failed(problem, self.path, self.kind) from None
        old, self._handle, size = self._handle, handle, self._end
        self._digest, self._end, self._unended = digest, len(content), False
        try:
            sync_folder(self.path.parent)
        except OSError as problem:
            if self._synced:  # the old file is not erased: it may come back
                os.close(old)
                raise _failed(problem, self.path, self.kind) from None
        with contextlib.suppress(OSError):
            if erase and os.fstat(old).st_nlink == 0:
                _write(old, bytes(size), 0)
        os.close(old)

    def damaged(self) -> StoreError:
        """Return the error of a file that does not hold what its program wrote."""
        return StoreError(
            f"The {self.kind.name} {self.path} is damaged or was changed. It was not used. "
            f"{self.kind.repair}",
            reason="damaged",
        )


def _written(kind: LogKind, header: str, *lines: str) -> tuple[bytes, str]:
    """Return the content of a log, and its last checksum."""
    content, digest = "", ""
    for line in (f"{kind.magic} {header}", *lines):
        digest = _chained(digest, line)
        content += f"{digest} {line}\n"
    return content.encode(), digest


def _chained(digest: str, line: str) -> str:
    """Return the checksum of a line that follows the line of a checksum."""
    if "\n" in line:
        raise ValueError("A line of a log has no line feed.")
    return hashlib.sha256(f"{digest} {line}".encode()).hexdigest()[:_DIGEST]


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _content(handle: int, where: Path, kind: LogKind) -> bytes:
    """Return the whole file, after checking what can be known without its lines."""
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink == 0:
        raise StoreError(f"The file {where} was removed in the meantime.", reason="missing")
    check_one_name(status, where, kind.name)
    content = b""
    while part := os.read(handle, 1 << 20):
        content += part
        if len(content) > kind.largest:
            raise StoreError(f"The file {where} is too large for a {kind.name}.", reason="large")
    first, finished, _ = content.partition(b"\n")
    if finished and first[_DIGEST + 1 :].startswith(kind.magic.encode() + b" "):
        return content
    known = kind.magic.rpartition(" ")[0]
    if finished and first[_DIGEST + 1 :].startswith(known.encode() + b" "):
        raise StoreError(
            f"The {kind.name} {where} has a different format. Use the version of the program that "
            "created it.",
            reason="version",
        )
    raise StoreError(
        f"The file {where} is not a {kind.name}, or is damaged. Check its name.",
        reason="kind",
    )


def _write(handle: int, content: bytes, at: int) -> None:
    while content:
        done = os.pwrite(handle, content, at)
        content, at = content[done:], at + done


def _sync(handle: int) -> None:
    if sys.platform == "darwin":
        fcntl.fcntl(handle, fcntl.F_FULLFSYNC)  # an ordinary sync stops at the disk's cache
    else:
        os.fsync(handle)


def _lock(handle: int, where: Path, kind: LogKind, *, exclusive: bool, timeout: float) -> None:
    """Lock the file itself, whatever its name; others wait."""
    if sys.platform == "win32":
        raise StoreError(
            f"A {kind.name} needs a POSIX system (Linux, macOS).", reason="input/output"
        )
    deadline, pause = time.monotonic() + timeout, 0.0005
    while True:
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except OSError as problem:
            if problem.errno not in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EINTR):
                raise _failed(problem, where, kind) from None
        else:
            return
        if time.monotonic() >= deadline:
            raise StoreError(
                f"The {kind.name} {where} is in use by another process. Wait until it ends, then "
                "try again.",
                reason="locked",
            )
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def _failed(problem: OSError, where: Path, kind: LogKind) -> StoreError:
    if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return StoreError(
            f"The disk is full: nothing was written to the {kind.name} {where}. Free some space.",
            reason="full",
        )
    if problem.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StoreError(
            f"The {kind.name} {where} cannot be written. Make its file writable.", reason="readonly"
        )
    if problem.errno == errno.ELOOP:  # a link got the name of the file just before it was opened
        return StoreError(
            f"{where} is a link, but a {kind.name} must be an ordinary file.", reason="not a file"
        )
    if problem.errno == errno.ENOENT:
        return StoreError(f"The file {where} was removed in the meantime.", reason="missing")
    return StoreError(
        f"The disk failed to read or write the {kind.name} {where} ({words(problem)}).",
        reason="input/output",
    )
