"""Thresholds when each user holds many records: paper 002, Algorithm 1 and Theorem 5.2.

`IntervalMedian` is a private point that halves an interval (Lemma 5.1), `ThresholdPlan` is
Algorithm 1 (PrivateThreshold): a search for the best error, then steps of a median and a choice
among the middle and both sides; how epsilon is split, and what that certifies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from littlestone.bounds import CertificateBuilder
from littlestone.bounds.bound import Bound
from littlestone.bounds.search import log_of
from littlestone.classes import ThresholdHypothesis, Thresholds
from littlestone.learners.base import Plan, cached, least_required
from littlestone.learners.users.binary_search import gap_steps, probabilities, searches, worst_gap
from littlestone.learners.users.binomials import crossing, separate_within, tail
from littlestone.learners.users.claims import MEDIAN, UNIFORM, WALK
from littlestone.learners.users.min_error import PrivateMinError, cut_between
from littlestone.learners.users.scores import threshold_errors
from littlestone.source import Explicit, Integers, ScoreRuns, exact_integers

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.bounds import Certificate
    from littlestone.data import UserSample
    from littlestone.learners.users.binomials import Floats
    from littlestone.source import Source


#: Points in increasing order, and how many users have an end there; of several blocks in any.
Ends: TypeAlias = "tuple[Integers, Integers]"

_FLOAT_EXACT = 2**53
_KEPT = Fraction(2, 3)  # theta: of the mass of the interval, at most, after each step
_GHOSTS = 7  # for each user, in the bound of all user-level errors at once
_SEARCH = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
_STEP = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


@dataclass(frozen=True)
class IntervalMedian:
    """PrivateMedian (paper 002, Lemma 5.1): at most 2/3 of an interval's mass on either side.

    The score of u in [l, r] is the larger one of two numbers of users: those with more than s
    records in [l, u - 1], and those with more than s records in [u + 1, r]; smaller is better.

    Notes
    -----
    *Guarantee.* Each number moves by at most 1 when a user is replaced, so does the larger one:
    pure epsilon-DP at rate epsilon/2, for every input.

    *Cost.* One pass over the groups; at most two runs for each user.

    Examples
    --------
    >>> from littlestone.data import UserSample
    >>> from littlestone.source import SeededSource
    >>> users = UserSample.of([i // 2 for i in range(80)], [3, 7] * 40, [0] * 80)
    >>> median = IntervalMedian(2, Fraction(1), Fraction(2))
    >>> median.s, median.scores(users, 0, 9).starts.tolist()
    (1, [0, 3, 8])
    >>> median.draw(users, 0, 9, SeededSource(1)) in range(3, 8)
    True
    """

    samples_per_user: int
    #: What [l, r] is supposed to hold at most. Only the choice of s depends on it.
    mass: Fraction
    epsilon: Fraction

    @property
    def halves(self) -> tuple[Fraction, Fraction]:
        """The masses that s distinguishes: one half and two thirds."""
        return self.mass / 2, self.mass * 2 / 3

    @property
    def s(self) -> int:
        """How many records of a user are many."""
        low, high = self.halves
        return int(crossing(self.samples_per_user, float(low), float(high)))

    def draw(self, users: UserSample, low: int, high: int, source: Source) -> int:
        """Return a point of [low, high].

        ``users``: at most ``samples_per_user`` records of each user.
        """
        return self.scores(users, low, high).draw(-self.epsilon / 2, source)

    def scores(self, users: UserSample, low: int, high: int) -> ScoreRuns:
        """Return the score of every point of [low, high]."""
        rises, falls = [], []
        for block in users.blocks():
            last, first = self._ends(block, low, high)
            rises.append(last)
            falls.append(first)
        starts, rise, fall = _events(_joined(rises), _joined(falls), low, high)
        left = np.cumsum(rise)
        right = sum(int(counts.sum()) for _, counts in falls) - np.cumsum(fall)
        return ScoreRuns(starts, high + 1, np.maximum(left, right).astype(np.int64))

    def _ends(self, users: UserSample, low: int, high: int) -> tuple[Ends, Ends]:
        """Return the points with which users have many records from below, and from above."""
        points, s = users.points, self.s
        here = np.asarray((points >= low) & (points <= high), dtype=bool)
        keep = np.append(here, False)[users.point]  # -1, outside the domain, is the last one
        user, point, count = users.user[keep], users.point[keep], users.count[keep]
        upto = np.cumsum(count)
        edges = np.searchsorted(user, np.arange(users.n_users + 1))
        running = np.append(0, upto)
        before = upto - count - running[edges[:-1]][user]  # records of this user at smaller points
        after = running[edges[1:]][user] - upto  # and at larger ones
        full = (before <= s) & (before + count > s)  # with this point, more than s from below
        many = (after <= s) & (after + count > s)  # and from above
        size = len(points)
        lower = np.bincount(point[full], minlength=size)  # they count for u > point
        upper = np.bincount(point[many], minlength=size)  # they count for u < point
        last, first = np.flatnonzero(lower), np.flatnonzero(upper)
        reach = 2 * max(abs(low), abs(high))
        below, above = (exact_integers(points[some], reach) for some in (last, first))
        return (below, lower[last]), (above, upper[first])


def _joined(ends: list[Ends]) -> Ends:
    points, counts = zip(*ends, strict=True)
    return np.concatenate(points), np.concatenate(counts)


def _events(rises: Ends, falls: Ends, low: int, high: int) -> tuple[Integers, Integers, Integers]:
    """Return where the score may change, and by how much its two parts do."""
    (last, lower), (first, upper) = rises, falls
    head = np.array([low], dtype=last.dtype)
    places = np.concatenate([head, last + 1, first])
    starts, where = np.unique(places, return_inverse=True)
    rise, fall = np.zeros(len(starts), dtype=np.int64), np.zeros(len(starts), dtype=np.int64)
    np.add.at(rise, where[1 : 1 + len(last)], lower)
    np.add.at(fall, where[1 + len(last) :], upper)
    inside = np.asarray(starts <= high, dtype=bool)
    return starts[inside], rise[inside], fall[inside]


_DEVIATION = Bound((
    ("deviation", "min(sqrt(log(2*m*size/budget)/(2*n)), sqrt((1 + 1/ghosts)*(1 + 1/(ghosts*n))*"
     "log(2*m*((ghosts + 1)*n*m + 1)/budget)/(2*n)))", UNIFORM),
))  # fmt: skip
_STEPPING = Bound((
    ("stepping", "2*steps*min(1, exp(-epsilon/2*n*(gap - 2*deviation)/steps))", WALK),
))  # fmt: skip
#: All steps like the worst, all l <= u <= r; p_half and p_more are of the median's two masses.
_HALVING = Bound((
    ("unlike", "min(p_half, 1 - p_more)", MEDIAN),
    ("tilt", "min(epsilon/2, log(1 + (p_more - p_half)/unlike)/2)", MEDIAN),
    ("decay", "-log(1 - (unlike + p_more - p_half)*(1 - exp(-tilt)) + unlike*(exp(tilt) - 1))",
     MEDIAN),
    ("halving", "2*steps*min(1, exp(3*log(size) - n*decay))", MEDIAN),
))  # fmt: skip


@dataclass(frozen=True)
class ThresholdPlan(Plan):
    """PrivateThreshold (paper 002, Algorithm 1) with its public parameters.

    The epsilon' = epsilon/(4T) of the paper is `epsilon_median` and `epsilon_step` here, theta 2/3.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP, replacing one user: the search, and in each of the public number
    of steps a median and a choice, each pure; their epsilons add. The ends of the interval are
    outputs of earlier steps.

    *Deviations from the paper.* The exact separation; a step chooses among the middle and the two
    sides by one exponential mechanism instead of comparing three noisy scores, of which three
    epsilons would be spent; thresholds go from ``low - 1`` on, for a domain that begins at ``low``.
    """

    concept_class: Thresholds
    search: PrivateMinError
    #: T: after it, an interval around which nothing else went wrong has mass at most (2/3)**T.
    steps: int
    epsilon_median: Fraction  # of each step's median, and of each step's choice
    epsilon_step: Fraction
    alpha: Fraction
    beta: Fraction
    guess: int | None = None

    unit = "users"
    method = "threshold"

    @property
    def size(self) -> int:
        """Number of thresholds."""
        return self.concept_class.size

    def choose(self, users: UserSample, source: Source) -> ThresholdHypothesis:
        """Run Algorithm 1; at most ``samples_per_user`` records of each user are given."""
        low, high = self.concept_class.low, self.concept_class.high
        errors = threshold_errors(low, high, users)
        # Proof of Theorem 5.2: the best error by Lemma 4.5, from it t, then Algorithm 1.
        scores = errors.scores(self.t(*self.search.locate(errors, users.n_users, source)))
        left, right = low - 1, high  # l and r
        for median in self.medians:  # k = 1, ..., T
            if left == right:
                break
            # mid: PrivateMedian, for an interval that holds (2/3)**(k-1) of the mass
            middle = median.draw(users, left, right, source)
            # v_mid, v_l, v_r without noise: the choice among them is one draw
            sides = {
                (middle, middle): scores.at(middle),
                (left, middle - 1): scores.least(left, middle - 1),
                (middle + 1, right): scores.least(middle + 1, right),
            }
            nonempty = [(side, least) for side, least in sides.items() if least is not None]
            drawn = Explicit([-least for _, least in nonempty]).draw(self.rate, source)
            left, right = nonempty[drawn][0]  # if (mid, mid): f_mid is returned
        return ThresholdHypothesis(left, low, high)  # f_l

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
        return least_required(self.certificate, guess=self.guess, beta=self.beta)

    @cached
    def certificate(self, n: int) -> Certificate:
        """Return what is certified for n users.

        Given uniform convergence of the user-level errors of all thresholds, for all t at once, the
        search, the steps and the medians fail independently of it; all failures are added.
        """
        search = self.search
        cert = CertificateBuilder(
            n=n, m=search.samples_per_user, size=self.size, steps=self.steps, ghosts=_GHOSTS,
            beta=self.beta, budget=self.beta / 4,
        )  # fmt: skip
        _DEVIATION.write(cert)
        self._finding(cert)
        gap_steps(cert, search, self.excess, WALK)
        _STEPPING.write(cert, epsilon=self.epsilon_step)
        median = self._worst_median
        for name, mass in zip(("p_half", "p_more"), median.halves, strict=True):
            cert.step(name, "binomial_above(m, mass, s)", MEDIAN, mass=mass, s=median.s)
        _HALVING.write(cert, epsilon=median.epsilon)
        cert.step("failure", "budget + finding + stepping + halving", WALK)
        cert.step("enough", "failure <= beta", WALK)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n, unit="users")

    def _finding(self, cert: CertificateBuilder) -> None:
        """Bound the failure of the search, all counts being near their expectations."""
        search = self.search
        if not search.comparisons:
            cert.step("finding", "0*n", WALK)
            return
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
                error=one.midpoint if below else one.midpoint + one.gap,
                t=one.t,
            )
        cert.step(
            "finding",
            "weight*min(1, exp(-epsilon*n*(min(below, above) - deviation)))",
            WALK,
            weight=search.weight,
            epsilon=search.comparisons[0].epsilon,
            **margins,
        )


def _median_decay(m: int, mass: Fraction, epsilon: Floats | Fraction) -> Floats:
    """Return the decay of a median's failure in floats."""
    median = IntervalMedian(m, mass, Fraction(1))
    half, more = (float(tail(m, float(x), median.s)) for x in median.halves)
    unlike = max(min(half, 1 - more), 1e-300)
    known = {
        "p_half": half,
        "p_more": more,
        "unlike": unlike,
        "epsilon": np.asarray(epsilon, float),
    }
    return np.asarray(_HALVING.floats("decay", **known))


@lru_cache(maxsize=128)
def plan_threshold(
    concept_class: Thresholds,
    samples_per_user: int,
    *,
    epsilon: Fraction,
    alpha: Fraction,
    beta: Fraction,
) -> ThresholdPlan:
    """Return the split of epsilon, and the search, with the fewest users."""
    steps = math.ceil(math.log(float(alpha) / 2) / math.log(_KEPT))
    splits = _Splits(concept_class.size, samples_per_user, steps, epsilon, beta)
    best, found = math.inf, None
    for search in searches(samples_per_user, epsilon):
        needed = splits.needed(search, alpha - _KEPT**steps)
        at = int(np.argmin(needed))
        if needed[at] < best:
            best, found = float(needed[at]), (search, at)
    assert found is not None
    search, at = found
    shares = float(splits.search[at]), float(splits.step[at])
    parts = [Fraction(share).limit_denominator(1000) for share in shares]
    if not search.comparisons:  # nothing to pay for
        parts[0] = Fraction(0)
    return ThresholdPlan(
        concept_class,
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

    ``search``, ``step``: shares of epsilon; the rest is for the medians.
    """

    def __init__(
        self, size: int, samples_per_user: int, steps: int, epsilon: Fraction, beta: Fraction
    ) -> None:
        self.m, self.steps, self.size, self.budget = samples_per_user, steps, size, beta / 4
        self.log_beta = log_of(self.budget)
        self.each = float(epsilon) / steps
        search, step = (x.ravel() for x in np.meshgrid(_SEARCH, _STEP))
        fits = 1 - search - step > 0.01
        self.search, self.step = search[fits], step[fits]
        medians = self.each * (1 - self.search - self.step)
        decays = [_median_decay(self.m, _KEPT**k, medians) for k in range(steps)]
        halving = 3 * log_of(size) + math.log(8 * steps) - self.log_beta
        self.halving: Floats = halving / np.min(decays, axis=0)

    def needed(self, search: PrivateMinError, excess: Fraction) -> Floats:
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
        known = {"m": self.m, "size": self.size, "budget": self.budget, "ghosts": _GHOSTS}
        return np.asarray(_DEVIATION.floats("deviation", **known, n=n))
