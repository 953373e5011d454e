"""003 written down from its text: tuples of labels for concepts, floats for laws.

A class is a frozenset of tuples of 0 and 1, one label for each point 0, ..., n - 1. Nothing here
imports the library. Laws are dictionaries from outcomes to probabilities.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import cache
from itertools import product

BOTTOM = "bottom"


# -- Section 4, by the definitions ----------------------------------------------------------------


@cache
def ldim(H):
    if not H:
        return -1
    best = 0
    for x in range(len(next(iter(H)))):
        zero, one = restrict(H, x, 0), restrict(H, x, 1)
        if zero and one:
            best = max(best, 1 + min(ldim(zero), ldim(one)))
    return best


@cache
def restrict(H, x, y):
    return frozenset(h for h in H if h[x] == y)


@cache
def soa(H):
    points = range(len(next(iter(H))))
    return tuple(0 if ldim(restrict(H, x, 0)) == ldim(H) else 1 for x in points)


@cache
def reducible(H, k):
    """Whether some k points with the SOA's answers lower the dimension."""
    f, points = soa(H), range(len(next(iter(H))))
    reached = {H}
    for _ in range(min(k, len(f))):  # a point twice tells nothing new
        reached |= {restrict(G, x, f[x]) for G in reached for x in points}
        if any(ldim(G) < ldim(H) for G in reached):
            return True
    return False


def may_be_leaf(H, depth, p, d):
    L = ldim(H)
    return depth <= p * (2 ** (d - L) - 1) and not reducible(H, p * 2 ** (d - L))


def may_be_node(H, depth, p, d):
    return depth <= p * (2 ** (d - ldim(H) + 1) - 1)


def splits(H):
    """Points with both labels: a child without concepts is dropped, so others only waste depth."""
    for x in range(len(next(iter(H)))):
        children = [G for y in (0, 1) if (G := restrict(H, x, y))]
        if len(children) == 2:
            yield children


@cache
def degree(H, depth, p, d):
    """The least degree of a valid tree from here; infinite if there is none."""
    if not may_be_node(H, depth, p, d):
        return math.inf
    best = ldim(H) if may_be_leaf(H, depth, p, d) else math.inf
    for children in splits(H):
        best = min(best, max(degree(G, depth + 1, p, d) for G in children))
    return best


@cache
def avoids(H, depth, p, d, t, f):
    """Whether some valid tree of degree at most t has no leaf of dimension t with SOA f."""
    if not may_be_node(H, depth, p, d):
        return False
    L = ldim(H)
    if may_be_leaf(H, depth, p, d) and (t > L or (t == L and soa(H) != f)):
        return True
    return any(all(avoids(G, depth + 1, p, d, t, f) for G in both) for both in splits(H))


@cache
def subclasses(H):
    found = {H}
    for children in splits(H):
        for G in children:
            found |= subclasses(G)
    return frozenset(found)


@cache
def essential(H, p, d):
    if not H:
        return frozenset()
    t = degree(H, 0, p, d)
    candidates = {soa(G) for G in subclasses(H) if ldim(G) == t}
    return frozenset(f for f in candidates if not avoids(H, 0, p, d, t, f))


# -- Algorithms 1 and 2 ---------------------------------------------------------------------------


def sparse_sample(lists, L, rate, delta):
    """The law of Algorithm 1; lists hold at most L items here."""
    assert all(len(items) <= L for items in lists)
    score = Counter(u for items in lists for u in set(items))
    weights = {u: math.exp(rate * s) for u, s in score.items()}
    weights[BOTTOM] = math.exp(rate) * L / delta
    total = math.fsum(weights.values())
    return {u: w / total for u, w in weights.items()}


def above(value, threshold, rate):
    """Pr[value + Z >= threshold], Pr[Z = z] proportional to e**(-rate |z|)."""
    p = math.exp(-rate)
    gap = threshold - value
    return p**gap / (1 + p) if gap > 0 else 1 - p ** (1 - gap) / (1 + p)


# -- Section 5 ------------------------------------------------------------------------------------


def theorem3(H, records, *, m, c, k, agreeing, offset, rate, draw_rate, L, delta, default):
    """The law of Theorem 3: offset and rate are those of a test with a noisy threshold."""
    d = ldim(H)
    k = max(1, min(k, len(records) // m))
    parts = [records[i * m : (i + 1) * m] for i in range(k)]
    stages = []
    for j, most in enumerate(c, 1):
        lists = []
        for S in parts:
            G = frozenset(h for h in H if sum(h[x] != y for x, y in S) <= most)
            lists.append(essential(G, max(m, d + 1) << j, d))
        counts = Counter(u for items in lists for u in items)
        stages.append((max(counts.values(), default=0), lists))
    tau = max(1, math.floor(k * agreeing))
    law = defaultdict(float)
    p = math.exp(-offset)
    far = int(60 / offset)
    for rho in range(-far, far + 1):
        left = (1 - p) / (1 + p) * p ** abs(rho)
        for best, lists in stages:
            passes = above(best, tau + rho, rate)
            for u, chance in sparse_sample(lists, L, draw_rate, delta).items():
                law[default if u == BOTTOM else u] += left * passes * chance
            left *= 1 - passes
        law[default] += left
    return dict(law)


# -- Section 6 ------------------------------------------------------------------------------------


def define_class(H, S, j, d, cap):
    tolerance = 0.1 * (1 - 1 / (2 * max(d, 1))) ** j
    for T in S:
        read = T[:cap]
        most = tolerance * len(read) + 1e-12
        H = frozenset(h for h in H if sum(h[x] != y for x, y in read) <= most)
    return H


def lists_of(H, S, j, d, cap):
    p = max(cap, d + 1) << j
    lists = []
    for collection in S:
        G = define_class(H, collection, j, d, cap)
        here = degree(G, 0, p, d) if G else -1
        lists.append(essential(G, p, d) if here == d + 1 - j else frozenset())
    return lists


def majority(hypotheses):
    return tuple(int(2 * sum(column) > len(hypotheses)) for column in zip(*hypotheses, strict=True))


def joint_train(H, S, j_star, counter, published, *, d, k, cap, draws, L, rate, delta, noise):
    """The law of (hypothesis, j*, counter of "below") of Algorithm 4; it halts after d + 1."""
    law = defaultdict(float)
    left = 1.0
    while j_star <= d + 1 and counter < d + 1:
        lists = lists_of(H, S, j_star, d, cap)
        votes = Counter(u for items in lists for u in items)
        passes = above(max(votes.values(), default=0), math.ceil(4 * k / 5), noise)
        one = sparse_sample(lists, L, rate, delta)
        for drawn in product(one, repeat=draws):
            some = [u for u in drawn if u != BOTTOM]
            h = majority(some) if some else published
            law[h, j_star, counter] += left * passes * math.prod(one[u] for u in drawn)
        left *= 1 - passes
        j_star, counter = j_star + 1, counter + 1
    law[published, j_star, counter] += left
    return dict(law)


def dpol(H, stream, *, teacher, U, K_budget, update, **train):
    """The law of transcripts (h_0, ..., h_T) of Algorithm 3; ``teacher(t)`` are public coins."""
    k = train["k"]
    start = soa(H)
    law = defaultdict(float)

    def follow(t, h, E, S, j_star, counter, passed, transcript, chance):
        if t > len(stream):
            law[transcript] += chance
            return
        x, y = stream[t - 1]
        if passed >= K_budget:  # halted: the last hypothesis stays
            follow(t + 1, h, E, S, j_star, counter, passed, (*transcript, h), chance)
            return
        E = (*E, (t, x, y)) if h[x] != y else E
        passes = above(len(E), U, update)
        follow(t + 1, h, E, S, j_star, counter, passed, (*transcript, h), chance * (1 - passes))
        if passed + 1 >= K_budget:
            follow(t + 1, h, E, S, j_star, counter, passed + 1, (*transcript, h), chance * passes)
            return
        A = [tuple((a, b) for s, a, b in E if teacher(s) == i) for i in range(k)]
        new = tuple((*collection, part) for collection, part in zip(S, A, strict=True))
        for (g, j, c), p in joint_train(H, new, j_star, counter, h, **train).items():
            follow(t + 1, g, (), new, j, c, passed + 1, (*transcript, g), chance * passes * p)

    empty = tuple(() for _ in range(k))
    for (g, j, c), p in joint_train(H, empty, 1, 0, start, **train).items():
        follow(1, g, (), empty, j, c, 0, (g,), p)
    return dict(law)
