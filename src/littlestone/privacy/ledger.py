"""A durable privacy budget: what was released about one set of records, and what is left.

A `Ledger` is a file. Each release is recorded in it, durably, *before* anything random is drawn for
it, so neither a crash nor a second process can spend a budget twice. Exact semantics, and the
proofs that the budget holds for releases that are chosen adaptively: ``docs/ledger.md``.
"""

from __future__ import annotations

import hmac
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from littlestone.append_log import AppendLog, LogKind
from littlestone.errors import (
    BudgetError,
    ParameterError,
    StoreError,
    check_fraction,
    check_integer,
    parameter_error,
)
from littlestone.privacy.compose import Filter, Price
from littlestone.privacy.guarantee import (
    Approximate,
    BoundedRange,
    Concentrated,
    Guarantee,
    Loss,
    Neighbours,
    Pure,
    check_nonnegative,
    float_up,
    round_up,
    short_text,
)
from littlestone.safe_io import (
    check_private_file,
    new_private_file,
    parse_json,
    path_of,
    read_exact,
    words,
)
from littlestone.source import SecureSource
from littlestone.types import Json

# -- What a ledger's file holds: the budget and its events, as lines of JSON with exact numbers.
#
# Everything read back is checked as untrusted: numbers have a bounded length, events are numbered
# without gaps, labels hold no control characters. What does not fit raises `Unreadable`, and
# `Ledger` says that the file was changed.


KIND = LogKind(
    name="budget ledger",
    magic="littlestone ledger 5",
    create="Create the ledger first: littlestone ledger create.",
)
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
                out |= {name: float_up(value), f"{name}_exact": str(value)}
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
    token: str | None = field(default=None, repr=False)  # see `Ledger.charge`; not shown
    #: When charged: the epsilon of the budget that was spent before and after it.
    spent: dict[str, str] | None = field(default=None, repr=False, compare=False)

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
            "loss": " ".join([_name(self.loss), *map(str, _parameters(self.loss))]),
            "claim": self.claim,
            "cost": str(self.cost),
            "leak": str(self.leak),
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


def spent_by(events: Iterable[Event]) -> Price:
    """Return what events together took."""
    cost, leak = Fraction(0), Fraction(0)
    for event in events:
        cost, leak = cost + event.cost, leak + event.leak
    return Price(cost, leak)


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
    return str(x)


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


def purpose_text(text: Any) -> str:
    """Return a purpose as it is: what is filed is what was typed."""
    if not isinstance(text, str) or len(text) > _LONGEST or not (text + " ").isprintable():
        wanted = f"one printable line, of at most {_LONGEST} characters"
        raise parameter_error("Ledger", "purpose", wanted, text)
    return text


def token_text(token: Any) -> str:
    """Return a token as it is: unlike a label, it is never changed."""
    if not isinstance(token, str) or not token.isprintable() or not 0 < len(token) <= _LONGEST:
        raise parameter_error(
            "Ledger", "token", f"a printable text of at most {_LONGEST} characters", token
        )
    return token


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
    token = entry.get("token")
    return Event(place, day, what, promised, claim, number(cost), number(leak), purpose, token)


def _name(loss: Loss) -> str:
    return next((name for name, (kind, _) in _LOSSES.items() if type(loss) is kind), "")


def _parameters(loss: Loss) -> tuple[Fraction, ...]:
    if isinstance(loss, Concentrated):
        return (loss.rho,)
    assert loss.reach is not None  # what has none was not paid
    return (loss.reach, loss.leak) if loss.leak or type(loss) is Approximate else (loss.reach,)


# -- What ties a ledger to one table: a keyed fingerprint.
#
# The fingerprint of a file is the HMAC (SHA-256) of its bytes; the key lies beside the ledger,
# for anyone who may use that, and is never written elsewhere. Without the key a fingerprint tells
# nothing of the table, nor whether it is one that somebody guesses.


_KEY = "key of a ledger"
_LARGEST = 200  # bytes of it
_BLOCK = 1 << 20


def make_key(ledger: Path) -> Path:
    """Write a new key beside a ledger that is about to be made."""
    where = _key_file(ledger)
    with new_private_file(where, _KEY) as name:
        Path(name).write_text(f"{SecureSource().below(2**256):064x}\n", encoding="ascii")
        with Path(name).open("rb") as file:
            os.fsync(file.fileno())
    return where


def fingerprint(ledger: Path, table: Any) -> str:
    """Return the fingerprint of a file, with the key beside a ledger."""
    if not isinstance(table, str | os.PathLike) or not os.path.isfile(table):
        raise ParameterError(
            "A ledger with a fingerprint is for one file: give the table as the path of a CSV or "
            "Parquet file, not as a frame, a folder or the URL of a database."
        )
    where = _key_file(ledger)
    check_private_file(
        where, _KEY, _LARGEST, "It belongs in the folder of its ledger: restore a copy."
    )
    try:
        key = bytes.fromhex(where.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        raise StoreError(f"The {_KEY} {where} could not be read.", reason="damaged") from None
    digest = hmac.new(key, digestmod="sha256")
    try:
        with Path(table).open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as problem:
        raise ParameterError(f"The table could not be read ({words(problem)}).") from None
    return digest.hexdigest()


def check_fingerprint(ledger: Path, stated: str, table: Any) -> None:
    """Refuse a table that is not the file whose fingerprint is stated; says nothing about it."""
    if not hmac.compare_digest(stated, fingerprint(ledger, table)):
        raise BudgetError(
            f"The budget ledger {ledger} is for another table, or another version of this file. "
            "Nothing was drawn or spent. Use the ledger of these records."
        )


def _key_file(ledger: Path) -> Path:
    return ledger.with_name(ledger.name + ".key")


class Ledger:
    """A budget in a file: with ``epsilon`` it is created, without it is opened.

    One ledger is for one set of records. It cannot know which records a fit reads: use it for every
    release about them, and for nothing else.

    Parameters
    ----------
    path : path
        On a local disk. The file is for its owner only.
    epsilon : number > 0, optional
        The whole budget. Giving it creates the file, which must not exist.
    delta : number in (0, 1), optional
        The budget's delta. Left out: pure.
    accounting : {"pure", "approximate", "zcdp"}, optional
        How releases are added up, fixed for ever. By default pure without a delta, else
        approximate (sums of epsilons and deltas). ``"zcdp"`` allows more releases with a small
        epsilon.
    neighbours : Neighbours, optional
        Who is protected, by default REPLACE_ONE: releases under another relation are refused.
    data : str, optional
        The public name of the records.
    fingerprint : path, optional
        The one file (CSV, Parquet) that the budget is for: `fit` refuses every other table before
        anything is drawn. What is kept is an HMAC; its key lies beside the ledger (``PATH.key``).
    purpose : str, optional
        What releases that are charged through this object are for, one line: it is recorded with
        each.

    Raises
    ------
    ParameterError, StoreError

    Notes
    -----
    *Guarantee.* If every release about the records is charged here before it is drawn, all of them
    together satisfy `guarantee`, also when each was chosen after seeing the others, and when
    streams and fits overlap in time (claims ``filter.sum``, ``filter.zcdp``). Nothing is ever
    refunded.

    *Cost.* One opening, one check and one durable commit for each call: some milliseconds.

    Examples
    --------
    >>> import os, tempfile
    >>> from littlestone.privacy import Guarantee
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "budget.db")
    >>> ledger = Ledger(path, epsilon=1)
    >>> event = ledger.charge(Guarantee("0.7", claim="exp-mech.privacy"), what="a first rule")
    >>> print(ledger.spent(), "spent;", ledger.remaining(), "left")
    epsilon 0.7 spent; epsilon 0.3 left
    >>> Ledger(path).charge(Guarantee("0.4"))
    Traceback (most recent call last):
    littlestone.errors.BudgetError: The budget does not allow this release: it needs epsilon 0.4,
    but only epsilon 0.3 is left. ...
    >>> folder.cleanup()
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        epsilon: Any = None,
        delta: Any = None,
        accounting: str | None = None,
        neighbours: Neighbours | str | None = None,
        data: str = "",
        fingerprint: str | os.PathLike[str] | None = None,
        purpose: str = "",
    ) -> None:
        self.path = path_of(path, "ledger")
        self._where = self.path.absolute()  # the same file in every folder
        self._identity: tuple[int, int, str] | None = None
        self.purpose = purpose_text(purpose)
        if epsilon is not None:
            self._create(epsilon, delta, accounting, neighbours, data=data, table=fingerprint)
        elif data or any(
            given is not None for given in (delta, accounting, neighbours, fingerprint)
        ):
            raise ParameterError(
                "A ledger's budget is fixed when it is created. Give 'epsilon' to create one; to "
                "open it, give only the path."
            )
        self._checked = False
        with self._opened() as log:
            self._read_budget(read_line(log.header))

    @property
    def guarantee(self) -> Guarantee:
        """What all releases together satisfy, those to come included."""
        rule = self.filter
        claim = "filter.zcdp" if rule.accounting == "zcdp" else "filter.sum"
        return Guarantee(rule.epsilon, rule.delta, self.neighbours, claim)

    def check(self, promise: Guarantee | Loss, *, loss: Loss | None = None) -> None:
        """Refuse now what `charge` would refuse; spends nothing.

        Raises
        ------
        BudgetError, ParameterError, StoreError
        """
        price = self.filter.price(self._terms(promise, loss)[0])
        self._allow(spent_by(self.history()), price)

    def charge(
        self,
        promise: Guarantee | Loss,
        *,
        loss: Loss | None = None,
        what: str = "",
        token: str | None = None,
        purpose: str | None = None,
    ) -> Event:
        """Record a release, durably, before it is drawn.

        Parameters
        ----------
        promise : Guarantee or Loss
            What the release promises. A `Guarantee` states its neighbours; one under add-remove
            enters a replace-one ledger as `Guarantee.under` says. A `Loss` is taken to be under
            the ledger's.
        loss : Loss, optional
            What the same release promises in zCDP, where that is better known than by conversion
            from ``promise`` (for releases that are drawn in one piece). It is used in the zCDP
            accounting only.
        what : str, optional
            A public label for the history, one line.
        token : str, optional
            Names the release: charging again with the same token returns the recorded event and
            takes nothing. For one release whose program may be restarted between the charge and
            the draw (a stream); a token must never serve two draws.
        purpose : str, optional
            What this release is for, instead of the purpose of the ledger object.

        Returns
        -------
        Event
            It is on the disk when this returns: draw only then.

        Raises
        ------
        BudgetError
            The budget would be exceeded. Nothing was spent.
        ParameterError
            Other neighbours, or a seeded release (it is not private; it needs no budget).
        StoreError
            The file cannot be used. If the disk failed in the last step, the event may have been
            recorded; nothing was drawn.
        """
        if self._fingerprint and not self._checked:
            raise ParameterError(
                f"The budget ledger {self.path} is for one file: name the file by check_data(path) "
                "before a release is charged."
            )
        loss, claim = self._terms(promise, loss)
        price = self.filter.price(loss)
        loss, claim, what = plain(loss), label("claim", claim), label("what", what)
        purpose = self.purpose if purpose is None else purpose_text(purpose)
        token = None if token is None else token_text(token)
        day = datetime.now(UTC).date().isoformat()
        with self._opened(write=True) as log:
            events = self._events(log)
            known = [event for event in events if token is not None and event.token == token]
            if known:
                event = known[0]
                if (event.loss, event.claim) != (loss, claim):
                    hint = "It names another release already."
                    raise parameter_error("Ledger", "token", "a new name", token, hint)
                return event
            self._allow(spent_by(events), price)
            event = Event(len(events) + 1, day, what, loss, claim, *price, purpose, token)
            both = {"before": events, "after": [*events, event]}
            spent = {at: str(self._spent(spent_by(own)).epsilon) for at, own in both.items()}
            named = {} if token is None else {"token": token}
            log.append(write_line({**event.to_dict(), **named}))
        return replace(event, spent=spent)

    def check_data(self, table: Any) -> None:
        """Refuse a table that the budget is not for, where the ledger has a fingerprint.

        ``table``: the path of the file that will be read. `BudgetError` if it is another one; the
        message says nothing about it.
        """
        if self._fingerprint:
            check_fingerprint(self._where, self._fingerprint, table)
        self._checked = True

    def spent(self) -> Amount:
        """Return what has been spent (zCDP: as epsilon at the ledger's delta, rounded up)."""
        return self._spent(spent_by(self.history()))

    def remaining(self) -> Amount:
        """Return what one more release may cost (zCDP: the largest epsilon of a pure one)."""
        return self._left(spent_by(self.history()))

    def history(self) -> tuple[Event, ...]:
        """Return all recorded releases, oldest first."""
        with self._opened() as log:
            return tuple(self._events(log))

    def entry(self, event: Event) -> Json:
        """Return what the record of a release says of its event and of this budget."""
        rule = self.filter
        return {
            "data": self.data,
            "accounting": rule.accounting,
            "neighbours": self.neighbours.value,
            "budget": {"epsilon": str(rule.epsilon), "delta": str(rule.delta)},
            "event": event.to_dict(),
            "spent": event.spent,
        }

    def to_dict(self) -> Json:
        """Return plain JSON: the budget, what is spent and left, the history."""
        rule = self.filter
        history = self.history()
        spent = spent_by(history)
        return {
            "data": self.data,
            "accounting": rule.accounting,
            "neighbours": self.neighbours.value,
            "budget": self._amount(rule.epsilon, rule.delta, rule.limit.cost).to_dict(),
            "spent": self._spent(spent).to_dict(),
            "remaining": self._left(spent).to_dict(),
            "events": [event.to_dict() for event in history],
        }

    def __repr__(self) -> str:
        return f"<Ledger {str(self.path)!r}: {self.filter.accounting}, {self.guarantee}>"

    # ------------------------------------------------------------------ inside

    def _create(
        self,
        epsilon: Any,
        delta: Any,
        accounting: str | None,
        neighbours: Any,
        *,
        data: str,
        table: Any,
    ) -> None:
        exact = check_fraction("Ledger", "epsilon", epsilon)
        small = check_nonnegative("Ledger", "delta", 0 if delta is None else delta)
        rule = Filter(accounting or ("approximate" if small else "pure"), exact, small)
        try:
            relation = Neighbours(neighbours or Neighbours.REPLACE_ONE)
        except ValueError:
            allowed = [relation.value for relation in Neighbours]
            raise parameter_error("Ledger", "neighbours", f"one of {allowed}", neighbours) from None
        settings = {
            "epsilon": number_text("epsilon", exact),
            "delta": number_text("delta", small),
            "accounting": rule.accounting,
            "rho": number_text("epsilon", rule.limit.cost) if rule.accounting == "zcdp" else "",
            "neighbours": relation.value,
            "data": label("data", data),
            "fingerprint": "",
        }
        made: list[Path] = []
        try:
            if table is not None:
                made.append(make_key(self._where))
                settings["fingerprint"] = fingerprint(self._where, table)
            AppendLog.create(self._where, KIND, write_line(settings))
        except BaseException:
            for path in made:
                path.unlink(missing_ok=True)
            raise

    @contextmanager
    def _opened(self, *, write: bool = False) -> Iterator[AppendLog]:
        # The file is opened for each call: a ledger may be pickled, forked and shared by threads.
        with _readable(self.path), AppendLog.opened(self._where, KIND, write=write) as log:
            identity = (*log.identity, log.header)
            if self._identity is None:
                self._identity = identity
            elif identity != self._identity:
                raise StoreError(
                    f"The file {self.path} is no longer the budget ledger that was opened. "
                    "Open it again with Ledger(path).",
                    reason="changed",
                )
            yield log

    def _read_budget(self, settings: dict[str, Any]) -> None:
        try:
            rho = number(settings["rho"]) if settings["rho"] else None
            if (rho is None) == (settings["accounting"] == "zcdp"):
                raise Unreadable
            epsilon, delta = (number(settings[name]) for name in ("epsilon", "delta"))
            self.filter = Filter(settings["accounting"], epsilon, delta, rho)
            self.neighbours = Neighbours(settings["neighbours"])
            self.data = label("data", settings["data"])
            self._fingerprint = settings["fingerprint"]
        except (KeyError, ValueError):  # also our ParameterError
            raise Unreadable from None

    def _events(self, log: AppendLog) -> list[Event]:
        events = [read_event(read_line(line)) for line in log.lines]
        if any(event.number != place for place, event in enumerate(events, 1)):
            raise Unreadable
        if not self.filter.allows(spent_by(events), Price(Fraction(0), Fraction(0))):
            raise Unreadable  # a filter never lets it come so far
        return events

    def _terms(self, promise: Guarantee | Loss, better: Loss | None) -> tuple[Loss, str]:
        """Return what is promised under this ledger's neighbours, and the claim that proves it."""
        if isinstance(promise, Loss):
            return promise, ""
        if not isinstance(promise, Guarantee):
            raise parameter_error("Ledger", "promise", "a Guarantee or a Loss", promise)
        if promise.seeded:
            raise ParameterError(
                "A seeded release is not private, so no budget can pay for it. Leave out the seed "
                "(random_state) or the ledger."
            )
        stated = promise.under(self.neighbours)
        if better is None or self.filter.accounting != "zcdp" or stated is not promise:
            better = stated.loss
        return better, stated.claim

    def _allow(self, spent: Price, price: Price) -> None:
        if self.filter.allows(spent, price):
            return
        name = "rho" if self.filter.accounting == "zcdp" else "epsilon"
        left = [max(m - s, Fraction(0)) for m, s in zip(self.filter.limit, spent, strict=True)]
        asked, rest = f"{name} {short_text(price.cost)}", f"{name} {short_text(left[0], up=False)}"
        if self.filter.delta:
            asked += f", delta {short_text(price.leak)}"
            rest += f", delta {short_text(left[1], up=False)}"
        raise BudgetError(
            f"The budget does not allow this release: it needs {asked}, but only {rest} is left. "
            "Nothing was drawn or spent. Use a smaller epsilon, or other records with a ledger of "
            "their own."
        )

    def _amount(self, epsilon: Fraction, delta: Fraction, rho: Fraction) -> Amount:
        return Amount(epsilon, delta, rho if self.filter.accounting == "zcdp" else None)

    def _spent(self, spent: Price) -> Amount:
        return self._amount(*self.filter.implied(spent), spent.cost)

    def _left(self, spent: Price) -> Amount:
        limit = self.filter.limit
        return self._amount(
            self.filter.largest_pure(spent), limit.leak - spent.leak, limit.cost - spent.cost
        )


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except Unreadable:
        raise StoreError(
            f"The budget ledger {path} has been changed: its entries are not those that this "
            "program writes. Restore a copy; if there is none, assume that all is spent.",
            reason="damaged",
        ) from None


def check_ledger(
    ledger: Any, caller: str, promise: Guarantee, *, data: Any, loss: Loss | None = None
) -> None:
    """Refuse, before any record is read, a ledger that would not pay; None is no ledger.

    ``caller`` is named in errors; ``data`` is the table that will be read; ``loss`` is a sharper
    statement of the same release (see `Ledger.check`). `ParameterError` if it is no ledger,
    `BudgetError` if it would not pay, or is for another table.
    """
    if ledger is None:
        return
    if not isinstance(ledger, Ledger):
        raise parameter_error(
            caller, "ledger", "a Ledger", ledger, "Open one: littlestone.Ledger(path)."
        )
    ledger.check(promise, loss=loss)
    ledger.check_data(data)


def check_entry(entry: Any, guarantee: Guarantee) -> Iterator[tuple[str, str]]:
    """Yield the fields of a recorded entry that do not fit the guarantee it paid for, and why."""
    try:
        epsilon, delta = (number(entry["budget"][name]) for name in ("epsilon", "delta"))
        rule, stated = Filter(entry["accounting"], epsilon, delta), entry["event"]
    except (Unreadable, ParameterError, KeyError, TypeError):
        yield "budget", "it is not a budget of a ledger"
        return
    try:
        event = read_event(stated)
        check_integer("Ledger", "number", event.number, low=1)
    except (Unreadable, ValueError, TypeError, KeyError, AttributeError):
        yield "event", "it is not an event of a ledger"
        return
    try:
        promised = guarantee.under(Neighbours(entry.get("neighbours")))
        price, most = rule.price(event.loss), rule.price(plain(promised.loss))
    except (BudgetError, ParameterError, ValueError):
        yield "neighbours", "a ledger of this kind could not pay for the release"
        return
    if event.claim != label("claim", promised.claim):
        yield "event.claim", "the release rests on another one"
    known = rule.accounting == "zcdp" and promised is guarantee  # there a better loss may be known
    if price.cost > most.cost if known else event.loss != plain(promised.loss):
        yield "event.loss", "the release promises another one"
    for name, taken in (("cost", event.cost), ("leak", event.leak)):
        if taken != getattr(price, name):
            yield f"event.{name}", f"with {rule.accounting} accounting it is {getattr(price, name)}"
    if not rule.allows(price, Price(Fraction(0), Fraction(0))):
        yield "budget", "smaller than the price of the release"
    try:
        before, after = (number(entry["spent"][at]) for at in ("before", "after"))
    except (Unreadable, ParameterError, KeyError, TypeError):
        yield "spent", "it does not say what was spent before and after"
        return
    added = after - before == event.cost or rule.accounting == "zcdp"
    if not (0 <= before <= after <= epsilon and added):
        yield "spent", "it does not fit the budget and the cost of the release"
