"""S-BDT (Peinemann, Kirschte and others, arXiv 2309.12041): the nearest published rival.

    python s_bdt.py CACHE TABLE --epsilons 0.5 1 --seeds 0 1 2 --limit 300

There is no package: run it with a Python in which the module ``sbdt`` of kirschte/sbdt (commit
2e0776b) can be imported, compiled with its constant ``DELTA`` of 1e-6; compare.py does not start
it, and reads the kept fits. It draws from the operating system, so a seed only numbers the runs.

Settings: the defaults, whose loss is a square; and three with Newton boosting, near those that its
authors found best on Adult (``adult_rerun_results.csv`` there: five or six levels, 10 added to
denominators, one column in each tree), with all rows in each of 25 or 100 trees, or a tenth of them
in each of 200. Each runs with two encodings: numbers scaled to their public bounds, and the codes
of our bins.

*Neighbours.* ``own``: one record more or less. ``replace-one``: half of epsilon, as replacing is
removing and adding (its delta stays at 1e-6, which favours it a little).
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from fits import Fit, Key, worker
from rivals import ENCODINGS, RELATIONS, Arrays

#: As in the program's example; enumerations by their numbers (1: lambda is added, Gaussian noise).
DEFAULTS: dict[str, Any] = {
    "nb_trees": 150, "subsampling_ratio": 0.1, "learning_rate": 0.1, "max_depth": 2,
    "newton_boosting": False, "balance_partition": True, "lambda_reg_mode": 1, "l2_lambda": 15,
    "reg_delta": 2.0, "min_samples_split": 0, "ignore_split_constraints": True, "max_features": 0,
    "max_feature_values": 0, "criterion": 0, "reuse_attr": True, "use_dp": True,
    "privacy_budget_init_score_ratio": 0.1, "privacy_budget_gain_ratio": 0.5,
    "leaf_denom_noise_weight": 0.2, "l2_threshold": 0.1, "hess_l2_threshold": 1.0,
    "init_score_threshold": 1.0, "numeric_feature_weight": 1.0, "leaf_noise": 1,
    "use_privacy_filter": False, "approximate_privacy_filter": False, "pf_additional_nb_trees": 0,
    "pf_l2_threshold": 0.1, "pf_hess_l2_threshold": 1.0, "pf_subsampling_ratio_factor": 1.0,
    "additional_nb_trees": 0, "refine_splits_rounds": 0, "num_split_candidates": 32,
    "gradient_filtering": False, "leaf_clipping": False, "cyclical_feature_interactions": True,
    "refine_splits": False, "random_splits_from_candidates": True, "refine_splits_subsample": 1.0,
    "cut_off_leaf_denom": True, "custom_noise_scale": -1.0, "verbosity": 4,
    "feature_val_border": (0.0, 1.0), "continuous_learning": False, "scale_y": False,
}  # fmt: skip
_NEWTON = {
    "newton_boosting": True, "l2_lambda": 10, "hess_l2_threshold": 0.1, "l2_threshold": 0.3,
    "leaf_denom_noise_weight": 0.1, "privacy_budget_init_score_ratio": 0.0,
}  # fmt: skip
SETTINGS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "25 trees": _NEWTON | {"nb_trees": 25, "max_depth": 5, "subsampling_ratio": 1.0},
    "100 trees": _NEWTON | {"nb_trees": 100, "max_depth": 6, "subsampling_ratio": 1.0},
    "200 trees of a tenth": _NEWTON | {"nb_trees": 200, "max_depth": 5, "l2_threshold": 0.5},
}


def fits(path: Path, table: str, epsilon: str, seed: int) -> dict[Key, Fit]:
    """Return the fits of one epsilon and seed."""
    arrays = Arrays(path)
    return {
        (table, epsilon, "S-BDT", f"{encoding}, {setting}", relation, seed): (
            lambda c=encoding, s=setting, r=relation: _fit(arrays, c, SETTINGS[s], r, epsilon)
        )
        for encoding, setting, relation in product(ENCODINGS, SETTINGS, RELATIONS)
    }


def _fit(
    arrays: Arrays, encoding: str, setting: dict[str, Any], relation: str, epsilon: str
) -> np.ndarray:
    """Return probabilities of the test rows."""
    import sbdt

    options = DEFAULTS | setting
    cells = arrays.features(encoding)[0].astype(np.float64)
    low, high = (arrays.low, arrays.high) if encoding == "values" else (0, arrays.n_codes - 1)
    numeric = arrays.numeric
    scaled = np.where(numeric, (cells - low) / np.where(numeric, np.subtract(high, low), 1), cells)
    train, test = arrays.split(scaled)
    model = sbdt.S_BDT(
        **options, privacy_budget=float(epsilon) / (2 if relation == "replace-one" else 1),
        task="BinaryClassification", cat_idx=np.flatnonzero(~numeric).tolist(),
        num_idx=np.flatnonzero(numeric).tolist(),
        cat_values=[
            [] if number else list(range(count))
            for number, count in zip(numeric, arrays.n_codes, strict=True)
        ],
    )  # fmt: skip
    model.train(np.ascontiguousarray(train), arrays.y[~arrays.test].astype(np.float64), "table")
    scores = model.predict(np.ascontiguousarray(test))
    if options["newton_boosting"]:
        return np.asarray(1 / (1 + np.exp(-scores)))
    return np.clip(scores, 0, 1)  # a square loss: scores are shares


if __name__ == "__main__":
    worker("S-BDT on one prepared table.", "s_bdt", fits)
