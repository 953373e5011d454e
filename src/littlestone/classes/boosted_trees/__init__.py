"""Sums of small decision trees: scorecards (depth 1) and boosted trees (depth 2 and 3).

The classes (`concept_class`), the released sum with its probabilities, points and effects
(`ensemble`), what it carries beside its trees (`coefficients`: points of codes, scores of periods,
coefficients with intervals), and texts for other programs (`export`, `score`).
They are learned by `littlestone.learners.boosting` and `littlestone.learners.linear`.
"""

from littlestone.classes.boosted_trees.concept_class import (
    BoostedTreeClass,
    LinearClass,
    ScorecardClass,
)
from littlestone.classes.boosted_trees.ensemble import TreeEnsemble, TreeSum

__all__ = ["BoostedTreeClass", "LinearClass", "ScorecardClass", "TreeEnsemble", "TreeSum"]
