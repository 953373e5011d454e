"""The private learner of classes of VC dimension 1 (Yan 2025), improper and proper.

==============  ================================================================================
`learner`       `VC1`: plan, draw, guarantee, certificate; proper output, one draw over the leaves
`choosers`      the path that each chunk of the records forces, and a node by the paths: one draw,
                or a median depth and then a node of it
==============  ================================================================================

Statements and proofs: ``docs/learners/vc1.md``.
"""

from littlestone.learners.vc1.learner import VC1

__all__ = ["VC1"]
