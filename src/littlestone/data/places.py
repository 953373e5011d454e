"""The first places of a secret permutation, as a set: a bit for each place, not eight bytes.

Two parts of the records need no order inside a part. `BitSource.permutation` is the order of n
random keys, so its first m entries, as a set, are the places of the m smallest keys. The keys are
stored as they are drawn, and sorted a range after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.data.store import Store
from littlestone.source import BitSource

if TYPE_CHECKING:
    from littlestone.source import Source

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_PIECE = 1 << 20  # keys that are drawn at a time
_MOST = 1 << 25  # keys that are sorted at a time, about
_TOP = 16  # bits of a key that say which range it is in


class Places:
    """A set of places in range(n).

    Examples
    --------
    >>> chosen = Places.of(np.array([0, 2, 70]), 80)
    >>> chosen.before(np.array([0, 1, 3, 64, 71])).tolist()
    [0, 1, 2, 2, 3]
    """

    def __init__(self, words: Words) -> None:
        self._words = np.append(words, np.uint64(0))  # for the end of the last place
        upto = np.cumsum(np.bitwise_count(words), dtype=np.int64)
        self._upto = np.concatenate([[0], upto])

    @classmethod
    def of(cls, places: Ints, n: int) -> Places:
        """Return the set of some places in range(n)."""
        chosen = np.zeros(-(-n // 64) * 64, dtype=bool)
        chosen[places] = True
        return cls(_packed(chosen))

    def before(self, ends: Ints) -> Ints:
        """Return how many places of the set are smaller than each number."""
        word = ends >> 6
        below = (np.uint64(1) << (ends & 63).astype(np.uint64)) - np.uint64(1)
        found: Ints = self._upto[word] + np.bitwise_count(self._words[word] & below)
        return found


def first_places(source: Source, n: int, first: int) -> Places:
    """Return the set ``source.permutation(n)[:first]``, 1 <= first <= n; draws what that draws.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> one, other = SeededSource(3), SeededSource(3)
    >>> chosen = first_places(one, 10, 4).before(np.arange(11))
    >>> np.flatnonzero(np.diff(chosen)).tolist() == sorted(other.permutation(10)[:4].tolist())
    True
    """
    if n <= _PIECE or not isinstance(source, BitSource):
        return Places.of(source.permutation(n)[:first], n)
    found = None
    while found is None:  # where two keys are equal, all are drawn anew
        found = _smallest(source.random_bytes, n, first)
    return Places(found)


def _smallest(draw: Callable[[int], bytes], n: int, first: int, most: int = _MOST) -> Words | None:
    """Return the places of the smallest keys, as bits; None where two keys are equal."""
    schema = pa.schema([("key", pa.uint64())])
    sizes = np.zeros(1 << _TOP, dtype=np.int64)  # of ranges of keys

    def drawn() -> Iterator[pa.RecordBatch]:
        for start in range(0, n, _PIECE):
            keys = np.frombuffer(draw(8 * min(_PIECE, n - start)), dtype=np.uint64)
            np.add.at(sizes, _range(keys), 1)
            yield pa.record_batch([keys], schema=schema)

    store = Store()
    store.keep("places", schema, drawn())

    def keys() -> Iterator[Words]:
        return (batch.column(0).to_numpy() for batch in store.batches("places", _PIECE))

    limit, low, upto = np.uint64(0), 0, np.cumsum(sizes)
    while low < len(sizes):  # sort some ranges after the other
        done = int(upto[low - 1]) if low else 0
        high = max(int(np.searchsorted(upto, done + most, side="right")), low + 1)
        found = np.concatenate([k[(low <= _range(k)) & (_range(k) < high)] for k in keys()])
        found.sort()
        if (found[1:] == found[:-1]).any():
            return None
        if done < first <= done + len(found):
            limit = found[first - 1 - done]
        low = high
    return _packed(np.concatenate([k <= limit for k in keys()]))


def _range(keys: Words) -> Ints:
    return (keys >> np.uint64(64 - _TOP)).astype(np.int64)


def _packed(chosen: npt.NDArray[np.bool_]) -> Words:
    spare = np.zeros(-len(chosen) % 64, dtype=bool)
    bits = np.packbits(np.concatenate([chosen, spare]), bitorder="little")
    return bits.view("<u8").astype(np.uint64)
