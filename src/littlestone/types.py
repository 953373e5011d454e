"""Words shared by all packages: what a point, a hypothesis and a set of candidates is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Point = Hashable
#: A batch of points: 1-D (int64, or object for big integers, texts, tuples), or 2-D codes of rows.
Points = npt.NDArray[Any]
#: Codes of labels: for a class without a list of its own, the labels 0 and 1 themselves.
Labels = npt.NDArray[np.int8]
#: A public label.
Label = int | str
Json = dict[str, Any]

T_co = TypeVar("T_co", covariant=True)


class Hypothesis(ABC):
    """A released function from points to labels: canonical, hashable, safe to publish.

    What a kind of hypothesis has, and others have not, is None or empty by default.
    """

    #: What it predicts, if that is no label.
    target: Any = None
    #: Whether it is a sum of trees or tables of points, over a schema.
    of_sums: bool = False
    #: Of intervals or sets around predictions.
    width: int | None = None
    #: Which quantile of a quantity it predicts.
    quantile: Fraction | None = None

    @property
    def ranks(self) -> bool:
        """Whether margins rank points by the probability of label 1."""
        return False

    @property
    def support(self) -> tuple[Point, ...] | None:
        """The points that are 1, where they are listed."""
        return None

    @property
    def inner(self) -> tuple[Hypothesis, ...]:
        """The hypotheses that it is made of."""
        return ()

    @property
    def columns(self) -> set[int]:
        """The numbers of the columns that it asks."""
        return set()

    def label(self, point: Point) -> int | None:
        """Return the label of a point, where that needs no array; else None."""
        return None

    def exported(self, schema: Any) -> Hypothesis | None:
        """Return it as trees, which other programs can run; None where it is none."""
        return None

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """Canonical identity: equal keys imply equal functions."""

    @abstractmethod
    def predict(self, points: Points) -> Labels:
        """Label each point, by the code of its label."""

    @abstractmethod
    def describe(self) -> str:
        """Say the hypothesis in words."""

    @abstractmethod
    def to_dict(self) -> Json:
        """Return plain JSON, with a ``type`` entry; `littlestone.classes.load` reads it back."""
