"""A source of the bits of one number."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from littlestone.source import BitSource


class PrescribedBits(BitSource):
    """U is a given number; its binary digits are handed out in order."""

    seeded = True

    def __init__(self, u: Fraction) -> None:
        self.u, self.drawn = Fraction(u), 0

    def _bits(self, k: int) -> int:
        self.drawn += k
        assert self.drawn < 2**16, "more bits than any of these tests needs"
        return int(self.u * 2**self.drawn) % 2**k

    def _bytes(self, k: int) -> bytes:
        return self._bits(8 * k).to_bytes(k, "little")

    def public_rng(self) -> np.random.Generator:
        return np.random.default_rng(0)
