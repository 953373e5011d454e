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

from littlestone.classes.affine_subspaces import AffineHypothesis as AffineHypothesis
from littlestone.classes.affine_subspaces import AffineSubspaces as AffineSubspaces
from littlestone.classes.affine_subspaces import affine_span as affine_span
from littlestone.classes.base import Closures as Closures
from littlestone.classes.base import ConceptClass as ConceptClass
from littlestone.classes.base import HypothesisSet as HypothesisSet
from littlestone.classes.base import IdentityRepresentation as IdentityRepresentation
from littlestone.classes.base import Representation as Representation
from littlestone.classes.base import VersionSpace as VersionSpace
from littlestone.classes.base import check_class as check_class
from littlestone.classes.base import closures as closures
from littlestone.classes.base import errors as errors
from littlestone.classes.boosted_trees import BoostedTreeClass as BoostedTreeClass
from littlestone.classes.boosted_trees import LinearClass as LinearClass
from littlestone.classes.boosted_trees import ScorecardClass as ScorecardClass
from littlestone.classes.boosted_trees import TreeEnsemble as TreeEnsemble
from littlestone.classes.boosted_trees import TreeSum as TreeSum
from littlestone.classes.conjunctions import ConjunctionHypothesis as ConjunctionHypothesis
from littlestone.classes.conjunctions import Conjunctions as Conjunctions
from littlestone.classes.decision_trees import DecisionTrees as DecisionTrees
from littlestone.classes.decision_trees import TreeHypothesis as TreeHypothesis
from littlestone.classes.dimensions import Dimensions as Dimensions
from littlestone.classes.dimensions import ShatteredTree as ShatteredTree
from littlestone.classes.dimensions import decomposition_dimension as decomposition_dimension
from littlestone.classes.dimensions import dimensions as dimensions
from littlestone.classes.dimensions import essential_hypotheses as essential_hypotheses
from littlestone.classes.dimensions import littlestone_dimension as littlestone_dimension
from littlestone.classes.dimensions import shattered_tree as shattered_tree
from littlestone.classes.dimensions import soa as soa
from littlestone.classes.dimensions import threshold_dimension as threshold_dimension
from littlestone.classes.dimensions import vc_dimension as vc_dimension
from littlestone.classes.finite import Boosted as Boosted
from littlestone.classes.finite import FiniteClass as FiniteClass
from littlestone.classes.hashing import Hashed as Hashed
from littlestone.classes.hashing import HashFunction as HashFunction
from littlestone.classes.hashing import HashSetHypothesis as HashSetHypothesis
from littlestone.classes.hypotheses import AlwaysZero as AlwaysZero
from littlestone.classes.hypotheses import MajorityHypothesis as MajorityHypothesis
from littlestone.classes.hypotheses import PatchedHypothesis as PatchedHypothesis
from littlestone.classes.hypotheses import PointHypothesis as PointHypothesis
from littlestone.classes.hypotheses import SetHypothesis as SetHypothesis
from littlestone.classes.hypotheses import TableHypothesis as TableHypothesis
from littlestone.classes.hypotheses import load as load
from littlestone.classes.hypotheses import number as number
from littlestone.classes.hypotheses import on_points as on_points
from littlestone.classes.hypotheses import parse_integer as parse_integer
from littlestone.classes.hypotheses import patched as patched
from littlestone.classes.intervals import CellClass as CellClass
from littlestone.classes.intervals import IntervalHypothesis as IntervalHypothesis
from littlestone.classes.intervals import Intervals as Intervals
from littlestone.classes.points import Points as Points
from littlestone.classes.prefixes import Prefixes as Prefixes
from littlestone.classes.prefixes import PrefixHypothesis as PrefixHypothesis
from littlestone.classes.rules import RuleHypothesis as RuleHypothesis
from littlestone.classes.rules import Rules as Rules
from littlestone.classes.rules import conjunction as conjunction
from littlestone.classes.sparse_sets import SparseSets as SparseSets
from littlestone.classes.spec import CLASSES as CLASSES
from littlestone.classes.spec import ClassAtPoints as ClassAtPoints
from littlestone.classes.spec import at_public_points as at_public_points
from littlestone.classes.spec import class_from_dict as class_from_dict
from littlestone.classes.spec import parse_class as parse_class
from littlestone.classes.thresholds import ThresholdHypothesis as ThresholdHypothesis
from littlestone.classes.thresholds import Thresholds as Thresholds
from littlestone.classes.tree_paths import PathHypothesis as PathHypothesis
from littlestone.classes.tree_paths import TreePaths as TreePaths
from littlestone.classes.trees import make_tree as make_tree
