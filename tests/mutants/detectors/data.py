"""Checks of reading: whatever one cell says, it changes one record, and no other.

A reader has no randomness, so its privacy is a property of two neighbouring tables: their samples
must differ in one record (and have the same n), for every cell that somebody may write.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from littlestone.classes import Thresholds
from littlestone.data import IntegerDomain, RowDomain, Sample, Schema, TextDomain
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


def labels_are_public() -> str | None:
    """Fit labels of which one value may be missing: which label is 1 does not depend on that."""
    learner = GenericLearner(Thresholds(1, 2), epsilon=1)

    def run(labels: tuple[int, ...], source: Source) -> Any:
        learner._source = lambda: source  # type: ignore[method-assign]
        return learner.fit([1] * len(labels), list(labels)).hypothesis_.key

    n = 5
    ones = [tuple(int(i < k) for i in range(n)) for k in range(n + 1)]
    return verified(run, pairwise(ones))


OF_DATA: dict[str, Detector] = {
    "one odd cell": one_odd_cell,
    "public labels": labels_are_public,
}
