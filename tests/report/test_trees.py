"""Trees are drawn inside the picture, with every question and every leaf, whatever the names."""

from __future__ import annotations

from html import unescape

import pytest

import littlestone as ls
from littlestone.classes import TreeHypothesis
from littlestone.classes.decision_trees import Node
from littlestone.data import Literal, Schema
from littlestone.report import page

from .checker import texts

SCHEMA = Schema.from_dict(
    {"age": {"bins": [30, 60]}, "<b>\"&'": {"categories": ["</svg><script>", "w" * 300]}}
)
AT30, _, AT60, _, NASTY, _, LONG, _ = SCHEMA.literals()
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
