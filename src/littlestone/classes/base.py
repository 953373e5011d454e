"""What a concept class is: public functions from a domain to labels, with their oracles."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from itertools import product
from operator import methodcaller
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.classes.encoding import Fields, json_integer, number
from littlestone.classes.hypotheses import on_points
from littlestone.classes.oracles import version_space
from littlestone.combinatorics.limits import DEFAULT_MAX_NODES
from littlestone.data import IntegerDomain, RowDomain, Sample, Schema
from littlestone.data.domains import Line
from littlestone.data.labels import BINARY
from littlestone.data.targets import target_from_dict
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, ScoreRuns, Source, exact_integers
from littlestone.types import Hypothesis, Json, Label, Point

if TYPE_CHECKING:
    from littlestone.bounds import HashFamily
    from littlestone.bounds.public import PublicPoints
    from littlestone.classes.oracles import VersionSpace
    from littlestone.classes.trees.tree import VC1Tree
    from littlestone.data import Domain


# Sweeps of classes whose concepts lie in a line: runs of equal scores, from points in order
#
# A point is labelled 1 by the concepts of one span of the line. The score of a concept is a base,
# plus the gains of the points whose spans hold it. Spans come in the order of their starts. Those
# that are still open at the last start of a piece wait for the next one: in a tree these are the
# points on one path, in a list of points none.


_SMALL = 2**62

Ints = npt.NDArray[np.int64]
#: First and one more than the last concept of each span, and the gain there.
Spans = tuple[Ints, Ints, Ints]


def gains_of(sample: Sample, line: Line | None) -> Iterator[tuple[Ints, Ints]]:
    """Yield numbers on a line, in order, and by how much label 1 is better there than label 0.

    Without a line, which points of more than 64 bits have not, they are Python's integers.
    """
    for batch in sample.batches(line):
        zero, one = sample.weighed(batch)
        yield batch.points if line is not None else batch.points.astype(object), zero - one


def span_runs(pieces: Iterable[Spans], first: int, end: int, base: int) -> Iterator[ScoreRuns]:
    """Yield the runs of equal scores of the concepts first .. end - 1, piece by piece.

    Examples
    --------
    A chain 0, 1, 2 under a node 3, ... with node 1 marked by +5:

    >>> runs = span_runs([(np.array([1]), np.array([3]), np.array([5]))], 0, 5, base=0)
    >>> [(piece.starts.tolist(), piece.scores.tolist(), piece.end) for piece in runs]
    [([0], [0], 1), ([1, 3], [5, 0], 5)]
    """
    at, score = first, base
    places = changes = np.zeros(0, dtype=np.int64)
    for starts, ends, gains in pieces:
        places = np.concatenate([places, starts, ends])
        changes = np.concatenate([changes, gains, -gains])
        known = places <= starts[-1]  # what comes later starts later
        here, scores = _steps(places[known], changes[known], score)
        places, changes = places[~known], changes[~known]
        yield ScoreRuns(_after(at, here[:-1]), int(here[-1]), np.append(score, scores[:-1]))
        at, score = int(here[-1]), int(scores[-1])
    here, scores = _steps(places, changes, score)
    yield ScoreRuns(_after(at, here), end, np.append(score, scores))


def in_order(starts: Sequence[int], ends: Sequence[int], gains: Ints, last: int) -> list[Spans]:
    """Return spans in memory as one piece; of concepts up to a last one, perhaps beyond 64 bits."""
    kind = np.int64 if last < _SMALL else object
    first = np.array(starts, dtype=kind)
    order = np.argsort(first, kind="stable")
    return [(first[order], np.array(ends, dtype=kind)[order], gains[order])] if len(order) else []


def _steps(places: Ints, changes: Ints, score: int) -> tuple[Ints, Ints]:
    """Return the places in order, each once, and the score from each on."""
    order = np.argsort(places, kind="stable")
    places, scores = places[order], score + np.cumsum(changes[order])
    last = np.append(places[1:] != places[:-1], True)[: len(places)]
    return places[last], scores[last]


def _after(first: int, places: Ints) -> Ints:
    """Return a place and those behind it: exactly, however large."""
    return np.concatenate([exact_integers([first]), places])


T = TypeVar("T")

#: ``concepts()`` lists at most this many: it is for verification and teaching, not for learning.
LISTABLE = 1 << 20
#: A threshold dimension beyond 2 to this power is not written out.
MAX_EXPONENT = 1024


class Witnessed(NamedTuple):
    """Bounds of a dimension, and how to write out what proves the lower one, as plain JSON."""

    lower: int
    upper: int
    witness: Callable[[], Json]


#: How parameters that are no integers are written, and how they are read.
_JSON: dict[str, tuple[Callable[[Any], Any], Callable[[Fields, str], Any]]] = {
    "schema": (Schema.to_list, lambda fields, name: Schema.from_list(fields.any(name))),
    "labels": (list, Fields.any),
    "target": (methodcaller("to_dict"), lambda fields, name: target_from_dict(fields.any(name))),
    "monotone": (bool, Fields.flag),
}
_INTEGER = (json_integer, Fields.integer)


class ConceptClass(ABC):
    """A public set of concepts, with the oracles that learners ask for.

    Two objects are equal when they are the same class (type and parameters). Every concept labels
    a point outside the domain 0.
    """

    name: ClassVar[str]

    labels: tuple[Label, ...] = BINARY

    @property
    def spec(self) -> str:
        """The text of the class, for example ``thresholds(1, 99)``."""
        return f"{self.name}({', '.join(map(number, self._parameters.values()))})"

    @property
    def lists_labels(self) -> bool:
        """Whether the class has a list of labels of its own, and not the labels 0 and 1."""
        return self.labels != BINARY

    def check_binary(self, what: str) -> None:
        """Refuse what is known for the labels 0 and 1 only."""
        if self.lists_labels:
            raise UnsupportedError(
                f"{what} is for the labels 0 and 1; {self.spec} lists {len(self.labels)} labels of "
                "its own. In Python, ls.theory.multiclass_littlestone_dimension and "
                "multiclass_soa are for several labels."
            )

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """The public domain: what may be a point."""

    @property
    @abstractmethod
    def size(self) -> int | float:
        """Number of candidates of the exponential mechanism, exactly; ``math.inf`` if infinite."""

    @property
    @abstractmethod
    def vc_dim(self) -> int:
        """The VC dimension, exactly; for `Rules` (``vc_exact`` is False) a proven upper bound."""

    vc_exact: ClassVar[bool] = True
    #: Whether the class was given as a list, so that its size is no reason not to list it.
    is_listed: ClassVar[bool] = False

    #: Whether `candidates` reads the batches of a stored sample, instead of asking for its points.
    streams: ClassVar[bool] = False

    @property
    def uses_marginals(self) -> bool:
        """Whether `candidates` asks a stored sample for the counts of sets of columns only."""
        return False

    @property
    def public(self) -> PublicPoints | None:
        """How near the candidates are to a larger class, where public points were used."""
        return None

    #: The one learner of classes that have their own; empty where any may learn them.
    learned_by: str = ""

    @abstractmethod
    def candidates(self, sample: Any) -> Choice[Hypothesis]:
        """Return all candidates, scored by minus their number of errors on the sample.

        ``candidates(sample).draw(rate, source)`` returns a hypothesis with probability exactly
        proportional to (its number of representations) * ``e**(-rate * errors)``.
        """

    def to_dict(self) -> Json:
        """Return the parameters as plain JSON; `littlestone.classes.class_from_dict` reads it."""
        own = {k: _JSON.get(k, _INTEGER)[0](value) for k, value in self._parameters.items()}
        return {"type": self.name} | own

    @property
    def _parameters(self) -> dict[str, Any]:
        """What the constructor was given, but for None."""
        own = {name: getattr(self, name) for name in signature(type(self)).parameters}
        unlisted = () if self.lists_labels else ("labels",)
        return {k: value for k, value in own.items() if value is not None and k not in unlisted}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back."""
        own = signature(cls).parameters
        optional = [name for name in own if own[name].default is None]
        fields = Fields(data, own.keys() - optional, optional)
        given = [name for name in own if name in fields]
        return cls(**{name: _JSON.get(name, _INTEGER)[1](fields, name) for name in given})

    @abstractmethod
    def _concepts(self) -> Iterator[Hypothesis]:
        """Yield each concept once."""

    def concepts(self) -> Iterator[Hypothesis]:
        """Yield each concept of a small finite class once, in a fixed public order."""
        if self.size > LISTABLE:
            raise UnsupportedError(
                f"The class {self.spec} is too large to be listed (more than 2**20 candidates). "
                "Use its candidates(sample), or a smaller domain."
            )
        return self._concepts()

    def representation(self, alpha: Any = None, beta: Any = None) -> Representation:
        """Return a probabilistic representation: a random finite hypothesis set for the class.

        Notes
        -----
        Source: Li, Wang, Ye 2024, Definition 2.3.
        """
        return IdentityRepresentation(self)

    @property
    def hashing(self) -> HashFamily:
        """How hashing represents an infinite class; see `hashed`."""
        raise UnsupportedError(
            f"The class {self.spec} is infinite and has no finite representation by hashing, so "
            "this learner cannot choose among its concepts. Bound its domain."
        )

    def hashed(self, copies: int, buckets: int) -> Representation:
        """Return the representation by ``copies`` hash functions of ``buckets`` buckets each."""
        raise UnsupportedError(f"The class {self.spec} has no representation by hashing.")

    def version_space(self, max_nodes: int | None = DEFAULT_MAX_NODES) -> VersionSpace:
        """Return the space of all concepts: restrict it, and ask it what learners ask."""
        self.check_binary("A version space")
        if max_nodes is not None:
            check_integer(f"{type(self).__name__}.version_space", "max_nodes", max_nodes, low=0)
        return version_space(self, max_nodes)

    def littlestone_bounds(self) -> tuple[int, float]:
        """Return a lower and an upper bound of the Littlestone dimension, without any search.

        Equal where the dimension is known in closed form. Here: the VC dimension, and log2 of the
        number of concepts.
        """
        upper = self.size.bit_length() - 1 if isinstance(self.size, int) else math.inf
        return self.vc_dim if self.vc_exact else 0, upper

    def threshold_bounds(self) -> tuple[int, float]:
        """Return a lower and an upper bound of the threshold dimension, without any search.

        Equal where it is known in closed form. Here: what the Littlestone dimension L allows, less
        than ``2**(L + 1)`` (Alon et al. 2022, Theorem 10).
        """
        _, most = self.littlestone_bounds()
        return 0, 2 ** (int(most) + 1) - 1 if most < MAX_EXPONENT else math.inf

    def witnessed(self) -> dict[str, Witnessed]:
        """Return bounds that the structure of the class gives, without a list of it.

        By name: ``"vc"``, ``"littlestone"``, ``"threshold"``. Here: none.
        """
        return {}

    def tree(self, f: Hypothesis | None = None) -> VC1Tree:
        """Return the tree of a class of VC dimension 1; see `littlestone.classes.make_tree`."""
        raise UnsupportedError(
            f"{self.spec} has no tree of a class of VC dimension 1. Classes that have one: "
            "thresholds, points, tree_paths, prefixes, leaf_paths, and finite classes of VC "
            "dimension at most 1."
        )

    def domain_points(self) -> Iterable[Point] | None:
        """Return all points of a finite domain, in a public order; None if there is no list."""
        match self.domain:
            case IntegerDomain(low=low, high=high):
                return range(low, high + 1)
            case RowDomain(schema=schema) if schema.bound:
                return product(*(range(column.n_codes) for column in schema))
        return None

    def improper(self, ones: tuple[Point, ...]) -> Hypothesis:
        """Return the canonical hypothesis that is 1 on these points only, and no concept."""
        return on_points(ones)

    def errors(self, hypothesis: Hypothesis, sample: Sample) -> int:
        """Return the number of records of the sample that a hypothesis labels wrongly."""
        return errors(hypothesis, sample)

    @property
    def ln_size(self) -> float:
        """Natural logarithm of the number of candidates."""
        return math.log(self.size)

    def _identity(self) -> Hashable:
        """Return what makes two classes of one type equal."""
        return self.spec

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._identity()))

    def __repr__(self) -> str:
        head, _, tail = self.spec.partition("(")
        return f"{type(self).__name__}({tail}" if head else self.spec


def check_class(caller: str, concept_class: Any) -> ConceptClass:
    """Return the concept class, or refuse what is none."""
    if not isinstance(concept_class, ConceptClass):
        raise parameter_error(
            caller,
            "concept_class",
            "a concept class",
            type(concept_class).__name__,
            "For example Thresholds(1, 99) or FiniteClass(matrix).",
        )
    return concept_class


class SchemaClass(ConceptClass):
    """A class over the rows of a public schema."""

    def __init__(self, schema: Schema) -> None:
        if not isinstance(schema, Schema):
            raise parameter_error(
                self.caller, "schema", "a Schema", type(schema).__name__,
                "Read one with Schema.from_toml(path), or use Schema.every_column(edges).",
            )  # fmt: skip
        self.schema = schema

    @property
    def caller(self) -> str:
        """Who refuses, in messages."""
        return type(self).__name__

    def bind(self, n_columns: int) -> Self:
        """Return the class for arrays with this (public) number of columns."""
        schema = self.schema.bind(n_columns, caller=self.caller)
        return self if schema is self.schema else self.changed(schema=schema)

    def changed(self, **parameters: Any) -> Self:
        """Return the class with other parameters."""
        return type(self)(**self._parameters | parameters)

    @property
    def bound(self) -> Schema:
        """The schema, whose number of columns must be fixed."""
        if not self.schema.bound:
            raise parameter_error(
                self.caller, "schema", "of a fixed number of columns", self.schema,
                "Call bind(n_columns) first.",
            )  # fmt: skip
        return self.schema

    @property
    def domain(self) -> RowDomain:
        """The rows of the schema."""
        return RowDomain(self.schema)

    @property
    def spec(self) -> str:
        """The text of the class; the schema is not part of it."""
        inside = [f"{k}={value}" for k, value in self._parameters.items() if type(value) is int]
        return f"{self.name}({', '.join(inside)})" if inside else self.name

    def __repr__(self) -> str:
        shown = self._parameters | ({"labels": list(self.labels)} if self.lists_labels else {})
        schema, *rest = (f"{k}={value!r}" for k, value in shown.items())
        return f"{type(self).__name__}({', '.join([schema.partition('=')[2], *rest])})"

    def _identity(self) -> Hashable:
        return tuple(self._parameters.items())


class Mapped(Generic[T]):
    """A choice whose outcomes are turned into hypotheses only when they are drawn."""

    def __init__(self, choice: Choice[T], make: Callable[[T], Hypothesis]) -> None:
        self._choice, self._make = choice, make

    @property
    def size(self) -> int:
        """Number of candidates."""
        return self._choice.size

    def draw(self, rate: Fraction, source: Source) -> Hypothesis:
        """Return the drawn hypothesis."""
        return self._make(self._choice.draw(rate, source))


def errors(hypothesis: Hypothesis, sample: Sample) -> int:
    """Return what the mistakes of a hypothesis cost; outside points have the first label.

    Examples
    --------
    >>> from littlestone.classes import ThresholdHypothesis
    >>> errors(ThresholdHypothesis(4, 1, 9), Sample.of([3, 5, 5], [0, 1, 0]))
    1
    """
    if not len(sample.points):
        return sample.outside_cost
    answers = hypothesis.predict(sample.points).astype(np.intp)
    given = sample.answer_costs[answers, np.arange(len(answers))]
    return int(given.sum()) + sample.outside_cost


def weights_inside(sample: Sample, low: int, high: int) -> tuple[list[int], list[int], int]:
    """Return what an integer class needs to know of a sample.

    Notes
    -----
    A point beyond the domain is treated as outside: every concept labels it 0.
    """
    sample = sample.within(low, high)
    return sample.points.tolist(), (sample.zeros - sample.ones).tolist(), sample.positives


class HypothesisSet(ABC):
    """A finite public set H of hypotheses: what the exponential mechanism chooses from."""

    size: int
    proper: bool

    @property
    def surrogate_sensitivity(self) -> int:
        """1 if H is part of the class, else 2."""
        return 1 if self.proper else 2

    @abstractmethod
    def candidates(self, sample: Any) -> Choice[Hypothesis]:
        """Return the hypotheses, scored by minus their errors (sensitivity 1)."""

    @abstractmethod
    def surrogate_candidates(self, sample: Any) -> Choice[Hypothesis]:
        """Return the hypotheses, scored by minus q (sensitivity ``surrogate_sensitivity``).

        q(h) is the least number of errors of c, plus disagreements of c and h, over the concepts c:
        Li, Wang, Ye 2024, Section 3.
        """

    @abstractmethod
    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the hypotheses (each once or more) in a fixed public order."""

    @abstractmethod
    def to_dict(self) -> Json:
        """Return the public parameters, coins included, as plain JSON."""


class Representation(ABC):
    """A distribution over hypothesis sets, all of one public size."""

    concept_class: ConceptClass
    alpha: Fraction
    beta: Fraction
    size: int
    proper: bool

    @abstractmethod
    def drawn(self, source: Source) -> HypothesisSet:
        """Draw a hypothesis set with public coins (``source.public_rng()``), never with data."""


@dataclass(frozen=True)
class IdentityRepresentation(Representation, HypothesisSet):
    """A finite class represents itself: no coins, alpha = beta = 0, proper.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> IdentityRepresentation(Thresholds(1, 9)).size
    10
    """

    concept_class: ConceptClass

    alpha = Fraction(0)
    beta = Fraction(0)
    proper = True

    def __post_init__(self) -> None:
        if not isinstance(self.concept_class.size, int):
            raise UnsupportedError(
                f"The class {self.concept_class.spec} is infinite, so it cannot represent itself. "
                "Use its representation(alpha, beta)."
            )

    @property
    def size(self) -> int:  # type: ignore[override]
        """Number of candidates of the class."""
        return int(self.concept_class.size)

    def drawn(self, source: Source) -> IdentityRepresentation:
        """Return itself; nothing is drawn."""
        return self

    def candidates(self, sample: Any) -> Choice[Hypothesis]:
        """Return the concepts, scored by minus their errors."""
        return self.concept_class.candidates(sample)

    def surrogate_candidates(self, sample: Any) -> Choice[Hypothesis]:
        """Return the same: on the class itself, the surrogate is the error."""
        return self.concept_class.candidates(sample)

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the concepts."""
        return self.concept_class.concepts()

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": "whole", "class": self.concept_class.to_dict(), "size": self.size}
