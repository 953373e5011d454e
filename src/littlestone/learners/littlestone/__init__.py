"""The private learner of Littlestone classes (Lyu 2025, Theorem 3), improper and proper.

==================  ============================================================================
`algorithm`         `Littlestone`: learn, guarantee, certificate
`estimators`        `LittlestoneLearner`, the scikit-learn shell
`teachers`          disjoint parts of the records, and the list that each one submits
`closures`          lists for sparse sets, points, flats, conjunctions
`votes`             how many teachers list each hypothesis; the draw
`simulation`        a run on made records, to be looked at
`proper`            from a released hypothesis to a distribution over concepts
`planner`           everything that public parameters decide
`vote_margin`              from independent teachers to a certified draw
`plan_all`          plans where every concept of low error is listed
`plan_closed`       plans for intersection-closed classes
`plan_essential`    plans for any class with oracles: one draw, or the paper's stages
`levels`            tolerances at which low-error classes interleave
`claims`            what is asserted
==================  ============================================================================

Statements and proofs: ``docs/learners/littlestone.md``.
"""

from littlestone.learners.littlestone.algorithm import Littlestone
from littlestone.learners.littlestone.proper import make_proper

__all__ = ["Littlestone", "make_proper"]
