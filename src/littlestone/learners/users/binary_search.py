"""The best error of a class by binary search: paper 002, Lemma C.1, Algorithm 2, Theorem 4.6.

`PrivateCompare`
    One private bit: is the best error below or above a midpoint (Lemma C.1)?
`PrivateMinError`
    Binary search with such bits (Algorithm 2, Lemma 4.5).
`BinarySearchPlan`
    The search, then the exponential mechanism on user-level errors (Theorem 4.6), with the
    certificate and the split of epsilon.

`littlestone.learners.users.clipped` chooses t by one draw instead, and needs fewer users.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.bounds import CertificateBuilder
from littlestone.bounds.search import log_growth, log_of
from littlestone.learners.plan import Plan, cached, least_required
from littlestone.learners.users.binomials import crossing, separate_within, tail
from littlestone.learners.users.claims import COMPARE, SELECT
from littlestone.learners.users.scores import errors_by_user
from littlestone.source import ExplicitWeights, exp

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Step
    from littlestone.classes import Representation
    from littlestone.data import UserSample
    from littlestone.learners.users.scores import UserErrors
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = [
    "BinarySearchPlan",
    "PrivateCompare",
    "PrivateMinError",
    "cut_between",
    "gap_steps",
    "plan_binary_search",
    "probabilities",
    "rates",
    "searches",
    "worst_gap",
]

Floats = npt.NDArray[np.float64]
_GRID = 2**30  # cuts are fractions with this denominator
_STEEP = 60.0  # a tilt beyond this gains nothing
_HALF = Fraction(1, 2)
_SHARES = [Fraction(j, 20) for j in range(1, 17)]  # of epsilon, for the search
_CUTS = 64
_FLOAT_EXACT = 2**53
_MOST_STEPS = 10
_TILTS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02)  # parts of the largest tilt


@dataclass(frozen=True)
class PrivateCompare:
    """Paper 002, Lemma C.1: compare the least user-level error with what a midpoint would give.

    Let eta be the least error of the class. The bit is 1 ("eta is above the midpoint") when the
    least number of users with more than ``t`` mistakes, plus noise, reaches ``n * cut``, where
    ``t`` and ``cut`` lie between what errors ``midpoint`` and ``midpoint + gap`` give.

    Parameters
    ----------
    samples_per_user : int
    midpoint : Fraction in (0, 1)
    gap : Fraction in (0, 1)
        Between ``midpoint`` and ``midpoint + gap`` both answers are right.
    epsilon : Fraction
    share : Fraction in (0, 1)
        Where the cut lies between the two probabilities.

    Notes
    -----
    *Guarantee.* The least score over the class moves by at most 1 when a user is replaced, so the
    noisy count, and the bit, is pure epsilon-DP; n is public. The noisy count itself is never
    released (nor even drawn): the bit is one coin with the probability of the event.

    *Deviations from the paper.* The exact separation, not 1/700 of its order; counts, not
    fractions of n; two-sided geometric noise, which is the Laplace of integers; and where
    ``midpoint + gap`` reaches 1 there is nothing to compare, and the public answer is 0.

    Examples
    --------
    >>> compare = PrivateCompare(16, Fraction(1, 4), Fraction(1, 8), Fraction(1), Fraction(1, 2))
    >>> compare.t, round(float(compare.cut), 3)
    (4, 0.574)
    """

    samples_per_user: int
    midpoint: Fraction
    gap: Fraction
    epsilon: Fraction
    share: Fraction

    @property
    def trivial(self) -> bool:
        """Whether every error is below ``midpoint + gap``, so that 0 is a right answer."""
        return self.midpoint + self.gap >= 1

    @cached_property
    def t(self) -> int:
        """The number of mistakes that separates best."""
        return int(crossing(self.samples_per_user, float(self.midpoint), self._far))

    @cached_property
    def cut(self) -> Fraction:
        """The share of users, between the two probabilities, that decides."""
        m = self.samples_per_user
        low, high = tail(m, float(self.midpoint), self.t), tail(m, self._far, self.t)
        return Fraction(int(cut_between(low, high, float(self.share)) * _GRID), _GRID)

    @property
    def _far(self) -> float:
        return float(self.midpoint + self.gap)

    def decide(self, errors: UserErrors, n: int, source: Source) -> int:
        """Return 1 for "above the midpoint", 0 for "below"; one exact coin.

        Parameters
        ----------
        errors : UserErrors
            Of at most ``samples_per_user`` records of each user.
        n : int
            Number of users (public).
        source : Source
        """
        if self.trivial:
            return 0
        missing = math.ceil(n * self.cut) - errors.least(self.t)
        return source.choose(_reaches(self.epsilon, missing))


def _reaches(epsilon: Fraction, missing: int) -> ExplicitWeights:
    """Return the weights of "noise < missing" and "noise >= missing", two-sided geometric."""
    p = exp(-epsilon)
    if missing > 0:
        reached = exp(-epsilon * missing)  # Pr[Z >= k] = p**k / (1 + p), k >= 1
        return ExplicitWeights(1 + p - reached, reached)
    short = exp(-epsilon * (1 - missing))
    return ExplicitWeights(short, 1 + p - short)


def cut_between(low: npt.ArrayLike, high: npt.ArrayLike, share: float) -> Floats:
    """Return the point between two probabilities, on the grid of cuts (never above it).

    Examples
    --------
    >>> cut_between(0.25, 0.75, 0.5).tolist()
    0.5
    """
    start = np.asarray(low, dtype=float)
    cuts = start + share * (np.asarray(high, dtype=float) - start)
    return np.asarray(np.floor(np.clip(cuts * _GRID, 1, _GRID - 1)) / _GRID)


def rates(
    cut: Floats, low: Floats, high: Floats, epsilon: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return how fast both failures of a comparison vanish with n, and the tilts for it.

    Pr[1] <= e**(l (N - n cut)) for every 0 <= l <= epsilon, and the expectation of the right side
    over n independent users, each of which counts with probability at most ``low``, is
    e**(-n up): that is the failure for eta <= midpoint. Likewise e**(-n down) for each hypothesis
    whose users count with probability at least ``high``.

    Returns
    -------
    up, down, tilt_up, tilt_down : ndarray
        Natural rates for one user; where one is not positive, nothing is certified.
    """
    tiny = 1e-300
    odds = np.log(cut) - np.log1p(-cut)
    most = min(epsilon, _STEEP)
    tilt_up = np.clip(odds - np.log(np.maximum(low, tiny)) + np.log1p(-low), 0, most)
    far = np.log(np.maximum(high, tiny)) - np.log(np.maximum(1 - high, tiny))
    tilt_down = np.clip(far - odds, 0, most)
    up = tilt_up * cut - np.log1p(low * np.expm1(tilt_up))
    down = -tilt_down * cut - np.log1p(high * np.expm1(-tilt_down))
    return up, down, tilt_up, tilt_down


@dataclass(frozen=True)
class PrivateMinError:
    """Paper 002, Algorithm 2 (for its Lemma 4.5), with its branch the right way round.

    Parameters
    ----------
    samples_per_user : int
    steps : int >= 0
        Comparisons, T in the paper. With none, the answer is "in [0, 1]", for free.
    gap : Fraction in (0, 1)
        The tolerance of each comparison, alpha/2 in Lemma C.1.
    epsilon : Fraction
        Of all comparisons together: each one gets ``epsilon / steps``.
    share : Fraction in (0, 1)
        Of `PrivateCompare`.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP by composition.

    *Accuracy.* If no comparison errs, the best error lies in [l, r + gap], where r = l + 2**-steps
    (after a 1, eta > midpoint = l; after a 0, eta < midpoint + gap = r + gap). While none errs,
    [l, r] is one of the dyadic intervals with l < eta < r + gap, of which there are at most
    ``ceil(1 + gap / (r - l))``: `weight` counts their midpoints. This union is needed because
    the midpoints depend on the data; the paper applies its bound as if they were fixed.

    *Deviation from the paper.* As printed, the search goes to the wrong half; see `branch`.

    Examples
    --------
    >>> search = PrivateMinError(16, 3, Fraction(1, 20), Fraction(1), Fraction(1, 2))
    >>> search.weight, search.answers
    (5, 2)
    """

    samples_per_user: int
    steps: int
    gap: Fraction
    epsilon: Fraction
    share: Fraction

    name = "binary"

    def compare(self, midpoint: Fraction) -> PrivateCompare:
        """Return the comparison with a midpoint."""
        return PrivateCompare(
            self.samples_per_user, midpoint, self.gap, self.epsilon / self.steps, self.share
        )

    @staticmethod
    def branch(bit: int, low: Fraction, middle: Fraction, high: Fraction) -> tuple[Fraction, ...]:
        """Return the half to go on with: the lower one after "below" (0).

        Algorithm 2 as printed does the opposite: an exact comparator with eta = 0.05 then ends at
        0.97.
        """
        return (middle, high) if bit else (low, middle)

    def locate(self, errors: UserErrors, n: int, source: Source) -> tuple[Fraction, Fraction]:
        """Return the interval [l, min(1, r + gap)] for the best error of the class.

        Parameters
        ----------
        errors : UserErrors
        n : int
            Number of users (public).
        source : Source
        """
        # Algorithm 2: l and r; its loop; epsilon' = epsilon/T is shared out in `compare`.
        low, high = Fraction(0), Fraction(1)
        for _ in range(self.steps):
            middle = (low + high) / 2
            bit = self._known[middle].decide(errors, n, source)
            low, high = self.branch(bit, low, middle, high)
        return low, min(Fraction(1), high + self.gap)

    @cached_property
    def comparisons(self) -> tuple[PrivateCompare, ...]:
        """All comparisons that may take place and are not trivial."""
        return tuple(one for one in self._known.values() if not one.trivial)

    @cached_property
    def _known(self) -> dict[Fraction, PrivateCompare]:
        size = 2**self.steps
        return {Fraction(j, size): self.compare(Fraction(j, size)) for j in range(1, size)}

    @cached_property
    def intervals(self) -> list[tuple[Fraction, Fraction]]:
        """All intervals that may be the answer."""
        width = Fraction(1, 2**self.steps)
        lows = [j * width for j in range(2**self.steps)]
        return [(low, min(Fraction(1), low + width + self.gap)) for low in lows]

    @property
    def weight(self) -> int:
        """How many midpoints can be met as long as no comparison errs: their failures add up."""
        return sum(self._near(k) for k in range(self.steps))

    @property
    def answers(self) -> int:
        """How many intervals can be the answer if no comparison errs."""
        return self._near(self.steps)

    def _near(self, level: int) -> int:
        return min(1 << level, math.ceil(1 + self.gap * (1 << level)))


@dataclass(frozen=True)
class BinarySearchPlan(Plan):
    """A binary search for the best error, then the exponential mechanism on user-level errors.

    Attributes
    ----------
    representation : Representation
        The class itself, or one that is within ``alpha1`` of each concept except with probability
        ``beta1``.
    search : PrivateMinError
        With its part of the privacy budget.
    epsilon : Fraction
        What is left for the choice.
    alpha, beta : Fraction
    vc_dim : int or None
        Of the candidates; needed with ghosts.
    ghosts : int
        0: failures are added over all candidates. Else over patterns, with this number of
        ghosts for each record.
    tilt : Fraction
        In (0, 1]: the part of the largest tilt that certifies the choice.
    """

    representation: Representation
    search: PrivateMinError
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    vc_dim: int | None = None
    ghosts: int = 0
    tilt: Fraction = Fraction(1)

    unit = "users"
    method = "binary-search"

    @property
    def excess(self) -> Fraction:
        """How much worse than the best candidate a hypothesis may be."""
        return self.alpha - self.representation.alpha

    @property
    def _certified(self) -> Fraction:
        """The excess that the choice is certified with: ghosts dilute a bad hypothesis' errors."""
        return self.excess - Fraction(2, self.ghosts + 1) if self.ghosts else self.excess

    def t(self, low: Fraction, high: Fraction) -> int:
        """Return the t that separates best when the least error lies in [low, high]."""
        m = self.search.samples_per_user
        return int(separate_within(m, float(low), float(high), float(self._certified))[0][0])

    def choose(self, users: UserSample, source: Source) -> Hypothesis:
        """Return a hypothesis; at most ``samples_per_user`` records of each user are given."""
        hypotheses = self.representation.drawn(source)
        errors = errors_by_user(hypotheses, users, self.search.samples_per_user)
        # Theorem 4.6: eta by Lemma 4.5, from it t, then the exponential mechanism on err_z^t.
        low, high = self.search.locate(errors, users.n_users, source)
        return errors.draw(self.t(low, high), self.epsilon / 2, source)

    @cached_property
    def required(self) -> int:
        """The least number of users from which on the certificate holds."""
        wanted = _Wanted(self.representation, self.search.samples_per_user, self.beta, self.vc_dim)
        guess = _users(self, wanted)
        known = math.ceil(guess) if guess < _FLOAT_EXACT else None
        return least_required(self.certificate, guess=known, beta=self.beta)

    @cached
    def certificate(self, n: int) -> Certificate:
        """Return what is certified for n users: Theorem 4.6 with our constants."""
        cert = CertificateBuilder()
        patterns = self._patterns(cert, n)
        failures = {
            "search": self._search(cert, n, patterns),
            "choice": self._choice(cert, n, patterns),
        }
        failure = cert.step(
            "failure",
            "search + choice + beta1",
            SELECT,
            beta1=self.representation.beta,
            **failures,
        )
        cert.step("enough", "failure <= beta", SELECT, failure=failure, beta=self.beta)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n, unit="users")

    def _patterns(self, cert: CertificateBuilder, n: int) -> Step:
        """Write what the union over hypotheses costs: all of them, or their patterns."""
        if not self.ghosts:
            size = self.representation.size
            return cert.step("patterns", "log(max(size - 1, 1))", COMPARE, size=size)
        assert self.vc_dim is not None
        return cert.step(
            "patterns",
            "log(2*growth(vc_dim, (ghosts + 1)*n*m)) + (m - 1)/(2*ghosts)",
            COMPARE,
            vc_dim=self.vc_dim,
            ghosts=self.ghosts,
            n=n,
            m=self.search.samples_per_user,
        )

    def _search(self, cert: CertificateBuilder, n: int, patterns: Step) -> Step:
        """Bound the failure of the search: all comparisons, each like the worst one."""
        search = self.search
        if not search.comparisons:
            return cert.step("search", "0*n", COMPARE, n=n)
        shown: dict[str, Step] = {}
        for side, index, tilt in _least_favourable(search, self.ghosts):
            compare, m = search.comparisons[index], search.samples_per_user
            error = compare.midpoint if side == "below" else compare.midpoint + compare.gap
            if side == "above" and self.ghosts:
                error -= Fraction(2, self.ghosts + 1)
            p = cert.step(
                f"p_{side}", "binomial_above(m, error, t)", COMPARE, m=m, error=error, t=compare.t
            )
            cert.step(
                f"tilt_{side}", "tilt <= epsilon", COMPARE, tilt=tilt, epsilon=compare.epsilon
            )
            formula = (
                "tilt*cut - log(1 + p*(exp(tilt) - 1))"
                if side == "below"
                else "-tilt*cut - log(1 - p*(1 - exp(-tilt)))"
            )
            name = f"rate_{side}"
            shown[side] = cert.step(name, formula, COMPARE, tilt=tilt, cut=compare.cut, p=p)
        many = "patterns" if self.ghosts else "log(size)"
        inputs = {"patterns": patterns} if self.ghosts else {"size": self.representation.size}
        return cert.step(
            "search",
            f"weight*(min(1, exp(-n*below)) + min(1, exp({many} - n*above)))",
            COMPARE,
            weight=search.weight,
            n=n,
            **inputs,
            **shown,
        )

    def _choice(self, cert: CertificateBuilder, n: int, patterns: Step) -> Step:
        """Bound the choice of a bad hypothesis after one of the answers that may be right."""
        gap = gap_steps(cert, self.search, self._certified, SELECT)
        if self.ghosts:
            tilt = cert.step(
                "tilt", "share*epsilon/2", SELECT, share=self.tilt, epsilon=self.epsilon
            )
        else:
            tilt = cert.step(
                "tilt", "min(epsilon/2, atanh(gap))", SELECT, epsilon=self.epsilon, gap=gap
            )
        decay = cert.step("decay", "-log(cosh(tilt) - gap*sinh(tilt))", SELECT, gap=gap, tilt=tilt)
        if not self.ghosts:
            return cert.step(
                "choice",
                "min(1, answers*exp(patterns - n*decay))",
                SELECT,
                answers=self.search.answers,
                patterns=patterns,
                n=n,
                decay=decay,
            )
        return cert.step(
            "choice",
            "min(1, answers*exp(share*log(max(size - 1, 1)) + patterns/2 - n*decay))",
            SELECT,
            answers=self.search.answers,
            share=self.tilt,
            size=self.representation.size,
            patterns=patterns,
            n=n,
            decay=decay,
        )


def gap_steps(
    cert: CertificateBuilder, search: PrivateMinError, excess: Fraction, source: str
) -> Step:
    """Write how well t separates errors after the worst answer of a search, at both its ends.

    Parameters
    ----------
    cert : CertificateBuilder
        Gets three steps: both ends, and the smaller one, "gap", which is returned.
    search : PrivateMinError
    excess : Fraction
        How much worse than the best error a bad hypothesis is.
    source : str
        The claim that uses it.
    """
    worst, t, _ = worst_gap(search, excess)
    parts = {}
    for name, end in zip(("low", "high"), search.intervals[worst], strict=True):
        error = min(end, 1 - excess)
        sure = error + excess >= 1
        parts[name] = cert.step(
            f"gap_{name}",
            ("1" if sure else "binomial_above(m, error + excess, t)")
            + " - binomial_above(m, error, t)",
            source,
            m=search.samples_per_user,
            error=error,
            t=t,
            **({} if sure else {"excess": excess}),
        )
    return cert.step("gap", "min(low, high)", source, **parts)


def probabilities(search: PrivateMinError) -> tuple[Floats, Floats]:
    """Return the two probabilities of every comparison of a search."""
    return _probabilities(replace(search, epsilon=Fraction(1)))


@lru_cache(maxsize=1024)
def _probabilities(search: PrivateMinError) -> tuple[Floats, Floats]:
    middle = np.array([float(one.midpoint) for one in search.comparisons])
    far, m = middle + float(search.gap), search.samples_per_user
    t = crossing(m, middle, far)
    return tail(m, middle, t), tail(m, far, t)


def worst_gap(search: PrivateMinError, excess: Fraction) -> tuple[int, int, float]:
    """Return the least favourable answer of a search, its t, and how well that separates."""
    return _worst_gap(replace(search, epsilon=Fraction(1)), excess)  # epsilon plays no part


@lru_cache(maxsize=4096)
def _worst_gap(search: PrivateMinError, excess: Fraction) -> tuple[int, int, float]:
    low = [float(low) for low, _ in search.intervals]
    high = [float(high) for _, high in search.intervals]
    t, least = separate_within(search.samples_per_user, low, high, float(excess))
    worst = int(np.argmin(least))
    return worst, int(t[worst]), float(least[worst])


@lru_cache(maxsize=256)
def _least_favourable(search: PrivateMinError, ghosts: int) -> list[tuple[str, int, Fraction]]:
    """Return, for both sides, the comparison that fails most easily, and a good tilt for it."""
    low, high = probabilities(search)
    cuts = cut_between(low, high, float(search.share))
    epsilon = search.comparisons[0].epsilon
    up, down, *tilts = rates(cuts, low, _diluted(search, ghosts), float(epsilon))
    out = []
    for side, rate, tilt in zip(("below", "above"), (up, down), tilts, strict=True):
        worst = int(np.argmin(rate))
        exact = Fraction(float(tilt[worst])).limit_denominator(2**40)
        out.append((side, worst, min(exact, epsilon)))
    return out


def _diluted(search: PrivateMinError, ghosts: int) -> Floats:
    """Return the probabilities of a bad hypothesis, with its errors diluted among the ghosts."""
    less = 2 / (ghosts + 1) if ghosts else 0.0
    t = np.array([one.t for one in search.comparisons])
    far = np.array([float(one.midpoint + one.gap) for one in search.comparisons])
    return tail(search.samples_per_user, far - less, t)


@dataclass(frozen=True)
class _Wanted:
    """What a union over hypotheses costs, in floats."""

    representation: Representation
    m: int
    beta: Fraction
    vc_dim: int | None

    @cached_property
    def log_size(self) -> float:
        return log_of(max(self.representation.size - 1, 1))

    @cached_property
    def log_beta(self) -> float:
        return log_of(self.beta - self.representation.beta)

    def patterns(self, ghosts: int, n: float) -> float:
        if not ghosts:
            return self.log_size
        many = log_growth(self.vc_dim or 0, (ghosts + 1) * n * self.m)
        return math.log(2) + many + (self.m - 1) / (2 * ghosts)

    def choice(self, plan: BinarySearchPlan, gap: float, n: float) -> tuple[float, float]:
        """Return the cost of the choice in units of beta, and its decay per user."""
        start = math.log(plan.search.answers) - self.log_beta
        if not plan.ghosts:
            tilt = min(float(plan.epsilon) / 2, math.atanh(min(gap, 1 - 1e-12)))
            return start + self.log_size, _decay(gap, tilt)
        cost = start + self.patterns(plan.ghosts, n) / 2 + float(plan.tilt) * self.log_size
        return cost, _decay(gap, float(plan.tilt * plan.epsilon) / 2)


def _decay(gap: float, tilt: float) -> float:
    if tilt > _STEEP:  # the decay is negative
        return -math.inf
    return -math.log1p(2 * math.sinh(tilt / 2) ** 2 - gap * math.sinh(tilt))


def _users(plan: BinarySearchPlan, wanted: _Wanted) -> float:
    """Return about the least n of a plan."""
    search = plan.search
    gap = worst_gap(search, plan._certified)[2]
    n = 1e4
    for _ in range(3):
        terms = [wanted.choice(plan, gap, n)]
        if search.comparisons:
            visits = math.log(max(search.weight, 1)) - wanted.log_beta
            low, high = probabilities(search)
            cuts = cut_between(low, high, float(search.share))
            epsilon = float(search.comparisons[0].epsilon)
            up, down, _, _ = rates(cuts, low, _diluted(search, plan.ghosts), epsilon)
            above = visits + wanted.patterns(plan.ghosts, n)
            terms += [(visits, float(up.min())), (above, float(down.min()))]
        n = _least_sum(terms)
        if not plan.ghosts or n == math.inf:
            break
    return n


@lru_cache(maxsize=128)
def plan_binary_search(
    representation: Representation,
    samples_per_user: int,
    *,
    epsilon: Fraction,
    alpha: Fraction,
    beta: Fraction,
    vc_dim: int | None = None,
) -> BinarySearchPlan:
    """Return the search, and the split of epsilon, with the fewest users.

    Parameters
    ----------
    representation : Representation
    samples_per_user : int
    epsilon, alpha, beta : Fraction
    vc_dim : int, optional
        Of the candidates.
    """
    m, wanted = samples_per_user, _Wanted(representation, samples_per_user, beta, vc_dim)
    kinds = [(0, Fraction(1))]
    if vc_dim is not None and wanted.log_size > vc_dim:
        ghosts = math.ceil(16 / (alpha - representation.alpha))
        kinds += [(ghosts, Fraction(tilt).limit_denominator(100)) for tilt in _TILTS]
    best, found = math.inf, None
    for search in searches(m, epsilon):
        shares = _SHARES if search.comparisons else [Fraction(0)]
        for share in shares:
            spent = replace(search, epsilon=epsilon * share)
            for ghosts, tilt in kinds:
                plan = BinarySearchPlan(
                    representation, spent, epsilon - spent.epsilon, alpha, beta, vc_dim, ghosts,
                    tilt,
                )  # fmt: skip
                gap = worst_gap(search, plan._certified)[2]
                if gap <= 1e-12:
                    continue
                cost, decay = wanted.choice(plan, gap, min(best, 1e9))
                if decay <= 0 or cost >= best * decay:  # the choice alone needs as many
                    continue
                cut, users = _best_cut(spent, ghosts, wanted, choice=(cost, decay), limit=best)
                if users < best:
                    best = users
                    found = replace(plan, search=replace(spent, share=cut))
    assert found is not None
    return found


def searches(m: int, epsilon: Fraction) -> Iterator[PrivateMinError]:
    """Yield searches of all useful resolutions: a few per standard deviation of a user's share.

    Examples
    --------
    >>> len(list(searches(16, Fraction(1))))
    21
    """
    yield PrivateMinError(m, 0, Fraction(1, 2), epsilon, _HALF)  # m = 1: one t fits all
    fine = 4 * math.sqrt(m)
    for steps in range(1, min(math.ceil(math.log2(fine)) + 1, _MOST_STEPS) + 1):
        for quarters in (2, 4, 8, 12):
            yield PrivateMinError(m, steps, Fraction(quarters, 4 * 2**steps), epsilon, _HALF)


def _best_cut(
    search: PrivateMinError,
    ghosts: int,
    wanted: _Wanted,
    *,
    choice: tuple[float, float],
    limit: float,
) -> tuple[Fraction, float]:
    """Return where the cuts lie best between the two probabilities, and the users needed.

    The failures fall like e**(below - n up), e**(above - n down) and e**(choice - n decay), in
    units of beta; up grows with the cut as down falls. So where both alone need ``limit`` users
    nothing better is found, and the users are inf.
    """
    if not search.comparisons:
        return _HALF, choice[0] / choice[1]
    pair, far = probabilities(search), _diluted(search, ghosts)
    epsilon = float(search.comparisons[0].epsilon)
    below = math.log(max(search.weight, 1)) - wanted.log_beta
    above = below + wanted.patterns(ghosts, min(limit, 1e9))

    @cache
    def needed(share: int) -> tuple[float, float, float]:
        up, down, _, _ = rates(cut_between(*pair, share / _CUTS), pair[0], far, epsilon)
        first, second = (below, float(up.min())), (above, float(down.min()))
        alone = [start / max(rate, 1e-300) for start, rate in (first, second)]
        return alone[0], alone[1], _least_sum([first, second, choice])

    low, high = 1, _CUTS - 1
    while high - low > 1:
        middle = (low + high) // 2
        first, second, _ = needed(middle)
        if min(first, second) >= limit:
            return _HALF, math.inf
        low, high = (middle, high) if first > second else (low, middle)
    users, share = min((needed(share)[2], share) for share in (low, high))
    for step in (-1, 1):  # the choice plays a part, too: it is near, not just here
        while 0 < share + step < _CUTS and needed(share + step)[2] < users:
            share += step
            users = needed(share)[2]
    return Fraction(share, _CUTS), users


def _least_sum(terms: list[tuple[float, float]]) -> float:
    """Return about the least n with the sum of e**(start - n * rate) <= 1.

    The logarithm of the sum is convex: from the left, Newton's method comes near and never beyond.
    """
    if any(rate <= 0 for _, rate in terms):
        return math.inf
    n = max(start / rate for start, rate in terms)
    for _ in range(50):
        parts = [(math.exp(start - n * rate), rate) for start, rate in terms]
        total = sum(part for part, _ in parts)
        step = math.log(total) * total / sum(part * rate for part, rate in parts)
        n += step
        if step <= 1e-9 * n:
            break
    return max(n, 1.0)
