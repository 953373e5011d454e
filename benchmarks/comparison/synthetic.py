"""Synthetic data, then gradient boosting: the private MST of dpmm on the codes of the schema.

    python synthetic.py CACHE TABLE --epsilons 0.5 1 --seeds 0 1 2 --limit 300

Run by compare.py in an environment of its own (dpmm needs older libraries). The domain is public:
the codes of the schema and the label. Delta 1e-6. MST is calibrated to one record more or less
(``own``); zero-concentrated privacy costs four times as much for one record replaced, so
``replace-one`` runs it with a quarter of rho.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from fits import DELTA, Fit, Key, worker


def fits(path: Path, table: str, epsilon: str, seed: int) -> dict[Key, Fit]:
    """Return the fits of one epsilon and seed."""
    return {
        (table, epsilon, "MST, gradient boosting", "", relation, seed): (
            lambda r=relation: _fit(path, float(epsilon), r, seed)
        )
        for relation in ("own", "replace-one")
    }


def _fit(path: Path, epsilon: float, relation: str, seed: int) -> np.ndarray:
    import pandas as pd
    from dpmm.models.base.mechanisms.cdp2adp import cdp_eps, cdp_rho
    from dpmm.models.mst import MST
    from sklearn.ensemble import HistGradientBoostingClassifier

    delta = float(DELTA)
    if relation == "replace-one":
        epsilon = cdp_eps(cdp_rho(epsilon, delta) / 4, delta)
    with np.load(path) as file:
        codes, labels, test = file["codes"], file["labels"], file["test"]
        numeric, counts = file["numeric"], file["n_codes"]
    names = [f"x{j}" for j in range(codes.shape[1])]
    train = pd.DataFrame(codes[~test].astype(int), columns=names)
    train["y"] = labels[~test].astype(int)
    domain = dict(zip(names, counts.tolist(), strict=True)) | {"y": 2}
    np.random.seed(seed)  # noqa: NPY002 - dpmm draws its noise from the global generator
    random = np.random.RandomState(seed)
    mechanism = MST(epsilon, delta, n_iters=1000, domain=domain, prng=random, n_jobs=1)
    mechanism.fit(train)
    made = mechanism.generate(n_records=len(train))
    model = HistGradientBoostingClassifier(
        categorical_features=~numeric & (counts <= 255), random_state=0
    )
    if made["y"].nunique() < 2:
        return np.full(test.sum(), float(made["y"].iloc[0]))
    return np.asarray(model.fit(made[names], made["y"]).predict_proba(codes[test])[:, 1])


if __name__ == "__main__":
    worker("Synthetic data on one prepared table.", "synthetic", fits)
