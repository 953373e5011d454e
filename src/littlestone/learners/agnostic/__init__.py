"""Agnostic learning from realizable learners, and privacy amplified by secret subsampling.

===============  ====================================================================
`algorithm`      AgnosticFromRealizable: relabel by a private dichotomy, then learn
`design`         how many records go where, and what that certifies
`subsample`      Subsampled: run a learner on a secret part of the records
`records`        drawing a part, and giving it new labels
`nested`         a certificate inside another one
`estimators`     both as scikit-learn classifiers
`claims`         what is asserted
===============  ====================================================================

The proofs: ``docs/learners/agnostic.md``.
"""

from littlestone.learners.agnostic.algorithm import TwoSample
from littlestone.learners.agnostic.subsample import Subsample

__all__ = ["Subsample", "TwoSample"]
