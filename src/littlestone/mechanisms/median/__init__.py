"""A private median, quantile or interior point of an ordered public domain of any size.

==================  =============================================================
`exponential`       A: the exponential mechanism on the rank; pure, n ~ ln |X|
`tree_em`           B: one draw over tree nodes; n ~ ln ln |X| + ln(1/delta)
`tree_log`          C: recursion on depths (log*), a reconstruction for reference
`one_shot`          B's draw on the paths of any public tree, for VC-1 learners
`release`           choosing between A and B by public numbers; `private_median`
`values`            the records, and the target
==================  =============================================================

Statements, proofs and the table of certified n: ``docs/median.md``.
"""

from littlestone.mechanisms.median.exponential import RankExponential
from littlestone.mechanisms.median.one_shot import (
    Chain,
    PathTree,
    TuplePaths,
    one_shot_path,
    path_odds,
    paths_needed,
)
from littlestone.mechanisms.median.release import (
    MedianPlan,
    MedianRelease,
    choose,
    plan_median,
    private_median,
)
from littlestone.mechanisms.median.tree_em import TreeEM
from littlestone.mechanisms.median.tree_log import TreeLog
from littlestone.mechanisms.median.values import Ordered, RankWindow

__all__ = [
    "Chain",
    "MedianPlan",
    "MedianRelease",
    "Ordered",
    "PathTree",
    "RankExponential",
    "RankWindow",
    "TreeEM",
    "TreeLog",
    "TuplePaths",
    "choose",
    "one_shot_path",
    "path_odds",
    "paths_needed",
    "plan_median",
    "private_median",
]
