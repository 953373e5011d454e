"""Sums of small decision trees: scorecards (depth 1) and boosted trees (depth 2 and 3).

The classes (`concept_class`), the released sum with its probabilities, points and effects
(`ensemble`; with several labels, `labelled`), and its texts for other programs (`export`,
`export_labels`). They are learned by `littlestone.learners.boosting`.
"""

from littlestone.classes.boosted_trees.concept_class import BoostedTreeClass, ScorecardClass
from littlestone.classes.boosted_trees.ensemble import TreeEnsemble
from littlestone.classes.boosted_trees.labelled import LabelEnsemble

__all__ = ["BoostedTreeClass", "LabelEnsemble", "ScorecardClass", "TreeEnsemble"]
