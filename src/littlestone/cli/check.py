"""``littlestone check``: a private report of a table, before anything is learned from it."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING

from littlestone.cli.options import AsJson, Paid, Table, names, needed, whole
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.evaluation.data_report import DataReport, Noise
    from littlestone.evaluation.measures import Band


def check(
    data: str | None = None,
    /,
    *,
    schema: str,
    y: str | None = None,
    epsilon: str,
    delta: str | None = None,
    labels: str = "0,1",
    table: Table = Table(),
    records: str | None = None,
    paid: Paid = Paid(),
    json: AsJson = False,
) -> int:
    """Report privately how a table's cells are read: missing, other, balance of the labels.

    What a schema or the labels do not fit is "other", and never an error: look here first.

    Parameters
    ----------
    data:
        Table of labelled records: a Parquet or CSV file.
    schema:
        TOML file with the public columns.
    y:
        Column of labels.
    epsilon:
        Privacy loss of the whole report, as a number or a fraction.
    delta:
        What is allowed besides epsilon, for example 1e-6: less noise, if there are many columns.
    labels:
        The public labels, separated by commas.
    records:
        Instead of a table: say how much noise a report of so many records would have, without
        reading any. It costs nothing.
    """
    from littlestone.data import Schema
    from littlestone.evaluation.data_report import check as checked
    from littlestone.evaluation.data_report import check_noise

    if data is not None and records is not None:
        raise ParameterError(
            "check takes a table or --records, not both: --records says how much noise a report "
            "of so many records would have, and reads none."
        )
    if data is None and records is None:
        raise ParameterError(
            "check needs a table, for example people.csv; or --records N, which says how much "
            "noise a report of N records would have, and reads none."
        )
    public = Schema.from_toml(schema)
    if records is not None:
        n = whole("check", "records", records)
        _planned(check_noise(public, epsilon=epsilon, delta=delta or 0), n, json=json)
        return 0
    paid_by = paid.budget("check")
    assert data is not None
    report = checked(
        data,
        public,
        y=needed("check", "y", y),
        epsilon=epsilon,
        delta=delta or 0,
        labels=names("check", "labels", labels, "labels") or [],
        csv=table.format("check", data, public),
        ledger=paid_by,
        random_state=paid.checked_seed("check"),
    )
    if json:
        print(jsonlib.dumps(report.to_dict(), sort_keys=True))
    else:
        _show(report)
    return 0


def _planned(noise: Noise, n: int, *, json: bool) -> None:
    from littlestone.cli.terminal import note
    from littlestone.report.words import percent

    if json:
        found = {"n": n, "rate": str(noise.rate), "reach": noise.reach}
        print(jsonlib.dumps(found, sort_keys=True))
        return
    if 2 * noise.reach >= n:
        note(
            f"The noise would reach {noise.reach:g} of {n:,} records: a report would say nothing, "
            "and is refused. Give it a larger epsilon, a delta, or fewer columns."
        )
        return
    note(
        f"Each share would be right to {percent(noise.reach / n)} ({noise.reach:g} of {n:,} "
        "records), with probability 95% for each."
    )


def _show(report: DataReport) -> None:
    from littlestone.cli.terminal import facts, note, table
    from littlestone.report.words import percent

    def words(band: Band) -> str:
        return f"{percent(band.value)} ({percent(band.low)} to {percent(band.high)})"

    columns = (*report.columns, report.label)
    table(
        "How cells are read",
        ("column", "missing", "other"),
        [(column.name, words(column.missing), words(column.other)) for column in columns],
    )
    note("")
    table(
        f"Labels ({report.label.name})",
        ("label", "share"),
        [(label, words(band)) for label, band in report.balance.items()],
    )
    note("")
    off = f"{report.noise.reach:g} of {report.n:,} records, with probability 95% for each share"
    facts([("Guarantee", str(report.guarantee), ""), ("Noise", f"at most {off}", "")])
