"""Mutants by a person who had not seen the tests.

Of these 17, 6 were caught by the detectors that there were then.
"""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from littlestone.data.domains import mixed
from littlestone.privacy.compose import Price

from .in_data import records_outside_are_dropped
from .in_learners import a_part_drawn_by_public_coins, equal_parts_of_an_epoch
from .in_mechanisms import an_interval_around_the_true_count
from .in_parts import distinct
from .mutant import mutant, patched, same_as

_ONLINE = "learners.online.algorithm"


@mutant("randomness reused", f"{_ONLINE}:OnlineAlgorithm._begin_test", "two tests")
def one_threshold_noise_for_all_tests(original, self, state, *given):
    """The secret noise is drawn for the first test and kept: earlier tests tell what it is, and
    the test that the record belongs to has no offset left to hide behind.
    """
    kept = state.limit and state.limit - self.plan.phase(state.batches).limit
    if not state.limit:
        return original(self, state, *given)
    with patched(f"{_ONLINE}:draw_noise", lambda *_: kept):
        return original(self, state, *given)


same_as(
    equal_parts_of_an_epoch,
    "mistakes shuffled in turn",
    "shuffling by position",
    "Teachers take turns over an epoch's mistakes: a record that is no longer a mistake moves "
    "every later one to another teacher.",
)


@mutant(
    "cut depends on others",
    "data.targets:user_index",
    "data/test_sample.py::test_a_cut_depends_on_one_user_only",
)
def users_numbered_not_named(original, names):
    """A user's key is the rank of the name: a user with another name renumbers the others, and
    the cut keeps other records of each of them.
    """
    index, keys = original(names)
    if isinstance(names, np.ndarray):
        return index, keys
    return index, mixed(np.arange(len(keys), dtype=np.uint64))


same_as(
    records_outside_are_dropped,
    "records outside the domain left out",
    "dropped records",
    "A table's cells that are no points are not counted: n, which every release publishes as the "
    "number of rows, then says how many of them there are.",
)


@mutant("ledger sum", "privacy.ledger:spent_by", "sums in a ledger")
def equal_events_add_up_once(original, events):
    """Events of the same price are summed as one group, and delta is not multiplied by how many
    there are: a budget of delta 1e-6 pays for any number of releases of delta 5e-7.
    """
    spent, groups = original(events), Counter(event.took for event in events)
    often = sum((times - 1) * leak for (_, leak), times in groups.items())
    return Price(spent.cost, spent.leak - often)


@mutant(
    "composition of deltas", "privacy.compose:Filter.__init__", "privacy/test_filters.py::test_zcdp"
)
def delta_spent_twice(original, self, *given):
    """The zCDP ledger converts at half of delta, and lets the leaks add up to all of it: together
    they are up to 3/2 delta.
    """
    original(self, *given)
    if self.accounting == "zcdp":
        self.limit = Price(self.limit.cost, self.delta)


same_as(
    an_interval_around_the_true_count,
    "interval around the count itself",
    "private value published",
    "The interval of a released count is computed from the count of the data instead of the "
    "released one: its ends, which are published, say the count.",
)


@mutant(
    "order of the output",
    "mechanisms.select:stable_histogram",
    "test_the_list_is_that_of_the_histogram",
)
def most_frequent_items_first(original, items, **options):
    """The released items are listed by how often they occur: the order tells which of two exact
    counts is larger, whatever the noise.
    """
    items = list(items)
    rank = [item for item, _ in Counter(items).most_common()]
    return original(items, **options | {"order": rank.index})


@mutant("data-dependent branch", "mechanisms.median:private_median", "beside a median")
def mechanism_by_distinct_values(original, values, low, high, **options):
    """The median's mechanism is chosen for the number of different values, not of records: the
    release names it, with its delta, and one record decides.
    """
    few = distinct(values, low, high)
    with patched(
        "mechanisms.median:choose",
        lambda choose, size, n, *given, **rest: choose(size, few, *given, **rest),
    ):
        return original(values, low, high, **options)


@mutant(
    "off by one", "mechanisms.above_threshold:RunningTest.ask", "test_halting_is_public_and_exact"
)
def one_answer_after_the_last(original, self, value):
    """A test that has given its charged answers may be asked until it gives one more."""
    last = self.spent == self._plan.limit
    self.spent -= last
    try:
        return original(self, value)
    finally:
        self.spent += last


@mutant(
    "tail cut off",
    "papers.li_wang_ye:PrivateCompare.decide",
    "test_private_compare_and_algorithm_2",
)
def clear_cases_without_noise(original, self, errors, n, source):
    """A comparison that is far from its cut is decided without a coin: at the edge, one user
    makes an answer impossible that was possible before. The claim is pure.
    """
    missing = math.ceil(n * self.cut) - errors.least(self.t)
    return original(self, errors, n, source) if missing * self.epsilon < 6 else 0


same_as(
    a_part_drawn_by_public_coins,
    "secret places from public coins",
    "secret made public",
    "Which records are in the part is drawn by the generator whose seed may be published: who "
    "knows it knows who is in, and nothing is amplified.",
)


@mutant(
    "rounding",
    "learners.agnostic:places",
    "test_the_formula_of_subsampling_is_attained",
)
def at_least_one_record_is_drawn(original, n, m, source):
    """A part that would be empty gets one record, as in the certificate: of few records that is
    a larger share than the rate that the guarantee is amplified by.
    """
    return original(n, max(m, 1), source)


@mutant(
    "contribution not bounded",
    "learners.littlestone:votes_of",
    "test_a_list_counts_each_hypothesis_once",
)
def a_vote_at_each_stage(original, lists, cap):
    """A teacher's lists of several stages are counted one after the other: a hypothesis that is
    in all of them gets as many votes from one teacher.
    """
    votes = Counter()
    for hypotheses, weight in lists:
        for hypothesis in hypotheses:
            votes[hypothesis] += weight
    return votes
