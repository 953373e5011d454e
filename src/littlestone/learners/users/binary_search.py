"""A binary search for the best error, then a choice: paper 002, Theorem 4.6.

`BinarySearchPlan` searches by `PrivateMinError`, then runs the exponential mechanism on user-level
errors, with the certificate and the split of epsilon.
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
from littlestone.bounds.bound import Bound
from littlestone.bounds.search import log_of
from littlestone.learners.base import Plan, cached, least_required
from littlestone.learners.users.binomials import crossing, separate_within, tail
from littlestone.learners.users.claims import COMPARE, SELECT
from littlestone.learners.users.min_error import PrivateMinError, cut_between, rates
from littlestone.learners.users.scores import errors_by_user

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Step
    from littlestone.classes import Representation
    from littlestone.data import UserSample
    from littlestone.source import Source
    from littlestone.types import Hypothesis


Floats = npt.NDArray[np.float64]
_STEEP = 60.0  # a tilt beyond this gains nothing
_HALF = Fraction(1, 2)
_SHARES = [Fraction(j, 20) for j in range(1, 17)]  # of epsilon, for the search
_CUTS = 64
_FLOAT_EXACT = 2**53
_MOST_STEPS = 10
_TILTS = (1.0, 0.7, 0.5, 0.35, 0.25, 0.15, 0.1, 0.05, 0.02)  # parts of the largest tilt


#: What the union over hypotheses costs: all of them, or with ghosts their patterns.
_PATTERNS = (
    Bound((("patterns", "log(max(size - 1, 1))", COMPARE),)),
    Bound((("patterns", "log(2*growth(vc_dim, (ghosts + 1)*n*m)) + (m - 1)/(2*ghosts)", COMPARE),)),
)
_DECAY = ("decay", "-log(cosh(tilt) - gap*sinh(tilt))", SELECT)
#: The choice of a bad hypothesis after one of the answers that may be right, without and with them.
_CHOICE = (
    Bound((
        ("tilt", "min(epsilon/2, atanh(gap))", SELECT),
        _DECAY,
        ("choice", "min(1, answers*exp(patterns - n*decay))", SELECT),
    )),
    Bound((
        ("tilt", "share*epsilon/2", SELECT),
        _DECAY,
        ("choice", "min(1, answers*exp(share*log(max(size - 1, 1)) + patterns/2 - n*decay))",
         SELECT),
    )),
)  # fmt: skip
#: How fast a comparison's failure falls, below and above its cut.
_RATES = {
    "below": "tilt*cut - log(1 + p*(exp(tilt) - 1))",
    "above": "-tilt*cut - log(1 - p*(1 - exp(-tilt)))",
}


@dataclass(frozen=True)
class BinarySearchPlan(Plan):
    """A binary search for the best error, then the exponential mechanism on user-level errors."""

    #: The class itself, or one that is within ``alpha1`` of each concept except with probability
    #: ``beta1``.
    representation: Representation
    search: PrivateMinError  # with its part of the privacy budget
    epsilon: Fraction  # what is left for the choice
    alpha: Fraction
    beta: Fraction
    vc_dim: int | None = None  # of the candidates; needed with ghosts
    #: 0: failures are added over all candidates. Else over patterns, with this number of ghosts
    #: for each record.
    ghosts: int = 0
    #: In (0, 1]: the part of the largest tilt that certifies the choice.
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
        hypotheses = self.representation.drawn(source)  # H ~ P
        errors = errors_by_user(hypotheses, users, self.search.samples_per_user)
        # Proof of Theorem 4.6: eta by Lemma 4.5, from it t, then the exponential mechanism over H
        # on err_z^t; on the class itself this is the paper's q with s = 0 (docs/learners/users.md).
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
        cert = CertificateBuilder(
            n=n, m=self.search.samples_per_user, size=self.representation.size, beta=self.beta,
            ghosts=self.ghosts, beta1=self.representation.beta,
        )  # fmt: skip
        _PATTERNS[self.ghosts > 0].write(cert, vc_dim=self.vc_dim)
        self._search(cert)
        gap_steps(cert, self.search, self._certified, SELECT)
        _CHOICE[self.ghosts > 0].write(
            cert, epsilon=self.epsilon, share=self.tilt, answers=self.search.answers
        )
        cert.step("failure", "search + choice + beta1", SELECT)
        cert.step("enough", "failure <= beta", SELECT)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n, unit="users")

    def _search(self, cert: CertificateBuilder) -> Step:
        """Bound the failure of the search: all comparisons, each like the worst one."""
        search = self.search
        if not search.comparisons:
            return cert.step("search", "0*n", COMPARE)
        shown: dict[str, Step] = {}
        for side, index, tilt in _least_favourable(search, self.ghosts):
            compare, _m = search.comparisons[index], search.samples_per_user
            error = compare.midpoint if side == "below" else compare.midpoint + compare.gap
            if side == "above" and self.ghosts:
                error -= Fraction(2, self.ghosts + 1)
            name = f"_{side}"
            p = cert.step(
                f"p{name}", "binomial_above(m, error, t)", COMPARE, error=error, t=compare.t
            )
            cert.step(f"tilt{name}", "tilt <= epsilon", COMPARE, tilt=tilt, epsilon=compare.epsilon)
            shown[side] = cert.step(
                f"rate{name}", _RATES[side], COMPARE, tilt=tilt, cut=compare.cut, p=p
            )
        many = "patterns" if self.ghosts else "log(size)"
        return cert.step(
            "search",
            f"weight*(min(1, exp(-n*below)) + min(1, exp({many} - n*above)))",
            COMPARE,
            weight=search.weight,
            **shown,
        )


def gap_steps(
    cert: CertificateBuilder, search: PrivateMinError, excess: Fraction, source: str
) -> Step:
    """Write how well t separates errors after the worst answer of a search, at both its ends.

    ``cert``: gets three steps: both ends, and the smaller one, "gap", which is returned;
    ``excess``: how much worse than the best error a bad hypothesis is; ``source``: the claim that
    uses it.
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
        known = {"vc_dim": self.vc_dim or 0, "ghosts": ghosts, "m": self.m}
        found = _PATTERNS[ghosts > 0].floats(
            "patterns", size=self.representation.size, n=n, **known
        )
        return float(found)

    def choice(self, plan: BinarySearchPlan, gap: float, n: float) -> tuple[float, float]:
        """Return the cost of the choice in units of beta, and its decay per user."""
        cost = math.log(plan.search.answers) - self.log_beta
        cost += self.patterns(plan.ghosts, n) / (2 if plan.ghosts else 1)
        cost += float(plan.tilt) * self.log_size if plan.ghosts else 0.0
        if plan.ghosts and plan.tilt * plan.epsilon > 2 * _STEEP:  # the decay is negative
            return cost, -math.inf
        known = {"epsilon": plan.epsilon, "share": plan.tilt, "gap": min(gap, 1 - 1e-12)}
        return cost, float(_CHOICE[plan.ghosts > 0].floats("decay", **known))


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

    ``vc_dim``: of the candidates.
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
