"""What a learner may spend and must achieve: public numbers, exact."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from littlestone.privacy import Neighbours


@dataclass(frozen=True)
class Goal:
    """Privacy, and error with its probability.

    Examples
    --------
    >>> Goal(Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20)).rate
    Fraction(1, 2)
    """

    epsilon: Fraction  # what the release may cost; delta is 0 where nothing but epsilon is allowed
    delta: Fraction
    #: (Excess) error, and the probability of exceeding it. No privacy depends on them.
    alpha: Fraction
    beta: Fraction
    #: The neighbouring relation of the guarantee.
    neighbours: Neighbours = field(default=Neighbours.REPLACE_ONE, kw_only=True)
    #: With a number, users are protected, each with at most that number of records.
    samples_per_user: int | None = field(default=None, kw_only=True)
    #: The part of epsilon that an evaluation takes: a share.
    evaluation: Fraction = field(default=Fraction(0), kw_only=True)

    @property
    def left(self) -> Fraction:
        """What an evaluation leaves of epsilon."""
        return self.epsilon * (1 - self.evaluation)

    @property
    def rate(self) -> Fraction:
        """Half of epsilon: where replacing one record takes one vote away and adds another."""
        return self.epsilon / 2
