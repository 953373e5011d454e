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

from littlestone.combinatorics.decomposition import DecompositionNode as DecompositionNode
from littlestone.combinatorics.decomposition import DecompositionTree as DecompositionTree
from littlestone.combinatorics.dimensions import monochromatic_subtree as monochromatic_subtree
from littlestone.combinatorics.dimensions import thresholds_from_tree as thresholds_from_tree
from littlestone.combinatorics.dimensions import tree_from_thresholds as tree_from_thresholds
from littlestone.combinatorics.kernel import Kernel as Kernel
from littlestone.combinatorics.matrix import BitMatrix as BitMatrix
from littlestone.combinatorics.matrix import MistakeTree as MistakeTree
from littlestone.combinatorics.matrix import ShatteredSet as ShatteredSet
from littlestone.combinatorics.matrix import ThresholdSequence as ThresholdSequence
from littlestone.combinatorics.matrix import members_of as members_of
from littlestone.combinatorics.matrix import set_of as set_of
