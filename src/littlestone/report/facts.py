"""A release in lines of name and text, and all of them together: functions of the release only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING

from littlestone.bounds import claim
from littlestone.classes.hypotheses import constant_label
from littlestone.data import RowDomain
from littlestone.learners.release import Release, doubt
from littlestone.report.evaluated import evaluation_facts, group_facts
from littlestone.report.figures import outcomes
from littlestone.report.html import (
    integer,
    number_of,
    odds_factor,
    percent,
)

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.data.schema import Proposal
    from littlestone.learners.release import Release
    from littlestone.privacy import Guarantee, Part


def doubt_facts(release: Release, positive: str | None = None) -> list[tuple[str, str]]:
    """Return a line that says so, if perhaps the column that is predicted means something else."""
    return [("Doubt", said)] if (said := doubt(release, positive)) else []


def coefficient_facts(release: Release) -> list[tuple[str, str]]:
    """Return the coefficients of a regression beside the model, with 95 % intervals."""
    found = getattr(release.hypothesis, "coefficients", None)
    if found is None:
        return []
    facts = []
    about = zip(found.terms, found.units, found.references, strict=True)
    ends = found.intervals(0.95).tolist()
    for (term, unit, reference), odds, (low, high) in zip(about, found.values, ends, strict=True):
        of = f" for each {unit}" if unit not in ("", "1") else ""
        beside = f", beside {reference}" if unit == "1" else ""
        spread = f" ({low:+.3f} to {high:+.3f} at 95%, for sampling and noise)"
        facts.append(
            (f"Log-odds, {term}", f"{odds:+.3f}{spread if found.printed else ''}{of}{beside}")
        )
    if not found.printed:
        facts.append(("", "no intervals: the noise hides the information in these columns"))
    return facts


def spent_facts(release: Release) -> list[tuple[str, str]]:
    """Return what the guarantee was spent on, the evaluation last; long fractions rounded up.

    Beside several parts of a document: what its learning was spent on, and no part again.
    """
    spent = sorted((release.spent or {}).items(), key=lambda item: (item[0] == "evaluation", item))
    if len(release.parts) > 1:
        parts = {part.what for part in release.parts}
        spent = [(f"Learning: {what}", text) for what, text in spent if what not in parts]
    return [(what, _LONG.sub(_rounded_up, text)) for what, text in spent]


_LONG = re.compile(r"([0-9]+)/([0-9]{5,})")


_THREE_DIGITS = Context(prec=3, rounding=ROUND_CEILING)


def _rounded_up(found: re.Match[str]) -> str:
    return format(_THREE_DIGITS.divide(Decimal(found[1]), Decimal(found[2])), "f")


def proposal_facts(parts: Sequence[Part], proposal: Proposal | None) -> list[tuple[str, str]]:
    """Return what each part cost, and where the columns come from, in lines (name, text)."""
    facts = []
    if len(parts) > 1:
        facts += [(p.what.capitalize(), f"of {p.about}: {p.guarantee}") for p in parts]
    if proposal is not None:
        facts.append(("Records", f"the columns were learned from {integer(proposal.n)}"))
        if proposal.declared:
            facts.append(("Types", taken_as_public(proposal.declared)))
    return facts


def taken_as_public(columns: Sequence[str]) -> str:
    """Say that the types of columns were taken as public, and when they are not."""
    return (
        f"of {', '.join(columns)}: treated as public, since the file declares them. If they were "
        "inferred from the records by a data frame, that inference is not private"
    )


def beside_constants(release: Release) -> str:
    """Say whether a constant would meet the certificate, too; or nothing.

    It is known of a rule that is a constant, and estimated where an evaluation was released.
    """
    certificate, found = release.certificate, release.quality
    if certificate is None or not certificate.holds:
        return ""
    constant = constant_label(release.hypothesis)
    if constant is not None:
        return (
            "The rule is a constant: the certificate does not imply that it is better than always "
            f"predicting {release.labels[constant]}. `littlestone check` reports how cells and "
            "labels are read, for an epsilon of its own."
        )
    alpha = float(certificate.alpha)
    if release.costs is not None:
        alpha *= float(release.costs.largest * release.costs.unit)
    if found is None or not found.met_by_a_constant(alpha):
        return ""
    return (
        "A constant seems to satisfy it, too: it does not imply that the rule is better than "
        f"always predicting {release.labels[found.rival]}."
    )


def accuracy_asked(certificate: Certificate) -> str:
    """Say what alpha bounds, in words.

    A certificate for the agnostic case bounds the error above the best of the class.
    """
    alpha = percent(certificate.alpha)
    if "exp-mech.cost" in certificate.claims:
        cost = f"{float(certificate['cost']):.4g}"
        if certifies_agnostic(certificate):
            return f"on new records, a mean cost at most {cost} above the least of the class"
        return f"on new records, a mean cost of at most {cost}"
    if certifies_agnostic(certificate):
        points = alpha.removesuffix("%")
        return (
            f"on new records, an error at most {points} percentage points above that of the best "
            "function of the class"
        )
    return f"on new records, an error of at most {alpha}"


def meaning(release: Release) -> str:
    """Say what x, 1 and 0 stand for, in the public names of what was read; or nothing."""
    columns = release.columns or {}
    if not columns.get("y"):
        return ""
    if release.concept_class.lists_labels or release.target is not None:
        return ""
    positive, negative = outcomes(release)
    x = columns.get("x") or []
    rows = isinstance(release.concept_class.domain, RowDomain)  # said by the column's own name
    named = f"x is {x[0]}; " if len(x) == 1 and not rows else ""
    # they are read as the number 1
    also = ", true or yes" if columns.get("positive") == "1" else ""
    return f"{named}label 1: {positive}{also}; label 0: {negative}"


def certifies_agnostic(certificate: Certificate) -> bool:
    """Return whether a certificate is about the error above that of the best concept."""
    if any(claim(name).makes_true for name in certificate.claims):
        return True  # an agnostic form: its learner's claims are about records that it labelled
    return not any("realizable" in text for text in (*certificate.claims, *certificate.assumptions))


# -- what `littlestone fit` prints ----------------------------------------------------------------


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
