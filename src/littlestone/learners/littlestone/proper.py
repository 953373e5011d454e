"""From an improper hypothesis to concepts of the class, by a minimax distribution.

A released SOA f of an irreducible subclass is close, under *every* distribution of points, to some
concept; so by the minimax theorem one distribution over concepts is close to f at every point
(Ghazi, Golowich, Kumar, Manurangsi 2021). It is found by a linear program from f alone: it costs no
privacy, and may be repeated by any reader.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.classes import (
    AffineHypothesis,
    AffineSubspaces,
    AlwaysZero,
    ConceptClass,
    ConjunctionHypothesis,
    Conjunctions,
    MixtureHypothesis,
    PointHypothesis,
    Points,
    SetHypothesis,
    SparseSets,
    ThresholdHypothesis,
    Thresholds,
    mixture,
)
from littlestone.classes.finite import Listing, batch, check_listable, labels, listing
from littlestone.errors import UnsupportedError

if TYPE_CHECKING:
    from littlestone.source import Source
    from littlestone.types import Hypothesis


#: Largest matrix of a linear program.
MOST_ENTRIES = 1 << 22
#: Probabilities are rounded down to multiples of 2**-20 before they are used.
_GRAIN = 1 << 20


def make_proper(concept_class: ConceptClass, hypothesis: Hypothesis) -> MixtureHypothesis:
    """Return a distribution over concepts that is close to a hypothesis at every point.

    Parameters
    ----------
    concept_class : ConceptClass
    hypothesis : Hypothesis
        Released: nothing else is looked at.

    Returns
    -------
    MixtureHypothesis
        Over concepts of the class, with the least possible ``max over x of Pr[h(x) != f(x)]``, up
        to rounding (see `disagreement`). A concept gives itself.

    Raises
    ------
    UnsupportedError
        If the hypothesis is no concept, and the class is too large for a linear program.

    Notes
    -----
    *Guarantee.* Post-processing of a released hypothesis: no privacy loss. For every distribution
    of points, a hypothesis drawn from it disagrees with f by at most ``disagreement`` in
    expectation; the majority disagrees by at most twice that.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.classes import TableHypothesis
    >>> singles = ls.theory.FiniteClass(np.eye(4, dtype=int))
    >>> found = make_proper(singles, TableHypothesis("0000"))
    >>> [weight for _, weight in found.parts], disagreement(singles, found, TableHypothesis("0000"))
    ([1, 1, 1, 1], Fraction(1, 4))
    """
    if _known(concept_class, hypothesis):
        return mixture([(hypothesis, 1)])
    return _minimax(concept_class, hypothesis)


def one_concept(concept_class: ConceptClass, hypothesis: Hypothesis, source: Source) -> Hypothesis:
    """Return one concept, drawn from the distribution of `make_proper`.

    The empty set, which is no affine subspace, becomes a uniformly random single point.
    """
    if isinstance(concept_class, AffineSubspaces) and isinstance(hypothesis, AlwaysZero):
        q, n = concept_class.q, concept_class.n
        rank = source.below(q**n)
        return AffineHypothesis(q, n, (), tuple(rank // q**i % q for i in range(n)))
    found = make_proper(concept_class, hypothesis)
    return found.parts[0][0] if len(found.parts) == 1 else found.draw(source)


def disagreement(
    concept_class: ConceptClass, found: MixtureHypothesis, hypothesis: Hypothesis
) -> Fraction:
    """Return the largest probability, over all points, that a drawn concept disagrees."""
    public = _listed(concept_class)
    points = batch(concept_class, public.points)
    target = hypothesis.predict(points)
    ones = found.probability(points)
    return max(1 - p if y else p for p, y in zip(ones, target.tolist(), strict=True))


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


def _minimax(concept_class: ConceptClass, hypothesis: Hypothesis) -> MixtureHypothesis:
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
        return mixture([(concepts[int(same[0])], 1)])
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
    return mixture(zip(concepts, weights.tolist(), strict=True))
