"""Without privacy: the standard optimal algorithm and halving, the yardsticks of online learning.

NOT PRIVATE: each mistake changes the next prediction at once, for everybody to see.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from littlestone.classes import check_class
from littlestone.data import OUTSIDE
from littlestone.errors import UnsupportedError
from littlestone.learners.online.samplers import majority
from littlestone.learners.online.state import label_of, point_of, truth

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.types import Hypothesis, Point

__all__ = ["HalvingPredictor", "SOAPredictor"]


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
    """The standard optimal algorithm: NOT PRIVATE, and nobody makes fewer mistakes.

    Parameters
    ----------
    concept_class : ConceptClass

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

    Parameters
    ----------
    concept_class : ConceptClass
        Of at most 2**20 concepts.

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
