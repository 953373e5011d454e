"""Rounds of boosting: each is one exponential mechanism over all trees.

A *unit* is what is replaced between neighbours: a record, or a user with all records. Records are
at positions, which the released trees give to their rows. A round:

1. each answer of a leaf costs a record an integer, by the gradient of its loss
   (`littlestone.learners.boosting.losses`), and all records of a unit together at most W_t;
2. a tree h is drawn with probability proportional to ``exp(-rate A(h))``, where A(h) is what the
   answers of h cost all records and ``rate = epsilon_t / (2 W_t)``;
3. the tree moves the positions.

The release is the start and the list of trees; all else follows from it.

*Privacy* (claim ``boosting.round``). Fix what was released before the round. (a) What answers cost
the records of a unit is a function of this unit, of what was released and of public numbers; no
cost is normalised over units. (b) So ``A(h) = sum_u A_u(h)``, with ``0 <= A_u(h) <= W_t`` by step
1. (c) Replacing u by u' moves A(h) by ``A_u'(h) - A_u(h)``, in [-W_t, W_t], for every h; between
two trees these moves differ by at most 2 W_t, so the log-likelihood ratio of step 2 lies in an
interval of length ``2 W_t rate = epsilon_t``; the normalising constant moves all of them alike. (d)
Step 3 looks at no record. So a round has epsilon_t-bounded range, given what was released before.
The number of rounds and all epsilon_t are fixed before the first one, so they compose adaptively
(`littlestone.privacy.compose`; pure: the sum). W_t = 0 draws uniformly, which is private, too. []

Sources: boosting by smooth weights, no record ever above a public cap: Bun, Carmosino and Sorrell
2020; boosting private learners: paper 004, section 2.4, and Dwork, Rothblum and Vadhan 2010;
bounded range of the exponential mechanism: Durfee and Rogers 2019; its zCDP: Cesar and Rogers 2021.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from littlestone.bounds import Claim, register
from littlestone.classes.boosted_trees.concept_class import BoostedTreeClass
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.rows import Rows, Splits
from littlestone.classes.decision_trees.weighted import draw_tree
from littlestone.data import Sample
from littlestone.data.targets import TargetSample
from littlestone.errors import UnsupportedError, counted
from littlestone.learners.base import Learner
from littlestone.learners.boosting.starts import WHOLE
from littlestone.learners.plan import Plan
from littlestone.privacy import BoundedRange, Concentrated, Guarantee, compose, zcdp_to_dp
from littlestone.privacy import Loss as Spent

if TYPE_CHECKING:
    from littlestone.data import Schema
    from littlestone.learners.boosting.losses import Loss
    from littlestone.source import Source
    from littlestone.types import Hypothesis

register(
    Claim(
        "boosting.round",
        "littlestone (own proof); smooth weights: Bun, Carmosino, Sorrell 2020",
        "docs/boosting.md",
        "A tree drawn with weight exp(-epsilon_t A / (2 W_t)), where A sums what answers cost, in "
        "[0, W_t] for all records of a unit together, is epsilon_t-bounded range given the trees "
        "before; rounds with fixed budgets compose adaptively.",
    )
)

#: Budget of a first tree of several votes, in budgets of another tree.
FIRST_BUDGET = 3
#: With few rounds, other routes of composition beat zero-concentrated privacy, by at most this.
_FEW_ROUNDS, _GAIN, _BISECTIONS = 16, Fraction(6, 5), 5


P = TypeVar("P", bound=Plan)


class Records(Protocol):
    """The records of a sample at their positions, and the loss by which answers cost them."""

    @property
    def sample(self) -> Any:
        """Whose records they are."""

    @property
    def start(self) -> Any:
        """What was released before the first tree."""

    @property
    def loss(self) -> Loss:
        """What answers cost."""

    def rows(self, splits: Splits, depth: int, place: int, most: int) -> Rows:
        """Return what each answer costs them, those of a unit together at most ``most``."""

    def add(self, tree: TreeHypothesis, place: int) -> None:
        """Move them by the tree at this place."""


class Boosted(Learner[P]):
    """What learners by rounds share."""

    if TYPE_CHECKING:

        @property
        def concept_class(self) -> BoostedTreeClass:
            """The public class."""

        delta: Fraction | None
        resolution: int

        @property
        def plan(self) -> Any:
            """The learner's own numbers; those of n units are ``plan.settings(n)``."""

    @property
    def reads(self) -> type[Any]:
        """Records with targets, or of users; else labelled records, as counts."""
        of_units = self.unit == "users" or self.concept_class.target is not None
        return TargetSample if of_units else Sample

    @property
    def several(self) -> bool:
        """Whether a unit may bring several rows."""
        return self.unit == "users"

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return what is promised about privacy, the evaluation included."""
        claim = "boosting.units" if self.several else self.claim
        delta = self.delta or Fraction(0)
        return Guarantee(self.epsilon, delta, self.neighbours, claim=claim, seeded=seeded)

    @abstractmethod
    def start(self, sample: Any, source: Source) -> tuple[Any, Any]:
        """Draw where rows begin, and return it with the loss: both are released."""

    @abstractmethod
    def at(self, sample: Any, start: Any, loss: Any) -> Records:
        """Return the records at a start."""

    @abstractmethod
    def released(self, trees: list[TreeHypothesis], records: Records, source: Source) -> Hypothesis:
        """Return the hypothesis; what it asks of records besides the start is drawn, and paid."""

    def draw(self, sample: Any, source: Source) -> Hypothesis:
        """Draw the trees; a pure function of the sample and the draws."""
        records = self.at(sample, *self.start(sample, source))
        trees: list[TreeHypothesis] = []
        for place in range(self.plan.settings(sample.n).rounds):
            rows, rate = self.round(records, place)  # step 1
            tree = self.tree(rows, rate, source)  # step 2
            records.add(tree, place)  # step 3
            trees.append(tree)
        return self.released(trees, records, source)

    def round(self, records: Records, place: int) -> tuple[Rows, Fraction]:
        """Return what answers cost in a round after ``place`` trees, and the rate of its draw."""
        settings = self.plan.settings(records.sample.n)
        most = self.largest(records, place)
        rows = records.rows(self.splits, self.concept_class.depth, place, most)
        return rows, settings.epsilon_of(place) / (2 * max(most, 1))

    def largest(self, records: Records, place: int) -> int:
        """Return W_t: what the records of a unit can cost together; W, if there may be several."""
        if self.several:
            return self.resolution
        return records.loss.largest(records.start, place)

    @property
    def splits(self) -> Splits:
        """What an inner node may ask."""
        return _splits(self.concept_class.asked)

    def tree(self, rows: Rows, rate: Fraction, source: Source) -> TreeHypothesis:
        """Draw the tree of a round."""
        drawn = draw_tree(rows, self.concept_class.depth, rate, source)
        return TreeHypothesis.of(drawn, self.concept_class.labels)


@lru_cache(maxsize=64)
def _splits(schema: Schema) -> Splits:
    return Splits(schema)


def check_size(learner: Boosted[Any], n: int, most: int, round_epsilon: Fraction) -> None:
    """Refuse, by public numbers, what the draw of a tree could not do; ``most`` is W."""
    labels = len(learner.concept_class.labels)
    of_user = WHOLE if learner.unit == "users" else 1  # sums of starts and evaluations
    if n * max(most * (labels if learner.concept_class.lists_labels else 1), of_user) >= 2**53:
        raise UnsupportedError(
            f"Boosted trees of {counted(n, learner.unit)} with resolution {most:,} are not drawn: "
            "sums of weights must stay below 2**53. Use a smaller resolution or fewer "
            f"{learner.unit}."
        )
    depth, splits = learner.concept_class.depth, len(learner.splits)
    bits = 102 + depth + 2**depth * (splits.bit_length() + (labels - 1).bit_length() - 1)
    if bits * 2 * most > 2**40 * round_epsilon:
        raise UnsupportedError(
            "The epsilon of one round of boosting is too small for an exact draw. Raise epsilon, "
            "or lower rounds or resolution."
        )


def losses_of(eta: Fraction, rounds: int, *, first: bool) -> Counter[Spent]:
    """Return what the rounds lose, the first of them more than another if asked."""
    losses: Counter[Spent] = Counter({BoundedRange(eta): rounds - first})
    losses[BoundedRange(FIRST_BUDGET * eta)] += first
    return +losses


@lru_cache(maxsize=512)
def largest_round(
    epsilon: Fraction,
    delta: Fraction,
    rounds: int,
    others: tuple[Spent, ...] = (),
    *,
    first: bool = False,
) -> Fraction:
    """Return an eta such that T mechanisms of eta-bounded range, and others, cost epsilon.

    The others are pure, or zero-concentrated if there is a delta.

    Notes
    -----
    Floats propose, `compose` decides: what is returned satisfies (epsilon, delta), and a few
    per cent more would not.

    Examples
    --------
    >>> largest_round(Fraction(1), Fraction(0), 20)
    Fraction(1, 20)
    >>> round(float(largest_round(Fraction(1), Fraction(1, 10**6), 40)), 3)
    0.07
    """
    reached = sum((other.reach or Fraction(0) for other in others), Fraction(0))
    pure = (epsilon - reached) / (rounds + (FIRST_BUDGET - 1) * first)
    if not delta:
        return pure

    def costs(eta: Fraction) -> bool:
        losses = losses_of(eta, rounds, first=first)
        losses.update(others)
        return compose(losses, delta=delta)[0] <= epsilon

    squares = rounds + (FIRST_BUDGET**2 - 1) * first
    low = _by_zcdp(epsilon, delta, squares, others)
    if all(loss.reach is not None for loss in others):
        low = max(pure, low)
    while not costs(low):  # floats proposed it
        low *= Fraction(999, 1000)
    high = low * _GAIN
    for _ in range(_BISECTIONS if rounds <= _FEW_ROUNDS else 0):
        middle = Fraction(math.floor((low + high) / 2 * 10**12), 10**12)
        low, high = (middle, high) if costs(middle) else (low, middle)
    return low


def _by_zcdp(
    epsilon: Fraction, delta: Fraction, squares: int, others: tuple[Spent, ...]
) -> Fraction:
    """Return an eta by zero-concentrated privacy: eta**2 / 8 for a round, e**2 / 2 for e-DP.

    ``squares`` counts the rounds, each by the square of its share of eta.
    """
    left = largest_rho(epsilon, delta) - sum(map(_rho, others))
    return Fraction(math.floor(math.sqrt(max(8 * left / squares, 0.0)) * 10**12), 10**12)


def _rho(loss: Spent) -> float:
    """Return the zero-concentrated privacy of a loss."""
    if isinstance(loss, Concentrated):
        return float(loss.rho)
    reach = float(loss.reach or 0)
    return reach**2 / (8 if isinstance(loss, BoundedRange) else 2)


def largest_rho(epsilon: Fraction, delta: Fraction) -> float:
    """Return about the largest rho whose conversion satisfies (epsilon, delta)."""
    low, high = 0.0, float(epsilon)
    while zcdp_to_dp(high, delta) <= epsilon:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if zcdp_to_dp(middle, delta) <= epsilon else (low, middle)
    return low
