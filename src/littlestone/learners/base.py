"""Learners: what one is, and how one is written.

A learner is read in the order **Spec -> Plan -> Draw -> Release**:

* the *spec* is a frozen dataclass derived from `Learner` (mostly from `ClassLearner`, which has
  the fields ``concept_class``, ``epsilon``, ``alpha``, ``beta``);
* its *plan* (`littlestone.learners.base`) holds the numbers that follow from public parameters;
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

2. A parameter is `declared` once, with its kind and its text (`littlestone.learners.base`); the
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
6. One line in ``learners/registry.py``. The command line, ``plan`` and ``auto``
   iterate over the registry.
7. Tests: exact verification (``audit.verify``) on all small data, broken variants that it must
   notice, the certificate against simulation.
"""

from __future__ import annotations

import inspect
import json
import re
import textwrap
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, make_dataclass, replace
from fractions import Fraction
from functools import lru_cache, wraps
from itertools import count
from multiprocessing import parent_process
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypeVar
from typing import Generic as _Generic

from littlestone.bounds import Reference
from littlestone.classes import ConceptClass, check_class
from littlestone.data import Sample, UserSample
from littlestone.errors import (
    LittlestoneError,
    NotPrivateWarning,
    UnsupportedError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.privacy import Guarantee, Neighbours

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, CertificateBuilder, Unit
    from littlestone.privacy import Loss
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["ClassLearner", "Feasible", "Learner", "check_two_labels", "feasible"]


# -- Parameters of learners, each declared once: name, type, check, text, default.
#
# A learner is a frozen dataclass whose fields are `declared`. From the fields follow what it
# refuses (`Learner`), the arguments and the docstring of its estimator (`complete`), the stub
# that editors read. Nothing here imports scikit-learn.


#: Checks a public parameter: (caller, name, what was typed) -> its value, or a `ParameterError`.
Check = Callable[[str, str, Any], Any]


@dataclass(frozen=True)
class Kind:
    """What a parameter may be: in words, as a check, and as the annotation of an argument."""

    words: str
    check: Check | None = None
    annotation: str = "Any"


def declared(kind: Kind, text: str, *, default: Any = MISSING, kw_only: bool = True) -> Any:
    """Declare a public parameter, with its text in the estimator's docstring.

    The default is written as a user types it, and checked like any other value.
    """
    return field(default=default, kw_only=kw_only, metadata={"kind": kind, "text": text})


def number(hint: str = "") -> Kind:
    """Return the kind of a number in (0, inf)."""
    return Kind(
        "float in (0, inf)",
        lambda caller, name, value: check_fraction(caller, name, value, hint=hint),
        "Number",
    )


def share(hint: str = "") -> Kind:
    """Return the kind of a number in (0, 1)."""
    return Kind(
        "float in (0, 1)",
        lambda caller, name, value: check_probability(caller, name, value, hint=hint),
        "Number",
    )


def whole(low: int) -> Kind:
    """Return the kind of an integer, at least ``low``."""
    return Kind(
        f"int >= {low}",
        lambda caller, name, value: check_integer(caller, name, value, low=low),
        "int",
    )


def one_of(*values: str) -> Kind:
    """Return the kind of one of some words."""

    def check(caller: str, name: str, value: Any) -> str:
        if not isinstance(value, str) or value not in values:
            raise parameter_error(caller, name, f"one of {', '.join(values)}", value)
        return value

    words = ", ".join(map(json.dumps, values))
    return Kind(f"{{{words}}}", check, f"Literal[{words}]")


def maybe(kind: Kind) -> Kind:
    """Return the kind of a value that may be None."""
    check, annotation = kind.check, kind.annotation
    return replace(
        kind,
        check=lambda caller, name, value: (
            value if value is None or check is None else check(caller, name, value)
        ),
        annotation=annotation if annotation == "Any" else f"{annotation} | None",
    )


# -- what follows for an estimator ----------------------------------------------------------------

_ATTRIBUTES = {
    "hypothesis_ : Hypothesis": "The private output; may be published.",
    "guarantee_ : Guarantee": "",
    "certificate_ : Certificate": "",
    "classes_ : ndarray of shape (n_classes,)": "",
    "n_features_in_ : int": "",
    "feature_names_in_ : ndarray of str, where ``fit`` met names": "",
}
_RAISES = {
    "ParameterError": "If a public parameter is out of range.",
    "DataError": "If a point or a label is outside the public domain (names column and rule only).",
}
_HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def complete(cls: type, parameters: Mapping[str, Field[Any]]) -> None:
    """Give an estimator an ``__init__`` that only stores, and the sections that all have."""
    parameters = dict(sorted(parameters.items(), key=_place))
    arguments = [
        (name, each.metadata["kind"].annotation, field(default=each.default, kw_only=each.kw_only))
        for name, each in parameters.items()
    ]
    storing: Any = make_dataclass(cls.__name__, arguments, repr=False, eq=False)
    storing.__init__.__qualname__ = f"{cls.__qualname__}.__init__"
    storing.__init__.__module__ = cls.__module__
    cls.__init__ = storing.__init__  # type: ignore[misc]
    about, *sections = _HEADING.split(inspect.cleandoc(cls.__doc__ or ""))
    own = dict(zip(sections[::2], sections[1::2], strict=True))
    typed = {_argument(name, each): each.metadata["text"] for name, each in parameters.items()}
    shown = {
        "Parameters": _entries(typed),
        "Attributes": _with_shared(own.pop("Attributes", ""), _ATTRIBUTES),
        "Guarantee": own.pop("Guarantee", ""),
        "Raises": _with_shared(own.pop("Raises", ""), _RAISES),
    } | own
    texts = [f"{name}\n{'-' * len(name)}\n{text.strip()}\n" for name, text in shown.items() if text]
    cls.__doc__ = "\n".join([f"{about.rstrip()}\n", *texts])


def _place(entry: tuple[str, Field[Any]]) -> tuple[bool, bool]:
    """Order positional parameters first, and those without a default."""
    return bool(entry[1].kw_only), entry[1].default is not MISSING


def _argument(name: str, each: Field[Any]) -> str:
    """Return the first line of an argument in a docstring."""
    words = f"{name} : {each.metadata['kind'].words}"
    if each.default is MISSING:
        return words
    if each.default is None:
        return f"{words}, optional"
    typed = json.dumps(each.default) if isinstance(each.default, str) else each.default
    return f"{words}, default {typed}"


def _entries(entries: Mapping[str, str]) -> str:
    """Return entries of a section of a docstring, each with its text below."""
    lines = []
    for entry, text in entries.items():
        lines.append(entry)
        if text:
            lines.append(textwrap.indent(textwrap.fill(text, 92, break_on_hyphens=False), "    "))
    return "\n".join(lines)


def _with_shared(own: str, shared: Mapping[str, str]) -> str:
    """Return the entries of a section, and after them the shared ones that it leaves out."""
    said = {line.partition(" ")[0] for line in own.splitlines()}
    rest = {entry: text for entry, text in shared.items() if entry.split()[0] not in said}
    return f"{own.rstrip()}\n{_entries(rest)}"


def no_argument(caller: str, name: str) -> str:
    """Say what to use instead of an argument that other libraries have."""
    weighted = (
        "Every record counts once: with a (survey) weight of w, a record would count w times, and "
        "its privacy loss would be w times epsilon. Leave the weights out, and weight the "
        "predictions instead. If errors on one label are costlier, use AgnosticLearner(..., "
        "costs={label: cost})."
    )
    instead = {
        "sample_weight": weighted,
        "weights": weighted,
        "class_weight": "AgnosticLearner(..., costs={label: cost}) has it as a parameter; "
        "boosted trees give probabilities, for which you choose the threshold.",
    }.get(name, "Parameters of the model are those of its constructor.")
    return f"The fit of {caller} takes no {name!r}. {instead}"


# -- Plans: what a learner will do, and what that certifies, from public parameters only.
#
# Every learner's plan is found in the same way: floats propose numbers, exact certificates decide.
# A float never decides whether a certificate holds.


@dataclass(frozen=True)
class Goal:
    """What a learner may spend and must achieve: privacy, and error with its probability.

    Examples
    --------
    >>> Goal(Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20)).rate
    Fraction(1, 2)
    """

    epsilon: Fraction  # what the release may cost; delta is 0 where nothing but epsilon is allowed
    delta: Fraction
    #: (Excess) error, and the probability of exceeding it. No privacy depends on them.
    alpha: Fraction
    beta: Fraction
    #: The neighbouring relation of the guarantee.
    neighbours: Neighbours = field(default=Neighbours.REPLACE_ONE, kw_only=True)
    #: With a number, users are protected, each with at most that number of records.
    samples_per_user: int | None = field(default=None, kw_only=True)
    #: The part of epsilon that an evaluation takes: a share.
    evaluation: Fraction = field(default=Fraction(0), kw_only=True)

    @property
    def left(self) -> Fraction:
        """What an evaluation leaves of epsilon."""
        return self.epsilon * (1 - self.evaluation)

    @property
    def rate(self) -> Fraction:
        """Half of epsilon: where replacing one record takes one vote away and adds another."""
        return self.epsilon / 2


class Plan(ABC):
    """A learner's own numbers, and what they need and certify.

    A learner's plan is a frozen dataclass that derives from this class.

    ``required``: the least n from which on the certificate always holds: a field or a property.
    """

    unit: Unit = "records"  # what ``required`` counts: ``"records"`` or ``"users"``

    if TYPE_CHECKING:

        @property
        def required(self) -> int:
            """The least n from which on the certificate always holds."""

    @abstractmethod
    def certificate(self, n: int) -> Certificate:
        """Return the accuracy certificate for n records (or users)."""


P = TypeVar("P", bound=Plan)


def cached(certify: Callable[[Any, int], Certificate]) -> Callable[[Any, int], Certificate]:
    """Keep the last certificates in the plan: many releases ask for the same n."""

    @wraps(certify)
    def certificate(self: Any, n: int) -> Certificate:
        known = self.__dict__.setdefault("_certificates", {})
        if n not in known:
            if len(known) >= 64:
                known.clear()
            known[n] = certify(self, n)
        answer: Certificate = known[n]
        return answer

    return certificate


#: Inputs that mean the head of a certificate, and so must be renamed inside another one.
_HEAD = re.compile(r"\b(alpha|beta|n)\b")


def nest(cert: CertificateBuilder, certificate: Certificate, label: str) -> None:
    """Write all steps of a certificate into another one, under names of their own.

    ``cert``: of the outer certificate; ``certificate``: of a part; its conditions become conditions
    of the whole; ``label``: a word. Steps become ``"label.step"``, and its alpha, beta and n
    ``alpha_label`` and so on.

    Examples
    --------
    >>> from littlestone.bounds import CertificateBuilder, realizable
    >>> cert = CertificateBuilder()
    >>> nest(cert, realizable(100, epsilon=1, alpha="0.1", beta="0.05"), "inner")
    >>> [(name, step.formula) for name, step in cert.steps.items()][-1]
    ('inner.enough', 'n_inner >= needed')
    """
    for step in certificate.steps:
        inputs = {
            _renamed(name, label): Reference(f"{label}.{x.step}") if isinstance(x, Reference) else x
            for name, x in step.inputs.items()
        }
        formula = _renamed(step.formula, label)
        cert.written(f"{label}.{step.name}", formula, step.source, **inputs)


def _renamed(text: str, label: str) -> str:
    return _HEAD.sub(rf"\1_{label}", text)


#: What the parameters of several learners say.
DELTA_TEXT = "Probability with which epsilon may be exceeded. No default."
#: Hints about delta; the second one is for learners whose candidates come from the data.
DELTA = "1e-6 is a common choice; delta should be far below 1 / (number of records)."
DELTA_NEEDED = (
    "1e-6 is a common choice; 0 is not possible, since the candidates come from the data."
)


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
    ``plan``, ``required_samples``, ``--learner auto`` and `run` agree, and nothing is
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
        " For two labels leave the list out, and name the positive one: classes=(negative, "
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
    epsilon 30 is above 20: one record may change the probability of an output by a factor of more
    than 485 million. 1 is a common choice.
    delta 0.01 is at least 1/n: publishing one randomly drawn record would satisfy such a guarantee.
    Choose delta far below 1/n.
    """
    found = []
    if guarantee.epsilon > LARGEST_EPSILON:
        found.append(
            f"epsilon {float(guarantee.epsilon):g} is above {LARGEST_EPSILON}: one record may "
            "change the probability of an output by a factor of more than 485 million. 1 is a "
            "common choice."
        )
    if n is not None and guarantee.delta * n >= 1:
        found.append(
            f"delta {float(guarantee.delta):g} is at least 1/n: publishing one randomly drawn "
            "record would satisfy such a guarantee. Choose delta far below 1/n."
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
            "This is not the first fit in this process, and no ledger pays for it. Fits on the "
            "same records add up: together they cost the sum of their epsilons and deltas, so a "
            "grid search or a cross-validation costs many times what each model states, and its "
            "scores are not private. fit(..., ledger=littlestone.Ledger(...)) records and limits "
            "the sum; see docs/guide/pitfalls.md. This warning is shown once per process.",
            NotPrivateWarning,
            stacklevel=stacklevel + 1,
        )
        self.said = True  # not if the warning is an error


_unpaid = _Unpaid()


def warn_of_sums(stacklevel: int) -> None:
    """Warn, once, of the second fit of a process, or of any in a process that another started."""
    _unpaid.another(stacklevel + 1)
