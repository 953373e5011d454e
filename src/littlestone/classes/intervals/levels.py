"""How deep the intervals in some gaps shatter: placing levels in gaps.

Let all intervals be left that lie in some gaps, and the empty one. A shattered tree of depth d asks
a point x_1; label 1 leaves the intervals around it, a product of left and of right ends, and label
0 splits a gap; and so on along the labels 0. So there is one exactly if the *levels*
r = d - 1, ..., 0 can be placed in this order: level r at a point x of a gap with 2**i points of the
gap up to x and 2**(r - i) from x on, for some i; the gap is split there.

With ``need(r) = 2**ceil(r/2) + 2**floor(r/2) - 1``, the length of the shortest gap that takes level
r, two facts decide it (proofs: docs/oracles.md). If one gap is at least need(r) long and another
one at least need(r - 1), all levels from r down can be placed. If one gap must take both, it does
so exactly if it is at least alone(r) long, or, for odd r, at least need(r) if another gap takes
level r - 2. So of the lengths only the two largest matter.
"""

from __future__ import annotations


def need(r: int) -> int:
    """Return the length of the shortest gap that takes level r; 0 for r < 0."""
    return (1 << (r + 1) // 2) + (1 << r // 2) - 1 if r >= 0 else 0


def highest(length: int) -> int:
    """Return the highest level that a gap takes; -1 for none."""
    r = 2 * ((length + 1).bit_length() - 1) - 2
    return max(r + (need(r + 1) <= length), -1)


def alone(r: int) -> int:
    """Return the length from which on one gap takes all levels from r down."""
    if r <= 1:
        return max(r + 1, 0)
    return (5 + 2 * (r % 2) << r // 2 - 1) - 1


def help_needed(r: int) -> int:
    """Return the length of a second gap with which need(r) is enough for the longest one."""
    return need(r - 1 - r % 2)


def thresholds(r: int) -> tuple[int, int, int]:
    """Return alone(r), need(r), help_needed(r): only there a length matters."""
    return alone(r), need(r), help_needed(r)


def fits(longest: int, second: int, r: int) -> bool:
    """Say whether the levels from r down fit into gaps, of which the two longest are given."""
    return longest >= alone(r) or (longest >= need(r) and second >= help_needed(r))


def ldim_of_gaps(longest: int, second: int) -> int:
    """Return the Littlestone dimension: the number of levels that fit.

    Examples
    --------
    >>> [ldim_of_gaps(n, 0) for n in (0, 1, 2, 4, 6, 9, 2**64)], ldim_of_gaps(3, 2)
    ([0, 1, 2, 3, 4, 5, 126], 3)
    """
    r = highest(longest)
    while r >= 0 and not fits(longest, second, r):
        r -= 1
    return r + 1
