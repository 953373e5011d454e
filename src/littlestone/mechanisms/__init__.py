"""Private building blocks: few finite draws each, each verified exactly (docs/mechanisms.md).

=================  ===============================================================================
`select`           the exponential mechanism; few candidates with a score among infinitely
                   many, the weights of bottom that hides which; frequent items
`estimate`         two-sided geometric noise and the discrete Gaussian; private counts; a bound
                   that holds for a share of new units, from held-out scores; where a sum is
                   clipped: a draw by rank over public edges
`above_threshold`  any number of questions, paid for by the charged answers
`median`           medians, quantiles and paths
=================  ===============================================================================
"""

from littlestone.mechanisms.above_threshold import AboveThreshold, RunningTest
from littlestone.mechanisms.estimate import (
    Conformal,
    Estimate,
    noise_radius,
    private_count,
)
from littlestone.mechanisms.median import (
    MedianPlan,
    MedianRelease,
    plan_median,
    private_median,
)
from littlestone.mechanisms.select import (
    canonical_key,
    count_listed,
    count_lists,
    entering_bottom,
    exponential_mechanism,
    histogram_threshold,
    removal_bottom,
    score_gap,
    score_needed,
    selection_rate,
    sparse_select,
    sparse_select_lists,
    stable_histogram,
    stable_items,
)

__all__ = [
    "AboveThreshold",
    "Conformal",
    "Estimate",
    "MedianPlan",
    "MedianRelease",
    "RunningTest",
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
