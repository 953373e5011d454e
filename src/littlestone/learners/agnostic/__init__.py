"""Agnostic learning from realizable learners, and privacy amplified by secret subsampling.

===============  ====================================================================
`two_sample`     AgnosticFromRealizable: relabel by a private dichotomy, then learn
`subsample`      Subsampled: run a learner on a secret part of the records
===============  ====================================================================

The proofs: ``docs/learners/agnostic.md``.
"""

from littlestone.learners.agnostic.subsample import Subsample
from littlestone.learners.agnostic.two_sample import TwoSample

__all__ = ["Subsample", "TwoSample"]
