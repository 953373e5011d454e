"""littlestone: private learning with proofs you can run.

Names are loaded when they are first used, so that ``import littlestone`` is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone import audit as audit
    from littlestone.classes import AffineSubspaces as AffineSubspaces
    from littlestone.classes import Conjunctions as Conjunctions
    from littlestone.classes import DecisionTrees as DecisionTrees
    from littlestone.classes import FiniteClass as FiniteClass
    from littlestone.classes import Intervals as Intervals
    from littlestone.classes import Points as Points
    from littlestone.classes import Prefixes as Prefixes
    from littlestone.classes import Rules as Rules
    from littlestone.classes import SparseSets as SparseSets
    from littlestone.classes import Thresholds as Thresholds
    from littlestone.classes import TreePaths as TreePaths
    from littlestone.classes.dimensions import decomposition_dimension as decomposition_dimension
    from littlestone.classes.dimensions import dimensions as dimensions
    from littlestone.classes.dimensions import essential_hypotheses as essential_hypotheses
    from littlestone.classes.dimensions import littlestone_dimension as littlestone_dimension
    from littlestone.classes.dimensions import shattered_tree as shattered_tree
    from littlestone.classes.dimensions import soa as soa
    from littlestone.classes.dimensions import threshold_dimension as threshold_dimension
    from littlestone.classes.dimensions import vc_dimension as vc_dimension
    from littlestone.data import Sample as Sample
    from littlestone.data import Schema as Schema
    from littlestone.data import UserSample as UserSample
    from littlestone.learners.agnostic.estimators import (
        AgnosticFromRealizable as AgnosticFromRealizable,
    )
    from littlestone.learners.agnostic.estimators import Subsampled as Subsampled
    from littlestone.learners.exponential.estimators import AgnosticLearner as AgnosticLearner
    from littlestone.learners.exponential.estimators import GenericLearner as GenericLearner
    from littlestone.learners.littlestone.estimators import LittlestoneLearner as LittlestoneLearner
    from littlestone.learners.littlestone.proper import make_proper as make_proper
    from littlestone.learners.online.estimator import OnlineLearner as OnlineLearner
    from littlestone.learners.online.predictors import HalvingPredictor as HalvingPredictor
    from littlestone.learners.online.predictors import SOAPredictor as SOAPredictor
    from littlestone.learners.stable.estimators import StableLearner as StableLearner
    from littlestone.learners.users.estimators import UserAgnosticLearner as UserAgnosticLearner
    from littlestone.learners.users.estimators import UserThresholdLearner as UserThresholdLearner
    from littlestone.learners.vc1.estimators import VC1Learner as VC1Learner
    from littlestone.mechanisms import plan_median as plan_median
    from littlestone.mechanisms import private_median as private_median
    from littlestone.planning import plan as plan
    from littlestone.privacy import Ledger as Ledger
    from littlestone.report import plot as plot

__version__ = "0.1.0"

#: Every public name and the room it lives in.
_HOMES = {
    "AffineSubspaces": "classes",
    "AgnosticFromRealizable": "learners.agnostic.estimators",
    "AgnosticLearner": "learners.exponential.estimators",
    "Conjunctions": "classes",
    "DecisionTrees": "classes",
    "FiniteClass": "classes",
    "GenericLearner": "learners.exponential.estimators",
    "HalvingPredictor": "learners.online.predictors",
    "Intervals": "classes",
    "Ledger": "privacy",
    "LittlestoneLearner": "learners.littlestone.estimators",
    "OnlineLearner": "learners.online.estimator",
    "Points": "classes",
    "Prefixes": "classes",
    "Rules": "classes",
    "SOAPredictor": "learners.online.predictors",
    "Sample": "data",
    "Schema": "data",
    "SparseSets": "classes",
    "StableLearner": "learners.stable.estimators",
    "Subsampled": "learners.agnostic.estimators",
    "Thresholds": "classes",
    "TreePaths": "classes",
    "UserAgnosticLearner": "learners.users.estimators",
    "UserSample": "data",
    "UserThresholdLearner": "learners.users.estimators",
    "VC1Learner": "learners.vc1.estimators",
    "audit": "",
    "decomposition_dimension": "classes.dimensions",
    "dimensions": "classes.dimensions",
    "plot": "report",
    "essential_hypotheses": "classes.dimensions",
    "littlestone_dimension": "classes.dimensions",
    "plan": "planning",
    "plan_median": "mechanisms",
    "private_median": "mechanisms",
    "make_proper": "learners.littlestone.proper",
    "shattered_tree": "classes.dimensions",
    "soa": "classes.dimensions",
    "threshold_dimension": "classes.dimensions",
    "vc_dimension": "classes.dimensions",
}

__all__ = [*sorted(_HOMES), "__version__"]  # noqa: PLE0604 - built from one table


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'littlestone' has no attribute {name!r}")
    room = _HOMES[name]
    if not room:
        return importlib.import_module(f"littlestone.{name}")
    value = getattr(importlib.import_module(f"littlestone.{room}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
