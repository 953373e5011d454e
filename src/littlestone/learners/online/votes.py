"""Majority votes of drawn hypotheses, in the simplest form that is the same function.

A vote is a function of hypotheses that are already private: how it is written costs nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import (
    AlwaysZero,
    PointHypothesis,
    SetHypothesis,
    TableHypothesis,
    load,
    on_points,
    readable,
)
from littlestone.classes.thresholds import ThresholdHypothesis
from littlestone.errors import parameter_error
from littlestone.mechanisms import canonical_key
from littlestone.types import Hypothesis, Json, Labels, Points

__all__ = ["VoteHypothesis", "majority"]

_MAX_VOTERS = 100_000


@readable
@dataclass(frozen=True)
class VoteHypothesis:
    """1 where more than half of the votes say 1. Make one by `majority`.

    Parameters
    ----------
    votes : tuple of (Hypothesis, int)
        Different hypotheses in canonical order, each with its number of votes.

    Examples
    --------
    >>> from littlestone.classes import IntervalHypothesis
    >>> vote = majority([IntervalHypothesis(1, 4), IntervalHypothesis(3, 6), AlwaysZero()])
    >>> vote.predict(np.arange(1, 7)).tolist()
    [0, 0, 1, 1, 0, 0]
    """

    votes: tuple[tuple[Hypothesis, int], ...]

    TYPE = "vote"

    def __post_init__(self) -> None:
        keys = [canonical_key(h) for h, _ in self.votes]
        if len(keys) < 2 or any(a >= b for a, b in pairwise(keys)):
            raise parameter_error(
                "VoteHypothesis", "votes", "different hypotheses in canonical order",
                f"{len(keys)} of them", "Use majority(hypotheses).",
            )  # fmt: skip

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, tuple((h.key, n) for h, n in self.votes))

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        ones = sum(n * h.predict(points).astype(np.int64) for h, n in self.votes)
        total = sum(n for _, n in self.votes)
        return np.asarray(2 * ones > total).astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        shown = [f"{n} x ({h.describe()})" for h, n in self.votes[:5]]
        more = f" and {len(self.votes) - 5} more" if len(self.votes) > 5 else ""
        return f"1 where more than half of the votes say 1: {', '.join(shown)}{more}"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "votes": [[h.to_dict(), n] for h, n in self.votes]}

    @classmethod
    def from_dict(cls, data: Any) -> VoteHypothesis:
        """Read it back; only the canonical form is accepted."""
        fields = Fields(data, ("votes",))
        votes: list[tuple[Hypothesis, int]] = []
        for item in fields.items("votes", _MAX_VOTERS):
            match item:
                case [dict() as h, int() as n] if n >= 1 and h.get("type") != cls.TYPE:
                    votes.append((load(h), n))
                case _:
                    raise fields.refuse("votes", "a list of [hypothesis, number of votes >= 1]")
        return cls(tuple(votes))


def majority(hypotheses: Sequence[Hypothesis]) -> Hypothesis:
    """Return the function that is 1 where more than half of the hypotheses are 1.

    Parameters
    ----------
    hypotheses : sequence of Hypothesis, at least one
        With repetitions.

    Returns
    -------
    Hypothesis
        Of thresholds the middle one, of sets of points a set of points, of tables a table; one
        hypothesis that has more than half of the votes is the vote. Otherwise a `VoteHypothesis`.

    Examples
    --------
    >>> majority([ThresholdHypothesis(u, 1, 9) for u in (2, 7, 4)])
    ThresholdHypothesis(above=4, low=1, high=9)
    >>> majority([on_points("ab"), on_points("bc"), on_points("d"), on_points("")])
    AlwaysZero()
    """
    counts = Counter(hypotheses)
    total = len(hypotheses)
    for hypothesis, n in counts.items():
        if 2 * n > total:
            return hypothesis
    kinds = {type(h) for h in counts}
    if kinds == {ThresholdHypothesis}:
        # 1 at x if and only if more than half of the ends lie below x
        return sorted(hypotheses, key=lambda h: h.above)[total // 2]  # type: ignore[attr-defined]
    if kinds <= {AlwaysZero, PointHypothesis, SetHypothesis}:
        points = Counter(p for h, n in counts.items() for p in _ones(h) * n)
        return on_points(p for p, n in points.items() if 2 * n > total)
    if kinds == {TableHypothesis}:
        columns = zip(*(h.labels for h in hypotheses), strict=True)  # type: ignore[attr-defined]
        return TableHypothesis("".join("01"[2 * c.count("1") > total] for c in columns))
    return VoteHypothesis(tuple(sorted(counts.items(), key=lambda item: canonical_key(item[0]))))


def _ones(hypothesis: Hypothesis) -> list[Any]:
    match hypothesis:
        case PointHypothesis():
            return [hypothesis.point]
        case SetHypothesis():
            return list(hypothesis.points)
    return []
