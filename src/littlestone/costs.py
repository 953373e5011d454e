"""Public costs of mistakes: exact numbers, scaled to integers so that scores stay integers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from littlestone.errors import ParameterError, check_fraction, parameter_error
from littlestone.safe_io import read_exact
from littlestone.types import Json

#: Of an integer cost: with it sums over 9 * 10**8 records are exact in doubles.
_MOST = 10**7


@dataclass(frozen=True)
class Costs:
    """What it costs to answer k for a record of label y; right answers cost nothing.

    ``matrix[y][k]`` has no common factor; ``unit`` is what 1 in it means.

    Examples
    --------
    >>> costs = Costs.of({0: 1, 1: "4.5"})
    >>> costs.matrix, costs.unit, costs.largest
    (((0, 2), (9, 0)), Fraction(1, 2), 9)
    """

    matrix: tuple[tuple[int, ...], ...]
    unit: Fraction

    @property
    def largest(self) -> int:
        """The largest cost, which is the sensitivity of a score.

        Replacing (x, y) by (x', y') changes the score of h by ``c(y', h(x')) - c(y, h(x))``: both
        lie between 0, what a right answer costs, and the largest cost.
        """
        return max(max(row) for row in self.matrix)

    @classmethod
    def of(
        cls, costs: Any, *, labels: int = 2, caller: str = "Costs.of", name: str = "costs"
    ) -> Self:
        """Return costs from what a user gave, keyed by codes of labels."""
        if isinstance(costs, cls):
            if len(costs.matrix) != labels:
                raise parameter_error(
                    caller, name, f"for {labels} labels", f"those of {len(costs.matrix)}"
                )
            return costs
        if isinstance(costs, str) and costs == "balanced":
            raise ParameterError(
                f"The {name!r} parameter of {caller} must not be 'balanced': the prevalence of the "
                "labels is private, and no epsilon was paid for it. Give public costs, for "
                "example {0: 1, 1: 9}."
            )
        pairs = [(y, k) for y in range(labels) for k in range(labels) if y != k]
        hint = (
            "For example {0: 1, 1: 9}: a false negative costs nine times as much as a false "
            "positive."
        )
        what = "a cost for each label, or for each (label, other prediction)"
        if not isinstance(costs, Mapping):
            raise parameter_error(caller, name, what, costs, hint)
        given = {key if isinstance(key, tuple) else (key,): value for key, value in costs.items()}
        if set(given) == {(y,) for y in range(labels)}:
            given = {(y, k): given[y,] for y, k in pairs}
        if set(given) != set(pairs):
            raise parameter_error(caller, name, what, list(costs), hint)
        exact = {pair: check_fraction(caller, name, given[pair]) for pair in pairs}
        scale = lcm(*(value.denominator for value in exact.values()))
        whole = {pair: int(value * scale) for pair, value in exact.items()}
        factor = gcd(*whole.values())
        if max(whole.values()) // factor > _MOST:
            raise parameter_error(
                caller, name, f"multiples, up to {_MOST:,}, of one number", costs, "Round them."
            )
        rows = tuple(
            tuple(whole[y, k] // factor if y != k else 0 for k in range(labels))
            for y in range(labels)
        )
        return cls(rows, Fraction(factor, scale))

    @classmethod
    def equal(cls, labels: int) -> Self:
        """Return the costs under which each mistake costs 1.

        Examples
        --------
        >>> Costs.equal(3).matrix
        ((0, 1, 1), (1, 0, 1), (1, 1, 0))
        """
        rows = (tuple(int(y != k) for k in range(labels)) for y in range(labels))
        return cls(tuple(rows), Fraction(1))

    @property
    def table(self) -> npt.NDArray[np.int64]:
        """The matrix, and below it a row for a label outside the list: all answers cost most."""
        return np.vstack([self.array, np.full(len(self.matrix), self.largest, dtype=np.int64)])

    @property
    def array(self) -> npt.NDArray[np.int64]:
        """The matrix."""
        return np.array(self.matrix, dtype=np.int64)

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {"matrix": [list(row) for row in self.matrix], "unit": str(self.unit)}

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """Read it back; it may be untrusted."""
        try:
            matrix, unit = data["matrix"], read_exact(data["unit"])
            by_pair = {
                (y, k): _whole(cost)
                for y, row in enumerate(matrix)
                for k, cost in enumerate(row)
                if y != k
            }
            diagonal = [_whole(row[y]) for y, row in enumerate(matrix)]
            costs = cls.of(by_pair, labels=len(matrix))
            if costs.unit != 1 or unit <= 0 or any(diagonal) or len(matrix) > _LABELS:
                raise ValueError
        except (KeyError, TypeError, ValueError, IndexError):
            raise ParameterError(
                "Costs must have the entries that `Costs.to_dict` writes."
            ) from None
        return cls(costs.matrix, unit)


_LABELS = 1000


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value
