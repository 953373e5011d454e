"""`page`: one self-contained HTML page about an object; here, about a release.

The page of a release is a pure function of the `Release`: no clock, no path, no environment; so it
is exactly as private as the release, and `littlestone.audit.verify` compares its text among the
outputs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from littlestone import __version__
from littlestone.audit.mechanism import MechanismVerification
from littlestone.audit.verify import Verification
from littlestone.bounds import claim
from littlestone.classes import (
    Dimensions,
    LinearClass,
    RuleLists,
    TreeEnsemble,
    TreeHypothesis,
    TreeSum,
)
from littlestone.classes.boosted_trees.ensemble import quantile_words
from littlestone.classes.dimensions import Bounds
from littlestone.classes.hypotheses import constant_label
from littlestone.data import RowDomain
from littlestone.data.targets import Periods
from littlestone.errors import UnsupportedError, counted
from littlestone.evaluation import (
    Band,
    ErrorSums,
    Evaluation,
    Quality,
    QuantityEvaluation,
    SurvivalEvaluation,
)
from littlestone.evaluation.measures import HIDDEN, four, in_words
from littlestone.evaluation.quantities import Between, least_units
from littlestone.learners.record import used
from littlestone.learners.registry import LEARNERS
from littlestone.learners.release import Release, doubt, evaluation_of
from littlestone.report.figures import Setting, drawing, figure, html_of, outcomes, trees_figure
from littlestone.report.first import first_screen, tripod, unit_of
from littlestone.report.html import (
    amount,
    claim_names,
    claims,
    data_link,
    integer,
    json_in_html,
    number_of,
    percent,
    promise_words,
    render,
    steps_of,
)
from littlestone.report.targets import (
    Shown,
    calculator,
    drawn,
    effects,
    noise_ranges,
    scorecard,
    target_parts,
    units_of,
)
from littlestone.safe_io import write_text

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.classes import ConceptClass
    from littlestone.data.schema import Proposal
    from littlestone.privacy import Part
    from littlestone.types import Json


_RISK = Fraction(1, 20)
_YES = ("1", "yes", "true")  # a label that says no more than the name of its column
TOO_FEW = "too few to say"
_PERIODS = 12  # whose events are said
_LEARNED = "nothing of new records, as the columns were learned from these, too; give a schema"
Renderer = Callable[..., str]

P = TypeVar("P", bound=Renderer)

_RENDERERS: dict[type, Renderer] = {}


def page_maker(*types: type) -> Callable[[P], P]:
    """Register the decorated function as the way to make a page of objects of these types."""

    def register(function: P) -> P:
        _RENDERERS.update(dict.fromkeys(types, function))
        return function

    return register


def page(obj: Any, path: str | Path | None = None, **more: Any) -> str:
    """Return a self-contained HTML page: what was found, what is promised, and why.

    Parameters
    ----------
    obj : Release, fitted estimator, Plans, Dimensions, Verification, Score or document of a stream
    path : str or Path, optional
        Write the page there, too; an existing file is replaced.
    **more
        What this kind of page shows besides: ``concept_class`` and ``pictures`` with `Dimensions`.

    Returns
    -------
    str
        HTML that loads nothing, for light and dark, screen, phone and paper. The object itself is
        inside, as JSON.

    Raises
    ------
    UnsupportedError
        If no package has said what a page of such an object is.

    Notes
    -----
    *Guarantee.* Post-processing of the object: costs no privacy.

    Examples
    --------
    >>> import littlestone as ls
    >>> ls.page(ls.plan(ls.Thresholds(1, 99), epsilon=1))[:15]
    '<!doctype html>'
    """
    obj = getattr(obj, "release_", obj)
    for kind in type(obj).__mro__:
        if kind in _RENDERERS:
            text = _RENDERERS[kind](obj, **more)
            if path is not None:
                write_text(path, text)
            return text
    if hasattr(obj, "fit"):
        raise UnsupportedError(
            f"This {type(obj).__name__} is not fitted yet: a page shows what fit has learned."
        )
    known = ", ".join(sorted(kind.__name__ for kind in _RENDERERS))
    raise UnsupportedError(
        f"page makes no page of an object of type {type(obj).__name__}; it does of: {known}."
    )


@page_maker(Release)
def release_page(release: Release) -> str:
    """Return the page of a fit: the verdict first, then why, and what is promised.

    It is a pure function of the release.
    """
    guarantee, certificate, pictures = release.guarantee, release.certificate, drawn(release)
    evaluation = evaluation_facts(release, matrix=pictures["confusion"] is None)
    return render(
        "page",
        title=heading_of(release),
        heading=heading_of(release),
        first=first_screen(release),
        g=promise_words(guarantee),
        unit=unit_of(release),
        words=release.hypothesis.describe(),
        meaning=meaning(release),
        positive=outcomes(release)[0],
        **_of_trees(release),
        n=None if release.n is None else integer(release.n),
        **_certified(release),
        evaluation=evaluation,
        held_out=release.evaluation is not None and release.evaluation.held_out,
        groups=group_rows(release),
        **pictures,
        beside_constants=beside_constants(release),
        spent=[*proposal_facts(release.parts, release.proposal), *spent_facts(release)],
        coefficients=coefficient_facts(release),
        reads=_reads(release),
        model_link=data_link(release.to_json()),
        provenance=_provenance(release),
        tripod=tripod(release, evaluation),
        claims=claims(
            [
                *claim_names(guarantee.claim),
                *used(release),
                *(certificate.claims if certificate else ()),
            ]
        ),
        embedded=json_in_html(release.to_json()),
    )


def _certified(release: Release) -> Json:
    """Return what the page says of the certificate, if there is one."""
    certificate = release.certificate
    if certificate is None or release.required is None:
        return {"certified": False}
    return {
        "certified": True,
        "required": integer(release.required),
        "asked": accuracy_asked(certificate),
        "beta": percent(certificate.beta),
        "holds": certificate.holds,
        "proposed": release.proposal is not None,
        "status": certificate.status,
        "assumptions": certificate.assumptions,
        "steps": steps_of(certificate),
    }


def doubt_facts(release: Release, positive: str | None = None) -> list[tuple[str, str]]:
    """Return a line that says so, if perhaps the column that is predicted means something else."""
    return [("Doubt", said)] if (said := doubt(release, positive)) else []


def evaluation_facts(release: Release, *, matrix: bool = True) -> list[tuple[str, str]]:
    """Return what the released evaluation says, in lines (name, text)."""
    histogram = release.counts
    if histogram is None:
        return _of_target(release)
    evaluation = evaluation_of(histogram, release.hypothesis)
    scored = release.spent is None  # not evaluated by its fit, but by `score` on another table
    users, held_out = unit_of(release) == "users", histogram.held_out
    if scored:
        on = "records" + ", one of each user," * users
        on += " that you say were held out" if held_out else ", as many as those of the fit"
        on = on.replace(",,", ",")
    elif users:
        on = ("held-out records" if held_out else "records of this fit") + ", one of each user"
    else:
        on = "held-out records" if held_out else "records, those of this fit"

    def spread(band: Band | None) -> str:
        if band is None:
            return HIDDEN
        return f"{band.value:.3f} ({band.low:.3f} to {band.high:.3f} at 95%)"

    def share(band: Band) -> str:
        low, high = percent(band.low, 2), percent(band.high, 2)
        return f"about {percent(band.value, 2)} wrong ({low} to {high} at 95%)"

    facts = [("Evaluated on", f"{integer(histogram.n)} {on}, for epsilon {histogram.epsilon}")]
    facts.append(("", _bands_are(own=not (histogram.held_out or scored))))
    found = release.quality
    assert found is not None
    facts.append(("Error", share(found.error)))
    if found.constant != found.majority:  # else it is the same error
        facts.append(
            ("Majority class", f"{release.labels[found.majority]}: {share(found.baseline)}")
        )
    if found.cost is not None and found.baseline_cost is not None:
        facts.append(("Mean cost", spread(found.cost)))
        facts.append((f"Of always {release.labels[found.rival]}", spread(found.baseline_cost)))
    facts.append(("", _compared(release, found)))
    if isinstance(release.hypothesis, TreeEnsemble) and release.hypothesis.binary:
        facts.append(("AUROC", spread(evaluation.auroc())))
        error = evaluation.calibration_error()
        away = f"{error:.3f} (mean distance, less that of noise)" if error else HIDDEN
        facts.append(("Calibration error", away))
        facts += _two_answers(release.hypothesis)
    if found.balanced_accuracy is not None:
        facts.append(("Balanced accuracy", f"{found.balanced_accuracy:.3f}"))
    if histogram.unlisted and matrix:
        facts += _by_label(release, evaluation)
    if histogram.held_out:
        bound = evaluation.error_certificate(release.answers, _RISK)
        if_so = ", if these were held out" if scored else ""
        what = f"error at most {bound:.3f} on new records{if_so}, except with probability 5%"
        facts.append(("Certified", what if release.independent else _LEARNED))
    return facts + _of_interval(release)


def group_rows(release: Release) -> tuple[list[str], list[list[str]]]:
    """Return what is said of public groups, as a table: its head, and a row for each group."""

    def shown(band: Band | None, kind: str) -> str:
        if band is None:
            return TOO_FEW
        form = four if kind in errors else "{:.2f}".format
        return f"{form(band.value)} ({form(band.low)} to {form(band.high)})"

    errors = {"median": "median error", "ninth_decile": "nine of ten errors up to"}
    of_sizes = isinstance(release.measured, QuantityEvaluation)
    kinds = {"share": "of all"} | (errors if of_sizes else {"error": "error"})
    if isinstance(release.hypothesis, TreeEnsemble) and release.hypothesis.binary:
        kinds |= {"auroc": "AUROC", "calibration": "observed less predicted"}
    if not of_sizes and len(release.labels) == 2:
        kinds["positive"] = f"predicted {release.labels[1]}"
    rows = [[group.name, *(shown(getattr(group, kind), kind) for kind in kinds)]
            for group in release.groups]  # fmt: skip
    return ["group", *kinds.values()], rows


def group_facts(release: Release) -> list[tuple[str, str]]:
    """Return the same as lines (name, text)."""
    (_, *kinds), rows = group_rows(release)
    if not rows:
        return []
    facts = [("Groups", "of these records; each interval at 95% by itself")]
    for name, *cells in rows:
        known = dict(zip(kinds, cells, strict=True))
        few = ", ".join(kind for kind, cell in known.items() if cell == TOO_FEW)
        said = [f"{kind} {cell}" for kind, cell in known.items() if cell != TOO_FEW]
        facts.append((name, "; ".join([*said, *([f"{TOO_FEW}: {few}"] if few else [])])))
    return facts


def _two_answers(model: TreeEnsemble) -> list[tuple[str, str]]:
    """Return a line where the label and the recalibrated probability are not on one side of .5."""
    pairs = zip(model.margins, model.probabilities.tolist(), strict=True)
    apart = [p for margin, p in pairs if (p - 0.5) * (margin - 0.5) < 0]
    if not apart:
        return []
    ends = " to ".join(f"{p:.3f}" for p in sorted({min(apart), max(apart)}))
    said = f"recalibrated; where it is {ends} the label is the other one: by the rule, as measured"
    return [("Probability", said)]


def _of_target(release: Release) -> list[tuple[str, str]]:
    """Return what is said of a quantity, a count or a time."""
    facts, measured = [], release.measured
    if isinstance(release.evaluation, ErrorSums):
        facts = _of_quantities(release, release.evaluation)
    elif isinstance(measured, SurvivalEvaluation):
        facts = _of_survival(release, measured)
    return facts + _of_interval(release)


def _of_quantities(release: Release, sums: ErrorSums) -> list[tuple[str, str]]:
    """Return the mean errors and R2 of a quantity or a count."""
    unit = unit_of(release)
    on = f"held-out {unit}" if sums.held_out else f"{unit}, those of this fit"
    facts = [("Evaluated on", f"{integer(sums.n)} {on}, for epsilon {sums.epsilon}")]
    found = QuantityEvaluation(sums)
    scored = release.spent is None
    facts.append(("", _bands_are(own=not (sums.held_out or scored))))
    bands, cut = found.bands, f", errors cut at {four(float(sums.reach))}"
    heavy = any(isinstance(band, Between) for band in bands.values())
    far = four(float(sums.far))
    for of, band in bands.items():
        name = _MEASURES[of].format(reach=four(float(sums.reach)), far=far)
        if heavy and of in ("r2", "pinball_explained"):
            name += cut
        facts.append((name, in_words(band)))
    return [*facts, _by_prediction(found, unit)]


def _bands_are(*, own: bool) -> str:
    """Say once what all intervals are for, and whose records they are of."""
    looks = "; a fit looks better on its own records than on new ones" if own else ""
    return f"Intervals are for noise and sampling{looks}."


def _by_prediction(found: QuantityEvaluation, unit: str) -> tuple[str, str]:
    """Return how what was observed differs from predictions, in bins of these, or why not."""
    bins, sums = found.predicted_observed, found.sums
    if not bins:
        least = least_units(sums.epsilon)
        which = f"held-out {unit}" if sums.held_out else unit
        return ("By prediction", f"needs {integer(least)} {which} for epsilon {sums.epsilon}")
    named, bands = "observed minus predicted", [(own.observed, own.predicted) for own in bins]
    if sums.kind == "quantile":
        named, bands = "coverage", [(own.below, 0.0) for own in bins]
    low, high = (end(band.value - at for band, at in bands) for end in (min, max))
    noise = max(band.half_width for band, _ in bands)
    text = f"{named} from {four(low)} to {four(high)} in {counted(len(bins), 'bins')}"
    return ("By prediction", f"{text} (noise up to {four(noise)} at 95%)")


def _of_survival(release: Release, found: SurvivalEvaluation) -> list[tuple[str, str]]:
    """Return the concordance, and the events of each period."""
    histogram, unit = found.histogram, unit_of(release)
    of = "" if unit == "records" else ", one record of each"
    held_out = release.evaluation is not None and release.evaluation.held_out
    on = f"held-out {unit}{of}" if held_out else f"{unit}, those of this fit{of}"

    def spread(band: Band, digits: int = 0, more: str = "") -> str:
        low, value, high = (f"{x:,.{digits}f}" for x in (band.low, band.value, band.high))
        return f"{value} ({low} to {high}{more})"

    value = HIDDEN if found.hidden else spread(found.concordance, 3, " at 95%")
    bins = number_of(len(histogram.scores), "bins")
    facts = [
        ("Evaluated on", f"{integer(histogram.n)} {on}, for epsilon {histogram.epsilon}"),
        ("", _bands_are(own=not held_out)),
        ("Concordance", value),
        ("", f"of {bins} of risk, in pairs that the periods distinguish"),
    ]
    units = units_of((release.columns or {}).get("y", ""))
    for start, period in zip((0.0, *found.ends), found.calibration[:_PERIODS], strict=False):
        text = f"{spread(period.observed)}, predicted {spread(period.predicted)}"
        step = f"{start:.10g} to {period.end:.10g} {units}".rstrip()
        facts.append(("" if start else "Events", f"{step}: {text}"))
    if len(found.calibration) > _PERIODS:
        facts.append(("", "further periods: --json"))
    return facts


def _of_interval(release: Release) -> list[tuple[str, str]]:
    """Return how wide the intervals or sets are, and what they cover."""
    found, model = release.interval, release.hypothesis
    if found is None or not isinstance(model, TreeSum | TreeEnsemble) or model.width is None:
        return []
    unit = unit_of(release)
    which = "a record of a new user" if unit == "users" else "a new record"
    if isinstance(model, TreeSum):
        name, near = "Interval", f"prediction ± {four(model.width * model.parts[1])}"
    else:
        votes = counted(model.width, "votes")
        name, near = "Set", f"the most likely label, and all at most {votes} behind it"
        which = f"the label of {which}"
    level = f"{float(1 - found.alpha):.4g}"
    share = found.share(_RISK)
    from_ = f"drawn from {integer(found.m)} held-out {unit}, for epsilon {found.epsilon}"
    covers = f"holds {which} with probability {level} or more; {share:.3f} of all new ones, except "
    covers = f"{covers}with probability 5%" if release.columns_apart else _LEARNED
    return [(name, f"{near}, {from_}"), ("", covers)]


_MEASURES = {
    "with_target": "With a target",
    "median": "Median absolute error",
    "ninth_decile": "0.9 quantile of it",
    "beyond": "Errors beyond {reach}",
    "mae": "Mean absolute error",
    "rmse": "Root mean square error",
    "r2": "R2",
    "deviance": "Poisson deviance, each up to {far}",
    "deviance_explained": "Deviance explained",
    "pinball": "Pinball loss",
    "pinball_explained": "Pinball loss explained",
    "coverage": "Coverage",
}


def _by_label(release: Release, evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return the confusion matrix by the noisy counts: a line for each true label."""
    names = [*map(str, release.labels), "no listed label"]
    lines = []
    for i, row in enumerate(evaluation.confusion_matrix(release.answers, adding_up=True)):
        answered = ", ".join(
            f"{label} {integer(max(0, round(count)))}"
            for label, count in zip(names, row, strict=False)
        )
        lines.append(("Confusion matrix" if i == 0 else "", f"{names[i]}, predicted {answered}"))
    return lines


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
        spread = f" ({low:+.3f} to {high:+.3f} at 95%, sampling and noise)"
        facts.append(
            (f"Log-odds, {term}", f"{odds:+.3f}{spread if found.printed else ''}{of}{beside}")
        )
    if not found.printed:
        facts.append(("", "no intervals: the noise hides how far the columns differ"))
    return facts


def spent_facts(release: Release) -> list[tuple[str, str]]:
    """Return what the guarantee was spent on, the evaluation last; long fractions rounded up.

    Beside several parts of a document: what its learning was spent on, and no part again.
    """
    spent = sorted((release.spent or {}).items(), key=lambda item: (item[0] == "evaluation", item))
    if len(release.parts) > 1:
        parts = " ".join(part.what for part in release.parts)
        spent = [(f"Learning: {what}", text) for what, text in spent if what not in parts]
    return [(what, _LONG.sub(_rounded_up, text)) for what, text in spent]


_LONG = re.compile(r"([0-9]+)/([0-9]{5,})")
_THREE_DIGITS = Context(prec=3, rounding=ROUND_CEILING)


def _rounded_up(found: re.Match[str]) -> str:
    return format(_THREE_DIGITS.divide(Decimal(found[1]), Decimal(found[2])), "f")


def _compared(release: Release, found: Quality) -> str:
    """Say in words how a rule compares with the best constant."""
    rival = release.labels[found.rival]
    if found.constant is not None:
        return f"The rule is a constant: it always answers {release.labels[found.constant]}."
    if found.better is None:
        better = "has fewer errors" if found.cost is None else "costs less"
        return f"It is not clear that the rule {better} than always answering {rival}."
    verbs = ("has fewer errors", "does not have fewer errors")
    if found.cost is not None:
        verbs = ("costs less", "does not cost less")
    return f"The rule {verbs[not found.better]} than always answering {rival}."


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
        f"of {', '.join(columns)}: taken as public, as they were declared. A file written from a "
        "data frame whose types were inferred from the records inherits the inference"
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
            "The rule is a constant: the certificate does not say that it is better than always "
            f"answering {release.labels[constant]}. Are cells and labels read as meant? "
            "`littlestone check` tells, for an epsilon of its own."
        )
    alpha = float(certificate.alpha)
    if release.costs is not None:
        alpha *= float(release.costs.largest * release.costs.unit)
    if found is None or not found.met_by_a_constant(alpha):
        return ""
    return (
        "A constant seems to meet it, too: it does not say that the rule is better than always "
        f"answering {release.labels[found.rival]}."
    )


def _of_trees(release: Release) -> Json:
    """Return what a page says of the model: of a scorecard its points, of sums what columns do."""
    model, domain = release.hypothesis, release.concept_class.domain
    parts: Json = dict.fromkeys(("picture", "trees", "scorecard", "shown", "calculator", "target"))
    parts |= {"folded": [], "left_out": 0}
    if not isinstance(model, TreeSum | TreeEnsemble) or not isinstance(domain, RowDomain):
        return parts | {"picture": drawing(release)}
    schema, noise = domain.schema, noise_ranges(release)
    if isinstance(model, TreeSum):
        level = None if release.interval is None else float(1 - release.interval.alpha)
        shown = Shown(model, schema, (release.columns or {}).get("y", ""), level)
        measured = release.measured
        found = measured if isinstance(measured, SurvivalEvaluation) else None
        return parts | target_parts(shown, found, noise)
    setting = Setting(domain, *outcomes(release))
    card = scorecard(model, schema)
    bars = effects(model, schema) if card is None else card
    kept = [column for column in bars["columns"] if column["range"] > noise.get(column["name"], 0)]
    rest = [column for column in bars["columns"] if column not in kept]
    axis = {name: bars.get(name, empty) for name, empty in (("zero", 0), ("axis", []))}
    moving, folded = (
        html_of(figure("bars", "", name, labels=bars["labels"], columns=columns, **axis))
        if columns
        else None
        for columns, name in ((kept, "What each column does"), (rest, "Columns of small effect"))
    )
    trees = html_of(trees_figure(model, setting)) if model.trees else None
    return parts | {
        "shown": moving,
        "folded": [folded] if folded else [],
        "left_out": len(rest),
        "trees": trees,
        "scorecard": card,
        "calculator": calculator(model, schema, _outcome(release)),
    }


def _outcome(release: Release) -> str:
    """Return what the label means, for a line: ``Died``, or ``Stage is IV``."""
    name, positive = ((release.columns or {}).get(what) for what in ("y", "positive"))
    said = str(name) if str(positive).lower() in _YES and name else outcomes(release)[0]
    return said[:1].upper() + said[1:]


def heading_of(release: Release) -> str:
    """Return what a release is of, in the user's words: ``A private scorecard: readmitted``."""
    hypothesis, columns = release.hypothesis, release.columns or {}
    label = columns.get("y")
    if label and columns.get("event"):
        label = f"{label} until {columns['event']}"
    if label and isinstance(hypothesis, TreeSum) and hypothesis.quantile is not None:
        label = f"{quantile_words(hypothesis.quantile)} of {label}"
    kind = "a private rule"
    if isinstance(hypothesis, TreeEnsemble | TreeSum):
        kind = "private boosted trees" if hypothesis.depth > 1 else "a private scorecard"
        if isinstance(release.concept_class, LinearClass):
            kind = "a private linear model"
    elif isinstance(release.concept_class, RuleLists):
        kind = "a private rule list"
    elif isinstance(hypothesis, TreeHypothesis):
        kind = "a private tree"
    if release.guarantee.seeded:
        kind = f"{kind.replace('private ', '')} (not private)"
    start = kind[0].upper() + kind[1:]
    return f"{start}: {label}" if label else start


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
    return f"{named}1 means: {positive}; 0 means: {negative}"


def certifies_agnostic(certificate: Certificate) -> bool:
    """Return whether a certificate is about the error above that of the best concept."""
    if any(claim(name).makes_true for name in certificate.claims):
        return True  # an agnostic form: its learner's claims are about records that it labelled
    return not any("realizable" in text for text in (*certificate.claims, *certificate.assumptions))


def _reads(release: Release) -> str:
    names = (release.columns or {}).get("x")
    if not names:
        return "it reads the column that it was learned from"
    if len(names) == 1:
        return f"it reads the column “{names[0]}”"
    return f"it reads the {len(names)} columns of its schema by their names"


def _provenance(release: Release) -> list[tuple[str, str]]:
    guarantee = release.guarantee
    columns = release.columns or {}
    rows = [
        ("Learner", release.learner),
        ("Concept class", release.concept_class.spec),
        ("Guarantee", str(guarantee)),
        ("Neighbours", guarantee.neighbours.words),
        (unit_of(release).capitalize(), "secret" if release.n is None else integer(release.n)),
    ]
    if release.learner in LEARNERS:
        rows.insert(1, ("How", LEARNERS[release.learner].summary))
    if columns.get("x"):
        rows.append(("Columns read", ", ".join(columns["x"])))
    if columns.get("y"):
        rows.append(_of_label(release, columns))
    if columns.get("user"):
        each = columns.get("samples_per_user")
        rows.append(
            (
                "User column",
                f"{columns['user']} (at most {number_of(each or 1, 'records')} of each are read)",
            )
        )
    if release.planned:
        rows.append(("Protocol (SHA-256)", release.planned))
    rows.append(("Software", f"littlestone {__version__}"))
    return rows


def _of_label(release: Release, columns: Json) -> tuple[str, str]:
    """Return the line about the column that is predicted."""
    target = release.target
    if isinstance(target, Periods):
        ends = ", ".join(f"{float(end):.10g}" for end in target.ends)
        return "Time and event", f"{columns['y']}, {columns.get('event')} (periods end at {ends})"
    if target is not None:
        low, high = (float(getattr(target, name, 0)) for name in ("low", "high"))
        said = f"{columns['y']} (a {target.kind} from {low:.10g} to {high:.10g})"
        return "Target column", said
    means = f"1 means: {columns.get('positive')}"
    if release.concept_class.lists_labels:
        means = f"labels: {', '.join(map(str, release.labels))}"
    return "Label column", f"{columns['y']} ({means})"


_MEANING = {
    "vc": ("VC dimension", "the largest number of points that can be labelled in all ways"),
    "littlestone": (
        "Littlestone dimension",
        "the mistakes of the best online learner; private learning is possible exactly if it is "
        "finite",
    ),
    "threshold": (
        "Threshold dimension",
        "the largest number of points on which the class contains thresholds",
    ),
}


def dimensions_page(
    concept_class: ConceptClass, found: Dimensions, pictures: Sequence[tuple[str, str]] = ()
) -> str:
    """Return a page: the dimensions of a class, in words, and pictures."""
    rows = [(*_MEANING[name], _value(value)) for name, value in vars(found).items()]
    return render(
        "dimensions",
        title=f"littlestone: dimensions of {concept_class.spec}",
        spec=concept_class.spec,
        rows=rows,
        size=_value(concept_class.size),
        pictures=pictures,
        embedded=json_in_html(
            json.dumps({"class": concept_class.spec, **found.to_dict()}, sort_keys=True)
        ),
    )


@page_maker(Dimensions)
def _page(
    found: Dimensions, concept_class: ConceptClass, pictures: Sequence[tuple[str, str]] = ()
) -> str:
    return dimensions_page(concept_class, found, pictures)


def _value(value: Any) -> str:
    if isinstance(value, Bounds):
        return str(value)
    return "infinite" if value == float("inf") else integer(int(value))


@page_maker(Verification, MechanismVerification)
def verification_page(result: Verification | MechanismVerification) -> str:
    """Return the page of one exact verification: the verdict first, then what was enumerated."""
    facts = _facts(result)
    what = (
        f"{result.learner} on {result.concept_class}"
        if isinstance(result, Verification)
        else "a mechanism"
    )
    return render(
        "audit",
        title=f"littlestone: exact verification of {what}",
        kicker="Exact verification",
        heading=what,
        holds=result.holds,
        verdict=_verdict(result),
        facts=facts,
        pair=_pair(result),
        embedded=json_in_html(json.dumps(result.to_dict(), sort_keys=True, default=str)),
    )


def _verdict(result: Verification | MechanismVerification) -> str:
    claim = f"({amount(result.epsilon)}, {amount(result.delta)})"
    if result.holds:
        return (
            f"The claim {claim} holds for every pair of neighbours that was enumerated, and every "
            "output, exactly: nothing was sampled."
        )
    return f"The claim {claim} does NOT hold: the worst pair of neighbours is below."


def _facts(result: Verification | MechanismVerification) -> list[tuple[str, str]]:
    rows = [("Claim", f"ε = {amount(result.epsilon)}, δ = {amount(result.delta)}")]
    if isinstance(result, Verification):
        data = "ordered lists" if result.ordered else "data sets"
        rows += [
            ("Learner", result.learner),
            ("Concept class", result.concept_class),
            (f"{result.unit.capitalize()} of each data set", integer(result.n_samples)),
            (data.capitalize(), integer(result.datasets)),
            ("Output laws computed", integer(result.laws)),
        ]
    else:
        rows.append(("Data sets", integer(result.datasets)))
    rows += [
        ("Pairs of neighbours", integer(result.pairs)),
        ("Paths of draws", integer(result.paths)),
        ("Worst delta found", f"{result.worst_delta:.3g}"),
        ("Tightest epsilon", f"{result.least:.6g}"),
        ("Cut off (slack)", f"{result.slack:.3g}"),
    ]
    if isinstance(result, Verification) and result.refusals:
        rows.append(("Data sets that may be refused", integer(result.refusals)))
    return rows


def _pair(result: Verification | MechanismVerification) -> Sequence[str] | None:
    if result.worst_pair is None:
        return None
    if isinstance(result, Verification):
        return [json.dumps(side) for side in result.to_dict()["worst_pair"]]
    return [repr(side) for side in result.worst_pair]
