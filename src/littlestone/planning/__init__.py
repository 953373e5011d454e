"""Plan before you collect: how many people each learner needs, and what no learner can beat.

=================  =================================================================
`plans`            `plan`: all learners for one class, side by side; mistakes in a stream;
                   `solve`: the least epsilon or alpha for a given n; what no learner can beat
`rehearsal`        `rehearse`: the whole fit on a public twin, again and again; protocols
`population`       rows of a public twin, or of a simulated population; one run
=================  =================================================================

The comparison itself is `littlestone.learners.select`: ``fit`` uses it too.
"""

from littlestone.planning.plans import LowerBound as LowerBound
from littlestone.planning.plans import Plans as Plans
from littlestone.planning.plans import Solution as Solution
from littlestone.planning.plans import StreamPlan as StreamPlan
from littlestone.planning.plans import lower_bounds as lower_bounds
from littlestone.planning.plans import plan as plan
from littlestone.planning.plans import plan_stream as plan_stream
from littlestone.planning.plans import solve as solve
from littlestone.planning.population import Spread as Spread
from littlestone.planning.rehearsal import Aim as Aim
from littlestone.planning.rehearsal import Cell as Cell
from littlestone.planning.rehearsal import Needed as Needed
from littlestone.planning.rehearsal import Rehearsal as Rehearsal
from littlestone.planning.rehearsal import rehearse as rehearse
