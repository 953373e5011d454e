"""Learning when users have many records: agnostic learning and thresholds (paper 002).

==================  ============================================================================
`learner`           `UserAgnostic`: all routes side by side, the least one taken, and its plan
`clipped`           clipped user-level errors, after a private choice of a window; what they
                    certify: `clipped_bounds`
`min_error`         PrivateCompare (Lemma C.1), PrivateMinError (Algorithm 2)
`binary_search`     Theorem 4.6: search, then choose; the numbers of the paper's route
`threshold`         PrivateThreshold (Algorithm 1, Lemma 5.1, Theorem 5.2)
`scores`            user-level errors of all hypotheses at once; `scores_listed` for lists
`binomials`         how many mistakes of a user tell good hypotheses from bad ones (Lemma 4.1)
`estimators`        the scikit-learn estimator
`claims`            what is asserted
==================  ============================================================================

Statements and proofs: ``docs/learners/users.md``.
"""

from littlestone.learners.users.learner import UserAgnostic

__all__ = ["UserAgnostic"]
