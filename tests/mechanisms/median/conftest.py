"""Exact verification of a mechanism on every data set over a small domain."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from littlestone.privacy import hockey_stick
from littlestone.privacy.guarantee import upper
from littlestone.source import ExactSource


@dataclass
class Verified:
    laws: int
    pairs: int
    worst: Fraction  # largest hockey-stick divergence at epsilon, upper end

    def within(self, delta):
        return self.worst <= Fraction(delta) + Fraction(1, 2**100)


@pytest.fixture
def verify():
    """Return verify(run, kinds, n, epsilon): all multisets, all replace-one pairs, both orders."""

    def check(run, kinds, n, epsilon):
        source = ExactSource()
        kinds = list(kinds)
        laws = {}
        for data in combinations_with_replacement(range(len(kinds)), n):
            records = [kinds[i] for i in data]
            law = source.law(lambda s, records=records: run(records, s))
            assert law.slack.is_zero(), "no loop here: nothing is cut"
            total = sum(law.outcomes.values())
            assert total.contains(1)
            laws[data] = law.outcomes
        worst, pairs = Fraction(0), 0
        for data, p in laws.items():
            for i, old in enumerate(data):
                if i and data[i - 1] == old:
                    continue
                for new in range(len(kinds)):
                    if new != old:
                        q = laws[tuple(sorted((*data[:i], new, *data[i + 1 :])))]
                        worst = max(worst, upper(hockey_stick(p, q, epsilon)))
                        pairs += 1
        return Verified(len(laws), pairs, worst)

    return check
