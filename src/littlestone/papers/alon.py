"""004 as it is printed: Alon, Bun, Livni, Malliaris, Moran (2022).

==========================  ===========================================================
`SOA`, `ExtendedSOA`        Section 3.2 and Definition 11, by argmax; ties are public
`Tournament`, `G`           the Monte-Carlo distributions D_k and Algorithm G (5.2.3)
`Hist`, `GenericLearner`    Lemmas 28 and 29
`M`                         Theorem 30
==========================  ===========================================================

Sections 2.4, 3, 4 and Appendix A are in `littlestone.papers.alon_reductions`.

The labels -1 and +1 of the paper are 0 and 1. Any other optimal online learner (`Optimal`) may
take the SOA's place, as Section 3.2 says: 003's rule does where the domain cannot be listed.
Deviations carry the number of their erratum (docs/errata.csv).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from littlestone.bounds import CertificateBuilder, Step
from littlestone.bounds.certificate import log_of
from littlestone.classes import errors
from littlestone.classes.finite import batch
from littlestone.classes.hypotheses import PatchedHypothesis, patched
from littlestone.data import OUTSIDE
from littlestone.data.domains import canonical, canonical_order
from littlestone.data.sample import part, shuffle
from littlestone.errors import SearchLimitError, UnsupportedError
from littlestone.mechanisms import (
    exponential_mechanism,
    histogram_threshold,
    selection_rate,
    stable_histogram,
    stable_items,
)
from littlestone.papers.adaptor import BOUNDS, Certified, on_page
from littlestone.privacy import Guarantee
from littlestone.source import Explicit, public_generator, public_salt

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass, VersionSpace
    from littlestone.data import Sample
    from littlestone.data.sample import Kinds
    from littlestone.learners.base import Goal
    from littlestone.source import Source
    from littlestone.types import Hypothesis, Point, Points


HIST = "alon.lemma28.privacy"
PRIVACY = "alon.theorem30.privacy"
FREQUENT = "alon.theorem23.frequent"
LISTED = "alon.theorem30.listed"
CHOICE = "alon.lemma29.accuracy"

#: A point (or `OUTSIDE`) and its label.
Example = tuple["Point", int]
Batches = Iterator[Sequence[Example]]
#: Most points of a domain that is walked through.
MOST_POINTS = 1 << 16


# -- Section 3.2 ----------------------------------------------------------------------------------


class Optimal(Protocol):
    """An online learner with at most d mistakes: its state after some realizable examples."""

    @property
    def space(self) -> VersionSpace:
        """The concepts that agree with the examples."""

    @property
    def prediction(self) -> Hypothesis:
        """Return h_t; equal functions have one name."""

    def then(self, x: Point, y: int) -> Optimal | None:
        """Return the state after one more example; None if no concept explains all of them."""


@on_page("alon.soa", "Section 3.2", "construction", "the standard optimal algorithm, by argmax")
@dataclass(frozen=True)
class SOA:
    """The standard optimal algorithm: h_t(x) = argmax_b Ldim(H_t^b(x)).

    Where both dimensions are equal the paper leaves the label open: here it is ``tie``, 1 by
    default, public. ``rule="lyu"`` is 003's: 0 where label 0 keeps the dimension, else 1. The rules
    differ where both labels lower it: then argmax says which label lowers it less, 003 says 1. Both
    make at most d mistakes. argmax walks through the points of the domain, at most 2**16.

    Examples
    --------
    >>> import littlestone as ls
    >>> H = ls.theory.FiniteClass([[1, 0, 0, 0], [0, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1]])
    >>> start = SOA(H.version_space())
    >>> start.prediction.labels, SOA(H.version_space(), "lyu").prediction.labels
    ('1011', '1111')
    """

    space: VersionSpace  # H_t; 1: it begins with H_1 = H
    rule: Literal["argmax", "lyu"] = "argmax"
    tie: int = 1  # public

    @cached_property
    def prediction(self) -> Hypothesis:
        """Step (i)."""
        if self.rule == "lyu":
            return named(self.space, self.space.soa(), {})
        ones = tuple(x for x in points_of(self.space.concept_class) if self.label(x))
        return self.space.concept_class.improper(ones)

    def label(self, x: Point) -> int:
        """Return h_t(x): steps (ii) and (iii)."""
        zero, one = (self.space.restrict(x, b).littlestone_dim() for b in (0, 1))
        return self.tie if zero == one else int(one > zero)

    def then(self, x: Point, y: int) -> SOA | None:
        """Return the state for H_(t+1) = H_t^y(x): steps (iv) and (v)."""
        rest = self.space.restrict(x, y)
        return None if rest.is_empty else replace(self, space=rest)


def points_of(concept_class: ConceptClass) -> list[Point]:
    """Return the points of a domain, in their public order, if it can be walked through."""
    every = concept_class.domain_points()
    points = [] if every is None else list(islice(every, MOST_POINTS + 1))
    if not 0 < len(points) <= MOST_POINTS:
        raise UnsupportedError(
            f"argmax visits each point, and the domain of {concept_class.spec} has too many. Use "
            'rule="lyu", which is optimal, too.'
        )
    return points


def listed(concept_class: ConceptClass) -> bool:
    """Return whether the points of the domain can be walked through."""
    try:
        return bool(points_of(concept_class))
    except UnsupportedError:
        return False


def named(space: VersionSpace, h: Hypothesis, labels: Mapping[Point, int]) -> Hypothesis:
    """Return h, corrected at some points, by one name for each function.

    On a domain that cannot be listed, two names may be one function: votes for it split, and no
    privacy depends on that.
    """
    concept_class = space.concept_class

    def store(points: list[Point]) -> Points:
        return batch(concept_class, points)

    if not listed(concept_class):
        return patched(h, labels, store) if labels else h
    points = points_of(concept_class)
    labelled = zip(points, h.predict(store(points)).tolist(), strict=True)
    return concept_class.improper(tuple(x for x, y in labelled if labels.get(x, y)))


@on_page("alon.definition11", "Definition 11", "construction",
         "the standard optimal algorithm on any sequence of examples")  # fmt: skip
@dataclass(frozen=True)
class ExtendedSOA:
    """Definition 11: the SOA on any sequence of examples, realizable or not.

    Examples
    --------
    >>> import littlestone as ls
    >>> run = ExtendedSOA(SOA(ls.Points().version_space(), "lyu")).then([("a", 1), ("b", 0)])
    >>> run.prediction.describe(), run.then([("b", 1)]).prediction.describe()
    ("1 if x = 'a', otherwise 0", "1 if x = 'a', otherwise 0; but 1 on 'b'")
    """

    state: Optimal
    labels: Mapping[Point, int] | None = None  # None as long as the sequence is realizable

    def then(self, examples: Iterable[Example]) -> ExtendedSOA:
        """Return the run after more examples."""
        state, labels = self.state, self.labels
        known: set[Example] = set()
        for x, y in examples:
            if labels is None:
                # outside of the domain every concept is 0
                new = (None if y else state) if x is OUTSIDE else state
                if x is not OUTSIDE and (x, y) not in known:
                    new = state.then(x, y)
                if new is not None:  # realizable: the usual update rule
                    state = new
                    known.add((x, y))
                    continue
            # else h_(t+1)(x_(t+1)) = y_(t+1), and h_(t+1) = h_t elsewhere
            labels = dict(labels or {}) | ({} if x is OUTSIDE else {x: y})
        return ExtendedSOA(state, labels)

    @cached_property
    def prediction(self) -> Hypothesis:
        """The predictor after these examples."""
        h = self.state.prediction
        return h if self.labels is None else named(self.state.space, h, self.labels)

    def label(self, x: Point) -> int:
        """Return the prediction at one point."""
        concept_class = self.state.space.concept_class
        return int(self.prediction.predict(batch(concept_class, [x]))[0])


# -- Section 5.2 ----------------------------------------------------------------------------------


class Fail(Exception):  # noqa: N818 - the paper's word
    """More than N examples were asked for, or an oracle gave up: this copy submits nothing."""


def difference(one: ExtendedSOA, other: ExtendedSOA) -> Point | None:
    """Return the first x, in public order, with different predictions; None if there is none."""
    h, g = one.prediction, other.prediction
    if h == g:
        return None
    space = one.state.space
    concept_class = space.concept_class
    if listed(concept_class):
        points = points_of(concept_class)
        differs = h.predict(batch(concept_class, points)) != g.predict(batch(concept_class, points))
        return points[int(differs.argmax())] if differs.any() else None
    corrected = [x for f in (h, g) if isinstance(f, PatchedHypothesis) for x, _ in f.flipped]
    for x in sorted(set(corrected), key=canonical_order):
        if one.label(x) != other.label(x):
            return x
    first, second = (f.base if isinstance(f, PatchedHypothesis) else f for f in (h, g))
    x = space.distinguish(first, second)
    if x in corrected:
        raise Fail  # they may differ elsewhere, and no oracle says where
    return x


@on_page("alon.Dk", "Section 5.2.3", "mechanism",
         "samples on which the SOA makes at least k mistakes")  # fmt: skip
@dataclass(frozen=True)
class Tournament:
    """The Monte-Carlo distributions of Section 5.2.3, a bounded variant of D_k.

    D_k itself (Section 5.2.2) is not here: it may ask for any number of examples, or be undefined.
    With N large enough for this run, both draw the same sample.

    Examples
    --------
    >>> import littlestone as ls
    >>> dk = Tournament(ExtendedSOA(SOA(ls.Points().version_space(), "lyu")), n=1, N=2)
    >>> dk.run(1, iter([[("a", 1)], [("b", 0)]]), lambda: 1).prediction.describe()
    "1 if x = 'a', otherwise 0"
    """

    start: ExtendedSOA
    n: int  # 1: the auxiliary sample size
    N: int  # and a bound on the examples that are drawn

    def draw(self, values: Sequence[Example], source: Source, k: int = 1) -> ExtendedSOA | None:
        """Return the run on a sample of D_k of these examples; None is "Fail". Not private."""
        try:
            return self.run(k, self.batches(values), coins(public_salt(source)))
        except (Fail, SearchLimitError, UnsupportedError):
            return None

    def batches(self, values: Sequence[Example]) -> Batches:
        """Return T_0, T_1, ...: as many as N allows."""
        within = values[: self.N]
        ends = range(self.n, len(within) + 1, self.n)
        return iter([within[end - self.n : end] for end in ends])

    def run(self, k: int, batches: Batches, coin: Callable[[], int]) -> ExtendedSOA:
        """Return the run on S ~ D_k."""
        if not k:
            return self.start  # 2: D_0 is the empty sample
        while True:  # 3
            zero, one = self._followed(k, batches, coin), self._followed(k, batches, coin)
            # (i), (ii): f_0 = SOA(S_0 T_0), f_1 = SOA(S_1 T_1)
            x = difference(zero, one)
            if x is None:
                continue  # (iii)
            y = coin()  # (iv)
            return (zero if zero.label(x) != y else one).then([(x, y)])  # (v)

    def _followed(self, k: int, batches: Batches, coin: Callable[[], int]) -> ExtendedSOA:
        S = self.run(k - 1, batches, coin)
        T = next(batches, None)
        if T is None:
            raise Fail  # (*)
        return S.then(T)


@on_page("alon.G", "Algorithm G", "mechanism",
         "one hypothesis is its output with constant probability")  # fmt: skip
@dataclass(frozen=True)
class G:
    """Algorithm G (Theorem 23): a globally stable learner. Not private.

    Step 1 has two numbers, the auxiliary sample size ``n`` and the bound ``N`` of `Tournament`:
    `printed`. A copy that fails submits nothing (erratum 29).

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.source import SeededSource
    >>> G(SOA(ls.Points().version_space(), "lyu"), d=0, n=2, N=0).draw(
    ...     [("a", 1), ("b", 0)], SeededSource(0)).describe()
    "1 if x = 'a', otherwise 0"
    """

    start: Optimal  # the SOA, or any other optimal online learner
    d: int
    n: int  # the auxiliary sample size
    N: int  # a bound on the examples that are drawn for S

    @classmethod
    def printed(cls, start: Optimal, d: int, alpha: Fraction) -> Self:
        """Return it with the printed numbers."""
        n = math.ceil((1 << d + 2) / alpha)
        return cls(start, d, n, (1 << (1 << d + 2) + 1 + 2 * (d + 1)) * n)  # 1

    def draw(self, values: Sequence[Example], source: Source) -> Hypothesis | None:
        """Return a hypothesis from N + n examples; None is "Fail"."""
        coins = public_generator(public_salt(source))
        k = int(coins.integers(self.d + 1))  # 2
        return self.run(values, k, lambda: int(coins.integers(2)))

    def run(self, values: Sequence[Example], k: int, coin: Callable[[], int]) -> Hypothesis | None:
        """Return SOA(S T) for k rounds: a function of these examples and of public coins alone."""
        T = values[len(values) - self.n :]
        Dk = Tournament(ExtendedSOA(self.start), self.n, self.N)
        try:
            S = Dk.run(k, Dk.batches(values[: len(values) - self.n]), coin)
            return S.then(T).prediction  # 3
        except (Fail, SearchLimitError, UnsupportedError):
            return None  # erratum 29: nothing is submitted


# -- Section 5.3 ----------------------------------------------------------------------------------


@on_page("alon.hist", "Lemma 28", "mechanism",
         "stable histogram: the frequent items, with noisy counts")  # fmt: skip
@dataclass(frozen=True)
class Hist:
    """Lemma 28, stable histograms: the frequent items, with noisy counts.

    (epsilon, delta), replace-one. ``at_least`` is a further public threshold on noisy counts.

    Examples
    --------
    >>> from littlestone.source import SeededSource
    >>> Hist(Fraction(1), Fraction(1, 10**6)).draw(["tea"] * 90 + [None], SeededSource(0))
    {'tea': 91}
    """

    epsilon: Fraction
    delta: Fraction
    at_least: int = 0

    def guarantee(self) -> Guarantee:
        """Return the promise, for one replaced item."""
        return Guarantee(self.epsilon, self.delta, claim=HIST)

    def items(self, values: Sequence[Any], source: Source) -> list[Any]:
        """Return the items alone: the keys of `draw`, equal in law, by one coin for each."""
        return stable_items(
            (item for item in values if item is not None), n=len(values), epsilon=self.epsilon,
            delta=self.delta, at_least=self.at_least, source=source,
        )  # fmt: skip

    def draw(self, values: Sequence[Any], source: Source) -> dict[Any, int]:
        """Return the items; None among the values ("Fail") counts as no item."""
        return stable_histogram(
            (item for item in values if item is not None), n=len(values), epsilon=self.epsilon,
            delta=self.delta, at_least=self.at_least, source=source,
        )  # fmt: skip


@on_page("alon.generic", "Lemma 29", "learner",
         "the exponential mechanism over a finite class", pure=True)  # fmt: skip
@dataclass(frozen=True)
class GenericLearner(Certified):
    """Lemma 29: h in H with probability proportional to exp(-epsilon n loss_S(h)/2).

    Pure epsilon, replace-one. H is the class, or the list that `among` is given. The certificate is
    that of the target in H, a tight form of the printed Theta() bound.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.papers import GenericLearner as Learner
    >>> learner = Learner(ls.Thresholds(1, 99), epsilon=1, random_state=0)
    >>> learner.required_samples()
    190
    """

    concept_class: ConceptClass
    epsilon: Fraction
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 20)

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return the learner; the class must be finite."""
        if not isinstance(concept_class.size, int):
            raise UnsupportedError(f"Lemma 29 is for finite classes; {concept_class.spec} is not.")
        return cls(concept_class, goal.epsilon, goal.alpha, goal.beta)

    def guarantee(self) -> Guarantee:
        """Return pure epsilon."""
        return Guarantee(self.epsilon, claim="exp-mech.privacy")

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Return a concept."""
        return self.concept_class.candidates(sample).draw(selection_rate(self.epsilon), source)

    def among(self, L: Sequence[Hypothesis], sample: Sample, source: Source) -> Hypothesis:
        """Return a hypothesis of a list that does not depend on these records."""
        scores = Explicit([-errors(h, sample) for h in L])
        return L[exponential_mechanism(scores, epsilon=self.epsilon, source=source)]

    def failure(self, n: int) -> CertificateBuilder:
        """Return the certificate."""
        cert = CertificateBuilder(n=n, alpha=self.alpha, beta=self.beta, epsilon=self.epsilon)
        known = {"size": int(self.concept_class.size)}
        formula = "min(1, size*(1 - alpha*(1 - exp(-epsilon/2)))**n)"
        cert.step("failure", formula, "exp-mech.tight.realizable", **known)
        cert.step("enough", "failure <= beta", "exp-mech.tight.realizable")
        return cert


@on_page("alon.theorem30", "Theorem 30", "learner",
         "copies of a globally stable learner, a stable histogram, a choice")  # fmt: skip
@dataclass(frozen=True)
class M(Certified):
    """Theorem 30, the private learner M: copies of G, a stable histogram, a choice.

    (epsilon, delta), replace-one, n public, for every input and all public coins: a record is one
    copy's, or step 4's.

    Deviations: steps 2 and 4 see disjoint records, so each has all of epsilon (the paper adds two
    halves); copies for given numbers of rounds may be ``assigned`` instead of drawn in step 2 of G,
    so that those of few rounds take few records; a copy that fails submits nothing, and an empty
    list gives a public concept (erratum 29); numbers of O() are printed without their constants,
    and certified ones (errata 27, 28) are given as parameters.

    Certificate (docs/papers.md): for assigned copies, and 0 < theta < 1.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.papers import M as Learner
    >>> learner = Learner(ls.Points(), epsilon=1, delta=1e-6, auxiliary=14, assigned=(90, 0),
    ...                   batches=(0, 0), n_prime=200, random_state=0)
    >>> X = ["rain", "sun", "snow", "fog"] * 400
    >>> learner.fit(X, [int(x == "rain") for x in X]).hypothesis_.describe()
    "1 if x = 'rain', otherwise 0"
    """

    concept_class: ConceptClass
    epsilon: Fraction
    delta: Fraction
    k: int  # copies
    auxiliary: int  # the n of G
    batches: tuple[int, ...]  # N/n, for 0, ..., d rounds
    n_prime: int  # records of step 4, at least
    eta: Fraction  # the stability that G promises
    assigned: tuple[int, ...] | None = None  # copies of 0, ..., d rounds
    optimal: Literal["argmax", "lyu"] = "argmax"
    max_nodes: int = 20_000
    theta: Fraction = Fraction(3, 5)  # of the certificate: either one batch is so decisive, or
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 20)

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return the numbers of Theorems 23 and 30 for error alpha/2, each O() being 1."""
        d = concept_class.version_space().littlestone_dim()
        if d > 16:
            raise UnsupportedError(
                f"Littlestone dimension {d}: the printed numbers have more than 10**5 digits."
            )
        eta = Fraction(1, (d + 1) << (1 << (d + 2)) + 1)
        logs = -log_of(eta) - log_of(goal.beta)
        k = math.ceil(Fraction(logs - log_of(goal.delta)) / (eta * goal.epsilon))
        one = G.printed(SOA(concept_class.version_space()), d, goal.alpha / 2)
        n_prime = math.ceil(Fraction(logs) / (goal.alpha * goal.epsilon))
        optimal: Any = "argmax" if listed(concept_class) else "lyu"
        batches = (one.N // one.n,) * (d + 1)
        return cls(concept_class, goal.epsilon, goal.delta, k, one.n, batches, n_prime, eta,
                   optimal=optimal, alpha=goal.alpha, beta=goal.beta)  # fmt: skip

    def __post_init__(self) -> None:
        rounds = self.assigned or (0,) * len(self.batches)
        if len(self.batches) != self.d + 1 or len(rounds) != self.d + 1:
            raise UnsupportedError(
                f"M needs one number of batches (and of assigned copies) for each of 0 to {self.d} "
                "rounds."
            )
        if min(*rounds, *self.batches, self.k, self.n_prime, 0) < 0 or self.auxiliary < 1:
            raise UnsupportedError("The numbers of M are not negative, and auxiliary is positive.")
        if not 0 < self.theta < 1:
            raise UnsupportedError("M needs 0 < theta < 1.")

    @cached_property
    def d(self) -> int:
        """The Littlestone dimension."""
        d: int = self.concept_class.version_space().littlestone_dim()
        return d

    def guarantee(self) -> Guarantee:
        """Return the maximum of steps 2 and 4, which see disjoint records."""
        return Guarantee(self.epsilon, self.delta, claim=PRIVACY)

    def copies(self, n: int, salt: int) -> list[tuple[int, int]]:
        """Return the rounds and the number of each copy: as many as there are records for."""
        if self.assigned is not None:
            every = [(j, i) for j, count in enumerate(self.assigned) for i in range(count)]
            used = sum(self.records(j) for j, _ in every)
            left = n - min(self.n_prime, n // 4)
            if used > left:
                fewer = (min(c, c * left // used) for c in self.assigned)
                every = [(j, i) for j, count in enumerate(fewer) for i in range(count)]
            return every
        m = self.records(self.d)  # N + n, whatever k is drawn
        few = min(self.k, (n - min(self.n_prime, n // 4)) // m)
        rounds = (public_generator(salt, i).integers(self.d + 1) for i in range(few))
        return [(int(j), i) for i, j in enumerate(rounds)]

    def records(self, j: int) -> int:
        """Return the records of a copy of j rounds: N + n."""
        return (self.batches[j] + 1) * self.auxiliary

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Return a hypothesis; the numbers are those of the steps of M."""
        whole = self.concept_class.version_space(max_nodes=self.max_nodes)
        if not self.d:
            return whole.member()
        shuffled, salt = shuffle(sample, source), public_salt(source)
        examples, at = examples_of(sample, shuffled), 0
        h: list[Hypothesis | None] = []
        for j, i in self.copies(sample.n, salt):  # 1: h_i = G(S_i)
            size = self.records(j if self.assigned is not None else self.d)
            S_i = examples[at : at + size]
            at += size
            # what one copy's searches remember must not help another's
            copy = G(SOA(whole.fresh(), self.optimal), self.d, self.auxiliary, size)
            h.append(copy.run(S_i, j, coins(salt, j, i)))
        at_least = math.ceil(Fraction(3, 4) * self.eta * len(h))
        # 2, 3: Hist, and remove what has an estimate below 3 eta/4
        L = Hist(self.epsilon, self.delta, at_least).items(h, source)
        if not L:
            return whole.member()
        fresh = part(sample, shuffled[at:])
        return GenericLearner(self.concept_class, self.epsilon).among(L, fresh, source)  # 4

    # -- the certificate (docs/papers.md has the proof) -------------------------------------------

    def failure(self, n: int) -> CertificateBuilder | None:
        """Return the certificate, for assigned copies."""
        if self.assigned is None or not self.d or not all(self.assigned):
            return None
        if self.d > 1 and not listed(self.concept_class):
            return None  # two corrected predictions may be too hard to compare
        d = self.d
        used = sum(c * self.records(j) for j, c in enumerate(self.assigned))
        tau = histogram_threshold(epsilon=self.epsilon, delta=self.delta)
        tau = max(tau, math.ceil(Fraction(3, 4) * self.eta * sum(self.assigned)))
        cert = CertificateBuilder(
            n=n, epsilon=self.epsilon, alpha=self.alpha, beta=self.beta, theta=self.theta, tau=tau,
            used=used,
        )  # fmt: skip
        cert.step("enough_records", "n >= used + fewest", LISTED, fewest=self.n_prime)
        # one batch of the auxiliary size proves it for theta
        cert.step("alpha1", "1 - exp(log(theta)/size)", FREQUENT, size=self.auxiliary)
        rho: Step | Fraction = Fraction(1)
        E: Step | Fraction = Fraction(0)
        missed = {}
        for j, (B, copies) in enumerate(zip(self.batches, self.assigned, strict=True)):
            if j:
                rho = cert.step(f"rho_{j}", "(rho**2 - theta)/(2*(1 - theta))", FREQUENT, rho=rho)
                E = cert.step(f"expected_{j}", "(2*E + 2)/(1 - theta)", FREQUENT, E=E)
            if d == j == 1:  # the coin does not depend on the number of draws
                rate = cert.step("rate_1", "(1 - theta**pairs)/2", FREQUENT, pairs=B // 2)
            else:
                most = rho if j == d else self.theta
                rate = cert.step(f"rate_{j}", "max(0, most - E/(B + 1))", FREQUENT, most=most,
                                 E=E, B=B)  # fmt: skip
            known = {"epsilon": float(self.epsilon), "tau": tau, "rate": float(rate)}
            bound = BOUNDS["alon.theorem30"].function("missed", "tilt", **known, copies=copies)
            tilts = [self.epsilon * i / 128 for i in range(1, 64)]
            tilt = min(tilts, key=lambda tilt: bound(float(tilt)))
            missed[f"x{j}"] = BOUNDS["alon.theorem30"].write(
                cert, suffix=f"_{j}", rate=rate, copies=copies, tilt=tilt
            )
        cert.step("missed", f"max({', '.join(missed)})", LISTED, **missed)
        cert.step("tilt", "max(0, min(epsilon/2, log(alpha/alpha1)/2))", CHOICE)
        cert.step(
            "badly_chosen",
            "min(1, others*(1 - alpha*(1 - exp(-tilt)) + alpha1*(exp(tilt) - 1))"
            "**max(n - used, 0))",
            CHOICE, others=sum(self.assigned) - 1,
        )  # fmt: skip
        cert.step("failure", "missed + badly_chosen", CHOICE)
        cert.step("enough", "failure <= beta", CHOICE)
        return cert


def examples_of(sample: Sample, kinds: Kinds) -> list[Example]:
    """Return kinds of records as examples, in their order."""
    rows = sample.points.tolist()
    points = [canonical(tuple(x) if isinstance(x, list) else x) for x in rows]
    points.append(OUTSIDE)
    return [(points[kind // 2], kind % 2) for kind in kinds.tolist()]


def coins(*numbers: int) -> Callable[[], int]:
    """Return fair public labels that belong to one copy."""
    generator = public_generator(*numbers)
    return lambda: int(generator.integers(2))
