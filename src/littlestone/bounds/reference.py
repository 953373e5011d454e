"""How many records learning needs *without* privacy: the planner's yardstick."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from littlestone.bounds.certificate import Certificate, CertificateBuilder
from littlestone.bounds.search import least_n
from littlestone.errors import check_integer, check_probability

__all__ = ["consistent", "consistent_vc", "erm", "erm_vc", "uniform_vc"]


def consistent(size: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= alpha of any consistent candidate, when some candidate has error 0.

    n >= ln((size-1)/beta) / -ln(1-alpha): the limit of `exponential.realizable` for large epsilon.

    Parameters
    ----------
    size : int >= 1
        Number of candidates.
    alpha, beta : number in (0, 1)
    n : int >= 1 or None
        Number of records to certify; None asks for the least one.

    Examples
    --------
    >>> consistent(2**20, alpha=0.1, beta=0.05).n
    161
    """
    return _finite("finite.consistent", "-log(1 - alpha)", size, alpha=alpha, beta=beta, n=n)


def erm(size: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= best + alpha of the candidate with the least empirical error.

    n >= 2 ln((size-1)/beta) / -ln(1-alpha**2): the value of `exponential.agnostic` from
    epsilon = 2 artanh(alpha) on.

    Parameters
    ----------
    size : int >= 1
        Number of candidates.
    alpha, beta : number in (0, 1)
    n : int >= 1 or None
        Number of records to certify; None asks for the least one.

    Examples
    --------
    >>> erm(40_000, alpha=0.1, beta=0.05).n
    2705
    """
    return _finite("finite.erm", "-log(1 - alpha**2)/2", size, alpha=alpha, beta=beta, n=n)


def consistent_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= alpha of any consistent concept of a class of VC dimension ``vc_dim``.

    Parameters
    ----------
    vc_dim : int >= 0
    alpha, beta : number in (0, 1)
    n : int >= 1 or None
        Number of records to certify; None asks for the least one.

    Examples
    --------
    >>> consistent_vc(1, alpha=0.1, beta=0.05).n, consistent_vc(5, alpha=0.1, beta=0.05).n
    (291, 1076)
    """
    return _vc(
        "vc.consistent",
        {
            "large": "n >= 8/alpha",
            "enough": "log(2*growth(vc_dim, 2*n)) - alpha*n/2*log(2) <= log(beta)",
        },
        (vc_dim, alpha, beta, n),
    )


def uniform_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify that *all* errors are estimated within alpha.

    Parameters
    ----------
    vc_dim : int >= 0
    alpha, beta : number in (0, 1)
    n : int >= 1 or None
        Number of records to certify; None asks for the least one.

    Examples
    --------
    >>> uniform_vc(1, alpha=0.1, beta=0.05).n, uniform_vc(5, alpha=0.1, beta=0.05).n
    (2903, 10879)
    """
    line = "sqrt(2*log(2*growth(vc_dim, n))/n) + sqrt(log(1/beta)/(2*n)) <= alpha"
    return _vc("vc.uniform", {"enough": line}, (vc_dim, alpha, beta, n))


def erm_vc(vc_dim: int, *, alpha: Any, beta: Any, n: int | None = None) -> Certificate:
    """Certify error <= best + alpha of the least empirical error in a class.

    Parameters
    ----------
    vc_dim : int >= 0
    alpha, beta : number in (0, 1)
    n : int >= 1 or None
        Number of records to certify; None asks for the least one.

    Examples
    --------
    >>> erm_vc(1, alpha=0.1, beta=0.05).n
    4661
    """
    line = "sqrt(2*log(growth(vc_dim, n))/n) + 2*sqrt(log(2/beta)/(2*n)) <= alpha"
    return _vc("vc.uniform", {"enough": line}, (vc_dim, alpha, beta, n))


def _finite(
    source: str, decay_formula: str, size: int, *, alpha: Any, beta: Any, n: int | None
) -> Certificate:
    error = check_probability(source, "alpha", alpha)
    failing = check_probability(source, "beta", beta)
    size = check_integer(source, "size", size, low=1)
    cert = CertificateBuilder(size=size, alpha=error, beta=failing)
    cert.step("decay", decay_formula, source)
    needed = cert.step("needed", "ceil(log(max(size - 1, beta)/beta)/decay)", source)
    records = int(needed.value) if n is None else check_integer(source, "n", n, low=0)
    cert.step("enough", "n >= needed", source, n=records)
    return cert.certificate(alpha=error, beta=failing, n=records)


def _vc(source: str, lines: dict[str, str], given: tuple[int, Any, Any, int | None]) -> Certificate:
    vc_dim, alpha, beta, n = given
    exact = {
        "vc_dim": Fraction(check_integer(source, "vc_dim", vc_dim, low=0)),
        "alpha": check_probability(source, "alpha", alpha),
        "beta": check_probability(source, "beta", beta),
    }

    def certify(records: int) -> Certificate:
        cert = CertificateBuilder(**exact, n=records)
        for name, formula in lines.items():
            cert.step(name, formula, source)
        return cert.certificate(alpha=exact["alpha"], beta=exact["beta"], n=records)

    return certify(least_n(certify) if n is None else check_integer(source, "n", n, low=1))
