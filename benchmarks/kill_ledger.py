"""Kill processes that spend from one ledger, and check the ledger after each.

Four processes charge one budget as fast as they can. At random instants one of them gets
``kill -9`` and a new one takes its place; when the budget is used up, the next ledger begins
(the processes race to create it). A process acknowledges an event on a pipe, after ``charge`` has
returned. Every ledger is read again without the library's code, and must satisfy:

- never overspent: the exact sum of all events is at most the budget;
- never corrupted: SQLite's own integrity check, and the library's;
- nothing lost: each acknowledged event is there, once;
- nothing invented: each event is acknowledged, or was in flight when its process was killed.

    python benchmarks/kill_ledger.py --kills 500
"""

from __future__ import annotations

import argparse
import json
import os
import random
import select
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from littlestone.errors import BudgetError, StoreError
from littlestone.privacy import Ledger, Pure
from littlestone.privacy.entries import INSERT, KIND, total
from littlestone.store import Store

Charge = Callable[[Ledger, Fraction, str], None]
BUDGET = Fraction(5)
CHARGES = [Fraction(1, 7), Fraction(1, 10), Fraction(1, 3), Fraction(1, 100)]


def charge(ledger: Ledger, cost: Fraction, label: str) -> None:
    """Spend as the library does."""
    ledger.charge(Pure(cost), what=label)


def charge_in_two_steps(ledger: Ledger, cost: Fraction, label: str) -> None:
    """Look first, then write: between the two somebody else may spend (a broken control)."""
    ledger.check(Pure(cost))
    with Store.open(ledger.path, KIND) as store, store.transaction() as sql:
        count = total(sql.execute)[1]
        row = (count + 1, "2026-01-01", label, f"pure {cost}", "", str(cost), "0", None)
        sql.execute(INSERT, row)


LATER: list[tuple[Ledger, Fraction, str]] = []


def charge_later(ledger: Ledger, cost: Fraction, label: str) -> None:
    """Acknowledge now and write soon: a kill loses what was acknowledged (a broken control)."""
    LATER.append((ledger, cost, label))
    if len(LATER) > 2:
        while LATER:
            charge(*LATER.pop())


CONTROLS = {"two-steps": charge_in_two_steps, "later": charge_later}


def worker(path: Path, name: str, ack: int, spend: Charge) -> None:
    """Charge until the budget refuses, acknowledging each event on the pipe."""
    rng = random.Random(name)
    try:
        ledger = Ledger(path, epsilon=BUDGET)
    except StoreError as problem:
        if problem.reason != "exists":
            raise
        ledger = Ledger(path)
    for k in range(10**6):
        label = f"{name}.{k}"
        os.write(ack, f"try {label}\n".encode())
        try:
            spend(ledger, rng.choice(CHARGES), label)
        except BudgetError:
            os.write(ack, f"refused {label}\n".encode())
            if ledger.remaining().epsilon < min(CHARGES):
                break
        else:
            os.write(ack, f"done {label}\n".encode())


class Worker:
    """A forked process, and what it has said."""

    def __init__(self, path: Path, name: str, spend: Charge) -> None:
        self.name, self.said = name, b""
        read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.close(read)
                worker(path, name, write, spend)
                code = 0
            except BaseException as problem:
                os.write(write, f"failed {type(problem).__name__}: {problem}\n".encode())
            finally:
                os._exit(code)
        os.close(write)
        self.pipe = read

    def listen(self) -> bool:
        """Read what was said; False when the process has ended."""
        part = os.read(self.pipe, 65536)
        self.said += part
        return bool(part)

    def end(self) -> int:
        """Read the rest, and return how the process ended."""
        while self.listen():
            pass
        os.close(self.pipe)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def examine(path: Path, workers: list[Worker], counts: Counter[str]) -> None:
    """Check one ledger against all that was said about it."""
    tried: set[str] = set()
    done: set[str] = set()
    for one in workers:
        for line in one.said.decode().splitlines():
            word, _, label = line.partition(" ")
            if word == "failed":
                raise AssertionError(line)
            (tried if word == "try" else done if word == "done" else set()).add(label)
    sql = sqlite3.connect(f"file:{path}?mode=rw", uri=True)
    assert sql.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    rows = sql.execute("SELECT what, cost FROM events").fetchall()
    sql.close()
    recorded = [what for what, _ in rows]
    assert len(set(recorded)) == len(recorded), "an event was recorded twice"
    assert done <= set(recorded), "an acknowledged event was lost"
    assert set(recorded) <= tried, "an event that nobody asked for"
    spent = sum((Fraction(cost) for _, cost in rows), Fraction(0))
    assert spent <= BUDGET, "overspent"
    ledger = Ledger(path)
    assert ledger.spent().epsilon == spent
    counts["ledgers"] += 1
    counts["events"] += len(recorded)
    counts["acknowledged"] += len(done)
    counts["recorded, killed before it was acknowledged"] += len(set(recorded) - done)
    counts["used up"] += spent > BUDGET - min(CHARGES)


def run(
    kills: int, processes: int, seed: int, *, spend: Charge = charge, progress: bool = False
) -> Counter[str]:
    """Run the whole experiment; raises AssertionError if anything is wrong."""
    rng, counts = random.Random(seed), Counter[str]()
    born = 0
    with tempfile.TemporaryDirectory() as folder:
        while counts["kills"] < kills:
            path = Path(folder) / f"budget-{counts['ledgers']}.db"
            workers: list[Worker] = []

            def start(path: Path = path, workers: list[Worker] = workers) -> Worker:
                nonlocal born
                born += 1
                workers.append(Worker(path, f"p{seed}.{born}", spend))
                return workers[-1]

            alive = [start() for _ in range(processes)]
            while alive:
                deadline = time.monotonic() + rng.uniform(0, 0.03)
                while alive and (rest := deadline - time.monotonic()) > 0:
                    for pipe in select.select([w.pipe for w in alive], [], [], rest)[0]:
                        one = next(w for w in alive if w.pipe == pipe)
                        if not one.listen():
                            code = one.end()
                            assert code == 0, (code, one.said[-300:])
                            alive.remove(one)
                if alive and counts["kills"] < kills:
                    victim = alive.pop(rng.randrange(len(alive)))
                    os.kill(victim.pid, signal.SIGKILL)
                    code = victim.end()
                    if code == -signal.SIGKILL:  # else it had just ended by itself
                        counts["kills"] += 1
                        last = victim.said.decode().splitlines()
                        waiting = bool(last) and last[-1].startswith("try")
                        counts["killed inside a charge"] += waiting
                        counts["killed while opening or creating"] += not last
                        alive.append(start())
            examine(path, workers, counts)
            if progress:
                print(f"{counts['kills']} kills, {counts['ledgers']} ledgers", file=sys.stderr)
    return counts


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--broken", choices=CONTROLS, help="a control: it must fail")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    start = time.monotonic()
    spend = CONTROLS.get(options.broken, charge)
    size = (options.kills, options.processes, options.seed)
    counts = run(*size, spend=spend, progress=not options.json)
    if options.json:
        print(json.dumps(counts))
        return
    for name, count in counts.items():
        print(f"{name:45} {count:6}")
    print("never overspent, never corrupted, no acknowledged event lost")
    print(f"{options.processes} processes, seed {options.seed}, {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
