"""Checks of users: one user changes that user's own records only, and epsilons add up to one.

What is verified of a user-level learner is its *inner transcript*: every private answer on the way
to the hypothesis is an output too. That is what composition promises, and there a budget spent
twice shows at once; the hypothesis alone may hide it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from littlestone.classes import Thresholds
from littlestone.data import IntegerDomain, UserSample
from littlestone.learners.users import UserAgnostic
from littlestone.learners.users.learner import ClippedPlan
from littlestone.learners.users.scores import errors_by_user
from littlestone.source import Source

from .base import Detector, verified
from .data import held

__all__ = ["OF_USERS"]

F = Fraction
User = tuple[tuple[int, int], ...]
_EACH = 100  # points of one user in `another_name`


def another_name() -> str | None:
    """Replace a user by one with another name: the rest keep the records that they kept.

    The points say whose they are, so no order of names has to be known.
    """
    texts, numbers, pairs = ["b", "d", "f"], [20, 40, 60], [("u", 1), ("u", 2), ("u", 3)]
    kinds: list[tuple[Sequence[Any], Sequence[Any], _Reader]] = [
        (texts, ["a", "c", "z"], _listed),
        (numbers, [1, 50, 1000], _listed),
        (pairs, [("t", 0), ("u", 9)], _listed),
        (numbers, [1, 50, 1000], _in_an_array),
        (numbers, [1, 50, None], _in_a_table),
        ([10**18 + i for i in numbers], [1, None], _in_a_table),  # of 19 digits
        (["20", "40", "60"], ["1", "x", "007", None], _in_a_table),
    ]
    for rest, strangers, reader in kinds:
        kept = set()
        for stranger, size in product(strangers, (2, 8)):
            rows = [(name, _EACH * i + j) for i, name in enumerate(rest, 1) for j in range(8)]
            rows = [(stranger, j) for j in range(size)] + rows
            names, points = zip(*rows, strict=True)
            records = held(reader(names, points).bound_contributions(3, salt=3).pooled())
            others = {key: times for key, times in records.items() if key[0] >= _EACH}
            if sum(others.values()) != 3 * len(rest):
                return "a user's cut has another size"
            kept.add(frozenset(others.items()))
        if len(kept) > 1:
            return "the name of one user changes what is kept of others"
    return None


_Reader = Callable[[Sequence[Any], Sequence[int]], UserSample]
_DOMAIN = IntegerDomain(0, 9 * _EACH)


def _listed(names: Sequence[Any], points: Sequence[int]) -> UserSample:
    return UserSample.of(list(names), list(points), [1] * len(points))


def _in_an_array(names: Sequence[Any], points: Sequence[int]) -> UserSample:
    ones = np.ones(len(points), dtype=np.int64)
    return UserSample.from_arrays(np.array(points), ones, np.array(names), caller="fit")


def _in_a_table(names: Sequence[Any], points: Sequence[int]) -> UserSample:
    import pyarrow as pa

    table = pa.table({"who": pa.array(names), "x": points, "y": [1] * len(points)})
    return UserSample.read(table, user="who", x="x", y="y", domain=_DOMAIN)


def clipped(width: int, epsilon: Fraction) -> ClippedPlan:
    """Return clipped errors of thresholds, with three windows that half of epsilon chooses from."""
    return ClippedPlan(
        Thresholds(1, 3).representation(), 4, (0, 1, 2), width, F(1, 2), epsilon / 2, epsilon / 2,
        F(1, 3), F(1, 3),
    )  # fmt: skip


_LEFT: User = ((1, 1), (1, 1))
_WRONG: User = ((1, 0), (1, 0))  # of `_LEFT`: what is right for one is wrong for the other


def _of(users: tuple[User, ...]) -> UserSample:
    """Return users as a sample; one without records is there, too."""
    rows = [(i, x, y) for i, user in enumerate(users) for x, y in user]
    made = UserSample.of([i for i, _, _ in rows], [x for _, x, _ in rows], [y for *_, y in rows])
    present = [i for i, user in enumerate(users) if user]
    index = np.array(present, dtype=np.int64)[made.user] if rows else made.user
    keys = np.arange(len(users), dtype=np.uint64)
    return UserSample(made.points, index, made.point, made.code, made.count, keys)


def search_and_choice() -> str | None:
    """Verify window and choice together, for three users of one mind, and one who is not."""
    rest = [(a, b) for a in (_LEFT, _WRONG) for b in (_LEFT, _WRONG)]
    pairs = [((*two, _LEFT), (*two, _WRONG)) for two in rest]
    found = None
    for width in (1, 2, 3):
        plan = clipped(width, F(8))

        def run(users: tuple[User, ...], source: Source) -> Hashable:
            errors = errors_by_user(plan.representation.drawn(source), _of(users), 4)  # noqa: B023
            t = plan.locate(errors, len(users), source)  # noqa: B023
            one = replace(plan, starts=(t,))  # noqa: B023
            return t, one.choose(_of(users), source).key

        # mistakes of one user: 2, or 4 with each record twice
        double = [tuple(tuple(user * 2 for user in users) for users in pair) for pair in pairs]
        found = found or verified(run, [*pairs, *double], epsilon=8)
    return found


def shares_of_epsilon() -> str | None:
    """Add up what plans give to window and choice: no more than there is.

    `search_and_choice` verifies that each part spends what it was given.
    """
    for epsilon, m in product((F(1, 3), F(8)), (2, 16)):
        numbers: dict[str, Any] = {"epsilon": epsilon, "alpha": F(1, 5), "beta": F(1, 9)}
        made = UserAgnostic(Thresholds(1, 9), samples_per_user=m, **numbers)
        clip = replace(made, method="user-level").plan.chosen
        if clip.epsilon_search + clip.epsilon_choice > epsilon:
            return "window and choice have more than epsilon together"
    return None


OF_USERS: dict[str, Detector] = {
    "another name for a user": another_name,
    "search and choice": search_and_choice,
    "shares of epsilon": shares_of_epsilon,
}
