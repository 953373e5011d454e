"""``littlestone stream``: learn from rows as they arrive, with a state that survives a kill."""

from __future__ import annotations

import contextlib
import json as jsonlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

from littlestone.cli.options import (
    EXAMPLES,
    ClassSpec,
    Csv,
    Filed,
    Flag,
    Paid,
    Records,
    check_label,
    check_outputs,
    names,
    open_class,
    refuse_schema,
    say_columns,
    shared,
    spellings_in,
    whole,
    write_page,
)
from littlestone.cli.terminal import caution, facts
from littlestone.errors import ParameterError, StoreError, parameter_error
from littlestone.safe_io import write_text

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.data.read import Begun, RowReader
    from littlestone.learners.online.algorithm import OnlineAlgorithm
    from littlestone.learners.online.journal import DurableStream
    from littlestone.types import Json


@shared
class Terms(Csv, Records):
    """Parameters of a new stream; an existing one takes them from its state.

    Parameters
    ----------
    concept_class:
        Concept class (the set of functions to choose from), for example "thresholds(1, 99)".
    epsilon:
        Privacy loss of the whole stream, as a number or a fraction.
    delta:
        Delta of the whole stream, for example 1e-6; 0 is possible for finite classes.
    horizon:
        Expected number of rows, for which the bound on mistakes is planned. Privacy does not depend
        on it.
    beta:
        Largest probability that the bound on mistakes fails, by default 0.05.
    constants:
        Constants of the algorithm. With practical (the default), there are usually fewer mistakes;
        with theory, the proved bound on mistakes is smaller.
    adversary:
        Assumption of the bound on mistakes. adaptive (the default): the rows may be chosen after
        reading what is published. oblivious: the rows were fixed beforehand. Omit this option with
        --agnostic.
    agnostic:
        Learn from labels that no concept fits perfectly; the class must be finite. Before each
        batch of rows, one concept is drawn according to its mistakes on all earlier batches. The
        bound is on mistakes beyond those of the best concept. It holds if the rows of a batch are
        fixed before its concept is published; they may depend on everything published earlier.
    x:
        Predictor column (by default x), or columns of the schema separated by commas (by default
        all).
    y:
        Column of labels, by default y.
    records_per_user:
        With --user: learn only the first rows of each user, up to this number; all rows are
        predicted. Each row then gets epsilon divided by this number, so the bound on mistakes grows
        by about this factor.
    schema:
        TOML file with the public schema of the columns, for classes over several columns.
    """

    concept_class: ClassSpec | None = None
    epsilon: str | None = None
    delta: str | None = None
    horizon: str | None = None
    beta: str | None = None
    constants: Literal["practical", "theory"] | None = None
    adversary: Literal["oblivious", "adaptive"] | None = None
    agnostic: Flag = False
    x: str | None = None
    y: str | None = None
    records_per_user: str | None = None


def stream(
    data: str | None = None,
    /,
    *,
    state: str,
    terms: Terms = Terms(),
    resume: Literal["from-start", "new-rows"] | None = None,
    follow: Flag = False,
    out: str | None = None,
    group: str = "16384",
    durability: Literal["kill", "power"] = "kill",
    paid: Paid = Paid(),
    filed: Filed = Filed(),
    export: str | None = None,
    report: str | None = None,
    status: Flag = False,
    quiet: Flag = False,
    json: Flag = False,
) -> int:
    """Learn from rows as they arrive, and predict each row before its label is used.

    The input is CSV, and its first line contains the column names. The output is the header
    "t,prediction" and then one line for each row, in order. Show a prediction only to the person
    whom its row describes; only the hypotheses (--export) are public. If --strict refuses a row,
    what was learned from earlier rows is kept. A ledger is charged once, when the stream begins.
    The options --status, --export, --report and --record read no rows, and may be used while the
    stream runs.

    Parameters
    ----------
    data:
        CSV file, by default the standard input.
    state:
        Folder for the state, created for a new stream and readable only by you. The parameters of
        an existing stream may be omitted and cannot be changed.
    resume:
        How the input continues an existing stream. from-start: it begins with the stream's first
        row, and rows that were already learned are skipped. new-rows: it begins with the row after
        the last one that was learned (--status shows how many were learned).
    follow:
        Wait for more rows at the end of a file. Stop the command with Ctrl-C (exit code 130) or
        kill.
    out:
        Write the predictions of this run to this file, which must be new or empty, instead of the
        standard output. After a kill, the next run first repeats the lines of the last group of
        rows; the column t identifies them.
    group:
        Largest number of rows that are saved together. No row waits for later rows.
    durability:
        What saved predictions survive: kill -9 (kill), or also a power failure (power).
    export:
        Write to this file everything that was published (JSON).
    report:
        Write to this file an HTML page about everything that was published.
    status:
        Print the state of the stream.
    quiet:
        Print no progress and no warnings about epsilon and delta on standard error.
    json:
        With --status: print one JSON object.
    """
    if json and not status:
        raise ParameterError("The 'json' parameter of stream needs --status.")
    filed.check(paid)
    if export is not None or report is not None or filed.record is not None or status:
        _write_public(state, filed, export=export, report=report)
        if status:
            _show_status(state, json=json)
        return 0
    seed = paid.checked_seed("stream")
    from littlestone.learners.base import weaknesses
    from littlestone.learners.online.journal import open_stream

    # What can be refused is refused before the state is made and the ledger charged: parameters,
    # outputs, the input, its line of names.
    most = whole("stream", "group", group)
    check_outputs("stream", data, terms.schema, paid.ledger, out=out)
    if out is not None and os.path.isfile(out) and os.path.getsize(out):
        hint = "It is not empty. Each run writes its predictions to a new file."
        raise parameter_error("stream", "out", "a new file", out, hint)
    what = "The standard input" if data is None else f"The file {data!r}"
    paid_by = paid.budget("stream")
    algorithm, about, reader = _prepared(state, terms, seed, what)
    if not quiet:
        caution(weaknesses(algorithm.guarantee(), algorithm.plan.goal.horizon))
    handle, ours = _input(data)
    try:
        begun = reader.begin(_lines(handle, most, reader.form.encoding, follow=follow))
        opened = open_stream(
            state, algorithm, seed=seed, ledger=paid_by, durability=durability, about=about
        )
        with contextlib.closing(opened) as durable:
            power = durability == "power"
            _learn(durable, reader, begun, resume=resume, out=out, power=power, quiet=quiet)
    except KeyboardInterrupt:
        return 130
    finally:
        if ours:
            os.close(handle)
    return 0


def _learn(
    durable: DurableStream, reader: RowReader, begun: Begun, *,
    resume: str | None, out: str | None, power: bool, quiet: bool,
) -> None:  # fmt: skip
    learned = durable.state.time
    if learned and resume is None:
        raise ParameterError(
            f"The state holds a stream of {learned:,} rows. Say how the input continues it: "
            "--resume from-start, if it begins again with the stream's first row (rows that were "
            "learned are skipped), or --resume new-rows, if it continues after the last row."
        )
    answers, progress = Answers(out, power=power), Progress(durable, quiet=quiet)
    try:
        answers.write(*durable.journal.answers)  # of a process killed before all were written
        for group in reader.groups(begun, learned if resume == "from-start" else 0):
            first = durable.state.time
            labels = durable.answer(*group)
            answers.write(first, "".join("01"[label] for label in labels.tolist()))
            progress.show()
        durable.acknowledge()
    finally:
        answers.close()
        progress.say("\n")


def _input(data: str | None) -> tuple[int, bool]:
    """Return where rows are read from, and whether we opened it."""
    if data is None:
        try:
            return sys.stdin.fileno(), False
        except (AttributeError, OSError, ValueError):
            raise ParameterError("There is no standard input: name a file of rows.") from None
    _require_lines(data)
    try:
        return os.open(data, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)), True
    except (OSError, ValueError):
        hint = "It does not exist, or it cannot be read."
        raise parameter_error("stream", "data", "a CSV file", data, hint) from None


def _require_lines(data: str) -> None:
    """Refuse what is known not to be lines of text, by its name."""
    from littlestone.data.cells import PARQUET, conversion, format_of

    path, shown = Path(data), data
    if "://" in data:
        shown = "a database"  # a URL may hold a password
        hint = "Its rows have no order: write them to a CSV file, in the order of their arrival."
    elif format_of(path) in PARQUET:
        out = str(path.with_suffix(".csv"))
        hint = (
            "Convert it first: "
            f'python -c "import pandas; pandas.read_parquet({data!r}).to_csv({out!r}, index=False)"'
        )
    elif path.suffix.lower() == ".gz":
        hint = f"Decompress it to the standard input: gzip -dc {data} | littlestone stream ..."
    elif (command := conversion(path)) is not None:
        hint = f"Convert it to Parquet, and that to CSV: {command}"
    else:
        return
    raise parameter_error("stream", "data", "a file of CSV lines", shown, hint)


def _lines(handle: int, most: int, encoding: str, *, follow: bool) -> Iterator[bytes]:
    """Return the lines of the input, in groups, as they arrive."""
    from littlestone.data.read import line_groups

    def read(size: int) -> bytes:
        try:
            return os.read(handle, size)
        except OSError as problem:
            raise ParameterError(
                f"The input could not be read ({problem.strerror or 'input/output error'})."
            ) from None

    grows = follow and stat.S_ISREG(os.fstat(handle).st_mode)

    def more() -> bool:
        if grows:
            time.sleep(0.1)
        return grows

    return line_groups(read, most, more, encoding)


def _prepared(
    folder: str, terms: Terms, seed: int | None, what: str
) -> tuple[OnlineAlgorithm, Json, RowReader]:
    """Check the parameters of a stream; what was not typed is taken from the folder."""
    from littlestone.data.cells import CsvFormat
    from littlestone.data.read import RowReader
    from littlestone.learners.online.algorithm import algorithm_of
    from littlestone.learners.online.plan import plan_online

    terms = replace(terms, positive=spellings_in(terms.positive))
    known, typed = _known(folder), vars(terms)
    if known is None:
        for name in ("concept_class", "epsilon", "delta", "horizon"):
            if typed[name] is None and not (typed["agnostic"] and name == "delta"):
                option = name.removeprefix("concept_")
                raise ParameterError(
                    f"A new stream needs --{option}, for example --{option} {EXAMPLES[option]}. "
                    f"(There is no stream in {folder} yet.)"
                )
        known = {
            "beta": "1/20", "delta": "0", "constants": "practical", "adversary": None, "y": "y",
            "positive": "1", "user": None, "records_per_user": None, "agnostic": False,
        }  # fmt: skip
    elif seed is None and known["seed"]:
        raise ParameterError(
            f"The stream in {folder} was begun with a seed: it is NOT PRIVATE. Give the same "
            "--seed to continue."
        )
    concepts, columns = _class(typed, known)
    given = {k: v for k, v in typed.items() if v is not None and (k, v) != ("agnostic", False)}
    chosen: dict[str, Any] = {"agnostic": False, **known, **given}
    check_label("stream", chosen["y"], columns)
    if isinstance(chosen["horizon"], str):
        chosen["horizon"] = whole("stream", "horizon", chosen["horizon"])
    of_users = _of_users(chosen["user"], chosen["records_per_user"])
    plan = plan_online(
        concepts,
        **{name: chosen[name] for name in ("epsilon", "delta", "horizon", "beta")},
        **{name: chosen[name] for name in ("constants", "adversary")},
        records_per_user=of_users,
        agnostic=chosen["agnostic"],
    )
    kept = ("y", "positive", "constants", "adversary")
    about = {"x": columns, **{name: chosen[name] for name in kept}}
    if chosen["agnostic"]:
        about["agnostic"] = True
    if of_users is not None:
        about["user"] = chosen["user"]
    negative = replace(terms, positive=about["positive"]).label_rule("stream")["negative"]
    schema = concepts.row_schema
    column = None if schema is not None else columns[0]
    declared = None if schema is None else schema.csv
    form = CsvFormat.parse(chosen.get("csv") or declared or "", "stream")
    if form.to_dict():
        about["csv"] = str(form)
    reader = RowReader(
        domain=concepts.domain,
        x=column,
        y=about["y"],
        user=chosen["user"],
        positive=about["positive"],
        negative=negative,
        strict=terms.strict,
        caller="stream",
        what=what,
        form=form,
    )
    return algorithm_of(concepts, plan), about, reader


def _known(folder: str) -> Json | None:
    """Return what a stream was begun with, or None if there is none."""
    from littlestone.learners.online.journal import Journal

    if not os.path.lexists(os.path.join(folder, "private.db")):
        return None
    with Journal.open(folder) as journal:
        settings = journal.settings
    try:
        return {
            **jsonlib.loads(settings["stream"]),
            "user": None,
            **jsonlib.loads(settings["about"]),
            "seed": settings["seed"],
        }
    except (KeyError, ValueError, TypeError):
        raise StoreError(
            f"The state {folder} is damaged and cannot be continued.", reason="damaged"
        ) from None


def _class(typed: dict[str, str | None], known: Json) -> tuple[ConceptClass, list[str]]:
    """Return the class and the columns of its points."""
    from littlestone.classes.spec import class_from_dict

    asked = names("stream", "x", typed["x"])
    if typed["concept_class"] is not None:
        concepts, public = open_class(typed["concept_class"], typed["schema"], asked)
        say_columns(public)
        refuse_schema(concepts, public)
    else:
        concepts = class_from_dict(known["class"])
    if concepts.row_schema is not None:
        return concepts, list(concepts.row_schema.names)
    columns = asked or known.get("x") or ["x"]
    if len(columns) != 1:
        raise parameter_error("stream", "x", f"one column for {concepts.spec}", columns)
    return concepts, columns


def _of_users(user: str | None, records_per_user: Any) -> int | None:
    """Check --user and --records-per-user, which go together."""
    if user is None and records_per_user is None:
        return None
    if user is None or records_per_user is None:
        raise ParameterError(
            "With --user, stream needs --records-per-user, for example 4, and vice versa: up to "
            "this number of rows of each user are learned. The number is public: state what "
            "users typically have, without counting these data."
        )
    if isinstance(records_per_user, int):
        return records_per_user
    return whole("stream", "records_per_user", records_per_user)


def _write_public(folder: str, filed: Filed, *, export: str | None, report: str | None) -> None:
    """Write what was published: as JSON, a page, a record; the private part is not shown."""
    from littlestone.learners.online.journal import Journal, read_public

    if export is None and report is None and filed.record is None:
        return
    check_outputs("stream", export=export, report=report, record=filed.record)
    # Bring it up to date, unless the stream runs, or its private part is lost.
    with contextlib.suppress(StoreError):
        Journal.open(folder).close()
    public = read_public(folder)
    if export is not None:
        write_text(export, jsonlib.dumps(public, indent=1) + "\n")
    write_page(report, public)
    if filed.record is not None:
        from littlestone.learners.online.journal import stream_record

        filed.write(partial(stream_record, public))


def _show_status(folder: str, *, json: bool) -> None:
    """Print the state of a stream."""
    from littlestone.classes import class_from_dict, load
    from littlestone.learners.online.journal import Journal, read_public
    from littlestone.learners.release import parts_in, proposal_of
    from littlestone.privacy import total
    from littlestone.report.plans import stream_facts

    running = False
    try:
        Journal.open(folder).close()
    except StoreError as problem:
        if problem.reason != "locked":
            raise
        running = True
    public = read_public(folder)
    transcript = public.pop("published")
    rule = load(transcript[-1]["hypothesis"]) if transcript else None
    public |= {
        "running": running,
        "hypothesis": len(transcript) - 1,
        "description": None if rule is None else rule.describe(),
    }
    if json:
        print(jsonlib.dumps(public))
        return
    concepts = class_from_dict(public["stream"]["class"])
    parts = parts_in(public, concepts)
    spent = f"{public['batches']} of {public['planned_batches']} updates used"
    spent += "; the last rule stays in use" * public["stopped"]
    facts(
        [
            ("Rows", f"{public['rows']:,}", "bold"),
            ("Rule", public["description"] or "none yet"),
            ("Rule number", str(public["hypothesis"])),
            ("Budget", spent),
            ("Guarantee", str(total(parts))),
            *stream_facts(parts, proposal_of(concepts)),
            ("Running", "yes" if running else "no"),
        ]
    )


_HEADER = "t,prediction\n"


class Answers:
    """The lines ``t,prediction``, in a new file or on the standard output.

    Parameters
    ----------
    path : str or None
        A file; None: the standard output.
    power : bool
        Make what was written survive a power cut before the next state is saved.
    """

    def __init__(self, path: str | None, *, power: bool) -> None:
        self._path, self._power = path, power
        self._file: IO[str] = sys.stdout
        self._headed = path is None and _appended(sys.stdout)
        if path is not None:
            try:
                self._file = open(path, "w", encoding="ascii", newline="")  # noqa: SIM115 - kept open
            except OSError as problem:
                raise _unwritten(path, problem) from None

    def write(self, first: int, labels: str) -> None:
        """Write answers from a time on; they are handed to the system when this returns."""
        lines = "".join([f"{t},{label}\n" for t, label in enumerate(labels, first)])
        text, self._headed = lines if self._headed else _HEADER + lines, True
        try:
            self._file.write(text)
            self._file.flush()
            if self._power:
                _sync(self._file)
        except BrokenPipeError:
            raise
        except OSError as problem:
            raise _unwritten(self._path or "of answers", problem) from None

    def close(self) -> None:
        """Close the file, if it is ours."""
        if self._path is not None:
            try:
                self._file.close()
            except OSError as problem:
                raise _unwritten(self._path, problem) from None


class Progress:
    """What is said on standard error: rows, the hypothesis, the budget; never mistakes.

    A line whenever a hypothesis is published, and one at the end: functions of what is public. On
    a terminal the number of rows is kept up to date too.
    """

    def __init__(self, stream: DurableStream, *, quiet: bool) -> None:
        self._stream, self._quiet = stream, quiet
        self._version = stream.state.version
        self._live = sys.stderr.isatty()
        self._said = ""

    def show(self) -> None:
        """Say what has changed."""
        version = self._stream.state.version
        if version != self._version:
            self._version = version
            self.say("\n")
        elif self._live:
            self.say("\r")

    def say(self, end: str) -> None:
        """Say the state of the stream."""
        if self._quiet:
            return
        state, plan = self._stream.state, self._stream.algorithm.plan
        spent = f"{state.batches} of {plan.batches} updates used"
        spent += " (the last rule stays in use)" if state.stopped else ""
        text = f"rows {state.time:,} | rule number {state.version} | budget: {spent}"
        if text == self._said and not self._live:
            return
        self._said = text
        print(f"\r{text}" if self._live else text, end=end, file=sys.stderr, flush=True)


def _appended(file: IO[str]) -> bool:
    """Return whether a stream is appended to a file that holds something already."""
    try:
        status = os.fstat(file.fileno())
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size > 0


def _sync(file: IO[str]) -> None:
    if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        os.fsync(file.fileno())


def _unwritten(path: str, problem: OSError) -> ParameterError:
    return ParameterError(
        f"The file {path} could not be written ({problem.strerror or 'input/output error'}). "
        "Nothing is lost: repair the cause and continue the stream with --resume and a new --out."
    )
