"""What every page has in common: the template engine, the style, data that stay data."""

from __future__ import annotations

import base64
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from littlestone import __version__
from littlestone.bounds import Reference, claim
from littlestone.errors import ParameterError
from littlestone.report.words import amount, beliefs, best_guess, odds_factor

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.bounds import Certificate, Step
    from littlestone.privacy import Guarantee
    from littlestone.types import Json


def render(template: str, *, title: str, style: str = "", **values: Any) -> str:
    """Return a page from one of our templates; everything is escaped but `Markup`."""
    css = stylesheet() + (template_text(style) if style else "")
    html: str = (
        _environment()
        .get_template(f"{template}.html.jinja")
        .render(title=title, css=Markup(css), version=__version__, **values)  # noqa: S704 - our files
    )
    return html


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


def stylesheet() -> str:
    """Return the style of every page."""
    return template_text("page.css")


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
