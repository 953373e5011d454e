"""``littlestone fit`` where the target is no label: a quantity, a count, a time until an event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from littlestone.cli.options import check_label, names, open_class, shared
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.classes import BoostedTreeClass
    from littlestone.learners.targets import Wanted


@shared
class Targets:
    """A target that is no label; learned by boosted trees, or a scorecard."""

    target: Literal["quantity", "count"] | None = None
    """What --y is, if not a label: a quantity in a public range, or a count."""
    low: str | None = None
    """With --target quantity: the lowest value (by default 0); lower ones count as it. Public."""
    high: str | None = None
    """With --target: the highest value; higher ones count as it. Public: take it from general
    knowledge, not from this table. A range ten times too wide costs little."""
    loss: Literal["huber", "absolute", "quantile"] | None = None
    """With --target quantity: huber (means, far errors capped; the default), absolute (medians) or
    quantile."""
    quantile: str | None = None
    """With --target quantity: predict this quantile, for example 0.9."""
    time: str | None = None
    """Column of times, instead of --y: survival until the --event, in --periods."""
    event: str | None = None
    """With --time: column that is 1 where the event ended the time, and 0 where it was not
    observed."""
    periods: str | None = None
    """With --time: the public ends of the periods, for example 12,24,36; or with --high their
    number, all equal."""

    def wanted(self, y: str | None) -> Wanted | None:
        """Return the target; None for labels."""
        if all(value is None for value in vars(self).values()):
            return None
        from littlestone.learners.targets import wanted

        periods: Any = self.periods
        if periods is not None and self.high is None:
            periods = [end.strip() for end in periods.split(",")]
        return wanted("fit", y, **(vars(self) | {"periods": periods}))


def class_of(spec: str, schema: Any, x: str | None, wanted: Wanted, y: str) -> BoostedTreeClass:
    """Return the class of ``--class`` for a target, over a schema without its columns."""
    from littlestone.classes import BoostedTreeClass

    if schema is None:
        raise ParameterError(
            "A --class for a target needs a public --schema of the columns. Leave --class out, and "
            "they are learned from the records; `littlestone schema new TABLE` writes a first one."
        )
    concepts, _ = open_class(spec, schema, names("fit", "x", x))
    if not isinstance(concepts, BoostedTreeClass):
        raise ParameterError(
            "A target that is no label is learned by --model boosted or scorecard, or by --class "
            "boosted_trees(depth=2) or scorecard."
        )
    for name in (y, wanted.event):
        if name is not None:
            check_label("fit", name, cast(Any, concepts).domain.schema.names)
    return concepts.of_target(wanted.target)
