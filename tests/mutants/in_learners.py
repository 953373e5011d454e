"""Broken learners."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from littlestone.classes import ThresholdHypothesis, at_public_points, errors
from littlestone.classes.base import Mapped
from littlestone.classes.trees import ROOT
from littlestone.data.sample import part, sizes
from littlestone.source import Explicit

from .mutant import mutant, patched

_EXPONENTIAL = "learners.exponential:Exponential"
_GENERIC = "generic on thresholds(1, 3)"
_DPOL = "papers.lyu:DPOL"
_LATER = "test_one_mistake_less_moves_no_later_one"
_ONLINE = "learners.online.algorithm"
_PART = "learners.agnostic"


@mutant("half noise", f"{_EXPONENTIAL}.rate", _GENERIC)
def errors_as_if_they_moved_one_way(original, self, sensitivity):
    """The rate of monotone scores for errors, which go up and down."""
    return 2 * original(self, sensitivity)


@mutant("parameter from the data", f"{_EXPONENTIAL}.draw", _GENERIC)
def a_rate_that_the_labels_decide(original, self, sample, source):
    """Less noise where there are more negative records: 'adaptive', with private numbers."""
    negatives = sample.n - sample.positives
    with patched(f"{_EXPONENTIAL}.rate", lambda rate, self, s: rate(self, s) * (1 + negatives)):
        return original(self, sample, source)


_KEPT = {}


@mutant("hidden state", f"{_EXPONENTIAL}.draw", "generic on thresholds(1, 3)")
def candidates_of_the_first_call(original, self, sample, source):
    """The scores are remembered between calls, whatever the records are."""
    return original(self, _KEPT.setdefault("sample", sample), source)


@mutant("randomness not from the source", f"{_EXPONENTIAL}.rate", _GENERIC)
def a_generator_beside_the_source(original, self, sensitivity):
    """numpy breaks ties, so what is verified is not what is drawn."""
    return original(self, sensitivity) * int(1 + np.random.default_rng().integers(2))


_CELLS = "classes.intervals:CellClass"


@mutant(
    "candidates from the data",
    f"{_CELLS}.candidates",
    "agnostic on thresholds(1, 4), public points",
)
def cuts_from_private_points(original, self, sample):
    """The candidates begin at points of the records, which the release then shows."""
    seen = sample.points if len(sample.points) else self.points
    return original(at_public_points(self.concept_class, seen), sample)


@mutant(
    "support from the data", f"{_CELLS}.candidates", "agnostic on thresholds(1, 4), public points"
)
def representatives_of_fewest_private_errors(original, self, sample):
    """Of the concepts that label the public points alike the best one on the records is drawn."""
    blocks = {}
    for concept in self.concept_class.concepts():
        labels = tuple(concept.predict(self.points))
        blocks.setdefault(labels, []).append((errors(concept, sample), concept.above))
    best = sorted(min(block) for block in blocks.values())
    low, high = self.concept_class.low, self.concept_class.high
    choice = Explicit([-wrong for wrong, _ in best])
    return Mapped(choice, lambda i: ThresholdHypothesis(best[i][1], low, high))


@mutant(
    "vacuous truth",
    "learners.vc1:chunk_ends",
    "learners/vc1/test_exact_privacy.py::test_every_class_and_every_f",
)
def a_chunk_without_a_concept_votes_for_everything(original, tree, *shuffled):
    """No concept fits, so all points are deterministic (001, Definition 15 as printed)."""
    ends = original(tree, *shuffled)
    return [x for end in ends for x in (tree.children(ROOT) if end is ROOT else [end])]


@mutant("shuffling forgotten", "learners.vc1:shuffle", "chunks shuffled by value")
def records_shuffled_in_the_order_of_their_values(original, sample, source):
    """Chunks of sorted records: one smaller record shifts all others."""
    return np.sort(original(sample, source))


@mutant("parts overlap", "learners.vc1:chunk_ends", "chunks shuffled by value")
def chunks_that_share_a_record(original, tree, sample, shuffled, chunks):
    """Each chunk begins one record too early: one record speaks for two chunks."""
    ends = np.cumsum(sizes(len(shuffled), chunks))
    starts = [0, *(ends[:-1] - 1)]
    return [
        tree.deterministic(part(sample, shuffled[a:b])) for a, b in zip(starts, ends, strict=True)
    ]


@mutant(
    "parameter from the data",
    "learners.vc1:one_shot_path",
    "learners/vc1/test_exact_privacy.py::test_every_class_and_every_f",
)
def depth_of_the_tree_from_the_records(original, ends, tree, **options):
    """Bottom is as heavy as the deepest path that came up asks for."""
    deepest = max(map(tree.depth, ends), default=0)
    return original(ends, tree, **options | {"max_depth": deepest})


@mutant(
    "parameter from the data",
    "learners.littlestone:sparse_select",
    "littlestone on points()",
    "the longest list",
)
def bottom_for_the_lists_that_came_in(original, votes, *, k, **options):
    """The cap is what the votes show (realised sizes), not what was promised."""
    sizes = Counter(votes.values()).values()
    return original(votes, k=max(1, max(sizes, default=1) // 2), **options)


@mutant("cut by all records", "learners.littlestone:sparse_select", "littlestone on points()")
def only_the_best_are_drawn_from(original, votes, **options):
    """Lists are cut to what all teachers together like best: one vote removes the others."""
    best = max(votes.values(), default=0)
    return original({h: n for h, n in votes.items() if n == best}, **options)


@mutant("cut by all records", "learners.littlestone:votes_of", "littlestone on points()")
def one_budget_for_all_lists(original, lists, cap):
    """Teachers share how much may be listed: the first ones decide what is left for the others."""
    kept, left = [], 2
    for hypotheses, weight in lists:
        left -= len(hypotheses)
        kept.append((hypotheses if left >= 0 else (), weight))
    return original(kept, cap)


@mutant(
    "wrong neighbours",
    "learners.littlestone:sparse_select",
    "littlestone on points(), high epsilon",
)
def votes_of_add_or_remove(original, votes, *, epsilon, **options):
    """A replaced record takes a vote from one and gives it to another."""
    return original(votes, epsilon=2 * epsilon, **options)


@mutant("split by the data", f"{_DPOL}.teacher", _LATER)
def equal_parts_of_an_epoch(original, self, state, t):
    """Mistakes are split evenly (003, Algorithm 3, line 20): one less moves all later ones."""
    return [time for time, _, _ in state.E].index(t) % self.k


@mutant("noise left out", f"{_ONLINE}:draw_noise", "online on thresholds(1, 2), scored")
def a_threshold_without_noise(original, epsilon, source):
    """The above-threshold test fires at a fixed number of mistakes."""
    original(epsilon, source)
    return 0


@mutant(
    "budget not counted",
    f"{_ONLINE}:OnlineAlgorithm._train",
    "test_a_stream_whose_budget_is_spent_forgets_its_records",
)
def draws_that_nobody_counts(original, self, state, sources):
    """The stream publishes as often as it likes."""
    state.batches = min(state.batches, self.plan.batches - 2)
    return original(self, state, sources)


@mutant(
    "contribution not bounded",
    f"{_ONLINE}:OnlineAlgorithm._draw_event",
    "online on thresholds(1, 2), scored",
)
def mistakes_that_are_heard_twice(original, self, state, time, sources):
    """The above-threshold test sees each mistake as two."""
    state.limit -= len(state.buffer)
    original(self, state, time, sources)
    state.limit += len(state.buffer)


@mutant(
    "contribution not bounded",
    "learners.users.learner:bound_contributions",
    "users on thresholds(1, 2)",
)
def users_are_not_cut(original, users, most, source):
    """A user with many records counts as many mistakes (as opendp 2945: lengths of groups)."""
    return users


@mutant(
    "composition forgotten",
    "papers.li_wang_ye:PrivateMinError.compare",
    "test_private_compare_and_algorithm_2",
    kind="value",
)
def each_comparison_has_the_whole_epsilon(original):
    """The search asks several questions and pays for one."""
    return property(
        lambda self: {
            midpoint: replace(one, epsilon=self.epsilon)
            for midpoint, one in original.func(self).items()
        }
    )


@mutant("secret made public", f"{_PART}:places", "test_the_formula_of_subsampling_is_attained")
def the_first_records_are_the_part(original, n, m, source):
    """The part is not drawn: who stands at the beginning of the file is always in it."""
    return list(range(m))


@mutant(
    "secret made public", "learners.agnostic:places", "test_the_formula_of_subsampling_is_attained"
)
def a_part_drawn_by_public_coins(original, n, m, source):
    """Amplification needs coins that nobody knows."""
    return source.public_rng().permutation(n)[:m]


@mutant(
    "wrong sensitivity",
    "costs:Costs.largest",
    "agnostic on finite(3 concepts on 2 points), with costs",
)
def a_record_moves_the_cost_by_one(original, self):
    """The score is a cost, its sensitivity that of a number of errors."""
    return min(original(self), 1)


@mutant(
    "composition forgotten",
    "learners.boosting.learner:largest_round",
    "test_when_label_1_is_counted",
)
def rounds_of_several_labels_paid_as_one(original, epsilon, delta, rounds, others=(), **how):
    """Each round draws one tree for all labels, so all rounds are paid as one."""
    return original(epsilon, delta, 1, others, **how)


@mutant(
    "parameter from the data",
    "learners.boosting.losses:Votes.costs",
    "learners/boosting/test_labels.py::test_a_pair_of_neighbours_nearly_spends_epsilon",
)
def trees_vote_for_labels_of_the_table(original, self, number, batch):
    """A label that no record has is never voted for."""
    unseen = self.sample.counts[:-1].sum(axis=1) == 0
    return original(self, number, batch) + 5000 * unseen[:, None]


@mutant(
    "half noise",
    "learners.boosting.losses:Logistic.of_label",
    "test_costs_are_those_of_the_gradient",
)
def gradients_of_labels_neither_halved_nor_capped(original, self, votes, y):
    """A mistake of one label costs up to twice W, at the rate of W."""
    return original(replace(self, resolution=2 * self.resolution), votes, y)


_ALL_N = "test_audit_of_all_n"


@mutant("budget not counted", "learners.boosting.learner:largest_round", _ALL_N)
def a_start_that_is_not_paid_for(original, epsilon, delta, rounds, others=(), **how):
    """The rounds get the whole budget, the counts of all columns come on top."""
    return original(epsilon, delta, rounds, (), **how)


@mutant("wrong sensitivity", "learners.boosting.rounds:count_noise", _ALL_N)
def columns_with_noise_as_if_each_were_alone(original, rho, columns):
    """A replaced record moves two counts of every column, not of one."""
    return original(rho, 1)


@mutant(
    "wrong sensitivity",
    "learners.boosting.losses:clipped",
    "test_a_round_has_its_range_for_all_units_of_two_records",
    "test_two_rounds_without_clipping_lose_more_than_twice_the_budget_of_one",
)
def costs_of_a_user_not_clipped(original, costs, count, user, most):
    """Two records of a user cost up to twice W: a round loses 1.5 where 1 is claimed."""
    return costs


@mutant(
    "wrong sensitivity",
    "learners.boosting.rounds:Boosted.round",
    "test_a_second_round_of_single_records_loses_its_budget",
)
def costs_of_counts_without_a_cap(original, self, records, place):
    """The gradient of a count is as large as the count: its cost is not limited to W."""

    def uncapped(original, self, position, y, place):
        up = self.gradient(position, y, place)
        weight = self.resolution * np.abs(up) // self.bound(place)
        return np.stack([np.where(up > 0, weight, 0), np.where(up > 0, 0, weight)])

    _, rate = original(self, records, place)
    with patched("learners.boosting.losses:Scored.costs", uncapped):
        return records.rows(self.splits, self.concept_class.depth, place), rate
