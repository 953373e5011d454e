"""The other way round: the number of people is given, and epsilon or alpha is searched for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from littlestone.errors import (
    InfeasibleError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)
from littlestone.learners.goal import Goal
from littlestone.learners.select import Candidate, replan
from littlestone.planning.plans import plan

if TYPE_CHECKING:
    from littlestone.types import Json


#: Number of digits of the decimals among which values are searched.
_DIGITS = 3
_SMALLEST = {"epsilon": -6, "alpha": -6}  # powers of ten
_LARGEST = {"epsilon": 3, "alpha": -1}


@dataclass(frozen=True)
class Solution:
    """The least epsilon, or alpha, that n records or users allow."""

    candidate: Candidate  # the learner that attains it, with its certificate
    what: str  # ``"epsilon"`` or ``"alpha"``
    value: Fraction  # a decimal of three digits; the next smaller one does not do
    n: int  # what was given

    def to_dict(self) -> Json:
        """Return plain JSON."""
        certificate = self.candidate.certificate
        return {
            "learner": self.candidate.learner,
            "setting": "agnostic" if self.candidate.agnostic else "realizable",
            "solve": self.what,
            "value": float(self.value),
            "n": self.n,
            "unit": self.candidate.unit,
            "required": self.candidate.n,
            "certificate": None if certificate is None else certificate.to_dict(),
        }


def solve(
    concept_class: Any,
    what: Literal["epsilon", "alpha"],
    n: int,
    *,
    epsilon: Any = None,
    delta: Any = None,
    alpha: Any = None,
    beta: Any = "0.05",
    samples_per_user: Any = None,
    agnostic: bool = False,
    evaluate: Any = None,
) -> list[Solution]:
    """Return, for each learner, the least epsilon or alpha that n records or users certify.

    ``what``: what is searched for; the other one must be given; ``n``: number of records, or of
    users with ``samples_per_user``; ``evaluate``: the *share* of epsilon that a private evaluation
    takes.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> best, *_ = solve(Thresholds(1, 2**20), "epsilon", 1000, alpha="0.1")
    >>> best.candidate.learner, float(best.value)
    ('generic', 0.36...)
    """
    if what not in ("epsilon", "alpha"):
        raise parameter_error("solve", "what", "'epsilon' or 'alpha'", what)
    n = check_integer("solve", "n", n, low=1)
    given = {"epsilon": epsilon, "alpha": alpha}
    if given[what] is not None:
        hint = f"It is what {n} records are solved for; leave it out."
        raise parameter_error("solve", what, "left out", given[what], hint)
    easiest = Fraction(10) ** (_LARGEST[what] + 1) * Fraction(999, 1000)
    # First with the largest value: who cannot learn with that cannot learn at all.
    asked = {**given, what: easiest}
    if evaluate is not None:
        share = check_probability("solve", "evaluate", evaluate)
        asked["evaluate"] = share * check_fraction("solve", "epsilon", asked["epsilon"])
    plans = plan(
        concept_class,
        delta=delta,
        beta=beta,
        samples_per_user=samples_per_user,
        agnostic=agnostic,
        **asked,
    )
    found: list[Solution] = []
    for candidate in plans:
        made = _least(candidate, concept_class, plans.budget, what, n)
        if made is not None:
            found.append(Solution(made[0], what, made[1], n))
    if not found:
        least = min(c.n or 0 for c in plans)
        unit = next(iter(plans)).unit
        raise InfeasibleError(
            f"{n:,} {unit} are too few for every learner of {concept_class.spec}, however large "
            f"{what} is; {least:,} are needed at {what} = {float(easiest)}.",
            n_needed=least,
        )
    return sorted(found, key=lambda solution: (solution.value, solution.candidate.n or 0))


def _least(
    candidate: Candidate, concept_class: Any, budget: Goal, what: str, n: int
) -> tuple[Candidate, Fraction] | None:
    """Bisect on the decimals of three digits, in their order."""

    def at(value: Fraction) -> Candidate | None:
        found = replan(candidate, concept_class, replace(budget, **{what: value}))  # type: ignore[arg-type]
        return found if found.n is not None and found.n <= n else None

    def decimal(i: int) -> Fraction:
        power, digits = divmod(i, 9 * 10 ** (_DIGITS - 1))
        mantissa = Fraction(digits + 10 ** (_DIGITS - 1), 10 ** (_DIGITS - 1))
        return mantissa * Fraction(f"1e{power + _SMALLEST[what]}")

    low, high = -1, (_LARGEST[what] - _SMALLEST[what] + 1) * 9 * 10 ** (_DIGITS - 1) - 1
    best = at(decimal(high))
    if best is None:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        found = at(decimal(middle))
        if found is None:
            low = middle
        else:
            high, best = middle, found
    return best, decimal(high)
