"""Learning theory, executable: dimensions with witnesses, predictors, the papers' bounds.

>>> import littlestone as ls
>>> ls.theory.littlestone_dimension(ls.Thresholds(1, 7))
3
"""

from littlestone.bounds import paper_bound, paper_bounds
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
from littlestone.classes.several_labels import multiclass_littlestone_dimension, multiclass_soa
from littlestone.learners.littlestone.proper import make_proper
from littlestone.learners.online.predictors import (
    ExpertsPredictor,
    HalvingPredictor,
    SOAPredictor,
)
from littlestone.learners.stable.protocol import estimate_stability

__all__ = [
    "ExpertsPredictor",
    "HalvingPredictor",
    "SOAPredictor",
    "decomposition_dimension",
    "dimensions",
    "essential_hypotheses",
    "estimate_stability",
    "littlestone_dimension",
    "make_proper",
    "multiclass_littlestone_dimension",
    "multiclass_soa",
    "paper_bound",
    "paper_bounds",
    "shattered_tree",
    "soa",
    "threshold_dimension",
    "vc_dimension",
]
