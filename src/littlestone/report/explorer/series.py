"""One curve of the explorer: the certificate's own formulas where they do, else a grid of plans.

Whether a certificate is a formula is not declared by anybody, but found out: it is one if over the
whole grid its steps are the same texts in the same inputs, but for the numbers that the reader
moves. So later learners plug in without a change here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone import bounds
from littlestone.bounds import Certificate, Reference
from littlestone.errors import LittlestoneError
from littlestone.learners import registry
from littlestone.learners.goal import Goal
from littlestone.learners.select import Candidate, compare, replan
from littlestone.report.explorer.javascript import UntranslatableError, literal, translate

if TYPE_CHECKING:
    from littlestone.bounds import Step
    from littlestone.classes import ConceptClass
    from littlestone.report.explorer.axes import Axes


#: Inputs of formulas by these names are what the reader moves (if they have the budget's value).
_MOVED = {
    "epsilon": "epsilon",
    "delta": "delta",
    "alpha": "alpha",
    "beta": "beta",
    "samples_per_user": "m",
}


@dataclass(frozen=True)
class Curve:
    """What one learner needs, as a function of the public numbers."""

    name: str  # as ``fit --learner`` takes it; or what it is compared with
    kind: str  # ``"learner"``, or ``"free"``: what is enough without privacy
    unit: str
    setting: str  # ``"realizable"`` or ``"agnostic"``
    axes: tuple[str, ...]  # what it depends on
    steps: tuple[Step, ...] = ()  # the formulas; empty for a grid
    javascript: str = ""  # ``(p, n) => holds``; empty for a grid
    #: Least n at every point of the grid, the last axis fastest; empty for a formula.
    grid: tuple[int | None, ...] = ()


@dataclass(frozen=True)
class Source:
    """Where a curve comes from: a learner of the registry, or a bound without privacy."""

    curve: Curve  # without formulas and numbers
    candidate: Candidate | None = None

    def certificate(self, concepts: ConceptClass, budget: Goal) -> Certificate | None:
        """Return the certificate at its least n; None where the learner refuses."""
        try:
            if self.candidate is None:
                return _free(concepts, self.curve.setting, budget)
            made = replan(self.candidate, concepts, budget)
            return None if made.n is None else made.certificate
        except LittlestoneError:
            return None


def sources(concepts: ConceptClass, start: Goal) -> list[Source]:
    """Return all curves for a class: learners that can learn it at the starting point.

    Agnostic forms that `compare` does not plan there (they need several times more) are left out.
    """
    found: list[Source] = []
    for m in (None, start.samples_per_user or 1):
        for candidate in compare(concepts, replace(start, samples_per_user=m), adapt=False):
            entry = registry.LEARNERS[candidate.learner]
            if candidate.n is None or (entry.unit == "users") != (m is not None):
                continue
            name = candidate.learner + (" --proper" if candidate.options.get("proper") else "")
            setting = "agnostic" if candidate.agnostic else "realizable"
            axes = ["epsilon", "alpha", "beta"]
            axes += ["delta"] * (not entry.pure) + ["m"] * (m is not None)
            curve = Curve(name, "learner", candidate.unit, setting, tuple(axes))
            found.append(Source(curve, replace(candidate, algorithm=None)))
    if isinstance(concepts.size, int):
        for setting in ("realizable", "agnostic"):
            found.append(Source(Curve("no privacy", "free", "records", setting, ("alpha", "beta"))))
    return found


def compute(concepts: ConceptClass, source: Source, axes: Axes) -> Curve:
    """Plan over the whole grid; keep the formulas if they are the same everywhere."""
    budgets = list(axes.budgets(source.curve.axes))
    certificates = [(source.certificate(concepts, budget), budget) for budget in budgets]
    formula = _formula(certificates)
    if formula is not None:
        steps, javascript = formula
        return replace(source.curve, steps=steps, javascript=javascript)
    grid = tuple(None if c is None else c.n for c, _ in certificates)
    return replace(source.curve, grid=grid)


def needs(concepts: ConceptClass, source: Source, budget: Goal) -> int | None:
    """Return the least n at one setting, by Python: what the page must show there."""
    certificate = source.certificate(concepts, _own(budget, source.curve.axes))
    return None if certificate is None else certificate.n


def _own(budget: Goal, axes: tuple[str, ...]) -> Goal:
    """Leave out what a learner does not take."""
    return Goal(
        budget.epsilon,
        budget.delta if "delta" in axes else Fraction(0),
        budget.alpha,
        budget.beta,
        samples_per_user=budget.samples_per_user if "m" in axes else None,
    )


def _formula(
    certificates: Sequence[tuple[Certificate | None, Goal]],
) -> tuple[tuple[Step, ...], str] | None:
    """Return the common steps and their JavaScript, or None if the steps differ somewhere."""
    first: list[tuple[str, str, dict[str, str]]] | None = None
    for certificate, budget in certificates:
        if certificate is None:
            return None
        try:
            here = _shape(certificate, budget)
        except UntranslatableError:
            return None
        if first is not None and here != first:
            return None
        first = here
    if first is None or certificates[0][0] is None:
        return None
    try:
        lines = [translate(formula, names) for _, formula, names in first]
    except UntranslatableError:
        return None
    steps = certificates[0][0].steps
    truths = [f"s[{i}]" for i, step in enumerate(steps) if isinstance(step.value, bool)]
    body = "".join(f" s[{i}] = {line};" for i, line in enumerate(lines))
    return steps, f"(p, n) => {{ const s = [];{body} return {' && '.join(truths)}; }}"


def _shape(certificate: Certificate, budget: Goal) -> list[tuple[str, str, dict[str, str]]]:
    """Return each step's name, formula and inputs, as JavaScript; moved numbers by their names."""
    place = {step.name: i for i, step in enumerate(certificate.steps)}
    moved = {name: getattr(budget, name) for name in _MOVED}
    moved["m"] = moved["samples_per_user"]

    def meaning(name: str, x: Fraction | Reference) -> str:
        if isinstance(x, Reference):
            return f"s[{place[x.step]}]"
        if name == "n" and x == certificate.n:
            return "n"
        if name in moved and moved[name] == x:
            return f"p.{_MOVED.get(name, name)}"
        return literal(x)

    return [
        (step.name, step.formula, {name: meaning(name, x) for name, x in step.inputs.items()})
        for step in certificate.steps
    ]


def _free(concepts: ConceptClass, setting: str, budget: Goal) -> Certificate:
    """Return what is enough without privacy, by a union bound over the concepts."""
    size: Any = concepts.size
    bound = bounds.consistent if setting == "realizable" else bounds.erm
    return bound(size, alpha=budget.alpha, beta=budget.beta)
