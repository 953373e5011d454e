"""Checks of reading: whatever one cell says, it changes one record, and no other.

A reader has no randomness, so its privacy is a property of two neighbouring tables: their samples
must differ in one record (and have the same n), for every cell that somebody may write.
"""

from __future__ import annotations

import csv
import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from littlestone.classes import DecisionTrees, Thresholds
from littlestone.data import IntegerDomain, RowDomain, Sample, Schema, TextDomain, UserSample
from littlestone.data.stored import Coded, Stored
from littlestone.learners.exponential.estimators import GenericLearner
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


def one_odd_line_of_a_declared_format() -> str | None:
    """Write odd lines, one at a time, into a file with decimal commas in another encoding."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")

        def read(lines: Sequence[bytes]) -> Held:
            path.write_bytes(b"\n".join([b"x;y", *lines, b""]))
            declared = "sep=;, decimal=comma, encoding=latin-1"
            return held(Sample.read(path, y="y", domain=_BINS, csv=declared))

        plain = [b"31,5;1", b"7;0", b"62;1", b"29,9;1", b"44,5;0"]
        base = read(plain)
        if base.total() != len(plain):
            return "records are dropped"
        for odd in (b"", b'"', b'"5;1', b"1.5;1", b"\xff;1", b"\xc3\xa9", b"7,0;0", b"1;2;3"):
            found = apart(base, read([odd, *plain[1:]]))
            if found:
                return found
    return None


def one_number_in_an_array() -> str | None:
    """Replace one number of an array: the others keep their points and codes."""
    labels = [0, 1, 0, 1, 1]
    base = [20, 35, 50, 70, 90]
    for domain in (IntegerDomain(1, 99), _BINS):
        shape = (
            (lambda v: np.array(v).reshape(-1, 1)) if isinstance(domain, RowDomain) else np.array
        )
        known = held(Sample.from_arrays(shape(base), labels, domain))
        for i, new in ((0, 1), (0, 99), (4, 1), (4, 98), (2, 3)):
            changed = [new if j == i else v for j, v in enumerate(base)]
            found = apart(known, held(Sample.from_arrays(shape(changed), labels, domain)))
            if found:
                return found
    return None


def collations() -> str | None:
    """Read columns for which the engine takes Bonn and bonn for one text."""
    import duckdb

    samples = []
    for first in ("bonn", "Rome"):
        with duckdb.connect() as connection:
            kind = "VARCHAR COLLATE NOCASE"
            connection.execute(f"CREATE TABLE t (x {kind}, y {kind})")
            connection.execute("INSERT INTO t VALUES (?, '1')", [first])
            connection.execute("INSERT INTO t VALUES ('Bonn', '1'), ('Bonn', '1'), ('Bonn', '1')")
            samples.append(_read(connection.table("t"), TextDomain()))
    return apart(*samples)


def labels_are_public() -> str | None:
    """Fit labels of which one value may be missing: which label is 1 does not depend on that."""
    learner = GenericLearner(Thresholds(1, 2), epsilon=1)

    def run(labels: tuple[int, ...], source: Source) -> Any:
        learner._source = lambda: source  # type: ignore[method-assign]
        return learner.fit([1] * len(labels), list(labels)).hypothesis_.key

    n = 5
    ones = [tuple(int(i < k) for i in range(n)) for k in range(n + 1)]
    return verified(run, pairwise(ones))


def order_of_rows() -> str | None:
    """Read the same rows in several orders: the samples are equal, array by array."""
    rows = [("b", "1"), ("a", "0"), ("c", "1"), ("a", "1"), ("B", "0"), ("10", "1"), ("9", "0")]
    seen = set()
    for turn in range(len(rows)):
        turned = rows[turn:] + rows[:turn]
        cells, labels = zip(*turned, strict=True)
        sample = Sample.read(_as_columns(cells, labels), x="x", y="y", domain=TextDomain())
        seen.add(str((sample.points.tolist(), sample.zeros.tolist(), sample.ones.tolist())))
        named = [*cells, ("a", 1), 2]
        points = Sample.of(named[turn:] + named[:turn], [1] * len(named)).points
        seen.add(str([type(p).__name__ + str(p) for p in points.tolist()]))
    return None if len(seen) == 2 else "the sample depends on the order of the rows"


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
        found = [held(users.of_user(i)) for i in range(users.n_users)]
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


def nothing_is_shown() -> str | None:
    """Print samples and refusals: n is public, all else is not."""
    shown: list[Callable[[Sample], str]] = [repr, str]
    pair = [Sample.of([1, 2, 2], [0, 1, 1]), Sample.of([5, 6, 7], [0, 0, 1])]
    if any(len({view(sample) for sample in pair}) > 1 for view in shown):
        return "a sample shows more than its n"
    refusals = set()
    for cell in (100, 10**6, -5):
        try:
            Sample.from_arrays([5, cell], [0, 1], IntegerDomain(1, 99), owner="fit")
        except Exception as refusal:
            refusals.add((str(refusal), refusal.__cause__, refusal.__suppress_context__))
    if len(refusals) > 1:
        return "a refusal shows a cell"
    return None


def rows_counted_in_passes() -> str | None:
    """Verify trees of rows that are stored, on all tables."""
    trees = DecisionTrees(Schema.from_dict({"x": {"bins": [30]}}), depth=1)
    kinds = list(product((2, 3), (0, 1)))

    def run(data: Sequence[tuple[int, int]], source: Source) -> Hashable:
        plain = Sample.of(np.array([[code] for code, _ in data]), [label for _, label in data])
        stored = Stored.kept(plain, Coded(trees.schema.n_codes))
        return trees.candidates(stored).draw(Fraction(1, 2), source).key

    pairs = [((a, b), (a, c)) for a, b, c in product(kinds, repeat=3) if b < c]
    return verified(run, pairs)


OF_DATA: dict[str, Detector] = {
    "one odd cell": one_odd_cell,
    "one odd cell in a file": one_odd_cell_in_a_file,
    "one odd line of a declared format": one_odd_line_of_a_declared_format,
    "one number in an array": one_number_in_an_array,
    "collations": collations,
    "public labels": labels_are_public,
    "order of rows": order_of_rows,
    "the cut of one user": cut_of_one_user,
    "nothing is shown": nothing_is_shown,
    "rows counted in passes": rows_counted_in_passes,
}
