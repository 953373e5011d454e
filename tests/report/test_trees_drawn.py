"""Figures of trees: complete or cut with a note, and well-formed."""

from itertools import product

import numpy as np
import pytest

import littlestone as ls
from littlestone.classes import (
    AffineSubspaces,
    Conjunctions,
    FiniteClass,
    Points,
    Prefixes,
    SparseSets,
    TableHypothesis,
    Thresholds,
    TreePaths,
    make_tree,
    shattered_tree,
)
from littlestone.classes.prefixes import IPV4, IPV6, PrefixHypothesis
from littlestone.classes.tree_paths import PathHypothesis
from littlestone.combinatorics import Kernel
from littlestone.data import Sample
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.report import Setting, page
from littlestone.source import SeededSource

from .checker import texts

SETS = ["1", "2", "3", "14", "15", "156", "157", ""]
MATRIX = [[int(str(x) in ones) for x in range(1, 8)] for ones in SETS]
NAMES = {"<b>&'\"": None, "x" * 300: "<b>&'\"", "\u0007": "x" * 300}
CUBE = np.array(list(product((0, 1), repeat=4)))
POINTS = np.vstack([np.zeros(8, dtype=int), np.eye(8, dtype=int)])

TREES = {
    "kernel": Kernel(MATRIX).mistake_tree(),
    "depth 0": Kernel([[0, 1]]).mistake_tree(),
    "deep kernel": Kernel(CUBE).mistake_tree(),
    "thresholds": shattered_tree(Thresholds(1, 7)),
    "huge thresholds": shattered_tree(Thresholds(1, 2**1024), depth=8),
    "conjunctions": shattered_tree(Conjunctions(3)),
    "sets": shattered_tree(SparseSets(3)),
    "flats": shattered_tree(AffineSubspaces(7, 20, 2)),
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


@pytest.mark.parametrize("name", TREES)
def test_every_tree_is_drawn(name):
    html = ls.plot(TREES[name])
    assert len(texts(html)) > 1
    assert 'aria-label="A ' in html
    assert "<b>&" not in html
    assert html == ls.plot(TREES[name])


def test_a_mistake_tree_has_a_box_for_each_node():
    html = ls.plot(TREES["thresholds"])
    shown = texts(html)
    for point in map(str, range(1, 8)):
        assert point in shown
    assert {"always 0", "always 1", "1 if x > 3"} <= set(shown)
    assert html.count("<li>") == 15
    assert shown.count("0") == 7  # answers, on the edges


def test_large_trees_are_cut_with_a_note():
    assert "the first 4 of 8 levels" in texts(ls.plot(TREES["huge thresholds"]))
    assert "… 4 more levels" in texts(ls.plot(TREES["huge thresholds"]))
    assert "… 14 more" in texts(ls.plot(TREES["bounded star"]))
    assert "… any point" in texts(ls.plot(TREES["star"]))
    assert any(text.endswith("more levels") for text in texts(ls.plot(TREES["ipv6"])))
    assert "height 2**1023, 2**1024 nodes" in texts(ls.plot(TREES["chain"]))


def test_the_tree_of_the_paper():
    shown = texts(ls.plot(TREES["paper 001"]))
    assert shown[-1] == "height 3, 7 nodes"
    assert sorted(shown[1:-1]) == sorted(["f: always 0", *map(str, range(7))])


def test_a_decomposition_says_how_large_its_leaves_are():
    shown = texts(ls.plot(TREES["degree 0"]))
    assert shown.count("1 concept") == 16
    assert "p = 1, d = 4: degree 0, 16 leaves" in shown
    assert "9 concepts" in texts(ls.plot(TREES["decomposition"]))


def test_networks_are_written_as_networks():
    assert "128.0.0.0/1" in texts(ls.plot(TREES["ipv4"]))


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
