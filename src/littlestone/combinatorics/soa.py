"""The standard optimal algorithm: one label for every point, from one tie rule."""

from __future__ import annotations

from typing import TypeVar

from littlestone.combinatorics.ldim import LittlestoneSearch
from littlestone.combinatorics.matrix import BitMatrix

__all__ = ["soa"]

V = TypeVar("V")
C = TypeVar("C")


def soa(matrix: BitMatrix, search: LittlestoneSearch[V, C], v: int) -> int:
    """Return the labelling of the standard optimal algorithm on a version space.

    The label of x is 0 when restricting to ``h(x) = 0`` keeps the Littlestone dimension, and 1
    otherwise. So when *both* answers lower the dimension the label is 1: the one tie rule of this
    library, and of Lyu's definition. (Alon et al. leave ties open.)

    Parameters
    ----------
    matrix : BitMatrix
        The class.
    search : LittlestoneSearch
        Its remembered bounds are shared.
    v : int
        A set of hypotheses. For the empty set the definition gives all zeros.

    Returns
    -------
    int
        Bit x is the label of point x.

    References
    ----------
    Lyu 2025, section 4, "Notation"; Alon et al. 2022, section 3.2.
    """
    dimension = search.ldim(v)
    known: dict[int, bool] = {}  # equal columns ask once
    labels = 0
    for point, column in enumerate(matrix.columns):
        zeros = v & ~column
        label = known.get(zeros)
        if label is None:
            label = known[zeros] = zeros != v and not search.at_least(zeros, dimension)
        if label:
            labels |= 1 << point
    return labels
