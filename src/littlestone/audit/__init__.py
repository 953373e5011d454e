"""Is it really private? Exact verification on small domains, statistical bounds on large ones."""

from littlestone.audit import attack as attack
from littlestone.audit.statistical import LowerBound, lower_bound
from littlestone.audit.verify import Verification, output_distribution, verify

__all__ = ["LowerBound", "Verification", "attack", "lower_bound", "output_distribution", "verify"]
