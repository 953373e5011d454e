"""What intervals and sets of labels need and cover, before any data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.data.targets import Target
from littlestone.errors import check_fraction, check_integer, check_probability, parameter_error
from littlestone.learners.boosting.values import HOLDOUT, bounds_of, planned
from littlestone.learners.running import held_out_of
from littlestone.mechanisms import Conformal

if TYPE_CHECKING:
    from littlestone.bounds import Unit
    from littlestone.types import Json


@dataclass(frozen=True)
class IntervalPlan:
    """What `fit` would draw intervals or sets from, with ``interval=``."""

    n: int  # records or users, of which ``conformal.m`` are held out
    required: int  # the least n that is not refused, with this holdout
    holdout: Fraction
    conformal: Conformal  # its rank, certificate, and the share of all new ones

    def to_dict(self) -> Json:
        """Return plain JSON."""
        own = {"n": self.n, "required": self.required, "holdout": str(self.holdout)}
        return own | {"interval": self.conformal.to_dict(), "share": self.conformal.share()}


def plan_interval(
    interval: Any,
    *,
    epsilon: Any,
    n: Any = None,
    holdout: Any = HOLDOUT,
    evaluate: Any = None,
    target: Target | None = None,
    unit: Unit = "records",
) -> IntervalPlan:
    """Say how many records intervals or sets of labels need, and what they cover.

    Parameters
    ----------
    interval : number in (0, 1)
        The share of new records, or users, that is to be covered.
    epsilon : number > 0
        Of a fit with a schema.
    n : int, optional
        Records, or users; by default as few as are enough.
    holdout : number in (0, 1)
        The share that is held out.
    evaluate : number in (0, epsilon), optional
        The part of epsilon of an evaluation on them.
    target : Quantity or Count, optional
        Without one it is about labels.
    unit : {"records", "users"}

    Raises
    ------
    InfeasibleError
        If n is too small: the refusal of ``fit``, with how many must be held out.

    Examples
    --------
    >>> plan = plan_interval(0.9, epsilon=1)
    >>> plan.required, plan.conformal.m
    (565, 113)
    >>> plan = plan_interval(0.9, epsilon=1, n=5000)
    >>> plan.conformal.m, round(plan.conformal.share(), 3)
    (1000, 0.874)
    """
    caller = "plan"
    total = check_fraction(caller, "epsilon", epsilon, hint="1 is a common choice.")
    part = Fraction(0) if evaluate is None else check_fraction(caller, "evaluate", evaluate)
    if part >= total:
        wanted = "smaller than epsilon, since intervals need a part of it"
        raise parameter_error(caller, "evaluate", wanted, evaluate)
    level = check_probability(caller, "interval", interval, hint="0.9 is a common choice.")
    share = check_probability(caller, "holdout", holdout)
    cells = len(bounds_of(target))
    least = Conformal.least(cells=cells, alpha=1 - level, epsilon=total - part)
    required = math.ceil(least / share)
    number = required if n is None else check_integer(caller, "n", n, low=1)
    m = held_out_of(number, share, interval=True)
    conformal = planned(target, level, m=m, epsilon=total - part, unit=unit)
    return IntervalPlan(number, required, share, conformal)
