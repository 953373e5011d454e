"""Kill processes that use the state of a stream, and open what is left under every name.

A process begins a stream, or takes it up, answers groups of rows as fast as it can, and
acknowledges each on a pipe. Beside it one process reads the public file all the time, and one
tries to use the state. The process gets ``kill -9``: at random instants (``--kills``); or before
and after each system call with which SQLite or the library changes a file, and in the midst of
each write, also while a state is made, and while one is taken up after a kill (``--matrix``).
Then the state is opened

- in place, in a folder that was moved, and as a copy of the folder;
- from ``private.db`` alone, and from both files without their journals: copied (also while the
  process runs), renamed, or by a second hard link, which is refused as long as there are two.

Each time it must hold all that was acknowledged, at most one group more, and exactly the state of
a process that was left alone (the draws have a seed). A file that was taken from its journal may
instead be refused as damaged, a copy whose two files do not fit as old, and nothing else.

    python benchmarks/kill_state.py --kills 2000
    python benchmarks/kill_state.py --matrix
"""

from __future__ import annotations

import _sqlite3
import argparse
import contextlib
import ctypes
import json
import os
import random
import select
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from littlestone import safe_io, store
from littlestone.classes import Thresholds
from littlestone.errors import StoreError
from littlestone.learners.online import journal
from littlestone.learners.online.algorithm import OnlineAlgorithm
from littlestone.learners.online.journal import DurableStream, Journal, open_stream, read_public
from littlestone.learners.online.plan import plan_online

ROWS, GROUP, SEED = 3200, 16, 7
AGES = Thresholds(1, 1000)
_RNG = np.random.default_rng(SEED)
X = _RNG.integers(1, 1001, ROWS)
INSIDE, Y = X > 0, (X > 321).astype(np.int8)
_PLAN = plan_online(AGES, epsilon=8, delta=1e-6, horizon=ROWS)


def opened(folder: Path) -> DurableStream:
    """Begin the stream in a folder, or take it up."""
    return open_stream(folder, OnlineAlgorithm(AGES, _PLAN), seed=SEED)


def answer(stream: DurableStream, groups: int = ROWS) -> Iterator[int]:
    """Answer groups of rows; yield the time after each."""
    for at in range(stream.state.time, min(ROWS, stream.state.time + groups * GROUP), GROUP):
        part = slice(at, at + GROUP)
        stream.answer(X[part], INSIDE[part], Y[part])
        yield stream.state.time


def documents(stream: DurableStream) -> str:
    """Return all that a state is, as a text."""
    return json.dumps([stream.state.public(), stream.state.private()])


def left_alone(folder: Path) -> dict[int, str]:
    """Return the state after each group of a process that nobody kills, by its time."""
    stream = opened(folder)
    found = {0: documents(stream)}
    found.update((time, documents(stream)) for time in answer(stream))
    stream.close()
    return found


# ---------------------------------------------------------------------- broken controls


def _log_beside(sql: sqlite3.Connection, durability: str) -> None:
    """Commit to a write-ahead log, as version 0.1.0 did."""
    sql.execute("PRAGMA journal_mode = WAL")
    sql.execute("PRAGMA synchronous = NORMAL")


def _no_journal(sql: sqlite3.Connection, durability: str) -> None:
    """Keep no journal on the disk: a kill leaves half a transaction."""
    sql.execute("PRAGMA journal_mode = MEMORY")
    sql.execute("PRAGMA synchronous = OFF")


def break_it(how: str) -> None:
    """Plant a broken control."""
    if how == "log":
        store._settle = _log_beside  # type: ignore[assignment]
    elif how == "memory":
        store._settle = _no_journal  # type: ignore[assignment]
    elif how == "sums":  # rows are in no digest
        journal._sum = lambda _: 0  # type: ignore[assignment]
    elif how == "links":
        safe_io.check_one_name = lambda *_: None


BROKEN = ("log", "memory", "sums", "links")


# ---------------------------------------------------------------------- what is left

WHOLE = ("in place", "folder moved", "folder copied")
APART = ("private.db copied", "private.db renamed", "private.db relinked", "both files copied")


def expect(problem: StoreError, *reasons: str) -> None:
    """Let a refusal pass that has one of the reasons."""
    if problem.reason not in reasons:
        raise AssertionError(f"{problem.reason}: {problem}")


def apart(folder: Path, way: str, other: Path) -> Path:
    """Give what is in a folder another name in one of the ways; return its folder."""
    if way == "in place":
        return folder
    if way == "folder moved":
        return folder.rename(other)
    if way == "folder copied":
        return Path(shutil.copytree(folder, other))
    other.mkdir(mode=0o700)
    there = other / "private.db"
    if way == "private.db renamed":
        (folder / "private.db").rename(there)
    elif way == "private.db relinked":
        os.link(folder / "private.db", there)
        for name in (folder, other):
            try:
                Journal.open(name).close()
            except StoreError as problem:
                expect(problem, "links")
            else:
                raise AssertionError("a state with two names was opened")
        (folder / "private.db").unlink()
    else:
        shutil.copy2(folder / "private.db", there)
        if way == "both files copied" and (folder / "public.db").exists():
            shutil.copy2(folder / "public.db", other / "public.db")
    return other


class Judge:
    """Opens what is left, and compares it with what was acknowledged."""

    def __init__(self, right: dict[int, str], counts: Counter[str]) -> None:
        self.right, self.counts = right, counts

    def look(self, folder: Path, way: str, known: int, *, live: bool = False) -> None:
        """Open a folder; ``known`` rows were acknowledged."""
        if not (folder / "private.db").exists():
            assert not known, "the state is gone"
            self.counts["there was no state yet"] += 1
            return
        self.counts[f"opened, {way}"] += 1
        try:
            stream = opened(folder)
        except StoreError as problem:
            allowed = ("damaged", "old") if live or way == "both files copied" else ("damaged",)
            if way in WHOLE or problem.reason not in allowed:
                raise AssertionError(f"{way}: {problem.reason}: {problem}") from None
            self.counts[f"refused as {problem.reason}, {way}"] += 1
            return
        try:
            now = stream.state.time
            assert now >= known, f"{way}: acknowledged rows are lost ({known} acknowledged, {now})"
            assert live or now <= known + GROUP, f"{way}: more than one group was not acknowledged"
            assert documents(stream) == self.right[now], f"{way}: another state than left alone"
            shown = [[p["rows"], p["hypothesis"]] for p in read_public(folder)["published"]]
            assert shown == json.loads(self.right[now])[0]["published"], "another public file"
        finally:
            stream.close()


# ---------------------------------------------------------------------- random instants


class Process:
    """A forked process; what it says comes on a pipe."""

    def __init__(self, act: Callable[[Callable[[int], None]], None]) -> None:
        self.pipe, write = os.pipe()
        self.said = b""
        self.pid = os.fork()
        if self.pid == 0:
            try:
                act(lambda number: os.write(write, f"{number}\n".encode()) and None)
                os._exit(0)
            except BaseException as problem:
                os.write(write, f"failed {problem!r}\n".encode())
                os._exit(1)
        os.close(write)

    def listen(self, seconds: float) -> int:
        """Read for some time, or until it ends; return the last number that was said."""
        end = time.monotonic() + seconds
        while select.select([self.pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            part = os.read(self.pipe, 65536)
            self.said += part
            if not part:
                break
        lines = self.said.decode().split("\n")[:-1]
        assert not any(line.startswith("failed") for line in lines), lines[-1]
        return int(lines[-1]) if lines else 0

    def kill(self) -> tuple[bool, int]:
        """Kill it; return whether that ended it, and the last number that was said."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        last = self.listen(1)
        os.close(self.pipe)
        return code == -signal.SIGKILL, last


def work(folder: Path, say: Callable[[int], None]) -> None:
    """Take the stream up and go on."""
    while True:  # the rival may have the state for a moment
        try:
            stream = opened(folder)
            break
        except StoreError as problem:
            if problem.reason != "locked":
                raise
    for now in answer(stream):
        say(now)
    stream.close()


def read_on(folder: Path, say: Callable[[int], None]) -> None:
    """Read the public file for ever: it never shows less than before."""
    before = 0
    while True:
        try:
            now = int(read_public(folder)["rows"])
        except StoreError as problem:
            expect(problem, "missing", "folder")
            continue
        assert now >= before, "the public file went back"
        before = now


def try_on(folder: Path, say: Callable[[int], None]) -> None:
    """Try to use the state for ever."""
    while True:
        time.sleep(0.002)
        try:
            Journal.open(folder).close()
        except StoreError as problem:
            expect(problem, "locked", "missing", "folder")


def run(kills: int, seed: int, *, progress: bool = False) -> Counter[str]:
    """Kill at random instants; raises AssertionError if anything is wrong."""
    rng, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        folder, other = Path(name) / "state", Path(name) / "other"
        judge = Judge(left_alone(Path(name) / "alone"), counts)
        known = 0
        while counts["kills"] < kills:
            one, *beside = [Process(partial(act, folder)) for act in (work, read_on, try_on)]
            try:
                before = max(known, one.listen(rng.uniform(0, 0.05)))
                if (folder / "private.db").exists():
                    way = rng.choice(["private.db copied", "both files copied"])
                    judge.look(apart(folder, way, other), "copied while it runs", before, live=True)
                    shutil.rmtree(other)
            finally:
                killed, last = one.kill()
                ended = [process.kill()[0] for process in beside]
            assert all(ended), "a process beside ended by itself"
            known = max(known, last)
            counts["kills"] += killed
            way = rng.choice(WHOLE + APART)
            if (folder / "private.db").exists():
                judge.look(apart(folder, way, other), way, known)
            if known >= ROWS or way not in ("in place", "folder copied"):
                shutil.rmtree(folder, ignore_errors=True)
                known = 0
                counts["streams"] += 1
            shutil.rmtree(other, ignore_errors=True)
            if progress and killed and counts["kills"] % 100 == 0:
                print(f"{counts['kills']} kills, {counts['streams']} streams", file=sys.stderr)
    return counts


# ---------------------------------------------------------------------- every system call

#: What changes a file: SQLite's own calls (its test interface replaces them), and the library's.
CALLS = {
    "open": (ctypes.c_char_p, ctypes.c_int, ctypes.c_int),
    "pwrite": (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    "pwrite64": (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64),
    "ftruncate": (ctypes.c_int, ctypes.c_int64),
    "unlink": (ctypes.c_char_p,),
}
OURS = ("mkdir", "open", "link", "unlink", "fsync")


class _Vfs(ctypes.Structure):
    """The beginning of SQLite's ``sqlite3_vfs``, version 3."""

    _fields_ = [
        ("iVersion", ctypes.c_int),
        ("szOsFile", ctypes.c_int),
        ("mxPathname", ctypes.c_int),
        *((name, ctypes.c_void_p) for name in ("pNext", "zName", "pAppData", "xOpen", "xDelete")),
        *((name, ctypes.c_void_p) for name in ("xAccess", "xFullPathname", "xDlOpen", "xDlError")),
        *((name, ctypes.c_void_p) for name in ("xDlSym", "xDlClose", "xRandomness", "xSleep")),
        *((name, ctypes.c_void_p) for name in ("xCurrentTime", "xGetLastError", "xInt64")),
        (
            "xSetSystemCall",
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
        ),
        (
            "xGetSystemCall",
            ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p),
        ),
    ]


class Watched:
    """All calls of this process that change a file: counted, and one of them is its last.

    Parameters
    ----------
    call : int
        Number of the last call, from 0; none if negative.
    size : int or None
        How many bytes a write has written then; None: before the call; -1: after it.
    """

    def __init__(self, call: int = -1, size: int | None = None) -> None:
        self.call, self.size, self.seen = call, size, list[tuple[str, int]]()
        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        self._vfs = library.sqlite3_vfs_find(None)
        self._kept: list[Any] = []

    def start(self) -> None:
        """Take the calls over."""
        for name, types in CALLS.items():
            real = self._vfs.contents.xGetSystemCall(self._vfs, name.encode())
            if real:
                kind = ctypes.CFUNCTYPE(ctypes.c_int64, *types, use_errno=True)
                mine = kind(partial(self._made, name, kind(real)))
                self._kept.append(mine)
                pointer = ctypes.cast(mine, ctypes.c_void_p)
                assert not self._vfs.contents.xSetSystemCall(self._vfs, name.encode(), pointer)
        safe_io.os = self  # type: ignore[attr-defined, assignment]

    def stop(self) -> None:
        """Give them back."""
        self._vfs.contents.xSetSystemCall(self._vfs, None, None)
        safe_io.os = os  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return partial(self._made, name, real) if name in OURS else real

    def _made(self, name: str, real: Callable[..., Any], *args: Any) -> Any:
        if name == "open" and not args[1] & (os.O_CREAT | os.O_DIRECTORY):
            return real(*args)
        size = args[2] if name.startswith("pwrite") else 0
        self.seen.append((name, size))
        if len(self.seen) - 1 != self.call:
            return real(*args)
        if self.size is not None:
            real(*(args if self.size < 0 else (*args[:2], self.size, *args[3:])))
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("unreachable")


def dying(act: Callable[[], object], watched: Watched | None) -> int:
    """Run something in a forked process that is killed at that point; return how it ended."""
    pid = os.fork()
    if pid == 0:
        try:
            if watched is not None:
                watched.start()
            act()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def points(act: Callable[[], object]) -> list[tuple[int, int | None]]:
    """Return all points at which a process that runs something can be killed."""
    watched = Watched()
    watched.start()
    try:
        act()
    finally:
        watched.stop()
    found: list[tuple[int, int | None]] = []
    for k, (_, size) in enumerate(watched.seen):
        parts = sorted({1, size // 3, size - 1}) if size > 1 else []
        found += [(k, None), *((k, part) for part in parts), (k, -1)]
    return found


def matrix(top: Path, counts: Counter[str], *, every: int = 1) -> None:
    """Kill at every point of a beginning, a group that publishes, and a recovery."""
    folder, other, kept = top / "state", top / "other", top / "kept"
    judge = Judge(left_alone(top / "alone"), counts)
    versions = {time: len(json.loads(text)[0]["published"]) for time, text in judge.right.items()}
    times = sorted(versions)
    loud = next(
        i for i, time in enumerate(times) if i > 2 and versions[time] > versions[times[i - 1]]
    )

    def go_on() -> None:
        stream = opened(folder)
        for _ in answer(stream, 1):
            pass
        stream.close()

    def fresh(before: Path | None) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        if before is not None:
            shutil.copytree(before, folder)

    shutil.rmtree(kept, ignore_errors=True)
    stream = opened(kept)
    for _ in answer(stream, loud - 1):
        pass
    stream.close()
    fresh(kept)
    calls = points(go_on)
    fresh(kept)
    # killed when its changes are in the file, and its journal is not void: the next one rolls back
    watched = Watched()
    watched.start()
    go_on()
    watched.stop()
    void = [k for k, (_, size) in enumerate(watched.seen) if size == 28]  # a journal's first bytes
    last = void[-2] if void else len(watched.seen) // 2  # of private.db; then comes public.db
    hot = top / "hot"
    fresh(kept)
    assert dying(go_on, Watched(last, None)) == -signal.SIGKILL
    folder.rename(hot)
    for name, before, known, where in (
        ("beginning", None, 0, None),
        ("group", kept, times[loud - 1], calls),
        ("recovery", hot, times[loud - 1], None),
    ):
        fresh(before)
        for call, size in (where or points(go_on))[::every]:
            fresh(before)
            assert dying(go_on, Watched(call, size)) == -signal.SIGKILL
            counts["kills"] += 1
            counts[f"killed in a {name}"] += 1
            left = Path(shutil.copytree(folder, top / "left")) if folder.exists() else None
            for way in WHOLE + APART:
                fresh(left)
                if (folder / "private.db").exists():
                    judge.look(apart(folder, way, other), way, known)
                shutil.rmtree(other, ignore_errors=True)
            if left is not None:
                shutil.rmtree(left)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--broken", choices=BROKEN, default="", help="a control: it must fail")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--matrix", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="of the matrix: one in so many")
    options = parser.parse_args()
    start = time.monotonic()
    break_it(options.broken)
    if options.matrix:
        counts = Counter[str]()
        with tempfile.TemporaryDirectory() as folder:
            matrix(Path(folder), counts, every=options.every)
    else:
        counts = run(options.kills, options.seed, progress=not options.json)
    if options.json:
        print(json.dumps(counts))
        return
    for name, count in sorted(counts.items()):
        print(f"{name:45} {count:6,}")
    print("no acknowledged row lost, no state but that of a process that was left alone")
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
