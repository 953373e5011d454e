"""What every page has in common: the template engine, the style, data that stay data."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, singledispatch
from importlib.resources import files
from itertools import islice, pairwise
from math import inf, log2
from numbers import Rational
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from littlestone import __version__
from littlestone.bounds import Reference, claim
from littlestone.classes import (
    AlwaysZero,
    ConceptClass,
    ConjunctionHypothesis,
    HashSetHypothesis,
    IntervalHypothesis,
    PatchedHypothesis,
    PointHypothesis,
    Prefixes,
    RuleHypothesis,
    SetHypothesis,
    ShatteredTree,
    TableHypothesis,
    ThresholdHypothesis,
    TreeEnsemble,
)
from littlestone.classes.decision_trees import Node, Tree, TreeHypothesis
from littlestone.classes.prefixes import PrefixForest, PrefixHypothesis
from littlestone.classes.tree_paths import PathHypothesis
from littlestone.classes.trees import ROOT, PathsTree, VC1Tree
from littlestone.combinatorics import DecompositionTree, MistakeTree
from littlestone.data import Column, IntegerDomain
from littlestone.data.cells import BINARY, spelled
from littlestone.errors import ParameterError, UnsupportedError
from littlestone.learners.release import Release
from littlestone.privacy.guarantee import NOT_PRIVATE, short_text
from littlestone.types import Hypothesis, Json

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Step
    from littlestone.data import Schema
    from littlestone.privacy import Guarantee


# -- Numbers in words, for readers who do not write proofs.


_BEFORE = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))


def number_of(n: int, unit: str) -> str:
    """Return a number of any size, with its unit: ``1 record``, ``2**64 users``."""
    return f"{integer(n)} {unit.removesuffix('s') if n == 1 else unit}"


def integer(value: int) -> str:
    """Return an integer of any size in few characters.

    Examples
    --------
    >>> integer(30162), integer(2**64), integer(2**1024 - 1), integer(-(10**30))
    ('30,162', '2**64', '2**1024 - 1', '≈ -1.00e30')
    """
    if abs(value) < 10**12:
        return f"{value:,}"
    size = abs(value)
    for power in (size.bit_length() - 1, size.bit_length()):
        rest = value - (1 << power if value > 0 else -(1 << power))
        if abs(rest) < 1000:
            tail = f" {'+-'[rest < 0]} {abs(rest)}" if rest else ""
            return f"{'-' if value < 0 else ''}2**{power}{tail}"
    places = int(size.bit_length() * math.log10(2))  # digits - 1, or one more than that
    places -= 10**places > size
    lead = f"{size * 100 // 10**places / 100:.2f}"
    return f"≈ {'-' if value < 0 else ''}{lead}e{places}"


def amount(value: Any) -> str:
    """Return a public number, text or list for a table of a derivation.

    Examples
    --------
    >>> amount(0.1), amount(420), amount(13.862943611198906), amount([1, 2]), amount(True)
    ('0.1', '420', '13.8629', '1, 2', 'yes')
    """
    match value:
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(map(amount, value))
        case Fraction() if value.denominator != 1:
            return _decimal(float(value))
        case int() | Fraction():
            return integer(int(value))
        case float():
            return _decimal(value)
        case _:
            return str(value)


def _decimal(value: float) -> str:
    if value.is_integer() and abs(value) < 10**12:
        return integer(int(value))
    return f"{value:.6g}".replace("inf", "∞")


def at_least(value: float | Rational) -> str:
    """Return a share as a percentage, rounded down."""
    return percent(value, rounded=math.floor)


def percent(
    value: float | Rational, digits: int = 1, *, rounded: Callable[[float], int] = round,
    trim: bool = True,
) -> str:  # fmt: skip
    """Return a share as a percentage, never rounded to 0 or 100 unless it is exactly that.

    Examples
    --------
    >>> percent(0.05), percent(0.1234), percent(1e-9), percent(0.99999), percent(Fraction(1, 3))
    ('5%', '12.3%', 'less than 0.01%', 'more than 99.99%', '33.3%')
    >>> percent(0.1234, rounded=math.ceil), percent(0.16), percent(0.16, trim=False)
    ('12.4%', '16%', '16.0%')
    """
    share = float(value)
    if 0 < share < 0.0001:
        return "less than 0.01%"
    if 0.9999 < share < 1:
        return "more than 99.99%"
    if not (0.01 <= share <= 0.99 or share in (0, 1)):
        digits = max(digits, 2)
    shown = rounded(100 * share * 10**digits) / 10**digits
    if digits and trim:
        return f"{shown:.{digits}f}".rstrip("0").rstrip(".") + "%"
    return f"{shown:.{digits}f}%"


def odds_factor(epsilon: Fraction) -> str:
    """Return e**epsilon, rounded up: the most by which odds can grow.

    Examples
    --------
    >>> odds_factor(Fraction(1)), odds_factor(Fraction(1, 1000)), odds_factor(Fraction(30))
    ('2.72', '1.002', '1.1e13')
    """
    if epsilon > 10**6:
        return f"e**{short_text(epsilon)}"
    if epsilon > 9:
        power = epsilon / Fraction(math.log(10))
        whole = math.floor(power)
        lead = math.ceil(10 ** (float(power - whole) + 1)) / 10
        return f"{lead:.1f}e{whole}"
    factor = math.exp(epsilon)
    digits = 3 if factor < 1.1 else 2 if factor < 100 else 0
    return f"{math.ceil(factor * 10**digits) / 10**digits:.{digits}f}"


def beliefs(epsilon: Fraction) -> tuple[tuple[str, str, str], ...]:
    """Return how far a release can move a belief about one record: odds times e**(±epsilon).

    Of each belief before, the least and the most that it may be afterwards.

    Examples
    --------
    >>> beliefs(Fraction(1))[2]
    ('50%', '26.8%', '73.2%')
    """
    return tuple(
        (
            percent(before),
            percent(_posterior(before, -epsilon), rounded=math.floor),
            percent(_posterior(before, epsilon), rounded=math.ceil),
        )
        for before in _BEFORE
    )


def best_guess(epsilon: Fraction, delta: Fraction) -> str:
    """Return how often the best guess between two equally likely values is right, at most.

    (e**epsilon + delta) / (e**epsilon + 1), rounded up: the two error rates of a test satisfy
    1 - a <= e**epsilon b + delta and 1 - b <= e**epsilon a + delta.

    Examples
    --------
    >>> best_guess(Fraction(1), Fraction(0)), best_guess(Fraction(1), Fraction(1, 10))
    ('73.2%', '75.8%')
    """
    wrong = (1 - float(delta)) / (math.exp(min(epsilon, Fraction(700))) + 1)
    return percent(min(1 - wrong, math.nextafter(1, 0)), rounded=math.ceil)


def _posterior(before: Fraction, log_factor: Fraction) -> float:
    """Return the probability whose odds are those of ``before`` times e**log_factor."""
    log_odds = math.log(before / (1 - before)) + float(
        max(Fraction(-2000), min(log_factor, Fraction(2000)))
    )
    if log_odds > 0:
        return min(1 / (1 + math.exp(-min(log_odds, 700))), math.nextafter(1, 0))  # never certain
    grown = math.exp(max(log_odds, -700))
    return grown / (1 + grown)


def render(template: str, *, title: str, style: str = "", **values: Any) -> str:
    """Return a page from one of our templates; everything is escaped but `Markup`."""
    css = stylesheet() + (template_text(style) if style else "")
    html: str = (
        _environment()
        .get_template(f"{template}.html.jinja")
        .render(title=title, css=Markup(css), version=__version__, **values)  # noqa: S704 - our files
    )
    return html


def fragment(template: str, **values: Any) -> Markup:
    """Return a part of a page from one of our templates, escaped likewise."""
    html = _environment().get_template(f"{template}.html.jinja").render(**values)
    return Markup(html)  # noqa: S704 - the template has escaped its values


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("littlestone.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for function in (integer, number_of, percent, steps_of, step_words):
        environment.filters[function.__name__] = function
    return environment


@lru_cache(maxsize=8)
def template_text(name: str) -> str:
    """Return a file from the folder of templates."""
    return (files("littlestone.report") / "templates" / name).read_text(encoding="utf-8")


def stylesheet(*names: str) -> str:
    """Return these styles; by default those of every page."""
    return "".join(map(template_text, names or ("page.css", "figures.css")))


def steps_of(certificate: Certificate) -> list[Json]:
    """Return the derivation of a certificate, for readers."""
    return [step_words(step, certificate) for step in certificate.steps]


def step_words(step: Step, certificate: Certificate | None = None) -> Json:
    """Return one step, for readers; references are shown by their values."""
    inputs = ", ".join(
        f"{name} = {amount(_value(x, certificate))}"
        for name, x in sorted(step.inputs.items())  # as a JSON file has them
    )
    return {
        "name": step.name.replace("_", " "),
        "formula": step.formula,
        "inputs": inputs,
        "value": amount(step.value),
        "source": step.source,
    }


def _value(x: Any, certificate: Certificate | None) -> Any:
    if not isinstance(x, Reference):
        return x
    return x.step if certificate is None else certificate[x.step]


def claims(names: Iterable[str]) -> list[Any]:
    """Return the registered statements by these names, each once; unknown ones by name only."""
    found: list[Any] = []
    for name in dict.fromkeys(names):
        try:
            found.append(claim(name))
        except ParameterError:
            found.append({"id": name, "statement": "", "paper": "", "version": "", "status": ""})
    return found


def json_in_html(text: str) -> Markup:
    """Return JSON that cannot end its script element, whatever its texts hold."""
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - no character that HTML could take for markup is left


def data_link(text: str) -> str:
    """Return a link that holds a JSON text."""
    encoded = base64.b64encode(text.encode("utf-8")).decode("ascii")
    return f"data:application/json;base64,{encoded}"


def claim_names(text: str) -> list[str]:
    """Return the claims named in a composed claim.

    Examples
    --------
    >>> claim_names("dp.sum(a, b)")
    ['dp.sum', 'a', 'b']
    """
    parts = text.replace("(", ",").replace(")", ",").replace(" ", "").split(",")
    return [name for name in parts if name]


def promise_words(guarantee: Guarantee) -> Json:
    """Return what the owner of a record or of many reads about a guarantee."""
    return {
        "who": guarantee.neighbours.unit,
        "relation": guarantee.neighbours.words,
        "epsilon": amount(guarantee.epsilon),
        "delta": amount(guarantee.delta),
        "pure": guarantee.pure,
        "seeded": guarantee.seeded,
        "factor": odds_factor(guarantee.epsilon),
        "beliefs": beliefs(guarantee.epsilon),
        "guess": best_guess(guarantee.epsilon, guarantee.delta),
    }


# -- Calculators in pages: fields for the cells of a row, and a script that needs no network.


def form(schema: Schema, used: Iterable[int], model: Json, script: str, *, label: str) -> Json:
    """Return a field for each of these columns, and the script, which holds the model."""
    text = f"const MODEL = {json_in_html(json.dumps(model))};\n"
    text += template_text("tree.js") + template_text(script)
    digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
    columns = [(at, schema.columns[at]) for at in sorted(used)]
    return {
        "fields": [(at, column.title, _options(column)) for at, column in columns],
        "label": label,
        "script": Markup(text),  # noqa: S704 - our files, and JSON without markup
        "hash": f"sha256-{digest}",
    }


def _options(column: Column) -> list[tuple[int, str]]:
    codes = range(Column.FIRST, column.n_codes)
    return [
        (Column.OTHER, "missing" if column.numeric else "missing or other"),
        *((code, column.within([code])) for code in codes),
    ]


# -- `plot`: an object as a figure, plain data that one template turns into HTML.
#
# The browser lays out: nothing here knows the width of a text. Packages above register how their
# objects are drawn.


_FEW, _MOST = 20, 256  # points that are drawn one by one: of a strip, of a table
_LEVELS, _CHILDREN, _NODES = 4, 6, 45  # of a tree, what is drawn of it
_TREES, _POINTS, _PATH = 8, 8, 7  # of a sum, of a set, of a path
_ACROSS = 34  # characters that fit below a narrow chart


@dataclass(frozen=True)
class Setting:
    """Public facts around an object that make its figure better: all of them may be missing."""

    domain: Any = None
    positive: str = "label 1"
    negative: str = "label 0"
    columns: tuple[str, ...] = ()
    seeded: bool = False


class Figure(str):
    """HTML that notebooks show, and pages hold.

    Examples
    --------
    >>> Figure("<figure></figure>")._repr_html_()
    '<figure></figure>'
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)


@singledispatch
def _drawn(obj: Any, setting: Setting) -> Json:
    """Return what `figure` does; of hypotheses that nobody draws the words."""
    if isinstance(obj, Hypothesis):
        words = obj.describe()
        return _cases("In words", words, [([], words, "")])
    known = ", ".join(sorted(kind.__name__ for kind in _drawn.registry if kind is not object))
    raise UnsupportedError(
        f"plot cannot draw an object of type {type(obj).__name__}. It draws releases, fitted "
        f"learners, hypotheses, and: {known}."
    )


#: Registers how objects of a type are drawn: a function of the object and a `Setting`.
plotter = _drawn.register


def plot(obj: Any, setting: Setting | None = None) -> Figure:
    """Return a figure as self-contained HTML, with alternative text, for light and dark.

    Parameters
    ----------
    obj : Release, fitted learner, or Hypothesis
        Or any object of a type that a package has registered with `plotter`. A release or a fitted
        learner knows its domain, so its figure shows more than that of a bare hypothesis.
    setting : Setting, optional
        Public facts around a bare hypothesis.

    Returns
    -------
    Figure
        A text, which notebooks show as a figure. It holds what the object says and nothing else,
        so the figure of a released object is as private as the object.

    Raises
    ------
    UnsupportedError
        If no package has said how to plot such an object.

    Examples
    --------
    >>> import littlestone as ls
    >>> from littlestone.classes import ThresholdHypothesis
    >>> "1 from 18 on, 0 below" in ls.plot(ThresholdHypothesis(17, 0, 120))
    True
    """
    return Figure(f"<style>\n{stylesheet('figures.css')}</style>\n{drawing(obj, setting)}")


def drawing(obj: Any, setting: Setting | None = None) -> Markup:
    """Return a figure without its style, for pages, which have it."""
    setting = setting or Setting()
    if isinstance(obj, Release):
        seeded = obj.guarantee.seeded
        setting = Setting(obj.concept_class.domain, *outcomes(obj), seeded=seeded)
        obj = obj.hypothesis
    elif hasattr(obj, "hypothesis_"):
        made = obj.to_learner() if hasattr(obj, "to_learner") else obj.algorithm()
        setting = Setting(made.concept_class.domain, seeded=obj.guarantee_.seeded)
        obj = obj.hypothesis_
    return html_of(_drawn(obj, setting), seeded=setting.seeded)


def html_of(drawn: Json, *, seeded: bool = False) -> Markup:
    """Return the HTML of what `figure` returned."""
    return fragment("figures", f=drawn | {"seeded": NOT_PRIVATE if seeded else ""})


def figure(kind: str, title: str, desc: str, note: str = "", **parts: Any) -> Json:
    """Return a figure: strip, cells, cases, tree, bars or chart, with alternative text."""
    return {"kind": kind, "title": title, "desc": desc, "note": note, **parts}


def outcomes(release: Release) -> tuple[str, str]:
    """Return what labels 1 and 0 mean, in the public names of what was read."""
    columns = release.columns or {}
    name, positive = columns.get("y"), columns.get("positive")
    if not isinstance(name, str) or positive is None:
        return "label 1", "label 0"
    return f"{name} is {spelled(positive)}", f"{name} is not {spelled(positive)}"


# -- On axes ---------------------------------------------------------------------------------------


def chart(
    title: str, desc: str, paths: Sequence[tuple[str, str]], *,
    x: Sequence[tuple[str, float]], y: Sequence[tuple[str, float]], x_name: str = "",
    y_name: str = "", ends: Sequence[tuple[str, float]] = (), square: bool = False, note: str = "",
) -> Json:  # fmt: skip
    """Return axes with ticks (text, percent) and paths (kind, `path`); ``ends`` name curves.

    Ticks whose texts would touch are left out, the last ones kept.
    """
    wide = max((len(text) for text, _ in y), default=0)
    beside = max((len(text) + 1 for text, _ in ends), default=0)
    kept = _apart(x, _ACROSS - beside)
    right = max(len(kept[-1][0]) / 2 if kept else 1, beside)
    return figure(
        "chart", title, desc, note, paths=paths, x=kept, y=y, x_name=x_name, y_name=y_name,
        ends=ends, square=square, y_wide=wide, right=right,
    )  # fmt: skip


def _apart(marks: Iterable[tuple[str, float]], across: int) -> list[tuple[str, float]]:
    """Return the marks (text, percent) that do not touch where so many characters fit.

    Examples
    --------
    >>> _apart([("0", 0), ("10", 10), ("12", 12), ("1000", 100)], 34)
    [('0', 0), ('12', 12), ('1000', 100)]
    """
    kept: list[tuple[str, float]] = []
    for text, at in sorted(marks, key=lambda mark: -mark[1]):
        near = (len(text) + len(kept[-1][0])) / 2 + 1.5 if kept else 0
        if not kept or kept[-1][1] - at > 100 * near / across:
            kept.append((text, at))
    return kept[::-1]


def path(points: Iterable[tuple[float, float]], then: str = "") -> str:
    """Return a path through points whose coordinates are shares of the axes, y upwards.

    Examples
    --------
    >>> path([(0, 0), (0.5, 1)])
    'M0 100L50 0'
    """
    return "M" + "L".join(f"{100 * x:.4g} {100 - 100 * y:.4g}" for x, y in points) + then


def point(
    x: float, low: float, middle: float, high: float, *, name: str = ""
) -> list[tuple[str, str]]:
    """Return a dot with its band, in the colour of the curve of that name."""
    dot = (f"dot {name}".rstrip(), path([(x, middle)], "h0"))
    return [("wide", path([(x, low), (x, high)])), dot]


def ticks(low: float, high: float) -> list[float]:
    """Return two to seven round numbers of a range.

    Examples
    --------
    >>> ticks(158, 8904), ticks(0.028, 0.583), ticks(3, 3)
    ([2000.0, 4000.0, 6000.0, 8000.0], [0.2, 0.4], [3])
    """
    if low >= high:
        return [low]
    most = 10.0 ** math.ceil(math.log10(high - low))
    parts = (0.2, 0.1, 0.05, 0.02)  # the range is from a tenth to all of `most`
    step = next(most * part for part in parts if high - low >= 2.5 * most * part)
    return [round(i * step, 12) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def scale(low: float, high: float, across: int = 0) -> list[tuple[str, float]]:
    """Return `ticks` as they are written, with their places in percent.

    Those that would touch are left out where at most ``across`` characters fit.

    Examples
    --------
    >>> scale(0, 2_500_000)
    [('0', 0.0), ('1e6', 40.0), ('2e6', 80.0)]
    """
    spread, marks = (high - low) or 1.0, []
    for tick in ticks(low, high):
        text = number(tick, high - low)
        place = round(100 * (tick - low) / spread, 2)
        marks.append((text if len(text) <= 6 else min(short(tick), text, key=len), place))
    return _apart(marks, across) if across else marks


def short(value: float) -> str:
    """Return a number with three digits, and its power of ten in few characters."""
    return f"{value:.3g}".replace("e+0", "e").replace("e+", "e")


def number(value: float, spread: float, trim: bool = True) -> str:
    """Return a number, rounded to about a hundredth of a spread.

    Examples
    --------
    >>> number(1234.56, 900), number(-0.1234, 0.5), number(2, 0)
    ('1,235', '-0.123', '2')
    """
    digits = max(0, 2 - math.floor(math.log10(spread))) if spread > 0 else 0
    text = f"{value:,.{min(digits, 12)}f}"
    return text.rstrip("0").rstrip(".") if trim and "." in text else text


# -- On a line -------------------------------------------------------------------------------------


def _strip(
    ones: Sequence[tuple[int, int]], title: str, hypothesis: Hypothesis, domain: Any
) -> Json:
    """Draw runs of ones on the domain, or with as much around them as they are wide."""
    known, words = domain is not None and domain.bounds is not None, hypothesis.describe()
    around = ones[-1][1] - ones[0][0] + 1 if ones else 1
    low, high = domain.bounds if known else (ones[0][0] - around, ones[-1][1] + around)
    runs, at = [], low
    for first, last in ones:
        runs += [(at, first - 1, 0), (first, last, 1)]
        at = last + 1
    runs = [run for run in [*runs, (at, high, 0)] if run[0] <= run[1]]
    if known and high - low < _FEW:
        labels = "".join(str(y) * (last - first + 1) for first, last, y in runs)
        return _cells(labels, title, words, low)
    to_share, name = _scale(low, high, [run[0] for run in runs[1:]])
    edges = [*(to_share(first) for first, _, _ in runs), 1.0]
    drawn = [
        {
            "label": y,
            "share": round(100 * (right - left), 2),
            "words": f"{integer(first)} to {integer(last)}: {y}",
        }
        for (first, last, y), left, right in zip(runs, edges[:-1], edges[1:], strict=True)
    ]
    inner = {
        integer(after[0] if after[2] else before[1]): round(100 * edge, 2)
        for (before, after), edge in zip(pairwise(runs), edges[1:-1], strict=True)
    }
    ends = [integer(low), integer(high)] if known else ["…", "…"]
    marks = _apart(inner.items(), _ACROSS)
    return figure("strip", title, words, name, runs=drawn, marks=marks, ends=ends, clipped=known)


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
    upper_end = "logarithmic scale, from the upper end"
    return lambda p: 1 - log2(high + 2 - p) / log2(size + 1), upper_end


def _cells(labels: str, title: str, words: str, first: int = 0, note: str = "") -> Json:
    shown, rest = labels[:_MOST], labels[_MOST:]
    if rest:
        ones = integer(rest.count("1"))
        note += f" and {integer(len(rest))} more points, {ones} of them labelled 1"
    cells = [(integer(first + i), y) for i, y in enumerate(shown)]
    return figure("cells", title, words, note.strip(), cells=cells)


@plotter(AlwaysZero)
def _never(hypothesis: AlwaysZero, setting: Setting) -> Json:
    if setting.domain is not None and setting.domain.bounds is not None:
        return _strip([], "0 everywhere", hypothesis, setting.domain)
    return _cases("The constant 0", hypothesis.describe(), [([], setting.negative, 0)])


@plotter(ThresholdHypothesis)
def _threshold(hypothesis: ThresholdHypothesis, setting: Setting) -> Json:
    low, above, high = hypothesis.low, hypothesis.above, hypothesis.high
    caption = f"1 from {integer(above + 1)} on, 0 below"
    if not low <= above < high:
        caption = f"{int(above < low)} everywhere"
    ones = [(above + 1, high)] if above < high else []
    return _strip(ones, caption, hypothesis, IntegerDomain(low, high))


@plotter(IntervalHypothesis)
def _interval(hypothesis: IntervalHypothesis, setting: Setting) -> Json:
    first, last = hypothesis.first, hypothesis.last
    inside = integer(first) if first == last else f"{integer(first)} to {integer(last)}"
    return _strip([(first, last)], f"1 on {inside}, 0 elsewhere", hypothesis, setting.domain)


@plotter(TableHypothesis)
def _table(hypothesis: TableHypothesis, setting: Setting) -> Json:
    labels = hypothesis.labels
    title = f"{integer(labels.count('1'))} of {integer(len(labels))} points are labelled 1"
    if hypothesis.label_names != BINARY:
        title = ", ".join(
            f"{code} means {name}" for code, name in enumerate(hypothesis.label_names)
        )
    return _cells(labels, title, hypothesis.describe())


# -- Cases -----------------------------------------------------------------------------------------


def _cases(title: str, words: str, cases: Sequence[tuple[Any, ...]]) -> Json:
    """Draw cases (tests, outcome, label), tried from the top; a fourth entry is "OR"."""
    drawn = []
    for i, (tests, outcome, label, *joined) in enumerate(cases):
        word = ("Otherwise, if" if i else "If") if tests else ("Otherwise" if i else "In all cases")
        drawn.append(
            {
                "word": word if label != "" or i else "",
                "tests": tests,
                "outcome": outcome,
                "label": label,
                "joined": (joined or ["AND"])[0],
            }
        )
    return figure("cases", title, words, cases=drawn)


def _two(
    title: str, hypothesis: Hypothesis, tests: Sequence[str], setting: Setting, *joined: str
) -> Json:
    otherwise: list[tuple[Any, ...]] = [([], setting.negative, 0)] if tests else []
    cases = [(tests, setting.positive, 1, *joined), *otherwise]
    return _cases(title, hypothesis.describe(), cases)


def _points(points: Sequence[Any]) -> list[str]:
    """Return a test for each point, as far as is shown."""
    shown = points if len(points) <= _POINTS else points[: _POINTS - 1]
    rest = [f"x is one of {integer(len(points) - len(shown))} more points"]
    tests = [f"x = {integer(x) if isinstance(x, int) else x}" for x in shown]
    return tests + (rest if len(points) > len(shown) else [])


@plotter(PointHypothesis)
def _point(hypothesis: PointHypothesis, setting: Setting) -> Json:
    return _two("A single point", hypothesis, _points([hypothesis.point]), setting)


@plotter(SetHypothesis)
def _set(hypothesis: SetHypothesis, setting: Setting) -> Json:
    return _two("A few points", hypothesis, _points(hypothesis.points), setting, "OR")


@plotter(ConjunctionHypothesis)
def _conjunction(hypothesis: ConjunctionHypothesis, setting: Setting) -> Json:
    asked = [(hypothesis.ones, 1), (hypothesis.zeros, 0)]
    tests = [
        f"x{i + 1} = {bit}" for i in range(hypothesis.n) for bits, bit in asked if bits >> i & 1
    ]
    return _two("A conjunction", hypothesis, tests, setting)


@plotter(RuleHypothesis)
def _rule(hypothesis: RuleHypothesis, setting: Setting) -> Json:
    return _two("A rule", hypothesis, [literal.text for literal in hypothesis.literals], setting)


@plotter(HashSetHypothesis)
def _hash(hypothesis: HashSetHypothesis, setting: Setting) -> Json:
    buckets = integer(hypothesis.function.buckets)
    shown = ", ".join(map(integer, hypothesis.buckets[:20]))
    tests = [f"public hash of x = {shown} (of {buckets} buckets)"]
    if hypothesis.bounds is not None:
        tests.append(" ≤ x ≤ ".join(map(integer, hypothesis.bounds)))
    return _two("A bucket of a public hash", hypothesis, tests, setting)


@plotter(PatchedHypothesis)
def _patched(hypothesis: PatchedHypothesis, setting: Setting) -> Json:
    names, base = (setting.negative, setting.positive), hypothesis.base
    flipped = [([x for x, y in hypothesis.flipped if y == label], label) for label in (1, 0)]
    cases = [(_points(points), names[label], label, "OR") for points, label in flipped if points]
    rest: tuple[Any, ...] = ([], base.describe(), "")
    if base == AlwaysZero():
        rest = ([], names[0], 0)
    return _cases("A hypothesis, corrected", hypothesis.describe(), [*cases, rest])


def _names(hypothesis: Any, setting: Setting) -> tuple[str, ...]:
    if hypothesis.label_names == BINARY:
        return (setting.negative, setting.positive)
    return tuple(map(str, hypothesis.label_names))


# -- Trees -----------------------------------------------------------------------------------------


def _branch(
    text: str, children: Sequence[Json] = (), style: str = "", answer: Any = None, says: str = ""
) -> Json:
    """Return a node; ``answer`` is the label on its edge, ``says`` what is written there."""
    says = says or str(answer)
    return {"text": text, "children": children, "style": style, "answer": answer, "says": says}


def _tree(title: str, words: str, *roots: Json, note: str = "") -> Json:
    return figure("tree", title, words, note, roots=roots)


def _of_splits(tree: Tree, names: Sequence[str], answer: Any = None) -> Json:
    says = {1: "yes", 0: "no", None: ""}[answer]
    if not isinstance(tree, Node):
        return _branch(names[tree], (), f"y{min(tree, 1)}", answer, says)
    sides = [_of_splits(side, names, y) for y, side in ((1, tree.yes), (0, tree.no))]
    return _branch(f"{tree.split.text}?", sides, "", answer, says)


@plotter(TreeHypothesis)
def _decision_tree(hypothesis: TreeHypothesis, setting: Setting) -> Json:
    names = _names(hypothesis, setting)
    if not isinstance(hypothesis.tree, Node):
        y = hypothesis.tree
        return _cases(
            f"In all cases: {names[y]}", hypothesis.describe(), [([], names[y], min(y, 1))]
        )
    note = "A cell that is missing or other fails every test."
    root = _of_splits(hypothesis.tree, names)
    return _tree("A decision tree", hypothesis.describe(), root, note=note)


@plotter(PathHypothesis)
def _path(hypothesis: PathHypothesis, setting: Setting) -> Json:
    return _of_path(list(map(str, hypothesis.path)), setting, hypothesis.describe())


@plotter(PrefixHypothesis)
def _prefix(hypothesis: PrefixHypothesis, setting: Setting) -> Json:
    write, bits = hypothesis.notation.write, hypothesis.notation.bits
    digits = (hypothesis.prefix.bit_length() - 1) // bits
    names = [write(hypothesis.prefix >> bits * k) or "(empty)" for k in range(digits, -1, -1)]
    return _of_path(names, setting, hypothesis.describe())


def _of_path(names: list[str], setting: Setting, words: str) -> Json:
    """Draw a path of a tree, each node below the one above it; of a long one both ends."""
    if len(names) > _PATH:
        names = [*names[:3], f"… {integer(len(names) - 6)} more", *names[-3:]]
    below: list[Json] = []
    for name in reversed(names):
        below = [_branch(name, below, "y1")]
    rest = _branch("everything else, and everything below", (), "y0")
    note = f"1: {setting.positive}; 0: {setting.negative}"
    return _tree("A path of a tree", words, *below, rest, note=note)


@plotter(MistakeTree)
def _mistakes(tree: MistakeTree, setting: Setting) -> Json:
    return _binary(
        tree.depth,
        lambda i: _column(tree.points[i], setting),
        lambda i: f"concept {tree.leaves[i]}",
    )


@plotter(ShatteredTree)
def _shattered(tree: ShatteredTree, setting: Setting) -> Json:
    names = point_names(tree.concept_class, tree.points)
    return _binary(tree.depth, lambda i: names[i], lambda i: _short(tree.leaves[i]))


def _binary(depth: int, name: Callable[[int], str], leaf: Callable[[int], str]) -> Json:
    """Draw a complete binary tree whose nodes are questions and whose edges are answers."""
    inner = 2**depth - 1

    def grown(node: int, level: int, answer: int | None) -> Json:
        if node >= inner:
            return _branch(leaf(node - inner), (), "y0", answer)
        if level == _LEVELS:
            return _more(depth - level, answer=answer)
        sides = [grown(2 * node + 1 + y, level + 1, y) for y in (0, 1)]
        return _branch(name(node), sides, "", answer)

    note = "every path of answers fits a concept" if depth else ""
    if depth > _LEVELS:
        note = f"the first {_LEVELS} of {depth} levels"
    words = (
        f"A complete binary tree of depth {depth}. Each inner node is a point, each edge the label "
        "0 or 1 of the point above it, and each leaf a concept with all labels of its path."
    )
    return _tree("A shattered mistake tree", words, grown(0, 0, None), note=note)


@plotter(VC1Tree)
def _vc1(tree: VC1Tree, setting: Setting) -> Json:
    forest = tree.forest if isinstance(tree, PathsTree) else None
    name: Callable[[Any], str] = _name
    if isinstance(forest, PrefixForest):
        write = forest.notation.write
        name = lambda node: write(node) or "(empty)"  # noqa: E731

    def children(node: Any) -> list[Any]:
        few = tree.child_count(node) <= _CHILDREN + 1
        try:
            return list(islice(tree.children(node), _CHILDREN + few))
        except UnsupportedError:  # points of any type have no first one
            return []

    deepest = _fitting(children, ROOT)

    def grown(node: Any, level: int) -> Json:
        text, style = f"f: {_short(tree.hypothesis(ROOT))}", "y0"
        if node is not ROOT:
            text, style = name(node) + " (improper)" * (not tree.is_proper(node)), ""
        count = tree.child_count(node)
        if count and level == deepest:
            return _branch(text, [_more(tree.height - level, "≤ ")], style)
        shown = children(node) if count else []
        below = [grown(child, level + 1) for child in shown]
        if count > len(shown):
            rest = "infinitely many" if count == inf else integer(int(count) - len(shown))
            below.append(_branch(f"… {rest} more" if shown else "… any point", (), "more"))
        return _branch(text, below, style)

    size = "infinitely many" if tree.size == inf else integer(int(tree.size))
    words = (
        f"A tree of height {integer(tree.height)} with {size} nodes, each one a point (or several "
        "that no concept distinguishes). The root is the concept f, and every concept differs from "
        "it on one path."
    )
    note = f"height {integer(tree.height)}, {size} nodes"
    return _tree("The tree of a class of VC dimension 1", words, grown(ROOT, 0), note=note)


@plotter(DecompositionTree)
def _decomposition(tree: DecompositionTree, setting: Setting) -> Json:
    deepest = _fitting(lambda position: list(tree.nodes[position].children or ()), 0)

    def grown(position: int, level: int, answer: int | None) -> Json:
        node = tree.nodes[position]
        if node.children is None or level == deepest:
            n = node.hypotheses.bit_count()
            cut = "… " * (node.children is not None)
            return _branch(f"{cut}{integer(n)} concept{'s' * (n != 1)}", (), "y0", answer)
        sides = [grown(child, level + 1, y) for y, child in enumerate(node.children)]
        return _branch(_column(node.point, setting), sides, "", answer)

    leaves = integer(len(tree.leaves))
    words = (
        f"A decomposition with p = {tree.p} and d = {tree.d} into {leaves} classes, of Littlestone "
        f"dimension at most {tree.degree}. Inner nodes are points, edges their labels, leaves "
        "irreducible classes; … is split further."
    )
    note = f"p = {tree.p}, d = {tree.d}: degree {tree.degree}, {leaves} leaves"
    return _tree("A decomposition", words, grown(0, 0, None), note=note)


def _more(levels: int, most: str = "", answer: int | None = None) -> Json:
    text = f"… {most}{integer(levels)} more level{'s' * (levels > 1)}"
    return _branch(text, (), "more", answer)


def _fitting(children: Callable[[Any], list[Any]], root: Any) -> int:
    """Return how many levels below the root are drawn: all, or as many as there is space for."""
    level, total = [root], 1
    for depth in range(_LEVELS):
        level = [child for node in level for child in children(node)]
        total += len(level)
        if total > _NODES:
            return max(depth, 1)
    return _LEVELS


def point_names(concept_class: ConceptClass, points: Sequence[Any]) -> tuple[str, ...]:
    """Return points of a class as figures show them: prefixes as networks or codes.

    Examples
    --------
    >>> point_names(Prefixes("ipv4"), [1, 2, 3])
    ('0.0.0.0/0', '0.0.0.0/1', '128.0.0.0/1')
    """
    if isinstance(concept_class, Prefixes):
        return tuple(concept_class.notation.write(point) or "(empty)" for point in points)
    return tuple(map(_name, points))


def _column(column: int | None, setting: Setting) -> str:
    return setting.columns[column or 0] if setting.columns else f"point {column}"


def _name(point: Any) -> str:
    if isinstance(point, int):
        return integer(point)
    if isinstance(point, tuple) and all(isinstance(v, int) for v in point):
        if len(point) <= 12:
            return ("" if all(0 <= v <= 9 for v in point) else " ").join(map(str, point)) or "()"
        others = [f"x{i} = {v}" for i, v in enumerate(point, 1) if v]
        return f"0 but {', '.join(others)}" if others else "all 0"
    return str(point)


def _short(hypothesis: Hypothesis) -> str:
    """Return the beginning of the words: "1 if x > 3"."""
    return hypothesis.describe().split(", otherwise")[0].split(" (x from")[0].split(" (points")[0]


def trees_figure(model: TreeEnsemble, setting: Setting) -> Json:
    """Draw the most frequent trees of a sum."""
    names = tuple(map(str, model.label_names))
    if model.binary:
        names = (f"-1: {setting.negative}", f"+1: {setting.positive}")
    counted = sorted(model.counted.items(), key=lambda item: -item[1])
    roots = []
    for tree, times in counted[:_TREES]:
        often = f"drawn {times} times" if times > 1 else "drawn once"
        roots.append(_branch(often, [_of_splits(tree.tree, names)], "more"))
    left = len(counted) - _TREES
    more = number_of(left, "other trees")
    note = f"and {more} (export the model to see all)" if left > 0 else ""
    if not roots:
        roots = [_branch(f"always {names[model.constant or 0]}")]
    return _tree("The most frequent trees", model.describe(), *roots, note=note)
