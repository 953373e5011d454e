"""``littlestone plan --explore``: the interactive page; reads no data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.types import Json

__all__ = ["explore"]


def explore(path: str, concepts: ConceptClass | None, asked: Json, *, json: bool) -> int:
    """Write the page, and say so.

    Parameters
    ----------
    path : str
        Checked before.
    concepts : ConceptClass or None
        None: a small catalogue.
    asked : dict
        What was typed of epsilon, delta, alpha, beta and samples_per_user: where the page starts.
    json : bool
    """
    import json as jsonlib

    from littlestone.cli.terminal import counting, facts
    from littlestone.report.explorer import START, explorer_page
    from littlestone.safe_io import write_text

    start = replace(START, **{name: value for name, value in asked.items() if value is not None})
    with counting("Planning the curves") as progress:
        html = explorer_page(
            None if concepts is None else [concepts], start=start, workers=2, progress=progress
        )
    write_text(path, html)
    if json:
        print(jsonlib.dumps({"page": path}))
        return 0
    facts([("Page", path, "")])
    return 0
