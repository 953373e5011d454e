"""`page`: one self-contained HTML page about a release.

The page is a pure function of the `Release`: no clock, no path, no environment; so it is exactly
as private as the release, and `littlestone.audit.verify` compares its text among the outputs.
"""

from __future__ import annotations

import base64
import math
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from littlestone import __version__
from littlestone.bounds import Reference, claim
from littlestone.errors import ParameterError
from littlestone.privacy import Guarantee
from littlestone.report.pictures import draw, outcomes
from littlestone.report.words import amount, beliefs, integer, odds_factor, percent

if TYPE_CHECKING:
    from littlestone.bounds import Certificate, Step
    from littlestone.learners.release import Release
    from littlestone.types import Json

__all__ = ["accuracy_asked", "meaning", "page"]


def page(release: Release) -> str:
    """Return a self-contained HTML page: the rule, what is promised, and why.

    Parameters
    ----------
    release : Release

    Returns
    -------
    str
        HTML that loads nothing, for light and dark, screen, phone and paper. The release itself
        is inside, as JSON.

    Notes
    -----
    *Guarantee.* Post-processing of the release: costs no privacy.
    """
    guarantee = release.guarantee
    certificate = release.certificate
    html: str = _template().render(
        title=f"littlestone: {release.concept_class.spec}",
        css=Markup(stylesheet()),  # noqa: S704 - our own file
        seeded=guarantee.seeded,
        unit=certificate.unit,
        who=guarantee.neighbours.unit,
        relation=guarantee.neighbours.words,
        words=release.hypothesis.describe(),
        meaning=meaning(release),
        picture=Markup(draw(release)),  # noqa: S704 - escaped by littlestone.svg
        n=integer(release.n),
        required=integer(release.required),
        epsilon=amount(guarantee.epsilon),
        delta=amount(guarantee.delta),
        pure=guarantee.pure,
        factor=odds_factor(guarantee.epsilon),
        beliefs=beliefs(guarantee.epsilon),
        asked=accuracy_asked(certificate),
        beta=percent(certificate.beta),
        holds=certificate.holds,
        status=certificate.status,
        assumptions=certificate.assumptions,
        steps=[_step(step, certificate) for step in certificate.steps],
        error=_error(release.error),
        reads=_reads(release),
        model_link=_data_link(release.to_json()),
        provenance=_provenance(release),
        claims=_claims(certificate, guarantee),
        version=__version__,
        embedded=_json_in_html(release.to_json()),
    )
    return html


def accuracy_asked(certificate: Certificate) -> str:
    """Say what alpha bounds, in words.

    A certificate for the agnostic case bounds the error above the best of the class.
    """
    alpha = percent(certificate.alpha)
    if certifies_agnostic(certificate):
        points = alpha.removesuffix("%")
        return (
            f"on new records, an error at most {points} percentage points above that of the best "
            "function of the class"
        )
    return f"on new records, an error of at most {alpha}"


def meaning(release: Release) -> str:
    """Say what x, 1 and 0 stand for, in the public names of what was read; or nothing."""
    columns = release.columns or {}
    if not columns.get("y"):
        return ""
    positive, negative = outcomes(release)
    x = columns.get("x") or []
    named = f"x is {x[0]}; " if len(x) == 1 else ""
    return f"{named}1 means: {positive}; 0 means: {negative}"


def certifies_agnostic(certificate: Certificate) -> bool:
    """Return whether a certificate is about the error above that of the best concept."""
    if any(claim(name).makes_true for name in certificate.claims):
        return True  # an agnostic form: its learner's claims are about records that it labelled
    return not any("realizable" in text for text in (*certificate.claims, *certificate.assumptions))


@lru_cache(maxsize=1)
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("littlestone.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("page.html.jinja")


@lru_cache(maxsize=1)
def stylesheet() -> str:
    """Return the style of every page."""
    return (files("littlestone.report") / "templates" / "page.css").read_text(encoding="utf-8")


def _step(step: Step, certificate: Certificate) -> Json:
    inputs = ", ".join(
        f"{name} = {amount(certificate[x.step] if isinstance(x, Reference) else x)}"
        for name, x in sorted(step.inputs.items())  # as a JSON file has them
    )
    return {
        "name": step.name.replace("_", " "),
        "formula": step.formula,
        "inputs": inputs,
        "value": amount(step.value),
        "source": step.source,
    }


def _error(error: Json | None) -> Json | None:
    if error is None:
        return None
    return {
        "rate": percent(error["rate"], 2),
        "low": percent(error["rate_low"], 2, rounded=math.floor),
        "high": percent(error["rate_high"], 2, rounded=math.ceil),
        "epsilon": error["epsilon"],
        "confidence": "95%",
    }


def _reads(release: Release) -> str:
    names = (release.columns or {}).get("x")
    if not names:
        return "it reads the column that it was learned from"
    if len(names) == 1:
        return f"it reads the column “{names[0]}”"
    return f"it reads the {len(names)} columns of its schema by their names"


def _provenance(release: Release) -> list[tuple[str, str]]:
    guarantee = release.guarantee
    columns = release.columns or {}
    rows = [
        ("Learner", release.learner),
        ("Concept class", release.concept_class.spec),
        ("Guarantee", str(guarantee)),
        ("Neighbours", guarantee.neighbours.words),
        (release.certificate.unit.capitalize(), integer(release.n)),
    ]
    if columns.get("x"):
        rows.append(("Columns read", ", ".join(columns["x"])))
    if columns.get("y"):
        rows.append(("Label column", f"{columns['y']} (1 means: {columns.get('positive')})"))
    if columns.get("user"):
        each = columns.get("samples_per_user")
        rows.append(("User column", f"{columns['user']} (at most {each} records of each are read)"))
    rows.append(("Software", f"littlestone {__version__}"))
    return rows


def _claims(certificate: Certificate, guarantee: Guarantee) -> list[Any]:
    found: list[Any] = []
    for name in dict.fromkeys([*_names(guarantee.claim), *certificate.claims]):
        try:
            found.append(claim(name))
        except ParameterError:
            found.append({"id": name, "statement": "", "paper": "", "version": "", "status": ""})
    return found


def _names(text: str) -> list[str]:
    """Return the claims named in a composed claim such as ``dp.sum(a, b)``."""
    return [
        name
        for name in text.replace("(", ",").replace(")", ",").replace(" ", "").split(",")
        if name
    ]


def _json_in_html(text: str) -> Markup:
    """Return JSON that cannot end its script element, whatever its texts hold."""
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 - no character that HTML could take for markup is left


def _data_link(text: str) -> str:
    encoded = base64.b64encode(text.encode("utf-8")).decode("ascii")
    return f"data:application/json;base64,{encoded}"
