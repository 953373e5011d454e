"""What ties a ledger to one table and to its own past: a keyed fingerprint, and a counter.

The fingerprint of a file is the HMAC (SHA-256) of its bytes; the key lies beside the ledger, for
anyone who may use that, and is never written elsewhere. Without the key a fingerprint tells nothing
of the table, nor whether it is one that somebody guesses. The counter is a file elsewhere (on
another disk, where old copies are not restored together with the ledger) with the number of
releases.
"""

from __future__ import annotations

import hmac
import os
from pathlib import Path
from typing import Any

from littlestone.errors import BudgetError, ParameterError, StoreError
from littlestone.safe_io import check_private_file, new_private_file, replacing, words
from littlestone.source import SecureSource

_KEY, _COUNTER = "key of a ledger", "counter of a ledger"
_LARGEST = 200  # bytes of either
_BLOCK = 1 << 20


def make_key(ledger: Path) -> Path:
    """Write a new key beside a ledger that is about to be made."""
    return _make(_key_file(ledger), _KEY, f"{SecureSource().below(2**256):064x}")


def fingerprint(ledger: Path, table: Any) -> str:
    """Return the fingerprint of a file, with the key beside a ledger."""
    if not isinstance(table, str | os.PathLike) or not os.path.isfile(table):
        raise ParameterError(
            "A ledger with a fingerprint is for one file: give the table as the path of a CSV or "
            "Parquet file, not as a frame, a folder or the URL of a database."
        )
    digest = hmac.new(bytes.fromhex(_read(_key_file(ledger), _KEY)), digestmod="sha256")
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
            "Nothing was drawn, nothing was spent. Use the ledger of these records."
        )


def make_counter(where: Path) -> Path:
    """Write a new counter, of no release."""
    return _make(where, _COUNTER, "0")


def check_counter(where: Path, ledger: Path, count: int) -> None:
    """Refuse a ledger that has fewer releases than were counted: it is an old copy."""
    text = _read(where, _COUNTER)
    if not text.isdecimal():
        raise StoreError(f"The {_COUNTER} {where} is damaged.", reason="damaged")
    if int(text) > count:
        raise StoreError(
            f"The budget ledger {ledger} is an old copy: {int(text):,} releases were counted in "
            f"{where}, and it has {count:,}. Restore the newest copy; if there is none, assume "
            "that all is spent.",
            reason="restored",
        )


def advance(where: Path, count: int) -> None:
    """Count a release that was recorded; it is not drawn before this returns."""
    with replacing(where) as file:
        file.write(f"{count}\n")


def _key_file(ledger: Path) -> Path:
    return ledger.with_name(ledger.name + ".key")


def _make(where: Path, what: str, text: str) -> Path:
    with new_private_file(where, what, shared=True) as name:
        Path(name).write_text(text + "\n", encoding="ascii")
        with Path(name).open("rb") as file:
            os.fsync(file.fileno())
    return where


def _read(where: Path, what: str) -> str:
    check_private_file(where, "", what, _LARGEST, shared=True)
    try:
        return where.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        raise StoreError(f"The {what} {where} could not be read.", reason="damaged") from None
