"""The tree of a class of VC dimension 1 (paper 000/001, §4): MakeTree and everything it offers.

=========  ==================================================================
`forest`   shapes (chains, stars, lists), which know no class
`tree`     `make_tree`; roots, labels and concepts
`matrix`   the tree of an explicit class; refuses one that has none
`hashed`   random finite hypothesis sets for a tree that is written out
=========  ==================================================================

The page: ``docs/vc1-trees.md``.
"""

from littlestone.classes.trees.forest import ROOT, Chain, Forest, ListedForest, Node, Star
from littlestone.classes.trees.matrix import MatrixTree
from littlestone.classes.trees.tree import PathsTree, VC1Tree, make_tree

__all__ = [
    "ROOT",
    "Chain",
    "Forest",
    "ListedForest",
    "MatrixTree",
    "Node",
    "PathsTree",
    "Star",
    "VC1Tree",
    "make_tree",
]
