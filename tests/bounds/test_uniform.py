"""Certificates by uniform convergence: the sums again, and the events behind them exactly."""

import itertools
import math

import numpy as np
import pytest

from littlestone.bounds import agnostic_vc, realizable_vc, surrogate, uniform_vc
from littlestone.bounds.search import HOPELESS, least_real

PAR = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}


def inputs(certificate):
    found = {}
    for step in certificate.steps:
        found |= {k: x for k, x in step.inputs.items() if not hasattr(x, "step")}
    return found


def log_growth(d, n):
    return math.log(sum(math.comb(n, i) for i in range(d + 1)))


def again(certificate, d, kind):
    """The excess, from the proof in docs/certificates.md."""
    x, n = inputs(certificate), certificate.n
    beta = float(certificate.beta)
    log_size = math.log(int(x["size"]) - 1)

    def failing(event):
        return beta * float(x[f"share_{event}"])

    rate = float(x["epsilon"]) / (4 if kind == "surrogate" else 2)
    r = (log_size - math.log(failing("release"))) / (rate * n)
    if kind == "realizable":
        spread = (math.log(4) + log_growth(d, 2 * n) - math.log(failing("spread"))) / n
        return r + 2 * math.sqrt(r * spread) + 4 * spread
    u = math.sqrt(2 * log_growth(d, n) / n) + math.sqrt(-math.log(failing("deviation")) / (2 * n))
    b = math.sqrt(-math.log(failing("best")) / (2 * n))
    if kind == "agnostic":
        return u + b + r
    alpha1, slack = float(x["alpha1"]), -math.log(failing("near")) / n
    k = alpha1 + slack / 3 + math.sqrt((slack / 3) ** 2 + 2 * alpha1 * slack)
    spread = (log_growth(d, 2 * n) + math.log(int(x["size"])) + math.log(4 / failing("spread"))) / n
    w = u + b + k + r
    return w + 2 * math.sqrt(w * spread) + 4 * spread


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("exponent", [10, 4000])
def test_sums_again(d, exponent):
    size = 2**exponent
    for kind, certificate in (
        ("agnostic", agnostic_vc(size, d, **PAR)),
        ("realizable", realizable_vc(size, d, **PAR)),
        ("surrogate", surrogate(lambda a, b: size, d, **PAR)),
    ):
        excess = again(certificate, d, kind)
        assert excess == pytest.approx(certificate["excess"], rel=1e-9)
        assert 0.099 < excess <= 0.1
        shares = [x for name, x in inputs(certificate).items() if name.startswith("share_")]
        assert sum(shares) <= 1
        assert sum(shares) > 0.99


@pytest.mark.parametrize("make", [agnostic_vc, realizable_vc])
def test_monotone(make):
    n = make(2**100, 2, **PAR).n
    assert make(2**200, 2, **PAR).n > n
    assert make(2**100, 3, **PAR).n > n
    for change in ({"epsilon": 2}, {"alpha": 0.2}, {"beta": 0.1}):
        assert make(2**100, 2, **PAR | change).n < n


def test_representation_sizes_are_asked_for_exactly():
    """The size in the certificate is that of the accuracies in the certificate."""

    def size(alpha1, beta1):
        return math.ceil(5 / (alpha1 * beta1))

    certificate = surrogate(size, 1, **PAR)
    x = inputs(certificate)
    assert x["size"] == size(x["alpha1"], certificate.beta * x["share_hashing"])


def test_uniform_convergence_exactly():
    """Exact probability, over all samples, that some threshold looks much better than it is."""
    n, beta, points = 30, 0.2, 3
    alpha = math.sqrt(2 * log_growth(1, n) / n) + math.sqrt(math.log(1 / beta) / (2 * n))
    concepts = np.array([[x > u for x in range(points)] for u in range(-1, points)])
    worst = 0.0
    for law in itertools.permutations((0.2, 0.3, 0.5)):
        for target in concepts:
            wrong, failing = (concepts != target).astype(int), 0.0
            for a in range(n + 1):
                for b in range(n + 1 - a):
                    counts = np.array([a, b, n - a - b])
                    if (wrong @ law - wrong @ counts / n).max() > alpha / 3:
                        failing += (
                            math.comb(n, a)
                            * math.comb(n - a, b)
                            * math.prod(p ** int(c) for p, c in zip(law, counts, strict=True))
                        )
            worst = max(worst, failing)
    assert 0 < worst <= beta  # the third of the deviation that is claimed already fails rarely


def test_searches_that_find_nothing_say_so():
    assert least_real(lambda n: False) == HOPELESS
    assert least_real(lambda n: n >= 1000) == pytest.approx(1000, rel=1e-3)
    assert not uniform_vc(1, alpha=0.1, beta=0.05, n=100).holds
