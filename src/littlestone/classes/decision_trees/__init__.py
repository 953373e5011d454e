"""Decision trees over a public schema, drawn exactly by the exponential mechanism.

What each answer costs the records, the draw and the class (`concept_class`); normal forms, the
released tree, and SQL (`hypothesis`).
"""

from littlestone.classes.decision_trees.concept_class import DecisionTrees
from littlestone.classes.decision_trees.hypothesis import (
    Known,
    Node,
    Tree,
    TreeHypothesis,
    sides,
)

__all__ = ["DecisionTrees", "Known", "Node", "Tree", "TreeHypothesis", "sides"]
