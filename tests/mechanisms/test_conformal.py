"""Private split-conformal bounds: exact privacy and coverage of all data sets of a small domain."""

from __future__ import annotations

import math
from fractions import Fraction as F
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from scipy import stats

from littlestone.audit import verify_mechanism
from littlestone.bounds import recheck
from littlestone.errors import InfeasibleError
from littlestone.mechanisms import estimate as module
from littlestone.mechanisms.estimate import Conformal
from littlestone.source import SeededSource

CELLS, TINY = 3, {"cells": 3, "alpha": F(1, 2), "epsilon": F(3)}


def law(plan, scores):
    """Return the law of the bound, written from the definition with floats."""
    weights = []
    for v in range(plan.cells):
        upto, below = sum(s <= v for s in scores), sum(s < v for s in scores)
        missed = max(plan.rank - upto, below - plan.rank, 0)
        weights.append(math.exp(-float(plan.epsilon) * missed / 2))
    return np.array(weights) / sum(weights)


def counted(scores, cells=CELLS):
    return np.bincount(scores, minlength=cells)


def worst_coverage(plan, cells=CELLS):
    """Return the least chance that a unit's score is at most the bound of the m others.

    Over all multisets of m + 1 scores, each of them equally likely the new one.
    """
    laws = {
        others: law(plan, others) for others in combinations_with_replacement(range(cells), plan.m)
    }
    worst = 1.0
    for scores in combinations_with_replacement(range(cells), plan.m + 1):
        covered = sum(
            laws[scores[:i] + scores[i + 1 :]][scores[i] :].sum() for i in range(len(scores))
        )
        worst = min(worst, covered / len(scores))
    return worst


def test_the_law_is_that_of_the_definition():
    plan = Conformal.of(m=Conformal.least(**TINY), **TINY)
    scores = [0, 0, 1, 2, 2, 2][: plan.m] + [1] * (plan.m - 6)
    n = 4000
    source = SeededSource(1)
    drawn = np.bincount([plan.draw(counted(scores), source) for _ in range(n)], minlength=CELLS)
    expected = law(plan, scores) * n
    assert ((drawn - expected) ** 2 / expected).sum() < stats.chi2.ppf(0.9999, CELLS - 1)


@pytest.mark.parametrize("epsilon", [F(1), F(6)])
def test_every_data_set_is_protected(epsilon):
    plan = Conformal(5, CELLS, F(1, 2), epsilon)  # any rank is as private, beyond m too

    def run(scores, source):
        return plan.draw(counted(scores), source)

    pairs = [(a, b) for a in combinations_with_replacement(range(CELLS), 5)
             for b in replace_one_of(a)]  # fmt: skip
    result = verify_mechanism(run, pairs, epsilon=epsilon)
    assert result.holds
    assert not verify_mechanism(run, pairs, epsilon=epsilon / 4).holds  # it is no idle check


def replace_one_of(scores):
    """Return the neighbours: scores are a multiset."""
    return {
        tuple(sorted((*scores[:i], new, *scores[i + 1 :])))
        for i, new in product(range(len(scores)), range(CELLS))
    } - {tuple(scores)}


def test_coverage_of_every_data_set():
    plan = Conformal.of(m=Conformal.least(**TINY), **TINY)
    assert worst_coverage(plan) >= 1 / 2
    certificate = plan.certificate()
    assert certificate.holds
    assert recheck(certificate) == ()


def test_a_forgotten_noise_is_noticed(monkeypatch):
    """The rank of a quantile without noise: what the draw may miss is not added."""
    given = {"cells": 3, "alpha": F(1, 4), "epsilon": F(1, 2)}
    none = ("slack", "0", module.MARGINAL)
    monkeypatch.setattr(module, "RANK", module.Bound((none, *module.RANK.lines[1:])))
    plan = Conformal.of(m=8, **given)
    assert worst_coverage(plan) < 3 / 4


def test_a_scale_one_cell_too_small_is_noticed():
    """Scores beyond the last code count as it: they are not covered by it."""
    given = {"cells": 2, "alpha": F(1, 2), "epsilon": F(6)}
    plan = Conformal.of(m=Conformal.least(**given), **given)
    assert worst_coverage(plan, cells=2) >= 1 / 2
    laws = {
        others: np.append(law(plan, [min(s, 1) for s in others]), 0)
        for others in combinations_with_replacement(range(3), plan.m)
    }
    worst = min(
        np.mean([laws[s[:i] + s[i + 1 :]][s[i] :].sum() for i in range(len(s))])
        for s in combinations_with_replacement(range(3), plan.m + 1)
    )
    assert worst < 1 / 2


def test_too_few_units_are_refused_with_the_number_that_is_needed():
    needed = Conformal.least(cells=256, alpha="1/10", epsilon=1)
    Conformal.of(m=needed, cells=256, alpha="1/10", epsilon=1)
    with pytest.raises(InfeasibleError, match=f"need {needed:,} held-out records, not 119"):
        Conformal.of(m=119, cells=256, alpha="1/10", epsilon=1)


def test_the_share_given_the_sample_is_that_of_the_beta_distribution():
    plan = Conformal.of(m=1000, cells=256, alpha="1/10", epsilon=1)
    kept = plan.rank + 1 - math.ceil(2 * math.log(256 / 0.005))
    exact = stats.beta.ppf(0.045, kept, 1001 - kept)
    assert plan.share("1/20") == pytest.approx(exact, abs=1e-8)
    certificate = plan.certificate("1/20")
    assert certificate.holds
    assert set(certificate.claims) == {"conformal.marginal", "conformal.training"}


DISTRIBUTIONS = {
    "heavy": lambda rng, n: np.abs(rng.standard_cauchy(n)) * 3,
    "atoms": lambda rng, n: rng.choice([0, 5, 5, 40], n),
    "plain": lambda rng, n: np.abs(rng.normal(0, 30, n)),
}


def check_coverage(name, releases, m=1000):
    """The measured coverage of a new score is not below the nominal one: Clopper-Pearson."""
    rng, source = np.random.default_rng(5), SeededSource(5)
    plan = Conformal.of(m=m, cells=256, alpha="1/10", epsilon=1)
    hits, given_sample = 0, 0
    share, big = plan.share("1/20"), 20_000
    for _ in range(releases):
        codes = np.minimum(DISTRIBUTIONS[name](rng, m + 1), 255).astype(int)
        bound = plan.draw(counted(codes[1:], 256), source)
        hits += codes[0] <= bound
        fresh = np.minimum(DISTRIBUTIONS[name](rng, big), 255).astype(int)
        given_sample += (fresh <= bound).mean() < share - 0.01  # 4 deviations of the check itself
    missed = releases - hits
    assert stats.beta.ppf(0.001, max(missed, 1), releases - missed + 1) <= 0.1
    risk = 0.05
    assert stats.beta.ppf(0.001, max(given_sample, 1), releases - given_sample + 1) <= risk


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_coverage(name):
    check_coverage(name, 60)


@pytest.mark.more
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_coverage_of_1500_releases(name):
    check_coverage(name, 1500)
