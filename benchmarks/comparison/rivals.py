"""The field with probabilities: DP-EBM, diffprivlib, OpenDP; and references that are not private.

    python rivals.py CACHE TABLE --epsilons 0.5 1 --seeds 0 1 2 --limit 300

Run by compare.py in the environment of environment.txt; nothing of ours is
imported. All methods get the same public knowledge as ours: bounds, categories, the edges of the
schema. The settings are the libraries' defaults, and a second learning rate for DP-EBM.

*Neighbours.* ``replace-one``: DP-EBM with its noise multiplier doubled; diffprivlib's trees, whose
leaves answer for one record more or less, with half of epsilon. Objective perturbation
(diffprivlib's logistic regression) and the noisy maximum are private for one record replaced as
they are. ``own``: as the libraries state it.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from fits import DELTA, Fit, Key, worker

FIRST = 2  # the code of the first bin or category; 0 is missing and 1 is other
Matrix = npt.NDArray[Any]
RATES = (0.01, 0.1)  # DP-EBM's default, and a better one
ENCODINGS = ("bins", "values")
RELATIONS = ("own", "replace-one")


class Arrays:
    """A prepared table: codes, values, labels, and the public facts of its columns."""

    def __init__(self, path: Path) -> None:
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        self.numeric, self.n_codes = arrays["numeric"], arrays["n_codes"]
        self.low, self.high = arrays["low"], arrays["high"]
        self.test = arrays["test"]
        self.y = arrays["labels"].astype(np.int64)
        self._codes, self._values = arrays["codes"], arrays["values"]

    def features(self, encoding: str) -> tuple[Matrix, npt.NDArray[Any], npt.NDArray[Any]]:
        """Return one number for each cell, and the public bounds of each column."""
        if encoding == "values":
            return self._values, self.low, self.high
        return self._codes, np.where(self.numeric, FIRST, 0), self.n_codes - 1

    def split(self, X: Matrix) -> tuple[Matrix, Matrix]:
        """Return the training and the test rows."""
        return X[~self.test], X[self.test]

    @property
    def codes(self) -> Matrix:
        """Codes of all rows."""
        return self._codes


def stump_errors(codes: Matrix, labels: Matrix, numeric: Matrix, n_codes: Matrix) -> Matrix:
    """Return the errors of all rules of at most one literal, in a public order.

    Never; always; then for each column ``>=`` and ``<`` of each edge, or ``is`` and ``is not`` of
    each category.
    """
    errors = [labels.sum(), len(labels) - labels.sum()]
    for accepts, j in _literals(numeric, n_codes):
        errors.append((accepts[codes[:, j]] != labels).sum())
    return np.array(errors, dtype=np.int64)


def _literals(numeric: Matrix, n_codes: Matrix) -> list[tuple[Matrix, int]]:
    literals = []
    for j, (ordered, n) in enumerate(zip(numeric, n_codes, strict=True)):
        codes = np.arange(n)
        for k in range(FIRST + 1 if ordered else FIRST, n):
            yes = codes >= k if ordered else codes == k
            no = (codes < k) & (codes >= FIRST) if ordered else codes != k
            literals += [(yes, j), (no, j)]
    return literals


def _stump(arrays: Arrays, epsilon: float) -> Matrix:
    """Choose the best rule of one literal by OpenDP's noisy max, which takes no seed."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    train, test = arrays.split(arrays.codes)
    labels = arrays.y[~arrays.test]
    scores = -stump_errors(train, labels, arrays.numeric, arrays.n_codes)
    # Replacing one record changes each count of errors by at most one, in either direction.
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=False)

    def make(scale: float) -> Any:
        return dp.m.make_noisy_max(*space, dp.max_divergence(), scale)

    best = dp.binary_search_chain(make, d_in=1, d_out=epsilon)(scores)
    if best < 2:
        return np.full(len(test), best)
    accepts, j = _literals(arrays.numeric, arrays.n_codes)[best - 2]
    return accepts[test[:, j]].astype(np.int64)


@lru_cache(maxsize=1)
def _arrays(path: Path) -> Arrays:
    return Arrays(path)


@lru_cache(maxsize=1)
def _one_hot(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return an indicator for each code of each column: training rows, test rows."""
    arrays = _arrays(path)
    columns = [
        arrays.codes[:, j, None] == np.arange(count) for j, count in enumerate(arrays.n_codes)
    ]
    return arrays.split(np.hstack(columns).astype(np.float32))


def fits(path: Path, table: str, epsilon: str, seed: int) -> dict[Key, Fit]:
    """Return the fits of one epsilon and seed; without an epsilon, the references."""
    if not epsilon:
        references = PLAIN.items()
        return {(table, "", m, "", "not private", seed): lambda p=p: p(path) for m, p in references}
    arrays = _arrays(path)
    found: dict[Key, Fit] = {}
    for name in ("DecisionTreeClassifier", "RandomForestClassifier"):
        for relation in RELATIONS:
            spent = float(epsilon) / (2 if relation == "replace-one" else 1)
            found[table, epsilon, f"diffprivlib {name}", "bins", relation, seed] = (
                lambda n=name, e=spent: _diffprivlib(path, n, e, seed)
            )
    found[table, epsilon, "diffprivlib LogisticRegression", "bins", "replace-one", seed] = lambda: (
        _diffprivlib(path, "LogisticRegression", float(epsilon), seed)
    )
    found[table, epsilon, "OpenDP stump", "bins", "replace-one", seed] = lambda: _stump(
        arrays, float(epsilon)
    )
    for encoding, rate, relation in product(ENCODINGS, RATES, RELATIONS):
        found[table, epsilon, "DP-EBM", f"{encoding}, rate {rate}", relation, seed] = (
            lambda c=encoding, r=rate, n=relation: _dp_ebm(arrays, c, r, n, float(epsilon), seed)
        )
    return found


def _diffprivlib(path: Path, name: str, epsilon: float, seed: int) -> np.ndarray:
    import diffprivlib.models as models

    arrays = _arrays(path)
    train, test = _one_hot(path)
    public: dict[str, Any] = {"classes": [0, 1]}
    if name == "LogisticRegression":
        public = {"data_norm": float(np.sqrt(len(arrays.numeric)))}  # one indicator of each column
    else:
        public["bounds"] = (np.zeros(train.shape[1]), np.ones(train.shape[1]))
    model = getattr(models, name)(epsilon=epsilon, random_state=seed, **public)
    return np.asarray(model.fit(train, arrays.y[~arrays.test]).predict_proba(test)[:, 1])


def _dp_ebm(
    arrays: Arrays, encoding: str, rate: float, relation: str, epsilon: float, seed: int
) -> np.ndarray:
    from interpret.glassbox._ebm import _ebm
    from interpret.privacy import DPExplainableBoostingClassifier
    from interpret.utils import _preprocessor, _privacy

    def noise(*args: Any, **kwargs: Any) -> float:
        factor = 2 if relation == "replace-one" else 1
        return factor * _privacy.calc_gdp_noise_multi(*args, **kwargs)

    _ebm.calc_gdp_noise_multi = _preprocessor.calc_gdp_noise_multi = noise
    cells, numeric = _cells(arrays, encoding)
    model = DPExplainableBoostingClassifier(
        feature_types=["continuous" if one else "nominal" for one in numeric],
        privacy_bounds=np.column_stack([arrays.low, arrays.high]), learning_rate=rate,
        random_state=seed, epsilon=epsilon, delta=float(DELTA), n_jobs=1,
    )  # fmt: skip
    model.fit(cells[~arrays.test], arrays.y[~arrays.test])
    return np.asarray(model.predict_proba(cells[arrays.test])[:, 1])


def _cells(arrays: Arrays, encoding: str) -> tuple[np.ndarray, np.ndarray]:
    """Return cells for interpret, and which columns are numbers: none with the encoding "bins"."""
    numeric = arrays.numeric & (encoding == "values")
    cells = arrays.features("values")[0].astype(object)
    for j in np.flatnonzero(~numeric):
        cells[:, j] = [f"c{int(code)}" for code in arrays.codes[:, j]]
    return cells, numeric


def _gradient_boosting(path: Path) -> np.ndarray:
    from sklearn.ensemble import HistGradientBoostingClassifier

    arrays = _arrays(path)
    train, test = arrays.split(arrays.features("values")[0])
    model = HistGradientBoostingClassifier(categorical_features=~arrays.numeric, random_state=0)
    return np.asarray(model.fit(train, arrays.y[~arrays.test]).predict_proba(test)[:, 1])


def _ebm(path: Path) -> np.ndarray:
    from interpret.glassbox import ExplainableBoostingClassifier

    arrays = _arrays(path)
    cells, numeric = _cells(arrays, "values")
    kinds = ["continuous" if one else "nominal" for one in numeric]
    model = ExplainableBoostingClassifier(feature_types=kinds, n_jobs=1, random_state=0)
    model.fit(cells[~arrays.test], arrays.y[~arrays.test])
    return np.asarray(model.predict_proba(cells[arrays.test])[:, 1])


def _logistic(path: Path) -> np.ndarray:
    from sklearn.linear_model import LogisticRegression

    arrays = _arrays(path)
    train, test = _one_hot(path)
    model = LogisticRegression(max_iter=300)
    return np.asarray(model.fit(train, arrays.y[~arrays.test]).predict_proba(test)[:, 1])


PLAIN = {
    "gradient boosting": _gradient_boosting,
    "EBM": _ebm,
    "logistic regression": _logistic,
}


if __name__ == "__main__":
    worker("The field on one prepared table.", "rivals", fits)
