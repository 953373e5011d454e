"""Affine subspaces of F_q^n: the class, its linear algebra and version spaces."""

from littlestone.classes.affine_subspaces.concept_class import AffineSubspaces
from littlestone.classes.affine_subspaces.hypotheses import FlatHypothesis, flat_through
from littlestone.classes.affine_subspaces.version_space import FlatSpace

__all__ = [
    "AffineSubspaces",
    "FlatHypothesis",
    "FlatSpace",
    "flat_through",
]
