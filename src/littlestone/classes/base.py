"""What a concept class is: public functions from a domain to labels, with their oracles."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, singledispatch
from inspect import Parameter, signature
from itertools import product
from operator import methodcaller
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.classes.hypotheses import Fields, json_integer, number, on_points
from littlestone.combinatorics.matrix import DEFAULT_MAX_NODES, NodeLimit, OutOfNodes
from littlestone.data import OUTSIDE, Outside, RowDomain, Sample, Schema
from littlestone.data.cells import BINARY, text
from littlestone.data.domains import Line, OneColumn, canonical, canonical_order, refusal
from littlestone.data.targets import target_from_dict
from littlestone.errors import (
    DataError,
    SearchLimitError,
    UnsupportedError,
    check_integer,
    parameter_error,
)
from littlestone.source import Choice, ScoreRuns, Source, exact_integers
from littlestone.types import Hypothesis, Json, Label, Point, Points

if TYPE_CHECKING:
    from littlestone.bounds import HashFamily, Structure
    from littlestone.bounds.representations import PublicPoints
    from littlestone.classes.trees import VC1Tree
    from littlestone.data import Domain


# -- What learners for Littlestone classes ask of a class: its version spaces.
#
# A *version space* is a set of concepts of one class: those that agree with labelled examples, or
# that err on few records. It is an immutable value; `VersionSpace.restrict` returns a new one.
# Every class answers in the way that suits it (docs/oracles.md): structured classes in closed
# form, at any size; small ones by exact search on their matrix. What is hard is searched with a
# budget of *nodes*, never of time, so an answer, or its refusal, depends on the question only.


class VersionSpace(ABC):
    """A set of concepts of one class.

    Notes
    -----
    Questions that may be hard (all but `restrict` and `is_empty`) raise `SearchLimitError` with
    bounds when the node budget of ``concept_class.version_space(max_nodes=...)`` is used up, and
    `UnsupportedError` where no exact method is known at that size; never a part of an answer.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> rest = Thresholds(1, 2**1024).version_space().restrict(2**600, 1).restrict(2**500, 0)
    >>> rest.littlestone_dim(), rest.soa().above == 2**599
    (599, True)
    """

    concept_class: ConceptClass

    # -- what every class answers -------------------------------------------------------------

    @abstractmethod
    def restrict(self, point: Any, label: int) -> VersionSpace:
        """Return the concepts that give a point a label."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no concept is left."""

    @abstractmethod
    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension; -1 if empty."""

    @abstractmethod
    def soa(self) -> Hypothesis:
        """Return the prediction of the standard optimal algorithm, at every point.

        The label is 0 where restricting to label 0 keeps the Littlestone dimension, else 1: when
        both labels lower it, it is 1. The hypothesis is canonical: equal predictions are equal
        hypotheses. It need not be a concept. The empty space predicts 0 everywhere.
        """

    def distinguish(self, h: Any, g: Any) -> Point | None:
        """Return a point that two hypotheses of an unlisted class label differently, if any.

        Here: the first point that is in one of two listed sets only.
        """
        difference = frozenset(h.support) ^ frozenset(g.support)
        return min(difference, key=canonical_order) if difference else None

    @abstractmethod
    def within_error(self, sample: Sample, tolerance: int) -> VersionSpace:
        """Return the concepts with at most ``tolerance`` errors on a sample."""

    @abstractmethod
    def reducibility(self, cap: int | None = None) -> float:
        """Return the least number of SOA answers that lower the Littlestone dimension."""

    @abstractmethod
    def splitting_point(self) -> Point | None:
        """Return a point where both labels keep the Littlestone dimension minus 1 at least.

        None if the dimension is 0 or less. Such points make a shattered tree.
        """

    def member(self) -> Hypothesis:
        """Return some concept of a nonempty space, the same one each time."""
        if self.is_empty:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        return self._first()

    @abstractmethod
    def _first(self) -> Hypothesis:
        """Return some concept, the same one each time."""

    def fresh(self) -> VersionSpace:
        """Return the same space without what its searches remember.

        Memory never changes an answer, but whether a search exceeds its budget depends on what
        was asked before. Code in which even a refusal may depend on one part of the data only
        asks a fresh space for each part.
        """
        return self

    # -- decompositions -----------------------------------------------------------------------

    @abstractmethod
    def decomposition_dim(self, p: int, d: int) -> int:
        """Return the (p, d)-decomposition dimension (Lyu 2025, Definition 4.2); -1 if empty."""

    @abstractmethod
    def essential(self, p: int, d: int) -> Sequence[Hypothesis]:
        """Return all of the (p, d)-essential hypotheses (Lyu 2025, Definition 4.3)."""

    def _checked_dim(self, caller: str, p: int, d: int) -> int:
        """Check the parameters of a decomposition; return the Littlestone dimension."""
        caller = f"VersionSpace.{caller}"
        check_integer(caller, "p", p, low=1)
        check_integer(caller, "d", d, low=0)
        dimension = self.littlestone_dim()
        if dimension > d:
            raise parameter_error(caller, "d", "at least the Littlestone dimension", d)
        return dimension


@singledispatch
def version_space(concept_class: ConceptClass, max_nodes: int | None) -> VersionSpace:
    """Return the version space of all concepts of a class; see `ConceptClass.version_space`.

    The folder of a class registers how it answers; `littlestone.classes.finite` registers the
    matrix of a small class, for every other one.
    """
    raise AssertionError("littlestone.classes.finite registers the default")


@dataclass(frozen=True)
class Closures:
    """The closed sets of an intersection-closed class.

    Of the concepts that are 1 on given points there is a smallest one, their *closure*: the union
    of sparse sets, the span of affine subspaces, the common literals of conjunctions.
    """

    bottom: Hypothesis
    #: The closure of a closed set and a point, None if no concept holds both.
    join: Callable[[Any, Point], Hypothesis | None]
    rank: int
    closed: int
    #: For each step of growth, point by point from the empty set on, how many next steps stay
    #: inside one concept, at most; first of all its points. None, if that is not known.
    widths: tuple[int, ...] = ()


@singledispatch
def closures(concept_class: ConceptClass) -> Closures:
    """Return the closed sets of a class; its folder registers them.

    Examples
    --------
    >>> from littlestone.classes import AffineSubspaces, SparseSets
    >>> closures(SparseSets(3)).rank, closures(AffineSubspaces(7, 20, 2)).closed
    (3, 107)
    """
    known = sorted(kind.name for kind in closures.registry if kind is not object)
    raise UnsupportedError(
        f"The 'littlestone' learner cannot learn the class {concept_class.spec}, only "
        f"{', '.join(known[:-1])} and {known[-1]}: use the 'generic' learner (realizable labels) "
        "or the 'agnostic' learner (any labels)."
    )


def as_point(point: Any) -> Point:
    """Return a point in its canonical form; an array or list of entries is a tuple.

    Examples
    --------
    >>> as_point([1, 0]), as_point(3.0)
    ((1, 0), 3)
    """
    if isinstance(point, np.ndarray):
        point = point.tolist()
    try:
        return canonical(tuple(point) if isinstance(point, list) else point)
    except DataError:
        raise parameter_error(
            "VersionSpace.restrict", "point", "a point (integer, text, tuple, ...)",
            type(point).__name__,
        ) from None  # fmt: skip


def check_label(label: Any) -> int:
    """Return a label, or refuse what is none."""
    if isinstance(label, bool | int | np.integer | np.bool_) and label in (0, 1):
        return int(label)
    raise parameter_error("VersionSpace.restrict", "label", "0 or 1", label)


def records(sample: Sample, tolerance: int) -> tuple[list[tuple[Point, int, int]], int]:
    """Return the distinct points of a sample with their counts, and those that are outside and 1.

    Checks the tolerance.
    """
    check_integer("VersionSpace.within_error", "tolerance", tolerance, low=0)
    rows = sample.points.tolist()
    points = map(tuple, rows) if sample.points.ndim == 2 else rows
    counts = zip(map(canonical, points), sample.zeros.tolist(), sample.ones.tolist(), strict=True)
    return list(counts), sample.outside_cost


@contextmanager
def searching(
    max_nodes: int | None, what: str, bounds: Callable[[], tuple[float, float]]
) -> Iterator[NodeLimit]:
    """Give one question a budget of its own.

    Examples
    --------
    >>> with searching(0, "The answer", lambda: (1, 3)) as budget:
    ...     budget.spend()
    Traceback (most recent call last):
    ...
    littlestone.errors.SearchLimitError: The answer lies between 1 and 3; the search stopped after 0
    nodes. Raise max_nodes to decide it.
    """
    budget = NodeLimit(max_nodes)
    try:
        yield budget
    except OutOfNodes:
        lower, upper = bounds()
        raise SearchLimitError(lower, upper, budget.used, what) from None


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


#: How parameters that are no integers are written, and how they are read.
_JSON: dict[str, tuple[Callable[[Any], Any], Callable[[Fields, str], Any]]] = {
    "schema": (Schema.to_list, lambda fields, name: Schema.from_list(fields.any(name))),
    "labels": (list, Fields.any),
    "target": (methodcaller("to_dict"), lambda fields, name: target_from_dict(fields.any(name))),
    "monotone": (bool, Fields.flag),
}


@cache
def _parameters_of(kind: type[ConceptClass]) -> Mapping[str, Parameter]:
    """Return the parameters of a class's constructor: asked at each comparison of two classes."""
    return signature(kind).parameters


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
                "its own."
            )

    @property
    @abstractmethod
    def domain(self) -> Domain:
        """The public domain: what may be a point."""

    @property
    def row_schema(self) -> Schema | None:
        """The public schema whose rows are the points; None where points are something else."""
        return self.domain.schema

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

    @property
    def structure(self) -> Structure:
        """What spares agnostic certificates a union over the concepts; None where nothing does."""
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
        parameters = {k: _JSON.get(k, _INTEGER)[0](value) for k, value in self._parameters.items()}
        return {"type": self.name} | parameters

    @property
    def _parameters(self) -> dict[str, Any]:
        """What the constructor was given, but for None."""
        values = {name: getattr(self, name) for name in _parameters_of(type(self))}
        unlisted = () if self.lists_labels else ("labels",)
        return {k: value for k, value in values.items() if value is not None and k not in unlisted}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back."""
        own = _parameters_of(cls)
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

    def first_concept(self) -> Hypothesis:
        """Return the first of all concepts, however many there are."""
        return next(self._concepts())

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

    def tree(self, f: Hypothesis | None = None) -> VC1Tree:
        """Return the tree of a class of VC dimension 1; see `littlestone.classes.make_tree`."""
        raise UnsupportedError(
            f"The class {self.spec} is not one of VC dimension 1 with a known tree: these are "
            "thresholds, points, tree_paths, prefixes, and finite classes of VC dimension 1."
        )

    def domain_points(self) -> Iterable[Point] | None:
        """Return all points of a finite domain, in a public order; None if there is no list."""
        return self.domain.listed()

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
    costs = sample.answer_costs[answers, np.arange(len(answers))]
    return int(costs.sum()) + sample.outside_cost


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

    @abstractmethod
    def candidates(self, sample: Any) -> Choice[Hypothesis]:
        """Return the hypotheses, scored by minus their errors (sensitivity 1)."""

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

    def hypotheses(self) -> Iterator[Hypothesis]:
        """Yield the concepts."""
        return self.concept_class.concepts()

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": "whole", "class": self.concept_class.to_dict(), "size": self.size}


# -- Vectors over {0, ..., q - 1}: the points of conjunctions and of affine subspaces.
#
# A single point is a tuple of n integers. A batch is a 2-D integer array, or (from one column of
# a table) a 1-D array of tuples; hypotheses read both.


Vector = tuple[int, ...]
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class VectorDomain(OneColumn):
    """All vectors of n entries in 0 .. q - 1.

    Python arrays have shape (m, n). In a table a vector is one cell: entries separated by spaces,
    commas or semicolons, or (up to q = 10) digits one after another.

    Examples
    --------
    >>> domain = VectorDomain(3, 4)
    >>> [domain.cell(raw) for raw in ("0120", "0, 1, 2, 0", "0123", None)]
    [(0, 1, 2, 0), (0, 1, 2, 0), OUTSIDE, OUTSIDE]
    """

    def __init__(self, q: int, n: int) -> None:
        self.q, self.n = q, n
        self.rule = f"a vector of {n} integers in [0, {q - 1}]"

    @property
    def size(self) -> int:
        """How many vectors there are."""
        size: int = self.q**self.n
        return size

    @property
    def examples(self) -> Points:
        """The vector of zeros."""
        return self.store([(0,) * self.n])

    def listed(self) -> Iterable[Point]:
        """Return all vectors."""
        return product(range(self.q), repeat=self.n)

    def cell(self, raw: object) -> Point | Outside:
        """Convert one cell (a text, or a sequence of integers); total and deterministic."""
        if isinstance(raw, tuple | list):
            return _vector(raw, self.q, self.n) or OUTSIDE
        written = text(raw)
        if written is None or len(written) > 24 * self.n:
            return OUTSIDE
        parts = written.replace(",", " ").replace(";", " ").split()
        if len(parts) == 1 < self.n and self.q <= 10:
            parts = list(parts[0])
        if not all(part.isascii() and part.isdigit() for part in parts):
            return OUTSIDE
        return _vector([int(part) for part in parts], self.q, self.n) or OUTSIDE

    def array(self, X: Any, caller: str = "VectorDomain") -> Points:
        """Convert an array of shape (m, n), or a column of such cells, strictly."""
        shaped = np.asarray(X, dtype=object) if isinstance(X, list | tuple) else X
        if np.ndim(shaped) == 2 and np.shape(shaped)[1] == self.n:
            try:
                table = np.asarray(X, dtype=np.float64)
            except (TypeError, ValueError):
                raise refusal(caller, "X", self.rule) from None
            if not (np.isin(table, range(self.q)) if self.q <= 64 else _whole(table, self.q)).all():
                raise refusal(caller, "X", self.rule)
            return table.astype(np.int64)
        if np.ndim(shaped) == 2 and np.shape(shaped)[1] != 1:
            shape = f"shape (m, {np.shape(shaped)[1]})"
            raise parameter_error(caller, "X", f"of shape (m, {self.n})", shape)
        cells = [self.cell(raw) for raw in np.asarray(X, dtype=object).reshape(-1).tolist()]
        if any(point is OUTSIDE for point in cells):
            raise refusal(caller, "X", self.rule)
        return self.store(cells)

    def store(self, points: Sequence[Any]) -> Points:
        """Return points in this domain's layout: one row for each."""
        return np.array(points, dtype=np.int64).reshape(len(points), self.n)

    def _identity(self) -> Hashable:
        return (self.q, self.n)

    def __repr__(self) -> str:
        return f"VectorDomain({self.q}, {self.n})"


def vector_rows(points: Points, q: int, n: int) -> tuple[Rows, Mask]:
    """Return a batch as rows, and which points are vectors of the domain (the others: zeros).

    Examples
    --------
    >>> rows, inside = vector_rows(np.array([[0, 1], [0, 5]]), 2, 2)
    >>> rows.tolist(), inside.tolist()
    ([[0, 1], [0, 0]], [True, False])
    """
    if points.ndim == 2 and points.shape[1] == n:
        inside = np.asarray(((points >= 0) & (points < q)).all(axis=1), dtype=bool)
        return np.where(inside[:, None], points, 0).astype(np.int64), inside
    out, inside = np.zeros((len(points), n), dtype=np.int64), np.zeros(len(points), dtype=bool)
    for i, point in enumerate(points.tolist()):
        vector = _vector(point, q, n) if isinstance(point, tuple | list) else None
        if vector is not None:
            out[i], inside[i] = vector, True
    return out, inside


def _vector(values: Sequence[Any], q: int, n: int) -> Vector | None:
    """Return the vector with these entries, or None."""
    if len(values) != n or not all(isinstance(v, int | np.integer) and 0 <= v < q for v in values):
        return None
    return tuple(int(v) for v in values)


def _whole(table: npt.NDArray[np.float64], q: int) -> Mask:
    return np.asarray((table >= 0) & (table < q) & (np.floor(table) == table), dtype=bool)
