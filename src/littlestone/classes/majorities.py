r"""Boosting a representation (Li, Wang, Ye 2024, Lemma 2.4): from (1/4, 1/4) to any alpha, beta.

Draw T independent hypothesis sets H_1, ..., H_T, each the union of t draws of a (1/4,
1/4)-representation, and release majorities of one hypothesis from each. With

    T odd,  (sqrt(3)/2)**T <= alpha,      4**-t <= beta/T,

for every concept c and distribution D, with probability at least 1 - beta some majority disagrees
with c with probability at most alpha.

*Proof* (AdaBoost with a fixed step). Let D_1 = D. As H_i does not depend on H_1, ..., H_{i-1}, nor
on anything made of them, with probability at least 1 - 4**-t some h_i in H_i disagrees with c with
probability e <= 1/4 under D_i. Let D_{i+1} multiply the weight of the points on which h_i is wrong
by sqrt(3), and that of the others by 1/sqrt(3). The total weight is multiplied by e sqrt(3) +
(1-e)/sqrt(3) <= sqrt(3)/2. A point on which the majority is wrong has at least as many errors as
correct labels, so its weight never falls below D; hence D(errors of the majority) <=
(sqrt(3)/2)**T.

The paper states an order of the size and prints no construction. The size here is
(t * size)**T: direct constructions, whose size grows by ln(1/alpha) only, are far smaller wherever
they are known. `nearest` is the proof as a program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.classes.base import LISTABLE, HypothesisSet, Mapped, Representation
from littlestone.classes.hypotheses import MajorityHypothesis
from littlestone.errors import UnsupportedError, check_probability, parameter_error
from littlestone.source import Choice, Explicit, Source
from littlestone.types import Hypothesis, Json, Points

if TYPE_CHECKING:
    from littlestone.data import Sample


_QUARTER = Fraction(1, 4)


class Boosted(Representation):
    """The boosted representation of Lemma 2.4.

    Notes
    -----
    Source: Li, Wang, Ye 2024, Lemma 2.4; proof: module docstring.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> base = Points().representation(0.25, 0.25)
    >>> boosted = Boosted(base, "0.1", "0.05")
    >>> boosted.rounds, boosted.copies, len(str(boosted.size))
    (17, 5, 34)
    >>> Points().representation("0.1", "0.05").size  # the direct construction
    85
    """

    proper = False

    def __init__(self, base: Representation, alpha: Any, beta: Any) -> None:
        self.alpha = check_probability("Boosted", "alpha", alpha)
        self.beta = check_probability("Boosted", "beta", beta)
        if max(base.alpha, base.beta) > _QUARTER:
            raise parameter_error(
                "Boosted", "base", "a representation with alpha and beta at most 1/4",
                f"alpha = {base.alpha}, beta = {base.beta}",
                "concept_class.representation(0.25, 0.25) is one.",
            )  # fmt: skip
        self.base, self.concept_class = base, base.concept_class
        self.rounds = 1
        while Fraction(3, 4) ** self.rounds > self.alpha**2:
            self.rounds += 2
        self.copies = 1
        while Fraction(1, 4**self.copies) > self.beta / self.rounds:
            self.copies += 1
        self.size = (self.copies * base.size) ** self.rounds

    def drawn(self, source: Source) -> MajoritySet:
        """Draw all rounds with public coins."""
        return MajoritySet(
            tuple(
                tuple(self.base.drawn(source) for _ in range(self.copies))
                for _ in range(self.rounds)
            )
        )


@dataclass(frozen=True, eq=False)
class MajoritySet(HypothesisSet):
    """All majorities of one hypothesis from each round; a round is a union of hypothesis sets."""

    rounds: tuple[tuple[HypothesisSet, ...], ...]

    proper = False

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of choices of one hypothesis from each round."""
        out = 1
        for one in self.rounds:
            out *= sum(drawn.size for drawn in one)
        return out

    def listed(self) -> list[list[Hypothesis]]:
        """Return the hypotheses of each round."""
        return [[h for drawn in one for h in drawn.hypotheses()] for one in self.rounds]

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the majorities, the last round fastest."""
        return map(MajorityHypothesis, product(*self.listed()))

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Score each majority by minus its errors."""
        if self.size > LISTABLE:
            raise UnsupportedError(
                "There are more than 2**20 majorities, so they cannot be scored one by one. Use "
                "the class's own representation(alpha, beta)."
            )
        rounds = self.listed()
        said = [np.array([h.predict(sample.points) for h in one], dtype=np.int64) for one in rounds]
        sizes = [len(one) for one in rounds]
        gains = sample.ones.astype(np.int64) - sample.zeros
        scores = np.empty(self.size, dtype=np.int64)
        for i in range(self.size):
            chosen = np.unravel_index(i, sizes)
            votes = sum(labels[k] for labels, k in zip(said, chosen, strict=True))
            scores[i] = gains[2 * votes > len(rounds)].sum() - sample.positives

        def make(index: int) -> Hypothesis:
            chosen = np.unravel_index(index, sizes)
            return MajorityHypothesis(tuple(h[k] for h, k in zip(rounds, chosen, strict=True)))

        return Mapped(Explicit(scores), make)

    def surrogate_candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Refuse: `candidates` scores by the direct error."""
        raise UnsupportedError("Majorities are scored by their direct error: use candidates.")

    def to_dict(self) -> Json:
        """Return plain JSON."""
        rounds = [[drawn.to_dict() for drawn in one] for one in self.rounds]
        return {"type": "majorities", "rounds": rounds, "size": self.size}


def nearest(
    rounds: Sequence[Sequence[Hypothesis]], concept: Hypothesis, points: Points, weights: Any
) -> tuple[Hypothesis, list[Fraction]]:
    """Return the majority that the proof of Lemma 2.4 builds for one concept and distribution.

    Examples
    --------
    >>> from littlestone.classes import PointHypothesis, on_points
    >>> halves = [[on_points([0, i])] for i in (1, 2, 3)]
    >>> found, errors = nearest(halves, PointHypothesis(0), np.arange(4), [1, 1, 1, 1])
    >>> found.predict(np.arange(4)).tolist(), errors[0]
    ([1, 0, 0, 0], Fraction(1, 4))
    """
    truth = concept.predict(points)
    # weight = D * 3**exponent; the common factor 1/sqrt(3) of each round does not matter
    weight = [Fraction(w) for w in weights]
    chosen: list[Hypothesis] = []
    errors: list[Fraction] = []
    for one in rounds:
        wrong = [h.predict(points) != truth for h in one]
        costs = [sum((w for w, off in zip(weight, row, strict=True) if off), Fraction(0))
                 for row in wrong]  # fmt: skip
        best = min(range(len(one)), key=costs.__getitem__)
        chosen.append(one[best])
        errors.append(costs[best] / sum(weight))
        weight = [3 * w if off else w for w, off in zip(weight, wrong[best], strict=True)]
    return MajorityHypothesis(tuple(chosen)), errors
