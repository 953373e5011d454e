"""Scores of all paths of a forest, as runs of one preorder: the cost follows the sample alone."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["Runs", "path_runs"]

#: Where each run begins, how many nodes it holds, and their common score.
Runs = tuple[list[int], list[int], list[int]]


def path_runs(
    ranks: Sequence[int], ends: Sequence[int], gains: Sequence[int], nodes: int, base: int
) -> Runs:
    """Cut a preorder into runs of nodes with equal scores.

    The score of a node is ``base`` plus the gains of the marked nodes on its path from the top. A
    marked node and everything below it is one interval of the preorder, so intervals are nested
    or disjoint, and one sweep with a stack suffices. An extra element at the end, at rank
    ``nodes``, stands for the empty path.

    Parameters
    ----------
    ranks, ends : sequence of int of any size
        The interval [rank, end) of each marked node; ranks distinct.
    gains : sequence of int
    nodes : int
        Number of nodes of the forest.
    base : int

    Returns
    -------
    starts, lengths, scores : lists of int
        Lengths may be 0.

    Examples
    --------
    A chain 0, 1, 2 under a node 3, ... with node 1 marked by +5:

    >>> path_runs([1], [3], [5], nodes=4, base=0)
    ([0, 1, 3, 4], [1, 2, 1, 1], [0, 5, 0, 0])
    """
    starts, lengths, scores = [], [], []
    at = 0

    def run(end: int, score: int) -> None:
        nonlocal at
        starts.append(at)
        lengths.append(end - at)
        scores.append(score)
        at = end

    open_ends, open_scores = [nodes], [base]
    for i in sorted(range(len(ranks)), key=ranks.__getitem__):
        while open_ends[-1] <= ranks[i]:
            run(open_ends.pop(), open_scores.pop())
        run(ranks[i], open_scores[-1])
        open_ends.append(ends[i])
        open_scores.append(open_scores[-1] + gains[i])
    while open_ends:
        run(open_ends.pop(), open_scores.pop())
    run(nodes + 1, base)
    return starts, lengths, scores
