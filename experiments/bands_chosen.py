"""Two constants of pages, chosen on generated tables that no comparison uses.

How much of what probabilities add to ties of merged scores is left open in the band of AUROC
(``unsure``), and how often the spread of noise an effect must pass to be shown (``--effects``). A
table is a law of columns and a share of label 1; the population is 60,000 rows of it. The
rule leaves a third open where noise and sampling outweigh ties, and all where they do not.

``python experiments/bands_chosen.py [--effects]`` writes ``docs/experiments/bands_chosen.csv`` and
``effects_chosen.csv``; the first one in two runs, ``--sizes 2000 5000``, and ``--sizes 20000 100000
--fits 1``. The least ``unsure`` is chosen with which, at each size, at least 95 % of the bands hold
the truth, and of no table so few that 95 % is excluded (Clopper and Pearson, at 99.9 %): with few
records the noise hides what probabilities miss. Of effects, the least limit that at most one in
twenty columns of each kind passes. Judged are the choices on other tables, by ``evaluations.py``.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from evaluations import EVALUATION, auroc, schema_of, upper, with_curve

import littlestone as ls
from littlestone.classes import TreeSum
from littlestone.data import Sample
from littlestone.evaluation.histogram import held_out_by_rule
from littlestone.learners.release import evaluation_of
from littlestone.learners.running import _histogram
from littlestone.report.targets import Shown, effects, noise_ranges, scorecard
from littlestone.source import SeededSource

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "experiments"
ROWS, SIZES, SHARES = 60_000, [2_000, 5_000, 20_000, 100_000], (0.5, 0.15, 0.05)
UNSURE = (0.0, 1 / 6, 1 / 4, 1 / 3, 1 / 2, 3 / 4, 1.0, None)
Floats = Any


def _normal(rng: np.random.Generator, columns: int, correlation: float = 0.0) -> Floats:
    shared = rng.normal(size=(ROWS, 1))
    own = rng.normal(size=(ROWS, columns))
    return np.sqrt(1 - correlation) * own + np.sqrt(correlation) * shared


def linear(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Eight columns, effects that halve."""
    x = _normal(rng, 8)
    return x, x @ (1.2 * 0.5 ** np.arange(8))


def correlated(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Columns that say the same, in part."""
    x = _normal(rng, 8, 0.5)
    return x, x @ np.array([0.6, 0.5, 0.4, -0.4, 0.2, 0, 0, 0])


def steps(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Thresholds."""
    x = _normal(rng, 6)
    return x, 1.5 * (x[:, 0] > 0.3) - 1.2 * (x[:, 1] > 1) + 0.8 * (np.abs(x[:, 2]) > 1)


def products(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Have an interaction, which no sum of single columns knows."""
    x = _normal(rng, 6)
    return x, 0.7 * x[:, 0] + 1.2 * x[:, 1] * x[:, 2]


def heavy(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Columns and effects with a heavy tail: a few are nearly sure."""
    x = np.exp(_normal(rng, 5))
    return x, np.clip(x @ np.array([0.5, 0.3, -0.4, 0, 0]), -4, 6)


def weak(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Hardly any effect, of many columns."""
    x = _normal(rng, 15)
    return x, x @ np.full(15, 0.08)


LAWS = (linear, correlated, steps, products, heavy, weak)


def table(
    law: Callable[[np.random.Generator], tuple[Floats, Floats]], share: float
) -> tuple[pd.DataFrame, Floats]:
    """Return the rows of a law, and labels of which so large a share is 1."""
    rng = np.random.default_rng([LAWS.index(law), round(1000 * share)])
    x, odds = law(rng)
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        chance = 1 / (1 + np.exp(-(odds + middle)))
        low, high = (middle, high) if chance.mean() < share else (low, middle)
    names = [f"x{j}" for j in range(x.shape[1])]
    return pd.DataFrame(x, columns=names), rng.random(ROWS) < chance


def bands(laws: list[str], sizes: list[int], fits: int, draws: int) -> Iterator[dict[str, Any]]:
    """Yield for each table, size and ``unsure`` how many bands hold, and how wide they are."""
    for law in (own for own in LAWS if own.__name__ in laws):
        for share in SHARES:
            cells, label = table(law, share)
            schema = schema_of(cells)
            points = ls.data.RowDomain(schema).array(cells)
            for n in sizes:
                found = [
                    own
                    for fit in range(fits)
                    for own in evaluated(cells, label, schema, points, n, fit, draws)
                ]
                for place, unsure in enumerate(UNSURE):
                    own = [each[place] for each in found if each[place] is not None]
                    inside = sum(holds for holds, _ in own)
                    yield {
                        "law": law.__name__, "share": share, "n": n, "unsure": written(unsure),
                        "bands": len(own), "inside": inside,
                        "half_width": f"{np.mean([wide for _, wide in own]):.4f}" if own else "",
                    }  # fmt: skip


def evaluated(
    cells: pd.DataFrame, label: Floats, schema: ls.Schema, points: Floats, n: int, fit: int,
    draws: int,
) -> Iterator[list[tuple[bool, float] | None]]:  # fmt: skip
    """Yield for each evaluation of a fit, by ``unsure``, whether its band holds and its width."""
    rng, held_out = np.random.default_rng([n, fit]), held_out_by_rule(n, 1).units
    rows = rng.integers(len(label), size=n - held_out)
    learned = cells.iloc[rows].assign(y=label[rows].astype(int))
    model = ls.fit(
        learned, y="y", epsilon=1, delta=1e-6, schema=schema, evaluate=None, random_state=fit
    ).release_.hypothesis
    truth = auroc(model.margin(points), label)
    for draw in range(draws):
        rows = rng.integers(len(label), size=held_out)
        sample = Sample.of(points[rows], label[rows].astype(int))
        source = SeededSource(1000 * fit + draw)
        plain = _histogram(model, sample, source=source, epsilon=EVALUATION, held_out=True)
        seen = evaluation_of(plain, with_curve(model, plain))
        each = [seen.auroc(unsure=unsure) for unsure in UNSURE]
        yield [None if b is None else (b.low <= truth <= b.high, b.half_width) for b in each]


#: What is predicted, by columns that say nothing of it; and how `ls.fit` learns it.
NOTHING = {
    "labels, half": ({"y": "y"}, lambda rng, n: rng.random(n) < 0.5),
    "labels, a tenth": ({"y": "y"}, lambda rng, n: rng.random(n) < 0.1),
    "labels, linear": ({"y": "y", "model": "linear"}, lambda rng, n: rng.random(n) < 0.3),
    "labels, scorecard": ({"y": "y", "model": "scorecard"}, lambda rng, n: rng.random(n) < 0.3),
    "quantity": (
        {"y": "y", "target": "quantity", "low": -10, "high": 10}, lambda rng, n: rng.normal(0, 2, n)
    ),
    "quantity, heavy": (
        {"y": "y", "target": "quantity", "high": 200}, lambda rng, n: np.exp(rng.normal(0, 1.2, n))
    ),
    "count": ({"y": "y", "target": "count", "high": 30}, lambda rng, n: rng.poisson(1.5, n)),
    "count, rare": ({"y": "y", "target": "count", "high": 30}, lambda rng, n: rng.poisson(0.2, n)),
    "time": (
        {"time": "t", "event": "died", "high": 10, "periods": 5},
        lambda rng, n: rng.exponential(8, n),
    ),
}  # fmt: skip


def nothing(seed: int, n: int = 2_000) -> pd.DataFrame:
    """Return columns of several kinds: half of them say the same, in part."""
    rng = np.random.default_rng(seed)
    x = _normal(rng, 6, 0.3)[:n]
    found = pd.DataFrame(x[:, :4], columns=["a", "b", "c", "d"])
    found["e"] = np.where(x[:, 4] > 1, "some", "none")
    found["f"] = np.select([x[:, 5] < -1, x[:, 5] < 0.5, x[:, 5] < 1.5], list("uvw"), "x")
    return found


def effects_of_nothing(fits: int, only: list[str]) -> Iterator[dict[str, Any]]:
    """Yield for each column of each fit how far its cells lie apart, in what noise may make."""
    for name in only:
        asked, law = NOTHING[name]
        for fit in range(fits):
            table, rng = nothing(fit), np.random.default_rng([99, fit])
            schema, drawn = schema_of(table), law(rng, len(table))
            if "time" in asked:
                ends = rng.uniform(2, 12, len(table))
                table["t"], table["died"] = np.minimum(drawn, ends), (drawn <= ends).astype(int)
            else:
                table["y"] = drawn.astype(int) if drawn.dtype == bool else drawn
            release = ls.fit(
                table, **asked, epsilon=1, delta=1e-6, schema=schema, evaluate=None,
                random_state=fit,
            ).release_  # fmt: skip
            limits, model = noise_ranges(release), release.hypothesis
            if isinstance(model, TreeSum):
                by_column = model.effects(Shown(model, schema).asked)
                ranges = {column: np.ptp([*own.values()]) for column, own in by_column.items()}
            else:
                card = scorecard(model, schema) or effects(model, schema)
                ranges = {column["name"]: column["range"] for column in card["columns"]}
            for column in schema.names:
                of_noise = limits.get(column, 0.0)
                far = float(ranges.get(column, 0.0))
                yield {
                    "predicted": name, "fit": fit, "column": column, "range": f"{far:.5g}",
                    "limit": f"{of_noise:.5g}", "shown": int(far > of_noise),
                }  # fmt: skip


def written(unsure: float | None) -> str:
    """Return how the log names a share; None is the rule."""
    return "rule" if unsure is None else f"{unsure:.3f}"


def chosen(rows: list[dict[str, Any]]) -> str:
    """Return the least ``unsure`` that keeps the rule."""
    for unsure in map(written, UNSURE):
        kept = []
        for n in sorted({int(row["n"]) for row in rows}):
            own = [
                row
                for row in rows
                if (row["unsure"], int(row["n"])) == (unsure, n) and int(row["bands"])
            ]
            inside, of = (sum(int(row[name]) for row in own) for name in ("inside", "bands"))
            worst = min(upper(int(row["inside"]), int(row["bands"])) for row in own)
            print(unsure, n, f"{inside / of:.4f}", f"{worst:.4f}", file=sys.stderr)
            kept.append(inside >= 0.95 * of and worst >= 0.95)
        if all(kept):
            return unsure
    return "none"


def main() -> None:
    """Measure, write the log, and print what is chosen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=3)
    parser.add_argument("--draws", type=int, default=30)
    parser.add_argument("--laws", nargs="+", default=[law.__name__ for law in LAWS])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--effects", action="store_true")
    parser.add_argument("--only", nargs="+", default=list(NOTHING), help="kinds of --effects")
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows: list[dict[str, Any]] = []
    made = bands(options.laws, options.sizes, options.fits, options.draws)
    if options.effects:
        made = effects_of_nothing(5 * options.fits, options.only)
    name = "effects_chosen.csv" if options.effects else "bands_chosen.csv"
    with (options.out / name).open("w", newline="", encoding="utf-8") as file:
        for row in made:
            if not rows:
                writer = csv.DictWriter(file, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow(row)
            file.flush()
            rows.append(row)
    if not options.effects:
        print("chosen:", chosen(rows))
        return
    for kind in options.only:
        own = [row for row in rows if row["predicted"] == kind]
        ratio = [float(row["range"]) / max(float(row["limit"]), 1e-9) for row in own]
        print(f"{kind}: {sum(row['shown'] for row in own)} of {len(own)} shown; of the limit "
              f"{np.quantile(ratio, 0.95):.2f} at 95 %")  # fmt: skip


if __name__ == "__main__":
    main()
