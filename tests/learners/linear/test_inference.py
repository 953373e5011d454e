"""Coefficients with intervals: second moments, their budgets, and what is said of them."""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

import littlestone as ls
from littlestone.audit import all_n
from littlestone.classes import LinearClass
from littlestone.classes.boosted_trees.coefficients import Coefficients
from littlestone.data import Sample
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.linear import Linear
from littlestone.learners.linear.learner import (
    SHARE,
    Budget,
    Records,
    described,
    estimate,
    largest_moment,
    second_moments,
)
from littlestone.privacy import Concentrated, compose
from littlestone.source import SeededSource

SCHEMA = ls.Schema.from_dict(
    {
        "age": {"bins": [20, 40, 60, 80]},
        "old": {"bins": [65]},
        "city": {"categories": ["Bonn", "Rome", "Ulm"]},
    }
)
ROWS = np.array(list(product(*map(range, SCHEMA.n_codes))), dtype=np.int16)
RNG = np.random.default_rng(0)
NAMED = ("age", "old", "city")
LOG = Path(__file__).parents[3] / "docs" / "appendix" / "coefficients.csv"


def linear(**parameters):
    given = {"epsilon": 1, "delta": "1e-6", "inference": NAMED, **parameters}
    return Linear(LinearClass(SCHEMA), **given)


def plain_design(row):
    """Return the features of a row by their definition."""
    age = [0, -1, -0.5, 0, 0.5, 1][max(row[0] - 1, 0)]
    old = row[1] == 3
    return np.array([1, age, old, row[2] == 3, row[2] == 4], dtype=float)


def test_the_design_and_its_words():
    made = linear()
    for row in ROWS:
        tables = zip(made.named.tables, row.tolist(), strict=True)
        own = np.concatenate([table[max(code - 1, 0)] for table, code in tables]) / 1024
        assert np.allclose([1, *own], plain_design(row))
    assert described(SCHEMA, NAMED) == [
        ("intercept", "", ""), ("age", "40", "50"), ("old >= 65", "1", "old < 65"),
        ("city is Rome", "1", "city is Bonn"), ("city is Ulm", "1", "city is Bonn"),
    ]  # fmt: skip


def moments_of(made, weights):
    """Return the second moments of each single row."""
    square = made.of_regression(1).square
    return [
        second_moments(Records(Sample.of(row[None], [0]), made.named, square, 1), weights)
        for row in ROWS
    ]


def test_a_replaced_record_moves_second_moments_by_at_most_their_bound():
    made = linear()
    most = largest_moment(made.named, 4096)
    worst = 0
    for trial in range(5):
        weights = RNG.normal(size=(1, 5)) * 10.0 ** RNG.uniform(-5, 300 if trial % 5 == 4 else -3)
        weights[0, RNG.integers(5)] *= np.nan if trial % 4 == 1 else 1
        found = np.array(moments_of(made, weights)).astype(object)
        assert (found == found.transpose(0, 2, 1)).all()
        flat = found.reshape(len(found), -1)
        norms = (flat * flat).sum(axis=1)
        assert max(norms) <= most**2
        far = norms[:, None] + norms[None] - 2 * (flat @ flat.T)
        assert far.max() <= 2 * most**2
        worst = max(worst, Fraction(int(far.max()), 2 * most**2))
    assert worst > Fraction(1, 4)


def test_second_moments_are_those_of_the_definition_and_add_up():
    made = linear()
    weights = RNG.normal(size=(1, 5)) / 1024
    single = moments_of(made, weights)
    for row, found in zip(ROWS, single, strict=True):
        x = plain_design(row)
        p = 1 / (1 + math.exp(-float(x @ weights[0]) * 1024))
        assert np.allclose(found / (4096 * 1024**2), p * (1 - p) * np.outer(x, x), atol=1e-3)
    sample = Sample.of(ROWS, RNG.integers(0, 2, len(ROWS)))
    whole = second_moments(Records(sample, made.named, 2**50, 1), weights)
    assert (whole == sum(single)).all()


def test_all_parts_together_are_epsilon():
    made = linear()
    settings, budget = made.plan.settings(5000), Budget.of(made.rho * SHARE)
    assert budget.rounds + budget.gradient + budget.moments == made.rho * SHARE
    losses = [Concentrated(settings.rho / settings.rounds)] * settings.rounds
    losses += map(Concentrated, (budget.rounds, budget.gradient, budget.moments))
    assert Fraction(99, 100) < compose(losses, delta=made.delta)[0] <= 1
    own = made.of_regression(5000)
    assert Fraction(4 * own.square) / (2 * own.variance) == budget.rounds / own.rounds
    assert made.spending(5000)["coefficients"].startswith("zCDP")


@pytest.mark.more
def test_the_audit_of_all_n_knows_its_parts():
    found = all_n(linear(rounds=3), points=[(2, 2, 2), (6, 3, 4), (0, 1, 3)], sizes=(2,))
    assert found.holds
    assert {"regression, noise", "second moments, noise"} <= {step.name for step in found.steps}


def test_one_newton_step_is_the_estimate_of_maximum_likelihood():
    """Without noise, from weights near it; standard errors as those of the information."""
    x = np.concatenate([np.ones((4000, 1)), RNG.normal(size=(4000, 2))], axis=1) / 2
    y = RNG.random(4000) < 1 / (1 + np.exp(-x @ [1.0, -2.0, 1.0]))
    best = np.zeros(3)
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ best))
        moments = (x * (p * (1 - p))[:, None]).T @ x / 4000
        best -= np.linalg.solve(moments, x.T @ (p - y) / 4000)
    near = best + 0.02
    p = 1 / (1 + np.exp(-x @ near))
    moments = (x * (p * (1 - p))[:, None]).T @ x / 4000
    found, errors, printed = estimate(near, x.T @ (p - y) / 4000, moments, 4000, (0.0, 1e-12))
    assert printed
    assert np.allclose(found, best, atol=1e-3)
    assert np.allclose(errors, np.sqrt(np.diag(np.linalg.inv(moments)) / 4000), rtol=1e-3)


def test_no_interval_where_the_noise_hides_how_columns_differ():
    moments = np.diag([0.2, 1e-6])
    _, _, printed = estimate(np.zeros(2), np.zeros(2), moments, 100, (1e-3, 1e-3))
    assert not printed


def fitted(n=6000, **parameters):
    age, city = RNG.integers(0, 100, n), RNG.choice(["Bonn", "Rome", "Ulm"], n)
    ill = (RNG.random(n) < 1 / (1 + np.exp(2 - age / 30))).astype(int)
    table = {"age": age, "old": age, "city": city, "ill": ill}
    given = {"epsilon": 8, "delta": 1e-6, "inference": ["age", "city"], "random_state": 0}
    return ls.LinearClassifier(SCHEMA, **given | parameters).fit(table, "ill"), table


def test_coefficients_as_users_of_scikit_learn_and_statsmodels_read_them(tmp_path):
    made, table = fitted()
    assert made.coef_.shape == (1, 3)
    assert made.intercept_.shape == (1,)
    low, high = made.conf_int()[1]
    assert low < 40 / 30 < high
    wide = made.conf_int(0.99)
    assert (wide[:, 0] < made.conf_int()[:, 0]).all()
    frame = made.coefficients().to_pydict()
    assert frame["term"] == ["intercept", "age", "city is Rome", "city is Ulm"]
    assert frame["printed"] == [True] * 4
    assert frame["odds_ratio"] == pytest.approx(np.exp(frame["log_odds"]).tolist())
    made.save(tmp_path / "m.json")
    read = ls.load(tmp_path / "m.json")
    assert read.hypothesis == made.hypothesis_
    assert (read.predict(table) == made.predict(table)).all()
    page = ls.page(read)
    assert "Log-odds ratio, age" in page


def test_contrasts_are_of_the_model_that_predicts():
    made, _ = fitted(inference=None)
    frame = made.coefficients().to_pydict()
    assert set(frame["low"]) == {None}
    assert not any(frame["printed"])
    points, step = made.points_["age"], float(made.hypothesis_.step)
    found = dict(zip(frame["term"], frame["log_odds"], strict=True))
    assert found["age >= 80"] == pytest.approx(step * (points["age >= 80"] - points["age < 20"]))
    with pytest.raises(UnsupportedError, match="inference="):
        made.conf_int()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"inference": ["agee"]}, "Did you mean"),
        ({"inference": []}, "different names"),
        ({"inference": ["age", "age"]}, "different names"),
        ({"inference": list("abcdefg")}, "at most 6"),
        ({"inference": ["age"], "model": "boosted"}, "model linear"),
        ({"inference": ["age"], "schema": None}, "needs a schema"),
        ({"inference": ["age"], "delta": None}, "needs a delta"),
        ({"inference": ["age"], "labels": ["a", "b", "c"]}, "labels 0 and 1"),
        ({"inference": ["age"], "user": "city"}, "protection of single records"),
    ],
)
def test_coefficients_that_there_are_not(change, words):
    given = {"y": "ill", "epsilon": 1, "delta": 1e-6, "schema": SCHEMA} | change
    table = {"age": [30], "old": [1], "city": ["Bonn"], "ill": [1]}
    with pytest.raises((ParameterError, UnsupportedError), match=words):
        ls.fit(table, **given)


def test_a_changed_file_is_refused():
    good = Coefficients(("a",), ("",), ("",), (1.0,), (0.1,), printed=True).to_dict()
    assert Coefficients.read(good).values == (1.0,)
    for change in ({"values": [math.inf]}, {"deviations": []}, {"terms": [1]}, {"printed": 1}):
        with pytest.raises(ParameterError):
            Coefficients.read(good | change)


def test_the_log_of_coverage():
    """At nominal 95 %: no design covers surely less than 90 %, all together not less than 94 %."""
    with LOG.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) >= 6
    held, tried = 0, 0
    for line in lines:
        own, of = int(line["covered"]), int(line["intervals"])
        held, tried = held + own, tried + of
        assert of == 0 or binomtest(own, of, 0.90, "less").pvalue > 0.001, line
    assert binomtest(held, tried, 0.94, "less").pvalue > 0.001
    four = [
        line
        for line in lines
        if (line["columns"], line["n"], line["epsilon"]) == ("4", "20000", "1")
    ]
    assert four
    assert all(float(line["printed"]) >= 0.5 for line in four)


def test_a_drawn_regression_is_a_function_of_its_seed():
    sample = Sample.of(ROWS, RNG.integers(0, 2, len(ROWS)))
    first, again = (linear(rounds=2).draw(sample, SeededSource(3)) for _ in range(2))
    assert first == again
    assert first.coefficients is not None
