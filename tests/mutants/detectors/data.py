"""Checks of reading: whatever one cell says, it changes one record, and no other.

A reader has no randomness, so its privacy is a property of two neighbouring tables: their samples
must differ in one record (and have the same n), for every cell that somebody may write.
"""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.classes import DecisionTrees, Thresholds
from littlestone.data import IntegerDomain, RowDomain, Sample, Schema, TextDomain, UserSample
from littlestone.data.stored import Encoded, Stored
from littlestone.learners.estimators import GenericLearner
from littlestone.source import Source

from .base import Detector, verified

__all__ = ["OF_DATA"]

Held = Counter[tuple[Any, int]]
_ROWS = RowDomain(Schema.from_dict({"x": {"categories": ["Bonn", "Rome"]}}))
_BINS = RowDomain(Schema.from_dict({"x": {"bins": [30, 60]}}))
_DOMAINS: tuple[Any, ...] = (IntegerDomain(1, 99), TextDomain(), _ROWS, _BINS)
#: Cells that make readers stumble.
_ODD: tuple[str, ...] = ("", "x", "99", "100", "007", "2.5", "1e400", "bonn", "Bonn", "true", "nan")


def held(sample: Sample) -> Held:
    """Return the records of a sample as a multiset."""
    rows = [tuple(p) if isinstance(p, list) else p for p in sample.points.tolist()]
    out: Held = Counter({("outside", label): k for label, k in enumerate(sample.outside)})
    for point, zeros, ones in zip(rows, sample.zeros.tolist(), sample.ones.tolist(), strict=True):
        out[point, 0] += zeros
        out[point, 1] += ones
    return +out


def apart(one: Held, other: Held) -> str | None:
    """Say how two samples differ by more than one replaced record."""
    if one.total() != other.total():
        return "n depends on what a cell says"
    moved = (one - other).total()
    return None if moved <= 1 else f"one cell changed {moved} records"


def _read(table: Any, domain: Any) -> Held:
    x = None if isinstance(domain, RowDomain) else "x"
    return held(Sample.read(table, x=x, y="y", domain=domain))


def _as_columns(cells: Sequence[str], labels: Sequence[str]) -> Any:
    return {"x": list(cells), "y": list(labels)}


def one_odd_cell() -> str | None:
    """Write odd cells and labels, one at a time, into a table in memory."""
    for plain in (["5", "07", "31", "62"], ["Bonn", "Rome", "bonn", "12"]):
        labels = ["1", "0", "1", "0"]
        for domain in _DOMAINS:
            base = _read(_as_columns(plain, labels), domain)
            if base.total() != len(plain):
                return "records are dropped"
            for odd in _ODD:
                cells = _read(_as_columns([odd, *plain[1:]], labels), domain)
                marks = _read(_as_columns(plain, [odd, *labels[1:]]), domain)
                found = apart(base, cells) or apart(base, marks)
                if found:
                    return found
    return None


def one_odd_cell_in_a_file() -> str | None:
    """Write odd cells, one at a time, into a CSV file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")

        def read(cells: Sequence[str], domain: Any) -> Held:
            with path.open("w", newline="") as file:
                csv.writer(file).writerows([("x", "y"), *((cell, "1") for cell in cells)])
            return _read(path, domain)

        plain = ["5", "07", "31"]
        for domain in _DOMAINS[:2]:
            base = read(plain, domain)
            if base.total() != len(plain):
                return "records are dropped"
            for odd in _ODD:
                found = apart(base, read([odd, *plain[1:]], domain))
                if found:
                    return found
    return None


def labels_are_public() -> str | None:
    """Fit labels of which one value may be missing: which label is 1 does not depend on that."""
    learner = GenericLearner(Thresholds(1, 2), epsilon=1)

    def run(labels: tuple[int, ...], source: Source) -> Any:
        learner._source = lambda: source  # type: ignore[method-assign]
        return learner.fit([1] * len(labels), list(labels)).hypothesis_.key

    n = 5
    ones = [tuple(int(i < k) for i in range(n)) for k in range(n + 1)]
    return verified(run, pairwise(ones))


def cut_of_one_user() -> str | None:
    """Replace one user by others: what is kept of the rest stays the same."""
    rest = [(f"u{i}", x) for i in range(6) for x in range(8)]

    def kept(first: Sequence[tuple[str, int]]) -> list[Held]:
        everything = [*first, *rest]
        names, points = zip(*everything, strict=True)
        users = UserSample.of(names, list(points), [1] * len(points)).bound_contributions(
            3, salt=11
        )
        order = sorted({*names})
        found = [held(users.groups_at(users.user == i).pooled()) for i in range(users.n_users)]
        if any(one.total() > 3 for one in found):
            raise _Uncut
        return [one for name, one in zip(order, found, strict=True) if name != first[0][0]]

    try:
        base = kept([("u", 1)])
        for size in (2, 5, 9):
            if kept([("u", x) for x in range(size)]) != base:
                return "one user changes what is kept of others"
    except _Uncut:
        return "more records of a user are kept than allowed"
    return None


class _Uncut(Exception):
    pass


def rows_counted_in_passes() -> str | None:
    """Verify trees of rows that are stored, on all tables."""
    trees = DecisionTrees(Schema.from_dict({"x": {"bins": [30]}}), depth=1)
    kinds = list(product((2, 3), (0, 1)))

    def run(data: Sequence[tuple[int, int]], source: Source) -> Hashable:
        plain = Sample.of(np.array([[code] for code, _ in data]), [label for _, label in data])
        stored = Stored.kept(plain, Encoded(trees.schema.n_codes))
        return trees.candidates(stored).draw(Fraction(1, 2), source).key

    pairs = [((a, b), (a, c)) for a, b, c in product(kinds, repeat=3) if b < c]
    return verified(run, pairs)


OF_DATA: dict[str, Detector] = {
    "one odd cell": one_odd_cell,
    "one odd cell in a file": one_odd_cell_in_a_file,
    "public labels": labels_are_public,
    "the cut of one user": cut_of_one_user,
    "rows counted in passes": rows_counted_in_passes,
}
