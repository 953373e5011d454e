"""The page of a plan: every learner, its certificate, and what no learner can beat."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from littlestone.classes import class_from_dict, load
from littlestone.errors import LittlestoneError, ParameterError, UnsupportedError
from littlestone.learners.online.bound import MistakeBound, lower_bounds, mistake_bound
from littlestone.learners.online.budget import StreamGoal
from littlestone.learners.online.record import algorithm_in
from littlestone.learners.online.simulation import Simulation
from littlestone.learners.release import FORMAT as RELEASE
from littlestone.learners.release import Release, parts_in, proposal_of
from littlestone.learners.select import shown_name
from littlestone.planning import Plans
from littlestone.planning.plans import asked
from littlestone.privacy import total
from littlestone.report.html import (
    amount,
    claim_names,
    claims,
    data_link,
    integer,
    json_in_html,
    promise_words,
    render,
    step_words,
    steps_of,
)
from littlestone.report.pages import page, page_maker, proposal_facts
from littlestone.report.pictures import MARGIN, WIDTH, Setting, plot, plotter
from littlestone.svg import Element, clip, picture, text_width, wrap

if TYPE_CHECKING:
    from littlestone.data.schema import Proposal
    from littlestone.learners.select import Candidate
    from littlestone.planning import LowerBound
    from littlestone.privacy import Part
    from littlestone.types import Json


_SYMBOLS = {
    "epsilon": "ε",
    "delta": "δ",
    "alpha": "α",
    "beta": "β",
    "samples_per_user": "m",
    "evaluate": "ε of the evaluation",
}


@page_maker(Plans)
def plan_page(plans: Plans) -> str:
    """Return the page of a plan."""
    chosen, document = plans.chosen, plans.to_dict(what_if=True)
    mine = chosen or plans.cheaper
    certificates = [c.certificate for c in plans]
    text = json.dumps(document, sort_keys=True)
    return render(
        "plan",
        title=f"littlestone: plan for {plans.concept_class.spec}",
        spec=plans.concept_class.spec,
        asked=[(_SYMBOLS[k], amount(_plain(v))) for k, v in asked(plans.budget).items()],
        unit="users" if plans.budget.samples_per_user else "records",
        chosen=None if chosen is None else chosen.shown,
        need="" if chosen is None else integer(chosen.n or 0),
        why=plans.why,
        cheaper=_cheaper(plans),
        picture=Markup(needs_picture(plans)),  # noqa: S704 - escaped by littlestone.svg
        rows=[_row(c, chosen) for c in plans],
        refused=_refused(plans),
        free=[(setting, integer(c.n)) for setting, c in plans.non_private.items()],
        stream=plans.stream,
        stream_steps=_stream_steps(plans),
        bounds=[_bound(bound) for bound in _best(plans.lower_bounds)],
        changes=_changes(plans, mine),
        changed="" if mine is None else mine.shown,
        claims=claims(name for c in certificates if c is not None for name in c.claims),
        link=data_link(text),
        embedded=json_in_html(text),
    )


def _stream_steps(plans: Plans) -> list[Any]:
    """Return the derivation of the mistakes in a stream."""
    if plans.stream is None or plans.stream.bound is None:
        return []
    return steps_of(plans.stream.bound.certificate)


def needs_picture(plans: Plans) -> str:
    """Draw what each learner needs, as bars of logarithmic length, between the lower bounds."""
    unit = "users" if plans.budget.samples_per_user else "records"
    bars: list[tuple[str, int, bool, bool | None]] = [
        (c.shown, c.n or 1, c.agnostic, c is plans.chosen) for c in plans
    ]
    bars.sort(key=lambda bar: bar[1])
    if unit == "records":
        free = plans.non_private.items()
        bars = [(f"no privacy ({k})", c.n, k == "agnostic", None) for k, c in free] + bars
    most = math.log10(max(n for _, n, _, _ in bars))
    least = math.floor(math.log10(min(n for _, n, _, _ in bars)))
    space = WIDTH - 2 * MARGIN
    body = Element("g")
    body.add("text", f"{unit} needed, on a logarithmic scale", x=MARGIN, y=16,
             class_="ls-dim ls-small")  # fmt: skip
    y = 20.0
    for name, n, any_labels, marked in bars:
        y += 24
        kind = "ls-zero" if marked is None else "ls-one" if marked else "ls-chip"
        weight = "ls-strong" if marked else "ls-dim" if marked is None else "ls-ink"
        words = integer(n) if marked is None or any_labels else f"{integer(n)} *"
        text = clip(name, space - text_width(words, 15) - 12, 14)
        body.add("text", text, x=MARGIN, y=y, class_=weight)
        body.add("text", words, x=WIDTH - MARGIN, y=y, text_anchor="end", class_=weight)
        share = (math.log10(n) - least + 0.15) / (most - least + 0.15)
        y += 7
        body.add("rect", x=MARGIN, y=y, width=max(space * share, 2), height=10, rx=3, class_=kind)
        y += 10
    note = "* if some concept is right on everybody. Filled: what fit takes by itself."
    y += 8
    for line in wrap(note, space, 12):
        y += 17
        body.add("text", line, x=MARGIN, y=y, class_="ls-dim ls-small")
    desc = "; ".join(f"{name}: {integer(n)} {unit}" for name, n, *_ in bars)
    return picture(body, width=WIDTH, height=y + 12, title="What each learner needs", desc=desc)


def _plain(value: object) -> object:
    """Read a number that `asked` wrote exactly."""
    return Fraction(value) if isinstance(value, str) else value


def _row(candidate: Candidate, chosen: Candidate | None) -> Json:
    certificate, guarantee = candidate.certificate, candidate.guarantee
    assert certificate is not None
    assert guarantee is not None
    return {
        "name": candidate.shown,
        "chosen": candidate is chosen,
        "n": integer(candidate.n or 0),
        "unit": candidate.unit,
        "setting": "any labels" if candidate.agnostic else "realizable",
        "reads": candidate.reads or "",
        "guarantee": str(guarantee),
        "status": certificate.status,
        "assumptions": certificate.assumptions,
        "steps": steps_of(certificate),
    }


def _cheaper(plans: Plans) -> Json | None:
    cheaper = plans.cheaper
    if cheaper is None:
        return None
    return {
        "learner": shown_name(cheaper.learner, {"proper": cheaper.options.get("proper")}),
        "reads": cheaper.reads or "",
        "n": integer(cheaper.n or 0),
        "agnostic": cheaper.agnostic,
    }


def _refused(plans: Plans) -> list[tuple[str, str]]:
    """Return the learners that do not count, each with its reason."""
    shown = list(plans)
    rest = [c for c in plans.candidates if c not in shown]
    reasons = [(c.shown, str(c.problem or "It is for realizable labels only.")) for c in rest]
    return list(dict.fromkeys(reasons))


def _best(found: Sequence[LowerBound]) -> list[LowerBound]:
    """Leave out bounds that say nothing, and all but the best one of each claim."""
    kept: dict[tuple[str, str, str], LowerBound] = {}
    for bound in found:
        key = (bound.claim, bound.setting, bound.holds_for)
        if bound.n != 0 and (key not in kept or (bound.n or 0) > (kept[key].n or 0)):
            kept[key] = bound
    return list(kept.values())


def _bound(bound: LowerBound) -> Json:
    value = "" if bound.order is None else f" = {bound.order}"
    needs = f"{bound.formula}{value}, constant unknown" if bound.n is None else integer(bound.n)
    return {
        "who": bound.holds_for,
        "setting": bound.setting,
        "needs": needs,
        "unit": "" if bound.n is None else bound.unit[:-1] if bound.n == 1 else bound.unit,
        "claim": bound.claim,
        "steps": [] if bound.step is None else [step_words(bound.step, None)],
    }


def _changes(plans: Plans, mine: Candidate | None) -> list[tuple[str, str]]:
    if mine is None:
        return []
    return [
        (
            f"{_SYMBOLS[change.what]} = {float(change.value):g}",
            "–" if change.n is None else integer(change.n),
        )
        for change in plans.what_if(mine)
    ]


# -- Streams: the page of what one published, from its public record; its mistakes in time.


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
    parts = parts_in(dict(public), concepts)
    guarantee = total(parts)
    published = [(int(each["rows"]), load(each["hypothesis"])) for each in public["published"]]
    rows, used, planned = (int(public[k]) for k in ("rows", "batches", "planned_batches"))
    now = published[-1][1] if published else None
    bound = _mistake_bound(public)
    columns, positive = about.get("x") or [], str(about.get("positive", "1"))
    y = str(about.get("y", "y"))
    named = f"x is {columns[0]}; " if len(columns) == 1 else ""
    setting = Setting(concepts.domain, f"{y} is {positive}", f"{y} is not {positive}")
    facts = [
        ("Concept class", concepts.spec),
        ("Guarantee", str(guarantee)),
        *stream_facts(parts, proposal_of(concepts)),
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


def stream_facts(parts: Sequence[Part], proposal: Proposal | None) -> list[tuple[str, str]]:
    """Return what each part of a stream cost, and which rows its bound is about, in lines."""
    facts = proposal_facts(parts, proposal)
    if proposal is not None:
        facts.append(("Mistakes", "proved for rows that the columns were not learned from"))
    return facts


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


def _mistake_bound(public: Mapping[str, Any]) -> MistakeBound | None:
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
