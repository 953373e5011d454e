"""PrivateMedian of order log*: exact laws of whole runs on all small data, and broken controls."""

from dataclasses import dataclass
from fractions import Fraction as F
from functools import cached_property
from itertools import combinations_with_replacement

import numpy as np
import pytest

from littlestone.mechanisms.median import Ordered, RankExponential, RankWindow
from littlestone.mechanisms.select import entering_bottom
from littlestone.papers.yan import PrivateMedian, Thresholds, least_tail
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, Exp, SeededSource


@dataclass(frozen=True)
class Small(PrivateMedian):
    """Nothing is trimmed, theta is given, and what privacy needs is derived."""

    @cached_property
    def inner(self):
        return RankExponential(self.height + 1, RankWindow.of((0, 1)), 2 * self.each)

    def at(self, n, theta=1, **change):
        half = self.delta / 2
        least, entering = self.balanced(n)
        bottom = entering_bottom(entering=entering, score=least, rate=self.heavy / 2, delta=half)
        calm = theta - 1 + least_tail(self.each, half)
        own = {
            "trim": 0, "least": least, "bottom": bottom, "theta": theta, "drop": calm + 1,
            "stable": calm + 1 + least_tail(self.each, half), "rest": n - calm - 1,
        }  # fmt: skip
        assert own["rest"] >= 1, "else nothing is verified"
        return Thresholds(**own | change)


def worst(size, n, **change):
    """Return the largest divergence of all neighbours, in units of delta."""
    median = Small(size, F(5), F(1, 50))
    at = median.at(n, **change)
    data_sets = list(combinations_with_replacement(range(size), n))
    values = [Ordered.of(data, size) for data in data_sets]
    laws = {
        data: ExactSource().law(lambda s, v=v: median.run(v, at, s))
        for data, v in zip(data_sets, values, strict=True)
    }
    found = F(0)
    for data, law in laws.items():
        for i, new in ((i, new) for i in range(n) for new in range(size)):
            other = laws[tuple(sorted((*data[:i], new, *data[i + 1 :])))]
            divergence = hockey_stick(law.outcomes, other.outcomes, median.epsilon)
            found = max(found, upper(divergence) + upper(law.slack))
    return found / median.delta


@pytest.mark.first(1)
@pytest.mark.parametrize(("size", "n"), [(2, 7), (3, 7), (4, 7)])
def test_a_whole_run_is_private(size, n):
    assert worst(size, n) <= 1


@pytest.mark.more
@pytest.mark.parametrize("share", [F(0), F(1, 20)])
def test_a_low_bottom_is_noticed(share):
    at = Small(3, F(5), F(1, 50)).at(7)
    assert worst(3, 7, bottom=at.bottom * share if share else Exp({})) > 1


def test_privacy_does_not_depend_on_beta():
    """beta moves thresholds, and every threshold that privacy needs moves along."""
    for beta in (F(1, 1000), F(1, 20), F(9, 10)):
        median = PrivateMedian(2**64, F(1), F(1, 10**6), beta=beta)
        at, hidden = median.thresholds(900), least_tail(median.each, median.delta / 2)
        calm = at.theta - 1 + hidden
        assert at.drop >= calm + 1
        assert at.stable == calm + 1 + hidden


def test_degenerate_domains_and_too_few_records():
    source, goal = ExactSource(), {"epsilon": F(1), "delta": F(1, 10**6)}
    for values, size, answer in (([0, 0], 1, 0), ([0, 5], 8, None), ([], 8, None)):
        median = PrivateMedian(size, **goal)
        law = source.law(lambda s, m=median, v=values, k=size: m.draw(Ordered.of(v, k), s))
        assert set(law.outcomes) == {answer}


# -- the lemmas of its privacy, by counting --------------------------------------------------------


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


class Seen:
    """In the place of the next level: what it is given."""

    def draw(self, depths, source):
        self.depths = np.repeat(depths.points, np.diff(depths.ends, prepend=0)).tolist()


def test_the_next_level_gets_the_depths_of_the_definition():
    rng = np.random.default_rng(5)
    for _ in range(60):
        size, seen = int(rng.integers(2, 40)), Seen()
        data = sorted(rng.integers(0, size, rng.integers(1, 12)).tolist())
        median = Small(size, F(5), F(1, 50))
        vars(median)["inner"] = seen
        at = Thresholds(0, 1, Exp({}), theta=10**6, drop=0, stable=0, rest=1)
        assert median.run(Ordered.of(data, size), at, SeededSource(0)) is None
        assert seen.depths == depths(data, median.height)


# -- its path branch, where the lemmas send neighbours ---------------------------------------------


def worst_of_paths(size, n, calm, **change):
    """Return the pairs, and the largest divergence of calm neighbours in units of delta/2."""
    median = Small(size, F(5), F(1, 50))
    hidden = least_tail(median.each, median.delta / 2)
    at = Thresholds(0, 1, Exp({}), 10**6, calm + 1, calm + 1 + hidden, n - calm - 1)
    at = at._replace(**change)  # of so high a theta that the heavy branch is never taken
    laws = {}
    for data in multisets(size, n):
        if balance(data, median.height) <= calm:
            values = Ordered.of(data, size)
            laws[data] = ExactSource().law(lambda s, v=values: median.run(v, at, s))
    pairs = [(data, other) for data in laws for other in neighbours(data, size) if other in laws]
    most = max(
        upper(hockey_stick(laws[a].outcomes, laws[b].outcomes, median.heavy)) for a, b in pairs
    )
    return len(pairs), most / (median.delta / 2)


@pytest.mark.parametrize(
    ("size", "n", "calm"),
    [
        pytest.param(6, 4, 1, marks=pytest.mark.more),
        pytest.param(8, 3, 1, marks=pytest.mark.full),
        pytest.param(8, 6, 2, marks=pytest.mark.full),
        pytest.param(16, 4, 1, marks=pytest.mark.full),
    ],
)
def test_the_path_branch_is_private(size, n, calm):
    pairs, most = worst_of_paths(size, n, calm)
    assert pairs > 400
    assert most <= 1


@pytest.mark.more
def test_an_unstable_release_is_noticed():
    assert worst_of_paths(5, 4, 1, stable=0)[1] > 1
