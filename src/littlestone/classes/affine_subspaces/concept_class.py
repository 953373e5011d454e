"""Affine subspaces of F_q^n of dimension at most d: the example of Alon et al., section 1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from littlestone.classes.affine_subspaces.hypotheses import (
    MAX_LENGTH,
    MAX_ORDER,
    FlatHypothesis,
    flat_count,
)
from littlestone.classes.affine_subspaces.linear_algebra import Basis, is_prime, pivot, subspaces
from littlestone.classes.base import ConceptClass, Mapped
from littlestone.classes.encoding import Fields
from littlestone.classes.hypotheses import AlwaysZero
from littlestone.classes.listed import MOST_LABELS
from littlestone.classes.oracles import Closures, closures
from littlestone.classes.spec import written
from littlestone.classes.vectors import VectorDomain
from littlestone.data import Sample
from littlestone.errors import (
    UnsupportedError,
    check_integer,
    parameter_error,
)
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Json, Point


@written("affine_subspaces(7, 20, 2)", "q", "n", "dim", required=3)
class AffineSubspaces(ConceptClass):
    """Affine subspaces (flats) of F_q^n of dimension at most ``dim``; none of them is empty.

    Parameters
    ----------
    q : prime
        The field F_q = {0, ..., q - 1}.
    n : int >= 1
        Length of the vectors.
    dim : int in [0, n]
        Largest dimension of a concept: 0 for single points, 1 for points and lines, ...

    Raises
    ------
    ParameterError
        If q is not a prime below 2**20. (A power of a prime needs another arithmetic.)

    Guarantee
    ---------
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law, where
    the class can be listed (2**26 labels).

    Notes
    -----
    VC dimension and Littlestone dimension ``dim + 1`` (1 for q = 2, n = 1, dim = 1, where there
    are three concepts only). The paper says dim: its ``dim`` mistakes come after the first
    positive example; that one costs a mistake, too. Proof: docs/oracles.md.

    Source: Alon et al. 2022, section 1.

    Examples
    --------
    >>> planes = AffineSubspaces(7, 20, 2)
    >>> planes.vc_dim, planes.size > 7**50
    (3, True)
    >>> AffineSubspaces(2, 4, 1).size  # 16 points and 120 lines
    136
    """

    name = "affine_subspaces"

    def __init__(self, q: int, n: int, dim: int) -> None:
        owner = "AffineSubspaces"
        self.q = check_integer(owner, "q", q, low=2)
        if self.q > MAX_ORDER or not is_prime(self.q):
            hint = "The entries of vectors are counted modulo q; powers of primes are not offered."
            raise parameter_error(owner, "q", "a prime below 2**20", q, hint)
        self.n = check_integer(owner, "n", n, low=1)
        if self.n > MAX_LENGTH:
            raise parameter_error(owner, "n", f"at most {MAX_LENGTH}", n)
        self.dim = check_integer(owner, "dim", dim, low=0)
        if self.dim > self.n:
            raise parameter_error(owner, "dim", "at most n", dim, "No subspace is that large.")

    @property
    def spec(self) -> str:
        """The text of the class."""
        return f"affine_subspaces({self.q}, {self.n}, {self.dim})"

    @property
    def domain(self) -> VectorDomain:
        """The vectors."""
        return VectorDomain(self.q, self.n)

    @property
    def size(self) -> int:
        """Number of concepts."""
        return flat_count(self.q, self.n, self.dim)

    @property
    def ln_size(self) -> float:
        """Natural logarithm of the number of concepts."""
        return math.log(self.size)

    @property
    def vc_dim(self) -> int:
        """``dim + 1``; 1 if there are two points only."""
        return 1 if self.q**self.n == 2 else self.dim + 1

    def candidates(self, sample: Sample) -> Choice[Hypothesis]:
        """Return all flats, scored by minus their errors; see `ConceptClass.candidates`."""
        flats = self._listed
        gains = sample.ones.astype(np.int64) - sample.zeros
        scores = np.array([int(gains[flat.predict(sample.points) == 1].sum()) for flat in flats])
        return Mapped(Explicit(scores - sample.positives), flats.__getitem__)

    @cached_property
    def _listed(self) -> list[FlatHypothesis]:
        if self.size * self.q**self.n > MOST_LABELS:
            raise UnsupportedError(
                f"The class {self.spec} is too large to be listed (more than 2**26 labels), as its "
                "exponential mechanism does. Use a smaller q, n or dim, or a learner for "
                "Littlestone classes (with a delta)."
            )
        return list(self._concepts())

    def _linear(self) -> Iterator[tuple[Basis, list[int]]]:
        """Yield each linear subspace that is small enough, and its entries off the pivots."""
        for s in range(self.dim + 1):
            for basis in subspaces(self.n, s, self.q):
                pivots = {pivot(row) for row in basis}
                yield basis, [i for i in range(self.n) if i not in pivots]

    def _translate(self, basis: Basis, free: list[int], place: int) -> FlatHypothesis:
        """Return the translate whose offset reads ``place`` off the pivots, as digits to base q."""
        offset = [0] * self.n
        for i in reversed(free):
            place, offset[i] = divmod(place, self.q)
        return FlatHypothesis(self.q, self.n, basis, tuple(offset))

    def _concepts(self) -> Iterator[FlatHypothesis]:
        for basis, free in self._linear():
            for place in range(self.q ** len(free)):
                yield self._translate(basis, free, place)

    def littlestone_bounds(self) -> tuple[int, int]:
        """Return the VC dimension, twice."""
        return self.vc_dim, self.vc_dim

    def threshold_bounds(self) -> tuple[int, int]:
        """Return dim + 1, twice."""
        return self.dim + 1, self.dim + 1

    def domain_points(self) -> Iterator[Point]:
        """Return all vectors."""
        return product(range(self.q), repeat=self.n)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.name, "q": self.q, "n": self.n, "dim": self.dim}

    @classmethod
    def from_dict(cls, data: Any) -> AffineSubspaces:
        """Read it back."""
        fields = Fields(data, ("q", "n", "dim"))
        return cls(fields.integer("q"), fields.integer("n"), fields.integer("dim"))


@closures.register
def _(concept_class: AffineSubspaces) -> Closures:
    q, n, dim = concept_class.q, concept_class.n, concept_class.dim

    def join(closed: Any, point: Any) -> Hypothesis | None:
        inside = isinstance(point, tuple) and len(point) == n
        if not inside or not all(isinstance(v, int) and 0 <= v < q for v in point):
            return None
        if isinstance(closed, AlwaysZero):
            return FlatHypothesis(q, n, (), point)
        wider = closed.through(point)
        return wider if wider.dim <= dim else None

    flats = AffineSubspaces(q, dim, dim).size if dim else 1
    return Closures(
        AlwaysZero(), join, dim + 1, flats + 1
    )  # the empty set is closed, but no concept
