"""What can be learned: concept classes, their candidates with exact scores, and hypotheses.

A class is public. It offers `ConceptClass.candidates`, the exponential mechanism's exact choice
on a sample, also where it is far too large to be listed; and a `ConceptClass.representation`,
which for an infinite class is a random finite hypothesis set.

=============================  ================================================================
`base`                         what a class is
`finite`, `thresholds`         one class each; so are `intervals`, `points`, `sparse_sets`,
                               `tree_paths`, `affine_subspaces`, `conjunctions`, `rules`
`spec`, `integers`, `fields`   classes as text and as JSON, read safely
`hypotheses`, `point_sets`     released functions; also `conjunction`, `flats`, `patched`
`mixtures`                     distributions over concepts: proper output
`subsets`, `enumeration`       exact draws of sets of items, and of literals
`representations`, `majorities`  random finite hypothesis sets, each good for each concept
`hashing`, `field64`           public hash functions; `hashed_sets` and `hashed_trees` use them
`oracles`, `dichotomies`       what learners ask: version spaces, labels of a few points
`dimensions`, `closed_forms`   dimensions of whole classes; `shattering`: of very many rows
`shattered`                    shattered trees, as witnesses
`values`, `vectors`, `gf`      any hashable points; points of F_q^n and their linear algebra
=============================  ================================================================
"""

from littlestone.classes.affine_subspaces import AffineSubspaces
from littlestone.classes.base import ConceptClass, check_class, errors
from littlestone.classes.conjunction import RuleHypothesis, conjunction
from littlestone.classes.conjunctions import ConjunctionHypothesis, Conjunctions
from littlestone.classes.decision_trees import DecisionTrees, TreeHypothesis
from littlestone.classes.dimensions import (
    Dimensions,
    decomposition_dimension,
    dimensions,
    essential_hypotheses,
    littlestone_dimension,
    shattered_tree,
    soa,
    threshold_dimension,
    vc_dimension,
)
from littlestone.classes.finite import FiniteClass
from littlestone.classes.flats import FlatHypothesis, flat_through
from littlestone.classes.hashed_sets import HashedSets, HashSetHypothesis
from littlestone.classes.hashed_trees import HashedTree
from littlestone.classes.hashing import HashFunction, HashHypothesis
from littlestone.classes.hypotheses import (
    AlwaysZero,
    IntervalHypothesis,
    PointHypothesis,
    TableHypothesis,
    ThresholdHypothesis,
    load,
)
from littlestone.classes.integers import number, parse_integer
from littlestone.classes.intervals import Intervals
from littlestone.classes.majorities import Boosted, MajorityHypothesis
from littlestone.classes.mixtures import MixtureHypothesis, mixture
from littlestone.classes.oracles import VersionSpace
from littlestone.classes.patched import PatchedHypothesis, patched
from littlestone.classes.point_sets import SetHypothesis, on_points
from littlestone.classes.points import Points
from littlestone.classes.representations import (
    HashedPoints,
    HypothesisSet,
    IdentityRepresentation,
    Representation,
)
from littlestone.classes.rules import Rules
from littlestone.classes.shattered import ShatteredTree
from littlestone.classes.sparse_sets import SparseSets
from littlestone.classes.spec import CLASSES, class_from_dict, parse_class
from littlestone.classes.thresholds import Thresholds
from littlestone.classes.tree_paths import Prefixes, TreePaths
from littlestone.classes.trees import PathHypothesis, PrefixHypothesis, make_tree
from littlestone.classes.trees.prefix_sets import PrefixSetHypothesis, prefix_set

__all__ = [
    "CLASSES",
    "AffineSubspaces",
    "AlwaysZero",
    "Boosted",
    "ConceptClass",
    "ConjunctionHypothesis",
    "Conjunctions",
    "DecisionTrees",
    "Dimensions",
    "FiniteClass",
    "FlatHypothesis",
    "HashFunction",
    "HashHypothesis",
    "HashSetHypothesis",
    "HashedPoints",
    "HashedSets",
    "HashedTree",
    "HypothesisSet",
    "IdentityRepresentation",
    "IntervalHypothesis",
    "Intervals",
    "MajorityHypothesis",
    "MixtureHypothesis",
    "PatchedHypothesis",
    "PathHypothesis",
    "PointHypothesis",
    "Points",
    "PrefixHypothesis",
    "PrefixSetHypothesis",
    "Prefixes",
    "Representation",
    "RuleHypothesis",
    "Rules",
    "SetHypothesis",
    "ShatteredTree",
    "SparseSets",
    "TableHypothesis",
    "ThresholdHypothesis",
    "Thresholds",
    "TreeHypothesis",
    "TreePaths",
    "VersionSpace",
    "check_class",
    "class_from_dict",
    "conjunction",
    "decomposition_dimension",
    "dimensions",
    "errors",
    "essential_hypotheses",
    "flat_through",
    "littlestone_dimension",
    "load",
    "make_tree",
    "mixture",
    "number",
    "on_points",
    "parse_class",
    "parse_integer",
    "patched",
    "prefix_set",
    "shattered_tree",
    "soa",
    "threshold_dimension",
    "vc_dimension",
]
