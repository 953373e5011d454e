"""Representations: few candidates for infinite domains, and which of them needs the fewest records.

A class whose concepts are small sets is represented by hashing the domain to R buckets and taking
the sets of *buckets*; the union of t independent copies is far from the target only if all copies
are. More buckets and copies mean nearer candidates, but more of them. R, t and the levels of the
certificate are found in floats, which only affects how good the numbers are.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from littlestone.bounds.certificate import (
    HOPELESS,
    Bound,
    Certificate,
    CertificateBuilder,
    least_n,
    least_point,
)
from littlestone.bounds.exponential import (
    Form,
    Goal,
    Structure,
    failure,
    forms,
    least,
    write,
)
from littlestone.bounds.tails import at_most_floats as at_most
from littlestone.bounds.tails import bias_for
from littlestone.errors import (
    UnsupportedError,
    check_fraction,
    check_probability,
    parameter_error,
)

#: The largest sets that are represented by hashing.
LARGEST_SET = 500
#: Layers of the certificate: more would save about 2 % of the records.
CUTS = 6
MOST_COPIES = 12
MOST_BUCKETS = 2**40

SOURCE = "representation.hashing"


#: Realizable, agnostic: the best tilt; what is kept of a bad candidate's weight, for each record.
_LAYERS = (
    ("min(epsilon/2, log(alpha/cut)/2)", "1 - alpha*(1 - exp(-tilt)) + cut*(exp(tilt) - 1)",
     "exp-mech.representation.realizable"),
    ("min(epsilon/2, atanh(alpha - cut))", "cosh(tilt) - (alpha - cut)*sinh(tilt)",
     "exp-mech.representation.agnostic"),
)  # fmt: skip
LAYERS = tuple(
    Bound((
        ("tilt", tilt, claim),
        ("fail", f"min(1, exp(log(size - 1) + n*log({kept})))", claim),
    ))
    for tilt, kept, claim in _LAYERS
)  # fmt: skip
DECAYS = tuple(
    Bound((("tilt", tilt, claim), ("decay", f"-log({kept})", claim)))
    for tilt, kept, claim in _LAYERS
)
OFF = Bound((("off", "min(1, collision/cut)**copies", SOURCE),))


@dataclass(frozen=True)
class HashFamily:
    """How a class is represented by hashing its domain to R buckets."""

    #: From R to the number of candidates of one copy, without the shared ones.
    candidates: Callable[[int], int]
    #: From R to a bound, for every concept and distribution, on the expected disagreement between
    #: the concept and the best candidate of one copy. It must fall at least like a constant over R.
    collision: Callable[[int], Fraction]
    shared: int = 1  # candidates that all copies have in common (the empty set)
    buckets: tuple[int, ...] = ()  # the R that are possible; empty: all


#: Single points (or none) of any domain: candidates "hash equals r", and the empty set.
POINTS = HashFamily(
    candidates=lambda buckets: buckets, collision=lambda buckets: Fraction(1, buckets)
)


@functools.cache
def sparse_sets(k: int) -> HashFamily:
    """Return the family for sets of at most k points: sets of at most k buckets.

    A point outside the target collides with one of its k points with probability at most k/R.
    """
    if k > LARGEST_SET:
        allowed = f"at most {LARGEST_SET} when its domain is hashed"
        raise parameter_error("sparse_sets", "k", allowed, k, "Use smaller sets.")

    def candidates(buckets: int) -> int:
        total, sets = 0, 1
        for i in range(min(k, buckets)):
            sets = sets * (buckets - i) // (i + 1)
            total += sets
        return total

    return HashFamily(candidates, lambda buckets: Fraction(k, buckets))


@dataclass(frozen=True)
class HashedRepresentation:
    """Public parameters of a representation, and what they certify."""

    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    agnostic: bool
    buckets: int  # R
    copies: int  # t
    size: int  # candidates in all
    collision: Fraction  # expected disagreement of one copy
    cuts: tuple[Fraction, ...]  # levels of disagreement at which the certificate's layers are cut
    guess: int = field(default=1, compare=False, repr=False)  # records, by floats

    def certificate(self, n: int) -> Certificate:
        r"""Return the certificate for n records.

        With a_1 < ... < a_J the cuts, F_j the failure probability when the best candidate is off
        by a_j, and E_j = (collision / a_j)**copies the probability that it is off by more, the
        total is F_1 + (F_2 - F_1) E_1 + ... + (1 - F_J) E_J.
        """
        known = {
            "n": n, "size": self.size, "epsilon": self.epsilon, "alpha": self.alpha,
            "beta": self.beta, "collision": self.collision, "copies": self.copies,
        }  # fmt: skip
        return layered(known, self.cuts, OFF, agnostic=self.agnostic, source=SOURCE)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate holds (it is monotone in n)."""
        return least_n(lambda n: self.certificate(n).holds, self.guess)


def layered(
    known: Mapping[str, Any],
    cuts: Sequence[Fraction],
    off: Bound,
    *,
    agnostic: bool,
    source: str,
    fail: Callable[[CertificateBuilder, int, Fraction], object] | None = None,
) -> Certificate:
    """Certify a choice whose best candidate is off by more than each cut with probability ``off``.

    Of ``known`` numbers n, size, epsilon, alpha and beta are needed, and those that ``off`` names.
    ``fail`` writes step ``fail_j`` of a cut, which must not be smaller than the one before.
    """
    cert = CertificateBuilder(**known)
    total = "fail_1"
    for j, cut in enumerate(cuts, 1):
        if j > 1:
            total += f" + (fail_{j} - fail_{j - 1})*off_{j - 1}"
        if fail is None:
            LAYERS[agnostic].write(cert, suffix=f"_{j}", cut=cut)
        else:
            fail(cert, j, cut)
        off.write(cert, suffix=f"_{j}", cut=cut)
    last = len(cuts)
    cert.step("failure", f"{total} + (1 - fail_{last})*off_{last}", source)
    cert.step("enough", "failure <= beta", source)
    return cert.certificate(alpha=known["alpha"], beta=known["beta"], n=known["n"])


def best_hashing(
    family: HashFamily,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    agnostic: bool = False,
) -> HashedRepresentation:
    """Return the representation that needs the fewest records: R, t and the cuts, cached.

    beta covers the hashing and the records together. Claim ``representation.hashing``.

    Examples
    --------
    >>> found = best_hashing(POINTS, epsilon=1, alpha=0.1, beta=0.05)
    >>> found.copies, found.required_samples() <= 280
    (3, True)
    """
    caller = "best_hashing"
    return _best(
        family,
        epsilon=check_fraction(caller, "epsilon", epsilon),
        alpha=check_probability(caller, "alpha", alpha),
        beta=check_probability(caller, "beta", beta),
        agnostic=bool(agnostic),
    )


@functools.lru_cache(maxsize=256)
def _best(
    family: HashFamily,
    *,
    epsilon: Fraction,
    alpha: Fraction,
    beta: Fraction,
    agnostic: bool,
) -> HashedRepresentation:
    search = _Search(family, float(epsilon), float(alpha), float(beta), agnostic)
    best: tuple[float, int, int, tuple[float, float]] | None = None
    worse = 0
    for copies in range(1, MOST_COPIES + 1):
        candidate = search.with_copies(copies)
        if best is None or candidate[0] < best[0]:
            best, worse = candidate, 0
        else:
            worse += 1
            if worse == 2:
                break
    assert best is not None
    n, buckets, copies, (low, high) = best
    if n >= HOPELESS and family.buckets:
        raise UnsupportedError(
            f"No hashing to at most {max(family.buckets):,} values reaches this alpha and beta. "
            "Raise them."
        )
    if n >= HOPELESS:
        raise parameter_error(
            "best_hashing", "family", "one that reaches alpha and beta", "this one", "Raise alpha."
        )
    return HashedRepresentation(
        epsilon,
        alpha,
        beta,
        agnostic,
        buckets,
        copies,
        family.candidates(buckets) * copies + family.shared,
        family.collision(buckets),
        tuple(short(cut) for cut in cuts_between(low, high)),
        guess=math.ceil(n),
    )


class _Search:
    """The same bound in floats, minimised: its result is a proposal, not a proof."""

    def __init__(
        self, family: HashFamily, epsilon: float, alpha: float, beta: float, agnostic: bool
    ) -> None:
        self.family, self.epsilon, self.alpha, self.beta = family, epsilon, alpha, beta
        self._decay = DECAYS[agnostic].function("decay", "cut", epsilon=epsilon, alpha=alpha)

    def with_copies(self, copies: int) -> tuple[float, int, int, tuple[float, float]]:
        """Return (n, buckets, copies, ends of the cuts) for one number of copies."""
        # A start that is in the right place: cuts well below alpha, escapes about beta.
        middle = self.alpha / 20
        if self.family.buckets:
            return min(self._with(buckets, copies) for buckets in self.family.buckets)
        start = math.log(2 * self._unit() / (middle * self.beta ** (1 / copies)))

        def value(x: Any) -> float:
            return self.records(math.exp(min(max(x[0], 0), 27)), copies, self._ends(x[1], x[2]))

        corner = least_point(value, [start, math.log(middle), math.log(4)])
        corner = least_point(value, corner, scale=0.2)
        ends = self._ends(corner[1], corner[2])
        near = math.exp(min(max(corner[0], 0), math.log(MOST_BUCKETS)))
        buckets = max(round(near), 1)
        return self.records(buckets, copies, ends), buckets, copies, ends

    def _with(self, buckets: int, copies: int) -> tuple[float, int, int, tuple[float, float]]:
        """Return the same for one number of buckets."""

        def value(x: Any) -> float:
            return self.records(buckets, copies, self._ends(x[0], x[1]))

        corner = least_point(value, [math.log(self.alpha / 20), math.log(4)])
        ends = self._ends(*least_point(value, corner, scale=0.2))
        return self.records(buckets, copies, ends), buckets, copies, ends

    def records(self, buckets: float, copies: int, ends: tuple[float, float]) -> float:
        """Return the (real) number of records at which the layered bound equals beta."""
        whole = max(round(buckets), 1)
        collision = float(self.family.collision(whole))
        log_bad = _log(self.family.candidates(whole) * copies + self.family.shared - 1)
        cuts = cuts_between(*ends)
        decays = [self._decay(cut) if cut < self.alpha else 0.0 for cut in cuts]
        off = [min(1.0, collision / cut) ** copies for cut in cuts]
        if off[-1] > self.beta or decays[0] <= 0:
            return HOPELESS

        # fail_1 + (fail_2 - fail_1) off_1 + ... + (1 - fail_J) off_J, summed by the fails
        weights = [before - after for before, after in itertools.pairwise([1.0, *off])]
        layers = list(zip(weights, decays, strict=True))

        return least_sum(layers, log_bad, self.beta - off[-1])

    def _ends(self, log_low: float, log_span: float) -> tuple[float, float]:
        low = min(math.exp(log_low), 0.5 * self.alpha)
        return low, min(low * math.exp(min(max(log_span, 0.1), 30)), 0.95 * self.alpha)

    def _unit(self) -> float:
        """Return R * collision(R) for large R."""
        return float(self.family.collision(2**20)) * 2**20


def least_sum(layers: list[tuple[float, float]], log_bad: float, most: float) -> float:
    """Return about the least n with the sum of weight * min(1, e**(log_bad - n * decay)) <= most.

    Newton's method for the logarithm of the sum, kept inside what is known of the answer.
    """
    if most <= 0:
        return HOPELESS
    n, low, high = max((log_bad - math.log(most)) / layers[0][1], 1.0), 0.0, math.inf
    for _ in range(100):
        total = falls = 0.0
        for weight, decay in layers:
            exponent = log_bad - n * decay
            if exponent > 0:
                total += weight
            else:
                part = weight * math.exp(exponent)
                total += part
                falls += part * decay
        low, high = (n, high) if total > most else (low, n)
        new = n + math.log(total / most) * total / falls if falls > 0 < total else math.inf
        if not low < new < high:
            new = (low + high) / 2 if high < math.inf else 2 * n
        new = min(new, 4 * n)
        if abs(new - n) <= 1e-6 * n or n > HOPELESS:
            break
        n = new
    return min(new, HOPELESS)


def cuts_between(low: float, high: float, number: int = CUTS) -> list[float]:
    """Return some cuts, equally far in their logarithms."""
    ratio = (high / low) ** (1 / (number - 1))
    return [low * ratio**j for j in range(number)]


def short(x: float) -> Fraction:
    """Return x with three digits: the cuts may be any numbers, so let them be readable."""
    return Fraction(f"{x:.3g}")


def _log(x: int) -> float:
    """Return ln(x) of an integer of any size (0 counts as 1)."""
    return math.log(x) if x > 1 else 0.0


# -- Public unlabelled points in the place of a domain: what they certify (semi-private learning).
#
# Of m public points one concept for each of their labellings is a candidate of the exponential
# mechanism. A best concept of the class is none of them; how far its representative is from it
# depends on the public points alone, and is bounded by a binomial tail for every distribution. The
# proofs are in ``docs/public.md``.
#
# Source of the setting: Alon, Bassily, Moran, Limits of private learning with access to public
# data, 2019. The constants are our own.


#: Layers of a certificate: twice as many would save about 1 % of the records; of one that uses the
#: structure of a class, where each layer takes longer, 2 %.
PUBLIC_LAYERS, STRUCTURED_LAYERS = 24, 8


PRIVACY = "public.privacy"
SLABS = "public.slabs"
SHIFT = "public.shift"


class PublicPoints(NamedTuple):
    """What is known of public points: Pr[mass(representative != concept) > a] by a binomial tail.

    With m = ``points`` and s = ``basis`` it is at most Pr[Bin(m, a) <= s - 1].

    Examples
    --------
    >>> round(PublicPoints(60, 2).off(0.06), 3)
    0.118
    >>> PublicPoints(100, 1).least(0.1, 0.05), PublicPoints(100, 7).least(0.1, 0.05)
    (29, 116)
    """

    points: int
    basis: int

    def off(self, mass: float) -> float:
        """Return the bound in floats."""
        return at_most(self.basis - 1, self.points, max(mass, 0.0))

    def certificate(self, *, beta: Fraction, shift: tuple[Fraction, Fraction]) -> Certificate:
        """Return a certificate of the least mass, to three digits, with probability 1 - beta.

        Examples
        --------
        >>> found = PublicPoints(400, 3).certificate(beta=Fraction(1, 20), shift=(1, 0))
        >>> found.alpha, found.holds
        (Fraction(157, 10000), True)
        """
        rho, tau = shift
        mass = (
            bias_for(self.basis - 1, self.points, float(beta)) if self.basis <= self.points else 1
        )
        alpha = rho * _short(mass, up=True) + tau
        if alpha >= 1:
            raise UnsupportedError(
                f"{self.points} public points are too few for {self.basis} of them: use more "
                "public points, or more bins."
            )
        same = rho == 1 and not tau
        cert = CertificateBuilder(
            n=self.points, s=self.basis, alpha=alpha, beta=beta, rho=rho, tau=tau
        )
        mass_of = "alpha" if same else "(alpha - tau)/rho"
        source = SLABS if same else SHIFT
        cert.step("off", f"1 - binomial_above(n, {mass_of}, s - 1)", source)
        cert.step("enough", "off <= beta", SLABS)
        return cert.certificate(alpha=alpha, beta=beta, n=self.points)

    def least(self, mass: float, beta: float) -> int:
        """Return how many points bring the bound below beta."""
        return least_n(lambda m: self._replace(points=m).off(mass) < beta)


def _short(x: float, *, up: bool = False) -> Fraction:
    """Return a number of three digits that is not above x, or above it."""
    scale = Fraction(10) ** (3 - math.ceil(math.log10(x)))
    return Fraction(math.floor(Fraction(x) * scale) + up) / scale


@dataclass(frozen=True)
class PublicBound:
    """How far the release over ``size`` candidates is from the best concept of the class.

    ``shift`` is (rho, tau): (1, 0) for public points of the same population.
    """

    size: int
    public: PublicPoints
    shift: tuple[Fraction, Fraction]
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    agnostic: bool
    #: Of the candidates; used for errors, not for other losses.
    structure: Structure = None

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records: layers over how far the representative is off."""
        (rho, tau), (points, basis) = self.shift, self.public
        same = rho == 1 and not tau
        mass, source = ("cut", SLABS) if same else ("max(0, (cut - tau)/rho)", SHIFT)
        tail = f"1 - binomial_above(m, {mass}, s - 1)"
        known = {
            "n": n, "size": self.size, "epsilon": self.epsilon, "alpha": self.alpha,
            "beta": self.beta, "m": points, "s": basis, "rho": rho, "tau": tau,
        }  # fmt: skip
        off = Bound((("off", tail, source),))
        fail = partial(self._fail, n) if self.structured else None
        return layered(known, self.cuts, off, agnostic=self.agnostic, source=SLABS, fail=fail)

    @property
    def structured(self) -> bool:
        """Whether the structure of the class replaces the union over the candidates."""
        return self.agnostic and self.structure is not None

    def _fail(self, n: int, cert: CertificateBuilder, j: int, cut: Fraction) -> None:
        form, goal = self.form(cut)
        last = write(cert.where(alpha1=cut), form, goal, n, suffix=f"_{j}")
        before = f"fail_{j - 1}" if j > 1 else "0"
        cert.step(f"fail_{j}", f"max({before}, min(1, failure_{j}))", last.source)

    def form(self, cut: Fraction) -> tuple[Form, Goal]:
        """Return what bounds the failure of a best candidate that is off by a cut."""
        goal = Goal(self.size, self.epsilon, self.alpha, self.beta, alpha1=cut)
        return list(forms(self.structure, goal))[_form_of(self)], goal

    def required_samples(self) -> int:
        """Return the least n from which on the certificate holds (it is monotone in n)."""
        return _required(self)

    @property
    def cuts(self) -> tuple[Fraction, ...]:
        """The levels of mass at which the layers are cut."""
        return _search(self)[1]

    def off(self, cut: float) -> float:
        """Return the probability that the representative is off by more, in floats."""
        rho, tau = map(float, self.shift)
        return self.public.off((cut - tau) / rho)


@lru_cache(maxsize=256)
def _required(bound: PublicBound) -> int:
    guess, cuts = _search(bound)
    if bound.structured:
        layers = [bound.form(cut) for cut in cuts]
        off = [min(bound.off(float(cut)), 1.0) for cut in cuts]

        def floats(n: int) -> float:
            fails = [min(failure(form, goal, n), 1.0) for form, goal in layers]
            return float(np.dot(fails, -np.diff([1.0, *off]))) + off[-1]

        guess = least_n(lambda n: floats(n) <= bound.beta, guess // 2, step=guess // 16 + 1)
    return least_n(lambda n: bound.certificate(n).holds, guess)


@lru_cache(maxsize=256)
def _form_of(bound: PublicBound) -> int:
    """Return which form needs the fewest records, where the representative is a little off."""
    goal = Goal(bound.size, bound.epsilon, bound.alpha, bound.beta, alpha1=bound.alpha / 10)
    needed = [least(form, goal) or inf for form in forms(bound.structure, goal)]
    return needed.index(min(needed))


@lru_cache(maxsize=256)
def _search(bound: PublicBound) -> tuple[int, tuple[Fraction, ...]]:
    """Return about how many records are needed, and with which cuts; or refuse."""
    alpha, beta = float(bound.alpha), float(bound.beta)
    rho, tau = map(float, bound.shift)
    if bound.off(0.999 * alpha) >= beta:
        message = f"{bound.public.points} public points cannot certify alpha = {alpha:g}"
        if tau >= alpha:
            raise UnsupportedError(f"{message}: tau must be smaller than alpha.")
        least = bound.public.least((0.99 * alpha - tau) / rho, beta)
        raise UnsupportedError(
            f"{message} and beta = {beta:g}, however many records there are: about {least} are "
            "needed, and three times as many are plenty (of a schema more bins help, too). Raise "
            "alpha, or restrict the certificate to the best candidate (shift=None)."
        )
    decay = DECAYS[bound.agnostic].function("decay", "cut", epsilon=bound.epsilon, alpha=alpha)
    log_bad = math.log(bound.size - 1) if bound.size > 1 else 0.0
    count = STRUCTURED_LAYERS if bound.structured else PUBLIC_LAYERS

    def cuts_at(x: Sequence[float]) -> list[float]:
        part, span = (1 / (1 + math.exp(-min(max(t, -30.0), 30.0))) for t in x)
        high = tau + (0.999 * alpha - tau) * part
        low = max(tau, high * 1e-3)
        low += (high - low) * span
        return [low + (high - low) * j / (count - 1) for j in range(count)]

    def records(x: Sequence[float]) -> float:
        cuts = cuts_at(x)
        off = [min(bound.off(cut), 1.0) for cut in cuts]
        if off[-1] >= beta or decay(cuts[-1]) <= 0:
            return HOPELESS
        layers = [
            (before - after, decay(cut))
            for before, after, cut in zip([1.0, *off], off, cuts, strict=False)
        ]
        return math.log(least_sum(layers, log_bad, beta - off[-1]))

    starts = ((t, 0.0) for t in (-1.0, 0.5, 2.0, 4.0, 6.0))
    best = least_point(records, min(starts, key=records))
    best = least_point(records, best, scale=0.2)
    return math.ceil(math.exp(records(best))), tuple(map(_short, cuts_at(best)))
