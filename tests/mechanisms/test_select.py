"""The exponential mechanism: exact laws, all small score vectors, broken variants caught."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from functools import cache
from itertools import product

import pytest

from littlestone.errors import ParameterError
from littlestone.mechanisms import (
    exponential_mechanism,
    score_gap,
    selection_rate,
)
from littlestone.privacy.guarantee import hockey_stick, tightest_epsilon
from littlestone.source import (
    ExactSource,
    Explicit,
    ExplicitWeights,
    LeveledChoice,
    ReplaySource,
    SeededSource,
    exp,
)

CANDIDATES, VALUES = 3, range(4)
VECTORS = list(product(VALUES, repeat=CANDIDATES))


@cache
def law(scores, **parameters):
    return ExactSource().law(
        lambda source: exponential_mechanism(Explicit(scores), source=source, **parameters)
    )


def moved(scores, by, *, one_way=False):
    """All vectors whose scores differ by at most ``by``; one way: none is lower."""
    steps = range(0 if one_way else -by, by + 1)
    for shift in product(steps, repeat=len(scores)):
        yield tuple(s + d for s, d in zip(scores, shift, strict=True))


def worst_delta(claim, neighbours, **parameters):
    """Return the largest exact divergence at the claimed epsilon, over all pairs, both orders."""
    worst, pairs = F(0), 0
    for s, t in neighbours:
        for a, b in ((s, t), (t, s)):
            p, q = (law(v, **parameters).outcomes for v in (a, b))
            worst = max(worst, upper_end(hockey_stick(p, q, claim)))
            pairs += 1
    return worst, pairs


def upper_end(ball):
    parts = (map(int, end.man_exp()) for end in (ball.mid(), ball.rad()))
    return sum(F(man << max(power, 0), 1 << max(-power, 0)) for man, power in parts)


@pytest.mark.first(1)
@pytest.mark.parametrize("sensitivity", [1, 2])
def test_private_on_all_vectors(epsilon, sensitivity, tolerance):
    pairs = ((s, t) for s in VECTORS for t in moved(s, sensitivity))
    worst, checked = worst_delta(epsilon, pairs, epsilon=epsilon, sensitivity=sensitivity)
    assert worst <= tolerance
    assert checked == 2 * len(VECTORS) * (2 * sensitivity + 1) ** CANDIDATES


def test_private_on_all_vectors_monotone(epsilon, tolerance):
    pairs = ((s, t) for s in VECTORS for t in moved(s, 1, one_way=True))
    worst, _ = worst_delta(epsilon, pairs, epsilon=epsilon, monotone=True)
    assert worst <= tolerance


@pytest.mark.first(2)
@pytest.mark.parametrize("monotone", [False, True])
def test_bounded_range_computed_independently(epsilon, monotone, brute):
    """Laws and losses from decimals alone: the range of the log-ratio is at most epsilon."""
    rate = epsilon if monotone else epsilon / 2
    laws = {
        s: brute.normalise({i: brute.exp(rate * v) for i, v in enumerate(s)})
        for s in {t for s in VECTORS for t in moved(s, 1)}
    }
    for s in VECTORS[::7]:
        assert brute.agrees(law(s, epsilon=epsilon, monotone=monotone), laws[s])
    logarithms = {s: brute.logarithms(chances) for s, chances in laws.items()}
    widest = F(0)
    for s in VECTORS:
        for t in moved(s, 1, one_way=monotone):
            ratios = [p - logarithms[t][i] for i, p in logarithms[s].items()]
            widest = max(widest, max(ratios) - min(ratios))
    assert epsilon * F(999, 1000) < widest <= epsilon + F(1, 10**100)


@pytest.mark.parametrize("epsilon_typed", [0.5, "1/2", F(1, 2)])
def test_epsilon_means_what_was_typed(epsilon_typed):
    views = []
    for epsilon in (epsilon_typed, F(1, 2)):
        source = ReplaySource([0, 0])
        exponential_mechanism(Explicit([0, 1]), epsilon=epsilon, source=source)
        views.append(source.presented)
    assert views[0] == views[1]


# Broken variants: each must be caught.


@pytest.mark.first(1)
def test_half_the_noise_is_caught(epsilon):
    pairs = ((s, t) for s in VECTORS for t in moved(s, 1))
    worst, _ = worst_delta(epsilon, pairs, epsilon=2 * epsilon)
    assert worst > F(1, 100)


@pytest.mark.more
def test_a_wrong_sensitivity_is_caught(epsilon):
    pairs = ((s, t) for s in VECTORS for t in moved(s, 2))
    worst, _ = worst_delta(epsilon, pairs, epsilon=epsilon, sensitivity=1)
    assert worst > F(1, 100)


@pytest.mark.first(1)
def test_monotone_for_scores_that_are_not_is_caught(epsilon):
    pairs = ((s, t) for s in VECTORS for t in moved(s, 1))
    worst, _ = worst_delta(epsilon, pairs, epsilon=epsilon, monotone=True)
    assert worst > F(1, 100)


DOMAIN = range(3)


def most_common(data, source, *, epsilon, candidates):
    counts = Counter(data)
    index = exponential_mechanism(
        Explicit([counts[c] for c in candidates]), epsilon=epsilon, source=source
    )
    return candidates[index]


@pytest.mark.parametrize("honest", [True, False])
def test_candidates_taken_from_the_data_are_caught(honest, epsilon, tolerance):
    """All data sets of three records, all replacements of one record."""
    laws = {
        data: ExactSource().law(
            lambda source, data=data: most_common(
                data,
                source,
                epsilon=epsilon,
                candidates=list(DOMAIN) if honest else sorted(set(data)),
            )
        )
        for data in product(DOMAIN, repeat=3)
    }
    losses = [
        tightest_epsilon(laws[d].outcomes, laws[(*d[:i], x, *d[i + 1 :])].outcomes)
        for d in laws
        for i in range(3)
        for x in DOMAIN
    ]
    assert len(losses) == 27 * 9
    if honest:
        assert max(upper_end(loss) for loss in losses) <= epsilon + tolerance
    else:
        assert any(not loss.is_finite() for loss in losses)


# Candidate sets of other shapes.


def test_runs_have_the_law_of_their_members(epsilon, brute):
    lengths, scores = [2, 0, 3, 1], [1, 5, 0, 3]
    exact = ExactSource().law(
        lambda s: exponential_mechanism(
            LeveledChoice(scores, lengths, lambda *drawn: drawn), epsilon=epsilon, source=s
        )
    )
    assert brute.agrees(
        exact,
        brute.normalise(
            {
                (i, j): brute.exp(epsilon / 2 * scores[i])
                for i, length in enumerate(lengths)
                for j in range(length)
            }
        ),
    )


class Cube:
    """All of {0, 1}**n; the score is the number of bits that agree with a majority's votes.

    A structured set of candidates: the weights factor, so a draw is n coins.
    """

    def __init__(self, votes):
        self.votes, self.size = votes, 2 ** len(votes)

    def draw(self, rate, source):
        return tuple(source.choose(ExplicitWeights(1, exp(rate * v))) for v in self.votes)


def test_structured_candidates(epsilon, brute, tolerance):
    def run(votes):
        return ExactSource().law(
            lambda s: exponential_mechanism(Cube(votes), epsilon=epsilon, source=s, sensitivity=3)
        )

    exact = run((2, -1, 0))
    assert brute.agrees(
        exact,
        brute.normalise(
            {
                bits: brute.exp(
                    epsilon / 6 * sum(b * v for b, v in zip(bits, (2, -1, 0), strict=True))
                )
                for bits in product((0, 1), repeat=3)
            }
        ),
    )
    neighbour = run((1, 0, -1))  # each score moves by at most 3
    assert upper_end(tightest_epsilon(exact.outcomes, neighbour.outcomes)) <= epsilon + tolerance


def test_huge_domains_and_many_candidates():
    source = SeededSource(5)
    runs = LeveledChoice([0, 2000, 0], [2**1000] * 3, lambda *drawn: drawn)
    segment, offset = exponential_mechanism(runs, epsilon=1, source=source)
    assert segment == 1
    assert offset < 2**1000
    assert exponential_mechanism(Explicit([0] * 99 + [80]), epsilon=1, source=source) == 99


# The accuracy statement.


def test_score_gap_is_the_least_that_is_certain(brute):
    for size, beta in ((1, F(1, 2)), (2, F(1, 20)), (10**6, F(1, 20)), (2**1024, F(1, 10**9))):
        for monotone in (False, True):
            rate = selection_rate("0.3", sensitivity=2, monotone=monotone)
            gap = score_gap(size, epsilon="0.3", beta=beta, sensitivity=2, monotone=monotone)
            assert F(brute.exp(-rate * gap, size - 1)) <= beta
            assert gap == 0 or F(brute.exp(-rate * (gap - 1), size - 1)) > beta


def test_score_gap_holds_for_the_law():
    gap = score_gap(3, epsilon=1, beta=F(1, 10))
    for scores in product(range(0, 2 * gap, 3), repeat=3):
        exact = law(scores, epsilon=1)
        bad = sum(
            (float(p) for i, p in exact.outcomes.items() if scores[i] <= max(scores) - gap), 0.0
        )
        assert bad <= 0.1 + 1e-12


@pytest.mark.parametrize(
    ("name", "value"), [("epsilon", 0), ("epsilon", float("nan")), ("sensitivity", -1)]
)
def test_parameters_are_checked_before_anything_is_drawn(name, value):
    source = ReplaySource([])
    with pytest.raises(ParameterError, match=name):
        exponential_mechanism(Explicit([1, 2]), **{"epsilon": 1, "source": source, name: value})
    assert source.presented == []
