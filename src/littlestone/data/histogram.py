"""What noisy counts say of a column of numbers: cells, how many records each has, and bins.

The cells are public and share out all numbers: 0, small whole numbers, and from one power of ten to
the next 1, 1.5, 2, 3, 5 and 7. Their counts have noise of a known deviation, and most cells are
empty: `smoothed` finds the runs of cells that have records, and what each cell of a run has. Bins
begin at cells, so at round numbers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import pairwise, product
from math import prod
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from littlestone.data.domains import RowDomain
from littlestone.data.schema import Column, Schema
from littlestone.errors import ParameterError, parameter_error
from littlestone.types import Json, Points

_SMALLEST, _LARGEST = -4, 12  # powers of ten: the sizes of numbers that are distinguished
_WITHIN = ("1", "1.5", "2", "3", "5", "7")  # where cells begin, times a power of ten
_FEW = (*range(11), 15, 20, 25, 30, 40, 50, 60, 80)  # whole numbers that are counted, or nearly
_YEARS = range(1900, 2040, 10)
_PARTS = 10  # of a cell, at most
_FAR = 1000  # times as large as half of the numbers
_FINEST = 2  # a bin has at least such a part of an equal share
_CUTS = 4  # of a cell that has more than two shares, and was not split: it is cut blindly
_ONES = range(1, 10)  # where a cell begins that holds whole numbers, if 0 is seen, too


class Cell(NamedTuple):
    """The numbers from ``low`` to below ``high``, times a power of ten."""

    low: int
    high: int
    power: int

    @property
    def start(self) -> float:
        """The least number."""
        return float(f"{self.low}e{self.power}")

    @property
    def end(self) -> float:
        """The least number beyond."""
        return float(f"{self.high}e{self.power}")

    def parts(self, *, whole: bool) -> list[Cell]:
        """Return at most ten equal parts that begin at round numbers; none of one whole number.

        Examples
        --------
        >>> [part.start for part in Cell(20, 25, 0).parts(whole=True)]
        [20.0, 21.0, 22.0, 23.0, 24.0]
        >>> [part.start for part in Cell(7, 10, 1).parts(whole=False)]
        [70.0, 75.0, 80.0, 85.0, 90.0, 95.0]
        >>> Cell(0, 1, 0).parts(whole=True)
        []
        """
        low, high, power = self
        if 0 in (low, high):  # 0, and what is as near to it
            return []
        first, last = (Decimal(f"{end}e{power}") for end in (low, high))
        steps = (Decimal(f"{digit}e{p}") for p in range(power - 2, 99) for digit in (1, 2, 5))
        step = next(step for step in steps if step * _PARTS >= last - first)
        step = max(step, Decimal(1)) if whole else step
        count = math.ceil((last - first) / step)
        edges = [*(first + i * step for i in range(count)), last]
        return cells_of(edges) if count > 1 else []


def cells_of(edges: Sequence[Decimal]) -> list[Cell]:
    """Return the cells between edges that follow each other.

    Examples
    --------
    >>> cells_of([Decimal("1"), Decimal("1.5"), Decimal("20")])
    [Cell(low=10, high=15, power=-1), Cell(low=15, high=200, power=-1)]
    """
    found = []
    for low, high in pairwise(edges):
        power = min(int(end.normalize().as_tuple().exponent) for end in (low, high) if end)
        found.append(Cell(int(low.scaleb(-power)), int(high.scaleb(-power)), power))
    return found


@lru_cache(maxsize=2)
def grid(*, whole: bool) -> tuple[Cell, ...]:
    """Return the cells of numbers, or of whole ones, in their order.

    Examples
    --------
    >>> [cell.start for cell in grid(whole=True) if -2 <= cell.start < 9]
    [-2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    >>> len(grid(whole=True)), len(grid(whole=False))
    (130, 161)
    """
    first = 0 if whole else _SMALLEST
    sizes = [Decimal(f"{digit}e{p}") for p in range(first, _LARGEST) for digit in _WITHIN]
    up = {size for size in sizes if not whole or size == int(size)}
    up |= {*map(Decimal, (*_FEW, *_YEARS)), Decimal(f"1e{_LARGEST}")}
    down = {-Decimal(f"{digit}e{p}") for p in range(first // 2, _LARGEST) for digit in (1, 2, 5)}
    return tuple(cells_of(sorted(up | down | {-Decimal(f"1e{_LARGEST}")})))


def smoothed(counts: Sequence[int], penalty: float, least: float) -> list[float]:
    """Return about how many records each cell has, where most cells have none.

    Of all sets of runs of cells, each with one mean and the rest with 0, the one that is best by
    least squares, where a run must explain ``penalty``; of no run if none explains ``least``.

    Examples
    --------
    >>> smoothed([3, -2, 90, 110, 1, 0, -4, 60], 400.0, 800.0)
    [0.0, 0.0, 100.0, 100.0, 0.0, 0.0, 0.0, 60.0]
    """
    size = len(counts)
    sums = np.concatenate([[0.0], np.cumsum(np.array(counts, dtype=float))])
    best, first, most = np.zeros(size + 1), np.full(size + 1, -1), 0.0
    for end in range(1, size + 1):
        length = np.arange(end, 0, -1)
        explained = np.maximum(sums[end] - sums[:end], 0) ** 2 / length
        most = max(most, float(explained.max()))
        gains = best[:end] + explained - penalty
        start = int(np.argmax(gains))
        best[end] = best[end - 1]
        if gains[start] > best[end]:
            best[end], first[end] = gains[start], start
    found, end = [0.0] * size, size if most >= least else 0
    while end:
        start = int(first[end])
        if start < 0:
            end -= 1
            continue
        mean = float(sums[end] - sums[start]) / (end - start)
        found[start:end] = [mean] * (end - start)
        end = start
    return found


def _near(masses: Mapping[Cell, float]) -> list[Cell]:
    """Return cells in their order, without those of few records that are far larger than most.

    They are noise, or would be in the last bin anyway.
    """
    sized = sorted((max(abs(c.start), abs(c.end)), mass) for c, mass in masses.items() if c.low)
    whole, inside, middle = sum(masses.values()), 0.0, math.inf
    half = sum(mass for _, mass in sized) / 2
    for size, mass in sized:
        inside += mass
        if inside >= half:
            middle = size
            break
    near = [
        cell for cell, mass in masses.items()
        if max(abs(cell.start), abs(cell.end)) <= _FAR * middle or mass > whole / 10
    ]  # fmt: skip
    return sorted(near, key=lambda cell: cell.start)


def _share(whole: float, atoms: Sequence[float], bins: int) -> float:
    """Return the mass of a bin: of what large cells leave that are bins by themselves."""
    share = whole / bins
    for _ in range(bins):
        large = [mass for mass in atoms if mass >= share]
        share = min(share, (whole - sum(large)) / max(bins - len(large), 1))
    return max(share, whole / (_FINEST * bins))


def bins_of(
    masses: Mapping[Cell, float], bins: int, *, whole: bool, counted: Collection[Cell] = (),
    flags: bool = False,
) -> list[float]:  # fmt: skip
    """Return the edges of about ``bins`` bins of equal mass; 0 is a bin of its own.

    Cells of much more are cut blindly, but for those that were ``counted`` as parts of others, and
    with ``flags`` for those between whole numbers up to 10 if 0 is seen: such columns are mostly
    counts or flags. No more than twice as many bins; no edge where all records have one value.

    Examples
    --------
    >>> bins_of({Cell(0, 1, 0): 40.0, Cell(1, 2, 0): 0.0, Cell(2, 3, 0): 60.0}, 4, whole=True)
    [1.0]
    >>> bins_of({Cell(2, 3, 1): 100.0, Cell(3, 4, 1): 100.0}, 4, whole=True)
    [25.0, 30.0, 35.0]
    >>> bins_of({Cell(0, 1, -4): 40.0, Cell(10, 15, -1): 60.0}, 4, whole=False, flags=True)
    [1.0]
    """
    ordered = _near({cell: mass for cell, mass in masses.items() if mass > 0})
    zeros = flags and any(cell.low == 0 for cell in ordered)
    parts: dict[Cell, list[Cell]] = {}
    for cell in ordered:
        one = whole or (zeros and cell.start in _ONES)
        parts[cell] = [] if cell in counted else cell.parts(whole=one)
    atoms = [masses[cell] for cell in ordered if not parts[cell]]
    share = _share(sum(masses[cell] for cell in ordered), atoms, bins)
    edges, inside, after_zero = set[float](), 0.0, False
    for i, cell in enumerate(ordered):
        mass = masses[cell]
        if i and (after_zero or inside + mass / 2 > share or (mass > share and inside)):
            apart = after_zero and cell.start > 1  # rare values may lie between
            edges.add(ordered[i - 1].end if apart else cell.start)
            inside = 0.0
        inside += mass
        after_zero = cell.low == 0
        cuts = min(_CUTS, round(mass / share), len(parts[cell]))
        if cuts > 1:
            edges |= {parts[cell][len(parts[cell]) * i // cuts].start for i in range(1, cuts)}
            inside = mass / cuts
    if after_zero and not edges:  # what else there is was not seen
        edges = {ordered[0].end}
    return sorted(edges)


# -- Public groups of records, by the cells of a few public columns: what an evaluation is split
# by.
#
# Groups are a function of one record's own cells and of a schema that was written down: nothing
# of them is learned from records. Each record is in exactly one.


#: Groups, beside the one of records of which some cell is missing or other.
MOST_GROUPS = 8


@dataclass(frozen=True)
class Groups:
    """The groups of the categories or bins of columns; last, records with an odd or missing cell.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30]}, "sex": {"categories": ["f", "m"]}})
    >>> groups = Groups.parse("fit", ["sex"], schema)
    >>> groups.names
    ('sex is f', 'sex is m', 'missing or other')
    >>> rows = np.array([[2, 3], [3, 2], [3, 1]])
    >>> groups.over(schema, "fit").split(rows)[1].tolist()
    [1, 0, 2]
    """

    columns: tuple[Column, ...]

    @classmethod
    def parse(cls, caller: str, by: Any, schema: Schema | None) -> Self:
        """Return the groups by columns of a schema, or by the columns of ``by``, a schema itself.

        `ParameterError` where their categories were learned from records, or groups are too many.
        """
        asked = (by,) if isinstance(by, str) else by
        if isinstance(asked, Schema):
            schema, asked = asked, asked.names
        rule = f"different columns of at most {MOST_GROUPS} groups, such as sex or sex,site"
        several = isinstance(asked, list | tuple) and all(isinstance(name, str) for name in asked)
        if not several or not asked or len(set(asked)) < len(asked):
            raise parameter_error(caller, "by", rule, asked)
        if schema is None or not schema.bound:
            raise ParameterError(
                f"The 'by' parameter of {caller} needs a schema that names the categories or bins "
                "of the groups, since the list of groups must be public. Give schema= (--schema), "
                "or by= a schema of these columns alone."
            )
        if schema.proposal is not None:
            raise ParameterError(
                f"The groups of {caller} must be public, but the columns of this schema were "
                "learned from records. Give by= a schema of these columns, written from public "
                "knowledge."
            )
        columns = tuple(replace(schema[name], monotone=None) for name in asked)
        found = cls(columns)
        if found.size > MOST_GROUPS:
            each = " x ".join(f"{column.n_codes - Column.FIRST}" for column in columns)
            hint = f"{', '.join(asked)} have {each}. Take fewer columns, or give by= wider bins."
            raise parameter_error(caller, "by", f"of at most {MOST_GROUPS} groups", asked, hint)
        return found

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many categories or bins each column has."""
        return tuple(column.n_codes - Column.FIRST for column in self.columns)

    @property
    def size(self) -> int:
        """How many groups there are, beside the last one."""
        return prod(self.sizes)

    @property
    def names(self) -> tuple[str, ...]:
        """The groups in words, the last column changing first."""
        each = [
            [column.describe(Column.FIRST + i) for i in range(size)]
            for column, size in zip(self.columns, self.sizes, strict=True)
        ]
        return (*map(", ".join, product(*each)), "missing or other")

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def refusing(self, names: Sequence[str | None], caller: str) -> Self:
        """Return the groups, by none of these columns: what is predicted, who is protected."""
        for name in names:
            if name in self.column_names:
                allowed = "other columns than the label and the user"
                raise parameter_error(caller, "by", allowed, name)
        return self

    def over(self, schema: Schema, caller: str) -> Grouping:
        """Return how rows of a schema are read with their groups."""
        known = {column.name: replace(column, monotone=None) for column in schema}
        for column in self.columns:
            if known.get(column.name, column) != column:
                raise ParameterError(
                    f"The column {column.name!r} of the groups of {caller} has other categories or "
                    "bins in the schema of the model: pass only its name in by= (--by)."
                )
        return Grouping(self, schema, tuple(c for c in self.columns if c.name not in known))

    def to_list(self) -> list[Json]:
        """Return plain JSON: the columns, in order."""
        return Schema(self.columns).to_list()

    @classmethod
    def from_list(cls, described: Any) -> Self:
        """Read what `to_list` wrote; it may be untrusted."""
        return cls.parse("an evaluation", Schema.from_list(described), None)


@dataclass(frozen=True)
class Grouping:
    """Groups of rows of a schema, and the columns that must be read beside those of the schema."""

    groups: Groups
    schema: Schema
    beside: tuple[Column, ...]

    @cached_property
    def domain(self) -> RowDomain:
        """The rows of the schema, with the further columns as their last ones."""
        return RowDomain(replace(self.schema, columns=(*self.schema.columns, *self.beside)))

    def split(self, points: Points) -> tuple[Points, npt.NDArray[np.int64]]:
        """Return rows of codes of this domain without the further columns, and their groups."""
        groups, names = self.groups, self.domain.schema.names
        places = [names.index(name) for name in groups.column_names]
        codes = points[:, places].astype(np.int64) - Column.FIRST
        place = np.ravel_multi_index(codes.T.clip(0), groups.sizes)
        group = np.where((codes < 0).any(axis=1), groups.size, place)
        return points[:, : len(self.schema)], group
