"""The private learner of Littlestone classes (Lyu 2025, Theorem 3), improper and proper.

==================  ============================================================================
`learner`           `Littlestone`: plan, draw, guarantee, certificate
`teachers`          disjoint parts of the records, and the list that each one submits; how many
                    teachers list each hypothesis; the draw
`proper`            from a released hypothesis to a distribution over concepts
`plans`             how many teachers certify a draw of an intersection-closed class
`empirical`         certificates for every realizable data set: the error on the records
==================  ============================================================================

Statements and proofs: ``docs/learners/littlestone.md``.
"""

from littlestone.learners.littlestone.learner import Littlestone
from littlestone.learners.littlestone.proper import make_proper

__all__ = ["Littlestone", "make_proper"]
