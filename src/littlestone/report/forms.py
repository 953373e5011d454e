"""Calculators in pages: fields for the cells of a row, and a script that needs no network."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import TYPE_CHECKING

from markupsafe import Markup

from littlestone.data import Column
from littlestone.report.html import json_in_html, template_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.data import Schema
    from littlestone.types import Json


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
    return [*((code, column.within([code])) for code in codes), (Column.OTHER, column.within([1]))]
