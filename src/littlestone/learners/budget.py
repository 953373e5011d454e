"""What a learner may spend and must achieve: four public numbers.

Other rooms count other things under the same word, and keep their own: nodes of a search
(`littlestone.combinatorics.budget`), one level of a recursion
(`littlestone.mechanisms.median.tree_log_plan`), what a person asks for
(`littlestone.learners.comparison`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Budget"]


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
