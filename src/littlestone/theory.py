"""Learning theory, executable: dimensions with witnesses, predictors, the papers' bounds.

Also the papers' own algorithms that never need the fewest records, and the classes and learners of
theorists; estimators are loaded when they are first used.

>>> import littlestone as ls
>>> ls.theory.littlestone_dimension(ls.Thresholds(1, 7))
3
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from littlestone.bounds import paper_bound, paper_bounds
from littlestone.classes import (
    AffineSubspaces,
    Conjunctions,
    FiniteClass,
    TreePaths,
)
from littlestone.classes.dimensions import (
    decomposition_dimension,
    dimensions,
    essential_hypotheses,
    littlestone_dimension,
    shattered_tree,
    soa,
    threshold_dimension,
    vc_dimension,
)
from littlestone.learners.littlestone import make_proper
from littlestone.learners.online.algorithm import SOAPredictor

if TYPE_CHECKING:
    from littlestone.estimators import (
        AgnosticFromRealizable,
        LittlestoneLearner,
    )

__all__ = [
    "AffineSubspaces",
    "AgnosticFromRealizable",
    "Conjunctions",
    "FiniteClass",
    "LittlestoneLearner",
    "SOAPredictor",
    "TreePaths",
    "decomposition_dimension",
    "dimensions",
    "essential_hypotheses",
    "littlestone_dimension",
    "make_proper",
    "paper_bound",
    "paper_bounds",
    "shattered_tree",
    "soa",
    "threshold_dimension",
    "vc_dimension",
]

#: Estimators, which need scikit-learn.
_LATE = ("AgnosticFromRealizable", "LittlestoneLearner")


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module 'littlestone.theory' has no attribute {name!r}")
    value = getattr(importlib.import_module("littlestone.learners.estimators"), name)
    globals()[name] = value
    return value
