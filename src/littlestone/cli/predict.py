"""``littlestone predict``: label the rows of a table by a released model."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING

from littlestone.cli.options import Flag

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from littlestone.types import Labels

    Chances = npt.NDArray[np.float64]

__all__ = ["predict"]

_CHUNK = 1 << 20  # rows that are turned into text at once


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
    from littlestone.learners.release import Release
    from littlestone.safe_io import replacing

    check_outputs("predict", out=out)
    check_inputs_kept("predict", [model, data], out=out)
    release = Release.read(model)
    with progress_of("Labelling rows"):
        chances = release.predict_proba(data, x=x, csv=csv) if proba else None
        labels = release.predict(data, x=x, csv=csv)
        if out is None:
            _write(labels, chances, sys.stdout)
        else:
            with replacing(out) as file:
                _write(labels, chances, file)
    return 0


def _write(labels: Labels, chances: Chances | None, file: IO[str]) -> None:
    file.write("prediction\n" if chances is None else "prediction,probability\n")
    for start in range(0, len(labels), _CHUNK):
        lines = ["01"[label] for label in labels[start : start + _CHUNK].tolist()]
        if chances is not None:
            part = chances[start : start + _CHUNK].tolist()
            lines = [f"{line},{chance:.6g}" for line, chance in zip(lines, part, strict=True)]
        file.write("\n".join(lines) + "\n")
