"""``littlestone predict``: label the rows of a table by a released model."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from littlestone.types import Labels

__all__ = ["predict"]

_CHUNK = 1 << 20  # rows that are turned into text at once


def predict(model: str, data: str, /, *, x: str | None = None, out: str | None = None) -> int:
    """Label each row of a table by a released model; costs no privacy of the model's records.

    Writes CSV: a line "prediction", then 0 or 1 for each row, in the order of the rows. A row
    outside the model's public domain is labelled 0.

    Parameters
    ----------
    model:
        File written by `littlestone fit --out`.
    data:
        Table: a Parquet or CSV file. The model says which columns are read.
    x:
        Column of points, if it has another name here than in the model.
    out:
        Write here instead of to the standard output; an existing file is replaced.
    """
    from littlestone.cli.files import check_inputs_kept, check_outputs
    from littlestone.cli.terminal import progress_of
    from littlestone.learners.release import Release
    from littlestone.safe_io import replacing

    check_outputs("predict", out=out)
    check_inputs_kept("predict", [model, data], out=out)
    release = Release.read(model)
    with progress_of("Labelling rows"):
        labels = release.predict(data, x=x)
        if out is None:
            _write(labels, sys.stdout)
        else:
            with replacing(out) as file:
                _write(labels, file)
    return 0


def _write(labels: Labels, file: IO[str]) -> None:
    file.write("prediction\n")
    for start in range(0, len(labels), _CHUNK):
        part = labels[start : start + _CHUNK]
        file.write("\n".join("01"[label] for label in part.tolist()) + "\n")
