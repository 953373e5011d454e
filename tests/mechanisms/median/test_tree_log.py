"""Privacy of C, the reconstruction: lemmas by brute force, exact laws, broken controls."""

from dataclasses import replace
from fractions import Fraction as F
from itertools import combinations_with_replacement

import numpy as np
import pytest

from littlestone.mechanisms.median import Ordered, RankWindow, TreeLog
from littlestone.mechanisms.median.tree_log import (
    Constants,
    LevelBudget,
    _depths,
    balanced,
    least_tail,
)
from littlestone.mechanisms.median.values import branchings
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, Exp

INTERIOR = RankWindow.of((0, 1))


class Small(TreeLog):
    """TreeLog with another split of epsilon; nothing is trimmed, and theta is given."""

    split = LevelBudget(F(1), F(1), F(1), F(1), F(1, 100), F(1, 20))

    @property
    def budget(self):
        return self.split

    def small(self, n, *, calm=None, theta=1):
        """Return constants for n records in which everything that privacy needs is derived."""
        floor, entering = balanced(self.split, self.height, n)
        constants = Constants.at(self.split, floor=floor, entering=entering, middle=n)
        if calm is None:
            calm = theta - 1 + least_tail(self.split.test, self.split.half)
        hidden = least_tail(self.split.stay, self.split.half)
        return replace(
            constants, theta=theta, calm=calm, drop=calm + 1, stable=calm + 1 + hidden,
            rest=n - calm - 1,
        )  # fmt: skip


def height(size):
    return (size - 1).bit_length()


def multisets(size, n):
    return combinations_with_replacement(range(size), n)


def neighbours(data, size):
    for i, old in enumerate(data):
        if not i or data[i - 1] != old:
            for new in range(size):
                if new != old:
                    yield tuple(sorted((*data[:i], new, *data[i + 1 :])))


def balance(data, h):
    """The heaviest lighter child of any node, by counting under every node."""
    worst = 0
    for t in range(1, h + 1):
        for node in {x >> t for x in data}:
            left = sum(x >> (t - 1) == 2 * node for x in data)
            right = sum(x >> (t - 1) == 2 * node + 1 for x in data)
            worst = max(worst, min(left, right))
    return worst


def depths(data, h):
    """The depths by walking down to the heavier child (the left one if equal)."""
    out = [0] * len(data)
    node = 0
    for depth in range(1, h + 1):
        left = sum(x >> (h - depth) == 2 * node for x in data)
        right = sum(x >> (h - depth) == 2 * node + 1 for x in data)
        node = 2 * node + (right > left)
        for i, x in enumerate(data):
            out[i] = depth if x >> (h - depth) == node else out[i]
    return sorted(out)


# ------------------------------------------------------------------------------ lemmas


def one_replaced(a, b):
    """Whether two sorted lists differ by replacing at most one element."""
    counts = {v: a.count(v) - b.count(v) for v in {*a, *b}}
    return sum(c for c in counts.values() if c > 0) <= 1


def lipschitz_failures(size, n, calm, drop):
    h, failures, pairs = height(size), 0, 0
    calm_sets = {d: depths(d, h) for d in multisets(size, n) if balance(d, h) <= calm}
    for data, mine in calm_sets.items():
        for other in neighbours(data, size):
            if other in calm_sets:
                kept = max(n - drop, 0)
                failures += not one_replaced(mine[:kept], calm_sets[other][:kept])
                pairs += 1
    return failures, pairs


@pytest.mark.parametrize(("size", "n", "calm"), [(8, 5, 2), (8, 6, 2), (16, 4, 1), (4, 8, 2)])
def test_the_depths_without_the_deepest_are_lipschitz(size, n, calm):
    failures, pairs = lipschitz_failures(size, n, calm, calm + 1)
    assert (failures, pairs > 100) == (0, True)


def test_dropping_fewer_depths_is_caught():
    for drop in (0, 1):
        assert lipschitz_failures(8, 5, 2, drop)[0] == 672


@pytest.mark.first(1)
@pytest.mark.parametrize(("size", "n"), [(8, 4), (16, 3)])
def test_balance_moves_by_one_and_a_changed_node_is_light(size, n):
    h = height(size)
    of = {data: balance(data, h) for data in multisets(size, n)}
    for data, own in of.items():
        for other in neighbours(data, size):
            assert abs(own - of[other]) <= 1
            calm = max(own, of[other])
            for depth in range(h + 1):
                (a, weight), (b, same) = (fullest(d, h, depth) for d in (data, other))
                assert a == b or max(weight, same) <= calm + 1


def fullest(data, h, depth):
    nodes = [x >> (h - depth) for x in data]
    best = min(set(nodes), key=lambda v: (-nodes.count(v), v))
    return best, nodes.count(best)


def test_depths_and_balance_are_what_the_definition_says():
    rng = np.random.default_rng(5)
    for _ in range(60):
        size = int(rng.integers(2, 40))
        h = height(size)
        data = sorted(rng.integers(0, size, rng.integers(1, 12)).tolist())
        values = Ordered.of(data, size)
        found = _depths(values, branchings(values.points, h), h)
        assert np.repeat(found.points, np.diff(found.ends, prepend=0)).tolist() == depths(data, h)


# ------------------------------------------------------------------------------ exact laws


def check_path(size, n, calm, change=None):
    """Return (pairs, worst / delta) of the path branch, on data that the proof sends there."""
    h = height(size)
    mechanism = Small(h, INTERIOR, F(3), 2 * Small.split.half)
    constants = mechanism.small(n, calm=calm)
    if change is not None:
        constants = replace(constants, **change(constants))
    laws, pairs, worst = {}, 0, F(0)
    for data in multisets(size, n):
        if balance(data, h) <= calm:
            values = Ordered.of(data, size)
            trie = branchings(values.points, h)
            laws[data] = ExactSource().law(
                lambda s, v=values, t=trie: mechanism.path_branch(v, v, t, constants, s)
            )
    for data, law in laws.items():
        for other in neighbours(data, size):
            if other in laws:
                found = hockey_stick(law.outcomes, laws[other].outcomes, Small.split.heavy)
                worst, pairs = max(worst, upper(found)), pairs + 1
    return pairs, worst / Small.split.half


@pytest.mark.first(1)
@pytest.mark.parametrize(("size", "n", "calm"), [(8, 3, 1), (6, 4, 1)])
def test_the_path_branch_is_private(size, n, calm):
    pairs, worst = check_path(size, n, calm)
    assert pairs > 400
    assert worst <= 1


@pytest.mark.full
@pytest.mark.parametrize(("size", "n", "calm"), [(8, 6, 2), (16, 4, 1), (5, 7, 2), (11, 4, 1)])
def test_the_path_branch_is_private_on_larger_domains(size, n, calm):
    pairs, worst = check_path(size, n, calm)
    assert pairs > 400
    assert worst <= 1


def test_an_unstable_release_is_caught():
    assert check_path(5, 4, 1, lambda c: {"stable": 0})[1] > 30
    assert check_path(5, 4, 1, lambda c: {"stable": c.stable - 2})[1] > F(6, 5)


def check_run(verify, size, n, theta=1, levels=1, change=None):
    """Return worst / delta of whole runs."""
    epsilon = Small.split.test + Small.split.heavy
    delta = 2 * Small.split.half
    mechanism = Small(height(size), INTERIOR, epsilon, delta, levels)
    constants = mechanism.small(n, theta=theta)
    assert constants.rest >= 1, "else nothing is verified"
    if change is not None:
        constants = replace(constants, **change(constants))

    def run(data, source):
        return mechanism.run(Ordered.of(data, size), constants, source)

    return verify(run, range(size), n, epsilon).worst / delta


@pytest.mark.parametrize(("size", "n"), [(2, 7), (3, 7)])
def test_a_whole_run_is_private(verify, size, n):
    assert check_run(verify, size, n) <= 1


@pytest.mark.full
@pytest.mark.parametrize(("size", "n", "theta"), [(4, 9, 2), (5, 7, 1), (8, 7, 1), (4, 11, 4)])
def test_a_whole_run_is_private_on_larger_domains(verify, size, n, theta):
    assert check_run(verify, size, n, theta) <= 1


@pytest.mark.parametrize(
    "change", [lambda c: {"bottom": Exp({})}, lambda c: {"bottom": c.bottom * F(1, 20)}]
)
def test_a_low_bottom_is_caught(verify, change):
    assert check_run(verify, 3, 7, change=change) > 1


def test_privacy_constants_do_not_depend_on_the_design_beta():
    """beta moves thresholds, and every threshold that privacy needs moves along."""
    for beta in (F(1, 1000), F(1, 20), F(9, 10)):
        mechanism = TreeLog(64, INTERIOR, F(1), F(1, 10**6), beta=beta)
        c, b = mechanism.constants(500), mechanism.budget
        assert c.calm - c.theta + 1 == least_tail(b.test, b.half)
        assert c.drop >= c.calm + 1
        assert c.stable == c.calm + 1 + least_tail(b.stay, b.half)


def test_degenerate_domains_and_too_few_records():
    source = ExactSource()
    one = TreeLog(0, INTERIOR, F(1), F(1, 10**6))
    assert set(source.law(lambda s: one.draw(Ordered.of([0, 0], 1), s)).outcomes) == {0}
    few = TreeLog(3, INTERIOR, F(1), F(1, 10**6))
    assert set(source.law(lambda s: few.draw(Ordered.of([0, 5], 8), s)).outcomes) == {None}
    assert set(source.law(lambda s: few.draw(Ordered.of([], 8), s)).outcomes) == {None}


def test_rates_of_a_millionth_of_a_millionth_are_planned():
    """Thresholds of 10**13 are found by jumps; below the least n, nothing is certified."""
    tiny = TreeLog(64, RankWindow.of((F(1, 3), F(2, 3))), F(1, 10**12), F(1, 10**6), beta=F(1, 20))
    n = tiny.least_n()
    assert n > 10**14
    assert tiny.certificate(n).holds
    assert not tiny.certificate(n - 1).holds


@pytest.mark.first(3)
@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(7)])
@pytest.mark.parametrize("height", [2, 64])
def test_the_least_n_is_found_as_by_walking_down(height, epsilon):
    log = TreeLog(height, RankWindow.of((F(4, 5), F(9, 10))), epsilon, F(1, 5), beta=F(1, 20))
    need, n = log.base.least_n(log.beta / 2), log.least_n()
    assert all(log.constants(m).rest >= need for m in range(n, n + 30))
    assert log.constants(n - 1).rest < need
