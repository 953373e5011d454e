"""What the tests of user-level learners share."""

from collections import Counter
from itertools import combinations_with_replacement

import numpy as np

from littlestone.audit.mechanism import signature
from littlestone.data import UserSample
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, Explicit


def users_of(bundles, names=None):
    """Return users with these bundles of records ((point, label), ...); a bundle may be empty."""
    points = sorted({x for bundle in bundles for x, _ in bundle})
    counted = Counter(
        (i, points.index(x), y) for i, bundle in enumerate(bundles) for x, y in bundle
    )
    groups = np.array(sorted(counted), dtype=np.int64).reshape(-1, 3)
    names = range(len(bundles)) if names is None else names
    return UserSample(
        np.array(points, dtype=np.int64),
        groups[:, 0],
        groups[:, 1],
        groups[:, 2],
        np.array([counted[key] for key in sorted(counted)], dtype=np.int64),
        np.array(list(names), dtype=np.uint64),
    )


def bundles(points, most):
    """Return all bundles of at most so many records."""
    kinds = [(x, y) for x in points for y in (0, 1)]
    return [b for size in range(most + 1) for b in combinations_with_replacement(kinds, size)]


def all_bundles_lists(held, n):
    return list(combinations_with_replacement(held, n))


def worst_excess(run, held, n, epsilon, names=None):
    """Return the largest hockey-stick divergence over all neighbours; laws are shared.

    ``run(users, source)``; data sets are multisets of ``n`` of the bundles ``held``.
    """
    laws = {}
    for data in all_bundles_lists(held, n):
        users = users_of(data, names)
        laws[data] = ExactSource().law(lambda source, users=users: run(users, source))
    order = {bundle: i for i, bundle in enumerate(held)}
    known = {data: signature(law) for data, law in laws.items()}
    worst, seen = 0, set()
    for left, law in laws.items():
        for i in range(n):
            for new in held:
                right = tuple(sorted((*left[:i], new, *left[i + 1 :]), key=order.__getitem__))
                pair = known[left], known[right]
                if pair not in seen:  # other users, but the same two laws
                    seen.add(pair)
                    divergence = hockey_stick(law.outcomes, laws[right].outcomes, epsilon)
                    worst = max(worst, upper(divergence) + upper(law.slack))
    return worst, len(laws)


class Typed:
    """User-level errors from counts of user types: users cost nothing, a million of them either.

    Parameters
    ----------
    mistakes : array of shape (hypotheses, types)
        How many mistakes each hypothesis makes on a user of each type.
    counts : array of shape (types,)
    """

    def __init__(self, mistakes, counts):
        self.mistakes, self.counts = np.asarray(mistakes), np.asarray(counts)

    def scores(self, t, *, width=1):
        return np.clip(self.mistakes - t, 0, width) @ self.counts

    def least(self, t, *, width=1):
        return int(self.scores(t, width=width).min())

    def draw(self, t, rate, source, *, width=1):
        return Explicit(-self.scores(t, width=width)).draw(rate, source)
