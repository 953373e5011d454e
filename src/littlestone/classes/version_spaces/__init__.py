"""How each class answers about its version spaces: one module for each kind of class.

==========================  ===================================================================
`thresholds`, `points`      runs of thresholds; a few points, or all but a few
`sparse_sets`, `atoms`      what sets are on the points seen so far, and free beyond
`prefixes`, `conjunctions`  a top node less some subtrees; by smallest hitting sets (`hitting`)
`flats`, `avoiding`         flats: counting first, then search among subspaces
`listed`                    small classes of any kind: rows of a matrix
`searching`                 where a node budget ends, as the public error
==========================  ===================================================================
"""

from __future__ import annotations

from functools import singledispatch

from littlestone.classes.affine_subspaces import AffineSubspaces
from littlestone.classes.base import ConceptClass
from littlestone.classes.conjunctions import Conjunctions
from littlestone.classes.oracles import VersionSpace
from littlestone.classes.points import Points
from littlestone.classes.sparse_sets import SparseSets
from littlestone.classes.thresholds import Thresholds
from littlestone.classes.tree_paths import Prefixes
from littlestone.classes.version_spaces.conjunctions import ConjunctionSpace
from littlestone.classes.version_spaces.flats import FlatSpace
from littlestone.classes.version_spaces.listed import ListedSpace, listing
from littlestone.classes.version_spaces.points import PointSpace
from littlestone.classes.version_spaces.prefixes import PrefixSpace
from littlestone.classes.version_spaces.sparse_sets import SparseSpace
from littlestone.classes.version_spaces.thresholds import ThresholdSpace

__all__ = ["version_space"]


@singledispatch
def version_space(concept_class: ConceptClass, max_nodes: int | None) -> VersionSpace:
    """Return the version space of all concepts of a class; see `ConceptClass.version_space`."""
    return ListedSpace.of(listing(concept_class, max_nodes))


@version_space.register
def _(concept_class: Thresholds, max_nodes: int | None) -> VersionSpace:
    return ThresholdSpace.of(concept_class)


@version_space.register
def _(concept_class: Points, max_nodes: int | None) -> VersionSpace:
    return PointSpace.of(concept_class)


@version_space.register
def _(concept_class: SparseSets, max_nodes: int | None) -> VersionSpace:
    return SparseSpace.of(concept_class, max_nodes)


@version_space.register
def _(concept_class: Conjunctions, max_nodes: int | None) -> VersionSpace:
    return ConjunctionSpace.of(concept_class, max_nodes)


@version_space.register
def _(concept_class: AffineSubspaces, max_nodes: int | None) -> VersionSpace:
    return FlatSpace.of(concept_class, max_nodes)


@version_space.register
def _(concept_class: Prefixes, max_nodes: int | None) -> VersionSpace:
    return PrefixSpace.of(concept_class, max_nodes)
