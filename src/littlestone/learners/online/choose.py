"""The numbers of an online learner from what its user says: class, budget, horizon."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Literal

from littlestone.classes import ConceptClass, check_class
from littlestone.errors import (
    check_fraction,
    check_integer,
    check_probability,
    exact_value,
    parameter_error,
)
from littlestone.learners.online.ballot_plan import practical_ballot, theory_ballot
from littlestone.learners.online.plan import Goal, OnlinePlan
from littlestone.learners.online.teachers_plan import practical_teachers, theory_teachers

__all__ = ["Parameters", "plan_online"]

Parameters = Literal["practical", "theory"]


def plan_online(
    concept_class: ConceptClass,
    *,
    epsilon: Any,
    delta: Any,
    horizon: int,
    beta: Any = Fraction(1, 20),
    parameters: Parameters = "practical",
    teachers: int | None = None,
) -> OnlinePlan:
    """Return the numbers of an online learner.

    Parameters
    ----------
    concept_class : ConceptClass
    epsilon : number > 0
    delta : number in [0, 1)
        For the whole stream; 0 (pure) is possible for finite classes.
    horizon : int >= 1
        Expected number of records (public). Privacy does not depend on it.
    beta : number in (0, 1), default 1/20
    parameters : {"practical", "theory"}
    teachers : int >= 1, optional
        Use so many teachers; by default every mistake is a teacher of its own if the class is
        finite, and otherwise as many as the draws need.

    Returns
    -------
    OnlinePlan

    Raises
    ------
    ParameterError, UnsupportedError

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> plan = plan_online(Thresholds(1, 2**32), epsilon=1, delta=1e-6, horizon=10**5)
    >>> plan.batches, plan.draws, plan.n_teachers is None
    (40, 5, True)
    """
    owner = "OnlineLearner"
    check_class(owner, concept_class)
    exact = check_fraction(owner, "epsilon", epsilon)
    leak = exact_value(delta)
    if leak is None or not 0 <= leak < 1:
        raise parameter_error(owner, "delta", "a float in [0, 1)", delta)
    horizon = check_integer(owner, "horizon", horizon, low=1)
    goal = Goal(exact, leak, horizon, check_probability(owner, "beta", beta))
    if parameters not in ("practical", "theory"):
        raise parameter_error(owner, "parameters", '"practical" or "theory"', parameters)
    if teachers is not None:
        check_integer(owner, "teachers", teachers, low=1)
    if teachers is None and concept_class.size < math.inf:
        ballot = theory_ballot if parameters == "theory" else practical_ballot
        return ballot(goal, math.log(concept_class.size))
    if not leak:
        raise parameter_error(
            owner, "delta", "positive for teachers", delta,
            "Drawing among infinitely many concepts is impossible with delta = 0.",
        )  # fmt: skip
    if parameters == "theory" and teachers is None:
        return theory_teachers(concept_class, goal)
    return practical_teachers(concept_class, goal, teachers)
