"""InterpretML: DP-EBM, a private additive model, as a regression."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

import warnings

import numpy as np
from declared import audit, audits, run  # noqa: F401 - called from outside
from interpret.privacy import DPExplainableBoostingRegressor

warnings.simplefilter("ignore")
SPLIT = [np.array([[0.0]] * 10 + [[1.0]] * 9 + [[last]]) for last in (0.0, 1.0)]


def regression(name, low, high, **how):
    """Declare a regression on 20 rows with the largest label."""

    def terms(side):
        model = DPExplainableBoostingRegressor(
            epsilon=1.0, delta=1e-6, max_bins=3, max_rounds=1, n_jobs=1,
            privacy_bounds={0: (0.0, 1.0)}, privacy_target_min=low, privacy_target_max=high,
        ).fit(SPLIT[side], np.full(20, float(high)))  # fmt: skip
        # the noisy sums of a round, from what is released: scores and noisy weights of the bins
        scores = np.ravel(model.intercept_)[0] + np.ravel(model.term_scores_[0])
        return (scores * np.ravel(model.bin_weights_[0])).tolist()

    terms.__doc__ = f"20 rows with the label {high:,}, the last one at x = 0; at x = 1."
    audit(name, claim=1.0, delta=1e-6, trials=6_000, **how)(terms)


regression(
    "DP-EBM, labels from 9,000 to 10,000", 9_000, 10_000,
    known="https://github.com/interpretml/interpret/issues/523",
)  # fmt: skip
regression("DP-EBM, labels from 0 to 1,000", 0, 1_000, control=True)
