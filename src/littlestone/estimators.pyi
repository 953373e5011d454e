"""Arguments of the estimators, as they are declared; written by tools/stub.py."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from littlestone.classes import ConceptClass
from littlestone.data import Schema
from littlestone.learners.boosting import estimators as _boosting
from littlestone.learners import estimators as _learners
from littlestone.learners.linear import estimators as _linear

Number = float | Fraction | Decimal | str

class AgnosticLearner(_learners.AgnosticLearner):
    def __init__(
        self,
        concept_class: ConceptClass,
        *,
        epsilon: Number,
        alpha: Number = 0.1,
        beta: Number = 0.05,
        costs: Any = None,
        public: Any = None,
        shift: Any = ...,
        neighbours: Literal["replace-one", "add-remove"] = "replace-one",
        evaluate: Number | None = None,
        classes: Any = None,
        random_state: int | None = None,
    ) -> None: ...

class BoostedTrees(_boosting.BoostedTrees):
    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: Number,
        delta: Number = 0,
        step: Number | Literal["auto"] = "auto",
        depth: Literal[1, 2, 3] = 2,
        labels: Sequence[int] | Sequence[str] | None = None,
        rounds: int | Literal["auto"] = "auto",
        evaluate: Number | None = None,
        holdout: Number | None = None,
        interval: Number | None = None,
        random_state: int | None = None,
        classes: Any = None,
    ) -> None: ...

class BoostedTreesRegressor(_boosting.BoostedTreesRegressor):
    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: Number,
        high: Number,
        delta: Number = 0,
        loss: Literal["auto", "huber", "gamma", "absolute", "quantile", "poisson"] = "huber",
        quantile: Number | None = None,
        depth: Literal[1, 2, 3] = 2,
        low: Number = 0,
        cells: int = 10000,
        rounds: int | Literal["auto"] = "auto",
        evaluate: Number | None = None,
        holdout: Number | None = None,
        interval: Number | None = None,
        random_state: int | None = None,
    ) -> None: ...

class BoostedTreesSurvival(_boosting.BoostedTreesSurvival):
    def __init__(
        self,
        schema: Schema,
        periods: Sequence[float],
        *,
        epsilon: Number,
        delta: Number = 0,
        event_is: int | str = 1,
        depth: Literal[1, 2, 3] = 2,
        rounds: int | Literal["auto"] = "auto",
        evaluate: Number | None = None,
        holdout: Number | None = None,
        random_state: int | None = None,
    ) -> None: ...

class GenericLearner(_learners.GenericLearner):
    def __init__(
        self,
        concept_class: ConceptClass,
        *,
        epsilon: Number,
        alpha: Number = 0.1,
        beta: Number = 0.05,
        costs: Any = None,
        public: Any = None,
        shift: Any = ...,
        neighbours: Literal["replace-one", "add-remove"] = "replace-one",
        evaluate: Number | None = None,
        classes: Any = None,
        random_state: int | None = None,
    ) -> None: ...

class LinearClassifier(_linear.LinearClassifier):
    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: Number,
        delta: Number,
        rounds: int | Literal["auto"] = "auto",
        inference: Sequence[str] | None = None,
        monotonic_cst: Mapping[str, int] | None = None,
        labels: Sequence[int] | Sequence[str] | None = None,
        evaluate: Number | None = None,
        holdout: Number | None = None,
        interval: Number | None = None,
        random_state: int | None = None,
        classes: Any = None,
    ) -> None: ...

class Scorecard(_boosting.Scorecard):
    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: Number,
        delta: Number = 0,
        step: Number | Literal["auto"] = "auto",
        monotonic_cst: Mapping[str, int] | None = None,
        labels: Sequence[int] | Sequence[str] | None = None,
        rounds: int | Literal["auto"] = "auto",
        evaluate: Number | None = None,
        holdout: Number | None = None,
        interval: Number | None = None,
        random_state: int | None = None,
        classes: Any = None,
    ) -> None: ...

class ScorecardRegressor(_boosting.ScorecardRegressor):
    def __init__(
        self,
        schema: Schema,
        *,
        epsilon: Number,
        high: Number,
        delta: Number = 0,
        loss: Literal["auto", "huber", "gamma", "absolute", "quantile", "poisson"] = "huber",
        quantile: Number | None = None,
        low: Number = 0,
        cells: int = 10000,
        rounds: int | Literal["auto"] = "auto",
        evaluate: Number | None = None,
        holdout: Number | None = None,
        interval: Number | None = None,
        random_state: int | None = None,
    ) -> None: ...

class UserAgnosticLearner(_learners.UserAgnosticLearner):
    def __init__(
        self,
        concept_class: ConceptClass,
        *,
        epsilon: Number,
        samples_per_user: int,
        alpha: Number = 0.1,
        beta: Number = 0.05,
        method: Literal["auto", "one-record", "group-privacy", "user-level"] = "auto",
        users: Literal["iid-records", "iid-users"] = "iid-records",
        classes: Any = None,
        random_state: int | None = None,
    ) -> None: ...

class VC1Learner(_learners.VC1Learner):
    def __init__(
        self,
        concept_class: ConceptClass,
        *,
        epsilon: Number,
        delta: Number,
        alpha: Number = 0.1,
        beta: Number = 0.05,
        classes: Any = None,
        random_state: int | None = None,
    ) -> None: ...

class AgnosticFromRealizable(_learners.AgnosticFromRealizable):
    def __init__(
        self,
        learner: Any,
        *,
        epsilon: Number,
        delta: Number | None = None,
        alpha: Number | None = None,
        beta: Number | None = None,
        classes: Any = None,
        random_state: int | None = None,
    ) -> None: ...

class LittlestoneLearner(_learners.LittlestoneLearner):
    def __init__(
        self,
        concept_class: ConceptClass,
        *,
        epsilon: Number,
        delta: Number,
        alpha: Number = 0.1,
        beta: Number = 0.05,
        chunk: int | None = None,
        tolerance: int | None = None,
        classes: Any = None,
        random_state: int | None = None,
    ) -> None: ...
