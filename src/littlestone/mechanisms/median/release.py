"""The private median: a mechanism chosen by public numbers, and one draw.

The choice sees the domain, the number of records, the window and the privacy parameters only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar

from littlestone.bounds import Certificate
from littlestone.bounds.bound import least_n
from littlestone.bounds.formulas import encode
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error
from littlestone.mechanisms.median.values import Ordered, RankExponential, RankWindow, TreeEM
from littlestone.mechanisms.select import entering_bottom
from littlestone.privacy import Guarantee
from littlestone.privacy.guarantee import check_nonnegative
from littlestone.source import Exp, LeveledChoice, Source, exp, source_of
from littlestone.types import Json

Mechanism = RankExponential | TreeEM
NAMES = ("auto", "exponential", "tree")


@dataclass(frozen=True)
class MedianPlan:
    """How many records each mechanism needs, before any data is looked at.

    Least n from which on A, the exponential mechanism, and B, `TreeEM`, are certified; None where
    delta is 0.
    """

    exponential: int
    tree: int | None

    @property
    def best(self) -> str:
        """The mechanism that needs the fewest records."""
        return "exponential" if self.tree is None or self.exponential <= self.tree else "tree"

    @property
    def n(self) -> int:
        """What the best one needs."""
        return self.exponential if self.tree is None else min(self.exponential, self.tree)


def plan_median(
    low: int,
    high: int,
    *,
    epsilon: Any,
    delta: Any = 0,
    rank: Any = (Fraction(1, 3), Fraction(2, 3)),
    beta: Any = Fraction(1, 20),
) -> MedianPlan:
    """Return how many records a private median needs, without any data.

    Arguments are those of `private_median`.

    Examples
    --------
    >>> plan_median(0, 2**64 - 1, epsilon=1, delta=1e-6)
    MedianPlan(exponential=563, tree=377)
    """
    size, window, epsilon, delta = check(
        "plan_median", low, high, epsilon=epsilon, delta=delta, rank=rank
    )
    beta = check_probability("plan_median", "beta", beta)
    pure = RankExponential(size, window, epsilon).least_n(beta)
    if not delta:
        return MedianPlan(pure, None)
    height = (size - 1).bit_length()
    tree = TreeEM(height, window, epsilon, delta)
    return MedianPlan(pure, tree.least_n(beta))


def choose(
    size: int,
    n: int,
    window: RankWindow,
    epsilon: Fraction,
    delta: Fraction,
    *,
    name: str = "auto",
) -> Mechanism:
    """Return the mechanism for n records: the one whose certified failure odds are smaller.

    It sees the size of the domain, the *number* of records, and the request; never a value.

    Examples
    --------
    >>> window = RankWindow.of((0, 1))
    >>> [choose(2**k, 125, window, Fraction(1), Fraction(1, 10**6)).name for k in (41, 42)]
    ['exponential', 'tree']
    """
    if name not in NAMES:
        constraint = f"one of {', '.join(NAMES)}"
        raise parameter_error("private_median", "mechanism", constraint, name)
    pure = RankExponential(size, window, epsilon)
    if name == "exponential" or (name == "auto" and not delta):
        return pure
    if not delta:
        hint = "Without delta there is only the exponential mechanism."
        raise parameter_error("private_median", "delta", f"positive for {name!r}", 0, hint)
    tree = TreeEM((size - 1).bit_length(), window, epsilon, delta)
    if name == "tree":
        return tree
    odds, tree_odds = pure.odds(n), tree.odds(n)
    if tree_odds is None or (odds is not None and (tree_odds - odds).sign() >= 0):
        return pure
    return tree


def check(
    caller: str, low: Any, high: Any, *, epsilon: Any, delta: Any, rank: Any
) -> tuple[int, RankWindow, Fraction, Fraction]:
    """Return (size, window, epsilon, delta) after checking the public parameters."""
    low = check_integer(caller, "low", low)
    high = check_integer(caller, "high", high)
    if high < low:
        raise parameter_error(caller, "high", "at least low", encode(high))
    epsilon = check_fraction(caller, "epsilon", epsilon)
    delta = check_nonnegative(caller, "delta", delta)
    if delta >= 1:
        raise parameter_error(caller, "delta", "in [0, 1)", delta, "Use 0 for pure privacy.")
    return high - low + 1, RankWindow.of(rank, caller), epsilon, delta


@dataclass(frozen=True)
class MedianRelease:
    """What a private median publishes.

    ``value`` is None (bottom) where the mechanism declined, with probability at most beta where the
    certificate holds. The certificate: ``value`` is in the rank window, except with probability
    beta; ``alpha`` is half of the window's width. Whether it holds depends on n and the request,
    never on the data.
    """

    value: int | None
    guarantee: Guarantee
    certificate: Certificate
    mechanism: str

    def to_dict(self) -> Json:
        """Return plain JSON; integers from 2**53 on as text."""
        return {
            "value": None if self.value is None else encode(self.value),
            "guarantee": self.guarantee.to_dict(),
            "certificate": self.certificate.to_dict(),
            "mechanism": self.mechanism,
        }

    def __str__(self) -> str:
        return f"{self.to_dict()['value']} ({self.guarantee}; {self.certificate})"


def private_median(
    values: Any,
    low: int,
    high: int,
    *,
    epsilon: Any,
    delta: Any = 0,
    rank: Any = (Fraction(1, 3), Fraction(2, 3)),
    beta: Any = Fraction(1, 20),
    mechanism: str = "auto",
    random_state: int | Source | None = None,
) -> MedianRelease:
    """Return a point of an ordered public domain whose rank is near the middle, privately.

    Values are integers of any size, one per record; those outside the public domain [low, high], of
    any size too, count as the nearer end. With delta = 0, pure privacy, n must grow with ln(high -
    low), else with its logarithm. ``rank`` is the target: at least ``low * n`` records <= value, at
    least ``(1 - high) * n`` >= value; so (0.85, 0.95) asks for a 90% quantile and (0, 1) for an
    interior point. beta is the failure probability of the certificate alone. ``mechanism="auto"``
    takes the smaller certified failure probability of "exponential" and "tree", by domain, n, rank,
    epsilon and delta only. ``random_state`` None uses the operating system's randomness; an int is
    reproducible and NOT private. `DataError` if a value
    is not a whole number: it names the rule only, and is outside the guarantee.

    Guarantee
    ---------
    Privacy : epsilon-DP ("exponential") or (epsilon, delta)-DP, for every input; neighbours replace
        one record, n public. Claims ``median.exponential``, ``median.tree``.
    Accuracy : for *every* data set, not only for random ones: the certificate.

    Notes
    -----
    Cost: one sort, then a few passes over the distinct values; no dependence on the domain.

    References
    ----------
    .. [1] Yan 2025, PrivateMedian (first version: Theorem 6, second: Theorem 9), which this
       replaces; docs/median.md.

    Examples
    --------
    >>> import littlestone as ls
    >>> ages = [34, 45, 29, 61, 50] * 20
    >>> private_median(ages, 0, 120, epsilon=1, random_state=0).value
    45
    """
    caller = "private_median"
    size, window, epsilon, delta = check(caller, low, high, epsilon=epsilon, delta=delta, rank=rank)
    beta = check_probability(caller, "beta", beta)
    source = source_of(caller, random_state)
    ordered = Ordered.read(values, int(low), int(high))
    chosen = choose(size, ordered.n, window, epsilon, delta, name=mechanism)
    guarantee = Guarantee(epsilon, chosen.delta, claim=chosen.claim, seeded=source.seeded)
    certificate = chosen.certificate(ordered.n, beta)
    # All public arguments are checked; from here on the source is drawn from.
    offset = chosen.draw(ordered, source)
    value = None if offset is None else int(low) + offset
    return MedianRelease(value, guarantee, certificate, chosen.name)


# -- One draw over the nodes of paths in a public tree: where most paths agree.
#
# Each record owns a path from the root to its end. A good node lies on some paths, and some paths
# end at it or before it. The draw is that of `TreeEM` with depth in the place of height; a VC-1
# learner uses it where the paper first releases a median depth and then chooses among nodes.


PATHS = "median.paths"


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
