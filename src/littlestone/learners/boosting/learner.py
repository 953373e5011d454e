"""Boosting of exactly drawn trees: every round is one exponential mechanism over all trees.

Each tree votes for one of k labels. After t rounds label j has v_j *votes* at a row: a released
start, and the votes of the t released trees that answer j there (one each, ``first_votes`` for the
first). With p = softmax(step v), the loss of a record of label y moves by ``p_j - [j = y]`` when
label j gains a little, so that answering j instead of y costs ``p_j + 1 - p_y``, in [0, 2]. Half of
it is the gradient; for two labels it is ``sigma(-step m)``, where m is the *margin*, the votes of y
less those of the other. Round t + 1:

1. answering j != y costs a record ``round(W min(1, gradient / cap))``, an integer in [0, W], and at
   most W_t; the right answer costs nothing; for a cell outside the list of labels all answers cost
   W_t (`Settings.costs`: smooth weights);
2. a tree h is drawn with probability proportional to ``exp(-rate A(h))``, where A(h) is what the
   answers of h cost all records and ``rate = epsilon_t / (2 W_t)``;
3. the votes of h are added.

The release is the list of trees; its probabilities and everything else follow from it.

*Privacy.* The costs of a record are a function of the record itself, of the released trees and of
public numbers only; no cost is normalised over records. (Powers of e come from one public table,
and all that follows is done number by number.) W_t is the largest cost at the votes that *any* row
could have after the trees before; `Settings.costs` never exceeds it. So with these trees fixed,
replacing one record moves A(h) by an amount in [-W_t, W_t] for every h: the log-likelihood ratio of
step 2 lies in an interval of length ``2 W_t rate = epsilon_t``. So a round is epsilon_t-bounded
range, given what was released before. T, the votes and all epsilon_t are fixed before the first
round, and the rounds compose adaptively (`littlestone.privacy.compose`; pure: the sum). W_t = 0
draws uniformly, which is private, too.

*First tree.* Where n epsilon is small, each round can afford little, and the first of them decides
most. There the first tree is drawn with `FIRST_BUDGET` times the budget of another, and has as many
votes as make log-odds of about one.

*Start.* Where labels are rare, the first trees would only say so. So a part of the budget buys a
private count of label 1 (two-sided geometric noise), or counts of all labels (one histogram:
replacing a record moves two of them by 1), and votes begin at their log-shares, in steps.

What is secret: the sample, its weights and counts. Public: everything in `Settings` and the trees.

Sources: boosting by smooth weights, no record ever above a public cap: Bun, Carmosino and Sorrell
2020; boosting private learners: paper 004, section 2.4, and Dwork, Rothblum and Vadhan 2010;
bounded range of the exponential mechanism: Durfee and Rogers 2019; its zCDP: Cesar and Rogers 2021.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, reduce
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Claim, register
from littlestone.classes import BoostedTreeClass
from littlestone.classes.boosted_trees import TreeEnsemble
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.classes.decision_trees.rows import Rows, Splits
from littlestone.classes.decision_trees.weighted import draw_tree
from littlestone.errors import (
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    counted,
    parameter_error,
)
from littlestone.evaluation import release_histogram
from littlestone.learners.base import Learner
from littlestone.learners.boosting.votes import Votes
from littlestone.learners.declare import Kind, declared, maybe, number, whole
from littlestone.learners.plan import Plan
from littlestone.mechanisms import private_count
from littlestone.privacy import BoundedRange, Guarantee, Loss, Pure, compose, zcdp_to_dp
from littlestone.privacy.rounding import float_up

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.data import Schema
    from littlestone.source import Source
    from littlestone.types import Hypothesis

Ints = npt.NDArray[np.int64]

register(
    Claim(
        "boosting.privacy",
        "littlestone (own proof); smooth weights: Bun, Carmosino, Sorrell 2020",
        "docs/boosting.md",
        "A tree drawn with weight exp(-epsilon_t A / (2 W_t)), where A sums the weights in [0, "
        "W_t] of wrongly labelled records, is epsilon_t-bounded range given the trees before; "
        "rounds with fixed budgets compose adaptively.",
    )
)

_UNCERTIFIED = (
    "The learner 'boosting' has no error bound before data: a bound over all sums of trees would "
    "say nothing. Measure it privately instead: evaluate=E (--evaluate E) spends a part of epsilon "
    "on accuracy, ROC and calibration, and with holdout=0.2 (--holdout 0.2) it certifies the error "
    "on new records."
)
_COUNT_SHARE = Fraction(1, 40)  # of epsilon, for the count of label 1
_COUNT_FROM = 1_500  # n * epsilon from which the count is precise enough to help
_FIRST_FROM, _FIRST_TO = 400, 1_200  # n * epsilon for which a strong first tree helps
#: Budget of a first tree of several votes, in budgets of another tree.
FIRST_BUDGET = 3
_FURTHEST = 40  # the largest start, in steps
#: More votes than these the first tree does not have.
MAX_FIRST_VOTES = 100
#: With few rounds, other routes of composition beat zero-concentrated privacy, by at most this.
_FEW_ROUNDS, _GAIN, _BISECTIONS = 16, Fraction(6, 5), 5


@dataclass(frozen=True)
class Settings:
    """The numbers of one fit, from public parameters and the public n."""

    rounds: int
    step: Fraction  # log-odds of one vote
    cap: Fraction  # gradients above it weigh as much as it
    resolution: int  # W: what an answer of a capped gradient costs
    round_epsilon: Fraction  # bounded range of each round; of the first see `epsilon_of`
    count_epsilon: Fraction  # of the counts of labels; 0: there are none, and votes start at 0
    first_votes: int = 1

    @property
    def losses(self) -> dict[Loss, int]:
        """What is composed."""
        losses = dict(_rounds(self.round_epsilon, self.rounds, first=self.first_votes > 1))
        return losses | ({Pure(self.count_epsilon): 1} if self.count_epsilon else {})

    def spent(self, delta: Fraction, evaluation: Fraction | None = None) -> Fraction:
        """Return the epsilon of everything together, an evaluation included; a sum if delta is 0.

        Examples
        --------
        >>> settings = Settings(4, Fraction(1), Fraction(1), 9, Fraction(1, 7), Fraction(1, 2), 3)
        >>> str(settings.spent(Fraction(0))), settings.spent(Fraction(1, 10**6)) < Fraction(3, 2)
        ('19/14', True)
        """
        if not delta:
            rounds = sum(map(self.epsilon_of, range(self.rounds)), self.count_epsilon)
            return rounds + (evaluation or 0)
        losses = Counter(self.losses)
        losses.update([Pure(evaluation)] if evaluation else [])
        return compose(losses, delta=delta)[0]

    def votes_of(self, place: int) -> int:
        """Return the votes of the tree at this place, from 0."""
        return self.first_votes if place == 0 else 1

    def epsilon_of(self, place: int) -> Fraction:
        """Return the bounded range of the round of the tree at this place, from 0."""
        strong = place == 0 and self.first_votes > 1
        return self.round_epsilon * (FIRST_BUDGET if strong else 1)

    def costs(self, votes: Ints, y: int, most: int) -> Ints:
        """Return what each answer costs a record of label y, in 0 .. most: (labels, rows).

        Examples
        --------
        >>> settings = Settings(9, Fraction(1), Fraction(1, 2), 100, Fraction(1), Fraction(0))
        >>> settings.costs(np.array([[0, 0], [0, 3], [0, 0]]), 1, 100).tolist()
        [[100, 14], [0, 0], [100, 14]]
        """
        below = votes.max(axis=0) - votes
        odds = _powers(self.step, int(below.max(initial=0)))[below]
        # label by label: sums over an axis may round by their number of rows
        others = reduce(np.add, (row for label, row in enumerate(odds) if label != y))
        gradient = (odds + others) / (2 * reduce(np.add, odds))
        shares = np.minimum(1.0, gradient / float(self.cap))
        costs: Ints = np.minimum(np.rint(self.resolution * shares).astype(np.int64), most)
        costs[y] = 0
        return costs

    def largest(self, start: tuple[int, ...], place: int) -> int:
        """Return W_t: the largest cost at the votes that ``place`` trees can give.

        It is where all of them vote for one label.
        """
        given = sum(map(self.votes_of, range(place)))
        votes = np.array(start)[:, None] + given * np.eye(len(start), dtype=np.int64)
        labels = range(len(start))
        return max(int(self.costs(votes, y, self.resolution).max()) for y in labels)


@lru_cache(maxsize=16)
def _powers(step: Fraction, last: int) -> npt.NDArray[np.float64]:
    """Return e**(-step u) for u = 0 .. last."""
    return np.array([math.exp(-float(step) * u) for u in range(last + 1)])


@dataclass(frozen=True)
class BoostingPlan(Plan):
    """What boosting will do with n records: `settings`. It certifies nothing before data."""

    learner: Boosting

    @property
    def required(self) -> int:
        """There is no such number."""
        raise UnsupportedError(_UNCERTIFIED)

    def certificate(self, n: int) -> Certificate:
        """There is no certificate."""
        raise UnsupportedError(_UNCERTIFIED)

    def settings(self, n: int) -> Settings:
        """Return the numbers of a fit of n records."""
        return _settings(self.learner, n)


def _first_votes(owner: str, name: str, value: Any) -> int:
    hint = 'Leave it out (or "auto") for the usual number; 1 makes it a tree like the others.'
    wanted = f"an integer in [1, {MAX_FIRST_VOTES}]"
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or not 1 <= value <= MAX_FIRST_VOTES:
        raise parameter_error(owner, name, wanted, value, hint)
    return int(value)


def _cap(owner: str, name: str, value: Any) -> Fraction:
    cap: Fraction = check_fraction(owner, name, value)
    if cap > 1:
        raise parameter_error(owner, name, "in (0, 1]", value)
    return cap


def _delta(owner: str, name: str, value: Any) -> Fraction | None:
    if value is None or (isinstance(value, int | float) and value == 0):
        return None
    hint = "1e-6 is a common choice; leave it out for pure privacy."
    return check_probability(owner, name, value, hint=hint)


def _or_auto(words: str, kind: Kind, auto: Any = None) -> Kind:
    """Return the kind of a value that may be left to a rule: None, or "auto"."""

    def check(owner: str, name: str, value: Any) -> Any:
        left = value is None or (isinstance(value, str) and value == "auto")
        return auto if left or kind.check is None else kind.check(owner, name, value)

    return Kind(f'{words} or "auto"', check, f'{kind.annotation} | Literal["auto"]')


@dataclass(frozen=True)
class Boosting(Learner[BoostingPlan]):
    """The learner behind `BoostedTrees` and `Scorecard`.

    (epsilon, delta)-DP, replace-one, n public, for every input and all settings.
    """

    name = "boosting"
    estimator = "BoostedTrees"
    summary = "sums of exactly drawn trees, with probabilities; no bound before data"
    claim = "boosting.privacy"
    pure = False
    agnostic = True
    uncertified = _UNCERTIFIED
    multiclass = True

    concept_class: BoostedTreeClass = declared(
        Kind("BoostedTreeClass", lambda owner, _, value: _own(owner, value)),
        "Public.",
        kw_only=False,
    )
    epsilon: Fraction = declared(
        number("1 is a common choice."),
        "Privacy loss of one ``fit``, evaluation included. No default.",
    )
    delta: Fraction | None = declared(
        Kind("float in [0, 1)", _delta, "Number"),
        "0 is pure privacy; 1e-6 allows more trees for the same epsilon.",
        default=0,
    )
    step: Fraction | None = declared(
        _or_auto("float", number("0.1 is a common choice.")),
        "Log-odds of one tree's vote.",
        default="auto",
    )
    cap: Fraction = declared(
        _or_auto("float in (0, 1]", Kind("", _cap, "Number"), Fraction(1, 2)),
        'Gradients above it weigh as much as it; ``"auto"`` is 1/2.',
        default="auto",
    )
    resolution: int = declared(whole(1), "Steps of a weight between 0 and 1.", default=1024)
    first_votes: int | None = declared(
        _or_auto(f"int in [1, {MAX_FIRST_VOTES}]", Kind("", _first_votes, "int")),
        "Votes of the first tree. With several it is drawn with three times the budget of another. "
        '``"auto"`` is 1, except with ``rounds="auto"``, two labels and n * epsilon from 400 '
        "to 1,200, where it makes log-odds of about one.",
        default="auto",
    )
    evaluation: Fraction | None = declared(
        maybe(number()),
        "Epsilon that is kept for an evaluation on the same records; `leaving` sets it.",
        default=None,
    )

    def check(self) -> None:
        """Refuse an evaluation that would leave nothing, and what is too large."""
        owner = self.owner
        if self.evaluation is not None and self.evaluation >= self.epsilon:
            raise parameter_error(
                owner, "evaluate", "smaller than epsilon, of which it is a part",
                self.evaluation,
            )  # fmt: skip
        if self.resolution > 2**20:
            raise parameter_error(owner, "resolution", "at most 2**20", self.resolution)
        if self.step is not None and self.step > 10:
            raise parameter_error(owner, "step", "at most 10", self.step)

    @property
    def owner(self) -> str:
        """The estimator of the class."""
        return getattr(self.concept_class, "estimator", self.estimator)

    def leaving(self, evaluation: Fraction) -> Boosting:
        """Return the learner that leaves this epsilon to an evaluation on the same records."""
        return replace(self, evaluation=evaluation)

    @property
    def tabled(self) -> bool:
        """Whether the draw asks for the counts of sets of columns only."""
        return self.concept_class.tabled

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return what is promised about privacy, the evaluation included."""
        return Guarantee(self.epsilon, self.delta or Fraction(0), claim=self.claim, seeded=seeded)

    def spending(self, n: int) -> dict[str, str]:
        """Say what is spent on what."""
        settings = self.plan.settings(n)
        each = f"bounded range {float_up(settings.round_epsilon):.6g} each"
        spent = {counted(settings.rounds, "trees"): each}
        if settings.first_votes > 1:
            what = f"first tree, counted {settings.first_votes} times"
            spent = {what: f"bounded range {float_up(settings.epsilon_of(0)):.6g}"}
            more = settings.rounds - 1
            spent |= {counted(more, "more trees"): each} if more else {}
        if settings.count_epsilon:
            what = "counts of labels" if self.concept_class.lists_labels else "count of label 1"
            spent[what] = f"epsilon {settings.count_epsilon}"
        return spent

    def make_plan(self) -> BoostingPlan:
        """Return the plan."""
        return BoostingPlan(self)

    def draw(self, sample: Any, source: Source) -> Hypothesis:
        """Draw the trees; a pure function of the sample and the draws."""
        settings = self.plan.settings(sample.n)
        start = self._start(sample, settings, source)
        votes = Votes(sample, start)
        trees: list[TreeHypothesis] = []
        for place in range(settings.rounds):
            rows, rate = self.round(votes, place)
            tree = self.tree(rows, rate, source)  # step 2
            votes.add(tree, settings.votes_of(place))  # step 3
            trees += [tree] * settings.votes_of(place)
        return TreeEnsemble(tuple(trees), settings.step, start, self.concept_class.labels)

    def round(self, votes: Votes, place: int) -> tuple[Rows, Fraction]:
        """Return what answers cost in a round after ``place`` trees, and the rate of its draw."""
        settings = self.plan.settings(votes.sample.n)
        largest = settings.largest(votes.start, place)
        splits, depth = _splits(self.concept_class.schema), self.concept_class.depth
        rows = votes.rows(splits, depth, settings, largest)  # step 1
        return rows, settings.epsilon_of(place) / (2 * max(largest, 1))

    def tree(self, rows: Rows, rate: Fraction, source: Source) -> TreeHypothesis:
        """Draw the tree of a round."""
        drawn = draw_tree(rows, self.concept_class.depth, rate, source)
        return TreeHypothesis.of(drawn, self.concept_class.labels)

    def _start(self, sample: Any, settings: Settings, source: Source) -> tuple[int, ...]:
        """Return votes of each label to begin with, from private counts."""
        n, epsilon, step = sample.n, settings.count_epsilon, float(settings.step)
        if not epsilon:
            return (0,) * len(self.concept_class.labels)
        if not self.concept_class.lists_labels:
            count = private_count(sample.positives, n, epsilon=epsilon, source=source).value
            doubt = 2 / float(epsilon)  # about the noise's size: pulls the share towards one half
            odds = round(math.log((count + doubt) / (n - count + doubt)) / step)
            return (0, max(-_FURTHEST, min(_FURTHEST, odds)))
        totals = sample.by_label[:, None]
        released = release_histogram([0], totals, n=n, epsilon=epsilon, source=source)
        doubt = 4 / float(epsilon)  # pulls the shares towards each other
        logs = [math.log(max(count, 0) + doubt) for (count,) in released.counts[:-1]]
        return tuple(max(-_FURTHEST, round((own - max(logs)) / step)) for own in logs)


@lru_cache(maxsize=64)
def _splits(schema: Schema) -> Splits:
    return Splits(schema)


def _own(owner: str, value: Any) -> BoostedTreeClass:
    if not isinstance(value, BoostedTreeClass):
        spec = getattr(value, "spec", type(value).__name__)
        raise UnsupportedError(
            f"{owner} learns boosted_trees(depth=2) or scorecard, over a schema, not {spec}."
        )
    return value


@lru_cache(maxsize=512)
def _settings(learner: Boosting, n: int) -> Settings:
    n = check_integer(learner.owner, "n", n, low=1)
    concepts = learner.concept_class
    size = float(learner.epsilon) * n
    splits = len(_splits(concepts.schema))
    rounds = concepts.rounds or default_rounds(
        concepts.depth, size, splits, pure=learner.delta is None
    )
    step = learner.step or default_step(rounds, size)
    left = learner.epsilon - (learner.evaluation or Fraction(0))
    count_epsilon = left * _COUNT_SHARE if float(left) * n >= _COUNT_FROM else Fraction(0)
    others = tuple(e for e in (count_epsilon, learner.evaluation) if e)
    ruled = not (concepts.rounds or concepts.lists_labels)
    strong = ruled and _FIRST_FROM <= size < _FIRST_TO
    first_votes = learner.first_votes or (default_first_votes(step) if strong else 1)
    round_epsilon = largest_round(
        learner.epsilon, learner.delta or Fraction(0), rounds, others, first=first_votes > 1
    )
    _check_size(learner, n, splits, round_epsilon)
    return Settings(
        rounds, step, learner.cap, learner.resolution, round_epsilon, count_epsilon, first_votes
    )


def _check_size(learner: Boosting, n: int, splits: int, round_epsilon: Fraction) -> None:
    """Refuse, by public numbers, what the draw of a tree could not do."""
    labels = len(learner.concept_class.labels)
    if n * learner.resolution * (labels if learner.concept_class.lists_labels else 1) >= 2**53:
        raise UnsupportedError(
            f"Boosted trees of {n:,} records with resolution {learner.resolution:,} are not drawn: "
            "sums of weights must stay below 2**53. Use a smaller resolution."
        )
    depth = learner.concept_class.depth
    bits = 102 + depth + 2**depth * (splits.bit_length() + (labels - 1).bit_length() - 1)
    if bits * 2 * learner.resolution > 2**40 * round_epsilon:
        raise UnsupportedError(
            "The epsilon of one round of boosting is too small for an exact draw. Raise epsilon, "
            "or lower rounds or resolution."
        )


def default_rounds(depth: int, size: float, splits: int, *, pure: bool) -> int:
    """Return the number of trees for ``size = n * epsilon``: a rule in public numbers.

    Fitted on tables that the comparison does not use (docs/boosting.md). With a delta a round
    costs ``epsilon / sqrt(T)``, so T grows like the square root of the size; in pure privacy it
    costs ``epsilon / T``, and T grows like its fourth root. More splits mean a larger union.

    Examples
    --------
    >>> [default_rounds(2, size, 100, pure=False) for size in (100, 1_000, 10_000, 100_000)]
    [6, 20, 63, 80]
    >>> [default_rounds(2, size, 100, pure=True) for size in (100, 1_000, 10_000, 100_000)]
    [6, 10, 18, 32]
    """
    x = max(size, 1.0) * math.log(100) / math.log(max(splits, 2))
    found: float = 1.8 * x**0.25 if pure else 20 * (x / 1_000) ** 0.5
    if depth == 1:
        found *= 1.5
    return max(6, min(round(found), 80 if depth > 1 else 120))


def default_step(rounds: int, size: float) -> Fraction:
    """Return the log-odds of one vote: all votes together reach further with more data.

    Examples
    --------
    >>> [str(default_step(rounds, size)) for rounds, size in ((6, 100), (20, 1_500), (80, 10**5))]
    ['333/1000', '3/20', '1/10']
    """
    reach = min(max(3 + 1.2 * math.log2(max(size, 1.0) / 1_500), 2.0), 8.0)
    return Fraction(round(1000 * min(max(reach / rounds, 0.02), 0.4)), 1000)


def default_first_votes(step: Fraction) -> int:
    """Return the votes of a strong first tree: log-odds of about one.

    Examples
    --------
    >>> [default_first_votes(Fraction(step)) for step in ("0.05", "0.15", "0.3", "2")]
    [20, 7, 3, 1]
    """
    return max(1, min(round(1 / step), MAX_FIRST_VOTES))


def _rounds(eta: Fraction, rounds: int, *, first: bool) -> Counter[Loss]:
    """Return what the rounds lose, the first of them more than another if asked."""
    losses: Counter[Loss] = Counter({BoundedRange(eta): rounds - first})
    losses[BoundedRange(FIRST_BUDGET * eta)] += first
    return +losses


@lru_cache(maxsize=512)
def largest_round(
    epsilon: Fraction,
    delta: Fraction,
    rounds: int,
    others: tuple[Fraction, ...] = (),
    *,
    first: bool = False,
) -> Fraction:
    """Return an eta such that T mechanisms of eta-bounded range, and others, cost epsilon.

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
    pure = (epsilon - sum(others, Fraction(0))) / (rounds + (FIRST_BUDGET - 1) * first)
    if not delta:
        return pure

    def costs(eta: Fraction) -> bool:
        losses = _rounds(eta, rounds, first=first)
        losses.update(Pure(other) for other in others)
        return compose(losses, delta=delta)[0] <= epsilon

    squares = rounds + (FIRST_BUDGET**2 - 1) * first
    low = max(pure, _by_zcdp(epsilon, delta, squares, others))
    while not costs(low):  # floats proposed it
        low *= Fraction(999, 1000)
    high = low * _GAIN
    for _ in range(_BISECTIONS if rounds <= _FEW_ROUNDS else 0):
        middle = Fraction(math.floor((low + high) / 2 * 10**12), 10**12)
        low, high = (middle, high) if costs(middle) else (low, middle)
    return low


def _by_zcdp(
    epsilon: Fraction, delta: Fraction, squares: int, others: tuple[Fraction, ...]
) -> Fraction:
    """Return an eta by zero-concentrated privacy: eta**2 / 8 for a round, e**2 / 2 for others.

    ``squares`` counts the rounds, each by the square of its share of eta.
    """
    low, high = 0.0, float(epsilon)
    while zcdp_to_dp(high, delta) <= epsilon:
        low, high = high, 2 * high
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if zcdp_to_dp(middle, delta) <= epsilon else (low, middle)
    left = low - float(sum((e * e for e in others), Fraction(0))) / 2
    return Fraction(math.floor(math.sqrt(max(8 * left / squares, 0.0)) * 10**12), 10**12)
