"""Dimensions of whole classes that need no search. Proofs: docs/oracles.md."""

from __future__ import annotations

from functools import singledispatch

from littlestone.classes.affine_subspaces import AffineSubspaces
from littlestone.classes.base import ConceptClass
from littlestone.classes.conjunctions import Conjunctions
from littlestone.classes.intervals import Intervals
from littlestone.classes.points import Points
from littlestone.classes.sparse_sets import SparseSets
from littlestone.classes.thresholds import Thresholds
from littlestone.classes.tree_paths import Prefixes, TreePaths
from littlestone.classes.version_spaces.listed import listing
from littlestone.errors import SearchLimitError, UnsupportedError

__all__ = ["is_closed", "known_littlestone_dim", "known_threshold_dim"]


def is_closed(concept_class: ConceptClass) -> bool:
    """Say whether all three dimensions come without a search."""
    known = (Thresholds, Points, SparseSets, Conjunctions, AffineSubspaces, TreePaths, Prefixes)
    return isinstance(concept_class, known)


@singledispatch
def known_threshold_dim(concept_class: ConceptClass, max_nodes: int | None) -> int:
    """Return the threshold dimension: in closed form, or by search on a small class."""
    return listing(concept_class, max_nodes).kernel.threshold_dim()


@known_threshold_dim.register
def _(concept_class: Thresholds | Intervals, max_nodes: int | None) -> int:
    return concept_class.high - concept_class.low + 1


@known_threshold_dim.register
def _(concept_class: Points | SparseSets, max_nodes: int | None) -> int:
    return concept_class.vc_dim


@known_threshold_dim.register
def _(concept_class: Conjunctions, max_nodes: int | None) -> int:
    return concept_class.n + 1


@known_threshold_dim.register
def _(concept_class: AffineSubspaces, max_nodes: int | None) -> int:
    return concept_class.dim + 1


@known_threshold_dim.register
def _(concept_class: TreePaths | Prefixes, max_nodes: int | None) -> int:
    return concept_class.forest.height


@singledispatch
def known_littlestone_dim(concept_class: ConceptClass, max_nodes: int | None) -> int:
    """Return the Littlestone dimension: in closed form, or from the class's version space."""
    return concept_class.version_space(max_nodes).littlestone_dim()


@known_littlestone_dim.register
def _(concept_class: Prefixes, max_nodes: int | None) -> int:
    return concept_class.notation.length


@known_littlestone_dim.register
def _(concept_class: TreePaths, max_nodes: int | None) -> int:
    lower, upper = _forest_bounds(concept_class)
    if lower == upper:
        return lower
    try:
        listed = listing(concept_class, max_nodes)
    except UnsupportedError:
        raise SearchLimitError(lower, upper, 0, "The Littlestone dimension") from None
    return listed.kernel.ldim()


def _forest_bounds(paths: TreePaths) -> tuple[int, int]:
    """Bound the Littlestone dimension of the paths of a forest, in two passes from the leaves up.

    Write T_v for the paths that end at v or below, L(v) for their dimension.

    * Lower: two children with L = k give k + 1 (ask for one of them), and h nodes above each other
      give floor(log2 h).
    * Upper: let the first question be about x. If x lies below a child c of v, label 1 leaves T_x,
      and x is at or below some child of c. If x = c, label 1 leaves T_c, and label 0 what is not
      in T_c: m paths have at most log2 m.
    """
    forest = paths.forest
    n = forest.size
    above = [parent if parent >= 0 else n for parent in forest.parents.tolist()]  # n is the root
    size = [1] * (n + 1)
    for v in reversed(range(n)):
        size[above[v]] += size[v]
    lower, upper, height = [0] * (n + 1), [0] * (n + 1), [1] * (n + 1)
    best, second = [-1] * (n + 1), [-1] * (n + 1)  # lower bounds of the children
    below, first = [-1] * (n + 1), [-1] * (n + 1)  # upper: a child; after the first question
    for v in (*reversed(range(n)), n):
        lower[v] = max(best[v], second[v] + 1, height[v].bit_length() - 1)
        upper[v] = min(first[v] + 1, size[v].bit_length() - 1)
        if v != n:
            u = above[v]
            best[u], second[u] = sorted((best[u], second[u], lower[v]))[:0:-1]
            height[u] = max(height[u], height[v] + 1)
            rest = (size[u] - size[v]).bit_length() - 1
            first[u] = max(first[u], below[v], min(upper[v], rest))
            below[u] = max(below[u], upper[v])
    return lower[n], upper[n]
