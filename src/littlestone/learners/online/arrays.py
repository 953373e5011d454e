"""Many records at once: arrays, lists and data frames as points and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.classes.listed import batch
from littlestone.data import OUTSIDE, IntegerDomain, RowDomain
from littlestone.errors import DataError
from littlestone.learners.online.records import point_of, truth

if TYPE_CHECKING:
    import numpy.typing as npt

    from littlestone.classes import ConceptClass
    from littlestone.types import Points

__all__ = ["labels_of", "points_of"]


def labels_of(owner: str, y: Any) -> npt.NDArray[np.int8]:
    """Return labels as an array; what is no label is refused, by the rule only."""
    try:
        labels = np.asarray(y)
    except ValueError:  # lists among the labels
        labels = np.full(1, None)
    if labels.ndim != 1 or labels.dtype.kind not in "biu":  # one by one: pandas.NA, for example
        labels = np.asarray([truth(owner, label) for label in np.ravel(labels).tolist()])
    if not np.all((labels == 0) | (labels == 1)):
        raise DataError(f"The labels given to {owner} must be 0 or 1 (or False, True).")
    return labels.astype(np.int8)


def points_of(
    concept_class: ConceptClass, X: Any, feature: str | None
) -> tuple[Points, npt.NDArray[np.bool_]]:
    """Return points in the domain's layout, and where they lie inside; total."""
    domain = concept_class.domain
    if hasattr(X, "columns") and not isinstance(domain, RowDomain):  # a data frame: one column
        names = list(X.columns)
        name = feature if feature in names else names[0] if len(names) == 1 else None
        X = np.full(len(X), None, dtype=object) if name is None else np.asarray(X[name])
    values = X if isinstance(X, np.ndarray) else None
    if values is not None and values.ndim == 2 and values.shape[1] == 1:
        values = X = values[:, 0]
    numbers = values is not None and values.dtype.kind in "iu" and values.dtype != np.uint64
    if isinstance(domain, IntegerDomain) and domain.small and numbers:
        points = np.asarray(values, dtype=np.int64)
        return points, (points >= domain.low) & (points <= domain.high)
    rows = list(X)
    if hasattr(X, "columns"):  # a data frame: pandas, or polars
        rows = X.to_dicts() if hasattr(X, "to_dicts") else X.to_dict("records")
    cells = [point_of(domain, row, feature) for row in rows]
    inside = np.array([cell is not OUTSIDE for cell in cells], dtype=bool)
    if not inside.any():
        # any points will do, in the layout that hypotheses read: whether there is one must not show
        return np.zeros((len(cells), *batch(concept_class, []).shape[1:]), dtype=np.int64), inside
    filler = cells[int(np.flatnonzero(inside)[0])]
    known = [filler if cell is OUTSIDE else cell for cell in cells]
    return batch(concept_class, known), inside
