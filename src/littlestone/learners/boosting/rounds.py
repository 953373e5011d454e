"""Rounds of boosting: each is one exponential mechanism over all trees.

A *unit* is what is replaced between neighbours: a record, or a user with all records. Records are
at positions, which the released trees give to their rows. A round:

1. each answer of a leaf costs a record an integer, by the gradient of its loss
   (`littlestone.learners.boosting.losses`), and all records of a unit together at most W;
2. a tree h is drawn with probability proportional to ``exp(-rate A(h))``, where A(h) is what the
   answers of h cost all records and ``rate = epsilon_t / (2 W)``;
3. the tree moves the positions.

The release is the start and the list of trees; all else follows from it.

*Privacy* (claim ``boosting.round``). Fix what was released before the round. (a) What answers cost
the records of a unit is a function of this unit, of what was released and of public numbers; no
cost is normalised over units. (b) So ``A(h) = sum_u A_u(h)``, with ``0 <= A_u(h) <= W`` by step 1.
(c) Replacing u by u' moves A(h) by ``A_u'(h) - A_u(h)``, in [-W, W], for every h; between two trees
these moves differ by at most 2 W, so the log-likelihood ratio of step 2 lies in an interval of
length ``2 W rate = epsilon_t``; the normalising constant moves all of them alike. (d) Step 3 looks
at no record. So a round has epsilon_t-bounded range, given what was released before. The number of
rounds and all epsilon_t are fixed before the first one, so they compose adaptively
(`littlestone.privacy.compose`; pure: the sum). []

Sources: boosting by smooth weights, no record ever above a public cap: Bun, Carmosino and Sorrell
2020; boosting private learners: paper 004, section 2.4, and Dwork, Rothblum and Vadhan 2010;
bounded range of the exponential mechanism: Durfee and Rogers 2019; its zCDP: Cesar and Rogers 2021.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Unit
from littlestone.classes.boosted_trees.coefficients import CodePoints
from littlestone.classes.boosted_trees.concept_class import BoostedTreeClass
from littlestone.classes.decision_trees.concept_class import Rows, Splits, draw_tree
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.data import Column, Sample
from littlestone.data.targets import TargetSample
from littlestone.errors import UnsupportedError, check_probability, counted, parameter_error
from littlestone.learners.base import Kind, Learner, Plan, declared, maybe, number, one_of, whole
from littlestone.learners.boosting.losses import WHOLE, UnitRecords, Votes
from littlestone.mechanisms.estimate import discrete_gaussian
from littlestone.privacy import BoundedRange, Concentrated, Guarantee, compose, zcdp_to_dp
from littlestone.privacy import Loss as Spent
from littlestone.source import SeededSource

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.data import Schema
    from littlestone.source import Source
    from littlestone.types import Hypothesis


#: With few rounds, other routes of composition beat zero-concentrated privacy, by at most this.
_FEW_ROUNDS, _GAIN, _BISECTIONS = 16, Fraction(6, 5), 5


def or_auto(kind: Kind, words: str = "") -> Kind:
    """Return the kind of a value that may be left to a rule: None, or "auto"."""

    def check(caller: str, name: str, value: Any) -> Any:
        left = value is None or (isinstance(value, str) and value == "auto")
        return None if left or kind.check is None else kind.check(caller, name, value)

    return Kind(f'{words or kind.words} or "auto"', check, f'{kind.annotation} | Literal["auto"]')


@dataclass(frozen=True)
class UncertifiedPlan(Plan):
    """What a learner will do with n units: `settings`. It certifies nothing before data."""

    learner: Uncertified

    @property
    def unit(self) -> Unit:  # type: ignore[override]
        """What is counted."""
        return self.learner.unit

    @property
    def required(self) -> int:
        """There is no such number."""
        raise UnsupportedError(self.learner.uncertified)

    def certificate(self, n: int) -> Certificate:
        """There is no certificate."""
        raise UnsupportedError(self.learner.uncertified)

    def settings(self, n: int) -> Any:
        """Return the numbers of a fit of n units."""
        return self.learner.settings(n)


def class_to_learn(kind: type[Any], learns: str, *, targets: bool, instead: str = "") -> Kind:
    """Return the kind of the class of a learner: with a target, or of labels."""

    def check(caller: str, name: str, value: Any) -> Any:
        if not isinstance(value, kind) or (value.target is not None) != targets:
            spec = getattr(value, "spec", type(value).__name__)
            raise UnsupportedError(f"{caller} learns {learns}, not {spec}.{instead}")
        return value

    return Kind(kind.__name__, check)


@dataclass(frozen=True)
class Uncertified(Learner[UncertifiedPlan]):
    """What learners without a bound before data share: boosted trees, and linear models."""

    pure = False
    agnostic = True
    uncertified = (
        "Scorecards, boosted trees and linear models have no error bound before data are read. "
        "Evaluate the model privately instead: with --evaluate E --holdout 0.2 (evaluate=E, "
        "holdout=0.2), fit also releases a bound on the error rate on new records."
    )

    concept_class: Any = declared(Kind("ConceptClass"), "Public.", kw_only=False)
    epsilon: Fraction = declared(
        number("1 is a common choice."),
        "Privacy loss of one ``fit``, evaluation included. No default.",
    )
    unit: Unit = declared(one_of("records", "users"), "What is protected.", default="records")
    #: zCDP that columns cost, which were learned from the same records: epsilon pays both.
    columns: Fraction = field(default=Fraction(0), kw_only=True)

    @property
    def reads(self) -> type[Any]:
        """Records with targets, or of users; else labelled records, as counts."""
        of_units = self.unit == "users" or self.concept_class.target is not None
        return TargetSample if of_units else Sample

    @abstractmethod
    def settings(self, n: int) -> Any:
        """Return the numbers of a fit of n units: from public parameters only."""

    def make_plan(self) -> UncertifiedPlan:
        """Return the plan."""
        return UncertifiedPlan(self)


#: The records of a sample at their positions, with the loss by which answers cost them.
Records: TypeAlias = UnitRecords | Votes


def _delta(caller: str, name: str, value: Any) -> Fraction | None:
    if value is None or (isinstance(value, int | float) and value == 0):
        return None
    hint = "1e-6 is a common choice; leave it out for pure privacy."
    return check_probability(caller, name, value, hint=hint)


@dataclass(frozen=True)
class RoundSettings:
    """The numbers of the rounds of one fit, from public parameters and the public n."""

    rounds: int
    round_epsilon: Fraction  # bounded range of each round
    others: tuple[Spent, ...]  # what else is composed, the evaluation left out

    @property
    def losses(self) -> Counter[Spent]:
        """What is composed."""
        return Counter([BoundedRange(self.round_epsilon)] * self.rounds + list(self.others))


@dataclass(frozen=True)
class Boosted(Uncertified):
    """What learners by rounds of trees share."""

    claim = "boosting.round"

    concept_class: BoostedTreeClass = declared(Kind("BoostedTreeClass"), "Public.", kw_only=False)
    delta: Fraction | None = declared(
        Kind("float in [0, 1)", _delta, "Number"),
        "0 is pure privacy; 1e-6 allows more trees for the same epsilon.",
        default=0,
    )
    resolution: int = declared(whole(1), "Steps of a weight between 0 and 1.", default=1024)
    evaluation: Fraction | None = declared(
        maybe(number()),
        "Epsilon that is reserved for an evaluation on the same records; `minus_evaluation` sets "
        "it.",
        default=None,
    )

    def check(self) -> None:
        """Refuse an evaluation that would leave nothing, and what is too large."""
        if self.evaluation is not None and self.evaluation >= self.epsilon:
            left = "smaller than epsilon, of which it is a part"
            raise parameter_error(self.caller, "evaluate", left, self.evaluation)
        if self.resolution > 2**20:
            raise parameter_error(self.caller, "resolution", "at most 2**20", self.resolution)

    def minus_evaluation(self, evaluation: Fraction) -> Self:
        """Return the learner that leaves this epsilon to an evaluation on the same records."""
        return replace(self, evaluation=evaluation)

    @property
    def several(self) -> bool:
        """Whether a unit may bring several rows."""
        return self.unit == "users"

    @property
    def before(self) -> tuple[Spent, ...]:
        """What was paid of the same epsilon before: for columns."""
        return (Concentrated(self.columns),) if self.columns else ()

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
        for place in range(self.rounds(records)):
            rows, rate = self.round(records, place)  # step 1
            tree = self.tree(rows, rate, source)  # step 2
            records.add(tree, place)  # step 3
            trees.append(tree)
        return self.released(trees, records, source)

    def rounds(self, records: Records) -> int:
        """Return how many trees are drawn."""
        rounds: int = self.plan.settings(records.sample.n).rounds
        return rounds

    def round(self, records: Records, place: int) -> tuple[Rows, Fraction]:
        """Return what answers cost in a round after ``place`` trees, and the rate of its draw."""
        rows = records.rows(self.splits, self.concept_class.depth, place)
        return rows, self.plan.settings(records.sample.n).round_epsilon / (2 * self.resolution)

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


def check_size(learner: Boosted, n: int, round_epsilon: Fraction) -> None:
    """Refuse, by public numbers, what the draw of a tree could not do."""
    most, labels = learner.resolution, len(learner.concept_class.labels)
    of_user = WHOLE if learner.unit == "users" else 1  # sums of starts and evaluations
    if n * max(most * (labels if learner.concept_class.lists_labels else 1), of_user) >= 2**53:
        raise UnsupportedError(
            f"Boosted trees for {counted(n, learner.unit)} with resolution {most:,} cannot be "
            "drawn exactly: sums of weights must stay below 2**53. Use a smaller resolution or "
            f"fewer {learner.unit}."
        )
    depth, splits = learner.concept_class.depth, len(learner.splits)
    bits = 102 + depth + 2**depth * (splits.bit_length() + (labels - 1).bit_length() - 1)
    if bits * 2 * most > 2**40 * round_epsilon:
        raise UnsupportedError(
            "The epsilon of one round of boosting is too small for an exact draw. Raise epsilon, "
            "or lower rounds or resolution."
        )


@lru_cache(maxsize=512)
def largest_round(
    epsilon: Fraction,
    delta: Fraction,
    rounds: int,
    others: tuple[Spent, ...] = (),
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
    pure = (epsilon - reached) / rounds
    if not delta:
        return pure

    def costs(eta: Fraction) -> bool:
        losses = Counter([BoundedRange(eta)] * rounds + list(others))
        return compose(losses, delta=delta)[0] <= epsilon

    low = _by_zcdp(epsilon, delta, rounds, others)
    if not low and reached < epsilon:  # what is pure is added to the conversion of the rest
        rest = tuple(loss for loss in others if loss.reach is None)
        low = _by_zcdp(epsilon - reached, delta, rounds, rest)
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
    epsilon: Fraction, delta: Fraction, rounds: int, others: tuple[Spent, ...]
) -> Fraction:
    """Return an eta by zero-concentrated privacy: eta**2 / 8 for a round, e**2 / 2 for e-DP."""
    left = largest_rho(epsilon, delta) - sum(map(_rho, others))
    return Fraction(math.floor(math.sqrt(max(8 * left / rounds, 0.0)) * 10**12), 10**12)


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


# -- The start of boosting: what single columns say, from noisy counts of all of them at once.
#
# All counts are of *answers*: a bin, a category, or neither (missing and other together).
#
# *Counts.* For each of m columns, each answer and each label, the number of records, plus discrete
# Gaussian noise of variance ``m / rho``. A replaced record moves at most two counts of each column
# by 1: the squared L2 sensitivity is 2 m, the cost ``2 m / (2 m / rho) = rho`` of zCDP. Answers
# that no record has get noise, too. What follows from the counts is post-processing: log-odds of
# each answer, pulled towards 0 by what the noise leaves of them (`_scores`).
#
# Columns say the same things, so that their log-odds are not simply added: each weighs `_WEIGHT`.


Doubles = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


#: Steps of a unit of log-odds.
SCALE = 1 << 8
_COUNTS = Fraction(1, 10)  # share of rho
_FROM, _FROM_EACH = 600, 75  # n * epsilon from which it helps: at least, and for each column
_CERTAIN = 6  # standard deviations of the noise of the count of label 1, at most n together
_WEIGHT = 0.4  # of a column
_LIMIT = 4.0  # of the log-odds of all columns together


def marginals(schema: Schema, n: int, size: float, rho: Fraction) -> Fraction | None:
    """Return the part of rho for a start where it helps, by public numbers; else None.

    ``size`` is n epsilon, ``rho`` what there is.
    """
    part = rho * _COUNTS
    if size < max(_FROM, _FROM_EACH * len(schema)) or part <= 0:
        return None
    doubt = math.sqrt(float(count_noise(part, len(schema))) / (2 * _precision(schema)))
    return part if _CERTAIN * doubt <= n else None


def count_noise(rho: Fraction, columns: int) -> Fraction:
    """Return the variance of the noise of each count."""
    return columns / rho


def _answers(schema: Schema) -> list[int]:
    return [codes - Column.OTHER for codes in schema.n_codes]


def _precision(schema: Schema) -> float:
    return sum(1 / answers for answers in _answers(schema))


def release_start(
    sample: Sample,
    schema: Schema,
    rho: Fraction,
    step: Fraction,
    source: Source,
    *,
    binary: bool,
    additive: bool,
) -> CodePoints:
    """Return the votes to begin with; ``additive`` makes them whole for each answer.

    Guarantee
    ---------
    rho-zCDP (claim ``boosting.start``).
    """
    labels = 2 if binary else len(sample.by_label) - 1  # not cells outside the list
    noise = count_noise(rho, len(schema))
    found = [_noisy(own, noise, source) for own in counts_of(sample, schema, labels)]
    variance = float(noise)
    shares = _shares(found, sample.n, variance)
    scores = [
        [
            _scores(own, label, share, sample.n, variance, column)
            for own, column in zip(found, schema.columns, strict=True)
        ]
        for label, share in enumerate(shares)
    ]
    if not binary:
        return _points(np.log(shares), scores, step, grain=1, additive=additive)
    none = [0 * column for column in scores[1]]
    odds = np.array([0.0, math.log(shares[1] / shares[0])])
    return _points(odds, [none, scores[1]], step, grain=2, additive=additive)


def counts_of(sample: Sample, schema: Schema, labels: int) -> list[Ints]:
    """Return the exact counts of each column: (labels, answers). Private."""
    exact = [np.zeros((labels, answers), dtype=np.int64) for answers in _answers(schema)]
    for batch in sample.batches():
        for column, own in enumerate(exact):
            places = CodePoints.answers(batch.points[:, column], own.shape[1])
            for label in range(labels):
                np.add.at(own[label], places, batch.counts[label])
    return exact


def _noisy(exact: Ints, variance: Fraction, source: Source) -> Doubles:
    noisy = [value + discrete_gaussian(variance, source) for value in exact.ravel().tolist()]
    found: Doubles = np.array(noisy, dtype=np.float64).reshape(exact.shape)  # rounded last
    return found


# -- post-processing -------------------------------------------------------------------------------


def _shares(found: list[Doubles], n: int, variance: float) -> Doubles:
    """Return the share of each label: a mean over columns, more of those with few answers."""
    weights = np.array([1 / own.shape[1] for own in found])
    doubt = math.sqrt(variance / (2 * weights.sum()))
    totals = np.array([own.sum(axis=1) for own in found]).T @ (weights / weights.sum())
    totals += (n - totals.sum()) / len(totals)
    low = min(2 * doubt + 1, n / (2 * len(totals)))
    totals = np.clip(totals, low, n - low)
    shares: Doubles = totals / totals.sum()
    return shares


def _scores(  # noqa: PLR0917 - counts, and what they are of
    own: Doubles, label: int, share: float, n: int, variance: float, column: Column
) -> Doubles:
    """Return the log-odds of a label at each answer of a column, less those of all records.

    A normal prior of covariance K, smooth along bins, meets noisy counts: first at the log-odds of
    all records, with the variance of the prior by the method of moments, then by steps of Newton.
    """
    one, labels = own[label], len(own)
    rest = own.sum(axis=0) - one
    size = np.maximum(one + rest, 0)
    size *= n / max(float(size.sum()), 1.0)

    def doubt(q: Any) -> Any:
        """Return the variance of ``(1 - q) one - q rest``: of the noise, and of sampling."""
        noise = (1 - q) ** 2 + (labels - 1) * q**2
        return variance * noise + size * q * (1 - q)

    bent: Doubles = size * share * (1 - share)
    noise: Doubles = doubt(share)
    moved = (1 - share) * one - share * rest
    weight = (bent / noise) ** 2
    spread = float((weight * (moved**2 - noise)).sum() / max((weight * bent**2).sum(), 1e-9))
    if spread <= 0:
        return np.zeros_like(one)
    smooth = _smooth(column, len(one))
    scores = np.clip(_posterior(min(spread, 4.0) * smooth, bent, noise, moved), -5, 5)
    prior = max(1.3 * float(size @ scores**2) / n, 1e-4) * smooth
    base = math.log(share / (1 - share))
    for _ in range(4):
        q = 1 / (1 + np.exp(-(base + scores)))
        bent, noise = size * q * (1 - q), doubt(q)
        moved = (1 - q) * one - q * rest + bent * scores
        found = np.clip(_posterior(prior, bent, noise, moved), -5, 5)
        scores = (scores + found) / 2
    centred: Doubles = scores - float(size @ scores) / n
    return centred


@lru_cache(maxsize=512)
def range_of_noise(column: Column, n: int, variance: float, share: float) -> float:
    """Return how far apart the scores of a column lie in 19 of 20 tables where it says nothing.

    Of n records whose answers are equally frequent, and of which this share has the label; public.
    """
    rng, answers = SeededSource(0).public_rng(), column.n_codes - Column.OTHER
    ranges = []
    for _ in range(60):
        ones = rng.multinomial(round(n * share), np.full(answers, 1 / answers))
        rest = rng.multinomial(round(n * (1 - share)), np.full(answers, 1 / answers))
        own = np.stack([rest, ones]) + rng.normal(0, math.sqrt(variance), (2, answers))
        ranges.append(float(np.ptp(_scores(own, 1, share, n, variance, column))))
    return _WEIGHT * float(np.quantile(ranges, 0.95))


def _smooth(column: Column, answers: int) -> Doubles:
    """Return the correlations of answers: neighbouring bins are alike, "neither" is like none."""
    if column.edges is None or answers <= 3:
        return np.eye(answers)
    places = np.arange(answers)
    found: Doubles = np.exp(-np.abs(places[:, None] - places) / 2)
    found[0, 1:] = found[1:, 0] = 0
    return found


def _posterior(prior: Doubles, bent: Doubles, noise: Doubles, moved: Doubles) -> Doubles:
    """Return ``K h (h K h + diag v)**-1 u``."""
    seen = bent[:, None] * prior * bent
    solved = np.linalg.solve(seen + np.diag(noise), moved)
    return np.asarray(prior @ (bent * solved))


def _points(
    base: Doubles,
    scores: list[list[Doubles]],
    step: Fraction,
    *,
    grain: int,
    additive: bool,
) -> CodePoints:
    """Return points of votes: whole multiples of the grain for each answer, or 256ths of a vote."""
    unit = 1 if additive else SCALE
    scale = _WEIGHT * unit / float(step)

    def whole(values: Any) -> Any:
        return (np.rint(values / grain) * grain if additive else np.rint(values)).astype(np.int64)

    columns = []
    for column in range(len(scores[0])):
        own = whole(scale * np.array([label[column] for label in scores]).T)
        if own.any():
            columns.append((column, tuple(map(tuple, own.tolist()))))
    start = whole((base - base.max() if grain == 1 else base) * unit / float(step)).tolist()
    limit = None if additive else round(_LIMIT * unit / float(step))
    return CodePoints(tuple(start), tuple(columns), unit, limit, grain)
