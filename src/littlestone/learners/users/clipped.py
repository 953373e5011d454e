"""Clipped user-level errors: a private choice of a window, then the exponential mechanism.

A user with k mistakes of a hypothesis counts min(max(k - t, 0), w): mistakes beyond the first t, at
most w of them. Replacing a user changes a sum of such scores by at most the width w. With w = 1 it
is the number of users with more than t mistakes (Li, Wang, Ye 2024, Section 4), with t = 0 and
w = m it is the number of all mistakes (group privacy). In between lies what needs the fewest users.

1. `ClippedPlan.locate`: where the window starts. Which t tells good hypotheses from bad ones
   depends on the best error, which is unknown. One draw chooses a t at which the least score of
   the class crosses a public level (it takes the place of Lemma 4.5 and Algorithm 2).
2. The exponential mechanism on the clipped scores (Theorem 4.6).

Statements and proofs: ``docs/learners/users.md``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from littlestone.bounds.search import log_of
from littlestone.errors import UnsupportedError
from littlestone.learners.base import Plan, cached, least_required
from littlestone.learners.users.clipped_bounds import Bounds, certificate, least_users
from littlestone.learners.users.scores import errors_by_user
from littlestone.source import Explicit

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.classes import Representation
    from littlestone.data import UserSample
    from littlestone.learners.users.binomials import Floats
    from littlestone.learners.users.scores import UserErrors
    from littlestone.source import Source
    from littlestone.types import Hypothesis


_WIDTHS = (1, 2, 3, 4, 6, 8)
_LEVELS = tuple(Fraction(k, 40) for k in (6, 9, 12, 15, 18, 20, 22, 25))
_SHARES = tuple(
    Fraction(k, 200) for k in (2, 4, 6, 10, 15, 20, 30, 40, 50, 60, 75, 90, 100, 110, 130)
)
#: Of windows: in standard deviations of a user's mistakes, and at least this part of the excess.
_SPACINGS = (
    (0.5, 0.0),
    (0.7, 0.0),
    (1.0, 0.0),
    (1.5, 0.0),
    (1.5, 0.2),
    (2.2, 0.3),
    (3.2, 0.3),
    (3.2, 0.5),
)
_SURE = tuple(Fraction(k, 10) for k in (0, 4, 6, 8))  # parts of the largest margin: what is sure
_OVERLAPS = (0.0, 0.7, 1.5)  # of the last window with errors above the largest one
#: Where the search for good public numbers begins: indices of spacing, overlap, level, share and
#: margin.
_FIRST = (
    tuple(product((1, 3), (1, 2), (2, 5), (4, 8, 11), (0,))),
    tuple(product((4, 7), (1,), (1, 4), (4, 8, 11), (2,))),
)
_POINTS = 32  # errors at which plans are compared; if one is better, at more,
_EACH, _MOST_POINTS = 30, 400  # ten for each standard deviation of a user's share of mistakes
_MANY = 2048  # records per user, beyond which starts are farther apart
_WORSE = 1.15  # a width that needs this many times the users is given up
_NEAR, _FEW = 1.04, 64  # widths that need about as many are compared sharply, with few records


@dataclass(frozen=True)
class ClippedPlan(Plan):
    """Clipped user-level errors over a class, and what they certify.

    Notes
    -----
    *Guarantee.* Every score, and the least one over a fixed set, moves by at most ``width`` when a
    user is replaced; so do the margins of `locate`. Both draws are exponential mechanisms at rate
    epsilon/(2 width), and their epsilons add.
    """

    #: The class itself, or one that is within ``alpha1`` of each concept except with probability
    #: ``beta1``.
    representation: Representation
    samples_per_user: int
    starts: tuple[int, ...]  # the t that may be chosen, increasing
    width: int
    #: In (0, 1): the least score, in units of n times the width, that the choice of t aims at.
    level: Fraction
    epsilon_search: Fraction  # of the choice of t (0 if there is one only), and of the hypothesis
    epsilon_choice: Fraction
    alpha: Fraction
    beta: Fraction
    vc_dim: int | None = None  # of the candidates, where it helps to know it
    lag: int = 1  # start i is compared with start i - lag
    #: In the units of the level: a margin that some start has on both sides, almost surely. Used
    #: by the certificate alone; 0 is always true.
    sure: Fraction = Fraction(0)

    unit = "users"
    method = "user-level"

    def choose(self, users: UserSample, source: Source) -> Hypothesis:
        """Return a hypothesis; at most ``samples_per_user`` records of each user are given."""
        hypotheses = self.representation.drawn(source)
        errors = errors_by_user(hypotheses, users, self.samples_per_user)
        t = self.locate(errors, users.n_users, source)
        return errors.draw(t, self.epsilon_choice / (2 * self.width), source, width=self.width)

    def locate(self, errors: UserErrors, n: int, source: Source) -> int:
        """Return where the window starts: the exponential mechanism over ``starts``.

        The score of the i-th start is the smaller one of two margins: how far its least score lies
        below the level, and how far that of the start ``lag`` before lies above. The first ones
        have no start before them, and the last one need not lie below; so the best score is never
        negative.

        ``n``: number of users (public).
        """
        if len(self.starts) == 1:
            return self.starts[0]
        unit = self.level.denominator
        aim = self.level.numerator * n * self.width
        least = [unit * errors.least(t, width=self.width) for t in self.starts]
        before = [*[unit * n * self.width] * self.lag, *least[: -self.lag]]
        scores = [min(aim - now, was - aim) for now, was in zip(least, before, strict=True)]
        scores[-1] = before[-1] - aim
        rate = self.epsilon_search / (2 * self.width * unit)
        return self.starts[Explicit(scores).draw(rate, source)]

    @cached_property
    def required(self) -> int:
        """The least number of users from which on the certificate holds."""
        return least_required(self.certificate, guess=math.ceil(self._sharp))

    @cached_property
    def _sharp(self) -> float:
        """About the least number of users, in floats, for all intervals of the best error."""
        return least_users(self.bounds, log_of(self.beta - self.representation.beta), math.inf)

    @cached
    def certificate(self, n: int) -> Certificate:
        """Return what is certified for n users, at the least favourable error of the best.

        Errors of the best hypothesis are cut into intervals; the certificate shows the one with the
        largest bound. Starts far below or above it are bounded together.
        """
        return certificate(self, n)

    @cached_property
    def bounds(self) -> Bounds:
        """The bounds in floats, for all intervals of the best error."""
        return Bounds(self)


def plan_clipped(
    representation: Representation,
    samples_per_user: int,
    *,
    epsilon: Fraction,
    alpha: Fraction,
    beta: Fraction,
    vc_dim: int | None = None,
) -> ClippedPlan:
    """Return the windows, and the split of epsilon, with the fewest users.

    ``vc_dim``: of the candidates.
    """
    m, most = samples_per_user, float(1 - alpha + representation.alpha)
    coarse, fine = (
        np.sin(np.linspace(0, math.asin(math.sqrt(most)), points)) ** 2
        for points in (_POINTS, min(max(4 * _POINTS, round(_EACH * math.sqrt(m))), _MOST_POINTS))
    )
    log_beta = log_of(beta - representation.beta)
    best, found = math.inf, {}

    def proposal(width: int, at: tuple[int, ...]) -> ClippedPlan:
        spacing, overlap, level, share, sure = at
        deviations, part = _SPACINGS[spacing]
        if m > _MANY:
            deviations = max(deviations, 1.5, math.sqrt(m) / 60)
        if sure:  # where users make few mistakes, neighbours must differ by more than a deviation
            part = max(part, 0.25)
        apart = deviations, part * (1 - most) * m
        starts = _starts(m, width, most, apart, _OVERLAPS[overlap])
        search = epsilon * _SHARES[share] if len(starts) > 1 else Fraction(0)
        aim, lag = _LEVELS[level], 2 if sure and len(starts) > 2 else 1
        margin = _SURE[sure] * min(aim, 1 - aim) if lag > 1 else Fraction(0)
        return ClippedPlan(
            representation, m, starts, width, aim, search, epsilon - search, alpha, beta, vc_dim,
            lag, margin,
        )  # fmt: skip

    widths = {w for w in _WIDTHS if w < m} | {min(m, _WIDTHS[-1])} if m <= _MANY else {1}
    descents = [(0, width) for width in sorted(widths)] + [(1, 1)] * (m > 1)
    at: tuple[int, ...] = _FIRST[0][0]

    def needed(plan: ClippedPlan, errors: Floats, limit: float) -> float:
        guess = best if best < math.inf else 256.0
        return least_users(Bounds(plan, (errors, errors)), log_beta, limit, guess)

    for kind, width in descents:
        here, todo = math.inf, [at, *_FIRST[kind]]
        while todo:  # steps along one coordinate, as long as one of them needs fewer users
            for trial in todo:
                plan = proposal(width, trial)
                users = needed(plan, coarse, 0.995 * here)
                if users < 0.995 * here:  # errors between two starts may be worse
                    users = needed(plan, fine, 0.995 * here)
                if users < here:
                    here, at = users, trial
                    found[kind, width] = users, plan
                best = min(best, users)
            todo = _beside(at) if at in todo and here < _WORSE * best else []
    near = [plan for users, plan in found.values() if users <= (_NEAR if m <= _FEW else 1) * best]
    if not near:
        raise UnsupportedError(
            "Epsilon is too small: no number of users within the planner's limits is enough for "
            "method='user-level'. Raise epsilon."
        )
    return min(near, key=lambda plan: plan._sharp) if len(near) > 1 else near[0]


def _beside(at: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return the proposals that differ by one step in one coordinate."""
    limits = (len(_SPACINGS), len(_OVERLAPS), len(_LEVELS), len(_SHARES), len(_SURE))
    return [
        (*at[:i], at[i] + step, *at[i + 1 :])
        for i, limit in enumerate(limits)
        for step in (-1, 1)
        if 0 <= at[i] + step < limit
    ]


def _starts(
    m: int, width: int, most: float, apart: tuple[float, float], overlap: float
) -> tuple[int, ...]:
    """Return starts up to the largest error's mistakes.

    ``apart`` are their distance in standard deviations, and the least distance: if that is
    positive, the last start lies where they must end.
    """
    spacing, least = apart
    end = m * most - width / 2 + overlap * _deviation(m, most)
    end, starts = min(end, m - width), [0]
    while True:
        error = min((starts[-1] + width / 2) / m, 1.0)
        far = starts[-1] + max(1, round(max(least, spacing * _deviation(m, error))))
        if far > end:
            break
        starts.append(far)
    if least and int(end) > starts[-1]:
        starts.append(int(end))
    return tuple(starts)


def _deviation(m: int, error: float) -> float:
    return math.sqrt(m * error * (1 - error))
