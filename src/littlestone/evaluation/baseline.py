"""The error of a rule beside that of the constant with the fewest errors, or the least cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from littlestone.costs import Costs
from littlestone.evaluation.histogram import ScoreHistogram
from littlestone.evaluation.measures import Band, Evaluation, balanced_accuracy
from littlestone.safe_io import OMITTED, Plain


@dataclass(frozen=True)
class Quality(Plain):
    """The error of a rule, and of the constant with the fewest errors."""

    error: Band  # share of the counted records that the rule gets wrong
    baseline: Band  # that the constant `majority` gets wrong
    majority: int  # the most frequent label, by the noisy counts
    constant: int | None  # the label that the rule always answers
    #: By the noisy counts; None of a constant, or if the noise hides whether a label occurs.
    balanced_accuracy: float | None
    cost: Band | None = field(default=None, metadata=OMITTED)  # of a record, where there are costs
    baseline_cost: Band | None = field(default=None, metadata=OMITTED)  # of the constant `cheapest`
    cheapest: int | None = field(default=None, metadata=OMITTED)

    @property
    def rival(self) -> int:
        """The constant that the rule is compared with."""
        return self.majority if self.cheapest is None else self.cheapest

    @property
    def compared(self) -> tuple[Band, Band]:
        """What is compared: costs where there are some, or else errors."""
        if self.cost is None or self.baseline_cost is None:
            return self.error, self.baseline
        return self.cost, self.baseline_cost

    @property
    def better(self) -> bool | None:
        """Whether the rule has a lower error rate, or costs, than the constant; None: unknown."""
        mine, baseline = self.compared
        if self.constant is not None or mine.low >= baseline.high:
            return False
        return True if mine.high < baseline.low else None

    def met_by_a_constant(self, alpha: float) -> bool:
        """Return whether a constant seems to meet a certificate for alpha, too.

        An error of at most alpha (above that of the best concept) is what a constant attains whose
        error is at most alpha, or at most that of a rule that attains it. With costs alpha is a
        mean cost.
        """
        mine, baseline = self.compared
        return self.constant is not None or baseline.value <= max(alpha, mine.value)


def quality(
    histogram: ScoreHistogram,
    answers: Sequence[int],
    *,
    constant: int | None = None,
    costs: Costs | None = None,
    beta: float = 0.05,
) -> Quality:
    """Return what a histogram says of answering these labels.

    Notes
    -----
    Both intervals are `Evaluation.share_right`'s, from the law of the noise. That of the baseline
    holds for all labels at once (union bound), since the label was chosen by the same counts.
    A balanced accuracy is said only if the noisy count of every label is larger than the noise
    alone would make it, except with probability beta for all labels together.

    Examples
    --------
    >>> from fractions import Fraction
    >>> counts = ((870, 30), (60, 40))
    >>> found = quality(ScoreHistogram((0, 1), counts, 1000, Fraction(1), Fraction(1, 2)), [0, 1])
    >>> f"{found.error.value:.2f} {found.baseline.value:.2f}"
    '0.09 0.10'
    >>> found.better, found.met_by_a_constant(0.1)
    (None, True)
    """
    evaluation = Evaluation(histogram)
    labels, scores = histogram.labels, len(histogram.scores)
    each = [evaluation.share_right([label] * scores, beta=beta / labels) for label in range(labels)]
    majority = max(range(labels), key=lambda label: each[label].value)
    best = each[majority]
    found = Quality(
        _wrong(evaluation.share_right(answers, beta=beta)),
        _wrong(Band(best.value, best.low, best.high, best.covers, beta)),
        majority,
        constant,
        None if constant is not None else _balanced(evaluation, answers, beta),
    )
    if costs is None:
        return found
    prices = [
        evaluation.mean_cost([label] * scores, costs, beta=beta / labels) for label in range(labels)
    ]
    cheapest = min(range(labels), key=lambda label: prices[label].value)
    own = evaluation.mean_cost(answers, costs, beta=beta)
    return replace(
        found, cost=own, baseline_cost=replace(prices[cheapest], beta=beta), cheapest=cheapest
    )


def _balanced(evaluation: Evaluation, answers: Sequence[int], beta: float) -> float | None:
    """Return the balanced accuracy, if every label's noisy count is beyond the noise's reach."""
    histogram = evaluation.histogram
    reach = histogram.reach(len(histogram.scores), beta / histogram.labels)
    confusion = evaluation.confusion_matrix(answers)[: histogram.labels]
    return balanced_accuracy(confusion) if min(map(sum, confusion)) > reach else None


def _wrong(right: Band) -> Band:
    """Return the share of errors, from that of right answers."""
    return Band(1 - right.value, 1 - right.high, 1 - right.low, right.covers, right.beta)
