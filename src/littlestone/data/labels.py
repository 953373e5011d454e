"""Public lists of labels: their order gives the codes 0, ..., k - 1; k is what equals none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from littlestone.data.cells import Match
from littlestone.errors import DataError, parameter_error
from littlestone.types import Label

Counts = npt.NDArray[np.int64]

#: The labels of a class that lists none: 0 and 1.
BINARY: tuple[Label, ...] = (0, 1)

_MOST = 100


def check_labels(caller: str, labels: Any) -> tuple[Label, ...]:
    """Return a public list of labels, or refuse it.

    Examples
    --------
    >>> check_labels("doctest", ["setosa", "virginica"])
    ('setosa', 'virginica')
    """
    rule = f"a list of 2 to {_MOST} different labels, all of them texts or all integers"
    hint = 'For example ["a", "b", "c"]: the order gives the codes. It is public.'
    listed = [] if isinstance(labels, str | bytes) or not hasattr(labels, "__iter__") else labels
    found = [label.item() if isinstance(label, np.generic) else label for label in listed]
    kinds = {type(label) for label in found}
    if kinds not in ({str}, {int}) or not 2 <= len(found) <= _MOST:
        raise parameter_error(caller, "labels", rule, labels, hint)
    for i, label in enumerate(found):
        try:
            rule_of = Match(label)
        except ValueError:
            raise parameter_error(caller, "labels", f"{rule}, none missing", labels) from None
        if any(rule_of(other) or Match(other)(label) for other in found[:i]):
            raise parameter_error(caller, "labels", rule, labels, hint)
    return tuple(found)


def label_values(y: Any, caller: str) -> npt.NDArray[Any]:
    """Return the labels of an array in one dimension, whatever they are.

    Examples
    --------
    >>> label_values([["a"], ["b"]], "doctest").tolist()
    ['a', 'b']
    """
    try:
        values = np.asarray(y)
    except ValueError:
        raise DataError(f"The labels given to {caller} must be values, not lists.") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        hint = "Give a list or an array with one label for each record."
        raise parameter_error(caller, "y", "of shape (n,)", f"{values.ndim} dimensions", hint)
    return values


def codes_of(y: Any, labels: Sequence[Label], caller: str) -> Counts:
    """Return the codes of an array whose values are all among the public labels.

    Examples
    --------
    >>> codes_of(["b", "a"], ("a", "b", "c"), "doctest").tolist()
    [1, 0]
    """
    values = label_values(y, caller)
    codes = np.full(len(values), len(labels), dtype=np.int64)
    for code, label in enumerate(labels):
        codes[equal(values, label)] = code
    if (codes == len(labels)).any():
        raise DataError(
            f"Every label given to {caller} must be one of the public labels {list(labels)}. Some "
            "label is not. The list is that of the class, labels=[...]: it is not learned from "
            "the data."
        )
    return codes


def equal(values: npt.NDArray[Any], label: Any) -> npt.NDArray[np.bool_]:
    """Return which values equal a public label; what cannot be compared (pandas.NA) does not.

    Examples
    --------
    >>> equal(np.array([1, None, "1"], dtype=object), 1).tolist()
    [True, False, False]
    """
    try:
        found = np.asarray(values == label)
        if found.dtype == bool and found.shape == values.shape:
            return found
    except Exception:  # noqa: S110 - some object's own comparison: its words may quote it
        pass
    return np.fromiter((_equals(value, label) for value in values), np.bool_, len(values))


def _equals(value: Any, label: Any) -> bool:
    try:
        return bool(value == label)
    except Exception:
        return False
