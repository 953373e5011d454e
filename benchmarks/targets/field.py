"""The field: DP-EBM and diffprivlib for quantities; and references that are not private.

    python field.py CACHE TABLE --epsilons 1 --seeds 0 1 2 --limit 300

Run by run.py in the environment of environment.txt; nothing of ours is imported. All get the same
public knowledge: bounds, categories, the range of the target. No library fits counts or survival
privately, and none protects users: of each user they get one row.

*Neighbours.* ``replace-one`` is sound: DP-EBM with its noise multiplier doubled and the target
shifted to begin at 0 (its noise is that of the width of the range, which is too little where the
range does not begin at 0), diffprivlib's LinearRegression with columns and target shifted to
symmetric bounds (with others it uses the lower bound twice). ``as it is``: DP-EBM as its users call
it, which shows an epsilon of more than 3.3 where it claims 1 (docs/field-audit.md).
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parents[1] / "comparison"))

from fits import DELTA, Fit, Key, worker
from measures import Arrays, arrays_of, scores, truth

Matrix = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
RATES = (0.01, 0.1)  # DP-EBM's default, and a better one
ENCODINGS = ("numbers", "indicators")


def fits(path: Path, table: str, epsilon: str, seed: int) -> dict[Key, Fit]:
    """Return the fits of one epsilon and seed; without an epsilon, the references."""
    arrays = arrays_of(path)
    test = arrays.test(seed)
    if not epsilon:
        name, plain = (
            ("Cox", _cox) if arrays.kind == "time" else ("gradient boosting", _gradient_boosting)
        )
        return {(table, "", name, "", "not private", seed): lambda: plain(arrays, ~test, test)}
    if arrays.kind in ("count", "time"):
        return {}
    train, spent = arrays.once(~test), float(epsilon)
    found: dict[Key, Fit] = {}
    settings = [(rate, "replace-one") for rate in RATES]
    for rate, relation in (*settings, (RATES[0], "as it is")):
        found[table, epsilon, "DP-EBM", f"rate {rate}", relation, seed] = (
            lambda r=rate, s=(relation == "replace-one"): _dp_ebm(
                arrays, train, test, spent, seed, rate=r, sound=s
            )
        )
    for encoding in ENCODINGS:
        found[table, epsilon, "diffprivlib", encoding, "replace-one", seed] = lambda e=encoding: (
            _diffprivlib(arrays, train, test, spent, seed, encoding=e)
        )
    return found


def _dp_ebm(
    arrays: Arrays, train: Mask, test: Mask, epsilon: float, seed: int, *, rate: float, sound: bool
) -> Matrix:
    from interpret.glassbox._ebm import _ebm
    from interpret.privacy import DPExplainableBoostingRegressor
    from interpret.utils import _preprocessor, _privacy

    def noise(*args: Any, **kwargs: Any) -> float:
        return (2 if sound else 1) * _privacy.calc_gdp_noise_multi(*args, **kwargs)

    _ebm.calc_gdp_noise_multi = _preprocessor.calc_gdp_noise_multi = noise
    cells = arrays.values.astype(object)
    for j in np.flatnonzero(~arrays.numeric):
        cells[:, j] = [f"c{int(code)}" for code in arrays.codes[:, j]]
    shift = arrays.least if sound else 0.0
    low, high = arrays.least - shift, arrays.most - shift
    model = DPExplainableBoostingRegressor(
        feature_types=["continuous" if one else "nominal" for one in arrays.numeric],
        privacy_bounds=np.column_stack([arrays.low, arrays.high]),
        privacy_target_min=low, privacy_target_max=high, learning_rate=rate,
        random_state=seed, epsilon=epsilon, delta=float(DELTA), n_jobs=1,
    )  # fmt: skip
    model.fit(cells[train], np.clip(arrays.y[train] - shift, low, high))
    return np.asarray(np.clip(model.predict(cells[test]) + shift, arrays.least, arrays.most))


def _diffprivlib(
    arrays: Arrays, train: Mask, test: Mask, epsilon: float, seed: int, *, encoding: str
) -> Matrix:
    from diffprivlib.models import LinearRegression

    if encoding == "indicators":
        columns = [arrays.codes[:, j, None] == np.arange(n) for j, n in enumerate(arrays.n_codes)]
        features = np.hstack(columns) - 0.5
    else:  # from -1/2 to 1/2
        width = np.maximum(arrays.high - arrays.low, 1)
        features = (arrays.values - arrays.low) / width - 0.5
    middle, half = (arrays.least + arrays.most) / 2, (arrays.most - arrays.least) / 2
    model = LinearRegression(
        epsilon=epsilon, bounds_X=(-0.5, 0.5), bounds_y=(-half, half), fit_intercept=False,
        random_state=seed,
    )  # fmt: skip
    features = np.hstack([np.full((len(features), 1), 0.5), features])  # an intercept
    model.fit(features[train], np.clip(arrays.y[train] - middle, -half, half))
    found = np.ravel(model.predict(features[test])) + middle
    return np.asarray(np.clip(found, arrays.least, arrays.most))


def _gradient_boosting(arrays: Arrays, train: Mask, test: Mask) -> Matrix:
    """Fit scikit-learn with its defaults; users have all their rows."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    loss = "poisson" if arrays.kind == "count" else "squared_error"
    model = HistGradientBoostingRegressor(
        loss=loss, categorical_features=~arrays.numeric, random_state=0
    )
    return np.asarray(model.fit(arrays.values[train], arrays.y[train]).predict(arrays.values[test]))


def _cox(arrays: Arrays, train: Mask, test: Mask) -> Matrix:
    """Fit Cox's model of lifelines: numbers as they are, an indicator for each category."""
    import pandas as pd
    from lifelines import CoxPHFitter

    columns = [
        arrays.values[:, [j]] if arrays.numeric[j] else arrays.codes[:, j, None] == np.arange(2, n)
        for j, n in enumerate(arrays.n_codes)
    ]
    features = np.hstack(columns).astype(float)
    features = features[:, np.ptp(features[train], axis=0) > 0]
    table = pd.DataFrame(features).assign(time=np.maximum(arrays.y, 0.5), event=arrays.event)
    model = CoxPHFitter(penalizer=0.001).fit(table[train], "time", "event")
    return np.asarray(model.predict_partial_hazard(table[test]))


if __name__ == "__main__":
    worker("The field on one prepared table.", "field", fits, truth, scores)
