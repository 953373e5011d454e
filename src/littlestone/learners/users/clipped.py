"""Clipped user-level errors: a private choice of a window, then the exponential mechanism.

A user with k mistakes of a hypothesis counts min(max(k - t, 0), w): mistakes beyond the first t, at
most w of them. Replacing a user changes a sum of such scores by at most the width w. With w = 1 it
is the number of users with more than t mistakes (Li, Wang, Ye 2024, Section 4), with t = 0 and
w = m it is the number of all mistakes (group privacy). In between lies what needs the fewest users.

1. `ClippedPlan.locate`: where the window starts. Which t tells good hypotheses from bad ones
   depends on the best error, which is unknown. One draw chooses a t at which the least score of
   the class crosses a public level (it takes the place of Lemma 4.5 and Algorithm 2).
2. The exponential mechanism on the clipped scores (Theorem 4.6).

Statements and proofs: ``docs/learners/users.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from littlestone.bounds import CertificateBuilder
from littlestone.bounds.search import HOPELESS, log_growth, log_of
from littlestone.errors import UnsupportedError
from littlestone.learners.plan import Plan, cached, least_required
from littlestone.learners.users.binomials import log_moment, tail
from littlestone.learners.users.claims import CLIPPED
from littlestone.learners.users.scores import errors_by_user
from littlestone.source import Explicit

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.bounds import Certificate, Step
    from littlestone.classes import Representation
    from littlestone.data import UserSample
    from littlestone.learners.users.binomials import Floats
    from littlestone.learners.users.scores import UserErrors
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["ClippedPlan", "plan_clipped"]

_WIDTHS = (1, 2, 3, 4, 6, 8)
_LEVELS = tuple(Fraction(k, 40) for k in (6, 9, 12, 15, 18, 20, 22, 25))
_SHARES = tuple(
    Fraction(k, 200) for k in (2, 4, 6, 10, 15, 20, 30, 40, 50, 60, 75, 90, 100, 110, 130)
)
_SPACINGS = (0.5, 0.7, 1.0, 1.5)  # of windows, in standard deviations of a user's mistakes
_OVERLAPS = (0.0, 0.7, 1.5)  # of the last window with errors above the largest one
_COARSE, _FINE = 1.65, 1.2  # ratios of tilts that are tried: for the search, for the certificate
#: Where the search for good public numbers begins: indices of spacing, overlap, level, share.
_FIRST = tuple(product((1, 3), (1, 2), (2, 5), (4, 8, 11)))
_POINTS = 32  # errors at which plans are compared
_MOST_PLACES = 400  # at which a plan is compared
_MOST_INTERVALS = 2000  # that are split once more
_STEEPEST = 3.0  # steeper tilts gain nothing
_FINEST = 2**-8
_MANY = 2048  # records per user, beyond which starts are farther apart
_WORSE = 1.15  # a width that needs this many times the users is given up
_SMALL = 0.01  # part of beta below which terms are bounded together


@dataclass(frozen=True)
class ClippedPlan(Plan):
    """Clipped user-level errors over a class, and what they certify.

    Attributes
    ----------
    representation : Representation
        The class itself, or one that is within ``alpha1`` of each concept except with probability
        ``beta1``.
    samples_per_user : int
    starts : tuple of int
        The t that may be chosen, increasing.
    width : int
    level : Fraction
        In (0, 1): the least score, in units of n times the width, that the choice of t aims at.
    epsilon_search, epsilon_choice : Fraction
        Of the choice of t (0 if there is one only), and of the hypothesis.
    alpha, beta : Fraction
    vc_dim : int or None
        Of the candidates, where it helps to know it.

    Notes
    -----
    *Guarantee.* Every score, and the least one over a fixed set, moves by at most ``width`` when a
    user is replaced; so do the margins of `locate`. Both draws are exponential mechanisms at rate
    epsilon/(2 width), and their epsilons add.
    """

    representation: Representation
    samples_per_user: int
    starts: tuple[int, ...]
    width: int
    level: Fraction
    epsilon_search: Fraction
    epsilon_choice: Fraction
    alpha: Fraction
    beta: Fraction
    vc_dim: int | None = None

    unit = "users"
    method = "user-level"

    def choose(self, users: UserSample, source: Source) -> Hypothesis:
        """Return a hypothesis; at most ``samples_per_user`` records of each user are given."""
        hypotheses = self.representation.drawn(source)
        errors = errors_by_user(hypotheses, users, self.samples_per_user)
        t = self.locate(errors, users.n_users, source)
        return errors.draw(t, self.epsilon_choice / (2 * self.width), source, width=self.width)

    def locate(self, errors: UserErrors, n: int, source: Source) -> int:
        """Return where the window starts: the exponential mechanism over ``starts``.

        The score of the i-th start is the smaller one of two margins: how far its least score lies
        below the level, and how far that of the start before lies above. The first start has no
        start before it, and the last one need not lie below; so the best score is never negative.

        Parameters
        ----------
        errors : UserErrors
        n : int
            Number of users (public).
        source : Source
        """
        if len(self.starts) == 1:
            return self.starts[0]
        unit = self.level.denominator
        aim = self.level.numerator * n * self.width
        least = [unit * errors.least(t, width=self.width) for t in self.starts]
        before = [unit * n * self.width, *least[:-1]]
        scores = [min(aim - now, was - aim) for now, was in zip(least, before, strict=True)]
        scores[-1] = before[-1] - aim
        rate = self.epsilon_search / (2 * self.width * unit)
        return self.starts[Explicit(scores).draw(rate, source)]

    @cached_property
    def required(self) -> int:
        """The least number of users from which on the certificate holds."""
        guess = _needed(self._bounds, log_of(self.beta - self.representation.beta), math.inf)
        return least_required(self.certificate, guess=math.ceil(guess))

    @cached
    def certificate(self, n: int) -> Certificate:
        """Return what is certified for n users, at the least favourable error of the best.

        Errors of the best hypothesis are cut into intervals; the certificate shows the one with the
        largest bound. Starts far below or above it are bounded together.
        """
        return _Steps(self, n).certificate()

    @cached_property
    def _bounds(self) -> _Bounds:
        return _Bounds(self)


@dataclass(frozen=True)
class _Term:
    """A bound of the probability that one start is chosen, and then a bad hypothesis.

    Attributes
    ----------
    tilt, back : float
        For a choice of a bad hypothesis: the tilts of its score, and of the level. For a start
        that is too late: 0, and the tilt of the level.
    ghosts : int
        0: a union over all candidates. Else over patterns, with this number of ghosts for each
        record.
    log : float
        The bound's logarithm.
    """

    tilt: float
    back: float
    ghosts: int
    log: float


class _Bounds:
    """The bounds of a plan in floats, for intervals of the best error.

    Parameters
    ----------
    plan : ClippedPlan
    errors : tuple of two ndarrays, optional
        Least and largest errors of the best hypothesis; by default intervals that are fine where
        the bound is large.
    """

    def __init__(self, plan: ClippedPlan, errors: tuple[Floats, Floats] | None = None) -> None:
        self.plan, self.m, w = plan, plan.samples_per_user, plan.width
        self.excess = float(plan.alpha - plan.representation.alpha)
        self.log_size = log_of(max(plan.representation.size - 1, 1))
        self.whole = float(plan.epsilon_choice) / (2 * w)  # at which all of ln(size) is paid
        self.large = min(self.whole, _STEEPEST)  # largest tilts
        self.small = min(float(plan.epsilon_search) / (2 * w), _STEEPEST)
        self.level = float(plan.level) * w
        # the best tilt of a gap g is about g, and no gap is much smaller than the excess
        ratio = _COARSE if errors is not None else _FINE
        steps = max(math.ceil(math.log(max(4 * self.large / self.excess, 1)) / math.log(ratio)), 8)
        parts = ratio ** -np.arange(float(steps + 1))
        self.tilts = self.large * parts
        self.backs = np.minimum(self.tilts, self.small)
        self.late = self.small * parts
        self.ghosts: list[int] = [0]
        if plan.vc_dim is not None and self.log_size > plan.vc_dim:
            rough = math.ceil(8 / self.excess)
            self.ghosts += [rough, 8 * rough]
        self.at = np.array(plan.starts, dtype=np.int64)[:, None] + np.arange(w)
        if errors is None:
            errors = self._intervals()
        self.low, self.high = errors
        self._compute()

    def _compute(self) -> None:
        """Compute decays per user: of a choice for each tilt, and of a start that is too late."""
        good = _tails(self.m, self.high, self.at)
        up = log_moment(good, 2 * (self.tilts - self.backs))  # with the level's help
        alone = log_moment(good, 2 * self.tilts)
        only = self.tilts <= self.small  # then the level replaces the best hypothesis
        self.choices: list[Floats] = []
        for r in self.ghosts:
            error = self.low + self.excess
            if r:
                error = r / (r + 1) * error
            bad = _tails(self.m, np.minimum(error, 1), self.at)
            once, twice = log_moment(bad, -self.tilts), log_moment(bad, -2 * self.tilts)
            helped = np.where(
                only, once + self.tilts * self.level, (twice + up) / 2 + self.backs * self.level
            )
            own = (twice + alone) / 2
            helped[:, -1] = np.inf  # the last start may lie above the level
            self.choices.append(np.stack([helped, own]))
        self.lates = np.zeros((len(self.low), len(self.at), len(self.late)))
        self.lates[:, 1:] = log_moment(good[:, :-1], self.late) - self.late * self.level
        self.only = only

    def costs(self, n: float) -> list[Floats]:
        """Return what must be paid for the union, for each number of ghosts, kind and tilt."""
        out = [np.full((2, len(self.tilts)), self.log_size)]
        share = self.tilts / self.whole * self.log_size
        for r in self.ghosts[1:]:
            patterns = math.log(2) + log_growth(self.plan.vc_dim or 0, (r + 1) * n * self.m)
            patterns += (self.m - 1) / (2 * r)
            out.append(np.stack([share + np.where(self.only, 1, 0.5) * patterns,
                                 share + 0.5 * patterns]))  # fmt: skip
        return out

    def logs(self, n: float) -> Floats:
        """Return the logarithm of the best bound for each interval and start, at most 0."""
        best = np.min(n * self.lates, axis=-1)
        for cost, choice in zip(self.costs(n), self.choices, strict=True):
            best = np.minimum(best, np.min(cost[:, None, None] + n * choice, axis=(0, -1)))
        return np.asarray(np.minimum(best, 0.0))

    def failure(self, n: float) -> float:
        """Return the logarithm of the largest bound of all intervals."""
        return float(np.logaddexp.reduce(self.logs(n), axis=1).max())

    def worst(self, n: float) -> int:
        """Return the interval with the largest bound."""
        return int(np.argmax(np.logaddexp.reduce(self.logs(n), axis=1)))

    def terms(self, n: float, interval: int) -> list[_Term]:
        """Return the best bound for each start."""
        found = []
        for k in range(len(self.at)):
            i = int(np.argmin(self.lates[interval, k]))
            best = _Term(0.0, float(self.late[i]), 0, min(n * float(self.lates[interval, k, i]), 0))
            for r, cost, choice in zip(self.ghosts, self.costs(n), self.choices, strict=True):
                values = cost + n * choice[:, interval, k]
                kind, i = divmod(int(np.argmin(values)), len(self.tilts))
                if values[kind, i] < best.log:
                    back = self.backs[i] if kind == 0 else 0.0
                    best = _Term(float(self.tilts[i]), float(back), r, float(values[kind, i]))
            found.append(best)
        return found

    def early(self, n: float, interval: int) -> list[_Term]:
        """Return for each start a bound that holds for all earlier ones, too."""
        found = []
        tilts = np.flatnonzero(self.only)
        for k in range(len(self.at) - 1 if len(tilts) else 0):
            values = [
                (cost[0, i] + n * choice[0, interval, k, i], r, i)
                for r, cost, choice in zip(self.ghosts, self.costs(n), self.choices, strict=True)
                for i in tilts
            ]
            log, r, i = min(values)
            found.append(_Term(float(self.tilts[i]), float(self.tilts[i]), r, min(float(log), 0)))
        return found

    def _intervals(self) -> tuple[Floats, Floats]:
        """Return intervals of errors, fine where the bound at about the required n is large."""
        most, wanted = 1 - self.excess, log_of(self.plan.beta - self.plan.representation.beta)
        edges = np.sin(np.linspace(0, math.asin(math.sqrt(most)), 129)) ** 2
        n = 1.02 * _needed(_Bounds(self.plan, (edges, edges)), wanted, math.inf)
        low, high = edges[:-1], edges[1:]
        kept: list[tuple[Floats, Floats]] = []
        for _ in range(14):
            parts = _Bounds(self.plan, (low, high))
            bound = np.logaddexp.reduce(parts.logs(n), axis=1)
            fine = (bound <= wanted) | (high - low <= _FINEST * self.excess)
            # far from the least favourable: bounds fall with n, and fewer users are not enough
            near = np.logaddexp.reduce(parts.logs(0.7 * n), axis=1) > wanted - 1
            kept.append((low[fine & near], high[fine & near]))
            low, high = low[~fine], high[~fine]
            if len(low) > _MOST_INTERVALS:
                raise UnsupportedError(
                    f"User-level errors are not certified for an excess of {self.excess:.3g}: "
                    "too many intervals of the best error would have to be compared. Use "
                    "method='group-privacy', or a larger alpha."
                )
            if not len(low):
                break
            middle = (low + high) / 2
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        kept.append((low, high))
        return np.concatenate([x for x, _ in kept]), np.concatenate([x for _, x in kept])


class _Steps:
    """The certificate of a plan for n users, written as steps."""

    def __init__(self, plan: ClippedPlan, n: int) -> None:
        self.plan, self.n, self.cert = plan, n, CertificateBuilder()
        self.bounds = plan._bounds
        self.interval = self.bounds.worst(n)
        self.low = _below(self.bounds.low[self.interval])
        self.high = _above(self.bounds.high[self.interval])

    def certificate(self) -> Certificate:
        """Return the certificate."""
        plan, n, cert = self.plan, self.n, self.cert
        found = self.bounds.terms(n, self.interval)
        small = _SMALL * float(plan.beta)
        first, last = 0, len(found) - 1
        # Earlier starts fail at most as easily: the bad score falls with t, the level is the same.
        for k, term in enumerate(self.bounds.early(n, self.interval)):
            if k and (k + 1) * math.exp(term.log) <= small:
                first, found[k] = k, term
        # Later ones, too: the best score falls with t.
        while last > first + 1 and not found[last - 1].tilt:
            if (len(found) - last + 1) * math.exp(found[last - 1].log) > small:
                break
            last -= 1
        size = cert.step(
            "log_size", "log(max(size - 1, 1))", CLIPPED, size=plan.representation.size
        )
        parts: dict[str, Step] = {}
        for k in range(first, last + 1):
            many = first + 1 if k == first else len(found) - last if k == last else 1
            name = f"start_{plan.starts[k]}"
            parts[name] = self._term(name, k, found[k], size, many)
        beta1 = plan.representation.beta
        failure = cert.step("failure", " + ".join([*parts, "beta1"]), CLIPPED, beta1=beta1, **parts)
        cert.step("enough", "failure <= beta", CLIPPED, failure=failure, beta=plan.beta)
        return cert.certificate(alpha=plan.alpha, beta=plan.beta, n=n, unit="users")

    def _term(self, name: str, k: int, term: _Term, size: Step, many: int) -> Step:
        plan, cert, m = self.plan, self.cert, self.plan.samples_per_user
        t, back = plan.starts[k], _tilt(term.back, plan.epsilon_search, plan.width)
        if not term.tilt:
            if not back:
                return cert.step(name, "many + 0*n", CLIPPED, many=many, n=self.n)
            before = plan.starts[k - 1]
            good = self._moment(f"{name}_best", self.high, before, "back", back=back)
            self._limit(f"{name}_back", back, plan.epsilon_search)
            return cert.step(
                name,
                "many*min(1, exp(n*(log(best) - back*level*width)))",
                CLIPPED,
                many=many, n=self.n, best=good, back=back, level=plan.level, width=plan.width,
            )  # fmt: skip
        tilt = _tilt(term.tilt, plan.epsilon_choice, plan.width)
        alone = term.tilt == term.back
        if alone:
            tilt = back = min(tilt, back)
        power = 1 if alone else 2
        inputs: dict[str, Fraction | int | Step] = {"low": self.low, "excess": self._excess}
        error = "low + excess"
        if term.ghosts:
            error = "ghosts/(ghosts + 1)*(low + excess) - 1/((ghosts + 1)*n*m)"
            inputs |= {"ghosts": term.ghosts, "n": self.n, "m": m}
        wrong = cert.step(f"{name}_error", f"max(0, min(1, {error}))", CLIPPED, **inputs)
        bad = self._moment(f"{name}_bad", wrong, t, f"-{power}*tilt", tilt=tilt)
        self._limit(f"{name}_tilt", tilt, plan.epsilon_choice)
        if back:
            self._limit(f"{name}_back", back, plan.epsilon_search)
        cost = self._cost(name, term, size, tilt, power)
        if alone:
            return cert.step(
                name,
                "many*min(1, exp(cost + n*(back*level*width + log(bad))))",
                CLIPPED,
                many=many, cost=cost, n=self.n, back=back, level=plan.level, width=plan.width,
                bad=bad,
            )  # fmt: skip
        good = self._moment(f"{name}_best", self.high, t, "2*(tilt - back)", tilt=tilt, back=back)
        return cert.step(
            name,
            "many*min(1, exp(cost + n*(back*level*width + log(bad)/2 + log(best)/2)))",
            CLIPPED,
            many=many, cost=cost, n=self.n, back=back, level=plan.level, width=plan.width,
            bad=bad, best=good,
        )  # fmt: skip

    @property
    def _excess(self) -> Fraction:
        return self.plan.alpha - self.plan.representation.alpha

    def _cost(self, name: str, term: _Term, size: Step, tilt: Fraction, power: int) -> Step:
        """Write what the union over hypotheses costs: all of them, or patterns and a share."""
        plan = self.plan
        if not term.ghosts:
            return size
        assert plan.vc_dim is not None
        return self.cert.step(
            f"{name}_cost",
            "2*width*tilt/epsilon*log_size "
            "+ (log(2*growth(vc_dim, (ghosts + 1)*n*m)) + (m - 1)/(2*ghosts))/power",
            CLIPPED,
            width=plan.width, tilt=tilt, epsilon=plan.epsilon_choice, log_size=size,
            vc_dim=plan.vc_dim, ghosts=term.ghosts, n=self.n, m=plan.samples_per_user, power=power,
        )  # fmt: skip

    def _limit(self, name: str, tilt: Fraction, epsilon: Fraction) -> None:
        self.cert.step(
            f"{name}_limit",
            "2*width*tilt <= epsilon",
            CLIPPED,
            width=self.plan.width,
            tilt=tilt,
            epsilon=epsilon,
        )

    def _moment(
        self, name: str, error: Fraction | Step, t: int, exponent: str, **inputs: Fraction
    ) -> Step:
        """Write E e**(exponent * clipped mistakes) of a user, for a hypothesis of this error."""
        power = self.cert.step(f"{name}_factor", f"exp({exponent})", CLIPPED, **inputs)
        terms = [f"factor**{i}*binomial_above(m, error, t + {i})" for i in range(self.plan.width)]
        return self.cert.step(
            name,
            f"1 + (factor - 1)*({' + '.join(terms)})",
            CLIPPED,
            factor=power, m=self.plan.samples_per_user, error=error, t=t,
        )  # fmt: skip


def plan_clipped(
    representation: Representation,
    samples_per_user: int,
    *,
    epsilon: Fraction,
    alpha: Fraction,
    beta: Fraction,
    vc_dim: int | None = None,
) -> ClippedPlan:
    """Return the windows, and the split of epsilon, with the fewest users.

    Parameters
    ----------
    representation : Representation
    samples_per_user : int
    epsilon, alpha, beta : Fraction
    vc_dim : int, optional
        Of the candidates.
    """
    m, most = samples_per_user, float(1 - alpha + representation.alpha)
    errors = np.sin(np.linspace(0, math.asin(math.sqrt(most)), _POINTS)) ** 2
    log_beta = log_of(beta - representation.beta)
    best, found = math.inf, None

    def proposal(width: int, at: tuple[int, ...]) -> ClippedPlan:
        spacing, overlap, level, share = at
        apart = _SPACINGS[spacing] if m <= _MANY else max(_SPACINGS[-1], math.sqrt(m) / 60)
        starts = _starts(m, width, most, apart, _OVERLAPS[overlap])
        search = epsilon * _SHARES[share] if len(starts) > 1 else Fraction(0)
        return ClippedPlan(
            representation, m, starts, width, _LEVELS[level], search, epsilon - search, alpha, beta,
            vc_dim,
        )  # fmt: skip

    at: tuple[int, ...] = _FIRST[0]
    widths = {w for w in _WIDTHS if w < m} | {min(m, _WIDTHS[-1])} if m <= _MANY else {1}
    for width in sorted(widths):
        here, todo = math.inf, [at, *_FIRST]
        while todo:  # steps along one coordinate, as long as one of them needs fewer users
            for trial in todo:
                plan = proposal(width, trial)
                users = _needed(_Bounds(plan, (errors, errors)), log_beta, 0.995 * here)
                if users < 0.995 * here:  # errors between two starts may be worse
                    between = _between(plan)
                    users = _needed(_Bounds(plan, (between, between)), log_beta, 0.995 * here)
                if users < here:
                    here, at = users, trial
                if users < best:
                    best, found = users, plan
            todo = _beside(at) if at in todo and here < _WORSE * best else []
    assert found is not None
    return found


def _between(plan: ClippedPlan) -> Floats:
    """Return errors whose mistakes lie at a few places between successive starts."""
    starts = np.array(plan.starts, dtype=float)
    steps = np.diff(starts, append=starts[-1] + max(plan.samples_per_user / 8, 1))
    places = (starts[:, None] + steps[:, None] * np.arange(0, 1, 0.25)).ravel()
    most = float(1 - plan.alpha + plan.representation.alpha)
    places = places[:: 1 + len(places) // _MOST_PLACES]
    return np.unique(np.clip((places + plan.width / 2) / plan.samples_per_user, 0.0, most))


def _beside(at: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the proposals that differ by one step in one coordinate."""
    limits = (len(_SPACINGS), len(_OVERLAPS), len(_LEVELS), len(_SHARES))
    return [
        (*at[:i], at[i] + step, *at[i + 1 :])
        for i, limit in enumerate(limits)
        for step in (-1, 1)
        if 0 <= at[i] + step < limit
    ]


def _starts(m: int, width: int, most: float, spacing: float, overlap: float) -> tuple[int, ...]:
    """Return starts ``spacing`` standard deviations apart, up to the largest error's mistakes."""
    end = m * most - width / 2 + overlap * math.sqrt(m * most * (1 - most))
    starts = [0]
    while True:
        error = min((starts[-1] + width / 2) / m, 1.0)
        far = starts[-1] + max(1, round(spacing * math.sqrt(m * error * (1 - error))))
        if far > min(end, m - width):
            return tuple(starts)
        starts.append(far)


def _needed(bounds: _Bounds, log_beta: float, limit: float) -> float:
    """Return about the least n that the bounds certify; inf if it is not below the limit."""
    n = limit if limit < math.inf else 256.0
    here = bounds.failure(n)
    if here > log_beta and limit < math.inf:
        return math.inf
    low, high = (0.0, n) if here <= log_beta else (n, math.inf)
    for _ in range(60):  # the failure's logarithm falls about linearly, from the union's cost
        far = 0.8 * n if here <= log_beta else 1.25 * n
        there = bounds.failure(far)
        fall = (here - there) / (far - n)
        n = n + (here - log_beta) / fall if fall > 0 else 4 * n
        n = min(max(n, 0.3 * far), 8 * far)
        if not low < n < high:
            n = (low + high) / 2 if high < math.inf else 2 * low
        here = bounds.failure(n)
        low, high = (low, min(n, high)) if here <= log_beta else (max(n, low), high)
        if n > HOPELESS:
            return math.inf
        if abs(here - log_beta) < 0.02 or (high < math.inf and high - low <= 0.002 * high):
            return n
    return high


def _tails(m: int, errors: Floats, at: npt.NDArray[np.int64]) -> Floats:
    """Return Pr[Bin(m, error) > t] for all errors, and all t of an array."""
    return _kept_tails(m, errors.tobytes(), at.tobytes()).reshape(len(errors), *at.shape)


@lru_cache(maxsize=256)
def _kept_tails(m: int, errors: bytes, at: bytes) -> Floats:
    return tail(m, np.frombuffer(errors)[:, None], np.frombuffer(at, dtype=np.int64)[None])


def _tilt(tilt: float, epsilon: Fraction, width: int) -> Fraction:
    """Return an exact tilt near a float one, within the largest that epsilon allows."""
    return min(Fraction(tilt).limit_denominator(2**40), epsilon / (2 * width))


def _below(x: float) -> Fraction:
    return Fraction(math.floor(float(x) * 2**30), 2**30)


def _above(x: float) -> Fraction:
    return min(Fraction(math.ceil(float(x) * 2**30), 2**30), Fraction(1))
