"""Public coins, and other libraries' generators: nothing private may rest on them."""

from __future__ import annotations

import random

import numpy as np

__all__ = ["public_generator", "reseed"]


def public_generator(*numbers: int) -> np.random.Generator:
    """Return the generator that belongs to public (or one user's own) numbers.

    For choices whose randomness protects nobody: which of one user's surplus records to leave out,
    the hash functions of a representation. The same numbers always give the same generator.

    Parameters
    ----------
    *numbers : int >= 0

    Examples
    --------
    >>> int(public_generator(1, 2).integers(10)) == int(public_generator(1, 2).integers(10))
    True
    """
    return np.random.default_rng(numbers)


def reseed() -> None:
    """Give the global generators of ``random`` and numpy fresh entropy, in a forked process.

    For auditing other libraries' mechanisms in several processes: they would repeat one another.
    """
    random.seed()
    np.random.seed()  # noqa: NPY002 - the legacy global state is what others draw from
