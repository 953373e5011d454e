"""Users needed against |X| and against m, certified and measured (paper 002, Theorem 4.6).

Run (two or three minutes)::

    python experiments/users_needed.py

Certified: for every distribution. Measured: the least n (to a factor of 2**(1/16)) at which the
failure rate is at most 0.05 by Clopper-Pearson (95 %, 400 runs; 100 where n m is above 100,000),
for the worse of the two distributions of ``experiments/table1.py``: only one threshold is good, all
others have alpha more error. A user's records are drawn; the mechanisms' draws are explicit given
the three scores that occur (at the good threshold, and on either side), and are drawn by them.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from chart import Axis
from scipy.stats import beta as beta_law
from series import CERTIFIED, MEASURED, Figure, Fit, Row, run
from table1 import Hard, claims, family

import littlestone as ls
from littlestone.learners.users import UserAgnostic
from littlestone.learners.users.learner import ClippedPlan, RecordsPlan
from littlestone.source import public_generator

BETA = 0.05
METHODS = ("one-record", "group-privacy", "user-level")
#: log2 |X|, epsilon, alpha, m for each point of a figure.
ASKED = {
    "users-records": [(20, "1", "0.1", m) for m in (1, 4, 16, 64, 256)],
    "users-records-4": [(256, "4", "0.05", m) for m in (1, 4, 16, 64)],
    "users-domain": [(k, "1", "0.1", 16) for k in (10, 20, 64, 256, 1024)],
    "users-domain-20": [(k, "20", "0.05", 16) for k in (10, 64, 256, 1024, 4096)],
}
NAMES = {"one-record": "one record of each", "group-privacy": "group privacy",
         "user-level": "user-level"}  # fmt: skip


def learner(power: int, epsilon: str, alpha: str, m: int, method: str) -> UserAgnostic:
    """Return a learner of thresholds on 2**power points."""
    return UserAgnostic(
        ls.Thresholds(1, 2**power), epsilon=Fraction(epsilon), alpha=alpha, beta="0.05",
        samples_per_user=m, method=method,
    )  # fmt: skip


def mistakes(hard: Hard, m: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return the mistakes of n users: on one side, at the good threshold, on the other side."""
    c = rng.multinomial(m, hard.kinds, size=n)
    far = c[:, 4]
    return np.stack([far + c[:, i] + c[:, j] for i, j in ((0, 3), (1, 3), (1, 2))])


def lost(scores: np.ndarray, rate: float, log_half: float) -> float:
    """Return the chance of a bad threshold: half of them have the first score, half the last."""
    behind = rate * (scores[[0, 2]] - scores[1])
    return float(1 / (1 + np.exp(-np.clip(np.logaddexp(*(log_half - behind)), -700, 700))))


def failed(route: RecordsPlan | ClippedPlan, hard: Hard, power: int, n: int,
           rng: np.random.Generator) -> bool:  # fmt: skip
    """Run a route on n users once: whether a bad threshold is released."""
    log_half = (power - 1) * math.log(2)
    if isinstance(route, RecordsPlan):
        records = mistakes(hard, n * route.each, 1, rng)[:, 0]
        chance = lost(records, float(route.inner.epsilon) / 2, log_half)
        return bool(rng.random() < chance)
    held, w = mistakes(hard, route.samples_per_user, n, rng), route.width
    counts = [np.bincount(one, minlength=route.samples_per_user + 1) for one in held]
    k = np.arange(route.samples_per_user + 1)
    scores = np.array(
        [[c @ np.clip(k - t, 0, w) for c in counts] for t in route.starts], dtype=float
    )
    least, aim = scores.min(axis=1), float(route.level) * n * w
    before = np.concatenate([np.full(route.lag, n * w), least])[: len(least)]
    margins = np.minimum(aim - least, before - aim)
    margins[-1] = before[-1] - aim
    weights = np.exp(float(route.epsilon_search) / (2 * w) * (margins - margins.max()))
    start = rng.choice(len(weights), p=weights / weights.sum())
    chance = lost(scores[start], float(route.epsilon_choice) / (2 * w), log_half)
    return bool(rng.random() < chance)


def needed(one: UserAgnostic, power: int, trials: int) -> int:
    """Return the least n, to a factor of 2**(1/16), at which the failure rate is at most BETA."""
    route, m = one.plan.chosen, one.samples_per_user

    def users(step: int) -> int:
        return math.ceil(route.required * 2 ** (-step / 16))

    def enough(step: int) -> bool:
        n = users(step)
        runs = trials if n * m <= 100_000 or route.method != "user-level" else trials // 4
        allowed = max(k for k in range(runs) if beta_law.ppf(0.95, k + 1, runs - k) <= BETA)
        for hard in family(float(one.alpha)):
            rng, failures = public_generator(step, m), 0
            for _ in range(runs):
                failures += failed(route, hard, power, n, rng)
                if failures > allowed:
                    return False
        return True

    low, high = 0, 80  # what is certified is enough
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return users(low)


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield all rows."""
    trials, most = (100, 1) if options.quick else (400, None)
    for figure, settings in ASKED.items():
        for asked in settings[:most]:
            x = asked[3] if "records" in figure else asked[0]
            for method in METHODS:
                one = learner(*asked, method)
                n = one.required_samples()
                yield Row(figure, NAMES[method], CERTIFIED, x, n, claim=claims(one.certificate(n)))
                yield Row(figure, NAMES[method], MEASURED, x, needed(one, asked[0], trials))


USERS, RECORDS = Axis("users needed"), Axis("records of each user, m")
POINTS = Axis(
    "number of points |X|, as log₂ |X|",
    ticks=tuple((float(k), f"2^{k}") for k in (10, 64, 256, 1024, 4096)),
)
_LEVEL = (
    "Users needed against records of each user, both on logarithmic axes: one record of each is "
    "level, group privacy soon is, user-level errors go on falling."
)
_SIZE = (
    "Users needed against the logarithm of the domain's size, both on logarithmic axes: level "
    "where sampling decides, of slope 1 where privacy does."
)
FIGURES = [
    Figure("users-records", "Users needed against m: |X| = 2^20, ε = 1, α = 0.1", RECORDS, USERS,
           _LEVEL),
    Figure("users-records-4", "Users needed against m: |X| = 2^256, ε = 4, α = 0.05", RECORDS,
           USERS, _LEVEL),
    Figure("users-domain", "Users needed against ln |X|: m = 16, ε = 1, α = 0.1", POINTS, USERS,
           _SIZE),
    Figure("users-domain-20", "Users needed against ln |X|: m = 16, ε = 20, α = 0.05", POINTS,
           USERS, _SIZE),
]  # fmt: skip

_ROOT = "1/√m from privacy, 1/m from sampling (Theorem 4.6)"
_LINE = "ln|X|/(√m αε) from privacy, and VC/(m α²), without ln|X|, from sampling (Theorem 4.6)"
FITS = [
    *(Fit(figure, NAMES["user-level"], kind, "log-log", 1, 64, -0.5, "about", 0.3, _ROOT)
      for figure in ("users-records", "users-records-4") for kind in (CERTIFIED, MEASURED)),
    *(Fit("users-records", NAMES["group-privacy"], kind, "log-log", 16, 256, 0, "about", 0.1,
          "m records with ε/m: nothing gained") for kind in (CERTIFIED, MEASURED)),
    *(Fit("users-records", NAMES["one-record"], kind, "log-log", 1, 256, 0, "about", 0.05,
          "one record counts") for kind in (CERTIFIED, MEASURED)),
    *(Fit(figure, NAMES[method], kind, "log-log", low, 16 * low, 1, "at most", 0.02, _LINE)
      for figure, low in (("users-domain", 64), ("users-domain-20", 256))
      for method in METHODS for kind in (CERTIFIED, MEASURED)),
]  # fmt: skip

if __name__ == "__main__":
    run("users_needed", __doc__, measure, FIGURES, FITS)
