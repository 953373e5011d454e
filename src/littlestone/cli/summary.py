"""A release in a few lines of text: a function of the release only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.report.html import integer, number_of, odds_factor, percent
from littlestone.report.pages import (
    accuracy_asked,
    beside_constants,
    coefficient_facts,
    doubt_facts,
    evaluation_facts,
    group_facts,
    meaning,
    proposal_facts,
    spent_facts,
)

if TYPE_CHECKING:
    from littlestone.learners.release import Release
    from littlestone.privacy import Guarantee


# -- A release in a few lines of text: a function of the release only.


_WIDE = 0.05  # of an error: half of an interval that says little


def summary(release: Release) -> list[tuple[str, str, str]]:
    """Return the lines (name, text, style) that ``littlestone fit`` prints."""
    guarantee, certificate = release.guarantee, release.certificate
    rows = [(name, text, "yellow") for name, text in doubt_facts(release)]
    rows.append(("Rule", release.hypothesis.describe(), "bold"))
    if meaning(release):
        rows.append(("", meaning(release), ""))
    rows.append(("Guarantee", str(guarantee), "red" if guarantee.seeded else ""))
    if guarantee.seeded:
        rows.append(
            ("", "Anyone who knows the seed can undo the protection: do not publish this.", "red")
        )
    elif guarantee.pure:
        rows.append(_odds(guarantee))
    rows += _certified(release) if certificate is not None else []
    rows += [(name, text, "") for name, text in proposal_facts(release.parts, release.proposal)]
    rows += [(name, text, "") for name, text in coefficient_facts(release)]
    for facts in (evaluation_facts(release), group_facts(release)):
        rows += [(name, text, "") for name, text in facts]
    rows += [("Accuracy", release.not_evaluated, "")] if release.not_evaluated else []
    rows += _narrower(release)
    rows += [("Protocol", release.planned, "")] if release.planned else []
    rows += [
        ("Spent" if not i else "", f"{what}: {part}", "")
        for i, (what, part) in enumerate(spent_facts(release))
    ]
    return rows


def _odds(guarantee: Guarantee) -> tuple[str, str, str]:
    """Return the line that says what an epsilon means."""
    factor, who = odds_factor(guarantee.epsilon), guarantee.neighbours.unit
    return ("", f"the odds of any statement about one {who} change at most {factor}-fold", "")


def _certified(release: Release) -> list[tuple[str, str, str]]:
    """Return the lines about the certificate."""
    certificate, required = release.certificate, release.required
    assert certificate is not None
    assert required is not None
    rows: list[tuple[str, str, str]] = []
    unit = certificate.unit
    asked = f"{accuracy_asked(certificate)}, except with probability {percent(certificate.beta)}"
    rows.append(("Asked", asked, ""))
    needed = number_of(required, unit)
    if release.n is None:
        rows.append(("Needed", f"{needed}; their number is secret", ""))
        rows.append(("Certificate", "holds if there are that many", ""))
        return rows
    rows.append(("Needed", f"{needed}; there are {integer(release.n)}", ""))
    if certificate.holds:
        beside = beside_constants(release)
        style = "yellow" if beside else "green"
        rows.append(("Certificate", f"holds ({certificate.status})", style))
        rows += [("", beside, "yellow")] if beside else []
    elif release.proposal is not None:
        text = "does not hold: the columns were learned from records, so the class depends on them"
        rows.append(("Certificate", text, "yellow"))
    else:
        rows.append(
            ("Certificate", "does not hold: too few records for this alpha and beta", "yellow")
        )
    return rows


def _narrower(release: Release) -> list[tuple[str, str, str]]:
    """Return how another fit would know the error better, if it is known badly."""
    found = release.quality
    if release.evaluation is None or found is None or found.error.half_width <= _WIDE:
        return []
    points = percent(found.error.half_width, 2).removesuffix("%")
    more = "--holdout or --evaluate" if release.evaluation.held_out else "--evaluate"
    text = (
        f"the error is known only to within ± {points} percentage points: a larger {more} would be "
        "more precise (another fit spends epsilon again)"
    )
    return [("Interval", text, "")]


def plain(release: Release) -> str:
    """Return the same as plain text: an observer for exact verification."""
    return "\n".join(f"{name}: {text}" for name, text, _ in summary(release))
