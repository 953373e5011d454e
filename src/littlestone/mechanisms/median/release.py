"""The private median: read integers, choose a mechanism by public numbers, draw once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.bounds import Certificate
from littlestone.bounds.formulas import encode
from littlestone.errors import check_integer, check_probability
from littlestone.mechanisms.median.planner import check, choose
from littlestone.mechanisms.median.values import Ordered
from littlestone.privacy import Guarantee
from littlestone.source import SecureSource, SeededSource, Source
from littlestone.types import Json

__all__ = ["MedianRelease", "private_median"]


@dataclass(frozen=True)
class MedianRelease:
    """What a private median publishes.

    Attributes
    ----------
    value : int or None
        A point of the domain. None (bottom) means that the mechanism declined; it happens with
        probability at most beta where the certificate holds.
    guarantee : Guarantee
    certificate : Certificate
        ``value`` is in the rank window, except with probability beta; ``alpha`` is half of the
        window's width. Whether it holds depends on n and the request, never on the data.
    mechanism : str
        ``"exponential"``, ``"tree"`` or ``"tree-log"``.
    """

    value: int | None
    guarantee: Guarantee
    certificate: Certificate
    mechanism: str

    def to_dict(self) -> Json:
        """Return plain JSON; integers from 2**53 on as text."""
        return {
            "value": None if self.value is None else encode(self.value),
            "guarantee": self.guarantee.to_dict(),
            "certificate": self.certificate.to_dict(),
            "mechanism": self.mechanism,
        }

    def __str__(self) -> str:
        return f"{self.to_dict()['value']} ({self.guarantee}; {self.certificate})"


def private_median(
    values: Any,
    low: int,
    high: int,
    *,
    epsilon: Any,
    delta: Any = 0,
    rank: Any = (Fraction(1, 3), Fraction(2, 3)),
    beta: Any = Fraction(1, 20),
    mechanism: str = "auto",
    random_state: int | Source | None = None,
) -> MedianRelease:
    """Return a point of an ordered public domain whose rank is near the middle, privately.

    Parameters
    ----------
    values : array-like of int, shape (n,)
        One per record, of any size. Values outside [low, high] count as the nearer end.
    low, high : int, low <= high
        Public domain, of any size (``2**1024`` is fine); chosen without the data.
    epsilon : number > 0
        Privacy loss. No default.
    delta : number in [0, 1), default 0
        Zero is pure privacy: n must then grow with ln(high - low); else with its logarithm.
    rank : (low, high), default (1/3, 2/3)
        The target: at least ``low * n`` records <= value, at least ``(1 - high) * n`` >= value. So
        (0.85, 0.95) asks for a 90% quantile and (0, 1) for an interior point.
    beta : number in (0, 1), default 1/20
        Failure probability that the certificate is about; no privacy depends on it.
    mechanism : {"auto", "exponential", "tree", "tree-log"}, default "auto"
        "auto" takes the smaller certified failure probability of the first two, by domain, n, rank,
        epsilon and delta only. "tree-log" is a reconstruction, for reference.
    random_state : None, int or Source, default None
        None draws from the operating system. An int is reproducible and NOT private.

    Returns
    -------
    MedianRelease

    Raises
    ------
    ParameterError
        If a public parameter is out of range; nothing is drawn.
    DataError
        If a value is not a whole number (names the rule only; outside the guarantee).

    Guarantee
    ---------
    Privacy : epsilon-DP ("exponential") or (epsilon, delta)-DP, for every input; neighbours replace
        one record, n public. Claims ``median.exponential``, ``median.tree``, ``median.tree-log``.
    Accuracy : for *every* data set, not only for random ones: the certificate.

    Notes
    -----
    Cost: one sort, then a few passes over the distinct values; no dependence on the domain.

    References
    ----------
    .. [1] Yan 2025, Theorem 6 (PrivateMedian), which this replaces; docs/median.md.

    Examples
    --------
    >>> import littlestone as ls
    >>> ages = [34, 45, 29, 61, 50] * 20
    >>> private_median(ages, 0, 120, epsilon=1, random_state=0).value
    45
    """
    owner = "private_median"
    size, window, epsilon, delta = check(owner, low, high, epsilon=epsilon, delta=delta, rank=rank)
    beta = check_probability(owner, "beta", beta)
    source = _source(random_state)
    ordered = Ordered.read(values, int(low), int(high))
    chosen = choose(size, ordered.n, window, epsilon, delta, name=mechanism, beta=beta)
    guarantee = Guarantee(epsilon, chosen.delta, claim=chosen.claim, seeded=source.seeded)
    certificate = chosen.certificate(ordered.n, beta)
    # All public arguments are checked; from here on the source is drawn from.
    offset = chosen.draw(ordered, source)
    value = None if offset is None else int(low) + offset
    return MedianRelease(value, guarantee, certificate, chosen.name)


def _source(random_state: int | Source | None) -> Source:
    if random_state is None:
        return SecureSource()
    if isinstance(random_state, Source):
        return random_state
    hint = "None draws from the operating system; an int is reproducible and NOT private."
    seed = check_integer("private_median", "random_state", random_state, low=0, hint=hint)
    return SeededSource(seed)
