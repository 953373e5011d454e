"""Version spaces of affine subspaces that cannot be listed, by counting.

Let C be the span of the positive examples, of dimension s. The subspaces that fit are those through
C that avoid the negatives, so subspaces of F_q^(n-s) that avoid their directions seen from C. A
uniformly random k-dimensional subspace of F_q^m contains a fixed nonzero vector with probability
(q^k - 1)/(q^m - 1); so if |N| (q^k - 1) < q^m - 1, some one avoids all directions in N. With k the
largest dimension that is left, k is the Littlestone dimension (1 more before the first positive
example), and with |N| + 1 in place of |N| the SOA is C itself: docs/oracles.md. Where counting does
not decide, `UnsupportedError` says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from littlestone.classes import AffineHypothesis, AffineSubspaces, AlwaysZero
from littlestone.classes.affine_subspaces import pivot, reduce
from littlestone.classes.base import Vector, as_point
from littlestone.errors import UnsupportedError


class Flats(AffineSubspaces):
    """The class, with version spaces by counting."""

    def version_space(self, max_nodes: int | None = None) -> Any:
        """Return all of them; nothing is searched."""
        return FlatSpace(self, None, frozenset())


@dataclass(frozen=True)
class FlatSpace:
    """The affine subspaces that fit some examples."""

    concept_class: Flats
    span: AffineHypothesis | None
    negatives: frozenset[Vector]  # points, or directions seen from the span

    @property
    def is_empty(self) -> bool:
        """Whether no subspace is left."""
        q, n = self.concept_class.q, self.concept_class.n
        if self.span is None:
            return len(self.negatives) == q**n
        return (
            self.span.dim > self.concept_class.dim or (0,) * (n - self.span.dim) in self.negatives
        )

    def restrict(self, point: Any, label: int) -> FlatSpace:
        """Return the subspaces that hold a point of the domain (label 1), or do not."""
        q, vector = self.concept_class.q, as_point(point)
        if not label:
            return replace(self, negatives=self.negatives | {self._seen(vector)})
        if self.span is None:
            single = AffineHypothesis(q, self.concept_class.n, (), vector)
            seen = frozenset(_normal(single.direction(x), q) for x in self.negatives)
            return replace(self, span=single, negatives=seen)
        direction = self._seen(vector)
        if not any(direction):
            return self
        seen = frozenset(_quotient(x, (direction,), q) for x in self.negatives)
        return replace(self, span=self.span.through(vector), negatives=seen)

    def littlestone_dim(self) -> int:
        """Return the Littlestone dimension; -1 if empty."""
        if self.is_empty:
            return -1
        return self._largest(0) + (self.span is None)

    def soa(self) -> Any:
        """Return the intersection of the largest subspaces that fit."""
        if not self.is_empty and (self.span is None or self._left):
            self._largest(1)
        return AlwaysZero() if self.is_empty else self.span or AlwaysZero()

    def distinguish(self, h: Any, g: Any) -> Any:
        """Return a point of one of two subspaces but not of the other; None if there is none."""
        for one, other in ((h, g), (g, h)):
            for x in one.points() if isinstance(one, AffineHypothesis) else ():
                if not isinstance(other, AffineHypothesis) or x not in other:
                    return x
        return None

    def fresh(self) -> FlatSpace:
        """Return the same space: it remembers nothing."""
        return self

    @property
    def _left(self) -> int:
        return self.concept_class.dim - (self.span.dim if self.span else 0)

    def _largest(self, more: int) -> int:
        """Return the largest dimension that is left, if counting proves it for more negatives."""
        q, n, k = self.concept_class.q, self.concept_class.n, self._left
        count = len(self.negatives) + more
        if self.span is None:
            proved = count * q**k < q**n and len(self.negatives) + 4 <= q**n
        else:
            proved = k == 0 or count * (q**k - 1) < q ** (n - self.span.dim) - 1
        if not proved:
            raise UnsupportedError(f"Counting does not decide a version space of {n} dimensions.")
        return k

    def _seen(self, vector: Vector) -> Vector:
        """Return a point as negatives are stored."""
        if self.span is None:
            return vector
        return _quotient(self.span.direction(vector), self.span.basis, self.concept_class.q)


def _quotient(vector: Vector, basis: tuple[Vector, ...], q: int) -> Vector:
    """Return a direction modulo a subspace: off the pivots, the first nonzero entry 1."""
    pivots = {pivot(row) for row in basis}
    rest = reduce(vector, basis, q)
    return _normal(tuple(e for i, e in enumerate(rest) if i not in pivots), q)


def _normal(vector: Vector, q: int) -> Vector:
    """Return a vector scaled so that its first nonzero entry is 1."""
    if not any(vector):
        return vector
    inverse = pow(vector[pivot(vector)], -1, q)
    return tuple(inverse * entry % q for entry in vector)
