"""The methods of the field, run in an environment of their own (see environment.txt).

    python field.py CACHE TABLE... --epsilons 0.1 1 --seeds 10

Each private method gets the same public knowledge as ours: bounds, categories, and (encoding
"bins") the edges of the schema; and it is run with both encodings:

``values``
    Numbers, clipped to public bounds and scaled to [0, 1]; categories as indicator columns.
``bins``
    The number of the bin, scaled to [0, 1]; categories as indicator columns.

DP-EBM reads numbers and categories as they are. Settings are the libraries' defaults, and for
DP-EBM a second learning rate, with which it does much better on some tables; its delta is 1e-6, and
all others are pure. Nothing of ours is imported here.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from results import Cache, score

__all__ = ["METHODS", "NON_PRIVATE", "Arrays", "stump_errors"]

DELTA = 1e-6
FIRST = 2  # the code of the first bin or category; 0 is missing and 1 is other
ENCODINGS = ("values", "bins")
Matrix = npt.NDArray[Any]


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
        self._indicators: dict[str, Matrix] = {}

    def features(self, encoding: str) -> tuple[Matrix, npt.NDArray[Any], npt.NDArray[Any]]:
        """Return one number for each cell, and the public bounds of each column."""
        if encoding == "values":
            return self._values, self.low, self.high
        return self._codes, np.where(self.numeric, FIRST, 0), self.n_codes - 1

    def split(self, X: Matrix) -> tuple[Matrix, Matrix]:
        """Return the training and the test rows."""
        return X[~self.test], X[self.test]

    def indicators(self, encoding: str) -> Matrix:
        """Return numbers in [0, 1] and an indicator for each code of each categorical column.

        The last one is kept: ten seeds share it.
        """
        if encoding not in self._indicators:
            self._indicators = {encoding: self._expand(encoding)}
        return self._indicators[encoding]

    def _expand(self, encoding: str) -> Matrix:
        cells, low, high = self.features(encoding)
        columns = []
        for j, numeric in enumerate(self.numeric):
            if numeric:
                scaled = (cells[:, j] - float(low[j])) / (float(high[j]) - float(low[j]))
                columns.append(np.clip(scaled, 0, 1).astype(np.float32)[:, None])
            else:
                codes = np.arange(self.n_codes[j])
                columns.append((self._codes[:, j, None] == codes).astype(np.float32))
        return np.hstack(columns)

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


def _stump(arrays: Arrays, encoding: str, epsilon: float, seed: int) -> Matrix:
    """Choose by OpenDP's noisy max (it has no seed; the number of the run is not used)."""
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


def _ebm(**settings: float) -> Callable[[Arrays, str, float, int], Matrix]:
    def fit(arrays: Arrays, encoding: str, epsilon: float, seed: int) -> Matrix:
        import pandas as pd
        from interpret.privacy import DPExplainableBoostingClassifier

        cells, low, high = arrays.features(encoding)
        names = [f"x{j}" for j in range(len(arrays.numeric))]
        columns = {
            name: cells[:, j].astype(float) if arrays.numeric[j] else arrays.codes[:, j].astype(str)
            for j, name in enumerate(names)
        }
        table = pd.DataFrame(columns)
        numbers = [(j, name) for j, name in enumerate(names) if arrays.numeric[j]]
        model = DPExplainableBoostingClassifier(
            epsilon=epsilon,
            delta=DELTA,
            feature_names=names,
            feature_types=["continuous" if numeric else "nominal" for numeric in arrays.numeric],
            privacy_bounds={name: (float(low[j]), float(high[j])) for j, name in numbers},
            n_jobs=1,
            random_state=seed,
            **settings,
        )
        model.fit(table[~arrays.test], arrays.y[~arrays.test])
        return np.asarray(model.predict(table[arrays.test]))

    return fit


def _diffprivlib(name: str) -> Callable[[Arrays, str, float, int], Matrix]:
    def fit(arrays: Arrays, encoding: str, epsilon: float, seed: int) -> Matrix:
        import diffprivlib.models as models

        train, test = arrays.split(arrays.indicators(encoding))
        bounds = (np.zeros(train.shape[1]), np.ones(train.shape[1]))
        public: dict[str, Any] = {"bounds": bounds}
        if name == "LogisticRegression":
            # Each column of the table adds at most 1 to the squared norm of a row.
            public = {"data_norm": float(np.sqrt(len(arrays.numeric)))}
        elif name != "GaussianNB":
            public["classes"] = [0, 1]
        model = getattr(models, name)(epsilon=epsilon, random_state=seed, **public)
        model.fit(train, arrays.y[~arrays.test])
        return np.asarray(model.predict(test))

    return fit


def _tree(depth: int) -> Callable[[Arrays, str], Matrix]:
    def fit(arrays: Arrays, encoding: str) -> Matrix:
        from sklearn.tree import DecisionTreeClassifier

        train, test = arrays.split(arrays.indicators(encoding))
        model = DecisionTreeClassifier(max_depth=depth, random_state=0)
        return np.asarray(model.fit(train, arrays.y[~arrays.test]).predict(test))

    return fit


def _logistic(arrays: Arrays, encoding: str) -> Matrix:
    from sklearn.linear_model import LogisticRegression

    train, test = arrays.split(arrays.indicators(encoding))
    model = LogisticRegression(max_iter=300)
    return np.asarray(model.fit(train, arrays.y[~arrays.test]).predict(test))


METHODS: dict[str, Callable[[Arrays, str, float, int], Matrix]] = {
    "OpenDP stump": _stump,
    "diffprivlib NB": _diffprivlib("GaussianNB"),
    "diffprivlib logistic": _diffprivlib("LogisticRegression"),
    "diffprivlib tree": _diffprivlib("DecisionTreeClassifier"),
    "diffprivlib forest": _diffprivlib("RandomForestClassifier"),
    "DP-EBM": _ebm(),
    "DP-EBM, rate 0.1": _ebm(learning_rate=0.1),
}
NON_PRIVATE: dict[str, Callable[[Arrays, str], Matrix]] = {
    "scikit-learn tree depth 2": _tree(2),
    "scikit-learn tree depth 3": _tree(3),
    "scikit-learn logistic": _logistic,
}


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description="The field on prepared tables.")
    parser.add_argument("cache", type=Path)
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--epsilons", type=float, nargs="+", required=True)
    parser.add_argument("--seeds", type=int, required=True)
    parser.add_argument("--methods", nargs="+", choices=list(METHODS), default=list(METHODS))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # of the libraries, about clipped data and convergence
    cache = Cache(arguments.cache / "field.jsonl")
    for name in arguments.tables:
        arrays = Arrays(arguments.cache / f"{name}.npz")
        truth = arrays.y[arrays.test].tolist()
        for method, plain in NON_PRIVATE.items():
            for encoding in ENCODINGS:
                for _ in cache.missing(name, method, encoding, None, [0]):
                    fit = lambda: plain(arrays, encoding)  # noqa: B023, E731
                    cache.add(score(name, method, encoding, None, 0, fit, truth))
        for epsilon in arguments.epsilons:
            for method in arguments.methods:
                private = METHODS[method]
                for encoding in ENCODINGS if method != "OpenDP stump" else ENCODINGS[1:]:
                    for seed in cache.missing(
                        name, method, encoding, epsilon, range(arguments.seeds)
                    ):
                        fit = lambda: private(arrays, encoding, epsilon, seed)  # noqa: B023, E731
                        cache.add(score(name, method, encoding, epsilon, seed, fit, truth))


if __name__ == "__main__":
    main()
