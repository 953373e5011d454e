"""Released functions: canonical, hashable, in words, and plain JSON (never code).

Each hypothesis is a frozen value. Equal ``key`` means equal function, and within one class also
the converse. Points that lie outside the public domain are labelled 0.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from littlestone.classes.fields import Fields, json_integer
from littlestone.classes.integers import number
from littlestone.classes.values import from_json, to_json
from littlestone.data.points import canonical
from littlestone.errors import ParameterError, parameter_error
from littlestone.types import Hypothesis, Json, Labels, Point, Points

__all__ = [
    "AlwaysZero",
    "IntervalHypothesis",
    "PointHypothesis",
    "TableHypothesis",
    "ThresholdHypothesis",
    "load",
    "readable",
]

H = TypeVar("H", bound=type)
_READERS: dict[str, Callable[[Any], Hypothesis]] = {}
_MAX_COLUMNS = 10_000_000


def readable(cls: H) -> H:
    """Make `load` know a hypothesis: a class with ``TYPE`` and a ``from_dict``."""
    _READERS[cls.TYPE] = cls.from_dict  # type: ignore[attr-defined]
    return cls


def load(data: Any) -> Hypothesis:
    """Read a hypothesis from the JSON that its ``to_dict`` wrote.

    Parameters
    ----------
    data : dict
        Parsed JSON; it may come from a stranger: types, fields and sizes are checked, and nothing
        is executed.

    Returns
    -------
    Hypothesis

    Raises
    ------
    ParameterError
        If the JSON is not a hypothesis.

    Examples
    --------
    >>> load({"type": "threshold", "above": 17, "low": 1, "high": 99}).describe()
    '1 if x > 17, otherwise 0 (x from 1 to 99)'
    """
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in _READERS:
        known = ", ".join(sorted(_READERS))
        raise ParameterError(f"The 'type' entry of a hypothesis must be one of: {known}.")
    return _READERS[kind](data)


def _labels(truth: Any, n: int) -> Labels:
    """Return labels of n points from a comparison (which is of dtype object for objects)."""
    return np.asarray(truth, dtype=bool).reshape(n).astype(np.int8)


@readable
@dataclass(frozen=True)
class AlwaysZero:
    """The concept that is 0 everywhere: no point, the empty interval, an impossible rule.

    Examples
    --------
    >>> AlwaysZero().predict(np.array([1, 2])).tolist(), AlwaysZero().describe()
    ([0, 0], 'always 0')
    """

    TYPE = "never"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE,)

    def predict(self, points: Points) -> Labels:
        """Label each point 0."""
        return np.zeros(len(points), dtype=np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        return "always 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE}

    @classmethod
    def from_dict(cls, data: Any) -> AlwaysZero:
        """Read it back."""
        Fields(data, ())
        return cls()


@readable
@dataclass(frozen=True)
class ThresholdHypothesis:
    """1 exactly on the points above ``above``, in the integers from ``low`` to ``high``.

    Parameters
    ----------
    above : int in [low - 1, high]
        ``low - 1`` gives the constant 1, ``high`` the constant 0.
    low, high : int
        The public domain.

    Examples
    --------
    >>> ThresholdHypothesis(17, 1, 99).predict(np.array([17, 18, 99, 100])).tolist()
    [0, 1, 1, 0]
    """

    above: int
    low: int
    high: int

    TYPE = "threshold"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.above, self.low, self.high)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        return _labels((points > self.above) & (points <= self.high), len(points))

    def describe(self) -> str:
        """Say the hypothesis in words."""
        domain = f"(x from {number(self.low)} to {number(self.high)})"
        if self.above == self.low - 1:
            return f"always 1 {domain}"
        if self.above == self.high:
            return f"always 0 {domain}"
        return f"1 if x > {number(self.above)}, otherwise 0 {domain}"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        out: Json = {"type": self.TYPE}
        return out | {k: json_integer(getattr(self, k)) for k in ("above", "low", "high")}

    @classmethod
    def from_dict(cls, data: Any) -> ThresholdHypothesis:
        """Read it back."""
        fields = Fields(data, ("above", "low", "high"))
        low = fields.integer("low")
        high = fields.integer("high", low=low)
        return cls(fields.integer("above", low=low - 1, high=high), low, high)


@readable
@dataclass(frozen=True)
class IntervalHypothesis:
    """1 exactly on the integers from ``first`` to ``last``; the empty interval is `AlwaysZero`.

    Examples
    --------
    >>> IntervalHypothesis(18, 65).predict(np.array([17, 18, 65, 66])).tolist()
    [0, 1, 1, 0]
    """

    first: int
    last: int

    TYPE = "interval"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.first, self.last)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        return _labels((points >= self.first) & (points <= self.last), len(points))

    def describe(self) -> str:
        """Say the hypothesis in words."""
        if self.first == self.last:
            return f"1 if x = {number(self.first)}, otherwise 0"
        return f"1 if {number(self.first)} <= x <= {number(self.last)}, otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        first, last = json_integer(self.first), json_integer(self.last)
        return {"type": self.TYPE, "first": first, "last": last}

    @classmethod
    def from_dict(cls, data: Any) -> IntervalHypothesis:
        """Read it back."""
        fields = Fields(data, ("first", "last"))
        first = fields.integer("first")
        return cls(first, fields.integer("last", low=first))


@readable
@dataclass(frozen=True)
class PointHypothesis:
    """1 on one point only; no point at all is `AlwaysZero`.

    Parameters
    ----------
    point : int, float, str, bytes, None, or a tuple of these

    Examples
    --------
    >>> PointHypothesis("paris").predict(np.array(["rome", "paris"], dtype=object)).tolist()
    [0, 1]
    """

    point: Point

    TYPE = "point"

    def __post_init__(self) -> None:
        object.__setattr__(self, "point", canonical(self.point))

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.point)

    def predict(self, points: Points) -> Labels:
        """Label each point."""
        if points.ndim == 2:  # rows of codes: a point is a tuple
            if not isinstance(self.point, tuple) or len(self.point) != points.shape[1]:
                return np.zeros(len(points), dtype=np.int8)
            return _labels([tuple(row) == self.point for row in points.tolist()], len(points))
        if points.dtype == object:
            return _labels([p == self.point for p in points], len(points))
        if not isinstance(self.point, int):
            return np.zeros(len(points), dtype=np.int8)
        return _labels(points == self.point, len(points))

    def describe(self) -> str:
        """Say the hypothesis in words."""
        point = number(self.point) if isinstance(self.point, int) else repr(self.point)
        return f"1 if x = {point}, otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "point": to_json(self.point)}

    @classmethod
    def from_dict(cls, data: Any) -> PointHypothesis:
        """Read it back."""
        return cls(from_json(Fields(data, ("point",)).any("point")))


@readable
@dataclass(frozen=True)
class TableHypothesis:
    """A row of a finite class: one label for each of the points 0, 1, 2, ...

    Parameters
    ----------
    labels : str of "0" and "1", at least one

    Examples
    --------
    >>> TableHypothesis("011").predict(np.array([0, 2, 3, -1])).tolist()
    [0, 1, 0, 0]
    """

    labels: str = field()

    TYPE = "table"

    def __post_init__(self) -> None:
        if not self.labels or set(self.labels) - {"0", "1"}:
            raise parameter_error(
                "TableHypothesis", "labels", "a nonempty text of 0 and 1", self.labels[:20]
            )

    @cached_property
    def _table(self) -> npt.NDArray[np.int8]:
        return np.frombuffer(self.labels.encode("ascii"), dtype=np.int8) - np.int8(ord("0"))

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.labels)

    def predict(self, points: Points) -> Labels:
        """Label each point; one that is not a column is outside, and 0."""
        inside = np.asarray((points >= 0) & (points < len(self.labels)), dtype=bool)
        out = np.zeros(len(points), dtype=np.int8)
        out[inside] = self._table[points[inside].astype(np.int64)]
        return out

    def describe(self) -> str:
        """Say the hypothesis in words."""
        ones = np.flatnonzero(self._table)
        if ones.size in (0, len(self.labels)):
            return f"always {int(ones.size > 0)} (points 0 to {len(self.labels) - 1})"
        listed = ", ".join(str(i) for i in ones[:20])
        more = f" and {ones.size - 20} more" if ones.size > 20 else ""
        return f"1 on the points {listed}{more}, otherwise 0 (points 0 to {len(self.labels) - 1})"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "labels": self.labels}

    @classmethod
    def from_dict(cls, data: Any) -> TableHypothesis:
        """Read it back."""
        fields = Fields(data, ("labels",))
        labels = fields.text("labels", limit=_MAX_COLUMNS)
        if not labels or set(labels) - {"0", "1"}:
            raise fields.refuse("labels", "a nonempty text of 0 and 1")
        return cls(labels)
