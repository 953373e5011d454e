"""Kill a stream again and again, and compare it with one that was left alone.

A process runs ``littlestone stream`` on a file of rows, in small groups; at a random instant it
gets ``kill -9``, and the next one takes the stream up with the same command line (``--resume
from-start``). With a seed, the predictions and the public record must in the end be those of one
uninterrupted run, byte for byte. (A life sleeps a little between its commits and its answers, so
that many kills fall there.) After each kill the state is read again without the stream's own code,
and must satisfy:

- no acknowledged row is lost: the state has learned at least the rows whose answers were written;
- no row is counted twice: it has learned at most one group more than that;
- what was published stays published, word for word, and is never drawn again;
- the budget only grows, and never beyond the plan;
- with ``--users``: as many rows of each user count as were learned, at most four.

Every fourth life first gets a command line without ``--resume``, which must be refused; every
fifth has a rival that tries to use the state at the same time, and must be refused too.

    python benchmarks/kill_stream.py --kills 200
    python benchmarks/kill_stream.py --kills 200 --users
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import littlestone.data.read  # noqa: F401 - all is loaded before a life is forked
from littlestone.classes import parse_class
from littlestone.cli.main import main as command
from littlestone.cli.stream import Answers
from littlestone.learners.online.journal import DurableStream, Journal, PublicRecord
from littlestone.learners.online.plan import plan_online
from littlestone.learners.online.state import OnlineState

SPEC = "thresholds(1, 2**32)"
OPTIONS = ["--class", SPEC, "--epsilon", "4", "--delta", "1e-6", "--horizon", "100000"]
GROUP = 64
EACH = 4  # rows of each user that count
OF_USERS = ["--user", "person", "--records-per-user", str(EACH)]


def batches(*, users: bool) -> int:
    """Return the planned number of updates."""
    return plan_online(
        parse_class(SPEC), epsilon=4, delta="1e-6", horizon=100_000,
        records_per_user=EACH if users else None,
    ).batches  # fmt: skip


def person(row: int, n: int) -> int:
    """Return whose row it is: each has five rows, and four of them count."""
    return row % (n // 5)


def write_rows(path: Path, n: int, seed: int) -> None:
    """Write rows of a threshold and of users, with some cells that are no points."""
    rng = np.random.default_rng(seed)
    points = rng.integers(1, 2**32, n)
    lines = [f"{x},{int(x > 1_234_567_890)}" for x in points.tolist()]
    for at in rng.integers(0, n, n // 100).tolist():
        lines[at] = "none,1"
    rows = [f"{line},{person(at, n)}\n" for at, line in enumerate(lines)]
    path.write_text("x,y,person\n" + "".join(rows))


class Life:
    """A forked process that runs one command line; its output is read as it comes."""

    def __init__(self, tokens: list[str], *, slow: int = 0, broken: str = "") -> None:
        read, write = os.pipe()
        errors, self._errors = os.pipe()
        self.said, self.pipe, self.started = b"", read, time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.dup2(write, 1)
                os.dup2(self._errors, 2)
                # new objects: those of the parent may be files, which seek
                sys.stdout = os.fdopen(1, "w", closefd=False)
                sys.stderr = os.fdopen(2, "w", 1, closefd=False)
                if slow:  # a control sleeps so long that nearly every kill finds it asleep
                    _slow_down(random.Random(slow), 0.01 if broken else 0.001)
                if broken:
                    BROKEN[broken]()
                code = command(["stream", *tokens])
            finally:
                os._exit(code)
        os.close(write)
        os.close(self._errors)
        self._errors = errors

    def listen(self, seconds: float) -> None:
        """Read what is written within some time, or until the process ends."""
        import select

        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            if select.select([self.pipe], [], [], rest)[0]:
                part = os.read(self.pipe, 65536)
                self.said += part
                if not part:
                    return

    def watch(self, size: int) -> None:
        """Wait until so much was written, or until the process ends."""
        while True:
            self.listen(0.001)
            ended = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is not None or len(self.said) >= size:
                return

    def end(self) -> tuple[int, bytes]:
        """Wait, and return how the process ended and what it said on standard error."""
        while part := os.read(self.pipe, 65536):
            self.said += part
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        errors = b""
        while part := os.read(self._errors, 65536):
            errors += part
        os.close(self.pipe)
        os.close(self._errors)
        return code, errors


def _slow_down(rng: random.Random, most: float) -> None:
    """Sleep at the narrow places: between the two files, and between them and the answers."""
    add, write = PublicRecord.add, Answers.write

    def slow_add(self: PublicRecord, *arguments: object) -> None:
        time.sleep(rng.uniform(0, most))
        add(self, *arguments)  # type: ignore[arg-type]

    def slow_write(self: Answers, *arguments: object) -> None:
        time.sleep(rng.uniform(0, most))
        write(self, *arguments)  # type: ignore[arg-type]

    PublicRecord.add, Answers.write = slow_add, slow_write  # type: ignore[method-assign]


def _answer_early() -> None:
    """Hand answers out before they are on the disk (a broken control)."""
    good = DurableStream.answer

    def answer(self: DurableStream, *group: object) -> object:
        save = type(self.journal).save
        kept: list[tuple[object, ...]] = []
        self.journal.save = lambda *a, **k: kept.append((a, k))  # type: ignore[method-assign]
        LATER.append((self, save, kept))
        labels = good(self, *group)  # type: ignore[arg-type]
        del self.journal.save  # type: ignore[method-assign]
        if len(LATER) % 4 == 0:
            save(self.journal, self.state)
        return labels

    DurableStream.answer = answer  # type: ignore[method-assign]


def _forget_answers() -> None:
    """Do not keep the answers of the last group (a broken control)."""
    good = Journal.save

    def save(self: Journal, state: OnlineState, **_answers: object) -> None:
        good(self, state)

    Journal.save = save  # type: ignore[method-assign]


LATER: list[object] = []
BROKEN = {"early": _answer_early, "forget": _forget_answers}


def steps(state: Path) -> list[Any]:
    """Return the steps of a state, without the library's code; one that is torn is none."""
    lines = (state / "private.db").read_bytes().split(b"\n")[1:-1]
    return [json.loads(line[17:]) for line in lines]


def peek(state: Path) -> tuple[int, int, list[Any]]:
    """Return rows, batches and hypotheses of a state."""
    known = steps(state)
    if not known:
        return 0, 0, []
    public = known[-1]["public"]
    published = [rule for step in known for rule in step["published"]]
    return public["time"], public["batches"], published


def counted(state: Path) -> tuple[bool, dict[str, int]]:
    """Return whether a state learns nothing more, and how many rows of each user count."""
    known, given = steps(state), dict[str, int]()
    for step in known:
        given |= step["contributions"]
    return known[-1]["public"]["stopped"], given


def collect(said: dict[int, str], output: bytes) -> None:
    """Add the whole lines of one life; a line that comes again must say the same."""
    for line in output.decode().split("\n")[:-1]:
        if line != "t,prediction":
            t, label = line.split(",")
            assert said.setdefault(int(t), label) == label, f"row {t} was answered twice"


def run(kills: int, n: int, seed: int, *, most: int = 50, **options: Any) -> Counter[str]:
    """Kill streams until so many kills found their process alive.

    On a fast machine a stream can be done before its last kill comes: then there is another one,
    with the next seed. Raises AssertionError if anything is wrong.
    """
    total = Counter[str]()
    for stream in range(most):
        total["streams"] += 1
        total += run_stream(kills - total["kills"], n, seed + stream, **options)
        if total["kills"] >= kills:
            return total
    raise AssertionError(f"no time to kill: {total['kills']} kills in {most} streams")


def run_stream(
    kills: int, n: int, seed: int, *, broken: str = "", progress: bool = False, users: bool = False
) -> Counter[str]:
    """Kill one stream at most so many times, until it is done, and compare it."""
    rng, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        rows, state = Path("rows.csv"), Path("state")
        write_rows(rows, n, seed)
        common = [*OPTIONS, "--seed", str(seed), "--quiet", *(OF_USERS if users else [])]
        most = batches(users=users)
        alone = Life([str(rows), "--state", "alone", "--out", "alone.csv", *common])
        assert alone.end()[0] == 0
        share = n / kills  # a life handles about so many rows
        tokens = [str(rows), "--state", str(state), "--group", str(GROUP), *common]
        said: dict[int, str] = {}
        before: tuple[int, int, list[Any]] = (0, 0, [])
        while True:
            resumed = [] if not before[0] else ["--resume", "from-start"]
            if before[0] and counts["lives"] % 4 == 3:
                code, errors = Life(tokens, broken=broken).end()
                assert (code, b"--resume" in errors) == (2, True), errors
                counts["refused without --resume"] += 1
            life = Life([*tokens, *resumed], slow=rng.randrange(2**32), broken=broken)
            counts["lives"] += 1
            rival = None
            if counts["lives"] % 5 == 4:
                life.listen(rng.uniform(0, 0.1))
                rival = Life([*tokens, "--resume", "from-start"], broken=broken)
            if counts["kills"] < kills:
                if rng.random() < 0.3:  # while it starts
                    life.listen(rng.uniform(0, 0.15))
                else:  # when about so many rows more were answered
                    size = int(rng.uniform(0, 2 * share)) * 7 + 1
                    life.watch(size)
                    time.sleep(rng.uniform(0, 0.003))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(life.pid, signal.SIGKILL)
            if rival is not None:  # it is refused, or the other one had not begun or was done
                with contextlib.suppress(ProcessLookupError):
                    os.kill(rival.pid, signal.SIGKILL)
                code, errors = rival.end()
                if code != -signal.SIGKILL:
                    counts["refused while in use"] += b"in use by another process" in errors
                collect(said, rival.said)
            code, errors = life.end()
            collect(said, life.said)
            counts["killed"] += code == -signal.SIGKILL
            counts["kills"] = counts["killed"]
            if code not in (0, -signal.SIGKILL):
                assert b"in use by another process" in errors, errors
            if not (state / "private.db").exists():
                counts["killed before there was a state"] += 1
                continue
            after = peek(state)
            answered = max(said, default=-1) + 1
            counts["killed before the first draw"] += not after[2]
            counts["saved, killed before it was all answered"] += after[0] > answered
            assert after[0] >= answered, "an acknowledged row is lost"
            assert len(said) == answered, "answers are missing"
            assert after[0] - answered <= GROUP, "more than one group was learned silently"
            assert after[0] >= before[0], "rows were forgotten"
            assert before[1] <= after[1] <= most, "the budget shrank"
            assert after[2][: len(before[2])] == before[2], "a hypothesis was drawn again"
            if users and after[2]:
                stopped, found = counted(state)
                rows_of = Counter(str(person(at, n)) for at in range(after[0]))
                wanted = {} if stopped else {u: min(k, EACH) for u, k in rows_of.items()}
                assert found == wanted, "rows of users were lost, or count twice"
            before = after
            if progress and counts["lives"] % 20 == 0:
                print(f"{counts['kills']} kills, {after[0]:,} rows", file=sys.stderr)
            if code == 0:
                break
        text = "t,prediction\n" + "".join(f"{t},{label}\n" for t, label in sorted(said.items()))
        assert text == Path("alone.csv").read_text(), "other predictions"
        for folder in ("alone", str(state)):
            code = Life(["--state", folder, "--export", f"{folder}.json"]).end()[0]
            assert code == 0
        assert Path("alone.json").read_bytes() == Path(f"{state}.json").read_bytes()
        counts["rows"] = n
        counts["hypotheses published"] = len(before[2])
        del counts["killed"]
    return counts


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--users", action="store_true", help="users are protected")
    parser.add_argument("--broken", choices=BROKEN, default="", help="a control: it must fail")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    start = time.monotonic()
    counts = run(
        options.kills, options.rows, options.seed,
        broken=options.broken, users=options.users, progress=not options.json,
    )  # fmt: skip
    if options.json:
        print(json.dumps(counts))
        return
    for name, count in counts.items():
        print(f"{name:45} {count:8,}")
    print("predictions and public record are those of the uninterrupted run, byte for byte;")
    print("no acknowledged row lost or counted twice, no hypothesis drawn again, no budget reset")
    print(f"seed {options.seed}, {time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
