"""Streams: the page of what one published, from its public record; its mistakes in time."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from markupsafe import Markup

from littlestone.classes import class_from_dict, load
from littlestone.errors import LittlestoneError, ParameterError, UnsupportedError
from littlestone.learners.online.bound import MistakeBound, lower_bounds, mistake_bound
from littlestone.learners.online.budget import StreamGoal
from littlestone.learners.online.record import algorithm_in
from littlestone.learners.online.simulation import Simulation
from littlestone.learners.release import FORMAT as RELEASE
from littlestone.learners.release import Release
from littlestone.privacy import Guarantee
from littlestone.report.html import (
    claim_names,
    claims,
    json_in_html,
    promise_words,
    render,
    steps_of,
)
from littlestone.report.pages import page, page_maker
from littlestone.report.pictures import Setting, plot, plotter
from littlestone.report.words import integer
from littlestone.svg import Element, picture

FORMAT = "littlestone-stream-1"
_WIDTH = 560.0
_SHOWN = 200  # hypotheses in the table; the JSON has all


@page_maker(dict)
def _document_page(document: Mapping[str, Any]) -> str:
    """Return the page of a public document: of a release, or of a stream."""
    if document.get("format") == RELEASE:
        return page(Release.from_dict(document))
    if document.get("format") == FORMAT:
        return stream_page(document)
    raise UnsupportedError("page makes a page of the JSON of a release or of a stream.")


def stream_page(public: Mapping[str, Any]) -> str:
    """Return the page of a stream."""
    try:
        return _page(public)
    except ParameterError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError):
        raise ParameterError(
            "The record of a stream is incomplete or has been changed; write it again with "
            "`littlestone stream --export`."
        ) from None


def _page(public: Mapping[str, Any]) -> str:
    asked, about = public["stream"], public["about"]
    concepts = class_from_dict(asked["class"])
    guarantee = Guarantee.from_dict(public["guarantee"])
    published = [(int(each["rows"]), load(each["hypothesis"])) for each in public["published"]]
    rows, used, planned = (int(public[k]) for k in ("rows", "batches", "planned_batches"))
    now = published[-1][1] if published else None
    bound = _bound(public)
    columns, positive = about.get("x") or [], str(about.get("positive", "1"))
    y = str(about.get("y", "y"))
    named = f"x is {columns[0]}; " if len(columns) == 1 else ""
    setting = Setting(concepts.domain, f"{y} is {positive}", f"{y} is not {positive}")
    facts = [
        ("Concept class", concepts.spec),
        ("Guarantee", str(guarantee)),
        ("Neighbours", guarantee.neighbours.words),
        ("Expected rows", integer(int(asked["horizon"]))),
        ("Columns read", ", ".join(map(str, columns))),
        ("Label column", f"{y} (1 means: {positive})"),
        ("Constants", str(about.get("constants", ""))),
        ("Column of users", str(about.get("user", ""))),
        ("Rows of each user that are learned", str(asked.get("records_per_user") or "")),
    ]
    names = claim_names(guarantee.claim)
    return render(
        "stream",
        title=f"littlestone: a stream, {concepts.spec}",
        g=promise_words(guarantee),
        words="No rule is published yet." if now is None else now.describe(),
        meaning=f"{named}1 means: {y} is {positive}",
        picture="" if now is None else Markup(plot(now, setting)),  # noqa: S704 - escaped by svg
        rows=integer(rows),
        used=used,
        planned=planned,
        stopped=bool(public["stopped"]),
        count=len(published),
        timeline=Markup(transcript_picture([t for t, _ in published], rows)),  # noqa: S704
        transcript=[(integer(t), h.describe()) for t, h in published[:_SHOWN]],
        more=max(len(published) - _SHOWN, 0),
        bound="" if bound is None else str(bound).removesuffix(": holds"),
        holds=bound is not None and bound.holds,
        lower=_lower(public),
        steps=[] if bound is None else steps_of(bound.certificate),
        facts=[(name, value) for name, value in facts if value],
        claims=claims([*names, *(() if bound is None else bound.certificate.claims)]),
        embedded=json_in_html(json.dumps(dict(public), sort_keys=True)),
    )


def transcript_picture(times: Sequence[int], rows: int) -> str:
    """Draw when hypotheses were published, along the rows of the stream.

    Examples
    --------
    >>> svg = transcript_picture([0, 120, 4000], 10_000)
    >>> svg.count("<circle")
    3
    """
    left, right, y = 16.0, _WIDTH - 16.0, 44.0
    last = max(rows, *times, 1) if times else max(rows, 1)
    body = Element("g")
    body.add("text", "rows of the stream; dots: a new rule is published", x=left, y=16,
             class_="ls-dim ls-small")  # fmt: skip
    body.add("path", d=f"M{left} {y}H{right}", class_="ls-axis")
    for time in times:
        at = left + (right - left) * time / last
        body.add("circle", cx=at, cy=y, r=5, class_="ls-one")
    body.add("text", "0", x=left, y=y + 24, class_="ls-small")
    body.add("text", integer(last), x=right, y=y + 24, text_anchor="end", class_="ls-small")
    desc = f"{len(times)} rules published among {rows} rows, after: {', '.join(map(str, times))}"
    return picture(body, width=_WIDTH, height=y + 36, title="When rules were published", desc=desc)


def _lower(public: Mapping[str, Any]) -> list[str]:
    """Return the expected mistakes of every private learner, in words."""
    return [
        str(each)
        for each in lower_bounds(_goal(public), class_from_dict(public["stream"]["class"]))
    ]


def _goal(public: Mapping[str, Any]) -> StreamGoal:
    asked = public["stream"]
    numbers = (Fraction(asked["epsilon"]), Fraction(asked["delta"]), int(asked["horizon"]))
    return StreamGoal(*numbers, Fraction(asked["beta"]), asked.get("records_per_user"))


def _bound(public: Mapping[str, Any]) -> MistakeBound | None:
    """Return what is proved about mistakes, computed again from the public parameters."""
    try:
        algorithm = algorithm_in(public)
        return mistake_bound(algorithm.plan, algorithm.concept_class)
    except LittlestoneError:
        return None


_HEIGHT = 330.0

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
