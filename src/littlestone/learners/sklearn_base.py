"""The scikit-learn classifier that all estimators of the library derive from.

Arrays, labels and users that ``fit`` is given are secret; parameters, messages and everything that
a fitted estimator holds are public.
"""

from __future__ import annotations

import warnings
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from littlestone.classes import check_class
from littlestone.data import RowDomain, Sample
from littlestone.data.sample import equal
from littlestone.errors import DataError, check_integer, parameter_error
from littlestone.learners.base import Learner
from littlestone.learners.release import known_loss, promise, run
from littlestone.privacy import Ledger, check_ledger
from littlestone.source import SecureSource, SeededSource, Source

__all__ = ["PrivateClassifier"]


class PrivateClassifier(ClassifierMixin, BaseEstimator):
    """A scikit-learn classifier around a `Learner`: ``class NameLearner(..., learner=Name)``.

    Reads arrays strictly, draws at one source, keeps public results. ``__init__`` and
    ``set_params`` only store; ``fit``, ``plan``, ``certificate`` and ``required_samples`` build the
    learner from the parameters, which checks them, before any data are looked at.

    The classes are public (``classes``, the second one is the positive one) and are never learned
    from the data. Strict reading refuses labels and points outside the public domain; such a
    refusal names column and rule only, but it is outside the privacy guarantee.
    """

    concept_class: Any
    classes: Any
    random_state: Any
    _learner: ClassVar[type[Learner[Any]]]

    def __init_subclass__(cls, *, learner: type[Learner[Any]] | None = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if learner is not None:
            cls._learner = learner

    def to_learner(self) -> Learner[Any]:
        """Return the `Learner` that ``fit`` runs, built from the parameters and so checked."""
        given = self.get_params(deep=False) | self._bound()
        own = {
            each.name: given[each.name]
            for each in fields(self._learner)  # type: ignore[arg-type]
            if each.name in given
        }
        return self._learner(**own)

    @property
    def plan(self) -> Any:
        """What ``fit`` will do, from public parameters only: ``plan.required``, ``plan.unit``."""
        return self.to_learner().plan

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, *, ledger: Ledger | None = None) -> Self:
        """Learn one hypothesis from labelled points and release it.

        Parameters
        ----------
        X : array-like of shape (n_samples,), (n_samples, 1) or (n_samples, n_columns)
            Points of the class's public domain.
        y : array-like of shape (n_samples,)
            Labels, each one of ``classes``.
        ledger : littlestone.Ledger, optional
            The budget of these records. The release is recorded in it before anything is drawn.

        Returns
        -------
        self

        Raises
        ------
        ParameterError, DataError, UnsupportedError
            Before anything is drawn.
        BudgetError, StoreError
            The ledger does not pay. Nothing was drawn; a `BudgetError` has spent nothing.
        """
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, ledger)
        except BaseException:  # a refused call changes nothing
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit(self, X: npt.ArrayLike, y: npt.ArrayLike, ledger: Ledger | None) -> Self:
        owner = type(self).__name__
        classes = self._public_classes()
        source = self._source()
        check_class(owner, self.concept_class)
        self.to_learner()  # checks the parameters before the data are looked at
        points = self._points(X, y)  # says how many columns there are
        learner = self.to_learner()
        guarantee = promise(learner, seeded=source.seeded)
        check_ledger(ledger, owner, guarantee, loss=known_loss(learner))
        sample = self._sample(points, self._labels(y, classes), learner)
        # All public arguments are checked: from here on there is no refusal but the ledger's.
        self.release_ = run(learner, sample, source, ledger=ledger)
        self.hypothesis_ = self.release_.hypothesis
        self.guarantee_ = self.release_.guarantee
        self.certificate_ = self.release_.certificate
        self.classes_ = classes
        return self

    def _sample(self, X: Any, y: npt.NDArray[np.int64], learner: Learner[Any]) -> Any:
        """Return what the algorithm learns from, read strictly."""
        domain = learner.concept_class.domain
        return Sample.from_arrays(X, y, domain=domain, owner=type(self).__name__)

    def _bound(self) -> dict[str, Any]:
        """Return the parameters that depend on how many columns ``fit`` has met."""
        return {"concept_class": self._bound_class()}

    def _bound_class(self) -> Any:
        """Return the class, over as many columns as ``fit`` has met (`Schema.every_column`)."""
        concept_class, width = self.concept_class, getattr(self, "n_features_in_", None)
        if width is None or not hasattr(concept_class, "bind"):
            return concept_class
        return concept_class.bind(width)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Label points by the released hypothesis.

        Parameters
        ----------
        X : array-like, as for ``fit``

        Returns
        -------
        ndarray of shape (n_samples,), with values in ``classes_``
        """
        check_is_fitted(self, "hypothesis_")
        owner = type(self).__name__
        domain = self._bound_class().domain
        if isinstance(domain, RowDomain):
            _check_shape(X)
            X = validate_data(self, X, reset=False, dtype=None)
        labels: npt.NDArray[Any] = self.hypothesis_.predict(domain.array(X, owner=owner))
        answer: npt.NDArray[Any] = self.classes_[labels.astype(np.intp)]
        return answer

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the exact accuracy on the records given here: NOT private about *them*.

        For public records. What was learned stays private whatever is scored; to publish the error
        on private records, see `littlestone.learners.release.run` and ``fit --estimate-error``.

        Parameters
        ----------
        X, y : array-like, as for ``fit``
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        return float(super().score(X, y, sample_weight=sample_weight))

    def certificate(self, n: int) -> Any:
        """Return the accuracy certificate for n records, without any data."""
        n = check_integer(type(self).__name__, "n", n, low=1)
        return self.to_learner().certificate(n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds: records, or users."""
        return self.to_learner().required_samples()

    def _public_classes(self) -> npt.NDArray[Any]:
        classes = np.asarray(self.classes)
        if classes.shape != (2,) or classes[0] == classes[1]:
            raise parameter_error(
                type(self).__name__,
                "classes",
                "two different labels (negative, positive)",
                self.classes,
            )
        return classes

    def _source(self) -> Source:
        if self.random_state is None:
            return SecureSource()
        owner = type(self).__name__
        hint = "None draws from the operating system; an int is reproducible and NOT private."
        return SeededSource(
            check_integer(owner, "random_state", self.random_state, low=0, hint=hint)
        )

    def _points(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Any:
        """Let scikit-learn check what it can check about rows, and count the columns."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                "is None."
            )
        if isinstance(self.concept_class.domain, RowDomain):
            _check_shape(X)
            # Not y: what scikit-learn says of complex labels quotes them. See `_labels`.
            rows = validate_data(self, X, dtype=None, ensure_min_samples=1)
            check_consistent_length(rows, y)
            return rows
        if len(y) == 0:  # type: ignore[arg-type]
            raise DataError(
                f"The data given to {type(self).__name__} must have at least one record."
            )
        shape = np.shape(X) if isinstance(X, np.ndarray) else ()
        self.n_features_in_ = int(shape[1]) if len(shape) > 1 else 1
        return X

    def _labels(self, y: npt.ArrayLike, classes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        if np.asarray(y).dtype.kind == "c":
            raise DataError("Complex data not supported: labels are among the public classes.")
        labels = column_or_1d(y, warn=True)
        positive = equal(labels, classes[1])
        if not np.all(positive | equal(labels, classes[0])):
            raise _no_classes(type(self).__name__, labels, classes)
        return positive.astype(np.int64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        tags.non_deterministic = True
        tags.input_tags.two_d_array = True
        tags.input_tags.string = tags.input_tags.categorical = True  # a schema has categories
        return tags

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text: str = super().__repr__(N_CHAR_MAX)
        return text if self.random_state is None else f"{text}  # NOT PRIVATE (seeded)"


def _no_classes(owner: str, labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> DataError:
    """Say what is wrong with labels, never which they are; partly in scikit-learn's own words."""
    public = classes.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the values
        try:
            check_classification_targets(labels)
            if len(np.unique(labels)) > 2:
                return DataError(
                    "Only binary classification is supported. The labels must be the two public "
                    f"classes {public}."
                )
        except (ValueError, TypeError) as problem:
            if str(problem).startswith(("Unknown label type: ", "Input ")):
                return DataError(str(problem))
        except Exception:  # noqa: S110 - some object's own comparison: its words may quote it
            pass
    return DataError(
        f"The labels given to {owner} must be among the public classes {public}. Set "
        "classes=(negative, positive), or encode the labels: the set of classes is not learned "
        "from the data."
    )


def _check_shape(X: Any) -> None:
    """Refuse what scikit-learn would refuse with a message that quotes the records."""
    if isinstance(X, list | tuple):
        X = np.asarray(X)
    if getattr(X, "ndim", 2) < 2:
        raise DataError(
            "Expected 2D array, got 1D array instead. Reshape your data: rows are records, columns "
            "are those of the public schema."
        )
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        raise DataError("Complex data not supported: the cells of a schema are numbers or texts.")
