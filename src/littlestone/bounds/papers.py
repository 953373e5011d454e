"""The papers' own sample sizes, with the constants of their proofs: for comparison.

Lemma 29 of Alon et al. and Theorem 3.4 of Li, Wang and Ye state orders only; the constants here are
those that their proofs need. The certificates of `exponential` and `uniform` prove the same
releases with fewer records.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from littlestone.bounds.certificate import Certificate, CertificateBuilder
from littlestone.bounds.search import least_n
from littlestone.errors import check_fraction, check_integer, check_probability

__all__ = ["alon22_lemma29", "lwy24_theorem34"]


def alon22_lemma29(
    size: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= alpha when some candidate has error <= alpha/2 (GenericLearner).

    The proof needs, with its 2 alpha read as our alpha: a bad candidate's empirical error is above
    5/6 of its error (Chernoff), the good one's is below 4/3 of it, and the released one is within
    alpha/6 of the best.

    Parameters
    ----------
    size : int >= 1
        Number of candidates.
    epsilon, alpha, beta, n
        As for `exponential.realizable`.

    Examples
    --------
    >>> alon22_lemma29(2**20, epsilon=1, alpha=0.1, beta=0.05).n
    13137
    """
    owner, source = "alon22_lemma29", "alon22.lemma29"
    inputs = {
        "size": Fraction(check_integer(owner, "size", size, low=1)),
        "alpha": check_probability(owner, "alpha", alpha),
        "beta": check_probability(owner, "beta", beta),
    }
    cert = CertificateBuilder(**inputs)
    exact = check_fraction(owner, "epsilon", epsilon)
    cert.step("release", "12*log(2*size/beta)/(alpha*epsilon)", source, epsilon=exact)
    bad = cert.step("bad_look_bad", "72*log(4*size/beta)/alpha", source)
    good = cert.step("good_looks_good", "54*log(4/beta)/alpha", source)
    needed = cert.step("needed", "ceil(max(release, bad, good))", source, bad=bad, good=good)
    records = int(needed.value) if n is None else check_integer(owner, "n", n, low=0)
    cert.step("enough", "n >= needed", source, n=records)
    return cert.certificate(alpha=inputs["alpha"], beta=inputs["beta"], n=records)


def lwy24_theorem34(
    size: int, vc_dim: int, *, epsilon: Any, alpha: Any, beta: Any, n: int | None = None
) -> Certificate:
    """Certify error <= best + alpha by Theorem 3.4 with the budgets of its proof.

    Parameters
    ----------
    size : int >= 1
        Number of candidates of an (alpha/18, beta/5)-representation of the class.
    vc_dim : int >= 0
        Of the class.
    epsilon, alpha, beta, n
        As for `exponential.agnostic`.

    Examples
    --------
    >>> lwy24_theorem34(2**20, 1, epsilon=1, alpha=0.1, beta=0.05).n
    1582500
    """
    owner, source = "lwy24_theorem34", "lwy24.thm3.4"
    exact = {
        "size": Fraction(check_integer(owner, "size", size, low=1)),
        "vc_dim": Fraction(check_integer(owner, "vc_dim", vc_dim, low=0)),
        "epsilon": check_fraction(owner, "epsilon", epsilon),
        "alpha": check_probability(owner, "alpha", alpha),
        "beta": check_probability(owner, "beta", beta),
    }

    def certify(records: int) -> Certificate:
        cert = CertificateBuilder(**exact, n=records)
        cert.step("release", "n >= 72*log(5*size/beta)/(alpha*epsilon)", source)
        cert.step(
            "deviation",
            "sqrt(2*log(2*growth(vc_dim, n))/n) + sqrt(log(5/beta)/(2*n)) <= alpha/18",
            "vc.uniform",
        )
        cert.step(
            "spread", "(log(growth(vc_dim, 2*n)) + log(size) + log(20/beta))/n", "vc.relative"
        )
        cert.step("pairs", "2*sqrt(alpha*spread/3) + 4*spread <= alpha/3", "vc.relative")
        cert.step("near", "n >= 54*log(5/beta)/alpha", source)
        return cert.certificate(alpha=exact["alpha"], beta=exact["beta"], n=records)

    return certify(least_n(certify) if n is None else check_integer(owner, "n", n, low=1))
