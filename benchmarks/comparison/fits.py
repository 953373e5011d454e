"""What one fit reached on the test rows, and the cache of them: one line of JSON for each fit.

NumPy and scikit-learn only: the workers of all three environments use it. A key is (table, epsilon,
method, setting, relation, seed); epsilon is "" where nothing is private. Seconds are of processor
time. A fit that fails, or takes more than the limit, is kept as failed; after one that takes too
long, the other seeds and epsilons of the same route on the same table are kept as failed unrun.
"""

from __future__ import annotations

import argparse
import csv
import json
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score

__all__ = [
    "DELTA", "MEASURES", "SLOW", "Cache", "calibration_error", "keep", "load", "restore", "worker",
]  # fmt: skip

Key = tuple[str, str, str, str, str, int]
Fit = Callable[[], np.ndarray]
Scores = Callable[[Any, np.ndarray], dict[str, float]]

DELTA = "1e-6"
MEASURES = ("accuracy", "auroc", "balanced", "log_loss", "calibration")
SLOW = 60  # seconds of a fit from which three seeds are enough
KEPT = Path(__file__).with_name("results.csv")
COLUMNS = ("table", "epsilon", "method", "setting", "relation", "seed")


class _TooLongError(Exception):
    """A fit takes longer than the limit."""


class Cache:
    """A file of fits that only grows, of one worker.

    Parameters
    ----------
    path : Path
    limit : int
        Seconds of processor time for one fit.
    scores : callable
        From the truth and what a fit returned to the measures.
    """

    def __init__(self, path: Path, limit: int, scores: Scores | None = None) -> None:
        self._path, self._limit, self._scores = path, limit, scores or of_labels
        self._done: dict[Key, dict[str, Any]] = {tuple(one["key"]): one for one in load([path])}
        self._routes: dict[tuple[str, ...], dict[str, Any]] = {}
        for key, one in self._done.items():
            self._note(key, one)

    def run(self, key: Key, truth: np.ndarray, fit: Fit) -> None:
        """Run a fit that the cache lacks, and append it."""
        known = self._routes.get(_route(key), {})
        if key in self._done or (key[5] >= 3 and known.get("seconds", 0) > SLOW):
            return
        if known.get("failed", "").startswith("more than"):
            result = {"failed": known["failed"]}
        else:
            result = self._measured(truth, fit)
        one = {"key": list(key), **result}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(one) + "\n")
        self._done[key] = one
        self._note(key, one)
        print(*key, result, flush=True)

    def _note(self, key: Key, one: dict[str, Any]) -> None:
        if "failed" in one or one.get("seconds", 0) > SLOW:
            self._routes[_route(key)] = one

    def _measured(self, truth: np.ndarray, fit: Fit) -> dict[str, Any]:
        def stop(*_: Any) -> None:
            raise _TooLongError

        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, self._limit)
        start = time.process_time()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of the libraries, about clipped data
                found = np.asarray(fit(), dtype=np.float64)
        except _TooLongError:
            return {"failed": f"more than {self._limit} s"}
        except Exception as problem:  # kept, and shown
            return {"failed": f"{type(problem).__name__}: {problem}"[:200]}
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return {
            "seconds": round(time.process_time() - start, 3),
            **self._scores(truth, found),
        }


def of_labels(truth: np.ndarray, chances: np.ndarray) -> dict[str, float]:
    """Return the measures of probabilities of label 1."""
    label = chances > 0.5
    return {
        "accuracy": float((label == truth).mean()),
        "auroc": float(roc_auc_score(truth, chances)),
        "balanced": float(balanced_accuracy_score(truth, label)),
        "log_loss": float(log_loss(truth, np.clip(chances, 1e-6, 1 - 1e-6))),
        "calibration": calibration_error(chances, truth),
    }


def calibration_error(chances: np.ndarray, labels: np.ndarray) -> float:
    """Return the mean distance between predicted and found shares, in 20 bins of equal width."""
    bins = np.minimum((chances * 20).astype(int), 19)
    return float(np.abs(np.bincount(bins, weights=chances - labels)).sum() / len(labels))


def _route(key: Key) -> tuple[str, ...]:
    table, _, method, setting, relation, _ = key
    return table, method, setting, relation


def load(paths: list[Path]) -> list[dict[str, Any]]:
    """Return the fits of the caches that are there."""
    return [
        json.loads(line)
        for path in paths
        if path.exists()
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


def keep(
    folder: Path,
    workers: tuple[str, ...],
    kept: Path | None = None,
    measures: tuple[str, ...] = MEASURES,
) -> None:
    """Write the fits of the workers' caches to a file, ``results.csv`` beside this one."""
    results = ("seconds", *measures, "failed")
    rows = [
        (name, *one["key"], *(_short(one.get(result, "")) for result in results))
        for name in workers
        for one in load([folder / f"{name}.jsonl"])
    ]
    with (kept or KEPT).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("worker", *COLUMNS, *results))
        table.writerows(sorted(rows))


def restore(folder: Path, workers: tuple[str, ...], kept: Path | None = None) -> None:
    """Write the fits of a file, ``results.csv``, to the caches that are not there."""
    with (kept or KEPT).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for name in workers:
        path = folder / f"{name}.jsonl"
        if path.exists():
            continue
        lines = [json.dumps(_fit(row)) + "\n" for row in rows if row["worker"] == name]
        path.write_text("".join(lines), encoding="utf-8")


def _fit(row: dict[str, str]) -> dict[str, Any]:
    key = [*(row[name] for name in COLUMNS[:-1]), int(row["seed"])]
    if row["failed"]:
        return {"key": key, "failed": row["failed"]}
    found = {name: cell for name, cell in row.items() if name not in ("worker", *COLUMNS)}
    return {"key": key, **{name: float(cell) for name, cell in found.items() if cell}}


def _short(value: float | str) -> float | str:
    return value if isinstance(value, str) else round(value, 5)


def worker(
    description: str,
    name: str,
    fits: Callable[[Path, str, str, int], dict[Key, Fit]],
    truth: Callable[[Path, int], Any] | None = None,
    scores: Scores | None = None,
) -> None:
    """Run the fits of one worker: the command line of the rivals' scripts.

    Parameters
    ----------
    description, name : str
        The latter names the file of the cache.
    fits : callable
        From the prepared file, the name of the table, an epsilon and a seed.
    truth, scores : callable
        From the prepared file and a seed what is true of the test rows, and how to measure it;
        without, labels.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("cache", type=Path)
    parser.add_argument("table")
    parser.add_argument("--epsilons", nargs="+", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", required=True)
    parser.add_argument("--limit", type=int, required=True)
    arguments = parser.parse_args()
    cache = Cache(arguments.cache / f"{name}.jsonl", arguments.limit, scores)
    path = arguments.cache / f"{arguments.table}.npz"
    for seed in arguments.seeds:
        known = (truth or _labels)(path, seed)
        for epsilon in arguments.epsilons:
            for key, fit in fits(path, arguments.table, epsilon, seed).items():
                cache.run(key, known, fit)


def _labels(path: Path, seed: int) -> np.ndarray:
    with np.load(path) as arrays:
        labels: np.ndarray = arrays["labels"][arrays["test"]]
    return labels
