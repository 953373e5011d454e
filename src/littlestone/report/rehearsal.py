"""The page of a rehearsal, and its curves: a model's worth against the number of records."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from littlestone.planning.rehearsal import FREE, Rehearsal
from littlestone.report.figures import (
    Setting,
    chart,
    html_of,
    number,
    path,
    plotter,
    point,
    ticks,
)
from littlestone.report.html import integer, json_in_html, percent, render
from littlestone.report.pages import page_maker
from littlestone.types import Json

if TYPE_CHECKING:
    from littlestone.planning.rehearsal import Cell

_APART = 11.0  # percent between names of curves
_TILES = 4  # cells of the first screen, the last ones
_NAMES = {"auroc": "AUROC", "r2": "R2", "mae": "mean absolute error"}
_RIVALS = {"auroc": "chance has 0.5", "concordance": "chance has 0.5", "r2": "a constant has 0"}


@page_maker(Rehearsal)
def rehearsal_page(found: Rehearsal) -> str:
    """Return the page of a rehearsal."""
    answer = found.answer
    return render(
        "rehearsal",
        title=f"littlestone: {found.title}",
        heading=found.title,
        made=found.made_up,
        tiles=[_tile(cell) for cell in found.cells[-_TILES:] if cell.measures],
        columns=len(found.columns),
        predicted=found.fit.task.event or found.fit.task.y,
        answer=answer,
        chance="" if answer is None else percent(answer.chance, 0),
        needs="" if answer is None else integer(answer.records),
        picture=html_of(curves(found, Setting())) if found.cells else "",
        cells=[_row(cell) for cell in found.cells],
        notes=[note.replace("+-", "± ") for note in found.notes],
        free=integer(int(FREE)),
        embedded=json_in_html(json.dumps(found.to_dict(), sort_keys=True)),
    )


def _name(cell: Cell) -> str:
    said = f"{integer(cell.records)} records, ε {float(cell.epsilon):g}"
    return f"{said} {cell.population}".strip()


def _tile(cell: Cell) -> tuple[str, str, str]:
    """Return the first measure with its spread, beside that without privacy and of no model."""
    main, each = cell.main, cell.measures[cell.main]
    parts = [f"{each.low:.3g} to {each.high:.3g} in 10 to 90% of the runs"]
    if main in cell.free:
        parts.append(f"without privacy {cell.free[main].mean:.3g}")
    parts += [_RIVALS[main]] if main in _RIVALS else []
    return _name(cell), f"{_words(main)} {each.mean:.3g}", "; ".join(parts)


def _words(measure: str) -> str:
    return _NAMES.get(measure, measure.replace("_", " "))


def _row(cell: Cell) -> dict[str, object]:
    return {
        "name": _name(cell),
        "runs": cell.runs,
        "measures": [
            (
                _words(name), f"{each.mean:.3g}", f"{each.reach:.2g}",
                f"{each.low:.3g} to {each.high:.3g}",
                f"{cell.free[name].mean:.3g}" if name in cell.free else "–",
            )
            for name, each in cell.measures.items()
        ],
    }  # fmt: skip


@plotter(Rehearsal)
def curves(found: Rehearsal, setting: Setting) -> Json:
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
    margin = max((high - low) * 0.06, 0.01)
    low, high = low - margin, high + margin
    first, last = (f(cell.records for cell in cells) if cells else 1 for f in (min, max))

    def x_at(records: int) -> float:
        share = math.log(records / first) / math.log(last / first) if last > first else 0.5
        return 0.04 + 0.92 * share

    def y_at(value: float) -> float:
        return (value - low) / (high - low)

    paths: list[tuple[str, str]] = []
    names: list[tuple[float, str]] = []
    for name, own in lines.items():
        means = [(x_at(cell.records), y_at(cell.measures[main].mean)) for cell in own]
        for (x, middle), cell in zip(means, own, strict=True):
            spread = cell.measures[main]
            paths += point(x, y_at(spread.low), middle, y_at(spread.high))
        paths.append(("curve", path(means)))
        names.append((means[-1][1], name))
        if main in own[-1].free:
            free = [(x_at(c.records), y_at(c.free[main].mean)) for c in own if main in c.free]
            paths.append(("dash", path(free)))
            if len(names) == 1:
                names.append((free[-1][1], "no privacy"))
    ends, least = list[tuple[str, float]](), -math.inf
    for at, name in sorted(names):
        least = max(100 * at, least + _APART)
        ends.append((name, round(least, 1)))
    words = "; ".join(
        f"{cell.records:,} records at epsilon {float(cell.epsilon):g}: {cell.measures[main]}"
        for cell in cells
    )
    sizes = sorted({cell.records for cell in cells})
    return chart(
        f"{_words(main)} by number of records", words, paths,
        x=[(integer(records), round(100 * x_at(records), 2)) for records in sizes],
        y=[(number(tick, high - low), round(100 * y_at(tick), 2)) for tick in ticks(low, high)],
        x_name="records", ends=ends,
    )  # fmt: skip
