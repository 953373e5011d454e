"""Exact combinatorics of finite classes given as bit matrices: dimensions with witnesses.

Knows no concept class, no data and no randomness. `Kernel` answers everything about one matrix
and shares what it found. See docs/combinatorics.md.

===============  =================================================================================
`kernel`         one object that answers all about a matrix and its sets of rows
`matrix`         the class; proofs of a dimension; exact searches end by counted nodes
`dimensions`     VC, Littlestone and threshold dimension, exactly; Theorem 10 of paper 004
`decomposition`  irreducibility, decompositions, the best ones, essential hypotheses
===============  =================================================================================
"""

from __future__ import annotations

from littlestone.combinatorics.decomposition import DecompositionNode, DecompositionTree
from littlestone.combinatorics.dimensions import (
    monochromatic_subtree,
    thresholds_from_tree,
    tree_from_thresholds,
)
from littlestone.combinatorics.kernel import Kernel
from littlestone.combinatorics.matrix import (
    BitMatrix,
    MistakeTree,
    ShatteredSet,
    ThresholdSequence,
    members_of,
    set_of,
)

__all__ = [
    "BitMatrix",
    "DecompositionNode",
    "DecompositionTree",
    "Kernel",
    "MistakeTree",
    "ShatteredSet",
    "ThresholdSequence",
    "members_of",
    "monochromatic_subtree",
    "set_of",
    "thresholds_from_tree",
    "tree_from_thresholds",
]
