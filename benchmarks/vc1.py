"""How many records each method needs, certified and measured; and the time of a fit on a table.

Run (the tables take about two minutes, the rows about one)::

    python benchmarks/vc1.py
    python benchmarks/vc1.py --rows 10000000
    python benchmarks/vc1.py --rows 10000000 --distinct 0

Every number is for epsilon 1, delta 1e-6, alpha 0.1, beta 0.05, if no others are given. *Measured*
is the least n at which the worst of a family of distributions fails with probability at most beta,
by exact conditional probabilities over simulated counts: all positive records lie on the ``w``
deepest points, whose mass is just above alpha together (w = 1, 2, 10, 30, 100).
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

import littlestone as ls
from littlestone.bounds import yan25_theorem11
from littlestone.learners.exponential import Generic
from littlestone.learners.running import read_sample
from littlestone.learners.vc1 import VC1, ChainMedian, OneShot, TreeGoal
from littlestone.mechanisms.median import Groups, Ordered, RankWindow, TreeEM
from littlestone.source import SecureSource

WIDTHS = (1, 2, 10, 30, 100)


def sigmoid(log_odds: np.ndarray | float) -> np.ndarray:
    """Return odds / (1 + odds)."""
    return 1 / (1 + np.exp(-np.clip(log_odds, -700, 700)))


def tails(rng: np.random.Generator, n: int, alpha: float, width: int, trials: int) -> np.ndarray:
    """Return counts on the deepest points, the top one first."""
    hits = rng.binomial(n, alpha + 1e-9, trials)
    return np.stack([rng.multinomial(g, [1 / width] * width) for g in hits])


def log(x: int | Fraction) -> float:
    """Return the natural logarithm of a number of any size."""
    exact = Fraction(x)
    return math.log(exact.numerator) - math.log(exact.denominator)


def one_shot_fails(plan: OneShot, counts: np.ndarray, n: int) -> np.ndarray:
    """Return the exact chance of a bad node for each row of counts."""
    budget, votes, width = plan.budget, plan.votes, counts.shape[1]
    rate = float(budget.rate)
    reach = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
    good = np.logaddexp.reduce(rate * np.minimum(reach, 2 * votes - 1 - (reach - counts)), axis=1)
    g = counts.sum(axis=1)
    inner = log(budget.depth - width) if budget.depth > width else -np.inf
    between = inner + rate * np.minimum(g, 2 * votes - 1 - g)
    root = rate * np.minimum(n, 2 * votes - 1 - g)
    bottom = log(budget.depth) + rate + log((1 - budget.delta) / budget.delta)
    return sigmoid(np.logaddexp(np.logaddexp(between, root), bottom) - good)


def generic_fails(size: int, epsilon: float, counts: np.ndarray) -> np.ndarray:
    """Return the chance of a bad threshold: all but those of the tail err on all of it."""
    width = counts.shape[1]
    wrong = np.cumsum(counts, axis=1) - counts  # of the threshold at each point of the tail
    good = np.logaddexp.reduce(
        -epsilon / 2 * np.concatenate([wrong, counts[:, :0]], axis=1), axis=1
    )
    g = counts.sum(axis=1)
    return sigmoid(log(max(size - width, 1)) - epsilon / 2 * g - good)


def median_fails(plan: ChainMedian, counts: np.ndarray, n: int) -> np.ndarray:
    """Return the chance of a bad depth on a straight path: the law of the median itself."""
    depth, width = plan.budget.depth, counts.shape[1]
    places = [depth - width + 1 + i for i in range(width)]
    first = places[0]
    out = np.empty(len(counts))
    for row, count in enumerate(counts):
        present = [p for p, c in zip(places, count, strict=True) if c]
        cumulative = np.cumsum([n - int(count.sum()), *(int(c) for c in count if c)])
        points = np.empty(len(present) + 1, dtype=object)
        points[:] = [0, *present]
        if depth < 2**61:
            points = points.astype(np.int64)
        values = Ordered(points, cumulative.astype(np.int64), depth + 1)
        above = max(n - plan.good + 1, 1)
        window = RankWindow(Fraction(0), Fraction(1))
        if above + 1 < n:
            window = RankWindow(Fraction(above, n), 1 - Fraction(1, n))
        out[row] = _chance(plan, values, window, first)
    return out


def _chance(plan: ChainMedian, values: Ordered, window: RankWindow, first: int) -> float:
    """Return the probability that the median is above the tail's first point, or bottom."""
    epsilon, delta = plan.budget.epsilon, plan.budget.delta
    mechanism = TreeEM((values.size - 1).bit_length(), window, epsilon, delta)
    groups = Groups.of(values, mechanism.height)
    scores = mechanism.scores(groups, values.n)
    parts = []
    for i, (score, length) in enumerate(zip(scores.tolist(), groups.sizes.tolist(), strict=True)):
        if int(length):  # nodes of one group release points on one side of all records
            parts.append((score, int(length), min(groups.release(i, 0), values.size - 1)))
    bottom = log(mechanism.height) + float(epsilon) / 2 + log((1 - delta) / delta)
    rate = float(epsilon) / 2
    good = bad = -np.inf
    for score, length, start in parts:
        if not length:
            continue
        weight = log(length) + rate * score
        if start >= first:
            good = np.logaddexp(good, weight)
        else:
            bad = np.logaddexp(bad, weight)
    return float(sigmoid(np.logaddexp(bad, bottom) - good))


def least(fails: Callable[[int], float], start: int, beta: float) -> int:
    """Return the least n from which on the measured failure is at most beta, about."""
    low, high = 0, start
    while high - low > max(1, start // 500):
        middle = (low + high) // 2
        low, high = (low, middle) if fails(middle) <= beta else (middle, high)
    return high


def measured(
    chances: Callable[[np.ndarray, int], np.ndarray],
    n: int,
    options: argparse.Namespace,
    depth: int,
) -> int:
    """Return the least n for the worst of the family."""

    def fails(m: int) -> float:
        worst = 0.0
        for width in WIDTHS:
            if width <= depth:
                rng = np.random.default_rng(width)
                counts = tails(rng, m, options.alpha, width, options.trials)
                worst = max(worst, float(chances(counts, m).mean()))
        return worst

    return least(fails, n, options.beta)


def thresholds_table(options: argparse.Namespace) -> None:
    """Print n against the size of the domain of thresholds."""
    numbers = exact(options)
    print("Thresholds over |X| values: certified/measured")
    names = ("exponential", "one-shot", "median")
    print(f"{'|X|':>10} " + " ".join(f"{name:>17}" for name in names))
    for power in options.powers:
        cls = ls.Thresholds(1, 2**power)
        generic = Generic(
            cls, epsilon=options.epsilon, alpha=options.alpha, beta=options.beta
        ).required_samples()
        budget = TreeGoal(*numbers, depth=2 ** (power - 1))
        long = TreeGoal(*numbers, depth=2**power)
        shot = OneShot.plan(budget)
        median = ChainMedian.plan(long)
        cells = [(generic, lambda c, n, s=cls.size: generic_fails(s, options.epsilon, c))]
        cells.append((shot.required, lambda c, n, p=shot: one_shot_fails(p, c, n)))
        cells.append((median.required, lambda c, n, p=median: median_fails(p, c, n)))
        line = f"{f'2^{power}' if power < 65536 else '2^(2^16)':>10}"
        for n, chances in cells:
            seen = "-"
            if n <= options.most:
                seen = f"{measured(chances, n, options, 2 ** min(power - 1, 40)):,}"
            line += f" {f'{n:,}/{seen}':>17}"
        print(line, flush=True)


def exact(options: argparse.Namespace) -> tuple[Fraction, Fraction, Fraction, Fraction]:
    """Return the parameters as exact fractions."""
    values = (options.epsilon, options.delta, options.alpha, options.beta)
    epsilon, delta, alpha, beta = (Fraction(str(v)) for v in values)
    return epsilon, delta, alpha, beta


def trees_table(options: argparse.Namespace) -> None:
    """Print n for trees of a given depth, whatever their width."""
    numbers = exact(options)
    print("\nAny tree of depth d: certified/measured")
    print(f"{'d':>10} {'one-shot':>17}")
    for power in (0, 1, 2, 4, 5, 7, 10, 16, 20, 32, 64, 128, 256, 1024):
        budget = TreeGoal(*numbers, depth=2**power)
        shot = OneShot.plan(budget)
        seen = "-"
        if shot.required <= options.most:
            chances = partial(one_shot_fails, shot)
            seen = f"{measured(chances, shot.required, options, 2 ** min(power, 40)):,}"
        print(f"{f'2^{power}':>10} {f'{shot.required:,}/{seen}':>17}", flush=True)


def classes_table(options: argparse.Namespace) -> None:
    """Print what wins where."""
    print("\nClasses: records needed")
    print(f"{'class':>26} {'concepts':>9} {'depth':>7} {'exponential':>12} {'vc1':>7}")
    numbers = {"epsilon": options.epsilon, "alpha": options.alpha, "beta": options.beta}
    for cls, name in [
        (ls.Points(), "infinite"),
        (ls.Points(1, 2**32), "2^32"),
        (ls.Prefixes("0123456789", 5), "1.1e5"),
        (ls.Prefixes("ipv4"), "2^33"),
        (ls.Prefixes("ipv6"), "2^129"),
        (ls.Thresholds(1, 2**64), "2^64"),
        (ls.Thresholds(1, 2**80), "2^80"),
        (ls.Thresholds(1, 2**88), "2^88"),
        (ls.Thresholds(1, 2**128), "2^128"),
        (ls.Thresholds(1, 2**1024), "2^1024"),
    ]:
        generic = Generic(cls, **numbers).required_samples()
        vc1 = VC1(cls, delta=options.delta, **numbers)
        height = vc1.plan.tree.height
        depth = str(height) if height < 10**6 else f"2^{height.bit_length() - 1}"
        print(
            f"{cls.spec[:26]:>26} {name:>9} {depth:>7} {generic:>12,} {vc1.required_samples():>7,}"
        )
    low, high = 40, 200
    while high - low > 1:
        middle = (low + high) // 2
        cls = ls.Thresholds(1, 2**middle)
        wins = (
            VC1(cls, delta=options.delta, **numbers).required_samples()
            < Generic(cls, **numbers).required_samples()
        )
        low, high = (low, middle) if wins else (middle, high)
    print(f"On thresholds, vc1 needs fewer records from |X| = 2^{high} on.")
    paper = yan25_theorem11(delta=options.delta, **numbers)
    print(f"The paper's own constants, for any class (without its median's): more than {paper.n:,}")


CHUNKED = """
SELECT chunk, min(x) FILTER (y = 1), max(x) FILTER (y = 0)
FROM (SELECT x, y, CAST(random() * 8191 AS INTEGER) AS chunk FROM read_parquet(?))
GROUP BY chunk
"""
EXTREMES = "SELECT y, min(x), max(x) FROM read_parquet(?) GROUP BY y"
COUNTS = "SELECT count(*) FROM (SELECT x, y, count(*) FROM read_parquet(?) GROUP BY x, y)"


def fit_times(rows: int, distinct: int) -> None:
    """Time a fit on a Parquet file beside hand-written queries, in turns."""
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    values = rng.integers(0, 2**64, distinct or rows, dtype=np.uint64)
    x = values[rng.integers(0, distinct, rows)] if distinct else values
    y = (x > 2**63 + 2**60).astype(np.int8)
    algorithm = VC1(ls.Thresholds(0, 2**64 - 1), epsilon=1, delta=1e-6, alpha=0.1, beta=0.05)
    domain, source = algorithm.concept_class.domain, SecureSource()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        pq.write_table(pa.table({"x": x, "y": y}), path)
        del x, y, values
        connection = duckdb.connect()

        def ask(query: str) -> object:
            return connection.execute(query, [path]).fetchall()

        sample = read_sample(algorithm, path, x="x", y="y")
        steps: dict[str, Callable[[], object]] = {
            "by hand: MIN, MAX by label and random chunk": lambda: ask(CHUNKED),
            "by hand: MIN, MAX by label": lambda: ask(EXTREMES),
            "by hand: count by point and label": lambda: ask(COUNTS),
            "read": lambda: read_sample(algorithm, path, x="x", y="y"),
            "learn": lambda: algorithm.draw(sample, source),
            "read and learn": lambda: algorithm.draw(
                read_sample(algorithm, path, x="x", y="y"), source
            ),
            "Sample.read (all counts; not needed here)": lambda: ls.data.Sample.read(
                path, x="x", y="y", domain=domain
            ),
        }
        seconds: dict[str, list[float]] = {name: [] for name in steps}
        for _ in range(7):
            for name, run in steps.items():
                start = time.perf_counter()
                run()
                seconds[name].append(time.perf_counter() - start)
    print(f"{rows:,} rows, {distinct or 'all'} distinct points, thresholds(0, 2**64 - 1)")
    best = {name: min(times) for name, times in seconds.items()}
    for name, time_ in best.items():
        print(f"  {name:45} {time_:7.3f} s")
    by_hand, whole = best["by hand: MIN, MAX by label and random chunk"], best["read and learn"]
    print(f"  a fit takes {whole / by_hand:.2f} times the chunked query")


def main() -> int:
    """Print the tables; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--delta", type=float, default=1e-6)
    parser.add_argument("--alpha", type=float, default=0.1)
    parser.add_argument("--beta", type=float, default=0.05)
    parser.add_argument("--trials", type=int, default=100, help="simulated counts per width and n")
    parser.add_argument("--most", type=int, default=40_000, help="measure up to this many records")
    parser.add_argument(
        "--powers", type=int, nargs="+", default=[10, 20, 32, 64, 80, 96, 128, 256, 1024, 65536]
    )
    parser.add_argument("--rows", type=int, help="time a fit on so many rows instead")
    parser.add_argument("--distinct", type=int, default=100_000, help="points of these; 0: all")
    options = parser.parse_args()
    if options.rows:
        fit_times(options.rows, options.distinct)
        return 0
    classes_table(options)
    trees_table(options)
    thresholds_table(options)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
