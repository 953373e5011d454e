"""Rehearsals: a whole private fit, again and again, on rows of a public table.

The *twin* is a public table like the one that is to come: last year's published file, a made-up
population (`littlestone.planning.population`). Each run learns from n rows that are drawn from
80 % of it (none twice, while there are enough), by the code that releases (`Fit`), and its model is
measured on the other 20 %. So what comes out is what n records at epsilon give: the model, and how
well its own private evaluation will know that.

Nothing here is protected: the twin, its rows and all seeds are public.
"""

from __future__ import annotations

import math
import os
import pickle
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from littlestone.bounds.tails import clopper_pearson
from littlestone.data.draft import identifying
from littlestone.data.schema import RESERVED
from littlestone.data.tables import read_table
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    check_fraction,
    check_integer,
    check_probability,
    counted,
    exact_value,
    parameter_error,
)
from littlestone.learners.fit import Fit, asked_of
from littlestone.learners.task import Protocol
from littlestone.notebooks import Card
from littlestone.planning.population import (
    Made,
    Run,
    Spread,
    Twin,
    populations,
    run_once,
)
from littlestone.safe_io import OMITTED, Plain

if TYPE_CHECKING:
    from littlestone.types import Json

#: What is searched, by about a tenth: 1,000 and 1 are tried first, then four times that.
_MANTISSAS = [round(10 ** (1 + i / 24)) for i in range(24)]
_GRIDS: dict[str, list[Any]] = {
    "records": [m * 10**k for k in range(6) for m in _MANTISSAS if m * 10**k >= 50] + [10**7],
    "epsilon": [m * Fraction(10) ** k for k in range(-3, 1) for m in _MANTISSAS] + [Fraction(100)],
}
_STRIDE = 14
_ENOUGH, _MOST_RUNS = 0.01, 100  # the reach of a mean at which runs end
_STEP, _MOST_STEPS = 40, 400  # runs for each size that is tried
_CONFIDENCE = 0.9
_FREE_RUNS = 10
#: "Without privacy" is the same code at this epsilon, which learns from all records.
FREE = Fraction(10_000)

_NAMES = {
    "auroc": "AUROC",
    "r2": "R2",
    "mae": "mean absolute error",
    "error": "error rate",
    "calibration_ratio": "mean predicted / mean observed",
}


def words_of(measure: str) -> str:
    """Return a measure in words.

    Examples
    --------
    >>> words_of("auroc"), words_of("log_loss")
    ('AUROC', 'log loss')
    """
    return _NAMES.get(measure, measure.replace("_", " "))


def rounded(value: float, digits: int = 3) -> str:
    """Return a number with three digits, zeros included, or all before the point.

    Examples
    --------
    >>> rounded(0.24), rounded(1.1), rounded(12345.6), rounded(0.00732, 2), rounded(160, 2)
    ('0.240', '1.10', '12,346', '0.0073', '160')
    """
    whole = abs(value) >= 10 ** (digits - 1) - 0.5  # 99.96 has three digits as 100
    return f"{value:,.0f}" if whole or not value else f"{value:#.{digits}g}"


#: What an aim may be about: of which kinds of target, and whether more is better.
MEASURES: dict[str, tuple[tuple[str, ...], bool]] = {
    "auroc": (("label",), True),
    "log_loss": (("label",), False),
    "error": (("label",), False),
    "r2": (("quantity", "count"), True),
    "mae": (("quantity", "count"), False),
    "concordance": (("time",), True),
    "coverage": (("label", "quantity", "count"), True),
}
#: Of these a value lies between 0 and 1.
_SHARES = ("auroc", "error", "concordance", "coverage")


# -- Many runs.


@dataclass(frozen=True)
class Cell(Plain):
    """What so many records at an epsilon give, by runs."""

    records: int
    epsilon: Fraction
    runs: int
    measures: dict[str, Spread]  # of the model, on rows that it has not seen
    without_privacy: dict[str, Spread]
    #: Of the band of the first one in the private evaluation.
    half_width: Spread | None = field(default=None, metadata=OMITTED)
    #: Runs that released nothing.
    stopped: int = field(default=0, metadata=OMITTED)
    why: str = field(default="", metadata=OMITTED)
    population: str = field(default="", metadata=OMITTED)
    #: The share held out, where several are compared.
    holdout: Fraction | None = field(default=None, metadata=OMITTED)

    @property
    def main(self) -> str:
        """The first measure."""
        return next(iter(self.measures), "")

    @property
    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Each measure in words: its mean, how far that reaches, 10 to 90 %, without privacy."""
        return [
            (
                words_of(name), rounded(each.mean), rounded(each.reach, 2),
                f"{rounded(each.low)} to {rounded(each.high)}",
                rounded(self.without_privacy[name].mean) if name in self.without_privacy else "–",
            )
            for name, each in self.measures.items()
        ]  # fmt: skip

    @property
    def variant(self) -> str:
        """The population and the share held out, where there are several."""
        share = "" if self.holdout is None else f"{float(self.holdout):.3g} held out"
        return ", ".join(filter(None, (self.population, share)))

    @property
    def shown(self) -> float:
        """What a release shows of the first measure: its mean less the half-width; or NaN."""
        if self.half_width is None or not self.measures:
            return math.nan
        sign = 1 if MEASURES[self.main][1] else -1
        return self.measures[self.main].mean - sign * self.half_width.mean

    @property
    def price(self) -> float | None:
        """What privacy costs, in the first measure; None where one of both is not known."""
        one, other = self.measures.get(self.main), self.without_privacy.get(self.main)
        if one is None or other is None:
            return None
        return (other.mean - one.mean) * (1 if MEASURES[self.main][1] else -1)


@dataclass(frozen=True)
class Aim:
    """A measure, and what it is to reach."""

    measure: str
    least: bool  # at least, or at most
    value: float

    @classmethod
    def parse(cls, text: str, fit: Fit, caller: str = "rehearse") -> Aim:
        """Return what ``auroc >= .75`` says, if it fits what is predicted.

        Examples
        --------
        >>> Aim.parse("auroc >= .75", Fit(y="ill", epsilon=1, model="boosted"))
        Aim(measure='auroc', least=True, value=0.75)
        """
        found = re.fullmatch(r"\s*([a-z0-9_]+)\s*(>=|<=)\s*([0-9.eE+-]+)\s*", str(text))
        known = [name for name, (kinds, _) in MEASURES.items() if _kind(fit, name) in kinds]
        rule = f"of the form 'auroc >= .75', with a measure of this fit: {', '.join(known)}"
        value = exact_value(found[3]) if found else None
        if found is None or value is None or found[1] not in known:
            raise parameter_error(caller, "aim", rule, text)
        least = MEASURES[found[1]][1]
        if (found[1] in _SHARES and not 0 < value < 1) or (found[1] == "r2" and value >= 1):
            raise parameter_error(caller, "aim", f"{rule}, with a value that can be reached", text)
        if least != (found[2] == ">="):
            which = "larger is better: write >=" if least else "smaller is better: write <="
            raise parameter_error(caller, "aim", f"{rule}. For {found[1]}, {which}", text)
        return cls(found[1], least, float(value))

    def reached(self, run: Run) -> bool:
        """Whether a run reached it; one that released nothing did not."""
        value = run.measures.get(self.measure, math.nan)
        return value >= self.value if self.least else value <= self.value

    @property
    def words(self) -> str:
        """Say it in a sentence."""
        return f"{words_of(self.measure)} is at {'least' if self.least else 'most'} {self.value:g}"

    def __str__(self) -> str:
        return f"{self.measure} {'>=' if self.least else '<='} {self.value:g}"


def _kind(fit: Fit, measure: str) -> str:
    """Return the kind of what is predicted; "" where a model does not have the measure."""
    several = fit.task.labels is not None
    plain = fit.family in ("rule", "tree")
    if measure == "coverage" and fit.interval is None:
        return ""
    if (measure == "auroc" and (several or plain)) or (measure == "log_loss" and plain):
        return ""
    return fit.task.target.kind


class Tried(NamedTuple):
    """How many of the runs with a number of records, or an epsilon, reached an aim."""

    value: Any
    reached: int
    runs: int

    @property
    def share(self) -> float:
        """The share that did."""
        return self.reached / self.runs

    @property
    def interval(self) -> tuple[float, float]:
        """The chance of a run, at 90 %."""
        return clopper_pearson(self.reached, self.runs, _CONFIDENCE)


@dataclass(frozen=True)
class Needed:
    """How many records, or which epsilon, an aim takes; or whether both given ones do."""

    aim: Aim
    chance: float
    records: int
    epsilon: Fraction
    searched: str  # "records", "epsilon", or "" where both were given
    tried: tuple[Tried, ...]
    found: Tried
    other: Any = None  # what the easier one of two populations needs

    @property
    def enough(self) -> bool:
        """Whether the aim is reached with at least that chance, as far as the runs say."""
        return self.found.share >= self.chance

    def to_dict(self) -> Json:
        """Return plain JSON."""
        low, high = self.found.interval
        return {
            "aim": str(self.aim), "chance": self.chance, "records": self.records,
            "epsilon": str(self.epsilon), "searched": self.searched, "enough": self.enough,
            "reached": self.found.share, "low": low, "high": high, "runs": self.found.runs,
            "tried": [
                {"value": str(each.value), "reached": each.reached, "runs": each.runs}
                for each in self.tried
            ],
        } | ({} if self.other is None else {"other": str(self.other)})  # fmt: skip

    def __str__(self) -> str:
        low, high = self.found.interval
        answer = f"Needed {self.searched}" if self.searched else ("No", "Yes")[self.enough]
        return (
            f"{answer}: with {counted(self.records, 'records')} at epsilon {float(self.epsilon):g}"
            f", {self.aim.words} in {self.found.share:.0%} of {self.found.runs} runs; the "
            f"required probability is {self.chance:.0%}. A 90% confidence interval for the true "
            f"probability is {low:.0%} to {high:.0%} (ignoring the sampling error of the public "
            "table)."
            + (f" The easier population needs {self.other}." if self.other is not None else "")
        )


Progress = Callable[[int, int], None]


class Key(NamedTuple):
    """What is run."""

    records: int
    epsilon: Fraction
    free: str  # the family of models, without privacy; else ""
    run: int
    holdout: Fraction = Fraction(0)  # 0: as the fit says


@dataclass
class Runner:
    """Runs on public rows, in processes; what was run is not run again."""

    rows: Twin | Made
    fit: Fit
    seed: int
    jobs: int | None
    progress: Progress = lambda done, total: None
    known: dict[Key, Run] = field(default_factory=dict)

    def runs(self, asked: Sequence[Key]) -> None:
        """Run what is asked."""
        missing = [key for key in asked if key not in self.known]
        total = len(self.known) + len(missing)
        self.progress(len(self.known), total)
        workers = min(self.jobs or os.cpu_count() or 1, len(missing))
        if workers <= 1:
            for key in missing:
                self.known[key] = self._run(key)
                self.progress(len(self.known), total)
            return
        from joblib import Parallel, delayed  # noqa: PLC0415 - processes are not always needed

        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "rows")
            Path(path).write_bytes(pickle.dumps((self.rows, self.seed)))
            call = delayed(_in_process)
            tasks = (call(path, self._asked(key), key) for key in missing)
            for key, found in Parallel(n_jobs=workers, return_as="generator_unordered")(tasks):
                self.known[key] = found
                self.progress(len(self.known), total)

    def _asked(self, key: Key) -> Fit:
        if not key.free:
            split: Json = {"holdout": key.holdout} if key.holdout else {}
            return replace(self.fit, epsilon=key.epsilon, **split)
        nothing: Json = {"evaluate": None, "holdout": None, "interval": None}
        return replace(self.fit, epsilon=FREE, model=key.free, **nothing)

    def _run(self, key: Key) -> Run:
        return run_once(self.rows, self._asked(key), key.records, self.seed, key.run)

    def of(
        self, n: int, epsilon: Fraction, free: str = "", holdout: Fraction | None = None
    ) -> list[Run]:
        """Return the runs that were made, in their order."""
        keys, share = sorted(self.known), holdout or Fraction(0)
        return [self.known[k] for k in keys if k == Key(n, epsilon, free, k.run, share)]

    def tried(self, value: Any, n: int, epsilon: Fraction, aim: Aim, chance: float) -> Tried:
        """Run until the interval of the chance leaves it, or often enough."""
        runs = 0
        while True:
            runs += _STEP
            self.runs([Key(n, epsilon, "", run) for run in range(runs)])
            found = self.of(n, epsilon)
            here = Tried(value, sum(map(aim.reached, found)), len(found))
            low, high = here.interval
            if not low <= chance <= high or runs >= _MOST_STEPS:
                return here


@lru_cache(maxsize=1)
def _load(path: str) -> tuple[Twin | Made, int]:
    """Load the rows of this rehearsal, once in each process."""
    return cast("tuple[Twin | Made, int]", pickle.loads(Path(path).read_bytes()))  # noqa: S301 - ours


def _in_process(path: str, fit: Fit, key: Key) -> tuple[Key, Run]:
    rows, seed = _load(path)
    return key, run_once(rows, fit, key.records, seed, key.run)


# -- What comes out.


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """What was found about a fit on public rows; see `rehearse`."""

    fit: Fit
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    epsilons: tuple[Fraction, ...]
    records: tuple[int, ...]
    runners: dict[str, Runner]
    answer: Needed | None = None
    holdouts: tuple[Fraction, ...] = ()  # where several shares are compared

    def needed(self, aim: str, chance: Any = 0.8) -> Needed:
        """Return how many records, or which epsilon, reach an aim with a chance.

        What was not given is searched by bisection: 40 runs a step, until the 90 % interval of the
        chance leaves ``chance``, and at most 400.

        Raises
        ------
        InfeasibleError
            10**7 records do not reach it, or an epsilon of 100.
        """
        asked = Aim.parse(aim, self.fit)
        share: Fraction = check_probability("rehearse", "chance", chance)
        several = (
            ("epsilon", self.epsilons), ("records", self.records), ("holdout", self.holdouts),
        )  # fmt: skip
        for name, values in several:
            if len(values) > 1:
                wanted = "one number with an aim, or left out, and then it is searched for"
                raise parameter_error("rehearse", name, wanted, ", ".join(map(str, values)))
        if not self.epsilons and not self.records:
            raise ParameterError(
                "An aim of rehearse needs epsilon or records: the other is searched for."
            )
        answers = [self._needed(run, asked, float(share)) for run in self.runners.values()]
        answers.sort(key=lambda a: (not a.enough, a.records, a.epsilon, -a.found.share))
        easier = answers[0].found.value if len(answers) > 1 else None
        return replace(answers[-1], other=easier)

    def aimed(self, aim: str, chance: Any = 0.8) -> Rehearsal:
        """Return the rehearsal with what an aim needs, and what is found there."""
        answer = self.needed(aim, chance)
        cells = tuple(
            cell_of(runner, answer.records, answer.epsilon, answer.found.runs, name)
            for name, runner in self.runners.items()
        )
        return replace(self, answer=answer, cells=cells)

    @property
    def made_up(self) -> bool:
        """Whether there was no twin."""
        return any(isinstance(runner.rows, Made) for runner in self.runners.values())

    @property
    def title(self) -> str:
        """What was run, in a line."""
        where = "a simulated population" if self.made_up else "a public table"
        return f"Rehearsal of predicting {self.fit.task.y} on {where}"

    @property
    def notes(self) -> list[str]:
        """What is to be said beside the figures."""
        said = []
        for cell in self.cells:
            at = f"{cell.records:,} records at epsilon {float(cell.epsilon):g}"
            at += f" ({cell.variant})" if cell.variant else ""
            known = "too few records for a private evaluation"
            if cell.half_width is not None:
                known = f"the private evaluation gives {words_of(cell.main)} with a 95% margin "
                known += "of error of " + rounded(cell.half_width.mean, 2)
            cost = ""
            if cell.price is not None:
                reach = cell.measures[cell.main].reach
                price = f"by {rounded(cell.price, 2)} ± {rounded(reach, 2)}"
                if cell.price <= reach:
                    price = f"by at most {rounded(max(cell.price + reach, 0), 2)}"
                worse = "lowers" if MEASURES[cell.main][1] else "raises"
                cost = f"; privacy {worse} the mean {words_of(cell.main)} {price}"
            if cell.measures:
                said.append(f"{at}: {known}{cost}.")
            if cell.stopped:
                said.append(
                    f"{at}: {cell.stopped} of {cell.runs} runs released nothing. {cell.why}"
                )
        sizes = dict.fromkeys((cell.records, cell.epsilon) for cell in self.cells)
        said += [self._compared(*size) for size in sizes if self._shown(*size)]
        twins = [run.rows for run in self.runners.values() if isinstance(run.rows, Twin)]
        if any(5 * cell.records > 4 * len(twin.units) for cell in self.cells for twin in twins):
            said.append(
                "Runs with more records than four fifths of the public table repeat rows of it; as "
                "many distinct records would give a better model."
            )
        if len(self.runners) > 1:
            said.append(
                "Two populations agree with these guesses. The result of a real fit may lie "
                "between theirs, or outside. Guesses for the best and the third-best single "
                "column narrow this down (--single, --third)."
            )
        said.append(
            "Means of the runs, with 95% margins of error (±), and their 10th to 90th "
            f"percentiles. Without privacy: the same code at epsilon {int(FREE):,}, on all "
            "records."
        )
        return said + ([] if self.answer is None else [str(self.answer)])

    def _needed(self, runner: Runner, aim: Aim, chance: float) -> Needed:
        n: Any = self.records[0] if self.records else None
        epsilon: Any = self.epsilons[0] if self.epsilons else None
        searched = "records" if n is None else "epsilon" if epsilon is None else ""
        steps: list[Tried] = []

        def numbers(value: Any) -> Any:
            return (value if n is None else n), (value if epsilon is None else epsilon)

        def enough(value: Any) -> bool:
            at = numbers(value)
            steps.append(runner.tried(value, at[0], at[1], aim, chance))
            return steps[-1].share >= chance

        if not searched:
            enough(None)
            return Needed(aim, chance, n, epsilon, "", (), steps[0])
        grid = _GRIDS[searched]
        found = _least(enough, grid, grid.index(1000 if n is None else 1))
        if found is None:
            last = numbers(steps[-1].value)
            reason = runner.of(*last)[0].stopped
            raise InfeasibleError(
                f"{aim} is not reached with chance {chance:.0%} by {last[0]:,} records at epsilon "
                f"{float(last[1]):g} ({steps[-1].share:.0%} of {steps[-1].runs} runs): lower the "
                f"aim, or allow {'a larger epsilon' if n is None else 'more records'}. {reason}",
                n_needed=last[0] + 1,  # at least
            )
        at = next(step for step in steps if step.value == found)
        records, least = numbers(found)
        return Needed(aim, chance, records, least, searched, tuple(steps), at)

    def _shown(self, n: int, epsilon: Fraction) -> dict[Fraction, float]:
        """Return what a release shows with each share held out, the best one first."""
        cells = [cell for cell in self.cells if (cell.records, cell.epsilon) == (n, epsilon)]
        found = {
            share: float(np.mean([cell.shown for cell in cells if cell.holdout == share]))
            for share in self.holdouts
        }
        known = [share for share, value in found.items() if not math.isnan(value)]
        sign = -1 if any(cell.main and MEASURES[cell.main][1] for cell in cells) else 1
        return {share: found[share] for share in sorted(known, key=lambda s: sign * found[s])}

    def _compared(self, n: int, epsilon: Fraction) -> str:
        """Return in words with which share held out a release shows most."""
        cells = [cell for cell in self.cells if (cell.records, cell.epsilon) == (n, epsilon)]
        main = next(cell.main for cell in cells if cell.main)
        (best, value), *others = self._shown(n, epsilon).items()
        rest = "; ".join(f"{float(share):.3g}: {rounded(other)}" for share, other in others)
        reach = max(cell.measures[main].reach for cell in cells if cell.main)
        close = any(abs(value - other) <= reach for _, other in others)
        sign = ">=" if MEASURES[main][1] else "<="
        return (
            f"With {n:,} records at epsilon {float(epsilon):g}, hold out {float(best):.3g}: the "
            f"release then shows {words_of(main)} {sign} {rounded(value)} on average "
            f"({rest})" + ("; the best differ by less than the margins of error." * close or ".")
        )

    def protocol(self) -> Protocol:
        """Return the fit, for one number of records, one epsilon, and the best share held out."""
        one = (self.records, self.epsilons) if self.answer is None else (
            (self.answer.records,), (self.answer.epsilon,))  # fmt: skip
        if len(one[0]) != 1 or len(one[1]) != 1:
            raise ParameterError(
                "A protocol (--out) describes one fit: give one number of records and one epsilon, "
                "or an aim (--aim)."
            )
        best = next(iter(self._shown(one[0][0], one[1][0])), None)
        split: Json = {} if best is None else {"holdout": best}
        fit = replace(self.fit, epsilon=one[1][0], caller="fit", **split)
        expected: Json = {"cells": [cell.to_dict() for cell in self.cells]}
        if self.answer is not None:
            expected["aim"] = self.answer.to_dict()
        return Protocol(fit.to_dict(), one[0][0], self.columns, expected)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"public": True, "predicts": self.fit.task.target.kind}
        out["cells"] = [cell.to_dict() for cell in self.cells]
        return out | ({} if self.answer is None else {"needed": self.answer.to_dict()})

    def to_frame(self) -> Any:
        """Return the cells as a pandas data frame, a row for each measure."""
        rows = [
            (cell.variant, cell.records, float(cell.epsilon), name, *each,
             None if cell.half_width is None or name != cell.main else cell.half_width.mean,
             cell.without_privacy[name].mean if name in cell.without_privacy else None)
            for cell in self.cells for name, each in cell.measures.items()
        ]  # fmt: skip
        names = ["variant", "records", "epsilon", "measure", *Spread._fields]
        return import_module("pandas").DataFrame(rows, columns=[*names, "half_width", "free"])

    def plot(self) -> Any:
        """Return a picture of the first measure against the number of records."""
        return import_module("littlestone.report").plot(self)

    def card(self) -> Card:
        """Return what is shown of it."""
        lines = [
            (f"{cell.records:,} x {float(cell.epsilon):g}", f"{name} {each}")
            for cell in self.cells for name, each in cell.measures.items()
        ]  # fmt: skip
        return Card(self.title, lines + [("", line) for line in self.notes])

    def __repr__(self) -> str:
        return self.card().text()

    def _repr_html_(self) -> str:
        return self.card().html()


def _least(enough: Callable[[Any], bool], grid: Sequence[Any], at: int) -> Any:
    """Return the least value of a grid that is enough, tried from a place on; None: none is."""
    low, high = -1, len(grid)  # not enough, and enough
    while high - low > 1:
        low, high = (low, at) if enough(grid[at]) else (at, high)
        if high == len(grid):
            at = min(low + _STRIDE, high - 1)
        else:
            at = max(high - _STRIDE, 0) if low < 0 else (low + high) // 2
    return None if high == len(grid) else grid[high]


def rehearse(
    twin: Any = None,
    *,
    y: str | None = None,
    epsilon: Any = None,
    records: Any = None,
    delta: Any = None,
    schema: Any = None,
    runs: Any = 20,
    best: Any = None,
    share: Any = None,
    single: Any = None,
    third: Any = None,
    n_jobs: int | None = None,
    random_state: int = 0,
    progress: Progress = lambda done, total: None,
    **fit: Any,
) -> Rehearsal:
    """Say how good a private fit of so many records will be, before there are any.

    Parameters
    ----------
    twin : path, data frame, or relation, optional
        A PUBLIC table like the one to come; nothing of it is protected. Without one a population
        over the schema is made up: ``best`` and ``share`` say what is guessed.
    y : str
        As for `fit`, like all that is not named here (``model``, ``target``, ``holdout``, ...).
    epsilon : number > 0, or several
        None: searched by `Rehearsal.needed`.
    records : int >= 1, or several
        Of the table to come, or users. None: searched.
    delta : number in [0, 1), optional
    schema : Schema, optional
        Without one each run learns the columns, too, as `fit` does.
    runs : int >= 2
        At first; more follow until the mean is known to .01, at most 100.
    best, share : float in (0, 1), optional
        Without a twin: the AUROC (R2, concordance) of the best model without privacy, and the share
        of label 1, or of events.
    single, third : float, optional
        The AUROC of the best single column, and of the third best: they decide how effects decay.
    n_jobs : int >= 1, optional
        Processes; by default one for each core.
    random_state : int >= 0
        Rows and draws are public, and reproducible.
    progress : function of (done, total)
    holdout : number in (0, 1), or several
        Of several shares held out `notes` say with which one a release shows most, the mean of the
        first measure less the half-width of its evaluation, and `protocol` takes it.

    Returns
    -------
    Rehearsal
        ``cells``, ``needed(aim, chance=.8)``, ``protocol()``, ``to_frame()``, ``plot()``.

    Raises
    ------
    ParameterError

    Notes
    -----
    *Source.* Truth is measured on a fifth of the twin that a run does not learn from. "Without
    privacy" is the same code at epsilon 10,000. Halves of nine tables as twin and as private
    records: [figures](docs/planning.md#rehearsals). *Cost.* Half a second of processor a run.

    Examples
    --------
    >>> import littlestone as ls
    >>> twin = {"age": [25, 70, 45, 65] * 50, "ill": [0, 1, 0, 1] * 50}
    >>> schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
    >>> found = ls.rehearse(twin, y="ill", epsilon=1, records=800, schema=schema, runs=2, n_jobs=1)
    >>> found.cells[0].measures["auroc"].mean
    1.0
    """
    share_of = partial(check_probability, "rehearse", "holdout")
    holdouts = _several("holdout", fit.pop("holdout", None), share_of)
    options = {"y": y, "delta": delta, "schema": schema} | fit
    options |= {"holdout": holdouts[0]} if holdouts else {}
    epsilons = _several("epsilon", epsilon, partial(check_fraction, "rehearse", "epsilon"))
    whole = partial(check_integer, "rehearse", "records", low=1)
    asked = asked_of("rehearse", options | {"epsilon": epsilons[0] if epsilons else 1})
    guesses = {"best": best, "share": share, "single": single, "third": third}
    return rehearsed(
        asked, twin, epsilons, _several("records", records, whole), holdouts=holdouts, runs=runs,
        guesses=guesses, n_jobs=n_jobs, random_state=random_state, progress=progress,
    )  # fmt: skip


def _several(name: str, given: Any, check: Callable[[Any], Any]) -> tuple[Any, ...]:
    alone = isinstance(given, str) or not np.iterable(given)
    values = [] if given is None else [given] if alone else list(given)
    found = tuple(check(value) for value in values)
    if len(set(found)) < len(found):
        raise parameter_error("rehearse", name, "different numbers", given)
    return found


def rehearsed(
    fit: Fit, twin: Any, epsilons: tuple[Fraction, ...], records: tuple[int, ...],
    *, holdouts: tuple[Fraction, ...] = (), runs: Any, guesses: Mapping[str, Any],
    n_jobs: int | None, random_state: int, progress: Progress,
) -> Rehearsal:  # fmt: skip
    """Rehearse a fit that is parsed; see `rehearse`."""
    first = check_integer("rehearse", "runs", runs, low=2)
    seed = check_integer("rehearse", "random_state", random_state, low=0)
    if n_jobs is not None:
        check_integer("rehearse", "n_jobs", n_jobs, low=1)
    sources: Mapping[str, Twin | Made]
    if twin is None:
        sources = populations(fit, **guesses)
        columns = cast(Any, fit.schema).names
    else:
        for name, value in guesses.items():
            if value is not None:
                hint = "It is a guess for when there is no twin."
                raise parameter_error("rehearse", name, "left out with a twin", value, hint)
        if fit.public is not None:
            opened = read_table(twin, csv=fit.csv, caller=fit.caller)
            made, _ = fit.of_public(twin, opened)
            fit = replace(fit, schema=made, public=None)
        own = Twin.read(twin, fit)
        left = (fit.task.y, fit.task.event, fit.user, *RESERVED)
        if fit.schema is not None:
            columns = fit.schema.names
        else:
            known = fit.columns or [
                n for n in own.names if n in (fit.bounds or ()) or not identifying(n)
            ]
            columns = tuple(n for n in known if n not in left and n.strip())
            fit = replace(fit, columns=list(columns))
        sources = {"": own}
    runners = {name: Runner(rows, fit, seed, n_jobs, progress) for name, rows in sources.items()}
    compared = holdouts if len(holdouts) > 1 else ()
    cells = tuple(
        cell_of(runner, n, epsilon, first, name, holdout=share)
        for name, runner in runners.items() for n in records for epsilon in epsilons
        for share in compared or (None,)
    )  # fmt: skip
    return Rehearsal(fit, columns, cells, epsilons, records, runners, None, compared)


def cell_of(
    runner: Runner, n: int, epsilon: Fraction, runs: int, name: str = "", *,
    holdout: Fraction | None = None,
) -> Cell:  # fmt: skip
    """Run until the mean of the first measure is known to .01, or 100 times."""
    while True:
        runner.runs([Key(n, epsilon, "", run, holdout or Fraction(0)) for run in range(runs)])
        found = runner.of(n, epsilon, "", holdout)
        measures = _spreads(found)
        main = next(iter(measures.values()), None)
        if main is None or main.reach <= _ENOUGH or runs >= _MOST_RUNS:
            break
        more = math.ceil(runs * (main.reach / _ENOUGH) ** 2)
        runs = min(max(more, runs + 1), _MOST_RUNS)
    stopped = [run.stopped.split(". ")[0] for run in found if run.stopped]
    model = next((run.model for run in found if run.model), "")
    if model:
        runner.runs([Key(n, FREE, model, run) for run in range(min(runs, _FREE_RUNS))])
    return Cell(
        n, epsilon, len(found), measures, _spreads(runner.of(n, FREE, model)),
        Spread.of([run.width for run in found]), len(stopped), stopped[0] if stopped else "", name,
        holdout,
    )  # fmt: skip


def _spreads(runs: Sequence[Run]) -> dict[str, Spread]:
    names = dict.fromkeys(name for run in runs for name in run.measures)
    found = {name: Spread.of([run.measures.get(name, math.nan) for run in runs]) for name in names}
    return {name: spread for name, spread in found.items() if spread is not None}
