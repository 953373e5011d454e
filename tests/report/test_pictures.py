"""Figures of hypotheses and trees: well-formed and complete."""

from __future__ import annotations

import re
from html import unescape
from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import (
    AffineSubspaces,
    AlwaysZero,
    ConjunctionHypothesis,
    Conjunctions,
    FiniteClass,
    HashFunction,
    HashSetHypothesis,
    IntervalHypothesis,
    PointHypothesis,
    Points,
    Prefixes,
    RuleHypothesis,
    SparseSets,
    TableHypothesis,
    ThresholdHypothesis,
    Thresholds,
    TreeHypothesis,
    TreePaths,
    affine_span,
    conjunction,
    make_tree,
    on_points,
    patched,
    shattered_tree,
)
from littlestone.classes.decision_trees import Node
from littlestone.classes.prefixes import IPV4, IPV6, PrefixHypothesis
from littlestone.classes.tree_paths import PathHypothesis
from littlestone.combinatorics import Kernel
from littlestone.data import IntegerDomain, Literal, Sample, Schema
from littlestone.errors import UnsupportedError
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.report import Setting, page, plotter
from littlestone.report.html import _drawn, figure
from littlestone.source import SeededSource
from littlestone.types import Hypothesis

from .checker import texts

# -- `plot`: a well-formed, described figure for every hypothesis that can be released -------------

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
    HashSetHypothesis(HashFunction(3, 5, 7, 315), (12,)),
    HashSetHypothesis(HashFunction(3, 5, 7, 315), (2, 12), (1, HUGE)),
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
    assert {type(hypothesis) for hypothesis in HYPOTHESES} <= set(_drawn.registry)


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

    assert "An oak" in texts(ls.plot(Tree()))


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
    assert texts(ls.plot(ConjunctionHypothesis(3, 0, 0)))[1:] == ["In all cases", "label 1"]


def test_what_nobody_draws_is_said_and_coloured_like_no_label():
    html = ls.plot(affine_span(3, [(0, 1), (1, 1)]))
    assert texts(html)[0] == "In words"
    assert 'y1"' not in html


def test_notebooks_show_pictures():
    """A figure is HTML to a notebook; what else it shows: `tests/test_notebooks.py`."""
    drawn = ls.plot(ThresholdHypothesis(3, 1, 9))
    assert drawn._repr_html_() == drawn
    assert type(drawn._repr_html_()) is str


# -- Trees are drawn inside the picture, with every question and every leaf, whatever the names ----

TREES_SCHEMA = Schema.from_dict(
    {"age": {"bins": [30, 60]}, "<b>\"&'": {"categories": ["</svg><script>", "w" * 300]}}
)
AT30, _, AT60, _, NASTY, _, LONG, _ = TREES_SCHEMA.literals()
TREES = [
    TreeHypothesis(0),
    TreeHypothesis(1),
    TreeHypothesis.of(Node(AT30, 1, 0)),
    TreeHypothesis.of(Node(NASTY, Node(AT30, Node(AT60, 1, 0), 1), Node(LONG, 0, 1))),
    TreeHypothesis.of(Node(LONG, 1, Node(Literal(7, ">=", 3, " >= 1"), 0, 1))),
]


@pytest.mark.parametrize("tree", TREES, ids=range(len(TREES)))
def test_a_tree_is_drawn(tree):
    html = ls.plot(tree)
    words = texts(html)
    if isinstance(tree.tree, Node):
        assert words.count("yes") == words.count("no") >= 1
    for split in tree.literals:
        assert f"{split.text}?".strip() in words
    assert tree.describe() in unescape(html)
    assert "<script" not in html


def test_the_page_of_a_fitted_tree():
    from littlestone.classes import DecisionTrees
    from littlestone.learners import registry
    from littlestone.learners.release import Release
    from littlestone.privacy import Part

    trees = DecisionTrees(Schema.from_dict({"age": {"bins": [30, 60]}}), 2)
    algorithm = registry.make("agnostic", trees, epsilon=1)
    release = Release(
        learner=algorithm.name,
        concept_class=trees,
        hypothesis=TREES[2],
        parts=(Part("learning", algorithm.guarantee()),),
        certificate=algorithm.certificate(100),
        n=100,
        required=algorithm.required_samples(),
        columns={"x": ["age"], "y": "ill", "positive": "1"},
    )
    html = page(release)
    assert "if age &gt;= 30, then 1, otherwise 0" in html
    assert "age &gt;= 30?" in html
    assert "ill is not 1" in html
    assert "Whether ill is 1" in html
    assert Release.from_dict(release.to_dict()) == release


# -- Figures of trees: complete or cut with a note, and well-formed --------------------------------

SETS = ["1", "2", "3", "14", "15", "156", "157", ""]
MATRIX = [[int(str(x) in ones) for x in range(1, 8)] for ones in SETS]
NAMES = {"<b>&'\"": None, "x" * 300: "<b>&'\"", "\u0007": "x" * 300}
CUBE = np.array(list(product((0, 1), repeat=4)))
POINTS = np.vstack([np.zeros(8, dtype=int), np.eye(8, dtype=int)])

DRAWN_TREES = {
    "kernel": Kernel(MATRIX).mistake_tree(),
    "depth 0": Kernel([[0, 1]]).mistake_tree(),
    "deep kernel": Kernel(CUBE).mistake_tree(),
    "thresholds": shattered_tree(Thresholds(1, 7)),
    "huge thresholds": shattered_tree(Thresholds(1, 2**1024), depth=8),
    "conjunctions": shattered_tree(Conjunctions(3)),
    "sets": shattered_tree(SparseSets(3)),
    "flats": shattered_tree(AffineSubspaces(3, 2, 1)),
    "paper 001": make_tree(FiniteClass(MATRIX), f=TableHypothesis("0000000")),
    "chain": make_tree(Thresholds(1, 2**1024)),
    "star": make_tree(Points()),
    "bounded star": make_tree(Points(1, 20)),
    "ipv4": make_tree(Prefixes("ipv4")),
    "ipv6": make_tree(Prefixes("ipv6")),
    "codes": make_tree(Prefixes("0123456789", 5)),
    "taxonomy": make_tree(TreePaths(NAMES)),
    "decomposition": Kernel(POINTS).decomposition(None, 1, 2),
    "degree 0": Kernel(CUBE).decomposition(None, 1, 4),
    "caterpillar": Kernel(POINTS).decomposition(None, 3, 2),
}


@pytest.mark.parametrize("name", DRAWN_TREES)
def test_every_tree_is_drawn(name):
    html = ls.plot(DRAWN_TREES[name])
    assert len(texts(html)) > 1
    assert 'aria-label="A ' in html
    assert "<b>&" not in html
    assert html == ls.plot(DRAWN_TREES[name])


def test_a_mistake_tree_has_a_box_for_each_node():
    html = ls.plot(DRAWN_TREES["thresholds"])
    shown = texts(html)
    for point in map(str, range(1, 8)):
        assert point in shown
    assert {"always 0", "always 1", "1 if x > 3"} <= set(shown)
    assert html.count("<li>") == 15
    assert shown.count("0") == 7  # answers, on the edges


def test_large_trees_are_cut_with_a_note():
    assert "the first 4 of 8 levels" in texts(ls.plot(DRAWN_TREES["huge thresholds"]))
    assert "… 4 more levels" in texts(ls.plot(DRAWN_TREES["huge thresholds"]))
    assert "… 14 more" in texts(ls.plot(DRAWN_TREES["bounded star"]))
    assert "… any point" in texts(ls.plot(DRAWN_TREES["star"]))
    assert any(text.endswith("more levels") for text in texts(ls.plot(DRAWN_TREES["ipv6"])))
    assert "height 2**1023, 2**1024 nodes" in texts(ls.plot(DRAWN_TREES["chain"]))


def test_the_tree_of_the_paper():
    shown = texts(ls.plot(DRAWN_TREES["paper 001"]))
    assert shown[-1] == "height 3, 7 nodes"
    assert sorted(shown[1:-1]) == sorted(["f: always 0", *map(str, range(7))])


def test_a_decomposition_says_how_large_its_leaves_are():
    shown = texts(ls.plot(DRAWN_TREES["degree 0"]))
    assert shown.count("1 concept") == 16
    assert "p = 1, d = 4: degree 0, 16 leaves" in shown
    assert "9 concepts" in texts(ls.plot(DRAWN_TREES["decomposition"]))


def test_networks_are_written_as_networks():
    assert "128.0.0.0/1" in texts(ls.plot(DRAWN_TREES["ipv4"]))


def test_points_are_written_as_in_tables():
    said = texts(ls.plot(shattered_tree(ls.Prefixes("01", 4), 2)))
    assert "0" in said
    names = ("north", "east", "south", "west")
    named = texts(ls.plot(Kernel(CUBE).decomposition(None, 1, 4), Setting(columns=names)))
    assert set(names) & set(named)
    assert not any(text.startswith("point") for text in named)


# -- pictures of paths: every node is there or said to be left out, and the page shows the picture


def test_a_short_path_is_whole():
    said = texts(ls.plot(PathHypothesis(("animal", "mammal", "dog <wild>"))))
    assert said[1:4] == ["animal", "mammal", "dog <wild>"]
    assert " ".join(said).count("everything else, and everything below") == 1


def test_long_paths_say_what_is_left_out():
    said = texts(ls.plot(PrefixHypothesis(IPV4.parse("10.1.2.0/24"), IPV4)))
    assert {"0.0.0.0/0", "0.0.0.0/1", "0.0.0.0/2", "10.1.2.0/24", "… 19 more"} <= set(said)
    said = texts(ls.plot(PrefixHypothesis(IPV6.parse("2001:db8::7"), IPV6)))
    assert "… 123 more" in said
    assert texts(ls.plot(PrefixHypothesis(1, IPV4)))


def test_the_page_of_a_release_shows_its_path():
    kinds = ls.theory.TreePaths(
        {"animal": None, "mammal": "animal", "dog": "mammal", "bird": "animal"}
    )
    algorithm = registry.make("vc1", kinds, epsilon=1, delta=1e-6)
    sample = Sample.of(["mammal", "bird"] * 500, [1, 0] * 500)
    release = run(
        algorithm, sample, SeededSource(0), columns={"x": ["kind"], "y": "ill", "positive": "1"}
    )
    text = page(release)
    assert "mammal" in text
    assert "and everything" in text
    assert "ill is 1" in text
