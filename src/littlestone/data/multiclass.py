"""Samples with several labels: counts by a public list of labels, and cells outside of the list.

The list is public and never learned from the data. Its order gives the codes 0, 1, ..., k - 1. A
cell that equals no label of the list has the code k: no answer is right for it, and whatever is
answered costs the largest cost. So no record is dropped, and one record changes the cost of a
concept by at most the largest cost, as if all labels were listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from littlestone.costs import Costs
from littlestone.data.cells import Match
from littlestone.data.domains import OUTSIDE
from littlestone.data.points import as_points, distinct, totals
from littlestone.data.sample import Batch, check_lengths, equal
from littlestone.errors import DataError, ParameterError, parameter_error
from littlestone.types import Label, Points

if TYPE_CHECKING:
    from littlestone.data.counting import Groups
    from littlestone.data.domains import Domain
    from littlestone.data.formats import CsvFormat

__all__ = ["BINARY", "MulticlassSample", "check_labels", "codes_of"]

Counts = npt.NDArray[np.int64]

#: The labels of a class that lists none: 0 and 1.
BINARY: tuple[Label, ...] = (0, 1)

_MOST = 100


def check_labels(owner: str, labels: Any) -> tuple[Label, ...]:
    """Return a public list of labels, or refuse it.

    Parameters
    ----------
    owner : str
    labels : sequence of 2 to 100 texts, or of so many integers
        Different as cells of a table: 1 and "1.0" are the same.

    Raises
    ------
    ParameterError

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
        raise parameter_error(owner, "labels", rule, labels, hint)
    for i, label in enumerate(found):
        try:
            rule_of = Match(label)
        except ValueError:
            raise parameter_error(owner, "labels", f"{rule}, none missing", labels) from None
        if any(rule_of(other) for other in found[:i]):
            raise parameter_error(owner, "labels", rule, labels, hint)
    return tuple(found)


def codes_of(y: Any, labels: Sequence[Label], owner: str) -> Counts:
    """Return the codes of an array whose values are all among the public labels.

    Raises
    ------
    DataError
        If some value is not: says the list, never the value.

    Examples
    --------
    >>> codes_of(["b", "a"], ("a", "b", "c"), "doctest").tolist()
    [1, 0]
    """
    try:
        values = np.asarray(y)
    except ValueError:
        raise DataError(f"The labels given to {owner} must be values, not lists.") from None
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise parameter_error(owner, "y", "of shape (n,)", f"{values.ndim} dimensions")
    codes = np.full(len(values), len(labels), dtype=np.int64)
    for code, label in enumerate(labels):
        codes[equal(values, label)] = code
    if (codes == len(labels)).any():
        raise DataError(
            f"Every label given to {owner} must be one of the public labels {list(labels)}. Some "
            "label is not. The list is that of the class, labels=[...]: it is not learned from "
            "the data."
        )
    return codes


@dataclass(frozen=True, eq=False, repr=False)
class MulticlassSample:
    """n labelled records with k labels, as distinct points with a count for each label.

    Parameters
    ----------
    points : ndarray
        As in `Sample`.
    counts : int64 ndarray of shape (k + 1, points)
        How many records at each point have each label; in the last row, a cell outside the list.
    outside : tuple of k + 1 int
        Records outside the domain, by label; every concept labels them with the first label.
    costs : Costs
        Of mistakes; by default each costs 1.
    kinds : int64 ndarray of shape (n,), optional
        Where positions are kept (for verification): the kind of each record, see `dealing`.

    Examples
    --------
    >>> sample = MulticlassSample.of([5, 3, 5], [2, 0, 3], labels=3)
    >>> sample, sample.answer_costs.tolist()
    (MulticlassSample(n=3, labels=3), [[0, 2], [1, 2], [1, 1]])
    """

    points: Points
    counts: Counts
    outside: tuple[int, ...]
    costs: Costs
    kinds: Counts | None = None

    in_memory = True
    stored = False
    splits = False

    @property
    def labels(self) -> int:
        """Number of labels, k (public)."""
        return len(self.outside) - 1

    @property
    def n(self) -> int:
        """Number of records: public under replace-one."""
        return int(self.counts.sum()) + sum(self.outside)

    @property
    def by_label(self) -> Counts:
        """Number of records with each label, and with none of the list (private)."""
        return np.asarray(self.counts.sum(axis=1) + np.array(self.outside, dtype=np.int64))

    def complete(self) -> None:
        """Read what has not been read yet."""

    def batches(self) -> Iterator[Batch]:
        """Yield the points in canonical order; no batch is empty."""
        if len(self.points):
            yield Batch(self.points, self.counts)

    @property
    def answer_costs(self) -> Counts:
        """What each answer costs at each point, of shape (k, points)."""
        return np.asarray(self.costs.table.T @ self.counts)

    @property
    def outside_cost(self) -> int:
        """What the first label, which all concepts answer there, costs outside the domain."""
        return int(self.costs.table[:, 0] @ np.array(self.outside, dtype=np.int64))

    def cost_weighted(self, costs: Costs) -> MulticlassSample:
        """Return the sample with these costs of mistakes."""
        return replace(self, costs=costs)

    @classmethod
    def of(cls, points: object, codes: object, *, labels: int) -> MulticlassSample:
        """Count points that are known to lie in the domain, with codes 0, ..., k of labels.

        Raises
        ------
        ParameterError
            If there are more points than codes, or fewer.
        DataError
            If a code is none.
        """
        found, code = as_points(points), np.asarray(codes)
        if len(found) != len(code):
            raise ParameterError("There must be as many points as codes.")
        if len(code) and (code.dtype.kind not in "iu" or code.min() < 0 or code.max() > labels):
            raise DataError(f"The codes of labels must be integers from 0 to {labels}.")
        keys, where = distinct(found)
        counts = np.zeros((labels + 1, len(keys)), dtype=np.int64)
        if len(code):
            np.add.at(counts, (code, where), 1)
        return cls(keys, counts, (0,) * (labels + 1), Costs.equal(labels))

    @classmethod
    def listed(
        cls,
        points: Sequence[Any],
        codes: Sequence[int],
        labels: int,
        layout: Callable[[list[Any]], Points] = as_points,
    ) -> MulticlassSample:
        """Return the sample of a list of records, with their order; points may be `OUTSIDE`.

        Examples
        --------
        >>> from littlestone.data import OUTSIDE
        >>> sample = MulticlassSample.listed([5, 3, OUTSIDE], [2, 0, 1], labels=2)
        >>> sample.kinds.tolist(), sample.outside
        ([5, 0, 7], (0, 1, 0))
        """
        inside = np.array([point is not OUTSIDE for point in points], dtype=bool)
        code, rows = np.asarray(codes, dtype=np.int64), labels + 1
        keys, where = distinct(layout([points[i] for i in np.flatnonzero(inside).tolist()]))
        kinds = rows * len(keys) + code
        kinds[inside] = rows * where + code[inside]
        counts = np.bincount(kinds, minlength=rows * (len(keys) + 1)).astype(np.int64)
        table = counts.reshape(-1, rows).T
        outside = tuple(table[:, -1].tolist())
        return cls(keys, table[:, :-1], outside, Costs.equal(labels), kinds)

    @classmethod
    def from_arrays(
        cls, X: Any, y: Any, domain: Domain, *, labels: Sequence[Label], owner: str
    ) -> MulticlassSample:
        """Count Python arrays, strictly: a point or a label that is not public is refused.

        Raises
        ------
        DataError
            Names column and rule, never a value, a row or a count. A refusal because of a value
            is outside the privacy guarantee.

        Examples
        --------
        >>> from littlestone.data import IntegerDomain
        >>> MulticlassSample.from_arrays(
        ...     [5, 3], ["a", "c"], IntegerDomain(1, 9), labels=("a", "b", "c"), owner="doctest")
        MulticlassSample(n=2, labels=3)
        """
        points = domain.array(X, owner=owner)
        codes = codes_of(y, labels, owner)
        check_lengths(owner, len(points), y=len(codes))
        return cls.of(points, codes, labels=len(labels))

    @classmethod
    def read(
        cls,
        table: Any,
        *,
        x: str | Sequence[str] | None = None,
        y: str,
        domain: Domain,
        labels: Sequence[Label],
        strict: bool = False,
        csv: CsvFormat | str | Mapping[str, Any] | None = None,
        owner: str = "MulticlassSample.read",
    ) -> MulticlassSample:
        """Count a table where it lies, as `Sample.read` does; cells equal labels as there.

        Parameters
        ----------
        table, x, y, domain, csv, owner
            As for `Sample.read`.
        labels : sequence of int or str
            Public. A cell that equals none of them is counted as outside the list.
        strict : bool, default False
            Refuse points outside the domain and labels outside the list.

        Examples
        --------
        >>> import pyarrow as pa
        >>> from littlestone.data import IntegerDomain
        >>> table = pa.table({"dose": [3, 5, 5, None], "kind": ["a", "c", "?", "b"]})
        >>> read = MulticlassSample.read(
        ...     table, x="dose", y="kind", domain=IntegerDomain(1, 9), labels=("a", "b", "c"))
        >>> read.counts.tolist(), read.outside
        ([[1, 0], [0, 0], [0, 1], [0, 1]], (0, 1, 0, 0))
        """
        from littlestone.data.counting import group_table  # noqa: PLC0415 - engines are loaded late

        groups = group_table(
            owner, table, x=x, y=y, domain=domain, labels=labels, strict=strict, csv=csv
        )
        return cls.grouped(groups, len(labels))

    @classmethod
    def grouped(cls, groups: Groups, labels: int) -> MulticlassSample:
        """Return the sample of groups of so many labels, and cells outside the list."""
        inside, codes = groups.point >= 0, range(labels + 1)
        by_label = [inside & (groups.label == code) for code in codes]
        counts = [totals(groups.point[h], groups.n[h], len(groups.points)) for h in by_label]
        outside = [int(groups.n[~inside & (groups.label == code)].sum()) for code in codes]
        return cls(groups.points, np.array(counts), tuple(outside), Costs.equal(labels))

    def __repr__(self) -> str:
        return f"MulticlassSample(n={self.n}, labels={self.labels})"  # nothing else is public
