"""What a caller is warned of, before anything is drawn: weak promises, and fits that add up."""

from __future__ import annotations

import warnings
from itertools import count
from multiprocessing import parent_process
from typing import TYPE_CHECKING

from littlestone.errors import NotPrivateWarning

if TYPE_CHECKING:
    from littlestone.privacy import Guarantee

__all__ = ["LARGEST_EPSILON", "warn_of_sums", "warn_of_weakness", "weaknesses"]

#: Above it a promise is empty in practice: e**20 is 485 million.
LARGEST_EPSILON = 20


def weaknesses(guarantee: Guarantee, n: int | None) -> list[str]:
    """Say what makes a promise empty.

    Examples
    --------
    >>> from littlestone.privacy import Guarantee
    >>> weaknesses(Guarantee(1, "1e-6"), 1000)
    []
    >>> for line in weaknesses(Guarantee(30, "0.01"), 100):
    ...     print(line)
    epsilon 30 is above 20: what one record changes may be more than 485 million times as likely
    with it as without. 1 is usual.
    delta 0.01 is at least 1/n: publishing a record that is drawn at random keeps such a promise.
    Choose it far below 1/n.
    """
    found = []
    if guarantee.epsilon > LARGEST_EPSILON:
        found.append(
            f"epsilon {float(guarantee.epsilon):g} is above {LARGEST_EPSILON}: what one record "
            "changes may be more than 485 million times as likely with it as without. 1 is usual."
        )
    if n is not None and guarantee.delta * n >= 1:
        found.append(
            f"delta {float(guarantee.delta):g} is at least 1/n: publishing a record that is drawn "
            "at random keeps such a promise. Choose it far below 1/n."
        )
    return found


def warn_of_weakness(guarantee: Guarantee, n: int | None, stacklevel: int) -> None:
    """Warn of each weakness of a promise."""
    for line in weaknesses(guarantee, n):
        warnings.warn(line, NotPrivateWarning, stacklevel=stacklevel + 1)


class _Unpaid:
    """Fits of this process that no ledger pays for."""

    def __init__(self) -> None:
        self.fits, self.said = count(1), False  # counting is one step, also for threads

    def another(self, stacklevel: int) -> None:
        """Count a fit, and warn unless it is the first one of a process of its own."""
        if (next(self.fits) == 1 and parent_process() is None) or self.said:
            return
        warnings.warn(
            "This is not the only fit here, and no ledger pays for it. Fits on the same records "
            "add up: what all of them release costs the sum of their epsilons (deltas), so a grid "
            "search or a cross-validation costs many times what each model says. "
            "fit(..., ledger=littlestone.Ledger(...)) records and limits the sum; "
            "docs/guide/searches.md. This is said once in each process.",
            NotPrivateWarning,
            stacklevel=stacklevel + 1,
        )
        self.said = True  # not if the warning is an error


_unpaid = _Unpaid()


def warn_of_sums(stacklevel: int) -> None:
    """Warn, once, of the second fit of a process, or of any in a process that another started."""
    _unpaid.another(stacklevel + 1)
