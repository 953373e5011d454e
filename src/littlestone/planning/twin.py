"""A public twin of a table, rows drawn from it, and one whole fit of them that is measured.

The twin is read once, and its cells are coded once for each schema. Rows that are drawn from it are
a `Table`, so `Fit` reads them as any other. A run is measured on rows that it did not learn from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.classes import TreeEnsemble, TreeSum
from littlestone.data import RowDomain
from littlestone.data.containers import Rows
from littlestone.data.domains import user_index
from littlestone.data.tables import Stream, Table, read_table
from littlestone.data.targets import Count, Periods, Quantity, TargetSample
from littlestone.errors import InfeasibleError, ParameterError, StoppedError
from littlestone.evaluation import QuantityEvaluation, SurvivalEvaluation
from littlestone.source import SeededSource, public_generator

if TYPE_CHECKING:
    from littlestone.data.counting import Groups, Reading
    from littlestone.evaluation import Band
    from littlestone.learners.fit import Fit, Planned
    from littlestone.learners.release import Release
    from littlestone.types import Hypothesis, Json

Ints = npt.NDArray[np.int64]
Doubles = npt.NDArray[np.float64]

_HELD_OUT = 5  # one unit of so many is measured on
_MEASURED = 20_000  # units, at most
_ROWS = 1 << 17  # of a batch


# -- Rows of a public table.


@dataclass(frozen=True, eq=False)
class Twin:
    """A public table, read once; rows of it are drawn, and its cells are coded once."""

    names: tuple[str, ...]
    declared: bool
    cells: pa.Table  # columns named as `names`
    numbers: pa.Table  # the same, as a CSV file's decimal sign reads them
    user: str | None = None
    _coded: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, table: Any, fit: Fit) -> Twin:
        """Read all columns of a table."""
        declared = None if fit.schema is None else fit.schema.csv
        opened = read_table(table, csv=fit.csv, declared=declared, caller=fit.caller)
        names = [] if fit.schema is None else list(fit.schema.names)
        fit.task.check(fit.caller, opened, names or fit.columns or ())
        opened.once(fit.task.y, fit.caller)
        if fit.user is not None and fit.user not in opened.names:
            opened.frame([fit.user], fit.caller)  # refuses it

        def whole(numbers: Sequence[str]) -> pa.Table:
            read = pa.concat_tables(opened.pieces(opened.names, fit.caller, numbers=numbers))
            return read.rename_columns(list(opened.names))

        cells, form = whole(()), fit.csv or declared
        comma = form is not None and form.decimal == "comma"
        numbers = whole(opened.names) if comma else cells
        return cls(opened.names, opened.declared, cells, numbers, fit.user)

    @property
    def units(self) -> Sequence[Ints]:
        """The rows of each record, or of each user."""
        if "units" not in self._coded:
            self._coded["units"] = self._units()
        return cast("Sequence[Ints]", self._coded["units"])

    def _units(self) -> Sequence[Ints]:
        if self.user is None:
            return np.arange(len(self.cells))[:, None]
        code = self.cells[self.user].combine_chunks().dictionary_encode(null_encoding="encode")
        user = code.indices.to_numpy(zero_copy_only=False)
        order = np.argsort(user, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(user[order])) + 1)

    def draw(self, n: int, generator: np.random.Generator) -> tuple[Drawn, Drawn]:
        """Return n units, drawn with replacement from four fifths, and the other fifth."""
        units = self.units
        if len(units) < 2 * _HELD_OUT:
            raise ParameterError(
                f"A twin has at least {2 * _HELD_OUT} records (or users): a fifth is measured on."
            )
        order = generator.permutation(len(units))
        apart, rest = np.split(order, [len(units) // _HELD_OUT])
        learned = rest[generator.integers(len(rest), size=n)]
        return Drawn.of(self, learned), Drawn.of(self, apart[:_MEASURED])

    def groups(self, reading: Reading) -> Groups:
        """Return the codes of all rows, computed once for each schema."""
        key = (tuple(reading.columns), tuple(reading.numbers), reading.schema, reading.target)
        if self._coded.get("key") != key:
            kind = [(self.numbers if c in reading.numbers else self.cells) for c in reading.columns]
            columns = [table[name] for table, name in zip(kind, reading.columns, strict=True)]
            cells = pa.Table.from_arrays(columns, [f"k{j}" for j in range(len(columns))])
            self._coded.update(key=key, groups=reading.converted(cells))
        return cast("Groups", self._coded["groups"])


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
        return len(self._rows)

    def split(
        self, first: npt.NDArray[np.bool_], columns: Sequence[str], caller: str
    ) -> tuple[Table, Table]:
        return Drawn(self._twin, self._rows[first], None), Drawn(
            self._twin, self._rows[~first], None
        )

    def groups(self, reading: Reading) -> Groups:
        whole, rows = self._twin.groups(reading), self._rows
        places, point = np.unique(whole.point[rows], return_inverse=True)
        ones = np.ones(len(rows), dtype=np.int64)
        user, keys = whole.user, whole.keys
        if self._user is not None:
            user, keys = user_index(self._user)
        return whole._replace(
            points=whole.points[places], point=point, label=whole.label[rows], n=ones,
            user=user, keys=keys,
        )  # fmt: skip

    def _frame(self, columns: list[str], numbers: Any) -> Any:
        return self._scan(_Taken(self._columns(columns, numbers), self._rows))

    def _batches(self, columns: list[str], numbers: Any) -> Stream:
        taken = _Taken(self._columns(columns, numbers), self._rows)
        return Stream(taken.schema.types, taken.batches)

    def _columns(self, columns: list[str], numbers: Any) -> pa.Table:
        found = [
            (self._twin.numbers if name in numbers else self._twin.cells)[name] for name in columns
        ]
        return pa.Table.from_arrays(found, [f"c{j}" for j in range(len(found))])


class _Taken(Rows):
    """Some rows of columns in memory, batch after batch."""

    def __init__(self, cells: pa.Table, rows: Ints) -> None:
        self._cells, self._rows, self.schema = cells, rows, cells.schema

    def batches(self) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(self._rows), _ROWS):
            taken = self._cells.take(pa.array(self._rows[start : start + _ROWS]))
            yield from taken.combine_chunks().to_batches()


class Drawable(Protocol):
    """What rows are drawn from: a twin, or a population that is made up."""

    def draw(self, n: int, generator: np.random.Generator) -> tuple[Drawn, Drawn]:
        """Return n units to learn from, and others to measure on."""


# -- One run.


class Run(NamedTuple):
    """What one run found: measures of its model, and what its evaluation says of the first one."""

    measures: dict[str, float]
    value: float = math.nan
    width: float = math.nan  # half of the band; NaN: nothing is evaluated, or noise hides it
    stopped: str = ""  # why nothing was released


def run_once(rows: Drawable, fit: Fit, n: int, seed: int, run: int) -> Run:
    """Draw rows, fit, and measure; the same numbers give the same run."""
    generator = public_generator(seed, run)
    learned, apart = rows.draw(n, generator)
    source = SeededSource(int(generator.integers(2**62)))
    try:
        planned = fit.plan(learned, source)
        release = planned.run(source)
    except (StoppedError, InfeasibleError) as problem:
        return Run({}, stopped=str(problem))
    found, band = measured(planned, release.hypothesis, apart), reported(release)
    return Run(found) if band is None else Run(found, band.value, (band.high - band.low) / 2)


def reported(release: Release) -> Band | None:
    """Return what the private evaluation says of the first measure."""
    found = release.measured
    if found is None:
        return None
    if isinstance(found, QuantityEvaluation):
        return found.r2
    if isinstance(found, SurvivalEvaluation):
        return None if found.hidden else found.concordance
    if isinstance(release.hypothesis, TreeEnsemble) and release.hypothesis.binary:
        return found.auroc()
    assert release.quality is not None
    return release.quality.error


def measured(planned: Planned, model: Hypothesis, apart: Table) -> dict[str, float]:
    """Return the measures of a model on other rows, without privacy; the first one leads."""
    fit, concepts = planned.fit, planned.learner.concept_class
    task = fit.task
    read: Json = dict(task.rule)
    if not task.of_labels:
        read["target"] = task.target
    if concepts.lists_labels:
        read["labels"] = concepts.labels
    sample = TargetSample.read(
        apart, y=task.y, domain=cast(RowDomain, concepts.domain), caller=fit.caller, **read
    )
    known = sample.code >= 0 if not task.of_labels else np.ones(len(sample.code), dtype=bool)
    point, code, count = sample.point[known], sample.code[known], sample.count[known]
    if isinstance(model, TreeSum):
        return _of_values(model, sample.points, point, code, count)
    return _of_labels(model, sample.points, point, code, count)


def _of_labels(
    model: Hypothesis, points: Any, point: Ints, code: Ints, count: Ints
) -> dict[str, float]:
    found: dict[str, float] = {}
    n = int(count.sum())
    answer = np.asarray(model.predict(points))[point]
    if isinstance(model, TreeEnsemble):
        chances = model.probability(points)
        both = np.column_stack([1 - chances, chances]) if model.binary else chances
        if model.binary:
            found["auroc"] = auroc(chances[point], code == 1, count)
        listed = code < both.shape[1]
        own = np.where(listed, both[point, np.where(listed, code, 0)], 0.0)
        found["log_loss"] = float(-(np.log(own.clip(1e-6)) * count).sum()) / n
        ones = float(count[code == 1].sum())
        if model.binary and ones:
            found["ratio"] = float((chances[point] * count).sum()) / ones
    found["error"] = float(count[answer != code].sum()) / n
    if isinstance(model, TreeEnsemble) and model.width is not None:
        sets = model.sets(points)
        found["coverage"] = (
            float((sets[point, np.where(listed, code, 0)] * listed * count).sum()) / n
        )
        found["width"] = float((sets.sum(axis=1)[point] * count).sum()) / n
    return found


def _of_values(
    model: TreeSum, points: Any, point: Ints, code: Ints, count: Ints
) -> dict[str, float]:
    target, n = model.target, int(count.sum())
    predicted = model.predict(points)[point]
    if isinstance(target, Periods):
        from littlestone.learners.boosting.estimators import concordance  # noqa: PLC0415

        periods, event = target.at_risk(code)
        each = partial(np.repeat, repeats=count)
        found = {"concordance": concordance(each(predicted), each(event) >= 0, each(periods))}
        left = 1.0  # of Kaplan and Meier
        for period in range(len(target.ends)):
            at_risk = float(count[periods > period].sum())
            left *= 1 - float(count[event == period].sum()) / max(at_risk, 1.0)
        risk = 1 - float((model.survival(points)[point, -1] * count).sum()) / n
        return found | ({"ratio": risk / (1 - left)} if left < 1 else {})
    assert isinstance(target, Quantity | Count)
    step = float(target.width) if isinstance(target, Quantity) else 1.0
    value = (float(target.low) if isinstance(target, Quantity) else 0.0) + step * code
    mean = float((value * count).sum()) / n
    spread = float(((value - mean) ** 2 * count).sum())
    found = {
        "r2": 1 - float(((value - predicted) ** 2 * count).sum()) / spread if spread else 0.0,
        "mae": float((np.abs(value - predicted) * count).sum()) / n,
    }
    if mean:
        found["ratio"] = float((predicted * count).sum()) / n / mean
    if model.width is not None:
        low, high = model.interval(points)[point].T
        inside = (value >= low) & (value <= high)
        found |= {"coverage": float(count[inside].sum()) / n}
        found |= {"width": float(((high - low) * count).sum()) / n}
    return found


def auroc(score: Doubles, positive: npt.NDArray[np.bool_], count: Ints) -> float:
    """Return the area under the ROC curve, equal scores at half.

    Examples
    --------
    >>> auroc(np.array([0.1, 0.4, 0.4]), np.array([False, True, False]), np.array([1, 1, 1]))
    0.75
    """
    place = np.unique(score, return_inverse=True)[1]
    ones = np.bincount(place, weights=count * positive)
    zeros = np.bincount(place, weights=count * ~positive)
    below = np.cumsum(zeros) - zeros / 2
    total = ones.sum() * zeros.sum()
    return float((ones * below).sum() / total) if total else 0.5
