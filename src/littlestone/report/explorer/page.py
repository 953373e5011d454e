"""`explorer_page`: classes in, one interactive page out. Reads no data, loads nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from littlestone.classes import parse_class
from littlestone.errors import UnsupportedError
from littlestone.learners.plan import Goal
from littlestone.learners.select import check_planned
from littlestone.report.explorer.series import Axes, Curve, Source, compute, needs, sources
from littlestone.report.html import json_in_html, render, step_words, template_text
from littlestone.report.words import integer

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.types import Json


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
