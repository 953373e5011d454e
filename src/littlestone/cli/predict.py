"""``littlestone predict``, ``report``, ``export``: what is done with a released model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from littlestone.cli.options import Csv, Flag, Model, Out
from littlestone.errors import parameter_error

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from littlestone.types import Label, Labels

    Pieces = Iterator[tuple[Labels, npt.NDArray[np.float64] | None]]


def predict(
    model: Model,
    data: str,
    /,
    *,
    x: str | None = None,
    asked: Csv = Csv(),
    proba: Flag = False,
    out: Out = None,
) -> int:
    """Label each row of a table by a released model; costs no privacy of the model's records.

    Writes CSV: a line "prediction", then 0 or 1 (or a label of the model's list) for each row, in
    the order of the rows; or Parquet, if --out ends in .parquet. A row outside the model's public
    domain gets the first label. Files of any size are read and written piece by piece.

    Parameters
    ----------
    data:
        Table: a Parquet or CSV file. The model says which columns are read.
    x:
        Column of points, if it has another name here than in the model.
    proba:
        Write "prediction,probability" instead: with the probability of 1, of a scorecard or of
        boosted trees; of another model the share of 1 that its evaluation found. Of a model with a
        list of labels: a column for the share of each label.
    """
    from littlestone.cli.files import check_outputs
    from littlestone.cli.terminal import reading
    from littlestone.data.formats import PARQUET, format_of
    from littlestone.learners.release import Release
    from littlestone.safe_io import replacing

    check_outputs("predict", model, data, out=out)
    if out is not None and out.lower().endswith(".gz"):
        hint = "Compress the file afterwards: gzip FILE."
        raise parameter_error("predict", "out", "a file that does not end in .gz", out, hint)
    release = Release.read(model)
    with reading("Labelling rows"):
        pieces = release.predict_pieces(data, x=x, csv=asked.csv, proba=proba)
        names = release.labels
        if out is None:
            _write(pieces, sys.stdout, names, proba=proba)
        else:
            with replacing(out) as file:
                if format_of(Path(out)) in PARQUET:
                    _write_parquet(pieces, file, names, proba=proba)
                else:
                    _write(pieces, file, names, proba=proba)
    return 0


def report(model: Model, /, *, out: str) -> int:
    """Write the page of a model: the rule, what is promised, and why.

    Parameters
    ----------
    out:
        Write the page (HTML) here; an existing file is replaced.
    """
    from littlestone.cli.files import check_outputs
    from littlestone.cli.terminal import facts
    from littlestone.learners.release import Release
    from littlestone.report import page
    from littlestone.safe_io import write_text

    check_outputs("report", model, out=out)
    write_text(out, page(Release.read(model)))
    facts([("Page", out, "")])
    return 0


def export(model: Model, /, *, to: str = "sql", dialect: str = "duckdb", out: Out = None) -> int:
    """Write a tree, a scorecard or boosted trees for another program; costs no privacy.

    Parameters
    ----------
    to:
        sql: one expression, the probability of 1 (of a tree, a rule list or several labels: the
        label); python: a module without dependencies; json: the trees and the schema.
    dialect:
        For sql: duckdb reads cells exactly as this program does; standard is for columns that have
        their proper types.
    """
    from littlestone.cli.files import check_outputs
    from littlestone.learners.release import Release
    from littlestone.safe_io import write_text

    check_outputs("export", model, out=out)
    written = Release.read(model).export(to, dialect=dialect) + "\n"
    if out is None:
        sys.stdout.write(written)
    else:
        write_text(out, written)
    return 0


def _head(labels: tuple[Label, ...], *, proba: bool) -> list[str]:
    """Return the names of the columns."""
    if labels == (0, 1):
        return ["prediction", "probability"] if proba else ["prediction"]
    each = [f"probability of {label}" for label in labels]
    return ["prediction", *each] if proba else ["prediction"]


def _write(pieces: Pieces, file: IO[str], names: tuple[Label, ...], *, proba: bool) -> None:
    import numpy as np

    head = ",".join(map(_cell, _head(names, proba=proba))) + "\n"
    cells = np.array([_cell(str(name)) for name in names], dtype=object)
    width = len(_head(names, proba=True)) - 1
    for labels, chances in pieces:
        file.write(head)  # not before the first piece has been read: it may be refused
        head = ""
        lines = cells[labels].tolist()
        if chances is not None:
            values, which = np.unique(chances, axis=0, return_inverse=True)
            rows = values.reshape(len(values), width).tolist()
            shares = ["".join(f",{value:.6g}" for value in row) + "\n" for row in rows]
            written = np.array(shares, dtype=object)[which.reshape(-1)]
            file.write("".join([a + b for a, b in zip(lines, written, strict=True)]))
        elif lines:
            file.write("\n".join(lines) + "\n")


def _cell(text: str) -> str:
    """Return a text as a cell of CSV."""
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _write_parquet(pieces: Pieces, file: IO[str], names: tuple[Label, ...], *, proba: bool) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    own, head = names != (0, 1), _head(names, proba=proba)
    kind = pa.int8() if not own else pa.string() if isinstance(names[0], str) else pa.int64()
    schema = pa.schema([(head[0], kind), *((name, pa.float64()) for name in head[1:])])
    with pq.ParquetWriter(file.buffer, schema) as writer:  # type: ignore[attr-defined]
        for labels, chances in pieces:
            columns = [] if chances is None else list(chances.reshape(len(labels), len(head) - 1).T)
            first = np.array(names)[labels] if own else labels
            arrays = [pa.array(part) for part in (first, *columns)]
            writer.write_table(pa.table(dict(zip(head, arrays, strict=True)), schema=schema))
