"""Privacy of A, B and the planner's choice: exact laws, all neighbours; broken controls."""

from fractions import Fraction as F

import numpy as np
import pytest

from littlestone.mechanisms.median import (
    Ordered,
    RankExponential,
    RankWindow,
    TreeEM,
    choose,
)
from littlestone.mechanisms.select import entering_bottom
from littlestone.source import LeveledChoice, ScoreRuns

WINDOWS = [(0, 1), (F(1, 3), F(2, 3)), (F(3, 5), F(9, 10)), (0, F(1, 4))]


def height(size):
    return (size - 1).bit_length()


def runner(mechanism, size):
    return lambda data, source: mechanism.draw(Ordered.of(data, size), source)


#: Every domain size up to 9 and every n up to 5; the larger products only in a full run.
SMALL = [(m, n) for m in range(1, 10) for n in range(1, 6) if m + n <= 7 or n == 1]
SMALL += [(3, 5), (7, 2), (9, 2)]
LARGE = [(m, n) for m in range(1, 10) for n in range(1, 6) if (m, n) not in SMALL]


# ------------------------------------------------------------------------------ A


def check_a(verify, size, n):
    for epsilon, ranks in [(F(1, 2), WINDOWS), (F(2), WINDOWS[1:2])]:
        for rank in ranks:
            mechanism = RankExponential(size, RankWindow.of(rank), epsilon)
            assert verify(runner(mechanism, size), range(size), n, epsilon).within(0), (
                rank,
                epsilon,
            )


@pytest.mark.first(12)
@pytest.mark.parametrize(("size", "n"), SMALL)
def test_exponential_is_pure(verify, size, n):
    check_a(verify, size, n)


@pytest.mark.full
@pytest.mark.parametrize(("size", "n"), LARGE)
def test_exponential_is_pure_on_larger_domains(verify, size, n):
    check_a(verify, size, n)


class DoubleRate(RankExponential):
    """Broken: as if all scores moved one way."""

    @property
    def rate(self):
        return self.epsilon


class Difference(RankExponential):
    """Broken: |L - R| moves by 2, and nobody paid for the second one."""

    def runs(self, values):
        good = super().runs(values)
        k = len(values.points)
        at_most = np.repeat(np.r_[0, values.ends], 2)[1:]
        at_least = np.repeat(np.r_[values.n, values.n - values.ends], 2)[:-1]
        assert len(at_most) == len(good.scores) == 2 * k + 1
        return ScoreRuns(good.starts, good.end, -np.abs(at_most - at_least))


@pytest.mark.parametrize("broken", [DoubleRate, Difference])
def test_broken_exponentials_are_caught(verify, broken):
    mechanism = broken(4, RankWindow.of((0, 1)), F(1))
    assert not verify(runner(mechanism, 4), range(4), 4, F(1)).within(0)


# ------------------------------------------------------------------------------ B


def check_b(verify, size, n):
    requests = [(F(1), F(1, 10**6)), (F(1, 2), F(1, 5)), (F(3), F(1, 100))]
    for (epsilon, delta), ranks in zip(requests, [WINDOWS, WINDOWS[1:2], WINDOWS[:1]], strict=True):
        for rank in ranks:
            mechanism = TreeEM(height(size), RankWindow.of(rank), epsilon, delta)
            found = verify(runner(mechanism, size), range(size), n, epsilon)
            assert found.within(delta), (rank, epsilon, float(found.worst / delta))


@pytest.mark.first(9)
@pytest.mark.parametrize(("size", "n"), SMALL)
def test_tree_is_private(verify, size, n):
    check_b(verify, size, n)


@pytest.mark.full
@pytest.mark.parametrize(("size", "n"), LARGE)
def test_tree_is_private_on_larger_domains(verify, size, n):
    check_b(verify, size, n)


@pytest.mark.more
@pytest.mark.parametrize("delta", [F(1, 10**6), F(1, 10)])
def test_the_tree_bound_is_nearly_tight(verify, delta):
    mechanism = TreeEM(3, RankWindow.of((0, 1)), F(1), delta)
    worst = verify(runner(mechanism, 8), range(8), 3, F(1)).worst
    assert F(4, 5) * delta < worst <= delta


class TreeDoubleRate(TreeEM):
    @property
    def rate(self):
        return self.epsilon


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
    (TreeDoubleRate, 2, 9, F(1, 10)),
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


@pytest.mark.first(1)
@pytest.mark.parametrize("size", [3, 5])
def test_a_tree_that_is_too_low_is_caught(verify, size):
    """Rounding log2 of the domain down: the bottom of the tree does not fit."""

    class Low(TreeEM):
        @property
        def bottom(self):
            low = self.height - 1
            return entering_bottom(entering=low, score=1, rate=self.rate, delta=self.delta)

    mechanism = Low(height(size), RankWindow.of((0, 1)), F(1), F(1, 10**6))
    assert not verify(runner(mechanism, size), range(size), 3, F(1)).within(F(1, 10**6))


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
