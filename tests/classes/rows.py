"""Rows of a schema for the oracles: tests on cells read from their words, samples of coded rows."""

from __future__ import annotations

import numpy as np

from littlestone.data import Sample, Schema


def holds(test: str, cell: str, name: str) -> bool:
    """Answer a test in words (without the name of its column) for a cell in words."""
    odd = cell.endswith((" is missing", " is other"))
    if test == "is missing or other":
        return odd
    if test.startswith("is not "):
        return cell != f"{name} is {test[7:]}"
    if test.startswith("is "):
        return cell == f"{name} is {test[3:]}"
    if odd:
        return test.endswith(", missing or other")
    if cell.startswith(name):
        side, end = cell.removeprefix(name).split()
        value = float(end) - (side == "<")
    else:  # low <= name < high
        value = float(cell.split(" ", maxsplit=1)[0])
    op, edge = test.removesuffix(", missing or other").split(" ")
    return value >= float(edge) if op == ">=" else value < float(edge)


def rows_sample(schema: Schema, records, outside=(0, 0)) -> Sample:
    """Return a sample of coded rows."""
    rows = np.array([row for row, _ in records], dtype=np.int16).reshape(-1, len(schema))
    sample = Sample.of(rows, [label for _, label in records])
    return Sample.binary(sample.points, sample.zeros, sample.ones, outside)
