"""VC-1 learning and medians: n against the size of the domain (log*) and against ln(1/delta).

Run (about two minutes)::

    python experiments/depth.py

Thresholds over |X| values from 2**10 to 2**(2**16), and the private median inside it up to
2**(2**200): certified by three mechanisms for the learner, four for the median. Measured: by exact
conditional probabilities on the hardest of a family of distributions (``benchmarks/vc1.py``).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any

from chart import Axis
from series import CERTIFIED, MEASURED, Figure, Fit, Row, benchmark, run

import littlestone as ls
from littlestone.bounds import CertificateBuilder
from littlestone.learners.exponential import Generic
from littlestone.learners.vc1 import ChainMedian, OneShot, TreeGoal
from littlestone.mechanisms.median import RankExponential, RankWindow, TreeEM
from littlestone.papers.yan import MEDIAN

EPSILON, DELTA, ALPHA, BETA = (Fraction(1), Fraction(1, 10**6), Fraction(1, 10), Fraction(1, 20))
POWERS = [10, 16, 20, 32, 64, 128, 256, 1024, 4096, 32768, 65536]
MOST = 10**6  # no larger binomial tail is certified
SEEN = 1024  # measured up to 2**1024: beyond, an array of floats is no model of the domain
HEIGHTS = [10, 20, 32, 64, 128, 256, 1024, 2**16, 2**32, 2**64, 2**128, 2**200]
DIGITS = [1, 2, 3, 4, 6, 9, 12, 18, 24, 36, 48, 60, 72]

Failure = Callable[[Any, int], Any]


def learners(power: int, delta: Fraction, bench: Any) -> Iterator[tuple[str, int, str, Failure]]:
    """Yield each method's name, certified n, claims, and exact failure given counts."""
    cls = ls.Thresholds(1, 2**power)
    generic = Generic(cls, epsilon=EPSILON, alpha=ALPHA, beta=BETA)
    n = generic.required_samples()
    told = " ".join(generic.certificate(n).claims)
    yield (
        "exponential mechanism (pure)", n, told,
        lambda c, _: bench.generic_fails(cls.size, float(EPSILON), c),
    )  # fmt: skip
    half = TreeGoal(EPSILON, delta, ALPHA, BETA, depth=2 ** (power - 1))
    shot = OneShot.plan(half)
    if shot.required <= MOST:
        yield "one-shot", shot.required, claimed(shot), partial(bench.one_shot_fails, shot)
    long = TreeGoal(EPSILON, delta, ALPHA, BETA, depth=2**power)
    plan = ChainMedian.plan(long)
    if plan.required <= MOST:
        yield "median by TreeEM", plan.required, claimed(plan), partial(bench.median_fails, plan)


def claimed(plan: OneShot | ChainMedian) -> str:
    """Return the claims that a plan rests on, once its failure probability is checked."""
    cert = CertificateBuilder()
    n = plan.required
    failure = plan.failure(cert, n, n)
    cert.step("enough", "failure <= beta", "vc1.chunks", failure=failure, beta=BETA)
    assert cert.certificate(alpha=ALPHA, beta=BETA, n=n).holds
    return " ".join(cert.certificate(alpha=ALPHA, beta=BETA, n=n).claims)


def medians(height: int, delta: Fraction) -> Iterator[tuple[str, int, str]]:
    """Yield each median's name, certified n and claim, for an interior point of 2**height."""
    window = RankWindow.of((0, 1))
    if height <= 2**16:
        n = RankExponential(2**height, window, EPSILON).least_n(BETA)
        yield "exponential mechanism (pure)", n, "median.exponential"
    yield "TreeEM", TreeEM(height, window, EPSILON, delta).least_n(BETA), "median.tree"
    deep = partial(benchmark("median").Deep, 0, EPSILON, delta, BETA, window.alpha, bits=height)
    for levels, name in ((1, "PrivateMedian"), (2, "PrivateMedian, two levels")):
        yield name, deep(levels=levels).required_samples(), MEDIAN


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield all rows."""
    bench = benchmark("vc1")
    numbers = argparse.Namespace(
        alpha=float(ALPHA), beta=float(BETA), trials=20 if options.quick else 100
    )
    bench.WIDTHS = (1, 10) if options.quick else (1, 2, 10, 100)
    powers = [10, 32, 65536] if options.quick else POWERS
    for power in powers:
        for name, n, claim, fails in learners(power, DELTA, bench):
            yield Row("depth-learner", name, CERTIFIED, power, n, claim=claim)
            if power <= SEEN:
                found = bench.measured(fails, n, numbers, 2 ** min(power - 1, 40))
                yield Row("depth-learner", name, MEASURED, power, found)
    for height in HEIGHTS[:: 4 if options.quick else 1]:
        for name, n, claim in medians(height, DELTA):
            yield Row("depth-median", name, CERTIFIED, height, n, claim=claim)
    for digits in DIGITS[:: 4 if options.quick else 1]:
        delta, x = Fraction(1, 10**digits), digits * 2.302585092994046
        for name, n, claim, fails in learners(64, delta, bench):
            yield Row("depth-delta", name, CERTIFIED, x, n, claim=claim)
            if not options.quick and digits <= 12:
                found = bench.measured(fails, n, numbers, 2**40)
                yield Row("depth-delta", name, MEASURED, x, found)
        for name, n, claim in medians(64, delta):
            if "pure" not in name and "two" not in name:
                yield Row("depth-delta", f"interior point by {name}", CERTIFIED, x, n, claim=claim)


def towers(powers: list[int]) -> tuple[tuple[float, str], ...]:
    """Return ticks for log2 |X|."""
    tick = {10: "2^10", 64: "2^64", 2**8: "2^(2^8)", 2**10: "2^(2^10)", 2**16: "2^(2^16)"}
    return tuple((float(p), tick.get(p, f"2^(2^{p.bit_length() - 1})")) for p in powers)


SIZE = "number of points |X|, as log₂ |X| on a logarithmic axis"
FIGURES = [
    Figure(
        "depth-learner",
        "Thresholds, realizable: records against |X| (ε = 1, δ = 10⁻⁶, α = 0.1, β = 0.05)",
        Axis(SIZE, ticks=towers([10, 64, 2**10, 2**16])), Axis("records needed"),
        "Records needed against the logarithm of the domain's size, both on logarithmic axes. "
        "Two methods rise with slope 1; the median by TreeEM is nearly level and wins from "
        "about 2^86 points on.",
    ),
    Figure(
        "depth-median", "Interior point: records against |X| (ε = 1, δ = 10⁻⁶, β = 0.05)",
        Axis(SIZE, ticks=towers([2**8, 2**16, 2**64, 2**128, 2**200])), Axis("records needed"),
        "Records needed for an interior point against the logarithm of the domain's size, up to "
        "2^(2^200) points. TreeEM rises with ln ln |X|, PrivateMedian stays nearly level; they "
        "cross beyond 2^(2^128).",
    ),
    Figure(
        "depth-delta", "Records against δ: thresholds over 2^64 values (ε = 1, α = 0.1, β = 0.05)",
        Axis("ln(1/δ)", log=False), Axis("records needed", log=False),
        "Records needed against the logarithm of 1/delta on linear axes: straight lines, and a "
        "level one for the pure mechanism.",
    ),
]  # fmt: skip

FITS = [
    *(Fit("depth-learner", name, kind, "log-log", low, 70000, 1, "about", within, "ln|X|")
      for kind, low, within in ((CERTIFIED, 200, 0.06), (MEASURED, 60, 0.12))
      for name in ("exponential mechanism (pure)", "one-shot")),
    Fit("depth-learner", "median by TreeEM", CERTIFIED, "log-x", 10, 70000, 60, "about", 6,
        "6/(αε) records for each unit of ln ln|X|"),
    Fit("depth-learner", "median by TreeEM", MEASURED, "log-x", 10, 70000, 60, "at most", 6,
        "6/(αε) records for each unit of ln ln|X|"),
    Fit("depth-median", "TreeEM", CERTIFIED, "log-x", 10, 1e300, 6, "about", 0.6,
        "6/ε records for each unit of ln ln|X|"),
    Fit("depth-median", "PrivateMedian", CERTIFIED, "log-x", 1e4, 1e300, 6, "at most", 0,
        "each level of log* takes one logarithm off"),
    Fit("depth-delta", "one-shot", CERTIFIED, "linear", 50, 200, 20, "about", 2,
        "2/(αε) records for each unit, once 1/δ is above the depth"),
    Fit("depth-delta", "median by TreeEM", CERTIFIED, "linear", 5, 200, 60, "about", 6,
        "6/(αε) records for each unit: three margins of 2 ln(1/δ)/ε"),
    Fit("depth-delta", "interior point by TreeEM", CERTIFIED, "linear", 5, 200, 6, "about", 0.6,
        "6/ε records for each unit"),
    Fit("depth-delta", "exponential mechanism (pure)", CERTIFIED, "linear", 0, 200, 0, "about", 0,
        "δ is not used"),
]  # fmt: skip

if __name__ == "__main__":
    run("depth", __doc__, measure, FIGURES, FITS)
