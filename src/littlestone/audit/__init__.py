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

from littlestone.audit.all_n import AllN as AllN
from littlestone.audit.all_n import Step as Step
from littlestone.audit.all_n import all_n as all_n
from littlestone.audit.mechanism import MechanismVerification as MechanismVerification
from littlestone.audit.mechanism import replace_one as replace_one
from littlestone.audit.mechanism import verified as verified
from littlestone.audit.mechanism import verify_mechanism as verify_mechanism
from littlestone.audit.runs import Replay as Replay
from littlestone.audit.runs import replay as replay
from littlestone.audit.statistical import LowerBound as LowerBound
from littlestone.audit.statistical import lower_bound as lower_bound
from littlestone.audit.verify import Verification as Verification
from littlestone.audit.verify import output_distribution as output_distribution
from littlestone.audit.verify import verify as verify
