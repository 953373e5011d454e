"""Throw spoilt inputs at the command line, and report what must not happen.

Each input runs in a folder of its own, through `littlestone.cli.main.main`, with a limit of time
and of memory; no option can name a file outside that folder (`mutate.inside`). Failures:

- a crash of the process (also inside native code), or running out of memory;
- a hang: longer than the limit;
- a traceback, a warning, or "a defect of this program" shown to the user;
- an exit code that is not 0, 2, 3 or 4 (1 from ``audit`` alone: a claim that was changed);
- a value of the data (a canary) in what a failing command says.

    python benchmarks/fuzz/run.py --inputs 100000
    python benchmarks/fuzz/run.py --only 4711        # one input again, with all that it said
"""

from __future__ import annotations

import argparse
import contextlib
import json
import mmap
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import inputs as inputs_module

from littlestone.bounds import recheck
from littlestone.cli.main import main as command
from littlestone.errors import LittlestoneError

LIMIT = 10.0  # seconds for one input
MEMORY = 4 * 2**30  # bytes of address space, native libraries included
KEEP = ("d.csv", "d.parquet", "s.toml", "m.csv", "t.csv", "model.json", "b.db", "z.db", "a.csv")
STATE = ("s/private.db", "s/public.db")


class Hang(BaseException):
    """The limit of time is over."""


def _too_long(*_: object) -> None:
    raise Hang


class Said:
    """Everything that is written to the two output streams, also by native code."""

    def __init__(self) -> None:
        self.files = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115 - kept open

    @contextlib.contextmanager
    def listening(self) -> Any:
        """Send both streams to files."""
        kept = [os.dup(1), os.dup(2)]
        for number, file in enumerate(self.files, 1):
            file.seek(0)
            file.truncate()
            os.dup2(file.fileno(), number)
        try:
            yield
        finally:
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(ValueError, UnicodeError):
                    stream.flush()
            for number, old in enumerate(kept, 1):
                os.dup2(old, number)
                os.close(old)

    def texts(self) -> tuple[str, str]:
        """Return both texts."""
        out = []
        for file in self.files:
            file.seek(0)
            out.append(file.read().decode("utf-8", "replace"))
        return out[0], out[1]


def prepare(folder: Path, home: Path, files: dict[str, bytes]) -> None:
    """Make the folder as it was, then put the spoilt files in it."""
    for path in (*folder.iterdir(), *folder.parent.iterdir()):
        if path == folder:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    folder.joinpath("s").mkdir(mode=0o700)
    for name in (*KEEP, *STATE):
        if name not in files and (home / name).exists():
            shutil.copy(home / name, folder / name)
    for name, data in files.items():
        where = folder / name
        where.write_bytes(data)
        where.chmod(0o600)


def attempt(case: tuple[str, list[str], dict[str, bytes], Any], said: Said) -> tuple[str, int]:
    """Run one input; return what is wrong (or nothing), and the exit code."""
    kind, tokens, _, certificate = case
    signal.setitimer(signal.ITIMER_REAL, LIMIT)
    code = 0
    try:
        with said.listening():
            if kind == "certificate":
                try:
                    recheck(certificate)
                except LittlestoneError:
                    code = 2
            else:
                code = command(tokens)
    except Hang:
        return "hang", -1
    except MemoryError:
        return "out of memory", -1
    except SystemExit as problem:
        return f"exit {problem.code}", -1
    except BaseException as problem:
        return f"escaped: {type(problem).__name__}", -1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    out, err = said.texts()
    if "Traceback" in out + err:
        return "traceback", code
    if "defect of this program" in err:
        return "defect: " + err.partition("program (")[2].partition(")")[0], code
    if "Warning" in err:
        return "warning", code
    if code not in (0, 2, 3, 4) and not (code == 1 and tokens[:1] == ["audit"]):
        return f"exit code {code}", code
    spoken = [t for t in inputs_module.CANARIES if not any(t in token for token in tokens)]
    if code != 0 and any(canary in out + err for canary in spoken):
        return "a data value was shown", code
    if code != 0 and "littlestone: " not in err and kind != "certificate":
        return "no message", code
    return "", code


def worker(numbers: range, inputs: Any, shared: mmap.mmap, slot: int, pipe: int) -> None:
    """Run the inputs of one process, telling the parent what it does."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _too_long)
    # One below the other: also ".." is a folder of this process.
    outer, said = Path(tempfile.mkdtemp(prefix="fuzz-")), Said()
    folder = outer / "here"
    folder.mkdir(mode=0o700)
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        for number in numbers:
            shared[8 * slot : 8 * slot + 8] = number.to_bytes(8, "little")
            case = inputs.case(number)
            prepare(folder, inputs.home, case[2])
            start = time.monotonic()
            wrong, code = attempt(case, said)
            line = {"number": number, "kind": case[0], "code": code, "wrong": wrong}
            line["seconds"] = round(time.monotonic() - start, 3)
            os.write(pipe, json.dumps(line).encode() + b"\n")
    finally:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        os.write(pipe, json.dumps({"peak": peak}).encode() + b"\n")
        os.chdir("/")
        shutil.rmtree(outer, ignore_errors=True)


class Process:
    """A forked worker and its part of the inputs; a crash or a hang moves on to the next input."""

    def __init__(self, slot: int, step: int, total: int, inputs: Any, shared: mmap.mmap) -> None:
        self.slot, self.step, self.total, self.inputs, self.shared = (
            slot,
            step,
            total,
            inputs,
            shared,
        )
        self.rest = b""
        self.start(slot)

    def start(self, first: int) -> None:
        """Fork a worker that begins at an input."""
        read, write = os.pipe()
        self.heard = time.monotonic()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            try:
                numbers = range(first, self.total, self.step)
                worker(numbers, self.inputs, self.shared, self.slot, write)
                os._exit(0)
            except BaseException as problem:
                print("worker:", type(problem).__name__, problem, file=sys.stderr)
                os._exit(9)
        os.close(write)
        os.set_blocking(read, False)
        self.pipe = read

    def lines(self) -> list[dict[str, Any]]:
        """Return what was reported since the last time."""
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self.pipe, 1 << 16):
                self.rest += part
                self.heard = time.monotonic()
        *whole, self.rest = self.rest.split(b"\n")
        return [json.loads(line) for line in whole]

    def dead(self) -> dict[str, Any] | None:
        """Return the failure of a worker that crashed or hangs in native code; restart it."""
        at = int.from_bytes(self.shared[8 * self.slot : 8 * self.slot + 8], "little")
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0 and time.monotonic() - self.heard < 4 * LIMIT:
            return None
        if pid == 0:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            wrong = "hang in native code"
        elif status == 0:
            self.pid = 0
            return None
        else:
            wrong = f"crash: {os.waitstatus_to_exitcode(status)}"
        os.close(self.pipe)
        self.rest = b""
        self.start(at + self.step)
        return {"number": at, "kind": self.inputs.case(at)[0], "code": -9, "wrong": wrong}


def fuzz(total: int, seed: int, processes: int, *, progress: bool = False) -> dict[str, Any]:
    """Run all inputs and return the report."""
    start = time.monotonic()
    kinds: dict[str, Counter[str]] = {}
    failures: list[dict[str, Any]] = []
    peak, slowest, done = 0, 0.0, 0
    with tempfile.TemporaryDirectory() as home:
        inputs = inputs_module.Inputs(Path(home), seed)
        with Said().listening():
            inputs.make()
        os.chdir("/")
        shared = mmap.mmap(-1, 8 * processes)
        running = [Process(slot, processes, total, inputs, shared) for slot in range(processes)]
        while running:
            time.sleep(0.05)
            for process in list(running):
                failure = process.dead()  # before the lines: nothing of them is lost
                lines = process.lines()
                for line in [*lines, *([failure] if failure else [])]:
                    if "peak" in line:
                        peak = max(peak, line["peak"])
                        continue
                    done += 1
                    slowest = max(slowest, line.get("seconds", 0.0))
                    count = kinds.setdefault(line["kind"], Counter())
                    count["inputs"] += 1
                    count[f"exit {line['code']}"] += 1
                    if line["wrong"]:
                        failures.append(line)
                        if progress:
                            print(line, file=sys.stderr)
                if process.pid == 0:
                    running.remove(process)
            if progress and int(time.monotonic()) % 20 == 0:
                print(f"{done} inputs, {len(failures)} failures", file=sys.stderr)
                time.sleep(1)
    return {
        "inputs": done,
        "seed": seed,
        "kinds": {kind: dict(sorted(count.items())) for kind, count in sorted(kinds.items())},
        "failures": failures,
        "crashes": sum(f["wrong"].startswith(("crash", "escaped", "exit")) for f in failures),
        "hangs": sum(f["wrong"].startswith("hang") for f in failures),
        "out of memory": sum(f["wrong"].startswith("out of memory") for f in failures),
        "tracebacks": sum(f["wrong"].startswith(("traceback", "defect")) for f in failures),
        "data shown": sum(f["wrong"].startswith("a data") for f in failures),
        "slowest": slowest,
        "peak_mib": peak // 1024,
        "seconds": round(time.monotonic() - start),
    }


def again(number: int, seed: int) -> None:
    """Run one input and show everything."""
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as outer:
        folder = Path(outer) / "here"
        folder.mkdir(mode=0o700)
        inputs, said = inputs_module.Inputs(Path(home), seed), Said()
        with said.listening():
            inputs.make()
        os.chdir(folder)
        case = inputs.case(number)
        prepare(folder, Path(home), case[2])
        print(case[0], case[1], {name: data[:3000] for name, data in case[2].items()}, case[3])
        os.environ["LITTLESTONE_DEBUG"] = "1"
        signal.signal(signal.SIGALRM, _too_long)
        print("->", attempt(case, said))
        print(*said.texts(), sep="\n---\n")
        os.chdir("/")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", type=int)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.only is not None:
        again(options.only, options.seed)
        return
    report = fuzz(options.inputs, options.seed, options.processes, progress=not options.json)
    if options.json:
        print(json.dumps(report))
    else:
        show(report)
    sys.exit(bool(report["failures"]))


def show(report: dict[str, Any]) -> None:
    """Print the report."""
    print(f"{report['inputs']} inputs, seed {report['seed']}, {report['seconds']} s")
    for kind, count in report["kinds"].items():
        print(f"  {kind:12}", ", ".join(f"{name} {n}" for name, n in count.items()))
    for name in ("crashes", "hangs", "out of memory", "tracebacks", "data shown"):
        print(f"{name:15} {report[name] or 'none'}")
    print(f"slowest input   {report['slowest']} s; most memory {report['peak_mib']} MiB")
    for failure in report["failures"][:40]:
        print(failure)


if __name__ == "__main__":
    main()
