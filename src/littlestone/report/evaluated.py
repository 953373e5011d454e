"""What a released evaluation says: in lines of name and text, and drawn.

ROC, calibration, the confusion matrix; observed values beside predicted ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from littlestone.classes import TreeEnsemble, TreeSum
from littlestone.classes.hypotheses import constant_label
from littlestone.data.cells import spellings
from littlestone.errors import counted
from littlestone.evaluation import (
    Band,
    ErrorSums,
    Evaluation,
    Quality,
    QuantityEvaluation,
    SurvivalEvaluation,
)
from littlestone.evaluation.measures import HIDDEN, deviations, four, in_words
from littlestone.evaluation.quantities import QUANTILES, Between, least_units
from littlestone.learners.boosting.values import bounds_of
from littlestone.learners.release import Release, doubt, evaluation_of
from littlestone.privacy.guarantee import short_text
from littlestone.report.first import certifies_agnostic, listed, unit_of
from littlestone.report.html import (
    at_least,
    chart,
    html_of,
    integer,
    number,
    number_of,
    odds_factor,
    outcomes,
    path,
    percent,
    point,
    scale,
)
from littlestone.report.targets import units_of

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.data.schema import Proposal
    from littlestone.evaluation import PredictedBin
    from littlestone.privacy import Part
    from littlestone.types import Json


_RISK = Fraction(1, 20)


TOO_FEW = "too imprecise to report"


_PERIODS = 12  # whose events are said


_LEARNED = (
    "no bound for new records, because the columns were also learned from these records; a fit "
    "with a schema has one"
)


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
        on += ", assumed to be new to the model" if held_out else ", as many as those of the fit"
        on = on.replace(",,", ",")
    elif users:
        on = ("held-out records" if held_out else "records of this fit") + ", one of each user"
    else:
        on = "held-out records" if held_out else "records of this fit"

    spread = partial(in_words, form="{:.3f}".format)
    share = partial(in_words, form=partial(percent, trim=False))
    with_ = f"with epsilon {short_text(histogram.epsilon)}"
    facts = [("Evaluated on", f"{integer(histogram.n)} {on}, {with_}")]
    facts.append(("", _bands_are(own=not (histogram.held_out or scored))))
    quality = release.quality
    assert quality is not None
    facts.append(("Error rate", share(quality.error)))
    if quality.constant != quality.majority:  # else it is the same error
        rate = f"{release.labels[quality.majority]}, error rate {share(quality.baseline)}"
        facts.append(("Majority class", HIDDEN if quality.baseline.hidden else rate))
    if quality.cost is not None and quality.baseline_cost is not None:
        facts.append(("Mean cost", spread(quality.cost)))
        if quality.constant != quality.rival:  # else it is the same cost
            always = f"Mean cost of always predicting {release.labels[quality.rival]}"
            facts.append((always, spread(quality.baseline_cost)))
    facts.append(("", _compared(release, quality)))
    if release.hypothesis.ranks:
        facts.append(("AUROC", spread(evaluation.auroc())))
        error = evaluation.calibration_error()
        away = "mean absolute difference of predicted and observed proportions, corrected for noise"
        known = error and not quality.error.hidden
        facts.append(("Calibration error", f"{error:.3f} ({away})" if known else HIDDEN))
        facts += _two_answers(cast(TreeEnsemble, release.hypothesis))
    if quality.balanced_accuracy is not None:
        balanced = f"{quality.balanced_accuracy:.3f} (a point estimate, without an interval)"
        facts.append(("Balanced accuracy", balanced))
    if histogram.unlisted and matrix and not (quality.error.hidden or quality.baseline.hidden):
        facts += _by_label(release, evaluation)
    if histogram.held_out:
        bound = evaluation.error_certificate(release.answers, _RISK)
        if_so = ", if the model was not learned from these records" if scored else ""
        most = percent(math.ceil(1000 * bound) / 1000, trim=False)
        what = f"error rate at most {most} on new records, with 95% confidence{if_so}"
        what = what if bound < 1 else "no bound below 100% on the error rate for new records"
        facts.append(("Certified", what if release.independent else _LEARNED))
    return facts + _of_interval(release)


def group_rows(release: Release) -> tuple[list[str], list[list[str]]]:
    """Return what is said of public groups, as a table: its head, and a row for each group."""

    def shown(band: Band | None, kind: str) -> str:
        if band is None or band.hidden:
            return TOO_FEW
        form = four if kind in errors else "{:z.2f}".format
        return f"{form(band.value)} ({form(band.low)} to {form(band.high)})"

    errors = {
        "median": "median absolute error",
        "ninth_decile": "90th percentile of absolute errors",
    }
    of_sizes = isinstance(release.measured, QuantityEvaluation)
    kinds = {"share": "proportion of records"} | (errors if of_sizes else {"error": "error rate"})
    if release.hypothesis.ranks:
        kinds |= {"auroc": "AUROC", "calibration": "observed minus predicted"}
    if not of_sizes and len(release.labels) == 2:
        kinds["positive"] = f"proportion predicted {release.labels[1]}"
    rows = [[group.name, *(shown(getattr(group, kind), kind) for kind in kinds)]
            for group in release.groups]  # fmt: skip
    return ["group", *kinds.values()], rows


def group_facts(release: Release) -> list[tuple[str, str]]:
    """Return the same as lines (name, text)."""
    (_, *kinds), rows = group_rows(release)
    if not rows:
        return []
    facts = [("Groups", "of the evaluated records; each 95% interval holds by itself, not jointly")]
    for name, *cells in rows:
        known = dict(zip(kinds, cells, strict=True))
        few = ", ".join(kind for kind, cell in known.items() if cell == TOO_FEW)
        said = [f"{kind} {cell}" for kind, cell in known.items() if cell != TOO_FEW]
        facts.append((name, "; ".join([*said, *([f"{TOO_FEW}: {few}"] if few else [])])))
    return facts


def _two_answers(model: TreeEnsemble) -> list[tuple[str, str]]:
    """Return a line where the label and the recalibrated probability are not on one side of .5."""
    pairs = zip(model.margins, model.probabilities.tolist(), strict=True)
    apart = [p for margin, p in pairs if (p - 0.5) * (margin - 0.5) < 0 and f"{p:.3f}" != "0.500"]
    if not apart:
        return []
    ends = " to ".join(f"{p:.3f}" for p in sorted({min(apart), max(apart)}))
    said = (
        "the probabilities were recalibrated, but the threshold for predicting a label was not; so "
        f"where the probability is {ends}, the less probable label is predicted"
    )
    return [("Recalibration", said)]


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
    on = f"held-out {unit}" if sums.held_out else f"{unit} of this fit"
    facts = [("Evaluated on", f"{integer(sums.n)} {on}, with epsilon {short_text(sums.epsilon)}")]
    found = QuantityEvaluation(sums)
    scored = release.spent is None
    facts.append(("", _bands_are(own=not (sums.held_out or scored))))
    bands, cut = found.bands, f", errors truncated at {four(float(sums.reach))}"
    heavy = any(isinstance(band, Between) for band in bands.values())
    far = four(float(sums.far))
    for of, band in bands.items():
        reach = four(float(sums.reach))
        name = _MEASURES[of].format(reach=reach, far=far, unit=unit.capitalize())
        if heavy and of in ("r2", "pinball_explained"):
            name += cut
        form = "{:z.3f}".format if of in (*_PROPORTIONS, "beyond", "coverage") else four
        facts.append((name, in_words(band, "{:,.0f}".format if of == "with_target" else form)))
    return [*facts, _by_prediction(found, unit)]


def _bands_are(*, own: bool) -> str:
    """Say once what all intervals are for, and whose records they are of."""
    looks = ". On these records, a model is usually more accurate than on new ones" if own else ""
    return f"Intervals account for noise and sampling{looks}."


_CALIBRATION = "Calibration by prediction"


def _by_prediction(found: QuantityEvaluation, unit: str) -> tuple[str, str]:
    """Return how what was observed differs from predictions, in bins of these, or why not."""
    bins, sums = found.predicted_observed, found.sums
    if not bins:
        least = least_units(sums.epsilon)
        which, epsilon = f"held-out {unit}" if sums.held_out else unit, short_text(sums.epsilon)
        needs = f"not reported: at epsilon {epsilon}, it needs {integer(least)} {which}"
        return (_CALIBRATION, needs)
    form, named = four, "observed mean minus prediction"
    bands = [(each.observed, each.predicted) for each in bins]
    if sums.kind == "quantile":
        form, named, bands = "{:.3f}".format, "coverage", [(each.below, 0.0) for each in bins]
    low, high = (end(band.value - at for band, at in bands) for end in (min, max))
    noise = max(band.half_width for band, _ in bands)
    text = f"{named} from {form(low)} to {form(high)} in {counted(len(bins), 'bins')}"
    return (_CALIBRATION, f"{text} (95% margin of error at most {form(noise)} in each bin)")


def _of_survival(release: Release, found: SurvivalEvaluation) -> list[tuple[str, str]]:
    """Return the concordance, and the events of each period."""
    histogram, unit = found.histogram, unit_of(release)
    of = "" if unit == "records" else ", one record of each"
    held_out = release.evaluation is not None and release.evaluation.held_out
    on = f"held-out {unit}{of}" if held_out else f"{unit} of this fit{of}"

    def spread(band: Band, digits: int = 0, before: str = "") -> str:
        low, value, high = (f"{x:,.{digits}f}" for x in (band.low, band.value, band.high))
        return f"{value} ({before}{low} to {high})"

    def events(band: Band) -> str:
        return HIDDEN if band.low <= 0 and band.high >= histogram.n else spread(band)

    value = HIDDEN if found.hidden else spread(found.concordance, 3, "95% CI ")
    bins, epsilon = number_of(len(histogram.scores), "bins"), short_text(histogram.epsilon)
    about = [
        ("", f"from {bins} of risk, over pairs that the periods distinguish"),
        ("", _bands_are(own=not held_out).replace("Intervals account", "This interval accounts")),
    ]
    facts = [
        ("Evaluated on", f"{integer(histogram.n)} {on}, with epsilon {epsilon}"),
        ("Concordance", value),
        *([] if found.hidden else about),
        ("Events", "numbers in each period; their 95% intervals account for noise only"),
    ]
    units = units_of((release.columns or {}).get("y", ""))
    for start, period in zip((0.0, *found.ends), found.calibration[:_PERIODS], strict=False):
        text = f"observed {events(period.observed)}, predicted {events(period.predicted)}"
        step = f"{start:.10g} to {period.end:.10g} {units}".rstrip()
        facts.append(("", f"{step}: {text}"))
    if len(found.calibration) > _PERIODS:
        facts.append(("", "further periods are in the output of --json"))
    return facts


def _of_interval(release: Release) -> list[tuple[str, str]]:
    """Return how wide the intervals or sets are, and what they cover."""
    conformal, model = release.interval, release.hypothesis
    if conformal is None or model.width is None:
        return []
    unit = unit_of(release)
    which = "a record of a new user" if unit == "users" else "a new record"
    if model.target is not None:
        part = cast(TreeSum, model).parts[1]
        name, near = "Prediction interval", f"prediction ± {four(model.width * part)}"
    else:
        name, near = "Prediction set", labels_in_set(cast(TreeEnsemble, model), model.width)
        which = f"the label of {which}"
        if not isinstance(release.measured, Evaluation) or release.measured.histogram.unlisted:
            which += ", if it is listed,"
    share = percent(conformal.share(_RISK), rounded=math.floor)
    epsilon = short_text(conformal.epsilon)
    from_ = f"calibrated on {integer(conformal.m)} held-out {unit}, with epsilon {epsilon}"
    covers = (
        f"covers {which} with probability at least {at_least(1 - conformal.alpha)}; with 95% "
        f"confidence, the coverage of this release is at least {share}"
    )
    covers = covers if release.columns_apart else _LEARNED
    return [(name, f"{near}; {from_}"), ("", covers)]


def labels_in_set(model: TreeEnsemble, width: int) -> str:
    """Say which labels are in a set, in the unit of the words of the model."""
    base, unit, most = model.start[1] - model.start[0], 1, -1
    if width == bounds_of(None)[-1]:
        return "all listed labels"
    if model.additive:
        bases, points = model.summed()
        base, unit = int(bases[0]), model.unit(bases, points)
        most = sum(int(own.max()) for own in points.values()) // unit
    if not model.binary:
        below = f"whose score is at most {width} lower"
        if model.additive:
            below = f"with at most {counted(width // unit, 'points')} fewer"
        return f"the predicted label, and every label {below}"
    low, high = -((width + base) // unit), (width - base) // unit  # margin: base + unit score
    low, high = (max(low, 0), min(high, most)) if model.additive else (low, high)
    what = "points sum to" if model.additive else "score is from"
    return f"both labels if the {what} {low} to {high}, otherwise the predicted label"


_PROPORTIONS = ("r2", "deviance_explained", "pinball_explained")
_MEASURES = {
    "with_target": "{unit} with a numeric target",
    "median": "Median absolute error",
    "ninth_decile": "90th percentile of absolute errors",
    "beyond": "Proportion of absolute errors above {reach}",
    "mae": "Mean absolute error",
    "rmse": "Root mean square error",
    "r2": "R2",
    "deviance": "Poisson deviance, truncated at {far} for each record",
    "deviance_explained": "Deviance explained",
    "pinball": "Pinball loss",
    "pinball_explained": "Pinball loss explained",
    "coverage": "Coverage",
}


def _by_label(release: Release, evaluation: Evaluation) -> list[tuple[str, str]]:
    """Return the confusion matrix by the noisy counts: a line for each true label."""
    names = [*map(str, release.labels), "unlisted label"]
    lines = []
    for i, row in enumerate(evaluation.printed_confusion(release.answers)):
        answered = ", ".join(
            f"{label} {integer(count)}" for label, count in zip(names, row, strict=False)
        )
        lines.append(("Confusion matrix" if i == 0 else "", f"{names[i]}: predicted {answered}"))
    return lines


_UNKNOWN = dict.fromkeys(("AUROC", "Concordance"), "how well the model ranks risks")
_UNKNOWN |= {"Calibration error": "how well calibrated the probabilities are", "R2": "what R2 is"}
_UNKNOWN["Poisson deviance"] = "what the Poisson deviance is"


def hidden_words(facts: Sequence[tuple[str, str]]) -> str:
    """Say in a sentence what the noise hides; nothing if it hides nothing."""
    names = [name.split(",")[0] for name, text in facts if text == HIDDEN and name]
    said = [_UNKNOWN.get(name, f"what the {name[:1].lower()}{name[1:]} is") for name in names]
    return f"The noise is too large to say {listed(said, 'or')}." if said else ""


def _compared(release: Release, quality: Quality) -> str:
    """Say in words how a rule compares with the best constant."""
    rival = release.labels[quality.rival]
    rival = "the same label" if quality.baseline.hidden else f"{rival!r}"
    if quality.constant is not None:
        return f"The rule is a constant: it always predicts {release.labels[quality.constant]}."
    if quality.better is None:
        better = "has a lower error rate" if quality.cost is None else "has a lower mean cost"
        return f"It is not clear that the rule {better} than always predicting {rival}."
    verbs = ("has a lower error rate", "does not have a lower error rate")
    if quality.cost is not None:
        verbs = ("has a lower mean cost", "does not have a lower mean cost")
    return f"The rule {verbs[not quality.better]} than always predicting {rival}."


# -- drawn ----------------------------------------------------------------------------------------


_SHOWN = 6  # labels of a confusion matrix


_SHARES = [(f"{share:g}", 100 * share) for share in (0.0, 0.5, 1.0)]


def drawn(release: Release) -> Json:
    """Return figures and the confusion matrix of an evaluation, by released counts."""
    if isinstance(release.evaluation, ErrorSums):
        figures = _observed(release, release.evaluation)
        return {"curves": list(map(html_of, figures)), "confusion": None}
    histogram, quality = release.counts, release.quality
    if histogram is None or (quality is not None and quality.error.hidden):
        return {"curves": [], "confusion": None}
    hypothesis = release.hypothesis
    curves: list[Json | None] = []
    evaluation = evaluation_of(histogram, hypothesis)
    vague = quality is not None and quality.baseline.hidden
    if hypothesis.ranks:
        curves = [roc(evaluation), calibration(evaluation, outcomes(release)[0])]
    return {
        "curves": [html_of(curve) for curve in curves if curve],
        "confusion": None if vague else _confusion(release, evaluation),
    }


def roc(evaluation: Evaluation) -> Json | None:
    """Draw the ROC curve and its band; None if noise hides its area."""
    area = evaluation.auroc()
    if area is None:
        return None
    upper, lower = evaluation.roc_band()
    band = path([*upper, *reversed(lower)], "Z")
    paths = [("band", band), ("dash", path([(0, 0), (1, 1)])), ("curve", path(evaluation.roc()))]
    words = f"ROC curve from the noisy counts: AUROC {in_words(area, '{:.3f}'.format)}. "
    words += "Shaded: 95% band. Dashed: chance."
    return chart(
        f"ROC curve: AUROC {area.value:.3f}", words, paths, x=_SHARES, y=_SHARES, square=True,
        x_name="false positive rate", y_name="sensitivity",
    )  # fmt: skip


def calibration(evaluation: Evaluation, positive: str) -> Json:
    """Draw how often label 1 was found where which probability was predicted."""
    away = evaluation.calibration_error()
    bins = evaluation.calibration()
    points = [
        mark
        for own in bins
        for mark in point(own.predicted, own.found.low, own.found.value, own.found.high)
    ]
    words = "; ".join(
        f"{percent(own.predicted, 0)} predicted, {percent(own.found.value, 0)} observed"
        for own in bins
    )
    return chart(
        f"Calibration: error {away:.3f}" if away else "Calibration", words,
        [("dash", path([(0, 0), (1, 1)])), *points], x=_SHARES, y=_SHARES, square=True,
        x_name="predicted probability", y_name=f"observed: {positive}",
    )  # fmt: skip


def _observed(release: Release, sums: ErrorSums) -> list[Json]:
    """Draw what was observed where which value was predicted; of a quantile its coverage too."""
    bins = QuantityEvaluation(sums).predicted_observed
    if not bins:
        return []
    quantile = getattr(release.hypothesis, "quantile", None) if sums.kind == "quantile" else None
    if quantile is None:
        return [observed(bins, means=True)]
    return [observed(bins, means=False), coverage(bins, float(quantile))]


def observed(bins: Sequence[PredictedBin], *, means: bool) -> Json:
    """Draw quantiles, and means with bands, of what was observed against what was predicted."""
    values = [x for own in bins for x in own.quantiles]
    values += [own.observed.value for own in bins] if means else []
    (left, right), (low, high) = (bins[0].low, bins[-1].high), (min(values), max(values))
    wide, tall = (right - left) or 1.0, (high - low) or 1.0

    def share(value: float) -> float:
        return min(1.0, max(0.0, (value - low) / tall))

    places = [(own.predicted - left) / wide for own in bins]
    fans = [
        [(x, share(own.quantiles[i])) for x, own in zip(places, bins, strict=True)]
        for i in range(5)
    ]
    paths = [
        (kind, path([*fans[i], *reversed(fans[4 - i])], "Z"))
        for i, kind in ((0, "band"), (1, "inner"))
    ]
    ends = (max(left, low), min(right, high))
    if ends[0] < ends[1]:
        paths.append(("dash", path(((end - left) / wide, share(end)) for end in ends)))
    paths.append(("curve", path(fans[2])))
    for x, own in zip(places, bins, strict=True) if means else ():
        band = own.observed
        paths += point(x, share(band.low), share(band.value), share(band.high))
    return chart(
        "Observed values by prediction", _bins_in_words(bins, tall, means=means), paths,
        square=True,
        x=scale(left, right), y=scale(low, high), x_name="predicted", y_name="observed",
    )  # fmt: skip


def coverage(bins: Sequence[PredictedBin], quantile: float) -> Json:
    """Draw the share of targets that are at most their prediction, for bins of the prediction."""
    low, high = bins[0].low, bins[-1].high
    spread = (high - low) or 1.0
    paths = [("dash", path([(0, quantile), (1, quantile)]))]
    for own in bins:
        x = (own.predicted - low) / spread
        paths += point(x, own.below.low, own.below.value, own.below.high)
    words = "; ".join(
        f"{number(own.predicted, spread)}: {percent(own.below.value, 0)}" for own in bins
    )
    return chart(
        "Coverage by prediction", f"{words}; nominal {percent(quantile, 0)}", paths, square=True,
        x=scale(low, high), y=_SHARES, x_name="predicted",
    )  # fmt: skip


def _bins_in_words(bins: Sequence[PredictedBin], spread: float, *, means: bool) -> str:
    """Return a sentence for each bin, for readers who do not see the picture."""
    lines = []
    for own in bins:
        says = [f"quantile {q:g} {number(x, spread)}"
                for q, x in zip(QUANTILES, own.quantiles, strict=True)]  # fmt: skip
        if means:
            ends = " to ".join(number(x, spread) for x in (own.observed.low, own.observed.high))
            says.insert(0, f"mean {number(own.observed.value, spread)} ({ends})")
        lines.append(f"{number(own.predicted, spread)} predicted: {', '.join(says)}")
    return "; ".join(lines)


def _confusion(release: Release, evaluation: Evaluation) -> Json | None:
    """Return the confusion matrix: for each true label its noisy counts and shares by answer."""
    names = [*map(str, release.labels), "unlisted label"]
    counts = evaluation.printed_confusion(release.answers)
    if len(release.labels) > _SHOWN:
        return None
    cells = evaluation.histogram.noise * max(map(release.answers.count, release.answers))
    far = deviations(0.05) * math.sqrt(cells)  # a little less, since all together are n
    rows = []
    for name, row in zip(names, counts, strict=False):
        total, seen = sum(row) or 1, sum(row) > 4 * far  # shares that the noise does not hide
        rows.append((name, [(integer(n), _whole(n / total) if seen else "") for n in row]))
    said = "Noisy counts below 0 are shown as 0; the table does not say which. The noise of each "
    said += f"count is about ±{integer(math.ceil(far))} (95%). {_sensitivity(release, counts, far)}"
    return {"labels": names[: len(release.labels)], "rows": rows, "note": said.strip()}


def _whole(share: float) -> str:
    """Return a noisy share in whole percent; 0% and 100% are exact."""
    if 0 < share < 0.005:
        return "less than 1%"
    return "more than 99%" if 0.995 < share < 1 else f"{share:.0%}"


def _sensitivity(release: Release, counts: Sequence[Sequence[int]], far: float) -> str:
    """Say sensitivity and specificity in words; nothing where the noise hides them."""
    quality, totals = release.quality, [sum(row) for row in counts[:2]]
    known = quality is not None and quality.balanced_accuracy is not None
    if len(release.labels) != 2 or not known or 4 * far >= min(totals):
        return ""
    where = "At this threshold," if release.hypothesis.ranks else "By these counts,"
    none, one = (
        f"{_whole(counts[y][y] / total)} (±{math.ceil(100 * far / total)}) of the records with "
        f"label {label} are predicted as {label}"
        for y, (total, label) in enumerate(zip(totals, release.labels, strict=True))
    )
    return f"{where} {one} (sensitivity), and {none} (specificity); noise (±) in percentage points."


# -- A release in lines of name and text, and all of them together: functions of the release only.


def doubt_facts(release: Release, positive: str | list[str] | None = None) -> list[tuple[str, str]]:
    """Return a line that says so, if perhaps the column that is predicted means something else."""
    return [("Caution", said)] if (said := doubt(release, positive)) else []


def coefficient_facts(release: Release) -> list[tuple[str, str]]:
    """Return the coefficients of a regression beside the model, with 95 % intervals."""
    found = getattr(release.hypothesis, "coefficients", None)
    if found is None:
        return []
    facts = []
    about = zip(found.terms, found.units, found.references, strict=True)
    ends = found.intervals(0.95).tolist()
    for (term, unit, reference), odds, (low, high) in zip(about, found.values, ends, strict=True):
        of = f" per {unit} units" if unit not in ("", "1") else ""
        beside = f", relative to {reference}" if unit == "1" else ""
        spread = f" (95% CI {low:+.3f} to {high:+.3f})" if found.printed else ""
        name = "Log odds ratio" if unit else "Log odds"
        facts.append((f"{name}, {term}", f"{odds:+.3f}{spread}{of}{beside}"))
        if unit and found.printed:
            with np.errstate(over="ignore"):  # in a file that says nonsense
                ratio, least, most = np.exp([odds, low, high]).tolist()
            shown = f"{ratio:.3g} (95% CI {least:.3g} to {most:.3g})"
            facts.append((f"Odds ratio, {term}", f"{shown}{of}{beside}"))
    lines = "These intervals account for noise and sampling."
    if not found.printed:
        lines = "no confidence intervals, because these effects are hidden by noise"
    facts.append(("", lines))
    return facts


def spent_facts(release: Release) -> list[tuple[str, str]]:
    """Return what the guarantee was spent on, the evaluation last; decimals are rounded up.

    Beside several parts of a document: what its learning was spent on, and no part again.
    """
    kind = "set" if release.target is None else "interval"
    apart = {"interval": f"Prediction {kind}", "evaluation": "Evaluation"}
    spent = sorted((release.spent or {}).items(), key=lambda item: (item[0] in apart, item))
    if len(release.parts) > 1:
        parts = {part.what for part in release.parts}
        spent = [(apart.get(what, f"Learning, {_SAID.get(what, what)}"), text)
                 for what, text in spent if what not in parts]  # fmt: skip
    facts = []
    for what, text in spent:
        exact = what in apart or what in apart.values()  # as it is said elsewhere
        digits = (lambda found: short_text(Fraction(found[0]))) if exact else _rounded_up
        words = _SPENT.sub(_spent_words, _FRACTION.sub(digits, text))
        words = re.sub(", (?=rho|epsilon|delta)", " and ", words)
        facts.append((what[:1].upper() + what[1:], words))
    return facts


def spent_note(release: Release) -> list[tuple[str, str]]:
    """Return a line that explains why the parts exceed the whole, if they may."""
    if release.payment.delta and any(
        "bounded range" in text for text in (release.spent or {}).values()
    ):
        return [("", "With a delta, the parts together cost less than the sum of their epsilons.")]
    return []


_FRACTION = re.compile(r"([0-9]+)/([0-9]+)")
#: Words for what a record names in short.
_SAID = {"counts of columns": "counts by column and label", "last factor": "correction of the mean",
         "counts": "clipping and sum of the counts"}  # fmt: skip
_THREE_DIGITS = Context(prec=3, rounding=ROUND_CEILING)


def _rounded_up(found: re.Match[str]) -> str:
    return f"{float(_THREE_DIGITS.divide(Decimal(found[1]), Decimal(found[2]))):.3g}"


def proposal_facts(
    parts: Sequence[Part], proposal: Proposal | None, *, sets: bool = False
) -> list[tuple[str, str]]:
    """Return what each part cost, and where the columns come from, in lines (name, text)."""
    facts = []
    if len(parts) > 1:
        for part in parts:
            name = part.what.replace(
                "interval", "prediction set" if sets else "prediction interval"
            )
            facts.append((name.capitalize(), f"{part.guarantee}, for {part.payers}"))
    if proposal is not None:
        n = number_of(proposal.n, "records")
        facts.append(("Records", f"the columns were learned from {n}"))
        if proposal.declared:
            facts.append(("Types", taken_as_public(proposal.declared)))
    return facts


def taken_as_public(columns: Sequence[str]) -> str:
    """Say that the types of columns were taken as public, and when they are not."""
    return (
        f"those of {', '.join(columns)} are treated as public, because they are declared (by the "
        "file, the data frame or bounds). If a data frame inferred them from the records, that "
        "inference is not private"
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
            f"The rule always predicts {release.labels[constant]}. The certificate does not imply "
            "that the columns help to predict the label. The command littlestone check reports "
            "how cells and labels are read, at an additional cost in epsilon."
        )
    alpha = float(certificate.alpha)
    if release.costs is not None:
        alpha *= float(release.costs.largest * release.costs.unit)
    if found is None or found.baseline.hidden or not found.met_by_a_constant(alpha):
        return ""
    return (
        f"Always predicting {release.labels[found.rival]} also seems to satisfy the certificate, "
        "so the certificate does not imply that the rule is better."
    )


def accuracy_asked(certificate: Certificate) -> str:
    """Say what alpha bounds, in words.

    A certificate for the agnostic case bounds the error above the best of the class.
    """
    alpha = percent(certificate.alpha)
    if "exp-mech.cost" in certificate.claims:
        cost = f"{float(certificate['cost']):.4g}"
        if certifies_agnostic(certificate):
            return f"a mean cost on new records at most {cost} above the lowest in the class"
        return f"a mean cost on new records of at most {cost}"
    if certifies_agnostic(certificate):
        points = alpha.removesuffix("%")
        return (
            f"an error rate on new records at most {points} percentage points above that of the "
            "best concept of the class"
        )
    return f"an error rate on new records of at most {alpha}"


def meaning(release: Release) -> str:
    """Say what x, 1 and 0 stand for, in the public names of what was read; or nothing."""
    columns = release.columns or {}
    if not columns.get("y"):
        return ""
    if release.concept_class.lists_labels or release.target is not None:
        return ""
    positive, _ = outcomes(release)
    x = columns.get("x") or []
    rows = release.concept_class.row_schema is not None  # said by the column's own name
    named = f"x is {x[0]}; " if len(x) == 1 and x != ["x"] and not rows else ""
    # they are read as the number 1
    also = ", true or yes" if "1" in spellings(columns.get("positive")) else ""
    return f"{named}label 1: {positive}{also}; label 0: any other value"


# -- what `littlestone fit` prints ----------------------------------------------------------------


_WIDE = 0.05  # of an error: half of an interval that says little


def summary(release: Release) -> list[tuple[str, ...]]:
    """Return the lines that ``littlestone fit`` prints: (name, text), or with a style."""
    guarantee, certificate = release.guarantee, release.certificate
    rows: list[tuple[str, ...]]
    rows = [(name, text, "yellow") for name, text in doubt_facts(release)]
    what = "Rule" if release.target is None else "Prediction"
    rows.append((what, release.hypothesis.describe(), "bold"))
    if meaning(release):
        rows.append(("", meaning(release)))
    rows.append(("Guarantee", str(guarantee), "red" if guarantee.seeded else ""))
    if guarantee.seeded:
        rows.append(
            ("", "Anyone who knows the seed can undo the protection: do not publish this.", "red")
        )
    elif guarantee.pure:
        factor, who = odds_factor(guarantee.epsilon), guarantee.neighbours.unit
        odds = f"for someone who knows all other {who}s, this release changes the odds of any "
        rows.append(("", f"{odds}statement about one {who} by a factor of at most {factor}"))
    rows += _certified(release) if certificate is not None else []
    rows += proposal_facts(release.parts, release.proposal, sets=release.target is None)
    rows += coefficient_facts(release)
    rows += [*evaluation_facts(release), *group_facts(release)]
    rows += [("Accuracy", release.not_evaluated)] if release.not_evaluated else []
    rows += _narrower(release)
    rows += [("Protocol", release.planned)] if release.planned else []
    rows += [
        ("Spent" if not i else "", f"{what}: {part}")
        for i, (what, part) in enumerate(spent_facts(release))
    ]
    return rows + spent_note(release)


_SPENT = re.compile(r"(bounded range|zCDP) (\S+?( each)?)(?=,|$| \()")


def _spent_words(found: re.Match[str]) -> str:
    """Say in words what a record says in the terms of its proof; bounded range implies epsilon."""
    if found[1] == "bounded range":
        return f"epsilon {found[2]}"
    return f"rho {found[2]} (zero-concentrated differential privacy)"


def _certified(release: Release) -> list[tuple[str, ...]]:
    """Return the lines about the certificate."""
    certificate, required = release.certificate, release.required
    assert certificate is not None
    assert required is not None
    rows: list[tuple[str, ...]] = []
    unit = certificate.unit
    chance = at_least(1 - certificate.beta)
    rows.append(("Required", f"{accuracy_asked(certificate)}, with probability at least {chance}"))
    needed = number_of(required, unit)
    if release.n is None:
        rows.append(("Needed", f"{needed}; their number is secret"))
        rows.append(("Certificate", "holds if there are that many"))
        return rows
    rows.append(("Needed", f"{needed}; there are {integer(release.n)}"))
    if certificate.holds:
        beside = beside_constants(release)
        style = "yellow" if beside else "green"
        rows.append(("Certificate", certificate.verdict, style))
        rows += [("", beside, "yellow")] if beside else []
    elif release.proposal is not None:
        text = "does not hold: the columns were learned from records, so the class depends on them"
        rows.append(("Certificate", text, "yellow"))
    else:
        text = "does not hold: too few records for this alpha and beta"
        rows.append(("Certificate", text, "yellow"))
    return rows


def _narrower(release: Release) -> list[tuple[str, ...]]:
    """Return how another fit would know the error better, if it is known badly."""
    found = release.quality
    if release.evaluation is None or found is None or found.error.half_width <= _WIDE:
        return []
    points = percent(found.error.half_width).removesuffix("%")
    more = "--holdout or --evaluate" if release.evaluation.held_out else "--evaluate"
    has = f"the error rate has a 95% margin of error of {points} percentage points"
    has = "the error rate is hidden by noise" if found.error.hidden else has
    text = f"{has}; another fit with a larger {more} would be more precise, but would cost epsilon"
    return [("Precision", text)]


def plain(release: Release) -> str:
    """Return the same as plain text: an observer for exact verification."""
    return "\n".join(f"{name}: {text}" for name, text, *_ in summary(release))
