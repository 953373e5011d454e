"""``littlestone predict``: label the rows of a table by a released model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from littlestone.cli.options import Flag

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from littlestone.types import Labels

    Pieces = Iterator[tuple[Labels, npt.NDArray[np.float64] | None]]

__all__ = ["predict"]


def predict(
    model: str,
    data: str,
    /,
    *,
    x: str | None = None,
    csv: str | None = None,
    proba: Flag = False,
    out: str | None = None,
) -> int:
    """Label each row of a table by a released model; costs no privacy of the model's records.

    Writes CSV: a line "prediction", then 0 or 1 for each row, in the order of the rows; or Parquet,
    if --out ends in .parquet. A row outside the model's public domain is labelled 0. Files of any
    size are read and written piece by piece.

    Parameters
    ----------
    model:
        File written by `littlestone fit --out`.
    data:
        Table: a Parquet or CSV file. The model says which columns are read.
    x:
        Column of points, if it has another name here than in the model.
    csv:
        How a CSV file is written, for example "sep=;, decimal=comma, encoding=latin-1"; by default
        as the one that was learned from. Nothing is guessed from the cells.
    proba:
        Write "prediction,probability" instead: with the probability of 1, of a scorecard or of
        boosted trees; of another model the share of 1 that its evaluation found.
    out:
        Write here instead of to the standard output; an existing file is replaced.
    """
    from littlestone.cli.files import check_inputs_kept, check_outputs
    from littlestone.cli.terminal import progress_of
    from littlestone.data.formats import PARQUET, format_of
    from littlestone.learners.release import Release
    from littlestone.safe_io import replacing

    check_outputs("predict", out=out)
    check_inputs_kept("predict", [model, data], out=out)
    release = Release.read(model)
    with progress_of("Labelling rows"):
        pieces = release.predict_pieces(data, x=x, csv=csv, proba=proba)
        if out is None:
            _write(pieces, sys.stdout, proba=proba)
        else:
            with replacing(out) as file:
                if format_of(Path(out)) in PARQUET:
                    _write_parquet(pieces, file, proba=proba)
                else:
                    _write(pieces, file, proba=proba)
    return 0


def _write(pieces: Pieces, file: IO[str], *, proba: bool) -> None:
    import numpy as np

    head = "prediction,probability\n" if proba else "prediction\n"
    for labels, chances in pieces:
        file.write(head)  # not before the first piece has been read: it may be refused
        head = ""
        lines = np.array(["0", "1"])[labels].tolist()
        if chances is not None:
            values, which = np.unique(chances, return_inverse=True)
            written = np.array([f",{value:.6g}\n" for value in values], dtype=object)
            file.write("".join([a + b for a, b in zip(lines, written[which], strict=True)]))
        elif lines:
            file.write("\n".join(lines) + "\n")


def _write_parquet(pieces: Pieces, file: IO[str], *, proba: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = {"prediction": pa.int8()} | ({"probability": pa.float64()} if proba else {})
    schema = pa.schema(list(names.items()))
    with pq.ParquetWriter(file.buffer, schema) as writer:  # type: ignore[attr-defined]
        for labels, chances in pieces:
            arrays = [labels] if chances is None else [labels, chances]
            writer.write_table(pa.table(dict(zip(names, arrays, strict=True)), schema=schema))
