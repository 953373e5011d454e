"""Pages and pictures of sums of trees for quantities, counts and times: in the user's units.

What a column does is the mean prediction over public rows: for each of its cells the same rows, in
which the cells of the other columns are equally frequent. Records are not asked, so it is free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from littlestone.classes import BoostedTreeClass, LinearClass, TreeEnsemble, TreeSum
from littlestone.classes.boosted_trees.ensemble import public_rows, quantile_words
from littlestone.classes.boosted_trees.export import PARTS, groups
from littlestone.data import Column, Schema
from littlestone.data.cells import number as parsed
from littlestone.errors import LittlestoneError
from littlestone.evaluation import SurvivalEvaluation
from littlestone.learners.boosting.rounds import range_of_noise
from littlestone.learners.linear.learner import Linear
from littlestone.report.html import (
    Setting,
    at_least,
    chart,
    figure,
    form,
    html_of,
    number,
    path,
    percent,
    plotter,
    point,
    scale,
    short,
    trees_figure,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from littlestone.learners.release import Release
    from littlestone.types import Json


_ROWS = 128  # public rows over which a prediction is a mean
#: Names of one, two or three risk groups.
_GROUPS = (("all",), ("low", "high"), ("low", "middle", "high"))
_SHOWN_COLUMNS = 12  # of a figure
_NOTE = (
    "Bars show the mean change in the log odds of {what}, with all bins of the other columns "
    "equally likely. They are computed from the model only."
)
#: Words that name the unit of a time where the name of its column ends with one.
_UNITS = ("hours", "days", "weeks", "months", "quarters", "years")

Doubles = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Shown:
    """A released sum of trees over its schema, in the user's units."""

    model: TreeSum
    schema: Schema
    name: str = ""  # of the target's column
    level: float | None = None  # of intervals

    @property
    def unit(self) -> float:
        """Shares are shown in percent."""
        return 100.0 if self.model.target.ends else 1.0

    @property
    def what(self) -> str:
        """What is predicted, in words."""
        target = self.model.target
        if target.ends:
            return f"the event-free percentage at {self.ends[-1]} {self.units}".rstrip()
        if not target.continuous:
            return f"the expected count of {self.name}" if self.name else "the expected count"
        if self.model.quantile is not None:
            return f"{quantile_words(self.model.quantile)} of {self.name or 'the quantity'}"
        return f"the predicted {self.name or 'quantity'}"

    @property
    def ends(self) -> list[str]:
        """The ends of the periods, as they are written."""
        return [f"{float(end):.10g}" for end in self.model.target.ends]

    @property
    def asked(self) -> Schema:
        """The columns that trees may ask: of a time also the period, as the last one."""
        if not self.ends:
            return self.schema
        ends = [float(end) for end in self.ends[:-1]] or [0.0]
        return Schema((*self.schema.columns, Column.bins("period", ends)))

    @property
    def units(self) -> str:
        """The unit of times, where the name of their column says it."""
        return units_of(self.name)

    @property
    def steps(self) -> list[str]:
        """The periods in words: ``7 to 30 days``."""
        periods = pairwise(["0", *self.ends])
        return [f"{start} to {end} {self.units}".rstrip() for start, end in periods]

    @cached_property
    def rows(self) -> npt.NDArray[np.int16]:
        """The public rows that predictions are means over."""
        return public_rows(self.schema, _ROWS)

    @cached_property
    def columns(self) -> list[tuple[Column, list[float]]]:
        """Columns with the mean prediction of each code, those of the largest range first."""
        used = {split.column for split in self.model.literals}
        positions = [at for at in sorted(used) if at < len(self.schema)]  # others are the period
        changed = []
        for at in positions:
            for code in (Column.MISSING, *range(Column.FIRST, self.schema.columns[at].n_codes)):
                changed.append(self.rows.copy())
                changed[-1][:, at] = code
        if not changed:
            return []
        means = self.unit * self.worth(np.vstack(changed)).reshape(-1, _ROWS).mean(axis=1)
        ranked, start = [], 0
        for at in positions:
            column = self.schema.columns[at]
            size = column.n_codes - 1
            missing, *values = means[start : start + size].tolist()
            ranked.append((column, [missing, missing, *values]))
            start += size
        return sorted(ranked, key=lambda entry: (min(entry[1]) - max(entry[1]), entry[0].name))

    def worth(self, rows: npt.NDArray[np.int16]) -> Doubles:
        """Return the prediction of rows; of a time the survival of all periods."""
        if self.model.target.ends:
            return self.model.survival(rows)[:, -1]
        return self.model.predict(rows)

    @cached_property
    def range(self) -> tuple[float, float]:
        """The least and the largest mean prediction of any cell."""
        values = [value for _, means in self.columns for value in means] or [0.0]
        return min(values), max(values)

    @property
    def wide(self) -> float:
        """Half of an interval; 0 without."""
        return 0.0 if self.model.width is None else self.model.width * self.model.parts[1]

    @property
    def axis(self) -> tuple[float, float]:
        """The range with the intervals, as far as the public range goes."""
        low, high = self.range
        if not self.wide:
            return low, high
        first, unit, most = self.model.parts
        return max(first, low - self.wide), min(first + most * unit, high + self.wide)

    def said(self, value: float) -> str:
        """Return a number with the digits that matter in the range."""
        low, high = self.range
        return number(value, high - low, trim=False)


def units_of(name: str) -> str:
    """Return the unit of times, where the name of their column ends with it; or nothing.

    Examples
    --------
    >>> units_of("followup_days"), units_of("time")
    ('days', '')
    """
    last = name.replace("_", " ").lower().split()[-1:]
    return last[0] if last and last[0] in _UNITS else ""


def target_parts(
    shown: Shown, found: SurvivalEvaluation | None, noise: Mapping[str, float]
) -> Json:
    """Return what the page of a quantity, a count or a time says of the model."""
    ranges = {
        name: np.ptp([*cells.values()]) for name, cells in shown.model.effects(shown.asked).items()
    }
    by_noise = [ranges[column.name] <= noise.get(column.name, 0.0) for column, _ in shown.columns]
    panels = [html_of(panel(shown, *entry)) for entry in shown.columns]
    kept, folded = (
        [panel_html for panel_html, small in zip(panels, by_noise, strict=True) if small == side]
        for side in (False, True)
    )
    target = {
        "what": shown.what,
        "ends": shown.steps,
        "level": at_least(shown.level) if shown.level and shown.wide else None,
        "panels": kept,
        "survival": html_of(survival(shown)) if shown.ends else None,
        "measured": [],
    }
    if found is not None:
        both = [measured_survival(shown, found), measured_events(shown, found)]
        n, bands = found.histogram.n, [each.observed for each in found.calibration]
        seen = all(band.low > 0 or band.high < n for band in bands)  # not hidden by noise
        target["measured"] = [html_of(chart) for chart in both[: 1 + seen]]
    return {
        "target": target,
        "folded": folded,
        "left_out": len(folded),
        "calculator": calculator_of_targets(shown),
    }


@plotter(TreeSum)
def _sum(model: TreeSum, setting: Setting) -> Json:
    """Draw what the column of the largest range does, or survival; else only words."""
    schema = None if setting.domain is None else setting.domain.schema
    if schema is not None:
        shown = Shown(model, schema)
        if shown.ends:
            return survival(shown)
        if shown.columns:
            return panel(shown, *shown.columns[0]) | {"note": model.describe()}
    return figure("cases", "A sum of trees", model.describe(), model.describe(), cases=[])


def panel(shown: Shown, column: Column, values: Sequence[float]) -> Json:
    """Draw the mean prediction in each cell of a column, in the range of all columns."""
    (low, high), name = shown.axis, f"{shown.what} by {column.title}"
    spread = (high - low) or 1.0
    if not column.numeric:
        cells = [  # marks, not bars: the axis need not begin at 0
            {"words": words, "bars": [(shown.said(value), *_mark(100 * at))]}
            for words, value, at in _groups(shown, column, values)
        ]
        axis = scale(*shown.range, across=22)
        return figure(
            "bars", "", name, columns=[{"name": column.title, "cells": cells}], labels=[], zero=0,
            axis=axis,
        )  # fmt: skip
    missing, bins, edges = values[0], values[Column.FIRST :], column.shown

    def line(far: float) -> str:
        heights = [min(1.0, max(0.0, (value + far - low) / spread)) for value in bins]
        return path(((i + side) / len(bins), y) for i, y in enumerate(heights) for side in (0, 1))

    paths = [("dash", line(far)) for far in (-shown.wide, shown.wide)] if shown.wide else []
    x = [(_few(edge), round(100 * i / len(bins), 2)) for i, edge in enumerate(edges, 1)]
    if column.title != column.name:  # bins of parts of dates have names
        names = (column.within([code]) for code in range(Column.FIRST, column.n_codes))
        x = [(each, round(100 * (i + 0.5) / len(bins), 2)) for i, each in enumerate(names)]
    words = "; ".join(
        f"{column.within([code])}: {shown.said(value)}"
        for code, value in enumerate(bins, Column.FIRST)
    )
    return chart(
        column.title, f"{name}: {words}", [*paths, ("curve", line(0))], x=x, y=scale(low, high),
        note=f"missing or other: {shown.said(missing)}",
    )  # fmt: skip


def _mark(place: float) -> tuple[float, float]:
    """Return the ends of a mark at a place from 0 to 100."""
    return round(max(0.0, place - 2), 1), round(min(100.0, place + 2), 1)


def survival(shown: Shown) -> Json:
    """Draw the mean survival of thirds of the public rows, by their risk."""
    chances = shown.model.survival(shown.rows.astype(np.int64))
    order = np.argsort(-chances[:, -1], kind="stable")
    means = [chances[third].mean(axis=0).tolist() for third in np.array_split(order, 3)]
    return _curves(shown, "Event-free, by risk", means)


def measured_survival(shown: Shown, found: SurvivalEvaluation) -> Json:
    """Draw the predicted survival of risk groups, and the observed one with its bands."""
    points = [
        mark
        for name, group in zip(_GROUPS[len(found.groups) - 1], found.groups, strict=True)
        for end, band in zip(found.ends, group.observed, strict=False)  # as far as it is seen
        for mark in point(end / found.ends[-1], band.low, band.value, band.high, name=name)
    ]
    predicted = [group.predicted for group in found.groups]
    return _curves(shown, "Event-free, by risk", predicted, points)


def measured_events(shown: Shown, found: SurvivalEvaluation) -> Json:
    """Draw the predicted number of events of each period, and the observed one with its band."""
    periods, last = found.calibration, found.ends[-1]
    most = max(max(each.predicted.value, each.observed.high) for each in periods) or 1.0
    paths, words = [], []
    for start, step, each in zip((0.0, *found.ends), shown.steps, periods, strict=False):
        left, right, band = start / last, each.end / last, each.observed
        height = each.predicted.value / most
        paths.append(("curve", path([(left, height), (right, height)])))
        paths += point((left + right) / 2, *(x / most for x in (band.low, band.value, band.high)))
        words.append(f"{step}: {each.predicted.value:,.0f} predicted, {band.value:,.0f} observed")
    return chart(
        "Events in each period", "; ".join(words), paths, x=_until(shown), y=scale(0, most)
    )


def _until(shown: Shown) -> list[tuple[str, float]]:
    ends = [float(end) for end in shown.ends]
    return [("0", 0.0), *((f"{end:.10g}", round(100 * end / ends[-1], 2)) for end in ends)]


def _curves(
    shown: Shown, title: str, curves: Sequence[Sequence[float]],
    points: Sequence[tuple[str, str]] = (),
) -> Json:  # fmt: skip
    """Draw the survival of risk groups from 1 on, each in its colour and named where it ends."""
    ends = [float(end) for end in shown.ends]
    paths, words, names, below = [], [], [], math.inf
    for name, mean in zip(_GROUPS[len(curves) - 1], curves, strict=True):
        curve = path([(0, 1), *((x / ends[-1], y) for x, y in zip(ends, mean, strict=True))])
        paths.append((f"curve {name}", curve))
        below = min(100 * mean[-1], below - 11)  # names do not overlap
        last = percent(mean[-1], 0).replace("less than ", "<").replace("more than ", ">")
        names.append((f"{name} {last}", round(below, 1)))
        said = (f"{percent(y, 0)} at {end}" for y, end in zip(mean, shown.ends, strict=True))
        words.append(f"{name}: {', '.join(said)}")
    y = [(f"{share}%", share) for share in (0, 50, 100)]
    return chart(
        title, "; ".join(words), [*paths, *points], x=_until(shown), y=y, x_name=shown.units,
        ends=names,
    )  # fmt: skip


def _few(written: str) -> str:
    """Return a number in few characters, since one that is cut off is another; a date as it is.

    Examples
    --------
    >>> _few("-1000000"), _few("1,234,567"), _few("0.001"), _few("2020-01-01")
    ('-1e6', '1.23e6', '0.001', '2020-01-01')
    """
    value = parsed(written.replace(",", ""))
    if value is None:
        return written
    return min(short(value), written, key=len)


def _groups(
    shown: Shown, column: Column, values: Sequence[float]
) -> list[tuple[str, float, float]]:
    """Return the categories of a column, their value and place in the range of all columns.

    Those whose predictions are written alike are together.
    """
    low, high = shown.range
    written = [shown.said(value) for value in values]
    kinds = {text: i for i, text in enumerate(dict.fromkeys(written))}
    found = groups(column, np.array([[kinds[text]] for text in written]))
    last = [(column.within(group.codes), values[group.codes[-1]]) for group in found]
    return [(words, value, (value - low) / ((high - low) or 1)) for words, value in last]


def calculator_of_targets(shown: Shown) -> Json | None:
    """Return the fields and the script that say the prediction of a row."""
    model, target = shown.model, shown.model.target
    used = sorted(
        column for column in {s.column for s in model.literals} if column < len(shown.schema)
    )
    if not used:
        return None
    low, high = model.limits
    described: dict[str, Any] = {
        "kind": target.kind,
        "trees": [(step, tree.to_dict()["tree"]) for tree, step in model.counted.items()],
        "start": list(model.start),
        "limits": [low, high],
        "parts": PARTS,
        "period": len(shown.schema),
        "width": model.width,
        "scale": model.parts if model.width is not None else None,
        "level": at_least(shown.level) if shown.level else "",
        "ends": shown.ends,
    }
    if target.continuous:
        described |= {"low": float(target.low), "cell": float(target.width / PARTS)}
        described["log"] = model.log
        far = model.start[0] + np.array([-1, 1]) * sum(model.steps)
        spread = float(np.ptp(model.worth(far)))
        described["digits"] = max(0, min(12, 3 - math.floor(math.log10(spread)))) if spread else 2
    label = shown.what[0].upper() + shown.what[1:]
    return form(shown.schema, used, described, "calculator_targets.js", label=label)


# -- What the noise of the learner alone makes of a column, from public numbers: no guarantee.

# Deviations: between cells of a column, and of a walk of signs; chosen on generated tables
# (``experiments/bands_chosen.py --effects``), where at most 1 in 30 columns of each kind passes.
_SPREADS, _WALK = 3.2, 2.0


def noise_ranges(release: Release) -> dict[str, float]:
    """Return how far cells of each column lie apart by noise and sampling alone, in log-odds.

    Of trees: had the answers of each been drawn at random. What single trees do to a column then
    adds up like a walk, whose range is below 2 deviations in 19 of 20 cases. Of counts of columns
    and of noisy gradients: their noise, and the sampling of labels in cells, taken to be equally
    large. Of a quantity in its unit, of a count in logarithms.
    """
    model, schema, n = release.sums, release.concept_class.row_schema, release.n
    if model is None or schema is None or not n:
        return {}
    squares = dict.fromkeys(schema.names, 0.0)
    for tree, size in model.counted.items():
        times = size if model.target is None else model.trees.count(tree)
        if model.target is not None:
            alone = replace(model, trees=(tree,), steps=(size // times,))
            by_label = [alone.effects(Shown(model, schema).asked)]
        else:
            one = TreeEnsemble((tree,), model.step, label_names=model.label_names)
            by_label = list(one.effects(schema).values())
        for cells in by_label[:1]:
            for name in cells.keys() & squares.keys():
                squares[name] += times * max(_range(each[name]) for each in by_label) ** 2
    ranges = {name: _WALK * math.sqrt(square) for name, square in squares.items()}
    if model.target is None and model.code_points is not None:
        if release.evaluation is not None and release.evaluation.held_out and not release.scored:
            n = max(n - release.evaluation.n, 1)
        for at, name in enumerate(schema.names):
            try:
                wide = _SPREADS * math.sqrt(_of_points(release, n, at))
            except (LittlestoneError, ValueError, ArithmeticError):
                wide = 0.0  # a file from elsewhere may say that anything was spent
            ranges[name] = math.hypot(ranges[name], wide)
    return ranges


def _range(cells: Mapping[str, float]) -> float:
    """Return the range of the effects of bins or categories: not of missing and other, the last."""
    values = list(cells.values())[: -Column.FIRST]
    return max(values) - min(values)


def _of_points(release: Release, n: int, at: int) -> float:
    """Return the variance of the log-odds of a cell that noisy counts or gradients give."""
    model, concepts = cast(TreeEnsemble, release.hypothesis), release.concept_class
    assert isinstance(concepts, BoostedTreeClass)
    assert model.code_points is not None
    answers = concepts.schema.n_codes[at] - Column.OTHER
    base = np.array(model.start) + np.array(model.code_points.base) / model.code_points.unit
    odds = np.exp(float(model.step) * (base - base.max()))
    share = float(np.clip((odds / odds.sum()).min(), 1e-3, 0.5))  # of the rarest label
    curved, cell = share * (1 - share), n / answers
    if counts := (release.spent or {}).get("counts of columns"):
        noise = len(concepts.schema) / float(Fraction(counts.removeprefix("zCDP ")))
        return (range_of_noise(concepts.schema.columns[at], n, noise, share) / _SPREADS) ** 2
    if not isinstance(concepts, LinearClass):
        return 0.0
    # noise of all rounds that is not forgotten: rounds move by `time`, and pull back by curvature
    paid = release.payment
    learner = Linear(concepts, epsilon=paid.epsilon, delta=paid.delta)
    features = learner.features
    norm = features.square / features.grain**2
    squares = (features.tables[at] / features.grain) ** 2
    pull = 2 * learner.plan.settings(n).time * curved * squares.mean(axis=0) / norm
    kept = -np.expm1(-pull) / np.maximum(pull, 1e-9)
    return float((squares @ kept).max()) / norm + 1 / (cell * curved)


# -- Sums of trees on their pages: points, effects, and a calculator that works without a network.


def scorecard(ensemble: TreeEnsemble, schema: Schema) -> Json | None:
    """Return the points of a scorecard, in the largest common unit; None of other sums.

    The columns of the largest points come first. For the labels 0 and 1 sums begin at 0, and each
    sum has a probability; otherwise each label has a start. Columns are those of a figure of bars.
    """
    if not ensemble.additive:
        return None
    base, by_column = ensemble.summed(schema)
    unit = ensemble.unit(base, by_column)
    order = sorted(by_column, key=lambda at: (-int(by_column[at].max()), at))
    largest = max((int(by_column[at].max()) for at in order), default=0) // unit or 1
    columns: list[Json] = []

    def bar(points: int) -> tuple[str, float | None, float | None]:
        if not ensemble.binary:
            return f"{points}", None, None
        return f"{points}", 0, round(100 * points / largest, 1)

    for at in order:
        cells, column = [], schema.columns[at]
        for group in groups(column, by_column[at]):
            bars = [bar(votes // unit) for votes in group.points]
            cells.append({"words": column.within(group.codes), "bars": bars})
        wide = float(ensemble.step) * int(np.ptp(by_column[at][Column.FIRST :], axis=0).max())
        columns.append({"name": column.title, "of": column.name, "range": wide, "cells": cells})
    if ensemble.binary:
        sums, needed = _sums(ensemble, schema), ensemble.needed(base, unit)
        return {"labels": [], "columns": columns, "sums": sums, "needed": needed}
    start = [(f"{int(votes - min(base)) // unit}", None, None) for votes in base]
    begin = {
        "name": "Start",
        "range": math.inf,
        "cells": [{"words": "to begin with", "bars": start}],
    }
    return {
        "labels": list(ensemble.label_names),
        "columns": [begin, *columns],
        "sums": [],
        "factor": f"{math.exp(unit * float(ensemble.step)):.3g}",
    }


def effects(ensemble: TreeEnsemble, schema: Schema) -> Json:
    """Return what each column does to the log-odds of each label; of 0 and 1 to those of 1.

    In hundredths; cells with equal effects are together, and the columns of the largest range come
    first. The columns are those of a figure of bars, on one axis.
    """
    by_label = list(ensemble.effects(schema).values())
    ranges: list[tuple[int, Column, list[Any]]] = []
    for name in by_label[0]:
        values = np.array([[round(100 * v) for v in own[name].values()] for own in by_label]).T
        *bins, missing, other = values.tolist()
        parts = groups(schema[name], np.array([missing, other, *bins]))
        ranges.append((int(np.ptp(np.array(bins), axis=0).max()), schema[name], parts))
    every = [p for *_, parts in ranges for group in parts for p in group.points]
    low, high = min([*every, 0]), max([*every, 0])
    spread = (high - low) or 1

    def bar(points: int) -> tuple[str, float | None, float | None]:
        if not ensemble.binary:
            return f"{points / 100:+.2f}", None, None
        ends = sorted(round(100 * (end - low) / spread, 1) for end in (0, points))
        return f"{points / 100:+.2f}", ends[0], ends[1]

    columns = [
        {
            "name": column.title,
            "of": column.name,
            "range": wide / 100,
            "cells": [
                {"words": column.within(group.codes), "bars": list(map(bar, group.points))}
                for group in parts
            ],
        }
        for wide, column, parts in sorted(ranges, key=lambda entry: (-entry[0], entry[1].name))
    ]
    axis = [(text.replace("-", "−"), at) for text, at in scale(low / 100, high / 100, 22)]
    return {
        "labels": [] if ensemble.binary else list(ensemble.label_names),
        "columns": columns,
        "zero": round(-100 * low / spread, 1),
        "axis": axis if ensemble.binary else [],
    }


def effects_figure(ensemble: TreeEnsemble, schema: Schema) -> Json:
    """Draw what each column does, those of the largest ranges."""
    drawn = effects(ensemble, schema)
    left = max(len(drawn["columns"]) - _SHOWN_COLUMNS, 0)
    note = _NOTE.format(what="each label" if drawn["labels"] else "label 1")
    note += f" {left} columns of smaller effect are left out." if left else ""
    drawn["columns"] = drawn["columns"][:_SHOWN_COLUMNS]
    return figure("bars", "What each column does", ensemble.describe(), note, **drawn)


@plotter(TreeEnsemble)
def _ensemble(model: TreeEnsemble, setting: Setting) -> Json:
    """Draw what columns do, where the schema is known, or else the trees."""
    if setting.domain is not None and setting.domain.schema is not None:
        return effects_figure(model, setting.domain.schema)
    return trees_figure(model, setting)


def _sums(ensemble: TreeEnsemble, schema: Schema) -> list[tuple[str, str]]:
    """Return the probability of each sum that may be; sums of the same one together."""
    base, by_column = ensemble.summed(schema)
    unit, first = ensemble.unit(base, by_column), int(base[0])
    reachable = {0}
    for points in by_column.values():
        reachable = {total + int(p) for total in reachable for p in set(points.flat)}
    chances = dict(zip(ensemble.margins, ensemble.probabilities.tolist(), strict=True))
    shown = [(total // unit, _percent(chances[first + total])) for total in sorted(reachable)]
    rows = []
    for chance, same in groupby(shown, key=lambda pair: pair[1]):
        sums = [total for total, _ in same]
        rows.append((f"{sums[0]}–{sums[-1]}" if len(sums) > 1 else str(sums[0]), chance))
    return rows


def _percent(chance: float) -> str:
    return f"{100 * chance:.{0 if 0.01 <= chance <= 0.99 else 1}f}%"


def calculator(ensemble: TreeEnsemble, schema: Schema, positive: str) -> Json | None:
    """Return the fields and the script that say the probability of a row, or of each label.

    The script holds the integers of the model, and loads nothing.
    """
    points = ensemble.code_points
    used = {split.column for split in ensemble.literals}
    used |= {column for column, _ in points.columns} if points else set()
    if not used:
        return None
    model: Json = {
        "start": ensemble.start,
        "points": points.to_dict() if points else None,
        "trees": [(n, tree.to_dict()["tree"]) for tree, n in ensemble.counted.items()],
        "probabilities": None,
    }
    if ensemble.binary:
        card = ensemble.summed(schema) if ensemble.additive else None
        model |= {
            "first": ensemble.margins[0],
            "probabilities": ensemble.probabilities.tolist(),
            "base": int(card[0][0]) if card else None,
            "unit": ensemble.unit(*card) if card else 1,
        }
    else:
        model |= {"labels": ensemble.label_names, "step": float(ensemble.step)}
        model |= {"linked": ensemble.linked}
    label = positive if ensemble.binary else "Label"
    return form(schema, used, model, "calculator.js", label=label)


# -- What a released evaluation says, drawn: ROC, calibration, confusion matrix; observed values.
