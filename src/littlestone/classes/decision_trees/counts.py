"""Label counts of the crossings of two patterns in a region, and in the two sides of each pattern.

They are sums of the counts of rows over 0/1 matrices, so matrix products. Every partial sum is an
integer of at most n, so floating-point products are exact: in single precision below 2**24
records, in double precision below 2**53.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from littlestone.classes.decision_trees.splits import Bits, Counts, Region
from littlestone.classes.decision_trees.tabled import AnyRegion, TabledRegion

__all__ = [
    "Floats",
    "Pairs",
    "Sides",
    "crossings",
    "one_thread",
    "singles",
    "within_crossings",
    "within_sides",
]

Floats = npt.NDArray[Any]
#: Of a side of some roots: (zeros, ones) where another pattern answers yes, where it answers no.
Sides = tuple[tuple[Floats, Floats], tuple[Floats, Floats]]

_BLOCK = 64  # roots that are counted together
_MEMORY = 1 << 26  # entries of one table of a block: 512 MB at most, and a few such tables


@dataclass(frozen=True, eq=False)
class Pairs:
    """Counts of a region by two patterns.

    Attributes
    ----------
    zeros, ones : arrays of shape (patterns, patterns), integers in int64 or exact floats
        Records of each label that answer yes to both; on the diagonal, yes to the one.
    totals : (int, int)
        Records of each label.
    """

    zeros: Floats
    ones: Floats
    totals: tuple[int, int]

    def without(self, part: Pairs) -> Pairs:
        """Return the counts of the rest, when a part of the region is taken out."""
        totals = (self.totals[0] - part.totals[0], self.totals[1] - part.totals[1])
        return Pairs(self.zeros - part.zeros, self.ones - part.ones, totals)

    def leaves(self) -> Iterator[tuple[Counts, Counts]]:
        """Yield (zeros, ones) where t and v answer (yes, yes), (yes, no), (no, yes), (no, no)."""
        tables = [table.astype(np.int64) for table in (self.zeros, self.ones)]
        single = [table.diagonal() for table in tables]
        yield tables[0], tables[1]
        yield single[0][:, None] - tables[0], single[1][:, None] - tables[1]
        yield single[0] - tables[0], single[1] - tables[1]
        neither = [
            total - one[:, None] - one + table
            for total, one, table in zip(self.totals, single, tables, strict=True)
        ]
        yield neither[0], neither[1]

    def sides(self, rows: npt.NDArray[np.intp]) -> tuple[Sides, Sides]:
        """Return the same of some patterns t, as they are stored: (t yes), then (t no)."""
        yes, no = [], []
        for table, total in zip((self.zeros, self.ones), self.totals, strict=True):
            single = table.diagonal()
            both, own = table[rows], single[rows, None]
            yes.append((both, own - both))
            neither = single - both  # no to t, yes to v
            no.append((neither, (total - own) - neither))
        first, second = (tuple(zip(*side, strict=True)) for side in (yes, no))
        return cast(Sides, first), cast(Sides, second)


def one_thread() -> AbstractContextManager[Any]:
    """Let matrix products use one thread: ours are small and many, and threads wait for each other.

    On two busy cores, two threads took ten times as long as one.
    """
    limits: AbstractContextManager[Any] = _controller().limit(limits=1, user_api="blas")
    return limits


@lru_cache(maxsize=1)
def _controller() -> Any:
    return ThreadpoolController()  # finds the libraries once


def singles(region: AnyRegion) -> tuple[Counts, Counts]:
    """Return the (zeros, ones) of the yes side of each pattern."""
    if isinstance(region, TabledRegion):
        return region.singles()
    yes = region.patterns.yes.astype(np.float64)
    zeros, ones = (yes @ weights.astype(np.float64) for weights in (region.zeros, region.ones))
    return zeros.astype(np.int64), ones.astype(np.int64)


def crossings(region: AnyRegion) -> Pairs:
    """Count a region by all pairs of its patterns: one matrix product for each label."""
    if isinstance(region, TabledRegion):
        return Pairs(*region.pairs(), region.totals)
    yes = region.patterns.yes.astype(_exact(region))
    zeros, ones = (_cross(yes, weights) for weights in (region.zeros, region.ones))
    return Pairs(zeros, ones, region.totals)


def within_sides(region: AnyRegion) -> Iterator[tuple[Pairs, Pairs]]:
    """Yield for each pattern, in order, the counts by pairs inside its yes and its no side.

    Rows that answer a whole block of patterns alike form an *atom* (the splits of one column have
    hardly more atoms than splits). Each atom is counted by all pairs once, and a side is a sum of
    atoms; so the matrix products of all roots of a block together cost as much as that of one.
    """
    whole = crossings(region)
    if isinstance(region, TabledRegion):
        for root, (zeros, ones) in enumerate(region.within()):
            inside = Pairs(zeros, ones, (int(zeros[root, root]), int(ones[root, root])))
            yield inside, whole.without(inside)
        return
    for start, stop in _blocks(region):
        zeros, ones = _tables(region, region.patterns.yes[start:stop], whole.zeros.dtype)
        for i, root in enumerate(range(start, stop)):
            inside = Pairs(zeros[i], ones[i], (int(zeros[i, root, root]), int(ones[i, root, root])))
            yield inside, whole.without(inside)


def within_crossings(region: Region) -> Iterator[tuple[int, int, tuple[Pairs, ...]]]:
    """Yield for all patterns s <= t the counts by pairs where they answer yes/yes, yes/no, ...

    As `within_sides`, for pairs of blocks: each pair of atoms is counted by all pairs once. The
    order of the four is (yes, yes), (yes, no), (no, yes), (no, no).
    """
    sides = list(within_sides(region))
    kind = sides[0][0].zeros.dtype
    rows = np.ascontiguousarray(region.patterns.yes.T.astype(kind))
    blocks = list(_blocks(region, power=2))
    for i, first in enumerate(blocks):
        for second in blocks[i:]:
            tables = _double_tables(region, rows, first, second)
            for s in range(*first):
                for t in range(max(s, second[0]), second[1]):
                    zeros, ones = (table[s - first[0], t - second[0]] for table in tables)
                    # Records of each label where both answer yes: t on the diagonal.
                    both = Pairs(zeros, ones, (int(zeros[t, t]), int(ones[t, t])))
                    only_s, only_t = sides[s][0].without(both), sides[t][0].without(both)
                    yield s, t, (both, only_s, only_t, sides[s][1].without(only_t))


def _double_tables(
    region: Region, rows: Floats, first: tuple[int, int], second: tuple[int, int]
) -> list[Floats]:
    """Return, for each label, the counts by pairs where one of each block answer yes."""
    blocks = [region.patterns.yes[start:stop] for start, stop in (first, second)]
    atoms = [_atoms(block) for block in blocks]
    accepts = [
        np.array([block[:, a[0]] for a in own], dtype=rows.dtype).reshape(-1, len(block))
        for block, own in zip(blocks, atoms, strict=True)
    ]
    atom = np.empty(len(rows), dtype=np.intp)  # of the second block
    for number, members in enumerate(atoms[1]):
        atom[members] = number
    n = rows.shape[1]
    of_atoms = [np.zeros((len(atoms[0]), len(atoms[1]), n, n), dtype=rows.dtype) for _ in range(2)]
    for i, members in enumerate(atoms[0]):
        ordered = members[np.argsort(atom[members], kind="stable")]
        for part in np.split(ordered, np.flatnonzero(np.diff(atom[ordered])) + 1):
            yes = rows[part]
            for table, weights in zip(of_atoms, (region.zeros, region.ones), strict=True):
                table[i, atom[part[0]]] = (yes.T * weights[part].astype(yes.dtype)) @ yes
    out = []
    for table in of_atoms:
        summed = np.tensordot(accepts[0].T, table, axes=1)
        out.append(np.moveaxis(np.tensordot(accepts[1].T, summed, axes=(1, 1)), 0, 1))
    return out


def _blocks(region: Region, power: int = 1) -> Iterator[tuple[int, int]]:
    """Yield ranges of patterns of one column, few enough for their tables to fit into memory."""
    columns = region.columns[[members[0] for members in region.patterns.members]]
    room = (_MEMORY // len(columns) ** 2) ** (1 / power)
    step = max(1, min(_BLOCK, int(room)))
    start = 0
    for stop in range(1, len(columns) + 1):
        if stop == len(columns) or columns[stop] != columns[start] or stop - start == step:
            yield start, stop
            start = stop


def _tables(region: Region, block: Bits, kind: Any) -> tuple[Floats, Floats]:
    """Return the counts by pairs inside the yes side of each pattern of a block."""
    yes = region.patterns.yes
    atoms = _atoms(block)
    accepts = np.array([block[:, rows[0]] for rows in atoms], dtype=kind).reshape(-1, len(block))
    out = []
    for weights in (region.zeros, region.ones):
        of_atom = np.zeros((len(atoms), len(yes), len(yes)), dtype=kind)
        for table, rows in zip(of_atom, atoms, strict=True):
            table[:] = _cross(yes[:, rows].astype(kind), weights[rows])
        out.append(np.tensordot(accepts.T, of_atom, axes=1))
    return out[0], out[1]


def _atoms(block: Bits) -> list[npt.NDArray[np.intp]]:
    """Return the rows of each atom of a block of patterns."""
    if not block.shape[1]:
        return []
    packed = np.ascontiguousarray(np.packbits(block, axis=0).T)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).reshape(-1)
    _, atom = np.unique(keys, return_inverse=True)
    order = np.argsort(atom.reshape(-1), kind="stable")
    return np.split(order, np.cumsum(np.bincount(atom.reshape(-1)))[:-1])


def _cross(yes: Floats, weights: Counts) -> Floats:
    """Return the sums of weights over the rows where both answer yes.

    Rows that weigh 1 (nearly all, where columns are many) are a matrix times its own transpose,
    which the library computes as half a product.
    """
    once = yes[:, weights == 1]
    product: Floats = once @ once.T
    more = weights > 1
    if more.any():
        often = yes[:, more]
        product += (often * weights[more].astype(yes.dtype)) @ often.T
    return product


def _exact(region: Region) -> type[np.floating[Any]]:
    """Return the narrowest floating type in which all sums of these counts are exact."""
    return np.float32 if sum(region.totals) < 2**24 else np.float64
