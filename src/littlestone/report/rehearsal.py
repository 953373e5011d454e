"""The page of a rehearsal, and its curves: a model's worth against the number of records."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from markupsafe import Markup

from littlestone.planning.rehearsal import FREE, Rehearsal
from littlestone.report.html import integer, json_in_html, percent, render
from littlestone.report.pages import page_maker
from littlestone.report.pictures import Setting, plotter
from littlestone.svg import Element, picture, text_width

if TYPE_CHECKING:
    from littlestone.planning.rehearsal import Cell

_WIDTH, _HEIGHT = 420.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 50.0, 86.0, 30.0, 48.0
_APART = 17.0  # of names of curves


@page_maker(Rehearsal)
def rehearsal_page(found: Rehearsal) -> str:
    """Return the page of a rehearsal."""
    answer = found.answer
    return render(
        "rehearsal",
        title=f"littlestone: {found.title}",
        heading=found.title,
        made=found.made_up,
        answer=answer,
        chance="" if answer is None else percent(answer.chance, 0),
        needs="" if answer is None else integer(answer.records),
        picture=Markup(curves(found, Setting())) if found.cells else "",  # noqa: S704 - by svg
        cells=[_row(cell) for cell in found.cells],
        notes=found.notes,
        free=int(FREE),
        embedded=json_in_html(json.dumps(found.to_dict(), sort_keys=True)),
    )


def _row(cell: Cell) -> dict[str, object]:
    return {
        "name": " ".join(
            filter(None, (
                f"{integer(cell.records)} records, ε {float(cell.epsilon):g}", cell.population
            ))
        ),
        "runs": cell.runs,
        "measures": [
            (
                name.replace("_", " "), f"{each.mean:.3g}", f"{each.reach:.2g}",
                f"{each.low:.3g} to {each.high:.3g}",
                f"{cell.free[name].mean:.3g}" if name in cell.free else "–",
            )
            for name, each in cell.measures.items()
        ],
    }  # fmt: skip


@plotter(Rehearsal)
def curves(found: Rehearsal, setting: Setting) -> str:
    """Draw the first measure against the records, with the band of 10 to 90 % of the runs."""
    cells = [cell for cell in found.cells if cell.measures]
    lines: dict[str, list[Cell]] = {}
    for cell in cells:
        name = f"ε {float(cell.epsilon):g}"
        name += f", {cell.population.partition(':')[0]}" * bool(cell.population)
        lines.setdefault(name, []).append(cell)
    main = cells[0].main if cells else ""
    values = [v for cell in cells for v in (cell.measures[main].low, cell.measures[main].high)]
    values += [cell.free[main].mean for cell in cells if main in cell.free]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = max((high - low) * 0.06, 0.01)
    low, high = low - room, high + room
    first, last = (f(cell.records for cell in cells) if cells else 1 for f in (min, max))
    wide, base = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _BOTTOM

    def x_at(records: int) -> float:
        share = math.log(records / first) / math.log(last / first) if last > first else 0.5
        return _LEFT + wide * (0.04 + 0.92 * share)

    def y_at(value: float) -> float:
        return base - (base - _TOP) * (value - low) / (high - low)

    body = Element("g")
    body.add("text", main.replace("_", " "), x=8, y=18, class_="ls-small ls-dim")
    for tick in _ticks(low, high):
        y = y_at(tick)
        body.add("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="ls-grid")
        body.add("text", f"{tick:.3g}", x=_LEFT - 8, y=y + 4, text_anchor="end",
                 class_="ls-small ls-dim")  # fmt: skip
    ends = _LEFT
    for records in sorted({cell.records for cell in cells}):
        label, x = integer(records), x_at(records)
        if x - text_width(label, 12) / 2 >= ends:  # else it would be on another one
            body.add("text", label, x=x, y=base + 18, text_anchor="middle",
                     class_="ls-small ls-dim")  # fmt: skip
            ends = x + text_width(label, 12) / 2 + 8
    body.add("text", "records", x=_WIDTH - _RIGHT, y=_HEIGHT - 8, text_anchor="end",
             class_="ls-small ls-dim")  # fmt: skip
    names: list[tuple[float, str]] = []
    for name, own in lines.items():
        points = [(x_at(cell.records), y_at(cell.measures[main].mean)) for cell in own]
        for cell in own:
            x, spread = x_at(cell.records), cell.measures[main]
            body.add("line", x1=x, x2=x, y1=y_at(spread.low), y2=y_at(spread.high),
                     class_="ls-axis")  # fmt: skip
            body.add("circle", cx=x, cy=y_at(spread.mean), r=4, class_="ls-one")
        body.add("path", d=_path(points), class_="ls-curve")
        names.append((points[-1][1], name))
        if main in own[-1].free:
            free = [(x_at(c.records), y_at(c.free[main].mean)) for c in own if main in c.free]
            body.add("path", d=_path(free), class_="ls-axis", stroke_dasharray="5 4")
            if len(names) == 1:
                names.append((free[-1][1], "no privacy"))
    y = -math.inf
    for at, name in sorted(names):
        y = max(at + 4, y + _APART)
        body.add("text", name, x=_WIDTH - _RIGHT + 8, y=y, class_="ls-small")
    desc = "; ".join(
        f"{cell.records:,} records at epsilon {float(cell.epsilon):g}: {cell.measures[main]}"
        for cell in cells
    )
    title = f"{main} by number of records"
    return picture(body, width=_WIDTH, height=_HEIGHT, title=title, desc=desc)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _ticks(low: float, high: float) -> list[float]:
    """Return about five round numbers in a range.

    Examples
    --------
    >>> _ticks(0.61, 0.83)
    [0.65, 0.7, 0.75, 0.8]
    """
    rough = (high - low) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough)
    first = math.ceil(low / step)
    found = [round(k * step, 10) for k in range(first, math.floor(high / step) + 1)]
    assert all(a < b for a, b in pairwise(found))
    return found
