"""Public synthetic distributions on which learners are measured: nothing here comes from data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.classes import ConceptClass
from littlestone.data import Sample, UserSample
from littlestone.data.users import merge
from littlestone.planning.shapes import shapes

if TYPE_CHECKING:
    from littlestone.types import Hypothesis

__all__ = ["Scenario", "scenarios"]

_BEYOND = 1.02  # a mistake of this many alpha is a failure


@dataclass(frozen=True, eq=False)
class Scenario:
    """A distribution of labelled points with finite support, and the best concept on it.

    Attributes
    ----------
    name : str
        What it looks like, in words.
    kind : str
        ``"worst-case"`` or ``"typical"``.
    points : ndarray
        Distinct, in canonical order.
    mass : float ndarray
        Probability of each point.
    labels : int ndarray
        Those of the target concept.
    noise : float
        Probability with which a label is flipped.
    """

    name: str
    kind: str
    points: npt.NDArray[Any]
    mass: npt.NDArray[np.float64]
    labels: npt.NDArray[np.int64]
    noise: float = 0.0

    def draw(self, n: int, generator: np.random.Generator) -> Sample:
        """Return n independent labelled records; the cost does not depend on n."""
        counts = generator.multinomial(n, self.mass)
        flips = generator.binomial(counts, self.noise)
        ones = np.where(self.labels == 1, counts - flips, flips).astype(np.int64)
        kept = counts > 0
        return Sample(self.points[kept], (counts - ones)[kept].astype(np.int64), ones[kept])

    def draw_users(self, n_users: int, m: int, generator: np.random.Generator) -> UserSample:
        """Return the records of users who have m independent records each."""
        point = generator.choice(len(self.points), size=n_users * m, p=self.mass)
        label = self.labels[point] ^ (generator.random(n_users * m) < self.noise)
        user = np.repeat(np.arange(n_users, dtype=np.int64), m)
        names = np.arange(n_users, dtype=np.uint64)
        ones = np.ones(n_users * m, dtype=np.int64)
        groups = merge(user, point.astype(np.int64), label.astype(np.int8), ones)
        return UserSample(self.points, *groups, names)

    def excess(self, hypothesis: Hypothesis) -> float:
        """Return the error above the target's, exactly (up to floats)."""
        wrong = np.asarray(hypothesis.predict(self.points)) != self.labels
        return float(self.mass[wrong].sum() * (1 - 2 * self.noise))


def scenarios(
    concept_class: ConceptClass, alpha: Fraction, *, noise: float = 0.0
) -> list[Scenario]:
    """Return distributions to measure learners of a class on.

    Parameters
    ----------
    concept_class : ConceptClass
    alpha : Fraction
        The error that is asked for: the worst cases put slightly more on one decision.
    noise : float in [0, 1/2)
        Labels are flipped so often: for agnostic learners.

    Returns
    -------
    list of Scenario

    Raises
    ------
    UnsupportedError
        For structured classes that have none yet and are too large to be listed.
    """
    # A mistake must exceed alpha after the noise has hidden a part of it.
    share = min(_BEYOND * float(alpha) / (1 - 2 * noise), 0.5)
    return [
        Scenario(name, kind, *_sorted(points, mass, labels), noise)
        for name, kind, points, mass, labels in shapes(concept_class, share)
    ]


def _sorted(
    points: Sequence[Any], mass: Sequence[float], labels: Sequence[int]
) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the three in the canonical order of points."""
    sample = Sample.of(points, np.zeros(len(points), dtype=np.int64))
    given: Sequence[Any] = np.asarray(points).tolist() if hasattr(points, "ndim") else points
    where = {point: i for i, point in enumerate(_keys(given))}
    order = [where[point] for point in _keys(sample.points.tolist())]
    weights = np.asarray(mass, dtype=np.float64)[order]
    return sample.points, weights / weights.sum(), np.asarray(labels, dtype=np.int64)[order]


def _keys(points: Sequence[Any]) -> list[Any]:
    return [tuple(point) if isinstance(point, list) else point for point in points]
