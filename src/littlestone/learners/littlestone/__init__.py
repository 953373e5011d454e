"""The private learner of Littlestone classes (Lyu 2025, Theorem 3), improper and proper.

==================  ============================================================================
`learner`           `Littlestone`: plan, draw, guarantee, certificate; its teachers, each with a
                    part of the records, and their votes; `make_proper`
`plans`             how many teachers certify a draw of an intersection-closed class, also for
                    every realizable data set
==================  ============================================================================

Statements and proofs: ``docs/learners/littlestone.md``.
"""

from littlestone.learners.littlestone.learner import Littlestone, make_proper

__all__ = ["Littlestone", "make_proper"]
