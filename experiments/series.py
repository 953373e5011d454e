"""What the experiments share: rows of results, fitted slopes, files, progress, the command line.

A script has a function ``measure(options)`` that yields rows, a list of figures and a list of fits.
`run` writes ``NAME.csv`` (all rows), ``NAME-fits.csv`` (all slopes) and one SVG for each figure.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from chart import Axis, Line, chart
from scipy import stats

__all__ = [
    "COLUMNS", "FIT_COLUMNS", "Figure", "Fit", "Row", "benchmark", "fit", "fits_of", "least",
    "read", "run", "written",
]  # fmt: skip

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "experiments"
CERTIFIED, MEASURED = "certified", "measured"
WORDS = {"log-x": "ln x", "linear": "x"}
PLACES = ("x", "x_from", "x_to")


@dataclass(frozen=True)
class Row:
    """One point of one figure.

    Attributes
    ----------
    figure, series : str
    kind : {"certified", "measured", "bound"}
        A *certificate* of the library; what was *measured*; or a *bound* of a theorem.
    x, y : int or float
        In the units of the figure's axes.
    low, high : float or None
        An interval around what was measured.
    claim : str
        Claims that a certificate rests on (`littlestone.bounds.claim`).
    """

    figure: str
    series: str
    kind: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    claim: str = ""


@dataclass(frozen=True)
class Figure:
    """A figure of an experiment: which rows, how they are drawn, what it says.

    Series of one colour: if ``grouped``, those whose names begin alike, up to a comma.
    """

    name: str
    title: str
    x: Axis
    y: Axis
    desc: str
    grouped: bool = False


@dataclass(frozen=True)
class Fit:
    """A slope that is fitted to a part of one series, and what theory says about it.

    Attributes
    ----------
    figure, series, kind : str
    law : {"log-log", "linear", "log-x"}
        Slope of ln y against ln x, of y against x, or of y against ln x.
    low, high : float
        The range of x.
    theory : float
    relation : {"about", "at most"}
        "about": theory says this slope. "at most": theory has an upper bound of this slope.
    within : float
        For "about": how far the slope may be from theory's: logarithms, and where ranges begin.
    says : str
        Theory, in words.
    """

    figure: str
    series: str
    kind: str
    law: str
    low: float
    high: float
    theory: float
    relation: str
    within: float
    says: str


@dataclass(frozen=True)
class Slope:
    """A fitted slope with its 95 % confidence interval."""

    figure: str
    series: str
    kind: str
    law: str
    x_from: float
    x_to: float
    points: int
    slope: float
    low: float
    high: float
    relation: str
    theory: float
    within: float
    says: str

    @property
    def agrees(self) -> bool:
        """Whether the slope is what theory says, as far as stated."""
        if self.relation == "at most":
            return self.slope <= self.theory + self.within
        return abs(self.slope - self.theory) <= self.within


COLUMNS = [f.name for f in fields(Row)]
FIT_COLUMNS = [f.name for f in fields(Slope)]


def fit(xs: Sequence[float], ys: Sequence[float], law: str) -> tuple[float, float, float]:
    """Return the least-squares slope and its 95 % confidence interval (Student's t).

    Examples
    --------
    >>> [round(v, 6) for v in fit([1, 2, 4, 8], [8, 4, 2, 1], "log-log")]
    [-1.0, -1.0, -1.0]
    """
    across = np.asarray(xs, float) if law == "linear" else np.log(np.asarray(xs, float))
    up = np.log(np.asarray(ys, float)) if law == "log-log" else np.asarray(ys, float)
    found = stats.linregress(across, up)
    room = stats.t.ppf(0.975, len(xs) - 2) * found.stderr if len(xs) > 2 else math.nan
    return float(found.slope), float(found.slope - room), float(found.slope + room)


def fits_of(rows: Iterable[Row], fits: Sequence[Fit]) -> Iterator[Slope]:
    """Yield the slopes of all fits that have at least three points."""
    listed = list(rows)
    for f in fits:
        points = [
            (r.x, r.y)
            for r in listed
            if (r.figure, r.series, r.kind) == (f.figure, f.series, f.kind)
            and f.low <= r.x <= f.high
        ]
        if len(points) < 3:
            continue
        xs, ys = zip(*points, strict=True)
        numbers = [float(f"{v:.4g}") for v in fit(xs, ys, f.law)]
        yield Slope(
            f.figure, f.series, f.kind, f.law, min(xs), max(xs), len(xs),
            numbers[0], numbers[1], numbers[2], f.relation, f.theory, f.within, f.says,
        )  # fmt: skip


def least(fails: Callable[[int], float], start: int, beta: float, precision: float = 0.01) -> int:
    """Return about the least n at which a failure probability that falls in n is at most beta."""
    high = max(start, 2)
    while fails(high) > beta:
        high *= 2
    low = 0
    while high - low > max(1, precision * high):
        middle = (low + high) // 2
        low, high = (low, middle) if fails(middle) <= beta else (middle, high)
    return high


def benchmark(name: str) -> Any:
    """Import a script of ``benchmarks/``: what it measures is measured in one way only."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", ROOT / f"benchmarks/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def written(value: object) -> str:
    """Return a value as text of a CSV file: ten digits are enough."""
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def write(path: Path, columns: list[str], rows: Iterable[Row | Slope]) -> None:
    """Write rows as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(columns)
        for row in rows:
            out.writerow(
                [
                    written(float(v) if name in PLACES else v)
                    for name, v in zip(columns, astuple(row), strict=True)
                ]
            )


def read(path: Path) -> list[Row]:
    """Read the rows of a results file."""
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Row(
                r["figure"], r["series"], r["kind"], float(r["x"]), float(r["y"]),
                float(r["low"]) if r["low"] else None, float(r["high"]) if r["high"] else None,
                r["claim"],
            )
            for r in csv.DictReader(file)
        ]  # fmt: skip


def drawn(figure: Figure, rows: Sequence[Row], slopes: Sequence[Slope]) -> str:
    """Return the SVG of a figure: each series in its colour, its slope in the legend."""
    mine = [r for r in rows if r.figure == figure.name]
    names = list(dict.fromkeys(r.series for r in mine))

    def family(series: str) -> str:
        return series.split(",", maxsplit=1)[0] if figure.grouped else series

    groups = list(dict.fromkeys(map(family, names)))
    lines = []
    for series in names:
        for kind in dict.fromkeys(r.kind for r in mine if r.series == series):
            points = sorted((r for r in mine if (r.series, r.kind) == (series, kind)), key=_x)
            legend = series if kind == "bound" else f"{series}: {kind}"
            for s in slopes:
                if (s.figure, s.series, s.kind) == (figure.name, series, kind):
                    power = "slope" if s.law == "log-log" else f"slope in {WORDS[s.law]}:"
                    shown = f"{s.slope:.2f}" if s.law == "log-log" else f"{s.slope:.3g}"
                    legend += f"; {power} {shown} (theory: {s.relation} {s.theory:.3g})"
            legend = legend.replace(" -", " −")
            bars = [
                (r.x, r.low, r.high) for r in points if r.low is not None and r.high is not None
            ]
            lines.append(
                Line(
                    legend, [(r.x, r.y) for r in points], groups.index(family(series)),
                    names.index(series),
                    hollow=kind == MEASURED, bars=bars, flat=kind == "bound",
                )
            )  # fmt: skip
    return chart(lines, figure.x, figure.y, title=figure.title, desc=figure.desc)


def _x(row: Row) -> float:
    return row.x


def run(
    name: str,
    doc: str | None,
    measure: Callable[[argparse.Namespace], Iterable[Row]],
    figures: Sequence[Figure],
    fits: Sequence[Fit],
) -> None:
    """Read the command line, measure with progress on stderr, write the files."""
    parser = argparse.ArgumentParser(description=(doc or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where results are written")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="seconds: to see that it runs")
    size.add_argument("--full", action="store_true", help="larger sizes, where there are any")
    size.add_argument("--draw", action="store_true", help="draw again what was measured before")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    began, rows = time.perf_counter(), []
    if options.draw:
        rows = read(options.folder / f"{name}.csv")
    else:
        for row in measure(options):
            rows.append(row)
            spent = time.perf_counter() - began
            print(
                f"{name} {spent:6.1f} s  {row.figure}: {row.series}, {row.kind}: "
                f"x = {row.x:.4g}, y = {row.y:.6g}",
                file=sys.stderr,
                flush=True,
            )
    slopes = list(fits_of(rows, fits))
    write(options.folder / f"{name}.csv", COLUMNS, rows)
    write(options.folder / f"{name}-fits.csv", FIT_COLUMNS, slopes)
    for figure in figures:
        if any(r.figure == figure.name for r in rows):
            path = options.folder / f"{figure.name}.svg"
            path.write_text(drawn(figure, rows, slopes) + "\n", encoding="utf-8")
    print(f"{name}: {len(rows)} rows, {time.perf_counter() - began:.0f} s", file=sys.stderr)
