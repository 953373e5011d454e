"""One shell around every algorithm of the papers that learns: fit, plan, audit, record.

An algorithm is a frozen dataclass on its paper's page, with parameters in the paper's symbols
(`Certified`). `PaperLearner` makes a `littlestone.learners.base.Learner` of it: what is not given
is as printed, and what is promised is computed from the parameters. The estimator of
scikit-learn is made of the learner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, fields, make_dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from types import UnionType, new_class
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Self,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from littlestone.bounds import least_n
from littlestone.bounds.certificate import bounds_beside
from littlestone.classes import ConceptClass, parse_integer
from littlestone.errors import (
    ParameterError,
    StateError,
    UnsupportedError,
    check_integer,
    exact_value,
    parameter_error,
)
from littlestone.learners.base import (
    DELTA_NEEDED,
    DELTA_TEXT,
    ClassLearner,
    Goal,
    Kind,
    Plan,
    declared,
    share,
    whole,
)

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, CertificateBuilder, Unit
    from littlestone.learners.sklearn_base import PrivateClassifier
    from littlestone.privacy import Guarantee, Neighbours
    from littlestone.source import Source
    from littlestone.types import Hypothesis


#: The sums of the certificates, by name.
BOUNDS = bounds_beside(__file__)


T = TypeVar("T")


def on_page(
    name: str,
    number: str,
    kind: Literal["learner", "mechanism", "construction"],
    statement: str,
    *,
    paper: str | None = None,
    unit: Literal["records", "users", "stream"] = "records",
    pure: bool = False,
    agnostic: bool = False,
) -> Callable[[T], T]:
    """Mark a dataclass or a function with what the list says of it.

    ``kind``: in one word, ``statement`` in one line; ``unit``: what a learner protects; ``pure``:
    whether delta is zero; ``agnostic``: whether its certificate needs no realizable labels.
    """

    def mark(entry: T) -> T:
        about = {
            "NAME": name,
            "PAPER": paper or _PAPERS[name.partition(".")[0]],
            "NUMBER": number,
            "STATEMENT": statement,
            "KIND": kind,
            "UNIT": unit,
            "PURE": pure,
            "AGNOSTIC": agnostic,
        }
        for key, value in about.items():
            setattr(entry, key, value)
        return entry

    return mark


_PAPERS = {"yan": "000, 001", "lwy": "002", "lyu": "003", "alon": "004"}


class Certified(ABC):
    """An algorithm that learns: a frozen dataclass, parameters in the paper's symbols.

    Fields whose names begin with ``epsilon`` or ``delta`` are privacy losses: `printed` computes
    them from the whole budget, and nobody sets them. Fields with a default of None stand for what
    is printed in terms of other parameters. ``alpha`` and ``beta`` are what the certificate is
    about; no privacy depends on them.
    """

    if TYPE_CHECKING:

        def guarantee(self) -> Guarantee:
            """Return what is promised about privacy: computed from the algorithm's own losses."""

        def draw(self, sample: Any, source: Source) -> Hypothesis:
            """Draw the hypothesis; a pure function of the sample and the draws."""

    @classmethod
    def printed(
        cls, concept_class: ConceptClass, *, epsilon: Fraction, delta: Fraction, alpha: Fraction,
        beta: Fraction, n: int, samples_per_user: int | None = None, **how: Any,
    ) -> Self:  # fmt: skip
        """Return the algorithm with the printed parameters; total for n >= 1.

        It refuses a class that it cannot learn. The guarantee is the same for every n.
        """
        goal = Goal(epsilon, delta, alpha, beta, samples_per_user=samples_per_user)
        return cls.for_goal(concept_class, goal, n, **how)

    @classmethod
    @abstractmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return what `printed` does, for a goal."""

    @abstractmethod
    def failure(self, n: int) -> CertificateBuilder | None:
        """Return the certificate for n records or users, one explicit sum; None: there is none.

        Its last step is the comparison with beta.
        """

    def required_samples(self) -> int | None:
        """Return the least n from which on `failure` holds; None: there is none."""
        return _required(self)


@lru_cache(maxsize=64)
def _required(algorithm: Certified) -> int | None:
    return least_certified(algorithm.failure)


def least_certified(failure: Callable[[int], CertificateBuilder | None]) -> int | None:
    """Return the least n whose certificate holds, of certificates that are monotone in n.

    None where there is no certificate, or none holds up to 2**64.
    """

    def holds(n: int) -> bool:
        cert = failure(n)
        return cert is None or cert.holds

    if failure(1) is None:
        return None
    try:
        return least_n(holds, most=2**64)
    except ParameterError:  # not for these parameters
        return None


# -- parameters that are given: read by the types of the dataclass --------------------------------

#: What nobody sets: what the shell has itself and gives to `Certified.printed`, and the relation:
#: under another one n may be secret, and documents print it.
_SHELL = ("concept_class", "alpha", "beta", "samples_per_user", "n", "neighbours")


def settings(algorithm: type[Any]) -> dict[str, Any]:
    """Return the parameters that may be given, each with its type: all but losses.

    Examples
    --------
    >>> from littlestone.papers.lyu import Theorem3
    >>> settings(Theorem3)["chunk"]
    int | None
    """
    typed = {
        each.name: each.type
        for each in fields(algorithm)
        if each.init and each.name not in _SHELL and not each.name.startswith(("epsilon", "delta"))
    }
    return get_type_hints(
        type("", (), {"__annotations__": typed, "__module__": algorithm.__module__})
    )


def read_value(caller: str, name: str, kind: Any, value: Any) -> Any:
    """Return the value of a parameter, given as itself or as text.

    Examples
    --------
    >>> read_value("fit", "tolerances", tuple[int, ...], "11,0")
    (11, 0)
    >>> read_value("fit", "agreeing", Fraction | None, "0.7")
    Fraction(7, 10)
    """
    origin, inside = get_origin(kind), get_args(kind)
    value = value.strip() if isinstance(value, str) else value
    if origin in (Union, UnionType):
        rest = [each for each in inside if each is not type(None)]
        kind = Any if Any in rest else rest[0]
        return None if value is None else read_value(caller, name, kind, value)
    if origin is tuple:
        items = value.split(",") if isinstance(value, str) else value
        if not isinstance(items, Sequence):
            raise parameter_error(caller, name, "several values, separated by commas", value)
        return tuple(read_value(caller, name, inside[0], item) for item in items)
    if kind is int:
        return check_integer(
            caller, name, parse_integer(value, caller) if isinstance(value, str) else value
        )
    if origin is Literal:
        read, allowed = (value if value in inside else None), f"one of {', '.join(inside)}"
    elif kind is bool:
        read, allowed = {"true": True, "false": False}.get(str(value).lower()), "true or false"
    elif kind is Fraction:
        read, allowed = exact_value(value), "a number or a fraction"
    elif isinstance(value, str):
        raise ParameterError(f"The {name!r} parameter of {caller} can be set in Python only.")
    else:
        return value
    if read is None:
        raise parameter_error(caller, name, allowed, value)
    return read


def read_settings(caller: str, algorithm: type[Any], typed: Sequence[str]) -> dict[str, Any]:
    """Return what ``--set NAME=VALUE`` says, each once.

    Examples
    --------
    >>> from littlestone.papers.lyu import Theorem3
    >>> read_settings("fit", Theorem3, ["chunk=40", "tolerances=2,0"])
    {'chunk': 40, 'tolerances': (2, 0)}
    """
    possible, values = settings(algorithm), {}
    for text in typed:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name in values:
            hint = "Each is NAME=VALUE, once for each name."
            raise parameter_error(caller, "set", "of the form chunk=40", text, hint)
        if name not in possible:
            losses = name.startswith(("epsilon", "delta"))
            why = " Privacy is computed from the parameters: --epsilon is all of it." * losses
            raise ParameterError(
                f"{algorithm.NAME} has no parameter {name!r} that --set could set. Its parameters: "
                f"{', '.join(possible)}.{why}"
            )
        values[name] = read_value(caller, name, possible[name], value)
    return values


# -- the learner, and its estimator ---------------------------------------------------------------


@dataclass(frozen=True)
class PaperPlan(Plan):
    """What an algorithm needs and certifies, from its own explicit sum."""

    learner: PaperLearner

    @property
    def unit(self) -> Unit:  # type: ignore[override] # an attribute elsewhere
        """What is counted."""
        return self.learner.unit

    @cached_property
    def least(self) -> int | None:
        """The least n from which on the certificate always holds; None: there is none."""
        return least_certified(lambda n: self.learner.at(n).failure(n))

    @property
    def required(self) -> int:
        """The same, or a refusal."""
        if self.least is None:
            raise UnsupportedError(self.learner.uncertified)
        return self.least

    def certificate(self, n: int) -> Certificate:
        """Return the certificate, or say that there is none."""
        cert, learner = self.learner.at(n).failure(n), self.learner
        if cert is None:
            raise UnsupportedError(learner.uncertified)
        return cert.certificate(alpha=learner.alpha, beta=learner.beta, n=n, unit=learner.unit)


@dataclass(frozen=True)
class PaperLearner(ClassLearner[PaperPlan]):
    """A learner around an algorithm; its other fields, one for each parameter, override it.

    Classes of it are made by `learner_of`.
    """

    algorithm: ClassVar[Any]

    @cached_property
    def given(self) -> dict[str, Any]:
        """What is not as printed."""
        values = {name: getattr(self, name) for name in settings(self.algorithm)}
        return {name: value for name, value in values.items() if value is not None}

    def at(self, n: int) -> Certified:
        """Return the algorithm for n records (or users)."""
        printed = self.algorithm.for_goal(self.concept_class, self.goal, n)
        algorithm: Certified = replace(printed, **self.given)
        return algorithm

    def make_plan(self) -> PaperPlan:
        """Return the plan; refuse what cannot be drawn, and what would cost more than asked."""
        promised = self.at(1).guarantee()
        if promised.epsilon > self.epsilon or promised.delta > getattr(self, "delta", 0):
            raise ParameterError(
                f"With these parameters {self.estimator} would be {promised}: more than was given. "
                "Leave out the shares that do not add up to 1."
            )
        return PaperPlan(self)

    @cached_property
    def uncertified(self) -> str:  # type: ignore[override] # an attribute elsewhere
        """Why there is no certificate before data."""
        if self.plan.least is not None:
            return ""
        return (
            f"{self.algorithm.NAME} has no certificate for {self.concept_class.spec} with these "
            "parameters: docs/papers.md says which have one. It can be fitted without one."
        )

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return what the parameters promise."""
        return replace(self.at(1).guarantee(), seeded=seeded)

    @property
    def goal(self) -> Goal:
        """What may be spent; the relation of the guarantee follows from it, and is not in it."""
        return Goal(
            self.epsilon, getattr(self, "delta", Fraction(0)), self.alpha, self.beta,
            samples_per_user=getattr(self, "samples_per_user", None),
        )  # fmt: skip

    @property
    def neighbours(self) -> Neighbours:
        """The relation of the guarantee: how many units there are may be secret."""
        return self.at(1).guarantee().neighbours

    @property
    def name(self) -> str:  # type: ignore[override] # an attribute elsewhere
        """The name on the list, and what was given: public, and part of the record."""
        typed = ", ".join(f"{name} = {_written(value)}" for name, value in self.given.items())
        return f"{self.algorithm.NAME}" + (f" with {typed}" if typed else "")

    def shuffles(self, n: int) -> bool:
        """Return that parts of the records are taken in a secret order."""
        return self.unit == "records"

    def taken(self, sample: Any, source: Source) -> Any:
        """Refuse, before anything is paid, what `draw` would refuse for this many records."""
        algorithm: Any = self.at(max(sample.n, 1))
        if hasattr(algorithm, "admit"):
            algorithm.admit(sample.n)
        return sample

    def draw(self, sample: Any, source: Source) -> Hypothesis:
        """Draw by the algorithm for as many records as there are."""
        algorithm = self.at(max(sample.n, 1))
        if algorithm.guarantee() != self.at(1).guarantee():
            raise StateError(f"{self.estimator} would not satisfy its guarantee for this n.")
        return algorithm.draw(sample, source)


@lru_cache(maxsize=64)
def learner_of(algorithm: Any) -> type[PaperLearner]:
    """Return the learner of an algorithm: one field for each parameter that may be given."""
    name = algorithm.__name__
    fields: dict[str, Field[Any]] = {}
    if not algorithm.PURE:
        fields["delta"] = declared(share(DELTA_NEEDED), DELTA_TEXT)
    if algorithm.UNIT == "users":
        text = (
            "How many records of each user are read: a public number that is not taken from the "
            "data."
        )
        fields["samples_per_user"] = declared(whole(1), text)
    for parameter, kind in settings(algorithm).items():
        fields[parameter] = declared(_kind(kind), "None: as printed.", default=None)
    about: dict[str, Any] = {
        "algorithm": algorithm,
        "estimator": name,
        "summary": algorithm.STATEMENT,
        "claim": "",
        "pure": algorithm.PURE,
        "agnostic": algorithm.AGNOSTIC,
        "unit": algorithm.UNIT,
        "__module__": __name__,
    }
    learner_class: Any = make_dataclass(
        f"{name}Learner",
        [(key, Any, each) for key, each in fields.items()],
        bases=(PaperLearner,),
        frozen=True,
        namespace=about,
    )
    return learner_class  # type: ignore[no-any-return]


def _written(value: Any) -> str:
    """Write a parameter as ``--set`` reads it."""
    return ",".join(map(_written, value)) if isinstance(value, tuple) else str(value)


def _kind(kind: Any) -> Kind:
    """Return the kind of a parameter that may be left as printed."""
    words = str(kind).replace("fractions.", "") if get_origin(kind) else kind.__name__
    return Kind(
        words,
        lambda caller, name, value: (
            None if value is None else read_value(caller, name, kind, value)
        ),
    )


@lru_cache(maxsize=64)
def estimator_of(algorithm: Any) -> type[PrivateClassifier]:
    """Return the scikit-learn classifier of an algorithm."""
    from littlestone.learners.sklearn_base import PrivateClassifier  # noqa: PLC0415 - slow

    text = f"{algorithm.NUMBER} of {algorithm.PAPER}: {algorithm.STATEMENT}.\n\n"
    text += f"The algorithm itself is `{algorithm.__module__}.{algorithm.__name__}`.\n"
    namespace = {"__doc__": text, "__module__": "littlestone.papers"}
    how = {"learner": learner_of(algorithm)}
    return new_class(algorithm.__name__, (PrivateClassifier,), how, lambda ns: ns.update(namespace))
