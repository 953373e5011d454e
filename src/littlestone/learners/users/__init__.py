"""Learning when users hold many records: agnostic learning and thresholds (paper 002)."""

from littlestone.learners.users.agnostic import UserAgnostic
from littlestone.learners.users.threshold import UserThreshold

__all__ = ["UserAgnostic", "UserThreshold"]
