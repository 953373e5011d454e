"""Parquet files, read totally: the types decide whether they are read, the values never do.

DuckDB's own reader stops at a text that is not UTF-8 and at a time that it cannot convert, and it
casts the later parts of a table to the types of the first one. Here the parts must have equal
columns (their schemas are public), and each value is made safe alone (`littlestone.data.arrow`)
before DuckDB counts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from glob import glob
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from littlestone.data.arrow import portable, portable_type

__all__ = ["ParquetColumns", "ParquetParts"]

_ROWS = 1 << 17  # of a batch


class ParquetParts:
    """One file, or the files that a path with wildcards names, in the order of their names.

    Attributes
    ----------
    paths : list of str
    fields : list of (str, DataType)
        Names and types of the columns of the first part.
    alike : bool
        Whether all parts have these columns (public: it depends on schemas only).
    """

    def __init__(self, path: Path) -> None:
        self.paths = (
            [str(path)] if os.path.isfile(path) else sorted(glob(str(path), recursive=True))
        )
        schemas = [pq.read_schema(part) for part in self.paths]
        columns = [[(field.name, field.type) for field in schema] for schema in schemas]
        self.fields = columns[0]
        self.alike = all(other == self.fields for other in columns)


class ParquetColumns:
    """Some columns of Parquet files, as an Arrow stream that can be read again and again.

    Parameters
    ----------
    parts : ParquetParts
    columns : sequence of int
        Positions of the asked columns.
    """

    def __init__(self, parts: ParquetParts, columns: Sequence[int]) -> None:
        self._parts = parts
        asked = [parts.fields[position] for position in columns]
        self._names = [name for name, _ in asked]
        self.schema = pa.schema(
            [(f"c{j}", portable_type(kind)) for j, (_, kind) in enumerate(asked)]
        )

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows of all parts, in order."""
        files = ds.dataset(
            self._parts.paths, schema=pa.schema(self._parts.fields), format="parquet"
        )
        asked = {f"c{j}": ds.field(name) for j, name in enumerate(self._names)}
        ahead = {"batch_size": _ROWS, "batch_readahead": 4, "fragment_readahead": 1}  # of memory
        for batch in files.to_batches(columns=asked, **ahead):
            yield pa.record_batch([portable(column) for column in batch], schema=self.schema)

    def __arrow_c_schema__(self) -> object:
        """Return the schema (Arrow's interface between libraries)."""
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return a new stream from the first row (Arrow's interface between libraries)."""
        reader = pa.RecordBatchReader.from_batches(self.schema, self.batches())
        return reader.__arrow_c_stream__(requested_schema)
