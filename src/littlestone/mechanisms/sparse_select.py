"""Choosing among infinitely many candidates of which few have a score: the sparse mechanism.

The candidates that appear in some list compete with one public outcome, *bottom*, that has
the weight of a high score. A candidate that only one list contains is then hidden by bottom.

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

import numbers
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from littlestone.bounds.search import least_n
from littlestone.errors import DataError, check_probability
from littlestone.mechanisms.bottom import Bottom, check_removal, removal_bottom
from littlestone.mechanisms.canonical import Order, canonical_key, ordered
from littlestone.privacy.losses import Approximate, BoundedRange
from littlestone.source import Exp, LeveledChoice, Source, exp

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
    bottom: Bottom = "tight",
    order: Order = canonical_key,
) -> T | D:
    """Return a candidate of high score, or the default; candidates need not be known beforehand.

    Candidates that are left out of ``scores``, and those with a score below 1, cannot be chosen.
    *Your promise*: adding one record raises at most ``k`` scores, each by exactly 1, and lowers
    none (a k-bounded quality); `sparse_select_lists` enforces it for you. ``default`` is the public
    object that bottom returns; ``bottom="paper"`` gives it the score of Lyu's Lemma 3.1, about ten
    times higher, for comparison; ``order`` is a public function from candidates to distinct sort
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
    weight = removal_bottom(k=k, epsilon=2 * rate, delta=delta, bottom=bottom)
    return _draw(scores, rate=rate, bottom=weight, source=source, default=default, order=order)


def sparse_select_lists(
    lists: Iterable[Collection[T]],
    *,
    cap: int,
    epsilon: Any,
    delta: Any,
    source: Source,
    default: D,
    bottom: Bottom = "tight",
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
    out, the same law is drawn by `littlestone.learners.littlestone.votes` and
    `littlestone.learners.online.samplers`.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> lists = [{"a", "b"}] * 60 + [{"b", "c"}] * 40
    >>> sparse_select_lists(lists, cap=2, epsilon=1, delta=1e-6,
    ...                     source=SeededSource(0), default=None)
    'b'
    """
    rate, cap, delta = check_removal("sparse_select_lists", cap, epsilon, delta, k_name="cap")
    weight = removal_bottom(k=cap, epsilon=2 * rate, delta=delta, bottom=bottom)  # line 3
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


def sparse_losses(epsilon: Any, delta: Any) -> tuple[BoundedRange, Approximate]:
    """Return what `sparse_select` promises under replace-one, as items for `compose`.

    Examples
    --------
    >>> selection, leak = sparse_losses(1, 1e-6)
    >>> selection.eta, leak.delta
    (Fraction(1, 1), Fraction(1, 1000000))
    """
    rate, _, delta = check_removal("sparse_select", 1, epsilon, delta)
    return BoundedRange(2 * rate), Approximate(Fraction(0), delta)


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
