"""A private report of a table: how many cells are missing or odd, how the labels are balanced.

Each column of the schema is one histogram with two public cells (*missing*, *other*), the labels
are one more (missing, other, each declared label). A record has a cell in every column, so
replacing it may change all histograms, each by at most 2 (L1): the releases compose. With c
columns and no delta each costs epsilon/(c + 1), and its noise has rate epsilon/(2 (c + 1)); with a
delta `littlestone.privacy.compose` lets each cost more.

Everything but the counts is public: the noise is known before a record is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.data.domains import check_same
from littlestone.data.schema import Column, Schema
from littlestone.errors import (
    InfeasibleError,
    ParameterError,
    check_fraction,
    check_probability,
    counted,
    parameter_error,
)
from littlestone.evaluation.histogram import histogram_rate, noise_reach, release_histogram
from littlestone.evaluation.measures import Band
from littlestone.privacy import Guarantee, Pure, check_ledger, largest_scale
from littlestone.safe_io import Plain
from littlestone.source import Source, source_of
from littlestone.types import Json

if TYPE_CHECKING:
    from littlestone.privacy import Ledger

_BETA = 0.05


@dataclass(frozen=True)
class Noise:
    """The noise of a data report; public."""

    each: Fraction  # what one column (or the labels) costs
    rate: Fraction  # in each cell: Pr[z] ~ e**(-rate |z|)
    reach: float  # a count is wrong by at most this many records, with probability 95 %
    claim: str  # what proves the composition


@dataclass(frozen=True)
class ColumnReport(Plain):
    """How the cells of one column are read."""

    name: str
    missing: Band
    other: Band


@dataclass(frozen=True)
class DataReport(Plain):
    """A released report of a table."""

    n: int
    columns: tuple[ColumnReport, ...]
    label: ColumnReport
    balance: Mapping[str, Band]
    guarantee: Guarantee
    noise: Noise

    def to_dict(self) -> Json:
        """Return plain JSON."""
        noise = {"rate": str(self.noise.rate), "reach": self.noise.reach}
        return super().to_dict() | {"noise": noise}


def check(
    table: Any,
    schema: Schema,
    *,
    y: str,
    epsilon: Any,
    delta: Any = 0,
    labels: Sequence[Any] = (0, 1),
    csv: Any = None,
    ledger: Ledger | None = None,
    random_state: int | Source | None = None,
) -> DataReport:
    """Return a private report of a table: cells that are missing or other, balance of the labels.

    Look at it before `fit`: what a schema or the labels do not fit is *other*, and a learner that
    reads nothing learns a constant.

    Parameters
    ----------
    table : path, data frame, or relation
        As for `Sample.read`.
    schema : Schema
    y : str
        Column of labels.
    epsilon : number > 0
        Of the whole report.
    delta : number in [0, 1), default 0
        Makes the noise of many columns smaller.
    labels : sequence, default (0, 1)
        The public labels; a cell has one when it is the same number or text.
    csv : CsvFormat, str or mapping, optional
        How a CSV file is written; by default what the schema declares.
    ledger : Ledger, optional
        The budget of these records.
    random_state : int or Source, optional
        An int is reproducible, and NOT private.

    Returns
    -------
    DataReport
        Each interval holds the records' own share with probability 95 % over the noise.

    Raises
    ------
    ParameterError, DataError
        A column that the table does not have, an empty table.
    InfeasibleError
        The noise would reach half of the records (their number is public): nothing was drawn.
    BudgetError
        The ledger does not pay; nothing was drawn.

    Guarantee
    ---------
    (epsilon, delta)-DP under replace-one: each histogram by claim ``score-histogram``, all
    together by composition.

    Notes
    -----
    Cost: one reading of the table for each column.

    Examples
    --------
    >>> schema = Schema.from_dict({"age": {"bins": [30, 60]}, "city": {"categories": ["Bonn"]}})
    >>> table = {"age": [25, None] * 500, "city": ["bonn"] * 1000, "ill": [0, 1, 1, 2] * 250}
    >>> report = check(table, schema, y="ill", epsilon=1, random_state=0)
    >>> [(c.name, round(c.missing.value, 1), round(c.other.value, 1)) for c in report.columns]
    [('age', 0.5, 0.0), ('city', 0.0, 1.0)]
    >>> round(report.label.other.value, 1), round(report.balance["1"].value, 1)
    (0.3, 0.5)
    """
    from littlestone.data.counting import count_codes, count_labels  # noqa: PLC0415 - engines
    from littlestone.data.tables import read_table  # noqa: PLC0415

    noise = check_noise(schema, epsilon=epsilon, delta=delta)
    names = _distinct_labels(labels)
    source = source_of("check", random_state)
    guarantee = Guarantee(
        check_fraction("check", "epsilon", epsilon),
        Fraction(0) if not delta else check_probability("check", "delta", delta),
        claim=f"{noise.claim}(score-histogram)",
        seeded=source.seeded,
    )
    opened = read_table(table, csv=csv, declared=schema.csv, caller="check")
    opened.frame([*schema.names, y], "check")  # names and types are looked at
    check_ledger(ledger, "check", guarantee, data=table)
    counts = [count_codes(opened, column, caller="check") for column in schema.columns]
    counts.append(count_labels(opened, y, labels, caller="check"))
    n = int(counts[-1].sum())
    check_same([int(found.sum()) for found in counts])
    if 2 * noise.reach >= n:
        raise InfeasibleError(
            f"The noise would be up to {noise.reach:g} of {n:,} records in every count, so the "
            "report would be uninformative. Nothing was drawn. Use a larger epsilon, a delta, or "
            "fewer columns.",
            n_needed=math.floor(2 * noise.reach) + 1,
        )
    cells = [part[: Column.FIRST].tolist() for part in counts[:-1]] + [counts[-1].tolist()]
    # All public arguments are checked: pay, and from here on the source is drawn from.
    if ledger is not None:
        ledger.charge(guarantee, what=f"check of {counted(len(schema), 'columns')}")
    *columns, label = release_shares(cells, n, noise, source)
    return DataReport(
        n,
        tuple(
            ColumnReport(name, *bands) for name, bands in zip(schema.names, columns, strict=True)
        ),
        ColumnReport(y, *label[: Column.FIRST]),
        dict(zip(names, label[Column.FIRST :], strict=True)),
        guarantee,
        noise,
    )


def check_noise(schema: Schema, *, epsilon: Any, delta: Any = 0) -> Noise:
    """Return the noise of `check`; reads no data.

    Examples
    --------
    >>> schema = Schema.every_column([0]).bind(100)
    >>> check_noise(schema, epsilon="0.1").reach, check_noise(schema, epsilon=1, delta=1e-6).reach
    (6051.0, 255.0)
    """
    if not isinstance(schema, Schema) or not schema.bound:
        hint = "Read one with Schema.from_toml(path); `littlestone schema new` writes a first one."
        constraint = "a Schema with named columns"
        raise parameter_error("check", "schema", constraint, type(schema).__name__, hint)
    exact = check_fraction("check", "epsilon", epsilon)
    small = Fraction(0) if not delta else check_probability("check", "delta", delta)
    each, claim = _each(exact, small, len(schema) + 1)
    rate = histogram_rate(each)
    return Noise(each, rate, noise_reach(rate, 1, _BETA), claim)


def release_shares(
    cells: Sequence[Sequence[int]], n: int, noise: Noise, source: Source
) -> list[list[Band]]:
    """Draw the shares of some cells of each column; one record has one cell of each.

    Guarantee
    ---------
    For each column ``noise.each``-DP; the columns compose (see `check_noise`).
    """
    return [
        [
            _share(count, n, noise.reach)
            for count in release_histogram(
                range(len(column)), [column], n=n, epsilon=noise.each, source=source
            ).counts[0]
        ]
        for column in cells
    ]


def _share(count: int, n: int, reach: float) -> Band:
    value, width = min(max(count / n, 0.0), 1.0), reach / n
    return Band(value, max(0.0, value - width), min(1.0, value + width), "noise", _BETA)


def _each(epsilon: Fraction, delta: Fraction, parts: int) -> tuple[Fraction, str]:
    """Return what each of some pure releases may cost: the most that composes."""
    return largest_scale(
        lambda each: {Pure(each): parts}, epsilon=epsilon, delta=delta, low=epsilon / parts
    )


def _distinct_labels(labels: Sequence[Any]) -> list[str]:
    from littlestone.data.cells import text  # noqa: PLC0415 - beside the engines of `check`
    from littlestone.data.counting import match  # noqa: PLC0415

    if isinstance(labels, str) or not labels:
        raise parameter_error("check", "labels", "a sequence of public labels", labels)
    rules = [match("check", "labels", label) for label in labels]
    if any(rule(other) for i, rule in enumerate(rules) for other in labels[:i]):
        raise ParameterError("The labels given to check must be different, also as numbers.")
    return [str(text(label)) for label in labels]
