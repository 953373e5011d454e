"""What a released evaluation says, drawn: ROC curve, calibration, confusion matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from littlestone.classes import TreeEnsemble
from littlestone.classes.decision_trees import LeafTree
from littlestone.evaluation import Evaluation
from littlestone.report.words import integer, percent
from littlestone.svg import Element, picture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.learners.release import Release
    from littlestone.types import Json

_SIDE, _LEFT, _TOP = 200.0, 46.0, 26.0
_SHOWN = 6  # labels of a confusion matrix
_CURVE = "stroke:var(--ls-one);stroke-width:2;fill:none"


def drawn(release: Release) -> Json:
    """Return pictures and the confusion matrix of an evaluation of labels, by released counts."""
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


def _square(title: str, x: str, y: str) -> Element:
    """Return axes from 0 to 1 with their names, and the diagonal."""
    body, middle = Element("g"), _TOP + _SIDE / 2
    body.add("text", title, x=_LEFT, y=16.0, class_="ls-strong")
    body.add("rect", x=_LEFT, y=_TOP, width=_SIDE, height=_SIDE, class_="ls-axis")
    body.add("path", d=_path(((0, 0), (1, 1))), class_="ls-axis", stroke_dasharray="3 4")
    for share in (0.0, 0.5, 1.0):
        at, height = _at(share, share)
        _say(body, f"{share:g}", at, _TOP + _SIDE + 15)
        _say(body, f"{share:g}", _LEFT - 13, height + 4)
    _say(body, x, _LEFT + _SIDE / 2, _TOP + _SIDE + 31)
    _say(body, y, -middle, 13.0, transform="rotate(-90)")
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
