"""What several commands share: the public parameters, as they are typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from inspect import signature
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from littlestone.errors import (
    ParameterError,
    check_fraction,
    check_integer,
    check_probability,
    parameter_error,
)

if TYPE_CHECKING:
    from littlestone.classes import ConceptClass
    from littlestone.data import Schema
    from littlestone.data.formats import CsvFormat
    from littlestone.learners.base import Learner
    from littlestone.privacy import Ledger
    from littlestone.source import Source

__all__ = [
    "ClassSpec",
    "Flag",
    "budget",
    "check_label",
    "check_positive",
    "complete_help",
    "csv_format",
    "evaluation",
    "is_auto",
    "label_list",
    "names",
    "open_class",
    "open_learner",
    "open_source",
    "whole",
]

ClassSpec = Annotated[str, Parameter(name="--class")]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
#: A line of running text that the next line continues, at the same indentation.
_CONTINUED = re.compile(r"^( +)(\S.*)\n\1(?=\S)", re.MULTILINE)

#: What ``--help`` says of an option, unless a command's docstring says it in its own words.
_WORDS = {
    "alpha": "Error that the certificate is asked to promise (privacy does not depend on it).",
    "beta": "Probability with which the certificate may fail.",
    "csv": 'How a CSV file is written, for example "sep=;, decimal=comma, encoding=latin-1"; by '
    "default as the schema says, else with commas, points and UTF-8. Nothing is guessed from the "
    "cells.",
    "delta": "Only for learners that are not pure.",
    "header_is_public": "Say that the first line of a CSV file holds column names, and is nobody's "
    "record: messages may quote it.",
    "json": "Print one JSON object.",
    "labels": "The public labels, separated by commas, for rule lists, trees, sums of trees and "
    "finite classes.",
    "model": "File written by `littlestone fit --out`.",
    "negative": "The label cell that means 0, for --strict (by default 0, if --positive is 1).",
    "positive": "The label cell that means 1 (by default 1); every other cell means 0.",
    "purpose": "What the release is for, one line: it is recorded in the ledger, with your "
    "account.",
    "schema": "TOML file with the public columns, for classes over rows.",
    "seed": "Make the result reproducible, and NOT PRIVATE.",
}


def complete_help(command: Callable[..., int]) -> Callable[..., int]:
    """Complete a command's docstring for ``--help``, and let its lines break at the terminal's end.

    Options that several commands have, and that this docstring leaves out, get their shared words.

    Examples
    --------
    >>> def command(out, json):
    ...     '''Do it.
    ...
    ...     Parameters
    ...     ----------
    ...     out:
    ...         A file
    ...         that is written.
    ...     '''
    >>> "A file that is written." in complete_help(command).__doc__
    True
    >>> "Print one JSON object." in command.__doc__
    True
    """
    about, heading, parameters = (command.__doc__ or "").partition("    Parameters\n")
    head = _joined(about)
    rows = re.split(r"(?m)(?=^    \S)", parameters.rstrip(" "))  # each parameter's name and text
    said = {row.strip().partition(":")[0] for row in rows}
    shared = [name for name in signature(command).parameters if name in _WORDS and name not in said]
    rows += [f"    {name}:\n        {_WORDS[name]}\n" for name in shared]
    command.__doc__ = head + heading + "".join(map(_joined, rows))
    return command


def _joined(text: str) -> str:
    joined = _CONTINUED.sub(r"\1\2 ", text)
    return joined if joined == text else _joined(joined)


def names(
    owner: str, option: str, text: str | None, what: str = "column names"
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
            owner, option, f"different {what}, separated by commas", text, "Example: a,b."
        )
    return found


def whole(owner: str, option: str, text: str) -> int:
    """Return an integer >= 1 that was typed, such as 16 or 2**20; 2.5 is refused, not rounded."""
    from littlestone.classes import parse_integer

    try:
        value: object = parse_integer(text, owner)
    except ParameterError:
        value = text
    return check_integer(owner, option, value, low=1)


def label_list(owner: str, text: str | None, *, positive: str | None) -> list[str] | None:
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
            f"{owner} takes --labels, or --positive with --negative, not both: --labels lists all "
            "labels."
        )
    from littlestone.data.multiclass import check_labels

    found = names(owner, "labels", text, "labels") or []
    try:
        return [str(label) for label in check_labels(owner, found)]
    except ParameterError:  # its words are those of Python
        rule = "2 to 100 labels, separated by commas, that differ as cells (1 and 1.0 do not)"
        raise parameter_error(owner, "labels", rule, text, "Example: a,b,c.") from None


def budget(owner: str, ledger: str | None, purpose: str | None) -> Ledger | None:
    """Return the ledger of ``--ledger``, opened for the ``--purpose``."""
    if ledger is None:
        if purpose is not None:
            raise ParameterError(
                f"The '--purpose' option of {owner} is recorded in a ledger: give --ledger, too."
            )
        return None
    from littlestone.privacy import Ledger

    return Ledger(ledger, purpose=purpose or "")


def open_source(owner: str, seed: int | None) -> Source:
    """Return the source of ``--seed``; without one that of the operating system."""
    from littlestone.source import SecureSource, SeededSource

    if seed is None:
        return SecureSource()
    return SeededSource(check_integer(owner, "seed", seed, low=0))


def check_positive(owner: str, table: Any, y: str) -> None:
    """Refuse a label that is declared to be no number, where nobody says which cell means 1."""
    import pyarrow as pa

    from littlestone.data.draft import declared_kinds

    if y not in table.names:
        return  # reading says which columns are missing, all of them
    (kind,) = declared_kinds(table, [y], owner)
    tests = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    if kind is not None and not any(test(kind) for test in tests):
        what = "texts" if "string" in str(kind) else str(kind)
        raise ParameterError(
            f"The table declares the column {y!r} as {what}, so no cell of it is the number 1: say "
            "which cell means 1, for example --positive yes, or list all labels: --labels a,b,c."
        )


def check_label(owner: str, y: str, columns: Sequence[str]) -> None:
    """Refuse a label that is learned from: it would be its own prediction."""
    if y in columns:
        raise ParameterError(
            f"The label {y!r} of {owner} is among the columns that it is learned from. Leave it "
            "out of --schema (or of --x)."
        )


def open_class(
    spec: str,
    schema: str | None,
    x: Sequence[str] | None = None,
    labels: Sequence[str] | None = None,
) -> tuple[ConceptClass, Schema | None]:
    """Return the class of ``--class``, over the columns ``--x`` of ``--schema`` if there is one.

    With ``--labels`` it has that list of labels.

    For ``auto`` it is the poorest class that may be chosen.
    """
    from littlestone.classes import parse_class
    from littlestone.data import Schema

    public = None if schema is None else Schema.from_toml(schema)
    if public is not None and x is not None and public.bound:
        public = replace(public, columns=tuple(public[name] for name in x))
    if is_auto(spec):
        if public is None:
            raise ParameterError(
                "The class auto chooses among rules and trees over a public schema of the columns. "
                "`littlestone schema new TABLE` writes a draft of it, for --schema."
            )
        from littlestone.learners.select import nested_classes

        poorest = nested_classes(public, labels)[
            0
        ]  # all have one domain; the number of records decides
        return poorest, public
    return parse_class(spec, schema=public, labels=labels), public


def csv_format(
    owner: str,
    csv: str | None,
    data: str,
    schema: Schema | None = None,
    *,
    header_is_public: bool = False,
) -> CsvFormat | None:
    """Return the format of ``--csv`` and ``--header-is-public``; None: what the schema declares."""
    from littlestone.data.formats import PARQUET, CsvFormat, format_of

    form = None if csv is None else CsvFormat.parse(csv, owner)
    names_columns = "://" in data or format_of(Path(data)) in PARQUET
    if not header_is_public or (form is None and names_columns):
        return form
    declared = None if schema is None else schema.csv
    return replace(form or declared or CsvFormat(), header_is_public=True)


def evaluation(
    owner: str,
    evaluate: str | None,
    *,
    no_evaluate: bool,
    epsilon: str | Fraction,
    holdout: str | None = None,
) -> Fraction | None:
    """Return the part of epsilon that is spent on an evaluation: by default a tenth.

    With held-out records it is all of epsilon: no record pays for learning, too.

    Examples
    --------
    >>> evaluation("fit", None, no_evaluate=False, epsilon="1/2")
    Fraction(1, 20)
    """
    if no_evaluate:
        if evaluate is not None:
            raise ParameterError(f"{owner} takes --evaluate or --no-evaluate, not both.")
        return None
    total: Fraction = check_fraction(owner, "epsilon", epsilon)
    if evaluate is None:
        return total if holdout is not None else total / 10
    part: Fraction = check_fraction(owner, "evaluate", evaluate)
    return part


def is_auto(spec: str) -> bool:
    """Return whether ``--class`` leaves the choice to the number of records."""
    return spec.strip().lower() == "auto"


def open_learner(
    owner: str,
    name: str,
    concept_class: ConceptClass,
    *,
    delta: str | None,
    options: Mapping[str, Any] = MappingProxyType({}),
    evaluate: Fraction | None = None,
    **parameters: str,
) -> Learner[Any]:
    """Return the learner of ``--learner``, every number as the exact fraction that was typed.

    It has all of epsilon; ``evaluate`` is the part that it will leave, for the choice of ``auto``.
    """
    from littlestone.learners import select

    small = None if delta is None else check_probability(owner, "delta", delta)
    numbers: dict[str, Any] = {
        option: (check_fraction if option == "epsilon" else check_probability)(owner, option, text)
        for option, text in parameters.items()
    }
    if name == "auto":
        numbers["evaluate"] = evaluate
    return select.make(name, concept_class, delta=small, **numbers, **options)
