"""One draw over the nodes of paths in a public tree: where most paths agree.

Each record owns a path from the root to its end. A good node lies on some paths, and some paths end
at it or before it. The draw is that of `TreeEM` with depth in the place of height; a VC-1 learner
uses it where the paper first releases a median depth and then chooses among nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from littlestone.bounds import register_claim
from littlestone.bounds.search import least_n
from littlestone.errors import check_fraction, check_integer, check_probability
from littlestone.mechanisms.select import entering_bottom
from littlestone.source import Exp, LeveledChoice, Source, exp

PATHS = register_claim(
    "median.paths",
    "littlestone",
    "docs/median.md, after Beimel, Nissim and Stemmer 2013 (choosing mechanism)",
    "One draw over the nodes of t paths of length at most d, with a bottom of weight "
    "d e**(epsilon/2) (1-delta)/delta, is (epsilon, delta)-DP when one path is replaced by any "
    "other.",
)


Node = TypeVar("Node")


class PathTree(Protocol[Node]):
    """A public rooted tree; it may be far too large to list."""

    def depth(self, node: Node) -> int:
        """Return the depth; the root has 0."""

    def meet(self, a: Node, b: Node) -> int:
        """Return the depth of the deepest common ancestor (a node is its own ancestor)."""

    def ancestor(self, node: Node, depth: int) -> Node:
        """Return the ancestor at that depth; equal nodes must be equal objects."""

    def order(self, node: Node) -> Any:
        """Return a sort key of a depth-first order: a node, then all that lies below it."""


class TuplePaths:
    """The tree of all tuples: the parent of ``(a, b, c)`` is ``(a, b)``.

    Examples
    --------
    >>> TuplePaths().meet(("10", "0"), ("10", "7", "1"))
    1
    """

    def depth(self, node: tuple[Any, ...]) -> int:
        """Return the length."""
        return len(node)

    def meet(self, a: tuple[Any, ...], b: tuple[Any, ...]) -> int:
        """Return the length of the longest common prefix."""
        same = (x == y for x, y in zip(a, b, strict=False))
        return next((i for i, equal in enumerate(same) if not equal), min(len(a), len(b)))

    def ancestor(self, node: tuple[Any, ...], depth: int) -> tuple[Any, ...]:
        """Return the prefix."""
        return node[:depth]

    def order(self, node: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the node: tuples are sorted depth first."""
        return node


class Chain:
    """The tree that is one path: nodes 0, 1, 2, ... (thresholds)."""

    def depth(self, node: int) -> int:
        """Return the node."""
        return node

    def meet(self, a: int, b: int) -> int:
        """Return the smaller one."""
        return min(a, b)

    def ancestor(self, node: int, depth: int) -> int:
        """Return the depth."""
        return depth

    def order(self, node: int) -> int:
        """Return the node."""
        return node


def one_shot_path(
    ends: Sequence[Node],
    tree: PathTree[Node],
    *,
    max_depth: int,
    epsilon: Any,
    delta: Any,
    source: Source,
    reserve: int = 0,
) -> Node | None:
    """Return a node that lies on many paths and at or behind the end of many; None for bottom.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP when one end is replaced by any other. The score of x is
    ``min(#{i : x on path i}, #{i : end i is not strictly below x} - reserve)``; it moves by at
    most 1; at most ``max_depth`` nodes enter (the root is always there), with a score of at most
    1. Claim ``median.paths``; docs/median.md.

    *Accuracy.* `path_odds`.

    *Cost.* One sort and t calls of ``meet``; at most two runs for each end and each branching.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> ends = [("de", "bonn")] * 60 + [("de", "bonn", "center")] * 60
    >>> one_shot_path(ends, TuplePaths(), max_depth=3, epsilon=1, delta=1e-6,
    ...               source=SeededSource(0))
    ('de', 'bonn')
    """
    rate = check_fraction("one_shot_path", "epsilon", epsilon) / 2
    delta = check_probability("one_shot_path", "delta", delta)
    max_depth = check_integer("one_shot_path", "max_depth", max_depth, low=0)
    reserve = check_integer("one_shot_path", "reserve", reserve, low=0)
    cut = [end if tree.depth(end) <= max_depth else tree.ancestor(end, max_depth) for end in ends]
    edges = _edges(sorted(cut, key=tree.order), tree)
    bottom = entering_bottom(entering=max_depth, score=1, rate=rate, delta=delta)

    def node(run: int, place: int) -> Node:
        edge = edges[run // 2]
        return tree.ancestor(edge.below, edge.depth if run % 2 else edge.above + 1 + place)

    scores, lengths = _runs(edges, len(cut), reserve)
    return LeveledChoice(scores, lengths, node, bottom).draw(rate, source)


def path_odds(t: int, *, max_depth: int, epsilon: Any, delta: Any, above: int = 0) -> Exp:
    """Return an upper bound of Pr[bottom or score <= above] / Pr[score > above]."""
    rate = check_fraction("path_odds", "epsilon", epsilon) / 2
    delta = check_probability("path_odds", "delta", delta)
    t = check_integer("path_odds", "t", t, low=1)
    max_depth = check_integer("path_odds", "max_depth", max_depth, low=0)
    above = check_integer("path_odds", "above", above, low=0)
    bottom = entering_bottom(entering=max_depth, score=1, rate=rate, delta=delta)
    return (bottom + exp(rate * above, times=max_depth + 1)) * exp(-rate * (-(-t // 2)))


def paths_needed(*, max_depth: int, epsilon: Any, delta: Any, beta: Any, above: int = 0) -> int:
    """Return the least number of paths with which bottom or score <= above has chance <= beta.

    Examples
    --------
    >>> [paths_needed(max_depth=2**k, epsilon=1, delta=1e-6, beta=0.05) for k in (4, 10, 20, 64)]
    [81, 97, 125, 247]
    """
    beta = check_probability("paths_needed", "beta", beta)
    allowed = beta / (1 - beta)

    def holds(t: int) -> bool:
        odds = path_odds(t, max_depth=max_depth, epsilon=epsilon, delta=delta, above=above)
        return bool((allowed - odds).sign() >= 0)

    # a score above `above` must exist at all
    return max(least_n(holds), 2 * above + 1)


@dataclass
class _Edge:
    """Nodes of depth above + 1, ..., depth over ``below``, with the same paths through them."""

    above: int
    depth: int
    through: int
    ending: int  # paths that end at the last of these nodes; none ends at the others
    below: Any


def _edges(ends: list[Any], tree: PathTree[Any]) -> list[_Edge]:
    """Compress the union of the paths: at most 2t edges, the root first or last among them."""
    if not ends:
        return []
    done: list[_Edge] = []
    # open nodes on the path to the last end, from the root down
    path = [_Edge(-1, 0, 0, 0, ends[0])]

    def close(down_to: int) -> None:
        while path[-1].depth > down_to:
            edge = path.pop()
            if path[-1].depth < down_to:  # the paths part inside the edge
                path.append(_Edge(-1, down_to, 0, 0, edge.below))
            edge.above = path[-1].depth
            path[-1].through += edge.through
            done.append(edge)

    for i, end in enumerate(ends):
        depth = tree.depth(end)
        close(min(tree.meet(ends[i - 1], end), depth) if i else 0)
        if path[-1].depth < depth:
            path.append(_Edge(-1, depth, 0, 0, end))
        path[-1].through += 1
        path[-1].ending += 1
    close(0)
    return [*done, path[0]]


def _runs(edges: list[_Edge], t: int, reserve: int = 0) -> tuple[list[int], list[int]]:
    """Return scores and lengths of two runs for each edge: its inner nodes, and its last one."""
    scores: list[int] = []
    lengths: list[int] = []
    for edge in edges:
        beside = t - edge.through - reserve
        scores += [min(edge.through, beside), min(edge.through, beside + edge.ending)]
        lengths += [edge.depth - edge.above - 1, 1]
    return scores, lengths
