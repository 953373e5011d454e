"""A first schema of a table, from public things only; and a schema beside a table.

`draft` reads the names of the columns and the types that a Parquet file or a database declares
(those of frames in memory may have been inferred from records), never a cell. `compare` says which
columns of a schema a table lacks. The first line of a CSV file holds names only if somebody says
so: in a file without names it is a record. `from_public` reads a table that is public.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pyarrow as pa

from littlestone.data.cells import CSV, PARQUET, CsvFormat, Texts, format_of, number, text
from littlestone.data.cleaning import Cleaning, toml_key, toml_table
from littlestone.data.domains import require_columns
from littlestone.data.schema import RESERVED, Column, PublicBins, Schema, column_toml, csv_toml
from littlestone.data.tables import Table, files_of, read_table, spooled
from littlestone.errors import ParameterError, check_integer, counted, parameter_error, suggest
from littlestone.safe_io import read_text

# -- A first schema from a codebook: REDCap's data dictionary, Frictionless Table Schema, or a
# list.
#
# A codebook is public: it was written before the records, by people. Each of its lines becomes a
# `Variable`, whatever the form of the file, and a variable the part of a schema. Nothing is read
# of the records.
#
# ======================  ===================================================================
# file                    how it is known
# ======================  ===================================================================
# REDCap                  CSV with the columns ``Variable / Field Name`` and ``Field Type``
# Frictionless            JSON with ``fields``, also within a data package of one resource
# a list                  CSV with ``name`` and any of ``type, low, high, levels, missing,
#                         unit, label``; levels and missing are separated by ``|``
# ======================  ===================================================================


_LARGEST = 64 * 2**20  # bytes of a file
_MOST_PARTS = 12  # bins of a number with a range, at most; about
_NUMBERS, _WHOLE = frozenset({"number", "float", "decimal", "numeric", "real"}), "integer"
_WORDS = {
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys(("integer", "int", "whole"), _WHOLE),
    **dict.fromkeys(("category", "categorical", "factor", "enum", "levels"), "category"),
    **dict.fromkeys(("boolean", "bool", "flag", "yesno"), "boolean"),
    **dict.fromkeys(("date", "datetime", "time of day"), "date"),
    **dict.fromkeys(("identifier", "id", "key"), "identifier"),
    **dict.fromkeys(("text", "string", "free text", "notes"), "text"),
}
#: Field types of a data dictionary, and what is the kind of each.
_REDCAP = {
    **dict.fromkeys(("text", "notes", "sql", "file"), "text"),
    **dict.fromkeys(("dropdown", "radio", "checkbox", "yesno", "truefalse"), "category"),
    "calc": "number",
    "slider": _WHOLE,
    "descriptive": "",
}
#: How validations of texts begin; dates are exported as Y-M-D, however they are typed.
_VALIDATIONS = {"number": "number", "integer": _WHOLE, "date": "date"}
_YES, _TRUE = (("0", "no"), ("1", "yes")), (("0", "false"), ("1", "true"))
_TAGS = re.compile(r"<[^>]*>")
_COLUMNS = ("name", "type", "low", "high", "levels", "missing", "unit", "label")


@dataclass(frozen=True)
class Variable:
    """What a codebook says of one column.

    Attributes
    ----------
    name : str
    kind : {"number", "integer", "category", "boolean", "date", "identifier", "text", "other"}
    levels : tuple of (str, str)
        Codes, each with its word; the same twice where it has none.
    low, high : str
        The range, as written; empty where it has none.
    missing : tuple of str
        Codes that mean *not known*.
    unit, label, form : str
        The unit of its cells; what it is; the format of dates.
    """

    name: str
    kind: str
    levels: tuple[tuple[str, str], ...] = ()
    low: str = ""
    high: str = ""
    missing: tuple[str, ...] = ()
    unit: str = ""
    label: str = ""
    form: str = ""

    def to_toml(self, fill_in: str) -> str:
        """Return its part of a schema; ``fill_in`` are the lines of what a person must complete.

        Examples
        --------
        >>> weight = Variable("weight", "number", low="40", high="160", unit="kg", label="Weight")
        >>> print(weight.to_toml(""), end="")
        # Weight
        [weight]
        bins = [50, 60, 70, 80, 90, 100, 110, 120, 130, 140, 150]
        strip = "kg"
        >>> sex = Variable("sex", "category", levels=(("1", "male"), ("2", "female")))
        >>> print(sex.to_toml(""), end="")
        [sex]
        categories = ["male", "female"]
        merge = {male = ["1"], female = ["2"]}
        """
        about = f"# {' '.join(self.label.split())}\n" if self.label.strip() else ""
        key = toml_key(self.name)
        if self.name in RESERVED:
            return f"# [{key}] is left out, because schemas reserve this name: rename the column.\n"
        if self.kind in ("identifier", "text", "other") and not self.levels:
            why = {"identifier": "an identifier", "text": "free text"}.get(self.kind, "not a cell")
            return f"{about}# [{key}] is left out: by the codebook it is {why}.\n"
        column = self._column()
        if column is not None:
            return about + column_toml(column)
        known = {
            "type": "date" * (self.kind == "date"), "format": self.form,
            "missing": list(self.missing), "strip": self.unit,
        }  # fmt: skip
        return about + toml_table(key, {k: said for k, said in known.items() if said}) + fill_in

    def _column(self) -> Column | None:
        """Return the column, or None where the codebook has no levels and no range."""
        levels = [(code, word) for code, word in self.levels if code not in self.missing]
        if self.kind == "boolean" and not levels:
            return Column.of(self.name, ["false", "true"], self.missing)
        if levels:
            return self._of_levels(levels)
        if self.kind == "date":
            cuts = _years(self.low, self.high)
            form = self.form or None
            return Column.dates(self.name, cuts, self.missing, form=form) if cuts else None
        low, high = _worth(self.low), _worth(self.high)
        if low is None or high is None or low >= high:
            return None
        whole = self.kind == _WHOLE and low == int(low) and high == int(high)
        if whole and high - low <= _MOST_PARTS:
            column = Column.integers(self.name, [int(low), int(high)], self.missing)
        else:
            column = Column.bins(self.name, _cuts(low, high), self.missing)
        return column.cleaned(Cleaning(strip=self.unit)) if self.unit else column

    def _of_levels(self, levels: Sequence[tuple[str, str]]) -> Column:
        """Return categories named by their words, of which the codes are other spellings.

        Where a code is the word of another level, or missing is, the codes are the categories.
        """
        words = list(dict.fromkeys(word for _, word in levels))
        known, nulls = Texts(words), Texts(self.missing)
        if any(code != word and known.place(code) is not None for code, word in levels) or any(
            nulls.place(word) is not None for word in words
        ):
            return Column.of(
                self.name, list(dict.fromkeys(code for code, _ in levels)), self.missing
            )
        column = Column.of(self.name, words, self.missing)
        spelt = {w: [code for code, word in levels if word == w != code] for w in words}
        merge = {word: codes for word, codes in spelt.items() if codes}
        if not merge:
            return column
        entry = {"merge": merge}
        return column.cleaned(Cleaning.parse(self.name, entry, column.categories, self.missing))


def read_codebook(path: str | Path) -> list[Variable]:
    """Read a codebook of any of the three forms.

    Raises
    ------
    ParameterError
        No such file, none of the forms, a line without a name or with a name that was before, a
        type that is not known.
    """
    written = read_text(path, "codebook", largest=_LARGEST).removeprefix("\ufeff")
    if written.lstrip().startswith(("{", "[")):
        found = list(_frictionless(_json(written, path)))
    else:
        found = list(_csv(written, path))
    if not found:
        raise ParameterError(f"The codebook {str(path)!r} describes no column.")
    names: set[str] = set()
    for variable in found:
        if variable.name in names:
            raise ParameterError(
                f"The codebook {str(path)!r} describes the column {variable.name!r} twice. "
                "Delete one of the two lines."
            )
        names.add(variable.name)
    return found


def _json(written: str, path: str | Path) -> Any:
    try:
        return json.loads(written)
    except (ValueError, RecursionError):
        raise ParameterError(f"The codebook {str(path)!r} is not JSON.") from None


def _csv(written: str, path: str | Path) -> Iterator[Variable]:
    rows = csv.DictReader(io.StringIO(written), restval="", strict=True)
    try:
        header, lines = rows.fieldnames or [], list(rows)
    except csv.Error as mistake:
        raise ParameterError(f"The codebook {str(path)!r} is not CSV: {mistake}.") from None
    known = {name.strip().lower(): name for name in header}
    redcap = {"variable / field name", "field type"} <= set(known)
    if not redcap and ("name" not in known or not set(known) <= set(_COLUMNS)):
        raise ParameterError(
            f"The codebook {str(path)!r} has no known format. Known formats are REDCap's data "
            "dictionary (Variable / Field Name, Field Type, ...), Frictionless Table Schema (JSON "
            f"with fields) and CSV with the columns {', '.join(_COLUMNS)} (all but name may be "
            "absent). Its first line has other names; perhaps it is the table itself, or separated "
            "by semicolons."
        )
    for place, line in enumerate(lines, 2):
        cells = {key: (line[name] or "").strip() for key, name in known.items() if name is not None}
        where = f"line {place} of the codebook {str(path)!r}"
        if None in line:
            raise ParameterError(
                f"The {where} has more cells than the first line: quote cells that contain commas."
            )
        if not any(cells.values()):
            continue
        if not cells["variable / field name" if redcap else "name"]:
            raise ParameterError(f"The {where} has no name of a column.")
        if redcap:
            yield from _redcap(cells, where)
        else:
            yield _listed(cells, where)


def _listed(cells: Mapping[str, str], where: str) -> Variable:
    """Return the variable of a line of name, type, low, high, levels, missing, unit, label."""
    levels = _levels(cells.get("levels", ""), "=")
    said = cells.get("type", "").lower()
    kind = _WORDS.get(said, "")
    if not said:
        ranged = cells.get("low") or cells.get("high")
        kind = "category" if levels else "number" if ranged or cells.get("unit") else "text"
    if not kind:
        raise ParameterError(
            f"The type of {where} must be number, integer, category, boolean, date, identifier or "
            f"text. Got {said!r}."
        )
    for key in ("low", "high"):
        wrong = number(cells.get(key) or "0") is None and kind in ("number", _WHOLE)
        if wrong or (kind == "date" and cells.get(key) and _year(cells[key]) is None):
            wanted = "a date such as 2020-01-31" if kind == "date" else "a number"
            raise ParameterError(f"The {key} of {where} must be {wanted}. Got {cells[key]!r}.")
    return Variable(
        cells["name"], kind, levels, cells.get("low", ""), cells.get("high", ""),
        _parts(cells.get("missing", "")), cells.get("unit", ""), cells.get("label", ""),
    )  # fmt: skip


def _redcap(cells: Mapping[str, str], where: str) -> Iterator[Variable]:
    """Yield the variables of a line of a data dictionary: of checkboxes one for each choice."""
    name, kind = cells["variable / field name"], cells["field type"].lower()
    validation, low, high = (
        next((cell for key, cell in cells.items() if key.startswith(f"text validation {what}")), "")
        for what in ("type", "min", "max")
    )
    choices = next((cell for key, cell in cells.items() if key.startswith("choices")), "")
    label, note = (_TAGS.sub("", cells.get(f"field {key}", "")) for key in ("label", "note"))
    label += f" ({note})" if note else ""  # of the form: such a unit is not in the cells
    if kind not in _REDCAP:
        raise ParameterError(
            f"The field type of {where} must be one of REDCap's ({', '.join(_REDCAP)}). "
            f"Got {kind!r}."
        )
    found, levels = _REDCAP[kind], _levels(choices, ",")
    if any(cell.lower() == "y" for key, cell in cells.items() if key.startswith("identifier")):
        yield Variable(name, "identifier", label=label)
    elif kind == "checkbox":
        for code, word in levels:
            own = f"{name}___{code.lower().replace('-', '_')}"
            yield Variable(own, "category", _YES, label=f"{label}: {word}")
    elif kind == "slider":
        yield Variable(name, _WHOLE, low=low or "0", high=high or "100", label=label)
    elif kind == "text":
        for start, typed in _VALIDATIONS.items():
            found = typed if validation.startswith(start) else found
        yield Variable(name, found, (), low, high, label=label)
    elif found:  # else of the form, not of the table
        levels = {"yesno": _YES, "truefalse": _TRUE}.get(
            kind, levels if found == "category" else ()
        )
        yield Variable(name, found, levels, low, high, label=label)


def _frictionless(document: Any) -> Iterator[Variable]:
    """Yield the variables of a Table Schema, or of the one resource of a data package."""
    rule = (
        "A codebook in JSON must be a Frictionless Table Schema: an object with a list of fields, "
        "each with a name; or a data package with one resource that has such a schema."
    )
    if isinstance(document, Mapping) and isinstance(document.get("resources"), list):
        tables = document["resources"]
        if len(tables) != 1 or not isinstance(tables[0], Mapping):
            raise ParameterError(f"{rule} It has {len(tables)} resources: give the schema of one.")
        document = tables[0].get("schema")
    fields = document.get("fields") if isinstance(document, Mapping) else None
    if not isinstance(fields, list):
        raise ParameterError(rule)
    everywhere = _values(document.get("missingValues", []))
    keys = document.get("primaryKey", [])
    for field in fields:
        if not isinstance(field, Mapping) or not isinstance(field.get("name"), str):
            raise ParameterError(rule)
        yield _field(field, everywhere, [keys] if isinstance(keys, str) else keys)


def _field(field: Mapping[str, Any], everywhere: Sequence[str], keys: Sequence[Any]) -> Variable:
    said, form = field.get("type", "string"), field.get("format")
    given = field.get("constraints")
    limits = given if isinstance(given, Mapping) else {}
    name, kind = field["name"], {"string": "text", "boolean": "boolean"}.get(said, "other")
    if said in ("integer", "number", "year"):
        kind = "number" if said == "number" else _WHOLE
    elif said in ("date", "datetime"):
        kind = "date"
    own = _values(field["missingValues"]) if "missingValues" in field else list(everywhere)
    levels = _pairs(field.get("categories")) or _pairs(limits.get("enum"))
    if name in keys or limits.get("unique") is True:
        kind, levels = "identifier", ()
    elif levels:
        kind = "category"
    elif kind == "boolean" and ("trueValues" in field or "falseValues" in field):
        spelt = (("true", "trueValues"), ("false", "falseValues"))
        levels = tuple(
            (each, word) for word, key in spelt for each in _values(field.get(key, [word]))
        )
    low, high = (text(limits.get(key)) or "" for key in ("minimum", "maximum"))
    written = form if isinstance(form, str) and "%" in form else ""
    about = field.get("title") or field.get("description") or ""
    unit = field.get("unit", "")
    return Variable(
        name, kind, levels, low, high, tuple(own),
        unit if isinstance(unit, str) else "", str(about), written,
    )  # fmt: skip


def _values(given: Any) -> list[str]:
    """Return the texts of a list of values, or of objects with a value; empty ones are missing."""
    each = given if isinstance(given, list) else []
    found = (text(one.get("value") if isinstance(one, Mapping) else one) for one in each)
    return [one for one in dict.fromkeys(found) if one is not None]


def _pairs(given: Any) -> tuple[tuple[str, str], ...]:
    """Return the levels of a list of values, or of objects with value and label."""
    pairs = []
    for one in given if isinstance(given, list) else []:
        value = text(one.get("value") if isinstance(one, Mapping) else one)
        word = text(one.get("label")) if isinstance(one, Mapping) else value
        if value is not None:
            pairs.append((value, word or value))
    return tuple(pairs)


def _parts(written: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in written.split("|") if part.strip())


def _levels(written: str, sign: str) -> tuple[tuple[str, str], ...]:
    """Return codes and words of ``1, male | 2, female``, or of ``1=male|2=female``.

    Examples
    --------
    >>> _levels("1, Male, adult | 2, <b>Female</b>", ","), _levels("a|b", "=")
    ((('1', 'Male, adult'), ('2', 'Female')), (('a', 'a'), ('b', 'b')))
    """
    pairs = [part.partition(sign) for part in _parts(written)]
    plain = [(code.strip(), _TAGS.sub("", word).strip()) for code, _, word in pairs]
    return tuple((code, word or code) for code, word in plain)


def _worth(written: str) -> int | float | None:
    """Return a finite number that a double holds, or None."""
    value = number(written) if written else None
    return None if value is None or not abs(value) <= 2.0**1000 else value


def _cuts(low: float, high: float) -> list[int | float]:
    """Return the multiples of 1, 2, 2.5 or 5 times a power of 10 between the ends of a range.

    Examples
    --------
    >>> _cuts(0, 120), _cuts(0.5, 0.8)
    ([10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110], [0.525, 0.55, 0.575, 0.6, 0.625, 0.65, ...])
    """
    power = math.floor(math.log10((high - low) / _MOST_PARTS))
    steps = [times * 10.0**power for times in (1, 2, 2.5, 5, 10)]
    step = next(step for step in steps if (high - low) / step <= _MOST_PARTS * (1 + 1e-9))
    places = range(math.floor(low / step) + 1, math.ceil(high / step))
    cuts = [round(step * place, max(0, 1 - power)) for place in places]
    return [int(cut) if cut == int(cut) else cut for cut in cuts if low < cut < high]


def _years(low: str, high: str) -> list[str]:
    """Return the first days of years within a range, at most about twelve; or none."""
    first, last = _year(low), _year(high)
    if first is None or last is None or first >= last:
        return []
    step = -(-(last - first) // _MOST_PARTS)
    return [f"{year:04}-01-01" for year in range(first + 1, last + 1, step)]


def _year(written: str) -> int | None:
    try:
        return date.fromisoformat(written[:10]).year
    except ValueError:
        return None


#: The file of the package with the words of `identifying`.
IDENTIFIERS = "identifiers.txt"
_CAPITALS = re.compile(r"(?<=[a-zß-ÿ0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: What a person completes, by the kind of a variable of a codebook or of a column.
_FILL_IN = {
    **dict.fromkeys(("number", "integer"), "# bins = [] or integers = []\n"),
    "category": "# categories = []\n",
    "date": '# bins = [] or by = ""\n',
}
_HEAD = """\
# The public columns of a table, for littlestone fit --schema. Write bins and categories from public
# knowledge (a codebook, the form that was filled in), never from the records themselves. Delete
# the columns that are not needed. When the schema is complete: littlestone schema check FILE
#
# Each column needs one of these lines:
# bins = [20, 40, 60]          # numbers below 20, 20 to below 40, 40 to below 60, 60 and above
# integers = [1, 16]           # one bin for each whole number from 1 to 16
# categories = ["a", "b"]      # exactly these texts; every other text is "other"
#
# Dates need type = "date", and bins or by:
# bins = ["2020-01-01"]        # before this date, and from this date on
# by = "month"                 # one bin for each month; or "quarter", "weekday" or "hour"
# by = "year"                  # with bins = [2020, 2025]: before 2020, 2020 to 2024, 2025 and later
#
# Optional lines, for missing values, formats of dates, units, detection limits and spellings:
# missing = ["?", "unknown"]   # texts that mean "not known", besides empty cells
# format = "%d.%m.%Y"          # the format of the dates, if it is not that of 2026-01-31
# strip = "kg"                 # a unit: "70 kg" is read as 70
# below = "half"               # "<0.3" is read as 0.15; or "limit" (0.3), or "missing"
# merge = {male = ["M", "1"]}  # other spellings of the category "male"
"""


def draft(
    table: Any = None,
    *,
    label: str | None = None,
    codebook: str | Path | None = None,
    header_is_public: bool = False,
    csv: Any = None,
    caller: str = "schema new",
) -> str:
    r"""Return a commented schema of a table, of its codebook, or of both, as TOML.

    Examples
    --------
    >>> import pyarrow as pa
    >>> private = pa.table({"age": [44], "ill": [0]})  # its types may have been inferred
    >>> print(draft(private, label="ill").partition("\n\n")[2], end="")
    # [ill] is the label.
    <BLANKLINE>
    [age]
    # bins = [], integers = [] or categories = []
    """
    form = None if csv is None else CsvFormat.parse(csv, caller)
    known = {} if codebook is None else {v.name: v for v in read_codebook(codebook)}
    kinds: dict[str, Any] = dict.fromkeys(name for name in known if name != label)
    if table is not None:
        require_names(table, header_is_public, form, caller)
        read = read_table(table, csv=form, caller=caller)
        features = _features(read, label)
        kinds = dict(zip(features, read.kinds(features, caller), strict=True))
    blocks = [_HEAD]
    if label is not None:
        blocks.append(f"# [{toml_key(label)}] is the label.\n")
    if form is not None and form.to_dict():
        blocks.append(csv_toml(form))
    if known:
        absent = [name for name in known if name not in kinds and name != label]
        unsaid = [name for name in kinds if name not in known]
        if len(unsaid) == len(kinds):
            raise ParameterError(
                f"The codebook {str(codebook)!r} describes no column of the table. It "
                f"describes {counted(len(known), 'other columns')}. Names are compared exactly."
            )
        blocks += _listing("In the codebook, but not in the table", absent)
        blocks += _listing("In the table, but not in the codebook", unsaid)
    for name, kind in kinds.items():
        variable = known.get(name)
        own = None if variable is None or identifying(name) else variable
        blocks.append(
            _block(name, kind) if own is None else own.to_toml(_FILL_IN.get(own.kind, ""))
        )
    return "\n".join(blocks)


def _listing(words: str, names: Sequence[str]) -> list[str]:
    """Return a comment of names, or nothing."""
    return [f"# {words}:\n" + "".join(f"#   {toml_key(n)}\n" for n in names)] if names else []


@cache
def _identifying() -> frozenset[str]:
    """Return the words of names of columns that are left out: a public list."""
    written = (files("littlestone.data") / IDENTIFIERS).read_text(encoding="utf-8")
    lines = [line for line in written.splitlines() if not line.startswith("#")]
    return frozenset(" ".join(lines).split())


def identifying(name: str) -> bool:
    """Return whether a column is an identifier or free text, by the last word of its name.

    Words end at blanks, ``_``, ``-``, ``.`` and capitals; a number after the last one is none.

    Examples
    --------
    >>> names = ["PassengerId", "Patient No.", "first_name", "NAME2", "paid", "education-num"]
    >>> [name for name in names if identifying(name)]
    ['PassengerId', 'Patient No.', 'first_name', 'NAME2']
    """
    words = _CAPITALS.sub(" ", re.sub(r"[\s_.\-]+", " ", name)).rstrip("0123456789 ").split()
    return bool(words) and words[-1].lower() in _identifying()


def _block(name: str, kind: Any) -> str:
    """Return the part of a schema that is about one column, as TOML."""
    key = toml_key(name)
    if not name:
        return "# A column without a name is left out, because a schema cannot name it.\n"
    why = ""
    if name in RESERVED:
        why = "is left out, because schemas reserve this name: rename the column"
    elif kind is not None and pa.types.is_nested(kind):
        why = "is left out, because it holds lists or structures, not cells"
    if why:
        return f"# [{key}] {why}.\n"
    if identifying(name):
        return (
            f"# [{key}] is left out: judging by its name, it is an identifier or free text (the\n"
            f"# list of such words is the file {IDENTIFIERS} of the package).\n"
        )
    return _to_fill_in(name, kind)


def _features(table: Table, label: str | None) -> list[str]:
    """Return the columns besides the label, whose names are public."""
    if any("\ufffd" in name for name in table.names):
        raise ParameterError(
            "The names of the columns are not UTF-8. State the encoding, for example "
            'csv="encoding=latin-1".'
        )
    if label is not None and label not in table.names:
        raise ParameterError(f"The table has no column {label!r}.{suggest(label, table.names)}")
    features = [name for name in table.names if name != label]
    if not features:
        raise ParameterError("The table has no column besides the label.")
    return features


def compare(
    schema: Schema, table: Any, *, csv: Any = None, caller: str = "schema check"
) -> list[str]:
    """Return what keeps a schema from being used with a table; names columns of the schema only.

    Examples
    --------
    >>> compare(Schema.from_dict({"age": {"bins": [30]}}), {"ages": [44]})
    ["The table has no column 'age'."]
    """
    read = read_table(table, csv=csv, declared=schema.csv, caller=caller)
    found = [name for name in schema.names if name in read.names]
    lacking = [name for name in schema.names if name not in read.names]
    kinds = dict(zip(found, read.kinds(found, caller), strict=True)) if found else {}
    return [f"The table has no column {name!r}." for name in lacking] + [
        f"The column {name!r} of the table holds lists or structures, not cells. Unnest it first."
        for name, kind in kinds.items()
        if kind is not None and pa.types.is_nested(kind)
    ]


def require_names(table: Any, header_is_public: bool, form: CsvFormat | None, caller: str) -> None:
    """Refuse a CSV file whose first line was not declared to hold names."""
    header_is_public |= form is not None and form.header_is_public
    if header_is_public or not isinstance(table, str | Path) or "://" in str(table):
        return
    kinds = {format_of(part) for part in files_of(spooled(str(table), caller), caller)}
    if not kinds.isdisjoint(CSV) or (form is not None and not kinds <= {*PARQUET}):
        raise ParameterError(
            f"The first line of {str(table)!r} is not read: in a CSV file without column names it "
            "is a record. If it holds column names, declare that with --header-is-public; or "
            "write the table as Parquet, which declares its columns."
        )


def cells_of(table: Table, name: str, caller: str, numbers: Sequence[str] = ()) -> list[object]:
    """Return the cells of a column."""
    pieces = table.pieces([name], caller, numbers=numbers)
    return [cell for piece in pieces for cell in piece.column(0).to_pylist()]


def _to_fill_in(name: str, kind: Any) -> str:
    head = f"[{toml_key(name)}]\n"
    if kind is None:
        return f"{head}# bins = [], integers = [] or categories = []\n"
    if pa.types.is_boolean(kind):
        return f"# bool\n{column_toml(Column.of(name, ['false', 'true']))}"
    numeric = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if numeric:
        return f"# {kind}\n{head}{_FILL_IN['number']}"
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return f'# {kind}\n{head}type = "date"\n{_FILL_IN["date"]}'
    about = "texts" if pa.types.is_large_string(kind) else f"{kind}, read as texts"
    return f"# {about}\n{head}{_FILL_IN['category']}"


# -- Bins and categories of a schema from a public table, so that their cost is certified.
#
# With m rows and rank r every r-th sorted value of a column is an edge. So fewer than r rows lie
# between a number and the next edge above it, and a text that is no category occurs in fewer than
# r rows: that is all that claim ``public.slabs`` asks for. A missing cell lies in no bin.


_OWNER = "Schema.from_public"


def from_public(table: Any, *, bins: int, columns: Sequence[str] | None) -> Schema:
    """Return the schema; see `Schema.from_public`."""
    check_integer(_OWNER, "bins", bins, low=2)
    read = read_table(table, caller=_OWNER)
    names = list(read.names if columns is None else columns)
    require_columns(names, read.names, _OWNER)
    cells = {name: cells_of(read, name, _OWNER, [name]) for name in names}
    points = max(map(len, cells.values()), default=0)
    if not points:
        raise parameter_error(_OWNER, "table", "at least one row and one column", "none")
    rank = points // bins + 1  # the least with points // rank < bins
    found = [_column(name, each, rank) for name, each in cells.items()]
    kept = tuple(column for column in found if column is not None)
    if not kept:
        raise parameter_error(
            _OWNER, "table", f"a column with {rank} equal or numeric cells", "none",
            "Take more rows, or more bins.",
        )  # fmt: skip
    return Schema(kept, public=PublicBins(points, rank))


def beside(  # noqa: PLR0917
    table: Any, public: Any, leave: Sequence[str | None], columns: Sequence[str] | None,
    bins: int, csv: Any, caller: str,
) -> Schema:  # fmt: skip
    """Return the schema of a public table for another one, of the columns that both have."""
    refuse_same(table, public, caller)
    other = read_table(table, csv=csv, caller=caller)
    try:
        read = read_table(public, csv=csv, caller=caller)
    except ParameterError as problem:
        raise ParameterError(f"The public rows (public=) cannot be read. {problem}") from None
    both = [
        name
        for name in read.names
        if name in other.names and name not in leave and not identifying(name)
    ]
    if not both:
        raise ParameterError(
            f"The 'public' parameter of {caller} must be a table that shares columns with the "
            f"records. The records have the columns {', '.join(read.names)}."
        )
    found = from_public(read, bins=bins, columns=both if columns is None else columns)
    return replace(found, csv=None if csv is None else CsvFormat.parse(csv, caller))


def refuse_same(table: Any, public: Any, caller: str) -> None:
    """Refuse to take the records themselves for public ones."""
    paths = [Path(each) for each in (table, public) if isinstance(each, str | Path)]
    same = len(paths) == 2 and all(map(os.path.exists, paths)) and paths[0].samefile(paths[1])
    if same or table is public:
        raise ParameterError(
            f"The 'public' parameter of {caller} must not be the table of the records, which is "
            "not public."
        )


def _column(name: str, cells: Sequence[object], rank: int) -> Column | None:
    """Return a column with its edges or categories; None if it has none."""
    written = [cell for cell in map(text, cells) if cell is not None and cell.lower() != "nan"]
    numbers = sorted(value for value in map(number, written) if value is not None)
    if len(numbers) == len(written):
        edges = sorted({_finite(value) for value in numbers[rank - 1 :: rank]})
        return Column.bins(name, edges) if edges else None
    often = [value for value, times in Counter(written).items() if times >= rank]
    return Column.of(name, sorted(often, key=str.encode)) if often else None


def _finite(value: float) -> float:
    """Return the double in the place of a number; the largest one is that of an infinity."""
    return float(max(-sys.float_info.max, min(value, sys.float_info.max)))
