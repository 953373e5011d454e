"""The page of a stream: what it published, and what is promised; from its public record only."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from markupsafe import Markup

from littlestone.classes import class_from_dict, load
from littlestone.errors import LittlestoneError, ParameterError, UnsupportedError
from littlestone.learners.online.bound import MistakeBound, lower_bounds, mistake_bound
from littlestone.learners.online.budget import StreamGoal
from littlestone.learners.online.plan import plan_online
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
from littlestone.report.pages import page, pager
from littlestone.report.pictures import Setting, plot
from littlestone.report.words import integer
from littlestone.svg import Element, picture

FORMAT = "littlestone-stream-1"
_WIDTH = 560.0
_SHOWN = 200  # hypotheses in the table; the JSON has all


@pager(dict)
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
    concepts, goal = class_from_dict(public["stream"]["class"]), _goal(public)
    try:
        plan = plan_online(
            concepts,
            epsilon=goal.epsilon,
            delta=goal.delta,
            horizon=goal.horizon,
            beta=goal.beta,
            records_per_user=goal.records_per_user,
            constants=public["about"].get("constants", "practical"),
            adversary=public["about"].get("adversary"),
        )
        return mistake_bound(plan, concepts)
    except LittlestoneError:
        return None
