"""Boosting of quantities, counts and times until events: `Boosted` with losses of one number.

The start is drawn first (`littlestone.learners.boosting.losses`): of a quantity three quantiles,
which also give its scale S; of a count a quantile and a mean; of a time a life table. Steps and
caps follow from it and from public numbers. Then come the rounds, and a last factor of a count, or
a last shift of a quantity, which correct its mean.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from littlestone.bounds import Unit
from littlestone.classes import BoostedTreeClass
from littlestone.classes.boosted_trees import TreeEnsemble, TreeSum
from littlestone.classes.boosted_trees.ensemble import FURTHEST
from littlestone.classes.boosted_trees.export import PARTS
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.data import Column, Sample
from littlestone.data.targets import Count, Periods, Quantity, Target, TargetSample
from littlestone.errors import (
    UnsupportedError,
    check_integer,
    check_probability,
    counted,
    exact_value,
    parameter_error,
)
from littlestone.evaluation.measures import ErrorCells, cells_epsilon, release_histogram
from littlestone.evaluation.targets import ErrorSums, noisy_sums
from littlestone.learners.base import Kind, Plan, declared, maybe, number, one_of, whole
from littlestone.learners.boosting.learner import DELTA, LEFT
from littlestone.learners.boosting.losses import (
    Hazards,
    Huber,
    Poisson,
    Quantile,
    Scored,
    UnitRecords,
    life_table,
    private_quantile,
    private_sum,
    unit_weight,
    weights,
)
from littlestone.learners.boosting.rounds import (
    Boosted,
    Records,
    check_size,
    largest_rho,
    largest_round,
)
from littlestone.mechanisms.estimate import LEAST, Conformal
from littlestone.privacy import BoundedRange, Pure
from littlestone.privacy import Loss as Spent
from littlestone.privacy.guarantee import exact_text
from littlestone.source import Source
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.types import Hypothesis


Ints = npt.NDArray[np.int64]

_FINE = 16  # parts of a rate of one

_UNCERTIFIED = (
    "The learner 'values' has no error bound before data: a bound over all sums of trees would "
    "say nothing."
)


@dataclass(frozen=True)
class ValueSettings:
    """The numbers of one fit, from public parameters and the public number of units."""

    rounds: int
    round_epsilon: Fraction  # bounded range of each round
    reach: float  # the sum of all steps, in scales
    start: tuple[Spent, ...]  # what is drawn before the rounds
    end: tuple[Spent, ...]  # and after them

    def epsilon_of(self, place: int) -> Fraction:
        """Return the bounded range of the round of the tree at this place."""
        return self.round_epsilon

    @property
    def losses(self) -> Counter[Spent]:
        """What is composed."""
        found: Counter[Spent] = Counter({BoundedRange(self.round_epsilon): self.rounds})
        found.update([*self.start, *self.end])
        return found

    def steps(self, scale: int) -> tuple[int, ...]:
        """Return the steps of the trees, which fall linearly to a third of the first."""
        first = 1.5 * self.reach * scale / self.rounds
        last = max(self.rounds - 1, 1)
        falling = (1 - 2 / 3 * place / last for place in range(self.rounds))
        return tuple(max(1, round(first * share)) for share in falling)


@dataclass(frozen=True)
class ValuesPlan(Plan):
    """What boosting will do with n units: `settings`. It certifies nothing before data."""

    learner: Values

    @property
    def unit(self) -> Unit:  # type: ignore[override]
        """What is counted."""
        return self.learner.unit

    @property
    def required(self) -> int:
        """There is no such number."""
        raise UnsupportedError(_UNCERTIFIED)

    def certificate(self, n: int) -> Certificate:
        """There is no certificate."""
        raise UnsupportedError(_UNCERTIFIED)

    def settings(self, n: int) -> ValueSettings:
        """Return the numbers of a fit of n units."""
        return _settings(self.learner, n)


def _quantile(caller: str, name: str, value: Any) -> Fraction | None:
    if value is None:
        return None
    exact = exact_value(value)
    if exact is None or not 0 < exact < 1:
        raise parameter_error(caller, name, "a float in (0, 1)", value, "0.9 is one in ten above.")
    return exact.limit_denominator(1000)


_FITS: dict[type, tuple[str, ...]] = {
    Quantity: ("auto", "huber", "absolute", "quantile"),
    Count: ("auto", "poisson"),
    Periods: ("auto",),
}


def check_loss(caller: str, target: Any, loss: str, quantile: Any) -> Fraction | None:
    """Refuse a loss that is not one of the target; return the quantile."""
    fits = _FITS[type(target)]
    if loss not in fits:
        kind = f"of a {target.kind}: one of {', '.join(fits)}"
        raise parameter_error(caller, "loss", kind, loss)
    if (loss == "quantile") != (quantile is not None):
        wanted = 'given with loss="quantile", and left out with others'
        raise parameter_error(caller, "quantile", wanted, quantile)
    return _quantile(caller, "quantile", quantile)


@dataclass(frozen=True)
class Values(Boosted[ValuesPlan]):
    """The learner behind `BoostedTreesRegressor`, `ScorecardRegressor`, `BoostedTreesSurvival`.

    (epsilon, delta)-DP, replacing one record, or all records of a user, for every input.
    """

    name = "values"
    estimator = "BoostedTreesRegressor"
    summary = "sums of exactly drawn trees for quantities, counts and times; no bound before data"
    claim = "boosting.round"
    pure = False
    agnostic = True
    uncertified = _UNCERTIFIED

    concept_class: BoostedTreeClass = declared(
        Kind("BoostedTreeClass", lambda caller, _, value: _own(caller, value)),
        "Public.",
        kw_only=False,
    )
    epsilon: Fraction = declared(
        number("1 is a common choice."),
        "Privacy loss of one ``fit``, evaluation included. No default.",
    )
    delta: Fraction | None = declared(
        DELTA, "0 is pure privacy; 1e-6 allows more trees for the same epsilon.", default=0
    )
    loss: str = declared(
        one_of("auto", "huber", "absolute", "quantile", "poisson"),
        "Of a quantity huber (means, far errors capped), absolute (medians) or quantile; of a "
        'count poisson. ``"auto"`` is huber or poisson.',
        default="auto",
    )
    quantile: Fraction | None = declared(
        Kind("float in (0, 1)", _quantile, "Number | None"),
        'For ``loss="quantile"``: which one, for example 0.9.',
        default=None,
    )
    unit: Unit = declared(one_of("records", "users"), "What is protected.", default="records")
    resolution: int = declared(whole(1), "Steps of a weight between 0 and 1.", default=1024)
    evaluation: Fraction | None = declared(
        maybe(number()),
        "Epsilon that is kept for an evaluation on the same records; `minus_evaluation` sets it.",
        default=None,
    )

    def check(self) -> None:
        """Refuse a loss that is not one of the target, and an evaluation that leaves nothing."""
        caller, target = self.caller, self.concept_class.target
        if self.evaluation is not None and self.evaluation >= self.epsilon:
            raise parameter_error(caller, "evaluate", LEFT, self.evaluation)
        if self.resolution > 2**20:
            raise parameter_error(caller, "resolution", "at most 2**20", self.resolution)
        check_loss(caller, target, self.loss, self.quantile)

    @property
    def caller(self) -> str:
        """The estimator of the class."""
        concepts: Any = self.concept_class  # of any kind while it is being refused
        name: str = getattr(concepts, "estimator", "BoostedTreesRegressor")
        return name if name.endswith(("Regressor", "Survival")) else f"{name}Regressor"

    def minus_evaluation(self, evaluation: Fraction) -> Values:
        """Return the learner that leaves this epsilon to an evaluation on the same records."""
        return replace(self, evaluation=evaluation)

    @property
    def several(self) -> bool:
        """Whether a unit may bring several rows."""
        return super().several or isinstance(self.concept_class.target, Periods)

    def spending(self, n: int) -> dict[str, str]:
        """Say what is spent on what."""
        settings = self.plan.settings(n)
        each = f"bounded range {exact_text(settings.round_epsilon)} each"
        target = self.concept_class.target
        assert target is not None
        first, last = {
            "quantity": ("quantiles", "last shift"),
            "count": ("quantile and mean", "last factor"),
            "time": ("life table", ""),
        }[target.kind]
        spent = {first: _said(settings.start), counted(settings.rounds, "trees"): each}
        return spent | ({last: _said(settings.end)} if settings.end else {})

    def make_plan(self) -> ValuesPlan:
        """Return the plan."""
        return ValuesPlan(self)

    def start(self, sample: TargetSample, source: Source) -> tuple[Any, Scored]:
        """Draw the start, and what the loss is made from."""
        settings, target = self.plan.settings(sample.n), self.concept_class.target
        if isinstance(target, Periods):
            (life,) = cast(tuple[Pure], settings.start)
            table = life_table(sample, target, epsilon=life.epsilon, source=source)
            return table, Hazards(settings.steps(PARTS), 2, self.resolution)
        if isinstance(target, Quantity):
            return self._of_quantity(sample, target, settings, source)
        return self._of_count(sample, cast(Count, target), settings, source)

    def at(self, sample: TargetSample, start: Any, loss: Scored) -> UnitRecords:
        """Return the records at the start; a person brings a row for each period at risk."""
        rows, target = sample, self.concept_class.target
        if isinstance(target, Periods):
            rows = rows_at_risk(sample, target)
        position = np.tile(np.array(start, dtype=np.int64), len(sample.points))
        return UnitRecords(rows, start, loss, position)

    def _of_quantity(
        self, sample: TargetSample, target: Quantity, settings: ValueSettings, source: Source
    ) -> tuple[int, Scored]:
        """Draw the quartiles, which give the scale, and the start: the median, or the quantile."""
        middle = self.quantile or Fraction(1, 2)
        low, start, high = (
            private_quantile(
                sample, target.size, q, epsilon=cast(BoundedRange, loss).eta, source=source
            )
            for q, loss in zip(
                (Fraction(1, 4), middle, Fraction(3, 4)), settings.start, strict=True
            )
        )
        scale = max(PARTS, (high - low) * PARTS * 100 // 135)  # of normal errors: their deviation
        return start * PARTS, self.loss_of(settings.steps(scale), target.size, scale)

    def loss_of(self, steps: tuple[int, ...], size: int, scale: int) -> Scored:
        """Return the loss of a quantity, from public and released numbers."""
        if self.loss in ("absolute", "quantile"):
            return Quantile(steps, size, self.resolution, self.quantile or Fraction(1, 2))
        return Huber(steps, size, self.resolution, max(scale // 2, 1))

    def _of_count(
        self, sample: TargetSample, target: Count, settings: ValueSettings, source: Source
    ) -> tuple[int, Scored]:
        """Draw the quantile .9, which gives the cap, and the mean, which is the start."""
        first, second = (cast(Fraction, loss.reach) for loss in settings.start)
        largest = Fraction(9, 10)
        found = private_quantile(sample, target.size, largest, epsilon=first, source=source)
        high = max(1, found)
        most = min(2 * high, target.high)
        total = private_sum(sample, sample.code, most, epsilon=second, source=source)
        mean = max(float(total) / sample.n, 2**-10)
        steps = settings.steps(PARTS // 2)
        loss = Poisson(steps, target.size, self.resolution, max(1, (high << 16) // 4), most)
        return round(math.log(mean) * PARTS), loss

    def released(self, trees: list[TreeHypothesis], records: Records, source: Source) -> Hypothesis:
        """Return the sum of the trees; the mean of counts, and of quantities, is corrected."""
        target, loss = self.concept_class.target, cast(Scored, records.loss)
        assert target is not None
        if isinstance(target, Periods):
            return TreeSum(tuple(trees), loss.steps, records.start, target)
        start = records.start
        if isinstance(loss, Poisson):
            start += self._last_factor(cast(UnitRecords, records), loss, source)
        if isinstance(loss, Huber):
            start += self._last_shift(cast(UnitRecords, records), loss, source)
        quantile = loss.quantile if isinstance(loss, Quantile) else None
        return TreeSum(tuple(trees), loss.steps, (start,), target, quantile)

    def _last_shift(self, records: UnitRecords, loss: Huber, source: Source) -> int:
        """Return the noisy mean of what is left of the target, pulled to 0 by its noise."""
        (total,) = self.sums_after(records, source)
        n = records.sample.n
        epsilon, far, parts = self._clipping(loss, n)
        # the variance of the noise, 2 / rate**2
        noise = 2 * (2 * parts / float(epsilon)) ** 2
        kept = max(0.0, 1 - noise / float(total) ** 2) if total else 0.0
        return round(far * kept * float(total) / (parts * n))

    def _clipping(self, loss: Huber, n: int) -> tuple[Fraction, int, int]:
        """Return the epsilon of what is left, where it is clipped, and in how many parts it counts.

        Clipped at twenty scales, or where the noise of its mean is a twentieth of the scale.
        """
        (epsilon,) = (cast(Pure, own).epsilon for own in self.plan.settings(n).end)
        scales = min(max(1.0, float(epsilon) * n / 60), 20.0)
        cells = loss.size - 1
        return epsilon, min(round(2 * loss.cap * scales), cells * PARTS), min(64, cells)

    def sums_after(self, records: UnitRecords, source: Source) -> list[Fraction]:
        """Return the noisy sums after the rounds: of what is left, or of counts and of rates.

        Capped gradients lead towards the median; what is left leads back to the mean.
        """
        sample, loss = records.sample, records.loss
        if isinstance(loss, Huber):
            epsilon, far, parts = self._clipping(loss, sample.n)
            left = np.clip(sample.code * PARTS - records.position[sample.point], -far, far)
            rounded = (2 * parts * left + far) // (2 * far)
            return [
                private_sum(sample, rounded, parts, least=-parts, epsilon=epsilon, source=source)
            ]
        assert isinstance(loss, Poisson)
        first, last = (cast(Pure, own).epsilon for own in self.plan.settings(sample.n).end)
        counts = private_sum(sample, sample.code, loss.most, epsilon=first, source=source)
        rates = loss.rate(records.position)[sample.point] * _FINE >> 16
        most = loss.most * _FINE
        return [counts, private_sum(sample, rates, most, epsilon=last, source=source) / _FINE]

    def _last_factor(self, records: UnitRecords, loss: Poisson, source: Source) -> int:
        """Return the log of noisy counts over noisy rates, in parts, pulled to 0 by its noise."""
        end = self.plan.settings(records.sample.n).end
        epsilons = [cast(Pure, own).epsilon for own in end]
        of_counts, of_rates = self.sums_after(records, source)
        if min(of_counts, of_rates) <= 4 * loss.most / min(epsilons):
            return 0
        found = math.log(of_counts / of_rates)
        # the variance of the noise of both, relative to what is counted
        noise = sum(
            2 * (loss.most / float(e) / float(s)) ** 2
            for e, s in zip(epsilons, (of_counts, of_rates), strict=True)
        )
        kept = max(0.0, 1 - noise / found**2) if found else 0.0
        return round(PARTS * found * kept)


def rows_at_risk(sample: TargetSample, periods: Periods) -> TargetSample:
    """Return a row for each period in which a record is at risk, by persons, or by users.

    Examples
    --------
    >>> found = rows_at_risk(TargetSample.of([[2], [3]], [3, 4]), Periods((1, 2)))
    >>> found.points.tolist(), found.n
    ([[2, 2], [2, 3], [3, 2], [3, 3]], 2)
    >>> found.point.tolist(), found.code.tolist(), found.user.tolist()
    ([0, 2], [1, 0], [0, 1])
    """
    last = len(periods.ends)
    point, code, count = sample.point, sample.code, sample.count
    user = sample.user
    if user is None:  # each record is a person
        point, code = np.repeat(point, count), np.repeat(code, count)
        user, count = np.arange(len(point)), np.ones(len(point), dtype=np.int64)
    at_risk, event = periods.at_risk(code.clip(0))
    times = np.where(code < 0, 0, at_risk)
    period = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    codes = np.tile(np.arange(last, dtype=np.int16) + Column.FIRST, len(sample.points))
    rows = np.repeat(sample.points, last, axis=0)
    return TargetSample(
        np.column_stack([rows, codes]) if last > 1 else rows,
        np.repeat(point, times) * last + period,
        (np.repeat(event, times) == period).astype(np.int64),
        np.repeat(count, times),
        sample.n,
        np.repeat(user, times),
    )


def _said(losses: tuple[Spent, ...]) -> str:
    parts = Counter(
        f"bounded range {exact_text(loss.eta)}"
        if isinstance(loss, BoundedRange)
        else f"epsilon {exact_text(cast(Pure, loss).epsilon)}"
        for loss in losses
    )
    return ", ".join(part if n == 1 else f"{part} ({n} times)" for part, n in parts.items())


def _own(caller: str, value: Any) -> BoostedTreeClass:
    if not isinstance(value, BoostedTreeClass) or value.target is None:
        spec = getattr(value, "spec", type(value).__name__)
        raise UnsupportedError(
            f"{caller} learns boosted_trees(depth=2) or scorecard, over a schema, with a target (a "
            f"quantity, a count, a time), not {spec}."
        )
    return value


@lru_cache(maxsize=512)
def _settings(learner: Values, n: int) -> ValueSettings:
    n = check_integer(learner.caller, "n", n, low=1)
    size, pure = float(learner.epsilon) * n, learner.delta is None
    time = isinstance(learner.concept_class.target, Periods)
    rounds = learner.concept_class.rounds or default_rounds(size, pure=pure, time=time)
    start, end = _shares(learner, size)
    others = (*start, *end, *([] if learner.evaluation is None else [Pure(learner.evaluation)]))
    delta = learner.delta or Fraction(0)
    round_epsilon = largest_round(learner.epsilon, delta, rounds, others)
    check_size(learner, n, learner.resolution, round_epsilon)
    reach = 2.0 if time else default_reach(size, pure=pure)
    return ValueSettings(rounds, round_epsilon, reach, start, end)


def _shares(learner: Values, size: float) -> tuple[tuple[Spent, ...], tuple[Spent, ...]]:
    """Return what the draws before and after the rounds may lose: shares of rho, or of epsilon."""
    left = learner.epsilon - (learner.evaluation or 0)
    share = min(0.3, max(0.05, 150 / size))
    target = learner.concept_class.target
    rho = 0.0
    if learner.delta is not None:
        rho = largest_rho(learner.epsilon, learner.delta) - float(learner.evaluation or 0) ** 2 / 2
    if rho <= 0:  # the rounds are composed as pure ones

        def ranged(part: float) -> Spent:
            return BoundedRange(_down(float(left) * part))

        def pure(part: float) -> Spent:
            return Pure(_down(float(left) * part))
    else:

        def ranged(part: float) -> Spent:
            return BoundedRange(_down(math.sqrt(8 * rho * part)))

        def pure(part: float) -> Spent:
            return Pure(_down(math.sqrt(2 * rho * part)))

    if isinstance(target, Quantity):
        if learner.loss == "quantile":
            share = min(0.3, 2 * share)
        means = learner.loss not in ("absolute", "quantile")
        return (ranged(share / 3),) * 3, (pure(share / 3),) if means else ()
    if isinstance(target, Count):
        return (ranged(share / 2), pure(share / 2)), (pure(0.05),) * 2
    return (pure(0.08),), ()


def _down(value: float) -> Fraction:
    return Fraction(max(1, math.floor(value * 10**9)), 10**9)


def default_rounds(size: float, *, pure: bool, time: bool = False) -> int:
    """Return the number of trees for ``size = n * epsilon``: a rule in public numbers.

    Examples
    --------
    >>> [default_rounds(size, pure=False) for size in (100, 1_000, 10_000)]
    [20, 57, 100]
    >>> [default_rounds(size, pure=True) for size in (100, 1_000, 10_000)]
    [9, 15, 27]
    """
    if pure:
        return int(max(8, min(60, round(2.7 * size**0.25))))
    factor, most = (1.2, 80) if time else (1.8, 100)
    return int(max(20, min(most, round(factor * math.sqrt(size)))))


def default_reach(size: float, *, pure: bool) -> float:
    """Return the sum of all steps, in scales.

    Examples
    --------
    >>> [round(default_reach(size, pure=False), 2) for size in (500, 2_000, 3_000, 9_000)]
    [2.0, 3.0, 3.58, 4.0]
    """
    more = math.log2(max(size, 1.0) / 2_000)
    return min(3.0, max(2.0, 2 + more / 3)) if pure else min(4.0, max(2.0, 3 + more))


# -- The evaluation of sums of trees for quantities and counts: what each unit adds to it.


_LOSS_PARTS = 4096  # q: steps of what a record adds
#: Edges: of predictions, in shares of the last one's distance from the start; of errors, of reach.
_PREDICTIONS = tuple(Fraction(share, 8) for share in (1, 3, 5, 8))
_ERRORS = tuple(Fraction(1, 2**k) for k in (6, 5, 4, 3, 2))


def error_sums(
    model: TreeSum, sample: TargetSample, *, epsilon: Fraction, held_out: bool, source: Source
) -> ErrorSums:
    """Release the sums of a model on a sample; what is not known adds nothing.

    Centre and reach are public (`scale_of`). A user adds the mean of the records.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``error-sums``).
    """
    center, reach = scale_of(model, float(epsilon) * sample.n)
    predicted = model.in_parts(sample.points)[sample.point]
    y = sample.code * PARTS
    error = np.minimum(np.abs(y - predicted), reach)
    beside = np.clip(y - center, -reach, reach)
    square = reach * reach
    added = [
        (_LOSS_PARTS * error + reach // 2) // reach,
        (_LOSS_PARTS * error * error + square // 2) // square,
        (_LOSS_PARTS * (beside + reach) + reach) // (2 * reach),
        (_LOSS_PARTS * beside * beside + square // 2) // square,
    ]
    if model.kind == "quantile":
        start = np.full(1, model.start[0]).clip(*model.limits)
        losses = [pinball(cast(Fraction, model.quantile), y - own) for own in (predicted, start)]
        added = [(_LOSS_PARTS * np.minimum(own, reach) + reach // 2) // reach for own in losses]
        added.append(_LOSS_PARTS * (y <= predicted))
    if model.kind == "count":
        log_rates = model.scores(sample.points)[sample.point], np.array(model.start)
        deviances = [deviance(model, sample.code.clip(0), own) for own in log_rates]
        added += [(_LOSS_PARTS * np.minimum(own, reach) + reach // 2) // reach for own in deviances]
    weight = weights(sample).astype(object)  # Python's integers: sums may pass 64 bits
    most = _LOSS_PARTS * unit_weight(sample)
    of_cells = cells_epsilon(epsilon, sample.n)
    noisy = noisy_sums(
        [int(own @ weight) for own in added],
        sample.n, epsilon=epsilon - of_cells, resolution=most, source=source,
    )  # fmt: skip
    cells = error_cells(model, sample, reach, of_cells, source) if of_cells else None
    low, unit = Fraction(0), Fraction(1, PARTS)
    if isinstance(model.target, Quantity):
        low, unit = model.target.low, model.target.width / PARTS
    center_of, reach_of = low + center * unit, reach * unit
    return ErrorSums(
        noisy, sample.n, epsilon, most, center_of, reach_of, held_out, model.kind, cells
    )


def error_cells(
    model: TreeSum, sample: TargetSample, reach: int, epsilon: Fraction, source: Source
) -> ErrorCells:
    """Release how many units have which prediction and which error; a user counts 1 in all.

    Guarantee
    ---------
    Pure epsilon-DP, replacing one unit of the sample (claim ``score-histogram``).
    """
    edges, errors = prediction_edges(model), error_edges(reach)
    scores = np.clip(model.scores(sample.points), *model.limits)
    row = np.searchsorted(edges, scores, side="right")[sample.point]
    error = sample.code * PARTS - model.in_parts(sample.points)[sample.point]
    column = np.searchsorted(errors, error, side="left")
    shape, parts = (len(edges) + 1, len(errors) + 1), unit_weight(sample)
    exact = np.bincount(row * shape[1] + column, weights(sample), shape[0] * shape[1])
    released = release_histogram(
        range(shape[1]), exact.astype(np.int64).reshape(shape),
        n=sample.n * parts, epsilon=epsilon, source=source, records=parts,
    )  # fmt: skip
    first, unit, most = model.parts
    return ErrorCells(
        released.counts,
        tuple(model.worth(edges).tolist()),
        tuple((errors * unit).tolist()),
        (first, first + most * unit),
        parts,
    )


def prediction_edges(model: TreeSum) -> Ints:
    """Return edges of scores, closer together near the start, from what was released.

    Either side the last one is at 2/5 of the sum of all steps (of a quantile 3/5, as predictions
    lie to one side), or at 3/4 of what is left of the public range.

    Examples
    --------
    >>> price = TreeSum((), (50 * PARTS,), (20 * PARTS,), Quantity(0, 1000, 100))
    >>> (prediction_edges(price) / PARTS).round(1).tolist()
    [5.0, 10.6, 14.4, 18.1, 20.0, 22.5, 27.5, 32.5, 40.0]
    """
    low, high = model.limits
    start = min(max(model.start[0], low), high)
    most = Fraction(3 if model.kind == "quantile" else 2, 5) * sum(model.steps)
    last = (min(most, Fraction(3, 4) * rest) for rest in (start - low, high - start))
    below, above = ([round(far * share) for share in _PREDICTIONS] for far in last)
    return np.unique([start, *(start - far for far in below), *(start + far for far in above)])


def error_edges(reach: int) -> Ints:
    """Return edges of errors, in parts: 0, and either side from 1/64 to 1/4 of the reach."""
    far = [round(reach * share) for share in _ERRORS]
    return np.array([*(-own for own in reversed(far)), 0, *far])


def pinball(quantile: Fraction, error: Ints) -> Ints:
    """Return the pinball loss of errors y - F.

    Examples
    --------
    >>> pinball(Fraction(9, 10), np.array([20, -20])).tolist()
    [18, 2]
    """
    top, bottom = quantile.as_integer_ratio()
    losses: Ints = np.maximum(top * error, (top - bottom) * error) // bottom
    return losses


def deviance(model: TreeSum, y: Ints, log_rate: Ints) -> Ints:
    """Return Poisson's deviance ``2 (y ln(y / rate) - y + rate)`` of counts, in parts of one."""
    log_rate = log_rate.clip(*model.limits)
    rate = np.rint(PARTS * model.worth(log_rate)).astype(np.int64)
    logs = np.rint(PARTS * np.log(np.arange(model.target.size).clip(1))).astype(np.int64)
    deviances: Ints = 2 * np.maximum(y * (logs[y] - log_rate - PARTS) + rate, 0)
    return deviances


def scale_of(model: TreeSum, size: float) -> tuple[int, int]:
    """Return the centre, and the reach of errors, in parts, from what was released.

    The centre is the start. The reach is a share of the sum of all steps of a quantity, and of a
    count of 16/3 of its start: ``(size / 4,000)**0.3`` for ``size`` units times epsilon, from 1/3
    to 3/2. The less is counted, the more noise a long reach costs, and the less it cuts off.
    """
    largest = (model.target.size - 1) * PARTS
    if isinstance(model.target, Quantity):
        center, full = model.start[0], sum(model.steps)
    else:
        center = int(np.rint(PARTS * model.worth(np.array(model.start)))[0])
        full = 16 * max(center, PARTS) // 3
    reach = round(full * min(1.5, max(1 / 3, (size / 4_000) ** 0.3)))
    return min(max(center, 0), largest), max(PARTS, min(reach, largest))


# -- Intervals around quantities and counts, and sets of labels: one private split-conformal
# width.
#
# A record's *score* is how wide an interval, or a set, would have to be to hold what it brings:
# of a quantity or a count the error, in parts; of a label how many votes fewer it has than the
# label with the most, which is 0 for the label that is predicted. So no set is empty. The width
# is the bound that `Conformal` draws from the scores of held-out units.


#: Where nothing else is said: the share of units, and the part of epsilon for an evaluation.
HOLDOUT, INTERVAL_EVALUATION = Fraction(1, 5), Fraction(1, 4)
_FIRST, _DOUBLING = PARTS // 8, 16  # the lowest bound, and how many there are until twice as much
_FAR_VOTES = 1 << 14  # even the shortest step makes log-odds of 16 of them


def bounds_of(target: Target | None) -> Ints:
    """Return the public bounds on scores that a width is drawn from; without a target of labels.

    They grow by a factor of 2**(1/16), so a range that is ten times too wide adds few. The last one
    is the largest possible score: every score is at most one of them.

    Examples
    --------
    >>> found = bounds_of(Quantity(0, 20_000))
    >>> len(found), found[:3].tolist(), int(found[-1]) == 10_000 * PARTS
    (262, [128, 134, 140], True)
    >>> found = bounds_of(None)
    >>> len(found), found[:5].tolist(), int(found[-1])
    (176, [0, 1, 2, 3, 4], 4000000)
    """
    least, first, far, most = [0], 1, _FAR_VOTES, 4 * FURTHEST
    if target is not None:
        least, first, far = [], _FIRST, (target.size - 1) * PARTS
        most = far
    steps = int(np.ceil(_DOUBLING * np.log2(far / first))) + 1
    growing = np.unique(np.rint(first * 2 ** (np.arange(steps) / _DOUBLING)).astype(np.int64))
    return np.array([*least, *growing[growing < far], most], dtype=np.int64)


def planned(
    target: Target | None, level: Any, *, m: int, epsilon: Fraction, unit: Unit
) -> Conformal:
    """Return how a width is drawn; `InfeasibleError` if m held-out units are too few."""
    hint = "0.9 is a common choice."
    alpha = 1 - check_probability("fit", "interval", level, hint=hint)
    if alpha < LEAST:
        raise parameter_error("fit", "interval", f"at most {float(1 - LEAST)}", level, hint)
    cells = len(bounds_of(target))
    return Conformal.of(m=m, cells=cells, alpha=alpha, epsilon=epsilon, caller="fit", unit=unit)


def scores(model: TreeSum | TreeEnsemble, points: Points, point: Ints, code: Ints) -> Ints:
    """Return the place among the bounds of the score of records: their rows, and their codes.

    What is not known, or no listed label, has the largest score.
    """
    bounds = bounds_of(getattr(model, "target", None))
    if isinstance(model, TreeSum):
        known = code >= 0
        score = np.abs(code * PARTS - model.in_parts(points)[point])
    else:
        votes = model.votes(points)
        known = (code >= 0) & (code < votes.shape[1])
        score = (votes.max(axis=1)[:, None] - votes)[point, np.where(known, code, 0)]
    places: Ints = np.searchsorted(bounds, np.where(known, score, bounds[-1]).clip(max=bounds[-1]))
    return places


def with_width(
    model: TreeSum | TreeEnsemble, sample: TargetSample | Sample, plan: Conformal, source: Source
) -> TreeSum | TreeEnsemble:
    """Return the model with the width of its intervals or sets, drawn from held-out units.

    A unit has one score: of a user with several records that of one of them, drawn. A quantity lies
    within half a cell of its code, so that much is added to the width.

    Guarantee
    ---------
    Pure ``plan.epsilon``-DP, replacing one unit of the sample (claim ``exp-mech.privacy``).
    """
    target = getattr(model, "target", None)
    bounds = bounds_of(target)
    counts = np.zeros(len(bounds), dtype=np.int64)
    for points, point, code, count in _groups(sample, source):
        np.add.at(counts, scores(model, points, point, code), count)
    counts[-1] += sample.n - int(counts.sum())  # of users without records nothing is known
    width = int(bounds[plan.draw(counts, source)])
    rounded = PARTS // 2 if isinstance(target, Quantity) else 0
    return replace(model, width=width + rounded)


def _groups(
    sample: TargetSample | Sample, source: Source
) -> Iterator[tuple[Points, Ints, Ints, Ints]]:
    """Yield rows, and for each group of equal records its row, its code and their number."""
    if isinstance(sample, TargetSample):
        one = sample.one_of_each(source)
        yield one.points, one.point, one.code, one.count
        return
    for batch in sample.batches():
        code, point = np.nonzero(batch.counts)
        yield batch.points, point, code, batch.counts[code, point]
