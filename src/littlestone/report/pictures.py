"""`draw`: the picture of an object. Rooms above register how their objects are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
)
from littlestone.data import IntegerDomain
from littlestone.errors import UnsupportedError
from littlestone.learners.release import Release
from littlestone.report.cards import Case, card
from littlestone.report.strips import Run, cells, strip
from littlestone.report.words import integer
from littlestone.types import Hypothesis

__all__ = ["Setting", "draw", "drawer"]


@dataclass(frozen=True)
class Setting:
    """Public facts around an object that make its picture better: all of them may be missing.

    Parameters
    ----------
    domain : Domain, optional
        The domain of the concept class.
    positive, negative : str
        What labels 1 and 0 are called.
    columns : tuple of str
        What the columns of a matrix stand for, in pictures of explicit classes.
    """

    domain: Any = None
    positive: str = "label 1"
    negative: str = "label 0"
    columns: tuple[str, ...] = ()


Drawer = Callable[[Any, Setting], str]
D = TypeVar("D", bound=Drawer)
_SHOWN = 8  # points of a listed set
_DRAWERS: dict[type, Drawer] = {}


def drawer(*types: type) -> Callable[[D], D]:
    """Register the decorated function as the way to draw objects of these types.

    The function gets the object and a `Setting`, and returns an SVG text.
    """

    def register(function: D) -> D:
        _DRAWERS.update(dict.fromkeys(types, function))
        return function

    return register


def draw(obj: Any, setting: Setting | None = None) -> str:
    """Return a picture as self-contained SVG, with alternative text, for light and dark.

    Parameters
    ----------
    obj : Release, fitted learner, or Hypothesis
        Or any object of a type that a room has registered with `drawer`. A release or a fitted
        learner knows its domain, so its picture shows more than that of a bare hypothesis.
    setting : Setting, optional
        Public facts around a bare hypothesis.

    Returns
    -------
    str
        It holds what the object says and nothing else, so the picture of a released object is
        as private as the object.

    Raises
    ------
    UnsupportedError
        If no room has said how to draw such an object.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.classes import ThresholdHypothesis
    >>> ls.draw(ThresholdHypothesis(17, 0, 120))[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """
    setting = setting or Setting()
    if isinstance(obj, Release):
        setting = Setting(obj.concept_class.domain, *outcomes(obj))
        obj = obj.hypothesis
    elif hasattr(obj, "hypothesis_"):
        made = obj.to_learner() if hasattr(obj, "to_learner") else obj.algorithm()
        setting = Setting(made.concept_class.domain)
        obj = obj.hypothesis_
    for kind in type(obj).__mro__:
        if kind in _DRAWERS:
            return _DRAWERS[kind](obj, setting)
    if isinstance(obj, Hypothesis):
        return _words(obj, setting)
    known = ", ".join(sorted(kind.__name__ for kind in _DRAWERS))
    raise UnsupportedError(
        f"draw cannot draw an object of type {type(obj).__name__}. It draws releases, fitted "
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


@drawer(AlwaysZero)
def _never(hypothesis: AlwaysZero, setting: Setting) -> str:
    words = hypothesis.describe()
    if isinstance(setting.domain, IntegerDomain):
        runs = [Run(setting.domain.low, setting.domain.high, 0)]
        return strip(runs, caption="0 everywhere", title="The constant 0", desc=words)
    return card([Case((), setting.negative, 0)], title="The constant 0", desc=words)


@drawer(ThresholdHypothesis)
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


@drawer(IntervalHypothesis)
def _interval(hypothesis: IntervalHypothesis, setting: Setting) -> str:
    first, last = hypothesis.first, hypothesis.last
    known = isinstance(setting.domain, IntegerDomain)
    around = last - first + 1
    low = setting.domain.low if known else first - around
    high = setting.domain.high if known else last + around
    runs = [Run(low, first - 1, 0), Run(first, last, 1), Run(last + 1, high, 0)]
    inside = integer(first) if first == last else f"{integer(first)} to {integer(last)}"
    return strip(
        [run for run in runs if run.first <= run.last],
        caption=f"1 on {inside}, 0 elsewhere",
        title="An interval on its domain",
        desc=hypothesis.describe(),
        clipped=known,
    )


@drawer(PointHypothesis)
def _point(hypothesis: PointHypothesis, setting: Setting) -> str:
    cases = [_listed([hypothesis.point], setting.positive, 1), Case((), setting.negative, 0)]
    return card(cases, title="A single point", desc=hypothesis.describe())


@drawer(SetHypothesis)
def _set(hypothesis: SetHypothesis, setting: Setting) -> str:
    cases = [_listed(hypothesis.points, setting.positive, 1), Case((), setting.negative, 0)]
    return card(cases, title="A few points", desc=hypothesis.describe())


@drawer(PatchedHypothesis)
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


@drawer(ConjunctionHypothesis)
def _conjunction(hypothesis: ConjunctionHypothesis, setting: Setting) -> str:
    asked = [(hypothesis.ones, 1), (hypothesis.zeros, 0)]
    tests = tuple(
        f"x{i + 1} = {bit}" for i in range(hypothesis.n) for bits, bit in asked if bits >> i & 1
    )
    cases = [Case(tests, setting.positive, 1)]
    cases += [Case((), setting.negative, 0)] if tests else []
    return card(cases, title="A conjunction", desc=hypothesis.describe())


@drawer(TableHypothesis)
def _table(hypothesis: TableHypothesis, setting: Setting) -> str:
    labels = hypothesis.labels
    caption = f"{integer(labels.count('1'))} of {integer(len(labels))} points are labelled 1"
    return cells(labels, caption=caption, title="A table of labels", desc=hypothesis.describe())


@drawer(RuleHypothesis)
def _rule(hypothesis: RuleHypothesis, setting: Setting) -> str:
    cases = [Case(tuple(lit.text for lit in hypothesis.literals), setting.positive, 1)]
    if hypothesis.literals:
        cases.append(Case((), setting.negative, 0))
    return card(cases, title="A rule", desc=hypothesis.describe())


@drawer(HashHypothesis)
def _hash(hypothesis: HashHypothesis, setting: Setting) -> str:
    buckets = hypothesis.function.buckets
    test = f"public hash of x = {integer(hypothesis.bucket)} (of {integer(buckets)} buckets)"
    conditions = [test]
    if hypothesis.bounds is not None:
        low, high = hypothesis.bounds
        conditions.append(f"{integer(low)} ≤ x ≤ {integer(high)}")
    cases = [Case(tuple(conditions), setting.positive, 1), Case((), setting.negative, 0)]
    return card(cases, title="A bucket of a public hash", desc=hypothesis.describe())
