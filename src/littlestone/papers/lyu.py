"""003 as it is printed: Lyu, Private Learning of Littlestone Classes, Revisited (2025).

=======================  ==============================================================
`PrivateSparseSample`    Algorithm 1: a hypothesis that many lists contain, or bottom
`AboveThreshold`         Algorithm 2, in the style of Cohen and Lyu
`irreducible` and so on  Section 4: irreducible classes, decomposition dimension, essential
                         hypotheses, of the version spaces of `littlestone.classes`
`Theorem3`               Section 5, private empirical risk minimization, also proper
`DPOL`, `JointTrain`     Algorithms 3 and 4, private online learning
=======================  ==============================================================

The standard optimal algorithm is that of Section 4 throughout: 0 where label 0 keeps the
Littlestone dimension, else 1. Lemma 4.3 (2), on which everything here rests, is false for the
argmax of 004. Deviations carry the number of their erratum (docs/errata.csv).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Literal, Self

from littlestone.bounds import CertificateBuilder, Step
from littlestone.bounds.certificate import log_of
from littlestone.classes import Points
from littlestone.classes.thresholds import ThresholdList
from littlestone.data.sample import part, shuffle
from littlestone.errors import ParameterError, SearchLimitError, StateError, UnsupportedError
from littlestone.learners.littlestone import check_listed, one_concept
from littlestone.learners.online.state import Record, label_of, majority, sample_of
from littlestone.mechanisms import AboveThreshold as ClassicTest
from littlestone.mechanisms import canonical_key, removal_bottom
from littlestone.mechanisms.estimate import coin_of
from littlestone.mechanisms.select import count_lists, ordered
from littlestone.papers.adaptor import BOUNDS, Certified, on_page
from littlestone.privacy import (
    Approximate,
    BoundedRange,
    ChargedTests,
    Guarantee,
    Loss,
    compose,
    largest_scale,
)
from littlestone.source import LeveledChoice, public_generator, public_salt

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass, VersionSpace
    from littlestone.data import Sample
    from littlestone.learners.base import Goal
    from littlestone.source import Source
    from littlestone.types import Hypothesis, Point

_INFINITE = float("inf")


SAMPLE = "lyu.algorithm1.privacy"
PRIVACY = "lyu.theorem3.privacy"
ONLINE = "lyu.algorithm3.privacy"
SHARED = "lyu.theorem3.shared"
VOTES = "lyu.theorem3.votes"
_STAGE, _GOOD, _PASSED, _WRONG = (
    BOUNDS[f"lyu.theorem3.{part}"] for part in ("stage", "good", "passed", "wrong")
)


# -- Algorithm 1 ----------------------------------------------------------------------------------


@on_page("lyu.algorithm1", "Algorithm 1", "mechanism", "an item that many lists contain, or bottom")
@dataclass(frozen=True)
class PrivateSparseSample:
    """Algorithm 1: an item with weight e**(epsilon * lists that hold it), or bottom.

    (2 epsilon, delta)-DP when one list is added, removed or replaced, for lists of any length: only
    the first L items of each, in the public order, count.

    Deviation: B is the least score of bottom that hides L items, 1 + ln(L/delta)/epsilon; the
    printed 10 ln(L/delta)/epsilon is about ten times more than needed (erratum 26).

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> sampling = PrivateSparseSample(L=2, epsilon=Fraction(1, 2), delta=Fraction(1, 10**6))
    >>> sampling.draw([("a", "b")] * 60 + [("b", "c")] * 40, SeededSource(0))
    'b'
    >>> print(sampling.guarantee())
    (1, 1e-06)-differential privacy, replace-one [lyu.algorithm1.privacy]
    """

    L: int  # items of one list
    epsilon: Fraction  # of the weights: half of what is promised
    delta: Fraction
    B: Literal["least", "printed"] = "least"

    def guarantee(self) -> Guarantee:
        """Return what Lemma 3.1 promises, for one replaced list."""
        return Guarantee(2 * self.epsilon, self.delta, claim=SAMPLE)

    def draw(self, lists: Sequence[Sequence[Any]], source: Source) -> Any | None:
        """Return an item, or None for bottom."""
        return self.drawn(Scores(lists, self.L), source)

    def drawn(self, scores: Scores, source: Source) -> Any | None:
        """Return one of many draws from the same lists."""
        # 2: score(u) = |{i : u in L_i}|, in `Scores`
        B = removal_bottom(  # 3: score(bottom) = B, as the weight e**(epsilon B)
            k=self.L,
            epsilon=2 * self.epsilon,
            delta=self.delta,
            bottom="paper" if self.B == "printed" else "tight",
        )
        # 4: v with probability proportional to exp(epsilon score(v))
        choice = LeveledChoice(scores.values, scores.sizes, scores.member, B)
        return choice.draw(self.epsilon, source)


class Scores:
    """How many lists hold each item: runs of items of one score. Not private.

    Lists of thresholds are runs of them already, and are not written out.
    """

    def __init__(self, lists: Sequence[Sequence[Any]], L: int) -> None:
        runs = [each for each in lists if isinstance(each, ThresholdList)]
        others = [each for each in lists if not isinstance(each, ThresholdList)]
        counts = count_lists(others, cap=L)
        #: (score, number of items, the item or the run's first threshold)
        self._pieces: list[tuple[int, int, Any]] = [
            *((counts[u], 1, u) for u in ordered(counts, canonical_key)),
            *self._of_thresholds(runs, L),
        ]
        self.values = [score for score, _, _ in self._pieces]
        self.sizes = [size for _, size, _ in self._pieces]

    @property
    def most(self) -> int:
        """The largest score; one list moves it by at most 1."""
        return max(self.values, default=0)

    def member(self, piece: int, place: int) -> Any:
        """Return an item by its place in the public order."""
        first = self._pieces[piece][2]
        return first[0](first[1] + place) if isinstance(first, tuple) else first

    @staticmethod
    def _of_thresholds(lists: Sequence[ThresholdList], L: int) -> list[tuple[int, int, Any]]:
        """Return runs of thresholds that are in equally many lists, by one sweep."""
        changes: Counter[int] = Counter()
        for each in lists:
            left = L
            for first, last in each.space.runs:
                end = min(last + 1, first + left)
                changes[first] += 1
                changes[end] -= 1
                left -= end - first
                if not left:
                    break
        ends = sorted(changes)
        scores = accumulate(changes[end] for end in ends)
        named = lists[0].space.named if lists else None
        return [
            (score, high - low, (named, low))
            for score, (low, high) in zip(scores, pairwise(ends), strict=False)
            if score
        ]


# -- Algorithm 2 ----------------------------------------------------------------------------------


@on_page("lyu.algorithm2", "Algorithm 2", "mechanism",
         "any number of questions, paid for by the few charged answers")  # fmt: skip
@dataclass(frozen=True)
class AboveThreshold:
    """Algorithm 2: fresh noise for each query; K charged answers, then it halts.

    Queries of sensitivity 1 may be chosen adaptively, other mechanisms may run between them.
    `Composed` to (epsilon, delta) by `littlestone.privacy.ChargedTests`, a proof of Lemma 3.2
    with constants.

    Deviations: the printed ``counter <= K`` gives K + 1 charged answers (erratum 31), here it is
    ``<``; the noise is two-sided geometric, the Laplace law on integers.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> test = AboveThreshold(K=1, epsilon=Fraction(1, 2)).start(50, SeededSource(0))
    >>> [test.ask(value) for value in (3, 20, 90)], test.halted
    ([False, False, True], True)
    """

    K: int
    epsilon: Fraction  # of the noise Lap(1/epsilon)
    charged: Literal["above", "below"] = "above"  # the remark after Lemma 3.2

    @classmethod
    @lru_cache(maxsize=256)
    def within(cls, K: int, budget: Fraction, delta: Fraction) -> Self:
        """Return a test whose K charged answers cost (budget, delta): about the largest rate."""

        def private(rate: Fraction) -> bool:
            try:
                return compose([ChargedTests(rate, K)], delta=delta)[0] <= budget
            except ParameterError:  # no order has a finite divergence
                return False

        # an epsilon below about 1e-6 needs orders beyond `compose`
        low = next((rate for i in range(28) if private(rate := budget / 2**i)), None)
        if low is None:
            raise UnsupportedError("This epsilon is too small to be composed to this delta.")
        high = 2 * low
        for _ in range(20):  # to a relative 1e-6
            middle = (low + high) / 2
            low, high = (middle, high) if private(middle) else (low, middle)
        short = Fraction(f"{float(low):.6e}")  # few digits
        return cls(K, short if short <= low else low)

    @property
    def loss(self) -> Loss:
        """The item for `littlestone.privacy.compose`."""
        return ChargedTests(self.epsilon, self.K)

    def guarantee(self, delta: Fraction) -> Guarantee:
        """Return what one run promises at a delta."""
        epsilon, delta = compose([self.loss], delta=delta)
        return Guarantee(epsilon, delta, claim="charged-tests.renyi")

    def start(self, H: int, source: Source) -> Run:
        """Begin, with the public threshold H."""
        return Run(self, H, source)


@dataclass
class Run:
    """One run of `AboveThreshold`; ``counter`` and ``t`` are public."""

    test: AboveThreshold
    H: int
    source: Source = field(repr=False)
    counter: int = 0  # 2
    t: int = 0

    @property
    def halted(self) -> bool:
        """Whether K charged answers were given."""
        return self.counter >= self.test.K  # 3: while counter < K

    def ask(self, value: int) -> bool:
        """Return whether f_t(D), the value, is above."""
        if self.halted:
            raise StateError("This test has given its charged answers. Start another one.")
        # 4, 5: f_t(D) + Lap(1/epsilon) >= H
        above = bool(self.source.choose(coin_of(self.test.epsilon, value - self.H)))
        self.counter += above == (self.test.charged == "above")  # 6, 7, 9: report, count
        self.t += 1  # 11
        return above


# -- Section 4 ------------------------------------------------------------------------------------


def irreducible(H: VersionSpace, k: int) -> bool:
    """Return whether H is k-irreducible (Definition 4.1).

    Examples
    --------
    >>> import littlestone as ls
    >>> space = ls.Points().version_space()
    >>> irreducible(space, 10**6), irreducible(space.restrict("a", 1), 3)
    (True, True)
    """
    return H.reducibility(cap=k) > k


def decomposition_dimension(H: VersionSpace, p: int, d: int) -> int:
    """Return DDim_(p,d)(H) (Definition 4.2); children without concepts are dropped (erratum 25).

    Examples
    --------
    >>> import littlestone as ls
    >>> decomposition_dimension(ls.Thresholds(1, 7).version_space(), 1, 3)
    0
    """
    return H.decomposition_dim(p, d)


def essential(H: VersionSpace, p: int, d: int) -> Sequence[Hypothesis]:
    """Return the (p, d)-essential hypotheses of H (Definition 4.3).

    Examples
    --------
    >>> import littlestone as ls
    >>> [h.describe() for h in essential(ls.Points().version_space(), 4, 1)]
    ['always 0']
    """
    return H.essential(p, d)


def longest(p: int, d: int, size: int | float = _INFINITE) -> int:
    """Return the length of the longest list of essential hypotheses (Corollary 4.1, 1)."""
    leaves: int = p**d << d * d
    return leaves if size == _INFINITE else min(leaves, int(size))


# -- Section 5 ------------------------------------------------------------------------------------


@on_page("lyu.theorem3", "Theorem 3", "learner",
         "teachers list essential hypotheses stage by stage, and vote")  # fmt: skip
@dataclass(frozen=True)
class Theorem3(Certified):
    """Theorem 3, private empirical risk minimization for Littlestone classes.

    (epsilon, delta), replace-one, n public, for every input: a record is one teacher's, so one list
    of each stage changes. AboveThreshold costs epsilon_test (pure, one charged answer), the draw
    (epsilon_draw, delta).

    Deviations: p_j = 2**j max(m, d + 1) for 2**j n d, all that the proof asks of teachers of m
    records (erratum 21); the tolerance is (1 - 1/(2d))**j alpha m rounded down (erratum 22), and
    the threshold k/2 is floor(k/2), at least 1; where no stage passes, or bottom is drawn, a public
    concept is the answer, `VersionSpace.member` of the whole class (erratum 23), so accuracy is
    promised with probability 1 - beta, not one (erratum 24); a list is cut to its longest possible
    length, in public order; a teacher whose search needs more than ``max_nodes`` nodes submits
    nothing; AboveThreshold has its noisy threshold, since its one charged answer then costs no
    delta; epsilon is shared between the test and the draw; the numbers of Theta() are printed here
    without their constants, and certified ones are given as parameters.

    Certificate (docs/papers.md): for given k, chunk, tolerances and lost, error at most alpha on
    new records, with probability 1 - beta, provided that no teacher's search is given up.

    Examples
    --------
    >>> import littlestone as ls
    >>> budget = {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}
    >>> goal = {"alpha": Fraction(1, 10), "beta": Fraction(1, 10)}
    >>> Theorem3.printed(ls.Points(), **budget, **goal, n=5200).k
    14
    >>> from littlestone.papers import Theorem3 as Learner
    >>> learner = Learner(ls.Points(), epsilon=1, delta=1e-6, k=120, chunk=16, tolerances=(1, 0),
    ...                   random_state=0)
    >>> X = ["rain", "sun", "snow", "fog"] * 500
    >>> learner.fit(X, [int(x == "rain") for x in X]).hypothesis_.describe()
    "1 if x = 'rain', otherwise 0"
    """

    concept_class: ConceptClass
    epsilon: Fraction
    delta: Fraction
    k: int  # teachers
    chunk: int | None = None  # records of one; n/k
    tolerances: tuple[int, ...] | None = None  # of stage 1, ..., d + 1; (1 - 1/(2d))**j alpha m
    share: Fraction = Fraction(1, 2)  # of epsilon, for the test
    agreeing: Fraction = Fraction(1, 2)  # of the teachers, for the test to pass
    proper: bool = False  # the remark after the proof
    max_nodes: int = 20_000
    lost: Fraction | None = None  # of the certificate: teachers who miss the shared hypothesis
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 20)

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return k = d**2 log(1/delta)/epsilon teachers."""
        d = concept_class.version_space().littlestone_dim()
        k = max(1, math.ceil(d**2 * -log_of(goal.delta) / float(goal.epsilon)))
        return cls(concept_class, goal.epsilon, goal.delta, k, alpha=goal.alpha, beta=goal.beta)

    def __post_init__(self) -> None:
        if not (0 < self.share < 1 and 0 < self.agreeing <= 1 and self.k >= 1):
            raise UnsupportedError("Theorem3 needs 0 < share < 1, 0 < agreeing <= 1 and k >= 1.")
        if self.chunk is not None and self.chunk < 1:
            raise UnsupportedError("A chunk of Theorem3 has at least one record.")
        falling = self.tolerances or (0,)
        if any(a < b for a, b in pairwise(falling)) or falling[-1] < 0:
            raise UnsupportedError("The tolerances of Theorem3 are falling whole numbers.")
        if self.proper:
            check_listed(self.concept_class)

    @cached_property
    def d(self) -> int:
        """The Littlestone dimension of the class."""
        d: int = self.concept_class.version_space().littlestone_dim()
        return d

    def m(self, n: int) -> int:
        """Return the records of one teacher."""
        return self.chunk or max(1, n // self.k)

    def c(self, j: int, m: int) -> int:
        """Return how many of m records a concept of H_i^j may get wrong."""
        if self.tolerances is not None:
            return self.tolerances[j - 1]
        return math.floor((1 - Fraction(1, 2 * self.d)) ** j * self.alpha * m)

    @property
    def stages(self) -> int:
        """D + 1."""
        return self.d + 1 if self.tolerances is None else len(self.tolerances)

    def p(self, j: int, m: int) -> int:
        """Return p_j."""
        return max(m, self.d + 1) << j

    def test(self) -> ClassicTest:
        """Return AboveThreshold: one charged answer."""
        return ClassicTest(epsilon=self.epsilon * self.share, limit=1)

    def sampling(self, m: int) -> PrivateSparseSample:
        """Return Algorithm 1 for the longest lists."""
        L = longest(self.p(self.stages, m), self.d, self.concept_class.size)
        return PrivateSparseSample(L, self.epsilon * (1 - self.share) / 2, self.delta)

    def guarantee(self) -> Guarantee:
        """Return the sum of the test and of the draw."""
        draw = self.sampling(1).guarantee()
        total = self.test().epsilon + draw.epsilon
        return Guarantee(total, draw.delta, claim=PRIVACY)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Return a hypothesis; steps as in the proof."""
        default = self.concept_class.version_space().member()
        if not self.d:
            return default  # there is one concept only
        m = self.m(sample.n)
        shuffled = shuffle(sample, source)  # randomly partition the input into k chunks
        k = max(1, min(self.k, sample.n // m))
        S = [part(sample, shuffled[i * m : (i + 1) * m]) for i in range(k)]  # S_1, ..., S_k
        test = self.test().start(max(1, math.floor(k * self.agreeing)), source)
        hypothesis = default
        for j in range(1, self.stages + 1):  # the j-th stage
            # {f_v^(i,j)}: the (p_j, d)-essential hypotheses to H_i^j, for every i
            f = Scores([self.listed(S_i, j, m) for S_i in S], self.sampling(m).L)
            if test.ask(f.most):  # AboveThreshold: at least k/2 times?
                drawn = self.sampling(m).drawn(f, source)  # Sparse Sample, and halt
                hypothesis = default if drawn is None else drawn
                break
            # otherwise, continue to the (j + 1)-th stage
        return one_concept(self.concept_class, hypothesis, source) if self.proper else hypothesis

    def listed(self, S_i: Sample, j: int, m: int) -> Sequence[Hypothesis]:
        """Return the (p_j, d)-essential hypotheses to H_i^j = {h : err_(S_i)(h) <= c_j/m}."""
        H = self.concept_class.version_space(self.max_nodes).fresh()  # no memory of other teachers
        try:
            return essential(H.within_error(S_i, self.c(j, m)), self.p(j, m), self.d)
        except (SearchLimitError, UnsupportedError):
            return ()  # a function of this teacher's records alone

    # -- the certificate (docs/papers.md has the proof) -------------------------------------------

    def failure(self, n: int) -> CertificateBuilder | None:
        """Return the certificate; None without chunk, tolerances and lost, or if proper."""
        if self.chunk is None or self.tolerances is None or self.lost is None or self.proper:
            return None
        if not self.d or self.stages != self.d + 1:
            return None
        m, d, k = self.chunk, self.d, self.k
        test, draw = self.test(), self.sampling(m)
        cert = CertificateBuilder(
            n=n, m=m, k=k, d=d, alpha=self.alpha, beta=self.beta, lost=self.lost,
            s=test.offset_rate, r=test.rate, tau=max(1, math.floor(k * self.agreeing)), L=draw.L,
            rate=draw.epsilon, delta=self.delta,
        )  # fmt: skip
        cert.step("enough_records", "n >= k*m", VOTES)
        before: Step | Fraction = Fraction(0)
        for j in range(1, d + 1):
            b = self._arrow(cert, j)
            numbers = {"lost": self.lost, "before": float(before), "b": float(b)}
            above = _STAGE.function("above", "v", **numbers)
            v = min((self.lost * i / 200 for i in range(1, 200)), key=lambda v: above(float(v)))
            before = _STAGE.write(cert, suffix=f"_{j}", before=before, b=b, v=v)
        cert.step("target_listed", "before <= lost", SHARED, before=before)
        # the good stage passes, unless votes are few or the noise is against it
        known = cert.floats
        few = min(range(1, 400), key=_GOOD.function("unlucky", "few", **known))
        _GOOD.write(cert, few=few)
        # whatever stage passes, its best hypothesis has so many votes
        stages = [
            {"c": c, "leaves": longest(self.p(j, m), self.d, self.concept_class.size)}
            for j, c in enumerate(self.tolerances, 1)
        ]
        parts = [_PASSED.function("passed", "votes", **known)]
        parts += [_WRONG.function("wrong", "votes", **known | stage) for stage in stages]
        votes = min(range(1, int(known["tau"]) + 1), key=lambda votes: sum(p(votes) for p in parts))
        _PASSED.write(cert, votes=votes)
        wrong = {
            f"w{j}": _WRONG.write(cert, suffix=f"_{j}", votes=votes, **stage)
            for j, stage in enumerate(stages, 1)
        }
        cert.step("failure", " + ".join(["unlucky", "passed", *wrong]), VOTES, **wrong)
        cert.step("enough", "failure <= beta", VOTES)
        return cert

    def _arrow(self, cert: CertificateBuilder, j: int) -> Step:
        """Write b_j: some concept is wrong <= c_(j+1) times on one teacher, > c_j on another."""
        assert self.tolerances is not None
        high, low = self.tolerances[j - 1], self.tolerances[j]
        E = low + high + 1
        patterns = "growth(vc, 2*m)"
        if low == 0 and isinstance(self.concept_class, Points):
            # errors fall on the target's point, and i of them on another one
            each = (
                "min(comb(m, E - {i})/comb(2*m, E - {i})*comb(2*m, E)/comb(m, E), floor(2*m/{i}))"
            )
            patterns = f"max({', '.join(each.format(i=i) for i in range(1, E + 1))}, 1)"
        cert.step(f"patterns_{j}", patterns, SHARED, E=E, vc=self.concept_class.vc_dim)
        uneven = "sum(x, 0, low, comb(m, x)*comb(m, E - x))"
        formula = f"min(1, patterns_{j}*{uneven}/comb(2*m, E))"
        return cert.step(f"arrow_{j}", formula, SHARED, E=E, low=low)


# -- Section 6 ------------------------------------------------------------------------------------


@dataclass
class State:
    """What Algorithms 3 and 4 keep; ``published``, ``j_star``, ``t`` and ``halted`` are public."""

    published: Hypothesis
    update: Run  # line 15 of Algorithm 3
    agreed: Run  # line 8 of Algorithm 4
    salt: int  # public coins of the teachers' time steps
    S: list[list[list[Record]]]  # S^(1), ..., S^(k): for each update, a teacher's mistakes
    E: list[Record] = field(default_factory=list)
    t: int = 0
    j_star: int = 1
    halted: bool = False


@on_page("lyu.algorithm4", "Algorithm 4", "mechanism",
         "k teachers are trained jointly, from all mistakes so far", unit="stream")  # fmt: skip
@dataclass(frozen=True)
class JointTrain:
    """Algorithm 4: k teachers are trained jointly.

    Each call costs the draws of Algorithm 1, and the questions of a test that charges "below".

    Deviations: a teacher whose class has another decomposition dimension than d + 1 - j* submits
    nothing, else Claim 6.4 fails (erratum 18); the tolerance is (1/10)(1 - 1/(2d))**j, which
    does not stop at d = 1 (erratum 22); p_j = 2**j times a public cap of what a teacher reads of
    each update (erratum 21); when the loop ends without an answer, the last hypothesis stays, and
    after the test's halt nothing is asked (erratum 23); bottom has the least score that hides a
    list, not B = k/10 of line 10, and line 8 asks for ceil(4k/5) at least, not for more than 4k/5.

    Examples
    --------
    >>> import littlestone as ls
    >>> train = JointTrain(ls.Points(), d=1, k=3, cap=8, draws=1, epsilon=Fraction(1),
    ...                    delta=Fraction(1, 100))
    >>> [h.describe() for h in train.listed([[(1, "a", 1), (2, "a", 1)]], j=2)]
    ["1 if x = 'a', otherwise 0"]
    """

    concept_class: ConceptClass
    d: int
    k: int
    cap: int  # records of one update that a teacher reads
    draws: int  # O(log T), or 2**O(d) against adaptive adversaries
    epsilon: Fraction  # epsilon_sparse
    delta: Fraction  # of one draw

    def p(self, j: int) -> int:
        """Return p of stage j."""
        return max(self.cap, self.d + 1) << j

    @property
    def sampling(self) -> PrivateSparseSample:
        """Algorithm 1, for the longest lists."""
        L = longest(self.p(self.d + 1), self.d, self.concept_class.size)
        return PrivateSparseSample(L, self.epsilon, self.delta)

    def __call__(self, state: State, source: Source) -> Hypothesis:
        """Return a hypothesis for the collections S^(1), ..., S^(k) of a state."""
        while state.j_star <= self.d + 1 and not state.agreed.halted:  # 2
            lists = [self.listed(S_i, state.j_star) for S_i in state.S]  # 3, 4, 5, 6
            scores = Scores(lists, self.sampling.L)
            m = scores.most  # 7
            if state.agreed.ask(m):  # 8
                h = [self.sampling.drawn(scores, source) for _ in range(self.draws)]  # 9, 10, 11
                some = [each for each in h if each is not None]  # bottom abstains
                return majority(some) if some else state.published  # 12
            state.j_star += 1  # 13, 14
        return state.published  # 15, 16

    def listed(self, S: Sequence[Sequence[Record]], j: int) -> Sequence[Hypothesis]:
        """Return the (p_j, d)-essential hypotheses to the class of one teacher."""
        try:
            H = self.define_class(S, j)
            if decomposition_dimension(H, self.p(j), self.d) != self.d + 1 - j:
                return ()
            return essential(H, self.p(j), self.d)
        except (SearchLimitError, UnsupportedError):
            return ()  # a function of this teacher's records alone

    def define_class(self, S: Sequence[Sequence[Record]], j: int) -> VersionSpace:
        """Return the concepts of few errors on each sub-dataset."""
        H = self.concept_class.version_space().fresh()  # 17
        for T_i in S:  # 18
            first = T_i[: self.cap]
            if first:
                most = Fraction(1, 10) * (1 - Fraction(1, 2 * max(self.d, 1))) ** j * len(first)
                H = H.within_error(sample_of(first, self.concept_class), math.floor(most))  # 19
        return H


@on_page("lyu.algorithm3", "Algorithm 3", "learner",
         "private online learning; after some mistakes the teachers train again",
         unit="stream")  # fmt: skip
@dataclass(frozen=True)
class DPOL(Certified):
    """Algorithm 3, DP-OL: publish a hypothesis; after some U mistakes train it again.

    (epsilon, delta) for the whole stream, one record replaced, for every input, also of adaptive
    adversaries. The mistake bound of Lemma 6.2 is for oblivious ones; the remark after it is
    ``draws`` = 2**O(d), which represents every point at once (`printed`, adaptive).

    Deviations: E is a list by time, not a set (erratum 32: a set moves two teachers); a time step's
    teacher is a public coin of that step, for a split of E into equal parts, which one record
    would move by two (erratum 17); at the K_budget-th passing test it halts (erratum 23: the
    printed "< 0" allows one more), and continues to publish; constants C are parameters.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.source import SeededSource
    >>> algorithm = DPOL.printed(ls.Points(), epsilon=Fraction(4), delta=Fraction(1, 10**6),
    ...     alpha=Fraction(1, 10), beta=Fraction(1, 20), n=1000)
    >>> source = SeededSource(0)
    >>> state = algorithm.start(source)
    >>> algorithm.step(state, "a", 1, source).describe(), len(state.E)
    ('always 0', 1)
    """

    concept_class: ConceptClass
    epsilon_update: Fraction  # of the noise of line 15
    epsilon_agreed: Fraction  # of the noise of line 8 of Algorithm 4
    epsilon_sparse: Fraction  # of one draw
    delta: Fraction  # of all
    delta_sparse: Fraction  # of one draw
    k: int  # teachers
    U: int  # train again after about so many mistakes
    K_budget: int  # C d**3: the last one halts
    draws: int  # O(log T)
    cap: int  # records of one update that a teacher reads

    @classmethod
    def for_goal(
        cls, concept_class: ConceptClass, goal: Goal, n: int, *, adaptive: bool = False
    ) -> Self:
        """Return the printed numbers for T = n steps, with C = 4 and each O() being 1.

        A quarter of epsilon and of delta are for each test, the rest for the draws.
        """
        d, T = max(1, concept_class.version_space().littlestone_dim()), max(n, 2)
        logs = math.log(T) * -log_of(goal.delta)
        K = 4 * d**3  # 2
        k = max(1, math.ceil(d**3.5 * logs / float(goal.epsilon)))  # 3
        U = math.ceil(4 * d**3 * max(1.0, math.log(d * math.log(T) + 1)) * k)  # 4
        draws = 2**d if adaptive else math.ceil(math.log(T))
        leak = goal.delta / 4 / (K * draws)
        update = AboveThreshold.within(K, goal.epsilon / 4, goal.delta / 4)
        agreed = AboveThreshold.within(d + 1, goal.epsilon / 4, goal.delta / 4)
        sparse, _ = largest_scale(
            lambda rate: {BoundedRange(2 * rate): K * draws}, epsilon=goal.epsilon / 2,
            delta=goal.delta / 4, low=goal.epsilon / (4 * K * draws),
        )  # fmt: skip
        return cls(concept_class, update.epsilon, agreed.epsilon, sparse, goal.delta, leak,
                   k, U, K, draws, 4 * math.ceil(U / k))  # fmt: skip

    @cached_property
    def d(self) -> int:
        """The Littlestone dimension."""
        return self.concept_class.version_space().littlestone_dim()

    @property
    def update(self) -> AboveThreshold:
        """The test of line 15."""
        return AboveThreshold(self.K_budget, self.epsilon_update)

    @property
    def agreed(self) -> AboveThreshold:
        """The test of line 8 of Algorithm 4, of which "below" is charged."""
        return AboveThreshold(self.d + 1, self.epsilon_agreed, "below")

    @property
    def train(self) -> JointTrain:
        """Algorithm 4."""
        return JointTrain(self.concept_class, self.d, self.k, self.cap, self.draws,
                          self.epsilon_sparse, self.delta_sparse)  # fmt: skip

    def guarantee(self) -> Guarantee:
        """Return the composition of both tests and of all draws (Section 6.1)."""
        draws = self.K_budget * self.draws  # the first training, and those after line 15
        leak = draws * self.delta_sparse
        losses: dict[Loss, int] = {
            BoundedRange(2 * self.epsilon_sparse): draws,
            Approximate(Fraction(0), leak): 1,
        }
        for test in (self.update, self.agreed):
            losses[test.loss] = losses.get(test.loss, 0) + 1
        epsilon, delta = compose(losses, delta=self.delta)
        return Guarantee(epsilon, delta, claim=ONLINE)

    def failure(self, n: int) -> None:
        """Return None: the mistake bound has no explicit constants here."""

    def start(self, source: Source) -> State:
        """Lines 2 to 7; without records all teachers list the same."""
        H = self.concept_class.version_space()
        state = State(  # 2, 3, 4
            H.soa(),
            self.update.start(self.U, source),
            self.agreed.start(math.ceil(4 * self.k / 5), source),
            public_salt(source),
            [[] for _ in range(self.k)],  # 5
        )
        state.published = self.train(state, source)  # 6
        state.E = []  # 7
        return state

    def step(self, state: State, x: Point, y: int, source: Source) -> Hypothesis:
        """Return the hypothesis that predicted x, and learn from its label."""
        state.t += 1  # 8
        h = state.published  # 9
        if state.halted:
            return h
        if label_of(h, x, self.concept_class) != y:  # 10, 11
            state.E.append((state.t, x, y))  # 12, 13, 14
        if state.update.ask(len(state.E)):  # 15, 16
            if state.update.halted:  # 17
                state.halted = True  # 18, 19
                return h
            A: list[list[Record]] = [[] for _ in range(self.k)]  # 20
            for record in state.E:
                A[self.teacher(state, record[0])].append(record)
            for S_i, A_i in zip(state.S, A, strict=True):
                S_i.append(A_i)  # 21
            state.published = self.train(state, source)  # 22
            state.E = []  # 23, 24, 25
        return h

    def teacher(self, state: State, t: int) -> int:
        """Return who gets the record of time step t: a public coin."""
        return int(public_generator(state.salt, t).integers(self.k))
