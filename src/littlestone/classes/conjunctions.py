"""Conjunctions of literals over n bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.classes.base import (
    Closures,
    ConceptClass,
    Mapped,
    Representation,
    VectorDomain,
    closures,
    vector_rows,
)
from littlestone.classes.hypotheses import AlwaysZero, Fields, Frozen, readable
from littlestone.classes.spec import written
from littlestone.data import Sample
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Labels, Points

MAX_LENGTH = 4096

#: Most conjunctions that the exponential mechanism scores: 8 bytes for each.
MAX_SIZE = 5_000_000


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
