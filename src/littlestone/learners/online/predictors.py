"""Without privacy: the standard optimal algorithm, halving, and expert advice: the yardsticks.

NOT PRIVATE: each mistake changes the next prediction at once, for everybody to see.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from littlestone.classes import check_class
from littlestone.data import OUTSIDE
from littlestone.errors import UnsupportedError, check_integer
from littlestone.learners.online.samplers import majority
from littlestone.learners.online.state import label_of, point_of, truth
from littlestone.source import SeededSource

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.classes.base import VersionSpace
    from littlestone.types import Hypothesis, Point


class Predictor(ABC):
    """An online learner without privacy: predict, then learn the label."""

    concept_class: ConceptClass

    @property
    @abstractmethod
    def hypothesis_(self) -> Hypothesis:
        """The next prediction, at every point."""

    @abstractmethod
    def _learn(self, point: Point, label: int) -> None:
        """Learn from a point of the domain that was predicted wrongly."""

    def predict_one(self, x: Any) -> int:
        """Return the label predicted at a point; 0 outside the domain."""
        return label_of(
            self.hypothesis_, point_of(self.concept_class.domain, x), self.concept_class
        )

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn the label of a point; nothing changes if it was predicted, or lies outside."""
        point, label = point_of(self.concept_class.domain, x), truth(type(self).__name__, y)
        if point is not OUTSIDE and label_of(self.hypothesis_, point, self.concept_class) != label:
            self._learn(point, label)


class SOAPredictor(Predictor):
    """The standard optimal algorithm: NOT PRIVATE, and of least mistake bound.

    Notes
    -----
    *Claim.* On every realizable sequence, also an adaptive one, at most Littlestone dimension many
    mistakes: a mistake leaves the label that lowers the dimension. Only mistakes change the state,
    so the bound holds although right predictions teach nothing. On a sequence that no concept
    explains, the predictor stays at the last version space that was not empty.

    *Source.* Littlestone 1988; Alon et al. 2022, Section 3.2.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> soa = SOAPredictor(Thresholds(1, 1000))
    >>> mistakes = 0
    >>> for x in range(1, 1001):
    ...     mistakes += soa.predict_one(x) != (x > 700)
    ...     soa.learn_one(x, x > 700)
    >>> mistakes <= soa.mistake_bound() == 9
    True
    """

    def __init__(self, concept_class: ConceptClass) -> None:
        self.concept_class = check_class("SOAPredictor", concept_class)
        self._space = concept_class.version_space()
        self._hypothesis = self._space.soa()

    @property
    def hypothesis_(self) -> Hypothesis:
        """The SOA of the version space."""
        return self._hypothesis

    def mistake_bound(self) -> int:
        """Return the Littlestone dimension of the class."""
        return self.concept_class.version_space().littlestone_dim()

    def _learn(self, point: Point, label: int) -> None:
        rest = self._space.restrict(point, label)
        if not rest.is_empty:
            self._space, self._hypothesis = rest, rest.soa()


class HalvingPredictor(Predictor):
    """The majority of all concepts that are left: NOT PRIVATE; for classes that can be listed.

    ``concept_class``: of at most 2**20 concepts.

    Notes
    -----
    *Claim.* At most log2 of the number of concepts mistakes on every realizable sequence.

    Examples
    --------
    >>> from littlestone.classes import Intervals
    >>> halving = HalvingPredictor(Intervals(1, 30))
    >>> halving.mistake_bound()
    8
    >>> halving.learn_one(4, 1)
    >>> halving.predict_one(5), halving.predict_one(29)
    (1, 0)
    """

    def __init__(self, concept_class: ConceptClass) -> None:
        self.concept_class = check_class("HalvingPredictor", concept_class)
        if concept_class.size == float("inf"):
            raise UnsupportedError(
                f"The class {concept_class.spec} is infinite; halving counts concepts. "
                "Use SOAPredictor."
            )
        self._left = list(dict.fromkeys(concept_class.concepts()))
        self._size = len(self._left)

    @property
    def hypothesis_(self) -> Hypothesis:
        """The vote of all concepts that are left."""
        return majority(self._left)

    def predict_one(self, x: Any) -> int:
        """Return the majority's label at a point; 0 outside the domain, and where votes tie."""
        point = point_of(self.concept_class.domain, x)
        return int(
            2 * sum(label_of(h, point, self.concept_class) for h in self._left) > len(self._left)
        )

    def learn_one(self, x: Any, y: Any) -> None:
        """Remove the concepts that disagree, unless that removes all."""
        point, label = point_of(self.concept_class.domain, x), truth("HalvingPredictor", y)
        if point is not OUTSIDE:
            self._learn(point, label)

    def mistake_bound(self) -> int:
        """Return floor(log2 of the number of concepts)."""
        return self._size.bit_length() - 1

    def _learn(self, point: Point, label: int) -> None:
        rest = [h for h in self._left if label_of(h, point, self.concept_class) == label]
        self._left = rest or self._left


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
