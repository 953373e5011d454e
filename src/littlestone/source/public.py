"""Public coins, and other libraries' generators: nothing private may rest on them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from littlestone.source.sampler import Source


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
