"""Linear models with coefficients: private gradient descent in integers, for labels.

The rounds, their rule, their proof and intervals of coefficients (`learner`); the estimator
(`estimators`).
"""

from littlestone.learners.linear.learner import Linear, Settings, auto_takes

__all__ = ["Linear", "Settings", "auto_takes"]
