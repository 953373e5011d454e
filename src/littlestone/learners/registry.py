"""All learners by name: what the command line, the plan and the audit iterate over.

A learner plugs in by its line in `registry`; nothing else changes.
"""

from __future__ import annotations

import difflib
from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any

from littlestone.errors import ParameterError, parameter_error
from littlestone.learners.agnostic import TwoSample
from littlestone.learners.boosting import Boosting, Values
from littlestone.learners.exponential import Agnostic, Generic
from littlestone.learners.linear import Linear
from littlestone.learners.littlestone import Littlestone
from littlestone.learners.users import UserAgnostic
from littlestone.learners.vc1 import VC1

if TYPE_CHECKING:
    from littlestone.bounds import Unit
    from littlestone.classes import ConceptClass
    from littlestone.learners.base import Learner

__all__ = ["AGNOSTIC", "LEARNERS", "Entry", "agnostic_form", "make", "names", "registry"]

_CLASSES: tuple[Any, ...] = (
    Generic,
    Agnostic,
    VC1,
    UserAgnostic,
    Littlestone,
    Boosting,
    Values,
    Linear,
)
registry: dict[str, type[Learner[Any]]] = {cls.name: cls for cls in _CLASSES}

#: Prefix of a learner's agnostic form: ``agnostic:vc1``.
AGNOSTIC = "agnostic:"
_GOAL = ("concept_class", "epsilon", "delta", "alpha", "beta", "evaluation", "columns")


@dataclass(frozen=True)
class Entry:
    """A learner of the registry, or the agnostic form (`TwoSample`) of one."""

    learner: type[Learner[Any]]
    relabelled: bool = False

    @property
    def pure(self) -> bool:
        """Whether delta is zero, so that giving one is an error."""
        return self.learner.pure

    @property
    def agnostic(self) -> bool:
        """Whether its certificate needs no realizable labels."""
        return self.relabelled or self.learner.agnostic

    @property
    def unit(self) -> Unit:
        """What is protected and counted: ``"records"`` or ``"users"``."""
        return self.learner.unit

    @property
    def certified(self) -> bool:
        """Whether it has a certificate before data; where not, it is not compared by records."""
        return not self.learner.uncertified

    @property
    def summary(self) -> str:
        """One line for people."""
        if not self.relabelled:
            return self.learner.summary
        return (
            f"the {self.learner.name!r} learner on records that are relabelled privately; for any "
            "labels"
        )

    @property
    def options(self) -> tuple[str, ...]:
        """Names of its public parameters besides the class and the goal."""
        own: Any = self.learner
        return tuple(each.name for each in fields(own) if each.name not in (*_GOAL, "name", "unit"))

    def build(self, concept_class: ConceptClass, **arguments: Any) -> Learner[Any]:
        """Return the learner; what is not given and has no default is refused by its check."""
        own: Any = self.learner
        lacking = {
            each.name: None
            for each in fields(own)
            if each.default is MISSING and each.name != "concept_class"
        }
        made: Learner[Any] = own(concept_class, **(lacking | arguments))
        return TwoSample(made, epsilon=made.epsilon) if self.relabelled else made


LEARNERS: dict[str, Entry] = {name: Entry(cls) for name, cls in registry.items()}
#: The agnostic form of the exponential mechanism is itself: the pure learners have none.
LEARNERS |= {
    AGNOSTIC + name: Entry(cls, relabelled=True)
    for name, cls in registry.items()
    if not (cls.agnostic or cls.pure)
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
) -> Learner[Any]:
    """Return a learner by name, after checking all public parameters (`Entry.options`).

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> make("generic", Thresholds(1, 2**20), epsilon=1).required_samples()
    420
    """
    entry = LEARNERS.get(name)
    if entry is None:
        close = difflib.get_close_matches(name, LEARNERS, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else ""
        raise parameter_error("fit", "learner", f"auto or one of {', '.join(LEARNERS)}", name, hint)
    check_options(name, entry.options, options)
    numbers = {"epsilon": epsilon}
    if entry.certified:
        numbers |= {"alpha": alpha, "beta": beta}
    if delta is None:
        return entry.build(concept_class, **numbers, **options)
    if entry.pure:
        raise ParameterError(
            f"The 'delta' parameter must not be given to the {name!r} learner. Got "
            f"{float(delta):g}. It satisfies pure epsilon-DP: leave delta out."
        )
    return entry.build(concept_class, delta=delta, **numbers, **options)


def check_options(name: str, possible: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse options that a learner does not have, and say which learners have them."""
    for option in options:
        if option not in possible:
            fits = ", ".join(n for n, e in LEARNERS.items() if option in e.options) or "no learner"
            raise ParameterError(
                f"The {option!r} parameter must not be given to the {name!r} learner. "
                f"It is for: {fits}."
            )
