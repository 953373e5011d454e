"""The laws of A, B and the one-shot draw are those of their definitions; both storages agree."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from littlestone.errors import DataError, ParameterError
from littlestone.mechanisms.median import (
    Groups,
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    bit_length,
)
from littlestone.papers.yan import least_tail
from littlestone.source import ExactSource, ReplaySource, SeededSource, StreamedRuns

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


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(7)])
@pytest.mark.parametrize("chance", [F(1, 2), F(1, 10**9)])
def test_least_tail(epsilon, chance):
    def tail(k):
        return math.exp(-epsilon * k) / (1 + math.exp(-epsilon))

    k = least_tail(epsilon, chance)
    assert tail(k) <= chance
    assert k == 1 or tail(k - 1) > chance


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
    "values", [[1.5], ["7"], [None], [True], np.array([np.nan]), np.array([True])]
)
def test_other_cells_are_refused_without_showing_them(values):
    with pytest.raises(DataError, match="must be a whole number") as caught:
        Ordered.read(values, 0, 9)
    assert not any(shown in str(caught.value) for shown in ("1.5", "'7'", "None", "True", "nan"))


def test_two_dimensional_values_are_refused():
    with pytest.raises(ParameterError, match="sequence of integers"):
        Ordered.read([[1, 2], [3, 4]], 0, 9)


def test_trimming_is_by_records_not_by_distinct_values():
    values = Ordered.of([1, 1, 1, 4, 6, 6], 8)
    middle = values.trimmed(2, 1)
    assert (middle.points.tolist(), middle.ends.tolist()) == ([1, 4, 6], [1, 2, 3])
    assert values.trimmed(4, 2).n == 0
    assert values.trimmed(9, 9).n == 0
