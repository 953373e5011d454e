"""Broken streams, and broken learners whose users hold many records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from littlestone.data.domains import user_index
from littlestone.learners.online.journal import _charge
from littlestone.learners.online.state import OnlineState

from .mutant import mutant, patched

_LYU = "papers.lyu"
_JOURNAL = "learners.online.journal"
_TAKEN_UP = f"{_JOURNAL}:_taken_up"


@mutant("special case for empty", "learners.online.algorithm:OnlineAlgorithm._events", "two tests")
def tests_act_at_mistakes_only(original, self, state, wrong, start, end):
    """In a block of records the above-threshold test is looked at where there is a mistake: when
    it fires, the record of that time was one.
    """
    yield from (int(i) for i in wrong if i < end)


@mutant("split by the data", f"{_LYU}:DPOL.teacher", "test_algorithm_3_whole_transcripts[15]")
def mistakes_shuffled_by_what_they_say(original, self, state, t):
    """Equal records go to one teacher, so that lists agree: a replaced record leaves one teacher
    and comes to another, and two lists change.
    """
    (said,) = [record[1:] for record in state.E if record[0] == t]
    return sum(map(ord, str(said))) % self.k


@mutant(
    "contribution not bounded",
    f"{_LYU}:Scores._of_thresholds",
    "test_a_list_counts_up_to_its_public_length_only",
)
def long_lists_of_thresholds(original, lists, L):
    """A teacher's run of thresholds counts in full length: bottom is weighed for short lists."""
    return original(lists, 10**9)


@mutant(
    "exceptions",
    f"{_LYU}:SearchLimitError",
    "test_a_search_that_is_given_up_is_a_record_of_one_teacher",
    kind="value",
)
def a_teacher_gives_up_aloud(original):
    """A search that exceeds its budget stops the stream, because of one teacher's records."""
    return ZeroDivisionError


@mutant(
    "parameter from the data",
    f"{_LYU}:PrivateSparseSample.draw",
    "test_bottom_is_as_light_as_the_longest_list_allows",
)
def bottom_for_the_longest_list_of_teachers(original, self, lists, source):
    """The weight of bottom follows the longest list that came in, not the one promised."""
    return original(replace(self, L=min(self.L, max([1, *map(len, lists)]))), lists, source)


@mutant("order of payment", _TAKEN_UP, "test_a_ledger_pays_once_for_the_whole_life")
def a_stream_is_paid_after_it_is_kept(original, journal, algorithm, settings, seed, ledger):
    """Killed (or refused) between the two, it is there, goes on, and is never paid for."""
    new, kept = journal.state is None, journal.settings
    with patched(f"{_JOURNAL}:_charge", lambda *_: None):
        made = original(journal, algorithm, settings, seed, ledger)
    if new and kept.get("ledger"):
        _charge(kept, ledger, algorithm)
    return made


@mutant(
    "records kept in the model",
    "append_log:AppendLog.rewrite",
    "test_a_state_that_has_grown_is_written_anew",
)
def forgotten_records_stay_on_the_disk(original, self, line, *, erase=False):
    """A state is written anew without its records, and the file that held them is left as it is."""
    original(self, line)


@mutant(
    "private value published",
    "learners.online.journal:publications",
    "test_the_public_record_is_a_function_of_the_transcript",
)
def the_public_file_has_the_last_mistake(original, state, first=0):
    """For the dashboard, the newest record stands beside each rule that is published."""
    newest = [x for _, x, _ in state.buffer[-1:]]
    return [[time, rule | {"at": newest}] for time, rule in original(state, first)]


@mutant("budget not counted", f"{_JOURNAL}:_charge", "each stream is paid")
def streams_named_by_their_class(original, kept, ledger, algorithm):
    """The token says what a stream is about instead of which one it is: the second is free."""
    return original({**kept, "name": algorithm.concept_class.spec[:200]}, ledger, algorithm)


@mutant("budget not counted", _TAKEN_UP, "test_what_a_stream_was_begun_with_cannot_change")
def other_terms_in_the_middle(original, journal, algorithm, settings, seed, ledger):
    """A stream that was begun, and paid for, with a small epsilon goes on with a large one."""
    return original(journal, algorithm, journal.settings, seed, ledger)


@mutant(
    "budget not counted",
    "learners.online.journal:PublicRecord.catch_up",
    "test_an_old_copy_is_not_continued",
)
def an_old_copy_goes_on(original, self, state):
    """A state that is older than what it published is taken up: the same records are drawn from
    again, with fresh coins, for nothing.
    """
    original(self, state)
    return True


@mutant(
    "randomness reused",
    "learners.online.state:StateTransaction.__exit__",
    "test_a_record_that_was_interrupted_is_the_last_one",
)
def an_interrupted_stream_goes_on(original, self, kind, *rest):
    """After Ctrl-C the stream is as it was in the midst of a record: the test that has fired told
    its secret threshold, and the next test has the same.
    """
    if kind is not None:
        self._state.pending.clear()


@mutant(
    "budget not counted",
    "learners.online.estimator:OnlineLearner._start",
    "test_a_state_continues_only_with_what_it_was_begun_with",
)
def a_kept_state_on_other_terms(original, self, ledger=None):
    """A state that published under one epsilon goes on under a smaller one, and claims that."""
    terms = getattr(self.state, "terms", "") if isinstance(self.state, OnlineState) else ""
    if not terms:
        return original(self, ledger)
    with patched("learners.online.estimator:terms_of", lambda *_: terms):
        return original(self, ledger)


@mutant(
    "budget not counted",
    "learners.online.state:StateTransaction.__enter__",
    "test_a_forked_learner_does_not_spend_the_budget_again",
)
def a_fork_goes_on_with_the_stream(original, self):
    """A process that was forked has its parent's state, and spends its budget again."""


@mutant(
    "budget not counted",
    "learners.online.state:OnlineState.__getstate__",
    "test_a_private_learner_is_not_copied_once_it_has_begun",
)
def a_state_is_copied_before_its_first_use(original, self):
    """Two copies of a state that was read from its documents go on, each with the whole budget."""
    return self.__dict__


@mutant(
    "contribution not bounded",
    "learners.online.algorithm:OnlineAlgorithm.admitted",
    "test_streams_of_users_from_records_to_the_guarantee",
)
def each_group_admits_its_users_anew(original, self, state, users):
    """How many records a user has is counted in one group of rows, not in the whole stream."""
    state.contributions = {}
    return original(self, state, users)


@mutant(
    "exact count shown",
    "learners.online.journal:brief",
    "test_the_public_record_is_a_function_of_the_transcript",
)
def the_public_file_counts_the_mistakes(original, state):
    """A line for the dashboard: how many mistakes were made since the last publication."""
    return original(state) | {"mistakes": len(state.buffer)}


@mutant(
    "cut depends on others",
    "data.counting:numbered_users",
    "data/test_stored.py::test_nobody_changes_nobody_elses_key",
)
def names_as_text_if_one_is_missing(original, cells):
    """A column of numbers in which one name is missing is read as text: each user has another
    key then, and the cut keeps other records of everybody.
    """
    if not cells.null_count:
        return original(cells)
    return user_index([cell if cell is None else str(cell) for cell in cells.to_pylist()])


@mutant(
    "half noise",
    "learners.users.learner:ClippedPlan.locate",
    "test_the_window_alone_costs_its_part",
)
def a_window_chosen_at_twice_the_rate(original, self, *given):
    """Margins go up and down, one for one replaced user; the rate is that of monotone scores."""
    return original(replace(self, epsilon_search=2 * self.epsilon_search), *given)


@mutant(
    "wrong sensitivity",
    "learners.users.learner:ClippedPlan.locate",
    "test_the_window_and_the_hypothesis_together",
)
def a_window_chosen_by_users_not_by_mistakes(original, self, errors, n, source):
    """A user's clipped mistakes move the least score by the width; the rate is for one user."""
    return original(
        replace(self, epsilon_search=self.width * self.epsilon_search), errors, n, source
    )


@mutant(
    "contribution not bounded",
    "learners.users.scores:_clipped",
    "test_clipped_mistakes_are_sums_over_users",
)
def mistakes_beyond_the_window_count(original, mistakes, t, width):
    """Mistakes are clipped from below only: a user may move a score by more than the width."""
    return np.maximum(mistakes - t, 0)


@mutant("composition forgotten", "learners.users.learner:plan_clipped", "shares of epsilon")
def the_window_is_free(original, *given, epsilon, **numbers):
    """The choice of a hypothesis spends all of epsilon, after a window that was paid for."""
    return replace(original(*given, epsilon=epsilon, **numbers), epsilon_choice=epsilon)


@mutant(
    "half noise",
    "learners.users.learner:ClippedPlan.choose",
    "test_the_window_and_the_hypothesis_together",
)
def a_choice_by_clipped_errors_at_twice_the_rate(original, self, *given):
    """A user's whole window may be won for one hypothesis and lost for another."""
    return original(replace(self, epsilon_choice=2 * self.epsilon_choice), *given)
