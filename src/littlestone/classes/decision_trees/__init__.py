"""Decision trees over a public schema, drawn exactly by the exponential mechanism.

One room: splits of the schema and their patterns on counted rows (`splits`), label counts by pairs
of them (`counts`), partition functions in balls (`partition`) and in doubles with a proved error
(`filter`), the top-down draw (`sampler`), the draw where records have weights (`weighted`), and
where leaves have any public labels (`labelled`), rows that are known by their counts alone
(`tabled`), normal forms (`nodes`), the released tree
(`hypothesis`), with its leaves kept apart (`leaves`), and its texts (`export`, `sql`), the class
(`concept_class`).
"""

from littlestone.classes.decision_trees.concept_class import DecisionTrees
from littlestone.classes.decision_trees.export import sides
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.leaves import LeafTree
from littlestone.classes.decision_trees.nodes import Known, Node, Tree

__all__ = ["DecisionTrees", "Known", "LeafTree", "Node", "Tree", "TreeHypothesis", "sides"]
