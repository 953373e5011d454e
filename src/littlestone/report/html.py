"""What every page has in common: the template engine, the style, data that stay data."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from numbers import Rational
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from littlestone import __version__
from littlestone.bounds import Reference, claim
from littlestone.data import Column
from littlestone.errors import ParameterError
from littlestone.privacy.guarantee import short_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.bounds import Certificate, Step
    from littlestone.data import Schema
    from littlestone.privacy import Guarantee
    from littlestone.types import Json


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


def percent(
    value: float | Rational, digits: int = 1, *, rounded: Callable[[float], int] = round
) -> str:
    """Return a share as a percentage, never rounded to 0 or 100 unless it is exactly that.

    Examples
    --------
    >>> percent(0.05), percent(0.1234), percent(1e-9), percent(0.99999), percent(Fraction(1, 3))
    ('5%', '12.3%', 'less than 0.01%', 'more than 99.99%', '33.3%')
    >>> percent(0.1234, rounded=math.ceil)
    '12.4%'
    """
    share = float(value)
    if 0 < share < 0.0001:
        return "less than 0.01%"
    if 0.9999 < share < 1:
        return "more than 99.99%"
    if not (0.01 <= share <= 0.99 or share in (0, 1)):
        digits = max(digits, 2)
    shown = rounded(100 * share * 10**digits) / 10**digits
    return f"{shown:.{digits}f}".rstrip("0").rstrip(".") + "%" if digits else f"{shown:.0f}%"


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


@dataclass(frozen=True)
class Belief:
    """What a reader may believe about one record, before and after seeing the release."""

    before: str
    least: str
    most: str


def beliefs(epsilon: Fraction) -> tuple[Belief, ...]:
    """Return how far a release can move a belief about one record: odds times e**(±epsilon).

    Examples
    --------
    >>> beliefs(Fraction(1))[2]
    Belief(before='50%', least='26.8%', most='73.2%')
    """
    return tuple(
        Belief(
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
    return Environment(
        loader=PackageLoader("littlestone.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


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


def step_words(step: Step, certificate: Certificate | None) -> Json:
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
        "fields": [(at, column.name, _options(column)) for at, column in columns],
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
