"""The cache of results: one JSON line for each run, so a stopped comparison goes on where it was.

Standard library only: the workers of both environments use it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["Cache", "Run", "load", "score"]


@dataclass(frozen=True)
class Run:
    """What one fit reached on the test rows.

    Attributes
    ----------
    table, method : str
    encoding : str
        ``"bins"`` (the codes of the schema) or ``"values"`` (numbers clipped to public bounds).
    epsilon : float or None
        None: not private.
    seed : int
    accuracy, sensitivity, specificity : float
        Shares of all test rows, of those with label 1, of those with label 0 that are right.
    seconds : float
        Time of the fit; draws that share computed weights share their time.
    """

    table: str
    method: str
    encoding: str
    epsilon: float | None
    seed: int
    accuracy: float
    sensitivity: float
    specificity: float
    seconds: float

    @property
    def key(self) -> tuple[object, ...]:
        """What was run, without what came out."""
        return (self.table, self.method, self.encoding, self.epsilon, self.seed)

    @property
    def balanced(self) -> float:
        """Mean of sensitivity and specificity: 1/2 for every constant answer."""
        return (self.sensitivity + self.specificity) / 2


class Cache:
    """A file of runs that only grows.

    Parameters
    ----------
    path : Path
        Of the worker that writes it; no two workers share one.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = {run.key for run in load([path])}

    def missing(
        self, table: str, method: str, encoding: str, epsilon: float | None, seeds: Sequence[int]
    ) -> list[int]:
        """Return the seeds that have not been run."""
        return [s for s in seeds if (table, method, encoding, epsilon, s) not in self._known]

    def add(self, run: Run) -> None:
        """Append a run."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(run)) + "\n")
        self._known.add(run.key)
        where = f"epsilon {run.epsilon}" if run.epsilon is not None else "not private"
        print(
            f"{run.table} {run.method} ({run.encoding}) {where} seed {run.seed}: "
            f"{run.accuracy:.4f} in {run.seconds:.1f} s",
            flush=True,
        )


def load(paths: Sequence[Path]) -> list[Run]:
    """Return all runs of the files that are there."""
    lines = [
        line for path in paths if path.exists() for line in path.read_text("utf-8").splitlines()
    ]
    return [Run(**json.loads(line)) for line in lines]


def score(
    table: str,
    method: str,
    encoding: str,
    epsilon: float | None,
    seed: int,
    fit: Callable[[], Sequence[int]],
    truth: Sequence[int],
) -> Run:
    """Fit, compare the answers on the test rows with the truth, and return the run."""
    start = time.perf_counter()
    answers = fit()
    seconds = time.perf_counter() - start
    right = [0, 0]
    total = [0, 0]
    for answer, label in zip(answers, truth, strict=True):
        total[label] += 1
        right[label] += int(answer) == label
    shares = [right[label] / max(total[label], 1) for label in (1, 0)]
    accuracy = sum(right) / len(truth)
    return Run(table, method, encoding, epsilon, seed, accuracy, *shares, round(seconds, 3))
