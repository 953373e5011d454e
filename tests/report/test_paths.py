"""Pictures of paths: every node is there or said to be left out, and the page shows the picture."""

import littlestone as ls
from littlestone.classes.prefixes import IPV4, IPV6, PrefixHypothesis
from littlestone.classes.tree_paths import PathHypothesis
from littlestone.data import Sample
from littlestone.learners import registry
from littlestone.learners.running import run
from littlestone.report import page
from littlestone.source import SeededSource

from .checker import texts


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
