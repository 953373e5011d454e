"""What is promised: neighbours, guarantees, losses, and their composition.

===========  =====================================================================================
`guarantee`  neighbours; (epsilon, delta) with its claim; losses; comparison of laws
`compose`    composition on the same records: the least of several theorems; filters
`ledger`     a durable budget, and for which table it is
===========  =====================================================================================

The theorems and what they are compared with: ``docs/ledger.md``.
"""

from littlestone.privacy.compose import Route as Route
from littlestone.privacy.compose import compose as compose
from littlestone.privacy.compose import largest_rho as largest_rho
from littlestone.privacy.compose import largest_scale as largest_scale
from littlestone.privacy.compose import routes as routes
from littlestone.privacy.compose import zcdp_to_dp as zcdp_to_dp
from littlestone.privacy.guarantee import Approximate as Approximate
from littlestone.privacy.guarantee import BoundedRange as BoundedRange
from littlestone.privacy.guarantee import ChargedTests as ChargedTests
from littlestone.privacy.guarantee import Concentrated as Concentrated
from littlestone.privacy.guarantee import Guarantee as Guarantee
from littlestone.privacy.guarantee import Loss as Loss
from littlestone.privacy.guarantee import Neighbours as Neighbours
from littlestone.privacy.guarantee import Part as Part
from littlestone.privacy.guarantee import Pure as Pure
from littlestone.privacy.guarantee import hockey_stick as hockey_stick
from littlestone.privacy.guarantee import parallel as parallel
from littlestone.privacy.guarantee import tightest_epsilon as tightest_epsilon
from littlestone.privacy.guarantee import total as total
from littlestone.privacy.ledger import Amount as Amount
from littlestone.privacy.ledger import Event as Event
from littlestone.privacy.ledger import Ledger as Ledger
from littlestone.privacy.ledger import check_ledger as check_ledger
