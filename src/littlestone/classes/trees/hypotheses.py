"""Hypotheses "on the path to this node": of a listed tree, and of prefixes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from littlestone.classes.fields import Fields
from littlestone.classes.hypotheses import readable
from littlestone.classes.trees.prefixes import Notation, PrefixForest, notation
from littlestone.errors import ParameterError, parameter_error
from littlestone.types import Json, Labels, Points

__all__ = ["PathHypothesis", "PrefixHypothesis"]

_MAX_PATH = 1_000_000


@readable
@dataclass(frozen=True)
class PathHypothesis:
    """1 on a node of a tree and on everything above it; the empty path is `AlwaysZero`.

    Parameters
    ----------
    path : tuple of str
        Names from the top down; distinct, at least one.

    Examples
    --------
    >>> hypothesis = PathHypothesis(("animal", "mammal", "dog"))
    >>> hypothesis.predict(np.array(["mammal", "bird"], dtype=object)).tolist()
    [1, 0]
    >>> hypothesis.describe()
    "1 on 'dog' and what is above it ('animal' > 'mammal'), otherwise 0"
    """

    path: tuple[str, ...]

    TYPE = "path"

    def __post_init__(self) -> None:
        if not self.path or len(set(self.path)) < len(self.path):
            raise parameter_error("PathHypothesis", "path", "distinct names", self.path[:20])

    @cached_property
    def _names(self) -> frozenset[object]:
        return frozenset(self.path)

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.path)

    def predict(self, points: Points) -> Labels:
        """Label each point; a point is a name."""
        return np.array([point in self._names for point in points.tolist()], dtype=np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        *above, node = (repr(name) for name in self.path)
        if not above:
            return f"1 on {node}, otherwise 0"
        if len(above) > 8:
            above = [*above[:4], "...", *above[-4:]]
        return f"1 on {node} and what is above it ({' > '.join(above)}), otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"type": self.TYPE, "path": list(self.path)}

    @classmethod
    def from_dict(cls, data: Any) -> PathHypothesis:
        """Read it back."""
        fields = Fields(data, ("path",))
        path = fields.items("path", _MAX_PATH)
        if not all(isinstance(name, str) for name in path) or not path:
            raise fields.refuse("path", "a nonempty list of texts")
        if len(set(path)) < len(path):
            raise fields.refuse("path", "a list of different texts")
        return cls(tuple(path))


@readable
@dataclass(frozen=True)
class PrefixHypothesis:
    """1 on a prefix and on all its own prefixes: on every network that contains a network.

    Parameters
    ----------
    prefix : int
        As `Notation.parse` returns it.
    notation : Notation

    Examples
    --------
    >>> from littlestone.classes.trees.prefixes import IPV4
    >>> hypothesis = PrefixHypothesis(IPV4.parse("10.1.0.0/16"), IPV4)
    >>> networks = [IPV4.parse(n) for n in ("10.0.0.0/8", "10.1.2.3", "11.0.0.0/8")]
    >>> hypothesis.predict(np.array(networks)).tolist(), hypothesis.describe()
    ([1, 0, 0], '1 on the networks that contain 10.1.0.0/16, otherwise 0')
    """

    prefix: int
    notation: Notation

    TYPE = "prefix path"

    @property
    def key(self) -> Hashable:
        """Canonical identity."""
        return (self.TYPE, self.notation.alphabet, self.notation.length, self.prefix)

    @cached_property
    def _path(self) -> list[int]:
        bits = self.notation.bits
        digits = (self.prefix.bit_length() - 1) // bits
        return [self.prefix >> bits * k for k in range(digits, -1, -1)]

    def predict(self, points: Points) -> Labels:
        """Label each point; a point is a prefix as an integer."""
        if points.dtype == object:
            path = set(self._path)
            return np.array([point in path for point in points], dtype=np.int8)
        small = [prefix for prefix in self._path if prefix < 2**62]
        return np.isin(points, np.array(small, dtype=np.int64)).astype(np.int8)

    def describe(self) -> str:
        """Say the hypothesis in words."""
        written = self.notation.write(self.prefix)
        if self.notation.version:
            return f"1 on the networks that contain {written}, otherwise 0"
        return f"1 on the beginnings of {written!r} (itself included), otherwise 0"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "type": self.TYPE,
            "alphabet": self.notation.alphabet,
            "length": self.notation.length,
            "prefix": self.notation.write(self.prefix),
        }

    @classmethod
    def from_dict(cls, data: Any) -> PrefixHypothesis:
        """Read it back."""
        fields = Fields(data, ("alphabet", "length", "prefix"))
        try:
            how = notation("JSON", fields.text("alphabet", 100_000), fields.integer("length", 1))
        except ParameterError:
            raise fields.refuse("alphabet", "'ipv4', 'ipv6' or the characters of codes") from None
        prefix = how.parse(fields.text("prefix", 100_000))
        if prefix is None or prefix not in PrefixForest(how):
            raise fields.refuse("prefix", how.rule)
        return cls(prefix, how)
