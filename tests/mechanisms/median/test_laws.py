"""The median's laws by definition, and its privacy on small data."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from audit.table import TuplePaths

from littlestone.errors import DataError, ParameterError
from littlestone.mechanisms.median import (
    Chain,
    Groups,
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    bit_length,
    choose,
    one_shot_path,
)
from littlestone.mechanisms.select import entering_bottom
from littlestone.source import (
    ExactSource,
    LeveledChoice,
    ReplaySource,
    SeededSource,
    StreamedRuns,
)

# -- The laws of A, B and the one-shot draw are those of their definitions; both storages agree ----

RNG = np.random.default_rng(11)
WINDOWS = [RankWindow.of(r) for r in [(0, 1), (F(1, 3), F(2, 3)), (F(4, 5), F(9, 10))]]


def law(run):
    return {k: float(p) for k, p in ExactSource().law(run).outcomes.items()}


def same(found, expected):
    expected = {k: v for k, v in expected.items() if v}
    assert found.keys() == expected.keys()
    total = sum(expected.values())
    for key, weight in expected.items():
        assert found[key] == pytest.approx(weight / total, rel=1e-12)


def random_cases(count):
    for _ in range(count):
        size = int(RNG.integers(1, 14))
        yield size, RNG.integers(0, size, RNG.integers(0, 8)).tolist(), WINDOWS[RNG.integers(3)]


def test_exponential_by_definition():
    for size, data, window in random_cases(60):
        left, right = window.needs(len(data))
        weights = {
            z: math.exp(
                0.35 * min(sum(x <= z for x in data) - left, sum(x >= z for x in data) - right)
            )
            for z in range(size)
        }
        mechanism = RankExponential(size, window, F(7, 10))
        same(law(lambda s, m=mechanism, d=data, k=size: m.draw(Ordered.of(d, k), s)), weights)


@pytest.mark.parametrize("size", [40, 2**70])
def test_runs_in_pieces_are_the_same_runs(size, monkeypatch):
    """The same weights, the same values drawn; of the draw, when there are many values."""
    for window in WINDOWS:
        values = Ordered.read([int(x) * (size // 40) for x in RNG.integers(0, 40, 30)], 0, size - 1)
        mechanism = RankExponential(size, window, F(7, 10))
        plain = mechanism.runs(values)
        for most in (1, 4, 100):
            streamed = StreamedRuns(lambda k=most, m=mechanism, v=values: m.pieces(v, k), size)
            for answers in ([0, 0], [1, 0], [2, 0]):
                sources = [ReplaySource(answers) for _ in range(2)]
                assert streamed.draw(F(1, 3), sources[0]) == plain.draw(F(1, 3), sources[1])
                assert sources[0].presented == sources[1].presented
        few = [mechanism.draw(values, SeededSource(seed)) for seed in range(9)]
        with monkeypatch.context() as patched:
            patched.setattr("littlestone.mechanisms.median.LARGE", 1)
            patched.setattr(RankExponential, "runs", None)
            assert [mechanism.draw(values, SeededSource(seed)) for seed in range(9)] == few


def test_tree_by_definition():
    """All nodes of the tree, one by one; several nodes may release the same value."""
    for size, data, window in random_cases(60):
        h, n = (size - 1).bit_length(), len(data)
        left, right = window.needs(n)
        rate, delta = 0.35, 0.02
        weights = {None: h * math.exp(rate) * (1 - delta) / delta if size > 1 else 0.0}
        for t in range(h + 1):
            for node in range(2 ** (h - t)):
                held = sum(x >> t == node for x in data)
                if t:
                    z = (node << t) + 2 ** (t - 1) - 1
                    beyond = sum(x > z for x in data)
                else:
                    z = node
                    beyond = sum(x >= z for x in data)
                if held:
                    score = min(sum(x <= z for x in data) - left, beyond - right, held - 1) + 1
                    z = min(z, size - 1)
                    weights[z] = weights.get(z, 0.0) + math.exp(rate * score)
        if size == 1:
            weights = {0: 1.0}
        mechanism = TreeEM(h, window, F(7, 10), F(1, 50))
        same(law(lambda s, m=mechanism, d=data, k=size: m.draw(Ordered.of(d, k), s)), weights)


def as_objects(values):
    points = np.empty(len(values.points), dtype=object)
    points[:] = values.points.tolist()
    return Ordered(points, values.ends, values.size)


@pytest.mark.first(1)
@pytest.mark.parametrize("bits", [3, 17, 62])
def test_both_storages_show_the_same_weights_and_release_the_same(bits):
    size = 2**bits
    for n in (0, 1, 2, 30, 200):
        values = Ordered.read(RNG.integers(0, size, n), 0, size - 1)
        assert values.points.dtype == np.int64
        twin = as_objects(values)
        for mechanism in (
            RankExponential(size, WINDOWS[0], F(1)),
            TreeEM(bits, WINDOWS[1], F(1), F(1, 100)),
        ):
            shown = []
            for v in (values, twin):
                source = ReplaySource([0, 0])
                mechanism.draw(v, source)
                shown.append(source.presented)
                released = [mechanism.draw(v, SeededSource(i)) for i in range(5)]
                shown.append(released)
            assert shown[:2] == shown[2:]


@pytest.mark.parametrize("height", [1, 2, 5, 9])
def test_the_groups_hold_every_node_once(height):
    for _ in range(40):
        data = RNG.integers(0, 2**height, RNG.integers(1, 10)).tolist()
        values = Ordered.of(data, 2**height)
        groups = Groups.of(values, height)
        found = []
        for group, size in enumerate(groups.sizes.tolist()):
            for place in range(size):
                z = groups.release(group, place)
                beyond = sum(x >= z if group < len(values.points) else x > z for x in data)
                assert groups.at_most[group] == sum(x <= z for x in data)
                assert groups.beyond[group] == beyond
                found.append((groups.weight[group], z))
        nodes = [
            (sum(x >> t == v for x in data), (v << t) + (2 ** (t - 1) - 1 if t else 0))
            for t in range(height + 1)
            for v in {x >> t for x in data}
        ]
        assert sorted(found) == sorted(nodes)


def test_bit_length_is_exact():
    numbers = [0, 1, *(2**k + d for k in range(1, 62) for d in (-1, 0, 1))]
    assert bit_length(np.array(numbers)).tolist() == [v.bit_length() for v in numbers]


# ------------------------------------------------------------------------------ reading


@pytest.mark.parametrize(
    "values",
    [
        [3, 900, -4, 7],
        (3, 900, -4, 7),
        np.array([3, 900, -4, 7], dtype=np.int16),
        np.array([[3], [900], [-4], [7]]),
        np.array([3.0, 900.0, -4.0, 7.0]),
        [3, 2**70, -(2**70), 7],
        np.array([3, 2**70, -(2**70), 7], dtype=object),
        [3, 2**63, -1, 7],
    ],
    ids=str,
)
def test_values_are_clamped_and_counted(values):
    read = Ordered.read(values, 0, 100)
    assert (read.points.tolist(), read.ends.tolist(), read.n) == ([0, 3, 7, 100], [1, 2, 3, 4], 4)


def test_unsigned_and_shifted_domains():
    big = np.array([0, 2**64 - 1, 5], dtype=np.uint64)
    assert Ordered.read(big, 2, 9).points.tolist() == [0, 3, 7]
    assert Ordered.read(big, -9, -2).points.tolist() == [7]
    assert Ordered.read(big, 0, 2**64 - 1).points.tolist() == [0, 5, 2**64 - 1]
    low = -(2**80)
    assert Ordered.read([low, low + 3], low, low + 8).points.tolist() == [0, 3]
    edge = np.array([-(2**63), 2**63 - 1])
    assert Ordered.read(edge, -(2**62), 2**62).points.tolist() == [0, 2**63]
    assert Ordered.read([], 1, 5).n == 0


@pytest.mark.parametrize(
    "values",
    [[1.5], [1, 77.25], ["7"], [None], [True], [[1], [2, 3]], np.array([np.nan]), np.array([True])],
)
def test_other_cells_are_refused_without_showing_them(values):
    with pytest.raises(DataError, match="must be a whole number") as caught:
        Ordered.read(values, 0, 9)
    assert not any(
        shown in str(caught.value) for shown in ("1.5", "77", "'7'", "None", "True", "nan")
    )


def test_two_dimensional_values_are_refused():
    with pytest.raises(ParameterError, match="sequence of integers"):
        Ordered.read([[1, 2], [3, 4]], 0, 9)


def test_trimming_is_by_records_not_by_distinct_values():
    values = Ordered.of([1, 1, 1, 4, 6, 6], 8)
    middle = values.trimmed(2, 1)
    assert (middle.points.tolist(), middle.ends.tolist()) == ([1, 4, 6], [1, 2, 3])
    assert values.trimmed(4, 2).n == 0
    assert values.trimmed(9, 9).n == 0


# -- Privacy of A, B and the planner's choice: exact laws, all neighbours; broken controls ---------

EXACT_WINDOWS = [(0, 1), (F(1, 3), F(2, 3)), (F(3, 5), F(9, 10)), (0, F(1, 4))]


def height(size):
    return (size - 1).bit_length()


def runner(mechanism, size):
    return lambda data, source: mechanism.draw(Ordered.of(data, size), source)


#: Every domain size up to 9 and every n up to 5; the larger products, behind, only in a full run.
SMALL = [(m, n) for m in range(1, 10) for n in range(1, 6) if m + n <= 7 or n == 1]
SMALL += [(3, 5), (7, 2), (9, 2)]
DOMAINS = SMALL + [(m, n) for m in range(1, 10) for n in range(1, 6) if (m, n) not in SMALL]


@pytest.mark.first(12, len(SMALL))
@pytest.mark.parametrize(("size", "n"), DOMAINS)
def test_exponential_is_pure(verify, size, n):
    for epsilon, ranks in [(F(1, 2), EXACT_WINDOWS), (F(2), EXACT_WINDOWS[1:2])]:
        for rank in ranks:
            mechanism = RankExponential(size, RankWindow.of(rank), epsilon)
            found = verify(runner(mechanism, size), range(size), n, epsilon)
            assert found.within(0), (rank, epsilon)


@pytest.mark.first(9, len(SMALL))
@pytest.mark.parametrize(("size", "n"), DOMAINS)
def test_tree_is_private(verify, size, n):
    requests = [(F(1), F(1, 10**6)), (F(1, 2), F(1, 5)), (F(3), F(1, 100))]
    for (epsilon, delta), ranks in zip(
        requests, [EXACT_WINDOWS, EXACT_WINDOWS[1:2], EXACT_WINDOWS[:1]], strict=True
    ):
        for rank in ranks:
            mechanism = TreeEM(height(size), RankWindow.of(rank), epsilon, delta)
            found = verify(runner(mechanism, size), range(size), n, epsilon)
            assert found.within(delta), (rank, epsilon, float(found.worst / delta))


@pytest.mark.more
@pytest.mark.parametrize("delta", [F(1, 10**6), F(1, 10)])
def test_the_tree_bound_is_nearly_tight(verify, delta):
    mechanism = TreeEM(3, RankWindow.of((0, 1)), F(1), delta)
    worst = verify(runner(mechanism, 8), range(8), 3, F(1)).worst
    assert F(4, 5) * delta < worst <= delta


class HalfBottom(TreeEM):
    """Broken: the threshold that hides new nodes is too small."""

    @property
    def bottom(self):
        return super().bottom * F(1, 2)


class NoHeight(TreeEM):
    """Broken: as if one record could bring one node only."""

    @property
    def bottom(self):
        return entering_bottom(entering=1, score=1, rate=self.rate, delta=self.delta)


class NoLeaves(TreeEM):
    """Broken: forgets that the leaf enters too."""

    @property
    def bottom(self):
        return entering_bottom(entering=self.height - 1, score=1, rate=self.rate, delta=self.delta)


class NoCap(TreeEM):
    """Broken: the score is the margin only, so a node that holds one record may score high."""

    def scores(self, groups, n):
        left, right = self.window.needs(n)
        margin = np.minimum(groups.at_most - left + 1, groups.beyond - right + 1)
        return margin


class ByMargin(TreeEM):
    """Broken: candidates are the nodes of margin >= 1, of which a record can bring many."""

    def draw(self, values, source):
        h, n = self.height, values.n
        left, right = self.window.needs(n)
        data = np.repeat(values.points, np.diff(values.ends, prepend=0))
        scores, outputs = [], []
        for t in range(1, h + 1):
            for node in range(2 ** (h - t)):
                z = (node << t) + 2 ** (t - 1) - 1
                margin = min(np.sum(data <= z) - left + 1, np.sum(data > z) - right + 1)
                if margin >= 1:
                    scores.append(int(margin))
                    outputs.append((t, node))
        choice = LeveledChoice(scores, None, lambda i, _: outputs[i], self.bottom)
        return choice.draw(self.rate, source)


CONTROLS = [
    (HalfBottom, 4, 3, F(1, 10**6)),
    (HalfBottom, 4, 3, F(1, 10)),
    (NoHeight, 4, 3, F(1, 10**6)),
    (NoLeaves, 4, 3, F(1, 10**6)),
    (NoCap, 5, 5, F(1, 10**6)),
    (ByMargin, 4, 3, F(1, 10**6)),
]


@pytest.mark.first(1)
@pytest.mark.parametrize(("broken", "size", "n", "delta"), CONTROLS)
def test_broken_trees_are_caught(verify, broken, size, n, delta):
    mechanism = broken(height(size), RankWindow.of((0, 1)), F(1), delta)
    assert not verify(runner(mechanism, size), range(size), n, F(1)).within(delta)


# ------------------------------------------------------------------------------ the planner


@pytest.mark.first(2)
@pytest.mark.parametrize(("n", "name"), [(1, "tree"), (2, "exponential"), (3, "exponential")])
def test_the_planned_choice_is_private(verify, n, name):
    """With a delta this large, one record decides which branch the planner takes."""
    window, epsilon, delta = RankWindow.of((0, 1)), F(3), F(9, 10)

    def planned(data, source):
        chosen = choose(8, len(data), window, epsilon, delta)
        assert chosen.name == name
        return chosen.draw(Ordered.of(data, 8), source)

    found = verify(planned, range(8), n, epsilon)
    assert found.within(delta if name == "tree" else 0)


@pytest.mark.more
def test_a_choice_by_the_data_is_caught(verify):
    """Two private mechanisms, but which one runs depends on the spread of the values."""

    def by_spread(data, source):
        window = RankWindow.of((0, 1))
        wide = max(data) - min(data) > 3
        chosen = TreeEM(3, window, F(1), F(1, 10**6)) if wide else RankExponential(8, window, F(1))
        return chosen.draw(Ordered.of(data, 8), source)

    assert not verify(by_spread, range(8), 3, F(1)).within(F(1, 10**6))


# -- The one-shot draw over paths: law by definition, privacy on small trees, certified t ----------


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
    source = SeededSource(4)
    deep = one_shot_path(
        [2**70] * 200, Chain(), max_depth=2**80, epsilon=2, delta=1e-6, source=source
    )
    assert deep is not None
    assert deep <= 2**70


def test_no_paths_at_all_give_bottom():
    assert set(ExactSource().law(lambda s: run(3, F(1), F(1, 2))([], s)).outcomes) == {None}
