"""The private learner of Littlestone classes (Lyu 2025, Theorem 3).

`Littlestone`: plan, draw, guarantee, certificate; its teachers, each with a part of the records,
and their votes. How many teachers certify a draw: `littlestone.learners.littlestone_plans`.

Statements and proofs: ``docs/learners/littlestone.md``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.bounds import CertificateBuilder
from littlestone.classes import (
    AffineHypothesis,
    AffineSubspaces,
    AlwaysZero,
    ConceptClass,
    ConjunctionHypothesis,
    Conjunctions,
    PointHypothesis,
    Points,
    SetHypothesis,
    SparseSets,
    ThresholdHypothesis,
    Thresholds,
)
from littlestone.classes.base import Closures, closures
from littlestone.classes.finite import Listing, batch, check_listable, labels, listing
from littlestone.data.domains import canonical, canonical_order
from littlestone.data.sample import part, shuffle, written_out
from littlestone.errors import UnsupportedError
from littlestone.learners.base import (
    CLASS,
    DELTA_NEEDED,
    DELTA_TEXT,
    ClassLearner,
    Goal,
    Plan,
    declared,
    maybe,
    share,
    whole,
)
from littlestone.learners.littlestone_plans import VOTES, ClosedPlan
from littlestone.mechanisms.select import count_lists, sparse_select
from littlestone.privacy import Guarantee

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.data import Sample
    from littlestone.source import Source
    from littlestone.types import Hypothesis

__all__ = ["Littlestone", "make_proper"]


# -- The private learner of Littlestone classes: 003's Theorem 3, repaired and shortened.
#
# 1. Shuffle the records to teachers, ``chunk`` records each, by a secret permutation. 2. Every
# teacher lists hypotheses with few errors on its own records (`teachers`). 3. Draw one hypothesis
# by the number of teachers that list it, against bottom (`votes`).
#
# The paper's own algorithm, stage by stage with essential hypotheses, is `papers.Theorem3`.
#
# The plan decides, from public parameters, which lists teachers make, how many teachers there
# are, and how many records each of them has.
#
# Statements and proofs: ``docs/learners/littlestone.md``.


PRIVACY = "littlestone.privacy"


@dataclass(frozen=True)
class LittlestonePlan(Plan):
    """The plan of a Littlestone learner: every number of it but n."""

    goal: Goal
    settings: ClosedPlan | None
    required: int

    @property
    def chunk(self) -> int:
        """Records of one teacher."""
        return self.settings.chunk if self.settings else 1

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        if self.settings is not None:
            return self.settings.certificate(n)
        cert = CertificateBuilder()
        cert.step("one_concept", "n >= 1", VOTES, n=n)
        return cert.certificate(alpha=self.goal.alpha, beta=self.goal.beta, n=n)


@dataclass(frozen=True)
class Littlestone(ClassLearner[LittlestonePlan]):
    """The learner behind `LittlestoneLearner` (003, Theorem 3): teachers list hypotheses and vote.

    (epsilon, delta), replace-one, n public, for every input.
    """

    concept_class: ConceptClass = declared(
        CLASS,
        "Public: `SparseSets`, `Points`, `AffineSubspaces`, `Conjunctions`.",
        kw_only=False,
    )
    delta: Fraction = declared(share(DELTA_NEEDED), DELTA_TEXT)
    chunk: int | None = declared(
        maybe(whole(1)),
        "Records of one teacher, instead of the planned number. No privacy depends on it.",
        default=None,
    )
    tolerance: int | None = declared(
        maybe(whole(0)),
        "Most errors of a listed hypothesis, instead of the planned number. No privacy depends on "
        "it.",
        default=None,
    )

    name = "littlestone"
    estimator = "LittlestoneLearner"
    summary = "votes of teachers; for classes that no exponential mechanism can list"
    claim = PRIVACY
    pure = False
    agnostic = False

    def make_plan(self) -> LittlestonePlan:
        """Return how many teachers of how many records there are, and their tolerance."""
        if self.concept_class.size == 1:
            return LittlestonePlan(self.goal, None, 1)
        settings = _settings(self.concept_class, self.goal, self.chunk, self.tolerance)
        required = settings.required
        if required is None and (self.chunk, self.tolerance) != (None, None):
            required = _settings(self.concept_class, self.goal, None, None).required
        if required is None:
            raise UnsupportedError(
                f"Learning {self.concept_class.spec} this accurately would need more than 10**5 "
                "teachers, or teachers with more than 500,000 records, which is not certified. "
                "Raise epsilon, alpha or beta."
            )
        return LittlestonePlan(self.goal, settings, required)

    @cached_property
    def default(self) -> Hypothesis:
        """What is released for bottom: the first concept; of infinitely many, the empty set."""
        if not isinstance(self.concept_class.size, int):
            return AlwaysZero()
        return self.concept_class.first_concept()

    def guarantee(self, *, seeded: bool = False) -> Guarantee:
        """Return the promise: (epsilon, delta), replace-one, n public."""
        return Guarantee(self.epsilon, self.delta, claim=PRIVACY, seeded=seeded)

    def shuffles(self, n: int) -> bool:
        """Return whether records are split among teachers of several records.

        If not, every record is its own teacher, and the output is a function of the counts alone.
        """
        return self.plan.chunk > 1

    def draw(self, sample: Sample, source: Source) -> Hypothesis:
        """Draw the hypothesis; a pure function of the sample and the draws."""
        settings = self.plan.settings
        if settings is None:
            return self.default  # there is one concept only
        teachers = parts(sample, source, self.plan.chunk)  # step 1
        system, tolerance, cap = closures(self.concept_class), settings.tolerance, settings.cap
        votes = votes_of(  # step 2
            ((closed_within(system, records, tolerance), weight) for records, weight in teachers),
            cap,
        )
        return sparse_select(  # step 3; a replaced list is one removed and one added
            votes,
            k=cap,
            epsilon=self.epsilon,
            delta=self.delta,
            source=source,
            default=self.default,
        )


@lru_cache(maxsize=256)
def _settings(
    concept_class: ConceptClass,
    goal: Goal,
    chunk: int | None,
    tolerance: int | None,
) -> ClosedPlan:
    """Return the numbers of the votes, with those that the user set."""
    system = closures(concept_class)
    if system.closed > MOST_CLOSED:
        raise UnsupportedError(
            f"A concept of {concept_class.spec} may hold more than 2**14 closed sets, too many "
            "to be listed by each teacher. Use a smaller class, or the 'generic' learner."
        )
    return ClosedPlan.of(goal, system, chunk, tolerance)


# -- Teachers: disjoint parts of the records, and the list that each of them submits ---------------
#
# A list is a function of its own teacher's records and of public numbers, nothing else: every
# search starts fresh, a search that exceeds its node budget submits the empty list, and a list that
# is too long is cut in one public order. So replacing one record replaces one list.


#: Most closed sets inside one concept: a teacher may have to look at all of them.
MOST_CLOSED = 1 << 14
#: Most closed sets that one teacher's search may meet. If a concept explains its records, it meets
#: only sets inside that concept.
MOST_NODES = 20_000
#: The records of one teacher, and how many teachers have exactly these.
Part = tuple["Sample", int]


def parts(sample: Sample, source: Source, chunk: int) -> list[Part]:
    """Return the records of each teacher: a secret shuffle of ``chunk`` records to each.

    The records that are left over, fewer than ``chunk``, go to no teacher; with fewer than
    ``chunk`` in all there is one teacher. Teachers of one record each are counted, not split.
    """
    if chunk == 1:
        kinds: Any
        kinds, counts = np.unique(written_out(sample), return_counts=True)
        pairs = zip(kinds, counts.tolist(), strict=True)
        return [(part(sample, np.array([kind])), times) for kind, times in pairs]
    shuffled = shuffle(sample, source)
    teachers = max(1, sample.n // chunk)
    return [(part(sample, shuffled[i * chunk : (i + 1) * chunk]), 1) for i in range(teachers)]


def closed_within(
    system: Closures, sample: Sample, tolerance: int, max_nodes: int = MOST_NODES
) -> list[Hypothesis]:
    """Return the closures of positive records with at most ``tolerance`` errors on a sample.

    Notes
    -----
    A set G of at most ``tolerance`` errors that contains a smaller closed set F contains one of the
    first ``tolerance + 1`` positive records outside F (with multiplicity): only those are joined to
    F. So the search visits few closed sets if the sample is labelled by a concept.

    Examples
    --------
    >>> from littlestone.classes import SparseSets, closures
    >>> from littlestone.data import Sample
    >>> data = Sample.of(["a", "a", "a", "b", "c"], [1, 1, 1, 1, 0])
    >>> found = closed_within(closures(SparseSets(2)), data, tolerance=1)
    >>> sorted(h.describe() for h in found)
    ["1 if x = 'a', otherwise 0", "1 on the points 'a', 'b', otherwise 0"]
    """
    rows = sample.points.tolist()
    points = [canonical(tuple(x) if isinstance(x, list) else x) for x in rows]
    ones, zeros = sample.ones, sample.zeros
    order = sorted(
        np.flatnonzero(ones).tolist(), key=lambda i: (-int(ones[i]), canonical_order(points[i]))
    )
    missed_anyway = int(sample.outside[1])
    total = int(ones.sum()) + missed_anyway
    waiting, met = [system.bottom], {system.bottom}
    found: list[Hypothesis] = []
    while waiting:
        if len(met) > max_nodes:
            return []  # a fixed answer: never a part of the list
        closed = waiting.pop()
        holds = closed.predict(sample.points) == 1 if points else np.zeros(0, dtype=bool)
        wrong = int(zeros[holds].sum())
        if wrong > tolerance:
            continue  # so are all larger sets
        if wrong + total - int(ones[holds].sum()) <= tolerance:
            found.append(closed)
        passed = missed_anyway
        for i in order:
            if passed > tolerance:
                break
            if not holds[i]:
                passed += int(ones[i])
                wider = system.join(closed, points[i])
                if wider is not None and wider not in met:
                    met.add(wider)
                    waiting.append(wider)
    return found


def votes_of(lists: Iterable[tuple[Collection[Hypothesis], int]], cap: int) -> Counter[Hypothesis]:
    """Return how many teachers list each hypothesis, of the first ``cap`` of a list.

    Examples
    --------
    >>> from littlestone.classes import AlwaysZero, PointHypothesis
    >>> votes_of([([AlwaysZero()], 2), ([AlwaysZero(), PointHypothesis(5)], 1)], 2).total()
    4
    """
    votes: Counter[Hypothesis] = Counter()
    for hypotheses, weight in lists:
        for hypothesis in count_lists([hypotheses], cap=cap):
            votes[hypothesis] += weight
    return votes


# -- From an improper hypothesis to concepts of the class, by a minimax distribution ---------------
#
# A released SOA f of an irreducible subclass is close, under *every* distribution of points, to
# some concept; so by the minimax theorem one distribution over concepts is close to f at every
# point (Ghazi, Golowich, Kumar, Manurangsi 2021). It is found by a linear program from f alone: it
# costs no privacy, and may be repeated by any reader.


#: Largest matrix of a linear program.
MOST_ENTRIES = 1 << 22
#: Probabilities are rounded down to multiples of 2**-20 before they are used.
_GRAIN = 1 << 20


def make_proper(
    concept_class: ConceptClass, hypothesis: Hypothesis
) -> list[tuple[Hypothesis, int]]:
    """Return a distribution over concepts that is close to a hypothesis at every point.

    Parameters
    ----------
    concept_class : ConceptClass
    hypothesis : Hypothesis
        Released: nothing else is looked at.

    Returns
    -------
    list of (Hypothesis, int)
        Different concepts of the class with their weights, in lowest terms, with the least possible
        ``a = max over x of Pr[h(x) != f(x)]``, up to rounding. A concept gives itself.

    Raises
    ------
    UnsupportedError
        If the hypothesis is no concept, and the class is too large for a linear program.

    Notes
    -----
    *Guarantee.* Post-processing of a released hypothesis: no privacy loss. For every distribution
    of points, a hypothesis drawn from it disagrees with f by at most a in expectation; the majority
    disagrees by at most twice that.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.classes import TableHypothesis
    >>> singles = ls.theory.FiniteClass(np.eye(4, dtype=int))
    >>> [weight for _, weight in make_proper(singles, TableHypothesis("0000"))]
    [1, 1, 1, 1]
    """
    if _known(concept_class, hypothesis):
        return [(hypothesis, 1)]
    return _minimax(concept_class, hypothesis)


def one_concept(concept_class: ConceptClass, hypothesis: Hypothesis, source: Source) -> Hypothesis:
    """Return one concept, drawn from the distribution of `make_proper`.

    The empty set, which is no affine subspace, becomes a uniformly random single point.
    """
    if isinstance(concept_class, AffineSubspaces) and hypothesis == AlwaysZero():
        q, n = concept_class.q, concept_class.n
        rank = source.below(q**n)
        return AffineHypothesis(q, n, (), tuple(rank // q**i % q for i in range(n)))
    found = make_proper(concept_class, hypothesis)
    if len(found) == 1:
        return found[0][0]
    ends = list(accumulate(weight for _, weight in found))
    return found[bisect_right(ends, source.below(ends[-1]))][0]


@lru_cache(maxsize=16)
def _listed(concept_class: ConceptClass) -> Listing:
    """Return a class as a matrix; only for questions without search, which remember nothing."""
    return listing(concept_class, None)


def _known(concept_class: ConceptClass, hypothesis: Hypothesis) -> bool:
    """Say whether a hypothesis is seen to be a concept without a list of the class."""
    match concept_class, hypothesis:
        case SparseSets(), SetHypothesis():
            return len(hypothesis.points) <= concept_class.k
        case AffineSubspaces(), AffineHypothesis():
            return hypothesis.dim <= concept_class.dim
        case Conjunctions(), ConjunctionHypothesis():
            return not (concept_class.monotone and hypothesis.zeros)
        case Conjunctions(), AlwaysZero():
            return not concept_class.monotone
    return isinstance(concept_class, Points | SparseSets | Thresholds) and isinstance(
        hypothesis, AlwaysZero | PointHypothesis | ThresholdHypothesis
    )


def check_listed(concept_class: ConceptClass) -> int:
    """Return the number of points of a class small enough for a linear program."""
    hint = f"Proper output of {concept_class.spec} by this method needs a linear program"
    try:
        points = check_listable(concept_class)
    except UnsupportedError:
        raise UnsupportedError(f"{hint}, and the class cannot be listed.") from None
    if concept_class.size * points > MOST_ENTRIES:
        raise UnsupportedError(f"{hint} of more than 2**22 entries. Use a smaller domain.")
    return points


def _minimax(concept_class: ConceptClass, hypothesis: Hypothesis) -> list[tuple[Hypothesis, int]]:
    """Solve min over distributions of max over points of the disagreement, as a linear program."""
    from scipy.optimize import linprog  # noqa: PLC0415 - slow to import, and rarely needed

    check_listed(concept_class)
    public = _listed(concept_class)
    rows = range(public.kernel.matrix.n_hypotheses)
    concepts = [public.hypothesis(public.kernel.matrix.rows[row]) for row in rows]
    matrix = labels(concept_class, concepts, public.points)
    target = hypothesis.predict(batch(concept_class, public.points))
    differs = (matrix != target).astype(np.float64).T  # points x concepts
    same = np.flatnonzero(~differs.any(axis=0))
    if same.size:
        return [(concepts[int(same[0])], 1)]
    points, count = differs.shape
    # variables: the distribution, and its value v; differs @ distribution <= v at every point
    solved: Any = linprog(
        np.append(np.zeros(count), 1.0),
        A_ub=np.hstack([differs, -np.ones((points, 1))]),
        b_ub=np.zeros(points),
        A_eq=np.append(np.ones(count), 0.0)[None, :],
        b_eq=[1.0],
        bounds=(0, None),
        method="highs",
    )
    weights = np.floor(np.clip(solved.x[:count], 0, 1) * _GRAIN + 0.5).astype(np.int64)
    weights //= np.gcd.reduce(weights)
    return [(h, w) for h, w in zip(concepts, weights.tolist(), strict=True) if w]
