"""Choosing one of many candidates, exactly: `LeveledChoice` against OpenDP's noisy max.

Run (the default takes about 10 s, the larger sizes about two minutes)::

    python benchmarks/choose.py
    python benchmarks/choose.py --sizes 1000000 10000000 --opendp-limit 10000000

Each line is the best of ``--repeat`` draws, so that both sides are warm; building OpenDP's
measurement is not counted. Both sides sample exactly: OpenDP's noisy max with ``max_divergence``
(permute-and-flip, other probabilities at the same epsilon), ours the exponential mechanism.
``--require`` makes the exit code 1 if the ratio at any size that both ran is smaller; where the
scores are all distinct, if it is smaller than 1.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from littlestone.mechanisms import exponential_mechanism, selection_rate
from littlestone.source import Explicit, ScoreRuns, SecureSource


def best(run: Callable[[], object], repeat: int) -> float:
    """Return the least time of several runs, in seconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def peak(run: Callable[[], object]) -> float:
    """Return the peak of Python's and NumPy's allocations during one run, in MB."""
    tracemalloc.start()
    run()
    high = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return high / 1e6


def opendp_noisy_max(scores: np.ndarray, epsilon: float) -> Callable[[], object]:
    """Return a draw by OpenDP, calibrated to the same epsilon."""
    import opendp.prelude as dp

    dp.enable_features("contrib", "honest-but-curious")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    measurement = dp.binary_search_chain(
        lambda scale: dp.m.make_noisy_max(*space, dp.max_divergence(), scale),
        d_in=1,
        d_out=epsilon,
    )
    return lambda: measurement(scores)


def main() -> int:
    """Print the table; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--records", type=int, default=5000, help="scores lie in [0, records]")
    parser.add_argument("--runs", type=int, default=10_001)
    parser.add_argument("--distinct", type=int, nargs="*", default=[1_000_000])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--opendp-limit", type=int, default=1_000_000, help="0: without OpenDP")
    parser.add_argument("--require", type=float, default=5.0)
    options = parser.parse_args()
    rng, source, enough = np.random.default_rng(0), SecureSource(), True

    def choose(candidates: ScoreRuns) -> object:
        return exponential_mechanism(candidates, epsilon=options.epsilon, source=source)

    def both(name: str, scores: np.ndarray, epsilon: float, least: float) -> bool:
        rate = selection_rate(epsilon)
        mine = best(lambda: Explicit(scores).draw(rate, source), options.repeat)
        memory = peak(lambda: Explicit(scores).draw(rate, source))
        line = f"{name:>24} {mine * 1e3:>9.1f} ms {memory:>6.0f} MB"
        ratio = least
        if len(scores) <= options.opendp_limit:
            theirs = best(opendp_noisy_max(scores, epsilon), options.repeat)
            ratio = theirs / mine
            line += f" {theirs * 1e3:>7.0f} ms {ratio:>6.1f}x"
        print(line, flush=True)
        return ratio >= least

    print(f"{'candidates':>24} {'littlestone':>12} {'peak':>9} {'OpenDP':>10} {'ratio':>7}")
    for size in options.sizes:
        # error counts of a finite class on n records: bell-shaped, up to n levels
        scores = rng.binomial(options.records, 0.4, size)
        enough &= both(f"{size:,}", scores, options.epsilon, options.require)
    for size in options.distinct:
        # as many levels as candidates: none of them hopeless; then far apart, most of them hopeless
        flat, wide = rng.permutation(size), rng.integers(0, 1024 * size, size)
        enough &= both(f"{size:,} all distinct", flat, 2 / size, 1)
        enough &= both(f"{size:,} far apart", wide, options.epsilon / 1024, 1)

    # thresholds on [0, 2**1024) after 10,000 records: runs of equal error between the records
    runs = options.runs
    starts = np.array([i * (2**1024 // runs) for i in range(runs)], dtype=object)
    scores = np.array([-abs(i - runs // 3) for i in range(runs)])
    flat = ScoreRuns(starts, 2**1024, scores // 100)
    steep = ScoreRuns(starts, 2**1024, scores)
    mine = best(lambda: choose(steep), options.repeat)
    memory = peak(lambda: choose(steep))
    print(f"{f'2**1024 in {runs:,} runs':>24} {mine * 1e3:>9.1f} ms {memory:>6.0f} MB")
    rate = Fraction(str(options.epsilon)) / 2
    mine = best(lambda: flat.draw(rate / 100, source), options.repeat)
    print(f"{'the same, nearly flat':>24} {mine * 1e3:>9.1f} ms")
    high = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak resident memory of the whole run: {high:,.0f} MB")
    if not enough:
        print(f"A ratio is below the required {options.require}.", file=sys.stderr)
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
