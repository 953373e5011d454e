"""The tree of a class of VC dimension 1 (paper 000/001, §4): MakeTree and everything it offers.

=========================  ================================================================
`make`                     `make_tree(concept_class)`: the one entry
`forest`, `listed`         shapes (chains, stars, lists), which know no class
`prefixes`, `prefix_sets`  all prefixes of fixed-length strings; sets of them as hypotheses
`tree`                     roots, labels and concepts
`matrix`                   the tree of an explicit class; refuses one that has none
`runs`                     scores of all paths, as runs of one preorder
`hypotheses`, `domains`    "on the path to this node"; names of nodes
`taxonomy`                 reading a tree: a mapping, parents, a CSV file
=========================  ================================================================

The page: ``docs/vc1-trees.md``.
"""

from littlestone.classes.trees.forest import ROOT, Chain, Forest, Node, Star
from littlestone.classes.trees.hypotheses import PathHypothesis, PrefixHypothesis
from littlestone.classes.trees.listed import ListedForest
from littlestone.classes.trees.make import make_tree
from littlestone.classes.trees.matrix import MatrixTree, shattered_pair
from littlestone.classes.trees.prefixes import IPV4, IPV6, Notation, PrefixForest
from littlestone.classes.trees.tree import PathsTree, VC1Tree

__all__ = [
    "IPV4",
    "IPV6",
    "ROOT",
    "Chain",
    "Forest",
    "ListedForest",
    "MatrixTree",
    "Node",
    "Notation",
    "PathHypothesis",
    "PathsTree",
    "PrefixForest",
    "PrefixHypothesis",
    "Star",
    "VC1Tree",
    "make_tree",
    "shattered_pair",
]
