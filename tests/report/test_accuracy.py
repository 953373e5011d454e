"""ROC, calibration and confusion matrix on pages: what the released counts say, and no more."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import ScorecardClass, TreeEnsemble
from littlestone.classes.decision_trees import Node, TreeHypothesis
from littlestone.data.histogram import Groups
from littlestone.evaluation import Evaluation, ScoreHistogram
from littlestone.evaluation.histogram import Grouped
from littlestone.learners.release import Release
from littlestone.privacy import Guarantee, Part
from littlestone.report import page
from littlestone.report.evaluated import calibration, roc

from .checker import Checker

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30]}})
COUNTS = ((600, 0, 200), (50, 0, 150))  # of the margins -1, 0, 1
HISTOGRAM = ScoreHistogram((-1, 0, 1), COUNTS, 1000, Fraction(1), Fraction(1, 2))


def places(drawn, kind):
    """Return the points of the paths of a kind, as shares of the square."""
    paths = [path for own, path in drawn["paths"] if own == kind]
    found = [re.findall(r"[ML]([0-9.]+) ([0-9.]+)", path) for path in paths]
    return [(float(x) / 100, 1 - float(y) / 100) for points in found for x, y in points]


def test_the_curve_and_the_points_are_those_of_the_counts():
    # above the cuts: nothing, 1, 0 and 1, everything
    rates = [rate for point in places(roc(Evaluation(HISTOGRAM)), "curve") for rate in point]
    assert rates == pytest.approx([0, 0, 0.25, 0.75, 0.25, 0.75, 1, 1], abs=1e-3)
    shown = calibration(Evaluation(HISTOGRAM, (-1, 0, 1), (0.1, 0.3, 0.8)), "ill is 1")
    found = places(shown, "dot")
    assert found[0] == pytest.approx((0.1, 50 / 650), abs=1e-3)
    assert found[-1] == pytest.approx((0.8, 150 / 350), abs=1e-3)
    assert shown["y_name"] == "observed: ill is 1"


@pytest.mark.parametrize("number", [1, 9])
def test_the_band_covers_the_curve_of_all_records(number):
    """At each cut, over noise and sampling, in a share of tables that is not below 95 %.

    Also where counts are sums of those of eight groups, and of the records that are in none.
    """
    sites = ls.Schema.from_dict({"site": {"categories": list("abcdefgh")}})
    eight = Groups.parse("test", sites, None)
    rng, n, share = np.random.default_rng(5), 2000, np.array([[0.5, 0.3, 0.15, 0.05],
                                                              [0.1, 0.2, 0.3, 0.4]])  # fmt: skip
    true = [np.append(0, np.cumsum(row[::-1])) for row in share]
    inside = []
    for _ in range(300):
        ones = rng.binomial(n, 0.2)
        exact = np.stack([rng.multinomial(n - ones, share[0]), rng.multinomial(ones, share[1])])
        noise = rng.geometric(1 - np.exp(-0.5), (2, number, 2, 4))
        each = noise[0] - noise[1]
        each[0] += exact  # in which group records are has no part in the sums
        released = Grouped(eight, tuple(tuple(map(tuple, own)) for own in each.tolist()))
        groups = released if number > 1 else None
        histogram = ScoreHistogram(
            (-3, -1, 1, 3), released.total, n, Fraction(1), Fraction(1, 2), groups=groups
        )
        found = Evaluation(histogram)
        upper, lower = (np.array(side).T for side in found.roc_band())
        inside.append(
            (upper[0] <= true[0]) & (true[0] <= lower[0])
            & (lower[1] <= true[1]) & (true[1] <= upper[1])
        )  # fmt: skip
    # 95 % of 300 is 285; fewer than 276 of them have a chance below 1 %
    assert np.sum(inside, axis=0).min() >= 276
    wide = [u[1] - low[1] for u, low in zip(*found.roc_band(), strict=True)]
    assert np.mean(wide[1:4]) < 0.25 * np.sqrt(number)


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
    assert roc(evaluation) is None


def test_no_calibration_error_is_said_where_the_noise_hides_it():
    as_found = Evaluation(HISTOGRAM, (-1, 0, 1), (50 / 650, 0.5, 150 / 350))
    assert calibration(as_found, "1")["title"] == "Calibration"
    away = calibration(Evaluation(HISTOGRAM, (-1, 0, 1), (0.5, 0.6, 0.9)), "1")
    assert away["title"].startswith("Calibration: error 0.4")
