"""The explorer: one interactive page about what every learner needs, made from the certificates.

=============  ==================================================================
`series`       one curve: a formula, translated from certificates, or a grid of plans
`page`         all of it in one file
=============  ==================================================================
"""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from flint import arb
from markupsafe import Markup

from littlestone import bounds
from littlestone.bounds import Certificate, Reference
from littlestone.classes import parse_class
from littlestone.errors import LittlestoneError, UnsupportedError, parameter_error
from littlestone.learners import registry
from littlestone.learners.base import Goal
from littlestone.learners.select import Candidate, check_planned, compare, replan
from littlestone.report.html import integer, json_in_html, render, step_words, template_text

if TYPE_CHECKING:
    from littlestone.bounds import Step
    from littlestone.classes import ConceptClass
    from littlestone.types import Json

__all__ = ["CATALOGUE", "START", "Axes", "explorer_page"]


# -- One curve of the explorer: the certificate's own formulas where they do, else a grid of
# plans.
#
# Whether a certificate is a formula is not declared by anybody, but found out: it is one if over
# the whole grid its steps are the same texts in the same inputs, but for the numbers that the
# reader moves. So later learners plug in without a change here.


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


# -- `explorer_page`: classes in, one interactive page out. Reads no data, loads nothing.


#: What `littlestone plan --explore` shows without --class.
CATALOGUE = ("thresholds(1, 100)", "thresholds(1, 2**64)", "intervals(1, 1000)", "points(1, 10**6)")
#: Where the sliders are at first.
START = Goal(Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20))
_NAMES = {
    "epsilon": "privacy loss ε",
    "alpha": "error α",
    "beta": "may fail with probability β",
    "delta": "privacy slack δ",
    "m": "records of each user m",
}
_COLOURS = 8


def explorer_page(
    classes: Sequence[ConceptClass] | None = None,
    *,
    start: Goal = START,
    axes: Axes | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> str:
    """Return an interactive page: what each learner needs, for all public numbers at once.

    ``classes``: by default a small catalogue; ``start``: the first positions of the sliders: at the
    stops next to these numbers; ``axes``: the ranges, and the grid of the curves that have no
    formula; ``workers``: processes that plan curves at the same time; 1 stays in this one;
    ``progress``: counts points of the grid.

    Notes
    -----
    *Cost.* Formulas are quick. A grid takes one plan for each of its points: up to twenty seconds
    of processor time for a class with learners that search their parameters.

    Examples
    --------
    >>> from littlestone.classes import FiniteClass
    >>> one = Axes(epsilon=("1",), delta=("1e-6",), alpha=("0.1",), beta=("0.05",), m=("1",))
    >>> html = explorer_page([FiniteClass([[0, 1], [1, 1]])], axes=one)
    >>> "ceil(div(log(" in html
    True
    """
    axes = Axes() if axes is None else axes
    chosen = [parse_class(spec) for spec in CATALOGUE] if classes is None else list(classes)
    found = [_sources(concepts, start) for concepts in chosen]
    ready = _curves(chosen, found, axes, workers, progress)
    place = _places(start, axes)
    first = _at(place, axes)
    script = _script(chosen, ready, axes)
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return render(
        "explorer",
        title="littlestone: how many people does each learner need?",
        style="explorer.css",
        script=script,
        script_hash=f"sha256-{digest}",
        users=start.samples_per_user is not None,
        setting=_setting(chosen[0], axes, place, users=start.samples_per_user is not None),
        axes=[
            {"name": name, "label": label, "stops": axes.stops(name), "at": place[name]}
            for name, label in _NAMES.items()
        ],
        classes=[
            {"spec": concepts.spec, "formulas": [_shown(c) for c in mine if c.steps]}
            for concepts, mine in zip(chosen, ready, strict=True)
        ],
        rows=_rows(chosen[0], found[0], ready[0], first, users=start.samples_per_user is not None),
    )


def _curves(
    chosen: Sequence[ConceptClass],
    found: Sequence[list[Source]],
    axes: Axes,
    workers: int,
    progress: Callable[[int, int], None],
) -> list[list[Curve]]:
    """Compute all curves, the ones with most points first, and count points on the way."""
    points = {
        (i, k): sum(1 for _ in axes.budgets(source.curve.axes))
        for i, mine in enumerate(found)
        for k, source in enumerate(mine)
    }
    order = sorted(points, key=lambda place: -points[place])
    tasks = [(chosen[i], found[i][k], axes) for i, k in order]
    made: dict[tuple[int, int], Curve] = {}

    def keep(place: tuple[int, int], curve: Curve) -> None:
        made[place] = curve
        progress(sum(points[known] for known in made), sum(points.values()))

    progress(0, sum(points.values()))
    if workers <= 1:
        for place, task in zip(order, tasks, strict=True):
            keep(place, compute(*task))
    else:
        # "spawn": a forked child would share threads and locks of ours
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            waiting = {
                pool.submit(compute, *task): place for place, task in zip(order, tasks, strict=True)
            }
            for done in as_completed(waiting):
                keep(waiting[done], done.result())
    return [[made[i, k] for k in range(len(mine))] for i, mine in enumerate(found)]


def _sources(concepts: ConceptClass, start: Goal) -> list[Source]:
    check_planned(concepts)
    found = sources(concepts, start)
    if not any(source.curve.kind == "learner" for source in found):
        raise UnsupportedError(f"No learner can promise this for {concepts.spec}.")
    return found


def _script(chosen: Sequence[ConceptClass], ready: Sequence[list[Curve]], axes: Axes) -> Markup:
    """Return the generated data and formulas, then the fixed script."""
    stops = {name: axes.stops(name) for name in _NAMES}
    grid = {name: [float(x) for x in getattr(axes, name)] for name in _NAMES}
    lines = [f"const STOPS = {_json(stops)};", f"const GRID = {_json(grid)};"]
    lines += [f"const NAMES = {_json(_NAMES)};", "const CLASSES = ["]
    for concepts, mine in zip(chosen, ready, strict=True):
        lines.append(f" {{ spec: {_json(concepts.spec)}, curves: [")
        for k, curve in enumerate(mine):
            facts = _json(_facts(curve, k))
            lines.append(f"  {{ ...{facts}, holds: {curve.javascript or 'null'} }},")
        lines.append(" ] },")
    lines.append("];")
    fixed = template_text("explorer.js")
    head, rest = fixed.split("\n", 1)  # "use strict" comes first
    return Markup("\n".join([head, *lines, rest]))  # noqa: S704 - JSON and numbers, escaped


def _facts(curve: Curve, k: int) -> Json:
    style = f"k{k % _COLOURS}" + (" grid" if curve.grid else "")
    if curve.kind == "free":
        style = f"free {curve.setting}"
    out: Json = {
        "id": f"{curve.name}/{curve.setting}",
        "name": curve.name,
        "kind": curve.kind,
        "unit": curve.unit,
        "setting": curve.setting,
        "axes": list(curve.axes),
        "style": style,
    }
    return out | ({"grid": list(curve.grid)} if curve.grid else {})


def _json(value: Any) -> Markup:
    return json_in_html(json.dumps(value, ensure_ascii=False))


def _shown(curve: Curve) -> Json:
    by_name = {step.name: step for step in curve.steps}
    steps = []
    for step in curve.steps:
        words = step_words(step, None)
        moved = ("alpha", "beta", "delta", "epsilon", "m", "n")
        fixed = {name: x for name, x in step.inputs.items() if name not in moved}
        plain = replace(step, inputs={n: x for n, x in fixed.items() if n not in by_name})
        words["inputs"] = step_words(plain, None)["inputs"]
        words["value"] = ""
        steps.append(words)
    return {"name": curve.name, "setting": curve.setting, "steps": steps}


def _setting(concepts: ConceptClass, axes: Axes, place: dict[str, int], *, users: bool) -> str:
    """Say the positions of the sliders: also what is printed says it."""
    symbols = {"epsilon": "ε", "alpha": "α", "beta": "β", "delta": "δ", "m": "m"}
    shown = [
        f"{symbol} = {axes.stops(name)[place[name]]}"
        for name, symbol in symbols.items()
        if users or name != "m"
    ]
    return f"{concepts.spec}: {', '.join(shown)}"


def _places(start: Goal, axes: Axes) -> dict[str, int]:
    """Return the stop next to each number of the start."""
    wanted = {**vars(start), "m": start.samples_per_user or 1}
    wanted["delta"] = wanted["delta"] or START.delta
    out = {}
    for name in _NAMES:
        stops = [Fraction(stop) for stop in axes.stops(name)]
        value = Fraction(wanted[name])
        out[name] = min(range(len(stops)), key=lambda i: abs(float(stops[i] / value) - 1))
    return out


def _at(place: dict[str, int], axes: Axes) -> Goal:
    at = {name: Fraction(axes.stops(name)[i]) for name, i in place.items()}
    numbers = (at[name] for name in ("epsilon", "delta", "alpha", "beta"))
    return Goal(*numbers, samples_per_user=int(at["m"]))


def _rows(
    concepts: ConceptClass,
    found: Sequence[Source],
    ready: Sequence[Curve],
    first: Goal,
    *,
    users: bool,
) -> list[Json]:
    """Return the table of the start, for browsers without JavaScript: by Python."""
    rows = []
    for source, curve in zip(found, ready, strict=True):
        if curve.unit == "users" and not users:
            continue
        n = needs(concepts, source, first)
        how = "formula" if curve.steps else "plan"
        shown = "–" if n is None else integer(n)
        rows.append({"name": curve.name, "n": shown, "setting": curve.setting, "how": how})
    return rows
