"""Pages and pictures of sums of trees for quantities, counts and times: in the user's units.

What a column does is the mean prediction over public rows: for each of its cells the same rows, in
which the cells of the other columns are equally frequent. Records are not asked, so it is free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from littlestone.classes import TreeEnsemble, TreeSum
from littlestone.classes.boosted_trees.ensemble import public_rows, quantile_words
from littlestone.classes.boosted_trees.export import PARTS, groups
from littlestone.data import Column, RowDomain, Schema
from littlestone.data.cells import number as parsed
from littlestone.data.targets import Count, Periods, Quantity
from littlestone.evaluation import ErrorSums, Evaluation, QuantityEvaluation, SurvivalEvaluation
from littlestone.evaluation.measures import QUANTILES
from littlestone.learners.release import evaluation_of
from littlestone.report.html import form, integer, percent
from littlestone.report.pictures import MARGIN, WIDTH, Setting, plotter
from littlestone.svg import Element, clip, picture, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.evaluation import PredictedBin
    from littlestone.learners.release import Release
    from littlestone.types import Json


_ROWS = 128  # public rows over which a prediction is a mean
#: Names of one, two or three risk groups.
_GROUPS = (("all",), ("low risk", "high risk"), ("low risk", "middle risk", "high risk"))
_MOST = 24  # columns that are drawn, those of the largest range
_PANEL, _TALL, _LEFT, _TOP = 290.0, 104.0, 52.0, 30.0
_TICKS = 5
_BESIDE = 104.0  # space for the names of curves

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
        return 100.0 if isinstance(self.model.target, Periods) else 1.0

    @property
    def what(self) -> str:
        """What is predicted, in words."""
        target = self.model.target
        if isinstance(target, Periods):
            return f"the chance, in percent, that nothing has happened until {self.ends[-1]}"
        if isinstance(target, Count):
            return f"the expected count of {self.name}" if self.name else "the expected count"
        if self.model.quantile is not None:
            return f"{quantile_words(self.model.quantile)} of {self.name or 'the quantity'}"
        return f"the predicted {self.name or 'quantity'}"

    @property
    def ends(self) -> list[str]:
        """The ends of the periods, as they are written."""
        return [f"{float(end):.10g}" for end in getattr(self.model.target, "ends", ())]

    @cached_property
    def rows(self) -> npt.NDArray[np.int16]:
        """The public rows that predictions are means over."""
        return public_rows(self.schema, _ROWS)

    @cached_property
    def columns(self) -> list[tuple[Column, list[float]]]:
        """Columns with the mean prediction of each code, those of the largest range first."""
        used = {split.column for split in self.model.literals}
        asked = [at for at in sorted(used) if at < len(self.schema)]  # others are the period
        changed = []
        for at in asked:
            for code in (Column.MISSING, *range(Column.FIRST, self.schema.columns[at].n_codes)):
                changed.append(self.rows.copy())
                changed[-1][:, at] = code
        if not changed:
            return []
        means = self.unit * self.worth(np.vstack(changed)).reshape(-1, _ROWS).mean(axis=1)
        found, start = [], 0
        for at in asked:
            column = self.schema.columns[at]
            size = column.n_codes - 1
            missing, *values = means[start : start + size].tolist()
            found.append((column, [missing, missing, *values]))
            start += size
        return sorted(found, key=lambda entry: (min(entry[1]) - max(entry[1]), entry[0].name))

    def worth(self, rows: npt.NDArray[np.int16]) -> Doubles:
        """Return the prediction of rows; of a time the survival of all periods."""
        if isinstance(self.model.target, Periods):
            return self.model.survival(rows)[:, -1]
        return self.model.predict(rows)

    @cached_property
    def range(self) -> tuple[float, float]:
        """The least and the largest mean prediction of any cell."""
        values = [value for _, own in self.columns for value in own] or [0.0]
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
        return number(value, high - low)


def number(value: float, spread: float) -> str:
    """Return a number, rounded to about a hundredth of a spread.

    Examples
    --------
    >>> number(1234.56, 900), number(-0.1234, 0.5), number(2, 0)
    ('1,235', '-0.123', '2')
    """
    digits = max(0, 2 - math.floor(math.log10(spread))) if spread > 0 else 0
    text = f"{value:,.{min(digits, 12)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def ticks(low: float, high: float) -> list[float]:
    """Return two to seven round numbers of a range.

    Examples
    --------
    >>> ticks(158, 8904), ticks(0.028, 0.583), ticks(3, 3)
    ([2000.0, 4000.0, 6000.0, 8000.0], [0.2, 0.4], [3])
    """
    if low >= high:
        return [low]
    most = 10.0 ** math.ceil(math.log10(high - low))
    parts = (0.2, 0.1, 0.05, 0.02)  # the range is from a tenth to all of `most`
    step = next(most * part for part in parts if high - low >= 2.5 * most * part)
    return [round(i * step, 12) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def target_parts(shown: Shown, found: SurvivalEvaluation | None = None) -> Json:
    """Return what the page of a quantity, a count or a time leads with."""
    drawn = [
        entry for entry in shown.columns if shown.said(min(entry[1])) != shown.said(max(entry[1]))
    ]
    panels: list[Json] = []
    for column, values in drawn[:_MOST]:
        if column.numeric:
            panels.append({"svg": _markup(curve(shown, column, values))})
        else:
            panels.append(
                {"svg": None, "name": column.name, "groups": _groups(shown, column, values)}
            )
    return {
        "what": shown.what,
        "ends": shown.ends,
        "level": percent(shown.level) if shown.level and shown.wide else None,
        "panels": panels,
        "left_out": len(drawn) - len(panels),
        "survival": _markup(survival(shown)) if shown.ends else None,
        "measured": [measured_survival(found), measured_events(found)] if found else [],
        "calculator": calculator_of_targets(shown),
    }


@plotter(TreeSum)
def sum_picture(model: TreeSum, setting: Setting) -> str:
    """Draw survival by risk, and what numeric columns do; of an unknown schema only words."""
    body, y = Element("g"), MARGIN
    body.add("text", clip(model.describe(), WIDTH - 2 * MARGIN), x=MARGIN, y=y + 14)
    y += 26
    if isinstance(setting.domain, RowDomain):
        shown = Shown(model, setting.domain.schema)
        drawn = [survival(shown)] if shown.ends else []
        drawn += [curve(shown, *entry) for entry in shown.columns[:_MOST] if entry[0].numeric]
        for panel, height in drawn:
            panel.attributes["transform"] = f"translate({MARGIN:g} {y:g})"
            body.children.append(panel)
            y += height + 10
    return picture(body, width=WIDTH, height=y, title="A sum of trees", desc=model.describe())


def _markup(drawn: tuple[Element, float]) -> Markup:
    """Return a panel as a picture of its own."""
    body, height = drawn
    desc = body.attributes.pop("aria_label", "")
    title = body.attributes.pop("aria_title", "")
    # escaped by littlestone.svg
    return Markup(  # noqa: S704
        picture(body, width=_PANEL, height=height, title=str(title), desc=str(desc))
    )


def curve(shown: Shown, column: Column, values: Sequence[float]) -> tuple[Element, float]:
    """Draw the mean prediction in each bin of a column, in the range of all columns."""
    missing, bins = values[0], values[Column.FIRST :]
    body, (low, high) = Element("g"), shown.axis
    scale = (high - low) or 1.0
    _frame(
        body, column.name, [(shown.said(tick), (tick - low) / scale) for tick in ticks(low, high)]
    )
    wide = (_PANEL - _LEFT - MARGIN) / len(bins)
    edges, every = column.shown, max(1, math.ceil(len(column.shown) / _TICKS))
    while every < len(edges) and any(text_width(_few(x), 12) > every * wide - 4 for x in edges):
        every += 1
    for i in range((len(edges) - 1) % every // 2, len(edges), every):
        space = every * wide - 4
        shown_as = edges[i] if text_width(edges[i], 12) <= space else _few(edges[i])
        _below(body, _LEFT + (i + 1) * wide, clip(shown_as, space, 12))

    def line(values: Sequence[float]) -> str:
        heights = [_height((min(high, max(low, value)) - low) / scale) for value in values]
        right = [_LEFT + (place + 1) * wide for place in range(len(values))]
        steps = (f"V{y:.1f}H{x:.1f}" for x, y in zip(right[1:], heights[1:], strict=True))
        return f"M{_LEFT:g} {heights[0]:.1f}H{right[0]:.1f}" + "".join(steps)

    if shown.wide:  # the ends of intervals
        for far in (-shown.wide, shown.wide):
            path = line([value + far for value in bins])
            body.add("path", d=path, class_="ls-axis", stroke_dasharray="2 3")
    body.add("path", d=line(bins), class_="ls-curve")
    y = _TOP + _TALL + 34
    body.add(
        "text", f"missing or other: {shown.said(missing)}", x=_LEFT, y=y, class_="ls-dim ls-small"
    )
    words = "; ".join(
        f"{column.within([code])}: {shown.said(value)}"
        for code, value in enumerate(bins, Column.FIRST)
    )
    body.attributes |= {"aria_title": f"{shown.what} by {column.name}", "aria_label": words}
    return body, y + 6


def survival(shown: Shown) -> tuple[Element, float]:
    """Draw the mean survival of thirds of the public rows, by their risk."""
    chances = shown.model.survival(shown.rows.astype(np.int64))
    order = np.argsort(-chances[:, -1], kind="stable")
    means = [chances[third].mean(axis=0).tolist() for third in np.array_split(order, 3)]
    ends = [float(end) for end in getattr(shown.model.target, "ends", ())]
    body = Element("g")
    words = _lines(body, "Nothing has happened yet", ends, means)
    body.attributes |= {"aria_title": "Survival by risk", "aria_label": "; ".join(words)}
    return body, _TOP + _TALL + 24


def measured_survival(found: SurvivalEvaluation) -> Markup:
    """Draw the predicted survival of risk groups, and the observed one with its bands."""
    body, groups, ends = Element("g"), found.groups, found.ends
    title = "Survival by risk"
    words = _lines(body, title, ends, [group.predicted for group in groups])
    for group in groups:
        for end, band in zip(ends, group.observed, strict=False):  # as far as it is seen
            _bar(body, _across(end, ends), *map(_height, (band.low, band.value, band.high)))
    body.attributes |= {"aria_title": title, "aria_label": f"Predicted: {'; '.join(words)}"}
    return _markup((body, _TOP + _TALL + 24))


def measured_events(found: SurvivalEvaluation) -> Markup:
    """Draw the predicted number of events of each period, and the observed one with its band."""
    body, periods, ends = Element("g"), found.calibration, found.ends
    most = max(max(each.predicted.value, each.observed.high) for each in periods) or 1.0
    scale = [(number(tick, most), tick / most) for tick in ticks(0.0, most)]
    title, wide = "Events in each period", _PANEL - MARGIN - _LEFT
    _frame(body, title, scale)
    _ends(body, ends, wide)
    words = []
    for start, each in zip((0.0, *ends), periods, strict=False):
        left, right = (_LEFT + wide * x / ends[-1] for x in (start, each.end))
        y = _height(each.predicted.value / most)
        body.add("path", d=f"M{left:.1f} {y:.1f}H{right:.1f}", class_="ls-curve")
        band = each.observed
        heights = (_height(x / most) for x in (band.low, band.value, band.high))
        _bar(body, (left + right) / 2, *heights)
        said = f"{each.predicted.value:,.0f} predicted, {band.value:,.0f} found"
        words.append(f"{start:.10g} to {each.end:.10g}: {said}")
    body.attributes |= {"aria_title": title, "aria_label": "; ".join(words)}
    return _markup((body, _TOP + _TALL + 24))


def _bar(body: Element, x: float, low: float, middle: float, high: float) -> None:
    body.add("path", d=f"M{x:.1f} {low:.1f}V{high:.1f}", class_="ls-axis")
    body.add("circle", cx=round(x, 1), cy=round(middle, 1), r=2.5, class_="ls-one")


def _across(end: float, ends: Sequence[float]) -> float:
    return _LEFT + (_PANEL - _LEFT - _BESIDE) * end / ends[-1]


def _ends(body: Element, ends: Sequence[float], wide: float) -> None:
    every = max(1, math.ceil(len(ends) / _TICKS))
    _below(body, _LEFT, "0")
    for i in range(len(ends) - 1, -1, -every):
        _below(body, _LEFT + wide * ends[i] / ends[-1], f"{ends[i]:.10g}")


def _lines(
    body: Element, title: str, ends: Sequence[float], curves: Sequence[Sequence[float]]
) -> list[str]:
    """Draw the survival of risk groups; return it in words."""
    _frame(body, title, [(f"{share}%", share / 100) for share in (0, 50, 100)])
    _ends(body, ends, _PANEL - _LEFT - _BESIDE)
    words, above = [], -math.inf
    for name, mean in zip(_GROUPS[len(curves) - 1], curves, strict=True):
        points = [(0.0, 1.0), *zip(ends, mean, strict=True)]
        lines = "L".join(f"{_across(x, ends):.1f} {_height(y):.1f}" for x, y in points)
        body.add("path", d=f"M{lines}", class_="ls-curve")
        above = max(_height(mean[-1]) + 4, above + 13)  # texts do not overlap
        text = f"{name} {percent(mean[-1], 0)}"
        body.add("text", text, x=_across(ends[-1], ends) + 4, y=above, class_="ls-small")
        said = (f"{percent(y, 0)} at {end:.10g}" for y, end in zip(mean, ends, strict=True))
        words.append(f"{name}: {', '.join(said)}")
    return words


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
    short = f"{value:.3g}".replace("e+0", "e").replace("e+", "e")
    return min(short, written, key=len)


def _frame(body: Element, title: str, ticks: Sequence[tuple[str, float]]) -> None:
    body.add("text", clip(title, _PANEL - MARGIN, end=3), x=0, y=16.0, class_="ls-strong")
    for text, share in ticks:
        y = _height(share)
        body.add("path", d=f"M{_LEFT:g} {y:.1f}H{_PANEL - MARGIN:g}", class_="ls-grid")
        body.add(
            "text",
            text if text_width(text, 12) <= _LEFT - 6 else clip(_few(text), _LEFT - 6, 12),
            x=_LEFT - 5,
            y=y + 4,
            text_anchor="end",
            class_="ls-dim ls-small",
        )


def _below(body: Element, x: float, text: str) -> None:
    y = _TOP + _TALL
    body.add("path", d=f"M{x:.1f} {y:g}v4", class_="ls-axis")
    body.add("text", text, x=x, y=y + 17, text_anchor="middle", class_="ls-dim ls-small")


def _height(share: float) -> float:
    return _TOP + _TALL * (1 - share)


def _groups(shown: Shown, column: Column, values: Sequence[float]) -> list[Json]:
    """Return the categories of a column; those whose predictions are written alike together."""
    low, high = shown.range
    written = [shown.said(value) for value in values]
    kinds = {text: i for i, text in enumerate(dict.fromkeys(written))}
    found = groups(column, np.array([[kinds[text]] for text in written]))
    return [
        {
            "words": column.within(group.codes),
            "value": written[group.codes[-1]],
            "at": round(100 * (values[group.codes[-1]] - low) / ((high - low) or 1)),
        }
        for group in found
    ]


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
        "level": percent(shown.level) if shown.level else "",
        "ends": shown.ends,
    }
    if isinstance(target, Quantity):
        described |= {"low": float(target.low), "cell": float(target.width / PARTS)}
        described["log"] = model.log
        far = model.start[0] + np.array([-1, 1]) * sum(model.steps)
        spread = float(np.ptp(model.worth(far)))
        described["digits"] = max(0, min(12, 3 - math.floor(math.log10(spread)))) if spread else 2
    label = shown.what[0].upper() + shown.what[1:]
    return form(shown.schema, used, described, "calculator_targets.js", label=label)


# -- Sums of trees on their pages: points, effects, and a calculator that works without a network.


def scorecard(ensemble: TreeEnsemble, schema: Schema) -> Json | None:
    """Return the table of points of a scorecard, in the largest common unit; None of other sums.

    The columns of the largest points come first. For the labels 0 and 1 sums begin at 0, and each
    sum has a probability; otherwise each label has a start.
    """
    if not ensemble.additive:
        return None
    base, own = ensemble.summed(schema)
    unit = ensemble.unit(base, own)
    order = sorted(own, key=lambda at: (-int(own[at].max()), at))
    largest = max((int(own[at].max()) for at in order), default=0) // unit
    columns = [
        {
            "name": schema.columns[at].name,
            "groups": [
                {
                    "words": schema.columns[at].within(group.codes),
                    "points": [points // unit for points in group.points],
                    "width": round(100 * group.points[0] / (unit * largest)),
                }
                for group in groups(schema.columns[at], own[at])
            ],
        }
        for at in order
    ]
    if ensemble.binary:
        sums, needed = _sums(ensemble, schema), ensemble.needed(base, unit)
        return {"labels": [], "columns": columns, "sums": sums, "needed": needed}
    return {
        "labels": list(ensemble.label_names),
        "base": [int(votes - min(base)) // unit for votes in base],
        "columns": columns,
        "sums": [],
        "factor": f"{math.exp(unit * float(ensemble.step)):.3g}",
    }


def effects(ensemble: TreeEnsemble, schema: Schema) -> Json | None:
    """Return what each column does to the log-odds of label 1, in hundredths; None of other labels.

    Cells with equal effects are together, and the columns of the largest range come first.
    """
    if not ensemble.binary:
        return None
    found = []
    for name, own in ensemble.effects(schema)[1].items():
        *values, missing, other = [round(100 * value) for value in own.values()]
        column = schema[name]
        parts = groups(column, np.array([missing, other, *values])[:, None])
        reached = [missing, *values]
        found.append((max(reached) - min(reached), column, parts))
    largest = max((abs(g.points[0]) for *_, parts in found for g in parts), default=0) or 1
    columns = [
        {
            "name": column.name,
            "groups": [
                {
                    "words": column.within(group.codes),
                    "effect": f"{group.points[0] / 100:+.2f}",
                    "width": round(50 * abs(group.points[0]) / largest),
                    "sign": "less" if group.points[0] < 0 else "more",
                }
                for group in parts
            ],
        }
        for _, column, parts in sorted(found, key=lambda entry: (-entry[0], entry[1].name))
    ]
    return {"columns": columns}


def _sums(ensemble: TreeEnsemble, schema: Schema) -> list[tuple[str, str]]:
    """Return the probability of each sum that may be; sums of the same one together."""
    base, own = ensemble.summed(schema)
    unit, first = ensemble.unit(base, own), int(base[0])
    reachable = {0}
    for points in own.values():
        reachable = {total + int(p) for total in reachable for p in set(points.flat)}
    chances = dict(zip(ensemble.margins, ensemble.probabilities.tolist(), strict=True))
    shown = [(total // unit, _percent(chances[first + total])) for total in sorted(reachable)]
    found = []
    for chance, same in groupby(shown, key=lambda pair: pair[1]):
        sums = [total for total, _ in same]
        found.append((f"{sums[0]}–{sums[-1]}" if len(sums) > 1 else str(sums[0]), chance))
    return found


def _percent(chance: float) -> str:
    return f"{100 * chance:.{0 if 0.01 <= chance <= 0.99 else 1}f}%"


def calculator(ensemble: TreeEnsemble, schema: Schema) -> Json | None:
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
        linked = ensemble.cap is not None
        model |= {
            "labels": ensemble.label_names, "step": float(ensemble.step), "linked": linked
        }  # fmt: skip
    label = "Label 1" if ensemble.binary else "Label"
    return form(schema, used, model, "calculator.js", label=label)


# -- What a released evaluation says, drawn: ROC, calibration, confusion matrix; observed values.


_SIDE, _PANEL_LEFT, _PANEL_TOP = 200.0, 46.0, 26.0
_SHOWN = 6  # labels of a confusion matrix
_CURVE = "stroke:var(--ls-one);stroke-width:2;fill:none"


def drawn(release: Release) -> Json:
    """Return pictures and the confusion matrix of an evaluation, by released counts."""
    if isinstance(release.evaluation, ErrorSums):
        return {"curves": _observed(release, release.evaluation), "confusion": None}
    histogram = release.counts
    if histogram is None:
        return {"curves": [], "confusion": None}
    hypothesis, curves = release.hypothesis, []
    evaluation = evaluation_of(histogram, hypothesis)
    if isinstance(hypothesis, TreeEnsemble) and hypothesis.binary:
        curves = [roc_picture(evaluation), calibration_picture(evaluation)]
    # escaped by littlestone.svg
    return {
        "curves": [Markup(curve) for curve in curves if curve],  # noqa: S704
        "confusion": _confusion(release, evaluation),
    }


def roc_picture(evaluation: Evaluation) -> str:
    """Draw the ROC curve; nothing if the noise hides its area."""
    found = evaluation.auroc()
    if found is None:
        return ""
    area = f"ROC: area {found.value:.3f}"
    body = _square(area, "label 0 answered 1 (false positives)", "label 1 answered 1 (true)")
    body.add("path", d=_path(evaluation.roc()), style=_CURVE)
    return _picture(body, area, "The ROC curve by the noisy counts; the dashed line is chance.")


def calibration_picture(evaluation: Evaluation) -> str:
    """Draw how often label 1 was found where which probability was predicted."""
    away = evaluation.calibration_error()
    error = f"Calibration: error {away:.3f}" if away else "Calibration"
    body = _square(error, "predicted probability of 1", "share of 1 found")
    for found in evaluation.calibration():
        x, low = _at(found.predicted, found.found.low)
        _, high = _at(0, found.found.high)
        body.add("path", d=f"M{x:.1f} {low:.1f}V{high:.1f}", class_="ls-axis")
        _, y = _at(0, found.found.value)
        body.add("circle", cx=x, cy=y, r=3.5, class_="ls-one")
    words = "Each point is a group of scores, with its 95% interval; on the dashed line both agree."
    return _picture(body, error, words)


def _observed(release: Release, sums: ErrorSums) -> list[Markup]:
    """Draw what was observed where which value was predicted; of a quantile its coverage too."""
    bins = QuantityEvaluation(sums).predicted_observed
    if not bins:
        return []
    quantile = getattr(release.hypothesis, "quantile", None) if sums.kind == "quantile" else None
    found = [observed_picture(bins, means=quantile is None)]
    if quantile is not None:
        found.append(coverage_picture(bins, float(quantile)))
    return [Markup(drawn) for drawn in found]  # noqa: S704 - escaped by littlestone.svg


def observed_picture(bins: Sequence[PredictedBin], *, means: bool) -> str:
    """Draw quantiles, and means with bands, of what was observed against what was predicted."""
    values = [x for own in bins for x in own.quantiles]
    values += [own.observed.value for own in bins] if means else []
    (left, right), (low, high) = (bins[0].low, bins[-1].high), (min(values), max(values))
    wide, tall = (right - left) or 1.0, (high - low) or 1.0

    def share(value: float) -> float:
        return min(1.0, max(0.0, (value - low) / tall))

    def place(own: PredictedBin) -> float:
        return (own.predicted - left) / wide

    body = _axes("Observed by prediction", "predicted", _marks(left, right), _marks(low, high))
    fans = [[(place(own), share(own.quantiles[i])) for own in bins] for i in range(5)]
    for i, style in ((0, "fill:var(--ls-chip)"), (1, "fill:var(--ls-edge)")):
        body.add("path", d=_path([*fans[i], *reversed(fans[4 - i])]) + "Z", style=style)
    ends = (max(left, low), min(right, high))
    if ends[0] < ends[1]:
        line = [((value - left) / wide, share(value)) for value in ends]
        body.add("path", d=_path(line), class_="ls-axis", stroke_dasharray="3 4")
    body.add("path", d=_path(fans[2]), style=_CURVE)
    for own in bins if means else ():
        x, y = _at(place(own), share(own.observed.value))
        (_, bottom), (_, top) = (
            _at(0, share(end)) for end in (own.observed.low, own.observed.high)
        )
        body.add("path", d=f"M{x:.1f} {bottom:.1f}V{top:.1f}", class_="ls-axis")
        body.add("circle", cx=x, cy=y, r=3.5, class_="ls-one")
    return _picture(body, "Observed by prediction", _bins_in_words(bins, tall, means=means))


def coverage_picture(bins: Sequence[PredictedBin], quantile: float) -> str:
    """Draw the share of targets that are at most their prediction, for bins of the prediction."""
    low, high = bins[0].low, bins[-1].high
    scale = (high - low) or 1.0
    shares = [(f"{share:g}", share) for share in (0.0, 0.5, 1.0)]
    body = _axes("Coverage by prediction", "predicted", _marks(low, high), shares)
    dashed = {"class_": "ls-axis", "stroke_dasharray": "3 4"}
    body.add("path", d=_path(((0, quantile), (1, quantile))), **dashed)
    for own in bins:
        x, y = _at((own.predicted - low) / scale, own.below.value)
        (_, bottom), (_, top) = (_at(0, end) for end in (own.below.low, own.below.high))
        body.add("path", d=f"M{x:.1f} {bottom:.1f}V{top:.1f}", class_="ls-axis")
        body.add("circle", cx=x, cy=y, r=3.5, class_="ls-one")
    words = "; ".join(
        f"{number(own.predicted, scale)}: {percent(own.below.value, 0)}" for own in bins
    )
    return _picture(body, "Coverage by prediction", f"{words}; wanted {percent(quantile, 0)}")


def _bins_in_words(bins: Sequence[PredictedBin], spread: float, *, means: bool) -> str:
    """Return a sentence for each bin, for readers who do not see the picture."""
    lines = []
    for own in bins:
        says = [f"quantile {q:g} {number(x, spread)}"
                for q, x in zip(QUANTILES, own.quantiles, strict=True)]  # fmt: skip
        if means:
            ends = " to ".join(number(x, spread) for x in (own.observed.low, own.observed.high))
            says.insert(0, f"mean {number(own.observed.value, spread)} ({ends})")
        lines.append(f"{number(own.predicted, spread)} predicted: {', '.join(says)}")
    return "; ".join(lines)


def _marks(low: float, high: float) -> list[tuple[str, float]]:
    """Return round numbers of a range, written shortly, with their places in it."""
    scale, found = (high - low) or 1.0, list[tuple[str, float]]()
    for tick in ticks(low, high):
        text = number(tick, high - low)
        short = f"{tick:.3g}".replace("e+0", "e")
        found.append((text if len(text) <= 6 else short, (tick - low) / scale))
    longest = max(text_width(text, 12) for text, _ in found) + 4
    return found[:: math.ceil(longest * len(found) / _SIDE)]


def _square(title: str, x: str, y: str) -> Element:
    """Return axes from 0 to 1 with their names, and the diagonal."""
    shares = [(f"{share:g}", share) for share in (0.0, 0.5, 1.0)]
    body = _axes(title, x, shares, shares)
    body.add("path", d=_path(((0, 0), (1, 1))), class_="ls-axis", stroke_dasharray="3 4")
    _say(body, y, -(_PANEL_TOP + _SIDE / 2), 13.0, transform="rotate(-90)")
    return body


def _axes(
    title: str, x: str, along: Sequence[tuple[str, float]], up: Sequence[tuple[str, float]]
) -> Element:
    """Return a frame with a title, a name below, and what is written at which shares."""
    body = Element("g")
    body.add("text", title, x=_PANEL_LEFT, y=16.0, class_="ls-strong")
    body.add("rect", x=_PANEL_LEFT, y=_PANEL_TOP, width=_SIDE, height=_SIDE, class_="ls-axis")
    for text, share in along:
        end = _PANEL_LEFT + _SIDE + 12 - text_width(text, 12) / 2
        _say(body, text, min(_at(share, 0)[0], end), _PANEL_TOP + _SIDE + 15)
    for text, share in up:
        body.add("text", text, x=_PANEL_LEFT - 5, y=_at(0, share)[1] + 4, text_anchor="end",
                 class_="ls-dim ls-small")  # fmt: skip
    _say(body, x, _PANEL_LEFT + _SIDE / 2, _PANEL_TOP + _SIDE + 31)
    return body


def _say(body: Element, text: str, x: float, y: float, **more: str) -> None:
    body.add("text", text, x=x, y=y, text_anchor="middle", class_="ls-dim ls-small", **more)


def _at(x: float, y: float) -> tuple[float, float]:
    return _PANEL_LEFT + _SIDE * x, _PANEL_TOP + _SIDE * (1 - y)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join("{:.1f} {:.1f}".format(*_at(*point)) for point in points)


def _picture(body: Element, title: str, desc: str) -> str:
    return picture(
        body,
        width=_PANEL_LEFT + _SIDE + 14,
        height=_PANEL_TOP + _SIDE + 38,
        title=title,
        desc=desc,
    )


def _confusion(release: Release, evaluation: Evaluation) -> Json | None:
    """Return the confusion matrix: for each true label its noisy counts and shares by answer."""
    names = [*map(str, release.labels), "no listed label"]
    counts = evaluation.confusion_matrix(release.answers)
    if len(release.labels) > _SHOWN:
        return None
    rows = []
    for name, row in zip(names, counts, strict=False):
        kept = [max(0, round(count)) for count in row]
        total = sum(kept) or 1
        rows.append((name, [(integer(count), percent(count / total, 0)) for count in kept]))
    return {"labels": names[: len(release.labels)], "rows": rows}
