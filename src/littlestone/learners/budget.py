"""What a learner may spend and must achieve: four public numbers.

Other rooms count other things under the same word, and keep their own: nodes of a search
(`littlestone.combinatorics.budget`), one level of a recursion
(`littlestone.mechanisms.median.tree_log_plan`), what a person asks for
(`littlestone.learners.comparison`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.errors import check_fraction, check_probability

__all__ = ["Budget", "check_budget", "check_pure_budget"]


@dataclass(frozen=True)
class Budget:
    """Privacy, and error with its probability: exact, and checked where a learner is built.

    Attributes
    ----------
    epsilon, delta : Fraction
        What the release may cost.
    alpha, beta : Fraction
        Error, and the probability of exceeding it. No privacy depends on them.

    Examples
    --------
    >>> Budget(Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20)).rate
    Fraction(1, 2)
    """

    epsilon: Fraction
    delta: Fraction
    alpha: Fraction
    beta: Fraction

    @property
    def rate(self) -> Fraction:
        """Half of epsilon: where replacing one record takes one vote away and adds another."""
        return self.epsilon / 2


def check_budget(
    owner: str, *, epsilon: Any, delta: Any, alpha: Any, beta: Any, hint: str
) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Check the four numbers of a learner that needs a delta; return them exact, in this order.

    Parameters
    ----------
    owner : str
        Who is named in errors.
    epsilon : number in (0, inf)
    delta, alpha, beta : number in (0, 1)
    hint : str
        What an error says about delta.

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> numbers = {"epsilon": 1, "delta": "1e-6", "alpha": 0.1, "beta": 0.05}
    >>> [str(x) for x in check_budget("VC1Learner", **numbers, hint="")]
    ['1', '1/1000000', '1/10', '1/20']
    """
    return (
        check_fraction(owner, "epsilon", epsilon, hint="1 is a common choice."),
        check_probability(owner, "delta", delta, hint=hint),
        check_probability(owner, "alpha", alpha, hint="0.1 is one error in ten."),
        check_probability(owner, "beta", beta, hint="0.05 is one failure in twenty."),
    )


def check_pure_budget(
    owner: str, *, epsilon: Any, alpha: Any, beta: Any
) -> tuple[Fraction, Fraction, Fraction]:
    """Check the three numbers of a pure learner, as `check_budget` does; return them exact."""
    return (
        check_fraction(owner, "epsilon", epsilon, hint="1 is a common choice."),
        check_probability(owner, "alpha", alpha, hint="0.1 is one error in ten."),
        check_probability(owner, "beta", beta, hint="0.05 is one failure in twenty."),
    )
