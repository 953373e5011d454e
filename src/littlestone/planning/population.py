"""A population that is made up over a schema, for rehearsals before there is any table.

Two public guesses are what a power analysis asks for: how common the label is, and how good the
best model would be. They do not determine how many records are needed: of two populations with both,
the one whose columns say the same thing is learned from fewer. So a *design* says how the effects of
columns decay, and how columns correlate; guesses of the best single column and of the third one
choose it, by least squares and without a fit. Without these two designs are shown, as a range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.special import expit, ndtr

from littlestone.data import Column, Schema
from littlestone.data.targets import Count, Periods, Quantity
from littlestone.errors import ParameterError, check_probability, parameter_error
from littlestone.learners.fit import Fit
from littlestone.planning.twin import Drawn, Twin, auroc
from littlestone.source import public_generator

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

#: How far the truth may lie beyond two designs: three of four tables (`docs/planning.md`).
BEYOND = 0.06
_APART = 5_000  # records that a run is measured on
_MOST = 100_000  # different records that a run learns from
_SIZE, _TRIED = 4_000, 3  # records and populations by which a design is chosen
_HUMPED, _ALIGNED_HUMPED = 0.3, 0.15  # numbers whose effect rises and falls
_STEPS = 30  # of a bisection


class Design(NamedTuple):
    """How effects of columns decay, how columns correlate, whether they then say the same."""

    decay: float
    correlation: float
    aligned: bool


_DESIGNS = tuple(
    Design(decay, *how)
    for decay in (0.3, 0.5, 0.7, 0.85)
    for how in ((0.0, False), (0.3, False), (0.3, True), (0.5, True), (0.7, True))
)
#: Shown where nothing is guessed about single columns.
_RANGE = {
    "columns that say different things": Design(0.7, 0.0, False),
    "columns that say the same": Design(0.7, 0.5, True),
}


def populations(
    fit: Fit, *, best: Any, share: Any, single: Any = None, third: Any = None
) -> dict[str, Made]:
    """Return the populations that fit the guesses, by name; public numbers only.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "sex": {"categories": ["m", "f"]}})
    >>> found = populations(Fit(y="ill", epsilon=1, schema=schema), best=.8, share=.2, single=.75)
    >>> list(found), found[""].design.correlation
    ([''], 0.0)
    """
    if fit.schema is None:
        raise ParameterError(
            "rehearse needs a public twin of the table, or a schema (--schema) over which a "
            "population is made up."
        )
    if fit.task.labels is not None or fit.user is not None or fit.task.target.kind == "count":
        raise ParameterError(
            "A population is made up for two labels, a quantity or a time, of records. For others "
            "give rehearse a public twin."
        )
    kind = fit.task.target.kind
    hint = {
        "label": "The AUROC of the best model without privacy, for example 0.8.",
        "quantity": "The share of the variance that the best model explains, for example 0.3.",
        "time": "The concordance of the best model without privacy, for example 0.7.",
    }[kind]
    ceiling = float(check_probability("rehearse", "best", best, hint=hint))
    common = 0.5
    if kind != "quantity":
        what = "The share of label 1." if kind == "label" else "The share with an event."
        common = float(check_probability("rehearse", "share", share, hint=what))
    elif share is not None:
        raise parameter_error("rehearse", "share", "left out for a quantity", share)
    least = 0.0 if kind == "quantity" else 0.5
    if ceiling <= least or ceiling > 0.995:
        raise parameter_error("rehearse", "best", f"above {least:g} and at most 0.995", best, hint)
    guessed: dict[int, float] = {}
    for place, (name, value) in enumerate((("single", single), ("third", third))):
        if value is not None:
            guess = float(check_probability("rehearse", name, value))
            if not least <= guess <= ceiling:
                rule = f"between {least:g} and best, which is {ceiling:g}"
                raise parameter_error("rehearse", name, rule, value)
            guessed[2 * place] = guess
    own = Made(fit, fit.schema, ceiling, common, _DESIGNS[0])
    if not guessed:
        return {name: replace(own, design=design) for name, design in _RANGE.items()}

    def missed(design: Design) -> float:
        found = np.mean([replace(own, design=design).singles(run) for run in range(_TRIED)], axis=0)
        return sum((found[min(at, len(found) - 1)] - guess) ** 2 for at, guess in guessed.items())

    return {"": replace(own, design=min(_DESIGNS, key=missed))}


@dataclass(frozen=True)
class Made:
    """A population over a schema: of each run another one, by a public seed."""

    fit: Fit
    schema: Schema
    best: float
    share: float
    design: Design

    def draw(self, n: int, generator: np.random.Generator) -> tuple[Drawn, Drawn]:
        """Return n records, and others to measure on; of very many some are there again."""
        different = min(n, _MOST)
        codes, signal = self.features(different + _APART, generator)
        cells = [_cells(column, codes[:, j]) for j, column in enumerate(self.schema)]
        task, outcome = self.fit.task, self.outcomes(signal, generator)
        y = [pa.array(values) for values in outcome]
        names = (*self.schema.names, task.y, *([] if task.event is None else [task.event]))
        table = pa.table([*cells, *y], names=list(names))
        twin = Twin(names, True, table, table)
        learned = np.arange(n)
        if different < n:
            learned = generator.integers(different, size=n)
        return Drawn(twin, learned, None), Drawn(twin, np.arange(different, len(signal)), None)

    def features(self, n: int, generator: np.random.Generator) -> tuple[Ints, Doubles]:
        """Return the codes of n records, and what they say of the outcome: mean 0, deviation 1."""
        decay, correlation, aligned = self.design
        m = len(self.schema)
        side = generator.choice([-1.0, 1.0], m)
        common = generator.normal(size=(n, 1)) * side * math.sqrt(correlation)
        place = ndtr(generator.normal(size=(n, m)) * math.sqrt(1 - correlation) + common)
        codes, effects = np.empty((n, m), dtype=np.int64), np.empty((n, m))
        for j, column in enumerate(self.schema):
            known, shares = _shares(column, generator)
            at = np.minimum(np.searchsorted(np.cumsum(shares), place[:, j]), len(known) - 1)
            codes[:, j] = known[at]
            effects[:, j] = _effect(column, shares, generator, aligned=aligned)[at]
        weights = np.zeros(m)
        weights[generator.permutation(m)] = decay ** np.arange(m)
        signal = effects @ (weights * (side if aligned else generator.choice([-1.0, 1.0], m)))
        return codes, (signal - signal.mean()) / max(float(signal.std()), 1e-12)

    def outcomes(self, signal: Doubles, generator: np.random.Generator) -> list[Any]:
        """Return the cells of what is predicted, as well as the best model knows it."""
        target, n = self.fit.task.target, len(signal)
        if isinstance(target, Quantity):
            noise = generator.normal(size=n)
            value = math.sqrt(self.best) * signal + math.sqrt(1 - self.best) * noise
            low, wide = float(target.low), float(target.high - target.low)
            return [(low + wide * (0.4 + value / 8)).clip(low, low + wide)]
        if isinstance(target, Periods):
            return self._times(target, signal, generator)
        assert not isinstance(target, Count)
        chance = _solved(lambda b: self._chances(b * signal), self.best, ceiling)
        ones, labels = generator.random(n) < chance, self.fit.task.target
        positive = getattr(labels, "positive", 1)
        other = getattr(labels, "negative", None)
        if not isinstance(positive, str):
            return [np.where(ones, positive, 0 if positive != 0 else 1)]
        return [np.where(ones, positive, other or f"not {positive}").tolist()]

    def _chances(self, odds: Doubles) -> Doubles:
        """Return chances of label 1 with these log-odds, up to a constant, of the right mean."""
        return cast(Doubles, expit(odds + _constant(odds, self.share)))

    def _times(
        self, target: Periods, signal: Doubles, generator: np.random.Generator
    ) -> list[Doubles]:
        """Draw times with proportional hazards; those beyond the last end are not observed."""
        last, unit = float(target.ends[-1]), generator.exponential(size=len(signal))
        bound = -math.log1p(-self.share)

        def times(b: float) -> Doubles:
            risk = np.exp((b * signal).clip(-12, 12))
            low, high = 0.0, 50.0
            for _ in range(_STEPS):
                rate = (low + high) / 2
                enough = 1 - np.exp(-rate * bound * risk).mean() >= self.share
                low, high = (low, rate) if enough else (rate, high)
            return last * unit / (high * bound * risk)

        time = _solved(times, self.best, lambda found: ordered(signal, found, last))
        event = time <= last
        return [np.minimum(time, last * 1.01), event.astype(np.int64)]

    def singles(self, run: int) -> Doubles:
        """Return how good the three best columns are alone, the best one first."""
        generator = public_generator(run)
        codes, signal = self.features(_SIZE, generator)
        outcome = self.outcomes(signal, generator)
        target = self.fit.task.target
        if isinstance(target, Quantity | Periods):
            value = np.asarray(outcome[0], dtype=np.float64)
        else:
            value = (np.asarray(outcome[0]) == getattr(target, "positive", 1)).astype(np.float64)
        ones = np.ones(len(value), dtype=np.int64)
        found = []
        for own in codes.T:
            many = np.bincount(own)
            mean = (np.bincount(own, weights=value) + value.mean() / 5) / (many + 0.2)
            said = mean[own]
            if isinstance(target, Quantity):
                found.append(float(said.var() / value.var()))
            elif isinstance(target, Periods):
                found.append(ordered(-said, value, float(target.ends[-1])))
            else:
                found.append(auroc(said, value > 0, ones))
        return np.sort(found)[::-1][:3]


def _shares(column: Column, generator: np.random.Generator) -> tuple[Ints, Doubles]:
    """Return the codes of a column, and how common they are: a bell of numbers, ranks of texts."""
    if column.numeric:
        k = column.n_codes - Column.FIRST
        share = np.exp(-0.5 * ((np.arange(k) - (k - 1) / 2) / max(k / 4, 0.6)) ** 2)
        return np.arange(Column.FIRST, column.n_codes), share / share.sum()
    codes = generator.permutation(np.arange(Column.FIRST, column.n_codes))
    share = 1 / np.arange(1, len(codes) + 1)
    return codes, share / share.sum()


def _effect(
    column: Column, shares: Doubles, generator: np.random.Generator, *, aligned: bool
) -> Doubles:
    """Return the effect of each code: along numbers a line or a hump, of texts any; deviation 1."""
    place = np.arange(len(shares)) - float((shares * np.arange(len(shares))).sum())
    if column.numeric and len(shares) > 1:
        humped = generator.random() < (_ALIGNED_HUMPED if aligned else _HUMPED)
        effect = place**2 + place / 2 if humped else place
    else:
        effect = generator.normal(size=len(shares))
        effect = np.sort(effect) if aligned else effect
    effect = effect - float((shares * effect).sum())
    return cast(Doubles, effect / (math.sqrt(float((shares * effect**2).sum())) + 1e-12))


def _cells(column: Column, codes: Ints) -> pa.Array:
    """Return a cell that has the code, for each record."""
    if column.calendar is not None:
        raise ParameterError(
            f"No population is made up over dates: give rehearse a public twin, or a schema "
            f"without {column.name!r}."
        )
    if column.edges is not None:
        edges = [float(edge) for edge in column.edges]
        cells = pa.array([edges[0] - 1, *edges] if edges else [0.0])
    else:
        cells = pa.array([str(each) for each in column.categories or ()])
    return cells.take(pa.array(codes - Column.FIRST))


def _constant(odds: Doubles, share: float) -> float:
    low, high = -60.0, 60.0
    for _ in range(2 * _STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if expit(odds + middle).mean() >= share else (middle, high)
    return high


def _solved(
    made: Callable[[float], Doubles], wanted: float, measure: Callable[[Doubles], float]
) -> Doubles:
    """Return what is made with the slope at which a measure is what is wanted."""
    low, high = 0.0, 12.0
    for _ in range(_STEPS // 2):
        slope = (low + high) / 2
        low, high = (slope, high) if measure(made(slope)) < wanted else (low, slope)
    return made(high)


def ordered(risk: Doubles, time: Doubles, last: float) -> float:
    """Return the concordance of pairs of neighbouring records; equal risks count half.

    Examples
    --------
    >>> ordered(np.array([2.0, 1, 1, 1]), np.array([3.0, 5, 9, 8]), last=9)
    0.75
    """
    half = len(risk) // 2
    one, other = np.arange(half), np.arange(half) + half
    first = np.where(time[one] < time[other], one, other)
    then, seen = one + other - first, time[first] < last
    score = (np.sign(risk[first] - risk[then]) + 1) / 2
    return float(score[seen].mean()) if seen.any() else 0.5


def ceiling(chances: Doubles) -> float:
    """Return the AUROC of records with known chances of label 1.

    Examples
    --------
    >>> round(ceiling(np.array([0.2, 0.8])), 2)
    0.8
    """
    ordered = np.sort(chances)
    below = np.cumsum(1 - ordered) - (1 - ordered) / 2
    return float((below * ordered).sum() / (ordered.sum() * (1 - ordered).sum()))
