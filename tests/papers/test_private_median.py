"""PrivateMedian of order log*: exact laws of whole runs on all small data, and broken controls."""

from dataclasses import dataclass
from fractions import Fraction as F
from functools import cached_property
from itertools import combinations_with_replacement

import pytest

from littlestone.mechanisms.median import Ordered, RankExponential, RankWindow
from littlestone.mechanisms.select import entering_bottom
from littlestone.papers.yan import PrivateMedian, Thresholds, least_tail
from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource, Exp


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
