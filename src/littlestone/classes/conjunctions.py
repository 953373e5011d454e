"""Conjunctions of literals over n bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from math import inf
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.classes.base import (
    Closures,
    ConceptClass,
    Mapped,
    Representation,
    Vector,
    VectorDomain,
    VersionSpace,
    as_point,
    check_label,
    closures,
    searching,
    vector_rows,
    version_space,
)
from littlestone.classes.finite import MOST_LABELS, ListedSpace, listing
from littlestone.classes.hypotheses import AlwaysZero, Fields, Frozen, parse_integer, readable
from littlestone.classes.spec import written
from littlestone.combinatorics.matrix import NodeLimit
from littlestone.data import Sample
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Labels, Point, Points

MAX_LENGTH = 4096

#: Most conjunctions that the exponential mechanism scores: 8 bytes for each.
MAX_SIZE = 5_000_000

_FLAGS = {("monotone", text): text != "false" for text in ("true", "false", "")}


@readable
@dataclass(frozen=True)
class ConjunctionHypothesis(Frozen):
    """1 where some of n bits are 1 and some others are 0; impossible ones are `AlwaysZero`.

    Examples
    --------
    >>> rule = ConjunctionHypothesis(3, ones=0b001, zeros=0b100)
    >>> rule.describe(), rule.predict(np.array([[1, 1, 0], [1, 0, 1]])).tolist()
    ('1 if x1 and not x3, otherwise 0', [1, 0])
    """

    n: int
    ones: int
    zeros: int

    TYPE = "conjunction"

    def __post_init__(self) -> None:
        if self.ones & self.zeros or not 0 <= self.ones | self.zeros < 1 << self.n:
            raise parameter_error(
                "ConjunctionHypothesis", "zeros", "disjoint from 'ones', both within n bits",
                "other bits", "An impossible conjunction is AlwaysZero().",
            )  # fmt: skip

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        rows, inside = vector_rows(points, 2, self.n)
        for i in range(self.n):
            if self.ones >> i & 1:
                inside &= rows[:, i] == 1
            elif self.zeros >> i & 1:
                inside &= rows[:, i] == 0
        return inside.astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        literals = [
            f"x{i + 1}" if self.ones >> i & 1 else f"not x{i + 1}"
            for i in range(self.n)
            if (self.ones | self.zeros) >> i & 1
        ]
        return f"1 if {' and '.join(literals)}, otherwise 0" if literals else "always 1"

    @classmethod
    def from_dict(cls, data: Any) -> ConjunctionHypothesis:
        """Read it back."""
        fields = Fields(data, ("n", "ones", "zeros"))
        n = fields.integer("n", low=1, high=MAX_LENGTH)
        ones, zeros = (fields.integer(k, low=0, high=(1 << n) - 1) for k in ("ones", "zeros"))
        if ones & zeros:
            raise fields.refuse("zeros", "disjoint from 'ones'")
        return cls(n, ones, zeros)


def subcube(n: int, literals: int) -> ConjunctionHypothesis | AlwaysZero:
    """Return the conjunction of literals: bit i of an integer is x(i + 1), bit n + i its negation.

    Examples
    --------
    >>> subcube(2, 0b0101), subcube(2, 0b0001).describe()
    (AlwaysZero(), '1 if x1, otherwise 0')
    """
    ones, zeros = literals & (1 << n) - 1, literals >> n
    return AlwaysZero() if ones & zeros else ConjunctionHypothesis(n, ones, zeros)


@written("conjunctions(8, monotone=True)")
class Conjunctions(ConceptClass):
    """Conjunctions of literals over n bits x1, ..., xn.

    Parameters
    ----------
    n : int >= 1
    monotone : bool, default False
        Only positive literals: 2**n concepts, all 1 on the vector of ones. Otherwise every
        consistent set of literals, and the impossible conjunction: 3**n + 1 concepts.

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law, for up to
    5 * 10**6 conjunctions (n = 14, monotone n = 22).

    Notes
    -----
    Littlestone dimension n if monotone, else n + 1 (also the first positive example can be a
    mistake). VC dimension n (general n = 1 has all four functions: 2).
    Cost of a draw: all 3**n subcube sums in n passes over one array.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.source import SeededSource
    >>> bits = Conjunctions(3)
    >>> bits.size, bits.vc_dim
    (28, 3)
    >>> rows = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]])
    >>> data = Sample.of(rows, [1, 1, 0, 0])
    >>> bits.candidates(data).draw(Fraction(50), SeededSource(0)).describe()
    '1 if x1 and not x3, otherwise 0'
    """

    name = "conjunctions"

    def __init__(self, n: int, *, monotone: bool = False) -> None:
        self.n = check_integer("Conjunctions", "n", n, low=1)
        if self.n > MAX_LENGTH:
            raise parameter_error("Conjunctions", "n", f"at most {MAX_LENGTH}", n)
        if not isinstance(monotone, bool | int) or monotone not in (0, 1):
            raise parameter_error("Conjunctions", "monotone", "True or False", monotone)
        self.monotone = bool(monotone)

    @classmethod
    def from_spec(cls, inside: str) -> Conjunctions:
        """Read the arguments of a spec: ``8``, or ``8, monotone=True``.

        Examples
        --------
        >>> Conjunctions.from_spec("8, monotone=True")
        Conjunctions(8, monotone=True)
        """
        n, comma, flag = (part.strip() for part in inside.partition(","))
        name, _, value = (part.strip().lower() for part in flag.partition("="))
        if comma and (name, value) not in _FLAGS:
            raise parameter_error("conjunctions", "monotone", "True or False", flag[:20])
        n = n.partition("=")[2] if n.startswith("n") else n
        return cls(parse_integer(n, "conjunctions(n)"), monotone=_FLAGS.get((name, value), False))

    @property
    def spec(self) -> str:
        """The text of the class."""
        return f"conjunctions({self.n}{', monotone=True' if self.monotone else ''})"

    @property
    def domain(self) -> VectorDomain:
        """All vectors of n bits."""
        return VectorDomain(2, self.n)

    @property
    def size(self) -> int:
        """Number of concepts."""
        return 1 << self.n if self.monotone else int(3**self.n + 1)

    @property
    def vc_dim(self) -> int:
        """N; 2 for the four functions of one bit."""
        return 2 if self.n == 1 and not self.monotone else self.n

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all conjunctions, scored by minus their errors; see `ConceptClass.candidates`."""
        self._check_scored()
        rows, inside = vector_rows(sample.points, 2, self.n)
        gains = (sample.ones.astype(np.int64) - sample.zeros)[inside]
        scores = _subcube_sums(self.n, rows[inside], gains, monotone=self.monotone)
        if not self.monotone:
            scores = np.append(scores, 0)  # the impossible one, last
        return Mapped(Explicit(scores - sample.positives), self.hypothesis)

    def representation(self, alpha: Any = None, beta: Any = None) -> Representation:
        """Return the class itself, if all of it can be scored; see `ConceptClass.representation`.

        So a learner that would have to score too many refuses before there are data.
        """
        self._check_scored()
        return super().representation(alpha, beta)

    def _check_scored(self) -> None:
        if self.size > MAX_SIZE:
            most = 22 if self.monotone else 14
            raise UnsupportedError(
                f"The exponential mechanism lists all conjunctions, and {self.spec} has too many "
                f"of them: n may be at most {most}. Use rules(max_literals=...) over a schema."
            )

    def hypothesis(self, index: int) -> Hypothesis:
        """Return a conjunction: the digits of its index say what is asked of each bit."""
        if not self.monotone and index == self.size - 1:
            return AlwaysZero()
        ones = zeros = 0
        for i in reversed(range(self.n)):
            index, asked = divmod(index, 2 if self.monotone else 3)
            if asked == 1:
                ones |= 1 << i
            elif asked == 2:
                zeros |= 1 << i
        return ConjunctionHypothesis(self.n, ones, zeros)

    def _concepts(self) -> Iterator[Hypothesis]:
        return map(self.hypothesis, range(self.size))

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return n for monotone conjunctions, else n + 1: the impossible one, too."""
        return self.n + (not self.monotone), self.n + (not self.monotone)

    def threshold_bounds(self) -> tuple[int, int]:
        """Return n + 1, twice."""
        return self.n + 1, self.n + 1

    def domain_points(self) -> Iterator[Point]:
        """Return all vectors."""
        return product(range(2), repeat=self.n)


def _subcube_sums(
    n: int, rows: npt.NDArray[np.int64], gains: npt.NDArray[np.int64], *, monotone: bool
) -> npt.NDArray[np.int64]:
    """Return the total gain of the points of every subcube: axis by axis, "any", "1" (and "0")."""
    cells = np.zeros(2**n, dtype=np.int64)
    index = rows @ (1 << np.arange(n, dtype=np.int64)[::-1])
    np.add.at(cells, index, gains)
    out = cells.reshape(1, -1)
    for _ in range(n):  # the first remaining bit splits each row of ``out`` into halves
        zero, one = np.split(out.reshape(len(out), 2, -1), 2, axis=1)
        parts = [zero + one, one] if monotone else [zero + one, one, zero]
        out = np.concatenate(parts, axis=1).reshape(len(out) * len(parts), -1)
    return out.reshape(-1)


@closures.register
def _(concept_class: Conjunctions) -> Closures:
    n, monotone = concept_class.n, concept_class.monotone
    positive = (1 << n) - 1

    def join(closed: Any, point: Any) -> Hypothesis | None:
        inside = isinstance(point, tuple) and len(point) == n
        if not inside or not all(isinstance(v, int) and v in (0, 1) for v in point):
            return None
        literals = sum(1 << (i if bit else n + i) for i, bit in enumerate(point))
        if isinstance(closed, ConjunctionHypothesis):
            literals &= closed.ones | closed.zeros << n
        return subcube(n, literals & positive if monotone else literals)

    if monotone:
        return Closures(subcube(n, positive), join, n, 2**n)
    return Closures(AlwaysZero(), join, n + 1, 3**n + 1)


# -- version spaces of conjunctions, by smallest hitting sets -------------------------------------
#
# Let U be the literals that all positive examples satisfy, and Z_j those of U that negative
# example j
# falsifies. A set S of literals is consistent with the examples iff it lies in U and meets every
# Z_j.
# So let w be the size of the smallest hitting sets:
#
# * with a positive example (or if all concepts are monotone, when U begins as all n literals):
#   Littlestone dimension ``|U| - w``; empty if some Z_j is;
# * otherwise the impossible conjunction is left, too: ``1 + n - w``, or 0 if no set hits all (then
#   every vector is a negative example). Here S may not hold opposite literals.
#
# The SOA is the conjunction of the *union* of all smallest hitting sets. Proof: docs/oracles.md.
# Smallest hitting sets are NP-hard, hence the node budget.


def minimal(sets: Iterable[int]) -> frozenset[int]:
    """Return the inclusion-minimal sets.

    Examples
    --------
    >>> sorted(minimal([0b111, 0b011, 0b100]))
    [3, 4]
    """
    kept: list[int] = []
    for candidate in sorted(set(sets), key=int.bit_count):
        if all(smaller & ~candidate for smaller in kept):
            kept.append(candidate)
    return frozenset(kept)


class HittingSets:
    """The smallest sets that meet each of some sets.

    Examples
    --------
    >>> search = HittingSets([0b011, 0b110, 0b101], 0, NodeLimit(None))
    >>> search.least(), bin(search.union())
    (2, '0b111')
    """

    def __init__(self, sets: Iterable[int], half: int, budget: NodeLimit) -> None:
        self._sets, self._half, self._budget = minimal(sets), half, budget

    def least(self) -> int | None:
        """Return the size of the smallest ones; None if no (consistent) set hits all."""
        found = self.smallest()
        return None if found is None else found.bit_count()

    def smallest(self) -> int | None:
        """Return one of the smallest hitting sets."""
        elements = 0
        for s in self._sets:
            elements |= s
        for size in range(elements.bit_count() + 1):
            found = self.holding(0, size)
            if found is not None:
                return found
        return None

    def holding(self, forced: int, size: int) -> int | None:
        """Return a hitting set of at most this size that holds some elements, or None."""
        if forced & self._opposite(forced):
            return None
        allowed = ~self._opposite(forced)
        rest = [s for s in self._sets if not s & forced]
        found = self._extend(rest, allowed, size - forced.bit_count())
        return None if found is None else forced | found

    def union(self) -> int:
        """Return the union of all smallest hitting sets; 0 if there is none."""
        first = self.smallest()
        if first is None:
            return 0
        size, union, tried = first.bit_count(), first, first
        for s in self._sets:
            for element in bits(s):
                if not element & tried:
                    tried |= element
                    found = self.holding(element, size)
                    if found is not None:
                        union, tried = union | found, tried | found
        return union

    def unheld(self, elements: int, cap: float) -> int | None:
        """Return the least size of a set of elements that no smallest hitting set holds.

        None if it is more than ``cap``.
        """
        size = self.least()
        if size is None:
            return None
        chosen = bits(elements)
        level = [(0, 0)]  # sets that are taken, with the index of the next element
        count = 0
        while level and count < cap:
            count += 1
            following = []
            for taken, start in level:
                for i in range(start, len(chosen)):
                    self._budget.spend()
                    more = taken | chosen[i]
                    if self.holding(more, size) is None:
                        return count
                    following.append((more, i + 1))
            level = following
        return None

    def _extend(self, rest: list[int], allowed: int, limit: int) -> int | None:
        """Return at most ``limit`` allowed elements that hit the rest, or None."""
        if not rest:
            return 0 if limit >= 0 else None
        if limit <= 0 or self._packing(rest, allowed) > limit:
            return None
        self._budget.spend()
        smallest = min((s & allowed for s in rest), key=int.bit_count)
        for element in bits(smallest):
            open_ = [s for s in rest if not s & element]
            found = self._extend(open_, allowed & ~self._opposite(element), limit - 1)
            if found is not None:
                return found | element
            allowed &= ~element  # no solution holds it
        return None

    def _packing(self, rest: list[int], allowed: int) -> int:
        """Return a number of disjoint sets: each needs an element of its own."""
        used = count = 0
        for s in sorted((s & allowed for s in rest), key=int.bit_count):
            if not s & used:
                used |= s
                count += 1
        return count

    def _opposite(self, elements: int) -> int:
        if not self._half:
            return 0
        low = (1 << self._half) - 1
        return elements >> self._half | (elements & low) << self._half


def bits(elements: int) -> list[int]:
    """Return the elements of a set as sets of one."""
    out = []
    while elements:
        out.append(elements & -elements)
        elements &= elements - 1
    return out


T = TypeVar("T")


@dataclass(frozen=True)
class ConjunctionSpace(VersionSpace):
    """The conjunctions that fit some examples.

    Examples
    --------
    >>> space = Conjunctions(3).version_space()
    >>> space.littlestone_dim(), space.soa().describe()
    (4, 'always 1')
    >>> space = space.restrict((1, 1, 0), 1).restrict((0, 1, 0), 0)
    >>> space.littlestone_dim(), space.soa().describe()
    (2, '1 if x1, otherwise 0')
    """

    concept_class: Conjunctions
    literals: int | None
    sets: frozenset[int]
    max_nodes: int | None = field(compare=False, repr=False)

    @classmethod
    def of(cls, concept_class: Conjunctions, max_nodes: int | None) -> ConjunctionSpace:
        """Return the space of all conjunctions."""
        every = (1 << concept_class.n) - 1 if concept_class.monotone else None
        return cls(concept_class, every, frozenset(), max_nodes)

    @property
    def is_empty(self) -> bool:
        """Whether no conjunction is left."""
        return 0 in self.sets

    def restrict(self, point: Any, label: int) -> ConjunctionSpace:
        """Return the conjunctions that a point satisfies (label 1), or does not."""
        vector, label = self._vector(as_point(point)), check_label(label)
        if vector is None:
            return self._with(self.literals, self.sets | {0}) if label else self
        n = self.concept_class.n
        true = sum(1 << (i if bit else n + i) for i, bit in enumerate(vector))
        false = (1 << 2 * n) - 1 & ~true
        if label:
            kept = true if self.literals is None else self.literals & true
            return self._with(kept, self.sets)
        falsified = false if self.literals is None else false & self.literals
        if any(not s & ~falsified for s in self.sets):
            return self  # an example that says less than an earlier one
        left = frozenset(s for s in self.sets if falsified & ~s) | {falsified}
        return ConjunctionSpace(self.concept_class, self.literals, left, self.max_nodes)

    def littlestone_dim(self) -> int:
        """Return ``|U| - w`` or ``1 + n - w`` (module docstring); -1 if empty."""
        if self.is_empty:
            return -1
        return self._dimension(self._ask(lambda search: search.least()))

    def soa(self) -> Hypothesis:
        """Return the conjunction of the union of all smallest hitting sets."""
        if self.is_empty:
            return AlwaysZero()
        if self._ask(lambda search: search.least()) is None:
            return AlwaysZero()  # only the impossible conjunction is left
        return subcube(self.concept_class.n, self._ask(lambda search: search.union()))

    def distinguish(self, h: Hypothesis, g: Hypothesis) -> Point | None:
        """Return a vector that satisfies one conjunction but not the other."""
        ones = [self._literals_of(hypothesis) for hypothesis in (h, g)]
        for one, other in (ones, ones[::-1]):
            if one is None:
                continue
            if other is None:
                return self._vector_in(one, 0)
            extra = bits(other & ~one)
            if extra:  # satisfy one, falsify a literal that only the other has
                return self._vector_in(one, extra[0])
        return None

    def reducibility(self, cap: int | None = None) -> float:
        """Return 1 where the SOA asks for less than U; else search sets of negative examples."""
        most = inf if cap is None else cap
        dimension = self.littlestone_dim()
        if dimension <= 0:
            return inf
        if self.literals is None:
            if not isinstance(self.soa(), AlwaysZero):
                return 1 if most >= 1 else inf
            return self._listed("the reducibility").reducibility(cap)
        literals = self.literals
        if self._ask(lambda search: search.union()) != literals:
            return 1 if most >= 1 else inf
        # A negative example that falsifies one literal of U forces it into every hitting set.
        least = self._ask(lambda search: search.unheld(literals, most))
        return inf if least is None else least

    def splitting_point(self) -> Vector | None:
        """Return a vector of a largest subcube that fits, just outside of what is known positive.

        It satisfies all of U but one literal that some smallest hitting set does without; before
        the first positive example any vector of a largest subcube will do.
        """
        if self.littlestone_dim() <= 0:
            return None
        smallest = self._ask(lambda search: search.smallest()) or 0
        if self.literals is None:
            return self._vector_in(smallest, 0)
        spare = bits(self.literals & ~smallest)[0]
        return self._vector_in(self.literals & ~spare, spare)

    def member(self) -> Hypothesis:
        """Return the impossible conjunction if it is left, else the most specific one."""
        if self.is_empty:
            raise parameter_error("VersionSpace.member", "self", "a nonempty space", "an empty one")
        return (
            AlwaysZero() if self.literals is None else subcube(self.concept_class.n, self.literals)
        )

    # -- inside -------------------------------------------------------------------------------

    def _dimension(self, least: int | None) -> int:
        if self.literals is None:
            return 0 if least is None else 1 + self.concept_class.n - least
        assert least is not None
        return self.literals.bit_count() - least

    def _ask(self, question: Callable[[HittingSets], T]) -> T:
        half = self.concept_class.n if self.literals is None else 0
        most = self.concept_class.n + 1 if self.literals is None else self.literals.bit_count()
        with searching(self.max_nodes, "The Littlestone dimension", lambda: (0, most)) as budget:
            return question(HittingSets(self.sets, half, budget))

    def _with(self, literals: int | None, sets: frozenset[int]) -> ConjunctionSpace:
        left = minimal(s if literals is None else s & literals for s in sets)
        return ConjunctionSpace(self.concept_class, literals, left, self.max_nodes)

    def _vector(self, point: Point) -> Vector | None:
        n = self.concept_class.n
        if isinstance(point, tuple) and len(point) == n and all(v in (0, 1) for v in point):
            return point
        return None

    def _vector_in(self, satisfied: int, falsified: int) -> Vector:
        """Return the vector with these literals; undecided bits are 0."""
        n = self.concept_class.n
        ones = satisfied & (1 << n) - 1 | falsified >> n
        return tuple(ones >> i & 1 for i in range(n))

    def _literals_of(self, hypothesis: Hypothesis) -> int | None:
        if isinstance(hypothesis, AlwaysZero):
            return None
        if isinstance(hypothesis, ConjunctionHypothesis):
            return hypothesis.ones | hypothesis.zeros << self.concept_class.n
        raise UnsupportedError(f"Only conjunctions are distinguished in {self.concept_class.spec}.")

    def _listed(self, what: str) -> VersionSpace:
        concepts = self.concept_class
        if concepts.n > 20 or int(concepts.size) << concepts.n > MOST_LABELS:
            raise self._unknown(
                what,
                "deciding it is NP-hard. The class is too large to be listed (n at most 10, "
                "monotone 13).",
            )
        listed = listing(concepts, self.max_nodes)
        space = ListedSpace.of(listed)
        for vector, label in self._examples():
            space = space.restrict(vector, label)
        return space

    def _examples(self) -> Iterator[tuple[Vector, int]]:
        """Yield labelled examples that leave the same space."""
        n = self.concept_class.n
        if self.literals is not None:
            yield self._vector_in(self.literals, 0), 1
            for i in range(n):  # bits that positive examples have both ways
                undecided = not (self.literals >> i & 1 or self.literals >> n + i & 1)
                if undecided and not self.concept_class.monotone:
                    yield self._vector_in(self.literals | 1 << i, 0), 1
        for s in self.sets:
            if self.literals is None:
                yield self._vector_in((1 << 2 * n) - 1 & ~s, 0), 0
            else:
                yield self._vector_in(self.literals & ~s, s), 0


@version_space.register
def _(concept_class: Conjunctions, max_nodes: int | None) -> VersionSpace:
    return ConjunctionSpace.of(concept_class, max_nodes)
