"""Sums of small decision trees: scorecards (depth 1) and boosted trees (depth 2 and 3).

The classes (`concept_class`), the released sum with its probabilities, points and effects
(`ensemble`), points in order along bins and life tables (`monotone`), coefficients with intervals
(`coefficients`), and texts for other programs (`export`).
They are learned by `littlestone.learners.boosting` and `littlestone.learners.linear`.
"""

from littlestone.classes.boosted_trees.concept_class import (
    BoostedTreeClass,
    LinearClass,
    ScorecardClass,
)
from littlestone.classes.boosted_trees.ensemble import TreeEnsemble, TreeSum

__all__ = ["BoostedTreeClass", "LinearClass", "ScorecardClass", "TreeEnsemble", "TreeSum"]
