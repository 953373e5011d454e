"""The one-shot draw over paths: law by definition, privacy on small trees, certified t."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from littlestone.mechanisms import median as module
from littlestone.mechanisms.median import Chain, TuplePaths, one_shot_path, path_odds, paths_needed
from littlestone.source import ExactSource, exp


def tree(parents):
    """Nodes 1, 2, ... of a tree with root 0, as tuples of child names."""
    nodes = {0: ()}
    for child, parent in enumerate(parents, 1):
        nodes[child] = (*nodes[parent], child)
    return list(nodes.values())


TREES = {
    "chain": tree([0, 1, 2]),
    "star": tree([0, 0, 0, 0]),
    "binary": tree([0, 0, 1, 1, 2]),
    "caterpillar": tree([0, 1, 1, 2, 4]),
    "root": tree([]),
}


def run(max_depth, epsilon, delta, reserve=0):
    return lambda ends, source: one_shot_path(
        ends,
        TuplePaths(),
        max_depth=max_depth,
        epsilon=epsilon,
        delta=delta,
        source=source,
        reserve=reserve,
    )


def depth_of(nodes):
    return max(len(v) for v in nodes)


@pytest.mark.first(1)
@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize(("epsilon", "delta"), [(F(1), F(1, 10**6)), (F(2), F(1, 5))])
def test_one_shot_is_private(verify, name, epsilon, delta):
    nodes = TREES[name]
    for t in (1, 2, 3):
        assert verify(run(depth_of(nodes), epsilon, delta), nodes, t, epsilon).within(delta)


@pytest.mark.first(1)
@pytest.mark.parametrize("reserve", [1, 2])
def test_one_shot_with_a_reserve_is_private(verify, reserve):
    for name in ("chain", "binary"):
        mechanism = run(3, F(1), F(1, 10**6), reserve)
        assert verify(mechanism, TREES[name], 3, F(1)).within(F(1, 10**6))


def test_longer_paths_are_cut_by_the_public_depth(verify):
    nodes = TREES["caterpillar"]
    assert verify(run(2, F(1), F(1, 10**6)), nodes, 3, F(1)).within(F(1, 10**6))


def test_a_bottom_for_shallower_trees_is_caught(verify, monkeypatch):
    monkeypatch.setattr(
        module, "entering_bottom",
        lambda *, entering, score, rate, delta: exp(rate * score, times=(1 - delta) / delta),
    )  # fmt: skip
    nodes = TREES["caterpillar"]
    assert not verify(run(3, F(1), F(1, 10**6)), nodes, 3, F(1)).within(F(1, 10**6))


def test_an_end_that_depends_on_other_records_is_caught(verify):
    """A path that is void when another record is near breaks the promise of the ends."""
    nodes = TREES["chain"]

    def together(ends, source):
        void = [() if len(set(ends)) > 1 else end for end in ends]
        return run(3, F(1), F(1, 10**6))(void, source)

    assert not verify(together, nodes, 3, F(1)).within(F(1, 10**6))


def test_law_by_definition():
    rng = np.random.default_rng(3)
    for _ in range(40):
        nodes = TREES[list(TREES)[rng.integers(len(TREES))]]
        ends = [nodes[i] for i in rng.integers(0, len(nodes), rng.integers(1, 6))]
        d, t, reserve = 4, len(ends), int(rng.integers(0, 3))
        weights = {None: d * math.exp(0.5) * 99}
        for x in nodes:
            through = sum(y[: len(x)] == x for y in ends)
            beyond = sum(y[: len(x)] == x and y != x for y in ends)
            if through or x == ():
                weights[x] = math.exp(0.5 * min(through, t - beyond - reserve))
        found = (
            ExactSource()
            .law(lambda s, e=ends, r=reserve: run(4, F(1), F(1, 100), r)(e, s))
            .outcomes
        )
        assert found.keys() == weights.keys()
        for node, p in found.items():
            assert float(p) == pytest.approx(weights[node] / sum(weights.values()), rel=1e-12)


def test_chains_of_any_depth_agree_with_tuples():
    ends = [4, 0, 2, 2, 5, 4]
    chain = ExactSource().law(
        lambda s: one_shot_path(ends, Chain(), max_depth=5, epsilon=1, delta=0.01, source=s)
    )
    tuples = ExactSource().law(lambda s: run(5, F(1), F(1, 100))([(0,) * e for e in ends], s))
    expected = {None if k is None else len(k): p for k, p in tuples.outcomes.items()}
    assert {k: float(p) for k, p in chain.outcomes.items()} == {
        k: float(p) for k, p in expected.items()
    }
    deep = one_shot_path(
        [2**70] * 200, Chain(), max_depth=2**80, epsilon=2, delta=1e-6,
        source=room_source(),
    )  # fmt: skip
    assert deep is not None
    assert deep <= 2**70


def room_source():
    from littlestone.source import SeededSource

    return SeededSource(4)


def test_no_paths_at_all_give_bottom():
    assert set(ExactSource().law(lambda s: run(3, F(1), F(1, 2))([], s)).outcomes) == {None}


@pytest.mark.parametrize("above", [0, 3, 20])
@pytest.mark.parametrize("depth", [1, 30])
def test_the_certified_number_of_paths_fails_seldom_exactly(above, depth):
    """Exact failure probability on realizable ends: spread, two places, one place."""
    beta = F(1, 20)
    t = paths_needed(max_depth=depth, epsilon=1, delta=1e-6, beta=beta, above=above)
    half = t // 2
    families = [
        [depth] * t, [0] * t, [0] * half + [depth] * (t - half), [i * depth // t for i in range(t)]
    ]  # fmt: skip
    for ends in families:
        law = ExactSource(cut=F(1, 2**200)).law(
            lambda s, e=ends: one_shot_path(
                e, Chain(), max_depth=depth, epsilon=1, delta=1e-6, source=s
            )
        )
        fail = 0.0
        for x, p in law.outcomes.items():
            score = -1 if x is None else min(sum(y >= x for y in ends), sum(y <= x for y in ends))
            fail += float(p) if score <= above else 0.0
        assert fail <= beta
        odds = float(path_odds(t, max_depth=depth, epsilon=1, delta=1e-6, above=above).enclose(64))
        assert fail <= odds / (1 + odds) * (1 + 1e-12)


def test_the_least_number_of_paths_is_least():
    for above in (0, 25):
        t = paths_needed(max_depth=2**20, epsilon=1, delta=1e-6, beta=0.05, above=above)
        for paths, holds in ((t, True), (t - 1, False)):
            odds = path_odds(paths, max_depth=2**20, epsilon=1, delta=1e-6, above=above)
            assert ((F(1, 19) - odds).sign() >= 0) is holds


def test_published_numbers():
    """The design's table (beta = 0.05), to which the exact bottom changes nothing."""
    got = [
        paths_needed(max_depth=2**k, epsilon=1, delta=1e-6, beta=0.05) for k in (4, 10, 20, 64, 256)
    ]
    assert got == [81, 97, 125, 247, 779]
