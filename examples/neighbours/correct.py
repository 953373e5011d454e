"""Mechanisms of several libraries that are right: none of them may be accused.

    python examples/neighbours/run.py correct

Each is run on two neighbours at its own claim; all bounds together are right with probability 0.99.
Prints how many there are, and every alarm.
"""

import json
import warnings
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
from diffprivlib import mechanisms as ibm
from diffprivlib import tools

from littlestone.audit import lower_bound
from littlestone.mechanisms import exponential_mechanism, private_count
from littlestone.source import Explicit, SecureSource

TRIALS = 2000
NEAR, FAR = np.array([0.0, 0.5, 1.0, 0.0]), np.array([1.0, 0.5, 1.0, 0.0])
SOURCE = SecureSource()
dp.enable_features("contrib")


def of_numbers(epsilon):
    """Mechanisms of diffprivlib that add noise to a number; neighbours differ by 1."""
    at = {"epsilon": epsilon, "sensitivity": 1}
    cut = {"lower": 0, "upper": 4}
    small = {"epsilon": min(epsilon, 1), "sensitivity": 1, "delta": 0.01}
    return {
        "Laplace": (ibm.Laplace(**at), 0),
        "LaplaceTruncated": (ibm.LaplaceTruncated(**at, **cut), 0),
        "LaplaceFolded": (ibm.LaplaceFolded(**at, **cut), 0),
        "LaplaceBoundedDomain": (ibm.LaplaceBoundedDomain(**at, **cut), 0),
        "Geometric": (ibm.Geometric(**at), 0),
        "GeometricTruncated": (ibm.GeometricTruncated(**at, **cut), 0),
        "GeometricFolded": (ibm.GeometricFolded(**at, **cut), 0),
        "Staircase": (ibm.Staircase(**at), 0),
        "Gaussian": (ibm.Gaussian(**small), 0.01),
        "GaussianAnalytic": (ibm.GaussianAnalytic(**small), 0.01),
        "GaussianDiscrete": (ibm.GaussianDiscrete(**small), 0.01),
    }


def of_choices(epsilon):
    """Mechanisms of diffprivlib that choose; neighbours have utilities that differ by 1."""
    at = {"epsilon": epsilon, "sensitivity": 1}

    def chosen(kind):
        return lambda scores: kind(**at, utility=list(scores)).randomise()

    binary = ibm.Binary(epsilon=epsilon, value0="no", value1="yes")
    return {
        "Exponential": (chosen(ibm.Exponential), (0, 1, 2), (1, 0, 1)),
        "PermuteAndFlip": (chosen(ibm.PermuteAndFlip), (0, 1, 2), (1, 0, 1)),
        "Binary": (binary.randomise, "no", "yes"),
    }


def of_tables(epsilon):
    """Statistics of diffprivlib with public bounds."""
    bounds = {"epsilon": epsilon, "bounds": (0, 1)}
    return {
        "mean": lambda xs: tools.mean(xs, **bounds),
        "sum": lambda xs: tools.sum(xs, **bounds),
        "var": lambda xs: tools.var(xs, **bounds),
        "median": lambda xs: tools.median(xs, **bounds),
        "count_nonzero": lambda xs: tools.count_nonzero(xs, epsilon=epsilon),
    }


def histogram(epsilon):
    """Return a histogram of diffprivlib with a public range."""
    return lambda xs: tuple(tools.histogram(xs, epsilon=epsilon, bins=2, range=(0, 1))[0])


def of_opendp(epsilon):
    """Noise of OpenDP on a count, in integers and in floats."""
    scale = 1 / epsilon
    integers = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    floats = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return {
        "laplace, integers": (dp.m.make_laplace(*integers, scale=scale), 3, 4),
        "laplace, floats": (dp.m.make_laplace(*floats, scale=scale), 3.0, 4.0),
    }


def every():
    """Yield name, mechanism, two neighbours, epsilon and delta."""
    for epsilon in (0.5, 1.0, 2.0):
        for name, (noise, delta) in of_numbers(epsilon).items():
            claimed = min(epsilon, 1) if delta else epsilon
            yield f"diffprivlib {name}", noise.randomise, 1, 2, claimed, delta
        for name, (choose, left, right) in of_choices(epsilon).items():
            yield f"diffprivlib {name}", choose, left, right, epsilon, 0
        for name, run in of_tables(epsilon).items():
            yield f"diffprivlib {name}", run, NEAR, FAR, epsilon, 0
        # its claim is for a record that is added or removed, not for one that is replaced
        yield "diffprivlib histogram", histogram(epsilon), NEAR[:3], NEAR, epsilon, 0
        for name, (run, left, right) in of_opendp(epsilon).items():
            yield f"OpenDP {name}", run, left, right, epsilon, 0
        exact = Fraction(epsilon)
        yield (
            "littlestone private_count",
            lambda bits, e=exact: private_count(sum(bits), 3, epsilon=e, source=SOURCE).value,
            (1, 1, 0), (1, 1, 1), epsilon, 0,
        )  # fmt: skip
        yield (
            "littlestone exponential_mechanism",
            lambda s, e=exact: exponential_mechanism(Explicit(list(s)), epsilon=e, source=SOURCE),
            (0, 1, 2), (1, 0, 1), epsilon, 0,
        )  # fmt: skip


warnings.simplefilter("ignore")
MECHANISMS = list(every())
ALARMS = []
for title, mechanism, data, neighbour, claim, leak in MECHANISMS:
    bound = lower_bound(
        mechanism, data, neighbour, delta=leak, trials=TRIALS,
        confidence=1 - 0.01 / len(MECHANISMS),
    )  # fmt: skip
    if float(bound) > claim:
        ALARMS.append({"alarm": title, "claimed": claim, "proved": float(bound)})
print(json.dumps({"correct": len(MECHANISMS), "trials": TRIALS, "alarms": ALARMS}))
