"""A reproducible source, for experiments and tests; nothing drawn from it is private."""

from __future__ import annotations

import random

import numpy as np

from littlestone.errors import check_integer
from littlestone.source.sampler import BitSource

__all__ = ["SeededSource"]

_PIECE = 1 << 27  # bytes


class SeededSource(BitSource):
    """The same code as a release, with reproducible bits. NOT PRIVATE.

    Parameters
    ----------
    seed : int >= 0

    Examples
    --------
    >>> SeededSource(7).below(1000) == SeededSource(7).below(1000)
    True
    """

    seeded = True

    def __init__(self, seed: int) -> None:
        self._seed = check_integer("SeededSource", "seed", seed, low=0)
        self._random = random.Random(self._seed)  # noqa: S311 - not for releases, and says so
        self._streams = np.random.SeedSequence(self._seed)

    def _bits(self, k: int) -> int:
        return self._random.getrandbits(k)

    def _bytes(self, k: int) -> bytes:
        # Python's generator makes fewer than 2**31 bits at once; pieces of whole words are the same
        pieces = (min(_PIECE, k - done) for done in range(0, k, _PIECE))
        return b"".join(map(self._random.randbytes, pieces))

    def public_rng(self) -> np.random.Generator:
        """Return the next generator of a reproducible family."""
        return np.random.default_rng(self._streams.spawn(1)[0])
