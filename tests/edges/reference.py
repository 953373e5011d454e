"""What the laws must be: Python's integers and fractions, definitions only, nothing of the library.

A *run* is (first, last, score): candidates in a line that share a score. A candidate that is no
integer has a number of its own. All scores are counted by a loop over the records.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate
from math import ceil

BITS = 256  # after the point


def power(rate, score):
    """``e**(rate * score)``, with a relative error below 2**-150 for exponents within -60 .. 60."""
    x = abs(Fraction(rate) * score)
    halvings = max(0, ceil(x).bit_length())
    part = int(x * 2**BITS) >> halvings
    term, total = 1 << BITS, 1 << BITS
    for k in range(1, 60):
        term = (term * part >> BITS) // k
        total += term
    for _ in range(halvings):
        total = total * total >> BITS
    e = Fraction(total, 2**BITS)
    return e if Fraction(rate) * score >= 0 else 1 / e


def levels(runs):
    """The runs that are not empty by score, ascending."""
    found = {}
    for first, last, score in runs:
        if first <= last:
            found.setdefault(score, []).append((first, last))
    return sorted(found.items())


def count(runs):
    """How many candidates some (first, last) have."""
    return sum(last - first + 1 for first, last in runs)


def at(runs, place):
    """The candidate at a place."""
    ends = list(accumulate(last - first + 1 for first, last in runs))
    i = bisect_right(ends, place)
    return runs[i][0] + place - (ends[i - 1] if i else 0)


def edges(runs):
    """Places at the ends of the first, a middle and the last run, and halfway."""
    ends = list(accumulate(last - first + 1 for first, last in runs))
    chosen = {0, 1, ends[0] - 1, ends[0], ends[len(ends) // 2], ends[-1] // 2, ends[-1] - 1}
    return sorted(place for place in chosen if 0 <= place < ends[-1])


def _line(first, end, starts, score):
    cuts = sorted({first, *(x for x in starts if first <= x < end)})
    return [(a, b - 1, score(a)) for a, b in zip(cuts, [*cuts[1:], end], strict=True)]


def thresholds(low, high, records):
    """Candidate u: 1 if x > u, and x is in the domain."""

    def score(u):
        return -sum(int(u < x <= high and x >= low) != y for x, y in records)

    return _line(low - 1, high + 1, [x for x, _ in records], score)


def points(low, high, records):
    """Candidate u: 1 at u only; the constant 0 is low - 1."""

    def score(u):
        return -sum(int(x == u >= low) != y for x, y in records)

    starts = [low, *(x for x, _ in records), *(x + 1 for x, _ in records)]
    return _line(low - 1, high + 1, starts, score)


def subtree(base, levels_below):
    """How many prefixes lie at a prefix and below."""
    return (base ** (levels_below + 1) - 1) // (base - 1)


def node(base, length, rank):
    """The digits of the prefix of a rank in preorder."""
    digits = []
    while rank:
        below = subtree(base, length - len(digits) - 1)
        digit, rank = divmod(rank - 1, below)
        digits.append(digit)
    return digits


def rank_of(base, length, digits):
    """The rank of a prefix in preorder."""
    return sum(1 + digit * subtree(base, length - i - 1) for i, digit in enumerate(digits))


def prefixes(base, length, records):
    """Candidate r: 1 on the prefixes of the r-th one, in preorder; the constant 0 is the last."""
    nodes = subtree(base, length)

    def score(rank):
        path = node(base, length, rank) if rank < nodes else None
        ones = [path is not None and path[: len(v)] == v for v, _ in records]
        return -sum(int(one) != y for one, (_, y) in zip(ones, records, strict=True))

    starts = [nodes]
    for v, _ in records:
        rank = rank_of(base, length, v)
        starts += [rank, rank + subtree(base, length - len(v))]
    return _line(0, nodes + 1, starts, score)


def needs(rank, n):
    """How many records must be <= z, and >= z."""
    low, high = rank
    return max(1, ceil(low * n)), max(1, ceil((1 - high) * n))


def ranks(size, offsets, rank):
    """Candidate z: by how much the rank of z exceeds what the window needs."""
    left, right = needs(rank, len(offsets))

    def score(z):
        return min(sum(x <= z for x in offsets) - left, sum(x >= z for x in offsets) - right)

    starts = [*offsets, *(x + 1 for x in offsets)]
    return _line(0, size, starts, score)


def tree_nodes(height, offsets, rank):
    """(z, score) of every node that holds a record."""
    left, right = needs(rank, len(offsets))
    found = []
    for h in range(height + 1):
        for name in {x >> h for x in offsets}:
            z = (name << h) + (1 << (h - 1)) - 1 if h else name
            beyond = sum(x > z for x in offsets) if h else sum(x >= z for x in offsets)
            weight = sum(x >> h == name for x in offsets)
            margin = min(sum(x <= z for x in offsets) - (left - 1), beyond - (right - 1))
            found.append((z, min(margin, weight)))
    return found


def chain(ends, reserve):
    """Node x of a chain, up to the deepest end."""

    def score(x):
        return min(sum(e >= x for e in ends), sum(e <= x for e in ends) - reserve)

    return _line(0, max(ends) + 1, [*ends, *(e + 1 for e in ends)], score) if ends else []


def clipped(low, high, users, t, width):
    """Candidate u: the sum of the users' mistakes beyond t, at most width of each."""

    def score(u):
        wrong = [sum(int(u < x <= high and x >= low) != y for x, y in user) for user in users]
        return sum(min(max(k - t, 0), width) for k in wrong)

    return _line(low - 1, high + 1, [x for user in users for x, _ in user], score)


def clipped_points(low, high, users, t, width):
    """Candidate u: the point u, or the constant 0, which is the last one."""

    def score(u):
        wrong = [sum(int(x == u <= high) != y for x, y in user) for user in users]
        return sum(min(max(k - t, 0), width) for k in wrong)

    every = [x for user in users for x, _ in user]
    return _line(low, high + 2, [high + 1, *every, *(x + 1 for x in every)], score)


def user_medians(low, high, users, s):
    """Point u: users with more than s records below u, or above it, whichever are more."""

    def score(u):
        inside = [[x for x, _ in user if low <= x <= high] for user in users]
        below = sum(sum(x < u for x in xs) > s for xs in inside)
        return max(below, sum(sum(x > u for x in xs) > s for xs in inside))

    every = [x for user in users for x, _ in user]
    return _line(low, high + 1, [*every, *(x + 1 for x in every)], score)


def interval_score(ends, records):
    """Minus the errors of an interval; None is the empty one."""
    return -sum(int(ends is not None and ends[0] <= x <= ends[1]) != y for x, y in records)


def pair_number(low, xs, pair):
    """The number of an interval without a point of xs: the empty one, then gap by gap."""
    if pair is None:
        return 0
    before, gap = 1, low
    for x in xs:
        if x > pair[0]:
            break
        before, gap = before + (x - gap) * (x - gap + 1) // 2, x + 1
    t = pair[1] - gap
    return before + t * (t + 1) // 2 + pair[0] - gap
