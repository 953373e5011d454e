"""Exact combinatorics of finite classes given as bit matrices: dimensions with witnesses.

Knows no concept class, no data and no randomness. `Kernel` answers everything about one matrix
and shares what it found; the functions ask one question each. See docs/combinatorics.md.

==========================  ===============================================================
`api`, `kernel`             one question; one object that answers all about a matrix
`matrix`, `sets`, `spaces`  the class, its subsets, and these as a search sees them
`ldim`, `vc`, `threshold`   the dimensions, exactly; `fast`: version spaces, compiled
`soa`, `irreducible`        the standard optimal algorithm, and what its answers lower
`decomposition`, `ddim`     decompositions, and the best ones
`ramsey`                    Theorem 10 of paper 004 as constructions
`witness`                   proofs of a dimension, checked by the definition alone
`definition`                the definitions, word for word: what searches are compared with
`budget`                    exact searches end by counted nodes, never by time
==========================  ===============================================================
"""

from __future__ import annotations

from littlestone.combinatorics.api import (
    decomposition_dim,
    decomposition_tree,
    essential_hypotheses,
    littlestone_dim,
    mistake_tree,
    reducibility,
    shattered_set,
    soa_labels,
    threshold_dim,
    threshold_sequence,
    vc_dim,
)
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
    "decomposition_dim",
    "decomposition_tree",
    "essential_hypotheses",
    "littlestone_dim",
    "members_of",
    "mistake_tree",
    "monochromatic_subtree",
    "reducibility",
    "set_of",
    "shattered_set",
    "soa_labels",
    "threshold_dim",
    "threshold_sequence",
    "thresholds_from_tree",
    "tree_from_thresholds",
    "vc_dim",
]
