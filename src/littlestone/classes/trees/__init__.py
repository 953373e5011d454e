"""The tree of a class of VC dimension 1 (paper 000/001, §4): MakeTree and everything it offers.

`make_tree(concept_class)` is the one entry. `forest` knows shapes (chains, stars, prefixes, lists)
and no class; `tree` knows roots, labels and concepts; `matrix` builds the tree of an explicit class
and refuses one that has none. The page is docs/vc1-trees.md.
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
