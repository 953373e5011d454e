"""A statistical audit of one of our learners: neighbours that are likely to tell, by sampling.

Exact verification needs domains of a few points. Here the class may be as large as it likes; what
is chosen are a few points, and pairs of neighbouring data sets over them at which learners are at
their weakest: labels that nearly balance, and one record that tips them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.audit.data_sets import RecordCases, UserCases
from littlestone.audit.statistical import LowerBound, lower_bound
from littlestone.errors import check_integer, check_probability, parameter_error
from littlestone.source import SecureSource

__all__ = ["Audited", "audit_learner", "neighbour_pairs"]

Record = tuple[Any, int]
Data = tuple[Record, ...]


@dataclass(frozen=True)
class Audited:
    """What sampling found out about a learner.

    Attributes
    ----------
    learner, concept_class : str
    epsilon, delta : Fraction
        The claim.
    n_samples : int
    pairs : tuple of ((data, data), LowerBound)
        All of the bounds together are right with the stated confidence.
    """

    learner: str
    concept_class: str
    epsilon: Fraction
    delta: Fraction
    n_samples: int
    pairs: tuple[tuple[tuple[Data, Data], LowerBound], ...]

    @property
    def best(self) -> LowerBound:
        """The largest lower bound."""
        return max(bound for _, bound in self.pairs)

    @property
    def refuted(self) -> bool:
        """Whether the claim is wrong (with the stated confidence)."""
        return self.best > self.epsilon

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "learner": self.learner,
            "class": self.concept_class,
            "epsilon": float(self.epsilon),
            "delta": float(self.delta),
            "n_samples": self.n_samples,
            "lower_bound": float(self.best),
            "refuted": self.refuted,
            "pairs": [
                {"data": [[[str(x), y] for x, y in side] for side in pair], **bound.to_dict()}
                for pair, bound in self.pairs
            ],
        }


def neighbour_pairs(points: Sequence[Any], n_samples: int) -> list[tuple[Data, Data]]:
    """Return pairs of data sets over some points that differ in one record, likely to tell.

    For each point x and the next one: labels at x that nearly balance, and one of them turned; all
    records alike, and one turned; and one that moves to the next point.

    Examples
    --------
    >>> for pair in neighbour_pairs([4, 7], 2)[:2]:
    ...     print(*pair)
    ((4, 1), (4, 0)) ((4, 0), (4, 0))
    ((4, 1), (4, 1)) ((4, 0), (4, 1))
    """
    check_integer("neighbour_pairs", "n_samples", n_samples, low=1)
    places = list(dict.fromkeys(points))
    if not places:
        raise parameter_error("neighbour_pairs", "points", "at least one point", points)
    pairs = []
    for i, x in enumerate(places):
        other = places[(i + 1) % len(places)]
        half: Data = tuple((x, int(2 * j < n_samples)) for j in range(n_samples))
        alike: Data = ((x, 1),) * n_samples
        pairs += [(half, ((x, 0), *half[1:])), (alike, ((x, 0), *alike[1:]))]
        if other != x:
            pairs.append((half, ((other, 1), *half[1:])))
    return pairs


def audit_learner(
    learner: Any,
    *,
    points: Sequence[Any],
    n_samples: int = 3,
    trials: int = 10_000,
    confidence: Any = "0.9999",
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Audited:
    """Bound a learner's epsilon from below on the pairs of `neighbour_pairs`.

    Parameters
    ----------
    learner : estimator or Learner
        For one that protects users, each record stands for a user with ``samples_per_user`` equal
        records.
    points : sequence
        Points of its domain.
    n_samples : int >= 1
    trials : int >= 8
        Runs on each side of each pair.
    confidence : number in (0, 1)
        With which all bounds together are right: the risk is shared among the pairs.
    workers : int >= 1
    progress : callable, optional
        Called with (runs done, runs in all).

    Returns
    -------
    Audited

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners import registry
    >>> learner = registry.make("generic", Thresholds(1, 2**40), epsilon=1)
    >>> found = audit_learner(learner, points=[2**39], trials=400)
    >>> found.refuted, len(found.pairs)
    (False, 2)
    """
    algorithm = learner.to_learner() if hasattr(learner, "to_learner") else learner
    promised = algorithm.guarantee()
    pairs = neighbour_pairs(points, n_samples)
    risk = (1 - check_probability("audit_learner", "confidence", confidence)) / len(pairs)
    source = SecureSource()
    done = 0

    def so_far(runs: int, total: int) -> None:
        if progress is not None:
            progress(done + runs, total * len(pairs))

    found = []
    for pair in pairs:
        one, other = (_sample(algorithm, data) for data in pair)
        bound = lower_bound(
            lambda sample: algorithm.learn(sample, source).key,
            one,
            other,
            delta=float(promised.delta),
            trials=trials,
            confidence=float(1 - risk),
            workers=workers,
            progress=so_far,
        )
        found.append((pair, bound))
        done += 2 * trials
    return Audited(
        algorithm.name,
        algorithm.concept_class.spec,
        promised.epsilon,
        promised.delta,
        n_samples,
        tuple(found),
    )


def _sample(algorithm: Any, data: Data) -> Any:
    domain = algorithm.concept_class.domain
    if algorithm.unit == "users":
        each = algorithm.samples_per_user
        return UserCases([], domain).sample([(i, (one,) * each) for i, one in enumerate(data)])
    return RecordCases([], domain, ordered=False).sample(data)
