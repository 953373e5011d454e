"""Rule lists over a public schema, drawn exactly by the exponential mechanism.

One room: the weights of all lists and the draw (`sampler`), the released list, also with its
leaves kept apart (`hypothesis`), the class (`concept_class`). A list is a decision tree in which
one side of every split is a leaf, so splits, counts, enclosures and texts are those of
`decision_trees`.
"""

from littlestone.classes.rule_lists.concept_class import RuleLists
from littlestone.classes.rule_lists.hypothesis import LeafList, ListHypothesis

__all__ = ["LeafList", "ListHypothesis", "RuleLists"]
