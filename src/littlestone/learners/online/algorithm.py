"""Private online learning as a state machine: one record in, perhaps a new hypothesis out.

`OnlineAlgorithm` waits for enough mistakes of the published hypothesis, by an above-threshold test,
and then draws the next one from them (`samplers`).

**The test.** At each time step it fires with probability ``e**(-epsilon * gap)``, or surely if
``gap <= 0``, where ``gap = limit + noise - count``; *count* is the number of mistakes since it
fired last, *noise* is a secret number drawn once for each epoch, r with probability
``(1 - e**-epsilon) e**(-epsilon * r)``.

Any number of tests, one after the other, is epsilon-DP *in total* (proof: docs/learners/online.md).
(The sparse vector technique with two-sided noise needs twice that for one test, and noise of scale
2/epsilon at both places.)

Between two changes of the gap the number of silent steps is geometric, so it is drawn at once: its
binary digits are independent coins. The law is that of one coin for each step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from flint import arb, ctx

from littlestone.bounds import Certificate, CertificateBuilder, Step
from littlestone.classes import check_class
from littlestone.classes.dimensions import littlestone_dimension
from littlestone.data import OUTSIDE, Sample
from littlestone.data.domains import distinct
from littlestone.errors import LittlestoneError
from littlestone.learners.online.state import (
    OnlineState,
    Record,
    closure_steps,
    label_of,
    majority,
    point_of,
    sample_of,
    truth,
    vote_events,
)
from littlestone.learners.release import LEARNING, parts_of, proposal_of
from littlestone.privacy import Guarantee, Part
from littlestone.source import ExplicitWeights, SeededSource, Source, ball, exp

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.classes import ConceptClass
    from littlestone.learners.online.plan import OnlinePlan, StreamGoal
    from littlestone.learners.online.state import HypothesisSampler
    from littlestone.types import Hypothesis, Json, Points


PRIVACY = "online.privacy"
TEST = "online.test"

#: From the number of a draw to the source that makes it: so a stream that is resumed makes
#: the draws that it would have made.
Sources = Callable[[int], Source]


def always(source: Source) -> Sources:
    """Return one source for all draws: the one of releases, or of exact verification."""
    return lambda number: source


def numbered(seed: int) -> Sources:
    """Return a reproducible source for each draw (NOT PRIVATE).

    Examples
    --------
    >>> numbered(7)(3).below(1000) == numbered(7)(3).below(1000)
    True
    """
    return lambda number: SeededSource((seed << 64) | number)


@dataclass(frozen=True)
class OnlineAlgorithm:
    """DP-OL (003, Algorithm 3): few mistakes on a stream, and privacy for all of it.

    Guarantee
    ---------
    The whole transcript (every published hypothesis and when it was published, however long the
    stream is) is (epsilon, delta)-DP when one record is replaced, for every stream: also for labels
    that no concept explains, and records chosen by an adversary who reads what is published.

    Notes
    -----
    *How.* Publish a hypothesis. Collect its mistakes until the above-threshold test fires; then
    hand them to the sampler (`samplers`), publish the majority vote of a few draws, and start
    anew. If a draw is bottom, nothing new is published, and more mistakes are collected. After the
    planned number of batches nothing is collected any more, the state says so publicly
    (``stopped``), and the last hypothesis stays.

    *Cost.* A record whose label was predicted changes nothing but the time.

    *Source.* Lyu 2025 (003), Algorithm 3 (DP-OL), changed where docs/learners/online.md says. Its
    line 6 is `start`; lines 8-14 are `step`; line 15 is the above-threshold test; lines 16-23 are
    what follows it. In the place of its line 22, JointTrain, are the `samplers`; as printed both
    are in `littlestone.papers.lyu`.
    """

    concept_class: ConceptClass
    plan: OnlinePlan  # all numbers; see `plan_online`

    name = "online"

    def sampler(self, batches: int) -> HypothesisSampler:
        """Return the sampler of the next update, after a number of updates."""
        return self.plan.sampler(self.concept_class, batches)

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return what is promised about the whole stream, and paid for; of `parts` one."""
        goal, proposal = self.plan.goal, proposal_of(self.concept_class)
        seeded |= proposal is not None and proposal.guarantee.seeded  # then the columns say it
        return Guarantee(goal.epsilon, goal.delta, goal.neighbours, claim=PRIVACY, seeded=seeded)

    def parts(self, *, seeded: bool = False) -> tuple[Part, ...]:
        """Return what documents of the stream cost: learned columns, if there are any, and it."""
        own = Part(LEARNING, self.guarantee(seeded=seeded))
        return parts_of((own,), proposal_of(self.concept_class))

    def start(self, sources: Sources) -> OnlineState:
        """Return the state before the first record; its hypothesis depends on no record."""
        coins = SeededSource(int(sources(0).public_rng().integers(2**62)))
        last = self.plan.phases[-1]  # public coins cost nothing: the most draws that are planned
        drawn = self.sampler(self.plan.batches).prior(last.draws, coins)  # line 6
        state = OnlineState(time=0, published=[(0, majority(drawn))])
        state.stopped = self.plan.batches == 0
        if not state.stopped:
            self._begin_test(state, 0, sources)
        return state

    def step(self, state: OnlineState, x: Any, y: int, sources: Sources) -> bool:
        """Learn one record, in place; the published hypothesis was there before its label."""
        now, state.time = state.time, state.time + 1
        if state.stopped:
            return False  # the budget is spent: nothing is collected any more
        # lines 11-14: a mistake joins the buffer, so the gap changes and the test is drawn anew
        if label_of(state.hypothesis, x, self.concept_class) != y:
            state.buffer.append((now, x, y))
            self._draw_event(state, now, sources)
        while state.event == now:  # line 15: the test acts at the time that was drawn
            if state.fires:
                return self._train(state, sources)
            self._draw_event(state, now, sources)
        return False

    def admitted(self, state: OnlineState, users: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Return which records are among the first ones of their users; count them.

        The others are to be learned as (`OUTSIDE`, 0): records that everybody predicts.
        """
        most = self.plan.goal.records_per_user
        assert most is not None
        return np.array([state.stopped or state.admit(user, most) for user in users], dtype=bool)

    def step_many(
        self,
        state: OnlineState,
        points: Points,
        inside: npt.NDArray[np.bool_],
        labels: npt.NDArray[np.int8],
        sources: Sources,
        *,
        until_published: bool = False,
    ) -> int:
        """Learn many records, in place: the same weights presented as one by one."""
        n, done = len(labels), 0
        while done < n and not state.stopped:
            size = min(n - done, _BLOCK)
            block = slice(done, done + size)
            wrong = (state.hypothesis.predict(points[block]) & inside[block]) != labels[block]
            start, version = state.time - done, state.version
            for i in self._events(state, np.flatnonzero(wrong) + done, start, done + size):
                state.time = start + i
                x = item(points, i) if inside[i] else OUTSIDE
                self.step(state, x, int(labels[i]), sources)
                if state.version != version or state.stopped:
                    break
            else:
                state.time = start + done + size
            done = state.time - start
            if until_published and state.version != version:
                return done
        state.time += n - done
        return n

    def _events(self, state: OnlineState, wrong: Any, start: int, end: int) -> Any:
        """Yield the indices of mistakes and, in between, those at which the test acts."""
        at, i = 0, -1
        while True:
            mistake = int(wrong[at]) if at < len(wrong) else end
            i = min(mistake, max(state.event - start, i + 1))
            if i >= end:
                return
            at += i == mistake
            yield i

    def _begin_test(self, state: OnlineState, time: int, sources: Sources) -> None:
        """Begin the next test: fresh noise, and how long it stays silent from a time on."""
        state.draws += 1
        noise = draw_noise(self.plan.test_epsilon, sources(state.draws))
        state.limit = self.plan.phase(state.batches).limit + noise
        self._draw_event(state, time, sources)

    def _draw_event(self, state: OnlineState, time: int, sources: Sources) -> None:
        """Draw when the test acts next, if nothing else happens from a time on."""
        state.draws += 1
        silent, state.fires = draw_silence(
            self.plan.test_epsilon,
            state.limit - len(state.buffer),
            self.plan.digits,
            sources(state.draws),
        )
        state.event = time + silent

    def _train(self, state: OnlineState, sources: Sources) -> bool:
        """Hand the mistakes to the sampler; publish, or stop: Algorithm 3 from line 16 on.

        Where a draw is bottom nothing is agreed on yet: nothing new is published.
        """
        state.epochs.append(state.buffer)  # lines 20-21
        state.buffer = []  # line 23
        plan, before = self.plan, state.version
        draws, sampler = plan.phase(state.batches).draws, self.sampler(state.batches)
        state.batches += 1  # line 16, counted upwards; lines 17-18 are below
        state.draws += 1
        drawn = sampler.draw(  # line 22
            state.epochs, draws, sources(state.draws), now=state.hypothesis
        )
        agreed = [h for h in drawn if h is not None]
        if len(agreed) == draws:
            state.published.append((state.time, majority(agreed)))
        state.stopped = state.batches == plan.batches  # lines 17-18
        if state.stopped:
            state.epochs.clear()  # nothing will ever be drawn from them
            state.contributions.clear()
        else:
            self._begin_test(state, state.time, sources)
        return state.version != before


_BLOCK = 1 << 16


def item(points: Points, i: int) -> Any:
    """Return one point of a batch."""
    row = points[i]
    if points.ndim == 2:
        return tuple(row.tolist())
    return row.item() if isinstance(row, np.generic) else row


# -- the above-threshold test ---------------------------------------------------------------------


@dataclass(frozen=True)
class NoEventCoin:
    """The coin "the test does not fire within this many steps" (outcome 0), at a gap >= 1."""

    epsilon: Fraction
    gap: int
    steps: int

    def __len__(self) -> int:
        return 2

    def enclose(self, bits: int) -> Sequence[arb]:
        """Enclose q**steps and 1 - q**steps, where q = 1 - e**(-epsilon * gap)."""
        with ctx.workprec(bits + 16):
            exponent = self.steps * log_silence(self.epsilon, self.gap)
            return [exponent.exp(), -exponent.expm1()]


@dataclass(frozen=True)
class Digit:
    """One binary digit of a geometric number: 1 has weight q**(2**place) against 1."""

    epsilon: Fraction
    gap: int
    place: int

    def __len__(self) -> int:
        return 2

    def enclose(self, bits: int) -> Sequence[arb]:
        """Enclose the two weights."""
        with ctx.workprec(bits + 16):
            return [arb(1), ((1 << self.place) * log_silence(self.epsilon, self.gap)).exp()]


def log_silence(epsilon: Fraction, gap: int) -> arb:
    """Enclose ln(1 - e**(-epsilon * gap)), without cancellation at either end."""
    exponent = epsilon * gap
    x = ball(exponent)
    if exponent < 1:
        return (-(-x).expm1()).log()
    return (-(-x).exp()).log1p()


def draw_silence(epsilon: Fraction, gap: int, digits: int, source: Source) -> tuple[int, bool]:
    """Return how many steps are silent, and whether the test fires then.

    Notes
    -----
    One coin if nothing happens, else one more for each digit.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> draw_silence(Fraction(1), 0, 4, SeededSource(0))
    (0, True)
    >>> draw_silence(Fraction(1), 100, 4, SeededSource(0))
    (16, False)
    """
    if gap <= 0:
        return 0, True
    if source.choose(NoEventCoin(epsilon, gap, 1 << digits)) == 0:
        return 1 << digits, False
    steps = 0
    for place in reversed(range(digits)):
        steps |= source.choose(Digit(epsilon, gap, place)) << place
    return steps, True


def draw_noise(epsilon: Fraction, source: Source) -> int:
    """Return r >= 0 with probability (1 - e**-epsilon) e**(-epsilon * r), exactly.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> draw_noise(Fraction(10**6), SeededSource(0))
    0
    """
    more, digits = _noise_coins(epsilon)
    rounds = 0
    while source.choose(more) == 1:
        rounds += 1
    noise = rounds << len(digits)
    for place, digit in reversed(list(enumerate(digits))):
        noise |= source.choose(digit) << place
    return noise


@lru_cache(maxsize=16)
def _noise_coins(epsilon: Fraction) -> tuple[ExplicitWeights, tuple[ExplicitWeights, ...]]:
    """Return the coins of the high part and of each low digit of a geometric number."""
    digits = 0
    while epsilon * (1 << digits) < 1:
        digits += 1
    far = exp(-epsilon * (1 << digits))
    return (
        ExplicitWeights(exp(0) - far, far),
        tuple(ExplicitWeights(1, exp(-epsilon * (1 << place))) for place in range(digits)),
    )


# -- Agnostic streams: private Hedge in batches, for any class whose concepts can be scored --------
#
# Before each batch of b records one concept is drawn with weight e**(-rate * errors), its errors
# those on all earlier batches, and published for the batch. Every record counts, not only mistakes,
# and no label has to be explained by a concept.
#
# Source: exponential weights (Littlestone and Warmuth; Freund and Schapire), with draws of the
# exponential mechanism in the place of the mixture. The plan is `plan.plan_hedge`, what is proved
# `bound.regret_bound`; the constants are our own: docs/learners/online.md.
#
# *Regret.* Let N be the number of concepts, l_j(h) the mistakes of h in batch j, b_j <= b its
# length, and W_j = sum_h e^(-eta L_{j-1}(h)). By Hoeffding's lemma ln(W_{j+1}/W_j) = ln E e^(-eta
# l_j(h_j)) <= -eta E l_j(h_j) + eta^2 b_j^2/8, the expectation over the draw. Summed,
# ln(W_{B+1}/N) >= -eta min L - ln N, so
#
# sum_j E l_j(h_j) <= min_h L(h) + ln N/eta + eta b T/8
#
# on every stream, *if the records of a batch are fixed before the concept published for it is
# seen* (an adversary who sees it first can make every record a mistake); they may depend on all
# that was published before. The mistakes minus their expectations are martingale differences in
# ranges of length b_j, so by Azuma and Hoeffding the mistakes exceed the bound by sqrt(T b
# ln(1/beta)/2) or more with probability at most beta (`regret_bound().mistakes`).


class Hedge(OnlineAlgorithm):
    """Private Hedge in batches: each draw is of all earlier batches.

    Guarantee
    ---------
    The whole transcript is (epsilon, delta)-DP when one record is replaced, for every stream, also
    if records are chosen by a reader of what is published: a record is counted in the draws after
    its batch only, each of them is ``2 * rate``-bounded range, and their number is planned.
    """

    def step(self, state: OnlineState, x: Any, y: int, sources: Sources) -> bool:
        """Learn one record; draw if it ends a batch."""
        version = state.version
        self._learn(state, [(state.time, x, y)], sources)
        return state.version != version

    def step_many(
        self,
        state: OnlineState,
        points: Points,
        inside: npt.NDArray[np.bool_],
        labels: npt.NDArray[np.int8],
        sources: Sources,
        *,
        until_published: bool = False,
    ) -> int:
        """Learn many records, batch by batch."""
        n, done = len(labels), 0
        while done < n and not state.stopped:
            end = min(n, done + self._batch - len(state.buffer))
            start, version = state.time - done, state.version
            records: list[Record] = [
                (start + i, item(points, i) if inside[i] else OUTSIDE, int(labels[i]))
                for i in range(done, end)
            ]
            self._learn(state, records, sources)
            done = end
            if until_published and state.version != version:
                return done
        state.time += n - done
        return n

    @property
    def _batch(self) -> int:
        return self.plan.phases[0].limit

    def _learn(self, state: OnlineState, records: list[Record], sources: Sources) -> None:
        """Take records of one batch, and draw the next concept if it is full."""
        state.time += len(records)
        if state.stopped:
            return
        state.buffer.extend(records)
        if len(state.buffer) == self._batch:
            self._train(state, sources)

    def _begin_test(self, state: OnlineState, time: int, sources: Sources) -> None:
        """There is no test: batches end at public times."""

    def _train(self, state: OnlineState, sources: Sources) -> bool:
        """Draw a concept by its errors on all batches, and publish it for the next one."""
        if state.tally is None:
            past = [record for epoch in state.epochs for record in epoch]
            state.tally = sample_of(past, self.concept_class)
        state.tally = _joined(state.tally, sample_of(state.buffer, self.concept_class))
        state.epochs.append(state.buffer)
        state.buffer = []
        state.batches += 1
        state.draws += 1
        choice = self.concept_class.candidates(state.tally)
        drawn = choice.draw(self.plan.phases[0].rate, sources(state.draws))
        state.published.append((state.time, drawn))
        state.stopped = state.batches == self.plan.batches
        if state.stopped:
            state.epochs.clear()  # nothing will ever be drawn from them
            state.contributions.clear()
            state.tally = None
        return True


def _joined(one: Sample, other: Sample) -> Sample:
    """Return the records of two samples together."""
    if not len(one.points) or not len(other.points):
        points, counts = (s := one if len(one.points) else other).points, s.counts
    else:
        points, where = distinct(np.concatenate([one.points, other.points]))
        counts = np.zeros((2, len(points)), dtype=np.int64)
        np.add.at(counts.T, where, np.concatenate([one.counts, other.counts], axis=1).T)
    outside = tuple(a + b for a, b in zip(one.outside, other.outside, strict=True))
    return Sample(points, counts, outside)


def algorithm_of(concept_class: ConceptClass, plan: OnlinePlan) -> OnlineAlgorithm:
    """Return the algorithm of a plan."""
    kind = Hedge if plan.method == "batches" else OnlineAlgorithm
    return kind(concept_class, plan)


# -- How many mistakes: certificates with explicit constants, lower bounds, and older bounds.
#
# *Lower bounds.* *Omega(d)*: on a random path of a shattered tree every learner is wrong with
# probability 1/2 at each of d steps, so d/2 expected mistakes. *Omega(1/epsilon)*: let two
# concepts differ at x, and let a_t, b_t be the probabilities of an error at time t on the streams
# (x, 0), (x, 0), ... and (x, 1), (x, 1), .... They differ in t records before time t, so by group
# privacy b_t >= e^(-t epsilon) (1 - a_t) - delta (1 - e^(-t epsilon))/(e^epsilon - 1), hence a_t
# + b_t >= e^(-t epsilon) - delta (1 - e^(-t epsilon))/(e^epsilon - 1). One of the two streams
# costs half the sum of these.


EPOCHS = "online.epochs"
EXPONENTIAL = "online.exponential"
OBLIVIOUS = "online.exponential.oblivious"
CLOSURE = "online.closure"
LYU = "lyu25.thm1"
REGRET = "online.regret"
SOA = "littlestone.soa"
TWO_CONCEPTS = "online.lower.two-concepts"
LOG_HORIZON = "clnss24.points"


@dataclass(frozen=True)
class MistakeBound:
    """An upper bound on the mistakes in a stream, except with a small probability.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners.online.plan import plan_online
    >>> ages = Thresholds(1, 99)
    >>> plan = plan_online(ages, epsilon=1, delta=1e-6, horizon=10**6, constants="theory")
    >>> print(mistake_bound(plan, ages))
    at most 6,354 mistakes among 1,000,000 adaptively chosen records, with ...
    """

    mistakes: int  # never more than the horizon (which proves nothing: then ``holds`` is False)
    horizon: int  # length of the stream
    beta: Fraction
    #: Whether records may be chosen by a reader of what is published; otherwise the stream was
    #: fixed beforehand. Either way some concept explains the records of each time so far.
    adaptive: bool
    #: With ``alpha = mistakes / horizon`` and ``n = horizon``; `littlestone.bounds.recheck`
    #: computes it again.
    certificate: Certificate

    @property
    def holds(self) -> bool:
        """Whether it is proved, and less than the horizon."""
        return self.certificate.holds

    def __str__(self) -> str:
        return (
            f"at most {self.mistakes:,} mistakes among {self.horizon:,} "
            f"{'adaptively chosen' if self.adaptive else 'oblivious'} records, with probability "
            f"at least {float(1 - self.beta):.6g}: {'holds' if self.holds else 'not proved'}"
        )

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "mistakes": self.mistakes,
            "horizon": self.horizon,
            "beta": float(self.beta),
            "adaptive": self.adaptive,
            "holds": self.holds,
            "certificate": self.certificate.to_dict(),
        }


@dataclass(frozen=True)
class RegretBound(MistakeBound):
    """An upper bound on the mistakes above those of the best concept, in all of the stream.

    ``expected``: of the expected number; ``mistakes``: except with probability ``beta``.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> from littlestone.learners.online.plan import StreamGoal
    >>> from littlestone.learners.online.plan import plan_hedge
    >>> goal = StreamGoal(Fraction(1), Fraction(1, 10**6), 10**6, Fraction(1, 20))
    >>> ages = Thresholds(1, 999)
    >>> print(regret_bound(plan_hedge(ages, goal), ages))
    at most 9,570 expected mistakes more than the best concept makes, among 1,000,000 records
    """

    expected: int

    def __str__(self) -> str:
        return (
            f"at most {self.expected:,} expected mistakes more than the best concept makes, among "
            f"{self.horizon:,} records"
        )


def regret_bound(plan: OnlinePlan, concept_class: ConceptClass) -> RegretBound:
    """Return what is proved about the mistakes above those of the best concept."""
    goal, (phase,) = plan.goal, plan.phases
    cert = CertificateBuilder(
        n=goal.horizon, beta=goal.beta, size=int(concept_class.size), b=phase.limit,
        rate=phase.rate,
    )  # fmt: skip
    expected = cert.step("expected", "log(size)/rate + rate*b*n/8", REGRET)
    cert.step("regret", "expected + sqrt(n*b*log(1/beta)/2)", REGRET)
    at_most = cert.step("at_most", "min(ceil(regret), n)", REGRET)
    cert.step("enough", "n >= at_most + 1", REGRET)
    mistakes = int(at_most.value)
    alpha = Fraction(mistakes, goal.horizon)
    certificate = cert.certificate(alpha=alpha, beta=goal.beta, n=goal.horizon)
    return RegretBound(
        mistakes, goal.horizon, goal.beta, True, certificate, math.ceil(float(expected.value))
    )


def mistake_bound(plan: OnlinePlan, concept_class: ConceptClass) -> MistakeBound:
    """Return what is proved about the number of mistakes, for one plan."""
    if plan.method == "batches":
        return regret_bound(plan, concept_class)
    cert = CertificateBuilder(
        n=plan.goal.horizon, beta=plan.goal.beta, test=plan.test_epsilon, batches=plan.batches
    )
    _epochs(cert)
    if plan.method == "exponential":
        claim, total = EXPONENTIAL, _exponential(plan, concept_class, cert)
    else:
        claim, total = CLOSURE, _closure(plan, concept_class, cert)
    total = cert.step("mistakes", "total", claim, total=total)
    mistakes = min(int(total.value), plan.goal.horizon)
    alpha = Fraction(mistakes, plan.goal.horizon)
    cert.step(
        "fewer_than_records", "mistakes + 1 <= n and mistakes <= alpha * n", claim, alpha=alpha,
    )  # fmt: skip
    certificate = cert.certificate(alpha=alpha, beta=plan.goal.beta, n=plan.goal.horizon)
    adaptive = plan.adversary == "adaptive"
    return MistakeBound(mistakes, plan.goal.horizon, plan.goal.beta, adaptive, certificate)


@dataclass(frozen=True)
class LowerBound:
    """What no private online learner of a class can do better."""

    mistakes: float | None  # expected mistakes, at least; None where no constant is known
    order: str
    why: str  # the registered claim

    def __str__(self) -> str:
        known = "constant unknown" if self.mistakes is None else f"at least {self.mistakes:,.3g}"
        return f"{self.order}: {known} [{self.why}]"

    def to_dict(self) -> Json:
        """Return plain JSON."""
        return {
            "order": self.order,
            "mistakes": self.mistakes,
            "constant": "unknown" if self.mistakes is None else "explicit",
            "claim": self.why,
        }


def lower_bounds(goal: StreamGoal, concept_class: ConceptClass) -> tuple[LowerBound, ...]:
    """Return lower bounds on the expected mistakes on some realizable stream of the horizon.

    Examples
    --------
    >>> from littlestone.classes import SparseSets
    >>> from littlestone.learners.online.plan import StreamGoal
    >>> goal = StreamGoal(Fraction(1, 4), Fraction(1, 10**6), 10**4, Fraction(1, 20))
    >>> for each in lower_bounds(goal, SparseSets(2)):
    ...     print(each)
    Omega(d): at least 1 [littlestone.soa]
    Omega(1/epsilon): at least 2.26 [online.lower.two-concepts]
    Omega(log T): constant unknown [clnss24.points]
    """
    horizon, found = goal.horizon, []
    try:
        d = littlestone_dimension(concept_class, max_nodes=_NODES)
        found.append(LowerBound(min(d, horizon) / 2, "Omega(d)", SOA))
    except LittlestoneError:  # not found soon: planning is quick
        d = int(concept_class.size > 1)
        found.append(LowerBound(None, "Omega(d)", SOA))
    if d >= 1:
        e, delta = (float(min(x, Fraction(700))) for x in goal.per_record)
        total, t = 0.0, 0
        while t < horizon:  # decreasing: the first term that is nothing ends the sum
            term = math.exp(-t * e) - delta * -math.expm1(-t * e) / math.expm1(e)
            if term <= 0 or (total + term == total):
                break
            total, t = total + term, t + 1
            if t == _TERMS:
                break
        found.append(LowerBound(total / 2, "Omega(1/epsilon)", TWO_CONCEPTS))
    if closure_steps(concept_class) is not None and d >= 1:  # has all single points
        found.append(LowerBound(None, "Omega(log T)", LOG_HORIZON))
    return tuple(found)


_TERMS = 100_000
_NODES = 20_000  # of a search for a dimension


def _epochs(cert: CertificateBuilder) -> None:
    """Write by how many mistakes tests may fire early, and late."""
    cert.step("records", "n", EPOCHS)
    formula = "max(ceil(log(4 * records / beta / (1 + exp(-test))) / test), 1)"
    cert.step("margin_below", formula, EPOCHS)
    cert.step("margin_above", "ceil(log(4 * (batches + 1) / beta) / test)", EPOCHS)


def _epoch(cert: CertificateBuilder, limit: int, name: str = "") -> tuple[Step, Step]:
    """Return how many mistakes an epoch with this limit has, at least and at most."""
    shortest = cert.step(f"shortest{name}", "limit + 1 - margin_below", EPOCHS, limit=limit)
    longest = cert.step(f"longest{name}", "limit - 1 + margin_above", EPOCHS, limit=limit)
    return shortest, longest


def _exponential(plan: OnlinePlan, concept_class: ConceptClass, cert: CertificateBuilder) -> Step:
    *quick, phase = plan.phases
    why = EXPONENTIAL
    _epoch(cert, phase.limit)
    cert = cert.where(draws=phase.draws, batches=phase.batches, share=plan.share, rate=phase.rate)
    cert.step("not_empty", "shortest >= 1", EPOCHS)
    ways = vote_events(concept_class, plan.share)
    if plan.adversary == "oblivious" and plan.goal.horizon < ways:
        ways, why = Fraction(plan.goal.horizon), OBLIVIOUS
    # more than half of the draws, an odd number, must err
    cert.step("vote_error", "binomial_above(draws, share, half)", why, half=(phase.draws - 1) // 2)
    failure = cert.step("vote_failure", "events * (batches + 1) * vote_error", why, events=ways)
    cert.step("votes", "failure <= beta / 2 and odd >= 1", why,
              failure=failure, odd=phase.draws % 2)  # fmt: skip
    cert.step("decay", "-log(1 - share * (1 - exp(-rate * max(shortest, 1))))", why)
    cert.step("updates", "floor(log(size) / decay)", why, size=int(concept_class.size))
    # the last vote of a quick phase is trusted by nobody: one more epoch, and one more update
    more = int(bool(quick))
    cert.step("budget", "updates + more <= batches", why, more=more)
    total = cert.step("certified", "(updates + 1 + more) * longest", why, more=more)
    for each in quick:
        _, most = _epoch(cert, each.limit, "_quick")
        total = cert.step(
            "quick_total", "total + batches * longest", why,
            total=total, batches=each.batches, longest=most,
        )  # fmt: skip
    return total


def _closure(plan: OnlinePlan, concept_class: ConceptClass, cert: CertificateBuilder) -> Step:
    grown = closure_steps(concept_class)
    assert grown is not None
    steps = len(grown.widths)
    cert = cert.where(steps=steps, leak=plan.leak)
    cert.step(
        "score", "1 + ceil(log((1 - beta / (2 * steps)) / (beta / (2 * steps)) / leak) / rate)",
        CLOSURE, rate=plan.phases[0].rate,
    )  # fmt: skip
    total = cert.step("start", "0 * steps", CLOSURE)
    for i, (width, phase) in enumerate(zip(grown.widths, plan.phases, strict=False)):
        shortest, longest = _epoch(cert, phase.limit, f"_{i}")
        cert.step(
            f"agree_{i}", "shortest >= width * (score - 1) + 1", CLOSURE,
            shortest=shortest, width=width,
        )  # fmt: skip
        total = cert.step(f"total_{i}", "total + longest", CLOSURE, total=total, longest=longest)
    cert.step("budget", "steps <= batches", CLOSURE, steps=len(grown.widths))
    return total


# -- Without privacy: the standard optimal algorithm, the yardstick --------------------------------
#
# NOT PRIVATE: each mistake changes the next prediction at once, for everybody to see.


class SOAPredictor:
    """The standard optimal algorithm: NOT PRIVATE, and of least mistake bound.

    Notes
    -----
    *Claim.* On every realizable sequence, also an adaptive one, at most Littlestone dimension many
    mistakes: a mistake leaves the label that lowers the dimension. Only mistakes change the state,
    so the bound holds although right predictions teach nothing. On a sequence that no concept
    explains, the predictor stays at the last version space that was not empty.

    *Source.* Littlestone 1988; Alon et al. 2022, Section 3.2.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> soa = SOAPredictor(Thresholds(1, 1000))
    >>> mistakes = 0
    >>> for x in range(1, 1001):
    ...     mistakes += soa.predict_one(x) != (x > 700)
    ...     soa.learn_one(x, x > 700)
    >>> mistakes <= soa.mistake_bound() == 9
    True
    """

    def __init__(self, concept_class: ConceptClass) -> None:
        self.concept_class = check_class("SOAPredictor", concept_class)
        self._space = concept_class.version_space()
        #: The SOA of the version space: the next prediction, at every point.
        self.hypothesis_: Hypothesis = self._space.soa()

    def mistake_bound(self) -> int:
        """Return the Littlestone dimension of the class."""
        return self.concept_class.version_space().littlestone_dim()

    def predict_one(self, x: Any) -> int:
        """Return the label predicted at a point; 0 outside the domain."""
        point = point_of(self.concept_class.domain, x)
        return label_of(self.hypothesis_, point, self.concept_class)

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn the label of a point; nothing changes if it was predicted, or lies outside."""
        point, label = point_of(self.concept_class.domain, x), truth("SOAPredictor", y)
        if point is OUTSIDE or label_of(self.hypothesis_, point, self.concept_class) == label:
            return
        rest = self._space.restrict(point, label)
        if not rest.is_empty:
            self._space, self.hypothesis_ = rest, rest.soa()
