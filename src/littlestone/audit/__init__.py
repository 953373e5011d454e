"""Is it really private? Exact verification on small domains."""

from littlestone.audit.verify import Verification, output_distribution, verify

__all__ = ["Verification", "output_distribution", "verify"]
