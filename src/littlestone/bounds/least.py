"""The least integer from which on something always holds: a property, or a certificate."""

from __future__ import annotations

from collections.abc import Callable

from littlestone.bounds.certificate import Certificate
from littlestone.bounds.search import least_integer
from littlestone.errors import check_integer, parameter_error

__all__ = ["least", "least_n"]


def least(holds: Callable[[int], bool], low: int = 0) -> int:
    """Return the least integer >= low at which a monotone property holds.

    Properties are decided exactly: no float decides a certificate.

    Examples
    --------
    >>> least(lambda i: i * i >= 50)
    8
    """
    step = 1
    while not holds(low + step - 1):
        low, step = low + step, 2 * step
    high = low + step - 1  # holds here, and fails just below low
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def least_n(
    certify: Callable[[int], Certificate],
    *,
    start: int = 1,
    largest: int = 2**256,
    guess: int | None = None,
) -> int:
    """Return the least n from which on a certificate always holds.

    Parameters
    ----------
    certify : callable
        From n to a certificate. It must be monotone from ``start`` on: once it holds, it holds for
        every larger n. (Below ``start`` it is tried one by one.)
    start : int, default=1
    largest : int, default=2**256
        Give up beyond this.
    guess : int, optional
        What floats found: the search walks away from it, and mostly two certificates decide. Only
        used with ``start=1``; it changes nothing but the time.

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

    def holds(n: int) -> bool:
        if n > largest:
            raise parameter_error(
                "least_n", "largest", "large enough", largest, "No n up to it is certified."
            )
        return certify(n).holds

    low, high = check_integer("least_n", "start", start, low=0) - 1, start
    if guess is not None and start == 1:
        return least_integer(holds, guess)
    while not holds(high):
        low, high = high, max(2 * high, 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    while high == low + 1 and 0 < high <= start and certify(high - 1).holds:
        low, high = low - 1, high - 1
    return high
