"""ROC, calibration and confusion matrix on pages: what the released counts say, and no more."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

import littlestone as ls
from littlestone.classes import ScorecardClass, TreeEnsemble
from littlestone.classes.decision_trees import Node, TreeHypothesis
from littlestone.evaluation import Evaluation, ScoreHistogram
from littlestone.learners.release import Release
from littlestone.privacy import Guarantee, Part
from littlestone.report import page
from littlestone.report.targets import calibration_picture, roc_picture

from .checker import Checker

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30]}})
COUNTS = ((600, 0, 200), (50, 0, 150))  # of the margins -1, 0, 1
HISTOGRAM = ScoreHistogram((-1, 0, 1), COUNTS, 1000, Fraction(1), Fraction(1, 2))


def shares(svg, shape):
    """Return the places of a curve or of circles, as shares of the square."""
    square = re.search(r'<rect x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)"', svg)
    left, top, side = map(float, square.groups())
    places = re.findall(shape, svg)
    return [((float(x) - left) / side, 1 - (float(y) - top) / side) for x, y in places]


def test_the_curve_and_the_points_are_those_of_the_counts():
    evaluation = Evaluation(HISTOGRAM)
    (curve,) = re.findall(r'<path d="(M[^"]*)" style', roc_picture(evaluation))
    square = roc_picture(evaluation).partition("<path")[0]
    found = shares(square + curve, r"[ML]([0-9.]+) ([0-9.]+)")
    # above the cuts: nothing, 1, 0 and 1, everything
    rates = [rate for point in found for rate in point]
    assert rates == pytest.approx([0, 0, 0.25, 0.75, 0.25, 0.75, 1, 1], abs=1e-3)
    drawn = calibration_picture(Evaluation(HISTOGRAM, (-1, 0, 1), (0.1, 0.3, 0.8)))
    found = shares(drawn, r'<circle cx="([0-9.]+)" cy="([0-9.]+)"')
    assert found[0] == pytest.approx((0.1, 50 / 650), abs=1e-3)
    assert found[-1] == pytest.approx((0.8, 150 / 350), abs=1e-3)


def test_pages_have_them_only_where_an_evaluation_was_released():
    tree = TreeHypothesis.of(Node(SCHEMA.literals()[0], 1, 0))
    sums = TreeEnsemble((tree,), Fraction(1, 2))
    evaluated = Release(
        learner="boosting", concept_class=ScorecardClass(SCHEMA, 1), hypothesis=sums, n=1000,
        parts=(Part("learning", Guarantee(1, claim="boosting.round")),), certificate=None,
        required=None,
        evaluation=replace(HISTOGRAM, scores=(-1, 1), counts=((600, 200), (50, 150))),
        columns={"x": ["age"], "y": "ill", "positive": "1"},
    )  # fmt: skip
    text = Checker(page(evaluated)).text
    for said in (
        "ROC: area 0.750",
        "Calibration: error",
        "600 (75%) 200 (25%)",
        "50 (25%) 150 (75%)",
    ):
        assert said in text
    text = Checker(page(replace(evaluated, evaluation=None))).text
    assert not {"ROC:", "Calibration", "Confusion"} & set(text.split())


def test_no_curve_is_drawn_where_the_noise_hides_its_area():
    one_label = ScoreHistogram((-1, 0, 1), ((1, -2, 0), (650, 0, 351)), 1000, 1, Fraction(1, 2))
    evaluation = Evaluation(one_label)
    assert evaluation.auroc() is None
    assert not roc_picture(evaluation)


def test_no_calibration_error_is_said_where_the_noise_hides_it():
    as_found = Evaluation(HISTOGRAM, (-1, 0, 1), (50 / 650, 0.5, 150 / 350))
    assert "error" not in calibration_picture(as_found)
    assert "Calibration: error 0.4" in calibration_picture(
        Evaluation(HISTOGRAM, (-1, 0, 1), (0.5, 0.6, 0.9))
    )
