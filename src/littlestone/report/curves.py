"""The mistakes of a stream in time, as a picture."""

from __future__ import annotations

import math

import numpy as np

from littlestone.learners.online.simulation import Simulation
from littlestone.report.pictures import Setting, plotter
from littlestone.report.words import integer
from littlestone.svg import Element, picture

_WIDTH, _HEIGHT = 560.0, 330.0

_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 40.0, 34.0, 66.0


@plotter(Simulation)
def mistakes_picture(run: Simulation, setting: Setting) -> str:
    """Draw the mistakes so far against the time (both as powers of ten), and the bound."""
    bound = run.bound.mistakes if run.bound.holds else None
    x_top = max(math.log10(run.n), 1.0)
    y_top = math.log10(max(len(run.mistakes), bound or 0, 10)) + 0.15

    def x_at(time: float) -> float:
        return _LEFT + math.log10(max(time, 1.0)) / x_top * (_WIDTH - _LEFT - _RIGHT)

    def y_at(count: float) -> float:
        share = math.log10(max(count, 1.0)) / y_top
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    body = Element("g")
    base = _HEIGHT - _BOTTOM
    for power in range(math.floor(x_top) + 1):
        at = x_at(10**power)
        body.add("line", x1=at, x2=at, y1=_TOP, y2=base, class_="ls-axis", opacity=0.25)
        label = integer(10**power)
        body.add("text", label, x=at, y=base + 34, text_anchor="middle", class_="ls-small ls-dim")
    for power in range(math.floor(y_top) + 1):
        at = y_at(10**power)
        body.add("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, class_="ls-axis", opacity=0.25)
        label = integer(10**power)
        body.add("text", label, x=_LEFT - 8, y=at + 4, text_anchor="end", class_="ls-small ls-dim")
    body.add("text", "mistakes so far", x=8, y=18, class_="ls-small ls-dim")
    body.add(
        "text", "records (ticks: a hypothesis is published)", x=_WIDTH - _RIGHT,
        y=_HEIGHT - 12, text_anchor="end", class_="ls-small ls-dim",
    )  # fmt: skip
    if bound is not None:
        y = y_at(bound)
        body.add(
            "line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="ls-axis",
            stroke_dasharray="6 4",
        )  # fmt: skip
        body.add(
            "text", f"proved: at most {integer(bound)}", x=_WIDTH - _RIGHT, y=y - 6,
            text_anchor="end", class_="ls-small",
        )  # fmt: skip
    path = _path(run, x_at, y_at)
    body.add("path", d=path, fill="none", stroke="var(--ls-one)", stroke_width=2.5)
    for time in run.published:
        at = x_at(time)
        body.add("line", x1=at, x2=at, y1=base + 4, y2=base + 16, class_="ls-axis")
    words = (
        f"{integer(len(run.mistakes))} mistakes among {integer(run.n)} records, "
        f"{integer(len(run.published))} hypotheses published; {run.description}"
    )
    if bound is not None:
        words += f"; proved: at most {integer(bound)} mistakes"
    return picture(body, width=_WIDTH, height=_HEIGHT, title="Mistakes against time", desc=words)


def _path(run: Simulation, x_at: object, y_at: object) -> str:
    """Return the curve through at most some hundred of its points."""
    assert callable(x_at)
    assert callable(y_at)
    times = np.unique(np.geomspace(1, run.n, 240).astype(np.int64))
    counts = np.searchsorted(run.mistakes, times)
    corners = [
        f"{x_at(t):.1f} {y_at(c):.1f}"
        for t, c in zip(times.tolist(), counts.tolist(), strict=True)
        if c
    ]
    return "M" + " L".join(corners) if corners else "M0 0"
