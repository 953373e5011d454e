"""Li, Wang, Ye 2024, written a second time, from the text: sums over records and users.

Nothing of the library is used. A hypothesis is a function from points to labels, a user a tuple of
records (x, y). A law is a dict from outcomes to `Decimal`; binomials are exact fractions.
"""

from decimal import Decimal
from fractions import Fraction as F
from math import comb, floor

from .reference_yan import exp, noise_at_least, normed, then

GRID = 2**30


def tail(m, p, t):
    """Pr[Bin(m, p) > t]."""
    return sum(comb(m, k) * p**k * (1 - p) ** (m - k) for k in range(t + 1, m + 1))


def best_t(m, p, q):
    """Lemma 4.1: the t that tells p from q best; of equal ones the first."""
    return max(range(m), key=lambda t: (tail(m, q, t) - tail(m, p, t), -t))


def best_t_within(m, low, high, excess, cells=40):
    """The t whose least separation of p and p + excess, p in [low, high], is largest."""
    high = min(high, 1 - excess)
    places = [low + (high - low) * F(i, cells) for i in range(cells + 1)] if low < high else [high]

    def least(t):
        return min(tail(m, p + excess, t) - tail(m, p, t) for p in places)

    return max(range(m), key=lambda t: (least(t), t)), least


def exponential(scores, epsilon, sensitivity=1, monotone=False):
    """Section 2.3: weights exp(-epsilon q/(2 sensitivity)); under one-sided moves without the 2."""
    scale = (1 if monotone else 2) * sensitivity
    return normed({h: exp(-epsilon * q / scale) for h, q in scores.items()})


# -- records --------------------------------------------------------------------------------------


def q_of_records(h, concepts, records):
    """n times min over c of err_z(c) + dis_x(c, h)."""
    return min(sum((c(x) != y) + (c(x) != h(x)) for x, y in records) for c in concepts)


# -- users ----------------------------------------------------------------------------------------


def err(h, users, t):
    """n err_z^t(h)."""
    return sum(sum(h(x) != y for x, y in user) > t for user in users)


def q_of_users(h, concepts, users, t, s=0):
    def one(c, user):
        mistakes = sum(c(x) != y for x, y in user)
        return (mistakes > t) + (sum(c(x) != h(x) for x, _ in user) > s)

    return min(sum(one(c, user) for user in users) for c in concepts)


def compare(concepts, users, m, midpoint, gap, epsilon, share=F(9, 20), added=False):
    """Lemma C.1: the law of the bit."""
    if midpoint + gap >= 1:
        return {0: Decimal(1)}
    t = best_t(m, midpoint, midpoint + gap)
    low, high = tail(m, midpoint, t), tail(m, midpoint + gap, t)
    cut = F(floor((low + share * (high - low)) * GRID), GRID)
    least = min(err(c, users, t) for c in concepts)
    missing = len(users) * cut - least
    if added:
        far = exp(-epsilon * abs(missing) / max(cut, 1 - cut)) / 2
        one = far if missing > 0 else 1 - far
    else:
        one = noise_at_least(epsilon, -(-missing // 1))
    return {0: 1 - one, 1: one}


def min_error(concepts, users, m, T, top, epsilon, added=False):
    """Algorithm 2 with its branch the right way round: the law of [l, min(top, r + gap)]."""
    gap = F(top, 2**T)

    def go(l, r, k):  # noqa: E741
        if k == T:
            return {(l, min(top, r + gap)): Decimal(1)}
        mid = (l + r) / 2
        bit = compare(concepts, users, m, mid, gap, epsilon / T, added=added)
        return then(bit, lambda sigma: go(mid, r, k + 1) if sigma else go(l, mid, k + 1))

    return go(F(0), F(top), 0)


def theorem46(H, concepts, users, m, T, epsilon, alpha, added=False):
    """Appendix C.4, half of epsilon each: the law of the number of a hypothesis."""

    def choice(found):
        t, _ = best_t_within(m, *found, alpha)
        scores = {i: q_of_users(h, concepts, users, t) for i, h in enumerate(H)}
        return exponential(scores, epsilon / 2, 2, monotone=added)

    return then(min_error(concepts, users, m, T, 1, epsilon / 2, added), choice)


def threshold(u):
    return lambda x: int(x > u)


def interval_median(users, m, mass, theta, epsilon, l, r, added=False):  # noqa: E741
    """Lemma 5.1: the law of u in l, ..., r."""
    s = best_t(m, mass / 2, mass * theta)

    def many(a, b):
        return sum(sum(a <= x <= b for x, _ in user) > s for user in users)

    scores = {u: max(many(l, u - 1), many(u + 1, r)) for u in range(l, r + 1)}
    return exponential(scores, epsilon, monotone=added)


def private_threshold(users, m, low, high, search, medians, choice, theta, excess, added=False):
    """Algorithm 1: the law of the final l. ``search``: (T, epsilon), losses of all of its parts."""
    concepts = [threshold(u) for u in range(low - 1, high + 1)]

    def after(found):
        t, _ = best_t_within(m, *found, excess)
        score = {u: err(threshold(u), users, t) for u in range(low - 1, high + 1)}

        def step(l, r, k):  # noqa: E741
            if k == len(medians) or l == r:
                return {l: Decimal(1)}

            def parts(mid):
                sides = [(mid, mid), (l, mid - 1), (mid + 1, r)]
                least = {
                    side: min(score[u] for u in range(side[0], side[1] + 1))
                    for side in sides if side[0] <= side[1]
                }  # fmt: skip
                drawn = exponential(least, choice, monotone=added)
                return then(drawn, lambda side: step(*side, k + 1))

            mid = interval_median(users, m, theta**k, theta, medians[k], l, r, added)
            return then(mid, parts)

        return step(low - 1, high, 0)

    return then(min_error(concepts, users, m, search[0], F(1, 2), search[1], added), after)
