"""diffprivlib issue 105: the sensitivity of a regression looks at the lower bound twice."""

import json

import numpy as np
from diffprivlib.models import LinearRegression

from littlestone.audit import lower_bound

EPSILON = 1.0


def coefficient(xs):
    """Fit a line through the origin; all labels are 0."""
    model = LinearRegression(
        epsilon=EPSILON, bounds_X=(0, 100), bounds_y=(0, 1), fit_intercept=False
    )
    model.fit(np.array(xs, dtype=float).reshape(-1, 1), np.zeros(len(xs)))
    return float(model.coef_[0])


bound = lower_bound(coefficient, [1, 0], [1, 100], delta=0, trials=2000)
print(
    json.dumps(
        {
            "bug": "diffprivlib 0.6.6, issue 105 (and 104)",
            "claimed": EPSILON,
            "proved": float(bound),
            "trials": bound.trials,
        }
    )
)
