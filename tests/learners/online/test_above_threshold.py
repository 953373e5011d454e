"""The above-threshold test: exact laws of its draws, and the same law as one coin for each step."""

import math
from fractions import Fraction as F

import pytest

from littlestone.learners.online.algorithm import Digit, NoEventCoin, draw_noise, draw_silence
from littlestone.source import ExactSource, SecureSource, SeededSource, probabilities


@pytest.mark.parametrize("epsilon", [F(1, 3), F(2)])
@pytest.mark.parametrize("gap", [1, 2, 7])
def test_silence_is_geometric(epsilon, gap):
    law = ExactSource().law(lambda source: draw_silence(epsilon, gap, 3, source))
    q = 1 - math.exp(-epsilon * gap)
    assert len(law.outcomes) == 9
    for (steps, fires), p in law.outcomes.items():
        expected = q**steps * (1 - q) if fires else q**8
        assert float(p) == pytest.approx(expected, rel=1e-12)
        assert fires or steps == 8


@pytest.mark.parametrize("epsilon", [F(1, 5), F(1), F(7, 2)])
def test_noise_is_geometric(epsilon):
    law = ExactSource(cut=F(1, 2**40), follow=0).law(lambda source: draw_noise(epsilon, source))
    for r in range(6):
        expected = -math.expm1(-epsilon) * math.exp(-epsilon * r)
        assert float(law.outcomes[r]) == pytest.approx(expected, rel=1e-12)
    assert float(law.slack) < 1e-9


@pytest.mark.parametrize("gap", [1, 10**3, 10**9])
@pytest.mark.parametrize("epsilon", [F(1, 10**9), F(10**6)])
def test_extreme_weights_keep_their_relative_precision(epsilon, gap):
    for weights in (NoEventCoin(epsilon, gap, 1 << 20), Digit(epsilon, gap, 5)):
        for p in probabilities(weights, 192):
            assert p > 0
            assert p.rel_accuracy_bits() > 100
    assert draw_silence(epsilon, 0, 5, SecureSource()) == (0, True)
    assert draw_noise(epsilon, SeededSource(1)) >= 0


def test_one_draw_for_many_steps_has_the_law_of_one_coin_for_each_step():
    """Gaps 3, 3, 2, 2, 2, ... as mistakes come: when does it fire?"""
    epsilon, gaps = F(1, 2), [3, 3, 2, 2, 2, 1]

    def by_waiting(source):
        at, fires = 0, False
        until, fires = draw_silence(epsilon, gaps[0], 1, source)
        for t, gap in enumerate(gaps):
            if t and gap != gaps[t - 1]:
                silent, fires = draw_silence(epsilon, gap, 1, source)
                until = t + silent
            while until == t:
                if fires:
                    return t
                silent, fires = draw_silence(epsilon, gap, 1, source)
                until = t + silent
        return at - 1

    law = ExactSource().law(by_waiting)
    silent = 1.0
    for t, gap in enumerate(gaps):
        ring = math.exp(-0.5 * gap)
        assert float(law.outcomes[t]) == pytest.approx(silent * ring, rel=1e-12)
        silent *= 1 - ring
    assert float(law.outcomes[-1]) == pytest.approx(silent, rel=1e-12)


@pytest.mark.parametrize("epsilon", [F(1, 3), F(2)])
@pytest.mark.parametrize(("steps", "limit", "b"), [(1, 30, 0.1), (50, 30, 0.05), (1000, 60, 0.01)])
def test_epochs_are_neither_short_nor_long(epsilon, steps, limit, b):
    """The claim `online.epochs`, from the laws of the two draws; mistakes as they hurt most."""
    e = float(epsilon)
    noise = ExactSource(cut=F(1, 2**50), follow=0).law(lambda s: draw_noise(epsilon, s))
    law = {r: float(p) for r, p in noise.outcomes.items()}

    def early(count):
        """Some step fires with at most so many mistakes: all of them come at once."""
        total = 0.0
        for r, p in law.items():
            gap = limit + r - count
            silent = ExactSource().law(lambda s, g=gap: draw_silence(epsilon, g, 0, s))
            ring = float(silent.outcomes.get((0, True), 0))
            total += p * (1 - (1 - ring) ** steps)
        return total

    least = limit + 1 - max(math.ceil(math.log(steps / b / (1 + math.exp(-e))) / e), 1)
    assert early(least - 1) <= b
    assert early(least + math.ceil(4 / e)) > b  # and the number is not far from the best
    late = math.ceil(math.log(steps / b) / e)  # steps tests, each fires at limit + r at the latest
    assert all(draw_silence(epsilon, gap, 3, SecureSource()) == (0, True) for gap in (0, -1))
    long = sum(p for r, p in law.items() if r >= late)
    assert 1 - (1 - long) ** steps <= b
    longer = sum(p for r, p in law.items() if r >= late - math.ceil(1 / e))
    assert 1 - (1 - longer) ** steps > b
