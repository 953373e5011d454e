"""Bugs in streams, and in learners whose users hold many records."""

from __future__ import annotations

from littlestone.audit.controls.control import Control

__all__ = ["IN_STREAMS"]

_COUNCIL = "learners.online.council"
_DURABLE = "learners.online.durable"
_CHARGE = '        if kept.get("ledger"):\n            _charge(kept, ledger, algorithm)\n'
_START = (
    "        state = algorithm.start(sources)\n"
    "        state.terms = terms_of(algorithm, seed)\n"
    "        journal.save(state)\n"
)

IN_STREAMS: tuple[Control, ...] = (
    Control(
        "alarms act at mistakes only",
        "special case for empty",
        "In a block of records the alarm is looked at where there is a mistake: when it rings, the"
        " record of that time was one.",
        "learners.online.algorithm",
        "i = min(mistake, max(state.alarm - start, i + 1))",
        "i = mistake",
        "two alarms",
    ),
    Control(
        "mistakes dealt by what they say",
        "split by the data",
        "Equal records go to one teacher, so that lists agree: a replaced record leaves one teacher"
        " and comes to another, and two lists change.",
        _COUNCIL,
        "dealt[self.teacher(deal, record[0])][-1].append(record)",
        "dealt[self.teacher(deal, sum(map(ord, str(record[1:]))))][-1].append(record)",
        "one teacher for a record",
    ),
    Control(
        "long lists of thresholds",
        "contribution not bounded",
        "A teacher's run of thresholds counts in full length: bottom is weighed for short lists.",
        _COUNCIL,
        "end = min(last + 1, first + room)",
        "end = last + 1",
        "long lists of teachers",
    ),
    Control(
        "a teacher gives up aloud",
        "exceptions",
        "A search that exceeds its budget stops the stream, because of one teacher's records.",
        _COUNCIL,
        "except (SearchLimitError, UnsupportedError):",
        "except UnsupportedError:",
        "hard searches of teachers",
    ),
    Control(
        "bottom for the longest list of teachers",
        "parameter from the data",
        "The weight of bottom follows the longest list that came in, not the one promised.",
        _COUNCIL,
        "bottom_weight(k=self.most,",
        "bottom_weight(k=min(self.most, max([1, *map(len, lists)])),",
        "teachers of one mind",
    ),
    Control(
        "a stream is paid after it is kept",
        "order of payment",
        "Killed (or refused) between the two, it is there, goes on, and is never paid for.",
        _DURABLE,
        _CHARGE + _START,
        _START + _CHARGE,
        "unpaid streams",
    ),
    Control(
        "streams named by their class",
        "budget not counted",
        "The token says what a stream is about instead of which one it is: the second is free.",
        _DURABLE,
        'token=kept["name"]',
        "token=what[:200]",
        "each stream is paid",
    ),
    Control(
        "other terms in the middle",
        "budget not counted",
        "A stream that was begun, and paid for, with a small epsilon goes on with a large one.",
        _DURABLE,
        "if kept.get(name) != settings[name]:",
        "if name not in kept:",
        "a stream on other terms",
    ),
    Control(
        "an old copy goes on",
        "budget not counted",
        "A state that is older than what it published is taken up: the same records are drawn from"
        " again, with fresh coins, for nothing.",
        "learners.online.journal",
        "if not self._public.catch_up(self.state):",
        "if self._public.catch_up(self.state) is None:",
        "old copies of a stream",
    ),
    Control(
        "an interrupted stream goes on",
        "randomness reused",
        "After Ctrl-C the stream is as it was in the midst of a record: the alarm that has rung"
        " told its secret patience, and the next alarm waits with the same.",
        "learners.online.state",
        "            self._state.halt()",
        "            self._state.pending.clear()",
        "interrupted alarms",
    ),
    Control(
        "a kept state on other terms",
        "budget not counted",
        "A state that published under one epsilon goes on under a smaller one, and claims that.",
        "learners.online.estimator",
        "elif state.terms != terms:",
        "elif not state.terms:",
        "kept states",
    ),
    Control(
        "the public file counts the mistakes",
        "exact count shown",
        "A line for the dashboard: how many mistakes wait for the alarm.",
        "learners.online.public_record",
        'public().items() if k != "published"}',
        'public().items() if k != "published"} | {"mistakes": len(state.buffer)}',
        "public files",
    ),
    Control(
        "names as text if one is missing",
        "cut depends on others",
        "A column of numbers in which one name is missing is read as text: each user has another"
        " key then, and the cut keeps other records of everybody.",
        "data.counting",
        "names = [user_name(cell) for cell in raw]",
        "names = [cell if cell is None else str(cell) for cell in raw]",
        "another name for a user",
    ),
    Control(
        "a grid of margins at twice the rate",
        "half noise",
        "Margins go up and down, one for one replaced user; the rate is that of monotone scores.",
        "learners.users.grid_error",
        "rate = self.epsilon / (2 * scale)",
        "rate = self.epsilon / scale",
        "searches for the least error",
    ),
    Control(
        "a median of users at twice the rate",
        "half noise",
        "The rate of scores that move one way, for one that goes up and down.",
        "learners.users.interval_median",
        "draw(self.epsilon / 2, source)",
        "draw(self.epsilon, source)",
        "medians of users",
    ),
    Control(
        "sides of a step at twice the rate",
        "half noise",
        "Middle and sides are scored by users who may move either way.",
        "learners.users.threshold_plan",
        "return self.epsilon_step / 2",
        "return self.epsilon_step",
        "steps to a threshold",
    ),
    Control(
        "each median has the whole share",
        "composition forgotten",
        "Each step spends what was meant for all of them.",
        "learners.users.threshold_plan",
        "epsilon * (1 - sum(parts)) / steps,",
        "epsilon * (1 - sum(parts)),",
        "shares of epsilon",
    ),
    Control(
        "the search is free",
        "composition forgotten",
        "The choice spends all of epsilon, after a search that spent a part of it.",
        "learners.users.plan",
        "epsilon - found.epsilon",
        "epsilon",
        "search and choice",
    ),
    Control(
        "a choice by users at twice the rate",
        "half noise",
        "A user may be won for one hypothesis and lost for another.",
        "learners.users.mechanisms",
        "errors.draw(self.t(low, high), self.epsilon / 2, source)",
        "errors.draw(self.t(low, high), self.epsilon, source)",
        "search and choice",
    ),
)
