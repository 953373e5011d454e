"""Agnostic learning when each user holds many records: paper 002, Section 4.

`UserAgnostic` compares all routes that protect users and takes the one whose certificate needs the
fewest of them; `UserPlan` says which, and by how much. The routes:

=================  ================================================================================
one-record         one record of each user, by the item-level exponential mechanism
group-privacy      all records, by the item-level exponential mechanism with epsilon/m
user-level         clipped user-level errors (`clipped`)
=================  ================================================================================

The paper's own routes (Theorems 4.6 and 5.2) are in `littlestone.papers.li_wang_ye`.

Which is taken, and every number of it, depends on public parameters only. The records of users,
and how many each of them has, are secret.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from littlestone import bounds
from littlestone.bounds import CertificateBuilder
from littlestone.bounds.certificate import least_n, log_of
from littlestone.classes import Points
from littlestone.errors import LittlestoneError, UnsupportedError, check_integer, parameter_error
from littlestone.learners.base import (
    CLASS,
    ClassLearner,
    Kind,
    Plan,
    cached,
    declared,
    nest,
    one_of,
)
from littlestone.learners.exponential import Agnostic
from littlestone.learners.users.clipped_bounds import Bounds, certificate, least_users
from littlestone.learners.users.scores import errors_by_user, sweepable
from littlestone.source import Explicit, public_salt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.bounds import Certificate
    from littlestone.classes.base import ConceptClass, Representation
    from littlestone.data import UserSample
    from littlestone.learners.users.scores import Floats, UserErrors
    from littlestone.source import Source
    from littlestone.types import Hypothesis

PRIVACY = "users.privacy"
RECORDS = "users.group-privacy.records"
ONE_RECORD = "users.one-record"
GROUP = "users.group-privacy.laws"


Method = Literal["auto", "group-privacy", "user-level", "one-record"]
#: In the order in which equals are preferred.
METHODS = ("one-record", "group-privacy", "user-level")
IID_RECORDS, IID_USERS = "iid-records", "iid-users"

#: Records of one user that are looked at: with more, the certificates take too long to compute.
_MOST_OF_EACH = 100_000
_LISTABLE = 2**20  # hypotheses whose user-level errors are counted one by one
_EXPLICIT = 2**32  # up to here ln(size) is hardly larger than what a growth function costs
_NEAR = (4, 8, 16, 32)  # alpha1 = alpha / that, for hashed representations


def bound_contributions(users: UserSample, most: int, source: Source) -> UserSample:
    """Return at most ``most`` records of each user, by a public random choice inside each user.

    What is kept of a user depends on that user and on public coins only, so replacing a user
    changes nothing else.

    ``most``: the paper's m; ``source``: only its public coins are used.
    """
    return users.bound_contributions(most, salt=public_salt(source))


@dataclass(frozen=True)
class RecordsPlan(Plan):
    """The item-level exponential mechanism on records of users."""

    #: The learner of records: with epsilon for one record of each user, with epsilon/m for m.
    inner: Agnostic
    each: int  # records of each user that it is given
    method: str  # ``"one-record"`` or ``"group-privacy"``
    iid_users: bool = False  # whether the certificate is for users with laws of their own

    unit = "users"

    def choose(self, users: UserSample, source: Source) -> Hypothesis:
        """Return a hypothesis; at most ``each`` records of each user are given."""
        return self.inner.draw(users.pooled(), source)

    @cached_property
    def required(self) -> int:
        """The least number of users from which on the certificate holds."""
        if self._group_of_laws:
            return max(self._tight(None).n, 1)
        return -(-self.inner.required_samples() // self.each)

    @cached
    def certificate(self, n: int) -> Certificate:
        """Return what is certified for n users."""
        cert, m = CertificateBuilder(), self.each
        if self._group_of_laws:
            for step in self._tight(n).steps:
                cert.written(step.name, step.formula, GROUP, **dict(step.inputs))
        else:
            nest(cert, self.inner.certificate(n * m), "records")
            source = ONE_RECORD if self.method == "one-record" else RECORDS
            cert.step("enough", "n_records <= n*m", source, n_records=n * m, n=n, m=m)
        goal = self.inner.goal
        return cert.certificate(alpha=goal.alpha, beta=goal.beta, n=n, unit="users")

    @property
    def _group_of_laws(self) -> bool:
        return self.iid_users and self.method == "group-privacy"

    def _tight(self, n: int | None) -> Certificate:
        """Return the certificate for users with laws of their own: users are what is drawn.

        Its tilt is that of a whole user, at most m times epsilon/(2m) for each record.
        """
        goal, size = self.inner.goal, self.inner.concept_class.size
        if not isinstance(size, int) or self.inner.plan.representation.size != size:
            raise UnsupportedError(
                "Group privacy for users='iid-users' is certified for classes that can be listed. "
                "Use method='one-record'."
            )
        epsilon = goal.epsilon * self.each
        return bounds.losses(size, epsilon=epsilon, alpha=goal.alpha, beta=goal.beta, n=n)


#: What one method does, and certifies: ``choose``, ``required``, ``certificate``, ``method``.
Route: TypeAlias = "RecordsPlan | ClippedPlan"


@dataclass(frozen=True)
class UserPlan(Plan):
    """The route that needs the fewest users, beside all others."""

    chosen: Route
    #: Users that each method needs; the reason, for a method that cannot learn the class.
    routes: dict[str, int | LittlestoneError] = field(hash=False)

    unit = "users"

    @property
    def method(self) -> str:
        """The method that is taken."""
        return self.chosen.method

    @property
    def required(self) -> int:
        """The least number of users from which on the certificate holds."""
        return self.chosen.required

    @property
    def runner_up(self) -> str | None:
        """The method that needs the fewest users of all others."""
        others = [
            (n, METHODS.index(method), method)
            for method, n in self.routes.items()
            if isinstance(n, int) and method != self.method
        ]
        return min(others)[2] if others else None

    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n users with ``samples_per_user`` records each."""
        return self.chosen.certificate(n)


def _records(caller: str, name: str, value: Any) -> int:
    hint = "How many records of each user are read; 16 is a common choice."
    if value is None:
        raise parameter_error(caller, name, "given, an integer >= 1", value, hint)
    each = check_integer(caller, name, value, low=1, hint=hint)
    if each > _MOST_OF_EACH:
        raise parameter_error(caller, name, f"an integer in [1, {_MOST_OF_EACH}]", each, hint)
    return each


@dataclass(frozen=True)
class UserAgnostic(ClassLearner[UserPlan]):
    """The learner behind `UserAgnosticLearner`.

    Pure epsilon, replacing all records of one user, the number of users public; for every input,
    whatever ``users`` declares.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> learner = UserAgnostic(Thresholds(1, 2**20), epsilon=1, samples_per_user=256)
    >>> learner.plan.method, learner.required_samples() <= 125, learner.plan.runner_up
    ('user-level', True, 'group-privacy')
    """

    name = "users"
    estimator = "UserAgnosticLearner"
    summary = "protects users with many records; certificate for any labels"
    claim = PRIVACY
    pure, agnostic, unit = True, True, "users"

    concept_class: ConceptClass = declared(
        CLASS,
        "Public. Any class of `AgnosticLearner`; user-level errors are computed for thresholds, "
        "points, paths, and classes of at most 2**20 hypotheses.",
        kw_only=False,
    )
    samples_per_user: int = declared(
        Kind("int >= 1", _records, "int"),
        "m: at most m records of each user are read, by a public random choice. Users with fewer "
        "records are read completely. The certificate is about users with m records; privacy "
        "holds for any number.",
    )
    method: Method = declared(
        one_of("auto", *METHODS),
        '``"auto"`` takes the one whose certificate needs the fewest users, before any data are '
        'seen: ``"one-record"`` (of each user), ``"group-privacy"`` (all records, with '
        'epsilon/m), ``"user-level"`` (clipped errors of users).',
        default="auto",
    )
    users: str = declared(
        one_of(IID_RECORDS, IID_USERS),
        "What the certificate assumes: all records of all users are independent, from one "
        "distribution; or users are independent, each with their own distribution. The second is "
        'certified for ``"one-record"`` and ``"group-privacy"`` only. Privacy does not depend '
        "on it.",
        default=IID_RECORDS,
    )

    def make_plan(self) -> UserPlan:
        """Compare the routes, and take the one that needs the fewest users."""
        wanted = METHODS if self.method == "auto" else (self.method,)
        if self.method == "auto" and self.samples_per_user == 1:
            wanted = ("one-record",)  # the others have nothing to add
        found: dict[str, Route] = {}
        routes: dict[str, int | LittlestoneError] = {}
        for method in wanted:
            try:
                route = self._route(method)
                found[method], routes[method] = route, route.required
            except LittlestoneError as problem:
                if len(wanted) == 1:
                    raise
                routes[method] = problem
        if not found:
            raise next(iter(routes.values()))  # type: ignore[misc]
        chosen = min(found.values(), key=lambda route: route.required)
        return UserPlan(chosen, routes)

    def draw(self, sample: UserSample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the users' records and the draws.

        ``sample``: any: privacy assumes nothing about how many records a user has, or which.
        """
        route = self.plan.chosen
        each = 1 if route.method == "one-record" else self.samples_per_user
        return route.choose(bound_contributions(sample, each, source), source)

    def _route(self, method: str) -> Route:
        """Plan one method."""
        m, goal = self.samples_per_user, self.goal
        iid_users = self.users == IID_USERS
        numbers: dict[str, Any] = {"alpha": goal.alpha, "beta": goal.beta}
        if method in ("one-record", "group-privacy"):
            each = 1 if method == "one-record" else m
            inner = Agnostic(self.concept_class, epsilon=goal.epsilon / each, **numbers)
            return RecordsPlan(inner, each, method, iid_users)
        if iid_users:
            raise UnsupportedError(
                f"The certificate of method={method!r} is for users='iid-records'. Users with "
                "their own distributions are certified for method='one-record' and "
                "'group-privacy'."
            )
        numbers["epsilon"] = goal.epsilon
        size = self.concept_class.size
        large = isinstance(size, int) and size > _EXPLICIT
        numbers["vc_dim"] = self.concept_class.vc_dim if large else None
        plans = [
            plan_clipped(representation, m, **numbers)
            for representation in _representations(self.concept_class, goal.alpha, goal.beta)
        ]
        return min(plans, key=lambda plan: plan.required)


def _representations(
    concept_class: ConceptClass, alpha: Fraction, beta: Fraction
) -> Iterator[Representation]:
    """Yield what a class may be represented by, so that user-level errors can be counted."""
    finite = isinstance(concept_class.size, int)
    if finite and sweepable(concept_class):
        yield concept_class.representation()
        return
    found = False
    if not finite:
        for near in _NEAR:
            hashed = concept_class.representation(alpha / near, beta / 8)
            if hashed.size <= _LISTABLE or isinstance(concept_class, Points):
                found = True
                yield hashed
    if not found:
        raise UnsupportedError(
            f"The class {concept_class.spec} is too large for user-level errors: they are computed "
            "for thresholds, points, paths, and at most 2**20 hypotheses, of the class or of a "
            "hashed representation. Use method='group-privacy'."
        )


# -- Clipped user-level errors: a private choice of a window, then the exponential mechanism -------
#
# A user with k mistakes of a hypothesis counts min(max(k - t, 0), w): mistakes beyond the first t,
# at most w of them. Replacing a user changes a sum of such scores by at most the width w. With w =
# 1 it is the number of users with more than t mistakes (Li, Wang, Ye 2024, Section 4), with t = 0
# and w = m it is the number of all mistakes (group privacy). In between lies what needs the fewest
# users.
#
# 1. `ClippedPlan.locate`: where the window starts. Which t tells good hypotheses from bad ones
#    depends on the best error, which is unknown. One draw chooses a t at which the least score of
#    the class crosses a public level (it takes the place of Lemma 4.5 and Algorithm 2).
# 2. The exponential mechanism on the clipped scores (Theorem 4.6).
#
# Statements and proofs: ``docs/learners/users.md``.


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
_SHARP, _FEW = 1.04, 64  # widths that need about as many are compared sharply, with few records


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
        return least_n(lambda n: self.certificate(n).holds, math.ceil(self._sharp))

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
    near = [plan for users, plan in found.values() if users <= (_SHARP if m <= _FEW else 1) * best]
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
