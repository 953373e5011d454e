"""Files that come from elsewhere: private ones are ours alone, none is trusted.

- Private files and folders (ledgers, states): checks that follow no link and open nothing, so
  that they can be made before a file is used.
- Public files that may be untrusted (models, certificates, schemas): read up to a limit,
  and JSON without anything that is ambiguous (a name given twice, NaN, numbers beyond floats) or
  that costs more memory than its length promises.
- Files that are written: replaced in one step, so that no reader sees a part of one.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from fractions import Fraction
from itertools import repeat
from pathlib import Path
from types import UnionType
from typing import IO, Any, NoReturn, Self, cast, get_args, get_origin, get_type_hints

from littlestone.errors import ParameterError, StoreError, without_passwords

_LARGEST = 64 * 2**20  # bytes of a file that we are willing to read
_MOST = 2_000_000  # values in one JSON document
_DEEPEST = 200
_DIGITS = 4000  # Python itself reads at most 4300
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
#: Names of `tempfile.mkstemp`.
_TEMPORARY = re.compile(r"\..+\.[a-z0-9_]{8}")
_EXACT = re.compile(rf"-?[0-9]{{1,{_DIGITS}}}(?:/[0-9]{{1,{_DIGITS}}})?")


def private_folder(path: str | os.PathLike[str]) -> Path:
    """Make a folder that only its owner can enter, or check one that exists.

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
            f"The folder {where} could not be created ({words(problem)}).", reason="folder"
        ) from None
    status = where.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise StoreError(f"{where} must be a folder, not a link to one.", reason="not a folder")
    if _open_to_others(status):
        raise StoreError(
            f"The folder {where} must belong to you alone. Run: chmod 700 {where}",
            reason="permissions",
        )
    return where


def check_folder(where: Path, what: str) -> None:
    """Refuse a file whose folder does not exist or cannot be written."""
    folder = where.parent
    if not os.path.isdir(folder):  # the method of a path raises for names that are too long
        raise StoreError(f"The folder of {where} does not exist: create it first.", reason="folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreError(
            f"The folder of {where} is write-protected. A {what} is replaced in its folder: use "
            "a folder to which you can write.",
            reason="readonly",
        )


def check_private_file(where: Path, what: str, largest: int, create: str) -> None:
    """Refuse what is not an ordinary file of ours, of a size that we are willing to open."""
    try:
        status = os.lstat(where)
    except (FileNotFoundError, NotADirectoryError):
        raise StoreError(f"The file {where} does not exist. {create}", reason="missing") from None
    except (OSError, ValueError) as problem:
        fix = " Its folder must be open for your account." * isinstance(problem, PermissionError)
        raise StoreError(f"The file {where} cannot be reached.{fix}", reason="folder") from None
    check_private_status(status, str(where), what, largest)
    if not os.access(where, os.R_OK | os.W_OK):
        raise StoreError(
            f"The file {where} is write-protected; a {what} is written when it is used.",
            reason="readonly",
        )
    if status.st_nlink > 1:
        _forget_creation(where, status)
        check_one_name(os.lstat(where), where, what)


def check_private_status(status: os.stat_result, name: str, what: str, largest: int) -> None:
    """Refuse what is not an ordinary file of ours, by its status: also that of an open file."""
    if not stat.S_ISREG(status.st_mode):
        found = "a folder" if stat.S_ISDIR(status.st_mode) else "a link or a device"
        raise StoreError(
            f"{name} is {found}, but a {what} must be an ordinary file.", reason="not a file"
        )
    if _open_to_others(status):
        raise StoreError(
            f"The file {name} must belong to you alone. If it is a {what}, run: chmod 600 {name}",
            reason="permissions",
        )
    if status.st_size > largest:
        raise StoreError(f"The file {name} is too large for a {what}.", reason="large")


def check_one_name(status: os.stat_result, where: Path, what: str) -> None:
    """Refuse a file with hard links: what replaces one of its names does not reach the others."""
    if status.st_nlink > 1:
        raise StoreError(
            f"The file {where} has {status.st_nlink} names (hard links); a {what} must have one. "
            f"Find the others (find FOLDER -samefile {where}) and remove them.",
            reason="links",
        )


def _forget_creation(where: Path, status: os.stat_result) -> None:
    """Remove the first name of a file whose creation was killed just after it got its own."""
    with contextlib.suppress(PermissionError):  # of a folder that others of a group may not change
        for other in where.parent.iterdir():
            if _TEMPORARY.fullmatch(other.name):
                with contextlib.suppress(FileNotFoundError):
                    if os.path.samestat(other.lstat(), status):
                        other.unlink()


@contextmanager
def new_private_file(where: Path, what: str) -> Iterator[str]:
    """Make a file for its owner only, whole or not at all; one that exists is never touched."""
    if os.path.lexists(where):
        raise StoreError(
            f"The file {where} exists already. A {what} is never replaced: choose another name, or "
            "open this one.",
            reason="exists",
        )
    check_folder(where, what)
    name = ""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{where.name}.", dir=where.parent)  # mode 0600
        os.close(handle)
        os.chmod(name, 0o600)  # whatever the umask; nothing is written to it yet
        yield name
        # A link appears in one step, and never replaces what another program made meanwhile.
        os.link(name, where)
        with contextlib.suppress(FileNotFoundError):  # anyone who opens it may have done so
            os.unlink(name)
        sync_folder(where.parent)
    except FileExistsError:
        raise StoreError(
            f"The file {where} exists already: another program created it in the meantime.",
            reason="exists",
        ) from None
    except (OSError, ValueError) as problem:
        raise StoreError(
            f"The {what} {where} could not be created ({words(problem)}). Choose a folder on a "
            "local disk to which you can write.",
            reason="folder",
        ) from None
    finally:
        if name:
            Path(name).unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make a new name survive a power cut (where folders can be synced)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def words(problem: Exception) -> str:
    """Say why the system refused a file, without its own text (which quotes names)."""
    return getattr(problem, "strerror", None) or "not a name of a file"


def _open_to_others(status: os.stat_result) -> bool:
    """Return whether anybody but us and the administrator may read or write."""
    if os.name != "posix":
        return False
    return bool(status.st_mode & 0o077) or (os.geteuid() not in (0, status.st_uid))


def path_of(path: Any, what: str) -> Path:
    """Return a path, if it is one."""
    if not isinstance(path, str | os.PathLike):
        found = type(path).__name__
        raise ParameterError(f"The {what} is named by its path, a text. Got {found}.")
    return Path(path)


def read_text(
    path: str | os.PathLike[str], what: str, *, largest: int = _LARGEST, bom: bool = False
) -> str:
    """Return the text of a file of bounded size."""
    where = path_of(path, what)
    try:
        with where.open("rb") as file:
            data = file.read(largest + 1)  # a device has no size that could be asked before
    except (OSError, ValueError) as problem:
        raise ParameterError(
            without_passwords(f"The {what} {path} could not be read ({words(problem)}).")
        ) from None
    if len(data) > largest:
        raise ParameterError(f"The {what} {path} is larger than {largest:,} bytes.")
    try:
        return data.decode("utf-8-sig" if bom else "utf-8")
    except UnicodeDecodeError:
        raise ParameterError(f"The {what} {path} is not UTF-8 text.") from None


def parse_json(text: str, what: str) -> Any:
    """Return a JSON document, refusing what is ambiguous or a burden.

    Examples
    --------
    >>> parse_json('{"n": [1, 2]}', "model")
    {'n': [1, 2]}
    >>> parse_json('{"n": 1, "n": 2}', "model")
    Traceback (most recent call last):
    littlestone.errors.ParameterError: The model is not JSON that this program can read: the name
    'n' is given twice.
    """

    def refuse(why: str) -> NoReturn:
        raise ParameterError(f"The {what} is not JSON that this program can read: {why}.") from None

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            refuse(f"the name {twice[:60]!r} is given twice")
        return found

    def finite(number: str) -> float:
        value = float(number)
        return value if math.isfinite(value) else refuse("a number is too large")

    # Each value but the first follows one of these characters (more, if texts hold them).
    if sum(map(text.count, ",:[")) > _MOST:
        refuse(f"it has more than {_MOST:,} values")
    try:
        document = json.loads(
            text,
            object_pairs_hook=unique,
            parse_float=finite,
            parse_constant=lambda name: refuse(f"{name} is no number"),
        )
    except ParameterError:
        raise
    except RecursionError:
        refuse("it is nested too deeply")
    except ValueError:  # not JSON, or an integer of more digits than Python reads
        refuse("it has a syntax error, or an enormous integer")
    if _deeper(document, _DEEPEST):
        refuse("it is nested too deeply")
    if _SURROGATE.search(text):  # a pair of them is one character; one alone is none
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            refuse("a text holds half a character")
    return document


def read_exact(text: Any) -> Fraction:
    """Return the exact number of a text such as ``"1/10"``; no exponents, bounded length.

    Examples
    --------
    >>> read_exact("1/10")
    Fraction(1, 10)
    """
    if not isinstance(text, str) or not _EXACT.fullmatch(text):
        raise ValueError("not an exact number")
    top, _, bottom = text.partition("/")
    if bottom and not int(bottom):
        raise ValueError("not an exact number")
    return Fraction(int(top), int(bottom or 1))


def _deeper(document: Any, levels: int) -> bool:
    """Return whether something is nested deeper; level by level, so itself without recursion."""
    layer = [document]
    for _ in range(levels):
        inner: list[Any] = []
        for node in layer:
            if isinstance(node, dict):
                inner += [child for child in node.values() if isinstance(child, dict | list)]
            elif isinstance(node, list):
                inner += [child for child in node if isinstance(child, dict | list)]
        if not inner:
            return False
        layer = inner
    return True


def write_text(path: str | Path, text: str) -> None:
    """Write a text file, so that a reader sees the old content or the new one, never a part."""
    with replacing(path) as file:
        file.write(text)


@contextmanager
def replacing(path: str | Path) -> Iterator[IO[str]]:
    """Open a temporary file beside ``path``, and put it in its place when the block succeeds."""
    where = target(path_of(path, "file"))
    try:
        if not replaceable(Path(path)):
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


def replaceable(path: Path) -> bool:
    """Return whether a path names an ordinary file, or nothing yet.

    Pipes and devices are written to. So is everything in /dev and /proc: there /dev/stdout is a
    link that leads to an ordinary file when the output is redirected, and replacing either would
    take the file away from anyone who has it open.
    """
    absolute = Path(os.path.abspath(path))  # not resolved: the name itself counts
    special = any(absolute.is_relative_to(place) for place in ("/dev", "/proc"))
    return not special and (os.path.isfile(path) or not os.path.exists(path))


def target(path: Path) -> Path:
    """Follow links, so that a target is replaced and never the link to it; never raises."""
    return Path(os.path.realpath(path))


def _mode(where: Path) -> int:
    """Return the permissions of the file that is replaced, or those of any new file."""
    if os.path.exists(where):
        return where.stat().st_mode & 0o7777
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


# -- JSON of dataclasses, by the types of their fields.


def plain(value: Any) -> Any:
    """Return plain JSON: exact numbers as text, tuples as lists, what has `to_dict` as that.

    Examples
    --------
    >>> plain({"rates": (Fraction(1, 3), None), "n": 7})
    {'rates': ['1/3', None], 'n': 7}
    """
    if isinstance(value, Fraction):
        return str(value)
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    return value


class Plain:
    """A dataclass that is JSON by its fields; those with `OMITTED` not where they are default."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        written = [(field, getattr(self, field.name)) for field in fields(cast(Any, self))]
        return {
            field.name: plain(value)
            for field, value in written
            if not (field.metadata and value == field.default)
        }


#: Of a field that is left out where it has its default.
OMITTED = {"omitted": True}


class Wire(Plain):
    """The same, read back as untrusted: each field has its type, there is no other, and it fits."""

    _UNREADABLE = "A document must have the entries that its `to_dict` writes."

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        types = get_type_hints(cls)
        names = {field.name: field.metadata for field in fields(cast(Any, cls))}
        try:
            required = {name for name, metadata in names.items() if not metadata}
            if not required <= data.keys() <= names.keys():
                raise ValueError
            read = cls(**{name: typed(types[name], value) for name, value in data.items()})
            if not read._fits():
                raise ValueError
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ParameterError(cls._UNREADABLE) from None
        return read

    def _fits(self) -> bool:
        """Whether the fields fit each other; it may raise what a wrong entry raises."""
        return True


_LARGEST_NUMBER, _LONGEST_LIST = 10**30, 1_000_000


def typed(kind: Any, value: Any) -> Any:
    """Return what JSON says of a type; another type raises TypeError or ValueError."""
    parts = get_args(kind)
    if get_origin(kind) is UnionType:  # T | None
        return None if value is None else typed(parts[0], value)
    if get_origin(kind) is tuple:
        if type(value) is not list or len(value) > _LONGEST_LIST:
            raise TypeError
        kinds = repeat(parts[0], len(value)) if parts[-1] is ... else parts
        return tuple(typed(each, part) for each, part in zip(kinds, value, strict=True))
    if kind is Fraction:
        return read_exact(value)
    if hasattr(kind, "from_dict"):
        return kind.from_dict(value)
    number = kind is float and type(value) is int
    if type(value) is not kind and not number:
        raise TypeError
    if kind in (int, float) and not abs(value) <= _LARGEST_NUMBER:
        raise ValueError
    return float(value) if number else value
