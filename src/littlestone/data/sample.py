"""Labelled records as counts: what a learner is allowed to see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from littlestone.data.points import as_points, canonical_order, distinct, totals
from littlestone.errors import DataError, ParameterError, parameter_error
from littlestone.types import Points

if TYPE_CHECKING:
    from littlestone.costs import Costs
    from littlestone.data.code_tables import CodeTables
    from littlestone.data.domains import Domain, Line
    from littlestone.data.formats import CsvFormat

__all__ = ["Batch", "Extremes", "Sample", "as_points", "canonical_order", "count"]

Counts = npt.NDArray[np.int64]


class Batch(NamedTuple):
    """Some distinct points, with counts of shape (labels, points).

    Points are of shape (points,), or (points, columns) where they are rows of codes.
    """

    points: Points
    counts: Counts


class Extremes(NamedTuple):
    """The outermost records of a sample of integers: all that a threshold can be wrong about.

    One entry for each record, the farthest out first: the largest points labelled 0, descending,
    and the smallest ones labelled 1, ascending. How many records there are with each label is said
    inside the domain, and outside.
    """

    zeros: npt.NDArray[Any]
    ones: npt.NDArray[Any]
    inside: tuple[int, int]
    outside: tuple[int, int]

    @property
    def n(self) -> int:
        """Number of records (public)."""
        return sum(self.inside) + sum(self.outside)


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

    #: Whether the points are in memory; if not, they were read by the rules of their domain.
    in_memory = True
    #: Whether batches come from a private copy on the disk.
    stored = False
    #: Whether records are split without being brought together.
    splits = False

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return int(self.zeros.sum()) + int(self.ones.sum()) + sum(self.outside)

    @property
    def positives(self) -> int:
        """Number of records with label 1 (private)."""
        return int(self.ones.sum()) + self.outside[1]

    @property
    def negatives(self) -> int:
        """Number of records with label 0 inside the domain (private)."""
        return int(self.zeros.sum())

    def complete(self) -> None:
        """Read what has not been read yet: afterwards no reading can fail."""

    def batches(self, line: Line | None = None) -> Iterator[Batch]:
        """Yield the points in canonical order, or their numbers on a line; no batch is empty."""
        if len(self.points):
            yield _on_line(Batch(self.points, np.stack([self.zeros, self.ones])), line)

    def tables(self, order: int) -> CodeTables:
        """Return the counts of stored rows by the codes of sets of columns."""
        raise TypeError("Rows in memory are looked at themselves.")

    def extremes(self, most: int) -> Extremes:
        """Return at least ``most`` outermost records of each label, or all that there are.

        Examples
        --------
        >>> found = Sample.of([5, 3, 5, 8], [0, 0, 0, 1]).extremes(2)
        >>> found.zeros, found.ones, found.inside
        (array([5, 5]), array([8]), (3, 1))
        """
        return outermost(self.batches(), most, self.outside)

    def cost_weighted(self, costs: Costs) -> Sample:
        """Return the sample in which each record counts as many as a mistake on it costs.

        Examples
        --------
        >>> from littlestone.costs import Costs
        >>> Sample.of([3, 5], [0, 1]).cost_weighted(Costs.of({0: 1, 1: 9})).ones.tolist()
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
            x=x,
            y=y,
            domain=domain,
            positive=positive,
            negative=negative,
            strict=strict,
            csv=csv,
        )
        return grouped(*groups[:4])

    def __repr__(self) -> str:
        return f"Sample(n={self.n})"  # nothing else is public


def _on_line(batch: Batch, line: Line | None) -> Batch:
    if line is None:
        return batch
    keys = line.keys(batch.points)
    order = np.argsort(keys, kind="stable")
    return Batch(keys[order], batch.counts[:, order])


def outermost(batches: Iterator[Batch], most: int, outside: tuple[int, int]) -> Extremes:
    """Return the extremes of sorted batches: keep the last points labelled 0, the first ones 1."""
    zeros: list[Any] = []
    ones: list[Any] = []
    inside, last, first = np.zeros(2, dtype=np.int64), 0, 0
    for points, counts in batches:
        inside += counts.sum(axis=1)
        here = _repeated(points[::-1], counts[0, ::-1], most)[::-1]
        zeros.append(here)
        last += len(here)
        while last - len(zeros[0]) >= most:
            last -= len(zeros.pop(0))
        here = _repeated(points, counts[1], most - first)
        ones.append(here)
        first += len(here)
    none = [np.zeros(0, dtype=np.int64)]
    found = np.concatenate(zeros or none)[::-1][:most], np.concatenate(ones or none)
    zero, one = inside.tolist()
    return Extremes(*found, (zero, one), outside)


def _repeated(points: Points, counts: Counts, most: int) -> Points:
    """Return the first records, an entry for each."""
    needed = np.flatnonzero(counts)[:most]  # each of them is a record at least
    times = counts[needed]
    times = np.clip(most - (np.cumsum(times) - times), 0, times)
    return np.repeat(points[needed], times)


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
