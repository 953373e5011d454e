"""Learners: what one is, and how one is written.

A learner is read in the order **Spec -> Plan -> Draw -> Release**:

* the *spec* is a frozen dataclass derived from `Learner` (mostly from `ClassLearner`, which has
  the fields ``concept_class``, ``epsilon``, ``alpha``, ``beta``);
* its *plan* (`littlestone.learners.plan`) holds the numbers that follow from public parameters;
* ``draw(sample, source)`` is the algorithm: a pure function of the sample and of the draws that it
  makes at the source, so that `littlestone.audit.verify` can compute its exact output law;
* `littlestone.learners.running.run` makes the release. Nothing else spends, reads or draws.

How to add a learner (or to convert one), with `littlestone.learners.exponential` as the example:

1. ``learners/NAME/learner.py``: the dataclass. Class attributes say what it is::

       @dataclass(frozen=True, kw_only=True)
       class Generic(ClassLearner[ExponentialPlan]):
           name = "generic"                 # the key in the registry, and of ``fit --learner``
           estimator = "GenericLearner"     # the public estimator; errors name it
           summary = "one line for people"
           claim = "exp-mech.privacy"       # registered claim behind the guarantee
           pure, agnostic, unit = True, False, "records"

2. A parameter is `declared` once, with its kind and its text (`littlestone.learners.declare`); the
   base checks all of them in ``__post_init__``, so that `dataclasses.replace` checks too, and
   stores what the check returns::

           chunk: int | None = declared(maybe(whole(1)), "Records of one teacher.", default=None)

   What concerns several parameters together is refused in ``check(self)``.
3. ``make_plan(self) -> Plan``: called once for each public key (equal learners share it). It
   raises `UnsupportedError` or `InfeasibleError` whenever ``draw`` would refuse: a learner that has
   a plan can run, and `feasible` says so to all who promise something. ``.plan``,
   ``.certificate(n)``, ``.required_samples()``, ``.guarantee()`` and ``.goal`` follow. Override
   ``.zcdp`` if the mechanism promises more in zCDP than its guarantee says, and ``.shuffles(n)`` if
   it shuffles records.
4. ``draw(self, sample, source)``: the algorithm, each step commented with the paper's number.
5. ``learners/NAME/estimators.py``: ``class NameLearner(PrivateClassifier, learner=Name)`` and its
   docstring. Arguments, and the sections Parameters, Attributes and Raises, follow from the fields;
   ``python tools/stub.py`` writes them down for editors.
6. One line in ``learners/registry.py``. The command line, ``plan``, ``auto`` and the explorer
   iterate over the registry.
7. Tests: exact verification (``audit.verify``) on all small data, broken variants that it must
   notice, the certificate against simulation.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from itertools import count
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypeVar
from typing import Generic as _Generic

from littlestone.classes import ConceptClass, check_class
from littlestone.data import Sample, UserSample
from littlestone.errors import (
    LittlestoneError,
    NotPrivateWarning,
    UnsupportedError,
    check_integer,
)
from littlestone.learners.declare import Kind, declared, number, share
from littlestone.learners.plan import Goal, Plan
from littlestone.privacy import Guarantee, Neighbours

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Unit
    from littlestone.privacy import Guarantee, Loss
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = [
    "ClassLearner",
    "Feasible",
    "Learner",
    "check_two_labels",
    "feasible",
]

P = TypeVar("P", bound=Plan)

#: What the parameters of several learners say.
DELTA_TEXT = "Probability with which epsilon may be exceeded. No default."
PROPER = "Release a concept of the class, not only a hypothesis close to one"
#: Hints about delta; the second one is for learners whose candidates come from the data.
DELTA = "1e-6 is a common choice; it must be far below one over the number of records."
DELTA_NEEDED = "1e-6 is a common choice; zero is not possible: candidates come from the data."


class Learner(ABC, _Generic[P]):
    """A learner without any shell: public parameters in, one private hypothesis out.

    Derived classes are frozen dataclasses; see the module's docstring. ``name`` is that in the
    registry; ``pure`` says that delta is zero, so that giving one is an error.
    """

    estimator: ClassVar[str]  # the scikit-learn estimator built on it, named in errors
    summary: ClassVar[str]  # one line for people
    claim: ClassVar[str]  # the registered claim behind the guarantee
    agnostic: ClassVar[bool]  # whether its certificate needs no realizable labels
    unit: Unit = "records"  # what is protected and counted
    multiclass: ClassVar[bool] = False  # whether it learns classes that list labels of their own
    #: Empty, if there is a certificate before data. Else why there is none, and what to do instead.
    uncertified: ClassVar[str] = ""

    if TYPE_CHECKING:  # fields, or properties of learners that are made from learners
        name: str
        pure: bool

        @property
        def concept_class(self) -> ConceptClass:
            """The public class."""

        @property
        def epsilon(self) -> Fraction:
            """Privacy loss of one draw."""

        @property
        def alpha(self) -> Fraction:
            """Error that the certificate is about."""

        @property
        def beta(self) -> Fraction:
            """Failure probability that the certificate is about."""

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            kind: Kind | None = each.metadata.get("kind")
            if kind is not None and kind.check is not None:
                value = kind.check(self.caller, each.name, getattr(self, each.name))
                object.__setattr__(self, each.name, value)
        self.check()

    @property
    def caller(self) -> str:
        """The estimator that errors name."""
        return self.estimator

    def check(self) -> None:
        """Refuse parameters that do not go together; by default there is nothing to refuse."""

    @abstractmethod
    def make_plan(self) -> P:
        """Compute the plan, or refuse whatever ``draw`` would refuse; `plan` keeps it."""

    @abstractmethod
    def draw(self, sample: Any, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample, which may be any, and the draws."""

    @property
    def plan(self) -> P:
        """The learner's own numbers; equal learners share one plan."""
        return _plan_of(self)  # type: ignore[return-value]

    @property
    def goal(self) -> Goal:
        """What may be spent and must be achieved, in one object."""
        return Goal(
            self.epsilon,
            getattr(self, "delta", None) or Fraction(0),
            self.alpha,
            self.beta,
            neighbours=self.neighbours,
            samples_per_user=getattr(self, "samples_per_user", None),
        )

    @property
    def neighbours(self) -> Neighbours:
        """The neighbouring relation of the guarantee."""
        return Neighbours.USER_REPLACE if self.unit == "users" else Neighbours.REPLACE_ONE

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return what is promised about privacy."""
        goal = self.goal
        return Guarantee(goal.epsilon, goal.delta, goal.neighbours, claim=self.claim, seeded=seeded)

    @property
    def zcdp(self) -> Loss | None:
        """What is promised in zCDP, where that is more than the guarantee says."""
        return None

    def certificate(self, n: int) -> Certificate:
        """Return what is promised about accuracy with n records (or users)."""
        return self.plan.certificate(check_integer(self.estimator, "n", n, low=1))

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds, counted in ``unit``."""
        return self.plan.required

    def minus_evaluation(self, evaluation: Fraction) -> Self:
        """Return the learner that leaves this part of its epsilon to an evaluation."""
        return replace(self, epsilon=self.epsilon - evaluation)  # type: ignore[type-var]

    def spending(self, n: int) -> dict[str, str] | None:
        """Say what is spent on what, where that is more than one thing."""
        return None

    @property
    def reads(self) -> type[Any]:
        """What ``draw`` takes: `Sample`, `UserSample` or `TargetSample`."""
        return UserSample if self.unit == "users" else Sample

    def shuffles(self, n: int) -> bool:
        """Return whether n records are split into parts, so that their order matters."""
        return False

    def taken(self, sample: Any, source: Source) -> Any:
        """Return what is learned from; what still has to be read for it is read now, unpaid."""
        return sample


class Feasible(NamedTuple):
    """Whether a learner can learn its class, why not, and what to do instead."""

    ok: bool
    why: str = ""
    next_step: str = ""


class _Planned(Protocol):
    @property
    def plan(self) -> Any: ...


def feasible(learner: _Planned, n: int | None = None) -> Feasible:
    """Decide whether a learner can learn its class, from public parameters and fixed constants.

    A learner that has a plan can run: whatever ``draw`` would refuse, ``make_plan`` refuses. So
    ``plan``, ``required_samples``, ``--class auto``, the explorer and `run` agree, and nothing is
    promised that ``fit`` would refuse when the data have been collected. The same holds for
    streams: `OnlineLearner` begins with its ``plan``, and ``mistake_bound`` is about it.

    Examples
    --------
    >>> from littlestone.classes import AffineSubspaces, Thresholds
    >>> from littlestone.learners.exponential import Generic
    >>> feasible(Generic(Thresholds(1, 2**64), epsilon=1)).ok
    True
    >>> feasible(Generic(Thresholds(1, 9), epsilon=1), 0).why
    'There are no records.'
    """
    try:
        unit = learner.plan.unit
    except LittlestoneError as problem:
        why, _, next_step = str(problem).partition(". ")
        return Feasible(False, f"{why.removesuffix('.')}.", next_step)
    if n is not None and n < 1:
        return Feasible(False, f"There are no {unit}.", "Give at least one.")
    return Feasible(True)


def check_two_labels(estimator: str, concept_class: ConceptClass) -> None:
    """Refuse a class with a list of labels, for a learner of the labels 0 and 1."""
    if not concept_class.lists_labels:
        return
    two = (
        " For two labels leave the list out, and say which one means 1: classes=(negative, "
        "positive), --positive."
    )
    raise UnsupportedError(
        f"{estimator} learns the labels 0 and 1; {concept_class.spec} lists "
        f"{len(concept_class.labels)} labels of its own. AgnosticLearner and GenericLearner "
        "(--learner agnostic, --learner generic) learn them."
        + (two if len(concept_class.labels) == 2 else "")
    )


@lru_cache(maxsize=512)
def _plan_of(learner: Learner[Any]) -> Plan:
    concept_class = learner.concept_class
    if not learner.multiclass:
        check_two_labels(learner.estimator, concept_class)
    plan: Plan = learner.make_plan()
    return plan


CLASS = Kind("ConceptClass", lambda caller, _, value: check_class(caller, value), "ConceptClass")


@dataclass(frozen=True)
class ClassLearner(Learner[P]):
    """A learner of a concept class; no privacy depends on alpha and beta."""

    concept_class: ConceptClass = declared(CLASS, "Public.", kw_only=False)
    epsilon: Fraction = declared(
        number("1 is a common choice."), "Privacy loss of one ``fit``. No default."
    )
    alpha: Fraction = declared(
        share("0.1 is one error in ten."),
        "(Excess) error that the certificate promises not to exceed.",
        default=0.1,
    )
    beta: Fraction = declared(
        share("0.05 is one failure in twenty."), "Probability with which it may.", default=0.05
    )


# -- what a caller is warned of, before anything is drawn -----------------------------------------

#: Above it a promise is empty in practice: e**20 is 485 million.
LARGEST_EPSILON = 20


def weaknesses(guarantee: Guarantee, n: int | None) -> list[str]:
    """Say what makes a promise empty.

    Examples
    --------
    >>> from littlestone.privacy import Guarantee
    >>> weaknesses(Guarantee(1, "1e-6"), 1000)
    []
    >>> for line in weaknesses(Guarantee(30, "0.01"), 100):
    ...     print(line)
    epsilon 30 is above 20: what one record changes may be more than 485 million times as likely
    with it as without. 1 is usual.
    delta 0.01 is at least 1/n: publishing a record that is drawn at random keeps such a promise.
    Choose it far below 1/n.
    """
    found = []
    if guarantee.epsilon > LARGEST_EPSILON:
        found.append(
            f"epsilon {float(guarantee.epsilon):g} is above {LARGEST_EPSILON}: what one record "
            "changes may be more than 485 million times as likely with it as without. 1 is usual."
        )
    if n is not None and guarantee.delta * n >= 1:
        found.append(
            f"delta {float(guarantee.delta):g} is at least 1/n: publishing a record that is drawn "
            "at random keeps such a promise. Choose it far below 1/n."
        )
    return found


def warn_of_weakness(guarantee: Guarantee, n: int | None, stacklevel: int) -> None:
    """Warn of each weakness of a promise."""
    for line in weaknesses(guarantee, n):
        warnings.warn(line, NotPrivateWarning, stacklevel=stacklevel + 1)


class _Unpaid:
    """Fits of this process that no ledger pays for."""

    def __init__(self) -> None:
        self.fits, self.said = count(1), False  # counting is one step, also for threads

    def another(self, stacklevel: int) -> None:
        """Count a fit, and warn unless it is the first one of a process of its own."""
        if (next(self.fits) == 1 and parent_process() is None) or self.said:
            return
        warnings.warn(
            "This is not the only fit here, and no ledger pays for it. Fits on the same records "
            "add up: what all of them release costs the sum of their epsilons (deltas), so a grid "
            "search or a cross-validation costs many times what each model says. "
            "fit(..., ledger=littlestone.Ledger(...)) records and limits the sum; "
            "docs/guide/searches.md. This is said once in each process.",
            NotPrivateWarning,
            stacklevel=stacklevel + 1,
        )
        self.said = True  # not if the warning is an error


_unpaid = _Unpaid()


def warn_of_sums(stacklevel: int) -> None:
    """Warn, once, of the second fit of a process, or of any in a process that another started."""
    _unpaid.another(stacklevel + 1)
