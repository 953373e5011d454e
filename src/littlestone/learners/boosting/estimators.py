"""scikit-learn estimators of boosted trees: ensembles and scorecards."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from littlestone.classes import BoostedTreeClass, LabelEnsemble, ScorecardClass, TreeEnsemble
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.data import read_points
from littlestone.errors import check_integer
from littlestone.learners.boosting.learner import Boosting
from littlestone.learners.release import is_table
from littlestone.learners.sklearn_base import PrivateClassifier

__all__ = ["BoostedTrees", "Scorecard"]


class _Boosted(PrivateClassifier, learner=Boosting):
    """What both estimators share."""

    schema: Any
    epsilon: Any
    delta: Any
    rounds: Any
    step: Any
    cap: Any
    first_votes: Any
    evaluate: Any
    holdout: Any
    labels: Any
    hypothesis_: TreeEnsemble | LabelEnsemble

    def to_learner(self) -> Boosting:
        """Return the learner that ``fit`` runs, built from the parameters and so checked."""
        delta = None if isinstance(self.delta, int | float) and self.delta == 0 else self.delta
        step = None if self._is_auto(self.step) else self.step
        cap = Fraction(1, 2) if self._is_auto(self.cap) else self.cap
        first = None if self._is_auto(self.first_votes) else self.first_votes
        own = {"epsilon": self.epsilon, "delta": delta, "step": step, "cap": cap}
        return Boosting(self._bound_class(), first_votes=first, **own)

    @staticmethod
    def _is_auto(value: Any) -> bool:
        return value is None or (isinstance(value, str) and value == "auto")

    def _rounds(self) -> int | None:
        if self._is_auto(self.rounds):
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
        """Return the log-odds of the positive class, before any recalibration.

        Parameters
        ----------
        X : array-like, as for ``fit``

        Returns
        -------
        ndarray of shape (n_samples,)
            With more than two labels of shape (n_samples, n_classes): a row plus a constant is the
            logarithm of its probabilities.
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


class BoostedTrees(_Boosted):
    r"""Learn a sum of small decision trees, with probabilities, privately.

    Boosting in which each tree is drawn exactly, by the exponential mechanism over all trees of
    one depth; no record ever weighs more than a public cap.

    Parameters
    ----------
    schema : Schema
        Public columns, bins and categories; more bins cost little.
    epsilon : float in (0, inf)
        Privacy loss of one ``fit``, evaluation included. No default.
    delta : float in [0, 1), default 0
        0 is pure privacy; 1e-6 allows more trees for the same epsilon.
    depth : {1, 2, 3}, default 2
    rounds : int or "auto", default "auto"
        Number of trees; "auto" takes it from n * epsilon and the number of splits.
    step : float or "auto", default "auto"
        Log-odds of one tree's vote.
    cap : float in (0, 1] or "auto", default "auto"
        Gradients above it weigh as much as it; "auto" is 1/2.
    first_votes : int in [1, 100] or "auto", default "auto"
        Votes of the first tree. With several it is drawn with three times the budget of another.
        "auto" is 1, except with ``rounds="auto"``, two labels and n * epsilon from 400 to 1,200,
        where it makes log-odds of about one.
    evaluate : float, optional
        A part of epsilon for an evaluation: accuracy, ROC, calibration, recalibrated probabilities.
    holdout : float in (0, 1), optional
        Evaluate on this share of the records instead, and do not learn from it.
    labels : sequence of int or str, optional
        Public labels, where they are not 0 and 1: each tree then votes for one of them.
    classes : (negative, positive), optional
        For two labels without a list: what means 0 and 1. Never learned from the data.
    random_state : None or int, default None
        None draws from the operating system. An int is reproducible and NOT private.

    Attributes
    ----------
    trees_ : tuple of TreeHypothesis
    evaluation_ : Evaluation
    release_ : Release
    hypothesis_ : TreeEnsemble, or LabelEnsemble with a list of labels
        The private output; may be published.
    guarantee_ : Guarantee
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of str, where ``fit`` met names

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input and all settings, neighbours
        replace one record, n public. Claim ``boosting.privacy``.
    Accuracy : no bound before data; ``certificate`` and ``required_samples`` refuse. With a
        ``holdout``, ``evaluation_.certificate(beta)`` bounds the error on new records.

    Raises
    ------
    ParameterError
        If a public parameter is out of range.
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
    array([[0.96, 0.04]])

    Several labels:

    >>> B = BoostedTrees(schema, labels=["a", "b", "c"], epsilon=4, rounds=8, random_state=0)
    >>> B = B.fit(X, ["a", "c", "b", "c"] * 500)
    >>> B.predict([[28, 60], [50, 60], [80, 99]])
    array(['a', 'b', 'c'], dtype='<U1')
    >>> B.predict_proba([[28, 60]]).round(1)
    array([[0.9, 0. , 0.1]])
    """

    def __init__(
        self,
        schema: Any,
        *,
        epsilon: Any,
        delta: Any = 0,
        depth: int = 2,
        rounds: Any = "auto",
        step: Any = "auto",
        cap: Any = "auto",
        first_votes: Any = "auto",
        evaluate: Any = None,
        holdout: Any = None,
        labels: Any = None,
        classes: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.schema = schema
        self.epsilon = epsilon
        self.delta = delta
        self.depth = depth
        self.rounds = rounds
        self.step = step
        self.cap = cap
        self.first_votes = first_votes
        self.evaluate = evaluate
        self.holdout = holdout
        self.labels = labels
        self.classes = classes
        self.random_state = random_state

    @property
    def concept_class(self) -> BoostedTreeClass:
        """The public class of these parameters."""
        return BoostedTreeClass(self.schema, self.depth, self._rounds(), self.labels)


class Scorecard(_Boosted):
    r"""Learn a scorecard, privately: points for each bin and category, that add up to a risk.

    `BoostedTrees` of depth 1: each tree asks one question of one column, so the sum is a table of
    points, which a clerk can add up by hand, with a probability for each sum.

    Parameters
    ----------
    schema, epsilon, delta, rounds, step, cap, first_votes
        As for `BoostedTrees`.
    evaluate, holdout, labels, classes, random_state
        As for `BoostedTrees`.

    Attributes
    ----------
    points_ : dict of column to dict of cell to points
        At least 0; only columns that matter. ``base_`` is the margin of no points. With a list of
        labels the points of a cell, and the base, are a dict of label to int.
    trees_, evaluation_, release_, hypothesis_, guarantee_, classes_, n_features_in_
        As for `BoostedTrees`.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input and all settings, neighbours
        replace one record, n public. Claim ``boosting.privacy``.
    Accuracy : no bound before data, as for `BoostedTrees`.

    Raises
    ------
    ParameterError
        If a public parameter is out of range.
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

    def __init__(
        self,
        schema: Any,
        *,
        epsilon: Any,
        delta: Any = 0,
        rounds: Any = "auto",
        step: Any = "auto",
        cap: Any = "auto",
        first_votes: Any = "auto",
        evaluate: Any = None,
        holdout: Any = None,
        labels: Any = None,
        classes: Any = None,
        random_state: int | None = None,
    ) -> None:
        self.schema = schema
        self.epsilon = epsilon
        self.delta = delta
        self.rounds = rounds
        self.step = step
        self.cap = cap
        self.first_votes = first_votes
        self.evaluate = evaluate
        self.holdout = holdout
        self.labels = labels
        self.classes = classes
        self.random_state = random_state

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
