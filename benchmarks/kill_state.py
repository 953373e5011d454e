"""Kill processes that use the state of a stream, and open what is left under every name.

A process begins a stream, or takes it up, answers groups of rows as fast as it can, and
acknowledges each on a pipe. Beside it one process reads the public file all the time, and one
tries to use the state. The process gets ``kill -9``: at random instants (``--kills``); or before
and after each system call with which the library changes a file, and in the midst of each write,
also while a state is made, while its files are written anew, and while one is taken up after a kill
(``--matrix``). Then the state is opened

- in place, in a folder that was moved, and as a copy of the folder;
- from ``private.db`` alone, and from both files: copied (also while the process runs), renamed, or
  by a second hard link, which is refused as long as there are two.

Each time it must hold all that was acknowledged, at most one group more, and exactly the state of
a process that was left alone (the draws have a seed). A copy that was taken while the process runs
may be refused as old, if its two files do not fit, or as damaged, if its file was replaced.

    python benchmarks/kill_state.py --kills 2000
    python benchmarks/kill_state.py --matrix
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from littlestone import append_log, safe_io
from littlestone.append_log import AppendLog
from littlestone.classes import Thresholds
from littlestone.errors import StoreError
from littlestone.learners.online import journal
from littlestone.learners.online.algorithm import OnlineAlgorithm
from littlestone.learners.online.journal import (
    DurableStream,
    Journal,
    open_stream,
    read_public,
)
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


def _later(self: Journal, state: Any, **answers: Any) -> None:
    """Acknowledge now, and save every third time."""
    if state.time // GROUP % 3 == 0:
        _SAVE(self, state, **answers)


def _in_place(self: AppendLog, line: str, *, erase: bool = False) -> None:
    """Write a file anew where it is: a kill leaves a part of it."""
    content, self._digest = append_log._written(self.kind, self.header, line)
    append_log.os.ftruncate(self._handle, 0)
    append_log._write(self._handle, content, 0)
    self._end = len(content)


def _public_first(self: Journal, state: Any, **answers: Any) -> None:
    """Publish before the draws are kept."""
    new = journal.publications(state, self._versions)
    self._public.add(new, state)
    add, self._public.add = self._public.add, lambda *_: None  # type: ignore[method-assign]
    _SAVE(self, state, **answers)
    self._public.add = add  # type: ignore[method-assign]


_SAVE = Journal.save


def break_it(how: str) -> None:
    """Plant a broken control."""
    if how == "later":
        Journal.save = _later  # type: ignore[method-assign, assignment]
    elif how == "in place":
        AppendLog.rewrite = _in_place  # type: ignore[method-assign]
    elif how == "public first":
        Journal.save = _public_first  # type: ignore[method-assign, assignment]
    elif how == "links":
        safe_io.check_one_name = append_log.check_one_name = lambda *_: None


BROKEN = ("later", "in place", "public first", "links")


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

    def look(
        self, folder: Path, way: str, known: int, *, live: bool = False, silent: int = 1
    ) -> None:
        """Open a folder; ``known`` rows were acknowledged."""
        if not (folder / "private.db").exists():
            assert not known, "the state is gone"
            self.counts["there was no state yet"] += 1
            return
        self.counts[f"opened, {way}"] += 1
        try:
            stream = opened(folder)
        except StoreError as problem:
            if not live or problem.reason not in ("damaged", "old"):
                raise AssertionError(f"{way}: {problem.reason}: {problem}") from None
            self.counts[f"refused as {problem.reason}, {way}"] += 1
            return
        try:
            now = stream.state.time
            assert now >= known, f"{way}: acknowledged rows are lost ({known} acknowledged, {now})"
            assert live or now <= known + silent * GROUP, f"{way}: more than one group was not said"
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
        known = silent = 0  # the last time that was said, and kills since then
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
            silent = 1 if last > known else silent + 1
            known = max(known, last)
            counts["kills"] += killed
            way = rng.choice(WHOLE + APART)
            if (folder / "private.db").exists():
                judge.look(apart(folder, way, other), way, known, silent=silent)
            if known >= ROWS or way not in ("in place", "folder copied"):
                shutil.rmtree(folder, ignore_errors=True)
                known = silent = 0
                counts["streams"] += 1
            shutil.rmtree(other, ignore_errors=True)
            if progress and killed and counts["kills"] % 100 == 0:
                print(f"{counts['kills']} kills, {counts['streams']} streams", file=sys.stderr)
    return counts


# ---------------------------------------------------------------------- every system call

#: What changes a file.
CALLS = ("mkdir", "open", "ftruncate", "pwrite", "fsync", "chmod", "link", "rename", "unlink")


class Watched:
    """All calls of the library that change a file: counted, and one of them is its last.

    Parameters
    ----------
    call : int
        Number of the last call, from 0; none if negative.
    size : int or None
        How many bytes a write has written then; None: before the call; -1: after it.
    """

    def __init__(self, call: int = -1, size: int | None = None) -> None:
        self.call, self.size, self.seen = call, size, list[tuple[str, int]]()

    def start(self) -> None:
        """Take the calls over."""
        safe_io.os = append_log.os = self  # type: ignore[attr-defined, assignment]

    def stop(self) -> None:
        """Give them back."""
        safe_io.os = append_log.os = os  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return partial(self._made, name, real) if name in CALLS else real

    def _made(self, name: str, real: Callable[..., Any], *args: Any) -> Any:
        if name == "open" and not args[1] & os.O_CREAT:
            return real(*args)
        self.seen.append((name, len(args[1]) if name == "pwrite" else 0))
        if len(self.seen) - 1 != self.call:
            return real(*args)
        with contextlib.suppress(FileNotFoundError):
            if self.size is not None:
                real(*(args if self.size < 0 else (args[0], args[1][: self.size], args[2])))
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
    """Kill at every point of a beginning, a group that publishes, a rewriting, and a recovery."""
    folder, other, kept, hot = (top / name for name in ("state", "other", "kept", "hot"))
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

    def write_anew() -> None:
        grown, journal._GROWN = journal._GROWN, 0
        go_on()
        journal._GROWN = grown

    def fresh(before: Path | None) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        if before is not None:
            shutil.copytree(before, folder)

    stream = opened(kept)
    for _ in answer(stream, loud - 1):
        pass
    stream.close()
    # killed between the two files: the next one brings the public file up to date
    fresh(kept)
    calls = points(go_on)
    between = max(call for call, size in calls if size not in (None, -1))  # its last write
    fresh(kept)
    assert dying(go_on, Watched(between, None)) == -signal.SIGKILL
    folder.rename(hot)
    for name, act, before, known in (
        ("beginning", go_on, None, 0),
        ("group", go_on, kept, times[loud - 1]),
        ("rewriting", write_anew, kept, times[loud - 1]),
        ("recovery", go_on, hot, times[loud]),  # saved, and not acknowledged
    ):
        fresh(before)
        for call, size in points(act)[::every]:
            fresh(before)
            assert dying(act, Watched(call, size)) == -signal.SIGKILL
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
