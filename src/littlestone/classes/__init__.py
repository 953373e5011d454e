"""What can be learned: concept classes, their candidates with exact scores, and hypotheses.

A class is public. It offers `ConceptClass.candidates`, the exponential mechanism's exact choice
on a sample, also where it is far too large to be listed; and a `ConceptClass.representation`,
which for an infinite class is a random finite hypothesis set.

==================  ==============================================================================
`base`              what a class is, and what learners ask of it: version spaces, closures;
                    several labels; vectors
`thresholds`        one class each: `intervals`, `points`, `sparse_sets`, `tree_paths`,
                    `prefixes`, `conjunctions`, `rules`, `affine_subspaces`;
                    ``decision_trees/``; `finite`, with dichotomies: labels of a few points, drawn
                    by the errors of their best concepts
``boosted_trees/``  sums of trees: scorecards and small ensembles
`hypotheses`        released functions that belong to no one class; JSON, read safely
`spec`              classes as text; classes at public points
`dimensions`        dimensions of whole classes, and shattered trees: their witnesses
`trees`             the tree of a class of VC dimension 1
`hashing`           public hash functions, representations by them, points by their buckets
==================  ==============================================================================
"""

from littlestone.classes.affine_subspaces import AffineHypothesis, AffineSubspaces, affine_span
from littlestone.classes.base import (
    Closures,
    ConceptClass,
    HypothesisSet,
    IdentityRepresentation,
    Representation,
    VersionSpace,
    check_class,
    closures,
    errors,
)
from littlestone.classes.boosted_trees import (
    BoostedTreeClass,
    LinearClass,
    ScorecardClass,
    TreeEnsemble,
    TreeSum,
)
from littlestone.classes.conjunctions import ConjunctionHypothesis, Conjunctions
from littlestone.classes.decision_trees import DecisionTrees, TreeHypothesis
from littlestone.classes.dimensions import (
    Dimensions,
    ShatteredTree,
    decomposition_dimension,
    dimensions,
    essential_hypotheses,
    littlestone_dimension,
    shattered_tree,
    soa,
    threshold_dimension,
    vc_dimension,
)
from littlestone.classes.finite import Boosted, FiniteClass
from littlestone.classes.hashing import Hashed, HashFunction, HashSetHypothesis
from littlestone.classes.hypotheses import (
    AlwaysZero,
    MajorityHypothesis,
    MixtureHypothesis,
    PatchedHypothesis,
    PointHypothesis,
    SetHypothesis,
    TableHypothesis,
    load,
    mixture,
    number,
    on_points,
    parse_integer,
    patched,
)
from littlestone.classes.intervals import CellClass, IntervalHypothesis, Intervals
from littlestone.classes.points import Points
from littlestone.classes.prefixes import Prefixes, PrefixHypothesis
from littlestone.classes.rules import RuleHypothesis, Rules, conjunction
from littlestone.classes.sparse_sets import SparseSets
from littlestone.classes.spec import (
    CLASSES,
    ClassAtPoints,
    at_public_points,
    class_from_dict,
    parse_class,
)
from littlestone.classes.thresholds import ThresholdHypothesis, Thresholds
from littlestone.classes.tree_paths import PathHypothesis, TreePaths
from littlestone.classes.trees import make_tree

__all__ = [
    "CLASSES",
    "AffineHypothesis",
    "AffineSubspaces",
    "AlwaysZero",
    "Boosted",
    "BoostedTreeClass",
    "CellClass",
    "ClassAtPoints",
    "Closures",
    "ConceptClass",
    "ConjunctionHypothesis",
    "Conjunctions",
    "DecisionTrees",
    "Dimensions",
    "FiniteClass",
    "HashFunction",
    "HashSetHypothesis",
    "Hashed",
    "HypothesisSet",
    "IdentityRepresentation",
    "IntervalHypothesis",
    "Intervals",
    "LinearClass",
    "MajorityHypothesis",
    "MixtureHypothesis",
    "PatchedHypothesis",
    "PathHypothesis",
    "PointHypothesis",
    "Points",
    "PrefixHypothesis",
    "Prefixes",
    "Representation",
    "RuleHypothesis",
    "Rules",
    "ScorecardClass",
    "SetHypothesis",
    "ShatteredTree",
    "SparseSets",
    "TableHypothesis",
    "ThresholdHypothesis",
    "Thresholds",
    "TreeEnsemble",
    "TreeHypothesis",
    "TreePaths",
    "TreeSum",
    "VersionSpace",
    "affine_span",
    "at_public_points",
    "check_class",
    "class_from_dict",
    "closures",
    "conjunction",
    "decomposition_dimension",
    "dimensions",
    "errors",
    "essential_hypotheses",
    "littlestone_dimension",
    "load",
    "make_tree",
    "mixture",
    "number",
    "on_points",
    "parse_class",
    "parse_integer",
    "patched",
    "shattered_tree",
    "soa",
    "threshold_dimension",
    "vc_dimension",
]
