"""Public unlabelled points in the place of a domain: what they certify (semi-private learning).

Of m public points one concept for each of their labellings is a candidate of the exponential
mechanism. A best concept of the class is none of them; how far its representative is from it
depends on the public points alone, and is bounded by a binomial tail for every distribution. The
proofs are in ``docs/public.md``.

Source of the setting: Alon, Bassily, Moran, Limits of private learning with access to public data,
2019. The constants are our own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import inf
from typing import NamedTuple

import numpy as np

from littlestone.bounds.bound import Bound
from littlestone.bounds.certificate import Certificate, CertificateBuilder
from littlestone.bounds.excess import Form, Goal, Structure, failure, forms, least, write
from littlestone.bounds.representations import DECAYS, layered, least_sum
from littlestone.bounds.search import HOPELESS, least_n, least_point
from littlestone.bounds.tails import at_most, bias_for
from littlestone.errors import UnsupportedError

#: Layers of a certificate: twice as many would save about 1 % of the records; of one that uses the
#: structure of a class, where each layer takes longer, 2 %.
LAYERS, STRUCTURED_LAYERS = 24, 8


PRIVACY = "public.privacy"
SLABS = "public.slabs"
PLANES = "public.planes"
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
    claim: str = SLABS

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
        source = self.claim if same else SHIFT
        cert.step("off", f"1 - binomial_above(n, {mass_of}, s - 1)", source)
        cert.step("enough", "off <= beta", self.claim)
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
        (rho, tau), (points, basis, claim) = self.shift, self.public
        same = rho == 1 and not tau
        mass, source = ("cut", claim) if same else ("max(0, (cut - tau)/rho)", SHIFT)
        tail = f"1 - binomial_above(m, {mass}, s - 1)"
        known = {
            "n": n, "size": self.size, "epsilon": self.epsilon, "alpha": self.alpha,
            "beta": self.beta, "m": points, "s": basis, "rho": rho, "tau": tau,
        }  # fmt: skip
        off = Bound((("off", tail, source),))
        fail = partial(self._fail, n) if self.structured else None
        return layered(known, self.cuts, off, agnostic=self.agnostic, source=claim, fail=fail)

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
    count = STRUCTURED_LAYERS if bound.structured else LAYERS

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
