"""Public calendars: what a cell says as a date or a time, and which part of it is looked at.

A cell is read alone: by one declared format (ISO 8601 where none is declared), never by trying what
fits the other cells. The time of day is the written one: a zone after it is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property

from littlestone.errors import parameter_error

_MONTHS = "January February March April May June July August September October November December"
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
#: The parts of a date that bins may be about, with their first and last value; None: write bins.
PARTS: dict[str, tuple[int, int] | None] = {
    "date": None,
    "year": None,
    "quarter": (1, 4),
    "month": (1, 12),
    "weekday": (1, 7),  # Monday is 1, as in ISO 8601
    "hour": (0, 23),
}
_NAMES = {"month": _MONTHS.split(), "weekday": _DAYS.split()}
_DIRECTIVES = {
    "%Y": r"(?P<year>[0-9]{4})",
    "%m": r"(?P<month>[0-9]{1,2})",
    "%d": r"(?P<day>[0-9]{1,2})",
    "%H": r"(?P<hour>[0-9]{1,2})",
    "%M": r"(?P<minute>[0-9]{1,2})",
    "%S": r"(?P<second>[0-9]{1,2})(?:\.[0-9]+)?",
}
_ISO = (
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
    r"(?:[ T](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?"
    r" ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2})?)?"
)
#: Texts of which the first 10 characters say the day, for engines: their date may be none.
ISO_TIME = (
    r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,9})?)?\z"
)
_FIRST = datetime(1, 1, 1)


@dataclass(frozen=True)
class Calendar:
    """How the cells of a column of dates are read.

    Examples
    --------
    >>> month = Calendar("month", "%d.%m.%Y")
    >>> month.value("24.12.2025"), month.value("2025-12-24"), month.shown(12)
    (12, None, 'December')
    >>> Calendar().shown(Calendar().value("2025-12-24T18:30"))
    '2025-12-24 18:30'
    """

    by: str = "date"
    form: str = ""

    def value(self, written: str) -> int | None:
        """Return what a text is worth as a date, or None where it is none."""
        match = self._pattern.fullmatch(written)
        parts = {} if match is None else match.groupdict()
        found = {part: int(figures) for part, figures in parts.items() if figures}
        if not found or (self.by == "hour" and "hour" not in found):
            return None
        try:
            moment = datetime(**{"month": 1, "day": 1, **found})  # type: ignore[arg-type]
        except ValueError:  # the 31st of February
            return None
        values = {
            "date": _seconds(moment),
            "quarter": (moment.month + 2) // 3,
            "weekday": moment.isoweekday(),
        }
        return values[self.by] if self.by in values else int(getattr(moment, self.by))

    def shown(self, value: float) -> str:
        """Return a value in words: ``2025-12-24``, ``December``, ``Sunday``, ``18``."""
        whole = int(value)
        if self.by == "date":
            moment = (_FIRST + timedelta(seconds=whole)).isoformat(" ")
            return moment.removesuffix(" 00:00:00").removesuffix(":00")
        if self.by in _NAMES:
            return _NAMES[self.by][whole - 1]
        return f"{whole:04}" if self.by == "year" else str(whole)

    def label(self, name: str) -> str:
        """Return what a column is called in rules: ``admitted``, ``month of admitted``."""
        return name if self.by == "date" else f"{self.by} of {name}"

    def edges(self, caller: str, bins: object) -> list[int]:
        """Return public edges: of cut dates their seconds, else whole numbers of the part."""
        limits = PARTS[self.by]
        if bins is None:
            assert limits is not None
            return list(range(limits[0] + 1, limits[1] + 1))
        hint = 'Example: ["2020-01-01", "2021-07-01"].' if self.by == "date" else ""
        if not isinstance(bins, Sequence) or isinstance(bins, str):
            raise parameter_error(caller, "bins", "a list", bins, hint)
        return [self._edge(caller, edge, hint) for edge in bins]

    def _edge(self, caller: str, edge: object, hint: str) -> int:
        if self.by == "date":
            if isinstance(edge, date):  # as TOML has them
                edge = edge.isoformat()
            found = Calendar().value(edge) if isinstance(edge, str) else None
            if found is None:
                raise parameter_error(caller, "bins", "dates such as 2020-01-31", edge, hint)
            return found
        low, high = PARTS[self.by] or (1, 9999)
        if isinstance(edge, bool) or not isinstance(edge, int) or not low < edge <= high:
            constraint = f"whole numbers from {low + 1} to {high}"
            raise parameter_error(caller, "bins", constraint, edge)
        return edge

    @property
    def of_days(self) -> bool:
        """Whether the day alone decides, unless cut dates have a time."""
        return self.by != "hour"

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if not self.form:
            return re.compile(_ISO)
        parts = re.split(r"(%.)", self.form)
        return re.compile("".join(_DIRECTIVES.get(part) or re.escape(part) for part in parts))

    @classmethod
    def of(cls, caller: str, by: object, form: object) -> Calendar:
        """Check what a schema declares."""
        if not isinstance(by, str) or by not in PARTS:
            raise parameter_error(caller, "by", f"one of {', '.join(PARTS)}", by)
        if form is None:
            return cls(by)
        asked = re.findall(r"%.?", form) if isinstance(form, str) else []
        needed = {"date": {"%Y"}, "weekday": {"%Y", "%m", "%d"}, "quarter": {"%m"}}.get(
            by, {{"year": "%Y", "month": "%m", "hour": "%H"}.get(by, "%Y")}
        )
        if (
            not isinstance(form, str)
            or not set(asked) <= set(_DIRECTIVES)
            or len(set(asked)) < len(asked)
            or not needed | {"%Y"} <= set(asked)
        ):
            constraint = (
                f"a text with {', '.join(sorted(needed | {'%Y'}))}, and no more than "
                f"{', '.join(_DIRECTIVES)}, each once"
            )
            raise parameter_error(caller, "format", constraint, form, 'Example: "%d.%m.%Y".')
        return cls(by, form)


def _seconds(moment: datetime) -> int:
    since = moment - _FIRST
    return since.days * 86_400 + since.seconds
