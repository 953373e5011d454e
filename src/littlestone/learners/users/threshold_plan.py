"""How Algorithm 1 spends its budget, and what it certifies (paper 002, Theorem 5.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from littlestone.bounds import Certificate, CertificateBuilder, least_n
from littlestone.bounds.search import log_of
from littlestone.learners.users.claims import MEDIAN, UNIFORM, WALK
from littlestone.learners.users.compare import cut_between
from littlestone.learners.users.grid_error import GridMinError
from littlestone.learners.users.interval_median import IntervalMedian
from littlestone.learners.users.mechanisms import (
    MinErrorSearch,
    gap_steps,
    nearer,
    probabilities,
    remembered,
    worst_gap,
)
from littlestone.learners.users.min_error import PrivateMinError
from littlestone.learners.users.plan import searches
from littlestone.learners.users.separation import separate_within, tail

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.bounds import Step
    from littlestone.learners.users.plan import Budget
    from littlestone.learners.users.separation import Floats

__all__ = ["ThresholdPlan", "plan_threshold"]

_FLOAT_EXACT = 2**53
_KEPT = Fraction(2, 3)  # of the mass of the interval, at most, after each step
_SEARCH = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
_STEP = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


@dataclass(frozen=True)
class ThresholdPlan:
    """Public parameters of Algorithm 1.

    Attributes
    ----------
    size : int
        Number of thresholds.
    search : PrivateMinError or GridMinError
    steps : int
        T: after it, an interval around which nothing else went wrong has mass at most (2/3)**T.
    epsilon_median, epsilon_step : Fraction
        Of each step's median, and of each step's choice.
    alpha, beta : Fraction
    guess : int or None
        Of the users needed, in floats: saves time.
    """

    size: int
    search: MinErrorSearch
    steps: int
    epsilon_median: Fraction
    epsilon_step: Fraction
    alpha: Fraction
    beta: Fraction
    guess: int | None = field(default=None, compare=False)

    @property
    def rate(self) -> Fraction:
        """Of the choice among the middle and both sides: each score moves by at most 1."""
        return self.epsilon_step / 2

    @property
    def excess(self) -> Fraction:
        """What the threshold may lose before the interval's own mass."""
        return self.alpha - _KEPT**self.steps

    @cached_property
    def medians(self) -> tuple[IntervalMedian, ...]:
        """One for each step, for intervals of mass 1, 2/3, 4/9, ..."""
        m = self.search.samples_per_user
        return tuple(IntervalMedian(m, _KEPT**k, self.epsilon_median) for k in range(self.steps))

    @cached_property
    def _worst_median(self) -> IntervalMedian:
        m = self.search.samples_per_user
        decays = [float(_median_decay(m, one.mass, one.epsilon)) for one in self.medians]
        return self.medians[int(np.argmin(decays))]

    def t(self, low: Fraction, high: Fraction) -> int:
        """Return the t that separates best when the least error lies in [low, high]."""
        m = self.search.samples_per_user
        return int(separate_within(m, float(low), float(high), float(self.excess))[0][0])

    @cached_property
    def required(self) -> int:
        """The least number of users from which on the certificate holds."""
        return least_n(self.certificate, guess=nearer(self.certificate, self.guess, self.beta))

    @remembered
    def certificate(self, n: int) -> Certificate:
        """Return what is certified for n users.

        Given uniform convergence of the user-level errors of all thresholds, for all t at once, the
        search, the steps and the medians fail independently of it; all failures are added.
        """
        cert, search, m = CertificateBuilder(), self.search, self.search.samples_per_user
        budget = self.beta / 4
        deviation = cert.step(
            "deviation",
            "min(sqrt(log(2*m*size/budget)/(2*n)), "
            "sqrt(2*log(2*(n*m + 1))/n) + sqrt(log(m/budget)/(2*n)))",
            UNIFORM,
            m=m,
            size=self.size,
            budget=budget,
            n=n,
        )
        parts = {"finding": self._finding(cert, n, deviation)}
        gap = gap_steps(cert, search, self.excess, WALK)
        parts["stepping"] = cert.step(
            "stepping",
            "2*steps*min(1, exp(-epsilon/2*n*(gap - 2*deviation)/steps))",
            WALK,
            steps=self.steps,
            epsilon=self.epsilon_step,
            n=n,
            gap=gap,
            deviation=deviation,
        )
        parts["halving"] = self._halving(cert, n)
        failure = cert.step(
            "failure", "budget + finding + stepping + halving", WALK, budget=budget, **parts
        )
        cert.step("enough", "failure <= beta", WALK, failure=failure, beta=self.beta)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n, unit="users")

    def _finding(self, cert: CertificateBuilder, n: int, deviation: Step) -> Step:
        """Bound the failure of the search, all counts being near their expectations."""
        search = self.search
        if not search.comparisons:
            return cert.step("finding", "0*n", WALK, n=n)
        low, high = probabilities(search)
        cuts = cut_between(low, high, float(search.share))
        margins = {}
        for side, index in (
            ("below", int(np.argmin(cuts - low))),
            ("above", int(np.argmin(high - cuts))),
        ):
            one = search.comparisons[index]
            below = side == "below"
            margins[side] = cert.step(
                f"margin_{side}",
                "cut - binomial_above(m, error, t)"
                if below
                else "binomial_above(m, error, t) - cut",
                WALK,
                cut=one.cut,
                m=search.samples_per_user,
                error=one.midpoint if below else one.midpoint + one.gap,
                t=one.t,
            )
        return cert.step(
            "finding",
            "weight*min(1, exp(-epsilon*n*(min(below, above) - deviation)))",
            WALK,
            weight=search.weight,
            epsilon=search.comparisons[0].epsilon,
            n=n,
            deviation=deviation,
            **margins,
        )

    def _halving(self, cert: CertificateBuilder, n: int) -> Step:
        """Bound the failure of the medians: all steps like the worst, all l <= u <= r."""
        m, median = self.search.samples_per_user, self._worst_median
        masses = dict(zip(("half", "more"), median.halves, strict=True))
        p = {
            name: cert.step(
                f"p_{name}", "binomial_above(m, mass, s)", MEDIAN, m=m, mass=mass, s=median.s
            )
            for name, mass in masses.items()
        }
        unlike = cert.step("unlike", "min(half, 1 - more)", MEDIAN, **p)
        tilt = cert.step(
            "tilt",
            "min(epsilon/2, log(1 + (more - half)/unlike)/2)",
            MEDIAN,
            epsilon=median.epsilon,
            unlike=unlike,
            **p,
        )
        decay = cert.step(
            "decay",
            "-log(1 - (unlike + more - half)*(1 - exp(-tilt)) + unlike*(exp(tilt) - 1))",
            MEDIAN,
            unlike=unlike,
            tilt=tilt,
            **p,
        )
        return cert.step(
            "halving",
            "2*steps*min(1, exp(3*log(size) - n*decay))",
            MEDIAN,
            steps=self.steps,
            size=self.size,
            n=n,
            decay=decay,
        )


def _median_decay(m: int, mass: Fraction, epsilon: Floats | Fraction) -> Floats:
    """Return the rate of `_halving` in floats."""
    median = IntervalMedian(m, mass, Fraction(1))
    half, more = (float(tail(m, float(x), median.s)) for x in median.halves)
    unlike = max(min(half, 1 - more), 1e-300)
    most = math.log1p((more - half) / unlike) / 2
    tilt = np.minimum(np.asarray(epsilon, dtype=float) / 2, most)
    up = (unlike + more - half) * -np.expm1(-tilt)
    return np.asarray(-np.log1p(unlike * np.expm1(tilt) - up))


@lru_cache(maxsize=128)
def plan_threshold(size: int, samples_per_user: int, budget: Budget) -> ThresholdPlan:
    """Return the split of epsilon, and the search, with the fewest users.

    Parameters
    ----------
    size : int
        Number of thresholds.
    samples_per_user : int
    budget : (epsilon, alpha, beta), fractions
    """
    epsilon, alpha, beta = budget
    steps = math.ceil(math.log(float(alpha) / 2) / math.log(_KEPT))
    splits = _Splits(size, samples_per_user, steps, epsilon, beta)
    best, found = math.inf, None
    for kind in (GridMinError, PrivateMinError):
        for search in searches(kind, samples_per_user, epsilon):
            needed = splits.needed(search, alpha - _KEPT**steps)
            at = int(np.argmin(needed))
            if needed[at] < best:
                best, found = float(needed[at]), (search, at)
    assert found is not None
    search, at = found
    shares = float(splits.search[at]), float(splits.step[at])
    parts = [Fraction(share).limit_denominator(100) for share in shares]
    return ThresholdPlan(
        size,
        replace(search, epsilon=epsilon * parts[0], share=Fraction(1, 2)),
        steps,
        epsilon * (1 - sum(parts)) / steps,
        epsilon * parts[1] / steps,
        alpha,
        beta,
        math.ceil(best) if best < _FLOAT_EXACT else None,
    )


class _Splits:
    """Ways to split epsilon into search, steps and medians, and about how many users each needs.

    In floats: the certificate decides whether a split is enough.

    Attributes
    ----------
    search, step : ndarray
        Shares of epsilon; the rest is for the medians.
    """

    def __init__(
        self, size: int, samples_per_user: int, steps: int, epsilon: Fraction, beta: Fraction
    ) -> None:
        self.m, self.steps, self.log_size = samples_per_user, steps, log_of(size)
        self.log_beta = log_of(beta / 4)
        self.each = float(epsilon) / steps
        search, step = (x.ravel() for x in np.meshgrid(_SEARCH, _STEP))
        fits = 1 - search - step > 0.01
        self.search, self.step = search[fits], step[fits]
        medians = self.each * (1 - self.search - self.step)
        decays = [_median_decay(self.m, _KEPT**k, medians) for k in range(steps)]
        halving = 3 * self.log_size + math.log(8 * steps) - self.log_beta
        self.halving: Floats = halving / np.min(decays, axis=0)

    def needed(self, search: MinErrorSearch, excess: Fraction) -> Floats:
        """Return about the least n for each split: infinite where the search tells nothing."""
        gap = worst_gap(search, excess)[2]
        low, high = probabilities(search)
        margin = float((high - low).min()) / 2 if len(low) else 1.0
        single = float(search.comparisons[0].epsilon) if len(low) else 1.0
        if min(gap, margin) <= 1e-9:
            return np.full_like(self.halving, math.inf)
        finding = math.log(max(search.weight, 1)) - self.log_beta + math.log(2)
        stepping = math.log(2 * self.steps) - self.log_beta + math.log(2)

        def enough(n: Floats) -> npt.NDArray[np.bool_]:
            off = self._deviation(n)
            finds = single * self.search * n * (margin - off) >= finding
            walks = self.each * self.step / 2 * n * (gap - 2 * off) / self.steps >= stepping
            return np.asarray(finds & walks)

        few, many = np.zeros_like(self.halving), np.full_like(self.halving, 62.0)
        for _ in range(14):  # in powers of two
            middle = (few + many) / 2
            good = enough(2.0**middle)
            few, many = np.where(good, few, middle), np.where(good, middle, many)
        return np.asarray(np.maximum(2.0**many, self.halving))

    def _deviation(self, n: Floats) -> Floats:
        """Return that of the certificate: the better one of two kinds of uniform convergence."""
        finite = np.sqrt((math.log(2 * self.m) + self.log_size - self.log_beta) / (2 * n))
        grown = np.sqrt(2 * np.log(2 * (n * self.m + 1)) / n) + np.sqrt(
            (math.log(self.m) - self.log_beta) / (2 * n)
        )
        return np.asarray(np.minimum(finite, grown))
