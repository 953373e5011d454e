"""All learners by name: what the command line and the planner iterate over.

A later learner plugs in by one entry here; nothing above changes.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from littlestone.errors import (
    ParameterError,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.learners.agnostic import TwoSample
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.stable import Stable
from littlestone.learners.users import UserAgnostic, UserThreshold
from littlestone.learners.vc1 import VC1

if TYPE_CHECKING:
    from littlestone.bounds import Unit
    from littlestone.classes import ConceptClass
    from littlestone.learners.algorithm import Algorithm
    from littlestone.learners.base import Learner

__all__ = ["AGNOSTIC", "LEARNERS", "Entry", "agnostic_form", "auto", "make", "names"]

#: Prefix of a learner's agnostic form: ``agnostic:vc1``.
AGNOSTIC = "agnostic:"


@dataclass(frozen=True)
class Entry:
    """How a learner is made, and what it is for.

    Attributes
    ----------
    build : callable
        ``build(concept_class, *, epsilon, delta, alpha, beta) -> Algorithm``; checks everything
        and raises `LittlestoneError` when the class or a parameter does not suit the learner.
    pure : bool
        Whether delta is zero, so that giving one is an error.
    agnostic : bool
        Whether its certificate needs no realizable labels.
    summary : str
        One line for people.
    options : tuple of str
        Further public parameters that ``build`` takes, such as ``proper``.
    unit : str
        What is protected and counted: ``"records"`` or ``"users"``. A learner of users must be
        told ``samples_per_user``.
    """

    build: Callable[..., Algorithm]
    pure: bool
    agnostic: bool
    summary: str
    options: tuple[str, ...] = ()
    unit: Unit = "records"


def _entry(learner: type[Learner[Any]], options: tuple[str, ...] = ()) -> Entry:
    """Return the entry of a converted learner."""

    def build(concept_class: ConceptClass, *, delta: Any = None, **arguments: Any) -> Algorithm:
        own = arguments if learner.pure else {**arguments, "delta": delta}
        return learner(concept_class, **own)  # type: ignore[call-arg]

    return Entry(build, learner.pure, learner.agnostic, learner.summary, options, learner.unit)


def _users(algorithm: Any, owner: str) -> Callable[..., Algorithm]:
    def build(
        concept_class: ConceptClass,
        *,
        epsilon: Any,
        delta: Any,
        alpha: Any,
        beta: Any,
        samples_per_user: Any = None,
        **options: Any,
    ) -> Algorithm:
        if samples_per_user is None:
            raise ParameterError(
                f"The 'samples_per_user' parameter of {owner} must be given, an integer >= 1: how "
                "many records of each user are looked at. 16 is a common choice."
            )
        options |= {"samples_per_user": samples_per_user, "owner": owner}
        made: Algorithm = algorithm.of(
            concept_class, epsilon=epsilon, alpha=alpha, beta=beta, **options
        )
        return made

    return build


LEARNERS: dict[str, Entry] = {
    "generic": _entry(Generic),
    "agnostic": _entry(Agnostic),
    "vc1": _entry(VC1, ("proper", "method")),
    "users": Entry(
        _users(UserAgnostic, "UserAgnosticLearner"),
        pure=True,
        agnostic=True,
        summary="protects users with many records; certificate for any labels",
        options=("samples_per_user", "method"),
        unit="users",
    ),
    "user-threshold": Entry(
        _users(UserThreshold, "UserThresholdLearner"),
        pure=True,
        agnostic=True,
        summary="protects users with many records; binary search among thresholds",
        options=("samples_per_user",),
        unit="users",
    ),
    "littlestone": _entry(Littlestone, ("proper", "method")),
    "stable": _entry(Stable, ("constants",)),
}


def _relabelled(name: str, entry: Entry) -> Entry:
    """Return the agnostic form of a learner for realizable labels."""

    def build(concept_class: ConceptClass, **arguments: Any) -> Algorithm:
        learner: Any = entry.build(concept_class, **arguments)
        return TwoSample(learner, epsilon=arguments["epsilon"])

    summary = f"the {name!r} learner on records that are relabelled privately; for any labels"
    return replace(entry, build=build, agnostic=True, summary=summary)


#: The agnostic form of the exponential mechanism is itself: the pure learners have none.
LEARNERS |= {
    AGNOSTIC + name: _relabelled(name, entry)
    for name, entry in list(LEARNERS.items())
    if not (entry.agnostic or entry.pure)
}


def agnostic_form(name: str) -> str:
    """Return the learner that certifies any labels in the place of another one.

    Examples
    --------
    >>> agnostic_form("vc1"), agnostic_form("generic"), agnostic_form("users")
    ('agnostic:vc1', 'agnostic', 'users')
    """
    entry = LEARNERS.get(name)
    if entry is None or entry.agnostic:
        return name
    return "agnostic" if entry.pure else AGNOSTIC + name


def names() -> list[str]:
    """Return the names of all learners.

    Examples
    --------
    >>> names()[:2]
    ['generic', 'agnostic']
    """
    return list(LEARNERS)


def make(
    name: str,
    concept_class: ConceptClass,
    *,
    epsilon: Any,
    delta: Any = None,
    alpha: Any = "0.1",
    beta: Any = "0.05",
    **options: Any,
) -> Algorithm:
    """Return a learner's algorithm by name, after checking all public parameters.

    Parameters
    ----------
    name : str
        One of `names`, or ``"auto"``.
    concept_class : ConceptClass
    epsilon : number in (0, inf)
    delta : number in (0, 1), optional
        Only for learners that are not pure.
    alpha, beta : number in (0, 1)
    **options
        Further public parameters of this learner (`Entry.options`).

    Raises
    ------
    ParameterError, UnsupportedError

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> make("generic", Thresholds(1, 2**20), epsilon=1).required_samples()
    420
    """
    if name == "auto" and set(options) <= {"samples_per_user"}:
        budget = {"epsilon": epsilon, "delta": delta, "alpha": alpha, "beta": beta}
        return auto(concept_class, **budget, **options)
    if name not in LEARNERS and name != "auto":
        close = difflib.get_close_matches(name, LEARNERS, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else ""
        raise parameter_error("fit", "learner", f"auto or one of {', '.join(LEARNERS)}", name, hint)
    for option in options:
        if name == "auto" or option not in LEARNERS[name].options:
            fits = ", ".join(n for n, e in LEARNERS.items() if option in e.options) or "no learner"
            raise ParameterError(
                f"The {option!r} parameter must not be given to the {name!r} learner. "
                f"It is for: {fits}."
            )
    entry = LEARNERS[name]
    if delta is not None and entry.pure:
        raise ParameterError(
            f"The 'delta' parameter must not be given to the {name!r} learner. Got {delta!r}. "
            "It is purely epsilon-private: leave delta out."
        )
    budget = {"epsilon": epsilon, "delta": delta, "alpha": alpha, "beta": beta}
    return entry.build(concept_class, **budget, **options)


def auto(
    concept_class: ConceptClass,
    *,
    epsilon: Any,
    delta: Any = None,
    alpha: Any = "0.1",
    beta: Any = "0.05",
    agnostic: bool = True,
    samples_per_user: Any = None,
) -> Algorithm:
    """Return the learner that needs the fewest records for this class; data plays no part.

    Compared are the learners with one kind of certificate, by default for any labels: assuming that
    some concept explains the labels is left to those who name such a learner.

    Parameters
    ----------
    concept_class, epsilon, delta, alpha, beta
        As for `make`. With a delta, learners that use one are considered too.
    agnostic : bool, default True
        Ask for a certificate that does not assume realizable labels.
    samples_per_user : int >= 1, optional
        Protect users, of whom so many records are looked at: only such learners are compared.

    Raises
    ------
    LittlestoneError
        The reason of the first learner, if none suits the class.
    """
    from littlestone.learners.comparison import Budget, compare, fewest  # noqa: PLC0415 - imports us

    budget = Budget(
        check_fraction("fit", "epsilon", epsilon),
        None if delta is None else check_probability("fit", "delta", delta),
        check_probability("fit", "alpha", alpha),
        check_probability("fit", "beta", beta),
        None
        if samples_per_user is None
        else check_integer("fit", "samples_per_user", samples_per_user, low=1),
    )
    unit = "records" if samples_per_user is None else "users"
    found = [
        candidate
        for candidate in compare(concept_class, budget, adapt=False, every=False)
        if candidate.agnostic == agnostic and candidate.unit == unit and not candidate.needs_delta
    ]
    best = fewest(found)
    if best is None or best.algorithm is None:
        problems = [candidate.problem for candidate in found if candidate.problem is not None]
        raise (
            problems[0]
            if problems
            else UnsupportedError("No learner has the asked kind of certificate.")
        )
    return best.algorithm
