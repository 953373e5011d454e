"""Choosing a mechanism from public parameters only: domain, number of records, window, privacy."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.bounds.formulas import encode
from littlestone.errors import (
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.mechanisms.median.exponential import RankExponential
from littlestone.mechanisms.median.tree_em import TreeEM
from littlestone.mechanisms.median.tree_log import TreeLog
from littlestone.mechanisms.median.window import RankWindow
from littlestone.privacy.rounding import check_nonnegative

__all__ = ["Mechanism", "MedianPlan", "choose", "plan_median"]

Mechanism = RankExponential | TreeEM | TreeLog
NAMES = ("auto", "exponential", "tree", "tree-log")


@dataclass(frozen=True)
class MedianPlan:
    """How many records each mechanism needs, before any data is looked at.

    Attributes
    ----------
    exponential : int
        Least n from which on A, the exponential mechanism, is certified.
    tree, tree_log : int or None
        The same for B, TreeEM, and for C, TreeLog with one level; None where delta is 0.
    """

    exponential: int
    tree: int | None
    tree_log: int | None

    @property
    def best(self) -> str:
        """The mechanism that needs the fewest records; C is a reconstruction, for reference."""
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

    Parameters
    ----------
    low, high, epsilon, delta, rank, beta
        As for `private_median`.

    Returns
    -------
    MedianPlan

    Examples
    --------
    >>> plan_median(0, 2**64 - 1, epsilon=1, delta=1e-6)
    MedianPlan(exponential=563, tree=377, tree_log=1250)
    """
    size, window, epsilon, delta = check(
        "plan_median", low, high, epsilon=epsilon, delta=delta, rank=rank
    )
    beta = check_probability("plan_median", "beta", beta)
    pure = RankExponential(size, window, epsilon).least_n(beta)
    if not delta:
        return MedianPlan(pure, None, None)
    height = (size - 1).bit_length()
    tree = TreeEM(height, window, epsilon, delta)
    log = TreeLog(height, window, epsilon, delta, beta=beta)
    return MedianPlan(pure, tree.least_n(beta), log.least_n())


def choose(
    size: int,
    n: int,
    window: RankWindow,
    epsilon: Fraction,
    delta: Fraction,
    *,
    name: str = "auto",
    beta: Fraction = Fraction(1, 20),
) -> Mechanism:
    """Return the mechanism for n records: the one whose certified failure odds are smaller.

    It sees the size of the domain, the *number* of records, and the request; never a value. (The
    ``beta`` matters for the thresholds of ``"tree-log"`` only.)

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
    height = (size - 1).bit_length()
    if name == "tree-log":
        return TreeLog(height, window, epsilon, delta, beta=beta)
    tree = TreeEM(height, window, epsilon, delta)
    if name == "tree":
        return tree
    odds, tree_odds = pure.odds(n), tree.odds(n)
    if tree_odds is None or (odds is not None and (tree_odds - odds).sign() >= 0):
        return pure
    return tree


def check(
    owner: str, low: Any, high: Any, *, epsilon: Any, delta: Any, rank: Any
) -> tuple[int, RankWindow, Fraction, Fraction]:
    """Return (size, window, epsilon, delta) after checking the public parameters."""
    low = check_integer(owner, "low", low)
    high = check_integer(owner, "high", high)
    if high < low:
        raise parameter_error(owner, "high", "at least low", encode(high))
    epsilon = check_fraction(owner, "epsilon", epsilon)
    delta = check_nonnegative(owner, "delta", delta)
    if delta >= 1:
        raise parameter_error(owner, "delta", "in [0, 1)", delta, "Use 0 for pure privacy.")
    return high - low + 1, RankWindow.of(rank, owner), epsilon, delta
