"""What a rehearsal draws records from: a public twin of a table, or a simulated population.

*Twin.* It is read once, and its cells are encoded once for each schema. Rows that are drawn from it
are a `Table`, so `Fit` reads them as any other. A run is measured on rows that it did not learn
from.

*Population.* Two public guesses are what a power analysis asks for: how common the label is, and
how good the best model would be. They do not determine how many records are needed: of two
populations with both, the one whose columns say the same is learned from fewer. So a *design* says
how the effects of columns decay, and how columns correlate; guesses of the best single column and
of the third one choose it, by least squares and without a fit. Without these two designs are shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.classes import (
    BoostedTreeClass,
    LinearClass,
    ScorecardClass,
    TreeEnsemble,
    TreeSum,
)
from littlestone.data import Column, RowDomain, Schema
from littlestone.data.cells import spellings
from littlestone.data.containers import Stream
from littlestone.data.domains import user_index
from littlestone.data.tables import Table, read_table
from littlestone.data.targets import Periods, TargetSample
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    StoppedError,
    check_probability,
    parameter_error,
)
from littlestone.evaluation import QuantityEvaluation, SurvivalEvaluation
from littlestone.source import SeededSource, public_generator

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.data.counting import Reading
    from littlestone.evaluation import Band
    from littlestone.learners.fit import Fit
    from littlestone.learners.release import Release
    from littlestone.types import Hypothesis, Json

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

_HELD_OUT = 5  # one unit of so many is measured on
_MEASURED = 20_000  # units, at most
_ROWS = 1 << 17  # of a batch
_APART = 5_000  # records that a run is measured on
_MOST = 100_000  # different records that a run learns from
_SIZE, _TRIED = 4_000, 3  # records and populations by which a design is chosen
_HUMPED, _ALIGNED_HUMPED = 0.3, 0.15  # numbers whose effect rises and falls


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
    "a: columns with independent effects": Design(0.7, 0.0, False),
    "b: columns with redundant effects": Design(0.7, 0.5, True),
}


# -- Rows of a public table.


@dataclass(frozen=True, eq=False)
class Twin:
    """A public table, read once; rows of it are drawn, and its cells are encoded once."""

    names: tuple[str, ...]
    declared: bool
    cells: pa.Table  # columns named as `names`
    numbers: pa.Table  # the same, as a CSV file's decimal sign reads them
    user: str | None = None
    _encoded: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, table: Any, fit: Fit) -> Twin:
        """Read the columns of a table that a fit needs."""
        declared = None if fit.schema is None else fit.schema.csv
        opened = read_table(table, csv=fit.csv, declared=declared, caller=fit.caller)
        x = fit.columns or opened.names if fit.schema is None else fit.schema.names
        fit.task.check(fit.caller, opened, x)
        opened.once(fit.task.y, fit.caller)
        roles = (fit.task.y, fit.task.event, fit.user)
        names = list(dict.fromkeys([*x, *(role for role in roles if role is not None)]))

        def whole(numbers: Sequence[str]) -> pa.Table:
            read = pa.concat_tables(opened.pieces(names, fit.caller, numbers=numbers))
            return read.rename_columns(names)

        cells, form = whole(()), fit.csv or declared
        comma = form is not None and form.decimal == "comma"
        numbers = whole(names) if comma else cells
        return cls(tuple(names), opened.declared, cells, numbers, fit.user)

    @cached_property
    def units(self) -> Sequence[Ints]:
        """The rows of each record, or of each user."""
        if self.user is None:
            return cast("Sequence[Ints]", np.arange(len(self.cells))[:, None])
        code = self.cells[self.user].combine_chunks().dictionary_encode(null_encoding="encode")
        user = code.indices.to_numpy(zero_copy_only=False)
        order = np.argsort(user, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(user[order])) + 1)

    def draw(self, n: int, generator: np.random.Generator) -> tuple[Drawn, Drawn]:
        """Return n units drawn from four fifths, and the other fifth.

        None is drawn twice while there are enough: they are then n records of the population, and
        not of the twin, of which a model would be worse (its variance 1/n + 1/N, not 1/n).
        """
        units = self.units
        if len(units) < 2 * _HELD_OUT:
            raise ParameterError(
                f"A twin needs at least {2 * _HELD_OUT} records (or users), because a fifth of "
                "them is for the evaluation."
            )
        order = generator.permutation(len(units))
        apart, rest = np.split(order, [len(units) // _HELD_OUT])
        learned = rest[:n] if n <= len(rest) else rest[generator.integers(len(rest), size=n)]
        return Drawn.of(self, learned), Drawn.of(self, apart[:_MEASURED])

    def groups(self, reading: Reading) -> TargetSample:
        """Return the codes of all rows, computed once for each schema."""
        key = (tuple(reading.columns), tuple(reading.numbers), reading.schema, reading.target)
        if self._encoded.get("key") != key:
            cells = self.table(reading.columns, reading.numbers)
            self._encoded.update(key=key, groups=reading.converted(cells))
        return cast("TargetSample", self._encoded["groups"])

    def table(self, columns: Sequence[str], numbers: Container[str]) -> pa.Table:
        """Return columns, some of them read as numbers, named by their place."""
        cells = [(self.numbers if name in numbers else self.cells)[name] for name in columns]
        return pa.Table.from_arrays(cells, [f"c{j}" for j in range(len(cells))])


class Drawn(Table):
    """Rows drawn from a twin, with repetitions; a user who is drawn twice is two users."""

    def __init__(self, twin: Twin, rows: Ints, user: Ints | None) -> None:
        super().__init__(twin.names)
        self.declared = twin.declared
        self._twin, self._rows, self._user = twin, rows, user

    @classmethod
    def of(cls, twin: Twin, units: Ints) -> Drawn:
        """Return the rows of units."""
        if twin.user is None:
            return cls(twin, units, None)
        rows = [twin.units[unit] for unit in units]
        user = np.repeat(np.arange(len(rows)), [len(own) for own in rows])
        return cls(twin, np.concatenate(rows), user)

    def rows(self) -> int:
        """Return their number."""
        return len(self._rows)

    def split(
        self, first: npt.NDArray[np.bool_], columns: Sequence[str], caller: str
    ) -> tuple[Table, Table]:
        """Return the rows where ``first`` is true, and the others."""
        return Drawn(self._twin, self._rows[first], None), Drawn(
            self._twin, self._rows[~first], None
        )

    def groups(self, reading: Reading) -> TargetSample:
        """Return what the cells of these rows are converted to."""
        whole, rows = self._twin.groups(reading), self._rows
        places, point = np.unique(whole.point[rows], return_inverse=True)
        ones = np.ones(len(rows), dtype=np.int64)
        named = (None, None) if self._user is None else user_index(self._user)
        code, (user, keys) = whole.code[rows], named
        return TargetSample(whole.points[places], user, point, code, ones, keys)

    def _stream(self, columns: list[str], numbers: Any, *, ordered: bool) -> Stream:
        cells = self._twin.table(columns, numbers)

        def batches() -> Iterator[pa.RecordBatch]:
            for start in range(0, len(self._rows), _ROWS):
                taken = cells.take(pa.array(self._rows[start : start + _ROWS]))
                yield from taken.combine_chunks().to_batches()

        return Stream(cells.schema, batches)


# -- One run.


class Run(NamedTuple):
    """What one run found: measures of its model, and what its evaluation says of the first one."""

    measures: dict[str, float]
    width: float = math.nan  # half of its band; NaN: nothing is evaluated, or noise hides it
    model: str = ""  # the family that was taken, of those that more than one are possible
    stopped: str = ""  # why nothing was released


def run_once(rows: Twin | Made, fit: Fit, n: int, seed: int, run: int) -> Run:
    """Draw rows, fit, and measure; the same numbers give the same run."""
    generator = public_generator(seed, run)
    learned, apart = rows.draw(n, generator)
    source = SeededSource(int(generator.integers(2**62)))
    try:
        planned = fit.plan(learned, source)
        release = planned.run(source)
    except (StoppedError, InfeasibleError) as problem:
        return Run({}, stopped=str(problem))
    kinds = {LinearClass: "linear", ScorecardClass: "scorecard", BoostedTreeClass: "boosted"}
    taken = kinds.get(type(release.concept_class), fit.model)
    found = Run(measured(fit, release.concept_class, release.hypothesis, apart), model=taken)
    band = reported(release)
    if band is None:
        return found
    return found._replace(width=(band.high - band.low) / 2)


def reported(release: Release) -> Band | None:
    """Return what the private evaluation says of the first measure."""
    evaluation = release.measured
    if evaluation is None:
        return None
    if isinstance(evaluation, QuantityEvaluation):
        return evaluation.r2
    if isinstance(evaluation, SurvivalEvaluation):
        return None if evaluation.hidden else evaluation.concordance
    if release.hypothesis.ranks:
        return evaluation.auroc()
    assert release.quality is not None
    return release.quality.error


def measured(fit: Fit, concepts: ConceptClass, model: Hypothesis, apart: Table) -> dict[str, float]:
    """Return the measures of a model on other rows, without privacy; the first one leads."""
    task = fit.task
    read: Json = dict(task.rule)
    if not task.of_labels:
        read["target"] = task.target
    if concepts.lists_labels:
        read["labels"] = concepts.labels
    sample = TargetSample.read(
        apart, y=task.y, domain=cast(RowDomain, concepts.domain), caller=fit.caller, **read
    )
    has_code = sample.code >= 0 if not task.of_labels else np.ones(len(sample.code), dtype=bool)
    point, code, count = sample.point[has_code], sample.code[has_code], sample.count[has_code]
    if model.target is not None:
        return _of_values(cast(TreeSum, model), sample.points, point, code, count)
    return _of_labels(model, sample.points, point, code, count)


def _of_labels(
    model: Hypothesis, points: Any, point: Ints, code: Ints, count: Ints
) -> dict[str, float]:
    measures: dict[str, float] = {}
    n = int(count.sum())
    answer = np.asarray(model.predict(points))[point]
    if model.of_sums:
        chances = cast(TreeEnsemble, model).probability(points)
        both = np.column_stack([1 - chances, chances]) if model.ranks else chances
        if model.ranks:
            measures["auroc"] = auroc(chances[point], count * (code == 1), count * (code != 1))
        listed = code < both.shape[1]
        chance = np.where(listed, both[point, np.where(listed, code, 0)], 0.0)
        measures["log_loss"] = float(-(np.log(chance.clip(1e-6)) * count).sum()) / n
    measures["error"] = float(count[answer != code].sum()) / n
    ones = float(count[code == 1].sum())
    if model.ranks and ones:
        measures["calibration_ratio"] = float((chances[point] * count).sum()) / ones
    if model.width is not None:
        sets = cast(TreeEnsemble, model).sets(points)
        measures["coverage"] = (
            float((sets[point, np.where(listed, code, 0)] * listed * count).sum()) / n
        )
        measures["width"] = float((sets.sum(axis=1)[point] * count).sum()) / n
    return measures


def _of_values(
    model: TreeSum, points: Any, point: Ints, code: Ints, count: Ints
) -> dict[str, float]:
    target, n = model.target, int(count.sum())
    predicted = model.predict(points)[point]
    if target.ends:
        from littlestone.learners.boosting.estimators import concordance  # noqa: PLC0415

        periods, event = cast(Periods, target).at_risk(code)
        each = partial(np.repeat, repeats=count)
        measures = {"concordance": concordance(each(predicted), each(event) >= 0, each(periods))}
        left = 1.0  # of Kaplan and Meier
        for period in range(len(target.ends)):
            at_risk = float(count[periods > period].sum())
            left *= 1 - float(count[event == period].sum()) / max(at_risk, 1.0)
        risk = 1 - float((model.survival(points)[point, -1] * count).sum()) / n
        return measures | ({"calibration_ratio": risk / (1 - left)} if left < 1 else {})
    value = float(target.low) + float(target.width) * code
    mean = float((value * count).sum()) / n
    spread = float(((value - mean) ** 2 * count).sum())
    measures = {
        "r2": 1 - float(((value - predicted) ** 2 * count).sum()) / spread if spread else 0.0,
        "mae": float((np.abs(value - predicted) * count).sum()) / n,
    }
    if mean:
        measures["calibration_ratio"] = float((predicted * count).sum()) / n / mean
    if model.width is not None:
        low, high = model.interval(points)[point].T
        inside = (value >= low) & (value <= high)
        measures |= {"coverage": float(count[inside].sum()) / n}
        measures |= {"width": float(((high - low) * count).sum()) / n}
    return measures


def auroc(score: Doubles, ones: npt.ArrayLike, zeros: npt.ArrayLike) -> float:
    """Return the area under the ROC curve, equal scores at half; both counts may be chances.

    Examples
    --------
    >>> auroc(np.array([0.1, 0.4, 0.4]), [0, 1, 0], [1, 0, 1])
    0.75
    """
    place = np.unique(score, return_inverse=True)[1]
    ones, zeros = np.bincount(place, ones), np.bincount(place, zeros)
    below = np.cumsum(zeros) - zeros / 2
    total = ones.sum() * zeros.sum()
    return float((ones * below).sum() / total) if total else 0.5


# -- A population that is made up.


def populations(
    fit: Fit, *, best: Any, share: Any, single: Any = None, third: Any = None
) -> dict[str, Made]:
    """Return the populations that fit the guesses, by name; public numbers only.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "sex": {"categories": ["m", "f"]}})
    >>> from littlestone.learners.fit import Fit
    >>> found = populations(Fit(y="ill", epsilon=1, schema=schema), best=.8, share=.2, single=.75)
    >>> list(found), found[""].design.correlation
    ([''], 0.0)
    """
    if fit.schema is None:
        raise ParameterError(
            "rehearse needs a public twin of the table, or a schema (--schema) for a simulated "
            "population."
        )
    if fit.task.labels is not None or fit.user is not None or fit.task.target.kind == "count":
        raise ParameterError(
            "Populations can be simulated for two labels, a quantity or a time, without users. "
            "For anything else give rehearse a public twin."
        )
    kind = fit.task.target.kind
    hint = {
        "label": "The AUROC of the best model without privacy, for example 0.8.",
        "quantity": "The R2 of the best model without privacy, for example 0.3.",
        "time": "The concordance of the best model without privacy, for example 0.7.",
    }[kind]
    ceiling = float(check_probability("rehearse", "best", best, hint=hint))
    common = 0.5
    if kind != "quantity":
        what = "The prevalence of label 1." if kind == "label" else "The proportion with an event."
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
        return math.fsum(
            (found[min(at, len(found) - 1)] - guess) ** 2 for at, guess in guessed.items()
        )

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
        from scipy.special import ndtr  # noqa: PLC0415 - slow to import

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
        target, n = cast(Any, self.fit.task.target), len(signal)
        if target.continuous:
            noise = generator.normal(size=n)
            value = math.sqrt(self.best) * signal + math.sqrt(1 - self.best) * noise
            low, wide = float(target.low), float(target.high - target.low)
            return [(low + wide * (0.4 + value / 8)).clip(low, low + wide)]
        if target.ends:
            return self._times(target, signal, generator)
        assert target.of_labels
        chance = _solved(
            lambda b: self._chances(b * signal), self.best, lambda p: auroc(p, p, 1 - p)
        )
        ones, labels = generator.random(n) < chance, self.fit.task.target
        positive = spellings(getattr(labels, "positive", 1))[0]
        other = spellings(getattr(labels, "negative", None))[0]
        if not isinstance(positive, str):
            return [np.where(ones, positive, 0 if positive != 0 else 1)]
        return [np.where(ones, positive, other or f"not {positive}").tolist()]

    def _chances(self, odds: Doubles) -> Doubles:
        """Return chances of label 1 with these log-odds, up to a constant, of the right mean."""
        from scipy.special import expit  # noqa: PLC0415 - slow to import

        constant = _least(lambda x: expit(odds + x).mean() >= self.share, -60.0, 60.0)
        return cast(Doubles, expit(odds + constant))

    def _times(
        self, target: Periods, signal: Doubles, generator: np.random.Generator
    ) -> list[Doubles]:
        """Draw times with proportional hazards; those beyond the last end are not observed."""
        last, unit = float(target.ends[-1]), generator.exponential(size=len(signal))
        bound = -math.log1p(-self.share)

        def times(b: float) -> Doubles:
            risk = np.exp((b * signal).clip(-12, 12))
            rate = _least(lambda x: 1 - np.exp(-x * bound * risk).mean() >= self.share, 0.0, 50.0)
            return cast(Doubles, last * unit / (rate * bound * risk))

        time = _solved(times, self.best, lambda found: ordered(signal, found, last))
        event = time <= last
        return [np.minimum(time, last * 1.01), event.astype(np.int64)]

    def singles(self, run: int) -> Doubles:
        """Return how good the three best columns are alone, the best one first."""
        generator = public_generator(run)
        codes, signal = self.features(_SIZE, generator)
        outcome = self.outcomes(signal, generator)
        target = self.fit.task.target
        if not target.of_labels:
            value = np.asarray(outcome[0], dtype=np.float64)
        else:
            positive = spellings(getattr(target, "positive", 1))[0]
            value = (np.asarray(outcome[0]) == positive).astype(np.float64)
        quality = []
        for column in codes.T:
            many = np.bincount(column)
            mean = (np.bincount(column, weights=value) + value.mean() / 5) / (many + 0.2)
            prediction = mean[column]
            if target.continuous:
                quality.append(float(prediction.var() / value.var()))
            elif target.ends:
                quality.append(ordered(-prediction, value, float(target.ends[-1])))
            else:
                quality.append(auroc(prediction, value, 1 - value))
        return np.sort(quality)[::-1][:3]


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
            "Dates cannot be simulated: give rehearse a public twin, or a schema without "
            f"{column.name!r}."
        )
    if column.edges is not None:
        edges = [float(edge) for edge in column.edges]
        cells = pa.array([edges[0] - 1, *edges] if edges else [0.0])
    else:
        cells = pa.array([str(each) for each in column.categories or ()])
    return cells.take(pa.array(codes - Column.FIRST))


def _least(enough: Callable[[float], bool], low: float, high: float, steps: int = 30) -> float:
    """Return about the least number that is enough, by bisection."""
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _solved(
    made: Callable[[float], Doubles], wanted: float, measure: Callable[[Doubles], float]
) -> Doubles:
    """Return what is made with the slope at which a measure is what is wanted."""
    return made(_least(lambda slope: measure(made(slope)) >= wanted, 0.0, 12.0, steps=15))


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


class Spread(NamedTuple):
    """The mean of runs, how far it reaches (at 95 %), and what 10 and 90 % of runs are below."""

    mean: float
    reach: float
    low: float
    high: float
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread | None:
        """Return it for the runs that have a value."""
        known = np.array([value for value in values if not math.isnan(value)])
        if not len(known):
            return None
        reach = 1.96 * known.std(ddof=1) / math.sqrt(len(known)) if len(known) > 1 else math.inf
        low, high = np.quantile(known, [0.1, 0.9])
        return cls(float(known.mean()), float(reach), float(low), float(high), len(known))

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return self._asdict()

    def __str__(self) -> str:
        return f"{self.mean:.3g} (±{self.reach:.2g}; {self.low:.3g} to {self.high:.3g})"
