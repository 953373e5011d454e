"""scikit-learn estimators of boosted trees: ensembles and scorecards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from littlestone.classes import BoostedTreeClass, ScorecardClass, TreeEnsemble, TreeSum
from littlestone.classes.decision_trees import TreeHypothesis
from littlestone.data.sample import check_lengths
from littlestone.data.targets import Count, Periods, Quantity, event_and_time
from littlestone.errors import DataError, ParameterError, parameter_error
from littlestone.learners.base import Kind, declared, whole
from littlestone.learners.boosting.learner import Boosting
from littlestone.learners.boosting.values import HOLDOUT, Values
from littlestone.learners.release import both
from littlestone.learners.sklearn_base import (
    PrivateClassifier,
    PrivateEstimator,
    PrivateRegressor,
    check_scored,
)

if TYPE_CHECKING:
    from littlestone.privacy import Ledger

_OWN = ("concept_class", "resolution", "evaluation", "unit")  # of the learner alone


def _schema() -> Any:
    return declared(
        Kind("Schema", annotation="Schema"),
        "Public columns, bins and categories; more bins cost little.",
        kw_only=False,
    )


def _depth() -> Any:
    return declared(Kind("{1, 2, 3}", annotation="Literal[1, 2, 3]"), "Of each tree.", default=2)


class _OfTrees(PrivateEstimator):
    """The parameters of sums of trees, and what fitted ones say of themselves."""

    schema: Any = _schema()
    rounds: Any = declared(
        Kind('int or "auto"', annotation='int | Literal["auto"]'),
        'Number of trees; ``"auto"`` takes it from n * epsilon and the number of splits.',
        default="auto",
    )
    evaluate: Any = declared(
        Kind("float", annotation="Number | None"),
        "Amount of epsilon for an evaluation, ``evaluation_``.",
        default=None,
    )
    holdout: Any = declared(
        Kind("float in (0, 1)", annotation="Number | None"),
        "Proportion of the records, or users, to hold out for the evaluation; with an interval "
        "0.2 by default.",
        default=None,
    )
    interval: Any = declared(
        Kind("float in (0, 1)", annotation="Number | None"),
        "Coverage of prediction sets of labels, or of prediction intervals, on new records, for "
        "example 0.9: calibrated on held-out records, for what ``evaluate`` leaves of epsilon.",
        default=None,
    )
    hypothesis_: TreeEnsemble | TreeSum

    def _extra(self) -> dict[str, Any]:
        interval = getattr(self, "interval", None)
        share = self.holdout or (None if interval is None else HOLDOUT)
        return {"evaluate": self.evaluate, "holdout": share, "interval": interval}

    @property
    def trees_(self) -> tuple[TreeHypothesis, ...]:
        """The drawn trees."""
        check_is_fitted(self, "hypothesis_")
        return self.hypothesis_.trees

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """How far each column moves the sum, as shares of all: from the trees alone."""
        check_is_fitted(self, "hypothesis_")
        concepts, model = self._bound_class(), cast(Any, self.hypothesis_)
        if model.target is not None:
            effects = [model.effects(concepts.asked)]  # of a time also those of the period
        else:
            effects = list(model.effects(concepts.schema).values())
        found = dict.fromkeys(concepts.schema.names, 0.0)
        for own in effects:
            for name in found.keys() & own:
                found[name] += max(own[name].values()) - min(own[name].values())
        moved = np.array(list(found.values()))
        return moved / (moved.sum() or 1)


class _Boosted(_OfTrees, PrivateClassifier):
    """What both classifiers share."""

    labels: Any = declared(
        Kind("sequence of int or str", annotation="Sequence[int] | Sequence[str] | None"),
        "Public labels, if they are not 0 and 1: each tree then votes for one of them.",
        default=None,
    )
    hypothesis_: TreeEnsemble

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
            for it: near 0.5 the label of ``predict``, whose error was measured, may be the other.
        """
        check_is_fitted(self, "hypothesis_")
        return both(self.hypothesis_.probability(self._rows(X)))

    def predict_set(self, X: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return which labels are in the set of each row: of votes near the most.

        Parameters
        ----------
        X : array-like, as for ``fit``

        Returns
        -------
        ndarray of bool, shape (n_samples, n_classes)
            Columns as in ``classes_``. The predicted label is in every set.

        Guarantee
        ---------
        The set of a new record holds its label with probability ``interval`` or more, if the record
        is exchangeable with the held-out ones and has a listed label (claim
        ``conformal.marginal``); of a new user, one record that is drawn. ``release_.interval``
        says which share of all new ones is covered, except with a small probability.

        Examples
        --------
        >>> import littlestone as ls
        >>> schema = ls.Schema.from_dict({"age": {"bins": [30]}})
        >>> B = BoostedTrees(schema, epsilon=2, rounds=6, interval=0.9, random_state=0)
        >>> B = B.fit([[25], [70]] * 1000, ([0, 1] * 4 + [0, 0]) * 200)
        >>> B.predict_set([[25], [70]])
        array([[ True, False],
               [ True,  True]])
        """
        check_is_fitted(self, "hypothesis_")
        return self.hypothesis_.sets(self._rows(X))


class BoostedTrees(_Boosted, learner=Boosting, without=_OWN):
    r"""Learn a sum of small decision trees, with probabilities, privately.

    Boosting in which each tree is drawn exactly, by the exponential mechanism over all trees of
    one depth; no record ever weighs more than a public cap.

    Attributes
    ----------
    trees_ : tuple of TreeHypothesis
    evaluation_ : Evaluation
        With ``evaluate``: accuracy, ROC curve, calibration, recalibrated probabilities.
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

    depth: int = _depth()

    @property
    def concept_class(self) -> BoostedTreeClass:
        """The public class of these parameters."""
        return BoostedTreeClass(self.schema, self.depth, self.rounds, self.labels)


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

    monotonic_cst: Any = declared(
        Kind("dict of str to {1, -1}", annotation="Mapping[str, int] | None"),
        "Columns of numbers or dates in which the risk must not decrease (1) or must not increase "
        "(-1); for the labels 0 and 1. Costs no epsilon.",
        default=None,
    )

    @property
    def concept_class(self) -> ScorecardClass:
        """The public class of these parameters."""
        return ScorecardClass(self._columns, self.rounds, self.labels)

    @property
    def _columns(self) -> Any:
        """The schema, with the order of its columns."""
        if self.monotonic_cst is None:
            return self.schema
        return self.schema.monotone(self.monotonic_cst, type(self).__name__)

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


class _BoostedRegressor(_OfTrees, PrivateRegressor):
    """What both regressors share."""

    low: Any = declared(
        Kind("float", annotation="Number"),
        "Public: the lowest value of the target; lower values are set to it. Not for counts, "
        "which begin at 0.",
        default=0,
    )
    high: Any = declared(
        Kind("float", annotation="Number"),
        "Public: the highest value of the target, from general knowledge. A range that is ten "
        "times too wide costs little.",
    )
    cells: Any = declared(
        whole(1),
        "Public: number of cells of the range of a quantity; values are rounded to their ends.",
        default=10_000,
    )
    hypothesis_: TreeSum

    def predict_interval(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the two ends of an interval for each row.

        Parameters
        ----------
        X : array-like or table, as for ``fit``

        Returns
        -------
        ndarray of shape (n_samples, 2)

        Guarantee
        ---------
        The value of a new record, within ``low`` and ``high``, is in its interval with probability
        ``interval`` or more, if it is exchangeable with the held-out ones (claim
        ``conformal.marginal``); of a new user, one record that is drawn. ``release_.interval``
        says which share of all new ones is covered, except with a small probability.

        Examples
        --------
        >>> import littlestone as ls
        >>> schema = ls.Schema.from_dict({"age": {"bins": [30]}})
        >>> B = BoostedTreesRegressor(schema, epsilon=2, high=200, interval=0.9, random_state=0)
        >>> B = B.fit([[25], [70]] * 1000, [20 + i % 9 for i in range(2000)])
        >>> B.predict_interval([[25]]).round().tolist()
        [[20.0, 29.0]]
        """
        check_is_fitted(self, "hypothesis_")
        return self.hypothesis_.interval(self._rows(X))

    @property
    def _target(self) -> Quantity | Count:
        if isinstance(self.loss, str) and self.loss == "poisson":
            if self.low != 0:
                rule = 'left out with loss="poisson": counts begin at 0'
                raise parameter_error(type(self).__name__, "low", rule, self.low)
            return Count(self.high)
        return Quantity(self.low, self.high, self.cells)

    @property
    def effects_(self) -> dict[str, dict[str, float]]:
        """What each column adds, cell by cell: a mean over the public cells of the others."""
        check_is_fitted(self, "hypothesis_")
        return self.hypothesis_.effects(self._bound_class().schema)


class BoostedTreesRegressor(
    _BoostedRegressor, learner=Values, without=_OWN, defaults={"loss": "huber"}
):
    r"""Learn a sum of small decision trees for a quantity or a count, privately.

    Boosting in which each tree is drawn exactly, by the exponential mechanism over all trees of
    one depth, for any loss with a bounded gradient: means, medians, quantiles, counts.

    Attributes
    ----------
    trees_ : tuple of TreeHypothesis
    effects_ : dict of column to dict of cell to float
    evaluation_ : QuantityEvaluation
        With ``evaluate``: ``.mae``, ``.rmse``, ``.r2``; of counts ``.deviance``; of quantiles
        ``.pinball``, ``.coverage``. ``.predicted_observed``: what was observed by prediction.
    release_ : Release
    hypothesis_ : TreeSum
        The private output; may be published.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input and all settings, when one
        record is replaced; with ``user=`` or ``groups=``, when all records of a user are. The
        number of records, or of users, is public. Claims ``boosting.round``, ``boosting.units``.
    Accuracy : no bound before data; ``certificate`` and ``required_samples`` refuse.

    Raises
    ------
    DataError
        If a target of an array is no finite number (names column and rule only).

    Notes
    -----
    Cost: for each tree, counts of all pairs of codes (depth 2) on the distinct rows. The rows are
    read into memory.

    References
    ----------
    .. [1] docs/boosting.md (the proof); Bun, Carmosino and Sorrell 2020 (smooth weights).

    Examples
    --------
    >>> import littlestone as ls
    >>> schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}, "pulse": {"bins": [80]}})
    >>> X = [[25, 70], [70, 95], [45, 70], [65, 90]] * 1000
    >>> cost = [100, 900, 300, 900] * 1000
    >>> B = BoostedTreesRegressor(schema, epsilon=2, delta=1e-6, high=2000, random_state=0)
    >>> B.fit(X, cost).predict([[28, 60], [50, 60], [80, 99]]).round(-2)
    array([100., 300., 900.])

    Users with several records each, and counts:

    >>> visits, patients = [1, 6, 2, 6] * 1000, [i // 4 for i in range(4000)]
    >>> B = BoostedTreesRegressor(
    ...     schema, epsilon=2, delta=1e-6, loss="poisson", high=30, random_state=0)
    >>> B.fit(X, visits, groups=patients).release_.n
    1000
    """

    depth: int = _depth()

    @property
    def concept_class(self) -> BoostedTreeClass:
        """The public class of these parameters."""
        return BoostedTreeClass(self.schema, self.depth, self.rounds, target=self._target)


class ScorecardRegressor(
    _BoostedRegressor, learner=Values, without=_OWN, defaults={"loss": "huber"}
):
    r"""Learn a scorecard for a quantity or a count, privately: what each cell adds.

    `BoostedTreesRegressor` of depth 1: each tree asks one question of one column, so a prediction
    is a base and one number for each column (of a count: the logarithm of it).

    Attributes
    ----------
    effects_ : dict of column to dict of cell to float
        What each cell adds, on the mean over the cells of a column nothing.
    trees_, release_, hypothesis_
        As for `BoostedTreesRegressor`.

    Guarantee
    ---------
    Privacy : as for `BoostedTreesRegressor`. Claims ``boosting.round``, ``boosting.units``.
    Accuracy : no bound before data.

    Raises
    ------
    DataError
        If a target of an array is no finite number (names column and rule only).

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
    >>> S = ScorecardRegressor(schema, epsilon=2, delta=1e-6, high=100, random_state=0)
    >>> S = S.fit([[25], [70], [45]] * 500, [10, 50, 30] * 500)
    >>> {cell: round(change) for cell, change in S.effects_["age"].items()}["age >= 60"]
    19
    """

    @property
    def concept_class(self) -> ScorecardClass:
        """The public class of these parameters."""
        return ScorecardClass(self.schema, self.rounds, target=self._target)


class StepFunction:
    """The survival of one row: 1 before the first period ends, then what it is at each end."""

    def __init__(self, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> None:
        self.x, self.y = x, y

    def __call__(self, time: Any) -> npt.NDArray[np.float64]:
        """Return the survival at times, of the same shape."""
        places = np.searchsorted(self.x, np.asarray(time, dtype=np.float64), "right")
        return np.append(1.0, self.y)[places]


class BoostedTreesSurvival(
    _OfTrees, learner=Values, without=(*_OWN, "loss", "quantile", "interval")
):
    r"""Learn the time until an event, privately: hazards in public periods, by sums of trees.

    A person brings a row for each period at risk and is one unit, paid for once. The trees ask the
    columns and the period, and raise or lower the log-odds of the event in it.

    Attributes
    ----------
    unique_times_ : ndarray of shape (n_periods,)
        The ends of the periods.
    trees_ : tuple of TreeHypothesis
    evaluation_ : SurvivalEvaluation
        With ``evaluate``: ``.concordance``, ``.calibration`` by periods, ``.groups`` by risk.
    release_ : Release
    hypothesis_ : TreeSum
        The private output; may be published.

    Guarantee
    ---------
    Privacy : (epsilon, delta)-differential privacy for every input and all settings, when one
        record is replaced; with ``user=`` or ``groups=``, when all records of a user are. Claim
        ``boosting.units``.
    Accuracy : no bound before data.

    Raises
    ------
    DataError
        If the target of arrays is not a structured array of an event and a time.

    Notes
    -----
    Cost: as `BoostedTreesRegressor`, for a row for each period at risk.

    References
    ----------
    .. [1] docs/boosting.md (the proof); hazards in discrete time: Cox 1972, section 6.

    Examples
    --------
    >>> import littlestone as ls
    >>> schema = ls.Schema.from_dict({"age": {"bins": [30, 60]}})
    >>> X, months = [[25], [70], [45]] * 500, [30.0, 5.0, 15.0] * 500
    >>> y = np.array([(True, t) for t in months], dtype=[("died", bool), ("months", float)])
    >>> S = BoostedTreesSurvival(
    ...     schema, [12, 24, 36], epsilon=4, delta=1e-6, random_state=0).fit(X, y)
    >>> S.predict_survival_function([[20], [90]], return_array=True)[:, 0].round(1)
    array([0.9, 0.3])
    >>> young, old = S.predict_survival_function([[20], [90]])
    >>> old([0, 11.9, 12]).round(1)
    array([1. , 1. , 0.3])
    >>> bool(np.diff(S.predict([[20], [90]]))[0] > 0)
    True
    """

    schema: Any = _schema()
    periods: Any = declared(
        Kind("sequence of float", annotation="Sequence[float]"),
        "Public: the ends of the periods, increasing; nothing is predicted beyond the last one.",
        kw_only=False,
    )
    event_is: Any = declared(
        Kind("int or str", annotation="int | str"),
        "The cell of a table that means an event, for example 2 in R's data.",
        default=1,
    )
    depth: int = _depth()
    hypothesis_: TreeSum

    @property
    def concept_class(self) -> BoostedTreeClass:
        """The public class of these parameters."""
        target = Periods(self.periods, self.event_is)
        return BoostedTreeClass(self.schema, self.depth, self.rounds, target=target)

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        time: str | None = None,
        event: str | None = None,
        user: str | None = None,
        groups: Any = None,
        ledger: Ledger | None = None,
        **other: Any,
    ) -> Self:
        """Learn from arrays, ``fit(X, y)``, or a table, ``fit(table, time="t", event="died")``.

        Parameters
        ----------
        X : array-like of shape (n, n_features), or a table
        y : structured array of shape (n,)
            A boolean field, whether the event was seen, and a field of times, as
            ``sksurv.util.Surv`` makes it.
        time, event : str
            Columns of a table: the time, and 1 (or true) where the event ended it.
        user, groups, ledger
            As for the other estimators.
        """
        named = time is not None
        if named != (event is not None) or (named and y is not None) or isinstance(y, str):
            raise ParameterError(
                f"{type(self).__name__} reads arrays, fit(X, y), or a table, "
                'fit(table, time="months", event="died").'
            )
        how = {"user": user, "groups": groups, "ledger": ledger}
        return self._guarded(X, y if time is None else time, other, **how, event=event)

    def _targets(self, y: Any) -> npt.NDArray[np.int64]:
        """Return the codes of times and events."""
        target = self.concept_class.target
        assert target is not None
        return target.of_array(y, type(self).__name__)

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return a risk of each row: minus the logarithm of its survival of all periods."""
        check_is_fitted(self, "hypothesis_")
        found: npt.NDArray[np.float64] = self.hypothesis_.predict(self._rows(X))
        return found

    def predict_survival_function(self, X: Any, *, return_array: bool = False) -> npt.NDArray[Any]:
        """Return the survival of each row, as a step function of the time; or an array of it.

        As in scikit-survival: with ``return_array`` the probability that nothing has happened at
        the end of each period, of shape (n, n_periods); else n functions of a time.
        """
        check_is_fitted(self, "hypothesis_")
        survival = self.hypothesis_.survival(self._rows(X))
        if return_array:
            return survival
        functions = np.empty(len(survival), dtype=object)
        for row, y in enumerate(survival):
            functions[row] = StepFunction(self.unique_times_, y)
        return functions

    def score(self, X: Any, y: Any) -> float:
        """Return the exact concordance on the records given here: NOT private about *them*.

        Of all pairs in which the one with the shorter time had the event, the share in which it has
        the higher risk; equal risks count half. ``y`` as for ``fit``.
        """
        check_scored(y)
        event, time = event_and_time(y, type(self).__name__)
        risk = self.predict(X)
        check_lengths(type(self).__name__, len(risk), y=len(time))
        return concordance(risk, event, time)

    @property
    def unique_times_(self) -> npt.NDArray[np.float64]:
        """The ends of the periods."""
        check_is_fitted(self, "hypothesis_")
        return np.array([float(end) for end in self.hypothesis_.target.ends])


def concordance(
    risk: npt.NDArray[np.float64], event: npt.NDArray[np.bool_], time: npt.NDArray[np.float64]
) -> float:
    """Return the concordance of Harrell, from the longest time on."""
    rank = np.unique(risk, return_inverse=True)[1]
    later = np.zeros(len(rank), dtype=np.int64)  # how many of each rank
    right = pairs = 0.0
    order = np.argsort(time, kind="stable")
    for group in reversed(np.split(order, np.flatnonzero(np.diff(time[order])) + 1)):
        ended = event[group]
        np.add.at(later, rank[group[~ended]], 1)  # not seen to end: later than equal times
        own, below = rank[group[ended]], np.cumsum(later)
        right += float((below[own] - later[own] / 2).sum())
        pairs += float(len(own) * below[-1])
        np.add.at(later, own, 1)
    if not pairs:
        raise DataError(
            "score needs a record with an event, and another record with a longer time."
        )
    return right / pairs
