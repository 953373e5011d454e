"""Clips and conformal bounds: exact laws of all small data sets."""

from __future__ import annotations

import math
from fractions import Fraction as F
from functools import partial
from itertools import combinations_with_replacement, pairwise, product

import numpy as np
import pytest
from scipy import stats

from littlestone.audit import verify_mechanism
from littlestone.bounds import Bound, recheck
from littlestone.data.targets import TargetSample
from littlestone.errors import InfeasibleError
from littlestone.learners.boosting import losses
from littlestone.learners.boosting.losses import above, private_sum
from littlestone.mechanisms import estimate as module
from littlestone.mechanisms.estimate import Conformal, beyond, clip_edges, draw_edge, rank_of
from littlestone.privacy import Concentrated, Pure
from littlestone.source import ExactSource, SeededSource

from ..exact_noise import table_gaussian

# -- Private split-conformal bounds: exact privacy and coverage of all data sets of a small domain

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
    monkeypatch.setattr(module, "RANK", Bound((none, *module.RANK.lines[1:])))
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


# -- Where to clip: the law of the draw, its range for all neighbours, and the sums at the clip ----

NUMBERS = (-3, 0, 1, 2, 5, 9)
EDGES = clip_edges(1, 8)
ETA = F(1, 2)


def sample_of(units, users):
    """Return units, tuples of numbers each, as records or as users."""
    numbers = [number for unit in units for number in unit]
    who = [i for i, unit in enumerate(units) for _ in unit] if users else None
    sample = TargetSample.of([[2]] * len(numbers), [n + 3 for n in numbers], who)
    return sample, sample.code - 3


def clip_law(units, users, rank, power):
    sample, numbers = sample_of(units, users)
    part = losses.unit_weight(sample)
    counted = above(sample, numbers, EDGES)

    def run(source):
        how = {"eta": ETA, "part": part, "power": power, "source": source}
        return draw_edge(EDGES, counted, rank, **how)

    found = ExactSource().law(run)
    assert found.slack == 0
    return {edge: float(p.mid()) for edge, p in found.outcomes.items()}


def by_hand(units, rank, power):
    """Return the law by its definition; a user's numbers weigh one over how many they are."""
    weights = {}
    for c in EDGES.tolist():
        more = sum(sum(number > c for number in unit) / len(unit) for unit in units)
        weights[c] = c**-power * math.exp(-float(ETA) / 2 * abs(more - rank))
    whole = sum(weights.values())
    return {c: weight / whole for c, weight in weights.items()}


def units_of(users):
    kinds = [(number,) for number in NUMBERS]
    return [*kinds, *combinations_with_replacement((0, 2, 9), 2)] if users else kinds


@pytest.mark.first(2)
@pytest.mark.parametrize("users", [False, True])
@pytest.mark.parametrize(("rank", "power"), [(0.0, 2), (1.0, 2), (2.0, 3)])
def test_the_law_and_its_range_for_all_neighbours(users, rank, power):
    """All data sets of three units: the range of log-ratios is at most eta, and reaches it."""
    kinds = units_of(users)
    few = [kinds[0], kinds[3], kinds[-1]] if users else kinds
    worst = 0.0
    for rest in combinations_with_replacement(few, 2):
        logs = []
        for one in kinds:
            found, wanted = (
                clip_law((*rest, one), users, rank, power),
                by_hand((*rest, one), rank, power),
            )
            assert found.keys() == wanted.keys()
            assert all(math.isclose(found[c], wanted[c], rel_tol=1e-5) for c in wanted)
            logs.append([math.log(found[c]) for c in EDGES.tolist()])
        moved = np.array(logs)[:, None] - np.array(logs)[None]
        worst = max(worst, (moved.max(axis=2) - moved.min(axis=2)).max())
    assert worst <= float(ETA) * (1 + 1e-9)
    assert worst > float(ETA) * (0.99 if rank == 1 else 0.49)


@pytest.mark.more
@pytest.mark.parametrize("users", [False, True])
@pytest.mark.parametrize("least", [0, -1, -4])
@pytest.mark.parametrize("kind", ["pure", "gaussian"])
def test_sums_at_the_clip_for_all_neighbours(users, least, kind, monkeypatch):
    """All data sets of two units: clipped to -A .. C; a unit moves the sum by at most A + C."""
    if users:
        monkeypatch.setattr(losses, "WHOLE", 2)
    monkeypatch.setattr(losses, "discrete_gaussian", table_gaussian(24))
    most, kinds = 2, units_of(users)
    loss = Pure(F(1)) if kind == "pure" else Concentrated(F(1, 2))
    known, worst = {}, 0.0
    for first in kinds:
        laws = []
        for one in kinds:
            sample, numbers = sample_of((first, one), users)
            summed = partial(private_sum, sample, numbers, most, least=least)
            exact = summed(loss=Pure(F(10**9)), source=SeededSource(0))
            assert exact == sum(
                F(int(np.clip(unit, least, most).sum()), len(unit)) for unit in (first, one)
            )
            if exact not in known:
                found = ExactSource().law(lambda source, ask=summed: ask(loss=loss, source=source))
                known[exact] = {x: float(p.mid()) for x, p in found.outcomes.items()}
            laws.append(known[exact])
        for p, q in product(laws, repeat=2):
            assert p.keys() == q.keys()
            if kind == "pure":
                worst = max(worst, *(abs(math.log(p[x] / q[x])) for x in p))
            else:  # the divergence of order 2 is at most 2 rho
                worst = max(worst, math.log(sum(p[x] ** 2 / q[x] for x in p)) / 2)
    allowed = 1 if kind == "pure" else 0.5
    assert 0.4 * allowed < worst <= allowed + 1e-6


def test_edges_are_public_and_reach_the_end():
    for first, most in product((1, 2, 7, 65536), (1, 8, 1000, 10**4 * 65536)):
        edges = clip_edges(first, most)
        assert edges[-1] == most
        assert (np.diff(edges) > 0).all()
        assert edges[0] == min(first, most)
        assert all(b / a < 2.01 for a, b in pairwise(edges))


def test_a_range_ten_times_too_wide_is_clipped_alike():
    """Of 2,000 lognormal amounts, and where the noise and the bias of clipping agree."""
    y = np.rint(np.random.default_rng(0).lognormal(5, 1, 2000)).astype(np.int64)
    sample = TargetSample.of([[2]] * len(y), y)
    drawn = []
    for most in (10_000, 100_000):
        edges = clip_edges(200, most)
        eta, noise = F(1, 10), 12.0
        rank = rank_of(len(y), eta, noise)
        assert rank == 30
        counted = above(sample, sample.code, edges)
        found = [
            draw_edge(edges, counted, rank, eta=eta, part=1, power=2, source=SeededSource(seed))
            for seed in range(200)
        ]
        drawn.append(np.median(found))
        assert 10 < (y > drawn[-1]).sum() < 90
    assert drawn[0] == drawn[1]


def test_the_tail_is_that_of_a_lognormal_distribution():
    """By numerical integration of what a mean loses at a clip."""
    normal, spread, most = np.linspace(-9, 9, 2_000_001), 1.5, 1000.0
    density = np.exp(-(normal**2) / 2) / math.sqrt(2 * math.pi) * (normal[1] - normal[0])
    y = np.exp(spread * normal)
    clip = 20.0
    share = float(density[y > clip].sum())
    anchor = math.exp(spread * 0.6744897501960817)
    lost = float(((np.minimum(y, most) - np.minimum(y, clip)) * density).sum())
    assert math.isclose(beyond(anchor, share, clip, most), lost, rel_tol=1e-3)
    for share, clip in ((0.3, 20.0), (0.01, anchor), (0.01, most)):
        assert beyond(anchor, share, clip, most) == 0
