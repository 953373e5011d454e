"""Pages of quantities, counts and times: functions of the release, in the user's units."""

from __future__ import annotations

import json
import re
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import BoostedTreeClass, ScorecardClass
from littlestone.data.targets import Count, Periods, Quantity, TargetSample
from littlestone.evaluation import QuantityEvaluation
from littlestone.learners.boosting import Values
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.report import page, plot
from littlestone.report.evaluated import drawn
from littlestone.report.targets import Shown
from littlestone.source import SeededSource

from .checker import texts

SCHEMA = ls.Schema.from_dict({
    "age": {"bins": [30, 60]}, "<city>": {"categories": ["<Bonn>", "Rome"]},
})  # fmt: skip
KINDS = {
    "quantity": (Quantity(0, 200, 200), [20, 80, 120, 180], {}),
    "quantile": (Quantity(0, 200, 200), [20, 80, 120, 180], {"loss": "quantile", "quantile": 0.9}),
    "count": (Count(30), [1, 4, 9, 16], {}),
    "time": (Periods((12, 24)), [1, 4, 5, 8], {}),
}


def release(kind, concepts=BoostedTreeClass, **more):
    target, codes, parameters = KINDS[kind]
    rows = np.array([[2, 2], [3, 1], [4, 2], [4, 3]] * 100, dtype=np.int16)
    sample = TargetSample.of(rows, codes * 100)
    made = concepts(SCHEMA, rounds=12, target=target)
    columns = {"x": ["age", "<city>"], "y": "<y>", **({"event": "e"} if kind == "time" else {})}
    learner = Values(made, epsilon=8, **parameters)
    return run(learner, sample, SeededSource(0), columns=columns, **more)


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_a_function_of_the_release_and_says_the_target(kind):
    made = release(kind, evaluate=1)
    html = page(made)
    assert html == page(Release.from_dict(made.to_dict()))
    for text in ("<city>", "<Bonn>", "<y>", "label 1", "Label"):
        assert text not in html
    heading = {"quantile": "the 0.9 quantile of &lt;y&gt;", "time": "&lt;y&gt; until e"}
    assert (
        f"Private boosted trees: {heading.get(kind, '&lt;y&gt;')}".replace(
            "Private b", "B"
        ).replace("trees:", "trees (not private):")
        in html
    )
    said = {"quantile": "Pinball loss", "time": "Concordance"}.get(kind, "Mean absolute error")
    assert said in html
    assert html.count("Event-free, by risk") == (0 if kind != "time" else 1)
    assert "--evaluate" not in html
    assert {"age", "<city>", "Event-free, by risk"} & set(texts(plot(made)))


@pytest.mark.first(1)
@pytest.mark.parametrize("kind", ["quantity", "quantile", "count"])
def test_what_was_observed_is_drawn_where_enough_was_counted(kind):
    """Points and fans are where `predicted_observed` says; of less the page says so."""
    few, made = release(kind, evaluate=1), release(kind, evaluate=5)
    assert "Observed by prediction" not in page(few)
    assert "needs 2,000 records at epsilon 1" in page(few)
    assert "Observed by prediction" in page(made)
    bins = QuantityEvaluation(made.evaluation).predicted_observed
    figures = drawn(made)["curves"]
    assert len(figures) == (2 if kind == "quantile" else 1)
    places = [
        [(float(x), 100 - float(y)) for x, y in re.findall(r'"dot" d="M(\S+) (\S+)h0"', one)]
        for one in figures
    ]
    assert [len(own) for own in places] == ([0, len(bins)] if kind == "quantile" else [len(bins)])
    for points in places:
        assert [x for x, _ in points] == sorted(x for x, _ in points)
    if kind == "quantile":
        assert [y for _, y in places[1]] == pytest.approx(
            [100 * own.below.value for own in bins], abs=0.1
        )
    else:  # equal distances are equal differences
        (y, *ys), (first, *means) = [y for _, y in places[0]], [own.observed.value for own in bins]
        scale = {
            round((other - y) / (mean - first), 1) for other, mean in zip(ys, means, strict=True)
        }
        assert len(scale) <= 1
    assert made.to_dict()["quality"]["predicted_observed"] == [own.to_dict() for own in bins]


def test_what_cells_of_a_scorecard_do_are_its_effects():
    """Of a sum by columns within the range, means differ as the effects of cells do."""
    made = release("quantity", ScorecardClass)
    shown, effects = Shown(made.hypothesis, SCHEMA), made.hypothesis.effects(SCHEMA)
    everywhere = made.hypothesis.predict(np.array(list(product(range(1, 5), range(1, 4)))))
    assert 0 < everywhere.min() < everywhere.max() < 200
    assert [column.name for column, _ in shown.columns] == ["age", "<city>"]
    for column, means in shown.columns:
        own = [effects[column.name][column.describe(code)] for code in range(1, column.n_codes)]
        assert np.ptp(np.array(means[1:]) - own) < 1e-9


def test_rows_have_the_cells_of_each_column_equally_often():
    rows = Shown(release("count").hypothesis, SCHEMA).rows
    for column, n_codes in enumerate(SCHEMA.n_codes):
        counts = np.bincount(rows[:, column], minlength=n_codes)
        assert counts[:2].sum() == 0
        assert np.ptp(counts[2:]) <= 1


def calculated(browser, row, name):
    """Return what the calculator of a page says of a row of codes."""
    return json.loads(
        browser.run(
            "(() => { for (const field of document.querySelectorAll('#calculator select')) {"
            f" field.value = {list(row)}[field.name];"
            " field.dispatchEvent(new Event('change')); }"
            f" return document.getElementById('calculated').dataset.{name}; }})()"
        )
    )


@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
def test_the_calculator_says_the_prediction_of_each_row(browser, tmp_path, kind):
    made = release(kind)
    page(made, tmp_path / "p.html")
    browser.show(tmp_path / "p.html")
    for row in product(range(1, 5), range(1, 4)):
        said = calculated(browser, row, "value")
        points = np.array([row])
        exact = made.hypothesis.survival if kind == "time" else made.hypothesis.predict
        assert np.allclose(said, exact(points)[0], rtol=1e-12)
    assert browser.complaints == []


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["quantity", "count"])
def test_the_calculator_says_the_interval_of_each_row(browser, tmp_path, kind):
    made = release(kind, interval=0.9, holdout=0.5, evaluate=4)
    html = page(made, tmp_path / "p.html")
    assert "cover a new record" in html
    browser.show(tmp_path / "p.html")
    for row in product(range(1, 5), range(1, 4)):
        said = calculated(browser, row, "interval")
        assert np.allclose(said, made.hypothesis.interval(np.array([row]))[0])
    assert browser.complaints == []


@pytest.mark.browser
@pytest.mark.parametrize("kind", ["quantity", "quantile", "time"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_sticks_out(browser, tmp_path, kind, width):
    page(release(kind, evaluate=5), tmp_path / "p.html")
    browser.show(tmp_path / "p.html", width=width)
    assert browser.overflow() == []
