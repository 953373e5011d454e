"""littlestone: private learning with proofs you can run.

Names are loaded when they are first used, so that ``import littlestone`` is fast.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone import audit as audit
    from littlestone.classes import DecisionTrees as DecisionTrees
    from littlestone.classes import FiniteClass as FiniteClass
    from littlestone.classes import Intervals as Intervals
    from littlestone.classes import Points as Points
    from littlestone.classes import Prefixes as Prefixes
    from littlestone.classes import Rules as Rules
    from littlestone.classes import Thresholds as Thresholds
    from littlestone.classes import TreePaths as TreePaths
    from littlestone.data import Sample as Sample
    from littlestone.data import Schema as Schema
    from littlestone.data import UserSample as UserSample
    from littlestone.learners.exponential.estimators import AgnosticLearner as AgnosticLearner
    from littlestone.learners.exponential.estimators import GenericLearner as GenericLearner
    from littlestone.mechanisms import plan_median as plan_median
    from littlestone.mechanisms import private_median as private_median
    from littlestone.report import draw as draw

__version__ = "0.1.0"

#: Every public name and the room it lives in.
_HOMES = {
    "AgnosticLearner": "learners.exponential.estimators",
    "DecisionTrees": "classes",
    "FiniteClass": "classes",
    "GenericLearner": "learners.exponential.estimators",
    "Intervals": "classes",
    "Points": "classes",
    "Rules": "classes",
    "TreePaths": "classes",
    "Prefixes": "classes",
    "Sample": "data",
    "Schema": "data",
    "Thresholds": "classes",
    "UserSample": "data",
    "audit": "",
    "draw": "report",
    "plan_median": "mechanisms",
    "private_median": "mechanisms",
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
