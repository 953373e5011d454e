"""Figures and pages of sums of trees: functions of the release, with what it says in them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import BoostedTreeClass, ScorecardClass, TreeEnsemble
from littlestone.classes.decision_trees import Node, TreeHypothesis
from littlestone.data import Sample
from littlestone.learners.boosting import Boosting
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.privacy import Part
from littlestone.report import Setting, page, plot
from littlestone.report.targets import scorecard
from littlestone.source import SeededSource

from .checker import texts

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["<Bonn>"]}})
CARD, TREES = ScorecardClass(SCHEMA, 9), BoostedTreeClass(SCHEMA, 2, 4)
NAMED = ["<low>", "mid", "high"]


def release(concepts, **more):
    points = np.array([[2, 2], [3, 1], [4, 2], [4, 1]] * 300, dtype=np.int16)
    sample = Sample.of(points, [0, 0, 1, 1] * 300)
    return run(Boosting(concepts, epsilon=4), sample, SeededSource(2), **more)


def words(html):
    return " ".join(texts(html))


def test_effects_are_in_the_figure():
    scored = release(ScorecardClass(SCHEMA, 9))
    text = words(plot(scored))
    for name, own in scored.hypothesis.effects(SCHEMA)[1].items():
        assert name in text
        for value in own.values():
            assert f"{round(100 * value) / 100:+.2f}" in text
    assert "< 60" in text  # cells of equal effects are together


def test_frequent_trees_are_drawn_and_the_rest_is_counted():
    literals = SCHEMA.literals()
    trees = [TreeHypothesis.of(Node(s, a, 1 - a)) for s in literals[:5] for a in (0, 1)]
    many = TreeEnsemble((*trees, trees[3], trees[3]), Fraction(1, 2))
    text = words(plot(many, Setting()))  # of an unknown schema
    assert text.count("drawn 3 times") == 1
    assert "drawn once" in text
    distinct = len(set(trees))
    assert distinct > 8
    assert f"and {distinct - 8} other trees" in text
    assert "+1: label 1" in words(plot(TreeEnsemble((TreeHypothesis.of(1),), Fraction(1))))
    assert "always -1: label 0" in words(plot(TreeEnsemble((), Fraction(1))))


@pytest.mark.parametrize("concepts", [CARD, TREES])
@pytest.mark.parametrize("more", [{}, {"evaluate": 1}, {"evaluate": 4, "holdout": "0.3"}])
def test_the_page_says_what_was_spent_and_measured(concepts, more):
    released = release(concepts, **more)
    html = page(released)
    assert html == page(Release.from_dict(released.to_dict()))
    for what, part in released.spent.items():
        assert what in html
        assert part in html
    assert ("AUROC" in html) == bool(more)
    assert ("on new records, except with" in html) == ("holdout" in more)
    assert ("Not evaluated, so it is not known" in html) == (not more)
    assert ("The scorecard" in html) == (concepts.depth == 1)
    assert "records needed" not in html.lower()
    assert "<Bonn>" not in html


def several(concepts, **more):
    rows = np.array([[2, 2], [3, 1], [4, 2], [4, 1]] * 300, dtype=np.int16)
    sample = Sample.of(rows, [0, 1, 2, 3] * 300, labels=3)
    return run(Boosting(concepts, epsilon=6), sample, SeededSource(2), **more)


@pytest.mark.parametrize("kind", [ScorecardClass, BoostedTreeClass])
def test_several_labels_stand_beside_each_other(kind):
    labels = NAMED
    drawn = several(kind(SCHEMA, rounds=9, labels=labels), evaluate=1)
    text = words(plot(drawn))
    for label in labels:
        assert label in text
    for name in drawn.hypothesis.effects(SCHEMA)["mid"]:
        assert name in text
    assert "log-odds of each label" in text
    html = page(drawn)
    assert "<low>" not in html
    assert "unlisted label" in html
    assert ("to begin with" in html) == (kind is ScorecardClass)
    if kind is ScorecardClass:
        every = np.array([[a, b] for a in range(5) for b in range(3)])
        card = scorecard(drawn.hypothesis, SCHEMA)
        start, *columns = card["columns"]
        base = np.array([int(text) for text, *_ in start["cells"][0]["bars"]])
        points = base + added(columns, every, len(labels))
        votes = drawn.hypothesis.votes(every)
        unit = max(1, round(np.ptp(votes[0]) / max(np.ptp(points[0]), 1)))
        differences = votes - votes[:, :1]
        assert (unit * (points - points[:, :1]) == differences).all()


def added(columns, rows, labels=1):
    """Add up the points that a table shows for rows of codes, by its words."""
    total = np.zeros((len(rows), labels), dtype=int)
    for column in columns:
        at = SCHEMA.names.index(column["name"])
        for cell in column["cells"]:
            for code in range(SCHEMA.n_codes[at]):
                if within(at, code, cell["words"]):
                    total[rows[:, at] == code] += [int(text) for text, *_ in cell["bars"]]
    return total


def within(at, code, words):
    """Say whether a code is among those that words of a table name."""
    if at == 1:  # the city
        return code == 2 if words == "<Bonn>" else code < 2
    ranges = {
        "any number": (2, 3, 4), "< 30": (2,), "< 60": (2, 3), ">= 30": (3, 4), ">= 60": (4,),
        "30 to < 60": (3,), "missing or other": (0, 1),
    }  # fmt: skip
    return code in ranges[words]


@pytest.mark.parametrize("seed", range(6))
def test_the_points_of_a_card_give_the_probability(seed):
    """Merged groups, a folded start and a common unit: the same predictions for every row."""
    rng = np.random.default_rng(seed)
    splits = SCHEMA.literals()
    drawn = [(splits[i], int(label)) for i, label in rng.integers(0, (5, 2), (9, 2))]
    trees = [TreeHypothesis.of(Node(split, label, 1 - label)) for split, label in drawn]
    sums = TreeEnsemble((*trees, TreeHypothesis.of(1)), Fraction(1, 3), (0, seed))
    every = np.array([[a, b] for a in range(5) for b in range(3)])
    card = scorecard(sums, SCHEMA)
    told = {}
    for text, chance in card["sums"]:
        first, _, last = text.partition("–")
        told |= dict.fromkeys(range(int(first), int(last or first) + 1), chance)
    for total, chance in zip(
        added(card["columns"], every)[:, 0], sums.probability(every), strict=True
    ):
        digits = 0 if 0.01 <= chance <= 0.99 else 1
        assert told[total] == f"{100 * chance:.{digits}f}%"
    least = [
        min(int(text) for cell in column["cells"] for text, *_ in cell["bars"])
        for column in card["columns"]
    ]
    assert set(least) <= {0}


def test_trees_that_cancel_are_no_column():
    split = SCHEMA.literals()[0]
    pair = tuple(TreeHypothesis.of(Node(split, label, 1 - label)) for label in (0, 1))
    assert scorecard(TreeEnsemble(pair, Fraction(1)), SCHEMA)["columns"] == []


@pytest.mark.browser
@pytest.mark.parametrize(
    ("make", "concepts"),
    [(release, CARD), (release, TREES)]
    + [
        (several, kind(SCHEMA, rounds=9, labels=NAMED))
        for kind in (ScorecardClass, BoostedTreeClass)
    ],
)
def test_the_calculator_says_the_probability_of_each_row(browser, tmp_path, make, concepts):
    released = make(concepts)
    browser.show(page(released, tmp_path / "p.html") and tmp_path / "p.html")
    for a in range(1, 5):
        for b in range(1, 3):
            told, text = browser.run(
                "(() => { for (const field of document.querySelectorAll('#calculator select')) {"
                f" field.value = [{a}, {b}][field.name];"
                " field.dispatchEvent(new Event('change')); }"
                " const answer = document.getElementById('calculated');"
                " return [JSON.parse(answer.dataset.probability), answer.textContent]; })()"
            )
            row = np.array([[a, b]])
            chances = released.hypothesis.probability(row)[0]
            assert told == pytest.approx(chances.tolist(), rel=1e-12)
            if make is several:
                assert text.startswith(NAMED[released.hypothesis.predict(row)[0]])
    assert browser.complaints == []


@pytest.mark.browser
def test_a_card_of_twelve_columns_fits_on_three_screens(browser, tmp_path):
    """Of 720 pixels, at a width of 1,280; and nothing is wider than a phone."""
    columns = {f"a column {i}": {"bins": [10, 20, 30, 40, 50]} for i in range(12)}
    wide = ls.Schema.from_dict(columns)
    rows = np.random.default_rng(1).integers(2, 8, (3000, 12)).astype(np.int16)
    sample = Sample.of(rows, (rows[:, :4].sum(axis=1) > 18).astype(np.int8))
    learner = Boosting(ScorecardClass(wide, 60), epsilon=1, delta="1e-6")
    found = run(learner, sample, SeededSource(2), evaluate="1/10")
    paid = Part("learning", replace(found.guarantee, seeded=False))
    found = replace(found, parts=(paid,))  # without its banner
    path = tmp_path / "p.html"
    browser.show(page(found, path) and path, width=1280)
    assert browser.run("document.documentElement.scrollHeight") <= 3 * 720
    for name in ("ROC: area", "Calibration: error", "predicted 1"):
        assert name in page(found)
    browser.show(path, width=390)
    assert browser.overflow() == []


def test_many_columns_and_labels_are_drawn_in_part():
    wide = ls.Schema.from_dict({f"c{i}": {"bins": [0]} for i in range(15)})
    names = ("a", "b", "c", "d")
    trees = tuple(
        TreeHypothesis.of(Node(s, i % 4, (i + 1) % 4), names)
        for i, s in enumerate(wide.literals()[::2])
    )
    drawn = TreeEnsemble(trees, Fraction(1, 2), (0,) * 4, names)
    text = words(plot(drawn, Setting(domain=ls.data.RowDomain(wide))))
    assert "3 columns of smaller effect are left out" in text
    assert "always a" in words(plot(TreeEnsemble((), Fraction(1), (0,) * 4, names)))
