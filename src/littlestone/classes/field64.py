"""Arithmetic in the field GF(2**64), on NumPy arrays: what public hashing is made from.

An element is a polynomial over {0, 1} of degree < 64, written as the bits of an integer; addition
is exclusive or; multiplication is modulo x**64 + x**4 + x**3 + x + 1. (The polynomial
x**8 + x**4 + x**3 + x + 1 is irreducible too, so ``width=8`` is the same code for a field that is
small enough for its statements to be checked by counting.)
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["WIDTH", "Multiplier", "Words"]

WIDTH = 64
_TAIL = 0b11011  # x**4 + x**3 + x + 1

Words = npt.NDArray[np.uint64]


class Multiplier:
    """Multiplication by a constant, by eight table look-ups for each element.

    Parameters
    ----------
    constant : int in [0, 2**width)
    width : 8 or 64

    Examples
    --------
    >>> Multiplier(2)(np.array([1, 3, 2**63], dtype=np.uint64)).tolist()
    [2, 6, 27]
    """

    def __init__(self, constant: int, width: int = WIDTH) -> None:
        self._tables: Words = np.zeros((width // 8, 256), dtype=np.uint64)
        power = constant  # constant * x**i, for the bit i of the other factor
        for i in range(width):
            table, step = self._tables[i // 8], 1 << (i % 8)
            table[step : 2 * step] = table[:step] ^ np.uint64(power)
            power <<= 1
            if power >> width:
                power ^= (1 << width) | _TAIL

    def __call__(self, elements: Any) -> Words:
        """Return the products."""
        values = np.asarray(elements, dtype=np.uint64)
        out = np.zeros_like(values)
        for i, table in enumerate(self._tables):
            byte = (values >> np.uint64(8 * i)).astype(np.uint8)
            out ^= table[byte]
        return out
