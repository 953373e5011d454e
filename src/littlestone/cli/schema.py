"""``littlestone schema`` and ``check``: the public columns of a table, and how its cells fit."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from littlestone.cli.options import (
    AsJson,
    Out,
    Paid,
    Table,
    check_outputs,
    label_list,
    named_values,
    names,
    needed,
    read_bounds,
    spellings_in,
)
from littlestone.cli.terminal import facts, note, printed, table
from littlestone.errors import ParameterError
from littlestone.safe_io import write_text

if TYPE_CHECKING:
    from littlestone.data import Column, Schema
    from littlestone.evaluation.measures import Band, DataReport


def new(
    data: str | None = None,
    /,
    *,
    y: str | None = None,
    codebook: str | None = None,
    table: Table = Table(),
    out: Out = None,
) -> int:
    """Draft a schema of a table without reading any cell; complete it by hand.

    The draft contains the column names (of a CSV file only with --header-is-public), the types that
    a Parquet file or database declares, and the format that --csv declares. If there is a public
    table with the same columns, you need no schema: `fit --public FILE` takes bins and categories
    from it.

    Parameters
    ----------
    data:
        Table of records: a Parquet or CSV file, or the URL of a table in a database. Optional with
        --codebook.
    y:
        Column of labels, which is omitted from the schema.
    codebook:
        Codebook from which to take bins, categories, other spellings, units and missing codes:
        REDCap's data dictionary (CSV), a Frictionless Table Schema (JSON), or a CSV file with the
        columns name, type, low, high, levels (a|b or 1=a|2=b), missing, unit, label.
    """
    from littlestone.data.draft import draft

    if data is None and codebook is None:
        raise ParameterError("schema new needs a table, or --codebook FILE, or both.")
    check_outputs("schema new", data, codebook, out=out)
    form, public = table.written("schema new"), table.header_is_public
    written = draft(data, label=y, codebook=codebook, header_is_public=public, csv=form)
    if out is None:
        sys.stdout.write(written)
    else:
        write_text(out, written)
    return 0


def propose(
    data: str,
    /,
    *,
    epsilon: str,
    out: str,
    delta: str | None = None,
    y: str | None = None,
    columns: str | None = None,
    bins: int = 8,
    kinds: str | None = None,
    bounds: str | None = None,
    table: Table = Table(),
    paid: Paid = Paid(),
    json: AsJson = False,
) -> int:
    """Learn a schema privately from the records, at a cost in epsilon.

    Numeric columns get bins of about equal frequency; text columns get their frequent values as
    categories. A model that is learned from the same records then has no certificate of accuracy,
    as its release says.

    Parameters
    ----------
    data:
        Table of records: a Parquet or CSV file, or the URL of a table in a database.
    epsilon:
        Privacy loss of the whole schema, as a number or a fraction.
    out:
        Write the schema (TOML) to this file, replacing any existing file.
    delta:
        Delta, for example 1e-6. Without it, text columns are omitted.
    y:
        Column of labels, which is not read.
    columns:
        Columns to describe, separated by commas. By default, all columns except --y and those whose
        names suggest an identifier or free text.
    bins:
        Approximate number of bins per numeric column, from 2 to 256; a column gets at most twice as
        many.
    kinds:
        Types of columns, from public knowledge, for example "age=whole,income=number,city=text".
        The types are whole (whole numbers), number, text, flag (true or false) and open (decided
        privately from the records). By default, the types are those that a Parquet file or database
        declares, which count as public; columns of CSV files are open.
    bounds:
        Ranges of numeric columns, from public knowledge, such as "age=0:120,income=0:1000000".
    """
    from littlestone.data.proposal import propose as learned

    check_outputs("schema propose", data, paid.ledger, out=out)
    schema = learned(
        data,
        epsilon=epsilon,
        delta=delta or 0,
        y=y,
        columns=names("schema propose", "columns", columns),
        bins=bins,
        kinds=named_values("schema propose", "kinds", kinds, "age=whole,city=text"),
        bounds=read_bounds("schema propose", bounds),
        header_is_public=table.header_is_public,
        csv=table.written("schema propose"),
        ledger=paid.budget("schema propose"),
        random_state=paid.checked_seed("schema propose"),
    )
    write_text(out, schema.to_toml())
    if not printed(schema, json=json):
        _show_proposal(schema, out)
    return 0


def check_schema(
    file: str,
    data: str | None = None,
    /,
    *,
    form: Table = Table(),
    json: AsJson = False,
) -> int:
    """Check a schema: list all mistakes or, if there are none, its columns.

    Parameters
    ----------
    file:
        Schema to check (TOML).
    data:
        Table to compare with the schema: a Parquet or CSV file, or the URL of a table in a
        database. Columns of the schema that it lacks are reported as mistakes. Only the first line
        of a CSV file is read.
    """
    from littlestone.data import Schema
    from littlestone.data.draft import compare

    schema = Schema.from_toml(file)
    mistakes = []
    if data is not None and schema.bound:
        mistakes = compare(schema, data, csv=form.format("schema check", data, schema))
    if mistakes:
        count = f"{len(mistakes)} columns" if len(mistakes) > 1 else "A column"
        fix = "Correct the names in the schema, or delete the columns from it."
        lines = "".join(f"\n- {mistake}" for mistake in mistakes)
        raise ParameterError(f"{count} of the schema cannot be read. {fix}{lines}")
    every = () if schema.every is None else (schema.every,)
    rows = [(c.name, _kind(c), c.n_codes) for c in schema.columns or every]
    columns = [{"name": name, "kind": kind, "codes": codes} for name, kind, codes in rows]
    if not printed({"columns": columns}, json=json):
        table("Columns", ("column", "kind", "codes"), [tuple(map(str, row)) for row in rows])
        note("codes: one for missing cells, one for other cells, and one for each bin or category.")
    return 0


def _show_proposal(schema: Schema, out: str) -> None:
    from littlestone.report.evaluated import taken_as_public

    proposal = schema.proposal
    assert proposal is not None
    rows = [(c.name, _kind(c), str(c.n_codes - c.FIRST)) for c in schema.columns]
    table("Columns, learned from records", ("column", "kind", "bins or categories"), rows)
    if proposal.left_out:
        why = "" if proposal.guarantee.delta else " (text columns need --delta)"
        note(f"Left out, because nothing was learned{why}: {', '.join(proposal.left_out)}.")
    note("")
    rows = [("Guarantee", str(proposal.guarantee), "red" if proposal.guarantee.seeded else "")]
    rows.append(("Written", out, ""))
    facts(rows)
    if proposal.declared:
        note(f"Types {taken_as_public(proposal.declared)}; --kinds can declare others.")
    note("A model learned from the same records has no certificate of accuracy.")


def _kind(column: Column) -> str:
    if column.calendar is not None:
        return "dates"
    return "bins" if column.numeric else "categories"


def check(
    data: str,
    /,
    *,
    schema: str,
    y: str | None = None,
    epsilon: str,
    delta: str | None = None,
    labels: str | None = None,
    positive: str | None = None,
    table: Table = Table(),
    paid: Paid = Paid(),
    json: AsJson = False,
) -> int:
    """Report privately how many cells are missing or unexpected, and how often each label occurs.

    Without --strict, `fit` raises no error for unexpected cells and labels, so check a table first.

    Parameters
    ----------
    data:
        Table of labelled records: a Parquet or CSV file, or the URL of a table in a database.
    schema:
        TOML file with the public schema of the columns.
    y:
        Column of labels.
    epsilon:
        Privacy loss of the whole report, as a number or a fraction.
    delta:
        Delta, for example 1e-6, which reduces the noise if there are many columns. If it would not,
        noise with pure privacy is used, and delta 0 is charged.
    labels:
        Public list of the labels, separated by commas.
    positive:
        Count only this label, the one that `fit` is to predict, or several spellings of it, such as
        "yes|Yes"; every other cell is "other". Matching is case-sensitive, except that 1 also
        matches true and yes in upper or lower case.
    """
    from littlestone.data import Schema
    from littlestone.evaluation.measures import check as checked

    public = Schema.from_toml(schema)
    paid_by = paid.budget("check")
    report = checked(
        data,
        public,
        y=needed("check", "y", y),
        epsilon=epsilon,
        delta=delta or 0,
        labels=label_list("check", labels, positive=positive)
        or (["0", "1"] if positive is None else [spellings_in(positive)]),
        csv=table.format("check", data, public),
        ledger=paid_by,
        random_state=paid.checked_seed("check"),
    )
    if not printed(report, json=json):
        _show_report(report, with_delta=delta is not None)
    return 0


def _show_report(report: DataReport, *, with_delta: bool) -> None:
    from littlestone.report.html import percent

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
        ("label", "percentage"),
        [(label, words(band)) for label, band in report.balance.items()],
    )
    note("")
    points, reach = 100 * report.noise.reach / report.n, f"{report.noise.reach:,.0f}"
    off = f"{points:.2g} percentage points ({reach} of {report.n:,} records)"
    about = (
        "a cell that fits no bin or category. A key of the schema helps with another spelling "
        "(merge), a decimal comma (decimal), a date (type), a unit (strip) or <0.3 (below)"
    )
    charged = f"{float(report.noise.delta):g} was charged"
    used = f"{charged}: without a delta, the noise would be larger"
    if not report.noise.delta:
        used = f"{charged}: with a delta, the noise would not be smaller"
    facts([
        ("Intervals", "with probability 95%, all of them contain the records' true percentages"),
        ("Noise", f"with probability 95%, it changes no percentage by more than {off}"),
        ("Other", about),
        *([("Delta", used)] if with_delta else []), ("Guarantee", str(report.guarantee)),
    ])  # fmt: skip
