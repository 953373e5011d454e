"""Private boosting of exactly drawn trees: scorecards and small ensembles with probabilities.

The settings and the draw (`learner`, `values`), one round (`rounds`), losses and starts (`losses`),
and the estimators (`estimators`).
"""

from littlestone.learners.boosting.learner import Boosting, Settings
from littlestone.learners.boosting.values import Values, ValueSettings

__all__ = ["Boosting", "Settings", "ValueSettings", "Values"]
