"""One reading of a large table of rows: each batch is coded alone, and goes into a private file.

Nothing has to be in memory together: neither the rows, nor the groups of equal rows. What a cell is
worth, and what a label is, are what `Sample.read` says.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from littlestone.data.arrow import portable
from littlestone.data.cells import Match
from littlestone.data.coded import CodedSample, Gathered, HeldRows
from littlestone.data.convert import codes_of
from littlestone.data.counting import EMPTY, STOPPED, label_codes, match, point_columns
from littlestone.data.domains import Domain, RowDomain
from littlestone.data.engine import quietly
from littlestone.data.sample import Sample
from littlestone.data.schema import Schema
from littlestone.data.tables import read_table
from littlestone.errors import DataError

__all__ = ["LARGE", "read_coded"]

#: Public: tables of at least so many rows are coded.
LARGE = 1 << 20

_SIMPLE = (
    *(pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean),
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view),
    *(pa.types.is_binary, pa.types.is_large_binary, pa.types.is_dictionary),
)


def read_coded(
    table: Any,
    *,
    y: str,
    domain: Domain,
    x: Any = None,
    positive: Any = 1,
    strict: bool = False,
    negative: Any = None,
    csv: Any = None,
    owner: str = "read_coded",
    large: int = LARGE,
) -> Sample:
    """Return the sample of a table of rows, coded batch after batch, where it is large.

    Parameters
    ----------
    table, y, domain, x, positive, strict, negative, csv, owner
        As for `Sample.read`; the domain is that of the rows of a schema.
    large : int
        Public: how many rows there must be.

    Returns
    -------
    Sample
        A `CodedSample` if the table hands out batches of rows (Parquet, tables in memory, DuckDB),
        all its columns hold numbers, booleans, texts or bytes, it has that many rows, and reading
        is not strict; else what `Sample.read` returns.

    Notes
    -----
    *Cost.* One pass; memory for a few million codes, and a byte of a private file for each code
    of each different row, or a few more where equal rows are far apart. Figures: ``docs/scale.md``.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30]}})
    >>> table = {"age": [44, None, 17, 50], "ill": [1, 0, 0, 0]}
    >>> sample = read_coded(table, y="ill", domain=RowDomain(schema), large=1)
    >>> type(sample).__name__, sample.n, sample.positives
    ('CodedSample', 4, 1)
    """
    declared = domain.schema.csv if isinstance(domain, RowDomain) else None
    opened = read_table(table, csv=csv, declared=declared, owner=owner)

    def plain() -> Sample:
        arguments = {"x": x, "y": y, "domain": domain, "positive": positive, "owner": owner}
        return Sample.read(opened, strict=strict, negative=negative, **arguments)

    if strict or not isinstance(domain, RowDomain):
        return plain()
    is_positive = match(owner, "positive", positive)
    names, schema = point_columns(owner, x, domain)
    stream = opened.stream([*names, y], owner)
    if schema is None or stream is None or not all(map(_simple, stream.kinds)):
        return plain()
    rows = quietly(opened.rows, STOPPED.format(owner))
    if rows is None or rows < large:
        return plain()

    def run() -> CodedSample:
        held = HeldRows(schema.n_codes)
        gathered = Gathered(held)
        for batch in stream.batches():
            gathered.add(*_coded(batch, schema, is_positive))
        gathered.close()
        return CodedSample(held)

    sample = quietly(run, STOPPED.format(owner))
    if not sample.n:
        raise DataError(EMPTY.format(owner))
    return sample


def _coded(batch: pa.RecordBatch, schema: Schema, positive: Match) -> tuple[Any, Any]:
    """Return the codes of the rows of a batch, column by column, and their labels."""
    codes = []
    for cells, column in zip(batch.columns, schema, strict=False):
        alone = portable(cells) if column.of_numbers else cells  # else made so cell by cell
        codes.append(codes_of(pa.chunked_array([alone]), column))
    labels = pa.chunked_array([batch.columns[-1]])
    return codes, label_codes(labels, positive)


def _simple(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _simple(kind.value_type)
    return any(test(kind) for test in _SIMPLE)
