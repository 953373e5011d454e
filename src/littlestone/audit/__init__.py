"""Is it really private? Exact verification on small domains, statistical bounds on large ones.

======================  ==========================================================================
`verify`, `mechanism`   exact: of a learner; of any function that draws through a source, here
                        or in another interpreter (`answer` is its side)
``all_n/``              step by step: private for every n
`replay`, `neighbours`  the exact loss on neighbours of a real table; secret; `runs`: the same
                        choices on both
`statistical`           lower bounds on epsilon by sampling: any callable; our learners;
                        `cells`: by which event;
                        `Family`: a table of audits that hold together, with controls
======================  ==========================================================================

The page: ``docs/audit.md``.
"""

from littlestone.audit.all_n import AllN, Step, all_n
from littlestone.audit.mechanism import (
    MechanismVerification,
    Worker,
    replace_one,
    verified,
    verify_mechanism,
)
from littlestone.audit.replay import Replay, replay
from littlestone.audit.statistical import Family, LowerBound, lower_bound
from littlestone.audit.verify import Verification, output_distribution, verify

__all__ = [
    "AllN",
    "Family",
    "LowerBound",
    "MechanismVerification",
    "Replay",
    "Step",
    "Verification",
    "Worker",
    "all_n",
    "lower_bound",
    "output_distribution",
    "replace_one",
    "replay",
    "verified",
    "verify",
    "verify_mechanism",
]
