"""A source that gives prescribed answers and keeps what it was shown."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from littlestone.source.sampler import shown
from littlestone.source.weights import Weights

__all__ = ["ReplaySource"]


class ReplaySource:
    """Answer draws from a list, and record the weights of each draw.

    Fast paths (an engine, numba, a float filter) must show *identical weights at the door* as the
    plain path: run both on a ReplaySource and compare ``shown``.

    Parameters
    ----------
    choices : iterable of int
        The answers, in order, of ``choose`` and ``below``.

    Attributes
    ----------
    shown : list
        For each draw, the enclosures that were shown (at 96 bits), or ``("below", m)``, or
        ``("permutation", n)``, or ``("permutation", n, first)``.

    Examples
    --------
    >>> from littlestone.source import ExplicitWeights
    >>> source = ReplaySource([1, 4])
    >>> source.choose(ExplicitWeights(1, 1)), source.below(10), source.shown[1]
    (1, 4, ('below', 10))
    """

    seeded = True

    def __init__(self, choices: Iterable[int]) -> None:
        self._choices = iter(choices)
        self.shown: list[tuple[object, ...]] = []

    def _next(self, m: int) -> int:
        try:
            answer = next(self._choices)
        except StopIteration:
            raise RuntimeError("ReplaySource has no answers left; give it more choices.") from None
        if not 0 <= answer < m:
            raise RuntimeError(f"ReplaySource was asked for one of {m} outcomes, not {answer}.")
        return answer

    def choose(self, weights: Weights) -> int:
        """Record the weights; return the next answer."""
        self.shown.append(shown(weights))
        return self._next(len(weights))

    def below(self, m: int) -> int:
        """Record m; return the next answer."""
        self.shown.append(("below", m))
        return self._next(m)

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        """Record n, and how many entries were asked for; return the identity."""
        self.shown.append(("permutation", n) if first is None else ("permutation", n, first))
        return np.arange(n, dtype=np.int64)[:first]

    def public_rng(self) -> np.random.Generator:
        """Return a generator with a fixed seed."""
        return np.random.default_rng(0)
