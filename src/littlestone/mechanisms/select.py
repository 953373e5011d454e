"""The exponential mechanism: choose a good candidate, privately.

Anything that can be grouped by integer score can be chosen from: explicit arrays, runs of an
ordered domain of any size, or the candidates of a structured class (`littlestone.source.Choice`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, TypeVar

from littlestone.bounds.search import least_n
from littlestone.errors import check_fraction, check_integer, check_probability
from littlestone.privacy.losses import BoundedRange
from littlestone.source import Choice, Source, exp

T = TypeVar("T")


def exponential_mechanism(
    candidates: Choice[T],
    *,
    epsilon: Any,
    sensitivity: Any = 1,
    monotone: bool = False,
    source: Source,
) -> T:
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


def selection_loss(epsilon: Any) -> BoundedRange:
    """Return what `exponential_mechanism` promises: the item for `littlestone.privacy.compose`.

    Examples
    --------
    >>> selection_loss(0.5)
    BoundedRange(eta=Fraction(1, 2))
    """
    return BoundedRange(check_fraction("exponential_mechanism", "epsilon", epsilon))


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
