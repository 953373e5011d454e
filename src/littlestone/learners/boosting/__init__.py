"""Private boosting of exactly drawn trees: scorecards and small ensembles with probabilities.

The rounds and their settings (`learner`), the votes at the records (`votes`), and the estimators
(`estimators`).
"""

from littlestone.learners.boosting.learner import Boosting, BoostingPlan, Settings
from littlestone.learners.boosting.values import Values, ValueSettings, ValuesPlan

__all__ = ["Boosting", "BoostingPlan", "Settings", "ValueSettings", "Values", "ValuesPlan"]
