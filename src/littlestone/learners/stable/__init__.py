"""Learning by global stability: the learner of Alon, Bun, Livni, Malliaris and Moran (004).

==============  ================================================================================
`learner`       learner M: copies of G, stable histogram, final choice
`tournament`    the distributions D_k, one copy of G, and the SOA on any sequence of examples
`plan`          how many copies and rounds; how often they agree; the certificate
`protocol`      the same for any algorithm of the reader's; how stable it is
`estimators`    `StableLearner` and `GloballyStable`, for scikit-learn
==============  ================================================================================

Statements and proofs: ``docs/learners/stable.md``.
"""

from littlestone.learners.stable.learner import Stable
from littlestone.learners.stable.protocol import StableProtocol
from littlestone.learners.stable.tournament import extended_soa

__all__ = ["Stable", "StableProtocol", "extended_soa"]
