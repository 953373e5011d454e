"""Names of users as numbers: the order is canonical, a user's key is made of that name alone."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.data.points import canonical_order, distinct

__all__ = ["mixed", "user_index"]

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]


def user_index(names: Sequence[Any] | Ints) -> tuple[Ints, Keys]:
    """Return the number of each record's user (by canonical order of names), and users' keys.

    Parameters
    ----------
    names : int64 ndarray, or sequence of hashable
        One for each record.

    Returns
    -------
    index : int64 ndarray
        For each record, in the order of ``names``.
    keys : uint64 ndarray
        For each user, a function of that user's name alone.

    Examples
    --------
    >>> index, keys = user_index(["eve", "bob", "eve"])
    >>> index.tolist(), bool(keys[0] == user_index(["bob"])[1][0])
    ([1, 0, 1], True)
    """
    if isinstance(names, np.ndarray) and names.dtype == np.int64:
        values, where = distinct(names)
        return where, mixed(values.astype(np.uint64))
    table: dict[Any, int] = {}
    first = np.fromiter((table.setdefault(n, len(table)) for n in names), np.int64, len(names))
    ordered = sorted(table, key=canonical_order)
    rank = np.empty(len(ordered), dtype=np.int64)
    rank[[table[name] for name in ordered]] = np.arange(len(ordered))
    words = np.array([_word(name) for name in ordered], dtype=np.uint64)
    return rank[first], mixed(words)


def _word(name: Any) -> int:
    if isinstance(name, int) and -(2**63) <= name < 2**63:
        return name % 2**64
    named = f"{type(name).__name__}:{name!r}".encode()
    return int.from_bytes(blake2b(named, digest_size=8).digest())


def mixed(words: Keys) -> Keys:
    """Return scrambled 64-bit words (splitmix64's finalizer, with its increment)."""
    z = words + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
