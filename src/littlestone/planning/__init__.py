"""Plan before you collect: how many people each learner needs, and what no learner can beat.

=================  =================================================================
`plans`            `plan`: all learners for one class, side by side; mistakes in a stream;
                   `solve`: the least epsilon or alpha for a given n; `plan_interval`: what
                   intervals and sets of labels need, and cover; what no learner can beat
`rehearsal`        `rehearse`: the whole fit on a public twin, again and again; protocols
`population`       rows of a public twin, or of a simulated population; one run
=================  =================================================================

The comparison itself is `littlestone.learners.select`: ``fit`` uses it too.
"""

from littlestone.planning.plans import (
    IntervalPlan,
    LowerBound,
    Plans,
    Solution,
    StreamPlan,
    lower_bounds,
    plan,
    plan_interval,
    plan_stream,
    solve,
)
from littlestone.planning.population import Spread
from littlestone.planning.rehearsal import Aim, Cell, Needed, Rehearsal, rehearse

__all__ = [
    "Aim",
    "Cell",
    "IntervalPlan",
    "LowerBound",
    "Needed",
    "Plans",
    "Rehearsal",
    "Solution",
    "Spread",
    "StreamPlan",
    "lower_bounds",
    "plan",
    "plan_interval",
    "plan_stream",
    "rehearse",
    "solve",
]
