"""The source of releases: the operating system's entropy."""

from __future__ import annotations

import os
import weakref
from threading import Lock
from typing import Any

import numpy as np

from littlestone.source.sampler import BitSource

__all__ = ["SecureSource"]

_BUFFER = 4096
_alive: weakref.WeakSet[SecureSource] = weakref.WeakSet()


class SecureSource(BitSource):
    """Exact draws from operating-system entropy; the only source whose releases are private.

    It cannot be copied or pickled, and neither a forked child nor another thread reuses its
    entropy: the same bits must not make two releases.

    Examples
    --------
    >>> SecureSource().below(1)
    0
    """

    seeded = False

    def __init__(self) -> None:
        self._forget()
        _alive.add(self)

    def _forget(self) -> None:
        self._buffer, self._position = b"", 0
        self._lock = Lock()  # a new one: a thread that holds the old one is not in the child

    def _bits(self, k: int) -> int:
        size = (k + 7) // 8
        return int.from_bytes(self._bytes(size), "little") >> (8 * size - k)

    def _bytes(self, k: int) -> bytes:
        if k > _BUFFER:
            return os.urandom(k)
        with self._lock:  # two threads must not take the same bytes
            end = self._position + k
            if end > len(self._buffer):
                self._buffer, self._position, end = os.urandom(_BUFFER), 0, k
            piece = self._buffer[self._position : end]
            self._position = end
            return piece

    def public_rng(self) -> np.random.Generator:
        """Return a generator with a fresh seed, which may be published."""
        return np.random.default_rng(int.from_bytes(os.urandom(16), "little"))

    def __reduce__(self) -> Any:
        raise TypeError("A SecureSource cannot be copied or pickled; make a new one.")


def _forget_all() -> None:
    for source in list(_alive):
        source._forget()


if hasattr(os, "register_at_fork"):  # absent on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget_all)
