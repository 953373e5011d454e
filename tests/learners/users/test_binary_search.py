"""The search for the best error: right way round, and as sure as its certificate says."""

from fractions import Fraction as F

import numpy as np
import pytest

from littlestone.bounds.formulas import evaluate
from littlestone.learners.users.binary_search import _least_favourable, probabilities
from littlestone.learners.users.min_error import PrivateCompare, PrivateMinError
from littlestone.source import ExactSource, SeededSource

from .small import Typed


class Swapped(PrivateMinError):
    """Algorithm 2 as it is printed: r <- mid after "above", l <- mid after "below"."""

    @staticmethod
    def branch(bit, low, middle, high):
        return (low, middle) if bit else (middle, high)


def told(search, best):
    """Run a search with an exact comparator instead of data."""

    class Exactly:
        def decide(self, errors, n, source):
            return int(best > self.midpoint)

        def __init__(self, midpoint):
            self.midpoint = midpoint

    object.__setattr__(
        search,
        "_known",
        {one: Exactly(one) for one in [F(j, 2**search.steps) for j in range(1, 2**search.steps)]},
    )
    return search.locate(None, 1, SeededSource(0))


@pytest.mark.parametrize("best", [F(1, 20), F(3, 10), F(7, 10)])
def test_the_branch_against_an_exact_comparator(best):
    low, high = told(PrivateMinError(16, 5, F(1, 64), F(1), F(1, 2)), best)
    assert low <= best <= high
    assert high - low == F(1, 32) + F(1, 64)


@pytest.mark.parametrize(
    ("best", "ends_at"), [(F(1, 20), 31 / 32), (F(3, 10), 31 / 32), (F(7, 10), 0)]
)
def test_the_printed_branch_ends_far_away(best, ends_at):
    low, high = told(Swapped(16, 5, F(1, 64), F(1), F(1, 2)), best)
    assert not low <= best <= high
    assert float(low) == ends_at  # .97, .97 and 0: the printed algorithm returns l


def mixed(m, error, n, hypotheses=2):
    """Return users of whom each hypothesis errs on a binomial number of records."""
    rng = np.random.default_rng(7)
    return Typed(rng.binomial(m, error, size=(hypotheses, n)), np.ones(n, dtype=np.int64))


def failure(compare, errors, n):
    """Return the exact probability of the bit 1."""
    law = ExactSource().law(lambda source: compare.decide(errors, n, source))
    return float(law.outcomes.get(1, 0))


def test_the_bit_has_the_law_of_a_noisy_count():
    """Two-sided geometric noise on the count, compared with the cut: summed up by hand."""
    compare = PrivateCompare(4, F(1, 4), F(1, 4), F(1, 2), F(1, 2))
    p = np.exp(-0.5)
    noise = np.arange(-400, 401)
    law = (1 - p) / (1 + p) * p ** np.abs(noise)
    for count in range(0, 21):
        errors = Typed([[4, 0]], [count, 20 - count])
        reached = law[count + noise >= int(np.ceil(20 * compare.cut))].sum()
        assert failure(compare, errors, 20) == pytest.approx(reached, abs=1e-12)


def test_nothing_to_compare_beyond_one():
    compare = PrivateCompare(4, F(7, 8), F(1, 8), F(1), F(1, 2))
    assert compare.trivial
    assert compare.decide(None, 10, SeededSource(0)) == 0


@pytest.mark.parametrize("m", [1, 4, 16])
def test_rates_bound_the_exact_failure(m):
    """E over binomial users of the coin, for one hypothesis, against e**(-n rate)."""
    n, search = 40, PrivateMinError(m, 3, F(1, 8), F(2), F(1, 2))
    low, high = probabilities(search)
    (_, i, tilt), (_, j, _) = _least_favourable(search, 0)
    one = search.comparisons[i]
    counts = np.arange(n + 1)
    from scipy.stats import binom

    ones = np.array([failure(one, Typed([[m, 0]], [c, n - c]), n) for c in counts])
    wrong = (binom.pmf(counts, n, low[i]) * ones).sum()
    rate = float(tilt * one.cut) - np.log1p(low[i] * np.expm1(float(tilt)))
    assert 0 < wrong <= np.exp(-n * rate)
    other = search.comparisons[j]
    zeros = np.array([1 - failure(other, Typed([[m, 0]], [c, n - c]), n) for c in counts])
    assert (binom.pmf(counts, n, high[j]) * zeros).sum() < 0.5


@pytest.mark.parametrize("error", [0.0, 0.05, 0.3, 0.5, 0.7, 1.0])
def test_the_answer_holds_the_best_error(error):
    search = PrivateMinError(16, 3, F(1, 8), F(1), F(1, 2))
    errors = mixed(16, error, 2000)
    law = ExactSource().law(lambda source: search.locate(errors, 2000, source))
    right = sum(float(p) for (low, high), p in law.outcomes.items() if low <= error <= high)
    assert right > 0.99


@pytest.mark.parametrize("gap", [F(1, 40), F(1, 8), F(1, 4)])
@pytest.mark.parametrize("steps", [1, 3, 4])
def test_how_many_midpoints_and_answers_can_be_met(gap, steps):
    """Follow every right path for many best errors."""
    search = PrivateMinError(4, steps, gap, F(1), F(1, 2))
    most_met, most_answers = 0, 0
    for best in [F(i, 997) for i in range(998)]:
        met, ends, front = set(), set(), {(F(0), F(1))}
        for _ in range(steps):
            following = set()
            for low, high in front:
                middle = (low + high) / 2
                met.add(middle)
                following |= {(middle, high)} if best > middle else set()
                following |= {(low, middle)} if best < middle + gap else set()
            front = following
        ends = front
        most_met, most_answers = max(most_met, len(met)), max(most_answers, len(ends))
    assert most_met <= search.weight
    assert most_answers <= search.answers


def test_formulas_know_the_binomial_tails_of_the_search():
    search = PrivateMinError(16, 3, F(1, 8), F(1), F(1, 2))
    low, _ = probabilities(search)
    for one, p in zip(search.comparisons, low, strict=True):
        names = {"m": F(16), "p": one.midpoint, "t": F(one.t)}
        assert float(evaluate("binomial_above(m, p, t)", names)) == pytest.approx(p, rel=1e-10)
