"""scikit-learn estimators of boosted trees: ensembles and scorecards."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from littlestone.classes import BoostedTreeClass, ScorecardClass, TreeEnsemble
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.data import read_points
from littlestone.errors import check_integer
from littlestone.learners.boosting.learner import Boosting
from littlestone.learners.declare import Kind, declared
from littlestone.learners.release import is_table
from littlestone.learners.sklearn_base import PrivateClassifier

__all__ = ["BoostedTrees", "Scorecard"]

_OWN = ("concept_class", "resolution", "evaluation")  # of the learner alone


class _Boosted(PrivateClassifier):
    """What both estimators share."""

    schema: Any = declared(
        Kind("Schema", annotation="Schema"),
        "Public columns, bins and categories; more bins cost little.",
        kw_only=False,
    )
    rounds: Any = declared(
        Kind('int or "auto"', annotation='int | Literal["auto"]'),
        'Number of trees; ``"auto"`` takes it from n * epsilon and the number of splits.',
        default="auto",
    )
    evaluate: Any = declared(
        Kind("float", annotation="Number | None"),
        "A part of epsilon for an evaluation: accuracy, ROC, calibration, recalibrated "
        "probabilities.",
        default=None,
    )
    holdout: Any = declared(
        Kind("float in (0, 1)", annotation="Number | None"),
        "Evaluate on this share of the records instead, and do not learn from it.",
        default=None,
    )
    labels: Any = declared(
        Kind("sequence of int or str", annotation="Sequence[int] | Sequence[str] | None"),
        "Public labels, where they are not 0 and 1: each tree then votes for one of them.",
        default=None,
    )
    hypothesis_: TreeEnsemble

    def _rounds(self) -> int | None:
        if self.rounds is None or (isinstance(self.rounds, str) and self.rounds == "auto"):
            return None
        return check_integer(type(self).__name__, "rounds", self.rounds, low=1)

    def _extra(self) -> dict[str, Any]:
        return {"evaluate": self.evaluate, "holdout": self.holdout}

    def _rows(self, X: Any) -> Any:
        """Return arrays, or the columns of a table, as codes."""
        if self.release_.columns is not None and is_table(X):
            domain = self.release_.concept_class.domain
            return read_points(X, domain=domain, owner=type(self).__name__)[0]
        return self._codes(X)

    def decision_function(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return what trees vote for the positive class, in steps of log-odds.

        Probabilities rise with it: see docs/boosting.md, "From votes to probabilities".

        Parameters
        ----------
        X : array-like, as for ``fit``

        Returns
        -------
        ndarray of shape (n_samples,)
            With more than two labels of shape (n_samples, n_classes).
        """
        check_is_fitted(self, "hypothesis_")
        odds = self.hypothesis_.log_odds(self._rows(X))
        if odds.ndim == 1 or odds.shape[1] > 2:
            return odds
        difference: npt.NDArray[np.float64] = odds[:, 1] - odds[:, 0]
        return difference

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X : array-like, as for ``fit``

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns as in ``classes_``. For the labels 0 and 1 recalibrated where ``evaluate`` paid
            for it.
        """
        check_is_fitted(self, "hypothesis_")
        found = self.hypothesis_.probability(self._rows(X))
        return found if found.ndim > 1 else np.column_stack([1 - found, found])

    @property
    def trees_(self) -> tuple[TreeHypothesis, ...]:
        """The drawn trees."""
        check_is_fitted(self, "hypothesis_")
        return self.hypothesis_.trees


class BoostedTrees(_Boosted, learner=Boosting, without=_OWN):
    r"""Learn a sum of small decision trees, with probabilities, privately.

    Boosting in which each tree is drawn exactly, by the exponential mechanism over all trees of
    one depth; no record ever weighs more than a public cap.

    Attributes
    ----------
    trees_ : tuple of TreeHypothesis
    evaluation_ : Evaluation
    release_ : Release
    hypothesis_ : TreeEnsemble
        The private output; may be published.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input and all settings, neighbours
        replace one record, n public. Claim ``boosting.round``.
    Accuracy : no bound before data; ``certificate`` and ``required_samples`` refuse. With a
        ``holdout``, ``evaluation_.certificate(beta)`` bounds the error on new records.

    Raises
    ------
    DataError
        If a cell or a label is outside the public domain (names column and rule only).

    Notes
    -----
    Cost: for each tree, counts of all pairs of codes (depth 2) on the distinct rows.

    References
    ----------
    .. [1] docs/boosting.md (the proof); Bun, Carmosino and Sorrell 2020 (smooth weights).

    Examples
    --------
    >>> import littlestone as ls
    >>> schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "pulse": {"bins": [80]}})
    >>> X = [[25, 70], [70, 95], [45, 70], [65, 90]] * 500
    >>> B = BoostedTrees(schema, epsilon=1.0, rounds=8, random_state=0).fit(X, [0, 1, 0, 1] * 500)
    >>> B.predict([[28, 60], [80, 99]])
    array([0, 1])
    >>> B.predict_proba([[28, 60]]).round(2)
    array([[0.93, 0.07]])

    Several labels:

    >>> B = BoostedTrees(schema, labels=["a", "b", "c"], epsilon=4, rounds=8, random_state=0)
    >>> B = B.fit(X, ["a", "c", "b", "c"] * 500)
    >>> B.predict([[28, 60], [50, 60], [80, 99]])
    array(['a', 'b', 'c'], dtype='<U1')
    >>> B.predict_proba([[28, 60]]).round(1)
    array([[0.8, 0.1, 0.1]])
    """

    depth: int = declared(
        Kind("{1, 2, 3}", annotation="Literal[1, 2, 3]"), "Of each tree.", default=2
    )

    @property
    def concept_class(self) -> BoostedTreeClass:
        """The public class of these parameters."""
        return BoostedTreeClass(self.schema, self.depth, self._rounds(), self.labels)


class Scorecard(_Boosted, learner=Boosting, without=_OWN):
    r"""Learn a scorecard, privately: points for each bin and category, that add up to a risk.

    `BoostedTrees` of depth 1: each tree asks one question of one column, so the sum is a table of
    points, which a clerk can add up by hand, with a probability for each sum.

    Attributes
    ----------
    points_ : dict of column to dict of cell to points
        At least 0; only columns that matter. ``base_`` is the margin of no points. With a list of
        labels the points of a cell, and the base, are a dict of label to int.
    trees_, evaluation_, release_
        As for `BoostedTrees`.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input and all settings, neighbours
        replace one record, n public. Claim ``boosting.round``.
    Accuracy : no bound before data, as for `BoostedTrees`.

    Raises
    ------
    DataError
        If a cell or a label is outside the public domain (names column and rule only).

    Notes
    -----
    Cost: for each tree, counts of all codes on the distinct rows.

    References
    ----------
    .. [1] docs/boosting.md (the proof).

    Examples
    --------
    >>> import littlestone as ls
    >>> schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
    >>> S = Scorecard(schema, epsilon=1.0, rounds=6, random_state=0)
    >>> S.fit([[25], [70], [45]] * 500, [0, 1, 0] * 500).points_["age"]["age >= 60"]
    12
    """

    @property
    def concept_class(self) -> ScorecardClass:
        """The public class of these parameters."""
        return ScorecardClass(self.schema, self._rounds(), self.labels)

    @property
    def points_(self) -> dict[str, dict[str, Any]]:
        """The points of each cell."""
        return self._card()[1]

    @property
    def base_(self) -> Any:
        """The margin of a record without points; with a list of labels, the votes of each."""
        return self._card()[0]

    def _card(self) -> tuple[Any, dict[str, dict[str, Any]]]:
        check_is_fitted(self, "hypothesis_")
        return self.hypothesis_.points(self._bound_class().schema)
