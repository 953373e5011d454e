"""The page of a plan: every learner, its certificate, and what no learner can beat."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from littlestone.learners.select import shown_name
from littlestone.planning import Plans
from littlestone.planning.plans import asked
from littlestone.report.html import claims, data_link, json_in_html, render, step_words, steps_of
from littlestone.report.pages import page_maker
from littlestone.report.pictures import MARGIN, WIDTH
from littlestone.report.words import amount, integer, percent
from littlestone.svg import Element, clip, picture, text_width, wrap

if TYPE_CHECKING:
    from littlestone.learners.select import Candidate
    from littlestone.planning import LowerBound, Measured
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
def plan_page(plans: Plans, measured: Sequence[Measured] = ()) -> str:
    """Return the page of a plan.

    ``measured``: what was measured on synthetic data, if anything was.
    """
    chosen, document = plans.chosen, plans.to_dict(what_if=True)
    if measured:
        document["measured"] = [found.to_dict() for found in measured]
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
        measured=[_measurement(found) for found in measured if not found.problem],
        unmeasured=list(dict.fromkeys((f.shown, f.problem) for f in measured if f.problem)),
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


def _measurement(found: Measured) -> Json:
    return {
        "learner": found.shown,
        "where": f"{found.kind}: {found.scenario}",
        "certified": integer(found.certified),
        "n": integer(found.n or 0),
        "fails": f"{percent(found.low)} to {percent(found.high)}",
    }
