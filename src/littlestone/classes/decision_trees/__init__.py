"""Decision trees over a public schema, drawn exactly by the exponential mechanism.

What each answer costs the records, by codes and by splits (`rows`), the draw (`weighted`), normal
forms (`nodes`), the released tree, also with its leaves kept apart (`hypothesis`), and SQL
(`sql`), the class (`concept_class`).
"""

from littlestone.classes.decision_trees.concept_class import DecisionTrees
from littlestone.classes.decision_trees.hypothesis import LeafTree, TreeHypothesis, sides
from littlestone.classes.decision_trees.nodes import Known, Node, Tree

__all__ = ["DecisionTrees", "Known", "LeafTree", "Node", "Tree", "TreeHypothesis", "sides"]
