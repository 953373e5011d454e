"""Pictures of paths: every node is there or said to be left out, and the page shows the picture."""

import xml.etree.ElementTree as ET
from pathlib import Path

import littlestone as ls
from littlestone.classes import AlwaysZero
from littlestone.classes.prefixes import IPV4, IPV6, PrefixHypothesis
from littlestone.classes.tree_paths import PathHypothesis
from littlestone.data import Sample
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.report import page
from littlestone.source import SeededSource


def texts(svg):
    return [e.text for e in ET.fromstring(svg).iter() if e.tag.endswith("text")]


def test_a_short_path_is_whole():
    said = texts(ls.plot(PathHypothesis(("animal", "mammal", "dog <wild>"))))
    assert said[:6] == ["1", "animal", "1", "mammal", "1", "dog <wild>"]
    assert " ".join(said).count("everything else, and everything below") == 1


def test_long_names_are_broken_not_cut_and_fit_a_phone():
    name = "01.1.4 Milk, other dairy products and eggs of all kinds"
    svg = ls.plot(PathHypothesis(("01 Food and non-alcoholic beverages", "01.1 Food", name)))
    assert name in " ".join(texts(svg))
    assert float(ET.fromstring(svg).get("width")) <= 360


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


def test_the_example_of_the_paper_is_drawn_in_the_docs():
    """Paper 001, section 1.3.2, figure 1: the file is what draw returns."""
    parents = {"x1": None, "x2": None, "x3": None, "x4": "x1", "x5": "x1", "x6": "x5", "x7": "x5"}
    drawn = ls.plot(ls.theory.TreePaths(parents).tree(AlwaysZero()))
    kept = Path(__file__).parents[2] / "docs" / "learners" / "vc1-example.svg"
    assert kept.read_text(encoding="utf-8") == drawn + "\n"
