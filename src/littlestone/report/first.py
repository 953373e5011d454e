"""The first screen of a release's page: what was learned from whom, how good, against what.

And the items of TRIPOD+AI, as far as the release answers them. All of it is what was released.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from littlestone.bounds import claim
from littlestone.classes.boosted_trees.ensemble import quantile_words
from littlestone.evaluation import Band, Between, Evaluation, QuantityEvaluation, SurvivalEvaluation
from littlestone.evaluation.measures import HIDDEN, four
from littlestone.privacy.guarantee import OTHERS, Neighbours, short_text
from littlestone.report.html import best_guess, integer, number_of, odds_factor, outcomes, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from littlestone.bounds import Certificate
    from littlestone.learners.release import Release
    from littlestone.types import Json

_NAMED = 6  # columns in a sentence
_YOURS = "to be completed by the authors"
#: The items of the checklist of Collins and others, BMJ 385 (2024): e078378.
_ITEMS = (
    "Title; Abstract; Background; Objectives; Data; Participants; Data preparation; Outcome; "
    "Predictors; Sample size; Missing data; Analytical methods; Class imbalance; Fairness; Model "
    "output; Training versus evaluation; Ethical approval; Open science; Patient and public "
    "involvement; Participants in the results; Model development; Model specification; Model "
    "performance; Model updating; Interpretation; Limitations; Usability"
)
_TRIPOD = [f"{number} {item}" for number, item in enumerate(_ITEMS.split("; "), 1)]


def unit_of(release: Release) -> str:
    """Return what n counts: records or users."""
    users = release.guarantee.neighbours is Neighbours.USER_REPLACE
    return "users" if users else "records"


def first_screen(release: Release) -> Json:
    """Return the sentence, the verdict beside a plain rule, and the tiles (name, figure, line)."""
    good, verdict = _verdict(release)
    tiles = [*_measures(release), _epsilon(release), _size(release)]
    return {"sentence": sentence(release), "good": good, "verdict": verdict, "tiles": tiles}


def sentence(release: Release) -> str:
    """Say what was learned from whom, in the names of the table."""
    columns, n, what, unit = release.columns or {}, release.n, _predicted(release), unit_of(release)
    apart = None if release.scored else release.evaluation
    if n is not None and apart is not None and apart.held_out:
        n -= apart.n
    elif n is not None and apart is None and release.interval is not None:
        n -= release.interval.m
    who = f"a secret number of {unit}" if n is None else number_of(n, unit)
    who = f"the records of {who}" if unit == "users" else who
    names = [f"“{name}”" for name in columns.get("x") or []]
    if len(names) > _NAMED:
        from_ = f" from {len(names)} columns, such as {listed(names[:3])}"
    else:
        from_ = f" from {listed(names)}" if names else ""
    how = "" if release.guarantee.seeded else " with differential privacy"
    what = f"{what[0].lower()}{what[1:]}{from_}"
    return f"This model predicts {what}. It was learned from {who}{how}."


def _predicted(release: Release) -> str:
    """Return what is predicted, as the subject of a sentence."""
    columns, target = release.columns or {}, release.target
    y = columns.get("y")
    if target is not None and target.ends:
        event = columns.get("event") or "the event"
        ends = f"{float(target.ends[-1]):.10g}"
        free = f"The probability that “{event}” has not occurred by the end of each period"
        return f"{free} (the last ends at “{y or 'time'}” = {ends})"
    if target is not None:
        named = f"“{y}”" if y else "a quantity"
        quantile = getattr(release.hypothesis, "quantile", None)
        if quantile is not None:
            words = quantile_words(quantile)
            return f"{words[0].upper()}{words[1:]} of {named}"
        return f"The expected {'' if target.continuous else 'count of '}{named}"
    if release.concept_class.lists_labels:
        labels = listed([str(label) for label in release.labels], "or")
        return f"The {f'“{y}”' if y else 'label'} ({labels})"
    positive = outcomes(release)[0]
    chance = "The probability that" if release.hypothesis.of_sums else "Whether"
    return f"{chance} {positive if y else 'the label is 1'}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Return names as a list in words."""
    head = ", ".join(names[:-1])
    return f"{head} {last} {names[-1]}" if head else names[-1]


def _verdict(release: Release) -> tuple[bool | None, str]:
    """Say whether a plain rule would do as well; None: it is not known."""
    measured = release.measured
    if isinstance(measured, Evaluation):
        return _of_labels(release, measured)
    if isinstance(measured, QuantityEvaluation):
        name, figure = _explained(measured)
        plain = "the model is better than predicting one constant for everyone"
        if isinstance(figure, Band) and figure.low > 0:
            return True, f"{plain.capitalize()}, judged by its {name}."
        return None, f"It is not clear that {plain}."
    if isinstance(measured, SurvivalEvaluation):
        ranks = not measured.hidden and measured.concordance.low > 0.5
        verdict = "the model ranks risks better than chance."
        return (True, verdict.capitalize()) if ranks else (None, f"It is not clear that {verdict}")
    certificate, certified = release.certificate, ""
    if certificate is not None and release.n is not None:
        holds = "holds" if certificate.holds else "does not hold"
        certified = f" Its certificate of accuracy {holds}."
    unknown = "so it is not known whether a constant prediction would be as accurate."
    return None, f"The model was not evaluated, {unknown}{certified}"


def _of_labels(release: Release, measured: Evaluation) -> tuple[bool | None, str]:
    found = release.quality
    assert found is not None
    other = "the same label" if found.baseline.hidden else release.labels[found.rival]
    of, rival, form = "error rate", f"always predicting {other}", _share
    if found.constant is not None:
        return False, f"The model is constant: it always predicts {release.labels[found.constant]}."
    if found.cost is not None:
        of, form = "mean cost", four
    if found.better:
        mine, plain = (form(band.value) for band in found.compared)
        return True, f"The model has a lower {of} ({mine}) than {rival} ({plain})."
    area = measured.auroc() if release.hypothesis.ranks else None
    if area is not None and area.low > 0.5:
        ranks = "The model ranks risks better than chance. It is not clear that the labels it"
        return None, f"{ranks} predicts have a lower {of} than {rival}: use the probabilities."
    if found.better is False:
        return False, f"The model does not have a lower {of} than {rival}."
    return None, f"It is not clear that the model has a lower {of} than {rival}."


def _share(value: float) -> str:
    return percent(value, trim=False)


def _explained(measured: QuantityEvaluation) -> tuple[str, Band | Between | None]:
    """Return the share that is explained, with its name."""
    kind = measured.sums.kind
    if kind == "quantile":
        return "pinball loss explained", measured.bands["pinball_explained"]
    if kind == "count":
        return "deviance explained", measured.bands["deviance_explained"]
    return "R2", measured.bands["r2"]


def _tile(
    name: str, band: object, line: str = "", form: Callable[[float], str] = "{:z.3f}".format
) -> tuple[str, str, str]:
    """Return a tile of a figure with its 95% band."""
    if not isinstance(band, Band) or band.hidden:
        return name, HIDDEN, line
    low, value, high = map(form, (band.low, band.value, band.high))
    return name, value, f"95% CI {low} to {high}" + f"; {line}" * bool(line)


def _measures(release: Release) -> list[tuple[str, str, str]]:
    measured, found = release.measured, release.quality
    if isinstance(measured, QuantityEvaluation):
        name, figure = _explained(measured)
        line = "0 for a constant prediction"
        if name != "deviance explained" and any(
            isinstance(own, Between) for own in measured.bands.values()
        ):
            line += f"; errors are truncated at {four(float(measured.sums.reach))}"
        tiles = [_tile(name[0].upper() + name[1:], figure, line)]
        off = measured.bands.get("mae") or measured.bands.get("coverage")
        if isinstance(off, Band):
            of_mean = _tile("Mean absolute error", off, form=four)
            tiles.append(of_mean if "mae" in measured.bands else _tile("Coverage", off))
        return tiles
    if isinstance(measured, SurvivalEvaluation):
        figure = None if measured.hidden else measured.concordance
        return [_tile("Concordance", figure, "chance is 0.5")]
    if found is None or not isinstance(measured, Evaluation):
        if release.certificate is None or release.required is None:
            why = release.not_evaluated.removeprefix("not evaluated: ")  # the figure says so
            return [("Accuracy", "not evaluated", why)]
        return [_certified(release.certificate, release)]
    tiles = []
    if release.hypothesis.ranks:
        tiles.append(_tile("AUROC", measured.auroc(), "chance is 0.5"))
    if found.constant == found.majority or found.baseline.hidden:  # it is the same error
        plain = ""
    else:
        plain = f"always predicting {release.labels[found.majority]}: "
        plain += _share(found.baseline.value)
    return [*tiles, _tile("Error rate", found.error, plain, _share)]


def certifies_agnostic(certificate: Certificate) -> bool:
    """Return whether a certificate is about the error above that of the best concept."""
    if any(claim(name).makes_true for name in certificate.claims):
        return True  # an agnostic form: its learner's claims are about records that it labelled
    return not any("realizable" in text for text in (*certificate.claims, *certificate.assumptions))


def _certified(certificate: Certificate, release: Release) -> tuple[str, str, str]:
    """Return the tile of a model that has a certificate and no evaluation."""
    needed = f"{number_of(release.required or 0, unit_of(release))} needed"
    if release.n is None:
        needed += "; their number is secret"
    elif not certificate.holds:
        return "Accuracy", "not certified", needed
    what, figure = "error rate", percent(certificate.alpha)
    if "exp-mech.cost" in certificate.claims:
        what, figure = "mean cost", f"{float(certificate['cost']):.4g}"
    if certifies_agnostic(certificate):
        return f"Certified excess {what}", figure, f"over the best concept of the class; {needed}"
    return f"Certified {what}", figure, needed


def _epsilon(release: Release) -> tuple[str, str, str]:
    guarantee = release.guarantee
    who = guarantee.neighbours.unit
    guess = best_guess(guarantee.epsilon, guarantee.delta)
    values = "values of one record" if who == "record" else "sets of records of one user"
    line = f"a guess between two equally likely {values} is right at most {guess} of the time, "
    line += "instead of 50%"
    delta = f"δ = {float(guarantee.delta):.3g}; " if guarantee.delta else ""
    return "Privacy loss ε", f"{float(guarantee.epsilon):.4g}", f"{delta}{line}"


def ledger_facts(release: Release) -> list[tuple[str, str]]:
    """Return what the ledger of the records, if there is one, says of a release: it is public."""
    entries = [part.entry for part in release.parts if part.entry and part.about != OTHERS]
    if not entries:
        return []
    last = entries[-1]
    facts = [("Records", last["data"]), ("Purpose", last["event"]["purpose"])]
    facts.append(("Released (UTC)", last["event"]["day"]))
    if last["spent"] and entries[0]["spent"]:
        amounts = last["spent"]["after"], last["budget"]["epsilon"], entries[0]["spent"]["before"]
        after, most, before = (short_text(Fraction(amount)) for amount in amounts)
        budget = f"ε {after} of {most} spent, including this release (before it: {before})"
        if last["accounting"] == "zcdp":
            delta = float(Fraction(last["budget"]["delta"]))
            budget += f"; converted from zero-concentrated differential privacy at δ = {delta:.3g}"
        facts.append(("Budget of these records", budget))
    return [(name, text) for name, text in facts if text]


def _size(release: Release) -> tuple[str, str, str]:
    n = "secret" if release.n is None else integer(release.n)
    evaluation, line = release.evaluation, ""
    if evaluation is not None and release.scored:
        line = f"evaluated on {integer(evaluation.n)} other {unit_of(release)}"
    elif evaluation is not None and evaluation.held_out:
        line = f"{integer(evaluation.n)} of them held out for the evaluation"
    return unit_of(release).capitalize(), n, line


def tripod(release: Release, facts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return items of TRIPOD+AI (Collins and others 2024), as far as the release answers them."""
    columns, guarantee, spec = release.columns or {}, release.guarantee, release.concept_class.spec
    n = "secret" if release.n is None else number_of(release.n, unit_of(release))
    names = ", ".join(columns.get("x") or []) or "see the schema"
    bins = "learned from these records, with differential privacy" if release.proposal else "public"
    measures = [f"{what} {x}" + f" ({line})" * bool(line) for what, x, line in _measures(release)]
    apart = dict(facts).get("Evaluated on", "not evaluated")
    odds, who = "", guarantee.neighbours.unit
    if guarantee.pure:
        odds = f": for someone who knows all other {who}s, the odds of any statement about one "
        odds += f"{who} change by a factor of at most {odds_factor(guarantee.epsilon)}"
    filled = {
        "8 Outcome": f"{_predicted(release)}; how it was determined: {_YOURS}",
        "9 Predictors": f"{names}; their bins and categories are {bins}",
        "10 Sample size": f"{n}; justification: {_YOURS}",
        "11 Missing data": "a separate category of each predictor; no record is excluded",
        "12 Analytical methods": f"learner {release.learner}, class {spec}; {guarantee}{odds}",
        "16 Training versus evaluation": apart,
        "22 Model specification": "the whole model is in this page (JSON)",
        "23 Model performance": "; ".join(measures),
    }
    return [(item, filled.get(item, _YOURS)) for item in _TRIPOD]
