"""Agnostic learning from realizable learners, and privacy amplified by secret subsampling.

===============  ====================================================================
`two_sample`     AgnosticFromRealizable: relabel by a private dichotomy, then learn
`subsample`      Subsampled: run a learner on a secret part of the records
`empirical`      EmpiricalFromPAC: on records drawn with replacement; its error is on the records
`boosted`        BoostedPrivate: rounds on filtered records, and a majority
`estimators`     all as scikit-learn classifiers
===============  ====================================================================

The proofs: ``docs/learners/agnostic.md``.
"""

from littlestone.learners.agnostic.boosted import Boosted
from littlestone.learners.agnostic.empirical import Empirical
from littlestone.learners.agnostic.subsample import Subsample
from littlestone.learners.agnostic.two_sample import TwoSample

__all__ = ["Boosted", "Empirical", "Subsample", "TwoSample"]
