"""Sets of at most k points: the class, its hashed representation, and version spaces."""

from littlestone.classes.sparse_sets.concept_class import SparseSets
from littlestone.classes.sparse_sets.hashed import HashedSets, HashSetHypothesis
from littlestone.classes.sparse_sets.version_space import SparseSpace

__all__ = ["HashSetHypothesis", "HashedSets", "SparseSets", "SparseSpace"]
