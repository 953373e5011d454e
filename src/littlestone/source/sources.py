"""Sources: the operating system's entropy for releases, a seed for experiments, recorded answers.

`SecureSource` is the source of releases. Nothing drawn from a `SeededSource` is private.
`ReplaySource` gives prescribed answers and keeps the weights that it was presented with.
"""

from __future__ import annotations

import os
import random
import weakref
from collections.abc import Iterable
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.errors import check_integer
from littlestone.source.sampler import BitSource, Source, presented
from littlestone.source.weights import Presented, as_weights

if TYPE_CHECKING:
    from littlestone.source.sampler import Source


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


class ReplaySource:
    """Answer draws from a list, and record the weights of each draw.

    Fast paths (an engine, numba, a float filter) must present *identical weights* as the plain
    path: run both on a ReplaySource and compare ``presented``.

    Parameters
    ----------
    choices : iterable of int
        The answers, in order, of ``choose`` and ``below``.

    Attributes
    ----------
    presented : list
        For each draw, the enclosures that were presented (at 96 bits), or ``("below", m)``, or
        ``("permutation", n)``, or ``("permutation", n, first)``.

    Examples
    --------
    >>> from littlestone.source import ExplicitWeights
    >>> source = ReplaySource([1, 4])
    >>> source.choose(ExplicitWeights(1, 1)), source.below(10), source.presented[1]
    (1, 4, ('below', 10))
    """

    seeded = True

    def __init__(self, choices: Iterable[int]) -> None:
        self._choices = iter(choices)
        self.presented: list[tuple[object, ...]] = []

    def _next(self, m: int) -> int:
        try:
            answer = next(self._choices)
        except StopIteration:
            raise RuntimeError("ReplaySource has no answers left; give it more choices.") from None
        if not 0 <= answer < m:
            raise RuntimeError(f"ReplaySource was asked for one of {m} outcomes, not {answer}.")
        return answer

    def choose(self, weights: Presented) -> int:
        """Record the weights; return the next answer."""
        weights = as_weights(weights)
        self.presented.append(presented(weights))
        return self._next(len(weights))

    def below(self, m: int) -> int:
        """Record m; return the next answer."""
        self.presented.append(("below", m))
        return self._next(m)

    def permutation(self, n: int, first: int | None = None) -> npt.NDArray[np.int64]:
        """Record n, and how many entries were requested; return the identity."""
        self.presented.append(("permutation", n) if first is None else ("permutation", n, first))
        return np.arange(n, dtype=np.int64)[:first]

    def public_rng(self) -> np.random.Generator:
        """Return a generator with a fixed seed."""
        return np.random.default_rng(0)


def source_of(caller: str, random_state: int | Source | None) -> Source:
    """Return the source that a ``random_state`` asks for.

    Examples
    --------
    >>> source_of("doctest", 0).seeded, source_of("doctest", None).seeded
    (True, False)
    """
    if random_state is None:
        return SecureSource()
    if isinstance(random_state, Source):
        return random_state
    hint = "None draws from the operating system; an int is reproducible and NOT private."
    return SeededSource(check_integer(caller, "random_state", random_state, low=0, hint=hint))


def public_generator(*numbers: int) -> np.random.Generator:
    """Return the generator that belongs to public (or one user's own) numbers.

    For choices on whose randomness no privacy rests: which of one user's surplus records to leave
    out, the hash functions of a representation. The same numbers always give the same generator.

    Examples
    --------
    >>> int(public_generator(1, 2).integers(10)) == int(public_generator(1, 2).integers(10))
    True
    """
    return np.random.default_rng(numbers)


def public_salt(source: Source) -> int:
    """Return a fresh public number below 2**63, the first of the numbers of many generators.

    With it, each user's (or copy's) own `public_generator` is keyed by salt and name: what belongs
    to one of them depends on no other.

    Examples
    --------
    >>> from littlestone.source import SecureSource
    >>> public_salt(SecureSource()).bit_length() <= 63
    True
    """
    return int(source.public_rng().integers(2**63))


def reseed() -> None:
    """Give the global generators of ``random`` and numpy fresh entropy, in a forked process.

    For auditing other libraries' mechanisms in several processes: they would repeat one another.
    """
    random.seed()
    np.random.seed()  # noqa: NPY002 - the legacy global state is what others draw from
