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

from littlestone.mechanisms.above_threshold import AboveThreshold as AboveThreshold
from littlestone.mechanisms.above_threshold import RunningTest as RunningTest
from littlestone.mechanisms.estimate import Conformal as Conformal
from littlestone.mechanisms.estimate import Estimate as Estimate
from littlestone.mechanisms.estimate import noise_radius as noise_radius
from littlestone.mechanisms.estimate import private_count as private_count
from littlestone.mechanisms.median import MedianPlan as MedianPlan
from littlestone.mechanisms.median import MedianRelease as MedianRelease
from littlestone.mechanisms.median import plan_median as plan_median
from littlestone.mechanisms.median import private_median as private_median
from littlestone.mechanisms.select import canonical_key as canonical_key
from littlestone.mechanisms.select import count_listed as count_listed
from littlestone.mechanisms.select import count_lists as count_lists
from littlestone.mechanisms.select import entering_bottom as entering_bottom
from littlestone.mechanisms.select import exponential_mechanism as exponential_mechanism
from littlestone.mechanisms.select import histogram_threshold as histogram_threshold
from littlestone.mechanisms.select import removal_bottom as removal_bottom
from littlestone.mechanisms.select import score_gap as score_gap
from littlestone.mechanisms.select import score_needed as score_needed
from littlestone.mechanisms.select import selection_rate as selection_rate
from littlestone.mechanisms.select import sparse_select as sparse_select
from littlestone.mechanisms.select import sparse_select_lists as sparse_select_lists
from littlestone.mechanisms.select import stable_histogram as stable_histogram
from littlestone.mechanisms.select import stable_items as stable_items
