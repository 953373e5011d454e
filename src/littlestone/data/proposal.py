"""A schema learned from the records themselves, privately: `Schema.propose`.

What is public decides what is asked: the names of the columns, their declared types, the number of
records. Types are declared by Parquet files and databases, or by the caller (``kinds``); those of
frames and relations in memory may have been inferred from the records, so they are none. A column
of declared numbers gets bins by private cuts (`littlestone.mechanisms.cuts`); one of truth values
has its categories already; one of texts, or of no declared type, is numeric or not by a private
share. If it is, whole or not is decided in the same way, and it gets bins; if not, its categories
are those of a stable histogram, sorted by their bytes, which needs a delta. What the histogram
omits is neither counted nor named.

One record has a cell in every column, so the costs of the columns compose. What a column costs is
fixed beforehand: the two branches of its decision cost the same, and every column pays, whatever is
found. Every column that pays gets an equal part: docs/proposals.md measures other ones.

*Proof.* (replace-one). For one column: the two decisions are coins ``gap + z >= 0`` with two-sided
geometric noise z of rate r, where a replaced record moves the public combination *gap* of two
counts by at most D; each costs r D (at most 2 for numbers against texts, at most 5 for whole
numbers against four times the others). Given the decisions one mechanism is run, with what they
leave, also when the number of records it is about is private. So numbers cost
``e/20 + e/20 + 18e/20``, texts ``e/20 + 19e/20``, each e. Columns are read independently given the
records, and compose. []
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.data.cells import number, text
from littlestone.data.columns import Column
from littlestone.data.formats import CsvFormat
from littlestone.data.points import check_same
from littlestone.data.schema import RESERVED, Proposal, Schema, suggest
from littlestone.errors import (
    DataError,
    InfeasibleError,
    ParameterError,
    check_fraction,
    check_integer,
    check_probability,
    counted,
    parameter_error,
)
from littlestone.mechanisms.cuts import cuts_loss, cuts_reach, private_cuts
from littlestone.mechanisms.estimate import coin_of
from littlestone.mechanisms.histogram import histogram_threshold, stable_items
from littlestone.privacy import Approximate, Guarantee, Loss, Pure, check_ledger, largest_scale
from littlestone.source import Source, source_of

if TYPE_CHECKING:
    from littlestone.privacy import Ledger

#: What a column is known to be, by its declared type: "open" is decided privately.
Kind = Literal["whole", "number", "open", "text", "flag"]

_DECISION = Fraction(1, 20)  # of a column's epsilon, for each decision
_WHOLE = 4  # numbers are read as whole if there are as many whole ones for each other one
_SMALLEST, _LARGEST = -6, 12  # powers of ten: cuts lie between
_RAREST = 100  # categories that fewer than one in so many records have are left out
_MANY = 16  # columns from which on composition with a delta may beat the sum
_BETA = Fraction(1, 20)

#: Between which numbers a column lies, by public knowledge.
Bounds = tuple[int | float, int | float]


@dataclass(frozen=True)
class Asked:
    """What is asked of one column, and what it costs; public."""

    name: str
    kind: Kind
    epsilon: Fraction
    delta: Fraction
    bounds: Bounds | None = None

    @property
    def cuts(self) -> Fraction:
        """What its cuts cost."""
        return self.epsilon * (1 - 2 * _DECISION) if self.kind == "open" else self.epsilon

    @property
    def categories(self) -> Fraction:
        """What its histogram costs."""
        return self.epsilon * (1 - _DECISION) if self.kind == "open" else self.epsilon


@dataclass(frozen=True)
class Plan:
    """All that a proposal asks; public."""

    columns: tuple[Asked, ...]
    levels: int
    digits: int
    epsilon: Fraction
    delta: Fraction
    claim: str

    def reach(self, asked: Asked) -> int | None:
        """Return how far each cut is from the best one, in records, with probability 95 %."""
        if asked.kind in ("text", "flag"):
            return None
        size = int(slots(candidates(asked, self.digits, whole=asked.kind == "whole"))[-1]) + 1
        return cuts_reach(size, levels=self.levels, epsilon=asked.cuts, beta=_BETA)

    def threshold(self, asked: Asked, n: int) -> int | None:
        """Return the least noisy count of a category; None if there are none."""
        if asked.kind not in ("open", "text") or not asked.delta:
            return None
        least = histogram_threshold(epsilon=asked.categories, delta=asked.delta)
        return max(least, n // _RAREST)


@dataclass(frozen=True, eq=False)
class Tally:
    """The cells of one column, counted; secret."""

    values: npt.NDArray[np.float64]
    counts: npt.NDArray[np.int64]
    whole: int
    texts: Counter[str]
    words: int


@lru_cache(maxsize=16)
def grid(digits: int, *, whole: bool) -> tuple[float, ...]:
    """Return the numbers that may be cuts: round ones, from 1e-6 to 1e12 in size, and 0.

    Examples
    --------
    >>> [x for x in grid(1, whole=True) if 0 <= x <= 40]
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 20.0, 30.0, 40.0]
    >>> len(grid(3, whole=True)), len(grid(3, whole=False))
    (18199, 28999)
    """
    powers = range(0 if whole else _SMALLEST, _LARGEST - digits + 1)
    sizes = {float(f"{m}e{k}") for k in powers for m in range(1, 10**digits)}
    return tuple(sorted({0.0} | sizes | {-x for x in sizes}))


def candidates(asked: Asked, digits: int, *, whole: bool) -> tuple[float, ...]:
    """Return the numbers of `grid` that may be cuts of a column; before them, one that is none."""
    found = grid(digits, whole=whole)
    if asked.bounds is None:
        return found
    low, high = asked.bounds
    return (float(low), *(x for x in found if low < x <= high))


@lru_cache(maxsize=64)
def slots(numbers: tuple[float, ...]) -> npt.NDArray[np.int64]:
    """Return the places of numbers in an ordered domain, where likelier cuts have more slots.

    A cut is drawn at each number with a public weight, the distance from the number before: rounder
    ones, those of common sizes and those from 0 on have more.

    Examples
    --------
    >>> slots((-1.0, 0.0, 1.0, 1.1, 1.11, 1e9)).tolist()
    [0, 128, 256, 288, 296, 328]
    """
    return np.cumsum([0, *map(_weight, numbers[1:])])


def _weight(number: float) -> int:
    figures = len(f"{abs(number):e}".partition("e")[0].rstrip("0").replace(".", ""))
    round_one = {1: 16, 2: 4}.get(figures, 1)
    common = number == 0 or 0.01 <= abs(number) <= 10**6
    return round_one * (4 if common else 1) * (2 if number >= 0 else 1)


def plan(
    columns: Sequence[tuple[str, Kind]],
    *,
    epsilon: Any,
    delta: Any = 0,
    bins: Any = 8,
    digits: Any = 3,
    bounds: Mapping[str, Bounds] | None = None,
) -> Plan:
    """Return what a proposal asks of each column, and what it costs; reads no data.

    Examples
    --------
    >>> asked = plan([("age", "whole"), ("city", "open")], epsilon="0.3", delta="1e-6")
    >>> [(column.name, str(column.epsilon), float(column.delta)) for column in asked.columns]
    [('age', '3/20', 0.0), ('city', '3/20', 1e-06)]
    """
    caller = "propose"
    exact = check_fraction(caller, "epsilon", epsilon)
    small = Fraction(0) if not delta else check_probability(caller, "delta", delta)
    hint = "Each bin is halved, or left alone."
    wanted = check_integer(caller, "bins", bins, low=2, hint=hint)
    if wanted > 256 or wanted & (wanted - 1):
        raise parameter_error(caller, "bins", "2, 4, 8, ... or 256", bins, hint)
    shown = check_integer(caller, "digits", digits, low=1)
    if shown > 5:
        raise parameter_error(caller, "digits", "from 1 to 5", digits)
    levels = wanted.bit_length() - 1
    paying = {name: kind for name, kind in columns if _pays(kind, small)}
    if not paying:
        raise ParameterError(
            "The columns of this table give propose nothing to learn: truth values have their "
            "categories already (`littlestone schema new`), and dates and times need a delta, for "
            "example 1e-6."
        )
    listing = sum(kind in ("open", "text") for kind in paying.values())

    def losses(leak: Fraction) -> Any:
        def of(scale: Fraction) -> dict[Loss, int]:
            found: Counter[Loss] = Counter()
            for kind in paying.values():
                if kind in ("whole", "number"):
                    found.update(cuts_loss(scale, levels=levels))
                else:
                    found[Approximate(scale, leak) if leak else Pure(scale)] += 1
            return dict(found)

        return of

    low = exact / len(paying)
    leak, total = (small / listing, small) if listing else (Fraction(0), Fraction(0))
    scale, claim = low, "dp.sum"
    if small and len(paying) >= _MANY:  # half of delta is for the composition
        half = leak / 2
        more, other = largest_scale(losses(half), epsilon=exact, delta=small, low=low)
        if more > low:
            scale, claim, leak, total = more, other, half, small
    asked = tuple(
        Asked(
            name,
            kind,
            scale if name in paying else Fraction(0),
            leak if name in paying and kind in ("open", "text") else Fraction(0),
            (bounds or {}).get(name),
        )
        for name, kind in columns
    )
    parts = ["cuts.privacy"] if set(paying.values()) != {"text"} else []
    parts += ["histogram.privacy"] if leak else []
    return Plan(asked, levels, shown, exact, total, f"{claim}({', '.join(parts)})")


def _pays(kind: Kind, delta: Fraction) -> bool:
    return kind in ("whole", "number", "open") or (kind == "text" and delta > 0)


def tally(cells: Sequence[object], counts: Sequence[int] | npt.NDArray[np.int64]) -> Tally:
    """Count the cells of a column, each read alone.

    Examples
    --------
    >>> found = tally(["7", "x", None, 2.5], [1, 2, 3, 4])
    >>> found.values.tolist(), found.counts.tolist(), found.whole, found.words
    ([7.0, 2.5], [1, 4], 1, 2)
    """
    values: list[float] = []
    numbers: list[int] = []
    texts: Counter[str] = Counter()
    whole = words = 0
    for cell, count in zip(cells, counts, strict=True):
        written, times = text(cell), int(count)
        if written is None or written.lower() == "nan":
            continue
        texts[written] += times
        worth = None if written.lower() in ("true", "false") else number(written)
        if worth is None:
            words += times
            continue
        whole += times * isinstance(worth, int)
        values.append(_double(worth))
        numbers.append(times)
    return Tally(np.array(values, float), np.array(numbers, np.int64), whole, texts, words)


def _double(value: int | float) -> float:
    if abs(value) < 2**1000:
        return float(value)
    return math.inf if value > 0 else -math.inf


def draw_column(asked: Asked, found: Tally, n: int, plan: Plan, source: Source) -> Column | None:
    """Draw the description of one column; None if there is nothing to describe.

    Guarantee
    ---------
    ``(asked.epsilon, asked.delta)``-DP, replace-one: proof at the top of the module.
    """
    if asked.kind == "flag":
        return Column.of(asked.name, ["false", "true"])
    numeric, whole = asked.kind != "text", asked.kind == "whole"
    if asked.kind == "open":
        decision = asked.epsilon * _DECISION
        numbers = int(found.counts.sum())
        # a replaced record moves the gap by at most 2: from one side to the other
        numeric = _decide(numbers - found.words, 2, decision, source)
        if numeric:  # by at most 1 + 4
            gap = found.whole - _WHOLE * (numbers - found.whole)
            whole = _decide(gap, 1 + _WHOLE, decision, source)
    if numeric:
        return _bins(asked, found, candidates(asked, plan.digits, whole=whole), plan.levels, source)
    if not asked.delta:
        return None
    kept = stable_items(
        found.texts, n=n, epsilon=asked.categories, delta=asked.delta, source=source,
        at_least=n // _RAREST,
    )  # fmt: skip
    return Column.of(asked.name, sorted(kept, key=str.encode)) if kept else None


def _decide(gap: int, sensitivity: int, epsilon: Fraction, source: Source) -> bool:
    """Return whether ``gap + z >= 0``."""
    return bool(source.choose(coin_of(epsilon / sensitivity, gap)))


def _bins(
    asked: Asked, found: Tally, numbers: tuple[float, ...], levels: int, source: Source
) -> Column | None:
    """Cut the numbers of a column; each is read as the greatest candidate up to it."""
    slot = slots(numbers)
    places = np.searchsorted(np.array(numbers), found.values, "right") - 1
    points, at = np.unique(np.maximum(places, 0), return_inverse=True)
    counts = np.zeros(len(points), np.int64)
    np.add.at(counts, at, found.counts)
    cuts = private_cuts(
        slot[points],
        counts,
        int(slot[-1]) + 1,
        levels=levels,
        epsilon=asked.cuts,
        source=source,
    )
    edges = [numbers[at] for at in np.unique(np.searchsorted(slot, cuts))]
    return Column.bins(asked.name, edges) if edges else None


def propose(
    table: Any,
    *,
    epsilon: Any,
    delta: Any = 0,
    y: str | None = None,
    columns: Sequence[str] | None = None,
    bins: Any = 8,
    digits: Any = 3,
    kinds: Mapping[str, Any] | None = None,
    bounds: Mapping[str, Any] | None = None,
    header_is_public: bool = False,
    csv: Any = None,
    ledger: Ledger | None = None,
    random_state: int | Source | None = None,
) -> Schema:
    """Return a schema that was learned privately; see `Schema.propose`."""
    # engines are imported when a table is read
    from littlestone.data.draft import declared_kinds, require_names  # noqa: PLC0415
    from littlestone.data.tables import read_table  # noqa: PLC0415

    source = source_of("propose", random_state)
    form = None if csv is None else CsvFormat.parse(csv, "propose")
    require_names(table, header_is_public, form, "propose")
    opened = read_table(table, csv=form, caller="propose")
    names = _names(opened.names, y, columns)
    opened.frame(names, "propose")  # names and types are looked at
    declared = [_kind(kind) for kind in declared_kinds(opened, names, "propose")]
    said = _said(kinds, names)
    known = dict(zip(names, declared, strict=True)) | said
    within = _between(bounds, names)
    for name, ends in within.items():
        if name not in said and known[name] not in ("whole", "number"):
            known[name] = "whole" if all(isinstance(end, int) for end in ends) else "number"
    asked = plan(
        list(known.items()),
        epsilon=epsilon, delta=delta, bins=bins, digits=digits, bounds=within,
    )  # fmt: skip
    for column in asked.columns:
        _check_bounds(column, asked.digits)
    guarantee = Guarantee(asked.epsilon, asked.delta, claim=asked.claim, seeded=source.seeded)
    check_ledger(ledger, "propose", guarantee, data=table)
    comma = form is not None and form.decimal == "comma"
    counted = [_read(opened, column, comma=comma) for column in asked.columns]
    n = counted[0][1]
    check_same([found for _, found in counted])
    _check_reach(asked, n)
    # All public arguments are checked: pay, and from here on the source is drawn from.
    if ledger is not None:
        ledger.charge(guarantee, what=f"proposal of a schema of {len(names)} columns")
    drawn = [
        draw_column(column, found, n, asked, source)
        for column, (found, _) in zip(asked.columns, counted, strict=True)
    ]
    kept = tuple(column for column in drawn if column is not None)
    if not kept:
        raise DataError(
            "No column of the proposal has a bin or a category that could be found. What it cost "
            "stays spent. Give it a larger epsilon or delta, or write the schema by hand."
        )
    paired = list(zip(asked.columns, drawn, strict=True))
    reaches = [asked.reach(column) for column, own in paired if own is not None and own.numeric]
    return Schema(
        kept,
        csv=form,
        proposal=Proposal(
            guarantee,
            n,
            max((reach for reach in reaches if reach is not None), default=None),
            tuple(column.name for column, own in paired if own is None),
            tuple(column.name for column in asked.columns if column.kind != "open"),
        ),
    )


def _names(found: Sequence[str], y: str | None, columns: Sequence[str] | None) -> list[str]:
    """Return the columns that are asked about: public names."""
    if isinstance(columns, str):
        raise parameter_error("propose", "columns", "a list of column names", columns)
    for name in [*(columns or ()), *([] if y is None else [y])]:
        if name not in found:
            raise ParameterError(
                f"The table given to propose has no column {name!r}.{suggest(name, found)}"
            )
    for name in RESERVED.intersection(columns or ()):
        raise ParameterError(
            f"A schema keeps the name {name!r} for something else: rename the column, or leave it "
            "out of the proposal."
        )
    names = [
        name for name in (columns or found) if name != y and name.strip() and name not in RESERVED
    ]
    if not names or len(set(names)) < len(names):
        raise ParameterError("The columns of a proposal must be different, and not only the label.")
    return names


def _said(kinds: Any, names: Sequence[str]) -> dict[str, Kind]:
    """Check what the caller says of columns: public knowledge."""
    known = get_args(Kind)
    given = {} if kinds is None else kinds
    if not isinstance(given, Mapping) or any(kind not in known for kind in given.values()):
        rule = f"a mapping from columns to {', '.join(known)}"
        raise parameter_error("propose", "kinds", rule, kinds, 'For example {"age": "whole"}.')
    for name in given:
        if name not in names:
            raise ParameterError(
                f"The kinds given to propose name {name!r}, which is no column of the proposal."
                f"{suggest(name, names)}"
            )
    return dict(given)


def _between(bounds: Any, names: Sequence[str]) -> dict[str, Bounds]:
    """Check between which numbers the caller says that columns lie: public knowledge."""
    rule, hint = "a mapping from columns to pairs low < high", 'For example {"age": (0, 120)}.'
    given = {} if bounds is None else bounds
    if not isinstance(given, Mapping):
        raise parameter_error("propose", "bounds", rule, bounds, hint)
    found: dict[str, Bounds] = {}
    for name, ends in given.items():
        if name not in names:
            raise ParameterError(
                f"The bounds given to propose name {name!r}, which is no column of the proposal."
                f"{suggest(name, names)}"
            )
        pair = ends if isinstance(ends, list | tuple) else ()
        plain = all(isinstance(end, int | float) and not isinstance(end, bool) for end in pair)
        if len(pair) != 2 or not plain or not -(10.0**12) <= pair[0] < pair[1] <= 10.0**12:
            raise parameter_error("propose", "bounds", f"{rule}, to 10**12 in size", bounds, hint)
        found[name] = (pair[0], pair[1])
    return found


def _check_bounds(asked: Asked, digits: int) -> None:
    """Refuse bounds of what is no number, and those with no number between them."""
    if asked.bounds is None:
        return
    low, high = asked.bounds
    if asked.kind not in ("whole", "number"):
        raise ParameterError(
            f"The bounds given to propose are about {asked.name!r}, which is known to hold no "
            f"numbers but is {asked.kind}. Leave them out, or say whole or number."
        )
    if len(candidates(asked, digits, whole=asked.kind == "whole")) < 2:
        raise parameter_error(
            "propose", "bounds", f"with a {asked.kind} number of {digits} digits between them",
            f"{asked.name}: {low} to {high}", "Raise digits, or take wider bounds.",
        )  # fmt: skip


def _kind(declared: Any) -> Kind:
    """Return what a declared type tells; None is no type."""
    if declared is None:
        return "open"
    if pa.types.is_boolean(declared):
        return "flag"
    if pa.types.is_integer(declared):
        return "whole"
    if pa.types.is_floating(declared) or pa.types.is_decimal(declared):
        return "number"
    return "text" if pa.types.is_temporal(declared) else "open"


def _read(table: Any, asked: Asked, *, comma: bool) -> tuple[Tally, int]:
    """Count the cells of a column; the second number is that of the records.

    Where a decimal comma is declared, a column that may hold numbers or texts is read as both.
    """
    from littlestone.data.counting import count_cells  # noqa: PLC0415

    cells, counts = count_cells(table, asked.name, caller="propose")
    n = int(counts.sum())
    numeric = pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type)
    if numeric and asked.kind in ("whole", "number"):
        values = cells.cast(pa.float64(), safe=False).fill_null(math.nan).to_numpy()
        there = ~np.isnan(values)
        none: Counter[str] = Counter()
        return Tally(values[there], counts[there], 0, none, 0), n
    found = tally(*_grouped(cells, counts))
    if comma:
        cells, counts = count_cells(table, asked.name, caller="propose", numbers=True)
        check_same([n, int(counts.sum())])
        read = tally(*_grouped(cells, counts))
        found = replace(read, texts=found.texts)
    return found, n


def _grouped(
    cells: pa.ChunkedArray, counts: npt.NDArray[np.int64]
) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """Return the distinct cells as Python values, and their counts."""
    from littlestone.data.convert import distinct_cells  # noqa: PLC0415

    raw, where = distinct_cells(cells)
    each = np.zeros(len(raw), np.int64)
    np.add.at(each, where, counts)
    return raw, each


def _check_reach(asked: Plan, n: int) -> None:
    """Refuse what could learn nothing from n records."""
    found = [(asked.reach(column), asked.threshold(column, n)) for column in asked.columns]
    needed = min(least for pair in found for least in pair if least is not None)
    if needed >= n:
        delta = "" if asked.delta else "a delta such as 1e-6, "
        raise InfeasibleError(
            f"This proposal could learn nothing from {counted(n, 'records')}: it needs more than "
            f"{needed:,}, as an edge of a bin may be so many from the best one, and a category "
            f"must have so many. Nothing was drawn. Give it {delta}a "
            "larger epsilon, or fewer columns.",
            n_needed=needed + 1,
        )
