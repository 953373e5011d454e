"""Private boosting of exactly drawn trees: scorecards and small ensembles with probabilities."""

from littlestone.learners.boosting.learner import Boosting, BoostingPlan, Settings

__all__ = ["Boosting", "BoostingPlan", "Settings"]
