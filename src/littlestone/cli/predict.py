"""What models do: ``predict``, ``report``, ``export``, ``score``; ``check-record``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from littlestone.cli.options import (
    AsJson,
    Csv,
    Filed,
    Flag,
    Model,
    Out,
    Paid,
    check_outputs,
    read_groups,
    shared,
    spellings_in,
    write_page,
)
from littlestone.cli.terminal import caution, facts, printed, reading, table
from littlestone.errors import ParameterError, check_fraction, parameter_error
from littlestone.safe_io import parse_json, read_text, replacing, write_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from littlestone.data.histogram import Grouping
    from littlestone.learners.release import Release
    from littlestone.learners.running import AnySample
    from littlestone.privacy import Ledger
    from littlestone.types import Json, Label, Labels

    Pieces = Iterator[tuple[Labels, npt.NDArray[np.float64] | None, list[str | None]]]


def predict(
    model: Model,
    data: str,
    /,
    *,
    x: str | None = None,
    asked: Csv = Csv(),
    key: str | None = None,
    proba: Flag = False,
    out: Out = None,
) -> int:
    """Predict each row of a table with a released model.

    The output is CSV, or Parquet if --out ends in .parquet, with one row for each row of the table,
    in order. The column "prediction" contains the label (0 or 1, or one of the model's list), the
    quantity, the expected count, or the cumulative hazard of the event. A row outside the model's
    public domain gets the first label. A model with prediction intervals adds the columns "low" and
    "high"; a model with prediction sets adds a column for each label, which is 1 if the set
    contains the label and 0 if not. The table is streamed, so it may be larger than memory.
    Predictions for private rows reveal something about these rows, so do not publish them.

    Parameters
    ----------
    data:
        Table: a Parquet or CSV file, or the URL of a table in a database. Only the model's columns
        (and --key) are read.
    x:
        For a model of one column: the predictor column, if its name differs from the model's.
    key:
        Column to copy in front of the predictions, such as a record number.
    proba:
        Add a column "probability" with the probability of label 1 or, with a list of labels, a
        column for each label. For rules, trees and classes over one column, a probability is the
        proportion of that label among the evaluated records with the same prediction. For times
        until an event, add a column for the event-free probability at the end of each period.
    """
    from littlestone.data.cells import PARQUET, conversion, format_of
    from littlestone.learners.release import Release

    check_outputs("predict", model, data, out=out)
    if out is not None and (out.lower().endswith(".gz") or conversion(Path(out)) is not None):
        hint = "Other programs read both. Compress a file afterwards: gzip FILE."
        raise parameter_error("predict", "out", "a CSV or Parquet file", out, hint)
    release = Release.read(model)
    with reading("Labelling rows"):
        pieces = release.predict_pieces(data, x=x, csv=asked.csv, proba=proba, key=key)
        names, head = release.labels, _head(release, proba=proba)
        if key in head:
            hint = "Rename it: a column of the predictions has this name."
            raise parameter_error(
                "predict", "key", "a name that no column of predictions has", key, hint
            )
        head = head if key is None else [key, *head]
        form = ".6g" if release.interval is None or release.target is None else ".12g"
        if out is None:
            _write(pieces, sys.stdout, names, head, form)
        else:
            with replacing(out) as file:
                if format_of(Path(out)) in PARQUET:
                    _write_parquet(pieces, file, names, head, numbers=release.target is not None)
                else:
                    _write(pieces, file, names, head, form)
    return 0


def report(model: Model, /, *, out: str) -> int:
    """Write an HTML page about a model: what it is, its privacy guarantee and its accuracy.

    Parameters
    ----------
    out:
        Write the page (HTML) to this file, replacing any existing file.
    """
    from littlestone.learners.release import Release

    check_outputs("report", model, out=out)
    write_page(out, Release.read(model))
    facts([("Page", out)])
    return 0


def export(
    model: Model, /, *, to: str = "sql", dialect: str | None = None, table: str | None = None,
    out: Out = None,
) -> int:  # fmt: skip
    """Export a model with a schema to SQL, Python, R or JSON.

    Models of one column, such as thresholds, cannot be exported. Models that use columns with the
    schema keys strip, below or merge can be exported to Python and JSON only.

    Parameters
    ----------
    to:
        Language to write. sql: one expression, which is the probability of label 1 for boosted
        trees, scorecards and linear models of two labels, and the prediction for other models.
        python: a module without dependencies. r: base R, with a function score() that takes a data
        frame. json: the model and its schema.
    dialect:
        With --to sql: the dialect, duckdb (the default), standard (PostgreSQL and others) or
        sqlite. With duckdb, cells are read exactly as this program reads them; read CSV files with
        all_varchar=true, because DuckDB otherwise turns yes and no into truth values. With the
        other two, columns must have their proper types.
    table:
        With --to sql: the table to write after FROM. The result is then a query for all columns of
        this table and the prediction. Engines may return the rows in another order, so include a
        key column.
    """
    from littlestone.learners.release import Release

    check_outputs("export", model, out=out)
    for name, value in (("table", table), ("dialect", dialect)):
        if value is not None and to != "sql":
            raise parameter_error("export", name, "left out, or --to sql", value)
    written = Release.read(model).export(to, dialect=dialect or "duckdb", table=table) + "\n"
    if out is None:
        sys.stdout.write(written)
    else:
        write_text(out, written)
    return 0


def check_record(file: str, /, *, json: AsJson = False) -> int:
    """Verify a release record offline: its hashes, its privacy accounting and its certificate.

    If anything is wrong, the command names each wrong field and exits with code 1.

    Parameters
    ----------
    file:
        Release record, written by the option --record of fit, score or stream.
    """
    from littlestone.learners.check_record import check_record as checked
    from littlestone.privacy import Guarantee

    record = parse_json(read_text(file, "record"), f"record {file}")
    found = checked(record)
    if json:
        wrong = [{"field": field, "problem": problem} for field, problem in found]
        printed({"ok": not found, "wrong": wrong}, json=True)
    elif found:
        facts([(finding.field, finding.problem, "red") for finding in found])
    else:
        agrees = "everything that can be checked without the data is consistent"
        promise = Guarantee.from_dict((record.get("release") or record["stream"])["guarantee"])
        facts([("Record", agrees, "green"), ("Guarantee", str(promise))])
    return int(bool(found))


def _head(release: Release, *, proba: bool) -> list[str]:
    """Return the names of the columns."""
    labels, target = release.labels, release.target
    if target is not None:
        each = [f"survival at {float(end):g}" for end in getattr(target, "ends", ())]
    else:
        listed = release.concept_class.lists_labels
        each = [f"probability of {x}" for x in labels] if listed else ["probability"]
    beside = each if proba else []
    if release.interval is not None:
        beside = ["low", "high"] if target is not None else [*beside, *release.set_columns]
    return ["prediction", *beside]


def _write(
    pieces: Pieces, file: IO[str], names: tuple[Label, ...], columns: list[str], form: str
) -> None:
    import numpy as np

    head = ",".join(map(_cell, columns)) + "\n"
    cells = np.array([_cell(str(name)) for name in names], dtype=object)
    for labels, chances, keys in pieces:
        file.write(head)  # not before the first piece has been read: it may be refused
        head = ""
        values_asked = labels.dtype.kind == "f"
        lines = list(map(repr, labels.tolist())) if values_asked else cells[labels].tolist()
        if keys:
            lines = [f"{_cell(own or '')},{line}" for own, line in zip(keys, lines, strict=True)]
        if chances is not None:
            values, which = np.unique(chances, axis=0, return_inverse=True)
            rows = np.atleast_2d(values.T).T.tolist()
            shares = ["".join(f",{value:{form}}" for value in row) + "\n" for row in rows]
            written = np.array(shares, dtype=object)[which.reshape(-1)]
            file.write("".join([a + b for a, b in zip(lines, written, strict=True)]))
        elif lines:
            file.write("\n".join(lines) + "\n")


def _cell(text: str) -> str:
    """Return a text as a cell of CSV."""
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _write_parquet(
    pieces: Pieces, file: IO[str], names: tuple[Label, ...], head: list[str], *, numbers: bool
) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    own = names != (0, 1) or type(names[0]) is bool
    kind = pa.array(names).type if own else pa.int8()
    kind = pa.float64() if numbers else kind
    at = head.index("prediction")  # after the key, if there is one
    fields = [*((name, pa.string()) for name in head[:at]), ("prediction", kind)]
    schema = pa.schema([*fields, *((name, pa.float64()) for name in head[at + 1 :])])
    with pq.ParquetWriter(file.buffer, schema) as writer:  # type: ignore[attr-defined]
        for labels, chances, keys in pieces:
            beside = len(head) - at - 1
            columns = [] if chances is None else list(chances.reshape(len(labels), beside).T)
            first = np.array(names)[labels] if own else labels
            arrays = [pa.array(part) for part in (first, *columns)]
            arrays = [pa.array(keys, pa.string())] * at + arrays
            writer.write_table(pa.table(dict(zip(head, arrays, strict=True)), schema=schema))


_LIKE_THE_FIT = (
    "the table has the same columns and as many records as the table that the model was learned "
    "from. If these are the same records, the model usually has a lower error rate on them than on "
    "new ones, so no bound for new records is reported. If they are other records, remove one of "
    "them from the table to get the bound (at a further cost in epsilon)."
)


@shared
class Asked(Csv, Paid):
    """What an evaluation is given."""

    epsilon: str
    """Privacy loss of the evaluation, as a number or a fraction."""
    y: str | None = None
    """Column of labels, if its name differs from the model's."""
    positive: str | None = None
    """Value of --y that means label 1, or several spellings, such as "yes|Yes", if it differs from
    the model's. Matching is case-sensitive, except that 1 also matches true and yes in upper or
    lower case."""
    user: str | None = None
    """For a model that protects users: column that identifies them, if its name differs from the
    model's."""


def score(
    model: Model, data: str, /, *, asked: Asked, by: str | None = None, filed: Filed = Filed(),
    json: AsJson = False,
) -> int:  # fmt: skip
    """Evaluate a model privately, on records other than those it was learned from.

    The output contains the error rates of the model and of the majority class, with confidence
    intervals, and an upper bound on the model's error rate on new records. The bound holds only if
    the model was not learned from these records, which the program cannot verify. If the table has
    the same columns and as many records as the table of the fit, it is assumed to be that table,
    and no bound is reported. Only models that predict labels can be scored. If the model protects
    users, epsilon is charged to the users of this table, and one record of each is evaluated.

    Parameters
    ----------
    data:
        Table of labelled records: a Parquet or CSV file, or the URL of a table in a database. Only
        the model's columns are read.
    by:
        Also evaluate at most 8 groups of the records. They are formed by columns of the model's
        schema, separated by commas, or by a separate schema (groups.toml). Results for groups are
        less precise, because a group has fewer records and the same noise.
    """
    from littlestone.report.evaluated import doubt_facts, evaluation_facts, group_facts, meaning

    check_outputs("score", model, data, asked.ledger, record=filed.record)
    found = _scored(model, data, asked, filed, by)
    if printed(_document(found), json=json):
        filed.write(found.record)
        return 0
    rows = doubt_facts(found, spellings_in(asked.positive))
    rows.append(("Rule", found.hypothesis.describe()))
    if asked.positive is None and meaning(found):
        rows.append(("", meaning(found)))
    rows += [("Guarantee", str(found.guarantee)), *evaluation_facts(found)]
    rows += group_facts(found)
    facts(rows)
    filed.write(found.record)
    return 0


def _scored(model: str, data: str, asked: Asked, filed: Filed, by: str | None) -> Release:
    """Read model and table, and evaluate."""
    from littlestone.data import read_table
    from littlestone.data.read import read
    from littlestone.data.targets import TargetSample
    from littlestone.learners.base import weaknesses
    from littlestone.learners.release import Release
    from littlestone.learners.running import score_all
    from littlestone.privacy import Guarantee

    source, paid_by = filed.source("score", asked), asked.budget("score")
    if paid_by is not None:
        paid_by.check_data(data)
    release = Release.read(model)
    if release.target is not None:
        raise ParameterError(
            f"score evaluates labels, and this model predicts a {release.target.kind}. Fit it with "
            "--holdout 0.2 to evaluate it."
        )
    columns, listed = release.columns or {}, release.concept_class.lists_labels
    user = _users_of(release, asked.user)
    if asked.y is None and not columns.get("y"):
        raise ParameterError("The model does not name its label column: give --y.")
    if asked.positive is not None and listed:
        raise ParameterError(
            "The 'positive' parameter of score must be left out for a model that lists its labels."
        )
    y = asked.y or columns["y"]
    groups = _groups_of(by, release, y)
    domain = release.concept_class.domain if groups is None else groups.domain
    positive = spellings_in(asked.positive) or columns.get("positive", "1")
    how: Json = {"positive": positive, "caller": "score"}
    how |= {"y": y, "domain": domain, "labels": release.labels if listed else None}
    how |= {} if user is None else {"user": user}
    with reading("Counting records"):
        opened = read_table(data, csv=asked.csv, declared=release.csv, caller="score")
        sample: AnySample
        if user is not None and release.sums is not None:
            sample = TargetSample.read(opened, **how)
        else:
            x = None if domain.schema is not None else release.column()
            sample = read(opened, x=x, need="batches", **how)
    total = check_fraction("score", "epsilon", asked.epsilon, hint="1 is a common choice.")
    caution(weaknesses(Guarantee(total), None))
    # not as many records as it was learned from, or another column
    others = release.n != sample.n or columns.get("y") != y
    if not others:
        caution([_LIKE_THE_FIT])
    (scored,) = score_all(
        [(release, sample)], source, epsilon=total, ledger=paid_by, held_out=[others],
        groups=[groups],
    )  # fmt: skip
    return scored


def _groups_of(by: str | None, release: Release, y: str) -> Grouping | None:
    """Return the groups of ``--by``, over the rows of a model."""
    from littlestone.data.histogram import Groups

    schema = release.concept_class.row_schema
    if by is None:
        return None
    if schema is None:
        hint = "This model reads one column."
        raise parameter_error("score", "by", "left out for this model", by, hint)
    groups = Groups.parse("score", read_groups("score", by, schema), None)
    return groups.refusing([y], "score").over(schema, "score")


def _users_of(release: Release, asked: str | None) -> str | None:
    """Return the column of users of a model that protects them."""
    from littlestone.privacy import Neighbours

    if release.guarantee.neighbours is not Neighbours.USER_REPLACE:
        if asked is not None:
            hint = "It protects single records."
            raise parameter_error("score", "user", "left out for this model", asked, hint)
        return None
    column: str | None = asked or (release.columns or {}).get("user")
    if column is None:
        raise ParameterError(
            "The model protects users and does not name their column: give --user."
        )
    return column


def _document(release: Release) -> Json:
    found = release.to_dict()
    shown = ("guarantee", "parts", "n", "evaluation", "quality", "groups")
    return {name: found[name] for name in shown if name in found}


# -- ``littlestone ledger``: create and show a privacy budget.


def create(
    path: str,
    /,
    *,
    epsilon: str,
    delta: str | None = None,
    accounting: str | None = None,
    neighbours: str = "replace-one",
    data: str = "",
    fingerprint: str | None = None,
    json: AsJson = False,
) -> int:
    """Create a privacy budget for one set of records; it cannot be changed later.

    Use it for every release about these records (`littlestone fit --ledger`), and for nothing else.

    Parameters
    ----------
    path:
        New file for the ledger, on a local disk. It is readable only by you.
    epsilon:
        Total epsilon of all releases, as a number or a fraction.
    delta:
        Total delta of all releases. Without it, only releases with pure privacy can be charged.
    accounting:
        How releases add up. pure (the default without --delta): epsilons are added. approximate
        (the default with --delta): epsilons and deltas are added. zcdp: zero-concentrated
        differential privacy, which needs --delta and allows more releases with a small epsilon.
    neighbours:
        Who is protected: single records (replace-one or add-remove) or all records of a user
        (user-replace or user-add-remove). `fit` needs replace-one or, with --user, user-replace.
    data:
        Public name of the records.
    fingerprint:
        The only table (a CSV or Parquet file) that the budget is for. Any other table is refused
        before anything is drawn. The ledger stores a keyed hash of the file, and the key is stored
        beside it (PATH.key).
    """
    from littlestone.privacy import Ledger

    ledger = Ledger(
        path,
        epsilon=epsilon,
        delta=delta,
        accounting=accounting,
        neighbours=neighbours,
        data=data,
        fingerprint=fingerprint,
    )
    _print(ledger, json=json)
    return 0


def show(path: str, /, *, json: AsJson = False) -> int:
    """Show a budget: what is spent, what remains, and the releases with their purposes.

    Parameters
    ----------
    path:
        Ledger file, made by `littlestone ledger create`.
    """
    from littlestone.privacy import Ledger

    _print(Ledger(path), json=json)
    return 0


def _print(ledger: Ledger, *, json: bool) -> None:
    if printed(ledger, json=json):
        return
    from littlestone.privacy.guarantee import short_text

    rows = [("Records", ledger.data, "bold")] if ledger.data else []
    kind, sums = ledger.filter.accounting, {"pure": "epsilon", "approximate": "epsilon and delta"}
    limit = "; epsilon is that of one more pure release" if kind == "zcdp" else ""
    facts(
        [
            *rows,
            ("Budget", f"{ledger.guarantee}"),
            ("Accounting", f"{kind}: sums of {sums.get(kind, 'rho and delta')}"),
            ("Spent", str(ledger.spent())),
            ("Remaining", f"{ledger.remaining()}{limit}"),
        ]
    )
    history = ledger.history()
    if history:
        unit = "rho" if kind == "zcdp" else "epsilon"
        names = ["", "day", "purpose", "what", "promised", unit, "delta"]
        lines = [
            [str(e.number), e.day, e.purpose, e.what, e.promised, *map(short_text, e.took)]
            for e in history
        ]
        shown = [i for i, name in enumerate(names) if not name or any(line[i] for line in lines)]
        table("Releases", [names[i] for i in shown], [[line[i] for i in shown] for line in lines])
