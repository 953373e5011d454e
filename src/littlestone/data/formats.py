"""How tables are written in files: declared in public, never guessed from the records.

A separator, a decimal sign or an encoding that is guessed from the cells would let one record
change how all others are read. So a CSV file is read with commas, decimal points and UTF-8, unless
another format is declared: ``--csv "sep=;, decimal=comma, encoding=latin-1"``, a ``[csv]`` table of
the schema, or ``csv=...`` in Python. Files of other programs are refused, with a command that
converts them cell by cell.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from littlestone.errors import parameter_error

CSV, PARQUET = (".csv", ".tsv"), (".parquet", ".pq")

_WORDS = {"tab": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
#: In these a line feed is one unit that no other character contains, so that lines stay apart
#: whatever a line holds; and every unit has at most two bytes.
_SINGLE = ("iso8859-1", "iso8859-2", "iso8859-9", "iso8859-15", "ascii", "koi8-r")
_ENCODINGS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", *_SINGLE)
_EXAMPLE = 'Example: "sep=;, decimal=comma, encoding=latin-1".'


@dataclass(frozen=True)
class CsvFormat:
    r"""The declared format of a CSV file.

    Examples
    --------
    >>> form = CsvFormat.parse("sep=tab, decimal=comma, encoding=cp1252")
    >>> form.separator, form.decimal, form.encoding
    ('\t', 'comma', 'cp1252')
    >>> str(form), str(CsvFormat())
    ('sep=tab, decimal=comma, encoding=cp1252', '')
    """

    separator: str | None = None
    decimal: str = "point"
    encoding: str = "utf-8"
    quote: str | None = '"'
    quoted_line_breaks: bool = False
    header_is_public: bool = False

    @classmethod
    def parse(cls, declared: CsvFormat | str | Mapping[str, Any], caller: str = "csv") -> CsvFormat:
        """Read a format as it is typed, or as it is in a schema."""
        if isinstance(declared, CsvFormat):
            return declared
        if isinstance(declared, str):
            given = _typed(declared, caller)
        elif isinstance(declared, Mapping):
            given = dict(declared)
        else:
            raise parameter_error(caller, "csv", "a text or a table of keys", declared, _EXAMPLE)
        found: dict[str, Any] = {}
        for key, value in given.items():
            if key not in _KEYS:
                constraint = f"keys among {', '.join(_KEYS)}"
                raise parameter_error(caller, "csv", constraint, key, _EXAMPLE)
            field, read = _KEYS[key]
            found[field] = read(caller, key, value)
        form = cls(**found)
        if form.quote is None and form.quoted_line_breaks:
            raise parameter_error(
                caller, "csv", "with a quote for quoted-line-breaks", "quote=none"
            )
        if form.separator == '"' or (form.separator and form.separator == form.quote):
            raise parameter_error(caller, "csv", "with different sep and quote", form.separator)
        return form

    def to_dict(self) -> dict[str, str]:
        """Return what differs from the usual format, with the keys that `parse` reads."""
        words = {character: word for word, character in _WORDS.items() if word != "semicolon"}
        usual = CsvFormat()
        found = {
            "separator": ("sep", words.get(self.separator or "", self.separator or "")),
            "decimal": ("decimal", self.decimal),
            "encoding": ("encoding", self.encoding),
            "quote": ("quote", self.quote or "none"),
            "quoted_line_breaks": ("quoted-line-breaks", "yes" if self.quoted_line_breaks else ""),
            "header_is_public": ("header", "public" if self.header_is_public else ""),
        }
        return dict(
            found[name]
            for name in (field.name for field in fields(self))
            if getattr(self, name) != getattr(usual, name)
        )

    def __str__(self) -> str:
        return ", ".join(f"{key}={value}" for key, value in self.to_dict().items())


def format_of(path: Path) -> str:
    """Return the format that the name of a file says: ``.csv`` also for ``people.csv.gz``."""
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    kind = suffixes[-1] if suffixes else ""
    return suffixes[0] if kind == ".gz" and len(suffixes) == 2 else kind


def conversion(path: Path) -> str | None:
    """Return a command that converts a file of another program, or None if none is known.

    Cells become texts, one by one: a converter that guesses a type for a whole column would let one
    record change the cells of all others.

    Examples
    --------
    >>> print(conversion(Path("t.ods")))
    python -c "import pandas; pandas.read_excel('t.ods', dtype=str).to_parquet('t.parquet')"
    """
    kind = path.suffix.lower()
    source, target = str(path), str(path.with_suffix(".parquet"))
    for kinds, read in _PANDAS:
        if kind in kinds:
            call = read.format(repr(source))
            return f'python -c "import pandas; pandas.{call}.to_parquet({target!r})"'
    for others, command in _COMMANDS:
        if kind in others:
            return command.format(source=source, bare=str(path.with_suffix("")))
    return None


_PANDAS = (
    ((".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"), "read_excel({}, dtype=str)"),
    ((".sas7bdat", ".xpt"), "read_sas({}, encoding='latin-1')"),
    ((".dta",), "read_stata({}, convert_categoricals=False)"),
    ((".sav", ".por"), "read_spss({}, convert_categoricals=False)"),
    ((".feather", ".arrow"), "read_feather({})"),
    ((".orc",), "read_orc({})"),
    ((".jsonl", ".ndjson"), "read_json({}, lines=True, dtype=False)"),
    ((".json",), "read_json({}, dtype=False)"),
)
_COMMANDS = (
    ((".zip",), "unzip {source}"),
    ((".bz2",), "bunzip2 {source}"),
    ((".xz",), "unxz {source}"),
    ((".zst",), "unzstd {source}"),
    (
        (".db", ".sqlite", ".sqlite3"),
        "sqlite3 -header -csv {source} 'SELECT * FROM t' > {bare}.csv",
    ),
    ((".rds",), "Rscript -e \"write.csv(readRDS('{source}'), '{bare}.csv', row.names=FALSE)\""),
)


def _typed(declared: str, caller: str) -> dict[str, str]:
    """Take "sep=;, decimal=comma" apart; a comma may itself be a value."""
    given: dict[str, str] = {}
    for part in re.split(r",\s*(?=[a-z-]+\s*=)", declared.strip()) if declared.strip() else ():
        key, equals, value = part.partition("=")
        if not equals or key.strip() in given:
            constraint = "different keys with their values, separated by commas"
            raise parameter_error(caller, "csv", constraint, declared, _EXAMPLE)
        given[key.strip()] = value.strip() or value[:1]
    return given


def _character(caller: str, key: str, value: object) -> str | None:
    if key == "quote" and value == "none":
        return None
    found = _WORDS.get(value, value) if isinstance(value, str) else value
    if not isinstance(found, str) or len(found) != 1 or not found.isascii() or found in "\r\n\0":
        constraint = f"with {key} one ASCII character, or one of {', '.join(_WORDS)}"
        raise parameter_error(caller, "csv", constraint, value, _EXAMPLE)
    return found


def _decimal(caller: str, key: str, value: object) -> str:
    return _one_of(caller, key, value, ("point", "comma"))


def _breaks(caller: str, key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    return _one_of(caller, key, value, ("yes", "no")) == "yes"


def _public(caller: str, key: str, value: object) -> bool:
    return _one_of(caller, key, value, ("public", "private")) == "public"


def _one_of(caller: str, key: str, value: object, known: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in known:
        raise parameter_error(
            caller, "csv", f"with {key} one of {', '.join(known)}", value, _EXAMPLE
        )
    return value


def _encoding(caller: str, key: str, value: object) -> str:
    """Return Python's name of an encoding in which lines stay apart."""
    try:
        name = codecs.lookup(value if isinstance(value, str) else "").name
    except (LookupError, ValueError):
        name = ""
    if name not in _ENCODINGS and not re.fullmatch(r"cp125[0-8]", name):
        hint = "Convert the file first: iconv -f OLD -t UTF-8 OLD.csv > NEW.csv"
        constraint = (
            f"with {key} one of utf-8, utf-16, latin-1, iso8859-2, iso8859-9, iso8859-15, koi8-r, "
            "windows-1250 to windows-1258"
        )
        raise parameter_error(caller, "csv", constraint, value, hint)
    return "utf-8" if name == "ascii" else name


_Reader = Callable[[str, str, object], Any]
#: What each key is called in `CsvFormat`, and how its value is read.
_KEYS: dict[str, tuple[str, _Reader]] = {
    "sep": ("separator", _character),
    "decimal": ("decimal", _decimal),
    "encoding": ("encoding", _encoding),
    "quote": ("quote", _character),
    "quoted-line-breaks": ("quoted_line_breaks", _breaks),
    "header": ("header_is_public", _public),
}
