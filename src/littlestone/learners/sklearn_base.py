"""The scikit-learn estimators that all estimators of the library derive from.

Arrays, labels and users that ``fit`` is given are secret; parameters, messages and everything that
a fitted estimator holds are public.
"""

from __future__ import annotations

import inspect
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import Field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_array,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from littlestone.classes import check_class
from littlestone.data import read_points
from littlestone.data.cells import BINARY, equal, float_users
from littlestone.data.domains import by_name, named_frame, own_cells
from littlestone.data.sample import check_lengths, count
from littlestone.data.targets import TargetSample, is_sample
from littlestone.errors import (
    DataError,
    NotPrivateWarning,
    ParameterError,
    UnsupportedError,
    check_integer,
    parameter_error,
)
from littlestone.learners.base import (
    Kind,
    Learner,
    check_two_labels,
    complete,
    declared,
    no_argument,
    warn_of_sums,
    warn_of_weakness,
)
from littlestone.learners.release import Release, is_table, secret_n
from littlestone.learners.running import AnySample, certificate_of, read_sample, run
from littlestone.notebooks import Card, Table, rows_of
from littlestone.privacy import Guarantee, Ledger
from littlestone.source import SecureSource, SeededSource, Source

if TYPE_CHECKING:
    from littlestone.bounds import Unit
    from littlestone.types import Json


class UnpaidError(UnsupportedError, AttributeError):
    """An attribute that this fit has not paid for, as ``hasattr`` and ``dir`` expect it."""


class PrivateEstimator(BaseEstimator, ABC):
    """A scikit-learn estimator around a `Learner`: ``class NameLearner(..., learner=Name)``.

    Reads records, draws at one source, keeps public results. ``__init__`` and
    ``set_params`` only store; ``fit``, ``plan``, ``certificate`` and ``required_samples`` build the
    learner from the parameters, which checks them, before any data are looked at.

    Cells of a schema are converted by the public rules of its columns: missing and
    unseen ones have codes of their own. Other arrays are read strictly: labels and points outside
    the public domain are refused; such a refusal names column and rule only, but it is outside the
    privacy guarantee. A table is read by public rules, and nothing in it is refused.
    """

    concept_class: Any
    random_state: Any
    _learner: ClassVar[type[Learner[Any]]]
    #: Parameters of the estimator that its learner does not have.
    _shell: ClassVar[dict[str, Field[Any]]] = {
        "random_state": declared(
            Kind("None or int", annotation="int | None"),
            "None uses the operating system's randomness. An int is reproducible and NOT private.",
            default=None,
        ),
    }

    def __init_subclass__(
        cls,
        *,
        learner: type[Learner[Any]] | None = None,
        without: Sequence[str] = (),
        defaults: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Give a class the parameters of its learner; see the class.

        Those named in ``without`` are none, and ``defaults`` replace those of the fields. A class
        may have further parameters, `declared` in its body.
        """
        super().__init_subclass__(**kwargs)
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Field)}
        for name in own:
            delattr(cls, name)
        for base in cls.__mro__:
            for name, each in vars(base).get("_shell", {}).items():
                own.setdefault(name, each)
        cls._shell = own
        if learner is None:
            return
        cls._learner = learner
        of_learner = {
            each.name: each
            for each in fields(learner)  # type: ignore[arg-type]
            if each.name not in without and "kind" in each.metadata
        }
        for name, default in (defaults or {}).items():
            of_learner[name] = copy(of_learner[name])
            of_learner[name].default = default
        complete(cls, of_learner | {name: own[name] for name in own if name not in without})

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

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        x: str | Sequence[str] | None = None,
        user: str | None = None,
        groups: Any = None,
        ledger: Ledger | None = None,
        evaluate: Any = None,
        **other: Any,
    ) -> Self:
        """Learn one hypothesis from labelled records and release it.

        Warns
        -----
        NotPrivateWarning
            Before anything is drawn: epsilon is above 20; delta is at least 1/n; this is not the
            first fit of the process, and no ledger pays for it (said once; grid searches and
            cross-validation fit often: ``docs/guide/pitfalls.md``).
        """
        how = {"x": x, "user": user, "groups": groups, "ledger": ledger, "evaluate": evaluate}
        return self._guarded(X, y, other, **how)

    def _guarded(self, X: Any, y: Any, other: Mapping[str, Any], **how: Any) -> Self:
        """Fit, or change nothing; ``other`` are arguments that there are not."""
        for name in other:
            raise ParameterError(no_argument(type(self).__name__, name))
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, **how)
        except BaseException:  # a refused call changes nothing
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit(
        self,
        X: Any,
        y: Any,
        *,
        x: str | Sequence[str] | None = None,
        user: str | None = None,
        groups: Any = None,
        ledger: Ledger | None = None,
        evaluate: Any = None,
        event: str | None = None,
    ) -> Self:
        caller = type(self).__name__
        rule = self._rule() | ({} if event is None else {"event": event})
        source = self._source()
        check_class(caller, self.concept_class)
        unit = _unit(X, user, groups)
        learner = self._protecting(unit)  # checks the parameters before the data are looked at
        for name, users in (("user", user), ("groups", groups)):
            if users is not None and learner.unit == "records":
                raise ParameterError(
                    f"The {name!r} parameter of {caller} must be left out: this learner protects "
                    "records."
                )
        if secret_n(learner.neighbours) and not is_sample(X):
            raise ParameterError(
                f"{caller} takes a littlestone.data.Sample under add-remove: arrays and tables "
                "reveal how many records there are. Sample.read makes a Sample from a table, "
                "Sample.of from arrays."
            )
        columns: Json | None = None
        if isinstance(y, str):
            names = self._names(x)
            columns = {"x": names, "y": y} | {key: str(value) for key, value in rule.items()}
            columns |= self._user_column(learner, user)
            schema = learner.concept_class.row_schema
            if schema is not None and schema.csv is not None:
                columns["csv"] = str(schema.csv)
            self._met(len(names), names)
        elif is_sample(X):
            self._met(1 if X.points.ndim == 1 else int(X.points.shape[1]))
        else:
            groups = self._users(learner, groups)
            points = self._points(X, y)  # says how many columns there are
            learner = self._protecting(unit)
        _ = learner.plan  # refuses what cannot be learned (`feasible`)
        extra = self._extra() | ({} if evaluate is None else {"evaluate": evaluate})

        def read() -> Any:
            if columns is not None:
                rows = learner.concept_class.row_schema is not None
                where: Json = {"x": None if rows else columns["x"][0], "y": y} | rule
                return read_sample(learner, X, user=user, caller=caller, **where)
            if is_sample(X):
                return self._counted(learner, X, y)
            return self._sample(points, self._targets(y), groups, learner)

        def said(guarantee: Guarantee, n: int | None) -> None:
            warn_of_weakness(guarantee, n, stacklevel=7)
            if ledger is None and not source.seeded:  # a seeded release says itself: not private
                warn_of_sums(stacklevel=7)  # of fit's caller: fit, _guarded, _fit, run, said

        release = run(
            learner, read, source, ledger=ledger, columns=columns, data=X, said=said, **extra
        )
        return self.keep(release)

    def keep(self, release: Release, names: Sequence[str] | None = None) -> Self:
        """Hold a release: what ``fit`` learned, of columns with these names."""
        if names is not None:
            self._met(len(names), names)
        self.release_ = release
        self.hypothesis_ = release.hypothesis
        self.guarantee_ = release.guarantee
        self.certificate_ = release.certificate
        return self

    def _protecting(self, unit: Unit) -> Learner[Any]:
        """Return the learner; where its class leaves the unit open, it is that of the data."""
        learner = self.to_learner()
        if any(each.name == "unit" for each in fields(learner)):  # type: ignore[arg-type]
            return replace(learner, unit=unit)  # type: ignore[type-var]
        return learner

    def _rule(self) -> Json:
        """Return the public rule of labels in tables."""
        return {}

    @abstractmethod
    def _targets(self, y: Any) -> npt.NDArray[np.int64]:
        """Return the codes of labels or targets of arrays."""

    def _extra(self) -> dict[str, Any]:
        """Return what `run` is asked for besides the hypothesis."""
        return {}

    def _sample(
        self, X: Any, y: npt.NDArray[np.int64], groups: Any, learner: Learner[Any]
    ) -> AnySample:
        """Return what the learner learns from, read strictly."""
        domain, caller = learner.concept_class.domain, type(self).__name__
        points = domain.array(X, caller=caller)
        if issubclass(learner.reads, TargetSample):
            return learner.reads.from_arrays(points, y, groups, caller=caller)
        check_lengths(caller, len(points), y=len(y))
        concepts = learner.concept_class
        return count(points, y, len(concepts.labels) if concepts.lists_labels else None)

    def _counted(self, learner: Learner[Any], sample: Any, y: Any) -> AnySample:
        """Return a sample that is counted already, of the kind that the learner protects."""
        if y is not None or sample.unit != learner.unit or not isinstance(sample, learner.reads):
            kind = learner.reads.__name__
            raise ParameterError(
                f"{type(self).__name__} protects {learner.unit}: give fit a {kind} and no y, "
                "because the labels are in it."
            )
        return TargetSample.grouped(sample) if learner.reads is TargetSample else sample

    def _names(self, x: str | Sequence[str] | None) -> list[str]:
        """Return the columns of a table that are read."""
        caller, schema = type(self).__name__, self.concept_class.row_schema
        if schema is not None:
            if x is not None:
                rule = "left out with a schema, whose columns are read"
                raise parameter_error(caller, "x", rule, x)
            if not schema.bound:
                hint = "Write a schema whose columns have names, or give fit arrays."
                raise parameter_error(caller, "x", "columns of the schema", x, hint)
            return list(schema.names)
        names: list[Any] = list(x) if isinstance(x, list | tuple) else [x]
        if len(names) != 1 or not isinstance(names[0], str):
            hint = f"Give x=..., the column of points for {self.concept_class.spec}."
            raise parameter_error(caller, "x", "the name of one column", x, hint)
        return names

    def _user_column(self, learner: Learner[Any], user: str | None) -> Json:
        """Return the public names about users, where users are protected."""
        if learner.unit == "records":
            return {}
        if user is None:
            raise ParameterError(
                f"{type(self).__name__} protects users: give user=..., the column that names a "
                "record's user."
            )
        most = getattr(learner, "samples_per_user", None)
        return {"user": user} | ({} if most is None else {"samples_per_user": most})

    def _users(self, learner: Learner[Any], groups: Any) -> Any:
        """Check the users of arrays: integers or texts, one for each record."""
        caller = type(self).__name__
        if learner.unit == "records":
            return None
        if groups is None:
            raise DataError(
                f"{caller} protects users: call fit(X, y, groups=users), the user of each record; "
                "without users, AgnosticLearner protects single records."
            )
        named = groups if isinstance(groups, list | tuple) else np.asarray(groups)
        if np.asarray(named, dtype=object).ndim != 1:
            raise DataError(f"The groups given to {caller} must name one user for each record.")
        dtype = getattr(named, "dtype", np.dtype(object))  # of a list each name is read alone
        kinds = map(type, named) if dtype.kind == "O" else [dtype.type]
        if any(issubclass(kind, float | complex | np.inexact) for kind in kinds):
            raise float_users("The groups", caller)
        return named

    def save(self, path: str | Path) -> None:
        """Write the release as a model file (JSON); `littlestone.load` reads it."""
        check_is_fitted(self, "release_")
        self.release_.save(path)

    def _bound(self) -> dict[str, Any]:
        """Return the parameters that depend on how many columns ``fit`` has met."""
        return {"concept_class": self._bound_class()}

    def _bound_class(self) -> Any:
        """Return the class, over as many columns as ``fit`` has met (`Schema.every_column`)."""
        concept_class, width = self.concept_class, getattr(self, "n_features_in_", None)
        if width is None or not hasattr(concept_class, "bind"):
            return concept_class
        return concept_class.bind(width)

    @property
    def evaluation_(self) -> Any:
        """What the released evaluation says."""
        check_is_fitted(self, "hypothesis_")
        found = self.release_.measured
        if found is None:
            raise UnpaidError(
                f"This {type(self).__name__} has no evaluation: fit it with evaluate=E, a part of "
                "epsilon."
            )
        return found

    def _rows(self, X: Any) -> Any:
        """Return arrays, or the columns of a table, as the hypothesis reads them."""
        if self.release_.columns is not None and is_table(X):
            domain = self.release_.concept_class.domain
            return read_points(X, domain=domain, caller=type(self).__name__)[0]
        return self._codes(X)

    def _codes(self, X: Any) -> Any:
        """Return arrays as the hypothesis reads them."""
        _warn_where_scored()
        concept_class = self._bound_class()
        if concept_class.row_schema is not None:
            _check_shape(X)
            X = self._read_rows(X, reset=False)
        elif hasattr(self, "feature_names_in_"):
            X = by_name(X, self.feature_names_in_.tolist(), type(self).__name__)
        return concept_class.domain.array(X, caller=type(self).__name__)

    def certificate(self, n: int) -> Any:
        """Return the accuracy certificate for n records, without any data."""
        n = check_integer(type(self).__name__, "n", n, low=1)
        return certificate_of(self.to_learner(), n)

    def required_samples(self) -> int:
        """Return the least n from which on the certificate always holds: records, or users."""
        return self.to_learner().required_samples()

    def _source(self) -> Source:
        if self.random_state is None:
            return SecureSource()
        caller = type(self).__name__
        hint = (
            "None uses the operating system's randomness; an int is reproducible and NOT private."
        )
        return SeededSource(
            check_integer(caller, "random_state", self.random_state, low=0, hint=hint)
        )

    def _points(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Any:
        """Let scikit-learn check what it can check about rows, and count the columns."""
        if y is None:
            raise DataError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y "
                'is None. Give fit(X, y), or fit(table, y="the name of its label column").'
            )
        if self.concept_class.row_schema is not None:
            _check_shape(X)
            # Not y: what scikit-learn says of complex labels quotes them. See `_column`.
            rows = self._read_rows(X, reset=True)
            lengths = [len(rows), _check_length(y)]
            if lengths[0] != lengths[1]:
                raise DataError(
                    f"Found input variables with inconsistent numbers of samples: {lengths}. Give "
                    "one label for each record."
                )
            return rows
        if _check_length(y) == 0:
            raise DataError(
                f"The data given to {type(self).__name__} must have at least one record."
            )
        frame = named_frame(X)
        shape = np.shape(X) if isinstance(X, np.ndarray) or frame is not None else ()
        names = None if frame is None else frame.columns
        self._met(int(shape[1]) if len(shape) > 1 else 1, names)
        return X

    def _met(self, columns: int, names: Sequence[str] | None = None) -> None:
        """Say how many columns ``fit`` has met, and what they are called, as scikit-learn does."""
        self.n_features_in_ = columns
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def _read_rows(self, X: Any, *, reset: bool) -> Any:
        """Return rows whose cells keep their own types: no cell retypes the others.

        Columns of a schema that names them are found by their names in a data frame.
        """
        schema = self.concept_class.domain.schema
        named_frame(X)  # refuses names that are there twice
        if schema.bound:
            X = by_name(X, schema.names, type(self).__name__)
            if not reset and not hasattr(self, "feature_names_in_"):
                X = own_cells(X)  # they are in the schema's order, so scikit-learn need not warn
        width = getattr(X, "shape", (0, len(schema)))[-1]
        if schema.bound and not reset and width != len(schema):
            raise DataError(
                f"X has {width} features, but {type(self).__name__} is expecting {len(schema)} "
                f"features as input: {', '.join(schema.names)}."
            )
        try:
            validate_data(self, X, reset=reset, skip_check_array=True)  # names, number of columns
            return check_array(own_cells(X), dtype=None, ensure_all_finite=False, estimator=self)
        except ValueError as problem:
            raise DataError(str(problem)) from None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.two_d_array = True
        tags.input_tags.allow_nan = True  # a schema has a public code for missing cells
        tags.input_tags.string = tags.input_tags.categorical = True  # a schema has categories
        return tags

    def _get_params_html(self, *args: Any, **options: Any) -> Any:
        """Let scikit-learn read our docstring now; it would warn of our sections, once."""
        found = super()._get_params_html(*args, **options)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Unknown section", UserWarning)
            found._repr_mimebundle_()
        return found

    def _shown(self) -> Card:
        """Return what is shown in a notebook: the parameters, and what was released."""
        name = type(self).__name__
        lines = [(key, repr(value)) for key, value in self.get_params(deep=False).items()]
        if not hasattr(self, "release_"):
            table = Table(("parameter", "value"), rows_of(lines))
            return Card(f"{name}: nothing is learned yet", [], table)
        table = Table(("parameter", "value"), rows_of(lines), "Parameters")
        shown = self._shown_release()
        return Card(shown.title, shown.lines, table)

    def _repr_html_(self) -> str:
        """Return HTML for notebooks; scikit-learn's needs scripts."""
        return self._shown().html()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def summary(self) -> str:
        """Return what was released, in a few lines: rule, guarantee, certificate, evaluation."""
        check_is_fitted(self, "release_")
        return self._shown_release().text()

    def __str__(self) -> str:
        return self.summary() if hasattr(self, "release_") else repr(self)

    def _shown_release(self) -> Card:
        return self.release_.card(f"{type(self).__name__} on {self.release_.concept_class.spec}")

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        text: str = super().__repr__(N_CHAR_MAX)
        return text if self.random_state is None else f"{text}  # NOT PRIVATE (seeded)"


class PrivateClassifier(ClassifierMixin, PrivateEstimator):
    """A scikit-learn classifier around a `Learner`.

    The classes are public (``classes``, the second one is the positive one) and are never learned
    from the data.
    """

    classes: Any
    _shell: ClassVar[dict[str, Field[Any]]] = {
        "classes": declared(
            Kind("(negative, positive)"),
            "Public labels, by default those of the class, (0, 1); never learned from the data.",
            default=None,
        ),
        **PrivateEstimator._shell,
    }

    def _fit(self, X: Any, y: Any, **how: Any) -> Self:
        self._public_classes()  # refused before anything is read
        return super()._fit(X, y, **how)

    def keep(self, release: Release, names: Sequence[str] | None = None) -> Self:
        """Hold a release: what ``fit`` learned, of columns with these names."""
        self.classes_ = classes = self._public_classes()
        first, second = classes.tolist()[:2]
        own = (first, second) != BINARY or isinstance(first, bool)
        if own and not self._lists_labels and isinstance(first, int | str):
            release = replace(release, names=(first, second))
        return super().keep(release, names)

    def _rule(self) -> Json:
        """Return which label means 1, unless they are listed."""
        return {} if self._lists_labels else {"positive": self._public_classes()[1].item()}

    def _targets(self, y: Any) -> npt.NDArray[np.int64]:
        """Return the codes of labels."""
        labels, classes = _column(y), self._public_classes()
        codes = np.full(len(labels), -1, dtype=np.int64)
        for code, label in enumerate(classes):
            codes[equal(labels, label)] = code
        if (codes < 0).any():
            raise _no_classes(type(self).__name__, labels, classes)
        return codes

    @property
    def _lists_labels(self) -> bool:
        """Whether the class has a list of labels of its own."""
        return bool(getattr(self.concept_class, "lists_labels", False))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Label points by the released hypothesis."""
        check_is_fitted(self, "hypothesis_")
        if self.release_.columns is not None and is_table(X):
            labels: npt.NDArray[Any] = self.release_.predict_codes(X)
        else:
            labels = self.hypothesis_.predict(self._codes(X))
        answer: npt.NDArray[Any] = self.classes_[labels.astype(np.intp)]
        return answer

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the exact accuracy on the records given here: NOT private about *them*.

        The first call in a process says so, by a `NotPrivateWarning`; so do `cross_val_score` and
        grid searches, by any ``scoring``.

        For public records. What was learned stays private whatever is scored; to publish the error
        on private records, see ``fit(..., evaluate=...)``.
        """
        check_scored(y)
        return float(super().score(X, y, sample_weight=sample_weight))

    def _public_classes(self) -> npt.NDArray[Any]:
        listed = getattr(self.concept_class, "labels", BINARY)
        classes = np.asarray(listed if self.classes is None else self.classes)
        if listed != BINARY:
            if classes.tolist() != list(listed):
                if not self._learner.multiclass:
                    check_two_labels(type(self).__name__, self.concept_class)
                raise parameter_error(
                    type(self).__name__, "classes", "left out where the class lists its labels",
                    self.classes, "That list determines the codes.",
                )  # fmt: skip
            return classes
        if classes.shape != (2,) or classes[0] == classes[1]:
            raise parameter_error(
                type(self).__name__, "classes", "two different labels (negative, positive)",
                self.classes, "Several labels are listed by the class, labels=[...].",
            )  # fmt: skip
        return classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        several = self._lists_labels and len(self.concept_class.labels) > 2
        tags.classifier_tags.multi_class = several and self._learner.multiclass
        tags.classifier_tags.poor_score = True
        return tags


class PrivateRegressor(RegressorMixin, PrivateEstimator):
    """A scikit-learn regressor around a `Learner`, whose class has a public target.

    Values outside the public range of the target count as its ends; of arrays what is no finite
    number is refused, of a table it is a record that says nothing.
    """

    def _targets(self, y: Any) -> npt.NDArray[np.int64]:
        """Return the codes of the target."""
        codes: npt.NDArray[np.int64]
        codes = self.concept_class.target.of_array(_column(y), type(self).__name__)
        return codes

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return what the released sum of trees says of each row."""
        check_is_fitted(self, "hypothesis_")
        found: npt.NDArray[Any] = self.hypothesis_.predict(self._rows(X))
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the exact R2 on the records given here: NOT private about *them*.

        The first call in a process says so, by a `NotPrivateWarning`.
        """
        check_scored(y)
        return float(super().score(X, y, sample_weight=sample_weight))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def _unit(X: Any, user: str | None, groups: Any) -> Unit:
    """Return what the data protect: the users that they name, or single records."""
    if is_sample(X):
        return X.unit
    return "records" if user is None and groups is None else "users"


def _column(y: Any) -> npt.NDArray[Any]:
    """Return labels or targets as one column; scikit-learn's own refusals may quote them."""
    given = np.asarray(y)
    if given.dtype.kind == "c":
        raise DataError("Complex data not supported: labels and targets are texts or real numbers.")
    if given.ndim == 2 and given.shape[1] != 1:
        raise DataError(
            f"y should be a 1d array, got an array of shape {given.shape} instead. Give one column."
        )
    return column_or_1d(y, warn=True)  # type: ignore[no-any-return]


def _check_length(y: Any) -> int:
    """Return how many labels there are, if they can be counted."""
    if not _is_relation(y):
        with suppress(TypeError):  # of one value, or of what is no array
            return len(y if hasattr(y, "__len__") else np.asarray(y))
    raise DataError(
        f"Expected one label for each record, got {type(y).__name__} instead. Give a list or an "
        "array; collect a lazy frame or a relation first."
    )


def _is_relation(X: Any) -> bool:
    """Return whether X is a table that is not in memory."""
    return hasattr(X, "__arrow_c_stream__") and not hasattr(X, "__array__")


def check_scored(y: Any) -> None:
    """Refuse the name of a column, and say once what a score is."""
    if isinstance(y, str):
        raise ParameterError(f"score takes the labels, not the name of their column: table[{y!r}].")
    _check_length(y)
    _warn_once()


def _warn_where_scored() -> None:
    """Say once what a score is, where scikit-learn's scorers and displays ask for answers.

    They call what everybody calls, so only the callers tell; a test fails if these are renamed.
    """
    frame = inspect.currentframe()
    for _ in range(6):  # the methods of an estimator that lead here
        frame = None if frame is None else frame.f_back
        if frame is not None and frame.f_globals.get("__name__") == "sklearn.utils._response":
            _warn_once()


@lru_cache(maxsize=1)
def _warn_once() -> None:
    warnings.warn(
        "score is exact, not private. That is right for public records. For private records spend "
        "a part of epsilon, fit(..., evaluate=0.1), or evaluate on other records by `littlestone "
        "score`. This warning is shown once.",
        NotPrivateWarning,
        stacklevel=4,
    )


def _no_classes(caller: str, labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> DataError:
    """Say what is wrong with labels, never which they are; partly in scikit-learn's own words."""
    public = classes.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the values
        try:
            check_classification_targets(labels)
            if len(classes) == 2 and len(np.unique(labels)) > 2:
                return DataError(
                    "Only binary classification is supported by this class. The labels must be "
                    f"the two public classes {public}. Trees, boosted trees and finite "
                    "classes take any labels, for example BoostedTrees(schema, labels=[...])."
                )
        except (ValueError, TypeError) as problem:
            if str(problem).startswith(("Unknown label type: ", "Input ")):
                hint = (
                    f"Labels are the public classes {public}; for quantities there are regressors."
                )
                return DataError(f"{problem} {hint}")
        except Exception:  # noqa: S110 - some object's own comparison: its words may quote it
            pass
    hint = (
        "Set classes=(negative, positive), or encode the labels"
        if len(classes) == 2
        else ("List them in the constructor of the class, labels=[...]")
    )
    return DataError(
        f"The labels given to {caller} must be among the public classes {public}. {hint}: the set "
        "of classes is not learned from the data."
    )


def _check_shape(X: Any) -> None:
    """Refuse what scikit-learn would refuse with a message that quotes the records."""
    if issparse(X):
        raise DataError("Sparse data was passed, but dense data is required: give X.toarray().")
    if isinstance(X, list | tuple):
        X = np.asarray(X, dtype=object)
    if _is_relation(X) or not (hasattr(X, "shape") or hasattr(X, "__array__")):
        raise DataError(
            f"Expected 2D array, got {type(X).__name__} instead. A table is read by the name of "
            'its label column, fit(table, y="label"). A model that was fitted on arrays takes '
            "arrays: collect a lazy frame or a relation first, and pass its columns."
        )
    if getattr(X, "ndim", 2) < 2:
        raise DataError(
            "Expected 2D array, got 1D array instead. Reshape your data: rows are records, columns "
            "are those of the public schema."
        )
    if getattr(getattr(X, "dtype", None), "kind", "") == "c":
        raise DataError("Complex data not supported: the cells of a schema are numbers or texts.")
