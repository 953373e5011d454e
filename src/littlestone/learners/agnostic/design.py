"""How many records go where, and what that certifies: public parameters only.

The n records are dealt to a *pool* and a *second* part. Of the pool, ``first`` records are drawn
secretly: they are relabelled, by a dichotomy that errs little on the second part, and given to the
learner. The numbers below are searched for (they decide how good the certificate is, never whether
the release is private); the certificate then proves them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from littlestone import bounds
from littlestone.bounds import Worksheet
from littlestone.errors import LittlestoneError, ParameterError, UnsupportedError
from littlestone.learners.agnostic.claims import ACCURACY
from littlestone.learners.agnostic.nested import nest
from littlestone.learners.agnostic.subsample import rate_for

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.classes import ConceptClass
    from littlestone.learners.algorithm import Algorithm

__all__ = ["Budget", "Design", "design", "rebudgeted"]

#: Shares of beta: the second part; the learner, on all dichotomies; the ghosts.
_SECOND, _LEARNER, _GHOSTS = Fraction(74, 100), Fraction(25, 100), Fraction(1, 100)
#: What the learner's error on the ghosts may use of the share of alpha that is its own.
_ON_GHOSTS = Fraction(97, 100)
_SHARES = tuple(Fraction(k, 20) for k in (1, 2, 3, 4, 5, 6, 8, 10, 12, 14))
_EPSILONS = tuple(Fraction(k, 20) for k in (2, 5, 10, 14, 18, 24, 30, 40, 60))
_TOO_MANY = 2**62


@dataclass(frozen=True)
class Budget:
    """What is asked for."""

    epsilon: Fraction
    delta: Fraction
    alpha: Fraction
    beta: Fraction


def rebudgeted(learner: Algorithm, budget: Budget) -> Algorithm:
    """Return the same learner with other public numbers.

    Parameters
    ----------
    learner : Algorithm
        With a method ``with_budget(epsilon=, delta=, alpha=, beta=)``, or a dataclass with fields
        of these names from which everything else is computed. What it promises is asked anew, and
        only that is relied upon.

    Raises
    ------
    UnsupportedError
        If it has neither.
    """
    numbers: dict[str, Any] = dict(vars(budget))
    own = getattr(learner, "with_budget", None)
    if own is not None:
        made: Algorithm = own(**numbers)
        return made
    names: set[str] = {f.name for f in fields(learner)} if is_dataclass(learner) else set()
    if not {"epsilon", "alpha", "beta"} <= names:
        raise UnsupportedError(
            f"The {learner.name!r} learner cannot be given another epsilon, alpha and beta, so it "
            "cannot be made agnostic."
        )
    kept = {name: value for name, value in numbers.items() if name in names}
    return replace(learner, **kept)  # type: ignore[no-any-return, type-var]


@dataclass(frozen=True)
class Design:
    """One way to spend the budget.

    Attributes
    ----------
    budget : Budget
    learner : Algorithm
        Runs on the first part, with its own epsilon, delta, alpha and beta.
    rate : Fraction
        First part's largest share of the pool.
    first, pool, second : int
        Numbers of records that the certificate asks for.
    ghosts : int
        The proof imagines ``ghosts * first**2`` points.
    alpha1 : Fraction
        Share of alpha for the learner; the rest is for the dichotomy.
    """

    budget: Budget
    learner: Algorithm
    rate: Fraction
    first: int
    pool: int
    second: int
    ghosts: int
    alpha1: Fraction

    @property
    def needed(self) -> int:
        """Records in all."""
        return self.pool + self.second

    def parts(self, n: int) -> tuple[int, int]:
        """Return (pool, first) for n records: as certified if n suffices, else in proportion."""
        if n >= self.needed:
            return self.pool, self.first
        pool = -(-n * self.pool // self.needed)
        return pool, min(math.floor(self.rate * pool), self.first)

    @cached_property
    def _steps(self) -> Worksheet:
        concepts, budget = self.learner.concept_class, self.budget
        sheet, source = Worksheet(), ACCURACY
        inner = self.learner
        nest(sheet, inner.certificate(self.first), "learner")
        nest(sheet, _second(concepts, self.first, self._rest, self.second), "dichotomy")
        first, ghosts = Fraction(self.first), Fraction(self.ghosts)
        points = sheet.step("ghosts", "ghosts*first**2", source, ghosts=ghosts, first=first)
        labellings = sheet.step(
            "labellings",
            "min(size, growth(vc_dim, points))" if _finite(concepts) else "growth(vc_dim, points)",
            source,
            vc_dim=concepts.vc_dim,
            points=points,
            **({"size": concepts.size} if _finite(concepts) else {}),  # type: ignore[arg-type]
        )
        sheet.step(
            "union",
            "beta_learner*labellings <= beta1*(1 - 1/(2*ghosts))",
            source,
            beta_learner=inner.beta,
            labellings=labellings,
            beta1=budget.beta * _LEARNER,
            ghosts=ghosts,
        )
        fresh = sheet.step("fresh", "points - first", source, points=points, first=first)
        sheet.step(
            "carry",
            "alpha_learner*points <= alpha1*fresh - sqrt(2*alpha1*fresh*log(1/beta2))",
            source,
            alpha_learner=inner.alpha,
            alpha1=self.alpha1,
            points=points,
            fresh=fresh,
            beta2=budget.beta * _GHOSTS,
        )
        sheet.step(
            "errors",
            "alpha1 + alpha_dichotomy <= alpha",
            source,
            alpha1=self.alpha1,
            alpha_dichotomy=self._rest.alpha,
            alpha=budget.alpha,
        )
        sheet.step(
            "failures",
            "beta1 + beta2 + beta_dichotomy <= beta",
            source,
            beta1=budget.beta * _LEARNER,
            beta2=budget.beta * _GHOSTS,
            beta_dichotomy=self._rest.beta,
            beta=budget.beta,
        )
        sheet.step("needed", "pool + second", source, pool=Fraction(self.pool), second=self.second)
        return sheet

    @property
    def _rest(self) -> Budget:
        return _rest(self.budget, self.alpha1)

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        sheet = Worksheet()
        sheet.steps.update(self._steps.steps)
        sheet.step("enough", "n >= needed", ACCURACY, n=n, needed=sheet.steps["needed"])
        return sheet.certificate(alpha=self.budget.alpha, beta=self.budget.beta, n=n)


@lru_cache(maxsize=256)
def design(learner: Algorithm, budget: Budget, fixed: Fraction | None = None) -> Design:
    """Return the design that needs about the fewest records.

    Parameters
    ----------
    learner : Algorithm
    budget : Budget
    fixed : Fraction, optional
        Epsilon of the learner; by default it is searched for.

    Raises
    ------
    LittlestoneError
        If no design was found; the reason of the learner, if it has one.
    """
    beyond = budget.epsilon - Fraction(1387, 1000)  # ln 4: from here on the pool is not thinned
    epsilons = [e for e in _EPSILONS if e > beyond]
    epsilons = [beyond, *epsilons] if beyond > _EPSILONS[0] else epsilons
    epsilons = [fixed] if fixed is not None else epsilons
    problem: list[LittlestoneError] = []

    @cache
    def at(i: int, j: int) -> Design | None:
        if not (0 <= i < len(epsilons) and 0 <= j < len(_SHARES)):
            return None
        try:
            return _design(learner, budget, epsilons[i], budget.alpha * _SHARES[j])
        except LittlestoneError as reason:
            problem.append(reason)
            return None

    start = min(range(len(epsilons)), key=lambda i: abs(epsilons[i] - Fraction(9, 10)))
    found = _climb(at, (start, _SHARES.index(Fraction(1, 2))))
    if found is None:
        raise problem[0]
    return found


def _climb(at: Callable[[int, int], Design | None], here: tuple[int, int]) -> Design | None:
    """Go downhill on a grid of few cells."""

    def height(cell: tuple[int, int]) -> float:
        found = at(*cell)
        return math.inf if found is None else float(found.needed)

    while True:
        i, j = here
        best = min([here, (i, j - 1), (i, j + 1), (i - 1, j), (i + 1, j)], key=height)
        if best == here:
            return at(*here)
        here = best


def _design(learner: Algorithm, budget: Budget, epsilon: Fraction, alpha1: Fraction) -> Design:
    rate = rate_for(budget.epsilon, epsilon, 4)
    concepts = learner.concept_class
    own = Budget(
        epsilon,
        min(budget.delta / rate, Fraction(1, 2)) if budget.delta else Fraction(0),
        alpha1 * _ON_GHOSTS,
        budget.beta,
    )
    first, guess, ghosts = 0, 1 << 10, 1
    while True:  # the failures that the learner may have depend, little, on its number of records
        made = rebudgeted(
            learner, replace(own, beta=_per_labelling(concepts, budget, guess, ghosts))
        )
        needed = made.required_samples()
        if needed > _TOO_MANY:
            raise ParameterError(
                f"The agnostic form of the {learner.name!r} learner would need more than 2**62 "
                "records. Raise epsilon or alpha."
            )
        if needed > guess:
            guess = 2 * needed
            continue
        first = max(needed, 2)
        if _carries(own.alpha, alpha1, budget.beta * _GHOSTS, first, ghosts):
            break
        ghosts *= 4
    promised = made.guarantee()
    rate = rate_for(budget.epsilon, promised.epsilon, 4)
    if promised.delta > 0:
        rate = min(rate, budget.delta / promised.delta)
    pool = math.ceil(first / rate)
    second = _second(concepts, first, _rest(budget, alpha1)).n
    return Design(budget, made, rate, first, pool, max(second, 1), ghosts, alpha1)


def _rest(budget: Budget, alpha1: Fraction) -> Budget:
    """Return what is left for the dichotomy."""
    return Budget(budget.epsilon, Fraction(0), budget.alpha - alpha1, budget.beta * _SECOND)


def _second(
    concepts: ConceptClass, first: int, budget: Budget, n: int | None = None
) -> Certificate:
    """Certify the dichotomy's best concept on the second part: by the class, or by its dimension.

    By the class: a bad concept is released only through its dichotomy, and then has that one's
    cost; so the union bound over the concepts is as for the exponential mechanism over all.
    """
    asked: dict[str, Any] = {
        "epsilon": budget.epsilon,
        "alpha": budget.alpha,
        "beta": budget.beta,
        "n": n,
    }
    size = _growth(concepts.vc_dim, first)
    ways: list[Callable[[], Certificate]] = []
    if _finite(concepts):
        size = min(size, int(concepts.size))
        ways.append(lambda: bounds.agnostic(int(concepts.size), **asked))
    ways.append(lambda: bounds.agnostic_vc(size, concepts.vc_dim, **asked))
    if n is None:
        return min((way() for way in ways), key=lambda certificate: certificate.n)
    made = [way() for way in ways]
    return next((certificate for certificate in made if certificate.holds), made[0])


def _per_labelling(concepts: ConceptClass, budget: Budget, first: int, ghosts: int) -> Fraction:
    """Return the failure probability that the learner may have for each dichotomy of the ghosts."""
    labellings = _growth(concepts.vc_dim, ghosts * first**2)
    if _finite(concepts):
        labellings = min(labellings, int(concepts.size))
    exact = budget.beta * _LEARNER * (1 - Fraction(1, 2 * ghosts)) / labellings
    return Fraction(1, 1 << (exact.denominator // exact.numerator).bit_length())


def _carries(own: Fraction, alpha1: Fraction, beta: Fraction, first: int, ghosts: int) -> bool:
    points = ghosts * first**2
    fresh = float(alpha1) * (points - first)
    spread = math.sqrt(2 * fresh * -math.log(float(beta)))
    return float(own) * points <= (fresh - spread) * (1 - 1e-9)


def _growth(vc_dim: int, n: int) -> int:
    return sum(math.comb(n, i) for i in range(vc_dim + 1))


def _finite(concepts: ConceptClass) -> bool:
    return isinstance(concepts.size, int)
