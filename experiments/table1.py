"""Table 1 of paper 002: records and users for agnostic learning, against alpha, epsilon, m and |X|.

Run (about three minutes)::

    python experiments/table1.py

Certified: what the certificates ask for, for every distribution. Measured: the least n at which
the worse of two hard distributions over thresholds on 2**20 points fails with probability at most
0.05. In both only one threshold is good; every other has alpha more error, no more:

* *clean*: few records lie at the two points that matter; one label in ten is wrong;
* *noisy*: nine in ten records lie there, with labels that are nearly coins.

Failure probabilities are exact given the counts of the kinds of records, or of the types of users
(a type says at which thresholds a user has more than t mistakes); the counts are simulated. The
learner that has to find t first is run itself, by ``benchmarks/user_level.py``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from chart import Axis
from series import CERTIFIED, MEASURED, Figure, Fit, Row, benchmark, least, run

import littlestone as ls
from littlestone.learners.exponential import Agnostic
from littlestone.learners.users import UserAgnostic
from littlestone.learners.users.scores import crossing
from littlestone.source import public_generator

POWER, BETA = 20, Fraction(1, 20)
ALPHAS = ["0.3", "0.2", "0.15", "0.1", "0.07", "0.05", "0.035", "0.025", "0.0175", "0.0125"]
EPSILONS = ["1/256", "1/128", "1/64", "1/32", "1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8"]
POWERS = [10, 16, 20, 32, 64, 128, 256, 512, 1024, 2048, 4096, 16384]


@dataclass(frozen=True)
class Hard:
    """A distribution on a far point and two neighbours a, a + 1; labels follow the threshold a.

    Attributes
    ----------
    mass : float
        Of each of the two neighbours.
    wrong : float
        Share of labels there that are wrong. At the far point labels are fair coins.
    """

    mass: float
    wrong: float

    @property
    def kinds(self) -> np.ndarray:
        """Probabilities: a right, a wrong, a + 1 right, a + 1 wrong, far 0, far 1."""
        near = [self.mass * (1 - self.wrong), self.mass * self.wrong]
        return np.array([*near, *near, 0.5 - self.mass, 0.5 - self.mass])

    @property
    def best(self) -> float:
        """The error of the threshold a."""
        return 2 * self.mass * self.wrong + 0.5 - self.mass


def family(alpha: float) -> list[Hard]:
    """Return the two distributions; mass * (1 - 2 wrong) = alpha: what other thresholds lose."""
    return [Hard(alpha / 0.8, 0.1), Hard(0.45, (1 - alpha / 0.45) / 2)]


def lost(rate: float, size: int, behind: np.ndarray) -> np.ndarray:
    """Return the chance of a bad threshold: half of them are ``behind`` by each column."""
    odds = np.logaddexp.reduce(math.log(size) - math.log(2) - rate * behind, axis=1)
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -700, 700))))


def by_records(hard: Hard, rate: float, size: int, n: int, trials: int) -> float:
    """Return the failure of the exponential mechanism on n records."""
    counts = public_generator(n).multinomial(n, hard.kinds, size=trials)
    behind = np.stack([counts[:, 0] - counts[:, 1], counts[:, 2] - counts[:, 3]], axis=1)
    return float(lost(rate, size, behind).mean())


def types(hard: Hard, m: int, t: int, users: int) -> np.ndarray:
    """Return how often a user has more than t mistakes at (below a, a, above a): 8 types."""
    c = public_generator(m, t).multinomial(m, hard.kinds, size=users)
    far = c[:, 4]
    below, at, above = (far + c[:, i] + c[:, j] for i, j in ((0, 3), (1, 3), (1, 2)))
    kind = 4 * (below > t) + 2 * (at > t) + (above > t)
    return np.bincount(kind, minlength=8) / users


def by_users(law: np.ndarray, rate: float, n: int, trials: int) -> float:
    """Return the failure of the exponential mechanism on user-level errors, given the types."""
    counts = public_generator(n).multinomial(n, law, size=trials)
    over = [counts @ [(kind >> place) & 1 for kind in range(8)] for place in (2, 1, 0)]
    behind = np.stack([over[0] - over[1], over[2] - over[1]], axis=1)
    return float(lost(rate, 2**POWER, behind).mean())


def worst(fails: Callable[[Hard, int], float], alpha: float, start: int) -> int:
    """Return the least n for the worse distribution."""
    return max(least(partial(fails, hard), start, float(BETA)) for hard in family(alpha))


def item(alpha: str, epsilon: Fraction, trials: int, power: int = POWER) -> int:
    """Return the measured number of records."""

    def fails(hard: Hard, n: int) -> float:
        return by_records(hard, float(epsilon) / 2, 2**power, n, trials)

    return worst(fails, float(Fraction(alpha)), 64)


def known(alpha: str, epsilon: Fraction, m: int, trials: int) -> int:
    """Return the measured number of users when the best error, so t, is known."""
    laws: dict[Hard, np.ndarray] = {}

    def fails(hard: Hard, n: int) -> float:
        if hard not in laws:
            p = Fraction(hard.best)
            t = int(crossing(m, float(p), float(p + Fraction(alpha))))
            laws[hard] = types(hard, m, t, 400_000)
        return by_users(laws[hard], float(epsilon) / 2, n, trials)

    return worst(fails, float(Fraction(alpha)), 64)


def group(alpha: str, epsilon: Fraction, m: int, trials: int) -> int:
    """Return the measured number of users of group privacy: n m records with epsilon/m."""

    def fails(hard: Hard, n: int) -> float:
        return by_records(hard, float(epsilon) / (2 * m), 2**POWER, n * m, trials)

    return worst(fails, float(Fraction(alpha)), 64)


def claims(certificate: ls.bounds.Certificate) -> str:
    """Return the claims of a certificate, in one word each."""
    return " ".join(certificate.claims)


def record_certificate(alpha: str, epsilon: Fraction, power: int = POWER) -> tuple[int, str]:
    """Return the certified number of records, and its claims."""
    learner = Agnostic(ls.Thresholds(1, 2**power), epsilon=epsilon, alpha=alpha, beta=BETA)
    n = learner.required_samples()
    return n, claims(learner.certificate(n))


def user_certificate(alpha: str, epsilon: Fraction, m: int, method: str) -> tuple[int, str]:
    """Return the certified number of users, and its claims."""
    learner = UserAgnostic(
        ls.Thresholds(1, 2**POWER), epsilon=epsilon, alpha=alpha, beta=BETA,
        samples_per_user=m, method=method,
    )  # fmt: skip
    n = learner.required_samples()
    return n, claims(learner.certificate(n))


def measure(options: argparse.Namespace) -> Iterator[Row]:
    """Yield all rows."""
    trials = 100 if options.quick else 4000
    step = 8 if options.quick else 1
    for epsilon in ("8", "1/64"):
        name, e = f"records, ε = {epsilon}", Fraction(epsilon)
        for alpha in ALPHAS[::step]:
            n, claim = record_certificate(alpha, e)
            a = float(alpha)
            yield Row("table1-alpha", name, CERTIFIED, a, n, claim=claim)
            yield Row("table1-alpha", name, MEASURED, a, item(alpha, e, trials))
    name, e = "users of 16 records, ε = 1/64", Fraction(1, 64)
    for alpha in ALPHAS[::step]:
        n, claim = user_certificate(alpha, e, 16, "user-level")
        yield Row("table1-alpha", name, CERTIFIED, float(alpha), n, claim=claim)
        yield Row("table1-alpha", name, MEASURED, float(alpha), known(alpha, e, 16, trials))
    for epsilon in EPSILONS[::step]:
        e = Fraction(epsilon)
        n, claim = record_certificate("0.1", e)
        yield Row("table1-epsilon", "records", CERTIFIED, float(e), n, claim=claim)
        yield Row("table1-epsilon", "records", MEASURED, float(e), item("0.1", e, trials))
        name = "users of 16 records"
        n, claim = user_certificate("0.1", e, 16, "user-level")
        yield Row("table1-epsilon", name, CERTIFIED, float(e), n, claim=claim)
        yield Row("table1-epsilon", name, MEASURED, float(e), known("0.1", e, 16, trials))
    for power in POWERS[::step]:
        n, claim = record_certificate("0.1", Fraction(1, 4), power)
        yield Row("table1-domain", "records, ε = 1/4", CERTIFIED, power, n, claim=claim)
        found = item("0.1", Fraction(1, 4), trials, power)
        yield Row("table1-domain", "records, ε = 1/4", MEASURED, power, found)
    yield from users(options, trials)


def users(options: argparse.Namespace, trials: int) -> Iterator[Row]:
    """Yield the rows of users against m."""
    e, a, where = Fraction(1, 4), "0.1", "table1-users"
    counts = [1, 4, 16]
    fine = counts if options.quick else [2**k for k in range(9)]
    for m in fine:
        for name, method in (("user-level", "user-level"), ("group privacy", "group-privacy")):
            n, claim = user_certificate(a, e, m, method)
            yield Row(where, name, CERTIFIED, m, n, claim=claim)
        yield Row(where, "group privacy", MEASURED, m, group(a, e, m, trials))
        yield Row(where, "user-level, best error known", MEASURED, m, known(a, e, m, trials))
    bench = benchmark("user_level")
    for m in counts[1:2] if options.quick else fine:
        runs = 5 if options.quick else 200
        way, most = bench.ways("1/4", m)["user-level"], 0
        for hard in family(float(a)):
            near, wrong = hard.mass, hard.wrong
            bench.MASS = np.array([1 - 2 * near, near, near])
            bench.ONES = np.array([0.5, wrong, 1 - wrong])
            most = max(most, bench.needed(way, m, runs))
        yield Row(where, "user-level", MEASURED, m, most)


ALPHA = Axis("excess error α")
FIGURES = [
    Figure(
        "table1-alpha", "Agnostic learning: records and users against α", ALPHA,
        Axis("records or users needed"),
        "Records and users needed against the excess error, both on logarithmic axes: straight "
        "lines of slope -2 at epsilon 8, and of slope about -1 at epsilon 1/64.",
    ),
    Figure(
        "table1-epsilon", "Agnostic learning: records and users against ε, α = 0.1",
        Axis("privacy loss ε"), Axis("records or users needed"),
        "Records and users needed against epsilon, both on logarithmic axes: slope -1 for small "
        "epsilon, level for large epsilon.",
    ),
    Figure(
        "table1-domain", "Agnostic learning of thresholds: records against ln |X|, α = 0.1",
        Axis(
            "number of points |X|, as log₂ |X|",
            ticks=tuple((float(p), f"2^{p}") for p in (10, 20, 64, 256, 1024, 4096, 16384)),
        ),
        Axis("records needed"),
        "Records needed against the logarithm of the domain's size, both on logarithmic axes: "
        "slopes near 1. Beyond 2^100 points another certificate wins, which counts VC/α² once.",
    ),
    Figure(
        "table1-users", "Users needed against records per user, ε = 1/4, α = 0.1",
        Axis("records of each user, m"), Axis("users needed"),
        "Users needed against records per user, both on logarithmic axes. Group privacy is level; "
        "user-level errors fall with a slope near -1/2.",
    ),
]  # fmt: skip

_HALF = "1/√m from privacy, while m α² is small (Theorem 4.6)"
FITS = [
    Fit("table1-alpha", "records, ε = 8", CERTIFIED, "log-log", 0, 0.055, -2, "about", 0.1,
        "ln|H|/α²: the certificate counts hypotheses"),
    Fit("table1-alpha", "records, ε = 8", MEASURED, "log-log", 0, 0.16, -2, "about", 0.15,
        "VC/α² (Theorem 3.4)"),
    Fit("table1-alpha", "records, ε = 1/64", CERTIFIED, "log-log", 0.04, 0.31, -1, "about", 0.15,
        "RepD/(αε) (Theorem 3.4)"),
    Fit("table1-alpha", "records, ε = 1/64", MEASURED, "log-log", 0.02, 0.31, -1, "about", 0.1,
        "RepD/(αε) (Theorem 3.4)"),
    Fit("table1-alpha", "users of 16 records, ε = 1/64", CERTIFIED, "log-log", 0.01, 0.055, -1,
        "about", 0.3, "RepD/(√m αε) (Theorem 4.6), and the search for t"),
    Fit("table1-alpha", "users of 16 records, ε = 1/64", MEASURED, "log-log", 0.02, 0.11, -1,
        "about", 0.15, "RepD/(√m αε) (Theorem 4.6)"),
    *(Fit("table1-epsilon", name, kind, "log-log", 0, 0.04, -1, "about", 0.12, "1/ε")
      for name in ("records", "users of 16 records") for kind in (CERTIFIED, MEASURED)),
    Fit("table1-domain", "records, ε = 1/4", CERTIFIED, "log-log", 1000, 20000, 1, "about", 0.1,
        "RepD = log|X|"),
    Fit("table1-domain", "records, ε = 1/4", MEASURED, "log-log", 60, 20000, 1, "about", 0.1,
        "RepD = log|X|"),
    Fit("table1-users", "user-level, best error known", MEASURED, "log-log", 1, 64, -0.5, "about",
        0.1, _HALF),
    Fit("table1-users", "user-level", MEASURED, "log-log", 4, 256, -0.5, "about", 0.2, _HALF),
    Fit("table1-users", "user-level", CERTIFIED, "log-log", 4, 256, -0.5, "about", 0.2, _HALF),
    Fit("table1-users", "group privacy", MEASURED, "log-log", 4, 256, 0, "about", 0.1,
        "m records with ε/m: nothing gained"),
    Fit("table1-users", "group privacy", CERTIFIED, "log-log", 4, 256, 0, "about", 0.1,
        "m records with ε/m: nothing gained"),
]  # fmt: skip

if __name__ == "__main__":
    run("table1", __doc__, measure, FIGURES, FITS)
