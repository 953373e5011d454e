"""Is it really private? Exact verification on small domains."""

from littlestone.audit.statistical import LowerBound, lower_bound
from littlestone.audit.verify import Verification, output_distribution, verify

__all__ = ["LowerBound", "Verification", "lower_bound", "output_distribution", "verify"]
