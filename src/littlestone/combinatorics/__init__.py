"""Exact combinatorics of finite classes given as bit matrices: dimensions with witnesses.

Knows no concept class, no data and no randomness. `Kernel` answers everything about one matrix
and shares what it found; the functions ask one question each. See docs/combinatorics.md.
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
