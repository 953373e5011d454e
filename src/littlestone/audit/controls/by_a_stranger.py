"""Bugs by somebody who has not seen the tests."""

from __future__ import annotations

from littlestone.audit.controls.control import Control

__all__ = ["BY_A_STRANGER"]

BY_A_STRANGER: tuple[Control, ...] = (
    Control(
        "one patience for all alarms",
        "randomness reused",
        "The secret patience is drawn for the first alarm and kept: earlier alarms tell what it is,"
        " and the alarm that the record belongs to has no offset left to hide behind.",
        "learners.online.algorithm",
        "state.limit = self.plan.limit + patience",
        "state.limit = state.limit or self.plan.limit + patience",
    ),
    Control(
        "mistakes dealt in turn",
        "dealing by position",
        "Teachers take turns over an epoch's mistakes, so that all get equally many: a record that"
        " is no longer a mistake moves every later one to another teacher.",
        "learners.online.council",
        "dealt[self.teacher(deal, record[0])][-1].append(record)",
        "dealt[sum(len(p[-1]) for p in dealt) % self.n_teachers][-1].append(record)",
    ),
    Control(
        "users numbered, not named",
        "cut depends on others",
        "A user's key is the rank of the name: a user with another name renumbers the others, and"
        " the cut keeps other records of each of them.",
        "data.user_names",
        "words = np.array([_word(name) for name in ordered], dtype=np.uint64)",
        "words = np.arange(len(ordered), dtype=np.uint64)",
    ),
    Control(
        "records outside the domain left out",
        "dropped records",
        "A table's cells that are no points are not counted: n, which every release publishes as"
        " the number of rows, then says how many of them there are.",
        "data.sample",
        "int(counts[which & ~inside].sum()))",
        "0)",
    ),
    Control(
        "equal events add up once",
        "ledger sum",
        "Events of the same price are summed as one group, and delta is not multiplied by how many"
        " there are: a budget of delta 1e-6 pays for any number of releases of delta 5e-7.",
        "privacy.entries",
        "leak + times * number(small)",
        "leak + number(small)",
    ),
    Control(
        "delta spent twice",
        "composition of deltas",
        "The zCDP ledger converts at half of delta, and lets the leaks add up to all of it:"
        " together they are up to 3/2 delta.",
        "privacy.filters",
        "self.limit = Price(rho, delta / 2)",
        "self.limit = Price(rho, delta)",
    ),
    Control(
        "how many records were looked at",
        "release text",
        "The text beside a released count of mistakes says how many records it is about: the"
        " users' records together, after the cut, which is private.",
        "learners.publish",
        'on = f"{each} records of each user of this fit; one that a user lacks counts as right"',
        'on = f"the {sample.n} records of this fit, at most {each} of each user"',
    ),
    Control(
        "interval around the count itself",
        "private value published",
        "The interval of a released count is computed from the count of the data instead of the"
        " released one: its ends, which are published, say the count.",
        "mechanisms.estimate",
        "low, high = _around(value, n, epsilon, beta)",
        "low, high = _around(int(count), n, epsilon, beta)",
    ),
    Control(
        "most frequent items first",
        "order of the output",
        "The released items are listed by how often they occur: the order tells which of two exact"
        " counts is larger, whatever the noise.",
        "mechanisms.histogram",
        "for item in ordered(counts, order):",
        "for item, _ in counts.most_common():",
    ),
    Control(
        "mechanism by distinct values",
        "data-dependent branch",
        "The median's mechanism is chosen for the number of different values, not of records: the"
        " release names it, with its delta, and one record decides.",
        "mechanisms.median.release",
        "chosen = choose(size, ordered.n, window,",
        "chosen = choose(size, len(ordered.points), window,",
    ),
    Control(
        "one answer after the last",
        "off by one",
        "A test that has given its charged answers may be asked until it gives one more.",
        "mechanisms.above_threshold",
        "if self.spent >= self._plan.limit:",
        "if self.spent > self._plan.limit:",
    ),
    Control(
        "clear cases without noise",
        "tail cut off",
        "A comparison that is far from its cut is decided without a coin: at the edge, one user"
        " makes an answer impossible that was possible before. The claim is pure.",
        "learners.users.compare",
        "return source.choose(_reaches(self.epsilon, missing))",
        "return source.choose(_reaches(self.epsilon, missing)) "
        "if missing * self.epsilon < 6 else 0",
    ),
    Control(
        "secret places from public coins",
        "secret made public",
        "Which records are in the part is drawn by the generator whose seed may be published:"
        " who knows it knows who is in, and nothing is amplified.",
        "learners.agnostic.records",
        "j = i + source.below(n - i)",
        "j = i + int(source.public_rng().integers(n - i))",
    ),
    Control(
        "at least one record is drawn",
        "rounding",
        "A part that would be empty gets one record, as in the certificate: of few records that is"
        " a larger share than the rate that the guarantee is amplified by.",
        "learners.agnostic.subsample",
        "drawn = places(n, floor(self.rate * n), source)",
        "drawn = places(n, max(floor(self.rate * n), 1), source)",
    ),
    Control(
        "chosen on all records",
        "parts overlap",
        "The last choice uses all records instead of those that no copy has seen: listing and"
        " choosing see the same record, and their epsilons add, but one is claimed.",
        "learners.stable.learner",
        "fresh = part(sample, dealt[rest:])  # step 4",
        "fresh = sample  # step 4",
    ),
    Control(
        "a search gives up aloud",
        "exceptions",
        "A copy whose search exceeds its budget no longer fails in silence: the whole fit stops,"
        " because of one copy's records.",
        "learners.stable.tournament",
        "except (_Fail, Undecided, SearchLimitError, UnsupportedError):",
        "except (_Fail, Undecided, UnsupportedError):",
    ),
    Control(
        "a vote at each stage",
        "contribution not bounded",
        "A teacher's lists of several stages are counted one after the other: a hypothesis that is"
        " in all of them gets as many votes from one teacher.",
        "learners.littlestone.votes",
        "for hypothesis in set(hypotheses):",
        "for hypothesis in hypotheses:",
    ),
)
