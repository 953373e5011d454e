"""Certificates by uniform convergence: the sums again, and the events behind them exactly."""

import itertools
import math

import numpy as np
import pytest

from littlestone.bounds import agnostic_vc, realizable_vc
from littlestone.bounds.certificate import HOPELESS, least_real

PAR = {"epsilon": 1, "alpha": 0.1, "beta": 0.05}


def inputs(certificate):
    found = {}
    for step in certificate.steps:
        found |= {k: x for k, x in step.inputs.items() if not hasattr(x, "step")}
    return found


def log_growth(d, n):
    return math.log(sum(math.comb(n, i) for i in range(d + 1)))


def again(certificate, d):
    """The excess, from the proof in docs/certificates.md."""
    x, n = inputs(certificate), certificate.n
    beta = float(certificate.beta)
    log_size = math.log(int(x["size"]) - 1)

    def failing(event):
        return beta * float(x[f"share_{event}"])

    r = (log_size - math.log(failing("release"))) / (float(x["epsilon"]) / 2 * n)
    spread = (math.log(4) + log_growth(d, 2 * n) - math.log(failing("spread"))) / n
    return r + 2 * math.sqrt(r * spread) + 4 * spread


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("exponent", [10, 4000])
def test_sums_again(d, exponent):
    certificate = realizable_vc(2**exponent, d, **PAR)
    excess = again(certificate, d)
    assert excess == pytest.approx(certificate["excess"], rel=1e-9)
    assert 0.099 < excess <= 0.1
    shares = [x for name, x in inputs(certificate).items() if name.startswith("share_")]
    assert 0.99 < sum(shares) <= 1


@pytest.mark.parametrize("d", [1, 3])
@pytest.mark.parametrize("exponent", [10, 4000])
def test_growth_again(d, exponent):
    """The failure of `agnostic_vc`, from the proof in docs/certificates.md, and its least n."""
    certificate = agnostic_vc(2**exponent, d, **PAR)
    x, n = inputs(certificate), certificate.n
    share, r = float(x["share"]), int(x["ghosts"])
    gap, tilt = 0.1 - (1 + 1 / n) / (r + 1), share / 2
    patterns = (math.log(2) + log_growth(d, (r + 1) * n)) / 2
    decay = -math.log(math.cosh(tilt) - gap * math.sinh(tilt))
    log_size = math.log(2**exponent - 1)
    failure = math.exp(share * log_size + patterns - n * decay)
    assert failure == pytest.approx(certificate["failure"], rel=1e-6)
    assert 0.045 < failure <= 0.05
    assert not agnostic_vc(2**exponent, d, **PAR, n=n - 1).holds
    # No share and no number of ghosts that is tried here does much better.
    for other in (share / 2, 0.8 * share, min(1.25 * share, 1)):
        for ghosts in (r // 3, 3 * r):
            a, t = 0.1 - (1 + 1 / n) / (ghosts + 1), other / 2
            fall = n * -math.log(math.cosh(t) - a * math.sinh(t))
            cost = other * log_size + (math.log(2) + log_growth(d, (ghosts + 1) * n)) / 2
            assert cost - fall > math.log(0.05) - 0.3


@pytest.mark.first(1)
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_growth_bound_exactly(noise):
    """E sup over bad thresholds of e**(-l (errors - errors of the best)), over all samples."""
    points, n = 3, 9
    concepts = np.array([[x > u for x in range(points)] for u in range(-1, points)])
    law = np.array([0.5, 0.2, 0.3])
    for target in concepts:
        right = np.where(target, 1 - noise, noise)
        cells = np.concatenate([law * right, law * (1 - right)])  # of (point, label 1), (., 0)
        wrong = np.concatenate([~concepts, concepts], axis=1).astype(int)
        errors = wrong @ cells
        best = int(errors.argmin())
        for alpha in (0.1, 0.19):
            bad = errors > errors[best] + alpha
            for tilt in (0.3, 1.0):
                expected = 0.0
                for counts in _samples(n, len(cells)):
                    chance = math.factorial(n) * math.prod(
                        p**c / math.factorial(c) for p, c in zip(cells, counts, strict=True)
                    )
                    if chance:
                        mistakes = wrong @ np.array(counts)
                        least = (mistakes - mistakes[best])[bad].min()
                        expected += chance * math.exp(-tilt * least)
                for r in (20, 1000):
                    a = alpha - (1 + 1 / n) / (r + 1)
                    bound = math.sqrt(2 * math.exp(log_growth(1, (r + 1) * n)))
                    assert expected <= bound * (math.cosh(tilt) - a * math.sinh(tilt)) ** n


def _samples(n, cells):
    if cells == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in _samples(n - first, cells - 1):
            yield (first, *rest)


@pytest.mark.parametrize("make", [agnostic_vc, realizable_vc])
def test_monotone(make):
    n = make(2**100, 2, **PAR).n
    assert make(2**200, 2, **PAR).n > n
    assert make(2**100, 3, **PAR).n > n
    for change in ({"epsilon": 2}, {"alpha": 0.2}, {"beta": 0.1}):
        assert make(2**100, 2, **PAR | change).n < n


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
