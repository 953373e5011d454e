"""One table of exact verifications: every mechanism and every learner of the library."""

from littlestone.audit.table.case import Case, Row
from littlestone.audit.table.learners import LEARNERS
from littlestone.audit.table.mechanisms import MECHANISMS

__all__ = ["CASES", "LEARNERS", "MECHANISMS", "Case", "Row"]

CASES: tuple[Case, ...] = (*MECHANISMS, *LEARNERS)
