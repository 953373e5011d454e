"""Learning when users hold many records: agnostic learning and thresholds (paper 002).

==================  ============================================================================
`agnostic`          `UserAgnostic`: learn, guarantee, certificate (Theorem 4.6)
`mechanisms`        the two that choose: group privacy, user-level errors; their certificates
`plan`              which of them, and how epsilon is shared: public parameters only
`compare`           PrivateCompare (Lemma C.1): one private bit
`min_error`         PrivateMinError (Algorithm 2, Lemma 4.5): where the best error lies
`grid_error`        the same in one draw
`separation`        how many mistakes of a user tell good hypotheses from bad ones (Lemma 4.1)
`threshold`         `UserThreshold`: PrivateThreshold (Algorithm 1, Theorem 5.2)
`interval_median`   a private point that halves an interval (Lemma 5.1)
`threshold_plan`    budget and certificate of Algorithm 1
`sweeps`            user-level errors of all hypotheses at once; `sweeps_lines` and `lines` for
                    classes over an ordered domain, `sweeps_finite` for lists
`estimators`        the scikit-learn shells
`simulation`        made users, to be looked at
`claims`            what is asserted
==================  ============================================================================

Statements and proofs: ``docs/learners/users.md``.
"""

from littlestone.learners.users.agnostic import UserAgnostic
from littlestone.learners.users.threshold import UserThreshold

__all__ = ["UserAgnostic", "UserThreshold"]
