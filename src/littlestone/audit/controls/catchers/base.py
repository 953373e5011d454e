"""What catchers are made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from littlestone.audit.mechanism import verify_mechanism
from littlestone.audit.table import Case
from littlestone.source import HiddenStateError, Source

__all__ = ["NOTICED", "Catcher", "of_case", "verified"]

#: Takes nothing; returns None if all is well, or what it saw.
Catcher = Callable[[], str | None]

#: Raised by a catcher that noticed something; every other error is a broken control.
NOTICED = (HiddenStateError,)


def of_case(case: Case) -> Catcher:
    """Return the catcher that a line of the table is: the claim holds, and says something."""

    def run() -> str | None:
        row = case.row()
        result = row.result
        if not result.holds:
            claim = float(result.delta)
            return f"worst delta {result.worst_delta:.3g}, claimed {claim:.3g}"
        if getattr(result, "refusals", 0):
            return "refuses some data sets"
        return None if row.says_something else "nothing depends on the data any more"

    return run


def verified(
    run: Callable[[Any, Source], Hashable],
    pairs: Any,
    *,
    epsilon: Any = 1,
    delta: Any = 0,
    cut: Fraction | None = None,
) -> str | None:
    """Verify a claim on chosen pairs; paths less likely than a given cut are not followed."""
    options: dict[str, Any] = {} if cut is None else {"cut": cut, "follow": 0}
    result = verify_mechanism(run, pairs, epsilon=epsilon, delta=delta, **options)
    return None if result.holds else f"worst delta {result.worst_delta:.3g}"
