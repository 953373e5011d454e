"""S-BDT: the noise scale that a caller sets, against the epsilon that the model then reports."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).parents[3] / "benchmarks" / "comparison"))

import numpy as np
import sbdt
from declared import audit, audits, run  # noqa: F401 - called from outside
from s_bdt import DEFAULTS

DELTA, EPSILON, TREES, SCALE = 1e-6, 3.0, 100, 1.0
RECORDS = (0.1, 0.0), (0.9, 1.0)  # a number and a label


def model(records, noise_scale):
    """Return trees of one leaf on all records, without clipped predictions, after the training."""
    options = DEFAULTS | {
        "nb_trees": TREES, "max_depth": 0, "subsampling_ratio": 1.0, "l2_lambda": 1e4,
        "privacy_budget": EPSILON, "privacy_budget_init_score_ratio": 0.0,
        "cut_off_leaf_denom": False, "leaf_denom_noise_weight": 0.01,
        "custom_noise_scale": noise_scale,
    }  # fmt: skip
    trees = sbdt.S_BDT(
        **options, task="BinaryClassification", cat_idx=[], num_idx=[0], cat_values=[[]]
    )
    cells = np.array(records)
    trees.train(cells[:, :1].copy(), cells[:, 1].copy(), "records")
    return trees


due = model(RECORDS, -1.0)  # by its own accountant
asked = model(RECORDS, SCALE)


@audit(
    f"custom_noise_scale={SCALE:g}: adds {asked.leaf_sigma:.2f}, "
    f"for the reported epsilon due {due.leaf_sigma:.2f}",
    claim=asked.real_eps,
    delta=DELTA,
    trials=500,
)
def custom(side):
    """One record without a gradient; one more, with any. A prediction is released."""
    return float(model(RECORDS[: 1 + side], SCALE).predict(np.array([[0.9]]))[0])


@audit(
    f"noise scale of its accountant, {due.leaf_sigma:.2f}",
    claim=due.real_eps,
    delta=DELTA,
    trials=400,
    control=True,
)
def accounted(side):
    """One record without a gradient; one more, with any. A prediction is released."""
    return float(model(RECORDS[: 1 + side], -1.0).predict(np.array([[0.9]]))[0])
