"""The attack on threshold learners: where a learner is too accurate, it shows one of its records.

Run it: python examples/attack/attack.py. Paper 004, Section 4, proves that a private learner of
thresholds needs more records the larger the domain is (log*). The proof is an attack, and this
script runs it: find points on which the learner
behaves alike everywhere (`homogeneous_set`), a gap between records over which its votes jump, move
*one record* inside that gap, and find out by binary search where it is (`identify`). Success more
often than (epsilon, delta) allows is a proof of a larger epsilon: an audit of many neighbours at
once, where `littlestone.audit.lower_bound` compares two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import littlestone as ls
from littlestone.bounds.tails import lower_limit
from littlestone.classes import ThresholdHypothesis
from littlestone.data import Sample
from littlestone.errors import check_integer, check_probability, parameter_error
from littlestone.papers.alon_reductions import Attack, balanced
from littlestone.source import SecureSource, public_generator
from littlestone.types import Hypothesis, Points

Mechanism = Callable[[Sample], Hypothesis]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class HomogeneousSet(Attack):
    """Points on which a learner's votes depend on the place between the records only.

    Jump, family and binary search are those of `littlestone.papers.Attack`.

    Attributes
    ----------
    points : tuple of int
        In increasing order.
    p : tuple of float
        The probabilities-list p_0, ..., p_m: how likely the learner labels a point 1 that lies
        above exactly i of the m records (estimated).
    deviation : float
        Largest difference from this list that fresh samples showed.
    tolerance : float
        The allowed deviation (Definition 16: 1/(100 m)), sampling error included.
    """

    deviation: float
    tolerance: float

    @property
    def gap(self) -> float:
        """How much they rise there; an accurate private learner has at least 1/(4m) (Claim 22)."""
        return self.p[self.jump] - self.p[self.jump - 1]


@dataclass(frozen=True)
class Identification:
    """How often one record was found among many places, and what this proves.

    Attributes
    ----------
    places : int
        Number N of places where the record may have been, all equally likely.
    copies : int
        Outputs D of the learner that each search saw.
    trials, found : int
    epsilon : float
        Lower bound on the learner's epsilon, at ``delta`` and ``confidence``; 0: nothing proved.
    delta, confidence : float
    """

    places: int
    copies: int
    trials: int
    found: int
    epsilon: float
    delta: float
    confidence: float


def homogeneous_set(
    mechanism: Mechanism,
    candidates: Sequence[int],
    *,
    n_samples: int,
    runs: int,
    subsets: int = 64,
    tolerance: float | None = None,
    seed: int = 0,
) -> HomogeneousSet:
    """Find points on which the learner is m-homogeneous, by sampling.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(sample)`` returns a hypothesis.
    candidates : sequence of int
        Points to choose from. Ramsey's theorem (Lemma 17) promises a large homogeneous set in
        every huge domain; which one depends on the learner: try evenly spaced points, or powers.
    n_samples : even int >= 2
        Number m of records of every sample.
    runs : int >= 1
        Runs for each sample. One is enough for a learner that draws nothing.
    subsets : int, default 64
        Samples tried in each round.
    tolerance : float, optional
        Largest deviation; by default the 1/(100 m) of Definition 16 plus the sampling error
        of ``runs`` runs (a Hoeffding bound over everything that a round compares, at 1%).
    seed : int, default 0
        Of the choice of samples (public).

    Returns
    -------
    HomogeneousSet
        With at least m + 1 points; ``deviation`` is measured on samples that were not used to
        choose them. It may exceed ``tolerance`` when nothing homogeneous was found.

    Raises
    ------
    ParameterError

    Notes
    -----
    *Source.* Paper 004, Definition 16. The paper's set comes from Ramsey's theorem, which needs a
    domain of tower size; this search drops, round by round, the point that deviates most.
    """
    caller = "homogeneous_set"
    m = check_integer(caller, "n_samples", n_samples, low=2)
    if m % 2:
        raise parameter_error(caller, "n_samples", "even", m, "Balanced samples have two halves.")
    check_integer(caller, "runs", runs, low=1)
    check_integer(caller, "subsets", subsets, low=1)
    points = np.array(sorted(set(candidates)), dtype=object)
    if len(points) < m + 1:
        raise parameter_error(caller, "candidates", f"at least {m + 1} points", len(points))
    if tolerance is None:
        compared = subsets * len(points)
        error = math.sqrt(math.log(2 * compared / 0.01) / (2 * runs)) if runs > 1 else 0.0
        tolerance = 1 / (100 * m) + error
    rng = public_generator(seed)

    while True:
        votes = [
            _votes(mechanism, points, _subset(rng, len(points), m), runs) for _ in range(subsets)
        ]
        levels = _levels(votes, m)
        if _off(votes, levels).max() <= tolerance or len(points) == m + 1:
            break
        points = np.delete(points, _culprit(votes, levels))
    fresh = [_votes(mechanism, points, _subset(rng, len(points), m), runs) for _ in range(subsets)]
    levels = _levels(votes + fresh, m)
    return HomogeneousSet(
        tuple(points.tolist()),
        tuple(levels.tolist()),
        float(_off(fresh, levels).max()),
        float(tolerance),
    )


def identify(
    mechanism: Mechanism,
    found: HomogeneousSet,
    *,
    delta: float,
    trials: int,
    copies: int = 1,
    confidence: float = 0.9999,
    seed: int = 0,
) -> Identification:
    """Hide one record in a large gap, look for it in the learner's outputs, and bound epsilon.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(sample)`` returns a hypothesis.
    found : HomogeneousSet
    delta : float in [0, 1)
        The delta of the claim that is tested.
    trials : int >= 1
        Each hides the record at a fresh place.
    copies : int >= 1, default 1
        Outputs that each search may see. Lemma 21 takes about m**2 log log n; a learner that draws
        nothing needs one.
    confidence : float in (0, 1), default 0.9999
    seed : int, default 0
        Of the places (public).

    Returns
    -------
    Identification

    Notes
    -----
    *Method.* The record is at one of N places x, uniformly; a search over D outputs says where.
    Its answers for different places are disjoint events E_x. If the learner is
    (epsilon, delta)-DP, D outputs are (D epsilon, 1 - (1 - delta)**D)-DP, so for any fixed y

        mean over x of Pr_x[E_x] <= e**(D epsilon) * (sum over x of Pr_y[E_x]) / N + delta_D
                                 <= e**(D epsilon) / N + delta_D.

    A Clopper-Pearson lower bound on the left side gives epsilon. This holds for *every* learner
    and every set of points; homogeneity only makes the search succeed.

    *Cost.* ``trials * copies`` runs of the learner.

    *Source.* Paper 004, Lemmas 20 and 21 (there: 2**T disjoint events, contradiction when
    2**(T-1) > e**(0.1 D); here: a number).
    """
    caller = "identify"
    exact_delta = 0.0 if delta == 0 else float(check_probability(caller, "delta", delta))
    risk = 1 - float(check_probability(caller, "confidence", confidence))
    check_integer(caller, "trials", trials, low=1)
    check_integer(caller, "copies", copies, low=1)
    places, samples = found.places, found.family()
    # At x itself a learner may vote either way: places two apart keep their answers disjoint.
    hidden = range(0, len(places), 2)
    rng = public_generator(seed)
    hits = 0
    for place in rng.integers(len(hidden), size=trials):
        x = hidden[int(place)]
        sample = Sample.of(*map(list, zip(*samples[x], strict=True)))
        outputs = [mechanism(sample) for _ in range(copies)]

        def mean(point: int, outputs: list[Hypothesis] = outputs) -> float:
            at = _array([point])
            return sum(int(h.predict(at)[0]) for h in outputs) / copies

        hits += found.locate(mean) in places[x : x + 2]
    low = float(lower_limit(hits, trials, risk))
    excess = low - (1 - (1 - exact_delta) ** copies)
    epsilon = max(0.0, math.log(len(hidden) * excess) / copies) if excess > 0 else 0.0
    return Identification(
        len(hidden), copies, trials, hits, epsilon, exact_delta, float(confidence)
    )


# --- votes -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Votes:
    """How often each point was labelled 1, after one sample; records themselves do not count."""

    share: Floats
    order: npt.NDArray[np.int64]  # number of records below each point
    free: npt.NDArray[np.bool_]  # not a record


def _subset(rng: np.random.Generator, size: int, m: int) -> npt.NDArray[np.int64]:
    return np.sort(rng.choice(size, m, replace=False))


def _votes(mechanism: Mechanism, points: Any, chosen: npt.NDArray[np.int64], runs: int) -> _Votes:
    sample = Sample.of(*map(list, zip(*balanced(points[chosen].tolist()), strict=True)))
    at = _array(points.tolist())
    share = sum(mechanism(sample).predict(at).astype(float) for _ in range(runs)) / runs
    places = np.arange(len(points))
    return _Votes(
        np.asarray(share),
        np.searchsorted(chosen, places),
        ~np.isin(places, chosen),
    )


def _levels(votes: Sequence[_Votes], m: int) -> Floats:
    """Return p_0..p_m: the median of all shares seen at each order."""
    levels = np.zeros(m + 1)
    for i in range(m + 1):
        seen = np.concatenate([v.share[v.free & (v.order == i)] for v in votes])
        # An order that no sample left a point for: the list stays level there.
        levels[i] = np.median(seen) if len(seen) else levels[max(i - 1, 0)]
    return levels


def _off(votes: Sequence[_Votes], levels: Floats) -> Floats:
    """Return how far each point's share was from the list, a row for each sample."""
    return np.array([np.where(v.free, np.abs(v.share - levels[v.order]), 0.0) for v in votes])


def _culprit(votes: Sequence[_Votes], levels: Floats) -> int:
    """Return the point to drop: it deviates, or others do when it is a record."""
    off = _off(votes, levels)
    free = np.array([v.free for v in votes])
    as_point = off.sum(axis=0) / np.maximum(free.sum(axis=0), 1)
    worst = off.max(axis=1)[:, None]
    with_it = (worst * ~free).sum(axis=0) / np.maximum((~free).sum(axis=0), 1)
    without = (worst * free).sum(axis=0) / np.maximum(free.sum(axis=0), 1)
    return int(np.argmax(np.maximum(as_point, with_it - without)))


def _array(points: Sequence[int]) -> Points:
    fits = all(-(2**63) <= x < 2**63 for x in points)
    return np.array(points, dtype=np.int64 if fits else object)


def smallest_positive(sample: Sample) -> Hypothesis:
    """Learn without privacy: 1 from the smallest positive record on."""
    return ThresholdHypothesis(int(sample.points[sample.ones > 0].min()) - 1, 1, 2**20)


def main() -> None:
    """Attack a learner that is too accurate, and one that is private."""
    learner = ls.GenericLearner(ls.Thresholds(1, 2**20), epsilon=1).to_learner()
    source = SecureSource()
    learners: dict[str, tuple[Mechanism, int]] = {
        "the smallest positive record": (smallest_positive, 1),
        "the exponential mechanism, epsilon 1": (lambda sample: learner.draw(sample, source), 20),
    }
    for name, (mechanism, runs) in learners.items():
        found = homogeneous_set(
            mechanism, range(1, 2**20, 2**14), n_samples=4, runs=runs, subsets=8
        )
        hits = identify(mechanism, found, delta=0, trials=300)
        print(
            f"{name}: votes jump by {found.gap:.3f}; the record is found {hits.found} times of "
            f"{hits.trials} among {hits.places} places: epsilon at least {hits.epsilon:.2f}"
        )


if __name__ == "__main__":
    main()
