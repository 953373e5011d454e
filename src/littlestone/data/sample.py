"""Labelled records as counts: what a learner is allowed to see."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.data.points import as_points, canonical_order, distinct, totals
from littlestone.errors import DataError, ParameterError, parameter_error
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.costs import Costs
    from littlestone.data.domains import Domain
    from littlestone.data.formats import CsvFormat

__all__ = ["LazySample", "Sample", "as_points", "canonical_order", "check_same", "count"]

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """n labelled records, as distinct points with a count for each label.

    Records whose point lies outside the public domain are counted in ``outside``; every concept
    labels such a point 0. No record is ever dropped, so ``n`` (public) counts all of them.

    Parameters
    ----------
    points : ndarray
        Distinct points in canonical (sorted) order: 1-D int64; 1-D object (integers of any size,
        texts, tuples); or 2-D integer codes, one row for each distinct row of a schema.
    zeros, ones : int64 ndarray
        How many records at each point carry label 0, label 1.
    outside : (int, int)
        Records outside the domain with label 0, with label 1.

    Examples
    --------
    >>> Sample.of([5, 3, 5], [1, 0, 1]).n
    3
    """

    points: Points
    zeros: Counts
    ones: Counts
    outside: tuple[int, int] = (0, 0)

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return int(self.zeros.sum()) + int(self.ones.sum()) + sum(self.outside)

    @property
    def positives(self) -> int:
        """Number of records with label 1 (private)."""
        return int(self.ones.sum()) + self.outside[1]

    def pieces(self) -> Iterator[Sample]:
        """Yield samples of some records each, which together are this one: itself, if in memory."""
        yield self

    def priced(self, costs: Costs) -> Sample:
        """Return the sample in which each record counts as many as a mistake on it costs.

        Examples
        --------
        >>> from littlestone.costs import Costs
        >>> Sample.of([3, 5], [0, 1]).priced(Costs.of({0: 1, 1: 9})).ones.tolist()
        [0, 9]
        """
        (_, zero), (one, _) = costs.matrix
        outside = (self.outside[0] * zero, self.outside[1] * one)
        return Sample(self.points, self.zeros * zero, self.ones * one, outside)

    @classmethod
    def of(cls, points: object, labels: object) -> Sample:
        """Count points (a 1-D or 2-D array or a list) that are known to lie in the domain.

        Raises
        ------
        ParameterError
            If there are more points than labels, or fewer.
        DataError
            If a label is neither 0 nor 1.
        """
        return count(as_points(points), np.asarray(labels))

    @classmethod
    def from_arrays(
        cls,
        X: Any,
        y: Any,
        domain: Domain,
        *,
        classes: Sequence[Any] = (0, 1),
        owner: str = "Sample.from_arrays",
    ) -> Sample:
        """Count Python arrays, strictly: what is outside the public domain is refused.

        Parameters
        ----------
        X : array-like of shape (n,), (n, 1), or (n, columns) for rows of a schema
        y : array-like of shape (n,)
        domain : Domain
        classes : pair
            The public labels (negative, positive).
        owner : str
            Who asks, for messages.

        Raises
        ------
        DataError
            Names column and rule, never a value, a row or a count. A refusal because of a value
            is outside the privacy guarantee.

        Examples
        --------
        >>> from littlestone.data import IntegerDomain
        >>> Sample.from_arrays([5, 3, 5], ["y", "n", "y"], IntegerDomain(1, 9), classes=("n", "y"))
        Sample(n=3)
        """
        points = domain.array(X, owner=owner)
        labels = strict_labels(y, classes, owner)
        check_lengths(owner, len(points), y=len(labels))
        return count(points, labels)

    @classmethod
    def read(
        cls,
        table: Any,
        *,
        x: str | Sequence[str] | None = None,
        y: str,
        domain: Domain,
        positive: Any = 1,
        strict: bool = False,
        negative: Any = None,
        csv: CsvFormat | str | Mapping[str, Any] | None = None,
        owner: str = "Sample.read",
    ) -> Sample:
        """Count a table where it lies: the engine groups, and each distinct cell is converted.

        Every cell is converted alone by public rules, so nothing in the table can stop the
        reading, and one odd cell changes one record only: a point that is not in the domain is
        counted in ``outside``, a label is 1 when its cell equals ``positive``.

        Parameters
        ----------
        table : path, data frame or relation
            A CSV (``.csv``, ``.tsv``, ``.gz``) or Parquet path, or a folder of one kind; a
            pandas, polars, pyarrow or NumPy structured table; a DuckDB relation; a Spark data
            frame; or what `littlestone.data.read_table` returned.
        x : str, optional
            Column of the points; for rows of a schema nothing (its columns are read by name).
        y : str
            Column of the labels.
        domain : Domain
            `IntegerDomain`, `TextDomain`, `AnyDomain` or `RowDomain`.
        positive : int, float, bool or str, default=1
            Public. A label is 1 when its cell is the same number (1, 1.0, "1", True) or the same
            text; a missing label is 0.
        strict : bool, default=False
            Refuse cells outside the public domain, and missing labels, instead of counting them.
            A refusal because of a value is outside the privacy guarantee.
        negative : optional
            With ``strict``: the only other label that is allowed.
        csv : CsvFormat, str or mapping, optional
            How a CSV file is written, for example ``"sep=;, decimal=comma, encoding=latin-1"``; by
            default what the schema declares. It is never guessed from the cells.
        owner : str
            Who asks, for messages.

        Returns
        -------
        Sample
            n counts every row of the table; a table without rows is a sample of none.

        Raises
        ------
        ParameterError
            A column or file that does not exist, a label that nothing can equal.
        DataError
            An unreadable table; with ``strict``, a cell outside the domain. The engine's
            own message is replaced, because engines quote rows.

        Notes
        -----
        *Cost.* One grouping in the engine; Python sees distinct groups only. 10 million rows with
        100,000 distinct points: about a second on two cores (``benchmarks/counts.py``).

        Examples
        --------
        >>> import pyarrow as pa
        >>> from littlestone.data import IntegerDomain
        >>> table = pa.table({"dose": ["3", "5 ", "x", None], "ill": ["1", "0", "1.0", "yes"]})
        >>> sample = Sample.read(table, x="dose", y="ill", domain=IntegerDomain(1, 9))
        >>> sample.points, sample.ones, sample.outside
        (array([3, 5]), array([1, 0]), (1, 1))
        """
        from littlestone.data.counting import group_table  # noqa: PLC0415 - engines are loaded late

        groups = group_table(
            owner,
            table,
            domain,
            x=x,
            y=y,
            positive=positive,
            negative=negative,
            strict=strict,
            csv=csv,
        )
        return grouped(groups.points, groups.point, groups.label, groups.count)

    def __repr__(self) -> str:
        return f"Sample(n={self.n})"  # nothing else is public


class LazySample(Sample, ABC):
    """A sample that knows what some learners ask for, and is counted if more is asked.

    It was read by the rules of its domain, so its points need no check.
    """

    def __init__(self, **kept: Any) -> None:
        self.__dict__.update(kept)  # a sample is frozen

    @abstractmethod
    def count(self) -> Sample:
        """Return the sample with all its points."""

    def check_same(self, n: int) -> None:
        """Refuse a table that has another number of records (public) at a second reading."""
        check_same([n, self.n])

    @cached_property
    def _counted(self) -> Sample:
        return self.count()

    @property
    def points(self) -> Points:
        """Distinct points; counts the table."""
        return self._counted.points

    @property
    def zeros(self) -> Counts:
        """Records with label 0 at each point; counts the table."""
        return self._counted.zeros

    @property
    def ones(self) -> Counts:
        """Records with label 1 at each point; counts the table."""
        return self._counted.ones


def check_same(found: Sequence[int]) -> None:
    """Refuse readings of one table that found different numbers of records (public).

    Examples
    --------
    >>> check_same([7, 7, 8])
    Traceback (most recent call last):
    littlestone.errors.DataError: The table has changed between two readings of it. Nothing is ...
    """
    if len(set(found)) > 1:
        raise DataError(
            "The table has changed between two readings of it. Nothing is released; learn "
            "from a copy, or from one state of it."
        )


def grouped(
    points: Points, point: npt.NDArray[np.int64], label: npt.NDArray[np.int8], counts: Counts
) -> Sample:
    """Return the sample of groups (index of a point or -1 for outside, label, count)."""
    inside = point >= 0
    by_label = []
    for value in (0, 1):
        which = label == value
        chosen = which & inside
        by_label.append(
            (totals(point[chosen], counts[chosen], len(points)), int(counts[which & ~inside].sum()))
        )
    (zeros, outside_zeros), (ones, outside_ones) = by_label
    return Sample(points, zeros, ones, (outside_zeros, outside_ones))


def count(points: Points, labels: npt.NDArray[Any]) -> Sample:
    """Count labelled points into a `Sample`."""
    if len(points) != len(labels):
        raise ParameterError("The points and labels given to Sample.of must have the same length.")
    ones = labels == 1
    if not np.all(ones | (labels == 0)):
        raise DataError("The labels given to Sample.of must be 0 or 1.")
    keys, where = distinct(points)
    total = np.bincount(where, minlength=len(keys)).astype(np.int64)
    positive = np.bincount(where[ones], minlength=len(keys)).astype(np.int64)
    return Sample(keys, total - positive, positive)


def strict_labels(y: Any, classes: Sequence[Any], owner: str) -> npt.NDArray[np.int64]:
    """Return labels 0 and 1 of an array whose values are all among two public classes."""
    if len(classes) != 2 or classes[0] == classes[1]:
        constraint = "two different labels (negative, positive)"
        raise parameter_error(owner, "classes", constraint, list(classes))
    try:
        values = np.asarray(y)
    except ValueError:
        raise DataError(f"The labels given to {owner} must be values, not lists.") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise parameter_error(owner, "y", "of shape (n,)", f"{values.ndim} dimensions")
    positive = equal(values, classes[1])
    if not np.all(positive | equal(values, classes[0])):
        raise DataError(
            f"Every label given to {owner} must be one of the public classes {list(classes)}. "
            "Some label is not. Set classes=(negative, positive): the set of classes is not "
            "learned from the data."
        )
    return positive.astype(np.int64)


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


def check_lengths(owner: str, n: int, **others: int) -> None:
    """Refuse arrays of different lengths (shapes of arguments are public, and not printed)."""
    for name, length in others.items():
        if length != n:
            raise ParameterError(f"The {name!r} parameter of {owner} must be as long as X.")
