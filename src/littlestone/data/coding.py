"""One reading of a large table of rows: each batch is coded alone, and goes into a private file.

Nothing has to be in memory together: neither the rows, nor the groups of equal rows. What a cell is
worth, and what a label is, are what `Sample.read` says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.data.arrow import portable
from littlestone.data.batches import in_batches
from littlestone.data.cells import Match
from littlestone.data.coded import CodedLabels, CodedSample
from littlestone.data.convert import codes_of
from littlestone.data.counting import (
    STOPPED,
    check_rows,
    group_codes,
    group_sizes,
    in_groups,
    label_codes,
    listed_codes,
    match,
    number_columns,
    point_columns,
)
from littlestone.data.dialects import Frame
from littlestone.data.domains import Domain, RowDomain
from littlestone.data.engine import quietly
from littlestone.data.held import Gathered, HeldRows
from littlestone.data.multiclass import MulticlassSample
from littlestone.data.sample import Sample
from littlestone.data.schema import Schema
from littlestone.data.tables import Table, read_table
from littlestone.types import Label

__all__ = ["LARGE", "read_coded", "read_coded_labels"]

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
        A `CodedSample` if the table has that many rows and reading is not strict; else what
        `Sample.read` returns.

    Notes
    -----
    *Cost.* One pass over the batches of Parquet files, tables in memory and DuckDB relations whose
    columns hold numbers, booleans, texts or bytes. Other engines group first, and hand out their
    groups, Spark in batches. Memory for a few million codes, and a byte of a private file for each
    code of each different row, or a few more where equal rows are far apart. Figures:
    ``docs/scale.md``.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30]}})
    >>> table = {"age": [44, None, 17, 50], "ill": [1, 0, 0, 0]}
    >>> sample = read_coded(table, y="ill", domain=RowDomain(schema), large=1)
    >>> type(sample).__name__, sample.n, sample.positives
    ('CodedSample', 4, 1)
    """
    is_positive = match(owner, "positive", positive)
    columns: dict[str, Any] = {"x": x, "y": y, "domain": domain, "owner": owner}
    found = _read(table, [is_positive], None if strict else large, csv=csv, **columns)
    if isinstance(found, HeldRows):
        sample = CodedSample(found)
        # of some tables the number of rows is known only now
        return sample if sample.n >= large else sample.count()
    return Sample.read(found, strict=strict, negative=negative, positive=positive, **columns)


def read_coded_labels(
    table: Any,
    *,
    y: str,
    domain: Domain,
    labels: Sequence[Label],
    x: Any = None,
    strict: bool = False,
    csv: Any = None,
    owner: str = "read_coded_labels",
    large: int = LARGE,
) -> MulticlassSample:
    """Return the sample with a public list of labels, coded in the same way.

    Parameters
    ----------
    table, y, domain, labels, x, strict, csv, owner
        As for `MulticlassSample.read`; the domain is that of the rows of a schema.
    large : int
        As for `read_coded`.

    Returns
    -------
    MulticlassSample
        A `CodedLabels`, or what `MulticlassSample.read` returns.

    Notes
    -----
    *Cost.* As `read_coded`: the label is a byte anyway.

    Examples
    --------
    >>> from littlestone.data import Schema
    >>> schema = Schema.from_dict({"age": {"bins": [30]}})
    >>> table = {"age": [44, None, 17, 50], "kind": ["a", "?", "c", "a"]}
    >>> sample = read_coded_labels(
    ...     table, y="kind", domain=RowDomain(schema), labels=("a", "b", "c"), large=1)
    >>> type(sample).__name__, sample.by_label.tolist()
    ('CodedLabels', [2, 0, 1, 1])
    """
    rules = [match(owner, "labels", label) for label in labels]
    columns: dict[str, Any] = {"x": x, "y": y, "domain": domain, "owner": owner}
    found = _read(table, rules, None if strict else large, csv=csv, **columns)
    if isinstance(found, HeldRows):
        sample = CodedLabels(found)
        return sample if sample.n >= large else sample.count()
    return MulticlassSample.read(found, labels=labels, strict=strict, **columns)


def _read(
    table: Any,
    rules: Sequence[Match],
    large: int | None,
    *,
    x: Any,
    y: str,
    domain: Domain,
    csv: Any,
    owner: str,
) -> HeldRows | Table:
    """Return the coded rows of a table, or the opened table where it is not coded.

    One rule says which cells have label 1; several ones the labels, and what equals none is last.
    """
    declared = domain.schema.csv if isinstance(domain, RowDomain) else None
    opened = read_table(table, csv=csv, declared=declared, owner=owner)
    if large is None or not isinstance(domain, RowDomain):
        return opened
    names, schema = point_columns(owner, x, domain)
    assert schema is not None
    rows = quietly(opened.rows, STOPPED.format(owner))
    if rows is not None and rows < large:
        return opened
    numeric = all(rule.numeric for rule in rules)
    numbers = number_columns(names, schema, domain) + ([y] if numeric else [])
    frame = opened.frame([*names, y], owner, numbers=numbers)  # refuses what has no cells
    stream = opened.stream([*names, y], owner)
    if stream is not None and all(map(_simple, stream.kinds)):
        batches: Iterator[tuple[Any, ...]] = (
            _coded(batch, schema, rules) for batch in stream.batches()
        )
    else:
        batches = _groups(frame, schema, rules, owner, rows)

    def run() -> HeldRows:
        held = HeldRows(schema.n_codes, 2 if len(rules) == 1 else len(rules) + 1)
        gathered = Gathered(held)
        for batch in batches:
            gathered.add(*batch)
        gathered.close()
        return held

    held = quietly(run, STOPPED.format(owner))
    check_rows(sum(held.by_label), owner)
    return held


def _groups(
    frame: Frame, schema: Schema, rules: Sequence[Match], owner: str, rows: int | None
) -> Iterator[tuple[Any, ...]]:
    """Let the engine group by raw cells or codes; yield codes, labels and counts, in batches."""
    width = len(schema)
    for batch in in_batches(in_groups(frame, width, schema), rows=rows):
        counted = pa.Table.from_batches([batch])
        labels = _labelled(counted[f"k{width}"], rules)
        yield group_codes(counted, schema, owner).T, labels, group_sizes(counted)


def _coded(batch: pa.RecordBatch, schema: Schema, rules: Sequence[Match]) -> tuple[Any, Any]:
    """Return the codes of the rows of a batch, column by column, and their labels."""
    codes = []
    for cells, column in zip(batch.columns, schema, strict=False):
        alone = portable(cells) if column.of_numbers else cells  # else made so cell by cell
        codes.append(codes_of(pa.chunked_array([alone]), column))
    labels = pa.chunked_array([batch.columns[-1]])
    return codes, _labelled(labels, rules)


def _labelled(cells: pa.ChunkedArray, rules: Sequence[Match]) -> npt.NDArray[np.int8]:
    return label_codes(cells, rules[0]) if len(rules) == 1 else listed_codes(cells, rules)


def _simple(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _simple(kind.value_type)
    return any(test(kind) for test in _SIMPLE)
