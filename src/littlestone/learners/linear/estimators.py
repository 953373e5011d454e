"""The scikit-learn estimator of linear models."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from littlestone.classes import LinearClass
from littlestone.classes.boosted_trees.coefficients import Coefficients
from littlestone.data import Column
from littlestone.errors import UnsupportedError, check_probability
from littlestone.learners.base import Kind, declared
from littlestone.learners.boosting.estimators import Scorecard
from littlestone.learners.linear.learner import Linear
from littlestone.learners.sklearn_base import UnpaidError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LinearClassifier"]


class LinearClassifier(Scorecard, learner=Linear, without=("concept_class", "resolution", "unit")):
    r"""Learn a linear model of labels, privately: logistic regression on bins and categories.

    Noisy gradients in integers. The model is a scorecard: points for each cell that add up to a
    risk; where records are few, ahead of boosted trees or level (docs/linear.md).

    Attributes
    ----------
    points_ : dict of column to dict of cell to points
        As for `Scorecard`; ``base_`` is the margin of no points.
    evaluation_, release_
        As for `BoostedTrees`.
    hypothesis_ : TreeEnsemble
        The private output; may be published. It has no trees.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input and all settings, when one
        record is replaced; with ``user=`` or ``groups=``, when all records of a user are. The
        number of records, or of users, is public. Claim ``linear.round``.
    Accuracy : no bound before data; ``certificate`` and ``required_samples`` refuse. With a
        ``holdout``, ``evaluation_.certificate(beta)`` bounds the error on new records.

    Raises
    ------
    DataError
        If a cell or a label is outside the public domain (names column and rule only).

    Notes
    -----
    Cost: for each of 64 to 512 rounds, one pass over the distinct rows.

    References
    ----------
    .. [1] docs/linear.md; noisy gradients: Bassily, Smith and Thakurta 2014.

    Examples
    --------
    >>> import littlestone as ls
    >>> schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "pulse": {"bins": [80]}})
    >>> X = [[25, 70], [70, 95], [45, 70], [65, 90]] * 500
    >>> L = LinearClassifier(schema, epsilon=1.0, delta=1e-6, random_state=0)
    >>> L.fit(X, [0, 1, 0, 1] * 500).predict([[28, 60], [80, 99]])
    array([0, 1])
    >>> L.predict_proba([[28, 60]]).round(1)
    array([[1., 0.]])
    """

    rounds: Any = declared(
        Kind('int or "auto"', annotation='int | Literal["auto"]'),
        'Number of gradients; ``"auto"`` takes it from n and epsilon.',
        default="auto",
    )

    @property
    def concept_class(self) -> LinearClass:
        """The public class of these parameters."""
        return LinearClass(self._columns, self.labels)

    def coefficients(self) -> pa.Table:
        """Return the coefficients as a table: log-odds of label 1, and odds ratios.

        Without ``inference`` they are those of the model that predicts: each bin and category
        against the first one of its column, without intervals. With it they are those of the
        regression that was named, with intervals of 95 % where the noise allowed them.

        Returns
        -------
        pyarrow.Table
            Columns ``term, unit, reference, log_odds, odds_ratio, low, high, printed``. The ends
            are of the log-odds, and null where there is no interval.

        Examples
        --------
        >>> import littlestone as ls
        >>> schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
        >>> L = LinearClassifier(schema, epsilon=4, delta=1e-6, random_state=0)
        >>> L = L.fit([[25], [45], [70]] * 1000, [0, 0, 1, 0, 1, 1] * 500)
        >>> L.coefficients().column("term").to_pylist()
        ['age >= 60', '30 <= age < 60']
        """
        import pyarrow as pa  # noqa: PLC0415 - engines are loaded late

        check_is_fitted(self, "hypothesis_")
        found = self.hypothesis_.coefficients or self._contrasts()
        size = len(found.values)
        low, high = found.intervals(0.95).T if found.printed else [[None] * size] * 2
        columns = {
            "term": found.terms,
            "unit": found.units,
            "reference": found.references,
            "log_odds": found.values,
            "odds_ratio": list(map(math.exp, found.values)),
            "low": low,
            "high": high,
            "printed": [found.printed] * size,
        }
        kinds = [pa.string()] * 3 + [pa.float64()] * 4 + [pa.bool_()]
        return pa.table(columns, schema=pa.schema(zip(columns, kinds, strict=True)))

    def _contrasts(self) -> Coefficients:
        if self.hypothesis_.label_names != (0, 1):
            raise UnsupportedError(
                "Coefficients exist for the labels 0 and 1; for listed labels see `points_`."
            )
        schema, step, rows = self._bound_class().schema, float(self.hypothesis_.step), []
        for place, points in self.hypothesis_.summed(schema)[1].items():
            column = schema.columns[place]
            first = column.describe(Column.FIRST)
            for code in range(Column.FIRST + 1, column.n_codes):
                odds = step * float(points[code, 0] - points[Column.FIRST, 0])
                rows.append((column.describe(code), "1", first, odds))
        rows.sort(key=lambda row: -abs(row[3]))
        terms, units, references, values = zip(*rows, strict=True) if rows else [()] * 4
        return Coefficients(terms, units, references, values, (), printed=False)

    @property
    def _named(self) -> Coefficients:
        check_is_fitted(self, "hypothesis_")
        found = self.hypothesis_.coefficients
        if found is None:
            raise UnpaidError(
                "Confidence intervals exist only for a regression that was requested: fit with "
                'inference=["age", "sex"]. `coefficients()` returns those of the predictive '
                "model."
            )
        return found

    @property
    def coef_(self) -> npt.NDArray[np.float64]:
        """The log-odds of the terms of ``inference``, of shape (1, n_terms)."""
        return np.array([self._named.values[1:]])

    @property
    def intercept_(self) -> npt.NDArray[np.float64]:
        """The log-odds at all references, of shape (1,)."""
        return np.array(self._named.values[:1])

    def conf_int(self, level: float = 0.95) -> npt.NDArray[np.float64]:
        """Return an interval for each coefficient of ``inference``, the intercept first.

        Parameters
        ----------
        level : float in (0, 1), default 0.95

        Returns
        -------
        ndarray of shape (1 + n_terms, 2)
            NaN where the noise of the second moments hides the least eigenvalue: then no interval
            would cover as it says. Sampling and noise are both in it.

        Examples
        --------
        >>> import littlestone as ls
        >>> schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
        >>> L = LinearClassifier(schema, epsilon=4, delta=1e-6, inference=["age"], random_state=0)
        >>> L = L.fit([[25], [45], [70]] * 4000, [0, 0, 1, 0, 1, 1, 1, 1, 0, 0, 0, 1] * 1000)
        >>> L.conf_int().shape, bool(L.conf_int()[1, 0] > 0)
        ((2, 2), True)
        """
        wanted = check_probability(type(self).__name__, "level", level, hint="0.95 is common.")
        return self._named.intervals(float(wanted))
