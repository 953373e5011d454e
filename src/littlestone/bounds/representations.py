"""Hashed representations: few candidates for infinite domains, with their sizes optimised.

A class whose concepts are small sets is represented by hashing the domain to R buckets and taking
the sets of *buckets*; the union of t independent copies misses the target's neighbourhood only if
all copies do. More buckets and copies mean nearer candidates, but more of them: the best (R, t) is
found numerically. The search only affects how good the numbers are. The certificate of the chosen
ones is computed afresh and rigorously.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from scipy.optimize import minimize

from littlestone.bounds.certificate import Certificate, Step, Worksheet, least_n
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error

__all__ = ["HashFamily", "HashedRepresentation", "POINTS", "best_hashing", "sparse_sets"]

SOURCE = "representation.hashing"
CUTS = 6
MOST_COPIES = 12
MOST_BUCKETS = 2**40


@dataclass(frozen=True)
class HashFamily:
    """How a class is represented by hashing its domain to R buckets.

    Parameters
    ----------
    candidates : callable, int -> int
        Number of candidates of one copy with R buckets, without the shared ones.
    collision : callable, int -> Fraction
        Bound, for every concept and distribution, on the expected disagreement between the concept
        and the best candidate of one copy. It must fall at least like a constant over R.
    shared : int
        Candidates that all copies have in common (the empty set).
    """

    candidates: Callable[[int], int]
    collision: Callable[[int], Fraction]
    shared: int = 1


#: Single points (or none) of any domain: candidates "hash equals r", and the empty set.
POINTS = HashFamily(
    candidates=lambda buckets: buckets, collision=lambda buckets: Fraction(1, buckets)
)


@functools.cache
def sparse_sets(k: int) -> HashFamily:
    """Return the family for sets of at most k points: sets of at most k buckets.

    A point outside the target collides with one of its k points with probability at most k/R.
    """
    return HashFamily(
        candidates=lambda buckets: sum(math.comb(buckets, i) for i in range(1, k + 1)),
        collision=lambda buckets: Fraction(k, buckets),
    )


@dataclass(frozen=True)
class HashedRepresentation:
    """Public parameters of a representation, and what they certify.

    Parameters
    ----------
    buckets, copies : int
        Hash to ``buckets`` values (R), ``copies`` (t) independent times.
    size : int
        Number of candidates in all.
    collision : Fraction
        Expected disagreement of one copy.
    cuts : tuple of Fraction
        Levels of disagreement at which the layers of the certificate are cut.
    """

    epsilon: Fraction
    alpha: Fraction
    beta: Fraction
    agnostic: bool
    buckets: int
    copies: int
    size: int
    collision: Fraction
    cuts: tuple[Fraction, ...]

    def certificate(self, n: int) -> Certificate:
        r"""Return the certificate for n records.

        With a_1 < ... < a_J the cuts, F_j the failure probability when the best candidate is off
        by a_j, and E_j = (collision / a_j)**copies the probability that it is off by more, the
        total is F_1 + (F_2 - F_1) E_1 + ... + (1 - F_J) E_J.
        """
        sheet = Worksheet()
        total, parts, earlier = "", dict[str, Step](), ""
        for j, cut in enumerate(self.cuts, 1):
            parts[f"fail_{j}"] = self._failure(sheet, j, cut, n)
            parts[f"off_{j}"] = sheet.step(
                f"off_{j}",
                "min(1, collision/cut)**copies",
                SOURCE,
                collision=self.collision,
                cut=cut,
                copies=self.copies,
            )
            total += f" + (fail_{j} - fail_{j - 1})*{earlier}" if earlier else "fail_1"
            earlier = f"off_{j}"
        total += f" + (1 - fail_{len(self.cuts)})*{earlier}"
        failure = sheet.step("failure", total, SOURCE, **parts)
        sheet.step("enough", "failure <= beta", SOURCE, failure=failure, beta=self.beta)
        # n = 0 leaves no condition on n: name it, so that the certificate speaks about n.
        sheet.step("records", "n >= 1", SOURCE, n=n)
        return sheet.certificate(alpha=self.alpha, beta=self.beta, n=n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate holds (it is monotone in n)."""
        return least_n(self.certificate)

    def _failure(self, sheet: Worksheet, j: int, cut: Fraction, n: int) -> Step:
        """Add the bound of ``realizable_from`` or ``agnostic_from`` on the failure at a cut."""
        if self.agnostic:
            source = "exp-mech.representation.agnostic"
            tilt = sheet.step(
                f"tilt_{j}",
                "min(epsilon/2, atanh(alpha - cut))",
                source,
                epsilon=self.epsilon,
                alpha=self.alpha,
                cut=cut,
            )
            factor = "cosh(tilt) - (alpha - cut)*sinh(tilt)"
        else:
            source = "exp-mech.representation.realizable"
            tilt = sheet.step(
                f"tilt_{j}",
                "min(epsilon/2, log(alpha/cut)/2)",
                source,
                epsilon=self.epsilon,
                alpha=self.alpha,
                cut=cut,
            )
            factor = "1 - alpha*(1 - exp(-tilt)) + cut*(exp(tilt) - 1)"
        return sheet.step(
            f"fail_{j}",
            f"min(1, exp(log(size - 1) + n*log({factor})))",
            source,
            size=self.size,
            n=n,
            alpha=self.alpha,
            cut=cut,
            tilt=tilt,
        )


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
    >>> found.copies, found.required_samples()
    (3, 276)
    """
    owner = "best_hashing"
    return _best(
        family,
        check_fraction(owner, "epsilon", epsilon),
        check_probability(owner, "alpha", alpha),
        check_probability(owner, "beta", beta),
        agnostic,
        powers_of_two,
    )


@functools.lru_cache(maxsize=256)
def _best(
    family: HashFamily,
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
    if not math.isfinite(n):
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
        start = math.log(2 * self._unit() / (middle * self.beta ** (1 / copies)))

        def value(x: Any) -> float:
            return self.records(math.exp(min(max(x[0], 0), 27)), copies, self._ends(x[1], x[2]))

        found = minimize(
            value,
            [start, math.log(middle), math.log(4)],
            method="Nelder-Mead",
            options={"maxfev": 160, "xatol": 1e-3, "fatol": 1e-2,
                     "initial_simplex": _simplex(start, math.log(middle))},
        )  # fmt: skip
        ends = self._ends(found.x[1], found.x[2])
        near = math.exp(min(max(found.x[0], 0), math.log(MOST_BUCKETS)))
        if powers_of_two:
            power = round(math.log2(near))
            options = [2 ** max(power + shift, 0) for shift in (-1, 0, 1)]
        else:
            options = [max(round(near), 1)]
        scored = [(self.records(buckets, copies, ends), buckets) for buckets in options]
        n, buckets = min(scored)
        return n, buckets, copies, ends

    def records(self, buckets: float, copies: int, ends: tuple[float, float]) -> float:
        """Return the (real) number of records at which the layered bound equals beta."""
        whole = max(round(buckets), 1)
        collision = float(self.family.collision(whole))
        log_bad = _log(self.family.candidates(whole) * copies + self.family.shared - 1)
        cuts = _cuts(*ends)
        decays = [self.decay(cut) for cut in cuts]
        off = [min(1.0, collision / cut) ** copies for cut in cuts]
        if off[-1] > self.beta or decays[0] <= 0:
            return math.inf

        def failure(n: float) -> float:
            fails = [math.exp(min(0.0, log_bad - n * decay)) for decay in decays]
            layers = [
                fails[0],
                *(b - a for a, b in zip(fails, fails[1:], strict=False)),
                1 - fails[-1],
            ]
            return sum(layer * p for layer, p in zip(layers, [1.0, *off], strict=True))

        low, high = 0.0, (log_bad - math.log(self.beta)) / decays[0]
        while failure(high) > self.beta:
            low, high = high, 2 * high
            if high > 1e30:
                return math.inf
        while high - low > 1e-4 * high:
            middle = (low + high) / 2
            low, high = (low, middle) if failure(middle) <= self.beta else (middle, high)
        return high

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


def _simplex(start: float, middle: float) -> list[list[float]]:
    base = [start, middle, math.log(4)]
    return [base] + [[x + 0.7 * (i == k) for i, x in enumerate(base)] for k in range(3)]


def _cuts(low: float, high: float) -> list[float]:
    ratio = (high / low) ** (1 / (CUTS - 1))
    return [low * ratio**j for j in range(CUTS)]


def _short(x: float) -> Fraction:
    """Return x with three digits: the cuts may be any numbers, so let them be readable."""
    return Fraction(f"{x:.3g}")


def _log(x: int) -> float:
    """Return ln(x) of an integer of any size (0 counts as 1)."""
    return math.log(x) if x > 1 else 0.0
