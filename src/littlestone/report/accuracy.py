"""What a released evaluation says, drawn: ROC, calibration, confusion matrix; observed values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from markupsafe import Markup

from littlestone.classes import TreeEnsemble
from littlestone.classes.decision_trees import LeafTree
from littlestone.evaluation import ErrorSums, Evaluation, QuantityEvaluation
from littlestone.evaluation.observed import QUANTILES
from littlestone.report.targets import number, ticks
from littlestone.report.words import integer, percent
from littlestone.svg import Element, picture, text_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.evaluation import PredictedBin
    from littlestone.learners.release import Release
    from littlestone.types import Json

_SIDE, _LEFT, _TOP = 200.0, 46.0, 26.0
_SHOWN = 6  # labels of a confusion matrix
_CURVE = "stroke:var(--ls-one);stroke-width:2;fill:none"


def drawn(release: Release) -> Json:
    """Return pictures and the confusion matrix of an evaluation, by released counts."""
    if isinstance(release.evaluation, ErrorSums):
        return {"curves": _observed(release, release.evaluation), "confusion": None}
    histogram = release.counts
    if histogram is None:
        return {"curves": [], "confusion": None}
    evaluation, hypothesis, curves = Evaluation(histogram), release.hypothesis, []
    if isinstance(hypothesis, TreeEnsemble) and hypothesis.binary:
        curves = [roc_picture(evaluation)]
        curves.append(calibration_picture(evaluation, hypothesis.probabilities.tolist()))
    elif isinstance(hypothesis, LeafTree) and not histogram.unlisted:
        curves = [roc_picture(evaluation.ranked())]
    # escaped by littlestone.svg
    return {
        "curves": [Markup(curve) for curve in curves],  # noqa: S704
        "confusion": _confusion(release, evaluation),
    }


def roc_picture(evaluation: Evaluation) -> str:
    """Draw the ROC curve."""
    area = f"ROC: area {evaluation.auroc().value:.3f}"
    body = _square(area, "label 0 answered 1 (false positives)", "label 1 answered 1 (true)")
    body.add("path", d=_path(evaluation.roc()), style=_CURVE)
    return _picture(body, area, "The ROC curve by the noisy counts; the dashed line is chance.")


def calibration_picture(evaluation: Evaluation, probabilities: Sequence[float]) -> str:
    """Draw how often label 1 was found where which probability was predicted."""
    error = f"Calibration: error {evaluation.calibration_error(probabilities):.3f}"
    body = _square(error, "predicted probability of 1", "share of 1 found")
    for found in evaluation.calibration(probabilities):
        x, low = _at(found.predicted, found.found.low)
        _, high = _at(0, found.found.high)
        body.add("path", d=f"M{x:.1f} {low:.1f}V{high:.1f}", class_="ls-axis")
        _, y = _at(0, found.found.value)
        body.add("circle", cx=x, cy=y, r=3.5, class_="ls-one")
    words = "Each point is a group of scores, with its 95% interval; on the dashed line both agree."
    return _picture(body, error, words)


def _observed(release: Release, sums: ErrorSums) -> list[Markup]:
    """Draw what was observed where which value was predicted; of a quantile its coverage too."""
    bins = QuantityEvaluation(sums).predicted_observed
    if not bins:
        return []
    quantile = getattr(release.hypothesis, "quantile", None) if sums.kind == "quantile" else None
    found = [observed_picture(bins, means=quantile is None)]
    if quantile is not None:
        found.append(coverage_picture(bins, float(quantile)))
    return [Markup(drawn) for drawn in found]  # noqa: S704 - escaped by littlestone.svg


def observed_picture(bins: Sequence[PredictedBin], *, means: bool) -> str:
    """Draw quantiles, and means with bands, of what was observed against what was predicted."""
    values = [x for own in bins for x in own.quantiles]
    values += [own.observed.value for own in bins] if means else []
    (left, right), (low, high) = (bins[0].low, bins[-1].high), (min(values), max(values))
    wide, tall = (right - left) or 1.0, (high - low) or 1.0

    def share(value: float) -> float:
        return min(1.0, max(0.0, (value - low) / tall))

    def place(own: PredictedBin) -> float:
        return (own.predicted - left) / wide

    body = _axes("Observed by prediction", "predicted", _marks(left, right), _marks(low, high))
    fans = [[(place(own), share(own.quantiles[i])) for own in bins] for i in range(5)]
    for i, style in ((0, "fill:var(--ls-chip)"), (1, "fill:var(--ls-edge)")):
        body.add("path", d=_path([*fans[i], *reversed(fans[4 - i])]) + "Z", style=style)
    ends = (max(left, low), min(right, high))
    if ends[0] < ends[1]:
        line = [((value - left) / wide, share(value)) for value in ends]
        body.add("path", d=_path(line), class_="ls-axis", stroke_dasharray="3 4")
    body.add("path", d=_path(fans[2]), style=_CURVE)
    for own in bins if means else ():
        x, y = _at(place(own), share(own.observed.value))
        (_, bottom), (_, top) = (
            _at(0, share(end)) for end in (own.observed.low, own.observed.high)
        )
        body.add("path", d=f"M{x:.1f} {bottom:.1f}V{top:.1f}", class_="ls-axis")
        body.add("circle", cx=x, cy=y, r=3.5, class_="ls-one")
    return _picture(body, "Observed by prediction", _bins_in_words(bins, tall, means=means))


def coverage_picture(bins: Sequence[PredictedBin], quantile: float) -> str:
    """Draw the share of targets that are at most their prediction, for bins of the prediction."""
    low, high = bins[0].low, bins[-1].high
    scale = (high - low) or 1.0
    shares = [(f"{share:g}", share) for share in (0.0, 0.5, 1.0)]
    body = _axes("Coverage by prediction", "predicted", _marks(low, high), shares)
    dashed = {"class_": "ls-axis", "stroke_dasharray": "3 4"}
    body.add("path", d=_path(((0, quantile), (1, quantile))), **dashed)
    for own in bins:
        x, y = _at((own.predicted - low) / scale, own.below.value)
        (_, bottom), (_, top) = (_at(0, end) for end in (own.below.low, own.below.high))
        body.add("path", d=f"M{x:.1f} {bottom:.1f}V{top:.1f}", class_="ls-axis")
        body.add("circle", cx=x, cy=y, r=3.5, class_="ls-one")
    words = "; ".join(
        f"{number(own.predicted, scale)}: {percent(own.below.value, 0)}" for own in bins
    )
    return _picture(body, "Coverage by prediction", f"{words}; wanted {percent(quantile, 0)}")


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


def _marks(low: float, high: float) -> list[tuple[str, float]]:
    """Return round numbers of a range, written shortly, with their places in it."""
    scale, found = (high - low) or 1.0, list[tuple[str, float]]()
    for tick in ticks(low, high):
        text = number(tick, high - low)
        short = f"{tick:.3g}".replace("e+0", "e")
        found.append((text if len(text) <= 6 else short, (tick - low) / scale))
    longest = max(text_width(text, 12) for text, _ in found) + 4
    return found[:: math.ceil(longest * len(found) / _SIDE)]


def _square(title: str, x: str, y: str) -> Element:
    """Return axes from 0 to 1 with their names, and the diagonal."""
    shares = [(f"{share:g}", share) for share in (0.0, 0.5, 1.0)]
    body = _axes(title, x, shares, shares)
    body.add("path", d=_path(((0, 0), (1, 1))), class_="ls-axis", stroke_dasharray="3 4")
    _say(body, y, -(_TOP + _SIDE / 2), 13.0, transform="rotate(-90)")
    return body


def _axes(
    title: str, x: str, along: Sequence[tuple[str, float]], up: Sequence[tuple[str, float]]
) -> Element:
    """Return a frame with a title, a name below, and what is written at which shares."""
    body = Element("g")
    body.add("text", title, x=_LEFT, y=16.0, class_="ls-strong")
    body.add("rect", x=_LEFT, y=_TOP, width=_SIDE, height=_SIDE, class_="ls-axis")
    for text, share in along:
        end = _LEFT + _SIDE + 12 - text_width(text, 12) / 2
        _say(body, text, min(_at(share, 0)[0], end), _TOP + _SIDE + 15)
    for text, share in up:
        body.add("text", text, x=_LEFT - 5, y=_at(0, share)[1] + 4, text_anchor="end",
                 class_="ls-dim ls-small")  # fmt: skip
    _say(body, x, _LEFT + _SIDE / 2, _TOP + _SIDE + 31)
    return body


def _say(body: Element, text: str, x: float, y: float, **more: str) -> None:
    body.add("text", text, x=x, y=y, text_anchor="middle", class_="ls-dim ls-small", **more)


def _at(x: float, y: float) -> tuple[float, float]:
    return _LEFT + _SIDE * x, _TOP + _SIDE * (1 - y)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join("{:.1f} {:.1f}".format(*_at(*point)) for point in points)


def _picture(body: Element, title: str, desc: str) -> str:
    return picture(body, width=_LEFT + _SIDE + 14, height=_TOP + _SIDE + 38, title=title, desc=desc)


def _confusion(release: Release, evaluation: Evaluation) -> Json | None:
    """Return the confusion matrix: for each true label its noisy counts and shares by answer."""
    names = [*map(str, release.labels), "no listed label"]
    counts = evaluation.confusion_matrix(release.answers)
    if len(release.labels) > _SHOWN:
        return None
    rows = []
    for name, row in zip(names, counts, strict=False):
        kept = [max(0, round(count)) for count in row]
        total = sum(kept) or 1
        rows.append((name, [(integer(count), percent(count / total, 0)) for count in kept]))
    return {"labels": names[: len(release.labels)], "rows": rows}
