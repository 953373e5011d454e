"""Exact combinatorics of finite classes given as bit matrices: dimensions with witnesses.

Knows no concept class, no data and no randomness. `Kernel` answers everything about one matrix
and shares what it found. See docs/combinatorics.md.

==========================  ===============================================================
`kernel`                    one object that answers all about a matrix and its sets of rows
`matrix`                    the class
`ldim`, `vc`, `threshold`   the dimensions, exactly; `fast`: version spaces, compiled
`irreducible`               what the answers of the standard optimal algorithm lower
`decomposition`             decompositions, the best ones, essential hypotheses; definitions,
                            word for word: what searches are compared with
`ramsey`                    Theorem 10 of paper 004 as constructions
`witness`                   proofs of a dimension, checked by the definition alone
`limits`                    exact searches end by counted nodes, never by time
==========================  ===============================================================
"""

from __future__ import annotations

from littlestone.combinatorics.decomposition import DecompositionNode, DecompositionTree
from littlestone.combinatorics.kernel import Kernel
from littlestone.combinatorics.matrix import BitMatrix, members_of, set_of
from littlestone.combinatorics.ramsey import (
    monochromatic_subtree,
    thresholds_from_tree,
    tree_from_thresholds,
)
from littlestone.combinatorics.witness import MistakeTree, ShatteredSet, ThresholdSequence

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
