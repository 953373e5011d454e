"""interpret 0.7.8: the DP-EBM takes the names of categories from the column.

A category that a single record has can be named in the released model. Without that record it
cannot, so the event has probability zero on one side.
"""

import json
import warnings

import numpy as np
from interpret.privacy import DPExplainableBoostingClassifier

from littlestone.audit import lower_bound

N, EPSILON, DELTA, RARE = 1000, 1.0, 1e-6, "HIV clinic"


def table(rare: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return N records; in one of the two tables, one of them has the rare category."""
    rng = np.random.default_rng(0)
    cells = rng.choice(["GP", "surgery"], (N, 1)).astype(object)
    labels = (cells[:, 0] == "GP").astype(int)
    if rare:
        cells[0, 0] = RARE
    return cells, labels


def names_it(data: tuple[np.ndarray, np.ndarray]) -> bool:
    """Return whether the released model names the rare category."""
    model = DPExplainableBoostingClassifier(
        feature_types=["nominal"], epsilon=EPSILON, delta=DELTA, max_rounds=1, n_jobs=1
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about bounds of numbers, which this table does not have
        model.fit(*data)
    return RARE in str(model.bins_)


TRIALS = 1000
bound = lower_bound(names_it, table(rare=True), table(rare=False), delta=DELTA, trials=TRIALS)
print(
    json.dumps(
        {
            "bug": "interpret 0.7.8, names of categories",
            "claimed": EPSILON,
            "proved": float(bound),
            "trials": TRIALS,
        }
    )
)
