"""How many users are needed, measured, when each holds m records: three ways to protect users.

Run (about a minute)::

    python benchmarks/user_level.py

* *user-level*: `UserAgnosticLearner(method="user-level")`, paper 002, Theorem 4.6;
* *group privacy*: the exponential mechanism on all n m records with epsilon/m;
* *one record each*: the same mechanism with epsilon, on one record of each user.

All of them read the same users, from a distribution over 2**20 points: x is ``a`` or ``a + 1`` with
probability 0.15 each, and labelled by the threshold ``a`` but for one label in ten; any other
x is far below ``a``, and its label is a fair coin. Only the threshold ``a`` is good: any other has
0.12 more error. (So ln|H| counts, and the best error is in the middle, where the numbers of
mistakes vary most.) *Users needed* is the least n, to 9 %, at which at most 5 % of the runs have an
excess error above 0.1.

The slope is that of log2(users) against log2(m). For the user-level mechanism theory says -1/2 as
long as privacy decides and m alpha**2 is small (Theorem 4.6), for the two others 0. At m = 1 there
is nothing to search for (t = 0), so its slope is taken from m = 4 on, too.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

import littlestone as ls
from littlestone.data import UserSample
from littlestone.learners.exponential import Agnostic
from littlestone.learners.users import UserAgnostic
from littlestone.source import SeededSource

A, LOW, HIGH = 2**19, 1, 2**20
POINTS = np.array([1, A, A + 1])
MASS = np.array([0.7, 0.15, 0.15])
ONES = np.array([0.5, 0.1, 0.9])  # how often each point is labelled 1
BUDGET = {"alpha": "0.1", "beta": "0.05"}
RECORDS = (1, 4, 16, 64)
Way = Callable[[UserSample, int], int]


def draw(rng: np.random.Generator, n: int, m: int) -> UserSample:
    """Return n users with m records each."""
    kinds = np.stack([MASS * (1 - ONES), MASS * ONES], axis=1).reshape(-1)
    counts = rng.multinomial(m, kinds, size=n)  # of each user: kind 2 point + label
    user, held = np.nonzero(counts)
    keys = np.arange(n, dtype=np.uint64)
    label8 = (held % 2).astype(np.int8)
    return UserSample(POINTS, user, held // 2, label8, counts[user, held], keys)


def ways(epsilon: str, m: int) -> dict[str, Way]:
    """Return for each way a function of (users, seed): the threshold that it releases."""
    thresholds = ls.Thresholds(LOW, HIGH)
    ours = UserAgnostic(
        thresholds, epsilon=epsilon, samples_per_user=m, method="user-level", **BUDGET
    )
    item = {"concept_class": thresholds, **BUDGET}
    single = Agnostic(**item, epsilon=epsilon)
    group = Agnostic(**item, epsilon=Fraction(epsilon) / m)

    def one_record_each(users: UserSample, seed: int) -> int:
        return single.draw(
            users.bound_contributions(1, salt=seed).pooled(), SeededSource(seed)
        ).above

    return {
        "user-level": lambda users, seed: ours.draw(users, SeededSource(seed)).above,
        "group privacy": lambda users, seed: group.draw(users.pooled(), SeededSource(seed)).above,
        "one record each": one_record_each,
    }


def needed(way: Way, m: int, trials: int) -> int:
    """Return the least n on a grid of ratio 2**(1/8) at which at most 5 % of the runs fail."""

    def fails(step: int) -> bool:
        n, allowed, failed = round(2 ** (step / 8)), trials // 20, 0
        rng = np.random.default_rng([m, step])  # all ways see the same users
        for trial in range(trials):
            failed += way(draw(rng, n, m), 1_000_000 * step + trial) != A
            if failed > allowed:
                return True
        return False

    high = 40
    while fails(high):
        high += 16
    low = high - 16 if high > 40 else 8
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fails(middle) else (low, middle)
    return round(2 ** (high / 8))


def slope(users: list[int], first: int = 0) -> float:
    """Return the least-squares slope of log2(users) against log2(m)."""
    return float(np.polyfit(np.log2(RECORDS[first:]), np.log2(users[first:]), 1)[0])


def certified(epsilon: str) -> list[str]:
    """Return what the certificates ask for (any distribution), for the automatic choice."""
    out = []
    for m in RECORDS:
        learner = UserAgnostic(
            ls.Thresholds(LOW, HIGH), epsilon=epsilon, samples_per_user=m, **BUDGET
        )
        out.append(f"{learner.required_samples():,} ({learner.plan.method})")
    return out


def main() -> None:
    """Print one table for each epsilon."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--epsilon", nargs="+", default=["1", "1/4"])
    parser.add_argument("--trials", type=int, default=400)
    arguments = parser.parse_args()
    began = time.perf_counter()
    for epsilon in arguments.epsilon:
        print(f"\nUsers needed at epsilon {epsilon}, excess error 0.1, probability 0.95\n")
        print(
            "| way | "
            + " | ".join(f"m = {m}" for m in RECORDS)
            + " | slope | from m = 4 | theory |"
        )
        print("|---|" + "---|" * (len(RECORDS) + 3))
        found: dict[str, list[int]] = {}
        for m in RECORDS:
            for name, way in ways(epsilon, m).items():
                found.setdefault(name, []).append(needed(way, m, arguments.trials))
        for name, users in found.items():
            cells = " | ".join(f"{n:,}" for n in users)
            theory = "-0.5" if name == "user-level" else "0"
            print(f"| {name} | {cells} | {slope(users):.2f} | {slope(users, 1):.2f} | {theory} |")
        print("| certified, any data | " + " | ".join(certified(epsilon)) + " | | | |")
    print(f"\n{arguments.trials} runs for each n; {math.ceil(time.perf_counter() - began)} s")


if __name__ == "__main__":
    main()
