"""What is promised: neighbours, guarantees, losses, and their composition.

===========  =====================================================================================
`guarantee`  neighbours; (epsilon, delta) with its claim; losses; comparison of laws
`compose`    composition on the same records: the least of several theorems; filters
`ledger`     a durable budget, and for which table it is
===========  =====================================================================================

The theorems and what they are compared with: ``docs/ledger.md``.
"""

from littlestone.privacy.compose import (
    Route,
    compose,
    largest_rho,
    largest_scale,
    routes,
    zcdp_to_dp,
)
from littlestone.privacy.guarantee import (
    Approximate,
    BoundedRange,
    ChargedTests,
    Concentrated,
    Guarantee,
    Loss,
    Neighbours,
    Part,
    Pure,
    hockey_stick,
    parallel,
    tightest_epsilon,
    total,
)
from littlestone.privacy.ledger import Amount, Event, Ledger, check_ledger

__all__ = [
    "Amount",
    "Approximate",
    "BoundedRange",
    "ChargedTests",
    "Concentrated",
    "Event",
    "Guarantee",
    "Ledger",
    "Loss",
    "Neighbours",
    "Part",
    "Pure",
    "Route",
    "check_ledger",
    "compose",
    "hockey_stick",
    "largest_rho",
    "largest_scale",
    "parallel",
    "routes",
    "tightest_epsilon",
    "total",
    "zcdp_to_dp",
]
