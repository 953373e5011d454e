"""``littlestone ledger``: create and show a privacy budget."""

from __future__ import annotations

import json as jsonlib
from typing import TYPE_CHECKING

from littlestone.cli.options import AsJson

if TYPE_CHECKING:
    from littlestone.privacy import Ledger


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
    counter: str | None = None,
    json: AsJson = False,
) -> int:
    """Create a budget for one set of records; it cannot be changed later.

    Use it for every release about these records (`littlestone fit --ledger`), and for nothing else.

    Parameters
    ----------
    path:
        The new file, on a local disk; readable by you only, or by the group that may write its
        folder.
    epsilon:
        The total epsilon, as a number or a fraction.
    delta:
        The total delta. Without it only pure learners can be charged.
    accounting:
        How releases add up: pure, approximate (sums of epsilons and deltas; the default with
        --delta), or zcdp (many releases of small epsilon).
    neighbours:
        Who is protected: replace-one or add-remove (records), or user-replace (users).
    data:
        The public name of the records.
    fingerprint:
        The one file (CSV, Parquet) that the budget is for: every other table is refused before
        anything is drawn. The key of the fingerprint is stored beside the ledger (PATH.key).
    counter:
        A new file on another disk, not restored together with the ledger, so that old copies of the
        ledger are refused.
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
        counter=counter,
    )
    _print(ledger, json=json)
    return 0


def show(path: str, /, *, json: AsJson = False) -> int:
    """Show a budget: what is spent, what remains, the releases and their purposes.

    Parameters
    ----------
    path:
        File made by `littlestone ledger create`.
    """
    from littlestone.privacy import Ledger

    _print(Ledger(path), json=json)
    return 0


def _print(ledger: Ledger, *, json: bool) -> None:
    if json:
        print(jsonlib.dumps(ledger.to_dict(), sort_keys=True, ensure_ascii=False))
        return
    from littlestone.cli.terminal import facts, table
    from littlestone.privacy.rounding import short_text

    rows = [("Records", ledger.data, "bold")] if ledger.data else []
    facts(
        [
            *rows,
            ("Budget", f"{ledger.guarantee}", ""),
            ("Accounting", ledger.filter.accounting, ""),
            ("Spent", str(ledger.spent()), ""),
            ("Left", str(ledger.remaining()), ""),
        ]
    )
    history = ledger.history()
    if history:
        unit = "rho" if ledger.filter.accounting == "zcdp" else "epsilon"
        names = ["", "day", "purpose", "what", "promised", unit, "delta"]
        lines = [
            [str(e.number), e.day, e.purpose, e.what, e.promised, *map(short_text, e.took)]
            for e in history
        ]
        shown = [i for i, name in enumerate(names) if not name or any(line[i] for line in lines)]
        table("Releases", [names[i] for i in shown], [[line[i] for i in shown] for line in lines])
