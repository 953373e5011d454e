"""One table in every container, and the codes that its schema's words ask for, in plain Python.

Run as a program, it compares all of them in the time zone and the locale of its process, and prints
what differs: ``TZ=Asia/Kolkata python tests/data/meanings.py``.
"""

from __future__ import annotations

import csv
import datetime as dt
import sys
import tempfile
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import product
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from littlestone.data import RowDomain, Sample, Schema, read_points
from littlestone.data.counting import count_codes

NEW_YORK, KOLKATA = "America/New_York", "Asia/Kolkata"
_START = dt.datetime(2020, 3, 8, 5, 30, 17)
#: Steps over a change of clocks, midnights, a new year and the year 1960.
_STEPS = (0, 1.5, 2, 7, 19, 24.25, 31, 700, 7200, -527_000)
NAIVE = [_START + dt.timedelta(hours=step) for step in _STEPS]
NAIVE += [dt.datetime(2020, 1, 1), dt.datetime(2021, 7, 1)]
AWARE = [moment.replace(tzinfo=dt.UTC) for moment in NAIVE]


#: What a column holds, by its type: Python values, None where missing.
CELLS = {
    "boolean": [True, False, None, True],
    "integer": [3, 40, None, -7, 0, 4, 2020],
    "whole": [3, 40, -7, 0, 4, 1],
    "decimal": [Decimal("1.50"), Decimal("4.00"), None, Decimal("-0.10"), Decimal("0.10")],
    "double": [0.1, 1e16, 4.0, None, 1.5, -7.25, 1e-7, 40.0],
    "float32": [np.float32(x) for x in (0.1, 0.7, 1e16, 4, 1.5, 16_777_216, 1e-7)] + [None],
    "date": [*(moment.date() for moment in NAIVE), None],
    **{f"naive {unit}": [*NAIVE, None] for unit in ("s", "ms", "us", "ns")},
    **{
        f"zoned {unit} {zone}": [*AWARE, None]
        for unit in ("s", "ms", "us", "ns")
        for zone in ("UTC", NEW_YORK, "+05:30")
    },
    "text": ["Bonn", "4", "4.0", "1.50", "true", "False", None, "1e16", "0.1", "x", "2020-01-01"],
    "limits and units": [
        *("<0.3", "7.2 mg/l", "15mg/l", "0.3", "> 200 mg/l", "≤4", "<-2", "12 g/l", "mg/l", "4.0"),
        *("<x", "none", "9 mg/l", "TRUE", None),
    ],
    "spellings": ["M", "m", "male", "1", "1.0", "F", "2", "x", "?", "<3", None, "TRUE"],
    "texts of dates": ["2020-01-01", "2020-01-01 08:09", "31.12.2019 23:59", "01.07.2021 00:00"],
    "texts of moments": [
        *("2020-03-08 08:09:10+00", "2020-03-08 08:09:10+02", "2020-03-08T08:09:10-05:00"),
        *("2020-03-08 08:09:10 UTC", "2020-03-08 23:09:10.25Z", "2020-03-08 08:09:10"),
    ],
}
_CATEGORIES = ["true", "4", "1.5", "0.1", "10000000000000000", "2020-01-01", "Bonn", "-0.10"]
_CUTS = ["1960-06-01", "2020-01-01", "2020-03-08 03:30"]
_FORM = "%d.%m.%Y %H:%M"
_BY = ("date", "year", "quarter", "month", "weekday", "hour")
_BINS = {"date": _CUTS, "year": [1961, 2020, 2021]}
#: The rules, as a schema says them.
NUMBERS = {
    "bins": {"bins": [-7, 0.1, 0.7, 1.5, 4, 1e16]},
    "bins, 4 missing": {"bins": [0, 1, 40], "missing": ["4.0"]},
    "categories": {"categories": _CATEGORIES},
    "categories, missing": {"categories": _CATEGORIES[3:], "missing": ["4", "TRUE", "2021-07-01"]},
}
#: Cells as people write them, by the keys of `littlestone.data.cleaning`.
_CRP = {"bins": [-3, -1, 0, 0.15, 0.3, 4, 100]}
CLEANED = {
    "limits and units": {
        "neither": _CRP,
        "unit": _CRP | {"strip": "mg/l"},
        **{f"limits, {how}": _CRP | {"below": how} for how in ("half", "limit", "missing")},
        "all": _CRP | {"strip": "mg/l", "below": "half", "merge": {"0": ["none", "4"]}},
        "9 missing": _CRP | {"strip": "mg/l", "below": "limit", "missing": [9, "<-2"]},
    },
    "spellings": {
        "as they are": {"categories": ["male", "M", "1"]},
        "merged": {"categories": ["male", "female"], "missing": ["?"]}
        | {"merge": {"male": ["M", "m", 1], "female": ["F", "2"]}},
        "numbers": {"bins": [1, 2], "merge": {"1": ["M", "m"], "2": ["F", "male"]}},
    },
}
DATES = {
    f"{by} in {zone or 'UTC'}{', of a form' * bool(form)}": {"type": "date", "by": by}
    | ({"bins": _BINS[by]} if by in _BINS else {})
    | ({"zone": zone} if zone else {})
    | ({"format": form} if form else {})
    for by, zone, form in product(_BY, ("", NEW_YORK, KOLKATA), ("", _FORM))
} | {
    "missing": {"type": "date", "by": "date", "bins": _CUTS, "format": _FORM}
    | {"missing": ["01.07.2021 00:00"]},
}


def timed(kind):
    return kind.partition(" ")[0] in ("date", "naive", "zoned", "texts")


def rules_of(kind):
    """Return the rules that mean something for a type."""
    if kind in CLEANED:
        return CLEANED[kind]
    return {**DATES, "categories": NUMBERS["categories"]} if timed(kind) else NUMBERS


# -- The reference: what the words of the schema ask for, one cell at a time.


def worth(cell):
    """Return the number or the moment of a cell: a Fraction, or a datetime; else its text."""
    if isinstance(cell, bool):
        return Fraction(int(cell))
    if isinstance(cell, np.float32):
        return Fraction(Decimal(str(cell)))
    if isinstance(cell, float):  # its shortest text, as Python writes it
        return Fraction(Decimal(repr(cell)))
    if isinstance(cell, int | Decimal):
        return Fraction(cell)
    if isinstance(cell, dt.datetime):
        return cell
    if isinstance(cell, dt.date):
        return dt.datetime(cell.year, cell.month, cell.day)
    if cell.lower() in ("true", "false"):
        return Fraction(int(cell.lower() == "true"))
    try:
        return Fraction(Decimal(cell))
    except (InvalidOperation, ValueError):
        pass
    try:
        return dt.datetime.fromisoformat(cell.replace(" UTC", "+00:00"))
    except ValueError:
        return cell


def cleaned(cell, rule):
    """Return a text without its unit or limit, or the name of its group; None if missing."""
    for name, texts in rule.get("merge", {}).items():
        if worth(cell) in map(worth, map(str, texts)):
            return name
    if isinstance(worth(cell), Fraction):
        return cell
    unit = rule.get("strip", "")
    bare = cell[: len(cell) - len(unit)].rstrip() if unit and cell.endswith(unit) else cell
    sign = next((mark for mark in ("<=", ">=", "<", ">", "≤", "≥") if bare.startswith(mark)), "")
    limit = worth(bare.removeprefix(sign).strip()) if sign and "below" in rule else None
    if not isinstance(limit, Fraction):
        return bare
    if rule["below"] == "missing":
        return None
    half = rule["below"] == "half" and sign in ("<", "<=", "≤") and limit > 0
    return str(float(limit / 2 if half else limit))


def reference(cell, rule):
    """Return the code of a cell: 0 is missing, 1 other, then bins or categories."""
    if cell is None:
        return 0
    if not {"merge", "strip", "below"}.isdisjoint(rule):
        if worth(cell) in [worth(str(text)) for text in rule.get("missing", ())]:
            return 0
        plain = {
            key: value for key, value in rule.items() if key not in ("merge", "strip", "below")
        }
        return reference(cleaned(cell, rule), plain)
    value, missing = worth(cell), [worth(str(text)) for text in rule.get("missing", ())]
    if "format" in rule:
        missing = [dt.datetime.strptime(text, rule["format"]) for text in rule.get("missing", ())]
        if isinstance(cell, str) and not isinstance(value, dt.datetime):
            value = dt.datetime.strptime(cell, rule["format"])
    if "type" in rule and isinstance(value, dt.datetime) and value.tzinfo is not None:
        value = value.astimezone(ZoneInfo(rule.get("zone", "UTC"))).replace(tzinfo=None)
    if value in missing:
        return 0
    if "categories" in rule:
        same = [worth(category) == value for category in rule["categories"]]
        return 2 + same.index(True) if True in same else 1
    if "type" not in rule:
        if not isinstance(value, Fraction):
            return 1
        return 2 + sum(Fraction(Decimal(repr(edge))) <= value for edge in rule["bins"])
    if not isinstance(value, dt.datetime):
        return 1
    if rule["by"] == "date":
        return 2 + sum(dt.datetime.fromisoformat(cut) <= value for cut in rule["bins"])
    if rule["by"] == "hour":
        timed = isinstance(cell, dt.datetime) or (isinstance(cell, str) and ":" in cell)
        return 2 + value.hour if timed else 1
    if rule["by"] == "year":
        return 2 + sum(edge <= value.year for edge in rule["bins"])
    part = {
        "quarter": (value.month + 2) // 3,
        "month": value.month,
        "weekday": value.isoweekday(),
    }
    return 1 + part[rule["by"]]


# -- The containers. Each returns a table whose columns, one for each rule, hold the same cells.


def arrow_type(kind):
    name, *more = kind.split()
    if name in ("naive", "zoned"):
        return pa.timestamp(more[0], tz=more[1] if name == "zoned" else None)
    kinds = {"boolean": pa.bool_(), "integer": pa.int64(), "whole": pa.int16()}
    kinds |= {"decimal": pa.decimal128(9, 2), "double": pa.float64(), "float32": pa.float32()}
    return kinds.get(name, pa.date32() if name == "date" else pa.string())


def labels(cells):
    return [i % 2 for i in range(len(cells))]


def arrow(kind, cells, names, folder):
    column = pa.array(cells, arrow_type(kind))
    return pa.table({**dict.fromkeys(names, column), "y": labels(cells)})


def csv_file(kind, cells, names, folder):
    with (folder / "t.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*names, "y"])
        for i, cell in enumerate(cells):
            rows.writerow([*["" if cell is None else str(cell)] * len(names), i % 2])
    return folder / "t.csv"


def csv_of_pandas(kind, cells, names, folder):
    arrow(kind, cells, names, folder).to_pandas().to_csv(folder / "p.csv", index=False)
    return folder / "p.csv"


def csv_of_duckdb(kind, cells, names, folder):
    relation(kind, cells, names, folder).write_csv(str(folder / "d.csv"))
    return folder / "d.csv"


def parquet(kind, cells, names, folder):
    pq.write_table(arrow(kind, cells, names, folder), folder / "t.parquet")
    return folder / "t.parquet"


def parquet_of_duckdb(kind, cells, names, folder):
    relation(kind, cells, names, folder).write_parquet(str(folder / "d.parquet"))
    return folder / "d.parquet"


def pandas(kind, cells, names, folder):
    return arrow(kind, cells, names, folder).to_pandas()


def pandas_of_arrow(kind, cells, names, folder):
    return arrow(kind, cells, names, folder).to_pandas(types_mapper=pd.ArrowDtype)


def pandas_objects(kind, cells, names, folder):
    table = pd.DataFrame({name: pd.Series(cells, dtype=object) for name in names})
    table["y"] = labels(cells)
    return table


def polars(kind, cells, names, folder):
    return pl.from_arrow(arrow(kind, cells, names, folder))


def polars_lazy(kind, cells, names, folder):
    return polars(kind, cells, names, folder).lazy()


def lists(kind, cells, names, folder):
    return {**{name: list(cells) for name in names}, "y": labels(cells)}


def relation(kind, cells, names, folder):
    return duckdb.connect().from_arrow(arrow(kind, cells, names, folder))


def duckdb_file(kind, cells, names, folder):
    (folder / "t.duckdb").unlink(missing_ok=True)
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.register("given", arrow(kind, cells, names, folder))
        connection.execute("CREATE TABLE t AS SELECT * FROM given")
    return f"duckdb:////{folder}/t.duckdb?table=t"


CONTAINERS = (
    *(arrow, csv_file, csv_of_pandas, csv_of_duckdb, parquet, parquet_of_duckdb, pandas),
    *(pandas_of_arrow, pandas_objects, polars, polars_lazy, lists, relation, duckdb_file),
)
FRAMES = (pandas, pandas_of_arrow, pandas_objects, polars)
#: What polars and DuckDB do not have.
LACKING = {
    *product((polars, polars_lazy), (f"zoned {unit} +05:30" for unit in ("s", "ms", "us", "ns"))),
}


# -- The readers, each as the command that uses it: codes in the order of rows, or sorted.


def fitted(table, schema):
    sample = Sample.read(table, y="y", domain=RowDomain(schema))
    counts = (sample.zeros + sample.ones).tolist()
    return sorted(
        row for row, n in zip(sample.points.tolist(), counts, strict=True) for _ in range(n)
    )


def predicted(table, schema):
    return read_points(table, domain=RowDomain(schema))[0].tolist()


def as_array(table, schema):
    """Return what an estimator sees of a data frame."""
    return RowDomain(schema).array(table, caller="predict").tolist()


def differences(kinds=tuple(CELLS), containers=CONTAINERS, most=None):
    """Return what is read otherwise than the reference says, in words, and how much was right."""
    wrong, right = [], 0
    with tempfile.TemporaryDirectory() as name:
        for kind, container in product(kinds, containers):
            if (container, kind) in LACKING:
                continue
            rules, cells = dict(list(rules_of(kind).items())[:most]), CELLS[kind]
            table = container(kind, cells, list(rules), Path(name))
            schema = Schema.from_dict(rules)
            codes = [[reference(cell, rule) for rule in rules.values()] for cell in cells]
            found = [
                (predicted, codes, predicted(table, schema)),
                (fitted, sorted(codes), fitted(table, schema)),
                *([(as_array, codes, as_array(table, schema))] if container in FRAMES else []),
            ]
            for reader, expected, read in found:
                for at, said in enumerate(rules):
                    words, codes_read = ([row[at] for row in rows] for rows in (expected, read))
                    if words == codes_read:
                        right += 1
                    else:
                        where = f"{kind} in {container.__name__}, {said}, {reader.__name__}"
                        wrong.append(f"{where}: {codes_read} for {words}")
            for at in range(0, len(rules), 7):  # `check` reads one column at a time
                column = schema.columns[at]
                counts = [sum(row[at] == code for row in codes) for code in range(column.n_codes)]
                if count_codes(table, column, caller="check").tolist() == counts:
                    right += 1
                else:
                    wrong.append(f"{kind} in {container.__name__}, {column.name}, checked")
    return wrong, right


if __name__ == "__main__":
    # the first of every so many containers, one later for each kind; other kinds in all of them
    first, every = map(int, sys.argv[1:])
    wrong, right = (
        differences([kind for kind in CELLS if not timed(kind)]) if first == 0 else ([], 0)
    )
    for at, kind in enumerate(filter(timed, CELLS)):
        more, others = differences([kind], CONTAINERS[(first + at) % every :: every])
        wrong, right = wrong + more, right + others
    print(*wrong, f"{len(wrong)} wrong, {right} right", sep="\n")
