"""`dimensions_page`: one self-contained HTML page about a concept class."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from littlestone.classes import Dimensions
from littlestone.classes.dimensions import Bounds
from littlestone.report.html import json_in_html, render
from littlestone.report.page import pager
from littlestone.report.words import integer

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass

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
    return render(
        "dimensions",
        title=f"littlestone: dimensions of {concept_class.spec}",
        spec=concept_class.spec,
        rows=rows,
        size=_value(concept_class.size),
        pictures=[(heading, Markup(svg)) for heading, svg in pictures],  # noqa: S704 - escaped
        embedded=json_in_html(
            json.dumps({"class": concept_class.spec, **found.to_dict()}, sort_keys=True)
        ),
    )


@pager(Dimensions)
def _page(
    found: Dimensions, concept_class: ConceptClass, pictures: Sequence[tuple[str, str]] = ()
) -> str:
    return dimensions_page(concept_class, found, pictures)


def _value(value: Any) -> str:
    if isinstance(value, Bounds):
        return str(value)
    return "infinite" if value == float("inf") else integer(int(value))
