"""Mistakes of the online learner against horizon and dimension, its speed, and its memory.

Run (about three minutes)::

    python benchmarks/online.py
    python benchmarks/online.py --records 10000000

All streams are public: mistakes may be counted. *Uniform*: points at random, one threshold.
*Hard*: blocks that show points ever nearer to the target, so that no block teaches the next one.
"""

from __future__ import annotations

import argparse
import math
import resource
import time

import numpy as np

import littlestone as ls
from littlestone.learners.online.algorithm import OnlineAlgorithm, mistake_bound, simulate
from littlestone.learners.online.plan import plan_online
from littlestone.source import SecureSource

BUDGET = {"epsilon": 1, "delta": 1e-6}


def uniform(top: int, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points at random, labelled by a threshold at random."""
    rng = np.random.default_rng(seed)
    x = rng.integers(1, top + 1, n)
    return x, (x > rng.integers(0, top + 1)).astype(np.int8)


def hard(top: int, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return blocks of points that halve what is unknown, in the order of the blocks."""
    rng = np.random.default_rng(seed)
    target, levels = int(rng.integers(1, top)), max(top.bit_length(), 1)
    low, high, blocks = 0, top, []
    for size in np.diff(np.linspace(0, n, levels + 1).astype(int)):
        middle = max((low + high + 1) // 2, 1)
        blocks.append(np.full(size, middle))
        low, high = (middle, high) if middle <= target else (low, max(middle - 1, low))
    x = np.concatenate(blocks)
    return x, (x > target).astype(np.int8)


def table(horizons: list[int], powers: list[int], seeds: int) -> None:
    """Print mistakes (mean over seeds) and bounds."""
    print(f"{'points':>8} {'horizon':>9} {'numbers':>10} {'uniform':>9} {'hard':>9} {'proved':>10}")
    for power in powers:
        top = 2**power - 1
        concept_class = ls.Thresholds(1, top)
        for n in horizons:
            for constants in ("practical", "theory"):
                plan = plan_online(concept_class, **BUDGET, horizon=n, constants=constants)
                algorithm = OnlineAlgorithm(concept_class, plan)
                cells = []
                for stream in (uniform, hard):
                    runs = [simulate(algorithm, *stream(top, n, s), seed=s) for s in range(seeds)]
                    cells.append(np.mean([len(run.mistakes) for run in runs]))
                bound = runs[0].bound
                proved = f"{bound.mistakes:,}" if bound.holds else "-"
                print(
                    f"{'2**' + str(power):>8} {n:>9,} {constants:>10} {cells[0]:>9,.0f} "
                    f"{cells[1]:>9,.0f} {proved:>10}"
                )


def bounds() -> None:
    """Print our bound beside others."""
    print("\nbounds at horizon 10**6, epsilon 1, delta 1e-6 (orders with constant 1)")
    names = ("soa", "ours", "naive", "lyu_order", "golowich_livni_order")
    print(f"{'class':>22} " + " ".join(f"{name:>22}" for name in names))
    for spec, concept_class in (
        ("thresholds(1, 3)", ls.Thresholds(1, 3)),
        ("thresholds(1, 1023)", ls.Thresholds(1, 1023)),
        ("thresholds(1, 2**32)", ls.Thresholds(1, 2**32)),
        ("points(1, 2**32)", ls.Points(1, 2**32)),
        ("points()", ls.Points()),
    ):
        plan = plan_online(concept_class, **BUDGET, horizon=10**6, constants="theory")
        d = concept_class.version_space().littlestone_dim()
        log_delta = math.log(1 / float(plan.goal.delta))
        found = {
            "soa": d,
            "ours": mistake_bound(plan, concept_class).mistakes,
            "naive": float(concept_class.size) * plan.phases[-1].limit,
            "lyu_order": d**9.5 * math.log(10**6) * log_delta / float(plan.goal.epsilon),
            "golowich_livni_order": 2.0 ** (2**d) if d < 10 else math.inf,
        }
        print(f"{spec:>22} " + " ".join(f"{found[name]:>22.4g}" for name in names))


def speed(n: int) -> None:
    """Print records per second and the growth of memory, with the source of releases."""
    concept_class = ls.Thresholds(1, 2**32)
    learner = ls.OnlineLearner(concept_class, **BUDGET, horizon=n)
    x, y = uniform(2**32, 200_000, 1)
    started = time.perf_counter()
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        learner.predict_one(a)
        learner.learn_one(a, b)
    one = len(x) / (time.perf_counter() - started)
    learner = ls.OnlineLearner(concept_class, **BUDGET, horizon=n)
    target, used, done, begin = 1_234_567_890, 0.0, 0, None
    rng = np.random.default_rng(2)
    while done < n:
        x = rng.integers(1, 2**32, 10**5)
        y = (x > target).astype(np.int8)
        started = time.perf_counter()
        learner.learn_many(x, y)
        used += time.perf_counter() - started
        done += len(x)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        begin = begin or peak
    assert isinstance(learner._start()[1](0), SecureSource)
    print(
        f"\nthresholds over 2**32: {one:,.0f} records/s one by one (predict and learn), "
        f"{n / used:,.0f} in batches of 100,000\nafter {n:,} records: "
        f"{len(learner.published_)} hypotheses published, peak memory {peak / 1024:,.0f} MB, "
        f"{(peak - begin) / 1024:,.0f} MB more than after the first batch"
    )


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=0)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    if options.records:
        speed(options.records)
    else:
        table([10**3, 10**4, 10**5, 10**6], [2, 6, 10, 20, 32], options.seeds)
        bounds()


if __name__ == "__main__":
    main()
