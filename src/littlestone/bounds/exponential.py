"""How many records the exponential mechanism needs: tight certificates.

Candidates H are public, the weight of h is e**(-epsilon/2 * errors of h), which is epsilon-DP under
replace-one. The proofs are in ``docs/certificates.md``; all rest on one line: a bad h is released
with probability at most e**(-l * (errors of h - errors of the best)) for every 0 <= l <= epsilon/2,
and the expectation of that over the records is a product.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from littlestone.bounds.certificate import Certificate, CertificateBuilder
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error
from littlestone.privacy.rounding import check_nonnegative

__all__ = ["agnostic", "agnostic_from", "realizable", "realizable_from"]


def realizable(
    size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= alpha when some candidate has error 0.

    n >= ln((size-1)/beta) / -ln(1 - alpha (1 - e**(-epsilon/2))).

    Parameters
    ----------
    size : int >= 1
        Number of candidates, of any size; their logarithm is what counts.
    epsilon : number in (0, inf)
        Loss of the release under replace-one.
    alpha, beta : number in (0, 1)
        Error, and the probability of exceeding it.
    n : int, optional
        Number of records. By default the least that suffices.

    Returns
    -------
    Certificate

    Guarantee
    ---------
    Claim ``exp-mech.tight.realizable``. At most size-1 candidates are bad, hence the -1.

    Examples
    --------
    >>> realizable(2**20 + 1, epsilon=1, alpha=0.1, beta=0.05).n
    420
    >>> realizable(2**1024 + 1, epsilon=1, alpha=0.1, beta=0.05).n
    17757
    """
    source = "exp-mech.tight.realizable"
    case = _Case("realizable", size, epsilon=epsilon, alpha=alpha, beta=beta)
    decay = case.cert.step("decay", "-log(1 - alpha*(1 - exp(-epsilon/2)))", source)
    return case.finish(source, n, decay=decay)


def agnostic(
    size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= (error of the best candidate) + alpha, for any distribution.

    n >= ln((size-1)/beta) / -ln(cosh l - alpha sinh l), l = min(epsilon/2, artanh alpha).

    From epsilon = 2 artanh alpha on, privacy costs nothing.

    Parameters
    ----------
    size, epsilon, alpha, beta, n
        As for `realizable`; alpha is the *excess* error.

    Returns
    -------
    Certificate

    Guarantee
    ---------
    Claim ``exp-mech.tight.agnostic``.

    Examples
    --------
    >>> agnostic(40_000, epsilon=1, alpha=0.1, beta=0.05).n
    2705
    """
    source = "exp-mech.tight.agnostic"
    case = _Case("agnostic", size, epsilon=epsilon, alpha=alpha, beta=beta)
    case.cert.step("tilt", "min(epsilon/2, atanh(alpha))", source)
    decay = case.cert.step("decay", "-log(cosh(tilt) - alpha*sinh(tilt))", source)
    return case.finish(source, n, decay=decay)


def realizable_from(
    size: int,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    alpha1: Any,
    beta1: Any,
    n: int | None = None,
) -> Certificate:
    """Certify error <= alpha from a representation that need not contain the target.

    With probability 1 - beta1 over the (public, data-independent) candidates, one of them is within
    alpha1 of the target. Then, with l = min(epsilon/2, ln(alpha/alpha1)/2),
    n >= ln((size-1)/(beta-beta1)) / -ln(1 - alpha (1-e**-l) + alpha1 (e**l - 1)).

    Parameters
    ----------
    size, epsilon, alpha, beta, n
        As for `realizable`; ``size`` is the largest number of candidates drawn.
    alpha1 : number in [0, alpha)
    beta1 : number in [0, beta)

    Guarantee
    ---------
    Claim ``exp-mech.representation.realizable``.

    Examples
    --------
    >>> realizable_from(
    ...     2501, epsilon=1, alpha=0.1, beta=0.05, alpha1="1/200", beta1="1/60"
    ... ).n
    306
    """
    source = "exp-mech.representation.realizable"
    case = _Case(
        "realizable_from", size, epsilon=epsilon, alpha=alpha, beta=beta, alpha1=alpha1, beta1=beta1
    )
    case.cert.step(
        "tilt", "min(epsilon/2, log(alpha/alpha1)/2)" if case.alpha1 else "epsilon/2", source
    )
    decay = case.cert.step(
        "decay", "-log(1 - alpha*(1 - exp(-tilt)) + alpha1*(exp(tilt) - 1))", source
    )
    return case.finish(source, n, decay=decay)


def agnostic_from(
    size: int,
    *,
    epsilon: Any,
    alpha: Any,
    beta: Any,
    alpha1: Any,
    beta1: Any,
    n: int | None = None,
) -> Certificate:
    """Certify error <= (best concept) + alpha from a representation of the class.

    With probability 1 - beta1 a candidate is within alpha1 of the best concept. Then, with
    g = alpha - alpha1, n >= ln((size-1)/(beta-beta1)) / -ln(cosh l - g sinh l),
    l = min(epsilon/2, artanh g).

    Parameters
    ----------
    size, epsilon, alpha, beta, alpha1, beta1, n
        As for `realizable_from`.

    Guarantee
    ---------
    Claim ``exp-mech.representation.agnostic``.

    Examples
    --------
    >>> agnostic_from(
    ...     2501, epsilon=1, alpha=0.1, beta=0.05, alpha1="1/200", beta1="1/60"
    ... ).n
    2477
    """
    source = "exp-mech.representation.agnostic"
    case = _Case(
        "agnostic_from", size, epsilon=epsilon, alpha=alpha, beta=beta, alpha1=alpha1, beta1=beta1
    )
    case.cert.step("gap", "alpha - alpha1", source)
    case.cert.step("tilt", "min(epsilon/2, atanh(gap))", source)
    decay = case.cert.step("decay", "-log(cosh(tilt) - gap*sinh(tilt))", source)
    return case.finish(source, n, decay=decay)


class _Case:
    """Checked parameters, and the two last steps that all four certificates share."""

    def __init__(
        self,
        owner: str,
        size: int,
        *,
        epsilon: Any,
        alpha: Any,
        beta: Any,
        alpha1: Any = 0,
        beta1: Any = 0,
    ) -> None:
        self.size = check_integer(owner, "size", size, low=1)
        self.epsilon = check_fraction(owner, "epsilon", epsilon)
        self.alpha = check_probability(owner, "alpha", alpha)
        self.beta = check_probability(owner, "beta", beta)
        self.alpha1 = check_nonnegative(owner, "alpha1", alpha1)
        self.beta1 = check_nonnegative(owner, "beta1", beta1)
        if self.alpha1 >= self.alpha:
            raise parameter_error(owner, "alpha1", "in [0, alpha)", alpha1, "Use a finer one.")
        if self.beta1 >= self.beta:
            raise parameter_error(owner, "beta1", "in [0, beta)", beta1, "Use a surer one.")
        self.cert = CertificateBuilder(
            size=self.size, epsilon=self.epsilon, alpha=self.alpha, beta=self.beta,
            alpha1=self.alpha1, beta1=self.beta1,
        )  # fmt: skip

    def finish(self, source: str, n: int | None, *, decay: Any) -> Certificate:
        # Nobody is bad when there is one candidate: max(...) makes the logarithm 0, and n = 0.
        budget = "(beta - beta1)" if self.beta1 else "beta"
        needed = self.cert.step(
            "needed", f"ceil(log(max(size - 1, {budget})/{budget})/decay)", source
        )
        records = int(needed.value) if n is None else check_integer("certificate", "n", n, low=0)
        self.cert.step("enough", "n >= needed", source, n=Fraction(records))
        return self.cert.certificate(alpha=self.alpha, beta=self.beta, n=records)
