"""Exact laws of whole transcripts: every stream, every path of draws, merged by equal states.

The state machine is pure data, so equal states (with equal transcripts) have equal futures: the law
after t records is computed from the law after t - 1, one step at a time. A stream is a path in the
tree of all streams, so common beginnings are computed once.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

from flint import arb, ctx

from littlestone.learners.online.algorithm import OnlineAlgorithm, always
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import (
    ExplicitWeights,
    LevelWeights,
    ReplaySource,
    probabilities,
    public_generator,
)

CUT = Fraction(1, 2**24)


class Enumerator:
    """All paths of a run with their probabilities, like `ExactSource`, but it remembers weights.

    `ExactSource` looks at every weight anew, to catch hidden state; a test compares the two.
    """

    def __init__(self):
        self.known = {}

    def law(self, run):
        outcomes, lost, path = {}, arb(0), []
        while True:
            branch = Branch(self, path)
            try:
                outcome = run(branch)
            except Cut:
                lost += branch.chance
            else:
                outcomes[outcome] = outcomes.get(outcome, arb(0)) + branch.chance
            path = branch.path
            while path and path[-1][0] + 1 == path[-1][1]:
                path.pop()
            if not path:
                return outcomes, upper(lost)
            path[-1] = (path[-1][0] + 1, path[-1][1])

    def probabilities(self, weights):
        match weights:
            case ExplicitWeights():
                key = ("few", tuple(map(repr, weights.weights)))
            case LevelWeights():
                key = (*map(tuple, (weights.counts, weights.scores)), weights.rate, weights.bottom)
            case _:
                key = weights
        if key not in self.known:
            self.known[key] = probabilities(weights, 192)
        return self.known[key]


class Cut(BaseException):
    pass


class Branch:
    seeded = True

    def __init__(self, enumerator, path):
        self.enumerator, self.path, self.at, self.chance = enumerator, path, 0, arb(1)

    def choose(self, weights):
        found = self.enumerator.probabilities(weights)
        if self.at == len(self.path):
            self.path.append((0, len(found)))
        chosen = self.path[self.at][0]
        self.at += 1
        self.chance = self.chance * found[chosen]
        if self.chance < arb(1) / CUT.denominator:
            del self.path[self.at :]
            raise Cut
        return chosen

    def below(self, m):
        return self.choose(ExplicitWeights(*[1] * m))

    def public_rng(self):
        return public_generator(0)


def freeze(state, scored):
    """Return (transcript, what the future depends on) as hashable values.

    A scored sees neither times nor epochs: of the mistakes, their multiset and the gap are enough.
    """
    public = (tuple(state.published), state.batches, state.stopped)
    limit, buffer, epochs = state.limit, tuple(state.buffer), tuple(map(tuple, state.epochs))
    if scored:
        mistakes = sorted((0, x, y) for part in (buffer, *epochs) for _, x, y in part)
        limit = None if limit is None else limit - len(buffer)
        buffer, epochs = (), (tuple(mistakes),)
    if state.stopped:
        return public, (0, 0, False, (), ())
    return public, (limit, state.event, state.fires, buffer, epochs)


def thaw(start, public, private, time):
    published, batches, stopped = public
    limit, event, fires, buffer, epochs = private
    return replace(
        start,
        time=time,
        published=list(published),
        batches=batches,
        stopped=stopped,
        limit=limit,
        event=event,
        fires=fires,
        buffer=list(buffer),
        epochs=[list(epoch) for epoch in epochs],
        draws=0,
    )


def paused(algorithm):
    """Return the algorithm with a mark where it would begin the next test: that factor is known."""

    def _begin_test(self, state, time, sources):
        state.limit = None

    other = object.__new__(type("Paused", (type(algorithm),), {"_begin_test": _begin_test}))
    other.__dict__.update(algorithm.__dict__)
    return other


class Streams:
    """The laws of the transcripts of all streams of a length over some kinds of records."""

    def __init__(self, algorithm: OnlineAlgorithm, kinds, length: int, only=None):
        self.algorithm, self.kinds, self.length = algorithm, tuple(kinds), length
        self.only = None if only is None else {s[:i] for s in only for i in range(length + 1)}
        self.scored = algorithm.plan.method == "exponential"
        self.start = algorithm.start(always(ReplaySource([0] * 100)))
        self.source, self.memory, self.winds = Enumerator(), {}, {}
        self.paused = paused(algorithm)
        self.laws, self.slack = {}, Fraction(0)
        with ctx.workprec(192):
            first, lost = self.source.law(
                lambda source: freeze(algorithm.start(always(source)), self.scored)
            )
            self.first, self.cut_at_first = first, lost
            self._walk((), first, lost)

    def _walk(self, stream, law, slack):
        if len(stream) == self.length:
            transcripts = {}
            for (public, _), p in law.items():
                transcripts[public] = transcripts.get(public, arb(0)) + p
            self.laws[stream] = transcripts
            self.slack = max(self.slack, slack)
            return
        for record in self.kinds:
            if self.only is not None and (*stream, record) not in self.only:
                continue
            after, lost = {}, slack
            for (public, private), p in law.items():
                outcomes, cut = self._step(public, private, len(stream), record)
                lost += cut
                for key, q in outcomes:
                    after[key] = after.get(key, arb(0)) + p * q
            self._walk((*stream, record), after, lost)

    def _step(self, public, private, time, record):
        # what was published before does not matter for the next step, but for its last hypothesis
        key = (public[0][-1], public[1:], private, time, record)
        if key not in self.memory:

            def run(source):
                state = thaw(self.start, (public[0][-1:], *public[1:]), private, time)
                self.paused.step(state, *record, always(source))
                return freeze(state, self.scored)

            outcomes, cut = self.source.law(run)
            found = []
            for (new, hidden), p in outcomes.items():
                if hidden[0] is not None:
                    found.append(((new, hidden), p))
                elif time + 1 == self.length:  # how the next test begins shows in no transcript
                    found.append(((new, (0, *hidden[1:])), p))
                else:
                    wound, lost = self._wound(time + 1, new[1])
                    cut += lost
                    found += [((new, (*set_, *hidden[3:])), p * q) for set_, q in wound.items()]
            self.memory[key] = (found, cut)
        past = public[0][:-1]
        outcomes, cut = self.memory[key]
        return [
            (((past + new[0], *new[1:]), hidden), q)
            for new_ in outcomes
            for (new, hidden), q in [new_]
        ], cut

    def _wound(self, time, batches):
        """Return the law of (limit, event, fires) when a test begins after some updates."""
        if (time, batches) not in self.winds:

            def run(source):
                state = replace(self.start, buffer=[], batches=batches)
                self.algorithm._begin_test(state, time, always(source))
                return state.limit, state.event, state.fires

            self.winds[time, batches] = self.source.law(run)
        return self.winds[time, batches]

    def most_adaptive(self, epsilon):
        """Return the largest divergence at epsilon over all adversaries who read the transcript.

        What is cut is missing on both sides: at most ``lost`` of each law.
        """

        def step(public, private, time, record):
            return self._step(public, private, time, record)[0]

        found = most_adaptive(self.first, step, self.kinds, self.length, epsilon)
        cuts = [cut for _, cut in self.memory.values()]
        self.lost = (self.length + 1) * max([self.cut_at_first, *cuts])
        return found

    def neighbours(self):
        for stream in self.laws:
            for i, record in product(range(self.length), self.kinds):
                other = (*stream[:i], record, *stream[i + 1 :])
                if record != stream[i] and other in self.laws:
                    yield stream, other

    def worst(self, epsilon):
        """Return the largest hockey-stick divergence at epsilon over all pairs of neighbours."""
        return max(
            upper(hockey_stick(self.laws[a], self.laws[b], epsilon, bits=192))
            for a, b in self.neighbours()
        )


def most_adaptive(start, step, kinds, length, epsilon):
    """Return the largest hockey-stick divergence that any adversary gets out of a stream.

    The adversary chooses each record after reading what was published, and at one time of its
    choice two different ones, of which either the first is used (law p) or the second (law q). Its
    choices after different transcripts do not meet, and the divergence is a sum over transcripts:
    so the best of *all* strategies is found backwards, one transcript at a time.

    ``start`` is a law of (public, private); ``step(public, private, time, record)`` a list of
    ``((public, private), probability)``.
    """
    with ctx.workprec(192):
        factor, zero = (arb(epsilon.numerator) / epsilon.denominator).exp(), arb(0)

        def after(law, public, time, record, side, found):
            for private, p in law.items():
                for (new, hidden), chance in step(public, private, time, record):
                    there = found.setdefault(new, ({}, {}))[side]
                    there[hidden] = there.get(hidden, zero) + p * chance

        def best(public, p, q, time, equal):
            if time == length:
                return (sum(p.values(), zero) - factor * sum(q.values(), zero)).max(zero)
            most = zero
            for left, right in product(kinds, repeat=2):
                if left != right and not equal:
                    continue
                found = {}
                after(p, public, time, left, 0, found)
                after(q, public, time, right, 1, found)
                still = equal and left == right
                parts = (best(new, *laws, time + 1, still) for new, laws in found.items())
                value = sum(parts, zero)
                most = value if upper(value) > upper(most) else most
            return most

        begun = {}
        for (public, private), chance in start.items():
            begun.setdefault(public, {})[private] = chance
        return upper(sum((best(public, p, p, 0, True) for public, p in begun.items()), zero))
