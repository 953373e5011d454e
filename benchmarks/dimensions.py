"""Exact dimensions: how long, how much memory, and how many times faster than the textbook.

    python benchmarks/dimensions.py               # about a minute
    python benchmarks/dimensions.py --quick       # up to 4,096 hypotheses, about 45 s
    python benchmarks/dimensions.py --require 500 # exit code 1 if the least ratio is smaller

The textbook is the recursion ``LDim(V) = max over x of 1 + min(LDim(V_x0), LDim(V_x1))``, memoised
on V, on Python integers, constant columns skipped: written below, in five lines, and run on the
same matrices in the same process. Times are processor time (all is single-threaded; on an idle
machine that is the time on the clock), the least of ``--repeat`` runs for both sides, each with a
new `Kernel`, reading the matrix included. Every case runs in a process of its own, which reports
its peak memory (all of it: interpreter, numpy, but not the textbook).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np

from littlestone.combinatorics import Kernel

Matrix = np.ndarray


def random_class(m: int, n: int, density: float = 0.5) -> Matrix:
    """Draw m random rows and keep the distinct ones (all of them, but for a few)."""
    rows = (np.random.default_rng(0).random((m, n)) < density).astype(np.uint8)
    _, first = np.unique(np.packbits(rows, axis=1), axis=0, return_index=True)
    return rows[np.sort(first)]


def thresholds(n: int) -> Matrix:
    """Return n thresholds on n points, a chain."""
    return np.triu(np.ones((n, n), dtype=np.uint8))


def points(n: int) -> Matrix:
    """Return all point functions and the constant 0."""
    return np.vstack([np.zeros((1, n), dtype=np.uint8), np.eye(n, dtype=np.uint8)])


def sparse_sets(n: int, k: int) -> Matrix:
    """Return all sets of at most k of n points."""
    chosen = [c for size in range(k + 1) for c in combinations(range(n), size)]
    matrix = np.zeros((len(chosen), n), dtype=np.uint8)
    for row, c in enumerate(chosen):
        matrix[row, list(c)] = 1
    return matrix


def conjunctions(n: int) -> Matrix:
    """Return the conjunctions of literals, and the constant 0, over {0,1}^n."""
    cube = np.array(list(product((0, 1), repeat=n)), dtype=np.uint8)
    rows = [np.zeros(2**n, dtype=bool)]
    for literals in product((0, 1, 2), repeat=n):
        row = np.ones(2**n, dtype=bool)
        for variable, value in enumerate(literals):
            if value < 2:
                row &= cube[:, variable] == value
        rows.append(row)
    return np.array(rows, dtype=np.uint8)


def affine_subspaces(n: int, d: int) -> Matrix:
    """Return all affine subspaces of F_2^n of dimension at most d."""
    level = spaces = {frozenset([0])}
    for _ in range(d):
        level = {s | {x ^ v for x in s} for s in level for v in range(1, 2**n) if v not in s}
        spaces = spaces | level
    flats = {frozenset(x ^ shift for x in s) for s in spaces for shift in range(2**n)}
    matrix = np.zeros((len(flats), 2**n), dtype=np.uint8)
    for row, flat in enumerate(sorted(flats, key=sorted)):
        matrix[row, list(flat)] = 1
    return matrix


def textbook(matrix: Matrix) -> int:
    """Return the Littlestone dimension by the memoised textbook recursion."""
    columns = [sum(1 << int(h) for h in np.flatnonzero(column)) for column in matrix.T]

    @cache
    def ldim(v: int) -> int:
        sides = [(v & c, v & ~c) for c in columns if v & c and v & ~c]
        return max((1 + min(ldim(one), ldim(zero)) for one, zero in sides), default=0)

    return ldim((1 << len(matrix)) - 1)


#: What to make, and the question to ask of a new kernel.
CASES: dict[str, tuple[Callable[[], Matrix], str]] = {
    "random 64 x 16": (lambda: random_class(64, 16), "ratio"),
    "affine lines of F_2^4": (lambda: affine_subspaces(4, 1), "ratio"),
    "conjunctions, n = 4": (lambda: conjunctions(4), "ratio"),
    "random 1024 x 64": (lambda: random_class(1024, 64), "ldim"),
    "random 4096 x 128": (lambda: random_class(4096, 128), "ldim"),
    "sparse p=.1 4096 x 128": (lambda: random_class(4096, 128, 0.1), "ldim"),
    "thresholds 4096": (lambda: thresholds(4096), "ldim"),
    "points 4096": (lambda: points(4096), "ldim"),
    "at most 6 of 14": (lambda: sparse_sets(14, 6), "ldim"),
    "conjunctions, n = 8": (lambda: conjunctions(8), "ldim"),
    "random 1024 x 64, SOA": (lambda: random_class(1024, 64), "soa"),
    "random 4096 x 128, tree": (lambda: random_class(4096, 128), "mistake_tree"),
    "random 256 x 32, VC": (lambda: random_class(256, 32), "vc_dim"),
    "random 64 x 16, thresholds": (lambda: random_class(64, 16), "threshold_dim"),
    "thresholds 256, thresholds": (lambda: thresholds(256), "threshold_dim"),
    "sparse p=.05 16384 x 256": (lambda: random_class(16384, 256, 0.05), "ldim"),
    "random 65536 x 128": (lambda: random_class(65536, 128), "ldim"),
    "affine of F_2^6, d <= 4": (lambda: affine_subspaces(6, 4), "ldim"),
    "random 65536 x 128, tree": (lambda: random_class(65536, 128), "mistake_tree"),
}


def least(run: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """Return the least processor time of several runs, in seconds, and the last answer."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        answer = run()
        times.append(time.process_time() - start)
    return min(times), answer


def measure(name: str, repeat: int) -> dict[str, Any]:
    """Run one case in this process."""
    make, question = CASES[name]
    matrix, nodes = make(), 0

    def ask() -> Any:
        nonlocal nodes
        kernel = Kernel(matrix, max_nodes=None)
        answer = getattr(kernel, "ldim" if question == "ratio" else question)()
        nodes = kernel.nodes
        return answer

    seconds, answer = least(ask, repeat)
    if question == "mistake_tree":
        assert answer.holds(matrix)
        answer = answer.depth
    result = {
        "case": name.strip(),
        "shape": list(matrix.shape),
        "answer": "" if question == "soa" else answer,
        "seconds": seconds,
        "nodes": nodes,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    if question == "ratio":
        slow, same = least(lambda: textbook(matrix), repeat)
        assert same == answer
        result["textbook"] = slow
    return result


def main() -> int:
    """Measure each case in its own process and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="up to 4,096 hypotheses")
    parser.add_argument("--require", type=float, default=0, help="least ratio to the textbook")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only is not None:
        print(json.dumps(measure(options.only, options.repeat)))
        return 0
    print("| class | m x n | answer | seconds | nodes | MB | textbook s | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    ratios = []
    for name, (make, _) in CASES.items():
        if options.quick and len(make()) > 4096:
            continue
        command = [sys.executable, __file__, "--only", name, "--repeat", str(options.repeat)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        r = json.loads(done.stdout)
        slow = r.get("textbook")
        ratio = slow / r["seconds"] if slow else None
        if ratio:
            ratios.append(ratio)
        m, n = r["shape"]
        print(
            f"| {r['case']} | {m} x {n} | {r['answer']} | {r['seconds']:.4f} "
            f"| {r['nodes']} | {r['megabytes']:.0f} | {f'{slow:.2f}' if slow else ''} "
            f"| {f'{ratio:,.0f}' if ratio else ''} |",
            flush=True,
        )
    print(f"\nLeast ratio to the textbook recursion: {min(ratios):,.0f}")
    return int(min(ratios) < options.require)


if __name__ == "__main__":
    sys.exit(main())
