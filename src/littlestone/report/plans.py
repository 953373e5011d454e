"""The pages of plans, of streams, and of rehearsals."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.classes import class_from_dict, load
from littlestone.data.cells import spelled
from littlestone.errors import LittlestoneError, ParameterError, UnsupportedError
from littlestone.learners.online.algorithm import MistakeBound, lower_bounds, mistake_bound
from littlestone.learners.online.journal import algorithm_in
from littlestone.learners.online.plan import StreamGoal
from littlestone.learners.release import FORMAT as RELEASE
from littlestone.learners.release import Release, parts_in, proposal_of
from littlestone.planning import Plans
from littlestone.planning.plans import asked
from littlestone.planning.rehearsal import FREE, Rehearsal, rounded, words_of
from littlestone.privacy import total
from littlestone.report.evaluated import proposal_facts
from littlestone.report.html import (
    Setting,
    amount,
    chart,
    claim_names,
    claims,
    data_link,
    drawing,
    figure,
    html_of,
    integer,
    json_in_html,
    number,
    path,
    plotter,
    point,
    promise_words,
    render,
    ticks,
)
from littlestone.report.pages import page, page_maker
from littlestone.types import Json

if TYPE_CHECKING:
    from littlestone.data.schema import Proposal
    from littlestone.planning import LowerBound
    from littlestone.planning.rehearsal import Cell
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
    certificates = [c.certificate for c in plans]
    text = json.dumps(plans.to_dict(), sort_keys=True)
    return render(
        "plan",
        title=f"littlestone: plan for {plans.concept_class.spec}",
        plans=plans,
        asked=[(_SYMBOLS[k], amount(v)) for k, v in asked(plans.budget).items()],
        unit="users" if plans.budget.samples_per_user else "records",
        picture=html_of(needs(plans)),
        learners=list(zip(plans, certificates, strict=True)),
        refused=_refused(plans),
        bounds=_best(plans.lower_bounds),
        claims=claims(name for c in certificates if c is not None for name in c.claims),
        link=data_link(text),
        embedded=json_in_html(text),
    )


def needs(plans: Plans) -> Json:
    """Draw what each learner needs, as bars of logarithmic length."""
    unit = "users" if plans.budget.samples_per_user else "records"
    bars = [(c.shown + " (chosen)" * (c is plans.chosen), c.n or 1, c.agnostic) for c in plans]
    if unit == "records":
        free = plans.non_private.items()
        bars += [(f"no privacy ({setting})", c.n, True) for setting, c in free]
    bars.sort(key=lambda bar: bar[1])
    most, least = math.log10(bars[-1][1]), math.floor(math.log10(bars[0][1]))
    cells = []
    for name, n, any_labels in bars:
        size = 100 * (math.log10(n) - least + 0.15) / (most - least + 0.15)
        bar = (integer(n) + " *" * (not any_labels), 0, round(size, 1))
        cells.append({"words": name, "bars": [bar]})
    desc = "; ".join(f"{name}: {integer(n)} {unit}" for name, n, _ in bars)
    note = "* if some concept of the class has no errors. Chosen: the default learner of fit."
    caption = f"{unit} needed, on a logarithmic scale"
    columns = [{"name": caption, "cells": cells}]
    return figure("bars", "", desc, note, columns=columns, labels=[], zero=0, axis=[])


def _refused(plans: Plans) -> list[tuple[str, str]]:
    """Return the learners that do not count, each with its reason."""
    shown = list(plans)
    rest = [c for c in plans.candidates if c not in shown]
    delta = "It needs a delta, for example 1e-6."
    realizable = "It is certified for realizable labels only."
    reasons = [(c.shown, delta if c.needs_delta else str(c.problem or realizable)) for c in rest]
    return list(dict.fromkeys(reasons))


def _best(found: Sequence[LowerBound]) -> list[LowerBound]:
    """Leave out bounds that say nothing, and all but the best one of each claim."""
    kept: dict[tuple[str, str, str], LowerBound] = {}
    for bound in found:
        key = (bound.claim, bound.setting, bound.holds_for)
        if bound.n != 0 and (key not in kept or (bound.n or 0) > (kept[key].n or 0)):
            kept[key] = bound
    return list(kept.values())


# -- Streams: the page of what one published, from its public record; its mistakes in time.


FORMAT = "littlestone-stream-1"
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
    columns, positive = about.get("x") or [], spelled(about.get("positive", "1"))
    y = str(about.get("y", "y"))
    named = f"x is {columns[0]}; " if len(columns) == 1 and columns[0] != "x" else ""
    setting = Setting(concepts.domain, f"{y} is {positive}", f"{y} is not {positive}")
    facts = [
        ("Concept class", concepts.spec),
        ("Guarantee", str(guarantee)),
        *stream_facts(parts, proposal_of(concepts)),
        ("Neighbours", guarantee.neighbours.words),
        ("Expected rows", integer(int(asked["horizon"]))),
        ("Columns read", ", ".join(map(str, columns))),
        ("Label column", f"{y} (label 1: {y} is {positive})"),
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
        meaning=f"{named}label 1: {y} is {positive}",
        picture="" if now is None else drawing(now, setting),
        rows=integer(rows),
        used=used,
        planned=planned,
        stopped=bool(public["stopped"]),
        published=published,
        timeline=html_of(timeline([t for t, _ in published], rows)),
        shown=_SHOWN,
        bound=bound,
        lower=lower_bounds(_goal(public), concepts),
        facts=[(name, value) for name, value in facts if value],
        claims=claims([*names, *(() if bound is None else bound.certificate.claims)]),
        embedded=json_in_html(json.dumps(dict(public), sort_keys=True)),
    )


def stream_facts(parts: Sequence[Part], proposal: Proposal | None) -> list[tuple[str, str]]:
    """Return what each part of a stream cost, and which rows its bound is about, in lines."""
    facts = proposal_facts(parts, proposal)
    if proposal is not None:
        facts.append(("Mistakes", "proved for rows from which the columns were not learned"))
    return facts


def timeline(times: Sequence[int], rows: int) -> Json:
    """Draw when hypotheses were published, along the rows of the stream."""
    last = max(rows, *times, 1) if times else max(rows, 1)
    dots = [("dot", path([(time / last, 0.5)], "h0")) for time in times]
    desc = f"{len(times)} rules published among {rows} rows, after: {', '.join(map(str, times))}"
    return chart(
        "When rules were published", desc, [("wide", path([(0, 0.5), (1, 0.5)])), *dots],
        x=[("0", 0), (integer(last), 100)], y=[], x_name="rows of the stream",
    )  # fmt: skip


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


# -- The page of a rehearsal, and its curves: a model's worth against the number of records.


_APART = 11.0  # percent between names of curves
_TILES = 4  # cells of the first screen, the last ones
_RIVALS = {
    "auroc": "chance is 0.5",
    "concordance": "chance is 0.5",
    "r2": "0 for a constant prediction",
}


@page_maker(Rehearsal)
def rehearsal_page(found: Rehearsal) -> str:
    """Return the page of a rehearsal."""
    return render(
        "rehearsal",
        title=f"littlestone: {found.title}",
        heading=found.title,
        found=found,
        tiles=[_tile(cell) for cell in found.cells[-_TILES:] if cell.measures],
        predicted=found.fit.task.event or found.fit.task.y,
        picture=html_of(curves(found, Setting())) if found.cells else "",
        cells=[(_name(cell), cell) for cell in found.cells],
        free=int(FREE),
        embedded=json_in_html(json.dumps(found.to_dict(), sort_keys=True)),
    )


def _name(cell: Cell) -> str:
    said = f"{integer(cell.records)} records, ε {float(cell.epsilon):g}"
    return f"{said} {cell.variant}".strip()


def _tile(cell: Cell) -> tuple[str, str, str]:
    """Return the first measure with its spread, beside that without privacy and of no model."""
    main, each = cell.main, cell.measures[cell.main]
    parts = [f"10th to 90th percentile of the runs: {rounded(each.low)} to {rounded(each.high)}"]
    if main in cell.without_privacy:
        parts.append(f"without privacy {rounded(cell.without_privacy[main].mean)}")
    parts += [_RIVALS[main]] if main in _RIVALS else []
    return _name(cell), f"{words_of(main)} {rounded(each.mean)}", "; ".join(parts)


@plotter(Rehearsal)
def curves(found: Rehearsal, setting: Setting) -> Json:
    """Draw the first measure against the records, with the band of 10 to 90 % of the runs."""
    cells = [cell for cell in found.cells if cell.measures]
    lines: dict[str, list[Cell]] = {}
    for cell in cells:
        name = f"ε {float(cell.epsilon):g}"
        name += f", {cell.population.partition(':')[0]}" * bool(cell.population)
        name += "" if cell.holdout is None else f", {float(cell.holdout):.3g} held out"
        lines.setdefault(name, []).append(cell)
    main = cells[0].main if cells else ""
    values = [v for cell in cells for v in (cell.measures[main].low, cell.measures[main].high)]
    values += [cell.without_privacy[main].mean for cell in cells if main in cell.without_privacy]
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
        if main in own[-1].without_privacy:
            free = [
                (x_at(c.records), y_at(c.without_privacy[main].mean))
                for c in own
                if main in c.without_privacy
            ]
            across = free if len(free) > 1 else [(end, free[0][1]) for end in (0.0, 1.0)]
            paths.append(("dash", path(across)))
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
        f"{words_of(main)} by number of records", words, paths,
        x=[(integer(records), round(100 * x_at(records), 2)) for records in sizes],
        y=[(number(tick, high - low), round(100 * y_at(tick), 2)) for tick in ticks(low, high)],
        x_name="records", ends=ends,
    )  # fmt: skip
