"""``littlestone plan --interval``: what intervals and sets of labels need, and cover."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING, Any, Literal

from littlestone.cli.options import Evaluated, covered_share, needed, shared, whole
from littlestone.errors import ParameterError, check_fraction

if TYPE_CHECKING:
    from fractions import Fraction


@shared
class Intervals:
    """Intervals or sets of labels."""

    interval: str | None = None
    """Plan only `fit --interval`, of boosted trees and scorecards: how many records intervals or
    sets of labels need, or what those of --n cover. Without --schema a fifth of epsilon is for the
    columns."""
    holdout: str | None = None
    """With --interval: the share of records that is held out, by default 0.2."""
    target: Literal["quantity", "count"] | None = None
    """With --interval: around a quantity or a count, instead of sets of labels."""
    high: str | None = None
    """With --target count: the highest value."""

    def asked(self, goal: dict[str, Any], **others: Any) -> bool:
        """Return whether they are asked for; refuse what does not go together."""
        if self.interval is None:
            given = next((name for name, value in vars(self).items() if value is not None), None)
            if given is not None:
                raise ParameterError(f"The {given!r} parameter of plan is for --interval.")
            return False
        for name, value in (goal | others).items():
            if value:
                raise ParameterError(
                    f"The {name!r} parameter of plan must be left out beside --interval: what is "
                    "covered does not depend on it."
                )
        return True

    def plan(
        self, epsilon: str | None, n: str | None, evaluated: Evaluated, *, learned: bool, json: bool
    ) -> int:
        """Say what they need, and cover, as `fit` would refuse or certify them."""
        from littlestone.cli.terminal import facts
        from littlestone.data.targets import Count, Quantity, Target
        from littlestone.learners.boosting.intervals import HOLDOUT, INTERVAL_EVALUATION
        from littlestone.learners.models import COLUMNS
        from littlestone.planning import plan_interval
        from littlestone.report.words import number_of

        total: Fraction = check_fraction("plan", "epsilon", needed("plan", "epsilon", epsilon))
        total *= 1 - COLUMNS * learned
        share = self.holdout or str(HOLDOUT)
        target: Target | None = None
        if self.target is not None:
            high: Any = "1" if self.target == "quantity" else needed("plan", "high", self.high)
            target = Quantity(0, high) if self.target == "quantity" else Count(high)  # type: ignore[arg-type] # made exact there
        found = plan_interval(
            covered_share("plan", self.interval),
            n=None if n is None else whole("plan", "n", n),
            epsilon=total,
            holdout=share,
            evaluate=evaluated.part("plan", total, share, of_held_out=INTERVAL_EVALUATION),
            target=target,
        )
        if json:
            print(jsonlib.dumps(found.to_dict(), sort_keys=True))
            return 0
        own, least = found.conformal, number_of(found.required, "records")
        level = f"{float(1 - own.alpha):.4g}"
        facts([
            ("Needed", f"{least}, of which {share} are held out", ""),
            ("Drawn from", f"{number_of(own.m, 'records')}, for epsilon {own.epsilon}", ""),
            ("Covered", f"a new record, with probability {level} or more", ""),
            ("", f"{own.share():.3f} of all new ones, except with probability 5%", ""),
            *([("", "Not if fit learns the columns from these records, too: give a schema", "")]
              if learned else []),
        ])  # fmt: skip
        return 0
