"""Broken mechanisms."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np

from littlestone.data.sample import part, written_out
from littlestone.errors import exact_value
from littlestone.learners.boosting import losses as errors
from littlestone.learners.boosting import losses as starts
from littlestone.learners.boosting.values import bounds_of
from littlestone.mechanisms.select import canonical_key, ordered
from littlestone.source import SeededSource, exp

from .mutant import mutant, patched

_SPARSE = "mechanisms.select"
_HISTOGRAM = "mechanisms.select"
_COUNT = "mechanisms.estimate:private_count"
_NOISE = "mechanisms.estimate:truncated"
_RATES = "mechanisms.above_threshold:classic_rates"
_PATH = "mechanisms.median"


@mutant("half noise", "mechanisms.select:selection_rate", "exponential_mechanism")
def half_the_noise_of_a_selection(original, epsilon, **options):
    """The factor 2 of the exponential mechanism is forgotten: epsilon is twice the claim."""
    return original(epsilon, **options | {"monotone": True})


@mutant("wrong sensitivity", "mechanisms.select:selection_rate", "test_structured_candidates")
def sensitivity_ignored(original, epsilon, **options):
    """Scores that move by 3 get the noise for scores that move by 1 (as diffprivlib 105)."""
    return original(epsilon, **options | {"sensitivity": 1})


@mutant("union bound forgotten", "mechanisms.select:removal_bottom", "sparse_select")
def bottom_for_one_candidate_only(original, *, k, **options):
    """One record brings k candidates into the support; delta is that of one."""
    return original(k=1, **options)


@mutant("off by one", "mechanisms.select:removal_bottom", "sparse_select")
def bottom_for_a_score_of_zero(original, *, epsilon, **options):
    """A candidate enters with score 1, not 0: delta grows by e**(epsilon/2)."""
    return original(epsilon=epsilon, **options) * exp(-exact_value(epsilon) / 2)


@mutant(
    "wrong neighbours",
    (f"{_SPARSE}:sparse_select", f"{_SPARSE}:sparse_select_lists"),
    "sparse_select, high epsilon",
)
def add_or_remove_noise_for_replaced_records(original, *data, epsilon, **options):
    """A replaced record is one removed and one added; the noise is that of one of them."""
    return original(*data, epsilon=2 * exact_value(epsilon), **options)


@mutant("contribution not bounded", f"{_SPARSE}:count_lists", "repeated votes")
def lists_as_multisets(original, lists, *, cap, order=canonical_key):
    """A list that names a candidate twice counts twice."""
    counts = Counter()
    for one in lists:
        counts.update(ordered(one, order)[:cap] if len(one) > cap else one)
    return dict(counts)


@mutant("contribution not bounded", f"{_SPARSE}:count_lists", "sparse_select_lists")
def lists_of_any_length(original, lists, *, cap, order=canonical_key):
    """The public cap on the length of a list is not applied."""
    return original(lists, cap=10**9, order=order)


@mutant("hash order", f"{_SPARSE}:count_lists", "test_lists_are_sets_truncated_by_a_public_order")
def lists_cut_in_the_order_of_a_set(original, lists, *, cap, order=canonical_key):
    """Which candidates survive depends on hashes: on the process, and on other items."""
    return original([list(set(one))[:cap] for one in lists], cap=cap, order=order)


@mutant("off by one", f"{_HISTOGRAM}:_threshold", "stable_items")
def histogram_threshold_one_too_low(original, rate, delta):
    """A key that one record brought is released too often."""
    return max(original(rate, delta) - 1, 1)


@mutant("off by one", f"{_HISTOGRAM}:truncated", "stable_histogram")
def histogram_releases_at_one_below_the_threshold(original, rate, n, source):
    """Compared with the wrong side of the threshold: a noisy count seems one larger."""
    return original(rate, n, source) + 1


@mutant("order of the data", f"{_HISTOGRAM}:stable_histogram", "order of records")
def histogram_in_the_order_of_the_data(original, items, **options):
    """Keys come out in the order in which records came in (a dict keeps it)."""
    items = list(items)
    return original(items, **options | {"order": items.index})


@mutant("order of the data", f"{_HISTOGRAM}:stable_items", "test_hypotheses_are_items")
def histogram_keys_in_the_order_of_the_data(original, items, **options):
    """The same, without counts: seen by permuting equal data."""
    items = list(items)
    return original(items, **options | {"order": items.index})


@mutant(
    "wrong neighbours",
    (f"{_HISTOGRAM}:stable_items", f"{_HISTOGRAM}:stable_histogram"),
    "test_noisy_counts_are_truncated_geometric",
)
def histogram_at_the_rate_of_add_or_remove(original, items, *, epsilon, **options):
    """A replaced record moves two counts."""
    return original(items, epsilon=2 * exact_value(epsilon), **options)


@mutant("noise not symmetric", "mechanisms.estimate:truncated", "private_count")
def noise_to_one_side_only(original, rate, n, source):
    """Noise that is never negative shows a lower bound of the count for sure."""
    return abs(original(rate, n, source))


@mutant("off by one", "mechanisms.estimate:coin_of", "stable_items")
def coin_of_the_wrong_tail(original, rate, gap):
    """The chance of reaching a threshold is that of the count above, on one side only."""
    return original(rate, gap + (gap < 0))


@mutant("half noise", _NOISE, "private_count")
def half_the_noise_of_a_count(original, rate, n, source):
    """A count with noise for twice its epsilon."""
    return original(2 * rate, n, source)


@mutant("special case for empty", _COUNT, "private_count")
def no_noise_on_nothing(original, count, n, **options):
    """A count of zero is released as zero, so one is never mistaken for it."""
    made = original(count, n, **options)
    return made if count else replace(made, value=0)


@mutant("randomness not random", _NOISE, "private_count")
def noise_from_a_fixed_seed(original, rate, n, source):
    """Left over from a test: noise that everybody can subtract."""
    return original(rate, n, SeededSource(0))


@mutant("rejection by the data", _COUNT, "private_count")
def the_raw_value_when_noise_goes_too_far(original, count, n, **options):
    """Noise that would leave the range is left out, instead of clamping the sum."""
    made = original(count, n, **options)
    return made if 0 < made.value < n else replace(made, value=count)


@mutant("exact count shown", _COUNT, "a count with its interval")
def an_interval_around_the_true_count(original, count, n, **options):
    """The released count is noisy, its interval is not."""
    made = original(count, n, **options)
    error = made.value - count
    return replace(made, low=made.low - error, high=made.high - error)


@mutant("noise left out", _RATES, "AboveThreshold, classic, shift, limit 1, charged above, 2 asked")
def above_threshold_without_an_offset(original, epsilon, limit, changes):
    """Fresh noise for each question, exact threshold, pure claim (Lyu, Su and Li 2017)."""
    return 1000 * epsilon, original(epsilon, limit, changes)[1]


@mutant(
    "budget not counted",
    "mechanisms.above_threshold:RunningTest.ask",
    "test_halting_is_public_and_exact",
)
def above_threshold_that_never_stops(original, self, value):
    """Charged answers are not counted, so there is no halt."""
    self.spent = 0
    return original(self, value)


@mutant(
    "composition forgotten", _RATES, "AboveThreshold, classic, any, limit 1, charged above, 2 asked"
)
def above_threshold_without_the_limit_in_its_noise(original, epsilon, limit, changes):
    """Noise for one charged answer, whatever the limit (Lyu, Su and Li 2017, variants 4, 5)."""
    return epsilon, epsilon / limit if changes == "shift" else epsilon


@mutant("half noise", "mechanisms.median:RankExponential.rate", "median A (rank exponential)")
def median_at_twice_the_rate(original, self):
    """Rank scores move up and down; the rate is that of scores that move one way."""
    return 2 * original(self)


@mutant(
    "wrong sensitivity", "mechanisms.median:RankExponential.runs", "median A (rank exponential)"
)
def median_score_that_moves_by_two(original, self, values):
    """Both rank margins are summed up: one record moves a score by two."""
    runs = original(self, values)
    return replace(runs, scores=2 * runs.scores)


@mutant("union bound forgotten", "mechanisms.median:entering_bottom", "median B (TreeEM)")
def median_tree_with_one_node_a_record(original, *, entering, **options):
    """A record brings a whole path of nodes, not one."""
    return original(entering=1, **options)


@mutant("union bound forgotten", f"{_PATH}:entering_bottom", "one_shot_path")
def path_choice_for_depth_one(original, *, entering, **options):
    """The same in the one-shot choice of a path."""
    return original(entering=1, **options)


@mutant(
    "contribution not bounded",
    f"{_PATH}:one_shot_path",
    "test_longer_paths_are_cut_by_the_public_depth",
)
def paths_longer_than_the_public_depth(original, ends, tree, *, max_depth, **options):
    """Paths are not cut at the depth that delta was computed for."""

    def promised(weight, *, entering, **rest):
        return weight(entering=max_depth, **rest)

    with patched(f"{_PATH}:entering_bottom", promised):
        return original(ends, tree, max_depth=10**6, **options)


@mutant(
    "wrong sensitivity",
    "evaluation.quantities:sums_rate",
    "test_sums_of_every_data_set_are_protected",
)
def noise_of_two_sums_for_four(original, epsilon, *given):
    """An evaluation at half of epsilon for each sum where a quarter is due."""
    return original(2 * epsilon, *given)


@mutant(
    "wrong sensitivity",
    "evaluation.quantities:most_moved",
    "evaluation/test_quantities.py::test_a_unit_moves_all_sums_together_by_no_more",
)
def moves_of_the_ends(original, kind, q):
    """From one end of the range to the other: but from an end to the middle is further."""
    return original(kind, q) - q // 24


@mutant(
    "another divisor",
    "evaluation.quantities:QuantityEvaluation.__init__",
    "test_figures_are_those_of_the_units_with_a_target",
)
def means_over_all_units(original, self, sums, **more):
    """Units without a target count in the divisor: errors look smaller than they are."""
    original(self, sums, **more)
    self._known = float(sums.n)


@mutant(
    "a tail forgotten",
    "evaluation.quantities:QuantityEvaluation._tail",
    "test_what_is_not_seen_is_between_two_ends",
)
def errors_beyond_are_forgotten(original, self, power):
    """What the noise hides beyond the reach is thought not to be there."""
    return 0.0


@mutant("wrong parts", "data.sample:Sample.split", "test_no_unit_pays_twice")
def held_out_by_public_coins(original, sample, source, first):
    """Coins that all know, over rows that are sorted: a replaced record moves others."""
    return original(sample, SeededSource(0), first)


@mutant("wrong parts", "data.sample:Sample.split", "test_no_unit_pays_twice")
def held_out_by_content(original, sample, source, first):
    """The least points are held out."""
    kinds = written_out(sample)
    return part(sample, kinds[:first]), part(sample, kinds[first:])


@mutant(
    "wrong sensitivity",
    "evaluation.quantities:counted",
    "evaluation/test_survival.py::test_every_data_set_is_protected",
)
def a_cell_for_each_period_of_a_person(original, model, sample, bins):
    """A person is counted at every number of periods at risk that is reached."""
    counts = original(model, sample, bins)
    last = len(counts) // 2 + 1
    counts[:last] = np.cumsum(counts[:last][::-1], axis=0)[::-1]
    return counts


@mutant(
    "wrong sensitivity",
    "learners.boosting.losses:error_cells",
    "test_counts_of_records_are_protected",
)
def counts_at_all_of_epsilon(original, model, sample, reach, epsilon, source):
    """Counts by prediction and error at four times the quarter that is theirs."""
    return original(model, sample, reach, 4 * epsilon, source)


@mutant(
    "contribution not bounded",
    "learners.boosting.losses:error_cells",
    "test_counts_of_users_are_protected",
)
def all_records_of_a_user_counted(original, model, sample, *given):
    """Each record of a user counts as a whole unit."""

    def of_records(weighed, sample):
        return sample.count * errors.unit_weight(sample)

    with patched("learners.boosting.losses:weights", of_records):
        return original(model, sample, *given)


@mutant("wrong range", "learners.boosting.values:scores", "test_the_largest_error_is_covered")
def residual_range_one_cell_too_small(original, model, *records):
    """The largest errors count as smaller ones, and are not covered."""
    found = original(model, *records)
    return np.minimum(found, len(bounds_of(model.target)) - 2)


@mutant(
    "wrong range",
    "learners.boosting.values:scores",
    "test_scores_of_labels_are_those_of_the_definition",
)
def scores_of_labels_one_bound_too_small(original, *records):
    """A label counts as nearer to the most votes than it is, and its set does not have it."""
    return np.maximum(original(*records) - 1, 0)


@mutant(
    "composition forgotten",
    "data.targets:TargetSample.split",
    "test_users_are_held_out_with_all_their_records",
)
def records_of_users_held_out(original, self, source, first):
    """A user is learned from and held out, and pays twice."""
    parts = original(replace(self, user=None, keys=None), source, first)
    users = (self.user[: len(part.point)] for part in parts)
    return tuple(
        replace(part, user=user, keys=self.keys) for part, user in zip(parts, users, strict=True)
    )


@mutant(
    "half noise", "mechanisms.estimate:draw_edge", "test_the_law_and_its_range_for_all_neighbours"
)
def a_clip_at_twice_its_range(original, *given, eta, **how):
    """A unit moves a miss up for some edges and down for others: the factor 2 is forgotten."""
    return original(*given, eta=2 * eta, **how)


@mutant(
    "wrong theorem",
    "mechanisms.estimate:rank_of",
    "test_a_range_ten_times_too_wide_is_clipped_alike",
)
def a_rank_ten_times_too_high(original, n, *given):
    """Clipped far below where noise and bias agree."""
    return min(n / 8, 10 * original(n, *given))


@mutant(
    "wrong sensitivity",
    "learners.boosting.losses:private_sum",
    "test_sums_at_the_clip_for_all_neighbours",
)
def noise_for_the_upper_clip_alone(original, *given, least=0, loss, **how):
    """What is left is clipped to -A .. C, and has noise for C."""
    most = given[2]
    loss = starts.part_of(loss, Fraction(most - least, most) ** 2)
    return original(*given, least=least, loss=loss, **how)


@mutant(
    "contribution not bounded",
    "learners.boosting.losses:private_sum",
    "test_sums_at_the_clip_for_all_neighbours",
)
def a_sum_with_noise_for_a_clip_that_is_left_out(original, sample, values, most, **how):
    """Predictions are summed unclipped, with noise for the clip."""
    beyond = values - np.clip(values, how.get("least", 0), most)
    more = Fraction(int(beyond @ starts.weights(sample)), starts.unit_weight(sample))
    return original(sample, values, most, **how) + more


@mutant(
    "wrong theorem", "learners.boosting.values:Values.falls", "test_survival_is_right_on_the_mean"
)
def survival_falls_while_at_risk_only(original, self, made, records, source):
    """How much survival falls is summed over persons at risk, not over all."""
    given = records.given
    at_risk, _ = made.target.at_risk(given.code.clip(0))
    seen = np.arange(len(made.start)) < at_risk[:, None]
    falls = np.where(seen, made.falls(given.points)[given.point], 0)
    each = replace(given, points=given.points[given.point], point=np.arange(len(given.point)))
    (loss,) = self.plan.settings(given.n).end
    return starts.private_falls(each, falls, loss=loss, source=source)
