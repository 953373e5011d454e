"""Stable histogram: which items are frequent, among items that cannot be listed beforehand.

Each item that occurs is kept if its count plus noise reaches a threshold tau; items that do not
occur cannot appear. With rate r = epsilon/2, p = e**-r, Pr[z] = (1-p)/(1+p) p**|z| and
``tau = the least integer with p**(tau - 1) / (1 + p) <= delta``:

*Proof* (replace-one: x becomes x'). One count falls by 1, one rises by 1; noises are independent.
Write d = p**(tau - 1) / (1 + p) = Pr[1 + Z >= tau] <= delta. A count that moves between positive
values changes the law of its noisy count by factors in [p, 1/p]. A count that moves between 1 and 0
changes "not kept" between 1 - d and 1, and "kept" between d and 0.

* Both counts stay positive: factor at most p**-2 = e**epsilon, no delta.
* One moves between 1 and 0, the other between positive values. From the side on which it is 1: d
  for "kept", and a factor (1 - d)/p on the rest. From the other side: divergence at epsilon at most
  1 - e**epsilon (1 - d) p = 1 - (1 - d)/p <= d.
* x was single and x' is new: "x kept" has mass d on one side, "x' kept" on the other, and all else
  is as likely on both sides: divergence d at every epsilon. []

So the delta that is used is exactly d. (Korolova, Kenthapadi, Mishra and Ntoulas 2009; Bun, Nissim
and Stemmer 2016; paper 004, Lemma 28. The threshold for replace-one is this library's.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

from littlestone.bounds import register_claim
from littlestone.bounds.search import least_n
from littlestone.errors import ParameterError, check_fraction, check_integer, check_probability
from littlestone.mechanisms.estimate import coin_of, truncated
from littlestone.mechanisms.select import Order, canonical_key, ordered
from littlestone.source import Source, exp

PRIVACY = register_claim(
    "histogram.privacy",
    "Korolova, Kenthapadi, Mishra, Ntoulas; Bun, Nissim, Stemmer; threshold: littlestone",
    "2009, 2016; docs/mechanisms.md",
    "Items whose count plus two-sided geometric noise of rate epsilon/2 reaches tau are "
    "(epsilon, delta)-DP under replace-one if e**(-(epsilon/2)(tau-1)) / (1 + e**(-epsilon/2)) "
    "<= delta.",
)

T = TypeVar("T", bound=Hashable)


def stable_histogram(
    items: Iterable[T],
    *,
    n: int,
    epsilon: Any,
    delta: Any,
    source: Source,
    at_least: int = 0,
    order: Order = canonical_key,
) -> dict[T, int]:
    """Return the frequent items, in a canonical order, with their noisy counts.

    There is one item for each record (or teacher), or none, and at most n of them (public; more are
    the caller's mistake); noisy counts are cut at max(n, `histogram_threshold`). ``at_least`` is a
    further public threshold on the noisy count, which cannot lower the private one; ``order`` is a
    public function from items to distinct sort keys.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP under replace-one, (epsilon/2, delta) under add/remove, for
    every input; proof at the top of the module.

    *Cost.* One pass, and at most 2 + log2(n) coins for each distinct item.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> words = ["tea"] * 90 + ["coffee"] * 60 + ["a name"]
    >>> stable_histogram(words, n=151, epsilon=1, delta=1e-6, source=SeededSource(0))
    {'coffee': 60, 'tea': 90}
    """
    rate, tau = _rate_and_threshold("stable_histogram", epsilon, delta, at_least)
    counts = _counted("stable_histogram", items, n)
    kept: dict[T, int] = {}
    for item in ordered(counts, order):
        noisy = counts[item] + truncated(rate, max(n, tau), source)
        if noisy >= tau:
            kept[item] = min(noisy, max(n, tau))
    return kept


def stable_items(
    items: Iterable[T],
    *,
    n: int,
    epsilon: Any,
    delta: Any,
    source: Source,
    at_least: int = 0,
    order: Order = canonical_key,
) -> list[T]:
    """Return the frequent items, without counts: one coin for each distinct item.

    Arguments are those of `stable_histogram`; this is the list of its keys, equal in law.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> stable_items([7] * 90 + [8], n=91, epsilon=1, delta=1e-6, source=SeededSource(0))
    [7]
    """
    rate, tau = _rate_and_threshold("stable_items", epsilon, delta, at_least)
    counts = _counted("stable_items", items, n)
    return [
        item for item in ordered(counts, order) if source.choose(coin_of(rate, counts[item] - tau))
    ]


def histogram_threshold(*, epsilon: Any, delta: Any) -> int:
    """Return tau: the least noisy count that is ever released, decided exactly.

    Examples
    --------
    >>> histogram_threshold(epsilon=1, delta=1e-6)
    28
    """
    rate, delta = _checked("histogram_threshold", epsilon, delta)
    return _threshold(rate, delta)


def count_listed(*, epsilon: Any, delta: Any, beta: Any, at_least: int = 0) -> int:
    """Return the least count with which one item is kept, except with chance at most beta.

    Examples
    --------
    >>> count_listed(epsilon=1, delta=1e-6, beta=0.01)
    36
    """
    rate, delta = _checked("count_listed", epsilon, delta)
    beta = check_probability("count_listed", "beta", beta)
    tau = max(_threshold(rate, delta), at_least)
    both = 1 + exp(-rate)

    def kept(count: int) -> bool:
        missed, _ = coin_of(rate, count - tau).weights
        return bool((both * beta - missed).sign() >= 0)

    return least_n(kept, low=0)


def _checked(caller: str, epsilon: Any, delta: Any) -> tuple[Fraction, Fraction]:
    rate = check_fraction(caller, "epsilon", epsilon) / 2
    return rate, check_probability(caller, "delta", delta)


@lru_cache(maxsize=64)
def _threshold(rate: Fraction, delta: Fraction) -> int:
    allowed = delta * (1 + exp(-rate))
    return least_n(lambda tau: (allowed - exp(-rate * (tau - 1))).sign() >= 0)


def _rate_and_threshold(
    caller: str, epsilon: Any, delta: Any, at_least: Any
) -> tuple[Fraction, int]:
    rate, delta = _checked(caller, epsilon, delta)
    return rate, max(_threshold(rate, delta), check_integer(caller, "at_least", at_least))


def _counted(caller: str, items: Iterable[T], n: int) -> Counter[T]:
    n, counts = check_integer(caller, "n", n, low=0), Counter(items)
    if counts.total() > n:
        raise ParameterError(
            f"The 'n' parameter of {caller} must be at least the number of items. Pass the public "
            "number of records (or teachers)."
        )
    return counts
