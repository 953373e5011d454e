"""One curve of the explorer: the certificate's own formulas where they do, else a grid of plans.

Whether a certificate is a formula is not declared by anybody, but found out: it is one if over the
whole grid its steps are the same texts in the same inputs, but for the numbers that the reader
moves. So later learners plug in without a change here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from flint import arb

from littlestone import bounds
from littlestone.bounds import Certificate, Reference
from littlestone.errors import LittlestoneError, parameter_error
from littlestone.learners import registry
from littlestone.learners.plan import Goal
from littlestone.learners.select import Candidate, compare, replan

if TYPE_CHECKING:
    from littlestone.bounds import Step
    from littlestone.classes import ConceptClass

_MANTISSAS = ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")


@dataclass(frozen=True)
class Axes:
    """The grid, as decimals: curves without a formula are planned at these points only.

    Examples
    --------
    >>> axes = Axes(epsilon=("1", "4"), m=("1", "8"))
    >>> axes.stops("epsilon"), axes.stops("m")
    (['1', '1.2', '1.5', '2', '2.5', '3', '4'], ['1', '2', '4', '8'])
    """

    #: Increasing; two points or more make an axis that can be interpolated. m counts the records
    #: of each user.
    epsilon: tuple[str, ...] = ("0.1", "0.3", "1", "3", "10")
    delta: tuple[str, ...] = ("1e-9", "1e-4")
    alpha: tuple[str, ...] = ("0.02", "0.05", "0.1", "0.3")
    beta: tuple[str, ...] = ("0.01", "0.1")
    m: tuple[str, ...] = ("1", "4", "16", "64")

    def __post_init__(self) -> None:
        for name, points in vars(self).items():
            values = [Fraction(point) for point in points]
            if not values or values != sorted(set(values)) or values[0] <= 0:
                raise parameter_error("Axes", name, "increasing positive decimals", points)

    def stops(self, name: str) -> list[str]:
        """Return positions of the slider of an axis: round decimals, the grid among them."""
        points: tuple[str, ...] = getattr(self, name)
        low, high = Fraction(points[0]), Fraction(points[-1])
        found = {Fraction(point): point for point in points}
        for power in range(-12, 7):
            for mantissa in _MANTISSAS if name != "delta" else ("1",):
                value = Fraction(mantissa) * Fraction(10) ** power
                if name == "m":
                    value = Fraction(2) ** power
                if low <= value <= high and (name != "m" or value.denominator == 1):
                    found.setdefault(value, _decimal(value))
        return [found[value] for value in sorted(found)]

    def budgets(self, names: tuple[str, ...]) -> Iterator[Goal]:
        """Yield the grid over some axes, the last one fastest; the others at their first point."""
        fixed = {name: (points[0],) for name, points in vars(self).items()}
        chosen = {**fixed, **{name: getattr(self, name) for name in names}}
        for values in product(*(chosen[name] for name in names)):
            at = {name: Fraction(points[0]) for name, points in fixed.items()}
            at |= {name: Fraction(value) for name, value in zip(names, values, strict=True)}
            yield Goal(
                at["epsilon"],
                at["delta"] if "delta" in names else Fraction(0),
                at["alpha"],
                at["beta"],
                samples_per_user=int(at["m"]) if "m" in names else None,
            )


def _decimal(value: Fraction) -> str:
    """Write a decimal as a reader would type it."""
    return f"{float(value):.12g}".replace("e-0", "e-")


#: Functions of the language that explorer.js has, by the same names. What sums over binomials is
#: not among them: such certificates become grids.
_FUNCTIONS = {
    "log", "exp", "sqrt", "cosh", "sinh", "tanh", "atanh", "min", "max", "ceil", "floor"
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
}
_COMPARISONS: dict[type[ast.cmpop], str] = {ast.GtE: "ge", ast.LtE: "le"}
_LARGEST = Fraction(10) ** 300  # beyond it a number is kept as its logarithm
_EXACT = 2**53


class UntranslatableError(LittlestoneError, ValueError):
    """A formula uses what the page cannot compute in doubles."""


def translate(formula: str, names: Mapping[str, str]) -> str:
    """Return a JavaScript expression for a formula of a certificate.

    ``formula``: in the language of `littlestone.bounds.formulas`; ``names``: the JavaScript that
    stands for each name.

    Examples
    --------
    >>> translate("ceil(log(max(size - 1, beta)/beta)/decay)",
    ...           {"size": "1024", "beta": "p.beta", "decay": "s[0]"})
    'ceil(div(log(div(max(sub(1024, 1), p.beta), p.beta)), s[0]))'
    >>> translate("n >= needed", {"n": "n", "needed": "s[2]"})
    'ge(n, s[2])'
    """
    return _visit(ast.parse(formula, mode="eval").body, names)


def literal(value: Fraction) -> str:
    """Return an exact number as JavaScript: a double, or its logarithm if it is beyond doubles.

    Examples
    --------
    >>> literal(Fraction(1, 20)), literal(Fraction(2**1024)), literal(Fraction(7))
    ('0.05', 'big(709.782712893384)', '7')
    """
    if value.denominator == 1 and abs(value) < _EXACT:
        return str(value.numerator)
    if value > _LARGEST:
        return f"big({float((arb(value.numerator) / value.denominator).log().mid())!r})"
    if value < -_LARGEST or 0 < abs(value) < 1 / _LARGEST:
        raise UntranslatableError("A constant of a formula is beyond doubles.")
    return repr(float(value))


def _visit(node: ast.expr, names: Mapping[str, str]) -> str:  # noqa: PLR0911 - one for each node
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return literal(Fraction(repr(value) if isinstance(value, float) else value))
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"sub(0, {_visit(operand, names)})"
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            parts = f"{_visit(left, names)}, {_visit(right, names)}"
            return f"{_OPERATORS[type(operator)]}({parts})"
        case ast.Call(
            func=ast.Name(id="log"),
            args=[ast.BinOp(left=ast.Constant(value=1), op=ast.Sub(), right=right)],
        ):
            return f"log1p(sub(0, {_visit(right, names)}))"  # exact where 1 - x is near 1
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in _FUNCTIONS:
            return f"{name}({', '.join(_visit(argument, names) for argument in arguments)})"
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if (
            type(operator) in _COMPARISONS
        ):
            parts = f"{_visit(left, names)}, {_visit(right, names)}"
            return f"{_COMPARISONS[type(operator)]}({parts})"
        case ast.BoolOp(op=ast.And(), values=values):
            return f"({' && '.join(_visit(value, names) for value in values)})"
        case _:
            raise UntranslatableError("A formula uses what a page cannot compute.")


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
