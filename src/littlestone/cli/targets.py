"""``littlestone fit`` where the target is no label: a quantity, a count, a time until an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from littlestone.cli.options import (
    Records,
    Table,
    check_label,
    names,
    open_class,
    shared,
    whole,
)
from littlestone.errors import ParameterError, exact_value, parameter_error

if TYPE_CHECKING:
    from fractions import Fraction

    from littlestone.classes import BoostedTreeClass
    from littlestone.data.targets import Target
    from littlestone.learners.boosting import Values

_OWNER = "fit"
_CLASSES = {"scorecard": "scorecard", "boosted": "boosted_trees(depth=2)"}


@shared
class Targets:
    """A target that is no label; learned by boosted trees, or a scorecard, over a --schema."""

    target: Literal["quantity", "count"] | None = None
    """What --y is, if it is no label: a quantity in a public range, or a count."""
    low: str | None = None
    """With --target quantity: the lowest value (by default 0); lower ones count as it. Public."""
    high: str | None = None
    """With --target: the highest value; higher ones count as it. Public: say it from what is known
    of such values, not from this table. Ten times too wide costs little."""
    loss: Literal["huber", "absolute", "quantile"] | None = None
    """With --target quantity: huber (means, far errors capped; the default), absolute (medians) or
    quantile."""
    quantile: str | None = None
    """With --loss quantile: which one, for example 0.9."""
    time: str | None = None
    """Column of times, instead of --y: survival until the --event, in --periods."""
    event: str | None = None
    """With --time: column that is 1 where the event ended the time, and 0 where it was not seen."""
    periods: str | None = None
    """With --time: the public ends of the periods, for example 12,24,36; or with --high their
    number, all equal."""

    @property
    def asked(self) -> bool:
        """Whether the target is no label."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        if given and not {"target", "time"} & set(given):
            raise ParameterError(
                f"The {next(iter(given))!r} parameter of fit is for a target that is no label: say "
                "--target quantity, --target count, or --time."
            )
        return bool(given)

    def opened(self) -> Target:
        """Return the public target."""
        from littlestone.data.targets import Count, Periods, Quantity

        if self.time is not None:
            self._only("time", "event", "periods", "high")
            if self.event is None or self.periods is None:
                raise ParameterError(
                    "With --time, fit needs --event, the column of events, and --periods, their "
                    "public ends, for example --periods 12,24,36."
                )
            return Periods(self._ends())
        if self.high is None:
            raise ParameterError(
                "With --target, fit needs --high, the highest value that counts: a public number, "
                "said from what is known of such values and not from this table."
            )
        if self.target == "count":
            self._only("target", "high")
            return Count(cast(int, self.high))  # a text, checked there
        self._only("target", "low", "high", "loss", "quantile")
        return Quantity(cast("Fraction", self.low or "0"), cast("Fraction", self.high))

    def _ends(self) -> tuple[Any, ...]:
        assert self.periods is not None
        if self.high is None:
            return tuple(end.strip() for end in self.periods.split(","))
        number, high = whole(_OWNER, "periods", self.periods), exact_value(self.high)
        if high is None or high <= 0:
            raise parameter_error(_OWNER, "high", "a positive number", self.high)
        return tuple(high * (i + 1) / number for i in range(number))

    def _only(self, *possible: str) -> None:
        for name, value in vars(self).items():
            if value is not None and name not in possible:
                kind = "--time" if self.time else f"--target {self.target}"
                raise ParameterError(f"The {name!r} parameter of fit does not go with {kind}.")


def learner_of(
    targets: Targets, data: str, y: str | None, *, goal: Any, records: Records, table: Table
) -> tuple[Values, str, Any]:
    """Return the learner, the column of the target, and the table as it is read."""
    from littlestone.classes import BoostedTreeClass
    from littlestone.data import read_table
    from littlestone.learners.boosting import Values

    if (y is None) == (targets.time is None):
        raise ParameterError("fit needs --y, the column of the target, or --time, one of times.")
    if records.positive is not None or records.negative is not None:
        raise ParameterError("--positive and --negative are for labels: leave them out.")
    spec = goal.concept_class or _CLASSES.get(goal.model or "boosted", "")
    target = targets.opened()
    if records.schema is None:
        raise ParameterError(
            "fit learns a target that is no label over a public --schema of the columns. "
            "`littlestone schema new TABLE` writes a draft of it."
        )
    concepts, public = open_class(spec or "rules(1)", records.schema, names(_OWNER, "x", records.x))
    if not spec or not isinstance(concepts, BoostedTreeClass):
        raise ParameterError(
            "A target that is no label is learned by --model boosted or scorecard, or by --class "
            "boosted_trees(depth=2) or scorecard."
        )
    described: dict[str, Any] = {**concepts.to_dict(), "target": target.to_dict()}
    made: BoostedTreeClass = type(concepts).from_dict(described)
    column = y or targets.time
    assert column is not None
    for name in (column, targets.event):
        if name is not None:
            check_label(_OWNER, name, made.domain.schema.names)
    learner = Values(
        made,
        epsilon=goal.epsilon,
        delta=goal.delta,
        loss=targets.loss or "auto",
        quantile=cast(Any, targets.quantile),
        unit="records" if records.user is None else "users",
    )
    form = table.format(_OWNER, data, public)
    declared = None if public is None else public.csv
    return learner, column, read_table(data, csv=form, declared=declared, caller=_OWNER)
