"""littlestone: private learning with proofs you can run.

Names are loaded when they are first used, so that ``import littlestone`` is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from littlestone.version import __version__ as __version__

if TYPE_CHECKING:
    from littlestone import audit as audit
    from littlestone import theory as theory
    from littlestone.classes import DecisionTrees as DecisionTrees
    from littlestone.classes import Intervals as Intervals
    from littlestone.classes import Points as Points
    from littlestone.classes import Prefixes as Prefixes
    from littlestone.classes import Rules as Rules
    from littlestone.classes import SparseSets as SparseSets
    from littlestone.classes import Thresholds as Thresholds
    from littlestone.data import Schema as Schema
    from littlestone.estimators import AgnosticLearner as AgnosticLearner
    from littlestone.estimators import BoostedTrees as BoostedTrees
    from littlestone.estimators import BoostedTreesRegressor as BoostedTreesRegressor
    from littlestone.estimators import BoostedTreesSurvival as BoostedTreesSurvival
    from littlestone.estimators import GenericLearner as GenericLearner
    from littlestone.estimators import LinearClassifier as LinearClassifier
    from littlestone.estimators import Scorecard as Scorecard
    from littlestone.estimators import ScorecardRegressor as ScorecardRegressor
    from littlestone.estimators import UserAgnosticLearner as UserAgnosticLearner
    from littlestone.estimators import VC1Learner as VC1Learner
    from littlestone.evaluation.measures import check as check
    from littlestone.learners.fit import fit as fit
    from littlestone.learners.online.estimator import OnlineLearner as OnlineLearner
    from littlestone.learners.release import load as load
    from littlestone.planning import plan as plan
    from littlestone.planning import rehearse as rehearse
    from littlestone.privacy import Ledger as Ledger
    from littlestone.report import plot as plot
    from littlestone.report.pages import page as page

#: Every public name, and where it lives.
_HOMES = {
    "AgnosticLearner": "learners.estimators",
    "BoostedTrees": "learners.boosting.estimators",
    "BoostedTreesRegressor": "learners.boosting.estimators",
    "BoostedTreesSurvival": "learners.boosting.estimators",
    "DecisionTrees": "classes",
    "GenericLearner": "learners.estimators",
    "Intervals": "classes",
    "Ledger": "privacy",
    "LinearClassifier": "learners.linear.estimators",
    "OnlineLearner": "learners.online.estimator",
    "Points": "classes",
    "Prefixes": "classes",
    "Rules": "classes",
    "Schema": "data",
    "Scorecard": "learners.boosting.estimators",
    "ScorecardRegressor": "learners.boosting.estimators",
    "SparseSets": "classes",
    "Thresholds": "classes",
    "UserAgnosticLearner": "learners.estimators",
    "VC1Learner": "learners.estimators",
    "check": "evaluation.measures",
    "fit": "learners.fit",
    "load": "learners.release",
    "page": "report",
    "plan": "planning",
    "plot": "report",
    "rehearse": "planning",
}
#: Public as a whole.
_NAMESPACES = ("audit", "theory")
#: Loaded on first use, too, for those who go further.
_PACKAGES = ("classes", "data", "mechanisms", "papers", "privacy")

__all__ = sorted([*_HOMES, *_NAMESPACES])  # noqa: PLE0605 - built from one table


def __getattr__(name: str) -> Any:
    if name in _NAMESPACES or name in _PACKAGES:
        return importlib.import_module(f"littlestone.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'littlestone' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"littlestone.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
