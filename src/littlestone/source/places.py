"""The first places of a secret permutation, as a set: a bit for each place, not eight bytes.

A dealing of records to two parts needs no order inside a part. `BitSource.permutation` is the order
of n random keys, so its first m entries, as a set, are the places of the m smallest keys. The keys
go to a private file that has no name, and are sorted a range after the other: the memory is that of
a range, and of a bit for each place, with what finds the number of bits before a place.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from littlestone.errors import DataError
from littlestone.source.sampler import BitSource

if TYPE_CHECKING:
    from typing import IO

    from littlestone.source.sampler import Source

__all__ = ["NO_ROOM", "Places", "first_places", "private_places"]

NO_ROOM = (
    "A private file of the dealing could not be written: is there room in the folder of temporary "
    "files? Nothing is released."
)

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_PIECE = 1 << 20  # keys that are drawn at a time
_ROOM = 1 << 25  # keys that are sorted at a time: 256 MB
_TOP = 16  # bits of a key that say which range it is in


class Places:
    """A set of places in range(n).

    Parameters
    ----------
    words : uint64 array
        A bit for each place, the lowest one first.

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
    """Return the set of the first entries of a secret permutation of range(n).

    Parameters
    ----------
    source : Source
        It draws what ``source.permutation(n)`` draws.
    n : int
    first : int
        How many entries, from 1 to n.

    Returns
    -------
    Places
        Of ``source.permutation(n)[:first]``.

    Raises
    ------
    DataError
        If the private file of the keys is damaged.

    Notes
    -----
    Cost: 10 million places take about 2 s, 80 MB of a private file, and memory for at most 2**25
    keys.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> one, other = SeededSource(3), SeededSource(3)
    >>> chosen = first_places(one, 10, 4).before(np.arange(11))
    >>> np.flatnonzero(np.diff(chosen)).tolist() == sorted(other.permutation(10)[:4].tolist())
    True
    """
    if not isinstance(source, BitSource):
        return Places.of(source.permutation(n)[:first], n)
    return _smallest(source.random_bytes, n, first)


def private_places(source: Source, n: int, first: int) -> Places:
    """Return `first_places` of records: what stops the writing of the keys quotes nothing.

    Raises
    ------
    DataError
        If the private file could not be written, or is damaged.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> int(private_places(SeededSource(3), 10, 4).before(np.array([10]))[0])
    4
    """
    try:
        return first_places(source, n, first)
    except OSError:
        pass
    raise DataError(NO_ROOM)


def _smallest(draw: Callable[[int], bytes], n: int, first: int, room: int = _ROOM) -> Places:
    """Return the places of the smallest keys; draw anew where two keys are equal."""
    while True:
        with tempfile.TemporaryFile(prefix="littlestone-", buffering=0) as file:
            sizes = np.zeros(1 << _TOP, dtype=np.int64)
            for start in range(0, n, _PIECE):
                drawn = draw(8 * min(_PIECE, n - start))
                keys = np.frombuffer(drawn, dtype=np.uint64)
                sizes += np.bincount(_range(keys), minlength=len(sizes))
                left = memoryview(drawn)
                while left:
                    left = left[file.write(left) :]
            limit = _limit(file, n, first, sizes, room)
            if limit is not None:
                words = [_packed(keys <= limit) for keys in _keys(file, n)]
                return Places(np.concatenate(words))


def _limit(file: IO[bytes], n: int, first: int, sizes: Ints, room: int) -> np.uint64 | None:
    """Return the largest key of the first places; None where two keys are equal."""
    limit, low, upto = None, 0, np.cumsum(sizes)
    while low < len(sizes):
        done = int(upto[low - 1]) if low else 0
        high = max(int(np.searchsorted(upto, done + room, side="right")), low + 1)
        found = np.concatenate(
            [keys[(low <= _range(keys)) & (_range(keys) < high)] for keys in _keys(file, n)]
        )
        found.sort()
        if (found[1:] == found[:-1]).any():
            return None
        if done < first <= done + len(found):
            limit = found[first - 1 - done]
        low = high
    return limit


def _keys(file: IO[bytes], n: int) -> Iterator[Words]:
    file.seek(0)
    for start in range(0, n, _PIECE):
        size = 8 * min(_PIECE, n - start)
        raw = file.read(size)
        if len(raw) < size:
            raise DataError("The private file of a dealing is damaged. Nothing is released.")
        yield np.frombuffer(raw, dtype=np.uint64)


def _range(keys: Words) -> Ints:
    return (keys >> np.uint64(64 - _TOP)).astype(np.int64)


def _packed(chosen: npt.NDArray[np.bool_]) -> Words:
    spare = np.zeros(-len(chosen) % 64, dtype=bool)
    bits = np.packbits(np.concatenate([chosen, spare]), bitorder="little")
    return bits.view("<u8").astype(np.uint64)
