"""A private count and intervals around it: a truncated geometric choice, no noise numbers.

The released count is count + Z clamped to [0, n], where Z is two-sided geometric. The magnitude
of Z is drawn by its binary digits, which are independent coins, so n may be 10**9 or 2**64.

The noise, ``Pr[z] ~ e**(-rate |z|)``, is there as a coin and as a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from statistics import NormalDist
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.bounds import Certificate, CertificateBuilder, Unit
from littlestone.bounds.certificate import CERTIFICATES, least_n
from littlestone.bounds.tails import lower_limit
from littlestone.errors import (
    DataError,
    InfeasibleError,
    ParameterError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.privacy import Concentrated, Loss, Pure
from littlestone.safe_io import read_exact
from littlestone.source import (
    Explicit,
    ExplicitWeights,
    Source,
    TabulatedWeights,
    ball,
    choose_several,
    exp,
    flip_several,
)
from littlestone.types import Json


@lru_cache(maxsize=1 << 14)
def coin_of(rate: Fraction, gap: int) -> ExplicitWeights:
    """Return the coin (no, yes) of ``gap + z >= 0``.

    Examples
    --------
    >>> coin_of(Fraction(1), 0).weights
    (1*e**(-1), 1)
    """
    both = 1 + exp(-rate)
    tail = exp(-rate * (gap + 1 if gap >= 0 else -gap))  # of the less likely side
    return ExplicitWeights(tail, both - tail) if gap >= 0 else ExplicitWeights(both - tail, tail)


def two_sided(rate: Fraction, source: Source) -> int:
    """Draw z exactly, by finitely many coins.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> two_sided(Fraction(100), SeededSource(0))
    0
    """
    sign = source.choose(_sign(rate))
    if sign == 0:
        return 0
    # given z != 0, the binary digits of |z| - 1 are independent coins; blocks of 2**digits
    digits = math.ceil(32 / rate).bit_length()
    size = 1
    while source.choose(_beyond(rate, 1 << digits)):
        size += 1 << digits
    size += sum(source.choose(_digit(rate, 1 << i)) << i for i in range(digits))
    return size if sign == 1 else -size


def several_two_sided(rate: Fraction, size: int, source: Source) -> npt.NDArray[np.int64]:
    """Draw independent ones, by the coins of `two_sided`; the rate is at least 2**-50.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> several_two_sided(Fraction(100), 3, SeededSource(0)).tolist()
    [0, 0, 0]
    """
    sign = choose_several(source, _sign(rate), size)
    drawn = np.flatnonzero(sign)
    digits = math.ceil(32 / rate).bit_length()
    sizes = np.ones(len(drawn), dtype=np.int64)
    going = np.arange(len(drawn))
    while len(going):
        going = going[choose_several(source, _beyond(rate, 1 << digits), len(going)) == 1]
        sizes[going] += 1 << digits
    for i in range(digits):
        sizes += choose_several(source, _digit(rate, 1 << i), len(drawn)) << i
    noise = np.zeros(size, dtype=np.int64)
    noise[drawn] = np.where(sign[drawn] == 1, sizes, -sizes)
    return noise


def truncated(rate: Fraction, n: int, source: Source) -> int:
    """Draw the two-sided geometric Z; a magnitude above n may be returned as any such one."""
    sign = source.choose(_sign(rate))
    if sign == 0:
        return 0
    digits = max(n - 1, 0).bit_length()
    beyond = 1 << digits  # >= n: then |Z| > n, and only the clamp matters
    magnitude = beyond
    if not source.choose(_beyond(rate, beyond)):
        # given |Z| - 1 < 2**digits, its digits are independent
        magnitude = sum(source.choose(_digit(rate, 1 << i)) << i for i in range(digits))
    return magnitude + 1 if sign == 1 else -magnitude - 1


@lru_cache(maxsize=256)
def _sign(rate: Fraction) -> ExplicitWeights:
    p = exp(-rate)
    return ExplicitWeights(1 - p, p, p)  # Pr[Z = 0] : Pr[Z > 0] : Pr[Z < 0]


@lru_cache(maxsize=256)
def _beyond(rate: Fraction, bound: int) -> ExplicitWeights:
    tail = exp(-rate * bound)  # Pr[|Z| - 1 >= bound | Z != 0]
    return ExplicitWeights(1 - tail, tail)


@lru_cache(maxsize=4096)
def _digit(rate: Fraction, value: int) -> ExplicitWeights:
    return ExplicitWeights(1, exp(-rate * value))


@dataclass(frozen=True)
class Estimate:
    """A released count, with an interval for the count of the data.

    The count of the data lies in [low, high] with probability at least 1 - beta, for every data
    set; both are computed from the released value and public parameters only.
    """

    value: int
    low: int
    high: int
    beta: Fraction
    epsilon: Fraction

    def to_dict(self) -> Json:
        """Return plain JSON; fractions as texts."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "beta": str(self.beta),
            "epsilon": str(self.epsilon),
        }


def private_count(
    count: int, n: int, *, epsilon: Any, source: Source, beta: Any = Fraction(1, 20)
) -> Estimate:
    """Return a private version of how many of n records have a property.

    The count in [0, n] is private, n public and of any size. With probability 1 - beta the interval
    holds the count; beta does not change what is released. `DataError` if the count is not an
    integer in [0, n], which is the caller's mistake.

    Notes
    -----
    *Guarantee.* Pure epsilon-DP when one record is replaced (the count moves by at most 1), and
    under add/remove if n stays a public bound. ``Pr[Z = z]`` is proportional to
    ``e**(-epsilon |z|)``, exactly; clamping to [0, n] is post-processing.

    *Cost.* At most ``2 + log2(n)`` coins.

    *Source.* Ghosh, Roughgarden and Sundararajan, STOC 2009 (the truncated geometric mechanism).
    The digits: ``e**(-epsilon * g)`` is a product over the binary digits of g.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> private_count(412, 1000, epsilon=1, source=SeededSource(4)).high - 412 < 10
    True
    """
    n = check_integer("private_count", "n", n, low=0)
    epsilon = check_fraction("private_count", "epsilon", epsilon)
    beta = check_probability("private_count", "beta", beta)
    if isinstance(count, bool) or int(count) != count or not 0 <= count <= n:
        raise DataError("The 'count' of private_count must be an integer between 0 and n.")
    value = min(n, max(0, int(count) + truncated(epsilon, n, source)))
    low, high = _around(value, n, epsilon, beta)
    return Estimate(value, low, high, beta, epsilon)


def noise_radius(*, epsilon: Any, beta: Any) -> int:
    """Return the least a with ``Pr[|Z| > a] <= beta``, decided exactly.

    That is ``2 p**(a+1) / (1 + p) <= beta`` with ``p = e**-epsilon``.

    Examples
    --------
    >>> noise_radius(epsilon=1, beta=0.05)
    3
    """
    epsilon = check_fraction("noise_radius", "epsilon", epsilon)
    beta = check_probability("noise_radius", "beta", beta)
    return _radius(epsilon, beta)


def _around(value: int, n: int, epsilon: Fraction, beta: Fraction) -> tuple[int, int]:
    # clamping moves the released value toward the count, never past it
    radius = noise_radius(epsilon=epsilon, beta=beta)
    return max(0, value - radius), min(n, value + radius)


@lru_cache(maxsize=256)
def _radius(epsilon: Fraction, beta: Fraction) -> int:
    allowed = beta * (1 + exp(-epsilon))
    return least_n(lambda a: (allowed - exp(-epsilon * (a + 1), times=2)).sign() >= 0, low=0)


# -- The discrete Gaussian, drawn exactly by finitely many coins, and what it costs.
#
# ``Pr[z] ~ e**(-z**2 / (2 v))`` on the integers. Independent noises of variances v_i on integers
# that a neighbour moves by at most a_i cost ``sum of a_i**2 / (2 v_i)`` of rho-zCDP (Canonne,
# Kamath and Steinke 2020, Theorem 14), also if the integers depend on each other.


Ints = npt.NDArray[np.int64]

_TABLED = 64  # variances, and numbers, up to which noise is one draw from a table
_DEVIATIONS = 8  # up to which distances of noise are distinguished there
_MANY = 16  # counts from which on their noise is drawn at once


def discrete_gaussian(variance: Fraction, source: Source) -> int:
    """Draw z exactly.

    Notes
    -----
    Canonne, Kamath and Steinke 2020, Algorithm 3: a two-sided geometric number is kept or drawn
    anew; it takes less than two attempts on average.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> abs(discrete_gaussian(Fraction(10**8), SeededSource(0))) < 60_000
    True
    """
    while True:
        z = attempt(variance, source)
        if z is not None:
            return z


def discrete_gaussians(variance: Fraction, size: int, source: Source) -> Ints:
    """Draw independent ones, each exactly as `discrete_gaussian` does; many at once are fast.

    The variance is at most ``2**100``.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> z = discrete_gaussians(Fraction(10**8), 1000, SeededSource(0))
    >>> bool(9_000 < z.std() < 11_000), abs(z.mean()) < 1_500
    (True, np.True_)
    """
    scale, double = math.isqrt(math.floor(variance)) + 1, float(variance)
    draws = np.zeros(0, dtype=np.int64)
    while len(draws) < size:
        left = size - len(draws)
        # some more, since not all are kept; of many the first ones are taken
        z = several_two_sided(Fraction(1, scale), left + (left > 1) * (left // 2 + 8), source)
        # |z| and v / scale are known to 2**-53 of themselves, and where |z| > 64 scale the chance
        # is below 2**-2000: so the doubles are within 2**-38 of the chances
        chances = np.exp(-((np.abs(z) - double / scale) ** 2) / (2 * double))
        kept = flip_several(source, chances, lambda i, z=z: KeptCoin(int(z[i]), variance, scale))  # type: ignore[misc]
        draws = np.concatenate([draws, z[kept]])[:size]
    return draws


def noisy(values: Ints, most: int, variance: Fraction, source: Source) -> Ints:
    """Return integers of [-most, most] with independent noise.

    Where both are small, they are moved to at most ``most`` and eight standard deviations from 0;
    so noise beyond that is one outcome of a finite draw.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> noisy(np.array([0, 5]), 5, Fraction(1, 4), SeededSource(1)).tolist()
    [0, 5]
    """
    if variance > _TABLED or most > _TABLED:
        return values + discrete_gaussians(variance, values.size, source).reshape(values.shape)
    far = math.isqrt(math.ceil(_DEVIATIONS**2 * variance)) + 1 + most
    reach = far + most
    z = choose_several(source, _tailed(variance, reach), values.size) - reach
    moved: Ints = np.clip(values + z.reshape(values.shape), -far, far)
    return moved


class _Tailed(TabulatedWeights):
    """The weights of z = -reach, ..., reach, where the ends stand for all that is beyond, too."""

    __slots__ = ("known", "reach", "variance")

    def __init__(self, variance: Fraction, reach: int) -> None:
        super().__init__()
        self.variance, self.reach = variance, reach
        self.known: dict[int, list[arb]] = {}

    def __len__(self) -> int:
        return 2 * self.reach + 1

    def enclose(self, bits: int) -> list[arb]:
        """Return the enclosures; of a tail the first terms, and what is at most left."""
        if bits in self.known:
            return self.known[bits]
        with ctx.workprec(bits):

            def weight(z: int) -> arb:
                return ball(Fraction(-(z**2)) / (2 * self.variance)).exp()

            inner = [weight(z) for z in range(self.reach)]
            tail, last = arb(0), self.reach
            while True:
                term = weight(last)
                # terms fall at least by the quotient of these two
                left = term / (1 - weight(last + 1) / term)
                if left < tail * arb(2) ** -bits:
                    break
                tail, last = tail + term, last + 1
            tail += left.union(arb(0))
        return self.known.setdefault(bits, [tail, *inner[:0:-1], *inner, tail])


@lru_cache(maxsize=64)
def _tailed(variance: Fraction, reach: int) -> _Tailed:
    return _Tailed(variance, reach)


def attempt(variance: Fraction, source: Source) -> int | None:
    """Return a number that is kept, or None; z is kept with chance ``c e**(-z**2 / (2 v))``."""
    scale = math.isqrt(math.floor(variance)) + 1
    z = two_sided(Fraction(1, scale), source)
    return z if source.choose(KeptCoin(z, variance, scale)) else None


class KeptCoin(ExplicitWeights):
    """The coin that keeps z: of a discrete Gaussian of a ``variance``, which verifiers read."""

    __slots__ = ("variance",)

    def __init__(self, z: int, variance: Fraction, scale: int) -> None:
        self.variance = variance
        # e**(-|z| / scale) * e**(-(|z| - v / scale)**2 / (2 v)) = c * e**(-z**2 / (2 v))
        kept = exp(-((abs(z) - variance / scale) ** 2) / (2 * variance))
        super().__init__(1 - kept, kept)


# -- Noisy counts of cells: of public ones, and of items that cannot be listed beforehand.
#
# Each record is in one cell or none. So a replaced record moves at most two counts, by 1 each.
# Noise is independent, `Noise`: discrete Gaussian of variance v, or two-sided geometric of rate
# r.
#
# *Proof of the claim.* (replace-one). Public cells: ``2 / (2 v)`` of rho-zCDP (Canonne, Kamath and
# Steinke 2020, Theorem 14), or 2 r. Of items only those with at least *least* records are looked
# at, and kept if the noisy count reaches tau; q = Pr[least + z >= tau]. An item with fewer records
# is as one that is never kept. A replaced record moves one item down and one up. If both are looked
# at before and after, or neither, that is as above. An item that is looked at on one side only has
# *least* records there: except with probability q it is not kept, and the other items and cells are
# then independent of that, with counts that move as above. Both of the two may be such items; the
# record that leaves one is on one side, the other on the other, so on each side at most one of them
# is kept, with probability q. So the two laws are ``P = (1 - p) R + p S`` with p <= q, and likewise
# P', p', where R and R' are (epsilon, d)-close as those of public cells are. With m = max(p, p'),
# ``P - e**epsilon P' <= (1 - m)(R - e**epsilon R') + m`` on every event, so P and P' are (epsilon,
# d + q)-close; of several columns the chances q add. *Tail.* ``Pr[z >= t] <= Pr[N(0, v) >= t - 1]``
# for t >= 1: the sum over x >= t of the decreasing ``e**(-x**2 / 2v)`` is at most its integral from
# t - 1, and the sum over all integers is at least ``sqrt(2 pi v)`` (Poisson). []


PRIVACY = "counts.privacy"


COUNT = "count.truncated"


@dataclass(frozen=True)
class Noise:
    """Noise of counts: Gaussian with a variance, or geometric with a rate."""

    variance: Fraction | None = None
    rate: Fraction | None = None

    def draw(self, source: Source) -> int:
        """Draw one, exactly."""
        if self.variance is not None:
            return discrete_gaussian(self.variance, source)
        assert self.rate is not None
        return two_sided(self.rate, source)

    @property
    def deviation(self) -> float:
        """About its standard deviation."""
        return math.sqrt(2 / float(self.rate) ** 2 if self.rate else float(self.variance or 0))

    @property
    def loss(self) -> Loss:
        """What the counts of one set of disjoint cells cost, without items."""
        if self.variance is not None:
            return Concentrated(1 / self.variance)
        assert self.rate is not None
        return Pure(2 * self.rate)

    def beyond(self, chance: Fraction) -> int:
        """Return a t >= 1 with ``Pr[z >= t] <= chance``, about the least.

        Examples
        --------
        >>> Noise(variance=Fraction(100**2)).beyond(Fraction(1, 1000))
        311
        >>> Noise(rate=Fraction(1, 100)).beyond(Fraction(1, 1000))
        622
        """
        return _beyond_noise(self, chance)

    @property
    def least(self) -> int:
        """Of how many records an item must be: so few that it matters little, and saves draws."""
        return 2 + math.isqrt(math.floor(self.variance or 0)) // 16

    def kept_from(self, chance: Fraction) -> int:
        """Return the tau of items with which only ``chance`` is lost besides."""
        return self.least + self.beyond(chance)


@lru_cache(maxsize=256)
def _beyond_noise(noise: Noise, chance: Fraction) -> int:
    if noise.variance is not None:
        deviation = ball(noise.variance).sqrt() * arb(2).sqrt()
        allowed = ball(2 * chance)
        return least_n(lambda t: bool((ball(Fraction(t - 1)) / deviation).erfc() <= allowed), low=1)
    rate = ball(noise.rate or Fraction(1))
    return least_n(
        lambda t: bool((-rate * (t - 1)).exp() / (1 + rate.exp()) <= ball(chance)), low=1
    )


def noisy_counts(counts: Iterable[int], noise: Noise, source: Source) -> list[int]:
    """Return the counts of public cells, each with noise.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> noisy_counts([0, 7, 90], Noise(rate=Fraction(3)), SeededSource(0))
    [0, 7, 90]
    """
    exact = list(counts)
    if noise.variance is not None and len(exact) >= _MANY and noise.variance <= 2**100:
        drawn = discrete_gaussians(noise.variance, len(exact), source).tolist()
        return [count + z for count, z in zip(exact, drawn, strict=True)]
    return [count + noise.draw(source) for count in exact]


def noisy_items(
    counts: Mapping[str, int], noise: Noise, tau: int, source: Source
) -> dict[str, int]:
    """Return the texts whose noisy count reaches tau, with it, by their bytes.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> noisy_items({"tea": 90, "a name": 1}, Noise(rate=Fraction(3)), 7, SeededSource(0))
    {'tea': 90}
    """
    known = sorted((item for item, n in counts.items() if n >= noise.least), key=str.encode)
    noisy = {item: counts[item] + noise.draw(source) for item in known}
    return {item: count for item, count in noisy.items() if count >= tau}


# -- Private split-conformal quantiles: a bound that holds for a share of new units.
#
# Units that nothing was learned from have *scores*, the codes 0, ..., cells - 1 of a public
# scale: how far a prediction was off. N(v) is how many of the m scores are at most v. A code v is
# drawn with weight ``e**(epsilon u / 2)``, where u = -max(r - N(v), N(v - 1) - r, 0) and r is a
# public rank.
#
# *Privacy.* Replacing a score moves each N by at most 1, so u by at most 1: epsilon-DP.
#
# *Claim conformal.marginal.* A code with N(v - 1) <= r <= N(v) has u = 0, and there is one, as
# N(cells - 1) = m >= r. The others with N(v) <= r - t have weights of at most e**(-epsilon t / 2),
# so for the drawn q ``Pr[N(q) <= r - t] <= p(t) = 1/(1 + e**(epsilon t / 2)/(cells - 1))``,
# whatever the m scores are. Let T be independent of everything, with Pr[T >= t] = p(t). Given the m
# scores, N(q) is stochastically at least r - T, and q is at least the N(q)-th smallest score, so q
# covers a new unit at least as likely as the (r - T)-th smallest does. That one does, if the m + 1
# units are exchangeable, with probability (r - T)/(m + 1) or more for each T; together (r -
# E[T])/(m + 1), and E[T], the sum of p(t), is at most the integral of p from 0, ``(2/epsilon)
# ln(cells)``. []
#
# *Claim conformal.training.* Except with probability beta, N(q) >= k = r - t + 1 for t =
# ``ceil((2/epsilon) ln(cells/beta))``. For independent units, a share of at least c of all new ones
# has scores up to the k-th smallest, unless m trials with success probability c have k successes or
# more: except with probability beta' together with c, and beta more for the draw. []


MARGINAL = "conformal.marginal"
TRAINING = "conformal.training"

RANK, SHARE = CERTIFICATES[MARGINAL], CERTIFICATES[TRAINING]
LEAST = Fraction(1, 1000)  # of alpha
_RISK = Fraction(1, 20)  # of the share that is certain given the sample


@dataclass(frozen=True)
class Conformal:
    """A private split-conformal bound of m scores, from public numbers alone.

    ``alpha``: the share of new units that may be missed; ``cells``: how many codes scores have.
    `InfeasibleError` if m units are too few, with the number that is needed.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> plan = Conformal.of(m=1000, cells=256, alpha="1/10", epsilon=1)
    >>> plan.rank, round(plan.share("1/20"), 3)
    (912, 0.873)
    >>> plan.draw([10] * 100, SeededSource(0))
    Traceback (most recent call last):
    ValueError: counts must be of 256 codes and sum to 1000.
    >>> plan.draw([10] * 96 + [1] * 40 + [0] * 120, SeededSource(0))  # 900 are below 90
    91
    >>> Conformal.least(cells=256, alpha="1/10", epsilon=1)
    120
    """

    m: int
    cells: int
    alpha: Fraction
    epsilon: Fraction
    unit: Unit = "records"

    @classmethod
    def of(
        cls, *, m: int, cells: int, alpha: Any, epsilon: Any, caller: str = "Conformal", **more: Any
    ) -> Self:
        """Check the parameters, and that there are enough units."""
        bound = cls(
            check_integer(caller, "m", m, low=1),
            check_integer(caller, "cells", cells, low=2),
            check_probability(caller, "alpha", alpha),
            check_fraction(caller, "epsilon", epsilon),
            **more,
        )
        if bound.alpha < LEAST:
            raise parameter_error(caller, "alpha", f"at least {LEAST}", alpha)
        if bound.rank > bound.m:
            needed = cls.least(cells=cells, alpha=alpha, epsilon=epsilon)
            raise InfeasibleError(
                f"Intervals or sets with coverage {float(1 - bound.alpha):.4g} of new {bound.unit} "
                f"at epsilon {float(bound.epsilon):.4g} need {needed:,} held-out {bound.unit}, not "
                f"{m:,}: hold out a larger proportion, lower the coverage, or spend more epsilon.",
                n_needed=needed,
            )
        return bound

    @classmethod
    def least(cls, *, cells: int, alpha: Any, epsilon: Any) -> int:
        """Return the least number of units from which on there are enough."""
        numbers = {"cells": cells, "missed": Fraction(alpha), "epsilon": Fraction(epsilon)}
        return RANK.least(100, **numbers)

    @cached_property
    def rank(self) -> int:
        """At which rank the bound is drawn."""
        return int(self._written().steps["rank"].value)

    def _written(self, **more: Any) -> CertificateBuilder:
        known: dict[str, Any] = {"missed": self.alpha, "epsilon": self.epsilon, **more}
        cert = CertificateBuilder(**known, cells=self.cells, n=self.m)
        RANK.write(cert)
        return cert

    def share(self, beta: Any = _RISK) -> float:
        """Return a share of new units that is covered, except with probability beta."""
        exact = Fraction(check_probability("share", "beta", beta))
        kept = self.rank + 1 - math.ceil(2 * math.log(self.cells * 10 / exact) / self.epsilon)
        if kept < 1:
            return 0.0
        return max(0.0, float(lower_limit(kept, self.m, float(exact * 9 / 10))) - 1e-9)

    def certificate(self, beta: Any = _RISK) -> Certificate:
        """Return why it holds: of one new unit; of a share of all, except with probability beta."""
        exact = Fraction(check_probability("certificate", "beta", beta))
        cert = self._written(beta=exact)
        share = Fraction(self.share(exact))
        SHARE.write(cert.where(share=share))
        return cert.certificate(alpha=1 - share, beta=exact, n=self.m, unit=self.unit)

    def to_dict(self) -> Json:
        """Return plain JSON, with the certificate: of one unit, and of a share of all."""
        numbers = {"m": self.m, "cells": self.cells, "unit": self.unit}
        exact = {"alpha": str(self.alpha), "epsilon": str(self.epsilon)}
        return {**numbers, **exact, "certificate": self.certificate().to_dict()}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted. The certificate is computed again."""
        try:
            alpha, epsilon = read_exact(data["alpha"]), read_exact(data["epsilon"])
            m, cells, unit = data["m"], data["cells"], data["unit"]
            if type(m) is int and type(cells) is int and unit in ("records", "users"):
                return cls.of(m=m, cells=cells, alpha=alpha, epsilon=epsilon, unit=unit)
        except (KeyError, TypeError, ValueError, InfeasibleError):
            pass
        raise ParameterError(
            "An interval must have the entries of `Conformal.to_dict`, of enough units."
        )

    def draw(self, counts: npt.ArrayLike, source: Source) -> int:
        """Draw the bound; ``counts`` says how many units have each score.

        Notes
        -----
        *Guarantee.* epsilon-DP, replacing one unit, for every input.
        """
        of_score = np.asarray(counts, dtype=np.int64)
        if of_score.shape != (self.cells,) or of_score.sum() != self.m:
            raise ValueError(f"counts must be of {self.cells} codes and sum to {self.m}.")
        upto = np.cumsum(of_score)
        missed = np.maximum(self.rank - upto, upto - of_score - self.rank)
        return Explicit(-np.maximum(missed, 0)).draw(self.epsilon / 2, source)


# -- Where a sum is clipped: a draw by rank over public edges, and an estimate of what lies
# beyond.
#
# *Proof of the claim.* Let N(c) be how many units' numbers are above c, in parts of a unit: a
# user's records weigh at most `part` together. Replacing a unit moves N(c) by at most ``part`` for
# every edge, so ``|N(c) - k|`` moves within ``[-part, part]``. At the rate ``eta / (2 part)`` the
# logarithms of the ratios of all weights lie in an interval of length eta: the factors ``(c_0 /
# c)**power`` and the rank k are public and the same on both sides, and the normalising constant
# moves all alike. So the draw has eta-bounded range. Given C, a number clipped to ``-A .. C`` moves
# their sum by at most ``A + C`` when a unit is replaced; A and C are public or released. []
#
# At ``k = s``, the deviation of the noise of a sum for numbers up to 1, clipping one cell further
# would take away as much bias as it adds noise. Without the power the draw runs off where the
# range is far too wide: all edges above the data miss the rank by k only.


_NORMAL = NormalDist()
_QUARTILE = _NORMAL.inv_cdf(0.75)


class RankWeights(ExplicitWeights):
    """Weights of edges: `scores` are minus how far each misses the rank, at a `rate`."""

    __slots__ = ("rate", "scores")

    def __init__(self, edges: Ints, scores: Ints, rate: Fraction, power: int) -> None:
        self.scores, self.rate = scores, rate
        pairs = zip(edges.tolist(), scores.tolist(), strict=True)
        first = int(edges[0])
        super().__init__(*(exp(rate * score, Fraction(first, c) ** power) for c, score in pairs))


def clip_edges(first: int, most: int) -> Ints:
    """Return edges that grow by a factor of about sqrt(2), from ``first`` to the last, ``most``.

    Examples
    --------
    >>> clip_edges(1, 20).tolist(), clip_edges(30, 20).tolist()
    ([1, 2, 3, 4, 6, 8, 11, 16, 20], [20])
    """
    steps = 2 * max(math.ceil(math.log2(most / first)), 0)
    growing = np.unique(np.rint(first * 2 ** (np.arange(steps) / 2)).astype(np.int64))
    return np.append(growing[growing < most], most)


def rank_of(n: int, eta: Fraction, deviation: float) -> float:
    """Return k in units: the deviation of a sum of ones, what the draw resolves, at most n/8."""
    return min(n / 8, max(deviation, 3 / float(eta)))


def draw_edge(
    edges: Ints, above: Ints, rank: float, *, eta: Fraction, part: int, power: int, source: Source
) -> int:
    """Draw an edge that about ``rank`` units lie above; ``above`` says how many do, in parts.

    Guarantee
    ---------
    eta-bounded range, replacing a unit (claim ``clip.rank``).

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> edges = clip_edges(1, 64)
    >>> above = np.array([900, 700, 500, 300, 100, 40, 9, 0, 0, 0, 0, 0, 0])[: len(edges)]
    >>> draw_edge(edges, above, 30, eta=Fraction(2), part=1, power=2, source=SeededSource(0))
    8
    """
    scores = -abs(above - math.floor(rank * part))
    return int(edges[source.choose(RankWeights(edges, scores, eta / (2 * part), power))])


def beyond(anchor: float, share: float, clip: float, most: float) -> float:
    """Return what a mean loses above ``clip``: of a lognormal tail, as far as ``most``.

    A quarter of all lies above ``anchor``, and a share above the clip: both are released, so this
    is free.

    Examples
    --------
    >>> round(beyond(2.0, 0.01, 12.0, 1000.0), 3), beyond(2.0, 0.01, 1000.0, 1000.0)
    (0.066, 0.0)
    """
    z = _NORMAL.inv_cdf(1 - min(max(share, 1e-9), 0.5))
    if clip >= most or clip <= anchor or z <= _QUARTILE + 0.1:
        return 0.0
    spread = min(math.log(clip / anchor) / (z - _QUARTILE), 4.0)
    middle = math.log(clip) - z * spread

    def up_to(a: float) -> float:
        at = (math.log(a) - middle) / spread
        mean = math.exp(middle + spread**2 / 2)
        return mean * _NORMAL.cdf(at - spread) + a * _NORMAL.cdf(-at)

    return max(0.0, up_to(most) - up_to(clip))
