"""What is predicted: labels, or a target that is none, and by which columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from littlestone.classes import BoostedTreeClass, ConceptClass
from littlestone.data.targets import Count, Periods, Quantity, Target
from littlestone.errors import ParameterError, exact_value, parameter_error
from littlestone.learners.boosting.values import check_loss

if TYPE_CHECKING:
    from littlestone.data.tables import Table
    from littlestone.types import Json


@dataclass(frozen=True)
class Labels:
    """A target like the others: two labels, of which one cell is the positive one, or a list."""

    listed: tuple[Any, ...] | None = None
    names: tuple[Any, ...] | None = None  # of two: what predictions say
    positive: Any = 1
    negative: Any = None  # with strict reading: the only other cell
    kind = "label"


ZERO_ONE = Labels()


@dataclass(frozen=True)
class Task:
    """What is predicted, and by which columns of the table; public."""

    y: str  # of labels, of the target, or of times
    target: Labels | Target
    event: str | None = None
    loss: str = "auto"
    quantile: Fraction | None = None

    @classmethod
    def parse(cls, caller: str, y: Any, labels: Labels, **given: Any) -> Task:
        """Return what the parameters of ``fit`` name.

        Examples
        --------
        >>> Task.parse("fit", "price", ZERO_ONE, target="quantity", high=20000).target
        Quantity(low=Fraction(0, 1), high=Fraction(20000, 1), cells=10000)
        >>> Task.parse("fit", None, ZERO_ONE, time="t", event="died", periods=2, high=24).target
        Periods(ends=(Fraction(12, 1), Fraction(24, 1)), event_is=1)
        """
        given = {name: value for name, value in given.items() if value is not None}
        target, time, high = (given.get(name) for name in ("target", "time", "high"))
        if given and target is None and time is None:
            raise ParameterError(
                f"The {next(iter(given))!r} parameter of {caller} is not for labels: give "
                'target="quantity" or "count", or time=, the column of times (--target, '
                "--time)."
            )
        if given and (y is None) == (time is None):
            raise ParameterError(
                f"{caller} needs exactly one of y, the column of the target (--y), and time, a "
                "column of times until an event (--time)."
            )
        column = y if time is None else time
        if not isinstance(column, str):
            hint = (
                "For example --y adult: the column of labels; for times --time and --event. "
                "Labels in a separate array become a column by table.assign(label=labels)."
            )
            raise parameter_error(caller, "y", "the name of a column", type(column).__name__, hint)
        if not given:
            return cls(column, labels)
        if labels != ZERO_ONE:
            raise ParameterError(
                f"The 'labels' parameter of {caller} is for labels: leave it out beside --target "
                "or --time."
            )
        if time is not None:
            _only(caller, given, "time=", "time", "event", "event_is", "periods", "high")
            event, periods = given.get("event"), given.get("periods")
            if time == event:
                raise ParameterError(
                    f"The time and the event of {caller} must be two columns: a duration, and an "
                    "indicator that is 1 for an observed event."
                )
            if event is None or periods is None:
                raise ParameterError(
                    f"With a time, {caller} needs event, the column of events, and periods, their "
                    "public ends, for example 12, 24, 36 (--event, --periods)."
                )
            ends = _ends(caller, periods, high)
            return cls(column, Periods(ends, given.get("event_is", 1)), event)
        if target not in ("quantity", "count"):
            raise parameter_error(caller, "target", "quantity or count", target)
        if high is None:
            raise ParameterError(
                f"Records with a numeric target, {caller} needs high, the highest value (--high): "
                "a public number from general knowledge, not from this table."
            )
        if target == "count":
            _only(caller, given, "a count", "target", "high")
            return cls(column, Count(high))
        _only(caller, given, "a quantity", "target", "low", "high", "loss", "quantile")
        asked, quantile = Quantity(given.get("low", 0), high), given.get("quantile")
        loss = given.get("loss", "auto" if quantile is None else "quantile")
        return cls(column, asked, None, loss, check_loss(caller, asked, loss, quantile))

    @property
    def of_labels(self) -> bool:
        """Whether labels are predicted."""
        return isinstance(self.target, Labels)

    @property
    def labels(self) -> tuple[Any, ...] | None:
        """The public list of labels, if there is one."""
        return self.target.listed if isinstance(self.target, Labels) else None

    @property
    def rule(self) -> Json:
        """How cells of the column are read."""
        if not isinstance(self.target, Labels):
            return {} if self.event is None else {"event": self.event}
        if self.target.listed is not None:
            return {}
        return {"positive": self.target.positive, "negative": self.target.negative}

    def concepts(self, make: Callable[[int], ConceptClass]) -> ConceptClass:
        """Return the class of trees with two tests, or with one where that would be too large."""
        try:
            found = make(2)
        except ParameterError:
            found = make(1)
        if isinstance(self.target, Labels):
            return found
        return cast(BoostedTreeClass, found).of_target(self.target)

    def check(self, caller: str, table: Table, names: Sequence[str] = ()) -> None:
        """Refuse columns that are not there, or are declared as what they are not to be."""
        import pyarrow as pa  # noqa: PLC0415 - engines are loaded late

        from littlestone.data.draft import declared_kinds  # noqa: PLC0415

        table.frame([*names, self.y, *([] if self.event is None else [self.event])], caller)
        (kind,) = declared_kinds(table, [self.y], caller)
        if kind is None:
            return
        if not self.of_labels and pa.types.is_temporal(kind):
            raise ParameterError(
                f"The table declares the column {self.y!r} as {kind}, which is not a "
                f"{self.target.kind}: give {caller} a column of numbers."
            )
        if self.target == ZERO_ONE and not (
            pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)
            or pa.types.is_decimal(kind)
        ):  # fmt: skip
            what = "texts" if "string" in str(kind) else str(kind)
            raise ParameterError(
                f"The table declares the column {self.y!r} as {what}: state which cell means 1, "
                "for example --positive yes, or list all labels: --labels a,b,c (labels=)."
            )


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
