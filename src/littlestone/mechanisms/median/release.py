"""The private median: a mechanism chosen by public numbers, and one draw.

The choice sees the domain, the number of records, the window and the privacy parameters only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.bounds import Certificate
from littlestone.bounds.formulas import encode
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error
from littlestone.mechanisms.median.exponential import RankExponential
from littlestone.mechanisms.median.tree_em import TreeEM
from littlestone.mechanisms.median.tree_log import TreeLog
from littlestone.mechanisms.median.values import Ordered, RankWindow
from littlestone.privacy import Guarantee
from littlestone.privacy.rounding import check_nonnegative
from littlestone.source import Source, source_of
from littlestone.types import Json

Mechanism = RankExponential | TreeEM | TreeLog
NAMES = ("auto", "exponential", "tree", "tree-log")


@dataclass(frozen=True)
class MedianPlan:
    """How many records each mechanism needs, before any data is looked at.

    Least n from which on A, the exponential mechanism, B, `TreeEM`, and C, `TreeLog` with one
    level, are certified; None where delta is 0.
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

    Arguments are those of `private_median`.

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
    epsilon and delta only; "tree-log" is a reconstruction, for reference. ``random_state`` None
    draws from the operating system; an int is reproducible and NOT private. `DataError` if a value
    is not a whole number: it names the rule only, and is outside the guarantee.

    Guarantee
    ---------
    Privacy : epsilon-DP ("exponential") or (epsilon, delta)-DP, for every input; neighbours replace
        one record, n public. Claims ``median.exponential``, ``median.tree``, ``median.tree-log``.
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
    chosen = choose(size, ordered.n, window, epsilon, delta, name=mechanism, beta=beta)
    guarantee = Guarantee(epsilon, chosen.delta, claim=chosen.claim, seeded=source.seeded)
    certificate = chosen.certificate(ordered.n, beta)
    # All public arguments are checked; from here on the source is drawn from.
    offset = chosen.draw(ordered, source)
    value = None if offset is None else int(low) + offset
    return MedianRelease(value, guarantee, certificate, chosen.name)
