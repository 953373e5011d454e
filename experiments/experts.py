"""Expert advice, and halving: references without privacy for `references.py`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone.classes import check_class
from littlestone.data import OUTSIDE
from littlestone.errors import UnsupportedError, check_integer
from littlestone.learners.online.state import label_of, majority, point_of, truth
from littlestone.source import SeededSource

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.classes.base import VersionSpace
    from littlestone.types import Hypothesis, Point


class ExpertsPredictor:
    """Agnostic online learning with expert advice: NOT PRIVATE; labels need no target.

    ``concept_class``: of Littlestone dimension d; ``horizon``: length T of the stream;
    ``random_state``: of the predictions, which are drawn.

    Notes
    -----
    *Claim.* On every sequence of T records that was fixed beforehand, the expected mistakes are at
    most those of the best concept plus sqrt(T ln(N) / 2), where N, the sum of comb(T, i), i <= d,
    is the number of experts.

    *How.* An expert is a set of at most d times: it predicts by the SOA, but for these times, at
    which it predicts the other label and restricts its version space to that. For each concept,
    the expert of the times at which the SOA is wrong on it makes the concept's predictions. Weights
    fall by e**(-eta) with each mistake, eta = sqrt(8 ln(N) / T); experts with equal version spaces
    are one entry, with the number of ways to continue.

    *Cost.* For each record one step for each version space that occurs: up to T**d.

    *Source.* Ben-David, Pal, Shalev-Shwartz 2009; Alon et al. 2022 (004), Section 3.2.

    Examples
    --------
    >>> from littlestone.classes import Points
    >>> experts = ExpertsPredictor(Points(), horizon=300)
    >>> mistakes = 0.0
    >>> for t in range(300):
    ...     y = t % 5 != 0  # four of five labels are those of the best concept
    ...     mistakes += abs(y - experts.predict_proba_one("a")[True])
    ...     experts.learn_one("a", y)
    >>> 60 < mistakes < 60 + experts.regret_bound() < 90
    True
    """

    #: Most version spaces that are followed at once.
    MOST = 20_000

    def __init__(self, concept_class: ConceptClass, *, horizon: int, random_state: int = 0) -> None:
        self.concept_class = check_class("ExpertsPredictor", concept_class)
        self.horizon = check_integer("ExpertsPredictor", "horizon", horizon, low=1)
        space = concept_class.version_space()
        self._d, self._left = space.littlestone_dim(), self.horizon
        self._source = SeededSource(random_state)
        self._experts = self._ways(self._d)
        self._rate = math.sqrt(8 * math.log(self._experts) / self.horizon)
        # (version space, times still to come) -> ln of the summed weights of equal pasts
        self._weights: dict[tuple[VersionSpace, int], float] = {(space, self._d): 0.0}

    def regret_bound(self) -> float:
        """Return the expected mistakes beyond those of the best concept, at most."""
        return math.sqrt(self.horizon * math.log(self._experts) / 2)

    def predict_proba_one(self, x: Any) -> dict[bool, float]:
        """Return the probability of each label as the next prediction."""
        point = point_of(self.concept_class.domain, x)
        total = [0.0, 0.0]
        if point is OUTSIDE:
            return {False: 1.0, True: 0.0}
        branches = self._branches(point)
        top = max(weight for *_, weight in branches)
        for _, _, label, weight in branches:
            total[label] += math.exp(weight - top)
        return {False: total[0] / sum(total), True: total[1] / sum(total)}

    def predict_one(self, x: Any) -> int:
        """Return a label drawn by the weights; 0 outside the domain."""
        return int(self._source.below(1 << 53) < self.predict_proba_one(x)[True] * (1 << 53))

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn one record: experts that err lose weight."""
        point, label = point_of(self.concept_class.domain, x), truth("ExpertsPredictor", y)
        if self._left == 0:
            raise UnsupportedError("The stream is as long as its horizon; begin another one.")
        if point is not OUTSIDE:
            merged: dict[tuple[VersionSpace, int], list[float]] = {}
            for space, times, said, weight in self._branches(point):
                past = weight - math.log(self._ways(times, self._left - 1))
                merged.setdefault((space, times), []).append(past - self._rate * (said != label))
            if len(merged) > self.MOST:
                raise UnsupportedError(
                    f"Experts for {self.concept_class.spec} need more than {self.MOST:,} version "
                    "spaces on this stream. Use a shorter horizon, or SOAPredictor."
                )
            self._weights = {state: _log_sum(parts) for state, parts in merged.items()}
        self._left -= 1

    def _ways(self, times: int, left: int | None = None) -> int:
        """Return the number of ways to choose at most ``times`` of the steps that are left."""
        n = self.horizon if left is None else left
        return sum(math.comb(n, i) for i in range(times + 1))

    def _branches(self, point: Point) -> list[tuple[VersionSpace, int, int, float]]:
        """Return (version space, times, prediction, ln weight) of all experts, after this step."""
        ways = [math.log(self._ways(times, self._left - 1)) for times in range(self._d + 1)]
        out = []
        for (space, times), weight in self._weights.items():
            said = label_of(space.soa(), point, self.concept_class)
            out.append((space, times, said, weight + ways[times]))
            if times:
                rest = space.restrict(point, 1 - said)
                rest = space if rest.is_empty else rest
                out.append((rest, times - 1, 1 - said, weight + ways[times - 1]))
        return out


def _log_sum(parts: list[float]) -> float:
    top = max(parts)
    return top + math.log(sum(math.exp(part - top) for part in parts))


class HalvingPredictor:
    """The majority of all concepts that are left; for classes that can be listed.

    At most log2 of the number of concepts mistakes on every realizable sequence. NOT PRIVATE.
    """

    def __init__(self, concept_class: ConceptClass) -> None:
        self.concept_class = concept_class
        self._left = list(dict.fromkeys(concept_class.concepts()))

    @property
    def hypothesis_(self) -> Hypothesis:
        """The vote of all concepts that are left."""
        return majority(self._left)

    def learn_one(self, x: Any, y: Any) -> None:
        """Remove the concepts that disagree, unless that removes all."""
        point, label = point_of(self.concept_class.domain, x), truth("HalvingPredictor", y)
        if point is not OUTSIDE:
            rest = [h for h in self._left if label_of(h, point, self.concept_class) == label]
            self._left = rest or self._left
