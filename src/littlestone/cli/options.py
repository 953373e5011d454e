"""What several commands share: options, how what was typed is read, files that they write."""

from __future__ import annotations

import json as jsonlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, dataclass_transform, get_type_hints
from urllib.parse import unquote, urlsplit

from cyclopts import Parameter

from littlestone.errors import (
    ParameterError,
    check_fraction,
    check_integer,
    check_probability,
    exact_value,
    parameter_error,
)
from littlestone.safe_io import replaceable, target, write_text

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.data import Schema
    from littlestone.data.cells import CsvFormat
    from littlestone.learners.base import Learner
    from littlestone.privacy import Ledger
    from littlestone.source import Source
    from littlestone.types import Json

ClassSpec = Annotated[str, Parameter(name="--class")]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
AsJson = Annotated[
    bool, Parameter(negative="", show_default=False, help="Print the result as one JSON object.")
]
Page = Annotated[
    str | None,
    Parameter(
        help="Write an HTML page about the result to this file, replacing any existing file."
    ),
]
Settings = Annotated[
    list[str] | None,
    Parameter(
        name="--set",
        negative="",
        help="Set a parameter of an algorithm of the papers, as NAME=VALUE. Repeat the option to "
        "set others. `littlestone papers --json` lists the parameters.",
    ),
]
Out = Annotated[
    str | None,
    Parameter(help="Write the output to this file, replacing any existing file."),
]
Model = Annotated[str, Parameter(help="Model file, written by `littlestone fit --out`.")]

#: What a required option may look like.
EXAMPLES = {
    "class": '"thresholds(1, 99)"',
    "learner": "generic",
    "epsilon": "1",
    "delta": "1e-6",
    "alpha": "0.1",
    "beta": "0.05",
    "n": "5000",
    "points": "1,2,3",
    "horizon": "100000",
    "y": "adult",
    "schema": "schema.toml",
    "out": "page.html",
    "state": "state",
}


@dataclass_transform(frozen_default=True, kw_only_default=True)
def shared(cls: type) -> Any:
    """Make options that commands share: fields with docstrings, or texts in that of the class."""
    hints = get_type_hints(cls, include_extras=True)  # a class derived elsewhere has other names
    cls.__annotations__ = {name: hints[name] for name in cls.__annotations__}
    return Parameter(name="*")(dataclass(frozen=True, kw_only=True)(cls))


@shared
class Claim:
    """A learner, and what is claimed of it."""

    concept_class: ClassSpec | None = None
    """Concept class (the set of functions to choose from), for example "thresholds(1, 99)"."""
    learner: str | None = None
    """Learning algorithm, for example generic, agnostic, vc1 or boosting."""
    epsilon: str | None = None
    """Epsilon that the learner claims."""
    delta: str | None = None
    """Delta that the learner claims, if it does not have pure privacy."""
    alpha: str = "0.1"
    """Accuracy to certify: the largest excess of the error rate over that of the best concept of
    the class. Privacy does not depend on it."""
    beta: str = "0.05"
    """Largest probability that the excess error rate is above --alpha. Privacy does not depend on
    it."""
    schema: str | None = None
    """TOML file with the public schema of the columns, for classes over several columns."""
    settings: Settings = None

    def opened(
        self, caller: str, labels: Sequence[str] | None = None
    ) -> tuple[ConceptClass, Schema | None]:
        """Return the class and its schema."""
        spec = needed(caller, "class", self.concept_class)
        needed(caller, "learner", self.learner)
        needed(caller, "epsilon", self.epsilon)
        concepts, public = open_class(spec, self.schema, labels=labels)
        refuse_schema(concepts, public)
        return concepts, public

    def algorithm(self, concepts: ConceptClass, **options: Any) -> Learner[Any]:
        """Return the learner, every number as the exact fraction that was typed."""
        delta = None if self.delta is None else check_probability("audit", "delta", self.delta)
        numbers = {
            "epsilon": check_fraction("audit", "epsilon", self.epsilon),
            "alpha": check_probability("audit", "alpha", self.alpha),
            "beta": check_probability("audit", "beta", self.beta),
        }
        make = learner_named("audit", self.learner or "", self.settings)
        made: Learner[Any] = make(concepts, delta=delta, **numbers, **options)
        return made


@shared
class Csv:
    """How a CSV file is written."""

    csv: str | None = None
    """Format of CSV files, for example "sep=;, decimal=comma, encoding=latin-1". The default is the
    format that the schema, model or stream declares or, if none is declared, comma-separated UTF-8
    with decimal points. The format is never guessed from the cells."""

    def written(self, caller: str) -> CsvFormat | None:
        """Return the format that was typed."""
        from littlestone.data.cells import CsvFormat

        return None if self.csv is None else CsvFormat.parse(self.csv, caller)


@shared
class Table(Csv):
    """How a table is read, whose columns a schema names."""

    header_is_public: Flag = False
    """Declare that the first line of a CSV file contains column names and is not a record, so that
    the names may be used and quoted in messages."""

    def format(self, caller: str, data: str, schema: Schema | None = None) -> CsvFormat | None:
        """Return the format that was typed, with its header; None: what the schema declares."""
        from littlestone.data.cells import PARQUET, CsvFormat, format_of

        form = self.written(caller)
        names_columns = "://" in data or format_of(Path(data)) in PARQUET
        if not self.header_is_public or (form is None and names_columns):
            return form
        declared = None if schema is None else schema.csv
        return replace(form or declared or CsvFormat(), header_is_public=True)


@shared
class Records:
    """Which columns are learned from, and what their cells mean."""

    x: str | None = None
    """Predictor columns, separated by commas; a class over one column needs one. By default, those
    of the schema or, without a schema, all columns except those whose names suggest an identifier
    or free text."""
    schema: str | None = None
    """TOML file with the public schema: the columns, their bins and categories."""
    user: str | None = None
    """Column that identifies the user (a person or machine) of each record. All records of a user
    are then protected together. Records without a user count as those of one user."""
    positive: str | None = None
    """Value of --y that means label 1, or several spellings of it, such as "yes|Yes"; every other
    value means 0. Matching is case-sensitive, except that 1, the default, also matches true and
    yes in upper or lower case. A label that contains | can be named by --labels."""
    negative: str | None = None
    """With --strict: the only value of --y that means label 0, or several spellings. It is 0 by
    default if --positive is 1, and required otherwise."""
    strict: Flag = False
    """Refuse a table or row with a cell that does not fit its column, instead of applying the
    public rules for such cells. A refusal is not covered by the privacy guarantee."""

    def label_rule(self, caller: str) -> Json:
        """Return the label that means 1, and the only other one that strict reading allows."""
        if not self.strict:
            if self.negative is not None:
                raise ParameterError(
                    f"The 'negative' parameter of {caller} is for --strict: without it, every cell "
                    "other than the positive one means 0."
                )
            return {"positive": spellings_in(self.positive) or "1", "negative": None}
        if self.negative is None and (self.positive or "1") != "1":
            raise ParameterError("With --strict and --positive, also give --negative.")
        positive, negative = map(spellings_in, (self.positive, self.negative))
        return {"positive": positive or "1", "negative": negative or "0"}


def spellings_in(label: Any) -> Any:
    """Return the label of --positive: "yes|Yes" is one of two spellings.

    Examples
    --------
    >>> spellings_in("yes"), spellings_in("yes|Yes")
    ('yes', ['yes', 'Yes'])
    """
    if not isinstance(label, str) or "|" not in label:
        return label
    return [part.strip() for part in label.split("|")]


def covered_share(caller: str, text: str | None) -> Fraction | None:
    """Return the share of new records of --interval: a number, or a percentage.

    Examples
    --------
    >>> covered_share("fit", "90%"), covered_share("fit", "0.9"), covered_share("fit", None)
    (Fraction(9, 10), Fraction(9, 10), None)
    """
    if text is None:
        return None
    value: Any = exact_value(text.removesuffix("%"))
    if value is not None:
        value /= 100 if text.endswith("%") else 1
        value = value if 0 < value < 1 else float(value)
    share = text if value is None else value
    return check_probability(caller, "interval", share, hint="90% is a common choice.")


@shared
class Evaluated:
    """What is spent on an evaluation."""

    evaluate: str | None = None
    """Epsilon for a private evaluation. It estimates the error rates of the model and of the
    majority class and, for boosted trees, scorecards and linear models, the ROC curve and the
    calibration. Without held-out records, the learner gets the rest of epsilon. By default, rules,
    trees and classes with a certificate use a tenth of epsilon, or of what remains of it after the
    columns are learned. Other models are evaluated on held-out records, as with --holdout, if the
    number of records times epsilon is at least 500, and otherwise not at all."""
    no_evaluate: Flag = False
    """Spend all of epsilon on learning from all records, and evaluate nothing."""

    def asked(self, caller: str) -> str | None:
        """Return what is asked for, as `Fit` and `Shares` take it.

        Examples
        --------
        >>> Evaluated().asked("fit"), Evaluated(no_evaluate=True).asked("fit")
        ('auto', None)
        """
        if self.no_evaluate and self.evaluate is not None:
            raise ParameterError(f"{caller} takes --evaluate or --no-evaluate, not both.")
        return None if self.no_evaluate else self.evaluate or "auto"

    def part(self, caller: str, epsilon: str | Fraction) -> Fraction | None:
        """Return the part of epsilon: by default a tenth.

        Examples
        --------
        >>> Evaluated().part("fit", "1/2")
        Fraction(1, 20)
        """
        asked = self.asked(caller)
        if asked == "auto":
            return check_fraction(caller, "epsilon", epsilon) / 10
        return None if asked is None else check_fraction(caller, "evaluate", asked)


@shared
class Paid:
    """What pays, and where chance comes from."""

    ledger: str | None = None
    """File with the privacy budget of these records, made by `littlestone ledger create`. The cost
    of a release is recorded in it before anything is drawn. If the budget does not allow the
    release, the exit code is 4."""
    purpose: str | None = None
    """With --ledger: purpose of the release, in one line of at most 200 characters. It appears
    in the ledger, in the record and on the page."""
    seed: int | None = None
    """Seed that makes the result reproducible but NOT PRIVATE."""

    def budget(self, caller: str) -> Ledger | None:
        """Return the ledger, opened for the purpose."""
        if self.ledger is None:
            if self.purpose is not None:
                raise ParameterError(
                    f"The '--purpose' option of {caller} is recorded in a ledger: also give "
                    "--ledger."
                )
            return None
        from littlestone.privacy import Ledger

        return Ledger(self.ledger, purpose=self.purpose or "")

    def checked_seed(self, caller: str) -> int | None:
        """Return the seed, an integer >= 0."""
        return None if self.seed is None else check_integer(caller, "seed", self.seed, low=0)

    def source(self, caller: str) -> Source:
        """Return the source: without a seed that of the operating system."""
        from littlestone.source import SecureSource, SeededSource

        seed = self.checked_seed(caller)
        return SecureSource() if seed is None else SeededSource(seed)


@shared
class Filed:
    """What is written to be filed."""

    record: str | None = None
    """Write the release record (JSON) to this file. `littlestone check-record` verifies it without
    the data."""

    def source(self, caller: str, paid: Paid) -> Source:
        """Return the source; refuse first a record that could not be made."""
        self.check(paid)
        return paid.source(caller)

    def check(self, paid: Paid) -> None:
        """Refuse a record that could not be made."""
        if self.record is not None and paid.seed is not None:
            raise ParameterError(
                "A seeded release is not private, so it has no record: leave out --seed or "
                "--record."
            )

    def write(self, record_of: Callable[[], Json]) -> None:
        """Write the record, if it is asked for."""
        if self.record is not None:
            text = jsonlib.dumps(record_of(), indent=1, ensure_ascii=False)
            write_text(self.record, f"{text}\n")


def write_page(path: str | None, shown: Any) -> None:
    """Write the page of an object, if it is asked for."""
    if path is not None:
        from littlestone.report import page

        write_text(path, page(shown))


def needed(command: str, name: str, value: str | None) -> str:
    """Return an option that must be given here."""
    if value is None:
        raise ParameterError(
            f"{command} needs --{name}, for example --{name} {EXAMPLES[name]}. See littlestone "
            f"{command} --help."
        )
    return value


def names(
    caller: str, option: str, text: str | None, what: str = "column names"
) -> list[str] | None:
    """Return the column names of ``--x a,b`` (a name that holds a comma may be quoted)."""
    if text is None:
        return None
    import csv

    try:
        found = [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]
    except csv.Error:  # a line break, a text that is too long
        found = []
    if not found or not all(found) or len(set(found)) < len(found):
        raise parameter_error(
            caller, option, f"different {what}, separated by commas", text, "Example: a,b."
        )
    return found


def named_values(
    caller: str, option: str, text: str | None, example: str, *, hint: str = "",
    read: Callable[[str], Any] = str,
) -> dict[str, Any] | None:  # fmt: skip
    """Return what NAME=VALUE,... says, each name once; ``read`` reads a value, or raises.

    Examples
    --------
    >>> named_values("fit", "monotonic", "age=1, bmi=-1", "age=1", read=int)
    {'age': 1, 'bmi': -1}
    """
    if text is None:
        return None
    values: dict[str, Any] = {}
    for part in names(caller, option, text) or []:
        name, _, written = part.rpartition("=")
        try:
            if not name.strip() or name.strip() in values:
                raise ValueError
            values[name.strip()] = read(written.strip())
        except (KeyError, ValueError):
            raise parameter_error(caller, option, f"of the form {example}", text, hint) from None
    return values


def read_bounds(caller: str, text: str | None) -> dict[str, tuple[float, float]] | None:
    """Return what ``--bounds a=0:120,b=0.5:2`` says."""
    from littlestone.data.cells import number

    def ends(written: str) -> tuple[float, float]:
        low, high = map(number, written.split(":"))
        if low is None or high is None or not low < high:
            raise ValueError
        return low, high

    hint = "Each is name=low:high, with low below high, once for each column."
    return named_values(caller, "bounds", text, "age=0:120,income=0:1000000", hint=hint, read=ends)


def read_signs(caller: str, text: str | None) -> dict[str, int] | None:
    """Return what ``--monotonic age=1,bmi=-1`` says."""
    hint = "Each is name=1 (rising) or name=-1 (falling), once for each column."
    sign = {"1": 1, "+1": 1, "-1": -1}.__getitem__
    return named_values(caller, "monotonic", text, "age=1,bmi=-1", hint=hint, read=sign)


def whole(caller: str, option: str, text: str) -> int:
    """Return an integer >= 1 that was typed, such as 16 or 2**20; 2.5 is refused, not rounded."""
    from littlestone.classes import parse_integer

    try:
        value: object = parse_integer(text, caller)
    except ParameterError:
        value = text
    return check_integer(caller, option, value, low=1)


def label_list(caller: str, text: str | None, *, positive: str | None) -> list[str] | None:
    """Return the labels of ``--labels``, which leaves nothing for ``--positive``.

    Examples
    --------
    >>> label_list("fit", "a, b,c", positive=None)
    ['a', 'b', 'c']
    >>> label_list("fit", '"to 5,000",more', positive=None)
    ['to 5,000', 'more']
    """
    if text is None:
        return None
    if positive is not None:
        raise ParameterError(
            f"{caller} takes --labels, or --positive with --negative, not both: --labels lists all "
            "labels."
        )
    from littlestone.data.cells import check_labels

    found = names(caller, "labels", text, "labels") or []
    try:
        return [str(label) for label in check_labels(caller, found)]
    except ParameterError:  # its words are those of Python
        rule = "2 to 100 labels, separated by commas, that differ as cells (1 and 1.0 do not)"
        raise parameter_error(caller, "labels", rule, text, "Example: a,b,c.") from None


def check_label(caller: str, y: str, columns: Sequence[str]) -> None:
    """Refuse a label that is learned from: it would be its own prediction."""
    if y in columns:
        raise ParameterError(
            f"The label column {y!r} of {caller} is among the predictors. Leave it out "
            "of --schema (or of --x)."
        )


def open_schema(schema: str | Schema | None, x: Sequence[str] | None = None) -> Schema | None:
    """Return the columns of ``--schema``, or those of them that ``--x`` names."""
    from littlestone.data import Schema

    public = Schema.from_toml(schema) if isinstance(schema, str) else schema
    if public is not None and x is not None and public.bound:
        public = replace(public, columns=tuple(public[name] for name in x))
    return public


def read_groups(caller: str, by: str | None, schema: Schema | None) -> Any:
    """Return what ``--by`` names: columns of a schema as a schema of their own, or a file of one.

    Names alone, where there is no schema to look them up in.
    """
    from littlestone.data import Schema

    if by is None or by.endswith(".toml"):
        return None if by is None else Schema.from_toml(by)
    found = names(caller, "by", by)
    if schema is None or not schema.bound or found is None:
        return found
    return replace(schema, columns=tuple(schema[name] for name in found))


def open_class(
    spec: str,
    schema: str | Schema | None,
    x: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
) -> tuple[ConceptClass, Schema | None]:
    """Return the class of ``--class``, over the columns ``--x`` of ``--schema`` if there is one.

    With ``--labels`` it has that list of labels.
    """
    from littlestone.classes import parse_class

    public = open_schema(schema, x)
    return parse_class(spec, schema=public, labels=labels), public


def refuse_schema(concepts: ConceptClass, public: Schema | None) -> None:
    """Refuse a schema beside a class that has a domain of its own."""
    if public is not None and concepts.row_schema is None:
        raise ParameterError(
            f"The class {concepts.spec} has its own domain. Leave out --schema, which is for "
            "classes over several columns, such as rules and decision_trees."
        )


def say_columns(public: Schema | None) -> None:
    """Say before a stream what is said of columns that were learned from records."""
    if public is not None and public.proposal is not None:
        print(
            "The columns were learned from records. The privacy loss of learning them is added "
            "to the stream's epsilon and delta for these records, and the bound on mistakes holds "
            "only for rows that the columns were not learned from.",
            file=sys.stderr,
        )


def learner_named(caller: str, name: str, settings: Sequence[str] | None) -> Any:
    """Return what makes the learner of ``--learner``; of the papers with what ``--set`` says."""
    from littlestone import papers
    from littlestone.learners import select

    if "." in name:  # an algorithm of the papers
        return partial(papers.make, name, settings=settings or (), caller=caller)
    if settings:
        raise ParameterError(
            f"The '--set' option of {caller} is for the algorithms of the papers (littlestone "
            f"papers); {name!r} has its own options."
        )
    return partial(select.make, name)


_LONGEST_NAME = 240  # bytes: while a file is written, its name is a little longer
_LOG = b" littlestone "  # in the first line of a ledger and of a stream's state, after a checksum


def check_outputs(caller: str, *inputs: str | None, **outputs: str | None) -> None:
    """Refuse output files that could not be written, before anything is drawn or read.

    Parameters
    ----------
    caller : str
        The command, for the message.
    *inputs : str or None
        Paths of files that are read, and so must not be written over.
    **outputs : str or None
        Option name and path.

    Raises
    ------
    ParameterError
        A folder that does not exist or cannot be written, a path that is a folder, a ledger or a
        state, two options with the same path, or a file that is being read.
    """
    seen: dict[Path, str] = {}
    for name, path in outputs.items():
        if path is None:
            continue
        where = Path(path)
        problem = _problem(where)
        if problem:
            raise parameter_error(caller, name, "a file that can be written", path, problem)
        other = seen.setdefault(target(where), name)
        if other != name:
            raise parameter_error(
                caller, name, f"a file other than that of {other!r}", path, "Write to two files."
            )
    given = [_file_of(path) for path in inputs if path is not None]
    folders = [os.path.join(path, "*") if os.path.isdir(path) else path for path in given]
    parts = [part for path in folders if not os.path.isfile(path) for part in glob(path)]
    kept = {target(Path(path)) for path in (*given, *parts)}
    for name, path in outputs.items():
        if path is not None and target(Path(path)) in kept:
            raise parameter_error(
                caller, name, "a file that is not read", path, "It would be overwritten."
            )


def _file_of(named: str) -> str:
    """Return the path of a file, also of one that a URL names (``duckdb:///db.duckdb?table=t``)."""
    parts = urlsplit(named)
    return unquote(parts.path)[1:] if parts.scheme == "duckdb" else named


def _problem(path: Path) -> str:
    """Say why a path cannot be written, or nothing."""
    where = target(path) if replaceable(path) else path
    if os.path.islink(where):
        return "It is a link that leads to itself."
    # Unlike the methods of Path, these functions do not raise for names that are too long.
    if os.path.isdir(where) or not os.path.isdir(where.parent):
        folder = os.path.isdir(where)
        return "It is a folder." if folder else "Its folder does not exist: create it first."
    if len(os.fsencode(where.name)) > _LONGEST_NAME:
        return "Its name is too long."
    if os.path.isfile(where) and os.access(where, os.R_OK):
        with where.open("rb") as file:
            if file.read(64)[16:].startswith(_LOG):
                return (
                    "It is a ledger, or the state of a stream; replacing it would lose the record "
                    "of what is spent."
                )
    if os.path.exists(where):
        return "" if os.access(where, os.W_OK) else "It is write-protected."
    return "" if os.access(where.parent, os.W_OK) else "Its folder is write-protected."
