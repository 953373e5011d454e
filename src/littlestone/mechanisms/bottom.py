"""Weights of *bottom*, the public outcome that hides which candidates the data bring.

Where the set of candidates depends on the data, drawing a candidate that one record alone brings
would reveal this record. So bottom competes with them, with a weight beside which the mass of such
candidates is at most delta. There are two formulas, for two promises:

=================  ==================================================================
`removal_bottom`   a record that is added raises at most k scores, each by exactly 1
`entering_bottom`  a replaced record brings at most ``entering`` candidates, of low score
=================  ==================================================================

Proofs: `littlestone.mechanisms.sparse_select` and ``docs/median.md``, Lemma 1.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter
from typing import Any, Literal

from flint import ctx

from littlestone.errors import (
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.source import Exp, ball, exp

#: Which weight bottom has: the least that is private, or the one printed in the papers.
Bottom = Literal["tight", "paper"]


def removal_bottom(*, k: int, epsilon: Any, delta: Any, bottom: Bottom = "tight") -> Exp:
    """Return the weight of bottom that hides the k scores which one added record raises.

    Each score is raised by exactly 1, from 0 for a new candidate; epsilon and delta are for one
    replaced record, one that is removed and one that is added. "tight" is ``e**(epsilon/2) *
    k/delta``, proved in `littlestone.mechanisms.sparse_select`; "paper" is ``(k/delta)**10``, that
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


def bottom_score(*, k: int, epsilon: Any, delta: Any) -> float:
    """Return ``B = 1 + ln(k/delta) / (epsilon/2)``, the score that `removal_bottom` counts.

    Rounded up, for display; the mechanism uses the exact weight.

    Examples
    --------
    >>> round(bottom_score(k=1, epsilon=1, delta=1e-6), 2)
    28.63
    """
    rate, k, delta = check_removal("bottom_score", k, epsilon, delta)
    with ctx.workprec(192):
        upper = (1 + ball(k / delta).log() / ball(rate)).upper()
    return nextafter(float(upper), inf)


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
    owner: str, k: int, epsilon: Any, delta: Any, *, k_name: str = "k"
) -> tuple[Fraction, int, Fraction]:
    """Return (rate, k, delta) after checking the public parameters of `removal_bottom`."""
    # a replaced record is one removed and one added: each pays half of epsilon
    rate = check_fraction(owner, "epsilon", epsilon) / 2
    k = check_integer(owner, k_name, k, low=1)
    return rate, k, check_probability(owner, "delta", delta)
