"""Learning by global stability: the learner of Alon, Bun, Livni, Malliaris and Moran (004).

==============  ================================================================================
`algorithm`     learner M: copies of G, stable histogram, final choice
`tournament`    the distributions D_k and one copy of G
`soa`           the SOA on any sequence of examples
`plan`          everything that public parameters decide, and the certificate
`frequency`     how often a copy submits its most frequent hypothesis
`estimators`    `StableLearner`, the scikit-learn shell
`claims`        what is asserted
==============  ================================================================================

Statements and proofs: ``docs/learners/stable.md``.
"""

from littlestone.learners.stable.algorithm import Stable
from littlestone.learners.stable.soa import extended_soa

__all__ = ["Stable", "extended_soa"]
