"""Plan before you collect: how many people each learner needs, and what no learner can beat.

=================  =================================================================
`plans`            `plan`: all learners for one class, side by side; mistakes in a stream;
                   the papers' own numbers; `solve`: the least epsilon or alpha for a given n
`intervals`        `plan_interval`: what intervals and sets of labels need, and cover
`lower_bounds`     what no learner can beat
`simulate`         measured plans: the least n that works in practice
`scenarios`        public synthetic distributions, worst-case and typical, for each class
=================  =================================================================

The comparison itself is `littlestone.learners.select`: ``fit`` uses it too.
"""

from littlestone.planning.intervals import IntervalPlan, plan_interval
from littlestone.planning.lower_bounds import LowerBound, lower_bounds
from littlestone.planning.plans import Change, Plans, Solution, StreamPlan, plan, plan_stream, solve
from littlestone.planning.simulate import Measured, simulate

__all__ = [
    "Change",
    "IntervalPlan",
    "LowerBound",
    "Measured",
    "Plans",
    "Solution",
    "StreamPlan",
    "lower_bounds",
    "plan",
    "plan_interval",
    "plan_stream",
    "simulate",
    "solve",
]
