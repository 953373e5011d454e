"""Protocols: a fit that is written down before the records are there, with its own hash.

A protocol holds all that `Fit` is asked (the whole schema, all options), how many records were
planned for, and the version that planned. ``fit(table, protocol=)`` runs exactly that; the record
of the release names the hash. Everything in it is public.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from littlestone.costs import Costs
from littlestone.data.cells import CsvFormat
from littlestone.data.schema import Schema
from littlestone.errors import ParameterError, check_integer, exact_value
from littlestone.safe_io import parse_json, read_text, write_text
from littlestone.version import __version__

if TYPE_CHECKING:
    from littlestone.learners.fit import Fit
    from littlestone.learners.release import Release
    from littlestone.types import Json

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
    given: Json = {name: data[name] for name in (*_PLAIN, *_NUMBERS, "target", "columns", "csv")}
    given["labels"] = dict(data["labels"])
    for name in ("listed", "names"):
        listed = data["labels"][name]
        given["labels"][name] = None if listed is None else tuple(listed)
    if data["schema"] is not None:
        csv = data["schema_csv"]
        form = None if csv is None else CsvFormat.parse(csv)
        given["schema"] = replace(Schema.from_list(data["schema"]), csv=form)
    if data["by"] is not None:
        given["by"] = Schema.from_list(data["by"])
    if data["costs"] is not None:
        given["options"] = {"costs": Costs.from_dict(data["costs"])}
    return given


def _exact(value: Any) -> Any:
    """Write numbers exactly, as texts; other things as they are."""
    if isinstance(value, list | tuple | range) or hasattr(value, "tolist"):
        return [_exact(each) for each in list(value)]
    number = exact_value(value)
    return value if number is None else str(number)
