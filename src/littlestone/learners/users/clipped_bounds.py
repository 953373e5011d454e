"""Clipped user-level errors: the bounds of a plan, in floats and as the steps of a certificate.

`Bounds` holds for intervals of the best error how fast each bound falls with the number of users,
in floats: they find plans and the least n. `certificate` writes the same bounds for one interval,
and decides.

Notation, M-, M+ and patterns: ``docs/learners/users.md``.

**`users.clipped`.** Fix eta. Let A_i be the event that start i is chosen and then a bad h.

- As the best score of a start is never negative (the first i with S_i <= nwc has it, or the
  last one), start i has probability at most e^(a u_i), u_i its score, 0 <= a <=
  epsilon_search/(2w). For i < K, u_i <= nwc - S_i. So for l <= epsilon_choice/(2w), a <= l:
  Pr[A_i] <= E sum over bad h of e^(a(nwc - S_i)) e^(-l(phi_i(h) - S_i)), and (l - a) S_i <= (l
  - a) phi_i(h*): with a = l it is (|H|-1) (e^(lwc) M-(l; eta+alpha))^n, else (|H|-1) (e^(2awc)
  M-(2l; eta+alpha) M+(2(l-a); eta))^(n/2); a = 0 is allowed for i = K, too. With patterns in
  the place of |H| - 1 as above (the whole factor for a = l).
- *Too early*, whatever is chosen then: e^(a u_i) <= e^(anwc) max over H of e^(-a phi_i(h)), and
  no h has an error below eta: Pr[A_i] <= 2 Pi((r+1)N) e^((m-1)/(2r)) (e^(awc) M-(a; p))^n, p
  from q = eta. The choice of a start costs patterns only, not ln|H|.
- *Too late*: u_i <= S_{i-k} - nwc <= phi_{i-k}(h*) - nwc: Pr[A_i] <= (e^(-awc) M+(a; eta))^n at
  t_{i-k}.
- *A margin with high probability* (k = 2). Let 0 < b < c, and G the event that for some j,
  fixed by eta, S_j <= nw(c - b) and S_{j-k} >= nw(c + b). On G the best score is at least nwb,
  so start i has probability at most e^(a(u_i - nwb)): in all bounds above c becomes c - b if i
  may be too early, and c + b if it may be too late. The complement of G is added once:
  (e^(-lw(c-b)) M+(l; eta))^n at t_j, and |H| (e^(lw(c+b)) M-(l; eta))^n at t_{j-k}, or with
  patterns, for any l >= 0, as no privacy is involved.

The failure is at most the sum over i of the least of these, at the least favourable eta. M-
falls and M+ rises with eta, so on an interval of eta one takes M- at its lower end and M+ at
its upper end; intervals are refined until that costs about 2 % of n. The first bound (a = l)
rises with t_i and the second one falls, so starts far below and far above are bounded by count
times the nearest. Starts, width, level and shares of epsilon come from a search in floats; the
certificate is valid for any. The union over H occurs once, in the choice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from littlestone.bounds import CertificateBuilder
from littlestone.bounds.certificate import HOPELESS, log_growth, log_of
from littlestone.errors import UnsupportedError
from littlestone.learners.users.scores import all_tails, log_moment, tail

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from littlestone.bounds import Certificate, Step
    from littlestone.learners.users.learner import ClippedPlan
    from littlestone.learners.users.scores import Floats

CLIPPED = "users.clipped"


_COARSE, _FINE = 1.65, 1.1  # ratios of tilts that are tried: for the search, for the certificate
_MOST_INTERVALS = 2000  # that are split once more
_STEEPEST = 3.0  # steeper tilts gain nothing
_FREE = _STEEPEST * 1.5 ** -np.arange(12.0)  # tilts where no privacy is paid
_FINEST, _FINE_PART = 2**-8, 2**-5  # of the excess, and of a user's standard deviation
_TABLED = 2048  # records per user up to which all probabilities are computed at once
_SMALL = 0.01  # part of beta below which terms are bounded together


@dataclass(frozen=True)
class _Term:
    """A bound of the probability that one start is chosen, and then a bad hypothesis."""

    kind: str  # "choice": of both; "early", "late": that the start is chosen although it is so
    #: Of the score of a bad hypothesis, and of the level. Only the latter if the start is wrong.
    tilt: float
    back: float
    #: 0: a union over all candidates. Else over patterns, with this number of ghosts for each
    #: record.
    ghosts: int
    log: float  # the bound's logarithm


class Bounds:
    """The bounds of a plan in floats, for intervals of the best error.

    ``errors``: least and largest errors of the best hypothesis; by default intervals that are fine
    where the bound is large.
    """

    def __init__(self, plan: ClippedPlan, errors: tuple[Floats, Floats] | None = None) -> None:
        self.plan, self.m, w = plan, plan.samples_per_user, plan.width
        self.excess = float(plan.alpha - plan.representation.alpha)
        self.log_size = log_of(max(plan.representation.size - 1, 1))
        self.whole = float(plan.epsilon_choice) / (2 * w)  # at which all of ln(size) is paid
        self.large = min(self.whole, _STEEPEST)  # largest tilts
        self.small = min(float(plan.epsilon_search) / (2 * w), _STEEPEST)
        self.early_level = float(plan.level - plan.sure) * w
        self.late_level = float(plan.level + plan.sure) * w
        # the best tilt of a gap g is about g, and no gap is much smaller than the excess: the same
        # tilts for every epsilon, up to the largest, so that a larger one never needs more users
        ratio = _COARSE if errors is not None else _FINE
        steps = math.ceil(math.log(max(12 * _STEEPEST / self.excess, 2)) / math.log(ratio))
        grid = _STEEPEST * ratio ** -np.arange(float(steps + 1))
        self.tilts = np.append(self.large, grid[grid < self.large])
        self.backs = np.minimum(self.tilts, self.small)
        self.late = np.append(self.small, grid[grid < self.small])
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
                only,
                once + self.tilts * self.early_level,
                (twice + up) / 2 + self.backs * self.early_level,
            )
            own = (twice + alone) / 2
            helped[:, -1] = np.inf  # the last start may lie above the level
            # tilts before intervals and starts: least values are taken over leading axes, fast
            self.choices.append(np.moveaxis(np.stack([helped, own]), -1, 1).copy())
        self.lates = np.zeros((len(self.low), len(self.at), len(self.late)))
        lag = self.plan.lag
        self.lates[:, lag:] = log_moment(good[:, :-lag], self.late) - self.late * self.late_level
        self.only = only
        self.earlies: list[Floats] = []  # with ghosts only: a union over all is in the choices
        for r in self.ghosts[1:]:
            tails = _tails(self.m, r / (r + 1) * self.low, self.at)
            early = log_moment(tails, -self.late) + self.late * self.early_level
            early[:, -1] = np.inf
            self.earlies.append(early)
        self.late_least = np.min(self.lates, axis=-1)
        self.early_least = [np.min(early, axis=-1) for early in self.earlies]
        if self.plan.sure:
            self._compute_sure(good)

    def _compute_sure(self, good: Floats) -> None:
        """Compute decays of what a right start lacks: a score below, and another one above."""
        lag = self.plan.lag
        self.below = log_moment(good, _FREE) - _FREE * self.early_level
        self.below[:, -1] = -np.inf  # the last start need not lie below
        self.above: list[Floats] = []
        for r in self.ghosts:
            error = r / (r + 1) * self.low if r else self.low
            all_of_them = np.full((*self.below.shape[:2], len(_FREE)), -np.inf)
            low = log_moment(_tails(self.m, error, self.at[:-lag]), -_FREE)
            all_of_them[:, lag:] = low + _FREE * self.late_level
            self.above.append(all_of_them)
        self.below_least = np.min(self.below, axis=-1)
        self.above_least = [np.min(lack, axis=-1) for lack in self.above]

    def costs(self, n: float) -> list[Floats]:
        """Return what must be paid for the union, for each number of ghosts, kind and tilt."""
        out = [np.full((2, len(self.tilts)), self.log_size)]
        share = self.tilts / self.whole * self.log_size
        for r in self.ghosts[1:]:
            patterns = self._patterns(n, r)
            out.append(np.stack([share + np.where(self.only, 1, 0.5) * patterns,
                                 share + 0.5 * patterns]))  # fmt: skip
        return out

    def logs(self, n: float) -> Floats:
        """Return the logarithm of the best bound for each interval and start, at most 0.

        If a margin is sure, the last column is about the right start.
        """
        best = n * self.late_least
        for cost, choice in zip(self.costs(n), self.choices, strict=True):
            best = np.minimum(best, np.min(cost[..., None, None] + n * choice, axis=(0, 1)))
        for price, early in zip(self.prices(n)[1:], self.early_least, strict=True):
            best = np.minimum(best, price + n * early)
        if self.plan.sure:
            right = np.logaddexp(*self._right(n)).min(axis=1)
            best = np.concatenate([best, right[:, None]], axis=1)
        return np.asarray(np.minimum(best, 0.0))

    def _right(self, n: float) -> tuple[Floats, Floats]:
        """Return the logarithms of both chances that a start is not right, for each start."""
        above = [
            price + n * lack for price, lack in zip(self.prices(n), self.above_least, strict=True)
        ]
        return n * self.below_least, np.min(above, axis=0)

    def prices(self, n: float) -> list[float]:
        """Return what the union over all candidates costs where no privacy is paid."""
        return [
            log_of(self.plan.representation.size),
            *map(partial(self._patterns, n), self.ghosts[1:]),
        ]

    def _patterns(self, n: float, r: int) -> float:
        many = log_growth(self.plan.vc_dim or 0, (r + 1) * n * self.m)
        return math.log(2) + many + (self.m - 1) / (2 * r)

    def right(self, n: float, interval: int) -> tuple[int, float, float, int]:
        """Return the start that is right most surely, two tilts, and the number of ghosts."""
        below, above = self._right(n)
        j = int(np.argmin(np.logaddexp(below, above)[interval]))
        each = [
            price + n * float(np.min(lack[interval, j]))
            for price, lack in zip(self.prices(n), self.above, strict=True)
        ]
        best = int(np.argmin(each))
        tilts = (np.argmin(lack[interval, j]) for lack in (self.below, self.above[best]))
        first, second = (float(_FREE[int(i)]) for i in tilts)
        return j, first, second, self.ghosts[best]

    def failure(self, n: float) -> float:
        """Return the logarithm of the largest bound of all intervals."""
        return float(np.logaddexp.reduce(self.logs(n), axis=1).max())

    def worst(self, n: float) -> int:
        """Return the interval with the largest bound."""
        return int(np.argmax(np.logaddexp.reduce(self.logs(n), axis=1)))

    def terms(self, n: float, interval: int) -> list[_Term]:
        """Return the best bound for each start."""
        return [
            min((*self._wrong(n, interval, k), *self._chosen(n, interval, k)), key=_log_of_term)
            for k in range(len(self.at))
        ]

    def _wrong(self, n: float, interval: int, k: int) -> Iterator[_Term]:
        """Yield bounds of the probability that a start is chosen at all."""
        i = int(np.argmin(self.lates[interval, k]))
        log = min(n * float(self.lates[interval, k, i]), 0.0)
        yield _Term("late", 0.0, float(self.late[i]), 0, log)
        yield from self._early(n, interval, k)

    def _early(self, n: float, interval: int, k: int) -> Iterator[_Term]:
        for r, price, early in zip(self.ghosts[1:], self.prices(n)[1:], self.earlies, strict=True):
            i = int(np.argmin(early[interval, k]))
            log = price + n * float(early[interval, k, i])
            yield _Term("early", 0.0, float(self.late[i]), r, min(log, 0.0))

    def _chosen(self, n: float, interval: int, k: int) -> Iterator[_Term]:
        """Yield bounds of the probability that a start is chosen, and a bad hypothesis."""
        for r, cost, choice in zip(self.ghosts, self.costs(n), self.choices, strict=True):
            values = cost + n * choice[:, :, interval, k]
            kind, i = divmod(int(np.argmin(values)), len(self.tilts))
            back = self.backs[i] if kind == 0 else 0.0
            yield _Term("choice", float(self.tilts[i]), float(back), r, float(values[kind, i]))

    def early(self, n: float, interval: int) -> list[_Term]:
        """Return for each start a bound that holds for all earlier ones, too."""
        found = []
        tilts = np.flatnonzero(self.only)
        for k in range(len(self.at) - 1 if len(tilts) else 0):
            known = list(self._early(n, interval, k))
            for r, cost, choice in zip(self.ghosts, self.costs(n), self.choices, strict=True):
                values = cost[0, tilts] + n * choice[0, tilts, interval, k]
                tilt = float(self.tilts[tilts[np.argmin(values)]])
                known.append(_Term("choice", tilt, tilt, r, min(float(values.min()), 0.0)))
            found.append(min(known, key=_log_of_term))
        return found

    def _intervals(self) -> tuple[Floats, Floats]:
        """Return intervals of errors, fine where the bound at about the required n is large."""
        most, wanted = 1 - self.excess, log_of(self.plan.beta - self.plan.representation.beta)
        edges = np.sin(np.linspace(0, math.asin(math.sqrt(most)), 129)) ** 2
        guess = least_users(Bounds(self.plan, (edges, edges)), wanted, math.inf)
        n = min(1.02 * guess, float(HOPELESS))
        low, high = edges[:-1], edges[1:]
        kept: list[tuple[Floats, Floats]] = []
        for _ in range(14):
            parts = Bounds(self.plan, (low, high))
            bound = np.logaddexp.reduce(parts.logs(n), axis=1)
            deviation = np.sqrt(high * (1 - low) / self.m)
            small = np.minimum(_FINEST * self.excess, _FINE_PART * deviation)
            fine = (bound <= wanted) | (high - low <= small)
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
        self.plan, self.n = plan, n
        self.cert = CertificateBuilder(
            n=n, m=plan.samples_per_user, width=plan.width, size=plan.representation.size,
            beta=plan.beta, beta1=plan.representation.beta,
        )  # fmt: skip
        self.bounds = plan.bounds
        self.interval = self.bounds.worst(n)
        self.low = _below(self.bounds.low[self.interval])
        self.high = _above(self.bounds.high[self.interval])
        self.early: Fraction | Step = plan.level
        self.late: Fraction | Step = plan.level
        if plan.sure:
            levels = {"level": plan.level, "sure": plan.sure}
            self.early = self.cert.step("early_level", "level - sure", CLIPPED, **levels)
            self.late = self.cert.step("late_level", "level + sure", CLIPPED, **levels)

    def certificate(self) -> Certificate:
        """Return the certificate."""
        plan, n, cert = self.plan, self.n, self.cert
        found = self.bounds.terms(n, self.interval)
        small = _SMALL * float(plan.beta)
        first, last = 0, len(found) - 1
        chances = np.cumsum([math.exp(term.log) for term in found])
        # Earlier starts fail at most as easily: the bad score falls with t, the level is the same.
        for k, term in enumerate(self.bounds.early(n, self.interval)):
            if k and (k + 1) * math.exp(term.log) <= chances[k] + small:
                first, found[k] = k, term
        # Later ones, too: the best score falls with t.
        while last > first + 1 and found[last - 1].kind == "late":
            together = (len(found) - last + 1) * math.exp(found[last - 1].log)
            if together > chances[-1] - chances[last - 2] + small:
                break
            last -= 1
        size = cert.step("log_size", "log(max(size - 1, 1))", CLIPPED)
        parts: dict[str, Step] = {}
        for k in range(first, last + 1):
            many = first + 1 if k == first else len(found) - last if k == last else 1
            name = f"start_{plan.starts[k]}"
            parts[name] = self._term(name, k, found[k], size, many)
        if plan.sure:
            parts["right"] = self._right()
        cert.step("failure", " + ".join([*parts, "beta1"]), CLIPPED, **parts)
        cert.step("enough", "failure <= beta", CLIPPED)
        return cert.certificate(alpha=plan.alpha, beta=plan.beta, n=n, unit="users")

    def _term(self, name: str, k: int, term: _Term, size: Step, many: int) -> Step:
        plan, cert, m = self.plan, self.cert, self.plan.samples_per_user
        t, back = plan.starts[k], _tilt(term.back, plan.epsilon_search, plan.width)
        if term.kind == "early":
            return self._too_early(name, t, back, term.ghosts, many)
        if term.kind == "late":
            if not back:
                return cert.step(name, "many + 0*n", CLIPPED, many=many)
            before = plan.starts[k - plan.lag]
            good = self._moment(f"{name}_best", self.high, before, "back", back=back)
            self._limit(f"{name}_back", back, plan.epsilon_search)
            return cert.step(
                name,
                "many*min(1, exp(n*(log(best) - back*level*width)))",
                CLIPPED,
                many=many, best=good, back=back, level=self.late,
            )  # fmt: skip
        tilt = _tilt(term.tilt, plan.epsilon_choice, plan.width)
        alone = term.tilt == term.back
        if alone:
            tilt = back = min(tilt, back)
        power = 1 if alone else 2
        excess = plan.alpha - plan.representation.alpha
        inputs: dict[str, Fraction | int | Step] = {"low": self.low, "excess": excess}
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
                many=many, cost=cost, back=back, level=self.early,
                bad=bad,
            )  # fmt: skip
        good = self._moment(f"{name}_best", self.high, t, "2*(tilt - back)", tilt=tilt, back=back)
        return cert.step(
            name,
            "many*min(1, exp(cost + n*(back*level*width + log(bad)/2 + log(best)/2)))",
            CLIPPED,
            many=many, cost=cost, back=back, level=self.early,
            bad=bad, best=good,
        )  # fmt: skip

    def _too_early(self, name: str, t: int, back: Fraction, ghosts: int, many: int) -> Step:
        """Write the chance that a start is chosen although all hypotheses lie above the level."""
        self._limit(f"{name}_back", back, self.plan.epsilon_search)
        cost, every = self._every(name, t, back, ghosts)
        return self.cert.step(
            name,
            "many*min(1, exp(cost + n*(back*level*width + log(every))))",
            CLIPPED,
            many=many, cost=cost, back=back, level=self.early,
            every=every,
        )  # fmt: skip

    def _every(self, name: str, t: int, tilt: Fraction, ghosts: int) -> tuple[Step, Step]:
        """Write the cost of a union over all hypotheses, and the moment of the best of them."""
        plan, cert, n, m = self.plan, self.cert, self.n, self.plan.samples_per_user
        error, inputs = "low", {"low": self.low}
        if ghosts:
            assert plan.vc_dim is not None
            error = "ghosts/(ghosts + 1)*low - 1/((ghosts + 1)*n*m)"
            inputs |= {"ghosts": Fraction(ghosts), "n": Fraction(n), "m": Fraction(m)}
            cost = cert.step(
                f"{name}_cost",
                "log(2*growth(vc_dim, (ghosts + 1)*n*m)) + (m - 1)/(2*ghosts)",
                CLIPPED,
                vc_dim=plan.vc_dim, ghosts=ghosts,
            )  # fmt: skip
        else:
            size = plan.representation.size
            cost = cert.step(f"{name}_cost", "log(size)", CLIPPED, size=size)
        wrong = cert.step(f"{name}_error", f"max(0, min(1, {error}))", CLIPPED, **inputs)
        return cost, self._moment(f"{name}_every", wrong, t, "-tilt", tilt=tilt)

    def _right(self) -> Step:
        """Write the chance that the start that ought to be right lacks one of its margins."""
        plan, cert, n = self.plan, self.cert, self.n
        j, below, above, ghosts = self.bounds.right(n, self.interval)
        parts: dict[str, Step] = {}
        if j < len(plan.starts) - 1:
            tilt = Fraction(below).limit_denominator(2**40)
            good = self._moment("right_best", self.high, plan.starts[j], "tilt", tilt=tilt)
            parts["right_below"] = cert.step(
                "right_below",
                "min(1, exp(n*(log(best) - tilt*level*width)))",
                CLIPPED, best=good, tilt=tilt, level=self.early,
            )  # fmt: skip
        if j >= plan.lag:
            tilt = Fraction(above).limit_denominator(2**40)
            cost, every = self._every("right", plan.starts[j - plan.lag], tilt, ghosts)
            parts["right_above"] = cert.step(
                "right_above",
                "min(1, exp(cost + n*(tilt*level*width + log(every))))",
                CLIPPED, cost=cost, every=every, tilt=tilt, level=self.late,
            )  # fmt: skip
        return cert.step("right", " + ".join(["0*n", *parts]), CLIPPED, **parts)

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
            CLIPPED, tilt=tilt, epsilon=plan.epsilon_choice,
            vc_dim=plan.vc_dim, ghosts=term.ghosts, power=power,
        )  # fmt: skip

    def _limit(self, name: str, tilt: Fraction, epsilon: Fraction) -> None:
        self.cert.step(
            f"{name}_limit", "2*width*tilt <= epsilon", CLIPPED, tilt=tilt, epsilon=epsilon
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
            factor=power, error=error, t=t,
        )  # fmt: skip


def certificate(plan: ClippedPlan, n: int) -> Certificate:
    """Return what a plan certifies for n users, at the least favourable error of the best."""
    return _Steps(plan, n).certificate()


def _log_of_term(term: _Term) -> float:
    return term.log


def least_users(bounds: Bounds, log_beta: float, limit: float, guess: float = 256.0) -> float:
    """Return about the least n that the bounds certify; inf if it is not below the limit."""
    n = limit if limit < math.inf else guess
    here = bounds.failure(n)
    if here > log_beta and limit < math.inf:
        return math.inf
    low, high = (0.0, n) if here <= log_beta else (n, math.inf)
    far = 0.8 * n if here <= log_beta else 1.25 * n
    there = bounds.failure(far)
    for _ in range(60):  # the failure's logarithm falls about linearly, from the union's cost
        low, high = (low, min(far, high)) if there <= log_beta else (max(far, low), high)
        fall = (here - there) / (far - n) if far != n else 0.0
        far, there = n, here
        n = n + (here - log_beta) / fall if fall > 0 else 4 * n
        n = min(max(n, 0.3 * far), 8 * far)
        if not low < n < high:
            n = (low + high) / 2 if high < math.inf else 2 * low
        if n > HOPELESS:
            return math.inf
        here = bounds.failure(n)
        low, high = (low, min(n, high)) if here <= log_beta else (max(n, low), high)
        if abs(here - log_beta) < 0.02 or (high < math.inf and high - low <= 0.002 * high):
            return n
    return high


def _tails(m: int, errors: Floats, at: npt.NDArray[np.int64]) -> Floats:
    """Return Pr[Bin(m, error) > t] for all errors, and all t of an array."""
    if m > _TABLED:
        return tail(m, errors[:, None, None], at[None])
    return _table(m, errors.tobytes())[:, at]


@lru_cache(maxsize=16)
def _table(m: int, errors: bytes) -> Floats:
    return all_tails(m, np.frombuffer(errors))


def _tilt(tilt: float, epsilon: Fraction, width: int) -> Fraction:
    """Return an exact tilt near a float one, within the largest that epsilon allows."""
    return min(Fraction(tilt).limit_denominator(2**40), epsilon / (2 * width))


def _below(x: float) -> Fraction:
    return Fraction(math.floor(float(x) * 2**30), 2**30)


def _above(x: float) -> Fraction:
    return min(Fraction(math.ceil(float(x) * 2**30), 2**30), Fraction(1))
