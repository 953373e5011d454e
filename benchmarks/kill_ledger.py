"""Kill processes that spend from one ledger, and check the ledger after each.

Four processes charge one budget as fast as they can. At random instants one of them gets
``kill -9`` and a new one takes its place; when the budget is used up, the next ledger begins
(the processes race to create it). A process acknowledges an event on a pipe, after ``charge`` has
returned. A fifth process reads the ledger all the time. After each kill the file alone is copied
while the others go on: the copy must open, with every event that was acknowledged before. When a
ledger is used up it is renamed, or linked and unlinked, and read again, also without the library's
code. It must satisfy:

- never overspent: the exact sum of all events is at most the budget;
- never corrupted: the chain of checksums, and the library's own checks;
- nothing lost: each acknowledged event is there, once, under every name;
- nothing invented: each event is acknowledged, or was in flight when its process was killed.

``--matrix`` enumerates instead: it kills a charge and a creation before and after each system call
of theirs, and after each byte that they write.

    python benchmarks/kill_ledger.py --kills 2000
    python benchmarks/kill_ledger.py --matrix
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import os
import random
import select
import shutil
import signal
import stat
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

from littlestone import append_log, safe_io
from littlestone.append_log import AppendLog
from littlestone.errors import BudgetError, StoreError
from littlestone.privacy import Event, Ledger, Pure
from littlestone.privacy.ledger import KIND, write_line

Charge = Callable[[Ledger, Fraction, str], None]
BUDGET = Fraction(5)
CHARGES = [Fraction(1, 7), Fraction(1, 10), Fraction(1, 3), Fraction(1, 100)]


def charge(ledger: Ledger, cost: Fraction, label: str) -> None:
    """Spend as the library does."""
    ledger.charge(Pure(cost), what=label)


def charge_in_two_steps(ledger: Ledger, cost: Fraction, label: str) -> None:
    """Look first, then write: between the two somebody else may spend (a broken control)."""
    ledger.check(Pure(cost))
    with AppendLog.opened(ledger.path, KIND, write=True) as log:
        event = Event(len(log.lines) + 1, "2026-01-01", label, Pure(cost), "", cost, Fraction(0))
        log.append(write_line(event.to_dict()))


LATER: list[tuple[Ledger, Fraction, str]] = []


def charge_later(ledger: Ledger, cost: Fraction, label: str) -> None:
    """Acknowledge now and write soon: a kill loses what was acknowledged (a broken control)."""
    LATER.append((ledger, cost, label))
    if len(LATER) > 2:
        while LATER:
            charge(*LATER.pop())


def charge_beside(ledger: Ledger, cost: Fraction, label: str) -> None:
    """Write to a second file first, and into the ledger at every third charge (a broken control).

    In place nothing is ever lost: whoever charges next reads the second file too. A copy of the
    ledger alone forgets, as one of SQLite without its log does.
    """
    beside = ledger.path.with_suffix(".beside")
    with beside.open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(f"{cost} {label}\n")
        file.flush()
        if int(label.rpartition(".")[2]) % 3 == 2:
            file.seek(0)
            lines = file.read().split()
            for one, what in zip(lines[::2], lines[1::2], strict=True):
                ledger.charge(Pure(Fraction(one)), what=what, token=what)
            file.truncate(0)


CONTROLS = {"two-steps": charge_in_two_steps, "later": charge_later, "beside": charge_beside}


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


def reader(path: Path) -> int:
    """Fork a process that reads the ledger all the time, and return its number."""
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            while os.getppid() == parent:
                try:
                    Ledger(path).spent()
                except StoreError as problem:
                    if problem.reason not in ("missing", "links"):
                        os._exit(1)
        finally:
            os._exit(1)
    return pid


def heard(workers: list[Worker]) -> tuple[set[str], set[str]]:
    """Return which events were tried, and which acknowledged, as far as it was heard."""
    tried: set[str] = set()
    done: set[str] = set()
    for one in workers:
        for line in one.said.decode().splitlines(keepends=True):
            word, _, label = line.strip().partition(" ")
            if word == "failed":
                raise AssertionError(line)
            if line.endswith("\n"):
                (tried if word == "try" else done if word == "done" else set()).add(label)
    return tried, done


def plainly(path: Path) -> list[tuple[str, Fraction]]:
    """Return label and cost of all events, without the library's code."""
    digest, events = "", []
    lines = path.read_bytes().decode().split("\n")
    for i, line in enumerate(lines):
        digest = hashlib.sha256(f"{digest} {line[17:]}".encode()).hexdigest()[:16]
        if i == len(lines) - 1 and line[:16] != digest:
            break  # cut short, or nothing
        assert line[:16] == digest, "corrupted"
        if i:
            entry = json.loads(line[17:])
            events.append((entry["what"], Fraction(entry["cost"])))
    return events


def expect(problem: StoreError, *reasons: str) -> None:
    """Let a refusal pass that has one of the reasons."""
    if problem.reason not in reasons:
        raise AssertionError(f"{problem.reason}: {problem}")


def check_copy(path: Path, workers: list[Worker], counts: Counter[str]) -> None:
    """Copy the file alone while others write: what was acknowledged before must be in it."""
    if not path.exists():
        counts["killed before there was a ledger"] += 1
        return
    done = heard(workers)[1]
    copy = Path(shutil.copy2(path, path.with_suffix(".copy")))
    if path.stat().st_gid != copy.stat().st_gid:
        os.chown(copy, -1, path.stat().st_gid)
    found = {event.what for event in Ledger(copy).history()}
    assert done <= found, "an acknowledged event was lost in a copy"
    counts["copies of the file alone"] += 1


def examine(path: Path, workers: list[Worker], counts: Counter[str]) -> None:
    """Check one ledger, under another name, against all that was said about it."""
    moved = path.with_suffix(".moved")
    if counts["ledgers"] % 2:
        path.rename(moved)
    else:
        os.link(path, moved)
        for name in (path, moved):
            try:
                Ledger(name)
            except StoreError as problem:
                expect(problem, "links")
            else:
                raise AssertionError("a ledger with two names was opened")
        path.unlink()
    tried, done = heard(workers)
    rows = plainly(moved)
    recorded = [what for what, _ in rows]
    assert len(set(recorded)) == len(recorded), "an event was recorded twice"
    assert done <= set(recorded), "an acknowledged event was lost"
    assert set(recorded) <= tried, "an event that nobody asked for"
    spent = sum((cost for _, cost in rows), Fraction(0))
    assert spent <= BUDGET, "overspent"
    ledger = Ledger(moved)
    assert ledger.spent().epsilon == spent
    counts["ledgers"] += 1
    counts["events"] += len(recorded)
    counts["acknowledged"] += len(done)
    counts["recorded, killed before it was acknowledged"] += len(set(recorded) - done)
    counts["used up"] += spent > BUDGET - min(CHARGES)


def run(
    kills: int,
    processes: int,
    seed: int,
    *,
    spend: Charge = charge,
    progress: bool = False,
) -> Counter[str]:
    """Run the whole experiment; raises AssertionError if anything is wrong."""
    rng, counts = random.Random(seed), Counter[str]()
    born = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        while counts["kills"] < kills:
            path = Path(folder) / f"budget-{counts['ledgers']}.db"
            workers: list[Worker] = []

            def start(path: Path = path, workers: list[Worker] = workers) -> Worker:
                nonlocal born
                born += 1
                workers.append(Worker(path, f"p{seed}.{born}", spend))
                return workers[-1]

            alive = [start() for _ in range(processes)]
            looking = reader(path)
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
                        check_copy(path, workers, counts)
                        alive.append(start())
            os.kill(looking, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(os.waitpid(looking, 0)[1])
            assert code == -signal.SIGKILL, "a reader met a damaged ledger"
            examine(path, workers, counts)
            if progress:
                print(f"{counts['kills']} kills, {counts['ledgers']} ledgers", file=sys.stderr)
    return counts


# ---------------------------------------------------------------------- every system call

CALLS = (
    "open",
    "lstat",
    "fstat",
    "read",
    "ftruncate",
    "pwrite",
    "fsync",
    "chown",
    "chmod",
    "link",
    "unlink",
    "close",
)


class Dying:
    """The module ``os`` of the library's files: the process is killed at a chosen call.

    Parameters
    ----------
    call : int
        Number of the call, of all kinds, from 0.
    bytes : int or None
        How many bytes a ``pwrite`` has written then; None: all (or what another call does).
    after : bool
        Whether the call has been made.
    """

    def __init__(self, call: int, size: int | None, *, after: bool) -> None:
        self.call, self.size, self.after, self.count = call, size, after, -1
        self.seen: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CALLS:
            return real

        def called(*args: Any) -> Any:
            self.count += 1
            self.seen.append((name, len(args[1]) if name == "pwrite" else 0))
            if self.count != self.call:
                return real(*args)
            if self.after:
                if name == "pwrite" and self.size is not None:
                    args = (args[0], args[1][: self.size], *args[2:])
                real(*args)
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError("unreachable")

        return called


def dying(act: Callable[[], object], dying: Dying | None) -> int:
    """Run something in a forked process that is killed at that point; return how it ended."""
    pid = os.fork()
    if pid == 0:
        try:
            if dying is not None:
                append_log.os = safe_io.os = dying  # type: ignore[attr-defined, assignment]
            act()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def points(act: Callable[[], object]) -> list[tuple[int, int | None, bool]]:
    """Return all points at which a process that runs something can be killed."""
    watcher = Dying(-2, None, after=False)
    append_log.os = safe_io.os = watcher  # type: ignore[attr-defined, assignment]
    try:
        act()
    finally:
        append_log.os = safe_io.os = os  # type: ignore[attr-defined]
    out: list[tuple[int, int | None, bool]] = []
    for k, (name, size) in enumerate(watcher.seen):
        out += [(k, None, False), *((k, part, True) for part in range(size)), (k, None, True)]
        assert name in CALLS
    return out


def matrix(folder: Path, counts: Counter[str], *, every: int = 1) -> None:
    """Kill charges and creations at every point; open what is left under every name."""
    base = folder / "base.db"
    ledger = Ledger(base, epsilon=BUDGET, data="clinic")
    for k in range(3):
        ledger.charge(Pure("1/10"), what=f"before {k}")
    states = {"whole": base.read_bytes(), "torn": base.read_bytes() + b"0123456789abcdef {"}
    path = folder / "now.db"

    def spend() -> object:
        return Ledger(path).charge(Pure("1/7"), what="now", token="stream")

    def begin() -> object:
        return Ledger(path, epsilon=BUDGET)

    def fresh(content: bytes | None) -> None:
        for old in (*folder.glob("now.db*"), *folder.glob(".now.db*")):
            old.unlink()
        if content is not None:
            path.write_bytes(content)
            path.chmod(0o600)

    for act, name, content in (
        (spend, "charge", states["whole"]),
        (spend, "charge", states["torn"]),
        (begin, "creation", None),
    ):
        fresh(content)
        found = points(act)
        for call, size, after in found[::every]:
            for way in ("in place", "renamed", "linked", "copied"):
                fresh(content)
                code = dying(act, Dying(call, size, after=after))
                assert code == -signal.SIGKILL, code
                counts["kills"] += 1
                counts[f"killed in a {name}, then {way}"] += 1
                if not path.exists():
                    assert name == "creation"
                    continue
                assert stat.S_IMODE(path.stat().st_mode) == 0o600
                where = renamed(path, way)
                check_left(where, name)
    fresh(None)


def renamed(path: Path, way: str) -> Path:
    """Give a file another name in one of the ways."""
    where = path.with_suffix(".db2")
    if way == "in place":
        return path
    if way == "renamed":
        return path.rename(where)
    if way == "copied":
        return Path(shutil.copy2(path, where))
    os.link(path, where)
    try:
        Ledger(where)
    except StoreError as problem:
        expect(problem, "links")
    else:
        raise AssertionError("a ledger with two names was opened")
    path.unlink()
    return where


def check_left(where: Path, name: str) -> None:
    """Check what a kill has left: all that was acknowledged, and at most the one in flight."""
    ledger = Ledger(where)
    labels = [event.what for event in ledger.history()]
    known = [] if name == "creation" else [f"before {k}" for k in range(3)]
    assert labels in (known, [*known, "now"]), labels
    # whoever was killed between the charge and the draw charges again, once
    ledger.charge(Pure("1/7"), what="now", token="stream")
    assert [event.what for event in Ledger(where).history()] == [*known, "now"]
    assert [what for what, _ in plainly(where)] == [*known, "now"]


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--broken", choices=CONTROLS, help="a control: it must fail")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--matrix", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="of the matrix: one in so many")
    options = parser.parse_args()
    start = time.monotonic()
    if options.matrix:
        found = Counter[str]()
        with tempfile.TemporaryDirectory() as folder:
            matrix(Path(folder), found, every=options.every)
        print(json.dumps(found))
        return
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
