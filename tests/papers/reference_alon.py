"""004 written down from its text: tuples of labels for concepts, floats for laws.

Nothing here imports the library. Labels are 0 and 1; a class is a frozenset of tuples.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import product

from .reference_lyu import above, ldim, restrict

# -- Section 3.2, Definition 11 -------------------------------------------------------------------


def soa(H, tie=1):
    """argmax of the Littlestone dimension."""
    said = []
    for x in range(len(next(iter(H)))):
        zero, one = ldim(restrict(H, x, 0)), ldim(restrict(H, x, 1))
        said.append(tie if zero == one else int(one > zero))
    return tuple(said)


def possible_soas(H):
    """All predictions that some way to break ties allows."""
    sides = []
    for x in range(len(next(iter(H)))):
        zero, one = ldim(restrict(H, x, 0)), ldim(restrict(H, x, 1))
        sides.append((0, 1) if zero == one else (int(one > zero),))
    return set(product(*sides))


def extended(H, examples, rule=soa):
    """Definition 11: h after all examples."""
    h = rule(H)
    realizable = True
    for x, y in examples:
        G = restrict(H, x, y) if realizable else frozenset()
        if realizable and G:
            H, h = G, rule(G)
        else:
            realizable = False
            h = tuple(y if i == x else value for i, value in enumerate(h))
    return h


# -- Section 5.2 ----------------------------------------------------------------------------------


class Fail(Exception):
    pass


def tournament(H, k, batches, coin, rule=soa):
    """A sample of D_k, as the list of its examples."""
    if k == 0:
        return []
    while True:
        runs = []
        for _ in range(2):
            S = tournament(H, k - 1, batches, coin, rule)
            try:
                T = next(batches)
            except StopIteration:
                raise Fail from None
            runs.append([*S, *T])
        f0, f1 = (extended(H, run, rule) for run in runs)
        different = [x for x in range(len(f0)) if f0[x] != f1[x]]
        if different:
            x, y = different[0], coin()  # the first point, in public order
            return [*(runs[0] if f0[x] != y else runs[1]), (x, y)]


def G(H, examples, k, n, coin, rule=soa):
    """Algorithm G for k rounds; None is "Fail"."""
    *pieces, T = [examples[i : i + n] for i in range(0, len(examples), n)]
    try:
        return extended(H, [*tournament(H, k, iter(pieces), coin, rule), *T], rule)
    except Fail:
        return None


# -- Section 5.3 ----------------------------------------------------------------------------------


def threshold(epsilon, delta):
    p, tau = math.exp(-epsilon / 2), 1
    while p ** (tau - 1) / (1 + p) > delta:
        tau += 1
    return tau


def hist(items, epsilon, delta, at_least=0):
    """The law of the list, as a sorted tuple."""
    tau = max(threshold(epsilon, delta), at_least)
    counts = sorted(Counter(item for item in items if item is not None).items())
    law = {}
    for kept in product((0, 1), repeat=len(counts)):
        chance = 1.0
        for keep, (_, count) in zip(kept, counts, strict=True):
            yes = above(count, tau, epsilon / 2)
            chance *= yes if keep else 1 - yes
        law[tuple(item for keep, (item, _) in zip(kept, counts, strict=True) if keep)] = chance
    return law


def generic(L, records, epsilon):
    weights = [math.exp(-epsilon / 2 * sum(h[x] != y for x, y in records)) for h in L]
    return {h: w / math.fsum(weights) for h, w in zip(L, weights, strict=True)}


def learner_m(H, records, copies, *, n, batches, epsilon, delta, at_least, default, coins):
    """The law of M; ``copies`` are pairs (rounds, number), ``coins(j, i)`` a copy's coin."""
    at, h = 0, []
    for j, i in copies:
        size = (batches[j] + 1) * n
        h.append(G(H, records[at : at + size], j, n, coins(j, i)))
        at += size
    law = defaultdict(float)
    for L, chance in hist(h, epsilon, delta, at_least).items():
        if not L:
            law[default] += chance
            continue
        for g, p in generic(L, records[at:], epsilon).items():
            law[g] += chance * p
    return dict(law)


def with_replacement(records, m, law_of):
    """Lemma 15: the law of a learner on m records drawn with replacement."""
    law = defaultdict(float)
    for drawn in product(range(len(records)), repeat=m):
        for h, p in law_of([records[i] for i in drawn]).items():
            law[h] += p / len(records) ** m
    return dict(law)


# -- Corollary 4 ----------------------------------------------------------------------------------


def dichotomies(H, points, second):
    """The patterns on some points, each with the errors of its best concept: over all of them."""
    best = {}
    for h in H:
        seen = tuple(h[x] for x in points)
        cost = sum(h[x] != y for x, y in second)
        best[seen] = min(cost, best.get(seen, cost))
    return best


def corollary4(H, first, second, epsilon, law_of):
    """The law of relabelling and learning; ``first`` are records whose labels are ignored."""
    points = sorted({x for x, _ in first})
    best = dichotomies(H, points, second)
    total = math.fsum(math.exp(-epsilon / 2 * cost) for cost in best.values())
    law = defaultdict(float)
    for seen, cost in best.items():
        label = dict(zip(points, seen, strict=True))
        chance = math.exp(-epsilon / 2 * cost) / total
        for h, p in law_of([(x, label[x]) for x, _ in first]).items():
            law[h] += chance * p
    return dict(law)
