"""Inversion sampling from exact weights: how a finite distribution becomes a draw."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from itertools import accumulate
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from littlestone.source.weights import Presented, TabulatedWeights, Weights, as_weights

_FIRST = 64  # bits of the uniform that are drawn at first; more only when they do not decide


@runtime_checkable
class Source(Protocol):
    """The only place from which randomness enters the library.

    ``choose``, ``below`` and ``permutation`` are secret: privacy may rest on them. ``public_rng``
    is not: privacy must hold for every value of its seed.
    """

    @property
    def seeded(self) -> bool:
        """Whether the draws can be predicted, so that nothing drawn is private."""

    def choose(self, weights: Presented) -> int:
        """Return outcome i with probability exactly weight_i / total.

        A list or tuple of plain numbers will do: ``choose([3, 1])``.
        """

    def below(self, m: int) -> int:
        """Return an exactly uniform integer in [0, m), of any size."""

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        """Return an exactly uniform permutation of range(n), or only its ``first`` entries."""

    def public_rng(self) -> np.random.Generator:
        """Return a generator whose seed may be published, for utility only."""


class BitSource(ABC):
    """A source that is made from fair bits.

    The draw is inversion of an infinitely precise uniform U in [0, 1), of which only as many bits
    are drawn as are needed to tell, against rigorous enclosures of the cumulative weights, in
    which outcome's interval U lies. So every probability is exact: no float is ever rounded.
    """

    seeded: bool

    @abstractmethod
    def _bits(self, k: int) -> int:
        """Return k fair bits as an integer in [0, 2**k)."""

    @abstractmethod
    def _bytes(self, k: int) -> bytes:
        """Return k fair bytes."""

    @abstractmethod
    def public_rng(self) -> np.random.Generator:
        """Return a generator whose seed may be published, for utility only."""

    def random_bytes(self, k: int) -> bytes:
        """Return k fair bytes: pieces of whole words are those of one draw."""
        return self._bytes(k)

    def choose(self, weights: Presented) -> int:
        """Return outcome i with probability exactly weight_i / total."""
        u = self._bits(_FIRST)  # U lies in [u, u + 1) / 2**64
        if isinstance(weights, TabulatedWeights):
            outcome = weights.decide(u)
            if outcome is not None:
                return outcome
        return self._refine(as_weights(weights), u, _FIRST)

    def _refine(self, weights: Weights, u: int, drawn: int) -> int:
        while True:
            bits = drawn + 32  # so that rounding is far finer than the cell of U
            with ctx.workprec(bits):
                cumulative = list(accumulate(weights.enclose(bits)))
                # t contains total * U, for every U in the cell
                t = cumulative[-1] * arb(2 * u + 1, 1) / (arb(2) ** (drawn + 1))
                i = bisect_right(cumulative, False, key=lambda c: bool(c > t))
                if i < len(cumulative) and (i == 0 or bool(cumulative[i - 1] <= t)):
                    return i
            u = (u << drawn) | self._bits(drawn)
            drawn *= 2

    def below(self, m: int) -> int:
        """Return an exactly uniform integer in [0, m), of any size."""
        if m < 1:
            raise ValueError("below(m) needs m >= 1.")
        k = (m - 1).bit_length()
        while k:
            value = self._bits(k)
            if value < m:
                return value
        return 0

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        """Return an exactly uniform permutation of range(n), or only its ``first`` entries.

        The permutation is the order of n distinct keys. A few entries of it are the first few
        *different* ones of a sequence of independent uniform places; that costs ``first``, not n.
        """
        if first is not None and not 0 <= first <= n:
            raise ValueError("permutation(n, first) needs 0 <= first <= n.")
        if first is not None and 4 * first < n:
            return self._places(n, first)
        return self._order(n)[:first]

    def _places(self, n: int, first: int) -> npt.NDArray[np.int64]:
        bits = (n - 1).bit_length()
        width = 32 if bits <= 32 else 64  # a longer range is no range of records
        found = np.zeros(0, dtype=np.int64)
        while len(found) < first:
            keys = self._bytes((2 * (first - len(found)) + 16) * width // 8)
            places = np.frombuffer(keys, dtype=f"<u{width // 8}") >> (width - bits)
            found = np.concatenate([found, places[places < n].astype(np.int64)])[:first]
            found = found[np.sort(np.unique(found, return_index=True)[1])]  # in order of arrival
        return found

    def _order(self, n: int) -> npt.NDArray[np.int64]:
        while True:
            keys = np.frombuffer(self._bytes(8 * n), dtype=np.uint64)
            order = np.argsort(keys, kind="stable")
            ranked = keys[order]
            if not np.any(ranked[1:] == ranked[:-1]):  # a tie would not be uniform: draw anew
                return order.astype(np.int64, copy=False)


def presented(weights: Weights, bits: int = 96) -> tuple[object, ...]:
    """Return what an observer of the source can compare: the enclosures at a fixed precision."""
    with ctx.workprec(bits):
        balls = list(weights.enclose(bits))
        return tuple((*_pair(b.mid()), *_pair(b.rad())) for b in balls)


def _pair(exact: Any) -> tuple[int, int]:
    man, power = exact.man_exp()
    return int(man), int(power)
