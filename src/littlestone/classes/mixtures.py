"""Distributions over concepts: what proper learning may release instead of one concept."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.fields import Fields, json_integer
from littlestone.classes.hypotheses import load, readable
from littlestone.errors import parameter_error
from littlestone.types import Hypothesis, Json, Labels, Points

__all__ = ["MixtureHypothesis", "mixture"]

_MOST = 1_000_000


@readable
@dataclass(frozen=True)
class MixtureHypothesis:
    """A distribution over hypotheses. Make one by `mixture`.

    Parameters
    ----------
    parts : tuple of (Hypothesis, int)
        Different hypotheses with positive whole weights, without a common divisor, in a public
        order.

    Notes
    -----
    ``predict`` is the majority: 1 where hypotheses of more than half of the weight say 1.
    `probability` is the randomised prediction; `draw` takes one hypothesis.

    Examples
    --------
    >>> from littlestone.classes import AlwaysZero, PointHypothesis
    >>> both = mixture([(AlwaysZero(), 2), (PointHypothesis(7), 4)])
    >>> both.predict(np.array([7, 8])).tolist(), both.probability(np.array([7, 8]))
    ([1, 0], [Fraction(2, 3), Fraction(0, 1)])
    """

    parts: tuple[tuple[Hypothesis, int], ...]

    TYPE = "mixture"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, tuple((h.key, weight) for h, weight in self.parts))

    @property
    def total(self) -> int:
        """Sum of the weights."""
        return sum(weight for _, weight in self.parts)

    def probability(self, points: Points) -> list[Fraction]:
        """Return, for each point, the probability that a drawn hypothesis labels it 1."""
        return [Fraction(int(ones), self.total) for ones in self._ones(points)]

    def predict(self, points: Points) -> Labels:
        """Label each point by the majority; 0 if there is none."""
        ones = self._ones(points)
        return np.array([2 * int(one) > self.total for one in ones], dtype=np.int8)

    def draw(self, source: Any) -> Hypothesis:
        """Return one hypothesis, with exactly its probability."""
        at = source.below(self.total)
        for hypothesis, weight in self.parts:
            if at < weight:
                return hypothesis
            at -= weight
        raise AssertionError("the weights sum to the total")

    def describe(self) -> str:
        """Say the hypothesis in words."""
        shown = [f"{w}/{self.total}: {h.describe()}" for h, w in self.parts[:5]]
        more = f"; and {len(self.parts) - 5} more" if len(self.parts) > 5 else ""
        return f"majority of ({'; '.join(shown)}{more})"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        parts = [{"hypothesis": h.to_dict(), "weight": json_integer(w)} for h, w in self.parts]
        return {"type": self.TYPE, "parts": parts}

    @classmethod
    def from_dict(cls, data: Any) -> MixtureHypothesis:
        """Read it back; a mixture of mixtures is refused."""
        fields = Fields(data, ("parts",))
        parts = []
        for item in fields.items("parts", _MOST):
            if not isinstance(item, dict) or set(item) != {"hypothesis", "weight"}:
                raise fields.refuse("parts", "a list of hypotheses with weights")
            inner = item["hypothesis"]
            if isinstance(inner, dict) and inner.get("type") == cls.TYPE:
                raise fields.refuse("parts", "without mixtures inside")
            weight = Fields({"type": cls.TYPE, "weight": item["weight"]}, ("weight",))
            parts.append((load(inner), weight.integer("weight", low=1)))
        made = mixture(parts) if parts else None
        if made is None or made.parts != tuple(parts):
            raise fields.refuse("parts", "different hypotheses in lowest terms")
        return made

    def _ones(self, points: Points) -> npt.NDArray[Any]:
        ones = np.zeros(len(points), dtype=object)
        for hypothesis, weight in self.parts:
            ones += hypothesis.predict(points).astype(object) * weight
        return ones


def mixture(parts: Iterable[tuple[Hypothesis, int]]) -> MixtureHypothesis:
    """Return a distribution over hypotheses: weights of equal ones are added, zeros left out.

    Raises
    ------
    ParameterError
        If no weight is positive.

    Examples
    --------
    >>> from littlestone.classes import AlwaysZero
    >>> mixture([(AlwaysZero(), 6)]).parts
    ((AlwaysZero(), 1),)
    """
    weights: dict[Hypothesis, int] = {}
    for hypothesis, weight in parts:
        if weight:
            weights[hypothesis] = weights.get(hypothesis, 0) + weight
    if not weights or min(weights.values()) < 0:
        raise parameter_error("mixture", "parts", "hypotheses with positive weights", len(weights))
    divisor = math.gcd(*weights.values())
    return MixtureHypothesis(tuple((h, w // divisor) for h, w in weights.items()))
