"""Hashed representations: few candidates for infinite domains.

A class whose concepts are small sets is represented by hashing the domain to R buckets and taking
the sets of *buckets*; the union of t independent copies is far from the target only if all copies
are. More buckets and copies mean nearer candidates, but more of them. Which R and t are best is
found in `representations`; here is what given ones certify.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from littlestone.bounds.certificate import Certificate, CertificateBuilder, Step
from littlestone.bounds.search import least_n
from littlestone.errors import parameter_error

__all__ = ["POINTS", "HashFamily", "HashedRepresentation", "sparse_sets"]

SOURCE = "representation.hashing"


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
    buckets : tuple of int
        The numbers R that are possible; empty: all.
    """

    candidates: Callable[[int], int]
    collision: Callable[[int], Fraction]
    shared: int = 1
    buckets: tuple[int, ...] = ()


#: The largest sets that are represented by hashing.
LARGEST_SET = 500

#: Single points (or none) of any domain: candidates "hash equals r", and the empty set.
POINTS = HashFamily(
    candidates=lambda buckets: buckets, collision=lambda buckets: Fraction(1, buckets)
)


@functools.cache
def sparse_sets(k: int) -> HashFamily:
    """Return the family for sets of at most k points: sets of at most k buckets.

    A point outside the target collides with one of its k points with probability at most k/R.

    Raises
    ------
    ParameterError
        If k is so large that its candidates could hardly be counted.
    """
    if k > LARGEST_SET:
        raise parameter_error(
            "sparse_sets",
            "k",
            f"at most {LARGEST_SET} when its domain is hashed",
            k,
            "Use smaller sets.",
        )

    def candidates(buckets: int) -> int:
        total, sets = 0, 1
        for i in range(min(k, buckets)):
            sets = sets * (buckets - i) // (i + 1)
            total += sets
        return total

    return HashFamily(candidates, lambda buckets: Fraction(k, buckets))


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
    guess : int
        Number of records that floats found: `required_samples` begins there.
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
    guess: int = field(default=1, compare=False, repr=False)

    def certificate(self, n: int) -> Certificate:
        r"""Return the certificate for n records.

        With a_1 < ... < a_J the cuts, F_j the failure probability when the best candidate is off
        by a_j, and E_j = (collision / a_j)**copies the probability that it is off by more, the
        total is F_1 + (F_2 - F_1) E_1 + ... + (1 - F_J) E_J.
        """
        cert = CertificateBuilder(
            n=n, size=self.size, epsilon=self.epsilon, alpha=self.alpha, beta=self.beta,
            collision=self.collision, copies=self.copies,
        )  # fmt: skip
        total, parts, earlier = "", dict[str, Step](), ""
        for j, cut in enumerate(self.cuts, 1):
            parts[f"fail_{j}"] = self._failure(cert.where(cut=cut), j)
            parts[f"off_{j}"] = cert.step(
                f"off_{j}", "min(1, collision/cut)**copies", SOURCE, cut=cut
            )
            total += f" + (fail_{j} - fail_{j - 1})*{earlier}" if earlier else "fail_1"
            earlier = f"off_{j}"
        total += f" + (1 - fail_{len(self.cuts)})*{earlier}"
        cert.step("failure", total, SOURCE, **parts)
        cert.step("enough", "failure <= beta", SOURCE)
        return cert.certificate(alpha=self.alpha, beta=self.beta, n=n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate holds (it is monotone in n)."""
        return least_n(self.certificate, guess=self.guess)

    def _failure(self, cert: CertificateBuilder, j: int) -> Step:
        """Add the bound of ``realizable_from`` or ``agnostic_from`` on the failure at a cut."""
        if self.agnostic:
            source = "exp-mech.representation.agnostic"
            tilt = cert.step(f"tilt_{j}", "min(epsilon/2, atanh(alpha - cut))", source)
            factor = "cosh(tilt) - (alpha - cut)*sinh(tilt)"
        else:
            source = "exp-mech.representation.realizable"
            tilt = cert.step(f"tilt_{j}", "min(epsilon/2, log(alpha/cut)/2)", source)
            factor = "1 - alpha*(1 - exp(-tilt)) + cut*(exp(tilt) - 1)"
        return cert.step(
            f"fail_{j}", f"min(1, exp(log(size - 1) + n*log({factor})))", source, tilt=tilt
        )
