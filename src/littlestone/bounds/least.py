"""The least number of records from which on a certificate always holds."""

from __future__ import annotations

from collections.abc import Callable

from littlestone.bounds.certificate import Certificate
from littlestone.errors import check_integer, parameter_error

__all__ = ["least_n"]


def least_n(certify: Callable[[int], Certificate], *, start: int = 1, largest: int = 2**256) -> int:
    """Return the least n from which on a certificate always holds.

    Parameters
    ----------
    certify : callable
        From n to a certificate. It must be monotone from ``start`` on: once it holds, it holds for
        every larger n. (Below ``start`` it is tried one by one.)
    start : int, default=1
    largest : int, default=2**256
        Give up beyond this.

    Returns
    -------
    int
        ``certify(n).holds``, and not ``certify(n - 1).holds``.

    Examples
    --------
    >>> from littlestone.bounds import realizable
    >>> least_n(lambda n: realizable(2**20, epsilon=1, alpha=0.1, beta=0.05, n=n))
    420
    """
    low, high = check_integer("least_n", "start", start, low=0) - 1, start
    while not certify(high).holds:
        low, high = high, max(2 * high, 1)
        if high > largest:
            raise parameter_error(
                "least_n", "largest", "large enough", largest, "No n up to it is certified."
            )
    while high - low > 1:
        middle = (low + high) // 2
        if certify(middle).holds:
            high = middle
        else:
            low = middle
    while high == low + 1 and 0 < high <= start and certify(high - 1).holds:
        low, high = low - 1, high - 1
    return high
