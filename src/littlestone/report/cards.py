"""Sums of trees on their pages: points, effects, and a calculator that works without a network."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from littlestone.classes.boosted_trees.groups import groups
from littlestone.report.forms import form

if TYPE_CHECKING:
    from littlestone.classes import TreeEnsemble
    from littlestone.data import Schema
    from littlestone.types import Json


def scorecard(ensemble: TreeEnsemble, schema: Schema) -> Json | None:
    """Return the table of points of a scorecard, in the largest common unit; None of other sums.

    The columns of the largest points come first. For the labels 0 and 1 sums begin at 0, and each
    sum has a probability; otherwise each label has a start.
    """
    if not ensemble.additive:
        return None
    base, own = ensemble.summed(schema)
    unit = ensemble.unit(base, own)
    order = sorted(own, key=lambda at: (-int(own[at].max()), at))
    largest = max((int(own[at].max()) for at in order), default=0) // unit
    columns = [
        {
            "name": schema.columns[at].name,
            "groups": [
                {
                    "words": schema.columns[at].within(group.codes),
                    "points": [points // unit for points in group.points],
                    "width": round(100 * group.points[0] / (unit * largest)),
                }
                for group in groups(schema.columns[at], own[at])
            ],
        }
        for at in order
    ]
    if ensemble.binary:
        sums, needed = _sums(ensemble, schema), ensemble.needed(base, unit)
        return {"labels": [], "columns": columns, "sums": sums, "needed": needed}
    return {
        "labels": list(ensemble.label_names),
        "base": [int(votes - min(base)) // unit for votes in base],
        "columns": columns,
        "sums": [],
        "factor": f"{math.exp(unit * float(ensemble.step)):.3g}",
    }


def effects(ensemble: TreeEnsemble, schema: Schema) -> Json | None:
    """Return what each column does to the log-odds of label 1, in hundredths; None of other labels.

    Cells with equal effects are together, and the columns of the largest range come first.
    """
    if not ensemble.binary:
        return None
    found = []
    for name, own in ensemble.effects(schema)[1].items():
        *values, missing, other = [round(100 * value) for value in own.values()]
        column = schema[name]
        parts = groups(column, np.array([missing, other, *values])[:, None])
        reached = [missing, *values]
        found.append((max(reached) - min(reached), column, parts))
    largest = max((abs(g.points[0]) for *_, parts in found for g in parts), default=0) or 1
    columns = [
        {
            "name": column.name,
            "groups": [
                {
                    "words": column.within(group.codes),
                    "effect": f"{group.points[0] / 100:+.2f}",
                    "width": round(50 * abs(group.points[0]) / largest),
                    "sign": "less" if group.points[0] < 0 else "more",
                }
                for group in parts
            ],
        }
        for _, column, parts in sorted(found, key=lambda entry: (-entry[0], entry[1].name))
    ]
    return {"columns": columns}


def _sums(ensemble: TreeEnsemble, schema: Schema) -> list[tuple[str, str]]:
    """Return the probability of each sum that may be; sums of the same one together."""
    base, own = ensemble.summed(schema)
    unit, first = ensemble.unit(base, own), int(base[0])
    reachable = {0}
    for points in own.values():
        reachable = {total + int(p) for total in reachable for p in set(points.flat)}
    chances = dict(zip(ensemble.margins, ensemble.probabilities.tolist(), strict=True))
    shown = [(total // unit, _percent(chances[first + total])) for total in sorted(reachable)]
    found = []
    for chance, same in groupby(shown, key=lambda pair: pair[1]):
        sums = [total for total, _ in same]
        found.append((f"{sums[0]}–{sums[-1]}" if len(sums) > 1 else str(sums[0]), chance))
    return found


def _percent(chance: float) -> str:
    return f"{100 * chance:.{0 if 0.01 <= chance <= 0.99 else 1}f}%"


def calculator(ensemble: TreeEnsemble, schema: Schema) -> Json | None:
    """Return the fields and the script that say the probability of a row, or of each label.

    The script holds the integers of the model, and loads nothing.
    """
    points = ensemble.code_points
    used = {split.column for split in ensemble.literals}
    used |= {column for column, _ in points.columns} if points else set()
    if not used:
        return None
    model: Json = {
        "start": ensemble.start,
        "points": points.to_dict() if points else None,
        "trees": [(n, tree.to_dict()["tree"]) for tree, n in ensemble.counted.items()],
        "probabilities": None,
    }
    if ensemble.binary:
        card = ensemble.summed(schema) if ensemble.additive else None
        model |= {
            "first": ensemble.margins[0],
            "probabilities": ensemble.probabilities.tolist(),
            "base": int(card[0][0]) if card else None,
            "unit": ensemble.unit(*card) if card else 1,
        }
    else:
        linked = ensemble.cap is not None
        model |= {
            "labels": ensemble.label_names, "step": float(ensemble.step), "linked": linked
        }  # fmt: skip
    label = "Label 1" if ensemble.binary else "Label"
    return form(schema, used, model, "calculator.js", label=label)
