"""Littlestone classes, realizable: records of `LittlestoneLearner` against the dimension d.

Run (about three minutes)::

    python experiments/dp_erm.py

Paper 003, Theorem 2: O~(d**5 ln(1/delta) / (alpha epsilon)) records. Certified for lists of
closed sets, for sets of at most d texts and for flats of dimension d - 1. Measured on the hardest
of a few distributions (``benchmarks/littlestone_learner.py``).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from chart import Axis
from series import CERTIFIED, MEASURED, Figure, Fit, Row, benchmark, run

import littlestone as ls
from littlestone.classes import ConceptClass
from littlestone.learners.base import Goal
from littlestone.learners.littlestone import Littlestone

NUMBERS: dict[str, Any] = {"epsilon": 1, "alpha": "0.1", "beta": "0.05"}
USUAL = Goal(Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20))
DEEPEST = 8
MOST_FLATS = 4  # beyond, a teacher's list of flats is too long
DIGITS = [2, 4, 6, 9, 12, 18, 24, 36, 48]


def classes(d: int) -> Iterator[tuple[str, ConceptClass]]:
    """Yield classes of Littlestone dimension d."""
    yield "sets of texts", ls.SparseSets(d) if d > 1 else ls.Points()
    if d <= MOST_FLATS:
        yield "flats of F₇²⁰", ls.theory.AffineSubspaces(7, 20, d - 1)


def certified(concepts: ConceptClass, delta: str) -> tuple[int, str]:
    """Return the certified number of records, and its claims."""
    made = Littlestone(concepts, **NUMBERS, delta=delta)
    n = made.required_samples()
    return n, " ".join(made.certificate(n).claims)


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield all rows."""
    deepest = 2 if options.quick else DEEPEST
    for d in range(1, deepest + 1):
        for name, concepts in classes(d):
            n, claim = certified(concepts, "1e-6")
            yield Row("dp-erm-dimension", f"{name}, closed sets", CERTIFIED, d, n, claim=claim)
    for digits in DIGITS[:1] if options.quick else DIGITS:
        for d in (1, 3):
            n, claim = certified(ls.SparseSets(d) if d > 1 else ls.Points(), f"1e-{digits}")
            x = digits * 2.302585092994046
            yield Row("dp-erm-delta", f"sets of at most {d} texts", CERTIFIED, x, n, claim=claim)
    yield from measured(options)


def measured(options: argparse.Namespace) -> Iterator[Row]:
    """Yield what was enough on a few distributions: special points of equal mass, and flats."""
    bench, runs = benchmark("littlestone_learner"), 8 if options.quick else 60
    for d in range(1, 2 if options.quick else 6):
        made = Littlestone(next(classes(d))[1], **NUMBERS, delta="1e-6")
        masses = (0.03, 0.06, 0.11, 0.15) if d > 1 else (0.09, 0.11, 0.3)
        draws = [bench.sets([w] * d) for w in masses if w * d < 0.95]
        most = max(bench.measured(made, draw, runs) for draw in draws)
        yield Row("dp-erm-dimension", "sets of texts, closed sets", MEASURED, d, most)


FIGURES = [
    Figure(
        "dp-erm-dimension",
        "Littlestone learner: records against d (ε = 1, δ = 10⁻⁶, α = 0.1, β = 0.05)",
        Axis("Littlestone dimension d", ticks=tuple((float(d), str(d)) for d in range(1, 9))),
        Axis("records needed"),
        "Records needed against the Littlestone dimension, both on logarithmic axes. Lists of "
        "closed sets rise with an exponent near 1.6.",
    ),
    Figure(
        "dp-erm-delta", "Littlestone learner: records against δ (ε = 1, α = 0.1, β = 0.05)",
        Axis("ln(1/δ)", log=False), Axis("records needed", log=False),
        "Records needed against the logarithm of 1/delta on linear axes: straight lines.",
    ),
]  # fmt: skip
FITS = [
    *(Fit("dp-erm-dimension", f"{name}, closed sets", CERTIFIED, "log-log", 1, 8, 5, "at most", 0,
          "d⁵ (Theorem 2); special oracles do better")
      for name in ("sets of texts", "flats of F₇²⁰")),
    Fit("dp-erm-dimension", "sets of texts, closed sets", MEASURED, "log-log", 2, 8, 5, "at most",
        0, "d⁵ (Theorem 2)"),
    *(Fit("dp-erm-delta", f"sets of at most {d} texts", CERTIFIED, "log-log", 10, 200, 1, "at most",
          0, "ln(1/δ) (Theorem 2)") for d in (1, 3)),
]  # fmt: skip

if __name__ == "__main__":
    run("dp_erm", __doc__, measure, FIGURES, FITS)
