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

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from littlestone import bounds
from littlestone.bounds import CertificateBuilder
from littlestone.classes import Points
from littlestone.errors import (
    LittlestoneError,
    UnsupportedError,
    check_integer,
    parameter_error,
)
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
from littlestone.learners.users.clipped import ClippedPlan, plan_clipped
from littlestone.learners.users.scores import sweepable
from littlestone.source import public_salt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.bounds import Certificate
    from littlestone.classes import ConceptClass, Representation
    from littlestone.data import UserSample
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
_FARTHEST = 2**12  # records per user up to which a crossing is looked for


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
Route = RecordsPlan | ClippedPlan


@dataclass(frozen=True)
class UserPlan(Plan):
    """The route that needs the fewest users, beside all others."""

    chosen: Route
    #: Users that each method needs; the reason, for a method that cannot learn the class.
    routes: dict[str, int | LittlestoneError] = field(hash=False)
    _learner: UserAgnostic = field(repr=False)

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

    @cached_property
    def crossing(self) -> int | None:
        """A number of records per user, m times a power of two, from which on the runner-up wins.

        The one nearest to m, above or below; None if the runner-up needs more users up to 4096.
        """
        m, other = self._learner.samples_per_user, self.runner_up
        for k in range(1, 13):
            for far in (m << k, m >> k):
                if other and 1 <= far <= _FARTHEST and (far != 1 or m > 1):
                    mine, theirs = (self._users(name, far) for name in (self.method, other))
                    if theirs < mine:
                        return far
        return None

    def _users(self, method: str, samples_per_user: int) -> float:
        at = replace(self._learner, method=method, samples_per_user=samples_per_user)  # type: ignore[arg-type]
        try:
            return at.plan.required
        except LittlestoneError:
            return float("inf")

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
        return UserPlan(chosen, routes, self)

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
