"""What ``fit`` learns that is no label: a quantity, a count, or a time until an event."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.data.targets import Count, Periods, Quantity, Target
from littlestone.errors import ParameterError, exact_value, parameter_error
from littlestone.learners.boosting.values import check_loss


@dataclass(frozen=True)
class Wanted:
    """A target, the loss that is minimized, and of a time the column of events; public."""

    target: Target
    loss: str = "auto"
    quantile: Fraction | None = None
    event: str | None = None


def wanted(
    caller: str,
    y: Any,
    *,
    target: str | None = None,
    low: Any = None,
    high: Any = None,
    loss: str | None = None,
    quantile: Any = None,
    time: str | None = None,
    event: str | None = None,
    periods: Any = None,
) -> Wanted | None:
    """Return the target that these parameters of ``fit`` name; None for labels.

    Examples
    --------
    >>> wanted("fit", "price", target="quantity", high=20000).target
    Quantity(low=Fraction(0, 1), high=Fraction(20000, 1), cells=10000)
    >>> wanted("fit", None, time="months", event="died", periods=2, high=24).target
    Periods(ends=(Fraction(12, 1), Fraction(24, 1)))
    """
    given = {
        "target": target, "low": low, "high": high, "loss": loss, "quantile": quantile,
        "time": time, "event": event, "periods": periods,
    }  # fmt: skip
    given = {name: value for name, value in given.items() if value is not None}
    if not given:
        return None
    if target is None and time is None:
        raise ParameterError(
            f"The {next(iter(given))!r} parameter of {caller} is for what is no label: say "
            'target="quantity" or "count", or time=, the column of times (--target, --time).'
        )
    if (y is None) == (time is None):
        raise ParameterError(
            f"{caller} needs y, the column of the target (--y), or time, one of times until an "
            "event (--time): one of the two."
        )
    if time is not None:
        _only(caller, given, "time=", "time", "event", "periods", "high")
        if isinstance(time, str) and time == event:
            raise ParameterError(
                f"The time and the event of {caller} are two columns: how long, and what is 1 "
                "where the event ended it."
            )
        if event is None or periods is None:
            raise ParameterError(
                f"With a time, {caller} needs event, the column of events, and periods, their "
                "public ends, for example 12, 24, 36 (--event, --periods)."
            )
        return Wanted(Periods(_ends(caller, periods, high)), event=event)
    if target not in ("quantity", "count"):
        raise parameter_error(caller, "target", "quantity or count", target)
    if high is None:
        raise ParameterError(
            f"With a target, {caller} needs high, the highest value that counts (--high): a public "
            "number, said from what is known of such values and not from this table."
        )
    if target == "count":
        _only(caller, given, "a count", "target", "high")
        return Wanted(Count(high))
    _only(caller, given, "a quantity", "target", "low", "high", "loss", "quantile")
    asked = Quantity(0 if low is None else low, high)  # type: ignore[arg-type] # made exact there
    chosen = loss or ("auto" if quantile is None else "quantile")
    return Wanted(asked, chosen, check_loss(caller, asked, chosen, quantile))


def _only(caller: str, given: Iterable[str], kind: str, *possible: str) -> None:
    for name in given:
        if name not in possible:
            raise ParameterError(f"The {name!r} parameter of {caller} does not go with {kind}.")


def _ends(caller: str, periods: Any, high: Any) -> tuple[Any, ...]:
    """Return the ends that were given, or so many equal periods up to ``high``."""
    if high is None:
        return periods  # type: ignore[no-any-return] # checked where they are used
    end, number = exact_value(high), exact_value(periods)
    if end is None or end <= 0:
        raise parameter_error(caller, "high", "a positive number", high)
    if number is None or number.denominator > 1 or not 1 <= number <= 100:
        wanted_number = "beside high a number of equal periods, from 1 to 100"
        raise parameter_error(caller, "periods", wanted_number, periods)
    return tuple(end * (i + 1) / number for i in range(int(number)))
