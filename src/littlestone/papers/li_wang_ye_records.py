"""Li, Wang, Ye 2024 (002), Section 3: pure private agnostic learning of records, as printed.

==================  ====================================================================
`Theorem34`         Theorem 3.4 (Appendix B): the exponential mechanism on q, item-level
`Lemma24`, `RepD`   Lemma 2.4: majorities of a representation; Definition 2.3 as a game
==================  ====================================================================

Users, from Section 4 on, are in `littlestone.papers.li_wang_ye`. Scores are counts of records, n
times those of the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from littlestone.bounds import CertificateBuilder
from littlestone.classes import Points, SparseSets
from littlestone.classes.finite import Boosted
from littlestone.errors import UnsupportedError, parameter_error
from littlestone.mechanisms import exponential_mechanism
from littlestone.papers.adaptor import BOUNDS, Certified, on_page
from littlestone.privacy import Guarantee
from littlestone.source import Explicit

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass, Representation
    from littlestone.data import Sample
    from littlestone.learners.base import Goal
    from littlestone.source import Source
    from littlestone.types import Hypothesis


PRIVACY = "lwy.privacy"
RECORDS = "lwy.theorem3.4"

Ints = npt.NDArray[np.int64]


def least_cost(concept_class: ConceptClass, points: Any, zero: Ints, one: Ints) -> Ints:
    """Return the least cost of a concept, for each row of costs of saying 0, or 1, at the points.

    Exact for every sample: also where concepts that are 1 elsewhere look like "never".
    """
    if isinstance(concept_class, Points | SparseSets):  # at most k points are 1
        gains = np.sort(zero - one, axis=1)[:, -concept_class.vc_dim :] if len(points) else zero
        return np.asarray(zero.sum(axis=1) - gains.clip(0).sum(axis=1))
    C = np.array([c.predict(points) for c in concept_class.concepts()], dtype=np.int64)
    return np.asarray((zero @ (1 - C).T + one @ C.T).min(axis=1))


def surrogate(concept_class: ConceptClass, labels: Ints, sample: Sample) -> Ints:
    """Return n q(z, h) = min over c of n err_z(c) + n dis_x(c, h), for each row of labels.

    ``labels``: what each h says at the points of the sample. The best c has least error when each
    record is there twice: with its own label, and with that of h.
    """
    zeros, ones = sample.zeros.astype(np.int64), sample.ones.astype(np.int64)
    n = zeros + ones
    zero, one = ones + n * labels, zeros + n * (1 - labels)  # what c = 0, and c = 1, costs
    return least_cost(concept_class, sample.points, zero, one) + sample.outside_cost


@on_page("lwy.theorem3.4", "Theorem 3.4", "learner",
         "exponential mechanism on the surrogate error q, agnostic and pure",
         pure=True, agnostic=True)  # fmt: skip
@dataclass(frozen=True)
class Theorem34(Certified):
    """Theorem 3.4 (Appendix B): the exponential mechanism on q, over a drawn H; pure.

    For every class with a representation: one that can be listed is its own, with q = err_z, which
    `ConceptClass.candidates` draws; others must have at most 2**20 hypotheses.

    Examples
    --------
    >>> import littlestone as ls
    >>> goal = {"alpha": Fraction(1, 10), "beta": Fraction(1, 10)}
    >>> A = Theorem34.printed(ls.Points(), epsilon=Fraction(1), delta=Fraction(0), **goal, n=1)
    >>> A.representation.size, A.required_samples()
    (1917, 2292)
    """

    concept_class: ConceptClass
    epsilon: Fraction
    alpha: Fraction
    beta: Fraction

    @classmethod
    def for_goal(cls, concept_class: ConceptClass, goal: Goal, n: int) -> Self:
        """Return it for a budget."""
        return cls(concept_class, goal.epsilon, goal.alpha, goal.beta)

    def guarantee(self) -> Guarantee:
        """Return what is promised when one record is replaced."""
        return Guarantee(self.epsilon, claim=PRIVACY)

    @cached_property
    def representation(self) -> Representation:
        """An (alpha/18, beta/5)-representation P."""
        return self.concept_class.representation(self.alpha / 18, self.beta / 5)

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Return a hypothesis of H."""
        drawn = self.representation.drawn(source)  # H ~ P, by public coins
        if drawn.proper:  # c = h is best: q = err_z
            candidates = drawn.candidates(sample)
            return exponential_mechanism(
                candidates, epsilon=self.epsilon, sensitivity=2, source=source
            )
        H = list(drawn.hypotheses())
        labels = np.array([h.predict(sample.points) for h in H], dtype=np.int64)
        q = surrogate(self.concept_class, labels, sample)
        h_0 = exponential_mechanism(
            Explicit(-q), epsilon=self.epsilon, sensitivity=2, source=source
        )
        return H[h_0]

    def failure(self, n: int) -> CertificateBuilder:
        """Return the certificate: one explicit sum."""
        P = self.representation
        # near the best tilt for small alpha; any one up to epsilon/4 is valid
        best = (self.alpha - P.alpha) / (1 + 3 * P.alpha)
        cert = CertificateBuilder(n=n, alpha=self.alpha, beta=self.beta)
        BOUNDS["lwy.theorem3.4"].write(
            cert, size=P.size, alpha1=P.alpha, beta1=P.beta, tilt=min(self.epsilon / 4, best),
            rate=self.epsilon / 4,
        )  # fmt: skip
        return cert


@on_page("lwy.lemma2.4", "Lemma 2.4", "construction", "boosting a representation: majorities")
class Lemma24:
    """Lemma 2.4: an (alpha, beta)-representation, from a (1/4, 1/4)-representation.

    The paper prints an order and no construction; `littlestone.classes.finite` has one, with
    its proof: majorities of T hypotheses, one from each of T unions of t draws. Their number is
    ``(t |H|)**T``: at alpha/18 of Theorem 3.4 there are 21 rounds or more of 3 copies or more: no
    exponential mechanism can list them; from alpha = .49 on, 5 rounds, it can.

    Examples
    --------
    >>> import littlestone as ls
    >>> base = ls.Points().representation(0.25, 0.25)
    >>> Lemma24()(base, Fraction(1, 10), Fraction(1, 20)).rounds
    17
    """

    def __call__(self, base: Representation, alpha: Any, beta: Any) -> Boosted:
        """Return the boosted representation."""
        return Boosted(base, alpha, beta)


# -- Definition 2.3 -------------------------------------------------------------------------------


class Value(NamedTuple):
    """Exact bounds on the value of the game of `RepD`, with the strategies that prove them."""

    low: Fraction
    high: Fraction
    sets: dict[tuple[int, ...], Fraction]  # P: sets of hypotheses, as numbers of their labels
    foes: dict[tuple[int, tuple[Fraction, ...]], Fraction]  # concepts with a D over the points


@on_page("lwy.definition2.3", "Definition 2.3", "construction",
         "representation dimension of a class of up to 5 points, exactly")  # fmt: skip
@dataclass(frozen=True)
class RepD:
    """Definition 2.3: the probabilistic representation dimension of a class of few points.

    P draws a set H of s hypotheses, the adversary a concept c and a distribution D; H fails if
    D(c != h) > alpha for every h of H. By von Neumann there is an (alpha, beta)-representation of
    size ln s if and only if the value is at most beta. D matters only by the family of sets of
    points to which it gives more than alpha: of at most 5 points these families are listed
    (monotone, and realized by a D: linear programs), so both sides have finitely many strategies.
    Double oracle over them in floats; in the end both mixtures are fractions, and so are bounds.

    Examples
    --------
    >>> thresholds = [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]]
    >>> RepD()(thresholds)  # exp(RepD)
    3
    """

    alpha: Fraction = Fraction(1, 4)
    beta: Fraction = Fraction(1, 4)

    def __call__(self, concepts: Sequence[Sequence[int]]) -> int:
        """Return exp(RepD): the least s whose value is at most beta."""
        for s in range(1, len(concepts) + 1):
            value = self.value(concepts, s)
            if value.high <= self.beta:
                return s
            if value.low <= self.beta:
                raise UnsupportedError(
                    f"The value for s = {s} lies between {value.low} and {value.high}, and beta "
                    "between them: the mixtures are no simple fractions. Use another beta."
                )
        return len(concepts)

    def value(self, concepts: Sequence[Sequence[int]], s: int) -> Value:
        """Return bounds on the value for sets of s hypotheses; equal in every case met so far."""
        m = len(concepts[0])
        C = [sum(y << i for i, y in enumerate(c)) for c in concepts]
        families, masses = heavy_families(m, self.alpha)
        # fails[j, h]: foe j = (c, family) fails h, if D gives c xor h more than alpha
        foes = [(c, f) for c in range(len(C)) for f in range(len(families))]
        fails = np.array([[families[f] >> (C[c] ^ h) & 1 for h in range(2**m)] for c, f in foes],
                         dtype=bool)  # fmt: skip
        sets, met = [tuple(C[:s])], [0]
        while True:
            broken = np.array([fails[:, list(H)].all(axis=1) for H in sets])
            P, Q = _mixtures(broken[:, met].astype(float))
            foe = int(np.argmax(P @ broken))
            # the H that saves most of Q; of hypotheses that save the same foes one is enough
            saved, places = np.unique(~fails[met], axis=1, return_index=True)
            H = max(
                combinations(range(len(places)), min(s, len(places))),
                key=lambda H: Q[saved[:, list(H)].any(axis=1)].sum(),
            )
            best = tuple(sorted(int(places[i]) for i in H))
            if foe in met and best in sets:
                break
            met += [foe] * (foe not in met)
            sets += [best] * (best not in sets)
        # in fractions: what each side is sure of, against every answer of the other one
        p, q = _fractions(P), _fractions(Q)
        exact_high = max(
            sum((w for w, b in zip(p, row, strict=True) if b), Fraction(0)) for row in broken.T
        )
        most = max(
            sum((w for w, row in zip(q, saved, strict=True) if row[list(H)].any()), Fraction(0))
            for H in combinations(range(len(places)), min(s, len(places)))
        )
        pairs = [(foes[j][0], masses[foes[j][1]]) for j in met]
        return Value(
            1 - most, exact_high,
            {H: w for H, w in zip(sets, p, strict=True) if w},
            {pair: w for pair, w in zip(pairs, q, strict=True) if w},
        )  # fmt: skip


@lru_cache(maxsize=8)
def heavy_families(m: int, alpha: Fraction) -> tuple[list[int], list[tuple[Fraction, ...]]]:
    """Return the maximal families of sets of points that have more than alpha, with such a D each.

    A family is a number whose bit B says whether the set with the bits of B is in it.

    Examples
    --------
    >>> [tuple(map(str, D)) for D in heavy_families(2, Fraction(1, 4))[1]]
    [('1/2', '1/2')]
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - slow to import

    if not 1 <= m <= 5:
        raise parameter_error("RepD", "concepts", "of 1 to 5 points", m)

    def monotone(points: int) -> list[int]:  # up-sets of sets of so many points
        if not points:
            return [0, 1]
        less, half = monotone(points - 1), 1 << points - 1
        return [a | b << half for a in less for b in less if a & b == a]

    families: dict[int, tuple[Fraction, ...]] = {}
    for family in sorted(monotone(m), key=lambda bits: -bits.bit_count()):
        if family & 1 or any(family & larger == family for larger in families):
            continue  # the empty set has no mass; or a larger family is known
        sets = [B for B in range(2**m) if family >> B & 1]
        least = [B for B in sets if not any(A != B and A & B == A for A in sets)]
        A = np.array([[-float(B >> x & 1) for x in range(m)] + [1.0] for B in least])
        one = linprog(
            np.r_[np.zeros(m), -1.0], A_ub=A if least else None,
            b_ub=np.zeros(len(least)) if least else None,
            A_eq=[[1.0] * m + [0.0]], b_eq=[1.0], bounds=[(0, 1)] * m + [(None, 1)],
        )  # fmt: skip
        if -one.fun <= float(alpha) + 1e-9:
            continue  # the least mass is no larger: by duality a mixture of these sets proves it
        D = [Fraction(float(x)).limit_denominator(1000) for x in one.x[:m]]
        D = [x / sum(D) for x in D]
        if any(sum(D[x] for x in range(m) if B >> x & 1) <= alpha for B in least):
            raise UnsupportedError("A distribution could not be written in simple fractions.")
        families[family] = tuple(D)
    return list(families), list(families.values())


def _mixtures(A: npt.NDArray[np.float64]) -> tuple[Any, Any]:
    """Return best mixtures P of the rows (least) and Q of the columns (most)."""
    from scipy.optimize import linprog  # noqa: PLC0415 - slow to import

    rows, columns = A.shape
    one = linprog(
        np.r_[np.zeros(rows), 1], A_ub=np.c_[A.T, -np.ones(columns)], b_ub=np.zeros(columns),
        A_eq=[np.r_[np.ones(rows), 0]], b_eq=[1], bounds=[(0, 1)] * rows + [(None, None)],
    )  # fmt: skip
    Q = np.maximum(-one.ineqlin.marginals, 0)
    return one.x[:rows], Q / Q.sum()


def _fractions(mixture: Any) -> list[Fraction]:
    """Return a mixture in simple fractions that add up to 1."""
    parts = [Fraction(float(x)).limit_denominator(2000) for x in mixture]
    return [x / sum(parts) for x in parts]
