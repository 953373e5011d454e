"""`plot`: a well-formed, described figure for every hypothesis that can be released."""

import re
from html import unescape

import pytest

import littlestone as ls
from littlestone.classes import (
    AlwaysZero,
    ConjunctionHypothesis,
    HashFunction,
    HashHypothesis,
    IntervalHypothesis,
    PointHypothesis,
    RuleHypothesis,
    TableHypothesis,
    ThresholdHypothesis,
    affine_span,
    conjunction,
    on_points,
    patched,
)
from littlestone.classes.intervals import on_runs
from littlestone.data import IntegerDomain, Schema
from littlestone.errors import UnsupportedError
from littlestone.report import Setting, plotter
from littlestone.report.html import _DRAWERS, figure
from littlestone.types import Hypothesis

from .checker import texts

SCHEMA = Schema.from_dict(
    {"age": {"bins": [30, 60]}, "<b>\"&'": {"categories": ["</svg><script>alert(1)</script>"]}}
)
LITERALS = SCHEMA.literals()
HUGE = 2**1024

HYPOTHESES = [
    *(ThresholdHypothesis(a, 1, 9) for a in (0, 3, 9)),
    *(ThresholdHypothesis(a, 1, 99) for a in (0, 1, 50, 98, 99)),
    *(ThresholdHypothesis(a, 1, HUGE) for a in (0, 17, HUGE // 3, HUGE - 5, HUGE)),
    ThresholdHypothesis(3**600, -(2**1000), HUGE),
    IntervalHypothesis(18, 65),
    IntervalHypothesis(7, 7),
    IntervalHypothesis(HUGE, 2 * HUGE),
    PointHypothesis(5),
    PointHypothesis("</text>" * 100),
    PointHypothesis(("a", 2**80, None)),
    AlwaysZero(),
    TableHypothesis("0"),
    TableHypothesis("0110" * 5),
    TableHypothesis("011" * 1000),
    RuleHypothesis(()),
    conjunction([LITERALS[0]]),
    conjunction([LITERALS[0], LITERALS[4]]),
    on_points(["</text>" * 100, "b"]),
    on_points(list(range(100))),
    patched(AlwaysZero(), {"x" * 300: 1}),
    ConjunctionHypothesis(40, 2**40 - 1, 0),
    HashHypothesis(HashFunction(3, 5, 7, 315), 12),
    HashHypothesis(HashFunction(3, 5, 7, 315), 12, (1, HUGE)),
]


@pytest.mark.parametrize(
    "hypothesis", HYPOTHESES, ids=[f"{h.TYPE}-{i}" for i, h in enumerate(HYPOTHESES)]
)
def test_every_hypothesis_is_drawn(hypothesis):
    html = ls.plot(hypothesis)
    assert len(texts(html)) > 1
    (words,) = re.findall(r'<figure class="ls-fig" role="img" aria-label="([^"]*)">', html)
    assert unescape(words) == hypothesis.describe()
    assert "<script" not in html
    assert "http" not in html
    assert "nan" not in html.lower().replace("banana", "")
    assert html == ls.plot(hypothesis)


def test_each_kind_has_its_own_picture():
    assert {type(hypothesis) for hypothesis in HYPOTHESES} <= set(_DRAWERS)


def test_a_threshold_shows_where_it_changes():
    assert "18" in texts(ls.plot(ThresholdHypothesis(17, 1, 99)))
    drawn = texts(ls.plot(ThresholdHypothesis(17, 1, HUGE)))
    assert {"18", "1", "2**1024", "logarithmic scale"} <= set(drawn)


def test_small_domains_are_drawn_cell_by_cell():
    drawn = texts(ls.plot(ThresholdHypothesis(2, 1, 4)))
    assert drawn == ["1 from 3 on, 0 below", "0", "1", "0", "2", "1", "3", "1", "4"]


def test_an_interval_shows_both_ends():
    learner = ls.GenericLearner(ls.Intervals(1, 1000), epsilon=1, random_state=0)
    learner.fit([[5], [18], [65], [900]] * 300, [0, 1, 1, 0] * 300)
    drawn = texts(ls.plot(learner))
    assert {str(learner.hypothesis_.first), str(learner.hypothesis_.last), "1,000"} <= set(drawn)


def test_runs_on_the_axis_have_the_right_proportions():
    html = ls.plot(ThresholdHypothesis(25, 1, 100))
    (zero, one) = map(float, re.findall(r'class="y[01]" style="flex-grow:([0-9.]+)"', html))
    assert zero / (zero + one) == pytest.approx(0.25, abs=0.005)


def test_a_rule_shows_each_condition():
    drawn = " ".join(texts(ls.plot(conjunction([LITERALS[0], LITERALS[4]]))))
    assert "age >= 30" in drawn
    assert "AND" in drawn
    assert "</svg><script>" in drawn.replace(" ", "")  # as text


def test_the_constant_zero_knows_its_domain():
    drawn = ls.plot(AlwaysZero(), Setting(IntegerDomain(1, 2**64)))
    assert "2**64" in texts(drawn)


def test_unknown_objects_are_refused_with_what_is_known():
    with pytest.raises(UnsupportedError, match=r"type int\b.*ThresholdHypothesis"):
        ls.plot(3)


def test_rooms_above_register_their_own():
    class Tree:
        pass

    @plotter(Tree)
    def _(tree, setting):
        return figure("cases", "An oak", "an oak", cases=[])

    try:
        assert "An oak" in texts(ls.plot(Tree()))
    finally:
        del _DRAWERS[Tree]


def test_a_hypothesis_of_an_unknown_type_is_said_in_words():
    class Odd(Hypothesis):
        key = ("odd",)

        def predict(self, points):
            return points % 2

        def describe(self):
            return "1 on odd numbers"

        def to_dict(self):
            return {"type": "odd"}

    assert "1 on odd numbers" in texts(ls.plot(Odd()))


def test_listed_points_are_alternatives_and_the_rest_is_counted():
    said = texts(ls.plot(on_points(["a", "b"])))
    assert said[1:] == ["If", "x = a", "OR", "x = b", "then", "label 1", "Otherwise", "label 0"]
    said = texts(ls.plot(on_points(list(range(1, 31)))))
    assert "x is one of 23 more points" in said
    assert said.count("OR") == 7


def test_corrections_come_before_what_they_correct():
    said = texts(ls.plot(patched(AlwaysZero(), {19: 1, 21: 1})))
    assert said[1:] == ["If", "x = 19", "OR", "x = 21", "then", "label 1", "Otherwise", "label 0"]
    base = IntervalHypothesis(3, 5)
    said = " ".join(texts(ls.plot(patched(base, {4: 0, 9: 1}))))
    assert "x = 9 then label 1 Otherwise, if x = 4 then label 0 Otherwise 1 if" in said


def test_conjunctions_say_their_bits():
    said = texts(ls.plot(ConjunctionHypothesis(3, ones=0b001, zeros=0b100)))
    assert said[1:5] == ["If", "x1 = 1", "AND", "x3 = 0"]
    assert texts(ls.plot(ConjunctionHypothesis(3, 0, 0)))[1:] == ["Always", "label 1"]


def test_what_nobody_draws_is_said_and_coloured_like_no_label():
    html = ls.plot(affine_span(3, [(0, 1), (1, 1)]))
    assert texts(html)[0] == "In words"
    assert 'y1"' not in html


def test_unions_of_intervals_are_strips():
    union = on_runs([(3, 9), (40, 41), (2**70, 2**71)])
    for setting in (Setting(), Setting(domain=ls.Intervals(1, 2**80).domain)):
        said = " ".join(texts(ls.plot(union, setting)))
        assert "1 on 3 intervals, 0 elsewhere" in said


def test_notebooks_show_pictures():
    """A figure is HTML to a notebook; what else it shows: `tests/test_notebooks.py`."""
    drawn = ls.plot(ThresholdHypothesis(3, 1, 9))
    assert drawn._repr_html_() == drawn
    assert type(drawn._repr_html_()) is str
