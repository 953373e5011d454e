"""Pictures and pages of sums of trees: functions of the release, with what it says in them."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import BoostedTreeClass, ScorecardClass, TreeEnsemble
from littlestone.classes.decision_trees import Node, TreeHypothesis
from littlestone.data import Sample
from littlestone.learners.boosting import Boosting
from littlestone.learners.release import Release
from littlestone.learners.running import run
from littlestone.report import Setting, page, plot
from littlestone.source import SeededSource

SCHEMA = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["<Bonn>"]}})


def release(concepts, **more):
    points = np.array([[2, 2], [3, 1], [4, 2], [4, 1]] * 300, dtype=np.int16)
    sample = Sample.of(points, [0, 0, 1, 1] * 300)
    return run(Boosting(concepts, epsilon=4), sample, SeededSource(2), **more)


def words(svg):
    return " ".join(ElementTree.fromstring(svg).itertext())


def test_effects_are_in_the_picture():
    scored = release(ScorecardClass(SCHEMA, 9))
    text = words(plot(scored))
    for name, own in scored.hypothesis.effects(SCHEMA)[1].items():
        assert name in text
        for cell, value in own.items():
            assert f"{value:+.2f}" in text
            assert cell.removeprefix(f"{name} ").removeprefix("is ").split()[0] in text


def test_frequent_trees_are_drawn_and_the_rest_is_counted():
    literals = SCHEMA.literals()
    trees = [TreeHypothesis.of(Node(s, a, 1 - a)) for s in literals[:5] for a in (0, 1)]
    many = TreeEnsemble((*trees, trees[3], trees[3]), Fraction(1, 2))
    text = words(plot(many, Setting()))
    assert text.count("drawn 3 times") == 1
    assert "drawn once" in text
    distinct = len(set(trees))
    assert distinct > 8
    assert f"and {distinct - 8} other trees" in text
    assert "always" in words(plot(TreeEnsemble((TreeHypothesis.of(1),), Fraction(1))))
    assert "always 0" in words(plot(TreeEnsemble((), Fraction(1))))


@pytest.mark.parametrize("concepts", [ScorecardClass(SCHEMA, 9), BoostedTreeClass(SCHEMA, 2, 4)])
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
    assert ("Nothing is promised about accuracy before data" in html) == (not more)
    assert ("The scorecard" in html) == (concepts.depth == 1)
    assert "records needed" not in html.lower()
    assert "<Bonn>" not in html


def several(concepts, **more):
    rows = np.array([[2, 2], [3, 1], [4, 2], [4, 1]] * 300, dtype=np.int16)
    sample = Sample.of(rows, [0, 1, 2, 3] * 300, labels=3)
    return run(Boosting(concepts, epsilon=6), sample, SeededSource(2), **more)


@pytest.mark.parametrize("kind", [ScorecardClass, BoostedTreeClass])
def test_several_labels_stand_beside_each_other(kind):
    labels = ["<low>", "mid", "high"]
    drawn = several(kind(SCHEMA, rounds=9, labels=labels), evaluate=1)
    text = words(plot(drawn))
    for label in labels:
        assert label in text
    for name in drawn.hypothesis.effects(SCHEMA)["mid"]:
        assert name in text
    assert "log-odds of each label" in text
    html = page(drawn)
    assert "<low>" not in html
    assert "no listed label" in html
    assert ("to begin with</td>" in html) == (kind is ScorecardClass)
    if kind is ScorecardClass:
        base, points = drawn.hypothesis.points(SCHEMA)
        for cells in points.values():
            for own in cells.values():
                shown = "".join(f"<td>{value}</td>" for value in own.values())
                assert shown in html
        assert "".join(f"<td>{value}</td>" for value in base.values()) in html


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
