"""A schema learned from the records themselves, privately: `littlestone.data.propose`.

What is public decides what is asked: the names of the columns, their declared types, the number of
records. Types are declared by Parquet files and databases, or by the caller (``kinds``); those of
frames and relations in memory may have been inferred from the records, so they are none. A column
of truth values has its categories already. All else is read off noisy counts
(`littlestone.mechanisms.estimate`).

1. One histogram of each column: missing, the public cells of `littlestone.data.histogram`, and with
   a delta each text, without one all texts together. By the noisy counts the column is one of
   numbers, or its categories are the frequent texts, or nothing is known of it.
2. Cells of numbers with most of their records are counted once more, in up to ten parts.

Without a delta texts are left out. Bins are unions of cells that have records by their noisy
counts, and begin at them: so at round numbers, and none beyond.

*Proof.* (replace-one). A round has a fixed share of rho (without a delta: of epsilon). Given the
rounds before it, what it counts is fixed: sets of disjoint cells, one set for each column that is
still asked, and the noise, by the number of these and by public weights: variances v cost the sum
of 1 / v, rates r that of 2 r. So it costs its share, by ``counts.privacy``, also where the set of a
column depends on private things; rounds compose. All else is post-processing, also that texts are
left out whose categories hold less than half of the records, where the caller has not named the
column. Texts are counted in the first round only; that an item is kept that only one of two
neighbours looks at has a probability of at most ``leak`` over all columns: laws are
``(1 - p) R + p S`` with p <= leak, where R of neighbours are rho-close. What is rho'-zCDP, whatever
the columns, makes of R what is (rho + rho')-close, so (epsilon, delta - leak)-close by one
conversion, and of the whole what is (epsilon, delta)-close (claim ``dp.zcdp``). []
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from littlestone.data.cells import CsvFormat, canonical, number, text
from littlestone.data.domains import check_same
from littlestone.data.histogram import Cell, bins_of, grid, smoothed
from littlestone.data.schema import RESERVED, Column, Proposal, Schema
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    StoppedError,
    check_fraction,
    check_integer,
    check_probability,
    counted,
    exact_value,
    parameter_error,
    suggest,
)
from littlestone.mechanisms.estimate import Noise, noisy_counts, noisy_items
from littlestone.privacy import Guarantee, check_ledger, largest_rho, zcdp_to_dp
from littlestone.source import Source, source_of

if TYPE_CHECKING:
    from littlestone.data.tables import Table
    from littlestone.privacy import Ledger

#: What a column is known to be, by its declared type: "open" is decided privately.
Kind = Literal["whole", "number", "open", "text", "flag"]

_LARGEST = 12  # power of ten: larger numbers are not distinguished
_RAREST = 100  # categories that fewer than one in so many records have are left out
_TIMES = 3  # as many records as are seen in one cell are needed, at least
_FALSE = Fraction(1, 50)  # chance that some empty cell of a column seems to have records
_LONGEST = 1_000  # characters of a category
#: Of epsilon or rho, for the first round; of delta, for texts; weights of a column by its kind; the
#: share of a column's records from which a cell is counted in parts; how many deviations of noise n
#: must be.
_HISTOGRAMS, LEAK = Fraction(7, 10), Fraction(1, 10)
_WEIGHT = {"whole": 1, "number": 1, "open": 3, "text": 3}
_HEAVY, _DEVIATIONS = 0.6, 8
_HEAVY_PURE = 0.3  # without a delta
#: What a run of cells must explain, in variances of Gaussian noise and logarithms of the cells; and
#: some run. Where n is less than so many deviations of the noise, by the first of these two noise
#: would make a run in every second column (benchmarks/column_rules.py).
_RUN, _SOME_RUN, _NOISY_RUN, _NOISY = 2.0, 4.0, 3.0, 18

#: Bins of numbers of which nothing is known.
_STANDARD = (
    *(0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 200, 500),
    *(1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000),
)

#: Of all columns together: trees of one test have two splits at each (`MAX_SPLITS`).
MOST_EDGES = 15_000

#: Between which numbers a column lies, by public knowledge.
Bounds = tuple[int | float, int | float]


@dataclass(frozen=True)
class Asked:
    """What is known of one column; public."""

    name: str
    kind: Kind
    bounds: Bounds | None = None
    named: bool = True  # by the caller: then texts that are mostly rare are categories, too

    def cells(self) -> list[Cell]:
        """Return the cells of its histogram."""
        return [] if self.kind == "text" else self.within(grid(whole=self.kind == "whole"))

    def parts(self, cell: Cell) -> list[Cell]:
        """Return the parts of a cell that is counted once more."""
        return self.within(cell.parts(whole=self.kind == "whole"))

    def within(self, cells: Sequence[Cell]) -> list[Cell]:
        """Return the cells that the bounds allow."""
        if self.bounds is None:
            return list(cells)
        low, high = self.bounds
        return [cell for cell in cells if cell.end > low and cell.start <= high]


@dataclass(frozen=True)
class Plan:
    """All that a proposal asks; public."""

    columns: tuple[Asked, ...]
    bins: int
    epsilon: Fraction
    delta: Fraction
    rho: Fraction  # 0 without a delta
    leak: Fraction = Fraction(0)  # the part of delta that is for texts

    @cached_property
    def paying(self) -> tuple[Asked, ...]:
        """The columns that something is counted of."""
        asked = [column for column in self.columns if column.kind != "flag"]
        return tuple(column for column in asked if self.delta or column.kind != "text")

    @cached_property
    def first(self) -> Fraction:
        """What part the first round has."""
        of_texts = all(column.kind == "text" for column in self.paying)
        return Fraction(1) if of_texts else _HISTOGRAMS

    def histogram(self, column: Asked) -> Noise:
        """Return the noise of the histogram of a column: the costs of all add up to its round's.

        Examples
        --------
        >>> asked = plan([("age", "whole"), ("city", "open")], epsilon="0.3", delta="1e-6")
        >>> [str(1 / asked.histogram(column).variance / asked.rho) for column in asked.columns]
        ['7/40', '21/40']
        """
        if not self.delta:
            return Noise(rate=self.first * self.epsilon / (2 * len(self.paying)))
        whole = sum(_WEIGHT[each.kind] for each in self.paying)
        return Noise(variance=whole / (_WEIGHT[column.kind] * self.first * self.rho))

    def parts(self, columns: int) -> Noise:
        """Return the noise of a second round that asks so many columns."""
        if not self.delta:
            return Noise(rate=(1 - self.first) * self.epsilon / (2 * columns))
        return Noise(variance=columns / ((1 - self.first) * self.rho))

    def text_from(self, column: Asked, n: int) -> int:
        """Return the least noisy count of a category of a column."""
        listing = sum(each.kind in ("open", "text") for each in self.paying)
        tau = self.histogram(column).kept_from(self.leak / listing)
        return max(tau, n // _RAREST)

    def least(self) -> int:
        """Return how many records it takes to learn something."""
        return min(
            _TIMES * self.text_from(column, 0)
            if column.kind == "text"
            else math.ceil(_DEVIATIONS * self.histogram(column).deviation)
            for column in self.paying
        )


@dataclass(frozen=True, eq=False)
class Tally:
    """The cells of one column, counted; secret."""

    values: npt.NDArray[np.float64]  # in increasing order
    counts: npt.NDArray[np.int64]
    texts: Counter[str]  # that are no numbers

    def among(self, cells: Sequence[Cell], bounds: Bounds | None) -> list[int]:
        """Count the numbers in cells that follow each other, or lie apart."""
        ends = np.concatenate([[0], np.cumsum(self.counts)])
        values = self.values
        edges = np.array([(cell.start, cell.end) for cell in cells]).reshape(-1, 2)
        if bounds is not None:  # what lies beyond counts as the nearer end
            values = np.clip(values, *bounds)
        places = ends[np.searchsorted(values, edges)]
        return [int(last - first) for first, last in places]


def plan(
    columns: Sequence[tuple[str, Kind]],
    *,
    epsilon: Any,
    delta: Any = 0,
    rho: Fraction | None = None,
    bins: Any = 8,
    bounds: Mapping[str, Bounds] | None = None,
    named: Collection[str] | None = None,
    caller: str = "propose",
) -> Plan:
    """Return what a proposal asks of each column, and what it costs; reads no data.

    ``rho``: what it may cost instead of epsilon, beside what else composes with it.

    Examples
    --------
    >>> asked = plan([("age", "whole"), ("city", "open")], epsilon="0.3", delta="1e-6")
    >>> asked.text_from(asked.columns[1], 10_000)
    148
    """
    exact = check_fraction(caller, "epsilon", epsilon)
    small = Fraction(0) if not delta else check_probability(caller, "delta", delta)
    wanted = check_integer(caller, "bins", bins, low=2)
    if wanted > 256:
        raise parameter_error(caller, "bins", "from 2 to 256", bins)
    asked = tuple(
        Asked(name, kind, (bounds or {}).get(name), named is None or name in named)
        for name, kind in columns
    )
    leak = small * LEAK
    if rho is None:
        rho = largest_rho(exact, small - leak, caller=caller) if small else Fraction(0)
    else:
        exact = zcdp_to_dp(rho, small - leak)
    return Plan(asked, wanted, exact, small, rho, leak)


def tally(
    cells: Sequence[object],
    counts: Sequence[int] | npt.NDArray[np.int64],
    *,
    comma: bool = False,
) -> Tally:
    """Count the cells of a column, each read alone: as a number, or as a text by its value.

    Examples
    --------
    >>> found = tally(["7", "x", None, 2.5, "True", "true"], [1, 2, 3, 4, 5, 5])
    >>> found.values.tolist(), found.counts.tolist(), found.texts
    ([2.5, 7.0], [4, 1], Counter({'true': 10, 'x': 2}))
    """
    values: list[float] = []
    numbers: list[int] = []
    texts: Counter[str] = Counter()
    for cell, count in zip(cells, counts, strict=True):
        written, times = text(cell), int(count)
        if written is None or written.lower() == "nan":
            continue
        read = written
        if comma:  # a point is no decimal sign then
            read = "" if "." in written else written.replace(",", ".")
        worth = None if written.lower() in ("true", "false") else number(read)
        if worth is None:
            texts[canonical(written)] += times
            continue
        values.append(_double(worth))
        numbers.append(times)
    return _ordered(np.array(values, float), np.array(numbers, np.int64), texts)


def _ordered(values: Any, counts: Any, texts: Counter[str]) -> Tally:
    order = np.argsort(values, kind="stable")
    limit = 10.0**_LARGEST  # what is larger counts as almost that
    return Tally(np.clip(values[order], -limit, np.nextafter(limit, 0)), counts[order], texts)


def _double(value: int | float) -> float:
    if abs(value) < 2**1000:
        return float(value)
    return math.inf if value > 0 else -math.inf


def describe(asked: Plan, tallies: Sequence[Tally], n: int, source: Source) -> list[Column | None]:
    """Draw the descriptions of all columns; None where nothing is known of one.

    Guarantee
    ---------
    ``(asked.epsilon, asked.delta)``-DP, replace-one: proof at the top of the module.
    """
    known = dict(zip(asked.columns, tallies, strict=True))
    found: dict[Asked, Column] = {}
    masses: dict[Asked, dict[Cell, float]] = {}
    for column in asked.paying:
        drawn = _histogram(asked, column, known[column], n, source)
        if isinstance(drawn, dict):
            masses[column] = drawn
        elif drawn:
            found[column] = Column.of(column.name, drawn)
    counted = _in_parts(asked, known, masses, n, source)
    for column, own in masses.items():
        whole, flags = column.kind == "whole", _noisy(asked, column, n)
        edges = bins_of(own, asked.bins, whole=whole, counted=counted, flags=flags)
        if column.bounds is not None:
            low, high = column.bounds
            edges = [edge for edge in edges if low < edge <= high]
        if edges:
            found[column] = Column.bins(column.name, edges)
    for column in asked.columns:
        if column.kind == "flag":
            found[column] = Column.of(column.name, ["false", "true"])
    return [found.get(column) for column in asked.columns]


def _in_parts(
    asked: Plan, known: dict[Asked, Tally], masses: dict[Asked, dict[Cell, float]], n: int,
    source: Source,
) -> set[Cell]:  # fmt: skip
    """Count the parts of the cells that have most records, put them in their place, return them."""
    parts: dict[Asked, dict[Cell, list[Cell]]] = {}
    counted: set[Cell] = set()
    for column, own in masses.items():
        limit = (_HEAVY if asked.delta else _HEAVY_PURE) * sum(own.values())
        heavy = {cell: column.parts(cell) for cell, mass in own.items() if mass > limit}
        if any(heavy.values()):
            parts[column] = heavy
    for column, heavy in parts.items():
        noise = asked.parts(len(parts))
        for cell, within in heavy.items():
            counts = noisy_counts(known[column].among(within, column.bounds), noise, source)
            fine = _smoothed(counts, noise, noisy=_noisy(asked, column, n))
            if sum(fine):  # else it is left as it is
                scale = masses[column].pop(cell) / sum(fine)
                masses[column] |= {c: m * scale for c, m in zip(within, fine, strict=True)}
                counted.update(within)
    return counted


def _noisy(asked: Plan, column: Asked, n: int) -> bool:
    """Return whether n is small beside the noise of a column's histogram: public numbers."""
    return n < _NOISY * asked.histogram(column).deviation


def _smoothed(counts: Sequence[int], noise: Noise, *, noisy: bool) -> list[float]:
    """Return about how many records cells have: a run of them must explain more than the noise."""
    if noise.variance is None:
        seen = noise.beyond(_FALSE / max(len(counts), 1)) ** 2
        return smoothed(counts, seen if noisy else seen / 2, seen)
    unit = math.log(max(len(counts), 2)) * noise.deviation**2
    run, least = (_NOISY_RUN, _NOISY_RUN) if noisy else (_RUN, _SOME_RUN)
    return smoothed(counts, run * unit, least * unit)


def _histogram(
    asked: Plan, column: Asked, own: Tally, n: int, source: Source
) -> dict[Cell, float] | list[str]:
    """Return how many records cells of numbers have, or the frequent texts; of both there are less.

    Nothing is known of a column that most records lack.
    """
    cells, noise = column.cells(), asked.histogram(column)
    there = int(own.counts.sum()) + own.texts.total()
    words, texts = 0, dict[str, int]()
    exact = [n - there, *own.among(cells, column.bounds)]
    if not asked.delta and column.kind == "open":
        words, missing, *noisy = noisy_counts([own.texts.total(), *exact], noise, source)
    else:
        missing, *noisy = noisy_counts(exact, noise, source)
    if asked.delta and column.kind in ("open", "text"):
        texts = noisy_items(own.texts, noise, asked.text_from(column, n), source)
        words = sum(texts.values())
    records = _smoothed(noisy, noise, noisy=_noisy(asked, column, n))
    masses = dict(zip(cells, records, strict=True))
    numbers = sum(masses.values())
    if 2 * missing > n:
        return []
    if words > numbers:
        short = [written for written in texts if len(written) <= _LONGEST]  # for pages and files
        return short if column.named or 2 * words >= n else []
    return masses if numbers else []


def propose(
    table: Any,
    *,
    epsilon: Any,
    delta: Any = 0,
    y: str | None = None,
    columns: Sequence[str] | None = None,
    bins: int = 8,
    kinds: Mapping[str, str] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    header_is_public: bool = False,
    csv: CsvFormat | str | Mapping[str, Any] | None = None,
    ledger: Ledger | None = None,
    random_state: int | Source | None = None,
) -> Schema:
    """Return a schema that is learned from the records, privately.

    Afterwards no certificate of accuracy holds for what is learned from the same records: the
    class depends on them. Releases over the schema say so, and say what both cost together.

    Parameters
    ----------
    table : path, data frame, or relation
        As for `Sample.read`.
    epsilon : number > 0
        Of all columns together. No default.
    delta : number in [0, 1), default 0
        Without one texts have no categories, and are left out.
    y : str, optional
        Column of labels: not looked at.
    columns : sequence of str, optional
        Which columns; by default all others. Fewer columns are learned more exactly.
    bins : int from 2 to 256, default 8
        About how many bins a number has; at most twice as many.
    kinds : mapping from names to {"whole", "number", "text", "flag", "open"}, optional
        What columns are known to hold, from public knowledge; of those that are *open* it is
        decided privately, by the same counts. By default what a
        Parquet file or a table of a database declares; frames and relations in memory, whose
        types may have been inferred from the records, and CSV files are open.
    bounds : mapping from names to pairs (low, high), optional
        Between which numbers a column is known to lie, from public knowledge: bins begin there,
        and the column is one of numbers (of whole ones, if both are). Cells beyond count as the
        nearer end.
    header_is_public : bool, default False
        Whether the first line of a CSV file holds the names of its columns.
    csv : CsvFormat, str or mapping, optional
        How a CSV file is written; the schema will say it, too.
    ledger : Ledger, optional
        The budget of these records.
    random_state : int or Source, optional
        An int is reproducible, and NOT private.

    Returns
    -------
    Schema
        With ``guarantee`` and ``proposal``, which `to_toml` keeps.

    Raises
    ------
    ParameterError
        A column that the table does not have; only texts, and no delta.
    InfeasibleError
        Nothing can be learned from so few records (their number is public): nothing was drawn.
    DataError
        Nothing was found in any column; the epsilon is spent.
    BudgetError
        The ledger does not pay; nothing was drawn.

    Guarantee
    ---------
    (epsilon, delta)-DP under replace-one: `littlestone.data.proposal`.

    Notes
    -----
    Cost: one reading of the table for each column.

    Examples
    --------
    >>> import numpy as np
    >>> table = {"age": np.arange(9000) % 90, "city": ["Bonn", "Rome", "Bonn"] * 3000}
    >>> schema = propose(
    ...     table, epsilon=1, delta=1e-6, kinds={"age": "whole"}, random_state=0)
    >>> schema["age"].edges, schema["city"].categories
    ((1, 10, 20, 30, 40, 50, 60, 70, 80), ('Bonn', 'Rome'))
    >>> schema.guarantee.epsilon
    Fraction(1, 1)
    """
    ready = prepare(
        table, epsilon=epsilon, delta=delta, y=y, columns=columns, bins=bins,
        kinds=kinds, bounds=bounds, header_is_public=header_is_public, csv=csv, ledger=ledger,
        random_state=random_state,
    )  # fmt: skip
    if ready.problem is not None:
        raise ready.problem
    return ready.learn(ledger)


@dataclass(frozen=True, eq=False)
class Ready:
    """A proposal whose arguments are checked, and whose table is counted: nothing is drawn yet."""

    asked: Plan
    tallies: tuple[Tally, ...]
    n: int
    form: CsvFormat | None
    guarantee: Guarantee
    source: Source
    apart: tuple[str, ...] = ()  # identifiers and free text, by their names: nothing is asked

    @property
    def problem(self) -> ParameterError | InfeasibleError | None:
        """Why nothing can be learned of this table: public."""
        if not self.asked.paying:
            return ParameterError(
                "These columns need a delta, for example 1e-6, since they are declared as text, "
                "dates or times. Otherwise name the numeric ones among them by bounds, or write a "
                "schema from public knowledge (`littlestone schema new`), which costs no epsilon."
            )
        needed = self.asked.least()
        if needed <= self.n:
            return None
        delta = "" if self.asked.delta else "a delta such as 1e-6, "
        return InfeasibleError(
            f"This proposal could learn nothing from {counted(self.n, 'records')}: it needs "
            f"{needed:,}, since its counts are noisy. Nothing was drawn. Use {delta}a larger "
            "epsilon, fewer columns, or bounds; or write a schema from public knowledge "
            "(`littlestone schema new`), which costs no epsilon.",
            n_needed=needed,
        )

    def learn(self, ledger: Ledger | None) -> Schema:
        """Pay, and draw: all public arguments are checked."""
        asked, entry = self.asked, None
        if ledger is not None:
            what = f"proposal of a schema of {counted(len(asked.columns), 'columns')}"
            entry = ledger.entry(ledger.charge(self.guarantee, what=what))
        drawn = describe(asked, self.tallies, self.n, self.source)
        found = [
            bounded(column.name, column.bounds) if own is None and column.bounds else own
            for column, own in zip(asked.columns, drawn, strict=True)
        ]
        kept = tuple(column for column in found if column is not None)
        if not kept:
            more = " or delta" if asked.delta else "; text columns need a delta such as 1e-6"
            raise StoppedError(
                "No bin or category of any column stood out from the noise. The proposal is paid "
                f"for ({self.guarantee}); nothing else was drawn. Use a larger "
                f"epsilon{more}; or write the schema from public knowledge, which costs no "
                "epsilon."
            )
        known = {column.name for column in kept}
        return Schema(
            kept,
            csv=self.form,
            proposal=Proposal(
                self.guarantee,
                self.n,
                (*self.apart, *(c.name for c in asked.columns if c.name not in known)),
                tuple(column.name for column in asked.columns if column.kind != "open"),
                zcdp=(asked.rho, asked.leak) if asked.delta else None,
                entry=entry,
            ),
        )


def prepare(
    table: Any,
    *,
    epsilon: Any,
    delta: Any = 0,
    rho: Fraction | None = None,
    y: str | None = None,
    columns: Sequence[str] | None = None,
    leave: Collection[str] = (),
    bins: Any = 8,
    kinds: Mapping[str, Any] | None = None,
    bounds: Mapping[str, Any] | None = None,
    header_is_public: bool = False,
    csv: Any = None,
    ledger: Ledger | None = None,
    random_state: int | Source | None = None,
    caller: str = "propose",
) -> Ready:
    """Check the arguments of a proposal, and count the table; nothing is drawn or spent.

    ``leave``: further columns that are not learned from; ``rho``: as of `plan`.
    """
    # engines are imported when a table is read
    from littlestone.data.counting import count_columns  # noqa: PLC0415
    from littlestone.data.draft import require_names  # noqa: PLC0415
    from littlestone.data.tables import read_table  # noqa: PLC0415

    source = source_of(caller, random_state)
    form = None if csv is None else CsvFormat.parse(csv, caller)
    require_names(table, header_is_public, form, caller)
    opened = read_table(table, csv=form, caller=caller)
    found = [name for name in opened.names if name not in leave]
    names, apart = _names(found, y, columns, [*(kinds or ()), *(bounds or ())], caller)
    if y is not None:
        opened.once(y, caller)
    opened.stream(names, caller)  # names and types are looked at
    said = _said(kinds, names, caller)
    known = _kinds(opened, names, caller, texts=bool(delta)) | said
    within = _between(bounds, names, caller)
    for name, ends in within.items():
        if name not in said and known[name] not in ("whole", "number"):
            known[name] = "whole" if all(isinstance(end, int) for end in ends) else "number"
    asked = plan(
        list(known.items()), epsilon=epsilon, delta=delta, rho=rho, bins=bins,
        bounds=within, named=[*said, *within] if columns is None else names, caller=caller,
    )  # fmt: skip
    for column in asked.columns:
        _check_bounds(column, caller)
    parts = ["counts.privacy"] + (["cks20.prop12"] if asked.delta else [])
    guarantee = Guarantee(
        asked.epsilon, asked.delta, claim=f"dp.sum({', '.join(parts)})", seeded=source.seeded
    )
    check_ledger(ledger, caller, guarantee, data=table)
    comma = form is not None and form.decimal == "comma"
    tallies, rows = [], []
    for column, (cells, counts) in zip(
        asked.columns, count_columns(opened, names, caller=caller), strict=True
    ):
        tallies.append(_tally(cells, counts, column, comma=comma))
        rows.append(int(counts.sum()))
    check_same(rows)
    return Ready(asked, tuple(tallies), rows[0], form, guarantee, source, apart)


def standard(
    table: Any,
    *,
    y: str,
    columns: Sequence[str] | None = None,
    leave: Collection[str] = (),
    bounds: Mapping[str, Any] | None = None,
    csv: Any = None,
    caller: str = "fit",
) -> Schema | None:
    """Return a schema that depends on no record: the same bins for all that may be numbers.

    None if all columns are declared as texts.

    Examples
    --------
    >>> schema = standard({"age": [44], "ill": [0]}, y="ill")
    >>> schema["age"].describe(schema["age"].code(44))
    '40 <= age < 50'
    """
    from littlestone.data.tables import read_table  # noqa: PLC0415

    form = None if csv is None else CsvFormat.parse(csv, caller)
    opened = read_table(table, csv=form, caller=caller)
    found = [name for name in opened.names if name not in leave]
    names, _ = _names(found, y, columns, list(bounds or ()), caller)
    opened.once(y, caller)
    within = _between(bounds, names, caller)
    step = math.ceil(len(names) * len(_STANDARD) / MOST_EDGES)  # of very many columns fewer edges
    made: list[Column] = []
    for name, kind in _kinds(opened, names, caller, texts=False).items():
        if name in within:
            made.append(bounded(name, within[name]))
        elif kind == "flag":
            made.append(Column.of(name, ["false", "true"]))
        elif kind != "text":
            made.append(Column.bins(name, _STANDARD[step - 1 :: step]))
    return Schema(tuple(made), csv=form) if made else None


def bounded(name: str, bounds: Bounds) -> Column:
    """Return a column of eight equal bins, or of fewer where both ends are whole numbers.

    Examples
    --------
    >>> bounded("age", (0, 80)).edges, bounded("flag", (0, 1)).edges, bounded("x", (0, 0.4)).edges
    ((10, 20, 30, 40, 50, 60, 70), (1,), (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35))
    """
    low, high = map(exact_value, bounds)
    assert low is not None
    assert high is not None
    edges = [low + (high - low) * i / 8 for i in range(1, 8)]
    if all(isinstance(end, int) for end in bounds):
        return Column.bins(name, sorted({math.ceil(edge) for edge in edges}))
    return Column.bins(name, sorted({float(edge) for edge in edges}))


def _names(
    found: Sequence[str], y: str | None, columns: Sequence[str] | None, said: Collection[str],
    caller: str,
) -> tuple[list[str], tuple[str, ...]]:  # fmt: skip
    """Return the columns that are asked about, and those that are left out by their names.

    These are not named: neither among ``columns``, nor ``said`` to be of a kind or in bounds.
    """
    from littlestone.data.draft import IDENTIFIERS, identifying  # noqa: PLC0415

    if isinstance(columns, str):
        raise parameter_error(caller, "columns", "a list of column names", columns)
    for name in [*(columns or ()), *([] if y is None else [y])]:
        if name not in found:
            raise ParameterError(
                f"The table given to {caller} has no column {name!r}.{suggest(name, found)}"
            )
    for name in RESERVED.intersection(columns or ()):
        raise ParameterError(
            f"The name {name!r} is reserved in schemas: rename the column, or leave it out."
        )
    names = [
        name for name in (columns or found) if name != y and name.strip() and name not in RESERVED
    ]
    if not names or len(set(names)) < len(names):
        raise ParameterError(
            "The columns to learn from must differ from each other and from the label."
        )
    apart = [n for n in names if columns is None and n not in said and identifying(n)]
    if len(apart) == len(names):
        raise ParameterError(
            f"By their names, all columns given to {caller} are identifiers or free text "
            f"({', '.join(apart)}): the list of such words is {IDENTIFIERS} of the package. Name "
            "the columns to learn from: columns= (--columns; in fit --x)."
        )
    return [name for name in names if name not in apart], tuple(apart)


def _said(kinds: Any, names: Sequence[str], caller: str) -> dict[str, Kind]:
    """Check what the caller says of columns: public knowledge."""
    known = get_args(Kind)
    given = {} if kinds is None else kinds
    if not isinstance(given, Mapping) or any(kind not in known for kind in given.values()):
        rule = f"a mapping from columns to {', '.join(known)}"
        raise parameter_error(caller, "kinds", rule, kinds, 'For example {"age": "whole"}.')
    _check_named(given, "kinds", names, caller)
    return dict(given)


def _check_named(given: Mapping[Any, Any], option: str, names: Sequence[str], caller: str) -> None:
    for name in given:
        if name not in names:
            raise ParameterError(
                f"The {option!r} parameter of {caller} names {name!r}, which is not one of the "
                f"columns to learn from.{suggest(str(name), names)}"
            )


def _between(bounds: Any, names: Sequence[str], caller: str) -> dict[str, Bounds]:
    """Check between which numbers the caller says that columns lie: public knowledge."""
    rule = "a mapping from columns to pairs low < high"
    hint = 'For example {"age": (0, 120)}, or --bounds age=0:120.'
    given = {} if bounds is None else bounds
    if not isinstance(given, Mapping):
        raise parameter_error(caller, "bounds", rule, bounds, hint)
    _check_named(given, "bounds", names, caller)
    found: dict[str, Bounds] = {}
    for name, ends in given.items():
        pair = ends if isinstance(ends, list | tuple) else ()
        plain = all(isinstance(end, int | float) and not isinstance(end, bool) for end in pair)
        if len(pair) != 2 or not plain or not -(10.0**12) <= pair[0] < pair[1] <= 10.0**12:
            wanted = f"of {name!r} a pair low < high, to 10**12 in size"
            said = ":".join(map(str, pair)) if plain and len(pair) == 2 else ends
            raise parameter_error(caller, "bounds", wanted, said, hint)
        found[name] = (pair[0], pair[1])
    return found


def _check_bounds(asked: Asked, caller: str) -> None:
    """Refuse bounds of what is no number."""
    if asked.bounds is not None and asked.kind not in ("whole", "number"):
        raise ParameterError(
            f"The 'bounds' parameter of {caller} names {asked.name!r}, which is declared as "
            f"{asked.kind}, not as a number. Leave it out, or declare it as whole or number."
        )


def _kinds(opened: Table, names: list[str], caller: str, *, texts: bool) -> dict[str, Kind]:
    """Return what declared types say of columns; of texts only if these can be learned."""
    found = zip(names, opened.kinds(names, caller), strict=True)
    return {name: _kind(declared, texts=texts) for name, declared in found}


def _kind(declared: Any, *, texts: bool) -> Kind:
    """Return what a declared type says; None is no type.

    A column of texts may hold numbers; if texts cannot be learned, nothing is spent on that.
    """
    if declared is None:
        return "open"
    if pa.types.is_boolean(declared):
        return "flag"
    if pa.types.is_integer(declared):
        return "whole"
    if pa.types.is_floating(declared) or pa.types.is_decimal(declared):
        return "number"
    return "open" if texts and not pa.types.is_temporal(declared) else "text"


def _tally(
    cells: pa.ChunkedArray, counts: npt.NDArray[np.int64], asked: Asked, *, comma: bool
) -> Tally:
    numeric = pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type)
    if numeric and asked.kind in ("whole", "number"):
        values = cells.cast(pa.float64(), safe=False).fill_null(math.nan).to_numpy()
        there = ~np.isnan(values)
        return _ordered(values[there], counts[there], Counter())
    return tally(*_grouped(cells, counts), comma=comma)


def _grouped(
    cells: pa.ChunkedArray, counts: npt.NDArray[np.int64]
) -> tuple[list[Any], npt.NDArray[np.int64]]:
    """Return the distinct cells as Python values, and their counts."""
    from littlestone.data.codes import distinct_cells  # noqa: PLC0415

    raw, where = distinct_cells(cells)
    each = np.zeros(len(raw), np.int64)
    np.add.at(each, where, counts)
    return raw, each
