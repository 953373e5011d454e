"""Numerical search for good public parameters, and for the least integer with a property.

What floats find here is a proposal: it decides how good a certificate is, never whether it is
valid; the least n of a certificate is decided exactly. Everything is deterministic, so the same
public parameters are found again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from littlestone.errors import ParameterError


def least_n(
    holds: Callable[[int], bool], guess: int = 1, *, low: int = 1, step: int = 1, most: int = 2**256
) -> int:
    """Return the least n >= ``low`` with a monotone property: once it holds, it always does.

    The search walks away from the guess in growing steps, of ``step`` at first; the guess changes
    nothing but the time. No float decides a certificate: its property is decided exactly.

    Examples
    --------
    >>> from littlestone.bounds import realizable
    >>> least_n(lambda n: realizable(2**20, epsilon=1, alpha=0.1, beta=0.05, n=n).holds)
    420
    """
    high = max(guess, low)
    below = high - 1
    if holds(high):
        while below >= low and holds(below):
            below, high, step = max(below - step, low - 1), below, 2 * step
    else:
        while True:
            if high >= most:
                raise ParameterError(
                    f"No number up to {float(most):.1g} is large enough for these public numbers: "
                    "epsilon, delta, alpha or beta is too small. Take larger ones; 1 is a common "
                    "epsilon."
                )
            below, high, step = high, min(high + step, most), 2 * step
            if holds(high):
                break
    while high - below > 1:
        middle = (below + high) // 2
        below, high = (below, middle) if holds(middle) else (middle, high)
    return high


def near_zero(height: Callable[[int], float], n: int) -> int:
    """Return about where a height that falls like a line is 0, by secants from n on.

    Examples
    --------
    >>> near_zero(lambda n: 70 - n / 2 + math.sqrt(n), 500)
    166
    """
    points = [n, n + n // 8 + 1]
    heights = [height(at) for at in points]
    for _ in range(6):
        fall = (heights[-2] - heights[-1]) / (points[-1] - points[-2])
        far = heights[-1] / fall if fall > 0 else points[-1]
        n = max(points[-1] + math.ceil(min(max(far, -points[-1] / 2), points[-1])), 1)
        if n in points:
            break
        points.append(n)
        heights.append(height(n))
    return n


#: Stands for "no n suffices" in searches (an infinity would make differences undefined).
HOPELESS = 1e30


def least_point(
    height: Callable[[Sequence[float]], float], start: Sequence[float], *, scale: float = 0.7
) -> list[float]:
    """Return where a function of a few numbers is about least.

    ``height``: what shall be small; infinite values count as `HOPELESS`; ``start``: one corner of
    the first simplex; ``scale`` is the length of its edges.

    Notes
    -----
    *Source.* J. Nelder and R. Mead, A simplex method for function minimization, 1965.

    Examples
    --------
    >>> least_point(lambda x: (x[0] - 3) ** 2, [0.0])[0] - 3 < 0.001
    True
    """
    simplex = [list(start)]
    simplex += [[x + scale * (i == k) for i, x in enumerate(start)] for k in range(len(start))]
    return _nelder_mead(lambda x: min(height(x), HOPELESS), simplex, 60 * len(start))


def _nelder_mead(
    height: Callable[[Sequence[float]], float], simplex: list[list[float]], calls: int
) -> list[float]:
    """Return the best corner found: the simplex method of Nelder and Mead, with their constants.

    The same steps in the same order as SciPy's, whose import takes longer than all of the search.
    """
    corners = [(height(x), x) for x in simplex]
    corners.sort(key=_first)
    calls -= len(corners)
    many = len(simplex) - 1
    while calls > 0:
        (least, best), (worst, last) = corners[0], corners[-1]
        near = max(
            abs(x - y) for _, corner in corners[1:] for x, y in zip(corner, best, strict=True)
        )
        if near <= 1e-3 and max(abs(least - found) for found, _ in corners[1:]) <= 1e-4:
            break
        middle = [sum(x) / many for x in zip(*(corner for _, corner in corners[:-1]), strict=True)]

        def beyond(far: float, middle: list[float] = middle, last: list[float] = last) -> Any:
            """Go from the worst corner through the middle of the others."""
            found = [(1 + far) * x - far * y for x, y in zip(middle, last, strict=True)]
            return height(found), found

        calls -= 1
        trial = beyond(1.0)
        if trial[0] < least:
            calls -= 1
            trial = min(trial, beyond(2.0), key=_first)
        elif trial[0] >= corners[-2][0]:
            calls -= 1
            inward = beyond(0.5) if trial[0] < worst else beyond(-0.5)
            better = inward[0] <= trial[0] if trial[0] < worst else inward[0] < worst
            trial = inward if better else None
        if trial is not None:
            corners[-1] = trial
        else:
            calls -= many
            moved = [
                [x + 0.5 * (y - x) for x, y in zip(best, corner, strict=True)]
                for _, corner in corners[1:]
            ]
            corners[1:] = [(height(x), x) for x in moved]
        corners.sort(key=_first)
    return corners[0][1]


def _first(pair: tuple[float, list[float]]) -> float:
    return pair[0]


def least_real(enough: Callable[[float], bool], first: float = 1.0) -> float:
    """Return about the least n > 0 from which on ``enough`` holds; `HOPELESS` if none is found."""
    low, high = 0.0, max(first, 1.0)
    while not enough(high):
        low, high = high, 2 * high
        if high > HOPELESS:
            return HOPELESS
    while high - low > 1e-4 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def log_growth(vc_dim: int, n: float) -> float:
    """Return ln of the sum of comb(n, i) for i <= vc_dim, in floats.

    Examples
    --------
    >>> round(math.exp(log_growth(2, 10.0)), 9)
    56.0
    """
    if n <= vc_dim:
        return n * math.log(2)
    total = term = 1.0  # from the last term down, in units of it
    for i in range(vc_dim, 0, -1):
        term *= i / (n - i + 1)
        total += term
        if term < 1e-18 * total:
            break
    if vc_dim <= 64 or n > 10**12:  # lgamma of a large number has few digits behind the point
        last = sum(math.log(n - i) - math.log(i + 1) for i in range(vc_dim))
    else:
        last = math.lgamma(n + 1) - math.lgamma(vc_dim + 1) - math.lgamma(n - vc_dim + 1)
    return last + math.log(total)


def log_of(x: Fraction | int) -> float:
    """Return the natural logarithm of an exact positive number, also where it is no float.

    Examples
    --------
    >>> round(log_of(Fraction(2**5000, 3)) - 5000 * log_of(2) + log_of(3), 9)
    0.0
    """
    exact = Fraction(x)
    return math.log(exact.numerator) - math.log(exact.denominator)


def softmax(weights: Sequence[float]) -> list[float]:
    """Return positive shares that sum to one."""
    top = max(weights)
    powers = [math.exp(max(w - top, -20.0)) for w in weights]
    return [p / sum(powers) for p in powers]
