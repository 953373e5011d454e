"""Is it really private? Exact verification on small domains, statistical bounds on large ones.

======================  ==========================================================================
`verify`, `mechanism`   exact: of a learner; of any function that draws through a source
`all_n`, `chain`        step by step: private for every n
`runs`, `neighbours`    the exact loss on neighbours of a real table, by the same choices on both;
                        secret
`statistical`           lower bounds on epsilon by sampling, and by which event: any callable
======================  ==========================================================================

The page: ``docs/audit.md``.
"""

from littlestone.audit.all_n import AllN, Step, all_n
from littlestone.audit.mechanism import (
    MechanismVerification,
    replace_one,
    verified,
    verify_mechanism,
)
from littlestone.audit.runs import Replay, replay
from littlestone.audit.statistical import LowerBound, lower_bound
from littlestone.audit.verify import Verification, output_distribution, verify

__all__ = [
    "AllN",
    "LowerBound",
    "MechanismVerification",
    "Replay",
    "Step",
    "Verification",
    "all_n",
    "lower_bound",
    "output_distribution",
    "replace_one",
    "replay",
    "verified",
    "verify",
    "verify_mechanism",
]
