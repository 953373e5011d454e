"""What is predicted: labels, or a target that is none, and by which columns of a table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from littlestone.classes import BoostedTreeClass, ConceptClass
from littlestone.costs import Costs
from littlestone.data.cells import CsvFormat
from littlestone.data.schema import Schema
from littlestone.data.targets import Count, Periods, Quantity, Target
from littlestone.errors import ParameterError, check_integer, counted, exact_value, parameter_error
from littlestone.evaluation.histogram import held_out_by_rule
from littlestone.learners.boosting.values import check_loss
from littlestone.learners.linear import Linear
from littlestone.learners.linear.learner import SHARE, usually
from littlestone.learners.running import Shares
from littlestone.privacy.guarantee import short_text
from littlestone.safe_io import parse_json, read_text, write_text
from littlestone.version import __version__

if TYPE_CHECKING:
    from littlestone.data.tables import Table
    from littlestone.learners.fit import Fit
    from littlestone.learners.release import Release
    from littlestone.types import Json


@dataclass(frozen=True)
class Labels:
    """A target like the others: two labels, of which one cell is the positive one, or a list."""

    listed: tuple[Any, ...] | None = None
    names: tuple[Any, ...] | None = None  # of two: what predictions say
    positive: Any = 1  # or a list of its spellings
    negative: Any = None  # with strict reading: the only other cell
    kind = "label"
    of_labels = True
    continuous = False
    loss = None
    ends = ()

    def rule(self, event: str | None) -> Json:
        """Return how readers are to read its column."""
        return {} if self.listed else {"positive": self.positive, "negative": self.negative}


ZERO_ONE = Labels()


@dataclass(frozen=True)
class Task:
    """What is predicted, and by which columns of the table; public."""

    y: str  # of labels, of the target, or of times
    target: Labels | Target
    event: str | None = None
    loss: str = "auto"
    quantile: Fraction | None = None

    @classmethod
    def parse(cls, caller: str, y: Any, labels: Labels, **given: Any) -> Task:
        """Return what the parameters of ``fit`` name.

        Examples
        --------
        >>> Task.parse("fit", "price", ZERO_ONE, target="quantity", high=20000).target
        Quantity(low=Fraction(0, 1), high=Fraction(20000, 1), cells=10000)
        >>> Task.parse("fit", None, ZERO_ONE, time="t", event="died", periods=2, high=24).target
        Periods(ends=(Fraction(12, 1), Fraction(24, 1)), event_is=1)
        """
        given = {name: value for name, value in given.items() if value is not None}
        target, time, high = (given.get(name) for name in ("target", "time", "high"))
        if given and target is None and time is None:
            raise ParameterError(
                f"The {next(iter(given))!r} parameter of {caller} is not for labels: give "
                'target="quantity" or "count", or time=, the column of times (--target, '
                "--time)."
            )
        if given and (y is None) == (time is None):
            raise ParameterError(
                f"{caller} needs exactly one of y, the column of the target (--y), and time, a "
                "column of times until an event (--time)."
            )
        column = y if time is None else time
        if not isinstance(column, str):
            hint = (
                "For example --y adult: the column of labels; for times --time and --event. "
                "Labels in a separate array become a column by table.assign(label=labels)."
            )
            raise parameter_error(caller, "y", "the name of a column", type(column).__name__, hint)
        if not given:
            return cls(column, labels)
        if labels != ZERO_ONE:
            raise ParameterError(
                f"The 'labels' parameter of {caller} is for classification: leave it out with "
                "--target or --time."
            )
        if time is not None:
            _only(caller, given, "time=", "time", "event", "event_is", "periods", "high")
            event, periods = given.get("event"), given.get("periods")
            if time == event:
                raise ParameterError(
                    f"The time and the event of {caller} must be two columns: a duration, and an "
                    "indicator that is 1 for an observed event."
                )
            if event is None or periods is None:
                raise ParameterError(
                    f"With a time, {caller} needs the column of events (event, --event) and the "
                    "public ends of the periods (periods, --periods), for example 12, 24, 36."
                )
            ends = _ends(caller, periods, high)
            return cls(column, Periods(ends, given.get("event_is", 1)), event)
        if target not in ("quantity", "count"):
            raise parameter_error(caller, "target", "quantity or count", target)
        if high is None:
            raise ParameterError(
                f"For a {target}, {caller} needs high (--high), the highest possible value: a "
                "public number from general knowledge, not from this table."
            )
        if target == "count":
            _only(caller, given, "a count", "target", "high")
            return cls(column, Count(high))
        _only(caller, given, "a quantity", "target", "low", "high", "loss", "quantile")
        quantity, quantile = Quantity(given.get("low", 0), high), given.get("quantile")
        loss = given.get("loss", "auto" if quantile is None else "quantile")
        return cls(column, quantity, None, loss, check_loss(caller, quantity, loss, quantile))

    @property
    def of_labels(self) -> bool:
        """Whether labels are predicted."""
        return self.target.of_labels

    @property
    def labels(self) -> tuple[Any, ...] | None:
        """The public list of labels, if there is one."""
        return getattr(self.target, "listed", None)

    @property
    def rule(self) -> Json:
        """How cells of the column are read."""
        return self.target.rule(self.event)

    def concepts(self, make: Callable[[int], ConceptClass]) -> ConceptClass:
        """Return the class of trees with two tests, or with one where that would be too large."""
        try:
            concepts = make(2)
        except ParameterError:
            concepts = make(1)
        if self.of_labels:
            return concepts
        return cast(BoostedTreeClass, concepts).of_target(cast(Target, self.target))

    def check(self, caller: str, table: Table, names: Sequence[str] = ()) -> None:
        """Refuse columns that are not there, or are declared as what they are not to be."""
        import pyarrow as pa  # noqa: PLC0415 - engines are loaded late

        table.stream([*names, self.y, *([] if self.event is None else [self.event])], caller)
        (kind,) = table.kinds([self.y], caller)
        if kind is None:
            return
        if not self.of_labels and pa.types.is_temporal(kind):
            raise ParameterError(
                f"The table declares the column {self.y!r} as {kind}, which is not a "
                f"{self.target.kind}: give {caller} a column of numbers."
            )
        if self.target == ZERO_ONE and not (
            pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)
            or pa.types.is_decimal(kind)
        ):  # fmt: skip
            what = "texts" if "string" in str(kind) else str(kind)
            raise ParameterError(
                f"The table declares the column {self.y!r} as {what}: state which cell means 1, "
                "for example --positive yes, or list all labels: --labels a,b,c (labels=)."
            )


def _only(caller: str, given: Iterable[str], kind: str, *possible: str) -> None:
    for name in given:
        if name not in possible:
            raise ParameterError(
                f"The {name!r} parameter of {caller} cannot be combined with {kind}."
            )


def _ends(caller: str, periods: Any, high: Any) -> tuple[Any, ...]:
    """Return the ends that were given, or so many equal periods up to ``high``."""
    if high is None:
        return periods  # type: ignore[no-any-return] # checked where they are used
    end, number = exact_value(high), exact_value(periods)
    if end is None or end <= 0:
        raise parameter_error(caller, "high", "a positive number", high)
    if number is None or number.denominator > 1 or not 1 <= number <= 100:
        wanted_number = "a number of equal periods, from 1 to 100, if high is given"
        raise parameter_error(caller, "periods", wanted_number, periods)
    return tuple(end * (i + 1) / number for i in range(int(number)))


# -- What a fit decides without being asked for, in words: the lines that are printed first --------


Say = Callable[[str, str], None]
#: A delta that is often chosen.
USUAL = Fraction(1, 10**6)


class Decided:
    """What is decided without being asked for, reported when nothing refuses the next draw."""

    def __init__(self, say: Say) -> None:
        self._say, self._waiting = say, list[tuple[str, str]]()

    def add(self, name: str, text: str) -> None:
        """Keep a decision."""
        self._waiting.append((name, text))

    def tell(self) -> None:
        """Report what was not reported yet."""
        while self._waiting:
            self._say(*self._waiting.pop(0))


def about_evaluation(shares: Shares, rows: int | None) -> str:
    """Say what is evaluated on what; by a public rule, where nothing else was said."""
    if shares.rule:  # users are counted when they are read
        return "on held-out users, if the number of users times epsilon is at least 500"
    if shares.evaluation is None:
        assert rows is not None
        return held_out_by_rule(rows, shares.total).words()
    measures = f"epsilon {short_text(shares.evaluation)} is spent on a private evaluation"
    if shares.holdout is None:
        return f"{measures}, on the same records"
    number = "" if rows is None else f"{shares.held_out(rows):,} "
    return f"{measures}, on {number}held-out {'users' if rows is None else 'records'}"


def about_delta(learner: Any, n: int | None) -> str:
    """Say what the delta is, or what one would gain; with how many trees, where n is known."""
    delta = learner.delta
    if isinstance(learner, Linear):
        rounds = 0 if n is None else learner.plan.settings(n).rounds
        of = " for the model" if learner.columns else ""  # columns have the rest
        after = f": {counted(rounds, 'noisy gradients')}" if rounds else ""
        return f"{float(delta):g}{of}{after}"
    sentence = "0, pure privacy" if delta is None else f"{float(delta):g}"
    sentence += " for the model" if learner.columns else ""
    if n is None:
        return sentence + ("; a delta of 1e-6 would allow more trees" if delta is None else "")
    trees, without = (
        replace(learner, delta=each).plan.settings(n).rounds for each in (delta or USUAL, None)
    )
    if delta is not None:
        return f"{sentence}: {counted(trees, 'trees')}, instead of {without} without a delta"
    gain = ""
    if trees > without:
        gain = f"; a delta of 1e-6 would allow {counted(trees, 'trees')} instead of {without}"
    if learner.concept_class.domain.schema.proposal is not None:
        gain += ", and learn text columns"
    return f"0, pure privacy{gain}"


def about_coefficients(learner: Any, n: int | None) -> str:
    """Say whether intervals are usually given at these public numbers."""
    usual = n is not None and usually(learner.named, n, learner.rho * SHARE)
    often = "usually reported" if usual else "often not reported because of noise"
    names = ", ".join(learner.inference)
    return (
        f"{names}: for half of the privacy budget; with this many records, confidence intervals "
        f"are {often}"
    )


# -- Protocols: a fit that is written down before the records are there, with its own hash ---------
#
# A protocol holds all that `Fit` is asked (the whole schema, all options), how many records were
# planned for, and the version that planned. ``fit(table, protocol=)`` runs exactly that; the record
# of the release names the hash. Everything in it is public.


FORMAT = "littlestone-protocol-1"

_ROLES = ("time", "event")
_CHANGED = "The protocol is incomplete, or has been changed: write it again (rehearse --out)."


@dataclass(frozen=True)
class Protocol:
    """A fit of so many records, written down.

    Examples
    --------
    >>> plan = Protocol({"y": "ill", "epsilon": "1"}, 5000, ("age",))
    >>> Protocol.from_dict(plan.to_dict()) == plan
    True
    """

    fit: Json  # `Fit.to_dict`
    records: int
    columns: tuple[str, ...]  # that are learned from
    rehearsed: Any = None  # what is expected of it, if it was rehearsed

    @property
    def sha256(self) -> str:
        """The hash of all the rest, in canonical bytes."""
        return str(self.to_dict()["sha256"])

    def to_dict(self) -> Json:
        """Return plain JSON; `from_dict` reads it back."""
        rest: Json = {
            "format": FORMAT,
            "software": {"name": "littlestone", "version": __version__},
            "records": self.records,
            "columns": list(self.columns),
            "fit": self.fit,
            "rehearsed": self.rehearsed,
        }
        return rest | {"sha256": _digest(rest)}

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Read a protocol back; one that was changed, or of another version, is refused."""
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise ParameterError(
                "A protocol is the JSON that `littlestone rehearse --out` writes "
                f"(format {FORMAT})."
            )
        rest = {name: value for name, value in document.items() if name != "sha256"}
        if document.get("sha256") != _digest(rest):
            raise ParameterError(_CHANGED)
        try:
            version = document["software"]["version"]
            if version != __version__:
                raise ParameterError(
                    f"The protocol was written by version {version} of littlestone, and this is "
                    f"{__version__}: run that version, or rehearse again."
                )
            records = check_integer("a protocol", "records", document["records"], low=1)
            columns = tuple(map(str, document["columns"]))
            return cls(dict(document["fit"]), records, columns, document["rehearsed"])
        except ParameterError:
            raise
        except (KeyError, TypeError, AttributeError, ValueError):
            raise ParameterError(_CHANGED) from None

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read a protocol from a file."""
        return cls.from_dict(parse_json(read_text(path, "protocol"), f"protocol {path}"))

    def save(self, path: str | Path) -> None:
        """Write the file that `read` and ``fit --protocol`` open; it replaces a file."""
        write_text(path, self.to_json())

    def to_json(self) -> str:
        """Return the text of that file."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"

    def check_alone(self, others: Iterable[str]) -> None:
        """Refuse other options beside a protocol."""
        for name in others:
            raise ParameterError(
                f"The {name!r} parameter of fit is left out with a protocol, which determines "
                "everything but the table, the outputs and the ledger."
            )

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse a table that lacks a column, by its names; no record is read."""
        roles = [self.fit.get("y"), self.fit.get("user"), *map(self.fit["target"].get, _ROLES)]
        for name in (*self.columns, *(role for role in roles if role is not None)):
            if name not in names:
                raise ParameterError(
                    f"The table has no column {name!r}, which the protocol names; nothing was "
                    "read. Rename the column of the table, or rehearse again."
                )

    def signed(self, release: Release) -> Release:
        """Return the release with the hash, and the number of records that was planned for."""
        return replace(release, protocol={"sha256": self.sha256, "records": self.records})


def _digest(rest: Json) -> str:
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


# -- What `Fit` is asked, as JSON.

#: Fields that JSON holds as they are; numbers, which are written exactly.
_PLAIN = ("y", "bounds", "model", "user", "samples_per_user", "certified", "strict", "inference")
_NUMBERS = ("epsilon", "delta", "evaluate", "holdout", "interval", "alpha", "beta")


def written(fit: Fit) -> Json:
    """Return the fields of a fit of a model over named columns."""
    if fit.concepts is not None or fit.make is not None or fit.public is not None:
        raise ParameterError("A protocol is for a --model: leave out --class and --set.")
    out: Json = {name: getattr(fit, name) for name in _PLAIN}
    out |= {name: _exact(getattr(fit, name)) for name in _NUMBERS}
    out["target"] = {
        name: _exact(value) if name in ("low", "high", "quantile", "periods") else value
        for name, value in fit.target.items() if value is not None
    }  # fmt: skip
    schema, costs = fit.schema, fit.options.get("costs")
    out |= {
        "labels": vars(fit.labels),
        "schema": None if schema is None else schema.to_list(),
        "schema_csv": None if schema is None or schema.csv is None else schema.csv.to_dict(),
        "columns": None if fit.columns is None else list(fit.columns),
        "csv": None if fit.csv is None else fit.csv.to_dict(),
        "costs": None if costs is None else costs.to_dict(),
        "by": None if fit.groups is None else Schema(fit.groups.columns).to_list(),
    }
    return cast("Json", json.loads(json.dumps(out)))  # as it will be read


def read_options(data: Json) -> Json:
    """Return the fields that `written` wrote; those of labels as a dictionary."""
    fields: Json = {name: data[name] for name in (*_PLAIN, *_NUMBERS, "target", "columns", "csv")}
    fields["labels"] = dict(data["labels"])
    for name in ("listed", "names"):
        listed = data["labels"][name]
        fields["labels"][name] = None if listed is None else tuple(listed)
    if data["schema"] is not None:
        csv = data["schema_csv"]
        form = None if csv is None else CsvFormat.parse(csv)
        fields["schema"] = replace(Schema.from_list(data["schema"]), csv=form)
    if data["by"] is not None:
        fields["by"] = Schema.from_list(data["by"])
    if data["costs"] is not None:
        fields["options"] = {"costs": Costs.from_dict(data["costs"])}
    return fields


def _exact(value: Any) -> Any:
    """Write numbers exactly, as texts; other things as they are."""
    if isinstance(value, list | tuple | range) or hasattr(value, "tolist"):
        return [_exact(each) for each in list(value)]
    number = exact_value(value)
    return value if number is None else str(number)
