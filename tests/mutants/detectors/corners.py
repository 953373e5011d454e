"""Checks of what seldom comes up: public requests, wide counts, long ways, few places among many.

Each holds for a whole kind of input; where there is a law, it is enumerated.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

import numpy as np

from littlestone.classes import DecisionTrees, Points, Thresholds
from littlestone.data import Sample, Schema, UserSample
from littlestone.learners.agnostic import places
from littlestone.learners.online.estimator import OnlineLearner
from littlestone.learners.users.scores import errors_by_user
from littlestone.source import ExactSource, Source

from .base import Detector, verified

__all__ = ["OF_CORNERS"]

F = Fraction


def places_of_a_part() -> str | None:
    """Enumerate the places of a part: every order of different places is equally likely."""
    for n, m in ((3, 2), (4, 3), (5, 3), (4, 1)):
        law = ExactSource().law(lambda source: tuple(places(n, m, source).tolist()))  # noqa: B023
        orders = set(permutations(range(n), m))
        if set(law.outcomes) != orders:
            return f"{m} places of {n} are not {m} different ones, in every order"
        if any(abs(float(p) * len(orders) - 1) > 1e-9 for p in law.outcomes.values()):
            return f"{m} places of {n} are not equally likely"
    return None


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


def splits_that_look_alike() -> str | None:
    """Verify drawn trees on rows that some splits part alike, and others do not."""
    trees = DecisionTrees(Schema.from_dict({"a": {"bins": [0]}, "b": {"bins": [0]}}), depth=1)

    def run(records: Sequence[tuple[int, int, int]], source: Source) -> Hashable:
        table = np.array(records, dtype=np.int16)
        sample = Sample.of(table[:, :2], table[:, 2].tolist())
        return trees.candidates(sample).draw(F(1, 2), source).key

    records = list(product((2, 3), (2, 3), (0, 1)))
    pairs: list[tuple[Any, Any]] = [((one,), (other,)) for one, other in combinations(records, 2)]
    pairs += [((records[0], *one), (records[0], *other)) for one, other in pairs]
    return verified(run, pairs)


def what_a_stream_shows() -> str | None:
    """Compare all that two learners show which published the same, from other mistakes.

    Everything that can be read off a learner is a function of what it published, but `state_`.
    """
    shown = [_shown(mistakes) for mistakes in (0, 1, 3)]
    for name in shown[0]:
        if len({each[name] for each in shown}) > 1:
            return f"{name} of a stream depends on more than what was published"
    return None


def _shown(mistakes: int) -> dict[str, str]:
    kind = OnlineLearner
    learner = kind(Thresholds(1, 9), epsilon=1, delta=0, horizon=20, random_state=1)
    learner.learn_many([0] * 4, [1] * mistakes + [0] * (4 - mistakes))  # outside: 1 is a mistake
    names = [n for n in dir(kind) if isinstance(getattr(kind, n), property) and n != "state_"]
    out = {name: repr(getattr(learner, name)) for name in names}
    public = {"state_.public()": str(learner.state_.public()), "repr": repr(learner)}
    return {**out, **public, "state_": repr(learner.state_), "published": str(learner.published_)}


OF_CORNERS: dict[str, Detector] = {
    "places of a part": places_of_a_part,
    "one user, one step": one_user_one_step,
    "the cut of a rich user": cut_of_a_rich_user,
    "splits that look alike": splits_that_look_alike,
    "what a stream shows": what_a_stream_shows,
}
