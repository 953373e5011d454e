"""Plant each mutant in a process of its own, and see which detector notices.

`try_all` starts this file as a script (``python runner.py WORKERS SECONDS``). It imports the
library, the mutants and the detectors once, and forks for each line of its input, a JSON list
``[mutant, detector, ...]``; the mutant ``""`` breaks nothing. So no cache outlives a mutant. For
each line there is an answer, a JSON list ``[number of the line, verdict, detector, what it saw]``.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

__all__ = ["Answer", "try_all"]

#: "holds", "caught" or "broken" (the mutant or the detector does not work), by whom, and why.
Answer = tuple[str, str, str]


def try_all(
    jobs: Iterable[tuple[str, ...]], *, workers: int = 1, seconds: int = 300
) -> Iterator[tuple[int, Answer]]:
    """Try many mutants; yield (number of the job, answer).

    Parameters
    ----------
    jobs : iterable of (mutant, detector, ...)
        Detectors are tried in this order until one notices.
    workers : int, default 1
        Processes at a time.
    seconds : int, default 300
        For each of them.
    """
    jobs = list(jobs)
    waiting = set(range(len(jobs)))
    command = [sys.executable, "-P", __file__, str(workers), str(seconds)]
    # one thread each: threads do not survive a fork, and the processes share the cores
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("".join(json.dumps(job) + "\n" for job in jobs))
        server.stdin.close()
        for line in server.stdout:
            number, *answer = json.loads(line)
            waiting.discard(number)
            yield number, tuple(answer)
    for number in sorted(waiting):
        yield number, ("broken", "", "no answer")


def _answer(package: Any, name: str, *names: str) -> Answer:
    """Plant the mutant and run the detectors."""
    breaking = package.planted(package.MUTANTS[name]) if name else contextlib.nullcontext()
    try:
        with breaking:
            return _first_to_notice(package, names)
    except (Exception, package.NoTarget) as problem:
        return "broken", "", f"{type(problem).__name__}: {problem}"


def _first_to_notice(package: Any, names: Iterable[str]) -> Answer:
    failed: Answer = ("holds", "", "")
    for detector in names:
        try:
            own = package.DETECTORS.get(detector)
            seen = package.tried(detector) if own is None else own()
        except package.NOTICED as noticed:
            seen = f"{type(noticed).__name__}: {noticed}"
        except Exception as other:
            failed = "broken", detector, f"{type(other).__name__}: {other}"
            continue
        if seen is not None:
            return "caught", detector, seen
    return failed


def _serve(workers: int, seconds: int, jobs: list[list[str]], out: IO[str]) -> None:
    """Fork for each job, so many at a time; write the answers as they come."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    package = importlib.import_module("mutants")
    running: dict[int, tuple[int, int]] = {}

    def collect() -> None:
        child, status = os.wait()
        number, pipe = running.pop(child)
        with os.fdopen(pipe, encoding="utf-8") as written:
            text = written.read()
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        answer = json.loads(text) if text else ["broken", "", "too late" if late else "died"]
        out.write(json.dumps([number, *answer]) + "\n")
        out.flush()

    for number, job in enumerate(jobs):
        while len(running) >= workers:
            collect()
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            signal.alarm(seconds)  # its default is to end the process
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):  # what a mutant prints is no answer
                os.dup2(nowhere, stream)
            verdict, who, why = _answer(package, *job)
            os.write(writing, json.dumps([verdict, who, why[:2000]]).encode())
            os._exit(0)
        os.close(writing)
        running[child] = number, reading
    while running:
        collect()


if __name__ == "__main__":
    _serve(int(sys.argv[1]), int(sys.argv[2]), [json.loads(line) for line in sys.stdin], sys.stdout)
