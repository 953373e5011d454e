"""The private learner of Littlestone classes (Lyu 2025, Theorem 3), improper and proper.

==================  ============================================================================
`learner`           `Littlestone`: plan, draw, guarantee, certificate
`teachers`          disjoint parts of the records, and the list that each one submits
`closures`          lists for sparse sets, points, flats, conjunctions
`votes`             how many teachers list each hypothesis; the draw
`interval_votes`    votes for intervals, counted without a list
`proper`            from a released hypothesis to a distribution over concepts
`plans`             how many teachers certify a draw: listed and intersection-closed classes
`essential_plans`   plans for any class with oracles: one draw, or the paper's stages
`empirical`         certificates for every realizable data set: the error on the records
`estimators`        `LittlestoneLearner`, for scikit-learn
`claims`            what is asserted
==================  ============================================================================

Statements and proofs: ``docs/learners/littlestone.md``.
"""

from littlestone.learners.littlestone.learner import Littlestone
from littlestone.learners.littlestone.proper import make_proper

__all__ = ["Littlestone", "make_proper"]
