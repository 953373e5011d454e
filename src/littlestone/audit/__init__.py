"""Is it really private? Exact verification on small domains, statistical bounds on large ones."""

from littlestone.audit import attack as attack
from littlestone.audit.mechanism import MechanismVerification, replace_one, verify_mechanism
from littlestone.audit.statistical import LowerBound, lower_bound
from littlestone.audit.verify import Verification, output_distribution, verify

__all__ = [
    "LowerBound",
    "MechanismVerification",
    "Verification",
    "attack",
    "lower_bound",
    "output_distribution",
    "replace_one",
    "verify",
    "verify_mechanism",
]
