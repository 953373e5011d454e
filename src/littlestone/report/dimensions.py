"""`dimensions_page`: one self-contained HTML page about a concept class."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from littlestone import __version__
from littlestone.classes.dimensions import Bounds
from littlestone.report.page import stylesheet
from littlestone.report.words import integer

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass, Dimensions

__all__ = ["dimensions_page"]

_MEANING = {
    "vc": ("VC dimension", "the largest number of points that can be labelled in all ways"),
    "littlestone": (
        "Littlestone dimension",
        "the mistakes of the best online learner; private learning is possible exactly if it is "
        "finite",
    ),
    "threshold": (
        "Threshold dimension",
        "the largest number of points on which the class contains thresholds",
    ),
}


def dimensions_page(
    concept_class: ConceptClass, found: Dimensions, pictures: Sequence[tuple[str, str]] = ()
) -> str:
    """Return a page: the dimensions of a class, in words, and pictures.

    Parameters
    ----------
    concept_class : ConceptClass
    found : Dimensions
    pictures : sequence of (heading, SVG)

    Returns
    -------
    str
        HTML that loads nothing. It is about a public class: no data play a part.
    """
    rows = [(*_MEANING[name], _value(value)) for name, value in vars(found).items()]
    html: str = _template().render(
        spec=concept_class.spec,
        css=Markup(stylesheet()),  # noqa: S704 - our own file
        rows=rows,
        size=_value(concept_class.size),
        pictures=[(heading, Markup(svg)) for heading, svg in pictures],  # noqa: S704 - escaped
        version=__version__,
    )
    return html


def _value(value: Any) -> str:
    if isinstance(value, Bounds):
        return str(value)
    return "infinite" if value == float("inf") else integer(int(value))


@lru_cache(maxsize=1)
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("littlestone.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("dimensions.html.jinja")
