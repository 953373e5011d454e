"""What a ledger's file holds: the budget and its events, as lines of JSON with exact numbers.

Everything read back is checked as untrusted: numbers have a bounded length,
events are numbered without gaps, labels hold no control characters. What does not fit raises
`Unreadable`, and `Ledger` says that the file was changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from littlestone.append_log import LogKind
from littlestone.errors import ParameterError, parameter_error
from littlestone.privacy.filters import Price
from littlestone.privacy.losses import Approximate, BoundedRange, Concentrated, Loss, Pure
from littlestone.privacy.rounding import exact_text, float_up, round_up, short_text
from littlestone.safe_io import parse_json, read_exact
from littlestone.types import Json

KIND = LogKind(name="budget ledger", magic="littlestone ledger 4", shared=True)
_LONGEST = 200  # characters of a label
_DIGITS = 2000  # of a number
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_LOSSES: dict[str, tuple[Callable[..., Loss], int]] = {
    "pure": (Pure, 1),
    "approximate": (Approximate, 2),
    "bounded-range": (BoundedRange, 1),
    "concentrated": (Concentrated, 1),
}
#: Of an event, in order.
_FIELDS = ("number", "day", "what", "loss", "claim", "cost", "leak", "purpose")


class Unreadable(Exception):  # noqa: N818 - not an error of the caller
    """An entry is not one that this program writes."""


class Amount(NamedTuple):
    """A part of a budget, as (epsilon, delta); ``rho`` only with zCDP accounting."""

    epsilon: Fraction
    delta: Fraction
    rho: Fraction | None = None

    def __str__(self) -> str:
        text = f"epsilon {short_text(self.epsilon)}"
        if self.delta:
            text += f", delta {short_text(self.delta)}"
        return text if self.rho is None else f"{text} (rho {short_text(self.rho)})"

    def to_dict(self) -> Json:
        """Return plain JSON: floats for readers, exact text for programs."""
        out: Json = {}
        for name, value in self._asdict().items():
            if value is not None:
                out |= {name: float_up(value), f"{name}_exact": exact_text(value)}
        return out


@dataclass(frozen=True)
class Event:
    """One recorded release.

    Events are numbered 1, 2, 3, ... without gaps. Only the day (UTC) is kept, because times may
    depend on data. ``what`` and ``purpose`` are public labels, ``claim`` names the statement that
    proves the loss; ``cost`` and ``leak`` are what it took from the budget, in the ledger's
    accounting.
    """

    number: int
    day: str
    what: str
    loss: Loss
    claim: str
    cost: Fraction
    leak: Fraction
    purpose: str = ""

    @property
    def promised(self) -> str:
        """The loss in words."""
        numbers = ", ".join(short_text(x) for x in _parameters(self.loss))
        return f"{_name(self.loss)} {numbers}"

    @property
    def took(self) -> tuple[Fraction, Fraction]:
        """Its cost and its leak."""
        return self.cost, self.leak

    def to_dict(self) -> Json:
        """Return plain JSON, with exact numbers as text."""
        return {
            "number": self.number,
            "day": self.day,
            "what": self.what,
            "loss": " ".join([_name(self.loss), *map(exact_text, _parameters(self.loss))]),
            "claim": self.claim,
            "cost": exact_text(self.cost),
            "leak": exact_text(self.leak),
            "purpose": self.purpose,
        }


def write_line(entry: Json) -> str:
    """Write settings or an event as one line."""
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


def read_line(line: str) -> dict[str, Any]:
    """Read what `write_line` wrote."""
    try:
        entry = parse_json(line, "budget ledger")
    except ParameterError:
        raise Unreadable from None
    if not isinstance(entry, dict):
        raise Unreadable
    return entry


def total(entries: Iterable[dict[str, Any]]) -> tuple[Price, int]:
    """Return what all events together took, and how many they are."""
    cost, leak, count = Fraction(0), Fraction(0), 0
    for count, entry in enumerate(entries, 1):
        if entry.get("number") != count:
            raise Unreadable
        # most events cost the same: also very many are summed quickly
        cost, leak = cost + _known(entry.get("cost")), leak + _known(entry.get("leak"))
    return Price(cost, leak), count


def plain(loss: Loss) -> Loss:
    """Return a loss of one of the kinds that are recorded, with numbers of a bounded length."""
    kind = type(loss) if _name(loss) else (Approximate if loss.leak else Pure)
    values = [v if v.denominator.bit_length() < 6000 else round_up(v) for v in _parameters(loss)]
    for value in values:
        number_text("promise", value)
    return kind(*values)


def number_text(name: str, x: Fraction) -> str:
    """Write a number exactly; one that is too long for a ledger is refused."""
    if max(x.numerator.bit_length(), x.denominator.bit_length()) > 6600:  # _DIGITS digits
        raise parameter_error("Ledger", name, f"a number of at most {_DIGITS} digits", float(x))
    return exact_text(x)


def number(text: Any) -> Fraction:
    """Read what `number_text` wrote."""
    try:
        value = read_exact(text)
    except ValueError:
        raise Unreadable from None
    if value < 0:
        raise Unreadable
    return value


def label(name: str, text: Any) -> str:
    """Return public text as one short line: clipped, without control characters."""
    if not isinstance(text, str):
        raise parameter_error("Ledger", name, "a text", text)
    line = "".join(c if c.isprintable() else "?" for c in text[: _LONGEST + 1])
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def token_text(token: Any) -> str:
    """Return a token as it is: unlike a label, it is never changed."""
    if not isinstance(token, str) or not token.isprintable() or not 0 < len(token) <= _LONGEST:
        raise parameter_error(
            "Ledger", "token", f"a printable text of at most {_LONGEST} characters", token
        )
    return token


@lru_cache(maxsize=1024)
def _known(text: Any) -> Fraction:
    return number(text)


def read_event(entry: dict[str, Any]) -> Event:
    """Return one event, after checking it."""
    if set(entry) - {"token"} != set(_FIELDS):
        raise Unreadable
    place, day, what, loss, claim, cost, leak, purpose = (entry[name] for name in _FIELDS)
    texts = (day, what, loss, claim, purpose)
    if not all(isinstance(text, str) and text.isprintable() for text in texts):
        raise Unreadable
    if not _DAY.fullmatch(day) or max(map(len, (what, claim, purpose))) > _LONGEST:
        raise Unreadable
    name, *values = loss.split(" ")
    kind, size = _LOSSES.get(name, (None, 0))
    if kind is None or len(values) != size:
        raise Unreadable
    try:
        promised = kind(*map(number, values))
    except ValueError:  # a delta above 1
        raise Unreadable from None
    return Event(place, day, what, promised, claim, number(cost), number(leak), purpose)


def _name(loss: Loss) -> str:
    return next((name for name, (kind, _) in _LOSSES.items() if type(loss) is kind), "")


def _parameters(loss: Loss) -> tuple[Fraction, ...]:
    if isinstance(loss, Concentrated):
        return (loss.rho,)
    assert loss.reach is not None  # what has none was not paid
    return (loss.reach, loss.leak) if loss.leak or type(loss) is Approximate else (loss.reach,)
