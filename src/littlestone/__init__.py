"""littlestone: private learning with proofs you can run.

Names are loaded when they are first used, so that ``import littlestone`` is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone import audit as audit
    from littlestone import data as data
    from littlestone import mechanisms as mechanisms
    from littlestone import privacy as privacy
    from littlestone import theory as theory
    from littlestone.classes import AffineSubspaces as AffineSubspaces
    from littlestone.classes import Conjunctions as Conjunctions
    from littlestone.classes import DecisionTrees as DecisionTrees
    from littlestone.classes import FiniteClass as FiniteClass
    from littlestone.classes import Intervals as Intervals
    from littlestone.classes import LeafPaths as LeafPaths
    from littlestone.classes import Points as Points
    from littlestone.classes import Prefixes as Prefixes
    from littlestone.classes import RuleLists as RuleLists
    from littlestone.classes import Rules as Rules
    from littlestone.classes import SparseSets as SparseSets
    from littlestone.classes import Thresholds as Thresholds
    from littlestone.classes import TreePaths as TreePaths
    from littlestone.data import Sample as Sample
    from littlestone.data import Schema as Schema
    from littlestone.data import UserSample as UserSample
    from littlestone.estimators import AgnosticFromRealizable as AgnosticFromRealizable
    from littlestone.estimators import AgnosticLearner as AgnosticLearner
    from littlestone.estimators import BoostedPrivate as BoostedPrivate
    from littlestone.estimators import BoostedTrees as BoostedTrees
    from littlestone.estimators import EmpiricalFromPAC as EmpiricalFromPAC
    from littlestone.estimators import GenericLearner as GenericLearner
    from littlestone.estimators import GloballyStable as GloballyStable
    from littlestone.estimators import LittlestoneLearner as LittlestoneLearner
    from littlestone.estimators import Scorecard as Scorecard
    from littlestone.estimators import StableLearner as StableLearner
    from littlestone.estimators import Subsampled as Subsampled
    from littlestone.estimators import UserAgnosticLearner as UserAgnosticLearner
    from littlestone.estimators import VC1Learner as VC1Learner
    from littlestone.evaluation.data_report import check as check
    from littlestone.learners.base import runnable as runnable
    from littlestone.learners.online.estimator import OnlineLearner as OnlineLearner
    from littlestone.learners.release import load as load
    from littlestone.planning import plan as plan
    from littlestone.privacy import Ledger as Ledger
    from littlestone.report import plot as plot
    from littlestone.report.pages import page as page

__version__ = "0.2.0.dev0"

#: Every public name and the room it lives in.
_HOMES = {
    "AffineSubspaces": "classes",
    "AgnosticFromRealizable": "learners.agnostic.estimators",
    "AgnosticLearner": "learners.exponential.estimators",
    "BoostedPrivate": "learners.agnostic.estimators",
    "BoostedTrees": "learners.boosting.estimators",
    "Conjunctions": "classes",
    "DecisionTrees": "classes",
    "EmpiricalFromPAC": "learners.agnostic.estimators",
    "FiniteClass": "classes",
    "GenericLearner": "learners.exponential.estimators",
    "GloballyStable": "learners.stable.estimators",
    "Intervals": "classes",
    "LeafPaths": "classes",
    "Ledger": "privacy",
    "LittlestoneLearner": "learners.littlestone.estimators",
    "OnlineLearner": "learners.online.estimator",
    "Points": "classes",
    "Prefixes": "classes",
    "RuleLists": "classes",
    "Rules": "classes",
    "Sample": "data",
    "Schema": "data",
    "Scorecard": "learners.boosting.estimators",
    "SparseSets": "classes",
    "StableLearner": "learners.stable.estimators",
    "Subsampled": "learners.agnostic.estimators",
    "Thresholds": "classes",
    "TreePaths": "classes",
    "UserAgnosticLearner": "learners.users.estimators",
    "UserSample": "data",
    "VC1Learner": "learners.vc1.estimators",
    "check": "evaluation.data_report",
    "load": "learners.release",
    "page": "report",
    "plan": "planning",
    "plot": "report",
    "runnable": "learners.base",
}
#: Rooms that are public as a whole.
_ROOMS = ("audit", "data", "mechanisms", "privacy", "theory")

__all__ = [*sorted([*_HOMES, *_ROOMS]), "__version__"]  # noqa: PLE0604 - built from one table


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return importlib.import_module(f"littlestone.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'littlestone' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"littlestone.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
