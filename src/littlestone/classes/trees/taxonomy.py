"""Reading a taxonomy: from a mapping, a sequence of parents, or a public CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.data.cells import text
from littlestone.errors import ParameterError, parameter_error
from littlestone.safe_io import read_text

__all__ = ["Taxonomy", "as_names", "preorder", "read_taxonomy"]

#: For each name its parent's; None at the top.
Taxonomy = dict[str, str | None]
_WIDEST = 1000  # columns of a file


def read_taxonomy(path: str | Path) -> Taxonomy:
    """Read a CSV file with the columns ``node`` and ``parent``; see `TreePaths.from_csv`.

    Raises
    ------
    ParameterError
    """
    what = f"The taxonomy file {str(path)!r}"
    written = read_text(path, "taxonomy file", bom=True)
    try:
        reader = csv.DictReader(io.StringIO(written, newline=""))
        rows = list(reader) if len(reader.fieldnames or ()) <= _WIDEST else []
    except csv.Error:
        raise ParameterError(f"{what} is not a CSV file in UTF-8.") from None
    if not rows or not {"node", "parent"} <= set(rows[0]):
        raise ParameterError(f"{what} needs a header with node and parent, and at least one row.")
    parents: Taxonomy = {}
    for row in rows:
        node = text(row["node"])
        if node is None or node in parents:
            raise ParameterError(f"{what} must name every node, and each once. See {node!r}.")
        parents[node] = text(row["parent"])
    return parents


def as_names(parents: Any) -> Taxonomy:
    """Return a mapping from names to names; None at the top."""
    if not isinstance(parents, Mapping):
        pairs: Any = list(enumerate(parents))
        parents = {i: None if up is None or up == -1 else up for i, up in pairs}
    out: Taxonomy = {}
    for node, above in parents.items():
        name = text(node)
        if name is None or name in out:
            raise parameter_error("TreePaths", "parents", "of distinct, nonempty names", node)
        out[name] = None if above is None else text(above)
    if not out:
        raise parameter_error("TreePaths", "parents", "of at least one node", {})
    return out


def preorder(parents: Taxonomy) -> tuple[list[str], Any, list[int]]:
    """Sort a taxonomy: names in preorder, siblings by name.

    Returns
    -------
    names : list of str
    parents : int64 ndarray
        For each name the place of its parent, -1 at the top.
    ends : list of int
        For each name the place after its last descendant.

    Raises
    ------
    ParameterError
        If a parent is no node, or there is a cycle.
    """
    children: dict[str | None, list[str]] = {}
    for name in sorted(parents, reverse=True):
        above = parents[name]
        if above is not None and above not in parents:
            hint = "List every parent as a node; a top node has no parent."
            raise parameter_error("TreePaths", "parents", "nodes themselves", above, hint)
        children.setdefault(above, []).append(name)
    names: list[str] = []
    above_rank: list[int] = []
    waiting = [(name, -1) for name in children.get(None, ())]
    while waiting:
        name, rank = waiting.pop()
        waiting += [(child, len(names)) for child in children.get(name, ())]
        above_rank.append(rank)
        names.append(name)
    if len(names) < len(parents):
        looping = min(set(parents) - set(names))
        raise parameter_error("TreePaths", "parents", "free of cycles", looping)
    ends = list(range(1, len(names) + 1))
    for rank in range(len(names) - 1, -1, -1):
        if above_rank[rank] >= 0:
            ends[above_rank[rank]] = max(ends[above_rank[rank]], ends[rank])
    return names, np.array(above_rank, dtype=np.int64), ends
