"""What happens inside a run, shown on made data: which lists, how many votes, what is drawn.

Votes are secret: they must never be shown for private records. So this makes its own records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from littlestone.data import Sample
from littlestone.errors import check_integer
from littlestone.learners.littlestone.essential_plans import StagesPlan
from littlestone.learners.littlestone.learner import teachers_lists
from littlestone.learners.littlestone.teachers import parts
from littlestone.source import SeededSource, public_generator

if TYPE_CHECKING:
    from littlestone.learners.littlestone.learner import Littlestone
    from littlestone.types import Hypothesis

__all__ = ["Simulation", "Stage", "simulate"]

_SHOWN = 5


@dataclass(frozen=True)
class Stage:
    """The votes of one stage.

    Attributes
    ----------
    tolerance : int
        Most errors of a listed hypothesis.
    votes : tuple of (Hypothesis, int)
        The hypotheses with the most votes, the best first.
    others : int
        Number of listed hypotheses that are not shown.
    """

    tolerance: int
    votes: tuple[tuple[Hypothesis, int], ...]
    others: int


@dataclass(frozen=True)
class Simulation:
    """One run on made records.

    Attributes
    ----------
    teachers, chunk : int
    threshold : int or None
        Votes that the test between stages asks for; None if there is no test.
    stages : tuple of Stage
    chosen : Hypothesis
        What the run releases.
    words : str
        The records in words.
    """

    teachers: int
    chunk: int
    threshold: int | None
    stages: tuple[Stage, ...]
    chosen: Hypothesis
    words: str


def simulate(
    algorithm: Littlestone, target: Hypothesis, points: Sequence[Any], n: int, *, seed: int = 0
) -> Simulation:
    """Run a learner on made records, and return what its teachers voted.

    Parameters
    ----------
    algorithm : Littlestone
    target : Hypothesis
        Labels the made records.
    points : sequence
        Public points; records are drawn from them uniformly.
    n : int >= 1
        Number of records.
    seed : int, default 0

    Returns
    -------
    Simulation
        `littlestone.draw` shows it.

    Notes
    -----
    *Guarantee.* A function of public parameters and a seed: there is no way to put private records
    in.

    Examples
    --------
    >>> from littlestone.classes import SparseSets, on_points
    >>> from littlestone.learners.littlestone import Littlestone
    >>> made = Littlestone(SparseSets(2), epsilon=1, delta=1e-6, alpha=0.1, beta=0.05)
    >>> shown = simulate(made, on_points(["a", "b"]), list("abcd"), 4000)
    >>> shown.stages[0].votes[0], shown.chosen == on_points(["a", "b"])
    ((SetHypothesis(points=('a', 'b')), 65), True)
    """
    n = check_integer("simulate", "n", n, low=1)
    rng = public_generator(seed, n)
    domain: Any = algorithm.concept_class.domain
    drawn = [points[i] for i in rng.integers(0, len(points), n).tolist()]
    X = domain.array(drawn, owner="simulate")
    sample = Sample.from_arrays(X, target.predict(X), domain=domain, owner="simulate")
    settings: Any = algorithm.plan.settings
    teachers = parts(sample, SeededSource(seed), algorithm.plan.chunk)
    count = sum(weight for _, weight in teachers)
    lists = teachers_lists(algorithm.concept_class, algorithm.plan, algorithm.max_nodes)
    stages = []
    for stage, tolerance in enumerate(settings.tolerances, 1):
        votes = lists.votes(teachers, stage)
        top: list[tuple[Hypothesis, int]] = []
        for level in sorted(votes.sizes, reverse=True):
            room = min(votes.sizes[level], _SHOWN - len(top))
            top += [(votes.member(level, i), level) for i in range(room)]
        stages.append(Stage(tolerance, tuple(top), sum(votes.sizes.values()) - len(top)))
    staged = isinstance(settings, StagesPlan)
    return Simulation(
        count,
        algorithm.plan.chunk,
        settings.threshold(count) if staged else None,
        tuple(stages),
        algorithm.learn(sample, SeededSource(seed)),
        f"{n:,} made records on {len(points)} points, labelled by: {target.describe()}",
    )
