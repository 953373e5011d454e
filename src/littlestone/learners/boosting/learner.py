"""Boosting of labels: `Boosted` with the logistic loss.

Each tree votes for one of k labels. After t rounds label j has v_j *votes* at a row: a released
start, and one of each released tree that answers j there. What an answer costs:
`littlestone.learners.boosting.losses.Logistic`; why rounds are private:
`littlestone.learners.boosting.rounds`.

*Start.* With a delta, votes begin at what single columns say (`release_start` of the same module).
Else, where labels are rare, the first trees would only say so. So a part of the budget buys
a private count of label 1 (two-sided geometric noise), or counts of all labels (one histogram:
replacing a record moves two of them by 1), and votes begin at their log-shares, in steps.

What is secret: the sample, its weights and counts. Public: everything in `Settings` and the trees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from littlestone.classes import BoostedTreeClass
from littlestone.classes.boosted_trees import TreeEnsemble
from littlestone.classes.boosted_trees.coefficients import CodePoints, in_order
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.data.targets import TargetSample
from littlestone.errors import check_integer, counted, parameter_error
from littlestone.evaluation import Evaluation, ScoreHistogram, release_histogram
from littlestone.evaluation.histogram import histogram_rate
from littlestone.learners.base import declared, number
from littlestone.learners.boosting.losses import Logistic, UnitRecords, Votes, private_counts
from littlestone.learners.boosting.rounds import (
    Boosted,
    Records,
    RoundSettings,
    check_size,
    class_to_learn,
    largest_rho,
    largest_round,
    marginals,
    or_auto,
    release_start,
)
from littlestone.mechanisms import private_count
from littlestone.privacy import Concentrated, Loss, Pure

if TYPE_CHECKING:
    from littlestone.learners.base import Goal
    from littlestone.source import Source
    from littlestone.types import Hypothesis

_COUNT_SHARE = Fraction(1, 40)  # of epsilon, for the counts of labels
_COUNT_FROM = 400  # n * epsilon from which a count of label 1, for twice that share, helps
_COUNT_SURE = 1_500  # and from which the share is enough, also for counts of all labels
_LINK_FROM = 1_500  # n * epsilon from which margins are near enough to their limit for the link
_FURTHEST = 40  # the largest start, in steps
_LEAST_STEP = Fraction(1, 1000)
_MOST_COLUMNS = 40_000  # times the step: votes to begin with stay below a million


@dataclass(frozen=True)
class Settings(RoundSettings):
    """The numbers of one fit, from public parameters and the public n."""

    loss: Logistic
    count_epsilon: Fraction  # of the counts of labels; 0: there are none, and votes start at 0
    linked: bool = False  # whether probabilities are what boosting fits
    marginals: Fraction | None = None  # rho of a start from the counts of all columns


@dataclass(frozen=True)
class Boosting(Boosted):
    """The learner behind `BoostedTrees` and `Scorecard`.

    (epsilon, delta)-DP, replace-one, n public, for every input and all settings.
    """

    name = "boosting"
    estimator = "BoostedTrees"
    summary = "sums of trees, drawn exactly, for labels; no error bound in advance"
    multiclass = True

    concept_class: BoostedTreeClass = declared(
        class_to_learn(
            BoostedTreeClass, "boosted_trees(depth=2) or scorecard, over a schema", targets=False
        ),
        "Public.",
        kw_only=False,
    )
    step: Fraction | None = declared(
        or_auto(number("0.1 is a common choice."), "float"),
        "Log-odds of one tree's vote.",
        default="auto",
    )

    @classmethod
    def held_out(cls, concept_class: BoostedTreeClass, goal: Goal) -> str:
        """Say what held-out records would certify, at a fifth of a few numbers of records."""
        certified = []
        for n in (1_000, 10_000, 100_000):
            wrong, scores = n // 25, 8  # a fifth of the held out, and cells
            counts = np.zeros((len(concept_class.labels), scores), dtype=np.int64)
            counts[0, 0], counts[1, 0] = n // 5 - wrong, wrong
            rate = histogram_rate(goal.epsilon)
            histogram = ScoreHistogram(
                tuple(range(scores)), tuple(map(tuple, counts.tolist())), n // 5, goal.epsilon,
                rate, held_out=True,
            )  # fmt: skip
            error = Evaluation(histogram).error_certificate([0] * scores, goal.beta)
            certified.append(f"{error:.0%}")
        return (
            f" For example, with --holdout 0.2 --evaluate {float(goal.epsilon):g}, if 20% of the "
            "held-out records are misclassified, this bound is about "
            f"{', '.join(certified[:2])} or {certified[2]} for 1,000, 10,000 or 100,000 records, "
            f"with {100 * (1 - float(goal.beta)):.6g}% confidence."
        )

    def check(self) -> None:
        """Refuse what others refuse, and a step that is too small or too large."""
        super().check()
        if self.step is not None and not _LEAST_STEP <= self.step <= 10:
            raise parameter_error(self.caller, "step", f"in [{float(_LEAST_STEP)}, 10]", self.step)

    @property
    def caller(self) -> str:
        """The estimator of the class."""
        return getattr(self.concept_class, "estimator", self.estimator)

    @property
    def uses_marginals(self) -> bool:
        """Whether the draw asks for the counts of sets of columns only."""
        return self.concept_class.uses_marginals

    def spending(self, n: int) -> dict[str, str]:
        """Say what is spent on what."""
        settings = self.plan.settings(n)
        each = f"bounded range {settings.round_epsilon} each"
        spent = {counted(settings.rounds, "trees"): each}
        if settings.marginals:
            spent["counts of columns"] = f"zCDP {settings.marginals}"
        if settings.count_epsilon:
            what = "counts of labels" if self.concept_class.lists_labels else "count of label 1"
            spent[what] = f"epsilon {settings.count_epsilon}"
        return spent

    def settings(self, n: int) -> Settings:
        """Return the numbers of a fit of n units."""
        return _settings(self, n)

    def start(self, sample: Any, source: Source) -> tuple[Any, Logistic]:
        """Draw the votes of the start, or the points of all columns."""
        settings, concepts = self.plan.settings(sample.n), self.concept_class
        if settings.marginals is None:
            return self._start(sample, settings, source), settings.loss
        points = release_start(
            sample, concepts.schema, settings.marginals, settings.loss.step, source,
            binary=not concepts.lists_labels, additive=concepts.depth == 1,
        )  # fmt: skip
        return points, settings.loss

    def at(self, sample: Any, start: Any, loss: Logistic) -> Records:
        """Return the records with the votes of the start."""
        if isinstance(start, CodePoints):
            return Votes(sample, (0,) * len(self.concept_class.labels), loss, start)
        if isinstance(sample, TargetSample):
            votes = np.tile(np.array(start, dtype=np.int64)[:, None], len(sample.points))
            return UnitRecords(sample, start, loss, votes)
        return Votes(sample, start, loss)

    def released(self, trees: list[TreeHypothesis], records: Records, source: Source) -> Hypothesis:
        """Return the sum of the trees."""
        loss = cast(Logistic, records.loss)
        labels = self.concept_class.labels
        linked = self.plan.settings(records.sample.n).linked
        points = records.points if isinstance(records, Votes) else None
        found = TreeEnsemble(tuple(trees), loss.step, records.start, labels, linked, points)
        return in_order(found, self.concept_class.schema)

    def _start(self, sample: Any, settings: Settings, source: Source) -> tuple[int, ...]:
        """Return votes of each label to begin with, from private counts."""
        n, epsilon, step = sample.n, settings.count_epsilon, float(settings.loss.step)
        if not epsilon:
            return (0,) * len(self.concept_class.labels)
        labels, lists = len(self.concept_class.labels), self.concept_class.lists_labels
        pull = 4 / float(epsilon)  # pulls the shares towards each other
        counts: list[Any]
        if isinstance(sample, TargetSample):
            spent = Pure(epsilon)
            counts = private_counts(sample, sample.code, labels + 1, loss=spent, source=source)
        elif lists:
            totals = sample.by_label[:, None]
            released = release_histogram([0], totals, n=n, epsilon=epsilon, source=source)
            counts = [max(count, 0) for (count,) in released.counts]
        else:  # one count, of half the noise
            ones = private_count(sample.positives, n, epsilon=epsilon, source=source).value
            counts, pull = [n - ones, ones], pull / 2
        logs = [math.log(float(count) + pull) for count in counts[:labels]]
        first = max(logs) if lists else logs[0]
        votes = [round((own - first) / step) for own in logs]
        return tuple(max(-_FURTHEST, min(_FURTHEST, own)) for own in votes)


@lru_cache(maxsize=512)
def _settings(learner: Boosting, n: int) -> Settings:
    n = check_integer(learner.caller, "n", n, low=1)
    concepts = learner.concept_class
    size = float(learner.epsilon) * n
    splits = len(learner.splits)
    depth, pure = concepts.depth, learner.delta is None
    rounds = concepts.rounds or default_rounds(depth, size, splits, pure=pure)
    step = learner.step or default_step(depth, rounds, size, pure=pure)
    left = learner.epsilon - (learner.evaluation or Fraction(0))
    start, binary = None, not concepts.lists_labels
    if learner.delta is not None and learner.unit == "records":
        rho = Fraction(f"{largest_rho(learner.epsilon, learner.delta):.5e}")  # a proposal
        rho -= (learner.evaluation or Fraction(0)) ** 2 / 2 + learner.columns
        if len(concepts.schema) <= _MOST_COLUMNS * step:
            start = marginals(concepts.schema, n, float(left) * n, rho)
    sure = float(left) * n >= _COUNT_SURE
    counted = start is None and (sure or (binary and float(left) * n >= _COUNT_FROM))
    count_epsilon = left * _COUNT_SHARE * (1 if sure else 2) if counted else Fraction(0)
    others: list[Loss] = list(learner.before)
    others += [Pure(count_epsilon)] if counted else []
    others += [Concentrated(start)] if start else []
    evaluation = [Pure(learner.evaluation)] if learner.evaluation else []
    delta = learner.delta or Fraction(0)
    round_epsilon = largest_round(learner.epsilon, delta, rounds, (*others, *evaluation))
    check_size(learner, n, round_epsilon)
    loss = Logistic(step, learner.resolution)
    linked = float(left) * n >= _LINK_FROM
    spent = tuple(others)
    return Settings(rounds, round_epsilon, spent, loss, count_epsilon, linked, start)


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


def default_step(depth: int, rounds: int, size: float, *, pure: bool) -> Fraction:
    """Return the log-odds of one vote: all votes together reach further with more data.

    Examples
    --------
    >>> sizes = (6, 100), (20, 1_500), (80, 10**5)
    >>> [str(default_step(2, rounds, size, pure=False)) for rounds, size in sizes]
    ['333/1000', '3/20', '1/10']
    >>> [str(default_step(2, 20, 6_000, pure=pure)) for pure in (False, True)]
    ['27/100', '21/100']
    """
    doublings = math.log2(max(size, 1.0) / 1_500)
    each, most = (0.6, 5.6) if pure and depth > 1 and doublings > 0 else (1.2, 8.0)
    reach = min(max(3 + each * doublings, 2.0), most)
    return Fraction(round(1000 * min(max(reach / rounds, 0.02), 0.4)), 1000)
