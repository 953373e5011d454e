"""Private building blocks: few finite draws each, each verified exactly (docs/mechanisms.md).

=================  ===========================================================================
`select`           the exponential mechanism; few candidates with a score among infinitely
                   many, the weights of bottom that hides which, and the order of candidates
`counts`           noisy counts of public cells, and of items that cannot be listed beforehand
`conformal`        a bound that holds for a share of new units, from held-out scores
`histogram`        frequent items that cannot be listed beforehand
`above_threshold`  any number of questions, paid for by the charged answers
`estimate`         two-sided geometric noise; a private count with an interval
`gaussian`         the discrete Gaussian
``median/``        medians, quantiles and paths
=================  ===========================================================================
"""

from littlestone.mechanisms.above_threshold import AboveThreshold, RunningTest
from littlestone.mechanisms.conformal import Conformal
from littlestone.mechanisms.estimate import (
    Estimate,
    noise_radius,
    private_count,
)
from littlestone.mechanisms.histogram import (
    count_listed,
    histogram_threshold,
    stable_histogram,
    stable_items,
)
from littlestone.mechanisms.median import (
    MedianPlan,
    MedianRelease,
    plan_median,
    private_median,
)
from littlestone.mechanisms.select import (
    bottom_score,
    canonical_key,
    count_lists,
    entering_bottom,
    exponential_mechanism,
    removal_bottom,
    score_gap,
    score_needed,
    selection_rate,
    sparse_select,
    sparse_select_lists,
)

__all__ = [
    "AboveThreshold",
    "Conformal",
    "Estimate",
    "MedianPlan",
    "MedianRelease",
    "RunningTest",
    "bottom_score",
    "canonical_key",
    "count_listed",
    "count_lists",
    "entering_bottom",
    "exponential_mechanism",
    "histogram_threshold",
    "noise_radius",
    "plan_median",
    "private_count",
    "private_median",
    "removal_bottom",
    "score_gap",
    "score_needed",
    "selection_rate",
    "sparse_select",
    "sparse_select_lists",
    "stable_histogram",
    "stable_items",
]
