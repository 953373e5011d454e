"""Boosted trees and scorecards against DP-EBM: accuracy, AUROC, log loss, seconds, on test rows.

    python benchmarks/boosting/compare.py                               # all six tables
    python benchmarks/boosting/compare.py --tables adult --epsilons 1 --seeds 3
    python benchmarks/boosting/compare.py --summary                     # only the tables of results

The tables are those of ``benchmarks/tables`` (there are packages, versions, schemas and splits).
Each fit is one line of ``--cache``, so a stopped command goes on where it was. DP-EBM needs
``pip install interpret-core==0.7.8``; a fit that fails or takes longer than ``--limit`` seconds is
kept as failed, and is never counted as beaten.

*Two neighbour relations.* The guarantee of this library is for one record replaced, with delta
1e-6 or pure. DP-EBM's noise is calibrated to one record added or removed (``own``); for one record
replaced its noise multiplier is doubled (``replace-one``). DP-EBM chooses between two encodings and
two learning rates here by the test rows, which flatters it: the best of its four is shown.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score

sys.path.insert(0, str(Path(__file__).parents[1] / "tables"))

from definitions import TABLES
from fetch import prepare

from littlestone.classes import BoostedTreeClass
from littlestone.data import Sample, Schema
from littlestone.learners.boosting import Boosting
from littlestone.source import SeededSource

EPSILONS = ("0.1", "0.5", "1", "2")
DELTA = "1e-6"
OURS = {
    "boosted trees": (2, DELTA),
    "boosted trees, pure": (2, None),
    "scorecard": (1, DELTA),
}
RATES = (0.01, 0.1)  # DP-EBM's default, and a better one
ENCODINGS = ("bins", "values")
RELATIONS = ("own", "replace-one")
MEASURES = ("accuracy", "auroc", "balanced", "log_loss")


class _TooLongError(Exception):
    """A fit takes longer than the limit."""


def ours(table: str, arrays: Any, method: str, epsilon: str, seed: int) -> np.ndarray:
    """Return probabilities of the test rows."""
    schema = Schema.from_toml(TABLES[table].schema)
    depth, delta = OURS[method]
    test = arrays["test"]
    sample = Sample.of(arrays["codes"][~test], arrays["labels"][~test])
    learner = Boosting(BoostedTreeClass(schema, depth), epsilon=epsilon, delta=delta)
    return learner.draw(sample, SeededSource(seed)).probability(arrays["codes"][test])


def dp_ebm(
    arrays: Any, encoding: str, rate: float, relation: str, epsilon: str, seed: int
) -> np.ndarray:
    """Return probabilities of the test rows by interpret's DP-EBM."""
    from interpret.glassbox._ebm import _ebm
    from interpret.privacy import DPExplainableBoostingClassifier
    from interpret.utils import _preprocessor, _privacy

    def noise(*args: Any, **kwargs: Any) -> float:
        factor = 2 if relation == "replace-one" else 1
        return factor * _privacy.calc_gdp_noise_multi(*args, **kwargs)

    _ebm.calc_gdp_noise_multi = _preprocessor.calc_gdp_noise_multi = noise
    numeric = arrays["numeric"] & (encoding == "values")
    bounds = np.column_stack([arrays["low"], arrays["high"]])
    cells = arrays["values" if encoding == "values" else "codes"].astype(object)
    for j in np.flatnonzero(~numeric):
        cells[:, j] = [f"c{int(c)}" for c in cells[:, j]]
    test = arrays["test"]
    model = DPExplainableBoostingClassifier(
        feature_types=["continuous" if one else "nominal" for one in numeric],
        privacy_bounds=bounds, learning_rate=rate, random_state=seed, epsilon=float(epsilon),
        delta=float(DELTA), n_jobs=1,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(cells[~test], arrays["labels"][~test])
        return model.predict_proba(cells[test])[:, 1]


def measured(truth: np.ndarray, fit: Callable[[], np.ndarray], limit: int) -> dict[str, Any]:
    """Return what a fit reached, or how it failed."""

    def stop(*_: Any) -> None:
        raise _TooLongError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(limit)
    start = time.perf_counter()
    try:
        chances = fit()
    except _TooLongError:
        return {"failed": f"more than {limit} s"}
    except Exception as problem:  # kept, and shown
        return {"failed": type(problem).__name__}
    finally:
        signal.alarm(0)
    label = chances > 0.5
    return {
        "seconds": time.perf_counter() - start,
        "accuracy": float((label == truth).mean()),
        "auroc": float(roc_auc_score(truth, chances)),
        "balanced": float(balanced_accuracy_score(truth, label)),
        "log_loss": float(log_loss(truth, np.clip(chances, 1e-6, 1 - 1e-6))),
    }


def run(arguments: argparse.Namespace) -> None:
    """Run what the cache lacks."""
    path: Path = arguments.cache / "boosting.jsonl"
    done = {tuple(run["key"]) for run in load(path)}
    for table, epsilon in product(arguments.tables, arguments.epsilons):
        arrays = dict(np.load(prepare(TABLES[table], arguments.cache)))
        truth = arrays["labels"][arrays["test"]]
        for seed in range(arguments.seeds):
            fits: dict[tuple[str, ...], Callable[[], np.ndarray]] = {}
            for method in OURS:
                fits[method, "", "replace-one"] = (
                    lambda m=method: ours(table, arrays, m, epsilon, seed)  # noqa: B023
                )
            for encoding, rate, relation in product(ENCODINGS, RATES, RELATIONS):
                fits["DP-EBM", f"{encoding}, rate {rate}", relation] = (
                    lambda e=encoding, r=rate, n=relation: dp_ebm(arrays, e, r, n, epsilon, seed)  # noqa: B023
                )
            for (method, setting, relation), fit in fits.items():
                key = (table, epsilon, method, setting, relation, seed)
                if key in done:
                    continue
                result = {"key": key, **measured(truth, fit, arguments.limit)}
                with path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
                print(*key, {k: v for k, v in result.items() if k != "key"}, flush=True)


def load(path: Path) -> list[dict[str, Any]]:
    """Return the runs of a cache."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def summary(runs: list[dict[str, Any]]) -> str:
    """Return the results in Markdown: means over seeds, DP-EBM at its best setting by AUROC."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for one in runs:
        groups[tuple(one["key"][:5])].append(one)
    best: dict[tuple[Any, ...], tuple[float, str]] = {}
    for (table, epsilon, method, _, relation), found in groups.items():
        good = [one for one in found if "failed" not in one]
        row = (table, float(epsilon), method, relation)
        if not good:
            best.setdefault(row, (-1.0, found[0]["failed"]))
            continue
        mean = {m: np.mean([one[m] for one in good]) for m in (*MEASURES, "seconds")}
        spread = np.std([one["auroc"] for one in good])
        error = f" ± {spread / (len(good) - 1) ** 0.5:.4f}" if len(good) > 1 else ""
        missing = f" ({len(found) - len(good)} failed)" if len(good) < len(found) else ""
        text = (
            f"{mean['accuracy']:.4f} | {mean['auroc']:.4f}{error} | {mean['balanced']:.3f} "
            f"| {mean['log_loss']:.3f} | {mean['seconds']:.1f} | {len(good)}{missing}"
        )
        best[row] = max(best.get(row, (-1.0, "")), (float(mean["auroc"]), text))
    lines = [
        "| table | epsilon | method | neighbours | accuracy | AUROC | balanced | log loss | s "
        "| seeds |",
        "|---|--:|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for (table, epsilon, method, relation), (_, text) in sorted(best.items()):
        cells = text if "|" in text else f"failed: {text} | | | | | "
        lines.append(f"| {table} | {epsilon:g} | {method} | {relation} | {cells} |")
    return "\n".join(lines)


def main() -> None:
    """Run, and print the summary."""
    parser = argparse.ArgumentParser(description="Boosted trees against DP-EBM.")
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--epsilons", nargs="+", default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--limit", type=int, default=300, help="seconds of one fit")
    parser.add_argument("--summary", action="store_true", help="only print what the cache holds")
    default = Path(tempfile.gettempdir()) / "littlestone-tables"
    parser.add_argument("--cache", type=Path, default=default)
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    if not arguments.summary:
        run(arguments)
    print(summary(load(arguments.cache / "boosting.jsonl")))


if __name__ == "__main__":
    main()
