"""A prepared table, its split by a seed, and what predictions of the test rows reached.

NumPy only: rivals use it in an environment of their own.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["MEASURES", "Arrays", "arrays_of", "concordance", "scores", "truth"]

Matrix = npt.NDArray[Any]

#: R2, the share of the deviance explained, or concordance; predicted over true mean.
MEASURES = ("score", "ratio")


class Arrays:
    """A prepared table: codes, numbers, targets, and the public facts of its columns."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            found = {name: file[name] for name in file.files}
        self.codes, self.values, self.numeric = found["codes"], found["values"], found["numeric"]
        self.n_codes, self.low, self.high = found["n_codes"], found["low"], found["high"]
        self.y, self.event, self.user = found["y"], found["event"], found["user"]
        self.kind, (self.least, self.most) = str(found["kind"]), found["range"]

    def test(self, seed: int) -> npt.NDArray[np.bool_]:
        """Return which rows are test rows: those of a fifth of the units."""
        names, unit = np.unique(self.user, return_inverse=True)
        drawn = np.random.default_rng(seed).permutation(len(names)) < len(names) // 5
        return drawn[unit]

    def once(self, rows: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return the first of these rows of each unit."""
        at = np.flatnonzero(rows)
        _, first = np.unique(self.user[at], return_index=True)
        found = np.zeros(len(rows), dtype=bool)
        found[at[first]] = True
        return found


@lru_cache(maxsize=1)
def arrays_of(path: Path) -> Arrays:
    """Return the table of a path; the last one is kept."""
    return Arrays(path)


def truth(path: Path, seed: int) -> dict[str, Any]:
    """Return what is true of the test rows, and the mean of the others."""
    arrays = arrays_of(path)
    test = arrays.test(seed)
    return {
        "kind": arrays.kind, "y": arrays.y[test], "event": arrays.event[test],
        "mean": arrays.y[~test].mean(), "most": arrays.most,
    }  # fmt: skip


def scores(known: dict[str, Any], found: Matrix) -> dict[str, float]:
    """Return `MEASURES` of predictions of the test rows."""
    y = known["y"]
    if known["kind"] == "time":
        last = known["most"]
        seen = known["event"] & (y <= last)
        return {"score": concordance(np.minimum(y, last + 1), seen, found)}
    ratio = float(found.mean() / y.mean())
    if known["kind"] == "count":
        explained = 1 - deviance(y, np.maximum(found, 1e-3)) / deviance(y, known["mean"])
        return {"score": float(explained), "ratio": ratio}
    r2 = 1 - ((y - found) ** 2).mean() / ((y - y.mean()) ** 2).mean()
    return {"score": float(r2), "ratio": ratio}


def concordance(time: Matrix, event: Matrix, risk: Matrix) -> float:
    """Return Harrell's share of comparable pairs that are in order.

    Examples
    --------
    >>> time, event = np.array([1, 2, 3]), np.array([True, True, False])
    >>> [round(concordance(time, event, np.array(risk)), 2) for risk in ([3, 2, 1], [3, 1, 1])]
    [1.0, 0.83]
    """
    right = pairs = 0.0
    for i in np.flatnonzero(event):
        later = time > time[i]
        right += (risk[later] < risk[i]).sum() + 0.5 * (risk[later] == risk[i]).sum()
        pairs += later.sum()
    return float(right / pairs)


def deviance(y: Matrix, rate: Any) -> float:
    """Return the mean Poisson deviance."""
    logs = np.where(y > 0, y * np.log(np.maximum(y, 1) / rate), 0)
    return float(2 * (logs - (y - rate)).mean())
