"""A private median, quantile or interior point of an ordered public domain of any size.

==========  ======================================================================================
`values`    the records, and the target; A: the exponential mechanism on the rank, pure,
            n ~ ln |X|; B: one draw over tree nodes, n ~ ln ln |X| + ln(1/delta)
`release`   choosing between A and B by public numbers; B's draw on the paths of any tree
==========  ======================================================================================

The median of order log* is `littlestone.papers.yan.PrivateMedian`. Statements, proofs and
the table of certified n: ``docs/median.md``.
"""

from littlestone.mechanisms.median.release import (
    Chain,
    MedianPlan,
    MedianRelease,
    PathTree,
    TuplePaths,
    choose,
    one_shot_path,
    path_odds,
    paths_needed,
    plan_median,
    private_median,
)
from littlestone.mechanisms.median.values import Ordered, RankExponential, RankWindow, TreeEM

__all__ = [
    "Chain",
    "MedianPlan",
    "MedianRelease",
    "Ordered",
    "PathTree",
    "RankExponential",
    "RankWindow",
    "TreeEM",
    "TuplePaths",
    "choose",
    "one_shot_path",
    "path_odds",
    "paths_needed",
    "plan_median",
    "private_median",
]
