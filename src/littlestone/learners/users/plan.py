"""Which mechanism a user-level learner takes for a class: public parameters only."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from littlestone import bounds
from littlestone.bounds.search import log_of
from littlestone.classes import Points
from littlestone.errors import UnsupportedError
from littlestone.learners.users.compare import cut_between, rates
from littlestone.learners.users.grid_error import GridMinError
from littlestone.learners.users.mechanisms import (
    GroupPrivacyMechanism,
    MinErrorSearch,
    UserLevelMechanism,
    probabilities,
    worst_gap,
)
from littlestone.learners.users.min_error import PrivateMinError
from littlestone.learners.users.sweeps import sweepable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.classes import ConceptClass, Representation
    from littlestone.learners.users.separation import Floats

__all__ = ["METHODS", "Mechanism", "plan", "searches"]

METHODS = ("auto", "group-privacy", "user-level", "binary-search")
Mechanism = GroupPrivacyMechanism | UserLevelMechanism
Budget = tuple[Fraction, Fraction, Fraction]  # epsilon, alpha, beta: these learners are pure

_HALF = Fraction(1, 2)
_SHARES = [Fraction(j, 20) for j in range(1, 17)]  # of epsilon, for the search
_CUTS = 64
_FLOAT_EXACT = 2**53
_MOST_STEPS, _MOST_CELLS = 10, 192
_NEAR = (4, 8, 16, 32)  # alpha1 = alpha / that, for hashed representations


@lru_cache(maxsize=256)
def plan(
    concept_class: ConceptClass,
    samples_per_user: int,
    budget: Budget,
    method: str,
) -> Mechanism:
    """Return the mechanism that needs the fewest users, or the one that is asked for.

    Parameters
    ----------
    concept_class : ConceptClass
    samples_per_user : int >= 1
    budget : (epsilon, alpha, beta), fractions
    method : {"auto", "group-privacy", "user-level", "binary-search"}
        "binary-search" is "user-level" with the paper's Algorithm 2 and nothing else.

    Raises
    ------
    UnsupportedError
        If the class is infinite and cannot be hashed; if user-level errors are asked for, and
        cannot be computed for this class.
    """
    _, alpha, beta = budget
    finite = isinstance(concept_class.size, int)
    can_sweep = sweepable(concept_class) if finite else isinstance(concept_class, Points)
    if method in ("user-level", "binary-search") and not can_sweep:
        raise UnsupportedError(
            f"The class {concept_class.spec} is too large for user-level errors: they are computed "
            "for thresholds, points, paths, and classes of at most 2**20 hypotheses. "
            "Use method='group-privacy'."
        )
    found: list[Mechanism] = []
    if method in ("auto", "group-privacy"):
        found.append(_sum(concept_class, samples_per_user, budget))
    if method in ("user-level", "binary-search") or (
        method == "auto" and samples_per_user > 1 and can_sweep
    ):
        kinds: tuple[type[MinErrorSearch], ...] = (PrivateMinError,)
        if method != "binary-search":
            kinds = (GridMinError, PrivateMinError)
        for representation in _representations(concept_class, alpha, beta):
            found += [_user_level(representation, k, samples_per_user, budget) for k in kinds]
    return min(found, key=lambda mechanism: mechanism.required)


def _sum(concept_class: ConceptClass, m: int, budget: Budget) -> GroupPrivacyMechanism:
    epsilon, alpha, beta = budget
    if isinstance(concept_class.size, int):
        return GroupPrivacyMechanism(concept_class.representation(), m, *budget)
    found = bounds.best_hashing(
        concept_class.hashing, agnostic=True, epsilon=epsilon / m, alpha=alpha, beta=beta
    )
    return GroupPrivacyMechanism(
        concept_class.hashed(found.copies, found.buckets), m, *budget, found
    )


def _representations(
    concept_class: ConceptClass, alpha: Fraction, beta: Fraction
) -> list[Representation]:
    if isinstance(concept_class.size, int):
        return [concept_class.representation()]
    return [concept_class.representation(alpha / near, beta / 8) for near in _NEAR]


def _user_level(
    representation: Representation, kind: type[MinErrorSearch], m: int, budget: Budget
) -> UserLevelMechanism:
    """Return the search, and the epsilon left for the choice, with the fewest users in all."""
    epsilon, alpha, beta = budget
    hypotheses = log_of(max(representation.size - 1, 1))
    log_beta = log_of(beta - representation.beta)
    excess = alpha - representation.alpha
    best, found = math.inf, None
    for search in searches(kind, m, epsilon):
        gap = worst_gap(search, excess)[2]
        if gap <= 1e-12:
            continue
        choice = math.log(search.answers) + hypotheses - log_beta
        visits = math.log(max(search.weight, 1)) - log_beta
        pair = probabilities(search)
        for share in _SHARES if search.comparisons else [Fraction(0)]:
            tilt = min(float(epsilon * (1 - share)) / 2, math.atanh(min(gap, 1 - 1e-12)))
            decay = -math.log1p(2 * math.sinh(tilt / 2) ** 2 - gap * math.sinh(tilt))
            if choice >= best * decay:  # the choice alone needs as many
                continue
            single = float(search.comparisons[0].epsilon * share) if search.comparisons else 0.0
            cut, users = _best_cut(
                pair, single, below=visits, above=visits + hypotheses,
                choice=(choice, decay), limit=best,
            )  # fmt: skip
            if users < best:
                best = users
                found = replace(search, epsilon=epsilon * share, share=cut)
    assert found is not None
    guess = math.ceil(best) if best < _FLOAT_EXACT else None
    return UserLevelMechanism(representation, found, epsilon - found.epsilon, alpha, beta, guess)


def searches(kind: type[MinErrorSearch], m: int, epsilon: Fraction) -> Iterator[MinErrorSearch]:
    """Yield searches of all useful resolutions: a few per standard deviation of a user's share.

    Examples
    --------
    >>> len(list(searches(GridMinError, 16, Fraction(1))))
    32
    """
    fine = 4 * math.sqrt(m)
    if kind is PrivateMinError:
        yield PrivateMinError(m, 0, Fraction(1, 2), epsilon, _HALF)  # m = 1: one t fits all
        for steps in range(1, min(math.ceil(math.log2(fine)) + 1, _MOST_STEPS) + 1):
            for quarters in (2, 4, 8, 12):
                gap = Fraction(quarters, 4 * 2**steps)
                yield PrivateMinError(m, steps, gap, epsilon, _HALF)
        return
    cells = 2
    while cells <= min(2 * fine, _MOST_CELLS):
        for quarters in (1, 2, 3, 4):
            yield GridMinError(m, cells, Fraction(quarters, 4 * cells), epsilon, _HALF)
        cells = cells + max(1, cells // 2)


def _best_cut(
    pair: tuple[Floats, Floats],
    epsilon: float,
    *,
    below: float,
    above: float,
    choice: tuple[float, float],
    limit: float,
) -> tuple[Fraction, float]:
    """Return where the cuts lie best between the two probabilities, and the users needed.

    The failures fall like e**(below - n up), e**(above - n down) and e**(choice - n decay), in
    units of beta; up grows with the cut as down falls. So where both alone need ``limit`` users
    nothing better is found, and the users are inf.
    """
    if not len(pair[0]):
        return _HALF, choice[0] / choice[1]

    @cache
    def needed(share: int) -> tuple[float, float, float]:
        up, down, _, _ = rates(cut_between(*pair, share / _CUTS), *pair, epsilon)
        first, second = (below, float(up.min())), (above, float(down.min()))
        alone = [start / max(rate, 1e-300) for start, rate in (first, second)]
        return alone[0], alone[1], _least_sum([first, second, choice])

    low, high = 1, _CUTS - 1
    while high - low > 1:
        middle = (low + high) // 2
        first, second, _ = needed(middle)
        if min(first, second) >= limit:
            return _HALF, math.inf
        low, high = (middle, high) if first > second else (low, middle)
    users, share = min((needed(share)[2], share) for share in (low, high))
    for step in (-1, 1):  # the choice plays a part, too: it is near, not just here
        while 0 < share + step < _CUTS and needed(share + step)[2] < users:
            share += step
            users = needed(share)[2]
    return Fraction(share, _CUTS), users


def _least_sum(terms: list[tuple[float, float]]) -> float:
    """Return about the least n with the sum of e**(start - n * rate) <= 1.

    The logarithm of the sum is convex: from the left, Newton's method comes near and never beyond.
    """
    if any(rate <= 0 for _, rate in terms):
        return math.inf
    n = max(start / rate for start, rate in terms)
    for _ in range(50):
        parts = [(math.exp(start - n * rate), rate) for start, rate in terms]
        total = sum(part for part, _ in parts)
        step = math.log(total) * total / sum(part * rate for part, rate in parts)
        n += step
        if step <= 1e-9 * n:
            break
    return max(n, 1.0)
