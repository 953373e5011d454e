"""Learning when users have many records: agnostic learning (paper 002, Section 4).

==================  ============================================================================
`learner`           `UserAgnostic`: all routes side by side, the least one taken; clipped
                    user-level errors, after a private choice of a window
`clipped_bounds`    what they certify
`scores`            user-level errors of all hypotheses at once; how many mistakes of a user tell
                    good hypotheses from bad ones (Lemma 4.1), and how many users make them, for
                    hypotheses that can be listed
==================  ============================================================================

Algorithms 1 and 2 as printed: `littlestone.papers.li_wang_ye`. Statements and proofs:
``docs/learners/users.md``.
"""

from littlestone.learners.users.learner import UserAgnostic

__all__ = ["UserAgnostic"]
