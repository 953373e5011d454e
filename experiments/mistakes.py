"""Online learning: mistakes against the horizon T and the Littlestone dimension d.

Run (about a minute; with ``--full`` up to T = 10**6, some minutes)::

    python experiments/mistakes.py

Paper 003, Theorem 1: O~(d**9.5 ln T ln(1/delta) / epsilon) mistakes. The library's learner on
thresholds over 2**d - 1 points, Littlestone dimension d, with the constants of its theorem; the
certificate is its mistake bound, where that is below T. Streams are public: uniform points, and a
hard one that shows points ever nearer to the target (``benchmarks/online.py``).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from chart import Axis
from series import CERTIFIED, MEASURED, Figure, Fit, Row, benchmark, run

import littlestone as ls
from littlestone.learners.online.algorithm import OnlineAlgorithm, mistake_bound
from littlestone.learners.online.plan import plan_online

BUDGET: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}
SHOWN = (2, 6, 20)  # dimensions of the figure against T
DIMENSIONS = (2, 4, 6, 8, 10, 14, 20, 32)


def horizons(options: argparse.Namespace) -> list[int]:
    """Return the horizons of the figure against T."""
    if options.quick:
        return [1_000, 2_000]
    usual = [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]
    return [*usual, 200_000, 500_000, 1_000_000] if options.full else usual


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield all rows."""
    bench, seeds = benchmark("online"), 1 if options.quick else 2
    last = horizons(options)[-1]
    for d in SHOWN[:1] if options.quick else SHOWN:
        for n in horizons(options):
            for row in rows(d, n, seeds, bench):
                name = f"d = {d}, {row.series}" if row.kind == MEASURED else f"d = {d}"
                yield Row("mistakes-horizon", name, row.kind, n, *row_numbers(row))
        # the certificate is cheap: further horizons show its growth with ln T
        for n in [] if options.quick else [10**6, 10**7, 10**8, 10**9]:
            for row in certificate(d, n):
                if n > last:
                    yield Row("mistakes-horizon", f"d = {d}", CERTIFIED, n, *row_numbers(row))
    for d in DIMENSIONS[:2] if options.quick else DIMENSIONS:
        for row in rows(d, last, seeds, bench):
            name = f"T = {last:,}" + (f", {row.series}" if row.kind == MEASURED else "")
            yield Row("mistakes-dimension", name, row.kind, d, *row_numbers(row))
        for row in certificate(d, 10**9):
            yield Row("mistakes-dimension", "T = 10⁹", CERTIFIED, d, *row_numbers(row))


def row_numbers(row: Row) -> tuple[float, float | None, float | None, str]:
    """Return what a row says beside its place."""
    return row.y, row.low, row.high, row.claim


def certificate(d: int, n: int) -> Iterator[Row]:
    """Yield the mistake bound, if it says anything."""
    cls = ls.Thresholds(1, 2**d - 1)
    plan = plan_online(cls, **BUDGET, horizon=n, constants="theory")
    bound = mistake_bound(plan, cls)
    if bound.holds:
        claim = " ".join(bound.certificate.claims)
        yield Row("", "", CERTIFIED, n, bound.mistakes, claim=claim)


def rows(d: int, n: int, seeds: int, bench: Any) -> Iterator[Row]:
    """Yield the certificate and what was measured on two streams: mean, least and most."""
    yield from certificate(d, n)
    cls = ls.Thresholds(1, 2**d - 1)
    algorithm = OnlineAlgorithm(cls, plan_online(cls, **BUDGET, horizon=n, constants="theory"))
    for name in ("uniform", "hard"):
        stream = getattr(bench, name)
        made = [bench.simulate(algorithm, *stream(2**d - 1, n, s), seed=s) for s in range(seeds)]
        yield Row("", f"{name} points", MEASURED, n, float(np.mean(made)), min(made), max(made))


FIGURES = [
    Figure(
        "mistakes-horizon", "Online learning: mistakes against T (ε = 1, δ = 10⁻⁶)",
        Axis("records of the stream, T"), Axis("mistakes"),
        "Mistakes against the length of the stream, both on logarithmic axes: nearly level, for "
        "three Littlestone dimensions and two kinds of streams, and the certified bounds above.",
        grouped=True,
    ),
    Figure(
        "mistakes-dimension", "Online learning: mistakes against d (ε = 1, δ = 10⁻⁶)",
        Axis("Littlestone dimension d of thresholds over 2^d − 1 points"), Axis("mistakes"),
        "Mistakes against the Littlestone dimension, both on logarithmic axes: certified bounds "
        "grow with an exponent near 1.5, far below the 9.5 of the paper's theorem.",
    ),
]  # fmt: skip
FITS = [
    *(Fit("mistakes-horizon", f"d = {d}", CERTIFIED, "log-log", 1e3, 1e10, 0.08, "at most", 0,
          "ln T (Theorem 1): over this range T^0.08 at most") for d in SHOWN),
    *(Fit("mistakes-horizon", f"d = {d}, hard points", MEASURED, "log-log", 1e4, 1e6, 0.5,
          "at most", 0, "ln T (Theorem 1), once epochs are filled: far below √T") for d in (2, 6)),
    Fit("mistakes-dimension", "T = 10⁹", CERTIFIED, "log-log", 4, 40, 1.5, "about", 0.25,
        "(ln|C|)^1.5 (claim online.exponential); the paper: d^9.5"),
    *(Fit("mistakes-dimension", f"T = 100,000, {kind} points", MEASURED, "log-log", 1, 40, 1.75,
          "at most", 0, "(ln|C|)^1.5 (claim online.exponential); the paper: d^9.5")
      for kind in ("uniform", "hard")),
]  # fmt: skip

if __name__ == "__main__":
    run("mistakes", __doc__, measure, FIGURES, FITS)
