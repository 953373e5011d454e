"""A deterministic budget for exact searches: nodes are counted, never time.

Running time depends on the machine; a node count depends on the question alone. Code that must
behave equally for equal inputs (a private learner above all) can therefore rely on it.
"""

from __future__ import annotations

__all__ = ["DEFAULT_MAX_NODES", "NodeLimit", "OutOfNodes"]

#: Enough for random classes of a few hundred thousand hypotheses; minutes, not days, when reached.
DEFAULT_MAX_NODES = 1_000_000


class OutOfNodes(Exception):  # noqa: N818 - a signal inside the room, never seen outside
    """The budget is used up; `Kernel` turns it into `littlestone.errors.SearchLimitError`."""


class NodeLimit:
    """Count nodes up to a limit.

    Parameters
    ----------
    limit : int or None
        Most nodes of one question; None never stops.

    Examples
    --------
    >>> budget = NodeLimit(1)
    >>> budget.spend()
    >>> budget.spend()
    Traceback (most recent call last):
    ...
    littlestone.combinatorics.limits.OutOfNodes
    """

    __slots__ = ("limit", "used")

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.used = 0

    def spend(self) -> None:
        """Count one node; raise `OutOfNodes` when it is one too many."""
        if self.limit is not None and self.used >= self.limit:
            raise OutOfNodes
        self.used += 1
