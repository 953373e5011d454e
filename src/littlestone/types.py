"""Words shared by all packages: what a point, a hypothesis and a set of candidates is."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar, runtime_checkable

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


@runtime_checkable
class Hypothesis(Protocol):
    """A released function from points to labels: canonical, hashable, safe to publish."""

    @property
    def key(self) -> Hashable:
        """Canonical identity: equal keys imply equal functions."""

    def __hash__(self) -> int:
        """Hash by the key."""

    def predict(self, points: Points) -> Labels:
        """Label each point, by the code of its label."""

    def describe(self) -> str:
        """Say the hypothesis in words."""

    def to_dict(self) -> Json:
        """Return plain JSON, with a ``type`` entry; `littlestone.classes.load` reads it back."""
