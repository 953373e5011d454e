"""Which representation needs the fewest records: buckets, copies and accuracies found numerically.

The search only affects how good the numbers are. The certificate of what was found is computed
afresh and rigorously.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from littlestone.bounds.certificate import Certificate
from littlestone.bounds.exponential import agnostic_from, realizable_from
from littlestone.bounds.hashing import POINTS, HashedRepresentation, HashFamily
from littlestone.bounds.search import HOPELESS, least_point
from littlestone.errors import (
    UnsupportedError,
    check_fraction,
    check_probability,
    parameter_error,
)

__all__ = ["best_hashing", "best_representation", "points_representation"]

#: Layers of the certificate: more would save about 2 % of the records.
CUTS = 6
MOST_COPIES = 12
MOST_BUCKETS = 2**40


def best_hashing(
    family: HashFamily,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    agnostic: bool = False,
    powers_of_two: bool = False,
) -> HashedRepresentation:
    """Return the representation that needs the fewest records, with its certificate.

    Parameters
    ----------
    family : HashFamily
        `POINTS`, or `sparse_sets` (k), or a class's own.
    epsilon : number in (0, inf)
        Loss of the release under replace-one (pure).
    alpha, beta : number in (0, 1)
        Error (excess error if ``agnostic``), and the probability of exceeding it; the latter covers
        the hashing and the records together.
    agnostic : bool, default=False
        Whether labels may disagree with every concept.
    powers_of_two : bool, default=False
        Restrict R to powers of two (hashes truncated to bits).

    Returns
    -------
    HashedRepresentation

    Notes
    -----
    Deterministic; about half a second, cached. R, t and the certificate depend on public parameters
    only. Claim ``representation.hashing``.

    Examples
    --------
    >>> found = best_hashing(POINTS, epsilon=1, alpha=0.1, beta=0.05)
    >>> found.copies, found.required_samples() <= 280
    (3, True)
    """
    owner = "best_hashing"
    return _best(
        family,
        epsilon=check_fraction(owner, "epsilon", epsilon),
        alpha=check_probability(owner, "alpha", alpha),
        beta=check_probability(owner, "beta", beta),
        agnostic=bool(agnostic),
        powers_of_two=bool(powers_of_two),
    )


def points_representation(
    *, epsilon: Any, alpha: Any, beta: Any, agnostic: bool = False, powers_of_two: bool = False
) -> HashedRepresentation:
    """Return R, t and the certificate for single points of any domain: `best_hashing` of `POINTS`.

    Parameters
    ----------
    epsilon : number in (0, inf)
    alpha, beta : number in (0, 1)
    agnostic, powers_of_two : bool
        As for `best_hashing`.

    Examples
    --------
    >>> found = points_representation(epsilon=1, alpha=0.1, beta=0.05, agnostic=True)
    >>> found.required_samples() <= 2300
    True
    """
    return best_hashing(
        POINTS,
        epsilon=epsilon,
        alpha=alpha,
        beta=beta,
        agnostic=agnostic,
        powers_of_two=powers_of_two,
    )


def best_representation(
    size: Callable[[Fraction, Fraction], int],
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    agnostic: bool = False,
) -> Certificate:
    """Return the certificate with the fewest records for any class whose representation is known.

    Parameters
    ----------
    size : callable, (alpha1, beta1) -> int
        Largest number of candidates of an (alpha1, beta1)-representation.
    epsilon, alpha, beta, agnostic
        As for `best_hashing`.

    Returns
    -------
    Certificate
        Of `realizable_from` or `agnostic_from`; ``alpha1`` and ``beta1`` are inputs of its steps.

    Examples
    --------
    >>> def copies_of_points(alpha1, beta1):
    ...     copies = math.ceil(math.log2(1 / beta1))
    ...     return copies * math.ceil(2 / alpha1) + 1
    >>> best_representation(copies_of_points, epsilon=1, alpha=0.1, beta=0.05).n <= 315
    True
    """
    certify = agnostic_from if agnostic else realizable_from
    exact_alpha = check_probability("best_representation", "alpha", alpha)
    exact_beta = check_probability("best_representation", "beta", beta)

    def at(x: Sequence[float]) -> Certificate:
        alpha1 = _short(float(exact_alpha) * 0.9 * math.exp(-abs(x[0])))
        share = _short(0.98 / (1 + math.exp(min(max(x[1], -20.0), 20.0))) + 0.01)
        beta1 = exact_beta * share
        return certify(
            size(alpha1, beta1),
            epsilon=epsilon,
            alpha=exact_alpha,
            beta=exact_beta,
            alpha1=alpha1,
            beta1=beta1,
        )

    return at(least_point(lambda x: math.log(at(x).n + 1), [3.0, 0.0]))


@functools.lru_cache(maxsize=256)
def _best(
    family: HashFamily,
    *,
    epsilon: Fraction,
    alpha: Fraction,
    beta: Fraction,
    agnostic: bool,
    powers_of_two: bool,
) -> HashedRepresentation:
    search = _Search(family, float(epsilon), float(alpha), float(beta), agnostic)
    best: tuple[float, int, int, tuple[float, float]] | None = None
    worse = 0
    for copies in range(1, MOST_COPIES + 1):
        found = search.with_copies(copies, powers_of_two)
        if best is None or found[0] < best[0]:
            best, worse = found, 0
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
        tuple(_short(cut) for cut in _cuts(low, high)),
        guess=math.ceil(n),
    )


class _Search:
    """The same bound in floats, minimised: its result is a proposal, not a proof."""

    def __init__(
        self, family: HashFamily, epsilon: float, alpha: float, beta: float, agnostic: bool
    ) -> None:
        self.family, self.epsilon, self.alpha, self.beta = family, epsilon, alpha, beta
        self.agnostic = agnostic

    def with_copies(
        self, copies: int, powers_of_two: bool
    ) -> tuple[float, int, int, tuple[float, float]]:
        """Return (n, buckets, copies, ends of the cuts) for one number of copies."""
        # A start that is in the right place: cuts well below alpha, escapes about beta.
        middle = self.alpha / 20
        if self.family.buckets:
            return min(self._with(buckets, copies) for buckets in self.family.buckets)
        start = math.log(2 * self._unit() / (middle * self.beta ** (1 / copies)))

        def value(x: Any) -> float:
            return self.records(math.exp(min(max(x[0], 0), 27)), copies, self._ends(x[1], x[2]))

        found = least_point(value, [start, math.log(middle), math.log(4)])
        found = least_point(value, found, scale=0.2)
        ends = self._ends(found[1], found[2])
        near = math.exp(min(max(found[0], 0), math.log(MOST_BUCKETS)))
        if powers_of_two:
            power = round(math.log2(near))
            options = [2 ** max(power + shift, 0) for shift in (-1, 0, 1)]
        else:
            options = [max(round(near), 1)]
        scored = [(self.records(buckets, copies, ends), buckets) for buckets in options]
        n, buckets = min(scored)
        return n, buckets, copies, ends

    def _with(self, buckets: int, copies: int) -> tuple[float, int, int, tuple[float, float]]:
        """Return the same for one number of buckets."""

        def value(x: Any) -> float:
            return self.records(buckets, copies, self._ends(x[0], x[1]))

        found = least_point(value, [math.log(self.alpha / 20), math.log(4)])
        ends = self._ends(*least_point(value, found, scale=0.2))
        return self.records(buckets, copies, ends), buckets, copies, ends

    def records(self, buckets: float, copies: int, ends: tuple[float, float]) -> float:
        """Return the (real) number of records at which the layered bound equals beta."""
        whole = max(round(buckets), 1)
        collision = float(self.family.collision(whole))
        log_bad = _log(self.family.candidates(whole) * copies + self.family.shared - 1)
        cuts = _cuts(*ends)
        decays = [self.decay(cut) for cut in cuts]
        off = [min(1.0, collision / cut) ** copies for cut in cuts]
        if off[-1] > self.beta or decays[0] <= 0:
            return HOPELESS

        # fail_1 + (fail_2 - fail_1) off_1 + ... + (1 - fail_J) off_J, summed by the fails
        weights = [before - after for before, after in itertools.pairwise([1.0, *off])]
        layers = list(zip(weights, decays, strict=True))

        return _least_sum(layers, log_bad, self.beta - off[-1])

    def decay(self, cut: float) -> float:
        if cut >= self.alpha:
            return 0.0
        if self.agnostic:
            gap = self.alpha - cut
            tilt = min(self.epsilon / 2, math.atanh(gap))
            return -math.log(math.cosh(tilt) - gap * math.sinh(tilt))
        tilt = min(self.epsilon / 2, math.log(self.alpha / cut) / 2)
        return -math.log(1 - self.alpha * -math.expm1(-tilt) + cut * math.expm1(tilt))

    def _ends(self, log_low: float, log_span: float) -> tuple[float, float]:
        low = min(math.exp(log_low), 0.5 * self.alpha)
        return low, min(low * math.exp(min(max(log_span, 0.1), 30)), 0.95 * self.alpha)

    def _unit(self) -> float:
        """Return R * collision(R) for large R."""
        return float(self.family.collision(2**20)) * 2**20


def _least_sum(layers: list[tuple[float, float]], log_bad: float, most: float) -> float:
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


def _cuts(low: float, high: float) -> list[float]:
    ratio = (high / low) ** (1 / (CUTS - 1))
    return [low * ratio**j for j in range(CUTS)]


def _short(x: float) -> Fraction:
    """Return x with three digits: the cuts may be any numbers, so let them be readable."""
    return Fraction(f"{x:.3g}")


def _log(x: int) -> float:
    """Return ln(x) of an integer of any size (0 counts as 1)."""
    return math.log(x) if x > 1 else 0.0
