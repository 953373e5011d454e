"""Independent oracles: trees by definition, as sets of rows; splits read from their words."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from littlestone.data import Sample, Schema

from ..rows import holds, rows_sample


def domain(schema: Schema) -> np.ndarray:
    """Return all rows of codes."""
    return np.array(list(np.ndindex(*schema.n_codes)), dtype=np.int16)


def splits(schema: Schema) -> list[int]:
    """Return for each split the set of rows that answer yes, as a bit mask over `domain`."""
    rows, masks = domain(schema), []
    for j, column in enumerate(schema):
        tests = (
            [f"{op} {edge}" for edge in column.edges for op in (">=", "<")]
            if column.edges
            else [f"is {category}" for category in column.categories]
        )
        words = [column.describe(code) for code in range(column.n_codes)]
        for test in tests:
            yes = [holds(test, words[row[j]], column.name) for row in rows]
            masks.append(sum(1 << i for i, one in enumerate(yes) if one))
    return masks


def roots(schema: Schema, depth: int) -> list[Counter]:
    """Return for each root split: the functions (masks) of all its trees, and how often each."""
    everything = (1 << len(domain(schema))) - 1
    below = trees(schema, depth - 1)
    out = []
    for mask in splits(schema):
        yes, no = Counter(), Counter()
        for function, times in below.items():
            yes[function & mask] += times
            no[function & ~mask & everything] += times
        found = Counter()
        for f, m in yes.items():
            for g, k in no.items():
                found[f | g] += m * k
        out.append(found)
    return out


def trees(schema: Schema, depth: int) -> Counter:
    """Return the functions of all representations of a depth, and how often each occurs."""
    if depth == 0:
        return Counter([0, (1 << len(domain(schema))) - 1])
    return sum(roots(schema, depth), Counter())


def function(hypothesis, schema: Schema) -> int:
    """Return the set of rows that a hypothesis labels 1."""
    labels = hypothesis.predict(domain(schema))
    return sum(1 << i for i, one in enumerate(labels) if one)


def errors(mask: int, sample: Sample, schema: Schema) -> int:
    """Count the errors of a function, record by record."""
    rows = [tuple(row) for row in domain(schema).tolist()]
    position = {row: i for i, row in enumerate(rows)}
    wrong = sample.outside[1]
    for row, zeros, ones in zip(sample.points.tolist(), sample.zeros, sample.ones, strict=True):
        wrong += int(zeros) if mask >> position[tuple(row)] & 1 else int(ones)
    return wrong


@pytest.fixture(scope="session")
def brute():
    """Return the oracles of this room."""
    return SimpleNamespace(
        domain=domain, splits=splits, roots=roots, trees=trees, function=function, errors=errors,
        rows_sample=rows_sample,
    )  # fmt: skip
