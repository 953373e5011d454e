"""A durable privacy budget: what was released about one set of records, and what is left.

A `Ledger` is a file. Each release is recorded in it, durably, *before* anything random is drawn for
it, so neither a crash nor a second process can spend a budget twice. Exact semantics, and the
proofs that the budget holds for releases that are chosen adaptively: ``docs/ledger.md``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from littlestone.append_log import AppendLog
from littlestone.errors import (
    BudgetError,
    ParameterError,
    StoreError,
    check_fraction,
    check_integer,
    parameter_error,
)
from littlestone.privacy import binding
from littlestone.privacy.entries import (
    KIND,
    Amount,
    Event,
    Unreadable,
    label,
    number,
    number_text,
    plain,
    read_event,
    read_line,
    token_text,
    total,
    write_line,
)
from littlestone.privacy.filters import Filter, Price
from littlestone.privacy.guarantee import Guarantee, Neighbours
from littlestone.privacy.losses import Loss
from littlestone.privacy.rounding import check_nonnegative, exact_text, short_text
from littlestone.safe_io import path_of
from littlestone.types import Json


class Ledger:
    """A budget in a file: with ``epsilon`` it is created, without it is opened.

    One ledger is for one set of records. It cannot know which records a fit reads: use it for every
    release about them, and for nothing else.

    Parameters
    ----------
    path : path
        On a local disk. The file is for its owner only; in a folder that a group may write, for
        that group.
    epsilon : number > 0, optional
        The whole budget. Giving it creates the file, which must not exist.
    delta : number in (0, 1), optional
        The budget's delta. Left out: pure.
    accounting : {"pure", "approximate", "zcdp"}, optional
        How releases are added up, fixed for ever. By default pure without a delta, else
        approximate (sums of epsilons and deltas). ``"zcdp"`` allows more releases of small epsilon.
    neighbours : Neighbours, optional
        Who is protected, by default REPLACE_ONE: releases under another relation are refused.
    data : str, optional
        The public name of the records.
    fingerprint : path, optional
        The one file (CSV, Parquet) that the budget is for: `fit` refuses every other table before
        anything is drawn. What is kept is an HMAC; its key lies beside the ledger (``PATH.key``).
    counter : path, optional
        A new file elsewhere, on a disk that is not restored together with the ledger: old copies
        of the ledger are refused.
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
    littlestone.errors.BudgetError: The budget does not allow this: it asks for epsilon 0.4, and
    epsilon 0.3 is left. ...
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
        counter: str | os.PathLike[str] | None = None,
        purpose: str = "",
    ) -> None:
        self.path = path_of(path, "ledger")
        self._where = self.path.absolute()  # the same file in every folder
        self._identity: tuple[int, int, str] | None = None
        self.purpose = label("purpose", purpose)
        if epsilon is not None:
            self._create(
                epsilon, delta, accounting, neighbours,
                data=data, table=fingerprint, counter=counter,
            )  # fmt: skip
        elif data or any(
            given is not None for given in (delta, accounting, neighbours, fingerprint, counter)
        ):
            raise ParameterError(
                "A ledger's budget is fixed when it is created. Give 'epsilon' to create one; give "
                "only the path to open it."
            )
        self._counter: Path | None = None
        self._checked = False
        with self._opened() as log:
            self._read_budget(read_line(log.header))
            self._check_age(log)

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
        with self._opened() as log:
            self._allow(self._total(_entries(log))[0], price)

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
                f"The budget ledger {self.path} is for one file: say which file is read, by "
                "check_data(path), before a release is charged."
            )
        loss, claim = self._terms(promise, loss)
        price = self.filter.price(loss)
        loss, claim, what = plain(loss), label("claim", claim), label("what", what)
        purpose = self.purpose if purpose is None else label("purpose", purpose)
        token = None if token is None else token_text(token)
        day = datetime.now(UTC).date().isoformat()
        with self._opened(write=True) as log:
            entries = _entries(log)
            spent, count = self._total(entries)
            known = [e for e in entries if token is not None and e.get("token") == token]
            if known:
                event = read_event(known[0])
                if (event.loss, event.claim) != (loss, claim):
                    hint = "It names another release already."
                    raise parameter_error("Ledger", "token", "a new name", token, hint)
                self._count(log)
                return event
            self._allow(spent, price)
            event = Event(count + 1, day, what, loss, claim, *price, purpose)
            named = {} if token is None else {"token": token}
            log.append(write_line({**event.to_dict(), **named}))
            self._count(log)
        return event

    def check_data(self, table: Any) -> None:
        """Refuse a table that the budget is not for, where the ledger has a fingerprint.

        ``table``: the path of the file that will be read. `BudgetError` if it is another one; the
        message says nothing about it.
        """
        if self._fingerprint:
            binding.check_fingerprint(self._where, self._fingerprint, table)
        self._checked = True

    def spent(self) -> Amount:
        """Return what has been spent (zCDP: as epsilon at the ledger's delta, rounded up)."""
        with self._opened() as log:
            return self._spent(self._total(_entries(log))[0])

    def remaining(self) -> Amount:
        """Return what one more release may cost (zCDP: the largest epsilon of a pure one)."""
        with self._opened() as log:
            return self._left(self._total(_entries(log))[0])

    def history(self) -> tuple[Event, ...]:
        """Return all recorded releases, oldest first."""
        with self._opened() as log:
            entries = _entries(log)
            self._total(entries)
            return tuple(map(read_event, entries))

    def entry(self, event: Event) -> Json:
        """Return what the record of a release says of its event and of this budget."""
        rule = self.filter
        return {
            "data": self.data,
            "accounting": rule.accounting,
            "neighbours": self.neighbours.value,
            "budget": {"epsilon": exact_text(rule.epsilon), "delta": exact_text(rule.delta)},
            "event": event.to_dict(),
        }

    def to_dict(self) -> Json:
        """Return plain JSON: the budget, what is spent and left, the history."""
        rule = self.filter
        history = self.history()
        cost = sum((event.cost for event in history), Fraction(0))
        spent = Price(cost, sum((event.leak for event in history), Fraction(0)))
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
        counter: Any,
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
            "counter": "" if counter is None else str(Path(counter).absolute()),
        }
        made: list[Path] = []
        try:
            if counter is not None:
                made.append(binding.make_counter(Path(counter).absolute()))
            if table is not None:
                made.append(binding.make_key(self._where))
                settings["fingerprint"] = binding.fingerprint(self._where, table)
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
                    f"The file {self.path} is another budget ledger than the one that was opened. "
                    "Open it again with Ledger(path).",
                    reason="changed",
                )
            self._check_age(log)
            yield log

    def _check_age(self, log: AppendLog) -> None:
        if self._counter is not None:
            binding.check_counter(self._counter, self.path, len(log.lines))

    def _count(self, log: AppendLog) -> None:
        if self._counter is not None:
            binding.advance(self._counter, len(log.lines))

    def _read_budget(self, settings: dict[str, Any]) -> None:
        try:
            rho = number(settings["rho"]) if settings["rho"] else None
            if (rho is None) == (settings["accounting"] == "zcdp"):
                raise Unreadable
            epsilon, delta = (number(settings[name]) for name in ("epsilon", "delta"))
            self.filter = Filter(settings["accounting"], epsilon, delta, rho)
            self.neighbours = Neighbours(settings["neighbours"])
            self.data = label("data", settings["data"])
            self._fingerprint, counter = settings["fingerprint"], settings["counter"]
            self._counter = Path(counter) if counter else None
        except (KeyError, ValueError):  # also our ParameterError
            raise Unreadable from None

    def _total(self, entries: list[dict[str, Any]]) -> tuple[Price, int]:
        spent, count = total(entries)
        if not self.filter.allows(spent, Price(Fraction(0), Fraction(0))):
            raise Unreadable  # a filter never lets it come so far
        return spent, count

    def _terms(self, promise: Guarantee | Loss, better: Loss | None) -> tuple[Loss, str]:
        """Return what is promised under this ledger's neighbours, and the claim that proves it."""
        if isinstance(promise, Loss):
            return promise, ""
        if not isinstance(promise, Guarantee):
            raise parameter_error("Ledger", "promise", "a Guarantee or a Loss", promise)
        if promise.seeded:
            raise ParameterError(
                "A seeded release is not private, so no budget can pay for it. Leave out the seed "
                "(random_state) to spend from the ledger, or leave out the ledger."
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
            f"The budget does not allow this: it asks for {asked}, and {rest} is left. Nothing was "
            "drawn, nothing was spent. Ask for less, or begin a new ledger with new records."
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


def _entries(log: AppendLog) -> list[dict[str, Any]]:
    return [read_line(line) for line in log.lines]


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
        yield "budget", "it is no budget of a ledger"
        return
    try:
        event = read_event(stated)
        check_integer("Ledger", "number", event.number, low=1)
    except (Unreadable, ValueError, TypeError, KeyError, AttributeError):
        yield "event", "it is no event of a ledger"
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
