"""Yan 2025, written a second time, from the text: lists of labels, decimals of 60 digits.

Nothing of the library is used. A class is a list of concepts, a concept a tuple of labels; the
tree is the order of Definition 13 and nothing else. A law is a dict from outcomes to `Decimal`.
"""

from collections import Counter
from decimal import Decimal, getcontext
from itertools import combinations

getcontext().prec = 60


def exp(x):
    """e**x of a fraction or an integer."""
    numerator, denominator = x.as_integer_ratio()
    return (Decimal(numerator) / Decimal(denominator)).exp()


def normed(weights):
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


def then(law, follow):
    """The law of follow(outcome), a law itself."""
    found = Counter()
    for outcome, chance in law.items():
        for last, more in follow(outcome).items():
            found[last] += chance * more
    return dict(found)


def noise_at_least(epsilon, k):
    """Pr[Z >= k] for Pr[Z = z] = (1 - p)/(1 + p) p**|z|, p = e**-epsilon, summed term by term."""
    p = exp(-epsilon)
    inside = sum(p ** abs(z) for z in range(min(k, 1 - k), max(k, 1 - k)))
    inner = inside * (1 - p) / (1 + p)  # |z| < max(k, 1 - k)
    outer = (1 - inner) / 2
    return outer if k >= 1 else 1 - outer


class Tree:
    """Definitions 13 to 20 of a class under one of its concepts."""

    def __init__(self, concepts, f, order=None):
        self.concepts, self.f = concepts, f
        self.relabelled = {tuple(a ^ b for a, b in zip(c, f, strict=True)) for c in concepts}
        self.columns = list(zip(*sorted(self.relabelled), strict=True))
        self.domain = range(len(f))
        # Assumptions 1 and 2: a point that no concept tells from an earlier one; one of label f
        self.X = [
            x for x in self.domain
            if any(self.columns[x]) and self.columns.index(self.columns[x]) == x
        ]  # fmt: skip
        if order:  # which child is the first one is free, but public
            self.X.sort(key=order.index)

    def of(self, x):
        """The point of X that stands for x; None where every concept agrees with f."""
        return self.columns.index(self.columns[x]) if any(self.columns[x]) else None

    def precedes(self, x, y):
        """x ⪯ y; y = None is the empty set, the root."""
        if x is None or y is None:
            return y is None
        return all(b for a, b in zip(self.columns[x], self.columns[y], strict=True) if a)

    def up(self, x):
        """x and all above it."""
        return {y for y in self.X if x is not None and self.precedes(x, y)}

    def depth(self, x):
        return len(self.up(x))

    def children(self, x):
        return [y for y in self.X if self.precedes(y, x) and self.depth(y) == self.depth(x) + 1]

    def height(self):
        return max((self.depth(x) for x in self.X), default=0)

    def hypothesis(self, x):
        """f, flipped on x and all above it (and on the points that these stand for)."""
        flipped = self.up(x)
        return tuple(self.f[z] ^ (self.of(z) in flipped) for z in self.domain)

    def proper(self, x):
        return self.hypothesis(x) in self.concepts

    def deepest(self, records):
        """The deepest deterministic point of a chunk, after erratum 1; None if there is none."""
        positive = [self.of(x) for x, y in records if y != self.f[x]]
        negative = [self.of(x) for x, y in records if y == self.f[x]]
        if not positive or None in positive:
            return None
        if not all(
            self.precedes(x, y) or self.precedes(y, x) for x, y in combinations(positive, 2)
        ):
            return None
        x = max(positive, key=self.depth)
        return None if self.up(x) & set(negative) else x


def make_tree_parents(concepts, f):
    """Algorithm 1 by Definition 16: the parent is what is just above."""
    tree = Tree(concepts, f)
    return {
        x: next((y for y in tree.X if y in tree.up(x) and tree.depth(y) == tree.depth(x) - 1), None)
        for x in tree.X
    }


def dealt(records, t):
    """Records by position into t parts, the larger ones first."""
    whole, rest = divmod(len(records), t)
    parts, start = [], 0
    for i in range(t):
        size = whole + (i < rest)
        parts.append(records[start : start + size])
        start += size
    return parts


def rank_exponential(values, size, epsilon, need):
    """Exponential mechanism on min(#{<= z}, #{>= z}) - need, over 0, ..., size - 1."""
    rank = {z: min(sum(v <= z for v in values), sum(v >= z for v in values)) for z in range(size)}
    return normed({z: exp(epsilon * (rank[z] - need) / 2) for z in range(size)})


def choosing(quality, k, epsilon, delta):
    """Lemma 1 with the least bottom: e**(epsilon/2) k/delta."""
    weights = {x: exp(epsilon * q / 2) for x, q in quality.items() if q >= 1}
    return normed(weights | {None: exp(epsilon / 2) * k / exp0(delta)})


def exp0(x):
    numerator, denominator = x.as_integer_ratio()
    return Decimal(numerator) / Decimal(denominator)


def algorithm2(tree, records, t, epsilon, delta, median):
    """The law of x_good (None: the root). ``median``: depths, number of depths -> law."""
    y = [tree.deepest(chunk) for chunk in dealt(records, t)]
    d = [tree.depth(x) for x in y]

    def chosen(z):
        if not z:
            return {None: Decimal(1)}
        P = [x for x in tree.X if tree.depth(x) == z]
        q = {
            x: sum(x in tree.up(y_i) for y_i, d_i in zip(y, d, strict=True) if d_i >= z) for x in P
        }
        return choosing(q, 1, epsilon, delta)

    return then(median(d, tree.height() + 1), chosen)


def subtree(tree, x_good):
    """Algorithm 3: the nodes that are left."""
    if tree.proper(x_good):
        return {x_good}
    below = [x for x in tree.X if tree.precedes(x, x_good)]
    cut = [x for x in below if x != x_good and tree.proper(x)]
    return {x for x in below if not any(x != y and tree.precedes(x, y) for y in cut)}


def algorithm4(tree, x_good, records, T, threshold, epsilon, test):
    """Steps 3 to 8: the law of the leaf; any leaf is the first one."""
    if tree.proper(x_good):
        return {x_good: Decimal(1)}
    nodes = subtree(tree, x_good)
    zeros = [tree.of(x) for x, y in records if y == tree.f[x] and tree.of(x) is not None]

    def w(x):
        return sum(z in nodes and tree.precedes(z, x) for z in zeros)

    def v(x):
        return sum(z != x_good and tree.precedes(x, z) and tree.precedes(z, x_good) for z in zeros)

    def leaves(x):
        """L(x)."""
        inside = [y for y in tree.children(x) if y in nodes]
        return [leaf for y in inside for leaf in leaves(y)] if inside else [x]

    def down(x, rounds):
        X = [y for y in tree.children(x) if y in nodes][: T + 1]
        if not X or not rounds:
            return {leaves(x)[0]: Decimal(1)}
        low = normed({y: exp(-epsilon * w(y) / 2) for y in X})
        case_c = then(low, lambda y: {leaves(y)[0]: Decimal(1)})
        if len(X) > T:
            return case_c
        light = noise_at_least(test, min(map(w, X)) - threshold)  # Z <= threshold - w, mirrored
        values = {y: min(map(v, leaves(y))) for y in X}
        case_d = then(
            normed({y: exp(-epsilon * value / 2) for y, value in values.items()}),
            lambda y: down(y, rounds - 1),
        )
        return {
            leaf: light * case_c.get(leaf, 0) + (1 - light) * case_d.get(leaf, 0)
            for leaf in {*case_c, *case_d}
        }

    return down(x_good, T)


def private_median_level(values, size, height, budget, at, inner):
    """One level of the log* recursion on listed leaves; ``inner``: depths, size -> law.

    ``budget``: epsilon of test, release, last choice and heavy branch; ``at``: thresholds, by name.
    Nodes are (depth, number): a leaf is (height, value).
    """
    middle = sorted(values)[at["trim"] : len(values) - at["trim"]]

    def under(depth, number):
        return [v for v in middle if v >> (height - depth) == number]

    def halves(depth, number):
        return [under(depth + 1, 2 * number + i) for i in (0, 1)]

    inner_nodes = [(depth, i) for depth in range(height) for i in range(2**depth)]
    balance = {node: min(map(len, halves(*node))) for node in inner_nodes}

    def first_last(depth, number):
        wide = height - depth
        return number << wide, (number + 1 << wide) - 1

    def heavy():
        weights = {
            node: exp(budget["heavy"] * b / 2) for node, b in balance.items() if b >= at["least"]
        }
        law = normed(weights | {None: at["bottom"]}) if weights or at["bottom"] else {None: 1}
        return then(
            law, lambda v: {None if v is None else min(sum(first_last(*v)) // 2, size - 1): 1}
        )

    def path():
        nodes, at_node = [(0, 0)], (0, 0)
        while at_node[0] < height:
            left, right = halves(*at_node)
            at_node = (at_node[0] + 1, 2 * at_node[1] + (len(left) < len(right)))
            nodes.append(at_node)
        depths = sorted(sum(v in under(*node) for node in nodes[1:]) for v in middle)
        depths = depths[: len(depths) - at["drop"]]

        def after(q):
            if q is None:
                return {None: Decimal(1)}
            weights = [len(under(q, i)) for i in range(2**q)]
            best = weights.index(max(weights))
            kept = noise_at_least(budget["stay"], at["stable"] - weights[best])
            first, last = first_last(q, best)
            three = [min(z, size - 1) for z in (first, (first + last) // 2, last)]
            rank = [min(sum(v <= z for v in values), sum(v >= z for v in values)) for z in three]
            each = normed({i: exp(budget["last"] * r / 2) for i, r in enumerate(rank)})
            found = Counter({None: 1 - kept})
            for i, chance in each.items():
                found[three[i]] += kept * chance
            return dict(found)

        return then(inner(depths, height + 1), after)

    if at["rest"] < 1:
        return {None: Decimal(1)}
    test = noise_at_least(budget["test"], at["theta"] - max(balance.values(), default=0))
    one, other = heavy(), path()
    return {z: test * one.get(z, 0) + (1 - test) * other.get(z, 0) for z in {*one, *other}}
