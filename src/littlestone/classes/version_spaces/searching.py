"""Turning the end of a node budget into the public error, with the bounds reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from littlestone.combinatorics.budget import Budget, OutOfNodes
from littlestone.errors import SearchLimitError

__all__ = ["searching"]


@contextmanager
def searching(
    max_nodes: int | None, what: str, bounds: Callable[[], tuple[float, float]]
) -> Iterator[Budget]:
    """Give one question a budget of its own.

    Parameters
    ----------
    max_nodes : int or None
    what : str
        Subject of the message: "The Littlestone dimension".
    bounds : callable
        What is known if the budget ends.

    Raises
    ------
    SearchLimitError

    Examples
    --------
    >>> with searching(0, "The answer", lambda: (1, 3)) as budget:
    ...     budget.spend()
    Traceback (most recent call last):
    ...
    littlestone.errors.SearchLimitError: The answer lies between 1 and 3; the search stopped after 0
    nodes. Raise max_nodes to decide it.
    """
    budget = Budget(max_nodes)
    try:
        yield budget
    except OutOfNodes:
        lower, upper = bounds()
        raise SearchLimitError(lower, upper, budget.used, what) from None
