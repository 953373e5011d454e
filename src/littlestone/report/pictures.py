"""`plot`: the picture of an object, and hypotheses as pictures: on a line, as rules, as paths.

Packages above register how their objects are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from typing import Any, TypeVar

from littlestone.classes import (
    AlwaysZero,
    ConjunctionHypothesis,
    HashHypothesis,
    IntervalHypothesis,
    PatchedHypothesis,
    PointHypothesis,
    RuleHypothesis,
    SetHypothesis,
    TableHypothesis,
    ThresholdHypothesis,
    UnionHypothesis,
)
from littlestone.classes.prefixes import PrefixHypothesis
from littlestone.classes.tree_paths import PathHypothesis
from littlestone.data import IntegerDomain
from littlestone.data.cells import BINARY
from littlestone.errors import UnsupportedError
from littlestone.learners.release import Release
from littlestone.privacy.guarantee import NOT_PRIVATE
from littlestone.report.html import integer
from littlestone.svg import Element, Picture, clip, picture, text_width, wrap
from littlestone.types import Hypothesis

#: Pictures are this many units wide, with text of 14 units: readable when it is a phone's width.
WIDTH = 330.0

MARGIN = 12.0

_INNER = WIDTH - 2 * MARGIN

_BAR = 34.0

_THIN = 4.0  # the least width of a run that can be seen

_CELLS = 20  # domains up to this size are drawn cell by cell


@dataclass(frozen=True)
class Run:
    """The integers from ``first`` to ``last``, all with one label."""

    first: int
    last: int
    label: int


def strip(runs: Sequence[Run], *, caption: str, title: str, desc: str, clipped: bool = True) -> str:
    """Draw a function on consecutive integers, of any size."""
    low, high = runs[0].first, runs[-1].last
    if high - low < _CELLS and clipped:
        labels = "".join(str(run.label) * (run.last - run.first + 1) for run in runs)
        return cells(labels, first=low, caption=caption, title=title, desc=desc)
    scale, name = _scale(low, high, [run.first for run in runs[1:]])
    body = Element("g")
    y = _heading(body, caption)
    edges = _edges([scale(run.first) for run in runs] + [1.0])
    for run, left, right in zip(runs, edges[:-1], edges[1:], strict=True):
        kind = "ls-one" if run.label else "ls-zero"
        body.add("rect", x=left, y=y, width=right - left, height=_BAR, class_=kind)
        if right - left >= 22:
            _label(body, (left + right) / 2, y, run.label)
    body.add("rect", x=MARGIN, y=y, width=_INNER, height=_BAR, class_="ls-axis")
    if not clipped:
        body.add("text", "…", x=0, y=y + 22, class_="ls-dim")
        body.add("text", "…", x=WIDTH, y=y + 22, text_anchor="end", class_="ls-dim")
    y = _ticks(body, y + _BAR, _marks(runs, edges))
    if clipped:
        y = _ends(body, y, integer(low), integer(high))
    if name:
        body.add("text", name, x=MARGIN, y=y + 16, class_="ls-dim ls-small")
        y += 20
    return picture(body, width=WIDTH, height=y + 8, title=title, desc=desc)


def cells(labels: str, *, caption: str, title: str, desc: str, first: int = 0) -> str:
    """Draw one cell for each point of a small domain; at most 256 are drawn, the rest counted."""
    body = Element("g")
    y = _heading(body, caption)
    across, shown = min(16, max(len(labels), 1)), labels[:256]
    if len(labels) <= _CELLS:
        across = max(1, -(-len(labels) // -(-len(labels) // 10)))  # one row of ten, or two
    side = min(_INNER / across, 34.0)
    for i, label in enumerate(shown):
        row, column = divmod(i, across)
        x, top = MARGIN + column * side, y + row * (side + 14)
        kind = "ls-zero" if label == "0" else "ls-one"
        body.add("rect", x=x + 1, y=top, width=side - 2, height=side - 2, rx=3, class_=kind)
        ink = "ls-dim" if label == "0" else "ls-on-one"
        body.add(
            "text", label, x=x + side / 2, y=top + side / 2 + 4, text_anchor="middle", class_=ink
        )
        name = integer(first + i)
        if column == 0 or (text_width(name, 10) < side - 2 and across <= 10):
            body.add(
                "text",
                name,
                x=x + (side / 2 if across <= 10 else 1),
                y=top + side + 9,
                text_anchor="middle" if across <= 10 else "start",
                class_="ls-dim",
                font_size=10,
            )
    y += -(-len(shown) // across) * (side + 14)
    rest = labels[256:]
    if rest:
        more = (
            f"and {integer(len(rest))} more points, {integer(rest.count('1'))} of them labelled 1"
        )
        for line in wrap(more, _INNER):
            body.add("text", line, x=MARGIN, y=y + 14, class_="ls-dim")
            y += 18
    return picture(body, width=WIDTH, height=y + 8, title=title, desc=desc)


def _heading(body: Element, caption: str) -> float:
    y = 8.0
    for line in wrap(caption, _INNER, 14 * 1.12)[:4]:  # it is bold
        y += 18
        body.add("text", line, x=MARGIN, y=y, class_="ls-strong")
    return y + 12


def _label(body: Element, x: float, y: float, label: int) -> None:
    ink = "ls-strong ls-on-one" if label else "ls-strong ls-dim"
    body.add("text", str(label), x=x, y=y + 22, text_anchor="middle", class_=ink)


def _marks(runs: Sequence[Run], edges: Sequence[float]) -> list[tuple[float, str]]:
    """Return where runs meet, named by the first or the last point that is labelled 1."""
    marks: list[tuple[float, str]] = []
    for i in range(1, len(runs)):
        named = integer(runs[i].first if runs[i].label else runs[i - 1].last)
        if marks and marks[-1][1] == named:  # a run of one point
            marks[-1] = ((edges[i - 1] + edges[i]) / 2, named)
        else:
            marks.append((edges[i], named))
    return marks


def _ticks(body: Element, y: float, marks: Sequence[tuple[float, str]]) -> float:
    """Draw the boundaries, each with its number, on as many lines as they need."""
    free = [-1e9]  # where each line of text is free again
    for x, name in marks:
        width = text_width(name)
        left = min(max(x - width / 2, 2), WIDTH - width - 2)
        line = next((i for i, end in enumerate(free) if left > end + 6), len(free))
        free += [-1e9] * (line + 1 - len(free))
        free[line] = left + width
        body.add("line", x1=x, y1=y, x2=x, y2=y + 5 + 17 * line, class_="ls-axis")
        body.add("text", name, x=left + width / 2, y=y + 18 + 17 * line, text_anchor="middle")
    return y + (17 * len(free) + 6 if marks else 2)


def _ends(body: Element, y: float, low: str, high: str) -> float:
    """Write the ends of the domain below the axis."""
    low, high = clip(low, _INNER), clip(high, _INNER)
    body.add("text", low, x=MARGIN, y=y + 14, class_="ls-dim")
    if text_width(low) + text_width(high) + 12 > _INNER:
        y += 17
    body.add("text", high, x=WIDTH - MARGIN, y=y + 14, text_anchor="end", class_="ls-dim")
    return y + 20


def _edges(positions: Sequence[float]) -> list[float]:
    """Return where runs begin and end on the paper, none thinner than can be seen."""
    edges = [MARGIN + _INNER * p for p in positions]
    for i in range(1, len(edges)):
        edges[i] = max(edges[i], edges[i - 1] + _THIN)
    edges[-1] = MARGIN + _INNER
    for i in range(len(edges) - 2, 0, -1):
        edges[i] = min(edges[i], edges[i + 1] - _THIN)
    return edges


def _scale(low: int, high: int, inner: Sequence[int]) -> tuple[Callable[[int], float], str]:
    """Return a map of the domain to [0, 1] on which the inner boundaries can be distinguished."""
    size = high - low + 1

    def linear(p: int) -> float:
        return (p - low) * 10**9 // size / 10**9

    near_low = any(linear(p) < 0.02 for p in inner)
    near_high = any(linear(p) > 0.98 for p in inner)
    if size <= 100 or near_low == near_high:
        return linear, ""
    if near_low:
        return lambda p: log2(p - low + 1) / log2(size + 1), "logarithmic scale"
    return (
        lambda p: 1 - log2(high + 1 - p + 1) / log2(size + 1),
        "logarithmic scale, from the upper end",
    )


_PAD = 10.0

_LINE = 19.0

_MOST_LINES = 6

_KINDS = {
    1: ("ls-one", "ls-on-one ls-strong"),
    0: ("ls-zero", "ls-strong"),
    None: ("ls-chip", ""),
}


@dataclass(frozen=True)
class Case:
    """When all conditions hold: the outcome. No condition at all means "otherwise" or "always"."""

    conditions: tuple[str, ...]
    outcome: str
    label: int | None
    joined: str = "AND"


def card(cases: Sequence[Case], *, title: str, desc: str) -> str:
    """Draw a list of cases, tried from the top.

    Examples
    --------
    >>> svg = card([Case(("age > 40",), "yes", 1), Case((), "no", 0)], title="Rule", desc="A rule")
    >>> "age &gt; 40" in svg and "Otherwise" in svg
    True
    """
    body = Element("g")
    y = 6.0
    for i, case in enumerate(cases):
        alone = "In words" if case.label is None else "Always"
        word = "Otherwise" if i else alone
        if case.conditions:
            word = "Otherwise, if" if i else "If"
        y += 18
        body.add("text", word, x=MARGIN, y=y, class_="ls-strong ls-dim")
        y += 8
        for j, condition in enumerate(case.conditions):
            if j:
                y += 14
                body.add("text", case.joined, x=MARGIN + 4, y=y, class_="ls-strong ls-dim ls-small")
                y += 7
            y = _chip(body, y, condition, "ls-chip", "")
        if case.conditions:
            y += 18
            body.add("text", "then", x=MARGIN, y=y, class_="ls-strong ls-dim")
            y += 8
        kind, ink = _KINDS[case.label]
        y = _chip(body, y, case.outcome, kind, ink) + 6
    return picture(body, width=WIDTH, height=y + 6, title=title, desc=desc)


def _chip(body: Element, y: float, text: str, kind: str, ink: str) -> float:
    """Draw one rounded box as wide as its text; return the y below it."""
    space = _INNER - 2 * _PAD
    bold = "ls-strong" in ink
    size = 14 * 1.12 if bold else 14.0
    lines = wrap(text, space, size) or ["(empty)"]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], clip(lines[_MOST_LINES - 1] + " …", space, size)]
    width = min(max(text_width(line, size) for line in lines), space) + 2 * _PAD
    height = _LINE * len(lines) + 11
    body.add("rect", x=MARGIN, y=y, width=width, height=height, rx=8, class_=kind)
    for i, line in enumerate(lines):
        style = {"class_": ink} if ink else {}
        body.add("text", line, x=MARGIN + _PAD, y=y + 19 + _LINE * i, **style)
    return y + height


@dataclass(frozen=True)
class Setting:
    """Public facts around an object that make its picture better: all of them may be missing."""

    domain: Any = None
    positive: str = "label 1"
    negative: str = "label 0"
    columns: tuple[str, ...] = ()


Drawer = Callable[[Any, Setting], str]

D = TypeVar("D", bound=Drawer)

_SHOWN = 8  # points of a listed set

_DRAWERS: dict[type, Drawer] = {}


def plotter(*types: type) -> Callable[[D], D]:
    """Register the decorated function as the way to plot objects of these types.

    The function gets the object and a `Setting`, and returns an SVG text.
    """

    def register(function: D) -> D:
        _DRAWERS.update(dict.fromkeys(types, function))
        return function

    return register


def _marked(svg: str, *, seeded: bool) -> Picture:
    """Return the picture of a release; of a seeded one it says so, above all."""
    if not seeded:
        return Picture(svg)
    head, rest = svg.split("</style>", 1)
    text = f'<text x="{MARGIN}" y="8" class="ls-dim" font-size="9">{NOT_PRIVATE}</text>'
    return Picture(f"{head}</style>{text}{rest}".replace("</desc>", f" {NOT_PRIVATE}</desc>", 1))


def plot(obj: Any, setting: Setting | None = None) -> Picture:
    """Return a picture as self-contained SVG, with alternative text, for light and dark.

    Parameters
    ----------
    obj : Release, fitted learner, or Hypothesis
        Or any object of a type that a package has registered with `plotter`. A release or a fitted
        learner knows its domain, so its picture shows more than that of a bare hypothesis.
    setting : Setting, optional
        Public facts around a bare hypothesis.

    Returns
    -------
    Picture
        A text, which notebooks show as a picture. It holds what the object says and nothing else,
        so the picture of a released object is as private as the object.

    Raises
    ------
    UnsupportedError
        If no package has said how to plot such an object.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.classes import ThresholdHypothesis
    >>> ls.plot(ThresholdHypothesis(17, 0, 120))[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """
    setting = setting or Setting()
    if isinstance(obj, Release):
        setting = Setting(obj.concept_class.domain, *outcomes(obj))
        return _marked(plot(obj.hypothesis, setting), seeded=obj.guarantee.seeded)
    elif hasattr(obj, "hypothesis_"):
        made = obj.to_learner() if hasattr(obj, "to_learner") else obj.algorithm()
        setting = Setting(made.concept_class.domain)
        return _marked(plot(obj.hypothesis_, setting), seeded=obj.guarantee_.seeded)
    for kind in type(obj).__mro__:
        if kind in _DRAWERS:
            return Picture(_DRAWERS[kind](obj, setting))
    if isinstance(obj, Hypothesis):
        return Picture(_words(obj, setting))
    known = ", ".join(sorted(kind.__name__ for kind in _DRAWERS))
    raise UnsupportedError(
        f"draw cannot plot an object of type {type(obj).__name__}. It draws releases, fitted "
        f"learners, hypotheses, and: {known}."
    )


def outcomes(release: Release) -> tuple[str, str]:
    """Return what labels 1 and 0 mean, in the public names of what was read."""
    columns = release.columns or {}
    name, positive = columns.get("y"), columns.get("positive")
    if not isinstance(name, str) or positive is None:
        return "label 1", "label 0"
    return f"{name} is {positive}", f"{name} is not {positive}"


def _words(hypothesis: Hypothesis, setting: Setting) -> str:
    words = hypothesis.describe()
    return card([Case((), words, None)], title="The hypothesis in words", desc=words)


@plotter(AlwaysZero)
def _never(hypothesis: AlwaysZero, setting: Setting) -> str:
    words = hypothesis.describe()
    if isinstance(setting.domain, IntegerDomain):
        runs = [Run(setting.domain.low, setting.domain.high, 0)]
        return strip(runs, caption="0 everywhere", title="The constant 0", desc=words)
    return card([Case((), setting.negative, 0)], title="The constant 0", desc=words)


@plotter(ThresholdHypothesis)
def _threshold(hypothesis: ThresholdHypothesis, setting: Setting) -> str:
    low, above, high = hypothesis.low, hypothesis.above, hypothesis.high
    runs = [Run(low, above, 0), Run(above + 1, high, 1)]
    if above < low:
        caption = "1 everywhere"
    elif above == high:
        caption = "0 everywhere"
    else:
        caption = f"1 from {integer(above + 1)} on, 0 below"
    return strip(
        [run for run in runs if run.first <= run.last],
        caption=caption,
        title="A threshold on its domain",
        desc=hypothesis.describe(),
    )


@plotter(IntervalHypothesis)
def _interval(hypothesis: IntervalHypothesis, setting: Setting) -> str:
    first, last = hypothesis.first, hypothesis.last
    inside = integer(first) if first == last else f"{integer(first)} to {integer(last)}"
    return _ones(hypothesis, [(first, last)], inside, "An interval on its domain", setting)


@plotter(UnionHypothesis)
def _union(hypothesis: UnionHypothesis, setting: Setting) -> str:
    inside = f"{len(hypothesis.runs)} intervals"
    return _ones(hypothesis, hypothesis.runs, inside, "A union of intervals", setting)


def _ones(
    hypothesis: Hypothesis,
    ones: Sequence[tuple[int, int]],
    inside: str,
    title: str,
    setting: Setting,
) -> str:
    """Draw runs of ones on the domain, or with as much around them as they are wide."""
    known = isinstance(setting.domain, IntegerDomain)
    around = ones[-1][1] - ones[0][0] + 1
    low = setting.domain.low if known else ones[0][0] - around
    high = setting.domain.high if known else ones[-1][1] + around
    runs: list[Run] = []
    for first, last in ones:
        runs += [Run(low, first - 1, 0), Run(first, last, 1)]
        low = last + 1
    runs.append(Run(low, high, 0))
    return strip(
        [run for run in runs if run.first <= run.last],
        caption=f"1 on {inside}, 0 elsewhere",
        title=title,
        desc=hypothesis.describe(),
        clipped=known,
    )


@plotter(PointHypothesis)
def _point(hypothesis: PointHypothesis, setting: Setting) -> str:
    cases = [_listed([hypothesis.point], setting.positive, 1), Case((), setting.negative, 0)]
    return card(cases, title="A single point", desc=hypothesis.describe())


@plotter(SetHypothesis)
def _set(hypothesis: SetHypothesis, setting: Setting) -> str:
    cases = [_listed(hypothesis.points, setting.positive, 1), Case((), setting.negative, 0)]
    return card(cases, title="A few points", desc=hypothesis.describe())


@plotter(PatchedHypothesis)
def _patched(hypothesis: PatchedHypothesis, setting: Setting) -> str:
    names, base = (setting.negative, setting.positive), hypothesis.base
    cases = []
    for label in (1, 0):
        points = [point for point, y in hypothesis.flipped if y == label]
        cases += [_listed(points, names[label], label)] if points else []
    rest = (
        Case((), names[0], 0) if isinstance(base, AlwaysZero) else Case((), base.describe(), None)
    )
    return card([*cases, rest], title="A hypothesis, corrected", desc=hypothesis.describe())


def _listed(points: Sequence[Any], outcome: str, label: int) -> Case:
    """Return the case that x is one of a few points: a condition for each, as far as is shown."""
    shown = points if len(points) <= _SHOWN else points[: _SHOWN - 1]
    tests = [f"x = {integer(point) if isinstance(point, int) else point}" for point in shown]
    if len(points) > len(shown):
        tests.append(f"x is one of {integer(len(points) - len(shown))} more points")
    return Case(tuple(tests), outcome, label, "OR")


@plotter(ConjunctionHypothesis)
def _conjunction(hypothesis: ConjunctionHypothesis, setting: Setting) -> str:
    asked = [(hypothesis.ones, 1), (hypothesis.zeros, 0)]
    tests = tuple(
        f"x{i + 1} = {bit}" for i in range(hypothesis.n) for bits, bit in asked if bits >> i & 1
    )
    cases = [Case(tests, setting.positive, 1)]
    cases += [Case((), setting.negative, 0)] if tests else []
    return card(cases, title="A conjunction", desc=hypothesis.describe())


@plotter(TableHypothesis)
def _table(hypothesis: TableHypothesis, setting: Setting) -> str:
    labels = hypothesis.labels
    if hypothesis.label_names != BINARY:
        codes = ", ".join(
            f"{code} means {name}" for code, name in enumerate(hypothesis.label_names)
        )
        return cells(labels, caption=codes, title="A table of labels", desc=hypothesis.describe())
    caption = f"{integer(labels.count('1'))} of {integer(len(labels))} points are labelled 1"
    return cells(labels, caption=caption, title="A table of labels", desc=hypothesis.describe())


@plotter(RuleHypothesis)
def _rule(hypothesis: RuleHypothesis, setting: Setting) -> str:
    cases = [Case(tuple(lit.text for lit in hypothesis.literals), setting.positive, 1)]
    if hypothesis.literals:
        cases.append(Case((), setting.negative, 0))
    return card(cases, title="A rule", desc=hypothesis.describe())


@plotter(HashHypothesis)
def _hash(hypothesis: HashHypothesis, setting: Setting) -> str:
    buckets = hypothesis.function.buckets
    test = f"public hash of x = {integer(hypothesis.bucket)} (of {integer(buckets)} buckets)"
    conditions = [test]
    if hypothesis.bounds is not None:
        low, high = hypothesis.bounds
        conditions.append(f"{integer(low)} ≤ x ≤ {integer(high)}")
    cases = [Case(tuple(conditions), setting.positive, 1), Case((), setting.negative, 0)]
    return card(cases, title="A bucket of a public hash", desc=hypothesis.describe())


_SHOWN_NODES = 6  # nodes of a long path: the first three and the last three

_INDENT = 16.0

_TAG = 20.0  # the label, before each node

_PATH_PAD = 8.0

_PATH_LINE = 18.0

_GAP = 8.0

_PATH_LINES = 3


@plotter(PathHypothesis)
def _path(hypothesis: PathHypothesis, setting: Setting) -> str:
    return path_picture(hypothesis.path, setting, hypothesis.describe())


@plotter(PrefixHypothesis)
def _prefix(hypothesis: PrefixHypothesis, setting: Setting) -> str:
    write, bits = hypothesis.notation.write, hypothesis.notation.bits
    digits = (hypothesis.prefix.bit_length() - 1) // bits
    names = [write(hypothesis.prefix >> bits * k) or "(empty)" for k in range(digits, -1, -1)]
    return path_picture(names, setting, hypothesis.describe())


def path_picture(names: Sequence[str], setting: Setting, words: str) -> str:
    """Draw a path of a tree, each node below the one above it; last what has label 0.

    Examples
    --------
    >>> svg = path_picture(["animal", "dog"], Setting(), "1 on dog and animal")
    >>> "animal" in svg, svg.count("everything else")
    (True, 1)
    """
    rows = list(names)
    if len(rows) > _SHOWN_NODES + 1:
        half = _SHOWN_NODES // 2
        rows = [*rows[:half], f"… {integer(len(rows) - _SHOWN_NODES)} more", *rows[-half:]]
    lines, chips = Element("g"), Element("g")
    y, stem = 8.0, 0.0  # where the next row begins, and where the line to it does
    for depth, name in enumerate(rows):
        x = MARGIN + _INDENT * depth
        bottom, middle = _row(chips, (x, y), name, 1)
        if depth:
            lines.add("path", d=f"M{x - _INDENT / 2:g} {stem:g}V{middle:g}H{x:g}", class_="ls-axis")
        y, stem = bottom + _GAP, bottom
    y, _ = _row(chips, (MARGIN, y + 6), "everything else, and everything below", 0)
    for line in wrap(f"1: {setting.positive}; 0: {setting.negative}", WIDTH - 2 * MARGIN, 12):
        y += 18
        chips.add("text", line, x=MARGIN, y=y, class_="ls-dim ls-small")
    body = Element("g", lines, chips)
    return picture(body, width=WIDTH, height=y + 10, title="A path of a tree", desc=words)


def _row(body: Element, corner: tuple[float, float], text: str, label: int) -> tuple[float, float]:
    """Draw a label and a node's name; return the y below them, and that of the first line."""
    x, y = corner
    left = x + _TAG + 2
    space = WIDTH - MARGIN - left - 2 * _PATH_PAD
    found = wrap(text, space, 13) or ["(empty)"]
    if len(found) > _PATH_LINES:
        found = [*found[: _PATH_LINES - 1], clip(found[_PATH_LINES - 1] + " …", space, 13)]
    height = _PATH_LINE * len(found) + 8
    kind, ink = ("ls-one", "ls-on-one ls-strong") if label else ("ls-zero", "ls-strong")
    body.add("rect", x=x, y=y, width=_TAG, height=height, rx=4, class_=kind)
    body.add("text", str(label), x=x + _TAG / 2, y=y + 18, text_anchor="middle", class_=ink)
    width = min(max(text_width(line, 13) for line in found), space) + 2 * _PATH_PAD
    frame = "ls-chip" if label else "ls-zero"
    body.add("rect", x=left, y=y, width=width, height=height, rx=6, class_=frame)
    for i, line in enumerate(found):
        body.add("text", line, x=left + _PATH_PAD, y=y + 18 + _PATH_LINE * i, font_size=13)
    return y + height, y + 13
