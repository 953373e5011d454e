"""Affine subspaces of F_q^n of dimension at most d: the example of Alon et al., section 1."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from littlestone.classes.base import LISTABLE, ConceptClass, Mapped
from littlestone.classes.fields import Fields
from littlestone.classes.flats import MAX_LENGTH, MAX_ORDER, FlatHypothesis
from littlestone.classes.gf import is_prime, pivot, subspaces
from littlestone.classes.vectors import VectorDomain, vector_rows
from littlestone.data import Sample
from littlestone.errors import UnsupportedError, check_integer, parameter_error
from littlestone.source import Choice, Explicit
from littlestone.types import Hypothesis, Json

__all__ = ["AffineSubspaces"]


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
    ``candidates(sample).draw(rate, source)`` has exactly the exponential mechanism's law; it lists
    the class, so it is for small ones. The oracles of `littlestone.classes.oracles` need no list.

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
        """Number of concepts: q**(n - s) translates of each s-dimensional linear subspace."""
        q, n = self.q, self.n
        total, linear = 0, 1  # linear: number of s-dimensional linear subspaces
        for s in range(self.dim + 1):
            total += q ** (n - s) * linear
            linear = linear * (q ** (n - s) - 1) // (q ** (s + 1) - 1)
        return total

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
        if self.size > LISTABLE:
            raise UnsupportedError(
                f"The class {self.spec} has more than 2**20 concepts, and its exponential "
                "mechanism lists them. Use a smaller q, n or dim, or a learner for "
                "Littlestone classes."
            )
        flats = tuple(self._concepts())
        rows, inside = vector_rows(sample.points, self.q, self.n)
        gains = (sample.ones.astype(np.int64) - sample.zeros)[inside]
        rows = rows[inside]
        scores = [int(gains[flat.predict(rows) == 1].sum()) for flat in flats]
        total = np.array(scores, dtype=np.int64) - sample.positives
        return Mapped(Explicit(total), flats.__getitem__)

    def _concepts(self) -> Iterator[FlatHypothesis]:
        for s in range(self.dim + 1):
            for basis in subspaces(self.n, s, self.q):
                pivots = {pivot(row) for row in basis}
                free = [i for i in range(self.n) if i not in pivots]
                for entries in product(range(self.q), repeat=len(free)):
                    offset = [0] * self.n
                    for i, entry in zip(free, entries, strict=True):
                        offset[i] = entry
                    yield FlatHypothesis(self.q, self.n, basis, tuple(offset))

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.name, "q": self.q, "n": self.n, "dim": self.dim}

    @classmethod
    def from_dict(cls, data: Any) -> AffineSubspaces:
        """Read it back."""
        fields = Fields(data, ("q", "n", "dim"))
        return cls(fields.integer("q"), fields.integer("n"), fields.integer("dim"))
