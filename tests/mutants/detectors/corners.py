"""Checks of what seldom comes up: public requests, wide counts, long ways, few places among many.

Each holds for a whole kind of input; where there is a law, it is enumerated.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from littlestone.classes import Points, Thresholds
from littlestone.data import UserSample
from littlestone.learners.users import UserAgnostic
from littlestone.learners.users.scores import errors_by_user

from .base import Detector

__all__ = ["OF_CORNERS"]

F = Fraction


def one_user_one_step() -> str | None:
    """Replace one user among users with many mistakes: a score changes by at most one.

    Counts lie on both sides of what 8 and 16 bits hold.
    """
    classes, labels = (Thresholds(1, 4), Points(1, 4)), ((0, 0), (0, 1), (1, 0), (1, 1))
    for size in (125, 126, 127, 254, 255, 32766, 32767):
        for concepts, pair, t in product(classes, labels, (0, size, size + 1)):
            scores = [
                _scores(concepts, [size] * 3 + [last], pair, t)
                for last in (1, size, size + 1, 2 * size)
            ]
            steps = np.max(scores, axis=0) - np.min(scores, axis=0)
            if steps.max() > 1:
                return f"one user changes a score of {concepts.spec} by {steps.max()}"
    return None


def _scores(concepts: Any, sizes: list[int], labels: tuple[int, int], t: int) -> list[int]:
    """Return how many users make more than t mistakes, for each candidate on a line.

    Each user has that many records at 2, one at 3, and one, whose label may be another, at 4.
    """
    users = UserSample.of(
        [u for u in range(len(sizes)) for _ in range(3)],
        [2, 3, 4] * len(sizes),
        [labels[0], *labels] * len(sizes),
    )
    count = users.count.copy()
    count[users.point == 0] = sizes
    errors: Any = errors_by_user(concepts, replace(users, count=count), 2 * max(sizes) + 2)
    found = errors.scores(t)
    return [found.at(u) for u in range(errors.first, errors.end)]


def cut_of_a_rich_user() -> str | None:
    """Replace a user by one with another name, beside users with millions of records.

    What is kept of the others stays the same, and is no more than allowed.
    """
    for many in (9, 5_000_000, 2_000_000_000):
        kept = set()
        for name in ("a", "c", "d", "z"):
            users = UserSample.of([name, *"bbbbbyyyyy"], [1, *range(5), *range(5)], [1] * 11)
            count = np.where(users.records[users.user] > 1, many, 1)
            cut = replace(users, count=count).bound_contributions(3, salt=5)
            shares = [cut.groups_at(cut.user == i).pooled().ones.tolist() for i in range(3)]
            points = [cut.groups_at(cut.user == i).pooled().points.tolist() for i in range(3)]
            if max(map(sum, shares)) > 3:
                return "more records of a user are kept than allowed"
            of = sorted((name, "b", "y"))
            kept.add(str([(points[of.index(n)], shares[of.index(n)]) for n in "by"]))
        if len(kept) > 1:
            return f"a user's name says what is kept of others, who have {5 * many} records"
    return None


def shares_of_epsilon() -> str | None:
    """Add up what plans give to window and choice: no more than there is."""
    for epsilon, m in product((F(1, 3), F(8)), (2, 16)):
        numbers: dict[str, Any] = {"epsilon": epsilon, "alpha": F(1, 5), "beta": F(1, 9)}
        made = UserAgnostic(Thresholds(1, 9), samples_per_user=m, **numbers)
        clip = replace(made, method="user-level").plan.chosen
        if clip.epsilon_search + clip.epsilon_choice > epsilon:
            return "window and choice have more than epsilon together"
    return None


OF_CORNERS: dict[str, Detector] = {
    "one user, one step": one_user_one_step,
    "the cut of a rich user": cut_of_a_rich_user,
    "shares of epsilon": shares_of_epsilon,
}
