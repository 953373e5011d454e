"""Records of a stream: total reading of points and labels, labels of one point, plain JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.classes.encoding import from_json, to_json
from littlestone.classes.hypotheses import AlwaysZero, PointHypothesis
from littlestone.classes.listed import batch
from littlestone.classes.thresholds import ThresholdHypothesis
from littlestone.data import OUTSIDE, AnyDomain, IntegerDomain, RowDomain, Sample
from littlestone.data.points import canonical
from littlestone.errors import DataError

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.data import Domain
    from littlestone.data.domains import Outside
    from littlestone.types import Hypothesis, Point

__all__ = [
    "Record",
    "label_of",
    "point_of",
    "read_records",
    "sample_of",
    "truth",
    "write_records",
]

#: Time, point (or `OUTSIDE`), label.
Record = tuple[int, Any, int]
_OUTSIDE_JSON = {"outside": True}


def point_of(domain: Domain, x: Any, feature: str | None = None) -> Point | Outside:
    """Return the point of one record; total: whatever is no point of the domain is `OUTSIDE`.

    Parameters
    ----------
    domain : Domain
    x : object
        A cell, a row, or river's dict of features. Rows of a schema are read by their names; of
        another dict the entry ``feature`` is read, or its only entry.
    feature : str, optional

    Examples
    --------
    >>> from littlestone.data import IntegerDomain
    >>> domain = IntegerDomain(1, 99)
    >>> [point_of(domain, x) for x in (7, {"age": 7}, {"a": 1, "b": 2}, "seven", 100)]
    [7, 7, OUTSIDE, OUTSIDE, OUTSIDE]
    """
    if type(x) is int and isinstance(domain, IntegerDomain):
        return domain.cell(x)
    if isinstance(x, Mapping) and not isinstance(domain, RowDomain):
        if feature is None and len(x) == 1:
            (x,) = x.values()
        elif feature is not None and feature in x:
            x = x[feature]
        else:
            return OUTSIDE
    if isinstance(domain, AnyDomain):  # Python values keep their type, as in `AnyDomain.array`
        try:
            return canonical(x)
        except DataError:
            return OUTSIDE
    return domain.cell(x)


def truth(owner: str, y: Any) -> int:
    """Return a label; a label that is none is refused.

    Raises
    ------
    DataError
        The message names the rule only. (A refusal is outside the privacy guarantee.)
    """
    if y is True or y is False or (isinstance(y, int | np.integer | np.bool_) and y in {0, 1}):
        return int(y)
    raise DataError(f"The labels given to {owner} must be 0 or 1 (or False, True).")


def label_of(hypothesis: Hypothesis, point: Any, concept_class: ConceptClass) -> int:
    """Return the label of one point; 0 outside the domain.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> [label_of(ThresholdHypothesis(4, 1, 9), x, Thresholds(1, 9)) for x in (5, OUTSIDE)]
    [1, 0]
    """
    if point is OUTSIDE:
        return 0
    match hypothesis:  # the common ones, without an array
        case ThresholdHypothesis():
            return int(hypothesis.above < point <= hypothesis.high)
        case AlwaysZero():
            return 0
        case PointHypothesis():
            return int(hypothesis.point == point)
    return int(hypothesis.predict(batch(concept_class, [point]))[0])


def sample_of(records: Iterable[Record], concept_class: ConceptClass) -> Sample:
    """Return records as a sample: time and order are gone.

    Examples
    --------
    >>> from littlestone.classes import Thresholds
    >>> found = sample_of([(0, 7, 1), (3, OUTSIDE, 1), (9, 7, 0)], Thresholds(1, 9))
    >>> found.points, found.zeros, found.ones, found.outside
    (array([7]), array([1]), array([1]), (0, 1))
    """
    inside, labels, outside = [], [], [0, 0]
    for _, x, y in records:
        if x is OUTSIDE:
            outside[y] += 1
        else:
            inside.append(x)
            labels.append(y)
    counted = Sample.of(batch(concept_class, inside), labels)
    return Sample(counted.points, counted.zeros, counted.ones, (outside[0], outside[1]))


def write_records(records: Iterable[Record]) -> list[list[Any]]:
    """Return records as JSON.

    Examples
    --------
    >>> write_records([(0, "a", 1), (4, OUTSIDE, 0)])
    [[0, 'a', 1], [4, {'outside': True}, 0]]
    """
    return [[t, _OUTSIDE_JSON if x is OUTSIDE else to_json(x), y] for t, x, y in records]


def read_records(data: Iterable[Sequence[Any]]) -> list[Record]:
    """Read back what `write_records` wrote."""
    return [(int(t), OUTSIDE if x == _OUTSIDE_JSON else from_json(x), int(y)) for t, x, y in data]
