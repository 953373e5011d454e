"""Boosting of quantities, counts and times until events: `Boosted` with losses of one number.

The start is drawn first (`littlestone.learners.boosting.losses`): of a quantity three quantiles,
which also give its scale S; of a count where it is clipped (`littlestone.mechanisms.estimate`) and
its sum; of a time a life table. Steps and caps follow from it and from public numbers. Then come
the rounds, and what makes means right: of a quantity a noisy sum of what is left of it, clipped
where a draw says, which is a shift or a factor; of a count a factor from the sums of counts and of
rates; of a time a move of each period to the hazards that were counted.
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
from littlestone.classes.boosted_trees.coefficients import FURTHEST, LifeTable
from littlestone.classes.boosted_trees.export import PARTS, REACH
from littlestone.classes.decision_trees.hypothesis import TreeHypothesis
from littlestone.data import Column, Sample
from littlestone.data.targets import Count, Periods, Quantity, Target, TargetSample
from littlestone.errors import (
    check_integer,
    check_probability,
    counted,
    exact_value,
    parameter_error,
)
from littlestone.learners.base import Kind, declared, one_of, whole
from littlestone.learners.boosting.losses import (
    FINE,
    Gamma,
    Hazards,
    Huber,
    Poisson,
    Quantile,
    Scored,
    UnitRecords,
    above,
    counts_at_risk,
    deviation,
    part_of,
    private_falls,
    private_quantile,
    private_sum,
    reach_of_cells,
    unit_weight,
)
from littlestone.learners.boosting.rounds import (
    Boosted,
    Records,
    RoundSettings,
    check_size,
    class_to_learn,
    largest_rho,
    largest_round,
)
from littlestone.mechanisms.estimate import LEAST, Conformal, beyond, clip_edges, draw_edge, rank_of
from littlestone.privacy import BoundedRange, Concentrated, Pure
from littlestone.privacy import Loss as Spent
from littlestone.source import ExplicitWeights, Source
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.types import Hypothesis


Ints = npt.NDArray[np.int64]

#: Of a quantity: below this n * epsilon a range of so many quartile distances leaves a constant.
_FEW, _WIDE = 1_000, 20
_LEFT = Fraction(5, 7)  # of the sums at the end: what is left; the other is what is predicted
_MOVED_FROM = 1_000  # n * epsilon from which periods of a time are moved


@dataclass(frozen=True)
class ValueSettings(RoundSettings):
    """The numbers of one fit, from public parameters and the public number of units."""

    reach: float  # the sum of all steps, in scales
    start: tuple[Spent, ...]  # what is drawn before the rounds
    end: tuple[Spent, ...]  # and after them

    def steps(self, scale: int) -> tuple[int, ...]:
        """Return the steps of the trees, which fall linearly to a third of the first."""
        first = 1.5 * self.reach * scale / self.rounds
        last = max(self.rounds - 1, 1)
        falling = (1 - 2 / 3 * place / last for place in range(self.rounds))
        return tuple(max(1, round(first * share)) for share in falling)


def _quantile(caller: str, name: str, value: Any) -> Fraction | None:
    if value is None:
        return None
    exact = exact_value(value)
    if exact is None or not 0 < exact < 1:
        raise parameter_error(
            caller, name, "a number in (0, 1)", value, "0.9 means that one in ten values is above."
        )
    return exact.limit_denominator(1000)


_FITS: dict[type, tuple[str, ...]] = {
    Quantity: ("auto", "huber", "gamma", "absolute", "quantile"),
    Count: ("auto", "poisson"),
    Periods: ("auto",),
}


def check_loss(caller: str, target: Any, loss: str, quantile: Any) -> Fraction | None:
    """Refuse a loss that is not one of the target; return the quantile."""
    fits = _FITS[type(target)]
    if loss not in fits:
        kind = f"of a {target.kind}: one of {', '.join(fits)}"
        raise parameter_error(caller, "loss", kind, loss)
    if loss == "gamma" and target.low < 0:
        wanted = 'with low at least 0: "gamma" is for amounts'
        raise parameter_error(caller, "loss", wanted, loss)
    if (loss == "quantile") != (quantile is not None):
        wanted = 'given with loss="quantile", and left out with others'
        raise parameter_error(caller, "quantile", wanted, quantile)
    return _quantile(caller, "quantile", quantile)


@dataclass(frozen=True)
class Values(Boosted):
    """The learner behind `BoostedTreesRegressor`, `ScorecardRegressor`, `BoostedTreesSurvival`.

    (epsilon, delta)-DP, replacing one record, or all records of a user, for every input.
    """

    name = "values"
    estimator = "BoostedTreesRegressor"
    summary = (
        "sums of trees, drawn exactly, for quantities, counts and times; no error bound in advance"
    )

    concept_class: BoostedTreeClass = declared(
        class_to_learn(
            BoostedTreeClass,
            "boosted_trees(depth=2) or scorecard, over a schema, with a target (a quantity, a "
            "count, a time)",
            targets=True,
        ),
        "Public.",
        kw_only=False,
    )
    loss: str = declared(
        one_of("auto", "huber", "gamma", "absolute", "quantile", "poisson"),
        "For a quantity huber (robust mean), gamma (mean of positive amounts, with multiplicative "
        'effects), absolute (median) or quantile; for a count poisson. ``"auto"`` is poisson, '
        "or gamma where low is at least 0 and the upper quartile at least twice the median, or "
        "huber.",
        default="auto",
    )
    quantile: Fraction | None = declared(
        Kind("float in (0, 1)", _quantile, "Number | None"),
        'For ``loss="quantile"``: the quantile, for example 0.9.',
        default=None,
    )
    resolution: int = declared(whole(1), "Steps of a weight between 0 and 1.", default=4096)

    def check(self) -> None:
        """Refuse what others refuse, and a loss that is not one of the target."""
        super().check()
        check_loss(self.caller, self.concept_class.target, self.loss, self.quantile)

    @property
    def caller(self) -> str:
        """The estimator of the class."""
        concepts: Any = self.concept_class  # of any kind while it is being refused
        name: str = getattr(concepts, "estimator", "BoostedTreesRegressor")
        return name if name.endswith(("Regressor", "Survival")) else f"{name}Regressor"

    @property
    def several(self) -> bool:
        """Whether a unit may bring several rows."""
        return super().several or bool(cast(Target, self.concept_class.target).ends)

    def spending(self, n: int) -> dict[str, str]:
        """Say what is spent on what."""
        settings = self.plan.settings(n)
        each = f"bounded range {settings.round_epsilon} each"
        target = self.concept_class.target
        assert target is not None
        first, last = {
            "quantity": ("quantiles", "the mean of the residuals"),
            "count": ("counts", "last factor"),
            "time": ("life table", "predicted survival"),
        }[target.kind]
        spent = {first: _said(settings.start), counted(settings.rounds, "trees"): each}
        return spent | ({last: _said(settings.end)} if settings.end else {})

    def settings(self, n: int) -> ValueSettings:
        """Return the numbers of a fit of n units."""
        return _settings(self, n)

    def start(self, sample: TargetSample, source: Source) -> tuple[Any, Scored]:
        """Draw the start, and what the loss is made from."""
        settings, target = self.plan.settings(sample.n), cast(Target, self.concept_class.target)
        if target.ends:
            (spent,) = settings.start
            counts = counts_at_risk(sample, cast(Periods, target), loss=spent, source=source)
            life = LifeTable.of(counts, sample.n, reach_of_cells(spent), target.ends)
            return life.start, Hazards(settings.steps(PARTS), 2, self.resolution, life)
        if target.continuous:
            return self._of_quantity(sample, cast(Quantity, target), settings, source)
        return self._of_count(sample, cast(Count, target), settings, source)

    def at(self, sample: TargetSample, start: Any, loss: Scored) -> UnitRecords:
        """Return the records at the start; a person brings a row for each period at risk."""
        rows, target = sample, cast(Target, self.concept_class.target)
        if target.ends:
            rows = rows_at_risk(sample, cast(Periods, target))
        position = np.tile(np.array(start, dtype=np.int64), len(sample.points))
        return UnitRecords(rows, start, loss, position, sample)

    def rounds(self, records: Records) -> int:
        """Return how many trees are drawn."""
        return 0 if cast(Scored, records.loss).constant else super().rounds(records)

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
        # of a range that is too wide one quartile may be far off: the nearer one counts twice
        near = high - low if self.quantile else 2 * min(start - low, high - start)
        steps = settings.steps(scale)
        if float(self.epsilon) * sample.n < _FEW and target.cells > _WIDE * max(near, 1):
            loss = self.loss_of(steps, target.size, scale, (start, high))
            return start * PARTS, replace(loss, constant=True)
        heavy = self.loss == "auto" and target.low >= 0 and high >= 2 * start
        if self.loss == "gamma" or heavy:
            first = math.log(max(start, high / 2, 1))
            steps = settings.steps(PARTS // 2)
            return round(first * PARTS), Gamma(steps, target.size, self.resolution, start, high)
        return start * PARTS, self.loss_of(steps, target.size, scale, (start, high))

    def loss_of(
        self, steps: tuple[int, ...], size: int, scale: int, released: tuple[int, int] = (0, 0)
    ) -> Scored:
        """Return the loss of a quantity, from public and released numbers."""
        if self.loss in ("absolute", "quantile"):
            return Quantile(steps, size, self.resolution, self.quantile or Fraction(1, 2))
        return Huber(steps, size, self.resolution, max(scale // 2, 1), *released)

    def _of_count(
        self, sample: TargetSample, target: Count, settings: ValueSettings, source: Source
    ) -> tuple[int, Scored]:
        """Draw where counts are clipped, and their sum: it gives the start and the cap."""
        first, spent = settings.start
        edges = clip_edges(1, target.high)
        rank = rank_of(sample.n, cast(BoundedRange, first).eta, deviation(spent))
        most = self.edge(sample, sample.code, edges, rank, spent=first, source=source)
        total = float(private_sum(sample, sample.code, most, loss=spent, source=source))
        noise = most * deviation(spent)
        mean = max(total, noise) / sample.n
        cap = round(max(1.0, mean / 2) * 2**16)
        steps = settings.steps(PARTS // 2)
        loss = Poisson(steps, target.size, self.resolution, cap, most, total, noise)
        return max(round(math.log(mean) * PARTS), -REACH * PARTS), loss

    def edge(
        self,
        sample: TargetSample,
        values: Ints,
        edges: Ints,
        rank: float,
        *,
        spent: Spent,
        source: Source,
    ) -> int:
        """Draw the edge that a sum of numbers is clipped at (claim ``clip.rank``)."""
        beyond_edges = above(sample, values, edges)
        power = 2 if cast(Target, self.concept_class.target).continuous else 3
        eta, part = cast(BoundedRange, spent).eta, unit_weight(sample)
        return draw_edge(edges, beyond_edges, rank, eta=eta, part=part, power=power, source=source)

    def released(self, trees: list[TreeHypothesis], records: Records, source: Source) -> Hypothesis:
        """Return the sum of the trees, with means that are right."""
        target, loss = self.concept_class.target, cast(Scored, records.loss)
        assert target is not None
        start = tuple(np.atleast_1d(records.start).tolist())
        steps = loss.steps[: len(trees)]
        made = TreeSum(tuple(trees), steps, start, target, log=isinstance(loss, Gamma))
        units = cast(UnitRecords, records)
        if isinstance(loss, Hazards) and loss.life and self.plan.settings(units.sample.n).end:
            return self._moved(made, loss.life, units, source)
        if isinstance(loss, Poisson):
            return self._last_factor(made, units, loss, source)
        if isinstance(loss, Huber | Gamma):
            return self._mended(made, units, loss, source)
        return replace(made, quantile=loss.quantile) if isinstance(loss, Quantile) else made

    def _moved(
        self, made: TreeSum, life: LifeTable, records: UnitRecords, source: Source
    ) -> TreeSum:
        """Return the sum whose mean hazards are those counted."""
        (spent,) = self.plan.settings(records.sample.n).end
        falls = [float(own) for own in self.falls(made, records, source)]
        moves = life.moves(falls, reach_of_cells(spent))
        return replace(made, start=tuple(a + b for a, b in zip(made.start, moves, strict=True)))

    def falls(self, made: TreeSum, records: UnitRecords, source: Source) -> list[Fraction]:
        """Return by how much survival falls in each period, in persons, with noise."""
        (spent,) = self.plan.settings(records.sample.n).end
        falls = made.falls(records.given.points)
        return private_falls(records.given, falls, loss=spent, source=source)

    def _last_factor(
        self, made: TreeSum, records: UnitRecords, loss: Poisson, source: Source
    ) -> TreeSum:
        """Return the sum times noisy counts over noisy rates; say if noise hides the counts."""
        (spent,) = self.plan.settings(records.sample.n).end
        most = self._reached(records, loss, loss.most * FINE)
        rates = float(self.rates(records, source)) / FINE
        shown, hidden = loss.total > 2 * loss.deviation, None
        if not shown:
            hidden = math.ceil(max(loss.total, 0) + 2 * loss.deviation)
        move = 0
        if rates > 2 * deviation(spent) * most / FINE:
            move = round(PARTS * math.log(max(loss.total, loss.deviation) / rates))
        return replace(made, start=(made.start[0] + move,), hidden=hidden)

    def rates(self, records: UnitRecords, source: Source) -> Fraction:
        """Return the noisy sum of rates after the rounds, in parts of `FINE`."""
        loss = cast(Poisson, records.loss)
        (spent,) = self.plan.settings(records.sample.n).end
        most = self._reached(records, loss, loss.most * FINE)
        rates = loss.predicted(records.position)[records.sample.point]
        return private_sum(records.sample, rates, most, loss=spent, source=source)

    def _reached(self, records: UnitRecords, loss: Any, limit: int) -> int:
        """Return the largest prediction that trees could reach, at most a limit, from 1 part on."""
        steps = loss.steps[: self.rounds(records)]
        largest = int(loss.predicted(np.array([records.start + sum(steps)]))[0])
        return max(1, min(largest, limit))

    def _mended(
        self, made: TreeSum, records: UnitRecords, loss: Huber | Gamma, source: Source
    ) -> TreeSum:
        """Return the sum times, or plus, what is left of the quantity after the rounds.

        Capped gradients lead towards the median; what is left leads back to the mean.
        """
        n, settings = records.sample.n, self.plan.settings(records.sample.n)
        first, _ = settings.end
        residual, edges, rank = self.left(records)
        most = self.edge(records.sample, residual, edges, rank, spent=first, source=source)
        (left, noise), *predicted = self.sums_at(records, most, source)
        total = float(left) / FINE
        anchor = max(1, loss.upper - loss.middle)
        tail = n * beyond(anchor, rank / n, most / FINE, loss.size - 1)
        total += min(tail, n * max(loss.middle, loss.upper / 2, 1) / 4 + abs(total) / 2)
        total *= max(0.0, 1 - (noise / FINE / total) ** 2) if total else 0.0
        if not predicted:
            return replace(made, start=(made.start[0] + round(PARTS * total / n),))
        ((whole, doubt),) = predicted
        if whole <= 2 * doubt:
            return made
        factor = min(max(1 + total * FINE / float(whole), 0.2), 8.0)
        if isinstance(loss, Gamma):
            return replace(made, start=(made.start[0] + round(PARTS * math.log(factor)),))
        steps = tuple(max(1, round(step * factor)) for step in made.steps)
        return replace(made, start=(round(made.start[0] * factor),), steps=steps)

    def left(self, records: UnitRecords) -> tuple[Ints, Ints, float]:
        """Return what is left of a quantity, in parts; edges to clip it; the rank of the draw."""
        loss = cast("Huber | Gamma", records.loss)
        first, spent = self.plan.settings(records.sample.n).end
        predicted = loss.predicted(records.position)[records.sample.point]
        step = max(1, loss.upper - loss.middle)
        edges = clip_edges(min(step, loss.size - 1) * FINE, (loss.size - 1) * FINE)
        noise = deviation(part_of(spent, _LEFT if self._multiplies(loss) else Fraction(1)))
        rank = rank_of(records.sample.n, cast(BoundedRange, first).eta, noise)
        return records.sample.code * FINE - predicted, edges, rank

    def _multiplies(self, loss: Huber | Gamma) -> bool:
        """Whether what is left becomes a factor: by the public range and released quartiles."""
        low = cast(Quantity, self.concept_class.target).low
        return isinstance(loss, Gamma) or (low >= 0 and 2 * loss.upper >= 3 * loss.middle)

    def sums_at(
        self, records: UnitRecords, most: int, source: Source
    ) -> list[tuple[Fraction, float]]:
        """Return noisy sums, in parts, and the deviations of their noise.

        Of what is left, up to ``most``; for a factor also of what is predicted.
        """
        loss = cast("Huber | Gamma", records.loss)
        sample, (_, spent) = records.sample, self.plan.settings(records.sample.n).end
        both = self._multiplies(loss)
        least = -self._reached(records, loss, most)

        def summed(values: Ints, least: int, most: int, share: Fraction) -> tuple[Fraction, float]:
            own = part_of(spent, share)
            found = private_sum(sample, values, most, least=least, loss=own, source=source)
            return found, (most - least) * deviation(own)

        sums = [summed(self.left(records)[0], least, most, _LEFT if both else Fraction(1))]
        if both:
            predicted = loss.predicted(records.position)[sample.point]
            high = self._reached(records, loss, max(most, 2 * loss.upper * FINE))
            sums.append(summed(predicted, 0, high, 1 - _LEFT))
        return sums


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
    user, keys = sample.user, sample.keys
    if user is None:  # each record is a person
        point, code = np.repeat(point, count), np.repeat(code, count)
        user, count = np.arange(len(point)), np.ones(len(point), dtype=np.int64)
        keys = user.astype(np.uint64)
    at_risk, event = periods.at_risk(code.clip(0))
    times = np.where(code < 0, 0, at_risk)
    period = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
    codes = np.tile(np.arange(last, dtype=np.int16) + Column.FIRST, len(sample.points))
    rows = np.repeat(sample.points, last, axis=0)
    return TargetSample(
        np.column_stack([rows, codes]) if last > 1 else rows,
        np.repeat(user, times),
        np.repeat(point, times) * last + period,
        (np.repeat(event, times) == period).astype(np.int64),
        np.repeat(count, times),
        keys,
    )


def _said(losses: tuple[Spent, ...]) -> str:
    names = {BoundedRange: "bounded range", Pure: "epsilon", Concentrated: "zCDP"}
    parts = Counter(f"{names[type(loss)]} {next(iter(vars(loss).values()))}" for loss in losses)
    return ", ".join(part if n == 1 else f"{part} ({n} times)" for part, n in parts.items())


@lru_cache(maxsize=512)
def _settings(learner: Values, n: int) -> ValueSettings:
    n = check_integer(learner.caller, "n", n, low=1)
    size, pure = float(learner.epsilon) * n, learner.delta is None
    time = bool(cast(Target, learner.concept_class.target).ends)
    rounds = learner.concept_class.rounds or default_rounds(size, pure=pure, time=time)
    start, end = _shares(learner, size)
    evaluation = [] if learner.evaluation is None else [Pure(learner.evaluation)]
    others = (*learner.before, *start, *end, *evaluation)
    delta = learner.delta or Fraction(0)
    round_epsilon = largest_round(learner.epsilon, delta, rounds, others)
    check_size(learner, n, round_epsilon)
    reach = 2.0 if time else default_reach(size, pure=pure)
    return ValueSettings(rounds, round_epsilon, (*start, *end), reach, start, end)


def _shares(learner: Values, size: float) -> tuple[tuple[Spent, ...], tuple[Spent, ...]]:
    """Return what the draws before and after the rounds may lose: shares of rho, or of epsilon."""
    left = learner.epsilon - (learner.evaluation or 0)
    target = cast(Target, learner.concept_class.target)
    rho = 0.0
    if learner.delta is not None:
        rho = largest_rho(learner.epsilon, learner.delta) - float(learner.evaluation or 0) ** 2 / 2
        rho -= float(learner.columns)

    def ranged(part: float) -> Spent:  # without rho the rounds are composed as pure ones
        return BoundedRange(_down(math.sqrt(8 * rho * part) if rho > 0 else float(left) * part))

    def summed(part: float) -> Spent:
        return Concentrated(_down(rho * part)) if rho > 0 else Pure(_down(float(left) * part))

    def share(least: float, of_size: float, most: float = 0.3) -> float:
        return min(most, max(least, of_size / size))

    if target.ends:
        of_size, most = (1600, 0.3) if rho > 0 and size >= _MOVED_FROM else (600, 0.2)
        moved = (summed(share(0.05, 300, 0.1)),) if size >= _MOVED_FROM else ()
        return (summed(share(0.08, of_size, most)),), moved
    if not target.continuous:
        whole = share(0.05, 400)
        return (ranged(whole / 4), summed(whole / 2)), (summed(whole / 4),)
    start = share(0.05, 150)
    if learner.loss in ("absolute", "quantile"):
        start = min(0.3, 2 * start) if learner.loss == "quantile" else start
        return (ranged(start / 3),) * 3, ()
    whole = share(0.1, 800) if learner.loss == "gamma" else share(0.05, 400)
    return (ranged(start / 3),) * 3, (ranged(0.3 * whole), summed(0.7 * whole))


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

    What is unlisted label has the largest score.
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

    A unit without a target is given the largest score with chance alpha, else the least. So of such
    units a new one is covered with chance 1 - alpha, whatever the width; of all new units it is at
    least that, and hence of those with a target, too.

    Guarantee
    ---------
    Pure ``plan.epsilon``-DP, replacing one unit of the sample (claim ``exp-mech.privacy``).
    """
    target = getattr(model, "target", None)
    bounds = bounds_of(target)
    counts = np.zeros(len(bounds), dtype=np.int64)
    for points, point, code, count in _groups(sample, source):
        known = code >= 0
        places = scores(model, points, point[known], code[known])
        np.add.at(counts, places, count[known])
    coin = ExplicitWeights(plan.alpha, 1 - plan.alpha)
    for _ in range(sample.n - int(counts.sum())):
        counts[(-1, 0)[source.choose(coin)]] += 1
    width = int(bounds[plan.draw(counts, source)])
    rounded = PARTS // 2 if target is not None and target.continuous else 0
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
