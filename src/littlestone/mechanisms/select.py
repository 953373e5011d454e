"""Private choices: the exponential mechanism, and few candidates among infinitely many.

*Selection.* Anything that can be grouped by integer score can be chosen from: explicit arrays, runs
of an ordered domain of any size, or the candidates of a structured class
(`littlestone.source.Choice`).

*Sparse selection.* Where the set of candidates depends on the data, drawing a candidate that one
record alone brings would reveal this record. So the candidates compete with one public outcome,
*bottom*, with a weight beside which the mass of such candidates is at most delta. There are two
formulas, for two promises:

=================  ==================================================================
`removal_bottom`   a record that is added raises at most k scores, each by exactly 1
`entering_bottom`  a replaced record brings at most ``entering`` candidates, of low score
=================  ==================================================================

The second is proved in ``docs/median.md``, Lemma 1.

Proof of (2e, delta)-DP, replace-one, where e is the rate and W = e**e * k/delta bottom's weight.
Let P, P' be the laws on two neighbours. A candidate that has a score on one side only was raised
there, from at most 0 to exactly 1 (scores are integers), and at most k are; so the mass m of such
candidates is at most k e**e / (W + k e**e) = delta / (1 + delta), on either side. On the others
and on bottom, both scores lie between the common part's score and one more: their weights differ
by factors in [e**-e, e**e], so the laws conditioned on them, Q and Q', are 2e-bounded range. With
m the larger of the two masses, P(E) - e**x P'(E) <= m + (1 - m) (Q(E) - e**x Q'(E)) for every
event E and x >= 0; the bracket is at most 0 at x = 2e. An empty data set against one list of k
new candidates attains delta / (1 + delta) at every x: only a factor 1 - delta of W is spare.
"""

from __future__ import annotations

import math
import numbers
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, TypeVar

from littlestone.bounds.certificate import least_n
from littlestone.errors import (
    DataError,
    ParameterError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.mechanisms.estimate import coin_of, truncated
from littlestone.source import Choice, Exp, LeveledChoice, Source, exp

C = TypeVar("C")


def exponential_mechanism(
    candidates: Choice[C],
    *,
    epsilon: Any,
    sensitivity: Any = 1,
    monotone: bool = False,
    source: Source,
) -> C:
    """Return candidate i with probability exactly proportional to ``e**(rate * score_i)``.

    Scores are integers, higher is better, and one neighbour moves them by at most ``sensitivity``.
    *Which* candidates there are must not depend on the data; only their scores may. ``monotone``:
    all scores that move between two neighbours move the same way (add or remove one record,
    counts); then the rate doubles for the same epsilon.

    Notes
    -----
    *Guarantee.* ``rate = epsilon / (2 * sensitivity)``, or ``epsilon / sensitivity`` if monotone.
    In both cases the log-likelihood ratio of neighbours lies in an interval of length epsilon:
    epsilon-bounded range, which implies pure epsilon-DP and epsilon**2/8-zCDP. The draw is exact:
    no float is rounded between the proof and the release.

    *Cost.* One pass over the scores, one exponential for each distinct score.

    *Source.* McSherry and Talwar, FOCS 2007; bounded range: Durfee and Rogers, NeurIPS 2019
    (also the rate of monotone scores); its zCDP: Cesar and Rogers, ALT 2021. Li, Wang and Ye
    (Lemma 2.6) state the pure form.

    Examples
    --------
    >>> from littlestone.source import Explicit, SeededSource
    >>> votes = Explicit([3, 120, 14])
    >>> exponential_mechanism(votes, epsilon=1, source=SeededSource(0))
    1
    """
    rate = selection_rate(epsilon, sensitivity=sensitivity, monotone=monotone)
    return candidates.draw(rate, source)


def selection_rate(epsilon: Any, *, sensitivity: Any = 1, monotone: bool = False) -> Fraction:
    """Return the rate of the exponential weights that costs ``epsilon``.

    It is ``epsilon / (2 * sensitivity)``, without the 2 if monotone.

    Examples
    --------
    >>> selection_rate(0.1)
    Fraction(1, 20)
    """
    exact: Fraction = check_fraction("exponential_mechanism", "epsilon", epsilon)
    step: Fraction = check_fraction("exponential_mechanism", "sensitivity", sensitivity)
    return exact / (step if monotone else 2 * step)


def score_gap(
    size: int, *, epsilon: Any, beta: Any, sensitivity: Any = 1, monotone: bool = False
) -> int:
    """Return the least g such that a score of best - g or less is drawn with chance <= beta.

    The least integer g with ``(size - 1) * e**(-rate * g) <= beta``, decided exactly; ``size`` is
    the public number of candidates.

    Notes
    -----
    Besides a best candidate, of weight 1, there are at most size - 1 others, each of relative
    weight at most ``e**(-rate * g)``.

    Examples
    --------
    >>> score_gap(10**6, epsilon=1, beta=0.05)
    34
    """
    size = check_integer("score_gap", "size", size, low=1)
    beta = check_probability("score_gap", "beta", beta)
    rate = selection_rate(epsilon, sensitivity=sensitivity, monotone=monotone)
    return least_n(lambda g: (exp(rate * g, times=beta) - (size - 1)).sign() >= 0, low=0)


# -- bottom: the outcome that hides which candidates there are ------------------------------------

#: Which weight bottom has: the least that is private, or the one printed in the papers.
Bottom = Literal["tight", "paper"]


def removal_bottom(*, k: int, epsilon: Any, delta: Any, bottom: Bottom = "tight") -> Exp:
    """Return the weight of bottom that hides the k scores which one added record raises.

    Each score is raised by exactly 1, from 0 for a new candidate; epsilon and delta are for one
    replaced record, one that is removed and one that is added. "tight" is ``e**(epsilon/2) *
    k/delta``, proved at the top of the module; "paper" is ``(k/delta)**10``, that
    is ``B = 10 ln(k/delta) / (epsilon/2)`` of Lyu 2025 (paper 003), Lemma 3.1, and never less than
    the tight one.

    Examples
    --------
    >>> removal_bottom(k=2, epsilon=1, delta="1e-6")
    2000000*e**(1/2)
    """
    rate, k, delta = check_removal("removal_bottom", k, epsilon, delta)
    tight = exp(rate, times=k / delta)
    if bottom == "tight":
        return tight
    if bottom != "paper":
        raise parameter_error("sparse_select", "bottom", '"tight" or "paper"', bottom)
    paper = exp(0, times=(k / delta) ** 10)
    return paper if (paper - tight).sign() > 0 else tight


def entering_bottom(*, entering: int, score: int, rate: Fraction, delta: Fraction) -> Exp:
    r"""Return the least weight of bottom that hides the candidates which a replaced record brings.

    At most ``entering`` candidates exist in a data set but not in its neighbour, with scores of at
    most ``score``; a score moves by at most 1 up or down, and ``rate`` is half of epsilon. The
    weight is ``entering * e**(rate * score) * (1 - delta) / delta``.

    Notes
    -----
    *Guarantee.* (2 * rate, delta)-DP for every input (docs/median.md, Lemma 1): the candidates
    that leave have mass at most delta, those that enter too, and on the rest the ratio of
    probabilities *given the rest* is at most ``e**(2 * rate)``.

    Examples
    --------
    >>> entering_bottom(entering=10, score=1, rate=Fraction(1, 2), delta=Fraction(1, 100))
    990*e**(1/2)
    """
    return exp(rate * score, times=entering * (1 - delta) / delta)


def check_removal(
    caller: str, k: int, epsilon: Any, delta: Any, *, k_name: str = "k"
) -> tuple[Fraction, int, Fraction]:
    """Return (rate, k, delta) after checking the public parameters of `removal_bottom`."""
    # a replaced record is one removed and one added: each pays half of epsilon
    rate = check_fraction(caller, "epsilon", epsilon) / 2
    k = check_integer(caller, k_name, k, low=1)
    return rate, k, check_probability(caller, "delta", delta)


# -- a public order of candidates -----------------------------------------------------------------
#
# The order in which a set or a dictionary is walked depends on hashes, on memory addresses and on
# what was inserted before: on other people's records. So a mechanism never walks one: it sorts.

#: A public function from candidates to sort keys; different candidates have different keys.
Order = Callable[[Any], Any]


def canonical_key(item: Any) -> tuple[Any, ...]:  # noqa: PLR0911 - a line for each type
    """Return a sort key that equal items share and different items do not.

    Numbers come first, by value; then texts, bytes, tuples, frozen sets (by sorted members), None,
    and objects with a ``key`` attribute (hypotheses).

    `UnsupportedError` where items of a type have no canonical order.

    Examples
    --------
    >>> sorted(["b", 2, (1, "a"), frozenset({3}), 1], key=canonical_key)
    [1, 2, 'b', (1, 'a'), frozenset({3})]
    """
    if isinstance(item, numbers.Rational):  # True equals 1: one key
        return (0, Fraction(int(item.numerator), int(item.denominator)))
    if isinstance(item, float) and not math.isnan(item):
        return (0, Fraction(item) if math.isfinite(item) else item)
    if isinstance(item, str):
        return (1, item)
    if isinstance(item, bytes):
        return (2, item)
    if isinstance(item, tuple):
        return (3, len(item), *(canonical_key(part) for part in item))
    if isinstance(item, frozenset):
        return (4, len(item), *sorted(canonical_key(part) for part in item))
    if item is None:
        return (5,)
    if hasattr(item, "key"):
        return (6, type(item).__name__, canonical_key(item.key))
    raise UnsupportedError(
        f"Candidates of type {type(item).__name__} have no canonical order, and the order of their "
        "hashes would leak information. Pass order=, a public function from candidates to "
        "distinct sort keys."
    )


def ordered(items: Collection[Any], order: Order) -> list[Any]:
    """Return different items, sorted by a public order that distinguishes them.

    Examples
    --------
    >>> ordered({30, 4, 100}, order=lambda number: (len(str(number)), number))
    [4, 30, 100]
    """
    keyed = sorted(((order(item), item) for item in items), key=lambda pair: pair[0])
    if any(a[0] == b[0] for a, b in pairwise(keyed)):
        raise ParameterError(
            "The 'order' parameter must give different candidates different sort keys; otherwise "
            "their place would depend on hashes."
        )
    return [item for _, item in keyed]


T = TypeVar("T", bound=Hashable)
D = TypeVar("D")


def sparse_select(
    scores: Mapping[T, int],
    *,
    k: int,
    epsilon: Any,
    delta: Any,
    source: Source,
    default: D,
    order: Order = canonical_key,
) -> T | D:
    """Return a candidate of high score, or the default; candidates need not be known beforehand.

    Candidates that are left out of ``scores``, and those with a score below 1, cannot be chosen.
    *Your promise*: adding one record raises at most ``k`` scores, each by exactly 1, and lowers
    none (a k-bounded quality); `sparse_select_lists` enforces it for you. ``default`` is the public
    object that bottom returns; ``order`` is a public function from candidates to distinct sort
    keys. `DataError` if a score is not an integer.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP under replace-one and (epsilon/2, delta)-DP under add/remove,
    for every input. With ``e = epsilon/2`` the weights are ``e**(e * score)``, and that of bottom
    is ``e**e * k / delta``, that is ``e**(e * B)`` with ``B = 1 + ln(k/delta)/e``: an exact real,
    nothing is rounded. At most k candidates leave the support and k enter it; their mass is at
    most ``delta / (1 + delta)``; on the rest the loss is epsilon-bounded range.

    *Cost.* One pass over the scores; one weight for each distinct score.

    *Source.* The constant is this library's (proof at the top of the module). It replaces the
    choosing mechanism of Beimel, Nissim and Stemmer (Yan, both versions, Lemma 1), and is Lyu's
    Algorithm 1 PrivateSample (Ghazi, Golowich, Kumar and Manurangsi 2020, Lemma 36) with a
    smaller B. *Names.* The epsilon of his weights is e = epsilon/2 here, his promise is
    (2e, delta); L is k, score(bottom) is B.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sparse_select({"tea": 90, "coffee": 2}, k=1, epsilon=1, delta=1e-6,
    ...               source=SeededSource(0), default="water")
    'tea'
    """
    rate, k, delta = check_removal("sparse_select", k, epsilon, delta)
    weight = removal_bottom(k=k, epsilon=2 * rate, delta=delta)
    return _draw(scores, rate=rate, bottom=weight, source=source, default=default, order=order)


def sparse_select_lists(
    lists: Iterable[Collection[T]],
    *,
    cap: int,
    epsilon: Any,
    delta: Any,
    source: Source,
    default: D,
    order: Order = canonical_key,
) -> T | D:
    """Return a candidate that many lists contain, or the default: Lyu's PrivateSample.

    There is one list for each teacher (or person); repetitions inside a list count once, an empty
    list is fine, and only the first ``cap`` candidates of a list, in the public order, count. The
    other arguments are those of `sparse_select`.

    Notes
    -----
    *Guarantee.* (epsilon, delta)-DP when one list is replaced by any other, with no promise about
    the lists: see `sparse_select`. Pass hypotheses, not formulas: two names of one function would
    be two candidates (private, but the votes split).

    *Source.* Lyu 2025 (paper 003), Algorithm 1 (PrivateSample), with sets, truncation and a tight
    B: his L_1, ..., L_k are ``lists``, his L is ``cap``. Where lists are too long to be written
    out, the same law is drawn by `littlestone.learners.littlestone` and
    `littlestone.papers.lyu`.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> lists = [{"a", "b"}] * 60 + [{"b", "c"}] * 40
    >>> sparse_select_lists(lists, cap=2, epsilon=1, delta=1e-6,
    ...                     source=SeededSource(0), default=None)
    'b'
    """
    rate, cap, delta = check_removal("sparse_select_lists", cap, epsilon, delta, k_name="cap")
    weight = removal_bottom(k=cap, epsilon=2 * rate, delta=delta)  # line 3
    counts = count_lists(lists, cap=cap, order=order)  # line 2: score(u)
    return _draw(counts, rate=rate, bottom=weight, source=source, default=default, order=order)


def count_lists(
    lists: Iterable[Collection[T]], *, cap: int, order: Order = canonical_key
) -> dict[T, int]:
    """Return how many lists contain each candidate, after truncation (not private).

    Replacing one list lowers at most ``cap`` counts by 1 and raises at most ``cap`` by 1.

    Examples
    --------
    >>> count_lists([[3, 1, 2, 3], [2, 3]], cap=2)
    {1: 1, 2: 2, 3: 1}
    """
    counts: Counter[T] = Counter()
    for one in lists:
        # a function of this list alone: global scores would let one list move the others' items
        members = set(one)
        counts.update(ordered(members, order)[:cap] if len(members) > cap else members)
    return dict(counts)


def score_needed(*, k: int, epsilon: Any, delta: Any, beta: Any) -> int:
    """Return the least score with which bottom is returned with chance at most beta.

    It is the least s >= 1 with ``s >= 1 + ln(k (1 - beta) / (delta beta)) / (epsilon/2)``, decided
    exactly. If *every* candidate with a score is acceptable, this is all that success needs.

    Notes
    -----
    One candidate of score s has ``e**((epsilon/2)(s - B))`` times bottom's weight, so bottom's
    probability is at most ``1 / (1 + e**((epsilon/2)(s - B)))``.

    *Source.* This library; Yan's Lemma 1 needs about 443 where this needs 38.

    Examples
    --------
    >>> score_needed(k=1, epsilon=1, delta=1e-6, beta=0.01)
    38
    """
    rate, k, delta = check_removal("score_needed", k, epsilon, delta)
    beta = check_probability("score_needed", "beta", beta)
    target = k * (1 - beta) / (delta * beta)
    return least_n(lambda s: (exp(rate * (s - 1)) - target).sign() >= 0)


def _draw(
    scores: Mapping[T, int],
    *,
    rate: Fraction,
    bottom: Exp,
    source: Source,
    default: D,
    order: Order,
) -> T | D:
    """Draw a score (or bottom) by exact weight, then a candidate of it uniformly (line 4)."""
    sizes: Counter[int] = Counter()
    score: Any
    for score in scores.values():
        if isinstance(score, bool) or not isinstance(score, numbers.Integral):
            raise DataError(
                "The 'scores' of sparse_select must be integers; the guarantee rests on unit steps."
            )
        if int(score) >= 1:
            sizes[int(score)] += 1
    levels = sorted(sizes)

    def member(level: int, place: int) -> tuple[Any]:  # in a tuple: a candidate may be None
        members = [item for item, score in scores.items() if score == levels[level]]
        return (ordered(members, order)[place],)

    choice = LeveledChoice(levels, [sizes[s] for s in levels], member, bottom)
    drawn = choice.draw(rate, source)
    return default if drawn is None else drawn[0]


# -- Stable histogram: which items are frequent, among items that cannot be listed beforehand.
#
# Each item that occurs is kept if its count plus noise reaches a threshold tau; items that do not
# occur cannot appear. With rate r = epsilon/2, p = e**-r, Pr[z] = (1-p)/(1+p) p**|z| and ``tau =
# the least integer with p**(tau - 1) / (1 + p) <= delta``:
#
# *Proof* (replace-one: x becomes x'). One count falls by 1, one rises by 1; noises are independent.
# Write d = p**(tau - 1) / (1 + p) = Pr[1 + Z >= tau] <= delta. A count that moves between positive
# values changes the law of its noisy count by factors in [p, 1/p]. A count that moves between 1 and
# 0 changes "not kept" between 1 - d and 1, and "kept" between d and 0.
#
# * Both counts stay positive: factor at most p**-2 = e**epsilon, no delta.
# * One moves between 1 and 0, the other between positive values. From the side on which it is 1: d
#   for "kept", and a factor (1 - d)/p on the rest. From the other side: divergence at epsilon at
#   most 1 - e**epsilon (1 - d) p = 1 - (1 - d)/p <= d.
# * x was single and x' is new: "x kept" has mass d on one side, "x' kept" on the other, and all
#   else is as likely on both sides: divergence d at every epsilon. []
#
# So the delta that is used is exactly d. (Korolova, Kenthapadi, Mishra and Ntoulas 2009; Bun,
# Nissim and Stemmer 2016; paper 004, Lemma 28. The threshold for replace-one is this library's.)


PRIVACY = "histogram.privacy"


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
