"""The paper's own sample size, with its constants: for comparison only."""

from __future__ import annotations

from typing import Any

from littlestone.bounds import Certificate, CertificateBuilder
from littlestone.errors import check_fraction, check_probability
from littlestone.learners.vc1.claims import PAPER

__all__ = ["yan25_theorem11"]


def yan25_theorem11(*, epsilon: Any, delta: Any, alpha: Any, beta: Any) -> Certificate:
    """Return a lower bound of Theorem 11's number of records, with all constants that are stated.

    The median's constant is hidden in an O, so the number of chunks counts Algorithm 2's choosing
    mechanism alone: t/6 >= 16/epsilon' ln(4 t/(beta' epsilon' delta')), with epsilon' = epsilon/2,
    delta' = delta/2, beta' = beta/(t+2). So the true size is larger, and depends on the class.

    Parameters
    ----------
    epsilon, delta, alpha, beta : numbers, as for `VC1Learner`

    Returns
    -------
    Certificate
        Its status is "order-only", and it never holds.

    Examples
    --------
    >>> certificate = yan25_theorem11(epsilon=1, delta=1e-6, alpha=0.1, beta=0.05)
    >>> certificate.n, certificate.holds
    (293296494, False)
    """
    owner = "yan25_theorem11"
    known = {
        "epsilon": check_fraction(owner, "epsilon", epsilon),
        "delta": check_probability(owner, "delta", delta),
        "beta": check_probability(owner, "beta", beta),
    }
    error = check_probability(owner, "alpha", alpha)
    chunks = 1
    while True:  # the right-hand side grows with ln t only: this ends at the least fixed point
        cert = CertificateBuilder()
        needed = cert.step(
            "chunks",
            "ceil(6*32/epsilon*log(4*t*(t + 2)/(beta*(epsilon/2)*(delta/2))))",
            PAPER,
            t=chunks,
            **known,
        )
        if int(needed.value) <= chunks:
            break
        chunks = int(needed.value)
    cert.step(
        "chunk",
        "48/alpha*(10*log(48*exp(1)/alpha) + log(5*(t + 2)/beta))",
        PAPER,
        alpha=error,
        beta=known["beta"],
        t=chunks,
    )
    total = cert.step("needed", "ceil(t*chunk)", PAPER, t=chunks)
    return cert.certificate(alpha=error, beta=known["beta"], n=int(total.value))
