"""Pages and pictures of sums of trees for quantities, counts and times: in the user's units.

What a column does is the mean prediction over public rows: for each of its cells the same rows, in
which the cells of the other columns are equally frequent. Records are not asked, so it is free.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from littlestone.classes import TreeSum
from littlestone.classes.boosted_trees.groups import groups
from littlestone.classes.boosted_trees.parts import PARTS
from littlestone.classes.boosted_trees.sums import public_rows, quantile_words
from littlestone.data import Column, RowDomain, Schema
from littlestone.data.cells import number as parsed
from littlestone.data.targets import Count, Periods, Quantity
from littlestone.evaluation import SurvivalEvaluation
from littlestone.report.forms import form
from littlestone.report.pictures import MARGIN, WIDTH, Setting, plotter
from littlestone.report.words import percent
from littlestone.svg import Element, clip, picture, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        "calculator": calculator(shown),
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
        words.append(f"until {each.end:.10g}: {said}")
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


def calculator(shown: Shown) -> Json | None:
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
        spread = float(target.width) * sum(model.steps) / PARTS
        described["digits"] = max(0, min(12, 3 - math.floor(math.log10(spread)))) if spread else 2
    label = shown.what[0].upper() + shown.what[1:]
    return form(shown.schema, used, described, "calculator_targets.js", label=label)
