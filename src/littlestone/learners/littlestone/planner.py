"""Everything that public parameters decide: which lists teachers make, how many teachers, sizes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from littlestone.bounds import CertificateBuilder
from littlestone.classes import AffineSubspaces, ConceptClass, Points, Thresholds
from littlestone.classes.version_spaces.listed import check_listable
from littlestone.errors import LittlestoneError, UnsupportedError
from littlestone.learners.littlestone.claims import ALL
from littlestone.learners.littlestone.closures import MOST_CLOSED, closures
from littlestone.learners.littlestone.plan_all import AllPlan
from littlestone.learners.littlestone.plan_closed import ClosedPlan
from littlestone.learners.littlestone.plan_essential import EssentialPlan, Oracles, StagesPlan
from littlestone.learners.littlestone.proper import check_listed
from littlestone.learners.littlestone.teachers import (
    AllLists,
    ClosedLists,
    EssentialLists,
    Lists,
)

if TYPE_CHECKING:
    from littlestone.bounds import Certificate
    from littlestone.learners.goal import Goal

__all__ = ["METHODS", "Plan", "plan", "plan_methods", "teachers_lists"]

METHODS = ("all", "closures", "essential", "stages")
#: As many stages are planned; planning takes some seconds then.
MOST_STAGES = 500
#: Records of one teacher, and tolerances, that somebody asked for.
Own = tuple[int | None, tuple[int, ...] | None]
Settings = AllPlan | ClosedPlan | EssentialPlan | StagesPlan


@dataclass(frozen=True)
class Plan:
    """How a class is learned; n is the only thing that it does not know.

    Attributes
    ----------
    budget : Goal
    settings : AllPlan, ClosedPlan, EssentialPlan, StagesPlan or None
        None if there is one concept only, and nothing to choose.
    """

    budget: Goal
    settings: Settings | None

    @property
    def method(self) -> str:
        """Name of the method."""
        return self.settings.method if self.settings else "all"

    @property
    def chunk(self) -> int:
        """Records of one teacher."""
        return self.settings.chunk if self.settings else 1

    @property
    def required(self) -> int | None:
        """The least n from which on the certificate always holds; None if none does."""
        return self.settings.required if self.settings else 1

    def certificate(self, n: int) -> Certificate:
        """Return the certificate for n records."""
        if self.settings is not None:
            return self.settings.certificate(n)
        cert = CertificateBuilder()
        cert.step("one_concept", "n >= 1", ALL, n=n)
        return cert.certificate(alpha=self.budget.alpha, beta=self.budget.beta, n=n)


@lru_cache(maxsize=256)
def plan(
    concept_class: ConceptClass,
    budget: Goal,
    *,
    method: str = "auto",
    proper: bool = False,
    own: Own = (None, None),
) -> Plan:
    """Return the plan of a method; "auto" takes the one that needs the fewest records.

    Parameters
    ----------
    concept_class : ConceptClass
    budget : Goal
    method : {"auto", "all", "closures", "essential", "stages"}
    proper : bool
        Whether the hypothesis must be a concept of the class.
    own : (int or None, tuple of int or None)
        Records of one teacher, and tolerances, that somebody asked for.

    Raises
    ------
    UnsupportedError
        If the class lacks what the method needs.
    """
    if concept_class.size == 1:
        return Plan(budget, None)
    if method == "auto":
        method = _best(concept_class, budget, proper)
    return Plan(budget, _settings(concept_class, budget, method, proper, own))


def plan_methods(
    concept_class: ConceptClass, budget: Goal, *, proper: bool = False
) -> dict[str, int | None]:
    """Return how many records each method needs; methods that the class lacks are left out."""
    found: dict[str, int | None] = {}
    for method in METHODS:
        try:
            found[method] = plan(concept_class, budget, method=method, proper=proper).required
        except LittlestoneError:
            continue
    return found


def _best(concept_class: ConceptClass, budget: Goal, proper: bool) -> str:
    needed: dict[str, float] = {}
    for method in ("all", "closures"):
        try:
            own = _settings(concept_class, budget, method, proper, (None, None))
        except UnsupportedError:
            continue
        needed[method] = own.required or math.inf
        if own.required is not None and own.chunk == 1:
            break  # one record for each teacher: no other list needs fewer
    # lists of essential hypotheses need many more records, and are only for what has nothing else
    return min(needed, key=lambda name: needed[name]) if needed else "essential"


@lru_cache(maxsize=256)
def _settings(
    concept_class: ConceptClass,
    budget: Goal,
    method: str,
    proper: bool,
    own: Own,
) -> Settings:
    if method == "all":
        if not isinstance(concept_class, Thresholds):  # their lists are runs
            check_listable(concept_class)
        return AllPlan.of(budget, int(concept_class.size), *own)
    if method == "closures":
        system = closures(concept_class)
        if system.closed > MOST_CLOSED:
            raise UnsupportedError(
                f"A concept of {concept_class.spec} may hold more than 2**14 closed sets, too many "
                "to be listed by each teacher. Use a smaller class, or the 'generic' learner."
            )
        spread = Fraction(0)
        if proper and isinstance(concept_class, AffineSubspaces):
            spread = Fraction(1, concept_class.q**concept_class.n)
        return ClosedPlan.of(budget, system, *own, spread=spread)
    kind, known = (
        EssentialPlan if method == "essential" else StagesPlan,
        oracles(concept_class, proper),
    )
    if known.d > MOST_STAGES and own == (None, None):
        raise UnsupportedError(
            f"The class {concept_class.spec} has Littlestone dimension {known.d}, and the method "
            f"{method!r} needs a stage for each unit of it; at most {MOST_STAGES} are planned. Try "
            "method='auto', or your own chunk and tolerances (without a certificate)."
        )
    return kind.of(budget, known, *own)


@lru_cache(maxsize=64)
def oracles(concept_class: ConceptClass, proper: bool) -> Oracles:
    """Return what plans for essential hypotheses need to know of a class.

    Raises
    ------
    UnsupportedError
        If the class has no version spaces, or proper output cannot be computed.
    """
    d = concept_class.version_space().littlestone_dim()
    wanted = 1
    if proper and not isinstance(concept_class, Points | Thresholds):
        wanted = check_listed(concept_class)
    return Oracles(d, concept_class.vc_dim, concept_class.size, wanted)


def teachers_lists(concept_class: ConceptClass, found: Plan, max_nodes: int) -> Lists:
    """Return how teachers make their lists."""
    settings: Any = found.settings
    if isinstance(settings, AllPlan):
        return AllLists(concept_class, settings.tolerances[0])
    if isinstance(settings, ClosedPlan):
        system = closures(concept_class)
        return ClosedLists(system, settings.tolerances[0], settings.cap, max_nodes)
    stages = range(1, len(settings.tolerances) + 1)
    return EssentialLists(
        concept_class.version_space(max_nodes),
        settings.oracles.d,
        settings.tolerances,
        tuple(settings.p(j) for j in stages),
        tuple(settings.longest(j) for j in stages),
    )
