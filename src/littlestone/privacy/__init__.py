"""What is promised: neighbours, guarantees, losses, and their composition.

========================  =========================================================
`guarantee`               neighbours; (epsilon, delta) with its claim; parallel parts; split
`losses`                  what one mechanism promises, in the forms that compose
`compose`                 composition on the same records: the least of several theorems
`filters`                 when adaptively chosen releases must stop
`ledger`                  a durable budget; `entries`: what its file holds; `binding`: for which
                          table, and no old copy
`divergence`              exact comparison of two finite output laws
`rounding`                rounding that never flatters
========================  =========================================================

The theorems and what they are compared with: ``docs/accounting.md``.
"""

from littlestone.privacy.compose import Route, compose, largest_scale, routes, zcdp_to_dp
from littlestone.privacy.divergence import hockey_stick, tightest_epsilon
from littlestone.privacy.entries import Amount, Event
from littlestone.privacy.filters import largest_rho
from littlestone.privacy.guarantee import Guarantee, Neighbours, parallel, split
from littlestone.privacy.ledger import Ledger, check_ledger
from littlestone.privacy.losses import (
    Approximate,
    BoundedRange,
    ChargedTests,
    Concentrated,
    Loss,
    Pure,
)

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
    "Pure",
    "Route",
    "check_ledger",
    "compose",
    "hockey_stick",
    "largest_rho",
    "largest_scale",
    "parallel",
    "routes",
    "split",
    "tightest_epsilon",
    "zcdp_to_dp",
]
