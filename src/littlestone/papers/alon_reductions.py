"""004 as it is printed, where one learner is made of another: Sections 2.4, 3, 4, Appendix A.

==========================  ===========================================================
`Lemma15`                   a PAC learner as an empirical learner: 9m for m records
`Theorem8`, `Boosting`      Section 2.4: weak learners are boosted
`Corollary4`                agnostic learning, by relabelling; `cuts_by_subspaces`, `Monomials`
`Theorem10`, `Lemma31`      thresholds and mistake trees, both ways
`Attack`                    Section 4: what an accurate learner of thresholds shows
==========================  ===========================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from flint import ctx

from littlestone.bounds import CertificateBuilder
from littlestone.classes import AffineSubspaces, MajorityHypothesis
from littlestone.classes.affine_subspaces import AffineHypothesis
from littlestone.classes.finite import ListedDichotomies, check_dichotomies, dichotomies
from littlestone.combinatorics import (
    BitMatrix,
    Kernel,
    MistakeTree,
    ThresholdSequence,
    thresholds_from_tree,
    tree_from_thresholds,
)
from littlestone.data import Sample
from littlestone.data.sample import part, shuffle, written_out
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.agnostic import (
    ACCURACY,
    TwoSamplePlan,
    fewest_records,
    ordered_part,
    places,
    rate_for,
    relabelled,
)
from littlestone.learners.base import Goal, Learner, nest
from littlestone.learners.littlestone import Littlestone
from littlestone.mechanisms import selection_rate
from littlestone.papers.adaptor import Certified, on_page
from littlestone.papers.alon import GenericLearner, M
from littlestone.privacy import Guarantee
from littlestone.privacy.guarantee import round_up, upper
from littlestone.source import Choice, ExplicitWeights, ball

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.classes import ConceptClass
    from littlestone.source import Source
    from littlestone.types import Hypothesis

EMPIRICAL_PRIVACY = "alon.lemma15.privacy"
EMPIRICAL = "alon.lemma15.accuracy"
BOOSTED_PRIVACY = "alon.section2.4.privacy"
AGNOSTIC_PRIVACY = "alon.corollary4.privacy"


# -- Lemma 15 -------------------------------------------------------------------------------------


@on_page("alon.lemma15", "Lemma 15", "learner",
         "a learner on records drawn with replacement; few errors on them")  # fmt: skip
@dataclass(frozen=True)
class Lemma15(Certified):
    """Lemma 15: a private PAC learner of m records is a private empirical learner of 9m.

    (epsilon, delta), replace-one, n public, as the learner inside. By default that is
    `GenericLearner` for finite classes, and `M` for others.

    Deviation: what the copies of one record cost is computed, (exp(epsilon) - 1)/9, which is at
    most epsilon up to 3.1; the paper asks for epsilon < 1.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.papers import Lemma15 as Learner
    >>> learner = Learner(ls.Thresholds(1, 99), epsilon=1, delta=1e-6)
    >>> learner.required_samples(), float(learner.to_learner().guarantee().epsilon)
    (1710, 0.19092...)
    """

    concept_class: ConceptClass
    inner: Any  # an algorithm: `draw`, `guarantee`, `failure`
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 20)

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return the empirical learner."""
        learner_class: Any = GenericLearner if isinstance(concept_class.size, int) else M
        inner = learner_class.for_goal(concept_class, goal, max(n // 9, 1))
        return cls(concept_class, inner, goal.alpha, goal.beta)

    def guarantee(self) -> Guarantee:
        """Return what the copies of one record cost."""
        inner = self.inner.guarantee()
        with ctx.workprec(256):
            epsilon = round_up(upper(ball(inner.epsilon).expm1() / 9))
            share = ball(epsilon).expm1() / ball(inner.epsilon).expm1()
            delta = round_up(upper(share * ball(inner.delta))) if inner.delta else Fraction(0)
        if epsilon > inner.epsilon:
            raise UnsupportedError("Lemma 15 needs a learner of epsilon at most 3.1.")
        return Guarantee(epsilon, delta, claim=EMPIRICAL_PRIVACY)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Return a hypothesis of few errors on these records."""
        n = sample.n
        m = n // 9
        drawn = np.array([source.below(n) for _ in range(m)], dtype=np.int64)
        hypothesis: Hypothesis = self.inner.draw(
            ordered_part(sample, written_out(sample)[drawn]), source
        )
        return hypothesis

    def failure(self, n: int) -> CertificateBuilder | None:
        """Return the certificate of the learner inside, for n // 9 records."""
        m = n // 9
        inner = self.inner.failure(max(m, 1))
        if inner is None:
            return None
        cert = CertificateBuilder(n=n)
        nest(cert, inner.certificate(alpha=self.alpha, beta=self.beta, n=max(m, 1)), "pac")
        cert.step("enough_records", "n >= 9*m", EMPIRICAL, m=max(m, 1))
        return cert


# -- Section 2.4 ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Boosting:
    """Section 2.4, the second half: a learner of low accuracy is run on reweighted records.

    As private as the weak learner, whatever it is: each round has records of its own.

    Deviation: for Boosting-for-People, which divides epsilon among its rounds, boosting by
    filtering with the weights of boost-by-majority (Freund 1995); a slot of ``block`` records
    gives its first one that is kept, or the null record outside of the domain.
    """

    weak: Any  # a learner: `draw`, `guarantee`
    rounds: int  # T, odd
    block: int  # records of a slot
    error: Fraction  # of the weak learner, below 1/2

    def guarantee(self) -> Guarantee:
        """Return the promise of the weak learner."""
        weak: Guarantee = self.weak.guarantee()
        return Guarantee(weak.epsilon, weak.delta, claim=BOOSTED_PRIVACY)

    def kept(self, t: int, right: int) -> Fraction:
        """Return with which chance round t keeps a record that ``right`` hypotheses got right."""
        left, missing, p = self.rounds - t - 1, (self.rounds - 1) // 2 - right, 1 - self.error
        weight = [math.comb(left, r) * p**r * (1 - p) ** (left - r) for r in range(left + 1)]
        return weight[missing] / max(weight) if 0 <= missing <= left else Fraction(0)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Return the majority of the rounds' hypotheses."""
        slots = sample.n // self.rounds // self.block
        shuffled = shuffle(sample, source)
        null = 2 * len(sample.points)  # outside of the domain, label 0
        right = np.zeros(null + 2, dtype=np.int64)
        h: list[Hypothesis] = []
        for t in range(self.rounds):
            examples = []
            for slot in range(slots):
                first = (t * slots + slot) * self.block
                chosen = null
                for kind in shuffled[first : first + self.block].tolist():
                    chance = self.kept(t, int(right[kind]))
                    certain = chance in (0, 1)
                    if chance if certain else source.choose(ExplicitWeights(1 - chance, chance)):
                        chosen = kind
                        break
                examples.append(chosen)
            examples_drawn = ordered_part(sample, np.array(examples, dtype=np.int64))
            h.append(self.weak.draw(examples_drawn, source))
            predicted = np.zeros(len(sample.points) + 1, dtype=np.int64)
            if len(sample.points):
                predicted[:-1] = h[-1].predict(sample.points)
            right += np.stack([1 - predicted, predicted], axis=1).ravel()
        return h[0] if self.rounds == 1 else MajorityHypothesis(tuple(h))


@on_page("alon.theorem8", "Theorem 8", "construction",
         "weak private learners are boosted to any parameters")  # fmt: skip
def Theorem8(  # noqa: N802 - the paper's name
    weak: Any, *, epsilon: Fraction, delta: Fraction, alpha: Fraction, beta: Fraction
) -> M:
    """Return a learner with any parameters, where there is one with weak ones.

    ``weak`` is a private learner of a class: that it exists is all that is used. So the class has
    finite Littlestone dimension (Theorem 2), and `M` learns it (Theorem 3). `Boosting` is the way
    for pure learners that runs the weak one.

    Examples
    --------
    >>> import littlestone as ls
    >>> weak = ls.papers.GenericLearner(ls.Thresholds(1, 2), epsilon="1/10").to_learner()
    >>> strong = Theorem8(weak, epsilon=Fraction(1), delta=Fraction(1, 10**9),
    ...                   alpha=Fraction(1, 10), beta=Fraction(1, 10))
    >>> strong.auxiliary
    160
    """
    return M.printed(weak.concept_class, epsilon=epsilon, delta=delta, alpha=alpha, beta=beta, n=1)


# -- Corollary 4 ----------------------------------------------------------------------------------

_LEARNER_EPSILON = Fraction(7, 10)  # where (4 e**x - 1)/x is about least


@on_page("alon.corollary4", "Corollary 4", "learner",
         "agnostic learning, by privately relabelled records", agnostic=True)  # fmt: skip
@dataclass(frozen=True)
class Corollary4(Certified):
    """Corollary 4: agnostic learning with a learner for realizable labels, by relabelling.

    (epsilon, delta), replace-one, n public. T is a secret part of the first half S_1, relabelled by
    a dichotomy that some concept makes of it, drawn by the errors of its best concept on the second
    half S_2. The cost of a dichotomy is the least over *all* concepts that make it: with the cost
    of its own closure nothing is private.

    Deviation: S_2 is a sample of its own, so the 1/alpha**2 records are not divided by epsilon
    (erratum 30). The learner inside is by default that of closed sets where the class has them
    (`littlestone.learners.littlestone`), else `M`.

    Affine subspaces, the paper's example, have dichotomies from `cuts_by_subspaces`; zeros of
    polynomials are affine subspaces of `Monomials`. ``most_subspaces`` is a public bound on their
    number.

    Certificate (docs/papers.md): the learner inside is right about all dichotomies of T and of
    ``ghosts`` times as many ghost points as T has pairs; ``excess``: its share of alpha.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.classes import AffineSubspaces
    >>> from littlestone.papers import Corollary4 as Learner
    >>> line = [(x, 2 * x % 3) for x in range(3)] * 400
    >>> others = [(x, y) for x in range(3) for y in range(3) if y != 2 * x % 3] * 200
    >>> learner = Learner(AffineSubspaces(3, 2, 1), epsilon=4, delta=1e-6, random_state=0)
    >>> learner.fit(line + others, [1] * 1190 + [0] * 1210).hypothesis_.describe()
    '1 on the affine subspace through (0, 0) along (1, 2) (modulo 3), otherwise 0'
    """

    concept_class: ConceptClass
    epsilon: Fraction  # of the choice; what T pays is at most as much
    delta: Fraction
    inner: Any  # the learner for realizable labels: `draw`, `guarantee`
    first: int | None = None  # records of S_1; half of all
    most_subspaces: int = 1 << 20
    excess: Fraction = Fraction(1, 2)
    ghosts: int = 1
    alpha: Fraction = Fraction(1, 10)
    beta: Fraction = Fraction(1, 20)

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return the certified learner, if so many records do; else one for half of them."""
        eps = max(goal.epsilon - Fraction(1387, 1000), _LEARNER_EPSILON)  # ln 4 goes to relabelling
        less = min(goal.delta / rate_for(goal.epsilon, eps, 4), Fraction(1, 2))
        accuracy: dict[str, Any] = {"alpha": goal.alpha, "beta": goal.beta}
        inner: Any
        try:
            inner = Littlestone(concept_class, epsilon=eps, delta=less, **accuracy)
            plan = _fewest(inner, goal)
        except UnsupportedError:
            inner = M.for_goal(concept_class, replace(goal, epsilon=eps, delta=less), n)
            return cls(concept_class, goal.epsilon, goal.delta, inner, **accuracy)
        if plan is None or n < plan.required:
            return cls(concept_class, goal.epsilon, goal.delta, inner, **accuracy)
        return cls(concept_class, goal.epsilon, goal.delta, plan.learner, plan.pool,
                   excess=plan.share, ghosts=plan.ghosts, **accuracy)  # fmt: skip

    def __post_init__(self) -> None:
        if not isinstance(self.concept_class, AffineSubspaces):
            check_dichotomies(self.concept_class)

    def admit(self, n: int) -> None:
        """Refuse so many records that too many subspaces may have to be listed."""
        if not isinstance(self.concept_class, AffineSubspaces):
            return
        pool, size = self.sizes(n)
        points = size + n - pool
        ways = sum(math.comb(points, i) for i in range(self.concept_class.dim + 2))
        ways = min(ways, self.concept_class.size)
        if ways > self.most_subspaces:
            raise UnsupportedError(
                f"{points:,} records may span {ways:,} affine subspaces, more than most_subspaces. "
                "Raise it, or learn from fewer records."
            )

    @property
    def rate(self) -> Fraction:
        """The share of S_1 that is T: so large that its records pay epsilon and delta at most."""
        inner = self.inner.guarantee()
        rate = rate_for(self.epsilon, inner.epsilon, 4)
        return min(rate, self.delta / inner.delta) if inner.delta else rate

    def sizes(self, n: int) -> tuple[int, int]:
        """Return the records of S_1, and of T."""
        pool = n // 2 if self.first is None else min(self.first, n)
        return pool, math.floor(self.rate * pool)

    def guarantee(self) -> Guarantee:
        """Return the maximum of both parts; `rate` is such that the first pays no more."""
        delta = self.delta if self.inner.guarantee().delta else Fraction(0)
        return Guarantee(self.epsilon, delta, claim=AGNOSTIC_PRIVACY)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Return a hypothesis."""
        pool, size = self.sizes(sample.n)
        shuffled = shuffle(sample, source)
        T = ordered_part(sample, shuffled[:pool][places(pool, size, source)])  # labels are ignored
        S_2 = part(sample, shuffled[pool:])
        dichotomy: Choice[Any]
        if isinstance(self.concept_class, AffineSubspaces):
            dichotomy = cuts_by_subspaces(self.concept_class, T.points, S_2)
        else:
            dichotomy = dichotomies(self.concept_class, T.points, S_2)
        labels = dichotomy.draw(selection_rate(self.epsilon), source)
        hypothesis: Hypothesis = self.inner.draw(relabelled(T, labels), source)
        return hypothesis

    def failure(self, n: int) -> CertificateBuilder | None:
        """Return the certificate; None where the learner inside has none."""
        if not isinstance(self.inner, Learner):
            return None
        cert = CertificateBuilder(n=n)
        pool, size = self.sizes(n)
        cert.step("enough_records", "size >= 2 and n >= pool + 1", ACCURACY, size=size, pool=pool)
        if size >= 2 and n > pool:
            plan = TwoSamplePlan(
                Goal(self.epsilon, self.delta, self.alpha, self.beta), self.inner, self.rate,
                size, pool, n - pool, self.ghosts, self.excess,
            )  # fmt: skip
            nest(cert, plan.certificate(n), "parts")
        return cert


@lru_cache(maxsize=16)
def _fewest(inner: Littlestone, goal: Goal) -> TwoSamplePlan | None:
    """Propose the parts, and the learner that runs on the first one; None: there are no such."""
    _ = inner.plan  # an UnsupportedError of its own
    try:
        return fewest_records(inner, goal)
    except ParameterError:
        return None


def cuts_by_subspaces(
    concept_class: AffineSubspaces, points: npt.NDArray[Any], second: Sample
) -> Choice[npt.NDArray[np.uint8]]:
    """Return the dichotomies of points by affine subspaces, by their best one's errors on a sample.

    A subspace cuts all points as the span of those that it holds: so the subspaces of *both* parts'
    points, and a subspace that holds none of them, make all cuts. Cost: one join for each pair of a
    subspace and a point.

    Examples
    --------
    >>> second = Sample.of(np.array([[0, 0], [1, 1]]), [1, 1])
    >>> found = cuts_by_subspaces(AffineSubspaces(3, 2, 1), np.array([[2, 2], [0, 1]]), second)
    >>> found.size
    4
    """
    q, n = concept_class.q, concept_class.n
    first_points = [tuple(row) for row in points.tolist()]
    every = list(dict.fromkeys([*first_points, *(tuple(row) for row in second.points.tolist())]))
    gains = {tuple(row): int(one) - int(zero) for row, one, zero in
             zip(second.points.tolist(), second.ones, second.zeros, strict=True)}  # fmt: skip
    level = {AffineHypothesis(q, n, (), x): frozenset([x]) for x in every}
    traces = set(level.values())
    for _ in range(concept_class.dim):
        wider: dict[AffineHypothesis, set[Any]] = {}
        for subspace, inside in level.items():
            for x in every:
                if x not in inside:
                    wider.setdefault(subspace.through(x), set(inside)).add(x)
        level = {subspace: frozenset(inside) for subspace, inside in wider.items()}
        traces |= set(level.values())
    if q**n > len(every):
        traces.add(frozenset())  # some point that is nobody's
    best: dict[tuple[bool, ...], int] = {}
    for inside in traces:
        cut = tuple(x in inside for x in first_points)
        cost = second.positives - sum(gains.get(x, 0) for x in inside)
        best[cut] = min(cost, best.get(cut, cost))
    cuts = sorted(best)
    return ListedDichotomies(
        [best[cut] for cut in cuts], lambda i: np.array(cuts[i], dtype=np.uint8)
    )


@dataclass(frozen=True)
class Monomials:
    """Sets of zeros of polynomials: affine subspaces of the monomials of bounded degree.

    The zeros of polynomials of degree at most ``degree`` in n variables over F_q are those points
    whose monomials lie in an affine subspace. The map is public, and of one record at a time.

    Examples
    --------
    >>> conics = Monomials(3, 2, 2)
    >>> conics.exponents
    ((1, 0), (0, 1), (2, 0), (1, 1), (0, 2))
    >>> conics.map([(1, 2)]).tolist(), conics.concept_class(4).spec
    ([[1, 2, 1, 2, 1]], 'affine_subspaces(3, 5, 4)')
    """

    q: int
    n: int
    degree: int

    @cached_property
    def exponents(self) -> tuple[tuple[int, ...], ...]:
        """The exponents of all monomials but 1, by degree."""
        return tuple(
            tuple(chosen.count(i) for i in range(self.n))
            for degree in range(1, self.degree + 1)
            for chosen in combinations_with_replacement(range(self.n), degree)
        )

    def concept_class(self, dim: int) -> AffineSubspaces:
        """Return the subspaces of dimension at most ``dim`` of the monomials."""
        return AffineSubspaces(self.q, len(self.exponents), dim)

    def map(self, points: Any) -> npt.NDArray[np.int64]:
        """Return the monomials of points, a row each."""
        rows = np.asarray(points, dtype=np.int64).reshape(-1, self.n) % self.q
        columns = []
        for exponents in self.exponents:
            column = np.ones(len(rows), dtype=np.int64)
            for i, power in enumerate(exponents):
                for _ in range(power):
                    column = column * rows[:, i] % self.q
            columns.append(column)
        return np.stack(columns, axis=1)


# -- Appendix A -----------------------------------------------------------------------------------


@on_page("alon.lemma31", "Lemma 31", "construction",
         "a red subtree of height p, or a blue one of height q")  # fmt: skip
def Lemma31(tree: MistakeTree, red: Sequence[bool], p: int, q: int) -> tuple[bool, MistakeTree]:  # noqa: N802
    """Return (True, a red subtree of height p) or (False, a blue one of height q).

    ``tree`` has height p + q - 1 at least; ``red`` is a colour for each inner node.

    Examples
    --------
    >>> tree = MistakeTree(2, (0, 1, 2), (0, 1, 2, 3))
    >>> Lemma31(tree, [True, False, True], p=2, q=1)
    (False, MistakeTree(depth=1, points=(1,), leaves=(0, 1)))
    """
    if tree.depth < p + q - 1 or min(p, q) < 1:
        raise ParameterError(f"Lemma 31 needs a tree of height p + q - 1 = {p + q - 1} at least.")

    def grown(node: int, p: int, q: int) -> tuple[bool, Any]:
        """Return a colour and a subtree (root, left, right); a node alone is a leaf."""
        is_red, children = bool(red[node]), (2 * node + 1, 2 * node + 2)
        if (p if is_red else q) == 1:
            return is_red, (node, *children)
        subtrees = [grown(x, p - is_red, q - (not is_red)) for x in children]
        for colour, subtree in subtrees:
            if colour != is_red:
                return colour, subtree
        return is_red, (node, subtrees[0][1], subtrees[1][1])

    is_red, subtree = grown(0, p, q)
    points, level = [], [subtree]
    while isinstance(level[0], tuple):
        points += [tree.points[root] for root, _, _ in level]
        level = [below for _, left, right in level for below in (left, right)]
    leaves = []
    for node in level:
        while node < len(tree.points):  # any leaf below a node has its labels
            node = 2 * node + 1  # noqa: PLW2901
        leaves.append(tree.leaves[node - len(tree.points)])
    return is_red, MistakeTree(p if is_red else q, tuple(points), tuple(leaves))


@on_page("alon.theorem10", "Theorem 10", "construction",
         "Littlestone dimension d gives log d thresholds, and back")  # fmt: skip
def Theorem10(matrix: Any) -> tuple[ThresholdSequence, MistakeTree]:  # noqa: N802
    """Return thresholds that a class of Littlestone dimension d contains, and a tree of them.

    1. A shattered tree of height 2**(t + 1) - 1 has t + 2 thresholds; 2. k thresholds have a
    shattered tree of height floor(log2 k). ``matrix``: a row for each concept.

    Examples
    --------
    >>> thresholds, tree = Theorem10([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> len(thresholds.hypotheses), tree.depth
    (3, 1)
    """
    tree = Kernel(BitMatrix.from_array(matrix)).mistake_tree()
    thresholds = thresholds_from_tree(tree, matrix)
    return thresholds, tree_from_thresholds(thresholds)


# -- Section 4 ------------------------------------------------------------------------------------


@on_page("alon.attack", "Section 4", "construction",
         "an accurate learner of thresholds reveals where one record is")  # fmt: skip
@dataclass(frozen=True)
class Attack:
    """Section 4: on a homogeneous set, an accurate learner of thresholds shows one record's place.

    ``points`` is m-homogeneous with the probabilities-list ``p`` (Definition 16). `jump` is Claim
    22, `family` Lemma 20, `locate` the binary search of Lemma 21: from D outputs of one member of
    the family it finds which one. `homogeneous` decides Definition 16 by trying all samples.

    Deviations: r is the middle of p_(i-1) and p_i (erratum 33).
    ``examples/attack`` turns success into a lower bound on epsilon.

    Examples
    --------
    >>> def first_one(S):  # not private: the votes of "1 from the first positive on"
    ...     return lambda x: float(x >= min(a for a, y in S if y))
    >>> attack = Attack.homogeneous(first_one, range(1, 9), m=2)
    >>> attack.p, attack.jump, attack.r
    ((0.0, 0.0, 1.0), 2, 0.5)
    >>> [attack.locate(lambda x, S=S: first_one(S)(x)) for S in attack.family()]
    [2, 3, 4, 5, 6, 7, 8]
    """

    points: tuple[int, ...]
    p: tuple[float, ...]

    @classmethod
    def homogeneous(
        cls,
        votes: Callable[[Sequence[tuple[int, int]]], Callable[[int], float]],
        points: Sequence[int],
        m: int,
    ) -> Self | None:
        """Return the attack if the points are m-homogeneous; ``votes(S)(x)`` is A_S(x)."""
        seen: list[list[float]] = [[] for _ in range(m + 1)]
        for chosen in combinations(sorted(points), m):
            A_S = votes(balanced(chosen))
            for x in set(points) - set(chosen):
                seen[sum(a <= x for a in chosen)].append(A_S(x))
        p = [(min(s) + max(s)) / 2 if s else 0.0 for s in seen]
        far = max(abs(v - level) for s, level in zip(seen, p, strict=True) for v in s)
        return cls(tuple(sorted(points)), tuple(p)) if far <= 1 / (100 * m) else None

    @property
    def m(self) -> int:
        """The records of a sample."""
        return len(self.p) - 1

    @cached_property
    def jump(self) -> int:
        """The i with the largest p_i - p_(i-1): at least 1/(4m) if the learner is accurate."""
        return max(range(1, self.m + 1), key=lambda i: self.p[i] - self.p[i - 1])

    @property
    def r(self) -> float:
        """The middle of the jump."""
        return (self.p[self.jump] + self.p[self.jump - 1]) / 2

    @cached_property
    def places(self) -> tuple[int, ...]:
        """J: where the record of the jump may be; all others are the lowest and highest points."""
        return self.points[self.jump - 1 : len(self.points) - (self.m - self.jump)]

    def family(self) -> list[list[tuple[int, int]]]:
        """Return the neighbouring samples S_x, x in J."""
        i, m = self.jump, self.m
        low, high = self.points[: i - 1], self.points[len(self.points) - (m - i) :]
        return [balanced((*low, x, *high)) for x in self.places]

    def locate(self, mean: Callable[[int], float]) -> int:
        """Return B(v): where the mean of the outputs, D vectors, passes r."""
        low, high = 0, len(self.places)
        while low < high:
            probe = (low + high) // 2
            low, high = (low, probe) if mean(self.places[probe]) >= self.r else (probe + 1, high)
        return self.places[min(low, len(self.places) - 1)]


def balanced(points: Sequence[int]) -> list[tuple[int, int]]:
    """Return the increasing balanced realizable sample: 0 on the first half, 1 on the second."""
    return [(x, int(2 * i >= len(points))) for i, x in enumerate(points)]
